//! What a person or a scenario can do while it runs.

use super::settings::{BURST_MAX, Setting, Value};
use super::state_hash::StateHasher;
use super::time::Instant;

/// One thing to do. The run is its scenario and the log of its commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Set a dial. The seed cannot be set while it runs.
    Set {
        /// Which setting.
        setting: Setting,
        /// To what.
        value: Value,
    },
    /// The producer wants to send `count` more messages at once: 1 to 4,000,000.
    Burst {
        /// How many.
        count: u64,
    },
}

/// A command with the instant at which it was applied, after everything else of that instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedCommand {
    /// When.
    pub at: Instant,
    /// What.
    pub command: Command,
}

impl TimedCommand {
    /// Puts `self` where its instant belongs in `commands`, after those of the same instant.
    pub(crate) fn insert_into(self, commands: &mut Vec<Self>) {
        let place = commands.partition_point(|other| other.at <= self.at);
        commands.insert(place, self);
    }
}

/// Why a command was refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandRefused {
    /// The seed belongs to the run's start.
    SeedIsFixed,
    /// The value is not of the setting's kind.
    WrongKindOfValue,
    /// A burst has 1 to 4,000,000 messages.
    BurstOutOfRange,
}

impl TimedCommand {
    /// Feeds it to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.at.micros());
        hasher.write(u64::from(self.command.code()));
        match self.command {
            Command::Set { setting, value } => {
                hasher.write(setting as u64);
                hasher.write_text(&value.to_text());
            }
            Command::Burst { count } => hasher.write(count),
        }
    }
}

impl Command {
    /// Its permanent number in links and logs.
    #[must_use]
    pub const fn code(&self) -> u16 {
        match self {
            Self::Set { .. } => 1,
            Self::Burst { .. } => 2,
        }
    }

    /// Whether it can be applied.
    ///
    /// # Errors
    /// Says why it cannot.
    pub fn check(&self) -> Result<(), CommandRefused> {
        match self {
            Self::Set { setting: Setting::Seed, .. } => Err(CommandRefused::SeedIsFixed),
            Self::Set { setting, value } => {
                let is_right_kind = super::settings::Settings::default().set(*setting, *value);
                if is_right_kind { Ok(()) } else { Err(CommandRefused::WrongKindOfValue) }
            }
            Self::Burst { count: 1..=BURST_MAX } => Ok(()),
            Self::Burst { .. } => Err(CommandRefused::BurstOutOfRange),
        }
    }
}
