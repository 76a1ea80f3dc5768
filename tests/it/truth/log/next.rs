//! Checkers for what comes next in a log.

use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::Snapshot;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::log::remark::LogNext;

use super::past::{Past, ahead, deleted, first, group, growths, lump, readers, topic};
use crate::truth::forward::{Dials, ensure};

pub fn check(next: LogNext, snapshot: &Snapshot, simulation: &Simulation, past: &Past) -> Result<(), String> {
    let own = group(snapshot);
    let pool = snapshot.network.pools.iter().find(|pool| pool.name == own.name).expect("it has a pool");
    match next {
        LogNext::GoneIn(time) => gone_in(time, snapshot, simulation),
        LogNext::Tried { attempts, of } => {
            let mut failing = own.partitions.iter().filter(|lane| lane.head_fails);
            let is_one = failing.any(|lane| u64::from(lane.head_attempts) == attempts);
            ensure(is_one && attempts > 0 && of == pool.attempts_max, || "another number".to_owned())?;
            ensure(of.is_none_or(|of| attempts <= of), || "it had more than it gets".to_owned())
        }
        LogNext::OldestNotDone(age) => {
            ensure(own.oldest_unfinished == Some(age), || format!("{:?}", own.oldest_unfinished))
        }
        LogNext::FallsBehind { count, every } => {
            let lags = ahead(simulation, every, |later| group(later).lag);
            let lag = lags.last().map_or(0, |(_, lag)| *lag);
            let stray = (count / 20).max(lump(own));
            ensure(lag.abs_diff(own.lag + count) <= stray, || format!("it is {lag} then"))
        }
        LogNext::HotPartition { came, could, window } => {
            ensure(could == Dials::count_in(pool.rate_each.thousandths(), window), || {
                "not so many".to_owned()
            })?;
            came_within(came, window, snapshot, past)
        }
        LogNext::GoesOnIn(time) => {
            let goes_on = |later: &Snapshot| group(later).generation > own.generation;
            let most = time + Span::from_seconds(1);
            let reached = first(simulation, most, goes_on);
            ensure(reached.is_some_and(|span| span + Span::from_seconds(1) >= time), || {
                format!("{reached:?}")
            })
        }
        LogNext::SetAside { count } => {
            let all: u64 = snapshot.network.topics.iter().map(|topic| topic.not_sent_back).sum();
            ensure(count > 0 && count <= all, || format!("{all} are"))
        }
        LogNext::Teams { teams } => {
            let all = readers(snapshot).filter(|group| group.generation > 0).count() as u64;
            ensure(teams > 1 && teams >= all && teams <= readers(snapshot).count() as u64, || {
                format!("{all}")
            })
        }
        LogNext::IdleAhead { idle, partitions } => {
            let all = own.partitions.len() as u64;
            let reading = growths(snapshot, own).len() as u64;
            ensure(partitions == all && idle + reading == own.members, || format!("{reading} of {all}"))
        }
        LogNext::Moved { came, done, window } => moved((came, done), window, snapshot, past),
    }
}

/// The first deletion of something unread comes when it is said to.
fn gone_in(time: Span, snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let now = deleted(topic(snapshot), group(snapshot));
    let stray = Span::from_micros((time.micros() / 20).max(1_000_000));
    let gone = |later: &Snapshot| deleted(topic(later), group(later));
    let seen = ahead(simulation, time + stray, gone);
    let least = time.micros().saturating_sub(stray.micros());
    let before = seen.iter().rev().find(|(span, _)| span.micros() <= least).map_or(now, |(_, gone)| *gone);
    let after = seen.last().map_or(now, |(_, gone)| *gone);
    ensure(after > before, || format!("{now} now, {before} before, {after} after"))
}

/// Every partition that could be meant got no more than that, and one of them that many.
fn came_within(came: u64, window: Span, snapshot: &Snapshot, past: &Past) -> Result<(), String> {
    let start = Instant::from_micros(snapshot.at.micros() - window.micros());
    let Some(before) = past.exactly(start) else { return Ok(()) };
    let lanes = topic(snapshot).partitions.iter().zip(&before.log_ends);
    let mut all = lanes.map(|(now, before)| now.log_end - before);
    let is_so = all.any(|one| one == came);
    ensure(is_so || topic(snapshot).partitions.iter().any(|it| it.log_start > 0), || "others came".to_owned())
}

fn moved(said: (u64, u64), window: Span, snapshot: &Snapshot, past: &Past) -> Result<(), String> {
    let end = Instant::from_seconds(snapshot.at.whole_seconds());
    let start = Instant::from_micros(end.micros() - window.micros());
    let (Some(from), Some(to)) = (past.exactly(start), past.exactly(end)) else { return Ok(()) };
    let came = to.log_ends.iter().sum::<u64>() - from.log_ends.iter().sum::<u64>();
    let done = to.finished.saturating_sub(from.finished);
    ensure(said == (came, done), || format!("{came} came, {done} done"))
}
