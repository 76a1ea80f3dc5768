//! The messages that are with consumers.

use super::super::message::{Message, MessageId};
use super::super::ordered::{Key, Ordered};
use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::ready::{Place, Waiting};
use super::subscribers::{ConsumerIndex, NOBODY};

/// Names one handing over of one message; used once, to acknowledge it or to give it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeliveryTag {
    slot: u32,
    /// How often the slot was used before: a late answer never means another message.
    turn: u32,
}

impl DeliveryTag {
    /// The tag of a record of a partitioned log: of this partition the handing over number `turn`.
    #[must_use]
    pub const fn of_record(partition: u32, turn: u32) -> Self {
        Self { slot: partition, turn }
    }

    /// The partition and the number of the handing over, where it is the tag of a record.
    #[must_use]
    pub const fn as_record(self) -> (u32, u32) {
        (self.slot, self.turn)
    }

    /// Its key among tags.
    pub(super) fn key(self) -> Key {
        [self.slot.into(), self.turn.into(), 0]
    }
}

/// A message on its way to a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// What to acknowledge it by.
    pub tag: DeliveryTag,
    /// Which message.
    pub id: MessageId,
    /// When the queue accepted it.
    pub accepted_at: Instant,
    /// Who gets it.
    pub consumer: ConsumerIndex,
    /// How often it has been handed over, this time included (SQS receive count, which goes on in
    /// a dead-letter queue).
    pub deliveries: u32,
    /// How often it came back before in a way that counts (RabbitMQ `x-delivery-count`).
    pub returns: u32,
    /// Whether it was handed over before in this queue, to whomever.
    pub redelivered: bool,
}

impl Delivery {
    /// A message that came straight from its sender: no queue has it, and none has to be told.
    #[must_use]
    pub const fn of_call(id: MessageId, since: Instant, consumer: ConsumerIndex) -> Self {
        let tag = DeliveryTag { slot: u32::MAX, turn: 0 };
        Self { tag, id, accepted_at: since, consumer, deliveries: 1, returns: 0, redelivered: false }
    }
}

/// A delivery that nobody has answered yet.
#[derive(Clone, Debug)]
pub struct Unanswered {
    /// The message, and how often it was out before this time.
    pub waiting: Waiting,
    /// Where it stood.
    pub place: Place,
    /// Which delivery of the queue this is: leases that end together end in this order.
    pub number: u64,
    /// Who has it.
    pub consumer: ConsumerIndex,
    /// When its lease ends.
    pub lease_until: Option<Instant>,
    /// When it will be removed whoever has it.
    pub kept_until: Option<Instant>,
}

/// Deliveries by tag. A slot is used again once its delivery was answered.
#[derive(Clone, Debug, Default)]
pub struct InFlight {
    slots: Vec<Slot>,
    unused: Vec<u32>,
    /// Tags by the instant when their lease ends, and by the number of the delivery.
    leases: Ordered<DeliveryTag>,
    /// Tags by the instant until which they are kept, and by the number of the delivery.
    kept: Ordered<DeliveryTag>,
    len: u64,
    bytes: u64,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    turn: u32,
    held: Option<Unanswered>,
}

impl Unanswered {
    /// Whether it is with its consumer until somebody says something.
    #[inline(always)]
    pub fn stays_out(&self) -> bool {
        self.lease_until.is_none() && self.kept_until.is_none()
    }
}

impl InFlight {
    /// How many there are.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// How many bytes they are.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many there are, counted one by one.
    pub fn recount(&self) -> u64 {
        self.slots.iter().filter(|slot| slot.held.is_some()).count() as u64
    }

    /// Takes in a delivery.
    #[inline]
    #[allow(clippy::cast_possible_truncation)]
    pub fn put(&mut self, held: Unanswered) -> DeliveryTag {
        let index = self.unused.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            // At most 4,000,000 messages are held in all, far below 2³².
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        let tag = DeliveryTag { slot: index, turn: slot.turn };
        if let Some(until) = held.lease_until {
            self.leases.insert([until.micros(), held.number, 0], tag);
        }
        if let Some(until) = held.kept_until {
            self.kept.insert([until.micros(), held.number, 0], tag);
        }
        self.bytes += held.waiting.message.bytes();
        slot.held = Some(held);
        self.len += 1;
        tag
    }

    /// Takes out the delivery of `tag`; `None` where it was answered before.
    pub fn take(&mut self, tag: DeliveryTag) -> Option<Unanswered> {
        let slot = self.slots.get_mut(tag.slot as usize).filter(|slot| slot.turn == tag.turn)?;
        let held = slot.held.take()?;
        slot.turn = slot.turn.wrapping_add(1);
        self.unused.push(tag.slot);
        self.len -= 1;
        self.bytes -= held.waiting.message.bytes();
        held.lease_until
            .into_iter()
            .for_each(|until| _ = self.leases.remove(&[until.micros(), held.number, 0]));
        held.kept_until.into_iter().for_each(|until| _ = self.kept.remove(&[until.micros(), held.number, 0]));
        Some(held)
    }

