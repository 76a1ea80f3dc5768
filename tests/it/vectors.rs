//! Reference vectors that other programs produced, run against the model.
//!
//! Every file is read from the folder that `QUEUE_LAB_VECTORS` names, or else from
//! `tests/vectors`. A file that is absent is skipped, and it is said. Harness code only
//! translates: it holds no queue, routes nothing and counts nothing but its cases. A field or an
//! operation that the harness does not know fails the case, and a case may be left out only by a
//! line of [`left_out::LEFT_OUT`].

mod burrow_status;
mod closeness;
mod fields;
mod fluid_backlog;
mod kafka_assignors;
mod kafka_log;
mod kafka_partitioner;
mod kafka_time_lag;
mod left_out;
mod overflow_strategies;
mod prometheus_alerts;
mod queueing_theory;
mod rabbitmq_recorded;
mod retry_backoff;
mod sqs_aws_validated;

use std::path::PathBuf;

use fields::Fields;
use serde_json::{Map, Value};

/// One vector file while its cases run.
struct VectorFile {
    name: &'static str,
    root: Fields,
    ran: usize,
    left_out: usize,
}

impl VectorFile {
    /// Opens `name`.json; `None`, and a line that says so, where the folder does not have it.
    fn open(name: &'static str) -> Option<Self> {
        let folder = std::env::var_os("QUEUE_LAB_VECTORS")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"), PathBuf::from);
        let path = folder.join(format!("{name}.json"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("{name}: no such file, skipped");
            return None;
        };
        let root: Map<String, Value> =
            serde_json::from_str(&text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        Some(Self { name, root: Fields::new(name.to_owned(), root), ran: 0, left_out: 0 })
    }

    /// Runs every case of `cases`, which came from the array called `array`. A case is known by
    /// its name where it has one (`name` or `test`, with its `queue_type` or `assignor`), or else by its index.
    fn run(&mut self, array: &str, cases: Vec<Fields>, run: impl Fn(&Fields)) {
        for (index, case) in cases.into_iter().enumerate() {
            let case_name = case.case_name().unwrap_or_else(|| index.to_string());
            if let Some(reason) = left_out::reason(self.name, array, &case_name) {
                println!("{} / {array} / {case_name}: left out, {reason}", self.name);
                self.left_out += 1;
                continue;
            }
            run(&case);
            case.all_were_read();
            self.ran += 1;
        }
    }

    /// Says how many cases ran; fails where none did, or where a part of the file was not read.
    fn finish(self) {
        println!("{}: {} cases ran, {} left out", self.name, self.ran, self.left_out);
        assert!(self.ran > 0, "{}: not one case", self.name);
        self.root.all_were_read();
    }
}
