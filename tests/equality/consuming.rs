//! Runs over what goes on around the work: crashes and cold starts, an autoscaler, deadlines and
//! wrong results.

use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::scenario::Scenario;

use super::trouble::{every, settings};

/// Name, scenario and model seconds of each run.
pub fn runs() -> Vec<(&'static str, Scenario, u64)> {
    vec![
        ("autoscaler-crash-loops-cold-starts", scaled(), 1_200),
        ("deadlines-wrong-results-redrive", late(), 1_000),
        ("budget-finagle", budget("finagle", "queue"), 900),
        ("budget-aws-retry-queue", budget("aws", "retry-queue"), 900),
        ("budget-grpc-in-place", budget("grpc", "in-place"), 900),
    ]
}

fn consumer(turn: u64, count: u64) -> Command {
    let does = match turn % 5 {
        0 | 2 => ConsumerDoes::Crash,
        1 => ConsumerDoes::CrashLoop,
        3 => ConsumerDoes::Hang,
        _ => ConsumerDoes::Restart,
    };
    Command::Consumer { pool: 0, number: u16::try_from(turn % count).unwrap_or_default(), does }
}

fn scaled() -> Scenario {
    let dials = [
        ("autoscale", "cpu"),
        ("scale_cpu", "60"),
        ("scale_interval", "7"),
        ("scale_down", "40"),
        ("workers_max", "30"),
        ("workers", "4"),
        ("restart", "2.5"),
        ("cold_start", "1.3"),
        ("cold_calls", "4"),
        ("downstream", "80"),
        ("p", "50"),
        ("c", "9"),
        ("arrivals", "poisson"),
        ("work", "exponential"),
        ("capacity", "none"),
        ("deadline", "5"),
    ];
    let command = |turn: u64| match turn % 11 {
        5 => Command::StopConsumers { pool: 0 },
        6 => Command::StartConsumers { pool: 0 },
        10 => Command::DeployFix,
        _ => consumer(turn, 9),
    };
    Scenario::with_settings(settings(&dials)).with_commands(every(8, 1_190, command))
}

fn late() -> Scenario {
    let dials = [
        ("broker", "sqs-standard"),
        ("visibility", "1"),
        ("deadline", "4"),
        ("late", "skipped"),
        ("wrong", "7"),
        ("dedupe", "after"),
        ("batch", "3"),
        ("batch_cost", "0.05"),
        ("fail", "10"),
        ("deliveries", "3"),
        ("dlq", "kept"),
        ("p", "40"),
        ("c", "5"),
        ("workers", "8"),
        ("work", "log-normal"),
        ("arrivals", "bursts"),
        ("overflow", "block"),
        ("capacity", "150"),
    ];
    let redrive = Command::Redrive {
        from: queue_lab::model::broker::QueueIndex(1),
        to: queue_lab::model::broker::QueueIndex(0),
        rate: None,
    };
    let command = |turn: u64| if turn % 4 == 3 { redrive } else { consumer(turn, 8) };
    Scenario::with_settings(settings(&dials)).with_commands(every(12, 990, command))
}

fn budget(kind: &'static str, retry: &'static str) -> Scenario {
    let dials = [
        ("budget", kind),
        ("retry", retry),
        ("backoff", "full-jitter"),
        ("delay", "0.2"),
        ("fail", "12"),
        ("downstream", "90"),
        ("downstream_fail", "20"),
        ("timeout", "0.4"),
        ("layers", "2"),
        ("tries", "3"),
        ("p", "40"),
        ("c", "30"),
        ("workers", "12"),
        ("arrivals", "poisson"),
        ("capacity", "200"),
        ("dlq", "kept"),
    ];
    Scenario::with_settings(settings(&dials)).with_commands(every(9, 890, |turn| consumer(turn, 12)))
}
