//! A group at work on a topic: who is given which record next, and what becomes of it.
//!
//! It joins the pure machines: the group, its offsets, and for each partition the one record that its
//! reader has in hand. The log belongs to the broker and is lent to each operation.
//!
//! Of each partition at most one record is out, to the partition's reader and to nobody else. So a
//! group has as much capacity as its busiest partitions leave it: there is deliberately no way by which
//! a member without work could help with another's partition. Where records are worked on side by side
//! ([`WorkOrder`]), all partitions have the same reader, and its threads share the work on them.
//!
//! Members that finish what they have in hand before they join again cause no duplicates: a round of
//! the eager protocol waits for them (Kafka: a member joins at its next poll). Who is dead is waited
//! for until its session is over.

mod commits;
mod counts;
mod lanes;
mod members;
mod moving;
mod passed;
mod ranges;
mod ready;
mod spread;
#[cfg(test)]
mod tests;

pub use commits::CommitRules;
pub use counts::GroupCounts;
pub use passed::Outcome;
pub use spread::{AHEAD_MAX, FETCHED_MAX, WorkOrder};

use commits::Commits;
use lanes::Lane;
use members::consumer_of;
use passed::Passed;
use ready::ReadyLanes;
use spread::Spread;

use super::super::held::HeldBytes;
use super::super::partitioned_log::PartitionedLog;
use super::super::rng::{Draws, Purpose};
use super::super::routes::{GroupIndex, TopicIndex};
use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};
use super::super::work_queue::{ConsumerIndex, DeliveryTag};
use super::assignors::{Assignor, Protocol, Topic};
use super::offsets::{GroupOffsets, NoOffset, OffsetPolicy};
use super::{Group, GroupState, GroupTimers};

/// How a group reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingRules {
    /// The rule by which partitions are given to members. Holds from the start.
    pub assignor: Assignor,
    /// What a reader does that has no offset to go on from.
    pub policy: OffsetPolicy,
    /// How long a round of a rebalance takes at least.
    pub rebalance_time: Span,
    /// How its members commit.
    pub commits: CommitRules,
    /// In which order records of a partition are worked on. Holds from the start.
    pub order: WorkOrder,
}

/// A group, its offsets in one topic, and the records that its members have in hand.
#[derive(Clone, Debug)]
pub struct Reading {
    topic: TopicIndex,
    group: Group,
    offsets: GroupOffsets,
    lanes: Vec<Lane>,
    order: WorkOrder,
    /// What its client has of each partition, where its members are the threads of one.
    spreads: Vec<Spread>,
    /// What it has passed in each partition.
    passed: Vec<Passed>,
    /// What was committed before the work and is in members' hands, with its offset.
    early: Vec<(DeliveryTag, u64)>,
    ready: ReadyLanes,
    /// Who has joined, in no particular order.
    joined: Vec<ConsumerIndex>,
    /// Members that have died and were not heard of since.
    silent: Vec<ConsumerIndex>,
    rebalance_time: Span,
    commits: Commits,
    /// Records that are done and not committed, over all partitions.
    uncommitted: u64,
    /// From when on the next round may take place, if one is to come.
    round_at: Option<Instant>,
    deliveries: u64,
    counts: GroupCounts,
}

impl Reading {
    /// A group without members of `topic`, which has so many partitions. One that is there from the
    /// start has committed the start of each; one that joins later has committed nothing.
    #[must_use]
    pub fn new(topic: TopicIndex, partitions: u32, rules: &ReadingRules, joins_later: bool) -> Self {
        let mut offsets = GroupOffsets::new(rules.policy);
        if !joins_later {
            (0..partitions).for_each(|partition| offsets.commit(partition, 0));
        }
        Self {
            topic,
            group: Group::new(rules.assignor, GroupTimers::default()),
            offsets,
            lanes: vec![Lane::default(); partitions as usize],
            order: rules.order,
            spreads: match rules.order {
                WorkOrder::Partition => Vec::new(),
                _ => vec![Spread::default(); partitions as usize],
            },
            ready: ReadyLanes::default(),
            passed: vec![Passed::default(); partitions as usize],
            early: Vec::new(),
            joined: Vec::new(),
            silent: Vec::new(),
            rebalance_time: rules.rebalance_time,
            commits: Commits {
                rules: rules.commits,
                draws: Draws::new(0, Purpose::CommitFailure),
                group: GroupIndex(0),
            },
            uncommitted: 0,
            round_at: None,
            deliveries: 0,
            counts: GroupCounts::default(),
        }
    }

