//! From events and notes to what happened.

use std::mem::discriminant;

use super::{Handler, Loss, TraceStep, Tracer, What};
use crate::model::broker::Gone;
use crate::model::event::{Event, EventKind};
use crate::model::message::DeathReason;
use crate::model::routes::{GroupIndex, Supply};
use crate::model::simulation::following::{Note, StoredAt, Told};
use crate::model::time::Instant;
use crate::model::work_queue::ConsumerIndex;

/// Steps of a long journey that are kept from its beginning.
const FIRST_STEPS: usize = 100;
/// Steps of a long journey that are kept up to its end: up to twice as many before some are let go.
const LAST_STEPS: usize = 400;

impl Tracer {
    /// Takes in what happened since the last look.
    pub(super) fn look(&mut self) {
        let events: Vec<(u64, Event)> = self.simulation.journal().since(self.events_seen).map(own).collect();
        self.events_seen = self.simulation.journal().count();
        let told = self.simulation.take_told();
        let mut told = told.into_iter().peekable();
        let mut doer = None;
        let id = self.id;
        for (place, event) in events {
            while let Some(note) = told.next_if(|note| note.after <= place) {
                self.take_note(&note, &mut doer);
            }
            if event.message == id && event.kind.is_of_message() {
                self.take_event(event.at, event.kind, doer.take());
            }
        }
        for note in told {
            self.take_note(&note, &mut doer);
        }
    }

    fn take_note(&mut self, told: &Told, doer: &mut Option<ConsumerIndex>) {
        let by = told.by;
        match told.note {
            None => *doer = by,
            Some(Note::Began { start, waited }) => self.amend_start(start, waited),
            Some(Note::FailedBy(kind)) => self.amend_last(What::Failed(kind)),
            Some(Note::ComesBack(until)) => self.add(told.at, What::Waits(until), by),
            Some(Note::Effect { is_repeat }) => self.add(told.at, What::Effect { is_repeat }, by),
            Some(Note::KnownAsDone) => self.add(told.at, What::KnownAsDone, by),
            Some(Note::Confirmed) => self.add(told.at, What::Confirmed, None),
            Some(Note::Stored(place)) => self.add(told.at, What::Stored(place), None),
            Some(Note::Died(reason)) => self.add(told.at, What::DeadLettered(Some(reason)), None),
            Some(Note::Gone(why)) => self.add(told.at, What::Lost(loss_of(why)), None),
            Some(Note::ThrownAway) => self.add(told.at, What::Lost(Loss::ThrownAway), None),
            Some(Note::LostInHand) => self.lose_in_hand(told.at, by),
            Some(Note::Deleted { place, unread_by }) => self.delete(told.at, place, unread_by),
        }
    }

    fn take_event(&mut self, at: Instant, kind: EventKind, by: Option<ConsumerIndex>) {
        if let Some(what) = self.what(kind, by) {
            self.add(at, what, by);
        }
    }

    /// What an event says; `None` where a note says it, or another event of the same instant.
    fn what(&self, kind: EventKind, by: Option<ConsumerIndex>) -> Option<What> {
        Some(match kind {
            EventKind::Offered => What::Offered,
            EventKind::HeldBack => What::HeldBack,
            EventKind::Accepted => What::Accepted,
            EventKind::Started => What::Started { attempt: 1, waited: None },
            EventKind::Finished => What::Done,
            EventKind::FinishedLate => What::DoneLate,
            EventKind::FinishedWrong => What::DoneWrong,
            EventKind::SkippedLate => What::Lost(Loss::TooLate),
            EventKind::Rejected => What::Lost(Loss::Rejected),
            EventKind::DroppedNew => What::Lost(Loss::DroppedNew),
            EventKind::Shed => What::Lost(Loss::Shed),
            EventKind::LostSending => What::Lost(Loss::Sending),
            EventKind::CallFailed => What::Lost(Loss::Call),
            EventKind::CallTimedOut => What::CallTimedOut,
            EventKind::Failed => What::Failed(crate::model::retry::FailureKind::Transient),
            EventKind::Returned => What::Returned,
            EventKind::RetryRefused => What::RetryRefused,
            EventKind::ConsumerCrashed => What::ConsumerCrashed,
            EventKind::AnsweredTooLate => What::AnsweredTooLate,
            EventKind::Redriven | EventKind::SentBack => What::SentBack,
            EventKind::ConfirmLost => What::ConfirmLost,
            EventKind::SentAgain => What::SentAgain,
            EventKind::SentToRetry => What::SentToRetry,
            // Of queues, notes tell why.
            EventKind::DeadLettered if by.is_some() => What::DeadLettered(None),
            EventKind::GivenUp if self.is_of_group(by) => What::Lost(Loss::Skipped),
            _ => return None,
        })
    }

