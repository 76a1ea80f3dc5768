//! A message is picked, and its journey read: in a queue, in a log, and after looking back.

use queue_lab::app::breaking::Injection;
use queue_lab::app::dead_letters::DeadLetterAct;
use queue_lab::app::log_view::Side;
use queue_lab::app::message::{Msg, PointedAt};
use queue_lab::app::picture::{self, CanvasSize};
use queue_lab::app::view::TraceView;
use queue_lab::draw::shape::Shape;

use super::Bench;

impl Bench {
    fn trace(&mut self, number: u64) -> TraceView {
        self.send(Msg::TraceOpened(true));
        self.send(Msg::MessageEntered(number.to_string()));
        self.traced()
    }

    fn traced(&self) -> TraceView {
        self.view().trace.expect("it is open")
    }

    fn steps(&mut self, seconds: u32) {
        (0..seconds).for_each(|_| self.send(Msg::Stepped));
    }

    fn picks(&self, label: &str) -> Vec<u64> {
        let picks = self.traced().picks;
        let group = picks.into_iter().find(|group| group.label == label);
        group.map(|group| group.picks.into_iter().map(|pick| pick.number).collect()).unwrap_or_default()
    }
}

fn texts(view: &TraceView) -> Vec<String> {
    view.lines.iter().map(|line| format!("{} {}", line.time, line.text)).collect()
}

#[test]
fn a_message_that_was_done_tells_its_whole_way() {
    let mut bench = Bench::open("p=1&c=2");
    bench.steps(3);
    let view = bench.trace(2);
    assert_eq!(view.title, "Journey of message 2");
    assert_eq!(view.verdict, ["It is done."]);
    assert_eq!(
        texts(&view),
        [
            "00:02 Its producer offered it.",
            "00:02 The queue took it in.",
            "00:02 Consumer 1 started on it. It had waited 0 s.",
            "00:02.50 Its side effect happened.",
            "00:02.50 Consumer 1 was done with it.",
        ]
    );
}

#[test]
fn a_lost_message_says_by_which_rule() {
    for (overflow, why, number) in [
        ("drop-new", "The line was full, so it was dropped as it came. Nobody was told.", 6),
        ("reject", "The line was full, so it was refused. The sender was told.", 6),
        ("drop-oldest", "The line was full, so a newer message pushed it out. Nobody was told.", 2),
    ] {
        let mut bench = Bench::open(&format!("p=4&c=0&capacity=3&overflow={overflow}"));
        bench.steps(3);
        let view = bench.trace(number);
        assert_eq!(view.verdict, ["It is lost. Why?", why], "{overflow}");
        assert!(view.lines.last().is_some_and(|line| line.is_loss && line.text == why), "{view:?}");
        assert!(bench.picks("Last lost").contains(&number), "{overflow}");
    }
}

#[test]
fn the_messages_at_hand_are_those_of_the_queue_and_stand_still_while_it_runs() {
    let mut bench = Bench::open("p=8&c=2");
    bench.send(Msg::TraceOpened(true));
    bench.steps(2);
    let done: u64 = bench.app.run().snapshot().ledger.done;
    assert_eq!(bench.picks("With consumers"), [done + 1]);
    assert_eq!(bench.picks("Next in line")[..2], [done + 2, done + 3]);
    assert_eq!(bench.picks("Last done").first(), Some(&done));
    assert_eq!(bench.traced().renew, None);
    bench.send(Msg::PlayToggled);
    let then = bench.traced().picks;
    bench.play_to(6, 100.0);
    assert_eq!(bench.traced().picks, then);
    assert!(bench.traced().renew.is_some());
    bench.send(Msg::PicksRenewed);
    assert_ne!(bench.traced().picks, then);
}

#[test]
fn a_journey_follows_the_run_forwards_and_back() {
    let mut bench = Bench::open("p=2&c=1&capacity=none");
    bench.steps(4);
    bench.trace(6);
    assert_eq!(bench.traced().verdict, ["It waits for its turn."]);
    bench.steps(8);
    let done = bench.traced();
    assert_eq!(done.verdict, ["It is done."]);
    bench.send(Msg::Rewound(5));
    let past = bench.traced();
    assert_eq!(past.verdict, ["It waits for its turn."]);
    assert_eq!(past.lines[..], done.lines[..past.lines.len()], "what was, is");
    bench.send(Msg::Rewound(1));
    assert_eq!(bench.traced().verdict, ["At this time message 6 is still to come."]);
    bench.send(Msg::ReturnedToTheEnd);
    assert_eq!(bench.traced(), TraceView { picks: bench.traced().picks, ..done });
    bench.send(Msg::Rewound(5));
    bench.send(Msg::ValueEntered(queue_lab::model::settings::Setting::ConsumerRate, "0".into()));
    bench.steps(20);
    assert_eq!(bench.traced().verdict, ["It waits for its turn."], "another future");
}

