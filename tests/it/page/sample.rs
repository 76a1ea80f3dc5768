//! Hand-made views: one at rest, and one with everything at once.

use std::rc::Rc;

use queue_lab::app::breaking::Injection;
use queue_lab::app::glossary::TermView;
use queue_lab::app::groups::Group;
use queue_lab::app::log_view::Side;
use queue_lab::app::view::{
    Announcement, BreakView, BreakingView, ChartView, ChoiceView, ChosenButton, DeadLetterRow,
    DeadLettersPanel, DeadLettersView, DialView, GroupView, GroupsView, LogActionView, LogActionsView,
    MoreControl, MoreDialView, PolicyView, RewindView, StoryView, TableRow, ThemeName, Tone, TraceLine,
    TracePick, TracePicks, TraceView, ViewModel,
};
use queue_lab::model::settings::Setting;
use queue_lab::narrate::locale::Locale;

/// At the start, with nothing to complain about.
pub fn resting() -> ViewModel {
    ViewModel {
        texts: Rc::new(Locale::english()),
        clock: "00:00".into(),
        is_playing: false,
        is_at_start: true,
        side: Side::Queue,
        side_note: None,
        log_actions: None,
        speeds: choice(&["0.1", "1", "10"], "1"),
        story: StoryView { happening: "6 arrive and 6 finish each second.".into(), ..StoryView::default() },
        dials: vec![
            dial(Setting::ProducerRate, "Producer rate", "messages a second"),
            dial(Setting::ConsumerRate, "Consumer rate", "a second each"),
        ],
        has_more_dials: true,
        more: more(),
        groups: groups(),
        changed: None,
        access: Rc::default(),
        locked: None,
        help: None,
        is_full_screen: false,
        charts: ["Waiting", "Oldest", "Dropped"].map(chart).into(),
        further_charts: Vec::new(),
        breaking: BreakingView { first: Injection::FIRST.map(break_view).into(), ..BreakingView::default() },
        dead_letters: None,
        glossary: vec![TermView {
            name: "Lag".into(),
            meaning: "How far behind.".into(),
            said: Some("now".into()),
        }],
        balance: Vec::new(),
        table: ["Waiting", "In flight", "Done"].map(row).into(),
        picture_name: "A producer, a queue and one consumer".into(),
        notices: Vec::new(),
        announcement: Announcement::default(),
        skip: None,
        rewind: RewindView {
            position: 42,
            last: 42,
            end: "00:42".into(),
            spoken: "00:42 of 00:42".into(),
            warning: None,
            back: None,
        },
        trace: None,
        share: None,
        progress: None,
        show_me: "Show me: 8 against 6".into(),
        theme: ThemeName::Light,
        is_motion_reduced: false,
    }
}

/// A log at its start.
pub fn log_at_rest() -> ViewModel {
    ViewModel {
        side: Side::Log,
        side_note: Some("The same dials, from the start.".into()),
        log_actions: Some(LogActionsView {
            label: "Add".into(),
            partition: LogActionView { label: "Add a partition".into(), refused: None },
            consumer: LogActionView { label: "Add a consumer".into(), refused: Some("There are 64.".into()) },
            team: Some(LogActionView { label: "Add a second team".into(), refused: None }),
        }),
        ..resting()
    }
}

/// Running, in trouble, with notices and entries that were refused.
pub fn full() -> ViewModel {
    let mut view = resting();
    view.is_playing = true;
    view.is_at_start = false;
    view.story = StoryView {
        happening: "The queue is full.".into(),
        next: Some("Every new message waits 10 seconds.".into()),
        advice: Some("Slow the producer to 6.".into()),
        tone: Tone::Alarm,
    };
    if let Some(dial) = view.dials.first_mut() {
        dial.problem = Some("200000 is too large.".into());
        dial.slider_value = 160;
    }
    if let Some(dial) = view.dials.last_mut() {
        dial.total = Some("× 3 = 6".into());
    }
    view.notices = vec!["p: 200000 is too large.".into(), "q: there is no such name.".into()];
    view.announcement = Announcement { serial: 7, text: "It runs.".into() };
    view.skip = Some("Skip to full (9 s)".into());
    view.breaking.more = Injection::MORE.map(break_view).into();
    view.breaking.said = "A message that fails every time was sent.".into();
    view.breaking.policy = Some(PolicyView {
        label: "When a message fails".into(),
        choice: choice(&["for-ever", "skip"], "for-ever"),
        does: "It is tried again.".into(),
        whereabouts: "It is next.".into(),
    });
    view.dead_letters = Some(dead_letters());
    view.further_charts = ["In and out", "Repeats"].map(chart).into();
    view.trace = Some(trace());
    view.balance = vec!["3 offered = 1 waiting + 2 done + 0 others".into()];
    view
}

