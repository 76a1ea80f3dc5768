//! Checkers for what to try: a clone takes the advice.

use queue_lab::model::rate::Rate;
use queue_lab::model::settings::{Setting, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::Snapshot;
use queue_lab::model::time::Span;
use queue_lab::narrate::remark::Advice;

use super::forward::{Dials, Future, ensure};

/// How many messages are watched after the advice was taken.
const WATCHED: u64 = 600;

pub fn check(advice: Advice, snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let dials = Dials::of(snapshot);
    let trial = Trial { snapshot, simulation, dials: &dials };
    match advice {
        Advice::SlowProducerTo { capacity, .. } => trial.stops_growing(Setting::ProducerRate, capacity),
        Advice::SlowProducerBelow(rate) => trial.shrinks(Setting::ProducerRate, share(rate, 80)),
        Advice::SpeedUpConsumersTo { each, consumers } => {
            ensure(consumers == dials.consumers, || "there are others".to_owned())?;
            trial.stops_growing(Setting::ConsumerRate, each)
        }
        Advice::SpeedUpConsumersAbove { each, consumers } => {
            ensure(consumers == dials.consumers, || "there are others".to_owned())?;
            trial.shrinks(Setting::ConsumerRate, share(each, 125))
        }
        Advice::AddConsumers(count) => {
            let is_enough = count * dials.each >= dials.arrivals && (count - 1) * dials.each < dials.arrivals;
            ensure(is_enough && count > dials.consumers, || "it is not the right number".to_owned())
        }
        Advice::ShortenWaits => ensure(!dials.is_even(), || "nothing waits".to_owned()),
        Advice::StartProducer | Advice::EndPause => ensure(dials.arrivals == 0, || "it runs".to_owned()),
        Advice::SpeedUpProducerAbove(rate) => trial.grows(Setting::ProducerRate, share(rate, 125)),
        Advice::AllowWaiting => ensure(dials.bound == Some(0), || "they may".to_owned()),
        Advice::RaiseBound => ensure(dials.bound.is_some(), || "there is none".to_owned()),
    }
}

struct Trial<'a> {
    snapshot: &'a Snapshot,
    simulation: &'a Simulation,
    dials: &'a Dials,
}

impl Trial<'_> {
    fn later(&self, setting: Setting, rate: Rate) -> (u64, Span) {
        let mut future = Future::with(self.simulation, setting, Value::Rate(rate));
        let now = Dials::of(&future.0.snapshot());
        let span = now.span_of(WATCHED);
        (future.pass(span).waiting, span)
    }

    fn stray(&self, span: Span) -> u64 {
        2 * self.dials.lump() + self.snapshot.producer.held_back + self.dials.chance_in(span)
    }

    fn stops_growing(&self, setting: Setting, rate: Rate) -> Result<(), String> {
        let (later, span) = self.later(setting, rate);
        let most = self.snapshot.queue.waiting + self.stray(span);
        ensure(later <= most, || format!("it grows on to {later}"))
    }

    fn shrinks(&self, setting: Setting, rate: Rate) -> Result<(), String> {
        let (later, span) = self.later(setting, rate);
        let gone = Dials::count_in(self.dials.capacity.min(self.dials.arrivals) / 5, span) / 2;
        let most = self.snapshot.queue.waiting.saturating_sub(gone) + self.stray(span);
        ensure(later <= most, || format!("{later} wait {span} s later"))
    }

    /// The line grows, or it is at its limit by then.
    fn grows(&self, setting: Setting, rate: Rate) -> Result<(), String> {
        let (later, span) = self.later(setting, rate);
        let has_room = self.dials.bound.is_none_or(|bound| bound > 4 * self.dials.lump())
            && self.snapshot.broker.memory > 4 * self.dials.lump();
        let grows = later > self.snapshot.queue.waiting || !self.dials.is_even();
        ensure(!has_room || grows, || format!("{later} wait {span} s later"))
    }
}

fn share(rate: Rate, percent: u64) -> Rate {
    Rate::from_thousandths((rate.thousandths() * percent).div_ceil(100)).min(Rate::MAX)
}
