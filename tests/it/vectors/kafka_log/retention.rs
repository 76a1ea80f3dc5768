//! Which segments are deleted.

use queue_lab::model::partitioned_log::Partition;
use queue_lab::model::partitioned_log::rules::LogRules;
use queue_lab::model::time::{Instant, Span};
use serde_json::Value;

use super::super::fields::Fields;
use super::{PartitionedLog, record};

/// When retention runs: long after the run's start.
const NOW: Instant = Instant::from_seconds(30 * 86_400);

/// One case: records of one byte, all at the same instant.
pub fn run_case(case: &Fields) {
    case.prose(&["test", "note"]);
    let records = case.count("records");
    let mut log = PartitionedLog::new(rules(case), 1);
    (0..records).for_each(|number| _ = log.append(appended_at(case), None, record(number)));
    hold_high_watermark(case, &mut log);
    let before = segments(&log);
    assert_eq!(before, case.optional_count("segments_before").unwrap_or(before), "{}", case.place());
    log.expire(NOW);
    let after = segments(&log);
    assert_eq!(after, case.optional_count("segments_after").unwrap_or(after), "{}", case.place());
    if let Some(deleted) = case.optional_count("segments_deleted") {
        assert_eq!(before - after, deleted, "{}", case.place());
    }
    if case.has("steps") {
        case.objects("steps").iter().for_each(|step| delete_records(&mut log, step));
    }
    if let Some(log_start) = case.optional_count("log_start") {
        assert_eq!(partition(&log).log_start_offset(), log_start, "{}", case.place());
    }
}

fn rules(case: &Fields) -> LogRules {
    let policy = case.optional_text("cleanup_policy").unwrap_or("delete");
    LogRules {
        segment_bytes: case.count("records_per_segment"),
        retention_bytes: case.optional_count("retention_bytes_in_records"),
        retention_time: case.optional_count("retention_ms").map(Span::from_millis),
        deletes: policy.split(',').any(|part| part.trim() == "delete"),
        ..LogRules::default()
    }
}

fn appended_at(case: &Fields) -> Instant {
    assert_eq!(case.optional_text("now").unwrap_or("far later"), "far later", "{}", case.place());
    if let Some(age) = case.optional_count("record_age_ms") {
        return NOW - Span::from_millis(age);
    }
    match case.value("record_timestamp_ms") {
        Some(Value::String(text)) if text == "now" => NOW,
        Some(_) => Instant::START + Span::from_millis(case.count("record_timestamp_ms")),
        // Where no time of the records is given, they are old.
        None => Instant::START,
    }
}

fn hold_high_watermark(case: &Fields, log: &mut PartitionedLog) {
    let held = match case.value("high_watermark") {
        None => None,
        Some(Value::String(text)) if text == "none" => Some(0),
        Some(_) => Some(case.count("high_watermark")),
    };
    log.partition_mut(0).expect("it has one").hold_high_watermark(held);
}

fn partition(log: &PartitionedLog) -> &Partition {
    log.partition(0).expect("it has one")
}

fn segments(log: &PartitionedLog) -> u64 {
    partition(log).segments().count() as u64
}

fn delete_records(log: &mut PartitionedLog, step: &Fields) {
    log.partition_mut(0).expect("it has one").delete_records(step.count("delete_records_before"));
    assert_eq!(segments(log), step.count("segments"), "{}", step.place());
    assert_eq!(partition(log).log_start_offset(), step.count("log_start"), "{}", step.place());
    step.all_were_read();
}
