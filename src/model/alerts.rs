//! Alerts: rules over gauges, evaluated on a fixed grid of model time.
//!
//! A rule's state is kept per label set, as Prometheus 2.42 keeps it (`prometheus-alerts.json`): the
//! condition makes an alert *pending*, and *firing* once it has held for the rule's `for`; one
//! evaluation without it while pending begins all over; a firing alert goes on for
//! `keep_firing_for` after the condition was last seen. Whoever drives this records values, all of an
//! instant, and then evaluates if that instant is on the grid. Values are integers of millionths;
//! functions of them are computed in floats of which only the outcome of a comparison is kept.

pub mod expression;
pub mod functions;
pub mod parse;
pub mod samples;

use expression::{Condition, Label};
use samples::{Samples, SeriesIndex};

use super::held::HeldBytes;
use super::state_hash::StateHasher;
use super::time::{Instant, Span};

/// How often rules are evaluated unless a scenario says otherwise.
pub const EVALUATION_INTERVAL: Span = Span::from_seconds(30);

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertRule {
    /// Its name.
    pub name: String,
    /// Who is called when it fires.
    pub owner: String,
    /// When it holds.
    pub condition: Condition,
    /// For how long that has to be so before it fires (Prometheus `for`).
    pub hold: Span,
    /// How long it goes on firing when the condition is gone (Prometheus `keep_firing_for`).
    pub keep_firing: Span,
}

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
struct Active {
    series: SeriesIndex,
    state: AlertState,
    /// When the condition was first seen.
    since: Instant,
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
}

impl Alerts {
    /// Rules that are evaluated every `interval` from the run's start on, the start included. An
    /// interval of nothing counts as [`EVALUATION_INTERVAL`].
    #[must_use]
    pub fn new(interval: Span, rules: Vec<AlertRule>) -> Self {
        let interval = if interval == Span::ZERO { EVALUATION_INTERVAL } else { interval };
        let watched = rules.into_iter().map(|rule| Watched { rule, active: Vec::new() }).collect();
        Self { interval, watched, samples: Samples::default() }
    }

    /// The rules.
    pub fn rules(&self) -> impl Iterator<Item = &AlertRule> {
        self.watched.iter().map(|watched| &watched.rule)
    }

