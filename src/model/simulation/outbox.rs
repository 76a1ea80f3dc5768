//! Producers that keep to a limit, shed, or send again what was not confirmed.
//!
//! The network takes no time: a confirm is there at once, or never. So the only replies on their way
//! when the broker goes down are those of that very instant.

use std::rc::Rc;

use super::Simulation;
use super::reading::calls_directly;
use crate::model::broker::QueueIndex;
use crate::model::event::EventKind;
use crate::model::message::{Luggage, Message, MessageId, Properties};
use crate::model::producer::Producer;
use crate::model::producer::outbox::{Outbox, Unconfirmed};
use crate::model::rate::Work;
use crate::model::routes::{Role, Target};
use crate::model::settings::Confirms;
use crate::model::work_queue::Published;

impl Simulation {
    /// A producer with rules of its own presents a message.
    pub(super) fn pass_on(&mut self, producer: usize, id: MessageId, excess: Work) {
        let now = self.now;
        let may_pass = self.producers[producer].outbox_mut().is_none_or(|outbox| outbox.may_pass(now));
        if may_pass {
            self.send(producer, id, excess);
        }
    }

    /// Something is due in a producer's outbox: one thing is done.
    pub(super) fn mind_outbox(&mut self, producer: usize) {
        let now = self.now;
        if let Some(outbox) = self.producers[producer].outbox_mut() {
            outbox.mind_gate(now, false);
        }
        if let Some(id) = self.producers[producer].take_shaped() {
            if let Some(outbox) = self.producers[producer].outbox_mut() {
                outbox.mind_gate(now, true);
            }
            self.send(producer, id, Work::NONE);
        } else if let Some(sent) =
            self.producers[producer].outbox_mut().and_then(|outbox| outbox.take_overdue(now))
        {
            self.send_again(producer, sent);
        }
        self.schedule_producer(producer);
        self.release_producers();
    }

    /// A message leaves the producer's hand, or is shed, or stays in it for want of room.
    pub(super) fn send(&mut self, producer: usize, id: MessageId, excess: Work) {
        if self.sheds(&self.producers[producer], id) {
            self.totals.shed += 1;
            self.journal.record(self.now, EventKind::Shed, id);
            return;
        }
        let Some(outbox) = self.producers[producer].outbox() else { return };
        if calls_directly(&self.producers[producer]) {
            return self.call_directly(producer, id, excess);
        }
        match outbox.rules().confirms {
            Confirms::Instant => self.offer(producer, id, excess),
            Confirms::None if self.is_broker_up => self.offer(producer, id, excess),
            Confirms::None => self.lose_sending(id),
            Confirms::Awaited if outbox.waits_for_confirms() => {
                self.follow_publish(producer, id, Published::NoRoom, excess);
            }
            Confirms::Awaited => {
                self.send_for_confirm(producer, Unconfirmed { id, attempt: 1, is_placed: false }, excess);
            }
        }
    }

    fn sheds(&self, sender: &Producer, id: MessageId) -> bool {
        let Some(rules) = sender.outbox().map(Outbox::rules) else { return false };
        let waiting = match sender.target() {
            Target::Queue(queue) => self.broker.queue(queue).ready().len(),
            Target::Topic(topic) => self.greatest_lag(topic),
        };
        self.is_broker_up
            && rules.shed_above.is_some_and(|most| waiting > most)
            && self.fates.is_of_low_value(id, rules.shed_share)
    }

    fn lose_sending(&mut self, id: MessageId) {
        self.totals.lost_sending += 1;
        self.journal.record(self.now, EventKind::LostSending, id);
    }

    /// Whether the producer's rules keep it waiting with the message in its hand; `None` where the
    /// broker alone decides.
    pub(super) fn outbox_keeps(&self, sender: &Producer, outbox: &Outbox, id: MessageId) -> Option<bool> {
        if self.sheds(sender, id) || calls_directly(sender) {
            return Some(false);
        }
        match outbox.rules().confirms {
            Confirms::Awaited if outbox.waits_for_confirms() => Some(true),
            Confirms::Awaited | Confirms::None if !self.is_broker_up => Some(false),
            _ => None,
        }
    }

    /// Sends a message of which a confirm is awaited.
    fn send_for_confirm(&mut self, producer: usize, sent: Unconfirmed, excess: Work) {
        if !self.is_broker_up {
            return self.expect_nothing(producer, sent);
        }
        let published = if self.knows_copy(producer, sent) {
            Published::Duplicate
        } else {
            self.publish(producer, sent.id)
        };
        match published {
            // The broker takes nothing now: that was no attempt.
            Published::NoRoom if sent.attempt > 1 => {
                self.expect_nothing(producer, Unconfirmed { attempt: sent.attempt - 1, ..sent });
            }
            Published::NoRoom => self.follow_publish(producer, sent.id, published, excess),
            Published::Rejected => self.hear_refusal(producer, sent),
            _ => self.hear_confirm(producer, sent, published, excess),
        }
    }

