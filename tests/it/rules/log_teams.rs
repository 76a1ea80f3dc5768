//! Several groups of a topic, groups that join later, offsets that are reset, partitions that are added,
//! and records that go on from one topic to another.

use super::{consumer, does, file, to};
use queue_lab::model::command::{Command, CommandRefused, ConsumerDoes};
use queue_lab::model::event::EventKind;
use queue_lab::model::group::reset::{ResetRefused, ResetScope, ResetTo};
use queue_lab::model::partitioned_log::PartitionsRefused;
use queue_lab::model::partitioned_log::partitioner::{moves, partition_of_key};
use queue_lab::model::routes::{GroupIndex, TopicIndex};
use queue_lab::model::series::Resolution;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::network::GroupSnapshot;
use queue_lab::model::time::Instant;

const BILLING: GroupIndex = GroupIndex(0);
pub(super) const ORDERS: TopicIndex = TopicIndex(0);
pub(super) const STOP: Command = Command::StopConsumers { pool: 0 };
const START: Command = Command::StartConsumers { pool: 0 };

/// The run of one producer, one topic and these groups, with these settings and commands.
pub(super) fn log(groups: &str, settings: &str, commands: &str) -> Simulation {
    with_topics(r#"{ "name": "orders" }"#, groups, settings, commands)
}

pub(super) fn with_topics(topics: &str, groups: &str, settings: &str, commands: &str) -> Simulation {
    file(&format!(
        r#""topology": {{
            "producers": [ {{ "name": "shop", "to": "orders" }} ],
            "topics": [ {topics} ],
            "groups": [ {groups} ]
        }},
        "settings": {{ {settings} }},
        "commands": [ {commands} ]"#
    ))
}

pub(super) const ONE: &str = r#"{ "name": "billing", "from": "orders" }"#;
pub(super) const TWO: &str =
    r#"{ "name": "billing", "from": "orders" }, { "name": "search", "from": "orders" }"#;
const ONE_LATER: &str = r#"{ "name": "billing", "from": "orders" },
    { "name": "search", "from": "orders", "joins_later": true }"#;

/// A group whose failures go to a topic for retries, and from there to one for dead letters.
pub(super) fn with_retries(settings: &str, commands: &str) -> Simulation {
    with_topics(
        r#"{ "name": "orders" }, { "name": "again" }, { "name": "dead" }"#,
        r#"{ "name": "billing", "from": "orders", "retry_to": "again", "dead_letters_to": "dead" },
           { "name": "billing-again", "from": "again", "retry_to": "again", "dead_letters_to": "dead" }"#,
        settings,
        commands,
    )
}

pub(super) fn group(simulation: &Simulation, place: usize) -> GroupSnapshot {
    simulation.snapshot().network.groups.into_iter().nth(place).expect("there is such a group")
}

pub(super) fn reset(partition: Option<u32>, to: ResetTo) -> Command {
    Command::ResetOffsets { group: BILLING, partition, to }
}

fn lags(simulation: &Simulation, place: usize) -> Vec<u64> {
    group(simulation, place).partitions.iter().map(|lane| lane.lag).collect()
}

/// Stops the group, waits until its members have left, resets, and starts it again.
pub(super) fn send_back(simulation: &mut Simulation, to_what: ResetTo) {
    does(simulation, &[STOP]);
    let millis = simulation.now().micros() / 1_000 + 5_000;
    to(simulation, millis);
    assert_eq!(group(simulation, 0).members, 0, "they have left");
    does(simulation, &[reset(None, to_what), START]);
}

