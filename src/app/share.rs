//! Handing a run on: a link that restores it, and a file.

use std::rc::Rc;

use super::history;
use super::link;
use super::log_view::scenario_of;
use super::message::Request;
use super::state::App;
use super::view::ShareView;
use crate::lesson::scenario_file::writing;
use crate::model::MODEL_VERSION;
use crate::model::scenario::Scenario;
use crate::model::settings::Settings;
use crate::narrate::locale::Field;

/// A link is not longer: some programs cut longer ones off.
pub const LINK_LENGTH_MAX: usize = 2_000;

/// What a run's scenario was taken from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// The page's own defaults.
    #[default]
    Page,
    /// A built-in scenario or an address, by the name that links have for it, and as it stands there.
    Named(String, Rc<Scenario>),
    /// A file that was opened here: no link leads to it.
    File,
}

impl Origin {
    /// A scenario that links have a name for.
    pub(super) fn of(name: &str, scenario: &Scenario) -> Self {
        Self::Named(name.to_owned(), Rc::new(scenario.clone()))
    }
}

/// Why a run has no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLink {
    /// Its scenario is a file that was opened here.
    OfAFile,
    /// It would be longer than [`LINK_LENGTH_MAX`].
    TooLong,
}

impl App {
    /// The parameters that restore the run as it stands: scenario, dials, what was done, and the instant.
    ///
    /// # Errors
    /// Says why there are none.
    pub fn query(&self) -> Result<String, NoLink> {
        let base_of_side = || scenario_of(self.side(), &Settings::default()).settings;
        let version = MODEL_VERSION.to_string();
        let mut parts = vec![["v=", link::CONTRACT_VERSION].concat(), ["mv=", &version].concat()];
        let base = match &self.origin {
            Origin::Page => {
                parts.extend(self.side().has_log().then(|| ["view=", self.side().name()].concat()));
                base_of_side()
            }
            Origin::File => return Err(NoLink::OfAFile),
            Origin::Named(name, scenario) => {
                parts.push(["scenario=", &history::encoded(name)].concat());
                parts.push(["sh=", &history::digest(scenario)].concat());
                scenario.settings.clone()
            }
        };
        let simulation = self.run.simulation();
        let scenario = simulation.scenario();
        parts.push(link::write_beside(&scenario.settings, &base));
        let commands: Vec<_> = simulation.command_log().copied().collect();
        let done = history::write(scenario, &commands);
        parts.extend((!done.is_empty()).then(|| ["do=", &done].concat()));
        let at = self.run.snapshot().at;
        parts.push(["t=", &at.to_string()].concat());
        parts.retain(|part| !part.is_empty());
        let query = parts.join("&");
        let length = self.address.len() + 1 + query.len();
        if length < LINK_LENGTH_MAX { Ok(query) } else { Err(NoLink::TooLong) }
    }

    /// The run as a scenario file: what was done in it comes by itself then, and what its scenario had yet
    /// to do.
    #[must_use]
    pub fn file(&self) -> String {
        let scenario = self.run.simulation().scenario();
        let now = self.run.simulation().now();
        let to_come = scenario.commands().iter().filter(|timed| timed.at > now);
        let commands: Vec<_> = self.run.commands().into_iter().chain(to_come.copied()).collect();
        writing::write(self.start.title.as_deref(), self.start.dial_max, scenario, &commands)
    }

    /// The address of the page, to which links lead.
    pub fn set_address(&mut self, address: String) {
        self.address = address;
    }

    pub(super) fn copy(&mut self) {
        self.request = self.query().ok().map(|query| Request::Copy(self.linked(&query)));
    }

    pub(super) fn save(&mut self) {
        self.request = Some(Request::Save { name: "queue-lab.json".to_owned(), text: self.file() });
        self.announcer.answer(self.locale.text("share.saved").to_owned());
    }

    /// What the browser is asked to do, told once.
    pub fn take_request(&mut self) -> Option<Request> {
        self.request.take()
    }

    fn linked(&self, query: &str) -> String {
        [&self.address, "?", query].concat()
    }
}

/// The panel with the link, while it is open.
#[inline(never)]
pub(super) fn view(app: &App) -> ShareView {
    let reason = |no_link| {
        let key = match no_link {
            NoLink::OfAFile => "share.of_a_file",
            NoLink::TooLong => "share.too_long",
        };
        app.locale.format(key, &[("max", Field::Count(LINK_LENGTH_MAX as u64))])
    };
    match app.query() {
        Ok(query) => {
            ShareView { link: Some(app.linked(&query)), note: app.locale.text("share.note").to_owned() }
        }
        Err(no_link) => ShareView { link: None, note: reason(no_link) },
    }
}
