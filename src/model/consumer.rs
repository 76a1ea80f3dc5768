//! A pool of equal consumers: each works on one message at a time at the pool's rate.

mod going_over;
mod health;
mod job;
mod plain;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

pub use going_over::Traveller;
pub use health::Health;
pub use job::{Begun, Job, Stage};

use super::held::HeldBytes;
use super::message::MessageId;
use super::rate::{Rate, Work};
use super::rng::{DrawKey, DrawnAhead, Draws};
use super::routes::Role;
use super::schema::SchemaVersion;
use super::settings::{CONSUMERS_MAX, ServiceTime};
use super::state_hash::StateHasher;
use super::time::Instant;
use super::work_queue::{ConsumerIndex, Delivery, DeliveryTag};

/// Consumers of one queue. A consumer beyond the pool's count finishes what it holds and then
/// leaves; the dial never takes a message away from anybody.
#[derive(Clone, Debug)]
pub struct ConsumerPool {
    /// The index of its first consumer among all of the run.
    first: u32,
    rate: Rate,
    count: u64,
    service_time: ServiceTime,
    mean_work: u64,
    draws: Draws,
    /// The works of first starts.
    works_ahead: DrawnAhead,
    role: Role,
    /// By which schema attempts read that start now.
    reads_by: SchemaVersion,
    seats: Vec<Seat>,
    busy: u64,
    /// Consumers beyond the count that still work.
    leaving: u64,
    /// Consumers within the count that are down.
    down: u64,
}

/// One consumer's place.
#[derive(Clone, Debug, Default)]
struct Seat {
    job: Option<Job>,
    /// Messages it was given and has not started.
    buffer: VecDeque<Delivery>,
    /// How many of these, the first ones, belong to the batch that it works on.
    batch_left: u32,
    health: Health,
    /// When it is started again by itself, or is through with the time that its start takes.
    wakes_at: Option<Instant>,
    /// The last of the calls that its start makes, until it is answered.
    awaits_call: Option<u64>,
    /// It crashes at every start.
    is_looping: bool,
    /// It will die the next time it is in the middle of finishing a message.
    dies_finishing: bool,
    /// The place of the pool that it goes over to as soon as it has nothing in hand.
    goes_over_to: Option<u16>,
    calls: u64,
}

impl ConsumerPool {
    /// A pool of `count` idle consumers, the first of which is consumer `first` of the run.
    #[must_use]
    pub fn new(first: u32, rate: Rate, count: u64, service_time: ServiceTime, draws: Draws) -> Self {
        let seats = usize::try_from(CONSUMERS_MAX).unwrap_or_default();
        Self {
            first,
            rate,
            count: count.min(CONSUMERS_MAX),
            service_time,
            mean_work: 1,
            draws,
            works_ahead: DrawnAhead::NONE,
            role: Role::FIRST,
            reads_by: SchemaVersion::Old,
            seats: vec![Seat::default(); seats],
            busy: 0,
            leaving: 0,
            down: 0,
        }
    }

    /// Its consumers handle messages in that place.
    pub const fn set_role(&mut self, role: Role) {
        (self.role, self.works_ahead) = (role, DrawnAhead::NONE);
    }

    /// In which place its consumers handle messages.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// Attempts that its consumers start from now on read by the new schema.
    pub const fn upgrade(&mut self) {
        self.reads_by = SchemaVersion::New;
    }

    /// By which schema attempts read that start now.
    #[must_use]
    pub const fn reads_by(&self) -> SchemaVersion {
        self.reads_by
    }

