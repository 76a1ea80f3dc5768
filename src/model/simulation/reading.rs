//! Groups at work: their members are given records, come and go, and answer.

use super::following::Note;
use super::slots::Source;
use super::{Simulation, Staff};
use crate::model::consumer::Health;
use crate::model::event::EventKind;
use crate::model::message::MessageId;
use crate::model::partitioned_log::{Deleted, Record};
use crate::model::producer::Producer;
use crate::model::rate::Work;
use crate::model::routes::{GroupIndex, Supply, Target, TopicIndex};
use crate::model::settings::SendPath;
use crate::model::time::Instant;
use crate::model::work_queue::ConsumerIndex;

/// A record that has just been appended, and what its producer's clock did beyond it.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Who sent it.
    pub producer: usize,
    /// Which message it is.
    pub id: MessageId,
    /// The producer's excess.
    pub excess: Work,
}

impl Simulation {
    /// The pool of a group's members: the groups come behind the pools of queues.
    pub(in crate::model) fn pool_of_group(&self, group: GroupIndex) -> usize {
        self.staffs.len() - self.broker.logs.groups().len() + group.0
    }

    /// A record has come to a topic: its groups may go on with it.
    pub(super) fn hand_out_arrived(&mut self, topic: TopicIndex, arrived: Arrived) {
        for group in self.broker.logs.readers_of(topic) {
            self.hand_out_records(group, None, Some(arrived));
            self.group_changed(group);
        }
        self.topic_changed(topic);
    }

    /// Hands records to members with empty hands, after a round of a rebalance if one is due. Who has
    /// just finished, or takes what has just arrived, goes on within the same microsecond.
    pub(super) fn hand_out_records(
        &mut self,
        group: GroupIndex,
        finished: Option<(ConsumerIndex, Work)>,
        arrived: Option<Arrived>,
    ) {
        if !self.is_broker_up {
            return;
        }
        let pool = self.pool_of_group(group);
        while self.broker.logs.go_round(self.now, group) {
            let generation = self.broker.logs.group(group).group().generation();
            self.journal.record(self.now, EventKind::Rebalanced, name_of(pool, generation));
        }
        loop {
            let staff = &self.staffs[pool];
            let producers = &self.producers;
            let key_of = |record: &Record| {
                producers
                    .get(usize::from(record.id.producer_index()))
                    .and_then(|sender| sender.key(record.id))
            };
            let is_free = |consumer| staff.takes_records(consumer);
            let next = self.broker.logs.next(self.now, group, is_free, key_of);
            let Some(delivery) = next else { return };
            if self.puts_off(group, pool, &delivery) {
                continue;
            }
            if delivery.redelivered {
                self.recall(group, pool, &delivery);
            }
            let carried = finished.filter(|(consumer, _)| *consumer == delivery.consumer);
            let excess = match (carried, arrived.filter(|arrived| arrived.id == delivery.id)) {
                (Some((_, excess)), _) => excess,
                (None, Some(arrived)) => {
                    self.excess_for_consumer(arrived.producer, &delivery, arrived.excess)
                }
                (None, None) => Work::NONE,
            };
            self.receive(&delivery, excess);
        }
    }

    /// Who belongs to the group by now and is no member joins; who does not and has nothing in hand
    /// leaves. One that has died does neither: it is silent.
    pub(super) fn mind_members(&mut self, group: GroupIndex) {
        let pool = self.pool_of_group(group);
        if !self.is_broker_up {
            return;
        }
        for consumer in self.staffs[pool].pool.slots() {
            self.mind_member(group, pool, consumer);
        }
        self.group_changed(group);
    }

    fn mind_member(&mut self, group: GroupIndex, pool: usize, consumer: ConsumerIndex) {
        let staff = &self.staffs[pool];
        let reading = self.broker.logs.group(group);
        let (is_member, is_silent) = (reading.is_member(consumer), reading.is_silent(consumer));
        let (belongs, is_busy) = (staff.belongs_to_group(consumer), staff.pool.has_work(consumer));
        let reading = self.broker.logs.group_mut(group);
        if belongs && (!is_member || is_silent) {
            reading.join(self.now, consumer);
        } else if !belongs && is_member && !is_silent && !is_busy {
            reading.leave(self.now, consumer);
        }
    }

    /// A consumer that has answered what it had, and is not to be given more, is so no longer.
    pub(super) fn withdraw(&mut self, pool: usize, consumer: ConsumerIndex) {
        let staff = &self.staffs[pool];
        match staff.from {
            Supply::Queue(queue) if !staff.pool.is_wanted(consumer) => {
                self.broker.queue_mut(queue).unsubscribe(consumer);
            }
            Supply::Group(group) if !staff.belongs_to_group(consumer) => {
                self.mind_member(group, pool, consumer);
            }
            _ => {}
        }
    }

