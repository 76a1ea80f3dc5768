//! When poison is reached that comes to a partition now: what is said of it, against what happens then.

use std::rc::Rc;

use queue_lab::lesson::scenario_file;
use queue_lab::model::command::Command;
use queue_lab::model::routes::TopicIndex;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::log::reached::{Reached, next_record};

use super::any_log::file;

const TOPIC: &str = r#"{ "name": "orders" }"#;
const ONE: &str = r#""groups": [ { "name": "billing", "from": "orders" } ]"#;

fn simulation(file: &str) -> Simulation {
    let (read, notices) = scenario_file::read(file);
    assert_eq!(notices, [], "{file}");
    Simulation::new(Rc::new(read.expect("it is a scenario").scenario))
}

/// Lets the next record of a partition fail, and says what is said and when it was tried first.
fn poisoned(settings: &str, at: u64, partition: u32) -> (Reached, Option<Span>) {
    let mut run = simulation(&file(TOPIC, ONE, settings));
    let then = Instant::from_seconds(at);
    run.advance_to(then, u64::MAX);
    let said = next_record(&run.snapshot(), run.settings(), partition, false);
    let poison = Command::PoisonPartition { topic: TopicIndex(0), partition, count: 1 };
    assert_eq!(run.apply(poison), Ok(()));
    (said, first_tried(&mut run, partition).map(|at| at.since(then)))
}

fn first_tried(run: &mut Simulation, partition: u32) -> Option<Instant> {
    let end = run.now() + Span::from_seconds(300);
    while run.now() < end {
        run.advance_to(run.now() + Span::from_millis(50), u64::MAX);
        let lane = run.snapshot().network.groups[0].partitions[partition as usize];
        if lane.head_fails && lane.head_attempts > 0 {
            return Some(run.now());
        }
    }
    None
}

/// Off by a second, or by a seventh.
fn is_about(said: Span, was: Span) -> bool {
    said.micros().abs_diff(was.micros()) <= 1_000_000.max(was.micros() / 7)
}

