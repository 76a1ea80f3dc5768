//! What somebody who stands in front of a room needs: the whole screen, the projector's colours, the
//! list of keys.

use super::acts::{Act, Panel};
use super::element::{Element, classed, element};
use super::icons::{self, Icon};
use super::page::Page;
use crate::app::view::{HelpView, ThemeName};

/// The buttons, in the header.
pub(super) fn buttons(page: &Page) -> Element {
    let is_projector = page.view.theme == ThemeName::Projector;
    let is_open = page.kept.is_open(Panel::Help);
    classed("div", "present")
        .with("role", "group")
        .with("aria-label", page.say("present.label"))
        .child(switch(
            page,
            Act::FullScreen,
            icons::FULL_SCREEN,
            "present.full_screen",
            page.view.is_full_screen,
        ))
        .child(switch(page, Act::Projector, icons::PROJECTOR, "present.projector", is_projector))
        .child(
            named(page, "button quiet keys", Act::Open(Panel::Help, !is_open), icons::KEYS, "present.help")
                .with("aria-controls", &page.id("help"))
                .with("aria-expanded", if is_open { "true" } else { "false" }),
        )
}

fn switch(page: &Page, act: Act, icon: Icon, key: &str, is_on: bool) -> Element {
    named(page, "button quiet", act, icon, key).with("aria-pressed", if is_on { "true" } else { "false" })
}

fn named(page: &Page, class: &'static str, act: Act, icon: Icon, key: &str) -> Element {
    page.button(class, act)
        .with("title", page.say(key))
        .child(icon.element())
        .child(classed("span", "heard").text(page.say(key)))
}

/// The list of keys.
pub(super) fn help(page: &Page) -> Element {
    let is_open = page.kept.is_open(Panel::Help);
    let place = classed("div", "share keys-help")
        .with("id", &page.id("help"))
        .with("role", "group")
        .with("aria-label", page.say("present.help"))
        .with_flag("hidden", !is_open);
    match page.view.help.as_ref().filter(|_| is_open) {
        Some(view) => filled(page, view, place),
        None => place,
    }
}

#[inline(never)]
fn filled(page: &Page, view: &HelpView, place: Element) -> Element {
    let rows = view.keys.iter().map(|key| {
        element("div")
            .child(element("dt").child(element("kbd").text(&key.key)))
            .child(element("dd").text(&key.does))
            .into()
    });
    place
        .child(classed("dl", "keys-list").all(rows.collect()))
        .child(classed("p", "note").text(&view.note))
        .child(page.button("button", Act::Open(Panel::Help, false)).text(&view.close))
}
