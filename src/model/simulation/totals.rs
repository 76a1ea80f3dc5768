//! What a run counts beside what its queues count.

use crate::model::event::EventKind;
use crate::model::state_hash::StateHasher;

/// What has been counted since the start, beside what the queues count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Messages finished in time and with the right result: acknowledged after the work, or worked
    /// off after an early acknowledgement.
    pub done: u64,
    /// Messages refused with word to the sender.
    pub rejected: u64,
    /// Messages dropped on arrival.
    pub dropped_new: u64,
    /// Messages dropped from the front of a line.
    pub dropped_oldest: u64,
    /// Messages that waited too long and are gone.
    pub expired: u64,
    /// Messages that were not tried again, or found no room among the dead letters, and are gone.
    pub discarded: u64,
    /// Messages removed at the end of what a queue keeps.
    pub retention_over: u64,
    /// Copies that deduplication took away.
    pub deduplicated: u64,
    /// Messages acknowledged before the work, and then lost with their consumer or failed.
    pub lost: u64,
    /// Messages acknowledged early that a consumer has in hand.
    pub in_hand: u64,
    /// Messages that became dead letters.
    pub dead_lettered: u64,
    /// Dead letters sent back.
    pub redriven: u64,
    /// Attempts that failed.
    pub failed_attempts: u64,
    /// Side effects.
    pub side_effects: u64,
    /// Side effects of messages that had one before.
    pub duplicate_side_effects: u64,
    /// Messages handled once more of which a record said that they were done.
    pub skipped: u64,
    /// Messages of which a record said that they were done, without a side effect of theirs.
    pub skipped_without_effect: u64,
    /// Messages finished after their deadline.
    pub done_late: u64,
    /// Messages finished with a wrong result.
    pub done_wrong: u64,
    /// Messages that a consumer acknowledged without work, because they were too late.
    pub skipped_late: u64,
    /// Retries that a budget refused.
    pub retries_refused: u64,
    /// Messages that were not sent because they were of low value.
    pub shed: u64,
    /// Messages lost on their way to the broker.
    pub lost_sending: u64,
    /// Confirms that were lost.
    pub confirms_lost: u64,
    /// Times that a message was sent again.
    pub sent_again: u64,
    /// Messages that their producers gave up, whether or not the broker had them.
    pub sends_given_up: u64,
    /// Copies that came to the broker while it had the message, or had had it.
    pub copies: u64,
    /// Direct calls that failed.
    pub failed_calls: u64,
    /// Direct calls whose senders waited no longer, whether or not a consumer had begun.
    pub calls_timed_out: u64,
    /// Of the direct calls that failed, those that a consumer had begun.
    pub failed_calls_begun: u64,
}

impl Totals {
    /// Counts one more that is done, as the event says.
    pub(super) const fn count_done(&mut self, kind: EventKind) {
        let count = match kind {
            EventKind::SkippedLate => &mut self.skipped_late,
            EventKind::FinishedWrong => &mut self.done_wrong,
            EventKind::FinishedLate => &mut self.done_late,
            _ => &mut self.done,
        };
        *count += 1;
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for value in [
            self.done,
            self.rejected,
            self.dropped_new,
            self.dropped_oldest,
            self.expired,
            self.discarded,
            self.retention_over,
            self.deduplicated,
            self.lost,
            self.in_hand,
            self.dead_lettered,
            self.redriven,
            self.failed_attempts,
            self.side_effects,
            self.duplicate_side_effects,
            self.skipped,
            self.skipped_without_effect,
        ] {
            hasher.write(value);
        }
        // A run without these has the hash that it had before there were any.
        let rare = [self.done_late, self.done_wrong, self.skipped_late, self.retries_refused];
        if rare.iter().any(|count| *count > 0) {
            rare.into_iter().for_each(|count| hasher.write(count));
        }
        // What most runs never have speaks only where there is any.
        for (number, value) in (1_u64..).zip([
            self.shed,
            self.lost_sending,
            self.confirms_lost,
            self.sent_again,
            self.sends_given_up,
            self.copies,
            self.failed_calls,
            self.calls_timed_out,
            self.failed_calls_begun,
        ]) {
            if value > 0 {
                hasher.write(number);
                hasher.write(value);
            }
        }
    }
}
