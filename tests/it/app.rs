//! What messages and frames do to the app, without a browser.

mod access;
mod both;
mod dials;
mod further;
mod kept;
mod lab;
mod ledgers;
mod left_open;
mod log_lab;
mod met_elsewhere;
mod past;
mod resetting;
mod saved;
mod traces;
mod words;
mod written;

use std::rc::Rc;

use queue_lab::app::breaking::Injection;
use queue_lab::app::message::Msg;
use queue_lab::app::picture::{self, CanvasSize};
use queue_lab::app::view::{MoreControl, Tone, ViewModel};
use queue_lab::app::{App, link, view_of};
use queue_lab::draw::chart::ChartKind;
use queue_lab::model::rate::Rate;
use queue_lab::model::settings::{Bound, Kind, Setting, TABLE};
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::locale::Locale;

/// An app with a clock of its own, on a machine of which no step takes any time.
struct Bench {
    app: App,
    now: f64,
}

impl Bench {
    fn open(query: &str) -> Self {
        let mut bench = Self { app: App::new(Rc::new(Locale::english()), &link::read(query)), now: 1_000.0 };
        while bench.app.needs_frames() && !bench.app.is_playing() {
            bench.frame(16.0);
        }
        bench
    }

    fn send(&mut self, msg: Msg) {
        self.app.update(msg, self.now, &mut || 0.0);
    }

    fn frame(&mut self, millis: f64) {
        self.now += millis;
        self.app.frame(self.now, &mut || 0.0);
    }

    fn play_to(&mut self, seconds: u64, frame_millis: f64) {
        while self.at() < Instant::from_seconds(seconds) {
            self.frame(frame_millis);
        }
    }

    fn at(&self) -> Instant {
        self.app.run().simulation().now()
    }

    fn hash(&self) -> u64 {
        self.app.run().simulation().state_hash()
    }

    fn view(&self) -> ViewModel {
        view_of(&self.app)
    }
}

#[test]
fn the_first_sentence_speaks_of_the_links_dials() {
    let bench = Bench::open("p=4&c=7");
    assert!(
        bench.view().story.happening.contains("4 will arrive and 7 will finish"),
        "{:?}",
        bench.view().story
    );
}

#[test]
fn a_step_is_one_second_and_with_shift_the_next_instant() {
    let mut bench = Bench::open("p=8&c=6");
    bench.send(Msg::SteppedToNextInstant);
    assert_eq!(bench.at(), Instant::from_micros(125_000));
    bench.send(Msg::Stepped);
    assert_eq!(bench.at(), Instant::from_micros(1_125_000));
    assert!(!bench.app.is_playing() && !bench.app.needs_frames());
}

#[test]
fn reset_and_the_same_seed_give_the_same_run() {
    let mut bench = Bench::open("p=8&c=6&arrivals=poisson&work=exponential&seed=5");
    let start = bench.hash();
    (0..20).for_each(|_| bench.send(Msg::Stepped));
    let later = bench.hash();
    bench.send(Msg::ResetPressed);
    assert_eq!((bench.at(), bench.hash()), (Instant::START, start));
    (0..20).for_each(|_| bench.send(Msg::Stepped));
    assert_eq!(bench.hash(), later);
    let opened_there = Bench::open("p=8&c=6&arrivals=poisson&work=exponential&seed=5&t=20");
    assert_eq!((opened_there.at(), opened_there.hash()), (Instant::from_seconds(20), later));
}

