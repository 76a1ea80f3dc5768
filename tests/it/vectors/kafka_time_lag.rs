//! `kafka-time-lag.json`: when an offset was the log's end, from the tests of kafka-lag-exporter.
//! Times of the file are taken as seconds.

use queue_lab::model::group::time_lag::{EndTimes, EndedThere, Point};
use queue_lab::model::time::{Instant, MICROS_PER_SECOND};
use serde_json::Value;

use super::VectorFile;
use super::fields::Fields;

/// The exporter's tests keep fewer points than this.
const POINTS_KEPT: usize = 100;

#[test]
fn times_of_offsets_agree_with_the_exporter() {
    let Some(mut file) = VectorFile::open("kafka-time-lag") else { return };
    file.root.prose(&["source", "definition", "rules"]);
    let cases = file.root.objects("cases");
    file.run("cases", cases, run_case);
    file.finish();
}

fn run_case(case: &Fields) {
    case.prose(&["name"]);
    let kept = case.optional_count("limit").and_then(|limit| usize::try_from(limit).ok());
    let mut table = EndTimes::keeping(kept.unwrap_or(POINTS_KEPT));
    for (count, pair) in (1..).zip(case.list("points_offset_time")) {
        let (log_end, at) = (whole(case, pair, 0), micros(case, &pair[1]));
        let (Ok(log_end), Ok(at)) = (u64::try_from(log_end), u64::try_from(at)) else {
            panic!("{}: {pair} is below zero", case.place())
        };
        table.record(Point { log_end, at: Instant::from_micros(at) });
        if count == 4 && case.has("stored_after_first_four") {
            assert_eq!(table.len() as u64, case.count("stored_after_first_four"), "{}", case.place());
        }
    }
    if case.has("stored") {
        assert_eq!(table.len() as u64, case.count("stored"), "{}", case.place());
    }
    for lookup in case.list("lookups") {
        assert_eq!(
            table.lookup(whole(case, lookup, 0)),
            wanted(case, &lookup[1]),
            "{}: {lookup}",
            case.place()
        );
    }
}

fn whole(case: &Fields, list: &Value, place: usize) -> i64 {
    list[place].as_i64().unwrap_or_else(|| panic!("{}: {list}", case.place()))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
fn micros(case: &Fields, seconds: &Value) -> i64 {
    let seconds = seconds.as_f64().unwrap_or_else(|| panic!("{}: {seconds} is no time", case.place()));
    (seconds * MICROS_PER_SECOND as f64).round() as i64
}

fn wanted(case: &Fields, value: &Value) -> EndedThere {
    match value.as_str() {
        None => EndedThere::Micros(micros(case, value)),
        Some("-Infinity") => EndedThere::LongBefore,
        Some("+Infinity") => EndedThere::LongAfter,
        Some("LagIsZero") => EndedThere::Now,
        Some("TooFewPoints") => EndedThere::TooFewPoints,
        Some(other) => panic!("{}: {other} is no answer", case.place()),
    }
}
