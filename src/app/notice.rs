//! What was wrong with links, files and numbers, in words with the place.

use super::link::{LinkNotice, LinkProblem};
use super::state::FILE_BYTES_MAX;
use crate::lesson::scenario_file::{FileNotice, FileProblem, Wanted};
use crate::model::alerts::rule::{AlertProblem, RULES_MAX, WINDOW_EVALUATIONS_MAX};
use crate::model::settings::{Definition, Problem, Settings};
use crate::model::topology::TopologyProblem;
use crate::narrate::locale::{Field, Locale};

/// At most so many notices are shown, in a list that scrolls; of the rest it is said how many there
/// are.
const SHOWN_MAX: usize = 100;

/// Something that was not taken as it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// In a link or an attribute.
    Link(LinkNotice),
    /// In the scenario file of that name.
    File(String, FileNotice),
    /// The file of that name is too large.
    FileTooLarge(String),
    /// The file of that name could not be read.
    FileFailed(String),
    /// The scenario's address is on another site.
    NotSameOrigin(String),
    /// There is no scenario of that name or at that address.
    NotFound(String),
    /// The browser, or the page around, does not allow full screen.
    NoFullScreen,
    /// A link's run went by another version of the model.
    OtherModel,
    /// A link's run started from the scenario of that name as it was before.
    OtherScenario(String),
}

/// All notices in words, the first few and how many more there are.
#[must_use]
pub fn texts(notices: &[Notice], locale: &Locale) -> Vec<String> {
    let mut texts: Vec<String> = notices.iter().take(SHOWN_MAX).map(|notice| text(notice, locale)).collect();
    if let Some(more) = notices.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
        texts.push(locale.format("notice.more", &[("count", Field::Count(more as u64))]));
    }
    texts
}

/// One notice in words.
#[must_use]
#[inline(never)]
pub fn text(notice: &Notice, locale: &Locale) -> String {
    let (key, about) = match notice {
        Notice::Link(link) => return link_text(link, locale),
        Notice::File(file, found) => return file_text(file, found, locale),
        Notice::FileTooLarge(file) => ("notice.file_too_large", file),
        Notice::FileFailed(file) => ("notice.file_failed", file),
        Notice::NotSameOrigin(address) => ("notice.not_same_origin", address),
        Notice::NotFound(name) => ("notice.not_found", name),
        Notice::NoFullScreen => return locale.text("notice.no_full_screen").to_owned(),
        Notice::OtherModel => return locale.text("notice.other_model").to_owned(),
        Notice::OtherScenario(name) => ("notice.other_scenario", name),
    };
    let max = format!("{} MB", FILE_BYTES_MAX / 1_000_000);
    let about = Field::Text(about);
    locale.format(key, &[("file", about), ("address", about), ("name", about), ("max", Field::Text(&max))])
}

fn link_text(found: &LinkNotice, locale: &Locale) -> String {
    let place = locale.format("place.link", &[("name", Field::Text(&found.name))]);
    match &found.problem {
        LinkProblem::UnknownName => locale.format("notice.unknown_name", &[("place", Field::Text(&place))]),
        LinkProblem::UnknownControl => {
            let fields = [("place", Field::Text(&place)), ("given", Field::Text(&found.given))];
            locale.format("notice.unknown_control", &fields)
        }
        LinkProblem::Value(problem) => {
            value_text(problem, &place, &found.given, &default_of(&found.name), locale)
        }
    }
}

