//! Shapes onto any backend of plotters.

use std::f64::consts::TAU;
use std::fmt;

use plotters_backend::{BackendCoord, DrawingBackend};

use super::backend::{Pen, TextPen};
use super::palette::{Palette, Role};
use super::scale::{Scale, to_u32};
use super::scene::Scene;
use super::shape::{Area, Ink, Point, Shape, Stroke, Text};
use super::sketch::Hand;

/// The backend refused at least one shape; the others are painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawError;

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the backend refused a shape")
    }
}

impl std::error::Error for DrawError {}

/// Paints `scene`, whose background the caller has cleared. A canvas's context must be scaled by
/// one over [`CANVAS_UNITS_PER_PIXEL`](super::scale::CANVAS_UNITS_PER_PIXEL).
///
/// # Errors
/// Where the backend fails.
pub fn paint<B: DrawingBackend>(
    scene: &Scene,
    palette: &Palette,
    scale: Scale,
    backend: &mut B,
) -> Result<(), DrawError> {
    let mut painter = Painter::new(palette, scale, backend);
    scene.shapes.iter().for_each(|shape| painter.shape(shape));
    painter.finish()
}

/// What shapes are painted with.
pub(super) struct Painter<'a, B> {
    pub(super) palette: &'a Palette,
    pub(super) scale: Scale,
    pub(super) backend: &'a mut B,
    /// The backend has refused something.
    has_failed: bool,
}

impl<'a, B: DrawingBackend> Painter<'a, B> {
    pub(super) const fn new(palette: &'a Palette, scale: Scale, backend: &'a mut B) -> Self {
        Self { palette, scale, backend, has_failed: false }
    }

    pub(super) const fn finish(self) -> Result<(), DrawError> {
        if self.has_failed { Err(DrawError) } else { Ok(()) }
    }

