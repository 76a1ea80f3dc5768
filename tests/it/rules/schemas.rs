//! A producer changes the schema of its messages, with a check and without: who breaks, and what helps.

use super::{does, file, set, to};
use queue_lab::model::command::{Command, CommandRefused};
use queue_lab::model::event::EventKind;
use queue_lab::model::group::reset::ResetTo;
use queue_lab::model::message::MessageId;
use queue_lab::model::routes::{GroupIndex, QueueIndex, TopicIndex};
use queue_lab::model::schema::SchemaVersion;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::network::{GroupSnapshot, PoolSnapshot};

const CHANGE: Command = Command::ChangeSchema { producer: 0 };
const UPGRADE: Command = Command::UpgradeReaders { pool: 0 };
const STOP: Command = Command::StopConsumers { pool: 0 };
const START: Command = Command::StartConsumers { pool: 0 };

/// Check, change, whether it is registered; whether readers by the old schema break on new messages then,
/// and readers by the new one on old messages. Written down from the definitions: a field that is added
/// with a default can be read both ways; one that is added without is missed in old messages; one that is
/// removed is missed in new ones; another type can be read by nobody who does not know it.
const WHO_BREAKS: [(&str, &str, bool, bool, bool); 16] = [
    ("none", "add-optional", true, false, false),
    ("none", "add-required", true, false, true),
    ("none", "remove-required", true, true, false),
    ("none", "change-type", true, true, true),
    ("backward", "add-optional", true, false, false),
    ("backward", "add-required", false, false, true),
    ("backward", "remove-required", true, true, false),
    ("backward", "change-type", false, false, true),
    ("forward", "add-optional", true, false, false),
    ("forward", "add-required", true, false, true),
    ("forward", "remove-required", false, false, false),
    ("forward", "change-type", false, false, true),
    ("full", "add-optional", true, false, false),
    ("full", "add-required", false, false, true),
    ("full", "remove-required", false, false, false),
    ("full", "change-type", false, false, true),
];

/// The same messages in a queue and in a topic that two groups read, of which the second is upgraded.
fn side_by_side(check: &str, change: &str) -> Simulation {
    file(&format!(
        r#""topology": {{
            "producers": [ {{ "name": "a", "to": "jobs" }}, {{ "name": "b", "to": "orders", "like": "a" }} ],
            "queues": [ {{ "name": "jobs" }} ],
            "consumers": [ {{ "name": "workers", "from": "jobs" }} ],
            "topics": [ {{ "name": "orders" }} ],
            "groups": [ {{ "name": "billing", "from": "orders" }}, {{ "name": "search", "from": "orders" }} ]
        }},
        "settings": {{ "p": 2, "c": 30, "attempts": 1, "schema": "{change}", "schema_check": "{check}" }},
        "commands": [ {{ "at": 0, "do": "upgrade-readers", "consumers": "search" }},
                      {{ "at": 10, "do": "change-schema", "producer": "a" }},
                      {{ "at": 10, "do": "change-schema", "producer": "b" }} ]"#
    ))
}

/// One queue, with these dials.
fn queue(dials: &str) -> Simulation {
    file(&format!(r#""settings": {{ "capacity": "none", {dials} }}"#))
}

/// One topic, its topic for dead letters and one group, with these dials.
fn log(dials: &str) -> Simulation {
    file(&format!(
        r#""topology": {{
            "producers": [ {{ "name": "shop", "to": "orders" }} ],
            "topics": [ {{ "name": "orders" }}, {{ "name": "dead" }} ],
            "groups": [ {{ "name": "billing", "from": "orders", "dead_letters_to": "dead" }} ]
        }},
        "settings": {{ "rebalance_seconds": 0, {dials} }}"#
    ))
}

fn pool(simulation: &Simulation, place: usize) -> PoolSnapshot {
    simulation.snapshot().network.pools.into_iter().nth(place).expect("there is such a pool")
}

fn group(simulation: &Simulation) -> GroupSnapshot {
    simulation.snapshot().network.groups.into_iter().next().expect("there is a group")
}

fn unreadable(simulation: &Simulation) -> Vec<u64> {
    simulation.snapshot().network.pools.iter().map(|pool| pool.unreadable).collect()
}

fn events(simulation: &Simulation, kind: EventKind) -> Vec<MessageId> {
    simulation.journal().last().filter(|event| event.kind == kind).map(|event| event.message).collect()
}

