//! The lab where a log is shown: poison in a named partition, what becomes of it, and what breaks a log.

use queue_lab::app::breaking::Injection;
use queue_lab::app::dead_letters::DeadLetterAct;
use queue_lab::app::message::Msg;
use queue_lab::app::picture::{self, CanvasSize, PictureWords};
use queue_lab::draw::chart::ChartKind;
use queue_lab::draw::log::Aside;
use queue_lab::draw::log::labels::LogLabels;
use queue_lab::model::command::Command;
use queue_lab::model::partitioned_log::partitioner::{Digits, partition_of_key};
use queue_lab::model::routes::TopicIndex;
use queue_lab::model::schema::SchemaVersion;
use queue_lab::model::snapshot::network::{GroupSnapshot, LaneSnapshot};

use super::Bench;

impl Bench {
    fn group_at(&self, place: usize) -> GroupSnapshot {
        self.snapshot().network.groups[place].clone()
    }

    fn lane(&self, partition: usize) -> LaneSnapshot {
        self.group_at(0).partitions[partition]
    }

    fn labels(&self, width: f64) -> LogLabels {
        match picture::words(&self.app, width) {
            PictureWords::Log(labels) => labels,
            other => panic!("it is no log: {other:?}"),
        }
    }

    fn aside(&self) -> Aside {
        self.labels(924.0).shown.expect("there is a topic").aside
    }

    fn whereabouts(&self) -> String {
        self.view().breaking.policy.expect("there is poison").whereabouts
    }

    fn commands(&self) -> Vec<Command> {
        self.app.run().commands().iter().map(|timed| timed.command).collect()
    }
}

/// A log of so many partitions, each with a reader of its own, after ten seconds.
fn log_of(partitions: u64) -> Bench {
    let mut bench = Bench::open(&format!("view=log&p=6&c=4&workers={partitions}"));
    (1..partitions).for_each(|_| bench.send(Msg::PartitionAdded));
    bench.step(10);
    bench
}

#[test]
fn poison_goes_into_the_partition_that_was_chosen_and_holds_up_that_one_alone() {
    let mut bench = log_of(3);
    let choice = bench.view().breaking.partition.expect("there is a choice").choice;
    let names: Vec<_> = choice.options.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!((names, choice.chosen.as_str()), (vec!["Partition 0", "Partition 1", "Partition 2"], "0"));
    bench.send(Msg::PoisonPartitionChosen("1".into()));
    assert_eq!(bench.view().breaking.partition.map(|view| view.choice.chosen), Some("1".into()));
    let said = bench.press(Injection::Poison);
    assert!(said.starts_with("The next message that comes to partition 1 fails every time."), "{said}");
    assert_eq!(
        bench.commands().last(),
        Some(&Command::PoisonPartition { topic: TopicIndex(0), partition: 1, count: 1 })
    );
    assert!(bench.view().breaking.policy.is_some(), "its policy is there at once");
    bench.step(20);
    let attempts = bench.lane(1).head_attempts;
    assert!(attempts > 3 && bench.lane(1).head_fails, "{attempts}");
    assert_eq!(bench.labels(924.0).lanes[1].groups[0].attempts, attempts.to_string());
    assert!(bench.whereabouts().starts_with("Partition 1 has the poison message at its head: try number"));
    let committed = [0, 1, 2].map(|lane| bench.lane(lane).committed);
    bench.step(10);
    let later = [0, 1, 2].map(|lane| bench.lane(lane).committed);
    assert_eq!(later[1], committed[1], "it stands still");
    assert!(later[0] > committed[0] && later[2] > committed[2], "{later:?}");
    assert!(bench.lane(1).head_attempts > attempts, "its attempts climb");
}

#[test]
fn the_partition_comes_back_with_the_link() {
    let mut bench = log_of(3);
    bench.send(Msg::PoisonPartitionChosen("2".into()));
    bench.press(Injection::Poison);
    bench.step(5);
    let opened = Bench::open(&bench.app.query().expect("it has a link"));
    assert_eq!(opened.view().breaking.partition.map(|view| view.choice.chosen), Some("2".into()));
    assert_eq!(opened.hash(), bench.hash());
    bench.send(Msg::ResetPressed);
    (1..3).for_each(|_| bench.send(Msg::PartitionAdded));
    assert_eq!(bench.view().breaking.partition.map(|view| view.choice.chosen), Some("0".into()));
}

