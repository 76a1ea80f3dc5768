//! What one consumer works on.

use super::super::message::MessageId;
use super::super::producer::mul_div;
use super::super::rate::{Rate, Work};
use super::super::retry::FailureKind;
use super::super::retry::layers::LayeredAttempts;
use super::super::schema::SchemaVersion;
use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::super::work_queue::DeliveryTag;

/// What one consumer works on.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to acknowledge it by.
    pub tag: DeliveryTag,
    /// The message.
    pub id: MessageId,
    /// Which start of handling the message this is, ever: the attempt of its draws.
    pub start: u32,
    /// Whether it was acknowledged before the work.
    pub is_acknowledged: bool,
    /// Whether nothing is to be done: a record said that it had been done already, or it is too
    /// late.
    pub is_skipped: bool,
    /// When it is too late for it.
    pub deadline: Option<Instant>,
    /// Whether it was too late for it as it was taken, and it is skipped for that.
    pub is_stale: bool,
    /// By which schema this attempt reads.
    pub reads_by: SchemaVersion,
    /// What it does now.
    pub stage: Stage,
    pub(super) work: Work,
    pub(super) done: Work,
    pub(super) since: Instant,
    /// When this attempt began, whatever became of the rate since.
    pub(in crate::model) began: Instant,
}

/// What a consumer does with its message.
#[derive(Clone, Debug)]
pub enum Stage {
    /// It works until the work is done, or until the attempt is cut off.
    Working {
        /// When the attempt is given up, if it may not take so long.
        cut_off: Option<Instant>,
    },
    /// It waits for an answer from downstream.
    Calling {
        /// Which of its calls it waits for.
        number: u64,
        /// The layers of attempts that the call belongs to.
        layers: LayeredAttempts,
        /// When it gives the call up.
        cut_off: Option<Instant>,
    },
    /// It waits before it tries again.
    Waiting {
        /// Until then.
        until: Instant,
        /// Why the last attempt failed.
        failed: FailureKind,
    },
}

/// The work of one message at a consumer, as it starts.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    /// Which start of handling this is, ever.
    pub start: u32,
    /// Work that was done within this microsecond already.
    pub excess: Work,
    /// Whether it was acknowledged before the work.
    pub is_acknowledged: bool,
    /// Whether it is only looked up.
    pub is_skipped: bool,
    /// When it is too late for it.
    pub deadline: Option<Instant>,
    /// Whether it is skipped because it is too late.
    pub is_stale: bool,
    /// When the attempt is given up.
    pub cut_off: Option<Instant>,
}

impl Begun {
    /// The first start of a message of which nothing else is known.
    pub const FIRST: Self = Self {
        start: 1,
        excess: Work::NONE,
        is_acknowledged: false,
        is_skipped: false,
        deadline: None,
        is_stale: false,
        cut_off: None,
    };
}

impl Job {
    /// How much of its work is done, in millionths.
    #[must_use]
    pub fn done_millionths(&self, now: Instant, rate: Rate) -> u32 {
        if self.work.0 == 0 {
            return 1_000_000;
        }
        let done = self.done_at(now, rate).0.min(self.work.0);
        u32::try_from(mul_div(done, 1_000_000, self.work.0)).unwrap_or(1_000_000)
    }

    /// Whether its own work is done at `now`.
    #[must_use]
    #[inline(always)]
    pub fn is_done(&self, now: Instant, rate: Rate) -> bool {
        self.done_at(now, rate) >= self.work
    }

    #[inline(always)]
    pub(super) fn finish_at(&self, rate: Rate) -> Option<Instant> {
        let left = Work(self.work.0.saturating_sub(self.done.0));
        if left == Work::NONE {
            return Some(self.since);
        }
        Some(self.since + rate.time_for(left)?)
    }

    #[inline(always)]
    pub(super) fn done_at(&self, now: Instant, rate: Rate) -> Work {
        Work(self.done.0.saturating_add(rate.work_in(now.since(self.since)).0))
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for value in [
            self.id.raw(),
            u64::from(self.start),
            self.work.0,
            self.done.0,
            self.since.micros(),
            (self.reads_by as u64) << 2 | u64::from(self.is_acknowledged) << 1 | u64::from(self.is_skipped),
        ] {
            hasher.write(value);
        }
        if self.began != self.since {
            hasher.write(self.began.micros());
        }
        if let Some(deadline) = self.deadline {
            hasher.write(deadline.micros() << 1 | u64::from(self.is_stale));
        }
        match &self.stage {
            Stage::Working { cut_off } => hasher.write(cut_off.map_or(u64::MAX, Instant::micros)),
            Stage::Calling { number, layers, cut_off } => {
                hasher.write(*number);
                layers.hash_into(hasher);
                hasher.write(cut_off.map_or(u64::MAX, Instant::micros));
            }
            Stage::Waiting { until, failed } => {
                hasher.write(until.micros());
                hasher.write(*failed as u64);
            }
        }
    }
}
