//! What the documents say is what the sources do.

mod controls;
mod faults;
mod markdown;
mod schema;
mod validator;

use std::path::Path;
use std::rc::Rc;

use queue_lab::app::link::{ANNOUNCEMENTS, LOCALES, Link, MOTIONS, PAGE_PARAMETERS, THEMES, parameter_names};
use queue_lab::app::log_view::SIDES;
use queue_lab::app::speed::Speed;
use queue_lab::app::{App, export};
use queue_lab::json::{self, Fields, Json};
use queue_lab::lesson::scenario_file::alerts;
use queue_lab::lesson::scenario_file::commands::{COMMANDS, fields_of};
use queue_lab::lesson::{built_in, scenario_file};
use queue_lab::model::MODEL_VERSION;
use queue_lab::model::alerts::metrics::{METRICS, Metric};
use queue_lab::model::decimal;
use queue_lab::model::settings::{Kind, Owner, Settings, TABLE};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, LAST_INSTANT};
use queue_lab::narrate::locale::Locale;

use super::tidy::read;
use markdown::{all_rows, code, codes, fenced, links, rows, section};

#[test]
fn readme_lists_exactly_the_parameters_there_are() {
    let readme = read("README.md");
    let mut listed: Vec<String> = configured(&readme).iter().filter_map(|row| code(&row[0])).collect();
    let mut wanted: Vec<String> = parameter_names().map(str::to_owned).collect();
    listed.sort();
    wanted.sort();
    assert_eq!(listed, wanted, "README, Configure it: the names of the parameters");
}

#[test]
fn readme_gives_settings_their_names_ranges_and_defaults() {
    let readme = read("README.md");
    let defaults = Settings::default();
    for setting in TABLE {
        let row = row_of(&readme, setting.alias);
        let default = defaults.get(setting.setting).to_text();
        assert_eq!(code(&row[1]).as_deref(), Some(setting.name), "{}: the long name", setting.alias);
        assert_eq!(row[2], values_text(setting.kind), "{}: the values", setting.alias);
        assert_eq!(code(&row[4]), Some(default), "{}: the default", setting.alias);
    }
}

#[test]
fn readme_gives_the_other_parameters_their_values_and_defaults() {
    let readme = read("README.md");
    let last = grouped(LAST_INSTANT.whole_seconds());
    for name in PAGE_PARAMETERS {
        let (values, default) = match name {
            "v" => ("`1`".to_owned(), "`1`".to_owned()),
            "scenario" => {
                ("a built-in name, or an address on the page's own site".to_owned(), "none".to_owned())
            }
            "t" => (format!("0 to {last}"), "`0`".to_owned()),
            "view" => (names_text(SIDES), format!("`{}`", SIDES[0])),
            "speed" => ("0.1 to 1000, in steps of 0.1".to_owned(), format!("`{}`", Speed::default())),
            "play" => (names_text(&["0", "1"]), "`0`".to_owned()),
            "motion" => (names_text(MOTIONS), format!("`{}`", MOTIONS[0])),
            "announce" => (names_text(ANNOUNCEMENTS), format!("`{}`", ANNOUNCEMENTS[0])),
            "theme" => (names_text(THEMES), format!("`{}`", THEMES[0])),
            "dial_max" => ("1 to 100,000".to_owned(), "`20`".to_owned()),
            "controls" => (CONTROLS_TEXT.to_owned(), "all".to_owned()),
            "lock" | "hide" => (CONTROLS_TEXT.to_owned(), "none".to_owned()),
            "locale" => (names_text(LOCALES), format!("`{}`", LOCALES[0])),
            "mv" => (format!("`{MODEL_VERSION}`"), format!("`{MODEL_VERSION}`")),
            "sh" => ("8 hexadecimal digits".to_owned(), "none".to_owned()),
            "do" => {
                let written = "`12.5,set,p=8~20,poison,messages=1`";
                (format!("commands with `~` between, such as {written}"), "none".to_owned())
            }
            other => panic!("{other} is new; say here what README says of it"),
        };
        let row = row_of(&readme, name);
        assert_eq!((&row[2], &row[4]), (&values, &default), "{name}: values and default");
    }
    let ends = ["0.1", "1000"].map(|text| {
        Speed::read(text).and_then(|(speed, changed)| changed.is_none().then_some(speed.to_string()))
    });
    assert_eq!(ends, ["0.1", "1000"].map(|text| Some(text.to_owned())), "both ends of the speeds are speeds");
}

