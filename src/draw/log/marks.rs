//! Small signs of the log's picture: flags of groups, poison, consumers.

use crate::model::snapshot::network::LaneSnapshot;
use crate::model::snapshot::{ConsumerSnapshot, WorkSnapshot};

use super::super::consumers;
use super::super::lane::is_a_blur;
use super::super::measure::Weight;
use super::super::palette::Role;
use super::super::scene::Motion;
use super::super::shape::{Anchor, Area, Ink, Point, Stroke};
use super::super::sketch::{Hand, Sketch};
use super::View;

const FLAG_WIDTH: f64 = 9.0;
const FLAG_HEIGHT: f64 = 8.0;
const POLE: f64 = 2.0;

/// How far the words beside a flag are from its pole.
pub(super) const FLAG_ROOM: f64 = FLAG_WIDTH + POLE + 3.0;

/// The flag of the group at `place`, whose pole goes down from `from` to `to`. The first group's is cut
/// in at its end, the second's is an empty square.
pub(super) fn flag(sketch: &mut Sketch, place: usize, x: f64, from: f64, to: f64) {
    let role = role_of(place);
    sketch.bar(Area::new(x, from, POLE, to - from), Ink::solid(role));
    let (left, top) = (x + POLE, to - FLAG_HEIGHT);
    if place == 0 {
        let corner = |dx: f64, dy: f64| Point::new(left + dx, top + dy);
        let middle = FLAG_HEIGHT / 2.0;
        sketch.polygon(
            vec![
                corner(0.0, 0.0),
                corner(FLAG_WIDTH, 0.0),
                corner(FLAG_WIDTH - 3.0, middle),
                corner(FLAG_WIDTH, FLAG_HEIGHT),
                corner(0.0, FLAG_HEIGHT),
            ],
            Ink::solid(role),
        );
    } else {
        sketch.boxed(Area::new(left, top, FLAG_WIDTH, FLAG_HEIGHT), 0.0, Role::Paper, Some((role, 2.0)));
    }
}

/// Writes beside the flag whose pole is at `at`: on its right if there is room up to the end of
/// `within`, else on its left. Says where what is written there ends on the right, the flag included.
pub(super) fn beside_flag(sketch: &mut Sketch, words: &str, at: Point, within: Area) -> f64 {
    let right = within.right() - at.x - FLAG_ROOM;
    let left = at.x - 4.0 - within.x;
    if sketch.width_of(words, Weight::Regular) <= right || left < right {
        let hand = Hand::new(Anchor::Start, Weight::Regular, Role::Soft);
        let from = Point::new(at.x + FLAG_ROOM, at.y);
        return from.x + sketch.write(words, from, right, hand);
    }
    sketch.write(
        words,
        Point::new(at.x - 4.0, at.y),
        left,
        Hand::new(Anchor::End, Weight::Regular, Role::Soft),
    );
    at.x + FLAG_ROOM
}

/// The colour of the group at `place`.
pub(super) const fn role_of(place: usize) -> Role {
    if place == 0 { Role::Consumer } else { Role::AgeLine }
}

/// How large the triangle of a record that fails every time is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// Its width where nothing is written in it.
    pub(super) width: f64,
    /// What is written in it has to fit into this height.
    pub(super) height_max: f64,
}

/// A record that fails every time: a triangle, and nothing else is one. It grows with what is written
/// in it; what would not fit is left out. It stays beside the other records, which are `within`.
pub(super) fn poison(sketch: &mut Sketch, within: Area, at: Point, attempts: &str, triangle: Triangle) {
    let words = sketch.width_of(attempts, Weight::Bold);
    let fits = words > 0.0 && words < 30.0 && triangle.height_max >= 18.0;
    let attempts = if fits { attempts } else { "" };
    let width = if fits { (words * 1.3 + 15.0).max(triangle.width) } else { triangle.width };
    // As high as a base of two radii and three quarters of one below the middle make it.
    let radius = (width / 2.0).min(triangle.height_max / 1.75);
    let height = 1.75 * radius;
    let center = Point::new(at.x.min(within.right() - radius).max(within.x + radius), at.y);
    sketch.triangle(Point::new(center.x, center.y + radius / 8.0), radius, Ink::solid(Role::Lost));
    let hand = Hand::new(Anchor::Middle, Weight::Bold, Role::OnLost);
    let at = Point::new(center.x, center.y + height * 0.2);
    sketch.write(attempts, at, width, hand);
}

/// The reader of a partition, at work or not.
pub(super) fn reader(
    sketch: &mut Sketch,
    view: &View<'_>,
    group: usize,
    lane: &LaneSnapshot,
    at: Point,
    radius: f64,
) {
    let progress = progress(view, group, lane);
    let work = (lane.in_hand > 0).then_some(WorkSnapshot {
        number: lane.head,
        done_millionths: progress.unwrap_or_default(),
        finishes_in: None,
        attempt: lane.head_attempts,
        is_poison: lane.head_fails,
    });
    let consumer =
        ConsumerSnapshot { work, is_stopping: false, health: lane.reader_health.unwrap_or_default() };
    consumers::draw_one(sketch, &consumer, at, radius, progress.is_some());
}

/// How far its reader is with the record in hand, in millionths, where the snapshot tells and an eye
/// can follow.
fn progress(view: &View<'_>, group: usize, lane: &LaneSnapshot) -> Option<u32> {
    let consumers = &view.snapshot.consumers;
    let name = &view.snapshot.network.groups.get(group)?.name;
    if view.motion == Motion::Reduced || *name != consumers.name || is_a_blur(consumers.rate_each, view.speed)
    {
        return None;
    }
    let place = usize::try_from(lane.reader?.checked_sub(1)?).ok()?;
    let work = consumers.each.get(place)?.work.as_ref()?;
    (lane.in_hand > 0).then_some(work.done_millionths)
}

/// A place where a reader would be.
pub(super) fn no_reader(sketch: &mut Sketch, at: Point, radius: f64) {
    sketch.dot(at, radius, None, Some(Stroke::dashed(Role::Outline, 1.5, 3.0)));
}
