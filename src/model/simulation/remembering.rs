//! What is remembered of messages that may come again, and for how long.

use super::{Simulation, Staff};
use crate::model::consumer::Job;
use crate::model::group::offsets::OffsetPolicy;
use crate::model::message::MessageId;
use crate::model::routes::{Role, Target};

impl Simulation {
    /// Messages of which more is remembered than where they are: those that may come again, and
    /// those on which somebody still works.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.records.len()
    }

    /// The message may be handled again: this start counts then. One that is no longer its
    /// consumer's own has been written down before, or is gone.
    pub(super) fn remember_start(&mut self, pool: usize, job: &Job) {
        if job.is_acknowledged || !self.is_still_out(pool, job.tag) {
            return;
        }
        let record = self.records.of(job.id, self.staffs[pool].pool.role());
        record.starts = record.starts.max(job.start);
        record.attempts = record.attempts.max(1);
    }

    /// The same for all that is being worked on.
    pub(super) fn remember_starts(&mut self) {
        for pool in 0..self.staffs.len() {
            for consumer in self.staffs[pool].pool.slots() {
                if let Some(job) = self.staffs[pool].pool.job(consumer).cloned() {
                    self.remember_start(pool, &job);
                }
            }
        }
    }

    /// The message cannot come again: it is forgotten, unless somebody who lost it still works on
    /// it, whose side effects are counted too.
    pub(super) fn end_record(&mut self, id: MessageId, role: Role) {
        if self.records.get(id, role).is_none() {
            return;
        }
        let record = self.records.of(id, role);
        if record.expected > 0 {
            record.expected -= 1;
            return;
        }
        if self.is_worked_on(id, role) {
            self.records.of(id, role).is_over = true
        } else {
            self.records.forget(id, role)
        }
    }

    /// A copy of the message may come to everybody who handles what goes there.
    pub(super) fn expect_copy(&mut self, to: Target, id: MessageId) {
        let topic = match to {
            Target::Queue(_) => return self.records.of(id, Role::FIRST).expected += 1,
            Target::Topic(topic) => topic,
        };
        for group in self.broker.logs.readers_of(topic) {
            let pool = self.pool_of_group(group);
            // Who joins later and begins at the log end has not had the message before the copy.
            let begins_at_end = self.broker.logs.group(group).offsets().policy() == OffsetPolicy::Latest;
            if !(self.staffs[pool].is_awaited && begins_at_end) {
                self.records.of(id, self.staffs[pool].pool.role()).expected += 1;
            }
        }
    }

    /// A copy of the message that was expected does not come to anybody.
    pub(super) fn end_expectation(&mut self, id: MessageId) {
        self.end_record(id, Role::FIRST);
        for pool in 0..self.staffs.len() {
            let role = self.staffs[pool].pool.role();
            let is_first = self.staffs.iter().position(|staff| staff.pool.role() == role) == Some(pool);
            let is_known = self.records.get(id, role).is_some();
            if role != Role::FIRST && is_first && is_known {
                self.end_record(id, role);
            }
        }
    }

    /// Somebody works on the message no longer: if it is over, and nobody else does, it is
    /// forgotten.
    pub(super) fn let_record_go(&mut self, id: MessageId, role: Role) {
        if self.records.get(id, role).is_some_and(|record| record.is_over) && !self.is_worked_on(id, role) {
            self.records.forget(id, role);
        }
    }

    fn is_worked_on(&self, id: MessageId, role: Role) -> bool {
        let works_on_it = |staff: &Staff| staff.pool.busy() > 0 && staff.pool.jobs().any(|job| job.id == id);
        self.staffs.iter().any(|staff| staff.pool.role() == role && works_on_it(staff))
    }
}
