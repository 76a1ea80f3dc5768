//! The side of the page that shows a log, without a browser.

use std::rc::Rc;

use queue_lab::app::log_view::{Side, scenario_of, side_of};
use queue_lab::app::message::Msg;
use queue_lab::app::picture::{self, CanvasSize, PictureWords};
use queue_lab::app::view::LogActionView;
use queue_lab::app::view::Tone;
use queue_lab::app::{App, export, link, view_of};
use queue_lab::draw::chart::ChartKind;
use queue_lab::draw::log::labels::LogLabels;
use queue_lab::json::{self, Json};
use queue_lab::lesson::scenario_file;
use queue_lab::model::command::Command;
use queue_lab::model::routes::TopicIndex;
use queue_lab::model::settings::{Setting, Settings, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;
use queue_lab::narrate::locale::Locale;

fn open(query: &str) -> App {
    App::new(Rc::new(Locale::english()), &link::read(query))
}

fn send(app: &mut App, msg: Msg) {
    app.update(msg, 0.0, &mut || 0.0);
}

/// Lets model time pass up to that second.
fn play_to(app: &mut App, seconds: u64) {
    if !app.is_playing() {
        send(app, Msg::PlayToggled);
    }
    let mut now = 1_000.0;
    while app.run().simulation().now() < Instant::from_seconds(seconds) {
        now += 50.0;
        app.frame(now, &mut || 0.0);
    }
    app.update(Msg::PlayToggled, now, &mut || 0.0);
}

fn words(app: &App, width: f64) -> LogLabels {
    match picture::words(app, width) {
        PictureWords::Log(words) => words,
        other => panic!("that is no log: {other:?}"),
    }
}

fn partitions(app: &App) -> usize {
    app.run().snapshot().network.topics[0].partitions.len()
}

#[test]
fn the_first_visit_is_one_partition_and_one_reader_with_the_same_dials() {
    let mut app = open("p=8&c=5&seed=7&view=log");
    assert_eq!(app.side(), Side::Log);
    let settings = app.settings();
    assert_eq!(
        (settings.producer_rate.to_string(), settings.consumer_rate.to_string()),
        ("8".into(), "5".into())
    );
    assert_eq!((settings.seed, partitions(&app)), (7, 1));
    play_to(&mut app, 20);
    let group = &app.run().snapshot().network.groups[0];
    assert_eq!((group.members, group.partitions[0].reader), (1, Some(1)));
    assert!((55..=65).contains(&group.lag), "8 come and 5 are done each second: {}", group.lag);
    assert!(app.run().snapshot().ledger.balances());
}

#[test]
fn switching_keeps_dials_and_seed_starts_anew_and_says_so() {
    let mut app = open("p=9&c=4&workers=2&seed=3");
    play_to(&mut app, 5);
    send(&mut app, Msg::SideChosen(Side::Log));
    let view = view_of(&app);
    assert_eq!((view.side, view.clock.as_str(), view.is_playing), (Side::Log, "00:00", false));
    assert!(view.side_note.is_some_and(|note| note.contains("one partition")));
    assert!(view.announcement.text.contains("starts anew"), "{:?}", view.announcement);
    let settings = app.settings();
    assert_eq!(
        (settings.producer_rate.to_string(), settings.consumer_count, settings.seed),
        ("9".into(), 2, 3)
    );
    send(&mut app, Msg::ValueEntered(Setting::ProducerRate, "11".into()));
    send(&mut app, Msg::SideChosen(Side::Queue));
    assert_eq!(app.side(), Side::Queue);
    let expected = Settings { seed: 3, ..link_settings("p=11&c=4&workers=2") };
    assert_eq!(app.settings(), expected, "what belongs to logs alone is gone");
}

fn link_settings(query: &str) -> Settings {
    let mut settings = Settings::default();
    for (setting, value) in link::read(query).settings {
        settings.set(setting, value);
    }
    settings
}

#[test]
fn the_link_of_a_log_opens_it_again() {
    for query in ["view=log", "p=8&c=2&workers=3&view=log&partitions=4", "p=8&view=queue&attempts=2"] {
        let app = open(query);
        let written = link::write(app.side(), &app.settings());
        let again = open(&written);
        assert_eq!((again.side(), again.settings()), (app.side(), app.settings()), "{query}: {written}");
        assert_eq!(again.run().simulation().state_hash(), app.run().simulation().state_hash(), "{query}");
    }
    assert_eq!(link::write(Side::Log, &open("view=log").settings()), "view=log");
}

#[test]
fn choosing_the_side_that_is_shown_changes_nothing() {
    let mut app = open("p=9&view=log");
    play_to(&mut app, 5);
    let hash = app.run().simulation().state_hash();
    send(&mut app, Msg::SideChosen(Side::Log));
    assert_eq!(app.run().simulation().state_hash(), hash);
}

#[test]
fn reset_leads_back_to_the_start_of_the_side() {
    let mut app = open("view=log");
    send(&mut app, Msg::PartitionAdded);
    assert_eq!(partitions(&app), 2);
    send(&mut app, Msg::ResetPressed);
    assert_eq!((app.side(), partitions(&app)), (Side::Log, 1));
}

#[test]
fn partitions_consumers_and_a_second_team_are_added_while_it_runs() {
    let mut app = open("p=6&c=4&view=log");
    play_to(&mut app, 4);
    send(&mut app, Msg::PartitionAdded);
    send(&mut app, Msg::PartitionAdded);
    send(&mut app, Msg::ConsumerAdded);
    send(&mut app, Msg::TeamAdded);
    play_to(&mut app, 30);
    let snapshot = app.run().snapshot();
    assert_eq!((partitions(&app), app.settings().consumer_count), (3, 2));
    let [billing, audit, ..] = &snapshot.network.groups[..] else { panic!("two groups") };
    assert_eq!((billing.members, audit.members), (2, 2), "both teams have the consumers of the dial");
    assert!(audit.counts.done > 100, "the second team reads all of it: {:?}", audit.counts);
    let view = view_of(&app);
    let actions = view.log_actions.expect("there is a log");
    let refused = |action: &LogActionView| action.refused.is_some();
    assert!(actions.team.as_ref().is_some_and(refused) && !refused(&actions.partition));
    assert_eq!(words(&app, 924.0).lanes.len(), 3);
    let kinds: Vec<_> = app.run().commands().iter().map(|timed| timed.command).collect();
    assert!(kinds.contains(&Command::AddPartitions { topic: TopicIndex(0), to: 3 }));
    assert!(kinds.contains(&Command::Join { pool: 1 }));
}

#[test]
fn a_topic_takes_128_partitions_and_no_more() {
    let mut app = open("view=log");
    for _ in 0..127 {
        send(&mut app, Msg::PartitionAdded);
    }
    assert_eq!(partitions(&app), 128);
    let action = view_of(&app).log_actions.expect("there is a log").partition;
    assert!(action.refused.is_some_and(|reason| reason.contains("cannot have more")));
    send(&mut app, Msg::PartitionAdded);
    assert_eq!(partitions(&app), 128);
}

#[test]
fn show_me_shows_the_side_that_is_shown() {
    let mut app = open("view=log");
    send(&mut app, Msg::ShowMePressed);
    assert_eq!((app.side(), app.settings().producer_rate.to_string()), (Side::Log, "8".to_owned()));
    let mut app = open("");
    send(&mut app, Msg::ShowMePressed);
    assert_eq!(app.side(), Side::Queue);
}

#[test]
fn a_file_opens_on_the_side_that_it_has() {
    let text = include_str!("../../static/scenarios/n14-poison-in-a-log.json");
    let mut app = open("");
    send(&mut app, Msg::FileOpened("n14".into(), text.into()));
    assert_eq!(app.side(), Side::Log);
    play_to(&mut app, 60);
    let words = words(&app, 924.0);
    let stuck = words.lanes.iter().flat_map(|lane| &lane.groups).filter(|group| !group.attempts.is_empty());
    let stuck: Vec<_> = stuck.collect();
    assert_eq!(stuck.len(), 1, "{words:?}");
    assert!(stuck[0].lag.contains("stuck"), "{:?}", stuck[0]);
    assert!(stuck[0].attempts.parse::<u32>().is_ok_and(|attempts| attempts > 20), "{:?}", stuck[0]);
    send(
        &mut app,
        Msg::FileOpened("six".into(), include_str!("../../static/scenarios/six-in-six-out.json").into()),
    );
    assert_eq!(app.side(), Side::Queue);
}

#[test]
fn words_picture_table_and_captions_say_the_same_numbers() {
    let mut app = open("p=8&c=5&view=log");
    send(&mut app, Msg::TableOpened(true));
    play_to(&mut app, 30);
    let snapshot = app.run().snapshot();
    let lane = snapshot.network.groups[0].partitions[0];
    let partition = snapshot.network.topics[0].partitions[0];
    let words = words(&app, 924.0);
    let own = &words.lanes[0];
    assert_eq!(own.end, format!("end {}", partition.log_end));
    assert_eq!(own.groups[0].committed, format!("committed {}", lane.committed.unwrap_or_default()));
    assert_eq!(own.groups[0].lag, format!("lag {}", lane.lag));
    let view = view_of(&app);
    let said = |text: &str| view.table.iter().any(|row| row.value.contains(text));
    assert!(
        said(&format!("to {}", partition.log_end)) && said(&format!("lag {}", lane.lag)),
        "{:?}",
        view.table
    );
    assert_eq!(view.charts[0].value, format!("worst {}", lane.lag));
    assert!(view.picture_name.contains(&format!("{} to go", lane.lag)), "{}", view.picture_name);
}

#[test]
fn charts_of_a_log_show_the_lag_the_oldest_record_and_dead_letters() {
    let mut app = open("p=8&c=5&view=log");
    send(&mut app, Msg::PartitionAdded);
    play_to(&mut app, 30);
    let size = CanvasSize { width_css: 300.0, height_css: 92.0, font_width: 1.0 };
    let charts = ChartKind::ALL.map(|kind| picture::chart(&app, kind, size));
    assert_eq!(
        charts.each_ref().map(|chart| chart.kind),
        [ChartKind::Lag, ChartKind::Unfinished, ChartKind::DeadLetters]
    );
    let group = &app.run().snapshot().network.groups[0];
    let last = |chart: usize| charts[chart].line.last().map(|vertex| vertex.value);
    #[allow(clippy::cast_precision_loss)]
    let worst = group.lag_max as f64;
    assert_eq!((last(0), last(2)), (Some(worst), Some(0.0)));
    assert!(last(1) > Some(1_000_000.0), "the oldest is seconds old: {:?}", last(1));
    assert_eq!(charts[0].others.len(), 2, "one line for each partition");
    assert!(charts[0].line.len() > 20, "it has a past: {}", charts[0].line.len());
}

#[test]
fn heights_are_known_before_the_picture_is_drawn() {
    let mut app = open("view=log");
    for _ in 0..9 {
        for width in [320.0, 700.0, 1_000.0] {
            let words = picture::words(&app, width);
            let size = CanvasSize { width_css: width, height_css: 0.0, font_width: 1.0 };
            let drawn = picture::scene(&app, &words, size);
            assert!((drawn.height_css - picture::height(&app, &words, width)).abs() < f64::EPSILON);
        }
        send(&mut app, Msg::PartitionAdded);
    }
}

#[test]
fn changed_attributes_switch_the_side() {
    let mut app = open("p=8");
    app.follow_change(&link::read("view=log"), 0.0, &mut || 0.0);
    assert_eq!((app.side(), app.settings().producer_rate.to_string()), (Side::Log, "8".to_owned()));
    app.follow_change(&link::read("view="), 0.0, &mut || 0.0);
    assert_eq!(app.side(), Side::Queue);
    app.follow_change(&link::read("view=table"), 0.0, &mut || 0.0);
    assert_eq!(view_of(&app).notices.len(), 1);
}

#[test]
fn a_run_without_any_queue_is_balanced_exported_and_replayed() {
    let text = r#"{"format":1,"topology":{"producers":[{"name":"shop","to":"orders"}],"queues":[],
        "topics":[{"name":"orders"}],"groups":[{"name":"billing","from":"orders"}]},
        "settings":{"p":8,"c":5,"workers":2,"fail":10,"attempts":3,"partition_count":2},
        "commands":[{"at":5,"do":"burst","messages":20},{"at":8,"do":"set","settings":{"c":3}}]}"#;
    let (file, notices) = scenario_file::read(text);
    assert_eq!(notices, []);
    let scenario = file.expect("it can be read").scenario;
    assert!(scenario.topology().queues.is_empty());
    assert_eq!(side_of(&scenario), Side::Log);
    let run = |step: usize| {
        let mut simulation = Simulation::new(Rc::new(scenario.clone()));
        for millis in (0..=20_000).step_by(step) {
            simulation.advance_to(Instant::from_micros(millis * 1_000), u64::MAX);
            assert!(simulation.ledger().balances() && simulation.snapshot().queue.waiting == 0);
        }
        simulation
    };
    let (whole, sliced) = (run(20_000), run(50));
    assert_eq!(whole.state_hash(), sliced.state_hash());
    let record = export::record(&whole);
    assert_eq!(json::field(&record, "waiting"), Some(&Json::Number("0".into())));
    assert!(
        matches!(json::field(&record, "logged"), Some(Json::Number(logged)) if logged.parse::<u64>().is_ok_and(|logged| logged > 150))
    );
}

