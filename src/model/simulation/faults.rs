//! What goes wrong on command: consumers that stop, crash or hang, and a broker that is down.

use super::slots::Source;
use super::{Simulation, Staff};
use crate::model::broker::QueueIndex;
use crate::model::consumer::Health;
use crate::model::event::EventKind;
use crate::model::rate::Work;
use crate::model::work_queue::{ConsumerIndex, Returned};

impl Simulation {
    /// All wanted consumers of a pool that are up may be given messages.
    pub(super) fn subscribe_all(&mut self, pool: usize) {
        let staff = &self.staffs[pool];
        if staff.is_stopped || !self.is_broker_up || self.is_scheduled(Source::Gate(pool)) {
            return;
        }
        let ready = |consumer: &ConsumerIndex| {
            staff.pool.is_wanted(*consumer)
                && staff.pool.health(*consumer) != Health::Down
                && !(staff.has_strays && self.works_on_a_stray(staff, *consumer))
        };
        let ready: Vec<_> = staff.pool.slots().filter(ready).collect();
        let (queue, prefetch) = (staff.queue, staff.handling.prefetch);
        for consumer in ready {
            self.broker.queue_mut(queue).subscribe(consumer, Some(prefetch));
        }
    }

    /// The consumers of a pool finish what they have and take nothing more.
    pub(super) fn stop(&mut self, pool: usize) {
        self.staffs[pool].is_stopped = true;
        let queue = self.staffs[pool].queue;
        for consumer in self.staffs[pool].pool.slots() {
            self.broker.queue_mut(queue).unsubscribe(consumer);
        }
    }

    /// The consumers of a pool take messages again.
    pub(super) fn start_again(&mut self, pool: usize) {
        self.staffs[pool].is_stopped = false;
        self.subscribe_all(pool);
        self.dispatch(self.staffs[pool].queue, None);
        self.release_producers();
    }

    /// A consumer dies. What it had comes back at once where the broker sees the connection
    /// close, or when its lease runs out.
    pub(super) fn crash(&mut self, pool: usize, consumer: ConsumerIndex) {
        if self.staffs[pool].pool.health(consumer) == Health::Down {
            return;
        }
        if let Some(job) = self.staffs[pool].pool.drop_all(self.now, consumer) {
            self.journal.record(self.now, EventKind::ConsumerCrashed, job.id);
            self.forget_in_hand(&job);
        }
        self.staffs[pool].pool.set_health(consumer, Health::Down);
        self.agenda.set(consumer.0, None);
        self.deliveries_may_be_lost = true;
        let queue = self.staffs[pool].queue;
        if self.broker.queue(queue).rules().visibility_timeout.is_some() {
            self.broker.queue_mut(queue).abandon(consumer);
        } else {
            self.broker.queue_mut(queue).disconnect(consumer);
            self.schedule_orphans(queue);
        }
    }

    /// A consumer stays alive and finishes nothing.
    pub(super) fn hang(&mut self, pool: usize, consumer: ConsumerIndex) {
        if self.staffs[pool].pool.health(consumer) == Health::Up {
            self.staffs[pool].pool.set_health(consumer, Health::Hung);
            self.agenda.set(consumer.0, None);
        }
    }

    /// A consumer is started again. One that hung loses what it had, as if it had crashed.
    pub(super) fn restart(&mut self, pool: usize, consumer: ConsumerIndex) {
        if self.staffs[pool].pool.health(consumer) == Health::Hung {
            self.crash(pool, consumer);
        }
        if self.staffs[pool].pool.health(consumer) == Health::Up {
            return;
        }
        self.staffs[pool].pool.set_health(consumer, Health::Up);
        self.subscribe_all(pool);
        self.dispatch(self.staffs[pool].queue, None);
        self.release_producers();
    }

    /// Whether what the consumer works on is no longer its own: its lease ran out, or the
    /// connection was lost. It does not know, goes on, and takes nothing else meanwhile.
    fn works_on_a_stray(&self, staff: &Staff, consumer: ConsumerIndex) -> bool {
        let mut job = staff.pool.job(consumer).into_iter();
        job.any(|job| !job.is_acknowledged && self.broker.queue(staff.queue).delivered(job.tag).is_none())
    }

    /// Consumers that lost what they work on are given nothing more until they have finished it.
    pub(super) fn hold_back_from_strays(&mut self, queue: QueueIndex) {
        for pool in 0..self.staffs.len() {
            let staff = &self.staffs[pool];
            if staff.queue != queue {
                continue;
            }
            let has_stray = |consumer: &ConsumerIndex| self.works_on_a_stray(staff, *consumer);
            let strays: Vec<_> = staff.pool.slots().filter(has_stray).collect();
            self.staffs[pool].has_strays = !strays.is_empty();
            strays.into_iter().for_each(|consumer| self.broker.queue_mut(queue).unsubscribe(consumer));
        }
    }

    /// One message of a consumer that is gone comes back.
    pub(super) fn take_back_orphan(&mut self, queue: QueueIndex) {
        if let Some(returned) = self.broker.take_back_orphan(self.now, queue) {
            let (Returned::Waits(id) | Returned::Died(id)) = returned;
            self.journal.record(self.now, EventKind::Returned, id);
            // Its handling was started, and nobody knows how far it came.
            let record = self.records.of(id);
            record.starts = record.starts.max(1);
            record.attempts = record.attempts.max(1);
        }
        self.follow_effects();
        self.schedule_orphans(queue);
        self.dispatch(queue, None);
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
        self.deliveries_may_be_lost = true;
        for pool in 0..self.staffs.len() {
            let Staff { queue, .. } = self.staffs[pool];
            for consumer in self.staffs[pool].pool.slots() {
                self.broker.queue_mut(queue).disconnect(consumer);
            }
            self.staffs[pool].has_strays = self.staffs[pool].pool.busy() > 0;
            self.schedule_orphans(queue);
        }
    }

    /// The broker is up again, with every message it had.
    pub(super) fn bring_broker_up(&mut self) {
        self.is_broker_up = true;
        for pool in 0..self.staffs.len() {
            self.subscribe_all(pool);
            self.dispatch(self.staffs[pool].queue, None);
        }
        self.release_producers();
    }

    /// After a start, the pool may not start another message for a while.
    pub(super) fn close_gate(&mut self, pool: usize) {
        let Some(rate) = self.staffs[pool].handling.drain_limit else { return };
        let from = self.staffs[pool].gate_opens_at.unwrap_or(self.now);
        // Starts are counted from the last allowed one, so that no microsecond is lost.
        let opens_at = rate.time_for(Work::ONE_MESSAGE).map(|gap| from.max(self.now) + gap);
        self.staffs[pool].gate_opens_at = opens_at;
        let queue = self.staffs[pool].queue;
        for consumer in self.staffs[pool].pool.slots() {
            self.broker.queue_mut(queue).unsubscribe(consumer);
        }
        self.schedule(Source::Gate(pool), opens_at);
    }

    pub(super) fn open_gate(&mut self, pool: usize) {
        self.schedule(Source::Gate(pool), None);
        self.subscribe_all(pool);
        self.dispatch(self.staffs[pool].queue, None);
        self.release_producers();
    }
}
