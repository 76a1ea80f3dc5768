//! The ledger: where every message that was ever offered is now.

/// Counts of messages by where they are. Every message offered, and every copy of one, is in exactly
/// one place at every instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// All messages that the producer wanted to hand over.
    pub offered: u64,
    /// Still in a blocked producer's hand.
    pub held_back: u64,
    /// Refused at the bound; the sender was told.
    pub rejected: u64,
    /// Accepted and waiting in the queue.
    pub waiting: u64,
    /// With a consumer.
    pub in_flight: u64,
    /// Finished in time and with the right result.
    pub done: u64,
    /// Finished with the right result, after their deadline.
    pub done_late: u64,
    /// Finished with a wrong result, in time or not.
    pub done_wrong: u64,
    /// Dropped on arrival at the bound; nobody was told.
    pub dropped_new: u64,
    /// Pushed out of the front of the line at the bound; nobody was told.
    pub dropped_oldest: u64,
    /// Waiting until they may be tried again.
    pub delayed: u64,
    /// In the dead-letter queue.
    pub dead_letters: u64,
    /// Gone because they waited too long: in the queue, or so that a consumer skipped them as too
    /// late.
    pub expired: u64,
    /// Gone because they were not tried again, or lost with a consumer that had acknowledged them
    /// before the work.
    pub discarded: u64,
    /// Gone because their queue had kept them long enough.
    pub retention_over: u64,
    /// Copies that deduplication took away on arrival.
    pub deduplicated: u64,
    /// Not sent, because they were of low value and too many waited.
    pub shed: u64,
    /// Lost on their way to the broker: sent by a producer that asks for no confirm while the broker
    /// was not there, or given up after all attempts.
    pub lost_sending: u64,
    /// Direct calls that failed: nobody was there, the work failed or its consumer died, or their
    /// senders waited too long for a consumer.
    pub failed_calls: u64,
    /// Of these: calls that a consumer had begun. The others never got to one.
    pub failed_calls_begun: u64,
    /// Appended to a topic, whatever its groups do with them: each of these counts them for itself.
    pub logged: u64,
    /// Of all places: copies. Their messages were sent again though the broker had them, and each
    /// copy that came in has a place of its own.
    pub copies: u64,
}

impl Ledger {
    /// All messages accounted for, wherever they are. Equal to `offered` and `copies` together at
    /// every instant.
    #[must_use]
    pub const fn accounted(&self) -> u64 {
        self.held_back
            + self.rejected
            + self.waiting
            + self.in_flight
            + self.finished()
            + self.dropped_new
            + self.dropped_oldest
            + self.delayed
            + self.dead_letters
            + self.expired
            + self.discarded
            + self.retention_over
            + self.deduplicated
            + self.shed
            + self.lost_sending
            + self.failed_calls
            + self.logged
    }

    /// Whether every message offered is in exactly one place, and every copy.
    #[must_use]
    pub const fn balances(&self) -> bool {
        self.offered + self.copies == self.accounted()
    }

    /// Messages that were taken in: by the queue, or by the consumer that was called with them. What
    /// was taken in once stays so, whatever comes of it: this never falls.
    #[must_use]
    pub const fn accepted(&self) -> u64 {
        self.accounted()
            - self.held_back
            - self.rejected
            - self.dropped_new
            - self.deduplicated
            - self.shed
            - self.lost_sending
            - (self.failed_calls - self.failed_calls_begun)
    }

    /// Messages that were worked off, whatever came of it.
    #[must_use]
    pub const fn finished(&self) -> u64 {
        self.done + self.done_late + self.done_wrong
    }

    /// Messages dropped without a word, new and oldest.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped_new + self.dropped_oldest
    }

    /// Messages that were refused or dropped.
    #[must_use]
    pub const fn refused_or_dropped(&self) -> u64 {
        self.rejected + self.dropped()
    }
}
