//! The broker: it owns all queues and their shared memory, and routes what dies in one of them.
//!
//! Where its memory is full it raises the memory alarm: publishers are blocked, consumers go on
//! draining, and a waiting publish goes in once a message has left (RabbitMQ 3.10.8,
//! `rabbitmq-recorded` among the reference vectors). Where the bytes it holds fill its disk, the disk
//! alarm does the same (RabbitMQ: documentation on alarms). Dead-lettering is not held up by the alarm
//! and is at most once: a dead letter that its queue refuses is gone.

pub mod logs;
mod redrive;

use std::collections::VecDeque;
use std::rc::Rc;

use logs::Logs;

use super::held::HeldBytes;
use super::message::{DeathReason, Message, MessageId};
use super::state_hash::StateHasher;
use super::time::{Instant, Span};
use super::work_queue::{
    Cause, ConsumerIndex, Delivery, DeliveryTag, Departed, GivenBack, Published, Returned, WorkQueue,
};

pub use super::message::QueueIndex;
pub use redrive::{Redrive, RedriveRefused};

/// All queues, and the memory they share.
#[derive(Clone, Debug)]
pub struct Broker {
    queues: Vec<Routed>,
    memory: u64,
    /// Bytes that its disk takes; `None`: there is always room.
    disk: Option<u64>,
    redrives: Vec<Redrive>,
    /// Dead letters that were chosen to go back, and from where, in that order.
    chosen: Vec<(QueueIndex, MessageId)>,
    effects: VecDeque<Effect>,
    /// Its topics, with their groups.
    pub logs: Logs,
}

/// A queue, and where its dead letters go.
#[derive(Clone, Debug)]
struct Routed {
    queue: WorkQueue,
    dead_letters_to: Option<QueueIndex>,
}

/// What became of a message that was offered to the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// The queue decided.
    Queue(Published),
    /// The broker's memory is full: the publisher is blocked. Nothing was counted.
    MemoryFull,
    /// The broker's disk is full: the same.
    DiskFull,
}

/// What followed from an operation, beside what it returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A message died in one queue and is a dead letter in another.
    DeadLettered {
        /// Which message.
        id: MessageId,
        /// Where it died.
        from: QueueIndex,
        /// Where it is now.
        to: QueueIndex,
        /// Why it died.
        reason: DeathReason,
        /// The delivery, where a consumer of that queue took it at once.
        taken: Option<Delivery>,
    },
    /// A message is gone for good.
    Gone {
        /// Which message.
        id: MessageId,
        /// The queue it was in last.
        from: QueueIndex,
        /// Why.
        why: Gone,
    },
}

/// Why a message is gone for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// It died, and its queue has no place for dead letters.
    NoDeadLetterQueue(DeathReason),
    /// It died on a way round on which no consumer had rejected it.
    AutomaticCycle(DeathReason),
    /// It died, and the queue for dead letters refused it.
    RefusedAsDeadLetter(DeathReason),
    /// The queue kept it for as long as it keeps messages.
    RetentionOver,
}

impl Broker {
    /// A broker with these queues that can hold `memory` messages in all, at least 1.
    #[must_use]
    pub fn new(queues: Vec<WorkQueue>, memory: u64) -> Self {
        let routed = |queue| Routed { queue, dead_letters_to: None };
        Self {
            queues: queues.into_iter().map(routed).collect(),
            memory,
            disk: None,
            redrives: Vec::new(),
            chosen: Vec::new(),
            effects: VecDeque::new(),
            logs: Logs::default(),
        }
    }

    /// Adds a queue. Its dead letters are gone for good until they are sent somewhere.
    pub fn add_queue(&mut self, queue: WorkQueue) -> QueueIndex {
        self.queues.push(Routed { queue, dead_letters_to: None });
        QueueIndex(self.queues.len() - 1)
    }

    /// What dies in `from` becomes a dead letter in `to`, or is gone for good.
    pub fn set_dead_letters_to(&mut self, from: QueueIndex, to: Option<QueueIndex>) {
        self.queues[from.0].dead_letters_to = to;
    }

    /// Where what dies in `from` goes.
    #[must_use]
    pub fn dead_letters_to(&self, from: QueueIndex) -> Option<QueueIndex> {
        self.queues[from.0].dead_letters_to
    }

    /// A message arrives for `queue`.
    pub fn publish(&mut self, now: Instant, queue: QueueIndex, message: Message) -> Offered {
        if self.is_memory_full() {
            return Offered::MemoryFull;
        }
        if self.is_disk_full() {
            return Offered::DiskFull;
        }
        let published = self.queues[queue.0].queue.publish(now, message);
        self.route_departed(now, queue);
        Offered::Queue(published)
    }

