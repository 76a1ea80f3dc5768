//! Checkers for what comes next.

use queue_lab::model::command::Command;
use queue_lab::model::series::Resolution;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::Snapshot;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::remark::{Estimate, Next};

use super::forward::{Dials, Future, Missed, ensure};

pub fn check(next: Next, snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let dials = Dials::of(snapshot);
    let queue = &snapshot.queue;
    match next {
        Next::WhatAMessageIs => ensure(snapshot.at == Instant::START, || "it has begun".to_owned()),
        Next::NewcomerWaits(time) => newcomer(time, &dials, simulation),
        Next::EveryNewcomerWaits(time) => {
            ensure(dials.arrivals == dials.capacity, || "it changes".to_owned())?;
            newcomer(time, &dials, simulation)?;
            let mut later = Future::of(simulation);
            later.pass(Span::from_seconds(30));
            newcomer(time, &dials, &later.0)
        }
        Next::OldestStillLate { oldest, newcomer: time } => {
            ensure(queue.oldest_age == Some(oldest), || format!("it is {:?}", queue.oldest_age))?;
            ensure(dials.arrivals < dials.capacity && oldest > time.span, || "it is not late".to_owned())?;
            newcomer(time, &dials, simulation)
        }
        Next::OldestWaits(age) => {
            ensure(queue.oldest_age == Some(age), || format!("it is {:?}", queue.oldest_age))
        }
        Next::ShrinkingWhileFull { percent } => {
            let filled = dials.bound.is_some_and(|bound| queue.waiting * 100 >= bound * percent);
            ensure(filled && dials.arrivals < dials.capacity, || format!("{} wait", queue.waiting))
        }
        Next::LostLately { count, window, were_told } => {
            let (flow, ledger) = (&snapshot.flow, &snapshot.ledger);
            let (lately, ever) =
                if were_told { (flow.rejected, ledger.rejected) } else { (flow.dropped, ledger.dropped()) };
            ensure(count > 0 && (count, window) == (lately, flow.window) && count <= ever, || {
                format!("{flow:?}")
            })
        }
        Next::Moved { accepted, done, window } => {
            let seconds = usize::try_from(window.micros() / 1_000_000).unwrap_or(usize::MAX);
            let lately = simulation.series().finished(Resolution::Second).rev().take(seconds);
            let sums = lately.fold((0, 0), |sum, second| (sum.0 + second.accepted, sum.1 + second.done));
            ensure(seconds > 0 && sums == (accepted, done), || format!("it was {sums:?}"))
        }
        Next::SlowestWaited(span) => {
            let p95 = snapshot.waiting_time_recent.p95.micros();
            ensure(span.micros().abs_diff(p95) <= span.micros() / 4, || format!("it is {p95} µs"))
        }
    }
}

/// Sends one more message in a clone and follows it to its start.
fn newcomer(said: Estimate, dials: &Dials, simulation: &Simulation) -> Result<(), String> {
    let mut future = Future::of(simulation);
    let before = future.0.ledger();
    assert_eq!(future.0.apply(Command::Burst { count: 1 }), Ok(()));
    let joined = future.pass(Span::ZERO);
    if joined.waiting != before.waiting + 1 {
        // It found no room, so the sentence is not about it.
        return Ok(());
    }
    let ahead = joined.waiting;
    let micros = said.span.micros();
    let stray = if said.is_about {
        // Six standard deviations of the sum of exponential services.
        (6 * micros / (ahead.isqrt().max(1))).max(2_000_000)
    } else {
        (micros / 20).max(1_000_000)
    };
    let started = joined.done + joined.in_flight;
    let limit = Span::from_micros(micros + stray);
    let has_started = |run: &Simulation| run.ledger().done + run.ledger().in_flight >= started + ahead;
    let waited = future.first(limit, has_started);
    let lost = future.0.ledger().dropped_oldest - joined.dropped_oldest;
    ensure(lost == 0 || dials.has_chance, || format!("{lost} were pushed out before it"))?;
    match waited {
        Ok(span) => ensure(span.micros() + stray >= micros, || format!("it waited {span} s")),
        Err(Missed::Never) => Err(format!("it still waited after {limit} s")),
        Err(Missed::TooCostly) => Ok(()),
    }
}
