//! Playing a run and listening to what is said about it, on the narrator's grid.

use std::rc::Rc;

use queue_lab::model::command::{Command, TimedCommand};
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{Setting, Settings, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::Snapshot;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::course::Course;
use queue_lab::narrate::narrator::{GRID, Narrator, Occasion, Visible};
use queue_lab::narrate::remark::Account;

/// A run, its narrator, and commands that are still to come.
pub struct Story {
    pub simulation: Simulation,
    pub narrator: Narrator,
    commands: Vec<TimedCommand>,
    may_be_refused: bool,
    next_grid: Instant,
}

impl Story {
    pub fn new(settings: Settings, commands: Vec<TimedCommand>) -> Self {
        Self::with_visible(settings, commands, Visible::ALL)
    }

    /// A run whose scenario has the commands itself.
    pub fn of_scenario(settings: Settings, commands: Vec<TimedCommand>) -> Self {
        Self::of(Scenario::with_settings(settings).with_commands(commands))
    }

    pub fn of(scenario: Scenario) -> Self {
        Self::begin(scenario, Visible::ALL)
    }

    /// The same with commands from outside, some of which the run may refuse.
    pub fn then(self, commands: Vec<TimedCommand>) -> Self {
        Self { commands, may_be_refused: true, ..self }
    }

    pub fn with_visible(settings: Settings, commands: Vec<TimedCommand>, visible: Visible) -> Self {
        Self { commands, ..Self::begin(Scenario::with_settings(settings), visible) }
    }

    fn begin(scenario: Scenario, visible: Visible) -> Self {
        let mut simulation = Simulation::new(Rc::new(scenario));
        // What the scenario does at its start belongs to the start.
        while simulation.advance_to(Instant::START, 1_000_000) < Instant::START || !simulation.is_complete() {
        }
        let mut narrator = Narrator::new(visible);
        narrator.observe(&simulation.snapshot(), &Course::of(&simulation), Occasion::Command);
        let commands = Vec::new();
        Self { simulation, narrator, commands, may_be_refused: false, next_grid: Instant::START + GRID }
    }

    /// What is told before anything else is heard.
    pub fn hear_now(&self) -> (Account, Snapshot) {
        (self.narrator.account(), self.simulation.snapshot())
    }

    /// Goes to `now` with all commands up to it, and says nothing.
    pub fn catch_up(&mut self, now: Instant) {
        while let Some(timed) = self.commands.first().copied().filter(|timed| timed.at <= now) {
            self.commands.remove(0);
            self.reach(timed.at);
            assert_eq!(self.simulation.apply(timed.command), Ok(()));
            self.reach(timed.at);
        }
        self.reach(now);
    }

    /// Plays to the next point of the grid or command and says what is told there.
    pub fn hear_next(&mut self) -> (Account, Snapshot) {
        let command = self.commands.first().copied().filter(|timed| timed.at < self.next_grid);
        let occasion = if let Some(timed) = command {
            self.reach(timed.at);
            self.commands.remove(0);
            let applied = self.simulation.apply(timed.command);
            assert!(self.may_be_refused || applied.is_ok(), "{applied:?}");
            self.reach(timed.at);
            Occasion::Command
        } else {
            self.reach(self.next_grid);
            self.next_grid += GRID;
            Occasion::Grid
        };
        let snapshot = self.simulation.snapshot();
        self.narrator.observe(&snapshot, &Course::of(&self.simulation), occasion);
        (self.narrator.account(), snapshot)
    }

    /// Everything that is told up to `until`.
    pub fn hear_until(&mut self, until: Instant, mut listen: impl FnMut(&Account, &Snapshot, &Simulation)) {
        while self.simulation.now() < until {
            let (account, snapshot) = self.hear_next();
            listen(&account, &snapshot, &self.simulation);
        }
    }

    fn reach(&mut self, target: Instant) {
        while self.simulation.advance_to(target, 1_000_000) < target || !self.simulation.is_complete() {}
    }
}

pub fn dials(p: u64, c: u64) -> Settings {
    Settings {
        producer_rate: Rate::from_per_second(p),
        consumer_rate: Rate::from_per_second(c),
        ..Settings::default()
    }
}

pub fn at(seconds: u64, command: Command) -> TimedCommand {
    TimedCommand { at: Instant::START + Span::from_seconds(seconds), command }
}

pub fn rate(setting: Setting, per_second: u64) -> Command {
    Command::Set { setting, value: Value::Rate(Rate::from_per_second(per_second)) }
}
