//! The simulation: the only thing in the model that changes.
//!
//! Commands go in, model time passes, snapshots come out. Everything that happens at one instant
//! happens before a command of that instant, and before any snapshot of it. There is no clock of
//! the computer's in here, and no step is unbounded: [`Simulation::advance_to`] does as many
//! events as it is allowed and says how far it came.

mod alerting;
mod answering;
mod asking;
mod budgets;
mod build;
mod calling;
mod commands;
mod faults;
pub mod following;
mod gate;
mod handling;
mod hashing;
mod held;
mod keeping;
mod ledger;
mod log_commands;
mod outbox;
mod passing_on;
mod plain;
mod plain_log;
mod plain_retry;
mod reading;
mod remembering;
mod scaling;
mod schema;
mod sending;
mod slots;
mod splitting;
mod starting;
mod totals;
mod watching;

use std::collections::VecDeque;
use std::rc::Rc;

use following::Followed;
use scaling::Meter;
use slots::Slots;
pub(super) use slots::Source;
pub use totals::Totals;

use super::agenda::Agenda;
use super::alerts::Alerts;
use super::autoscaler::Autoscaler;
use super::broker::{Broker, QueueIndex};
use super::calls::Calls;
use super::command::{Command, CommandRefused, TimedCommand};
use super::consumer::ConsumerPool;
use super::consumer_status::watch::GroupWatch;
use super::downstream::Downstream;
use super::event::Journal;
use super::fate::Fates;
use super::gate::Gate;
use super::handling::Handling;
use super::producer::Producer;
use super::records::Records;
use super::retry::budget::RetryBudget;
use super::ring::Ring;
use super::rng::Draws;
use super::routes::Supply;
use super::scenario::Scenario;
use super::schema::Schemas;
use super::series::handler_times::HandlerTimes;
use super::series::lags::GroupLags;
use super::series::{Bucket, Series};
use super::settings::Settings;
use super::stats::Stats;
use super::time::{Instant, LAST_INSTANT, Span};

/// Commands of the log in a part that checkpoints share.
const COMMANDS_SHARED: usize = 64;

/// The queue that the dials and the first charts speak of.
pub(super) const QUEUE: QueueIndex = QueueIndex(0);

/// A run at one instant. Cloning it forks the run; waiting messages are shared, not copied.
#[derive(Clone, Debug)]
pub struct Simulation {
    scenario: Rc<Scenario>,
    pub(super) settings: Settings,
    /// Settings of nodes that have their own, in the order of the scenario.
    node_settings: Vec<(String, Settings)>,
    pub(super) broker: Broker,
    pub(super) producers: Box<[Producer]>,
    pub(super) staffs: Box<[Staff]>,
    pub(super) downstream: Option<Downstream>,
    pub(super) fates: Fates,
    /// The schemas of producers.
    pub(super) schemas: Schemas,
    jitter: Draws,
    pub(super) records: Records,
    agenda: Agenda,
    slots: Slots,
    /// The queue for dead letters of queues that name no other.
    pub(super) dead_letter_queue: QueueIndex,
    pub(super) is_broker_up: bool,
    /// The queues that have been split: a bit for each of at most 16.
    queues_split: u32,
    /// Until when it is failing over, if it is.
    failing_over_until: Option<Instant>,
    pub(super) calls: Calls,
    /// Whether a delivery may have been taken from its consumer: by a crash, a lease or the broker.
    deliveries_may_be_lost: bool,
    /// Whether any message may have a deadline.
    has_deadlines: bool,
    /// Whether any pool's time is measured.
    has_meters: bool,
    pub(super) totals: Totals,
    /// What is seen of each group by whoever watches them.
    watches: Box<[GroupWatch]>,
    /// How far behind each group was over time.
    pub(super) lags: Box<[GroupLags]>,
    pub(super) stats: Stats,
    journal: Journal,
    command_log: Ring<TimedCommand, COMMANDS_SHARED>,
    waiting_commands: VecDeque<Command>,
    scripted_commands_done: usize,
    now: Instant,
    /// The last instant of which everything has been applied.
    complete_at: Instant,
    next_second: Instant,
    /// Whether no setting asks for more than a line, work and an answer.
    is_plain: bool,
    /// Whether none of topics and groups does.
    are_logs_plain: bool,
    /// Whether the common case may be worked off without questions.
    takes_shortcuts: bool,
    /// Whether the levels of the statistics are counted, and nothing stands in the way of the
    /// common case.
    is_counted: bool,
    is_common: bool,
    /// How many messages certainly fit into the broker's memory, while the case is common.
    room: u64,
    /// When the next command of the scenario or the next evaluation of alert rules is due.
    next_halt: Instant,
    /// None where there are no rules.
    alerts: Option<Box<Alerts>>,
    /// The message that is followed, if one is.
    followed: Option<Box<Followed>>,
}

