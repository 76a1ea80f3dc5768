//! The charts that open on request, and dead letters that go back one by one.

use queue_lab::app::breaking::Injection;
use queue_lab::app::dead_letters::DeadLetterAct;
use queue_lab::app::further_charts;
use queue_lab::app::message::Msg;
use queue_lab::app::picture::{self, CanvasSize};
use queue_lab::app::view::DeadLettersPanel;
use queue_lab::draw::chart::{ChartKind, ChartModel};
use queue_lab::model::settings::Setting;

use super::Bench;

const SIZE: CanvasSize = CanvasSize { width_css: 300.0, height_css: 90.0, font_width: 1.0 };

impl Bench {
    fn further_chart(&self, kind: ChartKind) -> ChartModel {
        picture::chart_of(&self.app, kind, SIZE)
    }

    fn second(&mut self) {
        self.send(Msg::Stepped);
    }
}

#[test]
fn throughput_is_what_comes_in_and_goes_out_each_whole_second() {
    let mut bench = Bench::open("p=8&c=6&capacity=none");
    assert!(bench.view().further_charts.is_empty(), "they open on request");
    bench.send(Msg::ChartsOpened(true));
    (0..10).for_each(|_| bench.second());
    let views = bench.view().further_charts;
    assert_eq!(views.len(), further_charts::kinds(&bench.app).len());
    assert_eq!((views[0].title.as_str(), views[0].value.as_str()), ("In and out a second", "8 in · 6 out"));
    let chart = bench.further_chart(ChartKind::Throughput);
    let last = |line: &[queue_lab::draw::chart::Vertex]| line.last().map(|vertex| vertex.value);
    assert_eq!(last(&chart.line), Some(8_000.0), "in thousandths");
    assert_eq!(chart.others.iter().map(|line| last(line)).collect::<Vec<_>>(), [Some(6_000.0)]);
    assert_eq!(chart.top_label, "8");
}

#[test]
fn a_burst_is_a_peak_of_one_second_and_a_second_that_is_forming_is_no_fall() {
    let mut bench = Bench::open("p=2&c=4&capacity=none");
    (0..5).for_each(|_| bench.second());
    bench.send(Msg::Injected(Injection::Burst));
    (0..5).for_each(|_| bench.second());
    bench.send(Msg::SteppedToNextInstant);
    let chart = bench.further_chart(ChartKind::Throughput);
    let peaks = chart.line.iter().filter(|vertex| vertex.value > 50_000.0);
    assert!((1..=2).contains(&peaks.count()), "{:?}", chart.line);
    let after: Vec<f64> = chart.line.iter().filter(|one| one.seconds > 7.0).map(|one| one.value).collect();
    assert!(after.iter().all(|value| *value == 2_000.0), "{after:?}");
}

#[test]
fn in_and_out_of_a_log_are_what_is_appended_and_what_the_first_group_does() {
    let mut bench = Bench::open("view=log&p=8&c=6");
    bench.send(Msg::ChartsOpened(true));
    (0..10).for_each(|_| bench.second());
    let views = bench.view().further_charts;
    assert_eq!((views[0].title.as_str(), views[0].value.as_str()), ("In and out a second", "8 in · 6 out"));
    let chart = bench.further_chart(ChartKind::Throughput);
    assert_eq!(chart.line.last().map(|vertex| vertex.value), Some(8_000.0));
    assert_eq!(chart.others[0].last().map(|vertex| vertex.value), Some(6_000.0));
    let data = bench.app.data();
    let mut lines = data.lines();
    let names: Vec<&str> = lines.next().expect("it has a head").split(',').collect();
    let last: Vec<&str> = lines.last().expect("it has rows").split(',').collect();
    let cell = |name: &str| last[names.iter().position(|one| *one == name).expect("it is a column")];
    assert_eq!([cell("billing_appended_records"), cell("billing_done_records")], ["8", "6"]);
}

