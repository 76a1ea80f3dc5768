//! Charts onto any backend: lines and areas by plotters, axes by the same hand as the picture.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{Cartesian2d, IntoDrawingArea, PathElement, Polygon, RGBAColor, ShapeStyle};
use plotters_backend::DrawingBackend;

use crate::draw::backend::MeasuredBackend;
use crate::draw::measure::{Weight, text_width};
use crate::draw::paint::{DrawError, Painter, dash_ends};
use crate::draw::palette::{Palette, Role};
use crate::draw::scale::Scale;
use crate::draw::shape::{Anchor, Ink, Point, Shape, Stroke, Text};
use crate::draw::svg::drawing_svg;

use super::line::Vertex;
use super::model::{ChartModel, LABEL_SIZE, Tick};

const LINE_WIDTH: f64 = 2.0;
const AREA_ALPHA: f64 = 0.18;

/// Below this size in CSS pixels there is nothing to see.
const PLOT_MIN: f64 = 8.0;

/// Paints `chart`, whose background the caller has cleared; on a canvas the context must be
/// scaled as for [`paint`](crate::draw::paint::paint). Where there is no room nothing is painted.
///
/// # Errors
/// Where the backend fails.
pub fn paint_chart<B: DrawingBackend>(
    chart: &ChartModel,
    palette: &Palette,
    scale: Scale,
    backend: &mut B,
) -> Result<(), DrawError> {
    if chart.plot.width < PLOT_MIN || chart.plot.height < PLOT_MIN {
        return Ok(());
    }
    let mut axes = Painter { palette, scale, backend: &mut *backend };
    beneath(chart).iter().try_for_each(|shape| axes.shape(shape))?;
    lines(chart, palette, scale, backend)?;
    let mut axes = Painter { palette, scale, backend };
    above(chart).iter().try_for_each(|shape| axes.shape(shape))
}

/// `chart` as a whole SVG file.
///
/// # Errors
/// Where plotters' SVG backend fails.
pub fn chart_svg(chart: &ChartModel, palette: &Palette) -> Result<String, DrawError> {
    drawing_svg(chart.width_css, chart.height_css, palette, |backend| {
        paint_chart(chart, palette, Scale::SVG, backend)
    })
}

/// The area and the line of the past, by plotters. Its chart builder, which also lays out titles
/// and labels, is not needed here and costs 2 kB of the first load.
fn lines<B: DrawingBackend>(
    chart: &ChartModel,
    palette: &Palette,
    scale: Scale,
    backend: &mut B,
) -> Result<(), DrawError> {
    let points: Vec<_> = chart.line.iter().filter_map(|vertex| finite(chart, *vertex)).collect();
    let [(first, _), .., (last, _)] = points[..] else { return Ok(()) };
    let size = (scale.extent(chart.width_css), scale.extent(chart.height_css));
    let plot = chart.plot;
    let area = MeasuredBackend::new(backend, size).into_drawing_area().margin(
        scale.crisp(plot.y),
        scale.crisp(chart.height_css - plot.bottom()),
        scale.crisp(plot.x),
        scale.crisp(chart.width_css - plot.right()),
    );
    let (x, y) = area.get_pixel_range();
    let pixels = (x.start..x.end - 1, y.end - 1..y.start);
    let coordinates: Cartesian2d<RangedCoordf64, RangedCoordf64> =
        Cartesian2d::new(0.0..chart.length, 0.0..chart.top, pixels);
    let area = area.apply_coord_spec(coordinates);
    let color = palette.color(chart.kind.role());
    let style = |alpha: f64| ShapeStyle {
        color: RGBAColor(color.0, color.1, color.2, alpha),
        filled: true,
        stroke_width: scale.stroke(LINE_WIDTH),
    };
    let beneath: Vec<_> = points.iter().copied().chain([(last, 0.0), (first, 0.0)]).collect();
    area.draw(&Polygon::new(beneath, style(AREA_ALPHA))).map_err(DrawError::of)?;
    area.draw(&PathElement::new(points, style(1.0))).map_err(DrawError::of)
}

/// plotters takes only numbers, and only within the axes.
fn finite(chart: &ChartModel, vertex: Vertex) -> Option<(f64, f64)> {
    let is_finite = vertex.seconds.is_finite() && vertex.value.is_finite();
    is_finite.then(|| (vertex.seconds.max(0.0).min(chart.length), vertex.value.max(0.0).min(chart.top)))
}