    fn is_of_group(&self, by: Option<ConsumerIndex>) -> bool {
        let pool = by.map(|consumer| self.simulation.place_of_consumer(consumer).0);
        let staff = pool.and_then(|pool| self.simulation.staffs.get(pool));
        staff.is_some_and(|staff| matches!(staff.from, Supply::Group(_)))
    }

    fn add(&mut self, at: Instant, what: What, by: Option<ConsumerIndex>) {
        let by = by.map(|consumer| self.handler(consumer));
        self.push(TraceStep { at, what, by });
    }

    fn push(&mut self, step: TraceStep) {
        if self.steps.len() >= FIRST_STEPS + 2 * LAST_STEPS {
            self.thin_out();
        }
        self.steps.push(step);
    }

    /// Lets go of steps between the first and the last ones that were repeated since by the same pool:
    /// where the message is, and how it ended for each, follows from what is left as it did before.
    #[cold]
    #[inline(never)]
    fn thin_out(&mut self) {
        let kind = |step: &TraceStep| (discriminant(&step.what), step.by.map(|by| by.pool));
        let steps = std::mem::take(&mut self.steps);
        let last = steps.len().saturating_sub(LAST_STEPS);
        for (place, step) in steps.iter().enumerate() {
            let is_between = (FIRST_STEPS..last).contains(&place);
            let mut later = steps.iter().skip(place + 1);
            if !is_between || !later.any(|other| kind(other) == kind(step)) {
                self.steps.push(*step);
            }
        }
    }

    fn handler(&self, consumer: ConsumerIndex) -> Handler {
        let (pool, number) = self.simulation.place_of_consumer(consumer);
        Handler { pool, number }
    }

    fn amend_start(&mut self, start: u32, since: Option<crate::model::time::Span>) {
        let is_start = |step: &&mut TraceStep| matches!(step.what, What::Started { .. });
        if let Some(step) = self.steps.iter_mut().rev().find(is_start) {
            step.what = What::Started { attempt: start, waited: since };
        }
    }

    fn amend_last(&mut self, what: What) {
        if let Some(step) = self.steps.last_mut() {
            step.what = what;
        }
    }

    /// It was acknowledged before the work: what went wrong last has lost it.
    fn lose_in_hand(&mut self, at: Instant, by: Option<ConsumerIndex>) {
        let handler = by.map(|consumer| self.handler(consumer));
        let mut own = self.steps.iter().rev().filter(|step| step.by == handler);
        let has_failed = own.next().is_some_and(|step| matches!(step.what, What::Failed(_)));
        let loss = if has_failed { Loss::FailureAfterAnswer } else { Loss::CrashAfterAnswer };
        self.add(at, What::Lost(loss), by);
    }

    fn delete(&mut self, at: Instant, place: StoredAt, unread_by: u64) {
        let groups = (0..u64::BITS as usize).filter(|bit| unread_by >> bit & 1 == 1);
        let pools = groups.map(|group| self.simulation.pool_of_group(GroupIndex(group)));
        let unread: Vec<usize> = pools.filter(|pool| !self.has_ended_with(*pool)).collect();
        if unread.is_empty() {
            self.push(TraceStep { at, what: What::Deleted(place), by: None });
        }
        for pool in unread {
            let by = Some(Handler { pool, number: 0 });
            self.push(TraceStep { at, what: What::Lost(Loss::Unread), by });
        }
    }

    /// Whether those of a pool have come to an end with it before.
    fn has_ended_with(&self, pool: usize) -> bool {
        let own = self.steps.iter().filter(|step| step.by.is_some_and(|by| by.pool == pool));
        own.into_iter().any(|step| step.what.is_end())
    }
}

impl What {
    /// Whether nothing more is to come of it for those who had it, unless it is sent again.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(
            self,
            Self::Done
                | Self::DoneLate
                | Self::DoneWrong
                | Self::SentToRetry
                | Self::DeadLettered(_)
                | Self::Lost(_)
        )
    }
}

fn own((place, event): (u64, &Event)) -> (u64, Event) {
    (place, *event)
}

const fn loss_of(why: Gone) -> Loss {
    match why {
        Gone::NoDeadLetterQueue(DeathReason::MaxLength) => Loss::DroppedOldest,
        Gone::NoDeadLetterQueue(DeathReason::Expired) => Loss::Expired,
        Gone::NoDeadLetterQueue(DeathReason::DeliveryLimit) => Loss::DeliveryLimit,
        Gone::NoDeadLetterQueue(DeathReason::Rejected) => Loss::Skipped,
        Gone::AutomaticCycle(_) => Loss::Circle,
        Gone::RefusedAsDeadLetter(_) => Loss::NoRoomAsDeadLetter,
        Gone::RetentionOver => Loss::RetentionOver,
    }
}
