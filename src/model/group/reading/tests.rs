//! A group at work on a log, without a simulation.

use super::super::super::event::EventKind;
use super::super::super::message::MessageId;
use super::super::super::partitioned_log::rules::LogRules;
use super::super::super::partitioned_log::{Append, PartitionedLog};
use super::super::super::work_queue::Delivery;
use super::*;

const FIRST: ConsumerIndex = ConsumerIndex(0);
const SECOND: ConsumerIndex = ConsumerIndex(1);

fn seconds(count: u64) -> Instant {
    Instant::from_seconds(count)
}

/// A log of two partitions with four records, by turn, and a group of it that these have joined.
fn reading(assignor: Assignor, members: &[ConsumerIndex]) -> (Reading, PartitionedLog) {
    let mut log = PartitionedLog::new(LogRules::default(), 2);
    for number in 1..=4 {
        let append = Append { id: MessageId::new(0, number), bytes: 0, luggage: None };
        log.append(seconds(number), None, append);
    }
    let rules = ReadingRules {
        assignor,
        policy: OffsetPolicy::Earliest,
        rebalance_time: Span::ZERO,
        commits: CommitRules::AT_ONCE,
        order: WorkOrder::Partition,
    };
    let mut reading = Reading::new(TopicIndex(0), 2, &rules, false);
    members.iter().for_each(|member| reading.join(Instant::START, *member));
    assert!(reading.go_round(Instant::START, &log), "nobody has to finish anything");
    (reading, log)
}

fn take(reading: &mut Reading, log: &PartitionedLog, who: ConsumerIndex) -> Option<Delivery> {
    reading.next(seconds(5), log, |consumer| consumer == who, |_| None)
}

#[test]
fn of_each_partition_one_record_is_out_until_it_is_answered() {
    let (mut reading, log) = reading(Assignor::Range, &[FIRST]);
    let out: Vec<Delivery> = std::iter::from_fn(|| take(&mut reading, &log, FIRST)).collect();
    assert_eq!(out.iter().map(|delivery| delivery.id.number()).collect::<Vec<_>>(), [1, 2]);
    assert!(reading.commit(seconds(5), out[1].tag, Outcome::DONE));
    assert_eq!(take(&mut reading, &log, FIRST).map(|delivery| delivery.id.number()), Some(4));
    assert!(!reading.commit(seconds(5), out[1].tag, Outcome::DONE), "it was answered before");
}

#[test]
fn a_member_is_given_nothing_of_the_partitions_of_another() {
    let (mut reading, log) = reading(Assignor::Range, &[FIRST, SECOND]);
    assert_eq!(take(&mut reading, &log, SECOND).map(|delivery| delivery.id.number()), Some(2));
    assert_eq!(take(&mut reading, &log, SECOND), None, "its one partition has one out");
}

#[test]
fn an_eager_round_waits_for_those_who_work_and_for_nobody_else() {
    let (mut reading, log) = reading(Assignor::Range, &[FIRST]);
    let out = take(&mut reading, &log, FIRST).expect("there are four");
    reading.join(seconds(5), SECOND);
    assert!(!reading.go_round(seconds(5), &log));
    assert_eq!(take(&mut reading, &log, FIRST), None, "it stops meanwhile");
    assert!(reading.commit(seconds(5), out.tag, Outcome::DONE), "it is still the member's own");
    assert!(reading.go_round(seconds(5), &log));
    assert_eq!(reading.group().idle_members(), 0);
}

#[test]
fn a_cooperative_round_stops_only_what_moves() {
    let (mut reading, log) = reading(Assignor::CooperativeSticky, &[FIRST]);
    let out: Vec<Delivery> = std::iter::from_fn(|| take(&mut reading, &log, FIRST)).collect();
    reading.join(seconds(5), SECOND);
    assert!(reading.go_round(seconds(5), &log), "it waits for nobody");
    let moves = (0..2).find(|partition| reading.reader(*partition).is_none()).expect("one moves");
    assert!(!reading.go_round(seconds(5), &log), "what moves is still being worked on");
    assert!(reading.commit(seconds(5), out[moves as usize].tag, Outcome::DONE));
    assert!(reading.go_round(seconds(5), &log));
    assert_eq!(reading.reader(moves), Some(SECOND));
}

