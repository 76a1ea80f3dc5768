//! A button that shows and hides what belongs to it.

use yew::prelude::*;

use super::icons;

/// What the disclosure shows.
#[derive(Clone, Debug, PartialEq, Properties)]
pub(super) struct DisclosureProps {
    pub id: AttrValue,
    /// The button's text.
    pub title: AttrValue,
    /// Hears whether it is open now.
    #[prop_or_default]
    pub on_toggle: Callback<bool>,
    /// What is shown on request. It is always in the page, so that nothing in it is rebuilt.
    pub children: Html,
}

/// A person pressed the button.
pub(super) struct Toggled;

/// The disclosure: button and panel are siblings, so that the button can stand in a row of others
/// and the panel below the whole row. (`details` would have to be one box.)
pub(super) struct Disclosure {
    is_open: bool,
}

impl Component for Disclosure {
    type Message = Toggled;
    type Properties = DisclosureProps;

    fn create(_ctx: &Context<Self>) -> Self {
        Self { is_open: false }
    }

    fn update(&mut self, ctx: &Context<Self>, _msg: Toggled) -> bool {
        self.is_open = !self.is_open;
        ctx.props().on_toggle.emit(self.is_open);
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let DisclosureProps { id, title, children, .. } = ctx.props();
        html! {
            <>
                <button type="button" class="button disclose" aria-controls={id}
                    aria-expanded={self.is_open.to_string()}
                    onclick={ctx.link().callback(|_| Toggled)}>
                    { title }{ icons::chevron() }
                </button>
                <div class="panel" {id} hidden={!self.is_open}>{ children.clone() }</div>
            </>
        }
    }
}
