//! What was found while others used the page: each is held off here.

use queue_lab::app::breaking::Injection;
use queue_lab::app::export;
use queue_lab::app::history;
use queue_lab::app::message::{Msg, Request};
use queue_lab::json::{self, Json};
use queue_lab::lesson::scenario_file::{self, FileProblem};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::Setting;
use queue_lab::model::time::Instant;

use super::Bench;

impl Bench {
    fn saved_run(&mut self) -> String {
        self.send(Msg::SavePressed);
        match self.app.take_request() {
            Some(Request::Save { text, .. }) => text,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_saved_run_that_is_opened_has_the_hash_of_the_run_at_the_same_instant() {
    for query in ["p=8&c=6", "view=log&p=8&c=4&workers=2", "scenario=six-in-six-out"] {
        let mut bench = Bench::open(query);
        bench.step(5);
        bench.press(Injection::Burst);
        bench.send(Msg::DialStepped(Setting::ProducerRate, 1));
        bench.step(2);
        bench.press(Injection::Poison);
        bench.press(Injection::Crash);
        bench.step(9);
        let text = bench.saved_run();
        let mut opened = Bench::open("");
        opened.send(Msg::FileOpened("mine.json".into(), text));
        assert_eq!(opened.view().notices, Vec::<String>::new(), "{query}");
        opened.step(16);
        assert_eq!((opened.at(), opened.hash()), (bench.at(), bench.hash()), "{query}");
        assert_ne!(opened.hash(), Bench::open("t=16").hash());
    }
}

#[test]
fn a_partition_that_is_not_there_is_said_and_nothing_else_is_left_out() {
    let bench =
        Bench::open("view=log&do=5,poison-partition,topic=orders,partition=7,messages=1~6,set,p=9&t=8");
    let notices = bench.view().notices;
    assert_eq!(
        notices,
        [
            "do, commands[0].partition: there is no partition 7. By then the topic has partition 0 alone. The command was left out."
        ]
    );
    assert_eq!(bench.view().dials[0].value, "9");
    let grown = "view=log&do=2,add-partitions,topic=orders,partition_count=3~5,poison-partition,topic=orders,partition=2,messages=1&t=8";
    assert_eq!(Bench::open(grown).view().notices, Vec::<String>::new());
}

#[test]
fn a_command_may_name_the_partitions_that_there_are_by_then() {
    let with = |commands: &str| {
        let text = format!(
            r#"{{"format":1,"topology":{{"producers":[{{"name":"shop","to":"orders"}}],"topics":[{{"name":"orders"}},{{"name":"other"}}],
                "groups":[{{"name":"billing","from":"orders"}},{{"name":"audit","from":"other"}}]}},
                "settings":{{"partitions":2,"other.partitions":4}},"commands":[{commands}]}}"#
        );
        let (file, notices) = scenario_file::read(&text);
        let commands = file.expect("it is a scenario").scenario.commands().len();
        (commands, notices.into_iter().map(|notice| (notice.place, notice.problem)).collect::<Vec<_>>())
    };
    let none = |count| (count, Vec::new());
    assert_eq!(with(r#"{"at":1,"do":"poison-partition","partition":1,"messages":1}"#), none(1));
    assert_eq!(
        with(r#"{"at":1,"do":"poison-partition","topic":"other","partition":3,"messages":1}"#),
        none(1)
    );
    let later = r#"{"at":9,"do":"add-partitions","partition_count":3}"#;
    let early = r#"{"at":1,"do":"add-partitions","partition_count":3}"#;
    let poison = r#"{"at":5,"do":"poison-partition","partition":2,"messages":1}"#;
    assert_eq!(with(&format!("{poison},{early}")), none(2), "by their instants, not by their places");
    let missing = |place: &str, count| vec![(place.to_owned(), FileProblem::NoSuchPartition(count))];
    assert_eq!(with(&format!("{poison},{later}")), (1, missing("commands[0].partition", 2)));
    let reset = r#"{"at":5,"do":"reset-offsets","group":"audit","partition":4,"to":"earliest"}"#;
    assert_eq!(with(reset), (0, missing("commands[0].partition", 4)));
    let fewer = r#"{"at":5,"do":"add-partitions","topic":"other","partition_count":4}"#;
    let place = "commands[0].partition_count".to_owned();
    assert_eq!(with(fewer), (0, vec![(place, FileProblem::NoMorePartitions(4))]));
    let twice = (1, vec![("commands[1].partition_count".to_owned(), FileProblem::NoMorePartitions(3))]);
    assert_eq!(with(&format!("{early},{early}")), twice, "of two alike the second adds none");
}

/// What a link asks for may be just what the file does, and yet there is not that partition by then.
#[test]
fn what_a_link_does_in_vain_leaves_an_equal_command_of_the_file_alone() {
    let text = r#"{"format":1,"topology":{"producers":[{"name":"shop","to":"orders"}],"topics":[{"name":"orders"}],
        "groups":[{"name":"billing","from":"orders"}]},"settings":{"partitions":3},
        "commands":[{"at":5,"do":"poison-partition","partition":2,"messages":1}]}"#;
    let (file, notices) = scenario_file::read(text);
    assert_eq!(notices, vec![]);
    let mut scenario = file.expect("it is a scenario").scenario;
    let from_link = |scenario: &Scenario, text: &str| {
        let (commands, notices) = history::read(scenario, text);
        (commands.len(), notices.into_iter().map(|notice| (notice.place, notice.problem)).collect::<Vec<_>>())
    };
    let poison = "5,poison-partition,topic=orders,partition=2,messages=1";
    assert_eq!(from_link(&scenario, poison), (1, vec![]));
    scenario.settings.partitions = 1;
    let in_vain = |place: &str| (place.to_owned(), FileProblem::NoSuchPartition(1));
    assert_eq!(from_link(&scenario, poison), (0, vec![in_vain("commands[0].partition")]));
    let two = [in_vain("commands[0].partition"), in_vain("commands[2].partition")];
    assert_eq!(from_link(&scenario, &format!("{poison}~7,burst,messages=9~{poison}")), (1, two.to_vec()));
}

