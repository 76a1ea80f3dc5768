//! Rules of the log that no vector shows.

use std::rc::Rc;

use super::super::message::{Luggage, MessageId, Properties};
use super::super::time::Span;
use super::idempotence::{Batch, Checked};
use super::*;

fn append(number: u64) -> Append {
    Append { id: MessageId::new(0, number), bytes: 10, luggage: None }
}

fn seconds(count: u64) -> Instant {
    Instant::from_seconds(count)
}

/// One partition with a record of 10 bytes each second from 1 on, five to a segment.
fn log_of(records: u64, rules: LogRules) -> PartitionedLog {
    let mut log = PartitionedLog::new(LogRules { segment_bytes: 50, ..rules }, 1);
    (1..=records).for_each(|number| _ = log.append(seconds(number), None, append(number)));
    log
}

fn start(log: &PartitionedLog) -> u64 {
    log.partitions()[0].log_start_offset()
}

fn hash(log: &PartitionedLog) -> u64 {
    let mut hasher = StateHasher::default();
    log.hash_into(&mut hasher);
    hasher.finish()
}

#[test]
fn records_without_a_key_take_turns_and_those_with_one_stay_together() {
    let mut log = PartitionedLog::new(LogRules::default(), 3);
    let turns: Vec<u32> = (0..7).map(|n| log.append(seconds(n), None, append(n)).partition).collect();
    assert_eq!(turns, [0, 1, 2, 0, 1, 2, 0]);
    let keyed =
        |log: &mut PartitionedLog, n| log.append(seconds(n), Some(b"customer-1"), append(n)).partition;
    assert_eq!((keyed(&mut log, 7), keyed(&mut log, 8)), (0, 0));
    assert_eq!(log.append(seconds(9), None, append(9)).partition, 1, "a key takes nobody's turn");
}

#[test]
fn a_record_later_than_the_segment_time_begins_a_segment_and_one_at_it_does_not() {
    let rules = LogRules { segment_time: Span::from_seconds(10), ..LogRules::default() };
    let mut log = PartitionedLog::new(rules, 1);
    for second in [100, 110, 111, 121, 122] {
        log.append(seconds(second), None, append(second));
    }
    let bases: Vec<u64> = log.partitions()[0].segments().map(|segment| segment.base_offset).collect();
    assert_eq!(bases, [0, 2, 4]);
}

#[test]
fn a_number_of_records_ends_a_segment_where_that_is_asked_for() {
    let rules = LogRules { segment_records: Some(2), ..LogRules::default() };
    let log = log_of(5, rules);
    assert_eq!(log.partitions()[0].segments().count(), 3);
}

#[test]
fn a_segment_goes_once_its_newest_record_is_older_than_it_is_kept() {
    let mut log =
        log_of(12, LogRules { retention_time: Some(Span::from_seconds(20)), ..LogRules::default() });
    assert_eq!(log.expire(seconds(25)), [], "record 5 came 20 s ago and may stay");
    let [(0, gone)] = log.expire(seconds(26))[..] else { panic!("the first segment goes") };
    assert_eq!(gone, Deleted { from: 0, to: 5, cause: DeleteCause::Time });
    assert_eq!((start(&log), log.held(), log.partitions()[0].record(4)), (5, 7, None));
}

#[test]
fn looking_falls_on_the_grid_after_something_is_due() {
    let rules = LogRules { retention_time: Some(Span::from_seconds(300)), ..LogRules::default() };
    let mut log = log_of(12, rules);
    assert_eq!(
        log.next_expiry(seconds(12)),
        Some(seconds(600)),
        "at 305 s it may stay, at 300 s nobody looks"
    );
    assert_eq!(log.expire(seconds(600)).len(), 1);
    assert_eq!((start(&log), log.next_expiry(seconds(600))), (12, None), "an empty log needs no look");
    log.rules_mut().retention_bytes = Some(20);
    (13..=20).for_each(|number| _ = log.append(seconds(600 + number), None, append(number)));
    assert_eq!(log.next_expiry(seconds(620)), Some(seconds(900)), "it has a segment too many");
    log.rules_mut().deletes = false;
    assert_eq!((log.next_expiry(seconds(620)), log.expire(seconds(9_000))), (None, vec![]));
}

#[test]
fn a_longer_retention_keeps_what_would_have_gone() {
    let mut log =
        log_of(12, LogRules { retention_time: Some(Span::from_seconds(20)), ..LogRules::default() });
    log.rules_mut().retention_time = Some(Span::from_seconds(60));
    assert_eq!(log.expire(seconds(60)), []);
    assert_eq!(log.expire(seconds(66)).len(), 1);
}

#[test]
fn bytes_stay_at_or_above_what_is_kept() {
    for (kept, start_after) in [(120, 0), (71, 0), (70, 5), (21, 5), (20, 10), (0, 12)] {
        let rules = LogRules { retention_bytes: Some(kept), ..LogRules::default() };
        let mut log = log_of(12, rules);
        log.expire(seconds(12));
        assert_eq!(start(&log), start_after, "{kept} bytes are kept");
        assert!(log.held_bytes() >= kept);
    }
}

#[test]
fn the_active_segment_stays_and_a_new_one_is_active_where_all_go() {
    let mut log = log_of(12, LogRules { retention_time: Some(Span::from_seconds(1)), ..LogRules::default() });
    log.expire(seconds(1_000));
    let segments: Vec<Segment> = log.partitions()[0].segments().copied().collect();
    assert_eq!((segments.len(), segments[0].base_offset, segments[0].records), (1, 12, 0));
    assert_eq!(log.append(seconds(1_000), None, append(13)).offset, 12);
    assert_eq!(log.problems(), []);
}