const CONTROLS_TEXT: &str = "names of dials and buttons, with commas between";

#[test]
fn the_element_observes_exactly_the_parameters_there_are() {
    let loader = read("static/embed.js");
    let mut observed = quoted(between(&loader, "const PARAMETERS = [", "];"));
    let mut wanted: Vec<String> = parameter_names().map(str::to_owned).collect();
    observed.sort();
    wanted.sort();
    assert_eq!(observed, wanted, "static/embed.js: PARAMETERS");
}

#[test]
fn readme_lists_exactly_the_keys_of_the_output() {
    let readme = read("README.md");
    let keys: Vec<String> = rows(section(&readme, "Run it without a page"), "key")
        .iter()
        .filter_map(|row| code(&row[0]))
        .collect();
    assert_eq!(keys, export::COLUMNS, "README, Run it without a page: the keys, in order");
}

#[test]
fn readme_lists_exactly_what_is_in_the_lists_of_the_output() {
    // A message that dies at once is in the list of dead letters.
    let text = r#"{"format":1,
        "topology":{"consumers":[{"name":"consumers","from":"queue"}],"topics":[{"name":"orders"}],
            "groups":[{"name":"billing","from":"orders"}]},
        "settings":{"p":1,"fail":100,"attempts":1,"dlq":"kept"},
        "alerts":[{"name":"Down","owner":"platform","when":"broker_up == 0"}]}"#;
    let mut simulation = Simulation::new(Rc::new(scenario_file::read(text).0.unwrap_or_default().scenario));
    simulation.advance_to(Instant::from_seconds(10), u64::MAX);
    let record = export::record(&simulation);
    let wanted: Vec<(String, Vec<String>)> =
        export::LISTS.iter().map(|list| ((*list).to_owned(), keys_of_first(&record, list))).collect();
    let readme = read("README.md");
    let listed: Vec<(String, Vec<String>)> = rows(section(&readme, "Run it without a page"), "list")
        .iter()
        .map(|row| (code(&row[0]).unwrap_or_default(), codes(&row[1])))
        .collect();
    assert_eq!(listed, wanted, "README, Run it without a page: the lists, in order");
}

/// The keys of the first entry of a list.
fn keys_of_first(record: &Fields, list: &str) -> Vec<String> {
    let entries = json::field(record, list).and_then(Json::as_list);
    let first = entries.and_then(|entries| entries.first()?.as_object());
    first.into_iter().flatten().map(|(key, _)| key.clone()).collect()
}

#[test]
fn readme_lists_what_a_snapshot_of_the_page_has_besides() {
    let app = App::new(Rc::new(Locale::english()), &Link::default());
    let mut record = Fields::new();
    export::add_page(&mut record, &app);
    let row = rows(section(&read("README.md"), "Drive it from JavaScript"), "on the element")
        .into_iter()
        .find(|row| row[0] == "`snapshot()`");
    let said = row.map(|row| row[1].clone()).unwrap_or_default();
    for (key, _) in &record {
        assert!(said.contains(&format!("`{key}`")), "README: snapshot() has {key} too");
    }
    assert_eq!(said.matches('`').count(), 2 * record.len(), "README: snapshot() has no other keys");
}

