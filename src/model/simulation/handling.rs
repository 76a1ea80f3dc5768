//! Consumers: a message is received, worked on, and finished, or its attempt fails.

use super::following::Note;
use super::slots::pool_of;
use super::{Simulation, Staff};
use crate::model::broker::QueueIndex;
use crate::model::calls::Call;
use crate::model::consumer::{Begun, Job, Stage};
use crate::model::event::EventKind;
use crate::model::handling::Handling;
use crate::model::message::MessageId;
use crate::model::rate::Work;
use crate::model::retry::layers::LayeredAttempts;
use crate::model::retry::{Failure, FailureKind, NoRetry, Verdict};
use crate::model::routes::Supply;
use crate::model::settings::{Acknowledge, Dedupe};
use crate::model::time::{Instant, Span};
use crate::model::work_queue::{ConsumerIndex, Delivery, GivenBack};

impl Simulation {
    /// Hands what waits to consumers with room. The one that has just finished goes on within the same
    /// microsecond: its excess is carried into what it starts.
    pub(super) fn dispatch(&mut self, from: Supply, finished: Option<(ConsumerIndex, Work)>) {
        match from {
            Supply::Queue(queue) => self.dispatch_queue(queue, finished),
            Supply::Group(group) => {
                self.hand_out_records(group, finished, None);
                self.group_changed(group);
            }
        }
    }

    /// The same for a queue.
    pub(super) fn dispatch_queue(&mut self, queue: QueueIndex, finished: Option<(ConsumerIndex, Work)>) {
        self.hand_out(queue, finished);
        self.follow_effects();
        self.queue_changed(queue);
    }

    /// The same, but what follows from it is left to the caller.
    pub(super) fn hand_out(&mut self, queue: QueueIndex, finished: Option<(ConsumerIndex, Work)>) {
        while let Some(delivery) = self.broker.dispatch(self.now, queue) {
            let excess = finished.filter(|(consumer, _)| *consumer == delivery.consumer);
            self.receive(&delivery, excess.map_or(Work::NONE, |(_, excess)| excess));
        }
    }

    /// A consumer was given a message: it starts on it, or keeps it for later.
    pub(super) fn receive(&mut self, delivery: &Delivery, excess: Work) {
        let pool = pool_of(delivery.consumer);
        // One that has just finished and has others in hand takes those first.
        if self.staffs[pool].pool.has_work(delivery.consumer) {
            self.staffs[pool].pool.keep(*delivery);
        } else {
            self.begin(pool, delivery, excess, true);
        }
        self.close_gate(pool);
    }

    /// A consumer that has just begun on the first message of a batch takes the others. What it was
    /// given before it asked for batches counts towards the first.
    /// Members of a group take records one by one.
    fn take_batch(&mut self, pool: usize, consumer: ConsumerIndex, batch: u32) {
        let Supply::Queue(queue) = self.staffs[pool].from else { return };
        let held = self.broker.queue(queue).unacknowledged(consumer);
        let more = batch.saturating_sub(held.max(1));
        let batch = self.broker.receive(self.now, queue, consumer, more, None);
        self.staffs[pool].pool.keep_batch(consumer, batch);
    }

    /// A consumer starts on a message. The first of a batch costs what the batch costs.
    fn begin(&mut self, pool: usize, delivery: &Delivery, excess: Work, is_first: bool) {
        // A queue that has its acknowledgement does not know the message any more.
        let deadline = if self.has_deadlines { self.deadline(pool, delivery) } else { None };
        let is_early = self.staffs[pool].handling.acknowledge == Acknowledge::BeforeWork;
        let is_acknowledged = is_early && self.acknowledge_early(pool, delivery);
        self.work_on(pool, delivery, is_first, Begun { excess, is_acknowledged, deadline, ..Begun::FIRST });
        let Staff { handling, is_stopped, pool: members, .. } = &self.staffs[pool];
        // One that stops or leaves finishes what it has, and takes no more with it.
        let (batch, takes_more) = (handling.batch, !is_stopped && members.is_wanted(delivery.consumer));
        if is_first && batch > 1 && takes_more {
            self.take_batch(pool, delivery.consumer, batch);
        }
    }

