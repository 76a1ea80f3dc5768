use super::*;
use crate::model::alerts::RuleChange;
use crate::model::rate::Rate;
use crate::model::settings::{Bound, OverflowPolicy};
use crate::model::time::Span;

fn problems(text: &str) -> Vec<(String, FileProblem)> {
    read(text).1.into_iter().map(|notice| (notice.place, notice.problem)).collect()
}

fn only(text: &str) -> (String, FileProblem) {
    let mut found = problems(text);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn a_whole_file_is_read() {
    let (file, notices) = read(
        r#"{ "format": 1, "title": "A flood", "clock_start": "08:55", "seed": 7,
             "topology": { "producers": [{"name": "shop", "to": "orders"}], "queues": [{"name": "orders"}],
                           "consumers": [{"name": "billing", "from": "orders"}] },
             "settings": { "shop.producer_rate_per_second": 8, "c": "6.5", "orders.queue_bound_messages": "none",
                           "overflow_policy": "reject" },
             "commands": [ {"at": 2.5, "do": "burst", "messages": 50},
                           {"at": 1, "do": "set", "settings": {"p": 0}} ],
             "until": 120 }"#,
    );
    assert_eq!(notices, vec![]);
    let file = file.unwrap_or_default();
    let settings = &file.scenario.settings;
    assert_eq!(file.title.as_deref(), Some("A flood"));
    assert_eq!(settings.producer_rate, Rate::from_per_second(8));
    assert_eq!(settings.consumer_rate, Rate::from_thousandths(6_500));
    assert_eq!((settings.queue_bound, settings.overflow), (Bound::None, OverflowPolicy::Reject));
    assert_eq!((settings.seed, file.scenario.clock_start_seconds), (7, Some(32_100)));
    assert_eq!(file.scenario.topology().queues[0].name, "orders");
    let instants: Vec<u64> = file.scenario.commands().iter().map(|timed| timed.at.micros()).collect();
    assert_eq!(instants, [1_000_000, 2_500_000], "commands are sorted by their instants");
    assert_eq!(file.scenario.until, Some(Instant::from_seconds(120)));
}

