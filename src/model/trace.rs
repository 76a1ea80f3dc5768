//! The journey of one message, as facts: what became of it, when, and whose doing it was.
//!
//! Nobody keeps journeys. The run is followed once more from a checkpoint before the message was
//! offered, so that a journey is a function of the run: it is the same however often somebody looked
//! back, and whichever message it is.

mod assembly;

use super::command::TimedCommand;
use super::message::{DeathReason, MessageId};
use super::retry::FailureKind;
use super::simulation::Simulation;
pub use super::simulation::following::StoredAt;
use super::time::{Instant, Span};
use super::timeline::Progress;

/// Events between two looks at what happened to the message: what one event brings about fits into the
/// journal by far.
const EVENTS_PER_LOOK: u64 = 16;

/// One thing that happened to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// When.
    pub at: Instant,
    /// What.
    pub what: What,
    /// Whose doing it was.
    pub by: Option<Handler>,
}

/// A consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handler {
    /// The place of its pool among all; groups come behind the pools of queues.
    pub pool: usize,
    /// Which one of the pool, from 1 on.
    pub number: u64,
}

/// What can happen to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Its producer presented it.
    Offered,
    /// It found no room, and its producer keeps it.
    HeldBack,
    /// A queue or a topic took it in.
    Accepted,
    /// Its producer has the confirm.
    Confirmed,
    /// The confirm was lost.
    ConfirmLost,
    /// Its producer sent it again.
    SentAgain,
    /// It is a record of a topic now.
    Stored(StoredAt),
    /// A consumer starts on it.
    Started {
        /// For the how manieth time, from 1 on.
        attempt: u32,
        /// How long it waited, if it was its first delivery there.
        waited: Option<Span>,
    },
    /// The attempt failed.
    Failed(FailureKind),
    /// It waits until then at least before it is tried again.
    Waits(Instant),
    /// It is back in its line.
    Returned,
    /// A retry was refused by the budget.
    RetryRefused,
    /// Its side effect happened.
    Effect {
        /// It had one before.
        is_repeat: bool,
    },
    /// Its work was skipped: a record said that it was done already.
    KnownAsDone,
    /// Its consumer crashed while it had it.
    ConsumerCrashed,
    /// Its consumer had lost it by the time it finished: the answer did not count.
    AnsweredTooLate,
    /// Done, in time and with the right result.
    Done,
    /// Done after its deadline.
    DoneLate,
    /// Done with a wrong result.
    DoneWrong,
    /// It was sent to another topic, to be tried again from there.
    SentToRetry,
    /// It became a dead letter; why, where that is a queue's.
    DeadLettered(Option<DeathReason>),
    /// It went back from the dead letters.
    SentBack,
    /// The sender of a direct call waited no longer.
    CallTimedOut,
    /// Its topic deleted it, after everybody who reads there had passed it.
    Deleted(StoredAt),
    /// It is lost, by this rule.
    Lost(Loss),
}

/// The rule by which a message was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// The line was at its bound and refused it; the sender was told.
    Rejected,
    /// The line was at its bound; nobody was told.
    DroppedNew,
    /// A newer one pushed it out of the line; nobody was told.
    DroppedOldest,
    /// It waited longer than its time to live.
    Expired,
    /// Its queue kept it for as long as it keeps messages.
    RetentionOver,
    /// Too many waited, and its producer did not send it, as it is of low value.
    Shed,
    /// It did not reach the broker.
    Sending,
    /// After its last attempt it was skipped.
    Skipped,
    /// It was delivered as often as it may be, and there is no place for dead letters.
    DeliveryLimit,
    /// It was acknowledged before the work, and its consumer crashed.
    CrashAfterAnswer,
    /// It was acknowledged before the work, and the attempt failed.
    FailureAfterAnswer,
    /// Somebody threw the dead letters away.
    ThrownAway,
    /// It would have gone round in circles between queues.
    Circle,
    /// The queue for dead letters had no room for it.
    NoRoomAsDeadLetter,
    /// Its deadline was over before a consumer took it.
    TooLate,
    /// Nobody answered the call.
    Call,
    /// Its topic deleted it before the group had read it.
    Unread,
    /// It was deleted from the topic for dead letters.
    DeadLetterDeleted,
}

/// A message that is followed through a run.
#[derive(Clone, Debug)]
pub struct Tracer {
    id: MessageId,
    simulation: Simulation,
    events_seen: u64,
    steps: Vec<TraceStep>,
}

impl Tracer {
    /// Follows a message from this state of its run on, in which it was not offered yet.
    #[must_use]
    pub fn new(id: MessageId, mut simulation: Simulation) -> Self {
        simulation.follow(id);
        Self { id, events_seen: simulation.journal().count(), simulation, steps: Vec::new() }
    }

    /// Which message.
    #[must_use]
    pub const fn id(&self) -> MessageId {
        self.id
    }

    /// How far it has come.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.simulation.now()
    }

    /// Whether what it went through belongs to the run with these commands up to `now`.
    #[must_use]
    pub fn belongs_to(&self, log: &[TimedCommand], now: Instant) -> bool {
        let own = self.simulation.command_log();
        // A command at an instant that was passed without it belongs to another run.
        let is_passed = log.get(own.len()).is_some_and(|next| next.at < self.now());
        let is_in_time = self.now() <= now && own.len() <= log.len() && !is_passed;
        is_in_time && own.zip(log).all(|(own, other)| own == other)
    }

    /// What became of the message so far, in order. Of a journey of many hundred steps those are left out
    /// between the first and the last ones that were repeated since.
    #[must_use]
    pub fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    /// Goes on to `target` with the run's commands from outside, in at most `budget` events.
    pub fn advance(&mut self, log: &[TimedCommand], target: Instant, budget: u64) -> Progress {
        let mut left = budget;
        loop {
            let now = self.simulation.now();
            let due = log.get(self.simulation.command_log().len()).filter(|timed| timed.at <= target);
            match due {
                Some(timed) if timed.at <= now && self.simulation.is_complete() => {
                    self.simulation.take_command(timed.command);
                }
                None if now >= target && self.simulation.is_complete() => break,
                _ if left == 0 => break,
                _ => self.go_on(due.map_or(target, |timed| timed.at), &mut left),
            }
            self.look();
        }
        let is_there = self.simulation.now() >= target && self.simulation.is_complete();
        if is_there { Progress::There } else { Progress::OnTheWay(self.simulation.now()) }
    }

    fn go_on(&mut self, stop: Instant, left: &mut u64) {
        let mut some = EVENTS_PER_LOOK.min(*left);
        *left -= some;
        self.simulation.advance_within(stop, &mut some);
        *left += some;
    }
}
