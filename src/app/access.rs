//! Which dials and buttons a page has, and which of them it has locked: the parameters `controls`,
//! `lock` and `hide`, and what a person puts away by a key.

use std::rc::Rc;

use super::breaking::Injection;
use super::groups;
use super::link::{Link, LinkNotice, LinkProblem};
use super::notice::Notice;
use super::present::dial_key;
use super::state::App;
use crate::model::settings::{Definition, Setting};
use crate::narrate::locale::{Field, Locale};
use crate::narrate::narrator::Visible;

/// A dial, a button, or a part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Start and Pause.
    Start,
    /// Step.
    Step,
    /// The speed.
    Speed,
    /// Reset.
    Reset,
    /// The slider of the run so far.
    LookBack,
    /// The jump forward on offer.
    Skip,
    /// The prepared run on offer.
    ShowMe,
    /// The switch between queue and log.
    View,
    /// Share, with what it opens.
    Share,
    /// Full screen.
    FullScreen,
    /// The projector's colours and sizes.
    Projector,
    /// The list of keys.
    Help,
    /// The keys themselves.
    Shortcuts,
    /// "More dials".
    More,
    /// "Open a scenario file".
    File,
    /// "All numbers".
    Table,
    /// What the words mean.
    Words,
    /// The journey of a message.
    Trace,
    /// All buttons that break things, and what belongs to them.
    Break,
    /// One of these buttons.
    Injection(Injection),
    /// What is to become of poison.
    Policy,
    /// The dead letters.
    DeadLetters,
    /// One more partition.
    AddPartition,
    /// A second team.
    AddTeam,
    /// All dials.
    Dials,
    /// The charts.
    Charts,
    /// What to try.
    Advice,
    /// The sentence.
    Sentence,
    /// One dial.
    Setting(Setting),
}

/// The names of all that are not settings, with the keys of the words by which people know them. Dials
/// go by the short names of their settings.
pub const NAMES: [(&str, Control, &str); 45] = [
    ("start", Control::Start, "transport.start"),
    ("pause", Control::Start, "transport.start"),
    ("step", Control::Step, "transport.step"),
    ("speed", Control::Speed, "transport.speed"),
    ("reset", Control::Reset, "transport.reset"),
    ("look-back", Control::LookBack, "rewind.label"),
    ("skip", Control::Skip, "access.skip"),
    ("show-me", Control::ShowMe, "actions.show_me"),
    ("view", Control::View, "side.label"),
    ("share", Control::Share, "share.open"),
    ("full-screen", Control::FullScreen, "present.full_screen"),
    ("projector", Control::Projector, "present.projector"),
    ("help", Control::Help, "present.help"),
    ("shortcuts", Control::Shortcuts, "access.shortcuts"),
    ("more", Control::More, "more.title"),
    ("file", Control::File, "file.open"),
    ("table", Control::Table, "table.open"),
    ("words", Control::Words, "glossary.open"),
    ("trace", Control::Trace, "trace.open"),
    ("break", Control::Break, "actions.label"),
    ("poison-message", Control::Injection(Injection::Poison), "break.poison"),
    ("stop-consumer", Control::Injection(Injection::Consumer), "break.stop"),
    ("send-burst", Control::Injection(Injection::Burst), "break.burst"),
    ("slow-database", Control::Injection(Injection::Database), "break.slow"),
    ("crash", Control::Injection(Injection::Crash), "break.crash"),
    ("crash-finishing", Control::Injection(Injection::CrashFinishing), "break.crash_finishing"),
    ("hang", Control::Injection(Injection::Hang), "break.hang"),
    ("crash-loop", Control::Injection(Injection::CrashLoop), "break.crash_loop"),
    ("restart-consumers", Control::Injection(Injection::Restart), "break.restart"),
    ("add-consumer", Control::Injection(Injection::AddConsumer), "break.add"),
    ("broker-down", Control::Injection(Injection::Broker), "break.broker_down"),
    ("pause-producer", Control::Injection(Injection::Producer), "break.pause"),
    ("hot-key", Control::Injection(Injection::HotKey), "break.hot_key"),
    ("new-schema", Control::Injection(Injection::Schema), "break.schema"),
    ("stop-group", Control::Injection(Injection::Group), "group.stop"),
    ("reset-offsets", Control::Injection(Injection::Reset), "reset.button"),
    ("split-queues", Control::Injection(Injection::Split), "break.split"),
    ("policy", Control::Policy, "access.policy"),
    ("dead-letters", Control::DeadLetters, "access.dead_letters"),
    ("dials", Control::Dials, "access.dials"),
    ("charts", Control::Charts, "access.charts"),
    ("advice", Control::Advice, "access.advice"),
    ("sentence", Control::Sentence, "access.sentence"),
    ("add-partition", Control::AddPartition, "log.add.partition"),
    ("add-team", Control::AddTeam, "log.add.team"),
];

