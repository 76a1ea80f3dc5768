//! Deciding what is happening: a small state with thresholds, fed with snapshots.
//!
//! It observes a fixed grid of model time and every command, never frames, so a run tells the
//! same story at every speed. Its state is a few integers and does not grow.

use super::both::{self, BothFacts};
use super::course::Course;
use super::facts::Facts;
use super::log::facts::LogFacts;
use super::log::memory::LogMemory;
use super::log::telling;
use super::remark::{Account, Counts, Evenness, Limit, Pace, Remark, Then};
use super::second_line;
use super::seen::{Dials, Hits, Shape, lately};
use super::trouble::Trouble;
use crate::model::ledger::Ledger;
use crate::model::snapshot::Snapshot;
use crate::model::time::Span;

/// The grid on which snapshots are observed.
pub const GRID: Span = Span::from_millis(250);

/// A wait that was seen is remembered for a minute, as long as the waiting times of the snapshot.
const WAITED_LATELY: Span = Span::from_seconds(60);

/// A memory that lasts longer than this is not told in time: the page is not watched for a day.
const TELL_MEMORY_WITHIN: Span = Span::from_seconds(24 * 3_600);

/// Why a snapshot is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The next point of the grid.
    Grid,
    /// A command was applied.
    Command,
}

/// Controls that are on screen, so that advice can name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visible {
    /// The Start button.
    pub start: bool,
    /// The producer's rate.
    pub producer_rate: bool,
    /// The rate of each consumer.
    pub consumer_rate: bool,
    /// How many consumers there are.
    pub consumer_count: bool,
    /// The queue's bound.
    pub queue_bound: bool,
    /// The button that lets a paused producer go on, once it can.
    pub producer_pause: bool,
}

impl Visible {
    /// The first screen: Start and two dials.
    pub const FIRST_SCREEN: Self = Self {
        start: true,
        producer_rate: true,
        consumer_rate: true,
        consumer_count: false,
        queue_bound: false,
        producer_pause: false,
    };

    /// Everything.
    pub const ALL: Self = Self { consumer_count: true, queue_bound: true, ..Self::FIRST_SCREEN };
}

/// Tells what is happening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrator {
    visible: Visible,
    account: Account,
    dials: Option<Dials>,
    ledger: Ledger,
    shape: Shape,
    log: LogMemory,
}

impl Narrator {
    /// A narrator of a run that begins, who may name the controls in `visible`.
    #[must_use]
    pub fn new(visible: Visible) -> Self {
        let happening = Remark::Idle { is_working: false };
        Self {
            visible,
            account: Account { happening, until: None, next: None, advice: None },
            dials: None,
            ledger: Ledger::default(),
            shape: Shape::default(),
            log: LogMemory::default(),
        }
    }

    /// Changes which controls may be named, from the next observation on.
    pub const fn set_visible(&mut self, visible: Visible) {
        self.visible = visible;
    }

    /// Takes in the state at a point of the grid or after a command, of a run with that `course`.
    pub fn observe(&mut self, snapshot: &Snapshot, course: &Course, occasion: Occasion) {
        if let Some(facts) = LogFacts::of(snapshot) {
            let facts = facts.in_course(course.is_even_log(), course.acts_at());
            self.account = telling::tell(&facts, &mut self.log, self.visible);
            return;
        }
        let facts = if snapshot.network.producers.len() > 1 { BothFacts::of(snapshot) } else { None };
        if let Some(facts) = facts {
            self.account = both::tell(&facts, self.visible, course);
            return;
        }
        let facts = Facts::of(snapshot).until(course.acts_at());
        if !course.is_plain() {
            self.account = counted(&facts, self.visible);
            return;
        }
        self.begin_story_where_dials_moved(&facts);
        self.take_in_hits(&facts, occasion);
        if facts.waiting() > 0 {
            self.shape.waited_at = Some(snapshot.at);
        }
        let happening = self.happening(&facts);
        self.shape.says_time = says_time(&happening);
        self.account = Account {
            happening,
            until: course.acts_at().filter(|_| happening.looks_ahead()),
            next: second_line::next(&happening, &facts, &self.account),
            advice: second_line::advice(&happening, &facts, self.visible),
        };
        self.ledger = snapshot.ledger;
    }

    /// What is to be said now.
    #[must_use]
    pub const fn account(&self) -> Account {
        self.account
    }

