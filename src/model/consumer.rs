//! A pool of equal consumers: each does the work of one message at a time at the pool's rate.

use super::message::MessageId;
use super::producer::mul_div;
use super::rate::{Rate, Work};
use super::rng::{DrawKey, Draws};
use super::settings::{CONSUMERS_MAX, ServiceTime};
use super::state_hash::StateHasher;
use super::time::Instant;
use super::work_queue::{ConsumerIndex, Delivery, DeliveryTag};

/// Consumers of one queue. A consumer beyond the pool's count finishes what it holds and then
/// leaves; the dial never takes a message away from anybody.
#[derive(Clone, Debug)]
pub struct ConsumerPool {
    rate: Rate,
    count: u64,
    service_time: ServiceTime,
    draws: Draws,
    jobs: Vec<Option<Job>>,
    busy: u64,
    /// Consumers beyond the count that still work.
    leaving: u64,
}

/// What one consumer works on.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// What to acknowledge it by.
    pub tag: DeliveryTag,
    /// The message.
    pub id: MessageId,
    work: Work,
    done: Work,
    since: Instant,
}

impl ConsumerPool {
    /// A pool of `count` idle consumers.
    #[must_use]
    pub fn new(rate: Rate, count: u64, service_time: ServiceTime, draws: Draws) -> Self {
        let slots = usize::try_from(CONSUMERS_MAX).unwrap_or_default();
        Self {
            rate,
            count: count.min(CONSUMERS_MAX),
            service_time,
            draws,
            jobs: vec![None; slots],
            busy: 0,
            leaving: 0,
        }
    }

    /// The consumer of `delivery` starts on it at `now`; `excess` is the work it has already done
    /// within this microsecond.
    pub fn start(&mut self, now: Instant, delivery: &Delivery, excess: Work) {
        let id = delivery.id;
        let work = match self.service_time {
            ServiceTime::Fixed => Work::ONE_MESSAGE,
            ServiceTime::Exponential => {
                self.draws.exponential(DrawKey { origin: id.raw(), role: 0, attempt: 1 }, 1)
            }
        };
        let job = Job { tag: delivery.tag, id, work, done: excess, since: now };
        let slot = &mut self.jobs[delivery.consumer.0 as usize];
        debug_assert!(slot.is_none(), "a consumer does one thing at a time");
        *slot = Some(job);
        self.busy += 1;
        self.leaving += u64::from(!self.is_wanted(delivery.consumer));
    }

    /// The consumer finishes what it works on. Returns the job and the excess, the work done
    /// beyond its end within this microsecond.
    pub fn finish(&mut self, now: Instant, consumer: ConsumerIndex) -> Option<(Job, Work)> {
        let job = self.jobs.get_mut(consumer.0 as usize)?.take()?;
        self.busy -= 1;
        self.leaving -= u64::from(!self.is_wanted(consumer));
        let done = job.done_at(now, self.rate);
        Some((job, Work(done.0.saturating_sub(job.work.0))))
    }

    /// When the consumer will finish; `None` while it is idle or at rate zero.
    #[must_use]
    pub fn finish_at(&self, consumer: ConsumerIndex) -> Option<Instant> {
        let job = self.job(consumer)?;
        let left = Work(job.work.0.saturating_sub(job.done.0));
        Some(job.since + self.rate.time_for(left)?)
    }

    /// Sets the rate; what remains of every job is rescaled at once.
    pub fn set_rate(&mut self, now: Instant, rate: Rate) {
        for job in self.jobs.iter_mut().flatten() {
            job.done = job.done_at(now, self.rate);
            job.since = now;
        }
        self.rate = rate;
    }

    /// Sets how many consumers there shall be, 1 to 64.
    pub fn set_count(&mut self, count: u64) {
        self.count = count.min(CONSUMERS_MAX);
        self.leaving =
            self.jobs.iter().skip(usize::try_from(self.count).unwrap_or(usize::MAX)).flatten().count() as u64;
    }

    /// Sets how long messages take that are started from now on.
    pub const fn set_service_time(&mut self, service_time: ServiceTime) {
        self.service_time = service_time;
    }

    /// What the consumer works on.
    #[must_use]
    pub fn job(&self, consumer: ConsumerIndex) -> Option<&Job> {
        self.jobs.get(consumer.0 as usize)?.as_ref()
    }

