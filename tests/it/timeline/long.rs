//! Long runs: how many checkpoints there are, how far apart, what they hold, how long a seek takes, and
//! that a log that deletes holds no more and more.

use std::rc::Rc;
use std::time::Instant as Clock;

use queue_lab::model::command::Command;
use queue_lab::model::held::HeldBytes;
use queue_lab::model::rate::Rate;
use queue_lab::model::routes::GroupIndex;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::series::handler_times::TimesBucket;
use queue_lab::model::series::lags::GroupLags;
use queue_lab::model::series::{Bucket, Resolution};
use queue_lab::model::settings::{Bound, Limit, Settings};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::state_hash::mix;
use queue_lab::model::time::{Instant, Span};
use queue_lab::model::timeline::{BYTES_MAX, CHECKPOINTS_MAX, CHECKPOINTS_MIN, Timeline, Watcher};
use queue_lab::model::topology::{GroupNode, ProducerNode, TopicNode, Topology};

use super::{assert_same, fresh, random_queue, scenario, seconds};

/// Fails where checkpoints are too many, too few, too heavy, or unevenly spaced.
fn assert_even<W: Watcher>(timeline: &Timeline<W>) {
    let work: Vec<u64> = timeline.checkpoints().map(|(_, work)| work).collect();
    assert!((CHECKPOINTS_MIN..=CHECKPOINTS_MAX).contains(&work.len()), "{}", work.len());
    let gaps: Vec<u64> = work.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (least, greatest) = (gaps.iter().min().copied(), gaps.iter().max().copied());
    assert!(greatest <= least.map(|least| least * 2), "{gaps:?}");
    assert!(timeline.checkpoint_bytes() <= BYTES_MAX, "{}", timeline.checkpoint_bytes());
}

#[test]
fn checkpoints_stay_evenly_spaced_however_long_the_run() {
    let mut timeline = Timeline::new(scenario(random_queue(80), Vec::new()), ());
    for minutes in 3..30 {
        timeline.seek(seconds(60 * minutes));
        assert_even(&timeline);
    }
    let instants: Vec<Instant> = timeline.checkpoints().map(|(at, _)| at).collect();
    assert!(instants.first() == Some(&Instant::START) && instants.is_sorted());
}

#[test]
fn looking_back_takes_no_new_checkpoints() {
    let mut timeline = Timeline::new(scenario(random_queue(80), Vec::new()), ());
    timeline.seek(seconds(600));
    let before: Vec<(Instant, u64)> = timeline.checkpoints().collect();
    for target in [3, 599, 300, 301, 450, 0] {
        timeline.seek(seconds(target));
    }
    assert!(timeline.checkpoints().eq(before));
}

#[test]
fn a_long_line_is_held_once_by_all_checkpoints() {
    let settings = Settings { queue_bound: Bound::None, ..random_queue(80) };
    let mut timeline = Timeline::new(scenario(settings, Vec::new()), ());
    timeline.apply(Command::Burst { count: 30_000 }).expect("a burst of so few is allowed");
    timeline.seek(seconds(60));
    let messages = 24 * 30_000;
    let others = 200_000 * timeline.checkpoints().len() as u64;
    assert!((messages..messages + others).contains(&timeline.checkpoint_bytes()));
    assert!(timeline.checkpoints().len() > 2);
}

/// A topic of twelve partitions that keeps its records for an hour, and a group of twelve that keeps up.
fn short_lived(per_second: u64) -> Rc<Scenario> {
    let settings = Settings {
        producer_rate: Rate::from_per_second(per_second),
        consumer_rate: Rate::from_per_second(per_second),
        consumer_count: 12,
        partitions: 12,
        message_keys: 10_000,
        retention: Limit::At(Span::from_seconds(3_600)),
        ..random_queue(1)
    };
    let topology = Topology {
        producers: vec![ProducerNode { name: "shop".into(), to: "orders".into(), ..ProducerNode::default() }],
        topics: vec![TopicNode { name: "orders".into() }],
        groups: vec![GroupNode { name: "billing".into(), from: "orders".into(), ..GroupNode::default() }],
        consumers: vec![],
        ..Topology::default()
    };
    Rc::new(Scenario::with_settings(settings).with_topology(topology).expect("it is right"))
}

/// Bytes that the broker holds, and that all the rest does but for the buckets of the series, which have
/// rings of their own length.
fn held(simulation: &Simulation) -> [u64; 2] {
    let (mut all, mut broker) = (HeldBytes::default(), HeldBytes::default());
    simulation.count_held(&mut all);
    simulation.broker().count_held(&mut broker);
    let buckets = Resolution::ALL.map(|resolution| simulation.series().finished(resolution).count());
    let times = Resolution::ALL.map(|resolution| simulation.handler_times().finished(resolution).len());
    let history = buckets.iter().sum::<usize>() * size_of::<Bucket>()
        + times.iter().sum::<usize>() * size_of::<TimesBucket>();
    let lags: u64 = (0..).map_while(|group| simulation.lags(GroupIndex(group))).map(bytes_of).sum();
    [broker.bytes(), all.bytes() - broker.bytes() - history as u64 - lags]
}

