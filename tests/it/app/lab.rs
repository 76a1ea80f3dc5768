//! What the buttons that break things do, and what the page says and shows of it.

use queue_lab::app::breaking::Injection;
use queue_lab::app::dead_letters::DeadLetterAct;
use queue_lab::app::message::Msg;
use queue_lab::app::picture::{self, CanvasSize, PictureWords};
use queue_lab::app::view::{BreakView, DeadLettersPanel};
use queue_lab::draw::chart::ChartKind;
use queue_lab::model::command::Command;
use queue_lab::model::rate::Rate;
use queue_lab::model::settings::{DeadLetters, Value};
use queue_lab::model::snapshot::Snapshot;
use queue_lab::model::snapshot::{BrokerState, ConsumerHealth};

use super::Bench;

impl Bench {
    pub(super) fn press(&mut self, injection: Injection) -> String {
        self.send(Msg::Injected(injection));
        let view = self.view();
        assert_eq!(view.announcement.text, view.breaking.said, "it is said aloud and stands there");
        view.breaking.said
    }

    pub(super) fn choose(&mut self, policy: &str) {
        self.send(Msg::PolicyChosen(policy.to_owned()));
    }

    pub(super) fn treat(&mut self, act: DeadLetterAct) -> String {
        self.send(Msg::DeadLettersTreated(act));
        self.view().breaking.said
    }

    pub(super) fn step(&mut self, seconds: u32) {
        (0..seconds).for_each(|_| self.send(Msg::Stepped));
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.app.run().snapshot().as_ref().clone()
    }

    pub(super) fn button(&self, injection: Injection) -> BreakView {
        let breaking = self.view().breaking;
        let mut all = breaking.first.into_iter().chain(breaking.more);
        all.find(|view| view.injection == injection).expect("its button is there")
    }

    pub(super) fn panel(&mut self) -> DeadLettersPanel {
        self.send(Msg::DeadLettersOpened(true));
        self.view().dead_letters.and_then(|letters| letters.panel).expect("it is open")
    }
}

#[test]
fn the_first_screen_has_four_ways_to_break_it_and_each_says_what_it_will_do() {
    let mut bench = Bench::open("");
    let labels =
        |bench: &Bench| bench.view().breaking.first.into_iter().map(|view| view.label).collect::<Vec<_>>();
    assert_eq!(labels(&bench), ["Poison message", "Stop a consumer", "Burst of 50", "Slow the database"]);
    assert!(bench.view().breaking.more.is_empty() && bench.view().breaking.policy.is_none());
    assert!(bench.view().dead_letters.is_none());
    bench.send(Msg::BreakingOpened(true));
    let breaking = bench.view().breaking;
    let all = || breaking.first.iter().chain(&breaking.more);
    assert_eq!(all().count(), 13);
    assert!(all().all(|view| view.hint.ends_with('.') && !view.hint.contains("break.")));
}

#[test]
fn a_button_that_broke_something_mends_it_and_its_face_follows_from_the_run() {
    let mut bench = Bench::open("t=5");
    bench.send(Msg::BreakingOpened(true));
    for (injection, broken, mended) in [
        (Injection::Consumer, "Start the consumer again", "Stop a consumer"),
        (Injection::Database, "Give the database its speed back", "Slow the database"),
        (Injection::Broker, "Bring the broker up", "Take the broker down"),
        (Injection::Producer, "Let the producer go on", "Pause the producer"),
    ] {
        assert_eq!(bench.button(injection).label, mended);
        bench.press(injection);
        assert_eq!(bench.button(injection).label, broken);
        bench.step(2);
        assert_eq!(bench.button(injection).label, broken, "it stays broken");
        bench.press(injection);
        assert_eq!(bench.button(injection).label, mended);
        bench.step(1);
    }
    assert_eq!(bench.app.settings().producer_rate, Rate::from_per_second(6), "as it was before");
    assert_eq!(bench.app.settings().downstream_rate, None);
    assert_eq!(bench.snapshot().broker.state, BrokerState::Up);
    bench.send(Msg::ResetPressed);
    assert_eq!(bench.view().breaking.said, "");
}

