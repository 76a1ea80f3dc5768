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
    /// Stored, and passed over because the group began at the log end, or was sent on.
    pub passed_over: u64,
    /// Sent to another topic, to be tried again from there.
    pub sent_to_retry: u64,
    /// Sent to a topic for dead letters.
    pub dead_lettered: u64,
    /// Not among the others: how many the group goes over once more, because its offsets were reset or
    /// its members died before they had committed.
    pub sent_back: u64,
    /// Not among the others: commits that did not get through.
    pub commits_failed: u64,
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

    /// Counts one that was given up, or sent to another topic, as the event says.
    pub const fn count_passed(&mut self, kind: EventKind) {
        let count = match kind {
            EventKind::SentToRetry => &mut self.sent_to_retry,
            EventKind::DeadLettered => &mut self.dead_lettered,
            _ => &mut self.skipped,
        };
        *count += 1;
    }

    /// Those that were worked off, whatever came of it.
    #[must_use]
    pub const fn finished(&self) -> u64 {
        self.done + self.done_late + self.done_wrong
    }

    /// All of them but `sent_back`: as far as the group has come, and gone back.
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
            + self.sent_to_retry
            + self.dead_lettered
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
        let rare = [self.sent_to_retry, self.dead_lettered, self.sent_back, self.commits_failed];
        if rare.iter().any(|value| *value > 0) {
            rare.into_iter().for_each(|value| hasher.write(value));
        }
    }
}
