//! What alert rules look at: the last values of every series.

use std::collections::VecDeque;

use super::super::held::HeldBytes;
use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};
use super::expression::{Label, Selector};

/// How far back a missing value is looked for (Prometheus 2.42 `lookback-delta`), this included.
pub const LOOKBACK: Span = Span::from_seconds(300);

/// The millionths in one.
pub const MILLIONTHS: f64 = 1e6;

/// A value at an instant, in millionths; `None` marks that the series has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    at: Instant,
    millionths: Option<i64>,
}

/// A gauge or counter with its labels.
#[derive(Clone, Debug)]
struct Series {
    metric: String,
    labels: Vec<Label>,
    samples: VecDeque<Sample>,
}

/// Which series, by its place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesIndex(pub usize);

/// All series. A value is found as long as a rule can reach back to it.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    series: Vec<Series>,
    /// The place of the one that was asked for last: they mostly are asked for in the order in which
    /// they stand.
    last_found: usize,
}

impl Samples {
    /// The series with this name and exactly these labels, made where there was none.
    pub fn series(&mut self, metric: &str, labels: &[Label]) -> SeriesIndex {
        let found = self.found(metric, labels).unwrap_or_else(|| {
            let (metric, labels) = (metric.to_owned(), labels.to_vec());
            self.series.push(Series { metric, labels, samples: VecDeque::new() });
            SeriesIndex(self.series.len() - 1)
        });
        self.last_found = found.0;
        found
    }

    /// The series with this name and exactly these labels, if there is one.
    #[must_use]
    pub fn found(&self, metric: &str, labels: &[Label]) -> Option<SeriesIndex> {
        let is_this = |place: &usize| {
            self.series.get(*place).is_some_and(|series| series.metric == metric && series.labels == labels)
        };
        let next = self.last_found + 1;
        (next..self.series.len()).chain(0..next).find(is_this).map(SeriesIndex)
    }

    /// All series, in the order in which they came.
    pub fn all(&self) -> impl Iterator<Item = SeriesIndex> {
        (0..self.series.len()).map(SeriesIndex)
    }

    /// The name of a series' metric.
    #[must_use]
    pub fn metric(&self, series: SeriesIndex) -> &str {
        self.series.get(series.0).map_or("", |series| &series.metric)
    }

    /// The labels of a series.
    #[must_use]
    pub fn labels(&self, series: SeriesIndex) -> &[Label] {
        self.series.get(series.0).map_or(&[], |series| &series.labels)
    }

    /// The series that a selector names.
    pub fn selected(&self, selector: &Selector) -> impl Iterator<Item = SeriesIndex> {
        let all = self.series.iter().enumerate();
        let named = all.filter(|(_, series)| selector.selects(&series.metric, &series.labels));
        named.map(|(place, _)| SeriesIndex(place))
    }

    /// Takes in a value in millionths, or with `None` that the series ends here. What is more than
    /// `kept` before it is let go.
    pub fn record(&mut self, now: Instant, series: SeriesIndex, millionths: Option<i64>, kept: Span) {
        let Some(series) = self.series.get_mut(series.0) else { return };
        while series.samples.front().is_some_and(|oldest| now.since(oldest.at) > kept.max(LOOKBACK)) {
            series.samples.pop_front();
        }
        series.samples.push_back(Sample { at: now, millionths });
    }

    /// The series ends here, if it has not ended before.
    pub fn end(&mut self, now: Instant, series: SeriesIndex, kept: Span) {
        let last = self.series.get(series.0).and_then(|series| series.samples.back());
        if last.is_some_and(|last| last.millionths.is_some()) {
            self.record(now, series, None, kept);
        }
    }

    /// What was recorded at that very instant: a value in millionths, or `Some(None)` where the series
    /// ended then.
    #[must_use]
    pub fn recorded_at(&self, series: SeriesIndex, at: Instant) -> Option<Option<i64>> {
        let samples = &self.series.get(series.0)?.samples;
        samples.iter().rev().find(|sample| sample.at == at).map(|sample| sample.millionths)
    }

    /// The last value at `now`, unless it is older than [`LOOKBACK`] or the series has ended.
    #[must_use]
    pub fn value(&self, series: SeriesIndex, now: Instant) -> Option<f64> {
        let mut newest = self.series.get(series.0)?.samples.iter().rev();
        let last = newest.find(|sample| sample.at <= now)?;
        let value = last.millionths.filter(|_| now.since(last.at) <= LOOKBACK)?;
        Some(to_float(value))
    }

    /// The values from `range` before `now` to `now`, both ends included, as in Prometheus 2: seconds
    /// relative to `now`, and value. Marks of an end are no values.
    #[must_use]
    pub fn window(&self, series: SeriesIndex, now: Instant, range: Span) -> Vec<(f64, f64)> {
        let samples = self.series.get(series.0).map(|series| &series.samples);
        let within = samples
            .into_iter()
            .flatten()
            .filter(|sample| sample.at <= now && now.micros() - sample.at.micros() <= range.micros());
        let point = |sample: &Sample| Some((-seconds(now.since(sample.at)), to_float(sample.millionths?)));
        within.filter_map(point).collect()
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Series>(self.series.len());
        held.own::<Sample>(self.series.iter().map(|series| series.samples.len()).sum());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for series in &self.series {
            hasher.write_text(&series.metric);
            for label in &series.labels {
                hasher.write_text(&label.name);
                hasher.write_text(&label.value);
            }
            for sample in &series.samples {
                hasher.write(sample.at.micros());
                hasher.write(sample.millionths.map_or(u64::MAX, i64::cast_unsigned));
            }
        }
    }
}

/// Millionths as a float: exact for every decimal that a person writes.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn to_float(millionths: i64) -> f64 {
    millionths as f64 / MILLIONTHS
}

/// A span in seconds.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn seconds(span: Span) -> f64 {
    span.micros() as f64 / MILLIONTHS
}
