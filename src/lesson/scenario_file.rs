//! Reading a scenario file (`format: 1`).
//!
//! Nothing in a file is ignored in silence: whatever is not understood, out of range or not run
//! by this version is reported with its place. Only a file that cannot be read as a scenario at
//! all is refused; everything else runs with what was understood.

use crate::json::{self, Fields, Json};
use crate::model::command::{Command, TimedCommand};
use crate::model::decimal;
use crate::model::rate::Rate;
use crate::model::scenario::Scenario;
use crate::model::settings::{BURST_MAX, Definition, Problem, Setting, Settings, Value};
use crate::model::time::{Instant, LAST_INSTANT};
use crate::model::topology::{ConsumersNode, ProducerNode, QueueNode, Topology, TopologyProblem};

/// The only format there is so far.
pub const FORMAT: u64 = 1;

/// The most commands a file may have; the rest is left out and that is said.
pub const COMMANDS_MAX: usize = 10_000;

/// A scenario with its title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioFile {
    /// What it is called, if the file says so.
    pub title: Option<String>,
    /// How far the sliders reach at first, if the file says so.
    pub dial_max: Option<Rate>,
    /// What it runs.
    pub scenario: Scenario,
}

/// Something in a file that was not taken as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNotice {
    /// Where, such as `settings.overflow_policy` or `commands[2].at`; empty for the file itself.
    pub place: String,
    /// What stands there, shortened; empty where that says nothing.
    pub found: String,
    /// What is wrong, and what was done.
    pub problem: FileProblem,
}

/// What can be wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileProblem {
    /// It is no JSON; refused. Line and column count from 1.
    Syntax {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// It is JSON but no object, or its `format` is not 1; refused.
    NotAScenario,
    /// The topology is not one that this version runs; refused.
    Topology(TopologyProblem),
    /// A field that has no meaning here; left out.
    UnknownField,
    /// A field that later versions run; left out.
    NotRunYet,
    /// A value was clamped, rounded or left out.
    Value(Problem),
    /// A value of another type than is wanted; left out.
    WrongType(Wanted),
    /// `do` names no command; left out.
    UnknownCommand,
    /// More commands than are run; the rest was left out.
    TooManyCommands,
}

/// Types that a field may want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A text.
    Text,
    /// A time of day such as `08:55`.
    TimeOfDay,
    /// A number or a text.
    NumberOrText,
    /// An object.
    Object,
    /// A list.
    List,
}

/// Reads `text`. The first part is `None` where the file was refused; the second lists all that
/// was not taken as it stands.
#[must_use]
pub fn read(text: &str) -> (Option<ScenarioFile>, Vec<FileNotice>) {
    let mut reader = Reader::default();
    let file = reader.file(text);
    (file, reader.notices)
}

#[derive(Default)]
struct Reader {
    notices: Vec<FileNotice>,
}

impl Reader {
    fn file(&mut self, text: &str) -> Option<ScenarioFile> {
        let json = match json::read(text.trim_start_matches('\u{feff}')) {
            Ok(json) => json,
            Err(error) => {
                let problem = FileProblem::Syntax { line: error.line, column: error.column };
                return self.refuse("", &Json::Null, problem);
            }
        };
        let Json::Object(fields) = json else { return self.refuse("", &json, FileProblem::NotAScenario) };
        let format = json::field(&fields, "format").unwrap_or(&Json::Null);
        if plain_text(format) != Some(FORMAT.to_string()) || format.as_text().is_some() {
            return self.refuse("format", format, FileProblem::NotAScenario);
        }
        self.report_fields(&fields);
        self.scenario(&fields)
    }

    fn report_fields(&mut self, fields: &Fields) {
        const READ: [&str; 9] = [
            "format",
            "title",
            "clock_start",
            "seed",
            "topology",
            "settings",
            "dial_max_per_second",
            "commands",
            "until",
        ];
        for (name, value) in fields {
            match name.as_str() {
                known if READ.contains(&known) => {}
                "alerts" | "steps" => self.note(name, value, FileProblem::NotRunYet),
                _ => self.note(name, value, FileProblem::UnknownField),
            }
        }
    }

