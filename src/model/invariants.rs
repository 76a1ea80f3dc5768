//! What must hold at every complete instant, checked by counting again.
//!
//! Debug builds check after every instant; tests check wherever they like. Nothing here reads a
//! counter where it can count the things themselves.

use super::broker::QueueIndex;
use super::producer::Producer;
use super::simulation::{QUEUE, Simulation, Source, Staff};
use super::work_queue::rules::{Order, ReturnPlace};

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
    /// A message stands in line behind a younger one.
    OldestOutOfOrder,
    /// A consumer has work and is not on the agenda, or the other way round.
    WorkWithoutEnd(u32),
}

/// Everything that does not hold.
#[must_use]
pub fn check(simulation: &Simulation) -> Vec<Violation> {
    let mut violations = Vec::new();
    check_ledger(simulation, &mut violations);
    check_consumers(simulation, &mut violations);
    check_line(simulation, &mut violations);
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
    if ledger.offered != accounted {
        violations.push(Violation::LedgerDoesNotBalance { offered: ledger.offered, accounted });
    }
    let staffs = &simulation.staffs;
    let (busy, recounted) = staffs.iter().fold((0, 0), |(busy, recounted), staff| {
        (busy + staff.pool.busy(), recounted + staff.pool.recount_busy())
    });
    let counts = [
        ("waiting", ledger.waiting, waiting),
        ("dead_letters", ledger.dead_letters, dead_letters),
        ("in_flight", ledger.in_flight, in_flight),
        ("busy", busy, recounted),
    ];
    for (what, counted, held) in counts.into_iter().filter(|(_, counted, held)| counted != held) {
        violations.push(Violation::CountDiffers { what, counted, held });
    }
}

fn check_consumers(simulation: &Simulation, violations: &mut Vec<Violation>) {
    for queue in simulation.broker.queues() {
        let (waiting, free) = (queue.ready().len(), queue.consumers_with_room() as u64);
        if waiting > 0 && free > 0 && queue.may_deliver() {
            violations.push(Violation::ConsumerIdleWhileMessagesWait { waiting, free });
        }
    }
    let has_room = |producer: &Producer| {
        producer.is_blocked() && simulation.is_broker_up && !simulation.broker.would_block(producer.target())
    };
    if simulation.producers.iter().any(has_room) {
        violations.push(Violation::ProducerBlockedWithRoom);
    }
    for staff in &simulation.staffs {
        let odd = staff.pool.slots().filter(|consumer| {
            staff.pool.next_at(*consumer).is_some() != simulation.is_scheduled(Source::Consumer(*consumer))
        });
        violations.extend(odd.map(|consumer| Violation::WorkWithoutEnd(consumer.0)));
        check_hands(simulation, staff, violations);
    }
}

/// What a pool's queue has in flight with one of its consumers is in that consumer's hands, but
/// for what comes back from consumers that are gone. No consumer holds more than it may.
fn check_hands(simulation: &Simulation, staff: &Staff, violations: &mut Vec<Violation>) {
    let queue = simulation.broker.queue(staff.queue);
    for consumer in staff.pool.slots() {
        let held = queue.unacknowledged(consumer);
        if held > staff.handling.prefetch && !staff.prefetch_was_lowered {
            violations.push(Violation::MoreThanPrefetch { consumer: consumer.0, held });
        }
    }
}

fn check_line(simulation: &Simulation, violations: &mut Vec<Violation>) {
    // Looking at every waiting message at every instant would make a long line slow: the first
    // few show a broken order as well.
    let queue = simulation.broker.queue(QUEUE);
    let rules = queue.rules();
    // Elsewhere returned messages stand where the broker's rules put them, whatever their age.
    if rules.return_place != ReturnPlace::OriginalPosition || rules.order != Order::FirstInFirstOut {
        return;
    }
    let mut line = queue.ready().iter().take(8);
    let Some(mut before) = line.next() else { return };
    for message in line {
        // Dead letters come back behind those that came after them.
        let is_same_sender =
            simulation.totals.redriven == 0 && message.id.producer_index() == before.id.producer_index();
        if message.accepted_at < before.accepted_at || (is_same_sender && message.id <= before.id) {
            violations.push(Violation::OldestOutOfOrder);
        }
        before = message;
    }
}
