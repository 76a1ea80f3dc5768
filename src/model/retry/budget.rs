//! Retry budgets: what keeps retries from becoming most of the load.

use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};
use super::FailureKind;
use super::request_share::RequestShare;

/// One of the budgets in use elsewhere, shared by all requests of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryBudget {
    /// Every retry is allowed.
    Unlimited,
    /// gRPC's throttle.
    Throttle(GrpcThrottle),
    /// The AWS SDKs' quota.
    Quota(AwsQuota),
    /// Finagle's share of the requests.
    Share(RequestShare),
}

/// What a request paid for its last retry; a success after it gives this back to a quota.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Payment(u64);

impl Payment {
    /// Feeds it to `hasher`.
    pub const fn hash_into(self, hasher: &mut StateHasher) {
        hasher.write(self.0);
    }
}

impl RetryBudget {
    /// gRPC's throttle with the numbers of the example in its proposal A6: 10 tokens, 0.1 for a
    /// success.
    #[must_use]
    pub const fn grpc() -> Self {
        Self::Throttle(GrpcThrottle::new(10_000, 100))
    }

    /// The AWS SDKs' quota as of 2026.
    #[must_use]
    pub const fn aws() -> Self {
        Self::Quota(AwsQuota::new(AwsQuotaTerms::BOTOCORE_1_44_8))
    }

    /// Finagle's budget with its defaults: 10 s, 10 retries a second, 20 % of the requests.
    #[must_use]
    pub fn finagle() -> Self {
        Self::Share(RequestShare::new(Span::from_seconds(10), 10, 200_000))
    }

    /// Whether it refuses nothing.
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        matches!(self, Self::Unlimited)
    }

    /// How many retries it would still allow at `now` if every attempt failed in an ordinary way;
    /// `None`: any number.
    #[must_use]
    pub fn left(&self, now: Instant) -> Option<u64> {
        match self {
            Self::Unlimited => None,
            Self::Throttle(throttle) => Some(throttle.left()),
            Self::Quota(quota) => Some(quota.tokens / quota.terms.transient_cost.max(1)),
            Self::Share(share) => Some(share.balance(now)),
        }
    }

    /// A request begins: its first attempt, not its retries.
    pub fn request(&mut self, now: Instant) {
        if let Self::Share(share) = self {
            share.deposit(now);
        }
    }

    /// An attempt failed in a way that may be retried, whether it will be or not.
    pub const fn record_failure(&mut self) {
        if let Self::Throttle(throttle) = self {
            throttle.fail();
        }
    }

    /// Asks for one retry. `None`: it is refused.
    pub fn take(&mut self, now: Instant, kind: FailureKind) -> Option<Payment> {
        match self {
            Self::Unlimited => Some(Payment::default()),
            Self::Throttle(throttle) => throttle.allows_retry().then(Payment::default),
            Self::Quota(quota) => quota.take(kind),
            Self::Share(share) => share.withdraw(now).then(Payment::default),
        }
    }

    /// A request succeeded; `last_payment` is what it paid for its last retry, if it had one.
    pub fn record_success(&mut self, last_payment: Option<Payment>) {
        match self {
            Self::Throttle(throttle) => throttle.succeed(),
            Self::Quota(quota) => quota.succeed(last_payment),
            Self::Unlimited | Self::Share(_) => {}
        }
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        match self {
            Self::Unlimited => hasher.write(0),
            Self::Throttle(throttle) => {
                hasher.write(1);
                throttle.hash_into(hasher);
            }
            Self::Quota(quota) => {
                hasher.write(2);
                quota.hash_into(hasher);
            }
            Self::Share(share) => {
                hasher.write(3);
                share.hash_into(hasher);
            }
        }
    }
}

/// One token, in thousandths.
const TOKEN_THOUSANDTHS: u64 = 1_000;

/// gRPC's retry throttle (gRPC proposal A6): tokens fall by 1 with every failed attempt and rise
/// by a ratio with every success; retries are made only while more than half are there. Counted
/// in thousandths, as gRPC's own implementations do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrpcThrottle {
    max_thousandths: u64,
    ratio_thousandths: u64,
    tokens_thousandths: u64,
}