#[test]
fn readme_lists_the_methods_of_the_element_and_the_codes_of_its_errors() {
    let (readme, loader) = (read("README.md"), read("static/embed.js"));
    let part = section(&readme, "Drive it from JavaScript");
    let listed: Vec<String> = rows(part, "on the element")
        .iter()
        .filter_map(|row| Some(code(&row[0])?.split('(').next()?.to_owned()))
        .collect();
    assert_eq!(listed, methods(&loader), "README, Drive it from JavaScript: the methods, in order");
    let codes = failure_codes(&read("static/locales/en/loader.json"));
    let line = part.lines().find(|line| line.contains("`detail.code`")).unwrap_or_default();
    let (_, listed) = line.split_once("`detail.code`:").unwrap_or_default();
    let listed: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
    assert_eq!(listed, codes, "README, Drive it from JavaScript: the codes, in order");
}

#[test]
fn readme_lists_the_options_of_the_runner() {
    let usage = read("examples/replay.rs");
    let text = between(&usage, "const USAGE: &str = \"", "\";");
    let options = rows(section(&read("README.md"), "Run it without a page"), "option");
    let listed: Vec<String> = options.iter().filter_map(|row| code(&row[0])).collect();
    let mut wanted: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || "[]".contains(letter))
        .filter(|word| word.starts_with("--"))
        .collect();
    wanted.dedup();
    wanted.truncate(listed.len());
    assert_eq!(listed, wanted, "README, Run it without a page: the options, in order");
    assert_eq!(
        text.matches("\\n\\\n    --").count(),
        listed.len(),
        "README lists every option of the usage text"
    );
}

#[test]
fn readme_names_the_built_in_scenarios() {
    let readme = read("README.md");
    let line = section(&readme, "Configure it").lines().find(|line| line.starts_with("Built-in scenarios:"));
    let listed: Vec<String> =
        line.unwrap_or_default().split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let wanted: Vec<&str> = built_in::ALL.iter().map(|scenario| scenario.name).collect();
    assert_eq!(listed, wanted, "README, Configure it: the built-in scenarios");
}

#[test]
fn examples_of_scenario_files_read_without_a_word() {
    for path in ["README.md", "doc/scenario-file.md"] {
        let text = read(path);
        let examples = fenced(&text, "json");
        assert!(!examples.is_empty(), "{path} has an example");
        for example in examples {
            let (file, notices) = scenario_file::read(example);
            assert!(file.is_some() && notices.is_empty(), "{path}: {notices:?}\n{example}");
        }
    }
}

#[test]
fn the_document_of_scenario_files_lists_exactly_their_fields() {
    let text = read("doc/scenario-file.md");
    let mut listed: Vec<String> =
        rows(section(&text, "Fields"), "field").iter().filter_map(|row| code(&row[0])).collect();
    let mut wanted = schema::field_names();
    listed.sort();
    wanted.sort();
    assert_eq!(listed, wanted, "doc/scenario-file.md: the fields");
}

#[test]
fn the_document_of_scenario_files_lists_every_command_with_its_fields() {
    let text = read("doc/scenario-file.md");
    let part = section(&text, "Commands");
    let listed: Vec<(String, Vec<String>)> =
        rows(part, "`do`").iter().map(|row| (code(&row[0]).unwrap_or_default(), codes(&row[1]))).collect();
    let wanted: Vec<(String, Vec<String>)> = COMMANDS
        .iter()
        .map(|name| {
            let own = fields_of(name).unwrap_or_else(|| panic!("{name} is a command"));
            ((*name).to_owned(), own.iter().map(|field| (*field).to_owned()).collect())
        })
        .collect();
    assert_eq!(listed, wanted, "doc/scenario-file.md: the commands, in order, with their fields");
    let described: Vec<String> = rows(part, "field").iter().flat_map(|row| codes(&row[0])).collect();
    let mut fields: Vec<String> = wanted.into_iter().flat_map(|(_, own)| own).collect();
    fields.retain(|field| !described.contains(field));
    assert!(fields.is_empty(), "doc/scenario-file.md says nothing of {fields:?}");
}

