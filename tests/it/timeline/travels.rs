//! Journeys through short runs.

use proptest::prelude::*;
use queue_lab::model::command::{Command, CommandRefused, TimedCommand};
use queue_lab::model::settings::Settings;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::state_hash::mix;
use queue_lab::model::time::{Instant, Span};
use queue_lab::model::timeline::{Progress, Timeline, Watcher};

use super::{assert_same, command, fresh, instant, random_queue, scenario, script, seconds, settings};

/// One leg of a journey: where to, in slices of how many events, and what is done there.
type Leg = (Instant, u64, Option<Command>);

fn journey() -> impl Strategy<Value = Vec<Leg>> {
    let leg = (instant(), 20_u64..3_000, prop::option::weighted(0.4, command()));
    prop::collection::vec(leg, 1..9)
}

fn reach<W: Watcher>(timeline: &mut Timeline<W>, target: Instant, slice: u64) {
    while timeline.seek_towards(target, slice) != Progress::There {}
}

/// The log as it must be after `command` at `at`.
fn edit(log: &mut Vec<TimedCommand>, at: Instant, command: Command) {
    log.retain(|timed| timed.at <= at);
    log.push(TimedCommand { at, command });
}

/// Notes what it was shown, so that two that were shown the same are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Notes {
    next: Instant,
    digest: u64,
    looks: u64,
}

const GRID: Span = Span::from_millis(250);

impl Notes {
    const fn new() -> Self {
        Self { next: Instant::START, digest: 0, looks: 0 }
    }

    fn note(&mut self, simulation: &Simulation, occasion: u64) {
        assert!(simulation.is_complete());
        self.digest = mix(self.digest ^ mix(simulation.state_hash() ^ occasion));
        self.looks += 1;
    }
}

impl Watcher for Notes {
    fn next_look(&self) -> Option<Instant> {
        Some(self.next)
    }

    fn look(&mut self, simulation: &Simulation) {
        assert_eq!(simulation.now(), self.next);
        self.note(simulation, 1);
        self.next += GRID;
    }

