//! What single rules of the model promise, each in the smallest run that shows it. Many were once
//! broken: the name says what must not come back.

mod alerts;
mod brokers;
mod budgets;
mod calls;
mod consumers;
mod lanes_seen;
mod log_commits;
mod log_dead;
mod log_retries;
mod log_runs;
mod log_teams;
mod log_threads;
mod logs;
mod metrics;
mod schemas;
mod senders;
mod splitting;
mod trouble;
mod watched;

use std::rc::Rc;

use queue_lab::lesson::scenario_file;
use queue_lab::model::broker::QueueIndex;
use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{Definition, Settings};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;
use queue_lab::model::topology::{ConsumersNode, ProducerNode, QueueNode, Topology};

const FIRST: QueueIndex = QueueIndex(0);

/// Settings by their names in links.
fn settings(of: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (name, text) in of {
        let row = Definition::by_name(name).unwrap_or_else(|| panic!("no setting {name}"));
        let value = row.read(text).0.unwrap_or_else(|| panic!("{name} is not {text}"));
        assert!(settings.set(row.setting, value));
    }
    settings
}

fn run(of: &[(&str, &str)]) -> Simulation {
    Simulation::new(Rc::new(Scenario::with_settings(settings(of))))
}

/// The run of a scenario file with these fields.
fn file(fields: &str) -> Simulation {
    let (file, notices) = scenario_file::read(&format!(r#"{{"format":1,{fields}}}"#));
    assert_eq!(notices, [], "{fields}");
    Simulation::new(Rc::new(file.unwrap_or_default().scenario))
}

/// Two producers at the first queue, and two pools: one at each queue.
fn twos(of: &[(&str, &str)]) -> Simulation {
    let producer =
        |name: &str| ProducerNode { name: name.into(), to: "first".into(), ..ProducerNode::default() };
    let queue = |name: &str| QueueNode { name: name.into(), ..QueueNode::default() };
    let pool = |name: &str, from: &str| ConsumersNode {
        name: name.into(),
        from: from.into(),
        ..ConsumersNode::default()
    };
    let topology = Topology {
        producers: vec![producer("one"), producer("other")],
        queues: vec![queue("first"), queue("second")],
        consumers: vec![pool("workers", "first"), pool("others", "second")],
        ..Topology::default()
    };
    let scenario = Scenario::with_settings(settings(of)).with_topology(topology).expect("it is right");
    Simulation::new(Rc::new(scenario))
}

fn to(simulation: &mut Simulation, millis: u64) {
    let target = Instant::from_micros(millis * 1_000);
    assert_eq!(simulation.advance_to(target, 5_000_000), target, "it takes millions of events");
}

fn does(simulation: &mut Simulation, commands: &[Command]) {
    for command in commands {
        simulation.apply(*command).expect("it can be applied");
    }
}

fn set(name: &str, text: &str) -> Command {
    let row = Definition::by_name(name).expect("it is in the table");
    Command::Set { setting: row.setting, value: row.read(text).0.expect("it can be read") }
}

fn consumer(number: u16, does: ConsumerDoes) -> Command {
    Command::Consumer { pool: 0, number, does }
}

#[test]
fn a_free_consumer_takes_a_message_of_a_group_as_it_comes() {
    for bound in ["0", "60"] {
        let mut fifo = run(&[("broker", "sqs-fifo"), ("groups", "5"), ("capacity", bound), ("p", "2")]);
        to(&mut fifo, 500);
        assert_eq!((fifo.ledger().in_flight, fifo.ledger().waiting), (1, 0), "bound {bound}");
    }
}

#[test]
fn a_group_that_must_wait_gives_its_oldest_where_the_bound_asks_for_it() {
    let dials =
        [("broker", "sqs-fifo"), ("overflow", "drop-oldest"), ("capacity", "10"), ("p", "10"), ("c", "0")];
    let mut fifo = run(&dials);
    to(&mut fifo, 3_000);
    assert_eq!((fifo.ledger().waiting, fifo.ledger().dropped_oldest), (10, 19));
    does(&mut fifo, &[set("capacity", "3")]);
    to(&mut fifo, 3_001);
    assert_eq!(fifo.ledger().waiting, 3);
}

#[test]
fn one_of_a_group_is_out_at_a_time() {
    let mut fifo = run(&[("broker", "sqs-fifo"), ("workers", "8"), ("c", "1"), ("p", "20")]);
    to(&mut fifo, 2_500);
    assert_eq!(fifo.ledger().in_flight, 1);
}

#[test]
fn one_that_hangs_with_empty_hands_takes_a_message_and_finishes_nothing() {
    let mut hung = run(&[("p", "1"), ("c", "10")]);
    to(&mut hung, 1_500);
    does(&mut hung, &[consumer(0, ConsumerDoes::Hang)]);
    to(&mut hung, 4_500);
    assert_eq!((hung.ledger().done, hung.ledger().in_flight, hung.ledger().waiting), (1, 1, 2));
}

#[test]
fn a_drain_limit_holds_whatever_else_is_done_to_the_pool() {
    let mut limited = run(&[("drain", "1"), ("workers", "8"), ("p", "20"), ("c", "10")]);
    for second in 1..=20_u16 {
        to(&mut limited, u64::from(second) * 1_000 - 300);
        let number = second % 8;
        does(&mut limited, &[consumer(number, ConsumerDoes::Crash), consumer(number, ConsumerDoes::Restart)]);
        does(&mut limited, &[set("workers", if second % 2 == 0 { "8" } else { "5" })]);
        does(&mut limited, &[Command::StopConsumers { pool: 0 }, Command::StartConsumers { pool: 0 }]);
        does(&mut limited, &[Command::BrokerDown, Command::BrokerUp]);
    }
    let starts = limited.ledger().done + limited.ledger().in_flight;
    assert!((19..=20).contains(&starts), "{starts} starts in 20 seconds at one a second");
}

#[test]
fn a_drain_limit_of_zero_stops_the_pool_and_a_new_one_acts_at_once() {
    let mut limited = run(&[("drain", "0"), ("p", "20"), ("c", "10")]);
    to(&mut limited, 2_000);
    assert_eq!(limited.ledger().done + limited.ledger().in_flight, 0);
    does(&mut limited, &[set("drain", "0.001")]);
    to(&mut limited, 5_000);
    assert_eq!(limited.ledger().done, 1);
    does(&mut limited, &[set("drain", "10")]);
    to(&mut limited, 7_000);
    assert!(limited.ledger().done > 15, "{:?}", limited.ledger());
}

#[test]
fn a_drain_limit_loses_no_microsecond() {
    let mut limited = run(&[("drain", "36"), ("capacity", "none"), ("p", "50"), ("c", "100")]);
    to(&mut limited, 10_000_000);
    assert!(limited.ledger().done.abs_diff(360_000) <= 2, "{}", limited.ledger().done);
}

#[test]
fn blocked_producers_take_turns() {
    let mut both = twos(&[("overflow", "block"), ("capacity", "1"), ("p", "50"), ("c", "2")]);
    to(&mut both, 30_000);
    let offered: Vec<u64> =
        both.snapshot().network.producers.iter().map(|producer| producer.offered).collect();
    assert!(offered[0].abs_diff(offered[1]) <= 2, "{offered:?}");
}

#[test]
fn a_large_message_waits_until_there_is_room_for_its_bytes() {
    let dials = [("overflow", "block"), ("bytes", "100"), ("message_bytes", "60"), ("p", "10"), ("c", "1")];
    let mut blocked = run(&dials);
    to(&mut blocked, 5_500);
    assert_eq!((blocked.ledger().waiting, blocked.ledger().held_back), (1, 1));
}

#[test]
fn a_lease_ends_on_time_whoever_started_the_work() {
    let dials =
        [("broker", "sqs-standard"), ("visibility", "2"), ("p", "1"), ("c", "0.001"), ("workers", "3")];
    let mut leased = run(&dials);
    does(&mut leased, &[Command::StopConsumers { pool: 0 }]);
    to(&mut leased, 1_500);
    does(&mut leased, &[set("p", "0"), Command::StartConsumers { pool: 0 }]);
    to(&mut leased, 3_600);
    assert_eq!(leased.broker().queue(FIRST).counts().redeliveries, 1, "the lease began at 1.5 seconds");
}

#[test]
fn a_consumer_that_lost_its_leases_is_not_given_more_and_more() {
    let dials =
        [("broker", "sqs-standard"), ("visibility", "1"), ("prefetch", "5"), ("p", "5"), ("c", "0.001")];
    let mut slow = run(&dials);
    to(&mut slow, 30_000);
    assert_eq!(slow.broker().queue(FIRST).counts().deliveries, 5);
}

#[test]
fn a_consumer_that_was_started_again_has_its_hands_free() {
    let dials = [("broker", "sqs-standard"), ("visibility", "100"), ("p", "2"), ("c", "1")];
    let mut restarted = run(&dials);
    to(&mut restarted, 1_200);
    does(&mut restarted, &[consumer(0, ConsumerDoes::Crash), consumer(0, ConsumerDoes::Restart)]);
    to(&mut restarted, 5_000);
    assert!(restarted.ledger().done >= 3, "{:?}", restarted.ledger());
}

#[test]
fn what_has_no_lease_comes_back_from_a_crash_although_leases_are_on_by_now() {
    let mut switched = run(&[("p", "1"), ("c", "0.01")]);
    to(&mut switched, 1_000);
    does(&mut switched, &[set("p", "0"), set("visibility", "30"), consumer(0, ConsumerDoes::Crash)]);
    to(&mut switched, 100_000);
    assert_eq!((switched.ledger().in_flight, switched.ledger().waiting), (0, 1));
}

#[test]
fn one_that_hangs_finishes_nothing_even_if_the_answer_comes() {
    let mut hung = run(&[("downstream", "1"), ("c", "10"), ("p", "1")]);
    to(&mut hung, 1_500);
    does(&mut hung, &[consumer(0, ConsumerDoes::Hang)]);
    to(&mut hung, 10_000);
    assert_eq!(hung.ledger().done, 0);
}

#[test]
fn an_answer_in_time_is_not_given_up_later() {
    let mut answered = run(&[("downstream", "10"), ("timeout", "3"), ("c", "10"), ("p", "0.1")]);
    to(&mut answered, 60_000);
    assert_eq!((answered.totals().failed_attempts, answered.ledger().done), (0, 5));
}

#[test]
fn what_the_downstream_did_beyond_a_call_counts_for_the_next() {
    // A third of a microsecond beyond each of them makes one call in five hundred.
    let mut shared = run(&[("downstream", "3000"), ("workers", "64"), ("c", "1000"), ("p", "4000")]);
    to(&mut shared, 2_000);
    let before = shared.ledger().done;
    to(&mut shared, 5_000);
    assert!((shared.ledger().done - before).abs_diff(9_000) <= 2, "{}", shared.ledger().done - before);
}

#[test]
fn fewer_consumers_means_that_those_who_leave_get_nothing_more() {
    let mut leaving = run(&[("prefetch", "4"), ("workers", "3"), ("p", "20"), ("c", "1")]);
    to(&mut leaving, 2_000);
    does(&mut leaving, &[set("workers", "1")]);
    to(&mut leaving, 20_000);
    assert_eq!(leaving.ledger().in_flight, 4);
}

#[test]
fn attempts_without_time_do_not_stop_the_clock() {
    for place in ["queue", "retry-queue", "in-place"] {
        let dials = [("timeout", "0"), ("retry", place), ("delay", "0"), ("p", "10"), ("c", "1")];
        let mut hurried = run(&dials);
        to(&mut hurried, 101);
        assert!(hurried.totals().failed_attempts > 100, "{place}");
    }
}

#[test]
fn leases_without_time_do_not_stop_the_clock() {
    for broker in ["plain", "sqs-standard", "sqs-fifo"] {
        let mut hurried = run(&[("visibility", "0"), ("broker", broker), ("workers", "4"), ("p", "3")]);
        to(&mut hurried, 10_000);
        assert!(hurried.ledger().balances());
    }
}
