//! The title, the clock and the transport; and the runs on offer.

use yew::prelude::*;

use super::choice::{Choice, Chooses};
use super::icons;
use super::parts::{id, send, text};
use crate::app::message::Msg;
use crate::app::view::ViewModel;

/// The header. Start and Pause come before everything that moves, in reading order too.
pub(super) fn header(view: &ViewModel, on_msg: &Callback<Msg>, prefix: &str) -> Html {
    html! {
        <header class="head">
            <h2 class="title" id={id(prefix, "title")}>{ text(&view.texts, "page.title") }</h2>
            <span class="clock">
                <span class="heard">{ text(&view.texts, "clock.label") }</span>
                { &view.clock }
            </span>
            <div class="transport" role="group" aria-label={text(&view.texts, "transport.label")}>
                { play_button(view, on_msg) }
                <button type="button" class="button" title={text(&view.texts, "transport.step.hint")}
                    onclick={on_msg.reform(|click: MouseEvent| step(&click))}>
                    { text(&view.texts, "transport.step") }
                </button>
                <Choice id={id(prefix, "speed")} name={text(&view.texts, "transport.speed")}
                    choice={view.speeds.clone()} chooses={Chooses::Speed} on_msg={on_msg.clone()} />
                <button type="button" class="button" title={text(&view.texts, "transport.reset.hint")}
                    onclick={send(on_msg, Msg::ResetPressed)}>
                    { icons::reset() }
                    <span class="reset-word">{ text(&view.texts, "transport.reset") }</span>
                </button>
            </div>
        </header>
    }
}

/// Browsers turn Enter and Space on a button into a click that carries the Shift key, so one
/// handler serves mouse and keyboard.
fn step(click: &MouseEvent) -> Msg {
    if click.shift_key() { Msg::SteppedToNextInstant } else { Msg::Stepped }
}

fn play_button(view: &ViewModel, on_msg: &Callback<Msg>) -> Html {
    let (icon, key) = if view.is_playing {
        (icons::pause(), "transport.pause")
    } else {
        (icons::start(), "transport.start")
    };
    html! {
        <button type="button" class="button primary" onclick={send(on_msg, Msg::PlayToggled)}>
            { icon }{ text(&view.texts, key) }
        </button>
    }
}

/// The runs on offer: the prepared one always, the jump forward when there is one.
pub(super) fn offers(view: &ViewModel, on_msg: &Callback<Msg>) -> Html {
    html! {
        <div class="offers">
            <button type="button" class="chip" onclick={send(on_msg, Msg::ShowMePressed)}>
                { &view.show_me }
            </button>
            if let Some(skip) = &view.skip {
                <button type="button" class="chip" onclick={send(on_msg, Msg::SkipPressed)}>{ skip }</button>
            }
        </div>
    }
}
