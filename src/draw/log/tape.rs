//! A partition as cells: one for each record, the newest on the right.

use crate::model::snapshot::network::{LaneSnapshot, PartitionSnapshot};
use crate::model::time::MICROS_PER_SECOND;

use super::super::lane::is_a_blur;
use super::super::palette::Role;
use super::super::scene::Motion;
use super::super::shape::{Area, Ink, Point};
use super::super::sketch::Sketch;
use super::super::target::Target;
use super::View;
use super::marks;

/// How long a new record takes to its place, in real seconds.
const SLIDE: f64 = 0.14;

/// The gap between two cells.
const GAP: f64 = 3.0;

/// Where a partition's cells are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tape {
    /// Where the cells are, one beside the other.
    area: Area,
    pitch: f64,
    /// How many there are.
    cells: u64,
    /// The offset of the first.
    first: u64,
    /// How far they have yet to go to the left.
    ahead: f64,
    /// How far the newest record has yet to come.
    newest_ahead: f64,
}

impl Tape {
    /// The cells of a partition in `area`. Some places stay free for what comes.
    pub(super) fn of(view: &View<'_>, partition: &PartitionSnapshot, area: Area, cells: u64) -> Self {
        let pitch = area.width / cells.max(1) as f64;
        let free = (cells / 6).max(1);
        let first = (partition.log_end + free).saturating_sub(cells);
        let left = 1.0 - slid(view, partition);
        let ahead = if first > 0 { left * pitch } else { 0.0 };
        let places_free = (cells + first).saturating_sub(partition.log_end) as f64;
        Self { area, pitch, cells, first, ahead, newest_ahead: left * (places_free + 1.0) * pitch }
    }

    /// Where the cell of an offset begins, when nothing moves.
    pub(super) fn x_of(&self, offset: u64) -> f64 {
        let place = offset as f64 - self.first as f64;
        (self.area.x + place * self.pitch).clamp(self.area.x, self.area.right())
    }

    /// Draws every cell.
    pub(super) fn draw(&self, sketch: &mut Sketch, partition: &PartitionSnapshot, groups: &[&LaneSnapshot]) {
        let places = self.first..self.first + self.cells;
        // What comes flies over the places that are free.
        places.clone().filter(|offset| *offset >= partition.log_end).for_each(|offset| {
            free(sketch, self.cell(offset, partition));
        });
        for offset in places.filter(|offset| *offset < partition.log_end) {
            let area = self.cell(offset, partition);
            if offset < partition.log_start {
                let gone = Area::new(area.x + area.width / 2.0 - 2.0, area.center().y - 1.0, 4.0, 2.0);
                sketch.bar(gone, Ink::solid(Role::Outline));
            } else if groups.iter().any(|lane| lane.poison_offsets().any(|poison| poison == offset)) {
                let at = area.center();
                let triangle = marks::Triangle { width: area.width + 2.0, height_max: area.height };
                marks::poison(sketch, area.inset(-2.0), at, "", triangle);
            } else {
                record(sketch, area, groups, offset);
            }
        }
    }

    /// Says where each record lies.
    #[inline(never)]
    pub(super) fn add_targets(&self, sketch: &mut Sketch, view: &View<'_>, partition: &PartitionSnapshot) {
        let topic = view.snapshot.network.topics.get(view.shown.topic);
        let mut lanes = topic.into_iter().flat_map(|topic| &topic.partitions);
        let Some(number) = lanes.position(|lane| std::ptr::eq(lane, partition)) else { return };
        let first = self.first.max(partition.log_start);
        for offset in first..(self.first + self.cells).min(partition.log_end) {
            sketch.target(self.cell(offset, partition), Target::Record { partition: number, offset });
        }
    }

    /// The middle of an offset's cell, if it is in sight.
    pub(super) fn center(&self, offset: u64, partition: &PartitionSnapshot) -> Option<Point> {
        let is_in_sight = (self.first..self.first + self.cells).contains(&offset);
        is_in_sight.then(|| self.cell(offset, partition).center())
    }

    fn cell(&self, offset: u64, partition: &PartitionSnapshot) -> Area {
        let is_newest = offset + 1 == partition.log_end;
        let ahead = match offset < partition.log_end {
            true if is_newest => self.newest_ahead.min(self.area.right() - self.x_of(offset) - self.pitch),
            true => self.ahead,
            false => 0.0,
        };
        Area::new(self.x_of(offset) + ahead, self.area.y, self.pitch - GAP, self.area.height)
    }
}

/// Which share of its way the newest record has come: all of it where nothing moves, or where the eye
/// could not follow.
fn slid(view: &View<'_>, partition: &PartitionSnapshot) -> f64 {
    let Some(newest_at) = partition.newest_at else { return 1.0 };
    if view.motion == Motion::Reduced
        || !view.is_running
        || is_a_blur(view.snapshot.producer.rate, view.speed)
    {
        return 1.0;
    }
    let age = view.snapshot.at.since(newest_at).micros() as f64 / MICROS_PER_SECOND as f64;
    (age / (SLIDE * view.speed)).clamp(0.0, 1.0)
}

/// A place for a record that has yet to come.
fn free(sketch: &mut Sketch, area: Area) {
    sketch.bar(area, Ink::solid(Role::Line));
    sketch.bar(area.inset(1.0), Ink::solid(Role::Paper));
}

/// How far a group is with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    Unread,
    InHand,
    NotCommitted,
    Done,
}

/// How far the group is with the record at `offset`. Of a group that has committed nothing there it is
/// not known to want the record.
pub(super) fn read(lane: &LaneSnapshot, offset: u64) -> Read {
    let Some(committed) = lane.committed else { return Read::Done };
    let first = lane.head;
    match offset {
        _ if offset < committed => Read::Done,
        _ if offset < first => Read::NotCommitted,
        _ if offset < first + lane.in_hand => Read::InHand,
        _ => Read::Unread,
    }
}

/// A record: for each group one part of it, from the top down.
fn record(sketch: &mut Sketch, area: Area, groups: &[&LaneSnapshot], offset: u64) {
    let states = groups.iter().map(|lane| read(lane, offset));
    let edge = match states.clone().find(|state| *state != Read::Done) {
        None => Role::Outline,
        Some(Read::Unread) => Role::WaitingEdge,
        Some(_) => Role::Consumer,
    };
    sketch.bar(area, Ink::solid(edge));
    let inside = area.inset(1.0);
    let height = inside.height / groups.len().max(1) as f64;
    if groups.is_empty() {
        sketch.bar(inside, Ink::solid(Role::Kept));
    }
    for (place, state) in states.enumerate() {
        let part = Area::new(inside.x, inside.y + place as f64 * height, inside.width, height);
        sketch.bar(part, Ink::solid(fill(state)));
        if state == Read::InHand {
            let dot = Area::new(part.center().x - 3.0, part.center().y - 3.0, 6.0, 6.0);
            sketch.bar(dot, Ink::solid(Role::Consumer));
        }
    }
}

const fn fill(state: Read) -> Role {
    match state {
        Read::Done => Role::Kept,
        Read::NotCommitted => Role::ConsumerDone,
        Read::InHand | Read::Unread => Role::Waiting,
    }
}
