//! What a click does and what the page shows, without a browser.

mod actions;
mod balance;
pub mod breaking;
pub mod dead_letters;
pub mod dials;
pub mod export;
pub mod history;
pub mod host;
pub mod labels;
pub mod link;
mod log_dead_letters;
mod log_labels;
mod log_poison;
mod log_table;
pub mod log_view;
pub mod message;
pub mod notice;
pub mod picture;
mod poison;
mod present;
pub mod promtool;
pub mod replay;
mod rewind;
mod run;
pub mod share;
pub mod speed;
mod start;
mod state;
mod table;
mod uneven;
pub mod view;

pub use present::view as view_of;
pub use run::Run;
pub use state::{App, FILE_BYTES_MAX};
