//! The work queue: a state machine of explicit operations that take `now`.
//!
//! It works without the agenda and without a simulation, so that recorded broker scripts replay
//! on the very machine that the simulation drives. A waiting message goes to one of the
//! subscribed consumers that has nothing, in turn (RabbitMQ's round robin over consumers with
//! free prefetch, here 1); a message that was handed over is in flight until it is acknowledged.
//! Overflow is judged after dispatch: a free consumer takes a message whatever the bound.
//! There is deliberately no clock in here and no draw.

use std::collections::VecDeque;

use super::line::Line;
use super::message::{Message, MessageId};
use super::settings::{Bound, OverflowPolicy};
use super::state_hash::StateHasher;
use super::time::Instant;

/// One of a queue's subscribers, by its index in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConsumerIndex(pub u32);

/// Names one handing over of one message; used once, to acknowledge it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeliveryTag(u32);

/// A message on its way to a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// What to acknowledge it by.
    pub tag: DeliveryTag,
    /// The message.
    pub message: Message,
    /// Who gets it.
    pub consumer: ConsumerIndex,
}

/// What became of a message that was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// A free consumer took it at once.
    HandedOver(Delivery),
    /// It waits.
    Accepted,
    /// It waits, and this oldest waiting message was dropped for it.
    AcceptedInsteadOf(Message),
    /// The queue is at its bound: the sender is told.
    Rejected,
    /// The queue is at its bound: dropped, nobody is told.
    DroppedNew,
    /// The queue is at its bound and has no room; the producer keeps the message. Nothing was
    /// counted.
    NoRoom,
}

/// A work queue with first in, first out order.
#[derive(Clone, Debug)]
pub struct WorkQueue {
    bound: Bound,
    overflow: OverflowPolicy,
    ready: Line,
    in_flight: InFlight,
    /// Subscribed consumers that have nothing, in the order of their turn.
    free: VecDeque<ConsumerIndex>,
    counts: QueueCounts,
}

/// What a queue has counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Messages taken in.
    pub accepted: u64,
    /// Messages acknowledged.
    pub done: u64,
    /// Messages refused with word to the sender.
    pub rejected: u64,
    /// Messages dropped on arrival.
    pub dropped_new: u64,
    /// Messages dropped from the front.
    pub dropped_oldest: u64,
}

impl WorkQueue {
    /// An empty queue without subscribers.
    #[must_use]
    pub fn new(bound: Bound, overflow: OverflowPolicy) -> Self {
        Self {
            bound,
            overflow,
            ready: Line::default(),
            in_flight: InFlight::default(),
            free: VecDeque::new(),
            counts: QueueCounts::default(),
        }
    }

    /// The consumer may be given messages from now on, one at a time.
    pub fn subscribe(&mut self, consumer: ConsumerIndex) {
        debug_assert!(!self.free.contains(&consumer), "a consumer subscribes once");
        self.free.push_back(consumer);
    }

    /// The consumer is given no more messages. What it has stays in flight.
    pub fn unsubscribe(&mut self, consumer: ConsumerIndex) {
        self.free.retain(|free| *free != consumer);
    }

    /// A message arrives.
    pub fn publish(&mut self, now: Instant, id: MessageId) -> Published {
        let message = Message { id, accepted_at: now };
        if let Some(consumer) = self.free_consumer_without_work() {
            self.counts.accepted += 1;
            return Published::HandedOver(self.hand_over(message, consumer));
        }
        if self.has_room() {
            self.counts.accepted += 1;
            self.ready.push_back(message);
            return Published::Accepted;
        }
        self.overflow(message)
    }

    fn overflow(&mut self, message: Message) -> Published {
        match self.overflow {
            OverflowPolicy::Block => Published::NoRoom,
            OverflowPolicy::Reject => {
                self.counts.rejected += 1;
                Published::Rejected
            }
            OverflowPolicy::DropNew => {
                self.counts.dropped_new += 1;
                Published::DroppedNew
            }
            OverflowPolicy::DropOldest => {
                self.counts.accepted += 1;
                self.counts.dropped_oldest += 1;
                self.ready.push_back(message);
                // At bound 0 nothing waits, so the newest is also the oldest: it is the victim.
                Published::AcceptedInsteadOf(self.ready.pop_front().unwrap_or(message))
            }
        }
    }

    /// Hands the first waiting message to the consumer whose turn it is, if both are there.
    pub fn dispatch(&mut self) -> Option<Delivery> {
        if self.ready.is_empty() {
            return None;
        }
        let consumer = self.free.pop_front()?;
        let message = self.ready.pop_front()?;
        Some(self.hand_over(message, consumer))
    }

