//! Snapshots as JSON and CSV, with documented keys.

use serde_json::{Map, Value, json};

use super::state::App;
use crate::model::settings::Bound;
use crate::model::simulation::Simulation;
use crate::model::snapshot::Snapshot;
use crate::model::time::Span;
use crate::narrate::format::Numerals;
use crate::narrate::words;

/// The columns of the CSV, in order; each is a key of [`record`] too. Times are in seconds,
/// rates in messages a second; an empty cell means that there is no such value.
pub const COLUMNS: [&str; 30] = [
    "t_seconds",
    "offered",
    "held_back",
    "rejected",
    "waiting",
    "in_flight",
    "done",
    "dropped_new",
    "dropped_oldest",
    "oldest_age_seconds",
    "newcomer_wait_seconds",
    "growth_per_second",
    "producer_rate_per_second",
    "consumer_rate_per_second",
    "consumer_count",
    "queue_bound_messages",
    "overflow_policy",
    "producer_blocked",
    "broker_held_messages",
    "broker_memory_messages",
    "memory_alarm",
    "accepted_per_second_recent",
    "done_per_second_recent",
    "utilisation_recent",
    "waiting_time_mean_seconds",
    "waiting_time_p50_seconds",
    "waiting_time_p95_seconds",
    "waiting_time_p99_seconds",
    "waiting_time_max_seconds",
    "state_hash",
];

/// The snapshot of `simulation` now, as one flat object with the keys of [`COLUMNS`].
#[must_use]
pub fn record(simulation: &Simulation) -> Map<String, Value> {
    let snapshot = simulation.snapshot();
    let values = [ledger_values(&snapshot), dial_values(&snapshot), measured_values(&snapshot)].concat();
    let mut record: Map<String, Value> =
        COLUMNS.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value)).collect();
    record.insert("state_hash".to_owned(), json!(hash_text(simulation.state_hash())));
    record
}

/// Adds what the page says and does to a record: `sentence`, `sentence_kind`, `is_playing`,
/// `speed`.
pub fn add_page(record: &mut Map<String, Value>, app: &App) {
    let sentence = words::text(&app.shown.happening, &app.locale, Numerals::Screen);
    record.insert("sentence".to_owned(), json!(sentence));
    record.insert("sentence_kind".to_owned(), json!(app.shown.happening.kind()));
    record.insert("is_playing".to_owned(), json!(app.is_playing()));
    record.insert("speed".to_owned(), decimal(&app.speed().to_string()));
}

/// A state hash in 16 hexadecimal digits.
#[must_use]
pub fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

/// The header line of the CSV, without its line end.
#[must_use]
pub fn csv_header() -> String {
    COLUMNS.join(",")
}

/// One line of the CSV, without its line end. No value of ours needs quotes: they are numbers,
/// fixed names and hexadecimal digits.
#[must_use]
pub fn csv_line(record: &Map<String, Value>) -> String {
    let cell = |name: &&str| match record.get(*name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    COLUMNS.iter().map(cell).collect::<Vec<_>>().join(",")
}

fn ledger_values(snapshot: &Snapshot) -> Vec<Value> {
    let ledger = &snapshot.ledger;
    vec![
        decimal(&snapshot.at.to_string()),
        json!(ledger.offered),
        json!(ledger.held_back),
        json!(ledger.rejected),
        json!(ledger.waiting),
        json!(ledger.in_flight),
        json!(ledger.done),
        json!(ledger.dropped_new),
        json!(ledger.dropped_oldest),
        span(snapshot.queue.oldest_age),
        span(snapshot.queue.newcomer_wait),
    ]
}

fn dial_values(snapshot: &Snapshot) -> Vec<Value> {
    let bound = match snapshot.queue.bound {
        Bound::None => json!("none"),
        Bound::Messages(bound) => json!(bound),
    };
    vec![
        thousandths(snapshot.outlook.growth_thousandths_per_second),
        decimal(&snapshot.producer.rate.to_string()),
        decimal(&snapshot.consumers.rate_each.to_string()),
        json!(snapshot.consumers.count),
        bound,
        json!(snapshot.queue.overflow.name()),
        json!(snapshot.producer.blocked_by.is_some()),
        json!(snapshot.broker.held),
        json!(snapshot.broker.memory),
        json!(snapshot.broker.memory_alarm),
    ]
}

fn measured_values(snapshot: &Snapshot) -> Vec<Value> {
    let flow = &snapshot.flow;
    let waits = &snapshot.waiting_time_overall;
    let wait = |value: Span| span((waits.count > 0).then_some(value));
    vec![
        decimal(&flow.rate_of(flow.accepted).to_string()),
        decimal(&flow.rate_of(flow.done).to_string()),
        decimal(&Span::from_micros(u64::from(snapshot.consumers.utilisation_recent_millionths)).to_string()),
        wait(waits.mean),
        wait(waits.p50),
        wait(waits.p95),
        wait(waits.p99),
        wait(waits.max),
    ]
}

fn span(span: Option<Span>) -> Value {
    span.map_or(Value::Null, |span| decimal(&span.to_string()))
}

fn thousandths(value: i64) -> Value {
    let rate = crate::model::rate::Rate::from_thousandths(value.unsigned_abs());
    decimal(&format!("{}{rate}", if value < 0 { "-" } else { "" }))
}

/// A decimal text as a JSON number: the nearest one, as every reader of JSON has it.
fn decimal(text: &str) -> Value {
    text.parse::<u64>().map_or_else(
        |_| text.parse::<f64>().map_or(Value::Null, |number| json!(number)),
        |whole| json!(whole),
    )
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::model::scenario::Scenario;
    use crate::model::time::Instant;

    #[test]
    fn every_column_has_its_value_and_the_ledger_adds_up() {
        let mut simulation = Simulation::new(Rc::new(Scenario::default()));
        simulation.advance_to(Instant::from_seconds(20), u64::MAX);
        let record = record(&simulation);
        assert_eq!(record.len(), COLUMNS.len());
        assert!(COLUMNS.iter().all(|name| record.contains_key(*name)));
        let count = |name: &str| record.get(name).and_then(Value::as_u64).unwrap_or_default();
        let places =
            ["held_back", "rejected", "waiting", "in_flight", "done", "dropped_new", "dropped_oldest"];
        assert_eq!(count("offered"), places.iter().map(|place| count(place)).sum::<u64>());
        assert_eq!(csv_line(&record).split(',').count(), COLUMNS.len());
        assert_eq!(record.get("t_seconds"), Some(&json!(20)));
    }
}
