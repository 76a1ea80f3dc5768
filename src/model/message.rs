//! Messages: which one, and since when it waits.

use super::state_hash::StateHasher;
use super::time::Instant;

/// Which message: its producer and its number there. The same message keeps its identity through
/// redelivery, and draws that belong to it are keyed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(u64);

const NUMBER_BITS: u32 = 48;

impl MessageId {
    /// Message `number`, counted from 1, of the producer at `producer_index`.
    #[must_use]
    pub const fn new(producer_index: u16, number: u64) -> Self {
        Self(((producer_index as u64) << NUMBER_BITS) | (number & ((1 << NUMBER_BITS) - 1)))
    }

    /// Its number, counted from 1 per producer.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0 & ((1 << NUMBER_BITS) - 1)
    }

    /// Producer and number as one integer, for keys and digests.
    #[must_use]
    pub const fn raw(self) -> u64 {
        self.0
    }
}

/// A message that a queue accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Which message.
    pub id: MessageId,
    /// When the queue accepted it; ages count from here.
    pub accepted_at: Instant,
}

impl Message {
    /// Feeds it to `hasher`.
    pub const fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.id.raw());
        hasher.write(self.accepted_at.micros());
    }
}
