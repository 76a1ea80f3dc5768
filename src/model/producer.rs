//! A producer: an arrival clock whose gaps are work done at the producer's rate.
//!
//! A dial that moves rescales what remains of the gap at once, and rate 0 freezes it. What is
//! done beyond the end of a gap is carried into the next, so that equal rates never drift apart.

mod kind;
pub mod outbox;

pub use kind::MessageKind;

use std::rc::Rc;

use outbox::Outbox;

use super::message::{Luggage, Message, MessageId, Properties};
use super::rate::{Rate, Work};
use super::rng::{DrawKey, DrawnAhead, Draws, Purpose};
use super::routes::Target;
use super::settings::ArrivalPattern;
use super::state_hash::StateHasher;
use super::time::Instant;

/// One producer.
#[derive(Clone, Debug)]
pub struct Producer {
    /// What its messages are named by.
    sender: u16,
    /// The place of the producer whose messages they are.
    origin: u16,
    rate: Rate,
    arrivals: ArrivalPattern,
    burst_size: u64,
    draws: Draws,
    gaps_ahead: DrawnAhead,
    gap: Gap,
    /// Messages still to come at the instant of the running burst of a bursty producer.
    left_in_pattern_burst: u64,
    /// Messages presented to the queue so far; the last one's number.
    presented: u64,
    /// The message that found no room.
    held: Option<MessageId>,
    /// Since when it has waited with it.
    held_since: Instant,
    /// The last message that found no room: it was offered when the waiting began.
    last_held: Option<MessageId>,
    /// Messages of bursts on command that it has yet to present.
    burst_pending: u64,
    /// Where it sends.
    to: Target,
    kind: MessageKind,
    /// What its messages carry, where all carry the same.
    luggage: Option<Rc<Luggage>>,
    groups: Draws,
    hot: Draws,
    /// How many of the next messages are poison.
    poison_pending: u64,
    /// What it does beside sending each message as it comes, if anything.
    outbox: Option<Box<Outbox>>,
}

/// The gap before the next message.
#[derive(Clone, Copy, Debug)]
struct Gap {
    index: u64,
    begun_at: Instant,
    work: Work,
    done: Work,
    /// The clock ran since then; `None` while it stands still.
    running_since: Option<Instant>,
}

/// How a producer's messages are paced.
#[derive(Clone, Copy, Debug)]
pub struct ProducerPace {
    /// Messages a second that it wants to send.
    pub rate: Rate,
    /// How they are spaced.
    pub arrivals: ArrivalPattern,
    /// Messages that arrive together where arrivals come in bursts.
    pub burst_size: u64,
}

impl Producer {
    /// The producer at `index` of the topology, whose messages are those of the one at `origin`, and
    /// whose first message comes one gap after the start.
    #[must_use]
    pub fn new(index: u16, origin: u16, to: Target, pace: ProducerPace, seed: u64) -> Self {
        let gap = Gap {
            index: 0,
            begun_at: Instant::START,
            work: Work::NONE,
            done: Work::NONE,
            running_since: Some(Instant::START),
        };
        let mut producer = Self {
            sender: MessageId::sender_alike(index, origin),
            origin,
            rate: pace.rate,
            arrivals: pace.arrivals,
            burst_size: pace.burst_size,
            draws: Draws::new(seed, Purpose::ArrivalGap),
            gaps_ahead: DrawnAhead::NONE,
            groups: Draws::new(seed, Purpose::Group),
            hot: Draws::new(seed, Purpose::HotKey),
            to,
            kind: MessageKind::default(),
            luggage: None,
            poison_pending: 0,
            outbox: None,
            gap,
            left_in_pattern_burst: 0,
            presented: 0,
            held: None,
            held_since: Instant::START,
            last_held: None,
            burst_pending: 0,
        };
        producer.begin_gap(Instant::START, Work::NONE);
        producer
    }

