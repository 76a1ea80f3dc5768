//! Messages on their way: from the producer to the queue, and out of the picture.

use crate::model::rate::Rate;
use crate::model::settings::ArrivalPattern;
use crate::model::snapshot::{Loss, LossRule};
use crate::model::time::{Instant, MICROS_PER_SECOND};

use super::measure::Weight;
use super::palette::Role;
use super::scene::{Motion, View};
use super::shape::{Anchor, Ink, Point, Stroke};
use super::sketch::{Hand, Sketch};

/// From so many dots in one real second on, dots would only flicker.
const DOTS_PER_SECOND_MAX: f64 = 15.0;

/// How long a finished message stays in sight, in real seconds.
const DONE_IN_SIGHT: f64 = 0.5;

/// How long a lost message stays in sight, in real seconds.
const LOST_IN_SIGHT: f64 = 0.9;

/// The radius of a lost message.
pub(super) const LOST_RADIUS: f64 = 5.5;

/// How far lost messages must be apart to be told from each other.
const LOST_SPACING: f64 = 2.0 * LOST_RADIUS + 2.0;

/// A way shorter than this shows no lost messages.
pub(super) const TRAIL_LEAST: f64 = 2.0 * LOST_SPACING;

const GATE_WIDTH: f64 = 4.0;

/// A way that messages take, from its first point to its last.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) points: Vec<Point>,
    /// The distance between two messages.
    pub(super) spacing: f64,
    /// The radius of a message.
    pub(super) radius: f64,
    /// How much of the way's start lies hidden under the producer.
    pub(super) hidden: f64,
    /// How many messages may be on it where the queue pushes back.
    pub(super) standing_max: f64,
}

impl Lane {
    /// A message grows as it leaves the producer, or it would look like a part of it.
    fn radius_at(&self, before_end: f64) -> f64 {
        let from_producer = self.length() - self.hidden - before_end;
        self.radius * (from_producer / (self.radius * 1.5)).clamp(0.0, 1.0)
    }

    /// The lane up to where a message stands before a closed gate.
    fn before_gate(&self) -> Self {
        let mut way = self.clone();
        if let (Some(stop), Some(end)) =
            (self.before_end(GATE_WIDTH + 3.0 + self.radius), way.points.last_mut())
        {
            *end = stop;
        }
        way
    }

    /// Where it heads at its end, as a vector of length one.
    fn direction(&self) -> (f64, f64) {
        match (self.before_end(1.0), self.points.last()) {
            (Some(before), Some(end)) => (end.x - before.x, end.y - before.y),
            _ => (1.0, 0.0),
        }
    }

    fn length(&self) -> f64 {
        self.points.iter().zip(self.points.iter().skip(1)).map(|(from, to)| distance(*from, *to)).sum()
    }

    /// The point `before_end` before the end; `None` where that is before the start.
    fn before_end(&self, before_end: f64) -> Option<Point> {
        let mut rest = before_end.max(0.0);
        let mut to = *self.points.last()?;
        for from in self.points.iter().rev().skip(1) {
            let length = distance(*from, to);
            if rest <= length && length > 0.0 {
                let share = rest / length;
                return Some(Point::new(to.x + (from.x - to.x) * share, to.y + (from.y - to.y) * share));
            }
            rest -= length;
            to = *from;
        }
        None
    }
}

fn distance(from: Point, to: Point) -> f64 {
    (to.x - from.x).hypot(to.y - from.y)
}

/// Whether `rate` would show more dots in a real second than an eye can follow.
pub(super) fn is_a_blur(rate: Rate, speed: f64) -> bool {
    rate.thousandths() as f64 / 1_000.0 * speed > DOTS_PER_SECOND_MAX
}

/// Whether the queue pushes back on the producer: it must wait, or must again and again.
pub(super) fn is_pushed_back(view: &View<'_>) -> bool {
    view.snapshot.producer.blocked_by.is_some() || !view.labels.blocked.is_empty()
}