    fn begin_story_where_dials_moved(&mut self, facts: &Facts<'_>) {
        let dials = Dials::of(facts);
        if self.dials == Some(dials) {
            return;
        }
        let keeps_limit = self.dials.is_some_and(|before| dials.has_limits_of(&before));
        let old = self.shape;
        self.shape = Shape {
            // A full line stays full when a rate moves a little; whether it still is, is judged anew.
            is_full: old.is_full && keeps_limit,
            is_out_of_memory: old.is_out_of_memory && keeps_limit,
            ..Shape::default()
        };
        self.dials = Some(dials);
    }

    fn take_in_hits(&mut self, facts: &Facts<'_>, occasion: Occasion) {
        let at = facts.snapshot.at;
        let lately = lately(&facts.pace);
        let ledger = &facts.snapshot.ledger;
        // What a command itself pushed out says nothing about the flow.
        let has_lost =
            occasion == Occasion::Grid && ledger.refused_or_dropped() > self.ledger.refused_or_dropped();
        self.shape.bound_hits.take_in(has_lost || facts.is_at_bound(), at, lately);
        self.shape.memory_hits.take_in(facts.is_blocked_by_memory(), at, lately);
    }

    fn happening(&mut self, facts: &Facts<'_>) -> Remark {
        if facts.is_at_rest() {
            let then = then(facts);
            return Remark::AtRest { pace: facts.pace, then, names_start: self.visible.start };
        }
        let at_limit = self.over_limit(facts).or_else(|| self.at_memory(facts));
        if let Some(remark) = at_limit.or_else(|| self.at_bound(facts)) {
            return remark;
        }
        if facts.is_growing() {
            return growing(facts, self.shape.says_time);
        }
        if facts.pace.capacity.is_zero() {
            return standing(facts);
        }
        if facts.is_shrinking() { self.shrinking(facts) } else { self.level(facts) }
    }

    #[inline(never)]
    fn over_limit(&mut self, facts: &Facts<'_>) -> Option<Remark> {
        let broker = &facts.snapshot.broker;
        let over_bound = facts.bound().map_or(0, |bound| facts.waiting().saturating_sub(bound));
        let over_memory = broker.held.saturating_sub(broker.memory);
        let over = over_bound.max(over_memory);
        if over == 0 {
            return None;
        }
        // Until that is over nothing gets in, so neither limit fills up again.
        self.shape.is_out_of_memory = false;
        let limit = if over_memory >= over_bound { Limit::Memory } else { Limit::Bound };
        let clears_in = facts.time_to_finish(over, facts.pace.capacity);
        Some(Remark::OverLimit { limit, overflow: facts.overflow(), clears_in })
    }

    #[inline(never)]
    fn at_memory(&mut self, facts: &Facts<'_>) -> Option<Remark> {
        let broker = &facts.snapshot.broker;
        let capacity = facts.capacity_within_memory();
        let grows = facts.pace.arrivals > capacity;
        let shape = &mut self.shape;
        let is_alarm = broker.memory_alarm || facts.is_blocked_by_memory();
        let is_near = broker.held + 2 * facts.slack() >= broker.memory;
        shape.is_out_of_memory = grows
            && (is_alarm
                || shape.is_out_of_memory && is_near
                || !facts.pace.is_even() && shape.memory_hits.is_lately());
        if shape.is_out_of_memory {
            let is_at_most = !facts.pace.is_even() || broker.memory < 2 * facts.pace.consumers;
            return Some(Remark::MemoryAlarm { pace: Pace { capacity, ..facts.pace }, is_at_most });
        }
        if facts.is_blocked_by_memory() && holds_part_of_burst(facts) {
            return Some(holding_back(facts, Limit::Memory));
        }
        let may_hover = !facts.pace.is_even() || broker.memory <= 2 * facts.slack();
        self.hovering(facts, Limit::Memory, self.shape.memory_hits, may_hover)
    }

    #[inline(never)]
    fn at_bound(&mut self, facts: &Facts<'_>) -> Option<Remark> {
        let bound = facts.bound()?;
        let overflow = facts.overflow();
        let is_lately = self.shape.bound_hits.is_lately();
        if bound == 0 && (facts.is_growing() || is_lately) {
            return Some(Remark::NoRoom { overflow });
        }
        self.shape.is_full = facts.is_growing() && self.is_full(facts, bound);
        if self.shape.is_full {
            return Some(Remark::Full { pace: facts.pace, overflow });
        }
        if facts.is_at_bound() && holds_part_of_burst(facts) {
            return Some(holding_back(facts, Limit::Bound));
        }
        let may_hover = !facts.pace.is_even() || bound <= facts.slack();
        self.hovering(facts, Limit::Bound, self.shape.bound_hits, may_hover)
    }