    /// Another delivery that stays out takes the place of that of `tag`, which stays out.
    #[inline(always)]
    pub fn replace(&mut self, tag: DeliveryTag, held: Unanswered) -> DeliveryTag {
        let turn = tag.turn.wrapping_add(1);
        if let Some(slot) = self.slots.get_mut(tag.slot as usize) {
            self.bytes -= slot.held.as_ref().map_or(0, |before| before.waiting.message.bytes());
            self.bytes += held.waiting.message.bytes();
            *slot = Slot { turn, held: Some(held) };
        }
        DeliveryTag { turn, ..tag }
    }

    /// Drops the delivery of `tag`, which has neither a lease nor an end. Returns who had it.
    pub fn forget(&mut self, tag: DeliveryTag) -> Option<ConsumerIndex> {
        let slot = self.slots.get_mut(tag.slot as usize).filter(|slot| slot.turn == tag.turn)?;
        let held = slot.held.take()?;
        let consumer = held.consumer;
        self.bytes -= held.waiting.message.bytes();
        slot.turn = slot.turn.wrapping_add(1);
        self.unused.push(tag.slot);
        self.len -= 1;
        Some(consumer)
    }

    /// The delivery of `tag`.
    #[inline(always)]
    pub fn get(&self, tag: DeliveryTag) -> Option<&Unanswered> {
        let slot = self.slots.get(tag.slot as usize)?;
        if slot.turn == tag.turn { slot.held.as_ref() } else { None }
    }

    /// The lease of `tag` ends at `until` from now on. Returns whether there is such a delivery.
    pub fn set_lease(&mut self, tag: DeliveryTag, until: Instant) -> bool {
        let slot = self.slots.get_mut(tag.slot as usize).filter(|slot| slot.turn == tag.turn);
        let Some(held) = slot.and_then(|slot| slot.held.as_mut()) else { return false };
        let number = held.number;
        if let Some(before) = held.lease_until.replace(until) {
            self.leases.remove(&[before.micros(), number, 0]);
        }
        self.leases.insert([until.micros(), number, 0], tag);
        true
    }

    /// The lease that ends first.
    pub fn first_lease(&self) -> Option<(Instant, DeliveryTag)> {
        self.leases.first().map(|([until, ..], tag)| (Instant::from_micros(until), *tag))
    }

    /// The delivery that is removed first, whoever has it.
    pub fn first_kept(&self) -> Option<(Instant, DeliveryTag)> {
        self.kept.first().map(|([until, ..], tag)| (Instant::from_micros(until), *tag))
    }

    /// The tags of all that one consumer has, in the order in which the messages stood.
    #[allow(clippy::cast_possible_truncation)]
    pub fn of_consumer(&self, consumer: ConsumerIndex) -> Vec<DeliveryTag> {
        let mut found = Ordered::default();
        for (index, slot) in self.slots.iter().enumerate() {
            if let Some(held) = slot.held.as_ref().filter(|held| held.consumer == consumer) {
                let Place { before, order } = held.place;
                let tag = DeliveryTag { slot: index as u32, turn: slot.turn };
                found.insert([before, order, held.number], tag);
            }
        }
        found.iter().map(|(_, tag)| *tag).collect()
    }

    /// Nobody has the delivery of `tag` any more. Returns whether its lease will bring it back.
    pub fn let_go(&mut self, tag: DeliveryTag) -> bool {
        let slot = self.slots.get_mut(tag.slot as usize).filter(|slot| slot.turn == tag.turn);
        let Some(held) = slot.and_then(|slot| slot.held.as_mut()) else { return false };
        held.consumer = NOBODY;
        held.lease_until.is_some()
    }

    /// All tags, and who has the deliveries, by slot.
    #[allow(clippy::cast_possible_truncation)]
    pub fn tags(&self) -> impl Iterator<Item = (DeliveryTag, ConsumerIndex)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(index, slot)| {
            let held = slot.held.as_ref()?;
            Some((DeliveryTag { slot: index as u32, turn: slot.turn }, held.consumer))
        })
    }

    /// All messages with consumers, by slot.
    pub fn iter(&self) -> impl Iterator<Item = (&Message, ConsumerIndex)> {
        let held = self.slots.iter().filter_map(|slot| slot.held.as_ref());
        held.map(|held| (&held.waiting.message, held.consumer))
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.len);
        for slot in &self.slots {
            hasher.write(u64::from(slot.turn));
            let Some(held) = &slot.held else { continue };
            held.waiting.hash_into(hasher);
            held.place.hash_into(hasher);
            hasher.write(u64::from(held.consumer.0));
            hasher.write(held.lease_until.map_or(u64::MAX, Instant::micros));
        }
        self.unused.iter().for_each(|slot| hasher.write(u64::from(*slot)));
    }
}
