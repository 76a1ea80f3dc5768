//! A digest of a run.

use super::Simulation;
use crate::model::state_hash::StateHasher;
use crate::model::time::Instant;

impl Simulation {
    /// A digest of the whole state: every message in order, agenda, generators, statistics and
    /// series. Equal natively and in wasm, and equal for equal scenario, commands and instant,
    /// however the run got there.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hasher = StateHasher::default();
        hasher.write(self.now.micros());
        hasher.write(self.settings.seed);
        self.broker.hash_into(&mut hasher);
        self.producers.iter().for_each(|producer| producer.hash_into(&mut hasher));
        let is_divided = self.staffs.iter().filter(|staff| staff.from.queue().is_some()).count() > 1;
        for staff in &self.staffs {
            staff.pool.hash_into(&mut hasher);
            hasher.write(u64::from(staff.is_stopped));
            staff.gate.hash_into(&mut hasher);
            if !staff.budget.is_unlimited() {
                staff.budget.hash_into(&mut hasher);
            }
            staff.scaler.iter().for_each(|scaler| scaler.hash_into(&mut hasher));
            staff.meter.iter().for_each(|meter| meter.hash_into(&mut hasher));
            if staff.unreadable > 0 {
                hasher.write(staff.unreadable);
            }
            // One pool alone finished what the totals count.
            if is_divided && staff.from.queue().is_some() {
                hasher.write(staff.finished);
            }
        }
        self.downstream.iter().for_each(|downstream| downstream.hash_into(&mut hasher));
        self.fates.hash_into(&mut hasher);
        self.schemas.hash_into(&mut hasher);
        self.records.hash_into(&mut hasher);
        hasher.write(u64::from(self.is_broker_up));
        self.failing_over_until.iter().for_each(|until| hasher.write(until.micros()));
        self.calls.hash_into(&mut hasher);
        if self.queues_split != 0 {
            hasher.write(u64::from(self.queues_split));
        }
        self.totals.hash_into(&mut hasher);
        self.watches.iter().for_each(|watch| watch.hash_into(&mut hasher));
        self.lags.iter().for_each(|lags| lags.hash_into(&mut hasher));
        for slot in (0_u32..).take(self.slots.len()) {
            let due = self.agenda.due(slot);
            if slot < self.slots.ordinary() || due.is_some() {
                hasher.write(due.map_or(u64::MAX, Instant::micros));
            }
        }
        self.stats.hash_into(&mut hasher, self.now);
        self.journal.hash_into(&mut hasher);
        self.alerts.iter().for_each(|alerts| alerts.hash_into(&mut hasher));
        self.hash_commands(&mut hasher);
        hasher.finish()
    }

    /// Every command that was applied, in order: those of the scenario and those from outside count alike,
    /// so that a run that was saved as a scenario has the hash of the run it was.
    fn hash_commands(&self, hasher: &mut StateHasher) {
        let scripted = self.scenario.commands().iter().take(self.scripted_commands_done);
        hasher.write((self.scripted_commands_done + self.command_log.len()) as u64);
        let (mut scripted, mut outside) = (scripted.peekable(), self.command_log.iter().peekable());
        loop {
            let is_scripted_first = match (scripted.peek(), outside.peek()) {
                (Some(own), Some(other)) => own.at <= other.at,
                (own, _) => own.is_some(),
            };
            let next = if is_scripted_first { scripted.next() } else { outside.next() };
            let Some(timed) = next else { return };
            timed.hash_into(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::model::scenario::Scenario;
    use crate::model::topology::{ConsumersNode, Topology};

    /// A run of half a minute with so many pools that take from one queue.
    fn played(pools: usize) -> Simulation {
        let mut topology = Topology::default();
        let first = topology.consumers[0].clone();
        let further = (1..pools).map(|pool| ConsumersNode { name: format!("pool-{pool}"), ..first.clone() });
        topology.consumers.extend(further);
        let scenario = Scenario::default().with_topology(topology).expect("the topology is fine");
        let mut simulation = Simulation::new(Rc::new(scenario));
        simulation.advance_to(Instant::from_seconds(30), u64::MAX);
        simulation
    }

    #[test]
    fn which_pool_finished_is_part_of_the_state_where_there_are_several() {
        let (one, mut other) = (played(2), played(2));
        assert_eq!(one.state_hash(), other.state_hash());
        let before: Vec<u64> = one.staffs.iter().map(|staff| staff.finished).collect();
        assert!(before.iter().all(|finished| *finished > 0), "both take: {before:?}");
        other.staffs[0].finished -= 1;
        other.staffs[1].finished += 1;
        assert_ne!(one.state_hash(), other.state_hash(), "the totals are the same, the pools are not");
    }

    #[test]
    fn one_pool_alone_finished_what_the_totals_count() {
        let (one, mut other) = (played(1), played(1));
        other.staffs[0].finished += 1;
        assert_eq!(one.state_hash(), other.state_hash());
    }
}
