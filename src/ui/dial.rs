//! A dial of the first screen: a slider, a number field and two step buttons for one rate.

use yew::prelude::*;

use super::number_field::NumberField;
use super::parts::{control_id, help, help_ids, step_button};
use super::slider::Slider;
use crate::app::message::Msg;
use crate::app::view::DialView;
use crate::model::settings::Setting;
use crate::narrate::locale::Locale;

/// One dial.
pub(super) fn dial(texts: &Locale, view: &DialView, on_msg: &Callback<Msg>, prefix: &str) -> Html {
    let control = control_id(prefix, view.setting);
    html! {
        <div class={classes!("dial", colour(view.setting))} key={view.setting as usize}>
            <div class="dial-head">
                <label class="label" id={format!("{control}-label")} for={format!("{control}-slider")}>
                    { &view.label }
                </label>
                { amount(view, on_msg, &control) }
            </div>
            <div class="dial-row">
                { step_button(texts, on_msg, &control, view.setting, -1) }
                <Slider id={format!("{control}-slider")} setting={view.setting} value={view.slider_value}
                    max={view.slider_max} spoken={view.spoken.clone()} on_msg={on_msg.clone()} />
                { step_button(texts, on_msg, &control, view.setting, 1) }
            </div>
            { help(&control, &view.limits, view.problem.as_deref()) }
        </div>
    }
}

fn amount(view: &DialView, on_msg: &Callback<Msg>, control: &AttrValue) -> Html {
    let unit_id = format!("{control}-unit");
    html! {
        <span class="amount">
            <NumberField id={format!("{control}-number")} setting={view.setting} value={view.value.clone()}
                labelled_by={format!("{control}-label {unit_id}")} described_by={help_ids(control)}
                is_invalid={view.problem.is_some()} on_msg={on_msg.clone()} />
            <span id={unit_id}>{ &view.unit }</span>
            if let Some(total) = &view.total {
                <span class="total">{ total }</span>
            }
        </span>
    }
}

/// The class that colours the dial like its part of the picture.
const fn colour(setting: Setting) -> &'static str {
    match setting {
        Setting::ProducerRate => "producer",
        _ => "consumer",
    }
}
