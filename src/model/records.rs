//! What is remembered of messages whose handling ended without an acknowledgement, or may come
//! again.
//!
//! A message that is handled once and acknowledged never gets a record, so memory grows only
//! with trouble. Of one that several groups read, each has a record of its own.

use super::held::HeldBytes;
use super::message::MessageId;
use super::ordered::{Key, Ordered};
use super::retry::budget::Payment;
use super::routes::Role;
use super::state_hash::StateHasher;
use super::time::Span;

/// What is known of one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// How often its handling was started, ever: the attempt of its draws.
    pub starts: u32,
    /// How often its handling was started since it came into its queue: what the cap counts.
    pub attempts: u32,
    /// Side effects it had.
    pub effects: u32,
    /// Whether a consumer has written down that it was done.
    pub is_marked: bool,
    /// How long its last retry waited.
    pub previous_delay: Option<Span>,
    /// It cannot come again, but somebody who lost it still works on it.
    pub is_over: bool,
    /// What its last retry paid.
    pub payment: Option<Payment>,
    /// Its last side effect was a wrong one.
    pub is_wrong: bool,
    /// How many more times it may come to an end: as copies that are under way, or that its
    /// producer may still send.
    pub expected: u32,
}

/// Records by message.
#[derive(Clone, Debug, Default)]
pub struct Records {
    known: Ordered<Record>,
    /// No later message ever had a record: most that are asked for are later.
    latest: u64,
}

impl Records {
    /// What is known of a message, if anything.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, id: MessageId, role: Role) -> Option<&Record> {
        if self.is_new(id) { None } else { self.known.get(&key(id, role)) }
    }

    /// The record of a message, made where there was none.
    pub fn of(&mut self, id: MessageId, role: Role) -> &mut Record {
        self.latest = self.latest.max(id.raw());
        self.known.get_or_insert(key(id, role))
    }

    /// Forgets a message that cannot come again to those of that role.
    pub fn forget(&mut self, id: MessageId, role: Role) {
        if !self.is_new(id) {
            self.known.remove(&key(id, role));
        }
    }

    #[inline(always)]
    fn is_new(&self, id: MessageId) -> bool {
        id.raw() > self.latest || self.known.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether none is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.tree::<(u64, Record)>(self.known.len());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for ([id, role, _], record) in self.known.iter() {
            hasher.write(id);
            if role > 0 {
                hasher.write(role);
            }
            hasher.write(u64::from(record.starts) << 32 | u64::from(record.attempts));
            hasher.write(u64::from(record.effects) << 1 | u64::from(record.is_marked));
            hasher.write(record.previous_delay.map_or(u64::MAX, Span::micros));
            if record.is_wrong {
                hasher.write(1);
            }
            record.payment.iter().for_each(|payment| payment.hash_into(hasher));
            if record.expected > 0 {
                hasher.write(u64::from(record.expected));
            }
        }
    }
}

fn key(id: MessageId, role: Role) -> Key {
    [id.raw(), u64::from(role.0), 0]
}
