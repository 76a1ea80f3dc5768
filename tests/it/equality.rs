//! The state hashes that the wasm build is held against.

#[path = "../equality/mod.rs"]
mod runs;

#[test]
fn the_hashes_on_file_are_those_of_this_build() {
    let lines = runs::lines();
    for line in lines.lines() {
        let events: u64 = line.split(' ').nth(1).and_then(|events| events.parse().ok()).unwrap_or_default();
        assert!(events >= 100_000, "{line}: a run of 10⁵ events or more");
    }
    if std::env::var_os("QUEUE_LAB_UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/equality/hashes.txt");
        std::fs::write(path, &lines).expect("the file can be written");
        return;
    }
    assert_eq!(lines, runs::HASHES, "run with QUEUE_LAB_UPDATE=1 where the model has changed on purpose");
}
