//! "More dials": everything beyond the two dials, below them and on request.

use super::acts::{Act, List, On, Panel};
use super::controls::{self, Number};
use super::disclosure;
use super::element::{Element, classed, element};
use super::icons;
use super::page::{Page, help, joined};
use crate::app::view::{MoreControl, MoreDialView};
use crate::model::settings::Setting;

/// The button that opens the further dials.
pub(super) fn button(page: &Page) -> Element {
    disclosure::button(page, Panel::More, "more")
        .child(classed("span", "long-word").text(page.say("more.title")))
        .child(classed("span", "short-word").text(page.say("more.title.short")))
        .child(icons::CHEVRON.element())
}

/// The further dials.
pub(super) fn panel(page: &Page) -> Element {
    let dials = page.view.more.iter().map(|view| dial(page, view));
    let fields = dials.fold(classed("div", "fields"), Element::child);
    disclosure::panel(page, Panel::More, "more", fields)
}

#[inline(never)]
fn dial(page: &Page, view: &MoreDialView) -> Element {
    let control = page.control_id(view.setting);
    let label = classed("label", "label")
        .with("id", &joined(&control, "label"))
        .with("for", &joined(&control, "input"))
        .text(&view.label);
    let (row, limits) = match &view.control {
        MoreControl::Number { value, limits, none } => {
            let none = none.as_ref().map(|(label, is_on)| tick(page, view.setting, &control, label, *is_on));
            (number(page, view, &control, value).maybe(none), limits.as_str())
        }
        MoreControl::Choice(choice) => {
            let list = controls::list(page, &joined(&control, "input"), choice, List::Values(view.setting))
                .with("aria-describedby", &joined(&control, "problem"));
            (classed("div", "field-row").child(list), "")
        }
    };
    classed("div", "field")
        .child(label)
        .child(row)
        .child(help(&control, limits, view.problem.as_deref()))
        .maybe(view.note.as_ref().map(|note| classed("p", "note").text(note)))
}

fn number(page: &Page, view: &MoreDialView, control: &str, value: &str) -> Element {
    let number = Number {
        setting: view.setting,
        control,
        id: joined(control, "input"),
        labels: joined(control, "label"),
        value,
        is_invalid: view.problem.is_some(),
    };
    classed("div", "field-row")
        .child(page.step_button(control, view.setting, -1))
        .child(controls::number(page, &number))
        .child(page.step_button(control, view.setting, 1))
}

/// The tick box for "none".
fn tick(page: &Page, setting: Setting, control: &str, label: &str, is_on: bool) -> Element {
    let id = joined(control, "none");
    let input = element("input").with("type", "checkbox").with("id", &id).checked(is_on);
    classed("label", "tick")
        .with("for", &id)
        .child(page.hearing(input, On::Change, Act::TickNone(setting)))
        .text(label)
}
