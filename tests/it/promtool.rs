//! Runs exported as unit tests of promtool. That promtool itself agrees with them is for
//! `scripts/test promtool`; here they are well-formed, and a small one does not change.

use queue_lab::app::promtool::{self, Exported, NotExported};
use queue_lab::lesson::scenario_file;
use queue_lab::model::alerts::parse;
use queue_lab::model::time::{Instant, Span};

use super::tidy::{read, source::root};

fn exported(path: &str) -> Exported {
    let (file, notices) = scenario_file::read(&read(path));
    assert_eq!(notices, [], "{path} is read as it stands");
    let file = file.unwrap_or_else(|| panic!("{path} is a scenario"));
    let title = file.title.unwrap_or_else(|| panic!("{path} has a title"));
    promtool::export(file.scenario, &title, None).unwrap_or_else(|reason| panic!("{}", reason.sentence()))
}

fn paths() -> Vec<String> {
    let all = std::fs::read_dir(root().join("tests/promtool")).expect("there are runs");
    let names = all.map(|entry| entry.expect("it is listed").file_name().to_string_lossy().into_owned());
    let mut paths: Vec<String> =
        names.filter(|name| name.ends_with(".json")).map(|name| format!("tests/promtool/{name}")).collect();
    paths.sort();
    paths
}

#[test]
fn a_small_run_is_exported_as_it_was() {
    let found = exported("tests/promtool/small.json");
    for (name, text) in [("alerts.yml", &found.rules), ("test.yml", &found.test)] {
        let path = format!("tests/promtool/expected/{name}");
        if std::env::var_os("QUEUE_LAB_UPDATE").is_some() {
            std::fs::write(root().join(&path), text).expect("it can be written");
        }
        assert_eq!(text, &read(&path), "QUEUE_LAB_UPDATE=1 cargo test --test it promtool writes {path} anew");
    }
}

/// What stands behind a key at the start of a line, with or without a dash.
fn values_of<'a>(yaml: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let start = format!("{key}: ");
    yaml.lines().filter_map(move |line| line.trim_start().trim_start_matches("- ").strip_prefix(&start))
}

fn unquoted(text: &str) -> String {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{text} is quoted"))
}

/// How many evaluations the values speak of.
fn evaluations(values: &str) -> usize {
    let of = |value: &str| {
        let Some((value, more)) = value.split_once("+0x") else {
            assert!(["_", "stale"].contains(&value) || value.parse::<f64>().is_ok(), "{value}");
            return 1;
        };
        assert!(value.parse::<f64>().is_ok(), "{value}");
        1 + more.parse::<usize>().expect("a count")
    };
    values.split(' ').map(of).sum()
}

fn micros(time: &str) -> u64 {
    parse::duration(time).unwrap_or_else(|problem| panic!("{problem}")).micros()
}

#[test]
fn every_export_is_well_formed() {
    assert!(paths().len() >= 10, "ten runs, and the known numbers besides");
    for path in paths() {
        let Exported { rules, test } = exported(&path);
        let names: Vec<String> = values_of(&rules, "alert").map(unquoted).collect();
        for condition in values_of(&rules, "expr").map(unquoted) {
            assert!(parse::condition(&condition).is_ok(), "{path}: {condition}");
        }
        let interval = micros(values_of(&test, "interval").next().expect("there is an interval"));
        let until = scenario_file::read(&read(&path)).0.unwrap_or_default().scenario.until;
        let until = until.unwrap_or_else(|| panic!("{path} says until when")).micros();
        let all = usize::try_from(until / interval + 1).expect("they are few");
        let series: Vec<String> = values_of(&test, "series").map(unquoted).collect();
        let values: Vec<String> = values_of(&test, "values").map(unquoted).collect();
        assert!(!series.is_empty() && series.len() == values.len(), "{path}");
        for (series, values) in series.iter().zip(&values) {
            assert_eq!(evaluations(values), all, "{path}: {series}");
        }
        for time in values_of(&test, "eval_time").map(micros) {
            assert!(time % interval == 0 && time <= until, "{path}: {time}");
        }
        let (alerts, of_series) = test.split_once("    promql_expr_test:").expect("it has both parts");
        for name in &names {
            let is_expected = values_of(alerts, "alertname").any(|text| unquoted(text) == *name);
            let has_series = values_of(of_series, "expr").any(|text| unquoted(text).contains(name.as_str()));
            assert!(is_expected && has_series, "{path}: {name}");
        }
        assert_eq!(values_of(&test, "eval_time").count() % 2, 0, "{path}: each is expected in both");
    }
}

/// What the exports show, so that promtool is asked about all of it.
#[test]
fn the_exports_cover_what_rules_can_say() {
    let all: Vec<Exported> = paths().iter().map(|path| exported(path)).collect();
    let has = |what: &str| all.iter().any(|run| run.rules.contains(what) || run.test.contains(what));
    for what in [
        "for: ",
        "keep_firing_for: ",
        "rate(",
        "increase(",
        "irate(",
        "deriv(",
        "delta(",
        "idelta(",
        "predict_linear(",
        "max_over_time(",
        "min_over_time(",
        "avg_over_time(",
        "sum_over_time(",
        "count_over_time(",
        "last_over_time(",
        "changes(",
        "resets(",
        "partition: \"",
        "queue: \"",
        "producer: \"",
        " stale",
        "\"_ ",
        "alertstate=\\\"pending\\\"",
        "alertstate=\\\"firing\\\"",
    ] {
        assert!(has(what), "{what}");
    }
    let never = exported("tests/promtool/never.json");
    assert!(!never.test.contains("exp_labels") && !never.test.contains("exp_samples:\n"));
}

#[test]
fn a_run_that_promtool_could_not_be_told_of_is_refused() {
    let refused = |fields: &str, until: u64| {
        let (file, notices) = scenario_file::read(&format!(r#"{{"format":1{fields}}}"#));
        assert_eq!(notices, []);
        let until = Instant::START + Span::from_seconds(until);
        promtool::export(file.unwrap_or_default().scenario, "a run", Some(until)).err()
    };
    assert_eq!(refused("", 60), Some(NotExported::NoRules));
    let changed = r#","alerts":[{"name":"Down","owner":"a","when":"broker_up == 0"}],
        "commands":[{"at":50,"do":"set-alert-rule","for_seconds":60}]"#;
    assert_eq!(refused(changed, 60), Some(NotExported::RulesChange));
    assert_eq!(refused(changed, 49), None, "it changes after the end");
    assert!(
        NotExported::NoRules.sentence().ends_with('.') && NotExported::RulesChange.sentence().ends_with('.')
    );
}