    /// When its clock brings the next message; `None` while it stands still.
    #[must_use]
    #[inline(always)]
    pub fn next_arrival(&self) -> Option<Instant> {
        let since = self.gap.running_since?;
        let left = Work(self.gap.work.0.saturating_sub(self.gap.done.0));
        Some(since + self.rate.time_for(left)?)
    }

    /// Its clock has brought a message: presents it and begins the next gap. Returns the message
    /// and the excess, the work done beyond the end of the gap.
    #[inline(always)]
    pub fn present_next(&mut self, now: Instant) -> (MessageId, Work) {
        let excess = Work(self.gap_done(now).0.saturating_sub(self.gap.work.0));
        self.begin_gap(now, excess);
        (self.present(), excess)
    }

    /// Presents one message of a burst on command, if one is left.
    pub fn present_from_burst(&mut self) -> Option<MessageId> {
        self.burst_pending = self.burst_pending.checked_sub(1)?;
        Some(self.present())
    }

    /// `id` found no room: it stays in the producer's hand and the arrival clock stops. A gap
    /// that has only just begun begins afresh when the clock runs again.
    pub fn hold(&mut self, now: Instant, id: MessageId) {
        self.gap.done = if self.gap.begun_at == now { Work::NONE } else { self.gap_done(now) };
        self.gap.running_since = None;
        (self.held, self.held_since, self.last_held) = (Some(id), now, Some(id));
    }

    /// Takes the held message out of the producer's hand, to present it again.
    pub const fn take_held(&mut self) -> Option<MessageId> {
        self.held.take()
    }

    /// The arrival clock runs again.
    pub const fn resume(&mut self, now: Instant) {
        self.gap.running_since = Some(now);
    }

    /// Adds a burst on command of `count` messages.
    pub const fn add_burst(&mut self, count: u64) {
        self.burst_pending = self.burst_pending.saturating_add(count);
    }

    /// Sets the rate; what remains of the gap is rescaled at once.
    pub fn set_rate(&mut self, now: Instant, rate: Rate) {
        self.gap.done = self.gap_done(now);
        self.gap.running_since = self.gap.running_since.map(|_| now);
        self.rate = rate;
    }

    /// Sets the spacing; the gap before the next message is drawn anew, keeping the share of it
    /// that is done.
    pub fn set_arrivals(&mut self, now: Instant, arrivals: ArrivalPattern, burst_size: u64) {
        self.arrivals = arrivals;
        self.burst_size = burst_size;
        self.left_in_pattern_burst = 0;
        let share_millionths = self.gap_done_millionths(now);
        let runs = self.gap.running_since.is_some();
        self.begin_gap(now, Work::NONE);
        self.gap.done = Work(mul_div(self.gap.work.0, u64::from(share_millionths), 1_000_000));
        self.gap.running_since = runs.then_some(now);
    }

    /// Sets what its messages are like from now on.
    pub fn set_kind(&mut self, kind: MessageKind) {
        self.kind = kind;
        let plain = kind.properties == Properties::default();
        self.luggage = (!plain).then(|| Rc::new(Luggage::with(kind.properties)));
    }

    /// What its messages are like.
    #[must_use]
    pub const fn kind(&self) -> &MessageKind {
        &self.kind
    }

    /// Sets where it sends from now on.
    pub const fn set_target(&mut self, to: Target) {
        self.to = to;
    }

    /// Where it sends.
    #[must_use]
    pub const fn target(&self) -> Target {
        self.to
    }

    /// Whether its next message is like any other: it carries nothing, is not poison, there is
    /// no burst beside it, and its producer sends as it comes.
    #[must_use]
    #[inline(always)]
    pub const fn is_plain(&self) -> bool {
        self.luggage.is_none()
            && self.outbox.is_none()
            && self.kind.group_count <= 1
            && self.poison_pending == 0
            && self.burst_pending == 0
    }

    /// The next `count` messages are poison.
    pub const fn add_poison(&mut self, count: u64) {
        self.poison_pending = self.poison_pending.saturating_add(count);
    }

