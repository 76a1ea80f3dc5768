//! What follows from crashes, leases and limits, in runs of a few seconds.

use std::convert::Infallible;

use queue_lab::app::replay;
use queue_lab::lesson::scenario_file;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::{BlockedBy, BrokerState};
use queue_lab::model::time::{Instant, Span};

/// Runs the fields of a scenario file until then.
fn run(fields: &str, until_millis: u64) -> Simulation {
    let (file, notices) = scenario_file::read(&format!(r#"{{"format":1,{fields}}}"#));
    assert_eq!(notices, [], "{fields}");
    let scenario = file.unwrap_or_default().scenario;
    let until = Instant::from_micros(until_millis * 1_000);
    let end = replay::replay(scenario, Some(until), Span::from_seconds(1), |_| Ok::<(), Infallible>(()));
    end.unwrap_or_else(|never| match never {})
}

#[test]
fn a_consumer_that_is_started_again_need_not_wait_for_its_old_lease() {
    let fields = r#"
        "settings": { "p": 0, "c": 1, "broker": "sqs-standard" },
        "commands": [
            { "do": "burst", "messages": 2 },
            { "at": 0.5, "do": "crash" },
            { "at": 1, "do": "restart" }
        ]"#;
    assert_eq!(run(fields, 3_000).ledger().done, 1, "the second message, while the first is still hidden");
    let end = run(fields, 32_000);
    assert_eq!((end.ledger().done, end.totals().side_effects), (2, 2), "the first, after its lease of 30 s");
}

#[test]
fn a_drain_limit_holds_whatever_is_done_to_the_pool() {
    let fields = r#"
        "settings": { "p": 100, "c": 100, "workers": 4, "capacity": "none", "drain": 10 },
        "commands": [
            { "at": 1.05, "do": "set", "settings": { "workers": 8 } },
            { "at": 2.05, "do": "crash", "number": 1 },
            { "at": 2.06, "do": "restart", "number": 1 },
            { "at": 3.05, "do": "stop" },
            { "at": 3.06, "do": "start" }
        ]"#;
    let done = run(fields, 10_000).ledger().done;
    assert!((99..=100).contains(&done), "{done} in 10 s at 10 a second");
}

#[test]
fn what_was_in_hand_while_the_broker_went_down_is_done_twice() {
    let fields = r#"
        "settings": { "p": 0, "c": 1 },
        "commands": [
            { "do": "burst", "messages": 2 },
            { "at": 0.5, "do": "broker-down" },
            { "at": 0.6, "do": "broker-up" }
        ]"#;
    let between = run(fields, 900).ledger();
    assert_eq!((between.waiting, between.in_flight), (2, 0), "the consumer is busy with what it lost");
    let end = run(fields, 3_000);
    assert_eq!(
        (end.ledger().done, end.totals().side_effects, end.totals().duplicate_side_effects),
        (2, 3, 1)
    );
}

#[test]
fn a_broker_that_is_down_is_what_a_producer_waits_for() {
    let down = run(r#""commands": [ { "at": 1, "do": "broker-down" } ]"#, 3_000).snapshot();
    assert_eq!(down.producer.blocked_by, Some(BlockedBy::BrokerDown));
    assert_eq!(down.broker.state, BrokerState::Down);
    assert_eq!((down.ledger.offered, down.ledger.held_back), (7, 1));
}
