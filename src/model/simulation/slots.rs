//! The agenda's slots: one for each source of events, in the order in which sources act within
//! one instant. Consumers finish first, so that a message arriving at that very instant finds
//! them free.

use crate::model::broker::QueueIndex;
use crate::model::routes::{GroupIndex, TopicIndex};
use crate::model::settings::CONSUMERS_MAX;
use crate::model::work_queue::ConsumerIndex;

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A consumer.
    Consumer(ConsumerIndex),
    /// What the consumers share.
    Downstream,
    /// What is due in a queue by itself.
    Expiry(QueueIndex),
    /// Deliveries of consumers that are gone.
    Orphans(QueueIndex),
    /// Dead letters on their way back.
    Redrive,
    /// A producer's clock.
    Arrival(usize),
    /// A producer's burst on command.
    Burst(usize),
    /// A bound that was lowered.
    Trim(QueueIndex),
    /// A pool's limit on starts.
    Gate(usize),
    /// A pool's autoscaler.
    Scaler(usize),
    /// The end of a fail-over.
    Recovery,
    /// Senders that wait for the answer to a call.
    Calls,
    /// What a producer held back or has to send again.
    Outbox(usize),
    /// What is due in a group by itself.
    Group(GroupIndex),
    /// What a topic keeps no longer.
    Retention(TopicIndex),
    /// Dead letters of topics on their way back.
    SendBack,
}

/// How many there are of each.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    pools: u32,
    queues: u32,
    producers: u32,
    groups: u32,
    topics: u32,
}

/// Consumers of one pool, as slots.
#[allow(clippy::cast_possible_truncation)]
pub const POOL_SLOTS: u32 = CONSUMERS_MAX as u32;

#[allow(clippy::cast_possible_truncation)]
impl Slots {
    /// The slots of so many pools, queues and producers, each at most 64; there are no topics.
    pub const fn new(pools: usize, queues: usize, producers: usize) -> Self {
        Self { pools: pools as u32, queues: queues as u32, producers: producers as u32, groups: 0, topics: 0 }
    }

    /// The same with so many topics and groups, each at most 64.
    pub const fn with_logs(self, topics: usize, groups: usize) -> Self {
        Self { groups: groups as u32, topics: topics as u32, ..self }
    }

    /// All of them.
    pub const fn len(self) -> usize {
        self.of(Source::SendBack) as usize + 1
    }

    /// Those before the slots that are rarely in use: the state hash has all of these, and of the
    /// others the ones that are due.
    pub const fn ordinary(self) -> u32 {
        self.of(Source::Scaler(0))
    }

    /// The slot of a source.
    pub const fn of(self, source: Source) -> u32 {
        let downstream = self.pools * POOL_SLOTS;
        let expiries = downstream + 1;
        let redrive = expiries + 2 * self.queues;
        let arrivals = redrive + 1;
        let trims = arrivals + 2 * self.producers;
        let recovery = trims + self.queues + 2 * self.pools;
        let outboxes = recovery + 2;
        let groups = outboxes + self.producers;
        match source {
            Source::Consumer(consumer) => consumer.0,
            Source::Downstream => downstream,
            Source::Expiry(queue) => expiries + queue.0 as u32,
            Source::Orphans(queue) => expiries + self.queues + queue.0 as u32,
            Source::Redrive => redrive,
            Source::Arrival(producer) => arrivals + producer as u32,
            Source::Burst(producer) => arrivals + self.producers + producer as u32,
            Source::Trim(queue) => trims + queue.0 as u32,
            Source::Gate(pool) => trims + self.queues + pool as u32,
            Source::Scaler(pool) => trims + self.queues + self.pools + pool as u32,
            Source::Recovery => recovery,
            Source::Calls => recovery + 1,
            Source::Outbox(producer) => outboxes + producer as u32,
            Source::Group(group) => groups + group.0 as u32,
            Source::Retention(topic) => groups + self.groups + topic.0 as u32,
            Source::SendBack => groups + self.groups + self.topics,
        }
    }

    /// The source at a slot.
    #[inline]
    pub const fn source(self, slot: u32) -> Source {
        let downstream = self.pools * POOL_SLOTS;
        if slot < downstream {
            return Source::Consumer(ConsumerIndex(slot));
        }
        let arrival = slot.wrapping_sub(self.of(Source::Arrival(0)));
        if arrival < self.producers { Source::Arrival(arrival as usize) } else { self.rare_source(slot) }
    }

    const fn rare_source(self, slot: u32) -> Source {
        let downstream = self.pools * POOL_SLOTS;
        if slot == downstream {
            return Source::Downstream;
        }
        let mut at = slot - downstream - 1;
        if at < self.queues {
            return Source::Expiry(QueueIndex(at as usize));
        }
        at -= self.queues;
        if at < self.queues {
            return Source::Orphans(QueueIndex(at as usize));
        }
        at -= self.queues;
        if at == 0 {
            return Source::Redrive;
        }
        at -= 1;
        if at < self.producers {
            return Source::Arrival(at as usize);
        }
        at -= self.producers;
        if at < self.producers {
            return Source::Burst(at as usize);
        }
        at -= self.producers;
        if at < self.queues {
            return Source::Trim(QueueIndex(at as usize));
        }
        at -= self.queues;
        if at < self.pools {
            return Source::Gate(at as usize);
        }
        at -= self.pools;
        if at < self.pools {
            return Source::Scaler(at as usize);
        }
        at -= self.pools;
        match at {
            0 => return Source::Recovery,
            1 => return Source::Calls,
            _ => at -= 2,
        }
        if at < self.producers {
            return Source::Outbox(at as usize);
        }
        at -= self.producers;
        if at < self.groups {
            return Source::Group(GroupIndex(at as usize));
        }
        at -= self.groups;
        if at < self.topics { Source::Retention(TopicIndex(at as usize)) } else { Source::SendBack }
    }
}

/// The pool that a consumer belongs to.
pub const fn pool_of(consumer: ConsumerIndex) -> usize {
    (consumer.0 / POOL_SLOTS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_has_one_source() {
        for (pools, queues, producers, topics) in [(1, 1, 1, 0), (1, 2, 1, 2), (3, 5, 2, 3)] {
            let slots = Slots::new(pools, queues, producers).with_logs(topics, topics);
            for slot in 0..u32::try_from(slots.len()).expect("few") {
                assert_eq!(slots.of(slots.source(slot)), slot, "{:?}", slots.source(slot));
            }
        }
    }
}