#[test]
fn of_several_consumers_one_leaves_and_one_more_can_come() {
    let mut bench = Bench::open("workers=3&c=2&t=5");
    assert_eq!(bench.press(Injection::Consumer), "One consumer finishes what it has and leaves. 2 stay.");
    bench.step(2);
    assert_eq!(bench.snapshot().consumers.each.len(), 2);
    assert_eq!(bench.press(Injection::AddConsumer), "There are 3 consumers now.");
    assert_eq!(bench.app.settings().consumer_count, 3);
}

#[test]
fn consumers_crash_hang_and_are_started_again() {
    let mut bench = Bench::open("workers=2&c=3&t=5");
    assert_eq!(bench.press(Injection::Restart), "No consumer is down, so there is nothing to start again.");
    assert_eq!(bench.press(Injection::Crash), "Consumer 1 has crashed.");
    assert_eq!(bench.press(Injection::Hang), "Consumer 2 hangs: it is alive and finishes nothing.");
    let health =
        |bench: &Bench| bench.snapshot().consumers.each.iter().map(|one| one.health).collect::<Vec<_>>();
    assert_eq!(health(&bench), [ConsumerHealth::Crashed, ConsumerHealth::Hung]);
    let refused = bench.press(Injection::CrashLoop);
    assert_eq!(refused, "No consumer is up that this could happen to. Start one again first.");
    assert_eq!(bench.press(Injection::Restart), "2 consumers are started again.");
    bench.step(1);
    assert_eq!(health(&bench), [ConsumerHealth::Up; 2]);
    assert!(bench.press(Injection::CrashLoop).contains("will crash at every start"));
    assert!(bench.press(Injection::CrashFinishing).contains("before it can say so"));
    bench.step(2);
    assert!(health(&bench).iter().all(|one| *one != ConsumerHealth::Up), "{:?}", health(&bench));
}

#[test]
fn a_slow_database_answers_half_of_what_the_consumers_ask() {
    let mut bench = Bench::open("t=10");
    let said = bench.press(Injection::Database);
    assert_eq!(said, "The database now answers 3 calls a second, whoever asks.");
    bench.step(20);
    let snapshot = bench.snapshot();
    assert!(snapshot.queue.waiting > 50, "{} wait", snapshot.queue.waiting);
    let story = bench.view().story;
    assert!(
        story.happening.starts_with("The consumers could finish 6 a second, but the database"),
        "{story:?}"
    );
    let PictureWords::Queue(words) = picture::words(&bench.app, 900.0) else { panic!("it is a queue") };
    assert_eq!(words.database, "database 3/s");
}

#[test]
fn poison_is_reached_when_it_is_said_to_be() {
    let mut bench = Bench::open("p=8&c=6&t=21");
    assert_eq!(
        bench.press(Injection::Poison),
        "A message that fails every time was sent. A consumer reaches it in 7 seconds."
    );
    let poison = bench.snapshot().failures.in_line;
    assert_eq!(poison.iter().map(|one| (one.place, one.attempts)).collect::<Vec<_>>(), [(42, 0)]);
    let due = poison[0].starts_in.expect("it can be told");
    let policy = bench.view().breaking.policy.expect("there is poison");
    assert_eq!(policy.whereabouts, "A consumer reaches the poison message in 7 seconds.");
    let begun = bench.at() + due;
    while bench.at() < begun {
        let is_in_hand =
            bench.snapshot().consumers.each.iter().any(|one| one.work.is_some_and(|work| work.is_poison));
        assert!(!is_in_hand, "at {}, and not before {begun}", bench.at());
        bench.send(Msg::SteppedToNextInstant);
    }
    let work = bench.snapshot().consumers.each[0].work.expect("it is at work");
    assert_eq!((bench.at(), work.is_poison, work.attempt), (begun, true, 1));
}

