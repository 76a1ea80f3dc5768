//! What a snapshot tells of a partition, beside its offsets: who has what in hand, how often the first
//! record was tried, and which records ahead fail every time.

use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::ConsumerHealth;
use queue_lab::model::snapshot::network::{LaneSnapshot, TopicSnapshot};
use queue_lab::model::time::{Instant, Span};

use super::{consumer, file, to};

fn log(settings: &str, commands: &str) -> Simulation {
    file(&format!(
        r#""topology": {{
            "producers": [ {{ "name": "shop", "to": "orders" }} ],
            "topics": [ {{ "name": "orders" }} ],
            "groups": [ {{ "name": "billing", "from": "orders" }} ]
        }},
        "settings": {{ {settings}, "orders.partition_count": 1 }},
        "commands": [ {commands} ]"#
    ))
}

fn lane(run: &Simulation) -> LaneSnapshot {
    run.snapshot().network.groups[0].partitions[0]
}

fn topic(run: &Simulation) -> TopicSnapshot {
    run.snapshot().network.topics.swap_remove(0)
}

const RETRIES_FOR_EVER: &str = r#""p": 4, "c": 2, "billing.attempts_max": "none", "billing.retry_place": "in-place",
    "billing.retry_delay_seconds": 1"#;

#[test]
fn attempts_at_the_first_record_are_counted_until_it_is_done() {
    let mut run = log(RETRIES_FOR_EVER, r#"{ "at": 1, "do": "poison", "messages": 1 }"#);
    let mut seen = Vec::new();
    for second in 2..20 {
        to(&mut run, second * 1_000);
        let lane = lane(&run);
        assert_eq!(lane.poison_offsets().next(), Some(4), "the fifth record is poison");
        if lane.head == 4 {
            seen.push(lane.head_attempts);
        }
    }
    assert!(seen.first().is_some_and(|first| *first <= 2) && seen.last() > Some(&8), "{seen:?}");
    assert!(seen.is_sorted(), "{seen:?}");
    run.apply(Command::DeployFix).expect("it can be applied");
    to(&mut run, 30_000);
    let after = lane(&run);
    assert_eq!((after.poison, after.head_attempts), (0, 1), "the fix ends it: {after:?}");
    assert!(after.head > 4);
}

#[test]
fn poison_is_seen_ahead_as_far_as_it_is_told_and_no_further() {
    let settings = r#""p": 100, "c": 1"#;
    let mut run = log(settings, r#"{ "at": 0.3, "do": "poison", "messages": 2 }"#);
    to(&mut run, 900);
    let lane_then = lane(&run);
    assert_eq!(lane_then.head, 0);
    assert_eq!(lane_then.poison_offsets().collect::<Vec<_>>(), [30, 31]);
    let mut far = log(settings, r#"{ "at": 0.32, "do": "poison", "messages": 1 }"#);
    to(&mut far, 900);
    assert_eq!(lane(&far).poison, 0, "it lies 32 places ahead");
}

#[test]
fn what_is_in_hand_is_between_what_is_done_and_the_position() {
    let mut run = log(r#""p": 8, "c": 2, "billing.commit_interval_seconds": 5"#, "");
    to(&mut run, 4_250);
    let lane = lane(&run);
    let committed = lane.committed.expect("it has committed its start");
    assert_eq!((lane.in_hand, lane.head_attempts), (1, 1));
    assert!(committed < lane.head, "it has done what it has not committed: {lane:?}");
    assert_eq!(lane.position, Some(lane.head + 1));
}

#[test]
fn a_dead_reader_is_told_with_its_partition() {
    let mut run = log(r#""p": 4, "c": 6"#, "");
    to(&mut run, 2_000);
    assert_eq!((lane(&run).reader, lane(&run).reader_health), (Some(1), Some(ConsumerHealth::Up)));
    run.apply(consumer(0, ConsumerDoes::CrashLoop)).expect("it can be applied");
    to(&mut run, 4_000);
    assert_eq!(lane(&run).reader_health, Some(ConsumerHealth::CrashLoop), "its session is not over yet");
}

#[test]
fn a_topic_tells_how_long_it_keeps_and_when_the_newest_record_came() {
    let mut run = log(r#""p": 4, "c": 6, "orders.message_retention_seconds": 60"#, "");
    assert_eq!(
        (topic(&run).kept_for, topic(&run).partitions[0].newest_at),
        (Some(Span::from_seconds(60)), None)
    );
    to(&mut run, 1_100);
    assert_eq!(topic(&run).partitions[0].newest_at, Some(Instant::from_seconds(1)));
    let kept_for_ever = log(r#""orders.message_retention_seconds": "none""#, "");
    assert_eq!(topic(&kept_for_ever).kept_for, None);
}