    fn is_full(&self, facts: &Facts<'_>, bound: u64) -> bool {
        let hits = &self.shape.bound_hits;
        if !facts.pace.is_even() {
            return hits.is_lately();
        }
        let is_near = facts.waiting() + facts.slack() >= bound;
        facts.waiting() >= bound || is_near && (self.shape.is_full || hits.is_in_hit)
    }

    fn hovering(&self, facts: &Facts<'_>, limit: Limit, hits: Hits, may_hover: bool) -> Option<Remark> {
        let is_hovering = may_hover && !facts.is_growing() && hits.times >= 2;
        // A long line that shrinks is a better story than the bound that it has just left.
        let is_leaving = facts.is_shrinking() && facts.empty_ahead(self.shape.says_time).is_some();
        (is_hovering && !is_leaving).then(|| Remark::HoveringAtBound { limit, overflow: facts.overflow() })
    }

    #[inline(never)]
    fn shrinking(&mut self, facts: &Facts<'_>) -> Remark {
        let pace = facts.pace;
        if pace.arrivals.is_zero() {
            return if facts.waiting() == 0 { idle(facts) } else { draining(facts, self.shape.says_time) };
        }
        let slack = facts.slack();
        let leave = if self.shape.is_draining { slack } else { 2 * slack };
        let time = facts.empty_ahead(self.shape.says_time);
        self.shape.is_draining = facts.waiting() > leave && (!facts.has_chance() || time.is_some());
        if self.shape.is_draining {
            return draining(facts, self.shape.says_time);
        }
        if !pace.is_even() && self.has_waited_lately(facts) {
            return Remark::KeepingUpButWaiting { pace };
        }
        Remark::KeepingUp { pace, busy_percent: busy_percent(&pace) }
    }

    #[inline(never)]
    fn level(&mut self, facts: &Facts<'_>) -> Remark {
        let pace = facts.pace;
        if facts.has_chance() {
            return Remark::Balanced { pace };
        }
        self.take_in_level(facts);
        let slack = facts.slack();
        // Consumers that finish together move the line by as many as they are; it then swings
        // between 0 and that, which is no backlog.
        let was_backlog = self.shape.is_backlog && facts.waiting() > 0;
        self.shape.is_backlog = facts.waiting() > slack || was_backlog;
        if self.shape.is_backlog
            && let Some((waiting, is_about)) = self.shape.level
        {
            return Remark::LevelWithBacklog { pace, waiting, is_about };
        }
        match pace.evenness {
            Evenness::Even if self.shape.waited_at.is_none() => Remark::Matched { pace },
            Evenness::Even => Remark::LevelAndShort { pace },
            _ if self.has_waited_lately(facts) => Remark::KeepingUpButWaiting { pace },
            _ => Remark::KeepingUp { pace, busy_percent: busy_percent(&pace) },
        }
    }

    fn take_in_level(&mut self, facts: &Facts<'_>) {
        let waiting = facts.waiting();
        self.shape.level = match self.shape.level {
            Some((said, is_about)) if said.abs_diff(waiting) <= facts.slack() => {
                Some((said, is_about || said != waiting))
            }
            _ => Some((waiting, false)),
        };
    }

    fn has_waited_lately(&self, facts: &Facts<'_>) -> bool {
        self.shape.waited_at.is_some_and(|at| facts.snapshot.at.since(at) <= WAITED_LATELY)
    }
}

/// What can be said of any run.
#[inline(never)]
fn counted(facts: &Facts<'_>, visible: Visible) -> Account {
    if facts.is_at_rest() {
        let happening = Remark::NotStarted { names_start: visible.start };
        return Account { happening, until: None, next: None, advice: None };
    }
    let ledger = &facts.snapshot.ledger;
    let happening = Remark::Counts(Counts {
        waiting: ledger.waiting,
        in_flight: ledger.in_flight,
        delayed: ledger.delayed,
        dead_letters: ledger.dead_letters,
        held_back: ledger.held_back,
    });
    let happening = Trouble::of(facts).unwrap_or(happening);
    Account { happening, until: None, next: second_line::moved(facts), advice: None }
}

