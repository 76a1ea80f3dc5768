//! The table: every setting once, with its names and its range.

use super::choices::{
    Acknowledge, ArrivalPattern, Autoscale, BrokerKind, Confirms, DeadLetters, Dedupe, DispatchOrder,
    OverflowPolicy, RetryAt, RetryDelay, Returns, SendPath, ServiceTime, Switch,
};
use super::choices::{
    Idempotence, LateMessages, OffsetReset, PartitionAssignor, ProcessingOrder, RetryBudgetKind,
    SchemaChange, SchemaCheck,
};
use super::setting::Setting;
use super::value::{AS_BROKER, NONE};
use super::{
    BROKER_MEMORY_MAX, COLD_START_CALLS_MAX, CONSUMERS_MAX, DISK_MAX_BYTES, KEYS_MAX, MESSAGE_WORK_MAX,
    PARTITIONS_MAX, SEED_MAX,
};

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Messages a second in thousandths, from 0 to [`super::super::rate::Rate::MAX`].
    Rate,
    /// The same, or `none`.
    RateOrNone,
    /// A whole number within `min..=max`.
    Count {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// The same, or one of `words`.
    CountOr {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
        /// What may stand instead.
        words: &'static [&'static str],
    },
    /// A whole number up to `max`, or `none`.
    Bound {
        /// The greatest.
        max: u64,
    },
    /// Seconds with at most six decimals, up to `max`.
    Seconds {
        /// The greatest, in seconds.
        max: u64,
    },
    /// The same, or one of `words`.
    SecondsOr {
        /// The greatest, in seconds.
        max: u64,
        /// What may stand instead.
        words: &'static [&'static str],
    },
    /// A share from 0 to 100 with at most four decimals.
    Percent,
    /// One of these names.
    Choice(&'static [&'static str]),
}

/// What a setting belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A producer.
    Producer,
    /// A queue.
    Queue,
    /// A pool of consumers, the members of a group among them.
    Consumers,
    /// A topic.
    Topic,
    /// A group.
    Group,
    /// The run as a whole.
    Run,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Which setting.
    pub setting: Setting,
    /// Its long name, unit last, as in scenario files.
    pub name: &'static str,
    /// Its short name, as in links and attributes.
    pub alias: &'static str,
    /// What values it takes.
    pub kind: Kind,
}

const OR_NONE: &[&str] = &[NONE];
const OR_BROKER_ALONE: &[&str] = &[AS_BROKER];
const OR_BROKER: &[&str] = &[NONE, AS_BROKER];
/// Ninety days.
const SPAN_MAX_SECONDS: u64 = 7_776_000;

