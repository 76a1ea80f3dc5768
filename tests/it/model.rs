//! The known numbers of the work queue, and what the dials promise.

use std::rc::Rc;

use queue_lab::model::command::{Command, TimedCommand};
use queue_lab::model::event::EventKind;
use queue_lab::model::outlook::NextEvent;
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{
    ArrivalPattern, Bound, OverflowPolicy, ServiceTime, Setting, Settings, Value,
};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::{BlockedBy, Snapshot};
use queue_lab::model::time::{Instant, Span};

const NO_LIMIT: u64 = u64::MAX;

fn dials(p: u64, c: u64) -> Settings {
    Settings {
        producer_rate: Rate::from_per_second(p),
        consumer_rate: Rate::from_per_second(c),
        ..Settings::default()
    }
}

fn run(settings: Settings) -> Simulation {
    Simulation::new(Rc::new(Scenario::with_settings(settings)))
}

fn at(simulation: &mut Simulation, millis: u64) -> Snapshot {
    let target = Instant::from_micros(millis * 1_000);
    assert_eq!(simulation.advance_to(target, NO_LIMIT), target);
    simulation.snapshot()
}

fn set_rate(simulation: &mut Simulation, setting: Setting, per_second: u64) {
    let value = Value::Rate(Rate::from_per_second(per_second));
    assert_eq!(simulation.apply(Command::Set { setting, value }), Ok(()));
}

#[test]
fn n13_matched_rates_leave_nothing_waiting_for_eight_days() {
    let mut simulation = run(dials(6, 6));
    for second in 1..=8 * 86_400 {
        simulation.advance_to(Instant::from_seconds(second), NO_LIMIT);
        assert_eq!(simulation.ledger().waiting, 0, "at {second} s");
    }
    assert_eq!(simulation.ledger().offered, 6 * 8 * 86_400);
    assert_eq!(simulation.snapshot().waiting_time_overall.max, Span::ZERO);
}

#[test]
fn matched_rates_do_not_drift_whatever_the_rates_and_the_number_of_consumers() {
    for (producer, consumer, count) in
        [(7_000, 7_000, 1), (6_000, 2_000, 3), (333, 333, 1), (12_345, 2_469, 5), (64_000, 1_000, 64)]
    {
        let mut simulation = run(Settings {
            producer_rate: Rate::from_thousandths(producer),
            consumer_rate: Rate::from_thousandths(consumer),
            consumer_count: count,
            ..Settings::default()
        });
        for second in 1..=20_000 {
            simulation.advance_to(Instant::from_seconds(second), NO_LIMIT);
            assert_eq!(
                simulation.ledger().waiting,
                0,
                "{producer} in, {count} x {consumer} out, at {second} s"
            );
        }
    }
}

#[test]
fn eight_against_six_is_full_at_thirty_seconds_and_first_a_quarter_second_before() {
    let mut simulation = run(dials(8, 6));
    let mut first_full = None;
    for quarter in 1..=120 {
        let snapshot = at(&mut simulation, quarter * 250);
        if snapshot.queue.waiting == 60 && first_full.is_none() {
            first_full = Some(snapshot.at);
        }
    }
    assert_eq!(first_full, Some(Instant::from_micros(29_750_000)));
    assert_eq!(simulation.snapshot().queue.waiting, 60);
}

#[test]
fn the_outlook_says_when_it_will_be_full_all_the_way() {
    let mut simulation = run(dials(8, 6));
    let full_at = Instant::from_micros(29_750_000);
    for quarter in 0..119 {
        let snapshot = at(&mut simulation, quarter * 250);
        let NextEvent::FullIn(span) = snapshot.outlook.next else {
            panic!("at {}: {:?}", snapshot.at, snapshot.outlook)
        };
        let truly = full_at.since(snapshot.at);
        let error = span.micros().abs_diff(truly.micros());
        assert!(
            error <= (truly.micros() / 20).max(1_000_000),
            "at {}: said {span}, was {truly}",
            snapshot.at
        );
    }
}

#[test]
fn n16_a_queue_of_eight_against_six_then_ten() {
    let settings = Settings { queue_bound: Bound::None, ..dials(8, 6) };
    let mut simulation = run(settings);
    let snapshot = at(&mut simulation, 30_000);
    assert_eq!((snapshot.queue.waiting, snapshot.ledger.in_flight), (60, 1));
    assert_eq!(snapshot.queue.oldest_age, Some(Span::from_micros(7_375_000)));
    set_rate(&mut simulation, Setting::ConsumerRate, 10);
    let nearly = at(&mut simulation, 59_000);
    assert!(nearly.queue.waiting > 0);
    let drained = at(&mut simulation, 60_250);
    assert_eq!(drained.queue.waiting, 0);
}

