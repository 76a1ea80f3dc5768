//! The common case goes a short way through the model: it ends where the long way does.

use std::rc::Rc;

use proptest::prelude::*;
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{
    Bound, DeadLetters, Limit, OffsetReset, PartitionAssignor, RetryAt, RetryDelay, Returns, Setting,
    Settings, Value,
};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};
use queue_lab::model::topology::{GroupNode, ProducerNode, TopicNode, Topology};

use super::{command, played_from, rate, script, settings};

/// Any dials, beside which attempts fail and most are tried again later.
fn failing() -> impl Strategy<Value = Settings> {
    let failure =
        (prop_oneof![Just(0_u32), 1_u32..900_000], prop_oneof![4 => Just(0_u32), 1 => 1_u32..300_000]);
    let attempts = (
        prop::option::of(1_u64..6),
        prop_oneof![6 => Just(RetryAt::RetryQueue), 1 => Just(RetryAt::InPlace)],
    );
    let delay = (prop::sample::select(RetryDelay::ALL), prop_oneof![1 => Just(0_u64), 6 => 1_u64..3_000_000]);
    let queue =
        (prop::sample::select(Returns::ALL), prop::sample::select(DeadLetters::ALL), 1_u64..4, any::<bool>());
    (settings(), failure, attempts, delay, queue).prop_map(|(settings, failure, attempts, delay, queue)| {
        Settings {
            failure_share: failure.0,
            poison_share: failure.1,
            attempts_max: attempts.0,
            retry_at: attempts.1,
            retry_delay: delay.0,
            retry_delay_base: Span::from_micros(delay.1),
            returns: queue.0,
            dead_letters: queue.1,
            prefetch: queue.2,
            queue_bound: if queue.3 { Bound::None } else { settings.queue_bound },
            ..settings
        }
    })
}

fn trouble() -> impl Strategy<Value = Command> {
    let does = prop::sample::select(vec![
        ConsumerDoes::Crash,
        ConsumerDoes::CrashFinishing,
        ConsumerDoes::Hang,
        ConsumerDoes::Restart,
    ]);
    let seconds = || prop::option::of((1_u64..20_000_000).prop_map(Span::from_micros));
    let setting = prop_oneof![
        (0_u32..900_000).prop_map(|share| (Setting::FailureShare, Value::Share(share))),
        seconds().prop_map(|ttl| (Setting::Ttl, ttl.map_or(Value::Choice("none"), Value::Span))),
        seconds().prop_map(|kept| (Setting::Retention, kept.map_or(Value::Choice("none"), Value::Span))),
        seconds()
            .prop_map(|lease| (Setting::VisibilityTimeout, lease.map_or(Value::Choice("none"), Value::Span))),
        seconds().prop_map(|late| (Setting::Deadline, late.map_or(Value::Choice("none"), Value::Span))),
        (1_u64..4_000_000).prop_map(|base| (Setting::RetryDelayBase, Value::Span(Span::from_micros(base)))),
        rate().prop_map(|rate| (Setting::ConsumerRate, Value::Rate(rate))),
    ];
    prop_oneof![
        2 => command(),
        3 => setting.prop_map(|(setting, value)| Command::Set { setting, value }),
        1 => (0_u16..3, does).prop_map(|(number, does)| Command::Consumer { pool: 0, number, does }),
        1 => (1_u64..3).prop_map(|count| Command::Poison { producer: 0, count }),
        1 => Just(Command::DeployFix),
        1 => Just(Command::BrokerDown),
        1 => Just(Command::BrokerUp),
    ]
}

fn troubles() -> impl Strategy<Value = Vec<TimedCommand>> {
    let timed = (0_u64..60_000_000, trouble());
    prop::collection::vec(timed, 0..6).prop_map(|mut commands| {
        commands.sort_by_key(|(micros, _)| *micros);
        let timed = |(micros, command)| TimedCommand { at: Instant::from_micros(micros), command };
        commands.into_iter().map(timed).collect()
    })
}

/// Any dials of a topic and its groups, beside which attempts fail as they do in queues.
fn of_logs() -> impl Strategy<Value = Settings> {
    let log = (1_u64..9, prop_oneof![Just(0_u64), 1_u64..40], 1_u64..30, 1_u64..6);
    let kept = prop::option::weighted(0.3, (1_u64..40).prop_map(Span::from_seconds));
    let group = (
        prop::sample::select(PartitionAssignor::ALL),
        prop::sample::select(OffsetReset::ALL),
        prop_oneof![2 => Just(Span::ZERO), 1 => (0_u64..4_000_000).prop_map(Span::from_micros)],
        any::<bool>(),
    );
    (failing(), log, kept, group).prop_map(|(settings, log, kept, group)| Settings {
        partitions: log.0,
        message_keys: log.1,
        segment_records: log.2,
        consumer_count: log.3,
        retention: kept.map_or(Limit::None, Limit::At),
        assignor: group.0,
        offset_reset: group.1,
        rebalance_time: group.2,
        // Half of the runs have room for all that comes.
        broker_memory: if group.3 { 4_000_000 } else { settings.broker_memory },
        ..settings
    })
}

/// A producer, a topic and a group, all with these settings, and a queue beside them that may be in use.
fn log_with(settings: Settings, uses_queue: bool) -> Rc<Scenario> {
    let producer =
        |name: &str, to: &str| ProducerNode { name: name.into(), to: to.into(), ..ProducerNode::default() };
    let Topology { consumers, .. } = Topology::default();
    let topology = Topology {
        producers: match uses_queue {
            true => vec![producer("shop", "orders"), producer("till", "queue")],
            false => vec![producer("shop", "orders")],
        },
        topics: vec![TopicNode { name: "orders".into() }],
        groups: vec![GroupNode { name: "billing".into(), from: "orders".into(), ..GroupNode::default() }],
        consumers: if uses_queue { consumers } else { vec![] },
        ..Topology::default()
    };
    Rc::new(Scenario::with_settings(settings).with_topology(topology).expect("it is right"))
}

fn both_ways(scenario: Rc<Scenario>, commands: &[TimedCommand]) -> Result<(), TestCaseError> {
    let short = played_from(Simulation::new(scenario.clone()), commands, u64::MAX);
    let mut long = Simulation::new(scenario);
    long.go_the_long_way();
    let long = played_from(long, commands, u64::MAX);
    prop_assert_eq!(short.ledger(), long.ledger());
    prop_assert_eq!(short.snapshot(), long.snapshot());
    prop_assert_eq!(short.state_hash(), long.state_hash());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_shortcut_ends_where_the_long_way_does(settings in settings(), commands in script()) {
        both_ways(Rc::new(Scenario::with_settings(settings)), &commands)?;
    }

    #[test]
    fn a_failure_that_takes_a_shortcut_ends_where_the_long_way_does(settings in failing(), commands in troubles()) {
        both_ways(Rc::new(Scenario::with_settings(settings)), &commands)?;
    }
    #[test]
    fn a_shortcut_of_a_log_ends_where_the_long_way_does(
        settings in of_logs(),
        uses_queue in any::<bool>(),
        commands in troubles(),
    ) {
        both_ways(log_with(settings, uses_queue), &commands)?;
    }
}
