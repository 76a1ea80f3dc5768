//! The records of a partition in fixed chunks that checkpoints share.
//!
//! A record takes 9 bytes: when it came, as microseconds since its chunk began; which of the chunk's
//! producers sent it; and its number there, relative to a number of the chunk. All the rest of a
//! message is drawn again from that. A chunk that is full never changes again, so its digest is
//! computed once and every clone shares it; only the last one is copied when an owner of it writes.

use std::collections::VecDeque;
use std::rc::Rc;

use super::super::held::HeldBytes;
use super::super::message::MessageId;
use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};

/// Records in a chunk.
const CHUNK_LEN: usize = 1_024;
/// How far below a chunk's first number of a producer the others may be.
const NUMBERS_BELOW: u64 = 1 << 31;

/// A stored record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its place in the partition.
    pub offset: u64,
    /// Which message it is.
    pub id: MessageId,
    /// When it was appended: its timestamp (Kafka `LogAppendTime`).
    pub appended_at: Instant,
}

/// Records at consecutive offsets. Timestamps never decrease.
#[derive(Clone, Debug, Default)]
pub struct Chunks {
    chunks: VecDeque<Rc<Chunk>>,
    end: u64,
}

/// Up to [`CHUNK_LEN`] records: one value in each of three lists.
#[derive(Clone, Debug)]
struct Chunk {
    first_offset: u64,
    began_at: Instant,
    senders: Vec<Sender>,
    micros: Vec<u32>,
    sender_of: Vec<u8>,
    numbers: Vec<u32>,
    /// The digest of all records, once no more can come.
    digest: Option<u64>,
}

/// A producer, and from which of its messages on the chunk's numbers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sender {
    sender: u16,
    from_number: u64,
}

/// A record as a chunk stores it.
struct Packed {
    micros: u32,
    sender: u8,
    number: u32,
}

impl Sender {
    fn of(id: MessageId) -> Self {
        let from_number = id.number().saturating_sub(NUMBERS_BELOW);
        Self { sender: id.sender(), from_number }
    }

    /// The message's number relative to this, if it is this producer's and fits.
    #[inline]
    fn relative(&self, id: MessageId) -> Option<u32> {
        if self.sender != id.sender() {
            return None;
        }
        u32::try_from(id.number().checked_sub(self.from_number)?).ok()
    }
}

impl Chunk {
    const fn new(first_offset: u64, began_at: Instant) -> Self {
        Self {
            first_offset,
            began_at,
            senders: Vec::new(),
            micros: Vec::new(),
            sender_of: Vec::new(),
            numbers: Vec::new(),
            digest: None,
        }
    }

    fn end(&self) -> u64 {
        self.first_offset + self.micros.len() as u64
    }

    fn last_at(&self) -> Instant {
        self.at(self.micros.len().saturating_sub(1))
    }

    fn at(&self, place: usize) -> Instant {
        self.began_at + Span::from_micros(self.micros.get(place).copied().map_or(0, u64::from))
    }

    /// The record as it would be stored here; `None` where another chunk has to begin.
    #[inline]
    fn pack(&self, at: Instant, id: MessageId) -> Option<Packed> {
        if self.micros.len() == CHUNK_LEN {
            return None;
        }
        let micros = u32::try_from(at.since(self.began_at).micros()).ok()?;
        let last = self.sender_of.last().copied().unwrap_or_default();
        let sender = self.senders.get(usize::from(last)).and_then(|sender| sender.relative(id));
        if let Some(number) = sender {
            return Some(Packed { micros, sender: last, number });
        }
        self.pack_of_another(micros, id)
    }

    /// One that another producer sent than the one before it.
    fn pack_of_another(&self, micros: u32, id: MessageId) -> Option<Packed> {
        let known = (0_u8..=u8::MAX).zip(&self.senders);
        let mut known = known.filter_map(|(sender, from)| Some((sender, from.relative(id)?)));
        let (sender, number) = match known.next() {
            Some(found) => found,
            None => (u8::try_from(self.senders.len()).ok()?, Sender::of(id).relative(id)?),
        };
        Some(Packed { micros, sender, number })
    }

    fn push(&mut self, id: MessageId, packed: &Packed) {
        if usize::from(packed.sender) == self.senders.len() {
            self.senders.push(Sender::of(id));
        }
        self.micros.push(packed.micros);
        self.sender_of.push(packed.sender);
        self.numbers.push(packed.number);
        if self.micros.len() == CHUNK_LEN {
            self.seal();
        }
    }

