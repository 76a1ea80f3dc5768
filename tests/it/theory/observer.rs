//! Measures a run from outside: from its events, its counts and its exact sums over time.

use std::collections::HashMap;
use std::rc::Rc;

use queue_lab::model::event::{EVENTS_KEPT, Event, EventKind, Journal};
use queue_lab::model::ledger::Ledger;
use queue_lab::model::message::MessageId;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::Settings;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::theory::SteadyState;
use queue_lab::model::time::{Instant, MICROS_PER_SECOND, Span};

use super::as_float;

/// Steps of the model between two looks at the journal: none brings more than four events, so
/// that it never forgets one that was not seen.
const STEPS: u64 = EVENTS_KEPT as u64 / 4;

/// Microseconds in a second, for sums and for sums of squares.
const SECOND: f64 = MICROS_PER_SECOND as f64;

/// Runs `settings` with `seed` for as long as `messages` take to arrive on average, and measures
/// all but the first tenth of that time.
pub fn observe(settings: &Settings, seed: u64, messages: u64) -> SteadyState {
    let settings = Settings { seed, ..settings.clone() };
    let service_per_second = as_float(settings.consumer_rate.thousandths().into()) / 1_000.0;
    let end_micros = messages * 1_000 * MICROS_PER_SECOND / settings.producer_rate.thousandths();
    let mut simulation = Simulation::new(Rc::new(Scenario::with_settings(settings)));
    let mut observer = Observer::default();
    observer.run_to(&mut simulation, Instant::from_micros(end_micros / 10));
    let before = Reading::of(&simulation);
    observer.begin(simulation.now());
    observer.run_to(&mut simulation, Instant::from_micros(end_micros));
    observer.end(simulation.now());
    measured(&observer.sums, &before, &Reading::of(&simulation), service_per_second)
}

/// What the run itself counts.
struct Reading {
    at: Instant,
    counts: Ledger,
    waiting_area: u128,
    in_flight_area: u128,
}

impl Reading {
    fn of(simulation: &Simulation) -> Self {
        let (waiting_area, in_flight_area) = simulation.areas();
        Self { at: simulation.now(), counts: simulation.ledger(), waiting_area, in_flight_area }
    }
}

/// Sums over the messages that started or finished, and over time.
#[derive(Default)]
struct Sums {
    started: u64,
    waited: u64,
    wait_micros: u128,
    wait_squares: u128,
    finished: u64,
    stay_micros: u128,
    stay_squares: u128,
    empty_micros: u128,
}

/// Pairs the events of each message.
#[derive(Default)]
struct Observer {
    events_seen: u64,
    accepted_at: HashMap<MessageId, Instant>,
    empty_since: Instant,
    sums: Sums,
}

impl Observer {
    fn run_to(&mut self, simulation: &mut Simulation, end: Instant) {
        loop {
            let reached = simulation.advance_to(end, STEPS);
            self.read(simulation.journal());
            if reached == end {
                return;
            }
        }
    }

    /// Measuring begins at `now`.
    fn begin(&mut self, now: Instant) {
        self.sums = Sums::default();
        self.empty_since = now;
    }

    /// Measuring ends at `now`.
    fn end(&mut self, now: Instant) {
        if self.accepted_at.is_empty() {
            self.sums.empty_micros += u128::from(now.since(self.empty_since).micros());
        }
    }

    fn read(&mut self, journal: &Journal) {
        let unseen = usize::try_from(journal.count() - self.events_seen).expect("few events are new");
        let forgotten = unseen.saturating_sub(journal.last().len());
        assert_eq!(forgotten, 0, "a step has more events than four");
        let seen = journal.last().len() - unseen;
        journal.last().skip(seen).for_each(|event| self.take_in(event));
        self.events_seen = journal.count();
    }

    fn take_in(&mut self, event: &Event) {
        match event.kind {
            EventKind::Accepted => {
                if self.accepted_at.is_empty() {
                    self.sums.empty_micros += u128::from(event.at.since(self.empty_since).micros());
                }
                self.accepted_at.insert(event.message, event.at);
            }
            EventKind::Started => {
                let accepted_at = self.accepted_at.get(&event.message).expect("it was accepted");
                self.sums.start(event.at.since(*accepted_at));
            }
            EventKind::Finished => {
                let accepted_at = self.accepted_at.remove(&event.message).expect("it was accepted");
                self.sums.finish(event.at.since(accepted_at));
                self.empty_since = event.at;
            }
            EventKind::Offered | EventKind::Rejected => {}
            other => panic!("{other:?} does not happen in these queues"),
        }
    }
}

impl Sums {
    fn start(&mut self, waited: Span) {
        self.started += 1;
        self.waited += u64::from(waited > Span::ZERO);
        self.wait_micros += u128::from(waited.micros());
        self.wait_squares += u128::from(waited.micros()).pow(2);
    }

    fn finish(&mut self, stayed: Span) {
        self.finished += 1;
        self.stay_micros += u128::from(stayed.micros());
        self.stay_squares += u128::from(stayed.micros()).pow(2);
    }
}

/// The means between two readings. Levels are the run's own sums over time; times are those of
/// the messages that started, or finished, meanwhile.
fn measured(sums: &Sums, before: &Reading, after: &Reading, service_per_second: f64) -> SteadyState {
    let micros = after.at.since(before.at).micros().into();
    let seconds = as_float(micros) / SECOND;
    let waiting = after.waiting_area - before.waiting_area;
    let in_flight = after.in_flight_area - before.in_flight_area;
    let offered = after.counts.offered - before.counts.offered;
    let rejected = after.counts.rejected - before.counts.rejected;
    let done = after.counts.done - before.counts.done;
    assert_eq!(done, sums.finished, "events and counts agree");
    let load = as_float(offered.into()) / seconds / service_per_second;
    let mean = |sum: u128, count: u64| as_float(sum) / as_float(count.into());
    SteadyState {
        offered_load_erlangs: load,
        offered_utilisation: load,
        throughput_per_second: as_float(done.into()) / seconds,
        blocking_probability: mean(rejected.into(), offered),
        empty_probability: as_float(sums.empty_micros) / as_float(micros),
        waiting_probability: mean(sums.waited.into(), sums.started),
        waiting_mean_messages: as_float(waiting) / as_float(micros),
        in_system_mean_messages: as_float(waiting + in_flight) / as_float(micros),
        waiting_time_mean_seconds: mean(sums.wait_micros, sums.started) / SECOND,
        waiting_time_second_moment: mean(sums.wait_squares, sums.started) / SECOND / SECOND,
        sojourn_time_mean_seconds: mean(sums.stay_micros, sums.finished) / SECOND,
        sojourn_time_second_moment: mean(sums.stay_squares, sums.finished) / SECOND / SECOND,
    }
}
