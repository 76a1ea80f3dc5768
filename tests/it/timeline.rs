//! Time travel: wherever a timeline goes, it is where a run from the start would be.

mod long;
mod travels;

use std::rc::Rc;

use proptest::prelude::*;
use queue_lab::model::broker::QueueIndex;
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::series::{Bucket, Resolution};
use queue_lab::model::settings::{
    Acknowledge, ArrivalPattern, Autoscale, Bound, BrokerKind, Dedupe, OverflowPolicy, RetryAt,
    RetryBudgetKind, ServiceTime, Setting, Settings, Value,
};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};

/// The model time that the short runs last, in microseconds.
const END_MICROS: u64 = 60_000_000;

/// Brokers whose messages are handed over as they come.
const BROKERS: &[BrokerKind] = BrokerKind::ALL;

/// Settings under which messages wait, are lost, fail, come again and die.
fn settings() -> impl Strategy<Value = Settings> {
    let pace = (rate(), prop::sample::select(ArrivalPattern::ALL), 0_u64..1_000, 1_u64..4);
    let work = (rate(), 1_u64..6, prop::sample::select(ServiceTime::ALL), 1_u64..4);
    let queue = (
        prop_oneof![Just(Bound::None), (0_u64..100).prop_map(Bound::Messages)],
        prop::sample::select(OverflowPolicy::ALL),
        prop::sample::select(BROKERS),
    );
    let trouble = (0_u32..400_000, 0_u32..50_000, prop::option::of(1_u64..4));
    let handling = (
        prop::sample::select(RetryAt::ALL),
        prop::sample::select(Acknowledge::ALL),
        prop::sample::select(Dedupe::ALL),
        prop::option::of((5_000_u64..40_000).prop_map(Rate::from_thousandths)),
        around(),
    );
    (pace, work, queue, trouble, handling).prop_map(|(pace, work, queue, trouble, handling)| Settings {
        producer_rate: pace.0,
        arrivals: pace.1,
        seed: pace.2,
        message_groups: pace.3,
        consumer_rate: work.0,
        consumer_count: work.1,
        service_time: work.2,
        prefetch: work.3,
        queue_bound: queue.0,
        overflow: queue.1,
        broker: queue.2,
        broker_memory: 2_000,
        failure_share: trouble.0,
        poison_share: trouble.1,
        attempts_max: trouble.2,
        retry_at: handling.0,
        acknowledge: handling.1,
        dedupe: handling.2,
        downstream_rate: handling.3,
        ..handling.4
    })
}

/// What goes on around the work: starts, an autoscaler, deadlines, batches, a budget.
fn around() -> impl Strategy<Value = Settings> {
    let starts = (prop::option::of(0_u64..3_000_000), 0_u64..2_000_000, 0_u64..6);
    let choices = (prop::sample::select(Autoscale::ALL), prop::sample::select(RetryBudgetKind::ALL));
    let others = (prop::option::of(0_u64..4_000_000), 0_u32..300_000, 1_u64..5, 0_u64..300_000);
    (starts, choices, others).prop_map(|(starts, choices, others)| Settings {
        restart_after: starts.0.map(Span::from_micros),
        cold_start: Span::from_micros(starts.1),
        cold_start_calls: starts.2,
        autoscale: choices.0,
        autoscale_interval: Span::from_seconds(3),
        scale_down_window: Span::from_seconds(7),
        retry_budget: choices.1,
        deadline: others.0.map(Span::from_micros),
        wrong_share: others.1,
        receive_batch: others.2,
        batch_cost: Span::from_micros(others.3),
        ..Settings::default()
    })
}

fn rate() -> impl Strategy<Value = Rate> {
    prop_oneof![Just(0_u64), 1_000_u64..80_000].prop_map(Rate::from_thousandths)
}

