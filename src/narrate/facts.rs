//! What the narrator works out from one snapshot before it decides what to say.

use super::remark::{Estimate, Evenness, Limit, Pace};
use crate::model::outlook::NextEvent;
use crate::model::rate::{Rate, Work};
use crate::model::settings::{ArrivalPattern, Bound, OverflowPolicy, ServiceTime};
use crate::model::snapshot::{BlockedBy, Snapshot, WorkSnapshot};
use crate::model::time::{Instant, Span};

/// A distance this many times the jitter is so long that the jitter is 5 % of it.
const EXACT_FROM_JITTERS: u64 = 20;

/// Nearer than this many jitters, one lump decides when the end is reached, so no time is said.
const SOME_TIME_FROM_JITTERS: u64 = 4;

/// The square of the relative spread of a random walk's arrival time is
/// (λ + μ) ÷ (distance × |λ − μ|). A time is first said where that is at most 1/8, a spread of a
/// third: closer than that, the mean says little.
const CHANCE_ENTER: u64 = 8;

/// A time that is being said goes on being said until the spread is a half.
const CHANCE_LEAVE: u64 = 4;

/// A snapshot with what follows from it.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// What it speaks of.
    pub snapshot: &'a Snapshot,
    /// In and out.
    pub pace: Pace,
    /// No time beyond this is told, because the scenario does something then.
    pub horizon: Option<Span>,
}

impl<'a> Facts<'a> {
    /// The facts of `snapshot`.
    #[must_use]
    pub fn of(snapshot: &'a Snapshot) -> Self {
        let pace = Pace {
            arrivals: snapshot.producer.rate,
            capacity: snapshot.consumers.capacity(),
            consumers: snapshot.consumers.count,
            evenness: evenness(snapshot),
        };
        Self { snapshot, pace, horizon: None }
    }

    /// The same, of a run whose scenario does something at `acts_at`.
    #[must_use]
    pub fn until(self, acts_at: Option<Instant>) -> Self {
        Self { horizon: acts_at.map(|at| at.since(self.snapshot.at)), ..self }
    }

    /// Whether the scenario leaves the run alone for so long.
    #[must_use]
    pub fn is_in_sight(&self, span: Span) -> bool {
        self.horizon.is_none_or(|horizon| span <= horizon)
    }

    /// Messages waiting.
    #[must_use]
    pub const fn waiting(&self) -> u64 {
        self.snapshot.queue.waiting
    }

    /// How many may wait, where there is a bound.
    #[must_use]
    pub const fn bound(&self) -> Option<u64> {
        match self.snapshot.queue.bound {
            Bound::Messages(bound) => Some(bound),
            Bound::None => None,
        }
    }

    /// What happens at the bound.
    #[must_use]
    pub const fn overflow(&self) -> OverflowPolicy {
        self.snapshot.queue.overflow
    }

    /// Whether more arrives than can be finished.
    #[must_use]
    pub fn is_growing(&self) -> bool {
        self.pace.arrivals > self.pace.capacity
    }

    /// Whether less arrives than can be finished.
    #[must_use]
    pub fn is_shrinking(&self) -> bool {
        self.pace.arrivals < self.pace.capacity
    }

    /// Whether draws decide when messages come or how long they take.
    #[must_use]
    pub fn has_chance(&self) -> bool {
        self.snapshot.producer.arrivals == ArrivalPattern::Poisson || is_work_random(self.snapshot)
    }

    /// Messages that arrive at one instant.
    #[must_use]
    pub const fn arrive_together(&self) -> u64 {
        match self.pace.evenness {
            Evenness::Bursts(size) => size,
            _ => 1,
        }
    }

    /// How many consumers are needed at a burst: for its messages, and for those of the bursts
    /// before that are still being worked on.
    #[must_use]
    pub fn consumers_at_a_burst(&self) -> u64 {
        let size = self.arrive_together();
        let done_until_next = self.snapshot.consumers.rate_each.thousandths().saturating_mul(size).max(1);
        size.saturating_mul(self.pace.arrivals.thousandths().div_ceil(done_until_next))
    }

    /// By how many messages the line strays from its even path, because consumers finish
    /// together and messages come together.
    #[must_use]
    pub const fn slack(&self) -> u64 {
        match self.pace.evenness {
            Evenness::Bursts(size) => self.pace.consumers + size,
            _ => self.pace.consumers,
        }
    }

