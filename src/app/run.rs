//! A run with its past, who watches it, and the last snapshot of a complete instant.

use std::rc::Rc;

use crate::model::command::{Command, CommandRefused, FIXED, TimedCommand};
use crate::model::outlook::{NextEvent, Outlook};
use crate::model::scenario::Scenario;
use crate::model::settings::Settings;
use crate::model::simulation::Simulation;
use crate::model::snapshot::Snapshot;
use crate::model::time::{Instant, Span};
use crate::model::timeline::{Progress, Timeline, Watcher};
use crate::model::trace::Tracer;
use crate::narrate::course::Course;
use crate::narrate::narrator::{Narrator, Occasion, Visible};
use crate::narrate::remark::Account;

/// The narrator looks at every such point of model time, whatever the frames and the speed.
const OBSERVATION_GRID: Span = Span::from_millis(250);

/// Events that are done at most to bring an instant to its end before it is shown.
const INSTANT_EVENTS: u64 = 1_000;

/// A run that stands at some instant, with what is said of it.
#[derive(Clone, Debug)]
pub struct Run {
    timeline: Timeline<Observer>,
    course: Course,
    snapshot: Rc<Snapshot>,
    /// Where it is heading, as long as it is on its way through its past.
    heading: Option<Instant>,
    /// What was said to a person who did something since the last point of the grid.
    answer: Option<Answer>,
}

#[derive(Clone, Debug)]
struct Answer {
    account: Account,
    /// It holds until the narrator looks again, then.
    until: Instant,
}

/// Who watches: what it remembers lies beside every instant that is remembered, so that the same is
/// said there however one came there.
#[derive(Clone, Debug)]
struct Observer {
    course: Course,
    narrator: Narrator,
    next_look: Instant,
}

impl Observer {
    fn observe(&mut self, simulation: &Simulation, occasion: Occasion) {
        self.course.take_in(simulation);
        self.narrator.observe(&snapshot_of(simulation, &self.course), &self.course, occasion);
    }
}

impl Watcher for Observer {
    fn next_look(&self) -> Option<Instant> {
        Some(self.next_look)
    }

    fn look(&mut self, simulation: &Simulation) {
        self.observe(simulation, Occasion::Grid);
        self.next_look += OBSERVATION_GRID;
    }

    fn see_command(&mut self, simulation: &Simulation) {
        self.observe(simulation, Occasion::Command);
    }
}

impl Run {
    /// A run at its start, whose sentences may name the controls in `visible`.
    #[must_use]
    pub fn new(scenario: Rc<Scenario>, visible: Visible) -> Self {
        let simulation = Simulation::new(Rc::clone(&scenario));
        let course = Course::of(&simulation);
        let snapshot = snapshot_of(&simulation, &course);
        let mut narrator = Narrator::new(visible);
        narrator.observe(&snapshot, &course, Occasion::Grid);
        let observer =
            Observer { course: course.clone(), narrator, next_look: Instant::START + OBSERVATION_GRID };
        Self { timeline: Timeline::new(scenario, observer), course, snapshot, heading: None, answer: None }
    }

    /// Does at most `budget` events on the way to `target`, which may lie in the past. Returns whether it
    /// is there.
    pub fn advance(&mut self, target: Instant, budget: u64) -> bool {
        let is_there = self.timeline.seek_towards(target, budget) == Progress::There;
        self.heading = Some(target).filter(|target| !is_there && self.has_a_way(*target));
        is_there
    }

    /// Whether what comes before `target` is known: it was reached already, or commands of a link are
    /// still to come.
    fn has_a_way(&self, target: Instant) -> bool {
        let awaits_commands = self.timeline.log().len() > self.simulation().command_log().len();
        target < self.furthest() || awaits_commands
    }

    /// Applies `command` now, or once the instant that is being worked off is complete. What came later,
    /// if this is the past, is dropped. On the way through the past it is applied where that leads.
    ///
    /// # Errors
    /// Says why it can never be applied.
    pub fn apply(&mut self, command: Command) -> Result<(), CommandRefused> {
        self.arrive();
        self.timeline.apply(command)
    }

    /// Whether `commands` can be applied one after the other, where the run stands or is on its way to.
    ///
    /// # Errors
    /// Says why one of them cannot.
    #[inline(never)]
    pub fn check(&mut self, commands: &[Command]) -> Result<(), CommandRefused> {
        self.arrive();
        let simulation = self.timeline.simulation();
        commands.iter().enumerate().try_for_each(|(place, command)| {
            // Dials that hold from the start are no commands, and what a dial makes possible is not so
            // before it is set.
            let rests_on_a_dial = matches!(command, Command::ChangeSchema { .. }) && place > 0;
            let is_of_the_start = matches!(command, Command::Set { setting, .. } if FIXED.contains(setting));
            if rests_on_a_dial || is_of_the_start { Ok(()) } else { simulation.check(command) }
        })
    }

