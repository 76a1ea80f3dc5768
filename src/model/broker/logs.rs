//! The topics of a broker, and the groups that read them.
//!
//! A topic takes every record: it has no bound and blocks nobody. Where all topics together store more
//! than the broker's memory holds, the fullest rolls off its oldest segment, read or not.

mod sending_back;

pub use sending_back::SendsBack;

use sending_back::SendingBack;

use super::super::group::reading::Reading;
use super::super::group::reset::{PlannedOffset, ResetRefused, ResetScope, ResetTo};
use super::super::held::HeldBytes;
use super::super::message::{Message, MessageId};
use super::super::partitioned_log::partitioner::Digits;
use super::super::partitioned_log::{Append, Appended, Deleted, PartitionedLog, Record};
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
    /// How many of the next records in a partition of a topic are poison.
    poison: Vec<(TopicIndex, u32, u64)>,
    /// What is sent on from topics for dead letters.
    pub(super) backs: SendingBack,
    /// How many more records certainly fit into a memory of that size, both in records.
    room: u64,
    room_of: u64,
}

impl Logs {
    /// These topics, and the groups that read them.
    #[must_use]
    pub fn new(topics: Vec<PartitionedLog>, groups: Vec<Reading>) -> Self {
        Self { topics, groups, ..Self::default() }
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
    ) -> Appended {
        let appended = self.store(now, topic, key, message, memory);
        self.tell_readers(topic, appended.partition);
        appended
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
        self.take_room(memory);
        appended
    }

    /// Puts a message that comes from a partition of another topic at the end of the partition with the
    /// same number; where there is none, they go round (Spring for Apache Kafka: to the same partition).
    pub fn pass_on(
        &mut self,
        now: Instant,
        topic: TopicIndex,
        partition: u32,
        message: Message,
        memory: u64,
    ) -> Appended {
        let append = Append { id: message.id, bytes: message.bytes(), luggage: message.luggage };
        let log = &mut self.topics[topic.0];
        let partition = partition.checked_rem(log.partition_count()).unwrap_or_default();
        let appended = log.append_to(partition, now, append);
        self.take_room(memory);
        self.tell_readers(topic, partition);
        appended
    }

    fn tell_readers(&mut self, topic: TopicIndex, partition: u32) {
        let readers = self.groups.iter_mut().filter(|group| group.topic() == topic);
        readers.for_each(|group| group.appended(partition));
    }

    /// One more record is stored.
    #[inline]
    fn take_room(&mut self, memory: u64) {
        match self.room.checked_sub(1).filter(|_| self.room_of == memory) {
            Some(room) => self.room = room,
            None => self.make_room(memory),
        }
    }

    #[cold]
    fn make_room(&mut self, memory: u64) {
        if self.stored() > memory {
            self.roll_off();
        }
        (self.room, self.room_of) = (memory.saturating_sub(self.stored()), memory);
    }

    /// Whether the next record in some partition is poison by command.
    #[must_use]
    pub const fn awaits_poison(&self) -> bool {
        !self.poison.is_empty()
    }

    /// The next `count` records that come to that partition from producers are poison.
    pub fn add_poison(&mut self, topic: TopicIndex, partition: u32, count: u64) {
        let exists = self.topics.get(topic.0).is_some_and(|log| log.partition(partition).is_some());
        match self.poison.iter_mut().find(|(of, at, _)| (*of, *at) == (topic, partition)) {
            Some((.., pending)) => *pending += count,
            None if exists => self.poison.push((topic, partition, count)),
            None => {}
        }
    }

    /// Whether the record that has just come to that partition is poison.
    pub fn takes_poison(&mut self, topic: TopicIndex, partition: u32) -> bool {
        let place = self.poison.iter().position(|(of, at, _)| (*of, *at) == (topic, partition));
        let Some((.., pending)) = place.and_then(|place| self.poison.get_mut(place)) else { return false };
        *pending -= 1;
        self.poison.retain(|(.., pending)| *pending > 0);
        true
    }