#[test]
fn poison_is_tried_for_ever_until_a_policy_is_chosen() {
    let mut bench = Bench::open("workers=3&c=2&p=5&t=10");
    let sent = "A message that fails every time was sent. A consumer";
    assert!(bench.press(Injection::Poison).starts_with(sent));
    bench.step(10);
    let policy = bench.view().breaking.policy.expect("there is poison");
    assert_eq!(policy.choice.chosen, "for-ever");
    assert!(policy.whereabouts.contains("try number 20"), "{}", policy.whereabouts);
    let story = bench.view().story.happening;
    assert!(story.starts_with("A message that fails every time keeps 1 of 3 consumers busy."), "{story}");
    assert!(bench.view().dead_letters.is_none() && !bench.snapshot().failures.has_dead_letter_box());
    bench.choose("dead-letters");
    assert_eq!(bench.app.settings().dead_letters, DeadLetters::Kept);
    bench.step(1);
    assert_eq!(bench.snapshot().ledger.dead_letters, 1, "it is the visible fix");
    assert_eq!(bench.view().dead_letters.map(|letters| letters.button), Some("1 dead letter · Open".into()));
    bench.press(Injection::Poison);
    bench.choose("skip");
    bench.step(5);
    let ledger = bench.snapshot().ledger;
    assert_eq!((ledger.dead_letters, ledger.discarded), (1, 1));
    bench.choose("retry-queue");
    bench.press(Injection::Poison);
    let mut waits_elsewhere = || {
        bench.send(Msg::SteppedToNextInstant);
        bench.snapshot().ledger.delayed == 1
    };
    assert!((0..200).any(|_| waits_elsewhere()), "between attempts it waits in another queue");
    assert_eq!(bench.view().breaking.policy.map(|policy| policy.choice.chosen), Some("retry-queue".into()));
    bench.step(9);
    assert_eq!(bench.snapshot().ledger.dead_letters, 2);
    bench.choose("for-ever");
    assert_eq!(bench.app.settings().attempts_max, None);
}

#[test]
fn where_the_wait_cannot_be_told_no_number_is_invented() {
    let mut bench = Bench::open("p=8&c=6&capacity=20&t=20");
    assert!(bench.press(Injection::Poison).ends_with("The queue is full, so it may not get in."));
    let mut behind = Bench::open("p=8&c=6&fail=20&t=10");
    let said = behind.press(Injection::Poison);
    let place = behind.snapshot().failures.in_line[0];
    assert!(place.starts_in.is_none() && said.ends_with("others wait before it."), "{said} {place:?}");
    let mut idle = Bench::open("p=0&t=1");
    assert!(idle.press(Injection::Poison).ends_with("A consumer takes it at once."));
    let mut fixed = Bench::open("t=5");
    fixed.treat(DeadLetterAct::DeployFix);
    let before = fixed.snapshot().ledger.offered;
    assert!(fixed.press(Injection::Poison).starts_with("The fix is deployed"));
    assert_eq!(fixed.snapshot().ledger.offered, before, "nothing was sent");
}

/// Two dead letters after three attempts each.
fn with_dead_letters() -> Bench {
    let mut bench = Bench::open("workers=3&c=2&p=5&dlq=kept&attempts=3&t=5");
    bench.press(Injection::Poison);
    bench.press(Injection::Poison);
    bench.step(3);
    assert_eq!(bench.snapshot().ledger.dead_letters, 2);
    bench
}

