//! Poisson arrivals and exponential work: M/M/c with and without a bound, of which M/M/1 and
//! M/M/1/K are the case of one consumer.

use super::general::ServiceMoments;
use super::{Load, Refused, SteadyState, Waits, not_negative, positive, share, stable};

/// The most consumers, and the most messages in the system, that are summed over.
const COUNT_MAX: u64 = 10_000_000;

/// A share of this size no longer changes a sum of doubles.
const NEGLIGIBLE: f64 = 1e-40;

/// M/M/c (Erlang 1917): `consumers` equal consumers that finish `service_per_second` each,
/// nothing is refused, first in first out.
///
/// # Errors
/// Refuses rates that are not above zero, no or more than 10,000,000 consumers, and arrivals of
/// as much as can be finished or more.
pub fn m_m_c(
    arrivals_per_second: f64,
    service_per_second: f64,
    consumers: u64,
) -> Result<SteadyState, Refused> {
    let probability = erlang_c(arrivals_per_second / positive(service_per_second)?, consumers)?;
    let free_per_second = as_float(consumers) * service_per_second - arrivals_per_second;
    let load = Load {
        arrivals_per_second,
        consumers: as_float(consumers),
        blocking_probability: 0.0,
        empty_probability: empty_share(arrivals_per_second / service_per_second, consumers, probability),
    };
    let waits = Waits {
        probability,
        mean_seconds: probability / free_per_second,
        second_moment: 2.0 * probability / free_per_second / free_per_second,
    };
    SteadyState::assemble(&load, &waits, &ServiceMoments::exponential(1.0 / service_per_second))
}

/// M/M/c/K: as [`m_m_c`], but at most `system_bound` messages are in the system, those with
/// consumers counted; what arrives beyond is refused. Birth and death balance state by state
/// (Kleinrock 1975, section 3.7); arrivals see the mean over time (Wolff 1982).
///
/// # Errors
/// Refuses rates that are not above zero, and counts that are not within 1 and 10,000,000.
pub fn m_m_c_k(
    arrivals_per_second: f64,
    service_per_second: f64,
    consumers: u64,
    system_bound: u64,
) -> Result<SteadyState, Refused> {
    let offered_load = positive(positive(arrivals_per_second)? / positive(service_per_second)?)?;
    // Consumers beyond the bound never get anything.
    let useful = count(consumers)?.min(count(system_bound)?);
    let full = Line::new(offered_load, useful, system_bound - useful)?;
    let work_off_per_second = as_float(useful) * service_per_second;
    let let_in = 1.0 - full.blocking_probability;
    let waits = Waits {
        probability: full.waiting_probability / let_in,
        mean_seconds: full.places_mean / let_in / work_off_per_second,
        second_moment: full.places_second_moment / let_in / work_off_per_second / work_off_per_second,
    };
    let load = Load {
        arrivals_per_second,
        consumers: as_float(consumers),
        blocking_probability: full.blocking_probability,
        empty_probability: full.empty_probability,
    };
    SteadyState::assemble(&load, &waits, &ServiceMoments::exponential(1.0 / service_per_second))
}

/// A bounded line in balance, as an arriving message finds it.
struct Line {
    blocking_probability: f64,
    empty_probability: f64,
    /// All consumers are busy and there is a place.
    waiting_probability: f64,
    /// Finishes that the message has to wait for, where it is let in: their mean, and the mean
    /// of n(n + 1), which is the mean square of n exponential times of mean 1.
    places_mean: f64,
    places_second_moment: f64,
}

impl Line {
    /// With all `consumers` busy, one more in line is `ratio` times as probable. So the states
    /// are weighed from the likelier end, where the weights can only fall.
    fn new(offered_load: f64, consumers: u64, places: u64) -> Result<Self, Refused> {
        let ratio = offered_load / as_float(consumers);
        let all_busy = erlang_b(offered_load, consumers)?;
        let (step, first_place_weight, last_place_weight) = if ratio > 1.0 {
            (1.0 / ratio, libm::pow(1.0 / ratio, as_float(places)), 1.0)
        } else {
            (ratio, 1.0, libm::pow(ratio, as_float(places)))
        };
        let (mut all, mut mean, mut second_moment) = (0.0, 0.0, 0.0);
        let mut weight = 1.0;
        for index in 0..=places {
            let in_line = if ratio > 1.0 { places - index } else { index };
            if in_line < places {
                let finishes = as_float(in_line) + 1.0;
                all += weight;
                mean += weight * finishes;
                second_moment += weight * finishes * (finishes + 1.0);
            }
            weight *= step;
            if weight < NEGLIGIBLE {
                break;
            }
        }
        let not_all_busy = (1.0 - all_busy) * first_place_weight;
        let scale = 1.0 / (not_all_busy + all_busy * (all + last_place_weight));
        Ok(Self {
            blocking_probability: scale * all_busy * last_place_weight,
            empty_probability: scale * first_place_weight / states_below(offered_load, consumers),
            waiting_probability: scale * all_busy * all,
            places_mean: scale * all_busy * mean,
            places_second_moment: scale * all_busy * second_moment,
        })
    }
}

