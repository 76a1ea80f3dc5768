//! What a partition remembers of idempotent producers: a batch that is sent again is not appended
//! again.
//!
//! Kafka's rule (4.0.0-SNAPSHOT of 2024-10-25: `ProducerStateEntry`, `ProducerAppendInfo`;
//! `kafka-log.json`, idempotent_producer): sequence numbers count per producer and partition, one of
//! the last five batches that comes again is acknowledged with the offset it has, and a gap is an
//! error. It undoes what a client's own retries double; an application that sends the same thing
//! twice sends two records.

use std::collections::VecDeque;
use std::fmt;

use super::super::held::HeldBytes;
use super::super::ordered::Ordered;
use super::super::state_hash::StateHasher;

/// How many batches are remembered of each producer (`NUM_BATCHES_TO_RETAIN`).
pub const BATCHES_RETAINED: usize = 5;

/// A producer's batch for one partition: its records have consecutive sequence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Which producer sent it.
    pub producer_index: u16,
    /// The sequence number of its first record, counted from 0.
    pub first_sequence: u64,
    /// How many records it has, at least one.
    pub records: u64,
}

/// What the partition says to a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It is the next: append it.
    New,
    /// It was appended before, and this is the offset of its first record: acknowledge it, and do
    /// not append it.
    Duplicate(u64),
    /// It is neither (Kafka `OutOfOrderSequenceException`).
    OutOfOrder(OutOfOrder),
}

/// A batch that is not the next one of its producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfOrder {
    /// Which producer sent it.
    pub producer_index: u16,
    /// The sequence number that its first record should have.
    pub expected: u64,
    /// The one that it has.
    pub found: u64,
}

impl fmt::Display for OutOfOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Producer {} sent sequence number {} where {} comes next; the batch is refused.",
            self.producer_index, self.found, self.expected
        )
    }
}

/// The last batches of every producer that wrote to a partition.
#[derive(Clone, Debug, Default)]
pub struct Sequences {
    known: Ordered<VecDeque<Appended>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Appended {
    first_sequence: u64,
    end_sequence: u64,
    offset: u64,
}

impl Sequences {
    /// What to do with a batch. Of a producer that is not known, any sequence number is the next.
    #[must_use]
    pub fn check(&self, batch: &Batch) -> Checked {
        let Some(known) = self.known.get(&key(batch.producer_index)) else { return Checked::New };
        let end_sequence = batch.first_sequence + batch.records;
        let is_same = |before: &&Appended| {
            (before.first_sequence, before.end_sequence) == (batch.first_sequence, end_sequence)
        };
        if let Some(before) = known.iter().find(is_same) {
            return Checked::Duplicate(before.offset);
        }
        match known.back() {
            Some(last) if last.end_sequence != batch.first_sequence => Checked::OutOfOrder(OutOfOrder {
                producer_index: batch.producer_index,
                expected: last.end_sequence,
                found: batch.first_sequence,
            }),
            _ => Checked::New,
        }
    }

    /// A batch that is new was appended from `offset` on.
    pub fn record(&mut self, batch: &Batch, offset: u64) {
        let known = self.known.get_or_insert(key(batch.producer_index));
        if known.len() == BATCHES_RETAINED {
            known.pop_front();
        }
        let end_sequence = batch.first_sequence + batch.records;
        known.push_back(Appended { first_sequence: batch.first_sequence, end_sequence, offset });
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.tree::<(u64, [Appended; BATCHES_RETAINED])>(self.known.len());
    }

    /// Feeds them to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for ([producer, ..], batches) in self.known.iter() {
            hasher.write(producer);
            for batch in batches {
                hasher.write(batch.first_sequence);
                hasher.write(batch.end_sequence);
                hasher.write(batch.offset);
            }
        }
    }
}

fn key(producer_index: u16) -> [u64; 3] {
    [u64::from(producer_index), 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(first_sequence: u64, records: u64) -> Batch {
        Batch { producer_index: 3, first_sequence, records }
    }

    /// Seven batches of two records each.
    fn seven() -> Sequences {
        let mut sequences = Sequences::default();
        for number in 0..7 {
            let batch = batch(2 * number, 2);
            assert_eq!(sequences.check(&batch), Checked::New);
            sequences.record(&batch, 100 + 2 * number);
        }
        sequences
    }

    #[test]
    fn one_of_the_last_five_batches_is_acknowledged_with_its_first_offset() {
        let sequences = seven();
        for number in 2..7 {
            assert_eq!(sequences.check(&batch(2 * number, 2)), Checked::Duplicate(100 + 2 * number));
        }
    }

    #[test]
    fn the_sixth_last_is_forgotten_and_out_of_order() {
        let wrong = OutOfOrder { producer_index: 3, expected: 14, found: 2 };
        assert_eq!(seven().check(&batch(2, 2)), Checked::OutOfOrder(wrong));
    }

    #[test]
    fn a_gap_is_an_error_and_says_what_comes_next() {
        let Checked::OutOfOrder(wrong) = seven().check(&batch(15, 1)) else { panic!("15 leaves a gap") };
        assert_eq!((wrong.expected, wrong.found), (14, 15));
        assert!(wrong.to_string().contains("sequence number 15 where 14 comes next"));
    }

    #[test]
    fn another_range_that_begins_the_same_is_no_duplicate() {
        assert!(matches!(seven().check(&batch(12, 1)), Checked::OutOfOrder(_)));
    }

    #[test]
    fn numbers_count_for_each_producer_alone() {
        let other = Batch { producer_index: 4, first_sequence: 0, records: 1 };
        assert_eq!(seven().check(&other), Checked::New);
        let unknown_from_the_middle = Batch { producer_index: 4, first_sequence: 70, records: 1 };
        assert_eq!(seven().check(&unknown_from_the_middle), Checked::New);
    }
}
