//! Sending back: dead letters of a topic go on to another one, all at once or at a rate.
//!
//! What is sent back stays in its log, where nobody deletes single records. So each topic has a place in
//! every partition up to which it was sent back, as a group that reads it would have: what is sent back
//! once is not sent again.

use super::super::super::held::HeldBytes;
use super::super::super::message::Message;
use super::super::super::partitioned_log::{Partition, PartitionedLog};
use super::super::super::rate::{Rate, Work};
use super::super::super::routes::TopicIndex;
use super::super::super::state_hash::StateHasher;
use super::super::super::time::Instant;
use super::Logs;

/// Dead letters on their way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendsBack {
    /// The topic in which they stand.
    pub from: TopicIndex,
    /// Where they are sent.
    pub to: TopicIndex,
    /// Records a second; `None`: as fast as it can be done.
    pub rate: Option<Rate>,
    /// How many are to be sent: those that stood there when it started.
    pub to_send: u64,
    /// How many were sent so far.
    pub sent: u64,
    next_at: Instant,
}

/// What was sent back of each topic, and what is.
#[derive(Clone, Debug, Default)]
pub struct SendingBack {
    running: Vec<SendsBack>,
    /// Topic, partition, and the offset that is sent back next; where none is named, the first.
    places: Vec<(TopicIndex, u32, u64)>,
}

impl SendsBack {
    fn next_after(&self, now: Instant) -> Instant {
        let gap = self.rate.and_then(|rate| rate.time_for(Work::ONE_MESSAGE));
        gap.map_or(now, |gap| now + gap)
    }
}

impl SendingBack {
    fn place(&self, topic: TopicIndex, partition: u32) -> u64 {
        let of = self.places.iter().find(|(of, at, _)| (*of, *at) == (topic, partition));
        of.map_or(0, |(.., offset)| *offset)
    }

    fn set_place(&mut self, topic: TopicIndex, partition: u32, offset: u64) {
        match self.places.iter_mut().find(|(of, at, _)| (*of, *at) == (topic, partition)) {
            Some((.., place)) => *place = offset,
            None => self.places.push((topic, partition, offset)),
        }
    }

    pub(super) fn count_held(&self, held: &mut HeldBytes) {
        held.own::<SendsBack>(self.running.len());
        held.own::<(TopicIndex, u32, u64)>(self.places.len());
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for task in &self.running {
            for value in [
                task.from.0 as u64,
                task.to.0 as u64,
                task.rate.map_or(u64::MAX, Rate::thousandths),
                task.to_send,
                task.sent,
                task.next_at.micros(),
            ] {
                hasher.write(value);
            }
        }
        for (topic, partition, offset) in &self.places {
            hasher.write(topic.0 as u64);
            hasher.write(u64::from(*partition));
            hasher.write(*offset);
        }
    }
}

impl Logs {
    /// Records of a topic that were not sent back and can still be read.
    #[must_use]
    pub fn not_sent_back(&self, topic: TopicIndex) -> u64 {
        let partitions = (0_u32..).zip(self.topic(topic).partitions());
        let left = partitions.map(|(number, partition)| {
            let next = self.backs.place(topic, number).max(partition.log_start_offset());
            partition.log_end_offset().saturating_sub(next)
        });
        left.sum()
    }

    /// The first offset of a partition that was not sent back and can still be read.
    #[must_use]
    pub fn first_not_sent_back(&self, topic: TopicIndex, partition: u32) -> u64 {
        let start = self.topic(topic).partition(partition).map_or(0, Partition::log_start_offset);
        self.backs.place(topic, partition).max(start)
    }

    /// Whether the record there was sent back.
    #[must_use]
    pub fn was_sent_back(&self, topic: TopicIndex, partition: u32, offset: u64) -> bool {
        offset < self.backs.place(topic, partition)
    }

    /// What is being sent back from a topic.
    #[must_use]
    pub fn sends_back(&self, from: TopicIndex) -> Option<&SendsBack> {
        self.backs.running.iter().find(|task| task.from == from)
    }

    /// Begins to send what stands in `from` now on to `to`, the first at once. Nothing happens where
    /// nothing stands there, or where that is done already.
    pub fn begin_sending_back(&mut self, now: Instant, from: TopicIndex, to: TopicIndex, rate: Option<Rate>) {
        let to_send = self.not_sent_back(from);
        if to_send > 0 && self.sends_back(from).is_none() {
            self.backs.running.push(SendsBack { from, to, rate, to_send, sent: 0, next_at: now });
        }
    }

    /// When the next record is sent back.
    #[must_use]
    pub fn next_sending_back(&self) -> Option<Instant> {
        self.backs.running.iter().map(|task| task.next_at).min()
    }

    /// Takes one record that is to be sent back at `now`: the oldest that was not. `None` where none is
    /// due; a task with nothing left is over then.
    pub fn take_to_send_back(&mut self, now: Instant) -> Option<(SendsBack, u32, Message)> {
        let place = self.backs.running.iter().position(|task| task.next_at <= now)?;
        let task = self.backs.running.get_mut(place)?;
        task.next_at = task.next_after(now);
        task.sent += 1;
        let task = *task;
        let found = self.oldest_not_sent_back(task.from);
        if let Some((partition, offset)) = found {
            self.backs.set_place(task.from, partition, offset + 1);
        }
        if task.sent >= task.to_send || self.not_sent_back(task.from) == 0 {
            self.backs.running.remove(place);
        }
        let (partition, offset) = found?;
        let message = self.topic(task.from).partition(partition)?.message(offset)?;
        Some((task, partition, message))
    }

    fn oldest_not_sent_back(&self, topic: TopicIndex) -> Option<(u32, u64)> {
        let log: &PartitionedLog = self.topic(topic);
        let partitions = (0_u32..).zip(log.partitions());
        let first = partitions.filter_map(|(number, partition)| {
            let offset = self.backs.place(topic, number).max(partition.log_start_offset());
            Some((partition.time_of(offset)?, number, offset))
        });
        first.min().map(|(_, partition, offset)| (partition, offset))
    }
}
