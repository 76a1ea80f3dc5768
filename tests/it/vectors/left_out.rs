//! The cases that are left out, each with its reason.

/// One case that does not run.
pub struct LeftOut {
    /// The file, without `.json`.
    pub file: &'static str,
    /// The array in it.
    pub array: &'static str,
    /// The case's name with its queue type in brackets, or its index where it has no name.
    pub case: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// All of them.
pub const LEFT_OUT: &[LeftOut] = &[
    LeftOut {
        file: "overflow-strategies",
        array: "akka.cases",
        case: "1",
        reason: "dropTail: dropping the youngest that waits is not offered",
    },
    LeftOut {
        file: "overflow-strategies",
        array: "akka.cases",
        case: "2",
        reason: "dropBuffer: dropping all that wait is not offered",
    },
    LeftOut {
        file: "overflow-strategies",
        array: "akka.cases",
        case: "4",
        reason: "fail: a queue that ends for everybody is not offered",
    },
    LeftOut {
        file: "overflow-strategies",
        array: "recorded_rust.cases",
        case: "4",
        reason: "watch: a cell that keeps its value after it was read is no queue",
    },
    LeftOut {
        file: "sqs-aws-validated",
        array: "scenarios",
        case: "test_sqs_move_task.py::test_start_multiple_move_tasks",
        reason: "the script names queues and dead letters that it does not create; the rule has a test of its own",
    },
];

/// Why the case is left out, if it is.
pub fn reason(file: &str, array: &str, case: &str) -> Option<&'static str> {
    let is_this = |line: &&LeftOut| (line.file, line.array, line.case) == (file, array, case);
    LEFT_OUT.iter().find(is_this).map(|line| line.reason)
}
