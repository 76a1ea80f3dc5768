//! Schemas of messages: a change that a producer registers, and who can read what then.
//!
//! The rules are those of the compatibility types of Confluent's Schema Registry (documentation, "Schema
//! Evolution and Compatibility", for Avro): *backward*, who reads by the new schema can read old data;
//! *forward*, who reads by the old schema can read new data; *full*, both.
//!
//! Which schema a message is of follows from its number alone. A message never changes its schema:
//! wherever it waits, and however often it is read again, what was written by the old schema stays so.

use super::held::HeldBytes;
use super::message::MessageId;
use super::settings::{SchemaChange, SchemaCheck, Settings};
use super::state_hash::StateHasher;

/// By which schema a message is written, or a consumer reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemaVersion {
    /// The one of the run's start.
    #[default]
    Old,
    /// The changed one.
    New,
}

impl SchemaVersion {
    /// Its name in the output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::New => "new",
        }
    }
}

impl SchemaChange {
    /// Whether who reads by the new schema can read old data.
    #[must_use]
    pub const fn is_backward_compatible(self) -> bool {
        matches!(self, Self::None | Self::AddOptional | Self::RemoveRequired)
    }

    /// Whether who reads by the old schema can read new data.
    #[must_use]
    pub const fn is_forward_compatible(self) -> bool {
        matches!(self, Self::None | Self::AddOptional | Self::AddRequired)
    }

    /// Whether who reads by `reader` can read what was written by `writer`.
    #[must_use]
    pub const fn can_be_read(self, writer: SchemaVersion, reader: SchemaVersion) -> bool {
        match (writer, reader) {
            (SchemaVersion::Old, SchemaVersion::New) => self.is_backward_compatible(),
            (SchemaVersion::New, SchemaVersion::Old) => self.is_forward_compatible(),
            _ => true,
        }
    }
}

impl SchemaCheck {
    /// Whether a registry that checks this lets the change through.
    #[must_use]
    pub const fn allows(self, change: SchemaChange) -> bool {
        match self {
            Self::None => true,
            Self::Backward => change.is_backward_compatible(),
            Self::Forward => change.is_forward_compatible(),
            Self::Full => change.is_backward_compatible() && change.is_forward_compatible(),
        }
    }
}

/// The schemas of all producers, in the order of the topology.
#[derive(Clone, Debug)]
pub struct Schemas {
    producers: Box<[ProducerSchema]>,
}

/// The schema of one producer's messages.
#[derive(Clone, Copy, Debug)]
struct ProducerSchema {
    change: SchemaChange,
    check: SchemaCheck,
    /// The number of its first message by the new schema, once that is registered.
    first_new: Option<u64>,
}

/// What a registry says of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    /// The producer writes by the new schema from now on.
    Registered,
    /// The change is not compatible as the check asks for; nothing has changed.
    Refused,
}

impl Schemas {
    /// The old schemas of producers with these settings.
    #[must_use]
    pub fn of<'a>(settings: impl Iterator<Item = &'a Settings>) -> Self {
        let schema = |settings: &Settings| ProducerSchema {
            change: settings.schema_change,
            check: settings.schema_check,
            first_new: None,
        };
        Self { producers: settings.map(schema).collect() }
    }

    /// The settings of a producer have changed. What is registered stays as it was registered.
    pub fn set(&mut self, producer: usize, settings: &Settings) {
        let Some(schema) = self.producers.get_mut(producer) else { return };
        schema.check = settings.schema_check;
        if schema.first_new.is_none() {
            schema.change = settings.schema_change;
        }
    }

    /// Whether the producer has a change that it has not registered; `None` where there is no such
    /// producer.
    #[must_use]
    pub fn may_change(&self, producer: usize) -> Option<bool> {
        let schema = self.producers.get(producer)?;
        Some(schema.change != SchemaChange::None && schema.first_new.is_none())
    }

    /// A producer registers its change, to write its messages from number `next` on by the new schema.
    pub fn register(&mut self, producer: usize, next: u64) -> Registration {
        match self.producers.get_mut(producer) {
            Some(schema) if schema.check.allows(schema.change) => {
                schema.first_new = Some(next);
                Registration::Registered
            }
            _ => Registration::Refused,
        }
    }

    /// By which schema a producer writes now.
    #[must_use]
    pub fn of_producer(&self, producer: usize) -> SchemaVersion {
        let is_new = self.producers.get(producer).is_some_and(|schema| schema.first_new.is_some());
        if is_new { SchemaVersion::New } else { SchemaVersion::Old }
    }

    /// Whether any producer writes by a new schema.
    #[must_use]
    pub fn have_changed(&self) -> bool {
        self.producers.iter().any(|schema| schema.first_new.is_some())
    }

    /// Whether who reads by `reader` can read the message.
    #[must_use]
    pub fn can_read(&self, id: MessageId, reader: SchemaVersion) -> bool {
        let Some(schema) = self.producers.get(usize::from(id.producer_index())) else { return true };
        let is_new = schema.first_new.is_some_and(|first| id.number() >= first);
        let writer = if is_new { SchemaVersion::New } else { SchemaVersion::Old };
        schema.change.can_be_read(writer, reader)
    }

    /// Counts the bytes it holds beside itself.
    pub const fn count_held(&self, held: &mut HeldBytes) {
        held.own::<ProducerSchema>(self.producers.len());
    }

    /// Feeds what has changed to `hasher`: nothing before anything has.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for (place, schema) in (0_u64..).zip(&self.producers) {
            if let Some(first_new) = schema.first_new {
                hasher.write(place);
                hasher.write(schema.change as u64);
                hasher.write(first_new);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_registered_stays_whatever_the_dial_says_later() {
        let mut settings = Settings { schema_change: SchemaChange::RemoveRequired, ..Settings::default() };
        let mut schemas = Schemas::of([&settings].into_iter());
        assert_eq!(schemas.register(0, 11), Registration::Registered);
        settings.schema_change = SchemaChange::AddOptional;
        schemas.set(0, &settings);
        let reads = |number| schemas.can_read(MessageId::new(0, number), SchemaVersion::Old);
        assert_eq!([10, 11].map(reads), [true, false]);
        assert_eq!((schemas.may_change(0), schemas.may_change(1)), (Some(false), None));
    }

    #[test]
    fn a_change_of_the_dial_counts_until_it_is_registered() {
        let mut settings = Settings { schema_check: SchemaCheck::Full, ..Settings::default() };
        let mut schemas = Schemas::of([&settings].into_iter());
        assert_eq!(schemas.may_change(0), Some(false), "there is no change");
        settings.schema_change = SchemaChange::ChangeType;
        schemas.set(0, &settings);
        assert_eq!(schemas.register(0, 1), Registration::Refused);
        assert!(!schemas.have_changed() && !schemas.can_read(MessageId::new(0, 1), SchemaVersion::New));
        settings.schema_check = SchemaCheck::None;
        schemas.set(0, &settings);
        assert_eq!(schemas.register(0, 1), Registration::Registered);
        assert!(schemas.can_read(MessageId::new(0, 1), SchemaVersion::New));
    }
}
