//! Where a group stands in the partitions of a log: committed offsets, positions and lag.
//!
//! *Lag* is the log end less the committed offset, as `kafka-consumer-groups --describe` has it; the
//! client's own `records-lag` is another number, from the position, and has another name here. What
//! happens where there is no usable committed offset is `auto.offset.reset`
//! (`kafka-log.json`: lag, committed_below_log_start).

use std::fmt;

use super::super::held::HeldBytes;
use super::super::partitioned_log::{Partition, PartitionedLog};
use super::super::state_hash::StateHasher;

/// What a reader does that has no offset to go on from (`auto.offset.reset`). The numbers are
/// permanent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OffsetPolicy {
    /// It begins at the log start: everything that is still stored.
    Earliest = 1,
    /// It begins at the log end: nothing that is stored (Kafka's default).
    #[default]
    Latest = 2,
    /// It stops with an error (Kafka `none`).
    Fail = 3,
}

/// Why a reader has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoOffset {
    /// The group has committed nothing there (Kafka `NoOffsetForPartitionException`).
    NothingCommitted,
    /// What it has committed is not stored any more, or not yet (Kafka `OffsetOutOfRangeException`).
    OutOfRange {
        /// The committed offset.
        committed: u64,
        /// The first offset that is stored.
        log_start: u64,
        /// The offset behind the last.
        log_end: u64,
    },
}

impl fmt::Display for NoOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingCommitted => {
                write!(f, "The group has committed no offset here, and its policy is to fail.")
            }
            Self::OutOfRange { committed, log_start, log_end } => write!(
                f,
                "The group stands at offset {committed}, and the log has {log_start} to {log_end}; \
                 its policy is to fail."
            ),
        }
    }
}

/// Where a reader begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// Its position: the offset that it reads next.
    pub position: u64,
    /// How many records behind its committed offset it never reads, whether they were deleted or
    /// not.
    pub skipped: u64,
}

/// Where a reader begins that has this committed offset: there, if the log has it.
///
/// # Errors
/// There is no usable offset and the policy is to fail.
pub fn beginning(
    partition: &Partition,
    committed: Option<u64>,
    policy: OffsetPolicy,
) -> Result<Beginning, NoOffset> {
    let (log_start, log_end) = (partition.log_start_offset(), partition.log_end_offset());
    if let Some(position) = committed.filter(|committed| (log_start..=log_end).contains(committed)) {
        return Ok(Beginning { position, skipped: 0 });
    }
    let position = match policy {
        OffsetPolicy::Earliest => log_start,
        OffsetPolicy::Latest => log_end,
        OffsetPolicy::Fail => {
            let out_of_range = |committed| NoOffset::OutOfRange { committed, log_start, log_end };
            return Err(committed.map_or(NoOffset::NothingCommitted, out_of_range));
        }
    };
    Ok(Beginning { position, skipped: position.saturating_sub(committed.unwrap_or(position)) })
}

/// Where the group stands in one partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartitionOffsets {
    /// The offset from which the group goes on when another member takes over.
    pub committed: Option<u64>,
    /// The offset that its reader reads next, while it has a reader.
    pub position: Option<u64>,
}

impl PartitionOffsets {
    /// Log end less committed offset: what `kafka-consumer-groups --describe` calls LAG. `None` where
    /// nothing is committed. Never below zero, also where more is committed than the log has.
    #[must_use]
    pub fn lag(&self, partition: &Partition) -> Option<u64> {
        self.committed.map(|committed| partition.log_end_offset().saturating_sub(committed))
    }

    /// High watermark less position: the client's `records-lag`.
    #[must_use]
    pub fn records_lag(&self, partition: &Partition) -> Option<u64> {
        self.position.map(|position| partition.high_watermark().saturating_sub(position))
    }

    /// Position less log start: how much may still be deleted before the reader misses something
    /// (`records-lead`).
    #[must_use]
    pub fn records_lead(&self, partition: &Partition) -> Option<u64> {
        self.position.map(|position| position.saturating_sub(partition.log_start_offset()))
    }

    /// Records behind the committed offset that were deleted before the group had read them.
    #[must_use]
    pub fn deleted_unread(&self, partition: &Partition) -> u64 {
        self.committed.map_or(0, |committed| partition.log_start_offset().saturating_sub(committed))
    }
}

