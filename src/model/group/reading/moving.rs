//! A group that is sent back, or on, in its topic; and a topic that gets more partitions.

use super::super::super::partitioned_log::PartitionedLog;
use super::super::super::time::Instant;
use super::super::reset::{PlannedOffset, ResetRefused, ResetScope, ResetTo};
use super::lanes::Lane;
use super::passed::{Outcome, Passed};
use super::{DeliveryTag, Reading, Spread};

impl Reading {
    /// Where its committed offsets would be moved: a dry run.
    ///
    /// # Errors
    /// As [`super::super::offsets::GroupOffsets::plan_reset`].
    pub fn plan_reset(
        &self,
        log: &PartitionedLog,
        scope: &ResetScope,
        to: ResetTo,
    ) -> Result<Vec<PlannedOffset>, ResetRefused> {
        self.offsets.plan_reset(log, self.group.members().len(), scope, to)
    }

    /// Moves committed offsets as planned. What the group is sent back over is read again; what it is
    /// sent on over is passed.
    pub fn execute_reset(&mut self, log: &PartitionedLog, plan: &[PlannedOffset]) {
        for planned in plan {
            let (partition, to) = (planned.partition, planned.to);
            let log_start = log.partition(partition).map_or(0, |stored| stored.log_start_offset());
            let Some(lane) = self.lanes.get_mut(partition as usize) else { continue };
            lane.stopped = None;
            lane.recalled_to = lane.recalled_to.min(to);
            self.ready.pause(partition, lane, None);
            match planned.from {
                None => lane.began = to,
                Some(from) if to < from => {
                    // What lies before its beginning it has never passed.
                    self.counts.sent_back += from - to.max(lane.began);
                    lane.began = lane.began.min(to);
                }
                Some(from) => self.pass_over(partition, from, to, log_start),
            }
        }
        self.offsets.execute_reset(plan);
    }

    /// The topic has more partitions: a group that has begun begins there at the start, and gives all of
    /// them out anew.
    pub fn take_in_partitions(&mut self, now: Instant, log: &PartitionedLog, has_begun: bool) {
        for partition in (0..log.partition_count()).skip(self.lanes.len()) {
            self.lanes.push(Lane::default());
            self.passed.push(Passed::default());
            if self.is_spread() {
                self.spreads.push(Spread::default());
            }
            if has_begun {
                self.offsets.commit(partition, 0);
            }
        }
        self.group.topics_changed();
        self.call_round(now);
    }

    /// What became of the record that was handed over by that tag when the group passed it before;
    /// `None` where it never did, or where this was asked since the group went back over it.
    pub fn recall(&mut self, tag: DeliveryTag) -> Option<Outcome> {
        let (partition, offset) = self.delivered(tag)?;
        let outcome = self.outcome_of(partition, offset)?;
        if self.is_spread() {
            self.passed.get_mut(partition as usize)?.reopen(offset);
            return Some(outcome);
        }
        let lane = self.lanes.get_mut(partition as usize).filter(|lane| offset >= lane.recalled_to)?;
        lane.recalled_to = offset + 1;
        Some(outcome)
    }

    /// What became of a record that the group has passed, and that was done elsewhere.
    pub fn amend(&mut self, partition: u32, offset: u64, outcome: Outcome) {
        if self.outcome_of(partition, offset).is_some() {
            self.note_passed(partition, offset, offset + 1, outcome);
        }
    }

    /// Whether the group has passed the record at `offset`, and what became of it.
    #[must_use]
    pub fn outcome_of(&self, partition: u32, offset: u64) -> Option<Outcome> {
        self.passed.get(partition as usize)?.outcome(offset)
    }

    /// What the log has deleted cannot be read again.
    pub fn forget_deleted(&mut self, log: &PartitionedLog) {
        for (place, (passed, stored)) in self.passed.iter_mut().zip(log.partitions()).enumerate() {
            let held = self.spreads.get(place).map_or(u64::MAX, Spread::lowest_held);
            passed.forget_before(stored.log_start_offset().min(held));
        }
        for (spread, stored) in self.spreads.iter_mut().zip(log.partitions()) {
            let held = spread.lowest_held();
            spread.forget_before(stored.log_start_offset().min(held));
        }
    }

    /// A record that was handed over is not due before `until`: its partition waits, as if it had not
    /// been. One that was `redelivered` was handed over before all the same.
    pub fn put_off(&mut self, tag: DeliveryTag, until: Instant, redelivered: bool) {
        let Some((partition, offset)) = self.delivered(tag) else { return };
        if !self.step_back(tag, until) || redelivered {
            return;
        }
        self.untouch(partition, offset);
        if let Some(lane) = self.lanes.get_mut(partition as usize).filter(|_| self.spreads.is_empty()) {
            lane.handed_to = lane.handed_to.min(offset);
        }
    }

    pub(super) fn note_passed(&mut self, partition: u32, from: u64, to: u64, outcome: Outcome) {
        if let Some(passed) = self.passed.get_mut(partition as usize) {
            passed.note(from, to, outcome);
        }
    }
}
