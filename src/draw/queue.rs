//! The queue: a box of places while they fit, a bar with a scale beyond that.

use crate::model::outlook::NextEvent;
use crate::model::settings::Bound;
use crate::model::snapshot::failures::PoisonInLine;

use super::dead_letters;
use super::grid::{Grid, Head, rounded_up};
use super::measure::Weight;
use super::palette::Role;
use super::scale::to_usize;
use super::scene::{View, stays_full};
use super::shape::{Anchor, Area, Ink, Point, Stroke};
use super::sketch::{HALF_LINE, Hand, Sketch};
use super::target::Target;

const PADDING: f64 = 6.0;
const BORDER: f64 = 2.0;
const CORNER: f64 = 12.0;
/// The radius of triangles beside dots, in radii of these: as large to the eye.
const POISON_SIZE: f64 = 1.35;
/// The radius of triangles on a bar.
const POISON_ON_BAR: f64 = 10.0;

/// The part of the queue's box where messages lie.
pub(super) fn room(area: Area) -> Area {
    area.inset(PADDING)
}

/// Draws the box and what waits in it. Says where the head of the line is, if anything waits.
pub(super) fn draw(sketch: &mut Sketch, view: &View<'_>, area: Area, head: Head) -> Option<Point> {
    sketch.boxed(area, CORNER, Role::Panel, Some((Role::Ink, BORDER)));
    let queue = &view.snapshot.queue;
    if queue.bound == Bound::None {
        open_the_end(sketch, area, head);
    }
    match Grid::for_queue(queue, room(area), head) {
        Some(grid) => dots(sketch, view, &grid),
        None => bar(sketch, view, room(area), head),
    }
}

/// Without a bound the end of the line is open: its edge is broken.
fn open_the_end(sketch: &mut Sketch, area: Area, head: Head) {
    let edge = match head {
        Head::Left => Area::new(area.x + CORNER, area.y, area.width - 2.0 * CORNER, BORDER),
        Head::Right => Area::new(area.x, area.y + CORNER, BORDER, area.height - 2.0 * CORNER),
    };
    sketch.bar(edge, Ink::solid(Role::Panel));
    let stroke = Stroke::dashed(Role::Ink, BORDER, 5.0);
    let (from, to) = match head {
        Head::Left => (Point::new(edge.x, edge.y + 1.0), Point::new(edge.right(), edge.y + 1.0)),
        Head::Right => (Point::new(edge.x + 1.0, edge.y), Point::new(edge.x + 1.0, edge.bottom())),
    };
    sketch.line(from, to, stroke);
}

fn dots(sketch: &mut Sketch, view: &View<'_>, grid: &Grid) -> Option<Point> {
    let queue = &view.snapshot.queue;
    let waiting = to_usize(queue.waiting as f64);
    let shown = match queue.bound {
        Bound::Messages(_) => to_usize(grid.places as f64),
        Bound::None => waiting,
    };
    for index in 0..shown {
        let center = grid.place(index);
        if let Some(poison) = poison_at(view, index as u64) {
            dead_letters::poison(sketch, center, grid.radius * POISON_SIZE, poison.attempts);
        } else if index < waiting {
            let edge = Stroke::solid(Role::WaitingEdge, 1.0);
            sketch.dot(center, grid.radius, Some(Ink::solid(Role::Waiting)), Some(edge));
        } else {
            sketch.dot(center, grid.radius, None, Some(Stroke::solid(Role::Outline, 1.0)));
        }
    }
    if sketch.targets.is_some() {
        add_targets(sketch, grid, waiting.min(shown));
    }
    if waiting == 0 {
        return None;
    }
    let head = grid.place(0);
    let ring = Stroke::solid(Role::Ink, 2.0);
    sketch.dot(head, grid.radius + 1.0, None, Some(ring));
    Some(head)
}

#[inline(never)]
fn add_targets(sketch: &mut Sketch, grid: &Grid, count: usize) {
    for index in 0..count {
        sketch.target(around(grid.place(index), grid.radius), Target::InLine(index));
    }
}

