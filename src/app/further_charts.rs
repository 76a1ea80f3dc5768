//! The charts that open on request, beside the three that are always there.

use super::picture;
use super::state::App;
use super::view::{ChartView, TableRow};
use crate::draw::chart::ChartKind;
use crate::model::series::Resolution;
use crate::model::time::Span;
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};

/// The further charts of the side that is shown, in the order in which they stand.
#[must_use]
pub fn kinds(app: &App) -> Vec<ChartKind> {
    let mut kinds = vec![ChartKind::Throughput, ChartKind::HandlerTime, ChartKind::Repeats];
    let third = picture::shown_kind(ChartKind::Lost, app.run.snapshot());
    if app.side().has_queue() && third == ChartKind::DeadLetters {
        kinds.push(ChartKind::Lost);
    }
    kinds
}

/// Their captions, while they are open.
#[inline(never)]
pub(super) fn views(app: &App) -> Vec<ChartView> {
    kinds(app).into_iter().map(|kind| view(app, kind)).collect()
}

fn view(app: &App, kind: ChartKind) -> ChartView {
    let (snapshot, locale) = (app.run.snapshot(), &*app.locale);
    let count = match kind {
        ChartKind::Repeats => snapshot.network.totals.duplicate_side_effects,
        _ => snapshot.ledger.refused_or_dropped(),
    };
    let (title, description) = match kind {
        ChartKind::Throughput => return throughput(app),
        ChartKind::HandlerTime => return handler_time(app),
        ChartKind::Repeats => ("chart.repeats", "chart.repeats.description"),
        _ => ("chart.lost", "chart.lost.description"),
    };
    ChartView {
        title: locale.text(title).to_owned(),
        value: format::count(locale, count, Numerals::Screen),
        description: locale.format_spoken(description, &[("count", Field::Count(count))]),
    }
}

/// What came in and went out within the last whole second.
fn throughput(app: &App) -> ChartView {
    let last = picture::flows(app, Resolution::Second).last().map(|bucket| bucket.moved).unwrap_or_default();
    let fields = [("in", Field::Count(last.came)), ("out", Field::Count(last.done))];
    let locale = &*app.locale;
    ChartView {
        title: locale
            .text(if app.side().is_both() { "both.throughput" } else { "chart.throughput" })
            .to_owned(),
        value: locale.format("chart.throughput.value", &fields),
        description: locale.format_spoken("chart.throughput.description", &fields),
    }
}

/// What 99 of 100 attempts took at most that ended within the last minute or so, as it is shown.
fn handler_time(app: &App) -> ChartView {
    let recent = app.run.simulation().handler_times().recent();
    let locale = &*app.locale;
    let time = attempt_time(locale, recent.percentile(99), "chart.handler.milliseconds");
    let fields = [("count", Field::Count(recent.count())), ("time", Field::Text(&time))];
    ChartView {
        title: locale.text("chart.handler").to_owned(),
        value: shown_handler_time(app),
        description: locale.format_spoken("chart.handler.description", &fields),
    }
}

/// The row of the table for what attempts took.
#[inline(never)]
pub(super) fn handler_row(app: &App) -> TableRow {
    TableRow { name: app.locale.text("table.handler_time.p99").to_owned(), value: shown_handler_time(app) }
}

fn shown_handler_time(app: &App) -> String {
    let recent = app.run.simulation().handler_times().recent();
    match recent.count() {
        0 => app.locale.text("table.none").to_owned(),
        _ => attempt_time(&app.locale, recent.percentile(99), "chart.handler.ms"),
    }
}

/// Below a second attempts are told in whole milliseconds, never less than they took.
fn attempt_time(locale: &Locale, span: Span, milliseconds: &str) -> String {
    if span >= Span::from_seconds(1) {
        return format::short(locale, span);
    }
    locale.format(milliseconds, &[("count", Field::Count(span.micros().div_ceil(1_000)))])
}
