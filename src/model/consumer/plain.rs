//! The common case of a consumer: it finishes a message to which there is nothing more, and takes the
//! next.

use super::super::rate::Work;
use super::super::time::Instant;
use super::super::work_queue::{ConsumerIndex, Delivery};
use super::{ConsumerPool, Health, Job, Stage};

impl ConsumerPool {
    /// What the consumer is about to finish: a message that was not answered before and has no
    /// deadline. `None` where there is more to it: the consumer has others in hand, leaves or dies
    /// when it has finished, or has its attempt cut off.
    #[must_use]
    #[inline(always)]
    pub fn plainly_done(&self, now: Instant, consumer: ConsumerIndex) -> Option<&Job> {
        let seat = self.seats.get(self.place(consumer))?;
        let job = seat.job.as_ref()?;
        let is_plain = !job.is_acknowledged
            && !job.is_skipped
            && job.deadline.is_none()
            && seat.health == Health::Up
            && !seat.dies_finishing
            && seat.buffer.is_empty()
            && self.is_wanted(consumer)
            && matches!(job.stage, Stage::Working { cut_off: None })
            && job.is_done(now, self.rate);
        is_plain.then_some(job)
    }

    /// The consumer is rid of what it has plainly done and starts on `delivery`, as plain, within
    /// the same microsecond. Returns when it will have done it.
    #[inline(always)]
    pub fn go_on_plainly(&mut self, now: Instant, delivery: &Delivery) -> Option<Instant> {
        let (rate, work) = (self.rate, self.work_of(delivery.id, 1));
        let job = self.job_mut(delivery.consumer)?;
        job.done = Work(job.done_at(now, rate).0.saturating_sub(job.work.0));
        (job.tag, job.id, job.start) = (delivery.tag, delivery.id, 1);
        (job.work, job.since, job.began) = (work, now, now);
        job.finish_at(rate)
    }

    /// The consumer is rid of what it has plainly done. Returns the excess.
    #[inline(always)]
    pub fn finish_plain(&mut self, now: Instant, consumer: ConsumerIndex) -> Work {
        let rate = self.rate;
        let seat = self.seat_mut(consumer);
        let Some(job) = &seat.job else { return Work::NONE };
        let excess = Work(job.done_at(now, rate).0.saturating_sub(job.work.0));
        seat.job = None;
        self.busy -= 1;
        excess
    }
}
