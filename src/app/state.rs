//! The app: everything that the page shows follows from it, and only messages and frames change
//! it. Real time comes in as milliseconds of any clock that does not go back.

use std::rc::Rc;

use super::access::Access;
use super::dials;
use super::drag::Drag;
use super::groups::Group;
use super::link::{Fault, Link, MotionChoice, ThemeChoice};
use super::message::{Msg, Request};
use super::notice::Notice;
use super::resetting::ResetChoice;
use super::run::Run;
use super::said::Matter;
use super::share::Origin;
use super::speed::Speed;
use super::start::Start;
use super::trace::Trace;
use super::view::Announcement;
use crate::draw::palette::Palette;
use crate::model::rate::Rate;
use crate::model::scenario::Scenario;
use crate::model::settings::{Problem, Setting, Settings, Value};
use crate::model::time::{Instant, LAST_INSTANT, Span};
use crate::narrate::announce::Announcer;
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};
use crate::narrate::narrator::Visible;
use crate::narrate::pace::Pacer;
use crate::narrate::remark::Account;
use crate::narrate::words;

/// Real time that a frame may spend on the model while it plays, in milliseconds: with the drawing, a
/// frame of the busiest run then takes about 8.
const WORK_MILLIS: f64 = 5.0;
/// The same on the way to an instant that somebody waits for.
const WORK_MILLIS_OF_JUMP: f64 = 8.0;
/// Events between two looks at the clock: some hundredths of a millisecond, and few milliseconds where the
/// browser runs the code for the first time.
const EVENTS_PER_SLICE: u64 = 250;
/// Model time never makes up for more real time than this at once: a tab that slept goes on where
/// it stood.
const FRAME_MILLIS_MAX: f64 = 100.0;
/// The longest scenario file that is read, in bytes.
pub const FILE_BYTES_MAX: usize = 1_000_000;
/// From so many more late frames than others on it is said that the machine does not keep up.
const FRAMES_BEHIND: u8 = 15;
/// So much model time is worked off although nobody sees it.
const NEAR: Span = Span::from_seconds(3_600);

