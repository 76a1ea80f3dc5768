//! The picture of a log for narrow places: each partition has its words above it.

use crate::model::snapshot::network::LaneSnapshot;

use super::super::measure::Weight;
use super::super::palette::Role;
use super::super::scale::to_u64;
use super::super::shape::{Anchor, Area, Point};
use super::super::sketch::{HALF_LINE, Hand, Sketch};
use super::labels::LaneWords;
use super::lane::LaneBar;
use super::shown::{Form, Shown, standing};
use super::tape::Tape;
use super::{View, aside, marks, strip, wide};

/// The height of the tallest picture in CSS pixels.
pub(super) const HEIGHT_MAX: f64 = 178.0;

/// So many partitions are named above the strip.
pub(super) const WORST: usize = 3;

const MARGIN: f64 = 2.0;
const TITLE_ROW: f64 = 10.0;
const TOP: f64 = 22.0;
const PITCH: f64 = 14.0;
const BAR_ROW: f64 = 20.0;
/// A row with a line for the committed offset.
const FULL_ROW: f64 = 52.0;
const ASIDE_HEIGHT: f64 = 28.0;
/// A flag needs this much below the cells.
const FLAG_LEAST: f64 = 8.0;
const TRIANGLE: marks::Triangle = marks::Triangle { width: 18.0, height_max: 24.0 };
const SMALL: marks::Triangle = marks::Triangle { width: 14.0, height_max: 13.0 };

/// How many cells fit side by side.
pub(super) fn cells(width: f64) -> u64 {
    to_u64(((width - 2.0 * MARGIN) / PITCH).floor()).max(1)
}

/// The height of the picture in CSS pixels.
pub(super) fn height(shown: &Shown) -> f64 {
    match shown.form {
        Form::Rows => TOP + shown.lanes.len().max(1) as f64 * row_height(shown) + aside_height(shown),
        _ => HEIGHT_MAX,
    }
}

fn row_height(shown: &Shown) -> f64 {
    ((HEIGHT_MAX - TOP - aside_height(shown)) / shown.lanes.len().max(1) as f64).min(FULL_ROW)
}

/// The boxes of what failed take their room from the partitions where these are many.
const fn aside_height(shown: &Shown) -> f64 {
    if shown.aside.dead_letters || shown.aside.retries { ASIDE_HEIGHT } else { 0.0 }
}

/// Draws the whole picture.
pub(super) fn draw(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    write_title(sketch, view, width);
    let height = if view.shown.form == Form::Rows { row_height(view.shown) } else { BAR_ROW };
    for (place, (lane, words)) in view.shown.lanes.iter().zip(&view.labels.lanes).enumerate() {
        let row = Area::new(MARGIN, TOP + place as f64 * height, width - 2.0 * MARGIN, height);
        match view.shown.form {
            Form::Rows => draw_row(sketch, view, *lane, words, row),
            _ => wide::draw_thin(sketch, view, *lane, words, row),
        }
    }
    if view.shown.form != Form::Rows {
        let y = TOP + view.shown.lanes.len() as f64 * BAR_ROW + 2.0;
        let bottom = HEIGHT_MAX - aside_height(view.shown);
        strip::draw(sketch, view, Area::new(MARGIN, y, width - 2.0 * MARGIN, bottom - y));
    }
    if aside_height(view.shown) > 0.0 {
        let top = self::height(view.shown) - ASIDE_HEIGHT + 3.0;
        let area = Area::new(MARGIN + 1.0, top, width - 2.0 * MARGIN - 2.0, ASIDE_HEIGHT - 4.0);
        aside::draw(sketch, view, area, None);
    }
}

fn write_title(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    let labels = view.labels;
    let at = Point::new(MARGIN, TITLE_ROW);
    let room = width - 2.0 * MARGIN;
    let bold = Hand::new(Anchor::Start, Weight::Bold, Role::Ink);
    let left = sketch.write(&labels.topic, at, room * 0.6, bold);
    let end = Point::new(width - MARGIN, TITLE_ROW);
    let (words, weight, role) = match labels.broker_trouble.as_str() {
        "" => (&labels.groups_short, Weight::Regular, Role::Soft),
        _ => (&labels.broker_trouble, Weight::Bold, Role::Lost),
    };
    sketch.write(words, end, room - left - 10.0, Hand::new(Anchor::End, weight, role));
}