    /// The consumer of `delivery` starts on it at `now`, which may be yet to come.
    #[inline]
    pub fn start(&mut self, now: Instant, delivery: &Delivery, begun: Begun) {
        let work = match begun {
            Begun { is_skipped: true, .. } => Work::NONE,
            Begun { start, .. } => self.work_of(delivery.id, start),
        };
        let job = Job {
            tag: delivery.tag,
            id: delivery.id,
            start: begun.start,
            is_acknowledged: begun.is_acknowledged,
            is_skipped: begun.is_skipped,
            deadline: begun.deadline,
            is_stale: begun.is_stale,
            reads_by: self.reads_by,
            stage: Stage::Working { cut_off: begun.cut_off },
            work,
            done: begun.excess,
            since: now,
            began: now,
        };
        let is_wanted = self.is_wanted(delivery.consumer);
        let seat = self.seat_mut(delivery.consumer);
        let was_idle = seat.job.replace(job).is_none();
        debug_assert!(was_idle, "a consumer does one thing at a time");
        self.busy += 1;
        self.leaving += u64::from(!is_wanted);
    }

    #[inline]
    fn work_of(&mut self, id: MessageId, start: u32) -> Work {
        let (draws, role, mean_work) = (self.draws, self.role, self.mean_work);
        let key = DrawKey::of_start(id, role, start);
        match self.service_time {
            ServiceTime::Fixed => Work(Work::ONE_MESSAGE.0.saturating_mul(mean_work)),
            // A queue's messages are mostly started in the order in which they were sent.
            ServiceTime::Exponential if start == 1 => self.works_ahead.take(id.raw(), |raw| {
                draws.exponential(DrawKey::of_start(MessageId::from_raw(raw), role, 1), mean_work)
            }),
            ServiceTime::Exponential => draws.exponential(key, mean_work),
            ServiceTime::LogNormal => draws.log_normal(key, mean_work),
        }
    }

    /// The consumer works on its message again, as attempt `start`.
    pub fn try_again(&mut self, now: Instant, consumer: ConsumerIndex, start: u32, cut_off: Option<Instant>) {
        let Some(id) = self.job(consumer).map(|job| job.id) else { return };
        let (work, reads_by) = (self.work_of(id, start), self.reads_by);
        if let Some(job) = self.seat_mut(consumer).job.as_mut() {
            (job.start, job.work, job.done, job.since) = (start, work, Work::NONE, now);
            job.began = now;
            (job.stage, job.reads_by) = (Stage::Working { cut_off }, reads_by);
        }
    }

    /// The consumer is rid of its message. Returns the job and the excess, the work done beyond
    /// its end within this microsecond.
    pub fn finish(&mut self, now: Instant, consumer: ConsumerIndex) -> Option<(Job, Work)> {
        let rate = self.rate;
        let is_wanted = self.is_wanted(consumer);
        let place = self.place(consumer);
        let job = self.seats.get_mut(place)?.job.take()?;
        self.busy -= 1;
        self.leaving -= u64::from(!is_wanted);
        let excess = match job.stage {
            Stage::Working { .. } => Work(job.done_at(now, rate).0.saturating_sub(job.work.0)),
            _ => Work::NONE,
        };
        Some((job, excess))
    }

    /// When something happens to the consumer or to what it works on; `None` while it is idle,
    /// hangs, or waits for others.
    #[must_use]
    pub fn next_at(&self, consumer: ConsumerIndex) -> Option<Instant> {
        let seat = self.seats.get(self.place(consumer))?;
        if seat.health != Health::Up {
            return seat.wakes_at;
        }
        let job = seat.job.as_ref()?;
        match &job.stage {
            Stage::Working { cut_off } => job.finish_at(self.rate).into_iter().chain(*cut_off).min(),
            Stage::Calling { cut_off, .. } => *cut_off,
            Stage::Waiting { until, .. } => Some(*until),
        }
    }

    /// When the consumer will have done its own work; `None` while it does none.
    #[must_use]
    pub fn finish_at(&self, consumer: ConsumerIndex) -> Option<Instant> {
        let job = self.job(consumer)?;
        match job.stage {
            Stage::Working { .. } => job.finish_at(self.rate),
            _ => None,
        }
    }

