//! The truth of every sentence, told from the raw snapshot and from the future of the run, and
//! never by code of the narrator.

mod advice;
pub mod any_run;
mod both;
pub mod check;
mod forward;
mod log;
mod named;
mod reached;
mod second_line;
pub mod story;
mod traces;
pub mod transcripts;
mod trouble;
mod whatever_happens;
