//! The truth of every sentence about a log, told from the raw snapshot, from what was seen before, and
//! from the future of the run, and never by code of the narrator.

mod any_log;
mod check;
mod named;
mod next;
mod past;
mod reached;
mod transcripts;
mod whatever_happens;