    /// Sets the rate; what remains of every job is rescaled at once.
    pub fn set_rate(&mut self, now: Instant, rate: Rate) {
        for job in self.seats.iter_mut().filter_map(|seat| seat.job.as_mut()) {
            job.done = job.done_at(now, self.rate);
            job.since = job.since.max(now);
        }
        self.rate = rate;
    }

    /// Sets how many consumers there shall be, 0 to 64. Who was about to go over and is among them
    /// stays.
    pub fn set_count(&mut self, count: u64) {
        self.count = count.min(CONSUMERS_MAX);
        self.call_back();
        let beyond = self.seats.iter().skip(usize::try_from(self.count).unwrap_or(usize::MAX));
        self.leaving = beyond.filter(|seat| seat.job.is_some()).count() as u64;
        self.recount_down();
    }

    /// Sets how long messages take that are started from now on, with a mean of `mean_work`
    /// ordinary messages.
    pub const fn set_service(&mut self, service_time: ServiceTime, mean_work: u64) {
        (self.service_time, self.mean_work) = (service_time, mean_work);
        self.works_ahead = DrawnAhead::NONE;
    }

    /// Keeps a message that the consumer was given for later.
    pub fn keep(&mut self, delivery: Delivery) {
        self.seat_mut(delivery.consumer).buffer.push_back(delivery);
    }

    /// The next message that the consumer was given, and whether it belongs to the batch that it
    /// works on.
    pub fn take_kept(&mut self, consumer: ConsumerIndex) -> Option<(Delivery, bool)> {
        let seat = self.seat_mut(consumer);
        let kept = seat.buffer.pop_front()?;
        let is_of_batch = seat.batch_left > 0;
        seat.batch_left -= u32::from(is_of_batch);
        Some((kept, is_of_batch))
    }

    /// Keeps messages that the consumer took at once with the one that it works on.
    pub fn keep_batch(&mut self, consumer: ConsumerIndex, batch: Vec<Delivery>) {
        let seat = self.seat_mut(consumer);
        seat.buffer.extend(batch);
        seat.batch_left = u32::try_from(seat.buffer.len()).unwrap_or(u32::MAX);
    }

    /// The consumer loses everything it has in hand. Returns the job it worked on.
    pub fn drop_all(&mut self, now: Instant, consumer: ConsumerIndex) -> Option<Job> {
        let seat = self.seat_mut(consumer);
        seat.buffer.clear();
        seat.batch_left = 0;
        self.finish(now, consumer).map(|(job, _)| job)
    }

    /// The consumer will die in the middle of finishing its next message, or no longer.
    pub fn arm_crash(&mut self, consumer: ConsumerIndex, is_armed: bool) {
        self.seat_mut(consumer).dies_finishing = is_armed;
    }

    /// Whether the consumer dies in the middle of finishing.
    #[must_use]
    pub fn dies_finishing(&self, consumer: ConsumerIndex) -> bool {
        self.seats.get(self.place(consumer)).is_some_and(|seat| seat.dies_finishing)
    }

    /// Counts one more call of the consumer. Returns its number.
    pub fn next_call(&mut self, consumer: ConsumerIndex) -> u64 {
        let seat = self.seat_mut(consumer);
        seat.calls += 1;
        seat.calls
    }

    /// What the consumer works on, to change its stage.
    #[inline(always)]
    pub fn job_mut(&mut self, consumer: ConsumerIndex) -> Option<&mut Job> {
        let place = self.place(consumer);
        self.seats.get_mut(place)?.job.as_mut()
    }

    /// What the consumer works on.
    #[must_use]
    #[inline(always)]
    pub fn job(&self, consumer: ConsumerIndex) -> Option<&Job> {
        self.seats.get(self.place(consumer))?.job.as_ref()
    }

