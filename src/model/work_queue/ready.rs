//! The messages that wait: lines by priority, or message groups.
//!
//! Messages that were never delivered stand in shared chunks in the order of their arrival.
//! Those that came back stand in a small ordered set beside them, each with the place before
//! which it goes. Nothing is ever moved within a line.

use std::collections::{BTreeMap, BTreeSet};

use super::super::line::Line;
use super::super::message::Message;
use super::super::state_hash::{StateHasher, mix};
use super::super::time::Instant;
use super::groups::Groups;
use super::in_flight::DeliveryTag;
use super::rules::{Order, QueueRules, ReturnPlace};

/// A message that waits, and how often it was out already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The message.
    pub message: Message,
    /// How often it was handed over in this queue.
    pub deliveries: u32,
    /// How often it came back in a way that counts towards the delivery limit.
    pub returns: u32,
    /// The last delivery of it, where its lease ran out unanswered.
    pub lease_lost: Option<DeliveryTag>,
}

/// Where a message stands or stood: before the never-delivered message at the place `before`,
/// and among those that do so in rising `order`. What never stood in line, because a consumer
/// took it as it came, has the place of the next that will.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    before: u64,
    order: u64,
}

/// All messages of a queue that wait.
#[derive(Clone, Debug)]
pub struct Ready {
    levels: Levels,
    len: u64,
    bytes: u64,
    /// How many messages ever came back: their order.
    returned_total: u64,
}

#[derive(Clone, Debug)]
enum Levels {
    /// Lines by priority, lowest first.
    Lines(Vec<Lines>),
    Groups(Groups),
}

#[derive(Clone, Debug, Default)]
struct Lines {
    fresh: Line,
    returned: BTreeMap<Place, Waiting>,
    /// Since when each of those that came back waits.
    returned_ages: BTreeSet<(Instant, Place)>,
    /// From when on each of them counts as kept.
    returned_sent: BTreeSet<(Instant, Place)>,
}

/// The order of a message that stood in line: behind all that never did and came before it.
const STOOD_IN_LINE: u64 = u64::MAX;

impl Waiting {
    /// A message that was never delivered.
    pub const fn fresh(message: Message) -> Self {
        Self { message, deliveries: 0, returns: 0, lease_lost: None }
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        self.message.hash_into(hasher);
        hasher.write(u64::from(self.deliveries) << 32 | u64::from(self.returns));
    }
}

impl Place {
    pub(super) fn hash_into(self, hasher: &mut StateHasher) {
        hasher.write(self.before);
        hasher.write(self.order);
    }
}

impl Ready {
    /// Nothing waits, in a queue with these rules.
    pub fn new(rules: &QueueRules) -> Self {
        let levels = match rules.order {
            Order::Groups => Levels::Groups(Groups::default()),
            _ => Levels::Lines(vec![Lines::default(); usize::from(rules.priority_max) + 1]),
        };
        Self { levels, len: 0, bytes: 0, returned_total: 0 }
    }

    /// How many wait.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether none waits.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes wait.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Puts a new message behind those of its priority or group.
    pub fn push(&mut self, message: Message) {
        self.count_in(&message);
        match &mut self.levels {
            Levels::Lines(lines) => {
                self.returned_total += 1;
                lines_of(lines, &message).push(message, self.returned_total);
            }
            Levels::Groups(groups) => groups.push(Waiting::fresh(message)),
        }
    }

    /// The place of a message that is handed over as it comes, the `order`th of all. Only where
    /// there are no groups: there a message must stand in its group to be handed over.
    pub fn place_of_next(&self, message: &Message, order: u64) -> Option<Place> {
        match &self.levels {
            Levels::Lines(lines) => {
                let level = level_of(lines.len(), message);
                Some(Place { before: lines[level].fresh.next_place(), order })
            }
            Levels::Groups(_) => None,
        }
    }

    /// Puts a message back that stood at `from`.
    pub fn put_back(&mut self, waiting: Waiting, from: Place, to: ReturnPlace) {
        self.count_in(&waiting.message);
        self.returned_total += 1;
        let order = self.returned_total;
        match &mut self.levels {
            Levels::Lines(lines) => lines_of(lines, &waiting.message).put_back(waiting, from, to, order),
            Levels::Groups(groups) => groups.put_back(waiting, from.before),
        }
    }

    /// The message that goes next.
    pub fn head(&self, order: Order) -> Option<&Message> {
        match &self.levels {
            Levels::Lines(lines) => {
                let lines = lines.iter().rev().find(|lines| !lines.is_empty())?;
                if order == Order::LastInFirstOut { lines.newest() } else { lines.oldest() }
            }
            Levels::Groups(groups) => groups.head(),
        }
    }

    /// Since when the oldest waiting message waits, wherever it stands.
    pub fn oldest_accepted_at(&self) -> Option<Instant> {
        match &self.levels {
            Levels::Lines(lines) => lines.iter().filter_map(Lines::oldest_accepted_at).min(),
            Levels::Groups(groups) => groups.oldest_accepted_at(),
        }
    }

