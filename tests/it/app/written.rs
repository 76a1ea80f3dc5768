//! Runs are written as files and links, and read back.

use std::rc::Rc;

use queue_lab::app::history;
use queue_lab::lesson::scenario_file;
use queue_lab::lesson::scenario_file::writing;
use queue_lab::model::command::{Command, TimedCommand};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::simulation::Simulation;

use crate::properties::any::any_run;

/// The files of scenarios let nodes that come first go by the settings of all, and a burst of the first
/// producer be one of no producer in particular.
fn is_plain(command: Command) -> bool {
    !matches!(command, Command::SetNode { .. } | Command::BurstOf { producer: 0, .. })
}

/// Whether a node that comes first has settings of its own, which no file says.
fn has_first_of_its_own(scenario: &Scenario) -> bool {
    let topology = scenario.topology();
    let firsts = [
        topology.producers.first().map(|node| &node.name),
        topology.queues.first().map(|node| &node.name),
        topology.pool_names().next(),
        topology.topics.first().map(|node| &node.name),
        topology.groups.first().map(|node| &node.name),
    ];
    scenario.node_settings().iter().any(|(name, _)| firsts.contains(&Some(name)))
}

/// Whether a command speaks of partitions that a run of that scenario does not have at its start, or has.
fn names_missing_partitions(scenario: &Scenario, command: Command) -> bool {
    let is_of_partitions = matches!(command, Command::PoisonPartition { .. } | Command::AddPartitions { .. });
    is_of_partitions && Simulation::new(Rc::new(scenario.clone())).check(&command).is_err()
}

#[test]
fn whatever_is_done_in_a_run_is_read_back_from_its_link() {
    let (mut read_back, mut all) = (0, 0);
    for seed in 0..400 {
        let run = any_run(seed, 20);
        for timed in run.commands.iter().filter(|timed| is_plain(timed.command)) {
            let link = history::write(&run.scenario, std::slice::from_ref(timed));
            let (commands, notices) = history::read(&run.scenario, &link);
            if names_missing_partitions(&run.scenario, timed.command) {
                assert!(!notices.is_empty() && commands.is_empty(), "seed {seed}: nothing is said of {link}");
                continue;
            }
            all += 1;
            // What speaks of something that there is not is refused with a word.
            if notices.is_empty() {
                assert_eq!(commands, [*timed], "seed {seed}: {link}");
                read_back += 1;
            }
        }
    }
    assert!(all > 1_000 && read_back * 10 > all * 6, "{read_back} of {all}");
}

#[test]
fn the_file_of_any_run_is_read_back() {
    for seed in 0..400 {
        let mut run = any_run(seed, 20);
        run.commands.retain(|timed: &TimedCommand| is_plain(timed.command));
        let written = writing::write(Some("Any"), None, &run.scenario, &run.commands);
        let (file, _) = scenario_file::read(&written);
        let file = file.unwrap_or_else(|| panic!("seed {seed} is refused: {written}"));
        assert_eq!(file.scenario.topology(), run.scenario.topology(), "seed {seed}");
        if !has_first_of_its_own(&run.scenario) {
            assert_eq!(file.scenario.settings, run.scenario.settings, "seed {seed}");
        }
        assert_eq!(file.scenario.alerts(), run.scenario.alerts(), "seed {seed}");
        let again = writing::write(Some("Any"), None, &file.scenario, file.scenario.commands());
        let (twice, notices) = scenario_file::read(&again);
        let twice = twice.map(|twice| twice.scenario).unwrap_or_default();
        assert_eq!(notices, vec![], "seed {seed}");
        assert_eq!(writing::write(Some("Any"), None, &twice, twice.commands()), again, "seed {seed}");
    }
}
