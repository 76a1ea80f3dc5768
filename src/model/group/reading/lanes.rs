//! A group in each partition: who reads it, and what is out.

use super::super::super::partitioned_log::{PartitionedLog, Record};
use super::super::super::state_hash::StateHasher;
use super::super::super::time::Instant;
use super::super::super::work_queue::{ConsumerIndex, Delivery, DeliveryTag};
use super::super::assignors::TopicPartition;
use super::super::offsets::{NoOffset, beginning};
use super::{Reading, consumer_of};

/// The group in one partition.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    pub(super) reader: Option<ConsumerIndex>,
    pub(super) out: Option<Out>,
    /// How often a record of it was handed over: the tag of the one that is out.
    pub(super) turn: u32,
    /// Which delivery of the group was its last.
    pub(super) served: u64,
    /// No record from here on was ever handed over.
    pub(super) handed_to: u64,
    pub(super) paused_until: Option<Instant>,
    /// The committed offset at the group's beginning.
    pub(super) began: u64,
    /// What became of the records before this one was recalled since the group went back over them.
    pub(super) recalled_to: u64,
    /// Records behind the committed offset that are done.
    pub(super) uncommitted: u64,
    /// When its reader committed the last time, or tried to.
    pub(super) committed_at: Instant,
    /// How often it has tried to since the last commit that got through.
    pub(super) commit_tries: u32,
    /// Its reader has stopped with an error.
    pub(super) stopped: Option<NoOffset>,
    /// As whose, and after which delivery, the index has it among those with a record to give.
    pub(super) listed: Option<(ConsumerIndex, u64)>,
    /// Something has changed since the index looked at it.
    pub(super) is_noted: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Out {
    pub(super) offset: u64,
    pub(super) consumer: ConsumerIndex,
}

impl Lane {
    pub(super) fn may_read(&self, now: Instant) -> bool {
        self.out.is_none() && self.stopped.is_none() && self.paused_until.is_none_or(|until| until <= now)
    }

    /// Whether its reader could be given a record that comes, and has none to be given yet.
    pub(super) fn waits_for_records(&self) -> bool {
        self.reader.is_some()
            && self.out.is_none()
            && self.stopped.is_none()
            && self.paused_until.is_none()
            && self.listed.is_none()
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for value in [
            self.reader.map_or(u64::MAX, |reader| u64::from(reader.0)),
            self.out.map_or(u64::MAX, |out| out.offset),
            self.out.map_or(u64::MAX, |out| u64::from(out.consumer.0)),
            u64::from(self.turn),
            self.served,
            self.handed_to,
            self.paused_until.map_or(u64::MAX, Instant::micros),
            self.began,
            u64::from(self.stopped.is_some()),
        ] {
            hasher.write(value);
        }
        if self.recalled_to > 0 {
            hasher.write(self.recalled_to);
        }
        if self.committed_at > Instant::START || self.uncommitted > 0 {
            hasher.write(self.uncommitted);
            hasher.write(self.committed_at.micros());
            hasher.write(u64::from(self.commit_tries));
        }
    }
}

impl Reading {
    /// Hands a partition to the member to whom the last round gave it.
    pub(super) fn hand_partition(&mut self, partition: u32, log: &PartitionedLog) {
        let given = self.group.reader_of(TopicPartition { topic: 0, partition });
        let reader = given.and_then(|member| consumer_of(&member.candidate.id));
        let (Some(lane), Some(stored)) = (self.lanes.get_mut(partition as usize), log.partition(partition))
        else {
            return;
        };
        self.ready.note(partition, lane);
        let (is_same, is_spread) = (reader.is_some() && lane.reader == reader, self.is_spread());
        if !self.begins_anew(partition) && is_same && is_spread {
            return;
        }
        let Some(lane) = self.lanes.get_mut(partition as usize) else { return };
        // Who is alive commits before it gives a partition up; what the dead had done is abandoned.
        if lane.uncommitted > 0 {
            self.commit_all(partition);
        }
        let Some(lane) = self.lanes.get_mut(partition as usize) else { return };
        let is_held = reader.is_some() && lane.reader == reader && lane.out.is_some();
        if !is_held {
            if lane.reader != reader {
                self.ready.pause(partition, lane, None);
            }
            lane.reader = reader;
            if lane.out.is_none() {
                self.offsets.give_up(partition);
                if reader.is_some() {
                    self.take_over(partition, stored.log_start_offset(), log);
                }
            }
        }
    }

    /// The new reader of a partition goes on at the committed offset, or where the policy says. What
    /// it never reads has been deleted before, or is passed over.
    fn take_over(&mut self, partition: u32, log_start: u64, log: &PartitionedLog) {
        let Some(stored) = log.partition(partition) else { return };
        let committed = self.offsets.of(partition).committed;
        let begins = self.offsets.take_over(partition, stored);
        let Some(lane) = self.lanes.get_mut(partition as usize) else { return };
        lane.stopped = begins.err();
        let Ok(begins) = begins else { return };
        // What was deleted before the group began was never its own.
        let from = committed.unwrap_or_else(|| {
            lane.began = log_start;
            self.offsets.commit(partition, log_start);
            log_start
        });
        self.pass_over(partition, from, begins.position, log_start);
    }

