//! What comes next and what to try, once it is clear what is happening.

use super::facts::Facts;
use super::narrator::Visible;
use super::remark::{Account, Advice, Estimate, Limit, Next, Pace, Remark};
use crate::model::outlook::NextEvent;
use crate::model::rate::Rate;
use crate::model::settings::{CONSUMERS_MAX, OverflowPolicy};
use crate::model::time::Span;

/// A newcomer's wait below this is not worth a line.
const WORTH_SAYING: Span = Span::from_millis(500);

/// The oldest is late when it has waited half as long again as a newcomer will, ...
const LATE_NUMERATOR: u64 = 3;
const LATE_DENOMINATOR: u64 = 2;

/// ... and at least so long.
const LATE_FROM: Span = Span::from_seconds(5);

/// From here on a shrinking line is said to be well filled.
const WELL_FILLED_PERCENT: u64 = 50;

/// A measured number that is being said goes on being said until it is off by a quarter.
const KEEP_WITHIN_FRACTION: u64 = 4;

/// What comes next.
pub(super) fn next(happening: &Remark, facts: &Facts<'_>, before: &Account) -> Option<Remark> {
    let next = match happening {
        Remark::AtRest { .. } => Some(Next::WhatAMessageIs),
        Remark::LevelWithBacklog { .. } if facts.horizon.is_none() => {
            every_newcomer(facts).map(Next::EveryNewcomerWaits)
        }
        Remark::LevelWithBacklog { .. }
        | Remark::WillFillIn { .. }
        | Remark::GrowingWithoutBound { .. }
        | Remark::WillRunOutOfMemory { .. }
        | Remark::Full { .. }
        | Remark::MemoryAlarm { .. } => newcomer(facts).map(Next::NewcomerWaits),
        Remark::DrainingIn { .. } => while_draining(facts),
        Remark::Stopped { .. } => facts.snapshot.queue.oldest_age.map(Next::OldestWaits),
        Remark::HoveringAtBound { limit: Limit::Bound, .. } | Remark::NoRoom { .. } => lost_lately(facts),
        Remark::KeepingUpButWaiting { .. } | Remark::Balanced { .. } => slowest(facts, before),
        _ => None,
    };
    next.map(Remark::Next)
}

fn newcomer(facts: &Facts<'_>) -> Option<Estimate> {
    let span = facts
        .snapshot
        .queue
        .newcomer_wait
        .filter(|span| *span >= WORTH_SAYING && facts.is_in_sight(*span))?;
    let may_be_pushed_out =
        facts.overflow() == OverflowPolicy::DropOldest && !is_started_before_full(span, facts);
    (!may_be_pushed_out).then_some(Estimate { span, is_about: facts.has_chance() })
}

/// What one newcomer waits now, others will wait too, as far as the flow is even.
fn every_newcomer(facts: &Facts<'_>) -> Option<Estimate> {
    let one = newcomer(facts)?;
    facts.finishing(one.span, facts.waiting(), facts.pace.capacity)
}

/// Where the oldest is dropped, a full line moves faster than the consumers take from it, and
/// whoever joined before may be pushed out instead of served.
fn is_started_before_full(wait: Span, facts: &Facts<'_>) -> bool {
    match facts.snapshot.outlook.next {
        // With a margin: the line touches its bound before the even stream does.
        NextEvent::FullIn(span) => facts.pace.is_even() && wait + wait + LATE_FROM < span,
        NextEvent::StaysFull => false,
        // A level line may touch its bound for a moment.
        _ => facts
            .bound()
            .is_none_or(|bound| facts.pace.is_even() && facts.waiting() + 2 * facts.slack() < bound),
    }
}

fn while_draining(facts: &Facts<'_>) -> Option<Next> {
    lost_lately(facts)
        .or_else(|| oldest_still_late(facts))
        .or_else(|| well_filled(facts))
        .or_else(|| newcomer(facts).map(Next::NewcomerWaits))
}

#[inline(never)]
fn oldest_still_late(facts: &Facts<'_>) -> Option<Next> {
    let oldest = facts.snapshot.queue.oldest_age.filter(|oldest| *oldest >= LATE_FROM)?;
    let newcomer = newcomer(facts)?;
    let is_late = oldest.micros().saturating_mul(LATE_DENOMINATOR)
        >= newcomer.span.micros().saturating_mul(LATE_NUMERATOR);
    is_late.then_some(Next::OldestStillLate { oldest, newcomer })
}

#[inline(never)]
fn well_filled(facts: &Facts<'_>) -> Option<Next> {
    let percent = facts.waiting().saturating_mul(100).checked_div(facts.bound()?)?;
    // In steps of ten, so that the line does not count down.
    let percent = (percent / 10 * 10).min(90);
    (percent >= WELL_FILLED_PERCENT).then_some(Next::ShrinkingWhileFull { percent })
}

