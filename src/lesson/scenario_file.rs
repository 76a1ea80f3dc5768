//! Reading a scenario file (`format: 1`).
//!
//! Nothing in a file is ignored in silence: whatever is not understood, out of range or not run
//! by this version is reported with its place. Only a file that cannot be read as a scenario at
//! all is refused; everything else runs with what was understood.

pub mod alerts;
pub mod commands;
mod numbers;
mod partitions;
mod topology;
pub mod writing;

use std::mem;

use numbers::{plain_text, seconds_after_midnight};

use crate::json::{self, Fields, Json};
use crate::model::alerts::AlertRules;
use crate::model::alerts::rule::AlertProblem;
use crate::model::command::TimedCommand;
use crate::model::decimal;
use crate::model::rate::Rate;
use crate::model::scenario::Scenario;
use crate::model::settings::{Definition, Owner, Problem, Setting, Settings, TABLE, Value};
use crate::model::time::{Instant, LAST_INSTANT};
use crate::model::topology::{Topology, TopologyProblem};

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
    /// A queue shall be split from which the topology splits nothing off; left out.
    NothingToSplit,
    /// A queue shall be split that another command of the file splits; left out.
    SplitAlready,
    /// A pool shall join that is there from the start; left out.
    NothingToJoin,
    /// An alert rule that cannot be run; left out.
    Alert(AlertProblem),
    /// A command speaks of an alert rule that there is not; left out.
    NoSuchAlert,
    /// A producer shall register a change of its schema and its settings name none; left out.
    NoSchemaChange,
    /// A pool shall be upgraded that another command of the file upgrades; left out.
    UpgradedAlready,
    /// A command names a partition, and the topic has only so many by then; left out.
    NoSuchPartition(u64),
    /// A topic shall have so many partitions, and it has as many by then; left out.
    NoMorePartitions(u64),
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
    /// The name of a producer, a queue or a pool of the topology.
    NodeName,
    /// An object.
    Object,
    /// A list.
    List,
    /// `true` or `false`.
    TrueOrFalse,
    /// A place to which offsets can be reset.
    ResetTarget,
}

/// Reads `text`. The first part is `None` where the file was refused; the second lists all that
/// was not taken as it stands.
#[must_use]
pub fn read(text: &str) -> (Option<ScenarioFile>, Vec<FileNotice>) {
    let mut reader = Reader::default();
    let file = reader.file(text);
    (file, reader.notices)
}

/// Reads a list of commands to a run of `scenario`, as a file's own would be. The second part lists all
/// that was not taken as it stands.
#[must_use]
#[inline(never)]
pub fn read_commands(scenario: &Scenario, list: &Json) -> (Vec<TimedCommand>, Vec<FileNotice>) {
    let scripted = scenario.commands().to_vec();
    let first_own = scripted.len();
    let given = |own: &Settings| TABLE.iter().map(|row| (row.setting, own.get(row.setting))).collect();
    let own = scenario.node_settings().iter().map(|(name, own)| (name.clone(), given(own)));
    let mut reader = Reader {
        topology: scenario.topology().clone(),
        settings: scenario.settings.clone(),
        node_settings: own.collect(),
        commands: scripted,
        alerts: scenario.alerts().clone(),
        ..Reader::default()
    };
    reader.commands(Some(list));
    (reader.commands.split_off(first_own), reader.notices)
}

#[derive(Default)]
struct Reader {
    notices: Vec<FileNotice>,
    topology: Topology,
    settings: Settings,
    /// What is set of nodes that are not the first of their kind, in the order of the file.
    node_settings: Vec<(String, Vec<(Setting, Value)>)>,
    commands: Vec<TimedCommand>,
    /// Those commands that name partitions.
    naming: Vec<partitions::Naming>,
    alerts: AlertRules,
}

/// Whom a setting is for.
#[derive(Clone, Copy)]
enum Target {
    /// The first of its kind, which the dials move.
    First,
    /// A node that has settings of its own, by its place among these.
    Node(u16),
}

impl Reader {
    fn file(&mut self, text: &str) -> Option<ScenarioFile> {
        let fields = match json::read(text.trim_start_matches('\u{feff}')) {
            Ok(Json::Object(fields)) => fields,
            Ok(json) => return self.refuse("", &json, FileProblem::NotAScenario),
            Err(error) => {
                let problem = FileProblem::Syntax { line: error.line, column: error.column };
                return self.refuse("", &Json::Null, problem);
            }
        };
        let format = json::field(&fields, "format").unwrap_or(&Json::Null);
        if !matches!(format, Json::Number(number) if *number == FORMAT.to_string()) {
            return self.refuse("format", format, FileProblem::NotAScenario);
        }
        self.report_fields(&fields);
        self.scenario(&fields)
    }

