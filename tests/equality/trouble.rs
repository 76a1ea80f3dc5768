//! Runs over everything that can go wrong: brokers' rules, failures, crashes, dead letters,
//! records, and what the consumers share.

use queue_lab::model::broker::QueueIndex;
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{Definition, Settings};
use queue_lab::model::time::{Instant, Span};
use queue_lab::model::topology::{ConsumersNode, ProducerNode, QueueNode, Topology};

/// Name, scenario and model seconds of each run.
pub fn runs() -> Vec<(&'static str, Scenario, u64)> {
    vec![
        ("quorum-failures-dead-letters", quorum(), 700),
        ("sqs-standard-short-visibility", sqs_standard(), 700),
        ("sqs-fifo-groups", sqs_fifo(), 900),
        ("decorrelated-jitter-downstream-layers", layers(), 2_000),
        ("split-queues-priorities-drain", split(), 900),
        ("log-normal-early-acknowledgement", early(), 1_000),
        ("newest-first-bytes-in-place", newest_first(), 900),
        ("confirms-lost-shed-shaped-disk", confirms(), 900),
        ("direct-calls-timeouts", direct(), 900),
    ]
}

/// The settings with these values, by their names in links.
pub(super) fn with(mut settings: Settings, of: &[(&str, &str)]) -> Settings {
    for (name, text) in of {
        let row = Definition::by_name(name).expect("the name is in the table");
        let value = row.read(text).0.expect("the value can be read");
        assert!(settings.set(row.setting, value), "{name}={text}");
    }
    settings
}

pub(super) fn settings(of: &[(&str, &str)]) -> Settings {
    with(Settings { seed: 20_261_130, ..Settings::default() }, of)
}

pub(super) fn every(seconds: u64, until: u64, command: impl Fn(u64) -> Command) -> Vec<TimedCommand> {
    let at = |turn: u64| Instant::from_micros(turn * seconds * 999_961);
    (1..until / seconds).map(|turn| TimedCommand { at: at(turn), command: command(turn) }).collect()
}

/// Each consumer in its turn goes through everything that can happen to one.
pub(super) fn consumer_does(turn: u64, count: u64) -> Command {
    let does = match turn % 6 {
        0 => ConsumerDoes::Crash,
        2 => ConsumerDoes::Hang,
        4 => ConsumerDoes::CrashFinishing,
        _ => ConsumerDoes::Restart,
    };
    Command::Consumer { pool: 0, number: u16::try_from(turn / 6 % count).unwrap_or_default(), does }
}

fn quorum() -> Scenario {
    let dials = [
        ("broker", "rabbitmq-quorum-4.0"),
        ("p", "70"),
        ("c", "10"),
        ("workers", "8"),
        ("arrivals", "poisson"),
        ("work", "exponential"),
        ("prefetch", "7"),
        ("fail", "20"),
        ("poison", "1"),
        ("deliveries", "5"),
        ("dlq", "kept"),
        ("ttl", "8"),
        ("overflow", "drop-oldest"),
    ];
    let mut commands = every(7, 690, |turn| consumer_does(turn, 8));
    let rate = Some(Rate::from_per_second(30));
    let redrive = Command::Redrive { from: QueueIndex(1), to: QueueIndex(0), rate };
    commands.extend(every(90, 690, |turn| if turn == 5 { Command::DeployFix } else { redrive }));
    Scenario::with_settings(settings(&dials)).with_commands(commands)
}

fn sqs_standard() -> Scenario {
    let dials = [
        ("broker", "sqs-standard"),
        ("visibility", "0.5"),
        ("p", "60"),
        ("c", "4"),
        ("workers", "20"),
        ("capacity", "none"),
        ("work", "exponential"),
        ("prefetch", "2"),
        ("deliveries", "4"),
        ("dlq", "kept"),
        ("retention", "120"),
    ];
    Scenario::with_settings(settings(&dials)).with_commands(every(3, 690, |turn| consumer_does(turn, 20)))
}

