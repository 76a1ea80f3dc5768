//! The workloads of the comparison with a plain loop: the same queue, or the same log, for both.

use std::rc::Rc;

use plain_loop::{Log, Queue, Retries};
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{
    ArrivalPattern, Bound, DeadLetters, RetryAt, RetryDelay, Returns, ServiceTime, Settings,
};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};
use queue_lab::model::topology::{GroupNode, ProducerNode, TopicNode, Topology};

/// Records that a broker stores at most.
const STORED_MAX: u64 = 4_000_000;

/// One workload. Rates are messages a second.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// What it is called.
    pub name: &'static str,
    arrivals: u32,
    consumers: u32,
    each: u32,
    of: Of,
}

/// What it is a workload of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    /// A queue.
    Queue,
    /// A queue whose consumers' attempts fail one time in five: three attempts, one mean service
    /// time apart, then a dead letter.
    Retries,
    /// A topic and the one group that reads it.
    Log {
        partitions: u32,
        /// Keys that records have; 0: none, they go to the partitions by turn.
        keys: u32,
        /// The first member dies at the start, and again at every start.
        has_dead_member: bool,
    },
}

const READ: Of = Of::Log { partitions: 12, keys: 0, has_dead_member: false };
const READ_BY_KEY: Of = Of::Log { partitions: 12, keys: 100_000, has_dead_member: false };
#[cfg(not(target_arch = "wasm32"))]
const UNREAD: Of = Of::Log { partitions: 10, keys: 0, has_dead_member: true };

/// One consumer, four of them at the same load, one whose attempts fail, and groups of twelve members
/// that read twelve partitions: by turn, and by key at a load that the fullest partition bears.
pub const WORKLOADS: [Workload; 5] = [
    Workload { name: "M/M/1 at 0.8", arrivals: 80, consumers: 1, each: 100, of: Of::Queue },
    Workload { name: "M/M/4 at 0.8", arrivals: 80, consumers: 4, each: 25, of: Of::Queue },
    Workload { name: "retry", arrivals: 60, consumers: 1, each: 100, of: Of::Retries },
    Workload { name: "log by turn at 0.8", arrivals: 960, consumers: 12, each: 100, of: READ },
    Workload { name: "log by key at 0.8", arrivals: 960, consumers: 12, each: 100, of: READ_BY_KEY },
];

/// The group of one is dead from the start and nobody reads what comes: 463 records a second.
#[cfg(not(target_arch = "wasm32"))]
pub const DEAD_GROUP: Workload =
    Workload { name: "dead group", arrivals: 463, consumers: 1, each: 20, of: UNREAD };

impl Workload {
    /// The scenario of a run.
    pub fn scenario(&self) -> Rc<Scenario> {
        let settings = Settings {
            producer_rate: Rate::from_per_second(self.arrivals.into()),
            arrivals: ArrivalPattern::Poisson,
            consumer_rate: Rate::from_per_second(self.each.into()),
            consumer_count: self.consumers.into(),
            service_time: ServiceTime::Exponential,
            queue_bound: Bound::None,
            ..Settings::default()
        };
        Rc::new(match self.of {
            Of::Queue => Scenario::with_settings(settings),
            Of::Retries => Scenario::with_settings(with_retries(settings)),
            Of::Log { partitions, keys, has_dead_member } => {
                let (partitions, message_keys) = (partitions.into(), keys.into());
                let arrivals = if has_dead_member { ArrivalPattern::Steady } else { settings.arrivals };
                let scenario = of_a_log(Settings { partitions, message_keys, arrivals, ..settings });
                if has_dead_member { scenario.with_commands(vec![DEATH]) } else { scenario }
            }
        })
    }

    /// When about so many messages have arrived.
    pub fn end(&self, messages: u64) -> Instant {
        Instant::from_micros(messages * 1_000_000 / u64::from(self.arrivals))
    }

    /// Plays the model, with everything that it counts, and returns how many arrived and were done.
    pub fn play(&self, messages: u64) -> u64 {
        let mut simulation = Simulation::new(self.scenario());
        simulation.advance_to(self.end(messages), u64::MAX);
        simulation.ledger().offered + simulation.totals().side_effects
    }

    /// Plays the plain loop and returns how long messages waited, and how many died.
    pub fn play_plainly(&self, messages: u64) -> f64 {
        let queue = Queue {
            arrival_rate: self.arrivals.into(),
            consumers: self.consumers as usize,
            service_rate: self.each.into(),
        };
        let outcome = match self.of {
            Of::Queue => plain_loop::without_retries(queue, messages),
            Of::Retries => {
                let retries = Retries { failing: 0.2, attempts: 3, delay: 0.01 };
                plain_loop::with_retries(queue, retries, messages)
            }
            Of::Log { partitions, keys, has_dead_member } => {
                let log = Log {
                    arrival_rate: self.arrivals.into(),
                    partitions: partitions as usize,
                    keys: keys.into(),
                    service_rate: (!has_dead_member).then_some(self.each.into()),
                    stored_max: STORED_MAX,
                };
                plain_loop::partitioned_log(log, messages)
            }
        };
        outcome.waited + (outcome.dead_letters + outcome.stored) as f64
    }
}

fn with_retries(settings: Settings) -> Settings {
    Settings {
        failure_share: 200_000,
        attempts_max: Some(3),
        retry_at: RetryAt::RetryQueue,
        retry_delay: RetryDelay::Fixed,
        retry_delay_base: Span::from_millis(10),
        returns: Returns::Back,
        dead_letters: DeadLetters::Kept,
        ..settings
    }
}

const DEATH: TimedCommand = TimedCommand {
    at: Instant::START,
    command: Command::Consumer { pool: 0, number: 0, does: ConsumerDoes::CrashLoop },
};

fn of_a_log(settings: Settings) -> Scenario {
    let topology = Topology {
        producers: vec![ProducerNode { name: "shop".into(), to: "orders".into(), ..ProducerNode::default() }],
        topics: vec![TopicNode { name: "orders".into() }],
        groups: vec![GroupNode { name: "billing".into(), from: "orders".into(), ..GroupNode::default() }],
        consumers: vec![],
        ..Topology::default()
    };
    let scenario = Scenario::with_settings(settings).with_topology(topology);
    scenario.unwrap_or_else(|problem| panic!("the topology is right: {problem:?}"))
}
