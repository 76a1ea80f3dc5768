//! From snapshots to sentences. Facts with numbers come first ([`remark`]), words second
//! ([`words`], through the patterns of a [`locale`]).
//!
//! Nothing here reads a clock or draws a random number, and no state is a float: the same
//! snapshots give the same sentences, whatever the frame rate and the speed. Real time comes in
//! as plain milliseconds, and only in [`pace`] and [`announce`].

pub mod announce;
pub mod both;
pub mod course;
pub mod facts;
pub mod format;
pub mod holds;
pub mod locale;
mod locale_file;
pub mod log;
pub mod narrator;
pub mod pace;
pub mod remark;
mod second_line;
mod seen;
pub mod trace;
pub mod trouble;
pub mod words;
