//! Records that go on from one topic to another: to be tried again, as dead letters, and back.

use super::Simulation;
use super::slots::Source;
use crate::model::command::CommandRefused;
use crate::model::consumer::Job;
use crate::model::event::EventKind;
use crate::model::group::reading::Outcome;
use crate::model::message::{Message, MessageId, RecordPlace};
use crate::model::rate::Rate;
use crate::model::routes::{GroupIndex, Role, TopicIndex};
use crate::model::time::Span;
use crate::model::topology::GroupNode;
use crate::model::work_queue::{ConsumerIndex, Delivery};

impl Simulation {
    /// Whether the members of a group send what is to be tried again to a topic of its own.
    pub(super) fn has_retry_topic(&self, group: GroupIndex) -> bool {
        self.topic_of(group, |node| node.retry_to.as_ref()).is_some()
    }

    fn topic_of(
        &self,
        group: GroupIndex,
        named: impl Fn(&GroupNode) -> Option<&String>,
    ) -> Option<TopicIndex> {
        let topology = self.scenario.topology();
        let name = topology.groups.get(group.0).and_then(named)?;
        topology.topic_named(name).map(TopicIndex)
    }

    /// A member sends a record to the topic for retries, and its group goes on behind it.
    pub(super) fn send_to_retry(&mut self, group: GroupIndex, pool: usize, consumer: ConsumerIndex) {
        let to = self.topic_of(group, |node| node.retry_to.as_ref());
        self.pass(group, pool, consumer, to, EventKind::SentToRetry);
    }

    /// A member gives a record up after its last attempt: it sends it to the topic for dead letters, or
    /// skips it. Its group goes on behind it.
    pub(super) fn give_up(&mut self, group: GroupIndex, pool: usize, consumer: ConsumerIndex) {
        let skips = self.staffs[pool].handling.skips_dead;
        let to = self.topic_of(group, |node| node.dead_letters_to.as_ref()).filter(|_| !skips);
        let kind = if to.is_some() { EventKind::DeadLettered } else { EventKind::GivenUp };
        self.pass(group, pool, consumer, to, kind);
    }

    fn pass(
        &mut self,
        group: GroupIndex,
        pool: usize,
        consumer: ConsumerIndex,
        to: Option<TopicIndex>,
        kind: EventKind,
    ) {
        let Some((job, excess)) = self.staffs[pool].pool.finish(self.now, consumer) else { return };
        let message = self.message_in_hand(group, &job);
        let outcome = self.outcome(pool, &job, false);
        let (now, reading) = (self.now, self.broker.logs.group_mut(group));
        if let Some((partition, message)) = message.filter(|_| reading.commit(now, job.tag, outcome)) {
            reading.counts_mut().count_passed(kind);
            self.totals.dead_lettered += u64::from(kind == EventKind::DeadLettered);
            self.record_of_job(kind, consumer, job.id);
            match to {
                Some(to) => self.put_into(to, partition, message),
                None => self.end_record(job.id, self.staffs[pool].pool.role()),
            }
        } else {
            self.record_of_job(EventKind::AnsweredTooLate, consumer, job.id);
            self.let_record_go(job.id, self.staffs[pool].pool.role());
        }
        self.withdraw(pool, consumer);
        self.go_on(pool, consumer, excess);
        if let Some(to) = to {
            self.hand_out_passed_on(to);
        }
    }

    /// The message that a member has in hand, with its partition; `None` where it was taken from it. The
    /// topic may have deleted it meanwhile: the member still has it, without what it carried.
    fn message_in_hand(&self, group: GroupIndex, job: &Job) -> Option<(u32, Message)> {
        let (partition, offset) = self.broker.logs.group(group).delivered(job.tag)?;
        let stored = self.broker.logs.message(group, job.tag);
        let mut message = stored.unwrap_or_else(|| Message::plain(job.id, self.now));
        message.keep_deadline();
        message.keep_place(RecordPlace { group, partition, offset });
        Some((partition, message))
    }

    /// One more record comes to a topic, and it is a copy: the one that it is of stays in its own.
    fn put_into(&mut self, topic: TopicIndex, partition: u32, message: Message) {
        let room = self.broker.memory();
        self.totals.copies += 1;
        let id = message.id;
        let stored = self.broker.logs.pass_on(self.now, topic, partition, message, room);
        self.tell_stored(id, topic, stored);
        self.end_deleted(topic);
    }

    /// What was sent to a topic and deleted there comes to an end, unless it has gone on from there.
    pub(super) fn end_deleted(&mut self, topic: TopicIndex) {
        for (partition, offset, message) in self.broker.logs.take_deleted(topic) {
            let Some(place) = message.past().and_then(|past| past.place) else { continue };
            let role = self.staffs[self.pool_of_group(place.group)].pool.role();
            if !self.has_gone_on(topic, partition, offset, role) {
                self.end_record(message.id, role);
            }
        }
    }

    /// Whether a record has gone on from where it stands: it was sent back, or somebody of that role has
    /// passed it or has it in hand.
    fn has_gone_on(&self, topic: TopicIndex, partition: u32, offset: u64, role: Role) -> bool {
        let logs = &self.broker.logs;
        let goes_on = |group: GroupIndex| {
            let reading = logs.group(group);
            reading.outcome_of(partition, offset).is_some() || reading.has_out(partition, offset)
        };
        let mut readers = logs.readers_of(topic);
        logs.was_sent_back(topic, partition, offset)
            || readers
                .any(|group| self.staffs[self.pool_of_group(group)].pool.role() == role && goes_on(group))
    }

