//! Topics and groups, as a run's snapshot names them.

use super::super::consumer_status::GroupStatus;
use super::super::group::reading::Reading;
use super::super::partitioned_log::{Partition, PartitionedLog};
use super::super::routes::{GroupIndex, TopicIndex};
use super::super::settings::CONSUMERS_MAX;
use super::super::simulation::{Simulation, Staff};
use super::super::snapshot::ConsumerHealth;
use super::super::snapshot::network::{
    CAME_RECENTLY, GroupSnapshot, LaneSnapshot, POISON_SEEN, PartitionSnapshot, TopicSnapshot,
};
use super::super::time::{Instant, Span};
use super::super::work_queue::ConsumerIndex;

/// The first record that a group has not done in a partition.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    offset: u64,
    attempts: u32,
    is_poison: bool,
    is_unreadable: bool,
}

impl Simulation {
    pub(super) fn topic_snapshots(&self) -> Vec<TopicSnapshot> {
        if self.broker.logs.topics().is_empty() { Vec::new() } else { self.all_topic_snapshots() }
    }

    // A first screen has no topics, and does not load this.
    #[inline(never)]
    fn all_topic_snapshots(&self) -> Vec<TopicSnapshot> {
        let topics = self.broker.logs.topics().iter().enumerate();
        let topic = topics.map(|(index, log)| TopicSnapshot {
            name: self.topic_name(TopicIndex(index)),
            kept_for: log.rules().retention_time.filter(|_| log.rules().deletes),
            not_sent_back: self.not_sent_back(TopicIndex(index)),
            next_deleted_in: self.next_dead_record_deleted_in(TopicIndex(index)),
            takes_dead_letters: self.takes_dead_letters(TopicIndex(index)),
            is_for_retries: self.is_for_retries(TopicIndex(index)),
            takes_retries: self.takes_retries(TopicIndex(index)),
            sends_back: self.sends_back_snapshot(TopicIndex(index)),
            partitions: log
                .partitions()
                .iter()
                .map(|partition| PartitionSnapshot {
                    log_start: partition.log_start_offset(),
                    log_end: partition.log_end_offset(),
                    newest_at: partition
                        .log_end_offset()
                        .checked_sub(1)
                        .and_then(|last| partition.time_of(last)),
                    came_recently: self.came_recently(partition),
                })
                .collect(),
        });
        topic.collect()
    }

    fn came_recently(&self, partition: &Partition) -> u64 {
        // What came at the beginning of the span itself is outside of it.
        let after = (self.now().micros() + 1).saturating_sub(CAME_RECENTLY.micros());
        let first = partition.offset_from(Instant::from_micros(after));
        first.map_or(0, |first| partition.log_end_offset().saturating_sub(first))
    }

    /// Of a topic to which groups send their dead letters: those that were not sent back.
    pub(in crate::model) fn not_sent_back(&self, topic: TopicIndex) -> u64 {
        let topology = self.scenario().topology();
        let takes_dead_letters = topology.takes_dead_letters(topic.0);
        if takes_dead_letters { self.broker.logs.not_sent_back(topic) } else { 0 }
    }

    /// The same: how long until the first of them goes with its segment.
    fn next_dead_record_deleted_in(&self, topic: TopicIndex) -> Option<Span> {
        if self.not_sent_back(topic) == 0 {
            return None;
        }
        let (logs, log, now) = (&self.broker.logs, self.broker.logs.topic(topic), self.now());
        let kept_until = (0_u32..).zip(log.partitions()).filter_map(|(number, partition)| {
            partition.is_kept_until(logs.first_not_sent_back(topic, number), log.rules())
        });
        Some(log.next_look(kept_until.min()?.max(now)).since(now))
    }

    pub(super) fn group_snapshots(&self) -> Vec<GroupSnapshot> {
        if self.broker.logs.groups().is_empty() { Vec::new() } else { self.all_group_snapshots() }
    }

    #[inline(never)]
    fn all_group_snapshots(&self) -> Vec<GroupSnapshot> {
        (0..self.broker.logs.groups().len()).map(|group| self.group_snapshot(GroupIndex(group))).collect()
    }

    fn group_snapshot(&self, index: GroupIndex) -> GroupSnapshot {
        let (reading, log) = (self.broker.logs.group(index), self.broker.logs.log_of(index));
        let group = reading.group();
        let node = self.scenario().topology().groups.get(index.0);
        let lanes = (0..log.partition_count()).map(|partition| self.lane_snapshot(index, log, partition));
        let partitions: Vec<LaneSnapshot> = lanes.collect();
        GroupSnapshot {
            name: node.map(|node| node.name.clone()).unwrap_or_default(),
            from: self.topic_name(reading.topic()),
            state: group.state(),
            generation: group.generation(),
            round_in: reading.round_due().map(|due| due.since(self.now())),
            members: group.members().len() as u64,
            idle_members: group.idle_members() as u64,
            shares_work: reading.is_spread(),
            lag: reading.offsets().lag_sum(log),
            lag_max: reading.offsets().lag_max(log),
            in_flight: reading.out() + reading.counts().in_hand,
            oldest_unfinished: reading.oldest_unfinished(log).map(|at| self.age(at)),
            counts: *reading.counts(),
            uncommitted: reading.uncommitted(),
            began: reading.began(),
            moved_on: reading.moved_on(),
            status: GroupStatus::of(partitions.iter().map(|lane| lane.status)),
            partitions,
        }
    }

