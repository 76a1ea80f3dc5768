//! The sticky assignment where members subscribe to different topics
//! (Kafka `AbstractStickyAssignor.GeneralAssignmentBuilder`, 4.0.0-SNAPSHOT of 2024-10-25).
//!
//! Everybody keeps what he had and still subscribes to. What nobody has goes to the member with the
//! fewest, topics with the fewest subscribers first. Then partitions move, one by one, from members
//! that have at least two more than another that could read them, as long as that evens things out.

use super::super::ordered::Ordered;
use super::assignors::{
    Assignment, Candidate, Claims, Topic, TopicPartition, by_id, key, partitions_of, sorted, subscribes,
};
use super::java_order;

/// The assignment.
pub fn assign(topics: &[Topic], members: &[Candidate], claims: &Claims) -> Assignment {
    let mut builder = Builder::new(topics, members, claims);
    let is_new = builder.assignment.iter().all(Vec::is_empty);
    let mut unassigned = builder.unassigned();
    for partition in &unassigned {
        if let Some(reader) = builder.least_loaded(partition.topic) {
            builder.put(*partition, reader);
        }
    }
    unassigned.retain(|partition| builder.can_move(partition.topic));
    let mut movable = builder.all.clone();
    movable.retain(|partition| builder.can_move(partition.topic));
    builder.set_fixed_members_aside();
    builder.even_out(&unassigned, &movable, is_new);
    builder.assignment
}

struct Builder<'a> {
    topics: &'a [Topic],
    members: &'a [Candidate],
    /// Members by id.
    by_id: Vec<usize>,
    /// Who subscribes to each topic, in the order in which Kafka walks them.
    readers: Vec<Vec<usize>>,
    /// All partitions, topics with the fewest subscribers first.
    all: Vec<TopicPartition>,
    assignment: Assignment,
    owners: Ordered<usize>,
    /// Who had a partition in an earlier generation than the latest.
    earlier: Ordered<usize>,
    /// Whether a member is part of the evening out.
    takes_part: Vec<bool>,
    /// Somebody had a partition of a topic that he no longer subscribes to.
    somebody_unsubscribed: bool,
    movements: Movements,
}

/// From whom to whom partitions have moved.
#[derive(Default)]
struct Movements(Ordered<(usize, usize)>);

impl Movements {
    fn record(&mut self, partition: TopicPartition, from: usize, to: usize) {
        let first = self.0.remove(&key(partition)).map_or(from, |(first, _)| first);
        if first != to {
            self.0.insert(key(partition), (first, to));
        }
    }

    /// Where a partition of the same topic moved the other way round, that one moves back instead.
    fn instead_of(
        &self,
        topics: &[Topic],
        partition: TopicPartition,
        from: usize,
        to: usize,
    ) -> TopicPartition {
        let from = self.0.get(&key(partition)).map_or(from, |(first, _)| *first);
        let same_topic = self.0.iter().filter(|([topic, ..], _)| *topic == partition.topic as u64);
        let back = same_topic.filter(|(_, pair)| **pair == (to, from));
        let back: Vec<u32> = back.filter_map(|([_, number, _], _)| u32::try_from(number).ok()).collect();
        let name = topics.get(partition.topic).map_or("", |topic| &topic.name);
        let walked = java_order::walk(back.iter().map(|number| java_order::partition_hash(name, *number)));
        let first = walked.first().and_then(|place| back.get(*place));
        first.map_or(partition, |number| TopicPartition { partition: *number, ..partition })
    }
}

impl<'a> Builder<'a> {
    fn new(topics: &'a [Topic], members: &'a [Candidate], claims: &Claims) -> Self {
        let readers_of = |topic| {
            claims.walk.iter().copied().filter(|member| subscribes(members, *member, topic)).collect()
        };
        let readers: Vec<Vec<usize>> = (0..topics.len()).map(readers_of).collect();
        let mut builder = Self {
            topics,
            members,
            by_id: sorted(members, by_id),
            all: by_readers(topics, &readers),
            readers,
            assignment: vec![Vec::new(); members.len()],
            owners: Ordered::default(),
            earlier: earlier_owners(members, &claims.walk),
            takes_part: vec![true; members.len()],
            somebody_unsubscribed: false,
            movements: Movements::default(),
        };
        for (member, owned) in claims.owned.iter().enumerate() {
            for had in owned {
                if subscribes(members, member, had.topic) {
                    builder.put(*had, member);
                } else {
                    builder.somebody_unsubscribed = true;
                }
            }
        }
        builder
    }

    fn put(&mut self, partition: TopicPartition, member: usize) {
        self.owners.insert(key(partition), member);
        if let Some(own) = self.assignment.get_mut(member) {
            own.push(partition);
        }
    }

    fn unassigned(&self) -> Vec<TopicPartition> {
        self.all.iter().copied().filter(|partition| !self.owners.contains(&key(*partition))).collect()
    }

    fn load(&self, member: usize) -> usize {
        self.assignment.get(member).map_or(0, Vec::len)
    }

    fn part_takers(&self) -> impl Iterator<Item = usize> {
        self.by_id.iter().copied().filter(|member| self.takes_part.get(*member).copied().unwrap_or_default())
    }

    /// Who has the fewest partitions of those that could read the topic: of equals, the first by id.
    fn least_loaded(&self, topic: usize) -> Option<usize> {
        let readers = self.part_takers().filter(|member| subscribes(self.members, *member, topic));
        readers.min_by_key(|member| self.load(*member))
    }