fn bytes_of(lags: &GroupLags) -> u64 {
    let mut held = HeldBytes::default();
    lags.count_held(&mut held);
    held.bytes()
}

/// Plays periods of so many hours, looks a hundred times in each, and fails where the run holds more
/// bytes in a later one than in the first, or where the broker holds next to nothing.
fn assert_flat(per_second: u64, periods: u64, hours: u64) {
    let mut simulation = Simulation::new(short_lived(per_second));
    let mut most = Vec::new();
    for period in 0..periods {
        let looks = (1..=100).map(|look| {
            simulation.advance_to(seconds((100 * period + look) * hours * 36), u64::MAX);
            held(&simulation)
        });
        let greatest = looks.reduce(|one, other| [one[0].max(other[0]), one[1].max(other[1])]);
        most.push(greatest.unwrap_or_default());
    }
    println!("{per_second} a second, periods of {hours} h, bytes of the broker and of the rest: {most:?}");
    let first = most[0];
    // A record takes 9 bytes. Arrivals are random, and so is how full the last chunks are.
    assert!(first[0] > 9 * 3_600 * per_second, "{most:?}");
    assert!(most.iter().all(|bytes| bytes[0] <= first[0] + first[0] / 50), "{most:?}");
    assert!(most.iter().all(|bytes| bytes[1] <= first[1] + first[1] / 20), "{most:?}");
    assert_eq!(simulation.ledger().logged, simulation.ledger().offered);
}

#[test]
fn a_log_that_deletes_holds_no_more_after_many_hours() {
    assert_flat(2, 4, 6);
}

#[test]
#[ignore = "takes minutes without optimisation: `make test-all`"]
fn a_log_that_deletes_holds_no_more_after_eight_days() {
    assert_flat(20, 8, 24);
}

/// Seconds that each of 200 seeks to random instants before `end` takes, the least first.
fn seeks<W: Watcher>(timeline: &mut Timeline<W>, end: u64) -> Vec<f64> {
    let mut times = Vec::new();
    for number in 0..200_u64 {
        let target = Instant::from_micros(mix(number) % (end * 1_000_000));
        let start = Clock::now();
        timeline.seek(target);
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times
}

fn report<W: Watcher>(name: &str, timeline: &mut Timeline<W>, end: u64) {
    let start = Clock::now();
    timeline.seek(seconds(end));
    let there = start.elapsed().as_secs_f64();
    let (count, bytes) = (timeline.checkpoints().len(), timeline.checkpoint_bytes());
    assert!((CHECKPOINTS_MIN..=CHECKPOINTS_MAX).contains(&count), "{count}");
    assert!(bytes <= BYTES_MAX, "{bytes}");
    let times = seeks(timeline, end);
    let (median, p95, max) = (times[100] * 1e3, times[190] * 1e3, times[199] * 1e3);
    println!(
        "{name}: {there:.2} s to the end, {count} checkpoints hold {:.1} MB; a seek takes {median:.0} ms, \
         p95 {p95:.0} ms, at most {max:.0} ms",
        bytes as f64 / 1e6
    );
    assert!(p95 < 300.0, "{p95}");
}

#[test]
#[ignore = "takes minutes without optimisation: `make test-all`"]
fn any_instant_of_ten_million_messages_is_reached_quickly() {
    let end = 10_000_000 / 80;
    let scenario = scenario(random_queue(80), Vec::new());
    let mut timeline = Timeline::new(scenario.clone(), ());
    report("10,000,000 messages", &mut timeline, end);
    assert_even(&timeline);
    let target = seconds(end * 2 / 3);
    timeline.seek(target);
    assert_same(timeline.simulation(), &fresh(&scenario, &[], target));
}

#[test]
#[ignore = "takes minutes without optimisation: `make test-all`"]
fn any_instant_of_a_flood_is_reached_quickly() {
    let settings = Settings {
        producer_rate: Rate::from_per_second(10),
        consumer_rate: Rate::from_per_second(400),
        queue_bound: Bound::None,
        ..Settings::default()
    };
    let scenario = scenario(settings, Vec::new());
    let mut timeline = Timeline::new(scenario.clone(), ());
    timeline.apply(Command::Burst { count: 2_000_000 }).expect("a burst of two millions is allowed");
    report("2,000,000 at once", &mut timeline, 6_000);
    let log = timeline.log().to_vec();
    timeline.seek(seconds(4_500));
    assert_same(timeline.simulation(), &fresh(&scenario, &log, seconds(4_500)));
}

#[test]
#[ignore = "takes minutes without optimisation: `make test-all`"]
fn memory_comes_first_where_a_long_line_is_exchanged_again_and_again() {
    let settings = Settings { service_time: super::ServiceTime::Fixed, ..random_queue(80_000) };
    let settings = Settings { producer_rate: settings.consumer_rate, ..settings };
    let mut timeline = Timeline::new(scenario(settings, Vec::new()), ());
    timeline.apply(Command::Burst { count: 1_500_000 }).expect("a burst of so many is allowed");
    for minute in 1..=4 {
        timeline.seek(seconds(60 * minute / 2));
        assert!(timeline.checkpoint_bytes() <= BYTES_MAX, "{}", timeline.checkpoint_bytes());
    }
}
