//! How a consumer group is doing, by how its offsets move and not by a threshold of lag.
//!
//! The rules are Burrow's (`core/internal/evaluator/caching.go` at ced55ba; `burrow-status.json`),
//! over a sliding window of the group's commits and of the log ends that the broker told.

pub mod watch;

use std::collections::VecDeque;

use super::state_hash::StateHasher;
use super::time::Instant;

/// How many intervals Burrow keeps by default.
pub const WINDOW_INTERVALS: usize = 10;

/// How one partition is doing, from good to bad. The order is Burrow's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartitionStatus {
    /// Nothing is wrong, or too little is known.
    Ok = 1,
    /// Offsets advance and the lag never shrinks: the consumer is too slow.
    Warn = 2,
    /// Commits have ended.
    Stop = 4,
    /// The same offset is committed again and again although there is lag.
    Stall = 5,
    /// Offsets went back and have not come up again.
    Rewind = 6,
}

/// How a group is doing: as badly as its worst partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupStatus {
    /// All partitions are.
    Ok = 1,
    /// The worst is too slow.
    Warn = 2,
    /// The worst has stopped, stalls or was rewound.
    Error = 3,
}

impl PartitionStatus {
    /// Burrow's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Warn => "WARN",
            Self::Stop => "STOP",
            Self::Stall => "STALL",
            Self::Rewind => "REWIND",
        }
    }
}

impl GroupStatus {
    /// The status of a group with these partitions; OK where it has none.
    #[must_use]
    pub fn of(partitions: impl Iterator<Item = PartitionStatus>) -> Self {
        match partitions.max() {
            None | Some(PartitionStatus::Ok) => Self::Ok,
            Some(PartitionStatus::Warn) => Self::Warn,
            Some(PartitionStatus::Stop | PartitionStatus::Stall | PartitionStatus::Rewind) => Self::Error,
        }
    }

    /// Burrow's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Warn => "WARN",
            Self::Error => "ERR",
        }
    }
}

/// A commit, as it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The committed offset.
    pub offset: u64,
    /// When.
    pub at: Instant,
    /// The lag at that instant, where the log end was known.
    pub lag: Option<u64>,
}

/// What is known of one partition: its last commits and the last log ends.
#[derive(Clone, Debug)]
pub struct OffsetWindow {
    commits: VecDeque<Commit>,
    log_ends: VecDeque<u64>,
    kept: usize,
}

impl Default for OffsetWindow {
    fn default() -> Self {
        Self::keeping(WINDOW_INTERVALS)
    }
}

impl OffsetWindow {
    /// An empty window that keeps the last `kept` commits and log ends, at least one.
    #[must_use]
    pub const fn keeping(kept: usize) -> Self {
        Self { commits: VecDeque::new(), log_ends: VecDeque::new(), kept: if kept == 0 { 1 } else { kept } }
    }

    /// The group has committed.
    pub fn record_commit(&mut self, commit: Commit) {
        push(&mut self.commits, self.kept, commit);
    }

    /// The broker has told where the log ends.
    pub fn record_log_end(&mut self, log_end: u64) {
        push(&mut self.log_ends, self.kept, log_end);
    }

    /// The offset of the last commit.
    #[must_use]
    pub fn committed(&self) -> Option<u64> {
        self.commits.back().map(|last| last.offset)
    }

    /// Where the log ended when the broker told it the last time.
    #[must_use]
    pub fn log_end(&self) -> Option<u64> {
        self.log_ends.back().copied()
    }

    /// How the partition is doing at `now` with this lag, of which `allowed_lag` counts as none.
    #[must_use]
    pub fn status(&self, now: Instant, current_lag: u64, allowed_lag: u64) -> PartitionStatus {
        if current_lag <= allowed_lag || self.commits.is_empty() {
            return PartitionStatus::Ok;
        }
        if self.has_stopped(now) && !self.had_no_lag_lately() {
            return PartitionStatus::Stop;
        }
        if self.rewind().is_some_and(|place| !self.has_recovered(place)) {
            return PartitionStatus::Rewind;
        }
        if !self.always_lags(allowed_lag) {
            return PartitionStatus::Ok;
        }
        match (self.has_stalled(), self.never_catches_up()) {
            (true, _) => PartitionStatus::Stall,
            (false, true) => PartitionStatus::Warn,
            (false, false) => PartitionStatus::Ok,
        }
    }

    /// Whether the last commit is longer ago than the window is long.
    #[must_use]
    pub fn has_stopped(&self, now: Instant) -> bool {
        let (Some(first), Some(last)) = (self.commits.front(), self.commits.back()) else { return false };
        now.since(last.at) > last.at.since(first.at)
    }

