//! What a run uses and what is still to come in it: what a snapshot does not tell.
//!
//! Most sentences reason from one producer, one queue and one pool whose consumers all work. Where
//! a run has or had anything else, only what was counted is said. Where the scenario has commands
//! to come, no forecast looks beyond the next one.

use crate::model::command::{Command, ConsumerDoes};
use crate::model::scenario::Scenario;
use crate::model::settings::{Setting, Settings, TABLE, Value};
use crate::model::simulation::Simulation;
use crate::model::time::Instant;
use crate::model::topology::{GroupNode, ProducerNode, Topology};

/// A run's course so far. Once it is not plain it stays so: what failed or went astray comes back
/// at times that no dial tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    is_plain: bool,
    is_even_log: bool,
    acts_at: Option<Instant>,
    scripted_seen: usize,
    logged_seen: usize,
}

impl Course {
    /// The course of `simulation` up to now.
    #[must_use]
    pub fn of(simulation: &Simulation) -> Self {
        let is_plain = is_plain(simulation.scenario());
        let has_topics = !simulation.scenario().topology().topics.is_empty();
        let is_even_log = has_topics && is_even_log(simulation.scenario());
        let mut course = Self { is_plain, is_even_log, acts_at: None, scripted_seen: 0, logged_seen: 0 };
        course.take_in(simulation);
        course
    }

    /// Takes in what was done since the last time.
    pub fn take_in(&mut self, simulation: &Simulation) {
        let script = simulation.scenario().commands();
        while let Some(timed) = script.get(self.scripted_seen).filter(|timed| timed.at <= simulation.now()) {
            self.take_in_command(&timed.command);
            self.scripted_seen += 1;
        }
        self.acts_at = script.get(self.scripted_seen).map(|timed| timed.at);
        let log = simulation.command_log();
        let logged = log.len();
        log.skip(self.logged_seen).for_each(|timed| self.take_in_command(&timed.command));
        self.logged_seen = logged;
    }

    fn take_in_command(&mut self, command: &Command) {
        self.is_plain &= keeps_plain(command);
        self.is_even_log = self.is_even_log && keeps_log_even(command);
    }

    /// Whether it is what the sentences about rates speak of.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether it is what the sentences about the flow of a log speak of: one producer with equal gaps,
    /// one topic that gets its records in turn and keeps them, and groups that try each once.
    #[must_use]
    pub const fn is_even_log(&self) -> bool {
        self.is_even_log
    }

    /// When the scenario itself does something next.
    #[must_use]
    pub const fn acts_at(&self) -> Option<Instant> {
        self.acts_at
    }
}

fn is_plain(scenario: &Scenario) -> bool {
    let topology = scenario.topology();
    let counts = [topology.producers.len(), topology.queues.len(), topology.consumers.len()];
    let is_alone = counts == [1; 3] || is_queue_alone(topology);
    let is_plain = |setting: Setting| {
        let value = scenario.settings.get(setting);
        is_plain_value(setting, value) || !topology.topics.is_empty() && EVEN_LOG.contains(&setting)
    };
    is_alone
        && topology.queues.iter().all(|queue| queue.dead_letters_to.is_none())
        && scenario.node_settings().is_empty()
        && TABLE.iter().all(|row| is_plain(row.setting))
}

/// Whether beside one producer, one queue and one pool there are only a log that gets the same messages,
/// and pools that have nobody yet.
#[inline(never)]
fn is_queue_alone(topology: &Topology) -> bool {
    let [first, others @ ..] = topology.producers.as_slice() else { return false };
    let [queue] = topology.queues.as_slice() else { return false };
    let goes_to_log =
        |other: &ProducerNode| other.like.is_some() && topology.topic_named(&other.to).is_some();
    let later = topology.consumers.iter().skip(1);
    first.to == queue.name && others.iter().all(goes_to_log) && later.into_iter().all(|pool| pool.joins_later)
}

fn keeps_plain(command: &Command) -> bool {
    match command {
        Command::Burst { .. } | Command::BurstOf { .. } | Command::AddPartitions { .. } => true,
        Command::Set { setting, value } => is_plain_value(*setting, *value),
        _ => false,
    }
}

