//! What commands do to a run.

use super::Simulation;
use super::build::{dead_letters_of, message_kind};
use super::following::Note;
use super::keeping::{rules_of_queue, rules_of_topic};
use super::slots::Source;
use crate::model::broker::QueueIndex;
use crate::model::command::{Command, ConsumerDoes, TimedCommand};
use crate::model::downstream::Downstream;
use crate::model::handling::{Handling, reading_rules};
use crate::model::producer::outbox::SendingRules;
use crate::model::rate::Rate;
use crate::model::routes::{Role, Supply, Target, TopicIndex};
use crate::model::settings::{DeadLetters, Setting, Settings, Value};
use crate::model::time::{Instant, NEVER};
use crate::model::work_queue::ConsumerIndex;

impl Simulation {
    pub(super) fn apply_due_command(&mut self) -> bool {
        let scripted =
            self.next_scripted_command().filter(|timed| timed.at <= self.now).map(|timed| timed.command);
        if let Some(command) = scripted {
            self.scripted_commands_done += 1;
            self.note_next_halt();
            self.carry_out(command);
        } else if self.next_evaluation() <= self.now {
            // After what the scenario does at this instant, and before what anybody else does.
            self.evaluate_alerts();
            self.note_next_halt();
        } else {
            return self.apply_waiting_command();
        }
        true
    }

    pub(super) fn note_next_halt(&mut self) {
        let scripted = self.next_scripted_command().map_or(NEVER, |timed| timed.at);
        self.next_halt = scripted.min(self.next_evaluation());
    }

    /// When alert rules are evaluated the next time: never without any.
    fn next_evaluation(&self) -> Instant {
        self.alerts.as_ref().map_or(NEVER, |alerts| alerts.next_due())
    }

