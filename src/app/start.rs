//! Where a run begins: from a link, from changed attributes, from a file.

use std::rc::Rc;

use super::dials;
use super::history;
use super::link::Link;
use super::log_view::{scenario_of, side_of};
use super::notice::Notice;
use super::run::Run;
use super::share::Origin;
use super::state::{App, FILE_BYTES_MAX};
use crate::lesson::{built_in, scenario_file};
use crate::model::MODEL_VERSION;
use crate::model::rate::Rate;
use crate::model::scenario::Scenario;
use crate::model::settings::{Setting, Value};
use crate::model::time::Instant;
use crate::narrate::pace::Pacer;

/// Where a run begins, and Reset leads back to.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    pub(super) title: Option<String>,
    pub(super) scenario: Scenario,
    pub(super) dial_max: Option<Rate>,
    pub(super) origin: Origin,
    /// Where dials that hold from the start stood before somebody moved them.
    pub(super) fixed: Vec<(Setting, Value)>,
    /// What was done in the run that a link restored.
    pub(super) done: Option<String>,
}

impl App {
    /// Goes to where a link leads, from `base`.
    pub(super) fn follow(&mut self, link: &Link, base: Start) {
        let mut start = base;
        self.waiting_link = None;
        self.notices.extend(link.notices.iter().cloned().map(Notice::Link));
        let named = link.scenario.as_deref().filter(|name| !name.is_empty());
        match named.map(|name| (name, built_in::by_name(name))) {
            Some((name, Some(scenario))) => {
                let (file, notices) = scenario_file::read(scenario.text);
                self.notices.extend(notices.into_iter().map(|notice| Notice::File(name.to_owned(), notice)));
                start = file.map_or(start, Start::of_file);
                start.origin = Origin::of(name, &start.scenario);
            }
            Some((_, None)) => {
                self.waiting_link = Some(link.clone());
                self.is_fetching = false;
            }
            None => {}
        }
        if self.waiting_link.is_none() {
            self.check_versions(link, &start);
        }
        if let Some(side) = link.side.filter(|side| {
            named.is_none() && start.origin == Origin::Page && *side != side_of(&start.scenario)
        }) {
            start.scenario = scenario_of(side, &start.scenario.settings);
        }
        for (setting, value) in &link.settings {
            start.scenario.settings.set(*setting, *value);
        }
        start.take_dial_max(link);
        start.done = link.done.clone().or(start.done);
        self.take_looks(link);
        self.speed = link.speed.unwrap_or(self.speed);
        self.start = start;
        self.take_access(link);
        self.begin();
        self.take_done();
        self.goal = link.at.filter(|at| *at > Instant::START);
        self.is_playing = link.play.unwrap_or(false);
        self.announcer.set_playing(self.is_playing);
    }

    /// What was done in the run that the link restores is done in it at its instants.
    fn take_done(&mut self) {
        let done = self.start.done.as_deref().filter(|done| !done.is_empty() && self.waiting_link.is_none());
        let Some(done) = done else { return };
        let (commands, notices) = history::read(&self.start.scenario, done);
        let place = |notice| Notice::File("do".to_owned(), notice);
        self.notices.extend(notices.into_iter().map(place));
        self.run.expect_commands(commands);
    }

    /// Says where a link's run was of another model, or of another state of its scenario.
    fn check_versions(&mut self, link: &Link, start: &Start) {
        if link.model_version.is_some_and(|version| version != MODEL_VERSION) {
            self.notices.push(Notice::OtherModel);
        }
        if let (Some(digest), Origin::Named(name, scenario)) = (&link.scenario_digest, &start.origin)
            && *digest != history::digest(scenario)
        {
            self.notices.push(Notice::OtherScenario(name.clone()));
        }
    }

