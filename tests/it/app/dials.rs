//! The further dials: groups, what was moved, what has no effect, and drags.

use std::rc::Rc;

use proptest::prelude::*;
use queue_lab::app::effect::idle_because;
use queue_lab::app::export;
use queue_lab::app::groups::{Group, applies};
use queue_lab::app::link;
use queue_lab::app::log_view::{Side, scenario_of};
use queue_lab::app::message::Msg;
use queue_lab::app::view::{MoreControl, MoreDialView};
use queue_lab::json::Fields;
use queue_lab::model::command::{Command, FIXED};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{Definition, Kind, Setting, Settings, TABLE, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::locale::Locale;

use super::Bench;

impl Bench {
    fn group(&mut self, group: Group) -> Vec<MoreDialView> {
        self.send(Msg::MoreOpened(true));
        self.send(Msg::GroupOpened(group));
        self.view().more
    }

    fn further(&mut self, group: Group, setting: Setting) -> MoreDialView {
        let dials = self.group(group);
        dials.into_iter().find(|dial| dial.setting == setting).expect("it is in that group")
    }

    fn enter(&mut self, setting: Setting, text: &str) {
        self.send(Msg::ValueEntered(setting, text.to_owned()));
    }
}

#[test]
fn one_group_is_open_at_a_time_and_has_only_what_the_side_has() {
    for (query, side) in [("", Side::Queue), ("view=log", Side::Log)] {
        let mut bench = Bench::open(query);
        for group in Group::ALL {
            let dials = bench.group(group);
            let groups = bench.view().groups.groups;
            let open: Vec<_> = groups.iter().filter(|one| one.is_open).map(|one| one.group).collect();
            assert_eq!(open.len(), 1, "{group:?}");
            assert!(dials.iter().all(|dial| applies(dial.setting, side)), "{group:?}");
            if groups.iter().any(|one| one.group == group) {
                assert_eq!(open, [group]);
                assert!(!dials.is_empty());
            }
        }
    }
}

#[test]
fn every_setting_is_a_dial_of_some_group() {
    let first = [Setting::ProducerRate, Setting::ConsumerRate];
    let grouped: Vec<Setting> = Group::ALL.iter().flat_map(|group| group.settings()).copied().collect();
    for row in TABLE.iter().filter(|row| !first.contains(&row.setting)) {
        assert!(grouped.contains(&row.setting), "{} has no place", row.name);
        let has_side = [Side::Queue, Side::Log].iter().any(|side| applies(row.setting, *side));
        assert!(has_side, "{} is nowhere", row.name);
    }
    for group in Group::ALL {
        let own = group.settings();
        assert!(own.iter().all(|one| own.iter().filter(|other| *other == one).count() == 1), "{group:?}");
    }
}

#[test]
fn every_dial_has_words_for_itself_and_for_its_choices() {
    let locale = Locale::english();
    let has = |key: &str| locale.keys().any(|known| known == key);
    for row in TABLE {
        assert!(has(&format!("dial.{}", row.alias)), "{}", row.alias);
        if let Kind::Choice(names) = row.kind {
            for name in names.iter().filter(|_| names != ["off", "on"]) {
                assert!(has(&format!("choice.{}.{name}", row.alias)), "{} {name}", row.alias);
            }
        }
    }
}

#[test]
fn a_dial_is_the_control_that_its_kind_asks_for() {
    let mut bench = Bench::open("");
    let control = |bench: &mut Bench, group, setting| bench.further(group, setting).control;
    let MoreControl::Number { value, unit, none, as_broker, slider, .. } =
        control(&mut bench, Group::Store, Setting::Retention)
    else {
        panic!("a number")
    };
    assert_eq!((value.as_str(), unit.as_str()), ("", "seconds"));
    assert_eq!(none.map(|(_, is_on)| is_on), Some(false));
    assert_eq!(as_broker.map(|(_, is_on)| is_on), Some(true));
    assert_eq!(slider, None);
    assert_eq!(control(&mut bench, Group::Priorities, Setting::SingleActive), MoreControl::Switch(false));
    let MoreControl::Choice(choice) = control(&mut bench, Group::Broker, Setting::Broker) else {
        panic!("a choice")
    };
    let labels: Vec<_> = choice.options.iter().map(|(_, label)| label.as_str()).skip(1).collect();
    assert_eq!(labels, ["RabbitMQ classic", "RabbitMQ quorum 4.0", "SQS standard", "SQS FIFO", "Kafka"]);
    bench.send(Msg::NoneTicked(Setting::DownstreamRate, false));
    let MoreControl::Number { slider, none, .. } =
        control(&mut bench, Group::Downstream, Setting::DownstreamRate)
    else {
        panic!("a number")
    };
    assert!(slider.is_some_and(|slider| slider.position > 0 && slider.spoken.contains("second")));
    assert_eq!(none.map(|(_, is_on)| is_on), Some(false));
}

#[test]
fn a_number_can_be_left_to_the_broker_and_taken_back() {
    let mut bench = Bench::open("");
    bench.send(Msg::AsBrokerTicked(Setting::VisibilityTimeout, false));
    assert_eq!(bench.app.settings().get(Setting::VisibilityTimeout), Value::Span(Span::from_seconds(30)));
    bench.send(Msg::AsBrokerTicked(Setting::VisibilityTimeout, true));
    assert_eq!(bench.app.settings().get(Setting::VisibilityTimeout), Value::Choice("as-broker"));
}

#[test]
fn moved_dials_are_counted_listed_and_put_back() {
    let mut bench = Bench::open("capacity=40&t=3");
    bench.send(Msg::MoreOpened(true));
    assert_eq!(bench.view().changed, None);
    bench.enter(Setting::QueueBound, "120");
    bench.enter(Setting::AttemptsMax, "3");
    bench.enter(Setting::Broker, "sqs-standard");
    let changed = bench.view().changed.expect("three were moved");
    assert_eq!(changed.count, "3 changed");
    let texts: Vec<_> = changed.dials.iter().map(|dial| dial.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Queue bound: 120, at first 40",
            "Behaves like: SQS standard, at first A plain queue or log",
            "Attempts: 3, at first none"
        ]
    );
    assert!(bench.further(Group::Basics, Setting::QueueBound).changed.is_some());
    bench.send(Msg::PutBack(Setting::QueueBound));
    assert_eq!(bench.view().changed.map(|changed| changed.count).as_deref(), Some("2 changed"));
    bench.send(Msg::AllPutBack);
    assert_eq!(bench.view().changed, None);
    assert_eq!(bench.app.settings(), Bench::open("capacity=40").app.settings());
}

