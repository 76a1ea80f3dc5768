//! Poisson arrivals and one consumer, whatever the law of its work: M/G/1, of which M/D/1 is the
//! case without chance in the work, and what another order of service changes.

use super::{Load, Refused, SteadyState, Waits, positive, stable};

/// Relative rounding that moments may carry.
const ROUNDING: f64 = 1e-12;

/// What is known of the time that one message takes a consumer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceMoments {
    /// Mean, in seconds.
    pub mean_seconds: f64,
    /// Mean square, in seconds².
    pub second_moment: f64,
    /// Mean cube, in seconds³.
    pub third_moment: f64,
}

impl ServiceMoments {
    /// Every message takes `seconds`.
    #[must_use]
    pub fn fixed(seconds: f64) -> Self {
        Self::log_normal(seconds, 0.0)
    }

    /// Exponential: the k-th moment is k! times the mean's k-th power.
    #[must_use]
    pub fn exponential(mean_seconds: f64) -> Self {
        let square = mean_seconds * mean_seconds;
        Self { mean_seconds, second_moment: 2.0 * square, third_moment: 6.0 * square * mean_seconds }
    }

    /// Log-normal with a variance of `squared_variation` times the mean's square: with
    /// v = 1 + `squared_variation`, the k-th moment is v to the power of k(k − 1)/2 times the
    /// mean's k-th power.
    #[must_use]
    pub fn log_normal(mean_seconds: f64, squared_variation: f64) -> Self {
        let square = mean_seconds * mean_seconds;
        let spread = 1.0 + squared_variation;
        Self {
            mean_seconds,
            second_moment: square * spread,
            third_moment: square * mean_seconds * spread * spread * spread,
        }
    }

    /// Refuses what no law has: a mean square is at least the square of the mean.
    fn checked(&self) -> Result<&Self, Refused> {
        let square = positive(self.mean_seconds)? * self.mean_seconds;
        if positive(self.second_moment)? < square * (1.0 - ROUNDING) {
            return Err(Refused::OutOfRange);
        }
        positive(self.third_moment)?;
        Ok(self)
    }
}

/// M/G/1, first in first out: the mean wait of Pollaczek (1930) and Khinchine (1932), and the
/// mean square of Takács (1962).
///
/// # Errors
/// Refuses rates and times that are not above zero, moments that no law has, and arrivals of as
/// much as can be finished or more.
pub fn m_g_1(arrivals_per_second: f64, work: &ServiceMoments) -> Result<SteadyState, Refused> {
    in_order(arrivals_per_second, work, |waits, _| waits)
}

/// M/D/1, first in first out: every message takes `service_time_seconds`.
///
/// # Errors
/// As [`m_g_1`].
pub fn m_d_1(arrivals_per_second: f64, service_time_seconds: f64) -> Result<SteadyState, Refused> {
    m_g_1(arrivals_per_second, &ServiceMoments::fixed(service_time_seconds))
}

/// M/G/1, last in first out, where work that has begun is finished. The mean wait is that of first
/// in first out; its mean square is 1/(1 − ρ) times as large (Takács 1963).
///
/// # Errors
/// As [`m_g_1`].
pub fn m_g_1_lifo(arrivals_per_second: f64, work: &ServiceMoments) -> Result<SteadyState, Refused> {
    in_order(arrivals_per_second, work, |waits, utilisation| Waits {
        second_moment: waits.second_moment / (1.0 - utilisation),
        ..waits
    })
}

/// M/G/1 with the waits of another order of service, made from those of first in first out and
/// the utilisation.
fn in_order(
    arrivals_per_second: f64,
    work: &ServiceMoments,
    order: impl FnOnce(Waits, f64) -> Waits,
) -> Result<SteadyState, Refused> {
    let work = work.checked()?;
    let utilisation = stable(positive(arrivals_per_second)? * work.mean_seconds)?;
    let free = 1.0 - utilisation;
    let mean_seconds = arrivals_per_second * work.second_moment / (2.0 * free);
    let first_in_first_out = Waits {
        probability: utilisation,
        mean_seconds,
        second_moment: 2.0 * mean_seconds * mean_seconds
            + arrivals_per_second * work.third_moment / (3.0 * free),
    };
    let load =
        Load { arrivals_per_second, consumers: 1.0, blocking_probability: 0.0, empty_probability: free };
    SteadyState::assemble(&load, &order(first_in_first_out, utilisation), work)
}

/// Messages of one priority.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriorityClass {
    /// Messages a second, Poisson.
    pub arrivals_per_second: f64,
    /// What they take the consumer.
    pub work: ServiceMoments,
}

/// The mean wait of each class in seconds, the first class served first, where work that has
/// begun is finished (Cobham 1954): W₀/((1 − σ₋)(1 − σ)), with W₀ half the sum of λE(S²) over all
/// classes, and σ the load of this class and those before it, σ₋ of those before it.
///
/// # Errors
/// Refuses no classes, rates and times that are not above zero, and more of all classes together
/// than can be finished.
pub fn priority_waiting_times(classes: &[PriorityClass]) -> Result<Vec<f64>, Refused> {
    let mut residual_seconds = 0.0;
    for class in classes {
        let arrivals_per_second = positive(class.arrivals_per_second)?;
        residual_seconds += arrivals_per_second * class.work.checked()?.second_moment / 2.0;
    }
    positive(residual_seconds)?;
    let mut load = 0.0;
    let wait = |class: &PriorityClass| {
        let free_before = 1.0 - load;
        load += class.arrivals_per_second * class.work.mean_seconds;
        positive(residual_seconds / (free_before * (1.0 - stable(load)?)))
    };
    classes.iter().map(wait).collect()
}

/// The mean wait in seconds over all classes, each weighed by its share of the messages.
///
/// # Errors
/// As [`priority_waiting_times`].
pub fn priority_waiting_time_mean(classes: &[PriorityClass]) -> Result<f64, Refused> {
    let waits = priority_waiting_times(classes)?;
    let arrivals_per_second: f64 = classes.iter().map(|class| class.arrivals_per_second).sum();
    let waiting: f64 = classes.iter().zip(waits).map(|(class, wait)| class.arrivals_per_second * wait).sum();
    positive(waiting / arrivals_per_second)
}