#[test]
fn where_the_producer_is_paused_the_advice_is_to_end_the_pause_while_its_button_is_there() {
    let mut bench = Bench::open("p=4&c=6");
    bench.step(3);
    bench.send(Msg::BreakingOpened(true));
    bench.press(Injection::Producer);
    bench.step(5);
    let advice = |bench: &Bench| bench.view().story.advice;
    assert_eq!(advice(&bench).as_deref(), Some("The producer is paused. Press “Let the producer go on”."));
    assert_eq!(bench.button(Injection::Producer).label, "Let the producer go on");
    bench.send(Msg::BreakingOpened(false));
    bench.step(1);
    assert_eq!(
        advice(&bench).as_deref(),
        Some("Give the producer a rate above 0."),
        "the button is not on screen"
    );
    let mut never = Bench::open("p=0&c=6");
    never.send(Msg::BreakingOpened(true));
    never.step(5);
    assert_eq!(advice(&never).as_deref(), Some("Give the producer a rate above 0."), "it was never going");
}

#[test]
fn the_consumers_dial_counts_those_that_have_a_partition() {
    let mut bench = Bench::open("view=log&p=6&c=2&workers=10&t=5");
    assert_eq!(bench.view().dials[1].total.as_deref(), Some("× 1 with a partition = 2"));
    assert_eq!(
        bench.view().dials[1].spoken,
        "2 per second each, 1 of 10 have a partition, 2 per second in all"
    );
    (0..9).for_each(|_| bench.send(Msg::PartitionAdded));
    bench.step(30);
    assert_eq!(bench.view().dials[1].total.as_deref(), Some("× 10 = 20"));
    assert_eq!(Bench::open("c=2&workers=10&t=5").view().dials[1].total.as_deref(), Some("× 10 = 20"));
}

#[test]
fn a_list_that_names_poison_means_the_dial_and_the_button() {
    let bench = Bench::open("hide=poison");
    assert!(bench.view().breaking.first.iter().all(|view| view.injection != Injection::Poison));
    let mut dials = Bench::open("hide=poison");
    dials.send(Msg::MoreOpened(true));
    assert_eq!(dials.view().notices, Vec::<String>::new());
    assert!(dials.view().more.iter().all(|dial| dial.setting != Setting::PoisonShare));
    let only = Bench::open("controls=p,poison");
    assert_eq!(
        only.view().breaking.first.iter().map(|view| view.injection).collect::<Vec<_>>(),
        [Injection::Poison]
    );
}