#[test]
fn speed_and_frames_never_change_the_result() {
    let hashes = [("1", 16.6), ("100", 7.0), ("0.5", 33.3), ("1000", 90.0)].map(|(speed, frame)| {
        // The scenario ends by itself at 80 s, so every speed stops at the same instant.
        let mut bench = Bench::open(&format!("scenario=six-in-six-out&speed={speed}&play=1"));
        bench.play_to(80, frame);
        assert_eq!(bench.at(), Instant::from_seconds(80));
        assert!(!bench.app.is_playing(), "it ends by itself");
        (bench.hash(), bench.view().story.happening)
    });
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn a_tab_that_slept_goes_on_where_it_stood() {
    let mut bench = Bench::open("p=8&c=6&play=1");
    (0..60).for_each(|_| bench.frame(16.0));
    let before = bench.at();
    bench.app.frames_stopped();
    bench.now += 60_000.0;
    bench.frame(16.0);
    assert_eq!(bench.at(), before, "the first frame only starts the clock");
    bench.frame(16.0);
    assert_eq!(bench.at().since(before), Span::from_millis(16));
    // Even where nobody said that frames had stopped, there is no jump.
    bench.frame(60_000.0);
    assert!(bench.at().since(before) <= Span::from_millis(120));
}

#[test]
fn while_paused_the_sentence_answers_a_dial_at_once() {
    let mut bench = Bench::open("p=6&c=6&t=10");
    bench.send(Msg::SliderMoved(Setting::ProducerRate, 16));
    let view = bench.view();
    assert_eq!(view.dials.first().map(|dial| dial.value.as_str()), Some("8"));
    assert!(view.story.happening.contains("8 arrive and 6 finish"), "{:?}", view.story);
    assert_eq!(view.story.tone, Tone::Warning);
    assert_eq!(bench.at(), Instant::from_seconds(10));
}

#[test]
fn show_me_tells_its_story_without_another_click_and_reset_leads_back_to_the_link() {
    let mut bench = Bench::open("p=3&c=9&capacity=5");
    bench.send(Msg::ShowMePressed);
    assert!(bench.app.is_playing());
    let mut told = Vec::new();
    while bench.at() < Instant::from_seconds(33) {
        bench.frame(50.0);
        let sentence = bench.view().story.happening;
        if told.last() != Some(&sentence) {
            told.push(sentence);
        }
    }
    assert!(told.iter().any(|sentence| sentence.contains("so the line grows")), "{told:?}");
    assert!(told.last().is_some_and(|sentence| sentence.starts_with("The queue is full")), "{told:?}");
    bench.send(Msg::ResetPressed);
    assert_eq!(bench.app.settings().queue_bound, Bound::Messages(5));
}

#[test]
fn a_number_that_cannot_be_taken_is_explained_beside_its_field() {
    let mut bench = Bench::open("");
    bench.send(Msg::ValueEntered(Setting::ProducerRate, "many".into()));
    let problem = bench.view().dials.first().and_then(|dial| dial.problem.clone());
    assert_eq!(problem.as_deref(), Some("Producer rate: “many” is not a number. It was left at 6."));
    bench.send(Msg::ValueEntered(Setting::ProducerRate, "0.0005".into()));
    assert_eq!(bench.app.settings().producer_rate, Rate::from_thousandths(1), "rounded, and that is said");
    assert!(bench.view().dials.first().is_some_and(|dial| dial.problem.is_some()));
    bench.send(Msg::ValueEntered(Setting::ProducerRate, "250".into()));
    let dial = bench.view().dials.first().cloned();
    assert_eq!(
        dial.map(|dial| (dial.problem, dial.slider_value)),
        Some((None, 20)),
        "half of a slider to 500"
    );
}

#[test]
fn every_choice_of_a_dial_has_a_name_and_a_word_about_it() {
    for row in TABLE.iter().filter(|row| matches!(row.kind, Kind::Choice(_))) {
        let Kind::Choice(names) = row.kind else { continue };
        for name in names {
            let query = format!("{}={name}", row.alias);
            let mut app = App::new(Rc::new(Locale::english()), &link::read(&query));
            app.update(Msg::MoreOpened(true), 0.0, &mut || 0.0);
            for dial in view_of(&app).more {
                let MoreControl::Choice(choice) = dial.control else { continue };
                let is_key = |text: &str| text.starts_with("choice.");
                assert!(choice.options.iter().all(|(_, label)| !is_key(label)), "{:?}", choice.options);
                assert!(!dial.note.as_deref().is_some_and(is_key), "{}: {:?}", dial.label, dial.note);
            }
        }
    }
}

#[test]
fn no_bound_is_ticked_and_cleared() {
    let mut bench = Bench::open("capacity=25");
    bench.send(Msg::NoneTicked(Setting::QueueBound, true));
    assert_eq!(bench.app.settings().queue_bound, Bound::None);
    bench.send(Msg::NoneTicked(Setting::QueueBound, false));
    assert_eq!(bench.app.settings().queue_bound, Bound::Messages(25));
}

#[test]
fn a_file_that_is_no_scenario_changes_nothing_and_a_good_one_settles_what_was_wrong() {
    let mut bench = Bench::open("p=8&t=5");
    let before = bench.hash();
    bench.send(Msg::FileOpened("bad.json".into(), "{".into()));
    assert_eq!(bench.hash(), before);
    assert_eq!(
        bench.view().notices,
        ["bad.json, line 1, column 2: this cannot be read as JSON. Nothing was changed."]
    );
    let good = r#"{"format":1,"settings":{"p":12}}"#;
    bench.send(Msg::FileOpened("good.json".into(), good.into()));
    assert_eq!((bench.at(), bench.app.settings().producer_rate), (Instant::START, Rate::from_per_second(12)));
    assert!(bench.view().notices.is_empty());
    bench.send(Msg::FileOpened("huge.json".into(), " ".repeat(1_000_001)));
    assert_eq!(bench.view().notices.len(), 1);
}

#[test]
fn a_jump_goes_to_the_very_instant_that_was_on_offer() {
    let mut bench = Bench::open("p=8&c=6");
    assert_eq!(bench.view().skip.as_deref(), Some("Skip to full (30 s)"));
    bench.send(Msg::SkipPressed);
    assert_eq!((bench.at(), bench.app.run().snapshot().queue.waiting), (Instant::from_seconds(30), 60));
}

#[test]
fn a_fetched_scenario_comes_before_the_links_own_dials() {
    let mut bench = Bench::open("scenario=course/week-3.json&c=9&t=4");
    assert_eq!(bench.app.take_wanted_scenario().as_deref(), Some("course/week-3.json"));
    assert_eq!(bench.app.take_wanted_scenario(), None, "it is fetched once");
    let text = r#"{"format":1,"settings":{"p":20,"c":1}}"#;
    bench.app.scenario_arrived("another.json", "{}", 0.0, &mut || 0.0);
    assert!(bench.view().notices.is_empty(), "an answer to another question is not taken");
    bench.app.scenario_arrived("course/week-3.json", text, 0.0, &mut || 0.0);
    let settings = bench.app.settings();
    assert_eq!(
        (settings.producer_rate, settings.consumer_rate),
        (Rate::from_per_second(20), Rate::from_per_second(9))
    );
    assert_eq!(bench.at(), Instant::from_seconds(4));
    assert_eq!(bench.app.take_wanted_scenario(), None);
}

#[test]
fn a_scenario_that_is_not_there_is_said_once_and_no_longer_wanted() {
    let mut bench = Bench::open("scenario=nowhere&c=9");
    assert_eq!(bench.app.take_wanted_scenario().as_deref(), Some("nowhere"));
    bench.send(Msg::ScenarioNotFound("nowhere".into()));
    bench.send(Msg::ScenarioNotFound("nowhere".into()));
    assert_eq!(bench.view().notices.len(), 1);
    bench.app.follow_change(&link::read("p=7"), 0.0, &mut || 0.0);
    assert_eq!(bench.app.take_wanted_scenario(), None);
}

#[test]
fn dials_moved_while_a_burst_is_worked_off_stay_where_they_were_put() {
    let mut bench = Bench::open("scenario=flood");
    // On a slow machine only a slice of the two million is done before time is up.
    let mut restarted = App::new(Rc::new(Locale::english()), &link::read("scenario=flood&play=1"));
    restarted.frame(0.0, &mut || 99.0);
    assert!(!restarted.run().simulation().is_complete());
    restarted.update(Msg::SliderMoved(Setting::ProducerRate, 10), 1.0, &mut || 99.0);
    assert_eq!(restarted.settings().producer_rate, Rate::from_per_second(5));
    while !restarted.run().simulation().is_complete() {
        restarted.frame(2.0, &mut || 99.0);
    }
    assert_eq!(restarted.run().settings().producer_rate, Rate::from_per_second(5));
    bench.send(Msg::Stepped);
    assert_eq!(bench.app.run().snapshot().ledger.offered, 2_000_010);
}

#[test]
fn nothing_that_looks_ahead_goes_beyond_the_scenarios_next_command() {
    let mut bench = Bench::open("");
    let file = r#"{"format":1,"settings":{"p":8,"c":6},"commands":[{"at":9,"do":"set","settings":{"p":4}}]}"#;
    bench.send(Msg::FileOpened("slower.json".into(), file.into()));
    assert_eq!(bench.view().skip, None, "it will not be full in 30 seconds");
    assert!(bench.view().story.happening.ends_with("That holds until 00:09."));
    let size = CanvasSize { width_css: 300.0, height_css: 92.0, font_width: 1.0 };
    let chart = picture::chart(&bench.app, ChartKind::Waiting, size);
    let last = chart.outlook.last().map(|corner| (corner.seconds, corner.value));
    assert_eq!(last, Some((9.0, 18.0)), "{:?}", chart.outlook);
}

#[test]
fn where_dials_tell_too_little_nothing_is_foretold() {
    let mut bench = Bench::open("p=8&c=6&workers=2&fail=50&t=10");
    bench.send(Msg::TableOpened(true));
    let view = bench.view();
    assert_eq!((view.skip, view.story.advice), (None, None));
    let says = |name: &str| view.table.iter().any(|row| row.name == name);
    assert!(!says("Growth") && !says("What the consumers can finish") && says("Waiting (queue depth)"));
    assert!(view.table.iter().all(|row| !row.value.contains("idle") && !row.value.contains("works on")));
    let size = CanvasSize { width_css: 300.0, height_css: 92.0, font_width: 1.0 };
    assert_eq!(picture::chart(&bench.app, ChartKind::Waiting, size).outlook, []);
    // A dial that goes back does not bring back what was foretold.
    bench.send(Msg::ValueEntered(Setting::FailureShare, "0".into()));
    assert_eq!(bench.view().skip, None);
}

#[test]
fn the_outlook_of_a_line_above_a_lowered_bound_falls_to_it() {
    let mut bench = Bench::open("p=8&c=6&t=21&overflow=reject");
    bench.send(Msg::ValueEntered(Setting::QueueBound, "12".into()));
    let size = CanvasSize { width_css: 300.0, height_css: 92.0, font_width: 1.0 };
    let corners = |bench: &Bench| {
        let outlook = picture::chart(&bench.app, ChartKind::Waiting, size).outlook;
        outlook.iter().map(|corner| (corner.seconds, corner.value)).collect::<Vec<_>>()
    };
    // 30 too many at 6 a second, and full from there on.
    assert_eq!(corners(&bench).get(..2), Some(&[(21.0, 42.0), (26.0, 12.0)][..]));
    bench.send(Msg::SliderMoved(Setting::ProducerRate, 4));
    assert_eq!(bench.view().skip, None, "it empties later than the rates alone say");
    assert_eq!(corners(&bench).get(..3), Some(&[(21.0, 42.0), (26.0, 12.0), (29.0, 0.0)][..]));
    // What the producer holds back goes in first.
    let mut blocked = Bench::open("p=2&c=6&capacity=12&overflow=block");
    blocked.send(Msg::Injected(Injection::Burst));
    let held = blocked.app.run().snapshot().producer.held_back;
    assert_eq!(held, 37);
    let corner = corners(&blocked).get(1).copied();
    assert!(corner.is_some_and(|(seconds, waiting)| (seconds - 37.0 / 6.0).abs() < 0.01 && waiting == 12.0));
}

#[test]
fn an_attribute_that_is_taken_away_is_taken_back() {
    let mut bench = Bench::open("scenario=pushed-back&dial_max=50&t=7");
    bench.app.follow_change(&link::read("t="), 0.0, &mut || 0.0);
    assert_eq!((bench.at(), bench.app.settings().consumer_count), (Instant::START, 3));
    bench.app.follow_change(&link::read("dial_max="), 0.0, &mut || 0.0);
    let position = |bench: &Bench| bench.view().dials.first().map(|dial| dial.slider_value);
    assert_eq!(position(&bench), Some(16), "8 on a slider to 20");
    bench.app.follow_change(&link::read("scenario=&p=3&dial_max=50"), 0.0, &mut || 0.0);
    assert_eq!(bench.app.settings().consumer_count, 1);
    assert_eq!(bench.app.settings().producer_rate, Rate::from_per_second(3));
    assert_eq!(bench.app.take_wanted_scenario(), None);
}

#[test]
fn the_end_of_the_sliders_outlasts_a_reset_and_is_never_below_a_dial() {
    let mut bench = Bench::open("p=8&c=6");
    let position = |bench: &Bench| bench.view().dials.first().map(|dial| dial.slider_value);
    bench.app.follow_change(&link::read("dial_max=40"), 0.0, &mut || 0.0);
    assert_eq!(position(&bench), Some(8));
    bench.send(Msg::ResetPressed);
    assert_eq!(position(&bench), Some(8));
    bench.app.follow_change(&link::read("dial_max=4"), 0.0, &mut || 0.0);
    assert_eq!(position(&bench), Some(40), "the slider reaches as far as the dial");
}

#[test]
fn what_takes_the_machine_time_is_said() {
    let mut app = App::new(Rc::new(Locale::english()), &link::read("p=8&c=6&t=3600"));
    app.frame(0.0, &mut || 99.0);
    assert_eq!(view_of(&app).progress.as_deref(), Some("On the way to 1:00:00."));
    assert_eq!(Bench::open("p=8&c=6&t=60").view().progress, None, "it is there");
    let mut app = App::new(Rc::new(Locale::english()), &link::read("p=5000&c=6000&speed=1000&play=1"));
    for frame in 0..20 {
        app.frame(f64::from(frame) * 16.0, &mut || 99.0);
    }
    let said = "Slower than 1000×: this device can do no more.";
    assert_eq!(view_of(&app).progress.as_deref(), Some(said));
    app.update(Msg::SpeedChosen("0.1".into()), 400.0, &mut || 0.0);
    for frame in 0..60 {
        app.frame(400.0 + f64::from(frame), &mut || 0.0);
    }
    assert_eq!(view_of(&app).progress, None);
}

/// With which links a page has the first part of the simulation alone until somebody does something.
const FIRST_SCREENS: [&str; 6] =
    ["", "p=8", "p=8&c=6&capacity=120", "p=4&workers=3", "p=9&capacity=none&speed=2&seed=7", "p=0&c=0"];

#[test]
fn the_first_screen_has_all_its_texts_in_the_first_file() {
    let first = include_str!("../../static/locales/en/messages.json");
    let first = Rc::new(Locale::parse(first).expect("it can be read"));
    let english = Rc::new(Locale::english());
    for query in FIRST_SCREENS {
        let apps = [&first, &english].map(|locale| App::new(Rc::clone(locale), &link::read(query)));
        let [first_view, view] =
            apps.each_ref().map(|app| ViewModel { texts: Rc::clone(&english), ..view_of(app) });
        assert!(first_view == view, "{query}: {:?} {:?}", first_view.story, first_view.dials);
        for width in [300.0, 1_000.0] {
            let [first_words, words] = apps.each_ref().map(|app| picture::words(app, width));
            assert!(first_words == words, "{query}: {first_words:?}");
        }
        let size = CanvasSize { width_css: 300.0, height_css: 92.0, font_width: 1.0 };
        for kind in ChartKind::ALL {
            let [first_chart, chart] = apps.each_ref().map(|app| picture::chart(app, kind, size));
            assert!(first_chart == chart, "{query}: {first_chart:?}");
        }
    }
}

#[test]
fn terms_are_explained_on_request_those_of_the_sentence_first() {
    let mut bench = Bench::open("p=8&c=6&overflow=block&t=60");
    assert_eq!(bench.view().glossary, []);
    bench.send(Msg::GlossaryOpened(true));
    let terms = bench.view().glossary;
    let said: Vec<&str> =
        terms.iter().filter(|term| term.said.is_some()).map(|term| term.name.as_str()).collect();
    assert!(said.contains(&"Backpressure") && said.contains(&"Producer"), "{said:?}");
    assert!(!said.contains(&"Partition") && terms.iter().any(|term| term.name == "Partition"));
    assert!(terms.is_sorted_by_key(|term| term.said.is_none()), "those that are said come first");
}
