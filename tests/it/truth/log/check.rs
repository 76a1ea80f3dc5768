//! A checker for each kind of remark about a log.

use queue_lab::model::group::GroupState;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::network::{GroupSnapshot, LaneSnapshot, PoolSnapshot};
use queue_lab::model::snapshot::{BrokerState, ConsumerHealth, Snapshot};
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::log::remark::{LogPace, LogRemark, LogThen, Standing, TeamThen, TeamTrouble};
use queue_lab::narrate::log::team_name::TeamName;
use queue_lab::narrate::remark::{Estimate, Next, Remark};

use super::next;
use super::past::{Past, ahead, deleted, first, group, growths, lump, readers, topic};
use crate::truth::forward::{Dials, ensure};

/// How long a steady state is watched.
const WATCHED: Span = Span::from_seconds(20);

/// Whether `remark` is true of `snapshot`, which is of `simulation`, after `past`.
pub fn check(
    remark: &Remark,
    snapshot: &Snapshot,
    simulation: &Simulation,
    past: &Past,
) -> Result<(), String> {
    let check = Check { snapshot, simulation, past, group: group(snapshot), watched: watched(simulation) };
    let is_so = match remark {
        Remark::Log(remark) => check.happening(remark),
        Remark::LogNext(next) => next::check(*next, snapshot, simulation, past),
        Remark::NotStarted { .. } | Remark::Next(Next::WhatAMessageIs) => check.has_not_begun(),
        _ => Err("it is about a queue".to_owned()),
    };
    is_so.map_err(|why| format!("at {}: {remark:?} is false: {why}\n{:?}", snapshot.at, check.group))
}

/// No future is judged in which the scenario itself does something.
pub fn watched(simulation: &Simulation) -> Span {
    let mut times = simulation.scenario().commands().iter().map(|timed| timed.at);
    let next = times.find(|at| *at > simulation.now());
    // Up to the instant before it.
    let until = |at: Instant| Span::from_micros(at.since(simulation.now()).micros().saturating_sub(1));
    next.map_or(WATCHED, |at| WATCHED.min(until(at)))
}

struct Check<'a> {
    snapshot: &'a Snapshot,
    simulation: &'a Simulation,
    past: &'a Past,
    group: &'a GroupSnapshot,
    watched: Span,
}

