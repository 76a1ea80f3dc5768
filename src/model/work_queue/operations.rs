//! What can be done to a work queue.

use super::super::message::{DeathReason, Message, MessageId};
use super::super::ordered::Key;
use super::super::settings::OverflowPolicy;
use super::super::time::{Instant, Span};
use super::in_flight::Unanswered;
use super::ready::{Place, Waiting};
use super::rules::{DeliveryLimit, Order, ReturnPlace};
use super::{
    Cause, ConsumerIndex, Delivery, DeliveryTag, Departed, GivenBack, Published, Returned, WorkQueue,
};

/// The most messages that one publish may push out where bytes are limited: one large message can
/// take the place of several. What is over a bound that was lowered goes one by one.
const PUSHED_OUT_MAX: usize = 64;

impl WorkQueue {
    /// A message arrives.
    pub fn publish(&mut self, now: Instant, mut message: Message) -> Published {
        message.accepted_at = now;
        self.carries_ttl |= message.luggage.as_ref().is_some_and(|luggage| luggage.properties.ttl.is_some());
        if self.is_copy(now, &message) {
            self.counts.duplicates += 1;
            return Published::Duplicate;
        }
        if let Some(delivery) = self.hand_over_at_once(now, &message) {
            return Published::HandedOver(delivery);
        }
        // Where the oldest are dropped there is always room for the newest.
        if self.rules.overflow == OverflowPolicy::DropOldest || self.has_room(message.properties().bytes) {
            return self.accept(now, message);
        }
        self.refuse(message)
    }

    fn accept(&mut self, now: Instant, message: Message) -> Published {
        self.remember_copy(now, &message);
        self.counts.accepted += 1;
        self.ready.push(message);
        let most = if self.rules.bound_bytes.is_some() { PUSHED_OUT_MAX } else { 1 };
        (0..most).all(|_| self.trim_one());
        Published::Accepted
    }

    fn refuse(&mut self, message: Message) -> Published {
        match self.rules.overflow {
            OverflowPolicy::Block | OverflowPolicy::DropOldest => Published::NoRoom,
            OverflowPolicy::Reject => {
                self.counts.rejected += 1;
                if self.rules.dead_letters_refused {
                    self.departed.push_back(Departed {
                        message,
                        deliveries: 0,
                        cause: Cause::RefusedAtBound,
                    });
                }
                Published::Rejected
            }
            OverflowPolicy::DropNew => {
                self.counts.dropped_new += 1;
                Published::DroppedNew
            }
        }
    }

    /// A message that would be first in line goes to a consumer with room without standing in it.
    fn hand_over_at_once(&mut self, now: Instant, message: &Message) -> Option<Delivery> {
        let consumer = self.taker(message)?;
        let place = self.ready.place_of_next(message, self.counts.accepted + 1);
        self.remember_copy(now, message);
        self.counts.accepted += 1;
        let lease = self.rules.visibility_timeout;
        Some(self.hand_over(now, Waiting::fresh(message.clone()), place, consumer, lease))
    }

    /// Hands the message that goes next to the consumer whose turn it is, if both are there. An
    /// expired head must be taken out by [`Self::expire`] first.
    pub fn dispatch(&mut self, now: Instant) -> Option<Delivery> {
        while !self.ready.is_empty() && self.may_deliver() {
            let consumer = self.subscribers.next()?;
            if self.head_expiry().is_some_and(|expiry| expiry <= now) {
                return None;
            }
            let (waiting, place) = self.ready.take_next(self.rules.order, None)?;
            if let Some((waiting, place)) = self.within_receives(waiting, place) {
                let lease = self.rules.visibility_timeout;
                return Some(self.hand_over(now, waiting, place, consumer, lease));
            }
        }
        None
    }

    /// A consumer asks for up to `max` messages; they are hidden from others for `visibility`, or
    /// for the queue's own timeout. One that was received as often as it may be dies instead.
    pub fn receive(
        &mut self,
        now: Instant,
        consumer: ConsumerIndex,
        max: u32,
        visibility: Option<Span>,
    ) -> Vec<Delivery> {
        let lease = visibility.or(self.rules.visibility_timeout);
        let mut received = Vec::new();
        let mut behind = None;
        while received.len() < max as usize && self.may_deliver() {
            if self.head_expiry().is_some_and(|expiry| expiry <= now) {
                break;
            }
            let Some((waiting, place)) = self.ready.take_next(self.rules.order, behind) else { break };
            behind = Some((waiting.message.properties().group, place));
            if let Some((waiting, place)) = self.within_receives(waiting, place) {
                received.push(self.hand_over(now, waiting, place, consumer, lease));
            }
        }
        received
    }

