//! The picture from left to right: producer, queue, consumers, done.

use crate::model::snapshot::Snapshot;

use super::consumers::{self, BLOCK_HEIGHT, Block};
use super::dead_letters;
use super::grid::Head;
use super::lane::{self, Lane, LostAt};
use super::measure::Weight;
use super::palette::Role;
use super::queue;
use super::scene::View;
use super::shape::{Anchor, Area, Point};
use super::sketch::{HALF_LINE, Hand, Sketch};

/// Everything lies about this height.
const MIDDLE: f64 = 88.0;
const MARGIN: f64 = 6.0;
const PRODUCER_HEIGHT: f64 = 64.0;
const QUEUE_HEIGHT: f64 = 84.0;
const GAP: f64 = 6.0;
const DOT_RADIUS: f64 = 7.5;
/// Where the box of what the consumers share is.
const DATABASE_TOP: f64 = 130.0;
const DATABASE_HEIGHT: f64 = 26.0;
/// Where the box for dead letters is.
const BOX_TOP: f64 = 166.0;
const BOX_HEIGHT: f64 = 40.0;
/// How far lost messages are seen to go.
const TRAIL: f64 = 52.0;

/// Where the parts are.
#[derive(Clone, Copy, Debug)]
struct Layout {
    producer: Area,
    queue: Area,
    consumers: Area,
    block: Block,
    done: Area,
}

impl Layout {
    fn of(snapshot: &Snapshot, width: f64) -> Self {
        let block = Block::wide(snapshot.consumers.count_of_queue());
        let producer_width = (width * 0.121).clamp(producer_width_least(snapshot), 128.0);
        let lane = (width * 0.136).clamp(58.0, 160.0);
        let to_consumers = (width * 0.06).clamp(30.0, 60.0);
        let done_width = (width * 0.165).clamp(84.0, 190.0);
        let producer = Area::new(MARGIN, MIDDLE - PRODUCER_HEIGHT / 2.0, producer_width, PRODUCER_HEIGHT);
        let done_from = width - MARGIN - done_width;
        let consumers =
            Area::new(done_from - block.width(), MIDDLE - BLOCK_HEIGHT / 2.0, block.width(), BLOCK_HEIGHT);
        let left = producer.right() + lane;
        let queue =
            Area::new(left, MIDDLE - QUEUE_HEIGHT / 2.0, consumers.x - to_consumers - left, QUEUE_HEIGHT);
        let done = Area::new(done_from, MIDDLE - 20.0, done_width, 40.0);
        Self { producer, queue, consumers, block, done }
    }
}

/// Ordinary rates need less room than those of many digits. It depends on nothing but the rate, so
/// that words never decide where the queue is.
fn producer_width_least(snapshot: &Snapshot) -> f64 {
    let thousandths = snapshot.producer.rate.thousandths();
    if thousandths < 1_000_000 && thousandths.is_multiple_of(100) { 108.0 } else { 124.0 }
}

/// Where messages lie in a wide picture's queue.
pub(super) fn queue_room(snapshot: &Snapshot, width: f64) -> Area {
    queue::room(Layout::of(snapshot, width).queue)
}

/// Draws the whole picture.
pub(super) fn draw(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    let layout = Layout::of(view.snapshot, width);
    draw_entrance(sketch, view, &layout);
    let head = queue::draw(sketch, view, layout.queue, Head::Right);
    write_above(sketch, view, &layout);
    write_below(sketch, view, &layout, head);
    draw_exit(sketch, view, &layout);
    draw_database(sketch, view, &layout);
    if dead_letters::are_shown(view.snapshot) {
        draw_dead_letters(sketch, view, &layout);
    }
}

