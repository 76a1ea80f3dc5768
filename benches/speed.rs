//! How fast it is natively: the model beside a plain loop in the same run, ten million messages, a
//! seek to a random instant of them, ten million records that nobody reads, a burst, a frame. It judges
//! nothing; the ratios come last.

#[path = "workloads/mod.rs"]
mod workloads;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use queue_lab::app::picture::{self, CanvasSize};
use queue_lab::app::{App, link, view_of};
use queue_lab::draw::chart::{ChartKind, chart_svg};
use queue_lab::draw::palette::Palette;
use queue_lab::draw::svg::scene_svg;
use queue_lab::model::command::Command;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{Bound, Settings};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::state_hash::mix;
use queue_lab::model::time::Instant;
use queue_lab::model::timeline::Timeline;
use queue_lab::narrate::locale::Locale;
use workloads::{DEAD_GROUP, WORKLOADS, Workload};

const MESSAGES: u64 = 200_000;
const MANY: u64 = 10_000_000;
const MODEL: &str = "model";
const PLAIN: &str = "plain loop";
const LONG: &str = "ten million messages";
const UNREAD: &str = "ten million unread";

fn main() {
    let results = results();
    let mut criterion = Criterion::default().output_directory(&results).without_plots().configure_from_args();
    for workload in &WORKLOADS {
        compare(&mut criterion, workload.name, workload, MESSAGES);
    }
    compare(&mut criterion, LONG, &WORKLOADS[0], MANY);
    compare(&mut criterion, UNREAD, &DEAD_GROUP, MANY);
    seek(&mut criterion);
    burst(&mut criterion);
    frame(&mut criterion);
    criterion.final_summary();
    report(&results);
}

/// Where the figures are kept, by default with all that is built.
fn results() -> PathBuf {
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    built.join("criterion")
}

fn compare(criterion: &mut Criterion, name: &str, workload: &Workload, messages: u64) {
    let mut group = group(criterion, name);
    group.throughput(Throughput::Elements(messages));
    group.bench_function(MODEL, |bencher| bencher.iter(|| workload.play(black_box(messages))));
    group.bench_function(PLAIN, |bencher| bencher.iter(|| workload.play_plainly(black_box(messages))));
    group.finish();
}

fn group<'criterion>(
    criterion: &'criterion mut Criterion,
    name: &str,
) -> BenchmarkGroup<'criterion, WallTime> {
    let mut group = criterion.benchmark_group(name.replace('/', ""));
    group.sample_size(10).sampling_mode(SamplingMode::Flat).measurement_time(Duration::from_secs(3));
    group
}

/// To random instants of ten million messages.
fn seek(criterion: &mut Criterion) {
    let end = WORKLOADS[0].end(MANY);
    let mut timeline = Timeline::new(WORKLOADS[0].scenario(), ());
    timeline.seek(end);
    let mut number = 0;
    let mut group = group(criterion, LONG);
    // So little time that each sample is one seek.
    group.sample_size(100).measurement_time(Duration::from_millis(1));
    group.bench_function("seek", |bencher| {
        bencher.iter(|| {
            number += 1;
            timeline.seek(Instant::from_micros(mix(number) % end.micros()));
        });
    });
}

fn burst(criterion: &mut Criterion) {
    let settings = Settings { queue_bound: Bound::None, ..Settings::default() };
    let scenario = Rc::new(Scenario::with_settings(settings));
    let mut group = group(criterion, "burst");
    group.throughput(Throughput::Elements(2_000_000));
    group.bench_function("of 2,000,000", |bencher| {
        bencher.iter(|| {
            let mut simulation = Simulation::new(scenario.clone());
            let is_taken = simulation.apply(Command::Burst { count: 2_000_000 }).is_ok();
            simulation.advance_to(Instant::START, u64::MAX);
            (is_taken, simulation.ledger().waiting)
        });
    });
}

/// What one frame draws, as SVG.
fn frame(criterion: &mut Criterion) {
    let mut app = App::new(Rc::new(Locale::english()), &link::read("p=8&c=6&t=42"));
    let mut now = 0.0;
    while app.needs_frames() {
        now += 16.0;
        app.frame(now, &mut || 0.0);
    }
    let size = CanvasSize { width_css: 924.0, height_css: 92.0, font_width: 1.0 };
    let palette = &Palette::LIGHT;
    let words = picture::words(&app, size.width_css);
    let mut group = group(criterion, "frame");
    group.bench_function("picture", |bencher| {
        bencher.iter(|| scene_svg(&picture::scene(&app, &words, size), palette));
    });
    group.bench_function("three charts", |bencher| {
        bencher.iter(|| ChartKind::ALL.map(|kind| chart_svg(&picture::chart(&app, kind, size), palette)));
    });
    group.bench_function("texts", |bencher| bencher.iter(|| view_of(&app)));
    group.finish();
}

/// The ratios, from what was measured in this run.
fn report(results: &Path) {
    println!("\n{:<22} {:>10} {:>12} {:>8}", "ns a message, median", MODEL, PLAIN, "ratio");
    let compared =
        WORKLOADS.iter().map(|workload| (workload.name, MESSAGES)).chain([(LONG, MANY), (UNREAD, MANY)]);
    for (name, messages) in compared {
        let median = |what: &str| median_ns(results, &name.replace('/', ""), what);
        if let (Some(model), Some(plain)) = (median(MODEL), median(PLAIN)) {
            let each = |nanoseconds: f64| nanoseconds / messages as f64;
            println!("{name:<22} {:>10.1} {:>12.1} {:>8.2}", each(model), each(plain), model / plain);
        }
    }
    if let Some(seconds) = median_ns(results, LONG, MODEL) {
        println!("Ten million messages take {:.2} s.", seconds / 1e9);
    }
    if let Some(seconds) = median_ns(results, UNREAD, MODEL) {
        println!("Ten million records of a dead group, 463 a second, take {:.2} s.", seconds / 1e9);
    }
    if let Some(p95) = p95_ns(results, LONG, "seek") {
        println!("A seek to a random instant of them takes {:.0} ms at the 95th percentile.", p95 / 1e6);
    }
}

fn read(results: &Path, group: &str, what: &str, file: &str) -> Option<serde_json::Value> {
    let path = results.join(group).join(what).join("new").join(file);
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

fn median_ns(results: &Path, group: &str, what: &str) -> Option<f64> {
    read(results, group, what, "estimates.json")?["median"]["point_estimate"].as_f64()
}

fn p95_ns(results: &Path, group: &str, what: &str) -> Option<f64> {
    let sample = read(results, group, what, "sample.json")?;
    let numbers =
        |key: &str| -> Option<Vec<f64>> { sample[key].as_array()?.iter().map(|n| n.as_f64()).collect() };
    let mut each: Vec<f64> =
        numbers("times")?.iter().zip(numbers("iters")?).map(|(time, n)| time / n).collect();
    each.sort_by(f64::total_cmp);
    each.get(each.len() * 95 / 100).copied()
}
