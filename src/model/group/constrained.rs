//! The sticky assignment where all members subscribe to the same topics
//! (Kafka `AbstractStickyAssignor.ConstrainedAssignmentBuilder`, 4.0.0-SNAPSHOT of 2024-10-25).

use std::collections::VecDeque;

use super::super::ordered::Ordered;
use super::assignors::{
    Assignment, Candidate, Claims, Topic, TopicPartition, by_id, key, partitions_of, sorted, subscribes,
};

/// The assignment, and the partitions of it that another member has to give up first.
pub fn assign(topics: &[Topic], members: &[Candidate], claims: &Claims) -> (Assignment, Vec<TopicPartition>) {
    let all: Vec<TopicPartition> = (0..topics.len())
        .filter(|topic| subscribes(members, 0, *topic))
        .flat_map(|topic| partitions_of(topics, topic))
        .collect();
    let mut builder = Builder::new(all.len(), members.len());
    for member in &claims.walk {
        let Some(owned) = claims.owned.get(*member) else { continue };
        builder.keep(*member, by_partition(owned, &claims.disputed));
    }
    let ranks = sorted(members, by_id);
    builder.under.retain_in_order(&ranks);
    builder.at_least.retain_in_order(&ranks);
    let mut moving = Vec::new();
    for partition in
        all.into_iter().filter(|partition| !builder.kept.contains(&key(*partition))).collect::<Vec<_>>()
    {
        builder.give(partition);
        if builder.given_up.contains(&partition) || claims.disputed.contains(&partition) {
            moving.push(partition);
        }
    }
    (builder.assignment, moving)
}

/// What a member had, by the number of the partition and then by topic, without what is disputed.
fn by_partition(owned: &[TopicPartition], disputed: &[TopicPartition]) -> Vec<TopicPartition> {
    let mut order = Ordered::default();
    for had in owned.iter().filter(|had| !disputed.contains(had)) {
        order.insert([u64::from(had.partition), had.topic as u64, 0], *had);
    }
    order.iter().map(|(_, had)| *had).collect()
}

struct Builder {
    assignment: Assignment,
    /// The partitions that stay with whoever had them.
    kept: Ordered<()>,
    /// Those that their members have to give up.
    given_up: Vec<TopicPartition>,
    /// Every member has at least so many, and as many of them one more as do not divide evenly.
    least: usize,
    greatest: usize,
    with_one_more: usize,
    with_one_more_wanted: usize,
    /// Members with less than the least, and who has the next turn among them.
    under: Members,
    next_under: usize,
    /// Members with exactly the least that may still get one more.
    at_least: Members,
}

#[derive(Default)]
struct Members(VecDeque<usize>);

impl Members {
    /// Puts them in the order in which they stand in `order`.
    fn retain_in_order(&mut self, order: &[usize]) {
        self.0 = order.iter().copied().filter(|member| self.0.contains(member)).collect();
    }
}

impl Builder {
    fn new(partitions: usize, members: usize) -> Self {
        Self {
            assignment: vec![Vec::new(); members],
            kept: Ordered::default(),
            given_up: Vec::new(),
            least: partitions / members,
            greatest: partitions.div_ceil(members),
            with_one_more: 0,
            with_one_more_wanted: partitions % members,
            under: Members::default(),
            next_under: 0,
            at_least: Members::default(),
        }
    }

    /// A member keeps what it had, as far as its share goes. The first that had the greatest share or
    /// more keep that, as many as may have it; the others keep the least.
    fn keep(&mut self, member: usize, mut owned: Vec<TopicPartition>) {
        let may_have_more = self.with_one_more < self.with_one_more_wanted;
        if owned.len() < self.least {
            self.under.0.push_back(member);
        } else if owned.len() >= self.greatest && may_have_more {
            self.with_one_more += 1;
            if self.with_one_more == self.with_one_more_wanted {
                self.at_least.0.clear();
            }
            self.given_up.extend(owned.drain(self.greatest..));
        } else {
            self.given_up.extend(owned.drain(self.least..));
            if may_have_more {
                self.at_least.0.push_back(member);
            }
        }
        owned.iter().for_each(|partition| self.kept.insert(key(*partition), ()));
        if let Some(own) = self.assignment.get_mut(member) {
            *own = owned;
        }
    }

    /// Gives a partition that nobody keeps to the next member with less than the least; once there is
    /// none, to one with exactly the least.
    fn give(&mut self, partition: TopicPartition) {
        if self.next_under >= self.under.0.len() {
            self.next_under = 0;
        }
        let under = self.under.0.get(self.next_under).copied();
        let Some(member) = under.or_else(|| self.at_least.0.pop_front()) else { return };
        let Some(own) = self.assignment.get_mut(member) else { return };
        own.push(partition);
        if under.is_none() {
            return;
        }
        if own.len() == self.least {
            self.under.0.remove(self.next_under);
            self.at_least.0.push_back(member);
        } else {
            self.next_under += 1;
        }
    }
}