    fn report_fields(&mut self, fields: &Fields) {
        const READ: [&str; 11] = [
            "format",
            "title",
            "clock_start",
            "seed",
            "topology",
            "settings",
            "dial_max_per_second",
            "commands",
            "alert_interval_seconds",
            "alerts",
            "until",
        ];
        for (name, value) in fields {
            match name.as_str() {
                known if READ.contains(&known) => {}
                "steps" => self.note(name, value, FileProblem::NotRunYet),
                _ => self.note(name, value, FileProblem::UnknownField),
            }
        }
    }

    fn scenario(&mut self, fields: &Fields) -> Option<ScenarioFile> {
        self.topology(json::field(fields, "topology"));
        if let Some(given) = self.object("settings", json::field(fields, "settings")) {
            for (name, value) in given {
                self.setting(&within("settings", name), name, value);
            }
        }
        if let Some(seed) = json::field(fields, "seed") {
            self.setting("seed", "seed", seed);
        }
        self.alerts(fields);
        self.commands(json::field(fields, "commands"));
        let settings = mem::take(&mut self.settings);
        let own = self.own_settings(&settings);
        let scenario = Scenario::with_settings(settings)
            .with_node_settings(own)
            .with_alerts(mem::take(&mut self.alerts));
        let mut scenario = match scenario.with_topology(mem::take(&mut self.topology)) {
            Ok(scenario) => scenario.with_commands(mem::take(&mut self.commands)),
            Err(problem) => return self.refuse("topology", &Json::Null, FileProblem::Topology(problem)),
        };
        scenario.until = json::field(fields, "until").and_then(|value| self.instant("until", value));
        scenario.clock_start_seconds =
            json::field(fields, "clock_start").and_then(|value| self.time_of_day(value));
        let dial_max = json::field(fields, "dial_max_per_second").and_then(|value| self.dial_max(value));
        Some(ScenarioFile { title: self.text("title", json::field(fields, "title")), dial_max, scenario })
    }

    /// Nodes of their own start from the settings of all.
    fn own_settings(&mut self, all: &Settings) -> Vec<(String, Settings)> {
        let own = mem::take(&mut self.node_settings).into_iter().map(|(name, given)| {
            let mut settings = all.clone();
            given.into_iter().for_each(|(setting, value)| _ = settings.set(setting, value));
            (name, settings)
        });
        own.collect()
    }

    fn setting(&mut self, place: &str, name: &str, value: &Json) {
        match self.value(place, name, value) {
            Some((Target::First, setting, value)) => _ = self.settings.set(setting, value),
            Some((Target::Node(node), setting, value)) => {
                self.node_settings[usize::from(node)].1.push((setting, value));
            }
            None => {}
        }
    }

    /// A setting's value: `name` is its long or short name, with or without the name of what it
    /// belongs to in front.
    fn value(&mut self, place: &str, name: &str, value: &Json) -> Option<(Target, Setting, Value)> {
        let Some((target, row)) = self.definition(name) else {
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
        read.map(|value| (target, row.setting, value))
    }

    /// The row of a flat name, or of `node.name` where the node has that setting.
    fn definition(&mut self, name: &str) -> Option<(Target, &'static Definition)> {
        let Some((node, key)) = name.split_once('.') else {
            return Some((Target::First, Definition::by_name(name)?));
        };
        let row = Definition::by_name(key)?;
        let place = match row.owner() {
            Owner::Producer => self.topology.producers.iter().position(|owner| owner.name == node),
            Owner::Queue if row.setting == Setting::Retention => {
                self.topology.queue_named(node).or_else(|| self.topology.topic_named(node))
            }
            Owner::Queue => self.topology.queue_named(node),
            Owner::Consumers => self.topology.pool_named(node),
            Owner::Topic => self.topology.topic_named(node),
            Owner::Group => self.topology.groups.iter().position(|owner| owner.name == node),
            Owner::Run => None,
        }?;
        if place == 0 {
            return Some((Target::First, row));
        }
        Some((Target::Node(self.own_place(node)), row))
    }

    fn own_place(&mut self, node: &str) -> u16 {
        let known = self.node_settings.iter().position(|(name, _)| name == node);
        let place = known.unwrap_or_else(|| {
            self.node_settings.push((node.to_owned(), Vec::new()));
            self.node_settings.len() - 1
        });
        u16::try_from(place).unwrap_or(u16::MAX)
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

/// The place of the field `name` in what stands at `place`.
fn within(place: &str, name: &str) -> String {
    [place, ".", name].concat()
}

fn item(place: &str, index: usize) -> String {
    format!("{place}[{index}]")
}

#[cfg(test)]
mod tests;
