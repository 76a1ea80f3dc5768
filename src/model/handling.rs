//! How a pool of consumers handles messages, and what rules a queue follows, as its settings say.

use super::autoscaler::{ScaleRules, ScaleTarget};
use super::fate::FailureShares;
use super::group::assignors::Assignor;
use super::group::offsets::OffsetPolicy;
use super::group::reading::{CommitRules, ReadingRules, WorkOrder};
use super::partitioned_log::rules::LogRules;
use super::rate::Rate;
use super::retry::backoff::{Backoff, BackoffKind};
use super::retry::budget::RetryBudget;
use super::retry::{AtEnd, AttemptsCap, RetryPlace, RetryPolicy};
use super::settings::{
    Acknowledge, Autoscale, BrokerKind, DeadLetters, Dedupe, DispatchOrder, LateMessages, Limit, OffsetReset,
    PartitionAssignor, ProcessingOrder, RetryAt, RetryBudgetKind, RetryDelay, Returns, Settings, Switch,
};
use super::time::Span;
use super::work_queue::rules::{DeliveryLimit, Order, QueueRules, ReturnPlace};

/// How messages are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handling {
    /// Unacknowledged messages that one consumer is given one by one.
    pub prefetch: u32,
    /// Messages that one with empty hands takes at once: at least 1.
    pub batch: u32,
    /// How long that takes.
    pub batch_cost: Span,
    /// What fails.
    pub failures: FailureShares,
    /// What follows from a failure.
    pub retry: RetryPolicy,
    /// Whether a failed message goes back to its queue at once.
    pub requeues_at_once: bool,
    /// When consumers acknowledge.
    pub acknowledge: Acknowledge,
    /// When they write down that a message was done.
    pub dedupe: Dedupe,
    /// Messages a second that the pool starts at most.
    pub drain_limit: Option<Rate>,
    /// Layers of attempts between a consumer and what all share.
    pub call_layers: u64,
    /// Attempts in each layer.
    pub call_attempts: u64,
    /// Share of calls that fail, in millionths.
    pub call_failure_share: u32,
    /// When a consumer that crashed is started again by itself.
    pub restart_after: Option<Span>,
    /// How long a consumer that starts takes nothing.
    pub cold_start: Span,
    /// Calls that it makes meanwhile.
    pub cold_start_calls: u32,
    /// Share of messages that are done with a wrong result, in millionths.
    pub wrong_share: u32,
    /// Whether they skip messages that are too late already.
    pub skips_late: bool,
    /// What their retries are paid from.
    pub budget: RetryBudgetKind,
    /// What decides how many consumers there are, if anything but the dial does.
    pub scale: Option<ScaleRules>,
    /// Whether a member of a group that tries a record again does nothing else meanwhile.
    pub blocks_consumer: bool,
    /// Whether a group skips what it tries no longer, although it names a topic for it.
    pub skips_dead: bool,
}

