//! What one can do to the run besides turning dials.

use super::acts::{Act, On};
use super::element::{Element, classed, element};
use super::page::Page;

/// The row of things to break.
pub(super) fn actions(page: &Page) -> Element {
    let label = page.id("actions");
    classed("div", "actions")
        .with("role", "group")
        .with("aria-labelledby", &label)
        .child(element("span").with("id", &label).text(page.say("actions.label")))
        .child(page.button("button", Act::Burst).text(page.say("actions.burst")))
}

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
