//! The workloads of the comparison with a plain loop: the same queue for both.

use std::rc::Rc;

use plain_loop::{Queue, Retries};
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{
    ArrivalPattern, Bound, DeadLetters, RetryAt, RetryDelay, Returns, ServiceTime, Settings,
};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};

/// One workload. Rates are messages a second.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// What it is called.
    pub name: &'static str,
    arrivals: u32,
    consumers: u32,
    each: u32,
    has_retries: bool,
}

/// One consumer, four of them at the same load, and one whose attempts fail one time in five:
/// three attempts, one mean service time apart, then a dead letter.
pub const WORKLOADS: [Workload; 3] = [
    Workload { name: "M/M/1 at 0.8", arrivals: 80, consumers: 1, each: 100, has_retries: false },
    Workload { name: "M/M/4 at 0.8", arrivals: 80, consumers: 4, each: 25, has_retries: false },
    Workload { name: "retry", arrivals: 60, consumers: 1, each: 100, has_retries: true },
];

impl Workload {
    /// The scenario of a run.
    pub fn scenario(&self) -> Rc<Scenario> {
        let settings = Settings {
            producer_rate: Rate::from_per_second(self.arrivals.into()),
            arrivals: ArrivalPattern::Poisson,
            consumer_rate: Rate::from_per_second(self.each.into()),
            consumer_count: self.consumers.into(),
            service_time: ServiceTime::Exponential,
            queue_bound: Bound::None,
            ..Settings::default()
        };
        Rc::new(Scenario::with_settings(if self.has_retries { with_retries(settings) } else { settings }))
    }

    /// When about so many messages have arrived.
    pub fn end(&self, messages: u64) -> Instant {
        Instant::from_micros(messages * 1_000_000 / u64::from(self.arrivals))
    }

    /// Plays the model, with everything that it counts, and returns how many were done.
    pub fn play(&self, messages: u64) -> u64 {
        let mut simulation = Simulation::new(self.scenario());
        simulation.advance_to(self.end(messages), u64::MAX);
        simulation.ledger().done
    }

    /// Plays the plain loop and returns how many died.
    pub fn play_plainly(&self, messages: u64) -> f64 {
        let queue = Queue {
            arrival_rate: self.arrivals.into(),
            consumers: self.consumers as usize,
            service_rate: self.each.into(),
        };
        let outcome = if self.has_retries {
            let retries = Retries { failing: 0.2, attempts: 3, delay: 0.01 };
            plain_loop::with_retries(queue, retries, messages)
        } else {
            plain_loop::without_retries(queue, messages)
        };
        outcome.waited + outcome.dead_letters as f64
    }
}

fn with_retries(settings: Settings) -> Settings {
    Settings {
        failure_share: 200_000,
        attempts_max: Some(3),
        retry_at: RetryAt::RetryQueue,
        retry_delay: RetryDelay::Fixed,
        retry_delay_base: Span::from_millis(10),
        returns: Returns::Back,
        dead_letters: DeadLetters::Kept,
        ..settings
    }
}
