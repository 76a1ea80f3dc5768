//! When a record of a partition is reached: what a person is told who lets one fail.
//!
//! A member is one server for all of its partitions, which it reads in turn. So before a record come those
//! of its partition that stand before it, and of each other partition of the member as many, as far as
//! there are any.

use crate::model::group::GroupState;
use crate::model::rate::Rate;
use crate::model::settings::{ArrivalPattern, ServiceTime, Settings};
use crate::model::snapshot::ConsumerHealth;
use crate::model::snapshot::Snapshot;
use crate::model::snapshot::network::{GroupSnapshot, LaneSnapshot, PoolSnapshot, TopicSnapshot};
use crate::model::time::Span;

use super::facts::{LogFacts, Team};

/// A record that has less before it than this is reached at once.
const AT_ONCE: Span = Span::from_micros(500_000);

/// When a record is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Nothing is before it.
    AtOnce,
    /// In about this time.
    About(Span),
    /// Its partition stands still, so nobody can tell.
    Stuck,
    /// So many are before it, and nobody can tell how long these take.
    Behind(u64),
}

/// When the next record that comes to `partition` is reached by the first team that reaches it. It
/// `is_sent_now`, or comes when the producer sends it.
#[must_use]
#[inline(never)]
pub fn next_record(snapshot: &Snapshot, settings: &Settings, partition: u32, is_sent_now: bool) -> Reached {
    let Some(facts) = LogFacts::of(snapshot) else { return Reached::Behind(0) };
    let comes_in = if is_sent_now { Some(Span::ZERO) } else { comes_in(&facts, settings, partition) };
    let teams = facts.teams().filter_map(|team| {
        let ahead = team.group.partitions.get(partition as usize)?.lag;
        Some(reached(&facts, &team, settings, partition, ahead))
    });
    let first = teams.min_by_key(|reached| match reached {
        Reached::AtOnce => (0, 0),
        Reached::About(span) => (1, span.micros()),
        Reached::Behind(count) => (2, *count),
        Reached::Stuck => (3, 0),
    });
    match (first, comes_in) {
        (Some(Reached::AtOnce | Reached::About(_)), None) => {
            let lags =
                facts.teams().filter_map(|team| Some(team.group.partitions.get(partition as usize)?.lag));
            Reached::Behind(lags.min().unwrap_or_default())
        }
        (Some(Reached::AtOnce), Some(comes_in)) => in_about(comes_in),
        // Those before it are worked on while it is still to come.
        (Some(Reached::About(span)), Some(comes_in)) => in_about(span.max(comes_in)),
        (Some(other), _) => other,
        (None, _) => Reached::Behind(0),
    }
}

/// When a record is reached that has `ahead` of those that a group has not done before it.
#[must_use]
#[inline(never)]
pub fn record_ahead(
    snapshot: &Snapshot,
    settings: &Settings,
    group: &GroupSnapshot,
    partition: u32,
    ahead: u64,
) -> Reached {
    let Some(facts) = LogFacts::of(snapshot) else { return Reached::Behind(ahead) };
    let pool = snapshot.network.pools.iter().find(|pool| pool.name == group.name);
    match pool {
        Some(pool) => reached(&facts, &Team { group, pool }, settings, partition, ahead),
        None => Reached::Behind(ahead),
    }
}

fn in_about(span: Span) -> Reached {
    if span < AT_ONCE { Reached::AtOnce } else { Reached::About(span) }
}

fn reached(
    facts: &LogFacts<'_>,
    team: &Team<'_>,
    settings: &Settings,
    partition: u32,
    ahead: u64,
) -> Reached {
    let Some(lane) = team.group.partitions.get(partition as usize) else { return Reached::Behind(ahead) };
    if lane.is_stuck() && team.pool.attempts_max.is_none() {
        return Reached::Stuck;
    }
    if !facts.takes_every_message() || !reads_evenly(facts, team, lane, ahead) {
        return Reached::Behind(ahead);
    }
    if ahead == 0 && own_lanes(team, lane).all(|own| own.in_hand == 0) {
        return Reached::AtOnce;
    }
    let span = if is_even(settings) { time_for(facts, team, lane, ahead) } else { None };
    span.map_or(Reached::Behind(ahead), in_about)
}

