//! The settings of a run, and the one table that links, attributes, scenario files and dials are
//! made from.

mod access;
mod choices;
mod consuming;
mod logging;
mod setting;
mod table;
mod value;

pub use choices::{
    Acknowledge, ArrivalPattern, Autoscale, BrokerKind, Confirms, DeadLetters, Dedupe, DispatchOrder,
    Idempotence, LateMessages, OffsetReset, OverflowPolicy, PartitionAssignor, ProcessingOrder, RetryAt,
    RetryBudgetKind, RetryDelay, Returns, SchemaChange, SchemaCheck, SendPath, ServiceTime, Switch,
};
pub use setting::Setting;
pub use table::{Definition, Kind, Owner, TABLE};
pub use value::{AS_BROKER, Bound, Limit, NONE, Problem, Value};

use super::rate::Rate;
use super::time::Span;

/// The most messages the model holds in all, and the default of `broker_memory_messages`.
pub const BROKER_MEMORY_MAX: u64 = 4_000_000;

/// The most messages one burst may bring.
pub const BURST_MAX: u64 = 4_000_000;

/// The most consumers of one queue.
pub const CONSUMERS_MAX: u64 = 64;

/// The most calls that one consumer makes as it starts.
pub const COLD_START_CALLS_MAX: u64 = 1_000;

/// The most work one message may be, in ordinary messages.
pub const MESSAGE_WORK_MAX: u64 = 1_000_000;

/// The most partitions of a topic at its start.
pub const PARTITIONS_MAX: u64 = 128;

/// The key that many records have, where [`Settings::hot_key_share`] says so.
pub const HOT_KEY: u64 = 0;

/// The most keys of a producer's records.
pub const KEYS_MAX: u64 = 100_000;

/// The largest disk of a broker, in bytes.
pub const DISK_MAX_BYTES: u64 = 1_000_000_000_000;

/// The largest seed: every whole number up to here is exact in JSON and JavaScript (2⁵³ − 1).
pub const SEED_MAX: u64 = (1 << 53) - 1;

