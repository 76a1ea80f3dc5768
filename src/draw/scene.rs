//! The picture: a pure function from a snapshot to shapes in CSS pixels.

use crate::model::outlook::NextEvent;
use crate::model::settings::Bound;
use crate::model::snapshot::Snapshot;

use super::labels::SceneLabels;
use super::shape::{Area, Shape};
use super::sketch::Sketch;
use super::target::Target;
use super::{dead_letters, grid, narrow, wide};

/// Pictures at least this wide in CSS pixels lie from left to right; narrower ones stand from top
/// to bottom.
pub const WIDE_FROM: f64 = 560.0;

/// The height of wide pictures in CSS pixels.
pub const WIDE_HEIGHT: f64 = 168.0;

/// The height of wide pictures with a box for dead letters in CSS pixels.
pub const WIDE_HEIGHT_WITH_DEAD_LETTERS: f64 = 214.0;

/// The height of narrow pictures in CSS pixels.
pub const NARROW_HEIGHT: f64 = 178.0;

/// Pictures are laid out at least this wide in CSS pixels, however narrow their place is.
pub const WIDTH_MIN: f64 = 240.0;

/// Whether dots move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// Messages travel as dots, consumers show their progress.
    #[default]
    Full,
    /// Nothing moves: counters and bars only.
    Reduced,
}

/// How a picture is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneOptions {
    /// The canvas's width in CSS pixels.
    pub width_css: f64,
    /// Whether dots move.
    pub motion: Motion,
    /// Model seconds that pass in one real second; it decides from when on dots would only
    /// flicker, and how long lost and finished messages stay in sight.
    pub speed: f64,
    /// Whether model time passes. What has come to a log is in its place while it does not.
    pub is_running: bool,
    /// How wide the page's typeface is beside [`text_width`](super::measure::text_width): measure
    /// [`SAMPLE`](super::measure::SAMPLE) once and divide. 1 where it is not known.
    pub font_width: f64,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self { width_css: 924.0, motion: Motion::Full, speed: 1.0, is_running: true, font_width: 1.0 }
    }
}

/// A picture, ready to be painted on any backend.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Its width in CSS pixels.
    pub width_css: f64,
    /// Its height in CSS pixels.
    pub height_css: f64,
    /// Its shapes, the lowest first. All of them lie inside the picture.
    pub shapes: Vec<Shape>,
}

impl Scene {
    /// The picture of `snapshot`.
    #[must_use]
    pub fn of(snapshot: &Snapshot, labels: &SceneLabels, options: SceneOptions) -> Self {
        let width_css = sane_width(options.width_css);
        let mut sketch = Sketch::new(options.font_width);
        let height_css = height_for(width_css, snapshot);
        draw(&mut sketch, snapshot, labels, options);
        Self { width_css, height_css, shapes: sketch.shapes }
    }
}

fn draw(sketch: &mut Sketch, snapshot: &Snapshot, labels: &SceneLabels, options: SceneOptions) {
    let width_css = sane_width(options.width_css);
    let view = View { snapshot, labels, motion: options.motion, speed: sane_speed(options.speed) };
    if width_css >= WIDE_FROM {
        wide::draw(sketch, &view, width_css);
    } else {
        narrow::draw(sketch, &view, width_css);
    }
}

/// What lies where in that picture.
#[must_use]
#[inline(never)]
pub fn targets(snapshot: &Snapshot, labels: &SceneLabels, options: SceneOptions) -> Vec<(Area, Target)> {
    let mut sketch = Sketch::with_targets(options.font_width);
    draw(&mut sketch, snapshot, labels, options);
    sketch.targets.unwrap_or_default()
}

/// The height in CSS pixels of a picture of `snapshot` that is `width_css` wide, before there is a
/// picture.
#[must_use]
pub fn height_for(width_css: f64, snapshot: &Snapshot) -> f64 {
    match (sane_width(width_css) >= WIDE_FROM, dead_letters::are_shown(snapshot)) {
        (true, true) => WIDE_HEIGHT_WITH_DEAD_LETTERS,
        (true, false) => WIDE_HEIGHT,
        (false, _) => NARROW_HEIGHT,
    }
}

/// The number of messages that the whole length of the queue's bar stands for; `None` while the
/// queue is drawn as dots. Where there is no bound it grows in steps of 1, 2, 5.
#[must_use]
pub fn scale_top(snapshot: &Snapshot, width_css: f64) -> Option<u64> {
    let room = if sane_width(width_css) >= WIDE_FROM {
        wide::queue_room(snapshot, sane_width(width_css))
    } else {
        narrow::queue_room(snapshot, sane_width(width_css))
    };
    let queue = &snapshot.queue;
    if grid::Grid::for_queue(queue, room, grid::Head::Left).is_some() {
        return None;
    }
    Some(match queue.bound {
        Bound::Messages(bound) => bound.max(queue.waiting),
        Bound::None => grid::rounded_up(queue.waiting),
    })
}

/// Whether the queue is full, or is so again at once: where messages are refused or dropped on
/// arrival, each finish frees a place until the next one comes, many times a second.
#[must_use]
pub fn stays_full(snapshot: &Snapshot) -> bool {
    let (queue, ledger) = (&snapshot.queue, &snapshot.ledger);
    match (snapshot.outlook.next, queue.bound) {
        (NextEvent::StaysFull, _) => true,
        (NextEvent::FullIn(_), Bound::Messages(bound)) => {
            ledger.rejected + ledger.dropped_new > 0 && queue.is_at(bound, snapshot.consumers.count)
        }
        _ => false,
    }
}

/// What every part of the picture needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) labels: &'a SceneLabels,
    pub(super) motion: Motion,
    /// Model seconds that pass in one real second.
    pub(super) speed: f64,
}

pub(super) fn sane_width(width_css: f64) -> f64 {
    if width_css.is_finite() { width_css.clamp(WIDTH_MIN, 4_000.0) } else { WIDTH_MIN }
}

pub(super) fn sane_speed(speed: f64) -> f64 {
    if speed.is_finite() && speed > 0.0 { speed } else { 1.0 }
}
