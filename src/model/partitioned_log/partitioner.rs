//! Which partition a record goes to.
//!
//! With a key: as Kafka's clients in Java do it (`BuiltInPartitioner.partitionForKey`,
//! 4.0.0-SNAPSHOT of 2024-10-25; `kafka-partitioner.json`). Without a key: by turn, one record each.
//! Kafka itself fills one partition for the length of a batch before it turns to another; batches of
//! one record make that the same.

/// The seed of Kafka's murmur2.
const SEED: u32 = 0x9747_b28c;
/// The multiplier of murmur2.
const MULTIPLIER: u32 = 0x5bd1_e995;

/// The 32-bit murmur2 hash of a key, as Kafka's `Utils.murmur2` gives it.
#[must_use]
pub fn murmur2(key: &[u8]) -> i32 {
    let (words, rest) = key.as_chunks::<4>();
    // Java arrays are shorter than this.
    let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
    let hash = words.iter().fold(SEED ^ length, |hash, word| {
        let mixed = u32::from_le_bytes(*word).wrapping_mul(MULTIPLIER);
        hash.wrapping_mul(MULTIPLIER) ^ (mixed ^ (mixed >> 24)).wrapping_mul(MULTIPLIER)
    });
    let tail = rest.iter().rev().fold(0, |tail, byte| (tail << 8) | u32::from(*byte));
    let hash = if rest.is_empty() { hash } else { (hash ^ tail).wrapping_mul(MULTIPLIER) };
    let hash = (hash ^ (hash >> 13)).wrapping_mul(MULTIPLIER);
    (hash ^ (hash >> 15)).cast_signed()
}

/// The hash with its sign bit masked, not its absolute value.
#[must_use]
pub fn positive(hash: i32) -> u32 {
    hash.cast_unsigned() & 0x7fff_ffff
}

/// The partition of a key among `partitions`, counted from 0; 0 where there is none.
#[must_use]
pub fn partition_of_key(key: &[u8], partitions: u32) -> u32 {
    positive(murmur2(key)).checked_rem(partitions).unwrap_or_default()
}

/// Whether new records of a key go elsewhere once there are `to` partitions instead of `from`: its
/// order is broken there, since those that are stored stay where they are.
#[must_use]
pub fn moves(key: &[u8], from: u32, to: u32) -> bool {
    partition_of_key(key, from) != partition_of_key(key, to)
}

/// How many of how many keys go elsewhere, for a hash that is even: all but those whose remainder is
/// the same by both counts. (0, 1) where there is no partition.
#[must_use]
pub fn share_that_moves(from: u32, to: u32) -> (u64, u64) {
    let (from, to) = (u64::from(from), u64::from(to));
    let Some(all) = (from * to).checked_div(greatest_common_divisor(from, to)).filter(|all| *all > 0) else {
        return (0, 1);
    };
    // Over one common multiple of both, the remainders are the same exactly while both are x itself.
    (all - from.min(to), all)
}

const fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

/// A number as a key in text: its decimal digits.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    /// The last so many of them are its own.
    digits: [u8; DIGITS_MAX],
    count: usize,
}

/// Digits of the greatest number of 64 bits.
const DIGITS_MAX: usize = 20;

impl Digits {
    /// The digits of `number`.
    #[must_use]
    pub fn of(number: u64) -> Self {
        let (mut digits, mut count, mut rest) = ([b'0'; DIGITS_MAX], 0, number);
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
            count += 1;
            if rest == 0 {
                break;
            }
        }
        Self { digits, count }
    }

    /// The text.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.digits.get(DIGITS_MAX - self.count..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_as_a_key_is_its_decimal_text() {
        for number in [0, 9, 10, 305, 1_234_567_890, u64::MAX] {
            assert_eq!(Digits::of(number).as_bytes(), number.to_string().as_bytes());
        }
    }

    #[test]
    fn of_an_even_hash_the_share_is_exact() {
        for (from, to) in [(3, 4), (4, 6), (4, 8), (6, 12), (8, 12), (6, 6), (12, 5)] {
            let (moved, all) = share_that_moves(from, to);
            let counted = (0..all).filter(|x| x % u64::from(from) != x % u64::from(to)).count();
            assert_eq!(moved, counted as u64, "{from} to {to}");
        }
        assert_eq!(share_that_moves(0, 0), (0, 1));
    }

    #[test]
    fn every_length_of_tail_has_its_hash() {
        // Kafka's own tests: UtilsTest.testMurmur2.
        for (key, hash) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("abc", 479_470_107),
            ("4", 1_514_888_353),
        ] {
            assert_eq!(murmur2(key.as_bytes()), hash, "{key}");
        }
    }

    #[test]
    fn a_negative_hash_is_masked_and_not_turned_round() {
        assert_eq!(murmur2(b"21"), -973_932_308);
        assert_eq!(positive(murmur2(b"21")), 1_173_551_340);
        assert_eq!(partition_of_key(b"21", 7), 1_173_551_340 % 7);
        assert_eq!(partition_of_key(b"21", 0), 0);
    }

    #[test]
    fn a_key_stays_where_its_partition_is_the_same_in_both() {
        let keys: Vec<String> = (0..200).map(|n| format!("k{n}")).collect();
        assert!(keys.iter().all(|key| !moves(key.as_bytes(), 6, 6)));
        let moved = keys.iter().filter(|key| moves(key.as_bytes(), 6, 12)).count();
        assert!((70..130).contains(&moved), "about half of them move, {moved} of 200 did");
    }
}
