//! The places of a queue as dots: how large they are and where they lie.

use crate::model::settings::Bound;
use crate::model::snapshot::QueueSnapshot;

use super::scale::{to_u64, to_usize};
use super::shape::{Area, Point};

/// Dots are never farther apart, nor nearer to each other, than this, middle to middle.
const PITCH_MAX: f64 = 24.0;
const PITCH_MIN: f64 = 10.0;

/// The radius of the largest dots.
const RADIUS_MAX: f64 = 7.5;

/// Dots of a queue without a bound change their size only where more wait than so many.
const STEPS_WITHOUT_BOUND: [u64; 4] = [36, 60, 120, 200];

/// Which side the head of the line is on. It always is at the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// Columns fill from the left, as in pictures that stand.
    Left,
    /// Columns fill from the right, beside the consumers.
    Right,
}

/// A grid of dots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    /// How many places it has.
    pub(super) places: u64,
    /// The radius of each dot.
    pub(super) radius: f64,
    room: Area,
    columns: usize,
    rows: usize,
    pitch_x: f64,
    pitch_y: f64,
    head: Head,
}

impl Grid {
    /// The grid for `queue` within `room`; `None` where its places would be too small to see.
    pub(super) fn for_queue(queue: &QueueSnapshot, room: Area, head: Head) -> Option<Self> {
        match queue.bound {
            Bound::Messages(bound) => Self::of(bound.max(queue.waiting), room, head),
            Bound::None => STEPS_WITHOUT_BOUND
                .into_iter()
                .filter(|step| queue.waiting <= *step)
                .find_map(|step| Self::of(step, room, head)),
        }
    }

    fn of(places: u64, room: Area, head: Head) -> Option<Self> {
        let mut pitch = PITCH_MAX;
        while pitch >= PITCH_MIN {
            if let Some(grid) = Self::with_pitch(places, room, head, pitch) {
                return Some(grid);
            }
            pitch -= 1.0;
        }
        None
    }

    /// As few rows as hold all places, where that fits.
    fn with_pitch(places: u64, room: Area, head: Head, pitch: f64) -> Option<Self> {
        let across = to_u64((room.width / pitch).floor());
        let down = to_u64((room.height / pitch).floor());
        let rows = places.max(1).div_ceil(across.max(1));
        if across == 0 || rows > down {
            return None;
        }
        let columns = places.max(1).div_ceil(rows);
        let pitch_x = (room.width / columns as f64).min(pitch * 1.25);
        let pitch_y = (room.height / rows as f64).min(pitch * 1.25);
        let radius = (pitch_x.min(pitch_y) * 0.375).min(RADIUS_MAX);
        let (columns, rows) = (to_usize(columns as f64), to_usize(rows as f64));
        Some(Self { places, radius, room, columns, rows, pitch_x, pitch_y, head })
    }

    /// The middle of a place; 0 is the head of the line.
    pub(super) fn place(&self, index: usize) -> Point {
        let (column, row) = match self.head {
            Head::Left => (index % self.columns, index / self.columns),
            Head::Right => (index / self.rows, index % self.rows),
        };
        let along = (column as f64 + 0.5) * self.pitch_x;
        let x = match self.head {
            Head::Left => self.room.x + along,
            Head::Right => self.room.right() - along,
        };
        let middle = self.room.center().y;
        let height = self.rows as f64 * self.pitch_y;
        Point::new(x, middle + height / 2.0 - (row as f64 + 0.5) * self.pitch_y)
    }
}

/// The next of 1, 2, 5, 10, 20, 50 and so on that is not below `count`.
pub(super) fn rounded_up(count: u64) -> u64 {
    let mut power: u64 = 1;
    loop {
        for step in [1, 2, 5] {
            let top = power.saturating_mul(step);
            if top >= count {
                return top;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Area = Area::new(10.0, 20.0, 400.0, 72.0);

    #[test]
    fn sixty_places_lie_in_three_rows_as_large_as_fit() {
        let grid = Grid::of(60, ROOM, Head::Right).expect("they fit");
        assert_eq!((grid.columns, grid.rows), (20, 3));
        assert!((grid.radius - 7.5).abs() < 1e-9);
    }

    #[test]
    fn every_place_lies_inside_the_room_and_apart_from_the_others() {
        for places in (0..=300).chain([1_000, 4_000_000, u64::MAX]) {
            for head in [Head::Left, Head::Right] {
                let Some(grid) = Grid::of(places, ROOM, head) else {
                    assert!(places > 250, "{places} places fit");
                    continue;
                };
                let centers: Vec<_> = (0..to_usize(places as f64)).map(|index| grid.place(index)).collect();
                for (index, center) in centers.iter().enumerate() {
                    let around = Area::new(center.x - grid.radius, center.y - grid.radius, 0.0, 0.0);
                    assert!(around.x >= ROOM.x && around.y >= ROOM.y, "{index} of {places}");
                    assert!(
                        center.x + grid.radius <= ROOM.right() && center.y + grid.radius <= ROOM.bottom()
                    );
                    let nearest = centers
                        .get(index + 1..)
                        .into_iter()
                        .flatten()
                        .map(|other| (other.x - center.x).hypot(other.y - center.y))
                        .fold(f64::INFINITY, f64::min);
                    assert!(nearest >= 2.0 * grid.radius, "{index} of {places}");
                }
            }
        }
    }

    #[test]
    fn bars_without_a_bound_end_at_round_numbers() {
        for (count, top) in [(0, 1), (1, 1), (3, 5), (201, 500), (4_000_000, 5_000_000)] {
            assert_eq!(rounded_up(count), top);
        }
        assert_eq!(rounded_up(u64::MAX), u64::MAX);
    }
}
