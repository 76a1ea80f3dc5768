//! Everything that is tested natively, in one binary.

mod model;
mod page;
mod properties;

