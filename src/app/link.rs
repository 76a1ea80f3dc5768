//! Links and attributes: parameters by name, read with care and written in a fixed order.

use super::log_view::{SIDES, Side, scenario_of};
use super::speed::Speed;
use crate::model::decimal;
use crate::model::rate::Rate;
use crate::model::settings::{Definition, Problem, Setting, Settings, TABLE, Value};
use crate::model::time::{Instant, LAST_INSTANT};
use crate::narrate::announce;

/// Parameters of the page that are not settings of the run, in the order of links.
pub const PAGE_PARAMETERS: [&str; 17] = [
    "v", "mv", "scenario", "sh", "view", "do", "t", "speed", "play", "theme", "dial_max", "locale",
    "controls", "lock", "hide", "motion", "announce",
];

/// The contract's version.
pub const CONTRACT_VERSION: &str = "1";

/// The languages there are.
pub const LOCALES: &[&str] = &["en"];

/// The names of `theme`.
pub const THEMES: &[&str] = &["auto", "light", "dark", "projector"];

/// The names of `motion`.
pub const MOTIONS: &[&str] = &["auto", "still", "moving"];

/// The names of `announce`.
pub const ANNOUNCEMENTS: &[&str] = &["all", "replies", "off"];

const YES_OR_NO: &[&str] = &["0", "1"];

/// What colours are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// As the page around it.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// Strong contrast and large, for a room.
    Projector,
}

/// Whether dots move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionChoice {
    /// As the system asks for.
    #[default]
    Auto,
    /// They stand still.
    Still,
    /// They move.
    Moving,
}

/// A deliberate fault, for tests of what a fault leaves running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// On mounting.
    AtOnce,
    /// At the next step.
    AtStep,
}

/// What a link says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// A built-in scenario's name or an address; empty where it was taken away.
    pub scenario: Option<String>,
    /// The side of the page, where no scenario decides it.
    pub side: Option<Side>,
    /// Settings, in the order in which they stand.
    pub settings: Vec<(Setting, Value)>,
    /// The instant to open at.
    pub at: Option<Instant>,
    /// The speed.
    pub speed: Option<Speed>,
    /// Whether it runs.
    pub play: Option<bool>,
    /// The colours.
    pub theme: Option<ThemeChoice>,
    /// Whether dots move.
    pub motion: Option<MotionChoice>,
    /// What is announced.
    pub announce: Option<announce::Setting>,
    /// How far the sliders reach at first; 0 where that was taken away.
    pub dial_max: Option<Rate>,
    /// What was done in the run that is restored, as [`super::history`] reads it.
    pub done: Option<String>,
    /// The version of the model by which that run went.
    pub model_version: Option<u32>,
    /// The digest of the scenario that it started from.
    pub scenario_digest: Option<String>,
    /// The dials and buttons that the page has, with commas between; empty where all are there.
    pub controls: Option<String>,
    /// Those that nobody can change.
    pub lock: Option<String>,
    /// Those that the page does not have.
    pub hide: Option<String>,
    /// A deliberate fault.
    pub fault: Option<Fault>,
    /// What was wrong.
    pub notices: Vec<LinkNotice>,
}

/// A parameter that was not taken as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkNotice {
    /// The parameter.
    pub name: String,
    /// What it was given, shortened.
    pub given: String,
    /// What is wrong.
    pub problem: LinkProblem,
}

/// What can be wrong with a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkProblem {
    /// There is no such parameter.
    UnknownName,
    /// It names a dial or button that no page has.
    UnknownControl,
    /// Its value was clamped, rounded or left out.
    Value(Problem),
}

/// Names of all public parameters, those of the page first.
pub fn parameter_names() -> impl Iterator<Item = &'static str> {
    PAGE_PARAMETERS.into_iter().chain(TABLE.iter().map(|row| row.alias))
}

/// Reads a query string, with or without its question mark. Later values win.
#[must_use]
pub fn read(query: &str) -> Link {
    let mut link = Link::default();
    for pair in query.trim_start_matches('?').split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        link.take(&decoded(name), &decoded(value));
    }
    link
}

