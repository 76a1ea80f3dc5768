//! The app: everything that the page shows follows from it, and only messages and frames change
//! it. Real time comes in as milliseconds of any clock that does not go back.

use std::rc::Rc;

use super::dials;
use super::link::{Fault, Link, ThemeChoice};
use super::message::Msg;
use super::notice::Notice;
use super::run::Run;
use super::speed::Speed;
use super::view::{Announcement, ThemeName};
use crate::lesson::{built_in, scenario_file};
use crate::model::command::Command;
use crate::model::outlook::NextEvent;
use crate::model::rate::Rate;
use crate::model::scenario::Scenario;
use crate::model::settings::{Bound, Definition, Problem, Setting, Settings, Value};
use crate::model::time::{Instant, LAST_INSTANT, Span};
use crate::narrate::announce::Announcer;
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};
use crate::narrate::narrator::Visible;
use crate::narrate::pace::Pacer;
use crate::narrate::remark::Account;
use crate::narrate::words;

/// Real time that a frame may spend on the model, in milliseconds.
const WORK_MILLIS: f64 = 8.0;
/// Events between two looks at the clock: a few milliseconds at most.
const EVENTS_PER_SLICE: u64 = 2_000;
/// Model time never makes up for more real time than this at once: a tab that slept goes on where
/// it stood.
const FRAME_MILLIS_MAX: f64 = 100.0;
/// How many messages the burst button sends.
pub const BURST_BUTTON: u64 = 50;
/// The longest scenario file that is read, in bytes.
pub const FILE_BYTES_MAX: usize = 1_000_000;
/// A jump forward is on offer from this length on.
const SKIP_FROM: Span = Span::from_seconds(3);

/// Where a run begins, and Reset leads back to.
#[derive(Clone, Debug, Default)]
struct Start {
    title: Option<String>,
    scenario: Scenario,
    dial_max: Option<Rate>,
}

/// The state of one widget.
#[derive(Clone, Debug)]
pub struct App {
    pub(super) locale: Rc<Locale>,
    start: Start,
    pub(super) run: Run,
    /// Dials that were moved while an instant was being worked off.
    waiting_dials: Vec<(Setting, Value)>,
    pub(super) slider_max: [Rate; 2],
    pub(super) dial_problem: Option<(Setting, Problem)>,
    /// What was typed when the problem arose.
    pub(super) dial_entry: String,
    pub(super) is_playing: bool,
    pub(super) speed: Speed,
    /// An instant to be reached as fast as it goes, whether playing or not.
    goal: Option<Instant>,
    last_frame: Option<f64>,
    pacer: Pacer,
    pub(super) shown: Account,
    announcer: Announcer,
    pub(super) announcement: Announcement,
    pub(super) notices: Vec<Notice>,
    theme: ThemeChoice,
    is_host_dark: bool,
    pub(super) is_motion_reduced: bool,
    fault: Option<Fault>,
    /// A link whose scenario has to be fetched first.
    waiting_link: Option<Link>,
}

impl App {
    /// A widget as a link describes it. A scenario that is not built in is wanted first:
    /// [`Self::wanted_scenario`].
    #[must_use]
    pub fn new(locale: Rc<Locale>, link: &Link) -> Self {
        assert!(link.fault != Some(Fault::AtOnce), "a deliberate fault, for a test");
        let run = Run::new(Rc::new(Scenario::default()), Visible::FIRST_SCREEN);
        let shown = run.account();
        let mut app = Self {
            locale,
            start: Start::default(),
            run,
            waiting_dials: Vec::new(),
            slider_max: [dials::DEFAULT_MAX; 2],
            dial_problem: None,
            dial_entry: String::new(),
            is_playing: false,
            speed: Speed::default(),
            goal: None,
            last_frame: None,
            pacer: Pacer::default(),
            shown,
            announcer: Announcer::default(),
            announcement: Announcement::default(),
            notices: Vec::new(),
            theme: ThemeChoice::Auto,
            is_host_dark: false,
            is_motion_reduced: false,
            fault: link.fault,
            waiting_link: None,
        };
        app.follow(link, Start::default());
        app
    }

