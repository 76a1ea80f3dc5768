//! A queue and a log side by side, to which the same messages go.

use queue_lab::app::breaking::Injection;
use queue_lab::app::dead_letters::DeadLetterAct;
use queue_lab::app::log_view::Side;
use queue_lab::app::message::Msg;
use queue_lab::app::picture::{self, PictureWords};
use queue_lab::draw::both::{BESIDE_FROM, BothLabels, width_of_side};
use queue_lab::draw::chart::ChartKind;
use queue_lab::model::settings::{Setting, Value};

use super::Bench;

impl Bench {
    fn both(&self, width: f64) -> BothLabels {
        match picture::words(&self.app, width) {
            PictureWords::Both(labels) => *labels,
            other => panic!("it is not both: {other:?}"),
        }
    }

    fn queue_and_lag(&self) -> (u64, u64) {
        let snapshot = self.snapshot();
        (snapshot.queue.waiting, snapshot.network.groups[0].lag)
    }
}

#[test]
fn the_same_messages_go_to_both_and_the_dials_move_both() {
    let mut bench = Bench::open("view=both&p=8&c=6&capacity=none");
    assert_eq!(bench.app.side(), Side::Both);
    bench.step(30);
    // 8 in and 6 out: one is in flight on each side, which lag counts and depth does not.
    assert_eq!(bench.queue_and_lag(), (60, 61));
    bench.send(Msg::ValueEntered(Setting::ConsumerRate, "20".to_owned()));
    bench.step(10);
    let (waiting, lag) = bench.queue_and_lag();
    assert!(waiting <= 1 && lag <= 2, "{waiting} wait, lag {lag}");
    let view = bench.view();
    assert_eq!(view.dials.len(), 2, "one dial for the producers of both and one for the consumers");
    let titles: Vec<_> = view.charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles, ["Waiting (queue depth)", "Lag, by partition", "Refused or dropped"]);
    assert_eq!(view.charts[0].value, waiting.to_string());
}

#[test]
fn what_is_drawn_in_a_chart_is_what_stands_above_it() {
    let mut bench = Bench::open("view=both&p=8&c=6&capacity=none");
    bench.step(31);
    let size = picture::CanvasSize { width_css: 300.0, height_css: 92.0, font_width: 1.0 };
    let last = |kind| picture::chart(&bench.app, kind, size).line.last().map(|vertex| vertex.value);
    let (waiting, lag) = bench.queue_and_lag();
    assert_eq!(last(ChartKind::Waiting), Some(waiting as f64));
    assert_eq!(last(ChartKind::OldestAge), Some(lag as f64));
}

#[test]
fn a_second_team_gets_half_of_the_queue_and_all_of_the_log() {
    let mut bench = Bench::open("view=both&p=6&c=6");
    bench.step(10);
    bench.send(Msg::TeamAdded);
    bench.step(60);
    let snapshot = bench.snapshot();
    let half = |pool: usize| snapshot.network.pools[pool].finished;
    assert!(half(1).abs_diff(180) <= 2, "{} of 360", half(1));
    assert!(half(0).abs_diff(60 + 180) <= 2, "{} of 360", half(0));
    let all = snapshot.network.groups[1].counts.done;
    assert!(all.abs_diff(360) <= 6, "{all} of 360");
    let words = bench.both(924.0);
    assert_eq!(words.queue.done, format!("done {} + {}", half(0), half(1)));
    assert_eq!(words.queue.consumers, "2 consumers");
    assert_eq!(snapshot.consumers.of_queue().len(), 2);
    let happening = bench.view().story.happening;
    assert!(happening.contains("one team only"), "{happening}");
    // It has come: another one cannot.
    assert!(bench.view().log_actions.expect("it is a log").team.expect("there is one").refused.is_some());
}

#[test]
fn poison_holds_up_the_partition_and_a_consumer_and_comes_back_on_both_sides() {
    let mut bench = Bench::open("view=both&p=6&c=4&workers=3");
    bench.step(5);
    bench.send(Msg::Injected(Injection::Poison));
    bench.step(20);
    let snapshot = bench.snapshot();
    let held = snapshot.consumers.each.iter().filter(|one| one.work.is_some_and(|work| work.is_poison));
    assert_eq!(held.count(), 1, "of three consumers of the queue one has it");
    assert!(snapshot.queue.waiting < 5, "the two others keep up: {}", snapshot.queue.waiting);
    assert!(snapshot.network.groups[0].lag > 90, "the only partition stands");
    assert_eq!(snapshot.failures.poisoned, 1, "it is one and the same message");
    bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
    bench.step(10);
    let snapshot = bench.snapshot();
    assert_eq!((snapshot.failures.dead_letters, snapshot.dead_letters()), (1, 2));
    bench.send(Msg::DeadLettersOpened(true));
    let panel = bench.view().dead_letters.and_then(|letters| letters.panel).expect("it is open");
    assert_eq!(panel.rows.len(), 2);
    let columns = panel.heads.len() - 2;
    assert!(
        panel.rows.iter().all(|row| row.cells.len() == columns),
        "{:?} under {:?}",
        panel.rows,
        panel.heads
    );
    assert_eq!(
        panel.rows.iter().filter(|row| row.tick_label.is_some()).count(),
        1,
        "a topic is read in order"
    );
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::DeployFix));
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::RedriveAll));
    bench.step(60);
    assert_eq!(bench.snapshot().dead_letters(), 0, "{}", bench.view().breaking.said);
}

