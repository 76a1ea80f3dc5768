//! Scenario files: their format, and the ones that are built in.

pub mod built_in;
pub mod scenario_file;
