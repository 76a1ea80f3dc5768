//! A partition as a bar whose whole length stands for a round number of records.

use crate::model::snapshot::network::{LaneSnapshot, PartitionSnapshot};

use super::super::palette::Role;
use super::super::shape::{Area, Ink, Point};
use super::super::sketch::Sketch;
use super::marks;

/// The bar of a partition: its log end is on the right.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneBar {
    area: Area,
    top: u64,
    log_end: u64,
}

impl LaneBar {
    pub(super) const fn of(partition: &PartitionSnapshot, area: Area, top: u64) -> Self {
        Self { area, top, log_end: partition.log_end }
    }

    /// Where an offset is; what lies before the bar is at its beginning.
    pub(super) fn x_of(&self, offset: u64) -> f64 {
        let behind = self.log_end.saturating_sub(offset) as f64 / self.top.max(1) as f64;
        self.area.right() - self.area.width * behind.min(1.0)
    }

    /// Draws what is kept and read, and for each group what it has yet to read, from the top down.
    pub(super) fn draw(&self, sketch: &mut Sketch, partition: &PartitionSnapshot, groups: &[&LaneSnapshot]) {
        sketch.bar(self.area, Ink::solid(Role::Outline));
        let inside = self.area.inset(1.0);
        sketch.bar(inside, Ink::solid(Role::Paper));
        let start = self.x_of(partition.log_start).max(inside.x);
        sketch.bar(Area::new(start, inside.y, inside.right() - start, inside.height), Ink::solid(Role::Kept));
        let height = inside.height / groups.len().max(1) as f64;
        for (place, lane) in groups.iter().enumerate() {
            let from =
                self.x_of(lane.committed.unwrap_or(self.log_end).max(partition.log_start)).max(inside.x);
            let least = if lane.lag > 0 { 1.5 } else { 0.0 };
            let width = (inside.right() - from).max(least);
            let y = inside.y + place as f64 * height;
            sketch.bar(Area::new(inside.right() - width, y, width, height), Ink::solid(Role::Waiting));
            if width < inside.width && width > 0.0 {
                sketch.bar(Area::new(inside.right() - width, y, 1.0, height), Ink::solid(Role::WaitingEdge));
            }
        }
    }

    /// The triangle of a record that fails every time, at the offset at which a group tries it.
    pub(super) fn poison(
        &self,
        sketch: &mut Sketch,
        lane: &LaneSnapshot,
        attempts: &str,
        triangle: marks::Triangle,
    ) {
        if lane.head_fails {
            let at = Point::new(self.x_of(lane.head), self.area.center().y);
            marks::poison(sketch, self.area, at, attempts, triangle);
        }
    }
}