/// All settings of a run with one producer, one queue and one pool of consumers, or of one node
/// among several. Every value is within its range; [`Definition::read`] is the only way in for
/// values from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Messages a second that the producer wants to send.
    pub producer_rate: Rate,
    /// Messages a second that each consumer finishes.
    pub consumer_rate: Rate,
    /// Consumers: 1 to 64.
    pub consumer_count: u64,
    /// How many messages may wait.
    pub queue_bound: Bound,
    /// What happens at the bound.
    pub overflow: OverflowPolicy,
    /// How arrivals are spaced.
    pub arrivals: ArrivalPattern,
    /// Messages that arrive together where arrivals come in bursts: 1 to 10,000.
    pub burst_size: u64,
    /// How long one message takes.
    pub service_time: ServiceTime,
    /// The mean work of a message, in ordinary messages: 1 to 1,000,000. 15 at a rate of 1 takes 15 seconds.
    pub message_work: u64,
    /// The length of a message in bytes.
    pub message_bytes: u64,
    /// The priority of the producer's messages: 0 to 255.
    pub message_priority: u64,
    /// Message groups that the producer's messages belong to, drawn for each message: 1 to 100,000.
    pub message_groups: u64,
    /// Which broker's queue is imitated. Holds from the start.
    pub broker: BrokerKind,
    /// How many bytes may wait.
    pub queue_bound_bytes: Option<u64>,
    /// How long a message may wait.
    pub ttl: Option<Span>,
    /// How long a message is kept, delivered or not.
    pub retention: Limit<Span>,
    /// How long dead letters are kept where they lie; as the broker: as that queue or topic keeps
    /// everything.
    pub dead_letter_retention: Limit<Span>,
    /// How long a delivery stays hidden from others.
    pub visibility_timeout: Limit<Span>,
    /// How often a message may be delivered, counted as the imitated broker counts it.
    pub delivery_limit: Limit<u64>,
    /// Where a message goes that comes back.
    pub returns: Returns,
    /// Which waiting message goes first. Holds from the start.
    pub order: DispatchOrder,
    /// The highest priority level; 0: no priorities. Holds from the start.
    pub priority_levels: u64,
    /// What becomes of messages that die.
    pub dead_letters: DeadLetters,
    /// Unacknowledged messages that a consumer may hold: 1 to 10,000.
    pub prefetch: u64,
    /// Share of attempts that fail and may succeed the next time, in millionths.
    pub failure_share: u32,
    /// Share of messages that fail every time, in millionths.
    pub poison_share: u32,
    /// Attempts that a message gets, the first included.
    pub attempts_max: Option<u64>,
    /// How long one attempt may take.
    pub attempt_timeout: Option<Span>,
    /// Where a failed message is tried again.
    pub retry_at: RetryAt,
    /// How long retries wait.
    pub retry_delay: RetryDelay,
    /// The first wait.
    pub retry_delay_base: Span,
    /// The longest wait.
    pub retry_delay_cap: Span,
    /// When a consumer acknowledges.
    pub acknowledge: Acknowledge,
    /// When a consumer writes down that it has done a message.
    pub dedupe: Dedupe,
    /// Messages a second that all consumers of the pool start together at most.
    pub drain_limit: Option<Rate>,
    /// Calls a second that the database the consumers share answers; none: it is not there.
    pub downstream_rate: Option<Rate>,
    /// Share of its calls that fail, in millionths.
    pub downstream_failure_share: u32,
    /// Layers of retries between a consumer and the database: 1 to 5.
    pub call_layers: u64,
    /// Attempts in each of these layers: 1 to 10.
    pub call_attempts: u64,
    /// Messages the broker holds before its memory alarm blocks publishers: 1 to 4,000,000.
    pub broker_memory: u64,
    /// The seed of all draws: 0 to 2⁵³ − 1.
    pub seed: u64,
    /// When a consumer that crashed is started again by itself; none: never.
    pub restart_after: Option<Span>,
    /// How long a consumer that starts takes nothing.
    pub cold_start: Span,
    /// Calls that a consumer makes to what all share as it starts: 0 to 1,000.
    pub cold_start_calls: u64,
    /// What an autoscaler looks at.
    pub autoscale: Autoscale,
    /// The fewest consumers that the autoscaler wants: 1 to 64.
    pub consumer_count_min: u64,
    /// The most consumers that the autoscaler wants: 1 to 64.
    pub consumer_count_max: u64,
    /// Messages waiting for each consumer that the autoscaler aims at: 1 to 1,000,000.
    pub autoscale_backlog: u64,
    /// Share of the consumers' time that the autoscaler aims at, in millionths.
    pub autoscale_utilisation: u32,
    /// The time between two looks of the autoscaler.
    pub autoscale_interval: Span,
    /// How long the greatest desire of the autoscaler holds before there are fewer consumers.
    pub scale_down_window: Span,
    /// How long after it was offered a message may be done; later it is too late.
    pub deadline: Option<Span>,
    /// What consumers do with messages that are too late already.
    pub late_messages: LateMessages,
    /// Share of messages that are done with a wrong result until a fix is deployed, in millionths.
    pub wrong_share: u32,
    /// Messages that a consumer with empty hands takes at once: 1 to 1,000.
    pub receive_batch: u64,
    /// How long it takes a consumer to take a batch, whatever its size, before it works.
    pub batch_cost: Span,
    /// What keeps retries from becoming most of the load.
    pub retry_budget: RetryBudgetKind,
    /// Whether only one consumer at a time is given messages, until it goes away. Holds from the start.
    pub single_active: Switch,
    /// Bytes of messages the broker's disk holds before its disk alarm blocks publishers: 1 to 10¹².
    pub broker_disk: Option<u64>,
    /// How the producer learns what became of a message that it sent.
    pub confirms: Confirms,
    /// Share of awaited confirms that are lost, in millionths.
    pub confirm_loss_share: u32,
    /// How long the producer waits for a confirm before it sends the message again.
    pub confirm_timeout: Span,
    /// How often the producer sends one message, the first time included.
    pub send_attempts_max: Option<u64>,
    /// Messages without a confirm with which the producer goes on sending: 1 to 10,000.
    pub unconfirmed_max: u64,
    /// While more wait in its queue, the producer does not send what is of low value.
    pub shed_above: Option<u64>,
    /// Share of the producer's messages that are of low value, in millionths.
    pub shed_share: u32,
    /// Messages a second that the producer hands over at most; it holds back the rest and sends it later.
    pub shape_limit: Option<Rate>,
    /// Which way the producer's messages go.
    pub send_path: SendPath,
    /// How long the producer waits for the answer to a direct call; none: for ever.
    pub call_timeout: Option<Span>,
    /// Keys that the producer's records have, drawn for each message: 0 to 100,000. 0: no key, so that
    /// records go to all partitions in turn. Queues do not look at keys.
    pub message_keys: u64,
    /// Of the producer's records, those that have one and the same key, whatever keys there are, in
    /// millionths. Queues do not look at keys.
    pub hot_key_share: u32,
    /// Partitions of the topic: 1 to 128. Holds from the start.
    pub partitions: u64,
    /// Records of one segment of a partition at most: 1 to 4,000,000.
    pub segment_records: u64,
    /// How the group gives partitions to its members. Holds from the start.
    pub assignor: PartitionAssignor,
    /// Where a reader of the group goes on that has no usable offset.
    pub offset_reset: OffsetReset,
    /// How long a round of a rebalance of the group takes at least.
    pub rebalance_time: Span,
    /// Whether a member that tries a record again does nothing else meanwhile.
    pub blocks_consumer: Switch,
    /// How much time passes between two commits of a partition; zero: each record is committed; `None`:
    /// as the broker's clients do.
    pub commit_interval: Option<Span>,
    /// Commits of the group that do not get through, in millionths.
    pub commit_failure_share: u32,
    /// Whether a topic knows what the producer sends again.
    pub idempotence: Idempotence,
    /// What the producer changes in the schema of its messages when it registers the change.
    pub schema_change: SchemaChange,
    /// What the registry asks of that change.
    pub schema_check: SchemaCheck,
    /// In which order the group works on the records of a partition. Holds from the start.
    pub processing_order: ProcessingOrder,
}

