//! Two classes of messages in one queue: the urgent ones go first, and nobody is interrupted.

use std::collections::HashMap;
use std::rc::Rc;

use queue_lab::model::event::{EVENTS_KEPT, EventKind};
use queue_lab::model::message::MessageId;
use queue_lab::model::rate::Rate;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{ServiceTime, Settings};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::theory::general::{PriorityClass, ServiceMoments, priority_waiting_times};
use queue_lab::model::time::{Instant, MICROS_PER_SECOND};
use queue_lab::model::topology::{ProducerNode, Topology};

use super::interval::{Interval, t_quantile};
use super::{LEVEL, REPLICATIONS, as_float, cases};

/// Messages a second of the bulk and of the urgent producer, and of the consumer.
const BULK: u64 = 5;
const URGENT: u64 = 3;
const SERVED: u64 = 10;

#[test]
fn waits_of_two_priorities_agree_with_theory() {
    compare(200_000, 0.06);
}

#[test]
#[ignore = "takes minutes: `make test-all`"]
fn long_waits_of_two_priorities_agree_with_theory() {
    compare(1_000_000, 0.03);
}

fn compare(messages: u64, width_limit: f64) {
    let work = || ServiceMoments::exponential(1.0 / as_float(SERVED.into()));
    let class = |rate: u64| PriorityClass { arrivals_per_second: as_float(rate.into()), work: work() };
    let exact = priority_waiting_times(&[class(URGENT), class(BULK)]).expect("the queue is stable");
    let runs: Vec<[f64; 2]> = (1..=REPLICATIONS).map(|seed| waits(seed, messages)).collect();
    let quantile = t_quantile(LEVEL / 2.0);
    for (place, name) in [(0, "urgent"), (1, "bulk")] {
        let found: Vec<f64> = runs.iter().map(|waits| waits[place]).collect();
        let interval = Interval::new(&found, quantile);
        println!("{name}: {:.6}, found {interval}", exact[place]);
        assert!(interval.contains(exact[place]), "{name}: {} is not in {interval}", exact[place]);
        assert!(interval.half_width <= width_limit * exact[place], "{name}: {interval} is too wide");
    }
}

/// The bulk producer is the first, the urgent one the second.
fn scenario(seed: u64) -> Scenario {
    let settings =
        Settings { seed, priority_levels: 1, ..cases::settings([BULK, SERVED], ServiceTime::Exponential) };
    let urgent =
        Settings { producer_rate: Rate::from_per_second(URGENT), message_priority: 1, ..settings.clone() };
    let mut topology = Topology::default();
    topology.producers.push(ProducerNode {
        name: "urgent".into(),
        to: "queue".into(),
        ..ProducerNode::default()
    });
    let scenario = Scenario::with_settings(settings).with_node_settings(vec![("urgent".into(), urgent)]);
    scenario.with_topology(topology).expect("the topology is sound")
}

/// Mean waits in seconds of the urgent and of the bulk messages, but for the first tenth.
fn waits(seed: u64, messages: u64) -> [f64; 2] {
    let mut simulation = Simulation::new(Rc::new(scenario(seed)));
    let end = Instant::from_seconds(messages / (BULK + URGENT));
    let begin = Instant::from_micros(end.micros() / 10);
    let (mut accepted_at, mut events_seen) = (HashMap::new(), 0);
    let mut sums = [(0_u128, 0_u64); 2];
    loop {
        let reached = simulation.advance_to(end, EVENTS_KEPT as u64 / 4);
        let journal = simulation.journal();
        let unseen = usize::try_from(journal.count() - events_seen).expect("few events are new");
        events_seen = journal.count();
        for event in journal.last().skip(journal.last().len() - unseen) {
            match event.kind {
                EventKind::Accepted => _ = accepted_at.insert(event.message, event.at),
                EventKind::Started => {
                    let since = accepted_at.remove(&event.message).expect("it was accepted");
                    let sum = &mut sums[class_of(event.message)];
                    if event.at > begin {
                        *sum = (sum.0 + u128::from(event.at.since(since).micros()), sum.1 + 1);
                    }
                }
                _ => {}
            }
        }
        if reached == end {
            return sums.map(|(micros, count)| {
                as_float(micros) / as_float(count.into()) / as_float(MICROS_PER_SECOND.into())
            });
        }
    }
}

fn class_of(message: MessageId) -> usize {
    1 - usize::from(message.producer_index())
}
