//! The JSON Schema of scenario files: made from the table of settings, and kept in doc/.

use queue_lab::json::{self, Fields, Json};
use queue_lab::lesson::built_in;
use queue_lab::lesson::scenario_file::alerts;
use queue_lab::lesson::scenario_file::commands::{self, COMMANDS, OFFSET_MAX};
use queue_lab::lesson::scenario_file::{self, COMMANDS_MAX, FORMAT};
use queue_lab::model::alerts::rule::{INTERVAL_SECONDS_MAX, RULES_MAX};
use queue_lab::model::command::{FAIL_OVER, FIXED};
use queue_lab::model::rate::Rate;
use queue_lab::model::settings::{
    BURST_MAX, CONSUMERS_MAX, Definition, Kind, Owner, PARTITIONS_MAX, Settings, TABLE,
};
use queue_lab::model::time::LAST_INSTANT;
use queue_lab::model::topology::NODES_MAX;

use super::validator::{faults, get};
use crate::tidy::{read, source::root};

const PATH: &str = "doc/scenario.schema.json";

/// The schema that the sources give.
pub fn generated() -> Json {
    let kinds = COMMANDS.iter().map(|name| command(name)).collect();
    let commands = list_of(vec![("anyOf", Json::List(kinds))], None, COMMANDS_MAX as u64);
    let properties = vec![
        ("format", object(vec![("const", number(FORMAT))])),
        ("title", object(vec![("type", text("string")), ("maxLength", number(200))])),
        ("clock_start", clock_start()),
        ("seed", reference("seed")),
        ("topology", topology()),
        ("settings", settings(|_| true)),
        ("dial_max_per_second", whole(1, 100_000)),
        ("commands", commands),
        ("alerts", alerts()),
        ("alert_interval_seconds", described("Seconds.", ranged("integer", 1, INTERVAL_SECONDS_MAX))),
        ("until", instant()),
    ];
    let Json::Object(mut fields) = closed(&["format"], properties) else { unreachable!("it is an object") };
    fields.insert(0, ("$schema".into(), text("https://json-schema.org/draft/2020-12/schema")));
    fields.insert(1, ("title".into(), text("A scenario of Queue Lab")));
    fields.push(("$defs".into(), object(TABLE.iter().map(|row| (row.name, value_of(row))).collect())));
    Json::Object(fields)
}

fn value_of(row: &Definition) -> Json {
    let mut schema = match row.kind {
        Kind::Rate => described("Messages a second.", ranged("number", 0, Rate::MAX.thousandths() / 1_000)),
        Kind::RateOrNone => {
            let rate = described("Messages a second.", ranged("number", 0, Rate::MAX.thousandths() / 1_000));
            or_words(rate, &["none"])
        }
        Kind::CountOr { min, max, words } => or_words(whole(min, max), words),
        Kind::Seconds { max } => described("Seconds.", ranged("number", 0, max)),
        Kind::SecondsOr { max, words } => or_words(described("Seconds.", ranged("number", 0, max)), words),
        Kind::Percent => described("Percent.", ranged("number", 0, 100)),
        Kind::Count { min, max } => whole(min, max),
        Kind::Bound { max } => {
            object(vec![("anyOf", Json::List(vec![whole(0, max), object(vec![("const", text("none"))])]))])
        }
        Kind::Choice(names) => {
            object(vec![("enum", Json::List(names.iter().map(|name| text(name)).collect()))])
        }
    };
    let default = Settings::default().get(row.setting).to_text();
    let is_number = default.bytes().all(|byte| byte.is_ascii_digit());
    if let Json::Object(fields) = &mut schema {
        fields.push(("default".into(), if is_number { Json::Number(default) } else { text(&default) }));
    }
    schema
}

fn or_words(value: Json, words: &[&str]) -> Json {
    let words = object(vec![("enum", Json::List(words.iter().map(|word| text(word)).collect()))]);
    object(vec![("anyOf", Json::List(vec![value, words]))])
}