#[test]
fn both_sides_start_from_any_dials() {
    let dials =
        Settings { consumer_count: 64, ..link_settings("p=0&c=100000&capacity=none&arrivals=bursts") };
    for side in [Side::Queue, Side::Log] {
        let scenario = scenario_of(side, &dials);
        assert_eq!(side_of(&scenario), side);
        assert_eq!(scenario.settings.get(Setting::ConsumerCount), Value::Count(64));
    }
}

#[test]
fn a_group_that_is_far_behind_does_not_look_calm_whatever_was_done_to_the_log() {
    let after_a_partition = |query: &str| {
        let mut app = open(query);
        play_to(&mut app, 5);
        send(&mut app, Msg::PartitionAdded);
        play_to(&mut app, 90);
        app
    };
    let keeps_up = after_a_partition("view=log&p=5&c=6");
    assert_eq!(view_of(&keeps_up).story.tone, Tone::Calm);
    let behind = after_a_partition("view=log&p=8&c=6");
    let story = view_of(&behind).story;
    assert!(behind.run().snapshot().network.groups[0].lag > 80);
    assert_eq!(story.tone, Tone::Warning, "{story:?}");
    let mut with_idle = open("view=log&p=6&c=4&workers=2");
    play_to(&mut with_idle, 60);
    let story = view_of(&with_idle).story;
    assert!(story.happening.contains("has nothing to do"), "{story:?}");
    assert_eq!(story.tone, Tone::Warning, "120 behind: {story:?}");
}
