//! Brokers that fail over or run out of disk, and what single kinds of queue promise.

use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::event::EventKind;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::{BlockedBy, BrokerState, BrokerTrouble};
use queue_lab::model::time::Span;

use super::{FIRST, consumer, does, file, run, set, to};

/// Who sent what was finished, and its number, in order.
fn finished(simulation: &Simulation) -> Vec<(u16, u64)> {
    let finishes = simulation.journal().last().filter(|event| event.kind == EventKind::Finished);
    finishes.map(|event| (event.message.producer_index(), event.message.number())).collect()
}

/// Who has messages of the first queue.
fn holders(simulation: &Simulation) -> Vec<u32> {
    let in_flight = simulation.broker().queue(FIRST).in_flight_with();
    let mut holders: Vec<u32> = in_flight.map(|(_, who)| who.0).collect();
    holders.dedup();
    holders
}

#[test]
fn a_broker_that_fails_over_is_down_for_so_long_and_comes_up_by_itself() {
    let mut failing = run(&[("p", "1"), ("c", "10")]);
    to(&mut failing, 2_500);
    does(&mut failing, &[Command::FailOver { duration: Span::from_seconds(3) }]);
    to(&mut failing, 4_000);
    let during = failing.snapshot();
    assert_eq!(during.broker.state, BrokerState::FailingOver(Span::from_millis(1_500)));
    assert_eq!(during.broker.trouble(), Some(BrokerTrouble::FailingOver));
    assert_eq!(during.producer.blocked_by, Some(BlockedBy::FailingOver));
    assert_eq!((during.ledger.done, during.ledger.held_back), (2, 1), "the third came at 3 s");
    // At 5.5 s it goes in, and the gap of a second begins.
    to(&mut failing, 6_400);
    assert_eq!((failing.ledger().done, failing.broker_state()), (3, BrokerState::Up));
    to(&mut failing, 6_700);
    assert_eq!(failing.ledger().done, 4);
    let told: Vec<_> = failing.journal().last().map(|event| event.kind).collect();
    assert!(told.contains(&EventKind::FailingOver) && told.contains(&EventKind::FailedOver));
}

#[test]
fn what_was_in_flight_as_the_broker_failed_over_waits_again_and_is_done_twice() {
    let mut failing = run(&[("p", "0"), ("c", "1")]);
    does(&mut failing, &[Command::Burst { count: 1 }]);
    to(&mut failing, 500);
    does(&mut failing, &[Command::FailOver { duration: Span::from_millis(100) }]);
    to(&mut failing, 550);
    assert_eq!((failing.ledger().waiting, failing.ledger().in_flight), (1, 0));
    to(&mut failing, 3_000);
    let totals = failing.totals();
    assert_eq!((totals.done, totals.side_effects, totals.duplicate_side_effects), (1, 2, 1));
}

#[test]
fn somebody_may_start_or_stop_a_broker_that_fails_over() {
    let minute = Command::FailOver { duration: Span::from_seconds(60) };
    let mut early = run(&[]);
    does(&mut early, &[minute, Command::BrokerUp]);
    assert_eq!(early.broker_state(), BrokerState::Up);
    let mut stopped = run(&[]);
    does(&mut stopped, &[minute, Command::BrokerDown]);
    to(&mut stopped, 100_000);
    assert_eq!(stopped.broker_state(), BrokerState::Down, "for good");
}

#[test]
fn a_full_disk_blocks_every_producer_and_the_consumers_go_on() {
    let mut full = run(&[("message_bytes", "100"), ("disk", "1000"), ("p", "10"), ("c", "0")]);
    to(&mut full, 950);
    let before = full.snapshot();
    assert_eq!((before.broker.held_bytes, before.broker.disk_alarm), (900, false));
    to(&mut full, 5_000);
    let alarmed = full.snapshot();
    assert_eq!((alarmed.broker.held_bytes, alarmed.broker.disk_alarm), (1_000, true));
    assert_eq!(alarmed.producer.blocked_by, Some(BlockedBy::DiskAlarm));
    // One is in flight; policy and bound of the queue say nothing to this.
    let ledger = alarmed.ledger;
    assert_eq!((ledger.waiting, ledger.in_flight, ledger.held_back, ledger.dropped_new), (9, 1, 1, 0));
    does(&mut full, &[set("c", "10")]);
    to(&mut full, 5_150);
    let ledger = full.ledger();
    assert_eq!((ledger.done, ledger.waiting, ledger.held_back), (1, 9, 0), "the one that waited went in");
    does(&mut full, &[set("disk", "none")]);
    assert!(!full.snapshot().broker.disk_alarm);
}

#[test]
fn dead_letters_and_delayed_messages_fill_the_disk_too() {
    let dials = [("message_bytes", "100"), ("disk", "300"), ("p", "1"), ("c", "10"), ("fail", "100")];
    let dead = [("dlq", "kept"), ("attempts", "1")];
    let mut dead = run(&[&dials[..], &dead[..]].concat());
    to(&mut dead, 10_000);
    assert_eq!((dead.ledger().dead_letters, dead.ledger().held_back), (3, 1));
    let delayed = [("retry", "retry-queue"), ("delay", "3600")];
    let mut delayed = run(&[&dials[..], &delayed[..]].concat());
    to(&mut delayed, 10_000);
    assert_eq!((delayed.ledger().delayed, delayed.ledger().held_back), (3, 1));
    assert!(delayed.snapshot().broker.disk_alarm);
}

