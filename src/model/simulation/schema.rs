//! Schemas at work: producers register a change, consumers are deployed anew, and who cannot read what
//! the other writes fails.

use super::Simulation;
use crate::model::command::CommandRefused;
use crate::model::consumer::Job;
use crate::model::event::EventKind;
use crate::model::message::MessageId;
use crate::model::retry::FailureKind;
use crate::model::schema::{Registration, SchemaVersion};
use crate::model::work_queue::ConsumerIndex;

impl Simulation {
    pub(super) fn check_schema_change(&self, producer: usize) -> Result<(), CommandRefused> {
        match (self.schemas.may_change(producer), self.schemas.of_producer(producer)) {
            (Some(false), SchemaVersion::New) => Err(CommandRefused::SchemaChangedAlready),
            (Some(false), SchemaVersion::Old) => Err(CommandRefused::NoSchemaChange),
            _ => Ok(()),
        }
    }

    pub(super) fn check_upgrade(&self, pool: usize) -> Result<(), CommandRefused> {
        match self.staffs.get(pool).map(|staff| staff.pool.reads_by()) {
            Some(SchemaVersion::New) => Err(CommandRefused::UpgradedAlready),
            _ => Ok(()),
        }
    }

    /// A producer registers its change, and writes by the new schema from its next message on, unless
    /// the check refuses it. One that has none to register does nothing.
    pub(super) fn change_schema(&mut self, producer: usize) {
        if self.schemas.may_change(producer) != Some(true) {
            return;
        }
        let next = self.producers[producer].next_number();
        let (kind, number) = match self.schemas.register(producer, next) {
            Registration::Registered => (EventKind::SchemaChanged, next),
            Registration::Refused => (EventKind::SchemaRefused, 0),
        };
        let name = MessageId::new(u16::try_from(producer).unwrap_or_default(), number);
        self.journal.record(self.now, kind, name);
    }

    /// The consumers of a pool are deployed anew: attempts that they start from now on read by the new
    /// schema.
    pub(super) fn upgrade_readers(&mut self, pool: usize) {
        if self.check_upgrade(pool).is_ok() {
            self.staffs[pool].pool.upgrade();
            self.record_of_pool(EventKind::ReadersUpgraded, pool);
        }
    }

    /// Consumers that go over to another pool go on reading by the schema that they read by.
    pub(super) fn upgrade_as(&mut self, source: Option<usize>, pool: usize) {
        if source.is_some_and(|source| self.staffs[source].pool.reads_by() == SchemaVersion::New) {
            self.upgrade_readers(pool);
        }
    }

    /// Whether every message can be read by everybody, whatever is said of schemas: nothing has changed.
    pub(super) fn is_of_one_schema(&self) -> bool {
        let reads_new = self.staffs.iter().any(|staff| staff.pool.reads_by() == SchemaVersion::New);
        !reads_new && !self.schemas.have_changed()
    }

    /// Whether the consumer of this job cannot read its message. Nobody reads what is only skipped.
    pub(super) fn cannot_read(&self, job: &Job) -> bool {
        !job.is_skipped && !self.schemas.can_read(job.id, job.reads_by)
    }

    /// An attempt ends at a message that cannot be read. As with poison, nobody can tell by looking at it
    /// that it will fail again.
    pub(super) fn fail_to_read(&mut self, pool: usize, consumer: ConsumerIndex) {
        self.staffs[pool].unreadable += 1;
        self.fail(pool, consumer, FailureKind::Permanent);
    }
}
