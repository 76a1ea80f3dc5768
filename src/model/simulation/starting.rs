//! Consumers that start: after a crash, after a stop, or for the first time.
//!
//! A start may be cold. Then the consumer takes nothing for a while, and calls what all share.

use super::Simulation;
use crate::model::consumer::Health;
use crate::model::downstream::Call;
use crate::model::event::EventKind;
use crate::model::message::MessageId;
use crate::model::settings::CONSUMERS_MAX;
use crate::model::time::Span;
use crate::model::work_queue::ConsumerIndex;

/// Nobody is started again sooner, so that time passes between starts.
const RESTART_LEAST: Span = Span::from_millis(10);

/// When one in a crash loop is started again if nothing else is set: the first back-off of
/// Kubernetes' `CrashLoopBackOff`.
const LOOP_RESTART: Span = Span::from_seconds(10);

impl Simulation {
    fn starts_cold(&self, pool: usize) -> bool {
        let handling = &self.staffs[pool].handling;
        handling.cold_start > Span::ZERO || self.cold_calls(pool) > 0
    }

    /// Calls that a consumer makes as it starts.
    fn cold_calls(&self, pool: usize) -> u32 {
        if self.downstream.is_some() { self.staffs[pool].handling.cold_start_calls } else { 0 }
    }

    /// A consumer that is not up starts.
    pub(super) fn begin_start(&mut self, pool: usize, consumer: ConsumerIndex) {
        if self.starts_cold(pool) {
            self.start_cold(pool, consumer);
        } else {
            self.start_is_through(pool, consumer);
        }
    }

    fn start_cold(&mut self, pool: usize, consumer: ConsumerIndex) {
        self.record_of_consumer(EventKind::ConsumerStarting, consumer);
        let cold_start = self.staffs[pool].handling.cold_start;
        let until = (cold_start > Span::ZERO).then(|| self.now + cold_start);
        let more = self.cold_calls(pool).checked_sub(1);
        let number = more.map(|_| self.staffs[pool].pool.next_call(consumer));
        if let (Some(downstream), Some(number), Some(more)) = (self.downstream.as_mut(), number, more) {
            downstream.ask(self.now, Call { consumer, number, fails: false, more });
            self.schedule_downstream();
        }
        self.staffs[pool].pool.begin_start(consumer, until, number);
        self.schedule_consumer(pool, consumer);
    }

    /// The consumers of a pool that was stopped start, but for those that still hold messages.
    pub(super) fn start_idle(&mut self, pool: usize) {
        self.start_new(pool, 0);
    }

    /// The consumers from number `from` on start, where they are not there already.
    pub(super) fn start_new(&mut self, pool: usize, from: u64) {
        if !self.starts_cold(pool) {
            return;
        }
        let staff = &self.staffs[pool].pool;
        let is_new = |consumer: &ConsumerIndex| {
            staff.is_wanted(*consumer) && staff.health(*consumer) == Health::Up && !staff.has_work(*consumer)
        };
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let new: Vec<_> = staff.slots().skip(from).filter(is_new).collect();
        new.into_iter().for_each(|consumer| self.start_cold(pool, consumer));
    }

    /// A consumer that is down or starts is due.
    pub(super) fn consumer_wakes(&mut self, pool: usize, consumer: ConsumerIndex) {
        match self.staffs[pool].pool.health(consumer) {
            Health::Down => self.begin_start(pool, consumer),
            Health::Starting if self.staffs[pool].pool.start_took_its_time(consumer) => {
                self.start_is_through(pool, consumer);
            }
            _ => self.schedule_consumer(pool, consumer),
        }
    }

    /// The consumer is ready for messages, or crashes because it does so at every start.
    pub(super) fn start_is_through(&mut self, pool: usize, consumer: ConsumerIndex) {
        if self.staffs[pool].pool.is_looping(consumer) {
            self.record_of_consumer(EventKind::StartFailed, consumer);
            self.fall_down(pool, consumer);
            return;
        }
        if self.staffs[pool].pool.health(consumer) == Health::Starting {
            self.record_of_consumer(EventKind::ConsumerStarted, consumer);
        }
        self.staffs[pool].pool.bring_up(consumer);
        let (pool, consumer) = self.go_over(pool, consumer);
        self.schedule_consumer(pool, consumer);
        self.subscribe_all(pool);
        self.dispatch(self.staffs[pool].from, None);
        self.release_producers();
    }

    /// The consumer is down, until it is started again. Who was about to go over is down there.
    /// Returns its pool and its name from now on.
    pub(super) fn fall_down(&mut self, pool: usize, consumer: ConsumerIndex) -> (usize, ConsumerIndex) {
        self.staffs[pool].pool.take_down(consumer, None);
        let (pool, consumer) = self.go_over(pool, consumer);
        let staff = &mut self.staffs[pool];
        let otherwise = staff.pool.is_looping(consumer).then_some(LOOP_RESTART);
        let after = staff.handling.restart_after.or(otherwise);
        staff.pool.take_down(consumer, after.map(|after| self.now + after.max(RESTART_LEAST)));
        if !staff.pool.is_wanted(consumer) {
            staff.pool.forget_gone();
        }
        self.schedule_consumer(pool, consumer);
        (pool, consumer)
    }

    /// The consumer crashes, and again at every start.
    pub(super) fn crash_at_every_start(&mut self, pool: usize, consumer: ConsumerIndex) {
        self.staffs[pool].pool.set_looping(consumer, true);
        if self.staffs[pool].pool.health(consumer) == Health::Down {
            self.fall_down(pool, consumer);
        } else {
            self.crash(pool, consumer);
        }
    }

    /// A fix is deployed: who crashed at every start is started anew.
    pub(super) fn deploy_fix(&mut self) {
        self.fates.deploy_fix();
        for pool in 0..self.staffs.len() {
            for consumer in self.staffs[pool].pool.slots() {
                if self.staffs[pool].pool.is_looping(consumer) {
                    self.restart(pool, consumer);
                }
            }
        }
    }

    pub(super) fn record_of_consumer(&mut self, kind: EventKind, consumer: ConsumerIndex) {
        let number = u64::from(consumer.0) % CONSUMERS_MAX + 1;
        let pool = super::slots::pool_of(consumer);
        let name = MessageId::new(u16::try_from(pool).unwrap_or_default(), number);
        self.journal.record(self.now, kind, name);
    }
}
