//! One round of a rebalance, and what came of it.

use super::assignors::{Assignment, TopicPartition};

/// What one round of a rebalance decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The generation that begins with it, from 1.
    pub generation: u64,
    /// Who reads what from now on, in the order of the members.
    pub assignment: Assignment,
    /// What members had to give up, whoever gets it. It stops until somebody is given it.
    pub revoked: Vec<TopicPartition>,
    /// What members were given that they did not have.
    pub added: Vec<TopicPartition>,
    /// Whether another round follows at once, in which what was given up is given to others.
    pub another_follows: bool,
}

/// What a rebalance costs while it goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// Partitions that stop when all members give up all they have before they join again.
    pub eager: usize,
    /// Partitions that stop when members give up only what another gets.
    pub cooperative: usize,
}

/// What members had and have no more, and what they have and did not have.
pub(super) fn changes(before: &Assignment, after: &Assignment) -> (Vec<TopicPartition>, Vec<TopicPartition>) {
    (missing(before, after), missing(after, before))
}

/// What members have in `these` and not in `those`.
fn missing(these: &Assignment, those: &Assignment) -> Vec<TopicPartition> {
    let pairs = these.iter().zip(those);
    pairs
        .flat_map(|(own, other)| own.iter().filter(|partition| !other.contains(partition)).copied())
        .collect()
}
