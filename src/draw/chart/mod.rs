//! Small charts over time: waiting, oldest age, lost.
//!
//! A [`ChartModel`] is plain data that follows from buckets, a snapshot and a request;
//! [`paint_chart`] draws it with plotters.

mod further;
mod line;
mod model;
mod paint;
mod ticks;
mod window;

pub use further::Course;
pub use line::Vertex;
pub use model::{ChartKind, ChartMark, ChartModel, ChartRequest, Tick};
pub use paint::{chart_svg, paint_chart};
pub use window::{ChartWindow, chart_window, resolution_for};
