//! What a watcher of consumer groups sees of one: its commits, and where the broker says the log ends.
//!
//! It looks every [`LOOK_INTERVAL`], as Burrow asks the brokers for log ends (`offset-refresh`, 10 s by
//! default), and keeps one commit of each partition a look (`min-distance`, here the same). As in Burrow,
//! the lag of a commit is measured at the log end that was told *before* it: a group that is less than a
//! look behind has none.
//!
//! A member that asks for work commits its place at every look, moved or not, as Kafka's clients do by
//! themselves (`enable.auto.commit`, every 5 s by default). So a partition whose reader tries the same
//! record for ever stalls, and one that nobody reads has stopped. While a commit does not get through, or is
//! yet to come because the group commits more seldom, there is none to be seen.

use super::super::held::HeldBytes;
use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};
use super::{Commit, OffsetWindow, PartitionStatus, WINDOW_INTERVALS};

/// Model time between two looks, from the start on: with [`WINDOW_INTERVALS`], a window of 90 seconds.
pub const LOOK_INTERVAL: Span = Span::from_seconds(10);

/// What is to be seen of a group in one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The group's committed offset there.
    pub committed: Option<u64>,
    /// Whether a member reads the partition and asks for work, and so commits once more what it has
    /// committed.
    pub is_read: bool,
    /// Where the log ends.
    pub log_end: u64,
}

/// What was seen of a group lately, in each partition of its topic.
#[derive(Clone, Debug, Default)]
pub struct GroupWatch {
    partitions: Vec<OffsetWindow>,
}

impl GroupWatch {
    /// Looks at all partitions, from 0 on; there may be more than the last time.
    pub fn look(&mut self, now: Instant, partitions: impl Iterator<Item = Sighting>) {
        for (place, seen) in partitions.enumerate() {
            if place >= self.partitions.len() {
                self.partitions.push(OffsetWindow::default());
            }
            if let Some(window) = self.partitions.get_mut(place) {
                see(window, now, seen);
            }
        }
    }

    /// How the group is doing in a partition, with the lag that it has there at `now`. OK where nothing
    /// was seen.
    #[must_use]
    pub fn status(&self, partition: u32, now: Instant, lag: u64) -> PartitionStatus {
        let window = self.partitions.get(partition as usize);
        window.map_or(PartitionStatus::Ok, |window| window.status(now, lag, 0))
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<OffsetWindow>(self.partitions.len());
        held.own::<(Commit, u64)>(self.partitions.len() * WINDOW_INTERVALS);
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        self.partitions.iter().for_each(|window| window.hash_into(hasher));
    }
}

fn see(window: &mut OffsetWindow, now: Instant, seen: Sighting) {
    let has_moved = window.committed() != seen.committed;
    if let Some(offset) = seen.committed.filter(|_| seen.is_read || has_moved) {
        let told = window.log_end().unwrap_or(seen.log_end);
        window.record_commit(Commit { offset, at: now, lag: Some(told.saturating_sub(offset)) });
    }
    window.record_log_end(seen.log_end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(committed: Option<u64>, is_read: bool, log_end: u64) -> Sighting {
        Sighting { committed, is_read, log_end }
    }

    /// A watch of one partition that has looked every ten seconds from the start on.
    fn watch(sightings: impl Iterator<Item = Sighting>) -> GroupWatch {
        let mut watch = GroupWatch::default();
        for (look, sighting) in (0_u64..).zip(sightings) {
            watch.look(Instant::from_seconds(10 * look), [sighting].into_iter());
        }
        watch
    }

    #[test]
    fn who_is_less_than_a_look_behind_has_no_lag() {
        let behind =
            |offsets: u64| watch((1..20).map(|look| seen(Some(look * 10 - offsets), true, look * 10)));
        let status = |watch: GroupWatch| watch.status(0, Instant::from_seconds(180), 5);
        assert_eq!(status(behind(10)), PartitionStatus::Ok);
        assert_eq!(
            status(watch((1..20).map(|look| seen(Some(look * 8), true, look * 10)))),
            PartitionStatus::Warn
        );
    }

    #[test]
    fn a_place_that_is_read_stalls_and_one_that_nobody_reads_has_stopped() {
        for (is_read, status) in [(true, PartitionStatus::Stall), (false, PartitionStatus::Stop)] {
            let watch = watch((1..20).map(|look| seen(Some(7), is_read, 7 + look * 10)));
            assert_eq!(watch.status(0, Instant::from_seconds(190), 190), status);
            assert_eq!(watch.status(0, Instant::from_seconds(190), 0), PartitionStatus::Ok, "without lag");
        }
    }

    #[test]
    fn a_group_that_has_committed_nothing_and_a_partition_not_seen_are_well() {
        let watch = watch((1..20).map(|look| seen(None, true, look)));
        assert_eq!(
            [0, 1].map(|partition| watch.status(partition, Instant::START, 9)),
            [PartitionStatus::Ok; 2]
        );
    }
}
