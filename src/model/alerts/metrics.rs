//! What a run offers to alert rules: its gauges and counters, by name, with their labels.
//!
//! Names and labels are those of kafka_exporter for topics and groups, and read like those of RabbitMQ's
//! own exporter for queues; where neither has such a metric, the name is our own. A counter's name ends in
//! `_total`. Ages are seconds; what is yes or no is 1 or 0. Summed over its partitions, a group's lag is a
//! metric of its own, as in kafka_exporter, so that no rule has to add up.

/// A metric, by what it speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// The whole run.
    Run(OfRun),
    /// Each queue.
    Queue(OfQueue),
    /// Each queue and producer: since when the oldest message of that producer waits there.
    OldestOfProducer,
    /// Each queue that takes in dead letters: how many wait there.
    DeadLetters,
    /// Each producer.
    Producer(OfProducer),
    /// Each pool of consumers, groups included.
    Consumers(OfConsumers),
    /// Each partition of a topic.
    Partition(OfPartition),
    /// Each group.
    Group(OfGroup),
    /// Each group in each partition of its topic.
    Lane(OfLane),
}

/// What is there once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfRun {
    /// Whether the broker is up.
    BrokerUp,
    /// Messages that the broker holds.
    BrokerMessages,
    /// Whether the broker's memory is full.
    MemoryAlarm,
    /// Whether the broker's disk is full.
    DiskAlarm,
    /// Messages finished in time and with the right result.
    Done,
    /// Messages that became dead letters.
    DeadLettered,
    /// Attempts that failed.
    FailedAttempts,
    /// Side effects of messages that had one before.
    DuplicateSideEffects,
    /// Calls that came to what consumers share.
    CallsAsked,
    /// Calls that were answered there.
    CallsAnswered,
    /// Calls that wait there or are being answered.
    CallsPending,
}

/// What each queue has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfQueue {
    /// Messages that wait.
    Ready,
    /// Messages that are with consumers.
    Unacked,
    /// Messages that wait until they may be tried again.
    Delayed,
    /// How long the oldest waiting message has waited.
    OldestAge,
    /// Messages taken in.
    Published,
    /// Messages acknowledged.
    Acked,
    /// Deliveries, first and later ones.
    Delivered,
    /// Deliveries of messages that had been delivered before.
    Redelivered,
    /// Messages refused with word to the sender.
    Rejected,
    /// Messages dropped at the bound, new and oldest.
    Dropped,
    /// Messages that waited longer than they may.
    Expired,
}

/// What each producer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfProducer {
    /// Messages it has presented.
    Offered,
    /// Messages that left its hand.
    Sent,
    /// Messages it holds and cannot hand over.
    HeldBack,
    /// Whether it must wait.
    Blocked,
}

/// What each pool of consumers has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfConsumers {
    /// Consumers that are alive and connected.
    Active,
    /// Consumers that there shall be.
    Wanted,
    /// Consumers that have a message in hand.
    Busy,
}

/// What each partition of a topic has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfPartition {
    /// The offset that the next record will get.
    LogEnd,
    /// The first offset that can still be read.
    LogStart,
}

/// What each group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfGroup {
    /// Its members.
    Members,
    /// Its lag, summed over all partitions in which it has committed anything.
    LagSum,
    /// Age of the oldest record that it has not committed and can still read.
    OldestUnfinished,
    /// Records done in time and with the right result.
    Done,
}

/// What each group has in each partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfLane {
    /// The offset up to which everything is done or given up.
    Committed,
    /// Log end less committed offset; -1 where nothing is committed.
    Lag,
    /// Age of the oldest record that is not committed and can still be read.
    OldestUnfinished,
}

