//! The picture and the charts of the app's state, ready to be painted.

use super::labels;
use super::state::App;
use super::view::ThemeName;
use crate::draw::chart::{self, ChartKind, ChartModel, ChartRequest};
use crate::draw::labels::SceneLabels;
use crate::draw::palette::Palette;
use crate::draw::scene::{Motion, Scene, SceneOptions};
use crate::model::series::{Bucket, Resolution};
use crate::model::snapshot::Snapshot;
use crate::model::time::{Instant, MICROS_PER_SECOND, Span};
use crate::narrate::format;

/// The size of a canvas and of the page's letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CanvasSize {
    /// Its width in CSS pixels.
    pub width_css: f64,
    /// Its height in CSS pixels.
    pub height_css: f64,
    /// How wide the page's typeface is, as in [`SceneOptions`].
    pub font_width: f64,
}

/// The words of the picture on a canvas of that width, as of now. They are renewed together with
/// the texts around the picture, so that no two numbers on the page disagree.
#[must_use]
pub fn words(app: &App, width_css: f64) -> SceneLabels {
    labels::scene_labels(app.run().snapshot(), &app.locale, width_css)
}

/// The picture with these words on a canvas of that size.
#[must_use]
pub fn scene(app: &App, labels: &SceneLabels, size: CanvasSize) -> Scene {
    let snapshot = app.run().snapshot();
    let options = SceneOptions {
        width_css: size.width_css,
        motion: if app.is_motion_reduced() { Motion::Reduced } else { Motion::Full },
        speed: app.speed().times_real_time(),
        font_width: size.font_width,
    };
    Scene::of(snapshot, labels, options)
}

/// The chart that stands in the place of `kind`: once there was a dead letter, these take the place of
/// what is lost.
#[must_use]
pub const fn shown_kind(kind: ChartKind, snapshot: &Snapshot) -> ChartKind {
    match kind {
        ChartKind::Lost if snapshot.network.totals.dead_lettered > 0 => ChartKind::DeadLetters,
        other => other,
    }
}

/// The chart in the place of `kind` on a canvas of that size.
#[must_use]
pub fn chart(app: &App, kind: ChartKind, size: CanvasSize) -> ChartModel {
    let kind = shown_kind(kind, app.run().snapshot());
    let run = app.run();
    let now = run.snapshot().at;
    let resolution = resolution(app, now);
    let locale = &app.locale;
    let request = ChartRequest {
        window: chart::chart_window(now, resolution),
        resolution,
        width_css: size.width_css,
        height_css: size.height_css,
        font_width: size.font_width,
        marks: &labels::marks(&run.commands(), kind == ChartKind::Waiting, locale),
        time_label: &|span: Span| format::clock(Instant::START + span),
        count_label: &|count: u64| labels::axis_count(count, locale),
        span_label: &|span: Span| format::short(locale, span),
    };
    let series = run.simulation().series();
    let forming = match resolution {
        Resolution::Second => Some(run.simulation().forming_second()),
        _ => series.forming(resolution).copied(),
    };
    let buckets: Vec<Bucket> = series.finished(resolution).copied().chain(forming).collect();
    let mut chart = ChartModel::of(kind, &buckets, run.snapshot(), &request);
    let course = run.course();
    if !course.is_plain() {
        chart.outlook.clear();
    }
    if let Some(acts_at) = course.acts_at() {
        #[allow(clippy::cast_precision_loss)]
        let left = acts_at.since(now).micros() as f64 / MICROS_PER_SECOND as f64;
        chart.end_outlook_at(chart.now + left);
    }
    chart
}

/// The colours in use.
#[must_use]
pub const fn palette(theme: ThemeName) -> &'static Palette {
    match theme {
        ThemeName::Light => &Palette::LIGHT,
        ThemeName::Dark => &Palette::DARK,
    }
}

/// Faster runs look back further: about twelve real seconds at least.
fn resolution(app: &App, now: Instant) -> Resolution {
    let wanted = if app.speed().is_above(100) {
        Span::from_seconds(2 * 3_600)
    } else if app.speed().is_above(10) {
        Span::from_seconds(1_200)
    } else {
        Span::from_seconds(120)
    };
    chart::resolution_for(now.since(Instant::START).min(wanted))
}
