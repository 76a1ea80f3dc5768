//! The work queue: a state machine of explicit operations that take `now`.
//!
//! It works without the agenda and without a simulation, so that recorded broker scripts replay
//! on the very machine that the simulation drives. A waiting message goes to one of the
//! subscribed consumers that have room, in turn, or to whoever asks for it; a message that was
//! handed over is in flight until it is acknowledged, comes back, or dies. Where brokers differ,
//! the queue follows its [`QueueRules`]. Overflow is judged after dispatch: a free consumer takes
//! a message whatever the bound.
//!
//! Nothing is due by itself: whoever drives the queue calls [`WorkQueue::expire`] at the instants
//! that [`WorkQueue::next_expiry`] names. There is deliberately no clock in here and no draw.

mod ages;
mod connections;
mod counts;
mod groups;
mod in_flight;
mod lines;
mod operations;
mod plain;
mod ready;
pub mod rules;
mod subscribers;
#[cfg(test)]
mod tests;
mod two_to_one;

use std::collections::VecDeque;

pub use counts::QueueCounts;
pub use in_flight::{Delivery, DeliveryTag};
pub use ready::Ready;
pub use subscribers::{ConsumerIndex, NOBODY};

use in_flight::{InFlight, Unanswered};
use ready::{Place, Waiting};
use rules::{BoundCounts, QueueRules};
use subscribers::Subscribers;

use super::held::HeldBytes;
use super::message::{DeathReason, Message, MessageId};
use super::ordered::Ordered;
use super::settings::{Bound, OverflowPolicy};
use super::state_hash::StateHasher;
use super::time::Instant;

/// What became of a message that was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// A free consumer took it at once.
    HandedOver(Delivery),
    /// It waits. Where the oldest are dropped, others may have had to go for it, or itself.
    Accepted,
    /// The queue is at its bound: the sender is told.
    Rejected,
    /// The queue is at its bound: dropped, nobody is told.
    DroppedNew,
    /// The queue is at its bound and has no room; the producer keeps the message. Nothing was
    /// counted.
    NoRoom,
    /// One with the same deduplication id was accepted lately: the sender is told that it was
    /// accepted, and it is gone.
    Duplicate,
}

/// What a consumer, or its end, says of a delivery that is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenBack {
    /// Negative acknowledgement: try it again (RabbitMQ `basic.nack` with requeue).
    Requeued,
    /// Rejected: try it again (RabbitMQ `basic.reject` with requeue).
    RejectedAndRequeued,
    /// Try it again, but not before that instant (SQS visibility changed to it, delayed retry).
    RequeuedUntil(Instant),
    /// The consumer crashed or its connection was lost.
    ConsumerLost,
    /// Rejected for good: a dead letter.
    Rejected,
}

/// What became of a delivery that was given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// It waits again.
    Waits(MessageId),
    /// It died; see [`WorkQueue::take_departed`].
    Died(MessageId),
}

/// A message that left the queue without being done, for its broker to route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departed {
    /// The message.
    pub message: Message,
    /// How often it was handed over here.
    pub deliveries: u32,
    /// Why it left.
    pub cause: Cause,
}

/// Why a message left a queue without being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It died, and may become a dead letter.
    Died(DeathReason),
    /// It was refused on arrival, and may become a dead letter all the same.
    RefusedAtBound,
    /// It was kept for as long as the queue keeps messages: gone for good.
    RetentionOver,
}

/// A work queue.
#[derive(Clone, Debug)]
pub struct WorkQueue {
    rules: QueueRules,
    ready: Ready,
    /// Messages that may not be received before their instant.
    delayed: Ordered<(Waiting, Place)>,
    /// From when on each of them counts as kept, and its key among them; empty where messages are
    /// kept for ever.
    delayed_sent: Ordered<()>,
    in_flight: InFlight,
    subscribers: Subscribers,
    /// Deliveries of consumers that went away, still to be given back.
    orphans: VecDeque<DeliveryTag>,
    /// Deliveries that the queue took back while their consumers go on with them, and who: until
    /// they answer, they count as theirs.
    overdue: Ordered<ConsumerIndex>,
    /// Deduplication ids, and until when they count.
    seen: Ordered<Instant>,
    seen_in_order: VecDeque<(Instant, u64)>,
    departed: VecDeque<Departed>,
    counts: QueueCounts,
    delayed_total: u64,
    /// Bytes of the delayed messages.
    delayed_bytes: u64,
    /// Whether a message with a time limit of its own ever came in.
    carries_ttl: bool,
}

