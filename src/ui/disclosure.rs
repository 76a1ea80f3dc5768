//! A button that shows and hides what belongs to it.

use super::acts::{Act, Panel};
use super::element::{Element, classed};
use super::icons;
use super::page::Page;

/// Adds a disclosure to `parent`: a button with the text of `key`, and a panel with `content`.
///
/// The two are siblings, so that the button can stand in a row of others and the panel below the
/// whole row. (`details` would have to be one box.)
pub(super) fn disclose(
    page: &Page,
    parent: Element,
    panel: Panel,
    (id, key): (&str, &str),
    content: Element,
) -> Element {
    let id = page.id(id);
    let is_open = page.kept.is_open(panel);
    let button = page
        .button("button disclose", Act::Open(panel, !is_open))
        .with("aria-controls", &id)
        .with("aria-expanded", if is_open { "true" } else { "false" })
        .text(page.say(key))
        .child(icons::CHEVRON.element());
    let shown = classed("div", "panel").with("id", &id).with_flag("hidden", !is_open).child(content);
    parent.child(button).child(shown)
}
