//! The direct call without a queue: what its sender feels.

use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::network::CallTimes;
use queue_lab::model::time::Span;

use super::{consumer, does, run, set, to};

fn calling(of: &[(&str, &str)]) -> Simulation {
    run(&[&[("path", "direct"), ("p", "0"), ("c", "1")], of].concat())
}

fn burst(simulation: &mut Simulation, count: u64) {
    does(simulation, &[Command::Burst { count }]);
}

fn times(simulation: &Simulation) -> CallTimes {
    assert!(simulation.ledger().balances(), "{:?}", simulation.ledger());
    simulation.snapshot().network.producers[0].calls
}

#[test]
fn a_burst_is_felt_by_the_senders_of_direct_calls() {
    let mut direct = calling(&[]);
    burst(&mut direct, 3);
    to(&mut direct, 500);
    let ledger = direct.ledger();
    assert_eq!((ledger.held_back, ledger.in_flight, ledger.waiting), (2, 1, 0), "two wait, in no queue");
    to(&mut direct, 3_100);
    // Answered after 1, 2 and 3 s.
    let times = times(&direct);
    assert_eq!((direct.ledger().done, times.ended, times.waiting), (3, 3, 0));
    assert_eq!((times.mean(), times.max), (Some(Span::from_seconds(2)), Span::from_seconds(3)));
}

#[test]
fn calls_fail_at_once_while_nobody_is_there() {
    let mut stopped = calling(&[("p", "1"), ("c", "10")]);
    to(&mut stopped, 1_500);
    does(&mut stopped, &[Command::StopConsumers { pool: 0 }]);
    to(&mut stopped, 3_500);
    assert_eq!((stopped.ledger().done, stopped.ledger().failed_calls), (1, 2));
    does(&mut stopped, &[Command::StartConsumers { pool: 0 }]);
    to(&mut stopped, 4_500);
    assert_eq!((stopped.ledger().done, stopped.ledger().failed_calls), (2, 2));
}

#[test]
fn callers_that_wait_are_refused_when_the_last_consumer_goes() {
    let mut stopped = calling(&[]);
    burst(&mut stopped, 3);
    to(&mut stopped, 500);
    does(&mut stopped, &[Command::StopConsumers { pool: 0 }]);
    to(&mut stopped, 501);
    assert_eq!((stopped.ledger().failed_calls, stopped.ledger().in_flight), (2, 1));
    to(&mut stopped, 1_100);
    assert_eq!((stopped.ledger().done, times(&stopped).ended), (1, 3), "what was begun is finished");
}

#[test]
fn a_call_whose_consumer_dies_fails_and_nobody_tries_again() {
    let mut dying = calling(&[]);
    burst(&mut dying, 2);
    to(&mut dying, 500);
    does(&mut dying, &[consumer(0, ConsumerDoes::Crash), consumer(0, ConsumerDoes::Restart)]);
    to(&mut dying, 5_000);
    // The other one waited, and was refused when nobody was there: the restart came after that.
    assert_eq!((dying.ledger().failed_calls, dying.ledger().done), (2, 0));
    assert_eq!((dying.totals().side_effects, dying.remembered()), (0, 0));
}

#[test]
fn a_caller_waits_no_longer_than_its_timeout_and_work_that_was_begun_goes_on() {
    let mut slow = calling(&[("call_timeout", "1.5")]);
    burst(&mut slow, 3);
    to(&mut slow, 5_000);
    // The first is answered at 1 s. The second is begun then and given up at 1.5 s, but done at 2 s.
    // The third has waited in vain.
    let totals = *slow.totals();
    assert_eq!((totals.done, totals.calls_timed_out, totals.failed_calls), (2, 2, 1));
    let times = times(&slow);
    assert_eq!(
        (times.ended, times.total, times.max),
        (3, Span::from_millis(4_000), Span::from_millis(1_500))
    );
}

#[test]
fn equal_rates_never_drift_apart_without_a_queue_either() {
    let mut level = calling(&[("p", "6"), ("c", "6")]);
    to(&mut level, 3_600_000);
    let ledger = level.ledger();
    assert_eq!((ledger.offered, ledger.done, ledger.held_back), (21_600, 21_599, 0));
    assert!(times(&level).max <= Span::from_micros(166_668), "{}", times(&level).max);
}

#[test]
fn a_message_meets_the_same_fate_with_and_without_a_queue() {
    let dials = [("p", "5"), ("c", "100"), ("fail", "30"), ("poison", "5"), ("attempts", "1")];
    let mut queued = run(&dials);
    let mut direct = calling(&dials);
    to(&mut queued, 60_000);
    to(&mut direct, 60_000);
    assert!(queued.ledger().discarded > 70, "{:?}", queued.ledger());
    assert_eq!(queued.ledger().discarded, direct.ledger().failed_calls);
    assert_eq!(queued.ledger().done, direct.ledger().done);
}

#[test]
fn the_broker_has_no_part_in_a_direct_call() {
    let mut direct = calling(&[("p", "1"), ("c", "10"), ("capacity", "0"), ("memory", "1")]);
    does(&mut direct, &[Command::BrokerDown]);
    to(&mut direct, 5_500);
    assert_eq!((direct.ledger().done, direct.broker().held()), (5, 0));
    does(&mut direct, &[set("path", "queue")]);
    to(&mut direct, 8_500);
    assert_eq!((direct.ledger().done, direct.ledger().held_back), (5, 1), "a queue needs its broker");
}
