//! `kafka-log.json`: lag, resets of offsets, retention, offsets out of range and the backoff of
//! clients, from Kafka's own tests and source, on the product's log and groups.

mod offset_reset;
mod retention;

use std::cell::RefCell;
use std::collections::BTreeMap;

use queue_lab::model::group::GroupTimers;
use queue_lab::model::group::offsets::{
    FetchExtremes, GroupOffsets, NoOffset, OffsetPolicy, PartitionOffsets, beginning,
};
use queue_lab::model::message::MessageId;
use queue_lab::model::partitioned_log::idempotence::BATCHES_RETAINED;
use queue_lab::model::partitioned_log::rules::LogRules;
use queue_lab::model::partitioned_log::{Append, Partition, PartitionedLog};
use queue_lab::model::retry::backoff::client::ClientBackoff;
use queue_lab::model::time::{Instant, Span};

use super::VectorFile;
use super::fields::Fields;

#[test]
fn logs_and_offsets_do_what_kafka_does() {
    let Some(mut file) = VectorFile::open("kafka-log") else { return };
    // What the model does about poison, dead letters, share groups and partitions has its own tests.
    file.root.prose(&["partitions", "share_groups", "connect_dead_letter", "poison_record"]);
    timers(&file.root.object("timers"));
    let idempotent = file.root.object("idempotent_producer");
    idempotent.prose(&["source", "rules"]);
    assert_eq!(idempotent.count("batches_retained"), BATCHES_RETAINED as u64);
    idempotent.all_were_read();
    let extremes = RefCell::default();
    run_part(&mut file, "lag", |case| lag(case, &extremes));
    run_part(&mut file, "reset_offsets", offset_reset::run_case);
    run_part(&mut file, "retention", retention::run_case);
    run_part(&mut file, "committed_below_log_start", out_of_range);
    run_part(&mut file, "exponential_backoff", backoff);
    file.finish();
}

/// All cases of a part of the file.
fn run_part(file: &mut VectorFile, part: &str, run: impl Fn(&Fields)) {
    let object = file.root.object(part);
    object.prose(&["source", "definitions", "rules", "rule", "note"]);
    file.run(&format!("{part}.cases"), object.objects("cases"), run);
    object.all_were_read();
}

fn timers(wanted: &Fields) {
    wanted.prose(&[
        "source",
        "partition_assignment_strategy_default",
        "max_poll_records",
        "auto_commit_interval_ms",
    ]);
    let (found, backoff) = (GroupTimers::default(), ClientBackoff::KAFKA);
    for (name, found) in [
        ("heartbeat_interval_ms", found.heartbeat_interval),
        ("session_timeout_ms", found.session_timeout),
        ("max_poll_interval_ms", found.poll_interval_max),
    ] {
        assert_eq!(found, Span::from_millis(wanted.count(name)), "{name}");
    }
    assert_eq!(
        client_backoff(&wanted.object("client_retry_backoff"), ["initial_ms", "base", "max_ms"]),
        backoff
    );
    wanted.all_were_read();
}

/// A partition whose readable records are those from `log_start` to before `log_end`.
fn partition(log_start: u64, log_end: u64) -> Partition {
    let mut log = PartitionedLog::new(LogRules::default(), 1);
    (0..log_end).for_each(|number| _ = log.append(Instant::from_seconds(number), None, record(number)));
    let partition = log.partition_mut(0).expect("it has one");
    partition.delete_records(log_start);
    assert_eq!((partition.log_start_offset(), partition.log_end_offset()), (log_start, log_end));
    partition.clone()
}

/// A record of one byte.
fn record(number: u64) -> Append {
    Append { id: MessageId::new(0, number), bytes: 1, luggage: None }
}

