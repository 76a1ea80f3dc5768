//! Backlogs as a fluid: constant rates and no chance, so that what arrives less what can be
//! finished is how fast a line grows (Kleinrock 1976, section 2.7).

use super::{Refused, finite, not_negative, positive};

/// Relative rounding below which a ratio counts as the whole number it is near: 1.1/0.1 is 11
/// consumers, not 12.
const ROUNDING: f64 = 1e-12;

/// What flows in and out of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    arrivals_per_second: f64,
    capacity_per_second: f64,
}

impl Flow {
    /// So many messages a second arrive, and so many can be finished.
    ///
    /// # Errors
    /// Refuses rates below zero or not finite.
    pub fn new(arrivals_per_second: f64, capacity_per_second: f64) -> Result<Self, Refused> {
        Ok(Self {
            arrivals_per_second: not_negative(arrivals_per_second)?,
            capacity_per_second: not_negative(capacity_per_second)?,
        })
    }

    /// What arrives.
    #[must_use]
    pub const fn arrivals_per_second(&self) -> f64 {
        self.arrivals_per_second
    }

    /// What can be finished.
    #[must_use]
    pub const fn capacity_per_second(&self) -> f64 {
        self.capacity_per_second
    }

    /// λ/μ; `None` where nothing can be finished.
    #[must_use]
    pub fn utilisation(&self) -> Option<f64> {
        not_negative(self.arrivals_per_second / self.capacity_per_second).ok()
    }

    /// Messages a second by which a line grows, or shrinks where it is negative: λ − μ.
    #[must_use]
    pub const fn growth_per_second(&self) -> f64 {
        self.arrivals_per_second - self.capacity_per_second
    }

    /// The line after `seconds` from `backlog_messages`: max(0, Q₀ + (λ − μ)t).
    ///
    /// # Errors
    /// Refuses a backlog or a time below zero or not finite.
    pub fn backlog_messages(&self, backlog_messages: f64, seconds: f64) -> Result<f64, Refused> {
        let grown = self.growth_per_second() * not_negative(seconds)?;
        Ok(finite(not_negative(backlog_messages)? + grown)?.max(0.0))
    }

    /// Seconds until the line is at `bound_messages`; `None` where it never is.
    ///
    /// # Errors
    /// Refuses a backlog or a bound below zero or not finite.
    pub fn full_after_seconds(
        &self,
        backlog_messages: f64,
        bound_messages: f64,
    ) -> Result<Option<f64>, Refused> {
        let room = not_negative(bound_messages)? - not_negative(backlog_messages)?;
        until(room.max(0.0), self.growth_per_second())
    }

    /// Messages a second that do not fit into a line that is full.
    #[must_use]
    pub const fn excess_per_second(&self) -> f64 {
        self.growth_per_second().max(0.0)
    }

    /// The share of arriving messages that do not fit into a line that is full; 0 where none
    /// arrive.
    #[must_use]
    pub fn loss_share(&self) -> f64 {
        if self.arrivals_per_second == 0.0 {
            0.0
        } else {
            self.excess_per_second() / self.arrivals_per_second
        }
    }

    /// Seconds until `backlog_messages` are worked off and nothing waits: Q₀/(μ − λ); `None` where
    /// that never happens.
    ///
    /// # Errors
    /// Refuses a backlog below zero or not finite.
    pub fn drained_after_seconds(&self, backlog_messages: f64) -> Result<Option<f64>, Refused> {
        until(not_negative(backlog_messages)?, -self.growth_per_second())
    }

    /// Messages finished in `seconds` while the consumers are never idle.
    ///
    /// # Errors
    /// Refuses a time below zero or not finite.
    pub fn finished_messages(&self, seconds: f64) -> Result<f64, Refused> {
        finite(self.capacity_per_second * not_negative(seconds)?)
    }

    /// Seconds that a message which finds `backlog_messages` waits, first in first out: Q/μ; `None`
    /// where nothing is ever finished.
    ///
    /// # Errors
    /// Refuses a backlog below zero or not finite.
    pub fn waiting_time_seconds(&self, backlog_messages: f64) -> Result<Option<f64>, Refused> {
        until(not_negative(backlog_messages)?, self.capacity_per_second)
    }

    /// How old the first message in line is after `seconds` of overload from an empty line, first
    /// in first out: t(1 − μ/λ), and 0 where there is no overload.
    ///
    /// # Errors
    /// Refuses a time below zero or not finite.
    pub fn oldest_age_seconds(&self, seconds: f64) -> Result<f64, Refused> {
        finite(not_negative(seconds)? * self.loss_share())
    }