    /// Puts another rule in the place of one, or at the end. It begins inactive, with the values that
    /// are there.
    pub fn set_rule(&mut self, place: usize, rule: AlertRule) {
        match self.watched.get_mut(place) {
            Some(watched) if watched.rule == rule => {}
            Some(watched) => *watched = Watched { rule, active: Vec::new() },
            None => self.watched.push(Watched { rule, active: Vec::new() }),
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
        self.samples.record(now, series, None, kept);
    }

    fn longest_range(&self) -> Span {
        self.rules().map(|rule| rule.condition.expression.range()).max().unwrap_or_default()
    }

    /// Evaluates all rules and returns what changed, rule by rule.
    pub fn evaluate(&mut self, now: Instant) -> Vec<Change> {
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

    /// The worst state of a rule over all label sets.
    #[must_use]
    pub fn worst_state(&self, rule: usize) -> AlertState {
        let active = self.watched.get(rule).map(|watched| watched.active.iter().map(|active| active.state));
        active.into_iter().flatten().max().unwrap_or(AlertState::Inactive)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(condition: &str, hold: u64, keep_firing: u64) -> AlertRule {
        AlertRule {
            name: condition.to_owned(),
            owner: "orders".to_owned(),
            condition: parse::condition(condition).expect("it is sound"),
            hold: Span::from_seconds(hold),
            keep_firing: Span::from_seconds(keep_firing),
        }
    }

    fn partition(number: u32) -> Vec<Label> {
        vec![Label { name: "partition".to_owned(), value: number.to_string() }]
    }

    /// The states of partition 1 at each evaluation, every 30 s; `None` records nothing.
    fn states(rule: AlertRule, values: &[Option<i64>]) -> Vec<AlertState> {
        let mut alerts = Alerts::new(EVALUATION_INTERVAL, vec![rule]);
        let series = alerts.series("lag", &partition(1));
        let mut states = Vec::new();
        for (second, value) in (0..).step_by(30).zip(values) {
            let now = Instant::from_seconds(second);
            value.iter().for_each(|value| alerts.record(now, series, value * 1_000_000));
            alerts.evaluate(now);
            states.push(alerts.state(0, series));
        }
        states
    }

    use AlertState::{Firing, Inactive, Pending};

    #[test]
    fn without_a_for_it_fires_at_once() {
        assert_eq!(states(rule("lag > 5", 0, 0), &[Some(5), Some(6), Some(5)]), [Inactive, Firing, Inactive]);
    }

    #[test]
    fn a_condition_that_comes_back_clears_the_clock_of_firing_on() {
        let values = [9, 1, 9, 1, 1, 1].map(Some);
        assert_eq!(
            states(rule("lag > 5", 0, 60), &values),
            [Firing, Firing, Firing, Firing, Firing, Inactive]
        );
    }

    #[test]
    fn a_value_is_looked_for_five_minutes_back_and_no_further() {
        let values: Vec<Option<i64>> = std::iter::once(Some(9)).chain([None; 11]).collect();
        let found = states(rule("lag > 5", 0, 0), &values);
        assert_eq!((found[10], found[11]), (Firing, Inactive));
    }

    #[test]
    fn one_partition_fires_while_another_is_quiet() {
        let mut alerts = Alerts::new(
            EVALUATION_INTERVAL,
            vec![rule("lag > 5", 30, 0), rule("lag{partition=\"2\"} > 5", 0, 0)],
        );
        let (one, two) = (alerts.series("lag", &partition(1)), alerts.series("lag", &partition(2)));
        for second in [0, 30] {
            alerts.record(Instant::from_seconds(second), one, 9_000_000);
            alerts.record(Instant::from_seconds(second), two, 1_000_000);
            let changed = alerts.evaluate(Instant::from_seconds(second));
            let (from, to) = if second == 0 { (Inactive, Pending) } else { (Pending, Firing) };
            assert_eq!(changed, [Change { rule: 0, series: one, from, to }]);
        }
        assert_eq!(
            (alerts.state(0, two), alerts.worst_state(0), alerts.worst_state(1)),
            (Inactive, Firing, Inactive)
        );
        assert_eq!(alerts.labels(two), partition(2));
    }

    #[test]
    fn a_series_that_ended_ends_its_alert_at_once() {
        let mut alerts = Alerts::new(EVALUATION_INTERVAL, vec![rule("lag > 5", 0, 0)]);
        let series = alerts.series("lag", &[]);
        alerts.record(Instant::from_seconds(0), series, 9_000_000);
        alerts.evaluate(Instant::from_seconds(0));
        alerts.end_series(Instant::from_seconds(30), series);
        let ended = Change { rule: 0, series, from: Firing, to: Inactive };
        assert_eq!(alerts.evaluate(Instant::from_seconds(30)), [ended]);
    }

    #[test]
    fn evaluations_stand_on_a_grid_from_the_start_on() {
        let alerts = Alerts::new(Span::ZERO, Vec::new());
        let next = |micros| alerts.next_evaluation(Instant::from_micros(micros)).micros() / 1_000_000;
        assert_eq!((next(0), next(1), next(30_000_000), next(30_000_001)), (0, 30, 30, 60));
    }

    #[test]
    fn a_rule_that_is_changed_begins_anew_and_one_that_is_not_goes_on() {
        let mut alerts = Alerts::new(EVALUATION_INTERVAL, vec![rule("lag > 5", 0, 0)]);
        let series = alerts.series("lag", &[]);
        alerts.record(Instant::START, series, 9_000_000);
        alerts.evaluate(Instant::START);
        alerts.set_rule(0, rule("lag > 5", 0, 0));
        assert_eq!(alerts.state(0, series), Firing);
        alerts.set_rule(0, rule("lag > 5", 60, 0));
        assert_eq!(alerts.state(0, series), Inactive);
        alerts.set_rule(7, rule("deriv(lag[1h]) > 0", 0, 0));
        assert_eq!(alerts.rules().count(), 2);
    }

    #[test]
    fn values_are_kept_as_long_as_a_rule_reaches_back() {
        let counted = |range: &str| {
            let mut alerts =
                Alerts::new(EVALUATION_INTERVAL, vec![rule(&format!("rate(m[{range}]) > 1"), 0, 0)]);
            let series = alerts.series("m", &[]);
            (0..200).for_each(|step| alerts.record(Instant::from_seconds(30 * step), series, 0));
            alerts.samples().window(series, Instant::from_seconds(5_970), Span::from_seconds(9_000)).len()
        };
        assert_eq!((counted("1m"), counted("10m")), (11, 21));
    }
}
