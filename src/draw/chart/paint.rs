//! Charts onto any backend: lines and areas by plotters, axes by the same hand as the picture.

use plotters::prelude::{IntoDrawingArea, PathElement, Polygon, RGBAColor, ShapeStyle};
use plotters_backend::{BackendCoord, DrawingBackend};

use crate::draw::backend::MeasuredBackend;
use crate::draw::measure::{Weight, text_width};
use crate::draw::paint::{DrawError, Painter};
use crate::draw::palette::{Palette, Role};
use crate::draw::scale::{Scale, to_i32};
use crate::draw::shape::{Anchor, Ink, Point, Stroke};
use crate::draw::sketch::Hand;
use crate::draw::svg::drawing_svg;

use super::line::Vertex;
use super::model::{ChartKind, ChartModel, LABEL_SIZE, Tick};

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
    let mut painter = Painter::new(palette, scale, backend);
    beneath(&mut painter, chart);
    let stroke = match chart.kind {
        ChartKind::Throughput => Stroke::dashed(Role::Consumer, LINE_WIDTH, 3.5),
        _ => Stroke::solid(Role::Outline, 1.0),
    };
    chart.others.iter().for_each(|line| lane(&mut painter, chart, line, stroke));
    past(&mut painter, chart);
    above(&mut painter, chart);
    painter.finish()
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

/// The line of one partition, thin; or of what went out.
#[inline(never)]
fn lane<B: DrawingBackend>(
    painter: &mut Painter<'_, B>,
    chart: &ChartModel,
    line: &[Vertex],
    stroke: Stroke,
) {
    let place = |vertex: &Vertex| {
        let is_number = vertex.seconds.is_finite() && vertex.value.is_finite();
        is_number.then(|| Point::new(chart.x_of(vertex.seconds), chart.y_of(vertex.value)))
    };
    let points: Vec<Point> = line.iter().filter_map(place).collect();
    if points.len() > 1 {
        painter.stroke_path(&points, stroke);
    }
}

/// The line of the past and the area beneath it, by plotters. Its coordinates and its chart
/// builder are not needed for that and cost 3 kB of the first load.
fn past<B: DrawingBackend>(painter: &mut Painter<'_, B>, chart: &ChartModel) {
    let Painter { palette, scale, .. } = *painter;
    let places: Vec<_> = chart.line.iter().filter_map(|vertex| place(chart, scale, *vertex)).collect();
    let [first, .., last] = places[..] else { return };
    let color = palette.color(chart.kind.role());
    let style = |alpha: f64| ShapeStyle {
        color: RGBAColor(color.0, color.1, color.2, alpha),
        filled: true,
        stroke_width: scale.stroke(LINE_WIDTH),
    };
    let zero = bottom(chart, scale);
    let mut beneath = lower_edge(&places, scale);
    beneath.extend([(last.0, zero), (first.0, zero)]);
    let size = (scale.extent(chart.width_css), scale.extent(chart.height_css));
    let area = MeasuredBackend::new(&mut *painter.backend, size).into_drawing_area();
    let filled = area.draw(&Polygon::new(beneath, style(AREA_ALPHA)));
    let drawn = area.draw(&PathElement::new(places, style(1.0)));
    drop(area);
    painter.note(filled);
    painter.note(drawn);
}

/// The lower edge of a line, as few corners as fill the same area: of a column of pixels that the
/// line goes up and down in, its lowest corner and its last. What lies above is the line itself, and
/// to fill along every corner would take longer than all the rest.
fn lower_edge(places: &[BackendCoord], scale: Scale) -> Vec<BackendCoord> {
    let unit = scale.crisp(1.0).max(1);
    let mut edge = Vec::with_capacity(places.len());
    for corners in places.chunk_by(|one, other| one.0 / unit == other.0 / unit) {
        let lowest = corners.iter().max_by_key(|corner| corner.1);
        match (lowest, corners.last()) {
            (Some(lowest), Some(last)) if corners.len() > 3 => edge.extend([*lowest, *last]),
            _ => edge.extend_from_slice(corners),
        }
    }
    edge
}

/// Where `vertex` is, in the backend's units and within the axes; `None` where it is no number.
fn place(chart: &ChartModel, scale: Scale, vertex: Vertex) -> Option<BackendCoord> {
    if !vertex.seconds.is_finite() || !vertex.value.is_finite() {
        return None;
    }
    let (left, top) = (scale.crisp(chart.plot.x), scale.crisp(chart.plot.y));
    let (right, bottom) = (right(chart, scale), bottom(chart, scale));
    let x = along(right - left, vertex.seconds / chart.length);
    let y = along(bottom - top, vertex.value / chart.top);
    Some((left + x, bottom - y))
}

/// The last column of units within the axes.
fn right(chart: &ChartModel, scale: Scale) -> i32 {
    to_i32(f64::from(scale.extent(chart.width_css))) - scale.crisp(chart.width_css - chart.plot.right()) - 1
}

/// The last row of units within the axes.
fn bottom(chart: &ChartModel, scale: Scale) -> i32 {
    to_i32(f64::from(scale.extent(chart.height_css)))
        - scale.crisp(chart.height_css - chart.plot.bottom())
        - 1
}