    /// Whether one of the log ends told lately was no more than what is committed now.
    #[must_use]
    pub fn had_no_lag_lately(&self) -> bool {
        self.log_ends.iter().any(|log_end| Some(*log_end) <= self.committed())
    }

    /// The place in the window of the first commit that is lower than the one before it.
    #[must_use]
    pub fn rewind(&self) -> Option<usize> {
        let pairs = self.pairs().position(|(before, after)| after.offset < before.offset);
        pairs.map(|place| place + 1)
    }

    /// Whether a commit after the rewind at that place has reached the offset before it.
    fn has_recovered(&self, rewind: usize) -> bool {
        let before = rewind.checked_sub(1).and_then(|place| self.commits.get(place));
        before
            .is_some_and(|before| self.commits.iter().skip(rewind).any(|later| later.offset >= before.offset))
    }

    /// Whether the lag was above `allowed_lag` at every commit at which it was known.
    #[must_use]
    pub fn always_lags(&self, allowed_lag: u64) -> bool {
        self.lags().all(|lag| lag > allowed_lag)
    }

    /// Whether all commits are of the same offset.
    #[must_use]
    pub fn has_stalled(&self) -> bool {
        self.pairs().all(|(before, after)| before.offset == after.offset)
    }

    /// Whether the lag never was less than at the commit before.
    #[must_use]
    pub fn never_catches_up(&self) -> bool {
        self.lags().zip(self.lags().skip(1)).all(|(before, after)| after >= before)
    }

    fn pairs(&self) -> impl Iterator<Item = (&Commit, &Commit)> {
        self.commits.iter().zip(self.commits.iter().skip(1))
    }

    fn lags(&self) -> impl Iterator<Item = u64> {
        self.commits.iter().filter_map(|commit| commit.lag)
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for commit in &self.commits {
            hasher.write(commit.offset);
            hasher.write(commit.at.micros());
            hasher.write(commit.lag.unwrap_or(u64::MAX));
        }
        self.log_ends.iter().for_each(|log_end| hasher.write(*log_end));
    }
}

fn push<T>(window: &mut VecDeque<T>, kept: usize, newest: T) {
    if window.len() == kept {
        window.pop_front();
    }
    window.push_back(newest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(commits: &[(u64, u64, Option<u64>)]) -> OffsetWindow {
        let mut window = OffsetWindow::default();
        for (offset, second, lag) in commits {
            window.record_commit(Commit { offset: *offset, at: Instant::from_seconds(*second), lag: *lag });
        }
        window
    }

    #[test]
    fn a_window_forgets_what_is_older() {
        let mut forgetful = OffsetWindow::keeping(3);
        for (offset, lag) in [(1, 0), (2, 5), (3, 6), (4, 7)] {
            forgetful.record_commit(Commit { offset, at: Instant::from_seconds(offset), lag: Some(lag) });
        }
        assert_eq!(forgetful.status(Instant::from_seconds(5), 7, 0), PartitionStatus::Warn);
        let all = window(&[(1, 1, Some(0)), (2, 2, Some(5)), (3, 3, Some(6)), (4, 4, Some(7))]);
        assert_eq!(all.status(Instant::from_seconds(5), 7, 0), PartitionStatus::Ok);
    }

    #[test]
    fn a_lag_that_is_not_known_says_nothing() {
        let window = window(&[(1, 1, Some(5)), (2, 2, None), (3, 3, Some(4)), (4, 4, None)]);
        assert!(window.always_lags(0) && !window.never_catches_up());
        assert_eq!(window.status(Instant::from_seconds(5), 9, 0), PartitionStatus::Ok);
    }

    #[test]
    fn a_stop_is_told_only_after_more_than_the_window() {
        let window = window(&[(1, 100, Some(5)), (2, 200, Some(6))]);
        assert!(!window.has_stopped(Instant::from_seconds(300)));
        assert!(window.has_stopped(Instant::from_micros(300_000_001)));
    }

    #[test]
    fn a_group_is_as_its_worst_partition_and_bad_ones_become_errors() {
        use PartitionStatus as P;
        for (partitions, group) in [
            (vec![], "OK"),
            (vec![P::Ok, P::Ok], "OK"),
            (vec![P::Ok, P::Warn], "WARN"),
            (vec![P::Warn, P::Stop, P::Ok], "ERR"),
            (vec![P::Stall], "ERR"),
            (vec![P::Rewind], "ERR"),
        ] {
            assert_eq!(GroupStatus::of(partitions.iter().copied()).name(), group, "{partitions:?}");
        }
    }
}
