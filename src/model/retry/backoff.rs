//! How long a retry waits.

pub mod client;

use super::super::rng::{DrawKey, Draws};
use super::super::state_hash::StateHasher;
use super::super::time::Span;

/// The rule by which the wait grows and spreads. `v` is min(cap, base × 2ⁿ), with n = 0 for the
/// first retry. The jitter rules are those of the AWS architecture blog's simulator
/// (aws-arch-backoff-simulator), which itself starts at n = 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BackoffKind {
    /// Always the base.
    Fixed = 1,
    /// min(cap, base × (n + 1)): RabbitMQ 4.3's delayed retry, whose delivery count is n + 1.
    Linear = 2,
    /// v, the same for everybody: retries stay synchronised.
    Exponential = 3,
    /// Anything from 0 to v.
    FullJitter = 4,
    /// v/2, and anything from 0 to v/2 on top.
    EqualJitter = 5,
    /// min(cap, anything from the base to three times the previous wait).
    DecorrelatedJitter = 6,
}

/// How long retries wait: a kind, a base and a cap. Any values are allowed; nothing overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The rule.
    pub kind: BackoffKind,
    /// Where it begins.
    pub base: Span,
    /// The longest wait.
    pub cap: Span,
}

/// What a wait may be: even chances from one end to the other, then cut off at the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayRange {
    low: Span,
    high: Span,
    cap: Span,
}

/// The whole of a share in millionths.
const MILLIONTHS: u128 = 1_000_000;

impl Backoff {
    /// No wait at all.
    pub const NONE: Self = Self { kind: BackoffKind::Fixed, base: Span::ZERO, cap: Span::ZERO };
    /// The AWS SDKs' standard retry mode: full jitter from 50 ms up to 20 s (botocore 1.44.8).
    pub const AWS_STANDARD: Self =
        Self { kind: BackoffKind::FullJitter, base: Span::from_millis(50), cap: Span::from_seconds(20) };

    /// What the wait before retry `retry` may be, counted from 0. `previous` is the wait before
    /// that one in the same sequence, if there was one; only decorrelated jitter asks for it.
    #[must_use]
    pub fn range(&self, retry: u64, previous: Option<Span>) -> DelayRange {
        let cap = self.cap;
        let exactly = |span: Span| DelayRange { low: span, high: span, cap };
        let doubled = self.doubled(retry);
        match self.kind {
            BackoffKind::Fixed => exactly(self.base),
            BackoffKind::Linear => exactly(times(self.base, retry.saturating_add(1))),
            BackoffKind::Exponential => exactly(doubled),
            BackoffKind::FullJitter => DelayRange { low: Span::ZERO, high: doubled, cap },
            BackoffKind::EqualJitter => DelayRange { low: half_up(doubled), high: doubled, cap },
            BackoffKind::DecorrelatedJitter => {
                let tripled = times(previous.unwrap_or(self.base), 3);
                // A previous wait below a third of the base turns the ends round.
                DelayRange { low: self.base.min(tripled), high: self.base.max(tripled), cap }
            }
        }
    }

    /// The wait before retry `retry`, as [`Self::range`] allows it. The same key gives the same
    /// wait, whatever others do.
    #[must_use]
    pub fn delay(&self, retry: u64, previous: Option<Span>, draws: Draws, key: DrawKey) -> Span {
        self.range(retry, previous).draw(draws, key)
    }

    /// v = min(cap, base × 2ⁿ).
    fn doubled(&self, retry: u64) -> Span {
        let power = u32::try_from(retry).ok().and_then(|shift| 1_u64.checked_shl(shift));
        times(self.base, power.unwrap_or(u64::MAX)).min(self.cap)
    }

    /// Feeds it to `hasher`.
    pub const fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.kind as u64);
        hasher.write(self.base.micros());
        hasher.write(self.cap.micros());
    }
}

const fn times(span: Span, factor: u64) -> Span {
    Span::from_micros(span.micros().saturating_mul(factor))
}

