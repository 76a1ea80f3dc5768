//! Being called later: with the next frame, or after a while.
//!
//! Frames, timers and observers share one type of closure: each further type would bring its own
//! glue on both sides.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Window;

use super::browser;

/// A function that the browser calls for as long as this is held.
pub type Called = Closure<dyn FnMut(JsValue)>;

/// A call that is still to come; dropped before, it does not come.
pub struct Later {
    id: Option<i32>,
    cancel: fn(&Window, i32),
    _called: Called,
}

impl Later {
    /// Calls `act` with the time of the next frame.
    pub fn frame(act: impl Fn(f64) + 'static) -> Self {
        let called = Called::new(move |now: JsValue| act(now.as_f64().unwrap_or_default()));
        let id = browser::window()
            .and_then(|window| window.request_animation_frame(called.as_ref().unchecked_ref()).ok());
        Self { id, cancel: |window, id| drop(window.cancel_animation_frame(id)), _called: called }
    }

    /// Calls `act` after so many milliseconds.
    pub fn after(millis: i32, act: impl Fn() + 'static) -> Self {
        let called = Called::new(move |_: JsValue| act());
        let function = called.as_ref().unchecked_ref();
        let id = browser::window().and_then(|window| {
            window.set_timeout_with_callback_and_timeout_and_arguments_0(function, millis).ok()
        });
        Self { id, cancel: Window::clear_timeout_with_handle, _called: called }
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        if let (Some(window), Some(id)) = (browser::window(), self.id) {
            (self.cancel)(&window, id);
        }
    }
}
