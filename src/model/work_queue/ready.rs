//! The messages that wait: lines by priority, or message groups.
//!
//! Messages that were never delivered stand in shared chunks in the order of their arrival.
//! Those that came back stand in a small ordered set beside them, each with the place before
//! which it goes. Nothing is ever moved within a line.
//!
//! A queue with priorities has a line for each level. A quorum queue has two, of which both move,
//! and before them a line for everything that came back: see [`TwoToOne`].

use super::super::held::HeldBytes;
use super::super::message::{Message, MessageId};
use super::super::ordered::Key;
use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::groups::Groups;
use super::in_flight::DeliveryTag;
use super::lines::Lines;
use super::rules::{Order, QueueRules, ReturnPlace};
use super::two_to_one::{self, TwoToOne};

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
    pub(super) before: u64,
    pub(super) order: u64,
}

/// All messages of a queue that wait.
#[derive(Clone, Debug)]
pub struct Ready {
    levels: Levels,
    len: u64,
    bytes: u64,
    /// How many messages ever came back: their order.
    returned_total: u64,
    /// Whose turn it is, where the lines are those of [`TwoToOne`].
    two_to_one: Option<TwoToOne>,
}

#[derive(Clone, Debug)]
enum Levels {
    /// Lines by priority, lowest first.
    Lines(Vec<Lines>),
    Groups(Box<Groups>),
}

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
    /// Its key among places.
    pub(super) const fn key(self) -> Key {
        [self.before, self.order, 0]
    }

    /// The place of a key.
    pub(super) const fn of([before, order, _]: Key) -> Self {
        Self { before, order }
    }

    /// Its key among places by an instant.
    pub(super) const fn since(self, at: Instant) -> Key {
        [at.micros(), self.before, self.order]
    }

    pub(super) fn hash_into(self, hasher: &mut StateHasher) {
        hasher.write(self.before);
        hasher.write(self.order);
    }
}