/// A number field's problem in words.
#[must_use]
#[inline(never)]
pub fn value_text(problem: &Problem, place: &str, given: &str, kept: &str, locale: &Locale) -> String {
    let (key, used, choices) = match problem {
        Problem::NotANumber if kept.is_empty() => ("notice.not_a_number.left_out", kept, String::new()),
        Problem::NotANumber => ("notice.not_a_number", kept, String::new()),
        Problem::NotAChoice(names) => ("notice.not_a_choice", kept, names.join(", ")),
        Problem::RaisedTo(used) => ("notice.raised", used.as_str(), String::new()),
        Problem::LoweredTo(used) => ("notice.lowered", used.as_str(), String::new()),
        Problem::RoundedTo(used) => ("notice.rounded", used.as_str(), String::new()),
    };
    let fields = [
        ("place", Field::Text(place)),
        ("given", Field::Text(given)),
        ("used", Field::Text(used)),
        ("choices", Field::Text(&choices)),
    ];
    locale.format(key, &fields)
}

fn file_text(file: &str, found: &FileNotice, locale: &Locale) -> String {
    let place = if found.place.is_empty() {
        file.to_owned()
    } else {
        locale.format("place.file", &[("file", Field::Text(file)), ("path", Field::Text(&found.place))])
    };
    if let FileProblem::Alert(problem) = &found.problem {
        return alert_text(problem, &place, locale);
    }
    if let Some((key, partitions)) = partitions_problem(&found.problem) {
        let fields = [
            ("place", Field::Text(&place)),
            ("given", Field::Text(&found.found)),
            ("partitions", Field::Count(partitions)),
        ];
        return locale.format(key, &fields);
    }
    let (mut line_read, mut column_read) = (0, 0);
    let (key, detail) = match &found.problem {
        FileProblem::Syntax { line, column } => {
            (line_read, column_read) = (*line, *column);
            ("notice.bad_json", "")
        }
        FileProblem::NotAScenario if found.place.is_empty() || found.found.is_empty() => {
            ("notice.not_a_scenario", "")
        }
        FileProblem::NotAScenario => ("notice.bad_format", ""),
        FileProblem::Topology(TopologyProblem::WrongCount(kind)) => ("notice.wrong_count", *kind),
        FileProblem::Topology(TopologyProblem::NoSuchQueue(name)) => ("notice.no_such_queue", name.as_str()),
        FileProblem::Topology(TopologyProblem::NoSuchTopic(name)) => ("notice.no_such_topic", name.as_str()),
        FileProblem::Topology(TopologyProblem::SharedRetries(name)) => {
            ("notice.shared_retries", name.as_str())
        }
        FileProblem::Topology(TopologyProblem::WrongLike(name)) => ("notice.wrong_like", name.as_str()),
        FileProblem::Topology(TopologyProblem::BadName(name)) => ("notice.bad_name", name.as_str()),
        FileProblem::Topology(TopologyProblem::WrongSplit(name)) => ("notice.wrong_split", name.as_str()),
        FileProblem::Topology(TopologyProblem::UsedBeforeSplit(name)) => {
            ("notice.used_before_split", name.as_str())
        }
        FileProblem::UnknownField => ("notice.unknown_field", ""),
        FileProblem::NotRunYet => ("notice.not_run_yet", ""),
        FileProblem::UnknownCommand => ("notice.unknown_command", ""),
        FileProblem::TooManyCommands => ("notice.too_many_commands", ""),
        FileProblem::NothingToSplit => ("notice.nothing_to_split", ""),
        FileProblem::NothingToJoin => ("notice.nothing_to_join", ""),
        FileProblem::SplitAlready => ("notice.split_already", ""),
        FileProblem::NoSuchAlert => ("notice.no_such_alert", ""),
        FileProblem::Alert(_) | FileProblem::NoSuchPartition(_) | FileProblem::NoMorePartitions(_) => {
            return String::new();
        }
        FileProblem::NoSchemaChange => ("notice.no_schema_change", ""),
        FileProblem::UpgradedAlready => ("notice.upgraded_already", ""),
        FileProblem::WrongType(wanted) => ("notice.wrong_type", locale.text(wanted_key(*wanted))),
        FileProblem::Value(problem) => {
            let name = found.place.rsplit('.').next().unwrap_or_default();
            return value_text(problem, &place, &found.found, &default_of(name), locale);
        }
    };
    let fields = [
        ("place", Field::Text(&place)),
        ("file", Field::Text(file)),
        ("given", Field::Text(&found.found)),
        ("kind", Field::Text(detail)),
        ("name", Field::Text(detail)),
        ("expected", Field::Text(detail)),
        ("line", Field::Count(line_read as u64)),
        ("column", Field::Count(column_read as u64)),
    ];
    locale.format(key, &fields)
}

