//! Words that stand only while they are so.

use queue_lab::app::breaking::Injection;
use queue_lab::app::message::Msg;
use queue_lab::model::settings::Setting;

use super::Bench;

fn said(bench: &Bench) -> String {
    bench.view().breaking.said
}

#[test]
fn what_was_done_is_said_until_it_is_undone() {
    let mut bench = Bench::open("p=5&c=2&workers=3&t=5");
    bench.send(Msg::Injected(Injection::Consumer));
    assert_ne!(said(&bench), "");
    bench.send(Msg::Stepped);
    assert_ne!(said(&bench), "", "it is still so");
    bench.send(Msg::ValueEntered(Setting::ConsumerCount, "3".into()));
    assert_eq!(said(&bench), "");
}

#[test]
fn a_crash_is_said_until_the_consumer_is_up_again() {
    let mut bench = Bench::open("restart=5&t=5");
    bench.send(Msg::Injected(Injection::Crash));
    assert_ne!(said(&bench), "");
    for _ in 0..4 {
        bench.send(Msg::Stepped);
        assert_ne!(said(&bench), "");
    }
    bench.send(Msg::Stepped);
    bench.send(Msg::Stepped);
    assert_eq!(said(&bench), "");
}

#[test]
fn when_poison_will_be_reached_is_said_until_it_is() {
    let mut bench = Bench::open("p=8&c=6&t=10");
    bench.send(Msg::Injected(Injection::Poison));
    let at_first = said(&bench);
    assert!(at_first.contains("second"), "{at_first}");
    bench.send(Msg::Stepped);
    assert_eq!(said(&bench), at_first);
    (0..10).for_each(|_| bench.send(Msg::Stepped));
    assert_eq!(said(&bench), "");
}

#[test]
fn a_page_in_place_of_a_scenario_means_that_there_is_no_such_file() {
    let mut bench = Bench::open("scenario=typo.json");
    assert_eq!(bench.app.take_wanted_scenario().as_deref(), Some("typo.json"));
    let page = "\u{feff}\n<!DOCTYPE html><title>Not found</title>";
    bench.app.scenario_arrived("typo.json", page, bench.now, &mut || 0.0);
    let notices = bench.view().notices;
    assert!(
        notices.len() == 1 && notices[0].contains("There is no scenario “typo.json” here"),
        "{notices:?}"
    );
}

#[test]
fn a_file_is_said_to_be_on_its_way_not_to_be_there() {
    let mut bench = Bench::open("t=2");
    bench.send(Msg::SavePressed);
    assert_eq!(bench.view().announcement.text, "The run is being saved as a file.");
}

#[test]
fn what_a_dial_takes_back_is_said_no_longer() {
    let mut hot = Bench::open("view=log&t=5");
    hot.send(Msg::Injected(Injection::HotKey));
    hot.send(Msg::Stepped);
    assert_ne!(said(&hot), "", "it is still so");
    hot.send(Msg::PutBack(Setting::HotKey));
    assert_eq!(said(&hot), "");
    let mut schema = Bench::open("t=5");
    schema.send(Msg::Injected(Injection::Schema));
    schema.send(Msg::Stepped);
    assert_ne!(said(&schema), "", "it is still so");
    schema.send(Msg::Rewound(3));
    (0..10).for_each(|_| schema.frame(16.0));
    assert_eq!(said(&schema), "", "nothing has changed there");
}
