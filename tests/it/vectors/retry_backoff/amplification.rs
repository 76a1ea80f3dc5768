//! How many calls attempts in one and in several layers make, with a budget and without.

use queue_lab::model::retry::budget::RetryBudget;
use queue_lab::model::retry::layers::{LayeredAttempts, calls_at_bottom};
use queue_lab::model::retry::request_share::RequestShare;
use queue_lab::model::retry::{AttemptsCap, FailureKind, RetryPolicy};
use queue_lab::model::rng::{DrawKey, Draws, Purpose};
use queue_lab::model::time::{Instant, Span};

use super::super::VectorFile;
use super::super::fields::Fields;
use super::{Client, fraction, millionths, whole};

/// All of `amplification`.
pub fn amplification(file: &mut VectorFile) {
    let amplification = file.root.object("amplification");
    amplification.prose(&["rule"]);
    let mut run = |name: &str, check: fn(&Fields)| {
        file.run(&format!("amplification.{name}"), amplification.objects(name), check);
    };
    run("single_layer", single_layer);
    run("worst_case_layers", worst_case);
    run("independent_layers", independent_layers);
    run("with_retry_budget", with_retry_budget);
    amplification.all_were_read();
}

fn caps(layers: u64, max_attempts: u64) -> Vec<AttemptsCap> {
    (0..layers).map(|_| AttemptsCap::AtMost(max_attempts)).collect()
}

/// Walks through all calls that a request may make. Returns the mean number of calls where each
/// fails with a probability of its own, and the probability that all fail.
fn walk(caps: &[AttemptsCap], failure_probability: f64) -> (f64, f64) {
    let mut request = LayeredAttempts::new(caps);
    let (mut mean_calls, mut all_failed) = (1.0, failure_probability);
    while request.next_after_failure().is_some() {
        mean_calls += all_failed;
        all_failed *= failure_probability;
    }
    (mean_calls, all_failed)
}

fn is_close(case: &Fields, found: f64, wanted: f64) {
    let allowed = 1e-12 * wanted.abs();
    assert!((found - wanted).abs() <= allowed, "{}: {found}, not {wanted}", case.place());
}

fn single_layer(case: &Fields) {
    let caps = caps(1, case.count("max_attempts"));
    let (mean_calls, all_failed) = walk(&caps, case.number("failure_probability"));
    is_close(case, mean_calls, case.number("expected_attempts_per_request"));
    is_close(case, mean_calls, fraction(case.text("exact")));
    is_close(case, all_failed, case.number("probability_all_fail"));
}

fn worst_case(case: &Fields) {
    let caps = caps(case.count("layers"), case.count("max_attempts"));
    let wanted = case.count("worst_case_calls_at_bottom");
    assert_eq!(calls_at_bottom(&caps, None), Some(wanted), "{}", case.place());
    let mut request = LayeredAttempts::new(&caps);
    while request.next_after_failure().is_some() {}
    assert_eq!(request.calls(), wanted, "{}", case.place());
}

fn independent_layers(case: &Fields) {
    let caps = caps(case.count("layers"), case.count("max_attempts"));
    let (mean_calls, all_failed) = walk(&caps, case.number("bottom_failure_probability"));
    is_close(case, mean_calls, case.number("expected_bottom_calls"));
    is_close(case, mean_calls, fraction(case.text("exact")));
    is_close(case, all_failed, case.number("end_to_end_failure"));
}

const SECONDS: u64 = 100;

fn with_retry_budget(case: &Fields) {
    let share = RequestShare::new(Span::from_seconds(10), 0, millionths(case.number("budget_ratio")));
    calls_per_second(case, "no_budget_calls_per_s", RetryBudget::Unlimited);
    calls_per_second(case, "budget_calls_per_s", RetryBudget::Share(share));
}

/// Runs requests at equal gaps; each call fails by a draw of its own.
#[allow(clippy::cast_precision_loss)]
fn calls_per_second(case: &Fields, key: &str, budget: RetryBudget) {
    let attempts = AttemptsCap::AtMost(case.count("max_attempts"));
    let mut client =
        Client { policy: RetryPolicy { attempts, ..RetryPolicy::NONE }, budget, server_calls: 0 };
    let probability = case.number("failure_probability");
    let (draws, limit) = (Draws::new(5, Purpose::ServiceTime), millionths(probability));
    let fails = |call| draws.up_to(DrawKey { origin: call, role: 0, attempt: 1 }, 999_999) < limit;
    let requests = whole(case.number("requests_per_s")) * SECONDS;
    for request in 0..requests {
        let now = Instant::from_micros(request * SECONDS * 1_000_000 / requests);
        let _ = client.request(now, |call| fails(call).then_some(FailureKind::Transient));
    }
    let (found, wanted) = (client.server_calls as f64 / SECONDS as f64, case.number(key));
    // Exact where nothing is left to chance, but for one call at the end.
    let is_certain = [0.0, 1.0].contains(&probability);
    let allowed = if is_certain { 1.0 / SECONDS as f64 + 1e-9 } else { 0.03 * wanted };
    assert!((found - wanted).abs() <= allowed, "{}: {key} is {found}, not {wanted}", case.place());
}
