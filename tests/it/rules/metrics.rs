//! What alert rules can look at says what the snapshot says.

use queue_lab::model::time::Span;
use queue_lab::model::work_queue::QueueCounts;

use super::alerts::with_rules;
use super::*;

/// A run in which every metric is something: two queues, dead letters, a topic, and what is shared.
const EVERYTHING: &str = r#""topology":{
        "producers":[{"name":"shop","to":"orders"},{"name":"press","to":"letters"},{"name":"till","to":"sales"}],
        "queues":[{"name":"orders","dead_letters_to":"failed"},{"name":"letters"},{"name":"failed"}],
        "consumers":[{"name":"billing","from":"orders"},{"name":"post","from":"letters"}],
        "topics":[{"name":"sales"}],"groups":[{"name":"books","from":"sales"}]},
    "settings":{"shop.p":8,"press.p":5,"till.p":6,"billing.c":6,"billing.workers":2,"billing.fail":40,
        "billing.attempts":2,"billing.retry_place":"retry-queue","billing.retry_delay_seconds":2,
        "letters.capacity":5,"letters.overflow":"reject","post.c":3,"post.fail":30,"orders.ttl":20,
        "books.c":1,"books.workers":2,"sales.partition_count":3,"downstream":30,"dlq":"kept"},
    "commands":[{"at":20,"do":"crash","consumers":"post"},{"at":50,"do":"broker-down"}]"#;

