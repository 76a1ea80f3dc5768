//! Deciding what is happening in a log.

use super::facts::{LogFacts, Team};
use super::flow::{Flow, flow, pace};
use super::memory::LogMemory;
use super::remark::{LogPace, LogRemark, LogThen, TeamThen};
use super::second_line;
use super::team_name::TeamName;
use super::trouble::trouble;
use crate::model::rate::Rate;
use crate::model::time::Span;
use crate::narrate::narrator::Visible;
use crate::narrate::remark::{Account, Remark};

/// How far a forecast at rest looks, where the scenario leaves the run alone for so long.
const LOOKS_AHEAD: Span = Span::from_seconds(60);

/// Less than that is not worth a forecast.
const LOOKS_AHEAD_AT_LEAST: Span = Span::from_seconds(10);

/// What is said of a log, with what was seen of it before.
#[inline(never)]
pub fn tell(facts: &LogFacts<'_>, memory: &mut LogMemory, visible: Visible) -> Account {
    memory.take_in(facts);
    let happening = happening(facts, memory, visible);
    let next = match happening {
        Remark::Log(remark) => second_line::next(&remark, facts, memory),
        _ => None,
    };
    let at = facts.snapshot.at;
    let until = facts.horizon.map(|horizon| at + horizon).filter(|_| happening.looks_ahead());
    Account { happening, until, next, advice: None }
}

fn happening(facts: &LogFacts<'_>, memory: &mut LogMemory, visible: Visible) -> Remark {
    if facts.is_at_rest() {
        return at_rest(facts, visible);
    }
    if let Some(remark) = trouble(facts, memory) {
        memory.forget_level();
        return Remark::Log(remark);
    }
    let remark = again(memory).or_else(|| team_behind(facts)).or_else(|| idle(facts));
    Remark::Log(remark.unwrap_or_else(|| flowing(facts, memory)))
}

/// What the dials of an empty start lead to, where they tell.
fn at_rest(facts: &LogFacts<'_>, visible: Visible) -> Remark {
    let names_start = visible.start;
    let is_nobody_there = facts.is_even && facts.takes_every_message() && facts.team.pool.members == 0;
    let then = match flow(facts, &facts.team) {
        None if is_nobody_there => falls_behind(facts, Rate::ZERO),
        Some(_) if facts.arrivals.is_zero() => LogThen::NothingArrives,
        Some(Flow::UpToDate) => LogThen::KeepsUp,
        Some(Flow::Growing(done)) => falls_behind(facts, done),
        _ => return Remark::NotStarted { names_start },
    };
    let pace = match is_nobody_there {
        true => LogPace { arrivals: facts.arrivals, capacity: Rate::ZERO, readers: 0 },
        false => pace(facts, &facts.team),
    };
    Remark::Log(LogRemark::AtRest { pace, then, names_start })
}

fn falls_behind(facts: &LogFacts<'_>, done: Rate) -> LogThen {
    let after = facts.horizon.map_or(LOOKS_AHEAD, |horizon| horizon.min(LOOKS_AHEAD));
    let growth = facts.arrivals.thousandths().saturating_sub(done.thousandths());
    let count = messages_in(growth, after);
    if after < LOOKS_AHEAD_AT_LEAST || count < second_line::WORTH_SAYING_OF_GROWTH {
        return LogThen::FallsBehindSoon;
    }
    LogThen::FallsBehind { count, after }
}

/// Messages that come at `thousandths` a second in `span`.
pub(super) fn messages_in(thousandths: u64, span: Span) -> u64 {
    let messages = u128::from(thousandths) * u128::from(span.micros()) / 1_000_000_000;
    u64::try_from(messages).unwrap_or(u64::MAX)
}

fn again(memory: &LogMemory) -> Option<LogRemark> {
    let left = memory.left_again();
    (left > 0).then_some(LogRemark::ReadsAgain { left })
}

/// The first of the other teams that is behind.
fn team_behind(facts: &LogFacts<'_>) -> Option<LogRemark> {
    let slack = 2 * facts.partitions();
    let is_behind = |team: &Team<'_>| team.group.name != facts.team.group.name && team.group.lag > slack;
    let other = facts.teams().find(is_behind)?;
    let team = TeamName::of(&other.group.name);
    Some(LogRemark::TeamBehind { team, behind: other.group.lag, then: team_then(facts, &other) })
}

fn team_then(facts: &LogFacts<'_>, team: &Team<'_>) -> TeamThen {
    match flow(facts, team) {
        Some(Flow::Draining(Some(time))) => TeamThen::CatchesUpIn(time),
        Some(Flow::Growing(_)) => TeamThen::FallsBehind,
        _ => TeamThen::Open,
    }
}

fn idle(facts: &LogFacts<'_>) -> Option<LogRemark> {
    let team = &facts.team;
    let idle = team.group.idle_members;
    let is_known = team.works_everywhere() && team.group.members > facts.partitions();
    let readers = team.group.members.saturating_sub(idle);
    (is_known && idle > 0).then_some(LogRemark::Idle { readers, idle, partitions: facts.partitions() })
}

fn flowing(facts: &LogFacts<'_>, memory: &mut LogMemory) -> LogRemark {
    let (team, behind) = (&facts.team, facts.team.group.lag);
    let flow = flow(facts, team);
    let pace = pace(facts, team);
    if flow != Some(Flow::Level) {
        memory.forget_level();
    }
    match flow {
        Some(Flow::UpToDate) if facts.arrivals.is_zero() && behind == 0 => LogRemark::Quiet,
        Some(Flow::UpToDate) if !facts.arrivals.is_zero() => LogRemark::UpToDate { pace },
        Some(Flow::Level) if !facts.arrivals.is_zero() => {
            LogRemark::Level { pace, behind: memory.level(pace, behind, facts.partitions()) }
        }
        Some(Flow::Draining(caught_up_in)) => LogRemark::Draining { pace, caught_up_in },
        Some(Flow::Growing(done)) => LogRemark::Growing { pace, done },
        _ => LogRemark::Counts { behind, in_flight: team.group.in_flight },
    }
}
