//! All nodes by name, the dead letters, what the consumers share, and what was counted.

use super::super::alerts::AlertState;
use super::super::alerts::expression::Label;
use super::super::autoscaler::Decision;
use super::super::consumer_status::{GroupStatus, PartitionStatus};
use super::super::group::GroupState;
use super::super::group::reading::GroupCounts;
use super::super::message::DeathReason;
pub use super::super::producer::outbox::CallTimes;
use super::super::rate::Rate;
use super::super::schema::SchemaVersion;
use super::super::settings::SendPath;
use super::super::simulation::Totals;
use super::super::time::{Instant, Span};
use super::ConsumerHealth;
use super::failures::RedriveSnapshot;

/// How many dead letters a snapshot names.
pub const DEAD_LETTERS_MAX: usize = 20;

/// How far ahead a snapshot sees the records of a partition that fail every time.
pub const POISON_SEEN: u32 = u32::BITS;

/// How far back a snapshot counts the records that came to a partition.
pub const CAME_RECENTLY: Span = Span::from_seconds(10);

/// Everything beside the first producer, queue and pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkSnapshot {
    /// All producers, in the order of the topology.
    pub producers: Vec<SenderSnapshot>,
    /// All queues, in the order of the topology; the last one holds the dead letters of those that
    /// name no other queue for them.
    pub queues: Vec<LineSnapshot>,
    /// All pools of consumers, in the order of the topology.
    pub pools: Vec<PoolSnapshot>,
    /// The first dead letters in line, at most [`DEAD_LETTERS_MAX`]; of topics those that were not sent
    /// back.
    pub dead_letters: Vec<DeadLetterSnapshot>,
    /// What the consumers share, if there is such a thing.
    pub downstream: Option<DownstreamSnapshot>,
    /// What has been counted since the start.
    pub totals: Totals,
    /// All topics, in the order of the topology.
    pub topics: Vec<TopicSnapshot>,
    /// All groups, in the order of the topology.
    pub groups: Vec<GroupSnapshot>,
    /// All alert rules, in the order of the scenario.
    pub alerts: Vec<AlertSnapshot>,
}

/// One of the alert rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertSnapshot {
    /// Its name.
    pub name: String,
    /// Who is called when it fires.
    pub owner: String,
    /// When it holds, as Prometheus writes it.
    pub condition: String,
    /// For how long that has to be so before it fires.
    pub hold: Span,
    /// How long it goes on firing when the condition is gone.
    pub keep_firing: Span,
    /// The worst state of all its label sets at the last evaluation.
    pub state: AlertState,
    /// The label sets for which it is pending or firing; for all others it is inactive.
    pub active: Vec<ActiveAlertSnapshot>,
}

/// A label set for which an alert is pending or firing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveAlertSnapshot {
    /// The labels.
    pub labels: Vec<Label>,
    /// Whether it fires.
    pub state: AlertState,
    /// At which evaluation the condition was first seen.
    pub since: Instant,
}

/// One of the topics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicSnapshot {
    /// Its name.
    pub name: String,
    /// How long it keeps a record at least, read or not; none: for ever.
    pub kept_for: Option<Span>,
    /// Where groups send their dead letters there: how many were not sent back.
    pub not_sent_back: u64,
    /// How long until the first of these is deleted for having been kept long enough, if none is added to
    /// those that go with it; `None` where there are none, or they are kept for ever.
    pub next_deleted_in: Option<Span>,
    /// Whether a group sends what it gives up there, as its members treat failures now.
    pub takes_dead_letters: bool,
    /// Whether a group names it for what is to be tried again.
    pub is_for_retries: bool,
    /// Whether a group sends what it tries again there, as its members treat failures now.
    pub takes_retries: bool,
    /// What goes back from there, while something does.
    pub sends_back: Option<RedriveSnapshot>,
    /// Its partitions, from 0 on.
    pub partitions: Vec<PartitionSnapshot>,
}

/// One partition of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionSnapshot {
    /// The first offset that can still be read.
    pub log_start: u64,
    /// The offset that the next record will get.
    pub log_end: u64,
    /// When the newest of its records came, if any is stored.
    pub newest_at: Option<Instant>,
    /// Records that came within the last [`CAME_RECENTLY`] and are still stored.
    pub came_recently: u64,
}

