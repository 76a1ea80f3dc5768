//! A run and its alert rules as a unit test of Prometheus' own `promtool`: a rules file, and a test
//! with the values that the run recorded and the alerts that it had.
//!
//! The format is that of `promtool test rules` 2.42: one line for each series with one value for each
//! evaluation, `_` where there is none and `stale` where a series ends. Alerts are expected at each
//! evaluation at which a rule's alerts changed, at the one before, and at the last. Those that fire are
//! expected twice, as alerts and in the series `ALERTS`, which has those that are pending too.

use std::fmt::Write as _;
use std::rc::Rc;

use crate::json::Json;
use crate::model::alerts::expression::{Duration, Label};
use crate::model::alerts::samples::SeriesIndex;
use crate::model::alerts::{AlertRule, AlertState, Alerts};
use crate::model::command::Command;
use crate::model::decimal;
use crate::model::scenario::Scenario;
use crate::model::simulation::Simulation;
use crate::model::time::{Instant, Span};

use super::replay::UNTIL;

/// The name by which the test calls the rules file.
pub const RULES_FILE: &str = "alerts.yml";

/// The two files, as YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The rules: to be called [`RULES_FILE`].
    pub rules: String,
    /// The test, beside it.
    pub test: String,
}

/// Why a run cannot be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotExported {
    /// It has no alert rules.
    NoRules,
    /// A command changes a rule while it runs; a unit test of promtool has one set of rules.
    RulesChange,
}

impl NotExported {
    /// It in a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NoRules => "The scenario has no alert rules, so there is nothing to export.",
            Self::RulesChange => {
                "A command changes an alert rule while it runs; a unit test of promtool has one set of rules."
            }
        }
    }
}

/// What was recorded of a series at an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recorded {
    Nothing,
    Value(i64),
    Stale,
}

/// The alerts of a rule at an evaluation: labels and state of each that is pending or firing.
type ActiveAlerts = Vec<(Vec<Label>, AlertState)>;

/// What was seen at the evaluations of a run.
#[derive(Default)]
struct Seen {
    /// Of each series, one for each evaluation up to the last at which there was anything.
    values: Vec<Vec<Recorded>>,
    /// Of each evaluation, the alerts of each rule.
    alerts: Vec<Vec<ActiveAlerts>>,
}

/// Runs `scenario` to `until`, or where it says, or to [`UNTIL`], and exports it under that title.
///
/// # Errors
/// Says why it cannot be exported.
pub fn export(scenario: Scenario, title: &str, until: Option<Instant>) -> Result<Exported, NotExported> {
    let until = until.or(scenario.until).unwrap_or(UNTIL);
    if scenario.alerts().rules().is_empty() {
        return Err(NotExported::NoRules);
    }
    let changes_a_rule = |command: &Command| matches!(command, Command::SetAlertRule { .. });
    if scenario.commands().iter().any(|timed| timed.at <= until && changes_a_rule(&timed.command)) {
        return Err(NotExported::RulesChange);
    }
    let interval = scenario.alerts().interval();
    let mut simulation = Simulation::new(Rc::new(scenario));
    let mut seen = Seen::default();
    let mut at = Instant::START;
    while at <= until {
        simulation.advance_to(at, u64::MAX);
        seen.take_in(simulation.alerts(), at);
        at += interval;
    }
    let alerts = simulation.alerts();
    Ok(Exported { rules: rules_file(alerts), test: test_file(alerts, &seen, title, interval) })
}

impl Seen {
    fn take_in(&mut self, alerts: &Alerts, at: Instant) {
        let before = self.alerts.len();
        for (place, series) in alerts.samples().all().enumerate() {
            let recorded = match alerts.samples().recorded_at(series, at) {
                None => Recorded::Nothing,
                Some(None) => Recorded::Stale,
                Some(Some(value)) => Recorded::Value(value),
            };
            if self.values.len() <= place {
                self.values.push(vec![Recorded::Nothing; before]);
            }
            self.values[place].push(recorded);
        }
        let active = |rule: usize| {
            let mut active: ActiveAlerts = alerts
                .active(rule)
                .map(|active| (alerts.labels(active.series).to_vec(), active.state))
                .collect();
            // The order in which they came is no part of what is expected.
            active.sort_by_key(|(labels, _)| labels_text(labels));
            active
        };
        self.alerts.push((0..alerts.rules().count()).map(active).collect());
    }

    /// The evaluations at which a rule's alerts are expected: where they changed, the one before, and
    /// the last.
    fn expected(&self, rule: usize) -> Vec<usize> {
        let changed = |place: usize| match (self.of(rule, place), place.checked_sub(1)) {
            (now, Some(before)) => now != self.of(rule, before),
            (now, None) => !now.is_empty(),
        };
        let last = self.alerts.len().saturating_sub(1);
        (0..=last).filter(|place| *place == last || changed(*place) || changed(place + 1)).collect()
    }

    fn of(&self, rule: usize, place: usize) -> &[(Vec<Label>, AlertState)] {
        self.alerts.get(place).and_then(|rules| rules.get(rule)).map_or(&[], Vec::as_slice)
    }
}

fn rules_file(alerts: &Alerts) -> String {
    let mut yaml = "groups:\n  - name: queue-lab\n    rules:\n".to_owned();
    for AlertRule { name, owner, condition, hold, keep_firing } in alerts.rules() {
        line(&mut yaml, 6, &format!("- alert: {}", quoted(name)));
        line(&mut yaml, 8, &format!("expr: {}", quoted(&condition.to_string())));
        for (key, span) in [("for", hold), ("keep_firing_for", keep_firing)] {
            if *span > Span::ZERO {
                line(&mut yaml, 8, &format!("{key}: {}", Duration(*span)));
            }
        }
        line(&mut yaml, 8, &format!("labels: {{owner: {}}}", quoted(owner)));
    }
    yaml
}

