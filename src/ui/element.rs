//! Elements, made step by step.
//!
//! The page is some two hundred of them. Yew's `html!` lays each one out in place; here every step
//! is one call, which is worth several kilobytes of the first load.

use std::rc::Rc;

use yew::virtual_dom::{AttributeOrProperty, Attributes, Listener, VList, VTag, VText};
use yew::{AttrValue, Html, NodeRef};

/// The names of all attributes on the page. Every element has a place for each of them, so that Yew
/// compares two elements place by place; the maps of names it would keep otherwise cost more.
const NAMES: &[&str] = &[
    "accept",
    "aria-controls",
    "aria-describedby",
    "aria-disabled",
    "aria-expanded",
    "aria-hidden",
    "aria-invalid",
    "aria-label",
    "aria-labelledby",
    "aria-live",
    "aria-pressed",
    "aria-valuetext",
    "autocomplete",
    "class",
    "colspan",
    "d",
    "data-motion",
    "data-side",
    "data-theme",
    "dir",
    "disabled",
    "focusable",
    "for",
    "hidden",
    "id",
    "inputmode",
    "lang",
    "max",
    "min",
    "readonly",
    "role",
    "scope",
    "selected",
    "size",
    "spellcheck",
    "step",
    "title",
    "type",
    "value",
    "viewBox",
];

/// An element that is being made.
pub(super) struct Element(Box<Parts>);

struct Parts {
    tag: VTag,
    attributes: Box<[Option<AttributeOrProperty>]>,
    listeners: Vec<Option<Rc<dyn Listener>>>,
    children: Vec<Html>,
}

/// An element without anything.
pub(super) fn element(name: &'static str) -> Element {
    let attributes = NAMES.iter().map(|_| None).collect();
    Element(Box::new(Parts { tag: VTag::new(name), attributes, listeners: Vec::new(), children: Vec::new() }))
}

/// An element of that class.
pub(super) fn classed(name: &'static str, class: &str) -> Element {
    element(name).with("class", class)
}

impl Element {
    /// Gives it an attribute, whose name has to be in the list above.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        let mut places = NAMES.iter().zip(&mut self.0.attributes);
        if let Some((_, place)) = places.find(|(known, _)| **known == name) {
            *place = Some(AttributeOrProperty::Attribute(shared(value)));
        }
        self
    }

    /// Adds a word to an attribute that is a list of them.
    #[inline(never)]
    pub(super) fn also(self, name: &str, word: &str) -> Self {
        let place = NAMES.iter().zip(&self.0.attributes).find(|(known, _)| **known == name);
        let before = match place {
            Some((_, Some(AttributeOrProperty::Attribute(before)))) => Some(before.to_string()),
            _ => None,
        };
        match before {
            Some(before) => self.with(name, &[&before, " ", word].concat()),
            None => self.with(name, word),
        }
    }

    /// Gives it an attribute that is there or not.
    pub(super) fn with_flag(self, name: &str, is_on: bool) -> Self {
        if is_on { self.with(name, name) } else { self }
    }

    /// Sets what stands in an input. This is no attribute: the attribute is only the first value.
    pub(super) fn value(mut self, value: &str) -> Self {
        self.0.tag.set_value(shared(value));
        self
    }

    /// Ticks an input or not, likewise.
    pub(super) fn checked(mut self, is_checked: bool) -> Self {
        self.0.tag.set_checked(is_checked);
        self
    }

    /// Lets `node` find it.
    pub(super) fn found_by(mut self, node: &NodeRef) -> Self {
        self.0.tag.node_ref = node.clone();
        self
    }

    /// Lets it hear an event.
    pub(super) fn hearing(mut self, listener: Rc<dyn Listener>) -> Self {
        self.0.listeners.push(Some(listener));
        self
    }

    /// Puts an element into it.
    pub(super) fn child(self, child: Element) -> Self {
        self.node(child.into())
    }

    /// Puts an element into it, or keeps its place, so that what follows is not made anew.
    pub(super) fn maybe(self, child: Option<Element>) -> Self {
        self.node(child.map(Html::from).unwrap_or_default())
    }

    /// Puts any number of elements into it.
    pub(super) fn all(self, children: Vec<Html>) -> Self {
        self.node(VList::from(children).into())
    }

    /// Puts a text into it.
    pub(super) fn text(self, text: &str) -> Self {
        self.node(VText::new(shared(text)).into())
    }

    /// Puts a text into it, if there is one.
    pub(super) fn maybe_text(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(text),
            None => self.node(Html::default()),
        }
    }

    fn node(mut self, child: Html) -> Self {
        self.0.children.push(child);
        self
    }
}

impl From<Element> for Html {
    fn from(element: Element) -> Self {
        let Parts { mut tag, attributes, listeners, children } = *element.0;
        tag.attributes = Attributes::Dynamic { keys: NAMES, values: attributes };
        tag.set_listeners(listeners.into());
        if let Some(place) = tag.children_mut() {
            *place = VList::from(children).into();
        }
        tag.into()
    }
}

fn shared(text: &str) -> AttrValue {
    Rc::<str>::from(text).into()
}