    fn scenario(&mut self, fields: &Fields) -> Option<ScenarioFile> {
        let topology = self.topology(json::field(fields, "topology"));
        let mut settings = Settings::default();
        if let Some(given) = self.object("settings", json::field(fields, "settings")) {
            for (name, value) in given {
                self.setting(&format!("settings.{name}"), name, value, &topology, &mut settings);
            }
        }
        if let Some(seed) = json::field(fields, "seed") {
            self.setting("seed", "seed", seed, &topology, &mut settings);
        }
        let commands = self.commands(json::field(fields, "commands"), &topology);
        let mut scenario = match Scenario::with_settings(settings).with_topology(topology) {
            Ok(scenario) => scenario.with_commands(commands),
            Err(problem) => return self.refuse("topology", &Json::Null, FileProblem::Topology(problem)),
        };
        scenario.until = json::field(fields, "until").and_then(|value| self.instant("until", value));
        scenario.clock_start_seconds =
            json::field(fields, "clock_start").and_then(|value| self.time_of_day(value));
        let dial_max = json::field(fields, "dial_max_per_second").and_then(|value| self.dial_max(value));
        Some(ScenarioFile { title: self.text("title", json::field(fields, "title")), dial_max, scenario })
    }

    fn setting(
        &mut self,
        place: &str,
        name: &str,
        value: &Json,
        topology: &Topology,
        settings: &mut Settings,
    ) {
        if let Some((setting, value)) = self.value(place, name, value, topology) {
            settings.set(setting, value);
        }
    }

    /// A setting's value: `name` is its long or short name, with or without the name of what it
    /// belongs to in front.
    fn value(
        &mut self,
        place: &str,
        name: &str,
        value: &Json,
        topology: &Topology,
    ) -> Option<(Setting, Value)> {
        let Some(row) = definition(name, topology) else {
            self.note(place, value, FileProblem::UnknownField);
            return None;
        };
        let Some(text) = plain_text(value) else {
            self.note(place, value, FileProblem::WrongType(Wanted::NumberOrText));
            return None;
        };
        let (read, problem) = row.read(&text);
        if let Some(problem) = problem {
            self.note(place, value, FileProblem::Value(problem));
        }
        read.map(|value| (row.setting, value))
    }

    fn commands(&mut self, list: Option<&Json>, topology: &Topology) -> Vec<TimedCommand> {
        let Some(list) = self.list("commands", list) else { return Vec::new() };
        if list.len() > COMMANDS_MAX {
            self.note("commands", &Json::Null, FileProblem::TooManyCommands);
        }
        let mut commands = Vec::new();
        for (index, entry) in list.iter().take(COMMANDS_MAX).enumerate() {
            let place = format!("commands[{index}]");
            if let Some(fields) = self.object(&place, Some(entry)) {
                self.command(&place, fields, topology, &mut commands);
            }
        }
        commands
    }

    fn command(
        &mut self,
        place: &str,
        fields: &Fields,
        topology: &Topology,
        commands: &mut Vec<TimedCommand>,
    ) {
        let at = match json::field(fields, "at") {
            Some(value) => self.instant(&format!("{place}.at"), value),
            None => Some(Instant::START),
        };
        let Some(at) = at else { return };
        let action = json::field(fields, "do").unwrap_or(&Json::Null);
        match action.as_text() {
            Some("set") => {
                self.report_other_fields(place, fields, "settings");
                let settings_place = format!("{place}.settings");
                let Some(given) = self.object(&settings_place, json::field(fields, "settings")) else {
                    return;
                };
                for (name, value) in given {
                    let value = self.value(&format!("{settings_place}.{name}"), name, value, topology);
                    let command = value.map(|(setting, value)| Command::Set { setting, value });
                    self.push(&settings_place, at, command, commands);
                }
            }
            Some("burst") => {
                self.report_other_fields(place, fields, "messages");
                let messages = json::field(fields, "messages").unwrap_or(&Json::Null);
                let count = self.count(&format!("{place}.messages"), messages, 1, BURST_MAX);
                self.push(place, at, count.map(|count| Command::Burst { count }), commands);
            }
            _ => self.note(&format!("{place}.do"), action, FileProblem::UnknownCommand),
        }
    }

