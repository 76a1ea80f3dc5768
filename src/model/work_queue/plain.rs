//! The common case without questions: messages that carry nothing, in one line, under rules that
//! ask for nothing more.
//!
//! Each operation does exactly what the one of [`super::operations`] does that it stands for, or
//! says that it cannot, and has done nothing then.

use super::super::message::{Message, MessageId};
use super::super::settings::{Bound, OverflowPolicy};
use super::super::time::Instant;
use super::in_flight::Unanswered;
use super::ready::{Place, Waiting};
use super::rules::{DeliveryLimit, Order};
use super::{ConsumerIndex, Delivery, DeliveryTag, WorkQueue};

impl WorkQueue {
    /// Whether the rules ask for nothing but a line with a bound. They change by command only.
    #[must_use]
    pub fn has_plain_rules(&self) -> bool {
        let rules = &self.rules;
        let may_push_out = rules.overflow == OverflowPolicy::DropOldest && rules.bound != Bound::None;
        let is_limited = matches!(rules.delivery_limit, Some(DeliveryLimit::Receives(_)));
        let is_line = rules.order == Order::FirstInFirstOut && self.ready.is_one_line();
        let is_timed =
            rules.ttl.or(rules.visibility_timeout).or(rules.retention).or(rules.deduplication_window);
        let is_counted = rules.bound_bytes.or(rules.in_flight_max);
        is_line && !may_push_out && !is_limited && is_timed.is_none() && is_counted.is_none()
    }

    /// Who would take a message that comes now, where the rules are plain; `None` where it would
    /// neither stand in line nor be handed over.
    #[must_use]
    #[inline(always)]
    pub fn taker_of_plain(&self) -> Option<Option<ConsumerIndex>> {
        match self.subscribers.next() {
            None => self.has_room(0).then_some(None),
            taker => self.ready.is_empty().then_some(taker),
        }
    }

    /// A message that carries nothing stands in line.
    #[inline(always)]
    pub fn line_up(&mut self, now: Instant, id: MessageId) {
        self.counts.accepted += 1;
        self.ready.push_plain(Message::plain(id, now));
    }

    /// A message that carries nothing goes to `consumer` as it comes.
    #[inline]
    pub fn hand_over_plain(&mut self, now: Instant, id: MessageId, consumer: ConsumerIndex) -> Delivery {
        self.counts.accepted += 1;
        let place = Place { before: self.ready.next_place(), order: self.counts.accepted };
        self.deliver_first(Message::plain(id, now), place, consumer)
    }

    /// The delivery of `tag` is done, and its consumer gets the first in line, as if it had been
    /// forgotten and handed on. `None`, and nothing is done, where there is more to it than that.
    #[inline(always)]
    pub fn exchange(&mut self, tag: DeliveryTag, may: impl FnOnce(MessageId) -> bool) -> Option<Delivery> {
        let held = self.in_flight.get(tag)?;
        let consumer = held.consumer;
        let is_alone = self.subscribers.with_room() == 0 && self.subscribers.would_have_room(consumer);
        if !held.stays_out() || !is_alone || self.carries_ttl || !self.overdue.is_empty() {
            return None;
        }
        let (message, place) = self.ready.take_plain(may)?;
        let (id, accepted_at) = (message.id, message.accepted_at);
        self.counts.done += 1;
        self.counts.deliveries += 1;
        let waiting = Waiting { deliveries: 1, ..Waiting::fresh(message) };
        let number = self.counts.deliveries;
        let held = Unanswered { waiting, place, number, consumer, lease_until: None, kept_until: None };
        let tag = self.in_flight.replace(tag, held);
        Some(Delivery { tag, id, accepted_at, consumer, deliveries: 1, returns: 0, redelivered: false })
    }

    #[inline(always)]
    fn deliver_first(&mut self, message: Message, place: Place, consumer: ConsumerIndex) -> Delivery {
        let (id, accepted_at) = (message.id, message.accepted_at);
        self.counts.deliveries += 1;
        self.subscribers.give(consumer);
        let waiting = Waiting { deliveries: 1, ..Waiting::fresh(message) };
        let number = self.counts.deliveries;
        let held = Unanswered { waiting, place, number, consumer, lease_until: None, kept_until: None };
        let tag = self.in_flight.put(held);
        Delivery { tag, id, accepted_at, consumer, deliveries: 1, returns: 0, redelivered: false }
    }

    /// Whether what waits is handed on without a look at the clock. The rules are plain.
    #[must_use]
    #[inline]
    pub fn hands_out_plainly(&self) -> bool {
        !self.carries_ttl
    }

    /// Whether a delivery that is given back for later waits apart and stands in line again, and
    /// nothing else is due by itself. The rules are plain.
    #[must_use]
    pub fn delays_plainly(&self) -> bool {
        let is_limited = self.rules.delivery_limit.is_some();
        !is_limited && self.in_flight.first_lease().is_none() && self.in_flight.first_kept().is_none()
    }

    /// Whether [`Self::forget_done`] can be said of the delivery.
    #[must_use]
    #[inline(always)]
    pub fn is_plainly_out(&self, tag: DeliveryTag) -> bool {
        self.overdue.is_empty() && self.in_flight.get(tag).is_some_and(Unanswered::stays_out)
    }

    /// The delivery, which is plainly out, is done.
    #[inline]
    pub fn forget_done(&mut self, tag: DeliveryTag) {
        if let Some(consumer) = self.in_flight.forget(tag) {
            self.subscribers.release(consumer);
            self.counts.done += 1;
        }
    }
}
