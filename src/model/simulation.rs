//! The simulation: the only thing in the model that changes.
//!
//! Commands go in, model time passes, snapshots come out. Everything that happens at one instant
//! happens before a command of that instant, and before any snapshot of it. There is no clock of
//! the computer's in here, and no step is unbounded: [`Simulation::advance_to`] does as many
//! events as it is allowed and says how far it came.

mod commands;

use std::collections::VecDeque;
use std::rc::Rc;

use super::agenda::Agenda;
use super::broker::{Broker, Effect, Offered, QueueIndex};
use super::command::{Command, CommandRefused, TimedCommand};
use super::consumer::ConsumerPool;
use super::event::{EventKind, Journal};
use super::ledger::Ledger;
use super::message::{Message, MessageId};
use super::producer::{Producer, ProducerPace, mul_div};
use super::rate::Work;
use super::rng::{Draws, Purpose};
use super::scenario::Scenario;
use super::series::{Bucket, Series};
use super::settings::{CONSUMERS_MAX, Settings};
use super::snapshot::{BlockedBy, LossRule};
use super::state_hash::StateHasher;
use super::stats::{Levels, Stats};
use super::time::{Instant, LAST_INSTANT, Span};
use super::work_queue::rules::QueueRules;
use super::work_queue::{ConsumerIndex, Delivery, Published, WorkQueue};

/// The queue of a topology with one queue.
pub(super) const QUEUE: QueueIndex = QueueIndex(0);

// Slots of the agenda, in the order in which sources act within one instant: consumers finish
// first, so that a message arriving at that very instant finds them free.
#[allow(clippy::cast_possible_truncation)]
const ARRIVAL: u32 = CONSUMERS_MAX as u32;
const BURST: u32 = ARRIVAL + 1;
const TRIM: u32 = ARRIVAL + 2;
const SLOTS: usize = TRIM as usize + 1;

/// A run at one instant. Cloning it forks the run; waiting messages are shared, not copied.
#[derive(Clone, Debug)]
pub struct Simulation {
    scenario: Rc<Scenario>,
    pub(super) settings: Settings,
    pub(super) broker: Broker,
    pub(super) producer: Producer,
    pub(super) pool: ConsumerPool,
    agenda: Agenda,
    pub(super) stats: Stats,
    journal: Journal,
    command_log: Vec<TimedCommand>,
    waiting_commands: VecDeque<Command>,
    scripted_commands_done: usize,
    now: Instant,
    /// The last instant of which everything has been applied.
    complete_at: Instant,
    next_second: Instant,
}

impl Simulation {
    /// A run at its start. Scripted commands of the start are applied by the first
    /// [`Self::advance_to`].
    #[must_use]
    pub fn new(scenario: Rc<Scenario>) -> Self {
        let settings = scenario.settings.clone();
        let pace = ProducerPace {
            rate: settings.producer_rate,
            arrivals: settings.arrivals,
            burst_size: settings.burst_size,
        };
        let rules =
            QueueRules { bound: settings.queue_bound, overflow: settings.overflow, ..QueueRules::default() };
        let mut queue = WorkQueue::new(rules);
        (0..u32::try_from(settings.consumer_count).unwrap_or_default())
            .for_each(|consumer| queue.subscribe(ConsumerIndex(consumer), Some(1)));
        let service_draws = Draws::new(settings.seed, Purpose::ServiceTime);
        let mut simulation = Self {
            broker: Broker::new(vec![queue], settings.broker_memory),
            producer: Producer::new(0, pace, Draws::new(settings.seed, Purpose::ArrivalGap)),
            pool: ConsumerPool::new(
                settings.consumer_rate,
                settings.consumer_count,
                settings.service_time,
                service_draws,
            ),
            agenda: Agenda::new(SLOTS),
            stats: Stats::default(),
            journal: Journal::default(),
            command_log: Vec::new(),
            waiting_commands: VecDeque::new(),
            scripted_commands_done: 0,
            now: Instant::START,
            complete_at: Instant::START,
            next_second: Instant::from_seconds(1),
            settings,
            scenario,
        };
        simulation.schedule_producer();
        simulation.settle();
        simulation
    }

    /// Applies everything up to and including `target`, or as much of it as `budget` events
    /// allow, and returns the last instant that is complete. An instant with more events than
    /// the budget is worked off over several calls; until then the run stands before it.
    pub fn advance_to(&mut self, target: Instant, budget: u64) -> Instant {
        let target = target.min(LAST_INSTANT);
        let mut left = budget;
        loop {
            while let Some(slot) = self.due_now() {
                if left == 0 {
                    return self.complete_at;
                }
                left -= 1;
                self.act(slot);
            }
            self.complete_instant();
            if self.apply_due_command() {
                continue;
            }
            let Some(next) = self.next_time().filter(|next| *next <= target) else {
                self.now = self.now.max(target);
                self.complete_at = self.now;
                return self.now;
            };
            self.pass_time_to(next);
        }
    }

