//! Dead letters that stand in topics, as a run's snapshot names them.

use super::super::broker::logs::Logs;
use super::super::message::{DeathReason, Message, MessageId, RecordPlace};
use super::super::retry::AttemptsCap;
use super::super::retry::RetryPlace;
use super::super::routes::TopicIndex;
use super::super::simulation::{Simulation, Staff};
use super::super::snapshot::failures::{LOOKED_AT_MAX, RedriveSnapshot};
use super::super::snapshot::network::{DEAD_LETTERS_MAX, DeadLetterSnapshot, DeathSnapshot, PlaceSnapshot};
use super::super::time::Instant;
use super::super::topology::GroupNode;

/// A record in a topic for dead letters.
struct DeadRecord {
    topic: TopicIndex,
    partition: u32,
    offset: u64,
    message: Message,
}

impl Simulation {
    /// The first that stand in topics for dead letters and were not sent back, in the order in which they
    /// came there.
    #[inline(never)]
    pub(super) fn topic_dead_letters(&self) -> Vec<DeadLetterSnapshot> {
        let mut found = Vec::new();
        let topics = 0..self.broker.logs.topics().len();
        for topic in topics.map(TopicIndex).filter(|topic| self.not_sent_back(*topic) > 0) {
            let mut places = first_places(&self.broker.logs, topic);
            while found.len() < DEAD_LETTERS_MAX {
                let Some(record) = take_oldest(&self.broker.logs, topic, &mut places) else { break };
                found.extend(self.dead_record_snapshot(&record));
            }
        }
        found
    }

    fn dead_record_snapshot(&self, record: &DeadRecord) -> Option<DeadLetterSnapshot> {
        let message = &record.message;
        let place = message.past()?.place?;
        let sender = usize::from(message.id.producer_index());
        let producer = self.scenario().topology().producers.get(sender);
        let role = self.staffs[self.pool_of_group(place.group)].pool.role();
        let queue = self.topic_name(record.topic);
        let death = |at| DeathSnapshot { queue: queue.clone(), reason: DeathReason::Rejected, count: 1, at };
        Some(DeadLetterSnapshot {
            producer: producer.map(|node| node.name.clone()).unwrap_or_default(),
            number: message.id.number(),
            key: self.producers.get(sender).and_then(|producer| producer.key(message.id)),
            place: Some(self.place_snapshot(&place)),
            reason: DeathReason::Rejected,
            attempts: self.records.get(message.id, role).map_or(0, |record| record.starts),
            age: self.now().since(message.accepted_at),
            history: came_at(&self.broker.logs, record).into_iter().map(death).collect(),
            queue: queue.clone(),
        })
    }

    fn place_snapshot(&self, place: &RecordPlace) -> PlaceSnapshot {
        let node = self.scenario().topology().groups.get(place.group.0);
        PlaceSnapshot {
            group: node.map(|node| node.name.clone()).unwrap_or_default(),
            partition: place.partition,
            offset: place.offset,
        }
    }

    /// Whether a group that names this topic for its dead letters gives anything up, and sends it there.
    pub(super) fn takes_dead_letters(&self, topic: TopicIndex) -> bool {
        let gives_up = |staff: &Staff| {
            matches!(staff.handling.retry.attempts, AttemptsCap::AtMost(_)) && !staff.handling.skips_dead
        };
        self.is_sent_to(topic, |node| node.dead_letters_to.as_ref(), gives_up)
    }

    /// Whether a group that names this topic for its retries sends them there.
    pub(super) fn takes_retries(&self, topic: TopicIndex) -> bool {
        let sends = |staff: &Staff| matches!(staff.handling.retry.place, RetryPlace::RetryQueue);
        self.is_sent_to(topic, |node| node.retry_to.as_ref(), sends)
    }

    /// Whether a group names this topic for its retries.
    pub(super) fn is_for_retries(&self, topic: TopicIndex) -> bool {
        self.is_sent_to(topic, |node| node.retry_to.as_ref(), |_| true)
    }

    fn is_sent_to(
        &self,
        topic: TopicIndex,
        named: impl Fn(&GroupNode) -> Option<&String>,
        sends: impl Fn(&Staff) -> bool,
    ) -> bool {
        let topology = self.scenario().topology();
        let name = topology.topics.get(topic.0).map(|node| &node.name);
        let staffs = self.staffs.iter().skip(topology.consumers.len());
        topology.groups.iter().zip(staffs).any(|(node, staff)| named(node) == name && sends(staff))
    }

    pub(super) fn sends_back_snapshot(&self, topic: TopicIndex) -> Option<RedriveSnapshot> {
        let task = self.broker.logs.sends_back(topic)?;
        Some(RedriveSnapshot { moved: task.sent, to_move: task.to_send, rate: task.rate })
    }
}

/// In each partition of a topic, the first offset that was not sent back.
fn first_places(logs: &Logs, topic: TopicIndex) -> Vec<u64> {
    let partitions = (0_u32..).zip(logs.topic(topic).partitions());
    partitions.map(|(number, _)| logs.first_not_sent_back(topic, number)).collect()
}

/// The oldest record from these places on, which go on behind it.
fn take_oldest(logs: &Logs, topic: TopicIndex, places: &mut [u64]) -> Option<DeadRecord> {
    let partitions = logs.topic(topic).partitions().iter().zip(&*places);
    let times = (0_u32..).zip(partitions);
    let times = times.filter_map(|(number, (stored, place))| Some((stored.time_of(*place)?, number)));
    let (_, partition) = times.min()?;
    let place = places.get_mut(partition as usize)?;
    let offset = *place;
    *place += 1;
    let message = logs.topic(topic).partition(partition)?.message(offset)?;
    Some(DeadRecord { topic, partition, offset, message })
}

/// When the group that gave up the message of a record sent it to this partition, the last time first:
/// what was sent back and came again stands there once for each time, as far as that is looked at. Another
/// group that gave the same message up is not counted.
fn came_at(logs: &Logs, record: &DeadRecord) -> Vec<Instant> {
    let Some(stored) = logs.topic(record.topic).partition(record.partition) else { return Vec::new() };
    let first = record.offset.saturating_sub(LOOKED_AT_MAX as u64);
    let group_of = |message: &Message| Some(message.past()?.place?.group);
    let is_same = |id: MessageId| id == record.message.id;
    let is_theirs = |offset: &u64| {
        let other = stored.message(*offset);
        other.is_some_and(|other| group_of(&other) == group_of(&record.message))
    };
    let offsets = (first..=record.offset).rev();
    let same = offsets.filter(|offset| stored.record(*offset).is_some_and(|other| is_same(other.id)));
    let theirs = same.filter(is_theirs).filter_map(|offset| stored.record(offset));
    theirs.map(|other| other.appended_at).collect()
}
