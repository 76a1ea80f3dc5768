//! The budgets of the AWS SDKs, of gRPC and of Finagle.

use queue_lab::model::retry::backoff::Backoff;
use queue_lab::model::retry::budget::{AwsQuota, AwsQuotaTerms, GrpcThrottle, Payment, RetryBudget};
use queue_lab::model::retry::request_share::RequestShare;
use queue_lab::model::retry::{AttemptsCap, FailureKind, NoRetry, RetryPolicy, Verdict};
use queue_lab::model::time::{Instant, Span};
use serde_json::Value;

use super::super::VectorFile;
use super::super::fields::Fields;
use super::{Client, millionths, span_of_millis, whole};

/// Tokens in thousandths.
fn thousandths(tokens: f64) -> u64 {
    whole(tokens * 1_000.0)
}

/// All of `aws_sdk_standard`.
pub fn aws_sdk_standard(file: &mut VectorFile) {
    let sdk = file.root.object("aws_sdk_standard");
    sdk.prose(&["how", "rule", "backoff"]);
    constants(&sdk.object("constants"));
    let attempts = AttemptsCap::AtMost(sdk.count("max_attempts_default"));
    assert_eq!(AttemptsCap::AWS_STANDARD, attempts);
    file.run("aws_sdk_standard.quota_sequences", sdk.objects("quota_sequences"), quota_sequence);
    file.run("aws_sdk_standard.exhaustion", sdk.objects("exhaustion"), exhaustion);
    file.run("aws_sdk_standard.backoff_pinned_random", sdk.objects("backoff_pinned_random"), pinned_random);
    sdk.all_were_read();
}

fn constants(constants: &Fields) {
    constants.prose(&["botocore_version"]);
    let now = AwsQuotaTerms {
        capacity: constants.count("INITIAL_CAPACITY"),
        transient_cost: constants.count("RETRY_COST"),
        throttled_cost: constants.count("THROTTLING_RETRY_COST"),
        // Timeouts have no cost of their own there.
        timed_out_cost: constants.count("RETRY_COST"),
        clean_success_gain: constants.count("NO_RETRY_INCREMENT"),
    };
    assert_eq!(AwsQuotaTerms::BOTOCORE_1_44_8, now);
    let before = constants.object("before_2026");
    before.prose(&["source"]);
    let terms = AwsQuotaTerms {
        capacity: before.count("INITIAL"),
        transient_cost: before.count("RETRY_COST"),
        // Throttling had no cost of its own there.
        throttled_cost: before.count("RETRY_COST"),
        timed_out_cost: before.count("TIMEOUT_RETRY_COST"),
        clean_success_gain: before.count("NO_RETRY_INCREMENT"),
    };
    assert_eq!(AwsQuotaTerms::BEFORE_2026, terms);
    before.all_were_read();
    constants.all_were_read();
}

/// A full quota in which every retry costs what the case says.
fn quota(case: &Fields, capacity: u64) -> AwsQuota {
    AwsQuota::new(AwsQuotaTerms {
        capacity,
        transient_cost: case.count("cost"),
        ..AwsQuotaTerms::BOTOCORE_1_44_8
    })
}

fn quota_sequence(case: &Fields) {
    let mut quota = quota(case, case.count("capacity"));
    let mut last_payment: Option<Payment> = None;
    for step in case.objects("steps") {
        match step.text("op") {
            "fail" => {
                let payment = quota.take(FailureKind::Transient);
                assert_eq!(payment.is_some(), step.flag("retry_allowed"), "{}", step.place());
                last_payment = payment.or(last_payment);
            }
            "success_after_retry" => {
                assert!(last_payment.is_some(), "{}: there was no retry", step.place());
                quota.succeed(last_payment);
            }
            "success_first_try" => quota.succeed(None),
            op => panic!("{}: {op} is not known", step.place()),
        }
        assert_eq!(quota.tokens(), step.count("tokens"), "{}", step.place());
        step.all_were_read();
    }
}

fn exhaustion(case: &Fields) {
    let mut quota = quota(case, AwsQuotaTerms::BOTOCORE_1_44_8.capacity);
    let mut retries = 0;
    while quota.take(FailureKind::Transient).is_some() {
        retries += 1;
    }
    assert_eq!(retries, case.count("consecutive_retries_before_refusal"), "{}", case.place());
    assert_eq!(quota.tokens(), case.count("tokens_left"), "{}", case.place());
}

/// The wait where the generator gives one and the same number.
fn pinned_random(case: &Fields) {
    let share = millionths(case.number("random"));
    let delays = case.object("delay_s_by_attempt");
    for name in delays.keys() {
        let attempt: u64 = name.parse().unwrap_or_else(|_| panic!("{}: attempt {name}", delays.place()));
        let range = Backoff::AWS_STANDARD.range(attempt - 1, None);
        let wanted = span_of_millis(delays.number(&name) * 1_000.0);
        assert_eq!(range.at_millionths(share), wanted, "{}: {name}", delays.place());
    }
    delays.all_were_read();
}

/// All of `grpc`.
pub fn grpc(file: &mut VectorFile) {
    let grpc = file.root.object("grpc");
    grpc.prose(&["source", "rule", "backoff"]);
    file.run("grpc.unit_cases", grpc.objects("unit_cases"), throttle_steps);
    file.run("grpc.end_to_end", vec![grpc.object("end_to_end")], throttled_calls);
    file.run("grpc.max_attempts_end_to_end", vec![grpc.object("max_attempts_end_to_end")], capped_calls);
    grpc.all_were_read();
}

fn throttle(case: &Fields) -> GrpcThrottle {
    GrpcThrottle::new(thousandths(case.number("maxTokens")), thousandths(case.number("tokenRatio")))
}