/// Settings by their long or short names, or with what they belong to and a point in front.
fn settings(is_in: fn(&Definition) -> bool) -> Json {
    let rows = || TABLE.iter().filter(|row| is_in(row));
    let plain = rows().flat_map(|row| {
        if row.name == row.alias { vec![row.name] } else { vec![row.name, row.alias] }
            .into_iter()
            .map(|name| (name, reference(row.name)))
    });
    let has_owner = |row: &&Definition| row.owner() != Owner::Run;
    let owned: Fields = rows()
        .filter(has_owner)
        .map(|row| (format!("^[^.]+\\.({}|{})$", row.name, row.alias), reference(row.name)))
        .collect();
    let Json::Object(mut fields) = closed(&[], plain.collect()) else { unreachable!("it is an object") };
    fields.push(("patternProperties".into(), Json::Object(owned)));
    Json::Object(fields)
}

/// A command with its own fields. Which of them must be there is not the reader's to say.
fn command(name: &str) -> Json {
    let own = commands::fields_of(name).expect("it is a command");
    let required: Vec<&str> =
        ["do"].into_iter().chain(own.iter().copied().filter(|field| is_required(field))).collect();
    let mut properties = vec![("at", instant()), ("do", object(vec![("const", text(name))]))];
    properties.extend(own.iter().map(|field| (*field, command_field(field))));
    closed(&required, properties)
}

/// Whether a command without this field does nothing.
fn is_required(field: &str) -> bool {
    ["settings", "messages", "message"].contains(&field)
}

fn command_field(field: &str) -> Json {
    match field {
        "settings" => settings(|row| !FIXED.contains(&row.setting)),
        "messages" => whole(1, BURST_MAX),
        "number" => whole(1, CONSUMERS_MAX),
        "message" => whole(1, commands::NUMBER_MAX),
        "duration_seconds" => described(
            "Seconds.",
            vec![
                ("type", text("number")),
                ("minimum", Json::Number("0.000001".to_owned())),
                ("maximum", number(FAIL_OVER.end().micros() / 1_000_000)),
            ],
        ),
        "rate_per_second" => described("Messages a second.", positive(Rate::MAX.thousandths() / 1_000)),
        "producer" | "consumers" | "to" | "from" | "queue" | "group" | "topic" => node_name(),
        "partition" => whole(0, PARTITIONS_MAX - 1),
        "partition_count" => whole(1, PARTITIONS_MAX),
        "offset" | "records" => whole(0, OFFSET_MAX),
        "time_seconds" => instant(),
        "alert" => name_of_alert(),
        "threshold" => object(vec![("type", text("number"))]),
        "for_seconds" | "keep_firing_seconds" => whole_seconds(),
        other => panic!("{other} is new; say here what it takes"),
    }
}

fn positive(max: u64) -> Vec<(&'static str, Json)> {
    vec![("type", text("number")), ("minimum", Json::Number("0.001".to_owned())), ("maximum", number(max))]
}

fn node_name() -> Json {
    object(vec![("type", text("string")), ("minLength", number(1)), ("maxLength", number(40))])
}

/// An alert rule: its name, its owner and its condition must be there.
fn alerts() -> Json {
    let [name, owner, when, hold, keep_firing] = alerts::FIELDS;
    let condition = vec![("type", text("string")), ("minLength", number(1)), ("maxLength", number(200))];
    let properties = vec![
        (name, name_of_alert()),
        (owner, object(vec![("type", text("string")), ("maxLength", number(200))])),
        (when, described("A condition as in Prometheus, such as broker_up == 0.", condition)),
        (hold, whole_seconds()),
        (keep_firing, whole_seconds()),
    ];
    let Json::Object(fields) = closed(&[name, owner, when], properties) else {
        unreachable!("it is an object")
    };
    let rule = fields.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    list_of(rule, None, RULES_MAX as u64)
}

fn name_of_alert() -> Json {
    object(vec![("type", text("string")), ("minLength", number(1)), ("maxLength", number(200))])
}

fn whole_seconds() -> Json {
    described("Seconds.", ranged("integer", 0, LAST_INSTANT.whole_seconds()))
}

