//! From a scenario to a run at its start.

use std::collections::VecDeque;
use std::rc::Rc;

use super::keeping::{rules_of_common, rules_of_queue, rules_of_topic};
use super::slots::{POOL_SLOTS, Slots};
use super::{Simulation, Staff, Totals};
use crate::model::agenda::Agenda;
use crate::model::alerts::Alerts;
use crate::model::broker::logs::Logs;
use crate::model::broker::{Broker, QueueIndex};
use crate::model::calls::Calls;
use crate::model::consumer::ConsumerPool;
use crate::model::consumer_status::watch::GroupWatch;
use crate::model::downstream::Downstream;
use crate::model::event::Journal;
use crate::model::fate::Fates;
use crate::model::gate::Gate;
use crate::model::group::reading::Reading;
use crate::model::handling::{Handling, reading_rules};
use crate::model::message::Properties;
use crate::model::partitioned_log::PartitionedLog;
use crate::model::producer::outbox::SendingRules;
use crate::model::producer::{MessageKind, Producer, ProducerPace};
use crate::model::records::Records;
use crate::model::ring::Ring;
use crate::model::rng::{Draws, Purpose};
use crate::model::routes::{GroupIndex, Role, Supply, Target, TopicIndex};
use crate::model::scenario::Scenario;
use crate::model::schema::Schemas;
use crate::model::series::lags::GroupLags;
use crate::model::settings::{DeadLetters, Settings};
use crate::model::stats::Stats;
use crate::model::time::{Instant, NEVER};
use crate::model::work_queue::WorkQueue;

impl Simulation {
    /// A run at its start. Scripted commands of the start are applied by the first
    /// [`Self::advance_to`].
    #[must_use]
    pub fn new(scenario: Rc<Scenario>) -> Self {
        let settings = scenario.settings.clone();
        let broker = broker_of(&scenario);
        let queues = broker.queues().len();
        let topology = scenario.topology();
        let pools = topology.pool_names().count();
        let slots = Slots::new(pools, queues, topology.producers.len())
            .with_logs(topology.topics.len(), topology.groups.len());
        let mut simulation = Self {
            producers: producers_of(&scenario),
            staffs: staffs_of(&scenario),
            downstream: settings.downstream_rate.map(Downstream::new),
            fates: Fates::new(settings.seed),
            schemas: Schemas::of(topology.producers.iter().map(|node| scenario.settings_of(&node.name))),
            jitter: Draws::new(settings.seed, Purpose::RetryJitter),
            records: Records::default(),
            agenda: Agenda::new(slots.len()),
            slots,
            dead_letter_queue: QueueIndex(queues - 1),
            is_broker_up: true,
            queues_split: 0,
            failing_over_until: None,
            calls: Calls::default(),
            deliveries_may_be_lost: false,
            has_meters: false,
            has_deadlines: false,
            totals: Totals::default(),
            watches: vec![GroupWatch::default(); topology.groups.len()].into_boxed_slice(),
            lags: vec![GroupLags::default(); topology.groups.len()].into_boxed_slice(),
            stats: Stats::default(),
            journal: Journal::default(),
            command_log: Ring::keeping_all(),
            waiting_commands: VecDeque::new(),
            scripted_commands_done: 0,
            now: Instant::START,
            complete_at: Instant::START,
            next_second: Instant::from_seconds(1),
            next_halt: NEVER,
            alerts: alerts_of(&scenario),
            followed: None,
            is_plain: false,
            are_logs_plain: false,
            takes_shortcuts: true,
            is_counted: false,
            is_common: false,
            room: 0,
            node_settings: scenario.node_settings().to_vec(),
            settings,
            broker,
            scenario,
        };
        (0..simulation.staffs.len()).for_each(|pool| {
            simulation.set_scaler(pool);
            simulation.subscribe_all(pool);
        });
        simulation.open_groups();
        if !simulation.watches.is_empty() {
            simulation.watch_groups();
        }
        simulation.has_deadlines =
            simulation.producers.iter().any(|producer| producer.kind().properties.deadline.is_some());
        (0..simulation.producers.len()).for_each(|producer| simulation.schedule_producer(producer));
        simulation.note_next_halt();
        simulation.renew_plainness();
        simulation.settle();
        simulation
    }
}

impl Simulation {
    /// The groups give out their partitions for the first time.
    fn open_groups(&mut self) {
        for topic in 0..self.broker.logs.topics().len() {
            self.topic_changed(TopicIndex(topic));
        }
        for group in 0..self.broker.logs.groups().len() {
            self.dispatch(Supply::Group(GroupIndex(group)), None);
        }
    }
}

fn alerts_of(scenario: &Scenario) -> Option<Box<Alerts>> {
    let rules = scenario.alerts();
    (!rules.rules().is_empty()).then(|| Box::new(Alerts::of(rules)))
}

/// All queues of the topology, and one for the dead letters of those that name no other.
fn broker_of(scenario: &Scenario) -> Broker {
    let topology = scenario.topology();
    let run = &scenario.settings;
    let rules = topology
        .queues
        .iter()
        .enumerate()
        .map(|(index, node)| rules_of_queue(topology, run, index, scenario.settings_of(&node.name)));
    let queues = rules.map(WorkQueue::new);
    let dead_letters = WorkQueue::new(rules_of_common(run));
    let mut broker = Broker::new(queues.chain([dead_letters]).collect(), scenario.settings.broker_memory);
    broker.set_disk(scenario.settings.broker_disk);
    for index in 0..topology.queues.len() {
        broker.set_dead_letters_to(QueueIndex(index), dead_letters_of(scenario, index));
    }
    if !topology.topics.is_empty() {
        broker.logs = logs_of(scenario);
    }
    broker
}