    fn can_move(&self, topic: usize) -> bool {
        self.readers.get(topic).is_some_and(|readers| readers.len() >= 2)
    }

    fn most_possible(&self, member: usize) -> usize {
        let topics = (0..self.topics.len()).filter(|topic| subscribes(self.members, member, *topic));
        topics.map(|topic| partitions_of(self.topics, topic).count()).sum()
    }

    /// Members that have all they can have, none of which could be another's, stay out of it.
    fn set_fixed_members_aside(&mut self) {
        for member in 0..self.members.len() {
            let own = self.assignment.get(member).map_or(&[][..], Vec::as_slice);
            let has_all = own.len() >= self.most_possible(member);
            let is_fixed = has_all && own.iter().all(|partition| !self.can_move(partition.topic));
            if let Some(takes_part) = self.takes_part.get_mut(member) {
                *takes_part = !is_fixed;
            }
        }
    }

    /// Moves partitions while that makes the loads more even. What was not better in the end than
    /// before is undone, unless nobody had anything.
    fn even_out(&mut self, unassigned: &[TopicPartition], movable: &[TopicPartition], is_new: bool) {
        let (assignment, score) = (self.assignment.clone(), self.unevenness());
        if !self.somebody_unsubscribed {
            self.reassign(unassigned);
        }
        if self.reassign(movable) && !is_new && self.unevenness() >= score {
            self.assignment = assignment;
        }
    }

    /// Moves partitions of `movable` until nothing gets better. Returns whether one moved.
    fn reassign(&mut self, movable: &[TopicPartition]) -> bool {
        let mut has_moved = false;
        loop {
            let mut moved = false;
            for partition in movable {
                if self.is_balanced() {
                    break;
                }
                moved |= self.improve(*partition);
            }
            has_moved |= moved;
            if !moved {
                return has_moved;
            }
        }
    }

    /// Moves the partition back to who had it earlier, or to the least loaded, if its reader has at
    /// least two more.
    fn improve(&mut self, partition: TopicPartition) -> bool {
        let Some(reader) = self.owners.get(&key(partition)).copied() else { return false };
        let load = self.load(reader);
        let earlier = self.earlier.get(&key(partition)).copied();
        if let Some(earlier) = earlier.filter(|earlier| load > self.load(*earlier) + 1) {
            self.move_to(partition, reader, earlier);
            return true;
        }
        let others = self.readers.get(partition.topic).map_or(&[][..], Vec::as_slice);
        if !others.iter().any(|other| load > self.load(*other) + 1) {
            return false;
        }
        let Some(to) = self.least_loaded(partition.topic) else { return false };
        self.move_to(partition, reader, to);
        true
    }

    fn move_to(&mut self, partition: TopicPartition, from: usize, to: usize) {
        let moved = self.movements.instead_of(self.topics, partition, from, to);
        let from = self.owners.get(&key(moved)).copied().unwrap_or(from);
        self.movements.record(moved, from, to);
        if let Some(own) = self.assignment.get_mut(from) {
            own.retain(|other| *other != moved);
        }
        self.put(moved, to);
    }

    /// Whether no partition could go to somebody who has at least two fewer.
    fn is_balanced(&self) -> bool {
        let loads = || self.part_takers().map(|member| self.load(member));
        let (Some(least), Some(most)) = (loads().min(), loads().max()) else { return true };
        if least + 1 >= most {
            return true;
        }
        self.part_takers().all(|member| {
            let load = self.load(member);
            let owners =
                self.all.iter().filter(|partition| subscribes(self.members, member, partition.topic));
            let mut owners = owners.filter_map(|partition| self.owners.get(&key(*partition)));
            load == self.most_possible(member) || owners.all(|owner| self.load(*owner) <= load + 1)
        })
    }

    /// The sum of all differences between two members' loads.
    fn unevenness(&self) -> usize {
        let loads: Vec<usize> = self.part_takers().map(|member| self.load(member)).collect();
        let pairs = loads
            .iter()
            .enumerate()
            .flat_map(|(place, one)| loads.iter().skip(place + 1).map(move |other| one.abs_diff(*other)));
        pairs.sum()
    }
}

/// All partitions, topics with the fewest subscribers first and of these by name.
fn by_readers(topics: &[Topic], readers: &[Vec<usize>]) -> Vec<TopicPartition> {
    let mut order = Ordered::default();
    for (topic, readers) in readers.iter().enumerate() {
        order.insert([readers.len() as u64, topic as u64, 0], topic);
    }
    order.iter().flat_map(|(_, topic)| partitions_of(topics, *topic)).collect()
}

/// Who claims to have had a partition in a generation before the latest: of several, the latest.
fn earlier_owners(members: &[Candidate], walk: &[usize]) -> Ordered<usize> {
    let latest = members.iter().filter_map(|member| member.generation).max();
    let mut generations: Ordered<(Option<u64>, usize)> = Ordered::default();
    for member in walk {
        let Some(candidate) = members.get(*member).filter(|it| it.generation < latest) else { continue };
        for had in &candidate.owned {
            let known = generations.get(&key(*had)).map(|(generation, _)| *generation);
            if known.is_none_or(|known| candidate.generation > known) {
                generations.insert(key(*had), (candidate.generation, *member));
            }
        }
    }
    let mut owners = Ordered::default();
    generations.iter().for_each(|(had, (_, member))| owners.insert(had, *member));
    owners
}