#[test]
fn what_a_dead_member_had_is_read_again_once_its_session_is_over() {
    let (mut reading, log) = reading(Assignor::Range, &[FIRST, SECOND]);
    let lost = take(&mut reading, &log, FIRST).expect("there are four");
    reading.lose(seconds(5), FIRST);
    assert!(!reading.commit(seconds(5), lost.tag, Outcome::DONE), "nobody hears it");
    reading.mind_sessions(Instant::from_micros(49_999_999), |_| true);
    assert!(reading.is_member(FIRST), "45 s are the session");
    reading.mind_sessions(seconds(50), |_| true);
    assert!(!reading.is_member(FIRST));
    assert!(reading.go_round(seconds(50), &log));
    let next =
        |reading: &mut Reading| reading.next(seconds(50), &log, |consumer| consumer == SECOND, |_| None);
    let own = next(&mut reading).expect("its own partition has been served less");
    assert_eq!((own.id.number(), own.redelivered), (2, false));
    let again = next(&mut reading).expect("the other is its own by now");
    assert_eq!((again.id, again.redelivered), (lost.id, true));
}

#[test]
fn who_asks_for_no_more_work_is_gone_after_five_minutes() {
    let (mut reading, _) = reading(Assignor::Range, &[FIRST, SECOND]);
    for second in (0..300).step_by(40) {
        reading.mind_sessions(seconds(second), |consumer| consumer == SECOND);
    }
    assert!(reading.is_member(FIRST));
    reading.mind_sessions(seconds(300), |consumer| consumer == SECOND);
    assert_eq!((reading.is_member(FIRST), reading.is_member(SECOND)), (false, true));
}

#[test]
fn a_record_that_is_tried_again_keeps_its_place_and_its_partition_waits() {
    let (mut reading, log) = reading(Assignor::Range, &[FIRST]);
    let failed = take(&mut reading, &log, FIRST).expect("there are four");
    assert!(reading.step_back(failed.tag, seconds(9)));
    let others: Vec<u64> = std::iter::from_fn(|| {
        let other = take(&mut reading, &log, FIRST)?;
        assert!(reading.commit(seconds(5), other.tag, Outcome::DONE));
        Some(other.id.number())
    })
    .collect();
    assert_eq!((others, reading.resume_due()), (vec![2, 4], Some(seconds(9))));
    reading.resume(seconds(9));
    let again = reading.next(seconds(9), &log, |_| true, |_| None).expect("its time has come");
    assert_eq!((again.id, again.redelivered), (failed.id, true));
}

#[test]
fn what_the_committed_offsets_pass_is_counted() {
    let (mut reading, mut log) = reading(Assignor::Range, &[FIRST]);
    let one = take(&mut reading, &log, FIRST).expect("there are four");
    assert!(reading.commit(seconds(5), one.tag, Outcome::DONE));
    reading.counts_mut().count_done(EventKind::Finished);
    log.partition_mut(1).and_then(|partition| partition.delete_records(2)).expect("two are deleted");
    assert_eq!(take(&mut reading, &log, FIRST).map(|delivery| delivery.id.number()), Some(3));
    assert_eq!((reading.counts().deleted_unread, reading.counts().all()), (2, 3));
    assert_eq!(reading.moved_on(), 3);
}

/// A group that has looked at everything: its one member has the first record of partition 0 in hand.
fn settled() -> (Reading, PartitionedLog, Delivery) {
    let (mut reading, log) = reading(Assignor::Range, &[FIRST]);
    let first = take(&mut reading, &log, FIRST).expect("there are four");
    assert_eq!(reading.next(seconds(5), &log, |_| false, |_| None), None);
    assert!(reading.is_settled(seconds(5), &log));
    (reading, log, first)
}

