//! The charts that open on request, beside the three that are always there.

use super::log_view::Side;
use super::picture;
use super::state::App;
use super::view::ChartView;
use crate::draw::chart::ChartKind;
use crate::model::series::Resolution;
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::Field;

/// The further charts of the side that is shown, in the order in which they stand.
#[must_use]
pub fn kinds(app: &App) -> Vec<ChartKind> {
    let third = picture::shown_kind(ChartKind::Lost, app.run.snapshot());
    match (app.side(), third) {
        // What groups have done each second is not among what is held of a run.
        (Side::Log | Side::Both, _) => vec![ChartKind::Repeats],
        (Side::Queue, ChartKind::DeadLetters) => {
            vec![ChartKind::Throughput, ChartKind::Repeats, ChartKind::Lost]
        }
        (Side::Queue, _) => vec![ChartKind::Throughput, ChartKind::Repeats],
    }
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
    let last = app.run.simulation().series().finished(Resolution::Second).last().copied();
    let last = last.unwrap_or_default();
    let fields = [("in", Field::Count(last.accepted)), ("out", Field::Count(last.done))];
    let locale = &*app.locale;
    ChartView {
        title: locale.text("chart.throughput").to_owned(),
        value: locale.format("chart.throughput.value", &fields),
        description: locale.format_spoken("chart.throughput.description", &fields),
    }
}