    /// A consumer starts on a call, of which no queue knows.
    pub(super) fn begin_call(&mut self, call: &Call, consumer: ConsumerIndex, excess: Work) {
        let (pool, delivery) = (pool_of(consumer), Delivery::of_call(call.id, call.since, consumer));
        let begun = Begun { excess, is_acknowledged: true, deadline: call.deadline, ..Begun::FIRST };
        self.work_on(pool, &delivery, true, begun);
        self.close_gate(pool);
    }

    fn work_on(&mut self, pool: usize, delivery: &Delivery, is_first: bool, begun: Begun) {
        self.record_of_job(EventKind::Started, delivery.consumer, delivery.id);
        if !delivery.redelivered {
            self.stats.record_wait(self.now.since(delivery.accepted_at));
        }
        let Handling { dedupe, skips_late, batch_cost, .. } = &self.staffs[pool].handling;
        let (dedupe, batch_cost) = (*dedupe, *batch_cost);
        let is_stale = *skips_late && begun.deadline.is_some_and(|deadline| deadline < self.now);
        let start = self.count_start(pool, delivery);
        let waited = (!delivery.redelivered).then(|| self.now.since(delivery.accepted_at));
        self.tell_of(delivery.consumer, delivery.id, Note::Began { start, waited });
        let is_skipped = is_stale || self.look_up(pool, delivery.id, dedupe);
        let works_from = if is_first { self.now + batch_cost } else { self.now };
        let cut_off = self.cut_off(pool, works_from);
        if !delivery.redelivered && !is_skipped {
            self.staffs[pool].budget.request(self.now);
        }
        let begun = Begun { start, is_skipped, is_stale, cut_off, ..begun };
        self.staffs[pool].pool.start(works_from, delivery, begun);
        self.schedule_consumer(pool, delivery.consumer);
    }

    fn deadline(&self, pool: usize, delivery: &Delivery) -> Option<Instant> {
        match self.staffs[pool].from {
            Supply::Queue(queue) => self.broker.queue(queue).delivered(delivery.tag)?.deadline(),
            Supply::Group(group) => self.broker.logs.message(group, delivery.tag)?.deadline(),
        }
    }

    /// When an attempt that starts then is given up by itself. Calls have their own time.
    fn cut_off(&self, pool: usize, from: Instant) -> Option<Instant> {
        let timeout = self.staffs[pool].handling.attempt_timeout().filter(|_| self.downstream.is_none());
        timeout.map(|timeout| from + timeout)
    }

    /// Which start of handling the message this is. Only what may come again is written down.
    pub(super) fn count_start(&mut self, pool: usize, delivery: &Delivery) -> u32 {
        let staff = &self.staffs[pool];
        let may_come_again = staff.handling.dedupe != Dedupe::Off
            || staff.from.queue().is_some_and(|queue| self.has_leases(queue));
        if !delivery.redelivered
            && !may_come_again
            && self.records.get(delivery.id, staff.pool.role()).is_none()
        {
            return 1;
        }
        let record = self.records.of(delivery.id, staff.pool.role());
        record.starts += 1;
        record.attempts += 1;
        record.starts
    }

    fn has_leases(&self, queue: QueueIndex) -> bool {
        self.broker.queue(queue).rules().visibility_timeout.is_some()
    }

    /// Whether a record says that the message was done. Where the record is written before the
    /// side effect, looking it up writes it.
    fn look_up(&mut self, pool: usize, id: MessageId, dedupe: Dedupe) -> bool {
        if dedupe == Dedupe::Off {
            return false;
        }
        let record = self.records.of(id, self.staffs[pool].pool.role());
        let was_marked = record.is_marked;
        record.is_marked |= dedupe == Dedupe::Before;
        was_marked
    }

    fn acknowledge_early(&mut self, pool: usize, delivery: &Delivery) -> bool {
        let is_first = self.answer_early(pool, delivery.tag);
        *self.in_hand_mut(pool) += u64::from(is_first);
        is_first
    }

    pub(super) fn schedule_consumer(&mut self, pool: usize, consumer: ConsumerIndex) {
        let next = self.staffs[pool].pool.next_at(consumer);
        self.agenda.set(consumer.0, next);
    }