    pub(super) fn apply_waiting_command(&mut self) -> bool {
        let Some(command) = self.waiting_commands.pop_front() else { return false };
        self.command_log.push(TimedCommand { at: self.now, command });
        self.stats.pass_time(self.now);
        self.run_meters();
        self.carry_out(command);
        if self.is_complete() {
            self.complete_instant();
        }
        true
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Set { setting, value } => self.set(setting, value),
            Command::SetNode { node, setting, value } => self.set_node(usize::from(node), setting, value),
            Command::Burst { count } => self.burst(0, count),
            Command::BurstOf { producer, count } => self.burst(usize::from(producer), count),
            Command::Poison { producer, count } => {
                if let Some(producer) = self.producers.get_mut(usize::from(producer)) {
                    producer.add_poison(count);
                }
            }
            Command::Route { producer, to } => self.route(usize::from(producer), to),
            Command::StopConsumers { pool } => self.with_pool(pool, Self::stop),
            Command::StartConsumers { pool } => self.with_pool(pool, Self::start_again),
            Command::Consumer { pool, number, does } => self.consumer_does(pool, number, does),
            Command::BrokerDown => self.take_broker_down(),
            Command::BrokerUp => self.bring_broker_up(),
            Command::FailOver { duration } => self.fail_over(duration),
            Command::DeployFix => self.deploy_fix(),
            Command::Redrive { from, to, rate } => self.start_redrive(from, to, rate),
            Command::RedriveMessage { from, to, producer, number, rate } => {
                self.redrive_message(from, to, (usize::from(producer), number), rate);
            }
            Command::Discard { queue } => self.discard(queue),
            Command::SplitQueues { queue } => self.split(queue),
            Command::Join { pool } => self.join(usize::from(pool)),
            Command::ResetOffsets { group, partition, to } => self.reset_offsets(group, partition, to),
            Command::AddPartitions { topic, to } => self.add_partitions(topic, to),
            Command::PoisonPartition { topic, partition, count } => {
                self.broker.logs.add_poison(topic, partition, count);
            }
            Command::RouteToTopic { producer, to } => self.route_to_topic(usize::from(producer), to),
            Command::SendBack { from, to, rate } => self.send_back(from, to, rate),
            Command::DeleteRecords { topic } => self.delete_records(topic),
            Command::SetAlertRule { rule, change } => {
                if let Some(alerts) = &mut self.alerts {
                    alerts.change_rule(usize::from(rule), change);
                }
            }
            Command::ChangeSchema { producer } => self.change_schema(usize::from(producer)),
            Command::UpgradeReaders { pool } => self.with_pool(pool, Self::upgrade_readers),
        }
        (self.is_counted, self.is_common) = (false, false);
        self.renew_plainness();
    }

    fn with_pool(&mut self, pool: u16, act: impl Fn(&mut Self, usize)) {
        if usize::from(pool) < self.staffs.len() {
            act(self, usize::from(pool));
        }
    }

    fn burst(&mut self, producer: usize, count: u64) {
        if let Some(sender) = self.producers.get_mut(producer) {
            sender.add_burst(count);
            self.schedule_producer(producer);
        }
    }

    fn route(&mut self, producer: usize, to: QueueIndex) {
        let exists = to.0 < self.broker.queues().len();
        if let Some(sender) = self.producers.get_mut(producer).filter(|_| exists) {
            sender.set_target(Target::Queue(to));
            self.release_producers();
        }
    }

    fn consumer_does(&mut self, pool: u16, number: u16, does: ConsumerDoes) {
        let pool = usize::from(pool);
        let Some(staff) = self.staffs.get_mut(pool) else { return };
        let Some(consumer) = staff.pool.slots().nth(usize::from(number)) else { return };
        if !staff.pool.is_wanted(consumer) && !staff.pool.has_work(consumer) {
            return;
        }
        match does {
            ConsumerDoes::Crash => self.crash(pool, consumer),
            ConsumerDoes::CrashFinishing => staff.pool.arm_crash(consumer, true),
            ConsumerDoes::Hang => self.hang(pool, consumer),
            ConsumerDoes::Restart => self.restart(pool, consumer),
            ConsumerDoes::CrashLoop => self.crash_at_every_start(pool, consumer),
        }
    }

    fn start_redrive(&mut self, from: QueueIndex, to: QueueIndex, rate: Option<Rate>) {
        let exist = from.0.max(to.0) < self.broker.queues().len();
        // One that runs already, or an empty queue: nothing more is to be done.
        if exist && self.broker.start_redrive(self.now, from, to, rate).is_ok() {
            self.schedule_redrive();
        }
    }

    fn redrive_message(
        &mut self,
        from: QueueIndex,
        to: QueueIndex,
        (producer, number): (usize, u64),
        rate: Option<Rate>,
    ) {
        let exist = from.0.max(to.0) < self.broker.queues().len();
        let Some(id) = self.id_of(producer, number).filter(|_| exist) else { return };
        if self.broker.redrive_message(self.now, (from, to), id, rate).is_ok() {
            self.schedule_redrive();
        }
    }

    fn discard(&mut self, queue: QueueIndex) {
        if queue.0 < self.broker.queues().len() {
            let waiting: Vec<_> = self.broker.queue(queue).ready().iter().map(|message| message.id).collect();
            self.totals.discarded += self.broker.queue_mut(queue).discard_waiting();
            for id in waiting {
                self.tell(id, Note::ThrownAway);
                self.end_record(id, Role::FIRST);
            }
            self.queue_changed(queue);
            self.release_producers();
        }
    }

    fn set(&mut self, setting: Setting, value: Value) {
        if !self.settings.set(setting, value) {
            return;
        }
        match setting {
            Setting::BrokerMemory => self.broker.set_memory(self.settings.broker_memory),
            Setting::BrokerDisk => self.broker.set_disk(self.settings.broker_disk),
            Setting::DownstreamRate => self.set_downstream_rate(),
            Setting::DeadLetterRetention => self.keep_dead_letters(),
            _ => {}
        }
        let scenario = self.scenario.clone();
        let topology = scenario.topology();
        let follows = |name: &String| !self.node_settings.iter().any(|(node, _)| node == name);
        let producers = topology.producers.iter().enumerate().filter(|(_, node)| follows(&node.name));
        let producers: Vec<usize> = producers.map(|(index, _)| index).collect();
        let queues = topology.queues.iter().enumerate().filter(|(_, node)| follows(&node.name));
        let queues: Vec<usize> = queues.map(|(index, _)| index).collect();
        let pools = topology.pool_names().enumerate().filter(|(_, name)| follows(name));
        let pools: Vec<usize> = pools.map(|(index, _)| index).collect();
        let topics = topology.topics.iter().enumerate().filter(|(_, node)| follows(&node.name));
        let topics: Vec<usize> = topics.map(|(index, _)| index).collect();
        let settings = self.settings.clone();
        topics.into_iter().for_each(|topic| self.set_topic(TopicIndex(topic), &settings));
        producers.into_iter().for_each(|producer| self.set_producer(producer, setting, &settings));
        queues.into_iter().for_each(|queue| self.set_queue(queue, setting, &settings));
        pools.into_iter().for_each(|pool| self.set_pool(pool, setting, &settings));
        self.release_producers();
    }

    fn set_node(&mut self, node: usize, setting: Setting, value: Value) {
        let Some((name, settings)) = self.node_settings.get_mut(node) else { return };
        if !settings.set(setting, value) {
            return;
        }
        let (name, settings) = (name.clone(), settings.clone());
        let scenario = self.scenario.clone();
        let topology = scenario.topology();
        if let Some(producer) = topology.producers.iter().position(|node| node.name == name) {
            self.set_producer(producer, setting, &settings);
        }
        if let Some(queue) = topology.queue_named(&name) {
            self.set_queue(queue, setting, &settings);
        }
        if let Some(topic) = topology.topic_named(&name) {
            self.set_topic(TopicIndex(topic), &settings);
        }
        if let Some(pool) = topology.pool_named(&name) {
            self.set_pool(pool, setting, &settings);
        }
        self.release_producers();
    }

    fn set_producer(&mut self, producer: usize, setting: Setting, settings: &Settings) {
        let sender = &mut self.producers[producer];
        match setting {
            Setting::ProducerRate => sender.set_rate(self.now, settings.producer_rate),
            Setting::Arrivals | Setting::BurstSize => {
                sender.set_arrivals(self.now, settings.arrivals, settings.burst_size);
            }
            Setting::MessageBytes
            | Setting::MessagePriority
            | Setting::MessageGroups
            | Setting::MessageKeys
            | Setting::HotKey
            | Setting::Deadline => {
                sender.set_kind(message_kind(settings));
                self.has_deadlines |= settings.deadline.is_some();
            }
            Setting::Confirms
            | Setting::ConfirmLoss
            | Setting::ConfirmTimeout
            | Setting::SendAttempts
            | Setting::UnconfirmedMax
            | Setting::ShedAbove
            | Setting::ShedShare
            | Setting::ShapeLimit
            | Setting::SendPath
            | Setting::CallTimeout
            | Setting::Idempotence => sender.set_sending(self.now, SendingRules::of(settings)),
            Setting::SchemaChange | Setting::SchemaCheck => self.schemas.set(producer, settings),
            _ => return,
        }
        self.schedule_producer(producer);
    }

    pub(super) fn set_queue(&mut self, queue: usize, setting: Setting, settings: &Settings) {
        let index = QueueIndex(queue);
        if setting == Setting::DeadLetters {
            let named = dead_letters_of(&self.scenario, queue).filter(|to| *to != self.dead_letter_queue);
            let common = (settings.dead_letters == DeadLetters::Kept).then_some(self.dead_letter_queue);
            self.broker.set_dead_letters_to(index, named.or(common));
            return;
        }
        let rules = rules_of_queue(self.scenario.topology(), &self.settings, queue, settings);
        self.broker.queue_mut(index).set_rules(rules);
        self.schedule_trim(index);
        self.queue_changed(index);
    }

    pub(super) fn set_topic(&mut self, topic: TopicIndex, settings: &Settings) {
        let rules = rules_of_topic(self.scenario.topology(), &self.settings, topic.0, settings);
        *self.broker.logs.topic_mut(topic).rules_mut() = rules;
        self.schedule(Source::Retention(topic), None);
        self.topic_changed(topic);
    }

    fn set_pool(&mut self, pool: usize, setting: Setting, settings: &Settings) {
        let staff = &mut self.staffs[pool];
        let before = std::mem::replace(&mut staff.handling, Handling::of(settings));
        staff.prefetch_was_lowered |= staff.handling.most_in_hand() < before.most_in_hand();
        if staff.handling.prefetch != before.prefetch {
            self.set_prefetch(pool);
        }
        if let Supply::Group(group) = self.staffs[pool].from {
            self.broker.logs.group_mut(group).set_rules(&reading_rules(settings));
            self.group_changed(group);
        }
        let staff = &mut self.staffs[pool];
        match setting {
            Setting::ConsumerRate => self.set_consumer_rate(pool, settings.consumer_rate),
            Setting::ConsumerCount => self.set_consumer_count(pool, settings.consumer_count),
            Setting::ServiceTime | Setting::MessageWork => {
                staff.pool.set_service(settings.service_time, settings.message_work);
            }
            Setting::DrainLimit => self.set_drain_limit(pool),
            Setting::RetryBudget => staff.budget = staff.handling.full_budget(),
            Setting::Autoscale
            | Setting::ConsumerCountMin
            | Setting::ConsumerCountMax
            | Setting::AutoscaleBacklog
            | Setting::AutoscaleUtilisation
            | Setting::AutoscaleInterval
            | Setting::ScaleDownWindow => self.set_scaler(pool),
            _ => {}
        }
    }

    fn set_consumer_rate(&mut self, pool: usize, rate: Rate) {
        self.staffs[pool].pool.set_rate(self.now, rate);
        for consumer in self.staffs[pool].pool.slots() {
            self.schedule_consumer(pool, consumer);
        }
    }

    /// A pool has so many consumers from now on, whoever was about to come over to it.
    pub(super) fn set_consumer_count(&mut self, pool: usize, count: u64) {
        if self.staffs[pool].is_awaited {
            return;
        }
        self.staffs.iter_mut().for_each(|staff| staff.pool.send_nobody_over(pool));
        let from = self.staffs[pool].from;
        let before = self.staffs[pool].pool.count();
        self.staffs[pool].pool.set_count(count);
        for gone in self.staffs[pool].pool.forget_gone() {
            self.schedule_consumer(pool, gone);
        }
        let staff = &self.staffs[pool];
        let leaves = |consumer: &ConsumerIndex| !staff.pool.is_wanted(*consumer);
        let leaving: Vec<_> = staff.pool.slots().filter(leaves).collect();
        for consumer in leaving {
            if let Supply::Queue(queue) = from {
                self.broker.queue_mut(queue).unsubscribe(consumer);
            }
        }
        self.start_new(pool, before);
        self.subscribe_all(pool);
        self.dispatch(from, None);
    }

    /// The dials of a pool.
    pub(super) fn settings_of_pool(&self, pool: usize) -> &Settings {
        let name = self.scenario.topology().pool_names().nth(pool);
        let own = self.node_settings.iter().find(|(node, _)| Some(node) == name);
        own.map_or(&self.settings, |(_, settings)| settings)
    }

    /// The dial of a pool, if it has one of its own, shows how many there are.
    pub(super) fn note_count(&mut self, pool: usize, count: u64) {
        let name = self.scenario.topology().pool_names().nth(pool);
        match self.node_settings.iter_mut().find(|(node, _)| Some(node) == name) {
            Some((_, own)) => own.consumer_count = count,
            None if pool == 0 => self.settings.consumer_count = count,
            None => {}
        }
    }

    fn set_prefetch(&mut self, pool: usize) {
        let Supply::Queue(queue) = self.staffs[pool].from else { return };
        let prefetch = self.staffs[pool].handling.prefetch;
        for consumer in self.staffs[pool].pool.slots() {
            self.broker.queue_mut(queue).set_prefetch(consumer, prefetch);
        }
        self.dispatch_queue(queue, None);
    }

    fn set_downstream_rate(&mut self) {
        match (self.downstream.as_mut(), self.settings.downstream_rate) {
            (Some(downstream), rate) => downstream.set_rate(self.now, rate.unwrap_or(Rate::MAX)),
            (None, Some(rate)) => self.downstream = Some(Downstream::new(rate)),
            (None, None) => {}
        }
        self.schedule_downstream();
    }
}
