//! Finagle's retry budget: retries as a share of the requests of the last seconds.

use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};

/// Deposits expire in tenths of their time to live, as in twitter/util's leaky token bucket.
const SLICES: usize = 10;
const SLICE_COUNT: u64 = SLICES as u64;

/// What one retry takes, so that a deposit is the share in millionths and no division is needed.
/// Finagle itself cuts the price of a retry to a thousandth of a deposit; this one is exact.
const RETRY_UNITS: i64 = 1_000_000;

/// Every request deposits a share of a retry, every retry withdraws a whole one; both are
/// forgotten after the time to live. A reserve that does not expire is there for a client with
/// few requests (Finagle's `RetryBudget`; its defaults are 10 s, 10 retries a second and 20 %).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestShare {
    slice: Span,
    deposit_units: i64,
    reserve_units: i64,
    /// Deposits less withdrawals of the last slices; the present one is at `slice_number` modulo
    /// their count.
    window_units: [i64; SLICES],
    /// Whole slices since the run's start.
    slice_number: u64,
}

impl RequestShare {
    /// A budget whose deposits live for `ttl` (Finagle: 1 to 60 s), with a reserve of
    /// `retries_per_second` over that time, and a share of the requests in millionths (Finagle: 0
    /// to 1,000,000,000). A deposit is gone after nine tenths of `ttl` at the earliest and after
    /// all of it at the latest.
    #[must_use]
    pub fn new(ttl: Span, retries_per_second: u64, share_millionths: u64) -> Self {
        // A rate a second times microseconds is in millionths of a retry: exactly these units.
        let reserve = retries_per_second.saturating_mul(ttl.micros());
        Self {
            slice: Span::from_micros((ttl.micros() / SLICE_COUNT).max(1)),
            deposit_units: i64::try_from(share_millionths).unwrap_or(i64::MAX),
            reserve_units: i64::try_from(reserve).unwrap_or(i64::MAX),
            window_units: [0; SLICES],
            slice_number: 0,
        }
    }

    /// A request begins.
    pub fn deposit(&mut self, now: Instant) {
        self.expire(now);
        self.add(self.deposit_units);
    }

    /// Asks for one retry; whether it is allowed.
    pub fn withdraw(&mut self, now: Instant) -> bool {
        self.expire(now);
        let is_allowed = self.units() >= RETRY_UNITS;
        if is_allowed {
            self.add(-RETRY_UNITS);
        }
        is_allowed
    }

    /// How many retries it would allow now, one after the other.
    #[must_use]
    pub fn balance(&self, now: Instant) -> u64 {
        let mut later = *self;
        later.expire(now);
        u64::try_from(later.units() / RETRY_UNITS).unwrap_or_default()
    }

    fn units(&self) -> i64 {
        self.window_units.iter().fold(self.reserve_units, |sum, units| sum.saturating_add(*units))
    }

    fn add(&mut self, units: i64) {
        let at = self.slice_number % SLICE_COUNT;
        for (place, sum) in (0..).zip(&mut self.window_units) {
            if place == at {
                *sum = sum.saturating_add(units);
            }
        }
    }

    /// Forgets the slices that lie a time to live back.
    fn expire(&mut self, now: Instant) {
        let number = (now.micros() / self.slice.micros()).max(self.slice_number);
        let passed = number - self.slice_number;
        for (place, sum) in (0..).zip(&mut self.window_units) {
            // How many slices ago this one was the present one, at the new instant.
            let age = (number % SLICE_COUNT + SLICE_COUNT - place) % SLICE_COUNT;
            if age < passed {
                *sum = 0;
            }
        }
        self.slice_number = number;
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.slice.micros());
        hasher.write(self.deposit_units.cast_unsigned());
        hasher.write(self.reserve_units.cast_unsigned());
        self.window_units.iter().for_each(|units| hasher.write(units.cast_unsigned()));
        hasher.write(self.slice_number);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEN_SECONDS: Span = Span::from_seconds(10);

    #[test]
    fn a_fifth_of_the_requests_may_be_retried() {
        let mut budget = RequestShare::new(TEN_SECONDS, 0, 200_000);
        assert!(!budget.withdraw(Instant::START));
        (0..10).for_each(|_| budget.deposit(Instant::START));
        assert_eq!(budget.balance(Instant::START), 2);
        assert!(budget.withdraw(Instant::START) && budget.withdraw(Instant::START));
        assert!(!budget.withdraw(Instant::START));
    }

    #[test]
    fn deposits_expire_and_the_reserve_stays() {
        let mut budget = RequestShare::new(TEN_SECONDS, 3, 1_000_000);
        budget.deposit(Instant::from_micros(500_000));
        let balance_at = |seconds| budget.balance(Instant::from_seconds(seconds));
        assert_eq!((balance_at(9), balance_at(10), balance_at(1_000)), (31, 30, 30));
    }

    #[test]
    fn withdrawals_are_forgotten_too() {
        let mut budget = RequestShare::new(TEN_SECONDS, 1, 0);
        assert_eq!((0..20).filter(|_| budget.withdraw(Instant::START)).count(), 10);
        assert_eq!(budget.balance(Instant::from_seconds(9)), 0);
        assert_eq!(budget.balance(Instant::from_seconds(10)), 10);
    }

    proptest! {
        /// Against a list of everything that was deposited and withdrawn, slice by slice.
        #[test]
        fn the_window_holds_exactly_the_last_ten_slices(
            steps in prop::collection::vec((any::<bool>(), prop_oneof![0_u64..200_000, 0_u64..40_000_000]), 0..100),
        ) {
            let mut budget = RequestShare::new(TEN_SECONDS, 1, 400_000);
            let (mut now, mut entries) = (0_u64, Vec::<(u64, i64)>::new());
            for (is_deposit, pause) in steps {
                now += pause;
                let slice = now / 1_000_000;
                let inside = entries.iter().filter(|(at, _)| at + 10 > slice);
                let units = 10_000_000 + inside.map(|(_, units)| units).sum::<i64>();
                prop_assert_eq!(i64::try_from(budget.balance(Instant::from_micros(now))), Ok((units / 1_000_000).max(0)));
                if is_deposit {
                    budget.deposit(Instant::from_micros(now));
                    entries.push((slice, 400_000));
                } else if budget.withdraw(Instant::from_micros(now)) {
                    prop_assert!(units >= 1_000_000);
                    entries.push((slice, -1_000_000));
                } else {
                    prop_assert!(units < 1_000_000);
                }
            }
        }

        #[test]
        fn any_settings_are_safe(ttl in any::<u64>(), rate in any::<u64>(), share in any::<u64>(), now in any::<u64>()) {
            let mut budget = RequestShare::new(Span::from_micros(ttl), rate, share);
            budget.deposit(Instant::from_micros(now));
            budget.deposit(Instant::from_micros(now));
            let before = budget.balance(Instant::from_micros(now));
            prop_assert_eq!(budget.withdraw(Instant::from_micros(now)), before > 0);
        }
    }
}
