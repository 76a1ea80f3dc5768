//! Rates in thousandths a second, and work in units of 10⁻⁹ message.
//!
//! The units are chosen so that a rate of `r` thousandths a second does exactly `r` units of
//! work a microsecond: one message is 10⁹ units, and a second has 10⁶ microseconds.

use std::fmt;

use super::time::{MICROS_PER_SECOND, Span};

/// The units of work in one message of ordinary size.
pub const UNITS_PER_MESSAGE: u64 = 1_000_000_000;

/// An amount of work in units of 10⁻⁹ message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Work(pub u64);

impl Work {
    /// No work.
    pub const NONE: Self = Self(0);
    /// The work of one message of ordinary size.
    pub const ONE_MESSAGE: Self = Self(UNITS_PER_MESSAGE);
}

/// Messages a second, in whole thousandths: 0 to 100,000,000 (100,000 a second).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Nothing moves.
    pub const ZERO: Self = Self(0);
    /// 100,000 a second, the largest rate of one producer or one consumer.
    pub const MAX: Self = Self(100_000_000);

    /// `thousandths` thousandths of a message a second.
    #[must_use]
    pub const fn from_thousandths(thousandths: u64) -> Self {
        Self(thousandths)
    }

    /// `per_second` whole messages a second.
    #[must_use]
    pub const fn from_per_second(per_second: u64) -> Self {
        Self(per_second.saturating_mul(1_000))
    }

    /// Thousandths of a message a second.
    #[must_use]
    pub const fn thousandths(self) -> u64 {
        self.0
    }

    /// Whether nothing moves at this rate.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// This rate `count` times over, as of a pool of equal consumers.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// What is done in `span`.
    #[must_use]
    #[inline(always)]
    pub const fn work_in(self, span: Span) -> Work {
        let micros = span.micros();
        // To see whether a product fits is slow in wasm; nearly all do by far.
        if self.0 <= u32::MAX as u64 && micros <= u32::MAX as u64 {
            return Work(self.0 * micros);
        }
        Work(self.0.saturating_mul(micros))
    }

    /// The first whole microseconds in which `work` is done; `None` at rate zero, which never
    /// finishes anything.
    #[must_use]
    #[inline(always)]
    pub const fn time_for(self, work: Work) -> Option<Span> {
        if self.0 == 0 {
            return None;
        }
        let (whole, rest) = (work.0 / self.0, work.0 % self.0);
        Some(Span::from_micros(whole + (rest > 0) as u64))
    }

    /// How long `messages` ordinary messages take at this rate; `None` at rate zero.
    #[must_use]
    pub fn time_for_messages(self, messages: u64) -> Option<Span> {
        let units = u128::from(messages) * u128::from(UNITS_PER_MESSAGE);
        let micros = units.checked_div(u128::from(self.0))?;
        Some(Span::from_micros(u64::try_from(micros).unwrap_or(u64::MAX)))
    }

    /// The mean rate of `count` messages in `span`, rounded to the nearest thousandth; zero for
    /// an empty span.
    #[must_use]
    pub fn of_count_in(count: u64, span: Span) -> Self {
        if span == Span::ZERO {
            return Self::ZERO;
        }
        let micros = u128::from(span.micros());
        let scaled = u128::from(count) * 1_000 * u128::from(MICROS_PER_SECOND);
        Self(u64::try_from((scaled + micros / 2) / micros).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Rate {
    /// Messages a second with at most three decimals, such as `0.5` or `8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000, self.0 % 1_000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:03}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_does_its_thousandths_in_units_each_microsecond() {
        let rate = Rate::from_per_second(8);
        assert_eq!(rate.work_in(Span::from_micros(1)), Work(8_000));
        assert_eq!(rate.work_in(Span::from_seconds(1)), Work(8 * UNITS_PER_MESSAGE));
    }

    #[test]
    fn work_ends_in_the_first_microsecond_in_which_it_is_done() {
        let six = Rate::from_per_second(6);
        assert_eq!(six.time_for(Work::ONE_MESSAGE), Some(Span::from_micros(166_667)));
        assert_eq!(Rate::from_per_second(8).time_for(Work::ONE_MESSAGE), Some(Span::from_micros(125_000)));
        assert_eq!(six.time_for(Work::NONE), Some(Span::ZERO));
        assert_eq!(Rate::ZERO.time_for(Work::ONE_MESSAGE), None);
    }

    #[test]
    fn rates_print_with_at_most_three_decimals() {
        for (thousandths, text) in [(0, "0"), (500, "0.5"), (8_000, "8"), (1, "0.001"), (12_340, "12.34")] {
            assert_eq!(Rate::from_thousandths(thousandths).to_string(), text);
        }
    }
}
