//! The run so far as a slider, and what is to be known of the past.

use super::acts::{Act, On, Place};
use super::element::{Element, classed, element};
use super::page::{Page, joined};
use crate::app::view::RewindView;

/// The slider. It keeps its place while there is nothing to look back at.
#[inline(never)]
pub(super) fn rewind(page: &Page) -> Element {
    let view = &page.view.rewind;
    let id = page.id("rewind");
    let label = classed("label", "label").with("for", &id).text(page.say("rewind.label"));
    let row = classed("div", "rewind-row")
        .child(label)
        .child(slider(page, view, &id))
        .child(classed("span", "rewind-end").with("aria-hidden", "true").text(&view.end));
    classed("div", "rewind").child(row).maybe(view.warning.as_ref().map(|warning| past(page, view, warning)))
}

fn slider(page: &Page, view: &RewindView, id: &str) -> Element {
    let position = view.position.to_string();
    let input = classed("input", "slider")
        .with("type", "range")
        .with("id", id)
        .with("min", "0")
        .with("max", &view.last.to_string())
        .with("step", "1")
        .with("aria-valuetext", &view.spoken)
        .with_flag("disabled", view.last == 0)
        .value(page.kept.held(Place::Rewind).unwrap_or(&position));
    let input = page.hearing(input, On::Input, Act::Rewind);
    [On::Change, On::PointerCancel, On::Blur]
        .into_iter()
        .fold(input, |input, kind| page.hearing(input, kind, Act::LetGo(Place::Rewind)))
}

fn past(page: &Page, view: &RewindView, warning: &str) -> Element {
    let button = view.back.as_ref().map(|back| page.button("chip", Act::ReturnToTheEnd).text(back));
    element("p").with("class", "past").with("id", &joined(page.prefix, "past")).text(warning).maybe(button)
}