/// The defaults: two dials at six a second, a bound of 60, and everything else off.
const DEFAULT: Settings = Settings {
    producer_rate: Rate::from_per_second(6),
    consumer_rate: Rate::from_per_second(6),
    consumer_count: 1,
    queue_bound: Bound::Messages(60),
    overflow: OverflowPolicy::DropNew,
    arrivals: ArrivalPattern::Steady,
    burst_size: 10,
    service_time: ServiceTime::Fixed,
    message_work: 1,
    message_bytes: 0,
    message_priority: 0,
    message_groups: 1,
    broker: BrokerKind::Plain,
    queue_bound_bytes: None,
    ttl: None,
    retention: Limit::AsBroker,
    dead_letter_retention: Limit::AsBroker,
    visibility_timeout: Limit::AsBroker,
    delivery_limit: Limit::AsBroker,
    returns: Returns::AsBroker,
    order: DispatchOrder::AsBroker,
    priority_levels: 0,
    dead_letters: DeadLetters::Discarded,
    prefetch: 1,
    failure_share: 0,
    poison_share: 0,
    attempts_max: None,
    attempt_timeout: None,
    retry_at: RetryAt::Queue,
    retry_delay: RetryDelay::Fixed,
    retry_delay_base: Span::from_seconds(1),
    retry_delay_cap: Span::from_seconds(60),
    acknowledge: Acknowledge::AfterWork,
    dedupe: Dedupe::Off,
    drain_limit: None,
    downstream_rate: None,
    downstream_failure_share: 0,
    call_layers: 1,
    call_attempts: 1,
    broker_memory: BROKER_MEMORY_MAX,
    seed: 1,
    restart_after: None,
    cold_start: Span::ZERO,
    cold_start_calls: 0,
    autoscale: Autoscale::Off,
    consumer_count_min: 1,
    consumer_count_max: 10,
    autoscale_backlog: 10,
    autoscale_utilisation: 800_000,
    autoscale_interval: Span::from_seconds(15),
    scale_down_window: Span::from_seconds(300),
    deadline: None,
    late_messages: LateMessages::Worked,
    wrong_share: 0,
    receive_batch: 1,
    batch_cost: Span::ZERO,
    retry_budget: RetryBudgetKind::None,
    single_active: Switch::Off,
    broker_disk: None,
    confirms: Confirms::Instant,
    confirm_loss_share: 0,
    confirm_timeout: Span::from_seconds(5),
    send_attempts_max: Some(3),
    unconfirmed_max: 128,
    shed_above: None,
    shed_share: 1_000_000,
    shape_limit: None,
    send_path: SendPath::Queue,
    call_timeout: None,
    message_keys: 0,
    hot_key_share: 0,
    partitions: 3,
    segment_records: 1_000,
    assignor: PartitionAssignor::Range,
    offset_reset: OffsetReset::Latest,
    rebalance_time: Span::ZERO,
    blocks_consumer: Switch::Off,
    commit_interval: None,
    commit_failure_share: 0,
    idempotence: Idempotence::AsBroker,
    schema_change: SchemaChange::None,
    schema_check: SchemaCheck::None,
    processing_order: ProcessingOrder::Partition,
};

