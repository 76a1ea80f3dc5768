//! Snapshots as JSON and CSV, with documented keys.

mod parts;

use std::fmt::Display;

pub use parts::LISTS;

use super::state::App;
use crate::json::{self, Fields, Json};
use crate::model::rate::Rate;
use crate::model::settings::Bound;
use crate::model::simulation::{Simulation, Totals};
use crate::model::snapshot::network::{DownstreamSnapshot, NetworkSnapshot};
use crate::model::snapshot::{BrokerSnapshot, BrokerState, Snapshot};
use crate::model::time::Span;
use crate::narrate::format::Numerals;
use crate::narrate::words;

/// The columns of the CSV, in order; each is a key of [`record`] too. Times are in seconds,
/// rates in messages a second; an empty cell means that there is no such value.
pub const COLUMNS: [&str; 69] = [
    "t_seconds",
    "offered",
    "held_back",
    "rejected",
    "waiting",
    "in_flight",
    "done",
    "done_late",
    "done_wrong",
    "dropped_new",
    "dropped_oldest",
    "delayed",
    "dead_letters",
    "expired",
    "discarded",
    "retention_over",
    "deduplicated",
    "shed",
    "lost_sending",
    "failed_calls",
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
    "flawed_per_second_recent",
    "utilisation_recent",
    "waiting_time_mean_seconds",
    "waiting_time_p50_seconds",
    "waiting_time_p95_seconds",
    "waiting_time_p99_seconds",
    "waiting_time_max_seconds",
    "deliveries",
    "redeliveries",
    "failed_attempts",
    "dead_lettered",
    "redriven",
    "side_effects",
    "duplicate_side_effects",
    "skipped",
    "skipped_without_effect",
    "lost_in_hand",
    "skipped_late",
    "retries_refused",
    "consumers_alive",
    "downstream_asked",
    "downstream_answered",
    "downstream_pending",
    "broker_up",
    "broker_state",
    "broker_held_bytes",
    "broker_disk_bytes",
    "disk_alarm",
    "copies",
    "confirms_lost",
    "sent_again",
    "sends_given_up",
    "calls_timed_out",
    "logged",
    "state_hash",
];

/// The snapshot of `simulation` now, as one object with the keys of [`COLUMNS`] and [`LISTS`].
#[must_use]
pub fn record(simulation: &Simulation) -> Fields {
    let snapshot = simulation.snapshot();
    let mut values = ledger_values(&snapshot);
    values.extend(dial_values(&snapshot));
    values.extend(measured_values(&snapshot));
    values.extend(counted_values(&snapshot.network));
    values.extend(broker_values(&snapshot.broker));
    values.extend(sending_values(&snapshot.network.totals));
    values.push(count(snapshot.ledger.logged));
    let mut record: Fields =
        COLUMNS.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value)).collect();
    put(&mut record, "state_hash", text(&hash_text(simulation.state_hash())));
    record.extend(parts::lists(&snapshot.network));
    record
}

