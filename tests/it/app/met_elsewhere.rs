//! What users of other simulators met, on the same input: `doc/faults-met-elsewhere.md` has the list.

use queue_lab::app::breaking::Injection;
use queue_lab::app::message::Msg;
use queue_lab::app::picture::{self, CanvasSize};
use queue_lab::draw::chart::ChartKind;
use queue_lab::lesson::scenario_file;
use queue_lab::model::ledger::Ledger;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};

use super::Bench;

fn ledger(bench: &Bench) -> Ledger {
    bench.app.run().snapshot().ledger
}

fn played(query: &str, seconds: u64) -> Bench {
    let mut bench = Bench::open(&format!("{query}&play=1"));
    bench.play_to(seconds, 50.0);
    bench
}

#[test]
fn a_consumer_that_dies_gives_back_what_it_held_and_the_line_grows() {
    let mut bench = played("p=1&c=1", 5);
    assert!(ledger(&bench).in_flight <= 1);
    let done = ledger(&bench).done;
    bench.send(Msg::Injected(Injection::Crash));
    let held = ledger(&bench);
    assert_eq!(held.in_flight, 0, "nothing goes on to a consumer that is gone");
    let from = bench.at();
    while bench.at() < Instant::from_seconds(15) {
        bench.frame(50.0);
    }
    let now = ledger(&bench);
    let seconds = bench.at().since(from).micros() / 1_000_000;
    assert_eq!(now.done, done);
    assert!(now.waiting >= held.waiting + seconds, "{} after {} in {seconds} s", now.waiting, held.waiting);
    assert!(now.balances());
}

#[test]
fn a_line_grows_by_all_that_nobody_finishes_and_nothing_is_dropped_before_it_is_full() {
    let query = "p=50&c=4&capacity=200";
    let early = played(query, 4);
    let waiting = ledger(&early).waiting;
    assert!((180..=190).contains(&waiting), "46 a second for 4 s: {waiting}");
    assert_eq!(ledger(&early).dropped_new, 0);
    let late = ledger(&played(query, 8));
    assert_eq!((late.waiting, late.dropped_new > 100), (200, true), "{late:?}");
}

#[test]
fn what_is_done_follows_from_the_rates_and_not_from_the_frames() {
    for (query, each_second) in [("p=5000&c=500&workers=4", 2_000), ("p=1500&c=500&workers=4", 1_500)] {
        for frame in [7.0, 16.0, 100.0] {
            let mut bench = Bench::open(&format!("{query}&capacity=none&speed=10&play=1"));
            bench.play_to(20, frame);
            let micros = bench.at().since(Instant::START).micros();
            let expected = micros * each_second / 1_000_000;
            let done = ledger(&bench).done;
            assert!(done.abs_diff(expected) <= 8, "{query}, {frame} ms: {done} of {expected}");
        }
    }
}

#[test]
fn a_queue_buys_time_for_a_burst_and_no_throughput() {
    let bursts =
        |capacity: u64| ledger(&played(&format!("p=5&c=6&arrivals=bursts&capacity={capacity}"), 120));
    let (without, with) = (bursts(0), bursts(200));
    assert_eq!(without.offered, with.offered, "the same messages at the same times");
    assert_eq!(with.dropped_new, 0);
    assert!(without.dropped_new > 100, "{without:?}");
    let flood = |capacity: u64| played(&format!("p=8&c=6&capacity={capacity}"), 200);
    let (short, long) = (ledger(&flood(5)), ledger(&flood(200)));
    assert!(short.done.abs_diff(long.done) <= 1, "a longer one finishes no more");
    assert!((short.dropped_new - long.dropped_new).abs_diff(195) <= 1, "and drops all but its room");
    let told = Bench::open("p=8&c=6&capacity=200").view().story;
    let words = format!("{} {}", told.happening, told.next.unwrap_or_default());
    assert!(words.contains("100 seconds") || words.contains("1 minute"), "it says when it is full: {words}");
}

#[test]
fn at_exactly_full_load_all_the_time_is_work_and_the_sentence_does_not_promise_slack() {
    let bench = played("p=6&c=6", 90);
    let millionths = bench.app.run().snapshot().consumers.utilisation_recent_millionths;
    assert!((990_000..=1_000_000).contains(&millionths), "{millionths}");
    assert!(bench.view().story.happening.contains("6 arrive and 6 finish"));
    let chance = played("p=6&c=6&arrivals=poisson&seed=2", 1).view().story;
    let words = format!("{} {}", chance.happening, chance.next.unwrap_or_default());
    assert!(words.contains("no slack"), "{words}");
}

#[test]
fn what_was_rejected_stays_among_what_was_offered() {
    let bench = played("p=100&c=10&overflow=reject", 60);
    let now = ledger(&bench);
    let percent = now.done * 100 / now.offered;
    assert!((9..=10).contains(&percent), "{percent} of 100 were done");
    assert!(now.rejected * 100 / now.offered >= 88, "{now:?}");
    assert!(now.balances());
}

#[test]
fn the_beginning_of_a_long_run_can_still_be_looked_at() {
    let mut bench = Bench::open("p=8&c=6&speed=100&play=1");
    bench.play_to(3_600, 100.0);
    bench.send(Msg::Rewound(40));
    let size = CanvasSize { width_css: 300.0, height_css: 90.0, font_width: 1.0 };
    let chart = picture::chart(&bench.app, ChartKind::Waiting, size);
    assert!(chart.line.len() >= 40, "a corner for each second: {}", chart.line.len());
    let greatest = chart.line.iter().map(|vertex| vertex.value).fold(0.0, f64::max);
    assert!((59.0..=60.0).contains(&greatest), "full at 30 s: {greatest}");
}

#[test]
fn what_waits_is_what_comes_times_how_long_it_waits() {
    let fields = r#""settings": { "p": 8, "c": 5, "workers": 2, "arrivals": "poisson", "work": "exponential", "capacity": "none" }"#;
    let (file, notices) = scenario_file::read(&format!(r#"{{"format":1,{fields}}}"#));
    assert_eq!(notices, []);
    let mut simulation = Simulation::new(file.unwrap_or_default().scenario.into());
    let (step, steps) = (Span::from_millis(5), 400_000_u64);
    let mut waiting = 0;
    for number in 1..=steps {
        simulation.advance_to(Instant::from_micros(step.micros() * number), u64::MAX);
        waiting += simulation.ledger().waiting;
    }
    let snapshot = simulation.snapshot();
    let level = waiting as f64 / steps as f64;
    let seconds = snapshot.at.since(Instant::START).micros() as f64 / 1e6;
    let each_second = snapshot.waiting_time_overall.count as f64 / seconds;
    let by_time = each_second * snapshot.waiting_time_overall.mean.micros() as f64 / 1e6;
    assert!((level / by_time - 1.0).abs() < 0.01, "{level} wait, {by_time} by their times");
}
