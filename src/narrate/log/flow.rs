//! Where the lag of a group is heading, if no dial moves: the fluid forecast.
//!
//! Records go to all partitions in turn, and a member is one server for all of its partitions. So what
//! arrives at a member is its share of the partitions, its lag moves at the difference to its rate, and
//! nothing that another member could do helps.

use super::super::remark::Estimate;
use super::facts::{LogFacts, Team};
use super::remark::LogPace;
use crate::model::rate::Rate;
use crate::model::time::Span;

/// A distance this many times the jitter is so long that the jitter is 5 % of it.
const EXACT_FROM_JITTERS: u64 = 20;

/// Nearer than this many jitters no time is said.
const SOME_TIME_FROM_JITTERS: u64 = 4;

/// What a member has to do.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// Which member.
    reader: u64,
    /// Partitions that it reads.
    partitions: u64,
    /// Their lag.
    behind: u64,
}

/// Where the lag of a group is heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Every member keeps up, and none is behind.
    UpToDate,
    /// As many come to those that are behind as they finish.
    Level,
    /// Those that are behind catch up, the last of them in this time, where it can be told.
    Draining(Option<Estimate>),
    /// Some fall behind and none catches up; so much is done.
    Growing(Rate),
    /// Some do this and some do that.
    Mixed,
}

/// The flow of a group of the log, where every partition has a reader that works and the dials tell
/// everything; `None` elsewhere.
#[must_use]
pub fn flow(facts: &LogFacts<'_>, team: &Team<'_>) -> Option<Flow> {
    let is_known = facts.is_even && facts.takes_every_message() && team.works_everywhere();
    is_known.then(|| {
        let members = Members { loads: loads(team), facts, each: team.pool.rate_each.thousandths() };
        members.flow()
    })
}

/// In and out of a group.
#[must_use]
pub fn pace(facts: &LogFacts<'_>, team: &Team<'_>) -> LogPace {
    let readers = loads(team).len() as u64;
    LogPace { arrivals: facts.arrivals, capacity: team.pool.rate_each.times(readers), readers }
}

fn loads(team: &Team<'_>) -> Vec<Load> {
    let mut loads: Vec<Load> = Vec::new();
    for lane in &team.group.partitions {
        let Some(reader) = lane.reader else { continue };
        match loads.iter_mut().find(|load| load.reader == reader) {
            Some(load) => {
                load.partitions += 1;
                load.behind += lane.lag;
            }
            None => loads.push(Load { reader, partitions: 1, behind: lane.lag }),
        }
    }
    loads
}

struct Members<'a> {
    loads: Vec<Load>,
    facts: &'a LogFacts<'a>,
    /// Thousandths a second.
    each: u64,
}

impl Members<'_> {
    fn flow(&self) -> Flow {
        let is_behind = |load: &&Load| load.behind > 2 * load.partitions;
        let growing = self.loads.iter().filter(|load| self.growth(load) > 0).count();
        let shrinking = self.loads.iter().filter(is_behind).filter(|load| self.growth(load) < 0).count();
        let level = self.loads.iter().filter(is_behind).filter(|load| self.growth(load) == 0).count();
        match (growing, shrinking, level) {
            (0, 0, 0) => Flow::UpToDate,
            (0, 0, _) => Flow::Level,
            (0, _, 0) => Flow::Draining(self.caught_up_in()),
            (_, 0, _) => Flow::Growing(self.done()),
            _ => Flow::Mixed,
        }
    }

    /// By how much more comes to a member than it finishes, in thousandths a second, times all
    /// partitions.
    fn growth(&self, load: &Load) -> i128 {
        let partitions = i128::from(self.facts.partitions());
        let arrivals = i128::from(self.facts.arrivals.thousandths()) * i128::from(load.partitions);
        arrivals - i128::from(self.each) * partitions
    }

    /// What is done where nobody has to catch up.
    fn done(&self) -> Rate {
        let partitions = u128::from(self.facts.partitions()).max(1);
        let of = |load: &Load| {
            let arrivals = u128::from(self.facts.arrivals.thousandths()) * u128::from(load.partitions);
            arrivals.min(u128::from(self.each) * partitions)
        };
        let sum: u128 = self.loads.iter().map(of).sum();
        Rate::from_thousandths(u64::try_from(sum / partitions).unwrap_or(u64::MAX))
    }

    fn caught_up_in(&self) -> Option<Estimate> {
        let mut last: Option<Estimate> = None;
        for load in self.loads.iter().filter(|load| load.behind > 2 * load.partitions) {
            let one = self.caught_up(load)?;
            let is_about = last.is_some_and(|last| last.is_about) || one.is_about;
            let span = last.map_or(one.span, |last| last.span.max(one.span));
            last = Some(Estimate { span, is_about });
        }
        last.filter(|last| self.facts.is_in_sight(last.span))
    }

    fn caught_up(&self, load: &Load) -> Option<Estimate> {
        let partitions = u128::from(self.facts.partitions());
        let speed = self.growth(load).unsigned_abs();
        // The one that it has in hand is no lag that could go away.
        let distance = load.behind.saturating_sub(1);
        let micros = u128::from(distance) * partitions * 1_000_000_000;
        let span = Span::from_micros(u64::try_from(micros.checked_div(speed)?).ok()?);
        let jitter = load.partitions + 1;
        let is_exact = u128::from(jitter) * partitions * 1_000 <= speed
            || distance >= jitter.saturating_mul(EXACT_FROM_JITTERS);
        let is_near = distance < jitter.saturating_mul(SOME_TIME_FROM_JITTERS);
        (is_exact || !is_near).then_some(Estimate { span, is_about: !is_exact })
    }
}
