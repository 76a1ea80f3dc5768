//! The common case without questions: a message that carries nothing stands in line, is worked on
//! once, and is acknowledged, under settings that ask for nothing more.
//!
//! What is done here is exactly what `sending` and `handling` do in full, for every event of
//! which one look tells that nothing out of the ordinary can follow from it. Anything else goes
//! the long way, event by event; a test lets runs go both ways and compares them.

use super::slots::{Source, pool_of};
use super::{QUEUE, Simulation, Staff};
use crate::model::broker::QueueIndex;
use crate::model::consumer::Begun;
use crate::model::event::EventKind;
use crate::model::group::reading::Reading;
use crate::model::message::MessageId;
use crate::model::producer::Producer;
use crate::model::rate::Work;
use crate::model::routes::{Role, Supply, Target};
use crate::model::stats::Levels;
use crate::model::work_queue::{ConsumerIndex, Delivery, DeliveryTag};

impl Simulation {
    /// Takes no shortcut from here on: slower, and the same in every respect.
    pub fn go_the_long_way(&mut self) {
        self.takes_shortcuts = false;
        self.renew_plainness();
        self.is_common = false;
    }

    /// Settings have changed, by command.
    pub(super) fn renew_plainness(&mut self) {
        let is_simple =
            self.takes_shortcuts && self.is_broker_up && self.downstream.is_none() && self.is_of_one_schema();
        let is_plain = |staff: &Staff| staff.handling.is_plain() && staff.budget.is_unlimited();
        let takes_from = |staff: &Staff| staff.from.queue().is_some();
        self.is_plain = is_simple
            && self.broker.disk().is_none()
            && self.broker.queues().all(|queue| queue.has_plain_rules())
            && self.staffs.iter().all(|staff| !takes_from(staff) || is_plain(staff));
        // A topic blocks nobody, and what its rules delete is looked at by its groups.
        self.are_logs_plain = is_simple
            && !self.broker.logs.topics().is_empty()
            && !self.broker.logs.groups().iter().any(Reading::is_spread)
            && self.staffs.iter().all(|staff| takes_from(staff) || is_plain(staff));
    }

    /// The source of `slot` acts: the short way, if it is common.
    #[inline]
    pub(super) fn act(&mut self, slot: u32) {
        let source = self.slots.source(slot);
        let is_done = self.is_common
            && match source {
                Source::Consumer(consumer) => self.finishes_plainly(consumer),
                Source::Arrival(producer) => self.arrives_plainly(producer),
                Source::Expiry(queue) => self.is_plain && self.comes_back_plainly(queue),
                _ => false,
            };
        if !is_done {
            (self.is_counted, self.is_common) = (false, false);
            self.act_in_full(source);
        }
    }

    /// Something was done the long way: the levels are to be counted, and what comes next may be
    /// common again.
    #[inline(never)]
    pub(super) fn count_again(&mut self) {
        self.is_counted = true;
        // Callers come before what waits in line, and producers with their hands full after it.
        self.is_common = (self.is_plain || self.are_logs_plain)
            && self.calls.is_empty()
            && !self.producers.iter().any(Producer::is_blocked);
        self.room = self.broker.memory().saturating_sub(self.broker.held());
        *self.stats.levels_mut() = self.levels();
    }

    /// The levels, counted.
    pub(in crate::model) fn levels(&self) -> Levels {
        let ready = self.broker.queue(QUEUE).ready();
        let mut levels = Levels {
            waiting: ready.len(),
            oldest_accepted_at: ready.oldest_accepted_at(),
            in_flight: self.totals.in_hand + self.broker.in_flight(),
            ..Levels::default()
        };
        for staff in &self.staffs {
            levels.busy += staff.pool.busy();
            levels.staffed += staff.pool.staffed();
        }
        levels
    }

    /// A producer's clock brings a message. `false`: nothing was done, go the long way.
    #[inline]
    pub(super) fn arrives_plainly(&mut self, producer: usize) -> bool {
        let sender = &mut self.producers[producer];
        let queue = match sender.target() {
            Target::Queue(queue) if self.is_plain => queue,
            Target::Queue(_) => return false,
            Target::Topic(topic) => return self.appends_plainly(producer, topic),
        };
        let waiting = self.broker.queue_mut(queue);
        let Some(taker) = waiting.taker_of_plain() else { return false };
        if self.room == 0 || !sender.is_plain() {
            return false;
        }
        if taker.is_some_and(|consumer| self.staffs[pool_of(consumer)].pool.has_work(consumer)) {
            return false;
        }
        self.room -= 1;
        let (id, excess) = sender.present_next(self.now);
        self.agenda.set_first(self.slots.of(Source::Arrival(producer)), sender.next_arrival());
        self.journal.record(self.now, EventKind::Offered, id);
        self.journal.record(self.now, EventKind::Accepted, id);
        match taker {
            None => {
                waiting.line_up(self.now, id);
                self.one_more_waits(queue);
            }
            Some(consumer) => {
                let delivery = waiting.hand_over_plain(self.now, id, consumer);
                let excess = self.excess_for_consumer(producer, &delivery, excess);
                self.stats.levels_mut().in_flight += 1;
                self.start_plainly(&delivery, Begun { excess, ..Begun::FIRST });
            }
        }
        true
    }

