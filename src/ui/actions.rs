//! What one can do to the run besides turning dials.

use yew::prelude::*;

use super::parts::{id, send, text};
use crate::app::message::Msg;
use crate::app::view::ViewModel;

/// The row of things to break.
pub(super) fn actions(view: &ViewModel, on_msg: &Callback<Msg>, prefix: &str) -> Html {
    let label = id(prefix, "actions");
    html! {
        <div class="actions" role="group" aria-labelledby={&label}>
            <span id={&label}>{ text(&view.texts, "actions.label") }</span>
            <button type="button" class="button" onclick={send(on_msg, Msg::BurstPressed)}>
                { text(&view.texts, "actions.burst") }
            </button>
        </div>
    }
}

/// "Open a scenario file": the input lies invisibly over its label, so that a file can be dropped
/// on it and the keyboard reaches it.
pub(super) fn file(view: &ViewModel, on_file: &Callback<Event>) -> Html {
    html! {
        <label class="button file">
            { text(&view.texts, "file.open") }
            <input type="file" accept=".json" onchange={on_file} />
        </label>
    }
}
