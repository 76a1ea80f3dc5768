//! A limit on how fast messages pass: after each, none passes for a while.

use super::rate::{Rate, Work};
use super::state_hash::StateHasher;
use super::time::Instant;

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
    #[must_use]
    pub const fn new(limit: Option<Rate>) -> Self {
        Self { limit, is_closed: false, done: Work::NONE, since: Instant::START }
    }

    /// Whether a message may pass.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.is_closed && self.limit != Some(Rate::ZERO)
    }

    /// When it opens; `None` where it is open, or never will be.
    #[must_use]
    pub fn opens_at(&self) -> Option<Instant> {
        let limit = self.limit.filter(|_| self.is_closed)?;
        let left = Work(Work::ONE_MESSAGE.0.saturating_sub(self.done.0));
        Some(self.since + limit.time_for(left)?)
    }

    /// A message passed. What is beyond the opening of this very instant counts for the next.
    pub fn close(&mut self, now: Instant) {
        if self.limit.is_none() {
            return;
        }
        if self.since != now {
            self.done = Work::NONE;
        }
        (self.is_closed, self.since) = (true, now);
    }

    /// It opens.
    pub fn open(&mut self, now: Instant) {
        self.done = Work(self.done_at(now).0.saturating_sub(Work::ONE_MESSAGE.0));
        (self.is_closed, self.since) = (false, now);
    }

    /// Sets the limit. What remains until it opens is rescaled at once.
    pub fn set_limit(&mut self, now: Instant, limit: Option<Rate>) {
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
