//! Charts of rates, of the time of attempts, and of a group: from buckets of their own.

use crate::model::series::Extent;
use crate::model::series::flows::{FlowBucket, Moved};
use crate::model::series::handler_times::TimesBucket;
use crate::model::series::lags::LagBucket;
use crate::model::time::MICROS_PER_SECOND;

use super::model::{ChartKind, ChartModel, ChartRequest, THOUSANDTHS, greatest, past};

impl ChartModel {
    /// The chart of what came in and went out each second, from finished buckets of the request's
    /// resolution, oldest first: one that is still forming would look like a fall.
    #[must_use]
    #[inline(never)]
    pub fn of_throughput(buckets: &[FlowBucket], request: &ChartRequest<'_>) -> Self {
        let drawn = |count: fn(Moved) -> u64| {
            let seconds = (request.resolution.width().micros() / MICROS_PER_SECOND).max(1);
            let rate = |bucket: &FlowBucket| Extent::of(count(bucket.moved) * THOUSANDTHS / seconds);
            let points = buckets.iter().map(|bucket| (bucket.start, rate(bucket)));
            let last = buckets.last().map_or(0, |bucket| rate(bucket).last);
            past(points, last, request)
        };
        let (came, done) = (drawn(|moved| moved.came), drawn(|moved| moved.done));
        let greatest = greatest(&[&came, &done]);
        let others = vec![done];
        Self { others, ..Self::with_line(ChartKind::Throughput, came, greatest, request) }
    }

    /// The chart of what attempts took, from finished buckets of the request's resolution, oldest first.
    /// A bucket in which none ended says nothing: the line goes on to the next that does.
    #[must_use]
    #[inline(never)]
    pub fn of_handler_times(buckets: &[TimesBucket], request: &ChartRequest<'_>) -> Self {
        let told = || buckets.iter().filter(|bucket| bucket.attempts > 0);
        let points = told().map(|bucket| (bucket.start, Extent::of(bucket.p99.micros())));
        let line = past(points, told().next_back().map_or(0, |bucket| bucket.p99.micros()), request);
        let greatest = greatest(&[&line]);
        Self::with_line(ChartKind::HandlerTime, line, greatest, request)
    }

    /// The chart of how far behind a group was: its worst partition, and all of them one by one.
    #[must_use]
    pub fn of_group(kind: ChartKind, worst: &Course, lanes: &[Course], request: &ChartRequest<'_>) -> Self {
        let drawn = |course: &Course| {
            let extent = |bucket: &LagBucket| if kind.is_age() { bucket.oldest_micros } else { bucket.lag };
            let points = course.buckets.iter().map(|bucket| (bucket.start, extent(bucket)));
            past(points, course.now, request)
        };
        let line = drawn(worst);
        let greatest = greatest(&[&line]);
        let others = lanes.iter().map(drawn).collect();
        Self { others, ..Self::with_line(kind, line, greatest, request) }
    }
}

/// How far behind a group was in one of its partitions, or in the worst.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Buckets of the request's resolution, oldest first, the one that is still forming last.
    pub buckets: Vec<LagBucket>,
    /// What it is now: a number of records, or an age in microseconds.
    pub now: u64,
}