#[test]
fn what_holds_from_the_start_begins_a_run_that_has_not_begun_and_waits_otherwise() {
    let mut bench = Bench::open("");
    bench.enter(Setting::Broker, "sqs-fifo");
    assert_eq!(bench.app.run().settings().get(Setting::Broker), Value::Choice("sqs-fifo"));
    let mut bench = Bench::open("t=5");
    bench.enter(Setting::Broker, "sqs-fifo");
    assert_eq!(bench.at(), Instant::from_seconds(5), "the run goes on");
    assert_eq!(bench.app.run().settings().get(Setting::Broker), Value::Choice("plain"));
    let dial = bench.further(Group::Broker, Setting::Broker);
    assert!(dial.note.is_some_and(|note| note.contains("the next start has it")));
    bench.send(Msg::ResetPressed);
    assert_eq!(bench.app.run().settings().get(Setting::Broker), Value::Choice("sqs-fifo"));
}

#[test]
fn a_dial_without_effect_says_why_and_one_with_effect_does_not() {
    let mut bench = Bench::open("capacity=none");
    let dial = bench.further(Group::Basics, Setting::Overflow);
    assert!(dial.is_idle);
    assert_eq!(dial.note.as_deref(), Some("Only used when the queue has a bound."));
    bench.enter(Setting::QueueBound, "60");
    assert!(!bench.further(Group::Basics, Setting::Overflow).is_idle);
}

#[test]
fn a_drag_leaves_at_most_one_command_in_50_milliseconds_and_the_last_counts() {
    let mut bench = Bench::open("");
    bench.send(Msg::PlayToggled);
    for step in 0..100_u32 {
        bench.send(Msg::SliderMoved(Setting::ProducerRate, step % 41));
        bench.now += 7.0;
        if step % 3 == 0 {
            bench.frame(0.5);
        }
    }
    bench.send(Msg::SliderMoved(Setting::ProducerRate, 17));
    bench.send(Msg::SliderReleased(Setting::ProducerRate));
    let log = bench.app.run().simulation().command_log();
    let values: Vec<_> = log
        .filter_map(|timed| match timed.command {
            Command::Set { setting: Setting::ProducerRate, value } => Some(value),
            _ => None,
        })
        .collect();
    assert!((10..=17).contains(&values.len()), "{} commands in 0.7 s", values.len());
    assert_eq!(values.last(), Some(&bench.app.settings().get(Setting::ProducerRate)));
    assert_eq!(values.last().map(|value| value.to_text()).as_deref(), Some("8.5"));
}