    fn push(&mut self, place: &str, at: Instant, command: Option<Command>, commands: &mut Vec<TimedCommand>) {
        let Some(command) = command else { return };
        match command.check() {
            Ok(()) => commands.push(TimedCommand { at, command }),
            // The seed belongs to the start; the file says it once, at its top.
            Err(_) => self.note(&format!("{place}.seed"), &Json::Null, FileProblem::UnknownField),
        }
    }

    fn report_other_fields(&mut self, place: &str, fields: &Fields, own: &str) {
        let others = fields.iter().filter(|(name, _)| !["at", "do", own].contains(&name.as_str()));
        for (name, value) in others {
            self.note(&format!("{place}.{name}"), value, FileProblem::UnknownField);
        }
    }

    fn topology(&mut self, value: Option<&Json>) -> Topology {
        let mut topology = Topology::default();
        let Some(fields) = self.object("topology", value) else { return topology };
        for (name, list) in fields {
            let place = format!("topology.{name}");
            match name.as_str() {
                "producers" => {
                    let nodes = self.nodes(&place, list, "to").into_iter();
                    topology.producers = nodes.map(|(name, to)| ProducerNode { name, to }).collect();
                }
                "queues" => {
                    let nodes = self.nodes(&place, list, "").into_iter();
                    topology.queues = nodes.map(|(name, _)| QueueNode { name }).collect();
                }
                "consumers" => {
                    let nodes = self.nodes(&place, list, "from").into_iter();
                    topology.consumers = nodes.map(|(name, from)| ConsumersNode { name, from }).collect();
                }
                _ => self.note(&place, list, FileProblem::UnknownField),
            }
        }
        topology
    }

    /// The name of each node, and of what its field `link` names.
    fn nodes(&mut self, place: &str, list: &Json, link: &str) -> Vec<(String, String)> {
        let Some(list) = self.list(place, Some(list)) else { return Vec::new() };
        let mut nodes = Vec::new();
        for (index, entry) in list.iter().enumerate() {
            let place = format!("{place}[{index}]");
            let Some(fields) = self.object(&place, Some(entry)) else { continue };
            for (name, value) in fields.iter().filter(|(name, _)| name != "name" && name != link) {
                self.note(&format!("{place}.{name}"), value, FileProblem::UnknownField);
            }
            let name = self.text(&format!("{place}.name"), json::field(fields, "name")).unwrap_or_default();
            let linked = self.text(&format!("{place}.{link}"), json::field(fields, link)).unwrap_or_default();
            nodes.push((name, linked));
        }
        nodes
    }

    fn instant(&mut self, place: &str, value: &Json) -> Option<Instant> {
        let micros = self.number(place, value, 6, 0, LAST_INSTANT.micros())?;
        Some(Instant::from_micros(micros))
    }

    fn count(&mut self, place: &str, value: &Json, min: u64, max: u64) -> Option<u64> {
        self.number(place, value, 0, min, max)
    }

    fn number(&mut self, place: &str, value: &Json, decimals: usize, min: u64, max: u64) -> Option<u64> {
        let read = plain_text(value).and_then(|text| decimal::read(&text, decimals));
        let Some(read) = read else {
            self.note(place, value, FileProblem::Value(Problem::NotANumber));
            return None;
        };
        let (number, adjusted) = read.clamped(min, max);
        if let Some(adjusted) = adjusted {
            let used =
                if decimals == 0 { number.to_string() } else { Instant::from_micros(number).to_string() };
            self.note(place, value, FileProblem::Value(Problem::from_adjusted(adjusted, used)));
        }
        Some(number)
    }

    fn dial_max(&mut self, value: &Json) -> Option<Rate> {
        self.count("dial_max_per_second", value, 1, 100_000).map(Rate::from_per_second)
    }

