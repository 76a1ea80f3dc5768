//! The picture of a log from left to right: partitions below each other, who reads them on the right.

use crate::model::snapshot::network::{LaneSnapshot, PartitionSnapshot};

use super::super::measure::Weight;
use super::super::palette::Role;
use super::super::scale::to_u64;
use super::super::shape::{Anchor, Area, Ink, Point, Stroke};
use super::super::sketch::{Hand, Sketch};
use super::labels::{LaneGroupWords, LaneWords};
use super::lane::LaneBar;
use super::shown::{Aside, Form, Shown, standing};
use super::tape::Tape;
use super::{View, aside, marks, strip};

const TRIANGLE: marks::Triangle = marks::Triangle { width: 22.0, height_max: 28.0 };
const SMALL: marks::Triangle = marks::Triangle { width: 14.0, height_max: 14.0 };

/// From so wide on thin bars stand in two columns.
pub(super) const BARS_FROM: f64 = 680.0;

/// So many partitions are named above the strip.
pub(super) const WORST: usize = 4;

const MARGIN: f64 = 6.0;
const TITLE_ROW: f64 = 16.0;
const TOP: f64 = 30.0;
const NAME_WIDTH: f64 = 100.0;
const READER_RADIUS: f64 = 14.0;
const CELL_HEIGHT: f64 = 18.0;
/// From one cell to the next.
const PITCH: f64 = 19.0;
/// Above the cells of a partition: the log end.
const ABOVE: f64 = 20.0;
/// A row of flags below them.
const FLAG_ROW: f64 = 18.0;
const BETWEEN: f64 = 10.0;
const BAR_ROW: f64 = 22.0;
const BAR_HEIGHT: f64 = 12.0;
const STRIP_HEIGHT: f64 = 96.0;
/// The boxes of what failed.
const ASIDE_HEIGHT: f64 = 34.0;

/// How many cells fit side by side.
pub(super) fn cells(width: f64) -> u64 {
    to_u64((lane_width(width) / PITCH).floor()).max(1)
}

fn lane_width(width: f64) -> f64 {
    width - 2.0 * MARGIN - NAME_WIDTH - reader_width(width)
}

/// How wide the readers' column is.
fn reader_width(width: f64) -> f64 {
    (width * 0.235).clamp(172.0, 224.0)
}

/// The height of the picture in CSS pixels.
pub(super) fn height(shown: &Shown) -> f64 {
    lanes_height(shown) + if is_there(shown.aside) { ASIDE_HEIGHT + BETWEEN } else { 0.0 }
}

const fn is_there(aside: Aside) -> bool {
    aside.dead_letters || aside.retries
}

fn lanes_height(shown: &Shown) -> f64 {
    let count = shown.lanes.len().max(1);
    match shown.form {
        Form::Rows => TOP + count as f64 * row_height(shown),
        Form::Bars => TOP + count.div_ceil(columns(shown)) as f64 * BAR_ROW + MARGIN,
        Form::Strip => TOP + count as f64 * BAR_ROW + BETWEEN + STRIP_HEIGHT,
    }
}

fn row_height(shown: &Shown) -> f64 {
    ABOVE + CELL_HEIGHT + FLAG_ROW * shown.groups.len().max(1) as f64 + BETWEEN
}

/// Half of sixteen fit below each other at any width.
const fn columns(shown: &Shown) -> usize {
    if shown.lanes.len() > 8 { 2 } else { 1 }
}

/// Draws the whole picture.
pub(super) fn draw(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    write_title(sketch, view, width);
    if is_there(view.shown.aside) {
        let bottom = lanes_height(view.shown);
        let is_rows = view.shown.form == Form::Rows;
        let left = if is_rows { MARGIN + NAME_WIDTH } else { MARGIN };
        let readers = width - MARGIN - reader_width(width) + 14.0 + READER_RADIUS;
        let area = Area::new(left, bottom, readers - left - 120.0, ASIDE_HEIGHT);
        let from = is_rows.then_some(Point::new(readers, bottom - BETWEEN));
        aside::draw(sketch, view, area, from);
    }
    match view.shown.form {
        Form::Rows => draw_rows(sketch, view, width),
        Form::Bars => draw_bars(sketch, view, width),
        Form::Strip => {
            draw_bars(sketch, view, width);
            let y = TOP + view.shown.lanes.len() as f64 * BAR_ROW + BETWEEN;
            strip::draw(sketch, view, Area::new(MARGIN, y, width - 2.0 * MARGIN, STRIP_HEIGHT));
        }
    }
}

