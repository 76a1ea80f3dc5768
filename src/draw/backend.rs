//! The styles that shapes are painted with, and a backend that measures text by arithmetic.

use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontFamily,
    FontStyle,
};

use super::measure::{FONT_FAMILY, Weight, text_width};
use super::palette::Rgb;
use super::scale::{to_i32, to_u32};
use super::shape::Anchor;

type BackendResult<B> = Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

/// A backend that says how wide text is by arithmetic, and how large it is as it is told; all
/// drawing goes on to the backend it borrows.
///
/// plotters would measure each label with a temporary element in the page: a forced layout each
/// time, and a violation of a strict policy for styles. And the canvas's own size is in device
/// pixels where drawing is in finer units.
#[derive(Debug)]
pub struct MeasuredBackend<'a, B> {
    inner: &'a mut B,
    size: (u32, u32),
}

impl<'a, B: DrawingBackend> MeasuredBackend<'a, B> {
    /// A backend of `size` units that draws on `inner`.
    pub fn new(inner: &'a mut B, size: (u32, u32)) -> Self {
        Self { inner, size }
    }
}

impl<B: DrawingBackend> DrawingBackend for MeasuredBackend<'_, B> {
    type ErrorType = B::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> BackendResult<B> {
        self.inner.ensure_prepared()
    }

    /// Does nothing: whoever owns the backend presents it.
    fn present(&mut self) -> BackendResult<B> {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> BackendResult<B> {
        self.inner.draw_pixel(point, color)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> BackendResult<B> {
        self.inner.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> BackendResult<B> {
        self.inner.draw_rect(upper_left, bottom_right, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> BackendResult<B> {
        self.inner.draw_path(path, style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> BackendResult<B> {
        self.inner.draw_circle(center, radius, style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vertices: I,
        style: &S,
    ) -> BackendResult<B> {
        self.inner.fill_polygon(vertices, style)
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        position: BackendCoord,
    ) -> BackendResult<B> {
        self.inner.draw_text(text, style, position)
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let weight = if matches!(style.style(), FontStyle::Bold) { Weight::Bold } else { Weight::Regular };
        let width = text_width(text, style.size(), weight);
        Ok((to_u32(width.ceil()), to_u32(style.size().ceil())))
    }

    fn blit_bitmap(&mut self, position: BackendCoord, size: (u32, u32), source: &[u8]) -> BackendResult<B> {
        self.inner.blit_bitmap(position, size, source)
    }
}

/// A colour with a stroke's width in units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen {
    pub(super) color: Rgb,
    pub(super) alpha: f64,
    pub(super) width: u32,
}

impl BackendStyle for Pen {
    fn color(&self) -> BackendColor {
        backend_color(self.color, self.alpha)
    }

    fn stroke_width(&self) -> u32 {
        self.width
    }
}

/// The style of one text. plotters' own style would allocate two strings for each.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextPen {
    pub(super) color: Rgb,
    pub(super) size: f64,
    pub(super) weight: Weight,
    pub(super) anchor: Anchor,
}

impl BackendTextStyle for TextPen {
    type FontError = std::convert::Infallible;

    fn color(&self) -> BackendColor {
        backend_color(self.color, 1.0)
    }

    fn size(&self) -> f64 {
        self.size
    }

    fn style(&self) -> FontStyle {
        match self.weight {
            Weight::Regular => FontStyle::Normal,
            Weight::Bold => FontStyle::Bold,
        }
    }

    fn anchor(&self) -> Pos {
        let horizontal = match self.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        Pos::new(horizontal, VPos::Center)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(FONT_FAMILY)
    }

    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Self::FontError> {
        let width = text_width(text, self.size, self.weight);
        Ok(((0, 0), (to_i32(width.ceil()), to_i32(self.size.ceil()))))
    }

    /// Draws nothing: every backend in use writes text itself.
    fn draw<E, F: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _text: &str,
        _position: BackendCoord,
        _draw: F,
    ) -> Result<Result<(), E>, Self::FontError> {
        Ok(Ok(()))
    }
}

fn backend_color(color: Rgb, alpha: f64) -> BackendColor {
    BackendColor { alpha, rgb: (color.0, color.1, color.2) }
}