/// The table: every setting once. Its order is the order of parameters in links.
pub const TABLE: &[Definition] = &[
    row(Setting::ProducerRate, "producer_rate_per_second", "p", Kind::Rate),
    row(Setting::ConsumerRate, "consumer_rate_per_second", "c", Kind::Rate),
    row(Setting::ConsumerCount, "consumer_count", "workers", Kind::Count { min: 1, max: CONSUMERS_MAX }),
    row(Setting::QueueBound, "queue_bound_messages", "capacity", Kind::Bound { max: BROKER_MEMORY_MAX }),
    row(Setting::Overflow, "overflow_policy", "overflow", Kind::Choice(OverflowPolicy::NAMES)),
    row(Setting::Arrivals, "arrival_pattern", "arrivals", Kind::Choice(ArrivalPattern::NAMES)),
    row(Setting::BurstSize, "burst_size_messages", "burst", Kind::Count { min: 1, max: 10_000 }),
    row(Setting::ServiceTime, "service_time_distribution", "work", Kind::Choice(ServiceTime::NAMES)),
    row(Setting::MessageWork, "message_work_messages", "size", Kind::Count { min: 1, max: MESSAGE_WORK_MAX }),
    row(Setting::MessageBytes, "message_size_bytes", "message_bytes", Kind::Count { min: 0, max: 1_000_000 }),
    row(Setting::MessagePriority, "message_priority", "priority", Kind::Count { min: 0, max: 255 }),
    row(Setting::MessageGroups, "message_group_count", "groups", Kind::Count { min: 1, max: 100_000 }),
    row(Setting::Broker, "broker_kind", "broker", Kind::Choice(BrokerKind::NAMES)),
    row(
        Setting::QueueBoundBytes,
        "queue_bound_bytes",
        "bytes",
        Kind::CountOr { min: 0, max: 4_000_000_000, words: OR_NONE },
    ),
    row(
        Setting::Ttl,
        "message_ttl_seconds",
        "ttl",
        Kind::SecondsOr { max: SPAN_MAX_SECONDS, words: OR_NONE },
    ),
    row(
        Setting::Retention,
        "message_retention_seconds",
        "retention",
        Kind::SecondsOr { max: SPAN_MAX_SECONDS, words: OR_BROKER },
    ),
    row(
        Setting::VisibilityTimeout,
        "visibility_timeout_seconds",
        "visibility",
        Kind::SecondsOr { max: 43_200, words: OR_BROKER },
    ),
    row(
        Setting::DeliveryLimit,
        "delivery_limit",
        "deliveries",
        Kind::CountOr { min: 0, max: 1_000, words: OR_BROKER },
    ),
    row(Setting::ReturnsTo, "return_place", "returns", Kind::Choice(Returns::NAMES)),
    row(Setting::Order, "dispatch_order", "order", Kind::Choice(DispatchOrder::NAMES)),
    row(Setting::PriorityLevels, "priority_level_max", "priorities", Kind::Count { min: 0, max: 255 }),
    row(Setting::DeadLetters, "dead_letters", "dlq", Kind::Choice(DeadLetters::NAMES)),
    row(
        Setting::DeadLetterRetention,
        "dead_letter_retention_seconds",
        "dlq_retention",
        Kind::SecondsOr { max: SPAN_MAX_SECONDS, words: OR_BROKER },
    ),
    row(Setting::Prefetch, "prefetch_messages", "prefetch", Kind::Count { min: 1, max: 10_000 }),
    row(Setting::FailureShare, "failure_share_percent", "fail", Kind::Percent),
    row(Setting::PoisonShare, "poison_share_percent", "poison", Kind::Percent),
    row(
        Setting::AttemptsMax,
        "attempts_max",
        "attempts",
        Kind::CountOr { min: 1, max: 1_000, words: OR_NONE },
    ),
    row(
        Setting::AttemptTimeout,
        "attempt_timeout_seconds",
        "timeout",
        Kind::SecondsOr { max: 43_200, words: OR_NONE },
    ),
    row(Setting::RetryAt, "retry_place", "retry", Kind::Choice(RetryAt::NAMES)),
    row(Setting::RetryDelay, "retry_delay_kind", "backoff", Kind::Choice(RetryDelay::NAMES)),
    row(Setting::RetryDelayBase, "retry_delay_seconds", "delay", Kind::Seconds { max: 43_200 }),
    row(Setting::RetryDelayCap, "retry_delay_max_seconds", "delay_max", Kind::Seconds { max: 43_200 }),
    row(Setting::Acknowledge, "acknowledge", "ack", Kind::Choice(Acknowledge::NAMES)),
    row(Setting::Dedupe, "dedupe_record", "dedupe", Kind::Choice(Dedupe::NAMES)),
    row(Setting::DrainLimit, "drain_limit_per_second", "drain", Kind::RateOrNone),
    row(Setting::DownstreamRate, "downstream_rate_per_second", "downstream", Kind::RateOrNone),
    row(
        Setting::DownstreamFailureShare,
        "downstream_failure_share_percent",
        "downstream_fail",
        Kind::Percent,
    ),
    row(Setting::CallLayers, "call_layer_count", "layers", Kind::Count { min: 1, max: 5 }),
    row(Setting::CallAttempts, "call_attempts_max", "tries", Kind::Count { min: 1, max: 10 }),
    row(
        Setting::BrokerMemory,
        "broker_memory_messages",
        "memory",
        Kind::Count { min: 1, max: BROKER_MEMORY_MAX },
    ),
    row(Setting::Seed, "seed", "seed", Kind::Count { min: 0, max: SEED_MAX }),
    row(Setting::RestartAfter, "restart_seconds", "restart", Kind::SecondsOr { max: 43_200, words: OR_NONE }),
    row(Setting::ColdStart, "cold_start_seconds", "cold_start", Kind::Seconds { max: 43_200 }),
    row(
        Setting::ColdStartCalls,
        "cold_start_calls",
        "cold_calls",
        Kind::Count { min: 0, max: COLD_START_CALLS_MAX },
    ),
    row(Setting::Autoscale, "autoscale_metric", "autoscale", Kind::Choice(Autoscale::NAMES)),
    row(
        Setting::ConsumerCountMin,
        "consumer_count_min",
        "workers_min",
        Kind::Count { min: 1, max: CONSUMERS_MAX },
    ),
    row(
        Setting::ConsumerCountMax,
        "consumer_count_max",
        "workers_max",
        Kind::Count { min: 1, max: CONSUMERS_MAX },
    ),
    row(
        Setting::AutoscaleBacklog,
        "autoscale_backlog_messages",
        "scale_backlog",
        Kind::Count { min: 1, max: 1_000_000 },
    ),
    row(Setting::AutoscaleUtilisation, "autoscale_utilisation_percent", "scale_cpu", Kind::Percent),
    row(
        Setting::AutoscaleInterval,
        "autoscale_interval_seconds",
        "scale_interval",
        Kind::Seconds { max: 3_600 },
    ),
    row(Setting::ScaleDownWindow, "scale_down_window_seconds", "scale_down", Kind::Seconds { max: 3_600 }),
    row(
        Setting::Deadline,
        "deadline_seconds",
        "deadline",
        Kind::SecondsOr { max: SPAN_MAX_SECONDS, words: OR_NONE },
    ),
    row(Setting::LateMessages, "late_messages", "late", Kind::Choice(LateMessages::NAMES)),
    row(Setting::WrongShare, "wrong_share_percent", "wrong", Kind::Percent),
    row(Setting::ReceiveBatch, "receive_batch_max", "batch", Kind::Count { min: 1, max: 1_000 }),
    row(Setting::BatchCost, "batch_cost_seconds", "batch_cost", Kind::Seconds { max: 43_200 }),
    row(Setting::RetryBudget, "retry_budget", "budget", Kind::Choice(RetryBudgetKind::NAMES)),
    row(Setting::SingleActive, "single_active_consumer", "single_active", Kind::Choice(Switch::NAMES)),
    row(
        Setting::BrokerDisk,
        "broker_disk_bytes",
        "disk",
        Kind::CountOr { min: 1, max: DISK_MAX_BYTES, words: OR_NONE },
    ),
    row(Setting::Confirms, "publisher_confirms", "confirms", Kind::Choice(Confirms::NAMES)),
    row(Setting::ConfirmLoss, "confirm_loss_share_percent", "confirm_loss", Kind::Percent),
    row(Setting::ConfirmTimeout, "confirm_timeout_seconds", "confirm_timeout", Kind::Seconds { max: 43_200 }),
    row(
        Setting::SendAttempts,
        "send_attempts_max",
        "send_attempts",
        Kind::CountOr { min: 1, max: 1_000, words: OR_NONE },
    ),
    row(
        Setting::UnconfirmedMax,
        "unconfirmed_max_messages",
        "unconfirmed",
        Kind::Count { min: 1, max: 10_000 },
    ),
    row(
        Setting::ShedAbove,
        "shed_above_messages",
        "shed_above",
        Kind::CountOr { min: 0, max: BROKER_MEMORY_MAX, words: OR_NONE },
    ),
    row(Setting::ShedShare, "shed_share_percent", "shed_share", Kind::Percent),
    row(Setting::ShapeLimit, "shape_limit_per_second", "shape", Kind::RateOrNone),
    row(Setting::SendPath, "send_path", "path", Kind::Choice(SendPath::NAMES)),
    row(
        Setting::CallTimeout,
        "call_timeout_seconds",
        "call_timeout",
        Kind::SecondsOr { max: 43_200, words: OR_NONE },
    ),
    row(Setting::MessageKeys, "message_key_count", "keys", Kind::Count { min: 0, max: KEYS_MAX }),
    row(Setting::HotKey, "hot_key_share_percent", "hot_key", Kind::Percent),
    row(Setting::Partitions, "partition_count", "partitions", Kind::Count { min: 1, max: PARTITIONS_MAX }),
    row(
        Setting::SegmentRecords,
        "segment_max_records",
        "segment",
        Kind::Count { min: 1, max: BROKER_MEMORY_MAX },
    ),
    row(Setting::Assignor, "partition_assignor", "assignor", Kind::Choice(PartitionAssignor::NAMES)),
    row(Setting::OffsetReset, "offset_reset", "offset_reset", Kind::Choice(OffsetReset::NAMES)),
    row(Setting::RebalanceTime, "rebalance_seconds", "rebalance", Kind::Seconds { max: 3_600 }),
    row(Setting::BlocksConsumer, "retry_blocks_consumer", "blocks", Kind::Choice(Switch::NAMES)),
    row(
        Setting::CommitInterval,
        "commit_interval_seconds",
        "commit_every",
        Kind::SecondsOr { max: 3_600, words: OR_BROKER_ALONE },
    ),
    row(Setting::CommitFailure, "commit_failure_share_percent", "commit_fail", Kind::Percent),
    row(Setting::Idempotence, "producer_idempotence", "idempotence", Kind::Choice(Idempotence::NAMES)),
    row(Setting::SchemaChange, "schema_change", "schema", Kind::Choice(SchemaChange::NAMES)),
    row(Setting::SchemaCheck, "schema_check", "schema_check", Kind::Choice(SchemaCheck::NAMES)),
    row(Setting::ProcessingOrder, "processing_order", "processing", Kind::Choice(ProcessingOrder::NAMES)),
];

