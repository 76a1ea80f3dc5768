//! What goes wrong on command: consumers that stop, crash or hang, and a broker that is down.

use super::Simulation;
use super::slots::Source;
use crate::model::broker::QueueIndex;
use crate::model::consumer::Health;
use crate::model::event::{EventKind, NO_MESSAGE};
use crate::model::producer::outbox::Outbox;
use crate::model::routes::Supply;
use crate::model::snapshot::{BlockedBy, BrokerState};
use crate::model::time::{Instant, Span};
use crate::model::work_queue::{ConsumerIndex, Returned};

impl Simulation {
    /// Why the producer cannot hand over its message.
    #[must_use]
    pub fn blocked_by(&self) -> Option<BlockedBy> {
        if !self.producer().is_blocked() {
            return None;
        }
        Some(match self.broker_state() {
            BrokerState::Down => BlockedBy::BrokerDown,
            BrokerState::FailingOver(_) => BlockedBy::FailingOver,
            BrokerState::Up if self.broker.is_memory_full() => BlockedBy::MemoryAlarm,
            BrokerState::Up if self.broker.is_disk_full() => BlockedBy::DiskAlarm,
            BrokerState::Up if self.producer().outbox().is_some_and(Outbox::waits_for_confirms) => {
                BlockedBy::Confirms
            }
            BrokerState::Up => BlockedBy::Bound,
        })
    }

    /// Whether the broker works.
    #[must_use]
    pub fn broker_state(&self) -> BrokerState {
        match (self.is_broker_up, self.failing_over_until) {
            (true, _) => BrokerState::Up,
            (false, Some(until)) => BrokerState::FailingOver(until.since(self.now)),
            (false, None) => BrokerState::Down,
        }
    }

    /// All wanted consumers of a pool that are up may be given messages.
    pub(super) fn subscribe_all(&mut self, pool: usize) {
        let queue = match self.staffs[pool].from {
            Supply::Queue(queue) => queue,
            Supply::Group(group) => return self.mind_members(group),
        };
        self.serve_callers(queue, None);
        let staff = &self.staffs[pool];
        if staff.is_stopped || !self.is_broker_up || !staff.gate.is_open() {
            return;
        }
        let ready = |consumer: &ConsumerIndex| {
            staff.pool.is_wanted(*consumer) && staff.pool.health(*consumer).is_connected()
        };
        let ready: Vec<_> = staff.pool.slots().filter(ready).collect();
        let prefetch = staff.handling.prefetch;
        for consumer in ready {
            self.broker.queue_mut(queue).subscribe(consumer, Some(prefetch));
        }
    }

    /// The consumers of a pool finish what they have and take nothing more.
    pub(super) fn stop(&mut self, pool: usize) {
        self.staffs[pool].is_stopped = true;
        self.unsubscribe_all(pool);
        if let Supply::Group(group) = self.staffs[pool].from {
            self.mind_members(group);
            self.dispatch(Supply::Group(group), None);
        }
        self.schedule_calls();
    }

    /// No queue gives the consumers of a pool anything more. Members of a group stay members, whether
    /// or not they take records now.
    pub(super) fn unsubscribe_all(&mut self, pool: usize) {
        let Supply::Queue(queue) = self.staffs[pool].from else { return };
        for consumer in self.staffs[pool].pool.slots() {
            self.broker.queue_mut(queue).unsubscribe(consumer);
        }
    }

    /// The consumers of a pool take messages again.
    pub(super) fn start_again(&mut self, pool: usize) {
        let was_stopped = std::mem::take(&mut self.staffs[pool].is_stopped);
        if was_stopped {
            self.start_idle(pool);
        }
        self.subscribe_all(pool);
        self.dispatch(self.staffs[pool].from, None);
        self.release_producers();
    }

    /// A consumer dies. What it had comes back at once where the broker sees the connection
    /// close, or when its lease runs out.
    pub(super) fn crash(&mut self, pool: usize, consumer: ConsumerIndex) {
        if self.staffs[pool].pool.health(consumer) != Health::Down {
            self.die(pool, consumer);
        }
    }

