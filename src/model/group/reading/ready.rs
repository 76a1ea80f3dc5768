//! Which partitions have a record to give, so that nobody has to look through all of them.
//!
//! An index of the lanes, and nothing beyond them: it is no part of the state hash, and could be made
//! anew from the lanes, the offsets and the log at any time. Whatever changes a lane or its offsets says
//! so ([`ReadyLanes::note`]), and before the next record is given each lane of which that was said is
//! looked at again. There is deliberately no other way into the index.

use super::super::super::held::HeldBytes;
use super::super::super::message::MessageId;
use super::super::super::ordered::{Key, Ordered};
use super::super::super::partitioned_log::{Partition, PartitionedLog, Record};
use super::super::super::time::Instant;
use super::super::super::work_queue::{ConsumerIndex, Delivery, DeliveryTag};
use super::lanes::Lane;
use super::{Outcome, Reading};

/// The lanes of a group, by what can be done with them.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadyLanes {
    /// Those with a record that nobody has in hand: reader, last delivery, partition.
    ready: Ordered<()>,
    /// Those that wait before their record is tried again: until when, partition.
    paused: Ordered<()>,
    /// Partitions of which something has changed since they were looked at, each once.
    noted: Vec<u32>,
    /// Which change of the log was looked at last.
    log_changes: u64,
}

impl ReadyLanes {
    /// Something has changed in the lane: it is looked at before the next record is given.
    pub(super) fn note(&mut self, partition: u32, lane: &mut Lane) {
        if !lane.is_noted {
            lane.is_noted = true;
            self.noted.push(partition);
        }
    }

    /// The partition waits until then, or no longer.
    pub(super) fn pause(&mut self, partition: u32, lane: &mut Lane, until: Option<Instant>) {
        let key = |until: Instant| [until.micros(), partition.into(), 0];
        if let Some(before) = std::mem::replace(&mut lane.paused_until, until) {
            self.paused.remove(&key(before));
        }
        if let Some(until) = until {
            self.paused.insert(key(until), ());
        }
        self.note(partition, lane);
    }

    /// When the first partition that waits goes on.
    pub(super) fn resume_due(&self) -> Option<Instant> {
        self.paused.first().map(|([until, ..], ())| Instant::from_micros(until))
    }

    /// The first partition behind `from` that has waited long enough, with its key.
    fn resumed(&self, from: Key, now: Instant) -> Option<(Key, u32)> {
        let (key, ()) = self.paused.next_from(from)?;
        let [until, partition, _] = key;
        (until <= now.micros()).then_some((key, u32::try_from(partition).ok()?))
    }

    /// Of the partitions of a reader that are ready the one whose turn it is: its last delivery, and
    /// which it is.
    #[inline]
    fn first_of(&self, reader: ConsumerIndex) -> Option<(u64, u32)> {
        if self.ready.is_empty() {
            return None;
        }
        let ([of, served, partition], ()) = self.ready.next_from([reader.0.into(), 0, 0])?;
        (of == u64::from(reader.0)).then_some((served, u32::try_from(partition).ok()?))
    }

    /// The lane has a record to give to its reader, or has none.
    #[inline]
    pub(super) fn list(&mut self, partition: u32, lane: &mut Lane, is_ready: bool) {
        if is_ready || lane.listed.is_some() {
            self.list_anew(partition, lane, is_ready);
        }
    }

    fn list_anew(&mut self, partition: u32, lane: &mut Lane, is_ready: bool) {
        let as_now = lane.reader.filter(|_| is_ready).map(|reader| (reader, lane.served));
        let key = |(reader, served): (ConsumerIndex, u64)| [reader.0.into(), served, partition.into()];
        if let Some(before) = std::mem::replace(&mut lane.listed, as_now) {
            self.ready.remove(&key(before));
        }
        if let Some(now) = as_now {
            self.ready.insert(key(now), ());
        }
    }

    pub(super) fn count_held(&self, held: &mut HeldBytes) {
        held.tree::<(Key, u32)>(self.ready.len() + self.paused.len());
        held.own::<u32>(self.noted.len());
    }
}

impl Reading {
    /// The next record that a member with empty hands can be given: of its partitions the one whose
    /// turn it is. It is out from then on. `key_of` says the key of a record.
    pub fn next(
        &mut self,
        now: Instant,
        log: &PartitionedLog,
        is_free: impl Fn(ConsumerIndex) -> bool,
        key_of: impl Fn(&Record) -> Option<u64>,
    ) -> Option<Delivery> {
        if self.is_paused() {
            return None;
        }
        if self.is_spread() {
            return self.next_spread(now, log, is_free, key_of);
        }
        self.look_again(now, log);
        let free = self.joined.iter().filter(|member| is_free(**member));
        let (_, partition) = free.filter_map(|member| self.ready.first_of(*member)).min()?;
        self.take(partition, log)
    }

    /// A record has come to a partition.
    pub fn appended(&mut self, partition: u32) {
        let lane = self.lanes.get_mut(partition as usize).filter(|_| self.spreads.is_empty());
        if let Some(lane) = lane.filter(|lane| lane.waits_for_records()) {
            self.ready.note(partition, lane);
        }
    }

