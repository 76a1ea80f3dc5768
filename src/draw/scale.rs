//! From CSS pixels to the whole units that drawing backends take.
//!
//! Backends take integers. One device pixel is several units here, so that moving dots and round
//! shapes do not jump from pixel to pixel, while edges that must be crisp are put on whole device
//! pixels. The backend is scaled down by the same factor: a canvas through its transform, an SVG
//! through its view box.

/// Units in one device pixel of a canvas. The caller scales the canvas's context by one over
/// this before anything is painted.
pub const CANVAS_UNITS_PER_PIXEL: u32 = 4;

const SVG_UNITS_PER_PIXEL: f64 = 10.0;

/// plotters' SVG backend writes font sizes divided by this; its canvas backend does not.
const SVG_TEXT_QUIRK: f64 = 1.24;

/// How CSS pixels become device pixels and units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pixels_per_css: f64,
    units_per_pixel: f64,
    text_factor: f64,
}

impl Scale {
    /// For plotters' SVG backend: the picture looks as on a canvas.
    pub const SVG: Self =
        Self { pixels_per_css: 1.0, units_per_pixel: SVG_UNITS_PER_PIXEL, text_factor: SVG_TEXT_QUIRK };

    /// For a canvas of `device_pixel_ratio` device pixels a CSS pixel: any value from 0.25 to 8,
    /// 1 where it is no number.
    #[must_use]
    pub fn canvas(device_pixel_ratio: f64) -> Self {
        let pixels_per_css =
            if device_pixel_ratio.is_finite() { device_pixel_ratio.clamp(0.25, 8.0) } else { 1.0 };
        Self { pixels_per_css, units_per_pixel: f64::from(CANVAS_UNITS_PER_PIXEL), text_factor: 1.0 }
    }

    /// Whole device pixels for a length in CSS pixels: what a canvas's `width` or `height` must be.
    #[must_use]
    pub fn pixels(&self, css: f64) -> u32 {
        to_u32((css * self.pixels_per_css).round())
    }

    /// Units for the size of a drawing, whole device pixels.
    #[must_use]
    pub fn extent(&self, css: f64) -> u32 {
        to_u32(f64::from(self.pixels(css)) * self.units_per_pixel)
    }

    /// The nearest unit: for what moves and for what is round.
    #[must_use]
    pub fn fine(&self, css: f64) -> i32 {
        to_i32((css * self.pixels_per_css * self.units_per_pixel).round())
    }

    /// The nearest whole device pixel, in units: for edges that must be crisp.
    #[must_use]
    pub fn crisp(&self, css: f64) -> i32 {
        to_i32((css * self.pixels_per_css).round() * self.units_per_pixel)
    }

    /// A stroke's width in units: whole device pixels, at least one.
    #[must_use]
    pub fn stroke(&self, css: f64) -> u32 {
        to_u32((css * self.pixels_per_css).round().max(1.0) * self.units_per_pixel)
    }

    /// A font's size in units.
    #[must_use]
    pub fn font_size(&self, css: f64) -> f64 {
        css * self.pixels_per_css * self.units_per_pixel * self.text_factor
    }
}

/// The nearest `i32`; zero where it is no number.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "a cast from float stops at the ends, which is meant")]
pub(super) const fn to_i32(value: f64) -> i32 {
    value as i32
}

/// The nearest `u32`; zero where it is negative or no number.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float stops at the ends, which is meant"
)]
pub(super) const fn to_u32(value: f64) -> u32 {
    value as u32
}

/// The nearest `u64`; zero where it is negative or no number.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float stops at the ends, which is meant"
)]
pub(super) const fn to_u64(value: f64) -> u64 {
    value as u64
}

/// The nearest `usize`; zero where it is negative or no number.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float stops at the ends, which is meant"
)]
pub(super) const fn to_usize(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crisp_edges_lie_on_whole_device_pixels_at_any_ratio() {
        for ratio in [0.5, 1.0, 1.1, 1.25, 1.5, 2.0, 2.625, 3.0] {
            let scale = Scale::canvas(ratio);
            for css in [0.0, 0.5, 1.0, 13.3, 411.7, 924.0] {
                assert_eq!(scale.crisp(css) % 4, 0, "{css} at {ratio}");
                assert_eq!(scale.stroke(css) % 4, 0);
                assert_eq!(scale.extent(css), scale.pixels(css) * CANVAS_UNITS_PER_PIXEL);
            }
            assert!(scale.stroke(0.1) >= 4);
        }
    }

    #[test]
    fn what_is_no_number_becomes_zero_and_huge_values_stop() {
        assert_eq!(Scale::canvas(f64::NAN), Scale::canvas(1.0));
        let scale = Scale::canvas(2.0);
        assert_eq!(scale.fine(f64::NAN), 0);
        assert_eq!(scale.fine(f64::INFINITY), i32::MAX);
        assert_eq!(scale.pixels(-1.0), 0);
    }
}