    /// Returns its pool and its name from now on: who was about to go over to another pool is one
    /// of that.
    fn die(&mut self, pool: usize, consumer: ConsumerIndex) -> (usize, ConsumerIndex) {
        if let Some(job) = self.staffs[pool].pool.drop_all(self.now, consumer) {
            self.record_of_job(EventKind::ConsumerCrashed, consumer, job.id);
            self.remember_start(pool, &job);
            self.forget_in_hand(pool, consumer, &job);
            self.let_record_go(job.id, self.staffs[pool].pool.role());
        }
        let place = self.fall_down(pool, consumer);
        self.deliveries_may_be_lost = true;
        let queue = match self.staffs[pool].from {
            Supply::Queue(queue) => queue,
            Supply::Group(group) => {
                self.broker.logs.group_mut(group).lose(self.now, consumer);
                self.dispatch(Supply::Group(group), None);
                return place;
            }
        };
        if self.broker.queue(queue).rules().visibility_timeout.is_some() {
            self.broker.queue_mut(queue).abandon(consumer);
        } else {
            self.broker.queue_mut(queue).disconnect(consumer);
        }
        self.schedule_orphans(queue);
        self.schedule_calls();
        // It may have been the only active one: whoever takes its place starts at once, or, where
        // something comes back, after that.
        if !self.broker.queue(queue).has_orphans() {
            self.dispatch_queue(queue, None);
            self.release_producers();
        }
        place
    }

    /// A consumer stays alive and finishes nothing.
    pub(super) fn hang(&mut self, pool: usize, consumer: ConsumerIndex) {
        if self.staffs[pool].pool.health(consumer) == Health::Up {
            self.staffs[pool].pool.hang(consumer);
            self.agenda.set(consumer.0, None);
        }
    }

    /// A consumer is started again. One that hung loses what it had, as if it had crashed.
    pub(super) fn restart(&mut self, pool: usize, consumer: ConsumerIndex) {
        let is_hung = self.staffs[pool].pool.health(consumer) == Health::Hung;
        let (pool, consumer) = if is_hung { self.die(pool, consumer) } else { (pool, consumer) };
        self.staffs[pool].pool.set_looping(consumer, false);
        if self.staffs[pool].pool.health(consumer) == Health::Down {
            self.begin_start(pool, consumer);
        }
    }

    /// One message of a consumer that is gone comes back.
    pub(super) fn take_back_orphan(&mut self, queue: QueueIndex) {
        if let Some(returned) = self.broker.take_back_orphan(self.now, queue) {
            let (Returned::Waits(id) | Returned::Died(id)) = returned;
            self.journal.record(self.now, EventKind::Returned, id);
        }
        self.follow_effects();
        self.schedule_orphans(queue);
        self.dispatch_queue(queue, None);
        self.queue_changed(queue);
        self.release_producers();
    }

    fn schedule_orphans(&mut self, queue: QueueIndex) {
        let has_orphans = self.broker.queue(queue).has_orphans();
        self.schedule(Source::Orphans(queue), has_orphans.then_some(self.now));
    }

    /// The broker goes down: every connection is lost, publishers must wait, and what was in
    /// flight waits again. Consumers go on with what they have; nobody hears their answers.
    pub(super) fn take_broker_down(&mut self) {
        self.is_broker_up = false;
        self.expect_recovery(None);
        self.deliveries_may_be_lost = true;
        self.remember_starts();
        self.lose_confirms();
        for pool in 0..self.staffs.len() {
            let queue = match self.staffs[pool].from {
                Supply::Queue(queue) => queue,
                Supply::Group(group) => {
                    self.broker.logs.group_mut(group).lose_connections();
                    self.group_changed(group);
                    continue;
                }
            };
            for consumer in self.staffs[pool].pool.slots() {
                self.broker.queue_mut(queue).lose_connection(consumer);
            }
            self.schedule_orphans(queue);
        }
        self.schedule_sending_back();
        self.release_producers();
    }

    /// The broker is up again, with every message it had.
    pub(super) fn bring_broker_up(&mut self) {
        self.is_broker_up = true;
        self.expect_recovery(None);
        for pool in 0..self.staffs.len() {
            if let Supply::Group(group) = self.staffs[pool].from {
                self.broker.logs.group_mut(group).begin_sessions(self.now);
            }
            self.subscribe_all(pool);
            self.dispatch(self.staffs[pool].from, None);
        }
        self.schedule_sending_back();
        self.release_producers();
    }

    /// Another machine takes over: the broker is down for that long, and comes up by itself.
    pub(super) fn fail_over(&mut self, duration: Span) {
        self.take_broker_down();
        self.expect_recovery(Some(self.now + duration));
        self.journal.record(self.now, EventKind::FailingOver, NO_MESSAGE);
    }

    pub(super) fn end_fail_over(&mut self) {
        self.bring_broker_up();
        self.renew_plainness();
        self.journal.record(self.now, EventKind::FailedOver, NO_MESSAGE);
    }

    fn expect_recovery(&mut self, at: Option<Instant>) {
        self.failing_over_until = at;
        self.schedule(Source::Recovery, at);
    }
}
