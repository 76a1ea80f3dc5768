//! What happens next: one entry for each source of events, and nothing that may be void.
//!
//! A source (a consumer, a producer, a burst) has one slot. Scheduling it again moves its entry;
//! there are no cancelled entries to skip. At one instant sources act in the order of their
//! slots, so that a run never depends on when something was scheduled.

use super::time::Instant;

/// What is scheduled, in a list: there are as many entries as there are consumers at work and
/// producers, few, and who has just acted stands at its end.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// The entry of each slot: instant and slot as one number.
    entries: Box<[u64]>,
    /// The entries of slots that are scheduled, the next one last.
    sorted: Vec<u64>,
}

/// The low bits of an entry, which name its slot: there are fewer than 5,000.
const SLOT_BITS: u32 = 13;
/// The entry of a slot that is not scheduled.
const ABSENT: u64 = u64::MAX;
/// What is due later than this, 71 years from the start, stands here: no run gets so far.
const FAR: u64 = (1 << (u64::BITS - SLOT_BITS)) - 2;

impl Agenda {
    /// An agenda with `slots` slots, none of them scheduled.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        debug_assert!(slots < 1 << SLOT_BITS, "{slots} slots");
        Self { entries: vec![ABSENT; slots].into_boxed_slice(), sorted: Vec::new() }
    }

    /// When the first slot is due, and which it is; without one, after the end of every run.
    #[must_use]
    #[inline(always)]
    pub fn first(&self) -> (Instant, u32) {
        let first = self.sorted.last().copied().unwrap_or(ABSENT);
        // The low bits are a slot, which fits.
        #[allow(clippy::cast_possible_truncation)]
        let slot = first as u32 & ((1 << SLOT_BITS) - 1);
        (Instant::from_micros(first >> SLOT_BITS), slot)
    }

    /// The first slot that is due, and when.
    #[must_use]
    pub fn next(&self) -> Option<(Instant, u32)> {
        (!self.sorted.is_empty()).then(|| self.first())
    }

    /// When `slot` is due, if it is scheduled.
    #[must_use]
    #[inline]
    pub fn due(&self, slot: u32) -> Option<Instant> {
        let entry = self.entries[slot as usize];
        (entry != ABSENT).then_some(Instant::from_micros(entry >> SLOT_BITS))
    }

    /// The instant at which something due at `at` stands.
    #[must_use]
    pub fn standing(at: Instant) -> Instant {
        Instant::from_micros(at.micros().min(FAR))
    }

    /// Schedules `slot` for `at`, or takes it off the agenda.
    #[inline]
    pub fn set(&mut self, slot: u32, at: Option<Instant>) {
        let entry = at.map_or(ABSENT, |at| at.micros().min(FAR) << SLOT_BITS | u64::from(slot));
        let before = std::mem::replace(&mut self.entries[slot as usize], entry);
        if entry != before {
            self.exchange(before, entry);
        }
    }

    /// Schedules the first slot anew: it has just acted.
    #[inline(always)]
    pub fn set_first(&mut self, slot: u32, at: Option<Instant>) {
        match at {
            Some(at) if self.sorted.last() == self.entries.get(slot as usize) => {
                let entry = at.micros().min(FAR) << SLOT_BITS | u64::from(slot);
                self.entries[slot as usize] = entry;
                self.sort_in(entry);
            }
            _ => self.set(slot, at),
        }
    }

    fn exchange(&mut self, before: u64, entry: u64) {
        if before == ABSENT {
            self.sorted.push(entry);
        } else if self.sorted.last() != Some(&before) {
            self.sorted.retain(|other| *other != before);
            self.sorted.push(entry);
        }
        if entry == ABSENT {
            self.sorted.pop();
        } else {
            self.sort_in(entry);
        }
    }

    /// The last entry is to be this one: it goes behind those that come after it.
    #[inline(always)]
    fn sort_in(&mut self, entry: u64) {
        let Some((mut place, before)) = self.sorted.split_last_mut() else { return };
        for later in before.iter_mut().rev() {
            if *later > entry {
                break;
            }
            *place = *later;
            place = later;
        }
        *place = entry;
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