    /// Applies `command` once the instant that is being worked off is complete: at once, if it is.
    ///
    /// # Errors
    /// Says why the command can never be applied; nothing has changed then.
    pub fn apply(&mut self, command: Command) -> Result<(), CommandRefused> {
        command.check()?;
        self.waiting_commands.push_back(command);
        while self.is_complete() && self.apply_waiting_command() {}
        Ok(())
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
        let is_command_due = self.next_scripted_command().is_some_and(|timed| timed.at <= self.now);
        self.due_now().is_none() && !is_command_due
    }

    /// The next instant at which anything happens by itself, after now; `None` if nothing ever
    /// will.
    #[must_use]
    pub fn next_instant(&self) -> Option<Instant> {
        let event = self.agenda.next().map(|(at, _)| at);
        let command = self.next_scripted_command().map(|timed| timed.at);
        event.into_iter().chain(command).min()
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
    pub fn command_log(&self) -> &[TimedCommand] {
        &self.command_log
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

    /// The second that is not over.
    #[must_use]
    pub fn forming_second(&self) -> Bucket {
        self.stats.forming_second(self.now, &self.ledger())
    }

    /// Message-microseconds spent waiting, and in flight, since the start.
    #[must_use]
    pub fn areas(&self) -> (u128, u128) {
        (self.stats.waiting_area(self.now), self.stats.in_flight_area(self.now))
    }

    /// Where every message is.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        let queue = self.broker.queue(QUEUE);
        let counts = queue.counts();
        Ledger {
            offered: self.producer.offered(),
            held_back: self.producer.held_back(),
            rejected: counts.rejected,
            waiting: queue.ready().len(),
            in_flight: queue.in_flight(),
            done: counts.done,
            dropped_new: counts.dropped_new,
            dropped_oldest: counts.dropped_oldest,
        }
    }

    /// Why the producer cannot hand over its message.
    #[must_use]
    pub fn blocked_by(&self) -> Option<BlockedBy> {
        if !self.producer.is_blocked() {
            return None;
        }
        Some(if self.broker.is_memory_full() { BlockedBy::MemoryAlarm } else { BlockedBy::Bound })
    }

    /// Whether the source at `slot` has something to do.
    pub(super) fn is_scheduled(&self, slot: u32) -> bool {
        self.agenda.due(slot).is_some()
    }

    /// A digest of the whole state: every message in order, agenda, generators, statistics and
    /// series. Equal natively and in wasm, and equal for equal scenario, commands and instant,
    /// however the run got there.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hasher = StateHasher::default();
        hasher.write(self.now.micros());
        hasher.write(self.settings.seed);
        self.broker.hash_into(&mut hasher);
        self.producer.hash_into(&mut hasher);
        self.pool.hash_into(&mut hasher);
        (0..SLOTS as u64).zip(0_u32..).for_each(|(index, slot)| {
            hasher.write(index);
            hasher.write(self.agenda.due(slot).map_or(u64::MAX, Instant::micros));
        });
        self.stats.hash_into(&mut hasher, self.now);
        self.journal.hash_into(&mut hasher);
        hasher.write(self.scripted_commands_done as u64);
        hasher.write(self.command_log.len() as u64);
        self.command_log.iter().for_each(|timed| timed.hash_into(&mut hasher));
        hasher.finish()
    }

    fn due_now(&self) -> Option<u32> {
        self.agenda.next().filter(|(at, _)| *at <= self.now).map(|(_, slot)| slot)
    }

    fn next_time(&self) -> Option<Instant> {
        self.next_instant().into_iter().chain([self.next_second]).min()
    }

    fn pass_time_to(&mut self, next: Instant) {
        self.now = next;
        self.stats.pass_time(next);
        if next == self.next_second {
            let counts = self.ledger();
            self.stats.close_second(next, &counts);
            self.next_second += Span::from_seconds(1);
        }
    }

    fn complete_instant(&mut self) {
        self.settle();
        self.complete_at = self.now;
        #[cfg(debug_assertions)]
        {
            let violations = super::invariants::check(self);
            assert!(violations.is_empty(), "at {}: {violations:?}", self.now);
        }
    }

    fn settle(&mut self) {
        let queue = self.broker.queue(QUEUE);
        let levels = Levels {
            waiting: queue.ready().len(),
            oldest_accepted_at: queue.ready().oldest_accepted_at(),
            in_flight: queue.in_flight(),
            busy: self.pool.busy(),
            staffed: self.pool.staffed(),
        };
        self.stats.settle(self.now, levels);
    }

    fn act(&mut self, slot: u32) {
        match slot {
            ARRIVAL => self.arrive(),
            BURST => self.arrive_from_burst(),
            TRIM => self.trim(),
            consumer => self.finish(ConsumerIndex(consumer)),
        }
    }

    fn arrive(&mut self) {
        let (id, excess) = self.producer.present_next(self.now);
        self.journal.record(self.now, EventKind::Offered, id);
        self.offer(id, excess);
        self.schedule_producer();
    }

