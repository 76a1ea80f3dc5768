//! Pictures as SVG text: tests, the fallback picture, print and "save picture".

use plotters::backend::SVGBackend;

use super::paint::{DrawError, paint};
use super::palette::{Palette, Rgb};
use super::scale::Scale;
use super::scene::Scene;

/// `scene` on the paper's colour as a whole SVG file that takes the width it is given.
///
/// # Errors
/// Where plotters' SVG backend fails.
pub fn scene_svg(scene: &Scene, palette: &Palette) -> Result<String, DrawError> {
    drawing_svg(scene.width_css, scene.height_css, palette, |backend| {
        paint(scene, palette, Scale::SVG, backend)
    })
}

/// A whole SVG file of that size in CSS pixels with what `draw` draws on the paper's colour.
///
/// # Errors
/// Where `draw` does.
pub fn drawing_svg(
    width_css: f64,
    height_css: f64,
    palette: &Palette,
    draw: impl FnOnce(&mut SVGBackend<'_>) -> Result<(), DrawError>,
) -> Result<String, DrawError> {
    let size = (Scale::SVG.extent(width_css), Scale::SVG.extent(height_css));
    let mut text = String::new();
    let mut backend = SVGBackend::with_string(&mut text, size);
    draw(&mut backend)?;
    plotters::backend::DrawingBackend::present(&mut backend).map_err(|_| DrawError)?;
    drop(backend);
    // The first line is plotters' opening tag, which has no view box.
    let (_, shapes) = text.split_once('\n').ok_or(DrawError)?;
    let Rgb(red, green, blue) = palette.paper;
    let (width, height) = size;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" viewBox=\"0 0 {width} {height}\" \
         stroke-linejoin=\"round\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#{red:02X}{green:02X}{blue:02X}\"/>\n{shapes}"
    ))
}