#[test]
fn n17_a_larger_bound_refuses_as_many_and_makes_them_wait_longer() {
    for (bound, full_after, waits) in [(60, 30, 10), (120, 60, 20)] {
        let settings =
            Settings { queue_bound: Bound::Messages(bound), overflow: OverflowPolicy::Reject, ..dials(8, 6) };
        let mut simulation = run(settings);
        let full = at(&mut simulation, full_after * 1_000);
        assert_eq!((full.queue.waiting, full.ledger.rejected), (bound, 0));
        let later = at(&mut simulation, full_after * 1_000 + 100_000);
        assert_eq!(later.ledger.rejected, 200, "2 a second");
        assert_eq!(later.flow.rejected, 20);
        let wait = later.queue.newcomer_wait.unwrap_or_default();
        assert!(wait.micros().abs_diff(waits * 1_000_000) <= 250_000, "{wait}");
    }
}

#[test]
fn a_newcomer_to_a_full_line_that_drops_the_oldest_moves_as_fast_as_messages_arrive() {
    let settings = Settings { overflow: OverflowPolicy::DropOldest, ..dials(12, 6) };
    let mut simulation = run(settings);
    let full = at(&mut simulation, 60_000);
    assert_eq!(full.queue.newcomer_wait, Some(Span::from_seconds(5)), "60 places at 12 a second");
    // Those that were served lately waited as long, give or take a service.
    let waited = at(&mut simulation, 180_000).waiting_time_recent;
    assert!(waited.p50.micros().abs_diff(5_000_000) <= 333_000, "{waited:?}");
}

#[test]
fn n1_consumers_that_finish_four_of_five_fall_twelve_minutes_behind_in_an_hour() {
    let settings = Settings { queue_bound: Bound::None, ..dials(10, 8) };
    let snapshot = at(&mut run(settings), 3_600_000);
    let wait = snapshot.queue.newcomer_wait.unwrap_or_default();
    let age = snapshot.queue.oldest_age.unwrap_or_default();
    assert!(wait.micros().abs_diff(15 * 60_000_000) <= 250_000, "{wait}");
    assert!(age.micros().abs_diff(12 * 60_000_000) <= 250_000, "{age}");
}

/// A blocked producer is let in at every finish and blocked again at its next message.
fn is_blocked_within_a_quarter_second(simulation: &mut Simulation) -> bool {
    let start = simulation.now();
    (1..=250_u64).any(|milli| {
        simulation.advance_to(start + Span::from_millis(milli), NO_LIMIT);
        simulation.blocked_by().is_some()
    })
}

#[test]
fn each_policy_does_what_it_says_once_the_queue_is_full() {
    for policy in OverflowPolicy::ALL {
        let mut simulation = run(Settings { overflow: *policy, ..dials(8, 6) });
        let snapshot = at(&mut simulation, 130_000);
        let ledger = snapshot.ledger;
        let offered = if *policy == OverflowPolicy::Block { 840 } else { 1_040 };
        assert!(ledger.offered.abs_diff(offered) <= 2, "{policy:?}: {ledger:?}");
        assert!(snapshot.queue.waiting >= 59, "{policy:?}: {ledger:?}");
        let refused = [ledger.rejected, ledger.dropped_new, ledger.dropped_oldest];
        let expected = match policy {
            OverflowPolicy::Block => [0, 0, 0],
            OverflowPolicy::Reject => [200, 0, 0],
            OverflowPolicy::DropNew => [0, 200, 0],
            OverflowPolicy::DropOldest => [0, 0, 200],
        };
        let close = refused.iter().zip(expected).all(|(found, wanted)| found.abs_diff(wanted) <= 1);
        assert!(close, "{policy:?}: {refused:?}");
        assert_eq!(is_blocked_within_a_quarter_second(&mut simulation), *policy == OverflowPolicy::Block);
    }
}

#[test]
fn the_victim_is_the_message_that_the_policy_names() {
    let first_loss = |policy| {
        let mut simulation = run(Settings { overflow: policy, ..dials(8, 6) });
        simulation.advance_to(Instant::from_seconds(31), NO_LIMIT);
        let lost = |event: &&_| {
            matches!(**event, EventKind::Rejected | EventKind::DroppedNew | EventKind::DroppedOldest)
        };
        let event = simulation.journal().last().find(|event| lost(&&event.kind)).copied();
        event.map(|event| (event.kind, event.message.number(), event.at))
    };
    let instant = Instant::from_micros(30_250_000);
    assert_eq!(first_loss(OverflowPolicy::Reject), Some((EventKind::Rejected, 242, instant)));
    assert_eq!(first_loss(OverflowPolicy::DropNew), Some((EventKind::DroppedNew, 242, instant)));
    assert_eq!(first_loss(OverflowPolicy::DropOldest), Some((EventKind::DroppedOldest, 182, instant)));
    assert_eq!(first_loss(OverflowPolicy::Block), None);
}

