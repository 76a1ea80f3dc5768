//! A run and who watches it: the simulation, the narrator on its grid, and the last snapshot of a
//! complete instant.

use std::rc::Rc;

use crate::model::command::{Command, CommandRefused, TimedCommand};
use crate::model::outlook::{NextEvent, Outlook};
use crate::model::scenario::Scenario;
use crate::model::settings::Settings;
use crate::model::simulation::Simulation;
use crate::model::snapshot::Snapshot;
use crate::model::time::{Instant, Span};
use crate::narrate::course::Course;
use crate::narrate::narrator::{Narrator, Occasion, Visible};
use crate::narrate::remark::Account;

/// The narrator looks at every such point of model time, whatever the frames and the speed.
const OBSERVATION_GRID: Span = Span::from_millis(250);

/// A run at some instant, with what is said of it.
#[derive(Clone, Debug)]
pub struct Run {
    simulation: Simulation,
    course: Course,
    narrator: Narrator,
    snapshot: Rc<Snapshot>,
    next_observation: Instant,
}

impl Run {
    /// A run at its start, whose sentences may name the controls in `visible`.
    #[must_use]
    pub fn new(scenario: Rc<Scenario>, visible: Visible) -> Self {
        let simulation = Simulation::new(scenario);
        let course = Course::of(&simulation);
        let snapshot = snapshot_of(&simulation, &course);
        let mut narrator = Narrator::new(visible);
        narrator.observe(&snapshot, &course, Occasion::Grid);
        Self { simulation, course, narrator, snapshot, next_observation: Instant::START + OBSERVATION_GRID }
    }

    /// Does at most `budget` events on the way to `target`. Returns whether it is there.
    pub fn advance(&mut self, target: Instant, budget: u64) -> bool {
        let stop = target.min(self.next_observation);
        self.simulation.advance_to(stop, budget);
        if !self.is_at(stop) {
            return false;
        }
        if stop == self.next_observation {
            self.refresh();
            self.narrator.observe(&self.snapshot, &self.course, Occasion::Grid);
            self.next_observation += OBSERVATION_GRID;
        }
        stop == target
    }

    /// Applies `command` now, or once the instant that is being worked off is complete.
    ///
    /// # Errors
    /// Says why it can never be applied.
    pub fn apply(&mut self, command: Command) -> Result<(), CommandRefused> {
        self.simulation.apply(command)
    }

    /// Takes a new snapshot, if the instant is complete.
    pub fn refresh(&mut self) {
        if self.simulation.is_complete() {
            self.course.take_in(&self.simulation);
            self.snapshot = snapshot_of(&self.simulation, &self.course);
        }
    }

    /// Lets the narrator answer a command, if the instant is complete.
    pub fn observe_command(&mut self) {
        if self.simulation.is_complete() {
            self.refresh();
            self.narrator.observe(&self.snapshot, &self.course, Occasion::Command);
        }
    }

    /// Changes which controls the sentences may name.
    pub fn set_visible(&mut self, visible: Visible) {
        self.narrator.set_visible(visible);
        self.observe_command();
    }

    /// The state at the last complete instant that was looked at.
    #[must_use]
    pub const fn snapshot(&self) -> &Rc<Snapshot> {
        &self.snapshot
    }

    /// What it uses and what is to come.
    #[must_use]
    pub const fn course(&self) -> &Course {
        &self.course
    }

    /// What is to be said of it.
    #[must_use]
    pub const fn account(&self) -> Account {
        self.narrator.account()
    }

    /// The simulation.
    #[must_use]
    pub const fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The dials as they stand in the model.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        self.simulation.settings()
    }

    /// Whether everything at `instant` has been applied.
    #[must_use]
    pub fn is_at(&self, instant: Instant) -> bool {
        self.simulation.now() == instant && self.simulation.is_complete()
    }

    /// Every command so far, of the scenario and from outside, in order.
    pub fn commands(&self) -> Vec<TimedCommand> {
        let now = self.simulation.now();
        let scripted = self.simulation.scenario().commands().iter().filter(|timed| timed.at <= now);
        let mut commands: Vec<TimedCommand> = scripted.copied().collect();
        for timed in self.simulation.command_log() {
            timed.insert_into(&mut commands);
        }
        commands
    }
}

/// The state as the page may show it: the outlook reasons from rates alone, so where these tell
/// too little there is none.
fn snapshot_of(simulation: &Simulation, course: &Course) -> Rc<Snapshot> {
    let mut snapshot = simulation.snapshot();
    if !course.is_plain() {
        snapshot.outlook = Outlook { growth_thousandths_per_second: 0, next: NextEvent::Level };
    }
    Rc::new(snapshot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::rate::Rate;

    fn reach(run: &mut Run, seconds: u64, budget: u64) {
        while !run.advance(Instant::from_seconds(seconds), budget) {}
    }

    #[test]
    fn what_is_said_does_not_depend_on_how_the_run_was_sliced() {
        let settings = Settings { producer_rate: Rate::from_per_second(8), ..Settings::default() };
        let scenario = Rc::new(Scenario::with_settings(settings));
        let mut whole = Run::new(Rc::clone(&scenario), Visible::FIRST_SCREEN);
        let mut sliced = Run::new(scenario, Visible::FIRST_SCREEN);
        reach(&mut whole, 35, 100_000);
        for second in 1..=35 {
            reach(&mut sliced, second, 3);
        }
        assert_eq!(whole.account(), sliced.account());
        assert_eq!(whole.simulation().state_hash(), sliced.simulation().state_hash());
    }
}
