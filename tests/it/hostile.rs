//! Bytes of any kind as a link or as a scenario file: something is said of them, nothing breaks.

use std::rc::Rc;

use proptest::prelude::*;
use queue_lab::app::link;
use queue_lab::lesson::scenario_file;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;

/// Reads them as both, and runs what was understood for a while.
fn take(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = link::read(&text);
    let (file, _) = scenario_file::read(&text);
    if let Some(file) = file {
        let mut simulation = Simulation::new(Rc::new(file.scenario));
        simulation.advance_to(Instant::from_seconds(20), 2_000);
        let _ = simulation.snapshot();
    }
}

fn scenario_files() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/static/scenarios");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("it is there").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("it is a text")).collect()
}

/// Scenario files that are right but for some bytes, some of which stand elsewhere.
fn nearly_right() -> impl Strategy<Value = Vec<u8>> {
    let texts = scenario_files();
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_usize..40), 0..6);
    (prop::sample::select(texts), changes).prop_map(|(text, changes)| {
        let mut bytes = text.as_bytes().to_vec();
        for (place, byte, length) in changes {
            let at = place.index(bytes.len());
            let end = (at + length).min(bytes.len());
            match byte % 3 {
                0 => bytes[at] = byte,
                1 => drop(bytes.drain(at..end)),
                _ => {
                    let copied = bytes[at..end].to_vec();
                    bytes.splice(at..at, copied);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        take(&bytes);
    }

    #[test]
    fn what_looks_like_a_link_is_taken(text in "([a-z_.]{1,12}=[-0-9a-z.%+]{0,9}&){0,8}") {
        take(text.as_bytes());
    }

    #[test]
    fn files_that_are_nearly_right_are_taken(bytes in nearly_right()) {
        take(&bytes);
    }
}
