//! What was done in a run, in few letters: the parameter `do` of links.
//!
//! Commands stand one after the other with `~` between them: the instant in seconds, what is done, and
//! its fields as scenario files have them, with commas between these. `12.5,set,p=8~20,poison,messages=1`
//! moves a dial and then lets one message fail. Dials go by their short names.

use std::fmt::Write as _;

use crate::json::Json;
use crate::lesson::scenario_file::{self, FileNotice, writing};
use crate::model::command::TimedCommand;
use crate::model::scenario::Scenario;
use crate::model::settings::Definition;

/// Letters that stand for themselves in a link; all others are encoded.
const PLAIN: &str = "-_.";

/// The commands as a link has them.
#[must_use]
#[inline(never)]
pub fn write(scenario: &Scenario, commands: &[TimedCommand]) -> String {
    let texts: Vec<String> = commands.iter().map(|timed| written(scenario, timed)).collect();
    texts.join("~")
}

fn written(scenario: &Scenario, timed: &TimedCommand) -> String {
    let Json::Object(fields) = writing::timed_command(scenario, timed) else { return String::new() };
    let parts: Vec<String> = fields
        .iter()
        .map(|(name, value)| match (name.as_str(), value) {
            ("at" | "do", value) => encoded(&plain(value)),
            (_, Json::Object(dials)) => {
                dials.iter().map(|(dial, value)| pair(&short(dial), value)).collect::<Vec<_>>().join(",")
            }
            (name, value) => pair(name, value),
        })
        .collect();
    parts.join(",")
}

fn pair(name: &str, value: &Json) -> String {
    [&encoded(name), "=", &encoded(&plain(value))].concat()
}

fn plain(value: &Json) -> String {
    match value {
        Json::Text(text) | Json::Number(text) => text.clone(),
        other => other.to_line(),
    }
}

/// A dial's short name, with the node it belongs to.
fn short(name: &str) -> String {
    let (node, key) = name.rsplit_once('.').map_or(("", name), |(node, key)| (node, key));
    let alias = Definition::by_name(key).map_or(key, |row| row.alias);
    if node.is_empty() { alias.to_owned() } else { [node, ".", alias].concat() }
}

/// A text as a link has it.
#[must_use]
pub fn encoded(text: &str) -> String {
    let mut link = String::new();
    for byte in text.bytes() {
        match char::from(byte) {
            letter if letter.is_ascii_alphanumeric() || PLAIN.contains(letter) => link.push(letter),
            _ => _ = write!(link, "%{byte:02X}"),
        }
    }
    link
}

/// The commands that the parameter `do` of a link holds, once its percent signs are undone, and all that
/// was not taken as it stands.
#[must_use]
#[inline(never)]
pub fn read(scenario: &Scenario, text: &str) -> (Vec<TimedCommand>, Vec<FileNotice>) {
    let list = text.split('~').filter(|part| !part.is_empty()).map(command).collect();
    scenario_file::read_commands(scenario, &Json::List(list))
}

fn command(text: &str) -> Json {
    let mut parts = text.split(',');
    let mut next = |name: &str| (name.to_owned(), Json::Text(parts.next().unwrap_or_default().to_owned()));
    let (at, action) = (next("at"), next("do"));
    let is_set = action.1.as_text() == Some("set");
    let pairs = parts.map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (name.to_owned(), Json::Text(value.to_owned()))
    });
    let mut fields = vec![at, action];
    if is_set {
        fields.push(("settings".to_owned(), Json::Object(pairs.collect())));
    } else {
        fields.extend(pairs);
    }
    Json::Object(fields)
}

/// Eight letters by which a scenario is told from another: those of its file.
#[must_use]
#[inline(never)]
pub fn digest(scenario: &Scenario) -> String {
    let file = writing::write(None, None, scenario, scenario.commands());
    let hash = file.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{:08x}", hash >> 32)
}