#[test]
fn the_document_of_scenario_files_lists_every_metric_with_its_labels() {
    let text = read("doc/scenario-file.md");
    let part = section(&text, "Alerts");
    let listed: Vec<(String, Vec<String>)> =
        rows(part, "metric").iter().map(|row| (code(&row[0]).unwrap_or_default(), codes(&row[1]))).collect();
    let labels = |metric: &Metric| metric.labels().iter().map(|name| (*name).to_owned()).collect();
    let wanted: Vec<(String, Vec<String>)> =
        METRICS.iter().map(|(name, metric)| ((*name).to_owned(), labels(metric))).collect();
    assert_eq!(listed, wanted, "doc/scenario-file.md, Alerts: the metrics, in order, with their labels");
    let fields: Vec<String> = rows(part, "field").iter().filter_map(|row| code(&row[0])).collect();
    assert_eq!(fields, alerts::FIELDS, "doc/scenario-file.md, Alerts: the fields of a rule, in order");
}

#[test]
fn the_document_of_scenario_files_says_what_each_setting_belongs_to() {
    let text = read("doc/scenario-file.md");
    let listed = rows(section(&text, "Names"), "what");
    for (place, owner) in [(0, Owner::Producer), (1, Owner::Queue)] {
        let wanted: Vec<&str> = TABLE.iter().filter(|row| row.owner() == owner).map(|row| row.name).collect();
        assert_eq!(
            codes(&listed[place][1]),
            wanted,
            "doc/scenario-file.md: settings of {}",
            listed[place][0]
        );
    }
    for row in TABLE.iter().filter(|row| row.owner() == Owner::Run) {
        let line = section(&text, "Names").lines().find(|line| line.contains("belong to the run"));
        assert!(
            codes(line.unwrap_or_default()).contains(&row.name.to_owned()),
            "{} belongs to the run",
            row.name
        );
    }
}

#[test]
fn the_known_numbers_of_the_model_come_out() {
    let text = read("doc/model.md");
    let known = rows(section(&text, "Known numbers"), "scenario");
    assert!(known.len() > 8, "there are known numbers");
    let mut run: Option<(String, Simulation)> = None;
    for row in known {
        let name = code(&row[0]).unwrap_or_default();
        let at = Instant::from_micros(micros(&row[1]));
        // Rows of one scenario that go on in time are one run.
        let going_on = run.take().filter(|(before, simulation)| *before == name && simulation.now() <= at);
        let mut simulation = going_on.map_or_else(|| start(&name), |(_, simulation)| simulation);
        simulation.advance_to(at, u64::MAX);
        let key = code(&row[2]).unwrap_or_default();
        let found = json::field(&export::record(&simulation), &key).map(Json::to_line).unwrap_or_default();
        assert_eq!(found, row[3], "doc/model.md: {name} at {} s, {key}", row[1]);
        run = Some((name, simulation));
    }
}

fn start(name: &str) -> Simulation {
    let (file, notices) = scenario_file::read(&read(&format!("static/scenarios/{name}.json")));
    assert_eq!(notices, [], "{name}");
    Simulation::new(Rc::new(file.unwrap_or_default().scenario))
}

fn micros(seconds: &str) -> u64 {
    match decimal::read(seconds, 6) {
        Some(decimal::Decimal::Exact(micros)) => micros,
        _ => panic!("{seconds} is no number of seconds"),
    }
}

#[test]
fn the_changelog_has_a_section_for_what_comes() {
    let text = read("CHANGELOG.md");
    let version = env!("CARGO_PKG_VERSION");
    let heading = text.lines().find(|line| line.starts_with("## ")).unwrap_or_default();
    assert!(
        heading.contains("Unreleased") || heading.contains(version),
        "CHANGELOG.md begins with Unreleased or {version}, not with {heading:?}"
    );
}

#[test]
fn links_between_documents_lead_somewhere() {
    for path in [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "doc/model.md",
        "doc/scenario-file.md",
        "doc/faults-met-elsewhere.md",
    ] {
        let text = read(path);
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(path).parent().expect("it is in a folder").to_owned();
        for link in links(&text).filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = folder.join(file);
            assert!(target.exists(), "{path}: {link} leads nowhere");
            let headings = std::fs::read_to_string(&target).unwrap_or_default();
            let has_anchor =
                headings.lines().any(|line| line.starts_with('#') && markdown::anchor(line) == anchor);
            assert!(anchor.is_empty() || has_anchor, "{path}: {link} has no such heading");
        }
    }
}

