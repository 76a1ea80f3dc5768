//! What became of the records that a group has committed.

use super::super::super::event::EventKind;
use super::super::super::state_hash::StateHasher;

/// What became of a group's records, counted once each as its committed offset passes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// Done in time and with the right result.
    pub done: u64,
    /// Done after their deadline.
    pub done_late: u64,
    /// Done with a wrong result.
    pub done_wrong: u64,
    /// Committed without work, because they were too late.
    pub skipped_late: u64,
    /// Given up after their last attempt: the group goes on behind them.
    pub skipped: u64,
    /// Committed before the work, and then lost with their consumer or failed.
    pub lost: u64,
    /// Committed before the work and in a member's hands.
    pub in_hand: u64,
    /// Deleted before the group had read them.
    pub deleted_unread: u64,
    /// Stored, and passed over because the group began at the log end.
    pub passed_over: u64,
}

impl GroupCounts {
    /// Counts one more that is done, as the event says.
    pub const fn count_done(&mut self, kind: EventKind) {
        let count = match kind {
            EventKind::SkippedLate => &mut self.skipped_late,
            EventKind::FinishedWrong => &mut self.done_wrong,
            EventKind::FinishedLate => &mut self.done_late,
            _ => &mut self.done,
        };
        *count += 1;
    }

    /// All of them: as many as the committed offsets have moved on.
    #[must_use]
    pub const fn all(&self) -> u64 {
        self.done
            + self.done_late
            + self.done_wrong
            + self.skipped_late
            + self.skipped
            + self.lost
            + self.in_hand
            + self.deleted_unread
            + self.passed_over
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for value in [
            self.done,
            self.done_late,
            self.done_wrong,
            self.skipped_late,
            self.skipped,
            self.lost,
            self.in_hand,
            self.deleted_unread,
            self.passed_over,
        ] {
            hasher.write(value);
        }
    }
}
