//! An autoscaler: it looks at a pool from time to time and says how many consumers there shall be.
//!
//! The rules are those of the Kubernetes HorizontalPodAutoscaler (its documentation, "Algorithm
//! details"), in whole numbers: desired = ceil(current × metric ÷ target), nothing where the ratio
//! is within 10 % of 1, and the greatest desire of the last minutes before it scales down. There is
//! deliberately no limit on how fast it adds.

use std::collections::VecDeque;

use super::state_hash::StateHasher;
use super::time::{Instant, Span};

/// It does nothing where metric ÷ target is within 1 ÷ this of 1
/// (`--horizontal-pod-autoscaler-tolerance`, 0.1).
const TOLERANCE_PART: u128 = 10;

/// It does not look more often, so that time passes between looks.
const INTERVAL_LEAST: Span = Span::from_millis(100);

/// What it looks at, and what that should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleTarget {
    /// Messages waiting in the pool's queue, for each consumer: at least 1.
    Backlog(u64),
    /// The share of the consumers' time in which they did work of their own, in millionths.
    Cpu(u32),
}

/// What an autoscaler follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaleRules {
    /// What it aims at.
    pub target: ScaleTarget,
    /// The fewest consumers.
    pub min: u64,
    /// The most consumers; it wins where it is below the fewest.
    pub max: u64,
    /// The time between two looks.
    pub interval: Span,
    /// How long the greatest desire holds before there are fewer.
    pub down_window: Span,
}

/// What it sees when it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// How many consumers there shall be now.
    pub count: u64,
    /// Those of them that are up or start.
    pub there: u64,
    /// Messages waiting.
    pub backlog: u64,
    /// How their time went since the last look.
    pub time: Usage,
}

/// How the time of consumers went, in consumer-microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Spent on work of their own; waiting for others is not.
    pub working: u64,
    /// Of those that could be given messages.
    pub ready: u64,
    /// Of those that started.
    pub starting: u64,
}

/// What it wants, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// How many consumers it wants.
    pub wanted: u64,
    /// Why.
    pub reason: ScaleReason,
    /// Metric ÷ target, in thousandths: 1,000 is on target. 0 where nothing could be measured.
    pub ratio_thousandths: u64,
}

/// Why an autoscaler wants as many as it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScaleReason {
    /// So many would be on target.
    Target = 1,
    /// The metric is close enough to its target.
    WithinTolerance = 2,
    /// Fewer would do, but within the window more were wanted.
    Stabilising = 3,
    /// Fewer would do than there may be.
    AtMin = 4,
    /// More are needed than there may be.
    AtMax = 5,
    /// No consumer was ready, so there was nothing to measure.
    NothingMeasured = 6,
}

impl ScaleReason {
    /// Its name in the output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::WithinTolerance => "within-tolerance",
            Self::Stabilising => "stabilising",
            Self::AtMin => "at-min",
            Self::AtMax => "at-max",
            Self::NothingMeasured => "nothing-measured",
        }
    }
}

/// An autoscaler at work.
#[derive(Clone, Debug)]
pub struct Autoscaler {
    rules: ScaleRules,
    next_look: Instant,
    /// What was desired within the window, the greatest first; one that a later and greater one
    /// outlives is not kept.
    desired: VecDeque<(Instant, u64)>,
    decision: Option<Decision>,
}

impl Autoscaler {
    /// One that looks an interval from now for the first time. What there is now counts as
    /// desired.
    #[must_use]
    pub fn new(now: Instant, rules: ScaleRules, count: u64) -> Self {
        let next_look = now + rules.interval.max(INTERVAL_LEAST);
        Self { rules, next_look, desired: VecDeque::from([(now, count)]), decision: None }
    }

    /// Sets what it follows. A new interval begins now.
    pub fn set_rules(&mut self, now: Instant, rules: ScaleRules) {
        if rules.interval != self.rules.interval {
            self.next_look = now + rules.interval.max(INTERVAL_LEAST);
        }
        self.rules = rules;
    }

    /// When it looks next.
    #[must_use]
    pub const fn next_look(&self) -> Instant {
        self.next_look
    }

    /// What it follows.
    #[must_use]
    pub const fn rules(&self) -> &ScaleRules {
        &self.rules
    }

    /// What it wanted the last time, and why.
    #[must_use]
    pub const fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// It looks: how many there shall be.
    pub fn look(&mut self, now: Instant, reading: &Reading) -> Decision {
        self.next_look = now + self.rules.interval.max(INTERVAL_LEAST);
        let (desired, mut reason, ratio_thousandths) = self.rules.target.desired(reading);
        let stable = self.greatest_with(now, desired);
        if stable > desired {
            reason = ScaleReason::Stabilising;
        }
        let wanted = stable.max(self.rules.min).min(self.rules.max);
        if wanted != stable {
            reason = if wanted > stable { ScaleReason::AtMin } else { ScaleReason::AtMax };
        }
        let decision = Decision { wanted, reason, ratio_thousandths };
        self.decision = Some(decision);
        decision
    }

    /// The greatest that was desired within the window, now included.
    fn greatest_with(&mut self, now: Instant, desired: u64) -> u64 {
        while self.desired.back().is_some_and(|(_, earlier)| *earlier <= desired) {
            self.desired.pop_back();
        }
        self.desired.push_back((now, desired));
        while self.desired.front().is_some_and(|(at, _)| *at + self.rules.down_window < now) {
            self.desired.pop_front();
        }
        self.desired.front().map_or(desired, |(_, greatest)| *greatest)
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.next_look.micros());
        for (at, desired) in &self.desired {
            hasher.write(at.micros());
            hasher.write(*desired);
        }
        if let Some(decision) = self.decision {
            hasher.write(decision.wanted << 8 | decision.reason as u64);
        }
    }
}

