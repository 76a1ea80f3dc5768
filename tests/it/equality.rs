//! The state hashes that the wasm build is held against.

#[path = "../equality/mod.rs"]
mod runs;

use std::rc::Rc;

use queue_lab::lesson::scenario_file;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;

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

/// Model seconds to which each scenario file is played.
const SCENARIOS_UNTIL_SECONDS: u64 = 120;

/// The same for the page as it is shipped, in two parts: `tests/browser/equality.test.mjs` opens
/// each file in it.
#[test]
fn the_hashes_of_scenario_files_on_file_are_those_of_this_build() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/static/scenarios");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let lines: String =
        names.iter().map(|name| format!("{name} {:016x}\n", hash_of_file(folder, name))).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/equality/scenarios.txt");
    if std::env::var_os("QUEUE_LAB_UPDATE").is_some() {
        return std::fs::write(path, &lines).expect("the file can be written");
    }
    let on_file = std::fs::read_to_string(path).expect("the file can be read");
    assert_eq!(
        lines, on_file,
        "run with QUEUE_LAB_UPDATE=1 where the model or a file has changed on purpose"
    );
}

fn hash_of_file(folder: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("{folder}/{name}")).expect("it can be read");
    let (file, _) = scenario_file::read(&text);
    let scenario = file.unwrap_or_else(|| panic!("{name} is a scenario")).scenario;
    let mut simulation = Simulation::new(Rc::new(scenario));
    simulation.advance_to(Instant::from_seconds(SCENARIOS_UNTIL_SECONDS), u64::MAX);
    simulation.state_hash()
}
