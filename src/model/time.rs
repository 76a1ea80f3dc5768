//! Model time: integer microseconds, and nothing else.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// Microseconds in one second.
pub const MICROS_PER_SECOND: u64 = 1_000_000;

/// The last instant a run may reach: 366 days. Longer runs are refused, so sums of
/// message-microseconds stay far inside `u128`.
pub const LAST_INSTANT: Instant = Instant::from_seconds(366 * 86_400);

/// After the end of every run.
pub const NEVER: Instant = Instant::from_micros(u64::MAX);

/// A point in model time: whole microseconds since the run's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

/// A length of model time: whole microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Instant {
    /// The run's start.
    pub const START: Self = Self(0);

    /// The instant `micros` microseconds after the start.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// The instant `seconds` whole seconds after the start.
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Microseconds since the start.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Whole seconds since the start, rounded down.
    #[must_use]
    pub const fn whole_seconds(self) -> u64 {
        self.0 / MICROS_PER_SECOND
    }

    /// The time since `earlier`; zero where `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of `micros` microseconds.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// A span of `millis` milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// A span of `seconds` whole seconds.
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Microseconds.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }
}

impl Add<Span> for Instant {
    type Output = Self;

    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Instant {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Instant {
    type Output = Self;

    /// Stops at the run's start.
    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Self;

    /// Stops at zero.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Span(self.0).fmt(f)
    }
}

impl fmt::Display for Span {
    /// Seconds with as many decimals as are needed, such as `7.375`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / MICROS_PER_SECOND, self.0 % MICROS_PER_SECOND);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:06}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_print_as_seconds_with_no_needless_decimals() {
        for (micros, text) in [(0, "0"), (7_375_000, "7.375"), (1, "0.000001"), (60_000_000, "60")] {
            assert_eq!(Span::from_micros(micros).to_string(), text);
        }
    }

    #[test]
    fn subtraction_stops_at_the_start() {
        assert_eq!(Instant::from_seconds(1) - Span::from_seconds(2), Instant::START);
        assert_eq!(Instant::START.since(Instant::from_seconds(1)), Span::ZERO);
    }
}
