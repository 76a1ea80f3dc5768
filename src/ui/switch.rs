//! The switch between the queue, the log and both.

use super::acts::Act;
use super::element::{Element, classed};
use super::page::Page;
use crate::app::log_view::Side;

/// Buttons side by side, of which one is pressed.
pub(super) fn switch(page: &Page) -> Element {
    let button = |side: Side, key: &str| {
        let is_shown = page.view.side == side;
        page.button("button side", Act::Show(side))
            .with("aria-pressed", if is_shown { "true" } else { "false" })
            .text(page.say(key))
    };
    classed("div", "sides")
        .with("role", "group")
        .with("aria-label", page.say("side.label"))
        .child(button(Side::Queue, "side.queue"))
        .child(button(Side::Log, "side.log"))
        .child(button(Side::Both, "side.both"))
}
