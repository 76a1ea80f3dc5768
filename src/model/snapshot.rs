//! What the model says at one instant: plain data in the words of the page.
//!
//! Picture, table, sentences and exports are functions of this and of nothing else of the model.
//! A snapshot is only taken once everything that happens at its instant has been applied.

pub mod failures;
pub mod network;

use failures::FailuresSnapshot;
use network::NetworkSnapshot;

use super::ledger::Ledger;
use super::outlook::Outlook;
use super::rate::Rate;
use super::settings::{ArrivalPattern, Bound, OverflowPolicy, ServiceTime};
use super::time::{Instant, Span};

/// The whole state at one instant, as far as anybody outside the model may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The instant it speaks of.
    pub at: Instant,
    /// The seed of the run's draws.
    pub seed: u64,
    /// Where every message offered so far is now.
    pub ledger: Ledger,
    /// The producer.
    pub producer: ProducerSnapshot,
    /// The work queue.
    pub queue: QueueSnapshot,
    /// The consumers.
    pub consumers: ConsumersSnapshot,
    /// The broker that holds the queue.
    pub broker: BrokerSnapshot,
    /// What moved lately.
    pub flow: Flow,
    /// Waiting times of the messages that started within the last minute.
    pub waiting_time_recent: WaitingTimes,
    /// Waiting times of all messages that started since the run's start.
    pub waiting_time_overall: WaitingTimes,
    /// What comes next if no dial moves.
    pub outlook: Outlook,
    /// All nodes by name, the dead letters, and what was counted.
    pub network: NetworkSnapshot,
    /// What fails every time, and what is done about it.
    pub failures: FailuresSnapshot,
}

impl Snapshot {
    /// Dead letters that wait in queues, or in topics and were not sent back.
    #[must_use]
    pub fn dead_letters(&self) -> u64 {
        self.ledger.dead_letters + self.dead_records()
    }

    /// Those of them that stand in topics.
    #[must_use]
    pub fn dead_records(&self) -> u64 {
        self.network.topics.iter().map(|topic| topic.not_sent_back).sum()
    }
}

/// The producer at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerSnapshot {
    /// Its name in the topology.
    pub name: String,
    /// The rate its dial asks for.
    pub rate: Rate,
    /// How arrivals are spaced.
    pub arrivals: ArrivalPattern,
    /// Messages that arrive together when arrivals come in bursts.
    pub burst_size: u64,
    /// Why it must wait, if it must.
    pub blocked_by: Option<BlockedBy>,
    /// Messages it holds and cannot hand over: at most one of its own pace, and what is left of
    /// bursts.
    pub held_back: u64,
    /// How long until its next message; `None` while blocked or at rate zero.
    pub next_arrival_in: Option<Span>,
    /// How much of the gap before its next message is over, in millionths: 0 to 1,000,000.
    pub gap_done_millionths: u32,
}

/// Why a producer cannot hand over its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockedBy {
    /// The queue is at its bound and blocks its producers.
    Bound,
    /// The broker's memory is full: the memory alarm blocks all publishers.
    MemoryAlarm,
    /// The broker is down.
    BrokerDown,
    /// The broker is failing over.
    FailingOver,
    /// The broker's disk is full: the disk alarm blocks all publishers.
    DiskAlarm,
    /// Too many of its messages lack their confirm.
    Confirms,
}

/// The work queue at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSnapshot {
    /// Its name in the topology.
    pub name: String,
    /// Messages waiting (ready), those in flight apart.
    pub waiting: u64,
    /// How many may wait.
    pub bound: Bound,
    /// What happens to a message that finds the queue at its bound.
    pub overflow: OverflowPolicy,
    /// Age of the oldest waiting message: now minus the instant it was accepted.
    pub oldest_age: Option<Span>,
    /// How long a message that was accepted now would wait before a consumer starts it; `None`
    /// where none ever would. With random work this is the mean.
    pub newcomer_wait: Option<Span>,
    /// The numbers of the first messages in line, at most [`FIRST_IN_LINE_MAX`].
    pub first_in_line: Vec<u64>,
    /// The last messages that were refused or dropped, newest last, at most
    /// [`RECENT_MAX`].
    pub recent_losses: Vec<Loss>,
}

impl QueueSnapshot {
    /// Whether the queue is at `bound`, or is so again at once: while messages come all the time, each of
    /// so many consumers frees a place for a moment.
    #[must_use]
    #[inline(always)]
    pub fn is_at(&self, bound: u64, consumers: u64) -> bool {
        let just_freed = consumers.min(bound / 8).max(1);
        self.waiting.saturating_add(just_freed) >= bound
    }
}

/// How many messages at the head of the line a snapshot names.
pub const FIRST_IN_LINE_MAX: usize = 8;

/// How many recent finishes and losses a snapshot names.
pub const RECENT_MAX: usize = 8;

/// One message that did not get in, or was pushed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When.
    pub at: Instant,
    /// The message's number, counted from 1 per producer.
    pub number: u64,
    /// By which rule.
    pub rule: LossRule,
}

/// The rule by which a message was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossRule {
    /// Refused at the bound; the sender was told.
    Rejected,
    /// Dropped on arrival; nobody was told.
    DroppedNew,
    /// Pushed out of the front of the line by a newer one; nobody was told.
    DroppedOldest,
}

