//! Looking into the future of a run by running a clone of it.

use queue_lab::model::command::Command;
use queue_lab::model::ledger::Ledger;
use queue_lab::model::rate::Rate;
use queue_lab::model::settings::{ArrivalPattern, Bound, ServiceTime, Setting, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::Snapshot;
use queue_lab::model::time::{Instant, Span};

/// What a check may cost; a future that needs more is not judged.
const INSTANTS_MAX: usize = 30_000;

/// A clone that goes ahead of the run.
pub struct Future(pub Simulation);

impl Future {
    pub fn of(simulation: &Simulation) -> Self {
        Self(simulation.clone())
    }

    pub fn with(simulation: &Simulation, setting: Setting, value: Value) -> Self {
        let mut future = Self::of(simulation);
        let applied = future.0.apply(Command::Set { setting, value });
        assert_eq!(applied, Ok(()));
        future.pass(Span::ZERO);
        future
    }

    /// Runs `span` ahead.
    pub fn pass(&mut self, span: Span) -> Ledger {
        let target = self.0.now() + span;
        while self.0.advance_to(target, 1_000_000) < target || !self.0.is_complete() {}
        self.0.ledger()
    }

    /// Goes from instant to instant until `is_there`, for `limit` at most. How long it took;
    /// `Err` where it was not there within the limit or the cost.
    pub fn first(&mut self, limit: Span, is_there: impl Fn(&Simulation) -> bool) -> Result<Span, Missed> {
        let start = self.0.now();
        for _ in 0..INSTANTS_MAX {
            if is_there(&self.0) {
                return Ok(self.0.now().since(start));
            }
            let next = self.0.next_instant().filter(|next| next.since(start) <= limit);
            let Some(next) = next else {
                return Err(Missed::Never);
            };
            self.reach(next);
        }
        Err(Missed::TooCostly)
    }

    /// The least and most waiting after each instant of `span`.
    pub fn waiting_within(&mut self, span: Span) -> (u64, u64) {
        let end = self.0.now() + span;
        let mut extent = (self.0.ledger().waiting, self.0.ledger().waiting);
        for _ in 0..INSTANTS_MAX {
            let Some(next) = self.0.next_instant().filter(|next| *next <= end) else { break };
            self.reach(next);
            let waiting = self.0.ledger().waiting;
            extent = (extent.0.min(waiting), extent.1.max(waiting));
        }
        extent
    }

    fn reach(&mut self, next: Instant) {
        while self.0.advance_to(next, 1_000_000) < next || !self.0.is_complete() {}
    }
}

/// Why a future has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    Never,
    TooCostly,
}

/// The dials of a snapshot, as a checker reads them.
pub struct Dials {
    pub arrivals: u64,
    pub capacity: u64,
    pub consumers: u64,
    pub each: u64,
    /// Messages that come at one instant.
    pub together: u64,
    pub has_chance: bool,
    pub bound: Option<u64>,
}

impl Dials {
    pub fn of(snapshot: &Snapshot) -> Self {
        let (producer, consumers) = (&snapshot.producer, &snapshot.consumers);
        Self {
            arrivals: producer.rate.thousandths(),
            capacity: consumers.rate_each.thousandths() * consumers.count,
            consumers: consumers.count,
            each: consumers.rate_each.thousandths(),
            together: if producer.arrivals == ArrivalPattern::Bursts { producer.burst_size } else { 1 },
            has_chance: producer.arrivals == ArrivalPattern::Poisson || is_work_random(snapshot),
            bound: match snapshot.queue.bound {
                Bound::Messages(bound) => Some(bound),
                Bound::None => None,
            },
        }
    }

    /// Equal gaps and equal work.
    pub const fn is_even(&self) -> bool {
        !self.has_chance && self.together == 1
    }

    /// How far lumps move the line: all consumers at once, and a burst.
    pub const fn lump(&self) -> u64 {
        self.consumers + if self.together > 1 { self.together } else { 0 }
    }

    /// Long enough for `messages` at the faster of the two rates.
    pub fn span_of(&self, messages: u64) -> Span {
        Rate::from_thousandths(self.arrivals.max(self.capacity).max(1))
            .time_for_messages(messages)
            .unwrap_or(Span::from_seconds(3_600))
    }

    /// Messages that come in at `thousandths` in `span`.
    pub fn count_in(thousandths: u64, span: Span) -> u64 {
        let messages = u128::from(thousandths) * u128::from(span.micros()) / 1_000_000_000;
        u64::try_from(messages).unwrap_or(u64::MAX)
    }

    /// Six standard deviations of what chance adds in `span`, where there is chance.
    pub fn chance_in(&self, span: Span) -> u64 {
        if !self.has_chance {
            return 0;
        }
        6 * Self::count_in(self.arrivals + self.capacity, span).isqrt() + 6
    }
}

/// Random, or left over from when it was: longer than a message takes by the dial.
fn is_work_random(snapshot: &Snapshot) -> bool {
    let consumers = &snapshot.consumers;
    let one = consumers.rate_each.time_for_messages(1).map(|span| span + Span::from_micros(1));
    let left = consumers.each.iter().filter_map(|consumer| consumer.work?.finishes_in);
    consumers.service_time != ServiceTime::Fixed || left.max() > one
}

/// `Ok` where it is so.
pub fn ensure(is_so: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(otherwise()) }
}