impl Link {
    fn take(&mut self, name: &str, value: &str) {
        match name {
            _ if value.is_empty() => self.take_default(name),
            "v" => self.choice(name, value, &[CONTRACT_VERSION], |_, _| {}),
            "locale" => self.choice(name, value, LOCALES, |_, _| {}),
            "mv" => {
                let version = self.number(name, value, 0, (1, u64::from(u32::MAX)));
                self.model_version = version.and_then(|version| u32::try_from(version).ok());
            }
            "sh" => self.scenario_digest = Some(value.to_owned()),
            "do" => self.done = Some(value.to_owned()),
            "scenario" => self.scenario = Some(value.to_owned()),
            "view" => self.choice(name, value, SIDES, |link, index| link.side = Some(side_at(index))),
            "t" => {
                let limits = (0, LAST_INSTANT.micros());
                self.at = self.number(name, value, 6, limits).map(Instant::from_micros);
            }
            "dial_max" => {
                self.dial_max = self.number(name, value, 0, (1, 100_000)).map(Rate::from_per_second);
            }
            "speed" => self.speed(value),
            "play" => self.choice(name, value, YES_OR_NO, |link, index| link.play = Some(index == 1)),
            "theme" => self.choice(name, value, THEMES, |link, index| link.theme = Some(theme_at(index))),
            "motion" => self.choice(name, value, MOTIONS, |link, index| link.motion = Some(motion_at(index))),
            "announce" => {
                self.choice(name, value, ANNOUNCEMENTS, |link, index| {
                    link.announce = Some(announced_at(index))
                });
            }
            "controls" => self.controls = Some(value.to_owned()),
            "lock" => self.lock = Some(value.to_owned()),
            "hide" => self.hide = Some(value.to_owned()),
            "fault" => self.fault = Some(if value == "later" { Fault::AtStep } else { Fault::AtOnce }),
            _ => self.setting(name, value),
        }
    }

    /// An empty value is the default: an attribute that was taken away.
    fn take_default(&mut self, name: &str) {
        match (Definition::by_name(name), name) {
            (Some(row), _) => self.settings.push((row.setting, Settings::default().get(row.setting))),
            (None, "scenario") => self.scenario = Some(String::new()),
            (None, "view") => self.side = Some(Side::Queue),
            (None, "t") => self.at = Some(Instant::START),
            (None, "dial_max") => self.dial_max = Some(Rate::ZERO),
            (None, "speed") => self.speed = Some(Speed::default()),
            (None, "play") => self.play = Some(false),
            (None, "do") => self.done = Some(String::new()),
            (None, "theme") => self.theme = Some(ThemeChoice::Auto),
            (None, "motion") => self.motion = Some(MotionChoice::Auto),
            (None, "announce") => self.announce = Some(announce::Setting::All),
            (None, "controls") => self.controls = Some(String::new()),
            (None, "lock") => self.lock = Some(String::new()),
            (None, "hide") => self.hide = Some(String::new()),
            (None, known) if PAGE_PARAMETERS.contains(&known) => {}
            (None, _) => self.note(name, "", LinkProblem::UnknownName),
        }
    }

    fn setting(&mut self, name: &str, value: &str) {
        let Some(row) = Definition::by_name(name) else {
            return self.note(name, value, LinkProblem::UnknownName);
        };
        let (read, problem) = row.read(value);
        if let Some(problem) = problem {
            self.note(name, value, LinkProblem::Value(problem));
        }
        self.settings.extend(read.map(|read| (row.setting, read)));
    }

    fn speed(&mut self, value: &str) {
        let Some((speed, adjusted)) = Speed::read(value) else {
            return self.note("speed", value, LinkProblem::Value(Problem::NotANumber));
        };
        self.speed = Some(speed);
        if let Some(adjusted) = adjusted {
            let problem = Problem::from_adjusted(adjusted, speed.to_string());
            self.note("speed", value, LinkProblem::Value(problem));
        }
    }

    fn number(&mut self, name: &str, value: &str, decimals: usize, limits: (u64, u64)) -> Option<u64> {
        let Some(read) = decimal::read(value.trim(), decimals) else {
            self.note(name, value, LinkProblem::Value(Problem::NotANumber));
            return None;
        };
        let (number, adjusted) = read.clamped(limits.0, limits.1);
        if let Some(adjusted) = adjusted {
            let used =
                if decimals == 6 { Instant::from_micros(number).to_string() } else { number.to_string() };
            self.note(name, value, LinkProblem::Value(Problem::from_adjusted(adjusted, used)));
        }
        Some(number)
    }

    fn choice(
        &mut self,
        name: &str,
        value: &str,
        choices: &'static [&'static str],
        take: fn(&mut Self, usize),
    ) {
        match choices.iter().position(|choice| *choice == value.trim()) {
            Some(index) => take(self, index),
            None => self.note(name, value, LinkProblem::Value(Problem::NotAChoice(choices))),
        }
    }

    fn note(&mut self, name: &str, given: &str, problem: LinkProblem) {
        self.notices.push(LinkNotice {
            name: name.chars().take(40).collect(),
            given: given.chars().take(40).collect(),
            problem,
        });
    }
}

const fn side_at(index: usize) -> Side {
    match index {
        1 => Side::Log,
        2 => Side::Both,
        _ => Side::Queue,
    }
}

const fn motion_at(index: usize) -> MotionChoice {
    match index {
        1 => MotionChoice::Still,
        2 => MotionChoice::Moving,
        _ => MotionChoice::Auto,
    }
}

