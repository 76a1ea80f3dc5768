//! Times of attempts and flows of groups over time, against plain lists of what happened.

use std::collections::BTreeMap;
use std::rc::Rc;

use queue_lab::model::command::Command;
use queue_lab::model::event::EventKind;
use queue_lab::model::message::MessageId;
use queue_lab::model::routes::{GroupIndex, TopicIndex};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::series::Resolution;
use queue_lab::model::series::flows::{FlowBucket, Moved};
use queue_lab::model::settings::{Setting, Settings, TABLE, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};
use queue_lab::model::topology::{GroupNode, ProducerNode, TopicNode, Topology};

use super::any::Dice;

const RUNS: u64 = 40;
const SECONDS: u64 = 650;

/// What attempts may take, and what becomes of them, in words of the settings' table.
const CHOICES: [(&str, &[&str]); 14] = [
    ("p", &["2", "5", "9.5", "20"]),
    ("c", &["0.3", "2", "6", "40"]),
    ("workers", &["1", "2", "5"]),
    ("work", &["fixed", "exponential", "log-normal"]),
    ("arrivals", &["steady", "poisson", "bursts"]),
    ("fail", &["0", "0", "20"]),
    ("poison", &["0", "0", "2"]),
    ("attempts", &["1", "3", "none"]),
    ("timeout", &["none", "none", "0.25", "3"]),
    ("retry", &["queue", "retry-queue", "in-place"]),
    ("ack", &["after-work", "after-work", "before-work"]),
    ("downstream", &["none", "none", "4"]),
    ("deadline", &["none", "none", "2"]),
    ("partitions", &["1", "3"]),
];

fn settings(dice: &mut Dice) -> Settings {
    let mut settings = Settings { seed: dice.below(1_000), ..Settings::default() };
    for (name, texts) in CHOICES {
        let row = TABLE.iter().find(|row| row.alias == name).expect("it is a setting");
        let text = texts[usize::try_from(dice.below(texts.len() as u64)).expect("it is short")];
        let value = row.read(text).0.expect("it is one of its values");
        assert!(settings.set(row.setting, value), "{name}={text}");
    }
    settings
}

fn log() -> Topology {
    let group = |name: &str, from: &str| GroupNode {
        name: name.to_owned(),
        from: from.to_owned(),
        retry_to: Some("retry".to_owned()),
        dead_letters_to: Some("dead".to_owned()),
        ..GroupNode::default()
    };
    Topology {
        producers: vec![ProducerNode { name: "shop".into(), to: "orders".into(), ..ProducerNode::default() }],
        topics: ["orders", "retry", "dead"].map(|name| TopicNode { name: name.into() }).to_vec(),
        groups: vec![group("billing", "orders"), group("billing-retries", "retry")],
        queues: vec![],
        consumers: vec![],
    }
}

fn scenario(dice: &mut Dice, is_log: bool) -> Scenario {
    let scenario = Scenario::with_settings(settings(dice));
    if is_log { scenario.with_topology(log()).expect("it is right") } else { scenario }
}

/// When each attempt of a run ended, and how long it took, in the order in which they ended.
fn attempts(simulation: &mut Simulation, dice: &mut Dice) -> Vec<(Instant, Span)> {
    let (mut begun, mut ended) = (BTreeMap::<MessageId, Instant>::new(), Vec::new());
    let mut seen = 0;
    for tenth in 1..=10 * SECONDS {
        simulation.advance_to(Instant::START + Span::from_millis(100 * tenth), u64::MAX);
        for (_, event) in simulation.journal().since(seen) {
            let is_over = matches!(
                event.kind,
                EventKind::Finished
                    | EventKind::FinishedLate
                    | EventKind::FinishedWrong
                    | EventKind::SkippedLate
                    | EventKind::AnsweredTooLate
                    | EventKind::Failed
            );
            if event.kind == EventKind::Started {
                assert_eq!(begun.insert(event.message, event.at), None, "one attempt at a time");
            } else if is_over {
                let from = begun.remove(&event.message).expect("it has begun");
                ended.push((event.at, event.at.since(from)));
            }
        }
        seen = simulation.journal().count();
        if dice.below(200) == 0 {
            let rate = settings(dice).consumer_rate;
            let set = Command::Set { setting: Setting::ConsumerRate, value: Value::Rate(rate) };
            simulation.apply(set).expect("the dial can be moved");
        }
    }
    ended
}

