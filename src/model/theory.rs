//! What queueing theory says, in closed form: the exact means that a run comes near to.
//!
//! Nothing here is state of a run: these are functions of a few parameters, used to check the
//! simulation and to show what to expect. So numbers are floats here, and nothing that simulates
//! may use them. Times are seconds, rates are messages a second. No function panics: parameters
//! that are not finite, out of range, or without a balance are refused.
//!
//! | module | has |
//! | --- | --- |
//! | [`markovian`] | M/M/1, M/M/c, M/M/1/K, M/M/c/K, Erlang's B and C, percentiles |
//! | [`general`] | M/D/1 and M/G/1, last in first out, priorities |
//! | [`fluid`] | backlogs at constant rates, without chance |

pub mod fluid;
pub mod general;
pub mod markovian;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A parameter is not finite or not in its range, or the answer is too large for a float.
    OutOfRange,
    /// As much arrives as can be finished, or more, and nothing limits the line: it has no mean.
    Unstable,
}

/// What holds on average once a queue is in balance. Times are those of messages that were let
/// in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyState {
    /// Arriving work over one consumer's: λ/μ, in erlangs.
    pub offered_load_erlangs: f64,
    /// Arriving work over all consumers': ρ. Above 1 only where the line is bounded.
    pub offered_utilisation: f64,
    /// Messages finished a second.
    pub throughput_per_second: f64,
    /// Share of arriving messages that are not let in.
    pub blocking_probability: f64,
    /// Share of time in which there is no message at all.
    pub empty_probability: f64,
    /// Share of messages let in that have to wait.
    pub waiting_probability: f64,
    /// Messages waiting: Lq.
    pub waiting_mean_messages: f64,
    /// Messages waiting or with a consumer: L.
    pub in_system_mean_messages: f64,
    /// From acceptance to the start of the work: Wq.
    pub waiting_time_mean_seconds: f64,
    /// Mean square of that time, in seconds².
    pub waiting_time_second_moment: f64,
    /// From acceptance to the end of the work: W.
    pub sojourn_time_mean_seconds: f64,
    /// Mean square of that time, in seconds².
    pub sojourn_time_second_moment: f64,
}

/// What is let in, and how full it is.
struct Load {
    arrivals_per_second: f64,
    consumers: f64,
    blocking_probability: f64,
    empty_probability: f64,
}

/// Waiting times of the messages that were let in.
struct Waits {
    probability: f64,
    mean_seconds: f64,
    second_moment: f64,
}

impl SteadyState {
    /// All means from those of waiting and of work. A message's work does not depend on how long
    /// it waited, in any of these queues, so the mean square of the sum is that of its parts.
    fn assemble(load: &Load, waits: &Waits, work: &general::ServiceMoments) -> Result<Self, Refused> {
        let throughput = load.arrivals_per_second * (1.0 - load.blocking_probability);
        let offered_load = load.arrivals_per_second * work.mean_seconds;
        let sojourn_mean = waits.mean_seconds + work.mean_seconds;
        let state = Self {
            offered_load_erlangs: offered_load,
            offered_utilisation: offered_load / load.consumers,
            throughput_per_second: throughput,
            blocking_probability: load.blocking_probability,
            empty_probability: load.empty_probability,
            waiting_probability: waits.probability,
            waiting_mean_messages: little(throughput, waits.mean_seconds),
            in_system_mean_messages: little(throughput, sojourn_mean),
            waiting_time_mean_seconds: waits.mean_seconds,
            waiting_time_second_moment: waits.second_moment,
            sojourn_time_mean_seconds: sojourn_mean,
            sojourn_time_second_moment: waits.second_moment
                + 2.0 * waits.mean_seconds * work.mean_seconds
                + work.second_moment,
        };
        if state.values().iter().all(|value| value.is_finite()) {
            Ok(state)
        } else {
            Err(Refused::OutOfRange)
        }
    }

    fn values(&self) -> [f64; 12] {
        [
            self.offered_load_erlangs,
            self.offered_utilisation,
            self.throughput_per_second,
            self.blocking_probability,
            self.empty_probability,
            self.waiting_probability,
            self.waiting_mean_messages,
            self.in_system_mean_messages,
            self.waiting_time_mean_seconds,
            self.waiting_time_second_moment,
            self.sojourn_time_mean_seconds,
            self.sojourn_time_second_moment,
        ]
    }
}

