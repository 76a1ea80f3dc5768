//! The picture of a partitioned log: a pure function from a snapshot to shapes in CSS pixels.
//!
//! A record is a cell while cells fit; beyond that a partition is a bar whose whole length stands for a
//! round number of records, and beyond a handful partitions are thin bars. The newest record is on the
//! right. A group's flag stands at its committed offset, before the first record that it has yet to
//! finish.

mod aside;
pub mod labels;
mod lane;
mod marks;
mod narrow;
mod shown;
mod strip;
mod tape;
#[cfg(test)]
mod tests;
mod wide;

pub use shown::{Aside, Form, GROUPS_MAX, Shown, Standing, lag_of, shown, standing, waiting_to_retry};

use crate::model::snapshot::Snapshot;

use super::scene::{Motion, Scene, SceneOptions, WIDE_FROM, sane_speed, sane_width};
use super::shape::Area;
use super::sketch::Sketch;
use super::target::Target;
use labels::LogLabels;

/// What every part of the picture needs to know.
#[derive(Clone, Copy, Debug)]
struct View<'a> {
    snapshot: &'a Snapshot,
    labels: &'a LogLabels,
    shown: &'a Shown,
    motion: Motion,
    is_running: bool,
    /// Model seconds that pass in one real second.
    speed: f64,
}

/// The picture of what the words speak of, as it is in `snapshot`: nothing but paper where there is no
/// topic.
#[must_use]
pub fn scene(snapshot: &Snapshot, labels: &LogLabels, options: SceneOptions) -> Scene {
    let width_css = sane_width(options.width_css);
    let mut sketch = Sketch::new(options.font_width);
    draw(&mut sketch, snapshot, labels, options);
    Scene { width_css, height_css: height_for(labels, width_css), shapes: sketch.shapes }
}

/// What lies where in that picture.
#[must_use]
#[inline(never)]
pub fn targets(snapshot: &Snapshot, labels: &LogLabels, options: SceneOptions) -> Vec<(Area, Target)> {
    let mut sketch = Sketch::with_targets(options.font_width);
    draw(&mut sketch, snapshot, labels, options);
    sketch.targets.unwrap_or_default()
}

fn draw(sketch: &mut Sketch, snapshot: &Snapshot, labels: &LogLabels, options: SceneOptions) {
    let Some(shown) = &labels.shown else { return };
    let width_css = sane_width(options.width_css);
    let speed = sane_speed(options.speed);
    let SceneOptions { motion, is_running, .. } = options;
    let view = View { snapshot, labels, shown, motion, is_running, speed };
    if width_css >= WIDE_FROM {
        wide::draw(sketch, &view, width_css);
    } else {
        narrow::draw(sketch, &view, width_css);
    }
}

/// The height in CSS pixels of a picture with these words that is `width_css` wide.
#[must_use]
pub fn height_for(labels: &LogLabels, width_css: f64) -> f64 {
    match &labels.shown {
        None => narrow::HEIGHT_MAX,
        Some(shown) if sane_width(width_css) >= WIDE_FROM => wide::height(shown),
        Some(shown) => narrow::height(shown),
    }
}