impl GrpcThrottle {
    /// A full throttle of `max_thousandths` (gRPC: up to 1,000,000, in whole tokens), which gains
    /// `ratio_thousandths` with a success (gRPC: above 0, further decimals are ignored).
    #[must_use]
    pub const fn new(max_thousandths: u64, ratio_thousandths: u64) -> Self {
        Self { max_thousandths, ratio_thousandths, tokens_thousandths: max_thousandths }
    }

    /// An attempt failed in a way that may be retried.
    pub const fn fail(&mut self) {
        self.tokens_thousandths = self.tokens_thousandths.saturating_sub(TOKEN_THOUSANDTHS);
    }

    /// An attempt succeeded.
    pub fn succeed(&mut self) {
        let tokens = self.tokens_thousandths.saturating_add(self.ratio_thousandths);
        self.tokens_thousandths = tokens.min(self.max_thousandths);
    }

    /// Whether a retry may be made now: above one half, not at it.
    #[must_use]
    pub const fn allows_retry(&self) -> bool {
        self.tokens_thousandths > self.max_thousandths / 2
    }

    /// How many retries it would allow if every attempt failed.
    const fn left(&self) -> u64 {
        let above_half = self.tokens_thousandths.saturating_sub(self.max_thousandths / 2);
        above_half.div_ceil(TOKEN_THOUSANDTHS).saturating_sub(1)
    }

    /// Tokens now, in thousandths: 0 to the greatest number.
    #[must_use]
    pub const fn tokens_thousandths(&self) -> u64 {
        self.tokens_thousandths
    }

    /// Feeds the whole state to `hasher`.
    pub const fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.max_thousandths);
        hasher.write(self.ratio_thousandths);
        hasher.write(self.tokens_thousandths);
    }
}

/// What retries cost in the AWS SDKs' standard retry mode, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwsQuotaTerms {
    /// The most tokens there are, and how many at the start.
    pub capacity: u64,
    /// What a retry costs after a failure of no other kind.
    pub transient_cost: u64,
    /// What a retry costs after the service asked for fewer requests.
    pub throttled_cost: u64,
    /// What a retry costs after a timeout.
    pub timed_out_cost: u64,
    /// What a success without a retry brings.
    pub clean_success_gain: u64,
}

impl AwsQuotaTerms {
    /// As of 2026 (botocore 1.44.8).
    pub const BOTOCORE_1_44_8: Self = Self {
        capacity: 500,
        transient_cost: 14,
        throttled_cost: 5,
        timed_out_cost: 14,
        clean_success_gain: 1,
    };
    /// Before 2026 (aws-sdk-js-v3, constants.ts).
    pub const BEFORE_2026: Self = Self { transient_cost: 5, timed_out_cost: 10, ..Self::BOTOCORE_1_44_8 };

    /// What a retry after such a failure costs.
    #[must_use]
    pub const fn cost(&self, kind: FailureKind) -> u64 {
        match kind {
            FailureKind::Throttled => self.throttled_cost,
            FailureKind::TimedOut => self.timed_out_cost,
            FailureKind::Transient | FailureKind::Permanent => self.transient_cost,
        }
    }
}

/// The retry quota of the AWS SDKs' standard retry mode (botocore 1.44.8): a retry costs tokens,
/// a success after a retry brings back what its last retry cost, one without a retry brings a
/// little. A retry that cannot be paid is refused at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwsQuota {
    terms: AwsQuotaTerms,
    tokens: u64,
}

impl AwsQuota {
    /// A full quota.
    #[must_use]
    pub const fn new(terms: AwsQuotaTerms) -> Self {
        Self { terms, tokens: terms.capacity }
    }

    /// Pays for one retry after such a failure. `None`: there are too few tokens, and none is
    /// taken.
    pub fn take(&mut self, kind: FailureKind) -> Option<Payment> {
        let cost = self.terms.cost(kind);
        self.tokens = self.tokens.checked_sub(cost)?;
        Some(Payment(cost))
    }

    /// A request succeeded, after a retry for which `last_payment` was paid, or without one.
    pub fn succeed(&mut self, last_payment: Option<Payment>) {
        let gain = last_payment.map_or(self.terms.clean_success_gain, |payment| payment.0);
        self.tokens = self.tokens.saturating_add(gain).min(self.terms.capacity);
    }

