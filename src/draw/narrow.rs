//! The picture from top to bottom, for narrow places: the way of a message is a snake. It leaves
//! the producer to the right, drops into the queue, moves to the lower left, and goes on to the
//! right through the consumers.

use crate::model::settings::Bound;
use crate::model::snapshot::Snapshot;

use super::consumers::{self, Block};
use super::dead_letters;
use super::grid::Head;
use super::lane::{self, Lane, LostAt};
use super::measure::Weight;
use super::palette::Role;
use super::queue;
use super::scene::View;
use super::shape::{Anchor, Area, Point};
use super::sketch::{HALF_LINE, Hand, Sketch};

const MARGIN: f64 = 2.0;
const PRODUCER: Area = Area::new(MARGIN, 2.0, 0.0, 28.0);
const LABEL_ROW: f64 = 42.0;
const QUEUE_TOP: f64 = 52.0;
const CONSUMERS_HEIGHT: f64 = 30.0;
const DOT_RADIUS: f64 = 5.5;
/// How far from the right edge messages drop into the queue.
const DROP: f64 = 14.0;

/// Where the rows below the number waiting are.
#[derive(Clone, Copy, Debug)]
struct Rows {
    queue_height: f64,
    strip: f64,
    consumers_top: f64,
}

impl Rows {
    /// A box for dead letters takes its room from the queue, so that the picture stays as high as it is.
    const fn of(snapshot: &Snapshot) -> Self {
        let (queue_height, consumers_top) =
            if dead_letters::are_shown(snapshot) { (42.0, 115.0) } else { (72.0, 146.0) };
        Self { queue_height, strip: QUEUE_TOP + queue_height + 5.0 + HALF_LINE, consumers_top }
    }
}

/// The box for dead letters.
const BOX_TOP: f64 = 149.0;
const BOX_HEIGHT: f64 = 27.0;

fn queue_area(snapshot: &Snapshot, width: f64) -> Area {
    Area::new(MARGIN, QUEUE_TOP, width - 2.0 * MARGIN, Rows::of(snapshot).queue_height)
}

/// Where messages lie in a narrow picture's queue.
pub(super) fn queue_room(snapshot: &Snapshot, width: f64) -> Area {
    queue::room(queue_area(snapshot, width))
}

/// Draws the whole picture.
pub(super) fn draw(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    draw_producer(sketch, view, width);
    let area = queue_area(view.snapshot, width);
    let head = queue::draw(sketch, view, area, Head::Left);
    let above = write_count(sketch, view, width);
    draw_strip(sketch, view, area, head, above);
    draw_consumers(sketch, view, width);
    if dead_letters::are_shown(view.snapshot) {
        let area = Area::new(MARGIN, BOX_TOP, width - 2.0 * MARGIN, BOX_HEIGHT);
        dead_letters::draw_box(sketch, view, area);
    }
}

fn draw_producer(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    let words = &view.labels.producer_line;
    let needed = sketch.width_of(words, Weight::Bold) + 24.0;
    let is_pushed_back = lane::is_pushed_back(view);
    let words_beside =
        if is_pushed_back { sketch.width_of(&view.labels.blocked, Weight::Bold) + DROP + 22.0 } else { 0.0 };
    let lane_least = words_beside.max(78.0).min(width / 2.0);
    let producer = Area { width: needed.max(60.0).min(width - lane_least), ..PRODUCER };
    let middle = producer.center().y;
    let drop = width - DROP;
    let hidden = DOT_RADIUS + 1.0;
    let start = Point::new(producer.right() - hidden, middle);
    let points = vec![start, Point::new(drop, middle), Point::new(drop, QUEUE_TOP)];
    let lane = Lane { points, spacing: 21.0, radius: DOT_RADIUS, hidden, standing_max: 1.0 };
    lane::arrivals(sketch, view, &lane);
    sketch.boxed(producer, 9.0, Role::Producer, None);
    let hand = Hand::new(Anchor::Middle, Weight::Bold, Role::OnProducer);
    sketch.write(words, producer.center(), producer.width - 10.0, hand);
    if is_pushed_back {
        let at = Point::new(drop - 14.0, middle);
        let hand = Hand::new(Anchor::End, Weight::Bold, Role::Warn);
        sketch.write(&view.labels.blocked, at, at.x - producer.right() - 6.0, hand);
    }
}

/// What is written above the queue beside the number waiting.
#[derive(Clone, Copy, Debug)]
struct Above {
    growth: bool,
    bound: bool,
}

/// How many wait, and where that is heading. Where room is short the smaller voice gives way, and
/// then growth goes below the queue.
fn write_count(sketch: &mut Sketch, view: &View<'_>, width: f64) -> Above {
    let end = width - DROP - DOT_RADIUS - 9.0;
    let room = end - MARGIN;
    let growth = queue::growth_width(sketch, view);
    let count = sketch.width_of(&view.labels.waiting, Weight::Bold);
    let detail = sketch.width_of(&view.labels.waiting_detail_short, Weight::Regular);
    let growth_fits = count + growth + 8.0 <= room;
    let growth_is_above = growth_fits || !strip_is_free(view);
    let growth = if growth_is_above { growth } else { 0.0 };
    let detail_fits = count + detail + growth + 8.0 <= room;
    let words = if detail_fits { view.labels.waiting_detail_short.as_str() } else { "" };
    let count_room = if growth_is_above && !growth_fits { room * 0.6 } else { room - growth };
    let used = queue::count(sketch, view, words, Point::new(MARGIN, LABEL_ROW), count_room);
    if growth_is_above {
        queue::growth(sketch, view, Point::new(end, LABEL_ROW), room - used - 8.0);
    }
    Above { growth: growth_is_above, bound: detail_fits && view.snapshot.queue.bound != Bound::None }
}

