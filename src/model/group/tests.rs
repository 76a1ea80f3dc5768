//! Rules of groups that no vector shows.

use super::super::message::MessageId;
use super::super::partitioned_log::rules::LogRules;
use super::super::partitioned_log::{Append, PartitionedLog};
use super::offsets::{Beginning, GroupOffsets, NoOffset, OffsetPolicy};
use super::reset::{PlannedOffset, ResetRefused, ResetScope, ResetTo};
use super::time_lag::{EndTimes, EndedThere, Point};
use super::*;

fn seconds(count: u64) -> Instant {
    Instant::from_seconds(count)
}

fn orders(partitions: u32) -> Vec<Topic> {
    vec![Topic { name: "orders".to_owned(), partitions }]
}

fn group(assignor: Assignor, members: &[&str]) -> Group {
    let mut group = Group::new(assignor, GroupTimers::default());
    members.iter().for_each(|id| group.join(seconds(0), id, None, &[0]));
    group
}

fn owned(group: &Group) -> Vec<usize> {
    group.members().iter().map(|member| member.candidate.owned.len()).collect()
}

/// `partitions` with `records` each, one a second from 1 on.
fn log(partitions: u32, records: u64) -> PartitionedLog {
    let mut log =
        PartitionedLog::new(LogRules { segment_records: Some(10), ..LogRules::default() }, partitions);
    for second in 1..=records {
        for partition in 0..partitions {
            let append = Append { id: MessageId::new(0, second), bytes: 1, luggage: None };
            log.append_to(partition, seconds(second), append);
        }
    }
    log
}

