//! The focus stays inside: what has it may go away, and then something near it gets it, so that a
//! keyboard is not thrown back to the top of the page around.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlElement, ShadowRoot};
use yew::NodeRef;

/// What can have the focus and is there.
const CONTROLS: &str = ":is(button, input, select):not(:disabled, [hidden], [hidden] *)";

/// What has the focus, and what is around it, the nearest first.
#[derive(Debug, Default)]
pub(super) struct Focus {
    held: Option<HtmlElement>,
    around: Vec<Element>,
}

impl Focus {
    /// As it is before the page is shown anew. `inside` is any element of the page.
    pub(super) fn now(inside: &NodeRef) -> Self {
        match active(inside) {
            Some(held) => Self::of(held),
            None => Self::default(),
        }
    }

    #[inline(never)]
    fn of(held: HtmlElement) -> Self {
        let mut around = Vec::new();
        let mut next = held.parent_element();
        while let Some(element) = next {
            next = element.parent_element();
            around.push(element);
        }
        Self { held: Some(held), around }
    }

    /// Sees to it that it is still inside, after the page was shown anew.
    pub(super) fn keep(&mut self) {
        if let Some(held) = self.held.take() {
            self.keep_near(&held);
        }
    }

    #[inline(never)]
    fn keep_near(&self, held: &HtmlElement) {
        if is_there(held) {
            return;
        }
        let near = self.around.iter().filter(|around| is_there(around));
        for around in near {
            if let Ok(Some(control)) = around.query_selector(CONTROLS) {
                return give(&control);
            }
        }
    }
}

/// Gives the focus to the button that opens and closes the part with that id.
#[inline(never)]
pub(super) fn give_to_opener(inside: &NodeRef, id: &str) {
    let page = inside.cast::<Element>().and_then(|element| element.closest("section").ok().flatten());
    let query = ["[aria-controls=", id, "]"].concat();
    let button = page.and_then(|page| page.query_selector(&query).ok().flatten());
    if let Some(button) = button {
        give(&button);
    }
}

fn active(inside: &NodeRef) -> Option<HtmlElement> {
    let root: ShadowRoot = inside.cast::<Element>()?.get_root_node().dyn_into().ok()?;
    root.active_element()?.dyn_into().ok()
}

fn is_there(element: &Element) -> bool {
    element.is_connected() && element.closest("[hidden]").is_ok_and(|hidden| hidden.is_none())
}

fn give(control: &Element) {
    if let Some(control) = control.dyn_ref::<HtmlElement>() {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        // What cannot have it leaves it where it is.
        control.focus_with_options(&options).ok();
    }
}
