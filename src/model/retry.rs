//! Retries: whether a failed attempt is followed by another, how long that waits, and what pays
//! for it.
//!
//! All of it is pure: no clock, no agenda and no hidden state. Whoever drives it holds the number
//! of the attempt and the previous wait of each message, and hands them in. An *attempt* includes
//! the first, a *retry* does not.

pub mod backoff;
pub mod budget;
pub mod layers;
pub mod request_share;

use super::rng::{DrawKey, Draws};
use super::state_hash::StateHasher;
use super::time::{Instant, Span};
use backoff::Backoff;
use budget::{Payment, RetryBudget};

/// How many attempts one request or message gets, the first included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptsCap {
    /// So many; 1 means no retry, and 0 acts as 1.
    AtMost(u64),
    /// No cap: it is tried until it succeeds.
    Endless,
}

/// Why an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    /// It may succeed the next time.
    Transient = 1,
    /// The other side asked for fewer requests.
    Throttled = 2,
    /// It took longer than [`RetryPolicy::attempt_timeout`].
    TimedOut = 3,
    /// It will fail every time, as a poison message does.
    Permanent = 4,
}

/// Where a retry is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RetryPlace {
    /// By the consumer that has the message, which holds it meanwhile.
    InPlace = 1,
    /// By whoever takes it from the retry queue.
    RetryQueue = 2,
}

/// What becomes of a message that is not tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AtEnd {
    /// It goes to the dead letters.
    DeadLetter = 1,
    /// Whoever asked is told, and nothing is kept.
    GiveUp = 2,
}

/// What is done after failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How many attempts there are.
    pub attempts: AttemptsCap,
    /// How long one attempt may take; `None` waits for ever.
    pub attempt_timeout: Option<Span>,
    /// How long retries wait.
    pub backoff: Backoff,
    /// Where they are made.
    pub place: RetryPlace,
    /// Whether permanent failures are tried again too, as by a client that cannot tell them
    /// apart.
    pub retries_permanent: bool,
    /// What follows when there is no other attempt.
    pub at_end: AtEnd,
}

/// One attempt that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which attempt, from 1.
    pub attempt: u64,
    /// Why it failed.
    pub kind: FailureKind,
    /// How long this attempt had waited for its turn; `None` for the first one.
    pub previous_delay: Option<Span>,
}

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same consumer tries again.
    RetryInPlace {
        /// After so long.
        after: Span,
    },
    /// It goes through the retry queue.
    RetryQueue {
        /// And is due after so long.
        after: Span,
    },
    /// It goes to the dead letters.
    DeadLetter(NoRetry),
    /// It has failed for good.
    GiveUp(NoRetry),
}

/// Why there is no other attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoRetry {
    /// This failure is permanent.
    NotRetryable,
    /// All attempts are used.
    AttemptsUsed,
    /// The budget refused it: fail fast.
    BudgetSpent,
}

impl AttemptsCap {
    /// The AWS SDKs' standard retry mode (botocore 1.44.8).
    pub const AWS_STANDARD: Self = Self::AtMost(3);

    /// gRPC's `maxAttempts`: values above 5 are treated as 5 (gRPC proposal A6).
    #[must_use]
    pub fn grpc(max_attempts: u64) -> Self {
        Self::AtMost(max_attempts.min(5))
    }

    /// How many there are, at least 1; `None` without a cap.
    #[must_use]
    pub fn count(self) -> Option<u64> {
        match self {
            Self::AtMost(count) => Some(count.max(1)),
            Self::Endless => None,
        }
    }

    /// Whether there is another attempt after attempt `attempt`, counted from 1.
    #[must_use]
    pub fn allows_after(self, attempt: u64) -> bool {
        self.count().is_none_or(|count| attempt < count)
    }

    /// Feeds it to `hasher`.
    pub fn hash_into(self, hasher: &mut StateHasher) {
        // No cap that counts is 0.
        hasher.write(self.count().unwrap_or_default());
    }
}

impl FailureKind {
    /// Whether another attempt could succeed.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        !matches!(self, Self::Permanent)
    }
}