#[test]
fn with_one_partition_there_is_no_choice_and_the_message_is_sent_at_once() {
    let mut bench = Bench::open("view=log&p=8&c=4&t=10");
    assert_eq!(bench.view().breaking.partition, None);
    let said = bench.press(Injection::Poison);
    assert_eq!(
        said,
        "A message that fails every time was sent to partition 0. A consumer reaches it in about 10 seconds."
    );
    bench.step(8);
    assert!(!bench.lane(0).head_fails, "not before that");
    assert!(bench.whereabouts().contains("is reached in about"), "{}", bench.whereabouts());
    bench.step(4);
    assert!(bench.lane(0).head_fails && bench.lane(0).head_attempts > 0, "it was reached then");
    let second = bench.press(Injection::Poison);
    assert!(
        second.ends_with("Partition 0 stands still, so nobody reaches it before that goes on."),
        "{second}"
    );
}

#[test]
fn nothing_is_promised_for_a_partition_to_which_nothing_comes() {
    let mut bench = log_of(2);
    bench.press(Injection::Producer);
    let before = bench.commands().len();
    assert!(bench.press(Injection::Poison).starts_with("The producer is paused, so nothing comes"));
    assert_eq!(bench.commands().len(), before, "nothing was done");
}

#[test]
fn until_a_policy_uses_them_the_topics_for_failures_are_not_seen() {
    let mut bench = log_of(2);
    bench.send(Msg::TableOpened(true));
    bench.press(Injection::Poison);
    bench.step(20);
    let view = bench.view();
    assert_eq!(view.breaking.policy.map(|policy| policy.choice.chosen), Some("for-ever".into()));
    assert_eq!((bench.aside(), view.dead_letters), (Aside::default(), None));
    let is_silent =
        |text: &str| !text.to_lowercase().contains("retr") && !text.to_lowercase().contains("dead");
    assert!(view.table.iter().all(|row| is_silent(&row.name) && is_silent(&row.value)));
    assert!(view.balance.first().is_some_and(|line| !line.contains("dead") && !line.contains("cop")));
    assert_eq!(bench.snapshot().ledger.copies, 0);
}

#[test]
fn each_policy_lets_the_partition_go_on_in_its_own_way() {
    let stuck = || {
        let mut bench = log_of(2);
        bench.press(Injection::Poison);
        bench.step(10);
        assert!(bench.lane(0).head_fails);
        bench
    };
    let mut skipping = stuck();
    skipping.choose("skip");
    skipping.step(10);
    assert!(!skipping.lane(0).head_fails, "it is passed over");
    assert_eq!((skipping.group_at(0).counts.dead_lettered, skipping.aside()), (0, Aside::default()));

    let mut setting_aside = stuck();
    setting_aside.choose("dead-letters");
    assert!(setting_aside.aside().dead_letters, "the box appears");
    assert_eq!(setting_aside.labels(924.0).after_attempts, "after 3 attempts");
    setting_aside.step(10);
    assert!(!setting_aside.lane(0).head_fails);
    setting_aside.send(Msg::TableOpened(true));
    let table = setting_aside.view().table;
    assert!(
        table.iter().any(|row| (row.name.as_str(), row.value.as_str()) == ("Dead letters", "1")),
        "{table:?}"
    );
    for width in [924.0, 316.0] {
        assert_eq!(setting_aside.labels(width).dead_letters, ["1 dead letter", "1 dead"], "{width}");
    }

    let mut retrying = log_of(2);
    retrying.press(Injection::Poison);
    retrying.choose("retry-queue");
    assert_eq!(retrying.aside(), Aside { dead_letters: true, retries: true });
    let mut waits = || {
        retrying.send(Msg::SteppedToNextInstant);
        retrying.labels(924.0).retries[0] == "retry topic: 1 waits"
    };
    assert!((0..400).any(|_| waits()), "between its tries it waits there");
    retrying.step(10);
    assert_eq!(retrying.snapshot().dead_letters(), 1, "after three attempts");
    assert_eq!(retrying.snapshot().network.dead_letters[0].attempts, 3);
    retrying.choose("for-ever");
    assert_eq!(retrying.app.settings().attempts_max, None);
}

/// A log with so many dead letters of partition 1.
fn with_dead_letters(count: usize) -> Bench {
    let mut bench = log_of(2);
    bench.send(Msg::PoisonPartitionChosen("1".into()));
    bench.press(Injection::Poison);
    bench.choose("dead-letters");
    (1..count).for_each(|_| drop(bench.press(Injection::Poison)));
    bench.step(20);
    assert_eq!(bench.snapshot().dead_letters(), count as u64);
    bench
}

#[test]
fn dead_letters_of_a_log_are_listed_with_where_they_came_from() {
    let mut bench = with_dead_letters(2);
    let panel = bench.panel();
    assert_eq!(panel.title, "2 dead letters");
    assert_eq!(panel.heads, ["Message", "Came from", "Reason", "Attempts", "Waits here", "Journey"]);
    assert_eq!(panel.redrive, "Send 2 back to the topic at 1 a second");
    let letters = bench.snapshot().network.dead_letters;
    for (row, letter) in panel.rows.iter().zip(&letters) {
        let place = letter.place.as_ref().expect("it came from a topic");
        assert_eq!((place.group.as_str(), place.partition), ("billing", 1));
        let from = format!("billing: partition 1, offset {}", place.offset);
        assert_eq!(row.cells[..3], [from.as_str(), "its last attempt failed", "3"]);
        assert_eq!(row.history.len(), 1);
        assert!(row.history[0].contains("orders-dead-letters"), "{:?}", row.history);
    }
    assert!(panel.notes.iter().any(|note| note.starts_with("Sent back before the fix")));
}