    /// A member's attempt has failed and comes again: its partition waits until then, and the member
    /// goes on with its others.
    pub(super) fn step_back(
        &mut self,
        group: GroupIndex,
        pool: usize,
        consumer: ConsumerIndex,
        until: Instant,
    ) {
        let Some((job, excess)) = self.staffs[pool].pool.finish(self.now, consumer) else { return };
        let kind = if self.broker.logs.group_mut(group).step_back(job.tag, until) {
            EventKind::Returned
        } else {
            EventKind::AnsweredTooLate
        };
        if kind == EventKind::Returned {
            self.tell_of(consumer, job.id, Note::ComesBack(until));
        }
        self.record_of_job(kind, consumer, job.id);
        self.let_record_go(job.id, self.staffs[pool].pool.role());
        self.withdraw(pool, consumer);
        self.go_on(pool, consumer, excess);
    }

    /// Something is due in a group by itself: a partition goes on, a session may be over, or a round of
    /// a rebalance takes place.
    pub(super) fn mind_group(&mut self, group: GroupIndex) {
        let pool = self.pool_of_group(group);
        let (staff, reading) = (&self.staffs[pool], self.broker.logs.group_mut(group));
        reading.resume(self.now);
        reading.mind_commits(self.now, |consumer| staff.pool.health(consumer) != Health::Hung);
        if reading.session_due().is_some_and(|due| due <= self.now) {
            reading.mind_sessions(self.now, |consumer| staff.pool.health(consumer) != Health::Hung);
        }
        self.dispatch(Supply::Group(group), None);
    }

    /// When something is due in the group by itself may have changed.
    pub(super) fn group_changed(&mut self, group: GroupIndex) {
        self.schedule(Source::Group(group), self.group_due(group));
    }

    /// When something is due in the group by itself. While the broker is down, nothing is.
    pub(in crate::model) fn group_due(&self, group: GroupIndex) -> Option<Instant> {
        let due = self.broker.logs.group(group).next_due(self.now).filter(|_| self.is_broker_up);
        due.map(|due| due.max(self.now))
    }

    /// Something may have to be deleted from the topic by itself.
    pub(super) fn topic_changed(&mut self, topic: TopicIndex) {
        if !self.is_scheduled(Source::Retention(topic)) {
            let next = self.broker.logs.topic(topic).next_expiry(self.now);
            self.schedule(Source::Retention(topic), next);
        }
    }

    /// The topic deletes what it keeps no longer, whoever has not read it.
    pub(super) fn expire_records(&mut self, topic: TopicIndex) {
        let deleted = self.broker.logs.expire(self.now, topic);
        self.records_deleted(topic, &deleted);
    }

    pub(super) fn records_deleted(&mut self, topic: TopicIndex, deleted: &[(u32, Deleted)]) {
        for (_, deleted) in deleted {
            let count = deleted.to - deleted.from;
            self.journal.record(self.now, EventKind::RecordsDeleted, name_of(topic.0, count));
        }
        self.tell_deleted(topic);
        self.end_deleted(topic);
        self.schedule(Source::Retention(topic), None);
        self.topic_changed(topic);
        for group in self.broker.logs.readers_of(topic) {
            self.dispatch(Supply::Group(group), None);
        }
    }

    /// How far the groups of a topic are behind: the greatest lag of one.
    pub(super) fn greatest_lag(&self, topic: TopicIndex) -> u64 {
        let logs = &self.broker.logs;
        let lags = logs.readers_of(topic).map(|group| logs.group(group).offsets().lag_sum(logs.topic(topic)));
        lags.max().unwrap_or_default()
    }

    /// Those messages that the topic took in at this instant, of which copies may come.
    pub(super) fn expect_copies_of_records(&mut self, topic: TopicIndex, of: impl Fn(MessageId) -> bool) {
        let mut expected = Vec::new();
        for partition in self.broker.logs.topic(topic).partitions() {
            let last = (partition.log_start_offset()..partition.log_end_offset()).rev();
            let records = last.filter_map(|offset| partition.record(offset));
            let new = records.take_while(|record| record.appended_at == self.now);
            expected.extend(new.map(|record| record.id).filter(|id| of(*id)));
        }
        expected.into_iter().for_each(|id| self.expect_copy(Target::Topic(topic), id));
    }
}

impl Staff {
    /// Whether a member that is free may be given a record now.
    pub(in crate::model) fn takes_records(&self, consumer: ConsumerIndex) -> bool {
        self.gate.is_open()
            && self.belongs_to_group(consumer)
            && self.pool.health(consumer) == Health::Up
            && !self.pool.has_work(consumer)
    }

    /// Whether the consumer is to be a member of its group: it is wanted, alive, and not stopped.
    pub(super) fn belongs_to_group(&self, consumer: ConsumerIndex) -> bool {
        !self.is_stopped && self.pool.is_wanted(consumer) && self.pool.health(consumer).is_connected()
    }
}

/// What an event that speaks of no message is named by: a place in the topology, and a number.
fn name_of(place: usize, number: u64) -> MessageId {
    MessageId::new(u16::try_from(place).unwrap_or_default(), number)
}

/// Whether the producer calls consumers directly: those of a topic cannot be called.
pub fn calls_directly(sender: &Producer) -> bool {
    let path = sender.outbox().map(|outbox| outbox.rules().path);
    path == Some(SendPath::Direct) && sender.target().queue().is_some()
}
