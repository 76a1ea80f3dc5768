//! From buckets to the corners of a line: all peaks, and no more corners than pixels.

use crate::draw::scale::to_usize;
use crate::model::series::{Bucket, Extent, Resolution};
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

/// The corners of the line of one gauge from `from` to `now`, where it is `value_now`.
///
/// A bucket's greatest and least value are corners where they lie outside what the bucket began
/// and ended with, so that a peak within one bucket is seen.
pub(super) fn corners<'a>(
    buckets: impl IntoIterator<Item = &'a Bucket>,
    resolution: Resolution,
    gauge: impl Fn(&Bucket) -> Extent,
    (from, now): (Instant, Instant),
    value_now: u64,
) -> Vec<Vertex> {
    let mut corners = Vec::new();
    let mut before = Vertex::new(seconds_since(from, Instant::START), 0.0);
    push_from(&mut corners, before, before);
    for bucket in buckets {
        if bucket.start >= now {
            continue;
        }
        let start = seconds_since(from, bucket.start);
        let end = seconds_since(from, (bucket.start + resolution.width()).min(now));
        let extent = gauge(bucket);
        let after = Vertex::new(end, extent.last as f64);
        for corner in corners_within(before, after, start, &extent) {
            push_from(&mut corners, before, corner);
            before = corner;
        }
    }
    let end = Vertex::new(seconds_since(from, now), value_now as f64);
    push_from(&mut corners, before, end);
    corners
}

fn corners_within(
    before: Vertex,
    after: Vertex,
    start: f64,
    extent: &Extent,
) -> impl Iterator<Item = Vertex> {
    let middle = f64::midpoint(start, after.seconds).max(before.seconds);
    let (least, greatest) = (extent.min as f64, extent.max as f64);
    let peak = (greatest > before.value.max(after.value)).then_some(Vertex::new(middle, greatest));
    let dip = (least < before.value.min(after.value)).then_some(Vertex::new(middle, least));
    peak.into_iter().chain(dip).chain(std::iter::once(after))
}

/// Takes in `corner` where it lies within the window; the first one is met on its edge.
fn push_from(corners: &mut Vec<Vertex>, before: Vertex, corner: Vertex) {
    if corner.seconds < 0.0 {
        return;
    }
    if corners.is_empty() && before.seconds < 0.0 && corner.seconds > 0.0 {
        let share = -before.seconds / (corner.seconds - before.seconds);
        corners.push(Vertex::new(0.0, before.value + (corner.value - before.value) * share));
    }
    corners.push(corner);
}

/// At most four corners for each of `columns` columns of a line of `length` seconds: the first,
/// the least, the greatest and the last in it. What is left looks the same.
pub(super) fn decimated(corners: Vec<Vertex>, length: f64, columns: f64) -> Vec<Vertex> {
    let columns = if columns.is_finite() { columns.clamp(1.0, 20_000.0) } else { 1.0 };
    if corners.len() <= to_usize(columns) * 2 || !length.is_finite() || length <= 0.0 {
        return corners;
    }
    let per_column = length / columns;
    let mut kept = Vec::with_capacity(to_usize(columns) * 4);
    let mut rest = corners.as_slice();
    while let Some(first) = rest.first() {
        let end = ((first.seconds / per_column).floor() + 1.0) * per_column;
        let count = rest.iter().take_while(|corner| corner.seconds < end).count().max(1);
        let (column, later) = rest.split_at(count.min(rest.len()));
        keep_extremes(&mut kept, column);
        rest = later;
    }
    kept
}

fn keep_extremes(kept: &mut Vec<Vertex>, column: &[Vertex]) {
    let by_value = |one: &(usize, &Vertex), other: &(usize, &Vertex)| one.1.value.total_cmp(&other.1.value);
    let least = column.iter().enumerate().min_by(by_value).map(|(index, _)| index);
    let greatest = column.iter().enumerate().max_by(by_value).map(|(index, _)| index);
    let mut chosen = [Some(0), least, greatest, column.len().checked_sub(1)];
    chosen.sort_unstable();
    let mut previous = None;
    for index in chosen.into_iter().flatten() {
        if previous != Some(index) {
            kept.extend(column.get(index));
        }
        previous = Some(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(index: u64, min: u64, max: u64, last: u64) -> Bucket {
        Bucket {
            start: Instant::from_seconds(index),
            waiting: Extent { min, max, last },
            ..Bucket::default()
        }
    }

    fn line(buckets: &[Bucket], from: u64, now: u64, value: u64) -> Vec<(f64, f64)> {
        let span = (Instant::from_seconds(from), Instant::from_seconds(now));
        corners(buckets, Resolution::Second, |bucket| bucket.waiting, span, value)
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
        let many = (0..100_000)
            .map(|index| Vertex::new(f64::from(index), if index == 61_803 { 900.0 } else { 3.0 }))
            .collect();
        let few = decimated(many, 100_000.0, 300.0);
        assert!(few.len() <= 1_200, "{}", few.len());
        assert_eq!(few.iter().filter(|vertex| vertex.value > 800.0).count(), 1);
        assert!(few.is_sorted_by(|one, other| one.seconds <= other.seconds));
    }
}
