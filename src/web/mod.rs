//! The browser: mounting, frames, canvases, observers. It decides nothing.
//!
//! There is no panic in here by design: no `unwrap`, no `expect`, no indexing. A panic anywhere
//! else ends this instance of the module alone; the loader gives each element its own.

mod browser;
mod canvas;
mod fault;
mod frame;
mod runner;
mod watch;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::Element;

use crate::app::App;
use crate::app::export;
use crate::app::link;
use crate::app::message::Msg;
use crate::json::Json;
use runner::Runner;

/// A mounted widget, as the loader holds it.
#[wasm_bindgen]
pub struct Handle {
    runner: Runner,
}

/// Mounts a widget in `root`, as the parameters in `query` describe it. `on_fault` is called with
/// a text when a fault stops this instance.
#[wasm_bindgen]
#[must_use]
pub fn mount(root: Element, query: &str, on_fault: Function) -> Handle {
    fault::report_to(on_fault);
    Handle { runner: Runner::mount(root, &link::read(query)) }
}

/// The styles of what the first screen does not have: one sheet, for the shadow root. Its text is among
/// those of the second part, so nobody may ask before that is in place.
#[wasm_bindgen]
#[must_use]
pub fn further_styles() -> String {
    include_str!("../../static/styles/further.css").to_owned()
}

/// The names of all public parameters, with commas between.
#[wasm_bindgen]
#[must_use]
pub fn parameter_names() -> String {
    let mut names = String::new();
    for name in link::parameter_names() {
        names += if names.is_empty() { "" } else { "," };
        names += name;
    }
    names
}

#[wasm_bindgen]
impl Handle {
    /// Changes parameters of the running widget, given as a query string.
    pub fn set(&self, query: &str) {
        self.runner.follow(&link::read(query));
    }

    /// Lets model time pass.
    pub fn play(&self) {
        if !self.is_playing() {
            self.runner.send(Msg::PlayToggled);
        }
    }

    /// Stops model time.
    pub fn pause(&self) {
        if self.is_playing() {
            self.runner.send(Msg::PlayToggled);
        }
    }

    /// One model second further.
    pub fn step(&self) {
        self.runner.send(Msg::Stepped);
    }

    /// To the next instant at which anything happens.
    pub fn step_instant(&self) {
        self.runner.send(Msg::SteppedToNextInstant);
    }

    /// Back to the start.
    pub fn reset(&self) {
        self.runner.send(Msg::ResetPressed);
    }

    /// Does beforehand, where nobody sees it, what the first frames do. To be called once the second part
    /// is in place.
    pub fn rehearse(&self) {
        self.runner.with_app(App::rehearse);
    }

    /// The state now as JSON, with the keys of the headless runner.
    #[must_use]
    pub fn snapshot(&self) -> String {
        let record = self.runner.with_app(|app| {
            let mut record = export::record(app.run().simulation());
            export::add_page(&mut record, app);
            record
        });
        record.map_or_else(String::new, |record| Json::Object(record).to_line())
    }

    /// The digest of the state now, 16 hexadecimal digits.
    #[must_use]
    pub fn state_hash(&self) -> String {
        let hash = self.runner.with_app(|app| app.run().simulation().state_hash());
        hash.map(export::hash_text).unwrap_or_default()
    }

    /// The parameters that restore the run as it stands, as a query string; where no link does, those
    /// that give the settings of now.
    #[must_use]
    pub fn link(&self) -> String {
        let query = |app: &App| app.query().unwrap_or_else(|_| link::write(app.side(), &app.settings()));
        self.runner.with_app(query).unwrap_or_default()
    }

    /// Takes the widget off the page and stops everything it started.
    pub fn destroy(self) {
        self.runner.destroy();
    }

    fn is_playing(&self) -> bool {
        self.runner.with_app(App::is_playing).unwrap_or_default()
    }
}
