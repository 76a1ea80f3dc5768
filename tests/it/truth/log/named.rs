//! Logs by name: what is said, and that it is true, all the way.

use super::any_log::file;
use super::check::check;
use super::past::Past;
use super::transcripts::transcript;
use super::whatever_happens::{story, wrong_in};
use crate::truth::transcripts::keep;
use queue_lab::model::rate::Rate;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::log::remark::{LogNext, LogPace, LogRemark, Standing, TeamThen, TeamTrouble};
use queue_lab::narrate::log::team_name::TeamName;
use queue_lab::narrate::remark::{Estimate, Remark};

const TOPIC: &str = r#"{ "name": "orders" }"#;
const ONE: &str = r#""groups": [ { "name": "billing", "from": "orders" } ]"#;

/// A log of one group with these settings and commands.
fn log(settings: &str, commands: &str) -> String {
    with(TOPIC, ONE, settings, commands)
}

fn with(topics: &str, groups: &str, settings: &str, commands: &str) -> String {
    let file = file(topics, groups, settings);
    let body = file.trim_end().strip_suffix('}').expect("it is an object");
    format!(r#"{body}, "commands": [ {commands} ] }}"#)
}

/// The kinds that are heard up to `seconds`, of which all is true.
fn kinds(file: &str, seconds: u64) -> Vec<&'static str> {
    assert_eq!(wrong_in(&mut story(file, vec![]), seconds, 4), None, "{file}");
    let mut story = story(file, vec![]);
    let mut kinds = vec![story.narrator.account().happening.kind()];
    story.hear_until(Instant::from_seconds(seconds), |account, _, _| {
        let kind = account.happening.kind();
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
    });
    kinds
}

#[test]
fn steady_logs() {
    let dials = |p: u64, c: u64| format!(r#""p": {p}, "c": {c}, "partitions": 3"#);
    assert_eq!(kinds(&log(&dials(6, 6), ""), 40), ["log-at-rest", "up-to-date"]);
    assert_eq!(kinds(&log(&dials(4, 6), ""), 40), ["log-at-rest", "up-to-date"]);
    assert_eq!(kinds(&log(&dials(8, 6), ""), 40), ["log-at-rest", "lag-growing"]);
    assert_eq!(kinds(&log(&dials(8, 0), ""), 40), ["log-at-rest", "lag-growing"]);
    assert_eq!(kinds(&log(&dials(0, 6), ""), 10), ["log-at-rest", "log-quiet"]);
    let burst = r#"{ "at": 5, "do": "burst", "producer": "shop", "messages": 60 }"#;
    assert_eq!(kinds(&log(&dials(6, 6), burst), 40), ["log-at-rest", "up-to-date", "lag-level"]);
    assert_eq!(
        kinds(&log(&dials(3, 6), burst), 60),
        ["log-at-rest", "up-to-date", "lag-shrinking", "up-to-date"]
    );
}

#[test]
fn a_second_team_reads_all_again_from_its_start() {
    let groups = r#""groups": [ { "name": "billing", "from": "orders" },
        { "name": "search", "from": "orders", "joins_later": true } ]"#;
    let join = r#"{ "at": 30, "do": "join", "consumers": "search" }"#;
    let settings = r#""p": 6, "c": 12, "partitions": 3, "search.offset_reset": "earliest",
        "search.consumer_rate_per_second": 16, "billing.consumer_rate_per_second": 12"#;
    let file = with(TOPIC, groups, settings, join);
    assert_eq!(kinds(&file, 60), ["log-at-rest", "up-to-date", "team-behind", "up-to-date"]);
    keep("log_second_team", &transcript(&file, 60, Span::from_seconds(10)));
    let mut story = story(&file, vec![]);
    story.hear_until(Instant::from_seconds(60), |_, _, _| {});
    let teams = Some(Remark::LogNext(LogNext::Teams { teams: 2 }));
    assert_eq!(story.narrator.account().next, teams);
}

