//! The lists to choose from.

use crate::app::message::Msg;
use crate::model::settings::Setting;

/// A list to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// How fast model time passes.
    Speed,
    /// The values of a setting.
    Values(Setting),
    /// What is to become of poison.
    Policy,
    /// Where the next poison message goes.
    PoisonPartition,
    /// Where offsets are moved to.
    ResetTo,
}

impl List {
    /// What a person did who chose the one of that name.
    pub(super) fn chosen(self, name: String) -> Msg {
        match self {
            Self::Speed => Msg::SpeedChosen(name),
            Self::Values(setting) => Msg::ValueEntered(setting, name),
            Self::Policy => Msg::PolicyChosen(name),
            Self::PoisonPartition => Msg::PoisonPartitionChosen(name),
            Self::ResetTo => Msg::ResetToChosen(name),
        }
    }
}
