//! A partitioned log and the groups that read it.

use queue_lab::model::group::assignors::{Assignor, Topic, TopicPartition};
use queue_lab::model::group::offsets::{Beginning, GroupOffsets, NoOffset, OffsetPolicy};
use queue_lab::model::group::reset::{ResetScope, ResetTo};
use queue_lab::model::group::{Gone, Group, GroupTimers};
use queue_lab::model::message::MessageId;
use queue_lab::model::partitioned_log::rules::LogRules;
use queue_lab::model::partitioned_log::{Append, PartitionedLog};
use queue_lab::model::time::{Instant, Span};

fn seconds(count: u64) -> Instant {
    Instant::from_seconds(count)
}

fn record(number: u64) -> Append {
    Append { id: MessageId::new(0, number), bytes: 1, luggage: None }
}

/// One partition with a record each second from 1 on, five to a segment, each kept for a minute.
fn log(records: u64) -> PartitionedLog {
    let rules = LogRules {
        segment_records: Some(5),
        retention_time: Some(Span::from_seconds(60)),
        check_interval: Span::from_seconds(1),
        ..LogRules::default()
    };
    let mut log = PartitionedLog::new(rules, 1);
    (1..=records).for_each(|number| _ = log.append(seconds(number), None, record(number)));
    log
}

fn topic(partitions: u32) -> Vec<Topic> {
    vec![Topic { name: "orders".to_owned(), partitions }]
}

/// Lets retention look at every instant that the log names, up to `until`.
fn expire_until(log: &mut PartitionedLog, until: Instant) {
    let mut now = Instant::START;
    while let Some(next) = log.next_expiry(now).filter(|next| *next <= until) {
        now = next;
        log.expire(now);
    }
}

#[test]
fn twelve_partitions_keep_twelve_of_twenty_members_busy() {
    for assignor in Assignor::ALL {
        let mut group = Group::new(assignor, GroupTimers::default());
        (0..20).for_each(|who| group.join(Instant::START, &format!("consumer-{who}"), None, &[0]));
        group.rebalance(&topic(12));
        assert_eq!((group.members().len(), group.idle_members()), (20, 8), "{assignor:?}");
    }
}

#[test]
fn what_a_silent_member_had_goes_to_the_others() {
    let mut group = Group::new(Assignor::Sticky, GroupTimers::default());
    ["alive", "silent"].iter().for_each(|id| group.join(Instant::START, id, None, &[0]));
    group.rebalance(&topic(4));
    group.heartbeat(seconds(44), "alive");
    assert_eq!(group.expire(Instant::from_micros(44_999_999)), None);
    let Some((silent, Gone::Silent)) = group.expire(seconds(45)) else { panic!("45 s are the session") };
    assert_eq!((silent.id.as_str(), silent.owned.len()), ("silent", 2));
    let stops: Vec<TopicPartition> = silent.owned;
    assert!(stops.iter().all(|partition| group.reader_of(*partition).is_none()));
    assert_eq!(group.rebalance(&topic(4)).added, stops);
    assert_eq!(group.members()[0].candidate.owned.len(), 4);
}

#[test]
fn offsets_are_moved_only_while_nobody_reads_and_only_as_planned() {
    let (log, mut offsets) = (log(30), GroupOffsets::new(OffsetPolicy::Latest));
    offsets.commit(0, 30);
    let plan = |offsets: &GroupOffsets, members| {
        offsets.plan_reset(&log, members, &ResetScope::All, ResetTo::Time(seconds(11)))
    };
    for members in [1, 2] {
        assert!(plan(&offsets, members).is_err(), "{members} read");
    }
    let planned = plan(&offsets, 0).expect("nobody reads");
    assert_eq!((planned[0].from, planned[0].to), (Some(30), 10), "the first record of 11 s is the eleventh");
    assert_eq!(offsets.of(0).committed, Some(30), "a plan is no change");
    offsets.execute_reset(&planned);
    assert_eq!(offsets.lag_sum(&log), 20, "these are read again");
}

#[test]
fn retention_asks_nobody_and_can_pass_a_slow_reader() {
    for (policy, position, skipped) in [(OffsetPolicy::Earliest, 20, 17), (OffsetPolicy::Latest, 30, 27)] {
        let (mut log, mut offsets) = (log(30), GroupOffsets::new(policy));
        offsets.commit(0, 3);
        expire_until(&mut log, seconds(81));
        assert_eq!(offsets.of(0).deleted_unread(&log.partitions()[0]), 17);
        let begins = offsets.take_over(0, &log.partitions()[0]);
        assert_eq!(begins, Ok(Beginning { position, skipped }));
    }
}

#[test]
fn a_longer_retention_in_time_keeps_what_is_unread() {
    let (mut log, mut offsets) = (log(30), GroupOffsets::new(OffsetPolicy::Fail));
    offsets.commit(0, 3);
    log.rules_mut().retention_time = Some(Span::from_seconds(600));
    expire_until(&mut log, seconds(81));
    assert_eq!(offsets.take_over(0, &log.partitions()[0]), Ok(Beginning { position: 3, skipped: 0 }));
    expire_until(&mut log, seconds(606));
    let gone = NoOffset::OutOfRange { committed: 3, log_start: 5, log_end: 30 };
    assert_eq!(offsets.take_over(0, &log.partitions()[0]), Err(gone));
}

#[test]
fn a_team_that_joins_later_reads_all_that_is_stored() {
    let log = log(30);
    let (mut first, mut second) =
        (GroupOffsets::new(OffsetPolicy::Earliest), GroupOffsets::new(OffsetPolicy::Earliest));
    let read_all = |offsets: &mut GroupOffsets| {
        let partition = &log.partitions()[0];
        offsets.take_over(0, partition).expect("it begins somewhere");
        let mut read = 0;
        while let Some(next) = offsets.next_offset(0, partition) {
            read += u64::from(partition.record(next).is_some());
            offsets.seek(0, next + 1);
            offsets.commit(0, next + 1);
        }
        read
    };
    assert_eq!((read_all(&mut first), read_all(&mut second)), (30, 30));
}

#[test]
fn more_partitions_send_a_key_elsewhere_and_leave_its_records() {
    let mut log = PartitionedLog::new(LogRules::default(), 4);
    // By Kafka's own partitioner: 1 of 4 and 9 of 12.
    let key = Some(&b"customer-1"[..]);
    let before = log.append(seconds(1), key, record(1));
    log.add_partitions(12).expect("it is more");
    let after = log.append(seconds(2), key, record(2));
    assert_eq!((before.partition, after.partition), (1, 9));
    assert_eq!(log.partitions()[1].len(), 1, "two readers may now have records of one key");
}
