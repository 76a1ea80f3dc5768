//! The common case of a topic: a record that carries nothing comes to a partition whose reader is busy
//! or starts on it, and a member commits what it has done and goes on.
//!
//! As for queues, what is done here is exactly what `sending`, `reading` and `handling` do in full, as
//! long as nothing is about to happen in a group by itself; a test lets runs go both ways.

use super::Simulation;
use super::reading::Arrived;
use super::slots::Source;
use crate::model::consumer::Begun;
use crate::model::event::EventKind;
use crate::model::message::Message;
use crate::model::routes::{GroupIndex, TopicIndex};
use crate::model::work_queue::ConsumerIndex;

impl Simulation {
    /// Whether what happens in its topics takes the short way, where nothing is under way.
    #[cfg(test)]
    pub(crate) const fn runs_logs_plainly(&self) -> bool {
        self.are_logs_plain
    }

    /// A producer's clock brings a record. `false`: nothing was done, go the long way.
    pub(super) fn appends_plainly(&mut self, producer: usize, topic: TopicIndex) -> bool {
        let logs = &self.broker.logs;
        let sender = &mut self.producers[producer];
        let are_settled = || logs.readers_of(topic).all(|group| logs.is_settled(self.now, group));
        if !self.are_logs_plain || !sender.is_plain() || logs.awaits_poison() || !are_settled() {
            return false;
        }
        let (id, excess) = sender.present_next(self.now);
        self.agenda.set_first(self.slots.of(Source::Arrival(producer)), sender.next_arrival());
        self.journal.record(self.now, EventKind::Offered, id);
        let (key, message, memory) = (sender.key(id), Message::plain(id, self.now), self.broker.memory());
        let appended = self.broker.logs.store(self.now, topic, key, message, memory);
        self.journal.record(self.now, EventKind::Accepted, id);
        for group in self.broker.logs.readers_of(topic) {
            self.give_plainly(group, appended.partition, Arrived { producer, id, excess });
        }
        self.topic_changed(topic);
        true
    }

    /// A record has come to a partition. Where an old segment had to go for it, the group looks at all
    /// that it reads.
    fn give_plainly(&mut self, group: GroupIndex, partition: u32, arrived: Arrived) {
        if !self.broker.logs.is_settled(self.now, group) {
            (self.is_counted, self.is_common) = (false, false);
            self.hand_out_records(group, None, Some(arrived));
            return self.group_changed(group);
        }
        let staff = &self.staffs[self.pool_of_group(group)];
        let given = self.broker.logs.give_arrived(group, partition, |member| staff.takes_records(member));
        if let Some(delivery) = given {
            let excess = self.excess_for_consumer(arrived.producer, &delivery, arrived.excess);
            self.start_plainly(&delivery, Begun { excess, ..Begun::FIRST });
        }
    }

    /// A member commits what it has done and takes its next record. `false`: nothing was done, go the
    /// long way.
    #[inline]
    pub(super) fn commits_plainly(&mut self, group: GroupIndex, consumer: ConsumerIndex) -> bool {
        let pool = self.pool_of_group(group);
        let is_shown = !self.begins_with_a_queue();
        let staff = &mut self.staffs[pool];
        let Some(job) = staff.pool.plainly_done(self.now, consumer) else { return false };
        let (id, tag, start, began) = (job.id, job.tag, job.start, job.began);
        let role = staff.pool.role();
        let is_known = start > 1 || self.records.get(id, role).is_some();
        if is_known
            || !self.are_logs_plain
            || self.has_deadlines
            || !staff.belongs_to_group(consumer)
            || !self.broker.logs.group(group).commits_at_once()
            || !self.broker.logs.is_settled(self.now, group)
            || self.fates.failure(id, role, start, staff.handling.failures).is_some()
        {
            return false;
        }
        let may = |next| self.records.get(next, role).is_none();
        let Some(next) = self.broker.logs.exchange(group, tag, may) else { return false };
        self.broker.logs.group_mut(group).counts_mut().count_done(EventKind::Finished);
        self.totals.side_effects += 1;
        self.journal.record(self.now, EventKind::Finished, id);
        self.stats.record_handled(self.now, began);
        if is_shown {
            self.stats.record_finish(self.now, id);
        }
        match next {
            Some(delivery) => {
                self.journal.record(self.now, EventKind::Started, delivery.id);
                self.stats.record_wait(self.now.since(delivery.accepted_at));
                self.agenda.set_first(consumer.0, staff.pool.go_on_plainly(self.now, &delivery));
            }
            None => {
                staff.pool.finish_plain(self.now, consumer);
                self.stats.levels_mut().busy -= 1;
                self.agenda.set(consumer.0, None);
            }
        }
        true
    }
}
