//! Canvases: crisp at any device pixel ratio, cleared before they are painted.

use plotters_canvas::CanvasBackend;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement};

use super::browser;
use crate::app::App;
use crate::app::picture::{self, CanvasSize, PictureWords};
use crate::draw::chart::{ChartKind, paint_chart};
use crate::draw::measure::{FONT_FAMILY, SAMPLE, Weight, text_width};
use crate::draw::paint::paint;
use crate::draw::palette::{Palette, Rgb};
use crate::draw::scale::{CANVAS_UNITS_PER_PIXEL, Scale};

/// Charts that stand side by side where everything is large, with what lies between them.
const CHARTS_IN_A_ROW: f64 = 2.1;

/// Paints the picture.
pub fn paint_scene(canvas: &HtmlCanvasElement, app: &App, words: &PictureWords) {
    let width_css = f64::from(canvas.client_width());
    let zoom = picture::zoom(app, width_css);
    set_height(canvas, zoom * picture::height(app, words, width_css / zoom));
    let Some(surface) = Surface::of(canvas, zoom) else { return };
    let scene = picture::scene(app, words, surface.size);
    surface.paint(|backend, scale| paint(&scene, picture::palette(app), scale, backend).is_ok());
}

/// Paints the chart of that kind.
pub fn paint_one_chart(canvas: &HtmlCanvasElement, kind: ChartKind, app: &App) {
    let width_css = f64::from(canvas.client_width());
    let Some(surface) = Surface::of(canvas, picture::zoom(app, CHARTS_IN_A_ROW * width_css)) else { return };
    let chart = picture::chart_of(app, kind, surface.size);
    surface.paint(|backend, scale| paint_chart(&chart, picture::palette(app), scale, backend).is_ok());
}

/// A canvas whose bitmap fits its box.
struct Surface<'a> {
    canvas: &'a HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    scale: Scale,
    size: CanvasSize,
}

impl<'a> Surface<'a> {
    /// `None` while the canvas has no size, as in a closed part of the page.
    fn of(canvas: &'a HtmlCanvasElement, zoom: f64) -> Option<Self> {
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let (width_css, height_css) = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        let (width_css, height_css) = (width_css / zoom, height_css / zoom);
        let scale = Scale::canvas(browser::device_pixel_ratio() * zoom);
        let (width, height) = (scale.pixels(width_css), scale.pixels(height_css));
        if width == 0 || height == 0 {
            return None;
        }
        // Setting a canvas's size clears it and forgets its transform, so only on a change.
        if (canvas.width(), canvas.height()) != (width, height) {
            canvas.set_width(width);
            canvas.set_height(height);
        }
        let size = CanvasSize { width_css, height_css, font_width: font_width(&context) };
        Some(Self { canvas, context, scale, size })
    }

    fn paint(&self, draw: impl FnOnce(&mut CanvasBackend, Scale) -> bool) {
        let unit = 1.0 / f64::from(CANVAS_UNITS_PER_PIXEL);
        let (width, height) = (f64::from(self.canvas.width()), f64::from(self.canvas.height()));
        let is_ready = self.context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0).is_ok();
        self.context.clear_rect(0.0, 0.0, width, height);
        let is_scaled = self.context.set_transform(unit, 0.0, 0.0, unit, 0.0, 0.0).is_ok();
        let backend = CanvasBackend::with_canvas_object(self.canvas.clone());
        let Some(mut backend) = backend.filter(|_| is_ready && is_scaled) else { return };
        if !draw(&mut backend, self.scale) {
            web_sys::console::warn_1(&JsValue::from_str("queue-lab: a canvas could not be painted"));
        }
    }
}

fn set_height(canvas: &HtmlCanvasElement, height_css: f64) {
    let style = canvas.unchecked_ref::<HtmlElement>().style();
    // A style that cannot be set leaves the sheet's height, which is as good.
    style.set_property("height", &format!("{height_css}px")).ok();
}

/// What is on a canvas as a PNG picture on paper, as an address that holds it.
#[inline(never)]
pub fn png(canvas: &HtmlCanvasElement, palette: &Palette) -> Option<String> {
    let copy: HtmlCanvasElement =
        browser::window()?.document()?.create_element("canvas").ok()?.dyn_into().ok()?;
    copy.set_width(canvas.width());
    copy.set_height(canvas.height());
    let context: CanvasRenderingContext2d = copy.get_context("2d").ok()??.dyn_into().ok()?;
    let Rgb(red, green, blue) = palette.paper;
    context.set_fill_style_str(&format!("rgb({red},{green},{blue})"));
    context.fill_rect(0.0, 0.0, f64::from(copy.width()), f64::from(copy.height()));
    context.draw_image_with_html_canvas_element(canvas, 0.0, 0.0).ok()?;
    copy.to_data_url().ok()
}

/// How wide the page's typeface is on a canvas, in thousandths of what is expected.
pub fn font_thousandths(canvas: &HtmlCanvasElement) -> Option<i32> {
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    #[allow(clippy::cast_possible_truncation)]
    Some((font_width(&context) * 1_000.0) as i32)
}

fn font_width(context: &CanvasRenderingContext2d) -> f64 {
    const SIZE: f64 = 16.0;
    context.set_font(&format!("{SIZE}px {FONT_FAMILY}"));
    let estimated = text_width(SAMPLE, SIZE, Weight::Regular);
    context.measure_text(SAMPLE).map_or(1.0, |measured| measured.width() / estimated)
}