/// The parts that a key puts away and brings back.
pub const PARTS: [Control; 4] = [Control::Dials, Control::Charts, Control::Advice, Control::Sentence];

impl Control {
    /// The one of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let row = NAMES.iter().find(|(own, ..)| *own == name);
        // Long names are for files.
        let setting = || Definition::by_name(name).filter(|row| row.alias == name);
        let setting = || setting().map(|row| Self::Setting(row.setting));
        row.map(|(_, control, _)| *control).or_else(setting)
    }

    /// Whether it is one of those that `group` stands for, or that one.
    fn is_of(self, group: Self) -> bool {
        let belongs = match group {
            Self::Dials => matches!(self, Self::Setting(_)),
            Self::Break => matches!(self, Self::Injection(_) | Self::Policy | Self::DeadLetters),
            _ => false,
        };
        self == group || belongs
    }

    /// What people know it by.
    #[must_use]
    pub fn label(self, locale: &Locale) -> String {
        let row = NAMES.iter().find(|(_, control, _)| *control == self);
        match (self, row) {
            (Self::Setting(setting), _) => locale.text(&dial_key(setting)).to_owned(),
            (_, Some((_, _, key))) => locale.text(key).to_owned(),
            (_, None) => String::new(),
        }
    }
}

/// What of the page is there and can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Only these dials and buttons, where the page says so.
    only: Option<Vec<Control>>,
    hidden: Vec<Control>,
    locked: Vec<Control>,
    /// Parts that a person has put away.
    put_away: Vec<Control>,
    /// Whether any of these says anything.
    is_limited: bool,
}

impl Access {
    /// Whether everything is there and can be used, as on most pages.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        !self.is_limited
    }

    /// To be called after each change.
    fn renew(&mut self) {
        let lists = [&self.hidden, &self.locked, &self.put_away];
        self.is_limited = self.only.is_some() || lists.iter().any(|list| !list.is_empty());
    }

    /// Whether the page does not have it, now.
    #[must_use]
    #[inline]
    pub fn is_hidden(&self, control: Control) -> bool {
        self.is_limited && self.hides(control)
    }

    /// Whether it stands there and nobody can change it.
    #[must_use]
    #[inline]
    pub fn is_locked(&self, control: Control) -> bool {
        self.is_limited && self.locks(control)
    }

    #[inline(never)]
    fn locks(&self, control: Control) -> bool {
        has(&self.locked, control)
    }

    #[inline(never)]
    fn hides(&self, control: Control) -> bool {
        has(&self.hidden, control)
            || has(&self.put_away, control)
            || self.only.as_ref().is_some_and(|only| leaves_out(only, control))
    }

    /// Whether it is there and can be used.
    #[must_use]
    pub fn allows(&self, control: Control) -> bool {
        !self.is_hidden(control) && !self.is_locked(control)
    }

    /// Whether the page never has that part: no key brings it.
    #[must_use]
    pub fn is_left_out(&self, part: Control) -> bool {
        has(&self.hidden, part)
    }

    /// Puts a part away, or brings it back; returns whether it is there now.
    pub(super) fn toggle(&mut self, part: Control) -> bool {
        let was_away = self.put_away.contains(&part);
        self.put_away.retain(|away| *away != part);
        self.put_away.extend((!was_away).then_some(part));
        self.renew();
        !self.is_hidden(part)
    }

    /// What is locked, in words.
    fn locked_names(&self, locale: &Locale) -> String {
        let there = self.locked.iter().filter(|control| !self.is_hidden(**control));
        let mut names: Vec<String> = there.map(|control| control.label(locale)).collect();
        names.dedup();
        names.join(", ")
    }
}

fn has(list: &[Control], control: Control) -> bool {
    list.iter().any(|group| control.is_of(*group))
}