    /// What happens where nothing is finished for `outage_seconds`, from an empty line.
    ///
    /// # Errors
    /// Refuses a time below zero or not finite.
    pub fn outage(&self, outage_seconds: f64) -> Result<Outage, Refused> {
        let peak_messages = finite(self.arrivals_per_second * not_negative(outage_seconds)?)?;
        let catch_up_seconds = self.drained_after_seconds(peak_messages)?;
        Ok(Outage {
            peak_messages,
            oldest_age_seconds: outage_seconds,
            catch_up_seconds,
            incident_seconds: catch_up_seconds.map(|seconds| outage_seconds + seconds),
        })
    }
}

/// An outage and what follows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outage {
    /// The line at the outage's end.
    pub peak_messages: f64,
    /// How old the first in line is at the outage's end.
    pub oldest_age_seconds: f64,
    /// From the outage's end until nothing waits: Tλ/(μ − λ); `None` where that never happens.
    pub catch_up_seconds: Option<f64>,
    /// From the outage's start until nothing waits.
    pub incident_seconds: Option<f64>,
}

/// Consumers that finish `each_per_second` and are needed to work off `backlog_messages` within
/// `seconds`: ⌈(λ + Q₀/D)/μ⌉.
///
/// # Errors
/// Refuses values below zero or not finite, and consumers or a time of zero.
pub fn consumers_needed(
    arrivals_per_second: f64,
    each_per_second: f64,
    backlog_messages: f64,
    seconds: f64,
) -> Result<f64, Refused> {
    let backlog_per_second = not_negative(backlog_messages)? / positive(seconds)?;
    let wanted_per_second = not_negative(arrivals_per_second)? + backlog_per_second;
    whole_above(finite(wanted_per_second / positive(each_per_second)?)?)
}

/// Consumers of one group on the partitions of one log. Each partition belongs to one consumer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Consumers without a partition.
    pub idle_consumers: u64,
    /// What the others can finish together.
    pub capacity_per_second: f64,
    /// The most partitions of one consumer, where they are shared out evenly.
    pub partitions_per_consumer_max: u64,
    /// What such a consumer can finish of each of its partitions.
    pub slowest_partition_per_second: f64,
}

impl Group {
    /// `consumers` that finish `each_per_second`, on `partitions`.
    ///
    /// # Errors
    /// Refuses no consumers, no partitions, and a rate below zero or not finite.
    #[allow(clippy::cast_precision_loss)]
    pub fn new(partitions: u64, consumers: u64, each_per_second: f64) -> Result<Self, Refused> {
        let useful = partitions.min(consumers);
        if useful == 0 {
            return Err(Refused::OutOfRange);
        }
        let partitions_max = partitions.div_ceil(useful);
        Ok(Self {
            idle_consumers: consumers - useful,
            capacity_per_second: finite(not_negative(each_per_second)? * useful as f64)?,
            partitions_per_consumer_max: partitions_max,
            slowest_partition_per_second: each_per_second / partitions_max as f64,
        })
    }
}

/// One partition that gets more than the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HotPartition {
    /// In and out of the hot partition.
    pub hot: Flow,
    /// In and out of each of the others.
    pub other: Flow,
    /// In and out of all together.
    pub all: Flow,
}

impl HotPartition {
    /// One key carries `hot_share`, 0 to 1, of what arrives; the rest is spread evenly over all
    /// `partitions`, of each of which `each_per_second` can be finished.
    ///
    /// # Errors
    /// Refuses no partitions, a share out of its range, and rates below zero or not finite.
    #[allow(clippy::cast_precision_loss)]
    pub fn new(
        arrivals_per_second: f64,
        hot_share: f64,
        partitions: u64,
        each_per_second: f64,
    ) -> Result<Self, Refused> {
        if !(0.0..=1.0).contains(&hot_share) {
            return Err(Refused::OutOfRange);
        }
        let partitions = positive(partitions as f64)?;
        let spread = arrivals_per_second * (1.0 - hot_share) / partitions;
        Ok(Self {
            hot: Flow::new(arrivals_per_second * hot_share + spread, each_per_second)?,
            other: Flow::new(spread, each_per_second)?,
            all: Flow::new(arrivals_per_second, each_per_second * partitions)?,
        })
    }
}