/// Every metric by its name.
pub const METRICS: [(&str, Metric); 40] = [
    ("broker_up", Metric::Run(OfRun::BrokerUp)),
    ("broker_messages", Metric::Run(OfRun::BrokerMessages)),
    ("broker_memory_alarm", Metric::Run(OfRun::MemoryAlarm)),
    ("broker_disk_alarm", Metric::Run(OfRun::DiskAlarm)),
    ("messages_done_total", Metric::Run(OfRun::Done)),
    ("messages_dead_lettered_total", Metric::Run(OfRun::DeadLettered)),
    ("attempts_failed_total", Metric::Run(OfRun::FailedAttempts)),
    ("duplicate_side_effects_total", Metric::Run(OfRun::DuplicateSideEffects)),
    ("downstream_calls_total", Metric::Run(OfRun::CallsAsked)),
    ("downstream_answers_total", Metric::Run(OfRun::CallsAnswered)),
    ("downstream_calls_pending", Metric::Run(OfRun::CallsPending)),
    ("queue_messages_ready", Metric::Queue(OfQueue::Ready)),
    ("queue_messages_unacked", Metric::Queue(OfQueue::Unacked)),
    ("queue_messages_delayed", Metric::Queue(OfQueue::Delayed)),
    ("queue_oldest_message_age_seconds", Metric::Queue(OfQueue::OldestAge)),
    ("queue_oldest_message_of_producer_age_seconds", Metric::OldestOfProducer),
    ("queue_messages_published_total", Metric::Queue(OfQueue::Published)),
    ("queue_messages_acked_total", Metric::Queue(OfQueue::Acked)),
    ("queue_messages_delivered_total", Metric::Queue(OfQueue::Delivered)),
    ("queue_messages_redelivered_total", Metric::Queue(OfQueue::Redelivered)),
    ("queue_messages_rejected_total", Metric::Queue(OfQueue::Rejected)),
    ("queue_messages_dropped_total", Metric::Queue(OfQueue::Dropped)),
    ("queue_messages_expired_total", Metric::Queue(OfQueue::Expired)),
    ("dlq_messages_ready", Metric::DeadLetters),
    ("producer_messages_offered_total", Metric::Producer(OfProducer::Offered)),
    ("producer_messages_sent_total", Metric::Producer(OfProducer::Sent)),
    ("producer_messages_held_back", Metric::Producer(OfProducer::HeldBack)),
    ("producer_blocked", Metric::Producer(OfProducer::Blocked)),
    ("consumers_active", Metric::Consumers(OfConsumers::Active)),
    ("consumers_wanted", Metric::Consumers(OfConsumers::Wanted)),
    ("consumers_busy", Metric::Consumers(OfConsumers::Busy)),
    ("kafka_topic_partition_current_offset", Metric::Partition(OfPartition::LogEnd)),
    ("kafka_topic_partition_oldest_offset", Metric::Partition(OfPartition::LogStart)),
    ("kafka_consumergroup_members", Metric::Group(OfGroup::Members)),
    ("kafka_consumergroup_lag_sum", Metric::Group(OfGroup::LagSum)),
    ("consumergroup_oldest_unfinished_seconds", Metric::Group(OfGroup::OldestUnfinished)),
    ("consumergroup_records_done_total", Metric::Group(OfGroup::Done)),
    ("kafka_consumergroup_current_offset", Metric::Lane(OfLane::Committed)),
    ("kafka_consumergroup_lag", Metric::Lane(OfLane::Lag)),
    ("consumergroup_partition_oldest_unfinished_seconds", Metric::Lane(OfLane::OldestUnfinished)),
];

impl Metric {
    /// The metric of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        METRICS.iter().find(|(own, _)| *own == name).map(|(_, metric)| *metric)
    }

    /// The names of its labels, in the order in which their values come.
    #[must_use]
    pub const fn labels(self) -> &'static [&'static str] {
        match self {
            Self::Run(_) => &[],
            Self::Queue(_) | Self::DeadLetters => &["queue"],
            Self::OldestOfProducer => &["queue", "producer"],
            Self::Producer(_) => &["producer"],
            Self::Consumers(_) => &["consumers"],
            Self::Partition(_) => &["topic", "partition"],
            Self::Group(OfGroup::Members) => &["consumergroup"],
            Self::Group(_) => &["consumergroup", "topic"],
            Self::Lane(_) => &["consumergroup", "topic", "partition"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_name_of_its_own() {
        for (name, metric) in METRICS {
            assert_eq!(Metric::named(name), Some(metric), "{name}");
            assert_eq!(METRICS.iter().filter(|(_, other)| *other == metric).count(), 1, "{name}");
        }
        assert_eq!(Metric::named("lag"), None);
    }
}
