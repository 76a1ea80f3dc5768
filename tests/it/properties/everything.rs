//! What holds for any run at all. Debug builds recount everything at every complete instant, so
//! that playing a run to its end is most of the test.

use std::rc::Rc;

use queue_lab::model::invariants;
use queue_lab::model::time::Instant;
use queue_lab::model::timeline::Timeline;

use super::any::{AnyRun, Dice, any_run};

/// Runs tried, and events allowed in each.
const RUNS: u64 = 400;
const EVENTS: u64 = 60_000;

/// Plays every run, and says which seeds fail: `QUEUE_LAB_SEED=n` plays one alone.
fn each_run(what: impl Fn(u64, &AnyRun)) {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let first = number("QUEUE_LAB_SEED");
    let seeds = first.map_or(0..number("QUEUE_LAB_RUNS").unwrap_or(RUNS), |seed| seed..seed + 1);
    let fails = |seed: &u64| {
        let play = std::panic::AssertUnwindSafe(|| what(*seed, &any_run(*seed, 20)));
        std::panic::catch_unwind(play).is_err()
    };
    let failed: Vec<u64> = seeds.filter(fails).collect();
    assert!(failed.is_empty(), "the runs of these seeds: {failed:?}");
}

#[test]
fn any_run_keeps_its_promises_at_every_instant() {
    each_run(|seed, run| {
        let Some(simulation) = run.play(EVENTS, || 1_000) else { return };
        assert!(simulation.ledger().balances(), "seed {seed}: {:?}", simulation.ledger());
        assert_eq!(invariants::check(&simulation), vec![], "seed {seed}");
    });
}

#[test]
fn any_run_finds_the_oldest_message_of_every_producer_in_every_queue() {
    each_run(|seed, run| {
        let Some(simulation) = run.play(EVENTS, || EVENTS) else { return };
        for (place, queue) in simulation.broker().queues().enumerate() {
            for producer in 0..4 {
                let own = queue.ready().iter().filter(|message| message.id.producer_index() == producer);
                let oldest = own.map(|message| message.accepted_at).min();
                let found = queue.ready().oldest_of(producer);
                assert_eq!(found, oldest, "seed {seed}: producer {producer} in queue {place}");
            }
        }
    });
}

/// A seek into a run, and on to its end, from other places in it: with alert rules in half of the runs.
#[test]
fn any_run_is_the_same_after_a_seek_back_into_it() {
    each_run(|seed, run| {
        let Some(whole) = run.play(EVENTS, || EVENTS) else { return };
        let mut timeline = Timeline::new(Rc::new(run.scenario.clone()), ());
        for timed in &run.commands {
            timeline.seek(timed.at);
            _ = timeline.apply(timed.command);
        }
        timeline.seek(run.until);
        let mut dice = Dice(seed);
        for _ in 0..3 {
            timeline.seek(Instant::from_micros(dice.below(run.until.micros())));
            timeline.seek(run.until);
            assert_eq!(timeline.simulation().state_hash(), whole.state_hash(), "seed {seed}");
        }
        assert_eq!(timeline.simulation().snapshot(), whole.snapshot(), "seed {seed}");
    });
}

#[test]
fn rules_of_any_runs_fire_and_are_resolved() {
    let mut seen = [0_u64; 3];
    for seed in 0..60 {
        let mut simulation = any_run(seed, 20).start();
        for second in 1..=20 {
            simulation.advance_to(Instant::from_seconds(second), 100_000);
            let alerts = simulation.alerts();
            let rules = 0..alerts.rules().count();
            rules.for_each(|rule| seen[alerts.worst_state(rule) as usize] += 1);
        }
    }
    assert!(seen.iter().all(|times| *times > 30), "inactive, pending and firing: {seen:?}");
}

#[test]
fn any_run_is_the_same_whatever_the_slices() {
    each_run(|seed, run| {
        let Some(whole) = run.play(EVENTS, || EVENTS) else { return };
        let mut dice = Dice(seed);
        let sliced = run.play(u64::MAX, || 1 + dice.below(60)).expect("it has no limit");
        assert_eq!(whole.state_hash(), sliced.state_hash(), "seed {seed}");
        assert_eq!(whole.snapshot(), sliced.snapshot(), "seed {seed}");
    });
}

#[test]
fn any_run_ends_where_the_long_way_does() {
    each_run(|seed, run| {
        let Some(short) = run.play(EVENTS, || EVENTS) else { return };
        let mut start = run.start();
        start.go_the_long_way();
        let long = run.play_from(start, u64::MAX, || EVENTS).expect("it has no limit");
        assert_eq!(short.state_hash(), long.state_hash(), "seed {seed}");
        assert_eq!(short.snapshot(), long.snapshot(), "seed {seed}");
    });
}