    fn arrive_from_burst(&mut self) {
        if let Some(id) = self.producer.present_from_burst() {
            self.journal.record(self.now, EventKind::Offered, id);
            self.offer(id, Work::NONE);
        }
        self.schedule_producer();
    }

    fn offer(&mut self, id: MessageId, excess: Work) {
        let outcome = match self.broker.publish(self.now, QUEUE, Message::plain(id, self.now)) {
            Offered::Queue(published) => published,
            Offered::MemoryFull => Published::NoRoom,
        };
        match outcome {
            Published::HandedOver(delivery) => {
                self.journal.record(self.now, EventKind::Accepted, id);
                let carried = self.excess_for_consumer(excess);
                self.start(&delivery, carried);
            }
            Published::Accepted => self.journal.record(self.now, EventKind::Accepted, id),
            // There is no deduplication in a plain queue; a copy would have been taken in before.
            Published::Duplicate => {}
            Published::Rejected => self.lose(id, LossRule::Rejected),
            Published::DroppedNew => self.lose(id, LossRule::DroppedNew),
            Published::NoRoom => {
                self.journal.record(self.now, EventKind::HeldBack, id);
                self.producer.hold(self.now, id);
            }
        }
        self.follow_effects();
    }

    /// What the broker did beside what it was asked for.
    fn follow_effects(&mut self) {
        while let Some(effect) = self.broker.take_effect() {
            if let Effect::Gone { id, .. } = effect {
                self.lose(id, LossRule::DroppedOldest);
            }
        }
    }

    /// The producer's excess as work of a consumer that starts within the same microsecond.
    fn excess_for_consumer(&self, excess: Work) -> Work {
        match self.producer.rate().thousandths() {
            0 => Work::NONE,
            producer => Work(mul_div(excess.0, self.pool.rate().thousandths(), producer)),
        }
    }

    fn lose(&mut self, id: MessageId, rule: LossRule) {
        let kind = match rule {
            LossRule::Rejected => EventKind::Rejected,
            LossRule::DroppedNew => EventKind::DroppedNew,
            LossRule::DroppedOldest => EventKind::DroppedOldest,
        };
        self.journal.record(self.now, kind, id);
        self.stats.record_loss(self.now, id, rule);
    }

    fn start(&mut self, delivery: &Delivery, excess: Work) {
        self.journal.record(self.now, EventKind::Started, delivery.id);
        self.stats.record_wait(self.now.since(delivery.accepted_at));
        self.pool.start(self.now, delivery, excess);
        self.agenda.set(delivery.consumer.0, self.pool.finish_at(delivery.consumer));
    }

    fn finish(&mut self, consumer: ConsumerIndex) {
        self.agenda.set(consumer.0, None);
        let Some((job, excess)) = self.pool.finish(self.now, consumer) else { return };
        if !self.pool.is_wanted(consumer) {
            self.broker.queue_mut(QUEUE).unsubscribe(consumer);
        }
        self.broker.acknowledge(QUEUE, job.tag);
        self.journal.record(self.now, EventKind::Finished, job.id);
        self.stats.record_finish(self.now, job.id);
        self.dispatch(Some((consumer, excess)));
        self.release_producer();
    }

    /// Hands waiting messages to free consumers. The one that has just finished goes on within
    /// the same microsecond: its excess is carried into what it starts.
    fn dispatch(&mut self, finished: Option<(ConsumerIndex, Work)>) {
        while let Some(delivery) = self.broker.dispatch(self.now, QUEUE) {
            let excess = finished.filter(|(consumer, _)| *consumer == delivery.consumer);
            self.start(&delivery, excess.map_or(Work::NONE, |(_, excess)| excess));
        }
    }

    /// A blocked producer presents its message again if it would not be blocked now.
    fn release_producer(&mut self) {
        if !self.producer.is_blocked() || self.broker.would_block(QUEUE) {
            return;
        }
        if let Some(id) = self.producer.take_held() {
            self.producer.resume(self.now);
            self.offer(id, Work::NONE);
            self.schedule_producer();
        }
    }

    fn trim(&mut self) {
        self.broker.trim_one(self.now, QUEUE);
        self.follow_effects();
        self.schedule_trim();
        self.release_producer();
    }

    fn schedule_trim(&mut self) {
        let needs_trim = self.broker.queue(QUEUE).needs_trim();
        self.agenda.set(TRIM, needs_trim.then_some(self.now));
    }

    fn schedule_producer(&mut self) {
        self.agenda.set(ARRIVAL, self.producer.next_arrival());
        let bursts_now = self.producer.burst_pending() > 0 && !self.producer.is_blocked();
        self.agenda.set(BURST, bursts_now.then_some(self.now));
    }

    fn next_scripted_command(&self) -> Option<&TimedCommand> {
        self.scenario.commands().get(self.scripted_commands_done)
    }
}
