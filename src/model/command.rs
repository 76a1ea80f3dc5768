//! What a person or a scenario can do while it runs.

use std::ops::RangeInclusive;

use super::alerts::RuleChange;
use super::broker::QueueIndex;
use super::group::reset::{ResetRefused, ResetTo};
use super::partitioned_log::PartitionsRefused;
use super::rate::Rate;
use super::routes::{GroupIndex, TopicIndex};
use super::settings::{BURST_MAX, CONSUMERS_MAX, Setting, Settings, Value};
use super::state_hash::StateHasher;
use super::time::{Instant, Span};

/// One thing to do. The run is its scenario and the log of its commands. Producers, pools and
/// nodes go by their place in the topology; where there is no such place, nothing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Set a dial. The seed and the kind of broker cannot be set while it runs.
    Set {
        /// Which setting.
        setting: Setting,
        /// To what.
        value: Value,
    },
    /// The producer wants to send `count` more messages at once: 1 to 4,000,000.
    Burst {
        /// How many.
        count: u64,
    },
    /// Set a dial of a node that has its own.
    SetNode {
        /// Its place among the nodes that have their own settings.
        node: u16,
        /// Which setting.
        setting: Setting,
        /// To what.
        value: Value,
    },
    /// A certain producer wants to send `count` more messages at once: 1 to 4,000,000.
    BurstOf {
        /// Which producer.
        producer: u16,
        /// How many.
        count: u64,
    },
    /// The next `count` messages of a producer fail every time: 1 to 4,000,000.
    Poison {
        /// Which producer.
        producer: u16,
        /// How many.
        count: u64,
    },
    /// A producer sends to another queue from now on.
    Route {
        /// Which producer.
        producer: u16,
        /// Where to.
        to: QueueIndex,
    },
    /// The consumers of a pool finish what they have and take nothing more.
    StopConsumers {
        /// Which pool.
        pool: u16,
    },
    /// They take messages again.
    StartConsumers {
        /// Which pool.
        pool: u16,
    },
    /// One consumer does something bad, or is started again.
    Consumer {
        /// Which pool.
        pool: u16,
        /// Which of its consumers, from 0.
        number: u16,
        /// What.
        does: ConsumerDoes,
    },
    /// The broker goes down.
    BrokerDown,
    /// The broker comes up again.
    BrokerUp,
    /// The broker fails over: it is down and comes up again by itself.
    FailOver {
        /// How long that takes: a microsecond to 12 hours.
        duration: Span,
    },
    /// A fix is deployed: poison can be handled from now on.
    DeployFix,
    /// Dead letters go back, all at once or at a rate.
    Redrive {
        /// From which queue.
        from: QueueIndex,
        /// To which.
        to: QueueIndex,
        /// Messages a second.
        rate: Option<Rate>,
    },
    /// One dead letter goes back: behind those that were chosen before it and have yet to go.
    RedriveMessage {
        /// From which queue.
        from: QueueIndex,
        /// To which.
        to: QueueIndex,
        /// The place of its producer.
        producer: u16,
        /// Its number there, from 1 on.
        number: u64,
        /// Messages a second, if it is the first that is chosen.
        rate: Option<Rate>,
    },
    /// Everything that waits in a queue is thrown away.
    Discard {
        /// Which queue.
        queue: QueueIndex,
    },
    /// The queues that the topology declares to be split off from a queue are from now on: the
    /// producers and consumers that it names go over to them, and who is in line already stays.
    SplitQueues {
        /// The queue that several share before.
        queue: QueueIndex,
    },
    /// A pool, or a group, that the topology lets join later begins: a second team.
    Join {
        /// Which pool.
        pool: u16,
    },
    /// The committed offsets of a group without members are moved.
    ResetOffsets {
        /// Which group.
        group: GroupIndex,
        /// In this partition; `None`: in all.
        partition: Option<u32>,
        /// To where.
        to: ResetTo,
    },
    /// A topic gets more partitions.
    AddPartitions {
        /// Which topic.
        topic: TopicIndex,
        /// How many it has then, up to 128.
        to: u32,
    },
    /// The next `count` records that come to a partition fail every time: 1 to 4,000,000.
    PoisonPartition {
        /// Which topic.
        topic: TopicIndex,
        /// Which of its partitions, from 0.
        partition: u32,
        /// How many.
        count: u64,
    },
    /// A producer sends to a topic from now on.
    RouteToTopic {
        /// Which producer.
        producer: u16,
        /// Where to.
        to: TopicIndex,
    },
    /// What stands in a topic for dead letters is sent on to another topic, all at once or at a rate.
    /// It stays in the log, and is sent back once.
    SendBack {
        /// The topic for dead letters.
        from: TopicIndex,
        /// Where it is sent.
        to: TopicIndex,
        /// Records a second.
        rate: Option<Rate>,
    },
    /// Everything that stands in a topic is deleted (`kafka-delete-records`): each partition starts at its
    /// end then.
    DeleteRecords {
        /// Which topic.
        topic: TopicIndex,
    },
    /// An alert rule is changed. What it looks at stays.
    SetAlertRule {
        /// Its place among the rules of the scenario.
        rule: u16,
        /// What of it.
        change: RuleChange,
    },
    /// A producer registers the change of its schema that its settings name. Where the check refuses
    /// it, nothing changes; else its messages are of the new schema from the next one on.
    ChangeSchema {
        /// Which producer.
        producer: u16,
    },
    /// The consumers of a pool, or of a group, are deployed anew: attempts that start from now on read
    /// by the new schema.
    UpgradeReaders {
        /// Which pool.
        pool: u16,
    },
}

