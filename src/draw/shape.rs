//! The shapes a picture is made of, in CSS pixels from the upper left corner.

use super::measure::Weight;
use super::palette::Role;

/// A point in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

impl Point {
    /// The point at `x` from the left and `y` from the top.
    #[must_use]
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
}

/// A rectangle in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width, not negative.
    pub width: f64,
    /// Height, not negative.
    pub height: f64,
}

impl Area {
    /// The rectangle with that upper left corner and size.
    #[must_use]
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// Right edge.
    #[must_use]
    pub const fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Lower edge.
    #[must_use]
    pub const fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The middle.
    #[must_use]
    pub const fn center(&self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Whether `point` is in it.
    #[must_use]
    pub fn contains(&self, point: Point) -> bool {
        let within = |at: f64, from: f64, to: f64| from <= at && at < to;
        within(point.x, self.x, self.right()) && within(point.y, self.y, self.bottom())
    }

    /// This rectangle with `by` less on each side; never smaller than nothing.
    #[must_use]
    pub fn inset(&self, by: f64) -> Self {
        let width = (self.width - 2.0 * by).max(0.0);
        let height = (self.height - 2.0 * by).max(0.0);
        Self::new(self.x + by, self.y + by, width, height)
    }
}

/// A colour by role, more or less opaque.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ink {
    /// What the colour stands for.
    pub role: Role,
    /// 0 is invisible, 1 opaque.
    pub alpha: f64,
}

impl Ink {
    /// Opaque.
    #[must_use]
    pub const fn solid(role: Role) -> Self {
        Self { role, alpha: 1.0 }
    }

    /// With an opacity of `alpha`, 0 to 1.
    #[must_use]
    pub const fn faded(role: Role, alpha: f64) -> Self {
        Self { role, alpha }
    }
}

/// An outline or a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub ink: Ink,
    /// Its width in CSS pixels.
    pub width: f64,
    /// The length of dashes and of the gaps between them in CSS pixels, where it is dashed.
    pub dash: Option<f64>,
}

impl Stroke {
    /// An unbroken, opaque line.
    #[must_use]
    pub const fn solid(role: Role, width: f64) -> Self {
        Self { ink: Ink::solid(role), width, dash: None }
    }

    /// A dashed, opaque line.
    #[must_use]
    pub const fn dashed(role: Role, width: f64, dash: f64) -> Self {
        Self { ink: Ink::solid(role), width, dash: Some(dash) }
    }
}

/// Which point of a text its position is. Upright it is always its middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Where it starts.
    Start,
    /// Its middle.
    Middle,
    /// Where it ends.
    End,
}

/// Text on the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// Where its anchor is.
    pub at: Point,
    /// Which point of it `at` is.
    pub anchor: Anchor,
    /// Font size in CSS pixels.
    pub size: f64,
    /// How heavy it is.
    pub weight: Weight,
    /// Its colour.
    pub role: Role,
}

/// One shape. Later ones lie on top of earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A box with round corners, opaque.
    Box {
        /// Its outer edge.
        area: Area,
        /// Of its corners.
        radius: f64,
        /// Its inside.
        fill: Role,
        /// Its outline, inside `area`.
        border: Option<(Role, f64)>,
    },
    /// A filled rectangle.
    Bar {
        /// Its edge.
        area: Area,
        /// Its colour.
        ink: Ink,
    },
    /// A round dot.
    Dot {
        /// Its middle.
        center: Point,
        /// To the outer edge of its outline.
        radius: f64,
        /// Its inside.
        fill: Option<Ink>,
        /// Its outline.
        edge: Option<Stroke>,
        /// Whether it moves from frame to frame; what stands still is put on whole pixels.
        is_moving: bool,
    },
    /// A sector of a circle, clockwise from the top.
    Sector {
        /// Its middle.
        center: Point,
        /// Its radius.
        radius: f64,
        /// Which share of the circle it is: 0 to 1.
        share: f64,
        /// Its colour.
        ink: Ink,
    },
    /// A filled triangle that stands on its base: a poison message, and nothing else.
    Triangle {
        /// Its middle.
        center: Point,
        /// From there to its top.
        radius: f64,
        /// Its colour.
        ink: Ink,
    },
    /// An area with straight edges.
    Polygon {
        /// Its corners.
        points: Vec<Point>,
        /// Its colour.
        ink: Ink,
    },
    /// A path of straight lines.
    Path {
        /// Its corners.
        points: Vec<Point>,
        /// How it is drawn.
        stroke: Stroke,
    },
    /// Text.
    Text(Text),
}
