//! What consumers answer to what they were given: that it is done, or that it is not.

use super::Simulation;
use super::following::Note;
use crate::model::consumer::Job;
use crate::model::event::EventKind;
use crate::model::group::reading::Outcome;
use crate::model::message::RecordPlace;
use crate::model::retry::{FailureKind, Verdict};
use crate::model::routes::{GroupIndex, Supply};
use crate::model::work_queue::{ConsumerIndex, DeliveryTag, GivenBack};

impl Simulation {
    /// A delivery to a pool is done. `false` where it was answered before, or was taken from its
    /// consumer.
    pub(super) fn answer_done(&mut self, pool: usize, job: &Job) -> bool {
        match self.staffs[pool].from {
            Supply::Queue(queue) => self.broker.acknowledge(queue, job.tag),
            Supply::Group(group) => {
                let outcome = self.outcome(pool, job, !job.is_skipped);
                let place = self.first_place(pool, group, job.tag);
                let is_done = self.broker.logs.group_mut(group).commit(self.now, job.tag, outcome);
                if let Some(place) = place.filter(|_| is_done) {
                    self.broker.logs.group_mut(place.group).amend(place.partition, place.offset, outcome);
                }
                is_done
            }
        }
    }

    /// Where those of the same role read a record first that was sent on to where it is now.
    pub(super) fn first_place(
        &self,
        pool: usize,
        group: GroupIndex,
        tag: DeliveryTag,
    ) -> Option<RecordPlace> {
        let place = self.broker.logs.message(group, tag)?.past()?.place?;
        let role = self.staffs[self.pool_of_group(place.group)].pool.role();
        (role == self.staffs[pool].pool.role()).then_some(place)
    }

    /// The same before the work.
    pub(super) fn answer_early(&mut self, pool: usize, tag: DeliveryTag) -> bool {
        match self.staffs[pool].from {
            Supply::Queue(queue) => self.broker.acknowledge(queue, tag),
            Supply::Group(group) => self.broker.logs.group_mut(group).commit_early(tag),
        }
    }

    /// What became of the record that a member worked on; `had_effect` where nothing is remembered.
    pub(super) fn outcome(&self, pool: usize, job: &Job, had_effect: bool) -> Outcome {
        let record = self.records.get(job.id, self.staffs[pool].pool.role());
        Outcome {
            had_effect: record.map_or(had_effect, |record| record.effects > 0),
            is_marked: record.is_some_and(|record| record.is_marked),
        }
    }

    /// Whether a delivery to a pool is still its consumer's own to answer.
    pub(super) fn is_still_out(&self, pool: usize, tag: DeliveryTag) -> bool {
        match self.staffs[pool].from {
            Supply::Queue(queue) => self.broker.queue(queue).delivered(tag).is_some(),
            Supply::Group(group) => self.broker.logs.group(group).delivered(tag).is_some(),
        }
    }

    /// What the consumers of a pool acknowledged early and have in hand; the group has a count of its
    /// own.
    pub(super) fn in_hand_mut(&mut self, pool: usize) -> &mut u64 {
        match self.staffs[pool].from {
            Supply::Queue(_) => &mut self.totals.in_hand,
            Supply::Group(group) => &mut self.broker.logs.group_mut(group).counts_mut().in_hand,
        }
    }

    /// What became of a record that was committed before the work is known.
    pub(super) fn end_early(&mut self, pool: usize, job: &Job, had_effect: bool) {
        if let Supply::Group(group) = self.staffs[pool].from {
            let outcome = self.outcome(pool, job, had_effect);
            self.broker.logs.group_mut(group).end_early(job.tag, outcome);
        }
    }

    pub(super) fn give_back(&mut self, pool: usize, consumer: ConsumerIndex, how: GivenBack) {
        let Supply::Queue(queue) = self.staffs[pool].from else { return };
        let Some((job, excess)) = self.staffs[pool].pool.finish(self.now, consumer) else { return };
        self.withdraw(pool, consumer);
        if self.broker.give_back(self.now, queue, job.tag, how).is_some() {
            let kind = if how == GivenBack::Rejected { EventKind::GivenUp } else { EventKind::Returned };
            self.record_of_job(kind, consumer, job.id);
        }
        self.let_record_go(job.id, self.staffs[pool].pool.role());
        self.follow_effects();
        // The dead letter may have come round to the same consumer, which has begun on it then.
        if self.staffs[pool].pool.is_busy(consumer) {
            self.dispatch_queue(queue, None);
            return self.release_producers();
        }
        self.go_on(pool, consumer, excess);
    }

    /// A member's attempt at a record that it has not committed failed. What follows holds up its
    /// partition, the whole member, or nothing but the record.
    pub(super) fn record_failed(
        &mut self,
        group: GroupIndex,
        pool: usize,
        consumer: ConsumerIndex,
        (verdict, kind): (Verdict, FailureKind),
    ) {
        let handling = &self.staffs[pool].handling;
        let (requeues_at_once, blocks_consumer) = (handling.requeues_at_once, handling.blocks_consumer);
        match verdict {
            Verdict::DeadLetter(_) | Verdict::GiveUp(_) => self.give_up(group, pool, consumer),
            Verdict::RetryQueue { .. } if self.has_retry_topic(group) => {
                self.send_to_retry(group, pool, consumer);
            }
            // Where it is tried again at once, the partition waits no time.
            Verdict::RetryQueue { .. } if requeues_at_once => {
                self.step_back(group, pool, consumer, self.now);
            }
            Verdict::RetryInPlace { after } | Verdict::RetryQueue { after } if blocks_consumer => {
                self.wait_in_place(pool, consumer, after, kind);
            }
            Verdict::RetryInPlace { after } | Verdict::RetryQueue { after } => {
                self.step_back(group, pool, consumer, self.now + after);
            }
        }
    }

    /// A message that was acknowledged before the work is gone with its failed attempt.
    pub(super) fn lose_in_hand(&mut self, pool: usize, consumer: ConsumerIndex) {
        let Some((job, excess)) = self.staffs[pool].pool.finish(self.now, consumer) else { return };
        self.forget_in_hand(pool, consumer, &job);
        if let Supply::Group(_) = self.staffs[pool].from {
            self.withdraw(pool, consumer);
        }
        self.go_on(pool, consumer, excess);
    }

    pub(super) fn forget_in_hand(&mut self, pool: usize, consumer: ConsumerIndex, job: &Job) {
        if job.is_acknowledged {
            *self.in_hand_mut(pool) -= 1;
            self.end_early(pool, job, false);
            self.end_record(job.id, self.staffs[pool].pool.role());
            if !self.fail_call(job.id) {
                match self.staffs[pool].from {
                    Supply::Queue(_) => self.totals.lost += 1,
                    Supply::Group(group) => self.broker.logs.group_mut(group).counts_mut().lost += 1,
                }
                self.tell_of(consumer, job.id, Note::LostInHand);
                self.journal.record(self.now, EventKind::Discarded, job.id);
            }
        }
    }
}
