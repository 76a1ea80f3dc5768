//! Topics to which groups send records, and who reads what was sent there.

use super::super::routes::Role;
use super::{GroupNode, Topology};

impl Topology {
    /// In which place the members of the group at `index` handle messages: what a group sends to a topic
    /// for another attempt is handled there in its place, and of the other groups of a topic each has
    /// its own. Who reads dead letters is none of those who sent them.
    #[must_use]
    #[inline(never)]
    pub fn role_of_group(&self, index: usize) -> Role {
        let mut at = index;
        // Who sends there may read what another sent: no way is longer than there are groups.
        for _ in 0..self.groups.len() {
            match self.sender_of_retries(at) {
                Some(sender) => at = sender,
                None => break,
            }
        }
        let from = self.groups.get(at).map(|node| &node.from);
        let before = self.groups.iter().enumerate().take(at);
        let others = before
            .filter(|(other, node)| Some(&node.from) == from && self.sender_of_retries(*other).is_none());
        let takes_dead_letters = from.is_some_and(|from| self.are_dead_letters(from));
        let first = if takes_dead_letters { Role::FIRST_OF_DEAD_LETTERS } else { Role::FIRST };
        Role(first.0 + u8::try_from(others.count()).unwrap_or_default())
    }

    /// Whether groups send their dead letters to the topic at `index`.
    #[must_use]
    pub fn takes_dead_letters(&self, index: usize) -> bool {
        self.topics.get(index).is_some_and(|node| self.are_dead_letters(&node.name))
    }

    /// Whether a queue names the queue at `index` for its dead letters.
    #[must_use]
    #[inline(never)]
    pub fn takes_dead_letters_of_queues(&self, index: usize) -> bool {
        let name = self.queues.get(index).map(|node| &node.name);
        self.queues.iter().any(|node| name.is_some() && node.dead_letters_to.as_ref() == name)
    }

    /// Whether groups send records to the topic at `index`: to be tried again, or as dead letters.
    #[must_use]
    pub fn takes_passed_on(&self, index: usize) -> bool {
        let name = self.topics.get(index).map(|node| &node.name);
        let sends_there = |to: &Option<String>| name.is_some() && to.as_ref() == name;
        self.groups.iter().any(|node| sends_there(&node.retry_to) || sends_there(&node.dead_letters_to))
    }

    fn are_dead_letters(&self, topic: &String) -> bool {
        self.groups.iter().any(|node| node.dead_letters_to.as_ref() == Some(topic))
    }

    /// Whether the group at `index` reads what groups send to be tried again.
    #[must_use]
    #[inline(never)]
    pub fn reads_retries(&self, index: usize) -> bool {
        let from = self.groups.get(index).map(|node| &node.from);
        self.groups.iter().any(|node| node.retry_to.is_some() && node.retry_to.as_ref() == from)
    }

    /// The first other group that sends its retries to the topic that the group at `index` reads.
    fn sender_of_retries(&self, index: usize) -> Option<usize> {
        let from = self.groups.get(index).map(|node| &node.from);
        let mut groups = self.groups.iter().enumerate();
        let sends_there = |other: usize, node: &GroupNode| {
            other != index && node.retry_to.as_ref() == from && Some(&node.from) != from
        };
        groups.find(|(other, node)| sends_there(*other, node)).map(|(other, _)| other)
    }
}
