//! Moving a group's committed offsets: planned first, then executed.
//!
//! The rules are those of `kafka-consumer-groups --reset-offsets` (4.0.0-SNAPSHOT of 2024-10-25;
//! `kafka-log.json`, reset_offsets): only while the group has no members, a plan is no change,
//! offsets are taken to within what the log has, and only the named partitions are touched.

use std::fmt;

use super::super::partitioned_log::{Partition, PartitionedLog};
use super::super::time::Instant;
use super::offsets::GroupOffsets;

/// To where committed offsets are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetTo {
    /// To the log start: everything that is stored is read again (`--to-earliest`).
    Earliest,
    /// To the log end: nothing that is stored is read (`--to-latest`).
    Latest,
    /// To where they are; where nothing is committed, to the log end (`--to-current`).
    Current,
    /// To this offset (`--to-offset`).
    Offset(u64),
    /// So many records on, or back where it is negative (`--shift-by`).
    Shift(i64),
    /// To the first record of this instant or later; to the log end where there is none
    /// (`--to-datetime`, `--by-duration`).
    Time(Instant),
}

impl ResetTo {
    /// Its kind and its value, as numbers for logs. The kinds are permanent.
    #[must_use]
    pub const fn numbers(self) -> (u64, u64) {
        match self {
            Self::Earliest => (1, 0),
            Self::Latest => (2, 0),
            Self::Current => (3, 0),
            Self::Offset(offset) => (4, offset),
            Self::Shift(by) => (5, by.cast_unsigned()),
            Self::Time(at) => (6, at.micros()),
        }
    }
}

/// In which partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResetScope {
    /// In all of the log (`--topic`).
    All,
    /// Only where the group has committed something (`--all-topics`).
    Committed,
    /// Only in these (`--topic name:0,2`). Those that the log does not have are refused.
    Partitions(Vec<u32>),
}

/// Where the committed offset of one partition would be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedOffset {
    /// The partition.
    pub partition: u32,
    /// What is committed now.
    pub from: Option<u64>,
    /// What would be.
    pub to: u64,
}

/// Why offsets are not moved. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetRefused {
    /// There is no such group.
    NoSuchGroup,
    /// The broker is down.
    BrokerIsDown,
    /// The group has members that read.
    GroupIsActive {
        /// How many.
        members: usize,
    },
    /// A shift needs an offset to begin from, and there is none.
    NothingCommitted {
        /// In which partition.
        partition: u32,
    },
    /// The log does not have that partition.
    NoSuchPartition {
        /// The partition.
        partition: u32,
        /// How many the log has.
        partitions: u32,
    },
}

impl fmt::Display for ResetRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BrokerIsDown => write!(f, "The broker is down, and cannot move offsets."),
            Self::NoSuchGroup => write!(f, "There is no such group."),
            Self::GroupIsActive { members } => write!(
                f,
                "Offsets can be reset only while the group is stopped, and it has {members} active \
                 member{}.",
                if *members == 1 { "" } else { "s" }
            ),
            Self::NothingCommitted { partition } => write!(
                f,
                "The group has committed nothing in partition {partition}, so there is no offset to \
                 shift."
            ),
            Self::NoSuchPartition { partition, partitions } => {
                write!(f, "There is no partition {partition}: the log has {partitions}, counted from 0.")
            }
        }
    }
}

impl GroupOffsets {
    /// Where committed offsets would be moved: a dry run. `members` is how many the group has.
    ///
    /// # Errors
    /// The group is active, an offset to shift is missing, or a partition is.
    pub fn plan_reset(
        &self,
        log: &PartitionedLog,
        members: usize,
        scope: &ResetScope,
        to: ResetTo,
    ) -> Result<Vec<PlannedOffset>, ResetRefused> {
        if members > 0 {
            return Err(ResetRefused::GroupIsActive { members });
        }
        let count = log.partition_count();
        let partitions = match scope {
            ResetScope::All => (0..count).collect(),
            ResetScope::Committed => {
                (0..count).filter(|partition| self.of(*partition).committed.is_some()).collect()
            }
            ResetScope::Partitions(named) => named.clone(),
        };
        partitions.into_iter().map(|partition| self.planned(log, partition, to)).collect()
    }

    fn planned(&self, log: &PartitionedLog, number: u32, to: ResetTo) -> Result<PlannedOffset, ResetRefused> {
        let no_such = ResetRefused::NoSuchPartition { partition: number, partitions: log.partition_count() };
        let partition = log.partition(number).ok_or(no_such)?;
        let from = self.of(number).committed;
        let nothing = ResetRefused::NothingCommitted { partition: number };
        let to = target(partition, from, to).ok_or(nothing)?;
        Ok(PlannedOffset { partition: number, from, to })
    }

    /// Moves committed offsets as planned (`--execute`). Readers that come then begin there.
    pub fn execute_reset(&mut self, plan: &[PlannedOffset]) {
        for planned in plan {
            self.commit(planned.partition, planned.to);
            self.give_up(planned.partition);
        }
    }
}

/// `None` where it depends on a committed offset and there is none.
fn target(partition: &Partition, committed: Option<u64>, to: ResetTo) -> Option<u64> {
    let (log_start, log_end) = (partition.log_start_offset(), partition.log_end_offset());
    Some(match to {
        ResetTo::Earliest => log_start,
        ResetTo::Latest => log_end,
        ResetTo::Current => committed.unwrap_or(log_end),
        ResetTo::Offset(offset) => offset.clamp(log_start, log_end),
        ResetTo::Shift(by) => committed?.saturating_add_signed(by).clamp(log_start, log_end),
        ResetTo::Time(at) => partition.offset_from(at).unwrap_or(log_end),
    })
}