#[test]
fn a_dial_in_the_hand_shows_where_it_is_and_is_due_without_a_frame() {
    let mut bench = Bench::open("");
    bench.send(Msg::SliderMoved(Setting::ProducerRate, 14));
    bench.now += 10.0;
    bench.send(Msg::SliderMoved(Setting::ProducerRate, 16));
    let rate = |bench: &Bench| bench.app.run().settings().get(Setting::ProducerRate).to_text();
    assert_eq!((rate(&bench).as_str(), bench.view().dials[0].value.as_str()), ("7", "8"));
    let due = bench.app.wake_at().expect("it is due");
    assert!(due <= bench.now + 50.0);
    bench.now = due;
    bench.app.wake(due);
    assert_eq!(rate(&bench), "8");
}

#[test]
fn a_new_instant_keeps_what_was_done() {
    let done = "do=2,burst,messages=50";
    let mut bench = Bench::open(&format!("{done}&t=5"));
    bench.app.follow_change(&link::read("t=9"), bench.now, &mut || 0.0);
    while bench.app.needs_frames() {
        bench.frame(16.0);
    }
    assert_eq!(bench.hash(), Bench::open(&format!("{done}&t=9")).hash());
    assert_ne!(bench.hash(), Bench::open("t=9").hash());
}

/// A few values of each kind, so that the dials meet each other in many ways.
fn values(row: &Definition) -> Vec<&'static str> {
    let numbers: &[&str] = match row.kind {
        Kind::Choice(_) => &[],
        Kind::Rate => &["3", "8"],
        Kind::RateOrNone => &["4"],
        Kind::Count { .. } | Kind::CountOr { .. } | Kind::Bound { .. } => &["2", "5"],
        Kind::Seconds { .. } | Kind::SecondsOr { .. } => &["1", "20"],
        Kind::Percent => &["0", "30"],
    };
    let none: &[&str] = if matches!(row.kind, Kind::Bound { .. }) { &["none"] } else { &[] };
    numbers.iter().chain(row.words()).chain(none).copied().collect()
}

fn value(setting: Setting, at: usize) -> Value {
    let row = Definition::of(setting);
    let texts = values(row);
    row.read(texts[at % texts.len()]).0.expect("it is a value")
}

/// What messages carry with them is in the digest of the state, used or not.
const CARRIED: [Setting; 2] = [Setting::MessagePriority, Setting::MessageGroups];

/// Two model minutes of a run in which a dial stands at `value`, and is put to `first` at their end.
fn outcome(side: Side, dials: &Settings, setting: Setting, value: Value) -> Fields {
    let mut moved = dials.clone();
    moved.set(setting, value);
    let mut simulation = Simulation::new(Rc::new(with_dials(side, &moved)));
    simulation.advance_to(Instant::from_seconds(120), u64::MAX);
    if !FIXED.contains(&setting) {
        let first = Command::Set { setting, value: dials.get(setting) };
        simulation.apply(first).expect("it is a dial");
    }
    simulation.advance_to(Instant::from_seconds(121), u64::MAX);
    let mut record = export::record(&simulation);
    if FIXED.contains(&setting) || CARRIED.contains(&setting) {
        record.retain(|(key, _)| key != "state_hash");
    }
    record
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn a_dial_that_is_said_to_be_without_effect_has_none(
        is_log: bool,
        choices in prop::collection::vec((0..TABLE.len(), 0_usize..8), 0..14),
        at in 0_usize..8,
    ) {
        let side = if is_log { Side::Log } else { Side::Queue };
        let mut dials = scenario_of(side, &Settings::default()).settings;
        for (row, at) in choices {
            dials.set(TABLE[row].setting, value(TABLE[row].setting, at));
        }
        let idle = TABLE.iter().map(|row| row.setting)
            .filter(|setting| applies(*setting, side))
            .filter(|setting| idle_because(*setting, &dials, side).is_some());
        let mut failures = Vec::new();
        for setting in idle {
            let moved = value(setting, at);
            let rests = outcome(side, &dials, setting, dials.get(setting));
            let outcome = outcome(side, &dials, setting, moved);
            let differ = outcome.iter().zip(&rests).filter(|(one, other)| one != other);
            let differ: Vec<_> = differ.map(|((key, _), _)| key.as_str()).collect();
            if !differ.is_empty() {
                failures.push(format!("{setting:?} to {moved:?} changes {differ:?}"));
            }
        }
        prop_assert!(failures.is_empty(), "{:#?} with {:?}", failures, dials);
    }
}

