//! What must hold at every complete instant, checked by counting again.
//!
//! Debug builds check after every instant; tests check wherever they like. Nothing here reads a
//! counter where it can count the things themselves.

use super::simulation::{QUEUE, Simulation};
use super::work_queue::ConsumerIndex;

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
    let queue = simulation.broker.queue(QUEUE);
    let recounted = ledger.accounted() - ledger.waiting - ledger.in_flight
        + queue.ready().recount()
        + queue.recount_in_flight();
    if ledger.offered != recounted {
        violations.push(Violation::LedgerDoesNotBalance { offered: ledger.offered, accounted: recounted });
    }
    let counts = [
        ("waiting", ledger.waiting, queue.ready().recount()),
        ("in_flight", ledger.in_flight, queue.recount_in_flight()),
        ("busy", simulation.pool.busy(), simulation.pool.recount_busy()),
        ("in_flight", ledger.in_flight, simulation.pool.recount_busy()),
    ];
    for (what, counted, held) in counts.into_iter().filter(|(_, counted, held)| counted != held) {
        violations.push(Violation::CountDiffers { what, counted, held });
    }
}

fn check_consumers(simulation: &Simulation, violations: &mut Vec<Violation>) {
    let queue = simulation.broker.queue(QUEUE);
    let (waiting, free) = (queue.ready().len(), queue.consumers_with_room() as u64);
    if waiting > 0 && free > 0 {
        violations.push(Violation::ConsumerIdleWhileMessagesWait { waiting, free });
    }
    if simulation.producer.is_blocked() && !simulation.broker.would_block(QUEUE) {
        violations.push(Violation::ProducerBlockedWithRoom);
    }
    let is_moving = !simulation.pool.rate().is_zero();
    let odd = (0..64).filter(|slot| {
        let works = simulation.pool.job(ConsumerIndex(*slot)).is_some() && is_moving;
        works != simulation.is_scheduled(*slot)
    });
    violations.extend(odd.map(Violation::WorkWithoutEnd));
}

fn check_line(simulation: &Simulation, violations: &mut Vec<Violation>) {
    // Looking at every waiting message at every instant would make a long line slow: the first
    // few show a broken order as well.
    let mut line = simulation.broker.queue(QUEUE).ready().iter().take(8);
    let Some(mut before) = line.next() else { return };
    for message in line {
        if message.accepted_at < before.accepted_at || message.id <= before.id {
            violations.push(Violation::OldestOutOfOrder);
        }
        before = message;
    }
}