/// Whether the producer holds more than the one message that its own clock brought. Without a
/// clock every message it holds is of a burst.
fn holds_part_of_burst(facts: &Facts<'_>) -> bool {
    let held = facts.snapshot.producer.held_back;
    !facts.is_growing() && (held > 1 || held > 0 && facts.pace.arrivals.is_zero())
}

fn holding_back(facts: &Facts<'_>, limit: Limit) -> Remark {
    let capacity = match limit {
        Limit::Bound => facts.pace.capacity,
        Limit::Memory => facts.capacity_within_memory(),
    };
    let clears_in = facts.time_to_finish(facts.snapshot.producer.held_back, capacity);
    Remark::HoldingBack { limit, clears_in, is_standing: capacity.is_zero() }
}

#[inline(never)]
fn growing(facts: &Facts<'_>, is_being_said: bool) -> Remark {
    let pace = facts.pace;
    match (facts.limit_ahead(is_being_said), facts.bound()) {
        (Some((Limit::Bound, full_in)), _) => {
            Remark::WillFillIn { pace, full_in, overflow: facts.overflow() }
        }
        (Some((Limit::Memory, out_of_memory_in)), Some(_)) => {
            Remark::WillRunOutOfMemory { pace, out_of_memory_in }
        }
        (Some((_, time)), None) => {
            let out_of_memory_in = time.filter(|estimate| estimate.span < TELL_MEMORY_WITHIN);
            Remark::GrowingWithoutBound { pace, out_of_memory_in }
        }
        // The outlook of a growing line always has an end, unless it is too far away to count.
        (None, _) => Remark::GrowingWithoutBound { pace, out_of_memory_in: None },
    }
}

fn standing(facts: &Facts<'_>) -> Remark {
    let (waiting, in_flight) = (facts.waiting(), facts.snapshot.ledger.in_flight);
    if waiting + in_flight == 0 {
        return idle(facts);
    }
    Remark::Stopped { waiting, in_flight }
}

fn idle(facts: &Facts<'_>) -> Remark {
    Remark::Idle { is_working: facts.snapshot.ledger.in_flight > 0 }
}

fn draining(facts: &Facts<'_>, is_being_said: bool) -> Remark {
    Remark::DrainingIn { pace: facts.pace, empty_in: facts.empty_ahead(is_being_said) }
}

/// What the dials of an empty start lead to.
fn then(facts: &Facts<'_>) -> Then {
    let pace = &facts.pace;
    // Random gaps and random work make messages wait; bursts only where they are larger than the
    // number of consumers that are free by then.
    let some_wait = facts.has_chance() || facts.consumers_at_a_burst() > pace.consumers;
    if pace.arrivals.is_zero() {
        return Then::NothingArrives;
    }
    if facts.bound() == Some(0) && (facts.is_growing() || some_wait) {
        return Then::NoRoom;
    }
    if facts.is_growing() {
        return match facts.limit_ahead(false) {
            Some((Limit::Memory, Some(time))) if time.span >= TELL_MEMORY_WITHIN => Then::GrowsOn,
            Some((limit, time)) => Then::Fills(limit, time),
            None => Then::GrowsOn,
        };
    }
    if some_wait {
        let is_balanced = facts.has_chance() && !facts.is_shrinking();
        return if is_balanced { Then::Wanders } else { Then::SomeWait };
    }
    if facts.is_shrinking() { Then::KeepsUp } else { Then::StaysEmpty }
}

fn says_time(remark: &Remark) -> bool {
    matches!(
        remark,
        Remark::WillFillIn { full_in: Some(_), .. }
            | Remark::GrowingWithoutBound { out_of_memory_in: Some(_), .. }
            | Remark::WillRunOutOfMemory { out_of_memory_in: Some(_), .. }
            | Remark::DrainingIn { empty_in: Some(_), .. }
            | Remark::AtRest { then: Then::Fills(_, Some(_)), .. }
    )
}

/// λ ÷ μ in percent, never said as 0 or 100: the consumers are neither idle nor always busy.
fn busy_percent(pace: &Pace) -> u64 {
    let capacity = pace.capacity.thousandths().max(1);
    let percent = (pace.arrivals.thousandths().saturating_mul(100) + capacity / 2) / capacity;
    percent.clamp(1, 99)
}
