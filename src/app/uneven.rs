//! Two ways to break a run that lie in its messages: many have one key, or nobody can read them.

use super::breaking::{Plan, set};
use super::state::App;
use crate::model::command::Command;
use crate::model::partitioned_log::partitioner::{Digits, partition_of_key};
use crate::model::schema::SchemaVersion;
use crate::model::settings::{HOT_KEY, SchemaChange, Setting, Value};
use crate::narrate::locale::Field;

/// Of ten new records so many have the one key.
const HOT_OF_TEN: u32 = 8;

const MILLIONTHS_OF_A_TENTH: u32 = 100_000;

impl App {
    /// Whether more records have the one key than at the start.
    pub(super) fn is_key_hot(&self) -> bool {
        self.settings().hot_key_share > self.run.simulation().scenario().settings.hot_key_share
    }

    /// Most new records get one key, or what they had before.
    pub(super) fn hot_key_plan(&self, is_hot: bool) -> Plan {
        if is_hot {
            let usual = self.run.simulation().scenario().settings.get(Setting::HotKey);
            return Ok((vec![set(Setting::HotKey, usual)], self.said("break.no_hot_key.done")));
        }
        let (_, partitions) = self.shown_topic().ok_or("refused.by_model")?;
        let partition = partition_of_key(Digits::of(HOT_KEY).as_bytes(), partitions);
        let fields = [
            ("count", Field::Count(u64::from(HOT_OF_TEN))),
            ("partition", Field::Count(u64::from(partition))),
        ];
        let share = Value::Share(HOT_OF_TEN * MILLIONTHS_OF_A_TENTH);
        let said = self.locale.format("break.hot_key.done", &fields);
        Ok((vec![set(Setting::HotKey, share)], said))
    }

    /// What deploys the readers anew that cannot read what the producer writes now.
    pub(super) fn upgrades(&self) -> Vec<Command> {
        let network = &self.run.snapshot().network;
        let has_changed = network.producers.iter().any(|producer| producer.schema == SchemaVersion::New);
        let pools = (0_u16..).zip(&network.pools);
        let old = pools.filter(|(_, pool)| has_changed && pool.schema == SchemaVersion::Old);
        old.map(|(pool, _)| Command::UpgradeReaders { pool }).collect()
    }

    /// Whether nobody fails at a message any more for what it is.
    pub(super) fn is_all_fixed(&self) -> bool {
        self.run.snapshot().failures.is_fixed && self.upgrades().is_empty()
    }

    /// The producer changes its schema so that nobody can read it, or all readers are deployed anew.
    pub(super) fn schema_plan(&self) -> Plan {
        let upgrades = self.upgrades();
        if !upgrades.is_empty() {
            return Ok((upgrades, self.said("break.upgrade.done")));
        }
        let network = &self.run.snapshot().network;
        if network.producers.iter().any(|producer| producer.schema == SchemaVersion::New) {
            return Err("refused.schema_changed");
        }
        let change = set(Setting::SchemaChange, Value::Choice(SchemaChange::RemoveRequired.name()));
        Ok((vec![change, Command::ChangeSchema { producer: 0 }], self.said("break.schema.done")))
    }
}
