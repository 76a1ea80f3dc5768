//! The partitioned log: a state machine of explicit operations that take `now`.
//!
//! It works without the agenda and without a simulation. A record goes to the partition of its key
//! or, without one, to the next in turn; it stays until its segment is deleted, read or not, so that
//! any number of groups read it, each at its own offsets ([`super::group::offsets`]). Order holds
//! within a partition and nowhere else.
//!
//! Nothing is due by itself: whoever drives the log calls [`PartitionedLog::expire`] at the instants
//! that [`PartitionedLog::next_expiry`] names. There is deliberately no clock in here, no draw and no
//! reader: the log does not know who has read what.

mod chunks;
pub mod idempotence;
mod partition;
pub mod partitioner;
pub mod rules;
mod segments;
#[cfg(test)]
mod tests;

use std::fmt;

pub use chunks::Record;
pub use partition::{Append, DeleteCause, Deleted, Partition};
pub use segments::Segment;

use partitioner::partition_of_key;
use rules::LogRules;

use super::held::HeldBytes;
use super::message::Message;
use super::state_hash::StateHasher;
use super::time::Instant;

/// The most partitions of one log.
pub const PARTITIONS_MAX: u32 = 1_000;

/// Where a record went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The partition, counted from 0.
    pub partition: u32,
    /// Its offset there.
    pub offset: u64,
}

/// Why a log has not got another number of partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartitionsRefused {
    /// The number would go down or stay (Kafka `InvalidPartitionsException`).
    NotMore {
        /// How many it has.
        has: u32,
        /// How many were asked for.
        asked: u32,
    },
    /// More than [`PARTITIONS_MAX`].
    TooMany {
        /// How many were asked for.
        asked: u32,
    },
}

impl fmt::Display for PartitionsRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotMore { has, asked } => {
                write!(
                    f,
                    "The log has {has} partitions; their number can only grow, and {asked} is not more."
                )
            }
            Self::TooMany { asked } => {
                write!(f, "A log has at most {PARTITIONS_MAX} partitions, and {asked} is more.")
            }
        }
    }
}

/// A log of partitions.
#[derive(Clone, Debug)]
pub struct PartitionedLog {
    rules: LogRules,
    partitions: Vec<Partition>,
    /// Whose turn it is to get the next record without a key.
    turn: u32,
    /// How often anything but an append has changed what can be read.
    changes: u64,
    /// Whether it is asked what it has deleted.
    tells_deleted: bool,
}

impl PartitionedLog {
    /// An empty log. It has 1 to [`PARTITIONS_MAX`] partitions, whatever is asked for.
    #[must_use]
    pub fn new(rules: LogRules, partitions: u32) -> Self {
        let partitions = partitions.clamp(1, PARTITIONS_MAX);
        Self {
            rules,
            partitions: (0..partitions).map(|_| Partition::default()).collect(),
            turn: 0,
            changes: 0,
            tells_deleted: false,
        }
    }

    /// It is asked from now on what it has deleted ([`Self::take_deleted`]).
    #[must_use]
    pub fn telling_deleted(mut self) -> Self {
        self.tells_deleted = true;
        self.partitions.iter_mut().for_each(Partition::tell_deleted);
        self
    }

    /// What it has deleted since it was asked the last time: partition, offset and message. Nothing where
    /// it is not asked ([`Self::telling_deleted`]).
    #[inline(never)]
    pub fn take_deleted(&mut self) -> Vec<(u32, u64, Message)> {
        let partitions = (0_u32..).zip(&mut self.partitions).filter(|_| self.tells_deleted);
        let of = |(number, partition): (u32, &mut Partition)| {
            partition.take_deleted().into_iter().map(move |(offset, message)| (number, offset, message))
        };
        partitions.flat_map(of).collect()
    }

    /// The rules it follows.
    #[must_use]
    pub const fn rules(&self) -> &LogRules {
        &self.rules
    }

    /// The rules it follows, to change them: a longer retention keeps what is still stored.
    pub const fn rules_mut(&mut self) -> &mut LogRules {
        &mut self.rules
    }

    /// How many partitions it has.
    #[must_use]
    pub fn partition_count(&self) -> u32 {
        u32::try_from(self.partitions.len()).unwrap_or(PARTITIONS_MAX)
    }

    /// All partitions, from 0 on.
    #[must_use]
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// A partition, if it has one of that number.
    #[must_use]
    #[inline]
    pub fn partition(&self, partition: u32) -> Option<&Partition> {
        self.partitions.get(partition as usize)
    }

    /// A partition, to append to it or to delete from it.
    pub fn partition_mut(&mut self, partition: u32) -> Option<&mut Partition> {
        self.changes += 1;
        self.partitions.get_mut(partition as usize)
    }

    /// Where a record with this key goes: without one, to the partition whose turn it is.
    #[inline]
    pub fn choose(&mut self, key: Option<&[u8]>) -> u32 {
        let count = self.partition_count();
        let Some(key) = key else {
            let chosen = self.turn;
            self.turn = if chosen + 1 < count { chosen + 1 } else { 0 };
            return chosen;
        };
        partition_of_key(key, count)
    }

