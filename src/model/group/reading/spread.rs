//! Parallel work inside a partition: the members of a group are the threads of one client.
//!
//! One client is the group's only member, reads all partitions, and lets whichever thread is free work on
//! the next record (Confluent Parallel Consumer 0.5, `ProcessingOrder`). With the order of keys a record
//! waits for those of its key before it; with no order it waits for nobody. What is committed is what
//! lies before the lowest record that is not finished: what is done beyond it is done once more when the
//! client dies. A record that fails holds up the commits, and not the others.
//!
//! A client that is stuck below does not read on without end: [`FETCHED_MAX`], [`AHEAD_MAX`]. A thread
//! that dies gives its record back, and the client lives as long as one of its threads does.

use super::super::super::held::HeldBytes;
use super::super::super::partitioned_log::{PartitionedLog, Record};
use super::super::super::state_hash::StateHasher;
use super::super::super::time::Instant;
use super::super::super::work_queue::{ConsumerIndex, Delivery, DeliveryTag};
use super::ranges::Ranges;
use super::{Outcome, Reading};

/// In which order the records of a partition are worked on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkOrder {
    /// One after the other: a partition is one member's, which has one of its records in hand.
    #[default]
    Partition,
    /// Those of one key one after the other.
    Key,
    /// As they come: those of one key too may overtake each other.
    Unordered,
}

/// So many records of a partition a client has fetched and not handed to a thread, at most
/// (Kafka `max.poll.records`).
pub const FETCHED_MAX: usize = 500;

/// A client reads so far beyond the lowest record that is not finished, at most.
pub const AHEAD_MAX: u64 = 10_000;

/// What a client has of one partition.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    /// What it has fetched and no thread has in hand, by offset.
    fetched: Vec<Fetched>,
    outs: Vec<InHand>,
    /// What was committed before the work, while that is done: turn and key.
    early: Vec<(u32, Option<u64>)>,
    /// What is done beyond the lowest that is not.
    done: Ranges,
    /// Below the highest that was ever handed over those that were not.
    untouched: Ranges,
    /// The client has died: it begins anew with the next round.
    is_lost: bool,
}

#[derive(Clone, Copy, Debug)]
struct Fetched {
    record: Record,
    key: Option<u64>,
    /// Another of its key comes before it.
    is_behind: bool,
    /// It is tried again, not before then.
    until: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct InHand {
    turn: u32,
    record: Record,
    key: Option<u64>,
    consumer: ConsumerIndex,
}

impl Spread {
    fn fetch(&mut self, record: Record, key: Option<u64>) {
        let is_behind = key.is_some() && self.has_key(key);
        self.fetched.push(Fetched { record, key, is_behind, until: None });
    }

    fn has_key(&self, key: Option<u64>) -> bool {
        self.outs.iter().any(|out| out.key == key)
            || self.early.iter().any(|(_, early)| *early == key)
            || self.fetched.iter().any(|fetched| fetched.key == key)
    }

    /// The lowest record that a thread may be given now.
    fn free(&self, now: Instant) -> Option<usize> {
        let is_free =
            |fetched: &Fetched| !fetched.is_behind && fetched.until.is_none_or(|until| until <= now);
        self.fetched.iter().position(is_free)
    }

    /// No thread works on the key any more: the next record of it may go.
    fn let_go(&mut self, key: Option<u64>) {
        let mut fetched = self.fetched.iter_mut();
        if let Some(next) = fetched.find(|fetched| key.is_some() && fetched.key == key) {
            next.is_behind = false;
        }
    }

    fn take(&mut self, turn: u32) -> Option<InHand> {
        let place = self.outs.iter().position(|out| out.turn == turn)?;
        Some(self.outs.remove(place))
    }

    fn put_back(&mut self, out: InHand, until: Option<Instant>) {
        let place = self.fetched.partition_point(|fetched| fetched.record.offset < out.record.offset);
        self.fetched.insert(place, Fetched { record: out.record, key: out.key, is_behind: false, until });
    }

    /// Everything that the client had in memory is gone.
    fn lose(&mut self) {
        (self.fetched, self.outs) = (Vec::new(), Vec::new());
        self.done = Ranges::default();
        self.is_lost = true;
    }

    fn outs_of(&self, of: impl Fn(ConsumerIndex) -> bool) -> Vec<u32> {
        self.outs.iter().filter(|out| of(out.consumer)).map(|out| out.turn).collect()
    }

