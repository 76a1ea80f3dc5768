//! All partitions side by side: the lag of each as an upright bar, in their order.

use super::super::grid::rounded_up;
use super::super::measure::Weight;
use super::super::palette::Role;
use super::super::shape::{Anchor, Area, Ink, Point, Stroke};
use super::super::sketch::{HALF_LINE, Hand, Sketch};
use super::View;
use super::shown::{lag_of, standing};

/// The height of what is written above and below it.
pub(super) const AROUND: f64 = 40.0;

/// Bars are no farther apart than this.
const PITCH_MAX: f64 = 36.0;

/// Draws the strip with its words into `area`.
pub(super) fn draw(sketch: &mut Sketch, view: &View<'_>, area: Area) {
    let Some(topic) = view.shown.topic(view.snapshot) else { return };
    let soft = Hand::new(Anchor::Start, Weight::Regular, Role::Soft);
    sketch.write(&view.labels.strip, Point::new(area.x, area.y + HALF_LINE), area.width, soft);
    let count = topic.partitions.len();
    let pitch = (area.width / count.max(1) as f64).min(PITCH_MAX);
    let bars = Area::new(area.x, area.y + 18.0, pitch * count as f64, area.height - AROUND);
    let lags = || (0..count).map(|lane| lag_of(view.snapshot, &view.shown.groups, lane));
    let top = rounded_up(lags().max().unwrap_or_default().max(10));
    let width = (pitch - 1.0).max(pitch * 0.7);
    for (lane, lag) in lags().enumerate() {
        let least = if lag > 0 { 1.0 } else { 0.0 };
        let height = (bars.height * lag as f64 / top as f64).max(least);
        let bar = Area::new(bars.x + lane as f64 * pitch, bars.bottom() - height, width, height);
        let is_well = view.shown.of_lane(view.snapshot, lane).all(|lane| standing(lane).is_well());
        sketch.bar(bar, Ink::solid(if is_well { Role::WaitingLine } else { Role::Lost }));
        if !is_well {
            let foot = Area::new(bar.x, bars.bottom() + 2.0, width, 4.0);
            sketch.bar(foot, Ink::solid(Role::Lost));
        }
    }
    let base = Point::new(bars.x, bars.bottom() + 0.5);
    sketch.line(base, Point::new(bars.right(), base.y), Stroke::solid(Role::Outline, 1.0));
    let row = bars.bottom() + 7.0 + HALF_LINE;
    let [first, last] = &view.labels.strip_ends;
    sketch.write(first, Point::new(area.x, row), bars.width / 2.0, soft);
    let end = Hand::new(Anchor::End, Weight::Regular, Role::Soft);
    sketch.write(last, Point::new(bars.right(), row), bars.width / 2.0, end);
}