    /// The delivery is done: the queue forgets the message. `false` for a tag that was answered
    /// before, or whose lease ran out on a queue that does not take late answers.
    pub fn acknowledge(&mut self, tag: DeliveryTag) -> bool {
        self.hear_late(tag);
        if let Some(held) = self.in_flight.take(tag) {
            self.subscribers.release(held.consumer);
            self.ready.forget(&held.waiting.message, held.place);
            self.counts.done += 1;
            return true;
        }
        self.rules.late_acknowledgement && self.acknowledge_late(tag)
    }

    fn acknowledge_late(&mut self, tag: DeliveryTag) -> bool {
        let is_done = self.ready.take_returned(|waiting| waiting.lease_lost == Some(tag)).is_some();
        self.counts.done += u64::from(is_done);
        is_done
    }

    /// The delivery is not done. `None` for a tag that was answered before.
    pub fn give_back(&mut self, now: Instant, tag: DeliveryTag, how: GivenBack) -> Option<Returned> {
        if how != GivenBack::ConsumerLost {
            self.hear_late(tag);
        }
        let held = self.in_flight.take(tag)?;
        self.subscribers.release(held.consumer);
        let Unanswered { mut waiting, place, .. } = held;
        let id = waiting.message.id;
        if how == GivenBack::Rejected {
            self.counts.rejected_by_consumer += 1;
            self.bury(waiting, place, DeathReason::Rejected);
            return Some(Returned::Died(id));
        }
        let counts = how != GivenBack::Requeued || self.rules.nack_counts;
        waiting.returns += u32::from(counts);
        if matches!(self.rules.delivery_limit, Some(DeliveryLimit::Returns(limit)) if waiting.returns > limit)
        {
            self.counts.over_delivery_limit += 1;
            self.bury(waiting, place, DeathReason::DeliveryLimit);
            return Some(Returned::Died(id));
        }
        match how {
            GivenBack::RequeuedUntil(until) if until > now => self.delay(until, waiting, place),
            _ => self.put_back(waiting, place),
        }
        Some(Returned::Waits(id))
    }

    /// The delivery stays hidden for `visibility` from now on: a heartbeat. `false` where it was
    /// answered before or its lease has run out. Zero gives it back at once.
    pub fn extend_lease(&mut self, now: Instant, tag: DeliveryTag, visibility: Span) -> bool {
        if visibility == Span::ZERO {
            let is_back = self.lose_lease(tag).is_some();
            self.hear_late(tag);
            return is_back;
        }
        self.in_flight.set_lease(tag, now + visibility)
    }

    /// Drops the oldest waiting message where more wait than the bound allows and the policy is
    /// to drop the oldest (RabbitMQ `drop-head`). Returns whether it did.
    pub fn trim_one(&mut self) -> bool {
        if !self.needs_trim() {
            return false;
        }
        let Some((waiting, place)) = self.ready.take_oldest() else { return false };
        self.counts.dropped_oldest += 1;
        self.bury(waiting, place, DeathReason::MaxLength);
        true
    }

    /// Takes out the message that goes next, for another queue: a redrive. It is not a delivery.
    pub fn take_for_move(&mut self) -> Option<Message> {
        let (waiting, place) = self.ready.take_next(Order::FirstInFirstOut, None)?;
        self.ready.forget(&waiting.message, place);
        self.counts.moved_out += 1;
        Some(waiting.message)
    }

    /// Takes out that message of those that wait, for another queue, wherever it stands: those before it
    /// are taken out and put back where they stood.
    #[inline(never)]
    pub fn take_for_move_of(&mut self, id: MessageId) -> Option<Message> {
        let waiting = self.take_returned_or_fresh(id)?;
        self.counts.moved_out += 1;
        Some(waiting.message)
    }

    fn take_returned_or_fresh(&mut self, id: MessageId) -> Option<Waiting> {
        if let Some(waiting) = self.ready.take_returned(|waiting| waiting.message.id == id) {
            return Some(waiting);
        }
        let mut before = Vec::new();
        let found = loop {
            let Some((waiting, place)) = self.ready.take_next(Order::FirstInFirstOut, None) else {
                break None;
            };
            if waiting.message.id == id {
                self.ready.forget(&waiting.message, place);
                break Some(waiting);
            }
            before.push((waiting, place));
        };
        for (waiting, place) in before.into_iter().rev() {
            self.ready.put_back(waiting, place, ReturnPlace::OriginalPosition);
        }
        found
    }