/// Half of it, rounded up: a wait of whole microseconds is never below the half.
const fn half_up(span: Span) -> Span {
    Span::from_micros(span.micros().div_ceil(2))
}

impl DelayRange {
    /// The shortest wait.
    #[must_use]
    pub fn least(&self) -> Span {
        self.low.min(self.cap)
    }

    /// The longest wait.
    #[must_use]
    pub fn greatest(&self) -> Span {
        self.high.min(self.cap)
    }

    /// The mean wait, rounded down to a microsecond. Where the cap cuts off a part of the range,
    /// that part counts as the cap: cap − (cap − low)² ÷ 2(high − low).
    #[must_use]
    pub fn mean(&self) -> Span {
        if self.high <= self.cap {
            return self.at_millionths(500_000);
        }
        let below_cap = u128::from((self.cap - self.low).micros());
        let width = u128::from((self.high - self.low).micros());
        let shortfall = (below_cap * below_cap).div_ceil(2).checked_div(width).unwrap_or_default();
        self.cap - Span::from_micros(u64::try_from(shortfall).unwrap_or(u64::MAX))
    }

    /// The wait that so many millionths (0 to 1,000,000) of the range lie below, rounded to the
    /// nearest microsecond: what a generator gives whose share is pinned.
    #[must_use]
    pub fn at_millionths(&self, share_millionths: u64) -> Span {
        let width = u128::from((self.high - self.low).micros());
        let part = (width * u128::from(share_millionths).min(MILLIONTHS) + MILLIONTHS / 2) / MILLIONTHS;
        let part = Span::from_micros(u64::try_from(part).unwrap_or(u64::MAX));
        (self.low + part).min(self.cap)
    }

