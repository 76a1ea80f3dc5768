//! Settings that are one of a few, with their names in links and files.

/// What happens to a message that finds the queue at its bound, named by its victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OverflowPolicy {
    /// The producer holds its message and waits for a place.
    Block,
    /// The new message is refused and the sender is told (RabbitMQ `reject-publish`).
    Reject,
    /// The new message is dropped silently (Akka `dropNew`).
    DropNew,
    /// The oldest waiting message is dropped silently (RabbitMQ `drop-head`).
    DropOldest,
}

/// How arrivals are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArrivalPattern {
    /// Equal gaps.
    Steady,
    /// Exponential gaps: a Poisson process.
    Poisson,
    /// `burst_size` messages at one instant, then a gap that keeps the rate.
    Bursts,
}

/// How long one message takes a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceTime {
    /// Always the mean.
    Fixed,
    /// Exponential about the mean, drawn for each message.
    Exponential,
    /// Log-normal about the mean, with a standard deviation as large as the mean, drawn for each
    /// message.
    LogNormal,
}

/// Which broker's queue is imitated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BrokerKind {
    /// A plain queue.
    Plain,
    /// A RabbitMQ classic queue.
    RabbitMqClassic,
    /// A RabbitMQ 4.0 quorum queue.
    RabbitMqQuorum40,
    /// An SQS standard queue.
    SqsStandard,
    /// An SQS FIFO queue.
    SqsFifo,
    /// Kafka: what its clients and its topics do if nothing is said. A queue is a plain one.
    Kafka,
}

/// Where a message goes that comes back from a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Returns {
    /// As the imitated broker does it.
    AsBroker,
    /// Where it stood.
    Original,
    /// To the front, in the order of return.
    Front,
    /// To the back.
    Back,
    /// Anywhere among those that wait.
    Anywhere,
}

/// Which waiting message goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DispatchOrder {
    /// As the imitated broker does it: the oldest, but for message groups.
    AsBroker,
    /// The newest.
    NewestFirst,
}

/// What becomes of a message that is not tried again, waited too long or was pushed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeadLetters {
    /// It is gone.
    Discarded,
    /// It goes to the dead-letter queue.
    Kept,
    /// It is gone, also from a group that names a topic for its dead letters.
    Skipped,
}

/// Where a failed message is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RetryAt {
    /// It goes back to its queue at once, for whoever takes it.
    Queue,
    /// It comes back to its queue after a delay (a retry queue).
    RetryQueue,
    /// The consumer that has it keeps it and tries again after a delay.
    InPlace,
}

/// How long retries wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RetryDelay {
    /// Always the same.
    Fixed,
    /// Twice as long each time, up to a cap.
    Exponential,
    /// Anything up to the exponential delay.
    FullJitter,
    /// Half of the exponential delay, and anything up to the other half.
    EqualJitter,
    /// Anything between the base and three times the previous delay.
    DecorrelatedJitter,
}

/// When a consumer acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Acknowledge {
    /// When it is done: at least once.
    AfterWork,
    /// When it starts: at most once.
    BeforeWork,
}

/// When a consumer writes down that it has done a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dedupe {
    /// Never.
    Off,
    /// Before the side effect.
    Before,
    /// After the side effect.
    After,
    /// Together with the side effect, in one transaction of its own database.
    Together,
}

/// What an autoscaler looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Autoscale {
    /// There is none.
    Off,
    /// Messages waiting, for each consumer.
    Backlog,
    /// The share of their time in which consumers work.
    Cpu,
}

/// What a consumer does with a message that is too late already when it takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LateMessages {
    /// It works on it as on any other.
    Worked,
    /// It acknowledges it and does nothing.
    Skipped,
}

/// What keeps a pool's retries from becoming most of its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RetryBudgetKind {
    /// Nothing.
    None,
    /// gRPC's throttle, with the numbers of the example in its proposal A6.
    Grpc,
    /// The quota of the AWS SDKs' standard retry mode.
    Aws,
    /// Finagle's share of the requests, with its defaults.
    Finagle,
}

/// How a producer learns what became of a message that it sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confirms {
    /// At once: it keeps what it cannot hand over.
    Instant,
    /// Never: what it sends while the broker is not there is lost.
    None,
    /// By a reply, which can be lost. It sends again what was not confirmed in time.
    Awaited,
}

/// Which way a producer's messages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SendPath {
    /// Through its queue.
    Queue,
    /// Straight to a consumer of that queue, as a call whose sender waits for the answer.
    Direct,
}

/// How a group gives partitions to its members, named as Kafka's clients name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartitionAssignor {
    /// Neighbouring partitions to each, the first members one more.
    Range,
    /// In turn.
    RoundRobin,
    /// Evenly, and everybody keeps what he can.
    Sticky,
    /// The same, and only what moves stops meanwhile.
    CooperativeSticky,
}