#[test]
fn a_blocked_producer_wants_eight_and_gets_six_in() {
    let mut simulation = run(Settings { overflow: OverflowPolicy::Block, ..dials(8, 6) });
    let snapshot = at(&mut simulation, 99_950);
    assert_eq!(snapshot.producer.blocked_by, Some(BlockedBy::Bound));
    assert_eq!(snapshot.producer.held_back, 1);
    assert_eq!((snapshot.flow.accepted, snapshot.flow.done), (60, 60));
    assert_eq!(snapshot.ledger.refused_or_dropped(), 0);
}

#[test]
fn an_unbounded_queue_raises_the_memory_alarm_and_blocks_its_publishers() {
    let settings = Settings { queue_bound: Bound::None, broker_memory: 100, ..dials(8, 6) };
    let mut simulation = run(settings);
    let before = at(&mut simulation, 40_000);
    assert!(!before.broker.memory_alarm);
    let after = at(&mut simulation, 59_950);
    assert_eq!((after.broker.memory_alarm, after.broker.held), (true, 100));
    assert_eq!(after.producer.blocked_by, Some(BlockedBy::MemoryAlarm));
    set_rate(&mut simulation, Setting::ProducerRate, 0);
    let drained = at(&mut simulation, 80_000);
    assert_eq!(
        (drained.broker.memory_alarm, drained.producer.blocked_by, drained.ledger.waiting),
        (false, None, 0)
    );
}

#[test]
fn a_dial_moved_from_a_hundredth_to_ten_acts_at_once() {
    let slow = Settings { producer_rate: Rate::from_thousandths(10), ..dials(0, 20) };
    let mut simulation = run(slow);
    assert_eq!(at(&mut simulation, 50_000).ledger.offered, 0);
    set_rate(&mut simulation, Setting::ProducerRate, 10);
    // Half of the gap was over, so the next message comes after half of a tenth of a second.
    assert_eq!(at(&mut simulation, 50_050).ledger.offered, 1);
    assert_eq!(at(&mut simulation, 60_050).ledger.offered, 101);

    let mut stuck = run(Settings { consumer_rate: Rate::from_thousandths(10), ..dials(6, 0) });
    assert_eq!(at(&mut stuck, 20_000).ledger.done, 0);
    set_rate(&mut stuck, Setting::ConsumerRate, 10);
    assert_eq!(at(&mut stuck, 20_100).ledger.done, 1);
}

#[test]
fn rate_zero_freezes_both_sides() {
    let mut simulation = run(dials(0, 0));
    let snapshot = at(&mut simulation, 1_000_000);
    assert_eq!(snapshot.ledger.offered, 0);
    assert_eq!(simulation.next_instant(), None);
    set_rate(&mut simulation, Setting::ProducerRate, 6);
    assert_eq!(
        at(&mut simulation, 1_010_000).queue.waiting,
        59,
        "one is with the consumer, which does nothing"
    );
}

#[test]
fn consumers_beyond_the_count_finish_what_they_hold_and_leave() {
    let mut simulation = run(Settings { consumer_count: 4, ..dials(8, 1) });
    assert_eq!(at(&mut simulation, 10_200).ledger.in_flight, 4);
    let value = Value::Count(1);
    assert_eq!(simulation.apply(Command::Set { setting: Setting::ConsumerCount, value }), Ok(()));
    let leaving = simulation.snapshot();
    assert_eq!(leaving.consumers.each.iter().filter(|consumer| consumer.is_stopping).count(), 3);
    assert_eq!(leaving.ledger.in_flight, 4, "the dial takes no message away from anybody");
    let left = at(&mut simulation, 12_000);
    assert_eq!((left.ledger.in_flight, left.consumers.each.len()), (1, 1));
}

#[test]
fn a_lowered_bound_keeps_what_waits_unless_the_oldest_is_dropped() {
    for (policy, left) in [(OverflowPolicy::Reject, 60), (OverflowPolicy::DropOldest, 10)] {
        let mut simulation = run(Settings { overflow: policy, ..dials(8, 0) });
        assert_eq!(at(&mut simulation, 20_000).queue.waiting, 60);
        let value = Value::Bound(Bound::Messages(10));
        assert_eq!(simulation.apply(Command::Set { setting: Setting::QueueBound, value }), Ok(()));
        assert_eq!(at(&mut simulation, 20_000).queue.waiting, left, "{policy:?}");
    }
}

