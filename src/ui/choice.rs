//! A native list of choices.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::message::Msg;
use crate::app::view::ChoiceView;
use crate::model::settings::Setting;

/// What a choice sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chooses {
    /// How fast model time passes.
    Speed,
    /// A setting.
    Value(Setting),
}

/// What the list shows and sends.
#[derive(Clone, Debug, PartialEq, Properties)]
pub(super) struct ChoiceProps {
    pub id: AttrValue,
    /// Its name, where no label stands beside it.
    #[prop_or_default]
    pub name: Option<AttrValue>,
    #[prop_or_default]
    pub described_by: Option<AttrValue>,
    pub choice: ChoiceView,
    pub chooses: Chooses,
    pub on_msg: Callback<Msg>,
}

/// The list.
pub(super) struct Choice {
    select: NodeRef,
}

impl Component for Choice {
    type Message = String;
    type Properties = ChoiceProps;

    fn create(_ctx: &Context<Self>) -> Self {
        Self { select: NodeRef::default() }
    }

    fn update(&mut self, ctx: &Context<Self>, name: String) -> bool {
        let props = ctx.props();
        props.on_msg.emit(match props.chooses {
            Chooses::Speed => Msg::SpeedChosen(name),
            Chooses::Value(setting) => Msg::ValueEntered(setting, name),
        });
        // Should the choice be refused, `rendered` brings the old one back.
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        html! {
            <select class="choice" id={&props.id} ref={&self.select} aria-label={&props.name}
                aria-describedby={&props.described_by}
                onchange={ctx.link().batch_callback(|event: Event| chosen(&event))}>
                { for props.choice.options.iter().map(|(name, label)| html! {
                    <option value={name.clone()} selected={*name == props.choice.chosen}>{ label }</option>
                }) }
            </select>
        }
    }

    /// A list that somebody has used no longer follows its options' `selected` attributes.
    fn rendered(&mut self, ctx: &Context<Self>, _first_render: bool) {
        let chosen = &ctx.props().choice.chosen;
        if let Some(select) = self.select.cast::<HtmlSelectElement>()
            && select.value() != *chosen
        {
            select.set_value(chosen);
        }
    }
}

fn chosen(event: &Event) -> Option<String> {
    Some(event.target_dyn_into::<HtmlSelectElement>()?.value())
}
