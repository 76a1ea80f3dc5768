//! How long dead letters are kept where they lie: as the run says, or as that place keeps everything.

use super::Simulation;
use crate::model::handling::{broker_rules, log_rules, queue_rules};
use crate::model::partitioned_log::rules::LogRules;
use crate::model::routes::TopicIndex;
use crate::model::settings::{Limit, Setting, Settings};
use crate::model::topology::Topology;
use crate::model::work_queue::rules::QueueRules;

/// The rules of the queue at `index` with settings of its own, in a run with `run`'s.
pub(super) fn rules_of_queue(
    topology: &Topology,
    run: &Settings,
    index: usize,
    own: &Settings,
) -> QueueRules {
    let rules = queue_rules(own);
    if run.dead_letter_retention == Limit::AsBroker || !topology.takes_dead_letters_of_queues(index) {
        return rules;
    }
    QueueRules { retention: run.dead_letter_retention.or(rules.retention), ..rules }
}

/// The rules of the common queue for dead letters: a plain one, that keeps them as long as the broker
/// keeps anything.
pub(super) fn rules_of_common(run: &Settings) -> QueueRules {
    let of_broker = broker_rules(run.broker).retention;
    QueueRules { retention: run.dead_letter_retention.or(of_broker), ..QueueRules::default() }
}

/// The rules of the topic at `index` with settings of its own.
pub(super) fn rules_of_topic(topology: &Topology, run: &Settings, index: usize, own: &Settings) -> LogRules {
    let rules = log_rules(own);
    if !topology.takes_dead_letters(index) {
        return rules;
    }
    LogRules { retention_time: run.dead_letter_retention.or(rules.retention_time), ..rules }
}

impl Simulation {
    /// Dead letters are kept for another time from now on, wherever they lie.
    #[inline(never)]
    pub(super) fn keep_dead_letters(&mut self) {
        let common = self.dead_letter_queue;
        self.broker.queue_mut(common).set_rules(rules_of_common(&self.settings));
        self.queue_changed(common);
        // Those that have no settings of their own follow the run's anyway.
        let scenario = self.scenario.clone();
        let topology = scenario.topology();
        for (name, settings) in self.node_settings.clone() {
            if let Some(queue) = topology.queue_named(&name) {
                self.set_queue(queue, Setting::DeadLetterRetention, &settings);
            }
            if let Some(topic) = topology.topic_named(&name) {
                self.set_topic(TopicIndex(topic), &settings);
            }
        }
    }
}
