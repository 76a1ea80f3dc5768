//! Producers: messages arrive, find room or not, and what follows from it.

use super::Simulation;
use super::following::Note;
use super::reading::Arrived;
use super::slots::Source;
use crate::model::broker::{Effect, Gone, Offered, QueueIndex};
use crate::model::event::EventKind;
use crate::model::message::{DeathReason, MessageId};
use crate::model::producer::{Producer, mul_div};
use crate::model::rate::Work;
use crate::model::routes::{Role, Target};
use crate::model::snapshot::LossRule;
use crate::model::work_queue::{Delivery, Published};

impl Simulation {
    pub(super) fn arrive(&mut self, producer: usize) {
        let (id, excess) = self.producers[producer].present_next(self.now);
        self.present(producer, id, excess);
    }

    pub(super) fn arrive_from_burst(&mut self, producer: usize) {
        match self.producers[producer].present_from_burst() {
            Some(id) => self.present(producer, id, Work::NONE),
            None => self.schedule_producer(producer),
        }
    }

    fn present(&mut self, producer: usize, id: MessageId, excess: Work) {
        if self.producers[producer].takes_poison() {
            self.fates.poison(id);
        }
        self.journal.record(self.now, EventKind::Offered, id);
        if self.producers[producer].outbox().is_some() {
            self.pass_on(producer, id, excess);
        } else {
            self.offer(producer, id, excess);
        }
        self.schedule_producer(producer);
        // So many may wait now that another one sheds what it holds.
        self.release_producers();
    }

    pub(super) fn offer(&mut self, producer: usize, id: MessageId, excess: Work) {
        let published = self.publish(producer, id);
        self.follow_publish(producer, id, published, excess);
    }

    /// What becomes of a message that was published.
    pub(super) fn follow_publish(
        &mut self,
        producer: usize,
        id: MessageId,
        published: Published,
        excess: Work,
    ) {
        let target = self.producers[producer].target();
        match published {
            Published::HandedOver(delivery) => {
                self.journal.record(self.now, EventKind::Accepted, id);
                let carried = self.excess_for_consumer(producer, &delivery, excess);
                self.receive(&delivery, carried);
            }
            Published::Accepted => {
                self.journal.record(self.now, EventKind::Accepted, id);
                match target {
                    // It may stand before one that is to expire at this very instant.
                    Target::Queue(queue) => self.hand_out(queue, None),
                    Target::Topic(topic) => self.hand_out_arrived(topic, Arrived { producer, id, excess }),
                }
            }
            Published::Duplicate => {
                self.totals.deduplicated += 1;
                self.end_expectation(id);
            }
            Published::Rejected => {
                self.totals.rejected += 1;
                self.lose(id, LossRule::Rejected);
            }
            Published::DroppedNew => {
                self.totals.dropped_new += 1;
                self.lose(id, LossRule::DroppedNew);
            }
            Published::NoRoom => {
                self.journal.record(self.now, EventKind::HeldBack, id);
                self.producers[producer].hold(self.now, id);
            }
        }
        self.follow_effects();
        if let Target::Queue(queue) = target {
            self.queue_changed(queue);
        }
    }

    pub(super) fn publish(&mut self, producer: usize, id: MessageId) -> Published {
        if !self.is_broker_up {
            return Published::NoRoom;
        }
        let mut message = self.producers[producer].message(id, self.now);
        let queue = match self.producers[producer].target() {
            Target::Queue(queue) => queue,
            Target::Topic(topic) => {
                let key = self.producers[producer].key(id);
                let room = self.broker.memory();
                let appended = self.broker.logs.append(self.now, topic, key, message, room);
                self.tell_stored(id, topic, appended);
                if self.broker.logs.takes_poison(topic, appended.partition) {
                    self.fates.poison(id);
                }
                return Published::Accepted;
            }
        };
        if self.producers[producer].outbox().is_some() {
            self.tell_copies_apart(producer, &mut message);
        }
        match self.broker.publish(self.now, queue, message) {
            Offered::Queue(published) => published,
            Offered::MemoryFull | Offered::DiskFull => Published::NoRoom,
        }
    }

    /// The producer's excess as work of a consumer that starts within the same microsecond.
    pub(super) fn excess_for_consumer(&self, producer: usize, delivery: &Delivery, excess: Work) -> Work {
        let consumer_rate = self.staffs[super::slots::pool_of(delivery.consumer)].pool.rate().thousandths();
        match self.producers[producer].rate().thousandths() {
            0 => Work::NONE,
            rate => Work(mul_div(excess.0, consumer_rate, rate)),
        }
    }

    /// What the broker did beside what it was asked for.
    pub(super) fn follow_effects(&mut self) {
        if self.broker.has_effects() {
            self.follow_all_effects();
        }
    }

    fn follow_all_effects(&mut self) {
        while let Some(effect) = self.broker.take_effect() {
            match effect {
                Effect::DeadLettered { id, to, taken, reason, .. } => {
                    self.tell(id, Note::Died(reason));
                    self.journal.record(self.now, EventKind::DeadLettered, id);
                    self.totals.dead_lettered += 1;
                    if let Some(delivery) = taken {
                        self.receive(&delivery, Work::NONE);
                    }
                    self.hand_out(to, None);
                    self.queue_changed(to);
                }
                Effect::Gone { id, why, .. } => self.count_gone(id, why),
            }
        }
    }