#[test]
fn the_picture_is_sharp_and_small() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("doc/picture.png");
    let bytes = std::fs::read(path).expect("doc/picture.png is there: `node scripts/picture.mjs` takes it");
    let number = |at: usize| u32::from_be_bytes(std::array::from_fn(|index| bytes[at + index]));
    assert_eq!(&bytes[1..4], b"PNG");
    assert!(number(16) >= 1_800, "at least 900 points wide at 2 pixels a point, not {} pixels", number(16));
    assert!(bytes.len() < 150_000, "under 150 kB, not {} bytes", bytes.len());
}

fn configured(readme: &str) -> Vec<Vec<String>> {
    all_rows(section(readme, "Configure it"), "name")
}

fn row_of(readme: &str, name: &str) -> Vec<String> {
    let row = configured(readme).into_iter().find(|row| code(&row[0]).as_deref() == Some(name));
    row.unwrap_or_else(|| panic!("README, Configure it, has no row for {name}"))
}

fn values_text(kind: Kind) -> String {
    match kind {
        Kind::Rate => "0 to 100,000, in steps of 0.001".to_owned(),
        Kind::RateOrNone => "0 to 100,000, in steps of 0.001, or `none`".to_owned(),
        Kind::CountOr { min, max, words } => {
            format!("{} to {}, or {}", grouped(min), grouped(max), names_text(words))
        }
        Kind::Seconds { max } => format!("0 to {} s, in microseconds", grouped(max)),
        Kind::SecondsOr { max, words } => {
            format!("0 to {} s, in microseconds, or {}", grouped(max), names_text(words))
        }
        Kind::Percent => "0 to 100, in steps of 0.0001".to_owned(),
        Kind::Count { min, max } => format!("{} to {}", grouped(min), grouped(max)),
        Kind::Bound { max } => format!("0 to {}, or `none`", grouped(max)),
        Kind::Choice(names) => names_text(names),
    }
}

/// A whole number with a comma before every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

fn names_text(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, after) = text.split_once(from).unwrap_or_else(|| panic!("there is {from}"));
    after.split_once(to).unwrap_or_else(|| panic!("there is {to}")).0
}

/// The texts in double quotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The keys of the loader's texts that have two parts, in order: what happened, and what helps.
fn failure_codes(texts: &str) -> Vec<String> {
    let lists = texts.lines().filter_map(|line| line.trim().strip_suffix("\": [")?.strip_prefix('"'));
    lists.map(str::to_owned).collect()
}

/// The public methods of the element, in order: indented by two, and no callback of the browser's.
fn methods(loader: &str) -> Vec<String> {
    let class = between(loader, "class QueueLab extends HTMLElement {", "\n}\n");
    let names = class
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once('(').map(|(name, _)| name.to_owned()));
    let is_public = |name: &String| {
        name.chars().all(char::is_alphabetic) && name != "constructor" && !name.ends_with("Callback")
    };
    names.filter(is_public).collect()
}

#[test]
fn differences_would_be_seen() {
    let readme = read("README.md");
    let mut keys = configured(&readme.replace("| `speed` |", "| `spead` |"));
    keys.retain(|row| code(&row[0]).as_deref() == Some("spead"));
    assert_eq!(keys.len(), 1, "a name that is not right is read as it stands");
    assert_eq!(
        methods(
            "class QueueLab extends HTMLElement {\n  a() { b(); }\n  #c() {}\n  dCallback() {}\n    e();\n}\n"
        ),
        ["a"]
    );
    assert_eq!(
        failure_codes("{\n  \"a\": [\n    \"b\",\n    \"c\"\n  ],\n  \"d-e\": [\n  ],\n  \"g\": \"h\"\n}"),
        ["a", "d-e"]
    );
    assert_eq!(quoted("[\n  \"v\", \"p\",\n]"), ["v", "p"]);
}
