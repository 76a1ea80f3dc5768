//! The dead letters: a button beside the picture, and the list that it opens.

use super::acts::{Act, On, Panel};
use super::disclosure;
use super::element::{Element, classed, element};
use super::icons;
use super::page::{Page, joined};
use crate::app::dead_letters::DeadLetterAct;
use crate::app::view::{DeadLetterRow, DeadLettersPanel};

/// The button that opens them, once there has been one.
pub(super) fn button(page: &Page) -> Option<Element> {
    let view = page.view.dead_letters.as_ref()?;
    let class = if view.is_empty { "chip dead none" } else { "chip dead" };
    let button = disclosure::button(page, Panel::DeadLetters, "dead").with("class", class);
    Some(button.child(icons::POISON.element()).text(&view.button))
}

/// The list, below the picture.
pub(super) fn panel(page: &Page) -> Option<Element> {
    let view = page.view.dead_letters.as_ref()?;
    let content = view.panel.as_ref().map(|panel| list(page, panel, view.is_empty));
    let content = classed("div", "dead-letters").maybe(content);
    Some(disclosure::panel(page, Panel::DeadLetters, "dead", content))
}

#[inline(never)]
fn list(page: &Page, panel: &DeadLettersPanel, is_empty: bool) -> Element {
    let title = page.id("dead-title");
    let chosen = panel.redrive_chosen.as_ref();
    let has_chosen = chosen.is_some_and(|chosen| chosen.idle.is_none());
    let button = |act, is_main: bool, is_idle: bool| {
        let button = page.button(if is_main { "button primary" } else { "button" }, Act::Treat(act));
        if is_idle { button.with("aria-disabled", "true") } else { button }
    };
    let chosen = chosen.map(|chosen| {
        let button = button(DeadLetterAct::RedriveChosen, has_chosen, !has_chosen).text(&chosen.text);
        chosen.idle.iter().fold(button, |button, idle| button.with("title", idle))
    });
    let head = classed("div", "dead-head")
        .child(element("h3").with("id", &title).text(&panel.title))
        .child(button(DeadLetterAct::DeployFix, false, false).text(&panel.fix))
        .child(button(DeadLetterAct::Redrive, !has_chosen && !is_empty, is_empty).text(&panel.redrive))
        .maybe(chosen)
        .child(button(DeadLetterAct::RedriveAll, false, is_empty).text(&panel.redrive_all))
        .child(button(DeadLetterAct::Discard, false, is_empty).text(&panel.discard));
    let notes = panel.notes.iter().map(|note| element("p").text(note).into()).collect();
    element("div")
        .child(head)
        .maybe((!panel.rows.is_empty()).then(|| table(page, panel, &title)))
        .child(classed("div", "note").all(notes))
}

fn table(page: &Page, panel: &DeadLettersPanel, title: &str) -> Element {
    let heads = panel.heads.iter().map(|head| element("th").with("scope", "col").text(head).into());
    let head = element("tr").all(heads.collect());
    let columns = panel.heads.len().to_string();
    let rows =
        panel.rows.iter().flat_map(|line| [row(page, line).into(), history(page, line, &columns).into()]);
    classed("table", "numbers letters")
        .with("aria-labelledby", title)
        .child(element("thead").child(head))
        .child(element("tbody").all(rows.collect()))
}

fn row(page: &Page, line: &DeadLetterRow) -> Element {
    let tick = line.tick_label.as_ref().map(|label| tick(page, line, label));
    let (tag, class) = if tick.is_some() { ("label", "tick") } else { ("span", "named") };
    let name = classed(tag, class).maybe(tick).child(icons::POISON.element()).text(&line.name);
    let message = element("th").with("scope", "row").child(name);
    let cells = line.cells.iter().map(|cell| element("td").text(cell));
    let button = disclosure::button(page, panel_of(line), &id_of(line))
        .child(classed("span", "heard").text(&line.history_label))
        .child(classed("span", "seen").with("aria-hidden", "true").text(page.say("dead.trace")))
        .child(icons::CHEVRON.element());
    cells.fold(element("tr").child(message), Element::child).child(element("td").child(button))
}

fn tick(page: &Page, line: &DeadLetterRow, label: &str) -> Element {
    let tick = element("input").with("type", "checkbox").with("aria-label", label).checked(line.is_ticked);
    page.hearing(tick, On::Change, Act::TickLetter(line.producer, line.number))
}

fn history(page: &Page, line: &DeadLetterRow, columns: &str) -> Element {
    let deaths = line.history.iter().map(|death| element("p").text(death).into()).collect();
    element("tr")
        .with("id", &page.id(&id_of(line)))
        .with_flag("hidden", !page.kept.is_open(panel_of(line)))
        .child(element("td").with("colspan", columns).all(deaths))
}

const fn panel_of(line: &DeadLetterRow) -> Panel {
    Panel::History(line.producer, line.number, line.copy)
}

fn id_of(line: &DeadLetterRow) -> String {
    history_id(line.producer, line.number, line.copy)
}

/// By what the journey of a dead letter is found in its page.
pub(super) fn history_id(producer: usize, number: u64, copy: usize) -> String {
    let of_message = joined(&joined("history", &producer.to_string()), &number.to_string());
    if copy == 0 { of_message } else { joined(&of_message, &copy.to_string()) }
}