    /// Which commits get through is drawn from these, as those of the group of that place.
    #[must_use]
    pub const fn with_draws(mut self, draws: Draws, group: GroupIndex) -> Self {
        (self.commits.draws, self.commits.group) = (draws, group);
        self
    }

    /// Sets how it reads from now on; the assignor and the order of work stay.
    pub const fn set_rules(&mut self, rules: &ReadingRules) {
        self.offsets.set_policy(rules.policy);
        self.rebalance_time = rules.rebalance_time;
        self.commits.rules = rules.commits;
    }

    /// The topic it reads.
    #[must_use]
    pub const fn topic(&self) -> TopicIndex {
        self.topic
    }

    /// Its members and their partitions.
    #[must_use]
    pub const fn group(&self) -> &Group {
        &self.group
    }

    /// Where it stands.
    #[must_use]
    pub const fn offsets(&self) -> &GroupOffsets {
        &self.offsets
    }

    /// What became of its records.
    #[must_use]
    pub const fn counts(&self) -> &GroupCounts {
        &self.counts
    }

    /// What became of its records, to count more.
    pub const fn counts_mut(&mut self) -> &mut GroupCounts {
        &mut self.counts
    }

    /// Who reads the partition; nobody in the middle of a rebalance of the eager protocol.
    #[must_use]
    pub fn reader(&self, partition: u32) -> Option<ConsumerIndex> {
        self.lane(partition).and_then(|lane| lane.reader).filter(|_| !self.is_paused())
    }

    /// Until when the partition waits before its record is tried again.
    #[must_use]
    pub fn paused_until(&self, partition: u32) -> Option<Instant> {
        self.lane(partition).and_then(|lane| lane.paused_until)
    }

    /// Why the partition's reader has stopped, if it has.
    #[must_use]
    pub fn stopped(&self, partition: u32) -> Option<NoOffset> {
        self.lane(partition).and_then(|lane| lane.stopped)
    }

    /// Whether the consumer counts as a member: it has joined, and was heard of since or is still
    /// waited for.
    #[must_use]
    pub fn is_member(&self, consumer: ConsumerIndex) -> bool {
        self.joined.contains(&consumer)
    }

    /// Whether it is a member that has died and is still waited for.
    #[must_use]
    pub fn is_silent(&self, consumer: ConsumerIndex) -> bool {
        self.silent.contains(&consumer)
    }

    /// Who has a record in hand.
    pub fn holders(&self) -> impl Iterator<Item = (DeliveryTag, ConsumerIndex)> {
        let lanes = (0_u32..).zip(&self.lanes).filter_map(|(partition, lane)| {
            Some((DeliveryTag::of_record(partition, lane.turn), lane.out?.consumer))
        });
        lanes.chain(self.holders_spread())
    }

    /// Whether a member has the record at `offset` in hand, or a client with threads has it in memory.
    #[must_use]
    pub fn has_out(&self, partition: u32, offset: u64) -> bool {
        let out = self.lane(partition).and_then(|lane| lane.out);
        out.is_some_and(|out| out.offset == offset) || self.has_in_memory(partition, offset)
    }

    /// How many records are in members' hands and not committed.
    #[must_use]
    pub fn out(&self) -> u64 {
        let spread: u64 = self.spreads.iter().map(Spread::out).sum();
        self.lanes.iter().filter(|lane| lane.out.is_some()).count() as u64 + spread
    }

    /// How far the group has come since it began, over all partitions: its committed offsets, and what
    /// is done behind them.
    #[must_use]
    pub fn moved_on(&self) -> u64 {
        let of = |(partition, lane): (u32, &Lane)| {
            self.offsets.of(partition).committed.unwrap_or(lane.began).saturating_sub(lane.began)
        };
        let beyond: u64 = self.spreads.iter().map(|spread| spread.done().count()).sum();
        (0_u32..).zip(&self.lanes).map(of).sum::<u64>() + self.uncommitted + beyond
    }