    /// Tokens now: 0 to the capacity.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        let terms = &self.terms;
        for value in [
            terms.capacity,
            terms.transient_cost,
            terms.throttled_cost,
            terms.timed_out_cost,
            terms.clean_success_gain,
            self.tokens,
        ] {
            hasher.write(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_throttle_allows_retries_above_the_half_only() {
        let mut throttle = GrpcThrottle::new(10_000, 500);
        (0..4).for_each(|_| throttle.fail());
        assert!(throttle.allows_retry());
        throttle.fail();
        assert!(!throttle.allows_retry(), "at the half it does not");
        throttle.succeed();
        assert_eq!((throttle.tokens_thousandths(), throttle.allows_retry()), (5_500, true));
    }

    #[test]
    fn a_quota_gives_back_what_the_last_retry_cost() {
        let mut quota = AwsQuota::new(AwsQuotaTerms::BEFORE_2026);
        let paid: Vec<_> =
            [FailureKind::Transient, FailureKind::TimedOut].map(|kind| quota.take(kind)).into();
        assert_eq!((paid.as_slice(), quota.tokens()), (&[Some(Payment(5)), Some(Payment(10))][..], 485));
        quota.succeed(paid[1]);
        assert_eq!(quota.tokens(), 495);
        (0..10).for_each(|_| quota.succeed(None));
        assert_eq!(quota.tokens(), 500, "never above the capacity");
    }

    #[test]
    fn thirty_five_retries_in_a_row_then_it_fails_fast() {
        let mut quota = AwsQuota::new(AwsQuotaTerms::BOTOCORE_1_44_8);
        let taken = std::iter::from_fn(|| quota.take(FailureKind::Transient)).count();
        assert_eq!((taken, quota.tokens()), (35, 10));
    }

    fn budget() -> impl Strategy<Value = RetryBudget> {
        let number = || prop_oneof![0_u64..2_000, any::<u64>()];
        prop_oneof![
            Just(RetryBudget::Unlimited),
            (number(), number())
                .prop_map(|(max, ratio)| RetryBudget::Throttle(GrpcThrottle::new(max, ratio))),
            (number(), number(), number()).prop_map(|(capacity, cost, gain)| {
                let terms = AwsQuotaTerms {
                    capacity,
                    transient_cost: cost,
                    clean_success_gain: gain,
                    ..AwsQuotaTerms::BEFORE_2026
                };
                RetryBudget::Quota(AwsQuota::new(terms))
            }),
            (0_u64..100, number(), number()).prop_map(|(ttl, reserve, share)| {
                RetryBudget::Share(RequestShare::new(Span::from_seconds(ttl), reserve, share))
            }),
        ]
    }

    /// Fails where a budget holds what it cannot hold.
    fn is_within_limits(budget: &RetryBudget) -> bool {
        match budget {
            RetryBudget::Throttle(throttle) => throttle.tokens_thousandths <= throttle.max_thousandths,
            RetryBudget::Quota(quota) => quota.tokens <= quota.terms.capacity,
            RetryBudget::Unlimited | RetryBudget::Share(_) => true,
        }
    }

    proptest! {
        #[test]
        fn budgets_stay_within_their_limits(
            mut budget in budget(), steps in prop::collection::vec((0_u8..5, 0_u64..1_000_000), 0..200),
        ) {
            let (mut now, mut last_payment) = (Instant::START, None);
            for (step, pause) in steps {
                now += Span::from_micros(pause);
                match step {
                    0 => budget.request(now),
                    1 => budget.record_failure(),
                    2 => last_payment = budget.take(now, FailureKind::Transient).or(last_payment),
                    3 => budget.record_success(last_payment.take()),
                    _ => budget.record_success(None),
                }
                prop_assert!(is_within_limits(&budget), "{budget:?}");
            }
        }

        #[test]
        fn a_refused_retry_changes_no_quota(capacity in 0_u64..100, cost in 0_u64..100) {
            let terms = AwsQuotaTerms { capacity, transient_cost: cost, ..AwsQuotaTerms::BOTOCORE_1_44_8 };
            let mut quota = AwsQuota::new(terms);
            let payment = quota.take(FailureKind::Transient);
            prop_assert_eq!(payment.is_some(), cost <= capacity);
            prop_assert_eq!(quota.tokens() + payment.map_or(0, |payment| payment.0), capacity);
        }
    }
}
