//! What was wrong with a link, a file or a number, until it is closed.

use yew::prelude::*;

use super::icons;
use super::parts::{send, text};
use crate::app::message::Msg;
use crate::app::view::ViewModel;

/// The notices, or nothing.
pub(super) fn notices(view: &ViewModel, on_msg: &Callback<Msg>) -> Html {
    if view.notices.is_empty() {
        return Html::default();
    }
    html! {
        <div class="notices" role="group" aria-label={text(&view.texts, "notices.label")}>
            <ul>
                { for view.notices.iter().map(|notice| html! { <li>{ notice }</li> }) }
            </ul>
            <button type="button" class="step" aria-label={text(&view.texts, "notices.close")}
                onclick={send(on_msg, Msg::NoticesClosed)}>
                { icons::close() }
            </button>
        </div>
    }
}
