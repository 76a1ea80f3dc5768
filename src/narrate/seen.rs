//! What the narrator remembers: a few integers that do not grow.

use super::facts::Facts;
use super::remark::{Evenness, Pace};
use crate::model::settings::{Bound, OverflowPolicy, ServiceTime};
use crate::model::time::{Instant, Span};

/// The limit counts as met lately for this long, so that peaks which follow one another are one
/// story and not many.
const LATELY: Span = Span::from_seconds(20);

/// Where messages are rare, "lately" lasts for this many mean gaps between them.
const LATELY_IN_GAPS: u64 = 40;

/// ... and for this many gaps between bursts.
const LATELY_IN_BURSTS: u64 = 2;

/// The dials that a story belongs to: when they move, a new one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dials {
    pace: Pace,
    bound: Bound,
    overflow: OverflowPolicy,
    service_time: ServiceTime,
    memory: u64,
}

/// What was seen since the dials last moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// The line is at its bound and stays there.
    pub(super) is_full: bool,
    /// The memory alarm is on and stays on.
    pub(super) is_out_of_memory: bool,
    /// The line shrinks and has some way to go.
    pub(super) is_draining: bool,
    /// The line is level and does not go away.
    pub(super) is_backlog: bool,
    /// The number that is said to stay, and whether others were seen.
    pub(super) level: Option<(u64, bool)>,
    /// A time that lies ahead is being said.
    pub(super) says_time: bool,
    /// When messages were last seen waiting.
    pub(super) waited_at: Option<Instant>,
    pub(super) bound_hits: Hits,
    pub(super) memory_hits: Hits,
}

/// When a limit was last met, and how often since "lately" began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hits {
    last: Option<Instant>,
    pub(super) is_in_hit: bool,
    /// Separate times that it was met: one, or at least two.
    pub(super) times: u8,
}

impl Dials {
    /// The dials in `facts`.
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        Self {
            pace: facts.pace,
            bound: facts.snapshot.queue.bound,
            overflow: facts.overflow(),
            service_time: facts.snapshot.consumers.service_time,
            memory: facts.snapshot.broker.memory,
        }
    }

    /// Whether both limits are where they were.
    pub(super) fn has_limits_of(&self, before: &Self) -> bool {
        before.bound == self.bound && before.memory == self.memory
    }
}

impl Hits {
    pub(super) fn take_in(&mut self, is_hit: bool, at: Instant, lately: Span) {
        if self.last.is_some_and(|last| at.since(last) > lately) {
            *self = Self::default();
        }
        if is_hit {
            self.times = if self.is_in_hit { self.times } else { self.times.saturating_add(1).min(2) };
            self.last = Some(at);
        }
        self.is_in_hit = is_hit;
    }

    pub(super) const fn is_lately(&self) -> bool {
        self.times > 0
    }
}

/// How long "lately" is at this pace.
pub(super) fn lately(pace: &Pace) -> Span {
    let gaps = pace.arrivals.time_for_messages(LATELY_IN_GAPS).unwrap_or(LATELY);
    let bursts = match pace.evenness {
        Evenness::Bursts(size) => pace.arrivals.time_for_messages(size.saturating_mul(LATELY_IN_BURSTS)),
        _ => None,
    };
    LATELY.max(gaps).max(bursts.unwrap_or_default())
}