impl Default for Settings {
    fn default() -> Self {
        DEFAULT
    }
}

impl Settings {
    /// What all consumers together can finish, in ordinary messages.
    #[must_use]
    pub const fn capacity(&self) -> Rate {
        self.consumer_rate.times(self.consumer_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, value: Option<&str>, problem: Option<Problem>) {
        let row = Definition::by_name(name).expect("the name is in the table");
        let (read, said) = row.read(text);
        assert_eq!(read.map(Value::to_text).as_deref(), value, "{name}={text}");
        assert_eq!(said, problem, "{name}={text}");
    }

    #[test]
    fn values_from_outside_are_clamped_or_refused_and_it_is_said() {
        check("p", "8", Some("8"), None);
        check("producer_rate_per_second", " 0.5 ", Some("0.5"), None);
        check("p", "-1", Some("0"), Some(Problem::RaisedTo("0".into())));
        check("p", "1e99", None, Some(Problem::NotANumber));
        check("p", "99999999999999999999999", Some("100000"), Some(Problem::LoweredTo("100000".into())));
        check("p", "0.0004", Some("0"), Some(Problem::RoundedTo("0".into())));
        check("c", "NaN", None, Some(Problem::NotANumber));
        check("workers", "0", Some("1"), Some(Problem::RaisedTo("1".into())));
        check("workers", "2.5", Some("3"), Some(Problem::RoundedTo("3".into())));
        check("capacity", "none", Some("none"), None);
        check("capacity", "0", Some("0"), None);
        check("capacity", "", None, Some(Problem::NotANumber));
        check("overflow", "explode", None, Some(Problem::NotAChoice(OverflowPolicy::NAMES)));
    }

    #[test]
    fn every_setting_has_one_row_and_takes_its_own_value_back() {
        let defaults = Settings::default();
        for row in TABLE {
            assert_eq!(TABLE.iter().filter(|other| other.setting == row.setting).count(), 1);
            let mut settings = defaults.clone();
            assert!(settings.set(row.setting, defaults.get(row.setting)), "{}", row.name);
            assert_eq!(settings, defaults);
            assert_eq!(
                row.read(&defaults.get(row.setting).to_text()),
                (Some(defaults.get(row.setting)), None)
            );
        }
    }

    #[test]
    fn a_value_of_another_kind_changes_nothing() {
        let mut settings = Settings::default();
        assert!(!settings.set(Setting::ProducerRate, Value::Count(3)));
        assert!(!settings.set(Setting::Overflow, Value::Choice("steady")));
        assert_eq!(settings, Settings::default());
    }
}
