//! What a chart shows, as plain data.

use crate::draw::measure::{Weight, text_width};
use crate::draw::palette::Role;
use crate::draw::scale::to_u64;
use crate::draw::shape::Area;
use crate::model::outlook::NextEvent;
use crate::model::rate::Rate;
use crate::model::series::{Bucket, Extent, Resolution};
use crate::model::settings::Bound;
use crate::model::snapshot::Snapshot;
use crate::model::time::{Instant, MICROS_PER_SECOND, Span};

use super::line::{self, Decimated, Vertex, seconds_since};
use super::ticks;
use super::window::ChartWindow;

/// Which chart it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// Messages waiting, with the bound and the outlook.
    Waiting,
    /// Age of the oldest waiting message.
    OldestAge,
    /// Messages refused or dropped since the run's start.
    Lost,
    /// How far behind a group is in its partitions.
    Lag,
    /// Age of the oldest record that a group has not finished.
    Unfinished,
    /// Dead letters; for a queue in the place of those lost, once there are any.
    DeadLetters,
    /// Messages accepted a second, and messages done a second.
    Throughput,
    /// Side effects that a message had once more since the run's start.
    Repeats,
    /// What 99 of 100 attempts took at most that ended within a bucket.
    HandlerTime,
}

impl ChartKind {
    /// The charts of a queue without dead letters, in the order in which they stand.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::OldestAge, Self::Lost];

    /// The colour of its line.
    #[must_use]
    pub const fn role(self) -> Role {
        match self {
            Self::Waiting | Self::Lag => Role::WaitingLine,
            Self::OldestAge | Self::Unfinished => Role::AgeLine,
            Self::Lost | Self::DeadLetters | Self::Repeats => Role::Lost,
            Self::Throughput => Role::Producer,
            Self::HandlerTime => Role::Consumer,
        }
    }

    pub(super) const fn is_age(self) -> bool {
        matches!(self, Self::OldestAge | Self::Unfinished | Self::HandlerTime)
    }

    /// Of what a group has, the run's own buckets know nothing.
    fn gauge(self, bucket: &Bucket) -> Extent {
        match self {
            Self::DeadLetters => Extent::of(bucket.dead_letters),
            Self::Lag | Self::Unfinished | Self::Throughput | Self::HandlerTime => Extent::default(),
            Self::Repeats => Extent::of(bucket.duplicate_side_effects_total),
            Self::Waiting => bucket.waiting,
            Self::OldestAge => bucket.oldest_age_micros,
            Self::Lost => Extent::of(bucket.lost_total),
        }
    }

    fn value_now(self, snapshot: &Snapshot) -> u64 {
        match self {
            Self::Waiting => snapshot.queue.waiting,
            Self::OldestAge => snapshot.queue.oldest_age.map_or(0, Span::micros),
            Self::Lost => snapshot.ledger.refused_or_dropped(),
            Self::DeadLetters => snapshot.dead_letters(),
            Self::Repeats => snapshot.network.totals.duplicate_side_effects,
            Self::Lag | Self::Unfinished | Self::Throughput | Self::HandlerTime => 0,
        }
    }
}

/// A mark at an instant at which a dial was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartMark {
    /// When.
    pub at: Instant,
    /// What is written beside it: a letter or a short word, or nothing.
    pub label: String,
}

/// What a chart needs beside what it shows.
#[derive(Clone, Copy)]
pub struct ChartRequest<'a> {
    /// Which stretch of time.
    pub window: ChartWindow,
    /// Of the buckets that are passed.
    pub resolution: Resolution,
    /// The canvas's width in CSS pixels.
    pub width_css: f64,
    /// The canvas's height in CSS pixels.
    pub height_css: f64,
    /// As in [`SceneOptions`](crate::draw::scene::SceneOptions).
    pub font_width: f64,
    /// Dial changes, oldest first; those outside the window are left out.
    pub marks: &'a [ChartMark],
    /// Writes an instant of the time axis, given as the span since the run's start.
    pub time_label: &'a dyn Fn(Span) -> String,
    /// Writes a number of messages.
    pub count_label: &'a dyn Fn(u64) -> String,
    /// Writes an age.
    pub span_label: &'a dyn Fn(Span) -> String,
}