    /// What can be finished of what fits into the broker's memory: with room for 2 messages, a
    /// third consumer never has anything to do.
    #[must_use]
    pub fn capacity_within_memory(&self) -> Rate {
        let consumers = &self.snapshot.consumers;
        consumers.rate_each.times(consumers.count.min(self.snapshot.broker.memory))
    }

    /// Whether nothing has happened yet.
    #[must_use]
    pub const fn is_at_rest(&self) -> bool {
        self.snapshot.at.micros() == 0 && self.snapshot.ledger.offered == 0
    }

    /// Whether the line, or a message that came just now, is at the queue's bound.
    #[must_use]
    pub fn is_at_bound(&self) -> bool {
        self.bound().is_some_and(|bound| bound > 0 && self.waiting() >= bound)
            || self.snapshot.producer.blocked_by == Some(BlockedBy::Bound)
    }

    /// Whether the memory alarm keeps the producer waiting.
    #[must_use]
    pub fn is_blocked_by_memory(&self) -> bool {
        self.snapshot.producer.blocked_by == Some(BlockedBy::MemoryAlarm)
    }

    /// The limit that the growing line reaches first, and when.
    #[must_use]
    pub fn limit_ahead(&self, is_being_said: bool) -> Option<(Limit, Option<Estimate>)> {
        let (limit, span) = match self.snapshot.outlook.next {
            NextEvent::FullIn(_) if self.memory_is_first() => (Limit::Memory, None),
            NextEvent::FullIn(span) => (Limit::Bound, Some(span)),
            NextEvent::StaysFull => (Limit::Bound, None),
            NextEvent::OutOfMemoryIn(span) => (Limit::Memory, Some(span)),
            NextEvent::StaysOutOfMemory => (Limit::Memory, None),
            NextEvent::Level | NextEvent::EmptyIn(_) => return None,
        };
        let (distance, jitter) = match limit {
            Limit::Bound => (self.bound().unwrap_or(u64::MAX).saturating_sub(self.waiting()), self.jitter()),
            // Messages in flight take up memory, and until all consumers are busy fewer finish.
            Limit::Memory => {
                let room = self.snapshot.broker.memory.saturating_sub(self.snapshot.broker.held);
                (room, self.jitter() + self.missing_consumers())
            }
        };
        Some((limit, span.and_then(|span| self.estimate(span, distance, jitter, is_being_said))))
    }

    /// A full line means busy consumers, and what they hold takes up memory too.
    fn memory_is_first(&self) -> bool {
        self.bound().is_some_and(|bound| bound + self.pace.consumers > self.snapshot.broker.memory)
    }

    /// Consumers that have yet to be busy, or that leave when they have finished.
    const fn missing_consumers(&self) -> u64 {
        self.pace.consumers.abs_diff(self.snapshot.ledger.in_flight)
    }

    /// When nothing waits any more.
    #[must_use]
    pub fn empty_ahead(&self, is_being_said: bool) -> Option<Estimate> {
        match self.snapshot.outlook.next {
            NextEvent::EmptyIn(span) => self.estimate(span, self.waiting(), self.jitter(), is_being_said),
            _ => None,
        }
    }

    /// How surely `span` is the time in which the line moves by `distance`; `None` where nobody
    /// can tell.
    #[must_use]
    fn estimate(&self, span: Span, distance: u64, jitter: u64, is_being_said: bool) -> Option<Estimate> {
        let difference = self.pace.arrivals.thousandths().abs_diff(self.pace.capacity.thousandths());
        if !self.is_in_sight(span) {
            return None;
        }
        let is_even = !self.has_chance();
        // Within one second: the jitter is worked off in that time.
        let is_exact = jitter.saturating_mul(1_000) <= difference
            || distance >= jitter.saturating_mul(EXACT_FROM_JITTERS);
        if is_even && is_exact {
            return Some(Estimate { span, is_about: false });
        }
        let is_near = distance < jitter.saturating_mul(SOME_TIME_FROM_JITTERS);
        let can_tell = !is_near && (is_even || self.mean_tells(distance, difference, is_being_said));
        can_tell.then_some(Estimate { span, is_about: true })
    }

    fn mean_tells(&self, distance: u64, difference: u64, is_being_said: bool) -> bool {
        let factor = if is_being_said { CHANCE_LEAVE } else { CHANCE_ENTER };
        let rates = self.pace.arrivals.thousandths().saturating_add(self.pace.capacity.thousandths());
        distance.saturating_mul(difference) >= rates.saturating_mul(factor)
    }

    /// By how many messages the line may stray from the fluid path: the consumers' lump, and one
    /// arrival or a whole burst.
    fn jitter(&self) -> u64 {
        self.finish_together() + self.arrive_together()
    }

