//! `kafka-partitioner.json`: hashes and partitions of keys, from the tests of Kafka and of three
//! other clients, and recorded from Kafka's classes.

use queue_lab::model::partitioned_log::partitioner::{
    moves, murmur2, partition_of_key, positive, share_that_moves,
};

use super::VectorFile;
use super::closeness::{EXACT, is_close};
use super::fields::Fields;

#[test]
fn keys_go_where_kafka_puts_them() {
    let Some(mut file) = VectorFile::open("kafka-partitioner") else { return };
    file.root.prose(&["rule", "source_rule"]);
    let mut run = |array: &str, run: fn(&Fields)| {
        let cases = file.root.objects(array);
        file.run(array, cases, run);
    };
    run("hash_vectors", hash);
    run("masked_hash_vectors", masked_hash);
    run("partition_vectors", partition);
    run("remap_when_partitions_added", remap);
    let recorded = file.root.object("recorded_runs");
    recorded.prose(&["how"]);
    file.run("recorded_runs.cases", recorded.objects("cases"), recorded_run);
    recorded.all_were_read();
    file.finish();
}

/// The bytes of a key, which are those of its text where it has one.
fn key(case: &Fields) -> Vec<u8> {
    case.prose(&["source", "test", "reproduced_by_running_kafka"]);
    let digits = case.text("key_hex").as_bytes();
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(text, 16).ok()
    };
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    let bytes = bytes.unwrap_or_else(|| panic!("{}: key_hex is not hexadecimal", case.place()));
    for name in ["key", "key_utf8"] {
        let text = case.value(name).and_then(serde_json::Value::as_str);
        assert!(text.is_none_or(|text| text.as_bytes() == bytes), "{}: {name}", case.place());
    }
    bytes
}

fn signed(case: &Fields, field: &str) -> i64 {
    let value = case.value(field).and_then(serde_json::Value::as_i64);
    value.unwrap_or_else(|| panic!("{}: {field} is no whole number", case.place()))
}

fn hash(case: &Fields) {
    assert_eq!(i64::from(murmur2(&key(case))), signed(case, "murmur2_i32"), "{}", case.place());
}

fn masked_hash(case: &Fields) {
    let masked = positive(murmur2(&key(case)));
    assert_eq!(masked, case.small_count("murmur2_and_0x7fffffff"), "{}", case.place());
}

fn partition(case: &Fields) {
    let found = partition_of_key(&key(case), case.small_count("partitions"));
    assert_eq!(found, case.small_count("partition"), "{}", case.place());
}

fn recorded_run(case: &Fields) {
    hash(case);
    let by_count = case.object("partition_by_count");
    for count in by_count.keys() {
        let partitions = count.parse().unwrap_or_else(|_| panic!("{}: {count}", by_count.place()));
        let found = partition_of_key(&key(case), partitions);
        assert_eq!(found, by_count.small_count(&count), "{}: of {count}", case.place());
    }
    by_count.all_were_read();
}

#[allow(clippy::cast_precision_loss)]
fn remap(case: &Fields) {
    let (from, to) = (case.small_count("from_partitions"), case.small_count("to_partitions"));
    let moved = keys(case.text("keys")).filter(|key| moves(key.as_bytes(), from, to)).count();
    assert_eq!(moved as u64, case.count("keys_that_moved"), "{}", case.place());
    let (moved, all) = share_that_moves(from, to);
    let wanted = case.number("expected_fraction_moved_uniform_hash");
    assert!(is_close(moved as f64 / all as f64, wanted, EXACT), "{}: {moved} of {all}", case.place());
}

/// The keys of a range such as `k0..k9999`, both ends included.
fn keys(range: &str) -> impl Iterator<Item = String> {
    let ends = range.split_once("..").map(|(first, last)| (split(first), split(last)));
    let Some(((prefix, first), (_, last))) = ends else { panic!("{range} is no range of keys") };
    (first..=last).map(move |number| format!("{prefix}{number}"))
}

/// A prefix and the number behind it.
fn split(key: &str) -> (String, u64) {
    let prefix = key.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = key[prefix.len()..].parse().unwrap_or_else(|_| panic!("{key} has no number"));
    (prefix.to_owned(), number)
}
