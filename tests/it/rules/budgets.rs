//! Retry budgets in a run.

use queue_lab::model::event::EventKind;
use queue_lab::model::simulation::Simulation;

use super::{does, run, set, to};

/// One message a second that always fails, tried again in place without end.
fn always_failing(more: &[(&str, &str)]) -> Simulation {
    let dials = [
        ("fail", "100"),
        ("retry", "in-place"),
        ("delay", "0.01"),
        ("dlq", "kept"),
        ("p", "1"),
        ("c", "1000"),
    ];
    run(&[&dials[..], more].concat())
}

/// Attempts that failed, retries refused, and dead letters.
fn outcome(simulation: &Simulation) -> (u64, u64, u64) {
    let totals = simulation.totals();
    (totals.failed_attempts, totals.retries_refused, simulation.ledger().dead_letters)
}

fn left(simulation: &Simulation) -> Option<u64> {
    simulation.snapshot().network.pools[0].retries_left
}

#[test]
fn a_budget_ends_retries_where_everything_fails_and_then_each_message_fails_at_once() {
    // 10 messages. gRPC: 10 tokens, a failure takes one, retries above 5: 4 of them.
    // AWS: 500 tokens, 14 for a retry: 35 of them.
    for (budget, retries) in [("grpc", 4), ("aws", 35)] {
        let mut spent = always_failing(&[("budget", budget)]);
        assert_eq!(left(&spent), Some(retries));
        to(&mut spent, 10_500);
        assert_eq!(outcome(&spent), (10 + retries, 10, 10), "{budget}");
        assert_eq!(left(&spent), Some(0));
        let refused = spent.journal().last().filter(|event| event.kind == EventKind::RetryRefused);
        assert_eq!(refused.count(), 10);
    }
    // Finagle: 100 within 10 seconds, and 0.2 for each of 8 messages.
    let mut share = always_failing(&[("budget", "finagle")]);
    to(&mut share, 8_500);
    assert_eq!(outcome(&share), (8 + 101, 8, 8));
    // Without one the first message is tried for ever.
    let mut endless = always_failing(&[]);
    to(&mut endless, 8_500);
    assert_eq!((outcome(&endless).1, left(&endless)), (0, None));
    assert!(outcome(&endless).0 > 600);
}

#[test]
fn a_success_gives_the_quota_back_what_its_retry_paid() {
    let mut paid = always_failing(&[("budget", "aws"), ("delay", "0.5")]);
    to(&mut paid, 1_200);
    assert_eq!(left(&paid), Some(34), "486 tokens");
    does(&mut paid, &[set("fail", "0")]);
    to(&mut paid, 1_900);
    assert_eq!((left(&paid), paid.ledger().done), (Some(35), 1));
}

#[test]
fn a_throttle_allows_retries_again_after_enough_successes() {
    let mut throttled = always_failing(&[("budget", "grpc"), ("p", "10")]);
    to(&mut throttled, 1_950);
    // 19 messages failed: no token is left.
    does(&mut throttled, &[set("fail", "0")]);
    to(&mut throttled, 7_950);
    // 60 successes: 6 tokens, which is above the half, but not after another failure.
    does(&mut throttled, &[set("fail", "100")]);
    let before = outcome(&throttled).0;
    to(&mut throttled, 8_050);
    assert_eq!(outcome(&throttled).0 - before, 1);
    does(&mut throttled, &[set("fail", "0")]);
    to(&mut throttled, 10_050);
    // 20 more: 7 tokens. A failure leaves 6, and one retry is made.
    does(&mut throttled, &[set("fail", "100")]);
    let before = outcome(&throttled).0;
    to(&mut throttled, 10_150);
    assert_eq!(outcome(&throttled).0 - before, 2);
}

#[test]
fn a_budget_takes_the_amplification_out_of_layers() {
    let dials = [
        ("downstream", "1000"),
        ("downstream_fail", "100"),
        ("layers", "3"),
        ("tries", "3"),
        ("attempts", "1"),
    ];
    let asked = |more: &[(&str, &str)]| {
        let mut called = run(&[&dials[..], &[("p", "1"), ("c", "1000")], more].concat());
        to(&mut called, 10_500);
        called.downstream().map(|shared| shared.asked())
    };
    assert_eq!(asked(&[]), Some(270), "27 for each of 10 messages");
    assert_eq!(asked(&[("budget", "grpc")]), Some(14), "4 retries, and 10 calls");
}
