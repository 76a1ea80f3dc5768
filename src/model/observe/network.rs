//! All nodes of a run, as its snapshot names them.

use super::super::autoscaler::Autoscaler;
use super::super::broker::QueueIndex;
use super::super::message::{Death, Message};
use super::super::producer::outbox::Outbox;
use super::super::retry::AttemptsCap;
use super::super::routes::{Role, Supply, Target};
use super::super::settings::SendPath;
use super::super::simulation::Simulation;
use super::super::snapshot::network::{
    DEAD_LETTERS_MAX, DeadLetterSnapshot, DeathSnapshot, DownstreamSnapshot, LineSnapshot, NetworkSnapshot,
    PoolSnapshot, SenderSnapshot,
};
use super::super::topology::DEAD_LETTERS;

impl Simulation {
    pub(super) fn network_snapshot(&self) -> NetworkSnapshot {
        let shared = self.downstream().map(|downstream| DownstreamSnapshot {
            rate: self.settings.downstream_rate,
            asked: downstream.asked(),
            answered: downstream.answered(),
            pending: downstream.pending(),
        });
        NetworkSnapshot {
            producers: self.sender_snapshots(),
            queues: self.line_snapshots(),
            pools: self.pool_snapshots(),
            dead_letters: self.dead_letter_snapshots(),
            downstream: shared,
            totals: *self.totals(),
            topics: self.topic_snapshots(),
            groups: self.group_snapshots(),
            alerts: self.alert_snapshots(),
        }
    }

    fn sender_snapshots(&self) -> Vec<SenderSnapshot> {
        let nodes = self.scenario().topology().producers.iter().zip(&self.producers);
        let sender = nodes.enumerate().map(|(place, (node, producer))| SenderSnapshot {
            name: node.name.clone(),
            to: match producer.target() {
                Target::Queue(queue) => self.queue_name(queue),
                Target::Topic(topic) => self.topic_name(topic),
            },
            rate: producer.rate(),
            offered: producer.offered(),
            held_back: producer.held_back(),
            is_blocked: producer.is_blocked(),
            sent: producer.offered() - producer.held_back(),
            shape_limit: producer.outbox().and_then(|outbox| outbox.rules().shape_limit),
            shaped: producer.outbox().map_or(0, Outbox::shaped),
            unconfirmed: producer.outbox().map_or(0, Outbox::unconfirmed),
            path: producer.outbox().map_or(SendPath::Queue, |outbox| outbox.rules().path),
            calls: producer.outbox().map(|outbox| outbox.calls).unwrap_or_default(),
            schema: self.schemas.of_producer(place),
            like: Some(self.scenario().topology().origin_of(place)).filter(|origin| *origin != place),
        });
        sender.collect()
    }

    fn line_snapshots(&self) -> Vec<LineSnapshot> {
        let line = self.broker.queues().enumerate().map(|(index, queue)| LineSnapshot {
            name: self.queue_name(QueueIndex(index)),
            waiting: queue.ready().len(),
            in_flight: queue.in_flight(),
            delayed: queue.delayed(),
            oldest_age: queue.ready().oldest_accepted_at().map(|accepted_at| self.now().since(accepted_at)),
            deliveries: queue.counts().deliveries,
            redeliveries: queue.counts().redeliveries,
        });
        line.collect()
    }

    fn pool_snapshots(&self) -> Vec<PoolSnapshot> {
        let nodes = self.scenario().topology().pool_names().zip(&self.staffs);
        let pool = nodes.map(|(name, staff)| PoolSnapshot {
            name: name.clone(),
            from: match staff.from {
                Supply::Queue(queue) => self.queue_name(queue),
                Supply::Group(group) => self.topic_name(self.broker.logs.group(group).topic()),
            },
            count: staff.pool.count(),
            members: self.members(staff),
            busy: staff.pool.busy(),
            rate_each: staff.pool.rate(),
            is_stopped: staff.is_stopped,
            restart_after: staff.handling.restart_after,
            attempts_max: match staff.handling.retry.attempts {
                AttemptsCap::AtMost(most) => Some(most.max(1)),
                AttemptsCap::Endless => None,
            },
            retries_left: staff.budget.left(self.now()),
            scaling: staff.scaler.as_ref().and_then(Autoscaler::decision),
            schema: staff.pool.reads_by(),
            unreadable: staff.unreadable,
            finished: staff.finished,
        });
        pool.collect()
    }

    /// The first messages of each queue that takes in dead letters, if they are such.
    fn dead_letter_snapshots(&self) -> Vec<DeadLetterSnapshot> {
        let queues = (0..self.broker.queues().len()).map(QueueIndex);
        let takes_in = |queue: &QueueIndex| self.takes_in_dead_letters(*queue);
        let dead_letters = queues.filter(takes_in).flat_map(|queue| {
            let first = self.broker.queue(queue).ready().iter().take(DEAD_LETTERS_MAX);
            first.filter_map(move |message| self.dead_letter_snapshot(queue, message))
        });
        let has_topics = !self.broker.logs.topics().is_empty();
        let of_topics = if has_topics { self.topic_dead_letters() } else { Vec::new() };
        dead_letters.chain(of_topics).take(DEAD_LETTERS_MAX).collect()
    }

    #[inline(never)]
    fn dead_letter_snapshot(&self, queue: QueueIndex, message: &Message) -> Option<DeadLetterSnapshot> {
        let deaths = &message.past()?.deaths;
        let sender = usize::from(message.id.producer_index());
        let producer = self.scenario().topology().producers.get(sender);
        Some(DeadLetterSnapshot {
            queue: self.queue_name(queue),
            producer: producer.map(|node| node.name.clone()).unwrap_or_default(),
            number: message.id.number(),
            key: self.producers.get(sender).and_then(|producer| producer.key(message.id)),
            place: None,
            reason: deaths.first()?.reason,
            attempts: self.records.get(message.id, Role::FIRST).map_or(0, |record| record.starts),
            age: self.now().since(message.accepted_at),
            history: deaths.iter().map(|death| self.death_snapshot(death)).collect(),
        })
    }

    fn death_snapshot(&self, death: &Death) -> DeathSnapshot {
        let queue = self.queue_name(death.queue);
        DeathSnapshot { queue, reason: death.reason, count: death.count, at: death.at }
    }

    /// The queue behind those of the topology is the common one for dead letters.
    pub(super) fn queue_name(&self, queue: QueueIndex) -> String {
        let node = self.scenario().topology().queues.get(queue.0);
        node.map_or(DEAD_LETTERS, |node| &node.name).to_owned()
    }
}
