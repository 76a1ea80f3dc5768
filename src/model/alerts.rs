//! Alerts: rules over gauges, evaluated on a fixed grid of model time.
//!
//! A rule's state is kept per label set, as Prometheus 2.42 keeps it (`prometheus-alerts.json`): the
//! condition makes an alert *pending*, and *firing* once it has held for the rule's `for`; one
//! evaluation without it while pending begins all over; a firing alert goes on for
//! `keep_firing_for` after the condition was last seen. Whoever drives this records values, all of an
//! instant, and then evaluates if that instant is on the grid. Values are integers of millionths;
//! functions of them are computed in floats of which only the outcome of a comparison is kept.
//!
//! What no rule selects is deliberately not recorded, and nothing is kept that is older than the longest
//! window of a rule or the time that a missing value is looked back for.

pub mod expression;
pub mod functions;
pub mod metrics;
pub mod parse;
pub mod rule;
pub mod samples;
#[cfg(test)]
mod tests;

pub use rule::{AlertRule, AlertRules, EVALUATION_INTERVAL, RuleChange};

use expression::{Label, Selector};
use metrics::{METRICS, Metric};
use samples::{Samples, SeriesIndex};

use super::held::HeldBytes;
use super::state_hash::StateHasher;
use super::time::{Instant, NEVER, Span};

/// What an alert is. The numbers are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlertState {
    /// The condition does not hold.
    Inactive = 0,
    /// It holds, for less than the rule's `for`.
    Pending = 1,
    /// It has held for that long: somebody is called.
    Firing = 2,
}

impl AlertState {
    /// Prometheus' name of it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inactive => "inactive",
            Self::Pending => "pending",
            Self::Firing => "firing",
        }
    }
}

/// An alert that changed at an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The rule, by its place.
    pub rule: usize,
    /// The series whose value it is: its label set.
    pub series: SeriesIndex,
    /// What it was.
    pub from: AlertState,
    /// What it is.
    pub to: AlertState,
}

/// An alert that is pending or firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Active {
    /// The series whose value it is: its label set.
    pub series: SeriesIndex,
    /// Whether it fires.
    pub state: AlertState,
    /// When the condition was first seen (Prometheus `ActiveAt`).
    pub since: Instant,
    /// At which evaluation it was first missing while the alert fires.
    missing_since: Option<Instant>,
}

#[derive(Clone, Debug)]
struct Watched {
    rule: AlertRule,
    active: Vec<Active>,
}

/// All rules with their states, and the values they look at.
#[derive(Clone, Debug)]
pub struct Alerts {
    interval: Span,
    watched: Vec<Watched>,
    samples: Samples,
    next_at: Instant,
}

impl Default for Alerts {
    /// No rules.
    fn default() -> Self {
        Self::new(EVALUATION_INTERVAL, Vec::new())
    }
}

impl Alerts {
    /// Rules that are evaluated every `interval` from the run's start on, the start included. An
    /// interval of nothing counts as [`EVALUATION_INTERVAL`].
    #[must_use]
    pub fn new(interval: Span, rules: Vec<AlertRule>) -> Self {
        let interval = if interval == Span::ZERO { EVALUATION_INTERVAL } else { interval };
        let watched = rules.into_iter().map(|rule| Watched { rule, active: Vec::new() }).collect();
        Self { interval, watched, samples: Samples::default(), next_at: Instant::START }
    }

    /// The rules of a scenario at its start.
    #[must_use]
    pub fn of(rules: &AlertRules) -> Self {
        Self::new(rules.interval(), rules.rules().to_vec())
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }

    /// The rules.
    pub fn rules(&self) -> impl Iterator<Item = &AlertRule> {
        self.watched.iter().map(|watched| &watched.rule)
    }

    /// Changes the rule at that place, if there is one. What is pending or firing stays so until the
    /// next evaluation judges it, with the time since which it is (Prometheus 2.42 does so when its
    /// rules are loaded again and one of them has the name it had).
    pub fn change_rule(&mut self, place: usize, change: RuleChange) {
        if let Some(watched) = self.watched.get_mut(place) {
            change.apply_to(&mut watched.rule);
        }
    }

    /// When the next evaluation is due: never without rules.
    #[must_use]
    pub fn next_due(&self) -> Instant {
        if self.is_empty() { NEVER } else { self.next_at }
    }

    /// The metrics that rules look at, in the order of [`METRICS`].
    pub fn metrics(&self) -> impl Iterator<Item = (&'static str, Metric)> {
        METRICS.into_iter().filter(|(name, _)| self.selectors().any(|selector| selector.metric == *name))
    }

    fn selectors(&self) -> impl Iterator<Item = &Selector> {
        self.rules().map(|rule| rule.condition.expression.selector())
    }

