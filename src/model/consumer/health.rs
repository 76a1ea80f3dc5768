//! How consumers are: up, down, hung, or on their way up.

use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::super::work_queue::ConsumerIndex;
use super::{ConsumerPool, Seat};

/// How a consumer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// It works.
    #[default]
    Up,
    /// It has crashed and has not been started again.
    Down,
    /// It is alive, holds its messages and finishes nothing.
    Hung,
    /// It starts, and takes nothing yet.
    Starting,
}

impl Health {
    /// Whether it is connected, so that it may be given messages.
    #[must_use]
    pub const fn is_connected(self) -> bool {
        matches!(self, Self::Up | Self::Hung)
    }
}

impl ConsumerPool {
    /// The consumer is down, until then if it is started again by itself.
    pub fn take_down(&mut self, consumer: ConsumerIndex, until: Option<Instant>) {
        self.set_health(consumer, Health::Down, until, None);
    }

    /// The consumer stays alive and finishes nothing.
    pub fn hang(&mut self, consumer: ConsumerIndex) {
        self.set_health(consumer, Health::Hung, None, None);
    }

    /// The consumer starts. It is through once `until` has come and its call `awaits_call` has been
    /// answered.
    pub fn begin_start(&mut self, consumer: ConsumerIndex, until: Option<Instant>, awaits_call: Option<u64>) {
        self.set_health(consumer, Health::Starting, until, awaits_call);
    }

    /// The consumer is up.
    pub fn bring_up(&mut self, consumer: ConsumerIndex) {
        self.set_health(consumer, Health::Up, None, None);
    }

    fn set_health(
        &mut self,
        consumer: ConsumerIndex,
        health: Health,
        wakes_at: Option<Instant>,
        awaits_call: Option<u64>,
    ) {
        let seat = self.seat_mut(consumer);
        (seat.health, seat.wakes_at, seat.awaits_call) = (health, wakes_at, awaits_call);
        self.recount_down();
    }

    /// The time that the consumer's start takes is over. Returns whether it is through.
    pub fn start_took_its_time(&mut self, consumer: ConsumerIndex) -> bool {
        let seat = self.seat_mut(consumer);
        seat.wakes_at = None;
        seat.is_through()
    }

    /// A call of the consumer was answered. Returns whether its start is through with that.
    pub fn start_was_answered(&mut self, consumer: ConsumerIndex, number: u64) -> bool {
        let seat = self.seat_mut(consumer);
        if seat.awaits_call != Some(number) {
            return false;
        }
        seat.awaits_call = None;
        seat.is_through()
    }

    /// How the consumer is.
    #[must_use]
    pub fn health(&self, consumer: ConsumerIndex) -> Health {
        self.seats.get(self.place(consumer)).map(|seat| seat.health).unwrap_or_default()
    }

    /// The consumer crashes at every start, or no longer.
    pub fn set_looping(&mut self, consumer: ConsumerIndex, is_looping: bool) {
        self.seat_mut(consumer).is_looping = is_looping;
    }

    /// Whether the consumer crashes at every start.
    #[must_use]
    pub fn is_looping(&self, consumer: ConsumerIndex) -> bool {
        self.seats.get(self.place(consumer)).is_some_and(|seat| seat.is_looping)
    }

    /// Consumers beyond the count that hold nothing are gone: whoever comes in their place is new.
    /// Returns those that were not simply up.
    pub fn forget_gone(&mut self) -> Vec<ConsumerIndex> {
        let (first, count) = (self.first, self.count);
        let mut forgotten = Vec::new();
        for (place, seat) in (0_u32..).zip(&mut self.seats).filter(|(place, _)| u64::from(*place) >= count) {
            let is_gone = seat.job.is_none() && seat.buffer.is_empty() && seat.goes_over_to.is_none();
            if is_gone && (seat.health != Health::Up || seat.is_looping || seat.dies_finishing) {
                // Its calls go on counting: an answer to an old one means nothing to the new one.
                *seat = Seat { calls: seat.calls, ..Seat::default() };
                forgotten.push(ConsumerIndex(first + place));
            }
        }
        forgotten
    }

    pub(super) fn recount_down(&mut self) {
        let wanted = self.seats.iter().take(usize::try_from(self.count).unwrap_or(usize::MAX));
        self.down = wanted.filter(|seat| seat.health == Health::Down).count() as u64;
    }
}

impl Seat {
    fn is_through(&self) -> bool {
        self.health == Health::Starting && self.wakes_at.is_none() && self.awaits_call.is_none()
    }

    /// Feeds what is to come of its start, if anything, to `hasher`.
    pub(super) fn hash_start_into(&self, hasher: &mut StateHasher) {
        if self.is_looping || self.wakes_at.is_some() || self.awaits_call.is_some() {
            hasher.write(u64::from(self.is_looping));
            hasher.write(self.wakes_at.map_or(u64::MAX, Instant::micros));
            hasher.write(self.awaits_call.unwrap_or_default());
        }
    }
}
