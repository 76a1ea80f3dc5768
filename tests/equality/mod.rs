//! Runs whose state hash is the same natively and in wasm: each of 10⁵ events or more, together
//! over every setting that draws, rounds or sorts.

mod consuming;
mod logs;
mod splitting;
mod teams;
mod trouble;

use std::rc::Rc;

use queue_lab::model::command::{Command, TimedCommand};
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{
    ArrivalPattern, Bound, OverflowPolicy, ServiceTime, Setting, Settings, Value,
};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;

/// The hashes: a line each, `name events hash`.
pub const HASHES: &str = include_str!("hashes.txt");

/// Name, scenario and model seconds of each run.
pub fn runs() -> Vec<(&'static str, Scenario, u64)> {
    [plain(), trouble::runs(), consuming::runs(), splitting::runs(), logs::runs(), vec![teams::run()]]
        .concat()
}

fn plain() -> Vec<(&'static str, Scenario, u64)> {
    vec![
        ("steady-dropping", with(8_000, 6_000, |_| {}), 7_000),
        ("random-both", with(80_000, 100_000, random), 500),
        (
            "random-pool",
            with(64_000, 1_100, |settings| {
                random(settings);
                settings.consumer_count = 64;
            }),
            600,
        ),
        ("bursts-blocked", with(90_000, 20_000, bursts_blocked), 1_000),
        ("drop-oldest-odd-rates", with(33_333, 7_777, drop_oldest), 1_500),
        ("memory-alarm", with(120_000, 100_000, memory_alarm), 300),
        ("moved-dials", moved_dials(), 600),
    ]
}

/// Runs `scenario` and returns the number of its events and its hash, in text.
pub fn outcome(scenario: Scenario, seconds: u64) -> (u64, String) {
    let mut simulation = Simulation::new(Rc::new(scenario));
    simulation.advance_to(Instant::from_seconds(seconds), u64::MAX);
    (simulation.journal().count(), format!("{:016x}", simulation.state_hash()))
}

/// All outcomes in the form of the file.
pub fn lines() -> String {
    let line = |(name, scenario, seconds)| {
        let (events, hash) = outcome(scenario, seconds);
        format!("{name} {events} {hash}\n")
    };
    runs().into_iter().map(line).collect()
}

fn with(producer: u64, consumer: u64, change: fn(&mut Settings)) -> Scenario {
    let mut settings = Settings {
        producer_rate: Rate::from_thousandths(producer),
        consumer_rate: Rate::from_thousandths(consumer),
        seed: 20_261_129,
        ..Settings::default()
    };
    change(&mut settings);
    Scenario::with_settings(settings)
}

fn random(settings: &mut Settings) {
    settings.arrivals = ArrivalPattern::Poisson;
    settings.service_time = ServiceTime::Exponential;
    settings.queue_bound = Bound::None;
}

fn bursts_blocked(settings: &mut Settings) {
    settings.arrivals = ArrivalPattern::Bursts;
    settings.burst_size = 37;
    settings.consumer_count = 3;
    settings.overflow = OverflowPolicy::Block;
}

fn drop_oldest(settings: &mut Settings) {
    settings.overflow = OverflowPolicy::DropOldest;
    settings.service_time = ServiceTime::Exponential;
    settings.consumer_count = 4;
}

fn memory_alarm(settings: &mut Settings) {
    random(settings);
    settings.broker_memory = 2_000;
}

fn moved_dials() -> Scenario {
    let commands = (1..600).map(|second| {
        let rate = Rate::from_thousandths(40_000 + 17_713 * (second % 7));
        let command = match second % 50 {
            49 => Command::Burst { count: 500 },
            25 => Command::Set { setting: Setting::ConsumerCount, value: Value::Count(1 + second % 5) },
            _ => Command::Set { setting: Setting::ProducerRate, value: Value::Rate(rate) },
        };
        TimedCommand { at: Instant::from_micros(second * 999_983), command }
    });
    with(50_000, 40_000, |settings| settings.consumer_count = 2).with_commands(commands.collect())
}