    fn seal(&mut self) {
        self.digest = Some(self.compute_digest());
    }

    fn record(&self, offset: u64) -> Option<Record> {
        let place = usize::try_from(offset.checked_sub(self.first_offset)?).ok()?;
        let sender = self.senders.get(usize::from(*self.sender_of.get(place)?))?;
        let number = sender.from_number + u64::from(*self.numbers.get(place)?);
        let id = MessageId::new(sender.sender, number);
        Some(Record { offset, id, appended_at: self.at(place) })
    }

    fn compute_digest(&self) -> u64 {
        let mut hasher = StateHasher::default();
        hasher.write(self.first_offset);
        hasher.write(self.began_at.micros());
        for sender in &self.senders {
            hasher.write(u64::from(sender.sender));
            hasher.write(sender.from_number);
        }
        let records = self.micros.iter().zip(&self.sender_of).zip(&self.numbers);
        for ((micros, sender), number) in records {
            hasher.write(u64::from(*micros) << 32 | u64::from(*number));
            hasher.write(u64::from(*sender));
        }
        hasher.finish()
    }
}

impl Chunks {
    /// The offset that the next record will get.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// When the last stored record came.
    #[must_use]
    pub fn last_at(&self) -> Option<Instant> {
        self.chunks.back().map(|chunk| chunk.last_at())
    }

    /// Puts a record at the end and returns its offset. One that comes before the last counts as
    /// coming with it.
    #[inline]
    pub fn push(&mut self, at: Instant, id: MessageId) -> u64 {
        let packed = self.chunks.back().and_then(|chunk| chunk.pack(at, id));
        match (packed, self.chunks.back_mut()) {
            (Some(packed), Some(chunk)) => Rc::make_mut(chunk).push(id, &packed),
            _ => self.begin_chunk(at, id),
        }
        self.end += 1;
        self.end - 1
    }

    #[cold]
    fn begin_chunk(&mut self, at: Instant, id: MessageId) {
        if let Some(last) = self.chunks.back_mut().filter(|last| last.digest.is_none()) {
            Rc::make_mut(last).seal();
        }
        let at = self.last_at().map_or(at, |last| last.max(at));
        let mut chunk = Chunk::new(self.end, at);
        if let Some(packed) = chunk.pack(at, id) {
            chunk.push(id, &packed);
        }
        self.chunks.push_back(Rc::new(chunk));
    }

    /// The record at `offset`, if it is stored.
    #[must_use]
    #[inline]
    pub fn get(&self, offset: u64) -> Option<Record> {
        self.chunks.get(self.chunk_of(offset)?)?.record(offset)
    }

    /// Which chunk has the record of an offset: as good as always the one that has it if all are full.
    #[inline]
    fn chunk_of(&self, offset: u64) -> Option<usize> {
        let from_first = offset.checked_sub(self.chunks.front()?.first_offset)?;
        let guess = usize::try_from(from_first).ok()? / CHUNK_LEN;
        match self.chunks.get(guess) {
            Some(chunk) if offset < chunk.end() => Some(guess),
            _ => Some(self.chunks.partition_point(|chunk| chunk.end() <= offset)),
        }
    }

    /// The first offset whose record came at `at` or later; `None` where none did.
    #[must_use]
    pub fn first_from(&self, at: Instant) -> Option<u64> {
        let chunk = self.chunks.get(self.chunks.partition_point(|chunk| chunk.last_at() < at))?;
        let place = chunk
            .micros
            .partition_point(|micros| chunk.began_at + Span::from_micros(u64::from(*micros)) < at);
        Some(chunk.first_offset + place as u64)
    }

    /// Lets go of chunks all of whose records lie before `offset`. Others of its records stay stored
    /// until the whole chunk can go.
    pub fn drop_before(&mut self, offset: u64) {
        while self.chunks.front().is_some_and(|first| first.end() <= offset) {
            self.chunks.pop_front();
        }
    }

