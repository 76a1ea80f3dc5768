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
use crate::model::settings::{ArrivalPattern, Bound, OverflowPolicy, ServiceTime};
use crate::model::snapshot::network::{
    GroupSnapshot, LaneSnapshot, PoolSnapshot, SenderSnapshot, TopicSnapshot,
};
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
    /// The queue is at its bound and its producer has to wait; that of the log has not.
    HeldBack {
        /// The greatest lag of a team of the log.
        behind: u64,
    },
    /// The queue is at its bound and has refused or dropped some of what the log has kept.
    Lost {
        /// How many, since the start.
        lost: u64,
        /// The greatest lag of a team of the log.
        behind: u64,
    },
    /// Something waits on either side.
    Behind {
        /// Messages waiting in the queue.
        waiting: u64,
        /// The greatest lag of a team of the log.
        behind: u64,
    },
    /// Several teams take from the queue, and several read the log; nothing waits for long.
    Teams,
    /// Nothing waits that is not soon taken.
    KeepUp {
        /// How long the log keeps a record at least; none: for ever.
        kept_for: Option<Span>,
    },
}

/// What comes next on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothNext {
    /// The queue reaches its bound.
    FullIn(Span),
    /// So many records were deleted before a team had read them.
    DeletedUnread(u64),
}

/// A snapshot of both sides.
#[derive(Clone, Copy, Debug)]
pub struct BothFacts<'a> {
    snapshot: &'a Snapshot,
    topic: &'a TopicSnapshot,
    /// Who sends to the topic.
    other: &'a SenderSnapshot,
}

impl<'a> BothFacts<'a> {
    /// The facts of `snapshot`, if one producer sends to the only queue, and another one sends the same
    /// messages at the same rate to a topic that a group reads.
    #[must_use]
    #[inline(never)]
    pub fn of(snapshot: &'a Snapshot) -> Option<Self> {
        let network = &snapshot.network;
        let [first, other] = network.producers.as_slice() else { return None };
        let topic = network.topics.iter().find(|topic| topic.name == other.to)?;
        // The common queue for dead letters comes last.
        let is_only_queue = network.queues.len() == 2 && first.to == snapshot.queue.name;
        let facts = Self { snapshot, topic, other };
        let is_so = is_only_queue && other.like == Some(0) && other.rate == first.rate;
        (is_so && facts.teams_of_log().next().is_some()).then_some(facts)
    }

    /// The groups that read the topic and have begun.
    fn teams_of_log(&self) -> impl Iterator<Item = &'a GroupSnapshot> + use<'a> {
        let name = self.topic.name.as_str();
        self.snapshot.network.groups.iter().filter(move |group| group.from == name && has_begun(group))
    }

    /// The pools that take from the queue and have begun.
    fn teams_of_queue(&self) -> impl Iterator<Item = &'a PoolSnapshot> + use<'a> {
        let name = self.snapshot.queue.name.as_str();
        self.snapshot.network.pools.iter().filter(move |pool| pool.from == name && pool.count > 0)
    }

    fn partitions(&self) -> u64 {
        self.topic.partitions.len() as u64
    }

    /// The greatest lag of a team.
    fn behind(&self) -> u64 {
        self.teams_of_log().map(|team| team.lag).max().unwrap_or_default()
    }

    /// Whether the queue is at its bound, but for what consumers have just taken.
    fn is_full(&self) -> bool {
        let (queue, consumers) = (&self.snapshot.queue, self.snapshot.consumers.count);
        matches!(queue.bound, Bound::Messages(bound) if queue.is_at(bound, consumers))
    }

    /// Whether on each side more can be done than comes, and little waits.
    fn keeps_up(&self) -> bool {
        let arrivals = self.other.rate.thousandths();
        let takers = |team: &PoolSnapshot| team.rate_each.thousandths().saturating_mul(team.members);
        let of_queue: u64 = self.teams_of_queue().map(takers).fold(0, u64::saturating_add);
        let does = |group: &GroupSnapshot| {
            let pool = self.snapshot.network.pools.iter().find(|pool| pool.name == group.name);
            let readers = group.members.saturating_sub(group.idle_members).min(self.partitions());
            pool.map_or(0, |pool| pool.rate_each.thousandths().saturating_mul(readers))
        };
        let few = FEW_EACH * self.snapshot.consumers.count;
        let few_records = FEW_EACH * self.partitions();
        of_queue >= arrivals
            && self.teams_of_log().all(|group| does(group) >= arrivals && group.lag <= few_records)
            && self.snapshot.queue.waiting <= few
            && !(self.is_full() && self.snapshot.queue.waiting > 0)
    }

    /// Where the head of a partition was seen to fail every time, of the teams that are up there.
    fn stuck(&self) -> Option<(u32, &'a LaneSnapshot)> {
        let lanes = self.teams_of_log().flat_map(|team| (0_u32..).zip(&team.partitions));
        let stuck = lanes.filter(|(_, lane)| lane.is_stuck() && !lane.head_is_unreadable);
        stuck.max_by_key(|(partition, lane)| (lane.lag, u32::MAX - partition))
    }
}