    /// Something happens to what the consumer works on.
    pub(super) fn consumer_acts(&mut self, consumer: ConsumerIndex) {
        let pool = pool_of(consumer);
        let staff = &self.staffs[pool];
        match staff.pool.job(consumer).map(|job| (&job.stage, job)) {
            Some((Stage::Working { .. }, job)) if job.is_done(self.now, staff.pool.rate()) => {
                self.work_is_done(pool, consumer);
            }
            Some((Stage::Working { .. }, _)) => self.fail(pool, consumer, FailureKind::TimedOut),
            Some((Stage::Calling { .. }, _)) => self.answer_failed(pool, consumer, FailureKind::TimedOut),
            Some((Stage::Waiting { .. }, _)) => self.try_again(pool, consumer),
            None => return self.consumer_wakes(pool, consumer),
        }
        // Whatever it starts has its own entry; without work it has none, unless it crashed.
        if !self.staffs[pool].pool.is_busy(consumer) {
            self.schedule_consumer(pool, consumer);
        }
    }

    fn work_is_done(&mut self, pool: usize, consumer: ConsumerIndex) {
        let staff = &self.staffs[pool];
        let Some(job) = staff.pool.job(consumer) else { return };
        if self.cannot_read(job) {
            return self.fail_to_read(pool, consumer);
        }
        if self.downstream.is_some() && !job.is_skipped {
            let layers = LayeredAttempts::new(&staff.handling.layers());
            return self.ask_downstream(pool, consumer, layers);
        }
        self.decide(pool, consumer);
    }

    /// The attempt is over: whether it succeeded is the message's fate.
    pub(super) fn decide(&mut self, pool: usize, consumer: ConsumerIndex) {
        let staff = &self.staffs[pool];
        let Some(job) = staff.pool.job(consumer) else { return };
        let failure = self
            .fates
            .failure(job.id, staff.pool.role(), job.start, staff.handling.failures)
            .filter(|_| !job.is_skipped);
        match failure {
            Some(kind) => self.fail(pool, consumer, kind),
            None => self.succeed(pool, consumer),
        }
    }

    fn succeed(&mut self, pool: usize, consumer: ConsumerIndex) {
        let Some((job, excess)) = self.staffs[pool].pool.finish(self.now, consumer) else { return };
        let dedupe = self.staffs[pool].handling.dedupe;
        let dies = self.staffs[pool].pool.dies_finishing(consumer);
        self.budget_hears_success(pool, &job);
        // In the middle of finishing: the record is written and the side effect has not happened,
        // or the other way round.
        let has_none = job.is_stale || (dies && dedupe == Dedupe::Before);
        let is_wrong = !has_none && self.have_side_effect(pool, consumer, &job, dies);
        if dies {
            self.staffs[pool].pool.arm_crash(consumer, false);
            self.forget_in_hand(pool, consumer, &job);
            return self.crash(pool, consumer);
        }
        self.stats.record_handled(self.now, job.began);
        if dedupe == Dedupe::After && !job.is_skipped {
            self.records.of(job.id, self.staffs[pool].pool.role()).is_marked = true;
        }
        self.acknowledge(pool, consumer, &job, is_wrong);
        self.go_on(pool, consumer, excess);
    }

    /// The attempt's side effect happens, unless a record forbids it. Returns whether the result
    /// that stands is wrong.
    fn have_side_effect(&mut self, pool: usize, consumer: ConsumerIndex, job: &Job, dies: bool) -> bool {
        let Staff { handling, pool: members, .. } = &self.staffs[pool];
        let (dedupe, wrong_share, role) = (handling.dedupe, handling.wrong_share, members.role());
        // Together with its record it happens only if there is none: the database refuses.
        let is_refused = dedupe == Dedupe::Together
            && self.records.get(job.id, role).is_some_and(|record| record.is_marked);
        if job.is_skipped || is_refused {
            let record = self.records.get(job.id, role);
            self.totals.skipped += 1;
            self.totals.skipped_without_effect += u64::from(record.is_none_or(|record| record.effects == 0));
            let is_wrong = record.is_some_and(|record| record.is_wrong);
            self.tell_of(consumer, job.id, Note::KnownAsDone);
            return is_wrong;
        }
        let is_wrong = self.fates.is_wrong(job.id, wrong_share);
        self.totals.side_effects += 1;
        let mut is_repeat = false;
        let is_no_longer_its_own =
            self.deliveries_may_be_lost && !job.is_acknowledged && !self.is_still_out(pool, job.tag);
        if job.start > 1 || dies || is_no_longer_its_own || self.records.get(job.id, role).is_some() {
            let record = self.records.of(job.id, role);
            record.effects += 1;
            record.is_marked |= dedupe == Dedupe::Together;
            record.is_wrong = is_wrong;
            is_repeat = record.effects > 1;
            self.totals.duplicate_side_effects += u64::from(is_repeat);
        }
        self.tell_of(consumer, job.id, Note::Effect { is_repeat });
        is_wrong
    }

