//! What was wrong with a link, a file or a number, until it is closed.

use std::rc::Rc;

use yew::prelude::*;

use super::icons;
use super::parts::text;
use crate::app::message::Msg;
use crate::narrate::locale::Locale;

/// What the box shows and sends.
#[derive(Clone, Debug, Properties)]
pub(super) struct NoticesProps {
    pub texts: Rc<Locale>,
    pub notices: Vec<String>,
    pub on_msg: Callback<Msg>,
}

/// There is one locale, so there is no need to look into two of them.
impl PartialEq for NoticesProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.texts, &other.texts) && self.notices == other.notices && self.on_msg == other.on_msg
    }
}

/// A person pressed the button.
pub(super) struct Toggled;

/// The notices, or nothing. Once closed, their button stays and shows them again: were it gone, a
/// keyboard would be thrown back to the top of the page.
pub(super) struct Notices {
    shown: Vec<String>,
    is_open: bool,
}

impl Component for Notices {
    type Message = Toggled;
    type Properties = NoticesProps;

    fn create(ctx: &Context<Self>) -> Self {
        Self { shown: ctx.props().notices.clone(), is_open: true }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &NoticesProps) -> bool {
        let given = &ctx.props().notices;
        // Those that a person closed are empty in the view from then on, and kept here.
        if *given != old.notices && (self.is_open || !given.is_empty()) {
            self.shown.clone_from(given);
            self.is_open = true;
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, _msg: Toggled) -> bool {
        self.is_open = !self.is_open;
        if !self.is_open {
            ctx.props().on_msg.emit(Msg::NoticesClosed);
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        if self.shown.is_empty() {
            return Html::default();
        }
        let texts = &ctx.props().texts;
        let (class, label) = if self.is_open {
            ("step", text(texts, "notices.close"))
        } else {
            ("chip", text(texts, "notices.show"))
        };
        html! {
            <div class={classes!("notices", (!self.is_open).then_some("closed"))} role="group"
                aria-label={text(texts, "notices.label")}>
                <ul hidden={!self.is_open}>
                    if self.is_open {
                        { for self.shown.iter().map(|notice| html! { <li>{ notice }</li> }) }
                    }
                </ul>
                <button type="button" {class} aria-label={&label} onclick={ctx.link().callback(|_| Toggled)}>
                    if self.is_open {
                        { icons::close() }
                    } else {
                        { &label }
                    }
                </button>
            </div>
        }
    }
}
