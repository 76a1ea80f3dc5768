//! What is told of one message to whoever follows it.
//!
//! A run that nobody follows tells nothing. A clone of it that follows a message goes the long way,
//! and is the same run in every respect: what is told belongs to no state.

use super::Simulation;
use super::slots::pool_of;
use crate::model::broker::Gone;
use crate::model::event::EventKind;
use crate::model::message::{DeathReason, MessageId};
use crate::model::partitioned_log::Appended;
use crate::model::retry::FailureKind;
use crate::model::routes::{GroupIndex, TopicIndex};
use crate::model::settings::Confirms;
use crate::model::time::{Instant, Span};
use crate::model::work_queue::ConsumerIndex;

/// Something about the message that is followed which its events do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A consumer starts on it: for the how manieth time, and how long it waited if it was its first
    /// delivery there.
    Began {
        /// The start, counted from 1 in that place, ever.
        start: u32,
        /// From acceptance to this start.
        waited: Option<Span>,
    },
    /// Why the attempt failed.
    FailedBy(FailureKind),
    /// When it is tried again at the earliest.
    ComesBack(Instant),
    /// Why it became a dead letter.
    Died(DeathReason),
    /// Why it is gone.
    Gone(Gone),
    /// It was thrown away on command.
    ThrownAway,
    /// Its side effect happened.
    Effect {
        /// It had one before.
        is_repeat: bool,
    },
    /// Its work was skipped: a record said that it was done.
    KnownAsDone,
    /// It was lost with the consumer that had acknowledged it before the work.
    LostInHand,
    /// Its producer has the confirm.
    Confirmed,
    /// It became a record of a topic.
    Stored(StoredAt),
    /// Its topic deleted it.
    Deleted {
        /// Where it stood.
        place: StoredAt,
        /// The groups that had not passed it: bit i is the group at place i.
        unread_by: u64,
    },
}

/// The place of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredAt {
    /// The topic.
    pub topic: TopicIndex,
    /// The partition, from 0 on.
    pub partition: u32,
    /// The offset there.
    pub offset: u64,
}

/// A note, and where it stands among the events.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// So many events of the run came before it.
    pub after: u64,
    /// When.
    pub at: Instant,
    /// What; none: only whose doing the next event is.
    pub note: Option<Note>,
    /// Whose doing it is, and the next event.
    pub by: Option<ConsumerIndex>,
}

/// Which message is followed, and what was told of it and not yet taken.
#[derive(Clone, Debug)]
pub struct Followed {
    id: MessageId,
    told: Vec<Told>,
    stored: Vec<StoredAt>,
}

impl Simulation {
    /// Follows a message from here on. It should not have been offered yet.
    pub(in crate::model) fn follow(&mut self, id: MessageId) {
        self.go_the_long_way();
        self.followed = Some(Box::new(Followed { id, told: Vec::new(), stored: Vec::new() }));
    }

    /// What was told since it was asked the last time.
    pub(in crate::model) fn take_told(&mut self) -> Vec<Told> {
        self.followed.as_mut().map(|followed| std::mem::take(&mut followed.told)).unwrap_or_default()
    }

    /// Whether that message is followed.
    #[inline]
    pub(super) fn follows(&self, id: MessageId) -> bool {
        self.followed.as_ref().is_some_and(|followed| followed.id == id)
    }

    /// Tells something of a message, if it is followed.
    #[inline]
    pub(super) fn tell(&mut self, id: MessageId, note: Note) {
        if self.follows(id) {
            self.write_told(Some(note), None);
        }
    }

    /// The same of what a consumer does.
    #[inline]
    pub(super) fn tell_of(&mut self, consumer: ConsumerIndex, id: MessageId, note: Note) {
        if self.follows(id) {
            self.write_told(Some(note), Some(consumer));
        }
    }

    /// An event of a message that is a consumer's doing.
    #[inline]
    pub(super) fn record_of_job(&mut self, kind: EventKind, consumer: ConsumerIndex, id: MessageId) {
        if self.follows(id) {
            self.write_told(None, Some(consumer));
        }
        self.journal.record(self.now, kind, id);
    }

