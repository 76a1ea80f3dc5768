//! What holds for any run at all. Debug builds recount everything at every complete instant, so
//! that playing a run to its end is most of the test.

use queue_lab::model::invariants;

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