#[test]
fn it_is_reached_when_it_is_said_to_be() {
    let mut told = 0;
    for (dials, seconds) in [
        (r#""p": 6, "c": 4, "partitions": 1, "workers": 1"#, 30),
        (r#""p": 12, "c": 3, "partitions": 3, "workers": 3"#, 40),
        (r#""p": 12, "c": 5, "partitions": 3, "workers": 2"#, 30),
        (r#""p": 12, "c": 8, "partitions": 4, "workers": 1"#, 20),
        (r#""p": 6, "c": 10, "partitions": 3, "workers": 3"#, 20),
        (r#""p": 1, "c": 10, "partitions": 12, "workers": 12"#, 20),
        (r#""p": 40, "c": 7, "partitions": 6, "workers": 4"#, 25),
    ] {
        for partition in 0..3 {
            let partition = if dials.contains("\"partitions\": 1,") { 0 } else { partition };
            let (said, was) = poisoned(dials, seconds, partition);
            let was = was.unwrap_or_else(|| panic!("{dials}: it is never reached"));
            match said {
                Reached::AtOnce => assert!(was < Span::from_millis(1_100), "{dials} at {partition}: {was:?}"),
                Reached::About(span) => {
                    assert!(is_about(span, was), "{dials} at {partition}: {span:?} said, {was:?}");
                    told += 1;
                }
                other => panic!("{dials} at {partition}: {other:?}"),
            }
        }
    }
    assert!(told > 10, "{told}");
}

#[test]
fn no_time_is_told_where_nobody_knows() {
    for dials in [
        r#""p": 12, "c": 3, "partitions": 3, "keys": 40"#,
        r#""p": 12, "c": 3, "partitions": 3, "arrivals": "poisson""#,
        r#""p": 12, "c": 3, "partitions": 3, "work": "exponential""#,
        r#""p": 12, "c": 3, "partitions": 3, "fail": 10"#,
        r#""p": 12, "c": 3, "partitions": 3, "downstream": 5"#,
    ] {
        let (said, _) = poisoned(dials, 30, 0);
        assert!(matches!(said, Reached::Behind(_)), "{dials}: {said:?}");
    }
}

#[test]
fn a_partition_that_stands_still_is_told() {
    let settings = r#""p": 6, "c": 6, "partitions": 2, "retry_place": "in-place""#;
    let mut run = simulation(&file(TOPIC, ONE, settings));
    run.advance_to(Instant::from_seconds(5), u64::MAX);
    let poison = Command::PoisonPartition { topic: TopicIndex(0), partition: 1, count: 1 };
    assert_eq!(run.apply(poison), Ok(()));
    run.advance_to(Instant::from_seconds(15), u64::MAX);
    let said = |partition| next_record(&run.snapshot(), run.settings(), partition, false);
    assert_eq!(said(1), Reached::Stuck);
    assert_ne!(said(0), Reached::Stuck);
}

#[test]
fn a_partition_that_goes_on_after_some_attempts_is_not_said_to_stand_still() {
    for policy in [r#""attempts": 3, "retry_place": "in-place""#, r#""attempts": 1"#] {
        let settings = format!(r#""p": 12, "c": 3, "partitions": 3, "workers": 3, {policy}"#);
        let mut run = simulation(&file(TOPIC, ONE, &settings));
        run.advance_to(Instant::from_seconds(20), u64::MAX);
        let poison = Command::PoisonPartition { topic: TopicIndex(0), partition: 0, count: 1 };
        assert_eq!(run.apply(poison), Ok(()));
        run.advance_to(Instant::from_seconds(21), u64::MAX);
        while run.snapshot().network.groups[0].partitions[0].poison > 0
            || run.now() < Instant::from_seconds(25)
        {
            let said = next_record(&run.snapshot(), run.settings(), 0, false);
            assert_ne!(said, Reached::Stuck, "{settings}: at {}", run.now());
            if run.snapshot().network.groups[0].partitions[0].poison > 0 {
                assert!(matches!(said, Reached::Behind(_)), "{said:?}");
            }
            run.advance_to(run.now() + Span::from_millis(200), u64::MAX);
        }
    }
}

#[test]
fn nothing_is_taken_at_once_while_the_broker_is_down_or_its_reader_cannot_read_it() {
    let settings = r#""p": 2, "c": 10, "partitions": 1, "schema": "change-type""#;
    for command in [Command::BrokerDown, Command::ChangeSchema { producer: 0 }] {
        let mut run = simulation(&file(TOPIC, ONE, settings));
        run.advance_to(Instant::from_seconds(5) + Span::from_millis(300), u64::MAX);
        let said = |run: &Simulation| next_record(&run.snapshot(), run.settings(), 0, true);
        assert_eq!(said(&run), Reached::AtOnce);
        assert_eq!(run.apply(command), Ok(()));
        assert_eq!(said(&run), Reached::Behind(0), "{command:?}");
    }
}

#[test]
fn who_is_busy_in_another_partition_takes_nothing_at_once() {
    let mut run = simulation(&file(TOPIC, ONE, r#""p": 0.25, "c": 0.2, "partitions": 2, "workers": 1"#));
    let mut told = 0;
    for millis in (0..60_000).step_by(500) {
        run.advance_to(Instant::START + Span::from_millis(millis), u64::MAX);
        let lanes = run.snapshot().network.groups[0].partitions.clone();
        for (partition, own, other) in [(0, 0, 1), (1, 1, 0)] {
            if lanes[own].lag == 0 && lanes[other].in_hand > 0 {
                let said = next_record(&run.snapshot(), run.settings(), partition, true);
                assert!(matches!(said, Reached::About(_)), "{said:?} with {lanes:?}");
                told += 1;
            }
        }
    }
    assert!(told > 0);
}