#[test]
fn every_group_reads_all_records_and_counts_its_own() {
    let mut run = log(TWO, r#""p": 6, "c": 30, "search.c": 2, "search.workers": 1"#, "");
    to(&mut run, 30_000);
    let (billing, search) = (group(&run, 0), group(&run, 1));
    assert!(billing.counts.done >= 179 && billing.lag <= 1, "{billing:?}");
    assert!(search.counts.done.abs_diff(60) <= 1, "2 a second, whatever the other group does");
    assert_eq!(search.counts.done + search.lag, 180, "the log keeps what one group has done for the other");
    let totals = run.totals();
    assert_eq!(totals.side_effects, billing.counts.done + search.counts.done);
    assert_eq!(totals.duplicate_side_effects, 0, "each record has one effect for each group");
}

#[test]
fn a_group_meets_the_same_fate_whoever_else_reads() {
    let dials = r#""p": 20, "c": 30, "work": "exponential", "fail": 20, "retry_place": "in-place"#;
    let dials = format!("{dials}\", \"retry_delay_seconds\": 1");
    let (mut alone, mut with_others) = (log(ONE, &dials, ""), log(TWO, &dials, ""));
    to(&mut alone, 60_000);
    to(&mut with_others, 60_000);
    assert_eq!(group(&alone, 0), group(&with_others, 0));
    let (billing, search) = (group(&with_others, 0), group(&with_others, 1));
    assert_ne!(billing.partitions, search.partitions, "the second group has draws of its own");
}

#[test]
fn a_group_that_joins_later_begins_where_its_policy_says() {
    for (policy, done) in [("earliest", 120), ("latest", 60)] {
        let dials = format!(r#""p": 6, "c": 30, "rebalance_seconds": 0, "search.offset_reset": "{policy}""#);
        let mut run = log(ONE_LATER, &dials, r#"{ "at": 10, "do": "join", "consumers": "search" }"#);
        to(&mut run, 9_900);
        let before = group(&run, 1);
        assert_eq!((before.members, before.lag, before.counts.done), (0, 0, 0), "it is not there yet");
        to(&mut run, 20_000);
        let (billing, search) = (group(&run, 0), group(&run, 1));
        assert!(billing.counts.done.abs_diff(120) <= 1);
        assert!(search.counts.done.abs_diff(done) <= 1, "{policy}: {:?}", search.counts);
        assert_eq!(search.counts.passed_over, 120 - done, "{policy}: what it never reads is counted");
    }
}

#[test]
fn what_was_deleted_before_a_group_joined_was_never_its_own() {
    let dials = r#""p": 6, "c": 3000, "rebalance_seconds": 0, "offset_reset": "earliest",
        "retention": 60, "segment_max_records": 20"#;
    let mut run = log(ONE_LATER, dials, r#"{ "at": 600, "do": "join", "consumers": "search" }"#);
    to(&mut run, 700_000);
    let (counts, kept) = (group(&run, 1).counts, 6 * 60);
    assert_eq!((counts.deleted_unread, counts.passed_over), (0, 0));
    assert!(counts.done >= 600 + kept && counts.done < 3_600, "{counts:?}");
}

#[test]
fn a_second_team_at_a_queue_takes_half_of_it_and_at_a_topic_all() {
    let mut run = file(
        r#""topology": {
            "producers": [ { "name": "a", "to": "jobs" }, { "name": "b", "to": "orders", "like": "a" } ],
            "queues": [ { "name": "jobs" } ],
            "consumers": [ { "name": "first", "from": "jobs" },
                           { "name": "second", "from": "jobs", "joins_later": true } ],
            "topics": [ { "name": "orders" } ],
            "groups": [ { "name": "billing", "from": "orders" },
                        { "name": "search", "from": "orders", "joins_later": true } ]
        },
        "settings": { "p": 8, "c": 4, "second.c": 4, "rebalance_seconds": 0, "capacity": 0 },
        "commands": [ { "at": 100, "do": "join", "consumers": "second" },
                      { "at": 100, "do": "join", "consumers": "search" } ]"#,
    );
    to(&mut run, 100_000);
    let before = run.ledger().done;
    assert!(before.abs_diff(400) <= 1, "one team keeps up with half: {before}");
    to(&mut run, 200_000);
    assert!((run.ledger().done - before).abs_diff(800) <= 2, "two teams share what comes");
    let busy: Vec<u64> = run.snapshot().network.pools.iter().take(2).map(|pool| pool.busy).collect();
    assert_eq!(busy, [1, 1], "each has its half in hand");
    let search = group(&run, 1);
    assert!(search.counts.done + search.lag + search.counts.passed_over == 1_600, "the other team has all");
}

#[test]
fn producers_that_are_alike_send_the_same_messages_with_the_same_fate() {
    let mut run = file(
        r#""topology": {
            "producers": [ { "name": "a", "to": "jobs" }, { "name": "b", "to": "orders", "like": "a" } ],
            "queues": [ { "name": "jobs" } ],
            "consumers": [ { "name": "workers", "from": "jobs" } ],
            "topics": [ { "name": "orders" } ],
            "groups": [ { "name": "billing", "from": "orders" } ]
        },
        "settings": { "p": 5, "c": 100, "arrivals": "poisson", "work": "log-normal", "fail": 10, "poison": 5,
                      "rebalance_seconds": 0, "attempts_max": 1, "dead_letters": "discarded", "partitions": 1 },
        "commands": [ { "at": 20, "do": "poison", "messages": 1 } ]"#,
    );
    to(&mut run, 120_000);
    let of = |kind: EventKind, producer: u16| -> Vec<(u64, u64)> {
        let events = run.journal().last().filter(|event| event.kind == kind);
        // The journal keeps the last events.
        let is_own = |number: u64, of: u16| of == producer && number > 200;
        let own = events.filter(|event| is_own(event.message.number(), event.message.producer_index()));
        own.map(|event| (event.at.micros(), event.message.number())).collect()
    };
    assert!(of(EventKind::Offered, 0).len() > 300 && of(EventKind::Failed, 0).len() > 30);
    for kind in [EventKind::Offered, EventKind::Started, EventKind::Failed, EventKind::Finished] {
        assert!(of(kind, 0) == of(kind, 1), "{kind:?}");
    }
}

#[test]
fn offsets_are_reset_only_while_the_group_is_stopped() {
    let mut run = log(ONE, r#""p": 6, "c": 30, "workers": 2"#, "");
    to(&mut run, 20_000);
    let refused = run.apply(reset(None, ResetTo::Earliest));
    assert_eq!(refused, Err(CommandRefused::NotReset(ResetRefused::GroupIsActive { members: 2 })));
    does(&mut run, &[consumer(0, ConsumerDoes::Crash), consumer(1, ConsumerDoes::Crash)]);
    to(&mut run, 30_000);
    assert!(run.apply(reset(None, ResetTo::Earliest)).is_err(), "who has died is still waited for");
    to(&mut run, 70_000);
    does(&mut run, &[reset(None, ResetTo::Earliest)]);
    assert_eq!(group(&run, 0).lag, 420, "everything is to be read again");
}

#[test]
fn a_reset_by_a_scenario_that_cannot_be_done_changes_nothing_and_says_so() {
    let command = r#"{ "at": 10, "do": "reset-offsets", "to": "earliest" }"#;
    let mut run = log(ONE, r#""p": 6, "c": 30"#, command);
    to(&mut run, 11_000);
    assert!(run.journal().last().any(|event| event.kind == EventKind::ResetRefused));
    assert_eq!(group(&run, 0).counts.sent_back, 0);
}

#[test]
fn a_dry_run_says_what_the_reset_does() {
    let mut run = log(ONE, r#""p": 6, "c": 30, "partitions": 3"#, "");
    to(&mut run, 30_000);
    does(&mut run, &[STOP]);
    to(&mut run, 40_000);
    let targets = [
        ResetTo::Shift(-10),
        ResetTo::Time(Instant::from_seconds(12)),
        ResetTo::Offset(7),
        ResetTo::Latest,
        ResetTo::Earliest,
    ];
    for target in targets {
        let before = group(&run, 0);
        let plan = run.plan_reset(BILLING, &ResetScope::All, target).expect("it is stopped");
        assert_eq!(group(&run, 0), before, "a dry run changes nothing");
        does(&mut run, &[reset(None, target)]);
        let committed: Vec<_> = group(&run, 0).partitions.iter().map(|lane| lane.committed).collect();
        assert_eq!(committed, plan.iter().map(|planned| Some(planned.to)).collect::<Vec<_>>(), "{target:?}");
    }
    does(&mut run, &[reset(Some(1), ResetTo::Latest)]);
    let all = lags(&run, 0);
    assert_eq!(all[1], 0, "only that partition was moved: {all:?}");
    assert!(all[0] > 0 && all[2] > 0);
}

#[test]
fn what_is_read_again_has_its_effects_again() {
    let mut run = log(ONE, r#""p": 6, "c": 60, "rebalance_seconds": 0"#, "");
    to(&mut run, 20_000);
    let once = group(&run, 0).counts.done;
    send_back(&mut run, ResetTo::Earliest);
    to(&mut run, 60_000);
    let counts = group(&run, 0).counts;
    assert_eq!(run.totals().duplicate_side_effects, counts.sent_back);
    assert!(counts.sent_back >= once && group(&run, 0).lag <= 1, "{counts:?}");
    let distinct = run.totals().side_effects - run.totals().duplicate_side_effects;
    assert_eq!(distinct + group(&run, 0).lag, 360, "each message had one at least");
}

#[test]
fn a_record_of_what_was_done_makes_reading_again_harmless() {
    for (dedupe, duplicates) in [("before", false), ("after", false), ("together", false), ("off", true)] {
        let dials = format!(r#""p": 6, "c": 60, "rebalance_seconds": 0, "dedupe": "{dedupe}""#);
        let mut run = log(ONE, &dials, "");
        to(&mut run, 20_000);
        send_back(&mut run, ResetTo::Earliest);
        to(&mut run, 60_000);
        assert_eq!(run.totals().duplicate_side_effects > 0, duplicates, "{dedupe}");
        assert!(group(&run, 0).counts.sent_back > 100, "{dedupe}");
    }
}

#[test]
fn a_record_that_was_given_up_has_its_first_effect_when_it_is_read_again() {
    let dials = r#""p": 6, "c": 60, "rebalance_seconds": 0, "attempts_max": 1"#;
    let mut run = log(ONE, dials, r#"{ "at": 5, "do": "poison", "messages": 3 }"#);
    to(&mut run, 20_000);
    assert_eq!(group(&run, 0).counts.skipped, 3);
    does(&mut run, &[Command::DeployFix]);
    send_back(&mut run, ResetTo::Time(Instant::from_seconds(5)));
    to(&mut run, 60_000);
    let (totals, counts) = (run.totals(), group(&run, 0).counts);
    assert_eq!(totals.duplicate_side_effects, counts.sent_back - 3, "three of them had none before");
}

#[test]
fn wrong_results_are_put_right_by_reading_them_again_after_the_fix() {
    let mut run = log(ONE, r#""p": 6, "c": 60, "rebalance_seconds": 0, "wrong": 50"#, "");
    to(&mut run, 20_000);
    let wrong = group(&run, 0).counts.done_wrong;
    assert!(wrong > 40, "{wrong}");
    does(&mut run, &[Command::DeployFix]);
    send_back(&mut run, ResetTo::Earliest);
    to(&mut run, 60_000);
    let counts = group(&run, 0).counts;
    assert_eq!(counts.done_wrong, wrong, "no more of them");
    assert_eq!(counts.done + counts.done_wrong + group(&run, 0).lag, 360 + counts.sent_back);
}

#[test]
fn partitions_that_are_added_get_readers_and_the_keys_that_belong_there() {
    let dials = r#""p": 40, "c": 100, "workers": 6, "keys": 50, "rebalance_seconds": 0"#;
    let mut run = log(ONE, dials, r#"{ "at": 30, "do": "add-partitions", "partition_count": 6 }"#);
    to(&mut run, 29_900);
    let before = group(&run, 0);
    assert_eq!((before.partitions.len(), before.idle_members), (3, 3));
    to(&mut run, 90_000);
    let after = group(&run, 0);
    assert_eq!((after.partitions.len(), after.idle_members, after.lag <= 1), (6, 0, true), "{after:?}");
    assert_eq!(run.settings().partitions, 6, "the dial shows it");
    let logs = &run.broker().logs;
    let of_new = (3..6_u32).filter_map(|new| logs.topic(ORDERS).partition(new)).map(|new| new.len());
    assert!(of_new.sum::<u64>() > 500, "records of keys that moved");
    let moved = (0..50).filter(|key: &u64| moves(key.to_string().as_bytes(), 3, 6)).count();
    assert!(moved > 10 && moved < 40, "{moved} of 50 keys go elsewhere");
    let asked = Command::AddPartitions { topic: ORDERS, to: 6 };
    let refused = PartitionsRefused::NotMore { has: 6, asked: 6 };
    assert_eq!(run.apply(asked), Err(CommandRefused::NoPartitions(refused)));
}

#[test]
fn poison_for_a_partition_comes_to_that_one_and_blocks_no_other() {
    let dials =
        r#""p": 6, "c": 30, "workers": 3, "keys": 40, "retry_place": "in-place", "retry_delay_seconds": 1"#;
    let own = partition_of_key(b"7", 3);
    let poison = format!(r#"{{ "at": 10, "do": "poison-partition", "partition": {own}, "messages": 1 }}"#);
    let mut run = log(ONE, dials, &poison);
    to(&mut run, 60_000);
    let lags = lags(&run, 0);
    for (partition, lag) in (0_u32..).zip(&lags) {
        assert_eq!(*lag > 30, partition == own, "{lags:?}");
    }
}

#[test]
fn the_course_of_a_group_is_that_of_its_worst_partition_whichever_that_is() {
    let mut run = log(
        ONE,
        r#""p": 24, "c": 30, "workers": 12, "partitions": 12, "rebalance_seconds": 0, "retry": "in-place""#,
        r#"{ "at": 10, "do": "poison-partition", "topic": "orders", "partition": 11, "messages": 1 }"#,
    );
    to(&mut run, 60_000);
    let own = group(&run, 0);
    let worst = own.partitions.last().map_or(0, |lane| lane.lag);
    assert!(worst > 80 && own.lag_max == worst, "{own:?}");
    let lags = run.lags(BILLING).expect("there is one group");
    let course: Vec<u64> = lags.worst().finished(Resolution::Second).map(|bucket| bucket.lag.last).collect();
    assert_eq!(course.len(), 60);
    assert!(course[59].abs_diff(worst) <= 2, "{course:?}");
    assert!(course[..9].iter().all(|lag| *lag <= 2), "{course:?}");
}
