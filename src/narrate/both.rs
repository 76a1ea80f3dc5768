//! What is said while the run that is shown is a queue and a log that get the same messages: what the
//! two do differently with them.
//!
//! It goes as elsewhere: facts first, words second. How fast either goes is not told here: each side has
//! its own page for that. Only the time to a full queue is, because the log knows no such end.

use super::course::Course;
use super::holds::is_near;
use super::log::holds::is_about;
use super::narrator::Visible;
use super::remark::{Account, Estimate, Remark, Tone};
use super::words::Words;
use crate::model::outlook::NextEvent;
use crate::model::rate::Rate;
use crate::model::settings::{ArrivalPattern, ServiceTime};
use crate::model::snapshot::network::{GroupSnapshot, LaneSnapshot, TopicSnapshot};
use crate::model::snapshot::{BrokerState, Snapshot};
use crate::model::time::{Instant, Span};
use crate::narrate::locale::Field;

/// What is happening on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothRemark {
    /// Nothing has happened yet.
    AtRest {
        /// What the producer's dial asks for, on each side.
        arrivals: Rate,
        /// Whether a Start button is on the page, so that it can be named.
        names_start: bool,
    },
    /// The broker of both is not there, or is failing over.
    BrokerDown,
    /// The next record of a partition fails every time, and all behind it wait.
    Stuck {
        /// The partition, counted from 0: of several the one with the greatest lag.
        partition: u32,
        /// Records that wait behind it.
        behind: u64,
        /// Consumers of the queue that have such a message in hand.
        busy: u64,
        /// All consumers of the queue.
        consumers: u64,
    },
    /// Two teams take from the queue, and two read the log.
    Teams,
    /// The queue has refused or dropped some of what the log has kept.
    Lost {
        /// How many.
        lost: u64,
        /// Records that the first team of the log has yet to finish.
        behind: u64,
    },
    /// Something waits on either side.
    Behind {
        /// Messages waiting in the queue.
        waiting: u64,
        /// Records that the first team of the log has yet to finish.
        behind: u64,
    },
    /// Nothing waits that is not at once taken.
    KeepUp,
}

/// What comes next on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothNext {
    /// The queue reaches its bound.
    FullIn(Span),
}

/// A snapshot of both sides.
#[derive(Clone, Copy, Debug)]
pub struct BothFacts<'a> {
    snapshot: &'a Snapshot,
    topic: &'a TopicSnapshot,
    team: &'a GroupSnapshot,
    teams_of_log: usize,
    teams_of_queue: usize,
}

impl<'a> BothFacts<'a> {
    /// The facts of `snapshot`, if the first producer sends to a queue and another one sends the same
    /// messages to a topic that a group reads.
    #[must_use]
    #[inline(never)]
    pub fn of(snapshot: &'a Snapshot) -> Option<Self> {
        let network = &snapshot.network;
        let other = network.producers.iter().find(|producer| producer.like == Some(0))?;
        let topic = network.topics.iter().find(|topic| topic.name == other.to)?;
        let is_of_queue = network.producers.first().is_some_and(|first| first.to == snapshot.queue.name);
        let reads = |group: &&GroupSnapshot| group.from == topic.name && has_begun(group);
        let takes = network.pools.iter().filter(|pool| pool.from == snapshot.queue.name && pool.count > 0);
        let team = network.groups.iter().find(reads)?;
        let teams_of_log = network.groups.iter().filter(reads).count();
        is_of_queue.then(|| Self { snapshot, topic, team, teams_of_log, teams_of_queue: takes.count() })
    }

    fn waiting(&self) -> u64 {
        self.snapshot.queue.waiting
    }

    /// What may wait although everybody keeps up.
    fn slack(&self) -> u64 {
        2 * self.snapshot.consumers.count.max(self.topic.partitions.len() as u64)
    }

    /// Where the head of a partition was tried and fails every time.
    fn stuck(&self) -> Option<(u32, &LaneSnapshot)> {
        let lanes = (0_u32..).zip(&self.team.partitions);
        let stuck = lanes.filter(|(_, lane)| lane.head_fails && lane.head_attempts > 0);
        stuck.max_by_key(|(partition, lane)| (lane.lag, u32::MAX - partition))
    }
}

fn has_begun(group: &GroupSnapshot) -> bool {
    group.members > 0 || group.partitions.iter().any(|lane| lane.committed.is_some())
}

/// What is said of both sides in a run with that `course`.
#[must_use]
pub fn tell(facts: &BothFacts<'_>, visible: Visible, course: &Course) -> Account {
    let happening = happening(facts, visible);
    let next = next(facts, happening, course).map(Remark::BothNext);
    Account { happening: Remark::Both(happening), until: None, next, advice: None }
}

