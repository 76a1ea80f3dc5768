//! What the widget watches in the page around it. All of it ends when this is dropped.

use gloo_events::EventListener;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, IntersectionObserver, IntersectionObserverEntry, MutationObserver, MutationObserverInit,
    ResizeObserver,
};

use super::browser;
use super::frame::Called;

/// Something in the page around has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sizes, or device pixels in a CSS pixel.
    Size,
    /// Colours around, or what the system asks for.
    Colours,
    /// The widget came into view (true) or left it.
    InView(bool),
    /// The page was shown or hidden.
    PageVisibility,
}

/// Observers and listeners.
pub struct Watch {
    _listeners: Vec<EventListener>,
    resize: Option<ResizeObserver>,
    intersection: Option<IntersectionObserver>,
    mutation: Option<MutationObserver>,
    _callbacks: [Called; 3],
}

impl Watch {
    /// Watches around and in `root`, and calls `on_change`.
    pub fn new(root: &Element, on_change: impl Fn(Change) + Clone + 'static) -> Self {
        let resized = callback(on_change.clone(), |_| Some(Change::Size));
        let moved = callback(on_change.clone(), |entries| {
            let last: IntersectionObserverEntry = entries.iter().last()?.dyn_into().ok()?;
            Some(Change::InView(last.is_intersecting()))
        });
        let restyled = callback(on_change.clone(), |_| Some(Change::Colours));
        let resize = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
        let intersection = IntersectionObserver::new(moved.as_ref().unchecked_ref()).ok();
        let mutation = MutationObserver::new(restyled.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &resize {
            observer.observe(root);
        }
        if let Some(observer) = &intersection {
            observer.observe(root);
        }
        if let Some(observer) = &mutation {
            watch_page_attributes(observer);
        }
        Self {
            _listeners: listeners(&on_change),
            resize,
            intersection,
            mutation,
            _callbacks: [resized, moved, restyled],
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.resize.iter().for_each(ResizeObserver::disconnect);
        self.intersection.iter().for_each(IntersectionObserver::disconnect);
        self.mutation.iter().for_each(MutationObserver::disconnect);
    }
}

fn callback(on_change: impl Fn(Change) + 'static, change: fn(Array) -> Option<Change>) -> Called {
    Called::new(move |entries: JsValue| {
        if let Some(change) = change(entries.unchecked_into()) {
            on_change(change);
        }
    })
}

/// Pages switch their colours by a class or another attribute of their root or body.
fn watch_page_attributes(observer: &MutationObserver) {
    let Some(document) = browser::window().and_then(|window| window.document()) else { return };
    let options = MutationObserverInit::new();
    options.set_attributes(true);
    let body = document.body().map(JsValue::from);
    for node in document.document_element().map(JsValue::from).into_iter().chain(body) {
        // A node that cannot be observed is one whose changes are not seen.
        observer.observe_with_options(node.unchecked_ref(), &options).ok();
    }
}

fn listeners(on_change: &(impl Fn(Change) + Clone + 'static)) -> Vec<EventListener> {
    let Some(window) = browser::window() else { return Vec::new() };
    let listen = |target: &web_sys::EventTarget, kind: &'static str, change: Change| {
        let on_change = on_change.clone();
        EventListener::new(target, kind, move |_| on_change(change))
    };
    let mut listeners = vec![listen(&window, "resize", Change::Size)];
    if let Some(page) = window.document() {
        listeners.push(listen(&page, "visibilitychange", Change::PageVisibility));
        listeners.push(listen(&page, "fullscreenchange", Change::Colours));
        // Colours around may fade; what counts is where they end.
        listeners.push(listen(&page, "transitionend", Change::Colours));
    }
    let resolution = format!("(resolution: {}dppx)", browser::device_pixel_ratio());
    let list = window.match_media(&resolution).ok().flatten();
    listeners.extend(list.map(|list| listen(&list, "change", Change::Size)));
    for query in
        ["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)", "(forced-colors: active)"]
    {
        let list = window.match_media(query).ok().flatten();
        listeners.extend(list.map(|list| listen(&list, "change", Change::Colours)));
    }
    listeners
}
