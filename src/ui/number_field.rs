//! A field for a number, left alone while somebody types in it.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::message::Msg;
use crate::model::settings::Setting;

/// What the field shows and sends.
#[derive(Clone, Debug, PartialEq, Properties)]
pub(super) struct NumberFieldProps {
    pub id: AttrValue,
    pub setting: Setting,
    /// The value in force.
    pub value: AttrValue,
    pub labelled_by: AttrValue,
    pub described_by: AttrValue,
    pub is_invalid: bool,
    pub on_msg: Callback<Msg>,
}

/// What happened to the field.
pub(super) enum FieldMsg {
    /// Something was typed, but not yet entered.
    Typed(String),
    /// The text was entered: by Enter, or by leaving the field.
    Entered(String),
    /// The field was left, or Escape pressed: it shows the value in force again.
    Left,
}

/// The field. From the first typed character until Enter, Escape or leaving, what was typed is
/// rendered instead of the value in force, so that no update of the page changes it.
///
/// It is a text field with a decimal keypad, not `type=number`: that one hides what it cannot
/// read, so nothing could be said about it, lets the wheel change it in some browsers, and reads
/// commas by the browser's language.
pub(super) struct NumberField {
    typed: Option<AttrValue>,
}

impl Component for NumberField {
    type Message = FieldMsg;
    type Properties = NumberFieldProps;

    fn create(_ctx: &Context<Self>) -> Self {
        Self { typed: None }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: FieldMsg) -> bool {
        match msg {
            FieldMsg::Typed(text) => {
                self.typed = Some(text.into());
                false
            }
            FieldMsg::Entered(text) => {
                self.typed = None;
                let props = ctx.props();
                props.on_msg.emit(Msg::ValueEntered(props.setting, text));
                true
            }
            FieldMsg::Left => self.typed.take().is_some(),
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let link = ctx.link();
        let value = self.typed.as_ref().unwrap_or(&props.value);
        html! {
            <input type="text" class="number" id={&props.id} inputmode="decimal" autocomplete="off"
                spellcheck="false" size="9" value={value} aria-labelledby={&props.labelled_by}
                aria-describedby={&props.described_by} aria-invalid={props.is_invalid.then_some("true")}
                oninput={link.batch_callback(|event: InputEvent| typed(&event).map(FieldMsg::Typed))}
                onchange={link.batch_callback(|event: Event| typed(&event).map(FieldMsg::Entered))}
                onkeydown={link.batch_callback(|event: KeyboardEvent| {
                    (event.key() == "Escape").then_some(FieldMsg::Left)
                })}
                onblur={link.callback(|_| FieldMsg::Left)} />
        }
    }
}

fn typed(event: &Event) -> Option<String> {
    Some(event.target_dyn_into::<HtmlInputElement>()?.value())
}
