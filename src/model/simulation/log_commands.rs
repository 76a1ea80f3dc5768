//! What commands do to topics, and to the groups that read them.

use super::Simulation;
use crate::model::command::{Command, CommandRefused};
use crate::model::event::EventKind;
use crate::model::group::reset::{PlannedOffset, ResetRefused, ResetScope, ResetTo};
use crate::model::message::MessageId;
use crate::model::partitioned_log::PartitionsRefused;
use crate::model::routes::{GroupIndex, Supply, Target, TopicIndex};
use crate::model::settings::PARTITIONS_MAX;

impl Simulation {
    /// Whether a command about topics and groups can be applied to the run as it is now.
    pub(super) fn check_log_command(&self, command: &Command) -> Result<(), CommandRefused> {
        match *command {
            Command::Join { pool } => self.check_join(usize::from(pool)),
            Command::ResetOffsets { group, partition, to } => {
                self.plan_reset(group, &scope_of(partition), to).map(drop).map_err(CommandRefused::NotReset)
            }
            Command::AddPartitions { topic, to } => self.check_partitions(topic, to),
            Command::PoisonPartition { topic, partition, .. } => {
                let log = self.broker.logs.topics().get(topic.0);
                let exists = log.is_some_and(|log| log.partition(partition).is_some());
                exists.then_some(()).ok_or(CommandRefused::NoSuchTopic)
            }
            Command::RouteToTopic { to, .. } => {
                self.has_topic(to).then_some(()).ok_or(CommandRefused::NoSuchTopic)
            }
            Command::SendBack { from, to, .. } => self.check_send_back(from, to),
            Command::DeleteRecords { topic } => self.check_delete(topic),
            _ => Ok(()),
        }
    }

    /// Where committed offsets of a group would be moved: a dry run.
    ///
    /// # Errors
    /// The group has members, there is no such group or partition, or an offset to shift is missing.
    pub fn plan_reset(
        &self,
        group: GroupIndex,
        scope: &ResetScope,
        to: ResetTo,
    ) -> Result<Vec<PlannedOffset>, ResetRefused> {
        if group.0 >= self.broker.logs.groups().len() {
            return Err(ResetRefused::NoSuchGroup);
        }
        if !self.is_broker_up {
            return Err(ResetRefused::BrokerIsDown);
        }
        self.broker.logs.plan_reset(group, scope, to)
    }

    fn check_join(&self, pool: usize) -> Result<(), CommandRefused> {
        if !self.scenario.topology().joins_later(pool) {
            return Err(CommandRefused::NothingToJoin);
        }
        let is_awaited = self.staffs.get(pool).is_some_and(|staff| staff.is_awaited);
        if is_awaited { Ok(()) } else { Err(CommandRefused::JoinedAlready) }
    }

    fn check_partitions(&self, topic: TopicIndex, to: u32) -> Result<(), CommandRefused> {
        let log = self.broker.logs.topics().get(topic.0).ok_or(CommandRefused::NoSuchTopic)?;
        if !self.is_broker_up {
            return Err(CommandRefused::BrokerIsDown);
        }
        let too_many = PartitionsRefused::TooMany { asked: to };
        if u64::from(to) > PARTITIONS_MAX {
            return Err(CommandRefused::NoPartitions(too_many));
        }
        log.check_partitions(to).map_err(CommandRefused::NoPartitions)
    }

    fn check_delete(&self, topic: TopicIndex) -> Result<(), CommandRefused> {
        match (self.has_topic(topic), self.is_broker_up) {
            (false, _) => Err(CommandRefused::NoSuchTopic),
            (_, false) => Err(CommandRefused::BrokerIsDown),
            _ => Ok(()),
        }
    }

    /// Everything that stands in a topic is deleted, whoever has not read it.
    #[inline(never)]
    pub(super) fn delete_records(&mut self, topic: TopicIndex) {
        if self.check_delete(topic).is_ok() {
            let deleted = self.broker.logs.delete_all(topic);
            self.records_deleted(topic, &deleted);
        }
    }

    fn has_topic(&self, topic: TopicIndex) -> bool {
        topic.0 < self.broker.logs.topics().len()
    }

    /// A pool, or a group, that the topology lets join later begins. One that has joined does nothing.
    pub(super) fn join(&mut self, pool: usize) {
        if self.check_join(pool).is_err() {
            return;
        }
        self.record_of_pool(EventKind::Joined, pool);
        self.staffs[pool].is_awaited = false;
        let count = self.settings_of_pool(pool).consumer_count;
        self.set_consumer_count(pool, count);
        self.set_scaler(pool);
        self.release_producers();
    }

    /// Moves committed offsets of a group that has no members; of one that has, nothing is moved, and
    /// the run's events say so.
    pub(super) fn reset_offsets(&mut self, group: GroupIndex, partition: Option<u32>, to: ResetTo) {
        if group.0 >= self.broker.logs.groups().len() {
            return;
        }
        let is_reset = match self.plan_reset(group, &scope_of(partition), to) {
            Ok(plan) => {
                self.broker.logs.execute_reset(group, &plan);
                true
            }
            Err(_) => false,
        };
        let kind = if is_reset { EventKind::OffsetsReset } else { EventKind::ResetRefused };
        self.record_of_pool(kind, self.pool_of_group(group));
        self.dispatch(Supply::Group(group), None);
    }

    /// A topic has so many partitions from now on, and its groups give them out anew.
    pub(super) fn add_partitions(&mut self, topic: TopicIndex, to: u32) {
        if self.check_partitions(topic, to).is_err() {
            return;
        }
        let first = self.staffs.len() - self.broker.logs.groups().len();
        let staffs = &self.staffs;
        let has_begun = |group: GroupIndex| !staffs[first + group.0].is_awaited;
        self.broker.logs.add_partitions(self.now, topic, to, has_begun);
        self.note_partitions(topic, to);
        let name = MessageId::new(u16::try_from(topic.0).unwrap_or_default(), u64::from(to));
        self.journal.record(self.now, EventKind::PartitionsAdded, name);
        for group in self.broker.logs.readers_of(topic) {
            self.dispatch(Supply::Group(group), None);
        }
    }

    /// The dial of a topic shows how many partitions it has.
    fn note_partitions(&mut self, topic: TopicIndex, to: u32) {
        let name = self.scenario.topology().topics.get(topic.0).map(|node| &node.name);
        match self.node_settings.iter_mut().find(|(node, _)| Some(node) == name) {
            Some((_, own)) => own.partitions = u64::from(to),
            None if topic.0 == 0 => self.settings.partitions = u64::from(to),
            None => {}
        }
    }

    /// A producer sends to a topic from now on.
    pub(super) fn route_to_topic(&mut self, producer: usize, to: TopicIndex) {
        let exists = self.has_topic(to);
        if let Some(sender) = self.producers.get_mut(producer).filter(|_| exists) {
            sender.set_target(Target::Topic(to));
            self.release_producers();
        }
    }

    /// Something happened to a pool as a whole: the event's message has its place and no number.
    pub(super) fn record_of_pool(&mut self, kind: EventKind, pool: usize) {
        let name = MessageId::new(u16::try_from(pool).unwrap_or_default(), 0);
        self.journal.record(self.now, kind, name);
    }
}

fn scope_of(partition: Option<u32>) -> ResetScope {
    partition.map_or(ResetScope::All, |partition| ResetScope::Partitions(vec![partition]))
}