#[test]
fn sent_back_before_the_fix_they_come_back_and_that_is_counted() {
    let mut bench = with_dead_letters(3);
    assert_eq!(bench.treat(DeadLetterAct::RedriveAll), "3 dead letters go back to the topic at once.");
    bench.step(20);
    let panel = bench.panel();
    assert_eq!((panel.rows.len(), bench.snapshot().dead_letters()), (3, 3));
    assert!(panel.notes.iter().any(|note| note.contains("came back") || note.contains("come back")));
    assert!(panel.rows.iter().all(|row| row.history.len() == 2), "{:?}", panel.rows);
    assert!(bench.treat(DeadLetterAct::DeployFix).starts_with("The fix is deployed."));
    assert_eq!(bench.treat(DeadLetterAct::Redrive), "3 dead letters go back to the topic, 1 a second.");
    assert!(bench.treat(DeadLetterAct::Redrive).contains("on their way back already"));
    bench.step(1);
    assert!(bench.panel().notes.iter().any(|note| note.contains("2 of 3 have gone back so far")));
    bench.step(20);
    assert_eq!(bench.snapshot().dead_letters(), 0, "they are done");
    assert!(bench.snapshot().ledger.balances());
    assert_eq!(
        bench.view().dead_letters.map(|letters| letters.button),
        Some("0 dead letters · Close".into())
    );
}

#[test]
fn dead_letters_are_deleted_on_request() {
    let mut bench = with_dead_letters(3);
    assert_eq!(bench.treat(DeadLetterAct::Discard), "3 dead letters were deleted from their topic.");
    bench.step(1);
    assert_eq!(bench.snapshot().dead_letters(), 0);
    assert_eq!(bench.treat(DeadLetterAct::Discard), "There is no dead letter to do that with.");
    let opened = Bench::open(&bench.app.query().expect("it has a link"));
    assert_eq!(opened.hash(), bench.hash());
}

#[test]
fn a_second_team_brings_those_who_read_its_retries() {
    let mut bench = log_of(2);
    bench.send(Msg::TeamAdded);
    bench.step(2);
    let joined: Vec<_> =
        bench.commands().into_iter().filter(|command| matches!(command, Command::Join { .. })).collect();
    assert_eq!(joined, [Command::Join { pool: 1 }, Command::Join { pool: 3 }]);
    bench.choose("retry-queue");
    bench.press(Injection::Poison);
    bench.step(40);
    let letters = bench.snapshot().network.dead_letters;
    let mut teams: Vec<_> =
        letters.iter().filter_map(|letter| letter.place.as_ref()).map(|at| &at.group).collect();
    teams.sort();
    assert_eq!(teams, ["audit", "billing"], "each gives it up for itself");
    bench.send(Msg::TeamAdded);
    assert_eq!(bench.view().breaking.said, "The second team is there already.");
}

#[test]
fn every_way_to_break_a_log_says_what_it_will_do_and_mends_what_it_broke() {
    let mut bench = log_of(3);
    bench.send(Msg::BreakingOpened(true));
    let breaking = bench.view().breaking;
    let all = || breaking.first.iter().chain(&breaking.more);
    assert_eq!(all().count(), 15);
    assert!(all().all(|view| view.hint.ends_with('.') && !view.hint.contains("break.")));
    for (injection, broken, mended) in [
        (Injection::HotKey, "Spread the keys again", "Make one key hot"),
        (Injection::Broker, "Bring the broker up", "Take the broker down"),
        (Injection::Producer, "Let the producer go on", "Pause the producer"),
        (Injection::Database, "Give the database its speed back", "Slow the database"),
    ] {
        assert_eq!(bench.button(injection).label, mended);
        bench.press(injection);
        assert_eq!(bench.button(injection).label, broken);
        bench.step(2);
        bench.press(injection);
        assert_eq!(bench.button(injection).label, mended);
    }
    assert_eq!(bench.app.settings().hot_key_share, 0);
    assert!(bench.press(Injection::CrashFinishing).ends_with("before it can commit it."));
}

