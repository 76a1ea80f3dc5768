//! Several teams of a topic and a queue beside it, with everything that was ever added to a log: retry
//! topics, dead letters that are sent back, resets, partitions, commits, schemas, and alerts.

use queue_lab::model::alerts::{AlertRule, AlertRules, parse};
use queue_lab::model::command::{Command, TimedCommand};
use queue_lab::model::group::reset::ResetTo;
use queue_lab::model::rate::Rate;
use queue_lab::model::routes::{GroupIndex, TopicIndex};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::time::{Instant, Span};
use queue_lab::model::topology::{ConsumersNode, GroupNode, ProducerNode, QueueNode, TopicNode, Topology};

use super::trouble::{consumer_does, every, settings};

/// Name, scenario and model seconds of the run.
pub fn run() -> (&'static str, Scenario, u64) {
    ("log-teams-retries-resets-alerts", scenario(), 900)
}

/// Places of the topology below.
const ORDERS: TopicIndex = TopicIndex(0);
const DEAD: TopicIndex = TopicIndex(2);
const BILLING: u16 = 1;
const SEARCH: u16 = 3;

fn topology() -> Topology {
    let topic = |name: &str| TopicNode { name: name.into() };
    let group = |name: &str, from: &str| GroupNode {
        name: name.into(),
        from: from.into(),
        retry_to: Some("again".into()),
        dead_letters_to: Some("dead".into()),
        ..GroupNode::default()
    };
    let search =
        GroupNode { name: "search".into(), from: "orders".into(), joins_later: true, ..GroupNode::default() };
    let producer = |name: &str, to: &str, like: Option<&str>| ProducerNode {
        name: name.into(),
        to: to.into(),
        like: like.map(str::to_owned),
        ..ProducerNode::default()
    };
    Topology {
        producers: vec![producer("shop", "orders", None), producer("till", "jobs", Some("shop"))],
        queues: vec![QueueNode { name: "jobs".into(), ..QueueNode::default() }],
        consumers: vec![ConsumersNode {
            name: "workers".into(),
            from: "jobs".into(),
            ..ConsumersNode::default()
        }],
        topics: vec![topic("orders"), topic("again"), topic("dead")],
        groups: vec![group("billing", "orders"), group("billing-again", "again"), search],
    }
}

fn scenario() -> Scenario {
    let dials = [
        ("keys", "300"),
        ("partitions", "5"),
        ("p", "30"),
        ("c", "9"),
        ("workers", "6"),
        ("arrivals", "poisson"),
        ("work", "exponential"),
        ("fail", "6"),
        ("attempts", "3"),
        ("delay", "2"),
        ("commit_every", "4"),
        ("commit_fail", "10"),
        ("confirms", "awaited"),
        ("confirm_loss", "2"),
        ("confirm_timeout", "1"),
        ("offset_reset", "earliest"),
        ("rebalance", "0.5"),
        ("capacity", "400"),
        ("schema", "add-required"),
    ];
    let side_by_side = [("processing", "key")];
    let search: Vec<(&str, &str)> = dials.into_iter().chain(side_by_side).collect();
    let scenario = Scenario::with_settings(settings(&dials))
        .with_node_settings(vec![("search".into(), settings(&search))])
        .with_topology(topology())
        .expect("the topology is right")
        .with_alerts(alerts());
    scenario.with_commands(commands())
}

fn alerts() -> AlertRules {
    let mut rules = AlertRules::every_seconds(15);
    for (name, when, hold) in [
        ("Lag", "kafka_consumergroup_lag_sum > 300", 30),
        ("Slow", "deriv(kafka_consumergroup_lag[2m]) > 0.2", 60),
        ("Dead", "increase(messages_dead_lettered_total[5m]) > 1", 0),
        ("Old", "queue_oldest_message_of_producer_age_seconds > 5", 0),
    ] {
        let condition = parse::condition(when).expect("it is sound");
        let (hold, keep_firing) = (Span::from_seconds(hold), Span::from_seconds(45));
        let rule = AlertRule { name: name.into(), owner: "orders".into(), condition, hold, keep_firing };
        rules.add(rule).expect("it is one that can be run");
    }
    rules
}

fn commands() -> Vec<TimedCommand> {
    let at = |seconds: u64, command: Command| TimedCommand { at: Instant::from_seconds(seconds), command };
    let send_back = |rate: Option<Rate>| Command::SendBack { from: DEAD, to: ORDERS, rate };
    let mut all = every(21, 890, |turn| match turn % 3 {
        0 => Command::PoisonPartition { topic: ORDERS, partition: 2, count: 2 },
        1 => Command::Poison { producer: 0, count: 1 },
        _ => consumer_does(turn / 3, 6),
    });
    all.extend([
        at(120, Command::Join { pool: SEARCH }),
        at(200, Command::AddPartitions { topic: ORDERS, to: 8 }),
        at(300, send_back(Some(Rate::from_per_second(2)))),
        at(400, Command::StopConsumers { pool: BILLING }),
        at(420, Command::ResetOffsets { group: GroupIndex(0), partition: None, to: ResetTo::Shift(-150) }),
        at(425, Command::StartConsumers { pool: BILLING }),
        at(500, Command::DeployFix),
        at(510, send_back(None)),
        at(600, Command::ChangeSchema { producer: 0 }),
        at(650, Command::UpgradeReaders { pool: SEARCH }),
        at(700, Command::UpgradeReaders { pool: BILLING }),
    ]);
    all
}
