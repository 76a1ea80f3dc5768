//! Messages: which one, since when it waits, and what it carries through its life.

use std::rc::Rc;

use super::held::HeldBytes;
use super::routes::GroupIndex;
use super::state_hash::StateHasher;
use super::time::{Instant, Span};

/// Which message: its producer and its number there. The same message keeps its identity through
/// redelivery, dead-lettering and redrive, and draws that belong to it are keyed by its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(u64);

const NUMBER_BITS: u32 = 48;

impl MessageId {
    /// Message `number`, counted from 1, of a producer: of the one at that place in the topology,
    /// below 256, or of a [`Self::sender_alike`].
    #[must_use]
    pub const fn new(sender: u16, number: u64) -> Self {
        Self(((sender as u64) << NUMBER_BITS) | (number & ((1 << NUMBER_BITS) - 1)))
    }

    /// The producer at `producer_index`, whose messages are like those of the one at `origin_index`:
    /// message n of both is one and the same, sent twice.
    #[must_use]
    pub const fn sender_alike(producer_index: u16, origin_index: u16) -> u16 {
        producer_index | ((producer_index ^ origin_index) << 8)
    }

    /// Its number, counted from 1 per producer.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0 & ((1 << NUMBER_BITS) - 1)
    }

    /// The place of the producer that sent it.
    #[must_use]
    pub const fn producer_index(self) -> u16 {
        self.sender() & 0xff
    }

    /// What sent it, as [`Self::new`] takes it.
    #[must_use]
    pub const fn sender(self) -> u16 {
        (self.0 >> NUMBER_BITS) as u16
    }

    /// Which message it is for draws: the number and the producer that it is like, so that its fate is
    /// the same wherever it is sent.
    #[must_use]
    #[inline(always)]
    pub const fn origin(self) -> u64 {
        let difference = (self.0 >> (NUMBER_BITS + 8)) << NUMBER_BITS;
        (self.0 & !(0xff << (NUMBER_BITS + 8))) ^ difference
    }

    /// The message of which that is [`Self::raw`].
    #[must_use]
    pub(super) const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    /// Producer and number as one integer, for keys and digests.
    #[must_use]
    pub const fn raw(self) -> u64 {
        self.0
    }
}

/// A message that a queue accepted. Most messages carry nothing beyond their number, so that
/// 2,000,000 of them fit into 48 MB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Which message.
    pub id: MessageId,
    /// When this queue accepted it; ages count from here.
    pub accepted_at: Instant,
    /// What it carries, where that is anything. Messages of one kind share one.
    pub luggage: Option<Rc<Luggage>>,
}

/// What a message carries beside its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Luggage {
    /// What its sender gave it.
    pub properties: Properties,
    /// What happened to it in earlier queues.
    pub past: Past,
}

/// What a sender gives a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// The length of its body in bytes.
    pub bytes: u64,
    /// How long it may wait; the queue's own limit holds too.
    pub ttl: Option<Span>,
    /// Its priority; higher goes first in a queue that has priorities.
    pub priority: u8,
    /// Its message group, where the queue keeps order within groups.
    pub group: u64,
    /// How long after it was offered it may be done.
    pub deadline: Option<Span>,
    /// What tells copies of it apart from other messages (SQS deduplication id).
    pub deduplication: Option<u64>,
}

/// What a message went through before it came into its queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// When it was offered, where it has a deadline and this was before its queue took it in.
    pub offered_at: Option<Instant>,
    /// When the first queue took it in, where its age for retention counts from there.
    pub sent_at: Option<Instant>,
    /// Deliveries in earlier queues, where the count goes on (SQS receive count).
    pub deliveries: u32,
    /// Every queue and reason for which it died, the newest first, each once with a count
    /// (RabbitMQ `x-death`).
    pub deaths: Vec<Death>,
    /// Where and why it died first (RabbitMQ `x-first-death-queue` and `-reason`).
    pub first_death: Option<(QueueIndex, DeathReason)>,
    /// Where a group read it that was the first to send it on to another topic (Spring for Apache Kafka:
    /// the headers of the original partition and offset).
    pub place: Option<RecordPlace>,
}

/// Where a group read a record, in the topic that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordPlace {
    /// The group.
    pub group: GroupIndex,
    /// The partition.
    pub partition: u32,
    /// The offset there.
    pub offset: u64,
}

/// Which queue of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueIndex(pub usize);

/// That a message was taken out of a queue for a reason, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    /// The queue it was taken out of.
    pub queue: QueueIndex,
    /// Why.
    pub reason: DeathReason,
    /// How often for that reason in that queue.
    pub count: u32,
    /// Its own time limit, which dead-lettering took off it (RabbitMQ `original-expiration`).
    pub ttl: Option<Span>,
    /// When, the last time.
    pub at: Instant,
}

/// Why a message was taken out of a queue without being done. The numbers are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeathReason {
    /// A consumer refused it (RabbitMQ `rejected`).
    Rejected = 1,
    /// It waited longer than it may (RabbitMQ `expired`).
    Expired = 2,
    /// The queue was at its bound (RabbitMQ `maxlen`).
    MaxLength = 3,
    /// It was delivered as often as it may be (RabbitMQ `delivery_limit`, SQS `maxReceiveCount`).
    DeliveryLimit = 4,
}