#[test]
fn dead_letters_are_listed_with_reason_attempts_age_and_history() {
    let mut bench = with_dead_letters();
    let panel = bench.panel();
    assert_eq!((panel.title.as_str(), panel.redrive.as_str()), ("2 dead letters", "Redrive 2 at 1 a second"));
    assert_eq!(panel.heads, ["Message", "Reason", "Attempts", "Waits here", "Journey"]);
    let numbers: Vec<_> = bench.snapshot().network.dead_letters.iter().map(|letter| letter.number).collect();
    assert_eq!(panel.rows.iter().map(|row| row.number).collect::<Vec<_>>(), numbers);
    for row in &panel.rows {
        assert_eq!((row.cells[0].as_str(), row.cells[1].as_str()), ("its last attempt failed", "3"));
        assert!(row.history[0].contains("queue “queue”: its last attempt failed, once so far"), "{row:?}");
    }
    let keyed = Bench::open("workers=3&c=2&p=5&dlq=kept&attempts=1&poison=100&keys=7&t=5").panel();
    assert_eq!(keyed.heads.get(1).map(String::as_str), Some("Key"));
    assert!(keyed.rows.iter().all(|row| row.cells.len() == 4 && row.cells[0].parse::<u64>().is_ok()));
    assert!(keyed.notes.iter().any(|note| note.starts_with("Listed are the first 20 of ")));
}

#[test]
fn that_a_full_queue_takes_nothing_back_is_said() {
    let mut bench = Bench::open("p=8&c=2&workers=3&dlq=kept&attempts=3&poison=10&t=40");
    bench.panel();
    bench.treat(DeadLetterAct::DeployFix);
    bench.treat(DeadLetterAct::Redrive);
    let no_room = String::from("The queue is full, so none can go back before it has room.");
    bench.step(5);
    let notes = bench.panel().notes;
    assert!(
        notes.iter().any(|note| note.starts_with("0 of 23 have")) && notes.contains(&no_room),
        "{notes:?}"
    );
    let mut roomy = with_dead_letters();
    roomy.treat(DeadLetterAct::Redrive);
    let notes = roomy.panel().notes;
    assert!(notes[0].contains("have gone back so far") && !notes.contains(&no_room), "{notes:?}");
}

#[test]
fn redriven_before_the_fix_they_come_back_and_after_it_they_are_done() {
    let mut bench = with_dead_letters();
    bench.panel();
    let said = bench.treat(DeadLetterAct::Redrive);
    assert_eq!(said, "2 dead letters go back to the queue, 1 a second.");
    assert_eq!(bench.treat(DeadLetterAct::Redrive), "Dead letters are on their way back already.");
    bench.step(5);
    assert_eq!((bench.snapshot().ledger.dead_letters, bench.snapshot().network.totals.redriven), (2, 2));
    let panel = bench.panel();
    assert!(panel.notes.contains(&"2 of these came back after they had been sent back.".into()), "{panel:?}");
    assert_eq!(panel.rows[0].cells[1], "6", "three attempts and three more");
    bench.treat(DeadLetterAct::DeployFix);
    assert_eq!(bench.panel().fix, "The fix is deployed");
    assert_eq!(bench.treat(DeadLetterAct::DeployFix), "The fix is deployed already.");
    bench.treat(DeadLetterAct::RedriveAll);
    bench.step(5);
    let ledger = bench.snapshot().ledger;
    assert_eq!((ledger.dead_letters, ledger.offered), (0, ledger.accounted()));
    assert_eq!(
        bench.view().dead_letters.map(|letters| letters.button),
        Some("0 dead letters · Close".into())
    );
    assert_eq!(bench.treat(DeadLetterAct::Discard), "There is no dead letter to do that with.");
}

#[test]
fn dead_letters_can_be_thrown_away() {
    let mut bench = with_dead_letters();
    assert_eq!(bench.treat(DeadLetterAct::Discard), "2 dead letters were thrown away.");
    let ledger = bench.snapshot().ledger;
    assert_eq!((ledger.dead_letters, ledger.discarded), (0, 2));
}

