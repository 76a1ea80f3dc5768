//! Logs and commands for property tests of sentences, as scenario files and what is done to them.

use proptest::prelude::*;
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::group::reset::ResetTo;
use queue_lab::model::rate::Rate;
use queue_lab::model::routes::{GroupIndex, TopicIndex};
use queue_lab::model::settings::{Setting, Value};
use queue_lab::model::time::{Instant, Span};

const SHAPES: &[&str] = &[
    r#""groups": [ { "name": "billing", "from": "orders" } ]"#,
    r#""groups": [ { "name": "billing", "from": "orders" }, { "name": "search", "from": "orders" } ]"#,
    r#""groups": [ { "name": "billing", "from": "orders" },
                   { "name": "search", "from": "orders", "joins_later": true } ]"#,
];

const WITH_DEAD_LETTERS: &str =
    r#""groups": [ { "name": "billing", "from": "orders", "dead_letters_to": "dead" } ]"#;

/// The text of a scenario whose log has `topics` and `groups`.
pub fn file(topics: &str, groups: &str, settings: &str) -> String {
    format!(
        r#"{{ "format": 1, "topology": {{ "producers": [ {{ "name": "shop", "to": "orders" }} ],
        "topics": [ {topics} ], {groups} }}, "settings": {{ {settings} }} }}"#
    )
}

/// Rates in thousandths a second, many of them equal or multiples of each other.
fn rate() -> impl Strategy<Value = u64> {
    prop_oneof![
        1 => Just(0_u64),
        6 => prop::sample::select(&[1_000_u64, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 18_000]),
        2 => 500_u64..20_000,
    ]
}

fn dials() -> impl Strategy<Value = String> {
    (rate(), rate(), 1_u64..6, 1_u64..7, prop::sample::select(&["range", "round-robin", "cooperative-sticky"]))
        .prop_map(|(p, c, workers, partitions, assignor)| {
            let (p, c) = (p as f64 / 1_000.0, c as f64 / 1_000.0);
            format!(
                r#""producer_rate_per_second": {p}, "consumer_rate_per_second": {c},
                "consumer_count": {workers}, "partition_count": {partitions}, "partition_assignor": "{assignor}""#
            )
        })
}