    /// Goes to where a link leads, from `base`.
    fn follow(&mut self, link: &Link, base: Start) {
        let mut start = base;
        self.notices.extend(link.notices.iter().cloned().map(Notice::Link));
        match link.scenario.as_deref().map(|name| (name, built_in::by_name(name))) {
            Some((name, Some(scenario))) => {
                let (file, notices) = scenario_file::read(scenario.text);
                self.notices.extend(notices.into_iter().map(|notice| Notice::File(name.to_owned(), notice)));
                start = file.map_or(start, Start::of_file);
            }
            Some((_, None)) => self.waiting_link = Some(link.clone()),
            None => {}
        }
        for (setting, value) in &link.settings {
            start.scenario.settings.set(*setting, *value);
        }
        start.dial_max = link.dial_max.or(start.dial_max);
        self.theme = link.theme.unwrap_or(self.theme);
        self.speed = link.speed.unwrap_or(self.speed);
        self.start = start;
        self.begin();
        self.goal = link.at.filter(|at| *at > Instant::START);
        self.is_playing = link.play.unwrap_or(false);
        self.announcer.set_playing(self.is_playing);
    }

    /// Takes changed attributes: settings move dials of the run as it stands, a scenario or an
    /// instant begins anew.
    pub fn follow_change(&mut self, link: &Link, now: f64, elapsed: &mut dyn FnMut() -> f64) {
        if link.scenario.is_some() || link.at.is_some() {
            let base = if link.scenario.is_some() { Start::default() } else { self.start.clone() };
            return self.follow(link, base);
        }
        self.notices.extend(link.notices.iter().cloned().map(Notice::Link));
        self.theme = link.theme.unwrap_or(self.theme);
        self.speed = link.speed.unwrap_or(self.speed);
        link.dial_max.iter().for_each(|max| self.slider_max = [*max; 2]);
        for (setting, value) in &link.settings {
            self.start.scenario.settings.set(*setting, *value);
            self.set(*setting, *value);
        }
        if let Some(play) = link.play {
            self.set_playing(play);
        }
        self.answer(now, elapsed);
    }

    /// The address of a scenario that a link names and that has to be fetched.
    #[must_use]
    pub fn wanted_scenario(&self) -> Option<&str> {
        self.waiting_link.as_ref()?.scenario.as_deref()
    }

    /// The scenario that was wanted has arrived: the link that named it is followed from there.
    pub fn scenario_arrived(&mut self, text: &str, now: f64, elapsed: &mut dyn FnMut() -> f64) {
        let Some(mut link) = self.waiting_link.take() else { return };
        let address = link.scenario.take().unwrap_or_default();
        // The first reading of the link has said what was wrong with it.
        link.notices.clear();
        if let Some(start) = self.read_file(&address, text) {
            self.follow(&link, start);
        }
        self.answer(now, elapsed);
    }

    /// A person or the page did something at real time `now`; `elapsed` tells how many
    /// milliseconds have passed since.
    pub fn update(&mut self, msg: Msg, now: f64, elapsed: &mut dyn FnMut() -> f64) {
        let moved_dial = matches!(
            msg,
            Msg::SliderMoved(..) | Msg::DialStepped(..) | Msg::ValueEntered(..) | Msg::NoneTicked(..)
        );
        let stepped = matches!(msg, Msg::Stepped | Msg::SteppedToNextInstant);
        assert!(!(stepped && self.fault == Some(Fault::AtStep)), "a deliberate fault, for a test");
        self.take(msg);
        self.answer(now, elapsed);
        if stepped {
            self.announcer.answer(self.at_clock("transport.stepped"));
        }
        if moved_dial {
            let text = self.happening_spoken();
            self.announcer.dial_moved(millis(now), self.shown.happening.kind(), text);
        }
        self.announce(now);
    }

    /// A frame at real time `now`: lets model time pass if it runs.
    pub fn frame(&mut self, now: f64, elapsed: &mut dyn FnMut() -> f64) {
        let passed = self.last_frame.map_or(0.0, |last| (now - last).clamp(0.0, FRAME_MILLIS_MAX));
        self.last_frame = Some(now);
        let target = self.target(passed);
        self.work_towards(target, elapsed);
        self.run.refresh();
        self.stop_at_the_end();
        self.show(now, false);
        let text = self.happening_spoken();
        self.announcer.state_is(self.shown.happening.kind(), text);
        self.announce(now);
    }