#[test]
fn what_is_not_understood_is_said_with_its_place() {
    for (text, place, problem) in [
        (r#"{"format":1,"colour":"red"}"#, "colour", FileProblem::UnknownField),
        (r#"{"format":1,"steps":[]}"#, "steps", FileProblem::NotRunYet),
        (r#"{"format":1,"settings":{"rate":3}}"#, "settings.rate", FileProblem::UnknownField),
        (r#"{"format":1,"settings":{"other.p":3}}"#, "settings.other.p", FileProblem::UnknownField),
        (r#"{"format":1,"settings":{"p":null}}"#, "settings.p", FileProblem::WrongType(Wanted::NumberOrText)),
        (
            r#"{"format":1,"settings":{"p":-1}}"#,
            "settings.p",
            FileProblem::Value(Problem::RaisedTo("0".into())),
        ),
        (
            r#"{"format":1,"settings":{"p":1e30}}"#,
            "settings.p",
            FileProblem::Value(Problem::LoweredTo("100000".into())),
        ),
        (r#"{"format":1,"settings":[]}"#, "settings", FileProblem::WrongType(Wanted::Object)),
        (r#"{"format":1,"commands":{}}"#, "commands", FileProblem::WrongType(Wanted::List)),
        (r#"{"format":1,"commands":[3]}"#, "commands[0]", FileProblem::WrongType(Wanted::Object)),
        (r#"{"format":1,"commands":[{"do":"explode"}]}"#, "commands[0].do", FileProblem::UnknownCommand),
        (
            r#"{"format":1,"commands":[{"at":"soon","do":"burst","messages":1}]}"#,
            "commands[0].at",
            FileProblem::Value(Problem::NotANumber),
        ),
        (
            r#"{"format":1,"commands":[{"do":"set","settings":{"seed":1}}]}"#,
            "commands[0].settings.seed",
            FileProblem::UnknownField,
        ),
        (r#"{"format":1,"clock_start":"25:00"}"#, "clock_start", FileProblem::WrongType(Wanted::TimeOfDay)),
        (r#"{"format":1,"until":-5}"#, "until", FileProblem::Value(Problem::RaisedTo("0".into()))),
    ] {
        assert_eq!(only(text), (place.to_owned(), problem), "{text}");
        assert!(read(text).0.is_some(), "it runs with what was understood: {text}");
    }
}

#[test]
fn what_is_no_scenario_is_refused() {
    let topology = FileProblem::Topology(TopologyProblem::WrongCount("queues"));
    for (text, place, problem) in [
        ("{\n  \"format\": }", "", FileProblem::Syntax { line: 2, column: 13 }),
        ("", "", FileProblem::Syntax { line: 1, column: 1 }),
        ("[1]", "", FileProblem::NotAScenario),
        ("{}", "format", FileProblem::NotAScenario),
        (r#"{"format":2}"#, "format", FileProblem::NotAScenario),
        (r#"{"format":1,"topology":{"queues":[]}}"#, "topology", topology),
    ] {
        assert_eq!(only(text), (place.to_owned(), problem), "{text}");
        assert!(read(text).0.is_none(), "{text}");
    }
}

#[test]
fn hostile_files_are_refused_or_reported_and_nothing_panics() {
    let deep = format!("{{\"format\":1,\"title\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(only(&deep).1, FileProblem::Syntax { .. }));
    let many = format!(
        "{{\"format\":1,\"commands\":[{}]}}",
        vec!["{\"do\":\"burst\",\"messages\":1}"; 10_001].join(",")
    );
    assert_eq!(only(&many), ("commands".to_owned(), FileProblem::TooManyCommands));
    let long = format!("{{\"format\":1,\"title\":\"{}\"}}", "x".repeat(100_000));
    assert_eq!(read(&long).0.and_then(|file| file.title).map(|title| title.len()), Some(200));
}

#[test]
fn times_of_day_are_two_digits_each() {
    for (text, seconds) in [
        ("08:55", Some(32_100)),
        ("23:59:59", Some(86_399)),
        ("8:55", None),
        ("08:60", None),
        ("08:55:00:1", None),
        ("०८:55", None),
    ] {
        assert_eq!(seconds_after_midnight(text), seconds, "{text}");
    }
}

#[test]
fn alert_rules_are_read_with_their_interval_and_can_be_changed_by_command() {
    let (file, notices) = read(
        r#"{ "format": 1, "alert_interval_seconds": 15,
             "alerts": [ {"name": "Deep", "owner": "orders", "when": "queue_messages_ready > 5",
                          "for_seconds": 60, "keep_firing_seconds": 30},
                         {"name": "Down", "owner": "platform", "when": "broker_up == 0"} ],
             "commands": [ {"do": "set-alert-rule", "alert": "Down", "threshold": -0.5, "for_seconds": 10} ] }"#,
    );
    assert_eq!(notices, vec![]);
    let scenario = file.unwrap_or_default().scenario;
    assert_eq!(scenario.alerts().interval(), Span::from_seconds(15));
    let [deep, down] = scenario.alerts().rules() else { panic!("two rules") };
    assert_eq!((deep.name.as_str(), deep.owner.as_str()), ("Deep", "orders"));
    assert_eq!(deep.condition.to_string(), "queue_messages_ready > 5");
    assert_eq!((deep.hold, deep.keep_firing), (Span::from_seconds(60), Span::from_seconds(30)));
    assert_eq!((down.hold, down.keep_firing), (Span::ZERO, Span::ZERO));
    let change = RuleChange {
        threshold_millionths: Some(-500_000),
        hold: Some(Span::from_seconds(10)),
        keep_firing: None,
    };
    let command = crate::model::command::Command::SetAlertRule { rule: 1, change };
    assert_eq!(scenario.commands(), [TimedCommand { at: Instant::START, command }]);
}

#[test]
fn a_rule_that_cannot_be_run_is_left_out_with_its_reason() {
    let rule = |fields: &str| only(&format!(r#"{{"format":1,"alerts":[{{{fields}}}]}}"#));
    let of = r#""name":"a","owner":"b","when""#;
    assert_eq!(
        rule(&format!(r#"{of}:"lag > 5""#)),
        ("alerts[0].when".into(), FileProblem::Alert(AlertProblem::NoSuchMetric("lag".into())))
    );
    let (place, problem) = rule(&format!(r#"{of}:"broker_up >""#));
    assert!(place == "alerts[0].when" && matches!(problem, FileProblem::Alert(AlertProblem::NotRead(_))));
    assert_eq!(
        rule(r#""name":"","owner":"b","when":"broker_up == 0""#),
        ("alerts[0].name".into(), FileProblem::Alert(AlertProblem::BadName(String::new())))
    );
    assert_eq!(
        rule(r#""name":"a","when":"broker_up == 0""#),
        ("alerts[0].owner".into(), FileProblem::WrongType(Wanted::Text))
    );
    assert_eq!(
        rule(&format!(r#"{of}:"broker_up == 0","severity":"page""#)),
        ("alerts[0].severity".into(), FileProblem::UnknownField)
    );
    assert_eq!(
        only(r#"{"format":1,"commands":[{"do":"set-alert-rule"}]}"#),
        ("commands[0].alert".into(), FileProblem::NoSuchAlert)
    );
    let many: Vec<String> =
        (0..99).map(|n| format!(r#"{{"name":"{n}","owner":"b","when":"broker_up == 0"}}"#)).collect();
    assert_eq!(
        only(&format!(r#"{{"format":1,"alerts":[{}]}}"#, many.join(","))),
        ("alerts[32]".into(), FileProblem::Alert(AlertProblem::TooMany))
    );
}

#[test]
fn every_built_in_scenario_is_the_same_when_it_is_written_and_read() {
    for built_in in crate::lesson::built_in::ALL {
        let file = read(built_in.text).0.unwrap_or_default();
        let (title, commands) = (file.title.as_deref(), file.scenario.commands());
        let written = writing::write(title, file.dial_max, &file.scenario, commands);
        let (again, notices) = read(&written);
        assert_eq!(notices, vec![], "{}", built_in.name);
        assert_eq!(again.unwrap_or_default(), file, "{}: {written}", built_in.name);
    }
}