    /// Throws away everything that waits. Returns how many messages that were.
    pub fn discard_waiting(&mut self) -> u64 {
        let discarded = self.ready.clear();
        self.counts.moved_out += discarded;
        discarded
    }

    /// When something is due by itself: a lease, a delay, the head's time limit, the end of what
    /// is kept.
    #[must_use]
    pub fn next_expiry(&self) -> Option<Instant> {
        let lease = self.in_flight.first_lease().map(|(until, _)| until);
        let delay = self.delayed.first().map(|([until, ..], _)| Instant::from_micros(until));
        [lease, delay, self.head_expiry(), self.next_kept_until()].into_iter().flatten().min()
    }

    /// Does one thing that is due at `now`. Returns whether there was one.
    pub fn expire(&mut self, now: Instant) -> bool {
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if is_due(self.next_kept_until()) {
            return self.end_retention(now);
        }
        if let Some((_, tag)) = self.in_flight.first_lease().filter(|(until, _)| *until <= now) {
            return self.lose_lease(tag).is_some();
        }
        if is_due(self.delayed.first().map(|([until, ..], _)| Instant::from_micros(until))) {
            let Some((waiting, place)) = self.take_delayed() else { return false };
            self.put_back(waiting, place);
            return true;
        }
        if is_due(self.head_expiry()) {
            let Some((waiting, place)) = self.ready.take_next(self.rules.order, None) else { return false };
            self.counts.expired += 1;
            self.bury(waiting, place, DeathReason::Expired);
            return true;
        }
        false
    }

    fn lose_lease(&mut self, tag: DeliveryTag) -> Option<()> {
        let held = self.take_from_consumer(tag)?;
        let mut waiting = held.waiting;
        waiting.returns += 1;
        waiting.lease_lost = Some(tag);
        if matches!(self.rules.delivery_limit, Some(DeliveryLimit::Returns(limit)) if waiting.returns > limit)
        {
            self.counts.over_delivery_limit += 1;
            self.bury(waiting, held.place, DeathReason::DeliveryLimit);
        } else {
            self.put_back(waiting, held.place);
        }
        Some(())
    }

    fn end_retention(&mut self, now: Instant) -> bool {
        let in_flight = self.in_flight.first_kept().filter(|(until, _)| *until <= now);
        let (waiting, place) = match in_flight.and_then(|(_, tag)| self.take_from_consumer(tag)) {
            Some(held) => (held.waiting, held.place),
            None => match self.take_oldest_sent() {
                Some(taken) => taken,
                None => return false,
            },
        };
        self.counts.retention_over += 1;
        self.ready.forget(&waiting.message, place);
        self.depart(waiting, Cause::RetentionOver);
        true
    }

    fn put_back(&mut self, waiting: Waiting, place: Place) {
        self.ready.put_back(waiting, place, self.rules.return_place);
        // A full queue drops its head, which may be the very message that came back
        // (rabbitmq-recorded: maxlen-ready-only-with-delivery-limit).
        self.trim_one();
    }

    fn delay(&mut self, until: Instant, waiting: Waiting, place: Place) {
        self.delayed_total += 1;
        self.delayed_bytes += waiting.message.bytes();
        let key = [until.micros(), self.delayed_total, 0];
        if self.rules.retention.is_some() {
            self.delayed_sent.insert(sent_key(&waiting, key), ());
        }
        self.delayed.insert(key, (waiting, place));
    }

    fn take_delayed(&mut self) -> Option<(Waiting, Place)> {
        let (key, taken) = self.delayed.pop_first()?;
        if self.rules.retention.is_some() {
            self.delayed_sent.remove(&sent_key(&taken.0, key));
        }
        self.delayed_bytes -= taken.0.message.bytes();
        Some(taken)
    }

    /// The delayed messages by age, which are needed only where messages are kept for a time.
    pub(super) fn sort_delayed(&mut self) {
        self.delayed_sent.clear();
        if self.rules.retention.is_some() {
            for (key, (waiting, _)) in self.delayed.iter() {
                self.delayed_sent.insert(sent_key(waiting, key), ());
            }
        }
    }

    /// Takes out the message that was sent first, whether or not it may be received.
    fn take_oldest_sent(&mut self) -> Option<(Waiting, Place)> {
        let delayed = self.delayed_sent.first().map(|(key, ())| key);
        let ready = self.ready.oldest_sent_at();
        match delayed.filter(|[sent_at, ..]| ready.is_none_or(|ready| *sent_at < ready.micros())) {
            Some([sent_at, until, order]) => {
                self.delayed_sent.remove(&[sent_at, until, order]);
                let taken = self.delayed.remove(&[until, order, 0])?;
                self.delayed_bytes -= taken.0.message.bytes();
                Some(taken)
            }
            None => self.ready.take_oldest_sent(),
        }
    }