    /// Where committed offsets of a group would be moved: a dry run.
    ///
    /// # Errors
    /// As [`Reading::plan_reset`].
    pub fn plan_reset(
        &self,
        group: GroupIndex,
        scope: &ResetScope,
        to: ResetTo,
    ) -> Result<Vec<PlannedOffset>, ResetRefused> {
        self.group(group).plan_reset(self.log_of(group), scope, to)
    }

    /// Moves committed offsets of a group as planned.
    pub fn execute_reset(&mut self, group: GroupIndex, plan: &[PlannedOffset]) {
        let reading = &mut self.groups[group.0];
        reading.execute_reset(&self.topics[reading.topic().0], plan);
    }

    /// A topic has so many partitions from now on. `has_begun` says of each group whether it has.
    pub fn add_partitions(
        &mut self,
        now: Instant,
        topic: TopicIndex,
        to: u32,
        has_begun: impl Fn(GroupIndex) -> bool,
    ) {
        let log = &mut self.topics[topic.0];
        if log.add_partitions(to).is_err() {
            return;
        }
        let readers = self.groups.iter_mut().enumerate().filter(|(_, group)| group.topic() == topic);
        readers.for_each(|(index, group)| group.take_in_partitions(now, log, has_begun(GroupIndex(index))));
    }

    /// Deletes from a topic what it keeps no longer, and says what went in which partition.
    pub fn expire(&mut self, now: Instant, topic: TopicIndex) -> Vec<(u32, Deleted)> {
        let log = &mut self.topics[topic.0];
        let deleted = log.expire(now);
        let readers = self.groups.iter_mut().filter(|group| group.topic() == topic);
        readers.for_each(|group| group.forget_deleted(log));
        deleted
    }

    /// Deletes everything that stands in a topic, and says what went in which partition.
    pub fn delete_all(&mut self, topic: TopicIndex) -> Vec<(u32, Deleted)> {
        let log = &mut self.topics[topic.0];
        let deleted = log.delete_all();
        let readers = self.groups.iter_mut().filter(|group| group.topic() == topic);
        readers.for_each(|group| group.forget_deleted(log));
        deleted
    }

    /// What a topic to which groups send has deleted since this was asked the last time: partition,
    /// offset and message.
    pub fn take_deleted(&mut self, topic: TopicIndex) -> Vec<(u32, u64, Message)> {
        self.topics[topic.0].take_deleted()
    }

    fn roll_off(&mut self) {
        let fullest = self.topics.iter_mut().max_by_key(|topic| topic.held());
        let rolled = fullest.and_then(PartitionedLog::roll_off_oldest);
        self.rolled_off += u64::from(rolled.is_some());
        self.groups.iter_mut().for_each(|group| group.forget_deleted(&self.topics[group.topic().0]));
    }

    /// Gives out the partitions of a group, if a round is due. Returns whether it did.
    pub fn go_round(&mut self, now: Instant, group: GroupIndex) -> bool {
        let reading = &mut self.groups[group.0];
        reading.go_round(now, &self.topics[reading.topic().0])
    }

    /// The next record for a member that is free. `key_of` says the key of a record.
    pub fn next(
        &mut self,
        now: Instant,
        group: GroupIndex,
        is_free: impl Fn(ConsumerIndex) -> bool,
        key_of: impl Fn(&Record) -> Option<u64>,
    ) -> Option<Delivery> {
        let reading = &mut self.groups[group.0];
        reading.next(now, &self.topics[reading.topic().0], is_free, key_of)
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
        held.own::<(TopicIndex, u32, u64)>(self.poison.len());
        self.backs.count_held(held);
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
        for (topic, partition, pending) in &self.poison {
            hasher.write(topic.0 as u64);
            hasher.write(u64::from(*partition));
            hasher.write(*pending);
        }
        self.backs.hash_into(hasher);
    }
}