    /// A consumer finishes its message and takes the next. `false`: nothing was done, go the long
    /// way.
    #[inline]
    pub(super) fn finishes_plainly(&mut self, consumer: ConsumerIndex) -> bool {
        let staff = &mut self.staffs[pool_of(consumer)];
        let queue = match staff.from {
            Supply::Queue(queue) if self.is_plain => queue,
            Supply::Queue(_) => return false,
            Supply::Group(group) => return self.commits_plainly(group, consumer),
        };
        let Some(job) = staff.pool.plainly_done(self.now, consumer) else { return false };
        let (id, tag, start, began) = (job.id, job.tag, job.start, job.began);
        let waiting = self.broker.queue_mut(queue);
        if !waiting.is_plainly_out(tag) {
            return false;
        }
        if let Some(kind) = self.fates.failure(id, Role::FIRST, start, staff.handling.failures) {
            return self.fails_plainly(consumer, kind);
        }
        let is_known = start > 1 || self.records.get(id, Role::FIRST).is_some();
        self.totals.side_effects += 1;
        self.totals.done += 1;
        staff.finished += 1;
        self.journal.record(self.now, EventKind::Finished, id);
        self.stats.record_handled(self.now, began);
        self.stats.record_finish(self.now, id);
        if is_known {
            let record = self.records.of(id, Role::FIRST);
            record.effects += 1;
            self.totals.duplicate_side_effects += u64::from(record.effects > 1);
        }
        let Some(delivery) = waiting.exchange(tag, |id| self.records.get(id, Role::FIRST).is_none()) else {
            self.finish_alone(queue, consumer, tag, id);
            return true;
        };
        self.agenda.set_first(consumer.0, staff.pool.go_on_plainly(self.now, &delivery));
        self.journal.record(self.now, EventKind::Started, delivery.id);
        self.stats.record_wait(self.now.since(delivery.accepted_at));
        if queue == QUEUE {
            let oldest = waiting.ready().oldest_accepted_at();
            let levels = self.stats.levels_mut();
            levels.waiting -= 1;
            levels.oldest_accepted_at = oldest;
        }
        if is_known {
            self.end_record(id, Role::FIRST);
        }
        true
    }

    /// The consumer is done with the message and takes what waits, if anything does.
    #[inline(never)]
    fn finish_alone(&mut self, queue: QueueIndex, consumer: ConsumerIndex, tag: DeliveryTag, id: MessageId) {
        let pool = pool_of(consumer);
        let excess = self.staffs[pool].pool.finish_plain(self.now, consumer);
        self.broker.queue_mut(queue).forget_done(tag);
        let levels = self.stats.levels_mut();
        levels.busy -= 1;
        levels.in_flight -= 1;
        self.end_record(id, Role::FIRST);
        if self.broker.queue(queue).ready().is_empty() {
            return self.agenda.set_first(consumer.0, None);
        }
        if self.hands_out_plainly(queue) {
            self.hand_out_plainly(queue, Some((consumer, excess)));
        } else {
            (self.is_counted, self.is_common) = (false, false);
            self.dispatch_queue(queue, Some((consumer, excess)));
        }
        self.schedule_consumer(pool, consumer);
    }

    /// Whether nothing follows from handing on what waits but that consumers start on it.
    pub(super) fn hands_out_plainly(&self, queue: QueueIndex) -> bool {
        !self.has_deadlines && self.broker.queue(queue).hands_out_plainly()
    }

    /// Hands what waits to those with room, whether or not it was out before. The one that has
    /// just finished carries its excess.
    pub(super) fn hand_out_plainly(&mut self, queue: QueueIndex, finished: Option<(ConsumerIndex, Work)>) {
        while let Some(delivery) = self.broker.queue_mut(queue).dispatch(self.now) {
            let pool = pool_of(delivery.consumer);
            self.stats.levels_mut().in_flight += 1;
            if self.staffs[pool].pool.has_work(delivery.consumer) {
                self.staffs[pool].pool.keep(delivery);
                continue;
            }
            let start = self.count_start(pool, &delivery);
            let excess = match finished {
                Some((consumer, excess)) if consumer == delivery.consumer => excess,
                _ => Work::NONE,
            };
            self.start_plainly(&delivery, Begun { start, excess, ..Begun::FIRST });
        }
        if queue == QUEUE {
            let ready = self.broker.queue(queue).ready();
            let levels = self.stats.levels_mut();
            (levels.waiting, levels.oldest_accepted_at) = (ready.len(), ready.oldest_accepted_at());
        }
    }

    /// A consumer that has nothing starts on a message, which counts as in flight already if it is one
    /// of a queue.
    pub(super) fn start_plainly(&mut self, delivery: &Delivery, begun: Begun) {
        self.journal.record(self.now, EventKind::Started, delivery.id);
        if !delivery.redelivered {
            self.stats.record_wait(self.now.since(delivery.accepted_at));
        }
        let pool = &mut self.staffs[pool_of(delivery.consumer)].pool;
        pool.start(self.now, delivery, begun);
        // One that hangs finishes nothing.
        self.agenda.set(delivery.consumer.0, pool.next_at(delivery.consumer));
        self.stats.levels_mut().busy += 1;
    }

    #[inline]
    fn one_more_waits(&mut self, queue: QueueIndex) {
        if queue == QUEUE {
            let levels = self.stats.levels_mut();
            levels.waiting += 1;
            levels.oldest_accepted_at.get_or_insert(self.now);
        }
    }
}
