//! Consumers: circles that show their progress, a compact grid where they are many.

use crate::model::snapshot::{ConsumerHealth, ConsumerSnapshot};

use super::dead_letters;
use super::lane::is_a_blur;
use super::palette::Role;
use super::queue::around;
use super::scene::{Motion, View};
use super::shape::{Area, Ink, Point, Stroke};
use super::sketch::Sketch;
use super::target::Target;

/// Beyond so many, each consumer is only busy or not.
const WITH_PROGRESS_MAX: usize = 12;

/// The height of the tallest block in wide pictures.
pub(super) const BLOCK_HEIGHT: f64 = 126.0;

/// Where the consumers stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    columns: usize,
    rows: usize,
    pitch: f64,
    radius: f64,
}

impl Block {
    /// For so many consumers in a wide picture.
    pub(super) fn wide(count: usize) -> Self {
        let (columns, pitch, radius) = match count {
            0..=3 => (1, 42.0, 19.0),
            4 => (2, 42.0, 18.0),
            5..=6 => (2, 42.0, 18.0),
            7..=9 => (3, 38.0, 16.0),
            10..=12 => (3, 31.0, 13.5),
            _ => {
                let columns = (1..).find(|columns| columns * columns >= count).unwrap_or(1);
                let pitch = 120.0 / columns as f64;
                (columns, pitch, pitch * 0.4)
            }
        };
        Self { columns, rows: count.max(1).div_ceil(columns), pitch, radius }
    }

    /// For so many consumers within a row of a narrow picture.
    pub(super) fn within(count: usize, width: f64, height: f64) -> Self {
        let count = count.max(1);
        let rows_max = if count <= WITH_PROGRESS_MAX { 2 } else { 8 };
        let best = (1..=rows_max)
            .map(|rows| {
                let columns = count.div_ceil(rows);
                (rows, columns, (width / columns as f64).min(height / rows as f64))
            })
            .max_by(|one, other| one.2.total_cmp(&other.2));
        let (rows, columns, pitch) = best.unwrap_or((1, count, height));
        Self { columns, rows, pitch: pitch.max(1.0), radius: (pitch * 0.43).clamp(0.5, 14.0) }
    }

    pub(super) fn width(&self) -> f64 {
        self.columns as f64 * self.pitch
    }

    pub(super) fn height(&self) -> f64 {
        self.rows as f64 * self.pitch
    }
}

/// Draws all consumers as `block` around the middle of `area`.
pub(super) fn draw(sketch: &mut Sketch, view: &View<'_>, block: &Block, area: Area) {
    let consumers = &view.snapshot.consumers;
    let count = consumers.count_of_queue();
    let with_progress = count <= WITH_PROGRESS_MAX
        && view.motion == Motion::Full
        && !is_a_blur(consumers.rate_each, view.speed);
    let middle = area.center();
    let (left, top) = (middle.x - block.width() / 2.0, middle.y - block.height() / 2.0);
    for index in 0..count {
        let further = index.wrapping_sub(consumers.each.len());
        let consumer = consumers.each.get(index).or_else(|| consumers.of_further_pools.get(further));
        let Some(consumer) = consumer else { return };
        let (column, row) = (index % block.columns, index / block.columns);
        let in_this_row = (count - row * block.columns).min(block.columns);
        let indent = (block.columns - in_this_row) as f64 * block.pitch / 2.0;
        let x = left + indent + (column as f64 + 0.5) * block.pitch;
        let y = top + (row as f64 + 0.5) * block.pitch;
        sketch.target(around(Point::new(x, y), block.radius), Target::AtConsumer(index));
        draw_one(sketch, consumer, Point::new(x, y), block.radius, with_progress);
    }
}

/// Busy is filled, idle is hollow, stopping is dashed. One that is not up has a sign of its own.
pub(super) fn draw_one(
    sketch: &mut Sketch,
    consumer: &ConsumerSnapshot,
    center: Point,
    radius: f64,
    with_progress: bool,
) {
    let width = if radius >= 9.0 { 2.5 } else { 1.5 };
    let is_dashed = consumer.is_stopping
        || matches!(consumer.health, ConsumerHealth::CrashLoop | ConsumerHealth::Starting);
    let dash = is_dashed.then_some((radius * 0.4).max(2.0));
    let edge = Stroke { ink: Ink::solid(Role::Consumer), width, dash };
    if consumer.health != ConsumerHealth::Up {
        sketch.dot(center, radius, Some(Ink::solid(Role::Panel)), Some(edge));
        return draw_sign(sketch, consumer.health, center, radius * 0.45, width);
    }
    let Some(work) = consumer.work else {
        return sketch.dot(center, radius, Some(Ink::solid(Role::Panel)), Some(edge));
    };
    let inner = radius - width - if consumer.is_stopping { 2.0 } else { 0.0 };
    if consumer.is_stopping {
        sketch.dot(center, radius, Some(Ink::solid(Role::Panel)), Some(edge));
        sketch.dot(center, inner.max(1.0), Some(Ink::solid(Role::Consumer)), None);
    } else {
        sketch.dot(center, radius, Some(Ink::solid(Role::Consumer)), None);
    }
    if work.is_poison {
        dead_letters::poison(sketch, center, radius * 0.8, work.attempt);
    } else if with_progress {
        let share = f64::from(work.done_millionths.min(1_000_000)) / 1_000_000.0;
        sketch.sector(center, inner.max(1.0), share, Ink::solid(Role::ConsumerDone));
    }
}

/// A cross: crashed; two bars: hangs; three dots: starts; one bar: stopped.
#[inline(never)]
fn draw_sign(sketch: &mut Sketch, health: ConsumerHealth, center: Point, arm: f64, width: f64) {
    let at = |x: f64, y: f64| Point::new(center.x + x * arm, center.y + y * arm);
    let mut line = |from: (f64, f64), to: (f64, f64), role: Role| {
        sketch.line(at(from.0, from.1), at(to.0, to.1), Stroke::solid(role, width));
    };
    match health {
        ConsumerHealth::Up => {}
        ConsumerHealth::Crashed | ConsumerHealth::CrashLoop => {
            line((-1.0, -1.0), (1.0, 1.0), Role::Lost);
            line((-1.0, 1.0), (1.0, -1.0), Role::Lost);
        }
        ConsumerHealth::Hung => {
            line((-0.5, -1.0), (-0.5, 1.0), Role::Warn);
            line((0.5, -1.0), (0.5, 1.0), Role::Warn);
        }
        ConsumerHealth::Stopped => line((-1.0, 0.0), (1.0, 0.0), Role::Soft),
        ConsumerHealth::Starting => {
            for x in [-1.0, 0.0, 1.0] {
                sketch.dot(at(x, 0.0), (arm * 0.3).max(0.5), Some(Ink::solid(Role::Consumer)), None);
            }
        }
    }
}