#[test]
fn the_time_of_attempts_is_told_in_chart_caption_table_and_file_on_both_sides() {
    for side in ["queue", "log"] {
        let mut bench = Bench::open(&format!("view={side}&p=8&c=6"));
        bench.send(Msg::ChartsOpened(true));
        bench.send(Msg::TableOpened(true));
        let shown = |bench: &Bench| {
            let view = bench.view();
            let row = view.table.iter().find(|row| row.name.contains("attempts took")).expect("a row");
            let chart = view.further_charts.iter().find(|chart| chart.title.contains("p99"));
            let chart = chart.expect("a chart");
            assert_eq!(row.value, chart.value, "one number");
            (chart.value.clone(), chart.description.clone())
        };
        assert!(shown(&bench).1.contains("none ended"), "{side}");
        (0..10).for_each(|_| bench.second());
        let (value, spoken) = shown(&bench);
        assert_eq!(value, "167 ms", "{side}");
        assert!(spoken.ends_with("of 59 attempts that ended within the last minute or so, 99 of 100 took at most 167 milliseconds."), "{spoken}");
        let chart = bench.further_chart(ChartKind::HandlerTime);
        assert_eq!(chart.line.last().map(|vertex| vertex.value), Some(166_667.0));
        assert_eq!(chart.top_label, "0.2 s");
        let data = bench.app.data();
        assert!(data.lines().next().expect("a head").contains(",attempts_ended,attempt_seconds_p99"));
        assert!(data.contains(",6,0.166667"), "{data}");
    }
}

#[test]
fn a_handler_that_slows_down_is_seen_at_the_time_of_its_attempts() {
    let mut bench = Bench::open("p=1&c=4&workers=4");
    (0..20).for_each(|_| bench.second());
    bench.send(Msg::ValueEntered(Setting::ConsumerRate, "0.5".to_owned()));
    (0..20).for_each(|_| bench.second());
    let chart = bench.further_chart(ChartKind::HandlerTime);
    let at = |seconds: f64| chart.line.iter().rfind(|one| one.seconds <= seconds).map(|one| one.value);
    assert_eq!((at(18.0), at(38.0)), (Some(250_000.0), Some(2_000_000.0)));
    assert_eq!(chart.top_label, "2 s");
}

#[test]
fn nothing_one_and_a_million_are_fine() {
    let bench = Bench::open("p=0");
    for kind in [ChartKind::Throughput, ChartKind::HandlerTime, ChartKind::Repeats] {
        let chart = bench.further_chart(kind);
        assert!(chart.top > 0.0 && chart.line.iter().all(|vertex| vertex.value == 0.0), "{kind:?}");
    }
    let mut fast = Bench::open("p=100000&c=100000&workers=10&capacity=none&t=10");
    fast.second();
    let chart = fast.further_chart(ChartKind::Throughput);
    assert_eq!(chart.line.last().map(|vertex| vertex.value), Some(100_000_000.0));
}

#[test]
fn charts_side_by_side_have_the_same_time_axis() {
    for (query, seconds) in [("p=8&c=6", 40_u32), ("p=9000&c=1&capacity=none&speed=1000", 12)] {
        let mut bench = Bench::open(query);
        (0..seconds).for_each(|_| bench.second());
        let of =
            |kind| bench.further_chart(kind).ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>();
        let first = of(ChartKind::Waiting);
        assert!(!first.is_empty(), "{query}");
        for kind in [
            ChartKind::OldestAge,
            ChartKind::Lost,
            ChartKind::Throughput,
            ChartKind::HandlerTime,
            ChartKind::Repeats,
        ] {
            assert_eq!(of(kind), first, "{query}: {kind:?}");
        }
    }
}

#[test]
fn what_the_dead_letters_took_the_place_of_is_among_the_further_charts() {
    let mut bench = Bench::open("p=1&c=4");
    assert!(!further_charts::kinds(&bench.app).contains(&ChartKind::Lost));
    bench.send(Msg::Injected(Injection::Poison));
    bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
    (0..6).for_each(|_| bench.second());
    assert!(further_charts::kinds(&bench.app).contains(&ChartKind::Lost));
    bench.send(Msg::ChartsOpened(true));
    assert_eq!(bench.view().further_charts.len(), 4);
}

