//! What is remembered of a log: when the group last finished something, from where it was moved back,
//! and how much it had finished at each of the last seconds. It grows with the topic's partitions and
//! with nothing else.

use super::facts::LogFacts;
use super::remark::{LogNext, LogPace};
use crate::model::time::{Instant, Span};

/// How long it is told that records were deleted unread.
const TELL_DELETED_FOR: Span = Span::from_seconds(60);

/// Whole seconds of which it is remembered how much was finished.
const SECONDS: usize = 11;

/// One partition is far behind from so many records on ...
const FAR_BEHIND: u64 = 20;

/// ... and goes on being so down to this many, ...
const STILL_FAR_BEHIND: u64 = 10;

/// ... while no other is more than this part of it behind, ...
const OTHERS_FRACTION: u64 = 10;

/// ... or, once that is said, this part.
const STILL_OTHERS_FRACTION: u64 = 5;

/// What was seen up to now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogMemory {
    finished: u64,
    moved_at: Instant,
    committed: Vec<u64>,
    /// Up to where each partition was done once, where the group was moved back.
    again_to: Vec<u64>,
    /// Whether the group ever went on behind records that it had not done: of those before its old place
    /// nobody knows then which it had done.
    has_passed_over: bool,
    deleted: u64,
    deleted_at: Option<Instant>,
    /// At whole seconds, newest last.
    seconds: Vec<Second>,
    one_behind: Option<u32>,
    /// The lag that is said to stay, at which pace.
    level: Option<(LogPace, u64)>,
}

/// What had come and what was finished at a whole second, since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Second {
    at: Instant,
    came: u64,
    finished: u64,
}

impl LogMemory {
    pub(super) fn take_in(&mut self, facts: &LogFacts<'_>) {
        let now = facts.snapshot.at;
        let finished = facts.team.finished();
        if finished != self.finished {
            (self.finished, self.moved_at) = (finished, now);
        }
        self.take_in_offsets(facts);
        let deleted = facts.team.deleted_unread(facts.topic);
        if deleted > self.deleted {
            self.deleted_at = Some(now);
        }
        self.deleted = deleted;
        self.one_behind = self.far_behind(facts);
        self.take_in_second(Second { at: now, came: facts.came(), finished });
    }

    /// For how long nothing was finished.
    pub(super) fn still_for(&self, facts: &LogFacts<'_>) -> Span {
        facts.snapshot.at.since(self.moved_at)
    }

    /// Whether records were lately deleted unread.
    pub(super) fn tells_deleted(&self, facts: &LogFacts<'_>) -> bool {
        self.deleted_at.is_some_and(|at| facts.snapshot.at.since(at) <= TELL_DELETED_FOR)
    }

    /// Records that the group had done before it was moved back, and has not done again.
    pub(super) fn left_again(&self) -> u64 {
        if self.has_passed_over {
            return 0;
        }
        let left = self.again_to.iter().zip(&self.committed);
        left.map(|(to, committed)| to.saturating_sub(*committed)).sum()
    }

    /// The partition that alone is far behind.
    pub(super) const fn one_behind(&self) -> Option<u32> {
        self.one_behind
    }

    /// The records that came and those that the group finished within the last whole seconds, at most
    /// ten.
    pub(super) fn moved(&self) -> Option<LogNext> {
        let (first, last) = (self.seconds.first()?, self.seconds.last()?);
        let window = last.at.since(first.at);
        let came = last.came.saturating_sub(first.came);
        let done = last.finished.saturating_sub(first.finished);
        (window > Span::ZERO).then_some(LogNext::Moved { came, done, window })
    }

    /// The lag that stays while the pace does: it moves a little with every record.
    pub(super) fn level(&mut self, pace: LogPace, behind: u64, slack: u64) -> u64 {
        match self.level {
            Some((known, said)) if known == pace && said.abs_diff(behind) <= slack => said,
            _ => {
                self.level = Some((pace, behind));
                behind
            }
        }
    }

    pub(super) const fn forget_level(&mut self) {
        self.level = None;
    }

    fn take_in_second(&mut self, second: Second) {
        if !second.at.micros().is_multiple_of(1_000_000) {
            return;
        }
        if self.seconds.last().is_some_and(|last| last.at == second.at) {
            self.seconds.pop();
        } else if self.seconds.len() == SECONDS {
            self.seconds.remove(0);
        }
        self.seconds.push(second);
    }

    fn take_in_offsets(&mut self, facts: &LogFacts<'_>) {
        let lanes = &facts.team.group.partitions;
        self.has_passed_over |= facts.team.group.counts.passed_over > 0;
        self.committed.resize(lanes.len(), 0);
        self.again_to.resize(lanes.len(), 0);
        let known = self.committed.iter_mut().zip(&mut self.again_to);
        for (lane, (committed, again_to)) in lanes.iter().zip(known) {
            let now = lane.committed.unwrap_or_default();
            if now < *committed {
                *again_to = (*committed).max(*again_to);
            }
            *committed = now;
        }
    }

    fn far_behind(&self, facts: &LogFacts<'_>) -> Option<u32> {
        let (worst, lane) = facts.team.lanes().max_by_key(|(_, lane)| lane.lag)?;
        let others = facts.team.lanes().filter(|(number, _)| *number != worst).map(|(_, lane)| lane.lag);
        let second = others.max()?;
        let (least, fraction) = match self.one_behind {
            Some(said) if said == worst => (STILL_FAR_BEHIND, STILL_OTHERS_FRACTION),
            _ => (FAR_BEHIND, OTHERS_FRACTION),
        };
        (lane.lag >= least && second.saturating_mul(fraction) <= lane.lag).then_some(worst)
    }
}
