//! `prometheus-alerts.json`: states of alerts and values of functions, recorded from promtool 2.42.0.

use queue_lab::model::alerts::samples::Samples;
use queue_lab::model::alerts::{AlertRule, AlertState, Alerts, parse};
use queue_lab::model::time::{Instant, LAST_INSTANT, Span};
use serde_json::Value;

use super::VectorFile;
use super::closeness::is_close;
use super::fields::Fields;

/// How far a value may be from the recorded one: the last digit of a float.
const LAST_DIGIT: f64 = 4e-16;

#[test]
fn alerts_and_functions_agree_with_promtool() {
    let Some(mut file) = VectorFile::open("prometheus-alerts") else { return };
    file.root.prose(&["tool", "caution", "how"]);
    let timelines = file.root.objects("alert_timelines");
    file.run("alert_timelines", timelines, timeline);
    let functions = file.root.objects("functions");
    file.run("functions", functions, function);
    file.finish();
}

fn timeline(case: &Fields) {
    case.prose(&["name", "title"]);
    let condition = parse::condition(case.text("expr")).unwrap_or_else(|problem| panic!("{problem}"));
    let metric = condition.expression.selector().metric.clone();
    let rule = AlertRule {
        name: String::new(),
        owner: String::new(),
        condition,
        hold: duration(case, "for"),
        keep_firing: duration(case, "keep_firing_for"),
    };
    let interval = Span::from_seconds(case.count("evaluation_interval_s"));
    let mut alerts = Alerts::new(interval, vec![rule]);
    let series = alerts.series(&metric, &[]);
    let mut values = instants(case.count("scrape_interval_s")).zip(case.list("values")).peekable();
    for (place, state) in case.texts("state_at_each_evaluation").into_iter().enumerate() {
        let now = Instant::START + Span::from_micros(interval.micros() * place as u64);
        while let Some((at, value)) = values.next_if(|(at, _)| *at <= now) {
            match value.as_str() {
                Some("_") => {}
                Some("stale") => alerts.end_series(at, series),
                _ => alerts.record(at, series, millionths(case, value)),
            }
        }
        assert_eq!(alerts.next_evaluation(now), now, "{}", case.place());
        alerts.evaluate(now);
        assert_eq!(name(alerts.state(0, series)), state, "{}: evaluation {place}", case.place());
    }
}

fn function(case: &Fields) {
    case.prose(&["series", "title"]);
    let expression = parse::expression(case.text("expr")).unwrap_or_else(|problem| panic!("{problem}"));
    let mut samples = Samples::default();
    let series = samples.series(&expression.selector().metric, &[]);
    let forever = LAST_INSTANT.since(Instant::START);
    for (at, value) in instants(case.count("interval_s")).zip(case.list("values")) {
        match value.as_str() {
            Some("_") => {}
            Some("stale") => samples.record(at, series, None, forever),
            _ => samples.record(at, series, Some(millionths(case, value)), forever),
        }
    }
    let now = Instant::from_seconds(case.count("eval_time_s"));
    let found = expression.value(&samples, series, now);
    let wanted = case.value("value").filter(|value| !value.is_null()).map(|_| case.number("value"));
    let agrees = match (found, wanted) {
        (Some(found), Some(wanted)) => is_close(found, wanted, LAST_DIGIT),
        (found, wanted) => found == wanted,
    };
    assert!(agrees, "{}: {} is {found:?}, not {wanted:?}", case.place(), case.text("expr"));
}

/// Every `seconds` from the start on.
fn instants(seconds: u64) -> impl Iterator<Item = Instant> {
    (0..).map(move |place| Instant::from_seconds(place * seconds))
}

fn duration(case: &Fields, field: &str) -> Span {
    let text = case.value(field).filter(|value| !value.is_null()).map(|_| case.text(field));
    text.map_or(Span::ZERO, |text| parse::duration(text).unwrap_or_else(|problem| panic!("{problem}")))
}

#[allow(clippy::cast_possible_truncation)]
fn millionths(case: &Fields, value: &Value) -> i64 {
    let value = value.as_f64().unwrap_or_else(|| panic!("{}: {value} is no value", case.place()));
    (value * 1e6).round() as i64
}

const fn name(state: AlertState) -> &'static str {
    match state {
        AlertState::Inactive => "inactive",
        AlertState::Pending => "pending",
        AlertState::Firing => "firing",
    }
}