/// The whole units of a share of `length`; what misses one by a rounding error reaches it.
fn along(length: i32, share: f64) -> i32 {
    to_i32((f64::from(length) * share.clamp(0.0, 1.0) + 1e-3).floor())
}

/// What lies beneath the lines: the axis, the half-way line, now and the dial changes.
fn beneath<B: DrawingBackend>(painter: &mut Painter<'_, B>, chart: &ChartModel) {
    let plot = chart.plot;
    let hairline = Stroke::solid(Role::Line, 1.0);
    let outline = Stroke::solid(Role::Outline, 1.0);
    level(painter, chart, chart.top, hairline);
    level(painter, chart, chart.top / 2.0, hairline);
    level(painter, chart, 0.0, outline);
    for tick in &chart.ticks {
        upright(painter, chart.x_of(tick.seconds), plot.bottom(), plot.bottom() + 4.0);
    }
    for mark in &chart.marks {
        upright(painter, chart.x_of(mark.seconds), plot.y - 6.0, plot.bottom());
    }
}

fn level<B: DrawingBackend>(painter: &mut Painter<'_, B>, chart: &ChartModel, value: f64, stroke: Stroke) {
    let (plot, y) = (chart.plot, chart.y_of(value));
    painter.stroke_path(&[Point::new(plot.x, y), Point::new(plot.right(), y)], stroke);
}

fn upright<B: DrawingBackend>(painter: &mut Painter<'_, B>, x: f64, from: f64, to: f64) {
    painter.stroke_path(&[Point::new(x, from), Point::new(x, to)], Stroke::solid(Role::Outline, 1.0));
}

/// What lies above the lines: the bound, the outlook, now, and all text.
fn above<B: DrawingBackend>(painter: &mut Painter<'_, B>, chart: &ChartModel) {
    if let Some(bound) = chart.bound {
        level(painter, chart, bound, Stroke::dashed(Role::Lost, 1.0, 3.0));
    }
    let to_come: Vec<_> = chart.outlook.iter().map(|vertex| point(chart, *vertex)).collect();
    painter.stroke_path(&to_come, Stroke::dashed(chart.kind.role(), LINE_WIDTH, 3.5));
    if let Some(last) = chart.line.last() {
        let ink = Ink::solid(chart.kind.role());
        painter.dot(point(chart, *last), 3.0, Some(ink), None, true);
    }
    value_texts(painter, chart);
    time_texts(painter, chart);
    mark_texts(painter, chart);
}

fn value_texts<B: DrawingBackend>(painter: &mut Painter<'_, B>, chart: &ChartModel) {
    let plot = chart.plot;
    let room = (plot.x - 2.0) * 1.5;
    for (label, y) in [(&chart.top_label, plot.y), (&chart.zero_label, plot.bottom() - 1.0)] {
        if width_of(label) <= room {
            write(painter, label, Point::new(plot.x - 5.0, y), Anchor::End);
        }
    }
}

fn time_texts<B: DrawingBackend>(painter: &mut Painter<'_, B>, chart: &ChartModel) {
    let y = chart.plot.bottom() + 12.0;
    let mut free_from = 0.0;
    for tick in &chart.ticks {
        let width = width_of(&tick.label);
        let left = (chart.x_of(tick.seconds) - width / 2.0).min(chart.width_css - width).max(0.0);
        if left >= free_from {
            write(painter, &tick.label, Point::new(left, y), Anchor::Start);
            free_from = left + width + 4.0;
        }
    }
}

/// Letters beside dial changes, where one does not cover another.
fn mark_texts<B: DrawingBackend>(painter: &mut Painter<'_, B>, chart: &ChartModel) {
    let mut free_from = chart.plot.x;
    for Tick { seconds, label } in &chart.marks {
        let width = width_of(label);
        let left = chart.x_of(*seconds) + 3.0;
        if label.is_empty() || left < free_from || left + width > chart.width_css {
            continue;
        }
        write(painter, label, Point::new(left, 6.0), Anchor::Start);
        free_from = left + width + 4.0;
    }
}

fn point(chart: &ChartModel, vertex: Vertex) -> Point {
    Point::new(chart.x_of(vertex.seconds), chart.y_of(vertex.value))
}

fn width_of(label: &str) -> f64 {
    text_width(label, LABEL_SIZE, Weight::Regular)
}

fn write<B: DrawingBackend>(painter: &mut Painter<'_, B>, label: &str, at: Point, anchor: Anchor) {
    let hand = Hand::new(anchor, Weight::Regular, Role::Soft);
    painter.write(label, at, LABEL_SIZE, hand);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dense_column_is_filled_to_its_lowest_corner_and_a_jump_is_kept() {
        let jump = [(0, 90), (5, 90), (5, 10), (40, 10)];
        assert_eq!(lower_edge(&jump, Scale::SVG), jump, "three corners in ten units, a pixel here");
        let dense = [(0, 50), (10, 40), (12, 70), (15, 20), (19, 45), (20, 60)];
        assert_eq!(lower_edge(&dense, Scale::SVG), [(0, 50), (12, 70), (19, 45), (20, 60)]);
    }
}
