//! What a group does with what it gives up, and what stands in a topic for dead letters.

use super::log_teams::{ORDERS, TWO, group, log, with_retries};
use super::{does, to};
use queue_lab::model::command::{Command, CommandRefused};
use queue_lab::model::message::DeathReason;
use queue_lab::model::routes::TopicIndex;

const DEAD: TopicIndex = TopicIndex(2);
const DIALS: &str = r#""p": 6, "c": 30, "rebalance_seconds": 0, "retry_delay_seconds": 1, "attempts_max": 2"#;

#[test]
fn a_group_skips_what_it_gives_up_although_it_names_a_topic_for_it() {
    for (setting, dead, skipped) in [("discarded", 3, 0), ("kept", 3, 0), ("skipped", 0, 3)] {
        let dials = format!(r#"{DIALS}, "dead_letters": "{setting}""#);
        let mut run = with_retries(&dials, r#"{ "at": 10, "do": "poison", "messages": 3 }"#);
        to(&mut run, 30_000);
        let again = group(&run, 1);
        assert_eq!((again.counts.dead_lettered, again.counts.skipped), (dead, skipped), "{setting}");
        assert_eq!(run.snapshot().network.topics[2].takes_dead_letters, dead > 0, "{setting}");
        assert!(run.ledger().balances());
    }
}

#[test]
fn tried_in_place_nothing_goes_to_the_topic_for_retries() {
    let dials = format!(r#"{DIALS}, "retry_place": "in-place""#);
    let mut run = with_retries(&dials, r#"{ "at": 10, "do": "poison", "messages": 2 }"#);
    to(&mut run, 30_000);
    assert_eq!((group(&run, 0).counts.sent_to_retry, group(&run, 0).counts.dead_lettered), (0, 2));
    let topics = run.snapshot().network.topics;
    assert_eq!(topics.iter().map(|topic| topic.takes_retries).collect::<Vec<_>>(), [false; 3]);
    assert_eq!(topics.iter().map(|topic| topic.is_for_retries).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn dead_letters_in_a_topic_are_named_with_where_they_came_from_and_each_time_they_came() {
    let mut run = with_retries(DIALS, r#"{ "at": 10, "do": "poison", "messages": 2 }"#);
    to(&mut run, 30_000);
    let letters = run.snapshot().network.dead_letters;
    assert_eq!(letters.len(), 2);
    for letter in &letters {
        let place = letter.place.as_ref().expect("a group read it");
        assert_eq!((letter.queue.as_str(), place.group.as_str()), ("dead", "billing"));
        let came_to = &run.snapshot().network.topics[0].partitions[place.partition as usize];
        assert!(place.offset < came_to.log_end, "it stands there still");
        assert_eq!((letter.attempts, letter.reason), (2, DeathReason::Rejected));
        assert_eq!(letter.history.len(), 1);
        assert_eq!(run.now().since(letter.history[0].at), letter.age);
    }
    does(&mut run, &[Command::SendBack { from: DEAD, to: ORDERS, rate: None }]);
    to(&mut run, 50_000);
    let again = run.snapshot().network.dead_letters;
    assert_eq!(
        again.iter().map(|letter| letter.number).max(),
        letters.iter().map(|letter| letter.number).max()
    );
    assert!(again.iter().all(|letter| letter.history.len() == 2 && letter.attempts == 4), "{again:?}");
    assert!(again.iter().all(|letter| letter.history[0].at > letter.history[1].at), "the last time first");
}

#[test]
fn what_goes_back_is_told_while_it_goes() {
    let mut run = with_retries(
        DIALS,
        r#"{ "at": 10, "do": "poison", "messages": 4 }, { "at": 20, "do": "deploy-fix" }"#,
    );
    to(&mut run, 30_000);
    let rate = Some(queue_lab::model::rate::Rate::from_per_second(1));
    does(&mut run, &[Command::SendBack { from: DEAD, to: ORDERS, rate }]);
    to(&mut run, 31_500);
    let task = run.snapshot().network.topics[2].sends_back.expect("it is under way");
    assert_eq!((task.moved, task.to_move, task.rate), (2, 4, rate));
    assert_eq!(run.snapshot().network.dead_letters.len(), 2, "what went back is not there any more");
    to(&mut run, 40_000);
    assert_eq!(run.snapshot().network.topics[2].sends_back, None);
}

#[test]
fn records_are_deleted_on_request() {
    let mut run = with_retries(DIALS, r#"{ "at": 10, "do": "poison", "messages": 4 }"#);
    to(&mut run, 30_000);
    assert_eq!(run.snapshot().network.topics[2].not_sent_back, 4);
    let remembered = run.remembered();
    does(&mut run, &[Command::DeleteRecords { topic: DEAD }]);
    let dead = run.snapshot().network.topics[2].clone();
    assert_eq!(dead.not_sent_back, 0);
    assert!(dead.partitions.iter().all(|partition| partition.log_start == partition.log_end));
    assert!(run.remembered() < remembered, "nobody needs to know of them any more");
    assert!(run.ledger().balances());
    let back = Command::SendBack { from: DEAD, to: ORDERS, rate: None };
    assert_eq!(run.apply(back), Err(CommandRefused::NothingToSendBack));
    assert_eq!(run.apply(Command::DeleteRecords { topic: TopicIndex(3) }), Err(CommandRefused::NoSuchTopic));
    does(&mut run, &[Command::BrokerDown]);
    assert_eq!(run.apply(Command::DeleteRecords { topic: DEAD }), Err(CommandRefused::BrokerIsDown));
}

#[test]
fn who_has_not_read_what_is_deleted_goes_on_behind_it() {
    let mut run = log(TWO, r#""p": 6, "c": 2, "rebalance_seconds": 0, "offset_reset": "earliest""#, "");
    to(&mut run, 30_000);
    let behind = group(&run, 0).lag;
    does(&mut run, &[Command::DeleteRecords { topic: ORDERS }]);
    to(&mut run, 40_000);
    let billing = group(&run, 0);
    assert!(behind > 50 && billing.counts.deleted_unread > 50, "{billing:?}");
    assert!(run.ledger().balances());
}

#[test]
fn a_hot_key_takes_its_share_whatever_keys_there_are() {
    for keys in [0, 1_000] {
        let dials =
            format!(r#""p": 100, "c": 100, "keys": {keys}, "hot_key_share_percent": 80, "partitions": 4"#);
        let mut run = log(super::log_teams::ONE, &dials, "");
        to(&mut run, 100_000);
        let ends: Vec<u64> =
            run.snapshot().network.topics[0].partitions.iter().map(|one| one.log_end).collect();
        let all: u64 = ends.iter().sum();
        let most = ends.iter().max().copied().unwrap_or_default();
        // 80 % and a quarter of the rest.
        assert!(most.abs_diff(all * 85 / 100) < all / 40, "{keys} keys: {ends:?}");
    }
}
