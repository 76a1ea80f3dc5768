//! Alert rules at work: on their grid, the metrics that they select are read from the run, after all
//! that happens at that instant, and judged.

use super::{Simulation, Staff};
use crate::model::alerts::metrics::{
    Metric, OfConsumers, OfGroup, OfLane, OfPartition, OfProducer, OfQueue, OfRun,
};
use crate::model::alerts::samples::SeriesIndex;
use crate::model::alerts::{AlertState, Alerts, Change};
use crate::model::broker::QueueIndex;
use crate::model::event::EventKind;
use crate::model::message::MessageId;
use crate::model::partitioned_log::Partition;
use crate::model::producer::Producer;
use crate::model::routes::GroupIndex;
use crate::model::time::Instant;
use crate::model::topology::DEAD_LETTERS;
use crate::model::work_queue::WorkQueue;

/// Where values go: those of the labels, in the order of their names, and what the metric is for them, in
/// millionths; none where it is nothing now.
type Take<'a> = dyn FnMut(&[&str], Option<i64>) + 'a;

impl Simulation {
    /// The rules, and what is pending or firing.
    #[must_use]
    pub const fn alerts(&self) -> &Alerts {
        &self.alerts
    }

    /// The run's metrics are read as far as rules select them, and the rules are judged.
    #[inline(never)]
    pub(super) fn evaluate_alerts(&mut self) {
        let mut alerts = std::mem::take(&mut self.alerts);
        for metric in alerts.metrics().collect::<Vec<_>>() {
            self.read_metric(metric.1, &mut |labels, value| alerts.take_in(self.now, metric, labels, value));
        }
        for Change { rule, series: SeriesIndex(series), from, to } in alerts.evaluate(self.now) {
            let name = MessageId::new(u16::try_from(rule).unwrap_or(u16::MAX), series as u64 + 1);
            self.journal.record(self.now, kind_of_change(from, to), name);
        }
        self.alerts = alerts;
    }

    fn read_metric(&self, metric: Metric, take: &mut Take) {
        match metric {
            Metric::Run(metric) => take(&[], self.value_of_run(metric)),
            Metric::Queue(metric) => self.each_queue(|_, name, queue| {
                take(&[name], self.value_of_queue(metric, queue));
            }),
            Metric::OldestOfProducer => self.each_queue(|_, name, queue| self.read_oldest(name, queue, take)),
            Metric::DeadLetters => self.each_queue(|index, name, queue| {
                if self.takes_in_dead_letters(index) {
                    take(&[name], Some(count(queue.ready().len())));
                }
            }),
            Metric::Producer(metric) => {
                for (node, producer) in self.scenario.topology().producers.iter().zip(&self.producers) {
                    take(&[&node.name], Some(value_of_producer(metric, producer)));
                }
            }
            Metric::Consumers(metric) => {
                for (name, staff) in self.scenario.topology().pool_names().zip(&self.staffs) {
                    take(&[name], Some(self.value_of_consumers(metric, staff)));
                }
            }
            Metric::Partition(metric) => self.read_partitions(metric, take),
            Metric::Group(metric) => self.read_groups(metric, take),
            Metric::Lane(metric) => self.read_lanes(metric, take),
        }
    }

    fn each_queue(&self, mut of: impl FnMut(QueueIndex, &str, &WorkQueue)) {
        let nodes = &self.scenario.topology().queues;
        for (index, queue) in self.broker.queues().enumerate() {
            of(QueueIndex(index), nodes.get(index).map_or(DEAD_LETTERS, |node| &node.name), queue);
        }
    }

    /// Whose messages have never been here has no series here.
    fn read_oldest(&self, queue_name: &str, queue: &WorkQueue, take: &mut Take) {
        for (index, node) in (0_u16..).zip(&self.scenario.topology().producers) {
            let oldest = queue.ready().oldest_of(index);
            take(&[queue_name, &node.name], self.age_millionths(oldest));
        }
    }

    fn read_partitions(&self, metric: OfPartition, take: &mut Take) {
        for (topic, node) in self.broker.logs.topics().iter().zip(&self.scenario.topology().topics) {
            for (number, partition) in topic.partitions().iter().enumerate() {
                let value = match metric {
                    OfPartition::LogEnd => partition.log_end_offset(),
                    OfPartition::LogStart => partition.log_start_offset(),
                };
                take(&[&node.name, &number.to_string()], Some(count(value)));
            }
        }
    }

    fn read_groups(&self, metric: OfGroup, take: &mut Take) {
        for (index, node) in self.scenario.topology().groups.iter().enumerate() {
            let value = self.value_of_group(metric, GroupIndex(index));
            let labels: [&str; 2] = [&node.name, &node.from];
            take(labels.get(..Metric::Group(metric).labels().len()).unwrap_or(&labels), value);
        }
    }

