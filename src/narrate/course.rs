//! What a run uses and what is still to come in it: what a snapshot does not tell.
//!
//! Most sentences reason from one producer, one queue and one pool whose consumers all work. Where
//! a run has or had anything else, only what was counted is said. Where the scenario has commands
//! to come, no forecast looks beyond the next one.

use crate::model::command::Command;
use crate::model::scenario::Scenario;
use crate::model::settings::{Setting, Settings, TABLE, Value};
use crate::model::simulation::Simulation;
use crate::model::time::Instant;

/// A run's course so far. Once it is not plain it stays so: what failed or went astray comes back
/// at times that no dial tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    is_plain: bool,
    acts_at: Option<Instant>,
    scripted_seen: usize,
    logged_seen: usize,
}

impl Course {
    /// The course of `simulation` up to now.
    #[must_use]
    pub fn of(simulation: &Simulation) -> Self {
        let is_plain = is_plain(simulation.scenario());
        let mut course = Self { is_plain, acts_at: None, scripted_seen: 0, logged_seen: 0 };
        course.take_in(simulation);
        course
    }

    /// Takes in what was done since the last time.
    pub fn take_in(&mut self, simulation: &Simulation) {
        let script = simulation.scenario().commands();
        while let Some(timed) = script.get(self.scripted_seen).filter(|timed| timed.at <= simulation.now()) {
            self.is_plain &= keeps_plain(&timed.command);
            self.scripted_seen += 1;
        }
        self.acts_at = script.get(self.scripted_seen).map(|timed| timed.at);
        let log = simulation.command_log();
        let logged = log.len();
        self.is_plain &= log.skip(self.logged_seen).all(|timed| keeps_plain(&timed.command));
        self.logged_seen = logged;
    }

    /// Whether it is what the sentences about rates speak of.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.is_plain
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
    let is_alone = counts == [1; 3] && topology.queues.iter().all(|queue| queue.dead_letters_to.is_none());
    is_alone
        && scenario.node_settings().is_empty()
        && TABLE.iter().all(|row| is_plain_value(row.setting, scenario.settings.get(row.setting)))
}

fn keeps_plain(command: &Command) -> bool {
    match command {
        Command::Burst { .. } | Command::BurstOf { .. } => true,
        Command::Set { setting, value } => is_plain_value(*setting, *value),
        _ => false,
    }
}

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