/// The backlogs of the partitions of one log: the sum says nothing of how they differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skew {
    /// Of all together.
    pub sum_messages: f64,
    /// Of the longest.
    pub max_messages: f64,
    /// The sum over the number of partitions.
    pub mean_messages: f64,
}

impl Skew {
    /// The skew of these backlogs, one for each partition.
    ///
    /// # Errors
    /// Refuses no partitions, and backlogs below zero or not finite.
    #[allow(clippy::cast_precision_loss)]
    pub fn of(backlogs: &[f64]) -> Result<Self, Refused> {
        let partitions = positive(backlogs.len() as f64)?;
        let (mut sum_messages, mut max_messages) = (0.0, 0.0_f64);
        for backlog in backlogs {
            sum_messages += not_negative(*backlog)?;
            max_messages = max_messages.max(*backlog);
        }
        Ok(Self {
            sum_messages: finite(sum_messages)?,
            max_messages,
            mean_messages: sum_messages / partitions,
        })
    }
}

/// What retries without a pause make of a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retried {
    /// Attempts a second: λ(1 + p + … + pⁿ⁻¹).
    pub attempts_per_second: f64,
    /// Messages a second whose last attempt fails too: λpⁿ.
    pub given_up_per_second: f64,
}

impl Retried {
    /// Every attempt fails with `failure_share`, 0 to 1; a message has `attempts_max` of them.
    ///
    /// # Errors
    /// Refuses a rate below zero or not finite, a share out of its range, and no or more than
    /// 1,000,000 attempts.
    pub fn new(arrivals_per_second: f64, failure_share: f64, attempts_max: u64) -> Result<Self, Refused> {
        if !(0.0..=1.0).contains(&failure_share) || !(1..=1_000_000).contains(&attempts_max) {
            return Err(Refused::OutOfRange);
        }
        let mut still_failing = not_negative(arrivals_per_second)?;
        let mut attempts_per_second = 0.0;
        for _ in 0..attempts_max {
            attempts_per_second += still_failing;
            still_failing *= failure_share;
        }
        Ok(Self { attempts_per_second: finite(attempts_per_second)?, given_up_per_second: still_failing })
    }
}

/// Seconds for `messages` at a rate; `None` where it never gets there.
fn until(messages: f64, per_second: f64) -> Result<Option<f64>, Refused> {
    if messages == 0.0 {
        return Ok(Some(0.0));
    }
    if per_second <= 0.0 {
        return Ok(None);
    }
    finite(messages / per_second).map(Some)
}

/// The least whole number that is not below `ratio`, but for rounding.
fn whole_above(ratio: f64) -> Result<f64, Refused> {
    finite(libm::ceil(ratio - ratio * ROUNDING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_never_gets_there_says_so() {
        let level = Flow::new(6.0, 6.0).expect("the rates are sound");
        assert_eq!(level.full_after_seconds(3.0, 60.0), Ok(None));
        assert_eq!(level.full_after_seconds(70.0, 60.0), Ok(Some(0.0)), "it is full");
        assert_eq!(level.drained_after_seconds(3.0), Ok(None));
        assert_eq!(level.outage(10.0).map(|outage| outage.catch_up_seconds), Ok(None));
        assert_eq!(Flow::new(1.0, 0.0).map(|stuck| stuck.waiting_time_seconds(1.0)), Ok(Ok(None)));
    }

    #[test]
    fn rounding_asks_for_no_consumer_more() {
        assert_eq!(consumers_needed(0.3, 0.1, 0.0, 1.0), Ok(3.0));
        assert_eq!(consumers_needed(3.3, 1.1, 0.0, 1.0), Ok(3.0), "3.3/1.1 is above 3 in doubles");
        assert_eq!(consumers_needed(3.4, 1.1, 0.0, 1.0), Ok(4.0));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(Flow::new(bad, 1.0), Err(Refused::OutOfRange));
            assert_eq!(consumers_needed(1.0, 1.0, bad, 1.0), Err(Refused::OutOfRange));
            assert_eq!(Retried::new(1.0, bad, 3), Err(Refused::OutOfRange));
            assert_eq!(HotPartition::new(1.0, bad, 3, 1.0), Err(Refused::OutOfRange));
        }
        assert_eq!(Group::new(0, 3, 1.0), Err(Refused::OutOfRange));
        assert_eq!(Group::new(3, 0, 1.0), Err(Refused::OutOfRange));
        assert_eq!(HotPartition::new(1.0, 0.5, 0, 1.0), Err(Refused::OutOfRange));
    }
}
