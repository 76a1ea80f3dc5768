//! The one ordered collection of the model: values by a key of three numbers.
//!
//! Every kind of tree that is compiled costs the page about 4 kB of code. So there is one sorted
//! list, from keys to places, and the values of each collection lie in a plain list. Iteration is
//! in the order of keys and never depends on where a value lies.

mod places;

use places::Places;

/// A key; unused numbers at its end are 0.
pub type Key = [u64; 3];

/// Values in the order of their keys.
#[derive(Clone, Debug)]
pub struct Ordered<T> {
    places: Places,
    values: Vec<Option<T>>,
    unused: Vec<u32>,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self { places: Places::default(), values: Vec::new(), unused: Vec::new() }
    }
}

impl<T> Ordered<T> {
    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.len() == 0
    }

    /// Puts in a value, in place of one with the same key.
    pub fn insert(&mut self, key: Key, value: T) {
        self.put(key, value);
    }

    /// Does so, and returns where the value lies.
    fn put(&mut self, key: Key, value: T) -> usize {
        let place = match self.unused.pop() {
            Some(place) => place as usize,
            None => {
                self.values.push(None);
                self.values.len() - 1
            }
        };
        self.values[place] = Some(value);
        // At most 4,000,000 messages are held in all, far below 2³².
        let before = self.places.insert(key, u32::try_from(place).unwrap_or(u32::MAX));
        if let Some(before) = before {
            self.values[before as usize] = None;
            self.unused.push(before);
        }
        place
    }

    /// Takes out the value of `key`.
    pub fn remove(&mut self, key: &Key) -> Option<T> {
        let place = self.places.remove(key)?;
        self.unused.push(place);
        self.values.get_mut(place as usize)?.take()
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&T> {
        self.value(self.places.get(key)?)
    }

    /// The value of `key`, to change it.
    pub fn get_mut(&mut self, key: &Key) -> Option<&mut T> {
        let place = self.places.get(key)?;
        self.values.get_mut(place as usize)?.as_mut()
    }

    /// The value of `key`, the default one where there was none.
    pub fn get_or_insert(&mut self, key: Key) -> &mut T
    where
        T: Default,
    {
        let place = match self.places.get(&key) {
            Some(place) => place as usize,
            None => self.put(key, T::default()),
        };
        self.values[place].get_or_insert_default()
    }

    /// Whether `key` has a value.
    #[must_use]
    pub fn contains(&self, key: &Key) -> bool {
        self.places.get(key).is_some()
    }

    /// The first key and its value.
    #[must_use]
    pub fn first(&self) -> Option<(Key, &T)> {
        let (key, place) = self.places.first()?;
        Some((key, self.value(place)?))
    }

    /// The last key and its value.
    #[must_use]
    pub fn last(&self) -> Option<(Key, &T)> {
        let (key, place) = self.places.last()?;
        Some((key, self.value(place)?))
    }

    /// The first key that is not below `key`, and its value.
    #[must_use]
    pub fn next_from(&self, key: Key) -> Option<(Key, &T)> {
        let (key, place) = self.places.next_from(key)?;
        Some((key, self.value(place)?))
    }

    /// Takes out the first value.
    pub fn pop_first(&mut self) -> Option<(Key, T)> {
        let (key, _) = self.places.first()?;
        Some((key, self.remove(&key)?))
    }

    /// All keys with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &T)> {
        self.places.iter().filter_map(|(key, place)| Some((*key, self.value(*place)?)))
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn value(&self, place: u32) -> Option<&T> {
        self.values.get(place as usize)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_behaves_like_a_tree(
            range in prop::sample::select(vec![20_u64, 400, 4_000]),
            changes in prop::collection::vec((0_u64..4_000, prop::option::weighted(0.6, 0_u32..9)), 0..2_000),
        ) {
            let mut ordered = Ordered::default();
            let mut tree = BTreeMap::new();
            for (number, value) in changes {
                let number = number % range;
                let key = [number / 5, number % 5, 0];
                match value {
                    Some(value) => {
                        ordered.insert(key, value);
                        tree.insert(key, value);
                    }
                    None => prop_assert_eq!(ordered.remove(&key), tree.remove(&key)),
                }
                prop_assert_eq!(ordered.get(&key), tree.get(&key));
                prop_assert_eq!(ordered.first(), tree.first_key_value().map(|(key, value)| (*key, value)));
                prop_assert_eq!(ordered.last(), tree.last_key_value().map(|(key, value)| (*key, value)));
                prop_assert_eq!(ordered.next_from([1, 3, 0]), tree.range([1, 3, 0]..).next().map(|(key, value)| (*key, value)));
                prop_assert_eq!(ordered.len(), tree.len());
            }
            prop_assert!(ordered.iter().eq(tree.iter().map(|(key, value)| (*key, value))));
        }
    }
}
