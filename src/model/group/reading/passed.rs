//! What a group remembers of the records that it has passed, for when it is sent back to them.
//!
//! Nearly every record is done with one side effect and is forgotten. So only the others are written
//! down, as ranges of offsets: memory grows with trouble and not with the log.

use super::super::super::held::HeldBytes;
use super::super::super::state_hash::StateHasher;

/// What became of a record that a group has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// It had a side effect.
    pub had_effect: bool,
    /// A consumer wrote down that it was done.
    pub is_marked: bool,
}

impl Outcome {
    /// As it is with nearly every record.
    pub const DONE: Self = Self { had_effect: true, is_marked: false };
    /// Nobody worked on it.
    pub const NOTHING: Self = Self { had_effect: false, is_marked: false };
}

/// The records of a partition that the group has passed.
#[derive(Clone, Debug, Default)]
pub(super) struct Passed {
    /// It has passed every offset before this one, some of them perhaps without work.
    to: u64,
    without_effect: Ranges,
    marked: Ranges,
}

impl Passed {
    /// The group passes the records from `from` to before `to`.
    #[inline]
    pub(super) fn note(&mut self, from: u64, to: u64, outcome: Outcome) {
        self.to = self.to.max(to);
        if outcome != Outcome::DONE || !self.without_effect.is_empty() || !self.marked.is_empty() {
            self.write_down(from, to, outcome);
        }
    }

    /// The group goes on at `to` without having read what lies before it; of what it has read before,
    /// that stays so.
    pub(super) fn skip(&mut self, from: u64, to: u64) {
        self.note(from.max(self.to), to.max(self.to), Outcome::NOTHING);
    }

    fn write_down(&mut self, from: u64, to: u64, outcome: Outcome) {
        self.without_effect.set(from, to, !outcome.had_effect);
        self.marked.set(from, to, outcome.is_marked);
    }

    /// What became of the record at `offset`; `None` where the group has not passed it.
    pub(super) fn outcome(&self, offset: u64) -> Option<Outcome> {
        let outcome = Outcome {
            had_effect: !self.without_effect.contains(offset),
            is_marked: self.marked.contains(offset),
        };
        (offset < self.to).then_some(outcome)
    }

    /// What is before `offset` cannot be read again.
    pub(super) fn forget_before(&mut self, offset: u64) {
        self.without_effect.set(0, offset, false);
        self.marked.set(0, offset, false);
    }

    pub(super) fn count_held(&self, held: &mut HeldBytes) {
        held.own::<(u64, u64)>(self.without_effect.0.len() + self.marked.0.len());
    }

    /// Nothing where nothing was written down. Runs that have passed the same records another way differ
    /// in their events, whose digest is hashed too.
    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for (kind, ranges) in [&self.without_effect, &self.marked].into_iter().enumerate() {
            for (from, to) in &ranges.0 {
                hasher.write(kind as u64);
                hasher.write(*from);
                hasher.write(*to);
            }
        }
    }
}

/// Offsets, as ranges from one to before another, in order and apart from each other.
#[derive(Clone, Debug, Default)]
struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn contains(&self, offset: u64) -> bool {
        let place = self.0.partition_point(|(_, to)| *to <= offset);
        self.0.get(place).is_some_and(|(from, _)| *from <= offset)
    }

    /// The offsets from `from` to before `to` belong to it from now on, or do not.
    fn set(&mut self, from: u64, to: u64, belong: bool) {
        if from >= to {
            return;
        }
        let first = self.0.partition_point(|(_, end)| *end < from);
        let last = self.0.partition_point(|(start, _)| *start <= to);
        let touched = self.0.get(first..last).unwrap_or_default();
        let start = touched.first().map_or(from, |(start, _)| from.min(*start));
        let end = touched.last().map_or(to, |(_, end)| to.max(*end));
        let kept = if belong { vec![(start, end)] } else { vec![(start, from), (to, end)] };
        self.0.splice(first..last, kept.into_iter().filter(|(from, to)| from < to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_grow_together_and_are_cut_apart() {
        let mut ranges = Ranges::default();
        for (from, to, belong, expected) in [
            (5, 6, true, vec![(5, 6)]),
            (6, 7, true, vec![(5, 7)]),
            (9, 12, true, vec![(5, 7), (9, 12)]),
            (2, 2, true, vec![(5, 7), (9, 12)]),
            (10, 11, false, vec![(5, 7), (9, 10), (11, 12)]),
            (7, 8, false, vec![(5, 7), (9, 10), (11, 12)]),
            (0, 6, false, vec![(6, 7), (9, 10), (11, 12)]),
            (7, 11, true, vec![(6, 12)]),
            (0, 20, false, vec![]),
        ] {
            ranges.set(from, to, belong);
            assert_eq!(ranges.0, expected, "{from} to {to}: {belong}");
        }
    }

    #[test]
    fn what_is_done_anew_counts_as_it_was_done_last() {
        let mut passed = Passed::default();
        passed.note(0, 4, Outcome::DONE);
        assert!(passed.without_effect.is_empty() && passed.marked.is_empty(), "nothing to write down");
        passed.note(4, 5, Outcome::NOTHING);
        passed.note(5, 6, Outcome { had_effect: true, is_marked: true });
        assert_eq!(
            [3, 4, 6].map(|offset| passed.outcome(offset)),
            [Some(Outcome::DONE), Some(Outcome::NOTHING), None]
        );
        passed.note(4, 5, Outcome::DONE);
        assert_eq!(passed.outcome(4), Some(Outcome::DONE));
        assert!(passed.outcome(5).is_some_and(|outcome| outcome.is_marked));
        passed.forget_before(6);
        assert!(passed.marked.is_empty());
    }
}
