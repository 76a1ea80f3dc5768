//! Who is connected to a queue, and what becomes of deliveries whose consumer is gone or late.

use super::super::time::Instant;
use super::in_flight::Unanswered;
use super::{ConsumerIndex, DeliveryTag, GivenBack, NOBODY, Returned, WorkQueue};

impl WorkQueue {
    /// The consumer may be given messages from now on, at most `prefetch` unacknowledged ones at a
    /// time; `None`: any number.
    pub fn subscribe(&mut self, consumer: ConsumerIndex, prefetch: Option<u32>) {
        let most = self.rules.prefetch_max;
        let prefetch = match (prefetch, most) {
            (Some(prefetch), Some(most)) => Some(prefetch.min(most)),
            (prefetch, most) => prefetch.or(most),
        };
        self.subscribers.subscribe(consumer, prefetch, self.rules.single_active_consumer);
    }

    /// The consumer is given no more messages. What it has stays in flight; where only one
    /// consumer may be active, the next one becomes it once all that is answered.
    pub fn unsubscribe(&mut self, consumer: ConsumerIndex) {
        self.subscribers.unsubscribe(consumer, self.rules.single_active_consumer);
    }

    /// The consumer is gone, and the queue does not see it: what it had comes back when its lease
    /// runs out, or by [`Self::take_back_orphan`] where it has none. Started again, the consumer
    /// has its hands free.
    pub fn abandon(&mut self, consumer: ConsumerIndex) {
        self.subscribers.unsubscribe(consumer, false);
        for tag in self.in_flight.of_consumer(consumer) {
            self.subscribers.release(consumer);
            if !self.in_flight.let_go(tag) {
                self.orphans.push_back(tag);
            }
        }
        self.forget_overdue(consumer);
    }

    /// The consumer is gone with all it had: what it had comes back, one by one, by
    /// [`Self::take_back_orphan`], in the order in which it stood.
    pub fn disconnect(&mut self, consumer: ConsumerIndex) {
        self.lose_connection(consumer);
        self.forget_overdue(consumer);
    }

    /// As [`Self::disconnect`], but the consumer goes on with what it had, and has no hand free
    /// for more until it has answered.
    pub fn lose_connection(&mut self, consumer: ConsumerIndex) {
        self.subscribers.unsubscribe(consumer, false);
        for tag in self.in_flight.of_consumer(consumer) {
            self.in_flight.let_go(tag);
            self.overdue.insert(tag.key(), consumer);
            self.orphans.push_back(tag);
        }
    }

    fn forget_overdue(&mut self, consumer: ConsumerIndex) {
        let own = self.overdue.iter().filter(|(_, other)| **other == consumer).map(|(tag, _)| tag);
        for tag in own.collect::<Vec<_>>() {
            self.overdue.remove(&tag);
            self.subscribers.release(consumer);
        }
    }

    /// Takes back the next delivery of a consumer that is gone.
    pub fn take_back_orphan(&mut self, now: Instant) -> Option<Returned> {
        while let Some(tag) = self.orphans.pop_front() {
            let returned = self.give_back(now, tag, GivenBack::ConsumerLost);
            if returned.is_some() {
                return returned;
            }
        }
        None
    }

    /// Whether [`Self::take_back_orphan`] has something to do.
    #[must_use]
    pub fn has_orphans(&self) -> bool {
        !self.orphans.is_empty()
    }

    /// Sets how many unacknowledged messages the consumer may hold.
    pub fn set_prefetch(&mut self, consumer: ConsumerIndex, prefetch: u32) {
        let most = self.rules.prefetch_max.unwrap_or(u32::MAX);
        self.subscribers.set_prefetch(consumer, Some(prefetch.min(most)));
    }

    /// The consumer is rid of a delivery, whether or not it was still its own. One that the queue
    /// took back before counts as the consumer's until this is said.
    pub fn hear_late(&mut self, tag: DeliveryTag) {
        if !self.overdue.is_empty()
            && let Some(consumer) = self.overdue.remove(&tag.key())
        {
            self.subscribers.release(consumer);
        }
    }

    /// The queue takes a delivery back while its consumer goes on with it.
    pub(super) fn take_from_consumer(&mut self, tag: DeliveryTag) -> Option<Unanswered> {
        let held = self.in_flight.take(tag)?;
        if held.consumer != NOBODY {
            self.overdue.insert(tag.key(), held.consumer);
        }
        Some(held)
    }
}