/// The consumers of the queue at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumersSnapshot {
    /// The pool's name in the topology.
    pub name: String,
    /// The rate of each consumer's dial.
    pub rate_each: Rate,
    /// How many consumers the dial asks for: 1 to 64.
    pub count: u64,
    /// How long one message takes.
    pub service_time: ServiceTime,
    /// All consumers that are here, stopping ones last. A stopping consumer finishes what it
    /// holds and takes no more.
    pub each: Vec<ConsumerSnapshot>,
    /// The consumers of further pools that take from the same queue, pool after pool.
    pub of_further_pools: Vec<ConsumerSnapshot>,
    /// Consumers that are alive and connected: neither crashed nor starting nor stopped.
    pub members: u64,
    /// Share of the consumers' time spent working in the last minute, in millionths.
    pub utilisation_recent_millionths: u32,
    /// The last messages that finished, newest last, at most [`RECENT_MAX`].
    pub recent_finishes: Vec<Finish>,
}

impl ConsumersSnapshot {
    /// What all consumers together can finish.
    #[must_use]
    pub fn capacity(&self) -> Rate {
        self.rate_each.times(self.count)
    }

    /// All consumers that take from the queue: of the first pool, then of further ones.
    #[must_use]
    #[inline(never)]
    pub fn of_queue(&self) -> Vec<&ConsumerSnapshot> {
        self.each.iter().chain(&self.of_further_pools).collect()
    }

    /// How many these are.
    #[must_use]
    pub fn count_of_queue(&self) -> usize {
        self.each.len() + self.of_further_pools.len()
    }

    /// Consumers at work, stopping ones included.
    #[must_use]
    pub fn busy(&self) -> u64 {
        self.each.iter().filter(|consumer| consumer.work.is_some()).count() as u64
    }
}

/// One finished message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finish {
    /// When.
    pub at: Instant,
    /// The message's number, counted from 1 per producer.
    pub number: u64,
}

/// One consumer at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerSnapshot {
    /// What it works on.
    pub work: Option<WorkSnapshot>,
    /// Whether it leaves after that.
    pub is_stopping: bool,
    /// How it is.
    pub health: ConsumerHealth,
}

/// How a consumer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConsumerHealth {
    /// It takes messages and works.
    #[default]
    Up,
    /// Its pool was told to stop, and it has finished what it had.
    Stopped,
    /// It has crashed and is not there.
    Crashed,
    /// It crashes at every start.
    CrashLoop,
    /// It is alive, keeps what it has, and finishes nothing.
    Hung,
    /// It starts, and takes nothing yet.
    Starting,
}

/// A message in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkSnapshot {
    /// The message's number, counted from 1 per producer.
    pub number: u64,
    /// How much of its work is done, in millionths: 0 to 1,000,000.
    pub done_millionths: u32,
    /// How long until it is finished; `None` at rate zero.
    pub finishes_in: Option<Span>,
    /// Which start of its handling this is, from 1 on.
    pub attempt: u32,
    /// Whether this attempt fails because the message fails every time.
    pub is_poison: bool,
}

/// Whether the broker works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrokerState {
    /// It does.
    #[default]
    Up,
    /// It is down until somebody starts it.
    Down,
    /// Another machine takes over; so long that takes from now on.
    FailingOver(Span),
}

/// What is wrong with the broker, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokerTrouble {
    /// It is down.
    Down,
    /// It is failing over.
    FailingOver,
    /// Its memory is full.
    MemoryFull,
    /// Its disk is full.
    DiskFull,
}

impl BrokerSnapshot {
    /// What is wrong with it, if anything.
    #[must_use]
    pub const fn trouble(&self) -> Option<BrokerTrouble> {
        match self.state {
            BrokerState::Down => Some(BrokerTrouble::Down),
            BrokerState::FailingOver(_) => Some(BrokerTrouble::FailingOver),
            BrokerState::Up if self.memory_alarm => Some(BrokerTrouble::MemoryFull),
            BrokerState::Up if self.disk_alarm => Some(BrokerTrouble::DiskFull),
            BrokerState::Up => None,
        }
    }
}

/// The broker at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokerSnapshot {
    /// Messages it holds, waiting and in flight.
    pub held: u64,
    /// Messages it can hold.
    pub memory: u64,
    /// Whether its memory is full, so that publishers are blocked.
    pub memory_alarm: bool,
    /// Bytes of the messages it holds.
    pub held_bytes: u64,
    /// Bytes that its disk takes; `None`: there is always room.
    pub disk: Option<u64>,
    /// Whether its disk is full, so that publishers are blocked.
    pub disk_alarm: bool,
    /// Whether it works.
    pub state: BrokerState,
}

/// What moved within the last whole seconds, at most ten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The time it was counted over: 0 to 10 whole seconds that ended at the last whole second.
    pub window: Span,
    /// Messages the producer offered.
    pub offered: u64,
    /// Messages the queue accepted.
    pub accepted: u64,
    /// Messages that were finished.
    pub done: u64,
    /// Of these, messages that were too late or have a wrong result.
    pub flawed: u64,
    /// Messages refused with word to the sender.
    pub rejected: u64,
    /// Messages dropped without a word, new and oldest.
    pub dropped: u64,
    /// Waiting at the window's end minus waiting at its start.
    pub waiting_change: i64,
}

impl Flow {
    /// `count` of this window as a rate.
    #[must_use]
    pub fn rate_of(&self, count: u64) -> Rate {
        Rate::of_count_in(count, self.window)
    }
}

/// Waiting times, from acceptance to the start of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingTimes {
    /// How many messages it speaks of; the spans below are zero when there are none.
    pub count: u64,
    /// The mean.
    pub mean: Span,
    /// Half of them waited no longer.
    pub p50: Span,
    /// 95 of 100 waited no longer.
    pub p95: Span,
    /// 99 of 100 waited no longer.
    pub p99: Span,
    /// The longest.
    pub max: Span,
}