fn happening(facts: &BothFacts<'_>, visible: Visible) -> BothRemark {
    let snapshot = facts.snapshot;
    let consumers = || snapshot.consumers.of_queue();
    if snapshot.at == Instant::START && snapshot.ledger.offered == 0 {
        return BothRemark::AtRest { arrivals: snapshot.producer.rate, names_start: visible.start };
    }
    if snapshot.broker.state != BrokerState::Up {
        return BothRemark::BrokerDown;
    }
    if let Some((partition, lane)) = facts.stuck() {
        let busy = consumers().filter(|one| one.work.is_some_and(|work| work.is_poison)).count() as u64;
        let behind = lane.lag.saturating_sub(1);
        return BothRemark::Stuck { partition, behind, busy, consumers: consumers().count() as u64 };
    }
    let (lost, behind, waiting) = (snapshot.ledger.refused_or_dropped(), facts.team.lag, facts.waiting());
    if facts.teams_of_queue > 1 && facts.teams_of_log > 1 {
        return BothRemark::Teams;
    }
    match () {
        () if lost > 0 => BothRemark::Lost { lost, behind },
        () if waiting.max(behind) > facts.slack() => BothRemark::Behind { waiting, behind },
        () => BothRemark::KeepUp,
    }
}

/// When the queue is full, where its own dials tell that and every message takes the same time.
fn next(facts: &BothFacts<'_>, happening: BothRemark, course: &Course) -> Option<BothNext> {
    let snapshot = facts.snapshot;
    let is_even = snapshot.producer.arrivals == ArrivalPattern::Steady
        && snapshot.consumers.service_time == ServiceTime::Fixed;
    let fills = matches!(happening, BothRemark::Behind { .. } | BothRemark::KeepUp);
    let NextEvent::FullIn(span) = snapshot.outlook.next else { return None };
    let is_in_sight = course.acts_at().is_none_or(|acts_at| span < acts_at.since(snapshot.at));
    (course.is_plain() && is_even && fills && is_in_sight).then_some(BothNext::FullIn(span))
}

/// Whether what was said is still true, where `fresh` is what would be said now.
#[must_use]
#[inline(never)]
pub fn happening_holds(said: BothRemark, fresh: BothRemark) -> bool {
    match (said, fresh) {
        (
            BothRemark::Stuck { partition, behind, busy, consumers },
            BothRemark::Stuck {
                partition: now_at,
                behind: now_behind,
                busy: now_busy,
                consumers: now_consumers,
            },
        ) => {
            (partition, busy, consumers) == (now_at, now_busy, now_consumers) && is_about(behind, now_behind)
        }
        (BothRemark::Lost { lost, behind }, BothRemark::Lost { lost: now_lost, behind: now_behind }) => {
            is_about(lost, now_lost) && is_about(behind, now_behind)
        }
        (
            BothRemark::Behind { waiting, behind },
            BothRemark::Behind { waiting: now_waiting, behind: now_behind },
        ) => is_about(waiting, now_waiting) && is_about(behind, now_behind),
        _ => said == fresh,
    }
}

/// Whether what was said to come next still is so.
#[must_use]
#[inline(never)]
pub fn next_holds(said: BothNext, fresh: BothNext) -> bool {
    let (BothNext::FullIn(said), BothNext::FullIn(now)) = (said, fresh);
    is_near(Estimate { span: said, is_about: false }, now)
}

/// What is happening, in words.
#[inline(never)]
pub(super) fn say(words: &mut Words<'_>, remark: BothRemark) {
    match remark {
        BothRemark::AtRest { arrivals, names_start } => {
            words.say("both.at_rest", &[("arrivals", Field::Rate(arrivals))]);
            if names_start {
                words.say_plain("both.at_rest.start");
            }
        }
        BothRemark::BrokerDown => words.say_plain("both.broker_down"),
        BothRemark::Stuck { partition, behind, busy, consumers } => {
            let fields =
                [("partition", Field::Count(u64::from(partition))), ("behind", Field::Count(behind))];
            words.say("both.stuck", &fields);
            if busy > 0 {
                let fields = [("busy", Field::Count(busy)), ("consumers", Field::Count(consumers))];
                words.say("both.stuck.queue", &fields);
            }
        }
        BothRemark::Teams => words.say_plain("both.teams"),
        BothRemark::Lost { lost, behind } => {
            words.say("both.lost", &[("lost", Field::Count(lost))]);
            words.say("both.lost.log", &[("behind", Field::Count(behind))]);
        }
        BothRemark::Behind { waiting, behind } => {
            words.say("both.waiting", &[("waiting", Field::Count(waiting))]);
            words.say("both.behind", &[("behind", Field::Count(behind))]);
        }
        BothRemark::KeepUp => words.say_plain("both.keep_up"),
    }
}

/// What comes next, in words.
#[inline(never)]
pub(super) fn say_next(words: &mut Words<'_>, next: BothNext) {
    match next {
        BothNext::FullIn(span) => words.say("both.next.full", &[("time", Field::Time(span))]),
    }
}

impl BothRemark {
    /// Its name, as in events.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::AtRest { .. } => "both-at-rest",
            Self::BrokerDown => "both-broker-down",
            Self::Stuck { .. } => "both-stuck",
            Self::Teams => "both-teams",
            Self::Lost { .. } => "both-lost",
            Self::Behind { .. } => "both-behind",
            Self::KeepUp => "both-keep-up",
        }
    }

    /// How it feels.
    #[must_use]
    pub const fn tone(&self) -> Tone {
        match self {
            Self::BrokerDown | Self::Stuck { .. } | Self::Lost { .. } => Tone::Alarm,
            Self::Behind { .. } => Tone::Warning,
            Self::AtRest { .. } | Self::Teams | Self::KeepUp => Tone::Calm,
        }
    }
}
