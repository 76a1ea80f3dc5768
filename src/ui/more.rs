//! "More dials": everything beyond the two dials, below them and on request.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::choice::{Choice, Chooses};
use super::disclosure::Disclosure;
use super::number_field::NumberField;
use super::parts::{control_id, help, help_ids, id, step_button, text};
use crate::app::message::Msg;
use crate::app::view::{ChoiceView, MoreControl, MoreDialView, ViewModel};
use crate::model::settings::Setting;
use crate::narrate::locale::Locale;

/// The disclosure with the further dials.
pub(super) fn more(view: &ViewModel, on_msg: &Callback<Msg>, prefix: &str) -> Html {
    html! {
        <Disclosure id={id(prefix, "more")} title={text(&view.texts, "more.title")}
            on_toggle={on_msg.reform(Msg::MoreOpened)}>
            <div class="fields">
                { for view.more.iter().map(|shown| control(&view.texts, shown, on_msg, prefix)) }
            </div>
        </Disclosure>
    }
}

fn control(texts: &Locale, view: &MoreDialView, on_msg: &Callback<Msg>, prefix: &str) -> Html {
    let control = control_id(prefix, view.setting);
    html! {
        <div class="field" key={view.setting as usize}>
            <label class="label" id={format!("{control}-label")} for={format!("{control}-input")}>
                { &view.label }
            </label>
            { match &view.control {
                MoreControl::Number { value, limits, none } =>
                    number(texts, view, on_msg, &control, value, limits, none.as_ref()),
                MoreControl::Choice(choice) => list(view, on_msg, &control, choice),
            } }
            if let Some(note) = &view.note {
                <p class="note">{ note }</p>
            }
        </div>
    }
}

fn number(
    texts: &Locale,
    view: &MoreDialView,
    on_msg: &Callback<Msg>,
    control: &AttrValue,
    value: &str,
    limits: &str,
    none: Option<&(String, bool)>,
) -> Html {
    html! {
        <>
            <div class="field-row">
                { step_button(texts, on_msg, control, view.setting, -1) }
                <NumberField id={format!("{control}-input")} setting={view.setting} value={value.to_owned()}
                    labelled_by={format!("{control}-label")} described_by={help_ids(control)}
                    is_invalid={view.problem.is_some()} on_msg={on_msg.clone()} />
                { step_button(texts, on_msg, control, view.setting, 1) }
                { for none.map(|(label, is_on)| tick(view.setting, on_msg, control, label, *is_on)) }
            </div>
            { help(control, limits, view.problem.as_deref()) }
        </>
    }
}

/// The tick box for "none".
fn tick(setting: Setting, on_msg: &Callback<Msg>, control: &str, label: &str, is_on: bool) -> Html {
    let id = format!("{control}-none");
    let on_msg = on_msg.clone();
    let onchange = move |event: Event| {
        if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
            on_msg.emit(Msg::NoneTicked(setting, input.checked()));
        }
    };
    html! {
        <label class="tick" for={id.clone()}>
            <input type="checkbox" {id} checked={is_on} {onchange} />
            { label }
        </label>
    }
}

fn list(view: &MoreDialView, on_msg: &Callback<Msg>, control: &AttrValue, choice: &ChoiceView) -> Html {
    html! {
        <>
            <div class="field-row">
                <Choice id={format!("{control}-input")} described_by={format!("{control}-problem")}
                    choice={choice.clone()} chooses={Chooses::Value(view.setting)} on_msg={on_msg.clone()} />
            </div>
            { help(control, "", view.problem.as_deref()) }
        </>
    }
}