    /// A message dies here.
    fn bury(&mut self, waiting: Waiting, place: Place, reason: DeathReason) {
        self.ready.forget(&waiting.message, place);
        self.depart(waiting, Cause::Died(reason));
    }

    fn depart(&mut self, waiting: Waiting, cause: Cause) {
        let deliveries = waiting.deliveries + waiting.message.past().map_or(0, |past| past.deliveries);
        self.departed.push_back(Departed { message: waiting.message, deliveries, cause });
    }

    /// The message and its place back, or its death where it was received as often as it may be.
    fn within_receives(&mut self, waiting: Waiting, place: Place) -> Option<(Waiting, Place)> {
        match self.rules.delivery_limit {
            Some(DeliveryLimit::Receives(limit)) if waiting.deliveries >= limit => {
                self.counts.over_delivery_limit += 1;
                self.bury(waiting, place, DeathReason::DeliveryLimit);
                None
            }
            _ => Some((waiting, place)),
        }
    }

    fn hand_over(
        &mut self,
        now: Instant,
        mut waiting: Waiting,
        place: Place,
        consumer: ConsumerIndex,
        lease: Option<Span>,
    ) -> Delivery {
        waiting.deliveries += 1;
        waiting.lease_lost = None;
        let before = waiting.message.past().map_or(0, |past| past.deliveries);
        let (id, accepted_at, returns) = (waiting.message.id, waiting.message.accepted_at, waiting.returns);
        let (deliveries, redelivered) = (waiting.deliveries + before, waiting.deliveries > 1);
        self.counts.deliveries += 1;
        self.counts.redeliveries += u64::from(redelivered);
        self.subscribers.give(consumer);
        let kept_until = self.rules.retention.map(|retention| waiting.message.sent_at() + retention);
        let lease_until = lease.map(|lease| now + lease);
        let number = self.counts.deliveries;
        let tag =
            self.in_flight.put(Unanswered { waiting, place, number, consumer, lease_until, kept_until });
        Delivery { tag, id, accepted_at, consumer, deliveries, returns, redelivered }
    }

    /// When the head's time to wait is over.
    fn head_expiry(&self) -> Option<Instant> {
        if self.rules.ttl.is_none() && !self.carries_ttl {
            return None;
        }
        let head = self.ready.head(self.rules.order)?;
        let ttl = self.rules.ttl.into_iter().chain(head.properties().ttl).min()?;
        Some(head.accepted_at + ttl)
    }

    /// When the message is gone that is kept for the shortest time from now on.
    #[must_use]
    pub fn next_kept_until(&self) -> Option<Instant> {
        let retention = self.rules.retention?;
        let delayed = self.delayed_sent.first().map(|([sent_at, ..], ())| Instant::from_micros(sent_at));
        let waiting = self.ready.oldest_sent_at().into_iter().chain(delayed).min();
        let waiting = waiting.map(|sent_at| sent_at + retention);
        let in_flight = self.in_flight.first_kept().map(|(until, _)| until);
        waiting.into_iter().chain(in_flight).min()
    }

    /// By what a copy is known. One that comes back from a dead-letter queue was not sent again: it
    /// is none, whenever it comes.
    fn deduplication_of(&self, message: &Message) -> Option<(Span, u64)> {
        let has_died = message.luggage.as_ref().is_some_and(|luggage| !luggage.past.deaths.is_empty());
        let window = self.rules.deduplication_window.filter(|_| !has_died)?;
        Some((window, message.properties().deduplication?))
    }

    /// Whether one with the same deduplication id was accepted within the window.
    fn is_copy(&mut self, now: Instant, message: &Message) -> bool {
        let Some((_, id)) = self.deduplication_of(message) else { return false };
        while let Some((_, seen)) = self.seen_in_order.front().copied().filter(|(until, _)| *until <= now) {
            self.seen.remove(&[seen, 0, 0]);
            self.seen_in_order.pop_front();
        }
        self.seen.contains(&[id, 0, 0])
    }

    fn remember_copy(&mut self, now: Instant, message: &Message) {
        let Some((window, id)) = self.deduplication_of(message) else { return };
        self.seen.insert([id, 0, 0], now + window);
        self.seen_in_order.push_back((now + window, id));
    }
}

/// The key of a delayed message among those by age.
fn sent_key(waiting: &Waiting, [until, order, _]: Key) -> Key {
    [waiting.message.sent_at().micros(), until, order]
}
