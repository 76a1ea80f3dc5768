//! A line of waiting messages in fixed chunks that checkpoints share.
//!
//! Cloning a line clones a few pointers, not the messages: a chunk is copied only when one of
//! its owners changes it (copy on write). 2,000,000 waiting messages take 48 MB. A chunk that is
//! full never changes again, so its digest is computed once, when it is asked for.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::held::HeldBytes;
use super::message::{Death, Luggage, Message, MessageId};
use super::state_hash::StateHasher;

/// Messages in a chunk.
const CHUNK_LEN: usize = 1_024;

/// Messages in the order in which they will be taken.
#[derive(Clone, Debug, Default)]
pub struct Line {
    chunks: VecDeque<Rc<Chunk>>,
    /// How many messages of the first chunk were taken already.
    taken_from_first: usize,
    len: u64,
    /// How many were ever taken from the front; the first in line stands one place behind them.
    taken: u64,
}

#[derive(Clone, Debug)]
struct Chunk {
    messages: Vec<Message>,
    /// The digest of all messages, once the chunk is full and somebody asked for it.
    digest: OnceCell<u64>,
    /// How many of the messages carried something that no other did when they came.
    with_own_luggage: usize,
    /// Whose messages it has held: a bit for each producer.
    producers: u16,
}

impl Chunk {
    fn new() -> Self {
        let messages = Vec::with_capacity(CHUNK_LEN);
        Self { messages, digest: OnceCell::new(), with_own_luggage: 0, producers: 0 }
    }

    #[inline(always)]
    fn push(&mut self, message: Message) {
        let luggage = message.luggage.as_ref();
        self.with_own_luggage += usize::from(luggage.is_some_and(|own| Rc::strong_count(own) == 1));
        self.producers |= bit_of(message.id.producer_index());
        self.messages.push(message);
    }

    /// Whether none of its messages is of that producer, as far as a look can tell.
    const fn certainly_lacks(&self, producer: u16) -> bool {
        self.producers & bit_of(producer) == 0
    }
}

/// There are 16 producers at most.
const fn bit_of(producer: u16) -> u16 {
    1 << (producer % 16)
}

fn digest_of(messages: &[Message]) -> u64 {
    let mut hasher = StateHasher::default();
    messages.iter().for_each(|message| message.hash_into(&mut hasher));
    hasher.finish()
}

impl Line {
    /// How many wait.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether none waits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first in line.
    #[must_use]
    #[inline(always)]
    pub fn front(&self) -> Option<&Message> {
        self.chunks.front()?.messages.get(self.taken_from_first)
    }

    /// The place of the first in line, counted from 1 since the line was made: a message keeps its
    /// place while it waits, and no earlier message had a later one.
    #[must_use]
    pub const fn front_place(&self) -> u64 {
        self.taken + 1
    }

    /// The place that the next message will get at the end.
    #[must_use]
    pub const fn next_place(&self) -> u64 {
        self.taken + self.len + 1
    }

    /// The last in line.
    #[must_use]
    pub fn back(&self) -> Option<&Message> {
        if self.is_empty() { None } else { self.chunks.back()?.messages.last() }
    }

    /// All messages, first in line first.
    pub fn iter(&self) -> impl Iterator<Item = &Message> {
        self.chunks.iter().flat_map(|chunk| &chunk.messages).skip(self.taken_from_first)
    }

    /// The first message in line of the producer at that place. Chunks without one are passed
    /// over.
    #[must_use]
    pub fn first_of(&self, producer: u16) -> Option<&Message> {
        let mut chunks = self.chunks.iter().enumerate().filter(|(_, chunk)| !chunk.certainly_lacks(producer));
        chunks.find_map(|(index, chunk)| {
            let taken = if index == 0 { self.taken_from_first } else { 0 };
            chunk.messages.iter().skip(taken).find(|message| message.id.producer_index() == producer)
        })
    }

