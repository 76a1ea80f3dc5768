//! Opening a scenario file.

use super::acts::{Act, On};
use super::element::{Element, classed, element};
use super::page::Page;

/// "Open a scenario file": the input lies invisibly over its label, so that a file can be dropped
/// on it and the keyboard reaches it.
pub(super) fn file(page: &Page) -> Element {
    let input = element("input").with("type", "file").with("accept", ".json");
    classed("label", "button file").text(page.say("file.open")).child(page.hearing(
        input,
        On::Change,
        Act::OpenFile,
    ))
}