    /// Records before the offsets at which it began, over all partitions.
    #[must_use]
    pub fn began(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.began).sum()
    }

    /// When something is due by itself after `now`, or at it: a partition goes on, a session may be
    /// over, or a round may take place. A round that waits for answers is not due: it comes with them.
    #[must_use]
    pub fn next_due(&self, now: Instant) -> Option<Instant> {
        let round = self.round_at.filter(|at| *at > now);
        let dues = self.resume_due().into_iter().chain(self.session_due()).chain(self.commit_due());
        dues.chain(round).min()
    }

    /// When the next round may take place, if one is to come.
    #[must_use]
    pub const fn round_due(&self) -> Option<Instant> {
        self.round_at
    }

    /// Gives out the partitions, if a round is due and nobody has to finish anything before. Returns
    /// whether it did.
    pub fn go_round(&mut self, now: Instant, log: &PartitionedLog) -> bool {
        if self.round_at.is_none_or(|at| at > now) || self.awaits_answers() {
            return false;
        }
        if self.group.members().is_empty() {
            self.round_at = None;
            return false;
        }
        let topics = [Topic { name: String::new(), partitions: log.partition_count() }];
        let round = self.group.rebalance(&topics);
        self.round_at = round.another_follows.then_some(now + self.rebalance_time);
        (0..log.partition_count()).for_each(|partition| self.hand_partition(partition, log));
        true
    }

    /// Whether a record waits that a free member could be given. It looks through all partitions.
    #[must_use]
    pub fn could_give(
        &self,
        now: Instant,
        log: &PartitionedLog,
        is_free: impl Fn(ConsumerIndex) -> bool,
    ) -> bool {
        if self.is_spread() {
            return !self.is_paused() && self.could_give_spread(now, is_free);
        }
        let ready = |(partition, lane): (u32, &Lane)| {
            lane.may_read(now) && self.has_record(partition, log) && lane.reader.is_some_and(&is_free)
        };
        !self.is_paused() && (0_u32..).zip(&self.lanes).any(ready)
    }

    /// The record that was handed over by that tag, with its offset, while it is out.
    #[must_use]
    pub fn delivered(&self, tag: DeliveryTag) -> Option<(u32, u64)> {
        let (partition, turn) = tag.as_record();
        if self.is_spread() {
            return self.delivered_spread(partition, turn).map(|offset| (partition, offset));
        }
        let lane = self.lane(partition).filter(|lane| lane.turn == turn)?;
        lane.out.map(|out| (partition, out.offset))
    }

    /// The group has done the record, or gives it up: it goes on behind it, and commits that when it is
    /// time to. `false` where it was taken from the member before: its commit is refused.
    pub fn commit(&mut self, now: Instant, tag: DeliveryTag, outcome: Outcome) -> bool {
        let is_spread = self.is_spread();
        let taken = if is_spread { self.take_finished(tag) } else { self.take_out(tag) };
        let Some((partition, offset)) = taken else { return false };
        self.note_passed(partition, offset, offset + 1, outcome);
        let finished = if is_spread { self.take_finished_run(partition) } else { 1 };
        self.finish(now, partition, finished);
        true
    }

    /// The group commits the record before the work on it: what becomes of it is said later. `false`
    /// where it was taken from the member before.
    pub fn commit_early(&mut self, tag: DeliveryTag) -> bool {
        if self.is_spread() {
            return self.commit_early_spread(tag);
        }
        let Some((partition, offset)) = self.take_out(tag) else { return false };
        self.commit_all(partition);
        self.offsets.commit(partition, offset + 1);
        self.note_passed(partition, offset, offset + 1, Outcome::NOTHING);
        self.early.push((tag, offset));
        true
    }

    /// What became of a record that was committed before the work.
    pub fn end_early(&mut self, tag: DeliveryTag, outcome: Outcome) {
        self.end_early_spread(tag);
        let Some(place) = self.early.iter().position(|(early, _)| *early == tag) else { return };
        let (tag, offset) = self.early.swap_remove(place);
        self.note_passed(tag.as_record().0, offset, offset + 1, outcome);
    }

    /// The record is tried again, not before `until`: its partition waits, and no other. `false` where
    /// it was taken from the member before.
    pub fn step_back(&mut self, tag: DeliveryTag, until: Instant) -> bool {
        if self.is_spread() {
            return self.step_back_spread(tag, until);
        }
        let Some((partition, offset)) = self.take_out(tag) else { return false };
        self.offsets.seek(partition, offset);
        if let Some(lane) = self.lanes.get_mut(partition as usize) {
            self.ready.pause(partition, lane, Some(until));
        }
        true
    }

    /// When the first partition that waits goes on, or the first record that does.
    #[must_use]
    pub fn resume_due(&self) -> Option<Instant> {
        if self.is_spread() { self.resume_due_spread() } else { self.ready.resume_due() }
    }

    /// When the oldest record was appended that the group has not committed and can still read.
    #[must_use]
    pub fn oldest_unfinished(&self, log: &PartitionedLog) -> Option<Instant> {
        (0..log.partition_count()).filter_map(|partition| self.oldest_unfinished_of(partition, log)).min()
    }

    /// The same of one partition.
    #[must_use]
    pub fn oldest_unfinished_of(&self, partition: u32, log: &PartitionedLog) -> Option<Instant> {
        let stored = log.partition(partition)?;
        // Who has committed nothing has nothing to finish.
        let committed = self.offsets.of(partition).committed?;
        stored.time_of(committed.max(stored.log_start_offset()))
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.group.count_held(held);
        self.offsets.count_held(held);
        held.own::<Lane>(self.lanes.len());
        held.own::<Passed>(self.passed.len());
        held.own::<(DeliveryTag, u64)>(self.early.len());
        held.own::<Spread>(self.spreads.len());
        self.spreads.iter().for_each(|spread| spread.count_held(held));
        self.passed.iter().for_each(|passed| passed.count_held(held));
        self.ready.count_held(held);
        held.own::<ConsumerIndex>(self.silent.len());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.topic.0 as u64);
        self.group.hash_into(hasher);
        self.offsets.hash_into(hasher);
        self.lanes.iter().for_each(|lane| lane.hash_into(hasher));
        self.spreads.iter().for_each(|spread| spread.hash_into(hasher));
        self.passed.iter().for_each(|passed| passed.hash_into(hasher));
        self.silent.iter().for_each(|consumer| hasher.write(u64::from(consumer.0)));
        hasher.write(self.rebalance_time.micros());
        hasher.write(self.round_at.map_or(u64::MAX, Instant::micros));
        hasher.write(self.deliveries);
        self.counts.hash_into(hasher);
    }

    fn lane(&self, partition: u32) -> Option<&Lane> {
        self.lanes.get(partition as usize)
    }

    /// Whether nobody reads, because everybody has given up everything.
    fn is_paused(&self) -> bool {
        self.group.state() == GroupState::Rebalancing && self.protocol() == Protocol::Eager
    }

    fn protocol(&self) -> Protocol {
        self.group.assignor().protocol()
    }

    /// Whether somebody has to join before the next round who cannot now: who is dead, until its
    /// session is over, and who works: with the eager protocol on anything, with the cooperative one
    /// on what it has to give up.
    fn awaits_answers(&self) -> bool {
        let is_eager = self.protocol() == Protocol::Eager;
        if self.is_spread() {
            // Whoever works goes on: its partitions stay the client's.
            return self.is_client_silent();
        }
        !self.silent.is_empty()
            || self.lanes.iter().any(|lane| lane.out.is_some() && (is_eager || lane.reader.is_none()))
    }

    fn call_round(&mut self, now: Instant) {
        self.round_at.get_or_insert(now + self.rebalance_time);
    }

    fn has_record(&self, partition: u32, log: &PartitionedLog) -> bool {
        let stored = log.partition(partition);
        stored.is_some_and(|stored| self.offsets.next_offset(partition, stored).is_some())
    }
}