/// What happens to one consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsumerDoes {
    /// It dies at once.
    Crash = 1,
    /// It dies the next time it is in the middle of finishing a message: between the side effect
    /// and the record or the acknowledgement.
    CrashFinishing = 2,
    /// It stays alive and finishes nothing.
    Hang = 3,
    /// It is started again.
    Restart = 4,
    /// It dies at once, and again at every start, before it takes anything: until it is restarted
    /// by hand, or a fix is deployed.
    CrashLoop = 5,
}

/// A command with the instant at which it was applied, after everything else of that instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedCommand {
    /// When.
    pub at: Instant,
    /// What.
    pub command: Command,
}

/// Why a command was refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandRefused {
    /// The setting belongs to the run's start.
    FixedAtStart,
    /// The value is not of the setting's kind.
    WrongKindOfValue,
    /// A burst has 1 to 4,000,000 messages.
    BurstOutOfRange,
    /// A pool has 64 consumers at most.
    NoSuchConsumer,
    /// A redrive at rate zero would never move anything.
    RateIsZero,
    /// A fail-over takes a microsecond to 12 hours, and no span of an alert rule is longer than a run.
    DurationOutOfRange,
    /// The topology declares no queue that is split off from that one, or has no such queue.
    NothingToSplit,
    /// The queue has been split before.
    SplitAlready,
    /// The topology does not let that pool join later.
    NothingToJoin,
    /// It has joined before.
    JoinedAlready,
    /// There is no such topic, or no such partition of it.
    NoSuchTopic,
    /// The group's offsets stay where they are.
    NotReset(ResetRefused),
    /// The topic's partitions stay as many as they are.
    NoPartitions(PartitionsRefused),
    /// No group sends its dead letters to that topic, or they would be sent to where they stand.
    NotForDeadLetters,
    /// While the broker is down, nobody can change a topic.
    BrokerIsDown,
    /// Nothing stands there that has not been sent back.
    NothingToSendBack,
    /// What stands in that topic is being sent back already.
    SendsBackAlready,
    /// The scenario has no such alert rule.
    NoSuchAlertRule,
    /// The producer's settings name no change of its schema.
    NoSchemaChange,
    /// The producer has registered its change.
    SchemaChangedAlready,
    /// The pool reads by the new schema.
    UpgradedAlready,
}

/// How long a fail-over may take: a microsecond to 12 hours.
pub const FAIL_OVER: RangeInclusive<Span> = Span::from_micros(1)..=Span::from_seconds(43_200);

impl TimedCommand {
    /// Puts `self` where its instant belongs in `commands`, after those of the same instant.
    pub(crate) fn insert_into(self, commands: &mut Vec<Self>) {
        let place = commands.partition_point(|other| other.at <= self.at);
        commands.insert(place, self);
    }

    /// Feeds it to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.at.micros());
        hasher.write(u64::from(self.command.code()));
        match self.command {
            Command::Set { setting, value } => hash_setting(hasher, setting, value),
            Command::SetNode { node, setting, value } => {
                hasher.write(u64::from(node));
                hash_setting(hasher, setting, value);
            }
            Command::SetAlertRule { rule, change } => {
                hasher.write(u64::from(rule));
                change.hash_into(hasher);
            }
            other => other.numbers().into_iter().for_each(|number| hasher.write(number)),
        }
    }
}

fn hash_setting(hasher: &mut StateHasher, setting: Setting, value: Value) {
    hasher.write(setting as u64);
    hasher.write_text(&value.to_text());
}

/// Settings that hold from the start.
pub const FIXED: [Setting; 8] = [
    Setting::Seed,
    Setting::Broker,
    Setting::Order,
    Setting::PriorityLevels,
    Setting::SingleActive,
    Setting::Partitions,
    Setting::Assignor,
    Setting::ProcessingOrder,
];