/// What is recorded of a metric at the end of a run that has a rule for it, by its labels' values.
fn recorded(metric: &str, seconds: u64) -> Vec<(Vec<String>, Option<i64>)> {
    let rule = format!(r#"{{"name":"a","owner":"b","when":"{metric} > 1000000"}}"#);
    let mut run = with_rules(&format!(r#"{EVERYTHING},"alert_interval_seconds":5"#), &rule);
    to(&mut run, seconds * 1_000);
    let samples = run.alerts().samples();
    let of = |series| {
        let labels = samples.labels(series).iter().map(|label| label.value.clone()).collect();
        (labels, samples.recorded_at(series, Instant::from_seconds(seconds)).flatten())
    };
    samples.all().map(of).collect()
}

#[test]
fn every_metric_says_what_the_snapshot_says() {
    const SECONDS: u64 = 45;
    let mut run = file(EVERYTHING);
    to(&mut run, SECONDS * 1_000);
    let snapshot = run.snapshot();
    let (network, totals) = (&snapshot.network, *run.totals());
    let millions = |count: u64| i64::try_from(count).ok().map(|count| count * 1_000_000);
    let micros = |span: Option<Span>| span.and_then(|span| i64::try_from(span.micros()).ok());
    let run_alone = |value: u64| vec![(vec![], millions(value))];
    let queues = |value: &dyn Fn(usize) -> Option<i64>| {
        let named = network.queues.iter().enumerate();
        named.map(|(index, queue)| (vec![queue.name.clone()], value(index))).collect::<Vec<_>>()
    };
    let counts = |value: &dyn Fn(&QueueCounts) -> u64| {
        queues(&|index| millions(value(&run.broker().queue(QueueIndex(index)).counts())))
    };
    let downstream = network.downstream.expect("consumers share one");
    for (metric, wanted) in [
        ("broker_up", run_alone(1)),
        ("broker_messages", run_alone(snapshot.broker.held)),
        ("broker_memory_alarm", run_alone(0)),
        ("broker_disk_alarm", run_alone(0)),
        ("messages_done_total", run_alone(totals.done)),
        ("messages_dead_lettered_total", run_alone(totals.dead_lettered)),
        ("attempts_failed_total", run_alone(totals.failed_attempts)),
        ("duplicate_side_effects_total", run_alone(totals.duplicate_side_effects)),
        ("downstream_calls_total", run_alone(downstream.asked)),
        ("downstream_answers_total", run_alone(downstream.answered)),
        ("downstream_calls_pending", run_alone(downstream.pending)),
        ("queue_messages_ready", queues(&|index| millions(network.queues[index].waiting))),
        ("queue_messages_unacked", queues(&|index| millions(network.queues[index].in_flight))),
        ("queue_messages_delayed", queues(&|index| millions(network.queues[index].delayed))),
        ("queue_oldest_message_age_seconds", queues(&|index| micros(network.queues[index].oldest_age))),
        ("queue_messages_published_total", counts(&|counts| counts.accepted)),
        ("queue_messages_acked_total", counts(&|counts| counts.done)),
        ("queue_messages_delivered_total", counts(&|counts| counts.deliveries)),
        ("queue_messages_redelivered_total", counts(&|counts| counts.redeliveries)),
        ("queue_messages_rejected_total", counts(&|counts| counts.rejected)),
        ("queue_messages_dropped_total", counts(&|counts| counts.dropped_new + counts.dropped_oldest)),
        ("queue_messages_expired_total", counts(&|counts| counts.expired)),
    ] {
        let mut wanted = wanted;
        wanted.retain(|(_, value)| value.is_some());
        let mut found = recorded(metric, SECONDS);
        found.retain(|(_, value)| value.is_some());
        assert_eq!(found, wanted, "{metric}");
    }
    assert!(totals.failed_attempts > 50 && totals.dead_lettered > 10 && downstream.pending > 0);
    assert!(network.queues.iter().any(|queue| queue.delayed > 0));
    assert!(counts(&|counts| counts.rejected).iter().any(|(_, count)| *count > Some(0)));
}

#[test]
fn every_metric_of_named_nodes_says_what_the_snapshot_says() {
    const SECONDS: u64 = 45;
    let mut run = file(EVERYTHING);
    to(&mut run, SECONDS * 1_000);
    let network = run.snapshot().network;
    let millions = |count: u64| i64::try_from(count).ok().map(|count| count * 1_000_000);
    let micros = |span: Option<Span>| span.and_then(|span| i64::try_from(span.micros()).ok());
    let group = &network.groups[0];
    let of_lanes = |value: &dyn Fn(usize) -> Option<i64>| -> Vec<(Vec<String>, Option<i64>)> {
        let labels = |lane: usize| vec!["books".to_owned(), "sales".to_owned(), lane.to_string()];
        (0..group.partitions.len()).map(|lane| (labels(lane), value(lane))).collect()
    };
    let of_partitions = |value: &dyn Fn(usize) -> u64| -> Vec<(Vec<String>, Option<i64>)> {
        let labels = |partition: usize| vec!["sales".to_owned(), partition.to_string()];
        (0..3).map(|partition| (labels(partition), millions(value(partition)))).collect()
    };
    let senders = |value: &dyn Fn(usize) -> u64| -> Vec<(Vec<String>, Option<i64>)> {
        let named = network.producers.iter().enumerate();
        named.map(|(index, node)| (vec![node.name.clone()], millions(value(index)))).collect()
    };
    let pools = |value: &dyn Fn(usize) -> u64| -> Vec<(Vec<String>, Option<i64>)> {
        let named = network.pools.iter().enumerate();
        named.map(|(index, node)| (vec![node.name.clone()], millions(value(index)))).collect()
    };
    let books = |topic: &[&str], value| {
        vec![(["books"].iter().chain(topic).map(|label| (*label).to_owned()).collect::<Vec<_>>(), value)]
    };
    let dead = |name: &str, index: usize| (vec![name.to_owned()], millions(network.queues[index].waiting));
    for (metric, wanted) in [
        ("dlq_messages_ready", vec![dead("failed", 2), dead("dead-letters", 3)]),
        ("producer_messages_offered_total", senders(&|index| network.producers[index].offered)),
        ("producer_messages_sent_total", senders(&|index| network.producers[index].sent)),
        ("producer_messages_held_back", senders(&|index| network.producers[index].held_back)),
        ("producer_blocked", senders(&|index| u64::from(network.producers[index].is_blocked))),
        ("consumers_active", pools(&|index| network.pools[index].members)),
        ("consumers_wanted", pools(&|index| network.pools[index].count)),
        ("consumers_busy", pools(&|index| network.pools[index].busy)),
        (
            "kafka_topic_partition_current_offset",
            of_partitions(&|partition| network.topics[0].partitions[partition].log_end),
        ),
        (
            "kafka_topic_partition_oldest_offset",
            of_partitions(&|partition| network.topics[0].partitions[partition].log_start),
        ),
        ("kafka_consumergroup_members", books(&[], millions(group.members))),
        ("kafka_consumergroup_lag_sum", books(&["sales"], millions(group.lag))),
        ("consumergroup_oldest_unfinished_seconds", books(&["sales"], micros(group.oldest_unfinished))),
        ("consumergroup_records_done_total", books(&["sales"], millions(group.counts.done))),
        (
            "kafka_consumergroup_current_offset",
            of_lanes(&|lane| group.partitions[lane].committed.and_then(millions)),
        ),
        ("kafka_consumergroup_lag", of_lanes(&|lane| millions(group.partitions[lane].lag))),
        (
            "consumergroup_partition_oldest_unfinished_seconds",
            of_lanes(&|lane| micros(group.partitions[lane].oldest_unfinished)),
        ),
    ] {
        assert_eq!(recorded(metric, SECONDS), wanted, "{metric}");
    }
    assert!(group.lag > 50 && network.pools[1].members < network.pools[1].count);
    assert_eq!(recorded("broker_up", 55), [(vec![], Some(0))], "it is down from 50 s on");
}
