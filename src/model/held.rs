//! How many bytes states of a run hold, each part that several of them share counted once.
//!
//! An estimate: what stands in lines, rings and trees, by length and size of its elements. Spare
//! capacity and what the allocator adds are left out, but for trees, whose nodes are two thirds
//! full. The size of a `usize` enters; nothing of a run's result depends on it.

use std::rc::Rc;

/// Counts bytes.
#[derive(Clone, Debug, Default)]
pub struct HeldBytes {
    /// Addresses, sorted. They tell parts apart while they live; their order means nothing. Parts
    /// made later mostly lie behind, so that little has to move.
    seen: Vec<usize>,
    bytes: u64,
}

impl HeldBytes {
    /// A counter that counts what was counted by `self` as nothing from now on.
    #[must_use]
    pub fn beyond(self) -> Self {
        Self { bytes: 0, ..self }
    }

    /// The bytes so far.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Counts `count` values of a type.
    pub const fn own<T>(&mut self, count: usize) {
        self.bytes += (count * size_of::<T>()) as u64;
    }

    /// Counts `count` entries of a tree.
    pub const fn tree<T>(&mut self, count: usize) {
        self.bytes += (count * size_of::<T>() * 3 / 2) as u64;
    }

    /// Counts `count` values of a type that stand in `part`, unless it was counted before.
    /// Returns whether it is counted now.
    pub fn shared<P, T>(&mut self, part: &Rc<P>, count: usize) -> bool {
        let address = Rc::as_ptr(part).addr();
        let Err(place) = self.seen.binary_search(&address) else { return false };
        self.seen.insert(place, address);
        self.own::<T>(count);
        true
    }
}