/// Erlang's B (1917): the share of messages that find all consumers busy where nothing waits, by
/// the recursion over consumers, which neither overflows nor cancels.
///
/// # Errors
/// Refuses a load that is not above zero, and no or more than 10,000,000 consumers.
pub fn erlang_b(offered_load_erlangs: f64, consumers: u64) -> Result<f64, Refused> {
    let load = positive(offered_load_erlangs)?;
    let blocked = (1..=count(consumers)?).fold(1.0, |blocked, consumer| {
        let weight = load * blocked;
        // Above the largest double nearly all is blocked.
        if weight.is_finite() { weight / (as_float(consumer) + weight) } else { 1.0 }
    });
    Ok(blocked)
}

/// Erlang's C (1917): the share of messages that have to wait in M/M/c.
///
/// # Errors
/// As [`erlang_b`]; refuses a load of as many erlangs as there are consumers, or more.
pub fn erlang_c(offered_load_erlangs: f64, consumers: u64) -> Result<f64, Refused> {
    let blocked = erlang_b(offered_load_erlangs, consumers)?;
    let utilisation = stable(offered_load_erlangs / as_float(consumers))?;
    Ok(blocked / (1.0 - utilisation + utilisation * blocked))
}

/// The time in seconds within which the `part` of messages, 0 to 1, has left M/M/1, first in
/// first out: the stay is exponential with a rate of μ − λ (Kleinrock 1975, section 3.2).
///
/// # Errors
/// Refuses rates that are not above zero, a part that is not within 0 and 1 or is 1, and an
/// unstable queue.
pub fn m_m_1_sojourn_time_percentile(
    arrivals_per_second: f64,
    service_per_second: f64,
    part: f64,
) -> Result<f64, Refused> {
    stable(positive(arrivals_per_second)? / positive(service_per_second)?)?;
    not_negative(-libm::log1p(-share(part)?) / (service_per_second - arrivals_per_second))
}

/// The waiting time in seconds that the `part` of messages, 0 to 1, does not exceed in M/M/c,
/// first in first out: P(wait > t) = C·exp(−(cμ − λ)t) (Kleinrock 1975, section 3.4).
///
/// # Errors
/// As [`m_m_c`], and refuses a part that is not within 0 and 1 or is 1.
pub fn m_m_c_waiting_time_percentile(
    arrivals_per_second: f64,
    service_per_second: f64,
    consumers: u64,
    part: f64,
) -> Result<f64, Refused> {
    let waiting = erlang_c(positive(arrivals_per_second)? / positive(service_per_second)?, consumers)?;
    let above = 1.0 - share(part)?;
    let free_per_second = as_float(consumers) * service_per_second - arrivals_per_second;
    not_negative(libm::log((waiting / above).max(1.0)) / free_per_second)
}

/// The share of time in which M/M/c is empty.
fn empty_share(offered_load: f64, consumers: u64, waiting_probability: f64) -> f64 {
    (1.0 - waiting_probability) / states_below(offered_load, consumers - 1)
}

/// The sum of aⁿ/n! over n from 0 to `last`, for a load of a erlangs.
fn states_below(offered_load: f64, last: u64) -> f64 {
    let mut term = 1.0;
    (1..=last).fold(1.0, |sum, n| {
        term *= offered_load / as_float(n);
        sum + term
    })
}

fn count(value: u64) -> Result<u64, Refused> {
    if (1..=COUNT_MAX).contains(&value) { Ok(value) } else { Err(Refused::OutOfRange) }
}

/// Exact: no count here exceeds 2⁵³.
#[allow(clippy::cast_precision_loss)]
const fn as_float(count: u64) -> f64 {
    count as f64
}