    /// The client has died and did not begin anew: it fetches nothing.
    pub(super) const fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The lowest record that the client has in memory, or beyond all offsets. What it has it works on,
    /// also where the log has deleted it meanwhile.
    pub(super) fn lowest_held(&self) -> u64 {
        let fetched = self.fetched.iter().map(|fetched| fetched.record.offset);
        fetched.chain(self.outs.iter().map(|out| out.record.offset)).min().unwrap_or(u64::MAX)
    }

    fn has(&self, offset: u64) -> bool {
        self.fetched.iter().any(|fetched| fetched.record.offset == offset)
            || self.outs.iter().any(|out| out.record.offset == offset)
    }

    pub(super) const fn done(&self) -> &Ranges {
        &self.done
    }

    pub(super) fn out(&self) -> u64 {
        self.outs.len() as u64
    }

    pub(super) fn forget_before(&mut self, log_start: u64) {
        self.untouched.set(0, log_start, false);
    }

    pub(super) fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Fetched>(self.fetched.len());
        held.own::<InHand>(self.outs.len());
        held.own::<(u64, u64)>(self.done.len() + self.untouched.len());
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for fetched in &self.fetched {
            hasher.write(fetched.record.offset << 1 | u64::from(fetched.is_behind));
            hasher.write(fetched.until.map_or(u64::MAX, Instant::micros));
        }
        for out in &self.outs {
            hasher.write(u64::from(out.turn) << 32 | u64::from(out.consumer.0));
            hasher.write(out.record.offset);
        }
        for (from, to) in self.done.iter().chain(self.untouched.iter()) {
            hasher.write(*from);
            hasher.write(*to);
        }
        hasher.write(u64::from(self.is_lost));
    }
}

impl Reading {
    /// Whether its members are the threads of one client, which work on a partition side by side.
    #[must_use]
    pub const fn is_spread(&self) -> bool {
        !matches!(self.order, WorkOrder::Partition)
    }

    /// The next record for a thread that is free: of the partitions with one to give the one that was
    /// served least lately. `key_of` says the key of a message.
    #[inline(never)]
    pub(super) fn next_spread(
        &mut self,
        now: Instant,
        log: &PartitionedLog,
        is_free: impl Fn(ConsumerIndex) -> bool,
        key_of: impl Fn(&Record) -> Option<u64>,
    ) -> Option<Delivery> {
        let free = self.joined.iter().find(|thread| is_free(**thread)).copied();
        (0..log.partition_count()).for_each(|partition| self.fetch(partition, log, &key_of));
        let free = free?;
        let lanes = (0_u32..).zip(self.lanes.iter().zip(&self.spreads));
        let ready = lanes.filter_map(|(partition, (lane, spread))| {
            let place = spread.free(now).filter(|_| lane.reader.is_some() && lane.stopped.is_none())?;
            Some((lane.served, partition, place))
        });
        let (_, partition, place) = ready.min()?;
        self.hand_over(partition, place, free)
    }

    /// Fetches what there is of a partition, as far as the client reads on.
    fn fetch(&mut self, partition: u32, log: &PartitionedLog, key_of: impl Fn(&Record) -> Option<u64>) {
        self.mind_range(partition, log);
        let (lowest, by_key) = (self.done_to(partition), self.order == WorkOrder::Key);
        let (Some(stored), Some(lane)) = (log.partition(partition), self.lane(partition)) else { return };
        if lane.reader.is_none() || lane.stopped.is_some() {
            return;
        }
        while let Some(spread) = self.spreads.get_mut(partition as usize).filter(|spread| !spread.is_lost)
            && spread.fetched.len() < FETCHED_MAX
            && let Some(offset) = self.offsets.next_offset(partition, stored)
            && offset < lowest.saturating_add(AHEAD_MAX)
            && let Some(record) = stored.record(offset)
        {
            spread.fetch(record, if by_key { key_of(&record) } else { None });
            self.offsets.seek(partition, offset + 1);
        }
    }

