//! Topics and the groups that read them: every assignor, members that die, hang, come and go, records
//! that fail, retention that passes a slow group, and a queue beside a topic.

use queue_lab::model::command::{Command, TimedCommand};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{Definition, Value};
use queue_lab::model::topology::{ConsumersNode, GroupNode, ProducerNode, QueueNode, TopicNode, Topology};

use super::trouble::{consumer_does, every, settings};

/// Name, scenario and model seconds of each run.
pub fn runs() -> Vec<(&'static str, Scenario, u64)> {
    vec![
        ("log-range-by-turn", range_by_turn(), 900),
        ("log-round-robin-members-die", members_die(), 900),
        ("log-sticky-poison-in-place", poison_in_place(), 1_500),
        ("log-cooperative-members-come-and-go", come_and_go(), 900),
        ("log-retention-passes-the-reader", retention(), 1_200),
        ("log-and-queue-side-by-side", side_by_side(), 900),
    ]
}

/// A producer, a topic and a group, with these settings for all of them.
fn log(of: &[(&str, &str)], commands: Vec<TimedCommand>) -> Scenario {
    let topology = Topology {
        producers: vec![ProducerNode { name: "shop".into(), to: "orders".into(), ..ProducerNode::default() }],
        topics: vec![TopicNode { name: "orders".into() }],
        groups: vec![GroupNode { name: "billing".into(), from: "orders".into(), ..GroupNode::default() }],
        consumers: vec![],
        ..Topology::default()
    };
    scenario(of, topology, commands)
}

fn scenario(of: &[(&str, &str)], topology: Topology, commands: Vec<TimedCommand>) -> Scenario {
    Scenario::with_settings(settings(of))
        .with_topology(topology)
        .expect("the topology is right")
        .with_commands(commands)
}

fn set(name: &str, value: Value) -> Command {
    let row = Definition::by_name(name).expect("the name is in the table");
    Command::Set { setting: row.setting, value }
}

fn range_by_turn() -> Scenario {
    let dials = [
        ("assignor", "range"),
        ("keys", "0"),
        ("partitions", "12"),
        ("p", "90"),
        ("c", "9"),
        ("workers", "10"),
        ("arrivals", "poisson"),
        ("work", "exponential"),
        ("fail", "3"),
    ];
    log(&dials, every(60, 890, |_| Command::Burst { count: 700 }))
}

fn members_die() -> Scenario {
    let dials = [
        ("assignor", "round-robin"),
        ("keys", "300"),
        ("partitions", "10"),
        ("rebalance", "1.5"),
        ("p", "80"),
        ("c", "16"),
        ("workers", "7"),
        ("work", "log-normal"),
        ("restart", "20"),
        ("cold_start", "3"),
    ];
    log(&dials, every(13, 890, |turn| consumer_does(turn, 7)))
}

fn poison_in_place() -> Scenario {
    let dials = [
        ("assignor", "sticky"),
        ("keys", "77"),
        ("partitions", "16"),
        ("p", "50"),
        ("c", "12"),
        ("workers", "6"),
        ("work", "exponential"),
        ("poison", "0.2"),
        ("fail", "10"),
        ("retry", "in-place"),
        ("attempts", "5"),
        ("backoff", "full-jitter"),
        ("delay", "0.4"),
        ("delay_max", "6"),
        ("dedupe", "after"),
        ("deadline", "5"),
    ];
    let commands = every(40, 1_490, |turn| match turn {
        33 => Command::DeployFix,
        turn if turn.is_multiple_of(5) => Command::Poison { producer: 0, count: 2 },
        _ => consumer_does(turn, 6),
    });
    log(&dials, commands)
}

fn come_and_go() -> Scenario {
    let dials = [
        ("assignor", "cooperative-sticky"),
        ("keys", "1000"),
        ("partitions", "24"),
        ("rebalance", "2"),
        ("p", "100"),
        ("c", "12"),
        ("workers", "9"),
        ("arrivals", "bursts"),
        ("burst", "25"),
        ("downstream", "110"),
        ("dedupe", "together"),
    ];
    let commands = every(17, 890, |turn| match turn % 4 {
        0 => Command::StopConsumers { pool: 0 },
        1 => Command::StartConsumers { pool: 0 },
        2 => set("workers", Value::Count(4 + turn % 11)),
        _ => consumer_does(turn, 4),
    });
    log(&dials, commands)
}

fn retention() -> Scenario {
    let dials = [
        ("keys", "40"),
        ("partitions", "6"),
        ("segment", "50"),
        ("retention", "30"),
        ("offset_reset", "latest"),
        ("p", "60"),
        ("c", "11"),
        ("workers", "5"),
        ("arrivals", "poisson"),
        ("work", "exponential"),
        ("blocks", "on"),
        ("fail", "5"),
        ("retry", "in-place"),
        ("delay", "1"),
    ];
    let commands = every(25, 1_190, |turn| match turn % 4 {
        0 => Command::BrokerDown,
        1 => Command::BrokerUp,
        2 => Command::Burst { count: 2_500 },
        _ => consumer_does(turn, 5),
    });
    log(&dials, commands)
}

fn side_by_side() -> Scenario {
    let producer =
        |name: &str, to: &str| ProducerNode { name: name.into(), to: to.into(), ..ProducerNode::default() };
    let topology = Topology {
        producers: vec![producer("till", "jobs"), producer("shop", "orders")],
        queues: vec![QueueNode { name: "jobs".into(), ..QueueNode::default() }],
        topics: vec![TopicNode { name: "orders".into() }],
        groups: vec![GroupNode { name: "billing".into(), from: "orders".into(), ..GroupNode::default() }],
        consumers: vec![ConsumersNode {
            name: "workers".into(),
            from: "jobs".into(),
            ..ConsumersNode::default()
        }],
    };
    let dials = [
        ("keys", "500"),
        ("partitions", "8"),
        ("p", "40"),
        ("c", "7"),
        ("workers", "7"),
        ("arrivals", "poisson"),
        ("work", "exponential"),
        ("fail", "8"),
        ("attempts", "4"),
        ("delay", "0.5"),
        ("confirms", "awaited"),
        ("confirm_loss", "2"),
        ("confirm_timeout", "1"),
        ("downstream", "85"),
        ("capacity", "300"),
    ];
    scenario(&dials, topology, every(9, 890, |turn| consumer_does(turn, 7)))
}
