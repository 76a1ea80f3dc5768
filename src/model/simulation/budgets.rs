//! Retry budgets: what pays for a pool's retries, and what is refused.
//!
//! One budget for each pool, over all its retries: of messages, wherever they are tried again, and
//! of calls within the layers.

use super::Simulation;
use crate::model::consumer::Job;
use crate::model::event::EventKind;
use crate::model::message::MessageId;
use crate::model::retry::budget::Payment;
use crate::model::retry::{Failure, FailureKind, NoRetry, Verdict};
use crate::model::rng::DrawKey;

impl Simulation {
    /// What follows from a failed attempt at a message.
    pub(super) fn judge(&mut self, pool: usize, id: MessageId, start: u32, failure: &Failure) -> Verdict {
        let key = DrawKey::of_start(id, self.staffs[pool].pool.role(), start);
        let staff = &mut self.staffs[pool];
        let (verdict, payment) =
            staff.handling.retry.after_failure_within(&mut staff.budget, self.now, failure, self.jitter, key);
        self.note_payment(pool, id, payment);
        if matches!(verdict, Verdict::DeadLetter(NoRetry::BudgetSpent)) {
            self.refuse_retry(id);
        }
        verdict
    }

    /// A call within the layers failed, and there is an attempt left. Returns whether the budget
    /// pays for it.
    pub(super) fn pays_for_call(&mut self, pool: usize, id: MessageId, kind: FailureKind) -> bool {
        let budget = &mut self.staffs[pool].budget;
        budget.record_failure();
        let payment = budget.take(self.now, kind);
        self.note_payment(pool, id, payment);
        if payment.is_none() {
            self.refuse_retry(id);
        }
        payment.is_some()
    }

    /// An attempt succeeded.
    pub(super) fn budget_hears_success(&mut self, pool: usize, job: &Job) {
        if self.staffs[pool].budget.is_unlimited() || job.is_skipped {
            return;
        }
        let role = self.staffs[pool].pool.role();
        let has_paid = self.records.get(job.id, role).is_some_and(|record| record.payment.is_some());
        let payment = if has_paid { self.records.of(job.id, role).payment.take() } else { None };
        self.staffs[pool].budget.record_success(payment);
    }

    /// What a quota gives back if the retry succeeds.
    fn note_payment(&mut self, pool: usize, id: MessageId, payment: Option<Payment>) {
        if payment.is_some_and(|payment| payment != Payment::default()) {
            self.records.of(id, self.staffs[pool].pool.role()).payment = payment;
        }
    }

    fn refuse_retry(&mut self, id: MessageId) {
        self.totals.retries_refused += 1;
        self.journal.record(self.now, EventKind::RetryRefused, id);
    }
}