    fn hand_over(&mut self, partition: u32, place: usize, consumer: ConsumerIndex) -> Option<Delivery> {
        let lane = self.lanes.get_mut(partition as usize)?;
        let spread = self.spreads.get_mut(partition as usize)?;
        let Fetched { record, key, .. } = spread.fetched.remove(place);
        let offset = record.offset;
        self.deliveries += 1;
        lane.turn = lane.turn.wrapping_add(1);
        lane.served = self.deliveries;
        let redelivered = offset < lane.handed_to && !spread.untouched.contains(offset);
        spread.untouched.set(lane.handed_to, offset, true);
        spread.untouched.set(offset, offset + 1, false);
        lane.handed_to = lane.handed_to.max(offset + 1);
        spread.outs.push(InHand { turn: lane.turn, record, key, consumer });
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

    /// Whether a thread is free and a record could be given to it.
    pub(super) fn could_give_spread(&self, now: Instant, is_free: impl Fn(ConsumerIndex) -> bool) -> bool {
        let has_one = |(lane, spread): (&super::Lane, &Spread)| {
            lane.reader.is_some() && lane.stopped.is_none() && spread.free(now).is_some()
        };
        self.joined.iter().any(|thread| is_free(*thread)) && self.lanes.iter().zip(&self.spreads).any(has_one)
    }

    pub(super) fn spread_of(&self, partition: u32) -> Option<&Spread> {
        self.spreads.get(partition as usize)
    }

    fn take_in_hand(&mut self, tag: DeliveryTag) -> Option<(u32, InHand)> {
        let (partition, turn) = tag.as_record();
        let out = self.spreads.get_mut(partition as usize)?.take(turn)?;
        Some((partition, out))
    }

    /// The offset of what was handed over by that tag, while it is out.
    pub(super) fn delivered_spread(&self, partition: u32, turn: u32) -> Option<u64> {
        let out = self.spread_of(partition)?.outs.iter().find(|out| out.turn == turn)?;
        Some(out.record.offset)
    }

    /// Whether the client has a record in memory, in a thread's hands or not.
    pub(super) fn has_in_memory(&self, partition: u32, offset: u64) -> bool {
        self.spread_of(partition).is_some_and(|spread| spread.has(offset))
    }

    /// Who has a record in hand.
    pub(super) fn holders_spread(&self) -> impl Iterator<Item = (DeliveryTag, ConsumerIndex)> {
        (0_u32..).zip(&self.spreads).flat_map(|(partition, spread)| {
            spread.outs.iter().map(move |out| (DeliveryTag::of_record(partition, out.turn), out.consumer))
        })
    }

    /// A record is finished: the next of its key may go. Returns its place. `None` where it was taken
    /// from the thread before.
    pub(super) fn take_finished(&mut self, tag: DeliveryTag) -> Option<(u32, u64)> {
        let (partition, out) = self.take_in_hand(tag)?;
        let spread = self.spreads.get_mut(partition as usize)?;
        spread.let_go(out.key);
        spread.done.set(out.record.offset, out.record.offset + 1, true);
        Some((partition, out.record.offset))
    }

    /// A record is committed before the work on it: its key stays taken. Returns its place.
    pub(super) fn take_early(&mut self, tag: DeliveryTag) -> Option<(u32, u64)> {
        let (partition, out) = self.take_in_hand(tag)?;
        let spread = self.spreads.get_mut(partition as usize)?;
        spread.early.push((out.turn, out.key));
        spread.done.set(out.record.offset, out.record.offset + 1, true);
        Some((partition, out.record.offset))
    }

    /// A record is committed before the work on it, as far as nothing before it is unfinished.
    pub(super) fn commit_early_spread(&mut self, tag: DeliveryTag) -> bool {
        let Some((partition, offset)) = self.take_early(tag) else { return false };
        self.take_in_run(partition);
        self.commit_all(partition);
        self.note_passed(partition, offset, offset + 1, Outcome::NOTHING);
        self.early.push((tag, offset));
        true
    }

    /// What is done in one go from the lowest unfinished record on is to be committed.
    fn take_in_run(&mut self, partition: u32) {
        let run = self.take_finished_run(partition);
        if let Some(lane) = self.lanes.get_mut(partition as usize) {
            lane.uncommitted += run;
            self.uncommitted += run;
        }
    }

    /// The work on what was committed before is over.
    pub(super) fn end_early_spread(&mut self, tag: DeliveryTag) {
        let (partition, turn) = tag.as_record();
        let Some(spread) = self.spreads.get_mut(partition as usize) else { return };
        if let Some(place) = spread.early.iter().position(|(early, _)| *early == turn) {
            let (_, key) = spread.early.swap_remove(place);
            spread.let_go(key);
        }
    }

    /// How many records follow the lowest that was not finished and are done, up to the next that is
    /// not. They are from now on before it.
    pub(super) fn take_finished_run(&mut self, partition: u32) -> u64 {
        let lowest = self.done_to(partition);
        let spread = self.spreads.get_mut(partition as usize);
        spread.and_then(|spread| spread.done.take_from(lowest)).map_or(0, |end| end - lowest)
    }

    /// A record is tried again, not before `until`; those of its key wait for it. `false` where it was
    /// taken from the thread before.
    pub(super) fn step_back_spread(&mut self, tag: DeliveryTag, until: Instant) -> bool {
        let Some((partition, out)) = self.take_in_hand(tag) else { return false };
        if let Some(spread) = self.spreads.get_mut(partition as usize) {
            spread.put_back(out, Some(until));
        }
        true
    }

    /// A record that was put off counts as never handed over.
    pub(super) fn untouch(&mut self, partition: u32, offset: u64) {
        if let Some(spread) = self.spreads.get_mut(partition as usize) {
            spread.untouched.set(offset, offset + 1, true);
        }
    }

    /// What such threads have in hand is free to be given again.
    pub(super) fn take_back_spread(&mut self, of: impl Fn(ConsumerIndex) -> bool) {
        for spread in &mut self.spreads {
            for turn in spread.outs_of(&of) {
                if let Some(out) = spread.take(turn) {
                    spread.put_back(out, None);
                }
            }
        }
    }

    /// When the first record that waits is tried again.
    pub(super) fn resume_due_spread(&self) -> Option<Instant> {
        self.spreads.iter().flat_map(|spread| spread.fetched.iter().filter_map(|fetched| fetched.until)).min()
    }

    /// Records that have waited long enough are free.
    pub(super) fn resume_spread(&mut self, now: Instant) {
        for fetched in self.spreads.iter_mut().flat_map(|spread| &mut spread.fetched) {
            fetched.until = fetched.until.filter(|until| *until > now);
        }
    }

    /// What lies from `from` to before `to` is never worked on: the client reads on behind it.
    pub(super) fn leave_out(&mut self, partition: u32, from: u64, to: u64, log_start: u64) {
        let left_out = to.saturating_sub(from);
        let deleted = log_start.saturating_sub(from).min(left_out);
        self.counts.deleted_unread += deleted;
        self.counts.passed_over += left_out - deleted;
        if let Some(passed) = self.passed.get_mut(partition as usize) {
            passed.skip(from, to);
        }
        if let Some(spread) = self.spreads.get_mut(partition as usize) {
            spread.done.set(from, to, true);
        }
        self.take_in_run(partition);
        self.commit_all(partition);
    }

    /// A client that has died begins anew in the partition. `false`: it goes on where it is.
    pub(super) fn begins_anew(&mut self, partition: u32) -> bool {
        let Some(spread) = self.spreads.get_mut(partition as usize) else { return true };
        if spread.is_lost {
            spread.done = Ranges::default();
        }
        std::mem::take(&mut spread.is_lost)
    }

    /// The client is gone with all that it had in memory. Returns how many records it had done in a
    /// partition that were not committed because of one before them.
    pub(super) fn lose_spread(&mut self, partition: u32) -> u64 {
        let Some(spread) = self.spreads.get_mut(partition as usize) else { return 0 };
        let beyond = spread.done.count();
        spread.lose();
        beyond
    }

    /// A partition in which a record is out beside another of its key, or before one that comes first;
    /// `None` as long as the model is right.
    #[must_use]
    pub fn overtaken(&self) -> Option<u32> {
        let is_wrong = |spread: &Spread| {
            spread.outs.iter().enumerate().any(|(place, out)| {
                let is_ahead = |fetched: &Fetched| fetched.record.offset < out.record.offset;
                let others = spread.outs.iter().skip(place + 1);
                out.key.is_some()
                    && (others.clone().any(|other| other.key == out.key)
                        || spread.fetched.iter().any(|fetched| fetched.key == out.key && is_ahead(fetched)))
            })
        };
        (0_u32..).zip(&self.spreads).find(|(_, spread)| is_wrong(spread)).map(|(partition, _)| partition)
    }

    /// Whether all threads are dead.
    pub(super) fn is_client_silent(&self) -> bool {
        !self.joined.is_empty() && self.joined.iter().all(|thread| self.silent.contains(thread))
    }
}
