//! The view model: what the page shows, made from the app's state and nothing else.

use super::access::{self, Control};
use super::balance;
use super::both;
use super::breaking;
use super::dead_letters;
use super::dials;
use super::further_charts;
use super::glossary;
use super::groups;
use super::keys;
use super::labels;
use super::log_view::{self, Side};
use super::moved;
use super::notice;
use super::picture;
use super::rewind;
use super::share;
use super::speed::Speed;
use super::state::App;
use super::table;
use super::trace;
use super::view::{ChartView, ChoiceView, DialView, GroupsView, StoryView, TableRow, Tone, ViewModel};
use crate::draw::chart::ChartKind;
use crate::model::outlook::NextEvent;
use crate::model::rate::Rate;
use crate::model::settings::{Bound, Definition, Setting, Settings};
use crate::model::time::{Instant, Span};
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};
use crate::narrate::remark::Remark;
use crate::narrate::words;

/// What the page shows now.
#[must_use]
pub fn view(app: &App) -> ViewModel {
    let snapshot = app.run.snapshot();
    let locale = &app.locale;
    let settings = app.settings();
    let side = app.side();
    ViewModel {
        texts: std::rc::Rc::clone(locale),
        clock: format::clock(snapshot.at),
        is_playing: app.is_playing,
        is_at_start: snapshot.at == Instant::START,
        side,
        side_note: app.side_note(),
        log_actions: app.log_actions(),
        speeds: speeds(app.speed, locale),
        story: story(app),
        dials: [Setting::ProducerRate, Setting::ConsumerRate]
            .into_iter()
            .filter(|setting| !app.access.is_hidden(Control::Setting(*setting)))
            .map(|setting| rate_dial(app, &settings, setting))
            .collect(),
        breaking: breaking::view(app),
        dead_letters: if app.access.is_hidden(Control::DeadLetters) { None } else { dead_letters::view(app) },
        has_more_dials: app.access.is_full() || groups::has_dials(app),
        more: if app.is_more_open { groups::dials(app, &settings) } else { Vec::new() },
        groups: if app.is_more_open { groups::groups(app) } else { GroupsView::default() },
        changed: if app.is_more_open { moved::view(app, &settings) } else { None },
        access: std::rc::Rc::clone(&app.access),
        locked: access::locked_note(app),
        help: app.is_help_open.then(|| keys::list(&app.access, locale)),
        is_full_screen: app.is_full_screen,
        charts: match side {
            Side::Queue => charts(app),
            Side::Log => log_view::charts(snapshot, locale),
            Side::Both => both::charts(charts(app), log_view::charts(snapshot, locale)),
        },
        further_charts: if app.are_charts_open { further_charts::views(app) } else { Vec::new() },
        table: if app.is_table_open { rows(app) } else { Vec::new() },
        picture_name: picture_name(app, side),
        trace: app.trace.is_open.then(|| trace::view(app)),
        share: app.is_share_open.then(|| share::view(app)),
        glossary: if app.is_glossary_open { terms(app) } else { Vec::new() },
        balance: if app.is_table_open { balance::lines(snapshot, locale) } else { Vec::new() },
        notices: notice::texts(&app.notices, locale),
        announcement: app.announcement.clone(),
        skip: skip(app),
        rewind: rewind::view(app),
        progress: progress(app),
        show_me: locale.text("actions.show_me").to_owned(),
        theme: app.theme(),
        is_motion_reduced: app.is_motion_reduced(),
    }
}

pub(super) fn picture_name(app: &App, side: Side) -> String {
    let snapshot = app.run.snapshot();
    match side {
        Side::Log => return log_view::picture_name(snapshot, &app.locale),
        Side::Both => return both::picture_name(snapshot, &app.locale),
        Side::Queue => {}
    }
    app.locale.format_spoken("picture.name", &[("waiting", Field::Count(snapshot.queue.waiting))])
}

#[inline(never)]
fn rows(app: &App) -> Vec<TableRow> {
    let of_log = || log_view::rows(app.run.snapshot(), &app.locale);
    let of_queue = || table::rows(app.run.snapshot(), app.run.course().is_plain(), &app.locale);
    let mut rows = match app.side() {
        Side::Queue => of_queue(),
        Side::Log => of_log(),
        Side::Both => both::rows(of_queue(), of_log(), &app.locale),
    };
    rows.push(further_charts::handler_row(app));
    rows
}

fn speeds(chosen: Speed, locale: &Locale) -> ChoiceView {
    let mut options = Vec::new();
    let mut offer = |speed: Speed| {
        let name = speed.to_string();
        let label = locale.format("transport.speed.value", &[("speed", Field::Text(&name))]);
        options.push((name, label));
    };
    let mut is_missing = !Speed::OFFERED.contains(&chosen);
    for speed in Speed::OFFERED {
        if is_missing && chosen < speed {
            offer(chosen);
            is_missing = false;
        }
        offer(speed);
    }
    ChoiceView { options, chosen: chosen.to_string() }
}

fn story(app: &App) -> StoryView {
    let text = |remark: &Remark| words::text(remark, &app.locale, Numerals::Screen);
    StoryView {
        happening: words::happening(&app.shown, &app.locale, Numerals::Screen),
        next: app.shown.next.as_ref().map(text),
        advice: app.shown.advice.as_ref().map(text),
        tone: tone(app),
    }
}

#[inline(never)]
fn terms(app: &App) -> Vec<glossary::TermView> {
    let told = story(app);
    let sentences = [Some(told.happening), told.next, told.advice].into_iter().flatten();
    glossary::terms(app, &sentences.collect::<Vec<String>>().join(" "))
}