impl Handling {
    /// As these settings say.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        // A limit on starts lets messages through one by one.
        let batch = if settings.drain_limit.is_some() { 1 } else { settings.receive_batch };
        // Who asks for batches asks with empty hands, and is given nothing meanwhile.
        let prefetch = if batch > 1 { 1 } else { settings.prefetch };
        Self {
            prefetch: u32::try_from(prefetch).unwrap_or(u32::MAX),
            batch: u32::try_from(batch).unwrap_or(u32::MAX),
            batch_cost: settings.batch_cost,
            failures: FailureShares { transient: settings.failure_share, poison: settings.poison_share },
            retry: retry_policy(settings),
            requeues_at_once: settings.retry_at == RetryAt::Queue,
            acknowledge: settings.acknowledge,
            dedupe: settings.dedupe,
            drain_limit: settings.drain_limit,
            call_layers: settings.call_layers,
            call_attempts: settings.call_attempts,
            call_failure_share: settings.downstream_failure_share,
            restart_after: settings.restart_after,
            cold_start: settings.cold_start,
            cold_start_calls: u32::try_from(settings.cold_start_calls).unwrap_or(u32::MAX),
            wrong_share: settings.wrong_share,
            skips_late: settings.late_messages == LateMessages::Skipped,
            budget: settings.retry_budget,
            scale: scale_rules(settings),
            blocks_consumer: settings.blocks_consumer == Switch::On,
            skips_dead: settings.dead_letters == DeadLetters::Skipped,
        }
    }

    /// Whether a message is worked on, acknowledged, and forgotten, unless it fails.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.acknowledge == Acknowledge::AfterWork
            && self.dedupe == Dedupe::Off
            && self.retry.attempt_timeout.is_none()
            && self.drain_limit.is_none()
            && self.wrong_share == 0
            && self.batch <= 1
            && self.batch_cost == Span::ZERO
    }

    /// Unacknowledged messages that one consumer may hold.
    #[must_use]
    pub fn most_in_hand(&self) -> u32 {
        self.prefetch.max(self.batch)
    }

    /// How long one attempt may take: at least a microsecond, so that time passes between attempts.
    #[must_use]
    pub fn attempt_timeout(&self) -> Option<Span> {
        self.retry.attempt_timeout.map(|timeout| timeout.max(Span::from_micros(1)))
    }

    /// What their retries are paid from, full.
    #[must_use]
    pub fn full_budget(&self) -> RetryBudget {
        match self.budget {
            RetryBudgetKind::None => RetryBudget::Unlimited,
            RetryBudgetKind::Grpc => RetryBudget::grpc(),
            RetryBudgetKind::Aws => RetryBudget::aws(),
            RetryBudgetKind::Finagle => RetryBudget::finagle(),
        }
    }

    /// The attempts of all layers of one call.
    #[must_use]
    pub fn layers(&self) -> Vec<AttemptsCap> {
        (0..self.call_layers).map(|_| AttemptsCap::AtMost(self.call_attempts)).collect()
    }
}

fn scale_rules(settings: &Settings) -> Option<ScaleRules> {
    let target = match settings.autoscale {
        Autoscale::Off => return None,
        Autoscale::Backlog => ScaleTarget::Backlog(settings.autoscale_backlog),
        Autoscale::Cpu => ScaleTarget::Cpu(settings.autoscale_utilisation),
    };
    Some(ScaleRules {
        target,
        min: settings.consumer_count_min,
        max: settings.consumer_count_max,
        interval: settings.autoscale_interval,
        down_window: settings.scale_down_window,
    })
}

fn retry_policy(settings: &Settings) -> RetryPolicy {
    RetryPolicy {
        attempts: settings.attempts_max.map_or(AttemptsCap::Endless, AttemptsCap::AtMost),
        attempt_timeout: settings.attempt_timeout,
        backoff: Backoff {
            kind: match settings.retry_delay {
                RetryDelay::Fixed => BackoffKind::Fixed,
                RetryDelay::Exponential => BackoffKind::Exponential,
                RetryDelay::FullJitter => BackoffKind::FullJitter,
                RetryDelay::EqualJitter => BackoffKind::EqualJitter,
                RetryDelay::DecorrelatedJitter => BackoffKind::DecorrelatedJitter,
            },
            base: settings.retry_delay_base,
            cap: settings.retry_delay_cap,
        },
        place: match settings.retry_at {
            RetryAt::InPlace => RetryPlace::InPlace,
            RetryAt::Queue | RetryAt::RetryQueue => RetryPlace::RetryQueue,
        },
        // Nobody can tell by looking at a message that it is poison.
        retries_permanent: true,
        at_end: AtEnd::DeadLetter,
    }
}

/// The rules of a queue of the imitated broker.
#[must_use]
pub fn broker_rules(broker: BrokerKind) -> QueueRules {
    match broker {
        BrokerKind::Plain | BrokerKind::Kafka => QueueRules::default(),
        BrokerKind::RabbitMqClassic => QueueRules::rabbitmq_classic(),
        BrokerKind::RabbitMqQuorum40 => QueueRules::rabbitmq_quorum_4_0(),
        BrokerKind::SqsStandard => QueueRules::sqs_standard(),
        BrokerKind::SqsFifo => QueueRules::sqs_fifo(),
    }
}

