//! The captions of the charts and the canvases they are drawn on.

use yew::NodeRef;

use super::acts::Panel;
use super::disclosure;
use super::element::{Element, classed, element};
use super::icons;
use super::page::Page;
use crate::app::view::ChartView;

/// The charts, side by side where there is room. There are as many canvases as references, with or
/// without a caption, so that none is ever replaced.
pub(super) fn charts(page: &Page, refs: &[NodeRef]) -> Element {
    let mut captions = page.view.charts.iter();
    let charts = refs.iter().map(|canvas| chart(captions.next(), canvas));
    charts.fold(classed("div", "charts"), Element::child)
}

fn chart(view: Option<&ChartView>, node: &NodeRef) -> Element {
    let caption = element("figcaption")
        .child(element("span").maybe_text(view.map(|chart| chart.title.as_str())))
        .child(element("b").maybe_text(view.map(|chart| chart.value.as_str())));
    let canvas = canvas(node, view.map(|chart| chart.description.as_str()));
    classed("figure", "chart").child(caption).child(canvas)
}

/// The further charts, and the button that opens them.
pub(super) fn further(page: &Page, refs: &[NodeRef]) -> Element {
    let button = disclosure::button(page, Panel::Charts, "charts")
        .text(page.say("charts.more"))
        .child(icons::CHEVRON.element());
    let shown = page.view.further_charts.iter().zip(refs);
    let charts = shown.map(|(view, canvas)| chart(Some(view), canvas));
    let content = charts.fold(classed("div", "charts"), Element::child);
    classed("div", "further").child(button).child(disclosure::panel(page, Panel::Charts, "charts", content))
}

/// A canvas, which is an image with a name.
pub(super) fn canvas(node: &NodeRef, name: Option<&str>) -> Element {
    let canvas = element("canvas").found_by(node).with("role", "img");
    match name {
        Some(name) => canvas.with("aria-label", name),
        None => canvas,
    }
}
