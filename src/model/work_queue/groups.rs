//! Message groups: order is kept within a group, and groups take turns (SQS FIFO).
//!
//! A message of a group can be taken only if no earlier one of the group is out. A group that can
//! give something has a turn; one that was taken from comes last when it can give again. Rules by
//! the scenarios of `sqs-aws-validated`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::super::held::HeldBytes;
use super::super::message::Message;
use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::ready::Waiting;

/// All groups of a queue.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    groups: BTreeMap<u64, Group>,
    /// Groups whose first message waits, in the order of their turns.
    turns: VecDeque<u64>,
    /// Since when each waiting message waits, its place, and its group.
    ages: BTreeSet<(Instant, u64, u64)>,
    /// How many messages ever came in: their order.
    pushed_total: u64,
}

/// One group's messages in order.
#[derive(Clone, Debug, Default)]
struct Group {
    messages: BTreeMap<u64, Standing>,
    has_turn: bool,
}

/// How a message of a group stands.
#[derive(Clone, Debug)]
enum Standing {
    Waiting(Waiting),
    /// A consumer has it, and those behind it must wait.
    Out,
}

impl Group {
    fn can_give(&self) -> bool {
        matches!(self.messages.first_key_value(), Some((_, Standing::Waiting(_))))
    }
}

impl Groups {
    /// Puts a new message at the end of its group.
    pub fn push(&mut self, waiting: Waiting) {
        self.pushed_total += 1;
        self.put_back(waiting, self.pushed_total);
    }

    /// The message that is out at `place` waits there again.
    pub fn put_back(&mut self, waiting: Waiting, place: u64) {
        let name = waiting.message.properties().group;
        self.ages.insert((waiting.message.accepted_at, place, name));
        let group = self.groups.entry(name).or_default();
        group.messages.insert(place, Standing::Waiting(waiting));
        self.renew_turn(name);
    }

    /// Whether a message of the group would be first to go: no other can, and none of its group is
    /// out.
    pub fn would_go_first(&self, name: u64) -> bool {
        self.turns.is_empty() && !self.groups.contains_key(&name)
    }

    /// A new message of the group is out as it comes. Returns its place.
    pub fn push_out(&mut self, name: u64) -> u64 {
        self.pushed_total += 1;
        self.groups.entry(name).or_default().messages.insert(self.pushed_total, Standing::Out);
        self.pushed_total
    }

    /// The message that goes next.
    pub fn head(&self) -> Option<&Message> {
        let group = self.groups.get(self.turns.front()?)?;
        match group.messages.first_key_value()?.1 {
            Standing::Waiting(waiting) => Some(&waiting.message),
            Standing::Out => None,
        }
    }

    /// Since when the oldest waiting message waits.
    pub fn oldest_accepted_at(&self) -> Option<Instant> {
        self.ages.first().map(|(accepted_at, ..)| *accepted_at)
    }

    /// Takes out the oldest waiting message, for good.
    pub fn take_oldest(&mut self) -> Option<Waiting> {
        let (_, place, name) = *self.ages.first()?;
        self.take_at(name, place)
    }

    /// Takes the next message: the one behind the group and place that the same receive has just
    /// taken, or else the first of the group whose turn it is.
    pub fn take_next(&mut self, behind: Option<(u64, u64)>) -> Option<(Waiting, u64)> {
        if let Some(taken) = behind.and_then(|(name, place)| self.take_behind(name, place)) {
            return Some(taken);
        }
        let name = self.turns.pop_front()?;
        self.groups.get_mut(&name)?.has_turn = false;
        self.take_behind(name, 0)
    }

    /// Takes the message of the group that comes right behind `place`, unless it is out.
    fn take_behind(&mut self, name: u64, place: u64) -> Option<(Waiting, u64)> {
        let messages = &mut self.groups.get_mut(&name)?.messages;
        let (place, standing) = messages.range_mut(place + 1..).next()?;
        if matches!(standing, Standing::Out) {
            return None;
        }
        let Standing::Waiting(waiting) = std::mem::replace(standing, Standing::Out) else { return None };
        self.ages.remove(&(waiting.message.accepted_at, *place, name));
        Some((waiting, *place))
    }

    /// Takes out a waiting message of which `wanted` says so.
    pub fn take_where(&mut self, wanted: impl Fn(&Waiting) -> bool) -> Option<Waiting> {
        let is_wanted =
            |standing: &Standing| matches!(standing, Standing::Waiting(waiting) if wanted(waiting));
        let (name, place) = self.groups.iter().find_map(|(name, group)| {
            let found = group.messages.iter().find(|(_, standing)| is_wanted(standing));
            found.map(|(place, _)| (*name, *place))
        })?;
        self.take_at(name, place)
    }

    fn take_at(&mut self, name: u64, place: u64) -> Option<Waiting> {
        let Standing::Waiting(waiting) = self.groups.get_mut(&name)?.messages.remove(&place)? else {
            return None;
        };
        self.ages.remove(&(waiting.message.accepted_at, place, name));
        self.renew_turn(name);
        Some(waiting)
    }

    /// The message that is out at `place` is gone for good.
    pub fn forget(&mut self, name: u64, place: u64) {
        if let Some(group) = self.groups.get_mut(&name) {
            group.messages.remove(&place);
            self.renew_turn(name);
        }
    }

    /// Takes out everything that waits; what is out stays out.
    pub fn clear(&mut self) {
        while self.take_oldest().is_some() {}
    }

    /// All waiting messages, group by group.
    pub fn iter(&self) -> impl Iterator<Item = &Message> {
        let standing = self.groups.values().flat_map(|group| group.messages.values());
        standing.filter_map(|standing| match standing {
            Standing::Waiting(waiting) => Some(&waiting.message),
            Standing::Out => None,
        })
    }

    /// A group that can give and has no turn comes last; one that cannot loses its turn; one that
    /// is empty is forgotten.
    fn renew_turn(&mut self, name: u64) {
        let Some(group) = self.groups.get_mut(&name) else { return };
        let can_give = group.can_give();
        if can_give && !group.has_turn {
            self.turns.push_back(name);
        } else if !can_give && group.has_turn {
            self.turns.retain(|other| *other != name);
        }
        group.has_turn = can_give;
        if group.messages.is_empty() {
            self.groups.remove(&name);
        }
    }

    /// Counts the bytes they hold.
    pub(super) fn count_held(&self, held: &mut HeldBytes) {
        held.tree::<(Instant, u64, u64)>(self.ages.len());
        held.own::<u64>(self.turns.len());
        for group in self.groups.values() {
            held.tree::<(u64, Group)>(1);
            held.tree::<(u64, Standing)>(group.messages.len());
        }
        self.iter().for_each(|message| message.count_held(held));
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for (name, group) in &self.groups {
            hasher.write(*name);
            for (place, standing) in &group.messages {
                hasher.write(*place);
                match standing {
                    Standing::Waiting(waiting) => waiting.hash_into(hasher),
                    Standing::Out => hasher.write(0),
                }
            }
        }
        self.turns.iter().for_each(|name| hasher.write(*name));
    }
}
