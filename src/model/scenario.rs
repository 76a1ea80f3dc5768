//! A scenario: all that a run starts from. It cannot be invalid.

use super::alerts::AlertRules;
use super::command::TimedCommand;
use super::settings::Settings;
use super::time::Instant;
use super::topology::{Topology, TopologyProblem};

/// What a run starts from, and what happens in it by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    topology: Topology,
    /// The dials at the start.
    pub settings: Settings,
    /// Settings of nodes that have their own.
    node_settings: Vec<(String, Settings)>,
    commands: Vec<TimedCommand>,
    alerts: AlertRules,
    /// Where the run ends by itself.
    pub until: Option<Instant>,
    /// The time of day at the run's start, in seconds after midnight: 0 to 86,399.
    pub clock_start_seconds: Option<u32>,
}

impl Scenario {
    /// A scenario with one producer, one queue and one pool of consumers.
    #[must_use]
    pub fn with_settings(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// The same scenario with these names and connections.
    ///
    /// # Errors
    /// Says why this version cannot run them.
    pub fn with_topology(self, topology: Topology) -> Result<Self, TopologyProblem> {
        topology.check()?;
        Ok(Self { topology, ..self })
    }

    /// The same scenario with these settings for the nodes that have their own, by name.
    #[must_use]
    pub fn with_node_settings(self, node_settings: Vec<(String, Settings)>) -> Self {
        Self { node_settings, ..self }
    }

    /// The same scenario with these alert rules.
    #[must_use]
    pub fn with_alerts(self, alerts: AlertRules) -> Self {
        Self { alerts, ..self }
    }

    /// The alert rules.
    #[must_use]
    pub const fn alerts(&self) -> &AlertRules {
        &self.alerts
    }

    /// The settings of the node of that name: its own, or those of all.
    #[must_use]
    pub fn settings_of(&self, name: &str) -> &Settings {
        let own = self.node_settings.iter().find(|(node, _)| node == name);
        own.map_or(&self.settings, |(_, settings)| settings)
    }

    /// Settings of nodes that have their own, by name.
    #[must_use]
    pub fn node_settings(&self) -> &[(String, Settings)] {
        &self.node_settings
    }

    /// The same scenario with these commands, in order of their instants; those that cannot be
    /// applied are left out.
    #[must_use]
    pub fn with_commands(self, commands: Vec<TimedCommand>) -> Self {
        let mut in_order = Vec::new();
        for timed in commands {
            if timed.command.check().is_ok() {
                timed.insert_into(&mut in_order);
            }
        }
        Self { commands: in_order, ..self }
    }

    /// What is connected to what.
    #[must_use]
    pub const fn topology(&self) -> &Topology {
        &self.topology
    }

    /// What happens by itself, in order of its instants.
    #[must_use]
    pub fn commands(&self) -> &[TimedCommand] {
        &self.commands
    }
}