#[test]
fn a_hot_key_floods_one_partition() {
    let mut bench = log_of(3);
    let hot = partition_of_key(Digits::of(0).as_bytes(), 3);
    let said = bench.press(Injection::HotKey);
    assert_eq!(said, format!("8 of 10 new messages have one key now. They all go to partition {hot}."));
    bench.step(60);
    let lags: Vec<u64> = bench.group_at(0).partitions.iter().map(|lane| lane.lag).collect();
    let hot = hot as usize;
    for (lane, lag) in lags.iter().enumerate() {
        assert_eq!(*lag > 30, lane == hot, "{lags:?}");
    }
    let story = bench.view().story.happening;
    assert!(story.starts_with(&format!("Partition {hot}")), "{story}");
}

#[test]
fn a_schema_that_nobody_can_read_stops_every_partition_until_readers_are_deployed() {
    let mut bench = log_of(2);
    bench.send(Msg::BreakingOpened(true));
    assert_eq!(
        bench.press(Injection::Schema),
        "New messages have the new schema, and the consumers cannot read it."
    );
    assert_eq!(bench.button(Injection::Schema).label, "Deploy consumers that read it");
    assert!(bench.view().breaking.policy.is_some(), "what becomes of such messages can be chosen");
    bench.step(20);
    assert!((0..2).all(|lane| bench.lane(lane).head_is_unreadable));
    assert_eq!(bench.press(Injection::Schema), "The consumers are deployed anew and read both schemas.");
    bench.step(20);
    assert!((0..2).all(|lane| !bench.lane(lane).head_fails));
    let pools = bench.snapshot().network.pools;
    assert!(pools.iter().all(|pool| pool.schema == SchemaVersion::New), "also of teams that are to come");
    assert!(bench.press(Injection::Schema).contains("every consumer reads it"));
    let mut queue = Bench::open("t=5");
    queue.press(Injection::Schema);
    queue.step(10);
    assert!(queue.snapshot().network.pools[0].unreadable > 5, "in a queue they fail too");
    assert!(queue.treat(DeadLetterAct::DeployFix).starts_with("The fix is deployed."));
    queue.step(1);
    let then = queue.snapshot().network.pools[0].unreadable;
    queue.step(10);
    assert_eq!(queue.snapshot().network.pools[0].unreadable, then, "the fix reads them");
}

#[test]
fn there_are_64_consumers_and_no_more() {
    let mut bench = Bench::open("view=log&workers=64&t=1");
    let consumer = bench.view().log_actions.expect("it is a log").consumer;
    let reason = consumer.refused.expect("there are as many as there can be");
    bench.send(Msg::ConsumerAdded);
    assert_eq!((bench.view().breaking.said, bench.app.settings().consumer_count), (reason, 64));
}

#[test]
fn each_act_leaves_one_mark_with_its_name() {
    for (injection, label) in
        [(Injection::HotKey, "hot key"), (Injection::Schema, "schema"), (Injection::Poison, "poison")]
    {
        let mut bench = Bench::open("view=log&t=10");
        bench.press(injection);
        bench.step(5);
        let size = CanvasSize { width_css: 300.0, height_css: 92.0, font_width: 1.0 };
        let marks = picture::chart(&bench.app, ChartKind::Waiting, size).marks;
        let labels: Vec<_> = marks.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(labels, [label]);
    }
}

#[test]
fn a_message_that_two_teams_gave_up_was_not_sent_back_and_has_a_row_for_each() {
    let mut bench = log_of(2);
    bench.send(Msg::TeamAdded);
    bench.step(2);
    bench.choose("dead-letters");
    bench.press(Injection::Poison);
    bench.step(8);
    let panel = bench.panel();
    let rows: Vec<_> = panel.rows.iter().map(|row| (row.number, row.copy)).collect();
    assert!(matches!(rows[..], [(one, 0), (same, 1)] if one == same), "{rows:?}");
    assert!(!panel.notes.iter().any(|note| note.contains("came back")), "{:?}", panel.notes);
    assert!(panel.rows.iter().all(|row| row.history.len() == 1), "{:?}", panel.rows);
    bench.send(Msg::MessagePicked(0, rows[0].0));
    let history = bench.panel().rows[0].history.clone();
    for team in ["billing", "audit"] {
        let failed = format!("{team}: The attempt failed");
        assert!(history.iter().any(|line| line.contains(&failed)), "{failed}: {history:?}");
    }
}

#[test]
fn a_partition_that_moves_is_not_called_stuck() {
    let mut bench = Bench::open("view=log&p=20&c=2");
    (0..7).for_each(|_| bench.send(Msg::PartitionAdded));
    (0..9).for_each(|_| bench.send(Msg::ConsumerAdded));
    bench.send(Msg::TeamAdded);
    for _ in 0..15 {
        bench.step(1);
        let lanes = bench.labels(924.0).lanes;
        let all: Vec<_> = lanes.iter().flat_map(|lane| &lane.groups).map(|own| &own.line).collect();
        assert!(!all.iter().any(|line| line.contains("stuck")), "{all:?}");
    }
}