/// In which order a group works on the records of a partition (Confluent Parallel Consumer 0.5,
/// `ProcessingOrder`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessingOrder {
    /// One after the other.
    Partition,
    /// Those of one key one after the other, the keys side by side.
    Key,
    /// All side by side.
    Unordered,
}

/// Where a reader goes on that has no usable offset (`auto.offset.reset`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OffsetReset {
    /// At the log start.
    Earliest,
    /// At the log end.
    Latest,
    /// Nowhere: it stops.
    Fail,
}

/// Whether a topic appends a message that its producer sends again (Kafka `enable.idempotence`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Idempotence {
    /// As the broker's clients do if nothing is said.
    AsBroker,
    /// It does.
    Off,
    /// It does not, if it was one of the last five batches.
    On,
}

/// What a producer changes in the schema of its messages. The numbers are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaChange {
    /// Nothing.
    None = 0,
    /// A field more, with a default.
    AddOptional = 1,
    /// A field more, without a default.
    AddRequired = 2,
    /// A field less, which has no default.
    RemoveRequired = 3,
    /// Another type of a field.
    ChangeType = 4,
}

/// What a registry asks of a changed schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaCheck {
    /// Nothing.
    None,
    /// Who reads by the new one can read old messages.
    Backward,
    /// Who reads by the old one can read new messages.
    Forward,
    /// Both.
    Full,
}

/// Whether something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Switch {
    /// It is not.
    Off,
    /// It is.
    On,
}

macro_rules! named_choices {
    ($type:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// All of them, in the order in which they are offered.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Their names in links, attributes and scenario files, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Its name in links, attributes and scenario files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The one of that name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|choice| choice.name() == name)
            }
        }
    };
}

named_choices!(OverflowPolicy { Block = "block", Reject = "reject", DropNew = "drop-new", DropOldest = "drop-oldest" });
named_choices!(ArrivalPattern { Steady = "steady", Poisson = "poisson", Bursts = "bursts" });
named_choices!(ServiceTime { Fixed = "fixed", Exponential = "exponential", LogNormal = "log-normal" });
named_choices!(BrokerKind {
    Plain = "plain",
    RabbitMqClassic = "rabbitmq-classic",
    RabbitMqQuorum40 = "rabbitmq-quorum-4.0",
    SqsStandard = "sqs-standard",
    SqsFifo = "sqs-fifo",
    Kafka = "kafka",
});
named_choices!(Returns {
    AsBroker = "as-broker",
    Original = "original",
    Front = "front",
    Back = "back",
    Anywhere = "anywhere",
});
named_choices!(DispatchOrder { AsBroker = "as-broker", NewestFirst = "newest-first" });
named_choices!(DeadLetters { Discarded = "discarded", Kept = "kept", Skipped = "skipped" });
named_choices!(RetryAt { Queue = "queue", RetryQueue = "retry-queue", InPlace = "in-place" });
named_choices!(RetryDelay {
    Fixed = "fixed",
    Exponential = "exponential",
    FullJitter = "full-jitter",
    EqualJitter = "equal-jitter",
    DecorrelatedJitter = "decorrelated-jitter",
});
named_choices!(Autoscale { Off = "off", Backlog = "backlog", Cpu = "cpu" });
named_choices!(LateMessages { Worked = "worked", Skipped = "skipped" });
named_choices!(RetryBudgetKind { None = "none", Grpc = "grpc", Aws = "aws", Finagle = "finagle" });
named_choices!(Acknowledge { AfterWork = "after-work", BeforeWork = "before-work" });
named_choices!(Dedupe { Off = "off", Before = "before", After = "after", Together = "together" });
named_choices!(PartitionAssignor {
    Range = "range",
    RoundRobin = "round-robin",
    Sticky = "sticky",
    CooperativeSticky = "cooperative-sticky",
});
named_choices!(ProcessingOrder { Partition = "partition", Key = "key", Unordered = "unordered" });
named_choices!(OffsetReset { Earliest = "earliest", Latest = "latest", Fail = "fail" });
named_choices!(Idempotence { AsBroker = "as-broker", Off = "off", On = "on" });
named_choices!(Switch { Off = "off", On = "on" });
named_choices!(Confirms { Instant = "instant", None = "none", Awaited = "awaited" });
named_choices!(SchemaChange {
    None = "none",
    AddOptional = "add-optional",
    AddRequired = "add-required",
    RemoveRequired = "remove-required",
    ChangeType = "change-type",
});
named_choices!(SchemaCheck { None = "none", Backward = "backward", Forward = "forward", Full = "full" });
named_choices!(SendPath { Queue = "queue", Direct = "direct" });
