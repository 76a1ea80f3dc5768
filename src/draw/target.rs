//! What lies where in a picture: which message, or whose, a person points at.

use super::labels::SceneLabels;
use super::log::{self, labels::LogLabels};
use super::scene::{self, SceneOptions};
use super::shape::{Area, Point};
use crate::model::snapshot::Snapshot;

/// Something in a picture that stands for one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The message with so many before it in the line.
    InLine(usize),
    /// What the consumer at that place has in hand.
    AtConsumer(usize),
    /// A record of the topic that is shown.
    Record {
        /// The partition, from 0 on.
        partition: usize,
        /// The offset there.
        offset: u64,
    },
}

/// How far from it a pointer may be, in CSS pixels: fingers are not exact.
const REACH: f64 = 10.0;

/// What is at `point` in the picture of a queue, or nearest to it.
#[must_use]
#[inline(never)]
pub fn in_queue(
    snapshot: &Snapshot,
    labels: &SceneLabels,
    options: SceneOptions,
    point: Point,
) -> Option<Target> {
    nearest(&scene::targets(snapshot, labels, options), point)
}

/// The same in the picture of a log.
#[must_use]
#[inline(never)]
pub fn in_log(
    snapshot: &Snapshot,
    labels: &LogLabels,
    options: SceneOptions,
    point: Point,
) -> Option<Target> {
    nearest(&log::targets(snapshot, labels, options), point)
}

fn nearest(targets: &[(Area, Target)], point: Point) -> Option<Target> {
    let reached = targets.iter().map(|(area, target)| (distance(area, point), target));
    let near = reached.filter(|(distance, _)| *distance <= REACH);
    near.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, target)| *target)
}

/// From its edge: none where the point is inside.
fn distance(area: &Area, point: Point) -> f64 {
    let beyond = |at: f64, from: f64, to: f64| (from - at).max(at - to).max(0.0);
    let across = beyond(point.x, area.x, area.right());
    let down = beyond(point.y, area.y, area.bottom());
    (across * across + down * down).sqrt()
}