fn lost_lately(facts: &Facts<'_>) -> Option<Next> {
    let flow = &facts.snapshot.flow;
    let (count, were_told) = if flow.rejected > 0 { (flow.rejected, true) } else { (flow.dropped, false) };
    (count > 0).then_some(Next::LostLately { count, window: flow.window, were_told })
}

/// What moved lately, of which losses are the first to be told.
#[inline(never)]
pub(super) fn moved(facts: &Facts<'_>) -> Option<Remark> {
    let flow = &facts.snapshot.flow;
    let moved = Next::Moved { accepted: flow.accepted, done: flow.done, window: flow.window };
    let moved = (flow.window > Span::ZERO).then_some(moved);
    lost_lately(facts).or(moved).map(Remark::Next)
}

#[inline(never)]
fn slowest(facts: &Facts<'_>, before: &Account) -> Option<Next> {
    let now = facts.snapshot.waiting_time_recent.p95;
    if let Some(Remark::Next(Next::SlowestWaited(said))) = before.next
        && said.micros().abs_diff(now.micros()) <= said.micros() / KEEP_WITHIN_FRACTION
    {
        return Some(Next::SlowestWaited(said));
    }
    (now >= WORTH_SAYING).then_some(Next::SlowestWaited(now))
}

/// What to try, naming only what is on screen.
pub(super) fn advice(happening: &Remark, facts: &Facts<'_>, visible: Visible) -> Option<Remark> {
    let pace = &facts.pace;
    let advice = match happening {
        Remark::WillFillIn { pace, .. }
        | Remark::GrowingWithoutBound { pace, .. }
        | Remark::WillRunOutOfMemory { pace, .. } => against_growth(pace, false, visible),
        Remark::Full { pace, .. } => against_growth(pace, true, visible),
        // More or faster consumers would find no more messages in a memory that is too small.
        Remark::MemoryAlarm { pace, .. } => {
            against_growth(pace, true, Visible { consumer_rate: false, consumer_count: false, ..visible })
        }
        Remark::LevelWithBacklog { .. } => against_backlog(pace, visible),
        Remark::Matched { .. } | Remark::KeepingUp { .. } => {
            let can_rise = visible.producer_rate && pace.capacity < Rate::MAX;
            can_rise.then_some(Advice::SpeedUpProducerAbove(pace.capacity))
        }
        Remark::Balanced { .. } => above(pace, visible),
        Remark::KeepingUpButWaiting { .. } => visible.consumer_rate.then_some(Advice::ShortenWaits),
        Remark::Idle { is_working: false } => against_silence(visible),
        Remark::Stopped { .. } => above(pace, visible),
        Remark::NoRoom { .. } => visible.queue_bound.then_some(Advice::AllowWaiting),
        Remark::HoveringAtBound { limit: Limit::Bound, .. } => {
            visible.queue_bound.then_some(Advice::RaiseBound)
        }
        _ => None,
    };
    advice.map(Remark::Advice)
}

/// A producer that was paused goes on by the button that paused it.
fn against_silence(visible: Visible) -> Option<Advice> {
    match visible {
        Visible { producer_pause: true, .. } => Some(Advice::EndPause),
        Visible { producer_rate: true, .. } => Some(Advice::StartProducer),
        _ => None,
    }
}

fn against_growth(pace: &Pace, is_full: bool, visible: Visible) -> Option<Advice> {
    if visible.producer_rate && !pace.capacity.is_zero() {
        return Some(if pace.is_even() {
            Advice::SlowProducerTo { capacity: pace.capacity, is_full }
        } else {
            Advice::SlowProducerBelow(pace.capacity)
        });
    }
    let each = Rate::from_thousandths(pace.arrivals.thousandths().div_ceil(pace.consumers.max(1)));
    if visible.consumer_rate && each <= Rate::MAX {
        return Some(Advice::SpeedUpConsumersTo { each, consumers: pace.consumers });
    }
    let rate_of_one = pace.capacity.thousandths().checked_div(pace.consumers)?;
    let needed =
        pace.arrivals.thousandths().checked_add(rate_of_one)?.saturating_sub(1).checked_div(rate_of_one)?;
    (visible.consumer_count && needed <= CONSUMERS_MAX).then_some(Advice::AddConsumers(needed))
}

fn against_backlog(pace: &Pace, visible: Visible) -> Option<Advice> {
    if visible.producer_rate {
        return Some(Advice::SlowProducerBelow(pace.capacity));
    }
    above(pace, visible)
}

#[inline(never)]
fn above(pace: &Pace, visible: Visible) -> Option<Advice> {
    let each = Rate::from_thousandths(pace.capacity.thousandths().checked_div(pace.consumers)?);
    let can_rise = visible.consumer_rate && each < Rate::MAX;
    can_rise.then_some(Advice::SpeedUpConsumersAbove { each, consumers: pace.consumers })
}