    /// Whether the message that is presented now is poison by command.
    pub fn takes_poison(&mut self) -> bool {
        let takes = self.poison_pending > 0;
        self.poison_pending -= u64::from(takes);
        takes
    }

    /// Messages it holds: the one that found no room, what is left of bursts, and what its own
    /// rules hold back.
    #[must_use]
    pub fn held_back(&self) -> u64 {
        let by_rules = self.outbox.as_ref().map_or(0, |outbox| outbox.held_back());
        u64::from(self.held.is_some()) + self.burst_pending + by_rules
    }

    /// Messages of bursts on command that it has yet to present.
    #[must_use]
    pub const fn burst_pending(&self) -> u64 {
        self.burst_pending
    }

    /// The message that found no room.
    #[must_use]
    pub const fn held(&self) -> Option<MessageId> {
        self.held
    }

    /// The message that found no room, as it goes to the queue.
    #[must_use]
    pub fn held_message(&self, now: Instant) -> Option<Message> {
        self.held.map(|id| self.message(id, now))
    }

    /// Since when it has waited with the message that found no room.
    #[must_use]
    pub const fn held_since(&self) -> Instant {
        self.held_since
    }

    /// Whether it holds a message that found no room.
    #[must_use]
    pub const fn is_blocked(&self) -> bool {
        self.held.is_some()
    }

    /// All messages that it wanted to hand over, those of a burst from the burst's start.
    #[must_use]
    pub const fn offered(&self) -> u64 {
        self.presented + self.burst_pending
    }

    /// Which message its message of that number is.
    #[must_use]
    pub const fn id_of(&self, number: u64) -> MessageId {
        MessageId::new(self.sender, number)
    }

    /// The number of the next message that it presents.
    #[must_use]
    pub const fn next_number(&self) -> u64 {
        self.presented + 1
    }

    /// Its rate.
    #[must_use]
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// How its messages are paced.
    #[must_use]
    pub const fn pace(&self) -> ProducerPace {
        ProducerPace { rate: self.rate, arrivals: self.arrivals, burst_size: self.burst_size }
    }

    /// How much of the gap is over, in millionths.
    #[must_use]
    pub fn gap_done_millionths(&self, now: Instant) -> u32 {
        if self.gap.work.0 == 0 {
            return 1_000_000;
        }
        let done = self.gap_done(now).0.min(self.gap.work.0);
        u32::try_from(mul_div(done, 1_000_000, self.gap.work.0)).unwrap_or(1_000_000)
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for value in [
            u64::from(self.sender),
            self.rate.thousandths(),
            self.arrivals as u64,
            self.burst_size,
            self.gap.index,
            self.gap.begun_at.micros(),
            self.gap.work.0,
            self.gap.done.0,
            self.gap.running_since.map_or(u64::MAX, Instant::micros),
            self.left_in_pattern_burst,
            self.presented,
            self.held.map_or(u64::MAX, MessageId::raw),
            self.held_since.micros(),
            self.burst_pending,
            match self.to {
                Target::Queue(queue) => queue.0 as u64,
                Target::Topic(topic) => 1 << 32 | topic.0 as u64,
            },
            self.poison_pending,
            self.kind.group_count,
        ] {
            hasher.write(value);
        }
        self.outbox.iter().for_each(|outbox| outbox.hash_into(hasher));
    }

    fn present(&mut self) -> MessageId {
        self.presented += 1;
        self.id_of(self.presented)
    }

    #[inline]
    fn begin_gap(&mut self, now: Instant, done: Work) {
        let work = self.next_gap_work();
        self.gap = Gap { index: self.gap.index + 1, begun_at: now, work, done, running_since: Some(now) };
    }

