//! What a group remembers of the records that it has passed, for when it is sent back to them.
//!
//! Nearly every record is done with one side effect and is forgotten. So only the others are written
//! down, as ranges of offsets: memory grows with trouble and not with the log.

use super::super::super::held::HeldBytes;
use super::super::super::state_hash::StateHasher;
use super::ranges::Ranges;

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
    /// Of those the ones that it has not: where records are worked on in another order than theirs.
    not_yet: Ranges,
    without_effect: Ranges,
    marked: Ranges,
}

impl Passed {
    /// The group passes the records from `from` to before `to`.
    #[inline]
    pub(super) fn note(&mut self, from: u64, to: u64, outcome: Outcome) {
        if from > self.to || !self.not_yet.is_empty() {
            self.not_yet.set(self.to, from, true);
            self.not_yet.set(from, to, false);
        }
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
        (offset < self.to && !self.not_yet.contains(offset)).then_some(outcome)
    }

    /// The record at `offset` is worked on once more: whether the group passes it is open again.
    pub(super) fn reopen(&mut self, offset: u64) {
        self.not_yet.set(offset, offset + 1, true);
    }

    /// What is before `offset` cannot be read again.
    pub(super) fn forget_before(&mut self, offset: u64) {
        self.not_yet.set(0, offset, false);
        self.without_effect.set(0, offset, false);
        self.marked.set(0, offset, false);
    }

    pub(super) fn count_held(&self, held: &mut HeldBytes) {
        held.own::<(u64, u64)>(self.without_effect.len() + self.marked.len() + self.not_yet.len());
    }

    /// Nothing where nothing was written down. Runs that have passed the same records another way differ
    /// in their events, whose digest is hashed too.
    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for (kind, ranges) in [&self.without_effect, &self.marked, &self.not_yet].into_iter().enumerate() {
            for (from, to) in ranges.iter() {
                hasher.write(kind as u64);
                hasher.write(*from);
                hasher.write(*to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn what_is_skipped_over_for_now_is_not_passed() {
        let mut passed = Passed::default();
        passed.note(0, 2, Outcome::DONE);
        passed.note(5, 6, Outcome::DONE);
        passed.note(3, 4, Outcome::NOTHING);
        let of = |passed: &Passed| (0..7).map(|offset| passed.outcome(offset)).collect::<Vec<_>>();
        let (done, nothing) = (Some(Outcome::DONE), Some(Outcome::NOTHING));
        assert_eq!(of(&passed), [done, done, None, nothing, None, done, None]);
        passed.note(2, 3, Outcome::DONE);
        passed.note(4, 5, Outcome::DONE);
        assert!(passed.not_yet.is_empty());
        passed.reopen(1);
        assert_eq!(of(&passed), [done, None, done, nothing, done, done, None]);
    }
}
