//! Taking a snapshot of a simulation.

mod alerts;
mod dead_records;
mod failures;
mod logs;
mod network;

use super::consumer::{ConsumerPool, Health};
use super::outlook::{Outlook, OutlookInput};
use super::producer::Producer;
use super::rate::Rate;
use super::settings::{Bound, OverflowPolicy, ServiceTime};
use super::simulation::{QUEUE, Simulation, Staff};
use super::snapshot::{
    BrokerSnapshot, ConsumerHealth, ConsumerSnapshot, ConsumersSnapshot, FIRST_IN_LINE_MAX, ProducerSnapshot,
    QueueSnapshot, Snapshot, WorkSnapshot,
};
use super::time::Span;
use super::work_queue::ConsumerIndex;

impl Simulation {
    /// What the model says now. Take it when [`Self::is_complete`].
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            at: self.now(),
            seed: self.settings.seed,
            ledger: self.ledger(),
            producer: self.producer_snapshot(),
            queue: self.queue_snapshot(),
            consumers: self.consumers_snapshot(),
            broker: BrokerSnapshot {
                held: self.broker.held(),
                memory: self.broker.memory(),
                memory_alarm: self.broker.is_memory_full(),
                held_bytes: self.broker.held_bytes(),
                disk: self.broker.disk(),
                disk_alarm: self.broker.is_disk_full(),
                state: self.broker_state(),
            },
            flow: self.stats.flow(),
            waiting_time_recent: self.stats.waiting_time_recent(),
            waiting_time_overall: self.stats.waiting_time_overall(),
            outlook: self.outlook(),
            network: self.network_snapshot(),
            failures: self.failures_snapshot(),
        }
    }

    /// The producer that the dials move.
    pub(super) fn producer(&self) -> &Producer {
        &self.producers[0]
    }

    /// The pool that the dials move.
    pub(super) fn pool(&self) -> &ConsumerPool {
        &self.staffs[0].pool
    }

    fn producer_snapshot(&self) -> ProducerSnapshot {
        let pace = self.producer().pace();
        ProducerSnapshot {
            name: first_name(self.scenario().topology().producers.first().map(|node| &node.name)),
            rate: pace.rate,
            arrivals: pace.arrivals,
            burst_size: pace.burst_size,
            blocked_by: self.blocked_by(),
            held_back: self.producer().held_back(),
            next_arrival_in: self.producer().next_arrival().map(|at| at.since(self.now())),
            gap_done_millionths: self.producer().gap_done_millionths(self.now()),
        }
    }

    fn queue_snapshot(&self) -> QueueSnapshot {
        let queue = self.broker.queue(QUEUE);
        let ready = queue.ready();
        QueueSnapshot {
            name: first_name(self.scenario().topology().queues.first().map(|node| &node.name)),
            waiting: ready.len(),
            bound: queue.bound(),
            overflow: queue.overflow_policy(),
            oldest_age: ready.oldest_accepted_at().map(|accepted_at| self.now().since(accepted_at)),
            newcomer_wait: self.newcomer_wait(),
            first_in_line: ready.iter().take(FIRST_IN_LINE_MAX).map(|message| message.id.number()).collect(),
            recent_losses: self.stats.recent_losses(),
        }
    }

    fn consumers_snapshot(&self) -> ConsumersSnapshot {
        let here = |consumer: &ConsumerIndex| {
            self.pool().is_wanted(*consumer) || self.pool().job(*consumer).is_some()
        };
        ConsumersSnapshot {
            name: first_name(self.scenario().topology().pool_names().next()),
            rate_each: self.pool().rate(),
            count: self.pool().count(),
            service_time: self.pool().service_time(),
            members: self.members(&self.staffs[0]),
            each: self.pool().slots().filter(here).map(|consumer| self.consumer_snapshot(consumer)).collect(),
            utilisation_recent_millionths: self.stats.utilisation_recent_millionths(self.now()),
            recent_finishes: self.stats.recent_finishes(),
        }
    }

    fn consumer_snapshot(&self, consumer: ConsumerIndex) -> ConsumerSnapshot {
        let work = self.pool().job(consumer).map(|job| WorkSnapshot {
            number: job.id.number(),
            done_millionths: job.done_millionths(self.now(), self.pool().rate()),
            finishes_in: self.finishes_in(consumer),
            attempt: job.start,
            is_poison: self.is_at_poison(job),
        });
        let health = self.consumer_health(&self.staffs[0], consumer);
        ConsumerSnapshot { work, is_stopping: !self.pool().is_wanted(consumer), health }
    }

    pub(super) fn consumer_health(&self, staff: &Staff, consumer: ConsumerIndex) -> ConsumerHealth {
        match staff.pool.health(consumer) {
            _ if staff.pool.is_looping(consumer) => ConsumerHealth::CrashLoop,
            Health::Up if staff.is_stopped && !staff.pool.has_work(consumer) => ConsumerHealth::Stopped,
            Health::Up => ConsumerHealth::Up,
            Health::Down => ConsumerHealth::Crashed,
            Health::Hung => ConsumerHealth::Hung,
            Health::Starting => ConsumerHealth::Starting,
        }
    }

    /// How many consumers of a pool are alive and connected.
    pub(super) fn members(&self, staff: &Staff) -> u64 {
        let is_member = |consumer: &ConsumerIndex| {
            let is_here = staff.pool.is_wanted(*consumer) || staff.pool.is_busy(*consumer);
            let health = self.consumer_health(staff, *consumer);
            is_here && matches!(health, ConsumerHealth::Up | ConsumerHealth::Hung)
        };
        staff.pool.slots().filter(is_member).count() as u64
    }

    fn finishes_in(&self, consumer: ConsumerIndex) -> Option<Span> {
        self.pool().finish_at(consumer).map(|at| at.since(self.now()))
    }

    fn outlook(&self) -> Outlook {
        Outlook::of(&OutlookInput {
            arrivals: self.producer().rate(),
            capacity: self.capacity(),
            waiting: self.ledger().waiting,
            held_back: self.producer().held_back(),
            in_flight: self.ledger().in_flight,
            bound: self.settings.queue_bound,
            memory: self.broker.memory(),
        })
    }

    fn capacity(&self) -> Rate {
        self.pool().rate().times(self.pool().count())
    }

    /// How long a message accepted now would wait. With fixed work it is exact: the consumers
    /// take turns in the order in which they become free. With exponential work it is the mean:
    /// so many finishes away, each 1/(cμ) apart.
    fn newcomer_wait(&self) -> Option<Span> {
        let queue = self.broker.queue(QUEUE);
        if queue.consumers_with_room() > 0 {
            return Some(Span::ZERO);
        }
        let waiting = queue.ready().len();
        if self.is_pushed_along() {
            return self.producer().rate().time_for_messages(waiting);
        }
        match self.pool().service_time() {
            ServiceTime::Exponential | ServiceTime::LogNormal => {
                self.capacity().time_for_messages(waiting + 1)
            }
            ServiceTime::Fixed => self.newcomer_wait_fixed(waiting),
        }
    }

    /// Whether each arrival pushes the oldest out of a full line, which then moves as fast as
    /// messages arrive, not as fast as they are finished.
    fn is_pushed_along(&self) -> bool {
        let queue = self.broker.queue(QUEUE);
        queue.overflow_policy() == OverflowPolicy::DropOldest
            && queue.bound() == Bound::Messages(queue.ready().len())
            && self.producer().rate() > self.capacity()
    }

    #[inline(never)]
    pub(super) fn newcomer_wait_fixed(&self, waiting: u64) -> Option<Span> {
        let wanted = self.pool().slots().filter(|consumer| self.pool().is_wanted(*consumer));
        let free_in: Vec<Span> = wanted.filter_map(|consumer| self.finishes_in(consumer)).collect();
        let turns = waiting.checked_div(free_in.len() as u64)?;
        let turn = usize::try_from(waiting % free_in.len() as u64).ok()?;
        Some(nth_smallest(&free_in, turn)? + self.pool().rate().time_for_messages(turns)?)
    }
}

/// The value that would stand at `index` if `spans` were sorted. There are at most 64 of them, so
/// counting is as quick as sorting.
#[inline(never)]
fn nth_smallest(spans: &[Span], index: usize) -> Option<Span> {
    let smaller = |span: &Span| spans.iter().filter(|other| *other < span).count();
    let up_to = |span: &Span| spans.iter().filter(|other| *other <= span).count();
    spans.iter().copied().find(|span| smaller(span) <= index && index < up_to(span))
}

fn first_name(name: Option<&String>) -> String {
    name.cloned().unwrap_or_default()
}
