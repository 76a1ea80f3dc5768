//! The topics of a broker, and the groups that read them.
//!
//! A topic takes every record: it has no bound and blocks nobody. Where all topics together store more
//! than the broker's memory holds, the fullest rolls off its oldest segment, read or not.

use super::super::group::reading::Reading;
use super::super::held::HeldBytes;
use super::super::message::{Message, MessageId};
use super::super::partitioned_log::partitioner::Digits;
use super::super::partitioned_log::{Append, Appended, PartitionedLog};
use super::super::routes::{GroupIndex, TopicIndex};
use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::super::work_queue::{ConsumerIndex, Delivery, DeliveryTag};

/// Topics and groups, in the order of the topology.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    topics: Vec<PartitionedLog>,
    groups: Vec<Reading>,
    /// Segments that were rolled off because the broker was full.
    rolled_off: u64,
    /// How many more records certainly fit into a memory of that size, both in records.
    room: u64,
    room_of: u64,
}

impl Logs {
    /// These topics, and the groups that read them.
    #[must_use]
    pub const fn new(topics: Vec<PartitionedLog>, groups: Vec<Reading>) -> Self {
        Self { topics, groups, rolled_off: 0, room: 0, room_of: 0 }
    }

    /// All topics.
    #[must_use]
    pub fn topics(&self) -> &[PartitionedLog] {
        &self.topics
    }

    /// All groups.
    #[must_use]
    pub fn groups(&self) -> &[Reading] {
        &self.groups
    }

    /// A topic; every index comes from the broker's own topology.
    #[must_use]
    pub fn topic(&self, topic: TopicIndex) -> &PartitionedLog {
        &self.topics[topic.0]
    }

    /// A topic, to set its rules.
    pub fn topic_mut(&mut self, topic: TopicIndex) -> &mut PartitionedLog {
        &mut self.topics[topic.0]
    }

    /// A group; every index comes from the broker's own topology.
    #[must_use]
    pub fn group(&self, group: GroupIndex) -> &Reading {
        &self.groups[group.0]
    }

    /// A group, to answer what it has handed over.
    pub fn group_mut(&mut self, group: GroupIndex) -> &mut Reading {
        &mut self.groups[group.0]
    }

    /// The topic that a group reads.
    #[must_use]
    pub fn log_of(&self, group: GroupIndex) -> &PartitionedLog {
        self.topic(self.group(group).topic())
    }

    /// The groups that read a topic.
    pub fn readers_of(&self, topic: TopicIndex) -> impl Iterator<Item = GroupIndex> + use<> {
        let readers = self.groups.iter().enumerate().filter(|(_, group)| group.topic() == topic);
        // A bit for each of at most 16.
        let mut left = readers.fold(0_u64, |bits, (index, _)| bits | 1 << index);
        std::iter::from_fn(move || {
            let first = (left != 0).then_some(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(GroupIndex(first))
        })
    }

    /// Puts a message at the end of the partition of its key, or, without one, of the next in turn, and
    /// says so to the groups. Where more is stored then than `memory` records, an oldest segment goes.
    pub fn append(
        &mut self,
        now: Instant,
        topic: TopicIndex,
        key: Option<u64>,
        message: Message,
        memory: u64,
    ) {
        let appended = self.store(now, topic, key, message, memory);
        let readers = self.groups.iter_mut().filter(|group| group.topic() == topic);
        readers.for_each(|group| group.appended(appended.partition));
    }

    /// The same, but no group is told.
    #[inline]
    pub fn store(
        &mut self,
        now: Instant,
        topic: TopicIndex,
        key: Option<u64>,
        message: Message,
        memory: u64,
    ) -> Appended {
        let append = Append { id: message.id, bytes: message.bytes(), luggage: message.luggage };
        let digits = key.map(Digits::of);
        let appended = self.topics[topic.0].append(now, digits.as_ref().map(Digits::as_bytes), append);
        match self.room.checked_sub(1).filter(|_| self.room_of == memory) {
            Some(room) => self.room = room,
            None => self.make_room(memory),
        }
        appended
    }

    #[cold]
    fn make_room(&mut self, memory: u64) {
        if self.stored() > memory {
            self.roll_off();
        }
        (self.room, self.room_of) = (memory.saturating_sub(self.stored()), memory);
    }

    fn roll_off(&mut self) {
        let fullest = self.topics.iter_mut().max_by_key(|topic| topic.held());
        let rolled = fullest.and_then(PartitionedLog::roll_off_oldest);
        self.rolled_off += u64::from(rolled.is_some());
    }

    /// Gives out the partitions of a group, if a round is due. Returns whether it did.
    pub fn go_round(&mut self, now: Instant, group: GroupIndex) -> bool {
        let reading = &mut self.groups[group.0];
        reading.go_round(now, &self.topics[reading.topic().0])
    }

    /// The next record for a member that is free.
    pub fn next(
        &mut self,
        now: Instant,
        group: GroupIndex,
        is_free: impl Fn(ConsumerIndex) -> bool,
    ) -> Option<Delivery> {
        let reading = &mut self.groups[group.0];
        reading.next(now, &self.topics[reading.topic().0], is_free)
    }

    /// Whether nothing is about to happen in a group but that records come and are done.
    #[must_use]
    #[inline]
    pub fn is_settled(&self, now: Instant, group: GroupIndex) -> bool {
        self.group(group).is_settled(now, self.log_of(group))
    }

    /// The group is settled, and a record has come to a partition: its reader gets it if it is free.
    pub fn give_arrived(
        &mut self,
        group: GroupIndex,
        partition: u32,
        is_free: impl FnOnce(ConsumerIndex) -> bool,
    ) -> Option<Delivery> {
        let reading = &mut self.groups[group.0];
        reading.give_arrived(partition, &self.topics[reading.topic().0], is_free)
    }

    /// The group is settled: a member has done its record and gets the next, if there is one. `None`,
    /// and nothing is done, where there is more to it ([`Reading::exchange`]).
    #[inline]
    pub fn exchange(
        &mut self,
        group: GroupIndex,
        tag: DeliveryTag,
        may: impl FnOnce(MessageId) -> bool,
    ) -> Option<Option<Delivery>> {
        let reading = &mut self.groups[group.0];
        reading.exchange(tag, &self.topics[reading.topic().0], may)
    }

    /// The message that a tag of a group speaks of, while it is out.
    #[must_use]
    pub fn message(&self, group: GroupIndex, tag: DeliveryTag) -> Option<Message> {
        let (partition, offset) = self.group(group).delivered(tag)?;
        self.log_of(group).partition(partition)?.message(offset)
    }

    /// Records that all topics store.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.topics.iter().map(PartitionedLog::held).sum()
    }

    /// Segments that were rolled off because the broker was full.
    #[must_use]
    pub const fn rolled_off(&self) -> u64 {
        self.rolled_off
    }

    /// Records that were ever appended.
    #[must_use]
    pub fn appended(&self) -> u64 {
        let partitions = self.topics.iter().flat_map(PartitionedLog::partitions);
        partitions.map(|partition| partition.log_end_offset()).sum()
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<PartitionedLog>(self.topics.len());
        held.own::<Reading>(self.groups.len());
        self.topics.iter().for_each(|topic| topic.count_held(held));
        self.groups.iter().for_each(|group| group.count_held(held));
    }

    /// Feeds the whole state to `hasher`: nothing where there is no topic.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        self.topics.iter().for_each(|topic| topic.hash_into(hasher));
        self.groups.iter().for_each(|group| group.hash_into(hasher));
        if self.rolled_off > 0 {
            hasher.write(self.rolled_off);
        }
    }
}