/// A round instant on the time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Seconds from the window's start.
    pub seconds: f64,
    /// What is written at it.
    pub label: String,
}

/// One chart, ready to be painted. Two that are equal look the same.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartModel {
    /// Which chart it is.
    pub kind: ChartKind,
    /// The canvas's width in CSS pixels.
    pub width_css: f64,
    /// The canvas's height in CSS pixels.
    pub height_css: f64,
    /// Where the lines are, within the canvas.
    pub plot: Area,
    /// How many seconds the window is long; above zero.
    pub length: f64,
    /// Seconds from the window's start until now.
    pub now: f64,
    /// The past.
    pub line: Vec<Vertex>,
    /// The past of the partitions one by one, on the same axes.
    pub others: Vec<Vec<Vertex>>,
    /// What comes next if no dial moves; empty where nothing is foretold.
    pub outlook: Vec<Vertex>,
    /// The bound, where it lies within the axis.
    pub bound: Option<f64>,
    /// The value at which the axis ends; above zero.
    pub top: f64,
    /// What is written at `top`.
    pub top_label: String,
    /// What is written at zero.
    pub zero_label: String,
    /// Round instants.
    pub ticks: Vec<Tick>,
    /// Dial changes within the window.
    pub marks: Vec<Tick>,
}

/// Rates are drawn in thousandths a second.
pub(super) const THOUSANDTHS: u64 = 1_000;

pub(super) const LABEL_SIZE: f64 = 12.0;
const ABOVE: f64 = 14.0;
const BELOW: f64 = 19.0;
const AFTER: f64 = 5.0;
const LABEL_GAP: f64 = 5.0;
const TICK_GAP: f64 = 12.0;
/// What the labels of values take of a chart's width, as far as its time axis is concerned: wider ones
/// make use of the gaps between ticks.
const VALUES_WIDTH: f64 = 24.0;

impl ChartModel {
    /// The chart of `kind` from `buckets` of the request's resolution, oldest first, the one that
    /// is still forming last, and `snapshot` for what is now and next.
    #[must_use]
    pub fn of<'a>(
        kind: ChartKind,
        buckets: impl IntoIterator<Item = &'a Bucket>,
        snapshot: &Snapshot,
        request: &ChartRequest<'_>,
    ) -> Self {
        let window = request.window;
        let points = buckets.into_iter().map(|bucket| (bucket.start, kind.gauge(bucket)));
        let line = past(points, kind.value_now(snapshot), request);
        let is_waiting = kind == ChartKind::Waiting;
        let outlook = if is_waiting { outlook(snapshot, window, length_of(window)) } else { Vec::new() };
        let greatest = greatest(&[&line, &outlook]);
        let bound = if is_waiting { bound_in_sight(snapshot, greatest) } else { None };
        let greatest = bound.map_or(greatest, |bound| bound.max(greatest));
        Self { outlook, bound, ..Self::with_line(kind, line, greatest, request) }
    }

    /// The axes that a line needs whose `greatest` value is known, without what comes next.
    pub(super) fn with_line(
        kind: ChartKind,
        line: Vec<Vertex>,
        greatest: f64,
        request: &ChartRequest<'_>,
    ) -> Self {
        let window = request.window;
        let top = match kind {
            ChartKind::Throughput => ticks::count_top(greatest / THOUSANDTHS as f64) * THOUSANDTHS as f64,
            ChartKind::HandlerTime => ticks::attempt_top(greatest),
            kind if kind.is_age() => ticks::span_top(greatest),
            _ => ticks::count_top(greatest),
        };
        let (top_label, zero_label) = value_labels(kind, top, request);
        let plot = plot_area(request, &[&top_label, &zero_label]);
        Self {
            kind,
            width_css: sane(request.width_css),
            height_css: sane(request.height_css),
            plot,
            length: length_of(window),
            now: seconds_since(window.from, now_within(window)),
            line,
            others: Vec::new(),
            outlook: Vec::new(),
            bound: None,
            top,
            top_label,
            zero_label,
            ticks: time_ticks(request, plot),
            marks: marks(request),
        }
    }

    /// Cuts the outlook off, where something happens then that it does not know of.
    pub fn end_outlook_at(&mut self, seconds: f64) {
        cut_off(&mut self.outlook, seconds);
    }

    /// Where a time and a value are on the canvas, in CSS pixels.
    pub(super) fn x_of(&self, seconds: f64) -> f64 {
        self.plot.x + self.plot.width * (seconds / self.length).clamp(0.0, 1.0)
    }

    pub(super) fn y_of(&self, value: f64) -> f64 {
        self.plot.bottom() - self.plot.height * (value / self.top).clamp(0.0, 1.0)
    }
}