#[test]
fn a_command_before_what_was_followed_makes_another_journey() {
    let mut bench = Bench::open("p=2&c=1&capacity=none");
    bench.steps(10);
    bench.trace(9);
    assert_eq!(bench.traced().verdict, ["It is done."]);
    bench.send(Msg::TraceOpened(false));
    bench.send(Msg::Rewound(3));
    bench.send(Msg::ValueEntered(queue_lab::model::settings::Setting::ConsumerRate, "0".into()));
    bench.steps(9);
    bench.send(Msg::TraceOpened(true));
    assert_eq!(bench.traced().verdict, ["It waits for its turn."], "{:?}", texts(&bench.traced()));
}

#[test]
fn a_run_that_begins_has_its_own_messages_at_hand() {
    for query in ["p=2&c=1", "view=log&p=2&c=1"] {
        let mut bench = Bench::open(query);
        bench.steps(6);
        bench.trace(400);
        let view = bench.traced();
        assert!(view.problem.is_some() && !view.picks.is_empty(), "{view:?}");
        bench.send(Msg::ShowMePressed);
        assert!(bench.app.is_playing());
        let view = bench.traced();
        assert_eq!(view.problem, None);
        let numbers = view.picks.iter().flat_map(|group| &group.picks).map(|pick| pick.number);
        let offered = bench.app.run().simulation().presented(0);
        assert!(numbers.clone().all(|number| number <= offered), "{:?}", view.picks);
    }
}

#[test]
fn the_last_lines_of_a_long_journey_are_shown_and_its_steps_are_bounded() {
    let mut bench = Bench::open("view=log&p=1&c=8");
    bench.send(Msg::Injected(Injection::Poison));
    bench.steps(1);
    bench.trace(1);
    bench.steps(900);
    let view = bench.traced();
    assert_eq!(view.lines.len(), 200);
    assert!(view.lines.last().is_some_and(|line| line.time.as_str() >= "14:00"), "{:?}", view.lines.last());
    assert_eq!(view.verdict.len(), 1, "{:?}", view.verdict);
    let (mut tracer, _) = bench.app.run().trace(0, 1).expect("it is kept");
    let log: Vec<_> = bench.app.run().simulation().command_log().copied().collect();
    while tracer.advance(&log, bench.at(), 10_000) != queue_lab::model::timeline::Progress::There {}
    assert!(tracer.steps().len() < 1_000, "{}", tracer.steps().len());
    assert_eq!(tracer.steps()[0].what, queue_lab::model::trace::What::Offered);
}

#[test]
fn a_dead_letter_of_a_log_that_was_deleted_is_lost() {
    let mut bench = Bench::open("view=log&p=1&c=4");
    bench.send(Msg::Injected(Injection::Poison));
    bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
    bench.steps(8);
    let number = bench.app.run().snapshot().network.dead_letters[0].number;
    assert_eq!(bench.trace(number).verdict, ["billing: It lies among the dead letters."]);
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::Discard));
    bench.steps(1);
    let lost = "billing: It was a dead letter, and was deleted from the topic for these.";
    assert_eq!(bench.traced().verdict, [lost], "{:?}", texts(&bench.traced()));
}

#[test]
fn a_number_that_is_none_is_refused_in_words() {
    let mut bench = Bench::open("p=2&c=1");
    let problem = |bench: &mut Bench, text: &str| {
        bench.send(Msg::TraceOpened(true));
        bench.send(Msg::MessageEntered(text.to_owned()));
        bench.traced().problem
    };
    assert_eq!(problem(&mut bench, "1").as_deref(), Some("No message was offered yet."));
    bench.steps(3);
    assert_eq!(problem(&mut bench, "7").as_deref(), Some("There is no message 7 yet. The last one was 6."));
    let typed = "Type the number of a message, such as 12.";
    assert_eq!(problem(&mut bench, "seven").as_deref(), Some(typed));
    assert_eq!(bench.view().announcement.text, typed);
    assert_eq!(problem(&mut bench, " 6 "), None);
    assert_eq!(bench.view().announcement.text, "Message 6. It waits for its turn.");
}

#[test]
fn a_dead_letter_opens_its_journey_in_its_row() {
    let mut bench = Bench::open("p=1&c=4");
    bench.send(Msg::Injected(Injection::Poison));
    bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
    bench.steps(6);
    bench.send(Msg::DeadLettersOpened(true));
    let row = |bench: &Bench| {
        let letters = bench.view().dead_letters.and_then(|view| view.panel).expect("it is open");
        letters.rows.first().cloned().expect("there is one")
    };
    let number = row(&bench).number;
    bench.send(Msg::MessagePicked(0, number));
    let history = row(&bench).history;
    assert!(history.iter().any(|line| line.ends_with("Its producer offered it.")), "{history:?}");
    let because = "It was set aside as a dead letter: its last attempt failed.";
    assert!(history.last().is_some_and(|line| line.ends_with(because)), "{history:?}");
    let tries = history.iter().filter(|line| line.contains("another try does not help")).count();
    assert!(tries >= 1, "{history:?}");
}

