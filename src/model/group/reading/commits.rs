//! When members commit what they have done.
//!
//! A commit says that everything before an offset is done, so one that comes later covers those that
//! did not. What is done and not committed is done once more when its reader has died (Kafka:
//! `enable.auto.commit`, `auto.commit.interval.ms`). Members that leave, or give a partition up, commit
//! before; who has died does not, and who was taken for dead cannot any more.

use super::super::super::rng::{DrawKey, Draws};
use super::super::super::routes::GroupIndex;
use super::super::super::time::{Instant, Span};
use super::super::super::work_queue::ConsumerIndex;
use super::Reading;

/// How members commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitRules {
    /// How much time passes between two commits of a partition; with none, each record is committed.
    pub interval: Span,
    /// Commits that do not get through, in millionths: the next one covers them.
    pub failure_share: u32,
}

/// What the members of a group do about their commits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commits {
    pub(super) rules: CommitRules,
    /// Whether a commit gets through.
    pub(super) draws: Draws,
    /// Which group of the run it is, for draws.
    pub(super) group: GroupIndex,
}

impl CommitRules {
    /// Every record is committed as it is done, and every commit gets through.
    pub const AT_ONCE: Self = Self { interval: Span::ZERO, failure_share: 0 };
}

impl Commits {
    fn fails(&self, partition: u32, offset: u64, tries: u32) -> bool {
        let origin = (self.group.0 as u64) << 32 | u64::from(partition);
        let key = DrawKey { origin, role: tries, attempt: offset };
        self.rules.failure_share > 0 && self.draws.up_to(key, 999_999) < u64::from(self.rules.failure_share)
    }
}

impl Reading {
    /// Whether its members commit every record as it is done, and have committed all that is.
    #[must_use]
    pub fn commits_at_once(&self) -> bool {
        self.commits.rules == CommitRules::AT_ONCE && self.uncommitted == 0
    }

    /// Records that are done and not committed, over all partitions.
    #[must_use]
    pub const fn uncommitted(&self) -> u64 {
        self.uncommitted
    }

    /// The same of one partition.
    #[must_use]
    pub fn uncommitted_in(&self, partition: u32) -> u64 {
        self.lane(partition).map_or(0, |lane| lane.uncommitted)
    }

    /// The offset behind the last record that is done, committed or not.
    pub(super) fn done_to(&self, partition: u32) -> u64 {
        self.offsets.of(partition).committed.unwrap_or_default() + self.uncommitted_in(partition)
    }

    /// So many more records of a partition are done, in a row. They are committed if it is time to, and
    /// if that gets through.
    pub(super) fn finish(&mut self, now: Instant, partition: u32, count: u64) {
        let Some(lane) = self.lanes.get_mut(partition as usize).filter(|_| count > 0) else { return };
        lane.uncommitted += count;
        self.uncommitted += count;
        let is_due = now.since(lane.committed_at) >= self.commits.rules.interval;
        if is_due {
            self.try_to_commit(now, partition);
        }
    }

    fn try_to_commit(&mut self, now: Instant, partition: u32) {
        let done_to = self.done_to(partition);
        let Some(lane) = self.lanes.get_mut(partition as usize) else { return };
        // Without an interval nobody asks when that was.
        if self.commits.rules.interval > Span::ZERO {
            lane.committed_at = now;
        }
        if self.commits.fails(partition, done_to, lane.commit_tries) {
            lane.commit_tries += 1;
            self.counts.commits_failed += 1;
        } else {
            self.commit_all(partition);
        }
    }

    /// Everything that is done in the partition is committed.
    pub(super) fn commit_all(&mut self, partition: u32) {
        let done_to = self.done_to(partition);
        let Some(lane) = self.lanes.get_mut(partition as usize) else { return };
        lane.commit_tries = 0;
        if lane.uncommitted > 0 {
            self.uncommitted -= std::mem::take(&mut lane.uncommitted);
            self.offsets.commit(partition, done_to);
        }
    }

    /// Its reader is gone without having committed: what it had done is done once more.
    pub(super) fn abandon(&mut self, partition: u32) {
        let committed = self.offsets.of(partition).committed.unwrap_or_default();
        let beyond = self.lose_spread(partition);
        if let Some(lane) = self.lanes.get_mut(partition as usize) {
            lane.commit_tries = 0;
            lane.recalled_to = lane.recalled_to.min(committed);
            let abandoned = std::mem::take(&mut lane.uncommitted);
            self.uncommitted -= abandoned;
            self.counts.sent_back += abandoned + beyond;
            // Whoever reads on before the next round does so from what is committed.
            if abandoned > 0 && lane.out.is_none() && self.offsets.of(partition).position.is_some() {
                self.offsets.seek(partition, committed);
                self.ready.note(partition, lane);
            }
        }
    }

    /// Everything that a member has done is committed, in whichever partition.
    pub(super) fn commit_all_of(&mut self, consumer: ConsumerIndex) {
        self.partitions_of(consumer).into_iter().for_each(|partition| self.commit_all(partition));
    }

    /// What a member has done and not committed is to be done once more.
    pub(super) fn abandon_all_of(&mut self, consumer: ConsumerIndex) {
        self.partitions_of(consumer).into_iter().for_each(|partition| self.abandon(partition));
    }

    fn partitions_of(&self, consumer: ConsumerIndex) -> Vec<u32> {
        if self.uncommitted == 0 && !self.is_spread() {
            return Vec::new();
        }
        let lanes = (0_u32..).zip(&self.lanes);
        lanes.filter(|(_, lane)| lane.reader == Some(consumer)).map(|(partition, _)| partition).collect()
    }

    /// When the next commit is due by itself. Where each record is committed, one that failed waits for
    /// the next record.
    #[must_use]
    pub fn commit_due(&self) -> Option<Instant> {
        let interval = self.commits.rules.interval;
        if self.uncommitted == 0 || interval == Span::ZERO {
            return None;
        }
        self.lanes.iter().filter(|lane| lane.uncommitted > 0).map(|lane| lane.committed_at + interval).min()
    }

    /// Commits that are due by now are made, by members that still ask for work: others do not commit
    /// either (Kafka commits by interval within a poll). A client with threads asks beside their work.
    pub fn mind_commits(&mut self, now: Instant, polls: impl Fn(ConsumerIndex) -> bool) {
        while self.commit_due().is_some_and(|due| due <= now) {
            let interval = self.commits.rules.interval;
            let is_spread = self.is_spread();
            let is_due = |lane: &super::Lane| lane.uncommitted > 0 && lane.committed_at + interval <= now;
            let lanes = (0_u32..).zip(&self.lanes);
            let due: Vec<u32> = lanes.filter(|(_, lane)| is_due(lane)).map(|(place, _)| place).collect();
            due.into_iter().for_each(|partition| match self.lanes.get_mut(partition as usize) {
                Some(lane) if !is_spread && lane.reader.is_some_and(|reader| !polls(reader)) => {
                    lane.committed_at = now;
                }
                _ => self.try_to_commit(now, partition),
            });
        }
    }
}
