//! A queue that several share is split while it runs.
//!
//! Who was in line stays in line, and is served by the consumers who stay. New messages go to
//! queues of their own, and consumers go over to these: a consumer finishes what it has in hand
//! where it took it, and takes from its new queue when its hands are empty.

use super::Simulation;
use crate::model::broker::QueueIndex;
use crate::model::command::{Command, CommandRefused};
use crate::model::event::EventKind;
use crate::model::message::MessageId;
use crate::model::rate::Work;
use crate::model::routes::{Supply, Target};
use crate::model::topology::Topology;
use crate::model::work_queue::ConsumerIndex;

/// A pool of a queue that is split off.
struct Part {
    pool: usize,
    /// The pool that its consumers come from; none: they are additional ones.
    source: Option<usize>,
    /// How many its dial asks for.
    asked: u64,
}

impl Simulation {
    /// Whether the command can be applied to the run as it is now.
    ///
    /// # Errors
    /// Says why it cannot.
    pub fn check(&self, command: &Command) -> Result<(), CommandRefused> {
        command.check()?;
        match command {
            Command::SplitQueues { queue } => self.check_split(*queue),
            Command::SetAlertRule { rule, .. } if self.alerts().rules().nth(usize::from(*rule)).is_none() => {
                Err(CommandRefused::NoSuchAlertRule)
            }
            Command::ChangeSchema { producer } => self.check_schema_change(usize::from(*producer)),
            Command::UpgradeReaders { pool } => self.check_upgrade(usize::from(*pool)),
            other => self.check_log_command(other),
        }
    }

    fn check_split(&self, queue: QueueIndex) -> Result<(), CommandRefused> {
        let topology = self.scenario.topology();
        if !(0..topology.queues.len()).any(|part| topology.is_split_off(part, queue.0)) {
            return Err(CommandRefused::NothingToSplit);
        }
        if self.queues_split & bit_of(queue) != 0 { Err(CommandRefused::SplitAlready) } else { Ok(()) }
    }

    /// The queues that are declared to be split off from this one are from now on. A queue is split
    /// once: a command that comes when it has been does nothing.
    pub(super) fn split(&mut self, queue: QueueIndex) {
        if self.check_split(queue).is_err() {
            return;
        }
        self.queues_split |= bit_of(queue);
        let name = MessageId::new(u16::try_from(queue.0).unwrap_or_default(), 0);
        self.journal.record(self.now, EventKind::QueueSplit, name);
        let scenario = self.scenario.clone();
        let topology = scenario.topology();
        self.route_apart(topology, queue);
        let is_of_part = |pool: &usize| {
            let own = self.staffs[*pool].from.queue();
            own.is_some_and(|own| topology.is_split_off(own.0, queue.0))
        };
        let pools = (0..self.staffs.len()).filter(is_of_part);
        let parts: Vec<Part> = pools.map(|pool| self.part(topology, pool)).collect();
        for part in &parts {
            self.staffs[part.pool].is_awaited = false;
            self.upgrade_as(part.source, part.pool);
        }
        for source in 0..self.staffs.len() {
            self.send_over(source, parts.iter().filter(|part| part.source == Some(source)));
        }
        parts.iter().for_each(|part| self.open_pool(part));
        self.release_producers();
    }

    /// The producers that send to the queue send to their own from now on. What one of them holds
    /// because there was no room was not in line: it goes with it.
    fn route_apart(&mut self, topology: &Topology, queue: QueueIndex) {
        for (node, producer) in topology.producers.iter().zip(&mut self.producers) {
            let part = node.split_to.as_ref().and_then(|name| topology.queue_named(name));
            if let Some(part) = part.filter(|_| producer.target() == Target::Queue(queue)) {
                producer.set_target(Target::Queue(QueueIndex(part)));
            }
        }
    }

    fn part(&self, topology: &Topology, pool: usize) -> Part {
        let named = topology.consumers.get(pool).and_then(|node| node.split_from.as_ref());
        let source = named.and_then(|name| topology.consumers.iter().position(|node| &node.name == name));
        Part { pool, source, asked: self.settings_of_pool(pool).consumer_count }
    }

    /// The last consumers of the pool `source` go over to the pools of `parts`, as many to each as it
    /// asks for, in this order; one at least stays.
    fn send_over<'a>(&mut self, source: usize, parts: impl Iterator<Item = &'a Part>) {
        let mut spare = self.staffs[source].pool.count().saturating_sub(1);
        let mut leaving = Vec::new();
        for part in parts {
            let count = part.asked.min(spare);
            spare -= count;
            leaving.push((part.pool, count));
            self.note_count(part.pool, count);
        }
        if leaving.is_empty() {
            return;
        }
        let mut first = spare + 1;
        for (pool, count) in leaving {
            let to = u16::try_from(pool).unwrap_or_default();
            self.staffs[source].pool.send_over(first..first + count, to);
            first += count;
        }
        self.set_consumer_count(source, spare + 1);
        self.note_count(source, spare + 1);
        for consumer in self.staffs[source].pool.slots() {
            self.go_over(source, consumer);
        }
    }

    /// The consumers of a queue that has just been split off begin: those that have come over, or
    /// additional ones.
    fn open_pool(&mut self, part: &Part) {
        if part.source.is_none() {
            self.set_consumer_count(part.pool, part.asked);
        }
        self.set_scaler(part.pool);
        self.subscribe_all(part.pool);
        self.dispatch(self.staffs[part.pool].from, None);
    }

    /// A consumer that has nothing in hand goes over to its new pool, if it is about to. Returns its
    /// pool and its name from now on; whether it takes messages there is left to the caller.
    pub(super) fn go_over(&mut self, pool: usize, consumer: ConsumerIndex) -> (usize, ConsumerIndex) {
        if self.staffs[pool].pool.may_go_over(consumer) {
            self.leave(pool, consumer)
        } else {
            (pool, consumer)
        }
    }

    fn leave(&mut self, pool: usize, consumer: ConsumerIndex) -> (usize, ConsumerIndex) {
        let Some(traveller) = self.staffs[pool].pool.leave(consumer) else { return (pool, consumer) };
        self.schedule_consumer(pool, consumer);
        let arrived = self.staffs[traveller.to].pool.take_in(&traveller);
        self.schedule_consumer(traveller.to, arrived);
        self.record_of_consumer(EventKind::WentOver, arrived);
        (traveller.to, arrived)
    }

    /// A consumer with empty hands takes the next message: of the queue where it has just finished,
    /// or, where it goes over, of its new one, within the same microsecond.
    pub(super) fn take_next(&mut self, pool: usize, consumer: ConsumerIndex, excess: Work) {
        let (there, successor) = self.go_over(pool, consumer);
        self.dispatch(self.staffs[pool].from, Some((consumer, excess)));
        if there != pool {
            if let Supply::Queue(queue) = self.staffs[there].from {
                self.serve_callers(queue, Some((successor, excess)));
            }
            self.subscribe_all(there);
            self.dispatch(self.staffs[there].from, Some((successor, excess)));
        }
    }
}

/// Its bit among the queues that have been split. A queue that is not there has none.
fn bit_of(queue: QueueIndex) -> u32 {
    u32::try_from(queue.0).ok().and_then(|place| 1_u32.checked_shl(place)).unwrap_or_default()
}
