//! Which member reads which partition: Kafka's assignors.
//!
//! Source: Kafka 4.0.0-SNAPSHOT of 2024-10-25, without racks; `kafka-assignors.json`. Every partition
//! of a topic that somebody subscribes to has one reader, but for those that a cooperative assignor
//! holds back for a round because another member has to give them up first.

use std::cmp::Ordering;

use super::super::ordered::Ordered;
use super::java_order;
use super::{constrained, unequal};

/// A topic, as far as assignors care.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name. Topics stand in the order of their names.
    pub name: String,
    /// How many partitions it has; 0: there is no such topic.
    pub partitions: u32,
}

/// A partition of one of several topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicPartition {
    /// Which of the topics, by its place among them.
    pub topic: usize,
    /// Which partition, counted from 0.
    pub partition: u32,
}

/// What a member says of itself when it joins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Its id, which is its own.
    pub id: String,
    /// The name that it keeps over restarts, if it has one (`group.instance.id`).
    pub instance: Option<String>,
    /// The topics it subscribes to, by their places.
    pub topics: Vec<usize>,
    /// The partitions it had, as it knows.
    pub owned: Vec<TopicPartition>,
    /// In which generation of the group it had them; `None`: it is new.
    pub generation: Option<u64>,
}

/// Who reads what: the partitions of each candidate, in the order of the candidates.
pub type Assignment = Vec<Vec<TopicPartition>>;

/// The rule by which partitions are given to members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignor {
    /// Of each topic a run of neighbours to each member, the first members one more
    /// (`RangeAssignor`).
    Range = 1,
    /// All partitions of all topics in turn (`RoundRobinAssignor`).
    RoundRobin = 2,
    /// As even as can be, and then everybody keeps what he can (`StickyAssignor`).
    Sticky = 3,
    /// The same; who has to give up a partition does so before another gets it
    /// (`CooperativeStickyAssignor`).
    CooperativeSticky = 4,
}

/// What members do with their partitions while the group is rebalanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Everybody gives up everything before he joins again.
    Eager,
    /// Everybody goes on with what he keeps; what moves takes a second round.
    Cooperative,
}

impl Assignor {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Range, Self::RoundRobin, Self::Sticky, Self::CooperativeSticky];

    /// Its name, as Kafka's clients send it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::RoundRobin => "roundrobin",
            Self::Sticky => "sticky",
            Self::CooperativeSticky => "cooperative-sticky",
        }
    }

    /// How members behave that use it.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        match self {
            Self::CooperativeSticky => Protocol::Cooperative,
            Self::Range | Self::RoundRobin | Self::Sticky => Protocol::Eager,
        }
    }

    /// Gives the partitions of `topics` to `members`. Topics stand in the order of their names;
    /// subscriptions to places beyond them count as such to no topic.
    #[must_use]
    pub fn assign(self, topics: &[Topic], members: &[Candidate]) -> Assignment {
        if members.is_empty() {
            return Vec::new();
        }
        match self {
            Self::Range => range(topics, members),
            Self::RoundRobin => round_robin(topics, members),
            Self::Sticky => sticky(topics, members).0,
            Self::CooperativeSticky => cooperative(topics, members),
        }
    }
}

/// Every partition of a topic.
pub(super) fn partitions_of(topics: &[Topic], topic: usize) -> impl Iterator<Item = TopicPartition> + use<> {
    let partitions = topics.get(topic).map_or(0, |topic| topic.partitions);
    (0..partitions).map(move |partition| TopicPartition { topic, partition })
}

/// A partition as a key, in the order of topics' names.
pub(super) const fn key(of: TopicPartition) -> [u64; 3] {
    [of.topic as u64, of.partition as u64, 0]
}

/// The places of members in the order of `compare`.
pub(super) fn sorted(
    members: &[Candidate],
    compare: impl Fn(&Candidate, &Candidate) -> Ordering,
) -> Vec<usize> {
    let mut order = Ordered::default();
    for (place, member) in members.iter().enumerate() {
        let before = members.iter().filter(|other| compare(other, member) == Ordering::Less).count();
        order.insert([before as u64, place as u64, 0], place);
    }
    order.iter().map(|(_, place)| *place).collect()
}

/// By id.
pub(super) fn by_id(one: &Candidate, other: &Candidate) -> Ordering {
    one.id.cmp(&other.id)
}