fn sqs_fifo() -> Scenario {
    let dials = [
        ("broker", "sqs-fifo"),
        ("groups", "40"),
        ("visibility", "2"),
        ("p", "45"),
        ("c", "6"),
        ("workers", "12"),
        ("arrivals", "bursts"),
        ("burst", "13"),
        ("work", "exponential"),
        ("fail", "10"),
        ("overflow", "drop-oldest"),
        ("capacity", "90"),
    ];
    Scenario::with_settings(settings(&dials)).with_commands(every(11, 890, |turn| consumer_does(turn, 12)))
}

fn layers() -> Scenario {
    let dials = [
        ("p", "15"),
        ("c", "20"),
        ("workers", "16"),
        ("downstream", "60"),
        ("downstream_fail", "60"),
        ("layers", "3"),
        ("tries", "2"),
        ("timeout", "0.5"),
        ("retry", "retry-queue"),
        ("backoff", "decorrelated-jitter"),
        ("delay", "0.3"),
        ("delay_max", "20"),
        ("attempts", "6"),
        ("capacity", "500"),
    ];
    let slower = |turn: u64| {
        let row = Definition::by_name("downstream").expect("it is there");
        let text = if turn.is_multiple_of(2) { "60" } else { "30" };
        Command::Set { setting: row.setting, value: row.read(text).0.expect("it is a rate") }
    };
    Scenario::with_settings(settings(&dials)).with_commands(every(50, 1_990, slower))
}

fn split() -> Scenario {
    let producer =
        |name: &str, to: &str| ProducerNode { name: name.into(), to: to.into(), ..ProducerNode::default() };
    let queue = |name: &str, to: Option<&str>| QueueNode {
        name: name.into(),
        dead_letters_to: to.map(Into::into),
        split_from: None,
    };
    let pool = |name: &str, from: &str| ConsumersNode {
        name: name.into(),
        from: from.into(),
        ..ConsumersNode::default()
    };
    let topology = Topology {
        producers: vec![producer("urgent-sender", "urgent"), producer("bulk-sender", "bulk")],
        queues: vec![
            queue("urgent", Some("rejects")),
            queue("bulk", Some("rejects")),
            queue("rejects", Some("bulk")),
        ],
        consumers: vec![pool("urgent-pool", "urgent"), pool("bulk-pool", "bulk"), pool("helpers", "bulk")],
        ..Topology::default()
    };
    let all = settings(&[
        ("priorities", "5"),
        ("p", "20"),
        ("c", "9"),
        ("workers", "3"),
        ("attempts", "2"),
        ("fail", "30"),
        ("overflow", "block"),
    ]);
    let own = vec![
        (
            "bulk-sender".to_owned(),
            with(all.clone(), &[("p", "30"), ("priority", "3"), ("arrivals", "poisson")]),
        ),
        (
            "bulk-pool".to_owned(),
            with(all.clone(), &[("drain", "14"), ("fail", "50"), ("work", "log-normal")]),
        ),
        ("helpers".to_owned(), with(all.clone(), &[("drain", "11.5"), ("workers", "5")])),
        ("rejects".to_owned(), with(all.clone(), &[("ttl", "4"), ("overflow", "drop-oldest")])),
    ];
    let redrive =
        Command::Redrive { from: QueueIndex(2), to: QueueIndex(0), rate: Some(Rate::from_per_second(3)) };
    let commands = every(20, 890, |turn| {
        if turn.is_multiple_of(3) { Command::BurstOf { producer: 1, count: 90 } } else { redrive }
    });
    Scenario::with_settings(all)
        .with_topology(topology)
        .expect("the topology is right")
        .with_node_settings(own)
        .with_commands(commands)
}