/// A log of which the dials tell everything.
pub fn even() -> impl Strategy<Value = String> {
    let rebalance = prop::sample::select(&[0_u64, 0, 2, 6]);
    (prop::sample::select(SHAPES), dials(), rebalance).prop_map(|(groups, dials, rebalance)| {
        let more = format!(r#"{dials}, "rebalance_seconds": {rebalance}, "offset_reset": "earliest""#);
        file(r#"{ "name": "orders" }"#, groups, &more)
    })
}

const ODD: &[&str] = &[
    r#""message_key_count": 2"#,
    r#""message_key_count": 20"#,
    r#""arrival_pattern": "poisson""#,
    r#""service_time_distribution": "exponential""#,
    r#""message_retention_seconds": 10, "segment_max_records": 5"#,
    r#""message_retention_seconds": 20, "segment_max_records": 10"#,
    r#""poison_share_percent": 2"#,
    r#""poison_share_percent": 5, "attempts_max": 3, "retry_place": "in-place""#,
    r#""failure_share_percent": 20, "retry_place": "in-place""#,
    r#""commit_interval_seconds": 3"#,
    r#""drain_limit_per_second": 3"#,
    r#""restart_seconds": 5"#,
    r#""schema_change": "change-type""#,
    r#""broker_memory_messages": 60"#,
];

/// A log with things of which no dial tells when they come.
pub fn odd() -> impl Strategy<Value = String> {
    let groups = prop_oneof![3 => prop::sample::select(SHAPES), 1 => Just(WITH_DEAD_LETTERS)];
    let more = prop::collection::btree_set(0..ODD.len(), 1..3);
    (groups, dials(), more).prop_map(|(groups, dials, more)| {
        let mut settings = dials;
        let mut names: Vec<&str> = Vec::new();
        for fields in more.into_iter().map(|place| ODD[place]) {
            let own: Vec<&str> = fields.split('"').skip(1).step_by(2).collect();
            if own.iter().all(|name| !names.contains(name)) {
                settings = format!("{settings}, {fields}");
                names.extend(own);
            }
        }
        file(r#"{ "name": "orders" }, { "name": "dead" }"#, groups, &settings)
    })
}

const DOES: &[ConsumerDoes] =
    &[ConsumerDoes::Crash, ConsumerDoes::CrashLoop, ConsumerDoes::Hang, ConsumerDoes::Restart];

fn even_command() -> impl Strategy<Value = Command> {
    let rate = |setting| rate().prop_map(move |rate| (setting, Value::Rate(Rate::from_thousandths(rate))));
    let setting = prop_oneof![
        3 => rate(Setting::ProducerRate),
        3 => rate(Setting::ConsumerRate),
        2 => (1_u64..8).prop_map(|count| (Setting::ConsumerCount, Value::Count(count))),
    ];
    prop_oneof![
        4 => setting.prop_map(|(setting, value)| Command::Set { setting, value }),
        2 => (1_u64..200).prop_map(|count| Command::Burst { count }),
        1 => Just(Command::StopConsumers { pool: 0 }),
        1 => Just(Command::StartConsumers { pool: 0 }),
        1 => Just(Command::Join { pool: 1 }),
        2 => (0_u16..4, prop::sample::select(DOES))
            .prop_map(|(number, does)| Command::Consumer { pool: 0, number, does }),
    ]
}

fn odd_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        2 => (1_u64..4).prop_map(|count| Command::Poison { producer: 0, count }),
        1 => (0_u32..3, 1_u64..4).prop_map(|(partition, count)| {
            Command::PoisonPartition { topic: TopicIndex(0), partition, count }
        }),
        1 => Just(Command::DeployFix),
        1 => Just(Command::BrokerDown),
        1 => Just(Command::BrokerUp),
        1 => Just(Command::FailOver { duration: Span::from_seconds(5) }),
        1 => Just(Command::ChangeSchema { producer: 0 }),
        1 => Just(Command::UpgradeReaders { pool: 0 }),
        1 => (2_u32..8).prop_map(|to| Command::AddPartitions { topic: TopicIndex(0), to }),
        1 => Just(Command::Consumer { pool: 0, number: 0, does: ConsumerDoes::CrashFinishing }),
    ]
}

fn timed((all, replay): (Vec<(u64, Command)>, Option<u64>)) -> Vec<TimedCommand> {
    let mut all = all;
    // Offsets are only moved while nobody is there.
    let reset = Command::ResetOffsets { group: GroupIndex(0), partition: None, to: ResetTo::Earliest };
    let steps = [
        (0, Command::StopConsumers { pool: 0 }),
        (4_000_000, reset),
        (6_000_000, Command::StartConsumers { pool: 0 }),
    ];
    all.extend(replay.into_iter().flat_map(|at| steps.map(|(after, command)| (at + after, command))));
    all.sort_by_key(|(micros, _)| *micros);
    let timed = |(micros, command)| TimedCommand { at: Instant::from_micros(micros), command };
    all.into_iter().map(timed).collect()
}

fn replay() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![3 => Just(None), 1 => (10_000_000_u64..60_000_000).prop_map(Some)]
}

/// Commands after which the dials still tell everything.
pub fn even_script() -> impl Strategy<Value = Vec<TimedCommand>> {
    (prop::collection::vec((0_u64..80_000_000, even_command()), 0..6), replay()).prop_map(timed)
}

/// Commands of every kind.
pub fn odd_script() -> impl Strategy<Value = Vec<TimedCommand>> {
    let command = prop_oneof![1 => even_command(), 1 => odd_command()];
    (prop::collection::vec((0_u64..80_000_000, command), 1..8), replay()).prop_map(timed)
}
