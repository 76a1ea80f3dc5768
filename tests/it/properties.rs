//! What holds for any dials and any commands: conservation by recounting, determinism whatever
//! the slices, bounded work.

mod alerting;
pub mod any;
mod everything;
mod groups;
mod handler_times;
mod partitioned_log;
mod shortcuts;
mod single_active;
mod soak;
mod traces;

use std::rc::Rc;

use proptest::prelude::*;
use queue_lab::model::command::{Command, TimedCommand};
use queue_lab::model::invariants;
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{
    ArrivalPattern, Bound, OverflowPolicy, ServiceTime, Setting, Settings, Value,
};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;

pub fn settings() -> impl Strategy<Value = Settings> {
    let pace = (rate(), prop::sample::select(ArrivalPattern::ALL), 1_u64..20);
    let work = (rate(), 1_u64..=64, prop::sample::select(ServiceTime::ALL));
    let queue = (bound(), prop::sample::select(OverflowPolicy::ALL), 1_u64..500, 0_u64..1_000);
    (pace, work, queue).prop_map(|(pace, work, queue)| Settings {
        producer_rate: pace.0,
        arrivals: pace.1,
        burst_size: pace.2,
        consumer_rate: work.0,
        consumer_count: work.1,
        service_time: work.2,
        queue_bound: queue.0,
        overflow: queue.1,
        broker_memory: queue.2,
        seed: queue.3,
        ..Settings::default()
    })
}

fn rate() -> impl Strategy<Value = Rate> {
    prop_oneof![Just(0_u64), 1_u64..1_000, 1_000_u64..50_000].prop_map(Rate::from_thousandths)
}

fn bound() -> impl Strategy<Value = Bound> {
    prop_oneof![Just(Bound::None), (0_u64..100).prop_map(Bound::Messages)]
}

pub fn command() -> impl Strategy<Value = Command> {
    let setting = prop_oneof![
        rate().prop_map(|rate| (Setting::ProducerRate, Value::Rate(rate))),
        rate().prop_map(|rate| (Setting::ConsumerRate, Value::Rate(rate))),
        (1_u64..=64).prop_map(|count| (Setting::ConsumerCount, Value::Count(count))),
        bound().prop_map(|bound| (Setting::QueueBound, Value::Bound(bound))),
        prop::sample::select(OverflowPolicy::NAMES).prop_map(|name| (Setting::Overflow, Value::Choice(name))),
        prop::sample::select(ArrivalPattern::NAMES).prop_map(|name| (Setting::Arrivals, Value::Choice(name))),
        prop::sample::select(ServiceTime::NAMES).prop_map(|name| (Setting::ServiceTime, Value::Choice(name))),
        (1_u64..500).prop_map(|count| (Setting::BrokerMemory, Value::Count(count))),
    ];
    prop_oneof![
        4 => setting.prop_map(|(setting, value)| Command::Set { setting, value }),
        1 => (1_u64..300).prop_map(|count| Command::Burst { count }),
    ]
}

pub fn script() -> impl Strategy<Value = Vec<TimedCommand>> {
    let timed = (0_u64..60_000_000, command());
    prop::collection::vec(timed, 0..12).prop_map(|mut commands| {
        commands.sort_by_key(|(micros, _)| *micros);
        commands
            .into_iter()
            .map(|(micros, command)| TimedCommand { at: Instant::from_micros(micros), command })
            .collect()
    })
}

/// Runs to 60 s, applying the commands from outside, with `slice` events to each call.
fn played(settings: &Settings, commands: &[TimedCommand], slice: u64) -> Simulation {
    let simulation = Simulation::new(Rc::new(Scenario::with_settings(settings.clone())));
    played_from(simulation, commands, slice)
}

fn played_from(mut simulation: Simulation, commands: &[TimedCommand], slice: u64) -> Simulation {
    let reach = |simulation: &mut Simulation, target: Instant| {
        while simulation.advance_to(target, slice) < target || !simulation.is_complete() {}
    };
    for timed in commands {
        reach(&mut simulation, timed.at);
        simulation.apply(timed.command).expect("the strategy makes valid commands");
    }
    reach(&mut simulation, Instant::from_seconds(60));
    simulation
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    // Debug builds recount every container after every instant as well, so that this walks the
    // whole of each run.
    #[test]
    fn every_message_is_accounted_for(settings in settings(), commands in script()) {
        let simulation = played(&settings, &commands, u64::MAX);
        prop_assert!(simulation.ledger().balances(), "{:?}", simulation.ledger());
        prop_assert_eq!(invariants::check(&simulation), vec![]);
    }

    #[test]
    fn the_run_does_not_depend_on_how_it_was_sliced(settings in settings(), commands in script(), slice in 1_u64..50) {
        let whole = played(&settings, &commands, u64::MAX);
        let sliced = played(&settings, &commands, slice);
        prop_assert_eq!(whole.state_hash(), sliced.state_hash());
        prop_assert_eq!(whole.snapshot(), sliced.snapshot());
    }

    #[test]
    fn looking_often_changes_nothing(settings in settings(), commands in script(), frame in 1_u64..400_000) {
        let mut watched = Simulation::new(Rc::new(Scenario::with_settings(settings.clone()).with_commands(commands.clone())));
        let mut at = 0;
        while at < 60_000_000 {
            at = (at + frame).min(60_000_000);
            watched.advance_to(Instant::from_micros(at), u64::MAX);
            let _ = (watched.snapshot(), watched.state_hash());
        }
        let mut unwatched = Simulation::new(Rc::new(Scenario::with_settings(settings).with_commands(commands)));
        unwatched.advance_to(Instant::from_seconds(60), u64::MAX);
        prop_assert_eq!(watched.state_hash(), unwatched.state_hash());
        prop_assert_eq!(watched.snapshot(), unwatched.snapshot());
    }

    #[test]
    fn a_fork_does_not_disturb_its_origin(settings in settings(), commands in script()) {
        let half = Instant::from_seconds(30);
        let mut origin = Simulation::new(Rc::new(Scenario::with_settings(settings).with_commands(commands)));
        origin.advance_to(half, u64::MAX);
        let hash = origin.state_hash();
        let mut fork = origin.clone();
        fork.advance_to(Instant::from_seconds(60), u64::MAX);
        prop_assert_eq!(origin.state_hash(), hash);
        origin.advance_to(Instant::from_seconds(60), u64::MAX);
        prop_assert_eq!(origin.state_hash(), fork.state_hash());
    }
}
