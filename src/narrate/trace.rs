//! The journey of a message in words: a line for each fact, and where it is now.

use super::format;
use super::locale::{Field, Locale};
use crate::model::message::DeathReason;
use crate::model::retry::FailureKind;
use crate::model::snapshot::Snapshot;
use crate::model::time::{Instant, Span};
use crate::model::trace::{Handler, Loss, TraceStep, What};

/// Where a message is, as the last that happened to it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// Its producer has it.
    WithProducer,
    /// It waits in line, or stands in the log and was not read yet.
    Waiting,
    /// A consumer has it.
    InFlight,
    /// It waits for its next attempt.
    WaitingToRetry,
    /// It is done.
    Done,
    /// It was sent to another topic, to be tried again from there.
    SentToRetry,
    /// It is a dead letter.
    DeadLetter,
    /// It is lost.
    Lost(Loss),
}

/// Where a message is after these steps; `None` before the first one. What was done once stays so,
/// whatever becomes of its copies. A dead letter of a topic is lost once it is deleted there.
pub fn whereabouts<'a>(steps: impl IntoIterator<Item = &'a TraceStep>) -> Option<Whereabouts> {
    let (mut now, mut dead_at) = (None, None);
    for step in steps {
        let is_dead = now == Some(Whereabouts::DeadLetter);
        let next = match step.what {
            // The topic for dead letters writes it down right after it became one.
            What::Stored(place) if is_dead && dead_at.is_none() => {
                dead_at = Some(place);
                continue;
            }
            What::Deleted(place) if is_dead && dead_at == Some(place) => {
                Whereabouts::Lost(Loss::DeadLetterDeleted)
            }
            What::Offered | What::HeldBack => Whereabouts::WithProducer,
            What::Accepted | What::Stored(_) if now.is_none_or(|at| at == Whereabouts::WithProducer) => {
                Whereabouts::Waiting
            }
            What::SentBack => Whereabouts::Waiting,
            What::Started { .. } => Whereabouts::InFlight,
            What::Failed(_) | What::Waits(_) | What::Returned | What::ConsumerCrashed => {
                Whereabouts::WaitingToRetry
            }
            What::Done | What::DoneLate | What::DoneWrong => Whereabouts::Done,
            What::SentToRetry => Whereabouts::SentToRetry,
            What::DeadLettered(_) => {
                dead_at = None;
                Whereabouts::DeadLetter
            }
            What::Lost(loss) => Whereabouts::Lost(loss),
            _ => continue,
        };
        let stays = now == Some(Whereabouts::Done) && next != Whereabouts::Waiting;
        now = if stays { now } else { Some(next) };
    }
    now
}

/// The sentence for where it is.
#[must_use]
pub fn whereabouts_line(at: Whereabouts, locale: &Locale) -> String {
    let key = match at {
        Whereabouts::WithProducer => "trace.now.with_producer",
        Whereabouts::Waiting => "trace.now.waiting",
        Whereabouts::InFlight => "trace.now.in_flight",
        Whereabouts::WaitingToRetry => "trace.now.to_retry",
        Whereabouts::Done => "trace.now.done",
        Whereabouts::SentToRetry => "trace.now.sent_to_retry",
        Whereabouts::DeadLetter => "trace.now.dead_letter",
        Whereabouts::Lost(_) => "trace.now.lost",
    };
    locale.text(key).to_owned()
}

/// Why it was lost, in a sentence. `team` is who lost it, where that is one of several.
#[must_use]
pub fn loss_line(loss: Loss, team: &str, locale: &Locale) -> String {
    locale.format(loss_key(loss), &[("team", Field::Text(team))])
}

const fn loss_key(loss: Loss) -> &'static str {
    match loss {
        Loss::Rejected => "trace.lost.rejected",
        Loss::DroppedNew => "trace.lost.dropped_new",
        Loss::DroppedOldest => "trace.lost.dropped_oldest",
        Loss::Expired => "trace.lost.expired",
        Loss::RetentionOver => "trace.lost.retention",
        Loss::Shed => "trace.lost.shed",
        Loss::Sending => "trace.lost.sending",
        Loss::Skipped => "trace.lost.skipped",
        Loss::DeliveryLimit => "trace.lost.delivery_limit",
        Loss::CrashAfterAnswer => "trace.lost.crash",
        Loss::FailureAfterAnswer => "trace.lost.failure",
        Loss::ThrownAway => "trace.lost.thrown_away",
        Loss::Circle => "trace.lost.circle",
        Loss::NoRoomAsDeadLetter => "trace.lost.no_room",
        Loss::TooLate => "trace.lost.too_late",
        Loss::Call => "trace.lost.call",
        Loss::Unread => "trace.lost.unread",
        Loss::DeadLetterDeleted => "trace.lost.dead_letter",
    }
}