impl Verdict {
    /// How long the retry waits; `None` where there is none.
    #[must_use]
    pub const fn retry_after(self) -> Option<Span> {
        match self {
            Self::RetryInPlace { after } | Self::RetryQueue { after } => Some(after),
            Self::DeadLetter(_) | Self::GiveUp(_) => None,
        }
    }
}

impl RetryPolicy {
    /// One attempt without a timeout, and nothing after it.
    pub const NONE: Self = Self {
        attempts: AttemptsCap::AtMost(1),
        attempt_timeout: None,
        backoff: Backoff::NONE,
        place: RetryPlace::InPlace,
        retries_permanent: false,
        at_end: AtEnd::GiveUp,
    };

    /// When an attempt that would take `needed` is cut off; `None` where it is not. One that
    /// needs exactly the timeout still finishes.
    #[must_use]
    pub fn cut_off(&self, needed: Span) -> Option<Span> {
        self.attempt_timeout.filter(|timeout| needed > *timeout)
    }

    /// What follows `failure`, without a budget. The wait is drawn with `key`, which should name
    /// the message, the layer and the attempt.
    #[must_use]
    pub fn after_failure(&self, failure: &Failure, draws: Draws, key: DrawKey) -> Verdict {
        if !self.would_retry(failure.kind) {
            return self.end(NoRetry::NotRetryable);
        }
        if !self.attempts.allows_after(failure.attempt) {
            return self.end(NoRetry::AttemptsUsed);
        }
        let retry = failure.attempt.saturating_sub(1);
        let after = self.backoff.delay(retry, failure.previous_delay, draws, key);
        match self.place {
            RetryPlace::InPlace => Verdict::RetryInPlace { after },
            RetryPlace::RetryQueue => Verdict::RetryQueue { after },
        }
    }

    /// What follows `failure` where `budget` has a say, and what was paid for a retry. The budget
    /// hears of every failure that is of a kind to be retried, even where no attempt is left, and
    /// pays only for a retry that is made.
    #[must_use]
    pub fn after_failure_within(
        &self,
        budget: &mut RetryBudget,
        now: Instant,
        failure: &Failure,
        draws: Draws,
        key: DrawKey,
    ) -> (Verdict, Option<Payment>) {
        if self.would_retry(failure.kind) {
            budget.record_failure();
        }
        let verdict = self.after_failure(failure, draws, key);
        if verdict.retry_after().is_none() {
            return (verdict, None);
        }
        match budget.take(now, failure.kind) {
            Some(payment) => (verdict, Some(payment)),
            None => (self.end(NoRetry::BudgetSpent), None),
        }
    }

    const fn would_retry(&self, kind: FailureKind) -> bool {
        self.retries_permanent || kind.is_retryable()
    }

    const fn end(&self, why: NoRetry) -> Verdict {
        match self.at_end {
            AtEnd::DeadLetter => Verdict::DeadLetter(why),
            AtEnd::GiveUp => Verdict::GiveUp(why),
        }
    }