fn command() -> impl Strategy<Value = Command> {
    let does = prop::sample::select(vec![
        ConsumerDoes::Crash,
        ConsumerDoes::CrashFinishing,
        ConsumerDoes::CrashLoop,
        ConsumerDoes::Hang,
        ConsumerDoes::Restart,
    ]);
    let dial = prop_oneof![
        rate().prop_map(|rate| (Setting::ProducerRate, Value::Rate(rate))),
        rate().prop_map(|rate| (Setting::ConsumerRate, Value::Rate(rate))),
        (1_u64..8).prop_map(|count| (Setting::ConsumerCount, Value::Count(count))),
    ];
    let redrive = prop::option::of((500_u64..20_000).prop_map(Rate::from_thousandths));
    prop_oneof![
        4 => dial.prop_map(|(setting, value)| Command::Set { setting, value }),
        2 => (1_u64..300).prop_map(|count| Command::Burst { count }),
        2 => (1_u64..20).prop_map(|count| Command::Poison { producer: 0, count }),
        2 => (0_u16..6, does).prop_map(|(number, does)| Command::Consumer { pool: 0, number, does }),
        2 => redrive.prop_map(|rate| Command::Redrive { from: QueueIndex(1), to: QueueIndex(0), rate }),
        1 => prop::sample::select(vec![
            Command::BrokerDown,
            Command::BrokerUp,
            Command::DeployFix,
            Command::StopConsumers { pool: 0 },
            Command::StartConsumers { pool: 0 },
            Command::Discard { queue: QueueIndex(0) },
        ]),
    ]
}

/// An instant: often a round one, at which other things happen too.
fn instant() -> impl Strategy<Value = Instant> {
    let round = (0..=END_MICROS / 250_000).prop_map(|quarters| quarters * 250_000);
    prop_oneof![round, 0..=END_MICROS].prop_map(Instant::from_micros)
}

fn script() -> impl Strategy<Value = Vec<TimedCommand>> {
    let timed = (instant(), command()).prop_map(|(at, command)| TimedCommand { at, command });
    prop::collection::vec(timed, 0..4)
}

fn scenario(settings: Settings, script: Vec<TimedCommand>) -> Rc<Scenario> {
    Rc::new(Scenario::with_settings(settings).with_commands(script))
}

/// A run from the start to `target`, with the commands of `log` from outside.
fn fresh(scenario: &Rc<Scenario>, log: &[TimedCommand], target: Instant) -> Simulation {
    let mut simulation = Simulation::new(Rc::clone(scenario));
    for timed in log.iter().filter(|timed| timed.at <= target) {
        simulation.advance_to(timed.at, u64::MAX);
        simulation.apply(timed.command).expect("the strategy makes valid commands");
    }
    simulation.advance_to(target, u64::MAX);
    simulation
}

/// Fails where two runs can be told apart.
fn assert_same(found: &Simulation, expected: &Simulation) {
    assert_eq!(found.now(), expected.now());
    assert!(found.is_complete());
    assert_eq!(found.snapshot(), expected.snapshot());
    for resolution in Resolution::ALL {
        let buckets = |simulation: &Simulation| {
            let series = simulation.series();
            series.finished(resolution).chain(series.forming(resolution)).copied().collect::<Vec<Bucket>>()
        };
        assert_eq!(buckets(found), buckets(expected), "{resolution:?}");
    }
    assert!(found.journal().last().eq(expected.journal().last()));
    assert_eq!(found.journal().count(), expected.journal().count());
    assert!(found.command_log().eq(expected.command_log()));
    assert_eq!(found.state_hash(), expected.state_hash());
}

fn seconds(seconds: u64) -> Instant {
    Instant::START + Span::from_seconds(seconds)
}

/// Random arrivals and random work, at 0.8 of what can be done.
fn random_queue(producer_per_second: u64) -> Settings {
    Settings {
        producer_rate: Rate::from_per_second(producer_per_second),
        arrivals: ArrivalPattern::Poisson,
        consumer_rate: Rate::from_thousandths(producer_per_second * 1_250),
        service_time: ServiceTime::Exponential,
        queue_bound: Bound::None,
        ..Settings::default()
    }
}