    /// Whether the consumer is among those that the dial asks for.
    #[must_use]
    pub fn is_wanted(&self, consumer: ConsumerIndex) -> bool {
        u64::from(consumer.0) < self.count
    }

    /// Every consumer slot, whether a consumer is there or not.
    pub fn slots(&self) -> impl Iterator<Item = ConsumerIndex> + use<> {
        (0..u32::try_from(self.jobs.len()).unwrap_or_default()).map(ConsumerIndex)
    }

    /// The rate of each.
    #[must_use]
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// How many there shall be.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// How long a message takes.
    #[must_use]
    pub const fn service_time(&self) -> ServiceTime {
        self.service_time
    }

    /// How many work.
    #[must_use]
    pub const fn busy(&self) -> u64 {
        self.busy
    }

    /// How many are here, those included that leave when they have finished.
    #[must_use]
    pub const fn staffed(&self) -> u64 {
        self.count + self.leaving
    }

    /// How many work, counted one by one.
    #[must_use]
    pub fn recount_busy(&self) -> u64 {
        self.jobs.iter().flatten().count() as u64
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.rate.thousandths());
        hasher.write(self.count);
        hasher.write(self.service_time as u64);
        for (slot, job) in (0_u64..).zip(&self.jobs) {
            let Some(job) = job else { continue };
            for value in [slot, job.id.raw(), job.work.0, job.done.0, job.since.micros()] {
                hasher.write(value);
            }
        }
    }
}

impl Job {
    /// How much of its work is done, in millionths.
    #[must_use]
    pub fn done_millionths(&self, now: Instant, rate: Rate) -> u32 {
        if self.work.0 == 0 {
            return 1_000_000;
        }
        let done = self.done_at(now, rate).0.min(self.work.0);
        u32::try_from(mul_div(done, 1_000_000, self.work.0)).unwrap_or(1_000_000)
    }

    fn done_at(&self, now: Instant, rate: Rate) -> Work {
        Work(self.done.0.saturating_add(rate.work_in(now.since(self.since)).0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::Message;
    use super::super::rng::Purpose;
    use super::super::time::Span;
    use super::super::work_queue::rules::QueueRules;
    use super::super::work_queue::{Published, WorkQueue};
    use super::*;

    fn delivery() -> Delivery {
        let mut queue = WorkQueue::new(QueueRules::default());
        queue.subscribe(ConsumerIndex(0), Some(1));
        match queue.publish(Instant::START, Message::plain(MessageId::new(0, 1), Instant::START)) {
            Published::HandedOver(delivery) => delivery,
            other => panic!("a free consumer takes it, not {other:?}"),
        }
    }

    fn pool(per_second: u64, service_time: ServiceTime) -> ConsumerPool {
        let draws = Draws::new(1, Purpose::ServiceTime);
        ConsumerPool::new(Rate::from_per_second(per_second), 1, service_time, draws)
    }

    #[test]
    fn a_dial_rescales_the_work_in_hand_and_zero_freezes_it() {
        let first = ConsumerIndex(0);
        let mut pool = pool(1, ServiceTime::Fixed);
        pool.start(Instant::START, &delivery(), Work::NONE);
        assert_eq!(pool.finish_at(first), Some(Instant::from_seconds(1)));
        let half = Instant::START + Span::from_millis(500);
        pool.set_rate(half, Rate::ZERO);
        assert_eq!(pool.finish_at(first), None);
        pool.set_rate(Instant::from_seconds(9), Rate::from_per_second(2));
        assert_eq!(pool.finish_at(first), Some(Instant::from_seconds(9) + Span::from_millis(250)));
        assert_eq!(
            pool.job(first).map(|job| job.done_millionths(Instant::from_seconds(9), pool.rate())),
            Some(500_000)
        );
    }

    #[test]
    fn the_work_of_a_message_is_its_own_whoever_does_it() {
        let delivered = delivery();
        let elsewhere =
            Delivery { consumer: ConsumerIndex(3), accepted_at: Instant::from_seconds(9), ..delivered };
        let mut pool = pool(1, ServiceTime::Exponential);
        pool.start(Instant::START, &delivered, Work::NONE);
        pool.start(Instant::START, &elsewhere, Work::NONE);
        assert_eq!(pool.finish_at(delivered.consumer), pool.finish_at(elsewhere.consumer));
        assert_eq!((pool.busy(), pool.recount_busy(), pool.staffed()), (2, 2, 2));
    }
}