/// The square around a dot.
pub(super) const fn around(center: Point, radius: f64) -> Area {
    Area::new(center.x - radius, center.y - radius, 2.0 * radius, 2.0 * radius)
}

/// The poison message at that place, if there is one.
fn poison_at<'a>(view: &View<'a>, place: u64) -> Option<&'a PoisonInLine> {
    view.snapshot.failures.in_line.iter().find(|poison| poison.place == place)
}

/// A bar that starts at the head of the line, with a scale of ten parts.
#[inline(never)]
fn bar(sketch: &mut Sketch, view: &View<'_>, room: Area, head: Head) -> Option<Point> {
    let queue = &view.snapshot.queue;
    let top = match queue.bound {
        Bound::Messages(bound) => bound.max(queue.waiting),
        Bound::None => rounded_up(queue.waiting),
    };
    let from_head = |share: f64| match head {
        Head::Left => room.x + room.width * share,
        Head::Right => room.right() - room.width * share,
    };
    let share = queue.waiting as f64 / top.max(1) as f64;
    let length = (room.width * share).max(if queue.waiting == 0 { 0.0 } else { 2.0 });
    let x = if head == Head::Left { room.x } else { room.right() - length };
    let filled = Area::new(x, room.y, length, room.height);
    let corner = (length / 2.0).min(CORNER - PADDING);
    sketch.boxed(filled, corner, Role::Waiting, Some((Role::WaitingEdge, 1.0)));
    for tenth in 1..10_u32 {
        let x = from_head(f64::from(tenth) / 10.0);
        let height = if tenth == 5 { 14.0 } else { 8.0 };
        sketch.bar(Area::new(x, room.bottom() - height, 1.0, height), Ink::solid(Role::Soft));
    }
    if let Bound::Messages(bound) = queue.bound {
        let share = bound as f64 / top.max(1) as f64;
        let x = from_head(share).max(room.x + 1.0).min(room.right() - 1.0);
        let stroke = Stroke::dashed(Role::Lost, 2.0, 4.0);
        sketch.line(Point::new(x, room.y), Point::new(x, room.bottom()), stroke);
    }
    let mut drawn_at = f64::NAN;
    for poison in &view.snapshot.failures.in_line {
        let x = from_head(poison.place as f64 / top.max(1) as f64);
        let x = x.max(room.x + POISON_ON_BAR).min(room.right() - POISON_ON_BAR);
        // Those that would lie on each other are one.
        if (x - drawn_at).abs() < 2.5 * POISON_ON_BAR {
            continue;
        }
        drawn_at = x;
        dead_letters::poison(sketch, Point::new(x, room.center().y), POISON_ON_BAR, poison.attempts);
    }
    let inside = CORNER.min(room.width / 2.0) / room.width.max(1.0);
    (queue.waiting > 0).then(|| Point::new(from_head(inside), room.bottom()))
}

/// Where the number waiting is heading, as an arrow beside its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trend {
    Rising,
    Falling,
    Steady,
}

pub(super) fn trend(view: &View<'_>) -> Trend {
    match view.snapshot.outlook.next {
        _ if stays_full(view.snapshot) => Trend::Steady,
        NextEvent::FullIn(_) | NextEvent::OutOfMemoryIn(_) => Trend::Rising,
        NextEvent::EmptyIn(_) => Trend::Falling,
        NextEvent::Level | NextEvent::StaysFull | NextEvent::StaysOutOfMemory => Trend::Steady,
    }
}

fn growth_role(view: &View<'_>) -> Role {
    match view.snapshot.outlook.next {
        _ if stays_full(view.snapshot) => Role::Lost,
        NextEvent::FullIn(_) | NextEvent::OutOfMemoryIn(_) => Role::Warn,
        NextEvent::StaysFull | NextEvent::StaysOutOfMemory => Role::Lost,
        NextEvent::Level | NextEvent::EmptyIn(_) => Role::Soft,
    }
}

