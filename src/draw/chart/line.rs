//! From buckets to the corners of a line: all peaks, and no more corners than pixels.

use crate::draw::scale::to_u64;
use crate::model::series::{Extent, Resolution};
use crate::model::time::{Instant, MICROS_PER_SECOND};

/// A corner of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Seconds from the window's start.
    pub seconds: f64,
    /// The value: messages, or microseconds for ages.
    pub value: f64,
}

impl Vertex {
    pub(super) const fn new(seconds: f64, value: f64) -> Self {
        Self { seconds, value }
    }
}

/// Seconds from `from` to `at`; negative where `at` is earlier.
pub(super) fn seconds_since(from: Instant, at: Instant) -> f64 {
    in_seconds(micros_since(from, at))
}

/// The line of one gauge, whose buckets are given by their starts, from `from` to `now`, where it is `value_now`, `length` seconds of it on
/// `columns` columns of pixels.
///
/// A bucket's greatest and least value are corners where they lie outside what the bucket began
/// and ended with, so that a peak within one bucket is seen.
pub(super) fn line(
    buckets: impl IntoIterator<Item = (Instant, Extent)>,
    resolution: Resolution,
    (from, now): (Instant, Instant),
    value_now: u64,
    mut line: Decimated,
) -> Vec<Vertex> {
    let mut before = Corner { micros: micros_since(from, Instant::START), value: 0 };
    line.push_from(before, before);
    for (started, extent) in buckets {
        if started >= now {
            continue;
        }
        let start = micros_since(from, started);
        let end = micros_since(from, (started + resolution.width()).min(now));
        let after = Corner { micros: end, value: extent.last };
        for corner in corners_within(before, after, start, &extent).into_iter().flatten() {
            line.push_from(before, corner);
            before = corner;
        }
    }
    line.push_from(before, Corner { micros: micros_since(from, now), value: value_now });
    line.finish()
}

/// A corner as the run knows it: microseconds from the window's start, and a whole value. A
/// hundred thousand of them are compared for a line of a thousand, so they are not floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Corner {
    micros: i64,
    value: u64,
}

impl Corner {
    fn vertex(self) -> Vertex {
        Vertex::new(in_seconds(self.micros), self.value as f64)
    }
}

/// Microseconds from `from` to `at`; negative where `at` is earlier.
fn micros_since(from: Instant, at: Instant) -> i64 {
    at.since(from).micros().cast_signed() - from.since(at).micros().cast_signed()
}

fn in_seconds(micros: i64) -> f64 {
    micros as f64 / MICROS_PER_SECOND as f64
}

fn corners_within(before: Corner, after: Corner, start: i64, extent: &Extent) -> [Option<Corner>; 3] {
    let at_middle = |value| Corner { micros: i64::midpoint(start, after.micros).max(before.micros), value };
    let peak = (extent.max > before.value.max(after.value)).then(|| at_middle(extent.max));
    let dip = (extent.min < before.value.min(after.value)).then(|| at_middle(extent.min));
    [peak, dip, Some(after)]
}

/// A line of at most four corners for each column of pixels: the first, the least, the greatest
/// and the last in it. It looks the same as with all of them.
#[derive(Debug)]
pub(super) struct Decimated {
    kept: Vec<Vertex>,
    micros_per_column: f64,
    column: Option<Column>,
}

/// The corners of one column so far, each with its place in their order.
#[derive(Clone, Copy, Debug)]
struct Column {
    end: i64,
    count: usize,
    first: Corner,
    least: (usize, Corner),
    greatest: (usize, Corner),
    last: Corner,
}

impl Decimated {
    /// For `length` seconds on `columns` columns; everything is kept where that says nothing.
    pub(super) fn new(length: f64, columns: f64) -> Self {
        let per_column = length * MICROS_PER_SECOND as f64 / columns.max(1.0);
        let micros_per_column = if per_column.is_finite() { per_column.max(0.0) } else { 0.0 };
        Self { kept: Vec::new(), micros_per_column, column: None }
    }

    /// Takes in `corner` where it lies within the window; the first one is met on its edge.
    fn push_from(&mut self, before: Corner, corner: Corner) {
        if corner.micros < 0 {
            return;
        }
        if self.column.is_none() && before.micros < 0 && corner.micros > 0 {
            self.kept.push(edge(before.vertex(), corner.vertex()));
        }
        self.push(corner);
    }