    /// Whether a topic has the message already and knows that: by its sequence number, it is one of the
    /// producer's last five batches, or comes before them (Kafka: acknowledged, and not appended).
    fn knows_copy(&self, producer: usize, sent: Unconfirmed) -> bool {
        let sender = &self.producers[producer];
        let is_idempotent = sender.outbox().is_some_and(|outbox| outbox.rules().is_idempotent);
        is_idempotent && sent.is_placed && sender.target().queue().is_none()
    }

    /// The broker refused the message, and the producer knows: it tries again later, or not at all.
    fn hear_refusal(&mut self, producer: usize, sent: Unconfirmed) {
        let goes_on = self.producers[producer].outbox().is_some_and(|out| out.may_send_again(sent.attempt));
        if goes_on {
            self.expect_nothing(producer, sent);
        } else if sent.is_placed {
            self.give_up_sending(sent);
        } else {
            self.follow_publish(producer, sent.id, Published::Rejected, Work::NONE);
        }
    }

    /// The broker has the message. Whether the producer learns it is the attempt's fate.
    fn hear_confirm(&mut self, producer: usize, sent: Unconfirmed, published: Published, excess: Work) {
        let Unconfirmed { id, attempt, is_placed } = sent;
        let target = self.producers[producer].target();
        let Some(outbox) = self.producers[producer].outbox_mut() else { return };
        self.totals.copies += u64::from(is_placed);
        let is_lost = self.fates.loses_confirm(id, attempt, outbox.rules().confirm_loss);
        if is_lost {
            self.totals.confirms_lost += 1;
            self.journal.record(self.now, EventKind::ConfirmLost, id);
            outbox.expect_nothing(self.now, Unconfirmed { is_placed: true, ..sent });
            if matches!(published, Published::Accepted | Published::HandedOver(_)) || is_placed {
                self.expect_copy(target, id);
            }
        } else {
            outbox.confirm(self.now, sent);
        }
        self.follow_publish(producer, id, published, excess);
        if !is_lost {
            self.tell_confirm(producer, id);
        }
        if published == Published::DroppedNew {
            self.end_expectation(id);
        }
    }

    fn expect_nothing(&mut self, producer: usize, sent: Unconfirmed) {
        let now = self.now;
        if let Some(outbox) = self.producers[producer].outbox_mut() {
            outbox.expect_nothing(now, sent);
        }
    }

    /// The confirm of a message is overdue.
    fn send_again(&mut self, producer: usize, sent: Unconfirmed) {
        let goes_on = self.producers[producer].outbox().is_some_and(|out| out.may_send_again(sent.attempt));
        if !goes_on {
            return self.give_up_sending(sent);
        }
        self.totals.sent_again += 1;
        self.journal.record(self.now, EventKind::SentAgain, sent.id);
        let again = Unconfirmed { attempt: sent.attempt.saturating_add(1), ..sent };
        self.send_for_confirm(producer, again, Work::NONE);
    }

    /// The producer gives a message up. Where the broker has it all the same, nothing is lost.
    fn give_up_sending(&mut self, sent: Unconfirmed) {
        self.totals.sends_given_up += 1;
        if sent.is_placed {
            self.end_expectation(sent.id);
        } else {
            self.lose_sending(sent.id);
        }
    }

    /// The connections are lost, and with them the confirms that were on their way.
    pub(super) fn lose_confirms(&mut self) {
        for producer in 0..self.producers.len() {
            let (now, target) = (self.now, self.producers[producer].target());
            let Some(outbox) = self.producers[producer].outbox_mut() else { continue };
            let lost = outbox.lose_confirms(now);
            for (_, sent) in lost.iter() {
                self.totals.confirms_lost += 1;
                self.journal.record(now, EventKind::ConfirmLost, sent.id);
                self.expect_nothing(producer, *sent);
            }
            if !lost.is_empty() {
                let is_lost = |id: MessageId| lost.contains(&[id.raw(), 0, 0]);
                match target {
                    Target::Queue(queue) => self.expect_copies(queue, is_lost),
                    Target::Topic(topic) => self.expect_copies_of_records(topic, is_lost),
                }
            }
            self.schedule_producer(producer);
        }
    }

    /// Of those messages that the queue took in at this instant, copies may come.
    fn expect_copies(&mut self, queue: QueueIndex, of: impl Fn(MessageId) -> bool) {
        let waiting = self.broker.queue(queue);
        let here = waiting.ready().iter().chain(waiting.unanswered().map(|(message, _)| message));
        for message in here.filter(|message| message.accepted_at == self.now && of(message.id)) {
            self.records.of(message.id, Role::FIRST).expected += 1;
        }
    }

    /// A queue that deduplicates knows copies by their message, where its sender may send any.
    pub(super) fn tell_copies_apart(&self, producer: usize, message: &mut Message) {
        let sender = &self.producers[producer];
        let may_copy = sender.outbox().is_some_and(|outbox| outbox.rules().confirms == Confirms::Awaited);
        let deduplicates =
            |queue: QueueIndex| self.broker.queue(queue).rules().deduplication_window.is_some();
        if may_copy && sender.target().queue().is_some_and(deduplicates) {
            let properties = Properties { deduplication: Some(message.id.raw()), ..message.properties() };
            message.luggage = Some(Rc::new(Luggage::with(properties)));
        }
    }
}