#[test]
fn who_breaks_follows_from_the_check_the_change_and_who_was_upgraded() {
    for (check, change, is_registered, old_breaks, new_breaks) in WHO_BREAKS {
        let mut run = side_by_side(check, change);
        to(&mut run, 20_400);
        // 20 messages of each producer before the command, 20 after it.
        let (of_old, of_new) = if is_registered { (20, 20) } else { (40, 0) };
        let by_old = if old_breaks { of_new } else { 0 };
        let by_new = if new_breaks { of_old } else { 0 };
        let name = format!("{check}, {change}");
        assert_eq!(unreadable(&run), [by_old, by_old, by_new], "{name}: workers, billing, search");
        let snapshot = run.snapshot().network;
        let done: Vec<u64> = snapshot.groups.iter().map(|group| group.counts.done).collect();
        assert_eq!(done, [40 - by_old, 40 - by_new], "{name}: the others are done");
        assert_eq!((snapshot.totals.done, snapshot.totals.discarded), (40 - by_old, by_old), "{name}");
        let version = if is_registered { SchemaVersion::New } else { SchemaVersion::Old };
        assert!(snapshot.producers.iter().all(|sender| sender.schema == version), "{name}");
        let told = [EventKind::SchemaChanged, EventKind::SchemaRefused].map(|kind| events(&run, kind));
        let first_new = [MessageId::new(0, 21), MessageId::new(1, 21)].to_vec();
        let refused = [MessageId::new(0, 0), MessageId::new(1, 0)].to_vec();
        assert_eq!(told, if is_registered { [first_new, vec![]] } else { [vec![], refused] }, "{name}");
    }
}

