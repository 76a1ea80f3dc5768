//! How often the sentences on the page change, in real time.
//!
//! While a value hovers on a threshold a sentence stays for five seconds. Truth beats pacing: one
//! that has become false is replaced at once, and so is one that a person's action asks about.

use super::facts::Facts;
use super::holds::holds;
use super::remark::{Account, Remark};
use crate::model::snapshot::Snapshot;

/// A sentence that is still true stays at least so long.
pub const KEEP_MILLIS: u64 = 5_000;

/// Chooses what is shown. Time comes in as milliseconds of any clock that does not go back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pacer {
    shown: Option<Account>,
    changed_at: u64,
    next_changed_at: u64,
}

impl Pacer {
    /// What to show, where the narrator says `fresh` of `snapshot`; `is_answer` after a person's
    /// action.
    pub fn show(&mut self, fresh: &Account, snapshot: &Snapshot, now: u64, is_answer: bool) -> Account {
        let facts = Facts::of(snapshot);
        let Some(shown) = self.shown.filter(|_| !is_answer) else {
            return self.replace(*fresh, now);
        };
        let keeps = |said: &Remark, now_said: &Remark, since: u64| {
            now.saturating_sub(since) < KEEP_MILLIS && holds(said, now_said, &facts)
        };
        let is_over = shown.until.is_some_and(|until| until <= snapshot.at);
        if is_over || !keeps(&shown.happening, &fresh.happening, self.changed_at) {
            return self.replace(*fresh, now);
        }
        // The same happening: the second line has its own pace, advice follows at once.
        let next = match (&shown.next, &fresh.next) {
            (Some(said), Some(next)) if keeps(said, next, self.next_changed_at) => Some(*said),
            _ => fresh.next,
        };
        if next != shown.next {
            self.next_changed_at = now;
        }
        let is_same_story = shown.happening.kind() == fresh.happening.kind();
        let advice = if is_same_story { fresh.advice } else { shown.advice };
        let account = Account { next, advice, ..shown };
        self.shown = Some(account);
        account
    }

    /// When what is shown must be looked at again although nothing else happens; `None` where it
    /// is up to date.
    #[must_use]
    pub fn due_at(&self, fresh: &Account) -> Option<u64> {
        let shown = self.shown.as_ref()?;
        (shown != fresh).then(|| self.changed_at.min(self.next_changed_at) + KEEP_MILLIS)
    }

    fn replace(&mut self, fresh: Account, now: u64) -> Account {
        if self.shown.map(|shown| shown.happening) != Some(fresh.happening) {
            self.changed_at = now;
        }
        self.next_changed_at = now;
        self.shown = Some(fresh);
        fresh
    }
}