fn draw_entrance(sketch: &mut Sketch, view: &View<'_>, layout: &Layout) {
    let Layout { producer, queue, .. } = layout;
    let hidden = DOT_RADIUS + 1.0;
    let from = Point::new(producer.right() - hidden, MIDDLE);
    let door = Point::new(queue.x, MIDDLE);
    let points = vec![from, door];
    let lane = Lane { points, spacing: 28.0, radius: DOT_RADIUS, hidden, standing_max: 16.0 };
    lane::arrivals(sketch, view, &lane);
    sketch.boxed(*producer, 12.0, Role::Producer, None);
    let room = producer.width - 12.0;
    let Point { x, y } = producer.center();
    let name = Hand::new(Anchor::Middle, Weight::Bold, Role::OnProducer);
    sketch.write(&view.labels.producer_name, Point::new(x, y - 10.0), room, name);
    let rate = Hand::new(Anchor::Middle, Weight::Regular, Role::OnProducer);
    sketch.write(&view.labels.producer_rate, Point::new(x, y + 10.0), room, rate);
    let room = door.x - 10.0 - MARGIN;
    let blocked = Hand::new(Anchor::End, Weight::Bold, Role::Warn);
    let above = Point::new(door.x - 10.0, producer.y - 4.0 - HALF_LINE);
    sketch.write(&view.labels.blocked, above, room, blocked);
    let falling = door.x - 15.0;
    let (from, to) = (Point::new(falling, MIDDLE + 13.0), Point::new(falling, MIDDLE + 42.0));
    lane::lost(sketch, view, LostAt::Entrance, from, to);
    let below = Point::new(door.x - 8.0, row_below(queue) + 3.0);
    lane::lost_count(sketch, &view.labels.lost_at_entrance, below, room);
}

fn row_below(queue: &Area) -> f64 {
    queue.bottom() + 6.0 + HALF_LINE
}

/// Above the queue: how many wait, and where that is heading; in two rows where one is too short.
/// One word about growth is worth more than the details before it.
fn write_above(sketch: &mut Sketch, view: &View<'_>, layout: &Layout) {
    let Layout { queue, consumers, .. } = layout;
    let (labels, left) = (view.labels, queue.x + 2.0);
    let row = queue.y - 5.0 - HALF_LINE;
    let upper_row = row - 2.0 * HALF_LINE - 2.0;
    let room = queue.width - 2.0;
    let count = sketch.width_of(&labels.waiting, Weight::Bold);
    let full = count + sketch.width_of(&labels.waiting_detail, Weight::Regular);
    let short = count + sketch.width_of(&labels.waiting_detail_short, Weight::Regular);
    let growth = queue::growth_width(sketch, view);
    let beside = if growth > 0.0 { growth + 16.0 } else { 0.0 };
    let is_short = full > room || (full + beside > room && growth < room / 4.0);
    let (used, detail) =
        if is_short { (short, &labels.waiting_detail_short) } else { (full, &labels.waiting_detail) };
    queue::count(sketch, view, detail, Point::new(left, row), room);
    let half_name = sketch.width_of(&labels.consumers, Weight::Bold) / 2.0;
    let upper_room = (consumers.center().x - half_name - 12.0 - left).max(room);
    let alarm = queue::alarm(sketch, view, Point::new(left, upper_row), upper_room);
    if used + beside <= room {
        return queue::growth(sketch, view, Point::new(queue.right() - 2.0, row), growth);
    }
    let from = left + if alarm > 0.0 { alarm + 2.0 * GAP } else { 0.0 };
    let end = (queue.right() - 2.0).max((from + growth).min(left + upper_room));
    queue::growth(sketch, view, Point::new(end, upper_row), end - from);
}

