//! What was said under the buttons, for as long as what it speaks of is so.

use super::state::App;
use crate::model::schema::SchemaVersion;
use crate::model::settings::{Setting, Settings, Value};
use crate::model::snapshot::{BrokerState, ConsumerHealth, Snapshot};

/// What such words speak of: who is up, what the broker does, what is to become of poison, and whether
/// there is any on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Matter {
    /// Of consumers that are neither up nor stopped: who leaves cleanly may take a while.
    troubles: Vec<ConsumerHealth>,
    stopped: Vec<bool>,
    /// By which schemas pools read and producers write.
    schemas: Vec<SchemaVersion>,
    broker: BrokerState,
    dials: [Value; 8],
    is_fixed: bool,
    has_poison_in_line: bool,
    partitions: usize,
    groups_at_work: usize,
}

impl Matter {
    fn of(snapshot: &Snapshot, settings: &Settings) -> Self {
        let network = &snapshot.network;
        let dials = [
            Setting::DownstreamRate,
            Setting::ProducerRate,
            Setting::ConsumerCount,
            Setting::AttemptsMax,
            Setting::DeadLetters,
            Setting::RetryAt,
            Setting::RetryDelayBase,
            Setting::HotKey,
        ];
        let readers = network.pools.iter().map(|pool| pool.schema);
        let writers = network.producers.iter().map(|producer| producer.schema);
        Self {
            troubles: snapshot
                .consumers
                .of_queue()
                .into_iter()
                .map(|one| one.health)
                .filter(is_trouble)
                .collect(),
            stopped: network.pools.iter().map(|pool| pool.is_stopped).collect(),
            schemas: readers.chain(writers).collect(),
            broker: snapshot.broker.state,
            dials: dials.map(|setting| settings.get(setting)),
            is_fixed: snapshot.failures.is_fixed,
            has_poison_in_line: !snapshot.failures.in_line.is_empty(),
            partitions: network.topics.iter().map(|topic| topic.partitions.len()).sum(),
            groups_at_work: network.groups.iter().filter(|group| group.members > 0).count(),
        }
    }
}

const fn is_trouble(health: &ConsumerHealth) -> bool {
    !matches!(health, ConsumerHealth::Up | ConsumerHealth::Stopped)
}

impl App {
    /// Takes away what was said under the buttons, once it is not so any more.
    pub(super) fn drop_stale_words(&mut self, is_answer: bool) {
        if !self.said_at_buttons.is_empty() {
            self.judge_words(is_answer);
        }
    }

    #[inline(never)]
    fn judge_words(&mut self, is_answer: bool) {
        let matter = Matter::of(self.run.snapshot(), self.run.settings());
        match &self.said_of {
            // It takes until the instant is complete before the state shows what was done.
            None if is_answer && self.run.simulation().is_complete() => self.said_of = Some(matter),
            Some(said_of) if *said_of != matter => {
                self.said_at_buttons.clear();
                self.said_of = None;
            }
            _ => {}
        }
    }
}
