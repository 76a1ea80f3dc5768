//! Where every message of a run is.

use super::Simulation;
use crate::model::broker::QueueIndex;
use crate::model::ledger::Ledger;
use crate::model::routes::TopicIndex;
use crate::model::stats::Trouble;

impl Simulation {
    /// Where every message is.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        let mut ledger = Ledger {
            rejected: self.totals.rejected,
            done: self.totals.done,
            done_late: self.totals.done_late,
            done_wrong: self.totals.done_wrong,
            dropped_new: self.totals.dropped_new,
            dropped_oldest: self.totals.dropped_oldest,
            expired: self.totals.expired + self.totals.skipped_late,
            discarded: self.totals.discarded + self.totals.lost,
            retention_over: self.totals.retention_over,
            deduplicated: self.totals.deduplicated,
            shed: self.totals.shed,
            lost_sending: self.totals.lost_sending,
            failed_calls: self.totals.failed_calls,
            failed_calls_begun: self.totals.failed_calls_begun,
            copies: self.totals.copies,
            in_flight: self.totals.in_hand,
            logged: self.broker.logs.appended(),
            ..Ledger::default()
        };
        for producer in &self.producers {
            ledger.offered += producer.offered();
            ledger.held_back += producer.held_back();
        }
        for (index, queue) in self.broker.queues().enumerate() {
            let ready = queue.ready().len();
            *(if QueueIndex(index) == self.dead_letter_queue {
                &mut ledger.dead_letters
            } else {
                &mut ledger.waiting
            }) += ready;
            ledger.delayed += queue.delayed();
            ledger.in_flight += queue.in_flight();
        }
        ledger
    }

    /// What went wrong so far.
    pub(super) fn trouble(&self, counts: &Ledger) -> Trouble {
        Trouble {
            dead_letters: counts.dead_letters + self.not_sent_back_in_all(),
            duplicate_side_effects: self.totals.duplicate_side_effects,
        }
    }

    /// Dead letters in topics that were not sent back.
    fn not_sent_back_in_all(&self) -> u64 {
        (0..self.broker.logs.topics().len()).map(|topic| self.not_sent_back(TopicIndex(topic))).sum()
    }
}