/// Draws the messages that the producer sends. The first reaches the lane's end at the very
/// instant at which it arrives. Where the queue pushes back there is a gate at the end.
pub(super) fn arrivals(sketch: &mut Sketch, view: &View<'_>, lane: &Lane) {
    let producer = &view.snapshot.producer;
    let is_in_bursts = producer.arrivals == ArrivalPattern::Bursts && producer.burst_size > 1;
    let per_dot = if is_in_bursts { producer.burst_size } else { 1 };
    let dots_a_second = Rate::from_thousandths(producer.rate.thousandths() / per_dot.max(1));
    let is_stream = view.motion == Motion::Reduced || is_a_blur(dots_a_second, view.speed);
    let is_pushed_back = is_pushed_back(view);
    let way = if is_pushed_back { lane.before_gate() } else { lane.clone() };
    let most = if is_pushed_back { lane.standing_max } else { f64::INFINITY };
    if is_pushed_back {
        gate(sketch, lane);
        held_back(sketch, view, &way);
    }
    if is_stream && most > 1.0 && producer.held_back <= 1 {
        let clear = if producer.held_back > 0 { 2.0 * way.radius } else { 3.0 };
        stream(sketch, &way, clear, Role::Producer);
    } else if !is_stream && producer.held_back <= 1 {
        on_the_way(sketch, view, &way, most - producer.held_back as f64, is_in_bursts);
    }
}

/// Messages one gap apart, as far as the way is long.
fn on_the_way(sketch: &mut Sketch, view: &View<'_>, lane: &Lane, most: f64, is_in_bursts: bool) {
    let producer = &view.snapshot.producer;
    let gap_done = f64::from(producer.gap_done_millionths.min(1_000_000)) / 1_000_000.0;
    let mut shown = 0.0;
    let mut before_end = (1.0 - gap_done) * lane.spacing;
    while let Some(center) = lane.before_end(before_end)
        && shown < most
    {
        let radius = lane.radius_at(before_end);
        if radius < lane.radius * 0.35 {
            break;
        }
        if is_in_bursts {
            cluster(sketch, center, radius, producer.rate.is_zero());
        } else {
            message(sketch, center, radius, producer.rate.is_zero());
        }
        before_end += lane.spacing;
        shown += 1.0;
    }
}

/// One message on its way; hollow while none is sent at all.
fn message(sketch: &mut Sketch, center: Point, radius: f64, is_hollow: bool) {
    if is_hollow {
        sketch.moving_dot(center, radius, None, Some(Stroke::solid(Role::Producer, 1.5)));
    } else {
        sketch.moving_dot(center, radius, Some(Ink::solid(Role::Producer)), None);
    }
}

/// Several messages that arrive together.
#[inline(never)]
fn cluster(sketch: &mut Sketch, center: Point, radius: f64, is_hollow: bool) {
    let (small, off) = (radius * 0.6, radius * 0.62);
    for (x, y) in [(off, 0.0), (-off * 0.5, -off), (-off * 0.5, off)] {
        message(sketch, Point::new(center.x + x, center.y + y), small, is_hollow);
    }
}

/// So many messages that they look like one stream; also what stands for them without motion. It
/// ends `clear` before the lane does.
fn stream(sketch: &mut Sketch, lane: &Lane, clear: f64, role: Role) {
    let Some(end) = lane.before_end(clear) else {
        return;
    };
    let Some(start) = lane.before_end(lane.length() - lane.hidden - 4.0) else {
        return;
    };
    let mut points = lane.points.clone();
    if let Some(first) = points.first_mut() {
        *first = start;
    }
    points.pop();
    let Some(corner) = points.last().copied() else {
        return;
    };
    if points.len() > 1 {
        sketch.path(points, Stroke::solid(role, 3.0));
    }
    sketch.arrow(corner, end, role, 3.0);
}

/// A closed gate across the lane's end.
#[inline(never)]
fn gate(sketch: &mut Sketch, lane: &Lane) {
    let Some(at) = lane.before_end(GATE_WIDTH / 2.0 + 1.0) else {
        return;
    };
    let (along_x, along_y) = lane.direction();
    let reach = lane.radius + 5.0;
    let side = |sign: f64| Point::new(at.x + sign * reach * along_y, at.y + sign * reach * along_x);
    sketch.line(side(1.0), side(-1.0), Stroke::solid(Role::Warn, GATE_WIDTH));
}

