//! Scenario files: their format, and the ones that are built in.

pub mod scenario_file;
pub mod built_in;
