//! The journey of a message: which one, where it is, and what happened to it.

use super::acts::{Act, On, Panel};
use super::disclosure;
use super::element::{Element, classed, element};
use super::icons;
use super::page::{Page, joined};
use crate::app::view::{TraceLine, TracePicks, TraceView};

/// Adds the button and what it opens to `foot`.
pub(super) fn trace(page: &Page, foot: Element) -> Element {
    let button = disclosure::button(page, Panel::Trace, "trace")
        .text(page.say("trace.open"))
        .child(icons::CHEVRON.element());
    let content = page.view.trace.as_ref().map(|view| opened(page, view));
    let content = element("div").maybe(content);
    foot.child(button).child(disclosure::panel(page, Panel::Trace, "trace", content))
}

#[inline(never)]
fn opened(page: &Page, view: &TraceView) -> Element {
    let picks = view.picks.iter().map(|picks| row(page, picks).into()).collect();
    let at_hand = classed("div", "trace-picks")
        .with("role", "group")
        .with("aria-label", page.say("trace.at_hand"))
        .all(picks);
    let renew = view.renew.as_ref().map(|text| page.button("button", Act::RenewPicks).text(text));
    let head = classed("div", "trace-head").child(field(page, view)).maybe(renew);
    classed("div", "trace").child(head).child(at_hand).child(journey(page, view))
}

fn field(page: &Page, view: &TraceView) -> Element {
    let id = page.id("message");
    let problem = joined(&id, "problem");
    let input = classed("input", "entry")
        .with("id", &id)
        .with("type", "text")
        .with("inputmode", "numeric")
        .with("autocomplete", "off")
        .with("aria-describedby", &problem)
        .with("aria-invalid", if view.problem.is_some() { "true" } else { "false" });
    let input = page.hearing(input, On::Change, Act::EnterMessage);
    classed("div", "trace-field")
        .child(classed("label", "label").with("for", &id).text(page.say("trace.field")))
        .child(input)
        .child(
            classed("p", "problem")
                .with("id", &problem)
                .maybe(view.problem.as_ref().map(|_| icons::ALARM.element()))
                .maybe_text(view.problem.as_deref()),
        )
}

fn row(page: &Page, picks: &TracePicks) -> Element {
    let buttons = picks.picks.iter().map(|pick| {
        page.button("button pick", Act::Pick(pick.producer, pick.number))
            .with("aria-label", &pick.spoken)
            .text(&pick.label)
    });
    let label = element("span").text(&picks.label);
    buttons.fold(classed("div", "trace-row").child(label), Element::child)
}

fn journey(page: &Page, view: &TraceView) -> Element {
    let title = page.id("journey");
    let verdict = view.verdict.iter().map(|text| element("p").text(text).into()).collect();
    let lines = view.lines.iter().map(|shown| line(shown).into()).collect();
    let list = element("ol").with("aria-labelledby", &title).all(lines);
    let has_journey = !view.title.is_empty();
    classed("div", "journey")
        .child(element("h3").with("id", &title).text(&view.title))
        .child(classed("div", "verdict").all(verdict))
        .maybe(has_journey.then_some(list))
}

fn line(line: &TraceLine) -> Element {
    let class = if line.is_loss { "step-line lost" } else { "step-line" };
    classed("li", class).child(element("span").text(&line.time)).child(element("p").text(&line.text))
}