/// The extremes that a reader's client has measured within its metrics window, over all partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchExtremes {
    /// The greatest `records-lag` (`records-lag-max`).
    pub lag_max: Option<u64>,
    /// The least `records-lead` (`records-lead-min`).
    pub lead_min: Option<u64>,
}

impl FetchExtremes {
    /// Takes in where the reader stands after a fetch.
    pub fn measure(&mut self, offsets: &PartitionOffsets, partition: &Partition) {
        self.lag_max = self.lag_max.into_iter().chain(offsets.records_lag(partition)).max();
        self.lead_min = self.lead_min.into_iter().chain(offsets.records_lead(partition)).min();
    }
}

/// Where a group stands in all partitions of one log.
#[derive(Clone, Debug, Default)]
pub struct GroupOffsets {
    partitions: Vec<PartitionOffsets>,
    policy: OffsetPolicy,
}

impl GroupOffsets {
    /// A group that has read nothing.
    #[must_use]
    pub const fn new(policy: OffsetPolicy) -> Self {
        Self { partitions: Vec::new(), policy }
    }

    /// What its readers do without an offset to go on from.
    #[must_use]
    pub const fn policy(&self) -> OffsetPolicy {
        self.policy
    }

    /// Sets that.
    pub const fn set_policy(&mut self, policy: OffsetPolicy) {
        self.policy = policy;
    }

    /// Where it stands in a partition.
    #[must_use]
    #[inline]
    pub fn of(&self, partition: u32) -> PartitionOffsets {
        self.partitions.get(partition as usize).copied().unwrap_or_default()
    }

    fn of_mut(&mut self, partition: u32) -> Option<&mut PartitionOffsets> {
        let place = partition as usize;
        if place >= self.partitions.len() {
            self.partitions.resize(place + 1, PartitionOffsets::default());
        }
        self.partitions.get_mut(place)
    }

    /// A reader takes the partition over: it goes on at the committed offset, or where the policy
    /// says.
    ///
    /// # Errors
    /// There is no usable offset and the policy is to fail.
    pub fn take_over(&mut self, number: u32, partition: &Partition) -> Result<Beginning, NoOffset> {
        let begins = beginning(partition, self.of(number).committed, self.policy)?;
        self.seek(number, begins.position);
        Ok(begins)
    }

    /// The reader goes on at another offset. What is committed stays.
    pub fn seek(&mut self, partition: u32, position: u64) {
        if let Some(offsets) = self.of_mut(partition) {
            offsets.position = Some(position);
        }
    }

    /// Nobody reads the partition any more. Its next reader begins at what is committed.
    pub fn give_up(&mut self, partition: u32) {
        if let Some(offsets) = self.of_mut(partition) {
            offsets.position = None;
        }
    }

    /// The group has done everything before `offset`.
    #[inline]
    pub fn commit(&mut self, partition: u32, offset: u64) {
        if let Some(offsets) = self.of_mut(partition) {
            offsets.committed = Some(offset);
        }
    }

    /// The reader's next record; `None` where it has read all up to the high watermark or nobody
    /// reads. The position is out of range where the record is gone: see [`Self::take_over`].
    #[must_use]
    #[inline]
    pub fn next_offset(&self, number: u32, partition: &Partition) -> Option<u64> {
        self.of(number).position.filter(|position| *position < partition.high_watermark())
    }

    /// The sum of the lags of all partitions in which something is committed.
    #[must_use]
    pub fn lag_sum(&self, log: &PartitionedLog) -> u64 {
        self.lags(log).flatten().sum()
    }

    /// The greatest lag of a partition, which the sum hides.
    #[must_use]
    pub fn lag_max(&self, log: &PartitionedLog) -> u64 {
        self.lags(log).flatten().max().unwrap_or_default()
    }

    fn lags(&self, log: &PartitionedLog) -> impl Iterator<Item = Option<u64>> {
        (0_u32..).zip(log.partitions()).map(|(number, partition)| self.of(number).lag(partition))
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<PartitionOffsets>(self.partitions.len());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.policy as u64);
        for offsets in &self.partitions {
            hasher.write(offsets.committed.unwrap_or(u64::MAX));
            hasher.write(offsets.position.unwrap_or(u64::MAX));
        }
    }
}
