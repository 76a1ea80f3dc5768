//! The page, as a Yew component: a [`ViewModel`](crate::app::view::ViewModel) in, messages out.
//!
//! Nothing here decides anything, keeps model state, or holds a text that people read; every text
//! is a field of the view or a key of its locale. It compiles natively, where tests render it to
//! HTML. The four canvases stay empty here: whoever draws reaches them through node references.
//!
//! There is one component, and one kind of listener: each further one of either would bring its
//! own copy of Yew's code for it.

// A panic while rendering would freeze every widget of its instance without a word.
#![deny(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod acts;
mod break_it;
mod charts;
mod controls;
mod dead_letters;
mod dial;
mod disclosure;
mod element;
mod file;
mod focus;
mod glossary;
mod guard;
mod header;
mod icons;
mod kept;
mod list;
mod log_actions;
mod more;
mod notices;
mod page;
mod present;
mod rewind;
mod share;
mod status;
mod story;
mod switch;
mod table;
mod trace;
mod widget;

pub use widget::{Widget, WidgetProps};