fn early() -> Scenario {
    let dials = [
        ("p", "60"),
        ("c", "8"),
        ("workers", "9"),
        ("work", "log-normal"),
        ("ack", "before-work"),
        ("dedupe", "after"),
        ("fail", "5"),
        ("poison", "0.5"),
        ("prefetch", "3"),
        ("capacity", "400"),
        ("overflow", "reject"),
    ];
    let outage = |turn: u64| match turn % 4 {
        0 => Command::BrokerDown,
        1 => Command::BrokerUp,
        _ => consumer_does(turn, 9),
    };
    Scenario::with_settings(settings(&dials)).with_commands(every(6, 990, outage))
}

fn newest_first() -> Scenario {
    let dials = [
        ("order", "newest-first"),
        ("p", "70"),
        ("c", "12"),
        ("workers", "6"),
        ("arrivals", "poisson"),
        ("bytes", "20000"),
        ("message_bytes", "150"),
        ("fail", "15"),
        ("retry", "in-place"),
        ("backoff", "equal-jitter"),
        ("delay", "0.05"),
        ("timeout", "0.5"),
        ("attempts", "4"),
        ("dedupe", "together"),
        ("overflow", "block"),
        ("capacity", "none"),
    ];
    Scenario::with_settings(settings(&dials)).with_commands(every(9, 890, |turn| consumer_does(turn, 6)))
}

/// One producer whose confirms get lost, one that sheds and keeps to a limit, and one that does not
/// care, at a broker that fails over and whose disk fills.
fn confirms() -> Scenario {
    let producer =
        |name: &str, to: &str| ProducerNode { name: name.into(), to: to.into(), ..ProducerNode::default() };
    let queue = |name: &str| QueueNode { name: name.into(), ..QueueNode::default() };
    let pool = |name: &str, from: &str| ConsumersNode {
        name: name.into(),
        from: from.into(),
        ..ConsumersNode::default()
    };
    let topology = Topology {
        producers: vec![producer("shop", "orders"), producer("press", "news"), producer("probe", "orders")],
        queues: vec![queue("orders"), queue("news")],
        consumers: vec![pool("billing", "orders"), pool("post", "news")],
        ..Topology::default()
    };
    let all = settings(&[
        ("p", "40"),
        ("c", "10"),
        ("workers", "6"),
        ("work", "exponential"),
        ("message_bytes", "100"),
        ("disk", "30000"),
        ("capacity", "none"),
        ("prefetch", "2"),
    ]);
    let own = [
        ("shop", &[("confirms", "awaited"), ("confirm_loss", "10"), ("confirm_timeout", "0.5")][..]),
        (
            "press",
            &[("shed_above", "40"), ("shed_share", "70"), ("shape", "33.333"), ("arrivals", "poisson")],
        ),
        ("probe", &[("confirms", "none"), ("p", "15"), ("priority", "7")]),
        ("orders", &[("broker", "rabbitmq-quorum-4.0"), ("capacity", "60"), ("overflow", "reject")]),
        ("news", &[("broker", "sqs-fifo"), ("groups", "9"), ("single_active", "on")]),
    ];
    let own = own.map(|(name, of)| (name.to_owned(), with(all.clone(), of))).to_vec();
    let commands = every(8, 890, |turn| match turn % 4 {
        0 => Command::FailOver { duration: Span::from_micros(turn * 77_777) },
        1 => Command::BurstOf { producer: 1, count: 60 },
        _ => consumer_does(turn, 6),
    });
    Scenario::with_settings(all)
        .with_topology(topology)
        .expect("the topology is right")
        .with_node_settings(own)
        .with_commands(commands)
}

fn direct() -> Scenario {
    let dials = [
        ("path", "direct"),
        ("call_timeout", "0.7"),
        ("p", "60"),
        ("c", "8"),
        ("workers", "9"),
        ("arrivals", "bursts"),
        ("burst", "7"),
        ("work", "exponential"),
        ("fail", "3"),
    ];
    Scenario::with_settings(settings(&dials)).with_commands(every(5, 890, |turn| consumer_does(turn, 9)))
}