/// What 99 of 100 took at most, by sorting them.
fn exact_p99(mut took: Vec<Span>) -> Option<Span> {
    took.sort_unstable();
    let place = (took.len() * 99).div_ceil(100);
    took.get(place.checked_sub(1)?).copied()
}

fn assert_times(simulation: &Simulation, ended: &[(Instant, Span)], run: u64) {
    for resolution in Resolution::ALL {
        let buckets = simulation.handler_times().finished(resolution);
        assert_eq!(buckets.len() as u64, SECONDS / (resolution.width().micros() / 1_000_000), "run {run}");
        for bucket in buckets {
            let end = bucket.start + resolution.width();
            let within = ended.iter().filter(|(at, _)| bucket.start <= *at && *at < end);
            let took: Vec<Span> = within.map(|(_, took)| *took).collect();
            assert_eq!(bucket.attempts, took.len() as u64, "run {run}, {resolution:?}, {bucket:?}");
            let exact = exact_p99(took).unwrap_or_default().micros();
            let found = bucket.p99.micros();
            assert!(
                (exact..=exact + exact / 32).contains(&found),
                "run {run}, {resolution:?}: {found} µs for {exact} µs"
            );
        }
    }
    let since = Instant::from_seconds(SECONDS - 60);
    let recent: Vec<Span> = ended.iter().filter(|(at, _)| *at >= since).map(|(_, took)| *took).collect();
    let found = simulation.handler_times().recent();
    assert_eq!(found.count(), recent.len() as u64, "run {run}: the last six parts end with the run");
}

#[test]
fn the_99th_percentile_is_that_of_a_sorted_list_in_queues_and_logs() {
    let mut attempted = [0; 2];
    for run in 0..RUNS {
        let mut dice = Dice(run);
        let is_log = run % 2 == 1;
        let mut simulation = Simulation::new(Rc::new(scenario(&mut dice, is_log)));
        let ended = attempts(&mut simulation, &mut dice);
        attempted[usize::from(is_log)] += ended.len();
        assert_times(&simulation, &ended, run);
    }
    assert!(attempted.iter().all(|count| *count > 10_000), "{attempted:?}");
}

fn sum<'a>(buckets: impl Iterator<Item = &'a FlowBucket>) -> Moved {
    buckets.fold(Moved::default(), |sum, bucket| Moved {
        came: sum.came + bucket.moved.came,
        done: sum.done + bucket.moved.done,
    })
}

#[test]
fn what_came_to_a_topic_and_what_its_group_did_add_up_to_the_totals() {
    let mut moved = 0;
    for run in 0..RUNS / 2 {
        let mut dice = Dice(1_000 + run);
        let mut simulation = Simulation::new(Rc::new(scenario(&mut dice, true)));
        // A part of a bucket of every resolution but the finest.
        let end = Instant::from_seconds(SECONDS + 5);
        simulation.advance_to(end - Span::from_micros(1), u64::MAX);
        let totals = [0, 1].map(|group| {
            let reading = simulation.broker().logs.group(GroupIndex(group));
            let topic = simulation.broker().logs.topic(TopicIndex(group));
            let came = topic.partitions().iter().map(|partition| partition.log_end_offset()).sum();
            let counts = reading.counts();
            Moved { came, done: counts.done + counts.done_late + counts.done_wrong }
        });
        simulation.advance_to(end, u64::MAX);
        for (group, total) in totals.into_iter().enumerate() {
            let flows = simulation.lags(GroupIndex(group)).expect("it is a group").flows();
            for resolution in Resolution::ALL {
                let all = flows.finished(resolution).chain(flows.forming(resolution));
                assert_eq!(sum(all), total, "run {run}, group {group}, {resolution:?}");
            }
            moved += total.done;
        }
    }
    assert!(moved > 10_000, "{moved}");
}