/// L = λW (Little 1961): the messages in any part of a system, from the rate at which they go in
/// and the seconds each stays.
#[must_use]
pub const fn little(let_in_per_second: f64, stay_mean_seconds: f64) -> f64 {
    let_in_per_second * stay_mean_seconds
}

/// `value`, where it is finite and above zero.
fn positive(value: f64) -> Result<f64, Refused> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(Refused::OutOfRange) }
}

/// `value`, where it is finite and not below zero.
fn not_negative(value: f64) -> Result<f64, Refused> {
    if value == 0.0 { Ok(0.0) } else { positive(value) }
}

/// `value`, where it is finite; it may have any sign.
fn finite(value: f64) -> Result<f64, Refused> {
    if value.is_finite() { Ok(value) } else { Err(Refused::OutOfRange) }
}

/// `share`, where it lies within 0 and 1, 1 left out: the percentile of 1 is no number.
fn share(share: f64) -> Result<f64, Refused> {
    if (0.0..1.0).contains(&share) { Ok(share) } else { Err(Refused::OutOfRange) }
}

/// Refuses a load of 1 or more.
fn stable(utilisation: f64) -> Result<f64, Refused> {
    if utilisation < 1.0 { Ok(utilisation) } else { Err(Refused::Unstable) }
}

#[cfg(test)]
mod tests {
    use super::general::{PriorityClass, ServiceMoments};
    use super::*;

    const HOSTILE: [f64; 8] =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e-308, 1e308, f64::MIN_POSITIVE];

    /// Whether it is refused, or finite and not negative.
    fn is_sound(answer: Result<SteadyState, Refused>) -> bool {
        answer.is_err() || answer.is_ok_and(|state| state.values().iter().all(|value| *value >= 0.0))
    }

    #[test]
    fn whatever_is_asked_the_answer_is_refused_or_finite() {
        for one in HOSTILE.into_iter().chain([1.0]) {
            for other in HOSTILE.into_iter().chain([2.0]) {
                for count in [0, 1, 64, 10_000, u64::MAX] {
                    assert!(is_sound(markovian::m_m_c(one, other, count)), "{one} {other} {count}");
                    let bounded = markovian::m_m_c_k(one, other, 3, count);
                    assert!(is_sound(bounded), "{one} {other} {count}: {bounded:?}");
                    let narrow = markovian::m_m_c_k(one, other, count, 5);
                    assert!(is_sound(narrow), "{one} {other} {count}: {narrow:?}");
                }
                assert!(is_sound(general::m_g_1(one, &ServiceMoments::log_normal(1.0, other))));
                assert!(is_sound(general::m_g_1_lifo(one, &ServiceMoments::exponential(other))));
                let class = PriorityClass { arrivals_per_second: one, work: ServiceMoments::fixed(other) };
                let waits = general::priority_waiting_times(&[class, class]);
                assert!(waits.iter().flatten().all(|wait| wait.is_finite()), "{one} {other}");
            }
        }
    }

    #[test]
    fn a_line_that_grows_for_ever_has_no_mean() {
        assert_eq!(markovian::m_m_c(6.0, 2.0, 3), Err(Refused::Unstable));
        assert_eq!(general::m_g_1(1.0, &ServiceMoments::fixed(1.0)), Err(Refused::Unstable));
        assert!(markovian::m_m_c_k(6.0, 2.0, 3, 10).is_ok(), "a bound keeps it in balance");
    }

    #[test]
    fn one_queue_two_ways_is_the_same() {
        let exponential = general::m_g_1(0.8, &ServiceMoments::exponential(1.0)).expect("it is stable");
        let markovian = markovian::m_m_c(0.8, 1.0, 1).expect("it is stable");
        let bounded_far_away = markovian::m_m_c_k(0.8, 1.0, 1, 400).expect("a bound keeps it in balance");
        for other in [markovian, bounded_far_away] {
            for (one, other) in exponential.values().iter().zip(other.values()) {
                assert!((one - other).abs() < 1e-12 * one.abs().max(1.0), "{one} {other}");
            }
        }
    }
}
