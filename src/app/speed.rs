//! How much model time passes in a second of real time. It never changes the result.

use std::fmt;

use crate::model::decimal::{self, Adjusted};
use crate::model::rate::Rate;

/// A playback speed in tenths: 1 (0.1x) to 10,000 (1000x).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Speed(u32);

impl Default for Speed {
    fn default() -> Self {
        Self(10)
    }
}

impl Speed {
    /// The speeds on offer.
    pub const OFFERED: [Self; 7] =
        [Self(1), Self(5), Self(10), Self(20), Self(100), Self(1_000), Self(10_000)];

    /// Reads a speed such as `0.1` or `10`, clamped to 0.1 to 1000. `None` if it is no number.
    #[must_use]
    pub fn read(text: &str) -> Option<(Self, Option<Adjusted>)> {
        let (tenths, adjusted) = decimal::read(text.trim(), 1)?.clamped(1, 10_000);
        Some((Self(u32::try_from(tenths).unwrap_or(10)), adjusted))
    }

    /// The model microseconds that pass in `real_micros` of real time.
    #[must_use]
    pub fn model_micros(self, real_micros: u64) -> u64 {
        real_micros.saturating_mul(u64::from(self.0)) / 10
    }

    /// Model seconds in a real second, for the picture.
    #[must_use]
    pub fn times_real_time(self) -> f64 {
        f64::from(self.0) / 10.0
    }

    /// Whether it is above `times` times real time.
    #[must_use]
    pub const fn is_above(self, times: u32) -> bool {
        self.0 > times * 10
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Rate::from_thousandths(u64::from(self.0) * 100).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_read_back_as_they_are_written() {
        for speed in Speed::OFFERED {
            assert_eq!(Speed::read(&speed.to_string()), Some((speed, None)));
        }
        assert_eq!(Speed::read("0"), Some((Speed(1), Some(Adjusted::Raised))));
        assert_eq!(Speed::read("1e9"), None);
        assert_eq!(Speed(1).model_micros(1_000_000), 100_000);
        assert_eq!(Speed(10_000).model_micros(16_000), 16_000_000);
    }
}