/// So many may wait for each that takes although all keep up.
const FEW_EACH: u64 = 2;

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
    let (snapshot, behind) = (facts.snapshot, facts.behind());
    if snapshot.at == Instant::START && snapshot.ledger.offered == 0 {
        return BothRemark::AtRest { arrivals: snapshot.producer.rate, names_start: visible.start };
    }
    if snapshot.broker.state != BrokerState::Up {
        return BothRemark::BrokerDown;
    }
    if let Some((partition, lane)) = facts.stuck() {
        let consumers = snapshot.consumers.of_queue();
        let busy = consumers.iter().filter(|one| one.work.is_some_and(|work| work.is_poison)).count() as u64;
        let behind = lane.lag.saturating_sub(1);
        return BothRemark::Stuck { partition, behind, busy, consumers: consumers.len() as u64 };
    }
    at_bound(facts, behind).unwrap_or_else(|| match facts.keeps_up() {
        false => BothRemark::Behind { waiting: snapshot.queue.waiting, behind },
        true if facts.teams_of_queue().count() > 1 && facts.teams_of_log().count() > 1 => BothRemark::Teams,
        true => BothRemark::KeepUp { kept_for: facts.topic.kept_for },
    })
}

/// What the bound of the queue does, while it is reached.
fn at_bound(facts: &BothFacts<'_>, behind: u64) -> Option<BothRemark> {
    let (snapshot, lost) = (facts.snapshot, facts.snapshot.ledger.refused_or_dropped());
    let sent = snapshot.network.producers.first().map_or(0, |first| first.sent);
    let is_held_back = snapshot.queue.overflow == OverflowPolicy::Block
        && sent < facts.other.sent
        && !facts.other.is_blocked;
    match facts.is_full() {
        true if is_held_back => Some(BothRemark::HeldBack { behind }),
        true if lost > 0 => Some(BothRemark::Lost { lost, behind }),
        _ => None,
    }
}

/// When the queue is full, where its own dials tell that and every message takes the same time; or what
/// the log has deleted.
fn next(facts: &BothFacts<'_>, happening: BothRemark, course: &Course) -> Option<BothNext> {
    let snapshot = facts.snapshot;
    let is_even = snapshot.producer.arrivals == ArrivalPattern::Steady
        && snapshot.consumers.service_time == ServiceTime::Fixed;
    let fills = matches!(happening, BothRemark::Behind { .. });
    if let NextEvent::FullIn(span) = snapshot.outlook.next {
        let is_in_sight = course.acts_at().is_none_or(|acts_at| span < acts_at.since(snapshot.at));
        if course.is_plain() && is_even && fills && is_in_sight {
            return Some(BothNext::FullIn(span));
        }
    }
    let deleted = facts.teams_of_log().map(|team| team.counts.deleted_unread).sum();
    (deleted > 0).then_some(BothNext::DeletedUnread(deleted))
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
        (BothRemark::HeldBack { behind }, BothRemark::HeldBack { behind: now }) => is_about(behind, now),
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
    match (said, fresh) {
        (BothNext::FullIn(said), BothNext::FullIn(now)) => {
            is_near(Estimate { span: said, is_about: false }, now)
        }
        (BothNext::DeletedUnread(said), BothNext::DeletedUnread(now)) => is_about(said, now),
        _ => false,
    }
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
            words.say("both.no_bound", &[("behind", Field::Count(behind))]);
        }
        BothRemark::Behind { waiting, behind } => {
            words.say("both.waiting", &[("waiting", Field::Count(waiting))]);
            words.say("both.behind", &[("behind", Field::Count(behind))]);
        }
        BothRemark::HeldBack { behind } => {
            words.say_plain("both.held_back");
            words.say("both.no_bound", &[("behind", Field::Count(behind))]);
        }
        BothRemark::KeepUp { kept_for } => {
            words.say_plain("both.keep_up");
            match kept_for {
                Some(time) => words.say("both.keep_up.for", &[("time", Field::Time(time))]),
                None => words.say_plain("both.keep_up.for_ever"),
            }
        }
    }
}

/// What comes next, in words.
#[inline(never)]
pub(super) fn say_next(words: &mut Words<'_>, next: BothNext) {
    match next {
        BothNext::FullIn(span) => words.say("both.next.full", &[("time", Field::Time(span))]),
        BothNext::DeletedUnread(count) => words.say("log.deleted", &[("count", Field::Count(count))]),
    }
}

impl BothRemark {
    /// Its name, as in events.
    #[must_use]
    #[inline(never)]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::AtRest { .. } => "both-at-rest",
            Self::BrokerDown => "both-broker-down",
            Self::Stuck { .. } => "both-stuck",
            Self::Teams => "both-teams",
            Self::Lost { .. } => "both-lost",
            Self::Behind { .. } => "both-behind",
            Self::HeldBack { .. } => "both-held-back",
            Self::KeepUp { .. } => "both-keep-up",
        }
    }

    /// How it feels.
    #[must_use]
    #[inline(never)]
    pub const fn tone(&self) -> Tone {
        match self {
            Self::BrokerDown | Self::Stuck { .. } | Self::HeldBack { .. } | Self::Lost { .. } => Tone::Alarm,
            Self::Behind { .. } => Tone::Warning,
            Self::AtRest { .. } | Self::Teams | Self::KeepUp { .. } => Tone::Calm,
        }
    }
}