    fn count_gone(&mut self, id: MessageId, why: Gone) {
        self.tell(id, Note::Gone(why));
        self.end_record(id, Role::FIRST);
        let (total, kind) = match why {
            Gone::NoDeadLetterQueue(DeathReason::MaxLength) => {
                self.totals.dropped_oldest += 1;
                return self.lose(id, LossRule::DroppedOldest);
            }
            Gone::NoDeadLetterQueue(DeathReason::Expired) => (&mut self.totals.expired, EventKind::Expired),
            Gone::RetentionOver => (&mut self.totals.retention_over, EventKind::RetentionOver),
            Gone::NoDeadLetterQueue(_) | Gone::AutomaticCycle(_) | Gone::RefusedAsDeadLetter(_) => {
                (&mut self.totals.discarded, EventKind::Discarded)
            }
        };
        *total += 1;
        self.journal.record(self.now, kind, id);
    }

    fn lose(&mut self, id: MessageId, rule: LossRule) {
        let kind = match rule {
            LossRule::Rejected => EventKind::Rejected,
            LossRule::DroppedNew => EventKind::DroppedNew,
            LossRule::DroppedOldest => EventKind::DroppedOldest,
        };
        self.journal.record(self.now, kind, id);
        self.stats.record_loss(self.now, id, rule);
    }

    /// Blocked producers present their messages again if they would not be blocked now, the one
    /// that has waited longest first.
    pub(super) fn release_producers(&mut self) {
        if self.producers.iter().any(Producer::is_blocked) {
            self.release_those_with_room();
        }
    }

    fn release_those_with_room(&mut self) {
        while let Some(producer) = self.next_to_release() {
            let Some(id) = self.producers[producer].take_held() else { return };
            self.producers[producer].resume(self.now);
            if self.producers[producer].outbox().is_some() {
                self.send(producer, id, Work::NONE);
            } else {
                self.offer(producer, id, Work::NONE);
            }
            self.schedule_producer(producer);
        }
    }

    fn next_to_release(&self) -> Option<usize> {
        let blocked =
            self.producers.iter().enumerate().filter(|(_, sender)| self.is_held_for_nothing(sender));
        blocked.min_by_key(|(index, sender)| (sender.held_since(), *index)).map(|(index, _)| index)
    }

    /// Whether the producer holds a message for which there is room.
    pub(in crate::model) fn is_held_for_nothing(&self, sender: &Producer) -> bool {
        if let (Some(id), Some(outbox)) = (sender.held(), sender.outbox())
            && let Some(is_kept) = self.outbox_keeps(sender, outbox, id)
        {
            return !is_kept;
        }
        let message = sender.held_message(self.now).filter(|_| self.is_broker_up);
        message.is_some_and(|message| match sender.target() {
            Target::Queue(queue) => !self.broker.would_block(queue, &message),
            Target::Topic(_) => true,
        })
    }

    pub(super) fn trim(&mut self, queue: QueueIndex) {
        self.broker.trim_one(self.now, queue);
        self.follow_effects();
        self.schedule_trim(queue);
        self.queue_changed(queue);
        self.release_producers();
    }

    pub(super) fn schedule_trim(&mut self, queue: QueueIndex) {
        let needs_trim = self.broker.queue(queue).needs_trim();
        self.schedule(Source::Trim(queue), needs_trim.then_some(self.now));
    }

    pub(super) fn schedule_producer(&mut self, producer: usize) {
        let sender = &self.producers[producer];
        let bursts_now = sender.burst_pending() > 0 && !sender.is_blocked();
        let next = sender.next_arrival();
        let outbox = sender.outbox().map(|outbox| outbox.due(self.now, sender.is_blocked()));
        self.schedule(Source::Arrival(producer), next);
        if let Some(due) = outbox {
            self.schedule(Source::Outbox(producer), due);
        }
        if bursts_now || self.is_scheduled(Source::Burst(producer)) {
            self.schedule(Source::Burst(producer), bursts_now.then_some(self.now));
        }
    }

    /// One thing that is due in a queue by itself.
    pub(super) fn expire(&mut self, queue: QueueIndex) {
        self.deliveries_may_be_lost = true;
        self.broker.expire(self.now, queue);
        self.follow_effects();
        self.dispatch_queue(queue, None);
        self.queue_changed(queue);
        self.release_producers();
    }

    /// When something is due in the queue by itself may have changed.
    pub(super) fn queue_changed(&mut self, queue: QueueIndex) {
        let waiting = self.broker.queue(queue);
        if waiting.needs_trim() || self.is_scheduled(Source::Trim(queue)) {
            self.schedule_trim(queue);
        }
        let waiting = self.broker.queue(queue);
        if waiting.is_timed() || self.is_scheduled(Source::Expiry(queue)) {
            let next = waiting.next_expiry().map(|next| next.max(self.now));
            self.schedule(Source::Expiry(queue), next);
        }
    }

    /// One dead letter goes back.
    pub(super) fn redrive(&mut self) {
        if let Some((id, task, published)) = self.broker.redrive_due(self.now) {
            self.totals.redriven += 1;
            self.journal.record(self.now, EventKind::Redriven, id);
            if self.records.get(id, Role::FIRST).is_some() {
                self.records.of(id, Role::FIRST).attempts = 0;
            }
            if let Published::HandedOver(delivery) = published {
                self.receive(&delivery, Work::NONE);
            }
            self.dispatch_queue(task.to, None);
            self.dispatch_queue(task.from, None);
        }
        self.schedule_redrive();
        self.release_producers();
    }

    pub(super) fn schedule_redrive(&mut self) {
        let next = self.broker.next_redrive().map(|next| next.max(self.now));
        self.schedule(Source::Redrive, next);
    }
}