/// Members with a name of their own first, by it; the others by id.
fn named_first(one: &Candidate, other: &Candidate) -> Ordering {
    match (&one.instance, &other.instance) {
        (Some(one), Some(other)) => one.cmp(other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => by_id(one, other),
    }
}

/// The topics that there are, in the order in which Kafka walks them.
fn walked_topics(topics: &[Topic]) -> Vec<usize> {
    let places = topics.iter().enumerate().filter(|(_, topic)| topic.partitions > 0);
    let there: Vec<(usize, u32)> =
        places.map(|(place, topic)| (place, java_order::string_hash(&topic.name))).collect();
    let walked = java_order::walk(there.iter().map(|(_, hash)| *hash));
    walked.into_iter().filter_map(|at| there.get(at).map(|(place, _)| *place)).collect()
}

fn range(topics: &[Topic], members: &[Candidate]) -> Assignment {
    let mut assignment = vec![Vec::new(); members.len()];
    let order = sorted(members, named_first);
    for topic in walked_topics(topics) {
        let readers: Vec<usize> =
            order.iter().copied().filter(|member| subscribes(members, *member, topic)).collect();
        let mut partitions = partitions_of(topics, topic);
        let count = partitions_of(topics, topic).count();
        for (place, reader) in readers.iter().enumerate() {
            let extra = usize::from(place < count % readers.len());
            let share = partitions.by_ref().take(count / readers.len() + extra);
            give(&mut assignment, *reader, share);
        }
    }
    assignment
}

fn round_robin(topics: &[Topic], members: &[Candidate]) -> Assignment {
    let mut assignment = vec![Vec::new(); members.len()];
    let order = sorted(members, named_first);
    let all = (0..topics.len()).flat_map(|topic| partitions_of(topics, topic));
    let mut turns = order.iter().copied().cycle();
    for partition in all {
        // Once round, and nobody reads it.
        let mut asked = turns.by_ref().take(order.len());
        if let Some(reader) = asked.find(|member| subscribes(members, *member, partition.topic)) {
            give(&mut assignment, reader, [partition].into_iter());
        }
    }
    assignment
}

fn give(assignment: &mut Assignment, reader: usize, share: impl Iterator<Item = TopicPartition>) {
    if let Some(own) = assignment.get_mut(reader) {
        own.extend(share);
    }
}

pub(super) fn subscribes(members: &[Candidate], member: usize, topic: usize) -> bool {
    members.get(member).is_some_and(|member| member.topics.contains(&topic))
}

/// The sticky assignment, and the partitions of it that another member has to give up first.
fn sticky(topics: &[Topic], members: &[Candidate]) -> (Assignment, Vec<TopicPartition>) {
    let claims = Claims::of(topics, members);
    let first = members.first().map(|member| &member.topics);
    let same = |topics: &Vec<usize>, other: &Vec<usize>| {
        topics.len() == other.len() && topics.iter().all(|topic| other.contains(topic))
    };
    if members.iter().all(|member| first.is_some_and(|first| same(&member.topics, first))) {
        return constrained::assign(topics, members, &claims);
    }
    let assignment = unequal::assign(topics, members, &claims);
    let moving = moving(members, &assignment);
    (assignment, moving)
}

fn cooperative(topics: &[Topic], members: &[Candidate]) -> Assignment {
    let (mut assignment, moving) = sticky(topics, members);
    for own in &mut assignment {
        own.retain(|partition| !moving.contains(partition));
    }
    assignment
}

/// Partitions that somebody gets who did not have them, from somebody who had them.
fn moving(members: &[Candidate], assignment: &Assignment) -> Vec<TopicPartition> {
    let pairs = || members.iter().zip(assignment);
    let given_up: Vec<TopicPartition> = pairs()
        .flat_map(|(member, own)| member.owned.iter().filter(|had| !own.contains(had)).copied())
        .collect();
    let added = pairs().flat_map(|(member, own)| own.iter().filter(|has| !member.owned.contains(has)));
    added.filter(|partition| given_up.contains(partition)).copied().collect()
}

/// What members had, as far as it counts: of a partition that several claim, the one of the latest
/// generation had it, and nobody where two of the same generation say so.
pub(super) struct Claims {
    /// The partitions of each member.
    pub owned: Assignment,
    /// Those that two members of one generation claimed.
    pub disputed: Vec<TopicPartition>,
    /// In which order Kafka walks the members.
    pub walk: Vec<usize>,
}

impl Claims {
    fn of(topics: &[Topic], members: &[Candidate]) -> Self {
        let walk = java_order::walk(members.iter().map(|member| java_order::string_hash(&member.id)));
        let mut claims = Self { owned: vec![Vec::new(); members.len()], disputed: Vec::new(), walk };
        let mut owners: Ordered<usize> = Ordered::default();
        for place in claims.walk.clone() {
            let Some(member) = members.get(place) else { continue };
            let exists = |had: &&TopicPartition| topics.get(had.topic).is_some_and(|it| it.partitions > 0);
            for had in member.owned.iter().filter(exists) {
                let other = owners.get(&key(*had)).copied();
                let other_generation = other.and_then(|other| members.get(other)).map(|it| it.generation);
                if claims.takes(*had, place, member.generation, other.zip(other_generation)) {
                    owners.insert(key(*had), place);
                }
            }
        }
        claims
    }

    /// Whether the partition counts as this member's from now on.
    fn takes(
        &mut self,
        had: TopicPartition,
        member: usize,
        generation: Option<u64>,
        other: Option<(usize, Option<u64>)>,
    ) -> bool {
        let Some((other, other_generation)) = other else {
            give(&mut self.owned, member, [had].into_iter());
            return true;
        };
        if generation < other_generation {
            return false;
        }
        if let Some(owned) = self.owned.get_mut(other) {
            owned.retain(|partition| *partition != had);
        }
        if generation == other_generation {
            self.disputed.push(had);
        } else {
            give(&mut self.owned, member, [had].into_iter());
        }
        true
    }
}
