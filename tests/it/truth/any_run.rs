//! Dials and commands for property tests of sentences. Rates are often equal or close, because
//! that is where sentences change. [`odd_settings`] and [`odd_script`] add everything that a plain
//! queue does not have.

use proptest::prelude::*;
use queue_lab::model::broker::QueueIndex;
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::rate::Rate;
use queue_lab::model::settings::{
    ArrivalPattern, BROKER_MEMORY_MAX, Bound, Definition, OverflowPolicy, ServiceTime, Setting, Settings,
    Value,
};
use queue_lab::model::time::Instant;

/// Dials of any run.
pub fn settings() -> impl Strategy<Value = Settings> {
    let pace = (rate(), arrivals(), 1_u64..20);
    let work = (rate(), consumers(), prop::sample::select(ServiceTime::ALL));
    let queue = (bound(), prop::sample::select(OverflowPolicy::ALL), memory(), 0_u64..1_000);
    (pace, work, queue, 0_u8..4).prop_map(|(pace, work, queue, equal)| Settings {
        // A quarter of all runs is level.
        producer_rate: if equal == 0 { work.0.times(work.1) } else { pace.0 },
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
    prop_oneof![
        1 => Just(0_u64),
        3 => prop::sample::select(&[1_000_u64, 2_000, 5_000, 5_500, 6_000, 6_001, 8_000, 10_000, 18_000]),
        1 => 1_u64..1_000,
        1 => 1_000_u64..50_000,
    ]
    .prop_map(Rate::from_thousandths)
}

fn arrivals() -> impl Strategy<Value = ArrivalPattern> {
    prop_oneof![
        2 => Just(ArrivalPattern::Steady),
        1 => Just(ArrivalPattern::Poisson),
        1 => Just(ArrivalPattern::Bursts),
    ]
}

fn consumers() -> impl Strategy<Value = u64> {
    prop_oneof![2 => Just(1_u64), 2 => 2_u64..5, 1 => 5_u64..=64]
}

fn memory() -> impl Strategy<Value = u64> {
    prop_oneof![3 => Just(BROKER_MEMORY_MAX), 1 => 1_u64..500]
}

fn bound() -> impl Strategy<Value = Bound> {
    prop_oneof![
        1 => Just(Bound::None),
        1 => (0_u64..4).prop_map(Bound::Messages),
        3 => (4_u64..120).prop_map(Bound::Messages),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    let setting = prop_oneof![
        3 => rate().prop_map(|rate| (Setting::ProducerRate, Value::Rate(rate))),
        3 => rate().prop_map(|rate| (Setting::ConsumerRate, Value::Rate(rate))),
        1 => consumers().prop_map(|count| (Setting::ConsumerCount, Value::Count(count))),
        2 => bound().prop_map(|bound| (Setting::QueueBound, Value::Bound(bound))),
        1 => prop::sample::select(OverflowPolicy::NAMES)
            .prop_map(|name| (Setting::Overflow, Value::Choice(name))),
        1 => prop::sample::select(ArrivalPattern::NAMES)
            .prop_map(|name| (Setting::Arrivals, Value::Choice(name))),
        1 => prop::sample::select(ServiceTime::NAMES)
            .prop_map(|name| (Setting::ServiceTime, Value::Choice(name))),
        1 => memory().prop_map(|count| (Setting::BrokerMemory, Value::Count(count))),
    ];
    prop_oneof![
        4 => setting.prop_map(|(setting, value)| Command::Set { setting, value }),
        1 => (1_u64..300).prop_map(|count| Command::Burst { count }),
    ]
}

/// Commands of any run of a minute and a half.
pub fn script() -> impl Strategy<Value = Vec<TimedCommand>> {
    let timed = (0_u64..80_000_000, command());
    prop::collection::vec(timed, 0..8).prop_map(|mut commands| {
        commands.sort_by_key(|(micros, _)| *micros);
        let timed = |(micros, command)| TimedCommand { at: Instant::from_micros(micros), command };
        commands.into_iter().map(timed).collect()
    })
}

/// Settings that no plain queue has, by alias and value.
const ODD: &[(&str, &str)] = &[
    ("size", "15"),
    ("size", "2"),
    ("groups", "3"),
    ("broker", "rabbitmq-classic"),
    ("broker", "rabbitmq-quorum-4.0"),
    ("broker", "sqs-standard"),
    ("bytes", "1000"),
    ("message_bytes", "100"),
    ("ttl", "3"),
    ("retention", "60"),
    ("visibility", "2"),
    ("visibility", "30"),
    ("deliveries", "2"),
    ("priorities", "5"),
    ("dlq", "kept"),
    ("prefetch", "5"),
    ("fail", "10"),
    ("fail", "70"),
    ("fail", "100"),
    ("poison", "5"),
    ("poison", "60"),
    ("attempts", "1"),
    ("attempts", "3"),
    ("timeout", "0.2"),
    ("timeout", "5"),
    ("retry", "in-place"),
    ("retry", "retry-queue"),
    ("backoff", "exponential"),
    ("delay", "0"),
    ("delay", "5"),
    ("ack", "before-work"),
    ("dedupe", "after"),
    ("drain", "1"),
    ("drain", "5"),
    ("downstream", "1"),
    ("downstream", "6"),
    ("downstream_fail", "40"),
    ("layers", "2"),
    ("tries", "3"),
    ("restart", "3"),
    ("cold_start", "2"),
    ("cold_calls", "5"),
    ("autoscale", "backlog"),
    ("autoscale", "cpu"),
    ("deadline", "2"),
    ("late", "skipped"),
    ("wrong", "30"),
    ("batch", "5"),
    ("batch_cost", "1"),
    ("budget", "grpc"),
];

fn odd() -> impl Strategy<Value = (Setting, Value)> {
    prop::sample::select(ODD).prop_map(|(alias, text)| {
        let row = Definition::by_name(alias).expect("the alias is in the table");
        (row.setting, row.read(text).0.expect("the value is one of the setting's"))
    })
}

/// Dials of any run, and at least one thing that a plain queue does not have.
pub fn odd_settings() -> impl Strategy<Value = Settings> {
    (settings(), prop::collection::vec(odd(), 1..5)).prop_map(|(mut settings, odd)| {
        for (setting, value) in odd {
            settings.set(setting, value);
        }
        settings
    })
}

fn trouble() -> impl Strategy<Value = Command> {
    let does = prop::sample::select(&[
        ConsumerDoes::Crash,
        ConsumerDoes::CrashFinishing,
        ConsumerDoes::CrashLoop,
        ConsumerDoes::Hang,
        ConsumerDoes::Restart,
    ]);
    let (first, dead) = (QueueIndex(0), QueueIndex(1));
    prop_oneof![
        2 => (1_u64..20).prop_map(|count| Command::Poison { producer: 0, count }),
        1 => Just(Command::StopConsumers { pool: 0 }),
        1 => Just(Command::StartConsumers { pool: 0 }),
        3 => (0_u16..4, does).prop_map(|(number, does)| Command::Consumer { pool: 0, number, does }),
        1 => Just(Command::BrokerDown),
        1 => Just(Command::BrokerUp),
        1 => Just(Command::DeployFix),
        1 => Just(Command::Redrive { from: dead, to: first, rate: None }),
        1 => Just(Command::Discard { queue: first }),
        3 => odd()
            .prop_map(|(setting, value)| Command::Set { setting, value })
            .prop_filter("it may be set while it runs", |command| command.check().is_ok()),
    ]
}

/// Commands of any run of a minute and a half, trouble among them.
pub fn odd_script() -> impl Strategy<Value = Vec<TimedCommand>> {
    (script(), prop::collection::vec((0_u64..80_000_000, trouble()), 0..6)).prop_map(|(mut all, trouble)| {
        let timed = |(micros, command)| TimedCommand { at: Instant::from_micros(micros), command };
        all.extend(trouble.into_iter().map(timed));
        all.sort_by_key(|timed| timed.at);
        all
    })
}
