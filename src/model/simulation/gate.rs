//! A pool's limit on starts: after each, the pool takes nothing for a while.

use super::slots::Source;
use super::{Simulation, Staff};
use crate::model::rate::{Rate, Work};
use crate::model::state_hash::StateHasher;
use crate::model::time::Instant;

/// Opens once a message's worth of work was done at the limit's rate since the last start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    limit: Option<Rate>,
    is_closed: bool,
    /// What was done towards the next opening, or, at the instant of an opening, beyond it.
    done: Work,
    since: Instant,
}

impl Gate {
    /// A gate that has let nobody through yet.
    pub const fn new(limit: Option<Rate>) -> Self {
        Self { limit, is_closed: false, done: Work::NONE, since: Instant::START }
    }

    /// Whether messages may be taken.
    pub fn is_open(&self) -> bool {
        !self.is_closed && self.limit != Some(Rate::ZERO)
    }

    /// When it opens; `None` where it is open, or never will be.
    pub fn opens_at(&self) -> Option<Instant> {
        let limit = self.limit.filter(|_| self.is_closed)?;
        let left = Work(Work::ONE_MESSAGE.0.saturating_sub(self.done.0));
        Some(self.since + limit.time_for(left)?)
    }

    /// A message was taken. What is beyond the opening of this very instant counts for the next.
    fn close(&mut self, now: Instant) {
        if self.limit.is_none() {
            return;
        }
        if self.since != now {
            self.done = Work::NONE;
        }
        (self.is_closed, self.since) = (true, now);
    }

    fn open(&mut self, now: Instant) {
        self.done = Work(self.done_at(now).0.saturating_sub(Work::ONE_MESSAGE.0));
        (self.is_closed, self.since) = (false, now);
    }

    /// What remains until it opens is rescaled at once.
    fn set_limit(&mut self, now: Instant, limit: Option<Rate>) {
        self.done = if self.is_closed { self.done_at(now) } else { Work::NONE };
        self.is_closed &= limit.is_some();
        (self.limit, self.since) = (limit, now);
    }

    fn done_at(&self, now: Instant) -> Work {
        let rate = self.limit.unwrap_or(Rate::ZERO);
        Work(self.done.0.saturating_add(rate.work_in(now.since(self.since)).0))
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.limit.map_or(u64::MAX, Rate::thousandths));
        hasher.write(u64::from(self.is_closed));
        hasher.write(self.done.0);
        hasher.write(self.since.micros());
    }
}

impl Simulation {
    /// After a start, the pool may not start another message for a while.
    pub(super) fn close_gate(&mut self, pool: usize) {
        if self.staffs[pool].handling.drain_limit.is_some() {
            self.staffs[pool].gate.close(self.now);
            self.mind_gate(pool);
        }
    }

    pub(super) fn open_gate(&mut self, pool: usize) {
        self.staffs[pool].gate.open(self.now);
        self.mind_gate(pool);
    }

    pub(super) fn set_drain_limit(&mut self, pool: usize) {
        let limit = self.staffs[pool].handling.drain_limit;
        self.staffs[pool].gate.set_limit(self.now, limit);
        self.mind_gate(pool);
    }

    /// The pool takes messages exactly while its gate is open.
    fn mind_gate(&mut self, pool: usize) {
        let Staff { gate, queue, .. } = self.staffs[pool];
        self.schedule(Source::Gate(pool), gate.opens_at());
        if gate.is_open() {
            self.subscribe_all(pool);
            self.dispatch(queue, None);
            self.release_producers();
        } else {
            self.unsubscribe_all(pool);
        }
    }
}
