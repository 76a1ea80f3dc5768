//! A picture in the making.

use super::measure::{self, Weight};
use super::palette::Role;
use super::shape::{Anchor, Area, Ink, Point, Shape, Stroke, Text};
use super::target::Target;

/// The font size of all text that fits.
pub(super) const TEXT_SIZE: f64 = 13.0;

/// The smallest font size.
pub(super) const TEXT_SIZE_MIN: f64 = 12.0;

/// Half the height of a line of text.
pub(super) const HALF_LINE: f64 = 8.0;

/// How a text is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand {
    pub(super) anchor: Anchor,
    pub(super) weight: Weight,
    pub(super) role: Role,
}

impl Hand {
    pub(super) const fn new(anchor: Anchor, weight: Weight, role: Role) -> Self {
        Self { anchor, weight, role }
    }
}

/// Shapes so far, and how wide the page's typeface is beside the table.
#[derive(Debug)]
pub(super) struct Sketch {
    pub(super) shapes: Vec<Shape>,
    /// What lies where, if anybody wants to know.
    pub(super) targets: Option<Vec<(Area, Target)>>,
    font_width: f64,
}

impl Sketch {
    pub(super) fn new(font_width: f64) -> Self {
        let font_width = if font_width.is_finite() { font_width.clamp(0.5, 1.5) } else { 1.0 };
        Self { shapes: Vec::new(), targets: None, font_width }
    }

    /// One that also says what lies where.
    pub(super) fn with_targets(font_width: f64) -> Self {
        Self { targets: Some(Vec::new()), ..Self::new(font_width) }
    }

    /// Something lies in `area`, if anybody wants to know.
    pub(super) fn target(&mut self, area: Area, target: Target) {
        if let Some(targets) = &mut self.targets {
            targets.push((area, target));
        }
    }

    /// How wide a text at full size is.
    pub(super) fn width_of(&self, text: &str, weight: Weight) -> f64 {
        measure::text_width(text, TEXT_SIZE, weight) * self.font_width
    }

    /// Whether a text is as wide at most where it is written as small as it may be.
    pub(super) fn fits_small(&self, text: &str, weight: Weight, width: f64) -> bool {
        measure::text_width(text, TEXT_SIZE_MIN, weight) * self.font_width <= width
    }

    /// Writes `text` within `width`: smaller, then shortened, where it would be wider. Says how
    /// wide it came out.
    pub(super) fn write(&mut self, text: &str, at: Point, width: f64, hand: Hand) -> f64 {
        let Hand { anchor, weight, role } = hand;
        let size = if self.width_of(text, weight) <= width { TEXT_SIZE } else { TEXT_SIZE_MIN };
        let shown = measure::fitted(text, size, weight, width / self.font_width);
        if shown.trim().is_empty() {
            return 0.0;
        }
        let shown_width = measure::text_width(&shown, size, weight) * self.font_width;
        let text = Text { text: shown.into_owned(), at, anchor, size, weight, role };
        self.shapes.push(Shape::Text(text));
        shown_width
    }

    pub(super) fn boxed(&mut self, area: Area, radius: f64, fill: Role, border: Option<(Role, f64)>) {
        self.shapes.push(Shape::Box { area, radius, fill, border });
    }

    pub(super) fn bar(&mut self, area: Area, ink: Ink) {
        if area.width > 0.0 && area.height > 0.0 {
            self.shapes.push(Shape::Bar { area, ink });
        }
    }

    /// A dot that stands still.
    pub(super) fn dot(&mut self, center: Point, radius: f64, fill: Option<Ink>, edge: Option<Stroke>) {
        self.shapes.push(Shape::Dot { center, radius, fill, edge, is_moving: false });
    }

    /// A dot that moves from frame to frame.
    pub(super) fn moving_dot(&mut self, center: Point, radius: f64, fill: Option<Ink>, edge: Option<Stroke>) {
        self.shapes.push(Shape::Dot { center, radius, fill, edge, is_moving: true });
    }

    pub(super) fn sector(&mut self, center: Point, radius: f64, share: f64, ink: Ink) {
        self.shapes.push(Shape::Sector { center, radius, share, ink });
    }

    /// A poison message: nothing else is a triangle.
    pub(super) fn triangle(&mut self, center: Point, radius: f64, ink: Ink) {
        self.shapes.push(Shape::Triangle { center, radius, ink });
    }

    pub(super) fn polygon(&mut self, points: Vec<Point>, ink: Ink) {
        self.shapes.push(Shape::Polygon { points, ink });
    }

    /// Writes a few letters in the smallest size, whole whatever the room.
    pub(super) fn write_small(&mut self, text: &str, at: Point, hand: Hand) {
        let Hand { anchor, weight, role } = hand;
        let text = Text { text: text.to_owned(), at, anchor, size: TEXT_SIZE_MIN, weight, role };
        self.shapes.push(Shape::Text(text));
    }

    pub(super) fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.shapes.push(Shape::Path { points: vec![from, to], stroke });
    }

    pub(super) fn path(&mut self, points: Vec<Point>, stroke: Stroke) {
        self.shapes.push(Shape::Path { points, stroke });
    }

    /// A line with an open head: filled triangles are poison's alone.
    pub(super) fn arrow(&mut self, from: Point, to: Point, role: Role, width: f64) {
        let length = (to.x - from.x).hypot(to.y - from.y);
        if length < 1.0 {
            return;
        }
        let (along_x, along_y) = ((to.x - from.x) / length, (to.y - from.y) / length);
        let head = (3.0 * width).min(length);
        let barb = |side: f64| {
            Point::new(
                to.x - head * (along_x + side * 0.7 * along_y),
                to.y - head * (along_y - side * 0.7 * along_x),
            )
        };
        let stroke = Stroke::solid(role, width);
        self.line(from, to, stroke);
        self.path(vec![barb(1.0), to, barb(-1.0)], stroke);
    }

    /// A crossed-out dot: a message that is lost.
    pub(super) fn crossed_dot(&mut self, center: Point, radius: f64, alpha: f64, is_moving: bool) {
        let ink = Ink::faded(Role::Lost, alpha);
        let stroke = Stroke { ink, width: 1.5, dash: None };
        let edge = Some(stroke);
        self.shapes.push(Shape::Dot { center, radius, fill: None, edge, is_moving });
        let arm = radius * 0.55;
        let Point { x, y } = center;
        self.line(Point::new(x - arm, y - arm), Point::new(x + arm, y + arm), stroke);
        self.line(Point::new(x - arm, y + arm), Point::new(x + arm, y - arm), stroke);
    }
}