/// One of the groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSnapshot {
    /// Its name.
    pub name: String,
    /// The topic that it reads.
    pub from: String,
    /// What it is doing.
    pub state: GroupState,
    /// How often it has given out partitions.
    pub generation: u64,
    /// While it rebalances: how long until the next round may take place. One that waits for answers
    /// comes later.
    pub round_in: Option<Span>,
    /// Its members, those included that have died and are still waited for.
    pub members: u64,
    /// Members that were given nothing to read.
    pub idle_members: u64,
    /// Whether its consumers are the threads of one member, which share the work on all partitions.
    pub shares_work: bool,
    /// Log end less committed offset, summed over all partitions.
    pub lag: u64,
    /// The greatest lag of a partition, which the sum hides.
    pub lag_max: u64,
    /// Records in members' hands that are not committed.
    pub in_flight: u64,
    /// Age of the oldest record that is not committed and can still be read.
    pub oldest_unfinished: Option<Span>,
    /// What became of its records.
    pub counts: GroupCounts,
    /// Records that are done and not committed.
    pub uncommitted: u64,
    /// Records of its topic before it began, over all partitions.
    pub began: u64,
    /// Records that it has moved on over since then, back and forth: committed, or done behind that.
    pub moved_on: u64,
    /// How it is doing by how its offsets move: as badly as in its worst partition.
    pub status: GroupStatus,
    /// Where it stands in each partition, from 0 on.
    pub partitions: Vec<LaneSnapshot>,
}

/// A group in one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSnapshot {
    /// The offset up to which everything is done or given up.
    pub committed: Option<u64>,
    /// The offset that its reader reads next.
    pub position: Option<u64>,
    /// Log end less committed offset.
    pub lag: u64,
    /// Age of the oldest record that is not committed and can still be read.
    pub oldest_unfinished: Option<Span>,
    /// Who reads it: which of the group's consumers, counted from 1.
    pub reader: Option<u64>,
    /// How that consumer is.
    pub reader_health: Option<ConsumerHealth>,
    /// The offset of the first record that is not done and can still be read; the log end where there is
    /// none.
    pub head: u64,
    /// Records from that one on that its reader was given: it has them in hand, or has done them ahead of
    /// their order.
    pub in_hand: u64,
    /// How often the first record that is not done was tried since it came; 0: not yet.
    pub head_attempts: u32,
    /// Whether that record fails every time, whoever tries it, as long as nothing is deployed.
    pub head_fails: bool,
    /// Whether it fails because its reader cannot read messages of its schema.
    pub head_is_unreadable: bool,
    /// Which of the records from that one on are poison: bit i is set where the one i places behind it
    /// is, until a fix is deployed. None is told that lies [`POISON_SEEN`] places behind it or more.
    pub poison: u32,
    /// How long until the first record that is not committed is deleted by its age, read or not;
    /// `None` where that is not sure to happen: its segment still takes in records, or nothing is
    /// deleted by age.
    pub unread_kept_for: Option<Span>,
    /// How long it waits before its next record is tried again.
    pub paused_for: Option<Span>,
    /// Whether its reader has stopped for want of an offset to go on from.
    pub is_stopped: bool,
    /// How the group is doing there by how its offsets move.
    pub status: PartitionStatus,
}

/// One of the producers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SenderSnapshot {
    /// Its name.
    pub name: String,
    /// The queue it sends to now.
    pub to: String,
    /// The rate its dial asks for.
    pub rate: Rate,
    /// Messages it has presented, and what is left of its bursts.
    pub offered: u64,
    /// Of these, messages that it holds and cannot hand over.
    pub held_back: u64,
    /// Whether it must wait.
    pub is_blocked: bool,
    /// Messages that left its hand: what it gets in, or loses, of what it wants to send.
    pub sent: u64,
    /// Messages a second that it hands over at most.
    pub shape_limit: Option<Rate>,
    /// Messages that it holds back to keep to that.
    pub shaped: u64,
    /// Messages that it sent and whose confirm it lacks.
    pub unconfirmed: u64,
    /// Which way its messages go.
    pub path: SendPath,
    /// What its callers went through.
    pub calls: CallTimes,
    /// By which schema it writes its messages now.
    pub schema: SchemaVersion,
    /// The place of the producer whose messages it sends too: message n of both is one and the same.
    pub like: Option<usize>,
}

/// One of the queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineSnapshot {
    /// Its name.
    pub name: String,
    /// Messages that wait.
    pub waiting: u64,
    /// Messages that are with consumers.
    pub in_flight: u64,
    /// Messages that wait until they may be tried again.
    pub delayed: u64,
    /// Age of the oldest waiting message.
    pub oldest_age: Option<Span>,
    /// Deliveries, first and later ones.
    pub deliveries: u64,
    /// Deliveries of messages that had been delivered before.
    pub redeliveries: u64,
}