    /// Takes changed attributes: settings move dials of the run as it stands, a scenario or an
    /// instant begins anew.
    pub fn follow_change(&mut self, link: &Link, now: f64, elapsed: &mut dyn FnMut() -> f64) {
        let other_side = link.side.is_some_and(|side| side != self.side());
        if link.scenario.is_some() || link.at.is_some() || link.done.is_some() || other_side {
            // What was wrong with the old ones is said anew, if it is still there.
            self.notices.clear();
            let base = if link.scenario.is_some() { Start::default() } else { self.start.clone() };
            return self.follow(link, base);
        }
        self.notices.extend(link.notices.iter().cloned().map(Notice::Link));
        self.take_looks(link);
        self.speed = link.speed.unwrap_or(self.speed);
        self.take_access(link);
        for (setting, value) in &link.settings {
            self.start.scenario.settings.set(*setting, *value);
            self.set(*setting, *value);
        }
        if link.dial_max.is_some() {
            self.start.take_dial_max(link);
            self.fit_sliders();
        }
        if let Some(play) = link.play {
            self.set_playing(play);
        }
        self.answer(now, elapsed);
    }

    /// The address of a scenario that a link names and that has to be fetched; told once.
    pub fn take_wanted_scenario(&mut self) -> Option<String> {
        let address = self.waiting_link.as_ref()?.scenario.clone();
        address.filter(|_| !std::mem::replace(&mut self.is_fetching, true))
    }

    /// The scenario at `address` has arrived: the link that named it is followed from there. An
    /// answer that comes when something else is wanted by now is not taken.
    pub fn scenario_arrived(
        &mut self,
        address: &str,
        text: &str,
        now: f64,
        elapsed: &mut dyn FnMut() -> f64,
    ) {
        if is_a_page(text) {
            self.not_fetched(address, Notice::NotFound);
            return self.answer(now, elapsed);
        }
        let Some(mut link) = self.no_longer_wanted(address) else { return };
        link.scenario = None;
        // The first reading of the link has said what was wrong with it.
        link.notices.clear();
        if let Some(start) = self.read_file(address, text) {
            let origin = Origin::of(address, &start.scenario);
            let start = Start { origin, ..start };
            self.follow(&link, start);
        }
        self.answer(now, elapsed);
    }

    /// The link that waits for the scenario at `address`, which has been answered.
    pub(super) fn no_longer_wanted(&mut self, address: &str) -> Option<Link> {
        self.waiting_link.take_if(|link| link.scenario.as_deref() == Some(address))
    }

    pub(super) fn begin(&mut self) {
        let scenario = Rc::new(self.start.scenario.clone());
        self.run = Run::new(scenario, self.visible);
        self.renew_visible();
        self.origin = self.start.origin.clone();
        self.waiting_dials.clear();
        self.drag.forget();
        self.dial_problem = None;
        (self.goal, self.looks_back) = (None, false);
        self.said_at_buttons.clear();
        self.said_of = None;
        self.forget_journey();
        self.poison_partition = None;
        self.ticked_letters.clear();
        self.fit_sliders();
        self.announcer.reset();
        self.pacer = Pacer::default();
        self.shown = self.run.account();
    }

    /// The sliders reach as far as they were told to, and no dial beyond them.
    fn fit_sliders(&mut self) {
        let settings = self.settings();
        let end = |rate| self.start.dial_max.map_or_else(|| dials::widened(rate), |max| max.max(rate));
        self.slider_max = [end(settings.producer_rate), end(settings.consumer_rate)];
    }

    pub(super) fn read_file(&mut self, name: &str, text: &str) -> Option<Start> {
        if text.len() > FILE_BYTES_MAX {
            self.notices.push(Notice::FileTooLarge(name.to_owned()));
            return None;
        }
        let (file, notices) = scenario_file::read(text);
        self.notices.extend(notices.into_iter().map(|notice| Notice::File(name.to_owned(), notice)));
        file.map(Start::of_file)
    }
}

/// Some servers answer with a page of their own where there is no such file.
fn is_a_page(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

impl Start {
    fn take_dial_max(&mut self, link: &Link) {
        let max = link.dial_max.or(self.dial_max);
        self.dial_max = max.filter(|max| *max > Rate::ZERO);
    }

    /// The start that a file describes.
    pub(super) fn of_file(file: scenario_file::ScenarioFile) -> Self {
        Self { title: file.title, scenario: file.scenario, dial_max: file.dial_max, ..Self::default() }
    }
}
