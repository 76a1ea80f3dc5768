//! What is read off a snapshot of a run that is a log, before it is decided what to say.

use crate::model::group::GroupState;
use crate::model::rate::Rate;
use crate::model::snapshot::network::{
    GroupSnapshot, LaneSnapshot, NetworkSnapshot, PartitionSnapshot, PoolSnapshot, TopicSnapshot,
};
use crate::model::snapshot::{ConsumerHealth, Snapshot};
use crate::model::time::{Instant, Span};

/// A snapshot of a log with what follows from it.
#[derive(Clone, Copy, Debug)]
pub struct LogFacts<'a> {
    /// What it speaks of.
    pub snapshot: &'a Snapshot,
    /// The topic to which the first producer sends.
    pub topic: &'a TopicSnapshot,
    /// The first group that reads it.
    pub team: Team<'a>,
    /// What arrives there, by the producers' dials.
    pub arrivals: Rate,
    /// Whether every record takes the same time and comes at the same pace, nothing fails by itself,
    /// and nothing was done that makes some come back at times that no dial tells.
    pub is_even: bool,
    /// No time beyond this is told, because the scenario does something then.
    pub horizon: Option<Span>,
}

/// A group with the pool of its members.
#[derive(Clone, Copy, Debug)]
pub struct Team<'a> {
    /// The group.
    pub group: &'a GroupSnapshot,
    /// Its members.
    pub pool: &'a PoolSnapshot,
}

impl<'a> LogFacts<'a> {
    /// The facts of `snapshot`, if it is one of a log: every producer sends to a topic, and a group
    /// reads that of the first.
    #[must_use]
    pub fn of(snapshot: &'a Snapshot) -> Option<Self> {
        let network = &snapshot.network;
        let named = |name: &String| network.topics.iter().find(|topic| topic.name == *name);
        let first = network.producers.first()?;
        let topic = named(&first.to)?;
        if network.producers.iter().any(|producer| named(&producer.to).is_none()) {
            return None;
        }
        let team = teams(network, topic).next()?;
        let rates = network.producers.iter().filter(|producer| producer.to == topic.name);
        let thousandths = rates.fold(0, |sum: u64, one| sum.saturating_add(one.rate.thousandths()));
        let arrivals = Rate::from_thousandths(thousandths);
        Some(Self { snapshot, topic, team, arrivals, is_even: false, horizon: None })
    }

    /// The same, of a run that is even or not and whose scenario does something at `acts_at`.
    #[must_use]
    pub fn in_course(self, is_even: bool, acts_at: Option<Instant>) -> Self {
        Self { is_even, horizon: acts_at.map(|at| at.since(self.snapshot.at)), ..self }
    }

    /// Whether the scenario leaves the run alone for so long.
    #[must_use]
    pub fn is_in_sight(&self, span: Span) -> bool {
        self.horizon.is_none_or(|horizon| span <= horizon)
    }

    /// Whether nothing has happened yet.
    #[must_use]
    pub const fn is_at_rest(&self) -> bool {
        self.snapshot.at.micros() == 0 && self.snapshot.ledger.offered == 0
    }

    /// Whether the broker is up and every producer gets in what it sends.
    #[must_use]
    pub fn takes_every_message(&self) -> bool {
        let is_held_up = |blocked: bool, held: u64| blocked || held > 0;
        let producers = &self.snapshot.network.producers;
        self.snapshot.broker.trouble().is_none()
            && !producers.iter().any(|producer| is_held_up(producer.is_blocked, producer.held_back))
    }

    /// Partitions of the topic.
    #[must_use]
    pub fn partitions(&self) -> u64 {
        self.topic.partitions.len() as u64
    }

    /// Records that came to the topic since the start.
    #[must_use]
    pub fn came(&self) -> u64 {
        self.topic.partitions.iter().map(|partition| partition.log_end).sum()
    }

    /// All groups of the topic that have begun, in the order of the topology.
    pub fn teams(&self) -> impl Iterator<Item = Team<'a>> + use<'a> {
        teams(&self.snapshot.network, self.topic).filter(Team::has_begun)
    }

    /// Records in topics for dead letters that no group reads and nobody sent back.
    #[must_use]
    pub fn set_aside(&self) -> u64 {
        let network = &self.snapshot.network;
        let is_read = |topic: &&TopicSnapshot| teams(network, topic).any(|team| team.has_begun());
        network.topics.iter().filter(|topic| !is_read(topic)).map(|topic| topic.not_sent_back).sum()
    }
}

fn teams<'a>(
    network: &'a NetworkSnapshot,
    topic: &TopicSnapshot,
) -> impl Iterator<Item = Team<'a>> + use<'a> {
    let name = topic.name.clone();
    let groups = network.groups.iter().filter(move |group| group.from == name);
    groups.filter_map(|group| {
        let pool = network.pools.iter().find(|pool| pool.name == group.name)?;
        Some(Team { group, pool })
    })
}

impl<'a> Team<'a> {
    /// Whether it has joined: one that joins later is nobody before.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.pool.count > 0 || self.group.generation > 0
    }

    /// Its partitions with their numbers.
    pub fn lanes(&self) -> impl Iterator<Item = (u32, &'a LaneSnapshot)> + use<'a> {
        (0_u32..).zip(&self.group.partitions)
    }

    /// Whether it has members, all of which are there and stay, and every partition has a reader that
    /// works and can do its next record.
    #[must_use]
    pub fn works_everywhere(&self) -> bool {
        let works = |lane: &LaneSnapshot| {
            lane.reader_health == Some(ConsumerHealth::Up)
                && lane.reader.is_some_and(|reader| reader <= self.pool.count)
                && lane.paused_for.is_none()
                && !lane.is_stopped
                && !lane.head_fails
        };
        self.group.state == GroupState::Stable
            && self.group.members == self.pool.members
            && !self.pool.is_stopped
            && self.group.partitions.iter().all(works)
    }

    /// Records it has finished since the start, one way or another.
    #[must_use]
    pub const fn finished(&self) -> u64 {
        let counts = &self.group.counts;
        let untouched = counts.deleted_unread + counts.passed_over + counts.in_hand;
        counts.all().saturating_sub(untouched)
    }

    /// Records that are gone and that it never read, as far as it has noticed and further.
    #[must_use]
    pub fn deleted_unread(&self, topic: &TopicSnapshot) -> u64 {
        // What a member has in hand it has read.
        let gap = |(lane, partition): (&LaneSnapshot, &PartitionSnapshot)| {
            let read_to =
                lane.committed.unwrap_or(partition.log_start).max(lane.position.unwrap_or_default());
            partition.log_start.saturating_sub(read_to)
        };
        let gaps: u64 = self.group.partitions.iter().zip(&topic.partitions).map(gap).sum();
        self.group.counts.deleted_unread + gaps
    }
}
