//! How long ago a group's committed offset was the log's end: the time lag.
//!
//! The rule is that of kafka-lag-exporter (`LookupTable.scala` at 3fcb3c7; `kafka-time-lag.json`): a
//! table of points at which the log end was measured, between which the time is interpolated. It
//! needs no look at the records, and so is an estimate; the log's own
//! [`super::super::partitioned_log::Partition::time_of`] is exact.

use std::collections::VecDeque;

use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};

/// How many points the exporter keeps of each partition.
pub const POINTS_KEPT: usize = 60;

/// Where a partition's log ended at some instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The log end offset.
    pub log_end: u64,
    /// When it was measured.
    pub at: Instant,
}

/// When an offset was the log's end, as far as a table of points tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedThere {
    /// There are fewer than two points.
    TooFewPoints,
    /// It is the latest log end: there is no lag.
    Now,
    /// At about this many microseconds of model time, by interpolation; outside the table by going on
    /// along the line from its oldest to its newest point, also to before the run's start.
    Micros(i64),
    /// Before the table, in which nothing was appended: as long ago as one likes.
    LongBefore,
    /// After the table, in which nothing was appended.
    LongAfter,
}

/// The last points of a partition: later ones have a later time and no smaller offset. While nothing
/// is appended, only the first and the last of equal points are kept.
#[derive(Clone, Debug)]
pub struct EndTimes {
    points: VecDeque<Point>,
    kept: usize,
}

impl Default for EndTimes {
    fn default() -> Self {
        Self::keeping(POINTS_KEPT)
    }
}

impl EndTimes {
    /// An empty table that keeps the last `kept` points, at least two.
    #[must_use]
    pub const fn keeping(kept: usize) -> Self {
        Self { points: VecDeque::new(), kept: if kept < 2 { 2 } else { kept } }
    }

    /// How many points it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Takes in where the log ends. A point that is not later than the last, or lower, is ignored.
    pub fn record(&mut self, point: Point) {
        let mut newest = self.points.iter().rev();
        let (last, second_last) = (newest.next().copied(), newest.next().copied());
        if last.is_some_and(|last| last.at >= point.at || last.log_end > point.log_end) {
            return;
        }
        let is_flat = |of: Option<Point>| of.is_some_and(|of| of.log_end == point.log_end);
        if is_flat(last) && is_flat(second_last) {
            self.points.pop_back();
        } else if self.points.len() == self.kept {
            self.points.pop_front();
        }
        self.points.push_back(point);
    }

    /// When `offset` was the log's end: of a time in which nothing was appended, its end. Offsets
    /// below zero are allowed, as the line goes on there.
    #[must_use]
    pub fn lookup(&self, offset: i64) -> EndedThere {
        let (Some(oldest), Some(newest)) = (self.points.front(), self.points.back()) else {
            return EndedThere::TooFewPoints;
        };
        if i128::from(offset) == i128::from(newest.log_end) {
            return EndedThere::Now;
        }
        if self.points.len() < 2 {
            return EndedThere::TooFewPoints;
        }
        let pairs = self.points.iter().zip(self.points.iter().skip(1));
        let has_offset = |(left, right): &(&Point, &Point)| {
            (i128::from(left.log_end)..=i128::from(right.log_end)).contains(&i128::from(offset))
        };
        let (left, right) = pairs.rev().find(has_offset).unwrap_or((oldest, newest));
        on_line(*left, *right, offset)
    }

    /// The time lag of a group that stood at `committed` when it was measured at `now`; `None` where
    /// the points do not tell. Zero where the line leads behind `now`.
    #[must_use]
    pub fn time_lag(&self, committed: u64, now: Instant) -> Option<Span> {
        match self.lookup(i64::try_from(committed).ok()?) {
            EndedThere::Now => Some(Span::ZERO),
            EndedThere::Micros(at) => {
                let lag = i128::from(now.micros()) - i128::from(at);
                Some(Span::from_micros(u64::try_from(lag.max(0)).ok()?))
            }
            EndedThere::TooFewPoints | EndedThere::LongBefore | EndedThere::LongAfter => None,
        }
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for point in &self.points {
            hasher.write(point.log_end);
            hasher.write(point.at.micros());
        }
    }
}

/// The time of an offset on the line through two points, to the nearest microsecond.
fn on_line(left: Point, right: Point, offset: i64) -> EndedThere {
    let height = i128::from(right.log_end) - i128::from(left.log_end);
    let width = i128::from(right.at.micros()) - i128::from(left.at.micros());
    let below = i128::from(right.log_end) - i128::from(offset);
    if height == 0 {
        return if below > 0 { EndedThere::LongBefore } else { EndedThere::LongAfter };
    }
    let Some(product) = below.checked_mul(width) else { return EndedThere::LongBefore };
    let before = (product + height.div_euclid(2)).div_euclid(height);
    match i64::try_from(i128::from(right.at.micros()) - before) {
        Ok(micros) => EndedThere::Micros(micros),
        Err(_) if below > 0 => EndedThere::LongBefore,
        Err(_) => EndedThere::LongAfter,
    }
}