fn topology() -> Json {
    let nodes = |keys: &[&'static str], required: &[&str], least: u64| {
        let field =
            |key| if key == "joins_later" { object(vec![("type", text("boolean"))]) } else { node_name() };
        let node = closed(required, keys.iter().map(|key| (*key, field(*key))).collect());
        let Json::Object(fields) = node else { unreachable!("it is an object") };
        let entry = fields.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        list_of(entry, Some(least), NODES_MAX as u64)
    };
    let properties = vec![
        ("producers", nodes(&["name", "to", "split_to", "like"], &["name", "to"], 1)),
        ("queues", nodes(&["name", "dead_letters_to", "split_from"], &["name"], 1)),
        ("consumers", nodes(&["name", "from", "split_from", "joins_later"], &["name", "from"], 0)),
        ("topics", nodes(&["name"], &["name"], 0)),
        (
            "groups",
            nodes(&["name", "from", "retry_to", "dead_letters_to", "joins_later"], &["name", "from"], 0),
        ),
    ];
    closed(&[], properties)
}

fn clock_start() -> Json {
    let pattern = text("^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$");
    described("The time of day at the start.", vec![("type", text("string")), ("pattern", pattern)])
}

fn instant() -> Json {
    described("Model seconds.", ranged("number", 0, LAST_INSTANT.whole_seconds()))
}

fn whole(min: u64, max: u64) -> Json {
    object(ranged("integer", min, max))
}

fn ranged(kind: &str, min: u64, max: u64) -> Vec<(&str, Json)> {
    vec![("type", text(kind)), ("minimum", number(min)), ("maximum", number(max))]
}

fn described(description: &str, mut fields: Vec<(&str, Json)>) -> Json {
    fields.insert(0, ("description", text(description)));
    object(fields)
}

fn list_of(items: Vec<(&str, Json)>, min: Option<u64>, max: u64) -> Json {
    let mut fields = vec![("type", text("array")), ("maxItems", number(max)), ("items", object(items))];
    if let Some(min) = min {
        fields.insert(1, ("minItems", number(min)));
    }
    object(fields)
}

/// An object that has these fields and no others.
fn closed(required: &[&str], properties: Vec<(&str, Json)>) -> Json {
    let mut fields = vec![("type", text("object")), ("additionalProperties", Json::Bool(false))];
    if !required.is_empty() {
        fields.push(("required", Json::List(required.iter().map(|name| text(name)).collect())));
    }
    fields.push(("properties", object(properties)));
    object(fields)
}

fn reference(name: &str) -> Json {
    object(vec![("$ref", text(&format!("#/$defs/{name}")))])
}