impl WorkQueue {
    /// An empty queue without subscribers.
    #[must_use]
    pub fn new(rules: QueueRules) -> Self {
        Self {
            ready: Ready::new(&rules),
            rules,
            delayed: Ordered::default(),
            delayed_sent: Ordered::default(),
            in_flight: InFlight::default(),
            subscribers: Subscribers::default(),
            orphans: VecDeque::new(),
            overdue: Ordered::default(),
            seen: Ordered::default(),
            seen_in_order: VecDeque::new(),
            departed: VecDeque::new(),
            counts: QueueCounts::default(),
            delayed_total: 0,
            delayed_bytes: 0,
            carries_ttl: false,
        }
    }

    /// Sets how many may wait. Those that wait already stay, unless the oldest are dropped.
    pub const fn set_bound(&mut self, bound: Bound) {
        self.rules.bound = bound;
    }

    /// Sets what happens at the bound.
    pub const fn set_overflow(&mut self, overflow: OverflowPolicy) {
        self.rules.overflow = overflow;
    }

    /// How many may wait.
    #[must_use]
    pub const fn bound(&self) -> Bound {
        self.rules.bound
    }

    /// What happens at the bound.
    #[must_use]
    pub const fn overflow_policy(&self) -> OverflowPolicy {
        self.rules.overflow
    }

    /// The rules it follows. Order and priorities hold from the start and are not changed.
    #[must_use]
    pub const fn rules(&self) -> &QueueRules {
        &self.rules
    }

    /// Sets all rules but order and priorities.
    pub fn set_rules(&mut self, rules: QueueRules) {
        let was_kept_for_ever = self.rules.retention.is_none();
        self.rules = rules;
        if self.rules.retention.is_none() != was_kept_for_ever {
            self.sort_delayed();
        }
    }

    /// Whether more wait than the bound allows and the policy is to drop the oldest.
    #[must_use]
    pub fn needs_trim(&self) -> bool {
        self.rules.overflow == OverflowPolicy::DropOldest && !self.is_within_bound()
    }

    /// Whether the message would find no room now, so that its producer must keep it.
    #[must_use]
    pub fn would_block(&self, message: &Message) -> bool {
        self.rules.overflow == OverflowPolicy::Block && self.would_refuse(message)
    }

    /// Whether the message would not be taken in now.
    #[must_use]
    pub fn would_refuse(&self, message: &Message) -> bool {
        self.rules.overflow != OverflowPolicy::DropOldest
            && !self.has_room(message.properties().bytes)
            && self.taker(message).is_none()
    }

    /// Who would take the message as it comes: it would be first in line, and somebody is free.
    fn taker(&self, message: &Message) -> Option<ConsumerIndex> {
        let consumer = self.subscribers.next()?;
        (self.may_deliver() && self.ready.would_go_first(message)).then_some(consumer)
    }

    /// Whether the message that goes next could be handed to somebody now.
    #[must_use]
    pub fn could_deliver(&self) -> bool {
        self.may_deliver() && self.ready.head(self.rules.order).is_some()
    }