/// A pool of consumers, where its messages come from, and how it handles them.
#[derive(Clone, Debug)]
pub struct Staff {
    /// The consumers.
    pub pool: ConsumerPool,
    /// Where their messages come from.
    pub from: Supply,
    /// How they handle messages.
    pub handling: Handling,
    /// They finish what they have and take nothing more.
    pub is_stopped: bool,
    /// What it reads was sent there by groups, to be tried again after a while.
    pub reads_retries: bool,
    /// There is nobody yet, whatever the dial says: before their queue is split off, or before they join.
    pub is_awaited: bool,
    /// Whether consumers may hold more than they may take now.
    pub prefetch_was_lowered: bool,
    /// Their limit on starts.
    pub gate: Gate,
    /// What their retries are paid from.
    pub budget: RetryBudget,
    /// What decides how many there are, if anything but the dial does.
    pub scaler: Option<Autoscaler>,
    /// How their time went since the autoscaler looked the last time, where it looks at that.
    pub meter: Option<Meter>,
    /// Attempts that failed because the message could not be read.
    pub unreadable: u64,
    /// Messages of queues that its consumers finished, late and wrong ones and those skipped as late
    /// included. Summed over all pools it is what the run's totals count; which pool it was is state where
    /// several take from queues.
    pub finished: u64,
}

impl Simulation {
    /// Applies everything up to and including `target`, or as much of it as `budget` events
    /// allow, and returns the last instant that is complete. An instant with more events than
    /// the budget is worked off over several calls; until then the run stands before it. A whole
    /// second that ends counts as an event: even a run in which nothing happens takes its time.
    pub fn advance_to(&mut self, target: Instant, budget: u64) -> Instant {
        self.advance_within(target, &mut { budget })
    }

    /// Does the same, and takes what it did from `left`.
    pub fn advance_within(&mut self, target: Instant, left: &mut u64) -> Instant {
        let target = target.min(LAST_INSTANT);
        loop {
            let (mut first_at, mut slot) = self.agenda.first();
            while first_at <= self.now {
                if *left == 0 {
                    return self.complete_at;
                }
                *left -= 1;
                self.act(slot);
                (first_at, slot) = self.agenda.first();
            }
            self.complete_instant();
            if self.has_due_command() && self.apply_due_command() {
                continue;
            }
            let next = first_at.min(self.next_second).min(self.next_halt);
            if next > target {
                self.now = self.now.max(target);
                self.complete_at = self.now;
                return self.now;
            }
            if next == self.next_second {
                if *left == 0 {
                    return self.complete_at;
                }
                *left -= 1;
            }
            self.pass_time_to(next);
        }
    }

    /// Applies `command` once the instant that is being worked off is complete: at once, if it is.
    ///
    /// # Errors
    /// Says why the command cannot be applied; nothing has changed then.
    pub fn apply(&mut self, command: Command) -> Result<(), CommandRefused> {
        self.check(&command)?;
        self.take_command(command);
        Ok(())
    }

    /// Applies a command that was checked when it was given.
    pub(super) fn take_command(&mut self, command: Command) {
        self.waiting_commands.push_back(command);
        while self.is_complete() && self.apply_waiting_command() {}
    }

