//! A native range input that keeps its thumb under the finger.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::message::Msg;
use crate::model::settings::Setting;

/// What the slider shows and sends.
#[derive(Clone, Debug, PartialEq, Properties)]
pub(super) struct SliderProps {
    pub id: AttrValue,
    pub setting: Setting,
    pub value: u32,
    pub max: u32,
    /// The value with its unit, as it is spoken.
    pub spoken: AttrValue,
    pub on_msg: Callback<Msg>,
}

/// What happened to the slider.
pub(super) enum SliderMsg {
    /// The thumb moved. It may be in a hand, so its place is now the person's.
    Moved(u32),
    /// The thumb was let go of: its place is the model's again.
    Released,
}

/// The slider. From the first movement until release, the position a person gave it is rendered,
/// so that a view from before the movement, or one that rounds, does not pull at the thumb.
pub(super) struct Slider {
    held: Option<u32>,
}

impl Component for Slider {
    type Message = SliderMsg;
    type Properties = SliderProps;

    fn create(_ctx: &Context<Self>) -> Self {
        Self { held: None }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: SliderMsg) -> bool {
        match msg {
            SliderMsg::Moved(position) => {
                self.held = Some(position);
                let props = ctx.props();
                props.on_msg.emit(Msg::SliderMoved(props.setting, position));
                false
            }
            SliderMsg::Released => self.held.take().is_some(),
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let link = ctx.link();
        let value = self.held.unwrap_or(props.value);
        html! {
            // Nothing but label and value text is added: role or value attributes on a native
            // range break the keys of some screen readers.
            <input type="range" class="slider" id={&props.id} min="0" max={props.max.to_string()} step="1"
                value={value.to_string()} aria-valuetext={&props.spoken}
                oninput={link.batch_callback(|event: InputEvent| position(&event).map(SliderMsg::Moved))}
                onchange={link.callback(|_| SliderMsg::Released)}
                onpointercancel={link.callback(|_| SliderMsg::Released)}
                onblur={link.callback(|_| SliderMsg::Released)} />
        }
    }
}

fn position(event: &InputEvent) -> Option<u32> {
    event.target_dyn_into::<HtmlInputElement>()?.value().parse().ok()
}