/// One of the pools of consumers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolSnapshot {
    /// Its name.
    pub name: String,
    /// The queue its consumers take from, or the topic that its group reads.
    pub from: String,
    /// How many consumers there shall be: nobody before its queue is split off.
    pub count: u64,
    /// How many are alive and connected, those included that leave when they have finished:
    /// neither crashed nor starting nor stopped.
    pub members: u64,
    /// How many have a message in hand.
    pub busy: u64,
    /// Messages a second that each consumer finishes.
    pub rate_each: Rate,
    /// Whether it was told to stop: its consumers finish what they have and take nothing more.
    pub is_stopped: bool,
    /// When a consumer that crashed is started again by itself; none: never.
    pub restart_after: Option<Span>,
    /// Attempts that a message gets, the first included; none: any number.
    pub attempts_max: Option<u64>,
    /// What its autoscaler wanted when it looked the last time, if it has one and it has looked.
    pub scaling: Option<Decision>,
    /// Retries that its budget would still allow if every attempt failed; none: any number.
    pub retries_left: Option<u64>,
    /// By which schema its consumers read.
    pub schema: SchemaVersion,
    /// Attempts that failed because the message could not be read.
    pub unreadable: u64,
    /// Messages of its queue that its consumers finished, late and wrong ones and those skipped as late
    /// included; 0 for a group, which has [`GroupSnapshot::counts`].
    pub finished: u64,
}

/// A message that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetterSnapshot {
    /// The queue or the topic in which it lies.
    pub queue: String,
    /// Who sent it.
    pub producer: String,
    /// Its number, counted from 1 per producer.
    pub number: u64,
    /// Its key, where its producer gives its messages keys.
    pub key: Option<u64>,
    /// Where a group read it first, where it came from a topic.
    pub place: Option<PlaceSnapshot>,
    /// Why it was given up the last time.
    pub reason: DeathReason,
    /// How often its handling was started, in all queues.
    pub attempts: u32,
    /// How long it has been lying here.
    pub age: Span,
    /// Every queue and reason for which it was given up, the newest first.
    pub history: Vec<DeathSnapshot>,
}

/// Where a group read a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceSnapshot {
    /// The group.
    pub group: String,
    /// The partition, counted from 0.
    pub partition: u32,
    /// The offset there.
    pub offset: u64,
}

/// That a message was given up in a queue for a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeathSnapshot {
    /// The queue; of a record, the topic for dead letters that it was sent to.
    pub queue: String,
    /// Why.
    pub reason: DeathReason,
    /// How often for that reason in that queue.
    pub count: u32,
    /// When, the last time.
    pub at: Instant,
}

/// What the consumers share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownstreamSnapshot {
    /// Calls a second that it answers; `None`: as many as come.
    pub rate: Option<Rate>,
    /// Calls that came in.
    pub asked: u64,
    /// Calls that were answered.
    pub answered: u64,
    /// Calls that wait or are being answered.
    pub pending: u64,
}

/// A record is seen to fail once it was tried so often, or waits for its next try.
const SEEN_TO_FAIL: u32 = 2;

impl LaneSnapshot {
    /// Whether the partition's reader works on a record that fails every time.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        let waits_for_next = self.head_attempts > 0 && self.paused_for.is_some();
        let was_tried = self.head_attempts >= SEEN_TO_FAIL || waits_for_next;
        self.head_fails && was_tried && self.reader_health == Some(ConsumerHealth::Up)
    }

    /// The offsets of the poison ahead, as far as it is seen.
    pub fn poison_offsets(&self) -> impl Iterator<Item = u64> {
        let (first, mask) = (self.head, self.poison);
        (0..POISON_SEEN)
            .filter(move |place| mask >> place & 1 == 1)
            .map(move |place| first + u64::from(place))
    }
}

impl NetworkSnapshot {
    /// Deliveries of all queues, first and later ones.
    #[must_use]
    pub fn deliveries(&self) -> u64 {
        self.queues.iter().map(|queue| queue.deliveries).sum()
    }

    /// Deliveries of messages that had been delivered before, of all queues.
    #[must_use]
    pub fn redeliveries(&self) -> u64 {
        self.queues.iter().map(|queue| queue.redeliveries).sum()
    }
}
