//! Time travel: a run that can be taken to any instant, past or to come.
//!
//! The run is its scenario and the log of its commands, so any instant can be reached by running
//! again from the start. Checkpoints, which are clones that share what has not changed, make that
//! short. Nobody can tell from a state how it was reached: its hash, series and journal are those
//! of a run that went there without a stop.

mod checkpoints;

use std::rc::Rc;

use checkpoints::Checkpoints;
pub use checkpoints::{BYTES_MAX, CHECKPOINTS_MAX, CHECKPOINTS_MIN};

use super::command::{Command, CommandRefused, TimedCommand};
use super::producer::Producer;
use super::scenario::Scenario;
use super::simulation::Simulation;
use super::time::{Instant, LAST_INSTANT};
use super::trace::Tracer;

/// Who watches a run, and remembers. What it remembers travels with the run: it must follow from
/// what it was shown alone.
pub trait Watcher: Clone {
    /// The instant at which it wants to look next. One that is over already is none.
    fn next_look(&self) -> Option<Instant>;

    /// That instant is complete; commands from outside at that instant come after.
    fn look(&mut self, simulation: &Simulation);

    /// A command from outside was applied, and all that follows from it at its instant.
    fn see_command(&mut self, simulation: &Simulation);
}

/// Nobody watches.
impl Watcher for () {
    fn next_look(&self) -> Option<Instant> {
        None
    }

    fn look(&mut self, _: &Simulation) {}

    fn see_command(&mut self, _: &Simulation) {}
}

/// A run with its past, and with those of its commands that are still to come.
#[derive(Clone, Debug)]
pub struct Timeline<W = ()> {
    here: State<W>,
    /// All commands from outside, in order; those that the run has had come first.
    log: Vec<TimedCommand>,
    checkpoints: Checkpoints<W>,
    furthest: Instant,
}

/// A run at one instant, and what goes with it.
#[derive(Clone, Debug)]
struct State<W> {
    simulation: Simulation,
    watcher: W,
    /// The last instant at which the watcher was asked to look.
    looked_at: Option<Instant>,
    /// A command was applied, and the watcher has yet to see what followed.
    owes_command: bool,
    /// Events and whole seconds since the start: how long it takes to get here.
    work: u64,
}

/// How far a seek has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The run stands at the instant that was asked for, and that instant is complete.
    There,
    /// It is on its way and stands here. It must be called again.
    OnTheWay(Instant),
}

impl<W> State<W> {
    fn is_at(&self, instant: Instant) -> bool {
        self.simulation.now() == instant && self.simulation.is_complete()
    }
}

impl<W: Watcher> Timeline<W> {
    /// A run at its start.
    #[must_use]
    pub fn new(scenario: Rc<Scenario>, watcher: W) -> Self {
        let simulation = Simulation::new(scenario);
        let here = State { simulation, watcher, looked_at: None, owes_command: false, work: 0 };
        Self { here, log: Vec::new(), checkpoints: Checkpoints::of_nothing(), furthest: Instant::START }
    }

    /// The run where it stands. Show it only once a seek is [`Progress::There`].
    #[must_use]
    pub const fn simulation(&self) -> &Simulation {
        &self.here.simulation
    }

    /// What the watcher remembers where the run stands.
    #[must_use]
    pub const fn watcher(&self) -> &W {
        &self.here.watcher
    }

    /// Changes the watcher at every instant that is remembered: for what does not belong to the
    /// run, such as a language.
    pub fn change_watchers(&mut self, change: impl Fn(&mut W)) {
        change(&mut self.here.watcher);
        self.checkpoints.states_mut().for_each(|state| change(&mut state.watcher));
    }

    /// Every command from outside, in order: those that the run has had where it stands, then
    /// those that are still to come.
    #[must_use]
    pub fn log(&self) -> &[TimedCommand] {
        &self.log
    }

    /// The latest instant that was reached since the start or the last fork.
    #[must_use]
    pub const fn furthest(&self) -> Instant {
        self.furthest
    }

    /// The instants that are remembered, from which others are reached quickly, and the events it
    /// takes to get to each from the start; rising.
    pub fn checkpoints(&self) -> impl ExactSizeIterator<Item = (Instant, u64)> {
        self.checkpoints.states().map(|state| (state.simulation.now(), state.work))
    }

    /// An estimate of what all checkpoints hold together, in bytes.
    #[must_use]
    pub fn checkpoint_bytes(&self) -> u64 {
        self.checkpoints.bytes()
    }

    /// Follows a message of the producer at `producer` from the latest instant that is remembered at which
    /// it was not offered yet, and says how many events lie between that and where the run stands. `None`
    /// where it is not offered now.
    pub fn trace(&self, producer: usize, number: u64) -> Option<(Tracer, u64)> {
        let next = |state: &State<W>| state.simulation.producers.get(producer).map(Producer::next_number);
        let sender = self.here.simulation.producers.get(producer)?;
        if number == 0 || number >= sender.next_number() {
            return None;
        }
        let now = self.here.simulation.now();
        let before = |state: &&State<W>| state.simulation.now() <= now && next(state) <= Some(number);
        let (from, work) = match self.checkpoints.states().filter(before).last() {
            Some(state) => (state.simulation.clone(), state.work),
            None => (Simulation::new(Rc::clone(self.here.simulation.scenario())), 0),
        };
        Some((Tracer::new(sender.id_of(number), from), self.here.work.saturating_sub(work)))
    }

