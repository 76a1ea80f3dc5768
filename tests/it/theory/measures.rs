//! What is compared.

use queue_lab::model::theory::SteadyState;

/// What is less probable is too rare to be measured, be it an event or that it does not happen:
/// only the closed form is checked, by the reference vectors.
const PROBABILITY_MIN: f64 = 0.001;

/// What a measure is, which says how precise it can be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A mean, or a rate.
    Mean,
    /// A mean that few messages bring about where few of them wait.
    Wait,
    /// A share of messages or of time.
    Probability,
    /// A mean square.
    SecondMoment,
}

/// One thing to compare.
pub struct Measure {
    /// Its name in the literature.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Its value among all.
    pub of: fn(&SteadyState) -> f64,
}

impl Measure {
    /// Whether a run of the usual length can tell it.
    pub fn is_measurable(&self, exact: &SteadyState) -> bool {
        let measurable = PROBABILITY_MIN..=1.0 - PROBABILITY_MIN;
        self.kind != Kind::Probability || measurable.contains(&(self.of)(exact))
    }
}

/// All of them.
pub const MEASURES: &[Measure] = &[
    Measure { name: "L", kind: Kind::Mean, of: |state| state.in_system_mean_messages },
    Measure { name: "Lq", kind: Kind::Wait, of: |state| state.waiting_mean_messages },
    Measure { name: "W", kind: Kind::Mean, of: |state| state.sojourn_time_mean_seconds },
    Measure { name: "Wq", kind: Kind::Wait, of: |state| state.waiting_time_mean_seconds },
    Measure { name: "throughput", kind: Kind::Mean, of: |state| state.throughput_per_second },
    Measure { name: "P(block)", kind: Kind::Probability, of: |state| state.blocking_probability },
    Measure { name: "P(empty)", kind: Kind::Probability, of: |state| state.empty_probability },
    Measure { name: "P(wait)", kind: Kind::Probability, of: |state| state.waiting_probability },
    Measure { name: "E(W²)", kind: Kind::SecondMoment, of: |state| state.sojourn_time_second_moment },
    Measure { name: "E(Wq²)", kind: Kind::SecondMoment, of: |state| state.waiting_time_second_moment },
];