#[test]
fn a_burst_of_two_million_is_worked_off_in_slices_and_counted_at_once() {
    let settings = Settings { queue_bound: Bound::None, ..dials(0, 400) };
    let mut simulation = run(settings);
    assert_eq!(simulation.apply(Command::Burst { count: 2_000_000 }), Ok(()));
    let mut calls = 0;
    while !simulation.is_complete() {
        simulation.advance_to(Instant::START, 10_000);
        assert!(simulation.ledger().balances());
        calls += 1;
    }
    assert_eq!(calls, 200);
    assert_eq!(simulation.ledger().waiting, 1_999_999);
    let snapshot = at(&mut simulation, 4_500_000);
    assert_eq!(snapshot.ledger.waiting + snapshot.ledger.in_flight, 200_000);
    assert_eq!(snapshot.queue.oldest_age, Some(Span::from_seconds(4_500)));
}

#[test]
fn a_burst_that_finds_a_blocking_queue_stays_in_the_producers_hand() {
    let mut simulation = run(Settings { overflow: OverflowPolicy::Block, ..dials(0, 6) });
    assert_eq!(simulation.apply(Command::Burst { count: 100 }), Ok(()));
    let full = at(&mut simulation, 0);
    assert_eq!((full.ledger.waiting, full.ledger.in_flight, full.ledger.held_back), (60, 1, 39));
    let later = at(&mut simulation, 5_000);
    assert_eq!((later.ledger.waiting, later.ledger.done, later.ledger.held_back), (60, 30, 9));
    assert_eq!(at(&mut simulation, 17_000).ledger.done, 100);
}

#[test]
fn a_command_waits_until_the_instant_that_is_being_worked_off_is_complete() {
    let mut simulation = run(Settings { queue_bound: Bound::None, ..dials(0, 0) });
    assert_eq!(simulation.apply(Command::Burst { count: 1_000 }), Ok(()));
    simulation.advance_to(Instant::START, 10);
    set_rate(&mut simulation, Setting::ConsumerRate, 10);
    assert_eq!(simulation.settings().consumer_rate, Rate::ZERO);
    simulation.advance_to(Instant::START, NO_LIMIT);
    assert_eq!(simulation.settings().consumer_rate, Rate::from_per_second(10));
    assert_eq!(simulation.command_log().len(), 2);
}

#[test]
fn scripted_commands_come_after_everything_else_of_their_instant() {
    let command = Command::Set { setting: Setting::ProducerRate, value: Value::Rate(Rate::ZERO) };
    let timed = TimedCommand { at: Instant::from_seconds(5), command };
    let scenario = Scenario::with_settings(dials(8, 6)).with_commands(vec![timed]);
    let mut simulation = Simulation::new(Rc::new(scenario));
    assert_eq!(at(&mut simulation, 5_000).ledger.offered, 40);
    assert_eq!(at(&mut simulation, 9_000).ledger.offered, 40);
    assert_eq!(simulation.command_log().len(), 0, "the log holds what came from outside");
}

#[test]
fn a_message_meets_the_same_fate_whatever_happens_to_the_others() {
    let random = Settings { service_time: ServiceTime::Exponential, seed: 7, ..dials(6, 6) };
    let work_of = |settings: Settings| {
        let mut simulation = run(settings);
        let mut service_times = std::collections::BTreeMap::new();
        let mut started = std::collections::BTreeMap::new();
        simulation.advance_to(Instant::from_seconds(100), NO_LIMIT);
        for event in simulation.journal().last() {
            match event.kind {
                EventKind::Started => drop(started.insert(event.message.number(), event.at)),
                EventKind::Finished => {
                    let from = started.get(&event.message.number()).copied().unwrap_or_default();
                    service_times.insert(event.message.number(), event.at.since(from).micros());
                }
                _ => {}
            }
        }
        service_times
    };
    let alone = work_of(random.clone());
    let dropping = work_of(Settings { queue_bound: Bound::Messages(2), consumer_count: 2, ..random });
    let both: Vec<_> =
        alone.iter().filter_map(|(number, span)| Some((span, dropping.get(number)?))).collect();
    assert!(both.len() > 100);
    // A service that starts within the microsecond of a finish carries that excess: 1 µs.
    assert!(both.iter().all(|(left, right)| left.abs_diff(**right) <= 1), "{both:?}");
}

#[test]
fn random_arrivals_and_bursts_keep_their_rate() {
    for arrivals in ArrivalPattern::ALL {
        let settings = Settings { arrivals: *arrivals, queue_bound: Bound::None, ..dials(100, 100) };
        let snapshot = at(&mut run(settings), 1_000_000);
        // Poisson: a standard deviation of √100,000 = 316; four of them.
        let allowed = if *arrivals == ArrivalPattern::Poisson { 1_265 } else { 10 };
        assert!(snapshot.ledger.offered.abs_diff(100_000) <= allowed, "{arrivals:?}: {:?}", snapshot.ledger);
    }
}
