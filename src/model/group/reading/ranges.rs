//! Offsets of which only few are apart from the rest, in little room.

/// Offsets, as ranges from one to before another, in order and apart from each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many ranges there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// How many offsets belong to it.
    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|(from, to)| to - from).sum()
    }

    /// From one to before another, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(u64, u64)> {
        self.0.iter()
    }

    /// Takes the range away that begins at `offset`, if there is one, and says where it ends.
    pub(super) fn take_from(&mut self, offset: u64) -> Option<u64> {
        let (_, to) = self.0.first().copied().filter(|(from, _)| *from == offset)?;
        self.0.remove(0);
        Some(to)
    }

    pub(super) fn contains(&self, offset: u64) -> bool {
        let place = self.0.partition_point(|(_, to)| *to <= offset);
        self.0.get(place).is_some_and(|(from, _)| *from <= offset)
    }

    /// The offsets from `from` to before `to` belong to it from now on, or do not.
    pub(super) fn set(&mut self, from: u64, to: u64, belong: bool) {
        if from >= to {
            return;
        }
        let first = self.0.partition_point(|(_, end)| *end < from);
        let last = self.0.partition_point(|(start, _)| *start <= to);
        let touched = self.0.get(first..last).unwrap_or_default();
        let start = touched.first().map_or(from, |(start, _)| from.min(*start));
        let end = touched.last().map_or(to, |(_, end)| to.max(*end));
        let kept = if belong { vec![(start, end)] } else { vec![(start, from), (to, end)] };
        self.0.splice(first..last, kept.into_iter().filter(|(from, to)| from < to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_grow_together_and_are_cut_apart() {
        let mut ranges = Ranges::default();
        for (from, to, belong, expected) in [
            (5, 6, true, vec![(5, 6)]),
            (6, 7, true, vec![(5, 7)]),
            (9, 12, true, vec![(5, 7), (9, 12)]),
            (2, 2, true, vec![(5, 7), (9, 12)]),
            (10, 11, false, vec![(5, 7), (9, 10), (11, 12)]),
            (7, 8, false, vec![(5, 7), (9, 10), (11, 12)]),
            (0, 6, false, vec![(6, 7), (9, 10), (11, 12)]),
            (7, 11, true, vec![(6, 12)]),
            (0, 20, false, vec![]),
        ] {
            ranges.set(from, to, belong);
            assert_eq!(ranges.0, expected, "{from} to {to}: {belong}");
        }
    }

    #[test]
    fn what_begins_at_an_offset_is_taken_whole() {
        let mut ranges = Ranges::default();
        ranges.set(4, 7, true);
        ranges.set(9, 10, true);
        assert_eq!((ranges.count(), ranges.take_from(3), ranges.take_from(4)), (4, None, Some(7)));
        assert_eq!((ranges.count(), ranges.take_from(9), ranges.is_empty()), (1, Some(10), true));
    }
}
