//! Whether what is on the page is still true, so that pacing never keeps a false sentence.
//!
//! Here the thresholds are wide: a sentence holds until it is wrong, not until a better one is
//! there.

use super::both;
use super::facts::Facts;
use super::log;
use super::remark::{Estimate, Limit, Next, Pace, Remark};
use crate::model::time::Span;

/// A time that is said must be right within a second ...
const WITHIN: Span = Span::from_seconds(1);

/// ... or 5 %, the larger of the two; a time that is said to be rough within a quarter.
const EXACT_FRACTION: u64 = 20;
const ABOUT_FRACTION: u64 = 4;

/// Whether `said` is still true, where `fresh` is what would be said now.
#[must_use]
pub fn holds(said: &Remark, fresh: &Remark, facts: &Facts<'_>) -> bool {
    if said == fresh {
        return true;
    }
    match (said, fresh) {
        // Of such a run only what was counted is known.
        (_, Remark::Counts(_) | Remark::Trouble(_) | Remark::NotStarted { .. }) => false,
        (Remark::Log(said), Remark::Log(fresh)) => log::holds::happening_holds(said, fresh),
        (Remark::LogNext(said), Remark::LogNext(fresh)) => log::holds::next_holds(*said, *fresh),
        (Remark::Both(said), Remark::Both(fresh)) => both::happening_holds(*said, *fresh),
        (Remark::BothNext(said), Remark::BothNext(fresh)) => both::next_holds(*said, *fresh),
        (Remark::Both(_) | Remark::BothNext(_), _) | (_, Remark::Both(_) | Remark::BothNext(_)) => false,
        (Remark::Log(_) | Remark::LogNext(_), _) | (_, Remark::Log(_) | Remark::LogNext(_)) => false,
        (Remark::Next(said), _) => next_holds(*said, facts),
        // Advice follows from the dials, which are compared where it is shown.
        (Remark::Advice(_), _) => false,
        _ => dials_agree(said, facts) && happening_holds(said, facts),
    }
}

fn dials_agree(said: &Remark, facts: &Facts<'_>) -> bool {
    let pace: &Pace = match said {
        Remark::Matched { pace }
        | Remark::LevelAndShort { pace }
        | Remark::LevelWithBacklog { pace, .. }
        | Remark::Balanced { pace }
        | Remark::WillFillIn { pace, .. }
        | Remark::GrowingWithoutBound { pace, .. }
        | Remark::WillRunOutOfMemory { pace, .. }
        | Remark::Full { pace, .. }
        | Remark::DrainingIn { pace, .. }
        | Remark::KeepingUp { pace, .. }
        | Remark::KeepingUpButWaiting { pace } => pace,
        _ => return true,
    };
    *pace == facts.pace
}

#[inline(never)]
fn happening_holds(said: &Remark, facts: &Facts<'_>) -> bool {
    let waiting = facts.waiting();
    let is_short = waiting <= 2 * facts.slack();
    match *said {
        Remark::Matched { .. } => waiting == 0,
        Remark::LevelAndShort { .. } | Remark::KeepingUp { .. } => is_short,
        Remark::LevelWithBacklog { waiting: said, .. } => said.abs_diff(waiting) <= facts.slack(),
        Remark::Balanced { .. } | Remark::KeepingUpButWaiting { .. } => !facts.is_at_bound(),
        Remark::WillFillIn { full_in, overflow, .. } => {
            !facts.is_at_bound()
                && overflow == facts.overflow()
                && time_agrees(full_in, limit(facts, Limit::Bound))
        }
        Remark::GrowingWithoutBound { out_of_memory_in, .. } => {
            !facts.is_blocked_by_memory()
                && facts.bound().is_none()
                && time_agrees(out_of_memory_in, limit(facts, Limit::Memory))
        }
        Remark::WillRunOutOfMemory { out_of_memory_in, .. } => {
            !facts.is_blocked_by_memory()
                && facts.bound().is_some()
                && time_agrees(out_of_memory_in, limit(facts, Limit::Memory))
        }
        Remark::DrainingIn { empty_in, .. } => waiting > 0 && time_agrees(empty_in, facts.empty_ahead(true)),
        Remark::Full { overflow, .. } => {
            let is_near = facts.bound().is_some_and(|bound| waiting + facts.slack() >= bound);
            overflow == facts.overflow() && is_near
        }
        // The others say what is so at this moment and nothing looser.
        _ => false,
    }
}

fn limit(facts: &Facts<'_>, limit: Limit) -> Option<Estimate> {
    facts.limit_ahead(true).filter(|(ahead, _)| *ahead == limit).and_then(|(_, time)| time)
}

#[inline(never)]
fn next_holds(said: Next, facts: &Facts<'_>) -> bool {
    let queue = &facts.snapshot.queue;
    match said {
        Next::NewcomerWaits(time) | Next::EveryNewcomerWaits(time) => {
            queue.newcomer_wait.is_some_and(|now| is_near(time, now))
        }
        Next::OldestStillLate { oldest, newcomer } => {
            queue.oldest_age.is_some_and(|now| is_near(exactly(oldest), now))
                && queue.newcomer_wait.is_some_and(|now| is_near(newcomer, now))
        }
        Next::OldestWaits(age) => queue.oldest_age.is_some_and(|now| is_near(exactly(age), now)),
        Next::ShrinkingWhileFull { percent } => facts
            .bound()
            .is_some_and(|bound| facts.waiting().saturating_mul(100) >= bound.saturating_mul(percent)),
        Next::SlowestWaited(time) => {
            is_near(Estimate { span: time, is_about: true }, facts.snapshot.waiting_time_recent.p95)
        }
        Next::WhatAMessageIs | Next::LostLately { .. } | Next::Moved { .. } => false,
    }
}

const fn exactly(span: Span) -> Estimate {
    Estimate { span, is_about: false }
}

fn time_agrees(said: Option<Estimate>, now: Option<Estimate>) -> bool {
    match (said, now) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(said), Some(now)) => is_near(said, now.span),
    }
}

pub(super) fn is_near(said: Estimate, now: Span) -> bool {
    let fraction = if said.is_about { ABOUT_FRACTION } else { EXACT_FRACTION };
    let allowed = WITHIN.micros().max(now.micros() / fraction);
    said.span.micros().abs_diff(now.micros()) <= allowed
}
