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

/// What a run is named for must happen in it, or its hash compares nothing.
#[test]
fn the_runs_of_logs_do_what_they_are_named_for() {
    let group_at_the_end = |name: &str| {
        let (_, scenario, seconds) =
            runs::runs().into_iter().find(|(run, ..)| *run == name).expect("the run is there");
        let mut simulation = Simulation::new(Rc::new(scenario));
        simulation.advance_to(Instant::from_seconds(seconds), u64::MAX);
        simulation.snapshot().network.groups.into_iter().next().expect("a group reads the topic")
    };
    let readers = group_at_the_end("log-range-by-turn").partitions.into_iter().map(|lane| lane.reader);
    let ranges = [1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(Some);
    assert_eq!(readers.collect::<Vec<_>>(), ranges, "12 partitions in ranges for 10 members");
    assert!(group_at_the_end("log-round-robin-members-die").generation > 20, "members died again and again");
    assert!(group_at_the_end("log-sticky-poison-in-place").counts.skipped > 10, "poison was given up");
    let rounds = group_at_the_end("log-cooperative-members-come-and-go").generation;
    assert!(rounds > 13 + 13, "{rounds} rounds: more than it was stopped and started");
    assert!(group_at_the_end("log-retention-passes-the-reader").counts.deleted_unread > 100);
    assert!(group_at_the_end("log-and-queue-side-by-side").counts.done > 1_000);
    let billing = group_at_the_end("log-teams-retries-resets-alerts").counts;
    let happened = [billing.sent_to_retry, billing.sent_back, billing.commits_failed];
    assert!(happened.iter().all(|count| *count > 50), "{billing:?}");
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