fn length_of(window: ChartWindow) -> f64 {
    (window.length().micros() as f64) / MICROS_PER_SECOND as f64
}

fn now_within(window: ChartWindow) -> Instant {
    window.now.min(window.to).max(window.from)
}

/// The line up to now of a gauge that is `value_now`.
pub(super) fn past(
    points: impl IntoIterator<Item = (Instant, Extent)>,
    value_now: u64,
    request: &ChartRequest<'_>,
) -> Vec<Vertex> {
    let window = request.window;
    let room = Decimated::new(length_of(window), ticks::columns(request.width_css));
    line::line(points, request.resolution, (window.from, now_within(window)), value_now, room)
}

pub(super) fn greatest(lines: &[&[Vertex]]) -> f64 {
    lines.iter().flat_map(|line| line.iter()).map(|vertex| vertex.value).fold(0.0, f64::max)
}

fn sane(css: f64) -> f64 {
    if css.is_finite() { css.clamp(0.0, 4_000.0) } else { 0.0 }
}

fn label_width(label: &str, font_width: f64) -> f64 {
    let font_width = if font_width.is_finite() { font_width.clamp(0.5, 1.5) } else { 1.0 };
    text_width(label, LABEL_SIZE, Weight::Regular) * font_width
}

fn value_labels(kind: ChartKind, top: f64, request: &ChartRequest<'_>) -> (String, String) {
    if kind.is_age() {
        return ((request.span_label)(Span::from_micros(to_u64(top))), (request.count_label)(0));
    }
    let top = if kind == ChartKind::Throughput { top / THOUSANDTHS as f64 } else { top };
    ((request.count_label)(to_u64(top)), (request.count_label)(0))
}

fn plot_area(request: &ChartRequest<'_>, labels: &[&str]) -> Area {
    let (width, height) = (sane(request.width_css), sane(request.height_css));
    let widest = labels.iter().map(|label| label_width(label, request.font_width)).fold(0.0, f64::max);
    let left = (widest + LABEL_GAP).min(width * 0.45);
    let (above, below) = (ABOVE.min(height / 4.0), BELOW.min(height / 4.0));
    Area::new(left, above, (width - left - AFTER).max(0.0), (height - above - below).max(0.0))
}

/// The bound, unless it is so far above everything that the line would lie flat.
fn bound_in_sight(snapshot: &Snapshot, greatest: f64) -> Option<f64> {
    match snapshot.queue.bound {
        Bound::Messages(bound) => {
            let bound = bound as f64;
            (bound > 0.0 && bound <= (greatest * 4.0).max(100.0)).then_some(bound)
        }
        Bound::None => None,
    }
}

/// The fluid forecast as corners from now to the window's end.
fn outlook(snapshot: &Snapshot, window: ChartWindow, length: f64) -> Vec<Vertex> {
    if snapshot.at < window.from || snapshot.at > window.to {
        return Vec::new();
    }
    let now = seconds_since(window.from, snapshot.at);
    let mut corners = vec![Vertex::new(now, snapshot.queue.waiting as f64)];
    corners.extend(first_corner(snapshot, now));
    corners.extend(turn(snapshot, now));
    let end = corners.last().map_or(0.0, |corner| corner.value);
    corners.push(Vertex::new(length.max(now), end));
    cut_off(&mut corners, length);
    corners
}

