//! Message groups: order is kept within a group, and groups take turns (SQS FIFO).
//!
//! A message of a group can be taken only if no earlier one of the group is out. A group that can
//! give something has a turn; one that was taken from comes last when it can give again. Rules by
//! the scenarios of `sqs-aws-validated`.

use std::collections::VecDeque;

use super::super::held::HeldBytes;
use super::super::message::Message;
use super::super::ordered::{Key, Ordered};
use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::ages::Ages;
use super::ready::Waiting;

/// All groups of a queue.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// Messages by group and place.
    messages: Ordered<Standing>,
    /// Groups whose first message waits, in the order of their turns.
    turns: VecDeque<u64>,
    /// The same groups, to be found by name.
    has_turn: Ordered<()>,
    /// Waiting messages by the instant since which they wait, their place and their group.
    ages: Ages,
    /// How many messages ever came in: their order.
    pushed_total: u64,
}

/// How a message of a group stands.
#[derive(Clone, Debug)]
enum Standing {
    Waiting(Waiting),
    /// A consumer has it, and those behind it must wait.
    Out,
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
        self.ages.insert(&waiting.message, age_key(&waiting, place, name));
        self.messages.insert([name, place, 0], Standing::Waiting(waiting));
        self.renew_turn(name);
    }

    /// The first message of the group, if it has one.
    fn first_of(&self, name: u64) -> Option<&Standing> {
        self.next_of(name, 0).map(|(_, standing)| standing)
    }

    /// The message of the group at `place` or the next one behind it.
    fn next_of(&self, name: u64, place: u64) -> Option<(u64, &Standing)> {
        let ([group, place, _], standing) = self.messages.next_from([name, place, 0])?;
        (group == name).then_some((place, standing))
    }

    /// Whether a message of the group would be first to go: no other can, and none of its group is
    /// out.
    pub fn would_go_first(&self, name: u64) -> bool {
        self.turns.is_empty() && self.first_of(name).is_none()
    }

    /// A new message of the group is out as it comes. Returns its place.
    pub fn push_out(&mut self, name: u64) -> u64 {
        self.pushed_total += 1;
        self.messages.insert([name, self.pushed_total, 0], Standing::Out);
        self.pushed_total
    }

    /// The message that goes next.
    pub fn head(&self) -> Option<&Message> {
        match self.first_of(*self.turns.front()?)? {
            Standing::Waiting(waiting) => Some(&waiting.message),
            Standing::Out => None,
        }
    }

    /// Since when the oldest waiting message waits.
    pub fn oldest_accepted_at(&self) -> Option<Instant> {
        self.ages.first().map(|[since, ..]| Instant::from_micros(since))
    }

    /// Since when the oldest waiting message of a producer waits.
    pub fn oldest_of(&self, producer: u16) -> Option<Instant> {
        self.ages.oldest_of(producer)
    }

    /// Takes out the oldest waiting message, for good.
    pub fn take_oldest(&mut self) -> Option<Waiting> {
        let [_, place, name] = self.ages.first()?;
        self.take_at(name, place)
    }

    /// Takes the next message: the one behind the group and place that the same receive has just
    /// taken, or else the first of the group whose turn it is.
    pub fn take_next(&mut self, behind: Option<(u64, u64)>) -> Option<(Waiting, u64)> {
        if let Some(taken) = behind.and_then(|(name, place)| self.take_behind(name, place)) {
            return Some(taken);
        }
        let name = self.turns.pop_front()?;
        self.has_turn.remove(&[name, 0, 0]);
        self.take_behind(name, 0)
    }

    /// Takes the message of the group that comes right behind `place`, unless it is out.
    fn take_behind(&mut self, name: u64, place: u64) -> Option<(Waiting, u64)> {
        let (place, _) = self.next_of(name, place + 1)?;
        let standing = self.messages.get_mut(&[name, place, 0])?;
        if matches!(standing, Standing::Out) {
            return None;
        }
        let Standing::Waiting(waiting) = std::mem::replace(standing, Standing::Out) else { return None };
        self.ages.remove(&waiting.message, &age_key(&waiting, place, name));
        Some((waiting, place))
    }

    /// Takes out a waiting message of which `wanted` says so.
    pub fn take_where(&mut self, wanted: impl Fn(&Waiting) -> bool) -> Option<Waiting> {
        let is_wanted =
            |standing: &Standing| matches!(standing, Standing::Waiting(waiting) if wanted(waiting));
        let ([name, place, _], _) = self.messages.iter().find(|(_, standing)| is_wanted(standing))?;
        self.take_at(name, place)
    }

    fn take_at(&mut self, name: u64, place: u64) -> Option<Waiting> {
        let Standing::Waiting(waiting) = self.messages.remove(&[name, place, 0])? else {
            return None;
        };
        self.ages.remove(&waiting.message, &age_key(&waiting, place, name));
        self.renew_turn(name);
        Some(waiting)
    }

    /// The message that is out at `place` is gone for good.
    pub fn forget(&mut self, name: u64, place: u64) {
        self.messages.remove(&[name, place, 0]);
        self.renew_turn(name);
    }

    /// Takes out everything that waits; what is out stays out.
    pub fn clear(&mut self) {
        while self.take_oldest().is_some() {}
    }

    /// All waiting messages, group by group.
    pub fn iter(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter_map(|(_, standing)| match standing {
            Standing::Waiting(waiting) => Some(&waiting.message),
            Standing::Out => None,
        })
    }

    /// A group that can give and has no turn comes last; one that cannot loses its turn.
    fn renew_turn(&mut self, name: u64) {
        let can_give = matches!(self.first_of(name), Some(Standing::Waiting(_)));
        let has_turn = self.has_turn.contains(&[name, 0, 0]);
        if can_give && !has_turn {
            self.turns.push_back(name);
            self.has_turn.insert([name, 0, 0], ());
        } else if !can_give && has_turn {
            self.turns.retain(|other| *other != name);
            self.has_turn.remove(&[name, 0, 0]);
        }
    }

    /// Counts the bytes they hold.
    pub(super) fn count_held(&self, held: &mut HeldBytes) {
        held.tree::<(Instant, u64, u64)>(self.ages.len());
        held.own::<u64>(self.turns.len());
        held.tree::<(u64, u64, Standing)>(self.messages.len());
        self.iter().for_each(|message| message.count_held(held));
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for ([name, place, _], standing) in self.messages.iter() {
            hasher.write(name);
            hasher.write(place);
            match standing {
                Standing::Waiting(waiting) => waiting.hash_into(hasher),
                Standing::Out => hasher.write(0),
            }
        }
        self.turns.iter().for_each(|name| hasher.write(*name));
    }
}

fn age_key(waiting: &Waiting, place: u64, name: u64) -> Key {
    [waiting.message.accepted_at.micros(), place, name]
}