    /// Takes note of what the backend says. One shape that it refuses is no reason to leave out
    /// the others.
    pub(super) fn note<E>(&mut self, drawn: Result<(), E>) {
        self.has_failed |= drawn.is_err();
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Box { area, radius, fill, border } => self.round_box(*area, *radius, *fill, *border),
            Shape::Bar { area, ink } => self.bar(*area, *ink),
            Shape::Dot { center, radius, fill, edge, is_moving } => {
                self.dot(*center, *radius, *fill, *edge, *is_moving);
            }
            Shape::Sector { center, radius, share, ink } => self.sector(*center, *radius, *share, *ink),
            Shape::Triangle { center, radius, ink } => self.triangle(*center, *radius, *ink),
            Shape::Path { points, stroke } => self.stroke_path(points, *stroke),
            Shape::Text(Text { text, at, anchor, size, weight, role }) => {
                self.write(text, *at, *size, Hand::new(*anchor, *weight, *role));
            }
        }
    }

    fn pen(&self, ink: Ink, width: u32) -> Pen {
        Pen { color: self.palette.color(ink.role), alpha: ink.alpha, width }
    }

    fn whole(&self, point: Point) -> BackendCoord {
        (self.scale.crisp(point.x), self.scale.crisp(point.y))
    }

    fn fine(&self, point: Point) -> BackendCoord {
        (self.scale.fine(point.x), self.scale.fine(point.y))
    }

    fn bar(&mut self, area: Area, ink: Ink) {
        let from = self.whole(Point::new(area.x, area.y));
        let to = self.whole(Point::new(area.right(), area.bottom()));
        self.fill(from, at_least_one(from, to, self.scale), ink);
    }

    fn fill(&mut self, from: BackendCoord, to: BackendCoord, ink: Ink) {
        let pen = self.pen(ink, 1);
        let drawn = self.backend.draw_rect(from, to, &pen, true);
        self.note(drawn);
    }

    /// A box is its border's box with its inside's box on it: strokes of boxes are not put on
    /// whole pixels by every backend, fills are.
    fn round_box(&mut self, area: Area, radius: f64, fill: Role, border: Option<(Role, f64)>) {
        let from = self.whole(Point::new(area.x, area.y));
        let to = self.whole(Point::new(area.right(), area.bottom()));
        let radius = i32::try_from(self.scale.stroke(radius)).unwrap_or(0);
        let Some((role, width)) = border else {
            return self.fill_round(from, to, radius, fill);
        };
        let width = i32::try_from(self.scale.stroke(width)).unwrap_or(1);
        self.fill_round(from, to, radius, role);
        let (from, to) = ((from.0 + width, from.1 + width), (to.0 - width, to.1 - width));
        self.fill_round(from, to, (radius - width).max(0), fill);
    }

    /// Two crossing rectangles and four corners: no polygon has corners as round.
    fn fill_round(&mut self, from: BackendCoord, to: BackendCoord, radius: i32, role: Role) {
        let radius = radius.min((to.0 - from.0) / 2).min((to.1 - from.1) / 2).max(0);
        let ink = Ink::solid(role);
        self.fill((from.0 + radius, from.1), (to.0 - radius, to.1), ink);
        self.fill((from.0, from.1 + radius), (to.0, to.1 - radius), ink);
        let pen = self.pen(ink, 1);
        for x in [from.0 + radius, to.0 - radius] {
            for y in [from.1 + radius, to.1 - radius] {
                self.circle((x, y), radius, &pen, true);
            }
        }
    }

    fn circle(&mut self, at: BackendCoord, radius: i32, pen: &Pen, fill: bool) {
        let radius = u32::try_from(radius).unwrap_or(0);
        let drawn = self.backend.draw_circle(at, radius, pen, fill);
        self.note(drawn);
    }

    pub(super) fn dot(
        &mut self,
        center: Point,
        radius: f64,
        fill: Option<Ink>,
        edge: Option<Stroke>,
        is_moving: bool,
    ) {
        let at = if is_moving { self.fine(center) } else { self.whole(center) };
        let outer = self.scale.fine(radius).max(1);
        let Some(edge) = edge else {
            let Some(fill) = fill else { return };
            let pen = self.pen(fill, 1);
            return self.circle(at, outer, &pen, true);
        };
        let width = self.scale.stroke(edge.width);
        let ring = (outer - i32::try_from(width / 2).unwrap_or(0)).max(1);
        if let Some(fill) = fill {
            let pen = self.pen(fill, 1);
            self.circle(at, ring, &pen, true);
        }
        let pen = self.pen(edge.ink, width);
        match edge.dash {
            None => self.circle(at, ring, &pen, false),
            Some(dash) => self.dashed_ring(at, ring, f64::from(self.scale.fine(dash)), &pen),
        }
    }

    #[inline(never)]
    fn dashed_ring(&mut self, at: BackendCoord, ring: i32, dash: f64, pen: &Pen) {
        let around = TAU * f64::from(ring);
        let dashes = (around / (2.0 * dash.max(1.0))).round().clamp(3.0, 60.0);
        for index in 0..to_u32(dashes) {
            let start = f64::from(index) / dashes;
            let points: Vec<_> =
                (0..=4).map(|step| on_circle(at, ring, start + f64::from(step) / 8.0 / dashes)).collect();
            let drawn = self.backend.draw_path(points, pen);
            self.note(drawn);
        }
    }

    #[inline(never)]
    fn sector(&mut self, center: Point, radius: f64, share: f64, ink: Ink) {
        let share = share.clamp(0.0, 1.0);
        if share <= 0.0 {
            return;
        }
        let (at, ring, pen) = (self.whole(center), self.scale.fine(radius), self.pen(ink, 1));
        if share >= 1.0 {
            return self.circle(at, ring, &pen, true);
        }
        let steps = (share * 48.0).ceil().max(2.0);
        let mut points = vec![at];
        for step in 0..=to_u32(steps) {
            points.push(on_circle(at, ring, share * f64::from(step) / steps));
        }
        let drawn = self.backend.fill_polygon(points, &pen);
        self.note(drawn);
    }

    #[inline(never)]
    fn triangle(&mut self, center: Point, radius: f64, ink: Ink) {
        let corners =
            [(0.0, -1.0), (TRIANGLE_HALF_BASE, TRIANGLE_BELOW), (-TRIANGLE_HALF_BASE, TRIANGLE_BELOW)];
        let at = |(x, y): (f64, f64)| self.fine(Point::new(center.x + x * radius, center.y + y * radius));
        let (points, pen) = (corners.map(at), self.pen(ink, 1));
        let drawn = self.backend.fill_polygon(points, &pen);
        self.note(drawn);
    }

    /// Upright and level lines become rectangles on whole pixels; others are stroked.
    pub(super) fn stroke_path(&mut self, points: &[Point], stroke: Stroke) {
        if let Some(dash) = stroke.dash {
            return self.dashes(points, stroke, dash);
        }
        if let [from, to] = points
            && (same(from.x, to.x) || same(from.y, to.y))
        {
            return self.straight(*from, *to, stroke);
        }
        let pen = self.pen(stroke.ink, self.scale.stroke(stroke.width));
        let points: Vec<_> = points.iter().map(|point| self.fine(*point)).collect();
        let drawn = self.backend.draw_path(points, &pen);
        self.note(drawn);
    }

    fn straight(&mut self, from: Point, to: Point, stroke: Stroke) {
        let width = i32::try_from(self.scale.stroke(stroke.width)).unwrap_or(1);
        let (from, to) =
            (Point::new(from.x.min(to.x), from.y.min(to.y)), Point::new(from.x.max(to.x), from.y.max(to.y)));
        let half = stroke.width / 2.0;
        let area = if same(from.y, to.y) {
            let upper_left = self.whole(Point::new(from.x, from.y - half));
            (upper_left, (self.scale.crisp(to.x), upper_left.1 + width))
        } else {
            let upper_left = self.whole(Point::new(from.x - half, from.y));
            (upper_left, (upper_left.0 + width, self.scale.crisp(to.y)))
        };
        self.fill(area.0, area.1, stroke.ink);
    }

    fn dashes(&mut self, points: &[Point], stroke: Stroke, dash: f64) {
        let unbroken = Stroke { dash: None, ..stroke };
        for (from, to) in dash_ends(points, dash) {
            self.stroke_path(&[from, to], unbroken);
        }
    }

    pub(super) fn write(&mut self, text: &str, at: Point, size: f64, hand: Hand) {
        let Hand { anchor, weight, role } = hand;
        let size = self.scale.font_size(size);
        let pen = TextPen { color: self.palette.color(role), size, weight, anchor };
        // Text on whole pixels does not shimmer from frame to frame.
        let at = self.whole(at);
        let drawn = self.backend.draw_text(text, &pen, at);
        self.note(drawn);
    }
}

