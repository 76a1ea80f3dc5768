//! Everything that is tested natively, in one binary.

mod app;
mod documents;
mod equality;
mod faults;
mod hostile;
mod known_numbers;
mod log_view;
mod model;
mod page;
mod pictures;
mod promtool;
mod properties;
mod rules;
mod sentences;
mod theory;
mod tidy;
mod timeline;
mod truth;
mod vectors;