    /// Takes the message that goes next. In a queue with groups, `behind` is what the same
    /// receive has just taken: it goes on with the next of that group.
    pub fn take_next(&mut self, order: Order, behind: Option<(u64, Place)>) -> Option<(Waiting, Place)> {
        let taken = match &mut self.levels {
            Levels::Lines(lines) => {
                let lines = lines.iter_mut().rev().find(|lines| !lines.is_empty())?;
                if order == Order::LastInFirstOut { lines.take_newest() } else { lines.take_oldest() }
            }
            Levels::Groups(groups) => {
                let (waiting, before) =
                    groups.take_next(behind.map(|(group, place)| (group, place.before)))?;
                Some((waiting, Place { before, order: 0 }))
            }
        }?;
        self.count_out(&taken.0.message);
        Some(taken)
    }

    /// Takes the message that is dropped first: the head of the line, with priorities the head of
    /// the highest (RabbitMQ `drop-head`).
    pub fn take_oldest(&mut self) -> Option<(Waiting, Place)> {
        self.take_next(Order::FirstInFirstOut, None)
    }

    /// From when on the message counts as kept that was sent first of all that wait.
    pub fn oldest_sent_at(&self) -> Option<Instant> {
        match &self.levels {
            Levels::Lines(lines) => lines.iter().filter_map(Lines::oldest_sent_at).min(),
            Levels::Groups(groups) => groups.oldest_accepted_at(),
        }
    }

    /// Takes out the message that was sent first.
    pub fn take_oldest_sent(&mut self) -> Option<(Waiting, Place)> {
        let oldest = self.oldest_sent_at()?;
        let taken = match &mut self.levels {
            Levels::Lines(lines) => {
                let lines = lines.iter_mut().find(|lines| lines.oldest_sent_at() == Some(oldest))?;
                lines.take_oldest_sent()
            }
            Levels::Groups(groups) => {
                let waiting = groups.take_oldest()?;
                Some((waiting, Place { before: 0, order: 0 }))
            }
        }?;
        self.count_out(&taken.0.message);
        Some(taken)
    }

    /// Takes out a message that had come back, if `wanted` says so of it.
    pub fn take_returned(&mut self, wanted: impl Fn(&Waiting) -> bool) -> Option<Waiting> {
        let taken = match &mut self.levels {
            Levels::Lines(lines) => lines.iter_mut().find_map(|lines| {
                let place = *lines.returned.iter().find(|(_, waiting)| wanted(waiting))?.0;
                lines.take_returned(place)
            }),
            Levels::Groups(groups) => groups.take_where(wanted),
        }?;
        self.count_out(&taken.message);
        Some(taken)
    }

    /// Takes out everything that waits. Returns how many messages that were.
    pub fn clear(&mut self) -> u64 {
        match &mut self.levels {
            Levels::Lines(lines) => lines.iter_mut().for_each(Lines::clear),
            Levels::Groups(groups) => groups.clear(),
        }
        self.bytes = 0;
        std::mem::take(&mut self.len)
    }

    /// A delivered message of a group is gone for good: its group may go on.
    pub fn forget(&mut self, message: &Message, place: Place) {
        if let Levels::Groups(groups) = &mut self.levels {
            groups.forget(message.properties().group, place.before);
        }
    }

    /// All waiting messages, in the order in which they would be dropped or, but for groups,
    /// taken.
    pub fn iter(&self) -> Box<dyn Iterator<Item = &Message> + '_> {
        match &self.levels {
            Levels::Lines(lines) => Box::new(lines.iter().rev().flat_map(Lines::iter)),
            Levels::Groups(groups) => Box::new(groups.iter()),
        }
    }

    /// Counts the messages in the containers themselves; always equal to [`Self::len`].
    pub fn recount(&self) -> u64 {
        match &self.levels {
            Levels::Lines(lines) => {
                lines.iter().map(|lines| lines.fresh.recount() + lines.returned.len() as u64).sum()
            }
            Levels::Groups(groups) => groups.iter().count() as u64,
        }
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.len);
        hasher.write(self.returned_total);
        match &self.levels {
            Levels::Lines(lines) => lines.iter().for_each(|lines| lines.hash_into(hasher)),
            Levels::Groups(groups) => groups.hash_into(hasher),
        }
    }

    fn count_in(&mut self, message: &Message) {
        self.len += 1;
        self.bytes += message.properties().bytes;
    }

    fn count_out(&mut self, message: &Message) {
        self.len -= 1;
        self.bytes -= message.properties().bytes;
    }
}

/// The lines of the message's priority, or of the highest there are.
fn lines_of<'lines>(lines: &'lines mut [Lines], message: &Message) -> &'lines mut Lines {
    let level = level_of(lines.len(), message);
    &mut lines[level]
}

fn level_of(levels: usize, message: &Message) -> usize {
    match levels - 1 {
        0 => 0,
        highest => usize::from(message.properties().priority).min(highest),
    }
}