/// A partition: its words, its cells or its bar, its flags.
fn draw_row(sketch: &mut Sketch, view: &View<'_>, lane: usize, words: &LaneWords, row: Area) {
    let Some(partition) = view.shown.partition(view.snapshot, lane) else { return };
    let groups: Vec<&LaneSnapshot> = view.shown.of_lane(view.snapshot, lane).collect();
    write_words(sketch, &groups, words, row);
    let has_flag_row = row.height >= FULL_ROW - 2.0;
    let cell_height = if has_flag_row { 14.0 } else { 11.0 };
    let area = Area::new(row.x, row.y + 17.0, row.width, cell_height);
    let triangle = if has_flag_row { TRIANGLE } else { SMALL };
    let record = match view.shown.top {
        None => {
            let count = cells(row.width + 2.0 * MARGIN);
            let tape = Tape::of(view, partition, Area { width: count as f64 * PITCH, ..area }, count);
            tape.draw(sketch, partition, &groups);
            if sketch.targets.is_some() {
                tape.add_targets(sketch, view, partition);
            }
            for (lane, words) in groups.iter().zip(&words.groups) {
                let center = tape.center(lane.head, partition).filter(|_| lane.head_fails);
                center.into_iter().for_each(|at| marks::poison(sketch, area, at, &words.attempts, triangle));
            }
            Place::OnTape(tape)
        }
        Some(top) => {
            let bar = LaneBar::of(partition, area, top);
            bar.draw(sketch, partition, &groups);
            let own = groups.iter().zip(&words.groups);
            own.for_each(|(lane, words)| bar.poison(sketch, lane, &words.attempts, triangle));
            Place::OnBar(bar)
        }
    };
    let length = if has_flag_row { 13.0 } else { row.height - 17.0 - cell_height - 1.0 };
    for (place, lane) in groups.iter().enumerate().filter(|_| length >= FLAG_LEAST) {
        let Some(x) = lane.committed.map(|committed| record.flag_x(committed, area)) else { continue };
        marks::flag(sketch, place, x, area.bottom() + 1.0, area.bottom() + 1.0 + length);
    }
    if let ([lane], [own], true) = (groups.as_slice(), words.groups.as_slice(), has_flag_row) {
        let flag = lane.committed.map(|committed| record.flag_x(committed, area));
        write_offsets(sketch, &own.committed, flag, &words.end, record.x_of(partition.log_end), area);
    }
}

/// Where records are in a row.
enum Place {
    OnTape(Tape),
    OnBar(LaneBar),
}

impl Place {
    fn x_of(&self, offset: u64) -> f64 {
        match self {
            Self::OnTape(tape) => tape.x_of(offset),
            Self::OnBar(bar) => bar.x_of(offset),
        }
    }

    /// Where the pole of a flag is, so that the flag is inside.
    fn flag_x(&self, offset: u64, area: Area) -> f64 {
        (self.x_of(offset) - 2.0).clamp(area.x, area.right() - marks::FLAG_ROOM)
    }
}

/// The partition's name, and on the right its numbers.
fn write_words(sketch: &mut Sketch, groups: &[&LaneSnapshot], words: &LaneWords, row: Area) {
    let y = row.y + HALF_LINE;
    let bold = Hand::new(Anchor::Start, Weight::Bold, Role::Ink);
    let name = sketch.write(&words.name, Point::new(row.x, y), row.width * 0.35, bold);
    let mut right = row.right();
    let share = (row.width - name - 10.0) / groups.len().max(1) as f64 - 8.0;
    let has_flags = groups.len() > 1;
    for (place, (lane, words)) in groups.iter().zip(&words.groups).enumerate().rev() {
        let is_well = standing(lane).is_well();
        let (weight, role) = if is_well { (Weight::Regular, Role::Soft) } else { (Weight::Bold, Role::Lost) };
        let hand = Hand::new(Anchor::End, weight, role);
        let room = share - if has_flags { marks::FLAG_ROOM } else { 0.0 };
        let line = match sketch.width_of(&words.line, weight) <= room {
            true => &words.line,
            false if sketch.fits_small(&words.lag, weight, room) => &words.lag,
            false => &words.lag_alone,
        };
        right -= sketch.write(line, Point::new(right, y), room, hand);
        if has_flags {
            right -= marks::FLAG_ROOM;
            marks::flag(sketch, place, right, y - 5.0, y + 4.0);
            right -= 8.0;
        }
    }
}

/// Below the cells of one group: the committed offset beside its flag, and on the right the log end.
fn write_offsets(
    sketch: &mut Sketch,
    committed: &str,
    flag: Option<f64>,
    log_end: &str,
    end: f64,
    area: Area,
) {
    let Some(x) = flag else { return };
    let y = area.bottom() + 11.0;
    let taken = marks::beside_flag(sketch, committed, Point::new(x, y), area);
    let width = sketch.width_of(log_end, Weight::Regular);
    let right = end.max(taken + 8.0 + width).min(area.right());
    if right - width >= taken + 2.0 {
        sketch.write(
            log_end,
            Point::new(right, y),
            width,
            Hand::new(Anchor::End, Weight::Regular, Role::Soft),
        );
    }
}