    fn time_of_day(&mut self, value: &Json) -> Option<u32> {
        let seconds = value.as_text().and_then(seconds_after_midnight);
        if seconds.is_none() {
            self.note("clock_start", value, FileProblem::WrongType(Wanted::TimeOfDay));
        }
        seconds
    }

    fn text(&mut self, place: &str, value: Option<&Json>) -> Option<String> {
        match value? {
            Json::Text(text) => Some(text.chars().take(200).collect()),
            other => {
                self.note(place, other, FileProblem::WrongType(Wanted::Text));
                None
            }
        }
    }

    fn object<'a>(&mut self, place: &str, value: Option<&'a Json>) -> Option<&'a Fields> {
        let value = value?;
        if value.as_object().is_none() {
            self.note(place, value, FileProblem::WrongType(Wanted::Object));
        }
        value.as_object()
    }

    fn list<'a>(&mut self, place: &str, value: Option<&'a Json>) -> Option<&'a Vec<Json>> {
        let value = value?;
        if value.as_list().is_none() {
            self.note(place, value, FileProblem::WrongType(Wanted::List));
        }
        value.as_list()
    }

    fn note(&mut self, place: &str, found: &Json, problem: FileProblem) {
        let found = plain_text(found).unwrap_or_default().chars().take(40).collect();
        self.notices.push(FileNotice { place: place.to_owned(), found, problem });
    }

    fn refuse<T>(&mut self, place: &str, found: &Json, problem: FileProblem) -> Option<T> {
        self.note(place, found, problem);
        None
    }
}

/// The row of a flat name, or of `node.name` where the node has that setting.
fn definition(name: &str, topology: &Topology) -> Option<&'static Definition> {
    let Some((node, key)) = name.split_once('.') else { return Definition::by_name(name) };
    let row = Definition::by_name(key)?;
    let owner = match row.setting {
        Setting::ProducerRate | Setting::Arrivals | Setting::BurstSize => &topology.producers.first()?.name,
        Setting::ConsumerRate | Setting::ConsumerCount | Setting::ServiceTime => {
            &topology.consumers.first()?.name
        }
        Setting::QueueBound | Setting::Overflow => &topology.queues.first()?.name,
        Setting::BrokerMemory | Setting::Seed => return None,
    };
    (owner == node).then_some(row)
}

/// A number or a text as it would be typed: numbers without exponent.
fn plain_text(value: &Json) -> Option<String> {
    match value {
        Json::Text(text) => Some(text.clone()),
        Json::Number(number) => Some(without_exponent(number)),
        _ => None,
    }
}

/// The digits of a JSON number with its point moved to where its exponent says. Exponents beyond
/// ±30 are taken as ±30: every range ends far before that.
fn without_exponent(number: &str) -> String {
    let Some((mantissa, exponent)) = number.split_once(['e', 'E']) else { return number.to_owned() };
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_small = exponent.starts_with('-');
    let shift = exponent.trim_start_matches(['+', '-']).parse().unwrap_or(30_usize).min(30);
    let zeros = "0".repeat(shift);
    let digits =
        if is_small { format!("{zeros}{whole}{fraction}") } else { format!("{whole}{fraction}{zeros}") };
    let point = if is_small { whole.len() } else { whole.len() + shift };
    let (before, after) = digits.split_at_checked(point).unwrap_or((&digits, ""));
    format!("{sign}{before}.{after}")
}

fn seconds_after_midnight(text: &str) -> Option<u32> {
    let mut parts = text.split(':');
    let mut part = |limit: u32| -> Option<u32> {
        let digits = parts.next()?;
        let is_two_digits = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|number| is_two_digits && *number < limit)
    };
    let (hours, minutes) = (part(24)?, part(60)?);
    let seconds = if text.len() > 5 { part(60)? } else { 0 };
    parts.next().is_none().then_some((hours * 60 + minutes) * 60 + seconds)
}

#[cfg(test)]
mod tests;