/// The topic and its groups, what is wrong with the broker, and on the right the scale of the bars.
fn write_title(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    let labels = view.labels;
    let end = Hand::new(Anchor::End, Weight::Regular, Role::Soft);
    let left = if view.shown.form == Form::Rows { MARGIN + NAME_WIDTH } else { MARGIN };
    let room = width - MARGIN - left;
    let mut right = width - MARGIN;
    right -= sketch.write(&labels.scale, Point::new(right, TITLE_ROW), room * 0.4, end);
    if !labels.broker_trouble.is_empty() {
        let lost = Hand::new(Anchor::End, Weight::Bold, Role::Lost);
        right -= 12.0
            + sketch.write(&labels.broker_trouble, Point::new(right - 12.0, TITLE_ROW), room * 0.3, lost);
    }
    let bold = Hand::new(Anchor::Start, Weight::Bold, Role::Ink);
    let soft = Hand::new(Anchor::Start, Weight::Regular, Role::Soft);
    let mut x = left + sketch.write(&labels.topic, Point::new(left, TITLE_ROW), (right - left) / 2.0, bold);
    for detail in [&labels.topic_detail, &labels.groups_detail] {
        x += sketch.width_of(" ", Weight::Regular);
        x += sketch.write(detail.trim_start(), Point::new(x, TITLE_ROW), (right - x - 12.0).max(0.0), soft);
    }
}

fn draw_rows(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    let rows = view.shown.lanes.iter().zip(&view.labels.lanes).enumerate();
    for (place, (lane, words)) in rows {
        let y = TOP + place as f64 * row_height(view.shown) + ABOVE;
        let area = Area::new(MARGIN + NAME_WIDTH, y, lane_width(width), CELL_HEIGHT);
        if let Some(partition) = view.shown.partition(view.snapshot, *lane) {
            let groups: Vec<&LaneSnapshot> = view.shown.of_lane(view.snapshot, *lane).collect();
            let row = Row { partition, groups: &groups, words, area, right: width - MARGIN };
            row.draw(sketch, view);
        }
    }
}

/// A partition in full.
struct Row<'a> {
    partition: &'a PartitionSnapshot,
    groups: &'a [&'a LaneSnapshot],
    words: &'a LaneWords,
    /// Where its cells or its bar are.
    area: Area,
    /// Where the words about readers end.
    right: f64,
}

