//! Groups are watched: on a grid of model time, by what they commit and where their topics end.

use super::{Simulation, Staff};
use crate::model::consumer::Health;
use crate::model::consumer_status::PartitionStatus;
use crate::model::consumer_status::watch::{LOOK_INTERVAL, Sighting};
use crate::model::group::reading::Reading;
use crate::model::partitioned_log::Partition;
use crate::model::routes::GroupIndex;
use crate::model::series::flows::Moved;
use crate::model::series::lags::{Behind, GroupLags};
use crate::model::time::Span;

impl Simulation {
    /// A whole second begins, of which nothing has happened yet: it may be time to look.
    #[inline]
    pub(super) fn watch_groups_on_time(&mut self) {
        if !self.lags.is_empty() {
            self.measure_lags();
        }
        if !self.watches.is_empty() && self.now.micros().is_multiple_of(LOOK_INTERVAL.micros()) {
            self.watch_groups();
        }
    }

    /// A whole second is over: how far behind each group is, and what has moved.
    #[inline(never)]
    fn measure_lags(&mut self) {
        let (logs, now) = (&self.broker.logs, self.now);
        for (index, lags) in self.lags.iter_mut().enumerate() {
            let (reading, log) = (logs.group(GroupIndex(index)), logs.log_of(GroupIndex(index)));
            let lanes = (0_u32..).zip(log.partitions()).map(|(number, partition)| Behind {
                lag: reading.offsets().of(number).lag(partition).unwrap_or_default(),
                oldest: reading.oldest_unfinished_of(number, log).map_or(Span::ZERO, |at| now.since(at)),
            });
            let came = log.partitions().iter().map(Partition::log_end_offset).sum();
            lags.second_is_over(now, lanes, Moved { came, done: reading.counts().finished() });
        }
    }

    /// How far behind a group was at the end of each second so far.
    #[must_use]
    pub fn lags(&self, group: GroupIndex) -> Option<&GroupLags> {
        self.lags.get(group.0)
    }

    /// Looks at every group. A broker that is down tells nothing, and takes no commits.
    #[inline(never)]
    pub(super) fn watch_groups(&mut self) {
        if !self.is_broker_up {
            return;
        }
        let (first, logs) = (self.staffs.len() - self.watches.len(), &self.broker.logs);
        for (index, watch) in self.watches.iter_mut().enumerate() {
            let group = GroupIndex(index);
            let (reading, staff) = (logs.group(group), &self.staffs[first + index]);
            let partitions = (0_u32..).zip(logs.log_of(group).partitions());
            let sightings = partitions.map(|(number, partition)| Sighting {
                committed: reading.offsets().of(number).committed,
                is_read: is_read(reading, staff, number),
                log_end: partition.log_end_offset(),
            });
            watch.look(self.now, sightings);
        }
    }

    /// How a group is doing in a partition, with this lag.
    pub(in crate::model) fn partition_status(
        &self,
        group: GroupIndex,
        partition: u32,
        lag: u64,
    ) -> PartitionStatus {
        self.watches[group.0].status(partition, self.now, lag)
    }
}

/// Whether a member that is alive and asks for work reads the partition, and has committed all that it
/// did there.
fn is_read(reading: &Reading, staff: &Staff, partition: u32) -> bool {
    let has_committed = reading.stopped(partition).is_none() && reading.uncommitted_in(partition) == 0;
    let reader = reading.reader(partition).filter(|_| has_committed);
    let is_up = |member| !reading.is_silent(member) && staff.pool.health(member) == Health::Up;
    // Of a client with threads one that works is enough.
    let mut threads = staff.pool.slots();
    reader.is_some_and(|reader| if reading.is_spread() { threads.any(is_up) } else { is_up(reader) })
}