/// The run of a side with exactly these dials.
fn with_dials(side: Side, dials: &Settings) -> Scenario {
    let mut scenario = scenario_of(side, dials);
    scenario.settings = dials.clone();
    scenario
}

#[test]
fn every_rule_of_what_has_no_effect_is_met_and_can_fail() {
    let defaults = Settings::default();
    let idle = |dials: &Settings, setting| idle_because(setting, dials, Side::Queue);
    for (setting, wakes, to) in [
        (Setting::BurstSize, Setting::Arrivals, "bursts"),
        (Setting::Seed, Setting::Arrivals, "poisson"),
        (Setting::MessagePriority, Setting::PriorityLevels, "3"),
        (Setting::MessageGroups, Setting::Broker, "sqs-fifo"),
        (Setting::ShedShare, Setting::ShedAbove, "5"),
        (Setting::CallTimeout, Setting::SendPath, "direct"),
        (Setting::ConfirmLoss, Setting::Confirms, "awaited"),
        (Setting::RetryDelayBase, Setting::RetryAt, "retry-queue"),
        (Setting::LateMessages, Setting::Deadline, "5"),
        (Setting::ConsumerCountMax, Setting::Autoscale, "cpu"),
        (Setting::AutoscaleBacklog, Setting::Autoscale, "backlog"),
        (Setting::AutoscaleUtilisation, Setting::Autoscale, "cpu"),
        (Setting::CallLayers, Setting::DownstreamRate, "4"),
        (Setting::SchemaCheck, Setting::SchemaChange, "add-required"),
        (Setting::DeadLetterRetention, Setting::DeadLetters, "kept"),
    ] {
        assert!(idle(&defaults, setting).is_some(), "{setting:?} has no effect at first");
        let mut dials = defaults.clone();
        let (value, problem) = Definition::of(wakes).read(to);
        assert_eq!(problem, None);
        dials.set(wakes, value.expect("it is a value"));
        assert_eq!(idle(&dials, setting), None, "{setting:?} with {wakes:?} at {to}");
    }
}

#[test]
fn a_dial_without_effect_says_why_in_the_log_too() {
    let mut bench = Bench::open("view=log");
    let size = bench.further(Group::Arrivals, Setting::BurstSize);
    assert!(size.is_idle && size.note.is_some(), "{size:?}");
    bench.enter(Setting::Arrivals, "bursts");
    assert!(!bench.further(Group::Arrivals, Setting::BurstSize).is_idle);
}

#[test]
fn what_is_locked_or_hidden_is_not_put_back_with_the_others() {
    for query in ["lock=capacity", "hide=capacity"] {
        let mut bench = Bench::open(query);
        bench.send(Msg::MoreOpened(true));
        bench.enter(Setting::QueueBound, "120");
        bench.enter(Setting::AttemptsMax, "3");
        let changed = bench.view().changed.expect("two were moved");
        assert_eq!(changed.dials.len(), if query.starts_with("hide") { 1 } else { 2 }, "{query}");
        assert_eq!(changed.all, None, "{query}: the one that can be put back has its own button");
        bench.enter(Setting::Prefetch, "7");
        let changed = bench.view().changed.expect("three were moved");
        assert_eq!(changed.all.as_deref(), Some("Put all 2 back"), "{query}");
        bench.send(Msg::AllPutBack);
        let settings = bench.app.settings();
        assert_eq!(settings.get(Setting::QueueBound).to_text(), "120", "{query}");
        assert_eq!(settings.get(Setting::AttemptsMax).to_text(), "none", "{query}");
        assert!(bench.view().changed.is_none_or(|changed| changed.all.is_none()), "{query}");
    }
}

#[test]
fn the_note_of_the_seed_is_said_once() {
    let mut bench = Bench::open("work=exponential");
    for arrivals in ["steady", "poisson"] {
        bench.enter(Setting::Arrivals, arrivals);
        let note = bench.further(Group::Basics, Setting::Seed).note.unwrap_or_default();
        assert_eq!(note.matches("The same seed gives the same run.").count(), 1, "{note}");
    }
}