    fn acknowledge(&mut self, pool: usize, consumer: ConsumerIndex, job: &Job, is_wrong: bool) {
        if let Supply::Queue(_) = self.staffs[pool].from {
            self.withdraw(pool, consumer);
        }
        let is_done = job.is_acknowledged || self.answer_done(pool, job);
        if job.is_acknowledged {
            *self.in_hand_mut(pool) -= 1;
            self.end_early(pool, job, !job.is_skipped);
            self.end_call(job.id);
        }
        if is_done {
            self.count_done(pool, consumer, job, is_wrong);
            self.end_record(job.id, self.staffs[pool].pool.role());
        } else {
            self.record_of_job(EventKind::AnsweredTooLate, consumer, job.id);
            self.let_record_go(job.id, self.staffs[pool].pool.role());
        }
        if let Supply::Group(_) = self.staffs[pool].from {
            self.withdraw(pool, consumer);
        }
    }

    /// Whether the first pool takes from a queue: then it is that queue's finishes that are remembered,
    /// also where a log is read beside it.
    #[inline]
    pub(super) fn begins_with_a_queue(&self) -> bool {
        self.staffs[0].from.queue().is_some()
    }

    /// The message is done, one way or the other: the run counts those of queues, a group its own.
    fn count_done(&mut self, pool: usize, consumer: ConsumerIndex, job: &Job, is_wrong: bool) {
        let is_late = job.deadline.is_some_and(|deadline| deadline < self.now);
        let kind = match (job.is_stale, is_wrong, is_late) {
            (true, ..) => EventKind::SkippedLate,
            (_, true, _) => EventKind::FinishedWrong,
            (_, _, true) => EventKind::FinishedLate,
            _ => EventKind::Finished,
        };
        match self.staffs[pool].from {
            Supply::Queue(_) => {
                self.totals.count_done(kind);
                self.staffs[pool].finished += 1;
            }
            Supply::Group(group) => self.broker.logs.group_mut(group).counts_mut().count_done(kind),
        }
        self.record_of_job(kind, consumer, job.id);
        if !job.is_stale && (self.staffs[pool].from.queue().is_some() || !self.begins_with_a_queue()) {
            self.stats.record_finish(self.now, job.id);
        }
    }

    /// The consumer is free: it starts on what it was given before, or takes the next message.
    pub(super) fn go_on(&mut self, pool: usize, consumer: ConsumerIndex, excess: Work) {
        let from = self.staffs[pool].from;
        if let Some((kept, is_of_batch)) = self.next_kept(pool, consumer) {
            self.begin(pool, &kept, excess, !is_of_batch);
            self.dispatch(from, None);
        } else {
            if let Supply::Queue(queue) = from {
                self.serve_callers(queue, Some((consumer, excess)));
            }
            self.take_next(pool, consumer, excess);
        }
        self.release_producers();
    }

    /// The next message that the consumer was given and that is still its own. Members of a group keep
    /// nothing for later.
    fn next_kept(&mut self, pool: usize, consumer: ConsumerIndex) -> Option<(Delivery, bool)> {
        let staff = &mut self.staffs[pool];
        let queue = staff.from.queue()?;
        loop {
            let (kept, is_of_batch) = staff.pool.take_kept(consumer)?;
            if self.broker.queue(queue).delivered(kept.tag).is_some() {
                return Some((kept, is_of_batch));
            }
            self.broker.queue_mut(queue).hear_late(kept.tag);
        }
    }

