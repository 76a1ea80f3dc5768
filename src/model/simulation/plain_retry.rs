//! The common case of a failure without questions: the message waits apart and comes back to its
//! queue, under settings that ask for nothing more. As in `plain`, anything else goes the long way.

use super::Simulation;
use super::slots::pool_of;
use crate::model::broker::QueueIndex;
use crate::model::event::EventKind;
use crate::model::message::MessageId;
use crate::model::retry::{Failure, FailureKind, Verdict};
use crate::model::rng::DrawKey;
use crate::model::routes::{Role, Supply};
use crate::model::time::{Instant, Span};
use crate::model::work_queue::{ConsumerIndex, GivenBack};

impl Simulation {
    /// What the consumer has plainly done has failed: it waits apart, and the consumer takes the
    /// next message. `false`: nothing was done, go the long way.
    #[inline(never)]
    pub(super) fn fails_plainly(&mut self, consumer: ConsumerIndex, kind: FailureKind) -> bool {
        let pool = pool_of(consumer);
        let staff = &self.staffs[pool];
        let Supply::Queue(queue) = staff.from else { return false };
        let requeues_at_once = staff.handling.requeues_at_once;
        let Some(job) = staff.pool.job(consumer) else { return false };
        let (id, tag, start, began) = (job.id, job.tag, job.start, job.began);
        if requeues_at_once || !self.hands_out_plainly(queue) || !self.broker.queue(queue).delays_plainly() {
            return false;
        }
        let Some(until) = self.note_plain_failure(pool, id, start, kind) else { return false };
        self.stats.record_handled(self.now, began);
        let excess = self.staffs[pool].pool.finish_plain(self.now, consumer);
        self.broker.queue_mut(queue).give_back(self.now, tag, GivenBack::RequeuedUntil(until));
        self.journal.record(self.now, EventKind::Returned, id);
        let levels = self.stats.levels_mut();
        levels.busy -= 1;
        levels.in_flight -= 1;
        self.hand_out_plainly(queue, Some((consumer, excess)));
        self.queue_changed(queue);
        if !self.staffs[pool].pool.is_busy(consumer) {
            self.schedule_consumer(pool, consumer);
        }
        true
    }

    /// Writes down that the attempt failed. Returns until when the message waits; `None`, and
    /// nothing is written, where it does not.
    fn note_plain_failure(
        &mut self,
        pool: usize,
        id: MessageId,
        start: u32,
        kind: FailureKind,
    ) -> Option<Instant> {
        let record = self.records.get(id, Role::FIRST).copied().unwrap_or_default();
        let attempts = record.attempts.max(1);
        let failure = Failure { attempt: attempts.into(), kind, previous_delay: record.previous_delay };
        let key = DrawKey::of_start(id, Role::FIRST, start);
        let verdict = self.staffs[pool].handling.retry.after_failure(&failure, self.jitter, key);
        let Verdict::RetryQueue { after } = verdict else { return None };
        if after == Span::ZERO {
            return None;
        }
        self.totals.failed_attempts += 1;
        self.journal.record(self.now, EventKind::Failed, id);
        let record = self.records.of(id, Role::FIRST);
        record.starts = record.starts.max(start);
        (record.attempts, record.previous_delay) = (attempts, Some(after));
        Some(self.now + after)
    }

    /// The time of the first message that waits apart may be over: it stands in line again.
    /// `false`: nothing was done, go the long way.
    #[inline(never)]
    pub(super) fn comes_back_plainly(&mut self, queue: QueueIndex) -> bool {
        if !self.hands_out_plainly(queue) || !self.broker.queue(queue).delays_plainly() {
            return false;
        }
        self.deliveries_may_be_lost = true;
        self.broker.queue_mut(queue).expire(self.now);
        self.hand_out_plainly(queue, None);
        self.queue_changed(queue);
        true
    }
}
