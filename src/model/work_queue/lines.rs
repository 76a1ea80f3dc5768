//! The messages of one priority: those that were never delivered, in shared chunks, and those that
//! came back, in a small ordered set beside them.

use super::super::held::HeldBytes;
use super::super::line::Line;
use super::super::message::{Message, MessageId};
use super::super::ordered::{Key, Ordered};
use super::super::state_hash::{StateHasher, mix};
use super::super::time::Instant;
use super::ages::Ages;
use super::ready::{Place, Waiting};
use super::rules::ReturnPlace;

/// All messages of one priority.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    fresh: Line,
    returned: Ordered<Waiting>,
    /// Since when each of those that came back waits.
    returned_ages: Ages,
    /// From when on each of them counts as kept that was sent before it came into this queue.
    returned_sent: Ordered<()>,
}

/// The order of a message that stood in line: behind all that never did and came before it.
const STOOD_IN_LINE: u64 = u64::MAX;

impl Lines {
    /// Puts a message that carries nothing at the end.
    #[inline(always)]
    pub fn push_plain(&mut self, message: Message) {
        self.fresh.push_back(message);
    }

    /// Takes the first, if it never was delivered and carries nothing, and `may` says so of it.
    #[inline(always)]
    pub fn take_plain(&mut self, may: impl FnOnce(MessageId) -> bool) -> Option<(Message, Place)> {
        if self.returned_goes_first() {
            return None;
        }
        let place = Place { before: self.fresh.front_place(), order: STOOD_IN_LINE };
        Some((self.fresh.pop_plain(may)?, place))
    }

    /// The place of the next message that will stand in line.
    #[inline(always)]
    pub const fn next_place(&self) -> u64 {
        self.fresh.next_place()
    }

    /// Where the first stands of those that came back and of which `wanted` says so.
    pub fn place_of_returned(&self, wanted: impl Fn(&Waiting) -> bool) -> Option<Place> {
        self.returned.iter().find(|(_, waiting)| wanted(waiting)).map(|(key, _)| Place::of(key))
    }

    /// Looking at every waiting message at every instant would make a long line slow: the first few
    /// show a broken order as well.
    pub fn starts_in_order(&self) -> bool {
        self.fresh.iter().take(8).is_sorted_by_key(|message| message.accepted_at)
    }

    /// Counts the messages in the containers themselves.
    pub fn recount(&self) -> u64 {
        self.fresh.recount() + self.returned.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.returned.is_empty()
    }

    /// One whose age counts from an earlier queue stands beside the line, where it can be found
    /// by that age.
    pub fn push(&mut self, message: Message, order: u64) {
        if message.sent_at() == message.accepted_at {
            return self.fresh.push_back(message);
        }
        self.insert(Place { before: self.fresh.next_place(), order }, Waiting::fresh(message));
    }

    pub fn put_back(&mut self, waiting: Waiting, from: Place, to: ReturnPlace, order: u64) {
        let before = match to {
            ReturnPlace::OriginalPosition | ReturnPlace::InItsGroup => {
                return self.put_where_it_stood(waiting, from);
            }
            ReturnPlace::FrontInOrderOfReturn => 0,
            ReturnPlace::Back => self.fresh.next_place(),
            ReturnPlace::Anywhere => self.any_place(&waiting),
        };
        self.insert(Place { before, order }, waiting);
    }

    fn insert(&mut self, place: Place, waiting: Waiting) {
        self.returned_ages.insert(&waiting.message, place.since(waiting.message.accepted_at));
        if waiting.message.sent_at() != waiting.message.accepted_at {
            self.returned_sent.insert(place.since(waiting.message.sent_at()), ());
        }
        self.returned.insert(place.key(), waiting);
    }

    pub fn take_returned(&mut self, place: Place) -> Option<Waiting> {
        let waiting = self.returned.remove(&place.key())?;
        self.returned_ages.remove(&waiting.message, &place.since(waiting.message.accepted_at));
        if waiting.message.sent_at() != waiting.message.accepted_at {
            self.returned_sent.remove(&place.since(waiting.message.sent_at()));
        }
        Some(waiting)
    }

    pub fn oldest_sent_at(&self) -> Option<Instant> {
        let fresh = self.fresh.front().map(|message| message.accepted_at);
        let returned = self.first_sent_returned().map(|[sent_at, ..]| Instant::from_micros(sent_at));
        fresh.into_iter().chain(returned).min()
    }

    /// When that one of those that came back was sent that was sent first, and its place. Those
    /// that were sent earlier than they were accepted stand in both sets.
    fn first_sent_returned(&self) -> Option<Key> {
        let sent = self.returned_sent.first().map(|(key, ())| key);
        self.returned_ages.first().into_iter().chain(sent).min()
    }