    /// One wait, drawn.
    #[must_use]
    pub fn draw(&self, draws: Draws, key: DrawKey) -> Span {
        let width = (self.high - self.low).micros();
        (self.low + Span::from_micros(draws.up_to(key, width))).min(self.cap)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::rng::Purpose;
    use super::*;

    const KINDS: [BackoffKind; 6] = [
        BackoffKind::Fixed,
        BackoffKind::Linear,
        BackoffKind::Exponential,
        BackoffKind::FullJitter,
        BackoffKind::EqualJitter,
        BackoffKind::DecorrelatedJitter,
    ];

    fn backoff(kind: BackoffKind, base_ms: u64, cap_ms: u64) -> Backoff {
        Backoff { kind, base: Span::from_millis(base_ms), cap: Span::from_millis(cap_ms) }
    }

    fn key(origin: u64) -> DrawKey {
        DrawKey { origin, role: 0, attempt: 1 }
    }

    fn draws() -> Draws {
        Draws::new(11, Purpose::RetryJitter)
    }

    /// Any span, with the extremes as likely as the rest.
    fn span() -> impl Strategy<Value = Span> {
        prop_oneof![0_u64..100, 0_u64..100_000_000, any::<u64>(), Just(u64::MAX)].prop_map(Span::from_micros)
    }

    proptest! {
        #[test]
        fn every_wait_lies_in_its_range_for_any_parameters(
            kind in prop::sample::select(&KINDS[..]),
            base in span(), cap in span(), previous in prop::option::of(span()),
            retry in prop_oneof![0_u64..70, any::<u64>()], origin in any::<u64>(), share in any::<u64>(),
        ) {
            let backoff = Backoff { kind, base, cap };
            let range = backoff.range(retry, previous);
            let delay = backoff.delay(retry, previous, draws(), key(origin));
            for wait in [delay, range.mean(), range.at_millionths(share)] {
                prop_assert!(range.least() <= wait && wait <= range.greatest(), "{wait} in {range:?}");
            }
            prop_assert!(range.greatest() <= cap);
            prop_assert_eq!(range.at_millionths(1_000_000), range.greatest());
            prop_assert_eq!(backoff.delay(retry, previous, draws(), key(origin)), delay);
        }

        #[test]
        fn waits_never_shrink_from_one_retry_to_the_next(
            kind in prop::sample::select(&KINDS[..5]), base in span(), cap in span(), retry in 0_u64..80,
        ) {
            let backoff = Backoff { kind, base, cap };
            let (this, next) = (backoff.range(retry, None), backoff.range(retry + 1, None));
            prop_assert!(this.least() <= next.least() && this.greatest() <= next.greatest());
        }

        #[test]
        fn half_of_an_equal_jitter_is_never_undercut(base in span(), cap in span(), retry in 0_u64..80) {
            let range = Backoff { kind: BackoffKind::EqualJitter, base, cap }.range(retry, None);
            let v = Backoff { kind: BackoffKind::Exponential, base, cap }.range(retry, None).greatest();
            prop_assert_eq!(range.greatest(), v);
            prop_assert!(u128::from(range.least().micros()) * 2 >= u128::from(v.micros()));
            prop_assert!(range.least() <= v);
        }
    }

    #[test]
    fn the_kinds_without_chance_follow_their_rules() {
        let waits = |kind| -> Vec<u64> {
            let backoff = backoff(kind, 100, 1_000);
            (0..6).map(|retry| backoff.range(retry, None).greatest().micros() / 1_000).collect()
        };
        assert_eq!(waits(BackoffKind::Fixed), [100; 6]);
        assert_eq!(waits(BackoffKind::Linear), [100, 200, 300, 400, 500, 600]);
        assert_eq!(waits(BackoffKind::Exponential), [100, 200, 400, 800, 1_000, 1_000]);
        assert_eq!(backoff(BackoffKind::Linear, 100, 250).range(3, None).least(), Span::from_millis(250));
        assert_eq!(Backoff::NONE.range(u64::MAX, None).greatest(), Span::ZERO);
    }

    #[test]
    fn means_of_the_draws_are_those_of_the_ranges() {
        let count = 40_000_u64;
        for (kind, previous_ms) in [
            (BackoffKind::FullJitter, None),
            (BackoffKind::EqualJitter, None),
            (BackoffKind::DecorrelatedJitter, Some(300)),
            // The cap cuts off a part: U(100, 1500) ends at 1000.
            (BackoffKind::DecorrelatedJitter, Some(500)),
        ] {
            let backoff = backoff(kind, 100, 1_000);
            let previous = previous_ms.map(Span::from_millis);
            let sum: u64 = (0..count).map(|n| backoff.delay(3, previous, draws(), key(n)).micros()).sum();
            let range = backoff.range(3, previous);
            // The deviation of one draw is below width ÷ √12; seven standard errors of the mean.
            let width = range.greatest() - range.least();
            let allowed = width.micros() / 100;
            assert!((sum / count).abs_diff(range.mean().micros()) < allowed, "{kind:?} {range:?}");
        }
    }

    #[test]
    fn a_cut_off_range_has_the_mean_of_the_cut_off_law() {
        // U(100, 1500) cut off at 1000: 1000 − 900² ÷ 2800 = 710.714 ms.
        let range =
            backoff(BackoffKind::DecorrelatedJitter, 100, 1_000).range(5, Some(Span::from_millis(500)));
        assert_eq!(range.mean(), Span::from_micros(710_715));
        let all_above = backoff(BackoffKind::DecorrelatedJitter, 100, 50).range(0, None);
        assert_eq!((all_above.least(), all_above.mean()), (Span::from_millis(50), Span::from_millis(50)));
    }

    #[test]
    fn another_message_or_attempt_draws_another_wait() {
        let full = backoff(BackoffKind::FullJitter, 1_000_000, 1_000_000);
        let delay = |origin, role, attempt| full.delay(0, None, draws(), DrawKey { origin, role, attempt });
        let all = [delay(1, 0, 1), delay(2, 0, 1), delay(1, 1, 1), delay(1, 0, 2)];
        for (index, left) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|right| left != right), "{all:?}");
        }
    }
}
