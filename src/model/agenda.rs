//! What happens next: one entry for each source of events, and nothing that may be void.
//!
//! A source (a consumer, a producer, a burst) has one slot. Scheduling it again moves its entry;
//! there are no cancelled entries to skip. At one instant sources act in the order of their
//! slots, so that a run never depends on when something was scheduled.

use super::time::Instant;

/// A binary heap of slots by (instant, slot) that knows where each slot stands.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// When each slot is due; meaningful only for slots in the heap.
    due: Vec<Instant>,
    /// Slots in heap order.
    heap: Vec<u32>,
    /// Where each slot stands in the heap, or [`ABSENT`].
    place: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl Agenda {
    /// An agenda with `slots` slots, none of them scheduled.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        Self { due: vec![Instant::START; slots], heap: Vec::with_capacity(slots), place: vec![ABSENT; slots] }
    }

    /// The first slot that is due, and when.
    #[must_use]
    pub fn next(&self) -> Option<(Instant, u32)> {
        let slot = *self.heap.first()?;
        Some((self.due[slot as usize], slot))
    }

    /// When `slot` is due, if it is scheduled.
    #[must_use]
    pub fn due(&self, slot: u32) -> Option<Instant> {
        (self.place[slot as usize] != ABSENT).then(|| self.due[slot as usize])
    }

    /// Schedules `slot` for `at`, or takes it off the agenda.
    pub fn set(&mut self, slot: u32, at: Option<Instant>) {
        match at {
            Some(at) => self.schedule(slot, at),
            None => self.remove(slot),
        }
    }

    fn schedule(&mut self, slot: u32, at: Instant) {
        self.due[slot as usize] = at;
        let mut place = self.place[slot as usize] as usize;
        if self.place[slot as usize] == ABSENT {
            place = self.heap.len();
            self.heap.push(slot);
        }
        let place = self.sift_up(place, slot);
        self.sift_down(place, slot);
    }

    fn remove(&mut self, slot: u32) {
        let place = self.place[slot as usize];
        if place == ABSENT {
            return;
        }
        self.place[slot as usize] = ABSENT;
        let Some(last) = self.heap.pop() else { return };
        if last != slot {
            let place = self.sift_up(place as usize, last);
            self.sift_down(place, last);
        }
    }

    fn sift_up(&mut self, mut place: usize, slot: u32) -> usize {
        while place > 0 {
            let parent = (place - 1) / 2;
            if !self.is_before(slot, self.heap[parent]) {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, slot);
        place
    }

    fn sift_down(&mut self, mut place: usize, slot: u32) {
        loop {
            let mut child = 2 * place + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.is_before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.is_before(self.heap[child], slot) {
                break;
            }
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, slot);
    }

    #[allow(clippy::cast_possible_truncation)]
    fn put(&mut self, place: usize, slot: u32) {
        self.heap[place] = slot;
        // A heap place is below the number of slots, which is far below 2³².
        self.place[slot as usize] = place as u32;
    }

    fn is_before(&self, left: u32, right: u32) -> bool {
        (self.due[left as usize], left) < (self.due[right as usize], right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_behaves_like_a_sorted_list(changes in prop::collection::vec((0_u32..20, prop::option::of(0_u64..50)), 0..200)) {
            let mut agenda = Agenda::new(20);
            let mut listed = [None; 20];
            for (slot, at) in changes {
                agenda.set(slot, at.map(Instant::from_micros));
                listed[slot as usize] = at;
                let first = listed.iter().zip(0_u32..).filter_map(|(at, slot)| at.map(|at| (at, slot))).min();
                prop_assert_eq!(agenda.next(), first.map(|(at, slot)| (Instant::from_micros(at), slot)));
                prop_assert_eq!(agenda.due(slot), at.map(Instant::from_micros));
            }
        }
    }
}