#[test]
fn members_beyond_the_partitions_are_idle() {
    let names: Vec<String> = (0..20).map(|n| format!("consumer{n:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for assignor in Assignor::ALL {
        let mut group = group(assignor, &names);
        assert_eq!(group.idle_members(), 20);
        group.rebalance(&orders(12));
        assert_eq!((group.members().len(), group.idle_members()), (20, 8), "{assignor:?}");
    }
}

#[test]
fn an_eager_group_reads_nothing_while_it_rebalances() {
    let mut group = group(Assignor::Range, &["a"]);
    let first = TopicPartition { topic: 0, partition: 0 };
    assert!(group.reader_of(first).is_none());
    group.rebalance(&orders(4));
    assert_eq!(group.state(), GroupState::Stable);
    assert!(group.reader_of(first).is_some());
    group.join(seconds(1), "b", None, &[0]);
    assert_eq!(group.state(), GroupState::Rebalancing);
    assert!(group.reader_of(first).is_none());
    let round = group.rebalance(&orders(4));
    assert!(!round.another_follows);
    assert_eq!(group.reader_of(first).map(|member| member.candidate.id.as_str()), Some("a"));
}

#[test]
fn a_cooperative_group_goes_on_with_what_it_keeps() {
    let mut group = group(Assignor::CooperativeSticky, &["a"]);
    group.rebalance(&orders(4));
    group.join(seconds(1), "b", None, &[0]);
    assert_eq!(group.pauses(&orders(4)), Pauses { eager: 4, cooperative: 2 });
    let reads = |group: &Group| {
        let all = (0..4).map(|partition| TopicPartition { topic: 0, partition });
        all.filter(|partition| group.reader_of(*partition).is_some()).count()
    };
    assert_eq!(reads(&group), 4, "nothing stops before the first round");
    assert!(group.rebalance(&orders(4)).another_follows);
    assert_eq!((reads(&group), owned(&group)), (2, vec![2, 0]));
    assert!(!group.rebalance(&orders(4)).another_follows);
    assert_eq!((reads(&group), owned(&group), group.generation()), (4, vec![2, 2], 3));
}

#[test]
fn one_that_leaves_gives_up_all_it_had() {
    let mut group = group(Assignor::Sticky, &["a", "b"]);
    group.rebalance(&orders(4));
    assert_eq!(group.leave("b").len(), 2);
    assert_eq!((group.leave("nobody").len(), owned(&group)), (0, vec![2]));
    group.rebalance(&orders(4));
    assert_eq!(owned(&group), [4]);
    group.leave("a");
    assert_eq!(group.state(), GroupState::Empty);
}

#[test]
fn a_silent_member_goes_after_the_session_and_a_stuck_one_after_the_longest_poll() {
    let mut group = group(Assignor::Range, &["silent", "stuck"]);
    group.rebalance(&orders(2));
    assert_eq!(group.next_expiry(), Some(seconds(45)));
    (1..=100).for_each(|beat| group.heartbeat(seconds(3 * beat), "stuck"));
    assert_eq!(group.expire(seconds(44)), None);
    let Some((gone, Gone::Silent)) = group.expire(seconds(45)) else { panic!("one was silent") };
    assert_eq!((gone.id.as_str(), gone.owned.len(), group.state()), ("silent", 1, GroupState::Rebalancing));
    group.poll(seconds(10), "stuck");
    assert_eq!(group.next_expiry(), Some(seconds(310)));
    assert!(matches!(group.expire(seconds(310)), Some((_, Gone::Stuck))));
    assert_eq!((group.expire(seconds(9_000)), group.next_expiry()), (None, None));
}

#[test]
fn a_known_instance_comes_back_without_a_rebalance() {
    let mut group = Group::new(Assignor::Range, GroupTimers::default());
    group.join(seconds(0), "a-1", Some("first"), &[0]);
    group.join(seconds(0), "b-1", Some("second"), &[0]);
    group.rebalance(&orders(4));
    group.join(seconds(9), "a-2", Some("first"), &[0]);
    assert_eq!((group.state(), group.members().len(), owned(&group)), (GroupState::Stable, 2, vec![2, 2]));
    group.join(seconds(9), "a-3", Some("third"), &[0]);
    assert_eq!((group.state(), group.members().len()), (GroupState::Rebalancing, 3));
}

#[test]
fn more_partitions_make_a_group_rebalance() {
    let mut group = group(Assignor::CooperativeSticky, &["a", "b"]);
    group.rebalance(&orders(4));
    group.topics_changed();
    let round = group.rebalance(&orders(6));
    assert_eq!((round.revoked, round.added.len(), owned(&group)), (vec![], 2, vec![3, 3]));
}

#[test]
fn a_partition_that_two_claim_goes_to_the_later_generation() {
    let had = vec![TopicPartition { topic: 0, partition: 1 }];
    let candidate = |id: &str, generation| Candidate {
        id: id.to_owned(),
        topics: vec![0],
        owned: had.clone(),
        generation: Some(generation),
        ..Candidate::default()
    };
    for (one, other, reader) in [(4, 5, 1), (5, 4, 0)] {
        let assignment = Assignor::Sticky.assign(&orders(2), &[candidate("a", one), candidate("b", other)]);
        assert!(assignment[reader].contains(&had[0]), "{assignment:?}");
    }
}

#[test]
fn lag_is_never_below_zero_and_blank_without_a_commit() {
    let (log, mut offsets) = (log(1, 5), GroupOffsets::new(OffsetPolicy::Latest));
    let partition = &log.partitions()[0];
    assert_eq!((offsets.of(0).lag(partition), offsets.lag_sum(&log)), (None, 0));
    offsets.commit(0, 9);
    assert_eq!(offsets.of(0).lag(partition), Some(0));
    offsets.commit(0, 2);
    offsets.seek(0, 4);
    let at = offsets.of(0);
    assert_eq!(
        (at.lag(partition), at.records_lag(partition), at.records_lead(partition)),
        (Some(3), Some(1), Some(4))
    );
}

#[test]
fn the_sum_hides_what_the_greatest_lag_shows() {
    let (log, mut offsets) = (log(3, 30), GroupOffsets::new(OffsetPolicy::Latest));
    [30, 30, 0].iter().zip(0..).for_each(|(offset, partition)| offsets.commit(partition, *offset));
    assert_eq!((offsets.lag_sum(&log), offsets.lag_max(&log)), (30, 30));
    (0..3).for_each(|partition| offsets.commit(partition, 20));
    assert_eq!((offsets.lag_sum(&log), offsets.lag_max(&log)), (30, 10));
}

#[test]
fn what_was_deleted_before_it_was_read_is_counted() {
    let (mut log, mut offsets) = (log(1, 25), GroupOffsets::new(OffsetPolicy::Earliest));
    offsets.commit(0, 4);
    log.roll_off_oldest();
    assert_eq!(offsets.of(0).deleted_unread(&log.partitions()[0]), 6);
    let begins = offsets.take_over(0, &log.partitions()[0]);
    assert_eq!(begins, Ok(Beginning { position: 10, skipped: 6 }));
    assert_eq!(offsets.next_offset(0, &log.partitions()[0]), Some(10));
    offsets.set_policy(OffsetPolicy::Fail);
    let wrong = offsets.take_over(0, &log.partitions()[0]).expect_err("4 is gone");
    assert_eq!(wrong, NoOffset::OutOfRange { committed: 4, log_start: 10, log_end: 25 });
    assert!(wrong.to_string().starts_with("The group stands at offset 4, and the log has 10 to 25"));
}

#[test]
fn a_committed_offset_beyond_the_end_is_out_of_range_too() {
    let log = log(1, 5);
    let begin = |policy| offsets::beginning(&log.partitions()[0], Some(6), policy);
    assert_eq!(begin(OffsetPolicy::Earliest), Ok(Beginning { position: 0, skipped: 0 }));
    assert_eq!(begin(OffsetPolicy::Latest), Ok(Beginning { position: 5, skipped: 0 }));
    assert!(begin(OffsetPolicy::Fail).is_err());
    let at_the_end = offsets::beginning(&log.partitions()[0], Some(5), OffsetPolicy::Fail);
    assert_eq!(at_the_end, Ok(Beginning { position: 5, skipped: 0 }));
}

#[test]
fn a_plan_changes_nothing_and_an_active_group_gets_none() {
    let (log, mut offsets) = (log(2, 30), GroupOffsets::new(OffsetPolicy::Latest));
    offsets.commit(0, 20);
    offsets.seek(0, 25);
    let plan = |offsets: &GroupOffsets, members, to| offsets.plan_reset(&log, members, &ResetScope::All, to);
    let refused = plan(&offsets, 1, ResetTo::Earliest).expect_err("it is active");
    assert_eq!(
        refused.to_string(),
        "Offsets can be reset only while the group is stopped, and it has 1 active member."
    );
    let planned = plan(&offsets, 0, ResetTo::Time(seconds(11))).expect("it is stopped");
    assert_eq!(
        planned,
        [
            PlannedOffset { partition: 0, from: Some(20), to: 10 },
            PlannedOffset { partition: 1, from: None, to: 10 }
        ]
    );
    assert_eq!((offsets.of(0).committed, offsets.of(1).committed), (Some(20), None));
    offsets.execute_reset(&planned);
    assert_eq!(
        (offsets.of(0).committed, offsets.of(0).position, offsets.of(1).committed),
        (Some(10), None, Some(10))
    );
}

#[test]
fn a_shift_needs_an_offset_and_stays_within_the_log() {
    let (mut log, mut offsets) = (log(2, 30), GroupOffsets::new(OffsetPolicy::Latest));
    offsets.commit(0, 20);
    log.partition_mut(0).expect("it is there").delete_records(12);
    let shifted = |scope: &ResetScope, by| offsets.plan_reset(&log, 0, scope, ResetTo::Shift(by));
    assert_eq!(shifted(&ResetScope::All, -1), Err(ResetRefused::NothingCommitted { partition: 1 }));
    let to =
        |by| shifted(&ResetScope::Committed, by).map(|plan| plan.iter().map(|it| it.to).collect::<Vec<_>>());
    assert_eq!(
        (to(-9), to(-3), to(4), to(i64::MAX)),
        (Ok(vec![12]), Ok(vec![17]), Ok(vec![24]), Ok(vec![30]))
    );
    let nowhere = shifted(&ResetScope::Partitions(vec![7]), 1).expect_err("there are two");
    assert_eq!(nowhere.to_string(), "There is no partition 7: the log has 2, counted from 0.");
}

#[test]
fn a_table_of_ends_keeps_its_last_points_and_ignores_what_goes_back() {
    let mut ends = EndTimes::keeping(3);
    for (log_end, second) in [(10, 1), (20, 2), (15, 3), (30, 2), (30, 3), (40, 4)] {
        ends.record(Point { log_end, at: seconds(second) });
    }
    assert_eq!(ends.len(), 3);
    assert_eq!(ends.lookup(35), EndedThere::Micros(3_500_000));
    assert_eq!(ends.time_lag(25, seconds(10)), Some(Span::from_micros(7_500_000)));
    assert_eq!(ends.time_lag(40, seconds(10)), Some(Span::ZERO));
    assert_eq!(ends.time_lag(50, seconds(4)), Some(Span::ZERO), "the line leads into the future");
    assert_eq!(EndTimes::default().time_lag(1, seconds(1)), None);
}