#[test]
fn old_messages_in_line_stay_old_and_an_attempt_under_way_reads_as_it_began() {
    let mut run = queue(r#""p": 4, "c": 2, "attempts": 1, "dlq": "kept", "schema": "add-required""#);
    to(&mut run, 10_000);
    let before = run.ledger();
    assert_eq!((before.in_flight, before.offered), (1, 40));
    does(&mut run, &[CHANGE, UPGRADE, set("c", "100")]);
    to(&mut run, 20_100);
    let (ledger, left) = (run.ledger(), 40 - before.done - before.in_flight);
    assert!(left > 15, "{left} waited");
    assert_eq!((ledger.dead_letters, unreadable(&run)[0]), (left, left), "all that waited were old");
    assert_eq!(ledger.done, before.done + 1 + 40, "the one in hand, and all that came by the new schema");
    let first = run.snapshot().network.dead_letters.first().map(|letter| (letter.number, letter.attempts));
    assert_eq!(first, Some((before.done + 2, 1)));
}

#[test]
fn a_retry_in_place_is_an_attempt_of_its_own_and_reads_by_what_was_deployed_meanwhile() {
    let dials = r#""p": 1, "c": 10, "retry": "in-place", "delay": 2, "schema": "remove-required""#;
    let mut run = queue(dials);
    to(&mut run, 3_500);
    does(&mut run, &[CHANGE]);
    to(&mut run, 9_000);
    let held = pool(&run, 0);
    assert!(held.unreadable >= 2 && run.ledger().done == 3, "message 4 is tried again and again: {held:?}");
    does(&mut run, &[Command::DeployFix]);
    to(&mut run, 15_000);
    assert!(run.ledger().done == 3, "a fix does not help who cannot read");
    does(&mut run, &[UPGRADE]);
    to(&mut run, 20_500);
    assert_eq!((run.ledger().done, run.ledger().waiting), (20, 0), "nothing was lost");
    assert_eq!(events(&run, EventKind::ReadersUpgraded), [MessageId::new(0, 0)]);
}

#[test]
fn in_a_log_it_stops_its_partitions_until_the_group_is_upgraded() {
    let mut run = log(r#""p": 3, "c": 30, "retry": "in-place", "delay": 1, "schema": "change-type""#);
    to(&mut run, 10_100);
    does(&mut run, &[CHANGE]);
    to(&mut run, 20_100);
    let stuck = group(&run);
    assert_eq!((stuck.counts.done, stuck.lag), (30, 30), "all three partitions wait");
    does(&mut run, &[UPGRADE]);
    to(&mut run, 30_200);
    assert_eq!((group(&run).counts.done, group(&run).lag), (90, 0));
}

#[test]
fn what_is_read_again_after_a_reset_is_as_old_as_it_was() {
    for (change, breaks) in [("add-required", 30), ("remove-required", 0), ("change-type", 30)] {
        let mut run = log(&format!(r#""p": 3, "c": 30, "attempts": 1, "schema": "{change}""#));
        to(&mut run, 10_100);
        does(&mut run, &[UPGRADE, CHANGE]);
        to(&mut run, 20_100);
        assert_eq!((group(&run).counts.done, unreadable(&run)[0]), (60, 0), "old by old, and new by new");
        does(&mut run, &[STOP]);
        to(&mut run, 25_000);
        let again = Command::ResetOffsets { group: GroupIndex(0), partition: None, to: ResetTo::Earliest };
        does(&mut run, &[again, START]);
        to(&mut run, 40_200);
        assert_eq!(unreadable(&run)[0], breaks, "{change}: the 30 old records, read by the new schema");
        assert_eq!((group(&run).lag, group(&run).counts.dead_lettered), (0, breaks), "{change}");
    }
}

#[test]
fn dead_letters_of_a_queue_are_read_after_the_upgrade_and_not_after_a_fix() {
    let mut run = queue(r#""p": 2, "c": 30, "attempts": 2, "dlq": "kept", "schema": "remove-required""#);
    to(&mut run, 10_100);
    does(&mut run, &[CHANGE]);
    to(&mut run, 15_100);
    assert_eq!((run.ledger().dead_letters, unreadable(&run)[0]), (10, 20), "two attempts each");
    let redrive = Command::Redrive { from: QueueIndex(1), to: QueueIndex(0), rate: None };
    does(&mut run, &[set("p", "0"), Command::DeployFix, redrive]);
    to(&mut run, 17_000);
    assert_eq!((run.ledger().dead_letters, unreadable(&run)[0]), (10, 40), "they come back");
    does(&mut run, &[UPGRADE, redrive]);
    to(&mut run, 19_000);
    assert_eq!((run.ledger().dead_letters, run.ledger().done, unreadable(&run)[0]), (0, 30, 40));
}

#[test]
fn dead_letters_of_a_topic_are_read_once_the_group_is_upgraded_and_they_are_sent_back() {
    let mut run = log(r#""p": 3, "c": 30, "attempts": 1, "schema": "remove-required""#);
    let send_back = Command::SendBack { from: TopicIndex(1), to: TopicIndex(0), rate: None };
    to(&mut run, 10_100);
    does(&mut run, &[CHANGE]);
    to(&mut run, 15_100);
    assert_eq!(group(&run).counts.dead_lettered, 15);
    does(&mut run, &[set("p", "0"), Command::DeployFix, send_back]);
    to(&mut run, 18_000);
    assert_eq!(group(&run).counts.dead_lettered, 30, "a fix does not help who cannot read");
    does(&mut run, &[UPGRADE, send_back]);
    to(&mut run, 21_000);
    let counts = group(&run).counts;
    assert_eq!((counts.done, counts.dead_lettered, unreadable(&run)[0]), (45, 30, 30));
    assert_eq!(run.totals().duplicate_side_effects, 0, "each had its one effect");
}

#[test]
fn what_one_pool_cannot_read_another_pool_of_the_queue_can() {
    let mut run = file(
        r#""topology": { "consumers": [ { "name": "old", "from": "queue" }, { "name": "new", "from": "queue" } ] },
           "settings": { "p": 2, "c": 5, "schema": "remove-required" },
           "commands": [ { "at": 0, "do": "change-schema" },
                         { "at": 0, "do": "upgrade-readers", "consumers": "new" } ]"#,
    );
    to(&mut run, 30_900);
    let (old, new) = (pool(&run, 0), pool(&run, 1));
    assert!(old.unreadable >= 20 && new.unreadable == 0, "{old:?} {new:?}");
    assert_eq!((old.schema, new.schema), (SchemaVersion::Old, SchemaVersion::New));
    assert!(run.ledger().done >= 58, "what the one gives back the other does: {:?}", run.ledger());
}

#[test]
fn who_cannot_read_a_message_asks_nobody_for_it_and_has_no_side_effect() {
    let dials = r#""p": 2, "c": 30, "attempts": 1, "downstream": 100, "schema": "change-type""#;
    let mut run = queue(dials);
    to(&mut run, 10_100);
    does(&mut run, &[CHANGE]);
    to(&mut run, 20_400);
    let asked = run.snapshot().network.downstream.map(|downstream| downstream.asked);
    assert_eq!((asked, run.totals().side_effects, unreadable(&run)[0]), (Some(20), 20, 20));
    assert_eq!(run.totals().failed_attempts, 20);
}

#[test]
fn a_message_that_is_held_back_was_written_before_the_change() {
    let dials = r#""p": 1, "c": 0, "capacity": 1, "overflow": "block", "schema": "remove-required""#;
    let mut run = file(&format!(r#""settings": {{ {dials}, "attempts": 1 }}"#));
    to(&mut run, 10_000);
    assert_eq!((run.ledger().offered, run.ledger().held_back), (3, 1));
    does(&mut run, &[CHANGE, Command::Burst { count: 2 }, set("c", "100")]);
    to(&mut run, 10_500);
    assert_eq!((run.ledger().done, unreadable(&run)[0]), (3, 2), "the burst comes by the new schema");
}

#[test]
fn what_there_is_nothing_of_is_refused_with_the_reason() {
    let mut none = queue(r#""p": 1"#);
    assert_eq!(none.apply(CHANGE), Err(CommandRefused::NoSchemaChange));
    let mut run = queue(r#""p": 1, "schema": "add-optional""#);
    assert_eq!(run.apply(CHANGE), Ok(()));
    assert_eq!(run.apply(CHANGE), Err(CommandRefused::SchemaChangedAlready));
    assert_eq!((run.apply(UPGRADE), run.apply(UPGRADE)), (Ok(()), Err(CommandRefused::UpgradedAlready)));
    let elsewhere = [Command::ChangeSchema { producer: 9 }, Command::UpgradeReaders { pool: 9 }];
    assert_eq!(elsewhere.map(|command| run.apply(command)), [Ok(()), Ok(())], "there is no such place");
    to(&mut run, 10_000);
    assert_eq!(unreadable(&run), [0]);
}

#[test]
fn a_change_that_was_refused_can_be_registered_when_the_check_is_off() {
    let mut run = queue(r#""p": 2, "c": 30, "attempts": 1, "schema": "change-type", "schema_check": "full""#);
    to(&mut run, 5_100);
    does(&mut run, &[CHANGE]);
    to(&mut run, 10_100);
    assert_eq!((unreadable(&run)[0], run.ledger().done), (0, 20));
    does(&mut run, &[set("schema_check", "none"), CHANGE]);
    to(&mut run, 15_100);
    assert_eq!((unreadable(&run)[0], run.ledger().done), (10, 20));
}

#[test]
fn a_run_without_a_change_has_the_state_that_it_has_without_schemas() {
    let hash = |dials: &str| {
        let mut run = queue(&format!(r#""p": 6, "c": 6, "fail": 10 {dials}"#));
        to(&mut run, 60_000);
        run.state_hash()
    };
    let plain = hash("");
    assert_eq!(plain, hash(r#", "schema": "change-type", "schema_check": "full""#));
}

#[test]
fn consumers_that_go_over_to_a_queue_that_is_split_off_read_on_as_they_did() {
    for is_upgraded in [true, false] {
        let upgrade =
            if is_upgraded { r#"{ "at": 1, "do": "upgrade-readers", "consumers": "all" },"# } else { "" };
        let mut run = file(&format!(
            r#""topology": {{
                "producers": [ {{ "name": "shop", "to": "mail", "split_to": "bulk" }} ],
                "queues": [ {{ "name": "mail" }}, {{ "name": "bulk", "split_from": "mail" }} ],
                "consumers": [ {{ "name": "all", "from": "mail" }},
                               {{ "name": "some", "from": "bulk", "split_from": "all" }} ]
            }},
            "settings": {{ "p": 2, "c": 30, "workers": 3, "some.workers": 2, "attempts": 1,
                           "schema": "remove-required" }},
            "commands": [ {upgrade} {{ "at": 5, "do": "split-queues", "queue": "mail" }},
                          {{ "at": 5, "do": "change-schema" }} ]"#
        ));
        to(&mut run, 10_400);
        assert_eq!(unreadable(&run), [0, if is_upgraded { 0 } else { 10 }], "upgraded: {is_upgraded}");
    }
}