/// The partitions of a lane's reader, that one included.
fn own_lanes<'a>(team: &Team<'a>, lane: &LaneSnapshot) -> impl Iterator<Item = &'a LaneSnapshot> {
    let reader = lane.reader;
    team.group.partitions.iter().filter(move |other| other.reader == reader)
}

/// Whether each record takes the same time, and comes at the same pace.
fn is_even(settings: &Settings) -> bool {
    let defaults = Settings::default();
    settings.service_time == ServiceTime::Fixed
        && settings.arrivals == ArrivalPattern::Steady
        && settings.downstream_rate.is_none()
        && (settings.message_keys, settings.hot_key_share) == (0, 0)
        && (settings.failure_share, settings.poison_share) == (0, 0)
        && (settings.receive_batch, settings.batch_cost) == (defaults.receive_batch, defaults.batch_cost)
        && settings.drain_limit.is_none()
        && settings.processing_order == defaults.processing_order
}

/// Whether a lane's reader works, and none of the first `ahead` of its partitions fails or was written by
/// another schema than it reads.
fn reads_evenly(facts: &LogFacts<'_>, team: &Team<'_>, lane: &LaneSnapshot, ahead: u64) -> bool {
    let fails =
        |own: &LaneSnapshot| own.head_fails || own.poison_offsets().any(|offset| offset < own.head + ahead);
    let works = |own: &LaneSnapshot| {
        let goes_on = !own.is_stopped && own.paused_for.is_none();
        own.reader_health == Some(ConsumerHealth::Up) && goes_on && !fails(own)
    };
    let mut producers = facts.snapshot.network.producers.iter();
    let reads = producers.all(|one| one.to != team.group.from || one.schema == team.pool.schema);
    let takes_part = lane.reader.is_some() && team.group.state == GroupState::Stable;
    reads
        && takes_part
        && !team.pool.is_stopped
        && !team.pool.rate_each.is_zero()
        && !team.group.shares_work
        && own_lanes(team, lane).all(works)
}

/// How long a reader takes for the first `ahead` of a partition, and for as many of each other one of its,
/// but at least for one of each.
fn time_for(facts: &LogFacts<'_>, team: &Team<'_>, lane: &LaneSnapshot, ahead: u64) -> Option<Span> {
    let each = share_of_each(facts.arrivals, facts.topic);
    let mut span = time_at(team.pool, ahead)?;
    // What comes to the other partitions meanwhile has its turn too, but never more than this one has.
    for _ in 0..8 {
        let come = messages_in(each, span);
        let turns = |own: &LaneSnapshot| (own.lag + come).min(ahead.max(1));
        let others = own_lanes(team, lane).map(turns).sum::<u64>() - turns(lane);
        span = time_at(team.pool, ahead + others)?;
    }
    Some(span)
}

fn time_at(pool: &PoolSnapshot, count: u64) -> Option<Span> {
    let micros = u128::from(count) * 1_000_000_000;
    let micros = micros.checked_div(u128::from(pool.rate_each.thousandths()))?;
    u64::try_from(micros).ok().map(Span::from_micros)
}

fn share_of_each(arrivals: Rate, topic: &TopicSnapshot) -> u64 {
    arrivals.thousandths() / (topic.partitions.len() as u64).max(1)
}

fn messages_in(thousandths: u64, span: Span) -> u64 {
    let messages = u128::from(thousandths) * u128::from(span.micros()) / 1_000_000_000;
    u64::try_from(messages).unwrap_or(u64::MAX)
}

/// When the next record comes to a partition: records go to all in turn.
fn comes_in(facts: &LogFacts<'_>, settings: &Settings, partition: u32) -> Option<Span> {
    let has_turns = (settings.message_keys, settings.hot_key_share) == (0, 0);
    let rate = facts.arrivals.thousandths();
    if !has_turns || rate == 0 || settings.arrivals != ArrivalPattern::Steady {
        return None;
    }
    let count = u32::try_from(facts.topic.partitions.len()).ok()?;
    let newest =
        (0_u32..).zip(&facts.topic.partitions).filter_map(|(at, stored)| Some((stored.newest_at?, at)));
    let last = newest.max().map(|(_, at)| at);
    let turns = last.map_or(partition + 1, |last| (partition + count - last - 1) % count + 1);
    let micros = u64::from(turns).saturating_mul(1_000_000_000) / rate;
    Some(Span::from_micros(micros))
}
