//! What comes next in a log, once it is clear what is happening.

use super::facts::LogFacts;
use super::flow::{Flow, flow};
use super::memory::LogMemory;
use super::remark::{LogNext, LogRemark, LogThen, TeamTrouble};
use super::team_name::TeamName;
use super::telling::messages_in;
use crate::model::snapshot::ConsumerHealth;
use crate::model::snapshot::network::{CAME_RECENTLY, LaneSnapshot};
use crate::model::time::{Instant, Span};
use crate::narrate::remark::{Next, Remark};

/// A growth of fewer records than this is within what single records make of it.
pub(super) const WORTH_SAYING_OF_GROWTH: u64 = 20;

/// An age below this is not worth a line.
const OLD_FROM: Span = Span::from_seconds(2);

/// A deletion further away than this is not told in time: nobody watches the page for a day.
const TELL_DELETION_WITHIN: Span = Span::from_seconds(24 * 3_600);

/// Over which times growth is told, the longest first.
const GROWTH_OVER: [Span; 2] = [Span::from_seconds(60), Span::from_seconds(10)];

/// What came to a partition lately, against what a consumer can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hot {
    pub(super) came: u64,
    pub(super) could: u64,
    pub(super) window: Span,
}

/// What comes next.
pub(super) fn next(happening: &LogRemark, facts: &LogFacts<'_>, memory: &LogMemory) -> Option<Remark> {
    let next = match *happening {
        LogRemark::AtRest { then: LogThen::NothingArrives, .. } => None,
        LogRemark::AtRest { .. } => {
            return idle_ahead(facts).map(Remark::LogNext).or(Some(Remark::Next(Next::WhatAMessageIs)));
        }
        LogRemark::BrokerDown { .. } => oldest(facts),
        LogRemark::Stuck { partition, .. } => gone_in(facts).or_else(|| tried(facts, partition)),
        LogRemark::TeamStands { ref team, trouble } => of_team(facts, team, trouble),
        LogRemark::NobodyReads { .. } | LogRemark::Hung(_) | LogRemark::Died(_) => {
            gone_in(facts).or_else(|| oldest(facts))
        }
        LogRemark::DeletedUnread { .. } => gone_in(facts).or_else(|| oldest(facts)),
        LogRemark::Rebalancing { .. } => goes_on(facts).or_else(|| oldest(facts)),
        LogRemark::OneBehind { partition, .. } => hot_partition(facts, partition).map(told),
        LogRemark::Idle { .. } | LogRemark::Growing { .. } => grows(facts).or_else(|| oldest(facts)),
        LogRemark::Draining { .. } | LogRemark::ReadsAgain { .. } | LogRemark::Level { .. } => oldest(facts),
        LogRemark::TeamBehind { .. } | LogRemark::UpToDate { .. } | LogRemark::Quiet => calm(facts),
        LogRemark::Counts { .. } => set_aside(facts).or_else(|| memory.moved()),
    };
    next.map(Remark::LogNext)
}

/// What comes next for one of several teams that stands still. The other lines are of the first.
fn of_team(facts: &LogFacts<'_>, team: &TeamName, trouble: TeamTrouble) -> Option<LogNext> {
    if facts.team.group.name != team.as_str() {
        return None;
    }
    match trouble {
        TeamTrouble::Stuck { partition, .. } => gone_in(facts).or_else(|| tried(facts, partition)),
        _ => oldest(facts),
    }
}

fn calm(facts: &LogFacts<'_>) -> Option<LogNext> {
    set_aside(facts).or_else(|| {
        let teams = facts.teams().count() as u64;
        (teams > 1).then_some(LogNext::Teams { teams })
    })
}

/// When the first record is deleted that nobody can read before: of a partition that stands still.
fn gone_in(facts: &LogFacts<'_>) -> Option<LogNext> {
    let (group, pool) = (facts.team.group, facts.team.pool);
    let nobody_comes = pool.members == 0 && pool.restart_after.is_none();
    let all_hang = group.partitions.iter().all(|lane| lane.reader_health == Some(ConsumerHealth::Hung));
    let stands =
        |lane: &&LaneSnapshot| nobody_comes || all_hang || lane.is_stuck() && pool.attempts_max.is_none();
    let times = group.partitions.iter().filter(stands).filter_map(|lane| lane.unread_kept_for);
    let is_near = |span: &Span| *span < TELL_DELETION_WITHIN && facts.is_in_sight(*span);
    times.min().filter(is_near).map(LogNext::GoneIn)
}

fn tried(facts: &LogFacts<'_>, partition: u32) -> Option<LogNext> {
    let (_, lane) = facts.team.lanes().find(|(number, _)| *number == partition)?;
    let is_known = facts.team.lanes().filter(|(_, lane)| lane.is_stuck()).count() == 1;
    let attempts = u64::from(lane.head_attempts);
    // Where the limit came later than the tries, nobody gives up before the try at hand has failed.
    let of = facts.team.pool.attempts_max.filter(|most| attempts <= *most);
    is_known.then_some(LogNext::Tried { attempts, of })
}

fn oldest(facts: &LogFacts<'_>) -> Option<LogNext> {
    facts.team.group.oldest_unfinished.filter(|age| *age >= OLD_FROM).map(LogNext::OldestNotDone)
}

fn goes_on(facts: &LogFacts<'_>) -> Option<LogNext> {
    let group = facts.team.group;
    // A round waits for those who have a record in hand, and for the dead.
    let waits_for_none = group.in_flight == 0 && group.members == facts.team.pool.members;
    let span = group.round_in.filter(|span| *span > Span::ZERO && facts.is_in_sight(*span))?;
    waits_for_none.then_some(LogNext::GoesOnIn(span))
}

/// What came lately to the partition, against what a consumer can do.
pub(super) fn hot_partition(facts: &LogFacts<'_>, partition: u32) -> Option<Hot> {
    let stored = facts.topic.partitions.get(partition as usize)?;
    let window = CAME_RECENTLY.min(facts.snapshot.at.since(Instant::START));
    let could = messages_in(facts.team.pool.rate_each.thousandths(), window);
    Some(Hot { came: stored.came_recently, could, window })
}

const fn told(hot: Hot) -> LogNext {
    LogNext::HotPartition { came: hot.came, could: hot.could, window: hot.window }
}

fn grows(facts: &LogFacts<'_>) -> Option<LogNext> {
    let Some(Flow::Growing(done)) = flow(facts, &facts.team) else { return None };
    let growth = facts.arrivals.thousandths().saturating_sub(done.thousandths());
    let every = GROWTH_OVER.into_iter().find(|span| facts.is_in_sight(*span))?;
    let count = messages_in(growth, every);
    (count >= WORTH_SAYING_OF_GROWTH).then_some(LogNext::FallsBehind { count, every })
}

fn idle_ahead(facts: &LogFacts<'_>) -> Option<LogNext> {
    let group = facts.team.group;
    let partitions = facts.partitions();
    let idle = group.idle_members;
    (idle > 0 && group.members > partitions).then_some(LogNext::IdleAhead { idle, partitions })
}

fn set_aside(facts: &LogFacts<'_>) -> Option<LogNext> {
    let count = facts.set_aside();
    (count > 0).then_some(LogNext::SetAside { count })
}