    fn hand_out_passed_on(&mut self, topic: TopicIndex) {
        for group in self.broker.logs.readers_of(topic) {
            self.hand_out_records(group, None, None);
            self.group_changed(group);
        }
        self.topic_changed(topic);
    }

    /// Whether a record that was sent here to be tried again has to wait: its partition does then, as one
    /// thread reads it in order (Spring for Apache Kafka: the container is paused until it is due).
    pub(super) fn puts_off(&mut self, group: GroupIndex, pool: usize, delivery: &Delivery) -> bool {
        if !self.staffs[pool].reads_retries {
            return false;
        }
        let record = self.records.get(delivery.id, self.staffs[pool].pool.role());
        let delay = record.and_then(|record| record.previous_delay).unwrap_or(Span::ZERO);
        let due = delivery.accepted_at + delay;
        if due > self.now {
            self.broker.logs.group_mut(group).put_off(delivery.tag, due, delivery.redelivered);
        }
        due > self.now
    }

    /// A group that was sent back is given a record that it has passed before: what is remembered of it
    /// is what became of it then.
    pub(super) fn recall(&mut self, group: GroupIndex, pool: usize, delivery: &Delivery) {
        let first = self.first_place(pool, group, delivery.tag);
        let Some(mut outcome) = self.broker.logs.group_mut(group).recall(delivery.tag) else { return };
        // It may have been sent on from here and done after that: where it came from, that is known.
        let before = first
            .and_then(|place| self.broker.logs.group(place.group).outcome_of(place.partition, place.offset));
        outcome.had_effect |= before.is_some_and(|before| before.had_effect);
        outcome.is_marked |= before.is_some_and(|before| before.is_marked);
        let role = self.staffs[pool].pool.role();
        if self.records.get(delivery.id, role).is_none() {
            return self.remember_outcome(pool, delivery.id, outcome);
        }
        // It is under way elsewhere, or somebody who lost it still works on it: it comes to one more end.
        let record = self.records.of(delivery.id, role);
        if !std::mem::take(&mut record.is_over) {
            record.expected += 1;
        }
    }

    fn remember_outcome(&mut self, pool: usize, id: MessageId, outcome: Outcome) {
        let role = self.staffs[pool].pool.role();
        if self.records.get(id, role).is_none() {
            let record = self.records.of(id, role);
            record.starts = 1;
            record.effects = u32::from(outcome.had_effect);
            record.is_marked = outcome.is_marked;
        }
    }

    /// What stands in a topic for dead letters is sent on to another one.
    pub(super) fn send_back(&mut self, from: TopicIndex, to: TopicIndex, rate: Option<Rate>) {
        if self.check_send_back(from, to).is_ok() {
            self.broker.logs.begin_sending_back(self.now, from, to, rate);
            self.schedule_sending_back();
        }
    }

    pub(super) fn check_send_back(&self, from: TopicIndex, to: TopicIndex) -> Result<(), CommandRefused> {
        let logs = &self.broker.logs;
        if from.0.max(to.0) >= logs.topics().len() {
            return Err(CommandRefused::NoSuchTopic);
        }
        if from == to || !self.scenario.topology().takes_dead_letters(from.0) {
            return Err(CommandRefused::NotForDeadLetters);
        }
        if logs.sends_back(from).is_some() {
            return Err(CommandRefused::SendsBackAlready);
        }
        if logs.not_sent_back(from) == 0 { Err(CommandRefused::NothingToSendBack) } else { Ok(()) }
    }

    /// One dead letter of a topic goes back.
    pub(super) fn send_one_back(&mut self) {
        if let Some((task, partition, mut message)) = self.broker.logs.take_to_send_back(self.now) {
            self.totals.redriven += 1;
            self.journal.record(self.now, EventKind::SentBack, message.id);
            self.expect_it_back(task.to, &message);
            message.keep_deadline();
            self.put_into(task.to, partition, message);
            self.hand_out_passed_on(task.to);
        }
        self.schedule_sending_back();
    }

    pub(super) fn schedule_sending_back(&mut self) {
        let next = self.broker.logs.next_sending_back().filter(|_| self.is_broker_up);
        self.schedule(Source::SendBack, next.map(|next| next.max(self.now)));
    }

    /// To those who sent it away it comes anew. All others who read that topic have had it, or have it
    /// yet to come, and get it once more.
    fn expect_it_back(&mut self, to: TopicIndex, message: &Message) {
        let Some(place) = message.past().and_then(|past| past.place) else { return };
        let sender = self.staffs[self.pool_of_group(place.group)].pool.role();
        let read = self.broker.logs.group(place.group).topic();
        for group in self.broker.logs.readers_of(to) {
            let pool = self.pool_of_group(group);
            let role = self.staffs[pool].pool.role();
            let reading = self.broker.logs.group(group);
            if role == sender {
                let record = self.records.of(message.id, role);
                (record.attempts, record.previous_delay) = (0, None);
            } else if reading.topic() != read {
                // It was never in the topic that this group reads.
            } else if let Some(outcome) = reading.outcome_of(place.partition, place.offset) {
                self.remember_outcome(pool, message.id, outcome);
            } else {
                self.records.of(message.id, role).expected += 1;
            }
        }
    }
}
