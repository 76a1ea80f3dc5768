//! Queue Lab
#[warn(missing_docs)]
pub mod model;