#[test]
fn ticked_dead_letters_go_back_and_the_others_stay() {
    let mut bench = Bench::open("p=1&c=10");
    bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
    for _ in 0..3 {
        bench.send(Msg::Injected(Injection::Poison));
        (0..6).for_each(|_| bench.second());
    }
    bench.send(Msg::DeadLettersOpened(true));
    let panel = |bench: &Bench| bench.view().dead_letters.and_then(|view| view.panel).expect("it is open");
    let numbers = |bench: &Bench| panel(bench).rows.iter().map(|row| row.number).collect::<Vec<_>>();
    let all = numbers(&bench);
    assert_eq!(all.len(), 3);
    assert!(idle(&bench).is_some(), "the button is there, and says what it waits for");
    bench.send(Msg::DeadLetterTicked(0, all[0], true));
    bench.send(Msg::DeadLetterTicked(0, all[1], true));
    bench.send(Msg::DeadLetterTicked(0, all[0], false));
    bench.send(Msg::DeadLetterTicked(0, all[2], true));
    let ticked: Vec<bool> = panel(&bench).rows.iter().map(|row| row.is_ticked).collect();
    assert_eq!(ticked, [false, true, true]);
    let button = panel(&bench).redrive_chosen.expect("some can be chosen");
    assert_eq!((button.text.as_str(), button.idle), ("Redrive 2 selected at 1 a second", None));
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::DeployFix));
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::RedriveChosen));
    assert_eq!(bench.view().breaking.said, "2 dead letters go back to the queue, 1 a second.");
    assert_eq!(numbers(&bench), [all[0], all[2]], "the first goes at once");
    (0..3).for_each(|_| bench.second());
    assert_eq!(numbers(&bench), [all[0]]);
    assert!(idle(&bench).is_some(), "nothing is ticked any more");
    let link = bench.app.run().commands();
    let copy = Bench::open("p=1&c=10");
    assert!(copy.app.run().commands().len() < link.len(), "each press is a command of the run");
}

/// Two dead letters of an open list, with their numbers.
fn two_letters() -> (Bench, Vec<u64>) {
    let mut bench = Bench::open("p=1&c=10");
    bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
    for _ in 0..2 {
        bench.send(Msg::Injected(Injection::Poison));
        (0..6).for_each(|_| bench.second());
    }
    bench.send(Msg::DeadLettersOpened(true));
    let numbers = letters(&bench).rows.iter().map(|row| row.number).collect();
    (bench, numbers)
}

fn letters(bench: &Bench) -> DeadLettersPanel {
    bench.view().dead_letters.and_then(|view| view.panel).expect("it is open")
}

/// Why the button for those that are ticked does nothing.
fn idle(bench: &Bench) -> Option<String> {
    letters(bench).redrive_chosen.expect("some can be chosen").idle
}

#[test]
fn ticks_outlast_a_refusal_and_no_run() {
    let (mut bench, numbers) = two_letters();
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::Redrive));
    bench.send(Msg::DeadLetterTicked(0, numbers[1], true));
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::RedriveChosen));
    assert!(bench.view().breaking.said.contains("already"), "{}", bench.view().breaking.said);
    assert_eq!(idle(&bench), None, "the tick is still there");
    bench.send(Msg::ResetPressed);
    bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
    for _ in 0..2 {
        bench.send(Msg::Injected(Injection::Poison));
        (0..6).for_each(|_| bench.second());
    }
    assert!(letters(&bench).rows.iter().any(|row| row.number == numbers[1]), "the same message again");
    assert!(idle(&bench).is_some(), "and it is not ticked");
}

#[test]
fn once_the_last_chosen_letter_has_gone_back_others_may_go() {
    let (mut bench, numbers) = two_letters();
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::DeployFix));
    bench.send(Msg::DeadLetterTicked(0, numbers[0], true));
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::RedriveChosen));
    assert!(letters(&bench).notes.iter().all(|note| !note.contains("1 of 1")), "{:?}", letters(&bench).notes);
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::RedriveAll));
    assert!(letters(&bench).rows.is_empty(), "{}", bench.view().breaking.said);
}

#[test]
fn the_fix_is_deployed_once_everybody_reads_the_new_schema_too() {
    let mut bench = Bench::open("p=1&c=10");
    bench.send(Msg::PolicyChosen("dead-letters".to_owned()));
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::DeployFix));
    bench.send(Msg::Injected(Injection::Schema));
    (0..10).for_each(|_| bench.second());
    bench.send(Msg::DeadLettersOpened(true));
    let open = letters(&bench);
    assert!(!open.rows.is_empty(), "what nobody can read dies");
    assert_ne!(open.fix, "The fix is deployed");
    bench.send(Msg::DeadLettersTreated(DeadLetterAct::DeployFix));
    assert_eq!(letters(&bench).fix, "The fix is deployed");
    assert_ne!(letters(&bench).notes, open.notes);
}
