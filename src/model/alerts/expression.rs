//! What an alert rule says: a gauge, or a function over a window of one, against a threshold.
//!
//! [`Condition`] prints as Prometheus writes it, and [`super::parse`] reads that back.

use std::fmt;

use super::super::decimal;
use super::super::state_hash::StateHasher;
use super::super::time::{Instant, MICROS_PER_SECOND, Span};
use super::functions::{RangeFunction, predicted};
use super::samples::{Samples, SeriesIndex, seconds, to_float};

/// A name and a value that tell series of one metric apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Such as `partition`.
    pub name: String,
    /// Such as `3`.
    pub value: String,
}

/// Which series: all of a metric that have these labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The metric's name.
    pub metric: String,
    /// Labels that a series must have; it may have others.
    pub labels: Vec<Label>,
}

/// A value for each series that is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// The last value.
    Gauge(Selector),
    /// A function over the values of the last `range`.
    Over {
        /// The function.
        function: RangeFunction,
        /// Of which series.
        selector: Selector,
        /// How far back.
        range: Span,
    },
    /// Where the line through the values of the last `range` leads (`predict_linear`).
    Predicted {
        /// Of which series.
        selector: Selector,
        /// How far back.
        range: Span,
        /// How far ahead, in millionths of a second; back where it is negative.
        ahead_micros: i64,
    },
}

/// How a value compares with a threshold. The numbers are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `>`
    Above = 1,
    /// `>=`
    AtLeast = 2,
    /// `<`
    Below = 3,
    /// `<=`
    AtMost = 4,
    /// `==`
    Equal = 5,
    /// `!=`
    NotEqual = 6,
}

/// When a rule holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The value.
    pub expression: Expression,
    /// How it has to compare.
    pub comparison: Comparison,
    /// With what, in millionths.
    pub threshold_millionths: i64,
}

impl Selector {
    /// Whether it is this metric, and the labels are among these.
    #[must_use]
    pub fn selects(&self, metric: &str, labels: &[Label]) -> bool {
        self.metric == metric && self.labels.iter().all(|label| labels.contains(label))
    }
}

impl Comparison {
    /// All of them with their signs, longer signs first.
    pub const SIGNS: [(Self, &str); 6] = [
        (Self::AtLeast, ">="),
        (Self::AtMost, "<="),
        (Self::Equal, "=="),
        (Self::NotEqual, "!="),
        (Self::Above, ">"),
        (Self::Below, "<"),
    ];

    /// Its sign.
    #[must_use]
    pub fn sign(self) -> &'static str {
        Self::SIGNS.iter().find(|(comparison, _)| *comparison == self).map_or("", |(_, sign)| *sign)
    }

    fn holds(self, value: f64, threshold: f64) -> bool {
        match self {
            Self::Above => value > threshold,
            Self::AtLeast => value >= threshold,
            Self::Below => value < threshold,
            Self::AtMost => value <= threshold,
            Self::Equal => value == threshold,
            Self::NotEqual => value != threshold,
        }
    }
}

impl Expression {
    /// Which series it looks at.
    #[must_use]
    pub const fn selector(&self) -> &Selector {
        match self {
            Self::Gauge(selector) | Self::Over { selector, .. } | Self::Predicted { selector, .. } => {
                selector
            }
        }
    }

    /// How far back it looks.
    #[must_use]
    pub const fn range(&self) -> Span {
        match self {
            Self::Gauge(_) => Span::ZERO,
            Self::Over { range, .. } | Self::Predicted { range, .. } => *range,
        }
    }

    /// Its value for one series at `now`; `None` where there are too few values.
    #[must_use]
    pub fn value(&self, samples: &Samples, series: SeriesIndex, now: Instant) -> Option<f64> {
        match self {
            Self::Gauge(_) => samples.value(series, now),
            Self::Over { function, range, .. } => {
                function.over(&samples.window(series, now, *range), seconds(*range))
            }
            Self::Predicted { range, ahead_micros, .. } => {
                predicted(&samples.window(series, now, *range), to_float(*ahead_micros))
            }
        }
    }
}

impl Condition {
    /// Whether it holds for one series at `now`. It does not where there is no value.
    #[must_use]
    pub fn holds(&self, samples: &Samples, series: SeriesIndex, now: Instant) -> bool {
        let value = self.expression.value(samples, series, now);
        value.is_some_and(|value| self.comparison.holds(value, to_float(self.threshold_millionths)))
    }

    /// Feeds it to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write_text(&self.to_string());
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.metric)?;
        for (place, Label { name, value }) in self.labels.iter().enumerate() {
            write!(f, "{}{name}={value:?}", if place == 0 { "{" } else { "," })?;
        }
        f.write_str(if self.labels.is_empty() { "" } else { "}" })
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gauge(selector) => selector.fmt(f),
            Self::Over { function, selector, range } => {
                write!(f, "{}({selector}[{}])", function.name(), Duration(*range))
            }
            Self::Predicted { selector, range, ahead_micros } => {
                write!(f, "predict_linear({selector}[{}], {})", Duration(*range), Millionths(*ahead_micros))
            }
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threshold = Millionths(self.threshold_millionths);
        write!(f, "{} {} {threshold}", self.expression, self.comparison.sign())
    }
}

/// A number in millionths, as a decimal.
struct Millionths(i64);

impl fmt::Display for Millionths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.0 < 0 { "-" } else { "" }, decimal::shown(self.0.unsigned_abs(), 6))
    }
}

/// A span as Prometheus writes it, such as `1h30m`. What is less than a millisecond is left out.
pub struct Duration(pub Span);

/// Prometheus' units, largest first, in microseconds.
pub(super) const UNITS: [(&str, u64); 7] = [
    ("y", 365 * 86_400 * MICROS_PER_SECOND),
    ("w", 7 * 86_400 * MICROS_PER_SECOND),
    ("d", 86_400 * MICROS_PER_SECOND),
    ("h", 3_600 * MICROS_PER_SECOND),
    ("m", 60 * MICROS_PER_SECOND),
    ("s", MICROS_PER_SECOND),
    ("ms", 1_000),
];

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.micros();
        if rest < 1_000 {
            return f.write_str("0s");
        }
        for (unit, micros) in UNITS.iter().skip(2) {
            if rest >= *micros {
                write!(f, "{}{unit}", rest / micros)?;
                rest %= micros;
            }
        }
        Ok(())
    }
}
