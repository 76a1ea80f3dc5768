//! What lies where in a picture: which message, or whose, a person points at, and how that is marked.

use super::palette::Role;
use super::shape::{Area, Point, Shape, Stroke};

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

/// Between something in a picture and the mark around it, in CSS pixels: more than the ring that is around
/// the head of a line has.
const GAP: f64 = 3.5;

/// What is at `point`, or nearest to it, of what lies in a picture.
#[must_use]
pub fn nearest(targets: &[(Area, Target)], point: Point) -> Option<Target> {
    let reached = targets.iter().map(|(area, target)| (distance(area, point), target));
    let near = reached.filter(|(distance, _)| *distance <= REACH);
    near.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, target)| *target)
}

/// The mark around what lies in `area`: a ring around what is round, a frame around a cell of a log.
#[must_use]
pub fn mark(area: Area) -> Shape {
    let stroke = Stroke::solid(Role::Ink, 2.5);
    if area.width == area.height {
        let radius = area.width / 2.0 + GAP;
        return Shape::Dot {
            center: area.center(),
            radius,
            fill: None,
            edge: Some(stroke),
            is_moving: false,
        };
    }
    let (left, right) = (area.x - GAP, area.right() + GAP);
    let (top, bottom) = (area.y - GAP, area.bottom() + GAP);
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    Shape::Path { points: corners.map(|(x, y)| Point::new(x, y)).to_vec(), stroke }
}

/// From its edge: none where the point is inside.
fn distance(area: &Area, point: Point) -> f64 {
    let beyond = |at: f64, from: f64, to: f64| (from - at).max(at - to).max(0.0);
    let across = beyond(point.x, area.x, area.right());
    let down = beyond(point.y, area.y, area.bottom());
    (across * across + down * down).sqrt()
}
