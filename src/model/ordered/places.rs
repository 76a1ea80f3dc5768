//! Keys in order, and where their values lie.

use std::collections::VecDeque;

use super::Key;

/// How many keys a block holds at most: small enough to move along within one, large enough
/// that a few thousand blocks hold all that a broker does.
const BLOCK_LEN: usize = 64;

/// The keys, sorted, in blocks that are never empty.
///
/// Most collections of the model hold a few values, for which this is one sorted list, or gain
/// values at their end and lose them at their start, which moves no other block.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    blocks: VecDeque<Vec<Entry>>,
    len: usize,
}

/// A key, and the place of its value.
type Entry = (Key, u32);

/// Where a key is, or would be: the number of a block and a number in it.
struct Spot {
    block: usize,
    at: usize,
    is_there: bool,
}

// Not inlined, so that they are compiled once for all collections.
impl Places {
    /// How many keys there are.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    #[inline(never)]
    pub(super) fn get(&self, key: &Key) -> Option<u32> {
        let spot = self.find(key);
        if spot.is_there { self.entry(&spot).map(|(_, place)| place) } else { None }
    }

    /// Puts in a key, and returns the place that it had before.
    #[inline(never)]
    pub(super) fn insert(&mut self, key: Key, place: u32) -> Option<u32> {
        let spot = self.find(&key);
        match self.blocks.get_mut(spot.block) {
            Some(block) if spot.is_there => {
                let (_, there) = block.get_mut(spot.at)?;
                return Some(std::mem::replace(there, place));
            }
            Some(block) if block.len() < BLOCK_LEN => block.insert(spot.at, (key, place)),
            _ => self.insert_block(&spot, (key, place)),
        }
        self.len += 1;
        None
    }

    /// The block is full, or there is none. A key that comes last of all begins a block of its own,
    /// so that keys that come in order fill their blocks; else the block is parted in two.
    fn insert_block(&mut self, spot: &Spot, entry: Entry) {
        let is_last = spot.block + 1 >= self.blocks.len();
        let Some(block) = self.blocks.get_mut(spot.block).filter(|block| !is_last || spot.at < block.len())
        else {
            return self.blocks.push_back(vec![entry]);
        };
        let mut later = block.split_off(BLOCK_LEN / 2);
        match spot.at.checked_sub(block.len()) {
            Some(at) => later.insert(at, entry),
            None => block.insert(spot.at, entry),
        }
        self.blocks.insert(spot.block + 1, later);
    }

    /// Takes out a key, and returns the place that it had.
    #[inline(never)]
    pub(super) fn remove(&mut self, key: &Key) -> Option<u32> {
        let spot = self.find(key);
        let block = self.blocks.get_mut(spot.block).filter(|_| spot.is_there)?;
        let (_, place) = block.remove(spot.at);
        let left = block.len();
        if left < BLOCK_LEN / 4 && self.blocks.len() > 1 {
            self.join(spot.block, left);
        }
        self.len -= 1;
        Some(place)
    }

    /// Puts what is left of a block before the next one, where that leaves room in it.
    fn join(&mut self, block: usize, left: usize) {
        let has_room = self.blocks.get(block + 1).is_some_and(|next| left + next.len() <= BLOCK_LEN / 2);
        if left > 0 && !has_room {
            return;
        }
        if let (Some(first), Some(next)) = (self.blocks.remove(block), self.blocks.get_mut(block)) {
            next.splice(..0, first);
        }
    }

    /// The first key.
    pub(super) fn first(&self) -> Option<Entry> {
        self.blocks.front()?.first().copied()
    }

    /// The last key.
    pub(super) fn last(&self) -> Option<Entry> {
        self.blocks.back()?.last().copied()
    }

    /// The first key that is not below `key`.
    #[inline(never)]
    pub(super) fn next_from(&self, key: Key) -> Option<Entry> {
        let spot = self.find(&key);
        self.entry(&spot).or_else(|| self.blocks.get(spot.block + 1)?.first().copied())
    }

    /// All keys in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.blocks.iter().flatten()
    }

    fn entry(&self, spot: &Spot) -> Option<Entry> {
        self.blocks.get(spot.block)?.get(spot.at).copied()
    }

    /// The last block that begins at or below the key, and the place in it.
    #[inline(never)]
    fn find(&self, key: &Key) -> Spot {
        let block = if self.blocks.len() > 1 { self.block_of(key) } else { 0 };
        let entries = self.blocks.get(block).map_or(&[][..], Vec::as_slice);
        let (mut at, mut end) = (0, entries.len());
        while at < end {
            let middle = at.midpoint(end);
            match entries.get(middle) {
                Some((other, _)) if is_below(other, key) => at = middle + 1,
                _ => end = middle,
            }
        }
        Spot { block, at, is_there: entries.get(at).is_some_and(|(other, _)| !is_below(key, other)) }
    }

    #[inline(never)]
    fn block_of(&self, key: &Key) -> usize {
        let begun = self
            .blocks
            .partition_point(|block| block.first().is_some_and(|(first, _)| !is_below(key, first)));
        begun.saturating_sub(1)
    }
}

/// Whether one key comes before another: most differ in their first number.
#[inline(always)]
const fn is_below(one: &Key, other: &Key) -> bool {
    if one[0] != other[0] {
        return one[0] < other[0];
    }
    if one[1] == other[1] { one[2] < other[2] } else { one[1] < other[1] }
}