    #[inline]
    fn next_gap_work(&mut self) -> Work {
        match self.arrivals {
            ArrivalPattern::Steady => Work::ONE_MESSAGE,
            ArrivalPattern::Poisson => {
                let (draws, origin) = (self.draws, u64::from(self.origin));
                let gap = |attempt| draws.exponential(DrawKey { origin, role: 0, attempt }, 1);
                self.gaps_ahead.take(self.gap.index, gap)
            }
            ArrivalPattern::Bursts if self.left_in_pattern_burst > 0 => {
                self.left_in_pattern_burst -= 1;
                Work::NONE
            }
            ArrivalPattern::Bursts => {
                self.left_in_pattern_burst = self.burst_size - 1;
                Work(Work::ONE_MESSAGE.0 * self.burst_size)
            }
        }
    }

    #[inline(always)]
    fn gap_done(&self, now: Instant) -> Work {
        let elapsed = self.gap.running_since.map(|since| now.since(since)).unwrap_or_default();
        Work(self.gap.done.0.saturating_add(self.rate.work_in(elapsed).0))
    }
}

/// `value × factor ÷ divisor`, rounded down, without overflow; `divisor` is not zero.
pub(super) fn mul_div(value: u64, factor: u64, divisor: u64) -> u64 {
    // Wide division is slow in wasm, and seldom needed.
    if value <= u64::from(u32::MAX) && factor <= u64::from(u32::MAX) {
        return value * factor / divisor;
    }
    let exact = u128::from(value) * u128::from(factor) / u128::from(divisor);
    u64::try_from(exact).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::routes::QueueIndex;
    use super::super::time::Span;
    use super::*;

    fn producer(per_second: u64, arrivals: ArrivalPattern, burst_size: u64) -> Producer {
        let pace = ProducerPace { rate: Rate::from_per_second(per_second), arrivals, burst_size };
        Producer::new(0, 0, Target::Queue(QueueIndex(0)), pace, 1)
    }

    fn arrivals(producer: &mut Producer, count: usize) -> Vec<u64> {
        (0..count)
            .map(|_| {
                let at = producer.next_arrival().expect("it runs");
                producer.present_next(at);
                at.micros()
            })
            .collect()
    }

    #[test]
    fn the_excess_of_a_gap_is_carried_so_that_no_microsecond_is_lost() {
        let mut six = producer(6, ArrivalPattern::Steady, 1);
        assert_eq!(arrivals(&mut six, 6), [166_667, 333_334, 500_000, 666_667, 833_334, 1_000_000]);
    }

    #[test]
    fn bursts_keep_the_rate() {
        let mut bursty = producer(10, ArrivalPattern::Bursts, 5);
        let times = arrivals(&mut bursty, 15);
        assert_eq!(times, [vec![500_000; 5], vec![1_000_000; 5], vec![1_500_000; 5]].concat());
    }

    #[test]
    fn a_dial_rescales_what_remains_and_zero_freezes_it() {
        let mut slow = producer(0, ArrivalPattern::Steady, 1);
        assert_eq!(slow.next_arrival(), None);
        slow.set_rate(Instant::from_seconds(5), Rate::from_thousandths(10));
        assert_eq!(slow.next_arrival(), Some(Instant::from_seconds(105)));
        slow.set_rate(Instant::from_seconds(55), Rate::from_per_second(10));
        assert_eq!(slow.next_arrival(), Some(Instant::from_seconds(55) + Span::from_millis(50)));
    }

    #[test]
    fn a_blocked_producer_holds_one_message_and_its_clock_stops() {
        let mut blocked = producer(8, ArrivalPattern::Steady, 1);
        let first = blocked.next_arrival().expect("it runs");
        let (id, _) = blocked.present_next(first);
        blocked.hold(first, id);
        assert_eq!((blocked.next_arrival(), blocked.held_back(), blocked.offered()), (None, 1, 1));
        assert_eq!(blocked.take_held(), Some(id));
        blocked.resume(Instant::from_seconds(9));
        assert_eq!(blocked.next_arrival(), Some(Instant::from_seconds(9) + Span::from_millis(125)));
    }
}
