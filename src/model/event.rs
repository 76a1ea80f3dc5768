//! What happened, and when: a bounded journal of the last events with a digest of all of them.

use super::held::HeldBytes;
use super::message::MessageId;
use super::ring::Ring;
use super::state_hash::StateHasher;
use super::time::Instant;

/// How many events the journal keeps.
pub const EVENTS_KEPT: usize = 4_096;

/// The golden ratio in 64 bits: what follows one another lies far apart.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// The first multiplier of SplitMix64.
const MULTIPLIER: u64 = 0xbf58_476d_1ce4_e5b9;

/// Events in a part that checkpoints share.
const CHUNK: usize = 256;

/// One thing that happened to one message, or to a consumer. The codes are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The producer presented it for the first time.
    Offered = 1,
    /// It found no room and the producer holds it.
    HeldBack = 2,
    /// The queue took it in.
    Accepted = 3,
    /// A consumer started on it.
    Started = 4,
    /// A consumer finished it and acknowledged.
    Finished = 5,
    /// It was refused and the sender was told.
    Rejected = 6,
    /// It was dropped on arrival.
    DroppedNew = 7,
    /// It was dropped from the front of the line.
    DroppedOldest = 8,
    /// An attempt at it failed.
    Failed = 9,
    /// It came back to its queue.
    Returned = 10,
    /// Its consumer gave it up.
    GivenUp = 11,
    /// It became a dead letter.
    DeadLettered = 12,
    /// It waited too long and is gone.
    Expired = 13,
    /// It was not tried again and is gone.
    Discarded = 14,
    /// Its queue kept it long enough, and it is gone.
    RetentionOver = 15,
    /// It went back from the dead letters.
    Redriven = 16,
    /// Its consumer crashed while it worked on it.
    ConsumerCrashed = 17,
    /// Its consumer finished it after it had lost it: the acknowledgement was refused.
    AnsweredTooLate = 18,
    /// A consumer starts cold. Of events that happen to a consumer, the message's producer is the
    /// place of the pool and its number is the consumer's, from 1.
    ConsumerStarting = 19,
    /// A consumer that started cold may be given messages.
    ConsumerStarted = 20,
    /// A consumer crashed as it started.
    StartFailed = 21,
    /// An autoscaler asked for more consumers. Of these two, the message's producer is the place of
    /// the pool and its number is how many there shall be.
    ScaledUp = 22,
    /// An autoscaler asked for fewer consumers.
    ScaledDown = 23,
    /// A consumer finished it and acknowledged, after its deadline.
    FinishedLate = 24,
    /// A consumer finished it and acknowledged, with a wrong result.
    FinishedWrong = 25,
    /// A consumer acknowledged it without work, because it was too late.
    SkippedLate = 26,
    /// A retry of it was refused by the budget.
    RetryRefused = 27,
    /// The broker began to fail over. It speaks of no message.
    FailingOver = 30,
    /// The broker had failed over, and is up again. It speaks of no message.
    FailedOver = 31,
    /// It was of low value, and its producer did not send it.
    Shed = 32,
    /// It was lost on its way to the broker.
    LostSending = 33,
    /// The broker had it, and the reply was lost.
    ConfirmLost = 34,
    /// Its producer sent it again.
    SentAgain = 35,
    /// A direct call with it failed.
    CallFailed = 36,
    /// The sender of a direct call waited no longer for the answer.
    CallTimedOut = 37,
    /// A queue was split. The message's producer is the place of the queue; it has no number.
    QueueSplit = 38,
    /// A consumer went over from the pool of a queue that was split: what happened to it, under the
    /// name that it has from now on.
    WentOver = 39,
    /// The condition of an alert rule has begun to hold, and has to hold for longer before it fires. Of
    /// events that happen to an alert, the message's producer is the place of the rule and its number is
    /// that of the series among all that rules look at, from 1.
    AlertPending = 40,
    /// An alert fires: somebody is called.
    AlertFiring = 41,
    /// An alert that fired does so no longer.
    AlertResolved = 42,
    /// The condition of an alert that was pending has not held for long enough.
    AlertPassed = 43,
    /// A pool, or a group, joined. Of this and the next two, the message's producer is the place of the
    /// pool; it has no number.
    Joined = 45,
    /// The offsets of a group were moved.
    OffsetsReset = 46,
    /// The offsets of a group were not moved: it had members, or there was nothing to move.
    ResetRefused = 47,
    /// A topic got more partitions. The message's producer is the place of the topic, its number how
    /// many it has now.
    PartitionsAdded = 48,
    /// A member of a group sent it to another topic, to be tried again from there.
    SentToRetry = 49,
    /// It was sent on from a topic for dead letters.
    SentBack = 50,
    /// A group gave out its partitions. The message's producer is the place of the pool, its number the
    /// generation.
    Rebalanced = 51,
    /// A topic deleted records of a partition that it keeps no longer, read or not. The message's producer
    /// is the place of the topic, its number how many they were.
    RecordsDeleted = 52,
    /// A producer registered a change of its schema. The message's producer is its place, its number
    /// that of the first message of the new schema.
    SchemaChanged = 55,
    /// The check refused a change. The message's producer is the place of the producer; it has no number.
    SchemaRefused = 56,
    /// A pool, or a group, reads by the new schema. The message's producer is the place of the pool; it
    /// has no number.
    ReadersUpgraded = 57,
}

