//! Redrive: moving dead letters back, all at once or at a rate.
//!
//! As SQS does it: one task for each source, the first message at once and the others at the
//! rate; each goes out as a new message, whose deliveries and age start anew.

use std::rc::Rc;

use super::super::message::MessageId;
use super::super::rate::{Rate, Work};
use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::super::work_queue::Published;
use super::super::work_queue::rules::Order;
use super::{Broker, QueueIndex};

/// Dead letters on their way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redrive {
    /// The queue that is emptied.
    pub from: QueueIndex,
    /// Where its messages go.
    pub to: QueueIndex,
    /// Messages a second; `None`: as fast as it can be done.
    pub rate: Option<Rate>,
    /// Messages that are to be moved: those that were there when it started.
    pub to_move: u64,
    /// Messages moved so far.
    pub moved: u64,
    next_at: Instant,
}

/// Why a redrive cannot start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedriveRefused {
    /// There is one from that queue already.
    AlreadyRunning,
    /// Nothing waits there.
    NothingWaits,
    /// At rate zero it would never move anything.
    RateIsZero,
}

impl Redrive {
    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for value in [
            self.from.0 as u64,
            self.to.0 as u64,
            self.rate.map_or(u64::MAX, Rate::thousandths),
            self.to_move,
            self.moved,
            self.next_at.micros(),
        ] {
            hasher.write(value);
        }
    }

    /// The instant of its message number `moved`, counted from its last one.
    fn next_after(&self, now: Instant) -> Instant {
        let gap = self.rate.and_then(|rate| rate.time_for(Work::ONE_MESSAGE));
        gap.map_or(now, |gap| now + gap)
    }
}

impl Broker {
    /// Starts to move what waits in `from` now to `to`: the first message at once.
    ///
    /// # Errors
    /// Says why it cannot start; nothing has changed then.
    pub fn start_redrive(
        &mut self,
        now: Instant,
        from: QueueIndex,
        to: QueueIndex,
        rate: Option<Rate>,
    ) -> Result<(), RedriveRefused> {
        if self.redrive_of(from).is_some() {
            return Err(RedriveRefused::AlreadyRunning);
        }
        if rate.is_some_and(Rate::is_zero) {
            return Err(RedriveRefused::RateIsZero);
        }
        let to_move = self.queue(from).ready().len();
        if to_move == 0 {
            return Err(RedriveRefused::NothingWaits);
        }
        self.redrives.push(Redrive { from, to, rate, to_move, moved: 0, next_at: now });
        Ok(())
    }

    /// The redrive that empties `from`, if one runs.
    #[must_use]
    pub fn redrive_of(&self, from: QueueIndex) -> Option<&Redrive> {
        self.redrives.iter().find(|redrive| redrive.from == from)
    }

    /// All redrives that run.
    #[must_use]
    pub fn redrives(&self) -> &[Redrive] {
        &self.redrives
    }

    /// Ends the redrive of `from`. What was moved stays moved.
    pub fn stop_redrive(&mut self, from: QueueIndex) {
        self.redrives.retain(|redrive| redrive.from != from);
    }

    /// When the next message is moved.
    #[must_use]
    pub fn next_redrive(&self) -> Option<Instant> {
        self.redrives.iter().map(|redrive| redrive.next_at).min()
    }

    /// Moves one message that is due at `now`. Returns which, where from, and what the other
    /// queue said; `None` where none was due. A message that the other queue would refuse stays,
    /// and its redrive waits for the next turn.
    pub fn redrive_due(&mut self, now: Instant) -> Option<(MessageId, Redrive, Published)> {
        let place = self.redrives.iter().position(|redrive| redrive.next_at <= now)?;
        let redrive = &mut self.redrives[place];
        redrive.next_at = redrive.next_after(now);
        let task = *redrive;
        let moved = self.move_one(now, task.from, task.to);
        if moved.is_some() {
            self.redrives[place].moved += 1;
        }
        let is_done = self.redrives[place].moved >= task.to_move || self.queue(task.from).ready().is_empty();
        let is_stuck = moved.is_none() && task.rate.is_none();
        if is_done || is_stuck {
            self.redrives.remove(place);
        }
        moved.map(|(id, published)| (id, task, published))
    }

    /// `None` where nothing waits in `from`, or where `to` would refuse it.
    fn move_one(&mut self, now: Instant, from: QueueIndex, to: QueueIndex) -> Option<(MessageId, Published)> {
        let next = self.queue(from).ready().head(Order::FirstInFirstOut)?;
        if self.queue(to).would_refuse(next) {
            return None;
        }
        let mut message = self.queue_mut(from).take_for_move()?;
        let id = message.id;
        message.keep_deadline();
        if let Some(luggage) = &mut message.luggage {
            let luggage = Rc::make_mut(luggage);
            (luggage.past.sent_at, luggage.past.deliveries) = (None, 0);
            // It is moved, not sent again: to the other queue it is no copy of itself.
            luggage.properties.deduplication = None;
        }
        let published = self.queue_mut(to).publish(now, message);
        self.route_departed(now, to);
        Some((id, published))
    }
}