    /// Whether something in it may be due by itself.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        let rules = &self.rules;
        rules.ttl.is_some()
            || rules.visibility_timeout.is_some()
            || rules.retention.is_some()
            || !self.delayed.is_empty()
    }

    /// The waiting messages.
    #[must_use]
    pub const fn ready(&self) -> &Ready {
        &self.ready
    }

    /// How many may not be received yet.
    #[must_use]
    pub fn delayed(&self) -> u64 {
        self.delayed.len() as u64
    }

    /// How many are with consumers.
    #[must_use]
    pub const fn in_flight(&self) -> u64 {
        self.in_flight.len()
    }

    /// All that may not be received yet.
    pub fn delayed_messages(&self) -> impl Iterator<Item = &Message> {
        self.delayed.iter().map(|(_, (waiting, _))| &waiting.message)
    }

    /// What a consumer has, as the queue sees it: what is in flight with it, and what it has not
    /// answered though the queue took it back.
    #[must_use]
    pub fn recount_unacknowledged(&self, consumer: ConsumerIndex) -> u64 {
        let in_flight = self.in_flight.of_consumer(consumer).len();
        (in_flight + self.overdue.iter().filter(|(_, other)| **other == consumer).count()) as u64
    }

    /// How many are with consumers, counted one by one.
    #[must_use]
    pub fn recount_in_flight(&self) -> u64 {
        self.in_flight.recount()
    }

    /// The messages that are with consumers, and who has them: [`NOBODY`] where that consumer is gone.
    pub fn unanswered(&self) -> impl Iterator<Item = (&Message, ConsumerIndex)> {
        self.in_flight.iter()
    }

    /// Deliveries that nobody has answered yet, and who has them.
    pub fn in_flight_with(&self) -> impl Iterator<Item = (DeliveryTag, ConsumerIndex)> {
        self.in_flight.tags()
    }

    /// The message of a delivery that nobody has answered yet.
    #[must_use]
    pub fn delivered(&self, tag: DeliveryTag) -> Option<&Message> {
        self.in_flight.get(tag).map(|held| &held.waiting.message)
    }

    /// Messages it holds: waiting, delayed and in flight.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.ready.len() + self.delayed() + self.in_flight.len()
    }

    /// Bytes of all these.
    #[must_use]
    pub const fn held_bytes(&self) -> u64 {
        self.ready.bytes() + self.delayed_bytes + self.in_flight.bytes()
    }

    /// Bytes of all these, added up one by one.
    #[must_use]
    pub fn recount_bytes(&self) -> u64 {
        let waiting = self.ready.iter().chain(self.delayed_messages());
        waiting.chain(self.in_flight.iter().map(|(message, _)| message)).map(Message::bytes).sum()
    }

    /// How many subscribed consumers have room for one more message.
    #[must_use]
    pub fn consumers_with_room(&self) -> usize {
        self.subscribers.with_room()
    }

    /// How many unacknowledged messages the consumer has.
    #[must_use]
    pub fn unacknowledged(&self, consumer: ConsumerIndex) -> u32 {
        self.subscribers.unacknowledged(consumer)
    }

    /// Whether it may have more in flight.
    #[must_use]
    pub fn may_deliver(&self) -> bool {
        self.rules.in_flight_max.is_none_or(|max| self.in_flight.len() < max)
    }

    /// What it has counted.
    #[must_use]
    pub const fn counts(&self) -> QueueCounts {
        self.counts
    }

    /// The next message that left without being done since this was last called.
    pub fn take_departed(&mut self) -> Option<Departed> {
        self.departed.pop_front()
    }

    /// Whether a message left and was not taken yet.
    #[must_use]
    pub fn has_departed(&self) -> bool {
        !self.departed.is_empty()
    }

    fn counted(&self) -> u64 {
        match self.rules.bound_counts {
            BoundCounts::Ready => self.ready.len(),
            BoundCounts::ReadyAndInFlight => self.ready.len() + self.in_flight.len(),
        }
    }

    /// Whether a message of so many bytes may come in.
    fn has_room(&self, bytes: u64) -> bool {
        let (counted, spare) = (self.counted(), u64::from(self.rules.refuses_above_bound));
        let by_messages = match self.rules.bound {
            Bound::None => true,
            Bound::Messages(bound) => counted < bound + spare,
        };
        let by_bytes = self.rules.bound_bytes.is_none_or(|bound| self.ready.bytes() + bytes <= bound);
        by_messages && by_bytes
    }

    fn is_within_bound(&self) -> bool {
        let by_messages = match self.rules.bound {
            Bound::None => true,
            Bound::Messages(bound) => self.counted() <= bound || self.ready.is_empty(),
        };
        by_messages && self.rules.bound_bytes.is_none_or(|bound| self.ready.bytes() <= bound)
    }

    /// Counts the bytes it holds; those in flight stand with their consumers too.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.ready.count_held(held);
        held.tree::<((Instant, u64), (Waiting, Place))>(self.delayed.len());
        held.own::<(Unanswered, Delivery)>(usize::try_from(self.in_flight.len()).unwrap_or(usize::MAX));
        held.own::<DeliveryTag>(self.orphans.len());
        held.tree::<(u64, Instant, [u64; 2])>(self.seen.len());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        self.rules.hash_into(hasher);
        self.ready.hash_into(hasher);
        for ([until, order, _], (waiting, place)) in self.delayed.iter() {
            hasher.write(until);
            hasher.write(order);
            waiting.hash_into(hasher);
            place.hash_into(hasher);
        }
        self.in_flight.hash_into(hasher);
        self.subscribers.hash_into(hasher);
        for (_, consumer) in self.overdue.iter() {
            hasher.write(u64::from(consumer.0));
        }
        for (until, id) in &self.seen_in_order {
            hasher.write(until.micros());
            hasher.write(*id);
        }
        self.counts.hash_into(hasher);
    }
}