    fn read_lanes(&self, metric: OfLane, take: &mut Take) {
        for (index, node) in self.scenario.topology().groups.iter().enumerate() {
            let group = GroupIndex(index);
            for (number, partition) in (0_u32..).zip(self.broker.logs.log_of(group).partitions()) {
                let value = self.value_of_lane(metric, group, number, partition);
                take(&[&node.name, &node.from, &number.to_string()], value);
            }
        }
    }

    fn value_of_run(&self, metric: OfRun) -> Option<i64> {
        let totals = &self.totals;
        let downstream = self.downstream.as_ref();
        Some(match metric {
            OfRun::BrokerUp => count(u64::from(self.is_broker_up)),
            OfRun::BrokerMessages => count(self.broker.held()),
            OfRun::MemoryAlarm => count(u64::from(self.broker.is_memory_full())),
            OfRun::DiskAlarm => count(u64::from(self.broker.is_disk_full())),
            OfRun::Done => count(totals.done),
            OfRun::DeadLettered => count(totals.dead_lettered),
            OfRun::FailedAttempts => count(totals.failed_attempts),
            OfRun::DuplicateSideEffects => count(totals.duplicate_side_effects),
            OfRun::CallsAsked => count(downstream?.asked()),
            OfRun::CallsAnswered => count(downstream?.answered()),
            OfRun::CallsPending => count(downstream?.pending()),
        })
    }

    fn value_of_queue(&self, metric: OfQueue, queue: &WorkQueue) -> Option<i64> {
        let counts = queue.counts();
        Some(count(match metric {
            OfQueue::OldestAge => return self.age_millionths(queue.ready().oldest_accepted_at()),
            OfQueue::Ready => queue.ready().len(),
            OfQueue::Unacked => queue.in_flight(),
            OfQueue::Delayed => queue.delayed(),
            OfQueue::Published => counts.accepted,
            OfQueue::Acked => counts.done,
            OfQueue::Delivered => counts.deliveries,
            OfQueue::Redelivered => counts.redeliveries,
            OfQueue::Rejected => counts.rejected,
            OfQueue::Dropped => counts.dropped_new + counts.dropped_oldest,
            OfQueue::Expired => counts.expired,
        }))
    }

    fn value_of_consumers(&self, metric: OfConsumers, staff: &Staff) -> i64 {
        count(match metric {
            OfConsumers::Active => self.members(staff),
            OfConsumers::Wanted => staff.pool.count(),
            OfConsumers::Busy => staff.pool.busy(),
        })
    }

    fn value_of_group(&self, metric: OfGroup, index: GroupIndex) -> Option<i64> {
        let (reading, log) = (self.broker.logs.group(index), self.broker.logs.log_of(index));
        match metric {
            OfGroup::Members => Some(count(reading.group().members().len() as u64)),
            OfGroup::LagSum => Some(count(reading.offsets().lag_sum(log))),
            OfGroup::OldestUnfinished => self.age_millionths(reading.oldest_unfinished(log)),
            OfGroup::Done => Some(count(reading.counts().done)),
        }
    }

    fn value_of_lane(
        &self,
        metric: OfLane,
        index: GroupIndex,
        number: u32,
        partition: &Partition,
    ) -> Option<i64> {
        let (reading, log) = (self.broker.logs.group(index), self.broker.logs.log_of(index));
        let offsets = reading.offsets().of(number);
        match metric {
            OfLane::Committed => offsets.committed.map(count),
            OfLane::Lag => Some(offsets.lag(partition).map_or(-MILLION, count)),
            OfLane::OldestUnfinished => self.age_millionths(reading.oldest_unfinished_of(number, log)),
        }
    }

    /// Seconds since then, in millionths: microseconds.
    fn age_millionths(&self, since: Option<Instant>) -> Option<i64> {
        since.map(|since| i64::try_from(self.now.since(since).micros()).unwrap_or(i64::MAX))
    }

    /// Whether a queue is there for dead letters, for those that name it or for all others.
    pub(in crate::model) fn takes_in_dead_letters(&self, queue: QueueIndex) -> bool {
        let mut queues = (0..self.broker.queues().len()).map(QueueIndex);
        queue == self.dead_letter_queue || queues.any(|from| self.broker.dead_letters_to(from) == Some(queue))
    }
}

fn value_of_producer(metric: OfProducer, producer: &Producer) -> i64 {
    count(match metric {
        OfProducer::Offered => producer.offered(),
        OfProducer::Sent => producer.offered() - producer.held_back(),
        OfProducer::HeldBack => producer.held_back(),
        OfProducer::Blocked => u64::from(producer.is_blocked()),
    })
}

const fn kind_of_change(from: AlertState, to: AlertState) -> EventKind {
    match (from, to) {
        (_, AlertState::Pending) => EventKind::AlertPending,
        (_, AlertState::Firing) => EventKind::AlertFiring,
        (AlertState::Firing, AlertState::Inactive) => EventKind::AlertResolved,
        (_, AlertState::Inactive) => EventKind::AlertPassed,
    }
}

const MILLION: i64 = 1_000_000;

/// A count in millionths.
fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(MILLION)
}
