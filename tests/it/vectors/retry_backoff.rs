//! `retry-backoff.json`: waits, budgets and amplification of retries, against published code that
//! was run, tests of its authors and exact arithmetic.

mod amplification;
mod budgets;
mod contended_row;
mod waits;

use queue_lab::model::retry::budget::{Payment, RetryBudget};
use queue_lab::model::retry::{Failure, FailureKind, RetryPolicy, Verdict};
use queue_lab::model::rng::{DrawKey, Draws, Purpose};
use queue_lab::model::time::{Instant, Span};

use super::VectorFile;

#[test]
fn retry_backoff() {
    let Some(mut file) = VectorFile::open("retry-backoff") else { return };
    waits::jitter(&mut file);
    contended_row::outcomes(&mut file);
    budgets::aws_sdk_standard(&mut file);
    budgets::grpc(&mut file);
    budgets::finagle(&mut file);
    amplification::amplification(&mut file);
    file.finish();
}

/// A number of milliseconds that is a whole number of microseconds.
fn span_of_millis(millis: f64) -> Span {
    Span::from_micros(whole(millis * 1_000.0))
}

/// A share from 0 to 1 (or more), in millionths.
fn millionths(share: f64) -> u64 {
    whole(share * 1_000_000.0)
}

/// A number that is whole but for the rounding of floats.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(number: f64) -> u64 {
    assert!(number >= 0.0 && (number - number.round()).abs() < 1e-6, "{number} is not whole");
    number.round() as u64
}

/// A fraction such as `7/4`.
fn fraction(text: &str) -> f64 {
    let number = |part: &str| part.parse::<f64>().unwrap_or_else(|_| panic!("{text} is no fraction"));
    match text.split_once('/') {
        Some((above, below)) => number(above) / number(below),
        None => number(text),
    }
}

/// Mean and standard deviation.
#[allow(clippy::cast_precision_loss)]
fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

fn jitter_draws(seed: u64) -> Draws {
    Draws::new(seed, Purpose::RetryJitter)
}

/// A client whose requests follow a policy within a budget; its calls reach a server at once.
struct Client {
    policy: RetryPolicy,
    budget: RetryBudget,
    /// Calls that reached the server.
    server_calls: u64,
}

impl Client {
    /// One request, of which call `n` (from 0 over all requests) ends as `outcome` says. Returns
    /// why it failed, if it did.
    fn request(&mut self, now: Instant, outcome: impl Fn(u64) -> Option<FailureKind>) -> Option<Verdict> {
        let mut last_payment: Option<Payment> = None;
        self.budget.request(now);
        for attempt in 1.. {
            let call = self.server_calls;
            self.server_calls += 1;
            let Some(kind) = outcome(call) else {
                self.budget.record_success(last_payment);
                return None;
            };
            let failure = Failure { attempt, kind, previous_delay: None };
            let key = DrawKey { origin: call, role: 0, attempt };
            let (verdict, payment) =
                self.policy.after_failure_within(&mut self.budget, now, &failure, jitter_draws(1), key);
            if verdict.retry_after().is_none() {
                return Some(verdict);
            }
            last_payment = payment;
        }
        unreachable!("attempts do not run out of numbers")
    }
}
