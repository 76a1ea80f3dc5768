//! The picture and the charts of the app's state, ready to be painted.

use super::labels;
use super::log_labels;
use super::log_view::Side;
use super::state::App;
use super::view::ThemeName;
use crate::draw::both::{self, BothLabels};
use crate::draw::chart::{self, ChartKind, ChartModel, ChartRequest, Course};
use crate::draw::labels::SceneLabels;
use crate::draw::log::{self, labels::LogLabels};
use crate::draw::palette::Palette;
use crate::draw::scene::{self, Motion, Scene, SceneOptions};
use crate::draw::shape::{Area, Point};
use crate::draw::target::{self, Target};
use crate::model::routes::GroupIndex;
use crate::model::series::flows::FlowBucket;
use crate::model::series::handler_times::TimesBucket;
use crate::model::series::lags::LagBucket;
use crate::model::series::{Bucket, Resolution, Rings};
use crate::model::snapshot::Snapshot;
use crate::model::snapshot::network::GroupSnapshot;
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

/// The words of the picture, of a queue or of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureWords {
    /// Of the queue.
    Queue(SceneLabels),
    /// Of the log.
    Log(LogLabels),
    /// Of both.
    Both(Box<BothLabels>),
}

impl Default for PictureWords {
    fn default() -> Self {
        Self::Queue(SceneLabels::default())
    }
}

/// The words of the picture on a canvas of that width, as of now. They are renewed together with
/// the texts around the picture, so that no two numbers on the page disagree.
#[must_use]
pub fn words(app: &App, width_css: f64) -> PictureWords {
    let snapshot = app.run().snapshot();
    match app.side() {
        Side::Queue => PictureWords::Queue(labels::scene_labels(snapshot, &app.locale, width_css)),
        Side::Log => PictureWords::Log(log_labels::log_labels(snapshot, &app.locale, width_css)),
        Side::Both => PictureWords::Both(Box::new(super::both::words(snapshot, &app.locale, width_css))),
    }
}

/// The height in CSS pixels of the picture with these words on a canvas of that width.
#[must_use]
pub fn height(app: &App, words: &PictureWords, width_css: f64) -> f64 {
    match words {
        PictureWords::Queue(_) => scene::height_for(width_css, app.run().snapshot()),
        PictureWords::Log(words) => log::height_for(words, width_css),
        PictureWords::Both(words) => both::height_for(app.run().snapshot(), words, width_css),
    }
}

/// What is at a point of the picture on a canvas of that size, in CSS pixels.
#[inline(never)]
pub(super) fn target(app: &App, size: CanvasSize, (x, y): (f64, f64)) -> Option<Target> {
    target::nearest(&targets(app, &words(app, size.width_css), size), Point::new(x, y))
}

fn targets(app: &App, words: &PictureWords, size: CanvasSize) -> Vec<(Area, Target)> {
    let (snapshot, options) = (app.run().snapshot(), options(app, size));
    match words {
        PictureWords::Queue(words) => scene::targets(snapshot, words, options),
        PictureWords::Log(words) => log::targets(snapshot, words, options),
        PictureWords::Both(words) => both::targets(snapshot, words, options),
    }
}

fn options(app: &App, size: CanvasSize) -> SceneOptions {
    SceneOptions {
        width_css: size.width_css,
        motion: if app.is_motion_reduced() { Motion::Reduced } else { Motion::Full },
        speed: app.speed().times_real_time(),
        is_running: app.is_playing(),
        font_width: size.font_width,
    }
}

/// The picture with these words on a canvas of that size.
#[must_use]
pub fn scene(app: &App, words: &PictureWords, size: CanvasSize) -> Scene {
    let (snapshot, options) = (app.run().snapshot(), options(app, size));
    let mut scene = match words {
        PictureWords::Queue(words) => Scene::of(snapshot, words, options),
        PictureWords::Log(words) => log::scene(snapshot, words, options),
        PictureWords::Both(words) => both::scene(snapshot, words, options),
    };
    if app.has_picked() {
        mark_traced(app, words, size, &mut scene);
    }
    scene
}

/// Marks the message whose journey is on the page, where the picture shows that message.
#[inline(never)]
fn mark_traced(app: &App, words: &PictureWords, size: CanvasSize, scene: &mut Scene) {
    let Some(traced) = app.traced() else { return };
    let mut targets = targets(app, words, size).into_iter();
    let place = targets.find(|(_, target)| app.message_at(*target) == Some(traced));
    scene.shapes.extend(place.map(|(area, _)| target::mark(area)));
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
    chart_of(app, shown_kind(kind, app.run().snapshot()), size)
}