#[test]
fn nothing_beyond_the_high_watermark_goes() {
    let mut log = log_of(12, LogRules { retention_time: Some(Span::from_seconds(1)), ..LogRules::default() });
    log.partition_mut(0).expect("it is there").hold_high_watermark(Some(9));
    log.expire(seconds(1_000));
    assert_eq!(start(&log), 5, "the second segment ends at 10");
    log.partition_mut(0).expect("it is there").hold_high_watermark(None);
    log.expire(seconds(1_000));
    assert_eq!(start(&log), 12);
}

#[test]
fn at_capacity_the_oldest_segment_of_all_goes_and_it_is_said() {
    let mut log = PartitionedLog::new(LogRules { segment_bytes: 20, ..LogRules::default() }, 2);
    for (partition, second) in [(1, 1), (1, 2), (0, 3), (0, 4), (1, 5), (0, 6)] {
        log.append_to(partition, seconds(second), append(second));
    }
    let mut went = Vec::new();
    while let Some((partition, deleted)) = log.roll_off_oldest() {
        assert_eq!(deleted.cause, DeleteCause::Capacity);
        went.push((partition, deleted.to - deleted.from));
    }
    assert_eq!(went, [(1, 2), (0, 2), (1, 1), (0, 1)]);
    assert_eq!((log.held(), log.problems()), (0, vec![]));
}

#[test]
fn an_instant_finds_the_first_record_from_it_on() {
    let mut log = log_of(12, LogRules::default());
    let from = |log: &PartitionedLog, micros| log.partitions()[0].offset_from(Instant::from_micros(micros));
    assert_eq!(from(&log, 0), Some(0));
    assert_eq!(from(&log, 3_000_000), Some(2));
    assert_eq!(from(&log, 3_000_001), Some(3));
    assert_eq!(from(&log, 12_000_001), None);
    log.partition_mut(0).expect("it is there").delete_records(7);
    assert_eq!(from(&log, 0), Some(7), "what is deleted is not found");
    assert_eq!(log.partitions()[0].time_of(7), Some(seconds(8)));
    assert_eq!(log.partitions()[0].time_of(6), None);
}

#[test]
fn deleting_records_ends_at_the_high_watermark() {
    let mut log = log_of(12, LogRules::default());
    let partition = log.partition_mut(0).expect("it is there");
    assert_eq!(partition.delete_records(3).map(|gone| gone.to), Some(3));
    assert_eq!(partition.delete_records(3), None);
    assert_eq!((partition.len(), partition.bytes()), (9, 120), "the segment of record 4 is still there");
    assert_eq!(partition.delete_records(99).map(|gone| gone.to), Some(12));
    assert_eq!((partition.len(), partition.segments().count()), (0, 1));
    assert_eq!(log.problems(), []);
}

#[test]
fn partitions_can_only_be_added() {
    let mut log = log_of(3, LogRules::default());
    assert_eq!(log.add_partitions(1), Err(PartitionsRefused::NotMore { has: 1, asked: 1 }));
    let too_many = log.add_partitions(PARTITIONS_MAX + 1).expect_err("it is one too many");
    assert_eq!(too_many.to_string(), "A log has at most 1000 partitions, and 1001 is more.");
    assert_eq!(log.add_partitions(4), Ok(()));
    assert_eq!((log.partition_count(), log.held()), (4, 3), "what is stored stays");
}

#[test]
fn what_records_carry_comes_back_also_after_older_ones_went() {
    let luggage = |group| Some(Rc::new(Luggage::with(Properties { group, ..Properties::default() })));
    let group_of = |log: &PartitionedLog, offset| {
        log.partitions()[0].message(offset).map(|message| message.luggage.map_or(0, |it| it.properties.group))
    };
    let carried = [0, 0, 4, 4, 4, 4, 4, 0, 7, 7];
    let mut log = PartitionedLog::new(LogRules { segment_bytes: 50, ..LogRules::default() }, 1);
    for (second, group) in (1..).zip(carried) {
        let carries = if group == 0 { None } else { luggage(group) };
        log.append(seconds(second), None, Append { luggage: carries, ..append(second) });
    }
    for (offset, group) in (0..).zip(carried) {
        assert_eq!(group_of(&log, offset), Some(group), "{offset}");
    }
    log.roll_off_oldest();
    assert_eq!(
        (group_of(&log, 4), group_of(&log, 5), group_of(&log, 7), group_of(&log, 9)),
        (None, Some(4), Some(0), Some(7))
    );
}

#[test]
fn a_batch_that_comes_again_is_not_appended_again() {
    let mut log = PartitionedLog::new(LogRules::default(), 1);
    let rules = log.rules().clone();
    let partition = log.partition_mut(0).expect("it is there");
    let batch = |first_sequence| Batch { producer_index: 0, first_sequence, records: 2 };
    let mut send =
        |first| partition.append_batch(&rules, seconds(1), &batch(first), vec![append(1), append(2)]);
    assert_eq!(send(0), (Checked::New, Some(0)));
    assert_eq!(send(2), (Checked::New, Some(2)));
    assert_eq!(send(0), (Checked::Duplicate(0), None));
    assert!(matches!(send(6), (Checked::OutOfOrder(_), None)));
    assert_eq!(partition.len(), 4);
}

#[test]
fn a_clone_keeps_its_own_records_and_digest() {
    let mut log = log_of(2_000, LogRules::default());
    let kept = log.clone();
    let before = hash(&kept);
    assert_eq!(hash(&log), before);
    log.append(seconds(3_000), None, append(1));
    log.roll_off_oldest();
    assert_ne!(hash(&log), before);
    assert_eq!((hash(&kept), kept.held(), kept.problems()), (before, 2_000, vec![]));
}