/// The cases of one test go on from one another: what its client measured before counts.
fn lag(case: &Fields, extremes: &RefCell<BTreeMap<String, FetchExtremes>>) {
    let position = case.count("position");
    if case.has("fetched_offsets") {
        let next =
            case.list("fetched_offsets").last().and_then(serde_json::Value::as_u64).map(|last| last + 1);
        assert_eq!(next, Some(position), "{}", case.place());
    }
    let log_start = case.optional_count("log_start_offset").unwrap_or_default();
    let log_end = case.optional_count("high_watermark").unwrap_or(position);
    let partition = partition(log_start, log_end);
    let mut offsets = GroupOffsets::new(OffsetPolicy::Latest);
    offsets.seek(0, position);
    let at: PartitionOffsets = offsets.of(0);
    let mut extremes = extremes.borrow_mut();
    let extremes = extremes.entry(case.text("test").to_owned()).or_default();
    extremes.measure(&at, &partition);
    for (name, found) in [
        ("records_lag", at.records_lag(&partition)),
        ("records_lead", at.records_lead(&partition)),
        ("records_lag_max", extremes.lag_max),
        ("records_lead_min", extremes.lead_min),
    ] {
        let wanted = case.optional_count(name);
        assert!(wanted.is_none() || found == wanted, "{}: {name} is {found:?}", case.place());
    }
}

fn out_of_range(case: &Fields) {
    case.prose(&["note"]);
    let policy = match case.text("auto_offset_reset") {
        "earliest" => OffsetPolicy::Earliest,
        "latest" => OffsetPolicy::Latest,
        "none" => OffsetPolicy::Fail,
        other => panic!("{}: no policy {other}", case.place()),
    };
    let partition = partition(case.count("log_start"), case.count("log_end"));
    match beginning(&partition, case.count_or_null("committed"), policy) {
        Ok(begins) => {
            assert_eq!(begins.position, case.count("next_position"), "{}", case.place());
            let skipped = case.optional_count("records_skipped").unwrap_or_default();
            assert_eq!(begins.skipped, skipped, "{}", case.place());
        }
        Err(problem) => assert_eq!(exception(problem), case.text("error"), "{}", case.place()),
    }
}

const fn exception(problem: NoOffset) -> &'static str {
    match problem {
        NoOffset::NothingCommitted => "NoOffsetForPartitionException",
        NoOffset::OutOfRange { .. } => "OffsetOutOfRangeException",
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn client_backoff(fields: &Fields, [initial, multiplier, max]: [&str; 3]) -> ClientBackoff {
    ClientBackoff {
        initial: Span::from_millis(fields.count(initial)),
        multiplier: fields.count(multiplier),
        max: Span::from_millis(fields.count(max)),
        jitter_millionths: (fields.number("jitter") * 1e6).round() as u64,
    }
}

fn backoff(case: &Fields) {
    let backoff = client_backoff(case, ["initial", "multiplier", "max"]);
    let delays = |name: &str| {
        let delays = case.has(name).then(|| case.object(name));
        let keys = delays.as_ref().map(Fields::keys).unwrap_or_default();
        let attempt = |key: &String| (key.parse::<u64>(), delays.as_ref().map(|delays| delays.count(key)));
        keys.iter().map(attempt).collect::<Vec<_>>()
    };
    for (attempt, wanted) in delays("attempts_to_delay") {
        let range = backoff.range(attempt.expect("it is a number"));
        let wanted = wanted.map(Span::from_millis);
        assert_eq!((Some(range.least()), Some(range.greatest())), (wanted, wanted), "{}", case.place());
    }
    let tolerance = case.optional_number("tolerance_fraction").unwrap_or_default();
    assert_eq!(backoff.jitter_millionths, client_backoff_share(tolerance), "{}", case.place());
    for (attempt, nominal) in delays("attempts_to_delay_nominal") {
        let range = backoff.range(attempt.expect("it is a number"));
        let nominal = nominal.map(|millis| millis * 1_000).unwrap_or_default();
        let spread = nominal * backoff.jitter_millionths / 1_000_000;
        assert_eq!(range.least().micros(), nominal - spread, "{}", case.place());
        assert_eq!(
            range.greatest().micros(),
            (nominal + spread).min(backoff.max.micros()),
            "{}",
            case.place()
        );
    }
    if let Some(most) = case.optional_count("max_for_later_attempts") {
        assert!(
            (5..100).all(|attempt| backoff.range(attempt).greatest() <= Span::from_millis(most)),
            "{}",
            case.place()
        );
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn client_backoff_share(share: f64) -> u64 {
    (share * 1e6).round() as u64
}