const fn row(setting: Setting, name: &'static str, alias: &'static str, kind: Kind) -> Definition {
    Definition { setting, name, alias, kind }
}

impl Definition {
    /// The row of `setting`.
    #[must_use]
    pub fn of(setting: Setting) -> &'static Self {
        // Every setting has its row: a test walks them all. The first row is never used in place
        // of a missing one.
        TABLE.iter().find(|row| row.setting == setting).unwrap_or(&TABLE[0])
    }

    /// What the setting belongs to.
    #[must_use]
    pub const fn owner(&self) -> Owner {
        match self.setting {
            Setting::ProducerRate
            | Setting::Arrivals
            | Setting::BurstSize
            | Setting::MessageBytes
            | Setting::MessagePriority
            | Setting::MessageGroups
            | Setting::Deadline
            | Setting::Confirms
            | Setting::ConfirmLoss
            | Setting::ConfirmTimeout
            | Setting::SendAttempts
            | Setting::UnconfirmedMax
            | Setting::ShedAbove
            | Setting::ShedShare
            | Setting::ShapeLimit
            | Setting::SendPath
            | Setting::CallTimeout
            | Setting::MessageKeys
            | Setting::HotKey
            | Setting::Idempotence
            | Setting::SchemaChange
            | Setting::SchemaCheck => Owner::Producer,
            Setting::QueueBound
            | Setting::Overflow
            | Setting::Broker
            | Setting::QueueBoundBytes
            | Setting::Ttl
            | Setting::Retention
            | Setting::VisibilityTimeout
            | Setting::DeliveryLimit
            | Setting::ReturnsTo
            | Setting::Order
            | Setting::PriorityLevels
            | Setting::DeadLetters
            | Setting::SingleActive => Owner::Queue,
            Setting::DownstreamRate
            | Setting::BrokerMemory
            | Setting::Seed
            | Setting::BrokerDisk
            | Setting::DeadLetterRetention => Owner::Run,
            Setting::Partitions | Setting::SegmentRecords => Owner::Topic,
            Setting::Assignor
            | Setting::OffsetReset
            | Setting::RebalanceTime
            | Setting::BlocksConsumer
            | Setting::CommitInterval
            | Setting::CommitFailure
            | Setting::ProcessingOrder => Owner::Group,
            _ => Owner::Consumers,
        }
    }

    /// The row with that long or short name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|row| row.name == name || row.alias == name)
    }
}
