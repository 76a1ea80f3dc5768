//! From buckets to the corners of a line: all peaks, and no more corners than pixels.

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
    (at.since(from).micros() as f64 - from.since(at).micros() as f64) / MICROS_PER_SECOND as f64
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
    let mut before = Vertex::new(seconds_since(from, Instant::START), 0.0);
    line.push_from(before, before);
    for (started, extent) in buckets {
        if started >= now {
            continue;
        }
        let start = seconds_since(from, started);
        let end = seconds_since(from, (started + resolution.width()).min(now));
        let after = Vertex::new(end, extent.last as f64);
        for corner in corners_within(before, after, start, &extent).into_iter().flatten() {
            line.push_from(before, corner);
            before = corner;
        }
    }
    line.push_from(before, Vertex::new(seconds_since(from, now), value_now as f64));
    line.finish()
}

fn corners_within(before: Vertex, after: Vertex, start: f64, extent: &Extent) -> [Option<Vertex>; 3] {
    let middle = f64::midpoint(start, after.seconds).max(before.seconds);
    let (least, greatest) = (extent.min as f64, extent.max as f64);
    let peak = (greatest > before.value.max(after.value)).then_some(Vertex::new(middle, greatest));
    let dip = (least < before.value.min(after.value)).then_some(Vertex::new(middle, least));
    [peak, dip, Some(after)]
}

/// A line of at most four corners for each column of pixels: the first, the least, the greatest
/// and the last in it. It looks the same as with all of them.
#[derive(Debug)]
pub(super) struct Decimated {
    kept: Vec<Vertex>,
    per_column: f64,
    column: Option<Column>,
}

/// The corners of one column so far, each with its place in their order.
#[derive(Clone, Copy, Debug)]
struct Column {
    end: f64,
    count: usize,
    first: Vertex,
    least: (usize, Vertex),
    greatest: (usize, Vertex),
    last: Vertex,
}

impl Decimated {
    /// For `length` seconds on `columns` columns; everything is kept where that says nothing.
    pub(super) fn new(length: f64, columns: f64) -> Self {
        let per_column = length / columns.max(1.0);
        let per_column = if per_column.is_finite() { per_column.max(0.0) } else { 0.0 };
        Self { kept: Vec::new(), per_column, column: None }
    }

    /// Takes in `corner` where it lies within the window; the first one is met on its edge.
    fn push_from(&mut self, before: Vertex, corner: Vertex) {
        if corner.seconds < 0.0 {
            return;
        }
        if self.column.is_none() && before.seconds < 0.0 && corner.seconds > 0.0 {
            let share = -before.seconds / (corner.seconds - before.seconds);
            self.push(Vertex::new(0.0, before.value + (corner.value - before.value) * share));
        }
        self.push(corner);
    }

    fn push(&mut self, corner: Vertex) {
        match &mut self.column {
            Some(column) if corner.seconds < column.end => column.take_in(corner),
            _ => {
                self.close_column();
                let end = ((corner.seconds / self.per_column).floor() + 1.0) * self.per_column;
                self.column = Some(Column::of(corner, end));
            }
        }
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

impl Column {
    const fn of(corner: Vertex, end: f64) -> Self {
        Self { end, count: 1, first: corner, least: (0, corner), greatest: (0, corner), last: corner }
    }

    fn take_in(&mut self, corner: Vertex) {
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
                kept.push(corner);
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
            few.push(Vertex::new(f64::from(index), if index == 61_803 { 900.0 } else { 3.0 }));
        }
        let few = few.finish();
        assert!(few.len() <= 1_200, "{}", few.len());
        assert_eq!(few.iter().filter(|vertex| vertex.value > 800.0).count(), 1);
        assert!(few.is_sorted_by(|one, other| one.seconds <= other.seconds));
    }
}
