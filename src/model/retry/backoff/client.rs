//! How long Kafka's clients wait before they try again.

use super::super::super::rng::{DrawKey, Draws};
use super::super::super::time::Span;
use super::{DelayRange, MILLIONTHS, times};

/// The wait grows by a factor from attempt to attempt up to a maximum, and spreads by a share to both
/// sides (`ExponentialBackoff`, Kafka 4.0.0-SNAPSHOT of 2024-10-25; `kafka-log.json`,
/// exponential_backoff). No wait is above the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientBackoff {
    /// The wait before the first retry (`retry.backoff.ms`).
    pub initial: Span,
    /// By how much it grows each time.
    pub multiplier: u64,
    /// The longest wait (`retry.backoff.max.ms`).
    pub max: Span,
    /// How far it spreads to both sides, in millionths of itself.
    pub jitter_millionths: u64,
}

impl ClientBackoff {
    /// What Kafka's clients do by default: 100 ms to 1 s, doubled, 20 % to both sides.
    pub const KAFKA: Self = Self {
        initial: Span::from_millis(100),
        multiplier: 2,
        max: Span::from_millis(1_000),
        jitter_millionths: 200_000,
    };

    /// What the wait after `failed` earlier retries may be, counted from 0.
    #[must_use]
    pub fn range(&self, failed: u64) -> DelayRange {
        let nominal = self.nominal(failed);
        let spread = u128::from(nominal.micros()) * u128::from(self.jitter_millionths) / MILLIONTHS;
        let spread = Span::from_micros(u64::try_from(spread).unwrap_or(u64::MAX));
        DelayRange { low: nominal - spread, high: nominal + spread, cap: self.max }
    }

    /// The wait itself, drawn. The same key gives the same wait, whatever others do.
    #[must_use]
    pub fn delay(&self, failed: u64, draws: Draws, key: DrawKey) -> Span {
        self.range(failed).draw(draws, key)
    }

    fn nominal(&self, failed: u64) -> Span {
        let power = u32::try_from(failed).ok().and_then(|exponent| self.multiplier.checked_pow(exponent));
        times(self.initial, power.unwrap_or(u64::MAX)).min(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_up_to_the_maximum_and_stays_there() {
        let greatest = |failed| ClientBackoff::KAFKA.range(failed).greatest();
        let waits: Vec<Span> = (0..5).map(greatest).collect();
        assert_eq!(waits, [120, 240, 480, 960, 1_000].map(Span::from_millis));
        assert_eq!(
            (greatest(u64::MAX), ClientBackoff::KAFKA.range(9).least()),
            (Span::from_millis(1_000), Span::from_millis(800))
        );
    }
}