    /// Goes where it is heading, if it is on its way through its past.
    pub fn arrive(&mut self) {
        if let Some(target) = self.heading.take() {
            self.timeline.seek(target);
        }
    }

    /// These commands from outside are still to come, in this order.
    pub fn expect_commands(&mut self, commands: Vec<TimedCommand>) {
        self.timeline.expect(commands);
    }

    /// Takes a new snapshot, if the instant is complete.
    pub fn refresh(&mut self) {
        let now = self.timeline.simulation().now();
        if !self.timeline.simulation().is_complete() {
            // A frame may end in the middle of an instant: it is brought to its end, if that is near.
            self.timeline.seek_towards(now, INSTANT_EVENTS);
        }
        let simulation = self.timeline.simulation();
        if simulation.is_complete() {
            self.course = self.timeline.watcher().course.clone();
            self.course.take_in(simulation);
            self.snapshot = snapshot_of(simulation, &self.course);
        }
    }

    /// Has the narrator answer whatever a person did, if the instant is complete. What it remembers
    /// stays as it is: transcripts depend on the run alone.
    pub fn observe_command(&mut self) {
        if self.timeline.simulation().is_complete() {
            self.refresh();
            let Observer { mut narrator, next_look, .. } = self.timeline.watcher().clone();
            narrator.observe(&self.snapshot, &self.course, Occasion::Command);
            self.answer = Some(Answer { account: narrator.account(), until: next_look });
        }
    }

    /// Changes which controls the sentences may name.
    pub fn set_visible(&mut self, visible: Visible) {
        self.timeline.change_watchers(|observer| observer.narrator.set_visible(visible));
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
    pub fn account(&self) -> Account {
        let observer = self.timeline.watcher();
        let answer = self.answer.as_ref().filter(|answer| answer.until == observer.next_look);
        answer.map_or_else(|| observer.narrator.account(), |answer| answer.account)
    }

    /// The simulation.
    #[must_use]
    pub const fn simulation(&self) -> &Simulation {
        self.timeline.simulation()
    }

    /// The dials as they stand in the model.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        self.timeline.simulation().settings()
    }

    /// The latest instant that was reached since the start, or since something was changed in the past.
    #[must_use]
    pub const fn furthest(&self) -> Instant {
        self.timeline.furthest()
    }

    /// Whether everything at `instant` has been applied.
    #[must_use]
    pub fn is_at(&self, instant: Instant) -> bool {
        self.simulation().now() == instant && self.simulation().is_complete()
    }

    /// Every command from outside, also those still to come.
    #[must_use]
    pub fn log(&self) -> &[TimedCommand] {
        self.timeline.log()
    }

    /// Follows a message of a producer, as [`Timeline::trace`] does.
    #[must_use]
    pub fn trace(&self, producer: usize, number: u64) -> Option<(Tracer, u64)> {
        self.timeline.trace(producer, number)
    }

    /// Every command so far, of the scenario and from outside, in order.
    pub fn commands(&self) -> Vec<TimedCommand> {
        let now = self.simulation().now();
        let scripted = self.simulation().scenario().commands().iter().filter(|timed| timed.at <= now);
        let mut commands: Vec<TimedCommand> = scripted.copied().collect();
        for timed in self.simulation().command_log() {
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

    #[test]
    fn the_past_says_what_it_said_then_and_a_change_there_drops_what_came_after() {
        let settings = Settings { producer_rate: Rate::from_per_second(8), ..Settings::default() };
        let mut run = Run::new(Rc::new(Scenario::with_settings(settings)), Visible::FIRST_SCREEN);
        reach(&mut run, 12, 100_000);
        let (account, hash) = (run.account(), run.simulation().state_hash());
        let burst = Command::Burst { count: 20 };
        run.apply(burst).expect("there is a producer");
        reach(&mut run, 60, 100_000);
        assert_ne!(run.account(), account);
        reach(&mut run, 12, 100);
        assert_eq!(run.furthest(), Instant::from_seconds(60), "it is only looked at");
        reach(&mut run, 60, 100_000);
        let commands = run.commands();
        assert_eq!(commands.iter().map(|timed| timed.command).collect::<Vec<_>>(), [burst]);
        reach(&mut run, 11, 100);
        run.apply(Command::BrokerDown).expect("it is up");
        assert_eq!(run.furthest(), Instant::from_seconds(11));
        reach(&mut run, 60, 100_000);
        assert_eq!(run.commands().len(), 1, "the burst came later and is gone");
        let mut fresh = Run::new(Rc::clone(run.simulation().scenario()), Visible::FIRST_SCREEN);
        reach(&mut fresh, 12, 100_000);
        assert_eq!((fresh.account(), fresh.simulation().state_hash()), (account, hash));
    }
}
