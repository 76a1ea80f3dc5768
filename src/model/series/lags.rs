//! How a group did over time: its lag, the age of the oldest record that it has not finished, what came
//! to its topic and what it has done.
//!
//! The first two are what they are when a whole second ends, as a monitor that asks once a second would see
//! them. What rises and falls within a second is deliberately not in these; the lag of each partition
//! at any instant is in the snapshot. What came and what was done is counted, and nothing of it is missing.

use super::super::held::HeldBytes;
use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};
use super::flows::{FlowBucket, Moved};
use super::{Extent, OfTime, Rings};

/// Of so many partitions, the first ones, a group keeps a course of their own.
pub const LANES_KEPT: usize = 8;

/// How far behind a group is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// Log end less committed offset.
    pub lag: u64,
    /// Age of the oldest record that it has not finished; zero where there is none.
    pub oldest: Span,
}

/// A stretch of time in a partition, or in the worst of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LagBucket {
    /// When the stretch starts.
    pub start: Instant,
    /// The lag, in records.
    pub lag: Extent,
    /// The age of the oldest record not finished, in microseconds, 0 where there is none.
    pub oldest_micros: Extent,
}

impl LagBucket {
    const fn of(start: Instant, behind: Behind) -> Self {
        let (lag, oldest) = (Extent::of(behind.lag), Extent::of(behind.oldest.micros()));
        Self { start, lag, oldest_micros: oldest }
    }
}

impl OfTime for LagBucket {
    fn start(&self) -> Instant {
        self.start
    }

    fn take_in_later(&mut self, later: &Self) {
        self.lag.take_in_later(&later.lag);
        self.oldest_micros.take_in_later(&later.oldest_micros);
    }

    fn hash_into(&self, hasher: &mut StateHasher) {
        for extent in [self.lag, self.oldest_micros] {
            hasher.write(extent.min);
            hasher.write(extent.max);
            hasher.write(extent.last);
        }
    }
}

/// The course of a group.
#[derive(Clone, Debug, Default)]
pub struct GroupLags {
    worst: Rings<LagBucket>,
    lanes: Vec<Rings<LagBucket>>,
    flows: Rings<FlowBucket>,
    moved: Moved,
}

impl GroupLags {
    /// A second ends at `now`, and the group is so far behind in its partitions, in their order; so much
    /// has moved since the run's start.
    pub fn second_is_over(&mut self, now: Instant, lanes: impl Iterator<Item = Behind>, moved: Moved) {
        let start = now - Span::from_seconds(1);
        self.flows.push_second(&FlowBucket { start, moved: moved.beyond(self.moved) });
        self.moved = moved;
        let mut worst = Behind::default();
        for (place, behind) in lanes.enumerate() {
            worst = Behind { lag: worst.lag.max(behind.lag), oldest: worst.oldest.max(behind.oldest) };
            if place == self.lanes.len() && place < LANES_KEPT {
                self.lanes.push(Rings::default());
            }
            if let Some(lane) = self.lanes.get_mut(place) {
                lane.push_second(&LagBucket::of(start, behind));
            }
        }
        self.worst.push_second(&LagBucket::of(start, worst));
    }

    /// Of all its partitions the greatest lag, and the oldest record not finished.
    #[must_use]
    pub const fn worst(&self) -> &Rings<LagBucket> {
        &self.worst
    }

    /// Its first partitions, at most [`LANES_KEPT`], in their order. One that was added later begins
    /// when it was.
    #[must_use]
    pub fn lanes(&self) -> &[Rings<LagBucket>] {
        &self.lanes
    }

    /// What was appended to its topic, and what it has done.
    #[must_use]
    pub const fn flows(&self) -> &Rings<FlowBucket> {
        &self.flows
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.flows.count_held(held);
        held.own::<Rings<LagBucket>>(self.lanes.len());
        self.lanes.iter().chain([&self.worst]).for_each(|rings| rings.count_held(held));
    }

    /// Feeds the course to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        self.lanes.iter().chain([&self.worst]).for_each(|rings| rings.hash_into(hasher));
        self.flows.hash_into(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Resolution;
    use super::*;

    fn behind(lag: u64) -> Behind {
        Behind { lag, oldest: Span::from_seconds(lag) }
    }

    #[test]
    fn the_worst_is_the_worst_of_all_partitions_and_not_only_of_those_that_are_kept() {
        let mut lags = GroupLags::default();
        for second in 1..=25 {
            let lanes = (0..12).map(|lane| behind(if lane == 11 { second } else { lane }));
            lags.second_is_over(Instant::from_seconds(second), lanes, Moved::default());
        }
        assert_eq!(lags.lanes().len(), LANES_KEPT);
        let worst: Vec<Extent> =
            lags.worst().finished(Resolution::TenSeconds).map(|bucket| bucket.lag).collect();
        assert_eq!(
            worst,
            [Extent { min: 10, max: 10, last: 10 }, Extent { min: 11, max: 20, last: 20 }],
            "the eleventh stays at 10, the twelfth grows by one each second"
        );
    }

    #[test]
    fn a_partition_that_is_added_begins_when_it_comes() {
        let mut lags = GroupLags::default();
        let moved = Moved::default();
        lags.second_is_over(Instant::from_seconds(1), [behind(3)].into_iter(), moved);
        lags.second_is_over(Instant::from_seconds(2), [behind(4), behind(0)].into_iter(), moved);
        let starts: Vec<Vec<Instant>> = lags
            .lanes()
            .iter()
            .map(|lane| lane.finished(Resolution::Second).map(|bucket| bucket.start).collect())
            .collect();
        assert_eq!(starts, [vec![Instant::START, Instant::from_seconds(1)], vec![Instant::from_seconds(1)]]);
    }
}