    /// What all consumers work on.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.seats.iter().filter_map(|seat| seat.job.as_ref())
    }

    /// Whether the consumer has the delivery: it works on it, or keeps it for later.
    #[must_use]
    pub fn has_in_hand(&self, consumer: ConsumerIndex, tag: DeliveryTag) -> bool {
        let seat = self.seats.get(self.place(consumer));
        seat.is_some_and(|seat| {
            let is_worked_on = seat.job.as_ref().is_some_and(|job| job.tag == tag);
            is_worked_on || seat.buffer.iter().any(|kept| kept.tag == tag)
        })
    }

    /// Whether the consumer has a message that it works on.
    #[must_use]
    pub fn is_busy(&self, consumer: ConsumerIndex) -> bool {
        self.job(consumer).is_some()
    }

    /// Whether the consumer has a message in hand, whether or not it works on it yet.
    #[must_use]
    #[inline(always)]
    pub fn has_work(&self, consumer: ConsumerIndex) -> bool {
        let seat = self.seats.get(self.place(consumer));
        seat.is_some_and(|seat| seat.job.is_some() || !seat.buffer.is_empty())
    }

    /// Whether the consumer is among those that the dial asks for.
    #[must_use]
    #[inline(always)]
    pub fn is_wanted(&self, consumer: ConsumerIndex) -> bool {
        (self.place(consumer) as u64) < self.count
    }

    /// Every consumer there may be, whether it is there or not.
    pub fn slots(&self) -> impl Iterator<Item = ConsumerIndex> + use<> {
        let end = self.first + u32::try_from(self.seats.len()).unwrap_or_default();
        (self.first..end).map(ConsumerIndex)
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

    /// The mean work of a message, in ordinary messages.
    #[must_use]
    pub const fn mean_work(&self) -> u64 {
        self.mean_work
    }

    /// How many work.
    #[must_use]
    pub const fn busy(&self) -> u64 {
        self.busy
    }

    /// How many are here and alive, those included that leave when they have finished.
    #[must_use]
    pub const fn staffed(&self) -> u64 {
        self.count + self.leaving - self.down
    }

    /// How many work, counted one by one.
    #[must_use]
    pub fn recount_busy(&self) -> u64 {
        self.seats.iter().filter(|seat| seat.job.is_some()).count() as u64
    }

    /// How many messages consumers keep for later, counted one by one.
    #[must_use]
    pub fn recount_kept(&self) -> u64 {
        self.seats.iter().map(|seat| seat.buffer.len() as u64).sum()
    }

    /// Counts the bytes it holds beside itself, but for what consumers keep for later.
    pub const fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Seat>(self.seats.len());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.rate.thousandths());
        hasher.write(self.count);
        hasher.write(self.service_time as u64);
        hasher.write(self.mean_work);
        if self.reads_by == SchemaVersion::New {
            hasher.write_text(self.reads_by.name());
        }
        for (place, seat) in (0_u64..).zip(&self.seats) {
            let is_plain = seat.health == Health::Up
                && !seat.is_looping
                && seat.buffer.is_empty()
                && seat.calls == 0
                && !seat.dies_finishing;
            if seat.job.is_none() && is_plain {
                continue;
            }
            hasher.write(place << 8 | (seat.health as u64) << 1 | u64::from(seat.dies_finishing));
            hasher.write(seat.calls);
            seat.hash_start_into(hasher);
            if seat.batch_left > 0 {
                hasher.write(u64::from(seat.batch_left));
            }
            seat.goes_over_to.iter().for_each(|pool| hasher.write(u64::from(*pool)));
            seat.buffer.iter().for_each(|delivery| hasher.write(delivery.id.raw()));
            seat.job.iter().for_each(|job| job.hash_into(hasher));
        }
    }

    #[inline(always)]
    fn place(&self, consumer: ConsumerIndex) -> usize {
        consumer.0.wrapping_sub(self.first) as usize
    }

    fn seat_mut(&mut self, consumer: ConsumerIndex) -> &mut Seat {
        let place = self.place(consumer);
        &mut self.seats[place]
    }
}
