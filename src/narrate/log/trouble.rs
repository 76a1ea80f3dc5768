//! What stands still in a log, or was deleted: said before anything that flows.

use super::facts::{LogFacts, Team};
use super::memory::LogMemory;
use super::remark::{LogRemark, Standing, TeamTrouble};
use super::team_name::TeamName;
use crate::model::group::GroupState;
use crate::model::snapshot::network::LaneSnapshot;
use crate::model::snapshot::{BrokerState, ConsumerHealth};

/// What is wrong with the team that is worst off, the most urgent first; what only one team can be asked
/// for is asked of the first.
pub(super) fn trouble(facts: &LogFacts<'_>, memory: &LogMemory) -> Option<LogRemark> {
    let team = &facts.team;
    broker_down(facts)
        .or_else(|| worst_team(facts))
        .or_else(|| stuck(team))
        .or_else(|| deleted_unread(facts, memory))
        .or_else(|| nobody_reads(facts, memory))
        .or_else(|| standing(team, ConsumerHealth::Hung).map(LogRemark::Hung))
        .or_else(|| rebalancing(team))
        .or_else(|| standing(team, ConsumerHealth::Crashed).map(LogRemark::Died))
        .or_else(|| one_behind(facts, memory))
}

fn broker_down(facts: &LogFacts<'_>) -> Option<LogRemark> {
    let back_in = match facts.snapshot.broker.state {
        BrokerState::Up => return None,
        BrokerState::Down => None,
        BrokerState::FailingOver(span) => Some(span).filter(|span| facts.is_in_sight(*span)),
    };
    Some(LogRemark::BrokerDown { back_in })
}

/// Where several teams read the topic, the one that is worst off: what stands still the longest comes
/// first, and of equal ones the first that is at least half as far behind as the last.
fn worst_team(facts: &LogFacts<'_>) -> Option<LogRemark> {
    if facts.teams().count() < 2 {
        return None;
    }
    let troubled = || {
        facts.teams().filter_map(|team| {
            let trouble = trouble_of(facts, &team)?;
            Some((TeamName::of(&team.group.name), team.group.lag, trouble))
        })
    };
    let (_, _, (urgent, _)) = troubled().min_by_key(|(.., (urgency, _))| *urgency)?;
    let as_urgent = || troubled().filter(|(.., (urgency, _))| *urgency == urgent);
    let most = as_urgent().map(|(_, lag, _)| lag).max()?;
    let (team, _, (_, trouble)) = as_urgent().find(|(_, lag, _)| lag.saturating_mul(2) >= most)?;
    Some(LogRemark::TeamStands { team, trouble })
}

/// What is wrong with a team, and how urgent that is: 0 is the most.
fn trouble_of(facts: &LogFacts<'_>, team: &Team<'_>) -> Option<(u8, TeamTrouble)> {
    let worst = team.lanes().filter(|(_, lane)| lane.is_stuck()).max_by_key(|(_, lane)| lane.lag);
    let stuck = worst.map(|(partition, lane)| {
        let behind = lane.lag.saturating_sub(1);
        (0, TeamTrouble::Stuck { partition, behind, is_unreadable: lane.head_is_unreadable })
    });
    let has_nobody = team.pool.members == 0 && facts.takes_every_message();
    let nobody = (1, TeamTrouble::Nobody { behind: team.group.lag });
    stuck
        .or_else(|| has_nobody.then_some(nobody))
        .or_else(|| Some((2, TeamTrouble::Hung(standing(team, ConsumerHealth::Hung)?))))
        .or_else(|| Some((3, TeamTrouble::Died(standing(team, ConsumerHealth::Crashed)?))))
}

fn stuck(team: &Team<'_>) -> Option<LogRemark> {
    let stuck = || team.lanes().filter(|(_, lane)| lane.is_stuck());
    let (partition, worst) = stuck().max_by_key(|(_, lane)| lane.lag)?;
    Some(LogRemark::Stuck {
        stuck: stuck().count() as u64,
        partition,
        behind: stuck().map(|(_, lane)| lane.lag.saturating_sub(1)).sum(),
        is_unreadable: worst.head_is_unreadable && stuck().all(|(_, lane)| lane.head_is_unreadable),
    })
}

fn deleted_unread(facts: &LogFacts<'_>, memory: &LogMemory) -> Option<LogRemark> {
    let count = facts.team.deleted_unread(facts.topic);
    (count > 0 && memory.tells_deleted(facts)).then_some(LogRemark::DeletedUnread { count })
}

fn nobody_reads(facts: &LogFacts<'_>, memory: &LogMemory) -> Option<LogRemark> {
    let team = &facts.team;
    let is_so = team.pool.members == 0 && facts.takes_every_message();
    is_so.then(|| LogRemark::NobodyReads { behind: team.group.lag, still_for: memory.still_for(facts) })
}

/// Members of that health, and what is theirs.
fn standing(team: &Team<'_>, health: ConsumerHealth) -> Option<Standing> {
    let is_theirs = |lane: &&LaneSnapshot| match lane.reader_health {
        Some(ConsumerHealth::CrashLoop) => health == ConsumerHealth::Crashed,
        Some(own) => own == health,
        None => false,
    };
    let theirs = || team.group.partitions.iter().filter(is_theirs);
    let mut readers: Vec<Option<u64>> = theirs().map(|lane| lane.reader).collect();
    readers.dedup();
    let (partitions, behind) = (theirs().count() as u64, theirs().map(|lane| lane.lag).sum());
    let distinct = (0..readers.len()).filter(|place| {
        let before = readers.get(..*place).unwrap_or_default();
        readers.get(*place).is_some_and(|reader| !before.contains(reader))
    });
    let members = distinct.count() as u64;
    (partitions > 0).then_some(Standing { members, partitions, behind })
}

fn rebalancing(team: &Team<'_>) -> Option<LogRemark> {
    let partitions = team.group.partitions.len() as u64;
    let paused = team.group.partitions.iter().filter(|lane| lane.reader.is_none()).count() as u64;
    let is_so = team.group.state == GroupState::Rebalancing && paused > 0;
    is_so.then_some(LogRemark::Rebalancing { paused, partitions })
}

fn one_behind(facts: &LogFacts<'_>, memory: &LogMemory) -> Option<LogRemark> {
    if facts.team.group.shares_work {
        return None;
    }
    let partition = memory.one_behind()?;
    let hot = super::second_line::hot_partition(facts, partition)?;
    let reader = facts.team.lanes().find(|(number, _)| *number == partition)?.1.reader;
    let theirs = facts.team.lanes().filter(|(_, lane)| lane.reader == reader).count();
    let is_alone = reader.is_some() && theirs == 1;
    Some(LogRemark::OneBehind { partition, is_growing: hot.came > hot.could, is_alone })
}