fn throttle_steps(case: &Fields) {
    let mut throttle = throttle(case);
    let columns = case.texts("columns");
    for (index, step) in case.list("steps").iter().enumerate() {
        let place = format!("{} / step {index}", case.place());
        let values = step.as_array().unwrap_or_else(|| panic!("{place} is no list"));
        assert_eq!(values.len(), columns.len(), "{place}");
        for (column, value) in columns.iter().zip(values) {
            throttle_column(&mut throttle, column, value, &place);
        }
    }
}

/// What a column of a step does or says; they come in the order in which things happen.
fn throttle_column(throttle: &mut GrpcThrottle, column: &str, value: &Value, place: &str) {
    match (column, value) {
        ("outcome", Value::String(outcome)) if outcome == "fail" => throttle.fail(),
        ("outcome", Value::String(outcome)) if outcome == "ok" => throttle.succeed(),
        ("tokens_after", Value::Number(tokens)) => {
            assert_eq!(Some(throttle.tokens_thousandths()), tokens.as_f64().map(thousandths), "{place}");
        }
        ("retry_allowed", Value::Bool(is_allowed)) => {
            assert_eq!(throttle.allows_retry(), *is_allowed, "{place}");
        }
        // A success needs no retry.
        ("retry_allowed", Value::Null) => {}
        _ => panic!("{place}: {column} {value} is not known"),
    }
}

fn numbers(case: &Fields, key: &str) -> Vec<f64> {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{}: {key}", case.place()));
    case.list(key).iter().map(number).collect()
}

fn indices(case: &Fields, key: &str) -> Vec<u64> {
    numbers(case, key).into_iter().map(whole).collect()
}

fn grpc_client(case: &Fields, budget: RetryBudget) -> Client {
    let attempts = AttemptsCap::grpc(case.count("maxAttempts"));
    Client { policy: RetryPolicy { attempts, ..RetryPolicy::NONE }, budget, server_calls: 0 }
}

fn throttled_calls(case: &Fields) {
    case.prose(&["note"]);
    let mut client = grpc_client(case, RetryBudget::Throttle(throttle(case)));
    let succeeding = indices(case, "server_call_index_that_succeeds");
    let outcome = |call| (!succeeding.contains(&call)).then_some(FailureKind::Transient);
    let (calls, tokens) = (case.objects("client_calls"), numbers(case, "tokens_after_each"));
    assert_eq!(calls.len(), tokens.len(), "{}", case.place());
    for (call, tokens) in calls.iter().zip(tokens) {
        client_call(call, &mut client, outcome);
        let RetryBudget::Throttle(throttle) = client.budget else { panic!("it stays a throttle") };
        assert_eq!(throttle.tokens_thousandths(), thousandths(tokens), "{}", call.place());
    }
}

fn capped_calls(case: &Fields) {
    case.prose(&["source"]);
    assert_eq!(case.text("others"), "retryable error", "{}", case.place());
    let mut client = grpc_client(case, RetryBudget::Unlimited);
    let succeeding = indices(case, "server_call_index_that_succeeds");
    let permanent = indices(case, "server_call_index_non_retryable");
    let outcome = |call| match (succeeding.contains(&call), permanent.contains(&call)) {
        (true, _) => None,
        (false, true) => Some(FailureKind::Permanent),
        (false, false) => Some(FailureKind::Transient),
    };
    case.objects("client_calls").iter().for_each(|call| client_call(call, &mut client, outcome));
}

/// One request of the client, whose status is the one its last call got.
fn client_call(call: &Fields, client: &mut Client, outcome: impl Fn(u64) -> Option<FailureKind>) {
    let verdict = client.request(Instant::START, outcome);
    let is_as_told = match call.text("result") {
        "OK" => verdict.is_none(),
        "INTERNAL" => verdict == Some(Verdict::GiveUp(NoRetry::NotRetryable)),
        // Retryable, with no attempt or no token left.
        "UNAVAILABLE" | "ALREADY_EXISTS" => [NoRetry::AttemptsUsed, NoRetry::BudgetSpent]
            .map(|why| Some(Verdict::GiveUp(why)))
            .contains(&verdict),
        result => panic!("{}: {result} is not known", call.place()),
    };
    assert!(is_as_told, "{}: {verdict:?}", call.place());
    assert_eq!(client.server_calls, call.count("last_server_call") + 1, "{}", call.place());
    call.all_were_read();
}

/// All of `finagle`.
pub fn finagle(file: &mut VectorFile) {
    let finagle = file.root.object("finagle");
    finagle.prose(&["source", "rule", "note"]);
    file.run("finagle.cases", finagle.objects("cases"), request_share);
    finagle.all_were_read();
}

/// Time stands still during a case.
fn request_share(case: &Fields) {
    let ttl = Span::from_seconds(case.count("ttl_s"));
    let share = millionths(case.number("percent_can_retry"));
    let mut budget = RequestShare::new(ttl, case.count("min_retries_per_s"), share);
    let now = Instant::START;
    let requests = case.count("requests");
    if let Some(balance) = case.optional_count("balance_after_deposits") {
        (0..requests).for_each(|_| budget.deposit(now));
        assert_eq!(budget.balance(now), balance, "{}", case.place());
        return;
    }
    assert_eq!(budget.balance(now), case.count("initial_balance"), "{}", case.place());
    let mut retries = 0;
    for _ in 0..requests {
        budget.deposit(now);
        retries += u64::from(budget.withdraw(now));
    }
    let allowed = case.count("retries_allowed");
    assert!(
        retries.abs_diff(allowed) <= case.count("tolerance"),
        "{}: {retries}, not {allowed}",
        case.place()
    );
}
