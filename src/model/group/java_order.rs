//! In which order Kafka's assignors meet members, topics and partitions: that of a `java.util.HashMap`.
//!
//! Kafka (4.0.0-SNAPSHOT of 2024-10-25) walks such maps while it decides which of several equal
//! members keeps a partition more. The order follows from the texts alone: hashes of Java's strings,
//! spread over a table of 16 buckets that doubles above three quarters.

use super::super::ordered::Ordered;

/// The buckets of a new table.
const BUCKETS: u64 = 16;

/// Java's hash of a string: s₀ × 31ⁿ⁻¹ + … over its UTF-16 units, in 32 bits.
pub fn string_hash(text: &str) -> u32 {
    text.encode_utf16().fold(0, |hash: u32, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)))
}

/// The hash of Kafka's `TopicPartition`.
pub fn partition_hash(topic: &str, partition: u32) -> u32 {
    let with_partition = 31_u32.wrapping_add(partition);
    with_partition.wrapping_mul(31).wrapping_add(string_hash(topic))
}

/// The places of these hashes in the order in which a map of them is walked. Those that share a bucket
/// keep the order in which they were put in.
pub fn walk(hashes: impl ExactSizeIterator<Item = u32>) -> Vec<usize> {
    let mut buckets = BUCKETS;
    while hashes.len() as u64 > buckets / 4 * 3 {
        buckets *= 2;
    }
    let mut walked = Ordered::default();
    for (place, hash) in hashes.enumerate() {
        let spread = u64::from(hash ^ (hash >> 16));
        walked.insert([spread & (buckets - 1), place as u64, 0], place);
    }
    walked.iter().map(|(_, place)| *place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_java() {
        // "hello".hashCode() and "consumer1".hashCode(), wrapped as in Java.
        assert_eq!(string_hash("hello"), 99_162_322);
        assert_eq!(string_hash(""), 0);
        assert_eq!(string_hash("c1"), 99 * 31 + 49);
        assert_eq!(partition_hash("c1", 2), 33 * 31 + string_hash("c1"));
    }

    #[test]
    fn a_map_of_four_short_names_begins_where_the_table_wraps() {
        let names = ["t1", "t2", "t3", "t4"];
        assert_eq!(walk(names.iter().map(|name| string_hash(name))), [3, 0, 1, 2]);
    }

    #[test]
    fn the_thirteenth_doubles_the_table() {
        // 16 and 0 share the first of 16 buckets, and not of 32.
        let hashes: Vec<u32> = [16, 0].into_iter().chain(1..11).collect();
        assert_eq!(walk(hashes.iter().copied())[..2], [0, 1]);
        let hashes: Vec<u32> = [16, 0].into_iter().chain(1..12).collect();
        assert_eq!(walk(hashes.iter().copied())[0], 1);
    }
}
