//! The broker: it owns all queues and their shared memory.
//!
//! Where its memory is full it raises the memory alarm: publishers are blocked, consumers go on
//! draining, and a waiting publish goes in once a message has left (RabbitMQ 3.10.8,
//! `rabbitmq-recorded` among the reference vectors).

use super::message::MessageId;
use super::state_hash::StateHasher;
use super::time::Instant;
use super::work_queue::{Published, WorkQueue};

/// Which queue of the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueIndex(pub usize);

/// All queues, and the memory they share.
#[derive(Clone, Debug)]
pub struct Broker {
    queues: Vec<WorkQueue>,
    memory: u64,
}

/// What became of a message that was offered to the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// The queue decided.
    Queue(Published),
    /// The broker's memory is full: the publisher is blocked. Nothing was counted.
    MemoryFull,
}

impl Broker {
    /// A broker with these queues that can hold `memory` messages in all, at least 1.
    #[must_use]
    pub const fn new(queues: Vec<WorkQueue>, memory: u64) -> Self {
        Self { queues, memory }
    }

    /// A message arrives for `queue`.
    pub fn publish(&mut self, now: Instant, queue: QueueIndex, id: MessageId) -> Offered {
        if self.is_memory_full() {
            return Offered::MemoryFull;
        }
        Offered::Queue(self.queue_mut(queue).publish(now, id))
    }

    /// Messages it holds, waiting and in flight.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.queues.iter().map(|queue| queue.ready().len() + queue.in_flight()).sum()
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

    /// Whether a message offered to `queue` now would find no room, so that its producer must
    /// keep it.
    #[must_use]
    pub fn would_block(&self, queue: QueueIndex) -> bool {
        self.is_memory_full() || self.queue(queue).would_block()
    }

    /// The queue at `index`; every index comes from this broker's own topology.
    #[must_use]
    pub fn queue(&self, index: QueueIndex) -> &WorkQueue {
        &self.queues[index.0]
    }

    /// The queue at `index`, to operate on.
    pub fn queue_mut(&mut self, index: QueueIndex) -> &mut WorkQueue {
        &mut self.queues[index.0]
    }

    /// All queues.
    #[must_use]
    pub fn queues(&self) -> &[WorkQueue] {
        &self.queues
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.memory);
        self.queues.iter().for_each(|queue| queue.hash_into(hasher));
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{Bound, OverflowPolicy};
    use super::super::work_queue::ConsumerIndex;
    use super::*;

    #[test]
    fn a_full_memory_blocks_publishers_until_a_message_leaves() {
        let mut queue = WorkQueue::new(Bound::None, OverflowPolicy::DropNew);
        queue.subscribe(ConsumerIndex(0));
        let mut broker = Broker::new(vec![queue], 2);
        let mut publish = |number| broker.publish(Instant::START, QueueIndex(0), MessageId::new(0, number));
        let Offered::Queue(Published::HandedOver(first)) = publish(1) else { panic!("a consumer is free") };
        assert_eq!(publish(2), Offered::Queue(Published::Accepted));
        assert_eq!(publish(3), Offered::MemoryFull);
        assert!(broker.queue_mut(QueueIndex(0)).acknowledge(first.tag, true).is_some());
        assert!(!broker.is_memory_full());
        assert_eq!(
            broker.publish(Instant::START, QueueIndex(0), MessageId::new(0, 3)),
            Offered::Queue(Published::Accepted)
        );
    }
}