impl Row<'_> {
    fn draw(&self, sketch: &mut Sketch, view: &View<'_>) {
        let name = Hand::new(Anchor::Start, Weight::Bold, Role::Ink);
        let at = Point::new(MARGIN, self.area.center().y);
        sketch.write(&self.words.name, at, NAME_WIDTH - 8.0, name);
        match view.shown.top {
            None => self.draw_tape(sketch, view),
            Some(top) => self.draw_bar(sketch, top),
        }
        for (place, (lane, words)) in self.groups.iter().zip(&self.words.groups).enumerate() {
            self.draw_reader(sketch, view, place, lane, words);
        }
    }

    fn draw_tape(&self, sketch: &mut Sketch, view: &View<'_>) {
        let cells = to_u64((self.area.width / PITCH).floor()).max(1);
        let area = Area { width: cells as f64 * PITCH, ..self.area };
        let tape = Tape::of(view, self.partition, area, cells);
        tape.draw(sketch, self.partition, self.groups);
        if sketch.targets.is_some() {
            tape.add_targets(sketch, view, self.partition);
        }
        for (lane, words) in self.groups.iter().zip(&self.words.groups) {
            let center = tape.center(lane.head, self.partition).filter(|_| lane.head_fails);
            center
                .into_iter()
                .for_each(|center| marks::poison(sketch, area, center, &words.attempts, TRIANGLE));
        }
        self.write_ends(sketch, tape.x_of(self.partition.log_start), tape.x_of(self.partition.log_end) - 3.0);
        self.draw_flags(sketch, |offset| tape.x_of(offset));
    }

    fn draw_bar(&self, sketch: &mut Sketch, top: u64) {
        let bar = LaneBar::of(self.partition, self.area, top);
        bar.draw(sketch, self.partition, self.groups);
        for (lane, words) in self.groups.iter().zip(&self.words.groups) {
            bar.poison(sketch, lane, &words.attempts, TRIANGLE);
        }
        self.write_ends(sketch, bar.x_of(self.partition.log_start), self.area.right());
        self.draw_flags(sketch, |offset| bar.x_of(offset));
    }

    /// Above the cells: where the log ends and, once something was deleted, where it starts.
    fn write_ends(&self, sketch: &mut Sketch, start: f64, end: f64) {
        let row = self.area.y - 9.0;
        let hand = Hand::new(Anchor::End, Weight::Regular, Role::Soft);
        let wanted = sketch.width_of(&self.words.end, Weight::Regular);
        let end = end.max(self.area.x + wanted).min(self.area.right());
        let written = sketch.write(&self.words.end, Point::new(end, row), self.area.width / 2.0, hand);
        if self.words.start.is_empty() {
            return;
        }
        if start <= self.area.x {
            return;
        }
        sketch.bar(Area::new(start - 2.0, self.area.y - 4.0, 2.0, CELL_HEIGHT + 8.0), Ink::solid(Role::Ink));
        let room = end - written - 10.0 - start;
        if sketch.width_of(&self.words.start, Weight::Regular) <= room {
            let hand = Hand::new(Anchor::Start, Weight::Regular, Role::Soft);
            sketch.write(&self.words.start, Point::new(start - 2.0, row), room, hand);
        }
    }

    /// Below the cells: for each group a flag at what it has committed, each on a row of its own. The
    /// words beside one keep out of the way of the longer poles.
    fn draw_flags(&self, sketch: &mut Sketch, x_of: impl Fn(u64) -> f64) {
        let left = self.area.x - 2.0;
        let pole = |lane: &LaneSnapshot| lane.committed.map(|committed| (x_of(committed) - 2.0).max(left));
        for (place, (lane, words)) in self.groups.iter().zip(&self.words.groups).enumerate() {
            let Some(x) = pole(lane) else { continue };
            let from = self.area.bottom() + 1.0;
            let to = from + FLAG_ROW * (place as f64 + 1.0) - 2.0;
            marks::flag(sketch, place, x, from, to);
            let longer = self.groups.iter().skip(place + 1).filter_map(|lane| pole(lane));
            let right = longer.filter(|other| *other > x).fold(self.area.right(), f64::min);
            let within = Area { width: right - self.area.x, ..self.area };
            marks::beside_flag(sketch, &words.committed, Point::new(x, to - 4.0), within);
        }
    }

    /// On the right: who reads it, and how far behind. One group has two lines, two have one each.
    fn draw_reader(
        &self,
        sketch: &mut Sketch,
        view: &View<'_>,
        place: usize,
        lane: &LaneSnapshot,
        words: &LaneGroupWords,
    ) {
        let is_alone = self.groups.len() == 1;
        let radius = if is_alone { READER_RADIUS } else { 8.0 };
        let x = self.area.right() + 14.0 + READER_RADIUS;
        let y =
            if is_alone { self.area.center().y } else { self.area.center().y - 11.0 + 22.0 * place as f64 };
        let Some(group) = view.shown.groups.get(place) else { return };
        if lane.reader.is_some() {
            let from = Point::new(self.area.right(), y);
            sketch.line(from, Point::new(x - radius, y), Stroke::solid(Role::Ink, 2.0));
            marks::reader(sketch, view, *group, lane, Point::new(x, y), radius);
        } else {
            marks::no_reader(sketch, Point::new(x, y), radius);
        }
        let is_well = standing(lane).is_well();
        let (weight, role) = if is_well { (Weight::Regular, Role::Soft) } else { (Weight::Bold, Role::Lost) };
        let left = x + radius + 8.0;
        let room = self.right - left;
        if is_alone {
            let hand = Hand::new(Anchor::Start, Weight::Regular, Role::Ink);
            sketch.write(&words.reader, Point::new(left, y - 9.0), room, hand);
            let hand = Hand::new(Anchor::Start, weight, role);
            let fits = sketch.width_of(&words.lag, weight) <= room;
            let (second, third) =
                if fits { (&words.lag, "") } else { (&words.lag_alone, words.trouble.as_str()) };
            sketch.write(second, Point::new(left, y + 9.0), room, hand);
            sketch.write(third, Point::new(left, y + 27.0), room, hand);
        } else {
            let fits = sketch.fits_small(&words.line, weight, room);
            let line = if fits { &words.line } else { &words.line_short };
            sketch.write(line, Point::new(left, y), room, Hand::new(Anchor::Start, weight, role));
        }
    }
}

