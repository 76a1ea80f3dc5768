//! How fast it is: the model beside a plain hand-written event loop in the same run, and the
//! drawing of a frame. Prints medians and ratios; it judges nothing.

use std::collections::{BinaryHeap, VecDeque};
use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant as Clock;

use queue_lab::app::link;
use queue_lab::app::picture::{self, CanvasSize};
use queue_lab::app::view::ThemeName;
use queue_lab::app::{App, view_of};
use queue_lab::draw::chart::{ChartKind, chart_svg};
use queue_lab::draw::svg::scene_svg;
use queue_lab::model::command::Command;
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{ArrivalPattern, Bound, ServiceTime, Settings};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;
use queue_lab::narrate::locale::Locale;

const ROUNDS: usize = 7;
const MESSAGES: u64 = 1_000_000;

fn main() {
    compare("M/M/1 at 0.8", 1, 100_000);
    compare("M/M/4 at 0.8", 4, 25_000);
    burst();
    frame();
}

fn compare(name: &str, consumers: u64, consumer_rate: u64) {
    let mut model = Vec::new();
    let mut plain = Vec::new();
    for _ in 0..ROUNDS {
        model.push(timed(|| simulated(consumers, consumer_rate)));
        plain.push(timed(|| plain_loop(consumers, 80.0, consumer_rate as f64 / 1_000.0)));
    }
    let (model, plain) = (median(model), median(plain));
    println!(
        "{name}: model {:.0} ns a message, plain loop {:.0} ns, ratio {:.2}",
        model * 1e9 / MESSAGES as f64,
        plain * 1e9 / MESSAGES as f64,
        model / plain
    );
}

fn simulated(consumers: u64, consumer_rate: u64) -> u64 {
    let settings = Settings {
        producer_rate: Rate::from_per_second(80),
        arrivals: ArrivalPattern::Poisson,
        consumer_rate: Rate::from_thousandths(consumer_rate),
        consumer_count: consumers,
        service_time: ServiceTime::Exponential,
        queue_bound: Bound::None,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(Rc::new(Scenario::with_settings(settings)));
    simulation.advance_to(Instant::from_seconds(MESSAGES / 80), u64::MAX);
    simulation.ledger().done
}

/// What a careful author writes without any of the model's promises: floats, a heap of finishes,
/// a queue of arrival times, the mean wait.
fn plain_loop(consumers: u64, arrival_rate: f64, service_rate: f64) -> f64 {
    let mut random = 0x1234_5678_9abc_def0_u64;
    let mut draw = |rate: f64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        -(((random >> 11) + 1) as f64 / (1_u64 << 53) as f64).ln() / rate
    };
    let (mut waiting, mut finishes) = (VecDeque::new(), BinaryHeap::new());
    let (mut next_arrival, mut arrived, mut waited) = (draw(arrival_rate), 0, 0.0);
    while arrived < MESSAGES {
        let finish = finishes.peek().map(|finish: &std::cmp::Reverse<Time>| finish.0.0);
        if finish.is_none_or(|finish| next_arrival < finish) {
            arrived += 1;
            if (finishes.len() as u64) < consumers {
                finishes.push(std::cmp::Reverse(Time(next_arrival + draw(service_rate))));
            } else {
                waiting.push_back(next_arrival);
            }
            next_arrival += draw(arrival_rate);
        } else if let Some(std::cmp::Reverse(Time(now))) = finishes.pop()
            && let Some(since) = waiting.pop_front()
        {
            waited += now - since;
            finishes.push(std::cmp::Reverse(Time(now + draw(service_rate))));
        }
    }
    waited / arrived as f64
}

#[derive(Clone, Copy, PartialEq)]
struct Time(f64);

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

fn burst() {
    let seconds = median(
        (0..3)
            .map(|_| {
                timed(|| {
                    let settings = Settings { queue_bound: Bound::None, ..Settings::default() };
                    let mut simulation = Simulation::new(Rc::new(Scenario::with_settings(settings)));
                    let is_taken = simulation.apply(Command::Burst { count: 2_000_000 }).is_ok();
                    simulation.advance_to(Instant::START, u64::MAX);
                    black_box((is_taken, simulation.ledger().waiting));
                })
            })
            .collect(),
    );
    println!("burst of 2,000,000: {:.0} ms, {:.0} ns a message", seconds * 1e3, seconds * 1e9 / 2e6);
}

fn frame() {
    let mut app = App::new(Rc::new(Locale::english()), &link::read("p=8&c=6&t=42"));
    let mut now = 0.0;
    while app.needs_frames() {
        now += 16.0;
        app.frame(now, &mut || 0.0);
    }
    let size = CanvasSize { width_css: 924.0, height_css: 92.0, font_width: 1.0 };
    let palette = picture::palette(ThemeName::Light);
    let time = |work: &mut dyn FnMut()| {
        let samples = (0..200).map(|_| timed(&mut *work)).collect();
        median(samples) * 1e6
    };
    let words = picture::words(&app, size.width_css);
    let scene = time(&mut || drop(black_box(scene_svg(&picture::scene(&app, &words, size), palette))));
    let charts = time(&mut || {
        for kind in ChartKind::ALL {
            drop(black_box(chart_svg(&picture::chart(&app, kind, size), palette)));
        }
    });
    let texts = time(&mut || drop(black_box(view_of(&app))));
    println!(
        "one frame: picture {scene:.0} µs, three charts {charts:.0} µs, texts {texts:.0} µs (as SVG, natively)"
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Clock::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or_default()
}