    /// The group goes on at `position` without having read what lies before it.
    pub(super) fn pass_over(&mut self, partition: u32, committed: u64, position: u64, log_start: u64) {
        let passed = position.saturating_sub(committed);
        let deleted = log_start.saturating_sub(committed).min(passed);
        self.counts.deleted_unread += deleted;
        self.counts.passed_over += passed - deleted;
        if passed > 0 {
            self.offsets.commit(partition, position);
            if let Some(passed) = self.passed.get_mut(partition as usize) {
                passed.skip(committed, position);
            }
        }
    }

    /// A reader whose next record has been deleted goes on where the policy says, or stops.
    pub(super) fn mind_range(&mut self, partition: u32, log: &PartitionedLog) {
        let (Some(lane), Some(stored)) = (self.lanes.get_mut(partition as usize), log.partition(partition))
        else {
            return;
        };
        let log_start = stored.log_start_offset();
        if self.spreads.get(partition as usize).is_some_and(super::Spread::is_lost) {
            return;
        }
        let position = self.offsets.of(partition).position.filter(|position| *position < log_start);
        if position.is_none() || lane.out.is_some() || lane.stopped.is_some() {
            return;
        }
        let is_spread = !self.spreads.is_empty();
        match beginning(stored, position, self.offsets.policy()) {
            Ok(begins) if is_spread => {
                self.offsets.seek(partition, begins.position);
                self.leave_out(partition, position.unwrap_or_default(), begins.position, log_start);
            }
            Ok(begins) => {
                self.commit_all(partition);
                self.offsets.seek(partition, begins.position);
                let committed = self.offsets.of(partition).committed.unwrap_or_default();
                self.pass_over(partition, committed, begins.position, log_start);
            }
            Err(stopped) => lane.stopped = Some(stopped),
        }
    }

    /// Takes the next record of a partition out.
    pub(super) fn take(&mut self, partition: u32, log: &PartitionedLog) -> Option<Delivery> {
        let stored = log.partition(partition)?;
        let offset = self.offsets.next_offset(partition, stored)?;
        self.give(partition, &stored.record(offset)?)
    }

    /// The reader of a partition gets its next record, which is this one.
    pub(super) fn give(&mut self, partition: u32, record: &Record) -> Option<Delivery> {
        let lane = self.lanes.get_mut(partition as usize)?;
        let (consumer, offset) = (lane.reader?, record.offset);
        self.deliveries += 1;
        let redelivered = offset < lane.handed_to;
        lane.turn = lane.turn.wrapping_add(1);
        self.ready.list(partition, lane, false);
        lane.served = self.deliveries;
        lane.handed_to = lane.handed_to.max(offset + 1);
        lane.out = Some(Out { offset, consumer });
        self.offsets.seek(partition, offset + 1);
        Some(Delivery {
            tag: DeliveryTag::of_record(partition, lane.turn),
            id: record.id,
            accepted_at: record.appended_at,
            consumer,
            deliveries: 1 + u32::from(redelivered),
            returns: 0,
            redelivered,
        })
    }

    pub(super) fn take_out(&mut self, tag: DeliveryTag) -> Option<(u32, u64)> {
        let (partition, offset) = self.delivered(tag)?;
        let lane = self.lanes.get_mut(partition as usize)?;
        lane.out = None;
        self.ready.note(partition, lane);
        Some((partition, offset))
    }

    /// What such members have in hand is no longer theirs: it is read again from the committed offset
    /// on.
    pub(super) fn take_back(&mut self, of: impl Fn(ConsumerIndex) -> bool) {
        self.take_back_spread(&of);
        for (partition, lane) in (0_u32..).zip(&mut self.lanes) {
            if let Some(out) = lane.out.filter(|out| of(out.consumer)) {
                lane.out = None;
                self.ready.note(partition, lane);
                self.offsets.seek(partition, out.offset);
            }
        }
    }

    /// The consumer is no member any more, and reads nothing.
    pub(super) fn forget(&mut self, consumer: ConsumerIndex) {
        self.silent.retain(|other| *other != consumer);
        self.joined.retain(|other| *other != consumer);
        self.take_back(|other| other == consumer);
        if self.is_spread() && !self.joined.is_empty() {
            return;
        }
        let consumer = self.client_of(consumer);
        self.abandon_all_of(consumer);
        for (partition, lane) in (0_u32..).zip(&mut self.lanes) {
            if lane.reader == Some(consumer) {
                lane.reader = None;
                self.ready.pause(partition, lane, None);
                self.offsets.give_up(partition);
            }
        }
    }
}