    /// Partitions that have waited long enough go on.
    pub fn resume(&mut self, now: Instant) {
        self.resume_spread(now);
        while let Some((_, partition)) = self.ready.resumed([0, 0, 0], now)
            && let Some(lane) = self.lanes.get_mut(partition as usize)
        {
            self.ready.pause(partition, lane, None);
        }
    }

    /// Whether no round is to come, nothing that waits goes on now, and every change has been looked at.
    /// Then whoever is free has nothing to read.
    #[must_use]
    #[inline]
    pub fn is_settled(&self, now: Instant, log: &PartitionedLog) -> bool {
        self.round_at.is_none()
            && self.ready.resume_due().is_none_or(|until| until > now)
            && self.ready.noted.is_empty()
            && self.ready.log_changes == log.changes()
    }

    /// The group is settled, and a record has come to a partition: its reader gets it if it is free.
    pub fn give_arrived(
        &mut self,
        partition: u32,
        log: &PartitionedLog,
        is_free: impl FnOnce(ConsumerIndex) -> bool,
    ) -> Option<Delivery> {
        let lane = self.lanes.get_mut(partition as usize)?;
        let reader = lane.reader.filter(|_| lane.waits_for_records())?;
        if is_free(reader) {
            return self.take(partition, log);
        }
        self.ready.list(partition, lane, true);
        None
    }

    /// The group is settled: it has done the record, and its member gets the next, if there is one.
    /// `None`, and nothing is done, where there is more to it: the record was taken from the member
    /// before, those behind it are deleted, or the one that it would get was out before or `may` not be
    /// given so.
    #[inline]
    pub fn exchange(
        &mut self,
        tag: DeliveryTag,
        log: &PartitionedLog,
        may: impl FnOnce(MessageId) -> bool,
    ) -> Option<Option<Delivery>> {
        let (partition, offset) = self.delivered(tag)?;
        let lane = self.lane(partition).filter(|lane| lane.stopped.is_none())?;
        let reader = lane.out.map(|out| out.consumer).filter(|consumer| lane.reader == Some(*consumer))?;
        if self.is_deleted(partition, log) {
            return None;
        }
        let own = self.has_record(partition, log).then_some((lane.served, partition));
        let next = own.into_iter().chain(self.ready.first_of(reader)).min();
        let next = match next {
            Some((_, next)) => Some((next, self.next_new(next, log).filter(|record| may(record.id))?)),
            None => None,
        };
        let lane = self.lanes.get_mut(partition as usize)?;
        lane.out = None;
        self.ready.list(partition, lane, own.is_some() && next.is_some_and(|(next, _)| next != partition));
        self.offsets.commit(partition, offset + 1);
        self.note_passed(partition, offset, offset + 1, Outcome::DONE);
        Some(next.and_then(|(next, record)| self.give(next, &record)))
    }

    /// The record that the reader of a partition gets next, if it was never out.
    #[inline]
    fn next_new(&self, partition: u32, log: &PartitionedLog) -> Option<Record> {
        let stored = log.partition(partition)?;
        let offset = self.offsets.next_offset(partition, stored)?;
        let is_new = self.lane(partition).is_some_and(|lane| offset >= lane.handed_to);
        stored.record(offset).filter(|_| is_new)
    }

    /// Whether what the reader of a partition gets next has been deleted.
    #[inline]
    fn is_deleted(&self, partition: u32, log: &PartitionedLog) -> bool {
        let log_start = log.partition(partition).map_or(0, Partition::log_start_offset);
        self.offsets.of(partition).position.is_some_and(|position| position < log_start)
    }

    /// Looks again at every lane in which something has changed.
    fn look_again(&mut self, now: Instant, log: &PartitionedLog) {
        if self.ready.log_changes != log.changes() {
            self.ready.log_changes = log.changes();
            (0_u32..).zip(&mut self.lanes).for_each(|(partition, lane)| self.ready.note(partition, lane));
        }
        let mut from = [0, 0, 0];
        while let Some(([until, ..], partition)) = self.ready.resumed(from, now)
            && let Some(lane) = self.lanes.get_mut(partition as usize)
        {
            self.ready.note(partition, lane);
            from = [until, u64::from(partition) + 1, 0];
        }
        while let Some(partition) = self.ready.noted.pop() {
            self.mind_range(partition, log);
            let has_record = self.has_record(partition, log);
            if let Some(lane) = self.lanes.get_mut(partition as usize) {
                lane.is_noted = false;
                self.ready.list(partition, lane, has_record && lane.may_read(now));
            }
        }
    }

    /// A partition of which the index says what is not so; `None` as long as the model is right.
    #[must_use]
    pub fn wrongly_listed(&self, now: Instant, log: &PartitionedLog) -> Option<u32> {
        let is_wrong = |(partition, lane): &(u32, &Lane)| {
            let is_ready = lane.may_read(now) && self.has_record(*partition, log);
            let as_now = lane.reader.filter(|_| is_ready).map(|reader| (reader, lane.served));
            let is_passed = lane.may_read(now) && self.is_deleted(*partition, log);
            // One that may go on is listed with the next record that is given.
            !lane.is_noted && lane.paused_until.is_none() && (lane.listed != as_now || is_passed)
        };
        let is_known = !self.is_spread() && self.ready.log_changes == log.changes();
        let mut lanes = (0_u32..).zip(&self.lanes).filter(|_| is_known);
        lanes.find(is_wrong).map(|(partition, _)| partition)
    }
}