#[test]
fn in_a_log_each_team_has_its_own_word() {
    let mut bench = Bench::open("view=log&p=2&c=1");
    assert_eq!(bench.app.side(), Side::Log);
    bench.steps(6);
    let view = bench.trace(4);
    assert_eq!(view.verdict, ["billing: It is done."]);
    assert!(view.lines.iter().any(|line| line.text.starts_with("It was written to “orders”: partition 0")));
    assert!(!view.lines.iter().any(|line| line.text == "The queue took it in."));
    bench.send(Msg::TeamAdded);
    bench.steps(1);
    let verdict = bench.traced().verdict;
    assert_eq!(verdict.len(), 2, "{verdict:?}");
    assert!(verdict[1].starts_with("audit: "), "{verdict:?}");
    assert!(!bench.picks("Next to be read").is_empty());
}

/// What is picked at each of many points of a picture of that width.
fn picked_in(bench: &mut Bench, width: i32) -> std::collections::BTreeSet<String> {
    let mut picked = std::collections::BTreeSet::new();
    for y in (0..220).step_by(6) {
        for x in (0..width).step_by(6) {
            bench.send(Msg::PicturePointedAt(PointedAt { x, y, width, font_thousandths: 1_000 }));
            picked.insert(bench.traced().title);
        }
    }
    assert!(picked.remove(""), "there is nothing in the corner");
    picked
}

fn titles(numbers: impl IntoIterator<Item = u64>) -> std::collections::BTreeSet<String> {
    numbers.into_iter().map(|number| format!("Journey of message {number}")).collect()
}

#[test]
fn every_dot_in_the_line_and_every_consumer_can_be_pointed_at() {
    for width in [320, 924] {
        let mut bench = Bench::open("p=8&c=2&workers=2&capacity=20");
        bench.send(Msg::TraceOpened(true));
        bench.steps(3);
        let line = bench.app.run().simulation().broker().queues().next().expect("there is one");
        let waiting: Vec<u64> = line.ready().iter().map(|message| message.id.number()).collect();
        let in_hand: Vec<u64> = line.unanswered().map(|(message, _)| message.id.number()).collect();
        assert!(waiting.len() > 5 && in_hand.len() == 2);
        assert_eq!(picked_in(&mut bench, width), titles(waiting.into_iter().chain(in_hand)), "{width}");
    }
}

#[test]
fn every_cell_of_a_log_can_be_pointed_at() {
    for width in [320, 924] {
        let mut bench = Bench::open("view=log&p=2&c=1");
        bench.send(Msg::TraceOpened(true));
        bench.steps(5);
        assert_eq!(picked_in(&mut bench, width), titles(1..=10), "{width}");
    }
}

/// What the picture of that width shows.
fn shapes_in(bench: &Bench, width: f64) -> Vec<Shape> {
    let size = CanvasSize { width_css: width, height_css: 0.0, font_width: 1.0 };
    picture::scene(&bench.app, &picture::words(&bench.app, width), size).shapes
}

/// The middle of a mark.
fn middle(mark: &Shape) -> (f64, f64) {
    match mark {
        Shape::Dot { center, fill: None, .. } => (center.x, center.y),
        Shape::Path { points, .. } => {
            (f64::midpoint(points[0].x, points[2].x), f64::midpoint(points[0].y, points[2].y))
        }
        other => panic!("{other:?} is no mark"),
    }
}

#[test]
fn what_is_traced_is_marked_where_it_can_be_pointed_at_and_nowhere_else() {
    for (query, count) in
        [("p=8&c=2&workers=2&capacity=20", 20), ("view=log&p=2&c=1", 6), ("view=both&p=4&c=2", 12)]
    {
        for width in [320.0, 924.0] {
            let mut bench = Bench::open(query);
            bench.steps(3);
            let plain = shapes_in(&bench, width);
            bench.send(Msg::TraceOpened(true));
            let last = bench.app.run().simulation().presented(0);
            let mut marked = 0;
            for number in 1..=last {
                bench.send(Msg::MessagePicked(0, number));
                let shapes = shapes_in(&bench, width);
                assert_eq!(shapes[..plain.len()], plain[..], "{query}: the rest stays as it is");
                let [mark] = &shapes[plain.len()..] else { continue };
                marked += 1;
                let (x, y) = middle(mark);
                #[allow(clippy::cast_possible_truncation)]
                let at = PointedAt { x: x as i32, y: y as i32, width: width as i32, font_thousandths: 1_000 };
                bench.send(Msg::PicturePointedAt(at));
                assert_eq!(bench.traced().title, format!("Journey of message {number}"), "{query}, {width}");
            }
            assert!(marked > 2 && marked <= count, "{query}, {width}: {marked} of {last}");
            bench.send(Msg::TraceOpened(false));
            assert_eq!(
                shapes_in(&bench, width),
                plain,
                "{query}: nothing is marked once the journey is closed"
            );
        }
    }
}