/// What is wrong with a partition that a command names, and how many there are by then.
const fn partitions_problem(problem: &FileProblem) -> Option<(&'static str, u64)> {
    match problem {
        FileProblem::NoSuchPartition(count) => Some(("notice.no_such_partition", *count)),
        FileProblem::NoMorePartitions(count) => Some(("notice.no_more_partitions", *count)),
        _ => None,
    }
}

fn alert_text(problem: &AlertProblem, place: &str, locale: &Locale) -> String {
    let (key, name) = match problem {
        AlertProblem::NotRead(problem) => ("notice.alert_not_read", problem.to_string()),
        AlertProblem::NoSuchMetric(name) => ("notice.no_such_metric", name.clone()),
        AlertProblem::NoSuchLabel(name) => ("notice.no_such_label", name.clone()),
        AlertProblem::WindowTooLong => ("notice.window_too_long", WINDOW_EVALUATIONS_MAX.to_string()),
        AlertProblem::BadName(name) => ("notice.bad_alert_name", name.clone()),
        AlertProblem::TooMany => ("notice.too_many_alerts", RULES_MAX.to_string()),
    };
    locale.format(key, &[("place", Field::Text(place)), ("name", Field::Text(&name))])
}

const fn wanted_key(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Text => "expected.text",
        Wanted::TimeOfDay => "expected.time_of_day",
        Wanted::NumberOrText => "expected.number_or_text",
        Wanted::NodeName => "expected.node_name",
        Wanted::Object => "expected.object",
        Wanted::List => "expected.list",
        Wanted::ResetTarget => "expected.reset_target",
        Wanted::TrueOrFalse => "expected.true_or_false",
    }
}

