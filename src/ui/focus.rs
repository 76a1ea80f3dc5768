//! The focus stays inside: what has it may go away, and then something near it gets it, so that a
//! keyboard is not thrown back to the top of the page around.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlElement, ShadowRoot};
use yew::NodeRef;

/// What can have the focus.
const CONTROLS: [&str; 3] = ["button", "input", "select"];

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
        if let Some(control) = near.filter_map(|around| first_within(around, can_have_it)).next() {
            give(&control);
        }
    }
}

/// Gives the focus to the button that opens and closes the part with that id.
#[inline(never)]
pub(super) fn give_to_opener(inside: &NodeRef, id: &str) {
    let page = inside.cast::<Element>().and_then(|element| element.closest("section").ok().flatten());
    let opens = |button: &Element| button.get_attribute("aria-controls").is_some_and(|own| own == id);
    if let Some(button) = page.and_then(|page| first_within(&page, opens)) {
        give(&button);
    }
}

/// Whether the focus is inside, and not within the part with that id.
#[inline(never)]
pub(super) fn is_outside(inside: &NodeRef, id: &str) -> bool {
    active(inside).is_some_and(|held| Focus::of(held).around.iter().all(|around| around.id() != id))
}

/// Gives the focus to a dial's control, which has that id, or, where that is not on the page, to the button
/// of the group that is open. Nothing happens where another dial can be put back: the focus is there then.
#[inline(never)]
pub(super) fn give_to_dial(inside: &NodeRef, id: &str) {
    let page = inside.cast::<Element>().and_then(|element| element.closest("section").ok().flatten());
    let Some(page) = page.filter(|page| page.get_elements_by_class_name("changed").length() == 0) else {
        return;
    };
    let is_open_group = |control: &Element| {
        control.class_name().ends_with("group")
            && control.get_attribute("aria-pressed").as_deref() == Some("true")
    };
    let dial = first_within(&page, |control| control.id() == id && is_there(control));
    if let Some(control) = dial.or_else(|| first_within(&page, is_open_group)) {
        give(&control);
    }
}

fn first_within(around: &Element, is_it: impl Fn(&Element) -> bool) -> Option<Element> {
    CONTROLS.into_iter().find_map(|name| {
        let found = around.get_elements_by_tag_name(name);
        (0..found.length()).filter_map(|at| found.item(at)).find(|element| is_it(element))
    })
}

fn can_have_it(control: &Element) -> bool {
    let is_seen = control.dyn_ref::<HtmlElement>().is_some_and(|control| control.offset_width() > 0);
    is_seen && !control.has_attribute("disabled")
}

fn active(inside: &NodeRef) -> Option<HtmlElement> {
    let root: ShadowRoot = inside.cast::<Element>()?.get_root_node().dyn_into().ok()?;
    root.active_element()?.dyn_into().ok()
}

fn is_there(element: &Element) -> bool {
    let mut next = Some(element.clone());
    while let Some(around) = next {
        if around.has_attribute("hidden") {
            return false;
        }
        next = around.parent_element();
    }
    element.is_connected()
}

fn give(control: &Element) {
    if let Some(control) = control.dyn_ref::<HtmlElement>() {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        // What cannot have it leaves it where it is.
        control.focus_with_options(&options).ok();
    }
}
