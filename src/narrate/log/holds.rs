//! Whether what is said of a log is still true, where `fresh` is what would be said now.

use super::remark::{LogNext, LogRemark, TeamThen, TeamTrouble};
use crate::model::time::Span;
use crate::narrate::holds::is_near;
use crate::narrate::remark::Estimate;

/// A number that is said may be off by this part of it, or by one.
const COUNT_FRACTION: u64 = 20;

/// The same story with numbers that are still right.
#[inline(never)]
pub fn happening_holds(said: &LogRemark, fresh: &LogRemark) -> bool {
    match (*said, *fresh) {
        (
            LogRemark::Stuck { stuck, partition, behind, is_unreadable },
            LogRemark::Stuck {
                stuck: now_stuck,
                partition: now_at,
                behind: now_behind,
                is_unreadable: now_unreadable,
            },
        ) => {
            (stuck, partition, is_unreadable) == (now_stuck, now_at, now_unreadable)
                && is_about(behind, now_behind)
        }
        (
            LogRemark::NobodyReads { behind, still_for },
            LogRemark::NobodyReads { behind: now_behind, still_for: now_still },
        ) => is_about(behind, now_behind) && is_near(exactly(still_for), now_still),
        (LogRemark::Hung(said), LogRemark::Hung(now)) | (LogRemark::Died(said), LogRemark::Died(now)) => {
            (said.members, said.partitions) == (now.members, now.partitions)
                && is_about(said.behind, now.behind)
        }
        (
            LogRemark::TeamStands { team, trouble },
            LogRemark::TeamStands { team: now_team, trouble: now_trouble },
        ) => team == now_team && trouble_holds(trouble, now_trouble),
        (LogRemark::ReadsAgain { left }, LogRemark::ReadsAgain { left: now }) => is_about(left, now),
        (
            LogRemark::TeamBehind { team, behind, then },
            LogRemark::TeamBehind { team: now_team, behind: now_behind, then: now_then },
        ) => team == now_team && is_about(behind, now_behind) && then_holds(then, now_then),
        (
            LogRemark::Draining { pace, caught_up_in: Some(said) },
            LogRemark::Draining { pace: now_pace, caught_up_in: Some(now) },
        ) => pace == now_pace && is_near(said, now.span),
        (LogRemark::BrokerDown { back_in: Some(said) }, LogRemark::BrokerDown { back_in: Some(now) }) => {
            is_near(exactly(said), now)
        }
        (
            LogRemark::Counts { behind, in_flight },
            LogRemark::Counts { behind: now_behind, in_flight: now_in_flight },
        ) => is_about(behind, now_behind) && in_flight == now_in_flight,
        _ => false,
    }
}

/// Whether what was said to come next still is so.
#[inline(never)]
pub fn next_holds(said: LogNext, fresh: LogNext) -> bool {
    match (said, fresh) {
        (LogNext::GoneIn(said), LogNext::GoneIn(now))
        | (LogNext::OldestNotDone(said), LogNext::OldestNotDone(now))
        | (LogNext::GoesOnIn(said), LogNext::GoesOnIn(now)) => is_near(exactly(said), now),
        _ => false,
    }
}

fn trouble_holds(said: TeamTrouble, now: TeamTrouble) -> bool {
    match (said, now) {
        (
            TeamTrouble::Stuck { partition, behind, is_unreadable },
            TeamTrouble::Stuck { partition: now_at, behind: now_behind, is_unreadable: now_unreadable },
        ) => (partition, is_unreadable) == (now_at, now_unreadable) && is_about(behind, now_behind),
        (TeamTrouble::Nobody { behind }, TeamTrouble::Nobody { behind: now_behind }) => {
            is_about(behind, now_behind)
        }
        (TeamTrouble::Hung(said), TeamTrouble::Hung(now))
        | (TeamTrouble::Died(said), TeamTrouble::Died(now)) => {
            (said.members, said.partitions) == (now.members, now.partitions)
                && is_about(said.behind, now.behind)
        }
        _ => false,
    }
}

fn then_holds(said: TeamThen, now: TeamThen) -> bool {
    match (said, now) {
        (TeamThen::CatchesUpIn(said), TeamThen::CatchesUpIn(now)) => is_near(said, now.span),
        _ => said == now,
    }
}

/// Whether a number that was said is near enough to what it is now.
pub(in crate::narrate) fn is_about(said: u64, now: u64) -> bool {
    said.abs_diff(now) <= (now / COUNT_FRACTION).max(1)
}

const fn exactly(span: Span) -> Estimate {
    Estimate { span, is_about: false }
}