    /// By how many messages the consumers may be ahead of or behind an even stream: 1 where they
    /// take turns evenly, all of them where they work in step.
    fn finish_together(&self) -> u64 {
        let consumers = &self.snapshot.consumers;
        let done: Vec<u64> =
            consumers.each.iter().filter_map(|one| Some(u64::from(one.work?.done_millionths))).collect();
        if self.has_chance() {
            return consumers.count;
        }
        if done.is_empty() && self.pace.evenness == Evenness::Even {
            return self.finish_together_from_empty();
        }
        // Where some are idle it is open how they will fall in.
        if (done.len() as u64) < consumers.count { consumers.count } else { discrepancy(&done) }
    }

    /// Idle consumers start one arrival gap apart and keep that distance. What is left of the
    /// round is a gap in which nobody finishes.
    fn finish_together_from_empty(&self) -> u64 {
        let (count, arrivals) = (self.pace.consumers, self.pace.arrivals.thousandths());
        let each = self.snapshot.consumers.rate_each.thousandths();
        let taken = each.saturating_mul(count.saturating_sub(1));
        // As a part of `arrivals`, which stands for the whole round.
        let gap = arrivals.saturating_sub(taken).max(each.min(arrivals));
        gap.saturating_mul(count).div_ceil(arrivals.max(1)).max(1)
    }

    /// How long it takes to finish `messages` at `capacity`, were nothing else to do; `None`
    /// where nobody can tell.
    #[must_use]
    pub fn time_to_finish(&self, messages: u64, capacity: Rate) -> Option<Estimate> {
        let span = capacity.time_for_messages(messages)?;
        self.finishing(span, messages, capacity)
    }

    /// How surely `span` is the time in which `messages` are finished at `capacity`.
    #[must_use]
    pub fn finishing(&self, span: Span, messages: u64, capacity: Rate) -> Option<Estimate> {
        let lump = self.jitter();
        let is_exact = !self.has_chance()
            && (lump.saturating_mul(1_000) <= capacity.thousandths()
                || messages >= lump.saturating_mul(EXACT_FROM_JITTERS));
        // A sum of n random times has a spread of 1/√n: a third from 9 on.
        let is_few = messages < lump.saturating_mul(SOME_TIME_FROM_JITTERS).max(CHANCE_ENTER + 1);
        let can_tell = self.is_in_sight(span) && (is_exact || !is_few);
        can_tell.then_some(Estimate { span, is_about: !is_exact })
    }
}

/// How far, in messages, consumers that are so far with their work (in millionths) are from
/// taking turns evenly.
#[inline(never)]
fn discrepancy(done: &[u64]) -> u64 {
    let count = done.len() as u64;
    // Ahead of the even stream by this much, in millionths of a message, plus a whole round.
    let ahead = |below: usize, own: u64| (below as u64 + count) * 1_000_000 - own * count;
    let (mut least, mut most) = (u64::MAX, 0);
    for own in done {
        let below = done.iter().filter(|other| *other < own).count();
        let up_to = done.iter().filter(|other| *other <= own).count();
        least = least.min(ahead(below, *own));
        most = most.max(ahead(up_to.saturating_sub(1), *own));
    }
    most.saturating_sub(least).div_ceil(1_000_000) + 1
}

fn evenness(snapshot: &Snapshot) -> Evenness {
    let is_work_random = is_work_random(snapshot);
    match snapshot.producer.arrivals {
        ArrivalPattern::Bursts if snapshot.producer.burst_size > 1 => {
            Evenness::Bursts(snapshot.producer.burst_size)
        }
        ArrivalPattern::Poisson if is_work_random => Evenness::RandomBoth,
        ArrivalPattern::Poisson => Evenness::RandomArrivals,
        ArrivalPattern::Steady | ArrivalPattern::Bursts if is_work_random => Evenness::RandomWork,
        ArrivalPattern::Steady | ArrivalPattern::Bursts => Evenness::Even,
    }
}

/// Whether work is drawn, or some that was drawn before the dial moved still goes on: a job with
/// more left than a whole message has.
fn is_work_random(snapshot: &Snapshot) -> bool {
    let consumers = &snapshot.consumers;
    let whole = consumers.rate_each.time_for(Work::ONE_MESSAGE);
    let is_longer = |work: &WorkSnapshot| work.finishes_in > whole;
    consumers.service_time != ServiceTime::Fixed
        || consumers.each.iter().any(|consumer| consumer.work.as_ref().is_some_and(is_longer))
}
