//! What must hold at every complete instant, checked by counting again.
//!
//! Debug builds check after every instant; tests check wherever they like. Nothing here reads a
//! counter where it can count the things themselves.

mod logs;

use super::agenda::Agenda;
use super::autoscaler::Autoscaler;
use super::broker::QueueIndex;
use super::calls::{Call, CallStage};
use super::downstream::Downstream;
use super::message::MessageId;
use super::producer::Producer;
use super::producer::outbox::Outbox;
use super::routes::{GroupIndex, Supply, TopicIndex};
use super::simulation::{Simulation, Source, Staff};
use super::time::Instant;
use super::work_queue::{ConsumerIndex, NOBODY, WorkQueue};

/// A rule that does not hold, with the numbers that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Offered is not the sum of the places where messages are.
    LedgerDoesNotBalance {
        /// Messages offered.
        offered: u64,
        /// Messages found.
        accounted: u64,
    },
    /// A counter differs from what its container holds.
    CountDiffers {
        /// Which: `waiting` or `in_flight`.
        what: &'static str,
        /// What the counter says.
        counted: u64,
        /// What the container holds.
        held: u64,
    },
    /// A message waits although a consumer has nothing.
    ConsumerIdleWhileMessagesWait {
        /// Messages waiting.
        waiting: u64,
        /// Consumers that have nothing.
        free: u64,
    },
    /// A consumer holds more unacknowledged messages than it may.
    MoreThanPrefetch {
        /// Which consumer.
        consumer: u32,
        /// How many it holds.
        held: u32,
    },
    /// A producer holds a message for which there is room.
    ProducerBlockedWithRoom,
    /// A caller waits though a consumer is free.
    CallerWaits(MessageId),
    /// A message stands in line behind a younger one.
    OldestOutOfOrder,
    /// A consumer has work and is not on the agenda, or the other way round.
    WorkWithoutEnd(u32),
    /// A queue has a message in flight with a consumer that does not have it.
    InFlightInNoHand(u32),
    /// What is due by itself is not on the agenda, or for another instant.
    ClockDiffers(Source),
    /// A message is in two places.
    InTwoPlaces(MessageId),
    /// The levels that statistics go by are not those of now.
    LevelsAreOld,
    /// A consumer is about to go over to another pool and nothing keeps it, or it is among those that
    /// its own pool shall have.
    StaysThoughFree(u32),
    /// There are consumers of a queue that has yet to be split off.
    ThereBeforeSplit(QueueIndex),
    /// More than one consumer has messages of a queue that gives them to one alone.
    NotAlone(QueueIndex),
    /// A partition of a topic is not as it should be.
    LogIsWrong {
        /// Which topic.
        topic: TopicIndex,
        /// Which partition.
        partition: u32,
        /// What is wrong.
        problem: &'static str,
    },
    /// A group has committed other records than it has counted.
    GroupDoesNotBalance {
        /// Which group.
        group: GroupIndex,
        /// How far its committed offsets have moved on.
        moved_on: u64,
        /// What it has counted.
        counted: u64,
    },
    /// A record is out with a consumer that does not have it, or that may not read its partition.
    RecordInNoHand(u32),
    /// A record waits although the reader of its partition has nothing.
    MemberIdleWhileRecordsWait(GroupIndex),
    /// A group's index of what can be read says something else than its partitions.
    WronglyListed {
        /// Which group.
        group: GroupIndex,
        /// Which partition.
        partition: u32,
    },
    /// A thread works on a record although another of its key comes before it.
    KeyOvertaken {
        /// Which group.
        group: GroupIndex,
        /// Which partition.
        partition: u32,
    },
}

/// How many messages are looked at one by one.
const LOOKED_AT: usize = 200;

/// Everything that does not hold.
#[must_use]
pub fn check(simulation: &Simulation) -> Vec<Violation> {
    let mut violations = Vec::new();
    check_ledger(simulation, &mut violations);
    check_consumers(simulation, &mut violations);
    check_early(simulation, &mut violations);
    check_calls(simulation, &mut violations);
    check_clocks(simulation, &mut violations);
    check_identities(simulation, &mut violations);
    check_line(simulation, &mut violations);
    check_alone(simulation, &mut violations);
    logs::check(simulation, &mut violations);
    violations
}