    /// Hands the next waiting message of `queue` to the consumer whose turn it is.
    pub fn dispatch(&mut self, now: Instant, queue: QueueIndex) -> Option<Delivery> {
        let delivery = self.queues[queue.0].queue.dispatch(now);
        self.route_departed(now, queue);
        delivery
    }

    /// A consumer asks `queue` for up to `max` messages.
    pub fn receive(
        &mut self,
        now: Instant,
        queue: QueueIndex,
        consumer: ConsumerIndex,
        max: u32,
        visibility: Option<Span>,
    ) -> Vec<Delivery> {
        let received = self.queues[queue.0].queue.receive(now, consumer, max, visibility);
        self.route_departed(now, queue);
        received
    }

    /// A delivery of `queue` is done. `false` where it was answered before.
    pub fn acknowledge(&mut self, queue: QueueIndex, tag: DeliveryTag) -> bool {
        self.queues[queue.0].queue.acknowledge(tag)
    }

    /// A delivery of `queue` is not done. `None` where it was answered before.
    pub fn give_back(
        &mut self,
        now: Instant,
        queue: QueueIndex,
        tag: DeliveryTag,
        how: GivenBack,
    ) -> Option<Returned> {
        let returned = self.queues[queue.0].queue.give_back(now, tag, how);
        self.route_departed(now, queue);
        returned
    }

    /// Takes back the next delivery of a consumer of `queue` that is gone.
    pub fn take_back_orphan(&mut self, now: Instant, queue: QueueIndex) -> Option<Returned> {
        let returned = self.queues[queue.0].queue.take_back_orphan(now);
        self.route_departed(now, queue);
        returned
    }

    /// The delivery stays hidden for `visibility` from now on.
    pub fn extend_lease(
        &mut self,
        now: Instant,
        queue: QueueIndex,
        tag: DeliveryTag,
        visibility: Span,
    ) -> bool {
        let is_extended = self.queues[queue.0].queue.extend_lease(now, tag, visibility);
        self.route_departed(now, queue);
        is_extended
    }

    /// Does one thing that is due in `queue` at `now`. Returns whether there was one.
    pub fn expire(&mut self, now: Instant, queue: QueueIndex) -> bool {
        let is_done = self.queues[queue.0].queue.expire(now);
        self.route_departed(now, queue);
        is_done
    }

    /// Drops one message that is over the bound of `queue`. Returns whether there was one.
    pub fn trim_one(&mut self, now: Instant, queue: QueueIndex) -> bool {
        let is_done = self.queues[queue.0].queue.trim_one();
        self.route_departed(now, queue);
        is_done
    }

    /// What followed from the operations since this was last empty, in order.
    pub fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// Whether there is an effect to take.
    #[must_use]
    pub fn has_effects(&self) -> bool {
        !self.effects.is_empty()
    }

    #[inline]
    fn route_departed(&mut self, now: Instant, from: QueueIndex) {
        if self.queues[from.0].queue.has_departed() {
            self.route_all_departed(now, from);
        }
    }

    fn route_all_departed(&mut self, now: Instant, from: QueueIndex) {
        let (mut at, mut left_behind) = (from, Vec::new());
        loop {
            if let Some(departed) = self.queues[at.0].queue.take_departed() {
                if let Some(to) = self.route(now, at, departed) {
                    // What this one pushed out there goes on from there. The rule about cycles
                    // cuts every way round, so the chain ends, but it can be as long as the lines.
                    left_behind.push(at);
                    at = to;
                }
            } else if let Some(before) = left_behind.pop() {
                at = before;
            } else {
                return;
            }
        }
    }

    /// Sends one message that left `from` on its way. Returns where it went.
    fn route(&mut self, now: Instant, from: QueueIndex, departed: Departed) -> Option<QueueIndex> {
        let id = departed.message.id;
        let reason = match departed.cause {
            Cause::RetentionOver => return self.lose(id, from, Gone::RetentionOver),
            Cause::RefusedAtBound => DeathReason::MaxLength,
            Cause::Died(reason) => reason,
        };
        let Some(to) = self.queues[from.0].dead_letters_to else {
            // One that was refused has been counted as that.
            return match departed.cause {
                Cause::RefusedAtBound => None,
                _ => self.lose(id, from, Gone::NoDeadLetterQueue(reason)),
            };
        };
        let message = self.packed_for_dead_letters(now, from, departed, reason);
        if message.past().is_some_and(|past| past.closes_automatic_cycle(to)) {
            return self.lose(id, from, Gone::AutomaticCycle(reason));
        }
        let taken = match self.queues[to.0].queue.publish(now, message) {
            Published::HandedOver(delivery) => Some(delivery),
            Published::Accepted => None,
            _ => return self.lose(id, from, Gone::RefusedAsDeadLetter(reason)),
        };
        self.effects.push_back(Effect::DeadLettered { id, from, to, reason, taken });
        Some(to)
    }