    /// Feeds it to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        self.attempts.hash_into(hasher);
        hasher.write(u64::from(self.attempt_timeout.is_some()));
        hasher.write(self.attempt_timeout.unwrap_or_default().micros());
        self.backoff.hash_into(hasher);
        hasher.write(self.place as u64);
        hasher.write(u64::from(self.retries_permanent));
        hasher.write(self.at_end as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Purpose;
    use super::backoff::BackoffKind;
    use super::budget::{AwsQuota, AwsQuotaTerms, GrpcThrottle};
    use super::*;

    const KEY: DrawKey = DrawKey { origin: 1, role: 0, attempt: 1 };

    fn draws() -> Draws {
        Draws::new(1, Purpose::RetryJitter)
    }

    fn policy(attempts: AttemptsCap) -> RetryPolicy {
        let backoff = Backoff {
            kind: BackoffKind::Exponential,
            base: Span::from_seconds(1),
            cap: Span::from_seconds(60),
        };
        RetryPolicy { attempts, backoff, ..RetryPolicy::NONE }
    }

    fn failure(attempt: u64, kind: FailureKind) -> Failure {
        Failure { attempt, kind, previous_delay: None }
    }

    fn after(policy: &RetryPolicy, attempt: u64, kind: FailureKind) -> Verdict {
        policy.after_failure(&failure(attempt, kind), draws(), KEY)
    }

    #[test]
    fn the_cap_counts_the_first_attempt() {
        let three = policy(AttemptsCap::AtMost(3));
        let waits: Vec<_> = (1..=4).map(|attempt| after(&three, attempt, FailureKind::Transient)).collect();
        let used = Verdict::GiveUp(NoRetry::AttemptsUsed);
        let retry = |seconds| Verdict::RetryInPlace { after: Span::from_seconds(seconds) };
        assert_eq!(waits, [retry(1), retry(2), used, used]);
        for cap in [0, 1] {
            assert_eq!(after(&policy(AttemptsCap::AtMost(cap)), 1, FailureKind::TimedOut), used);
        }
        assert_eq!(after(&policy(AttemptsCap::Endless), u64::MAX, FailureKind::Throttled), retry(60));
    }

    #[test]
    fn place_and_end_are_those_of_the_policy() {
        let policy = RetryPolicy {
            place: RetryPlace::RetryQueue,
            at_end: AtEnd::DeadLetter,
            ..policy(AttemptsCap::AtMost(2))
        };
        let first = after(&policy, 1, FailureKind::Transient);
        assert_eq!(first, Verdict::RetryQueue { after: Span::from_seconds(1) });
        assert_eq!(after(&policy, 2, FailureKind::Transient), Verdict::DeadLetter(NoRetry::AttemptsUsed));
        assert_eq!(after(&policy, 1, FailureKind::Permanent), Verdict::DeadLetter(NoRetry::NotRetryable));
        let blind = RetryPolicy { retries_permanent: true, ..policy };
        assert_eq!(after(&blind, 1, FailureKind::Permanent), first);
    }

    #[test]
    fn an_attempt_is_cut_off_only_beyond_its_timeout() {
        let timeout = Some(Span::from_seconds(2));
        let policy = RetryPolicy { attempt_timeout: timeout, ..RetryPolicy::NONE };
        assert_eq!(policy.cut_off(Span::from_seconds(2)), None);
        assert_eq!(policy.cut_off(Span::from_micros(2_000_001)), timeout);
        assert_eq!(RetryPolicy::NONE.cut_off(Span::from_micros(u64::MAX)), None);
    }

    fn within(budget: &mut RetryBudget, attempt: u64, kind: FailureKind) -> (Verdict, bool) {
        let policy = policy(AttemptsCap::AtMost(3));
        let failure = failure(attempt, kind);
        let (verdict, payment) = policy.after_failure_within(budget, Instant::START, &failure, draws(), KEY);
        (verdict, payment.is_some())
    }

    #[test]
    fn a_throttle_hears_of_the_last_failure_too_but_not_of_permanent_ones() {
        let mut budget = RetryBudget::Throttle(GrpcThrottle::new(4_000, 0));
        assert!(within(&mut budget, 1, FailureKind::Transient).1, "3 of 4 tokens");
        let (verdict, is_paid) = within(&mut budget, 1, FailureKind::Permanent);
        assert_eq!((verdict, is_paid), (Verdict::GiveUp(NoRetry::NotRetryable), false));
        assert_eq!(within(&mut budget, 3, FailureKind::Transient).0, Verdict::GiveUp(NoRetry::AttemptsUsed));
        let RetryBudget::Throttle(throttle) = budget else { panic!("it stays a throttle") };
        assert_eq!(throttle.tokens_thousandths(), 2_000);
        assert_eq!(within(&mut budget, 1, FailureKind::Transient).0, Verdict::GiveUp(NoRetry::BudgetSpent));
    }

    #[test]
    fn a_quota_pays_only_for_a_retry_that_is_made() {
        let terms = AwsQuotaTerms { capacity: 20, ..AwsQuotaTerms::BOTOCORE_1_44_8 };
        let mut budget = RetryBudget::Quota(AwsQuota::new(terms));
        assert!(!within(&mut budget, 3, FailureKind::Transient).1, "all attempts are used");
        assert!(within(&mut budget, 1, FailureKind::Transient).1);
        let refused = (Verdict::GiveUp(NoRetry::BudgetSpent), false);
        assert_eq!(within(&mut budget, 2, FailureKind::Transient), refused);
        assert!(within(&mut budget, 2, FailureKind::Throttled).1, "5 of the 6 that are left");
    }
}
