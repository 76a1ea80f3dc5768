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
    shown: Panel,
    (id, key): (&str, &str),
    content: Element,
) -> Element {
    let button = button(page, shown, id).text(page.say(key)).child(icons::CHEVRON.element());
    parent.child(button).child(panel(page, shown, id, content))
}

/// The button alone, still without a name.
pub(super) fn button(page: &Page, shown: Panel, id: &str) -> Element {
    let is_open = page.kept.is_open(shown);
    page.button("button disclose", Act::Open(shown, !is_open))
        .with("aria-controls", &page.id(id))
        .with("aria-expanded", if is_open { "true" } else { "false" })
}

/// What the button shows and hides.
pub(super) fn panel(page: &Page, shown: Panel, id: &str, content: Element) -> Element {
    let is_open = page.kept.is_open(shown);
    classed("div", "panel").with("id", &page.id(id)).with_flag("hidden", !is_open).child(content)
}