#[test]
fn who_is_done_goes_on_with_the_partition_served_longest_ago() {
    let (mut reading, log, first) = settled();
    let next = reading.exchange(first.tag, &log, |_| true).flatten().expect("three are left");
    assert_eq!((next.id.number(), reading.offsets().of(0).committed), (2, Some(1)));
    let next = reading.exchange(next.tag, &log, |_| true).flatten().expect("two are left");
    assert_eq!(next.id.number(), 3);
    let next = reading.exchange(next.tag, &log, |_| true).flatten().expect("one is left");
    assert_eq!(next.id.number(), 4);
    assert_eq!(reading.exchange(next.tag, &log, |_| true), Some(None), "nothing is left");
    assert_eq!((reading.wrongly_listed(seconds(5), &log), reading.offsets().lag_sum(&log)), (None, 0));
}

#[test]
fn nothing_is_exchanged_where_there_is_more_to_it() {
    let (mut reading, log, first) = settled();
    assert_eq!(reading.exchange(first.tag, &log, |_| false), None, "the next one may not be given so");
    assert!(reading.delivered(first.tag).is_some(), "nothing was done");
    assert!(reading.commit(seconds(5), first.tag, Outcome::DONE));
    assert_eq!(reading.exchange(first.tag, &log, |_| true), None, "it was answered before");
    let second = take(&mut reading, &log, FIRST).expect("three are left");
    assert!(reading.step_back(second.tag, seconds(5)));
    reading.resume(seconds(5));
    let third = take(&mut reading, &log, FIRST).expect("three are left");
    assert_eq!((third.id.number(), take(&mut reading, &log, SECOND)), (3, None));
    assert_eq!(reading.exchange(third.tag, &log, |_| true), None, "the next one was out before");
}

#[test]
fn who_is_done_after_the_next_records_were_deleted_does_not_go_on_as_if_nothing_had_been() {
    let (mut reading, mut log, first) = settled();
    log.partition_mut(0).and_then(|partition| partition.delete_records(2)).expect("two are deleted");
    assert!(!reading.is_settled(seconds(5), &log));
    assert_eq!(reading.next(seconds(5), &log, |_| false, |_| None), None);
    assert!(reading.is_settled(seconds(5), &log), "what is out is not passed over");
    assert_eq!(reading.exchange(first.tag, &log, |_| true), None);
    assert!(reading.commit(seconds(5), first.tag, Outcome::DONE));
    assert_eq!(take(&mut reading, &log, FIRST).map(|delivery| delivery.id.number()), Some(2));
    assert_eq!(reading.counts().deleted_unread, 1);
}

#[test]
fn a_record_that_comes_goes_to_a_reader_that_is_free_or_waits_for_it() {
    let (mut reading, mut log, first) = settled();
    let all = std::iter::successors(Some(first), |out| reading.exchange(out.tag, &log, |_| true)?);
    assert_eq!(all.count(), 4);
    let mut append = |number| {
        let append = Append { id: MessageId::new(0, number), bytes: 0, luggage: None };
        log.append_to(1, seconds(6), append);
        log.clone()
    };
    let taken = reading.give_arrived(1, &append(5), |_| true).expect("its reader is free");
    assert_eq!(taken.id.number(), 5);
    assert_eq!(reading.give_arrived(1, &append(6), |_| true), None, "one of it is out");
    let log = append(7);
    let next = reading.exchange(taken.tag, &log, |_| true).flatten();
    assert_eq!(next.map(|next| next.id.number()), Some(6));
}

#[test]
fn a_partition_that_waits_keeps_its_group_settled_until_it_goes_on() {
    let (mut reading, log, first) = settled();
    assert!(reading.step_back(first.tag, seconds(9)));
    assert_eq!(reading.next(seconds(5), &log, |_| false, |_| None), None);
    assert!(reading.is_settled(seconds(8), &log) && !reading.is_settled(seconds(9), &log));
    assert_eq!(reading.give_arrived(0, &log, |_| true), None, "it waits");
}