/// How the sentence feels: a full line is never a calm one, nor is a group that is far behind.
fn tone(app: &App) -> Tone {
    let (queue, tone) = (&app.run.snapshot().queue, app.shown.happening.tone());
    let is_full = matches!(queue.bound, Bound::Messages(bound) if bound > 0 && queue.waiting >= bound);
    let is_behind = || app.side().has_log() && log_view::is_far_behind(app.run.snapshot());
    let is_silent = matches!(app.shown.happening, Remark::Log(told) if told.is_silent_on_pace());
    if tone == Tone::Calm && (is_full || is_silent && is_behind()) { Tone::Warning } else { tone }
}

fn rate_dial(app: &App, settings: &Settings, setting: Setting) -> DialView {
    let (rate, label, unit, spoken) = match setting {
        Setting::ProducerRate => (settings.producer_rate, "dial.p", "dial.p.unit", "dial.p.spoken"),
        _ => (settings.consumer_rate, "dial.c", "dial.c.unit", "dial.c.spoken"),
    };
    let fields = [
        ("rate", Field::Rate(rate)),
        ("consumers", Field::Count(settings.consumer_count)),
        ("total", Field::Rate(settings.capacity())),
        ("max", Field::Rate(Rate::MAX)),
    ];
    let max = app.slider_end(setting);
    let has_total = setting == Setting::ConsumerRate && settings.consumer_count > 1;
    let at_work =
        if has_total && app.side() == Side::Log { log_view::readers_at_work(app, settings) } else { None };
    DialView {
        setting,
        label: app.locale.text(label).to_owned(),
        value: rate.to_string(),
        unit: app.locale.format(unit, &fields),
        total: has_total.then(|| match &at_work {
            Some(at_work) => at_work.total.clone(),
            None => app.locale.format("dial.c.total", &fields),
        }),
        spoken: match at_work {
            Some(at_work) => at_work.spoken,
            None => app.locale.format_spoken(spoken, &fields),
        },
        slider_value: dials::position(rate, max),
        slider_max: dials::SLIDER_STEPS,
        limits: app.locale.format("dial.rate.limits", &fields),
        problem: problem(app, setting),
    }
}

pub(super) fn problem(app: &App, setting: Setting) -> Option<String> {
    let (_, problem) = app.dial_problem.as_ref().filter(|(of, _)| *of == setting)?;
    let kept = app.settings().get(setting).to_text();
    Some(notice::value_text(
        problem,
        app.locale.text(&dial_key(setting)),
        &app.dial_entry,
        &kept,
        &app.locale,
    ))
}

/// The key of a dial's name.
#[inline(never)]
pub(super) fn dial_key(setting: Setting) -> String {
    ["dial.", Definition::of(setting).alias].concat()
}

/// The key of one of its choices.
#[inline(never)]
pub(super) fn choice_key(setting: Setting, name: &str) -> String {
    ["choice.", Definition::of(setting).alias, ".", name].concat()
}

fn charts(app: &App) -> Vec<ChartView> {
    let snapshot = app.run.snapshot();
    let locale = &app.locale;
    let count = |count: u64| format::count(locale, count, Numerals::Screen);
    let waiting = snapshot.queue.waiting;
    let kind = picture::shown_kind(ChartKind::Lost, snapshot);
    let (third, third_description, third_count) = match kind {
        ChartKind::DeadLetters => {
            ("chart.dead_letters", "chart.dead_letters.description", snapshot.ledger.dead_letters)
        }
        _ => ("chart.lost", "chart.lost.description", snapshot.ledger.refused_or_dropped()),
    };
    let age = snapshot.queue.oldest_age;
    let age_text = age.map(|age| format::time(locale, age, Numerals::Spoken)).unwrap_or_default();
    let age_key = if age.is_some() { "chart.oldest.description" } else { "chart.oldest.none" };
    let fields = [
        ("waiting", Field::Count(waiting)),
        ("age", Field::Text(&age_text)),
        ("count", Field::Count(third_count)),
    ];
    let chart = |title: &str, value: String, description: &str| ChartView {
        title: locale.text(title).to_owned(),
        value,
        description: locale.format_spoken(description, &fields),
    };
    vec![
        chart("chart.waiting", count(waiting), "chart.waiting.description"),
        chart("chart.oldest", labels::age(age, locale), age_key),
        chart(third, count(third_count), third_description),
    ]
}

/// What the machine is at, where that takes time: a jump under way, or a speed beyond it.
#[inline(never)]
fn progress(app: &App) -> Option<String> {
    if let Some(goal) = app.goal {
        let goal = format::clock(goal);
        return Some(app.locale.format("transport.on_the_way", &[("time", Field::Text(&goal))]));
    }
    let speed = app.speed.to_string();
    app.is_behind().then(|| app.locale.format("transport.behind", &[("speed", Field::Text(&speed))]))
}

fn skip(app: &App) -> Option<String> {
    if app.goal.is_some() {
        return None;
    }
    let (next, at) = app.skip_to()?;
    let span: Span = at.since(app.run.snapshot().at);
    let key = match next {
        NextEvent::FullIn(_) => "transport.skip.full",
        NextEvent::EmptyIn(_) => "transport.skip.empty",
        _ => "transport.skip.memory",
    };
    // Short where it can be: on a phone the offers have one line.
    let time = if span < Span::from_seconds(3_600) {
        format::short(&app.locale, Span::from_seconds(span.micros().div_ceil(1_000_000)))
    } else {
        format::time(&app.locale, span, Numerals::Screen)
    };
    Some(app.locale.format(key, &[("time", Field::Text(&time))]))
}