#[test]
fn a_dead_letter_of_a_log_is_exported_with_where_it_came_from() {
    let letters = |query: &str| {
        let bench = Bench::open(query);
        let record = export::record(bench.app.run().simulation());
        let list = json::field(&record, "dead_letter_list").and_then(Json::as_list).cloned();
        let first = list.and_then(|list| list.first().cloned()).expect("there is a dead letter");
        ["group", "partition", "offset"]
            .map(|name| json::field(first.as_object().expect("an object"), name).cloned())
    };
    let log = letters("view=log&p=6&c=6&poison=10&dlq=kept&attempts=1&retry=in-place&t=40");
    assert_eq!(log[..2], [Some(Json::Text("billing".into())), Some(Json::Number("0".into()))]);
    assert!(matches!(&log[2], Some(Json::Number(_))), "{log:?}");
    assert_eq!(letters("p=6&c=6&poison=10&dlq=kept&attempts=1&t=40"), [const { Some(Json::Null) }; 3]);
}

#[test]
fn poison_far_behind_a_head_is_told_with_what_is_before_it() {
    let mut bench = Bench::open("view=log&p=20&c=2&t=10");
    bench.press(Injection::Poison);
    bench.step(1);
    let lag = bench.snapshot().network.groups[0].lag;
    assert!(lag > 100, "{lag}");
    let whereabouts = bench.view().breaking.policy.expect("there is poison").whereabouts;
    let said = seconds_after(&whereabouts, "about ");
    assert!(
        whereabouts.starts_with("The poison message in partition 0 is reached in about"),
        "{whereabouts}"
    );
    let before = bench.at();
    while !bench.snapshot().network.groups[0].partitions[0].head_fails {
        bench.step(1);
        assert!(bench.at() < Instant::from_seconds(200));
    }
    let passed = bench.at().since(before).micros() / 1_000_000;
    assert!(passed > 60 && passed.abs_diff(said) <= 5, "{passed} s, said: {whereabouts}");
}

/// The minutes and seconds that a text names after a word.
fn seconds_after(text: &str, word: &str) -> u64 {
    let rest = text.split_once(word).expect("it names a time").1.trim_end_matches('.').replace('\u{a0}', " ");
    let words: Vec<&str> = rest.split_whitespace().collect();
    let part = |pair: &[&str]| {
        let number: u64 = pair[0].parse().ok()?;
        Some(if pair[1].starts_with("min") { number * 60 } else { number })
    };
    words.windows(2).filter_map(part).sum()
}

#[test]
fn with_a_second_team_each_way_to_break_consumers_says_whose_they_are() {
    let mut bench = Bench::open("view=log&p=6&c=6&t=5");
    bench.send(Msg::BreakingOpened(true));
    let hints = |bench: &Bench| {
        let breaking = bench.view().breaking;
        let of = |text: &String| text.contains("It acts on the consumers of billing.");
        breaking
            .first
            .iter()
            .chain(&breaking.more)
            .filter(|view| of(&view.hint))
            .map(|view| view.injection)
            .collect::<Vec<_>>()
    };
    assert_eq!(hints(&bench), [], "there is one team");
    bench.send(Msg::TeamAdded);
    bench.step(2);
    assert_eq!(
        hints(&bench),
        [
            Injection::Consumer,
            Injection::Crash,
            Injection::CrashFinishing,
            Injection::Hang,
            Injection::CrashLoop,
            Injection::Restart,
            Injection::Group
        ]
    );
    bench.press(Injection::Crash);
    bench.step(1);
    let alive = |name: &str| {
        let pools = bench.snapshot().network.pools;
        pools.iter().find(|pool| pool.name == name).map(|pool| pool.members)
    };
    assert_eq!((alive("billing"), alive("audit")), (Some(0), Some(1)), "and so it does");
}
