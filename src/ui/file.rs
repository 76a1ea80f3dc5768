//! Opening a scenario file.

use super::acts::{Act, On};
use super::element::{Element, classed, element};
use super::page::Page;
use crate::app::access::Control;

/// "Open a scenario file": the input lies invisibly over its label, so that a file can be dropped
/// on it and the keyboard reaches it.
pub(super) fn file(page: &Page) -> Element {
    let input = element("input").with("type", "file").with("accept", ".json");
    let label = classed("label", "button file").with_flag("hidden", page.is_hidden(Control::File));
    label.text(page.say("file.open")).child(page.hearing(input, On::Change, Act::OpenFile))
}