fn seconds(span: Span) -> f64 {
    span.micros() as f64 / MICROS_PER_SECOND as f64
}

/// Where the line does not yet go by the difference of the rates: nothing gets in while it is above
/// a lowered bound, and it keeps its length while the producer hands over what it held back.
fn first_corner(snapshot: &Snapshot, now: f64) -> Option<Vertex> {
    let (waiting, capacity) = (snapshot.queue.waiting, snapshot.consumers.capacity());
    match snapshot.queue.bound {
        Bound::Messages(bound) if waiting > bound => {
            let over = capacity.time_for_messages(waiting - bound)?;
            Some(Vertex::new(now + seconds(over), bound as f64))
        }
        _ if snapshot.outlook.growth_thousandths_per_second < 0 => {
            let handed_over = capacity.time_for_messages(snapshot.producer.held_back)?;
            (handed_over > Span::ZERO).then(|| Vertex::new(now + seconds(handed_over), waiting as f64))
        }
        _ => None,
    }
}

/// Where the line turns next.
fn turn(snapshot: &Snapshot, now: f64) -> Option<Vertex> {
    let (waiting, bound) = (snapshot.queue.waiting, snapshot.queue.bound);
    let growth = snapshot.outlook.growth_thousandths_per_second;
    match (snapshot.outlook.next, bound) {
        (NextEvent::EmptyIn(_), Bound::Messages(bound)) if waiting > bound => {
            let over = snapshot.consumers.capacity().time_for_messages(waiting - bound)?;
            let rest = Rate::from_thousandths(growth.unsigned_abs()).time_for_messages(bound)?;
            Some(Vertex::new(now + seconds(over) + seconds(rest), 0.0))
        }
        (NextEvent::EmptyIn(within), _) => Some(Vertex::new(now + seconds(within), 0.0)),
        (NextEvent::FullIn(within), Bound::Messages(bound)) => {
            Some(Vertex::new(now + seconds(within), bound as f64))
        }
        (NextEvent::OutOfMemoryIn(within), _) => {
            let more = growth.max(0) as f64 / 1_000.0 * seconds(within);
            Some(Vertex::new(now + seconds(within), waiting as f64 + more))
        }
        _ => None,
    }
}

/// Cuts a line off at `end`, where it crosses that.
fn cut_off(line: &mut Vec<Vertex>, end: f64) {
    let Some(beyond) = line.iter().position(|corner| corner.seconds > end) else { return };
    line.truncate(beyond + 1);
    if let [.., before, last] = line.as_mut_slice() {
        let share = (end - before.seconds) / (last.seconds - before.seconds);
        *last = Vertex::new(end, before.value + (last.value - before.value) * share);
    } else {
        line.clear();
    }
}

/// The closest round instants whose labels leave room between each other. They are the same in all charts
/// of one width, however wide the labels of their values are.
fn time_ticks(request: &ChartRequest<'_>, plot: Area) -> Vec<Tick> {
    let plot_width = (sane(request.width_css) - VALUES_WIDTH - AFTER).max(plot.width.min(VALUES_WIDTH));
    let window = request.window;
    let length = window.length().micros() as f64 / MICROS_PER_SECOND as f64;
    for step in ticks::time_steps(window.length()) {
        let (mut found, mut widest) = (Vec::new(), 0.0_f64);
        for at in ticks::instants(window, step) {
            let label = (request.time_label)(at.since(Instant::START));
            widest = widest.max(label_width(&label, request.font_width));
            found.push(Tick { seconds: seconds_since(window.from, at), label });
        }
        let apart = plot_width * step as f64 / length;
        if found.len() < 2 || apart >= widest + TICK_GAP {
            return if widest <= plot_width { found } else { Vec::new() };
        }
    }
    Vec::new()
}

fn marks(request: &ChartRequest<'_>) -> Vec<Tick> {
    let ChartWindow { from, to, .. } = request.window;
    let within = request.marks.iter().filter(|mark| mark.at >= from && mark.at <= to);
    within.map(|mark| Tick { seconds: seconds_since(from, mark.at), label: mark.label.clone() }).collect()
}