const fn announced_at(index: usize) -> announce::Setting {
    match index {
        1 => announce::Setting::Key,
        2 => announce::Setting::Off,
        _ => announce::Setting::All,
    }
}

const fn theme_at(index: usize) -> ThemeChoice {
    match index {
        1 => ThemeChoice::Light,
        2 => ThemeChoice::Dark,
        3 => ThemeChoice::Projector,
        _ => ThemeChoice::Auto,
    }
}

/// The query string that gives these settings on that side: all that differ from what it starts with,
/// in the order of the table.
#[must_use]
pub fn write(side: Side, settings: &Settings) -> String {
    let base = scenario_of(side, &Settings::default()).settings;
    let beside = write_beside(settings, &base);
    match side {
        Side::Queue => beside,
        side if beside.is_empty() => ["view=", side.name()].concat(),
        side => ["view=", side.name(), "&", &beside].concat(),
    }
}

/// The query string of all settings that differ from `base`, in the order of the table.
#[must_use]
pub fn write_beside(settings: &Settings, base: &Settings) -> String {
    let mut link = String::new();
    for row in TABLE {
        let value = settings.get(row.setting);
        if value != base.get(row.setting) {
            let mark = if link.is_empty() { "" } else { "&" };
            link += &[mark, row.alias, "=", &value.to_text()].concat();
        }
    }
    link
}

/// Undoes percent-encoding and `+`; what is no valid encoding stays as it is, what is no valid
/// UTF-8 becomes the replacement character.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if escaped.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::settings::{Bound, OverflowPolicy};

    #[test]
    fn a_link_sets_what_it_names() {
        let link =
            read("?p=8&c=6.5&workers=3&capacity=none&overflow=reject&t=12.5&speed=10&play=1&theme=dark");
        assert_eq!(link.notices, vec![]);
        let mut settings = Settings::default();
        for (setting, value) in &link.settings {
            assert!(settings.set(*setting, *value));
        }
        assert_eq!(settings.capacity(), Rate::from_thousandths(19_500));
        assert_eq!((settings.queue_bound, settings.overflow), (Bound::None, OverflowPolicy::Reject));
        assert_eq!(link.at, Some(Instant::from_micros(12_500_000)));
        assert_eq!((link.play, link.theme), (Some(true), Some(ThemeChoice::Dark)));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_name_and_the_rest_is_taken() {
        for (query, name, given, problem) in [
            ("p=abc", "p", "abc", LinkProblem::Value(Problem::NotANumber)),
            ("p=1e9", "p", "1e9", LinkProblem::Value(Problem::NotANumber)),
            ("workers=500", "workers", "500", LinkProblem::Value(Problem::LoweredTo("64".into()))),
            ("colour=red", "colour", "red", LinkProblem::UnknownName),
            ("play=yes", "play", "yes", LinkProblem::Value(Problem::NotAChoice(YES_OR_NO))),
            ("speed=0", "speed", "0", LinkProblem::Value(Problem::RaisedTo("0.1".into()))),
            ("t=-3", "t", "-3", LinkProblem::Value(Problem::RaisedTo("0".into()))),
            ("v=2", "v", "2", LinkProblem::Value(Problem::NotAChoice(&[CONTRACT_VERSION]))),
            (
                "overflow=%3Cb%3E",
                "overflow",
                "<b>",
                LinkProblem::Value(Problem::NotAChoice(OverflowPolicy::NAMES)),
            ),
        ] {
            let link = read(&format!("{query}&c=4"));
            let expected = LinkNotice { name: name.into(), given: given.into(), problem };
            assert_eq!(link.notices, vec![expected], "{query}");
            assert!(link.settings.contains(&(Setting::ConsumerRate, Value::Rate(Rate::from_per_second(4)))));
        }
    }

    #[test]
    fn percent_encoding_is_undone_and_what_is_none_stays() {
        for (text, plain) in [
            ("a+b", "a b"),
            ("%41%2b", "A+"),
            ("100%", "100%"),
            ("%zz%4", "%zz%4"),
            ("%ff", "\u{fffd}"),
            ("%C3%A9", "é"),
        ] {
            assert_eq!(decoded(text), plain);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(query in ".{0,200}") {
            let _ = read(&query);
        }

        #[test]
        fn a_written_link_reads_back(p in 0_u64..=100_000_000, workers in 1_u64..=64, bound in prop::option::of(0_u64..=4_000_000)) {
            let settings = Settings {
                producer_rate: Rate::from_thousandths(p),
                consumer_count: workers,
                queue_bound: bound.map_or(Bound::None, Bound::Messages),
                ..Settings::default()
            };
            let link = read(&write(Side::Queue, &settings));
            prop_assert_eq!(&link.notices, &vec![]);
            let mut again = Settings::default();
            for (setting, value) in link.settings {
                again.set(setting, value);
            }
            prop_assert_eq!(again, settings);
        }
    }
}