fn test_file(alerts: &Alerts, seen: &Seen, title: &str, interval: Span) -> String {
    let every = Duration(interval);
    let mut yaml = format!(
        "rule_files: [{RULES_FILE}]\nevaluation_interval: {every}\ntests:\n  - name: {}\n    interval: {every}\n",
        quoted(title)
    );
    line(&mut yaml, 4, if seen.values.is_empty() { "input_series: []" } else { "input_series:" });
    for (series, values) in alerts.samples().all().zip(&seen.values) {
        line(&mut yaml, 6, &format!("- series: {}", quoted(&series_text(alerts, series))));
        line(&mut yaml, 8, &format!("values: {}", quoted(&values_text(values))));
    }
    line(&mut yaml, 4, "alert_rule_test:");
    for (rule, place) in alerts.rules().zip(0..) {
        for evaluation in seen.expected(place) {
            expect_firing(&mut yaml, rule, time_of(evaluation, interval), seen.of(place, evaluation));
        }
    }
    line(&mut yaml, 4, "promql_expr_test:");
    for (rule, place) in alerts.rules().zip(0..) {
        for evaluation in seen.expected(place) {
            expect_series(&mut yaml, rule, time_of(evaluation, interval), seen.of(place, evaluation));
        }
    }
    yaml
}

fn expect_firing(yaml: &mut String, rule: &AlertRule, at: Duration, active: &[(Vec<Label>, AlertState)]) {
    line(yaml, 6, &format!("- eval_time: {at}"));
    line(yaml, 8, &format!("alertname: {}", quoted(&rule.name)));
    let mut firing = active.iter().filter(|(_, state)| *state == AlertState::Firing).peekable();
    if firing.peek().is_none() {
        return line(yaml, 8, "exp_alerts: []");
    }
    line(yaml, 8, "exp_alerts:");
    for (labels, _) in firing {
        let own = labels.iter().map(|label| format!("{}: {}", label.name, quoted(&label.value)));
        let all: Vec<String> = own.chain([format!("owner: {}", quoted(&rule.owner))]).collect();
        line(yaml, 10, &format!("- exp_labels: {{{}}}", all.join(", ")));
    }
}

fn expect_series(yaml: &mut String, rule: &AlertRule, at: Duration, active: &[(Vec<Label>, AlertState)]) {
    let of_rule = format!("alertname={}", quoted(&rule.name));
    line(yaml, 6, &format!("- expr: {}", quoted(&format!("ALERTS{{{of_rule}}}"))));
    line(yaml, 8, &format!("eval_time: {at}"));
    if active.is_empty() {
        return line(yaml, 8, "exp_samples: []");
    }
    line(yaml, 8, "exp_samples:");
    for (labels, state) in active {
        let of_alert = format!("{of_rule},alertstate=\"{}\",owner={}", state.name(), quoted(&rule.owner));
        let own: String = labels.iter().map(|label| format!(",{}", label_text(label))).collect();
        line(yaml, 10, &format!("- labels: {}", quoted(&format!("ALERTS{{{of_alert}{own}}}"))));
        line(yaml, 12, "value: 1");
    }
}

fn time_of(evaluation: usize, interval: Span) -> Duration {
    Duration(Span::from_micros(interval.micros() * evaluation as u64))
}

fn series_text(alerts: &Alerts, series: SeriesIndex) -> String {
    format!("{}{{{}}}", alerts.samples().metric(series), labels_text(alerts.labels(series)))
}

fn labels_text(labels: &[Label]) -> String {
    labels.iter().map(label_text).collect::<Vec<_>>().join(",")
}

fn label_text(label: &Label) -> String {
    format!("{}={}", label.name, quoted(&label.value))
}

/// The values with a blank between, and `a+0xN` for N further ones that are the same.
fn values_text(values: &[Recorded]) -> String {
    let runs = values.chunk_by(|before, after| before == after);
    let texts = runs.map(|run| match (run.first(), run.len()) {
        (Some(Recorded::Value(value)), 1) => value_text(*value),
        (Some(Recorded::Value(value)), count) => format!("{}+0x{}", value_text(*value), count - 1),
        (Some(Recorded::Stale), count) => vec!["stale"; count].join(" "),
        (_, count) => vec!["_"; count].join(" "),
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Millionths as a decimal, exactly.
fn value_text(millionths: i64) -> String {
    let sign = if millionths < 0 { "-" } else { "" };
    format!("{sign}{}", decimal::shown(millionths.unsigned_abs(), 6))
}

/// In double quotes, with the escapes that JSON, YAML and PromQL share.
fn quoted(text: &str) -> String {
    Json::Text(text.to_owned()).to_line()
}

fn line(yaml: &mut String, indent: usize, text: &str) {
    // Writing to a string cannot fail.
    _ = writeln!(yaml, "{:indent$}{text}", "");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_written_once_and_every_value_exactly() {
        use Recorded::{Nothing, Stale, Value};
        let values = [
            Nothing,
            Nothing,
            Value(-1_000_000),
            Value(1),
            Value(1),
            Value(1),
            Stale,
            Nothing,
            Value(2_500_000),
        ];
        assert_eq!(values_text(&values), "_ _ -1 0.000001+0x2 stale _ 2.5");
        assert_eq!(values_text(&[]), "");
    }

    #[test]
    fn names_are_quoted_as_all_three_formats_read_them() {
        assert_eq!(quoted("a \"b\" \\ \n é"), "\"a \\\"b\\\" \\\\ \\u000a é\"");
    }
}
