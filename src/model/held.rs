//! How many bytes states of a run hold, each part that several of them share counted once.
//!
//! An estimate: what stands in lines, rings and trees, by length and size of its elements. Spare
//! capacity and what the allocator adds are left out, but for trees, whose nodes are two thirds
//! full. The size of a `usize` enters; nothing of a run's result depends on it.

use std::collections::BTreeSet;
use std::rc::Rc;

/// Counts bytes.
#[derive(Clone, Debug, Default)]
pub struct HeldBytes {
    /// Addresses tell parts apart while they live; their order means nothing.
    seen: BTreeSet<usize>,
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
        let is_new = self.seen.insert(Rc::as_ptr(part).addr());
        if is_new {
            self.own::<T>(count);
        }
        is_new
    }
}