fn check_ledger(simulation: &Simulation, violations: &mut Vec<Violation>) {
    let ledger = simulation.ledger();
    let (mut waiting, mut dead_letters, mut in_flight) = (0, 0, simulation.totals().in_hand);
    for (index, queue) in simulation.broker.queues().enumerate() {
        let is_dead_letters = QueueIndex(index) == simulation.dead_letter_queue;
        *(if is_dead_letters { &mut dead_letters } else { &mut waiting }) += queue.ready().recount();
        in_flight += queue.recount_in_flight();
    }
    let counted = ledger.waiting + ledger.dead_letters + ledger.in_flight;
    let accounted = ledger.accounted() - counted + waiting + dead_letters + in_flight;
    if ledger.offered + ledger.copies != accounted {
        violations.push(Violation::LedgerDoesNotBalance { offered: ledger.offered, accounted });
    }
    let staffs = &simulation.staffs;
    let (busy, recounted) = staffs.iter().fold((0, 0), |(busy, recounted), staff| {
        (busy + staff.pool.busy(), recounted + staff.pool.recount_busy())
    });
    let outboxes = || simulation.producers.iter().filter_map(Producer::outbox);
    let counts = [
        (
            "outboxes",
            outboxes().map(Outbox::held_back).sum(),
            outboxes().map(Outbox::recount_held_back).sum(),
        ),
        ("waiting", ledger.waiting, waiting),
        ("dead_letters", ledger.dead_letters, dead_letters),
        ("in_flight", ledger.in_flight, in_flight),
        ("busy", busy, recounted),
    ];
    if simulation.stats.levels() != simulation.levels() {
        violations.push(Violation::LevelsAreOld);
    }
    for (what, counted, held) in counts.into_iter().filter(|(_, counted, held)| counted != held) {
        violations.push(Violation::CountDiffers { what, counted, held });
    }
}

fn check_consumers(simulation: &Simulation, violations: &mut Vec<Violation>) {
    for queue in simulation.broker.queues() {
        let (waiting, free) = (queue.ready().len(), queue.consumers_with_room() as u64);
        if free > 0 && queue.could_deliver() {
            violations.push(Violation::ConsumerIdleWhileMessagesWait { waiting, free });
        }
    }
    if simulation.producers.iter().any(|producer| simulation.is_held_for_nothing(producer)) {
        violations.push(Violation::ProducerBlockedWithRoom);
    }
    for staff in &simulation.staffs {
        let odd = staff.pool.slots().filter(|consumer| {
            staff.pool.next_at(*consumer).is_some() != simulation.is_scheduled(Source::Consumer(*consumer))
        });
        violations.extend(odd.map(|consumer| Violation::WorkWithoutEnd(consumer.0)));
        check_going_over(staff, violations);
        check_hands(simulation, staff, violations);
    }
}

/// Who goes over does so as soon as nothing keeps it, and nobody takes from a queue before it is
/// split off.
fn check_going_over(staff: &Staff, violations: &mut Vec<Violation>) {
    let stays = |consumer: &ConsumerIndex| {
        let is_wanted = staff.pool.is_wanted(*consumer) && staff.pool.is_going_over(*consumer);
        is_wanted || staff.pool.may_go_over(*consumer)
    };
    let stay = staff.pool.slots().filter(stays);
    violations.extend(stay.map(|consumer| Violation::StaysThoughFree(consumer.0)));
    let queue = staff.from.queue().filter(|_| staff.is_awaited);
    if let Some(queue) = queue.filter(|_| staff.pool.slots().any(|consumer| staff.pool.is_wanted(consumer))) {
        violations.push(Violation::ThereBeforeSplit(queue));
    }
}