/// Whether nothing but the head and the scale needs the strip below the queue.
fn strip_is_free(view: &View<'_>) -> bool {
    let labels = view.labels;
    view.snapshot.broker.trouble().is_none()
        && labels.lost_at_head.is_empty()
        && labels.lost_at_entrance.is_empty()
}

/// Between the queue and the consumers: the head on the left, then the alarm, losses on the right.
/// The scale's end is the first to give way: it mostly is the bound, which stands above.
fn draw_strip(sketch: &mut Sketch, view: &View<'_>, area: Area, head: Option<Point>, above: Above) {
    let (mut left, mut right) = (area.x, area.right());
    let row = Rows::of(view.snapshot).strip;
    if let Some(head) = head {
        left = queue::mark_next(sketch, view, head, area).1 + 8.0;
    }
    let labels = view.labels;
    let needed = if above.growth { losses_width(sketch, view) } else { queue::growth_width(sketch, view) };
    let scale = sketch.width_of(&labels.scale_top, Weight::Regular);
    let scale_is_shown = super::scene::scale_top(view.snapshot, area.width + 2.0 * MARGIN).is_some();
    // Where it is close, the words beside it are written a little smaller.
    let scale_fits = needed * 0.94 + scale + 8.0 <= right - left;
    if scale_is_shown && scale_fits && !above.bound {
        let hand = Hand::new(Anchor::End, Weight::Regular, Role::Soft);
        right -= sketch.write(&labels.scale_top, Point::new(right, row), right - left, hand) + 8.0;
    }
    if above.growth {
        draw_losses(sketch, view, left, right);
    } else {
        queue::growth(sketch, view, Point::new(right, row), right - left);
    }
}

/// How wide the alarm and the losses would like to be.
fn losses_width(sketch: &Sketch, view: &View<'_>) -> f64 {
    let labels = view.labels;
    let alarm = if view.snapshot.broker.trouble().is_some() {
        sketch.width_of(&labels.broker_trouble, Weight::Bold) + 27.0
    } else {
        0.0
    };
    let lost = |words: &str| if words.is_empty() { 0.0 } else { lane::lost_count_width(sketch, words) + 8.0 };
    alarm + lost(&labels.lost_at_entrance) + lost(&labels.lost_at_head)
}

fn draw_losses(sketch: &mut Sketch, view: &View<'_>, left: f64, right: f64) {
    let (labels, row) = (view.labels, Rows::of(view.snapshot).strip);
    let parts = [
        view.snapshot.broker.trouble().is_some(),
        !labels.lost_at_head.is_empty(),
        !labels.lost_at_entrance.is_empty(),
    ];
    let share = (right - left) / parts.iter().filter(|part| **part).count().max(1) as f64 - 4.0;
    let alarm = queue::alarm(sketch, view, Point::new(left, row), share);
    let mut end = right;
    for (words, place) in [(&labels.lost_at_entrance, LostAt::Entrance), (&labels.lost_at_head, LostAt::Head)]
    {
        let written = lane::lost_count(sketch, words, Point::new(end, row), share);
        if written > 0.0 {
            end -= written + 8.0;
        }
        let trail = (end - left - alarm - 16.0).min(54.0);
        if words.is_empty() || trail < lane::TRAIL_LEAST || parts.iter().filter(|part| **part).count() > 1 {
            continue;
        }
        let (from, to) = (Point::new(end - 6.0, row), Point::new(end - trail, row));
        lane::lost(sketch, view, place, from, to);
    }
}

fn draw_consumers(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    let labels = view.labels;
    let top = Rows::of(view.snapshot).consumers_top;
    let middle = top + CONSUMERS_HEIGHT / 2.0;
    let done = sketch.width_of(&labels.done, Weight::Regular).min(width * 0.38);
    let name = sketch.width_of(&labels.consumers, Weight::Bold).min(width * 0.35);
    let room = width - 2.0 * MARGIN - done - name - 3.0 * 8.0;
    let block = Block::within(view.snapshot.consumers.count_of_queue(), room, CONSUMERS_HEIGHT);
    let area = Area::new(MARGIN, top, block.width(), CONSUMERS_HEIGHT);
    consumers::draw(sketch, view, &block, area);
    let at = Point::new(area.right() + 8.0, middle);
    let hand = Hand::new(Anchor::Start, Weight::Bold, Role::Ink);
    let written = sketch.write(&labels.consumers, at, name, hand);
    let end = Point::new(width - MARGIN, middle);
    let hand = Hand::new(Anchor::End, Weight::Regular, Role::Soft);
    let done = sketch.write(&labels.done, end, done, hand);
    let from = Point::new(at.x + written + 14.0, middle);
    let to = Point::new(end.x - done - 12.0, middle);
    if to.x - from.x > 24.0 {
        lane::finished(sketch, view, from, to, DOT_RADIUS);
    }
}