#[test]
fn a_hung_consumer_and_one_that_died_hold_up_their_partitions() {
    let settings = r#""p": 6, "c": 3, "workers": 3, "partitions": 3"#;
    for (does, kind) in [("hang", "member-hung"), ("crash", "member-died")] {
        let command = format!(r#"{{ "at": 10, "do": "{does}", "consumers": "billing", "number": 2 }}"#);
        let said = kinds(&log(settings, &command), 40);
        assert_eq!(said, ["log-at-rest", "up-to-date", kind], "{does}");
    }
}

#[test]
fn a_rebalance_says_what_it_stops_and_for_how_long() {
    let more = r#"{ "at": 10, "do": "set", "settings": { "billing.consumer_count": 3 } }"#;
    for (assignor, some) in [("range", false), ("cooperative-sticky", true)] {
        let settings = format!(
            r#""p": 4, "billing.c": 4, "billing.workers": 2, "partitions": 6, "rebalance_seconds": 8,
            "assignor": "{assignor}""#
        );
        let file = log(&settings, more);
        assert!(kinds(&file, 40).contains(&"rebalancing"), "{assignor}");
        let (mut paused, mut goes_on) = (Vec::new(), false);
        story(&file, vec![]).hear_until(Instant::from_seconds(40), |account, snapshot, _| {
            if let (Remark::Log(LogRemark::Rebalancing { paused: now, .. }), 10..) =
                (account.happening, snapshot.at.whole_seconds())
            {
                paused.push(now);
                goes_on |= matches!(account.next, Some(Remark::LogNext(LogNext::GoesOnIn(_))));
            }
        });
        assert!(goes_on && !paused.is_empty(), "{assignor}: {paused:?}");
        assert_eq!(paused.iter().all(|paused| *paused < 6), some, "{assignor}: {paused:?}");
    }
}

#[test]
fn retention_passes_a_group_that_stands_still() {
    let stop = r#"{ "at": 10, "do": "crash-loop", "consumers": "billing", "number": 1 }"#;
    let settings =
        r#""p": 4, "c": 6, "partitions": 2, "message_retention_seconds": 20, "segment_max_records": 10"#;
    let file = log(settings, stop);
    let said = kinds(&file, 60);
    assert_eq!(said.last(), Some(&"deleted-unread"), "{said:?}");
    assert!(said.contains(&"nobody-reads"), "{said:?}");
    let mut said = false;
    story(&file, vec![]).hear_until(Instant::from_seconds(30), |account, _, _| {
        said |= matches!(account.next, Some(Remark::LogNext(LogNext::GoneIn(_))));
    });
    assert!(said, "when they are deleted is said before");
}

#[test]
fn a_hot_key_leaves_one_partition_behind() {
    let settings = r#""p": 6, "c": 2, "workers": 3, "partitions": 3, "keys": 1"#;
    assert!(kinds(&log(settings, ""), 40).contains(&"one-partition-behind"));
}

#[test]
fn a_group_that_was_moved_back_reads_again() {
    let commands = r#"{ "at": 20, "do": "stop", "consumers": "billing" },
        { "at": 22, "do": "reset-offsets", "group": "billing", "to": "earliest" },
        { "at": 24, "do": "start", "consumers": "billing" }"#;
    let settings = r#""p": 4, "c": 12, "partitions": 2"#;
    let said = kinds(&log(settings, commands), 60);
    let end = ["nobody-reads", "reads-again", "lag-shrinking", "up-to-date"];
    assert!(
        said.ends_with(&end) || said.ends_with(&["nobody-reads", "reads-again", "up-to-date"]),
        "{said:?}"
    );
}

#[test]
fn what_readers_cannot_read_is_told_from_what_fails() {
    let change = r#"{ "at": 10, "do": "change-schema", "producer": "shop" }"#;
    let settings = r#""p": 4, "c": 12, "partitions": 2, "schema": "change-type", "retry": "in-place""#;
    let file = log(settings, change);
    assert!(kinds(&file, 30).contains(&"partition-stuck"));
    let mut story = story(&file, vec![]);
    story.hear_until(Instant::from_seconds(30), |_, _, _| {});
    let happening = story.narrator.account().happening;
    assert!(matches!(happening, Remark::Log(LogRemark::Stuck { is_unreadable: true, stuck: 2, .. })));
}

#[test]
fn dead_letters_that_nobody_reads_are_told() {
    let groups = r#""groups": [ { "name": "billing", "from": "orders", "dead_letters_to": "dead" } ]"#;
    let poison = r#"{ "at": 5, "do": "poison", "producer": "shop", "messages": 3 }"#;
    let topics = r#"{ "name": "orders" }, { "name": "dead" }"#;
    let file = with(topics, groups, r#""p": 4, "c": 12, "attempts": 1"#, poison);
    kinds(&file, 30);
    let mut story = story(&file, vec![]);
    story.hear_until(Instant::from_seconds(30), |_, _, _| {});
    assert_eq!(story.narrator.account().next, Some(Remark::LogNext(LogNext::SetAside { count: 3 })));
}

#[test]
fn how_often_the_head_was_tried_is_counted_and_whether_it_fails_is_known_before() {
    let poison = r#"{ "at": 5, "do": "poison", "producer": "shop", "messages": 1 }"#;
    let settings = r#""p": 1, "c": 10, "partitions": 1, "retry": "in-place", "delay": 2"#;
    let mut story = story(&log(settings, poison), vec![]);
    let mut seen = Vec::new();
    story.hear_until(Instant::from_seconds(11), |_, snapshot, _| {
        let lane = snapshot.network.groups[0].partitions[0];
        seen.push((lane.head_fails, lane.head_attempts));
    });
    seen.dedup();
    // It comes at 6 s; a try takes a tenth of a second, and the next comes two seconds later.
    let fails: Vec<u32> = seen.iter().filter(|(fails, _)| *fails).map(|(_, tries)| *tries).collect();
    assert_eq!(fails, [1, 2, 3], "{seen:?}");
}

#[test]
fn what_is_wrong_is_found() {
    let settings = r#""p": 8, "c": 6, "partitions": 1"#;
    let file = log(settings, "");
    let (mut story, mut past) = (story(&file, vec![]), Past::default());
    story.hear_until(Instant::from_seconds(20), |_, snapshot, _| past.note(snapshot));
    let snapshot = story.simulation.snapshot();
    let (lag, rate) = (snapshot.network.groups[0].lag, Rate::from_per_second);
    let pace = LogPace { arrivals: rate(8), capacity: rate(6), readers: 1 };
    let is_true =
        |remark: LogRemark| check(&Remark::Log(remark), &snapshot, &story.simulation, &past).is_ok();
    assert!(is_true(LogRemark::Growing { pace, done: rate(6) }));
    assert!(!is_true(LogRemark::Growing { pace, done: rate(7) }));
    assert!(!is_true(LogRemark::Growing { pace: LogPace { readers: 2, ..pace }, done: rate(6) }));
    assert!(!is_true(LogRemark::UpToDate { pace }));
    assert!(!is_true(LogRemark::Level { pace, behind: lag }));
    let time = Estimate { span: Span::from_seconds(20), is_about: false };
    assert!(!is_true(LogRemark::Draining { pace, caught_up_in: Some(time) }));
    assert!(!is_true(LogRemark::Quiet));
    let stuck = LogRemark::Stuck { stuck: 1, partition: 0, behind: lag - 1, is_unreadable: false };
    assert!(!is_true(stuck) && !is_true(LogRemark::DeletedUnread { count: 1 }));
    let still_for = Span::from_seconds(1);
    assert!(!is_true(LogRemark::NobodyReads { behind: lag, still_for }));
    let standing = Standing { members: 1, partitions: 1, behind: lag };
    assert!(!is_true(LogRemark::Hung(standing)) && !is_true(LogRemark::Died(standing)));
    assert!(!is_true(LogRemark::Rebalancing { paused: 1, partitions: 1 }));
    assert!(!is_true(LogRemark::OneBehind { partition: 0, is_growing: false, is_alone: true }));
    assert!(!is_true(LogRemark::ReadsAgain { left: 1 }));
    assert!(!is_true(LogRemark::TeamBehind {
        team: TeamName::of("search"),
        behind: lag,
        then: TeamThen::Open
    }));
    let (team, trouble) = (TeamName::of("billing"), TeamTrouble::Nobody { behind: lag });
    assert!(!is_true(LogRemark::TeamStands { team, trouble }));
    assert!(!is_true(LogRemark::Idle { readers: 1, idle: 1, partitions: 1 }));
    assert!(!is_true(LogRemark::BrokerDown { back_in: None }));
    assert!(!is_true(LogRemark::Counts { behind: lag + 1, in_flight: 1 }));
    let is_next = |next: LogNext| check(&Remark::LogNext(next), &snapshot, &story.simulation, &past).is_ok();
    assert!(is_next(LogNext::FallsBehind { count: 120, every: Span::from_seconds(60) }));
    assert!(!is_next(LogNext::FallsBehind { count: 140, every: Span::from_seconds(60) }));
    assert!(!is_next(LogNext::GoneIn(Span::from_seconds(5))));
    assert!(!is_next(LogNext::GoesOnIn(Span::from_seconds(5))));
    assert!(!is_next(LogNext::Tried { attempts: 1, of: None }));
    assert!(!is_next(LogNext::SetAside { count: 1 }) && !is_next(LogNext::Teams { teams: 2 }));
    assert!(!is_next(LogNext::OldestNotDone(Span::from_seconds(1))));
    let window = Span::from_seconds(10);
    assert!(is_next(LogNext::Moved { came: 80, done: 60, window }));
    assert!(!is_next(LogNext::Moved { came: 80, done: 61, window }));
    assert!(!is_next(LogNext::HotPartition { came: 81, could: 60, window }));
    assert!(!is_next(LogNext::IdleAhead { idle: 1, partitions: 1 }));
}

#[test]
fn of_two_teams_the_one_that_is_worst_off_is_spoken_of() {
    let groups = r#""groups": [ { "name": "billing", "from": "orders" },
        { "name": "audit", "from": "orders" } ]"#;
    let file =
        |commands: &str| with(TOPIC, groups, r#""p": 6, "c": 12, "partitions": 2, "workers": 2"#, commands);
    let second = r#"{ "at": 10, "do": "hang", "consumers": "audit", "number": 1 }"#;
    assert_eq!(kinds(&file(second), 20), ["log-at-rest", "up-to-date", "team-member-hung"]);
    let remark = |commands: &str, seconds: u64| {
        let mut story = story(&file(commands), vec![]);
        story.hear_until(Instant::from_seconds(seconds), |_, _, _| {});
        story.narrator.account().happening
    };
    let team = |remark: &Remark| match remark {
        Remark::Log(LogRemark::TeamStands { team, trouble }) => Some((team.as_str().to_owned(), *trouble)),
        _ => None,
    };
    assert!(matches!(team(&remark(second, 20)), Some((name, TeamTrouble::Hung(_))) if name == "audit"));
    let first = r#"{ "at": 10, "do": "hang", "consumers": "billing", "number": 1 }"#;
    assert!(matches!(team(&remark(first, 20)), Some((name, TeamTrouble::Hung(_))) if name == "billing"));
    // Both stand, the second for longer, until the first is far behind too.
    let both = r#"{ "at": 10, "do": "stop", "consumers": "audit" },
        { "at": 40, "do": "stop", "consumers": "billing" }"#;
    assert_eq!(kinds(&file(both), 90).last(), Some(&"team-without-members"));
    assert!(matches!(team(&remark(both, 50)), Some((name, TeamTrouble::Nobody { .. })) if name == "audit"));
    assert!(matches!(team(&remark(both, 89)), Some((name, TeamTrouble::Nobody { .. })) if name == "billing"));
    // A record that one team cannot do neither can the other.
    let poison =
        r#"{ "at": 10, "do": "poison-partition", "topic": "orders", "partition": 1, "messages": 1 }"#;
    assert!(
        matches!(team(&remark(poison, 20)), Some((name, TeamTrouble::Stuck { partition: 1, .. })) if name == "billing")
    );
    assert_eq!(kinds(&file(poison), 20).last(), Some(&"team-stuck"));
}

#[test]
fn what_was_passed_over_is_not_read_again() {
    let moves = r#"{ "at": 10, "do": "stop" },
        { "at": 20, "do": "reset-offsets", "to": "latest" },
        { "at": 21, "do": "reset-offsets", "to": "earliest" },
        { "at": 22, "do": "start" }"#;
    let heard = kinds(&log(r#""p": 6, "c": 9, "partitions": 1"#, moves), 40);
    assert!(!heard.contains(&"reads-again"), "{heard:?}");
}