/// The chart of that kind.
#[must_use]
pub fn chart_of(app: &App, kind: ChartKind, size: CanvasSize) -> ChartModel {
    let side = app.side();
    let (is_log, is_both) = (side == Side::Log, side.is_both());
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
    match kind {
        ChartKind::Waiting if is_log => log_chart(app, ChartKind::Lag, &request),
        ChartKind::OldestAge if is_both => log_chart(app, ChartKind::Lag, &request),
        ChartKind::OldestAge if is_log => log_chart(app, ChartKind::Unfinished, &request),
        ChartKind::Lost if is_log => run_chart(app, ChartKind::DeadLetters, &request),
        ChartKind::Throughput => throughput_chart(app, &request),
        ChartKind::HandlerTime => handler_chart(app, &request),
        kind => run_chart(app, kind, &request),
    }
}

/// A chart of what happened in the run as a whole.
fn run_chart(app: &App, kind: ChartKind, request: &ChartRequest<'_>) -> ChartModel {
    let run = app.run();
    let (now, resolution) = (run.snapshot().at, request.resolution);
    let series = run.simulation().series();
    let forming = match resolution {
        Resolution::Second => Some(run.simulation().forming_second()),
        _ => series.forming(resolution).copied(),
    };
    let buckets: Vec<Bucket> = series.finished(resolution).copied().chain(forming).collect();
    let mut chart = ChartModel::of(kind, &buckets, run.snapshot(), request);
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

/// What came in and went out, in the finished buckets: of the queue, or of the first group in the picture.
#[inline(never)]
fn throughput_chart(app: &App, request: &ChartRequest<'_>) -> ChartModel {
    ChartModel::of_throughput(&flows(app, request.resolution), request)
}

/// What came in and went out on this side of the page, oldest first.
#[inline(never)]
pub(super) fn flows(app: &App, resolution: Resolution) -> Vec<FlowBucket> {
    let simulation = app.run().simulation();
    match app.side() {
        Side::Queue => simulation.series().finished(resolution).map(FlowBucket::from).collect(),
        Side::Log | Side::Both => {
            let group = first_group(app).and_then(|(place, _)| simulation.lags(GroupIndex(place)));
            group.map_or_else(Vec::new, |group| group.flows().finished(resolution).copied().collect())
        }
    }
}

/// The first group in the picture, and its place among all.
fn first_group(app: &App) -> Option<(usize, &GroupSnapshot)> {
    let snapshot = app.run().snapshot();
    let shown = log::shown(snapshot, 0.0).map(|shown| shown.groups).unwrap_or_default();
    shown.into_iter().find_map(|place| Some((place, snapshot.network.groups.get(place)?)))
}

/// What attempts took, in the finished buckets.
#[inline(never)]
fn handler_chart(app: &App, request: &ChartRequest<'_>) -> ChartModel {
    let finished = app.run().simulation().handler_times().finished(request.resolution);
    ChartModel::of_handler_times(&finished.copied().collect::<Vec<TimesBucket>>(), request)
}

/// A chart of the first group in the picture.
#[inline(never)]
fn log_chart(app: &App, kind: ChartKind, request: &ChartRequest<'_>) -> ChartModel {
    let lags = first_group(app)
        .and_then(|(place, group)| Some((app.run().simulation().lags(GroupIndex(place))?, group)));
    let Some((lags, group)) = lags else {
        return ChartModel::of_group(kind, &Course::default(), &[], request);
    };
    let is_lag = kind == ChartKind::Lag;
    let age = |age: Option<Span>| age.map_or(0, Span::micros);
    let course = |rings: &Rings<LagBucket>, now| {
        let buckets = rings.finished(request.resolution).chain(rings.forming(request.resolution));
        Course { buckets: buckets.copied().collect(), now }
    };
    let now = if is_lag { group.lag_max } else { age(group.oldest_unfinished) };
    let lanes = lags.lanes().iter().zip(&group.partitions);
    let lanes =
        lanes.map(|(rings, lane)| course(rings, if is_lag { lane.lag } else { age(lane.oldest_unfinished) }));
    let several: Vec<Course> = if group.partitions.len() > 1 { lanes.collect() } else { Vec::new() };
    ChartModel::of_group(kind, &course(lags.worst(), now), &several, request)
}

/// The colours in use.
#[must_use]
pub fn palette(app: &App) -> &Palette {
    match (&app.forced_palette, app.theme()) {
        (Some(forced), _) => forced,
        (None, ThemeName::Dark) => &Palette::DARK,
        (None, ThemeName::Projector) => &Palette::PROJECTOR,
        (None, ThemeName::Light | ThemeName::Forced) => &Palette::LIGHT,
    }
}

/// How much larger than usual everything on the canvases is: for a room it grows with the page, so that
/// no number there is smaller than 32 px on a page of 1,920.
#[must_use]
pub fn zoom(app: &App, width_css: f64) -> f64 {
    match app.theme() {
        ThemeName::Projector => (width_css / PROJECTED_WIDTH).max(1.0),
        _ => 1.0,
    }
}

/// The width at which a picture for a room has letters of the usual size.
const PROJECTED_WIDTH: f64 = 680.0;

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