    /// Puts `message` at the end.
    #[inline(always)]
    pub fn push_back(&mut self, message: Message) {
        match self.chunks.back_mut() {
            Some(chunk) if chunk.messages.len() < CHUNK_LEN => Rc::make_mut(chunk).push(message),
            _ => self.begin_chunk(message),
        }
        self.len += 1;
    }

    #[inline(never)]
    fn begin_chunk(&mut self, message: Message) {
        let mut chunk = Chunk::new();
        chunk.push(message);
        self.chunks.push_back(Rc::new(chunk));
    }

    /// Takes the first in line.
    pub fn pop_front(&mut self) -> Option<Message> {
        let message = self.front()?.clone();
        self.pass_front();
        Some(message)
    }

    /// Takes the first in line, if it carries nothing and `may` says so of it.
    #[inline(always)]
    pub fn pop_plain(&mut self, may: impl FnOnce(MessageId) -> bool) -> Option<Message> {
        let first = self.front()?;
        if first.luggage.is_some() || !may(first.id) {
            return None;
        }
        let message = Message::plain(first.id, first.accepted_at);
        self.pass_front();
        Some(message)
    }

    #[inline(always)]
    fn pass_front(&mut self) {
        self.taken_from_first += 1;
        self.taken += 1;
        self.len -= 1;
        if self.chunks.front().is_some_and(|first| self.taken_from_first == first.messages.len()) {
            self.retire_first_chunk();
        }
    }

    /// Takes the last in line.
    pub fn pop_back(&mut self) -> Option<Message> {
        if self.is_empty() {
            return None;
        }
        let last = Rc::make_mut(self.chunks.back_mut()?);
        let message = last.messages.pop()?;
        last.digest.take();
        self.len -= 1;
        let left_in_last = last.messages.len();
        if left_in_last == 0 || self.is_empty() {
            self.chunks.pop_back();
        }
        if self.is_empty() {
            self.taken_from_first = 0;
        }
        Some(message)
    }

    /// A chunk that is empty and not shared serves again: short lines allocate nothing.
    #[inline(never)]
    fn retire_first_chunk(&mut self) {
        self.taken_from_first = 0;
        let Some(mut chunk) = self.chunks.pop_front() else { return };
        if self.chunks.is_empty()
            && let Some(emptied) = Rc::get_mut(&mut chunk)
        {
            emptied.messages.clear();
            emptied.digest.take();
            (emptied.with_own_luggage, emptied.producers) = (0, 0);
            self.chunks.push_back(chunk);
        }
    }

    /// Takes all out. Places go on from where they stood.
    pub fn clear(&mut self) {
        self.taken += self.len;
        self.chunks.clear();
        (self.taken_from_first, self.len) = (0, 0);
    }

    /// Counts the messages in the containers themselves; always equal to [`Self::len`].
    #[must_use]
    pub fn recount(&self) -> u64 {
        let stored: usize = self.chunks.iter().map(|chunk| chunk.messages.len()).sum();
        (stored - self.taken_from_first) as u64
    }

    /// Counts the bytes it holds: chunks at their full length, and what their messages carry for
    /// themselves alone, with one death each.
    pub fn count_held(&self, held: &mut HeldBytes) {
        for chunk in &self.chunks {
            if held.shared::<_, Message>(chunk, CHUNK_LEN) {
                held.own::<(Luggage, Death)>(chunk.with_own_luggage);
            }
        }
    }