#[test]
fn the_third_chart_is_that_of_dead_letters_once_there_was_one() {
    let size = CanvasSize { width_css: 300.0, height_css: 92.0, font_width: 1.0 };
    let third = |bench: &Bench| {
        let chart = picture::chart(&bench.app, ChartKind::Lost, size);
        let caption = bench.view().charts.get(2).map(|chart| (chart.title.clone(), chart.value.clone()));
        (chart.kind, caption.expect("there are three"), chart.line.last().map(|corner| corner.value))
    };
    let plain = Bench::open("p=8&c=6&t=40");
    assert_eq!((third(&plain).0, third(&plain).1.0.as_str()), (ChartKind::Lost, "Refused or dropped"));
    let mut bench = with_dead_letters();
    assert_eq!(third(&bench), (ChartKind::DeadLetters, ("Dead letters".into(), "2".into()), Some(2.0)));
    bench.treat(DeadLetterAct::Discard);
    bench.step(3);
    let chart = picture::chart(&bench.app, ChartKind::Lost, size);
    assert_eq!(chart.line.last().map(|corner| corner.value), Some(0.0));
    assert!(chart.line.iter().any(|corner| corner.value >= 2.0), "the past stays: {:?}", chart.line);
}

#[test]
fn every_press_leaves_one_mark_with_its_name() {
    let mut bench = Bench::open("t=5");
    let size = CanvasSize { width_css: 900.0, height_css: 92.0, font_width: 1.0 };
    let mut expected = 0;
    bench.send(Msg::BreakingOpened(true));
    for (injection, name) in [
        (Injection::Poison, "poison"),
        (Injection::Burst, "+50"),
        (Injection::Database, "database"),
        (Injection::Crash, "crash"),
        (Injection::Restart, "restart"),
        (Injection::Broker, "broker down"),
        (Injection::Broker, "broker up"),
        (Injection::Consumer, "stopped"),
        (Injection::Consumer, "started"),
    ] {
        bench.step(2);
        bench.press(injection);
        expected += 1;
        let marks = picture::chart(&bench.app, ChartKind::Waiting, size).marks;
        assert_eq!(marks.len(), expected, "{name}");
        assert_eq!(marks.last().map(|mark| mark.label.as_str()), Some(name));
    }
    bench.step(1);
    bench.choose("dead-letters");
    let marks = picture::chart(&bench.app, ChartKind::Waiting, size).marks;
    assert_eq!((marks.len(), marks.last().map(|mark| mark.label.as_str())), (expected + 1, Some("policy")));
    let sets = bench.app.run().commands();
    let is_set =
        |command: &Command| matches!(command, Command::Set { value: Value::Choice(_) | Value::Count(_), .. });
    assert!(sets.iter().filter(|timed| is_set(&timed.command)).count() >= 2, "a policy is several dials");
}

#[test]
fn the_ledger_in_a_line_adds_up_whatever_happens() {
    let mut bench = Bench::open("p=20&c=2&workers=3&capacity=10&dlq=kept&attempts=2&fail=20&ttl=4");
    bench.send(Msg::TableOpened(true));
    let mut seen = Vec::new();
    for injection in
        [Injection::Poison, Injection::Crash, Injection::Broker, Injection::Broker, Injection::Burst]
    {
        bench.step(5);
        let line = bench.view().balance.first().cloned().expect("the table is open");
        let (left, right) = line.split_once(" = ").expect("two sides");
        let sum = |side: &str| -> u64 {
            side.split(" + ")
                .map(|term| term.split(' ').next().unwrap_or_default().replace(',', ""))
                .map(|number| number.parse::<u64>().expect("a number"))
                .sum()
        };
        assert_eq!(sum(left), sum(right), "{line}");
        assert_eq!(sum(left), bench.snapshot().ledger.offered);
        seen.push(line);
        bench.press(injection);
    }
    let all = seen.join(" ");
    for term in ["waiting", "in flight", "done", "dropped", "dead letter", "held back", "others"] {
        assert!(all.contains(term), "{term}: {all}");
    }
}
