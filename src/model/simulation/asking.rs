//! Consumers ask what they all share, and hear its answers.

use super::Simulation;
use super::slots::{Source, pool_of};
use crate::model::consumer::{Health, Stage};
use crate::model::downstream::{Call, Downstream};
use crate::model::retry::FailureKind;
use crate::model::retry::layers::LayeredAttempts;
use crate::model::work_queue::ConsumerIndex;

impl Simulation {
    /// The attempt asks what the consumers share, within its layers.
    pub(super) fn ask_downstream(&mut self, pool: usize, consumer: ConsumerIndex, layers: LayeredAttempts) {
        let staff = &mut self.staffs[pool];
        let Some((id, start)) = staff.pool.job(consumer).map(|job| (job.id, job.start)) else { return };
        let number = staff.pool.next_call(consumer);
        let share = staff.handling.call_failure_share;
        let fails = self.fates.call_fails(id, staff.pool.role(), start, layers.calls(), share);
        let cut_off = staff.handling.attempt_timeout().map(|timeout| self.now + timeout);
        if let Some(downstream) = self.downstream.as_mut() {
            downstream.ask(self.now, Call { consumer, number, fails, more: 0 });
        }
        self.schedule_downstream();
        self.set_stage(pool, consumer, Stage::Calling { number, layers, cut_off });
    }

    pub(super) fn schedule_downstream(&mut self) {
        let next = self.downstream.as_ref().and_then(Downstream::next_answer);
        self.schedule(Source::Downstream, next);
    }

    /// What the consumers share answers one call. Whoever has given it up does not hear it.
    pub(super) fn hear_downstream(&mut self) {
        let answered = self.downstream.as_mut().and_then(|downstream| downstream.answer(self.now));
        self.schedule_downstream();
        let Some(call) = answered else { return };
        let pool = pool_of(call.consumer);
        if call.more > 0 {
            return;
        }
        if self.staffs[pool].pool.start_was_answered(call.consumer, call.number) {
            return self.start_is_through(pool, call.consumer);
        }
        let waits_for = match self.staffs[pool].pool.job(call.consumer).map(|job| &job.stage) {
            Some(Stage::Calling { number, .. }) => Some(*number),
            _ => None,
        };
        // One that hangs hears nothing either.
        if waits_for != Some(call.number) || self.staffs[pool].pool.health(call.consumer) == Health::Hung {
            return;
        }
        // It has its answer: there is nothing left to give up.
        self.agenda.set(call.consumer.0, None);
        if call.fails {
            self.answer_failed(pool, call.consumer, FailureKind::Transient);
        } else {
            self.decide(pool, call.consumer);
        }
    }

    /// The innermost layer tries again as long as any layer has an attempt left.
    pub(super) fn answer_failed(&mut self, pool: usize, consumer: ConsumerIndex, kind: FailureKind) {
        let Some(job) = self.staffs[pool].pool.job_mut(consumer) else { return };
        let Stage::Calling { layers, .. } = &mut job.stage else { return };
        let (id, mut layers) = (job.id, layers.clone());
        if layers.next_after_failure().is_none() {
            self.fail(pool, consumer, kind);
        } else if self.pays_for_call(pool, id, kind) {
            self.ask_downstream(pool, consumer, layers);
        } else {
            self.attempt_failed(pool, consumer, kind, true);
        }
    }
}