    /// Feeds every waiting message, in order, to `hasher`: whole chunks by their digest.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.len);
        for (index, chunk) in self.chunks.iter().enumerate() {
            let waiting =
                if index == 0 { &chunk.messages[self.taken_from_first..] } else { &chunk.messages[..] };
            if waiting.len() == CHUNK_LEN {
                hasher.write(*chunk.digest.get_or_init(|| digest_of(waiting)));
            } else {
                waiting.iter().for_each(|message| message.hash_into(hasher));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::MessageId;
    use super::super::time::Instant;
    use super::*;

    fn message(number: u64) -> Message {
        Message::plain(MessageId::new(0, number), Instant::from_micros(number))
    }

    fn hash(line: &Line) -> u64 {
        let mut hasher = StateHasher::default();
        line.hash_into(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn messages_leave_in_the_order_in_which_they_came() {
        let mut line = Line::default();
        let mut expected = 1;
        for number in 1..=5_000 {
            line.push_back(message(number));
            if number % 3 == 0 {
                assert_eq!(line.pop_front(), Some(message(expected)));
                expected += 1;
            }
        }
        assert_eq!(line.len(), line.recount());
        assert_eq!(line.iter().count() as u64, line.len());
        while let Some(taken) = line.pop_front() {
            assert_eq!(taken, message(expected));
            expected += 1;
        }
        assert_eq!((expected, line.len(), line.recount()), (5_001, 0, 0));
    }

    #[test]
    fn it_can_be_taken_from_at_both_ends() {
        let mut line = Line::default();
        let mut expected = VecDeque::new();
        for number in 1..=9_000_u64 {
            line.push_back(message(number));
            expected.push_back(number);
            match number % 7 {
                0 | 3 => assert_eq!(line.pop_back().map(|taken| taken.id.number()), expected.pop_back()),
                5 => assert_eq!(line.pop_front().map(|taken| taken.id.number()), expected.pop_front()),
                _ => assert_eq!(line.back().map(|last| last.id.number()), expected.back().copied()),
            }
        }
        while let Some(taken) = line.pop_back() {
            assert_eq!(Some(taken.id.number()), expected.pop_back());
        }
        assert_eq!((line.recount(), line.iter().count(), expected.len()), (0, 0, 0));
        line.push_back(message(1));
        assert_eq!(line.pop_front(), Some(message(1)));
    }

    #[test]
    fn a_clone_shares_chunks_and_keeps_its_own_messages() {
        let mut line = Line::default();
        (1..=3_000).for_each(|number| line.push_back(message(number)));
        let kept = line.clone();
        assert!(Rc::ptr_eq(&line.chunks[0], &kept.chunks[0]));
        (3_001..=4_000).for_each(|number| line.push_back(message(number)));
        (1..=2_000).for_each(|_| assert!(line.pop_front().is_some()));
        assert_eq!((kept.len(), kept.recount()), (3_000, 3_000));
        assert_eq!(kept.front(), Some(&message(1)));
        assert_ne!(hash(&kept), hash(&line));
    }

    #[test]
    fn the_first_of_a_producer_is_the_one_that_a_look_at_all_finds() {
        let mut line = Line::default();
        for number in 1..=20_000_u64 {
            let producer = if number % 5_003 == 0 { 15 } else { u16::from(number % 2_999 == 0) };
            line.push_back(Message { id: MessageId::new(producer, number), ..message(number) });
            match number % 11 {
                0 | 4 | 7 => drop(line.pop_front()),
                9 => drop(line.pop_back()),
                _ => {}
            }
            if number % 97 == 0 {
                for producer in [0, 1, 2, 15] {
                    let found = line.iter().find(|message| message.id.producer_index() == producer);
                    assert_eq!(line.first_of(producer), found, "{number}: {producer}");
                }
            }
        }
        assert!(line.first_of(15).is_some() && line.first_of(1).is_some() && line.first_of(2).is_none());
    }

    #[test]
    fn the_digest_speaks_of_every_message_in_order() {
        let mut line = Line::default();
        (1..=2_100).for_each(|number| line.push_back(message(number)));
        let mut swapped = Line::default();
        let order = (1..=2_100).map(|number| match number {
            500 => 501,
            501 => 500,
            other => other,
        });
        order.for_each(|number| swapped.push_back(message(number)));
        assert_ne!(hash(&line), hash(&swapped));
    }
}
