//! What came in and what was done over time, exact at every resolution.

use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::{Bucket, OfTime};

/// What came in and what was done since the run's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Messages that a queue took in, or records appended to a topic.
    pub came: u64,
    /// Those that were worked off, whatever came of it.
    pub done: u64,
}

/// What came in and what was done within a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowBucket {
    /// When the stretch starts.
    pub start: Instant,
    /// What moved within it.
    pub moved: Moved,
}

impl Moved {
    /// What was added since it was `before`.
    pub(super) const fn beyond(self, before: Self) -> Self {
        Self { came: self.came.saturating_sub(before.came), done: self.done.saturating_sub(before.done) }
    }
}

impl From<&Bucket> for FlowBucket {
    fn from(bucket: &Bucket) -> Self {
        Self { start: bucket.start, moved: Moved { came: bucket.accepted, done: bucket.done } }
    }
}

impl OfTime for FlowBucket {
    fn start(&self) -> Instant {
        self.start
    }

    fn take_in_later(&mut self, later: &Self) {
        self.moved.came += later.moved.came;
        self.moved.done += later.moved.done;
    }

    fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.moved.came);
        hasher.write(self.moved.done);
    }
}