/// What a queue has in flight with a consumer is in that consumer's hands, no consumer holds more
/// than it may, and none that could take a message is left out.
fn check_hands(simulation: &Simulation, staff: &Staff, violations: &mut Vec<Violation>) {
    let Supply::Queue(queue) = staff.from else { return };
    let queue = simulation.broker.queue(queue);
    let may_take = queue.could_deliver()
        && !queue.rules().single_active_consumer
        && staff.gate.is_open()
        && !staff.is_stopped
        && simulation.is_broker_up;
    for consumer in staff.pool.slots() {
        let held = queue.unacknowledged(consumer);
        let counted = u64::from(held);
        let recounted = if held > 0 { queue.recount_unacknowledged(consumer) } else { 0 };
        if counted != recounted {
            violations.push(Violation::CountDiffers { what: "unacknowledged", counted, held: recounted });
        }
        if held > staff.handling.most_in_hand() && !staff.prefetch_was_lowered {
            violations.push(Violation::MoreThanPrefetch { consumer: consumer.0, held });
        }
        let is_free = || {
            staff.pool.is_wanted(consumer)
                && staff.pool.health(consumer).is_connected()
                && !staff.pool.is_busy(consumer)
        };
        if may_take && is_free() {
            let waiting = queue.ready().len();
            violations.push(Violation::ConsumerIdleWhileMessagesWait { waiting, free: 1 });
        }
    }
    for (tag, consumer) in queue.in_flight_with().take(LOOKED_AT) {
        let is_ours = staff.pool.slots().any(|own| own == consumer);
        if is_ours && (queue.unacknowledged(consumer) == 0 || !staff.pool.has_in_hand(consumer, tag)) {
            violations.push(Violation::InFlightInNoHand(consumer.0));
        }
    }
}

/// What was acknowledged before the work is in somebody's hands.
fn check_early(simulation: &Simulation, violations: &mut Vec<Violation>) {
    let of_queues = simulation.staffs.iter().filter(|staff| staff.from.queue().is_some());
    let jobs = of_queues.flat_map(|staff| staff.pool.jobs());
    let held = jobs.filter(|job| job.is_acknowledged).count() as u64;
    let counted = simulation.totals.in_hand;
    if counted != held {
        violations.push(Violation::CountDiffers { what: "in_hand", counted, held });
    }
}

/// Callers wait for want of a free consumer alone, and every call that was begun is somebody's work.
fn check_calls(simulation: &Simulation, violations: &mut Vec<Violation>) {
    let calls = &simulation.calls;
    for queue in (0..simulation.broker.queues().len()).map(QueueIndex) {
        let waits = calls.next_waiting(queue).filter(|_| simulation.free_server(queue).is_some());
        violations.extend(waits.map(|call| Violation::CallerWaits(call.id)));
    }
    let (waiting, begun): (Vec<&Call>, Vec<&Call>) =
        calls.iter().partition(|call| call.stage == CallStage::Waiting);
    let outboxes = simulation.producers.iter().filter_map(Producer::outbox);
    let callers = outboxes.map(|outbox| outbox.calls.waiting).sum();
    let works_on = |id: MessageId| {
        let mut jobs = simulation.staffs.iter().flat_map(|staff| staff.pool.jobs());
        jobs.any(|job| job.is_acknowledged && job.id == id)
    };
    let worked_on = begun.iter().filter(|call| works_on(call.id)).count();
    let (waiting, begun, worked_on) = (waiting.len() as u64, begun.len() as u64, worked_on as u64);
    for (what, counted, held) in [
        ("callers", callers, waiting),
        ("callers in order", calls.waiting() as u64, waiting),
        ("calls begun", begun, worked_on),
    ] {
        if counted != held {
            violations.push(Violation::CountDiffers { what, counted, held });
        }
    }
}

