//! A backend that remembers what was drawn on it.

use std::convert::Infallible;

use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// Counts of what was drawn, and every corner of it.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub(super) size: (u32, u32),
    pub(super) pixels: usize,
    pub(super) measured: std::cell::Cell<usize>,
    pub(super) shapes: usize,
    pub(super) texts: Vec<String>,
    pub(super) corners: Vec<BackendCoord>,
}

impl Recording {
    pub(super) fn new(size: (u32, u32)) -> Self {
        Self { size, ..Self::default() }
    }

    fn take(&mut self, corners: impl IntoIterator<Item = BackendCoord>) -> Drawn {
        self.shapes += 1;
        self.corners.extend(corners);
        Ok(())
    }

    /// How far in units anything lies outside.
    pub(super) fn outside(&self) -> i32 {
        let (width, height) = (self.size.0.cast_signed(), self.size.1.cast_signed());
        let beyond = |&(x, y): &BackendCoord| (-x).max(-y).max(x - width).max(y - height);
        self.corners.iter().map(beyond).max().unwrap_or(0).max(0)
    }
}

impl DrawingBackend for Recording {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, _color: BackendColor) -> Drawn {
        self.pixels += 1;
        self.take([point])
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, _style: &S) -> Drawn {
        self.take([from, to])
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        _style: &S,
        _fill: bool,
    ) -> Drawn {
        self.take([upper_left, bottom_right])
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, _: &S) -> Drawn {
        self.take(path)
    }

    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, _: &S, _fill: bool) -> Drawn {
        let radius = radius.cast_signed();
        self.take([(at.0 - radius, at.1 - radius), (at.0 + radius, at.1 + radius)])
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        _: &S,
    ) -> Drawn {
        self.take(path)
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, _style: &T, at: BackendCoord) -> Drawn {
        self.texts.push(text.to_owned());
        self.take([at])
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        _text: &str,
        _style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        self.measured.set(self.measured.get() + 1);
        Ok((0, 0))
    }

    fn blit_bitmap(&mut self, at: BackendCoord, _size: (u32, u32), _source: &[u8]) -> Drawn {
        self.take([at])
    }
}