    #[cold]
    #[inline(never)]
    fn write_told(&mut self, note: Option<Note>, by: Option<ConsumerIndex>) {
        let (after, at) = (self.journal.count(), self.now);
        if let Some(followed) = &mut self.followed {
            followed.told.push(Told { after, at, note, by });
            if let Some(Note::Stored(place)) = note {
                followed.stored.push(place);
            }
        }
    }

    /// The broker has the message, and its producer hears so unless the reply is lost.
    pub(super) fn tell_confirm(&mut self, producer: usize, id: MessageId) {
        let awaits = |rules: Confirms| rules == Confirms::Awaited;
        let outbox = self.producers[producer].outbox();
        if self.follows(id) && outbox.is_some_and(|outbox| awaits(outbox.rules().confirms)) {
            self.write_told(Some(Note::Confirmed), None);
        }
    }

    /// A topic has one more record, and perhaps others less for want of room.
    #[inline]
    pub(super) fn tell_stored(&mut self, id: MessageId, topic: TopicIndex, stored: Appended) {
        if self.followed.is_some() {
            let Appended { partition, offset } = stored;
            self.tell(id, Note::Stored(StoredAt { topic, partition, offset }));
            (0..self.broker.logs.topics().len()).for_each(|topic| self.tell_deleted(TopicIndex(topic)));
        }
    }

    /// A topic deleted what it keeps no longer: perhaps a record that is followed.
    #[inline]
    pub(super) fn tell_deleted(&mut self, topic: TopicIndex) {
        if self.followed.is_some() {
            self.tell_of_deleted_records(topic);
        }
    }

    #[inline(never)]
    fn tell_of_deleted_records(&mut self, topic: TopicIndex) {
        let Some(followed) = &mut self.followed else { return };
        let log = self.broker.logs.topic(topic);
        let is_gone = |place: StoredAt| {
            let partition = log.partition(place.partition);
            place.topic == topic && partition.is_none_or(|lane| lane.log_start_offset() > place.offset)
        };
        let gone: Vec<StoredAt> = followed.stored.iter().copied().filter(|place| is_gone(*place)).collect();
        followed.stored.retain(|place| !is_gone(*place));
        for place in gone {
            let unread =
                self.broker.logs.readers_of(topic).filter(|group| self.has_not_passed(*group, place));
            let unread_by = unread.map(|group| 1 << (group.0 % 64)).fold(0, |all, bit: u64| all | bit);
            self.write_told(Some(Note::Deleted { place, unread_by }), None);
        }
    }

    /// Whether a group that reads has not passed a record, nor has it in hand.
    fn has_not_passed(&self, group: GroupIndex, place: StoredAt) -> bool {
        let reading = self.broker.logs.group(group);
        let committed = reading.offsets().of(place.partition).committed;
        committed.is_some_and(|committed| committed <= place.offset)
            && reading.outcome_of(place.partition, place.offset).is_none()
            && !reading.has_out(place.partition, place.offset)
    }

    /// How many messages a producer has presented: the number of its last one.
    #[must_use]
    pub fn presented(&self, producer: usize) -> u64 {
        self.producers.get(producer).map_or(0, |sender| sender.next_number() - 1)
    }

    /// Which message the consumer at that place has in hand, of those of the first pool and of the pools
    /// that take from the same queue: places are counted as a snapshot lists them.
    #[must_use]
    pub fn held_by(&self, place: usize) -> Option<MessageId> {
        self.jobs_of_queue().nth(place)?.map(|job| job.id)
    }

    /// Which message is number `number` of a producer.
    #[must_use]
    pub fn id_of(&self, producer: usize, number: u64) -> Option<MessageId> {
        self.producers.get(producer).map(|sender| sender.id_of(number))
    }

    /// The place of a consumer's pool and its number there, from 1 on.
    #[must_use]
    pub fn place_of_consumer(&self, consumer: ConsumerIndex) -> (usize, u64) {
        let pool = pool_of(consumer);
        let first = self.staffs.get(pool).and_then(|staff| staff.pool.slots().next());
        (pool, u64::from(consumer.0.saturating_sub(first.map_or(consumer.0, |first| first.0))) + 1)
    }
}