    /// Takes in what a metric is, in millionths, for labels with these values, if a rule selects it:
    /// none where there is no such value now, so that the series ends, if there was one.
    pub fn take_in(
        &mut self,
        now: Instant,
        (name, metric): (&str, Metric),
        values: &[&str],
        millionths: Option<i64>,
    ) {
        let own = |(name, value): (&&str, &&str)| Label { name: (*name).into(), value: (*value).into() };
        let labels: Vec<Label> = metric.labels().iter().zip(values).map(own).collect();
        if !self.selectors().any(|selector| selector.selects(name, &labels)) {
            return;
        }
        match millionths {
            Some(value) => {
                let series = self.series(name, &labels);
                self.record(now, series, value);
            }
            None => {
                if let Some(series) = self.samples.found(name, &labels) {
                    self.end_series(now, series);
                }
            }
        }
    }

    /// The first evaluation at `now` or later.
    #[must_use]
    pub const fn next_evaluation(&self, now: Instant) -> Instant {
        let interval = self.interval.micros();
        Instant::from_micros(now.micros().div_ceil(interval).saturating_mul(interval))
    }

    /// The series with this name and exactly these labels.
    pub fn series(&mut self, metric: &str, labels: &[Label]) -> SeriesIndex {
        self.samples.series(metric, labels)
    }

    /// The labels of a series.
    #[must_use]
    pub fn labels(&self, series: SeriesIndex) -> &[Label] {
        self.samples.labels(series)
    }

    /// The values.
    #[must_use]
    pub const fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Takes in a value in millionths.
    pub fn record(&mut self, now: Instant, series: SeriesIndex, millionths: i64) {
        let kept = self.longest_range();
        self.samples.record(now, series, Some(millionths), kept);
    }

    /// A series has ended: what is gone, such as a partition of a group that is no more, has no value
    /// from now on (Prometheus' stale marker).
    pub fn end_series(&mut self, now: Instant, series: SeriesIndex) {
        let kept = self.longest_range();
        self.samples.end(now, series, kept);
    }

    fn longest_range(&self) -> Span {
        self.rules().map(|rule| rule.condition.expression.range()).max().unwrap_or_default()
    }

    /// Evaluates all rules and returns what changed, rule by rule.
    pub fn evaluate(&mut self, now: Instant) -> Vec<Change> {
        self.next_at = self.next_evaluation(now + Span::from_micros(1));
        let mut changes = Vec::new();
        for (rule, watched) in self.watched.iter_mut().enumerate() {
            let selector = watched.rule.condition.expression.selector();
            for series in self.samples.selected(selector).collect::<Vec<_>>() {
                let holds = watched.rule.condition.holds(&self.samples, series, now);
                let from = watched.state(series);
                watched.take_in(now, series, holds);
                let to = watched.state(series);
                changes.extend((from != to).then_some(Change { rule, series, from, to }));
            }
        }
        changes
    }

    /// The state of a rule for one label set.
    #[must_use]
    pub fn state(&self, rule: usize, series: SeriesIndex) -> AlertState {
        self.watched.get(rule).map_or(AlertState::Inactive, |watched| watched.state(series))
    }

    /// The alerts of a rule that are pending or firing, each label set once.
    pub fn active(&self, rule: usize) -> impl Iterator<Item = &Active> {
        self.watched.get(rule).into_iter().flat_map(|watched| &watched.active)
    }

    /// The worst state of a rule over all label sets.
    #[must_use]
    pub fn worst_state(&self, rule: usize) -> AlertState {
        self.active(rule).map(|active| active.state).max().unwrap_or(AlertState::Inactive)
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Watched>(self.watched.len());
        self.watched.iter().for_each(|watched| held.own::<Active>(watched.active.len()));
        self.samples.count_held(held);
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.interval.micros());
        for Watched { rule, active } in &self.watched {
            hasher.write_text(&rule.name);
            hasher.write_text(&rule.owner);
            rule.condition.hash_into(hasher);
            hasher.write(rule.hold.micros());
            hasher.write(rule.keep_firing.micros());
            for alert in active {
                hasher.write(alert.series.0 as u64);
                hasher.write(alert.state as u64);
                hasher.write(alert.since.micros());
                hasher.write(alert.missing_since.map_or(u64::MAX, Instant::micros));
            }
        }
        self.samples.hash_into(hasher);
    }
}

impl Watched {
    fn state(&self, series: SeriesIndex) -> AlertState {
        let active = self.active.iter().find(|active| active.series == series);
        active.map_or(AlertState::Inactive, |active| active.state)
    }

    fn take_in(&mut self, now: Instant, series: SeriesIndex, holds: bool) {
        let known = self.active.iter().position(|active| active.series == series);
        let place = match known {
            Some(place) => place,
            None if holds => {
                self.active.push(Active {
                    series,
                    state: AlertState::Pending,
                    since: now,
                    missing_since: None,
                });
                self.active.len() - 1
            }
            None => return,
        };
        let Some(active) = self.active.get_mut(place) else { return };
        if !holds && !active.goes_on(now, self.rule.keep_firing) {
            self.active.remove(place);
            return;
        }
        if holds {
            active.missing_since = None;
        }
        if now.since(active.since) >= self.rule.hold {
            active.state = AlertState::Firing;
        }
    }
}

impl Active {
    /// Whether it fires on although the condition is gone.
    fn goes_on(&mut self, now: Instant, keep_firing: Span) -> bool {
        let missing_since = *self.missing_since.get_or_insert(now);
        self.state == AlertState::Firing && now.since(missing_since) < keep_firing
    }
}