impl DeathReason {
    /// Its name, as RabbitMQ writes it in `x-death`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::MaxLength => "maxlen",
            Self::DeliveryLimit => "delivery_limit",
        }
    }
}

impl Message {
    /// A message that carries nothing.
    #[must_use]
    pub const fn plain(id: MessageId, accepted_at: Instant) -> Self {
        Self { id, accepted_at, luggage: None }
    }

    /// What its sender gave it.
    #[must_use]
    pub fn properties(&self) -> Properties {
        self.luggage.as_ref().map_or_else(Properties::default, |luggage| luggage.properties)
    }

    /// The length of its body in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.luggage.as_ref().map_or(0, |luggage| luggage.properties.bytes)
    }

    /// What it went through before, if anything.
    #[must_use]
    pub fn past(&self) -> Option<&Past> {
        self.luggage.as_ref().map(|luggage| &luggage.past)
    }

    /// When the first queue took it in, as far as this queue cares.
    #[must_use]
    pub fn sent_at(&self) -> Instant {
        self.past().and_then(|past| past.sent_at).unwrap_or(self.accepted_at)
    }

    /// When it is too late to be done: it may be done at that very instant. `None`: never.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let luggage = self.luggage.as_ref()?;
        let deadline = luggage.properties.deadline?;
        Some(luggage.past.offered_at.unwrap_or(self.accepted_at) + deadline)
    }

    /// Another queue will take it in: its deadline goes on counting from when it was offered.
    pub fn keep_deadline(&mut self) {
        let accepted_at = self.accepted_at;
        if let Some(luggage) = self.luggage.as_mut().filter(|luggage| luggage.properties.deadline.is_some()) {
            Rc::make_mut(luggage).past.offered_at.get_or_insert(accepted_at);
        }
    }

    /// A group sends it on to another topic: where it read it first is kept.
    pub fn keep_place(&mut self, place: RecordPlace) {
        Rc::make_mut(self.luggage.get_or_insert_default()).past.place.get_or_insert(place);
    }

    /// The same message with one more death in its past and without its own time limit.
    #[must_use]
    pub fn died(mut self, queue: QueueIndex, reason: DeathReason, at: Instant) -> Self {
        let luggage = Rc::make_mut(self.luggage.get_or_insert_default());
        let ttl = luggage.properties.ttl.take();
        luggage.past.record_death(Death { queue, reason, count: 1, ttl, at });
        self
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        if let Some(luggage) = &self.luggage
            && held.shared::<_, Luggage>(luggage, 1)
        {
            held.own::<Death>(luggage.past.deaths.len());
        }
    }

    /// Feeds it to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.id.raw());
        hasher.write(self.accepted_at.micros());
        if let Some(luggage) = &self.luggage {
            luggage.hash_into(hasher);
        }
    }
}

impl Past {
    /// The entry of that queue and reason counts one more and moves to the front; how long its
    /// own limit was is kept from the first time.
    fn record_death(&mut self, newest: Death) {
        let same = |death: &Death| (death.queue, death.reason) == (newest.queue, newest.reason);
        let earlier = self.deaths.iter().position(same).map(|place| self.deaths.remove(place));
        let entry = match earlier {
            Some(earlier) => Death { count: earlier.count + 1, ttl: earlier.ttl, ..newest },
            None => newest,
        };
        self.deaths.insert(0, entry);
        self.first_death.get_or_insert((newest.queue, newest.reason));
    }

    /// Whether sending it to `target` would close a circle of which no consumer is a part: it was
    /// in `target` before, and nobody has rejected it since (RabbitMQ 3.10.8 drops it then).
    #[must_use]
    pub fn closes_automatic_cycle(&self, target: QueueIndex) -> bool {
        let Some(last) = self.deaths.iter().position(|death| death.queue == target) else { return false };
        self.deaths.iter().take(last + 1).all(|death| death.reason != DeathReason::Rejected)
    }

    /// How often it died, in any queue and for any reason.
    #[must_use]
    pub fn deaths_total(&self) -> u64 {
        self.deaths.iter().map(|death| u64::from(death.count)).sum()
    }
}

impl Luggage {
    /// Luggage of messages with these properties and no past.
    #[must_use]
    pub fn with(properties: Properties) -> Self {
        Self { properties, past: Past::default() }
    }

    fn hash_into(&self, hasher: &mut StateHasher) {
        let Properties { bytes, ttl, priority, group, deadline, deduplication } = self.properties;
        let ttl = ttl.map_or(u64::MAX, Span::micros);
        for value in [bytes, ttl, u64::from(priority), group, deduplication.unwrap_or(u64::MAX)] {
            hasher.write(value);
        }
        if let Some(deadline) = deadline {
            hasher.write(deadline.micros());
            hasher.write(self.past.offered_at.map_or(u64::MAX, Instant::micros));
        }
        hasher.write(self.past.sent_at.map_or(u64::MAX, Instant::micros));
        hasher.write(u64::from(self.past.deliveries));
        for death in &self.past.deaths {
            hasher.write(death.queue.0 as u64);
            hasher.write(death.reason as u64);
            hasher.write(u64::from(death.count));
            hasher.write(death.at.micros());
        }
        if let Some(RecordPlace { group, partition, offset }) = self.past.place {
            [group.0 as u64, u64::from(partition), offset].iter().for_each(|value| hasher.write(*value));
        }
    }
}
