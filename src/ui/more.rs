//! "More dials": everything beyond the two dials, below them and on request, in groups of which one is
//! open at a time.

use super::acts::{Act, On, Panel};
use super::controls::{self, Number, Thumb};
use super::disclosure;
use super::element::{Element, classed, element};
use super::icons;
use super::list::List;
use super::page::{Page, help, joined};
use crate::app::access::Control;
use crate::app::view::{ChangedDialView, ChangedView, GroupView, MoreControl, MoreDialView};

/// The button that opens the further dials.
pub(super) fn button(page: &Page) -> Element {
    let button = disclosure::button(page, Panel::More, "more");
    let is_for_nothing = !page.view.has_more_dials && !page.is_hidden(Control::More);
    let button = if is_for_nothing { button.with_flag("hidden", true) } else { button };
    button
        .child(classed("span", "long-word").text(page.say("more.title")))
        .child(classed("span", "short-word").text(page.say("more.title.short")))
        .child(icons::CHEVRON.element())
}

/// The further dials.
pub(super) fn panel(page: &Page) -> Element {
    let view = page.view;
    let content = element("div");
    let is_closed = view.groups.groups.is_empty() && view.more.is_empty();
    let content = if is_closed { content } else { filled(page, content) };
    let panel = disclosure::panel(page, Panel::More, "more", content);
    let is_empty = !view.has_more_dials && page.kept.is_open(Panel::More);
    if is_empty { panel.with_flag("hidden", true) } else { panel }
}

#[inline(never)]
fn filled(page: &Page, content: Element) -> Element {
    let view = page.view;
    let fields = classed("div", "fields").with("id", &page.id("fields"));
    let groups = classed("div", "groups").with("role", "group").with("aria-label", &view.groups.label);
    content
        .child(view.groups.groups.iter().map(|view| group(page, view)).fold(groups, Element::child))
        .child(view.more.iter().map(|view| dial(page, view)).fold(fields, Element::child))
        .maybe(view.changed.as_ref().map(|view| changed(page, view)))
}

fn group(page: &Page, view: &GroupView) -> Element {
    page.button("button group", Act::OpenGroup(view.group))
        .with("aria-pressed", if view.is_open { "true" } else { "false" })
        .text(&view.label)
}

/// The dials that were moved, with a way back for each.
fn changed(page: &Page, view: &ChangedView) -> Element {
    let rows = view.dials.iter().map(|dial| changed_dial(page, dial, &view.back).into()).collect();
    let id = page.id("changed");
    classed("div", "changed")
        .with("role", "group")
        .with("aria-labelledby", &id)
        .child(element("b").with("id", &id).text(&view.count))
        .child(element("ul").all(rows))
        .maybe(view.all.as_ref().map(|all| page.button("chip", Act::PutAllBack).text(all)))
}

fn changed_dial(page: &Page, view: &ChangedDialView, back: &str) -> Element {
    let back = page.button("chip", Act::PutBack(view.setting)).with("aria-label", &view.button).text(back);
    element("li").text(&view.text).child(back)
}

fn dial(page: &Page, view: &MoreDialView) -> Element {
    let control = page.control_id(view.setting);
    let label = classed("label", "label")
        .with("id", &joined(&control, "label"))
        .with("for", &joined(&control, "input"))
        .text(&view.label);
    let mark = view.changed.as_ref().map(|changed| classed("span", "moved").text(changed));
    let problem = view.problem.as_deref();
    let field = classed("div", class(view));
    let field = match &view.control {
        MoreControl::Number { limits, .. } => {
            let number = number(page, view, &control);
            field.child(label).maybe(mark).child(number).child(help(&control, limits, problem))
        }
        MoreControl::Choice(choice) => {
            let list = controls::list(page, &joined(&control, "input"), choice, List::Values(view.setting))
                .also("aria-describedby", &joined(&control, "problem"));
            let row = classed("div", "field-row").child(list);
            field.child(label).maybe(mark).child(row).child(help(&control, "", problem))
        }
        MoreControl::Switch(is_on) => {
            let input = element("input")
                .with("type", "checkbox")
                .with("id", &joined(&control, "input"))
                .checked(*is_on);
            let input = page.hearing(input, On::Change, Act::Switch(view.setting));
            let row = classed("div", "field-row switch").child(input).child(label).maybe(mark);
            field.child(row).child(help(&control, "", problem))
        }
    };
    field.maybe(view.note.as_ref().map(|note| classed("p", "note").text(note)))
}

const fn class(view: &MoreDialView) -> &'static str {
    match view.is_idle {
        true => "field idle",
        false => "field",
    }
}

fn number(page: &Page, view: &MoreDialView, control: &str) -> Element {
    let MoreControl::Number { value, unit, none, as_broker, slider, .. } = &view.control else {
        return element("div");
    };
    let unit_id = joined(control, "unit");
    let number = Number {
        setting: view.setting,
        control,
        id: joined(control, "input"),
        labels: [&joined(control, "label"), " ", &unit_id].concat(),
        value,
        is_invalid: view.problem.is_some(),
    };
    let unit = classed("span", "unit").with("id", &unit_id).text(unit);
    let none = none.as_ref().map(|(label, is_on)| {
        tick(page, &joined(control, "none"), Act::TickNone(view.setting), label, *is_on)
    });
    let as_broker = as_broker.as_ref().map(|(label, is_on)| {
        tick(page, &joined(control, "broker"), Act::TickAsBroker(view.setting), label, *is_on)
    });
    let slider = slider.as_ref().map(|slider| {
        let thumb = Thumb { position: slider.position, max: slider.max, spoken: &slider.spoken };
        let slider = controls::slider(page, view.setting, thumb, control);
        slider.with("aria-labelledby", &joined(control, "label"))
    });
    classed("div", "field-row")
        .maybe(slider)
        .child(page.step_button(control, view.setting, -1))
        .child(controls::number(page, &number))
        .child(unit)
        .child(page.step_button(control, view.setting, 1))
        .maybe(none)
        .maybe(as_broker)
}

/// A tick box beside a number, for a word in its place.
fn tick(page: &Page, id: &str, act: Act, label: &str, is_on: bool) -> Element {
    let input = element("input").with("type", "checkbox").with("id", id).checked(is_on);
    classed("label", "tick").with("for", id).child(page.hearing(input, On::Change, act)).text(label)
}