/// Thin bars, in one column or two.
fn draw_bars(sketch: &mut Sketch, view: &View<'_>, width: f64) {
    let columns = if view.shown.form == Form::Bars { columns(view.shown) } else { 1 };
    let rows = view.shown.lanes.len().div_ceil(columns);
    let column = (width - 2.0 * MARGIN - 20.0 * (columns as f64 - 1.0)) / columns as f64;
    for (place, (lane, words)) in view.shown.lanes.iter().zip(&view.labels.lanes).enumerate() {
        let x = MARGIN + (place / rows) as f64 * (column + 20.0);
        let y = TOP + (place % rows) as f64 * BAR_ROW;
        draw_thin(sketch, view, *lane, words, Area::new(x, y, column, BAR_ROW));
    }
}

/// A partition in one line: its name, its bar, its numbers.
pub(super) fn draw_thin(sketch: &mut Sketch, view: &View<'_>, lane: usize, words: &LaneWords, row: Area) {
    let Some(partition) = view.shown.partition(view.snapshot, lane) else { return };
    let groups: Vec<&LaneSnapshot> = view.shown.of_lane(view.snapshot, lane).collect();
    let middle = row.center().y;
    let name = Hand::new(Anchor::Start, Weight::Bold, Role::Ink);
    let name_width = NAME_WIDTH.min(row.width * 0.33);
    sketch.write(&words.name, Point::new(row.x, middle), name_width - 8.0, name);
    let words_width = (row.width * 0.45).min(220.0);
    let bar_area = Area::new(
        row.x + name_width,
        middle - BAR_HEIGHT / 2.0,
        row.width - name_width - words_width - 8.0,
        BAR_HEIGHT,
    );
    let bar = LaneBar::of(partition, bar_area, view.shown.top.unwrap_or_default());
    bar.draw(sketch, partition, &groups);
    groups.iter().for_each(|lane| bar.poison(sketch, lane, "", SMALL));
    let numbers = groups.iter().zip(&words.groups).max_by_key(|(lane, _)| lane.lag);
    if let Some((lane, words)) = numbers {
        let is_well = standing(lane).is_well();
        let (weight, role) = if is_well { (Weight::Regular, Role::Soft) } else { (Weight::Bold, Role::Lost) };
        let at = Point::new(bar_area.right() + 8.0, middle);
        let line = match sketch.width_of(&words.line, weight) <= words_width {
            true => &words.line,
            false if sketch.fits_small(&words.lag, weight, words_width) => &words.lag,
            false => &words.lag_alone,
        };
        sketch.write(line, at, words_width, Hand::new(Anchor::Start, weight, role));
    }
}
