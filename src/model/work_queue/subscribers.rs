//! Who may be given messages, and whose turn it is.

use std::collections::VecDeque;

use super::super::state_hash::StateHasher;

/// One of a queue's consumers, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConsumerIndex(pub u32);

/// Who has a delivery whose consumer is gone.
pub const NOBODY: ConsumerIndex = ConsumerIndex(u32::MAX);

/// A queue's subscribers. Those that have room for one more stand in a ring and take turns
/// (RabbitMQ's round robin over consumers with free prefetch).
#[derive(Clone, Debug, Default)]
pub struct Subscribers {
    known: Vec<Subscriber>,
    ring: VecDeque<ConsumerIndex>,
    /// Those that wait until the active one goes away.
    standby: VecDeque<ConsumerIndex>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Subscriber {
    state: State,
    /// The most unacknowledged messages it may hold; `None`: any number.
    prefetch: Option<u32>,
    unacknowledged: u32,
    in_ring: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Absent,
    Active,
    Standby,
    /// It gets no more, and until it has answered what it has, nobody takes its place.
    Leaving,
}

impl Subscriber {
    fn has_room(&self) -> bool {
        self.state == State::Active && self.prefetch.is_none_or(|prefetch| self.unacknowledged < prefetch)
    }
}

impl Subscribers {
    /// The consumer may be given messages from now on, at most `prefetch` at a time. Where only
    /// one may be `alone`, it waits until the others have gone.
    pub fn subscribe(&mut self, consumer: ConsumerIndex, prefetch: Option<u32>, alone: bool) {
        let is_there = |other: &Subscriber| [State::Active, State::Leaving].contains(&other.state);
        let is_taken = alone && self.known.iter().any(is_there);
        let subscriber = self.at(consumer);
        let is_back = subscriber.state == State::Leaving;
        if subscriber.state != State::Absent && !is_back {
            return;
        }
        subscriber.prefetch = prefetch;
        if is_taken && !is_back {
            subscriber.state = State::Standby;
            self.standby.push_back(consumer);
        } else {
            subscriber.state = State::Active;
            self.renew(consumer);
        }
    }

    /// The consumer is given no more messages. Where only one may be active, the next one that
    /// waits for it takes its place: at once, or, where the consumer still `answers` what it has,
    /// after that.
    pub fn unsubscribe(&mut self, consumer: ConsumerIndex, answers: bool) {
        let subscriber = self.at(consumer);
        let was_there = [State::Active, State::Leaving].contains(&subscriber.state);
        let stays = was_there && answers && subscriber.unacknowledged > 0;
        subscriber.state = if stays { State::Leaving } else { State::Absent };
        subscriber.in_ring = false;
        self.ring.retain(|other| *other != consumer);
        self.standby.retain(|other| *other != consumer);
        if was_there && !stays {
            self.take_over();
        }
    }

    /// The place of the only active consumer is free.
    fn take_over(&mut self) {
        if let Some(next) = self.standby.pop_front() {
            self.at(next).state = State::Active;
            self.renew(next);
        }
    }

    /// Sets how many unacknowledged messages the consumer may hold.
    pub fn set_prefetch(&mut self, consumer: ConsumerIndex, prefetch: Option<u32>) {
        self.at(consumer).prefetch = prefetch;
        self.renew(consumer);
    }

    /// The consumer whose turn it is.
    #[inline(always)]
    pub fn next(&self) -> Option<ConsumerIndex> {
        self.ring.front().copied()
    }

    /// The consumer whose turn it is was given a message.
    #[inline]
    pub fn give(&mut self, consumer: ConsumerIndex) {
        let subscriber = self.at(consumer);
        subscriber.unacknowledged += 1;
        if !subscriber.in_ring {
            return;
        }
        subscriber.in_ring = subscriber.has_room();
        let goes_last = subscriber.in_ring;
        if self.ring.front() == Some(&consumer) {
            self.ring.pop_front();
        } else {
            self.ring.retain(|other| *other != consumer);
        }
        if goes_last {
            self.ring.push_back(consumer);
        }
    }

    /// The consumer has one message less.
    #[inline]
    pub fn release(&mut self, consumer: ConsumerIndex) {
        if consumer == NOBODY {
            return;
        }
        let subscriber = self.at(consumer);
        subscriber.unacknowledged = subscriber.unacknowledged.saturating_sub(1);
        // One that had room has room.
        if subscriber.in_ring {
            return;
        }
        if subscriber.has_room() {
            subscriber.in_ring = true;
            self.ring.push_back(consumer);
        } else if subscriber.state == State::Leaving && subscriber.unacknowledged == 0 {
            subscriber.state = State::Absent;
            self.take_over();
        }
    }

    /// Whether the consumer would have room if it were rid of one message.
    #[inline(always)]
    pub fn would_have_room(&self, consumer: ConsumerIndex) -> bool {
        self.known.get(consumer.0 as usize).is_some_and(|subscriber| {
            let unacknowledged = subscriber.unacknowledged.saturating_sub(1);
            !subscriber.in_ring && Subscriber { unacknowledged, ..*subscriber }.has_room()
        })
    }

    /// How many have room for one more.
    pub fn with_room(&self) -> usize {
        self.ring.len()
    }

    /// How many messages the consumer has.
    pub fn unacknowledged(&self, consumer: ConsumerIndex) -> u32 {
        self.known.get(consumer.0 as usize).map_or(0, |subscriber| subscriber.unacknowledged)
    }

    #[inline]
    fn at(&mut self, consumer: ConsumerIndex) -> &mut Subscriber {
        let index = consumer.0 as usize;
        if index >= self.known.len() {
            self.get_to_know(index);
        }
        &mut self.known[index]
    }

    #[cold]
    #[inline(never)]
    fn get_to_know(&mut self, index: usize) {
        self.known.resize(index + 1, Subscriber::default());
    }

    /// A consumer with room that is not in the ring goes to its end; one without room leaves it.
    fn renew(&mut self, consumer: ConsumerIndex) {
        let subscriber = self.at(consumer);
        let (has_room, was_in_ring) = (subscriber.has_room(), subscriber.in_ring);
        subscriber.in_ring = has_room;
        if has_room && !was_in_ring {
            self.ring.push_back(consumer);
        } else if was_in_ring && !has_room {
            self.ring.retain(|other| *other != consumer);
        }
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for subscriber in &self.known {
            hasher.write(subscriber.state as u64);
            hasher.write(subscriber.prefetch.map_or(u64::MAX, u64::from));
            hasher.write(u64::from(subscriber.unacknowledged));
        }
        self.ring.iter().chain(&self.standby).for_each(|consumer| hasher.write(u64::from(consumer.0)));
    }
}
