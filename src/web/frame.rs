//! Being called with the next frame.
//!
//! Frames and observers share one type of closure: each further type would bring its own glue on
//! both sides.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::browser;

/// A function that the browser calls for as long as this is held.
pub type Called = Closure<dyn FnMut(JsValue)>;

/// The next frame; dropped before, it does not call.
pub struct Frame {
    id: Option<i32>,
    _called: Called,
}

impl Frame {
    /// Calls `act` with the time of the next frame.
    pub fn new(act: impl Fn(f64) + 'static) -> Self {
        let called = Called::new(move |now: JsValue| act(now.as_f64().unwrap_or_default()));
        let id = browser::window()
            .and_then(|window| window.request_animation_frame(called.as_ref().unchecked_ref()).ok());
        Self { id, _called: called }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let (Some(window), Some(id)) = (browser::window(), self.id) {
            // A frame that has come cannot be taken back, and need not be.
            drop(window.cancel_animation_frame(id));
        }
    }
}