/// Whether a list of what is there leaves a control out. Parts are no controls; what opens others is
/// there if one of them is.
fn leaves_out(only: &[Control], control: Control) -> bool {
    let is_first = |setting: &Setting| matches!(setting, Setting::ProducerRate | Setting::ConsumerRate);
    let opens = |named: &Control| match (control, named) {
        (Control::More, Control::Setting(setting)) => !is_first(setting),
        (Control::More, Control::Dials) => true,
        (Control::Break, Control::Injection(_)) => true,
        _ => false,
    };
    !PARTS.contains(&control) && !has(only, control) && !only.iter().any(opens)
}

/// The button that goes by the same short name as a dial: who writes it means what is on the page.
fn namesake(name: &str) -> Option<Control> {
    (name == "poison").then_some(Control::Injection(Injection::Poison))
}

impl App {
    /// Takes what a link says of the page's controls.
    pub(super) fn take_access(&mut self, link: &Link) {
        if link.controls.is_some() || link.hide.is_some() || link.lock.is_some() {
            self.read_access(link);
        }
        self.renew_visible();
    }

    #[inline(never)]
    fn read_access(&mut self, link: &Link) {
        let mut access = Access::clone(&self.access);
        if let Some(list) = &link.controls {
            // A page of nothing would be a slip of the pen: the notice says so, and the page stays whole.
            access.only = Some(self.controls_in("controls", list)).filter(|only| !only.is_empty());
        }
        if let Some(list) = &link.hide {
            access.hidden = self.controls_in("hide", list);
        }
        if let Some(list) = &link.lock {
            access.locked = self.controls_in("lock", list);
        }
        access.renew();
        self.access = Rc::new(access);
    }

    /// The controls in a list with commas; names that nothing has are said.
    fn controls_in(&mut self, parameter: &str, list: &str) -> Vec<Control> {
        let mut controls = Vec::new();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match Control::by_name(name) {
                Some(control) => controls.extend([Some(control), namesake(name)].into_iter().flatten()),
                None => self.notices.push(Notice::Link(LinkNotice {
                    name: parameter.to_owned(),
                    given: name.chars().take(40).collect(),
                    problem: LinkProblem::UnknownControl,
                })),
            }
        }
        controls
    }

    /// Sentences name only what is on screen and can be used.
    pub(super) fn renew_visible(&mut self) {
        let visible = match (self.access.is_full(), self.is_more_open || self.is_breaking_open) {
            (true, false) => Visible::FIRST_SCREEN,
            _ => self.visible_of_further(),
        };
        if self.visible != visible {
            self.visible = visible;
            self.run.set_visible(visible);
        }
    }

    #[inline(never)]
    fn visible_of_further(&self) -> Visible {
        let can = |control| self.access.allows(control);
        let is_open = self.is_more_open && can(Control::More);
        let dials = if is_open { groups::dials_on_screen(self) } else { Vec::new() };
        let further = |setting| dials.contains(&setting) && can(Control::Setting(setting));
        Visible {
            start: can(Control::Start),
            producer_rate: can(Control::Setting(Setting::ProducerRate)),
            consumer_rate: can(Control::Setting(Setting::ConsumerRate)),
            consumer_count: further(Setting::ConsumerCount),
            queue_bound: further(Setting::QueueBound),
            producer_pause: self.is_breaking_open
                && can(Control::Break)
                && can(Control::Injection(Injection::Producer))
                && self.can_go_on(),
        }
    }

    /// Puts a part of the page away, or brings it back, and says so.
    #[inline(never)]
    pub(super) fn toggle_part(&mut self, part: Control) {
        let is_there = Rc::make_mut(&mut self.access).toggle(part);
        self.renew_visible();
        let name = [("name", Field::Text(&part.label(&self.locale)))];
        let said = self.locale.format(if is_there { "access.shown" } else { "access.hidden" }, &name);
        self.announcer.answer(said);
    }

    /// Says that a control is locked, and why.
    #[inline(never)]
    pub(super) fn say_locked(&mut self, control: Control) {
        let name = [("name", Field::Text(&control.label(&self.locale)))];
        let said = self.locale.format("access.locked", &name);
        self.announcer.answer(said);
    }
}

/// What is locked, as a sentence that stands on the page and describes each of these controls.
pub(super) fn locked_note(app: &App) -> Option<String> {
    if app.access.is_full() { None } else { locked_sentence(app) }
}

#[inline(never)]
fn locked_sentence(app: &App) -> Option<String> {
    let names = app.access.locked_names(&app.locale);
    let said = || app.locale.format("access.all_locked", &[("names", Field::Text(&names))]);
    (!names.is_empty()).then(said)
}
