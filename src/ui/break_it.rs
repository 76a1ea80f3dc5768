//! The buttons that break things, and what is to become of poison.

use super::acts::{Act, Panel};
use super::controls;
use super::disclosure;
use super::element::{Element, classed, element};
use super::icons;
use super::list::List;
use super::page::{Page, joined};
use crate::app::breaking::Injection;
use crate::app::view::{BreakView, ButtonList, PolicyView};

/// The row of buttons. On a narrow screen only poison stands there until the row is opened.
pub(super) fn row(page: &Page) -> Element {
    let label = page.id("actions");
    let class = if page.kept.is_open(Panel::Breaking) { "actions opened" } else { "actions" };
    let row = classed("div", class)
        .with("role", "group")
        .with("aria-labelledby", &label)
        .child(element("span").with("id", &label).text(page.say("actions.label")));
    let breaking = &page.view.breaking;
    let mut buttons = breaking.first.iter().map(|view| first_button(page, view));
    let row = row.with_flag("hidden", breaking.first.is_empty());
    let row = row.maybe(buttons.next()).maybe(breaking.partition.as_ref().map(|view| partition(page, view)));
    buttons.fold(row, Element::child)
}

/// Where the poison goes, beside its button.
#[inline(never)]
fn partition(page: &Page, view: &ButtonList) -> Element {
    let id = page.id("poison-partition");
    controls::list(page, &id, &view.choice, List::PoisonPartition).with("aria-label", &view.label)
}

fn first_button(page: &Page, view: &BreakView) -> Element {
    let class = if view.injection == Injection::Poison { "button" } else { "button later" };
    let button = page
        .button(class, Act::Inject(view.injection))
        .with("id", &button_id(page, view.injection))
        .also("aria-describedby", &hint_id(page, view.injection))
        .with("title", &view.hint);
    if view.injection != Injection::Poison {
        return button.text(&view.label);
    }
    button
        .child(icons::POISON.element())
        .child(classed("span", "long-word").text(&view.label))
        .child(classed("span", "short-word").text(page.say("break.poison.short")))
}

/// The button that opens the other ways.
pub(super) fn more_button(page: &Page) -> Element {
    disclosure::button(page, Panel::Breaking, "ways")
        .child(classed("span", "long-word").text(page.say("break.more")))
        .child(classed("span", "short-word").text(page.say("break.more.short")))
        .child(icons::CHEVRON.element())
}

/// What each button of the row will do, and the other ways with theirs.
pub(super) fn more_panel(page: &Page) -> Element {
    let first = page.view.breaking.first.iter().map(|view| {
        let name = element("b").text(&view.label);
        way(page, view, name)
    });
    let reset = page.view.breaking.reset.as_ref();
    let more = page.view.breaking.more.iter().map(|view| {
        let button = page
            .button("button", Act::Inject(view.injection))
            .with("id", &button_id(page, view.injection))
            .also("aria-describedby", &hint_id(page, view.injection))
            .text(&view.label);
        match reset.filter(|_| view.injection == Injection::Reset) {
            Some(list) => {
                let list = reset_list(page, list).also("aria-describedby", &hint_id(page, view.injection));
                let both = classed("div", "adding").child(list).child(button);
                way(page, view, both).with("class", "way wide")
            }
            None => way(page, view, button),
        }
    });
    let ways = more.chain(first).fold(classed("div", "ways"), Element::child);
    disclosure::panel(page, Panel::Breaking, "ways", ways)
}

/// Where offsets go, beside its button.
fn reset_list(page: &Page, view: &ButtonList) -> Element {
    controls::list(page, &page.id("reset-to"), &view.choice, List::ResetTo).with("aria-label", &view.label)
}

fn way(page: &Page, view: &BreakView, name: Element) -> Element {
    let hint = classed("p", "note").with("id", &hint_id(page, view.injection)).text(&view.hint);
    classed("div", "way").child(name).child(hint)
}

/// What is to become of poison, once there is some; and what was done last by the buttons.
pub(super) fn answer(page: &Page) -> Element {
    let breaking = &page.view.breaking;
    let said = classed("p", "said").maybe_text(Some(breaking.said.as_str()).filter(|said| !said.is_empty()));
    let policy = breaking.policy.as_ref().map(|view| policy(page, view));
    classed("div", "lab").child(said).maybe(policy)
}

fn policy(page: &Page, view: &PolicyView) -> Element {
    let id = page.id("policy");
    let does = joined(&id, "does");
    let label = classed("label", "label").with("for", &id).text(&view.label);
    let list = controls::list(page, &id, &view.choice, List::Policy).also("aria-describedby", &does);
    classed("div", "policy")
        .child(label)
        .child(list)
        .child(classed("p", "note").with("id", &does).text(&view.does))
        .child(classed("p", "whereabouts").child(icons::POISON.element()).text(&view.whereabouts))
}

fn button_id(page: &Page, injection: Injection) -> String {
    joined(&page.id("break"), name(injection))
}

fn hint_id(page: &Page, injection: Injection) -> String {
    joined(&page.id("why"), name(injection))
}

const fn name(injection: Injection) -> &'static str {
    match injection {
        Injection::Poison => "poison",
        Injection::Consumer => "consumer",
        Injection::Burst => "burst",
        Injection::Database => "database",
        Injection::Crash => "crash",
        Injection::CrashFinishing => "crash-finishing",
        Injection::Hang => "hang",
        Injection::CrashLoop => "crash-loop",
        Injection::Restart => "restart",
        Injection::AddConsumer => "add",
        Injection::Broker => "broker",
        Injection::Producer => "producer",
        Injection::HotKey => "hot-key",
        Injection::Schema => "schema",
        Injection::Group => "group",
        Injection::Reset => "reset",
        Injection::Split => "split",
    }
}
