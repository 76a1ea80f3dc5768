//! Poison, which alone is a triangle, and the box that dead letters lie in.

use crate::model::snapshot::Snapshot;

use super::measure::Weight;
use super::palette::Role;
use super::scene::View;
use super::shape::{Anchor, Area, Ink, Point, Stroke};
use super::sketch::{HALF_LINE, Hand, Sketch, TEXT_SIZE_MIN};

/// Triangles with at least this radius carry their number.
const NUMBERED_FROM: f64 = 9.0;

/// The radius of the triangles in the box.
const IN_BOX: f64 = 9.0;

/// Whether there is a place for dead letters, or a dead letter, so that the box is drawn.
pub(super) const fn are_shown(snapshot: &Snapshot) -> bool {
    snapshot.failures.has_dead_letter_box()
}

/// A poison message around `center`, with the number of its attempts once it was tried.
pub(super) fn poison(sketch: &mut Sketch, center: Point, radius: f64, attempts: u32) {
    sketch.triangle(center, radius + 2.0, Ink::solid(Role::Panel));
    sketch.triangle(center, radius, Ink::solid(Role::Lost));
    if radius < NUMBERED_FROM || attempts == 0 {
        return;
    }
    let number = number_within(sketch, attempts, 2.0 * radius);
    let at = Point::new(center.x, center.y + radius * 0.25);
    let hand = Hand::new(Anchor::Middle, Weight::Bold, Role::OnLost);
    sketch.write_small(&number, at, hand);
}

/// The number of attempts, or as much of it as fits.
fn number_within(sketch: &Sketch, attempts: u32, width: f64) -> String {
    let most = [u32::MAX, 99, 9].into_iter().map(|most| match attempts > most {
        true => format!("{most}+"),
        false => attempts.to_string(),
    });
    let mut shorter = most.skip_while(|text| sketch.width_of(text, Weight::Bold) > width);
    shorter.next().unwrap_or_default()
}

/// Draws the box in `area` with how many lie in it.
pub(super) fn draw_box(sketch: &mut Sketch, view: &View<'_>, area: Area) {
    draw_box_of(sketch, view.snapshot.failures.dead_letters.min(2), &view.labels.dead_letters, area);
}

/// The same with so many triangles and these words.
pub(super) fn draw_box_of(sketch: &mut Sketch, triangles: u64, words: &str, area: Area) {
    sketch.boxed(area, 12.0, Role::Panel, Some((Role::Lost, 2.0)));
    let middle = area.center().y;
    let mut left = area.x + 14.0;
    for _ in 0..triangles {
        sketch.triangle(Point::new(left + IN_BOX, middle + 1.0), IN_BOX, Ink::solid(Role::Lost));
        left += 2.0 * IN_BOX + 8.0;
    }
    let hand = Hand::new(Anchor::Start, Weight::Bold, Role::Ink);
    sketch.write(words, Point::new(left, middle), area.right() - 10.0 - left, hand);
}

/// The way from `from` down and to the left to the box, which ends at `to`, with what leads there.
pub(super) fn draw_way(sketch: &mut Sketch, view: &View<'_>, from: Point, to: Point) {
    draw_way_of(sketch, &view.labels.after_attempts, from, to);
}

/// The same with these words.
pub(super) fn draw_way_of(sketch: &mut Sketch, words: &str, from: Point, to: Point) {
    let corner = Point::new(from.x, to.y);
    sketch.path(vec![from, corner, to], Stroke::dashed(Role::Lost, 2.0, 5.0));
    sketch.arrow(Point::new(to.x + 7.0, to.y), to, Role::Lost, 2.0);
    let at = Point::new(corner.x - 10.0, to.y - HALF_LINE - 2.0);
    let hand = Hand::new(Anchor::End, Weight::Regular, Role::Soft);
    sketch.write(words, at, at.x - to.x - TEXT_SIZE_MIN, hand);
}
