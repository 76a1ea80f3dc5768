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
    assert_eq!(states(rule("lag > 5", 0, 60), &values), [Firing, Firing, Firing, Firing, Firing, Inactive]);
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
fn a_rule_that_is_changed_goes_on_from_when_its_condition_was_first_seen() {
    let mut alerts = Alerts::new(EVALUATION_INTERVAL, vec![rule("lag > 5", 600, 0)]);
    let series = alerts.series("lag", &[]);
    let look = |alerts: &mut Alerts, second| {
        alerts.record(Instant::from_seconds(second), series, 9_000_000);
        alerts.evaluate(Instant::from_seconds(second));
        alerts.state(0, series)
    };
    assert_eq!((look(&mut alerts, 0), look(&mut alerts, 30)), (Pending, Pending));
    let hold = Some(Span::from_seconds(60));
    alerts.change_rule(0, RuleChange { hold, ..RuleChange::default() });
    assert_eq!(look(&mut alerts, 60), Firing, "60 s after it was first seen");
    let threshold_millionths = Some(9_000_000);
    alerts.change_rule(0, RuleChange { threshold_millionths, ..RuleChange::default() });
    assert_eq!(alerts.state(0, series), Firing, "the next evaluation judges it");
    assert_eq!(look(&mut alerts, 90), Inactive);
    alerts.change_rule(7, RuleChange { hold, ..RuleChange::default() });
    assert_eq!(alerts.rules().count(), 1, "there is no such rule");
}

#[test]
fn only_what_a_rule_selects_is_recorded() {
    let depth = ("queue_messages_ready", Metric::Queue(metrics::OfQueue::Ready));
    let mut alerts = Alerts::new(
        EVALUATION_INTERVAL,
        vec![rule("queue_messages_ready{queue=\"mail\"} > 5", 0, 0), rule("broker_up == 0", 0, 0)],
    );
    assert_eq!(alerts.metrics().map(|(name, _)| name).collect::<Vec<_>>(), ["broker_up", depth.0]);
    for (queue, value) in [("mail", Some(1)), ("other", Some(2)), ("mail", None), ("mail", None)] {
        alerts.take_in(Instant::START, depth, &[queue], value);
    }
    let unacked = ("queue_messages_unacked", Metric::Queue(metrics::OfQueue::Unacked));
    alerts.take_in(Instant::START, unacked, &["mail"], Some(1));
    let mut held = HeldBytes::default();
    alerts.samples().count_held(&mut held);
    let mut wanted = HeldBytes::default();
    let mut one = Samples::default();
    let series = one.series(depth.0, &[Label { name: "queue".into(), value: "mail".into() }]);
    one.record(Instant::START, series, Some(1), Span::ZERO);
    one.record(Instant::START, series, None, Span::ZERO);
    one.count_held(&mut wanted);
    assert_eq!(held.bytes(), wanted.bytes(), "one series, its value and one mark of its end");
}

#[test]
fn values_are_kept_as_long_as_a_rule_reaches_back() {
    let counted = |range: &str| {
        let mut alerts = Alerts::new(EVALUATION_INTERVAL, vec![rule(&format!("rate(m[{range}]) > 1"), 0, 0)]);
        let series = alerts.series("m", &[]);
        (0..200).for_each(|step| alerts.record(Instant::from_seconds(30 * step), series, 0));
        alerts.samples().window(series, Instant::from_seconds(5_970), Span::from_seconds(9_000)).len()
    };
    assert_eq!((counted("1m"), counted("10m")), (11, 21));
}