    /// The instant that is complete, or being worked off.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// Whether everything that happens at [`Self::now`] has been applied. Only then may a
    /// snapshot be taken for people.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.agenda.first().0 > self.now && self.now < self.next_halt
    }

    /// The next instant at which anything happens by itself, after now; `None` if nothing ever
    /// will.
    #[must_use]
    pub fn next_instant(&self) -> Option<Instant> {
        let event = self.agenda.next().map(|(at, _)| at);
        match (event, self.next_scripted_command()) {
            (Some(event), Some(command)) => Some(event.min(command.at)),
            (Some(event), None) => Some(event),
            (None, command) => command.map(|timed| timed.at),
        }
    }

    /// What it started from.
    #[must_use]
    pub const fn scenario(&self) -> &Rc<Scenario> {
        &self.scenario
    }

    /// The dials as they stand now.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Every command that was applied from outside, in order; those of the scenario are not
    /// among them.
    #[must_use]
    pub fn command_log(&self) -> impl ExactSizeIterator<Item = &TimedCommand> {
        self.command_log.iter()
    }

    /// The last events, and a digest of all.
    #[must_use]
    pub const fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Values over time, in whole seconds.
    #[must_use]
    pub const fn series(&self) -> &Series {
        self.stats.series()
    }

    /// How long attempts took over time.
    #[must_use]
    pub const fn handler_times(&self) -> &HandlerTimes {
        self.stats.handler_times()
    }

    /// The second that is not over.
    #[must_use]
    pub fn forming_second(&self) -> Bucket {
        let counts = self.ledger();
        self.stats.forming_second(self.now, &counts, self.trouble(&counts))
    }

    /// Message-microseconds spent waiting, and in flight, since the start.
    #[must_use]
    pub fn areas(&self) -> (u128, u128) {
        (self.stats.waiting_area(self.now), self.stats.in_flight_area(self.now))
    }

    /// What has been counted since the start.
    #[must_use]
    pub const fn totals(&self) -> &Totals {
        &self.totals
    }

    /// All queues, waiting rooms and rules, in the order of the topology; the last one holds the
    /// dead letters of those that name no other queue for them.
    #[must_use]
    pub const fn broker(&self) -> &Broker {
        &self.broker
    }

    /// What the consumers share, if there is such a thing.
    #[must_use]
    pub const fn downstream(&self) -> Option<&Downstream> {
        self.downstream.as_ref()
    }

    /// Whether the source has something to do.
    #[inline]
    pub(super) fn is_scheduled(&self, source: Source) -> bool {
        self.due(source).is_some()
    }

    /// When the source has something to do.
    #[inline]
    pub(super) fn due(&self, source: Source) -> Option<Instant> {
        self.agenda.due(self.slots.of(source))
    }

    fn schedule(&mut self, source: Source, at: Option<Instant>) {
        self.agenda.set(self.slots.of(source), at);
    }

    fn pass_time_to(&mut self, next: Instant) {
        self.now = next;
        self.stats.pass_time(next);
        if self.has_meters {
            self.run_meters();
        }
        if next == self.next_second {
            let counts = self.ledger();
            self.stats.close_second(next, &counts, self.trouble(&counts));
            self.watch_groups_on_time();
            self.next_second += Span::from_seconds(1);
        }
    }

    #[inline(always)]
    fn complete_instant(&mut self) {
        self.settle();
        self.complete_at = self.now;
        #[cfg(debug_assertions)]
        {
            let violations = super::invariants::check(self);
            assert!(violations.is_empty(), "at {}: {violations:?}", self.now);
        }
    }

    #[inline]
    fn settle(&mut self) {
        if !self.is_counted {
            self.count_again();
        }
        self.stats.settle(self.now);
    }

    #[inline(never)]
    pub(super) fn act_in_full(&mut self, source: Source) {
        match source {
            Source::Consumer(consumer) => self.consumer_acts(consumer),
            Source::Downstream => self.hear_downstream(),
            Source::Expiry(queue) => self.expire(queue),
            Source::Orphans(queue) => self.take_back_orphan(queue),
            Source::Redrive => self.redrive(),
            Source::Arrival(producer) => self.arrive(producer),
            Source::Burst(producer) => self.arrive_from_burst(producer),
            Source::Trim(queue) => self.trim(queue),
            Source::Gate(pool) => self.open_gate(pool),
            Source::Scaler(pool) => self.scale(pool),
            Source::Recovery => self.end_fail_over(),
            Source::Calls => self.mind_calls(),
            Source::Outbox(producer) => self.mind_outbox(producer),
            Source::Group(group) => self.mind_group(group),
            Source::Retention(topic) => self.expire_records(topic),
            Source::SendBack => self.send_one_back(),
        }
    }

    fn has_due_command(&self) -> bool {
        self.now >= self.next_halt || !self.waiting_commands.is_empty()
    }

    fn next_scripted_command(&self) -> Option<&TimedCommand> {
        self.scenario.commands().get(self.scripted_commands_done)
    }
}