fn object(fields: Vec<(&str, Json)>) -> Json {
    Json::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn text(value: &str) -> Json {
    Json::Text(value.to_owned())
}

fn number(value: u64) -> Json {
    Json::Number(value.to_string())
}

/// JSON for people: what fits stays on its line.
fn pretty(value: &Json, indent: usize) -> String {
    let line = value.to_line();
    let inner = "  ".repeat(indent + 1);
    let parts: Vec<String> = match value {
        _ if line.len() + 2 * indent <= 80 => return line.replace("\":", "\": ").replace(",\"", ", \""),
        Json::Object(fields) => fields
            .iter()
            .map(|(name, value)| format!("{inner}{}: {}", text(name).to_line(), pretty(value, indent + 1)))
            .collect(),
        Json::List(values) => {
            values.iter().map(|value| format!("{inner}{}", pretty(value, indent + 1))).collect()
        }
        _ => return line,
    };
    let (open, close) = if value.as_list().is_some() { ('[', ']') } else { ('{', '}') };
    format!("{open}\n{}\n{}{close}", parts.join(",\n"), "  ".repeat(indent))
}

#[test]
fn the_schema_in_doc_is_the_one_that_the_sources_give() {
    let fresh = format!("{}\n", pretty(&generated(), 0));
    assert_eq!(json::read(&fresh), Ok(generated()), "it is written as it is");
    if std::env::var_os("QUEUE_LAB_UPDATE").is_some() {
        std::fs::write(root().join(PATH), &fresh).expect("it can be written");
    }
    let is_same = std::fs::read_to_string(root().join(PATH)).is_ok_and(|kept| kept == fresh);
    assert!(is_same, "{PATH} is old. QUEUE_LAB_UPDATE=1 cargo test --test it documents writes it anew.");
}

#[test]
fn built_in_scenarios_and_examples_conform_to_the_schema() {
    let texts = [read("README.md"), read("doc/scenario-file.md")];
    let examples = texts.iter().flat_map(|text| super::fenced(text, "json"));
    for text in built_in::ALL.iter().map(|scenario| scenario.text).chain(examples) {
        let file = json::read(text).expect("it is JSON");
        assert_eq!(faults(&generated(), &file), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn every_file_of_scenarios_conforms_to_the_schema_and_is_read_without_a_word() {
    let all = std::fs::read_dir(root().join("static/scenarios")).expect("there are scenarios");
    let paths: Vec<_> = all.map(|entry| entry.expect("it is listed").path()).collect();
    assert!(paths.len() > built_in::ALL.len(), "there are more than the built-in ones");
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("it is text");
        let file = json::read(&text).expect("it is JSON");
        assert_eq!(faults(&generated(), &file), Vec::<String>::new(), "{}", path.display());
        let (read, notices) = scenario_file::read(&text);
        assert!(read.is_some_and(|file| file.title.is_some()), "{} has a title", path.display());
        assert_eq!(notices, [], "{}", path.display());
    }
}

#[test]
fn what_the_schema_refuses_is_not_read_in_silence() {
    for (text, place) in [
        (r#"{}"#, ".format"),
        (r#"{"format":2}"#, ".format"),
        (r#"{"format":1,"colour":1}"#, ".colour"),
        (r#"{"format":1,"settings":{"p":-1}}"#, ".settings.p"),
        (r#"{"format":1,"settings":{"workers":1.5}}"#, ".settings.workers"),
        (r#"{"format":1,"settings":{"consumers.workers":65}}"#, ".settings.consumers.workers"),
        (r#"{"format":1,"settings":{"capacity":"many"}}"#, ".settings.capacity"),
        (r#"{"format":1,"settings":{"overflow":"explode"}}"#, ".settings.overflow"),
        (r#"{"format":1,"commands":[{"do":"set","settings":{"seed":1}}]}"#, ".commands[0]"),
        (r#"{"format":1,"commands":[{"do":"burst","messages":0}]}"#, ".commands[0]"),
        (r#"{"format":1,"commands":[{"do":"crash","number":65}]}"#, ".commands[0]"),
        (r#"{"format":1,"commands":[{"do":"set","settings":{"broker":"plain"}}]}"#, ".commands[0]"),
        (r#"{"format":1,"commands":[{"do":"redrive","rate_per_second":0}]}"#, ".commands[0]"),
        (r#"{"format":1,"commands":[{"do":"fail-over","duration_seconds":0}]}"#, ".commands[0]"),
        (r#"{"format":1,"commands":[{"do":"explode"}]}"#, ".commands[0]"),
        (r#"{"format":1,"settings":{"queue.drain":"some"}}"#, ".settings.queue.drain"),
        (r#"{"format":1,"settings":{"queue.downstream":5}}"#, ".settings.queue.downstream"),
        (r#"{"format":1,"topology":{"queues":[]}}"#, ".topology.queues"),
        (r#"{"format":1,"topology":{"queues":[{"name":"queue","to":"queue"}]}}"#, ".topology.queues[0].to"),
        (r#"{"format":1,"until":"soon"}"#, ".until"),
        (r#"{"format":1,"alerts":[{"name":"a","owner":"b"}]}"#, ".alerts[0].when"),
        (r#"{"format":1,"alert_interval_seconds":0}"#, ".alert_interval_seconds"),
        (r#"{"format":1,"commands":[{"do":"set-alert-rule","for_seconds":0.5}]}"#, ".commands[0]"),
    ] {
        let found = faults(&generated(), &json::read(text).expect("it is JSON"));
        assert_eq!(found, [place], "{text}");
        assert!(!scenario_file::read(text).1.is_empty(), "the reader says something too: {text}");
    }
}

/// The names of a file's fields.
pub fn field_names() -> Vec<String> {
    let schema = generated();
    let fields = get(&schema, "properties").and_then(Json::as_object);
    fields.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}