/// All topics of the topology, and the groups that read them. A first screen has none, and does not
/// load this.
#[inline(never)]
fn logs_of(scenario: &Scenario) -> Logs {
    let topology = scenario.topology();
    let topics = topology.topics.iter().enumerate().map(|(index, node)| {
        let settings = scenario.settings_of(&node.name);
        let partitions = u32::try_from(settings.partitions).unwrap_or(u32::MAX);
        let log =
            PartitionedLog::new(rules_of_topic(topology, &scenario.settings, index, settings), partitions);
        if topology.takes_passed_on(index) { log.telling_deleted() } else { log }
    });
    let topics: Vec<PartitionedLog> = topics.collect();
    let groups = topology.groups.iter().enumerate().map(|(index, node)| {
        let topic = topology.topic_named(&node.from).unwrap_or_default();
        let partitions = topics.get(topic).map_or(0, PartitionedLog::partition_count);
        let rules = reading_rules(scenario.settings_of(&node.name));
        let reading = Reading::new(TopicIndex(topic), partitions, &rules, node.joins_later);
        reading.with_draws(Draws::new(scenario.settings.seed, Purpose::CommitFailure), GroupIndex(index))
    });
    let groups = groups.collect();
    Logs::new(topics, groups)
}

/// Where the dead letters of a queue go: to the queue it names, or to the common one if they are
/// kept.
pub(super) fn dead_letters_of(scenario: &Scenario, queue: usize) -> Option<QueueIndex> {
    let queues = &scenario.topology().queues;
    let node = queues.get(queue)?;
    if let Some(name) = &node.dead_letters_to {
        return queues.iter().position(|other| &other.name == name).map(QueueIndex);
    }
    let are_kept = scenario.settings_of(&node.name).dead_letters == DeadLetters::Kept;
    are_kept.then_some(QueueIndex(queues.len()))
}

fn producers_of(scenario: &Scenario) -> Box<[Producer]> {
    let topology = scenario.topology();
    let nodes = (0_u16..).zip(&topology.producers);
    let producer = |(index, node): (u16, &crate::model::topology::ProducerNode)| {
        let settings = scenario.settings_of(&node.name);
        let pace = ProducerPace {
            rate: settings.producer_rate,
            arrivals: settings.arrivals,
            burst_size: settings.burst_size,
        };
        let to = match topology.topic_named(&node.to) {
            Some(topic) => Target::Topic(TopicIndex(topic)),
            None => Target::Queue(QueueIndex(topology.queue_named(&node.to).unwrap_or_default())),
        };
        let origin = u16::try_from(topology.origin_of(usize::from(index))).unwrap_or(index);
        let mut producer = Producer::new(index, origin, to, pace, scenario.settings.seed);
        producer.set_kind(message_kind(settings));
        producer.set_sending(Instant::START, SendingRules::of(settings));
        producer
    };
    nodes.map(producer).collect()
}

/// What the messages of a producer with these settings are like.
pub(super) fn message_kind(settings: &Settings) -> MessageKind {
    let properties = Properties {
        bytes: settings.message_bytes,
        priority: u8::try_from(settings.message_priority).unwrap_or(u8::MAX),
        deadline: settings.deadline,
        ..Properties::default()
    };
    MessageKind {
        properties,
        group_count: settings.message_groups,
        key_count: settings.message_keys,
        hot_share: settings.hot_key_share,
    }
}

/// The pools of queues, and behind them those of groups.
fn staffs_of(scenario: &Scenario) -> Box<[Staff]> {
    let topology = scenario.topology();
    let draws = Draws::new(scenario.settings.seed, Purpose::ServiceTime);
    let of_queues = topology.consumers.iter().map(|node| {
        let queue = topology.queue_named(&node.from).unwrap_or_default();
        let is_split_off = topology.queues.get(queue).is_some_and(|node| node.split_from.is_some());
        (&node.name, Supply::Queue(QueueIndex(queue)), is_split_off || node.joins_later)
    });
    let groups = topology.groups.iter().enumerate();
    let of_groups =
        groups.map(|(index, node)| (&node.name, Supply::Group(GroupIndex(index)), node.joins_later));
    let staff = |(index, (name, from, is_awaited)): (u32, (&String, Supply, bool))| {
        let settings = scenario.settings_of(name);
        let count = if is_awaited { 0 } else { settings.consumer_count };
        let rate = settings.consumer_rate;
        let mut pool = ConsumerPool::new(index * POOL_SLOTS, rate, count, settings.service_time, draws);
        pool.set_service(settings.service_time, settings.message_work);
        pool.set_role(from.group().map_or(Role::FIRST, |group| topology.role_of_group(group.0)));
        let handling = Handling::of(settings);
        Staff {
            pool,
            from,
            handling,
            budget: handling.full_budget(),
            is_stopped: false,
            is_awaited,
            reads_retries: from.group().is_some_and(|group| topology.reads_retries(group.0)),
            prefetch_was_lowered: false,
            gate: Gate::new(settings.drain_limit),
            scaler: None,
            meter: None,
            unreadable: 0,
            finished: 0,
        }
    };
    (0_u32..).zip(of_queues.chain(of_groups)).map(staff).collect()
}