/// Whether the sentence for it names who did it.
#[must_use]
pub const fn names_who(what: What) -> bool {
    matches!(
        what,
        What::Started { .. }
            | What::ConsumerCrashed
            | What::AnsweredTooLate
            | What::Done
            | What::DoneLate
            | What::DoneWrong
            | What::SentToRetry
            | What::DeadLettered(None)
            | What::Lost(Loss::Unread)
    )
}

/// What happened, in a sentence.
#[must_use]
pub fn line(step: &TraceStep, snapshot: &Snapshot, locale: &Locale) -> String {
    let who = step.by.map(|by| consumer(by, snapshot, locale)).unwrap_or_default();
    let who = ("who", Field::Text(&who));
    match step.what {
        What::Started { attempt, waited } => started(attempt, waited, who, locale),
        What::Stored(place) => {
            let topic = snapshot.network.topics.get(place.topic.0).map_or("", |topic| topic.name.as_str());
            let fields = [
                ("topic", Field::Text(topic)),
                ("partition", Field::Count(u64::from(place.partition))),
                ("offset", Field::Count(place.offset)),
            ];
            locale.format("trace.stored", &fields)
        }
        What::Waits(until) => {
            let until = precise_clock(until, locale);
            locale.format("trace.waits", &[("time", Field::Text(&until))])
        }
        What::DeadLettered(Some(reason)) => {
            let reason = locale.text(death_key(reason));
            locale.format("trace.dead_because", &[("reason", Field::Text(reason))])
        }
        What::Lost(loss) => loss_line(loss, team(step.by, snapshot), locale),
        what => locale.format(key_of(what), &[who]),
    }
}

fn started(attempt: u32, waited: Option<Span>, who: (&'static str, Field<'_>), locale: &Locale) -> String {
    let waited = waited.filter(|_| attempt <= 1).map(|span| format::short(locale, span));
    match waited {
        Some(time) => locale.format("trace.started", &[who, ("time", Field::Text(&time))]),
        None => locale.format("trace.started_again", &[who, ("attempt", Field::Count(u64::from(attempt)))]),
    }
}

/// What needs no more than the name of who did it.
const fn key_of(what: What) -> &'static str {
    match what {
        What::Offered => "trace.offered",
        What::HeldBack => "trace.held_back",
        What::Accepted => "trace.accepted",
        What::Confirmed => "trace.confirmed",
        What::ConfirmLost => "trace.confirm_lost",
        What::SentAgain => "trace.sent_again",
        What::Failed(FailureKind::Transient) => "trace.failed",
        What::Failed(FailureKind::Throttled) => "trace.failed.throttled",
        What::Failed(FailureKind::TimedOut) => "trace.failed.timed_out",
        What::Failed(FailureKind::Permanent) => "trace.failed.permanent",
        What::Returned => "trace.returned",
        What::RetryRefused => "trace.retry_refused",
        What::Effect { is_repeat: false } => "trace.effect",
        What::Effect { is_repeat: true } => "trace.effect_again",
        What::KnownAsDone => "trace.known_as_done",
        What::ConsumerCrashed => "trace.crashed",
        What::AnsweredTooLate => "trace.answered_too_late",
        What::Done => "trace.done",
        What::DoneLate => "trace.done_late",
        What::DoneWrong => "trace.done_wrong",
        What::SentToRetry => "trace.sent_to_retry",
        What::DeadLettered(_) => "trace.dead",
        What::SentBack => "trace.sent_back",
        What::CallTimedOut => "trace.call_timed_out",
        What::Deleted(_) => "trace.deleted",
        What::Started { .. } | What::Stored(_) | What::Waits(_) | What::Lost(_) => "",
    }
}

/// Why a message became a dead letter, in a few words.
#[must_use]
pub const fn death_key(reason: DeathReason) -> &'static str {
    match reason {
        DeathReason::Rejected => "dead.reason.rejected",
        DeathReason::Expired => "dead.reason.expired",
        DeathReason::MaxLength => "dead.reason.max_length",
        DeathReason::DeliveryLimit => "dead.reason.delivery_limit",
    }
}

/// "Consumer 2", with its pool where there are several.
fn consumer(by: Handler, snapshot: &Snapshot, locale: &Locale) -> String {
    let fields = [("number", Field::Count(by.number)), ("team", Field::Text(team(Some(by), snapshot)))];
    let key = if snapshot.network.pools.len() > 1 { "trace.consumer_of" } else { "trace.consumer" };
    locale.format(key, &fields)
}

/// The name of a pool or group.
#[must_use]
pub fn team(by: Option<Handler>, snapshot: &Snapshot) -> &str {
    let pool = by.and_then(|by| snapshot.network.pools.get(by.pool));
    pool.map_or("", |pool| pool.name.as_str())
}

/// An instant to the hundredth of a second, as far as that is not zero: 00:42.25.
#[must_use]
pub fn precise_clock(at: Instant, locale: &Locale) -> String {
    let hundredths = at.micros() / 10_000 % 100;
    let clock = format::clock(at);
    if hundredths == 0 {
        clock
    } else {
        [&clock, locale.decimal_mark(), &format!("{hundredths:02}")].concat()
    }
}