#[test]
fn on_a_quorum_queue_two_messages_of_high_priority_go_for_one_of_normal() {
    let mut queue = file(
        r#"
        "topology": {
            "producers": [ { "name": "bulk", "to": "queue" }, { "name": "urgent", "to": "queue" } ]
        },
        "settings": { "p": 0, "c": 1, "broker": "rabbitmq-quorum-4.0", "urgent.priority": 5 },
        "commands": [
            { "do": "stop" },
            { "do": "burst", "messages": 4 },
            { "at": 1, "do": "burst", "messages": 4, "producer": "urgent" },
            { "at": 2, "do": "start" }
        ]"#,
    );
    to(&mut queue, 10_500);
    assert_eq!(finished(&queue), [(1, 1), (1, 2), (0, 1), (1, 3), (1, 4), (0, 2), (0, 3), (0, 4)]);
}

#[test]
fn free_consumers_take_turns_and_the_one_that_finished_last_comes_last() {
    let mut free = run(&[("workers", "3"), ("p", "1"), ("c", "10")]);
    let mut turns = Vec::new();
    for second in 1..=6 {
        to(&mut free, second * 1_000 + 50);
        turns.extend(holders(&free));
    }
    assert_eq!(turns, [0, 1, 2, 0, 1, 2]);
}

#[test]
fn a_single_active_consumer_that_leaves_nothing_behind_is_replaced_at_once() {
    let dials = [("single_active", "on"), ("workers", "2"), ("visibility", "1"), ("p", "0"), ("c", "0.1")];
    let mut alone = run(&dials);
    does(&mut alone, &[Command::Burst { count: 1 }]);
    to(&mut alone, 2_000);
    assert_eq!((holders(&alone), alone.ledger().waiting), (vec![], 1), "its lease ran out, and it goes on");
    does(&mut alone, &[consumer(0, ConsumerDoes::Crash)]);
    assert_eq!((holders(&alone), alone.ledger().waiting), (vec![1], 0));
}

#[test]
fn a_single_active_consumer_works_alone_and_the_next_takes_over_when_it_is_gone() {
    let dials = [("single_active", "on"), ("workers", "3"), ("prefetch", "2"), ("p", "0"), ("c", "1")];
    let mut alone = run(&dials);
    does(&mut alone, &[Command::Burst { count: 10 }]);
    to(&mut alone, 2_500);
    assert_eq!((holders(&alone), alone.ledger().done, alone.ledger().in_flight), (vec![0], 2, 2));
    does(&mut alone, &[consumer(0, ConsumerDoes::Crash)]);
    to(&mut alone, 4_600);
    assert_eq!((holders(&alone), alone.ledger().done), (vec![1], 4), "one second each from 2.5 s on");
    // There are to be fewer: the second consumer answers what it has, and only then the first,
    // started again, takes over.
    does(&mut alone, &[consumer(0, ConsumerDoes::Restart), set("workers", "1")]);
    assert_eq!((holders(&alone), alone.ledger().in_flight), (vec![1], 2));
    to(&mut alone, 6_600);
    assert_eq!((holders(&alone), alone.ledger().done), (vec![0], 6));
}

#[test]
fn the_next_active_consumer_starts_at_once_where_only_a_lease_tells_of_the_crash() {
    let dials = [("single_active", "on"), ("visibility", "30"), ("workers", "2"), ("p", "0"), ("c", "1")];
    let mut alone = run(&dials);
    does(&mut alone, &[Command::Burst { count: 3 }]);
    to(&mut alone, 500);
    does(&mut alone, &[consumer(0, ConsumerDoes::Crash)]);
    assert_eq!((alone.ledger().waiting, alone.ledger().in_flight), (1, 2), "one leased, one worked on");
    to(&mut alone, 2_500);
    assert_eq!((alone.ledger().done, alone.ledger().in_flight), (2, 1), "and the lease runs on");
}

#[test]
fn the_next_active_consumer_starts_at_once_where_nothing_comes_back_from_the_crash() {
    // What the first one works on is taken away at 2 s, and it dies as it is done with it.
    let dials = [("single_active", "on"), ("retention", "2"), ("workers", "2"), ("p", "0"), ("c", "0.4")];
    let mut alone = run(&dials);
    does(&mut alone, &[Command::Burst { count: 1 }, consumer(0, ConsumerDoes::CrashFinishing)]);
    to(&mut alone, 2_100);
    does(&mut alone, &[Command::Burst { count: 1 }]);
    to(&mut alone, 2_600);
    let ledger = alone.ledger();
    assert_eq!((ledger.retention_over, ledger.waiting, ledger.in_flight), (1, 0, 1), "{ledger:?}");
}