/// Whatever is due by itself is on the agenda for the right instant, and nothing is left undone.
fn check_clocks(simulation: &Simulation, violations: &mut Vec<Violation>) {
    let mut compare = |source: Source, expected: Option<Instant>| {
        if simulation.due(source) != expected.map(Agenda::standing) {
            violations.push(Violation::ClockDiffers(source));
        }
    };
    for (index, queue) in simulation.broker.queues().enumerate() {
        let index = QueueIndex(index);
        compare(Source::Expiry(index), queue.next_expiry());
        compare(Source::Orphans(index), queue.has_orphans().then_some(simulation.now()));
        compare(Source::Trim(index), queue.needs_trim().then_some(simulation.now()));
    }
    for (index, producer) in simulation.producers.iter().enumerate() {
        compare(Source::Arrival(index), producer.next_arrival());
        let outbox = producer.outbox().and_then(|outbox| outbox.due(simulation.now(), producer.is_blocked()));
        compare(Source::Outbox(index), outbox);
    }
    for (index, staff) in simulation.staffs.iter().enumerate() {
        compare(Source::Gate(index), staff.gate.opens_at());
        compare(Source::Scaler(index), staff.scaler.as_ref().map(Autoscaler::next_look));
    }
    compare(Source::Calls, simulation.calls_due());
    compare(Source::Redrive, simulation.broker.next_redrive());
    compare(Source::Downstream, simulation.downstream.as_ref().and_then(Downstream::next_answer));
}

/// No message is in two places, but for as many as there were copies, and all bytes are counted. Long lines are not looked through at every instant.
fn check_identities(simulation: &Simulation, violations: &mut Vec<Violation>) {
    if simulation.broker.held() + simulation.calls.waiting() as u64 > LOOKED_AT as u64 {
        return;
    }
    let counted = simulation.broker.held_bytes();
    let held = simulation.broker.queues().map(WorkQueue::recount_bytes).sum();
    if counted != held {
        violations.push(Violation::CountDiffers { what: "bytes", counted, held });
    }
    let totals = &simulation.totals;
    let counted = totals.done + totals.done_late + totals.done_wrong + totals.skipped_late;
    let held = simulation.staffs.iter().map(|staff| staff.finished).sum();
    if counted != held {
        violations.push(Violation::CountDiffers { what: "finished", counted, held });
    }
    let mut found: Vec<MessageId> = Vec::new();
    for queue in simulation.broker.queues() {
        found.extend(queue.ready().iter().chain(queue.delayed_messages()).map(|message| message.id));
        found.extend(queue.unanswered().map(|(message, _)| message.id));
    }
    let of_queues = simulation.staffs.iter().filter(|staff| staff.from.queue().is_some());
    let jobs = of_queues.flat_map(|staff| staff.pool.jobs());
    found.extend(jobs.filter(|job| job.is_acknowledged).map(|job| job.id));
    let callers = simulation.calls.iter().filter(|call| call.stage == CallStage::Waiting);
    found.extend(callers.map(|call| call.id));
    found.extend(
        simulation
            .producers
            .iter()
            .filter_map(|producer| producer.held_message(Instant::START))
            .map(|message| message.id),
    );
    found.sort_unstable();
    let copies = usize::try_from(simulation.totals.copies).unwrap_or(usize::MAX);
    let twice = found.windows(2).filter(|pair| pair[0] == pair[1]).skip(copies);
    violations.extend(twice.map(|pair| Violation::InTwoPlaces(pair[0])));
}

/// Those that were never delivered stand in the order in which they came.
fn check_line(simulation: &Simulation, violations: &mut Vec<Violation>) {
    let in_order = |queue: &WorkQueue| queue.ready().starts_in_order();
    if !simulation.broker.queues().all(in_order) {
        violations.push(Violation::OldestOutOfOrder);
    }
}

/// Where only one consumer may be active, only one has messages.
fn check_alone(simulation: &Simulation, violations: &mut Vec<Violation>) {
    for (index, queue) in simulation.broker.queues().enumerate() {
        let mut holders = queue.in_flight_with().map(|(_, consumer)| consumer).filter(|who| *who != NOBODY);
        let first = holders.next();
        if queue.rules().single_active_consumer && holders.any(|other| Some(other) != first) {
            violations.push(Violation::NotAlone(QueueIndex(index)));
        }
    }
}