/// The state of one widget.
#[derive(Clone, Debug)]
pub struct App {
    pub(super) locale: Rc<Locale>,
    pub(super) start: Start,
    pub(super) run: Run,
    /// Dials that were moved while an instant was being worked off.
    pub(super) waiting_dials: Vec<(Setting, Value)>,
    pub(super) slider_max: [Rate; 2],
    pub(super) dial_problem: Option<(Setting, Problem)>,
    /// What was typed when the problem arose.
    pub(super) dial_entry: String,
    pub(super) is_playing: bool,
    pub(super) speed: Speed,
    /// An instant to be reached as fast as it goes, whether playing or not.
    pub(super) goal: Option<Instant>,
    /// That instant was chosen on the slider of the run so far: nothing is shown on the way there.
    pub(super) looks_back: bool,
    pub(super) last_frame: Option<f64>,
    /// How many frames lately came too late for the speed, against those that did not.
    frames_behind: u8,
    pub(super) pacer: Pacer,
    pub(super) shown: Account,
    pub(super) announcer: Announcer,
    pub(super) announcement: Announcement,
    pub(super) notices: Vec<Notice>,
    pub(super) theme: ThemeChoice,
    pub(super) is_host_dark: bool,
    pub(super) is_motion_reduced: bool,
    pub(super) motion: MotionChoice,
    fault: Option<Fault>,
    /// A link whose scenario has to be fetched first.
    pub(super) waiting_link: Option<Link>,
    /// That scenario's address was told.
    pub(super) is_fetching: bool,
    /// The controls that the sentences may name.
    pub(super) visible: Visible,
    /// Whether "More dials" is open.
    pub(super) is_more_open: bool,
    /// Whether "More ways to break it" is open.
    pub(super) is_breaking_open: bool,
    /// Whether the dead letters are open.
    pub(super) is_dead_letters_open: bool,
    /// Whether the further charts are open.
    pub(super) are_charts_open: bool,
    /// Whether the table is open.
    pub(super) is_table_open: bool,
    pub(super) is_glossary_open: bool,
    /// Whether "Share" is open.
    pub(super) is_share_open: bool,
    /// The dead letters that are ticked: the places of their producers, and their numbers.
    pub(super) ticked_letters: Vec<(usize, u64)>,
    /// What a person is tracing.
    pub(super) trace: Trace,
    /// What the run's scenario was taken from.
    pub(super) origin: Origin,
    /// The address of the page.
    pub(super) address: String,
    /// What the browser is asked to do.
    pub(super) request: Option<Request>,
    /// Which dials and buttons the page has.
    pub(super) access: Rc<Access>,
    /// The group of further dials that is open.
    pub(super) group: Group,
    /// The dial that is being dragged.
    pub(super) drag: Drag,
    /// How far the sliders of further rates reach, once they were moved.
    pub(super) further_max: Vec<(Setting, Rate)>,
    /// Whether the list of keys is open.
    pub(super) is_help_open: bool,
    /// Whether the widget has the whole screen.
    pub(super) is_full_screen: bool,
    /// The system's own colours, where it forces them on pages.
    pub(super) forced_palette: Option<Rc<Palette>>,
    /// What was done last by the buttons that break things, or why it was not.
    pub(super) said_at_buttons: String,
    /// What these words speak of, as it was then.
    pub(super) said_of: Option<Matter>,
    /// The partition that was chosen for the next poison message, since the run began.
    pub(super) poison_partition: Option<u32>,
    /// To where offsets are to be moved; it stays over a reset of the run, as the list shows it.
    pub(super) reset_to: ResetChoice,
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
            looks_back: false,
            last_frame: None,
            frames_behind: 0,
            pacer: Pacer::default(),
            shown,
            announcer: Announcer::default(),
            announcement: Announcement::default(),
            notices: Vec::new(),
            theme: ThemeChoice::Auto,
            is_host_dark: false,
            is_motion_reduced: false,
            motion: MotionChoice::Auto,
            fault: link.fault,
            waiting_link: None,
            is_fetching: false,
            visible: Visible::FIRST_SCREEN,
            is_more_open: false,
            is_breaking_open: false,
            is_dead_letters_open: false,
            are_charts_open: false,
            is_table_open: false,
            is_glossary_open: false,
            is_share_open: false,
            ticked_letters: Vec::new(),
            trace: Trace::default(),
            origin: Origin::default(),
            address: String::new(),
            request: None,
            access: Rc::default(),
            group: Group::default(),
            drag: Drag::default(),
            further_max: Vec::new(),
            is_help_open: false,
            is_full_screen: false,
            forced_palette: None,
            said_at_buttons: String::new(),
            said_of: None,
            poison_partition: None,
            reset_to: ResetChoice::Earliest,
        };
        app.follow(link, Start::default());
        app
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
        if let Msg::SliderMoved(setting, position) = msg {
            self.drag_to(setting, position, now);
        } else {
            self.let_go();
            self.take(msg);
        }
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
        self.drag_on(now);
        let target = self.target(passed);
        self.work_towards(target, elapsed);
        self.take_in_pace(target);
        if !(self.looks_back && self.goal.is_some()) {
            self.run.refresh();
        }
        self.follow_picked(elapsed);
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
        if self.drag_on(now) {
            self.run.observe_command();
        }
        self.show(now, false);
        self.announce(now);
    }

    /// Whether frames are needed: it runs, or a jump or a burst is being worked off.
    #[must_use]
    pub fn needs_frames(&self) -> bool {
        self.is_playing || self.goal.is_some() || !self.run.simulation().is_complete() || self.has_to_trace()
    }

    /// Whether an instant was asked for that is not reached yet and is not far: nobody who does not see
    /// it waits longer for it.
    #[must_use]
    pub fn has_near_goal(&self) -> bool {
        self.goal.is_some_and(|goal| goal.since(self.run.simulation().now()) < NEAR)
    }

    /// The real time at which [`Self::wake`] is due although no frame comes.
    #[must_use]
    pub fn wake_at(&self) -> Option<f64> {
        let due = [self.announcer.due_at(), self.pacer.due_at(&self.run.account())];
        #[allow(clippy::cast_precision_loss)]
        let due = due.into_iter().flatten().min().map(|at| at as f64);
        match (due, self.drag.due_at()) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Whether the further charts are open.
    #[must_use]
    pub const fn are_charts_open(&self) -> bool {
        self.are_charts_open
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

    /// The dials as they are shown: as the model has them, and those that wait for it.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let mut settings = self.run.settings().clone();
        for (setting, value) in &self.waiting_dials {
            settings.set(*setting, *value);
        }
        if let Some((setting, value)) = self.drag.pending() {
            settings.set(setting, value);
        }
        settings.seed = self.start.scenario.settings.seed;
        if !self.start.fixed.is_empty() {
            self.with_fixed(&mut settings);
        }
        settings
    }

    pub(super) fn slider_end(&self, setting: Setting) -> Rate {
        match setting {
            Setting::ProducerRate => self.slider_max[0],
            Setting::ConsumerRate => self.slider_max[1],
            further => self.further_end(further),
        }
    }

    /// Works off what was asked for as far as a frame allows, and answers.
    pub(super) fn answer(&mut self, now: f64, elapsed: &mut dyn FnMut() -> f64) {
        let target = self.goal.unwrap_or_else(|| self.run.simulation().now());
        self.work_towards(target, elapsed);
        if !(self.looks_back && self.goal.is_some()) {
            self.run.observe_command();
        }
        self.follow_picked(elapsed);
        self.stop_at_the_end();
        self.show(now, true);
    }

    fn target(&self, passed_millis: f64) -> Instant {
        let (now, end) = (self.run.simulation().now(), self.end());
        match self.goal {
            Some(goal) => goal,
            None if self.is_playing => {
                (now + Span::from_micros(self.speed.model_micros(micros(passed_millis)))).min(end)
            }
            None => now,
        }
    }

    /// Where the run ends by itself, if that is still to come.
    pub(super) fn end(&self) -> Instant {
        let now = self.run.simulation().now();
        self.run.simulation().scenario().until.filter(|until| *until > now).unwrap_or(LAST_INSTANT)
    }

    fn work_towards(&mut self, target: Instant, elapsed: &mut dyn FnMut() -> f64) {
        let was_complete = self.run.simulation().is_complete();
        let limit = if self.goal.is_some() { WORK_MILLIS_OF_JUMP } else { WORK_MILLIS };
        while !self.run.advance(target, EVENTS_PER_SLICE) {
            if elapsed() > limit {
                break;
            }
        }
        if self.run.simulation().is_complete() {
            self.waiting_dials.clear();
            if !was_complete {
                self.run.observe_command();
            }
        }
        if self.goal.is_some_and(|goal| self.run.is_at(goal)) {
            (self.goal, self.looks_back) = (None, false);
            self.run.observe_command();
        }
    }

    /// Counts whether the machine keeps up with the speed. One late frame says nothing.
    fn take_in_pace(&mut self, target: Instant) {
        let is_late = self.is_playing && self.goal.is_none() && !self.run.is_at(target);
        let count = self.frames_behind;
        self.frames_behind = if is_late { count + 1 } else { count.saturating_sub(1) }.min(2 * FRAMES_BEHIND);
    }

    /// Whether model time passes more slowly than the chosen speed asks for.
    #[must_use]
    pub const fn is_behind(&self) -> bool {
        self.is_playing && self.frames_behind > FRAMES_BEHIND
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
        self.drop_stale_words(is_answer);
        let fresh = self.run.account();
        self.shown = self.pacer.show(&fresh, self.run.snapshot(), millis(now), is_answer);
    }

    fn announce(&mut self, now: f64) {
        if let Some(spoken) = self.announcer.take(millis(now)) {
            self.announcement = Announcement { serial: spoken.serial, text: spoken.text };
        }
    }

    /// A text that names the time on the clock.
    pub(super) fn at_clock(&self, key: &str) -> String {
        let time = format::clock(self.run.snapshot().at);
        self.locale.format(key, &[("time", Field::Text(&time))])
    }

    fn happening_spoken(&self) -> String {
        words::happening(&self.shown, &self.locale, Numerals::Spoken)
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