#[test]
fn what_is_broken_is_broken_on_both_sides() {
    let mut bench = Bench::open("view=both&p=6&c=6");
    bench.step(5);
    bench.send(Msg::Injected(Injection::Consumer));
    bench.step(10);
    let (waiting, lag) = bench.queue_and_lag();
    assert!(waiting >= 55 && lag >= 55, "{waiting} wait, lag {lag}");
    bench.send(Msg::Injected(Injection::Consumer));
    bench.send(Msg::Injected(Injection::Crash));
    let healths: Vec<_> = bench.snapshot().network.pools.iter().map(|pool| pool.members).collect();
    assert_eq!((healths[0], healths[2]), (0, 0), "{healths:?}");
    bench.send(Msg::Injected(Injection::Restart));
    bench.step(5);
    let healths: Vec<_> = bench.snapshot().network.pools.iter().map(|pool| pool.members).collect();
    assert_eq!((healths[0], healths[2]), (1, 1), "{healths:?}");
    let before = bench.snapshot().network.producers.iter().map(|one| one.offered).collect::<Vec<_>>();
    bench.send(Msg::Injected(Injection::Burst));
    bench.step(1);
    let after = bench.snapshot().network.producers.iter().map(|one| one.offered).collect::<Vec<_>>();
    assert_eq!((after[0] - before[0], after[1] - before[1]), (56, 56));
}

#[test]
fn a_hot_key_on_both_sides_can_be_taken_back_by_its_button() {
    let mut bench = Bench::open("view=both&p=6&c=6");
    bench.send(Msg::BreakingOpened(true));
    let label = |bench: &Bench| {
        let more = bench.view().breaking.more;
        more.into_iter().find(|one| one.injection == Injection::HotKey).expect("it is there").label
    };
    let before = label(&bench);
    bench.send(Msg::Injected(Injection::HotKey));
    assert_ne!(label(&bench), before);
    bench.send(Msg::Injected(Injection::HotKey));
    assert_eq!(label(&bench), before);
}

#[test]
fn the_link_of_both_restores_the_run() {
    let mut bench = Bench::open("view=both&p=7");
    bench.step(10);
    bench.send(Msg::TeamAdded);
    bench.send(Msg::Injected(Injection::Poison));
    bench.step(10);
    let query = bench.app.query().expect("it is short");
    assert!(query.contains("view=both"), "{query}");
    let mut other = Bench::open(&query);
    other.step(0);
    while other.app.needs_frames() {
        other.step(0);
    }
    let hash = |bench: &Bench| bench.app.run().simulation().state_hash();
    assert_eq!(hash(&bench), hash(&other));
    assert_eq!(other.app.side(), Side::Both);
}

#[test]
fn the_sides_lie_beside_each_other_where_there_is_room_and_below_each_other_else() {
    let bench = Bench::open("view=both");
    let height = |width: f64| picture::height(&bench.app, &picture::words(&bench.app, width), width);
    let wide = height(BESIDE_FROM);
    assert!(wide + 60.0 < height(BESIDE_FROM - 1.0), "{wide}");
    assert!(2.0 * width_of_side(BESIDE_FROM) < BESIDE_FROM);
    let words = bench.both(320.0);
    assert_eq!((words.queue_title.as_str(), words.log_title.as_str()), ("Queue", "Log"));
}

#[test]
fn a_message_is_picked_on_either_side() {
    let mut bench = Bench::open("view=both&p=20&c=1&capacity=none");
    bench.step(10);
    bench.send(Msg::TraceOpened(true));
    let picks = bench.view().trace.expect("it is open").picks;
    let of = |producer: usize| {
        picks.iter().flat_map(|group| &group.picks).filter(move |one| one.producer == producer)
    };
    assert!(of(0).count() > 0 && of(1).count() > 0, "{picks:?}");
    let settings = bench.app.settings();
    assert_eq!(settings.get(Setting::AttemptsMax), Value::Choice("none"));
}