/// Half the base of a triangle, and how far the base is below the middle, for a radius of 1.
const TRIANGLE_HALF_BASE: f64 = 1.0;
const TRIANGLE_BELOW: f64 = 0.75;

fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

/// No bar is thinner than one device pixel.
fn at_least_one(from: BackendCoord, to: BackendCoord, scale: Scale) -> BackendCoord {
    let one = i32::try_from(scale.stroke(0.0)).unwrap_or(1);
    (to.0.max(from.0.saturating_add(one)), to.1.max(from.1.saturating_add(one)))
}

fn on_circle(at: BackendCoord, ring: i32, share: f64) -> BackendCoord {
    let (sine, cosine) = (sine_of_turn(share), sine_of_turn(share + 0.25));
    let offset = |part: f64| super::scale::to_i32((f64::from(ring) * part).round());
    (at.0 + offset(sine), at.1 - offset(cosine))
}

/// The sine of `share` of a full turn, to within 0.0002: far less than a pixel on any circle here,
/// and without the tables that the exact one brings into the first load.
fn sine_of_turn(share: f64) -> f64 {
    let turn = share - share.floor();
    let (half, sign) = if turn < 0.5 { (turn, 1.0) } else { (turn - 0.5, -1.0) };
    let quarter = if half < 0.25 { half * 4.0 } else { 2.0 - half * 4.0 };
    let square = quarter * quarter;
    sign * quarter * (1.570_626_8 - square * (0.643_229_2 - 0.072_710_2 * square))
}

/// The most dashes of one line.
const DASHES_MAX: u32 = 400;

/// Where each dash of a path starts and ends: as long as the gaps between them.
fn dash_ends(points: &[Point], dash: f64) -> Vec<(Point, Point)> {
    let mut ends = Vec::new();
    for (from, to) in points.iter().zip(points.iter().skip(1)) {
        let length = (to.x - from.x).hypot(to.y - from.y);
        if !length.is_finite() || length <= 0.0 {
            continue;
        }
        let count = (length / (2.0 * dash.max(0.5))).ceil().min(f64::from(DASHES_MAX));
        let along = |share: f64| {
            let share = share.min(1.0);
            Point::new(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share)
        };
        for index in 0..to_u32(count) {
            let start = f64::from(index) * 2.0 * dash / length;
            ends.push((along(start), along(start + dash / length)));
        }
    }
    ends
}