impl EventKind {
    /// Whether it happens to a message, and not to a consumer, a rule or anything else that the message's
    /// number names.
    #[must_use]
    pub const fn is_of_message(self) -> bool {
        !matches!(
            self,
            Self::ConsumerStarting
                | Self::ConsumerStarted
                | Self::StartFailed
                | Self::ScaledUp
                | Self::ScaledDown
                | Self::FailingOver
                | Self::FailedOver
                | Self::QueueSplit
                | Self::WentOver
                | Self::AlertPending
                | Self::AlertFiring
                | Self::AlertResolved
                | Self::AlertPassed
                | Self::Joined
                | Self::OffsetsReset
                | Self::ResetRefused
                | Self::PartitionsAdded
                | Self::Rebalanced
                | Self::RecordsDeleted
                | Self::SchemaChanged
                | Self::SchemaRefused
                | Self::ReadersUpgraded
        )
    }
}

/// The message of an event that speaks of none.
pub const NO_MESSAGE: MessageId = MessageId::new(0, 0);

/// An event with its instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Instant,
    /// What.
    pub kind: EventKind,
    /// To which message; [`NO_MESSAGE`] where it speaks of none.
    pub message: MessageId,
}

/// The last events, and a digest of all.
#[derive(Clone, Debug)]
pub struct Journal {
    last: Ring<Event, CHUNK>,
    digest: u64,
    count: u64,
}

impl Default for Journal {
    fn default() -> Self {
        Self { last: Ring::keeping(EVENTS_KEPT), digest: 0, count: 0 }
    }
}

impl Journal {
    /// Records an event.
    #[inline]
    pub fn record(&mut self, at: Instant, kind: EventKind, message: MessageId) {
        self.last.push(Event { at, kind, message });
        // Two multiplications an event, and each is a bijection of the digest so far.
        let word = (at.micros() << 8 | kind as u64) ^ message.raw().wrapping_mul(SPREAD);
        let digest = (self.digest ^ word).wrapping_mul(MULTIPLIER);
        self.digest = digest ^ digest >> 32;
        self.count += 1;
    }

    /// The last events, oldest first, at most [`EVENTS_KEPT`].
    pub fn last(&self) -> impl ExactSizeIterator<Item = &Event> {
        self.last.iter()
    }

    /// The events after the first `count`, oldest first: none of those that it no longer keeps.
    pub fn since(&self, count: u64) -> impl Iterator<Item = (u64, &Event)> {
        let new = usize::try_from(self.count.saturating_sub(count)).unwrap_or(usize::MAX);
        let kept = self.last.len().min(new);
        let first = self.count - kept as u64;
        (first..).zip(self.last.iter().skip(self.last.len() - kept))
    }

    /// How many events there were in all.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.last.count_held(held);
    }

    /// Feeds the digest of all events to `hasher`.
    pub const fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.count);
        hasher.write(self.digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journal_is_bounded_and_its_digest_speaks_of_all() {
        let mut journal = Journal::default();
        let mut other = Journal::default();
        for number in 1..=10_000 {
            let at = Instant::from_micros(number);
            journal.record(at, EventKind::Offered, MessageId::new(0, number));
            let kind = if number == 3 { EventKind::Rejected } else { EventKind::Offered };
            other.record(at, kind, MessageId::new(0, number));
        }
        assert_eq!((journal.last().len(), journal.count()), (EVENTS_KEPT, 10_000));
        let digest = |journal: &Journal| {
            let mut hasher = StateHasher::default();
            journal.hash_into(&mut hasher);
            hasher.finish()
        };
        assert_ne!(digest(&journal), digest(&other));
    }
}
