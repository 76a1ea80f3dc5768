//! From a snapshot to pictures: pure functions to shapes in CSS pixels, and from there onto any
//! backend of plotters. Canvases, SVG and tests are painted by the same code.
//!
//! There is no word of any language here: texts come in finished, as [`labels::SceneLabels`] and
//! through the functions of a [`chart::ChartRequest`]. There is no web here, no measuring and no
//! clock.

mod backend;
pub mod both;
pub mod chart;
mod consumers;
mod dead_letters;
mod grid;
pub mod labels;
mod lane;
pub mod log;
pub mod measure;
mod narrow;
pub mod paint;
pub mod palette;
mod queue;
pub mod scale;
pub mod scene;
pub mod shape;
mod sketch;
pub mod svg;
pub mod target;
mod wide;

pub use backend::MeasuredBackend;

#[cfg(test)]
use crate::{draw, model};
#[cfg(test)]
#[path = "../../tests/it/pictures/log_samples.rs"]
mod log_samples;
#[cfg(test)]
mod recording;
#[cfg(test)]
#[path = "../../tests/it/pictures/samples.rs"]
mod samples;
#[cfg(test)]
mod tests;