impl Command {
    /// Its permanent number in links and logs.
    #[must_use]
    pub const fn code(&self) -> u16 {
        match self {
            Self::Set { .. } => 1,
            Self::Burst { .. } => 2,
            Self::SetNode { .. } => 3,
            Self::BurstOf { .. } => 4,
            Self::Poison { .. } => 5,
            Self::Route { .. } => 6,
            Self::StopConsumers { .. } => 7,
            Self::StartConsumers { .. } => 8,
            Self::Consumer { .. } => 9,
            Self::BrokerDown => 10,
            Self::BrokerUp => 11,
            Self::DeployFix => 12,
            Self::Redrive { .. } => 13,
            Self::Discard { .. } => 14,
            Self::FailOver { .. } => 15,
            Self::SplitQueues { .. } => 16,
            Self::Join { .. } => 18,
            Self::ResetOffsets { .. } => 19,
            Self::AddPartitions { .. } => 20,
            Self::PoisonPartition { .. } => 21,
            Self::RouteToTopic { .. } => 22,
            Self::SendBack { .. } => 23,
            Self::SetAlertRule { .. } => 17,
            Self::ChangeSchema { .. } => 24,
            Self::UpgradeReaders { .. } => 25,
            Self::RedriveMessage { .. } => 26,
            Self::DeleteRecords { .. } => 27,
        }
    }

    /// What it says beside its code, as numbers.
    const fn numbers(self) -> [u64; 3] {
        match self {
            Self::Burst { count } => [count, 0, 0],
            Self::BurstOf { producer, count } | Self::Poison { producer, count } => {
                [producer as u64, count, 0]
            }
            Self::Route { producer, to } => [producer as u64, to.0 as u64, 0],
            Self::StopConsumers { pool }
            | Self::StartConsumers { pool }
            | Self::Join { pool }
            | Self::UpgradeReaders { pool } => [pool as u64, 0, 0],
            Self::ChangeSchema { producer } => [producer as u64, 0, 0],
            Self::Consumer { pool, number, does } => [pool as u64, number as u64, does as u64],
            Self::Redrive { from, to, rate } => [from.0 as u64, to.0 as u64, thousandths_of(rate)],
            Self::RedriveMessage { from, to, producer, number, rate } => {
                let queues = (from.0 as u64) << 32 | to.0 as u64;
                [queues, (producer as u64) << 48 | number, thousandths_of(rate)]
            }
            Self::SendBack { from, to, rate } => [from.0 as u64, to.0 as u64, thousandths_of(rate)],
            Self::ResetOffsets { group, partition, to } => {
                let partition = match partition {
                    Some(partition) => partition as u64,
                    None => u32::MAX as u64,
                };
                let (kind, value) = to.numbers();
                [(group.0 as u64) << 32 | partition, kind, value]
            }
            Self::AddPartitions { topic, to } => [topic.0 as u64, to as u64, 0],
            Self::PoisonPartition { topic, partition, count } => [topic.0 as u64, partition as u64, count],
            Self::DeleteRecords { topic } => [topic.0 as u64, 0, 0],
            Self::RouteToTopic { producer, to } => [producer as u64, to.0 as u64, 0],
            Self::Discard { queue } | Self::SplitQueues { queue } => [queue.0 as u64, 0, 0],
            Self::FailOver { duration } => [duration.micros(), 0, 0],
            _ => [0; 3],
        }
    }

    /// Whether it can be applied to some run. A run may have reasons of its own against it; see
    /// `Simulation::check`.
    ///
    /// # Errors
    /// Says why it cannot.
    pub fn check(&self) -> Result<(), CommandRefused> {
        match self {
            Self::Set { setting, value } | Self::SetNode { setting, value, .. } => {
                check_setting(*setting, *value)
            }
            Self::Burst { count }
            | Self::BurstOf { count, .. }
            | Self::Poison { count, .. }
            | Self::PoisonPartition { count, .. } => {
                if (1..=BURST_MAX).contains(count) {
                    Ok(())
                } else {
                    Err(CommandRefused::BurstOutOfRange)
                }
            }
            Self::Consumer { number, .. } if u64::from(*number) >= CONSUMERS_MAX => {
                Err(CommandRefused::NoSuchConsumer)
            }
            Self::Redrive { rate: Some(Rate::ZERO), .. }
            | Self::RedriveMessage { rate: Some(Rate::ZERO), .. }
            | Self::SendBack { rate: Some(Rate::ZERO), .. } => Err(CommandRefused::RateIsZero),
            Self::FailOver { duration } if !FAIL_OVER.contains(duration) => {
                Err(CommandRefused::DurationOutOfRange)
            }
            Self::SetAlertRule { change, .. } if !change.is_sound() => {
                Err(CommandRefused::DurationOutOfRange)
            }
            _ => Ok(()),
        }
    }
}

/// Of a rate that may be none.
const fn thousandths_of(rate: Option<Rate>) -> u64 {
    match rate {
        Some(rate) => rate.thousandths(),
        None => u64::MAX,
    }
}

fn check_setting(setting: Setting, value: Value) -> Result<(), CommandRefused> {
    if FIXED.contains(&setting) {
        return Err(CommandRefused::FixedAtStart);
    }
    let is_right_kind = Settings::default().set(setting, value);
    if is_right_kind { Ok(()) } else { Err(CommandRefused::WrongKindOfValue) }
}