    fn see_command(&mut self, simulation: &Simulation) {
        self.note(simulation, 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_seek_is_a_run_from_the_start(settings in settings(), script in script(), journey in journey()) {
        let scenario = scenario(settings, script);
        let mut timeline = Timeline::new(scenario.clone(), ());
        let mut log = Vec::new();
        for (target, slice, command) in journey {
            reach(&mut timeline, target, slice);
            assert_same(timeline.simulation(), &fresh(&scenario, &log, target));
            if let Some(command) = command {
                prop_assert!(timeline.apply(command).is_ok());
                edit(&mut log, target, command);
                prop_assert_eq!(timeline.log(), &log[..]);
                reach(&mut timeline, target, slice);
                assert_same(timeline.simulation(), &fresh(&scenario, &log, target));
            }
        }
        timeline.seek(Instant::from_micros(super::END_MICROS));
        let end = fresh(&scenario, &log, Instant::from_micros(super::END_MICROS));
        assert_same(timeline.simulation(), &end);
    }

    #[test]
    fn the_watcher_sees_the_same_whatever_way_was_taken(settings in settings(), journey in journey()) {
        let scenario = scenario(settings, Vec::new());
        let mut timeline = Timeline::new(scenario.clone(), Notes::new());
        for (target, slice, command) in journey {
            reach(&mut timeline, target, slice);
            if let Some(command) = command {
                prop_assert!(timeline.apply(command).is_ok());
            }
        }
        let end = timeline.simulation().now();
        reach(&mut timeline, end, 500);
        let mut straight = Timeline::new(scenario, Notes::new());
        for timed in timeline.log().iter().filter(|timed| timed.at <= end) {
            straight.seek(timed.at);
            prop_assert!(straight.apply(timed.command).is_ok());
        }
        straight.seek(end);
        prop_assert_eq!(timeline.watcher(), straight.watcher());
    }

    #[test]
    fn a_seek_that_changes_its_mind_arrives_all_the_same(settings in settings(), detours in prop::collection::vec((instant(), 1_u64..2_000), 1..20), target in instant()) {
        let scenario = scenario(settings, Vec::new());
        let mut timeline = Timeline::new(scenario.clone(), ());
        timeline.seek(Instant::from_micros(super::END_MICROS));
        for (detour, budget) in detours {
            timeline.seek_towards(detour, budget);
        }
        timeline.seek(target);
        assert_same(timeline.simulation(), &fresh(&scenario, &[], target));
    }
}

#[test]
fn an_instant_that_is_worked_off_in_several_goes_is_looked_at() {
    // Every event has a go of its own, and many happen at an instant at which the watcher looks.
    let scenario = scenario(Settings::default(), Vec::new());
    let mut slow = Timeline::new(scenario.clone(), Notes::new());
    let mut straight = Timeline::new(scenario, Notes::new());
    reach(&mut slow, seconds(3), 1);
    straight.seek(seconds(3));
    assert_eq!((slow.watcher().looks, slow.watcher()), (13, straight.watcher()));
}

#[test]
fn a_fork_drops_what_comes_after_it_and_keeps_what_came_before() {
    let scenario = scenario(random_queue(40), Vec::new());
    let mut timeline = Timeline::new(scenario.clone(), ());
    for at in [10, 20, 30, 40] {
        timeline.seek(seconds(at));
        timeline.apply(Command::Burst { count: at }).expect("a burst of so few is allowed");
    }
    timeline.seek(seconds(600));
    let before = timeline.checkpoints().len();
    timeline.seek(seconds(25));
    assert_eq!((timeline.log().len(), timeline.furthest()), (4, seconds(600)));
    assert_eq!(timeline.simulation().command_log().len(), 2);
    timeline.apply(Command::Burst { count: 7 }).expect("a burst of so few is allowed");
    let counts: Vec<(Instant, Command)> =
        timeline.log().iter().map(|timed| (timed.at, timed.command)).collect();
    let burst = |at, count| (seconds(at), Command::Burst { count });
    assert_eq!(counts, [burst(10, 10), burst(20, 20), burst(25, 7)]);
    assert_eq!(timeline.furthest(), seconds(25));
    assert!(timeline.checkpoints().len() < before && timeline.checkpoints().all(|(at, _)| at <= seconds(25)));
    let log = timeline.log().to_vec();
    timeline.seek(seconds(600));
    assert_same(timeline.simulation(), &fresh(&scenario, &log, seconds(600)));
}

#[test]
fn a_fork_without_a_command_plays_on_without_the_later_ones() {
    let scenario = scenario(random_queue(40), Vec::new());
    let mut timeline = Timeline::new(scenario.clone(), ());
    timeline.seek(seconds(30));
    timeline.apply(Command::Burst { count: 50 }).expect("a burst of so few is allowed");
    timeline.seek(seconds(60));
    timeline.seek(seconds(20));
    timeline.fork();
    timeline.seek(seconds(60));
    assert_same(timeline.simulation(), &fresh(&scenario, &[], seconds(60)));
}

#[test]
fn a_command_that_cannot_be_applied_changes_nothing() {
    let mut timeline = Timeline::new(scenario(random_queue(40), Vec::new()), ());
    timeline.seek(seconds(30));
    timeline.apply(Command::Burst { count: 50 }).expect("a burst of so few is allowed");
    timeline.seek(seconds(60));
    timeline.seek(seconds(20));
    let refused = timeline.apply(Command::Burst { count: 0 });
    assert_eq!(refused, Err(CommandRefused::BurstOutOfRange));
    assert_eq!((timeline.log().len(), timeline.furthest()), (1, seconds(60)));
}

#[test]
fn a_slice_does_no_more_than_its_budget() {
    const BUDGET: u64 = 500;
    let mut timeline = Timeline::new(scenario(random_queue(40), Vec::new()), ());
    timeline.seek(seconds(2_000));
    let mut calls = 0;
    // The first call may go back; from there on it is one way.
    timeline.seek_towards(seconds(999), 0);
    loop {
        let before = timeline.simulation().journal().count();
        let progress = timeline.seek_towards(seconds(999), BUDGET);
        let done = timeline.simulation().journal().count() - before;
        // What one consumer finishes and takes is one event and three lines of the journal.
        assert!(done <= 3 * BUDGET, "{done}");
        calls += 1;
        if progress == Progress::There {
            break;
        }
    }
    assert!(calls > 1, "the way is longer than a slice");
}

#[test]
fn time_in_which_nothing_happens_is_sliced_too() {
    let still = Settings { producer_rate: super::Rate::ZERO, ..Settings::default() };
    let mut timeline = Timeline::new(scenario(still, Vec::new()), ());
    let progress = timeline.seek_towards(seconds(1_000_000), 1_000);
    let Progress::OnTheWay(at) = progress else { panic!("a million seconds are more than a slice") };
    assert!((seconds(900)..=seconds(1_000)).contains(&at), "{at:?}");
}

#[test]
fn a_burst_is_worked_off_in_slices_and_only_then_shown() {
    let scenario = scenario(random_queue(40), Vec::new());
    let mut timeline = Timeline::new(scenario.clone(), ());
    timeline.seek(seconds(5));
    timeline.apply(Command::Burst { count: 10_000 }).expect("a burst of so few is allowed");
    let mut calls = 0;
    while timeline.seek_towards(seconds(5), 1_000) != Progress::There {
        calls += 1;
    }
    assert!(calls >= 9, "{calls}");
    let log = timeline.log().to_vec();
    assert_same(timeline.simulation(), &fresh(&scenario, &log, seconds(5)));
    timeline.seek(seconds(4));
    timeline.seek(seconds(5));
    assert_same(timeline.simulation(), &fresh(&scenario, &log, seconds(5)));
}

#[test]
fn a_change_of_watchers_holds_wherever_the_run_goes() {
    let mut timeline = Timeline::new(scenario(random_queue(40), Vec::new()), Notes::new());
    timeline.seek(seconds(300));
    assert!(timeline.checkpoints().len() > 2);
    timeline.change_watchers(|notes| notes.looks += 1_000_000);
    for target in [10, 290, 0, 150] {
        timeline.seek(seconds(target));
        assert_eq!(timeline.watcher().looks, 1_000_000 + 4 * target + 1);
    }
}
