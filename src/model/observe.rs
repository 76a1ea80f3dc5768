//! Taking a snapshot of a simulation.

mod alerts;
mod dead_records;
mod failures;
mod logs;
mod network;

use super::consumer::{ConsumerPool, Health, Job};
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
        let first = &self.staffs[0];
        ConsumersSnapshot {
            name: first_name(self.scenario().topology().pool_names().next()),
            rate_each: self.pool().rate(),
            count: self.pool().count(),
            service_time: self.pool().service_time(),
            members: self.members(first),
            each: self.consumers_of(first).collect(),
            of_further_pools: if self.staffs.len() > 1 { self.consumers_beside(first) } else { Vec::new() },
            utilisation_recent_millionths: self.stats.utilisation_recent_millionths(self.now()),
            recent_finishes: self.stats.recent_finishes(),
        }
    }

    /// The consumers of a pool that are here, stopping ones last.
    fn consumers_of<'a>(&'a self, staff: &'a Staff) -> impl Iterator<Item = ConsumerSnapshot> + 'a {
        here(staff).map(|consumer| self.consumer_snapshot(staff, consumer))
    }

    #[inline(never)]
    fn consumers_beside(&self, first: &Staff) -> Vec<ConsumerSnapshot> {
        self.staffs_beside(first).flat_map(|staff| self.consumers_of(staff)).collect()
    }

    /// Further pools that take from the same queue as the first.
    fn staffs_beside<'a>(&'a self, first: &'a Staff) -> impl Iterator<Item = &'a Staff> {
        let is_of_queue = first.from.queue().is_some();
        self.staffs.iter().skip(1).filter(move |staff| is_of_queue && staff.from == first.from)
    }

    /// What the consumers have in hand, in the order of [`ConsumersSnapshot::of_queue`].
    pub(super) fn jobs_of_queue(&self) -> impl Iterator<Item = Option<&Job>> {
        let first = &self.staffs[0];
        let staffs = [first].into_iter().chain(self.staffs_beside(first));
        staffs.flat_map(|staff| here(staff).map(|consumer| staff.pool.job(consumer)))
    }

    fn consumer_snapshot(&self, staff: &Staff, consumer: ConsumerIndex) -> ConsumerSnapshot {
        let work = staff.pool.job(consumer).map(|job| WorkSnapshot {
            number: job.id.number(),
            done_millionths: job.done_millionths(self.now(), staff.pool.rate()),
            finishes_in: staff.pool.finish_at(consumer).map(|at| at.since(self.now())),
            attempt: job.start,
            is_poison: self.is_at_poison(job),
        });
        let health = self.consumer_health(staff, consumer);
        ConsumerSnapshot { work, is_stopping: !staff.pool.is_wanted(consumer), health }
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
        let free_at = wanted.filter_map(|consumer| self.pool().finish_at(consumer));
        let free_in: Vec<Span> = free_at.map(|at| at.since(self.now())).collect();
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

/// The consumers of a pool that are here, stopping ones last.
fn here(staff: &Staff) -> impl Iterator<Item = ConsumerIndex> {
    let pool = &staff.pool;
    pool.slots().filter(|consumer| pool.is_wanted(*consumer) || pool.job(*consumer).is_some())
}

fn first_name(name: Option<&String>) -> String {
    name.cloned().unwrap_or_default()
}
