//! The link that restores the run, and the run as a file.

use super::acts::{Act, Panel};
use super::element::{Element, classed};
use super::page::Page;
use crate::app::saving::Saved;

/// The panel; its button stands in the header.
pub(super) fn share(page: &Page) -> Element {
    let is_open = page.kept.is_open(Panel::Share);
    let place = classed("div", "share")
        .with("id", &page.id("share"))
        .with("role", "group")
        .with("aria-label", page.say("share.label"))
        .with_flag("hidden", !is_open);
    if is_open { filled(page, place) } else { place }
}

#[inline(never)]
fn filled(page: &Page, place: Element) -> Element {
    let id = page.id("link");
    let view = page.view.share.as_ref();
    let link = view.and_then(|view| view.link.as_ref()).map(|link| {
        let field = classed("input", "link")
            .with("type", "text")
            .with("id", &id)
            .with("readonly", "readonly")
            .with("spellcheck", "false")
            .value(link);
        let label = classed("label", "label").with("for", &id).text(page.say("share.link"));
        let copy = page.button("button", Act::Copy).text(page.say("share.copy"));
        classed("div", "share-row").child(label).child(field).child(copy)
    });
    let save = page.button("button", Act::Save).text(page.say("share.save"));
    let save_as = |what: Saved, key| page.button("button", Act::SaveAs(what)).text(page.say(key));
    let svg = save_as(Saved::Svg, "share.svg");
    let png = save_as(Saved::Png, "share.png");
    let data = save_as(Saved::Data, "share.data");
    place
        .maybe(link)
        .child(classed("p", "note").maybe_text(view.map(|view| view.note.as_str())))
        .child(classed("div", "share-row").child(save).child(svg).child(png).child(data))
}