/// The rules of a queue with these settings: those of the imitated broker, and what is set beside.
#[must_use]
pub fn queue_rules(settings: &Settings) -> QueueRules {
    let broker = broker_rules(settings.broker);
    QueueRules {
        bound: settings.queue_bound,
        bound_bytes: settings.queue_bound_bytes,
        overflow: settings.overflow,
        order: match settings.order {
            DispatchOrder::AsBroker => broker.order,
            DispatchOrder::NewestFirst => Order::LastInFirstOut,
        },
        return_place: return_place(settings.returns, broker.return_place),
        delivery_limit: delivery_limit(settings, broker.delivery_limit),
        ttl: settings.ttl,
        retention: settings.retention.or(broker.retention),
        visibility_timeout: settings.visibility_timeout.or(broker.visibility_timeout),
        priority_max: u8::try_from(settings.priority_levels).unwrap_or(u8::MAX),
        single_active_consumer: settings.single_active == Switch::On,
        ..broker
    }
}

/// The rules of a topic with these settings. It looks for segments to delete every second, so that what
/// it keeps can be told from its settings alone; as Kafka, every five minutes
/// (`log.retention.check.interval.ms`).
#[must_use]
pub fn log_rules(settings: &Settings) -> LogRules {
    let usual = LogRules::default();
    let is_kafka = settings.broker == BrokerKind::Kafka;
    LogRules {
        segment_records: Some(settings.segment_records),
        retention_time: settings.retention.or(usual.retention_time),
        check_interval: if is_kafka { usual.check_interval } else { Span::from_seconds(1) },
        ..usual
    }
}

/// How a group with these settings reads. As Kafka's clients, its members commit every five seconds
/// (`auto.commit.interval.ms`); otherwise each record.
#[must_use]
pub fn reading_rules(settings: &Settings) -> ReadingRules {
    let is_kafka = settings.broker == BrokerKind::Kafka;
    let interval = if is_kafka { Span::from_seconds(5) } else { Span::ZERO };
    ReadingRules {
        commits: CommitRules {
            interval: settings.commit_interval.unwrap_or(interval),
            failure_share: settings.commit_failure_share,
        },
        assignor: match settings.assignor {
            PartitionAssignor::Range => Assignor::Range,
            PartitionAssignor::RoundRobin => Assignor::RoundRobin,
            PartitionAssignor::Sticky => Assignor::Sticky,
            PartitionAssignor::CooperativeSticky => Assignor::CooperativeSticky,
        },
        policy: match settings.offset_reset {
            OffsetReset::Earliest => OffsetPolicy::Earliest,
            OffsetReset::Latest => OffsetPolicy::Latest,
            OffsetReset::Fail => OffsetPolicy::Fail,
        },
        rebalance_time: settings.rebalance_time,
        order: match settings.processing_order {
            ProcessingOrder::Partition => WorkOrder::Partition,
            ProcessingOrder::Key => WorkOrder::Key,
            ProcessingOrder::Unordered => WorkOrder::Unordered,
        },
    }
}

const fn return_place(returns: Returns, broker: ReturnPlace) -> ReturnPlace {
    match returns {
        Returns::AsBroker => broker,
        Returns::Original => ReturnPlace::OriginalPosition,
        Returns::Front => ReturnPlace::FrontInOrderOfReturn,
        Returns::Back => ReturnPlace::Back,
        Returns::Anywhere => ReturnPlace::Anywhere,
    }
}

/// SQS counts receives; the others count returns.
fn delivery_limit(settings: &Settings, broker: Option<DeliveryLimit>) -> Option<DeliveryLimit> {
    let counts_receives = matches!(settings.broker, BrokerKind::SqsStandard | BrokerKind::SqsFifo);
    match settings.delivery_limit {
        Limit::AsBroker => broker,
        Limit::None => None,
        Limit::At(limit) => {
            let limit = u32::try_from(limit).unwrap_or(u32::MAX);
            Some(if counts_receives { DeliveryLimit::Receives(limit) } else { DeliveryLimit::Returns(limit) })
        }
    }
}
