//! What a run uses and what is still to come in it: what a snapshot does not tell.
//!
//! Most sentences reason from one producer, one queue and one pool whose consumers all work. Where
//! a run has or had anything else, only what was counted is said. Where the scenario has commands
//! to come, no forecast looks beyond the next one.

use crate::model::command::Command;
use crate::model::scenario::Scenario;
use crate::model::settings::Settings;
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
    is_alone && scenario.node_settings().is_empty() && are_plain(&scenario.settings)
}

fn keeps_plain(command: &Command) -> bool {
    match command {
        Command::Burst { .. } | Command::BurstOf { .. } => true,
        Command::Set { setting, value } => {
            let mut settings = Settings::default();
            settings.set(*setting, *value);
            are_plain(&settings)
        }
        _ => false,
    }
}

/// Whether all is at its default but the dials that the sentences know, and what has no effect
/// without the others.
fn are_plain(settings: &Settings) -> bool {
    let known = Settings {
        producer_rate: settings.producer_rate,
        arrivals: settings.arrivals,
        burst_size: settings.burst_size,
        consumer_rate: settings.consumer_rate,
        consumer_count: settings.consumer_count,
        service_time: settings.service_time,
        queue_bound: settings.queue_bound,
        overflow: settings.overflow,
        broker_memory: settings.broker_memory,
        seed: settings.seed,
        message_bytes: settings.message_bytes,
        message_priority: settings.message_priority,
        attempts_max: settings.attempts_max,
        retry_at: settings.retry_at,
        retry_delay: settings.retry_delay,
        retry_delay_base: settings.retry_delay_base,
        retry_delay_cap: settings.retry_delay_cap,
        call_layers: settings.call_layers,
        call_attempts: settings.call_attempts,
        ..Settings::default()
    };
    known == *settings
}