fn dial(setting: Setting, label: &str, unit: &str) -> DialView {
    DialView {
        setting,
        label: label.into(),
        value: "6".into(),
        unit: unit.into(),
        total: None,
        spoken: format!("6 {unit}"),
        slider_value: 60,
        slider_max: 200,
        limits: "0 to 100000 a second".into(),
        problem: None,
    }
}

fn more() -> Vec<MoreDialView> {
    let number = |value: &str, none| MoreControl::Number {
        value: value.into(),
        limits: "1 to 64".into(),
        unit: "messages".into(),
        none,
        as_broker: None,
        slider: None,
    };
    let dial = |setting, label: &str, control| MoreDialView {
        setting,
        label: label.into(),
        control,
        note: Some("What it does.".into()),
        is_idle: false,
        changed: None,
        problem: None,
    };
    let mut workers = dial(Setting::ConsumerCount, "Consumers", number("1", None));
    workers.problem = Some("abc is not a number.".into());
    vec![
        workers,
        dial(Setting::QueueBound, "Queue bound", number("60", Some(("No bound".into(), false)))),
        dial(
            Setting::Overflow,
            "When the queue is full",
            MoreControl::Choice(choice(&["block", "reject"], "block")),
        ),
    ]
}

fn groups() -> GroupsView {
    let group = |group, label: &str, is_open| GroupView { group, label: label.into(), is_open };
    let groups =
        vec![group(Group::Basics, "Most used", true), group(Group::Retry, "Failures and retries", false)];
    GroupsView { label: "Groups".into(), groups }
}

fn choice(names: &[&str], chosen: &str) -> ChoiceView {
    ChoiceView {
        options: names.iter().map(|name| ((*name).to_owned(), format!("{name}×"))).collect(),
        chosen: chosen.into(),
    }
}

fn chart(title: &str) -> ChartView {
    ChartView { title: title.into(), value: "42".into(), description: format!("{title} over time") }
}

fn row(name: &str) -> TableRow {
    TableRow { name: name.into(), value: "42".into() }
}

fn break_view(injection: Injection) -> BreakView {
    BreakView { injection, label: format!("{injection:?}"), hint: format!("What {injection:?} does.") }
}

fn trace() -> TraceView {
    let pick = |number: u64| TracePick {
        producer: 0,
        number,
        label: number.to_string(),
        spoken: format!("Pick message {number}"),
    };
    let line = |time: &str, text: &str, is_loss| TraceLine { time: time.into(), text: text.into(), is_loss };
    TraceView {
        picks: vec![
            TracePicks { label: "Next in line".into(), picks: vec![pick(12), pick(13)] },
            TracePicks { label: "Last lost".into(), picks: vec![pick(4)] },
        ],
        renew: Some("Renew the list".into()),
        problem: Some("There is no message 900 yet.".into()),
        title: "Journey of message 4".into(),
        verdict: vec!["It is lost. Why?".into(), "The line was full.".into()],
        lines: vec![line("00:01.25", "It was offered.", false), line("00:01.25", "It was dropped.", true)],
    }
}

fn dead_letters() -> DeadLettersView {
    let row = |number: u64| DeadLetterRow {
        copy: 0,
        producer: 0,
        is_ticked: number == 164,
        tick_label: Some(format!("Select message {number}")),
        number,
        name: number.to_string(),
        cells: vec!["its last attempt failed".into(), "3".into(), "24 s".into()],
        history_label: format!("Trace message {number}"),
        history: vec!["00:42: its last attempt failed.".into()],
    };
    let panel = DeadLettersPanel {
        title: "2 dead letters".into(),
        fix: "Deploy the fix".into(),
        redrive: "Redrive 2 at 1 a second".into(),
        redrive_chosen: Some(ChosenButton { text: "Redrive 1 selected at 1 a second".into(), idle: None }),
        redrive_all: "Redrive all at once".into(),
        discard: "Discard all".into(),
        heads: ["Message", "Reason", "Attempts", "Waits here", "Journey"].map(String::from).into(),
        rows: vec![row(118), row(164)],
        notes: vec!["1 of these came back.".into()],
    };
    DeadLettersView { button: "2 dead letters · Open".into(), is_empty: false, panel: Some(panel) }
}