/// What lies beneath the lines: the axis, the half-way line, now and the dial changes.
fn beneath(chart: &ChartModel) -> Vec<Shape> {
    let plot = chart.plot;
    let level = |value: f64, stroke: Stroke| {
        let y = chart.y_of(value);
        path(Point::new(plot.x, y), Point::new(plot.right(), y), stroke)
    };
    let mut shapes = vec![
        level(chart.top, Stroke::solid(Role::Line, 1.0)),
        level(chart.top / 2.0, Stroke::solid(Role::Line, 1.0)),
        level(0.0, Stroke::solid(Role::Outline, 1.0)),
    ];
    for tick in &chart.ticks {
        let x = chart.x_of(tick.seconds);
        let stroke = Stroke::solid(Role::Outline, 1.0);
        shapes.push(path(Point::new(x, plot.bottom()), Point::new(x, plot.bottom() + 4.0), stroke));
    }
    for mark in &chart.marks {
        let x = chart.x_of(mark.seconds);
        let stroke = Stroke::solid(Role::Outline, 1.0);
        shapes.push(path(Point::new(x, plot.y - 6.0), Point::new(x, plot.bottom()), stroke));
    }
    shapes
}

/// What lies above the lines: the bound, the outlook, now, and all text.
fn above(chart: &ChartModel) -> Vec<Shape> {
    let plot = chart.plot;
    let mut shapes = Vec::new();
    if let Some(bound) = chart.bound {
        let y = chart.y_of(bound);
        let stroke = Stroke::dashed(Role::Lost, 1.0, 3.0);
        shapes.push(path(Point::new(plot.x, y), Point::new(plot.right(), y), stroke));
    }
    let to_come: Vec<_> = chart.outlook.iter().map(|vertex| point(chart, *vertex)).collect();
    let stroke = Stroke::solid(chart.kind.role(), LINE_WIDTH);
    for (from, to) in dash_ends(&to_come, 3.5) {
        shapes.push(path(from, to, stroke));
    }
    if let Some(last) = chart.line.last() {
        let (center, ink) = (point(chart, *last), Ink::solid(chart.kind.role()));
        shapes.push(Shape::Dot { center, radius: 3.0, fill: Some(ink), edge: None, is_moving: true });
    }
    value_texts(chart, &mut shapes);
    time_texts(chart, &mut shapes);
    mark_texts(chart, &mut shapes);
    shapes
}

fn value_texts(chart: &ChartModel, shapes: &mut Vec<Shape>) {
    let plot = chart.plot;
    for (label, y) in [(&chart.top_label, plot.y), (&chart.zero_label, plot.bottom() - 1.0)] {
        let room = plot.x - 2.0;
        if text_width(label, LABEL_SIZE, Weight::Regular) <= room * 1.5 {
            shapes.push(text(label, Point::new(plot.x - 5.0, y), Anchor::End));
        }
    }
}

fn time_texts(chart: &ChartModel, shapes: &mut Vec<Shape>) {
    let y = chart.plot.bottom() + 12.0;
    let mut free_from = 0.0;
    for tick in &chart.ticks {
        let width = text_width(&tick.label, LABEL_SIZE, Weight::Regular);
        let left = (chart.x_of(tick.seconds) - width / 2.0).min(chart.width_css - width).max(0.0);
        if left >= free_from {
            shapes.push(text(&tick.label, Point::new(left, y), Anchor::Start));
            free_from = left + width + 4.0;
        }
    }
}

/// Letters beside dial changes, where one does not cover another.
fn mark_texts(chart: &ChartModel, shapes: &mut Vec<Shape>) {
    let mut free_from = chart.plot.x;
    for Tick { seconds, label } in &chart.marks {
        let width = text_width(label, LABEL_SIZE, Weight::Regular);
        let left = chart.x_of(*seconds) + 3.0;
        if label.is_empty() || left < free_from || left + width > chart.width_css {
            continue;
        }
        shapes.push(text(label, Point::new(left, 6.0), Anchor::Start));
        free_from = left + width + 4.0;
    }
}

fn point(chart: &ChartModel, vertex: Vertex) -> Point {
    Point::new(chart.x_of(vertex.seconds), chart.y_of(vertex.value))
}

fn path(from: Point, to: Point, stroke: Stroke) -> Shape {
    Shape::Path { points: vec![from, to], stroke }
}

fn text(label: &str, at: Point, anchor: Anchor) -> Shape {
    Shape::Text(Text {
        text: label.to_owned(),
        at,
        anchor,
        size: LABEL_SIZE,
        weight: Weight::Regular,
        role: Role::Soft,
    })
}
