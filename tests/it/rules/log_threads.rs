//! Parallel work inside a partition: the members of a group are the threads of one client.

use super::log_teams::{ONE, group, log};
use super::{consumer, does, to};
use queue_lab::model::command::ConsumerDoes;
use queue_lab::model::event::EventKind;
use queue_lab::model::simulation::Simulation;

/// A topic of one partition, and a group of so many threads.
fn threads(order: &str, count: u64, dials: &str, commands: &str) -> Simulation {
    let dials = format!(
        r#""partitions": 1, "workers": {count}, "processing": "{order}", "rebalance_seconds": 0, {dials}"#
    );
    log(ONE, &dials, commands)
}

/// The numbers of messages by what happened to them, in that order.
fn numbers(run: &Simulation, kind: EventKind) -> Vec<u64> {
    run.journal().last().filter(|event| event.kind == kind).map(|event| event.message.number()).collect()
}

fn is_in_order(numbers: &[u64]) -> bool {
    numbers.is_sorted() && !numbers.is_empty()
}

#[test]
fn one_partition_keeps_one_consumer_busy_unless_threads_share_it() {
    for (order, keys, expected) in [
        ("partition", 100, 2),
        ("key", 100, 8),
        ("key", 1, 2),
        // Records without a key have no order to keep.
        ("key", 0, 8),
        ("unordered", 1, 8),
    ] {
        let mut run = threads(order, 4, &format!(r#""c": 2, "p": 8, "keys": {keys}"#), "");
        to(&mut run, 100_000);
        let own = group(&run, 0);
        let done = own.counts.done / 100;
        assert!(done.abs_diff(expected) <= 1, "{order}, {keys} keys: {own:?}");
        let is_spread = order != "partition";
        assert_eq!((own.members, own.idle_members), if is_spread { (1, 0) } else { (4, 3) }, "{order}");
    }
}

#[test]
fn threads_overtake_each_other_and_those_of_one_key_do_not() {
    for (order, keys, is_kept) in
        [("partition", 1, true), ("key", 1, true), ("unordered", 1, false), ("key", 30, false)]
    {
        let dials = format!(r#""c": 2, "p": 5, "keys": {keys}, "work": "exponential", "seed": 4"#);
        let mut run = threads(order, 4, &dials, "");
        to(&mut run, 100_000);
        let finished = numbers(&run, EventKind::Finished);
        assert_eq!(is_in_order(&finished), is_kept, "{order}, {keys} keys");
        // Whoever overtakes, each is done once.
        let mut sorted = finished.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((sorted.len(), run.totals().duplicate_side_effects), (finished.len(), 0), "{order}");
    }
}

#[test]
fn a_record_that_fails_holds_up_the_commits_and_the_records_of_its_key_and_no_others() {
    let poisoned = |order: &str, keys: u64| {
        let dials = format!(r#""c": 2, "p": 4, "keys": {keys}, "retry": "retry-queue""#);
        let mut run = threads(order, 4, &dials, r#"{ "at": 10, "do": "poison", "messages": 1 }"#);
        to(&mut run, 60_000);
        (group(&run, 0), run)
    };
    let (own, run) = poisoned("unordered", 1);
    assert_eq!(own.partitions[0].committed, Some(40), "everything before the poison");
    assert_eq!(own.lag, 200, "it counts as lag, although it is done");
    assert!(own.counts.done > 190, "{own:?}");
    assert!(run.totals().failed_attempts > 20);
    let (own, _) = poisoned("key", 1);
    assert_eq!((own.partitions[0].committed, own.counts.done), (Some(40), 40), "all have its key");
    let (own, _) = poisoned("key", 8);
    assert!(own.counts.done > 190 && own.counts.done < 235, "seven of eight keys go on: {own:?}");
}

#[test]
fn a_client_that_dies_has_done_once_more_what_it_could_not_commit() {
    let dials = r#""c": 2, "p": 4, "keys": 1, "retry": "retry-queue""#;
    let mut run = threads("unordered", 2, dials, r#"{ "at": 10, "do": "poison", "messages": 1 }"#);
    to(&mut run, 40_000);
    let before = group(&run, 0);
    let beyond = before.counts.done - before.partitions[0].committed.unwrap_or_default();
    assert!(beyond > 50, "{before:?}");
    let crash = |number| consumer(number, ConsumerDoes::Crash);
    does(&mut run, &[crash(0), crash(1)]);
    assert_eq!(group(&run, 0).counts.sent_back, beyond);
    let restart = |number| consumer(number, ConsumerDoes::Restart);
    does(&mut run, &[restart(0), restart(1)]);
    to(&mut run, 200_000);
    assert_eq!(run.totals().duplicate_side_effects, beyond);
    assert!(run.ledger().balances());
}

#[test]
fn a_thread_that_dies_gives_its_record_back_and_the_group_notices_nothing() {
    let mut run = threads("unordered", 3, r#""c": 2, "p": 2, "keys": 0"#, "");
    to(&mut run, 10_100);
    let before = group(&run, 0);
    assert!(before.in_flight > 0, "{before:?}");
    does(&mut run, &[consumer(0, ConsumerDoes::Crash)]);
    to(&mut run, 30_100);
    let after = group(&run, 0);
    assert_eq!((after.generation, after.members), (before.generation, 1));
    assert!(after.lag <= 2, "{after:?}");
    assert_eq!(after.counts.sent_back, 0);
    // The last one too.
    does(&mut run, &[consumer(1, ConsumerDoes::Crash), consumer(2, ConsumerDoes::Crash)]);
    to(&mut run, 120_000);
    assert_eq!((group(&run, 0).members, group(&run, 0).lag > 150), (0, true));
    does(&mut run, &[consumer(2, ConsumerDoes::Restart)]);
    to(&mut run, 300_000);
    assert_eq!(group(&run, 0).members, 1);
    assert!(run.ledger().balances());
}

#[test]
fn a_client_that_is_stuck_reads_on_only_so_far() {
    let dials = r#""p": 400, "c": 1000, "keys": 1, "retry": "retry-queue""#;
    let mut run = threads("unordered", 1, dials, r#"{ "at": 1, "do": "poison", "messages": 1 }"#);
    to(&mut run, 60_000);
    let own = group(&run, 0);
    let committed = own.partitions[0].committed.unwrap_or_default();

    assert_eq!(own.partitions[0].position, Some(committed + 10_000));
    assert!(own.counts.done <= committed + 10_000, "{own:?}");
    does(&mut run, &[queue_lab::model::command::Command::DeployFix]);
    to(&mut run, 90_000);
    assert!(group(&run, 0).lag < 1_000, "{:?}", group(&run, 0));
}

#[test]
fn what_is_deleted_while_a_client_is_behind_is_never_worked_on() {
    let dials = r#""p": 20, "c": 1, "keys": 0, "retention": 20, "segment": 10, "offset_reset": "earliest""#;
    let mut run = threads("unordered", 2, dials, "");
    to(&mut run, 300_000);
    let own = group(&run, 0);
    assert!(own.counts.deleted_unread > 3_000, "{own:?}");
    assert!(own.counts.done > 400, "{own:?}");
}

#[test]
fn a_group_of_threads_is_sent_back_over_what_it_has_done() {
    let dials = r#""c": 2, "p": 4, "keys": 0"#;
    let mut run = threads(
        "unordered",
        4,
        dials,
        r#"{ "at": 20, "do": "stop", "consumers": "billing" },
           { "at": 30, "do": "reset-offsets", "group": "billing", "to": "earliest" },
           { "at": 31, "do": "start", "consumers": "billing" },
           { "at": 40, "do": "set", "settings": { "p": 0 } }"#,
    );
    to(&mut run, 120_000);
    let own = group(&run, 0);
    assert_eq!((own.lag, own.counts.sent_back), (0, own.counts.done - 160), "{own:?}");
    assert_eq!(run.totals().duplicate_side_effects, own.counts.sent_back);
    assert_eq!(run.remembered(), 0);
}

#[test]
fn a_client_whose_records_were_deleted_while_it_was_dead_goes_on_behind_them() {
    let dials = r#""p": 20, "c": 30, "keys": 0, "retention": 10, "segment": 10, "offset_reset": "earliest""#;
    let mut run = threads("unordered", 2, dials, "");
    to(&mut run, 10_000);
    does(&mut run, &[consumer(0, ConsumerDoes::Crash), consumer(1, ConsumerDoes::Crash)]);
    to(&mut run, 45_000);
    does(&mut run, &[consumer(0, ConsumerDoes::Restart), consumer(1, ConsumerDoes::Restart)]);
    to(&mut run, 120_000);
    let own = group(&run, 0);
    assert!(own.lag <= 5 && own.counts.deleted_unread > 100, "{own:?}");
    assert_eq!(own.counts.all() - own.counts.sent_back + own.lag, 2_400, "each is counted once");
}

#[test]
fn what_a_client_has_in_memory_is_done_once_although_the_log_has_deleted_it() {
    let dials = r#""p": 6, "c": 20, "keys": 3, "retention": 10, "segment": 5, "retry": "retry-queue""#;
    let commands = r#"{ "at": 10, "do": "poison", "messages": 1 }, { "at": 60, "do": "deploy-fix" }"#;
    let mut run = threads("key", 3, dials, commands);
    to(&mut run, 120_000);
    assert_eq!(run.totals().duplicate_side_effects, 0);
    assert!(group(&run, 0).lag <= 5, "{:?}", group(&run, 0));
    assert_eq!(run.remembered(), 0);
}

#[test]
fn attempts_go_on_being_counted_although_the_retry_topic_has_deleted_the_record() {
    let mut run = super::log_teams::with_retries(
        r#""p": 6, "c": 30, "attempts_max": 3, "retry_delay_seconds": 30, "billing-again.processing": "key",
           "retention": 10, "segment": 2"#,
        r#"{ "at": 10, "do": "poison", "messages": 3 }"#,
    );
    to(&mut run, 300_000);
    assert_eq!(run.totals().failed_attempts, 9);
    assert_eq!(group(&run, 0).counts.dead_lettered + group(&run, 1).counts.dead_lettered, 3);
}

#[test]
fn a_thread_that_hangs_does_not_stop_the_others_when_partitions_are_added() {
    let mut run = threads("unordered", 3, r#""p": 4, "c": 4, "keys": 0, "assignor": "range""#, "");
    to(&mut run, 10_100);
    does(&mut run, &[consumer(1, ConsumerDoes::Hang)]);
    let more = queue_lab::model::command::Command::AddPartitions { topic: super::log_teams::ORDERS, to: 3 };
    does(&mut run, &[more]);
    to(&mut run, 60_000);
    let own = group(&run, 0);
    assert!(own.counts.done > 220, "{own:?}");
}

#[test]
fn the_last_thread_that_leaves_commits_although_another_is_dead() {
    let mut run = threads("unordered", 2, r#""p": 4, "c": 10, "keys": 0, "commit_every": 30"#, "");
    to(&mut run, 20_000);
    does(&mut run, &[consumer(1, ConsumerDoes::Crash), super::log_teams::STOP]);
    to(&mut run, 22_000);
    let own = group(&run, 0);
    assert_eq!((own.members, own.counts.sent_back, own.uncommitted), (0, 0, 0), "{own:?}");
    assert_eq!(run.totals().duplicate_side_effects, 0);
}
