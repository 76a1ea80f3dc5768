//! Topics and groups in a run: what their members do, and what becomes of the records.

use super::{consumer, does, file, set, to};
use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::event::EventKind;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::network::GroupSnapshot;

/// The run of one producer, one topic and one group, with these settings and commands.
fn log(settings: &str, commands: &str) -> Simulation {
    file(&format!(
        r#""topology": {{
            "producers": [ {{ "name": "shop", "to": "orders" }} ],
            "topics": [ {{ "name": "orders" }} ],
            "groups": [ {{ "name": "billing", "from": "orders" }} ]
        }},
        "settings": {{ {settings} }},
        "commands": [ {commands} ]"#
    ))
}

fn group(simulation: &Simulation) -> GroupSnapshot {
    simulation.snapshot().network.groups.into_iter().next().expect("there is one group")
}

fn committed(simulation: &Simulation) -> Vec<u64> {
    group(simulation).partitions.iter().filter_map(|lane| lane.committed).collect()
}

fn appended(simulation: &Simulation) -> Vec<u64> {
    let topic = &simulation.snapshot().network.topics[0];
    topic.partitions.iter().map(|partition| partition.log_end - partition.log_start).collect()
}

#[test]
fn records_without_a_key_go_to_the_partitions_in_turn() {
    let mut run = log(r#""p": 6, "c": 6, "orders.partition_count": 3"#, "");
    to(&mut run, 10_000);
    assert_eq!(appended(&run), [20, 20, 20]);
}

#[test]
fn records_with_a_key_go_where_its_key_belongs() {
    let mut run = log(r#""p": 10, "c": 20, "shop.message_key_count": 1, "orders.partition_count": 4"#, "");
    to(&mut run, 10_000);
    // Kafka's murmur2 of "0" is 971027396, whose remainder by 4 is 0.
    let own = queue_lab::model::partitioned_log::partitioner::partition_of_key(b"0", 4) as usize;
    let mut expected = [0; 4];
    expected[own] = 100;
    assert_eq!(appended(&run), expected);
}

#[test]
fn every_record_is_done_once_and_the_run_counts_it_as_logged() {
    let mut run = log(r#""p": 6, "c": 6"#, "");
    to(&mut run, 10_000);
    let (ledger, own) = (run.ledger(), group(&run));
    assert_eq!((ledger.offered, ledger.logged, ledger.done, ledger.waiting), (60, 60, 0, 0));
    assert!(ledger.balances());
    assert_eq!(own.counts.done + own.lag, 60);
    assert_eq!(run.totals().side_effects, own.counts.done);
}

#[test]
fn capacity_is_not_pooled_over_partitions() {
    // One key: one partition, one reader, whatever the others could do.
    let mut run = log(r#""p": 6, "c": 2, "workers": 3, "keys": 1"#, "");
    to(&mut run, 30_000);
    let own = group(&run);
    assert!(own.counts.done.abs_diff(60) <= 1, "2 a second, not 6: {}", own.counts.done);
    assert_eq!(own.partitions.iter().filter(|lane| lane.reader.is_some()).count(), 3);
}

#[test]
fn a_member_takes_from_its_partitions_by_turn() {
    let mut run = log(r#""p": 60, "c": 6, "workers": 1, "orders.partition_count": 4"#, "");
    to(&mut run, 20_000);
    let committed = committed(&run);
    let (least, most) = (committed.iter().min(), committed.iter().max());
    assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1), "{committed:?}");
}

#[test]
fn a_retry_in_place_pauses_its_partition_and_not_its_consumer() {
    let settings = |blocks: &str| {
        format!(
            r#""p": 3, "c": 30, "workers": 1, "retry_place": "in-place", "retry_delay_seconds": 5,
            "billing.retry_blocks_consumer": "{blocks}""#
        )
    };
    let poison = r#"{ "at": 0, "do": "poison", "messages": 1 }"#;
    let (mut only, mut whole) = (log(&settings("off"), poison), log(&settings("on"), poison));
    to(&mut only, 30_000);
    to(&mut whole, 30_000);
    let lags = |run: &Simulation| group(run).partitions.iter().map(|lane| lane.lag).collect::<Vec<_>>();
    assert_eq!(lags(&only)[0], 30, "the partition of the first record");
    assert!(lags(&only)[1..].iter().all(|lag| *lag <= 1), "{:?}", lags(&only));
    assert!(lags(&whole)[1..].iter().all(|lag| *lag > 20), "{:?}", lags(&whole));
}

#[test]
fn a_record_that_is_given_up_is_skipped_and_the_partition_goes_on() {
    let settings =
        r#""p": 3, "c": 30, "retry_place": "in-place", "retry_delay_seconds": 1, "attempts_max": 3"#;
    let mut run = log(settings, r#"{ "at": 0, "do": "poison", "messages": 1 }"#);
    to(&mut run, 30_000);
    let own = group(&run);
    assert_eq!((own.counts.skipped, run.totals().failed_attempts), (1, 3));
    assert!(own.lag_max <= 1, "{:?}", own.partitions);
}

#[test]
fn a_member_loses_no_part_of_a_microsecond_between_two_records() {
    // Each takes 333⅓ microseconds.
    let mut run = log(r#""p": 0, "c": 3000, "workers": 1, "partitions": 1"#, "");
    does(&mut run, &[Command::Burst { count: 9_000 }]);
    for seconds in 1..=3 {
        to(&mut run, seconds * 1_000);
        assert_eq!(group(&run).counts.done, seconds * 3_000);
    }
}

#[test]
fn a_record_is_not_tried_again_before_its_delay_is_over() {
    // Its first attempt ends after 0.37 s, so the next two do after 5.4 and 10.4 s.
    let settings = r#""p": 3, "c": 30, "retry_place": "in-place", "retry_delay_seconds": 5"#;
    let mut run = log(settings, r#"{ "at": 0, "do": "poison", "messages": 1 }"#);
    for (milliseconds, attempts) in [(5_000, 1), (10_000, 2), (11_000, 3)] {
        to(&mut run, milliseconds);
        assert_eq!(run.totals().failed_attempts, attempts, "after {milliseconds} ms");
    }
}

#[test]
fn what_a_dead_member_had_waits_for_its_session_and_is_done_again_by_another() {
    let settings = r#""p": 3, "c": 1, "workers": 3, "restart_seconds": "none""#;
    let mut run = log(settings, "");
    to(&mut run, 10_500);
    does(&mut run, &[consumer(0, ConsumerDoes::Crash)]);
    to(&mut run, 55_000);
    assert_eq!((group(&run).members, group(&run).lag_max > 40), (3, true), "nobody reads its partition");
    to(&mut run, 56_000);
    assert_eq!(group(&run).members, 2, "45 seconds later its session is over");
    to(&mut run, 60_000);
    assert!(group(&run).partitions.iter().all(|lane| lane.reader.is_some()));
}

#[test]
fn a_crash_between_side_effect_and_commit_does_the_record_twice() {
    let settings = r#""p": 1, "c": 4, "restart_seconds": 1"#;
    let mut run = log(settings, "");
    to(&mut run, 5_100);
    does(&mut run, &[consumer(0, ConsumerDoes::CrashFinishing)]);
    to(&mut run, 20_000);
    assert_eq!(run.totals().duplicate_side_effects, 1);
    assert!(run.ledger().balances());
}

#[test]
fn a_commit_before_the_work_loses_what_a_crash_interrupts() {
    let settings = r#""p": 1, "c": 1.5, "acknowledge": "before-work", "restart_seconds": 1"#;
    let mut run = log(settings, "");
    to(&mut run, 5_300);
    does(&mut run, &[consumer(0, ConsumerDoes::Crash)]);
    to(&mut run, 20_500);
    let counts = group(&run).counts;
    assert_eq!((counts.lost, run.totals().duplicate_side_effects), (1, 0));
    assert_eq!(counts.done + counts.lost + counts.in_hand, 20 - group(&run).lag);
}

#[test]
fn fewer_members_read_all_partitions_and_no_record_is_done_twice() {
    let mut run = log(r#""p": 12, "c": 20, "workers": 3, "partitions": 6"#, "");
    to(&mut run, 10_000);
    does(&mut run, &[set("workers", "1")]);
    to(&mut run, 20_000);
    let own = group(&run);
    assert_eq!((own.members, own.idle_members), (1, 0));
    assert!(own.partitions.iter().all(|lane| lane.reader == Some(1)));
    does(&mut run, &[set("workers", "5")]);
    to(&mut run, 30_000);
    assert_eq!(group(&run).members, 5);
    assert_eq!(run.totals().side_effects, group(&run).counts.done);
    assert_eq!(run.totals().duplicate_side_effects, 0);
}

#[test]
fn a_group_that_is_stopped_has_no_members_and_goes_on_where_it_stood() {
    let mut run = log(r#""p": 6, "c": 6, "workers": 3"#, "");
    to(&mut run, 10_000);
    does(&mut run, &[Command::StopConsumers { pool: 0 }]);
    to(&mut run, 20_000);
    assert_eq!((group(&run).members, group(&run).state.name()), (0, "empty"));
    let before = committed(&run);
    does(&mut run, &[Command::StartConsumers { pool: 0 }]);
    to(&mut run, 60_000);
    assert!(committed(&run).iter().zip(&before).all(|(after, before)| after > before));
    assert_eq!(group(&run).counts.done + group(&run).lag, 360);
    assert_eq!(run.totals().duplicate_side_effects, 0);
}

#[test]
fn a_rebalance_that_takes_its_time_stops_all_members_of_an_eager_group_and_no_other() {
    let settings = |assignor: &str| {
        format!(
            r#""p": 60, "c": 10, "workers": 6, "billing.rebalance_seconds": 10, "partitions": 6,
            "billing.partition_assignor": "{assignor}""#
        )
    };
    let done = |assignor: &str| {
        let mut run = log(&settings(assignor), "");
        to(&mut run, 60_000);
        let before = group(&run).counts.done;
        does(&mut run, &[set("workers", "7")]);
        to(&mut run, 69_000);
        group(&run).counts.done - before
    };
    assert!(done("range") <= 6, "each finishes what it has: {}", done("range"));
    assert!(done("cooperative-sticky") > 500, "{}", done("cooperative-sticky"));
}

#[test]
fn an_eager_rebalance_waits_until_its_members_have_finished_and_a_cooperative_one_does_not() {
    // The first record comes after a second and takes ten.
    let generations = |assignor: &str| {
        let settings = format!(r#""p": 1, "c": 0.1, "workers": 1, "partition_assignor": "{assignor}""#);
        let mut run = log(&settings, "");
        to(&mut run, 5_000);
        does(&mut run, &[set("workers", "2")]);
        [6_000, 12_000].map(|milliseconds| {
            to(&mut run, milliseconds);
            group(&run).generation
        })
    };
    let [during, after] = generations("range");
    assert!(during < after, "{during} while it works, {after} when it has finished");
    let [during, after] = generations("cooperative-sticky");
    assert!(during > 1, "{during} while it works, {after} when it has finished");
}

#[test]
fn what_is_deleted_unread_is_counted_and_the_group_goes_on_where_its_policy_says() {
    let settings = |policy: &str| {
        format!(
            r#""p": 10, "c": 1, "workers": 1, "partitions": 1, "orders.message_retention_seconds": 20,
            "orders.segment_max_records": 10, "billing.offset_reset": "{policy}""#
        )
    };
    let after = |policy: &str| {
        let mut run = log(&settings(policy), "");
        to(&mut run, 100_000);
        group(&run)
    };
    let earliest = after("earliest");
    assert!(earliest.counts.deleted_unread > 600, "{:?}", earliest.counts);
    assert_eq!(earliest.counts.passed_over, 0);
    assert!((200..=220).contains(&earliest.lag), "20 seconds of 10, and a segment: {}", earliest.lag);
    let latest = after("latest");
    assert!(latest.counts.passed_over > 0, "{:?}", latest.counts);
    let failed = after("fail");
    assert!(failed.partitions[0].is_stopped && failed.counts.done < 30, "{failed:?}");
}

#[test]
fn a_broker_that_is_down_takes_nothing_and_what_was_in_hand_is_done_again() {
    let mut run = log(r#""p": 2, "c": 1, "workers": 3"#, "");
    to(&mut run, 10_200);
    does(&mut run, &[Command::BrokerDown]);
    to(&mut run, 20_000);
    assert_eq!(run.ledger().held_back, 1);
    does(&mut run, &[Command::BrokerUp]);
    to(&mut run, 40_000);
    let own = group(&run);
    assert!((1..=3).contains(&run.totals().duplicate_side_effects), "{:?}", run.totals());
    assert_eq!(own.counts.done + own.lag, run.ledger().logged);
}

#[test]
fn a_full_broker_rolls_off_an_oldest_segment_and_blocks_nobody() {
    let settings = r#""p": 100, "c": 1, "memory": 300, "orders.segment_max_records": 50, "partitions": 2"#;
    let mut run = log(settings, "");
    // A record comes every 10 ms.
    for milliseconds in (0..=20_000).step_by(10) {
        to(&mut run, milliseconds);
        assert!(run.broker().logs.stored() <= 300, "at {milliseconds} ms");
    }
    assert_eq!((run.ledger().held_back, run.ledger().logged), (0, 2_000));
    assert!(run.broker().logs.rolled_off() > 30);
}

#[test]
fn a_memory_that_is_lowered_holds_from_the_next_records_on() {
    let settings = r#""p": 100, "c": 1, "memory": 1000, "orders.segment_max_records": 50, "partitions": 2"#;
    let mut run = log(settings, "");
    to(&mut run, 5_000);
    does(&mut run, &[set("memory", "200")]);
    assert_eq!(run.broker().logs.stored(), 500, "a record that comes makes room");
    // Each rolls off one segment.
    to(&mut run, 5_100);
    assert!(run.broker().logs.stored() <= 200);
    does(&mut run, &[set("memory", "1000")]);
    to(&mut run, 12_000);
    assert!((800..=1_000).contains(&run.broker().logs.stored()), "there is room again");
}

#[test]
fn a_retry_that_blocks_the_consumer_does_so_wherever_it_is_to_happen() {
    for place in ["in-place", "retry-queue"] {
        let dials = format!(
            r#""p": 3, "c": 30, "workers": 1, "retry_place": "{place}", "retry_delay_seconds": 5,
            "billing.retry_blocks_consumer": "on", "attempts_max": 2"#
        );
        let mut run = log(&dials, r#"{ "at": 10, "do": "poison", "messages": 1 }"#);
        to(&mut run, 14_000);
        assert!(group(&run).lag > 10, "{place}: {}", group(&run).lag);
        to(&mut run, 30_000);
        assert_eq!((group(&run).counts.skipped, run.totals().failed_attempts), (1, 2), "{place}");
    }
}

#[test]
fn the_events_say_when_partitions_are_given_out_and_records_deleted() {
    let dials = r#""p": 10, "c": 30, "workers": 2, "partitions": 2, "segment_max_records": 50,
        "orders.message_retention_seconds": 60"#;
    let mut run = log(dials, r#"{ "at": 20, "do": "set", "settings": { "workers": 3 } }"#);
    to(&mut run, 30_000);
    let of = |run: &Simulation, kind: EventKind| -> Vec<u64> {
        run.journal().last().filter(|event| event.kind == kind).map(|event| event.message.number()).collect()
    };
    assert_eq!(of(&run, EventKind::Rebalanced), [1, 2], "one round at the start, one for the third member");
    to(&mut run, 75_000);
    assert_eq!(of(&run, EventKind::RecordsDeleted), [50, 50], "the oldest segment of each partition");
}