    /// The delivery is done: the queue forgets the message, and the consumer is free again if it
    /// `stays`. `None` for a tag that is not in flight.
    pub fn acknowledge(&mut self, tag: DeliveryTag, stays: bool) -> Option<Delivery> {
        let delivery = self.in_flight.take(tag)?;
        self.counts.done += 1;
        if stays {
            self.free.push_back(delivery.consumer);
        }
        Some(delivery)
    }

    /// Drops the oldest waiting message where more wait than the bound allows and the policy is
    /// to drop the oldest, as after the bound was lowered (RabbitMQ `drop-head`).
    pub fn trim_one(&mut self) -> Option<Message> {
        if !self.needs_trim() {
            return None;
        }
        self.counts.dropped_oldest += 1;
        self.ready.pop_front()
    }

    /// Whether [`Self::trim_one`] has something to drop.
    #[must_use]
    pub fn needs_trim(&self) -> bool {
        self.overflow == OverflowPolicy::DropOldest && !self.is_within_bound()
    }

    /// Sets how many may wait. Those that wait already stay.
    pub const fn set_bound(&mut self, bound: Bound) {
        self.bound = bound;
    }

    /// Sets what happens at the bound.
    pub const fn set_overflow(&mut self, overflow: OverflowPolicy) {
        self.overflow = overflow;
    }

    /// Whether a message published now would find no room, so that its producer must keep it.
    #[must_use]
    pub fn would_block(&self) -> bool {
        let is_taken_at_once = self.ready.is_empty() && !self.free.is_empty();
        self.overflow == OverflowPolicy::Block && !is_taken_at_once && !self.has_room()
    }

    /// How many may wait.
    #[must_use]
    pub const fn bound(&self) -> Bound {
        self.bound
    }

    /// What happens at the bound.
    #[must_use]
    pub const fn overflow_policy(&self) -> OverflowPolicy {
        self.overflow
    }

    /// The waiting messages.
    #[must_use]
    pub const fn ready(&self) -> &Line {
        &self.ready
    }

    /// How many are with consumers.
    #[must_use]
    pub const fn in_flight(&self) -> u64 {
        self.in_flight.len
    }

    /// How many are with consumers, counted one by one.
    #[must_use]
    pub fn recount_in_flight(&self) -> u64 {
        self.in_flight.slots.iter().flatten().count() as u64
    }

    /// How many subscribed consumers have nothing.
    #[must_use]
    pub fn free_consumers(&self) -> usize {
        self.free.len()
    }

    /// What it has counted.
    #[must_use]
    pub const fn counts(&self) -> QueueCounts {
        self.counts
    }

    fn hand_over(&mut self, message: Message, consumer: ConsumerIndex) -> Delivery {
        self.in_flight.put(message, consumer)
    }

    fn free_consumer_without_work(&mut self) -> Option<ConsumerIndex> {
        if self.ready.is_empty() { self.free.pop_front() } else { None }
    }

    fn has_room(&self) -> bool {
        match self.bound {
            Bound::None => true,
            Bound::Messages(bound) => self.ready.len() < bound,
        }
    }

    fn is_within_bound(&self) -> bool {
        match self.bound {
            Bound::None => true,
            Bound::Messages(bound) => self.ready.len() <= bound,
        }
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(match self.bound {
            Bound::Messages(bound) => bound,
            Bound::None => u64::MAX,
        });
        hasher.write(self.overflow as u64);
        self.ready.hash_into(hasher);
        self.in_flight.hash_into(hasher);
        hasher.write(self.free.len() as u64);
        self.free.iter().for_each(|consumer| hasher.write(u64::from(consumer.0)));
        let counts = self.counts;
        for count in
            [counts.accepted, counts.done, counts.rejected, counts.dropped_new, counts.dropped_oldest]
        {
            hasher.write(count);
        }
    }
}

/// Messages with consumers, by tag. A tag is used again once it was acknowledged.
#[derive(Clone, Debug, Default)]
struct InFlight {
    slots: Vec<Option<Delivery>>,
    unused: Vec<DeliveryTag>,
    len: u64,
}

impl InFlight {
    #[allow(clippy::cast_possible_truncation)]
    fn put(&mut self, message: Message, consumer: ConsumerIndex) -> Delivery {
        let tag = self.unused.pop().unwrap_or_else(|| {
            self.slots.push(None);
            // At most 4,000,000 messages are held in all, far below 2³².
            DeliveryTag(self.slots.len() as u32 - 1)
        });
        let delivery = Delivery { tag, message, consumer };
        self.slots[tag.0 as usize] = Some(delivery);
        self.len += 1;
        delivery
    }

    fn take(&mut self, tag: DeliveryTag) -> Option<Delivery> {
        let delivery = self.slots.get_mut(tag.0 as usize)?.take()?;
        self.unused.push(tag);
        self.len -= 1;
        Some(delivery)
    }

    fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.len);
        for delivery in self.slots.iter().flatten() {
            hasher.write(u64::from(delivery.tag.0));
            hasher.write(u64::from(delivery.consumer.0));
            delivery.message.hash_into(hasher);
        }
        self.unused.iter().for_each(|tag| hasher.write(u64::from(tag.0)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(bound: u64, overflow: OverflowPolicy) -> WorkQueue {
        WorkQueue::new(Bound::Messages(bound), overflow)
    }

    fn publish(queue: &mut WorkQueue, number: u64) -> Published {
        queue.publish(Instant::from_seconds(number), MessageId::new(0, number))
    }

    fn waiting(queue: &WorkQueue) -> Vec<u64> {
        queue.ready().iter().map(|message| message.id.number()).collect()
    }

    fn number(published: Published) -> Option<u64> {
        match published {
            Published::HandedOver(delivery) => Some(delivery.message.id.number()),
            Published::AcceptedInsteadOf(message) => Some(message.id.number()),
            _ => None,
        }
    }

    #[test]
    fn each_policy_does_what_it_says_to_the_right_message() {
        for (policy, third, left) in [
            (OverflowPolicy::Block, Published::NoRoom, vec![1, 2]),
            (OverflowPolicy::Reject, Published::Rejected, vec![1, 2]),
            (OverflowPolicy::DropNew, Published::DroppedNew, vec![1, 2]),
        ] {
            let mut queue = queue(2, policy);
            assert_eq!(publish(&mut queue, 1), Published::Accepted);
            assert_eq!(publish(&mut queue, 2), Published::Accepted);
            assert_eq!(publish(&mut queue, 3), third);
            assert_eq!(waiting(&queue), left);
        }
        let mut dropping = queue(2, OverflowPolicy::DropOldest);
        (1..=2).for_each(|number| assert_eq!(publish(&mut dropping, number), Published::Accepted));
        assert_eq!(number(publish(&mut dropping, 3)), Some(1));
        assert_eq!(waiting(&dropping), vec![2, 3]);
    }

    #[test]
    fn bound_zero_hands_over_only_to_a_free_consumer() {
        for policy in OverflowPolicy::ALL {
            let mut queue = queue(0, *policy);
            queue.subscribe(ConsumerIndex(0));
            assert!(matches!(publish(&mut queue, 1), Published::HandedOver(_)), "{policy:?}");
            let second = publish(&mut queue, 2);
            assert!(!matches!(second, Published::HandedOver(_) | Published::Accepted), "{policy:?}");
            assert_eq!(waiting(&queue), Vec::<u64>::new(), "{policy:?}");
        }
        let mut dropping = queue(0, OverflowPolicy::DropOldest);
        assert_eq!(number(publish(&mut dropping, 1)), Some(1), "the newest is also the oldest");
    }

    #[test]
    fn consumers_take_turns_and_an_acknowledged_message_is_forgotten() {
        let mut queue = queue(10, OverflowPolicy::Reject);
        queue.subscribe(ConsumerIndex(0));
        queue.subscribe(ConsumerIndex(1));
        let Published::HandedOver(first) = publish(&mut queue, 1) else { panic!("a consumer is free") };
        let Published::HandedOver(second) = publish(&mut queue, 2) else { panic!("a consumer is free") };
        assert_eq!((first.consumer, second.consumer), (ConsumerIndex(0), ConsumerIndex(1)));
        assert_eq!(publish(&mut queue, 3), Published::Accepted);
        assert_eq!(queue.dispatch(), None, "both are busy");
        assert!(queue.acknowledge(second.tag, true).is_some());
        assert_eq!(queue.acknowledge(second.tag, true), None, "a tag is used once");
        let third = queue.dispatch().map(|delivery| (delivery.message.id.number(), delivery.consumer));
        assert_eq!(third, Some((3, ConsumerIndex(1))));
        assert_eq!((queue.in_flight(), queue.recount_in_flight()), (2, 2));
    }

    #[test]
    fn a_consumer_that_leaves_gets_nothing_more() {
        let mut queue = queue(10, OverflowPolicy::Reject);
        queue.subscribe(ConsumerIndex(0));
        queue.unsubscribe(ConsumerIndex(0));
        assert_eq!(publish(&mut queue, 1), Published::Accepted);
        assert_eq!(queue.dispatch(), None);
    }

    #[test]
    fn a_lowered_bound_trims_only_where_the_oldest_is_dropped() {
        let mut queue = queue(5, OverflowPolicy::DropOldest);
        (1..=5).for_each(|number| assert_eq!(publish(&mut queue, number), Published::Accepted));
        queue.set_bound(Bound::Messages(3));
        assert_eq!(queue.trim_one().map(|message| message.id.number()), Some(1));
        queue.set_overflow(OverflowPolicy::Reject);
        assert_eq!(queue.trim_one(), None);
        assert_eq!(waiting(&queue), vec![2, 3, 4, 5]);
    }
}
