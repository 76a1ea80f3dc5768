//! The picture of a queue and a log that get the same messages: each as it is drawn alone, side by side
//! where there is room for both in full, one below the other else.

use super::labels::SceneLabels;
use super::log::{self, labels::LogLabels};
use super::measure::Weight;
use super::palette::Role;
use super::scene::{self, Scene, SceneOptions, sane_width};
use super::shape::{Anchor, Area, Point, Shape};
use super::sketch::{HALF_LINE, Hand, Sketch};
use super::target::Target;
use crate::model::snapshot::Snapshot;

/// Pictures at least this wide in CSS pixels show both side by side.
pub const BESIDE_FROM: f64 = 1_480.0;

/// Between the two.
const GAP: f64 = 40.0;

/// The height of a title with the space around it.
const TITLE_HEIGHT: f64 = 32.0;

/// The words of the picture of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BothLabels {
    /// The words of the queue's half.
    pub queue: SceneLabels,
    /// The words of the log's half.
    pub log: LogLabels,
    /// What stands above the queue.
    pub queue_title: String,
    /// What stands above the log.
    pub log_title: String,
}

/// How wide each half is in a picture of that width.
#[must_use]
pub fn width_of_side(width_css: f64) -> f64 {
    let width = sane_width(width_css);
    if width >= BESIDE_FROM { (width - GAP) / 2.0 } else { width }
}

/// Where the halves are.
#[derive(Clone, Copy, Debug)]
struct Layout {
    queue: Point,
    log: Point,
    height: f64,
}

impl Layout {
    fn of(snapshot: &Snapshot, labels: &BothLabels, width_css: f64) -> Self {
        let width = width_of_side(width_css);
        let queue_height = scene::height_for(width, snapshot);
        let log_height = log::height_for(&labels.log, width);
        let queue = Point::new(0.0, TITLE_HEIGHT);
        if sane_width(width_css) >= BESIDE_FROM {
            let height = TITLE_HEIGHT + queue_height.max(log_height);
            return Self { queue, log: Point::new(width + GAP, TITLE_HEIGHT), height };
        }
        let log = Point::new(0.0, TITLE_HEIGHT + queue_height + TITLE_HEIGHT);
        Self { queue, log, height: log.y + log_height }
    }
}

/// The picture of both.
#[must_use]
pub fn scene(snapshot: &Snapshot, labels: &BothLabels, options: SceneOptions) -> Scene {
    let layout = Layout::of(snapshot, labels, options.width_css);
    let of_side = SceneOptions { width_css: width_of_side(options.width_css), ..options };
    let mut sketch = Sketch::new(options.font_width);
    let hand = Hand::new(Anchor::Start, Weight::Bold, Role::Soft);
    for (title, at) in [(&labels.queue_title, layout.queue), (&labels.log_title, layout.log)] {
        let from = Point::new(at.x + 6.0, at.y - HALF_LINE - 2.0);
        sketch.write(title, from, of_side.width_css - 12.0, hand);
    }
    let queue = Scene::of(snapshot, &labels.queue, of_side);
    let log = log::scene(snapshot, &labels.log, of_side);
    let mut shapes = sketch.shapes;
    shapes.extend(queue.shapes.into_iter().map(|shape| shape.moved_by(layout.queue)));
    shapes.extend(log.shapes.into_iter().map(|shape| shape.moved_by(layout.log)));
    Scene { width_css: sane_width(options.width_css), height_css: layout.height, shapes }
}

/// The height in CSS pixels of a picture with these words that is `width_css` wide.
#[must_use]
pub fn height_for(snapshot: &Snapshot, labels: &BothLabels, width_css: f64) -> f64 {
    Layout::of(snapshot, labels, width_css).height
}

/// What lies where in that picture.
#[must_use]
#[inline(never)]
pub fn targets(snapshot: &Snapshot, labels: &BothLabels, options: SceneOptions) -> Vec<(Area, Target)> {
    let layout = Layout::of(snapshot, labels, options.width_css);
    let of_side = SceneOptions { width_css: width_of_side(options.width_css), ..options };
    let moved = |by: Point| move |(area, target): (Area, Target)| (area.moved_by(by), target);
    let queue = scene::targets(snapshot, &labels.queue, of_side).into_iter().map(moved(layout.queue));
    let log = log::targets(snapshot, &labels.log, of_side).into_iter().map(moved(layout.log));
    queue.chain(log).collect()
}

impl Area {
    /// The same area so far to the right and down.
    const fn moved_by(self, by: Point) -> Self {
        Self { x: self.x + by.x, y: self.y + by.y, ..self }
    }
}

impl Shape {
    /// The same shape so far to the right and down.
    fn moved_by(self, by: Point) -> Self {
        let moved = |at: Point| Point::new(at.x + by.x, at.y + by.y);
        match self {
            Self::Box { area, radius, fill, border } => {
                Self::Box { area: area.moved_by(by), radius, fill, border }
            }
            Self::Bar { area, ink } => Self::Bar { area: area.moved_by(by), ink },
            Self::Dot { center, radius, fill, edge, is_moving } => {
                Self::Dot { center: moved(center), radius, fill, edge, is_moving }
            }
            Self::Sector { center, radius, share, ink } => {
                Self::Sector { center: moved(center), radius, share, ink }
            }
            Self::Triangle { center, radius, ink } => Self::Triangle { center: moved(center), radius, ink },
            Self::Polygon { points, ink } => {
                Self::Polygon { points: points.into_iter().map(moved).collect(), ink }
            }
            Self::Path { points, stroke } => {
                Self::Path { points: points.into_iter().map(moved).collect(), stroke }
            }
            Self::Text(text) => {
                let at = moved(text.at);
                Self::Text(super::shape::Text { at, ..text })
            }
        }
    }
}