impl ScaleTarget {
    /// How many consumers would be on target, why, and metric ÷ target in thousandths.
    fn desired(self, reading: &Reading) -> (u64, ScaleReason, u64) {
        match self {
            Self::Backlog(each) => {
                let target = u128::from(each.max(1));
                scaled(reading.backlog.into(), target * u128::from(reading.count), reading.count, reading)
            }
            Self::Cpu(share) => {
                let time = reading.time;
                let working = u128::from(time.working) * 1_000_000;
                let target = |of: u64| u128::from(of) * u128::from(share.max(1));
                if time.ready == 0 {
                    return (reading.count, ScaleReason::NothingMeasured, 0);
                }
                // Who starts counts as idle where there are to be more, and not at all otherwise.
                let of = time.ready + if working > target(time.ready) { time.starting } else { 0 };
                scaled(working, target(of), reading.there, reading)
            }
        }
    }
}

/// ceil(`current` × `metric` ÷ `target`), or what there is where the two are about equal or where
/// that would go the other way than the ratio says.
fn scaled(metric: u128, target: u128, current: u64, reading: &Reading) -> (u64, ScaleReason, u64) {
    let short = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
    let ratio = short((metric * 1_000).checked_div(target).unwrap_or_default());
    if metric.abs_diff(target) * TOLERANCE_PART <= target {
        return (reading.count, ScaleReason::WithinTolerance, ratio);
    }
    let desired = (metric * u128::from(current)).div_ceil(target.max(1));
    let desired = short(desired);
    let desired = if metric > target { desired.max(reading.count) } else { desired.min(reading.count) };
    (desired, ScaleReason::Target, ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: ScaleRules = ScaleRules {
        target: ScaleTarget::Backlog(10),
        min: 1,
        max: 8,
        interval: Span::from_seconds(15),
        down_window: Span::from_seconds(60),
    };

    fn looks(target: ScaleTarget, reading: Reading) -> (u64, ScaleReason) {
        let rules = ScaleRules { target, down_window: Span::ZERO, ..RULES };
        let decision =
            Autoscaler::new(Instant::START, rules, reading.count).look(Instant::from_seconds(15), &reading);
        (decision.wanted, decision.reason)
    }

    fn waiting(count: u64, backlog: u64) -> Reading {
        Reading { count, there: count, backlog, ..Reading::default() }
    }

    #[test]
    fn it_wants_the_current_number_times_the_metric_over_the_target() {
        use ScaleReason::{AtMax, AtMin, Target, WithinTolerance};
        let target = ScaleTarget::Backlog(10);
        let cases = [
            // 200 m against 100 m: twice as many, the example of the documentation.
            (2, 40, 4, Target),
            // 31 for each ten: 4, not 3.
            (2, 31, 4, Target),
            // 22 for 20 is 10 % more, and 18 is 10 % less: both are close enough.
            (2, 22, 2, WithinTolerance),
            (2, 23, 3, Target),
            (2, 18, 2, WithinTolerance),
            (2, 17, 2, Target),
            (4, 5, 1, Target),
            (4, 0, 1, AtMin),
            (4, 1_000, 8, AtMax),
        ];
        for (count, backlog, wanted, reason) in cases {
            assert_eq!(looks(target, waiting(count, backlog)), (wanted, reason), "{count} with {backlog}");
        }
    }

    #[test]
    fn who_starts_counts_as_idle_where_there_are_to_be_more() {
        let second = 1_000_000;
        let time = |working: u64, ready: u64, starting: u64| Usage {
            working: working * second,
            ready: ready * second,
            starting: starting * second,
        };
        let look =
            |count, time| looks(ScaleTarget::Cpu(500_000), Reading { count, there: count, time, backlog: 0 });
        // 2 at 100 % against 50 %: 4. With 2 that start it is 50 % of 4: nothing is to be done.
        assert_eq!(look(2, time(30, 30, 0)), (4, ScaleReason::Target));
        assert_eq!(look(4, time(30, 30, 30)), (4, ScaleReason::WithinTolerance));
        // 4 at 10 %: ceil(4 × 0.1 ÷ 0.5) = 1, whoever starts beside them.
        assert_eq!(look(4, time(6, 60, 60)), (1, ScaleReason::Target));
        assert_eq!(look(3, time(0, 0, 45)), (3, ScaleReason::NothingMeasured));
    }

    #[test]
    fn it_scales_down_only_when_nothing_greater_was_desired_within_the_window() {
        let mut scaler = Autoscaler::new(Instant::START, RULES, 1);
        let mut wanted = Vec::new();
        let mut count = 1;
        for (look, backlog) in (1..).zip([60, 30, 30, 0, 0, 0, 0, 0]) {
            let decision = scaler.look(Instant::from_seconds(look * 15), &waiting(count, backlog));
            count = decision.wanted;
            wanted.push((count, decision.reason));
        }
        use ScaleReason::{AtMin, Stabilising, Target};
        // 6 were desired at 15 s: that holds up to 75 s. 3 were desired at 45 s: up to 105 s.
        let six = (6, Stabilising);
        let three = (3, Stabilising);
        assert_eq!(wanted, [(6, Target), six, six, six, six, three, three, (1, AtMin)]);
    }
}
