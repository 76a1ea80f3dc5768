//! What was wrong with a link, a file or a number, until it is closed.

use super::acts::{Act, Panel};
use super::element::{Element, classed, element};
use super::icons;
use super::page::Page;

/// The notices, or nothing. Once closed, their button stays and shows them again: were it gone, a
/// keyboard would be thrown back to the top of the page.
pub(super) fn notices(page: &Page) -> Option<Element> {
    if page.kept.notices.is_empty() { None } else { Some(list(page)) }
}

#[inline(never)]
fn list(page: &Page) -> Element {
    let is_open = page.kept.is_open(Panel::Notices);
    let (class, label) =
        if is_open { ("step", page.say("notices.close")) } else { ("chip", page.say("notices.show")) };
    let shown = page.kept.notices.iter().filter(|_| is_open);
    let lines = shown.map(|notice| element("li").text(notice).into()).collect();
    let button = page.button(class, Act::Open(Panel::Notices, !is_open)).with("aria-label", label);
    let button = if is_open { button.child(icons::CLOSE.element()) } else { button.text(label) };
    classed("div", if is_open { "notices" } else { "notices closed" })
        .with("role", "group")
        .with("aria-label", page.say("notices.label"))
        .child(element("ul").with_flag("hidden", !is_open).all(lines))
        .child(button)
}
