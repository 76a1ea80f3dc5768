//! What happens when the program is at fault: the page is told, in words, once.

use std::cell::RefCell;

use js_sys::Function;
use wasm_bindgen::JsValue;

thread_local! {
    static LISTENERS: RefCell<Vec<Function>> = const { RefCell::new(Vec::new()) };
}

/// `listener` is called with a text when a fault stops this instance.
pub fn report_to(listener: Function) {
    let is_first = LISTENERS.with_borrow_mut(|listeners| {
        listeners.push(listener);
        listeners.len() == 1
    });
    if is_first {
        // Yew sets a hook of its own at the first render unless it is given this one.
        yew::set_custom_panic_hook(Box::new(|fault| report(&fault.to_string())));
    }
}

fn report(fault: &str) {
    web_sys::console::error_1(&JsValue::from_str(fault));
    let listeners = LISTENERS.try_with(RefCell::take).unwrap_or_default();
    for listener in listeners {
        // A listener that throws has nobody to tell: the program is at fault already.
        listener.call1(&JsValue::NULL, &JsValue::from_str(fault)).ok();
    }
}
