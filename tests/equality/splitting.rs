//! A queue that is split while it runs, with consumers that die, hang and start cold on their way.

use queue_lab::model::broker::QueueIndex;
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::time::Instant;
use queue_lab::model::topology::{ConsumersNode, ProducerNode, QueueNode, Topology};

use super::trouble::{every, settings, with};

/// Name, scenario and model seconds of each run.
pub fn runs() -> Vec<(&'static str, Scenario, u64)> {
    vec![("split-while-running", split(), 1_200)]
}

fn topology() -> Topology {
    let named = |name: &str| Some(name.to_owned());
    let producer = |name: &str, part: &str| ProducerNode {
        name: name.into(),
        to: "mail".into(),
        split_to: named(part),
        ..ProducerNode::default()
    };
    let part = |name: &str| QueueNode {
        name: name.into(),
        dead_letters_to: named("failed"),
        split_from: named("mail"),
    };
    let pool = |name: &str, from: &str, source: Option<&str>| ConsumersNode {
        name: name.into(),
        from: from.into(),
        split_from: source.map(Into::into),
        ..ConsumersNode::default()
    };
    Topology {
        producers: vec![producer("resets", "urgent"), producer("digests", "bulk")],
        queues: vec![
            QueueNode { name: "mail".into(), dead_letters_to: named("failed"), split_from: None },
            part("urgent"),
            part("bulk"),
            QueueNode { name: "failed".into(), ..QueueNode::default() },
        ],
        consumers: vec![
            pool("senders", "mail", None),
            pool("urgent-senders", "urgent", Some("senders")),
            pool("rescuers", "urgent", None),
            pool("bulk-senders", "bulk", Some("senders")),
        ],
        ..Topology::default()
    }
}

fn split() -> Scenario {
    let all = settings(&[
        ("p", "12"),
        ("c", "5"),
        ("workers", "12"),
        ("work", "exponential"),
        ("arrivals", "poisson"),
        ("prefetch", "4"),
        ("fail", "5"),
        ("attempts", "3"),
        ("capacity", "500"),
        ("overflow", "block"),
    ]);
    let own = [
        ("digests", &[("p", "35")][..]),
        ("urgent-senders", &[("workers", "3"), ("restart", "5"), ("cold_start", "2")]),
        ("rescuers", &[("workers", "2"), ("cold_start", "4"), ("autoscale", "backlog")]),
        ("bulk-senders", &[("workers", "6"), ("drain", "28"), ("batch", "1")]),
    ];
    let own = own.map(|(name, of)| (name.to_owned(), with(all.clone(), of))).to_vec();
    let mut commands = vec![TimedCommand {
        at: Instant::from_micros(300_000_017),
        command: Command::SplitQueues { queue: QueueIndex(0) },
    }];
    let does = [ConsumerDoes::Hang, ConsumerDoes::Crash, ConsumerDoes::Restart, ConsumerDoes::CrashFinishing];
    for (place, does) in does.into_iter().enumerate() {
        let at = |micros: u64| Instant::from_micros(micros + place as u64);
        let number = 5 + u16::try_from(place).unwrap_or_default();
        let one = Command::Consumer { pool: 0, number, does };
        commands
            .extend([299_900_000, 300_100_000].map(|micros| TimedCommand { at: at(micros), command: one }));
    }
    commands.extend(every(30, 1_190, |turn| match turn % 3 {
        0 => Command::BurstOf { producer: 1, count: 200 },
        1 => Command::Consumer { pool: 1, number: 0, does: ConsumerDoes::Crash },
        _ => Command::Consumer { pool: 0, number: 1, does: ConsumerDoes::Restart },
    }));
    Scenario::with_settings(all)
        .with_topology(topology())
        .expect("the topology is right")
        .with_node_settings(own)
        .with_commands(commands)
}