#[inline(never)]
fn is_even_log(scenario: &Scenario) -> bool {
    let topology = scenario.topology();
    let [producer] = topology.producers.as_slice() else { return false };
    // Where nothing fails, nothing comes to the other topics, and nobody is kept from work by what does.
    let are_for_failures =
        (0..topology.topics.len()).all(|topic| is_fed(topology, topic) || topology.takes_passed_on(topic));
    let is_read = |node: &GroupNode| {
        let topic = topology.topic_named(&node.from);
        node.from == producer.to || topic.is_some_and(|topic| topology.takes_passed_on(topic))
    };
    let is_alone = topology.consumers.is_empty() && topology.topic_named(&producer.to).is_some();
    let has_even_settings =
        |settings: &Settings| TABLE.iter().all(|row| is_even_value(row.setting, settings.get(row.setting)));
    let nodes = scenario.node_settings().iter().map(|(_, settings)| settings);
    is_alone
        && are_for_failures
        && topology.groups.iter().all(is_read)
        && nodes.chain([&scenario.settings]).all(has_even_settings)
}

fn is_fed(topology: &Topology, topic: usize) -> bool {
    let name = topology.topics.get(topic).map(|node| &node.name);
    topology.producers.iter().any(|producer| Some(&producer.to) == name)
}

#[inline(never)]
fn keeps_log_even(command: &Command) -> bool {
    match command {
        Command::Set { setting, value } | Command::SetNode { setting, value, .. } => {
            is_even_value(*setting, *value)
        }
        // A consumer that is about to crash does so at a time that nothing tells.
        Command::Consumer { does, .. } => *does != ConsumerDoes::CrashFinishing,
        Command::Burst { .. }
        | Command::BurstOf { .. }
        | Command::StopConsumers { .. }
        | Command::StartConsumers { .. }
        | Command::Join { .. }
        | Command::ResetOffsets { .. }
        | Command::SetAlertRule { .. } => true,
        _ => false,
    }
}

/// What may have another value than its default while a log is even.
fn is_even_value(setting: Setting, value: Value) -> bool {
    let is_of_log = EVEN_LOG.contains(&setting);
    let may_differ = !UNEVEN.contains(&setting) && is_plain_value(setting, value);
    is_of_log || may_differ || value == Settings::default().get(setting)
}

/// How a topic and its groups are laid out.
const EVEN_LOG: &[Setting] = &[
    Setting::Partitions,
    Setting::SegmentRecords,
    Setting::Assignor,
    Setting::OffsetReset,
    Setting::RebalanceTime,
    Setting::BlocksConsumer,
    Setting::Idempotence,
];

/// What the sentences about a queue know, and those about a log do not.
const UNEVEN: &[Setting] = &[Setting::Arrivals, Setting::ServiceTime, Setting::BrokerMemory];

/// The dials that the sentences know, and settings that have no effect without others.
const KNOWN: &[Setting] = &[
    Setting::ProducerRate,
    Setting::Arrivals,
    Setting::BurstSize,
    Setting::ConsumerRate,
    Setting::ConsumerCount,
    Setting::ServiceTime,
    Setting::QueueBound,
    Setting::Overflow,
    Setting::BrokerMemory,
    Setting::Seed,
    Setting::MessageBytes,
    Setting::MessagePriority,
    Setting::AttemptsMax,
    Setting::RetryAt,
    Setting::RetryDelay,
    Setting::RetryDelayBase,
    Setting::RetryDelayCap,
    Setting::CallLayers,
    Setting::CallAttempts,
    Setting::ConsumerCountMin,
    Setting::ConsumerCountMax,
    Setting::AutoscaleBacklog,
    Setting::AutoscaleUtilisation,
    Setting::AutoscaleInterval,
    Setting::ScaleDownWindow,
    Setting::LateMessages,
    Setting::ConfirmLoss,
    Setting::ConfirmTimeout,
    Setting::SendAttempts,
    Setting::UnconfirmedMax,
    Setting::ShedShare,
    Setting::CallTimeout,
];

/// Everything else has to be at its default.
fn is_plain_value(setting: Setting, value: Value) -> bool {
    KNOWN.contains(&setting) || value == Settings::default().get(setting)
}