    /// Goes to `target`, backwards or forwards, however long it takes.
    pub fn seek(&mut self, target: Instant) {
        while self.seek_towards(target, u64::MAX) != Progress::There {}
    }

    /// Goes towards `target`, backwards or forwards, and does at most `budget` events on the way;
    /// a whole second counts as an event. Commands of the log are applied at their instants.
    /// Beyond the latest instant so far the run simply goes on. The target may be another one
    /// with each call. An instant after the last one a run may reach counts as that one.
    pub fn seek_towards(&mut self, target: Instant, budget: u64) -> Progress {
        let target = target.min(LAST_INSTANT);
        self.checkpoints.keep_start(&self.here);
        if let Some(nearer) = self.checkpoints.nearer(&self.here, target) {
            self.here = nearer.clone();
        }
        let mut left = budget;
        while self.goes_on_towards(target, &mut left) {}
        self.furthest = self.furthest.max(self.here.simulation.now());
        let is_there = self.here.is_at(target) && !self.owes_anything();
        if is_there { Progress::There } else { Progress::OnTheWay(self.here.simulation.now()) }
    }

    /// Applies `command` where the run stands, once the instant that is being worked off is
    /// complete: at once, if it is. Commands and checkpoints of later instants are dropped.
    ///
    /// # Errors
    /// Says why the command cannot be applied; nothing has changed then.
    pub fn apply(&mut self, command: Command) -> Result<(), CommandRefused> {
        self.here.simulation.check(&command)?;
        self.fork();
        self.log.push(TimedCommand { at: self.here.simulation.now(), command });
        while self.here.simulation.is_complete() && self.attend() {}
        Ok(())
    }

    /// These commands from outside come after those of the log, each at its instant, or where the run
    /// stands if that is over. Those that nobody could give are left out.
    pub fn expect(&mut self, commands: Vec<TimedCommand>) {
        let mut earliest =
            self.log.last().map_or(Instant::START, |timed| timed.at).max(self.here.simulation.now());
        for TimedCommand { at, command } in commands {
            if command.check().is_ok() {
                earliest = earliest.max(at);
                self.log.push(TimedCommand { at: earliest, command });
            }
        }
    }

    /// What comes after the instant where the run stands is open again: later commands and
    /// checkpoints are dropped.
    pub fn fork(&mut self) {
        let now = self.here.simulation.now();
        self.log.retain(|timed| timed.at <= now);
        self.checkpoints.forget_after(now);
        self.furthest = now;
    }

    /// Does one stretch of the way. Returns whether there is more of it, and more may be done.
    fn goes_on_towards(&mut self, target: Instant, left: &mut u64) -> bool {
        if self.here.simulation.is_complete() {
            if self.attend() {
                return true;
            }
            self.checkpoints.take_if_due(&self.here);
            if self.here.is_at(target) {
                return false;
            }
        }
        let stop = self.next_stop(target);
        let allowed = self.checkpoints.events_to_next(&self.here).min(*left);
        let mut unused = allowed;
        self.here.simulation.advance_within(stop, &mut unused);
        self.here.work += allowed - unused;
        *left -= allowed - unused;
        *left > 0 || self.here.is_at(stop)
    }

    /// Where the next stretch ends: where a checkpoint is due, with the instant that is being
    /// worked off.
    fn next_stop(&self, target: Instant) -> Instant {
        let now = self.here.simulation.now();
        if self.checkpoints.is_due(&self.here) {
            return now;
        }
        // An instant that is being worked off is yet to be looked at.
        let look = self.here.watcher.next_look().filter(|look| *look > now || self.owes_look());
        let command = self.next_command().map(|timed| timed.at);
        look.into_iter().chain(command).fold(target, Instant::min)
    }

    fn next_command(&self) -> Option<TimedCommand> {
        self.log.get(self.here.simulation.command_log().len()).copied()
    }

    fn owes_anything(&self) -> bool {
        let now = self.here.simulation.now();
        self.owes_look() || self.here.owes_command || self.next_command().is_some_and(|timed| timed.at <= now)
    }

    fn owes_look(&self) -> bool {
        let now = Some(self.here.simulation.now());
        self.here.watcher.next_look() == now && self.here.looked_at != now
    }

    /// Does one of the things that are due at a complete instant: the watcher looks, it sees a
    /// command, or the next command is applied. Returns whether there was one.
    fn attend(&mut self) -> bool {
        let now = self.here.simulation.now();
        if self.owes_look() {
            self.here.looked_at = Some(now);
            self.here.watcher.look(&self.here.simulation);
            return true;
        }
        if std::mem::take(&mut self.here.owes_command) {
            self.here.watcher.see_command(&self.here.simulation);
            return true;
        }
        let Some(due) = self.next_command().filter(|timed| timed.at <= now) else { return false };
        // The log holds only what was checked when it was given.
        self.here.simulation.take_command(due.command);
        self.here.owes_command = true;
        true
    }
}
