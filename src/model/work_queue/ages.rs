//! Since when messages wait that stand in no order of their ages, kept apart by producer: so the
//! oldest of all and the oldest of one producer are found without looking at the others.

use super::super::message::{Message, MessageId};
use super::super::ordered::{Key, Ordered};
use super::super::time::Instant;

/// Keys that begin with the instant since which a message waits, in microseconds, in a set for each
/// producer. There are as many sets as the highest producer needs that ever had a message here: 16 at
/// most.
#[derive(Clone, Debug, Default)]
pub struct Ages(Vec<Ordered<()>>);

impl Ages {
    /// Puts in the key of a message.
    pub fn insert(&mut self, message: &Message, key: Key) {
        let set = set_of(message.id);
        while self.0.len() <= set {
            self.0.push(Ordered::default());
        }
        self.0[set].insert(key, ());
    }

    /// Takes it out again.
    pub fn remove(&mut self, message: &Message, key: &Key) {
        if let Some(set) = self.0.get_mut(set_of(message.id)) {
            set.remove(key);
        }
    }

    /// The key of the oldest of all.
    pub fn first(&self) -> Option<Key> {
        self.0.iter().filter_map(first_of).min()
    }

    /// Since when the oldest message of a producer waits.
    pub fn oldest_of(&self, producer: u16) -> Option<Instant> {
        let [since, ..] = first_of(self.0.get(usize::from(producer))?)?;
        Some(Instant::from_micros(since))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(Ordered::len).sum()
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

fn set_of(id: MessageId) -> usize {
    usize::from(id.producer_index())
}

fn first_of(set: &Ordered<()>) -> Option<Key> {
    set.first().map(|(key, ())| key)
}