const TREND_WIDTH: f64 = 15.0;

/// How wide the words about growth are with their arrow.
pub(super) fn growth_width(sketch: &Sketch, view: &View<'_>) -> f64 {
    let words = sketch.width_of(&view.labels.growth, Weight::Bold);
    if trend(view) == Trend::Steady || words <= 0.0 { words } else { words + TREND_WIDTH }
}

/// Writes where the number waiting is heading, ending at `at`.
pub(super) fn growth(sketch: &mut Sketch, view: &View<'_>, at: Point, width: f64) {
    let role = growth_role(view);
    let arrow = if trend(view) == Trend::Steady { 0.0 } else { TREND_WIDTH };
    let hand = Hand::new(Anchor::End, Weight::Bold, role);
    let written = sketch.write(&view.labels.growth, at, width - arrow, hand);
    if written <= 0.0 {
        return;
    }
    let (left, right) = (at.x - written - arrow, at.x - written - 5.0);
    let (low, high) = (at.y + 4.5, at.y - 4.5);
    match trend(view) {
        Trend::Rising => sketch.arrow(Point::new(left, low), Point::new(right, high), role, 1.5),
        Trend::Falling => sketch.arrow(Point::new(left, high), Point::new(right, low), role, 1.5),
        Trend::Steady => {}
    }
}

/// Writes how many wait and `detail` after it, from `at` on. Says how wide both came out.
pub(super) fn count(sketch: &mut Sketch, view: &View<'_>, detail: &str, at: Point, width: f64) -> f64 {
    let bold = Hand::new(Anchor::Start, Weight::Bold, Role::Ink);
    let first = sketch.write(&view.labels.waiting, at, width, bold);
    let soft = Hand::new(Anchor::Start, Weight::Regular, Role::Soft);
    // A separator at the start of the text would be lost at its edge.
    let words = detail.trim_start();
    let gap = if words.len() < detail.len() { sketch.width_of(" ", Weight::Regular) } else { 0.0 };
    let from = Point::new(at.x + first + gap, at.y);
    first + gap + sketch.write(words, from, (width - first - gap).max(0.0), soft)
}

/// Marks the head of the line below the box: a short line and a word. Says where the word starts
/// and ends.
pub(super) fn mark_next(sketch: &mut Sketch, view: &View<'_>, head: Point, area: Area) -> (f64, f64) {
    let y = area.bottom() + 5.0 + HALF_LINE;
    let stroke = Stroke::solid(Role::Ink, 2.0);
    sketch.line(Point::new(head.x, area.bottom()), Point::new(head.x, area.bottom() + 6.0), stroke);
    let room = area.width / 4.0;
    let half = sketch.width_of(&view.labels.next, Weight::Regular).min(room) / 2.0;
    let at = Point::new(head.x.min(area.right() - half).max(area.x + half), y);
    let hand = Hand::new(Anchor::Middle, Weight::Regular, Role::Soft);
    sketch.write(&view.labels.next, at, room, hand);
    (at.x - half, at.x + half)
}

/// The lamp of the broker and the words for what is wrong with it, from `at` on, while there is
/// anything. Says how wide it
/// came out.
pub(super) fn alarm(sketch: &mut Sketch, view: &View<'_>, at: Point, width: f64) -> f64 {
    if view.snapshot.broker.trouble().is_none() || width < 40.0 {
        return 0.0;
    }
    let lamp = Point::new(at.x + 7.0, at.y);
    sketch.dot(lamp, 7.0, Some(Ink::solid(Role::Lost)), None);
    sketch.write("!", lamp, 14.0, Hand::new(Anchor::Middle, Weight::Bold, Role::OnLost));
    let from = Point::new(at.x + 19.0, at.y);
    let hand = Hand::new(Anchor::Start, Weight::Bold, Role::Lost);
    19.0 + sketch.write(&view.labels.broker_trouble, from, width - 19.0, hand)
}
