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

/// Only messages so near to the head of the line can be chosen: each of those before it is looked at.
pub const CHOSEN_WITHIN: usize = 64;

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
    /// Whether only those go back that were chosen one by one.
    pub is_of_chosen: bool,
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

    /// Whether none of its messages is left to move. One of chosen messages stays for one more turn, in
    /// which others may be chosen.
    #[must_use]
    pub const fn has_moved_all(&self) -> bool {
        self.moved >= self.to_move
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
        if self.redrive_of(from).is_some_and(|redrive| !redrive.has_moved_all()) {
            return Err(RedriveRefused::AlreadyRunning);
        }
        if rate.is_some_and(Rate::is_zero) {
            return Err(RedriveRefused::RateIsZero);
        }
        let to_move = self.queue(from).ready().len();
        if to_move == 0 {
            return Err(RedriveRefused::NothingWaits);
        }
        self.stop_redrive(from);
        self.redrives.push(Redrive { from, to, rate, to_move, moved: 0, is_of_chosen: false, next_at: now });
        Ok(())
    }

    /// One message of those that wait goes back: at once, or behind those that were chosen before it and
    /// have yet to go, at their rate and to where they go.
    ///
    /// # Errors
    /// Says why it does not; nothing has changed then.
    pub fn redrive_message(
        &mut self,
        now: Instant,
        (from, to): (QueueIndex, QueueIndex),
        id: MessageId,
        rate: Option<Rate>,
    ) -> Result<(), RedriveRefused> {
        if rate.is_some_and(Rate::is_zero) {
            return Err(RedriveRefused::RateIsZero);
        }
        if !self.queue(from).ready().iter().take(CHOSEN_WITHIN).any(|message| message.id == id) {
            return Err(RedriveRefused::NothingWaits);
        }
        let is_chosen = self.chosen.contains(&(from, id));
        match self.redrives.iter_mut().find(|redrive| redrive.from == from) {
            Some(redrive) if !redrive.is_of_chosen || is_chosen => {
                return Err(RedriveRefused::AlreadyRunning);
            }
            Some(redrive) => redrive.to_move += 1,
            None => {
                let redrive =
                    Redrive { from, to, rate, to_move: 1, moved: 0, is_of_chosen: true, next_at: now };
                self.redrives.push(redrive);
            }
        }
        self.chosen.push((from, id));
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
        self.chosen.retain(|(queue, _)| *queue != from);
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
        let chosen = if task.is_of_chosen { self.next_chosen(place) } else { None };
        let moved = match (task.is_of_chosen, chosen) {
            (true, None) => None,
            (_, chosen) => self.move_one(now, (task.from, task.to), chosen),
        };
        if moved.is_some() {
            self.redrives[place].moved += 1;
            self.chosen.retain(|(from, id)| *from != task.from || Some(*id) != chosen);
        }
        let redrive = &self.redrives[place];
        // More may be chosen until the next turn comes, so that none goes before its time.
        let is_done = match task.is_of_chosen {
            true => chosen.is_none(),
            false => redrive.has_moved_all() || self.queue(task.from).ready().is_empty(),
        };
        let is_stuck = moved.is_none() && task.rate.is_none();
        if is_done || is_stuck {
            self.stop_redrive(task.from);
        }
        moved.map(|(id, published)| (id, task, published))
    }

    /// The chosen message that goes back next. Those that do not wait there any more are chosen no longer.
    fn next_chosen(&mut self, place: usize) -> Option<MessageId> {
        let from = self.redrives[place].from;
        loop {
            let at = self.chosen.iter().position(|(queue, _)| *queue == from)?;
            let id = self.chosen[at].1;
            if self.queue(from).ready().iter().take(CHOSEN_WITHIN).any(|message| message.id == id) {
                return Some(id);
            }
            self.chosen.remove(at);
            self.redrives[place].to_move -= 1;
        }
    }

    /// Moves the chosen message, or the next one. `None` where it does not wait in `from`, or where `to`
    /// would refuse it.
    fn move_one(
        &mut self,
        now: Instant,
        (from, to): (QueueIndex, QueueIndex),
        chosen: Option<MessageId>,
    ) -> Option<(MessageId, Published)> {
        let next = match chosen {
            Some(id) => self.queue(from).ready().iter().take(CHOSEN_WITHIN).find(|other| other.id == id)?,
            None => self.queue(from).ready().head(Order::FirstInFirstOut)?,
        };
        if self.queue(to).would_refuse(next) {
            return None;
        }
        let mut message = match chosen {
            Some(id) => self.queue_mut(from).take_for_move_of(id)?,
            None => self.queue_mut(from).take_for_move()?,
        };
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