    /// The attempt failed: what follows is the policy's to say.
    pub(super) fn fail(&mut self, pool: usize, consumer: ConsumerIndex, kind: FailureKind) {
        self.attempt_failed(pool, consumer, kind, false);
    }

    /// The same, where a budget may have refused another attempt already.
    pub(super) fn attempt_failed(
        &mut self,
        pool: usize,
        consumer: ConsumerIndex,
        kind: FailureKind,
        is_refused: bool,
    ) {
        self.totals.failed_attempts += 1;
        let staff = &self.staffs[pool];
        let Some(job) = staff.pool.job(consumer) else { return };
        let (id, start, is_acknowledged) = (job.id, job.start, job.is_acknowledged);
        self.stats.record_handled(self.now, job.began);
        let role = staff.pool.role();
        self.record_of_job(EventKind::Failed, consumer, id);
        self.tell_of(consumer, id, Note::FailedBy(kind));
        let record = self.records.of(id, role);
        record.starts = record.starts.max(start);
        record.attempts = record.attempts.max(1);
        let failure =
            Failure { attempt: u64::from(record.attempts), kind, previous_delay: record.previous_delay };
        let verdict = if is_refused {
            Verdict::DeadLetter(NoRetry::BudgetSpent)
        } else {
            self.judge(pool, id, start, &failure)
        };
        self.records.of(id, role).previous_delay = self.delay_after(pool, verdict);
        if let (Supply::Group(group), false) = (self.staffs[pool].from, is_acknowledged) {
            return self.record_failed(group, pool, consumer, (verdict, kind));
        }
        match verdict {
            Verdict::RetryInPlace { after } => self.wait_in_place(pool, consumer, after, kind),
            _ if is_acknowledged => self.lose_in_hand(pool, consumer),
            Verdict::RetryQueue { .. } if self.staffs[pool].handling.requeues_at_once => {
                self.give_back(pool, consumer, GivenBack::Requeued);
            }
            Verdict::RetryQueue { after } => {
                self.tell_of(consumer, id, Note::ComesBack(self.now + after));
                self.give_back(pool, consumer, GivenBack::RequeuedUntil(self.now + after));
            }
            Verdict::DeadLetter(_) | Verdict::GiveUp(_) => {
                self.give_back(pool, consumer, GivenBack::Rejected)
            }
        }
    }

    /// How long the message waits before it is tried again: not at all where it stands in its line again
    /// at once, whatever the policy would say.
    fn delay_after(&self, pool: usize, verdict: Verdict) -> Option<Span> {
        let staff = &self.staffs[pool];
        let is_at_once = staff.handling.requeues_at_once && matches!(staff.from, Supply::Queue(_));
        verdict.retry_after().filter(|_| !is_at_once)
    }

    /// The consumer keeps the message and waits before it tries again.
    pub(super) fn wait_in_place(
        &mut self,
        pool: usize,
        consumer: ConsumerIndex,
        after: Span,
        kind: FailureKind,
    ) {
        let until = self.now + after;
        if let Some(id) = self.staffs[pool].pool.job(consumer).map(|job| job.id) {
            self.tell_of(consumer, id, Note::ComesBack(until));
        }
        self.set_stage(pool, consumer, Stage::Waiting { until, failed: kind });
    }

    pub(super) fn set_stage(&mut self, pool: usize, consumer: ConsumerIndex, stage: Stage) {
        if let Some(job) = self.staffs[pool].pool.job_mut(consumer) {
            job.stage = stage;
        }
        self.schedule_consumer(pool, consumer);
    }

    fn try_again(&mut self, pool: usize, consumer: ConsumerIndex) {
        let Some(id) = self.staffs[pool].pool.job(consumer).map(|job| job.id) else { return };
        self.record_of_job(EventKind::Started, consumer, id);
        let record = self.records.of(id, self.staffs[pool].pool.role());
        record.starts += 1;
        record.attempts += 1;
        let start = record.starts;
        self.tell_of(consumer, id, Note::Began { start, waited: None });
        let cut_off = self.cut_off(pool, self.now);
        self.staffs[pool].pool.try_again(self.now, consumer, start, cut_off);
        self.schedule_consumer(pool, consumer);
    }
}
