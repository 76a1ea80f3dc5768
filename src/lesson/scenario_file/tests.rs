use super::*;
use crate::model::rate::Rate;
use crate::model::settings::{Bound, OverflowPolicy};

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
        (r#"{"format":1,"alerts":[]}"#, "alerts", FileProblem::NotRunYet),
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
fn exponents_move_the_point() {
    for (number, plain) in
        [("12", "12"), ("1.5e3", "1500.0"), ("2E+1", "20."), ("25e-1", "02.5"), ("-1e-2", "-0.01")]
    {
        let value = |text: &str| decimal::read(text, 6);
        assert_eq!(value(&without_exponent(number)), value(plain), "{number}");
    }
}
