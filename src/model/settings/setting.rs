//! Which settings there are.

/// The settings by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// [`super::Settings::producer_rate`]
    ProducerRate,
    /// [`super::Settings::consumer_rate`]
    ConsumerRate,
    /// [`super::Settings::consumer_count`]
    ConsumerCount,
    /// [`super::Settings::queue_bound`]
    QueueBound,
    /// [`super::Settings::overflow`]
    Overflow,
    /// [`super::Settings::arrivals`]
    Arrivals,
    /// [`super::Settings::burst_size`]
    BurstSize,
    /// [`super::Settings::service_time`]
    ServiceTime,
    /// [`super::Settings::message_work`]
    MessageWork,
    /// [`super::Settings::message_bytes`]
    MessageBytes,
    /// [`super::Settings::message_priority`]
    MessagePriority,
    /// [`super::Settings::message_groups`]
    MessageGroups,
    /// [`super::Settings::broker`]
    Broker,
    /// [`super::Settings::queue_bound_bytes`]
    QueueBoundBytes,
    /// [`super::Settings::ttl`]
    Ttl,
    /// [`super::Settings::retention`]
    Retention,
    /// [`super::Settings::visibility_timeout`]
    VisibilityTimeout,
    /// [`super::Settings::delivery_limit`]
    DeliveryLimit,
    /// [`super::Settings::returns`]
    ReturnsTo,
    /// [`super::Settings::order`]
    Order,
    /// [`super::Settings::priority_levels`]
    PriorityLevels,
    /// [`super::Settings::dead_letters`]
    DeadLetters,
    /// [`super::Settings::dead_letter_retention`]
    DeadLetterRetention,
    /// [`super::Settings::prefetch`]
    Prefetch,
    /// [`super::Settings::failure_share`]
    FailureShare,
    /// [`super::Settings::poison_share`]
    PoisonShare,
    /// [`super::Settings::attempts_max`]
    AttemptsMax,
    /// [`super::Settings::attempt_timeout`]
    AttemptTimeout,
    /// [`super::Settings::retry_at`]
    RetryAt,
    /// [`super::Settings::retry_delay`]
    RetryDelay,
    /// [`super::Settings::retry_delay_base`]
    RetryDelayBase,
    /// [`super::Settings::retry_delay_cap`]
    RetryDelayCap,
    /// [`super::Settings::acknowledge`]
    Acknowledge,
    /// [`super::Settings::dedupe`]
    Dedupe,
    /// [`super::Settings::drain_limit`]
    DrainLimit,
    /// [`super::Settings::downstream_rate`]
    DownstreamRate,
    /// [`super::Settings::downstream_failure_share`]
    DownstreamFailureShare,
    /// [`super::Settings::call_layers`]
    CallLayers,
    /// [`super::Settings::call_attempts`]
    CallAttempts,
    /// [`super::Settings::broker_memory`]
    BrokerMemory,
    /// [`super::Settings::seed`]
    Seed,
    /// [`super::Settings::restart_after`]
    RestartAfter,
    /// [`super::Settings::cold_start`]
    ColdStart,
    /// [`super::Settings::cold_start_calls`]
    ColdStartCalls,
    /// [`super::Settings::autoscale`]
    Autoscale,
    /// [`super::Settings::consumer_count_min`]
    ConsumerCountMin,
    /// [`super::Settings::consumer_count_max`]
    ConsumerCountMax,
    /// [`super::Settings::autoscale_backlog`]
    AutoscaleBacklog,
    /// [`super::Settings::autoscale_utilisation`]
    AutoscaleUtilisation,
    /// [`super::Settings::autoscale_interval`]
    AutoscaleInterval,
    /// [`super::Settings::scale_down_window`]
    ScaleDownWindow,
    /// [`super::Settings::deadline`]
    Deadline,
    /// [`super::Settings::late_messages`]
    LateMessages,
    /// [`super::Settings::wrong_share`]
    WrongShare,
    /// [`super::Settings::receive_batch`]
    ReceiveBatch,
    /// [`super::Settings::batch_cost`]
    BatchCost,
    /// [`super::Settings::retry_budget`]
    RetryBudget,
    /// [`super::Settings::single_active`]
    SingleActive,
    /// [`super::Settings::broker_disk`]
    BrokerDisk,
    /// [`super::Settings::confirms`]
    Confirms,
    /// [`super::Settings::confirm_loss_share`]
    ConfirmLoss,
    /// [`super::Settings::confirm_timeout`]
    ConfirmTimeout,
    /// [`super::Settings::send_attempts_max`]
    SendAttempts,
    /// [`super::Settings::unconfirmed_max`]
    UnconfirmedMax,
    /// [`super::Settings::shed_above`]
    ShedAbove,
    /// [`super::Settings::shed_share`]
    ShedShare,
    /// [`super::Settings::shape_limit`]
    ShapeLimit,
    /// [`super::Settings::send_path`]
    SendPath,
    /// [`super::Settings::call_timeout`]
    CallTimeout,
    /// [`super::Settings::message_keys`]
    MessageKeys,
    /// [`super::Settings::hot_key_share`]
    HotKey,
    /// [`super::Settings::partitions`]
    Partitions,
    /// [`super::Settings::segment_records`]
    SegmentRecords,
    /// [`super::Settings::assignor`]
    Assignor,
    /// [`super::Settings::offset_reset`]
    OffsetReset,
    /// [`super::Settings::rebalance_time`]
    RebalanceTime,
    /// [`super::Settings::blocks_consumer`]
    BlocksConsumer,
    /// [`super::Settings::commit_interval`]
    CommitInterval,
    /// [`super::Settings::commit_failure_share`]
    CommitFailure,
    /// [`super::Settings::idempotence`]
    Idempotence,
    /// [`super::Settings::schema_change`]
    SchemaChange,
    /// [`super::Settings::schema_check`]
    SchemaCheck,
    /// [`super::Settings::processing_order`]
    ProcessingOrder,
}