    /// Frames stopped coming: the page is hidden, off screen or paused. Model time goes on where
    /// it stood when they come again.
    pub const fn frames_stopped(&mut self) {
        self.last_frame = None;
    }

    /// Something that was put off is due, such as an announcement.
    pub fn wake(&mut self, now: f64) {
        self.show(now, false);
        self.announce(now);
    }

    /// Whether frames are needed: it runs, or a jump or a burst is being worked off.
    #[must_use]
    pub fn needs_frames(&self) -> bool {
        self.is_playing || self.goal.is_some() || !self.run.simulation().is_complete()
    }

    /// The real time at which [`Self::wake`] is due although no frame comes.
    #[must_use]
    pub fn wake_at(&self) -> Option<f64> {
        #[allow(clippy::cast_precision_loss)]
        self.announcer.due_at().map(|at| at as f64)
    }

    /// The run.
    #[must_use]
    pub const fn run(&self) -> &Run {
        &self.run
    }

    /// The speed.
    #[must_use]
    pub const fn speed(&self) -> Speed {
        self.speed
    }

    /// Whether model time passes.
    #[must_use]
    pub const fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// The colours in use.
    #[must_use]
    pub const fn theme(&self) -> ThemeName {
        match (self.theme, self.is_host_dark) {
            (ThemeChoice::Dark, _) | (ThemeChoice::Auto, true) => ThemeName::Dark,
            _ => ThemeName::Light,
        }
    }

    /// The page around it is dark, or light.
    pub const fn set_host_dark(&mut self, is_dark: bool) {
        self.is_host_dark = is_dark;
    }

    /// Less motion is wanted, or not.
    pub const fn set_motion_reduced(&mut self, is_reduced: bool) {
        self.is_motion_reduced = is_reduced;
    }

    /// Whether dots stand still.
    #[must_use]
    pub const fn is_motion_reduced(&self) -> bool {
        self.is_motion_reduced
    }

