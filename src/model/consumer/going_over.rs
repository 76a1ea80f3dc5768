//! Consumers that go over from one pool to another.
//!
//! Who goes over finishes what it has in hand where it took it, and is one of the other pool only
//! when its hands are empty. Nobody is in two pools, and no message changes hands for it.

use std::ops::Range;

use super::super::settings::CONSUMERS_MAX;
use super::super::time::Instant;
use super::super::work_queue::ConsumerIndex;
use super::{ConsumerPool, Health, Seat};

/// How a consumer is that goes over, with nothing in hand.
#[derive(Clone, Copy, Debug)]
pub struct Traveller {
    /// The place of the pool that it goes to.
    pub to: usize,
    health: Health,
    /// When it is started again by itself, where it is down.
    wakes_at: Option<Instant>,
    is_looping: bool,
    dies_finishing: bool,
}

impl ConsumerPool {
    /// The consumers of these numbers, from 0, shall go over to the pool at `to`. They are to be
    /// beyond the count from then on.
    pub fn send_over(&mut self, numbers: Range<u64>, to: u16) {
        for (number, seat) in (0_u64..).zip(&mut self.seats) {
            if numbers.contains(&number) {
                seat.goes_over_to = Some(to);
            }
        }
    }

    /// Whether the consumer is about to go over, sooner or later.
    #[must_use]
    pub fn is_going_over(&self, consumer: ConsumerIndex) -> bool {
        self.seats.get(self.place(consumer)).is_some_and(|seat| seat.goes_over_to.is_some())
    }

    /// Whether the consumer is about to go over and nothing keeps it: no message and no start that
    /// it is in the middle of.
    #[must_use]
    #[inline]
    pub fn may_go_over(&self, consumer: ConsumerIndex) -> bool {
        self.is_going_over(consumer) && !self.has_work(consumer) && self.health(consumer) != Health::Starting
    }

    /// The consumer, which has nothing in hand, leaves for the other pool, if it is about to. Its
    /// calls go on counting: an answer to one of them means nothing to whoever comes in its place.
    pub fn leave(&mut self, consumer: ConsumerIndex) -> Option<Traveller> {
        let seat = self.seat_mut(consumer);
        let to = usize::from(seat.goes_over_to?);
        let Seat { health, wakes_at, is_looping, dies_finishing, calls, .. } = *seat;
        *seat = Seat { calls, ..Seat::default() };
        Some(Traveller { to, health, wakes_at, is_looping, dies_finishing })
    }

    /// The pool has one consumer more: this one, as it is.
    pub fn take_in(&mut self, traveller: &Traveller) -> ConsumerIndex {
        let consumer = ConsumerIndex(self.first + u32::try_from(self.count).unwrap_or_default());
        let Traveller { health, wakes_at, is_looping, dies_finishing, .. } = *traveller;
        let seat = self.seat_mut(consumer);
        *seat = Seat { health, wakes_at, is_looping, dies_finishing, calls: seat.calls, ..Seat::default() };
        self.count = (self.count + 1).min(CONSUMERS_MAX);
        self.recount_down();
        consumer
    }

    /// Nobody goes over to the pool at `to` any more: who was about to leaves for good.
    pub fn send_nobody_over(&mut self, to: usize) {
        let is_bound_for = |seat: &&mut Seat| seat.goes_over_to.is_some_and(|pool| usize::from(pool) == to);
        self.seats.iter_mut().filter(is_bound_for).for_each(|seat| seat.goes_over_to = None);
    }

    /// Who is among those that there shall be stays.
    pub(super) fn call_back(&mut self) {
        let stay = usize::try_from(self.count).unwrap_or(usize::MAX);
        self.seats.iter_mut().take(stay).for_each(|seat| seat.goes_over_to = None);
    }
}