    /// Appends a record where its key belongs.
    #[inline]
    pub fn append(&mut self, now: Instant, key: Option<&[u8]>, append: Append) -> Appended {
        let partition = self.choose(key);
        self.append_to(partition, now, append)
    }

    /// Appends a record to a partition: a number that there is not counts as the last.
    #[inline]
    pub fn append_to(&mut self, partition: u32, now: Instant, append: Append) -> Appended {
        let partition = partition.min(self.partition_count() - 1);
        let offset = match self.partitions.get_mut(partition as usize) {
            Some(chosen) => chosen.append(&self.rules, now, append),
            None => 0,
        };
        Appended { partition, offset }
    }

    /// Gives it more partitions. What is stored stays where it is; new records of a key may go
    /// elsewhere ([`partitioner::moves`]).
    ///
    /// # Errors
    /// The number can only grow, up to [`PARTITIONS_MAX`].
    pub fn add_partitions(&mut self, to: u32) -> Result<(), PartitionsRefused> {
        self.check_partitions(to)?;
        self.changes += 1;
        self.partitions.resize_with(to as usize, Partition::default);
        if self.tells_deleted {
            self.partitions.iter_mut().for_each(Partition::tell_deleted);
        }
        Ok(())
    }

    /// Whether it can have so many partitions from now on.
    ///
    /// # Errors
    /// As [`Self::add_partitions`].
    pub fn check_partitions(&self, to: u32) -> Result<(), PartitionsRefused> {
        let has = self.partition_count();
        match to {
            _ if to <= has => Err(PartitionsRefused::NotMore { has, asked: to }),
            _ if to > PARTITIONS_MAX => Err(PartitionsRefused::TooMany { asked: to }),
            _ => Ok(()),
        }
    }

    /// Deletes in every partition what is kept no longer, and says what went where.
    pub fn expire(&mut self, now: Instant) -> Vec<(u32, Deleted)> {
        self.changes += 1;
        let rules = &self.rules;
        let partitions = (0_u32..).zip(&mut self.partitions);
        let deleted = partitions
            .flat_map(|(number, partition)| partition.expire(rules, now).map(|deleted| (number, deleted)));
        deleted.filter_map(|(number, deleted)| Some((number, deleted?))).collect()
    }

    /// Deletes in every partition what can be read, and says what went where.
    pub fn delete_all(&mut self) -> Vec<(u32, Deleted)> {
        self.changes += 1;
        let partitions = (0_u32..).zip(&mut self.partitions);
        let deleted = partitions.map(|(number, partition)| {
            let end = partition.log_end_offset();
            (number, partition.delete_records(end))
        });
        deleted.filter_map(|(number, deleted)| Some((number, deleted?))).collect()
    }

    /// The next instant after `now` at which it looks and something may have to go; `None` while
    /// nothing does. It looks on a grid from the run's start on.
    #[must_use]
    pub fn next_expiry(&self, now: Instant) -> Option<Instant> {
        let due = self.partitions.iter().filter_map(|partition| {
            if partition.has_excess_bytes(&self.rules) {
                return Some(now.micros());
            }
            // Kept until then, and that instant included.
            Some(partition.oldest_is_kept_until(&self.rules)?.micros().max(now.micros()))
        });
        due.min().map(|due| self.next_look(Instant::from_micros(due)))
    }

    /// The first instant after `at` at which it looks for what it keeps no longer.
    #[must_use]
    pub fn next_look(&self, at: Instant) -> Instant {
        let interval = self.rules.check_interval.micros().max(1);
        Instant::from_micros((at.micros() / interval).saturating_add(1).saturating_mul(interval))
    }

    /// Rolls off the oldest segment of all partitions, read or not, and says so. `None` where no
    /// partition has a record.
    pub fn roll_off_oldest(&mut self) -> Option<(u32, Deleted)> {
        let with_records = (0_u32..).zip(&self.partitions).filter(|(_, partition)| !partition.is_empty());
        let ages = with_records
            .filter_map(|(number, partition)| Some((partition.segments().next()?.newest_at, number)));
        let (_, number) = ages.min()?;
        Some((number, self.partition_mut(number)?.roll_off_oldest()?))
    }

    /// How often something has happened after which other records may be readable than before, beside
    /// those that were appended: who reads has to look again. No part of the state hash.
    #[must_use]
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// How many records can still be read.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.partitions.iter().map(Partition::len).sum()
    }

    /// Bytes of all segments.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        self.partitions.iter().map(Partition::bytes).sum()
    }

    /// What is wrong with it, with the partition: nothing, as long as the model is right.
    #[must_use]
    pub fn problems(&self) -> Vec<(u32, &'static str)> {
        let all = (0_u32..).zip(&self.partitions);
        all.flat_map(|(number, partition)| partition.problems().into_iter().map(move |it| (number, it)))
            .collect()
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Partition>(self.partitions.len());
        self.partitions.iter().for_each(|partition| partition.count_held(held));
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        self.rules.hash_into(hasher);
        hasher.write(u64::from(self.turn));
        self.partitions.iter().for_each(|partition| partition.hash_into(hasher));
    }
}
