//! The run so far: looked back at, gone on from, and handed on.

use queue_lab::app::breaking::Injection;
use queue_lab::app::message::{Msg, Request};
use queue_lab::app::share::NoLink;
use queue_lab::model::settings::Setting;
use queue_lab::model::time::Instant;

use super::Bench;

#[test]
fn any_second_of_the_run_so_far_can_be_looked_at_and_gone_on_from() {
    let mut bench = Bench::open("p=8&c=6");
    bench.send(Msg::PlayToggled);
    bench.play_to(12, 100.0);
    bench.send(Msg::PlayToggled);
    let (end, hash, then) = (bench.at(), bench.hash(), bench.view());
    assert_eq!(then.rewind.position, then.rewind.last, "it stands at the end");
    assert_eq!(then.rewind.warning, None);
    bench.send(Msg::Rewound(5));
    let past = bench.view();
    assert_eq!((bench.at(), past.clock.as_str()), (Instant::from_seconds(5), "00:05"));
    assert_eq!((past.rewind.position, past.rewind.last), (5, then.rewind.last));
    assert!(past.rewind.warning.is_some_and(|warning| warning.contains("00:05")));
    let fresh = Bench::open("p=8&c=6&t=5");
    assert_eq!((bench.hash(), past.story), (fresh.hash(), fresh.view().story));
    bench.send(Msg::ReturnedToTheEnd);
    assert_eq!((bench.at(), bench.hash()), (end, hash), "nothing has changed");
    bench.send(Msg::Rewound(5));
    bench.send(Msg::ValueEntered(Setting::ConsumerRate, "10".into()));
    let changed = bench.view();
    assert_eq!((changed.rewind.last, changed.rewind.warning), (5, None), "what came later is dropped");
    bench.send(Msg::PlayToggled);
    bench.play_to(14, 100.0);
    assert_ne!(bench.hash(), hash);
}

#[test]
fn the_picture_does_not_run_through_the_past_on_its_way_there() {
    let mut bench = Bench::open("p=2000&c=1000&capacity=none&speed=1000");
    bench.send(Msg::PlayToggled);
    bench.play_to(300, 100.0);
    bench.send(Msg::PlayToggled);
    let shown = bench.view().clock;
    // Each look at the clock takes so long that a frame does one slice.
    bench.app.update(Msg::Rewound(150), bench.now, &mut || 1_000.0);
    let mut frames = 0;
    while bench.app.needs_frames() {
        assert_eq!(bench.view().clock, shown, "the last picture stands");
        bench.now += 16.0;
        bench.app.frame(bench.now, &mut || 1_000.0);
        frames += 1;
    }
    assert!(frames >= 2, "{frames}");
    assert_eq!(bench.view().clock, "02:30");
}

#[test]
fn a_dial_moved_on_the_way_through_the_past_is_moved_where_that_leads() {
    let mut bench = Bench::open("p=2000&c=1000&capacity=none&speed=1000");
    bench.send(Msg::PlayToggled);
    bench.play_to(300, 100.0);
    bench.app.update(Msg::Rewound(150), bench.now, &mut || 1_000.0);
    bench.app.update(Msg::ValueEntered(Setting::ProducerRate, "3".into()), bench.now, &mut || 1_000.0);
    let commands = bench.app.run().commands();
    assert_eq!(commands.iter().map(|timed| timed.at).collect::<Vec<_>>(), [Instant::from_seconds(150)]);
}

/// What the page would be asked to open, and the run that it opens.
fn opened_again(bench: &Bench) -> (String, Bench) {
    let query = bench.app.query().expect("it has a link");
    let again = Bench::open(&query);
    assert!(again.view().notices.is_empty(), "{query}: {:?}", again.view().notices);
    (query, again)
}

#[test]
fn a_link_restores_dials_seed_everything_that_was_done_and_the_instant() {
    for start in ["p=8&c=6&arrivals=poisson&seed=5", "scenario=six-in-six-out&c=9", "scenario=n06-dead-group"]
    {
        let mut bench = Bench::open(start);
        bench.send(Msg::PlayToggled);
        bench.play_to(7, 33.0);
        bench.send(Msg::ValueEntered(Setting::ConsumerRate, "2.5".into()));
        bench.send(Msg::Injected(Injection::Burst));
        bench.play_to(19, 33.0);
        bench.send(Msg::SliderMoved(Setting::ProducerRate, 3));
        bench.send(Msg::PlayToggled);
        let (query, again) = opened_again(&bench);
        assert_eq!((again.at(), again.hash()), (bench.at(), bench.hash()), "{query}");
        assert_eq!(again.view().dials, bench.view().dials, "{query}");
        assert_eq!(opened_again(&again).0, query, "the link of what a link opened is that link");
    }
}

#[test]
fn a_link_of_the_past_holds_what_was_done_until_then() {
    let mut bench = Bench::open("p=8&c=6");
    bench.send(Msg::PlayToggled);
    bench.play_to(10, 100.0);
    bench.send(Msg::Injected(Injection::Burst));
    bench.play_to(20, 100.0);
    bench.send(Msg::Rewound(5));
    let (query, again) = opened_again(&bench);
    assert_eq!((again.at(), again.hash()), (Instant::from_seconds(5), bench.hash()));
    assert!(!query.contains("burst"), "{query}");
}

#[test]
fn a_run_that_no_link_can_restore_says_so_and_can_be_saved() {
    let mut bench = Bench::open("");
    let file = r#"{"format":1,"title":"Mine","settings":{"p":9}}"#;
    bench.send(Msg::FileOpened("mine.json".into(), file.into()));
    bench.send(Msg::ShareOpened(true));
    let share = bench.view().share.expect("it is open");
    assert!(share.link.is_none() && share.note.contains("opened here"), "{share:?}");
    bench.send(Msg::SavePressed);
    let Some(Request::Save { text, .. }) = bench.app.take_request() else { panic!("a file is offered") };
    assert_eq!(bench.app.take_request(), None, "once");
    let mut again = Bench::open("");
    again.send(Msg::FileOpened("saved.json".into(), text));
    assert!(again.view().notices.is_empty());
    assert_eq!(again.hash(), bench.hash());
    // So much is done that no link holds it.
    let mut long = Bench::open("");
    for place in 0..200 {
        long.send(Msg::SliderMoved(Setting::ProducerRate, place % 40));
        long.send(Msg::Stepped);
    }
    assert_eq!(long.app.query(), Err(NoLink::TooLong));
}

#[test]
fn a_link_of_another_model_or_of_a_scenario_that_has_changed_says_so() {
    for (query, said) in [
        ("mv=2", "another version of Queue Lab"),
        ("scenario=six-in-six-out&sh=12345678", "has changed"),
        ("do=1,explode", "do"),
        ("do=x,set,p=3", "do"),
        ("do=1,set,p=3~~2,set,colour=1", "colour"),
    ] {
        let notices = Bench::open(query).view().notices;
        assert_eq!(notices.len(), 1, "{query}: {notices:?}");
        assert!(notices[0].contains(said), "{query}: {notices:?}");
    }
}
