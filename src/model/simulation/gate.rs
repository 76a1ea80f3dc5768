//! A pool's limit on starts: after each, the pool takes nothing for a while.

use super::slots::Source;
use super::{Simulation, Staff};

impl Simulation {
    /// After a start, the pool may not start another message for a while.
    pub(super) fn close_gate(&mut self, pool: usize) {
        if self.staffs[pool].handling.drain_limit.is_some() {
            self.staffs[pool].gate.close(self.now);
            self.mind_gate(pool);
        }
    }

    pub(super) fn open_gate(&mut self, pool: usize) {
        self.staffs[pool].gate.open(self.now);
        self.mind_gate(pool);
    }

    pub(super) fn set_drain_limit(&mut self, pool: usize) {
        let limit = self.staffs[pool].handling.drain_limit;
        self.staffs[pool].gate.set_limit(self.now, limit);
        self.mind_gate(pool);
    }

    /// The pool takes messages exactly while its gate is open.
    fn mind_gate(&mut self, pool: usize) {
        let Staff { gate, from, .. } = self.staffs[pool];
        self.schedule(Source::Gate(pool), gate.opens_at());
        if gate.is_open() {
            self.subscribe_all(pool);
            self.dispatch(from, None);
            self.release_producers();
        } else {
            self.unsubscribe_all(pool);
        }
    }
}