    pub fn take_oldest_sent(&mut self) -> Option<(Waiting, Place)> {
        let returned = self.first_sent_returned();
        let fresh = self.fresh.front().map(|message| message.accepted_at);
        match returned.filter(|[sent_at, ..]| fresh.is_none_or(|fresh| *sent_at <= fresh.micros())) {
            Some([_, before, order]) => {
                let place = Place { before, order };
                Some((self.take_returned(place)?, place))
            }
            None => self.take_fresh(),
        }
    }

    fn take_fresh(&mut self) -> Option<(Waiting, Place)> {
        let place = Place { before: self.fresh.front_place(), order: STOOD_IN_LINE };
        Some((Waiting::fresh(self.fresh.pop_front()?), place))
    }

    #[inline]
    pub fn oldest_accepted_at(&self) -> Option<Instant> {
        let fresh = self.fresh.front().map(|message| message.accepted_at);
        if self.returned.is_empty() { fresh } else { self.oldest_of_both(fresh) }
    }

    #[inline(never)]
    fn oldest_of_both(&self, fresh: Option<Instant>) -> Option<Instant> {
        let returned = self.returned_ages.first().map(|[since, ..]| Instant::from_micros(since));
        fresh.into_iter().chain(returned).min()
    }

    /// Since when the oldest of a producer's messages waits: one of those that came back, or the first
    /// of its in the line.
    pub fn oldest_of(&self, producer: u16) -> Option<Instant> {
        let fresh = self.fresh.first_of(producer).map(|message| message.accepted_at);
        fresh.into_iter().chain(self.returned_ages.oldest_of(producer)).min()
    }

    fn put_where_it_stood(&mut self, waiting: Waiting, from: Place) {
        let mut place = from;
        // Where the newest go first, a place can be used twice.
        while self.returned.contains(&place.key()) {
            place.order -= 1;
        }
        self.insert(place, waiting);
    }

    /// One of the places between the front and the end, by the message and its deliveries alone.
    fn any_place(&self, waiting: &Waiting) -> u64 {
        let key = waiting.message.id.raw() ^ u64::from(waiting.deliveries).rotate_left(52);
        self.fresh.front_place() + mix(key) % (self.fresh.len() + 1)
    }

    pub fn clear(&mut self) {
        self.fresh.clear();
        self.returned.clear();
        self.returned_ages.clear();
        self.returned_sent.clear();
    }

    #[inline(always)]
    fn returned_goes_first(&self) -> bool {
        if self.returned.is_empty() {
            return false;
        }
        match self.returned.first() {
            None => false,
            Some(([before, ..], _)) => self.fresh.is_empty() || before <= self.fresh.front_place(),
        }
    }

    fn returned_goes_last(&self) -> bool {
        match self.returned.last() {
            None => false,
            Some(([before, ..], _)) => self.fresh.is_empty() || before >= self.fresh.next_place(),
        }
    }

    pub fn oldest(&self) -> Option<&Message> {
        if self.returned_goes_first() {
            return self.returned.first().map(|(_, waiting)| &waiting.message);
        }
        self.fresh.front()
    }

    pub fn newest(&self) -> Option<&Message> {
        if self.returned_goes_last() {
            return self.returned.last().map(|(_, waiting)| &waiting.message);
        }
        self.fresh.back()
    }

    pub fn take_oldest(&mut self) -> Option<(Waiting, Place)> {
        if self.returned_goes_first() {
            let place = Place::of(self.returned.first()?.0);
            return Some((self.take_returned(place)?, place));
        }
        self.take_fresh()
    }

    pub fn take_newest(&mut self) -> Option<(Waiting, Place)> {
        if self.returned_goes_last() {
            let place = Place::of(self.returned.last()?.0);
            return Some((self.take_returned(place)?, place));
        }
        let place = Place { before: self.fresh.next_place() - 1, order: STOOD_IN_LINE };
        Some((Waiting::fresh(self.fresh.pop_back()?), place))
    }

    /// The two sets merged, without copying either.
    pub fn iter(&self) -> impl Iterator<Item = &Message> {
        let mut fresh = (self.fresh.front_place()..).zip(self.fresh.iter()).peekable();
        let mut returned = self.returned.iter().peekable();
        std::iter::from_fn(move || {
            let is_returned = match (returned.peek(), fresh.peek()) {
                (Some(([before, ..], _)), Some((front, _))) => before <= front,
                (Some(_), None) => true,
                _ => false,
            };
            if is_returned {
                return returned.next().map(|(_, waiting)| &waiting.message);
            }
            fresh.next().map(|(_, message)| message)
        })
    }

    /// Counts the bytes they hold: each message that came back stands in three trees.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.fresh.count_held(held);
        held.tree::<(Place, Waiting, [(Instant, Place); 2])>(self.returned.len());
        self.returned.iter().for_each(|(_, waiting)| waiting.message.count_held(held));
    }

    pub fn hash_into(&self, hasher: &mut StateHasher) {
        self.fresh.hash_into(hasher);
        for (key, waiting) in self.returned.iter() {
            Place::of(key).hash_into(hasher);
            waiting.hash_into(hasher);
        }
    }
}
