//! Native controls: a slider, a number field, a list of choices.

use super::acts::{Act, On, Place};
use super::element::{Element, classed, element};
use super::list::List;
use super::page::{Page, help_ids, joined};
use crate::app::view::ChoiceView;
use crate::model::settings::Setting;

/// Where a slider's thumb stands.
#[derive(Clone, Copy)]
pub(super) struct Thumb<'a> {
    /// In steps, 0 to `max`.
    pub position: u32,
    pub max: u32,
    /// The value as it is spoken.
    pub spoken: &'a str,
}

/// A native range input that keeps its thumb under the finger.
pub(super) fn slider(page: &Page, setting: Setting, view: Thumb, control: &str) -> Element {
    let place = Place::Slider(setting);
    let value = u64::from(view.position).to_string();
    // Nothing but label and value text is added: role or value attributes on a native range break
    // the keys of some screen readers.
    let input = classed("input", "slider")
        .with("type", "range")
        .with("id", &joined(control, "slider"))
        .with("min", "0")
        .with("max", &u64::from(view.max).to_string())
        .with("step", "1")
        .with("aria-valuetext", view.spoken)
        .value(page.kept.held(place).unwrap_or(&value));
    let input = page.hearing(input, On::Input, Act::Slide(setting));
    [On::Change, On::PointerCancel, On::Blur]
        .into_iter()
        .fold(input, |input, kind| page.hearing(input, kind, Act::LetGo(place)))
}

/// What a number field is and shows.
pub(super) struct Number<'a> {
    pub setting: Setting,
    /// The start of the ids of everything that belongs to it.
    pub control: &'a str,
    pub id: String,
    /// The ids of what names it.
    pub labels: String,
    /// The value in force.
    pub value: &'a str,
    pub is_invalid: bool,
}

/// A field for a number, left alone while somebody types in it.
///
/// It is a text field with a decimal keypad, not `type=number`: that one hides what it cannot
/// read, so nothing could be said about it, lets the wheel change it in some browsers, and reads
/// commas by the browser's language.
pub(super) fn number(page: &Page, number: &Number) -> Element {
    let place = Place::Field(number.setting);
    let input = classed("input", "number")
        .with("type", "text")
        .with("id", &number.id)
        .with("inputmode", "decimal")
        .with("autocomplete", "off")
        .with("spellcheck", "false")
        .with("size", "9")
        .with("aria-labelledby", &number.labels)
        .also("aria-describedby", &help_ids(number.control))
        .value(page.kept.held(place).unwrap_or(number.value));
    let input = if number.is_invalid { input.with("aria-invalid", "true") } else { input };
    [
        (On::Input, Act::Type(number.setting)),
        (On::Change, Act::Enter(number.setting)),
        (On::KeyDown, Act::Press(number.setting)),
        (On::Blur, Act::LetGo(place)),
    ]
    .into_iter()
    .fold(input, |input, (kind, act)| page.hearing(input, kind, act))
}

/// A native list of choices. It still wants a name: a label beside it, or an attribute.
pub(super) fn list(page: &Page, id: &str, choice: &ChoiceView, list: List) -> Element {
    let options = choice.options.iter().map(|(name, label)| {
        element("option").with("value", name).with_flag("selected", *name == choice.chosen).text(label).into()
    });
    let select = classed("select", "choice").with("id", id).all(options.collect());
    page.hearing(select, On::Change, Act::Choose(list))
}
