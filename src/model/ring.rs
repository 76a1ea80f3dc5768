//! The last values of many, in fixed chunks that checkpoints share.
//!
//! A chunk that is full never changes again and is shared by every clone; only the one that is
//! forming is copied. Where nobody else has the oldest chunk, its room serves again, so that a
//! ring that is full allocates nothing.

use std::collections::VecDeque;
use std::rc::Rc;

use super::held::HeldBytes;

/// The last `kept` values, oldest first, in chunks of `CHUNK`.
#[derive(Clone, Debug)]
pub struct Ring<T, const CHUNK: usize> {
    full: VecDeque<Rc<Vec<T>>>,
    forming: Vec<T>,
    kept: usize,
}

impl<T, const CHUNK: usize> Ring<T, CHUNK> {
    /// An empty ring that keeps the last `kept` values: a multiple of `CHUNK`.
    #[must_use]
    pub const fn keeping(kept: usize) -> Self {
        Self { full: VecDeque::new(), forming: Vec::new(), kept }
    }

    /// An empty ring that keeps everything.
    #[must_use]
    pub const fn keeping_all() -> Self {
        Self::keeping(usize::MAX)
    }

    /// Puts `value` at the end; where the ring is full, the oldest is no longer in it.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        self.forming.push(value);
        if self.forming.len() == CHUNK {
            self.close_chunk();
        }
    }

    #[cold]
    fn close_chunk(&mut self) {
        let is_full = self.full.len() >= self.kept / CHUNK;
        let oldest = if is_full { self.full.pop_front() } else { None };
        let mut next = oldest.and_then(|chunk| Rc::try_unwrap(chunk).ok()).unwrap_or_default();
        next.clear();
        next.reserve_exact(CHUNK);
        self.full.push_back(Rc::new(std::mem::replace(&mut self.forming, next)));
    }

    /// How many values it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stored().min(self.kept)
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stored() == 0
    }

    /// The values, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        let stored = self.stored();
        (stored - self.len()..stored).map(|index| self.at(index))
    }

    /// How many are stored: those of the oldest chunk that are no longer in the ring are among
    /// them.
    fn stored(&self) -> usize {
        self.full.len() * CHUNK + self.forming.len()
    }

    fn at(&self, index: usize) -> &T {
        match self.full.get(index / CHUNK) {
            Some(chunk) => &chunk[index % CHUNK],
            None => &self.forming[index - self.full.len() * CHUNK],
        }
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.full.iter().for_each(|chunk| _ = held.shared::<_, T>(chunk, CHUNK));
        held.own::<Rc<T>>(self.full.len());
        held.own::<T>(self.forming.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_the_last_values_in_order() {
        let mut ring: Ring<u64, 4> = Ring::keeping(12);
        let mut all = VecDeque::new();
        for value in 0..100 {
            ring.push(value);
            all.push_back(value);
            if all.len() > 12 {
                all.pop_front();
            }
            assert_eq!(ring.len(), all.len());
            assert!(ring.iter().eq(&all));
            assert!(ring.iter().rev().eq(all.iter().rev()));
        }
    }

    #[test]
    fn one_that_keeps_all_forgets_nothing() {
        let mut ring: Ring<u64, 4> = Ring::keeping_all();
        (0..1_000).for_each(|value| ring.push(value));
        assert!(ring.iter().copied().eq(0..1_000));
    }

    #[test]
    fn clones_share_full_chunks_and_keep_their_own_values() {
        let mut ring: Ring<u64, 4> = Ring::keeping(12);
        (0..22).for_each(|value| ring.push(value));
        let kept = ring.clone();
        assert!(ring.full.iter().zip(&kept.full).all(|(own, other)| Rc::ptr_eq(own, other)));
        (22..60).for_each(|value| ring.push(value));
        assert!(kept.iter().copied().eq(10..22));
        assert!(ring.iter().copied().eq(48..60));
    }
}
