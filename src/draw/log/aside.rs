//! Below the partitions: the topics to which failed records go, once a policy sends them there.

use super::super::dead_letters;
use super::super::measure::Weight;
use super::super::palette::Role;
use super::super::shape::{Anchor, Area, Point};
use super::super::sketch::{Hand, Sketch};
use super::View;

const GAP: f64 = 26.0;
const BOX_WIDTH: f64 = 200.0;
/// Narrower boxes have the short words.
const SHORT_BELOW: f64 = 176.0;

/// Draws the boxes into `area`, and the way that leads there from the readers at `from`.
#[inline(never)]
pub(super) fn draw(sketch: &mut Sketch, view: &View<'_>, area: Area, from: Option<Point>) {
    let aside = view.shown.aside;
    let has_two = aside.retries && aside.dead_letters;
    let width = if has_two { ((area.width - GAP) / 2.0).min(BOX_WIDTH) } else { area.width.min(BOX_WIDTH) };
    let dead = Area { width, ..area };
    let retries = if has_two { Area { x: dead.right() + GAP, ..dead } } else { dead };
    if aside.dead_letters {
        let [words, short] = &view.labels.dead_letters;
        let (words, most) = if width < SHORT_BELOW { (short, 1) } else { (words, 2) };
        dead_letters::draw_box_of(sketch, view.snapshot.dead_records().min(most), words, dead);
    }
    if aside.retries {
        sketch.boxed(retries, 12.0, Role::Panel, Some((Role::Outline, 1.5)));
        let hand = Hand::new(Anchor::Middle, Weight::Regular, Role::Ink);
        let [words, short] = &view.labels.retries;
        let words = if width < SHORT_BELOW { short } else { words };
        sketch.write(words, retries.center(), width - 16.0, hand);
    }
    if has_two {
        let middle = dead.center().y;
        let to = Point::new(dead.right() + 4.0, middle);
        sketch.arrow(Point::new(retries.x - 4.0, middle), to, Role::Lost, 2.0);
    }
    if let Some(from) = from {
        let to = Point::new(retries.right() + 6.0, retries.center().y);
        dead_letters::draw_way_of(sketch, &view.labels.after_attempts, from, to);
    }
}
