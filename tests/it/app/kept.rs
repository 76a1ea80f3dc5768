//! How long dead letters are kept: a dial, and what their list says of it.

use queue_lab::app::breaking::Injection;
use queue_lab::app::effect::idle_because;
use queue_lab::app::groups::Group;
use queue_lab::app::log_view::Side;
use queue_lab::app::message::Msg;
use queue_lab::model::settings::{Setting, Settings, Value};
use queue_lab::model::time::Span;

use super::Bench;

/// A run with a dead letter that is to be kept for `kept`.
fn with_letter(side: &str, kept: &str) -> Bench {
    let mut bench = Bench::open(&format!("view={side}&p=1&c=10"));
    bench.send(Msg::GroupOpened(Group::DeadLetters));
    bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
    bench.send(Msg::ValueEntered(Setting::DeadLetterRetention, kept.to_owned()));
    bench.send(Msg::Injected(Injection::Poison));
    for _ in 0..30 {
        if bench.app.run().snapshot().dead_letters() > 0 {
            break;
        }
        bench.send(Msg::Stepped);
    }
    bench.send(Msg::DeadLettersOpened(true));
    assert_eq!(bench.app.run().snapshot().dead_letters(), 1, "{side}");
    bench
}

fn notes(bench: &Bench) -> Vec<String> {
    bench.view().dead_letters.and_then(|view| view.panel).expect("it is open").notes
}

fn deleted_in(bench: &Bench) -> Option<Span> {
    let snapshot = bench.app.run().snapshot();
    let topics = snapshot.network.topics.iter().filter_map(|topic| topic.next_deleted_in);
    topics.chain(snapshot.failures.next_deleted_in).min()
}

#[test]
fn the_list_says_when_the_oldest_is_deleted_and_then_it_is() {
    for (side, said) in [
        ("queue", "The oldest will be deleted in 60 seconds."),
        ("log", "The oldest will be deleted in 60 seconds, if no more come."),
    ] {
        let mut bench = with_letter(side, "62");
        let left = deleted_in(&bench).expect("it is kept for a time");
        let until = bench.at() + left;
        while deleted_in(&bench).is_some_and(|left| left >= Span::from_seconds(61)) {
            bench.send(Msg::Stepped);
        }
        assert!(notes(&bench).iter().any(|note| note == said), "{said}: {:?}", notes(&bench));
        while bench.at() + Span::from_seconds(1) < until {
            bench.send(Msg::Stepped);
            assert_eq!(bench.at() + deleted_in(&bench).expect("it is still there"), until, "{side}");
            assert_eq!(bench.app.run().snapshot().dead_letters(), 1, "{side} at {}", bench.at());
        }
        bench.send(Msg::Stepped);
        assert_eq!(bench.app.run().snapshot().dead_letters(), 0, "{side}");
        assert!(notes(&bench).iter().all(|note| !note.contains("deleted")), "{:?}", notes(&bench));
    }
}

#[test]
fn a_letter_that_lies_there_already_is_kept_for_the_new_time() {
    for side in ["queue", "log"] {
        let mut bench = with_letter(side, "600");
        let before = deleted_in(&bench).expect("it is kept for a time");
        bench.send(Msg::ValueEntered(Setting::DeadLetterRetention, "30".to_owned()));
        let after = deleted_in(&bench).expect("it is kept for a time");
        assert_eq!(before - after, Span::from_seconds(570), "{side}");
        bench.send(Msg::NoneTicked(Setting::DeadLetterRetention, true));
        assert_eq!(deleted_in(&bench), None, "{side}");
        (0..40).for_each(|_| bench.send(Msg::Stepped));
        assert_eq!(bench.app.run().snapshot().dead_letters(), 1, "{side}");
        assert!(notes(&bench).iter().all(|note| !note.contains("deleted in")), "{:?}", notes(&bench));
    }
}

#[test]
fn dead_letters_are_kept_as_their_place_keeps_everything_unless_a_dial_says_otherwise() {
    let queue = with_letter("queue", "as-broker");
    assert_eq!(deleted_in(&queue), None);
    let log = with_letter("log", "as-broker");
    let week = Span::from_seconds(7 * 86_400);
    assert!(
        deleted_in(&log)
            .is_some_and(|left| left > week - Span::from_seconds(30) && left <= week + Span::from_seconds(1))
    );
    let sqs = {
        let mut bench = Bench::open("broker=sqs-standard&p=1&c=10&dlq=kept&attempts=1&fail=100");
        (0..3).for_each(|_| bench.send(Msg::Stepped));
        bench
    };
    let four_days = Span::from_seconds(4 * 86_400);
    assert!(
        deleted_in(&sqs).is_some_and(|left| left < four_days && left > four_days - Span::from_seconds(10))
    );
}

#[test]
fn the_dial_stands_among_those_of_dead_letters_and_says_when_it_has_no_effect() {
    for side in ["queue", "log"] {
        let mut bench = Bench::open(&format!("view={side}"));
        bench.send(Msg::MoreOpened(true));
        bench.send(Msg::GroupOpened(Group::DeadLetters));
        let dial = |bench: &Bench| {
            let dials = bench.view().more;
            dials.into_iter().find(|dial| dial.setting == Setting::DeadLetterRetention).expect("it is there")
        };
        assert_eq!(dial(&bench).is_idle, side == "queue", "a queue keeps none at first");
        bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
        assert!(!dial(&bench).is_idle && dial(&bench).note.is_some());
    }
    let mut skipped = Settings::default();
    assert!(skipped.set(Setting::DeadLetters, Value::Choice("skipped")));
    assert!(idle_because(Setting::DeadLetterRetention, &skipped, Side::Log).is_some());
    assert!(idle_because(Setting::DeadLetterRetention, &Settings::default(), Side::Log).is_none());
}