    /// The dials as they are shown: as the model has them, and those that wait for it.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let mut settings = self.run.settings().clone();
        for (setting, value) in &self.waiting_dials {
            settings.set(*setting, *value);
        }
        settings.seed = self.start.scenario.settings.seed;
        settings
    }

    /// The instant of the jump forward that is on offer.
    #[must_use]
    pub fn skip_to(&self) -> Option<(NextEvent, Instant)> {
        let snapshot = self.run.snapshot();
        let next = snapshot.outlook.next;
        let (NextEvent::FullIn(span) | NextEvent::EmptyIn(span) | NextEvent::OutOfMemoryIn(span)) = next
        else {
            return None;
        };
        let at = snapshot.at + span;
        (span >= SKIP_FROM && at < LAST_INSTANT).then_some((next, at))
    }

    fn take(&mut self, msg: Msg) {
        match msg {
            Msg::PlayToggled => self.set_playing(!self.is_playing),
            Msg::Stepped => self.step_to(self.run.simulation().now() + Span::from_seconds(1)),
            Msg::SteppedToNextInstant => {
                if let Some(next) = self.run.simulation().next_instant() {
                    self.step_to(next);
                }
            }
            Msg::ResetPressed => {
                self.begin();
                self.set_playing(false);
                self.announcer.answer(self.locale.text("transport.was_reset").to_owned());
            }
            Msg::SpeedChosen(name) => self.speed = Speed::read(&name).map_or(self.speed, |(speed, _)| speed),
            Msg::SkipPressed => self.goal = self.skip_to().map(|(_, at)| at).or(self.goal),
            Msg::SliderMoved(setting, position) => {
                let rate = dials::rate_at(position, self.slider_end(setting));
                self.set_rate(setting, rate);
            }
            Msg::DialStepped(setting, steps) => self.step_dial(setting, steps),
            Msg::ValueEntered(setting, text) => self.enter(setting, &text),
            Msg::NoneTicked(setting, is_none) => self.tick_none(setting, is_none),
            Msg::ShowMePressed => self.show_me(),
            Msg::BurstPressed => self.burst(),
            Msg::FileOpened(name, text) => self.open(&name, &text),
            Msg::FileTooLarge(name) => self.notices.push(Notice::FileTooLarge(name)),
            Msg::FileFailed(name) => self.notices.push(Notice::FileFailed(name)),
            Msg::AddressElsewhere(address) => self.notices.push(Notice::NotSameOrigin(address)),
            Msg::ScenarioNotFound(name) => self.notices.push(Notice::NotFound(name)),
            Msg::MoreOpened(is_open) => {
                let visible = if is_open { Visible::ALL } else { Visible::FIRST_SCREEN };
                self.run.set_visible(visible);
            }
            Msg::NoticesClosed => self.notices.clear(),
        }
    }

    fn set_playing(&mut self, is_playing: bool) {
        if is_playing != self.is_playing {
            let key = if is_playing { "transport.started" } else { "transport.paused" };
            self.announcer.answer(self.at_clock(key));
        }
        self.is_playing = is_playing;
        self.announcer.set_playing(is_playing);
        if is_playing {
            self.last_frame = None;
        } else {
            self.goal = None;
        }
    }

    fn step_to(&mut self, at: Instant) {
        self.set_playing(false);
        self.goal = Some(at.min(LAST_INSTANT));
    }

    fn begin(&mut self) {
        let scenario = Rc::new(self.start.scenario.clone());
        self.run = Run::new(scenario, Visible::FIRST_SCREEN);
        self.waiting_dials.clear();
        self.dial_problem = None;
        self.goal = None;
        let settings = &self.start.scenario.settings;
        let end = |rate| self.start.dial_max.map_or_else(|| dials::widened(rate), |max| max.max(rate));
        self.slider_max = [end(settings.producer_rate), end(settings.consumer_rate)];
        self.announcer.reset();
        self.pacer = Pacer::default();
        self.shown = self.run.account();
    }

    fn show_me(&mut self) {
        let Some(scenario) = built_in::by_name(built_in::SHOW_ME) else { return };
        let (file, _) = scenario_file::read(scenario.text);
        let kept = std::mem::replace(&mut self.start, file.map(Start::of_file).unwrap_or_default());
        self.begin();
        self.start = kept;
        self.set_playing(true);
    }

    fn open(&mut self, name: &str, text: &str) {
        // What was wrong before is settled by what is opened now.
        self.notices.clear();
        let Some(start) = self.read_file(name, text) else { return };
        let title = start.title.clone().unwrap_or_else(|| name.to_owned());
        self.start = start;
        self.begin();
        self.set_playing(false);
        self.announcer.answer(self.locale.format("file.opened", &[("title", Field::Text(&title))]));
    }

    fn read_file(&mut self, name: &str, text: &str) -> Option<Start> {
        if text.len() > FILE_BYTES_MAX {
            self.notices.push(Notice::FileTooLarge(name.to_owned()));
            return None;
        }
        let (file, notices) = scenario_file::read(text);
        self.notices.extend(notices.into_iter().map(|notice| Notice::File(name.to_owned(), notice)));
        file.map(Start::of_file)
    }

    fn burst(&mut self) {
        if self.run.apply(Command::Burst { count: BURST_BUTTON }).is_ok() {
            let fields = [("count", Field::Count(BURST_BUTTON))];
            self.announcer.answer(self.locale.format("actions.burst.done", &fields));
        }
    }

    fn step_dial(&mut self, setting: Setting, steps: i32) {
        match self.settings().get(setting) {
            Value::Rate(rate) => {
                self.set_rate(setting, dials::stepped(rate, steps, self.slider_end(setting)))
            }
            Value::Count(count) => {
                self.set_whole(setting, count.saturating_add_signed(i64::from(steps)), Value::Count)
            }
            Value::Bound(Bound::Messages(count)) => {
                let next = count.saturating_add_signed(i64::from(steps) * 10);
                self.set_whole(setting, next, |count| Value::Bound(Bound::Messages(count)));
            }
            Value::Bound(Bound::None) | Value::Choice(_) => {}
        }
    }

    fn set_whole(&mut self, setting: Setting, count: u64, wrap: fn(u64) -> Value) {
        self.set(setting, wrap(count));
    }

    fn enter(&mut self, setting: Setting, text: &str) {
        let (value, problem) = Definition::of(setting).read(text);
        match value {
            Some(Value::Rate(rate)) => self.set_rate(setting, rate),
            Some(value) => self.set(setting, value),
            None => {}
        }
        self.dial_problem = problem.map(|problem| (setting, problem));
        self.dial_entry = text.chars().take(40).collect();
    }

    fn tick_none(&mut self, setting: Setting, is_none: bool) {
        let kept = match self.start.scenario.settings.queue_bound {
            Bound::None => Settings::default().queue_bound,
            bound @ Bound::Messages(_) => bound,
        };
        self.set(setting, Value::Bound(if is_none { Bound::None } else { kept }));
    }

    fn set_rate(&mut self, setting: Setting, rate: Rate) {
        let end = self.slider_end(setting);
        if rate > end {
            self.slider_max[usize::from(setting == Setting::ConsumerRate)] = dials::widened(rate);
        }
        self.set(setting, Value::Rate(rate));
    }

    fn set(&mut self, setting: Setting, value: Value) {
        self.dial_problem = None;
        if setting == Setting::Seed {
            self.start.scenario.settings.set(setting, value);
            return;
        }
        let mut settings = self.settings();
        settings.set(setting, value);
        let value = settings.get(setting);
        let is_known = self.settings().get(setting) == value;
        if !is_known && self.run.apply(Command::Set { setting, value }).is_ok() {
            self.waiting_dials.push((setting, value));
        }
    }

    pub(super) fn slider_end(&self, setting: Setting) -> Rate {
        self.slider_max[usize::from(setting == Setting::ConsumerRate)]
    }

    /// Works off what was asked for as far as a frame allows, and answers.
    fn answer(&mut self, now: f64, elapsed: &mut dyn FnMut() -> f64) {
        let target = self.goal.unwrap_or_else(|| self.run.simulation().now());
        self.work_towards(target, elapsed);
        self.run.observe_command();
        self.stop_at_the_end();
        self.show(now, true);
    }

    fn target(&self, passed_millis: f64) -> Instant {
        let now = self.run.simulation().now();
        let end = self.run.simulation().scenario().until.filter(|until| *until > now).unwrap_or(LAST_INSTANT);
        match self.goal {
            Some(goal) => goal,
            None if self.is_playing => {
                (now + Span::from_micros(self.speed.model_micros(micros(passed_millis)))).min(end)
            }
            None => now,
        }
    }

    fn work_towards(&mut self, target: Instant, elapsed: &mut dyn FnMut() -> f64) {
        while !self.run.advance(target, EVENTS_PER_SLICE) {
            if elapsed() > WORK_MILLIS {
                break;
            }
        }
        if self.run.simulation().is_complete() {
            self.waiting_dials.clear();
        }
        if self.goal.is_some_and(|goal| self.run.is_at(goal)) {
            self.goal = None;
        }
    }

    fn stop_at_the_end(&mut self) {
        let now = self.run.simulation().now();
        let is_over = self.run.simulation().scenario().until == Some(now) || now == LAST_INSTANT;
        if self.is_playing && is_over && self.goal.is_none() {
            self.set_playing(false);
            self.announcer.answer(self.at_clock("transport.ended"));
        }
    }

    fn show(&mut self, now: f64, is_answer: bool) {
        let fresh = self.run.account();
        self.shown = self.pacer.show(&fresh, self.run.snapshot(), millis(now), is_answer);
    }

    fn announce(&mut self, now: f64) {
        if let Some(spoken) = self.announcer.take(millis(now)) {
            self.announcement = Announcement { serial: spoken.serial, text: spoken.text };
        }
    }

    /// A text that names the time on the clock.
    fn at_clock(&self, key: &str) -> String {
        let time = format::clock(self.run.snapshot().at);
        self.locale.format(key, &[("time", Field::Text(&time))])
    }

    fn happening_spoken(&self) -> String {
        words::text(&self.shown.happening, &self.locale, Numerals::Spoken)
    }
}

impl Start {
    fn of_file(file: scenario_file::ScenarioFile) -> Self {
        Self { title: file.title, scenario: file.scenario, dial_max: file.dial_max }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn millis(real: f64) -> u64 {
    // A cast from float stops at the ends: below zero is zero.
    real as u64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn micros(real_millis: f64) -> u64 {
    (real_millis * 1_000.0) as u64
}