impl Lines {
    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.returned.is_empty()
    }

    /// One whose age counts from an earlier queue stands beside the line, where it can be found
    /// by that age.
    fn push(&mut self, message: Message, order: u64) {
        if message.sent_at() == message.accepted_at {
            return self.fresh.push_back(message);
        }
        self.insert(Place { before: self.fresh.next_place(), order }, Waiting::fresh(message));
    }

    fn put_back(&mut self, waiting: Waiting, from: Place, to: ReturnPlace, order: u64) {
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
        self.returned_ages.insert((waiting.message.accepted_at, place));
        self.returned_sent.insert((waiting.message.sent_at(), place));
        self.returned.insert(place, waiting);
    }

    fn take_returned(&mut self, place: Place) -> Option<Waiting> {
        let waiting = self.returned.remove(&place)?;
        self.returned_ages.remove(&(waiting.message.accepted_at, place));
        self.returned_sent.remove(&(waiting.message.sent_at(), place));
        Some(waiting)
    }

    fn oldest_sent_at(&self) -> Option<Instant> {
        let fresh = self.fresh.front().map(|message| message.accepted_at);
        let returned = self.returned_sent.first().map(|(sent_at, _)| *sent_at);
        fresh.into_iter().chain(returned).min()
    }

    fn take_oldest_sent(&mut self) -> Option<(Waiting, Place)> {
        let returned = self.returned_sent.first().copied();
        let fresh = self.fresh.front().map(|message| message.accepted_at);
        match returned.filter(|(sent_at, _)| fresh.is_none_or(|fresh| *sent_at <= fresh)) {
            Some((_, place)) => Some((self.take_returned(place)?, place)),
            None => self.take_fresh(),
        }
    }

    fn take_fresh(&mut self) -> Option<(Waiting, Place)> {
        let place = Place { before: self.fresh.front_place(), order: STOOD_IN_LINE };
        Some((Waiting::fresh(self.fresh.pop_front()?), place))
    }

    fn oldest_accepted_at(&self) -> Option<Instant> {
        let fresh = self.fresh.front().map(|message| message.accepted_at);
        match self.returned_ages.first() {
            None => fresh,
            Some((returned, _)) => Some(fresh.map_or(*returned, |fresh| fresh.min(*returned))),
        }
    }

    fn put_where_it_stood(&mut self, waiting: Waiting, from: Place) {
        let mut place = from;
        // Where the newest go first, a place can be used twice.
        while self.returned.contains_key(&place) {
            place.order -= 1;
        }
        self.insert(place, waiting);
    }

    /// One of the places between the front and the end, by the message and its deliveries alone.
    fn any_place(&self, waiting: &Waiting) -> u64 {
        let key = waiting.message.id.raw() ^ u64::from(waiting.deliveries).rotate_left(52);
        self.fresh.front_place() + mix(key) % (self.fresh.len() + 1)
    }

    fn clear(&mut self) {
        self.fresh.clear();
        self.returned.clear();
        self.returned_ages.clear();
        self.returned_sent.clear();
    }

    fn returned_goes_first(&self) -> bool {
        match self.returned.first_key_value() {
            None => false,
            Some((place, _)) => self.fresh.is_empty() || place.before <= self.fresh.front_place(),
        }
    }

    fn returned_goes_last(&self) -> bool {
        match self.returned.last_key_value() {
            None => false,
            Some((place, _)) => self.fresh.is_empty() || place.before >= self.fresh.next_place(),
        }
    }

    fn oldest(&self) -> Option<&Message> {
        if self.returned_goes_first() {
            return self.returned.first_key_value().map(|(_, waiting)| &waiting.message);
        }
        self.fresh.front()
    }

    fn newest(&self) -> Option<&Message> {
        if self.returned_goes_last() {
            return self.returned.last_key_value().map(|(_, waiting)| &waiting.message);
        }
        self.fresh.back()
    }

    fn take_oldest(&mut self) -> Option<(Waiting, Place)> {
        if self.returned_goes_first() {
            let place = *self.returned.first_key_value()?.0;
            return Some((self.take_returned(place)?, place));
        }
        self.take_fresh()
    }

    fn take_newest(&mut self) -> Option<(Waiting, Place)> {
        if self.returned_goes_last() {
            let place = *self.returned.last_key_value()?.0;
            return Some((self.take_returned(place)?, place));
        }
        let place = Place { before: self.fresh.next_place() - 1, order: STOOD_IN_LINE };
        Some((Waiting::fresh(self.fresh.pop_back()?), place))
    }

    /// The two sets merged, without copying either.
    fn iter(&self) -> impl Iterator<Item = &Message> {
        let mut fresh = (self.fresh.front_place()..).zip(self.fresh.iter()).peekable();
        let mut returned = self.returned.iter().peekable();
        std::iter::from_fn(move || {
            let is_returned = match (returned.peek(), fresh.peek()) {
                (Some((place, _)), Some((front, _))) => place.before <= *front,
                (Some(_), None) => true,
                _ => false,
            };
            if is_returned {
                return returned.next().map(|(_, waiting)| &waiting.message);
            }
            fresh.next().map(|(_, message)| message)
        })
    }

    fn hash_into(&self, hasher: &mut StateHasher) {
        self.fresh.hash_into(hasher);
        for (place, waiting) in &self.returned {
            place.hash_into(hasher);
            waiting.hash_into(hasher);
        }
    }
}