    fn lose(&mut self, id: MessageId, from: QueueIndex, why: Gone) -> Option<QueueIndex> {
        self.effects.push_back(Effect::Gone { id, from, why });
        None
    }

    fn packed_for_dead_letters(
        &self,
        now: Instant,
        from: QueueIndex,
        departed: Departed,
        reason: DeathReason,
    ) -> Message {
        let keep = self.queues[from.0].queue.rules().dead_letters_keep;
        let sent_at = departed.message.sent_at();
        let mut message = departed.message;
        message.keep_deadline();
        let mut message = message.died(from, reason, now);
        if let Some(luggage) = &mut message.luggage {
            let past = &mut Rc::make_mut(luggage).past;
            past.deliveries = if keep.deliveries { departed.deliveries } else { 0 };
            past.sent_at = keep.age.then_some(sent_at);
        }
        message
    }

    /// Messages it holds, waiting, delayed and in flight.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.queues.iter().map(|routed| routed.queue.held()).sum()
    }

    /// Messages with consumers of all queues.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.queues.iter().map(|routed| routed.queue.in_flight()).sum()
    }

    /// Messages it can hold.
    #[must_use]
    pub const fn memory(&self) -> u64 {
        self.memory
    }

    /// Sets how many messages it can hold. Those it holds already stay.
    pub const fn set_memory(&mut self, memory: u64) {
        self.memory = memory;
    }

    /// Whether no further message fits: the memory alarm.
    #[must_use]
    pub fn is_memory_full(&self) -> bool {
        self.held() >= self.memory
    }

    /// Bytes of the messages it holds.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        self.queues.iter().map(|routed| routed.queue.held_bytes()).sum()
    }

    /// Bytes that its disk takes, if that has an end.
    #[must_use]
    pub const fn disk(&self) -> Option<u64> {
        self.disk
    }

    /// Sets how many bytes its disk takes. What it holds already stays.
    pub const fn set_disk(&mut self, disk: Option<u64>) {
        self.disk = disk;
    }

    /// Whether its disk is full: the disk alarm.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        self.disk.is_some_and(|disk| self.held_bytes() >= disk)
    }

    /// Whether the message would find no room in `queue` now, so that its producer must keep it.
    #[must_use]
    pub fn would_block(&self, queue: QueueIndex, message: &Message) -> bool {
        self.is_memory_full() || self.is_disk_full() || self.queue(queue).would_block(message)
    }

    /// The queue at `index`; every index comes from this broker's own topology.
    #[must_use]
    #[inline(always)]
    pub fn queue(&self, index: QueueIndex) -> &WorkQueue {
        &self.queues.as_slice()[index.0].queue
    }

    /// The queue at `index`, to subscribe to and to set rules of.
    #[inline(always)]
    pub fn queue_mut(&mut self, index: QueueIndex) -> &mut WorkQueue {
        &mut self.queues.as_mut_slice()[index.0].queue
    }

    /// All queues.
    pub fn queues(&self) -> impl ExactSizeIterator<Item = &WorkQueue> {
        self.queues.iter().map(|routed| &routed.queue)
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Routed>(self.queues.len());
        self.queues.iter().for_each(|routed| routed.queue.count_held(held));
        self.logs.count_held(held);
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.memory);
        self.disk.iter().for_each(|disk| hasher.write(*disk));
        for routed in &self.queues {
            hasher.write(routed.dead_letters_to.map_or(u64::MAX, |to| to.0 as u64));
            routed.queue.hash_into(hasher);
        }
        self.redrives.iter().for_each(|redrive| redrive.hash_into(hasher));
        self.chosen.iter().for_each(|(_, id)| hasher.write(id.raw()));
        self.logs.hash_into(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::super::work_queue::rules::QueueRules;
    use super::*;

    #[test]
    fn a_full_memory_blocks_publishers_until_a_message_leaves() {
        let mut queue = WorkQueue::new(QueueRules::default());
        queue.subscribe(ConsumerIndex(0), Some(1));
        let mut broker = Broker::new(vec![queue], 2);
        let publish = |broker: &mut Broker, number| {
            let message = Message::plain(MessageId::new(0, number), Instant::START);
            broker.publish(Instant::START, QueueIndex(0), message)
        };
        let Offered::Queue(Published::HandedOver(first)) = publish(&mut broker, 1) else {
            panic!("a consumer is free")
        };
        assert_eq!(publish(&mut broker, 2), Offered::Queue(Published::Accepted));
        assert_eq!(publish(&mut broker, 3), Offered::MemoryFull);
        assert!(broker.acknowledge(QueueIndex(0), first.tag));
        assert!(!broker.is_memory_full());
        assert_eq!(publish(&mut broker, 3), Offered::Queue(Published::Accepted));
    }
}
