//! The direct call without a queue: what its sender feels.

use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::event::EventKind;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::network::CallTimes;
use queue_lab::model::time::Span;

use super::{consumer, does, file, run, set, to};

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

#[test]
fn only_what_a_consumer_began_was_taken_in() {
    let mut calls = calling(&[("call_timeout", "1.5"), ("fail", "100"), ("attempts", "1")]);
    burst(&mut calls, 4);
    to(&mut calls, 5_000);
    // Two were begun, and failed at 1 s and at 2 s; two waited in vain.
    let ledger = calls.ledger();
    assert_eq!((ledger.failed_calls, ledger.failed_calls_begun, ledger.accepted()), (4, 2, 2));
    does(&mut calls, &[Command::StopConsumers { pool: 0 }]);
    burst(&mut calls, 5);
    to(&mut calls, 9_500);
    assert_eq!((calls.ledger().failed_calls, calls.ledger().accepted()), (9, 2));
    assert_eq!(calls.snapshot().flow.accepted, 2, "in all seconds that are over");
}

#[test]
fn a_deadline_holds_for_calls_as_for_messages_in_a_queue() {
    let dials = [("p", "0"), ("c", "1"), ("deadline", "2.5")];
    for late in ["worked", "skipped"] {
        let mut queued = run(&[&dials[..], &[("late", late)]].concat());
        let mut direct = calling(&[&dials[..], &[("late", late)]].concat());
        for simulation in [&mut queued, &mut direct] {
            burst(simulation, 5);
            to(simulation, 10_000);
        }
        let counts = |simulation: &Simulation| {
            let ledger = simulation.ledger();
            (ledger.done, ledger.done_late, ledger.expired)
        };
        // Done at 1 and 2 s; begun at 2 s and done at 3 s; and too late as they are taken up at 3 s.
        let expected = if late == "worked" { (2, 3, 0) } else { (2, 1, 2) };
        assert_eq!((counts(&queued), counts(&direct)), (expected, expected), "{late}");
    }
}

/// One producer that sends through a queue, and one that calls the only consumer of the same queue.
fn both() -> Simulation {
    file(
        r#""topology":{
            "producers":[{"name":"sender","to":"line"},{"name":"caller","to":"line"}],
            "queues":[{"name":"line"}],"consumers":[{"name":"worker","from":"line"}]},
        "settings":{"sender.p":0,"caller.path":"direct","worker.c":1}"#,
    )
}

/// The messages in the order in which consumers began them: producer and number.
fn begun(simulation: &Simulation) -> Vec<(u16, u64)> {
    let starts = simulation.journal().last().filter(|event| event.kind == EventKind::Started);
    starts.map(|event| (event.message.producer_index(), event.message.number())).collect()
}

#[test]
fn a_free_consumer_takes_what_it_has_in_hand_then_the_caller_then_what_waits() {
    let mut mixed = both();
    let bursts = [(0, 4), (1, 2)].map(|(producer, count)| Command::BurstOf { producer, count });
    does(&mut mixed, &bursts);
    to(&mut mixed, 500);
    assert_eq!((mixed.ledger().waiting, mixed.ledger().held_back), (3, 2), "both wait for one consumer");
    to(&mut mixed, 1_500);
    // The first caller came before the second message, which the broker gave out all the same.
    assert_eq!((mixed.ledger().waiting, mixed.ledger().held_back, mixed.ledger().in_flight), (2, 1, 2));
    to(&mut mixed, 7_000);
    assert_eq!(begun(&mixed), [(0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (0, 4)]);
}

#[test]
fn a_consumer_that_hangs_takes_a_call_and_never_answers() {
    let mut hung = calling(&[("call_timeout", "2")]);
    does(&mut hung, &[consumer(0, ConsumerDoes::Hang)]);
    burst(&mut hung, 2);
    to(&mut hung, 5_000);
    assert_eq!((hung.totals().calls_timed_out, hung.ledger().failed_calls), (2, 1));
    assert_eq!(hung.ledger().in_flight, 1, "it has the other one, and nobody waits for it");
    does(&mut hung, &[consumer(0, ConsumerDoes::Restart)]);
    to(&mut hung, 5_001);
    assert_eq!((hung.ledger().failed_calls, times(&hung).ended), (2, 2));
}

#[test]
fn callers_are_refused_when_the_last_consumer_leaves() {
    let mut shrinking = calling(&[("workers", "2")]);
    does(&mut shrinking, &[consumer(0, ConsumerDoes::Crash)]);
    burst(&mut shrinking, 3);
    to(&mut shrinking, 500);
    assert_eq!((shrinking.ledger().in_flight, shrinking.ledger().held_back), (1, 2));
    does(&mut shrinking, &[set("workers", "1")]);
    to(&mut shrinking, 501);
    assert_eq!(
        (shrinking.ledger().failed_calls, shrinking.ledger().in_flight),
        (2, 1),
        "the crashed one stays"
    );
}

#[test]
fn a_limit_on_starts_holds_for_calls() {
    let mut limited = calling(&[("drain", "1"), ("workers", "8"), ("c", "10")]);
    burst(&mut limited, 20);
    to(&mut limited, 10_500);
    let ledger = limited.ledger();
    assert!((10..=11).contains(&(ledger.done + ledger.in_flight)), "{ledger:?}");
}

#[test]
fn the_ten_thousand_and_first_caller_is_refused() {
    let mut full = calling(&[("c", "0")]);
    burst(&mut full, 10_002);
    to(&mut full, 100);
    let ledger = full.ledger();
    assert_eq!((ledger.in_flight, ledger.held_back, ledger.failed_calls), (1, 10_000, 1));
}