    fn push(&mut self, corner: Corner) {
        match &mut self.column {
            Some(column) if corner.micros < column.end => column.take_in(corner),
            _ => self.open_column(corner),
        }
    }

    fn open_column(&mut self, corner: Corner) {
        self.close_column();
        let end = ((corner.micros as f64 / self.micros_per_column).floor() + 1.0) * self.micros_per_column;
        // Where columns have no width this is not a number and becomes zero: the next corner opens another.
        self.column = Some(Column::of(corner, to_u64(end.ceil()).cast_signed()));
    }

    fn close_column(&mut self) {
        if let Some(column) = self.column.take() {
            column.keep(&mut self.kept);
        }
    }

    fn finish(mut self) -> Vec<Vertex> {
        self.close_column();
        self.kept
    }
}

/// Where the line from one to the other comes into the window.
fn edge(before: Vertex, after: Vertex) -> Vertex {
    let share = -before.seconds / (after.seconds - before.seconds);
    Vertex::new(0.0, before.value + (after.value - before.value) * share)
}

impl Column {
    const fn of(corner: Corner, end: i64) -> Self {
        Self { end, count: 1, first: corner, least: (0, corner), greatest: (0, corner), last: corner }
    }

    fn take_in(&mut self, corner: Corner) {
        if corner.value < self.least.1.value {
            self.least = (self.count, corner);
        }
        if corner.value > self.greatest.1.value {
            self.greatest = (self.count, corner);
        }
        self.last = corner;
        self.count += 1;
    }

    /// Adds its corners in their order, each once.
    fn keep(&self, kept: &mut Vec<Vertex>) {
        let last = (self.count - 1, self.last);
        let (early, late) = if self.least.0 < self.greatest.0 {
            (self.least, self.greatest)
        } else {
            (self.greatest, self.least)
        };
        let mut previous = None;
        for (index, corner) in [(0, self.first), early, late, last] {
            if previous != Some(index) {
                kept.push(corner.vertex());
            }
            previous = Some(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::series::Bucket;

    fn second(index: u64, min: u64, max: u64, last: u64) -> Bucket {
        Bucket {
            start: Instant::from_seconds(index),
            waiting: Extent { min, max, last },
            ..Bucket::default()
        }
    }

    fn line(buckets: &[Bucket], from: u64, now: u64, value: u64) -> Vec<(f64, f64)> {
        let span = (Instant::from_seconds(from), Instant::from_seconds(now));
        let all = Decimated::new(0.0, 1.0);
        let points = buckets.iter().map(|bucket| (bucket.start, bucket.waiting));
        super::line(points, Resolution::Second, span, value, all)
            .into_iter()
            .map(|vertex| (vertex.seconds, vertex.value))
            .collect()
    }

    #[test]
    fn a_line_starts_at_the_windows_edge_and_ends_now() {
        assert_eq!(line(&[], 0, 0, 0), [(0.0, 0.0), (0.0, 0.0)]);
        let buckets = [second(0, 0, 2, 2), second(1, 2, 4, 4), second(2, 4, 6, 6)];
        assert_eq!(line(&buckets, 0, 3, 6), [(0.0, 0.0), (1.0, 2.0), (2.0, 4.0), (3.0, 6.0), (3.0, 6.0)]);
        assert_eq!(line(&buckets, 2, 3, 6), [(0.0, 4.0), (1.0, 6.0), (1.0, 6.0)]);
    }

    #[test]
    fn a_peak_and_a_dip_within_one_bucket_are_corners() {
        let buckets = [second(0, 0, 900, 3), second(1, 0, 3, 3)];
        assert_eq!(
            line(&buckets, 0, 2, 3),
            [(0.0, 0.0), (0.5, 900.0), (1.0, 3.0), (1.5, 0.0), (2.0, 3.0), (2.0, 3.0)]
        );
    }

    #[test]
    fn decimation_keeps_every_peak_and_few_corners() {
        let mut few = Decimated::new(100_000.0, 300.0);
        for index in 0..100_000 {
            let value = if index == 61_803 { 900 } else { 3 };
            few.push(Corner { micros: i64::from(index) * 1_000_000, value });
        }
        let few = few.finish();
        assert!(few.len() <= 1_200, "{}", few.len());
        assert_eq!(few.iter().filter(|vertex| vertex.value > 800.0).count(), 1);
        assert!(few.is_sorted_by(|one, other| one.seconds <= other.seconds));
    }
}