/// Below the queue: the scale's end on the left, losses and the head on the right. Messages pushed
/// out of the head go to the left, between the head and their number.
fn write_below(sketch: &mut Sketch, view: &View<'_>, layout: &Layout, head: Option<Point>) {
    let Layout { queue, .. } = layout;
    let row = row_below(queue);
    let mut left = queue.x + 2.0;
    let mut right = queue.right();
    if let Some(head) = head {
        right = queue::mark_next(sketch, view, head, *queue).0 - 2.0 * GAP;
    }
    if super::scene::scale_top(view.snapshot, layout_width(layout)).is_some() {
        let hand = Hand::new(Anchor::Start, Weight::Regular, Role::Soft);
        left += sketch.write(&view.labels.scale_top, Point::new(left, row), queue.width / 2.0, hand) + GAP;
    }
    let count = lane::lost_count_width(sketch, &view.labels.lost_at_head);
    let trail = (right - left - count - 2.0 * GAP).clamp(0.0, TRAIL);
    if trail >= lane::TRAIL_LEAST {
        let from = Point::new(right - lane::LOST_RADIUS, row);
        let to = Point::new(right - trail + lane::LOST_RADIUS, row);
        lane::lost(sketch, view, LostAt::Head, from, to);
        right -= trail + 2.0 * GAP;
    }
    lane::lost_count(sketch, &view.labels.lost_at_head, Point::new(right, row), right - left);
}

fn layout_width(layout: &Layout) -> f64 {
    layout.done.right() + MARGIN
}

fn draw_exit(sketch: &mut Sketch, view: &View<'_>, layout: &Layout) {
    let Layout { queue, consumers, block, done, .. } = layout;
    let from = Point::new(queue.right() + GAP, MIDDLE);
    sketch.arrow(from, Point::new(consumers.x - GAP, MIDDLE), Role::Ink, 2.0);
    consumers::draw(sketch, view, block, *consumers);
    let top = MIDDLE - block.height() / 2.0;
    let center = consumers.center().x;
    let half_room = (center - queue.right() - GAP).min(done.right() - center);
    let hand = Hand::new(Anchor::Middle, Weight::Bold, Role::Ink);
    let above = Point::new(center, top - 2.0 - HALF_LINE);
    sketch.write(&view.labels.consumers, above, 2.0 * half_room, hand);
    let arrow_end = done.x + (done.width * 0.3).min(46.0);
    sketch.arrow(Point::new(done.x + GAP, MIDDLE), Point::new(arrow_end, MIDDLE), Role::Ink, 2.0);
    let (from, to) = (Point::new(arrow_end + 14.0, MIDDLE), Point::new(done.right() - DOT_RADIUS, MIDDLE));
    let radius = if to.x - from.x < 60.0 { DOT_RADIUS - 2.0 } else { DOT_RADIUS };
    lane::finished(sketch, view, from, to, radius);
    let hand = Hand::new(Anchor::End, Weight::Regular, Role::Soft);
    let below = Point::new(done.right() - 1.0, MIDDLE + 14.0 + HALF_LINE + 4.0);
    sketch.write(&view.labels.done, below, done.width - GAP, hand);
}

/// What the consumers share, below what is done.
fn draw_database(sketch: &mut Sketch, view: &View<'_>, layout: &Layout) {
    let words = &view.labels.database;
    if words.is_empty() {
        return;
    }
    let room = layout.done.width - 2.0 * GAP;
    let width = (sketch.width_of(words, Weight::Regular) + 16.0).min(room);
    let area = Area::new(layout.done.right() - width, DATABASE_TOP, width, DATABASE_HEIGHT);
    sketch.boxed(area, 4.0, Role::Panel, Some((Role::Warn, 2.0)));
    let hand = Hand::new(Anchor::Middle, Weight::Regular, Role::Ink);
    sketch.write(words, area.center(), width - 10.0, hand);
}

/// The box for dead letters below the queue, and the way that leads there from the consumers.
fn draw_dead_letters(sketch: &mut Sketch, view: &View<'_>, layout: &Layout) {
    let Layout { queue, consumers, block, .. } = layout;
    let width = queue.width.min(214.0);
    let area = Area::new(queue.x, BOX_TOP, width, BOX_HEIGHT);
    dead_letters::draw_box(sketch, view, area);
    let from = Point::new(consumers.center().x, MIDDLE + block.height() / 2.0 + 3.0);
    dead_letters::draw_way(sketch, view, from, Point::new(area.right() + GAP, area.center().y));
}
