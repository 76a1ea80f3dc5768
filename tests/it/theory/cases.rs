//! The queues whose balance is known exactly. One row is one case.

use queue_lab::model::rate::Rate;
use queue_lab::model::settings::{
    ArrivalPattern, Bound, DispatchOrder, OverflowPolicy, ServiceTime, Settings,
};
use queue_lab::model::theory::general::{ServiceMoments, m_d_1, m_g_1, m_g_1_lifo};
use queue_lab::model::theory::markovian::{m_m_c, m_m_c_k};
use queue_lab::model::theory::{Refused, SteadyState};

use super::as_float;
use super::measures::{Kind, Measure};

/// One queue, and what theory says of it.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// What a run of it starts from, but for the seed.
    pub settings: Settings,
    /// Exact means.
    pub exact: SteadyState,
    /// Messages of a long run.
    pub messages: u64,
    is_light: bool,
}

/// Messages of a long run, and of one whose means come slowly: its line is long and unbounded, or
/// one of its states is rare.
const MESSAGES: u64 = 1_000_000;
const MESSAGES_OF_SLOW_MEANS: u64 = 10_000_000;
const HIGH_LOAD: f64 = 0.9;
/// Several consumers are lightly loaded where fewer messages than this share have to wait.
const LIGHT_LOAD_WAITS: f64 = 0.2;

/// All cases: rates are messages a second, the consumers' for each of them.
pub fn all() -> Vec<Case> {
    vec![
        exponential("M/M/1 at 0.5", [5, 10], 1),
        exponential("M/M/1 at 0.8", [8, 10], 1).also_light(),
        exponential("M/M/1 at 0.9", [9, 10], 1),
        exponential("M/M/1 at 0.95", [19, 20], 1),
        exponential("M/M/2 at 0.6", [12, 10], 2),
        exponential("M/M/5 at 0.5", [25, 10], 5),
        exponential("M/M/5 at 0.8", [40, 10], 5).also_light(),
        exponential("M/M/10 at 0.9", [90, 10], 10),
        exponential("M/M/64 at 0.95", [304, 5], 64),
        bounded("M/M/1/1 at 0.5", [5, 10], 1, 0),
        bounded("M/M/1/3 at 2", [20, 10], 1, 2),
        bounded("M/M/1/4 at 1", [10, 10], 1, 3),
        bounded("M/M/1/5 at 0.8", [8, 10], 1, 4).also_light(),
        bounded("M/M/1/10 at 1.5", [15, 10], 1, 9).with_a_rare_state(),
        bounded("M/M/1/100 at 1.2", [12, 10], 1, 99),
        bounded("M/M/3/8 at 0.9", [27, 10], 3, 5).also_light(),
        bounded("M/M/10/10 at 1", [100, 10], 10, 0),
        bounded("M/M/10/20 at 0.95", [95, 10], 10, 10),
        bounded("M/M/64/70 at 1.1", [352, 5], 64, 6),
        fixed("M/D/1 at 0.5", [5, 10]),
        fixed("M/D/1 at 0.8", [8, 10]).also_light(),
        fixed("M/D/1 at 0.9", [9, 10]),
        log_normal("M/G/1, log-normal, at 0.5", [5, 10]),
        log_normal("M/G/1, log-normal, at 0.8", [8, 10]).also_light(),
        newest_first("M/M/1, newest first, at 0.5", [5, 10]),
        newest_first("M/M/1, newest first, at 0.7", [7, 10]).also_light(),
    ]
}

/// Those of `make test`.
pub fn light() -> Vec<Case> {
    all().into_iter().filter(|case| case.is_light).collect()
}

/// M/M/c.
fn exponential(name: &'static str, rates: [u64; 2], consumers: u64) -> Case {
    let settings = Settings { consumer_count: consumers, ..settings(rates, ServiceTime::Exponential) };
    Case::new(name, settings, m_m_c(rate(rates[0]), rate(rates[1]), consumers))
}

/// M/M/c/K: the bound counts those that wait, so K is the bound and the consumers.
fn bounded(name: &'static str, rates: [u64; 2], consumers: u64, bound: u64) -> Case {
    let settings = Settings {
        consumer_count: consumers,
        queue_bound: Bound::Messages(bound),
        ..settings(rates, ServiceTime::Exponential)
    };
    Case::new(name, settings, m_m_c_k(rate(rates[0]), rate(rates[1]), consumers, bound + consumers))
}

/// M/D/1.
fn fixed(name: &'static str, rates: [u64; 2]) -> Case {
    Case::new(name, settings(rates, ServiceTime::Fixed), m_d_1(rate(rates[0]), 1.0 / rate(rates[1])))
}

/// M/G/1 with log-normal work whose standard deviation is its mean.
fn log_normal(name: &'static str, rates: [u64; 2]) -> Case {
    let work = ServiceMoments::log_normal(1.0 / rate(rates[1]), 1.0);
    Case::new(name, settings(rates, ServiceTime::LogNormal), m_g_1(rate(rates[0]), &work))
}

/// M/M/1 where the newest message goes first: the same means, and a larger second moment.
fn newest_first(name: &'static str, rates: [u64; 2]) -> Case {
    let settings =
        Settings { order: DispatchOrder::NewestFirst, ..settings(rates, ServiceTime::Exponential) };
    let work = ServiceMoments::exponential(1.0 / rate(rates[1]));
    Case::new(name, settings, m_g_1_lifo(rate(rates[0]), &work))
}

pub fn settings([producer, consumer]: [u64; 2], service_time: ServiceTime) -> Settings {
    Settings {
        producer_rate: Rate::from_per_second(producer),
        arrivals: ArrivalPattern::Poisson,
        consumer_rate: Rate::from_per_second(consumer),
        service_time,
        queue_bound: Bound::None,
        overflow: OverflowPolicy::Reject,
        ..Settings::default()
    }
}

fn rate(per_second: u64) -> f64 {
    as_float(per_second.into())
}

impl Case {
    fn new(name: &'static str, settings: Settings, exact: Result<SteadyState, Refused>) -> Self {
        let exact = exact.unwrap_or_else(|refused| panic!("{name}: {refused:?}"));
        let is_slow = settings.queue_bound == Bound::None && exact.offered_utilisation >= HIGH_LOAD;
        let messages = if is_slow { MESSAGES_OF_SLOW_MEANS } else { MESSAGES };
        Self { name, settings, exact, messages, is_light: false }
    }

    /// It belongs to `make test` too.
    fn also_light(self) -> Self {
        Self { is_light: true, ..self }
    }

    /// One of its states has a share of time below 0.01: the runs are longer.
    fn with_a_rare_state(self) -> Self {
        Self { messages: MESSAGES_OF_SLOW_MEANS, ..self }
    }

    /// The most that the half-width of the measure's interval may be, relative to the exact
    /// value, after a long run.
    pub fn width_limit(&self, measure: &Measure) -> f64 {
        let is_lightly_loaded =
            self.settings.consumer_count > 1 && self.exact.waiting_probability < LIGHT_LOAD_WAITS;
        match measure.kind {
            Kind::SecondMoment => 0.1,
            Kind::Wait | Kind::Probability if is_lightly_loaded => 0.05,
            Kind::Mean | Kind::Wait | Kind::Probability => 0.03,
        }
    }
}