/// Adds what the page says and does to a record: `sentence`, `sentence_kind`, `is_playing`,
/// `speed`.
pub fn add_page(record: &mut Fields, app: &App) {
    let sentence = words::happening(&app.shown, &app.locale, Numerals::Screen);
    put(record, "sentence", text(&sentence));
    put(record, "sentence_kind", text(app.shown.happening.kind()));
    put(record, "is_playing", Json::Bool(app.is_playing()));
    put(record, "speed", decimal(&app.speed()));
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
pub fn csv_line(record: &Fields) -> String {
    let cell = |name: &&str| match json::field(record, name) {
        None | Some(Json::Null) => String::new(),
        Some(Json::Text(text)) => text.clone(),
        Some(other) => other.to_line(),
    };
    COLUMNS.iter().map(cell).collect::<Vec<_>>().join(",")
}

fn ledger_values(snapshot: &Snapshot) -> Vec<Json> {
    let ledger = &snapshot.ledger;
    vec![
        decimal(&snapshot.at),
        count(ledger.offered),
        count(ledger.held_back),
        count(ledger.rejected),
        count(ledger.waiting),
        count(ledger.in_flight),
        count(ledger.done),
        count(ledger.done_late),
        count(ledger.done_wrong),
        count(ledger.dropped_new),
        count(ledger.dropped_oldest),
        count(ledger.delayed),
        count(ledger.dead_letters),
        count(ledger.expired),
        count(ledger.discarded),
        count(ledger.retention_over),
        count(ledger.deduplicated),
        count(ledger.shed),
        count(ledger.lost_sending),
        count(ledger.failed_calls),
        span(snapshot.queue.oldest_age),
        span(snapshot.queue.newcomer_wait),
    ]
}

fn dial_values(snapshot: &Snapshot) -> Vec<Json> {
    let bound = match snapshot.queue.bound {
        Bound::None => text("none"),
        Bound::Messages(bound) => count(bound),
    };
    vec![
        thousandths(snapshot.outlook.growth_thousandths_per_second),
        decimal(&snapshot.producer.rate),
        decimal(&snapshot.consumers.rate_each),
        count(snapshot.consumers.count),
        bound,
        text(snapshot.queue.overflow.name()),
        Json::Bool(snapshot.producer.blocked_by.is_some()),
        count(snapshot.broker.held),
        count(snapshot.broker.memory),
        Json::Bool(snapshot.broker.memory_alarm),
    ]
}

fn measured_values(snapshot: &Snapshot) -> Vec<Json> {
    let flow = &snapshot.flow;
    let waits = &snapshot.waiting_time_overall;
    let wait = |value: Span| span((waits.count > 0).then_some(value));
    vec![
        decimal(&flow.rate_of(flow.accepted)),
        decimal(&flow.rate_of(flow.done)),
        decimal(&flow.rate_of(flow.flawed)),
        decimal(&Span::from_micros(u64::from(snapshot.consumers.utilisation_recent_millionths))),
        wait(waits.mean),
        wait(waits.p50),
        wait(waits.p95),
        wait(waits.p99),
        wait(waits.max),
    ]
}

fn counted_values(network: &NetworkSnapshot) -> Vec<Json> {
    let totals = &network.totals;
    let downstream = |value: fn(&DownstreamSnapshot) -> u64| {
        network.downstream.as_ref().map_or(Json::Null, |downstream| count(value(downstream)))
    };
    vec![
        count(network.deliveries()),
        count(network.redeliveries()),
        count(totals.failed_attempts),
        count(totals.dead_lettered),
        count(totals.redriven),
        count(totals.side_effects),
        count(totals.duplicate_side_effects),
        count(totals.skipped),
        count(totals.skipped_without_effect),
        count(totals.lost),
        count(totals.skipped_late),
        count(totals.retries_refused),
        count(network.pools.iter().map(|pool| pool.members).sum()),
        downstream(|downstream| downstream.asked),
        downstream(|downstream| downstream.answered),
        downstream(|downstream| downstream.pending),
    ]
}

fn sending_values(totals: &Totals) -> Vec<Json> {
    vec![
        count(totals.copies),
        count(totals.confirms_lost),
        count(totals.sent_again),
        count(totals.sends_given_up),
        count(totals.calls_timed_out),
    ]
}

fn broker_values(broker: &BrokerSnapshot) -> Vec<Json> {
    let state = match broker.state {
        BrokerState::Up => "up",
        BrokerState::Down => "down",
        BrokerState::FailingOver(_) => "failing-over",
    };
    vec![
        Json::Bool(broker.state == BrokerState::Up),
        text(state),
        count(broker.held_bytes),
        broker.disk.map_or(Json::Null, count),
        Json::Bool(broker.disk_alarm),
    ]
}

fn span(span: Option<Span>) -> Json {
    span.map_or(Json::Null, |span| decimal(&span))
}

fn thousandths(value: i64) -> Json {
    let rate = Rate::from_thousandths(value.unsigned_abs());
    if value < 0 { decimal(&format_args!("-{rate}")) } else { decimal(&rate) }
}

/// Every number of ours is written as a JSON number is.
fn decimal(number: &dyn Display) -> Json {
    Json::Number(number.to_string())
}

fn count(count: u64) -> Json {
    decimal(&count)
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

/// Sets a field, in its place where it is there already.
fn put(record: &mut Fields, name: &str, value: Json) {
    match record.iter_mut().find(|(own, _)| own == name) {
        Some((_, place)) => *place = value,
        None => record.push((name.to_owned(), value)),
    }
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
        assert_eq!(record.len(), COLUMNS.len() + LISTS.len());
        assert!(COLUMNS.iter().all(|name| json::field(&record, name).is_some()));
        let count = |name: &str| match json::field(&record, name) {
            Some(Json::Number(number)) => number.parse::<u64>().unwrap_or_default(),
            other => panic!("{name}: {other:?}"),
        };
        // From held_back to failed_calls: all the places where a message can be.
        let places = &COLUMNS[2..20];
        assert_eq!(places.last(), Some(&"failed_calls"));
        assert_eq!(count("offered") + count("copies"), places.iter().map(|place| count(place)).sum::<u64>());
        assert_eq!(csv_line(&record).split(',').count(), COLUMNS.len());
        assert_eq!(json::field(&record, "t_seconds"), Some(&Json::Number("20".into())));
    }
}