impl Check<'_> {
    fn happening(&self, remark: &LogRemark) -> Result<(), String> {
        match *remark {
            LogRemark::AtRest { pace, then, .. } => {
                self.has_not_begun()?;
                self.pace(&pace)?;
                self.then(then)
            }
            LogRemark::BrokerDown { back_in } => self.broker_down(back_in),
            LogRemark::Stuck { stuck, partition, behind, is_unreadable } => {
                self.stuck(stuck, partition, behind)?;
                let fails = self.lane(partition)?;
                ensure(!is_unreadable || fails.head_is_unreadable, || "it can be read".to_owned())
            }
            LogRemark::DeletedUnread { count } => self.deleted_unread(count),
            LogRemark::NobodyReads { behind, still_for } => self.nobody_reads(behind, still_for),
            LogRemark::Hung(standing) => self.stands(standing, &[ConsumerHealth::Hung]),
            LogRemark::Died(standing) => {
                self.stands(standing, &[ConsumerHealth::Crashed, ConsumerHealth::CrashLoop])
            }
            LogRemark::TeamStands { ref team, trouble } => self.team_stands(team, trouble),
            LogRemark::Rebalancing { paused, partitions } => self.rebalancing(paused, partitions),
            LogRemark::OneBehind { partition, is_growing, is_alone } => {
                self.has_no_help(partition, is_alone)?;
                self.one_behind(partition, is_growing)
            }
            LogRemark::ReadsAgain { left } => self.reads_again(left),
            LogRemark::TeamBehind { ref team, behind, then } => self.team_behind(team, behind, then),
            LogRemark::Idle { readers, idle, partitions } => self.idle(readers, idle, partitions),
            LogRemark::Quiet => {
                let is_so = self.arrivals() == 0 && self.group.lag == 0;
                ensure(is_so, || "something comes or is left".to_owned())
            }
            LogRemark::UpToDate { pace } => {
                self.pace(&pace)?;
                self.lag_stays(0, lump(self.group))
            }
            LogRemark::Level { pace, behind } => {
                self.pace(&pace)?;
                let stray = lump(self.group);
                self.lag_stays(behind.saturating_sub(stray), behind + stray)
            }
            LogRemark::Draining { pace, caught_up_in } => {
                self.pace(&pace)?;
                self.draining(self.group, caught_up_in)
            }
            LogRemark::Growing { pace, done } => {
                self.pace(&pace)?;
                self.growing(done.thousandths())
            }
            LogRemark::Counts { behind, in_flight } => {
                let is_so = (behind, in_flight) == (self.group.lag, self.group.in_flight);
                ensure(is_so, || "these are other numbers".to_owned())
            }
        }
    }

    fn has_not_begun(&self) -> Result<(), String> {
        let has_begun = self.snapshot.at != Instant::START || self.snapshot.ledger.offered > 0;
        ensure(!has_begun, || "it has begun".to_owned())
    }

    fn arrivals(&self) -> u64 {
        self.snapshot.network.producers.iter().map(|producer| producer.rate.thousandths()).sum()
    }

    fn pool(&self) -> Result<&PoolSnapshot, String> {
        let pools = &self.snapshot.network.pools;
        pools.iter().find(|pool| pool.name == self.group.name).ok_or_else(|| "it has no pool".to_owned())
    }

    fn lane(&self, partition: u32) -> Result<&LaneSnapshot, String> {
        self.group.partitions.get(partition as usize).ok_or_else(|| "there is no such partition".to_owned())
    }

    fn pace(&self, pace: &LogPace) -> Result<(), String> {
        let is_anybody_there = self.pool()?.members > 0;
        let readers = if is_anybody_there { growths(self.snapshot, self.group).len() as u64 } else { 0 };
        let capacity = self.pool()?.rate_each.thousandths() * readers;
        let said = (pace.arrivals.thousandths(), pace.capacity.thousandths(), pace.readers);
        ensure(said == (self.arrivals(), capacity, readers), || format!("{capacity} of {readers}"))
    }

    fn then(&self, then: LogThen) -> Result<(), String> {
        let growths = growths(self.snapshot, self.group);
        match then {
            LogThen::NothingArrives => ensure(self.arrivals() == 0, || "something arrives".to_owned()),
            LogThen::KeepsUp => self.lag_stays(0, lump(self.group)),
            LogThen::FallsBehindSoon => {
                ensure(growths.iter().any(|growth| *growth > 0), || "it keeps up".to_owned())
            }
            LogThen::FallsBehind { count, after } => {
                let lags = ahead(self.simulation, after, |later| group(later).lag);
                let lag = lags.last().map_or(0, |(_, lag)| *lag);
                let stray = (count / 20).max(lump(self.group));
                ensure(lag.abs_diff(count) <= stray, || format!("it is {lag} behind then"))
            }
        }
    }

    /// Nothing gets in until it is back.
    fn broker_down(&self, back_in: Option<Span>) -> Result<(), String> {
        let is_down = |snapshot: &Snapshot| snapshot.broker.state != BrokerState::Up;
        ensure(is_down(self.snapshot), || "it is up".to_owned())?;
        let logged = self.snapshot.ledger.logged;
        let seen = ahead(self.simulation, self.watched, |later| (is_down(later), later.ledger.logged));
        let mut meanwhile = seen.iter().take_while(|(_, (is_down, _))| *is_down);
        ensure(meanwhile.all(|(_, (_, now))| *now == logged), || "something got in".to_owned())?;
        let is_up = |later: &Snapshot| !is_down(later);
        let stray = Span::from_millis(500);
        match back_in {
            None => Ok(()),
            Some(said) => match first(self.simulation, said + stray, is_up) {
                Some(span) => ensure(span + stray >= said, || format!("it is back in {span} s")),
                None => Err("it is not back then".to_owned()),
            },
        }
    }

    /// The record fails the next time too, so that its partition does not move, or moves because it was
    /// given up, sent on or deleted.
    fn stuck(&self, stuck: u64, partition: u32, behind: u64) -> Result<(), String> {
        let lanes = self.group.partitions.iter().filter(|lane| lane.head_fails && lane.head_attempts > 0);
        let lag: u64 = lanes.clone().map(|lane| lane.lag).sum();
        ensure(stuck <= lanes.count() as u64 && behind + stuck <= lag, || format!("{lag} behind"))?;
        let head = self.head_at_most(self.lane(partition)?);
        let log_start = topic(self.snapshot).partitions.get(partition as usize).map_or(0, |it| it.log_start);
        if log_start > head {
            // What its reader has in hand is gone, and nobody sees from outside when it goes on.
            return Ok(());
        }
        let given_up = |group: &GroupSnapshot| {
            group.counts.skipped + group.counts.dead_lettered + group.counts.sent_to_retry
        };
        let look = |later: &Snapshot| {
            let committed = group(later).partitions.get(partition as usize).and_then(|lane| lane.committed);
            let log_start = topic(later).partitions.get(partition as usize).map_or(0, |it| it.log_start);
            (committed > Some(head), log_start > head, given_up(group(later)))
        };
        let moved = ahead(self.simulation, self.watched, look);
        match moved.iter().find(|(_, (is_past, ..))| *is_past) {
            Some((_, (_, is_deleted, now))) => {
                ensure(*is_deleted || *now > given_up(self.group), || "it was done".to_owned())
            }
            None => Ok(()),
        }
    }

    /// The offset of the first record that is not done, or a little more where nobody can see it.
    fn head_at_most(&self, lane: &LaneSnapshot) -> u64 {
        let (committed, position) = (lane.committed.unwrap_or_default(), lane.position.unwrap_or_default());
        let is_at_position = lane.paused_for.is_some() || self.group.uncommitted > 0;
        if is_at_position { position } else { committed.max(position.saturating_sub(1)) }
    }

    fn deleted_unread(&self, count: u64) -> Result<(), String> {
        let now = deleted(topic(self.snapshot), self.group);
        ensure(count == now && count > 0, || format!("{now} were"))?;
        let minute = Span::from_seconds(61);
        let was_fewer = self.past.within(self.snapshot.at, minute).any(|moment| moment.deleted < count);
        ensure(was_fewer, || "that was long ago".to_owned())
    }

    fn nobody_reads(&self, behind: u64, still_for: Span) -> Result<(), String> {
        ensure(self.pool()?.members == 0, || "somebody is there".to_owned())?;
        ensure(behind == self.group.lag, || "it is behind by another number".to_owned())?;
        let takes = self.snapshot.broker.trouble().is_none() && self.snapshot.ledger.held_back == 0;
        ensure(takes, || "the broker takes nothing".to_owned())?;
        let finished = super::past::finished(self.group);
        let mut still = self.past.within(self.snapshot.at, still_for);
        ensure(still.all(|moment| moment.finished == finished), || "one was finished since".to_owned())?;
        let before =
            Instant::from_micros(self.snapshot.at.micros().saturating_sub(still_for.micros() + 250_000));
        let moved = self.past.by(before).filter(|_| before > Instant::START);
        ensure(moved.is_none_or(|moment| moment.finished != finished), || "it stands longer".to_owned())
    }

    fn stands(&self, said: Standing, health: &[ConsumerHealth]) -> Result<(), String> {
        let is_theirs = |lane: &LaneSnapshot| lane.reader_health.is_some_and(|own| health.contains(&own));
        let theirs = || (0_usize..).zip(&self.group.partitions).filter(|(_, lane)| is_theirs(lane));
        let (partitions, behind) = (theirs().count() as u64, theirs().map(|(_, lane)| lane.lag).sum());
        let mut readers: Vec<Option<u64>> = theirs().map(|(_, lane)| lane.reader).collect();
        readers.sort_unstable();
        readers.dedup();
        let now = Standing { members: readers.len() as u64, partitions, behind };
        ensure(said == now, || format!("{now:?}"))?;
        let ill = self.snapshot.consumers.each.iter().filter(|one| health.contains(&one.health)).count();
        ensure(ill as u64 >= said.members, || format!("{ill} consumers are so"))?;
        let look = |later: &Snapshot| {
            let lanes = &group(later).partitions;
            (group(later).generation, theirs().map(|(at, _)| lanes[at].committed).collect::<Vec<_>>())
        };
        let now = look(self.snapshot);
        let seen = ahead(self.simulation, self.watched.min(Span::from_seconds(2)), look);
        ensure(
            seen.iter().all(|(_, later)| later.0 != now.0 || later.1 == now.1 || self.may_delete()),
            || "they move".to_owned(),
        )
    }

    /// Whether records go by their age, so that a group is sent on.
    fn may_delete(&self) -> bool {
        topic(self.snapshot).partitions.iter().any(|partition| partition.log_start > 0)
    }

    fn rebalancing(&self, paused: u64, partitions: u64) -> Result<(), String> {
        let unread = self.group.partitions.iter().filter(|lane| lane.reader.is_none()).count() as u64;
        let all = self.group.partitions.len() as u64;
        let is_so = self.group.state == GroupState::Rebalancing && (paused, partitions) == (unread, all);
        ensure(is_so && paused > 0, || format!("{unread} of {all}"))
    }

    /// Nobody could take anything off that partition's reader exactly where it reads nothing else.
    fn has_no_help(&self, partition: u32, is_alone: bool) -> Result<(), String> {
        let reader = self.lane(partition)?.reader;
        let mut others = (0_u32..).zip(&self.group.partitions).filter(|(number, _)| *number != partition);
        let is_so = reader.is_some() && !others.any(|(_, lane)| lane.reader == reader);
        ensure(is_so == is_alone, || format!("{reader:?} reads others or not"))
    }

    fn one_behind(&self, partition: u32, is_growing: bool) -> Result<(), String> {
        let lag = self.lane(partition)?.lag;
        let others = (0_u32..).zip(&self.group.partitions).filter(|(number, _)| *number != partition);
        let second = others.map(|(_, lane)| lane.lag).max().unwrap_or_default();
        ensure(lag >= 10 && 5 * second <= lag, || format!("{lag} and {second}"))?;
        let window = Span::from_seconds(10).min(self.snapshot.at.since(Instant::START));
        let could = Dials::count_in(self.pool()?.rate_each.thousandths(), window);
        let came = topic(self.snapshot).partitions.get(partition as usize).map_or(0, |it| it.came_recently);
        ensure(is_growing == (came > could), || format!("{came} came"))
    }

    fn reads_again(&self, left: u64) -> Result<(), String> {
        let lanes = self.past.farthest.iter().zip(&self.group.partitions);
        let own = lanes.map(|(farthest, lane)| farthest.saturating_sub(lane.committed.unwrap_or_default()));
        let own: u64 = own.sum();
        ensure(left == own && left > 0, || format!("{own} are left"))
    }

    /// The team of that name, of those that have begun.
    fn team(&self, team: &TeamName) -> Result<&GroupSnapshot, String> {
        let mut begun = self.begun();
        begun.find(|group| group.name == team.as_str()).ok_or_else(|| "there is no such team".to_owned())
    }

    fn begun(&self) -> impl Iterator<Item = &GroupSnapshot> {
        readers(self.snapshot).filter(|group| {
            let pool = self.snapshot.network.pools.iter().find(|pool| pool.name == group.name);
            group.generation > 0 || pool.is_some_and(|pool| pool.count > 0)
        })
    }

    /// One of several teams stands still there, and goes on doing so for a while unless it gives up.
    fn team_stands(&self, team: &TeamName, trouble: TeamTrouble) -> Result<(), String> {
        ensure(self.begun().count() > 1, || "there is one team".to_owned())?;
        let own = self.team(team)?;
        match trouble {
            TeamTrouble::Stuck { partition, behind, is_unreadable } => {
                let lane = own.partitions.get(partition as usize).ok_or("there is no such partition")?;
                let fails = lane.head_fails && lane.head_attempts > 0;
                ensure(fails && lane.head_is_unreadable == is_unreadable, || "it does not fail".to_owned())?;
                ensure(lane.lag == behind + 1, || format!("{} behind", lane.lag))?;
                self.stays_at(own, partition as usize)
            }
            TeamTrouble::Nobody { behind } => {
                let pool = self.snapshot.network.pools.iter().find(|pool| pool.name == own.name);
                let is_so = pool.is_some_and(|pool| pool.members == 0) && own.lag == behind;
                ensure(is_so, || format!("{pool:?}"))
            }
            TeamTrouble::Hung(said) => self.team_members(own, said, &[ConsumerHealth::Hung]),
            TeamTrouble::Died(said) => {
                self.team_members(own, said, &[ConsumerHealth::Crashed, ConsumerHealth::CrashLoop])
            }
        }
    }

    fn team_members(
        &self,
        own: &GroupSnapshot,
        said: Standing,
        health: &[ConsumerHealth],
    ) -> Result<(), String> {
        let is_theirs = |lane: &&LaneSnapshot| lane.reader_health.is_some_and(|own| health.contains(&own));
        let theirs = || own.partitions.iter().filter(is_theirs);
        let mut readers: Vec<Option<u64>> = theirs().map(|lane| lane.reader).collect();
        readers.sort_unstable();
        readers.dedup();
        let (partitions, behind) = (theirs().count() as u64, theirs().map(|lane| lane.lag).sum());
        let now = Standing { members: readers.len() as u64, partitions, behind };
        ensure(said == now && partitions > 0, || format!("{now:?}"))
    }

    /// The group does not get beyond the first record of that partition, unless it gives it up or loses it.
    fn stays_at(&self, own: &GroupSnapshot, partition: usize) -> Result<(), String> {
        let later = |later: &Snapshot| {
            let group = later.network.groups.iter().find(|group| group.name == own.name).cloned();
            group.map(|group| {
                let counts = &group.counts;
                let given_up = counts.skipped + counts.dead_lettered + counts.sent_to_retry;
                (group.partitions[partition].committed, given_up + counts.deleted_unread)
            })
        };
        let now = later(self.snapshot);
        let seen = ahead(self.simulation, self.watched.min(Span::from_seconds(2)), later);
        let Some((committed, given_up)) = now else { return Err("there is no such team".to_owned()) };
        let head = own.partitions[partition].head;
        let is_so = seen.iter().all(|(_, then)| {
            then.is_some_and(|(at, count)| at == committed || at <= Some(head) || count > given_up)
        });
        ensure(is_so, || "it moves on".to_owned())
    }

    fn team_behind(&self, team: &TeamName, behind: u64, then: TeamThen) -> Result<(), String> {
        let other = self.team(team)?;
        ensure(other.name != self.group.name && other.lag == behind, || {
            format!("it is {} behind", other.lag)
        })?;
        match then {
            TeamThen::Open => Ok(()),
            TeamThen::CatchesUpIn(time) => self.draining(other, Some(time)),
            TeamThen::FallsBehind => {
                let grows = growths(self.snapshot, other).iter().any(|growth| *growth > 0);
                ensure(grows, || "it catches up".to_owned())
            }
        }
    }

    fn idle(&self, readers: u64, idle: u64, partitions: u64) -> Result<(), String> {
        let reading = growths(self.snapshot, self.group).len() as u64;
        let all = self.group.partitions.len() as u64;
        let is_so = readers == reading && readers + idle == self.group.members && partitions == all;
        ensure(is_so && idle > 0 && self.group.members > all, || format!("{reading} of {all}"))
    }

    fn lag_stays(&self, least: u64, most: u64) -> Result<(), String> {
        let lags = ahead(self.simulation, self.watched, |later| group(later).lag);
        let stray = lags.iter().find(|(_, lag)| *lag < least || *lag > most);
        ensure(stray.is_none(), || format!("{stray:?}, not {least} to {most}"))
    }

    fn draining(&self, group: &GroupSnapshot, caught_up_in: Option<Estimate>) -> Result<(), String> {
        let growths = growths(self.snapshot, group);
        ensure(growths.iter().all(|growth| *growth <= 0), || "some fall behind".to_owned())?;
        let Some(said) = caught_up_in else { return Ok(()) };
        let micros = said.span.micros();
        let stray = if said.is_about { micros / 2 } else { micros / 20 }.max(1_000_000) + 250_000;
        let has_caught_up = |later: &Snapshot| {
            readers(later).find(|other| other.name == group.name).is_some_and(nobody_is_behind)
        };
        let most = Span::from_micros(micros + stray);
        match first(self.simulation, most, has_caught_up) {
            Some(span) => ensure(span.micros() + stray >= micros, || format!("it has after {span} s")),
            None => Err(format!("it has not after {most} s")),
        }
    }

    fn growing(&self, done: u64) -> Result<(), String> {
        let lags = ahead(self.simulation, self.watched, |later| group(later).lag);
        let Some((span, lag)) = lags.last() else { return Ok(()) };
        let grown = Dials::count_in(self.arrivals().saturating_sub(done), *span);
        let now = self.group.lag;
        ensure(self.arrivals() > done && lag.abs_diff(now + grown) <= lump(self.group), || {
            format!("{lag} after {span} s, not {}", now + grown)
        })
    }
}

/// Whether each reader has at most one record of each of its partitions before it.
fn nobody_is_behind(group: &GroupSnapshot) -> bool {
    group.partitions.iter().all(|lane| {
        let same = group.partitions.iter().filter(|other| other.reader == lane.reader);
        same.clone().map(|other| other.lag).sum::<u64>() <= same.count() as u64
    })
}