    /// Counts the records at `from` and later in the chunks themselves.
    #[must_use]
    pub fn recount_from(&self, from: u64) -> u64 {
        let stored = self.chunks.iter().map(|chunk| chunk.end().saturating_sub(chunk.first_offset.max(from)));
        stored.sum()
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        for chunk in &self.chunks {
            if held.shared::<_, (u32, u32)>(chunk, chunk.micros.len()) {
                held.own::<u8>(chunk.sender_of.len());
                held.own::<Sender>(chunk.senders.len());
                held.own::<Chunk>(1);
            }
        }
    }

    /// Feeds every stored record, in order, to `hasher`: chunks that are full by their digest.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.end);
        for chunk in &self.chunks {
            hasher.write(chunk.digest.unwrap_or_else(|| chunk.compute_digest()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(count: u64) -> Instant {
        Instant::from_seconds(count)
    }

    fn hash(chunks: &Chunks) -> u64 {
        let mut hasher = StateHasher::default();
        chunks.hash_into(&mut hasher);
        hasher.finish()
    }

    proptest! {
        // Producers and numbers far apart, and long pauses: chunks begin early for each of them.
        #[test]
        fn every_record_comes_back_as_it_was_put_in(
            records in prop::collection::vec((0_u64..9_000_000_000, 0_u16..400, prop_oneof![1_u64..50, 0_u64..1 << 47]), 1..3_000)
        ) {
            let mut chunks = Chunks::default();
            let mut expected = Vec::new();
            let mut micros = 0;
            for (gap, producer, number) in records {
                micros += gap / 1_000_000;
                let (id, at) = (MessageId::new(producer, number), Instant::from_micros(micros));
                let offset = chunks.push(at, id);
                prop_assert_eq!(offset, expected.len() as u64);
                expected.push(Record { offset, id, appended_at: at });
            }
            for record in &expected {
                prop_assert_eq!(chunks.get(record.offset), Some(*record));
                let first = expected.iter().find(|other| other.appended_at >= record.appended_at);
                prop_assert_eq!(chunks.first_from(record.appended_at), first.map(|first| first.offset));
            }
            prop_assert_eq!(chunks.get(chunks.end()), None);
            prop_assert_eq!(chunks.recount_from(0), chunks.end());
        }
    }

    #[test]
    fn a_pause_of_hours_begins_another_chunk() {
        let mut chunks = Chunks::default();
        for second in [0, 4_294, 4_295, 100_000] {
            chunks.push(seconds(second), MessageId::new(0, second + 1));
        }
        assert_eq!(chunks.chunks.len(), 3);
        let at: Vec<_> =
            (0..4).filter_map(|offset| chunks.get(offset)).map(|record| record.appended_at).collect();
        assert_eq!(at, [0, 4_294, 4_295, 100_000].map(seconds));
    }

    #[test]
    fn a_record_takes_at_most_ten_bytes() {
        let mut chunks = Chunks::default();
        (0..100_000)
            .for_each(|number| _ = chunks.push(Instant::from_micros(number), MessageId::new(0, number)));
        let mut held = HeldBytes::default();
        chunks.count_held(&mut held);
        assert!((900_000..1_000_000).contains(&held.bytes()), "{}", held.bytes());
    }

    #[test]
    fn clones_share_full_chunks_and_keep_their_own_records() {
        let mut chunks = Chunks::default();
        (0..2_500).for_each(|number| _ = chunks.push(seconds(number), MessageId::new(0, number)));
        let kept = chunks.clone();
        let before = hash(&kept);
        assert!(Rc::ptr_eq(&chunks.chunks[0], &kept.chunks[0]));
        (2_500..3_000).for_each(|number| _ = chunks.push(seconds(number), MessageId::new(0, number)));
        chunks.drop_before(2_048);
        assert_eq!(
            (chunks.get(2_047), chunks.get(2_048).map(|record| record.id.number())),
            (None, Some(2_048))
        );
        assert_eq!((kept.end(), kept.recount_from(0), hash(&kept)), (2_500, 2_500, before));
        assert_ne!(hash(&chunks), before);
    }

    #[test]
    fn the_digest_speaks_of_every_record_in_order() {
        let with = |swapped: bool| {
            let mut chunks = Chunks::default();
            for number in 0..2_100 {
                let other = if swapped && (500..502).contains(&number) { 1_001 - number } else { number };
                chunks.push(seconds(number), MessageId::new(0, other));
            }
            hash(&chunks)
        };
        assert_ne!(with(false), with(true));
    }
}