impl Ready {
    /// Nothing waits, in a queue with these rules.
    pub fn new(rules: &QueueRules) -> Self {
        let two_to_one = (rules.two_priorities && rules.order != Order::Groups).then(TwoToOne::default);
        let count =
            if two_to_one.is_some() { two_to_one::LINES } else { usize::from(rules.priority_max) + 1 };
        let levels = match rules.order {
            Order::Groups => Levels::Groups(Box::default()),
            _ => Levels::Lines(vec![Lines::default(); count]),
        };
        Self { levels, len: 0, bytes: 0, returned_total: 0, two_to_one }
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
                line_of(lines, self.two_to_one, &message).push(message, self.returned_total);
            }
            Levels::Groups(groups) => groups.push(Waiting::fresh(message)),
        }
    }

    /// Whether there is one line and nothing else.
    pub fn is_one_line(&self) -> bool {
        self.only_lines().is_some()
    }

    #[inline(always)]
    fn only_lines(&self) -> Option<&Lines> {
        match &self.levels {
            Levels::Lines(lines) if lines.len() == 1 => lines.first(),
            _ => None,
        }
    }

    #[inline(always)]
    fn only_lines_mut(&mut self) -> Option<&mut Lines> {
        match &mut self.levels {
            Levels::Lines(lines) if lines.len() == 1 => lines.first_mut(),
            _ => None,
        }
    }

    /// The place of the next message in the one line there is.
    #[inline(always)]
    pub fn next_place(&self) -> u64 {
        self.only_lines().map_or(0, Lines::next_place)
    }

    /// Puts a message that carries nothing at the end of the one line there is.
    #[inline(always)]
    pub fn push_plain(&mut self, message: Message) {
        if let Some(lines) = self.only_lines_mut() {
            lines.push_plain(message);
            self.len += 1;
            self.returned_total += 1;
        }
    }

    /// Takes the first in the one line there is, if it never was delivered and carries nothing, and
    /// `may` says so of it.
    #[inline(always)]
    pub fn take_plain(&mut self, may: impl FnOnce(MessageId) -> bool) -> Option<(Message, Place)> {
        let taken = self.only_lines_mut()?.take_plain(may)?;
        self.len -= 1;
        Some(taken)
    }

    /// Whether the message would be the first to go if it came in now.
    pub fn would_go_first(&self, message: &Message) -> bool {
        match &self.levels {
            Levels::Lines(_) => self.is_empty(),
            Levels::Groups(groups) => groups.would_go_first(message.properties().group),
        }
    }

    /// The place of a message that is handed over as it comes, the `order`th of all. Its group
    /// waits for it from now on.
    pub fn place_of_next(&mut self, message: &Message, order: u64) -> Place {
        match &mut self.levels {
            Levels::Lines(lines) => {
                Place { before: line_of(lines, self.two_to_one, message).next_place(), order }
            }
            Levels::Groups(groups) => Place { before: groups.push_out(message.properties().group), order: 0 },
        }
    }

    /// Puts a message back that stood at `from`.
    pub fn put_back(&mut self, waiting: Waiting, from: Place, to: ReturnPlace) {
        self.count_in(&waiting.message);
        self.returned_total += 1;
        let order = self.returned_total;
        match &mut self.levels {
            Levels::Lines(lines) => {
                let is_apart = self.two_to_one.is_some() && to == ReturnPlace::FrontInOrderOfReturn;
                let line = match lines.last_mut().filter(|_| is_apart) {
                    Some(returned) => returned,
                    None => line_of(lines, self.two_to_one, &waiting.message),
                };
                line.put_back(waiting, from, to, order);
            }
            Levels::Groups(groups) => groups.put_back(waiting, from.before),
        }
    }

    /// The message that goes next.
    pub fn head(&self, order: Order) -> Option<&Message> {
        match &self.levels {
            Levels::Lines(lines) => {
                let line = match lines.as_slice() {
                    [only] => only,
                    levels => levels.get(next_line(levels, self.two_to_one)?)?,
                };
                if order == Order::LastInFirstOut { line.newest() } else { line.oldest() }
            }
            Levels::Groups(groups) => groups.head(),
        }
    }

    /// Since when the oldest waiting message waits, wherever it stands.
    #[inline(always)]
    pub fn oldest_accepted_at(&self) -> Option<Instant> {
        match self.only_lines() {
            Some(only) => only.oldest_accepted_at(),
            None => self.oldest_of_several(),
        }
    }

    #[inline(never)]
    fn oldest_of_several(&self) -> Option<Instant> {
        match &self.levels {
            Levels::Lines(lines) => lines.iter().filter_map(Lines::oldest_accepted_at).min(),
            Levels::Groups(groups) => groups.oldest_accepted_at(),
        }
    }

    /// Since when the oldest message of the producer at that place waits, wherever it stands. It takes a
    /// look at each full chunk of a line, and at the messages of three at most.
    pub fn oldest_of(&self, producer: u16) -> Option<Instant> {
        match &self.levels {
            Levels::Lines(lines) => lines.iter().filter_map(|lines| lines.oldest_of(producer)).min(),
            Levels::Groups(groups) => groups.oldest_of(producer),
        }
    }

    /// Takes the message that goes next. In a queue with groups, `behind` is what the same
    /// receive has just taken: it goes on with the next of that group.
    pub fn take_next(&mut self, order: Order, behind: Option<(u64, Place)>) -> Option<(Waiting, Place)> {
        let taken = match &mut self.levels {
            Levels::Lines(lines) => {
                let line = match lines.as_mut_slice() {
                    [only] => only,
                    levels => {
                        let next = next_line(levels, self.two_to_one)?;
                        self.two_to_one.iter_mut().for_each(|turns| turns.count(next));
                        levels.get_mut(next)?
                    }
                };
                if order == Order::LastInFirstOut { line.take_newest() } else { line.take_oldest() }
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
    /// the highest (RabbitMQ `drop-head`), with groups the oldest even of a group that must wait.
    pub fn take_oldest(&mut self) -> Option<(Waiting, Place)> {
        match self.levels {
            Levels::Lines(_) => self.take_next(Order::FirstInFirstOut, None),
            Levels::Groups(_) => self.take_oldest_sent(),
        }
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
                let place = lines.place_of_returned(&wanted)?;
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
        match (&self.levels, self.two_to_one) {
            (Levels::Lines(lines), Some(turns)) => Box::new(turns.in_order(lines)),
            (Levels::Lines(lines), None) => Box::new(lines.iter().rev().flat_map(Lines::iter)),
            (Levels::Groups(groups), _) => Box::new(groups.iter()),
        }
    }

    /// Whether those at the front that were never delivered stand in the order in which they came.
    pub fn starts_in_order(&self) -> bool {
        match &self.levels {
            Levels::Lines(lines) => lines.iter().all(Lines::starts_in_order),
            Levels::Groups(_) => true,
        }
    }

    /// Counts the messages in the containers themselves; always equal to [`Self::len`].
    pub fn recount(&self) -> u64 {
        match &self.levels {
            Levels::Lines(lines) => lines.iter().map(Lines::recount).sum(),
            Levels::Groups(groups) => groups.iter().count() as u64,
        }
    }

    /// Counts the bytes they hold.
    pub(super) fn count_held(&self, held: &mut HeldBytes) {
        match &self.levels {
            Levels::Lines(lines) => lines.iter().for_each(|lines| lines.count_held(held)),
            Levels::Groups(groups) => groups.count_held(held),
        }
    }

    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.len);
        hasher.write(self.returned_total);
        self.two_to_one.iter().for_each(|turns| turns.hash_into(hasher));
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

/// The line of the message's priority, or of the highest there is.
fn line_of<'lines>(
    lines: &'lines mut [Lines],
    two_to_one: Option<TwoToOne>,
    message: &Message,
) -> &'lines mut Lines {
    let level = match (lines.len() - 1, two_to_one) {
        (0, _) => 0,
        (_, Some(_)) => two_to_one::line_of(message),
        (highest, None) => usize::from(message.properties().priority).min(highest),
    };
    &mut lines[level]
}

/// The line whose message goes next: the highest that is not empty, or the one whose turn it is.
fn next_line(lines: &[Lines], two_to_one: Option<TwoToOne>) -> Option<usize> {
    match two_to_one {
        Some(turns) => turns.next_line(lines),
        None => lines.iter().rposition(|line| !line.is_empty()),
    }
}