/// The messages in a blocked producer's hand, standing before the gate.
#[inline(never)]
fn held_back(sketch: &mut Sketch, view: &View<'_>, lane: &Lane) {
    let apart = 2.0 * lane.radius + 2.0;
    let room = ((lane.length() - lane.hidden - lane.radius) / apart).floor() + 1.0;
    let shown = (view.snapshot.producer.held_back as f64).min(room).min(lane.standing_max);
    let mut index = 0.0;
    while index < shown {
        if let Some(center) = lane.before_end(index * apart) {
            let ring = Stroke::solid(Role::Warn, 2.0);
            sketch.dot(center, lane.radius + 1.0, Some(Ink::solid(Role::Producer)), Some(ring));
        }
        index += 1.0;
    }
}

/// Draws finished messages leaving from `from` to `to`, fading.
pub(super) fn finished(sketch: &mut Sketch, view: &View<'_>, from: Point, to: Point, radius: f64) {
    let flow = &view.snapshot.flow;
    if view.motion == Motion::Reduced {
        return;
    }
    if is_a_blur(flow.rate_of(flow.done), view.speed) {
        return sketch.line(from, to, Stroke::solid(Role::Consumer, 3.0));
    }
    for finish in &view.snapshot.consumers.recent_finishes {
        let Some(share) = share_of_way(view, finish.at, DONE_IN_SIGHT) else {
            continue;
        };
        let center = Point::new(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
        sketch.moving_dot(center, radius, Some(Ink::faded(Role::Consumer, 1.0 - 0.8 * share)), None);
    }
}

/// Where messages are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LostAt {
    Entrance,
    Head,
}

impl LostAt {
    fn of(rule: LossRule) -> Self {
        match rule {
            LossRule::Rejected | LossRule::DroppedNew => Self::Entrance,
            LossRule::DroppedOldest => Self::Head,
        }
    }
}

/// Draws the messages lost at `place` as crossed-out dots that go from `from` to `to`, fading.
pub(super) fn lost(sketch: &mut Sketch, view: &View<'_>, place: LostAt, from: Point, to: Point) {
    let losses = &view.snapshot.queue.recent_losses;
    let here = |loss: &&Loss| LostAt::of(loss.rule) == place;
    if view.motion == Motion::Reduced {
        return;
    }
    let flow = &view.snapshot.flow;
    let room_for = (distance(from, to) / LOST_SPACING).floor() + 1.0;
    let in_sight = flow.rate_of(flow.rejected + flow.dropped).thousandths() as f64 / 1_000.0
        * view.speed
        * LOST_IN_SIGHT;
    let is_blur = in_sight > room_for;
    for (index, loss) in losses.iter().rev().filter(here).enumerate() {
        // A blur stands still: where each dot is would change too fast to see.
        let steady = index as f64 * LOST_SPACING / distance(from, to).max(1.0);
        let share = if is_blur {
            (steady <= 1.0).then_some(steady)
        } else {
            share_of_way(view, loss.at, LOST_IN_SIGHT)
        };
        if let Some(share) = share {
            let center = Point::new(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
            sketch.crossed_dot(center, LOST_RADIUS, 1.0 - 0.8 * share, true);
        }
    }
}

/// Which share of its way out of sight something has gone; `None` once it is out of sight.
fn share_of_way(view: &View<'_>, left_at: Instant, in_sight: f64) -> Option<f64> {
    let age = view.snapshot.at.since(left_at).micros() as f64 / MICROS_PER_SECOND as f64;
    let share = age / (in_sight * view.speed);
    (share < 1.0).then_some(share)
}

/// How wide the crossed-out dot before the number of lost messages is.
const SIGN: f64 = 17.0;

/// How wide [`lost_count`] comes out where there is room.
pub(super) fn lost_count_width(sketch: &Sketch, words: &str) -> f64 {
    if words.is_empty() { 0.0 } else { sketch.width_of(words, Weight::Bold) + SIGN }
}

/// Writes how many were lost, ending at `at`, after a crossed-out dot. Says how wide it came out.
pub(super) fn lost_count(sketch: &mut Sketch, words: &str, at: Point, width: f64) -> f64 {
    if words.is_empty() || width < 2.0 * SIGN {
        return 0.0;
    }
    let hand = Hand::new(Anchor::End, Weight::Bold, Role::Lost);
    let written = sketch.write(words, at, width - SIGN, hand);
    if written <= 0.0 {
        return 0.0;
    }
    sketch.crossed_dot(Point::new(at.x - written - 10.5, at.y), LOST_RADIUS, 1.0, false);
    written + SIGN
}
