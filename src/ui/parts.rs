//! Small pieces that several parts of the page share.

use yew::prelude::*;

use super::icons;
use crate::app::message::Msg;
use crate::model::settings::{Definition, Setting};
use crate::narrate::locale::Locale;

/// An id that is unique on the page.
pub(super) fn id(prefix: &str, name: &str) -> AttrValue {
    format!("{prefix}-{name}").into()
}

/// The start of the ids of everything that belongs to a setting's control.
pub(super) fn control_id(prefix: &str, setting: Setting) -> AttrValue {
    id(prefix, Definition::of(setting).alias)
}

/// The text of `key` as an attribute or child.
pub(super) fn text(texts: &Locale, key: &str) -> AttrValue {
    texts.text(key).to_owned().into()
}

/// A handler of clicks that sends `msg`.
pub(super) fn send(on_msg: &Callback<Msg>, msg: Msg) -> Callback<MouseEvent> {
    on_msg.reform(move |_| msg.clone())
}

/// One of the two buttons that step a number. Its name is the control's label and its own word.
pub(super) fn step_button(
    texts: &Locale,
    on_msg: &Callback<Msg>,
    control: &str,
    setting: Setting,
    step: i32,
) -> Html {
    let (name, word, icon) = if step < 0 {
        ("less", text(texts, "dial.less"), icons::minus())
    } else {
        ("more", text(texts, "dial.more"), icons::plus())
    };
    let word_id = format!("{control}-{name}");
    html! {
        <button type="button" class="step" aria-labelledby={format!("{control}-label {word_id}")}
            onclick={send(on_msg, Msg::DialStepped(setting, step))}>
            { icon }
            <span class="heard" id={word_id}>{ word }</span>
        </button>
    }
}

/// What stands below a number: its limits, and what was wrong with the last entry. Both are always
/// there, so that the references to them hold.
pub(super) fn help(control: &str, limits: &str, problem: Option<&str>) -> Html {
    let icon = problem.map(|_| icons::alarm());
    html! {
        <div class="help">
            <p class="limits" id={format!("{control}-limits")}>{ limits }</p>
            <p class="problem" id={format!("{control}-problem")}>{ icon }{ problem }</p>
        </div>
    }
}

/// The ids of what [`help`] shows.
pub(super) fn help_ids(control: &str) -> AttrValue {
    format!("{control}-limits {control}-problem").into()
}