/// What a refused value was left at: the default of its setting, or of its parameter; empty where
/// there is none.
fn default_of(name: &str) -> String {
    match (Definition::by_name(name), name) {
        (Some(row), _) => Settings::default().get(row.setting).to_text(),
        (None, "v" | "speed") => "1".to_owned(),
        (None, "play" | "t") => "0".to_owned(),
        (None, "theme" | "motion") => "auto".to_owned(),
        (None, "announce") => "all".to_owned(),
        (None, "locale") => "en".to_owned(),
        (None, "dial_max") => "20".to_owned(),
        (None, "view") => "queue".to_owned(),
        (None, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::link;
    use crate::lesson::scenario_file;

    #[test]
    fn notices_say_what_and_where() {
        let locale = Locale::english();
        let link = link::read("p=abc&workers=500&colour=red");
        let notices: Vec<Notice> = link.notices.into_iter().map(Notice::Link).collect();
        assert_eq!(
            texts(&notices, &locale),
            [
                "Parameter p: “abc” is not a number. It was left at 6.",
                "Parameter workers: 500 is too large. The most is 64, and that is used.",
                "Parameter colour: there is no such name. It was left out.",
            ]
        );
        let (_, notices) = scenario_file::read(r#"{"format":1,"settings":{"overflow_policy":"explode"}}"#);
        let said = notices.into_iter().map(|found| text(&Notice::File("my.json".into(), found), &locale));
        assert_eq!(
            said.collect::<Vec<_>>(),
            [
                "my.json, settings.overflow_policy: “explode” is not one of block, reject, drop-new, drop-oldest. It was left at drop-new."
            ]
        );
    }

    #[test]
    fn every_problem_of_a_file_has_its_sentence() {
        let locale = Locale::english();
        for file in [
            "{",
            "[]",
            "{}",
            r#"{"format":9}"#,
            r#"{"format":1,"x":1}"#,
            r#"{"format":1,"steps":[]}"#,
            r#"{"format":1,"alerts":{}}"#,
            r#"{"format":1,"alerts":[{}]}"#,
            r#"{"format":1,"alert_interval_seconds":0}"#,
            r#"{"format":1,"alerts":[{"name":"a","owner":"b","when":"x >"}]}"#,
            r#"{"format":1,"alerts":[{"name":"a","owner":"b","when":"x > 1"}]}"#,
            r#"{"format":1,"alerts":[{"name":"a","owner":"b","when":"broker_up{queue=\"q\"} > 1"}]}"#,
            r#"{"format":1,"alerts":[{"name":"a","owner":"b","when":"deriv(broker_up[52w]) > 1"}]}"#,
            r#"{"format":1,"alerts":[{"name":"","owner":"b","when":"broker_up > 1"}]}"#,
            r#"{"format":1,"commands":[{"do":"set-alert-rule","alert":"a"}]}"#,
            r#"{"format":1,"commands":[{"do":"x"}]}"#,
            r#"{"format":1,"commands":{}}"#,
            r#"{"format":1,"title":1}"#,
            r#"{"format":1,"clock_start":"x"}"#,
            r#"{"format":1,"settings":{"p":[]}}"#,
            r#"{"format":1,"settings":3}"#,
            r#"{"format":1,"topology":{"queues":[]}}"#,
            r#"{"format":1,"topology":{"queues":[{"name":"a b"}]}}"#,
            r#"{"format":1,"topology":{"queues":[{"name":"a"}]}}"#,
            r#"{"format":1,"topology":{"queues":[{"name":"a","split_from":"b"},{"name":"b"}]}}"#,
            r#"{"format":1,"topology":{"queues":[{"name":"queue"},{"name":"b","split_from":"queue"}],"producers":[{"name":"p","to":"b"}]}}"#,
            r#"{"format":1,"commands":[{"do":"split-queues"}]}"#,
            r#"{"format":1,"topology":{"queues":[{"name":"queue"},{"name":"b","split_from":"queue"}]},"commands":[{"do":"split-queues"},{"do":"split-queues"}]}"#,
            r#"{"format":1,"topology":{"topics":[{"name":"t"},{"name":"r"}],"groups":[{"name":"a","from":"t","retry_to":"r"},{"name":"b","from":"t","retry_to":"r"}]}}"#,
            r#"{"format":1,"commands":[{"do":"join"}]}"#,
            r#"{"format":1,"commands":[{"do":"change-schema"}]}"#,
            r#"{"format":1,"commands":[{"do":"upgrade-readers"},{"do":"upgrade-readers"}]}"#,
            r#"{"format":1,"commands":[{"do":"reset-offsets","to":"tomorrow"}]}"#,
            r#"{"format":1,"topology":{"consumers":[{"name":"c","from":"queue","joins_later":1}]}}"#,
            r#"{"format":1,"topology":{"producers":[{"name":"p","to":"queue","like":"p"}]}}"#,
            r#"{"format":1,"until":"x"}"#,
        ] {
            let (_, notices) = scenario_file::read(file);
            assert!(!notices.is_empty(), "{file}");
            for found in notices {
                let said = text(&Notice::File("my.json".into(), found), &locale);
                assert!(
                    said.starts_with("my.json")
                        && said.ends_with('.')
                        && !said.contains(['{', '}'])
                        && !said.contains("notice."),
                    "{said}"
                );
            }
        }
    }

    #[test]
    fn many_notices_are_counted() {
        let notices: Vec<Notice> = (0..120).map(|number| Notice::NotFound(number.to_string())).collect();
        let texts = texts(&notices, &Locale::english());
        assert_eq!(texts.len(), SHOWN_MAX + 1);
        assert_eq!(texts.last().map(String::as_str), Some("There are 20 more notices."));
    }
}
