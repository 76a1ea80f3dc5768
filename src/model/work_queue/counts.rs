//! What a queue counts.

use super::super::state_hash::StateHasher;

/// What a queue has counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Messages taken in.
    pub accepted: u64,
    /// Messages acknowledged.
    pub done: u64,
    /// Messages refused with word to the sender.
    pub rejected: u64,
    /// Messages dropped on arrival.
    pub dropped_new: u64,
    /// Messages dropped from the front at the bound.
    pub dropped_oldest: u64,
    /// Messages that waited longer than they may.
    pub expired: u64,
    /// Messages that a consumer rejected for good.
    pub rejected_by_consumer: u64,
    /// Messages that were delivered as often as they may be.
    pub over_delivery_limit: u64,
    /// Messages removed because they were kept long enough.
    pub retention_over: u64,
    /// Copies that deduplication took away on arrival; not among the accepted.
    pub duplicates: u64,
    /// Messages taken out for another queue.
    pub moved_out: u64,
    /// Deliveries, first and later ones.
    pub deliveries: u64,
    /// Deliveries of messages that had been delivered before.
    pub redeliveries: u64,
}

impl QueueCounts {
    /// Accepted messages that are neither waiting, delayed nor in flight any more.
    #[must_use]
    pub const fn departed(&self) -> u64 {
        self.done
            + self.dropped_oldest
            + self.expired
            + self.rejected_by_consumer
            + self.over_delivery_limit
            + self.retention_over
            + self.moved_out
    }
}

impl QueueCounts {
    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for count in [
            self.accepted,
            self.done,
            self.rejected,
            self.dropped_new,
            self.dropped_oldest,
            self.expired,
            self.rejected_by_consumer,
            self.over_delivery_limit,
            self.retention_over,
            self.duplicates,
            self.moved_out,
            self.deliveries,
            self.redeliveries,
        ] {
            hasher.write(count);
        }
    }
}
