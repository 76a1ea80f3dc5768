//! What the consumers share: a database or vendor that answers one call after the other.
//!
//! It is one server with its own line, so that its latency grows as it saturates. Nothing is
//! cancelled: a call whose caller has given up is answered all the same.

use std::collections::VecDeque;

use super::rate::{Rate, Work};
use super::state_hash::StateHasher;
use super::time::Instant;
use super::work_queue::ConsumerIndex;

/// A call that waits or is being answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who calls.
    pub consumer: ConsumerIndex,
    /// Which of that consumer's calls this is: an answer to an earlier one means nothing to it.
    pub number: u64,
    /// Whether the answer will be a failure.
    pub fails: bool,
    /// How many more calls of the same kind the consumer makes with it, one behind the other.
    pub more: u32,
}

/// A server with a line.
#[derive(Clone, Debug)]
pub struct Downstream {
    rate: Rate,
    line: VecDeque<Call>,
    /// Work done on the first call, and since when it goes on.
    done: Work,
    since: Instant,
    asked: u64,
    answered: u64,
}

impl Downstream {
    /// An idle server that answers `rate` calls a second.
    #[must_use]
    pub const fn new(rate: Rate) -> Self {
        Self { rate, line: VecDeque::new(), done: Work::NONE, since: Instant::START, asked: 0, answered: 0 }
    }

    /// A call comes in; `excess` is work done on it within this microsecond if it is first.
    pub fn ask(&mut self, now: Instant, call: Call) {
        self.asked += 1 + u64::from(call.more);
        if self.line.is_empty() {
            (self.done, self.since) = (Work::NONE, now);
        }
        self.line.push_back(call);
    }

    /// When the first call will have been answered; `None` while there is none or nothing moves.
    #[must_use]
    pub fn next_answer(&self) -> Option<Instant> {
        self.line.front()?;
        let left = Work(Work::ONE_MESSAGE.0.saturating_sub(self.done.0));
        Some(self.since + self.rate.time_for(left)?)
    }

    /// The first call is answered. What was done beyond its end counts for the next.
    pub fn answer(&mut self, now: Instant) -> Option<Call> {
        let call = *self.line.front()?;
        match self.line.front_mut().filter(|call| call.more > 0) {
            Some(first) => first.more -= 1,
            None => drop(self.line.pop_front()),
        }
        let done = self.done.0.saturating_add(self.rate.work_in(now.since(self.since)).0);
        self.done =
            if self.line.is_empty() { Work::NONE } else { Work(done.saturating_sub(Work::ONE_MESSAGE.0)) };
        self.since = now;
        self.answered += 1;
        Some(call)
    }

    /// Sets the rate; what remains is rescaled at once.
    pub fn set_rate(&mut self, now: Instant, rate: Rate) {
        if !self.line.is_empty() {
            self.done = Work(self.done.0.saturating_add(self.rate.work_in(now.since(self.since)).0));
        }
        self.since = now;
        self.rate = rate;
    }

    /// Calls a second that it answers.
    #[must_use]
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Calls that wait or are being answered.
    #[must_use]
    pub const fn pending(&self) -> u64 {
        self.asked - self.answered
    }

    /// All calls that came in.
    #[must_use]
    pub const fn asked(&self) -> u64 {
        self.asked
    }

    /// All calls that were answered.
    #[must_use]
    pub const fn answered(&self) -> u64 {
        self.answered
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for value in [self.rate.thousandths(), self.done.0, self.since.micros(), self.asked, self.answered] {
            hasher.write(value);
        }
        for call in &self.line {
            hasher.write(u64::from(call.consumer.0) << 1 | u64::from(call.fails));
            hasher.write(call.number);
            if call.more > 0 {
                hasher.write(u64::from(call.more));
            }
        }
    }
}