    fn lane_snapshot(&self, group: GroupIndex, log: &PartitionedLog, partition: u32) -> LaneSnapshot {
        let reading = self.broker.logs.group(group);
        let staff = &self.staffs[self.pool_of_group(group)];
        let offsets = reading.offsets().of(partition);
        let lag = log.partition(partition).and_then(|stored| offsets.lag(stored)).unwrap_or_default();
        let head = self.head(group, log, partition);
        let reader = reading.reader(partition);
        LaneSnapshot {
            committed: offsets.committed,
            position: offsets.position,
            lag,
            oldest_unfinished: reading.oldest_unfinished_of(partition, log).map(|at| self.age(at)),
            reader: reader.map(|reader| u64::from(reader.0) % CONSUMERS_MAX + 1),
            reader_health: reader.map(|reader| self.reader_health(reading, staff, reader)),
            head: head.offset,
            in_hand: offsets.position.map_or(0, |position| position.saturating_sub(head.offset)),
            head_attempts: head.attempts,
            head_fails: head.is_poison || head.is_unreadable,
            head_is_unreadable: head.is_unreadable,
            poison: log.partition(partition).map_or(0, |stored| self.poison_from(group, stored, head.offset)),
            unread_kept_for: self.unread_kept_for(log, partition, offsets.committed),
            paused_for: reading.paused_until(partition).map(|until| until.since(self.now())),
            is_stopped: reading.stopped(partition).is_some(),
            status: self.partition_status(group, partition, lag),
        }
    }

    /// How the reader of a partition is; of a client with threads, how the best of them is.
    fn reader_health(&self, reading: &Reading, staff: &Staff, reader: ConsumerIndex) -> ConsumerHealth {
        let mut threads =
            staff.pool.slots().filter(|thread| reading.is_spread() && reading.is_member(*thread));
        let up = threads.find(|thread| self.consumer_health(staff, *thread) == ConsumerHealth::Up);
        self.consumer_health(staff, up.unwrap_or(reader))
    }

    /// The first record that the group has not done there.
    fn head(&self, group: GroupIndex, log: &PartitionedLog, partition: u32) -> Head {
        let reading = self.broker.logs.group(group);
        let offsets = reading.offsets().of(partition);
        let Some(stored) = log.partition(partition) else { return Head::default() };
        let done_to = offsets.committed.unwrap_or_default() + reading.uncommitted_in(partition);
        let offset = done_to.max(stored.log_start_offset());
        let Some(record) = stored.record(offset) else { return Head { offset, ..Head::default() } };
        let staff = &self.staffs[self.pool_of_group(group)];
        let tried = self.records.get(record.id, staff.pool.role()).map_or(0, |record| record.attempts);
        let job = reading.reader(partition).and_then(|reader| staff.pool.job(reader));
        // Who works on it already goes on by the schema that was deployed then.
        let reads_by =
            job.filter(|job| job.id == record.id).map_or(staff.pool.reads_by(), |job| job.reads_by);
        // Of a record that nothing has gone wrong with nobody keeps how often it was tried.
        let is_out = reading.has_out(partition, offset);
        Head {
            offset,
            attempts: tried.max(u32::from(is_out)),
            // Threads go on with others beside it.
            is_poison: !self.fates.is_fixed()
                && !reading.is_spread()
                && self.fates.is_poison(record.id, staff.handling.failures.poison),
            is_unreadable: !reading.is_spread() && !self.schemas.can_read(record.id, reads_by),
        }
    }

    fn unread_kept_for(&self, log: &PartitionedLog, partition: u32, committed: Option<u64>) -> Option<Span> {
        let stored = log.partition(partition)?;
        let kept_until = stored.closed_is_kept_until(committed?, log.rules())?;
        Some(log.next_look(kept_until.max(self.now())).since(self.now()))
    }

    /// Which of the records from an offset on fail every time, as [`LaneSnapshot::poison`] has it.
    fn poison_from(&self, group: GroupIndex, stored: &Partition, first: u64) -> u32 {
        let share = self.staffs[self.pool_of_group(group)].handling.failures.poison;
        if !self.fates.may_meet_poison(share) {
            return 0;
        }
        let is_poison = |place: &u32| {
            let record = stored.record(first + u64::from(*place));
            record.is_some_and(|record| self.fates.is_poison(record.id, share))
        };
        (0..POISON_SEEN).filter(is_poison).fold(0, |mask, place| mask | 1 << place)
    }

    /// How many records stand before the first that fails every time, among the next `most` of a partition
    /// that a group has not done; `None` where none of these does. It looks at each of them.
    #[must_use]
    #[inline(never)]
    pub fn records_before_poison(&self, group: GroupIndex, partition: u32, most: u64) -> Option<u64> {
        let reading = self.broker.logs.groups().get(group.0)?;
        let log = self.broker.logs.topics().get(reading.topic().0)?;
        let share = self.staffs[self.pool_of_group(group)].handling.failures.poison;
        let (stored, head) = (log.partition(partition)?, self.head(group, log, partition).offset);
        if self.fates.is_fixed() || !self.fates.may_meet_poison(share) {
            return None;
        }
        let ahead = most.min(stored.log_end_offset().saturating_sub(head));
        let is_poison = |place: &u64| {
            stored.record(head + place).is_some_and(|record| self.fates.is_poison(record.id, share))
        };
        (0..ahead).find(is_poison)
    }

    fn age(&self, since: Instant) -> Span {
        self.now().since(since)
    }

    pub(super) fn topic_name(&self, topic: TopicIndex) -> String {
        let node = self.scenario().topology().topics.get(topic.0);
        node.map(|node| node.name.clone()).unwrap_or_default()
    }
}
