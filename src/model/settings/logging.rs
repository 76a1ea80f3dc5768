//! Reading and writing settings of topics and groups, and of the schema of messages.

use super::Settings;
use super::access::{choose, span_within, within};
use super::choices::{
    Idempotence, OffsetReset, PartitionAssignor, ProcessingOrder, SchemaChange, SchemaCheck, Switch,
};
use super::setting::Setting;
use super::value::{AS_BROKER, NONE, Value};

impl Settings {
    pub(super) fn get_logging(&self, setting: Setting) -> Value {
        match setting {
            Setting::MessageKeys => Value::Count(self.message_keys),
            Setting::HotKey => Value::Share(self.hot_key_share),
            Setting::Partitions => Value::Count(self.partitions),
            Setting::SegmentRecords => Value::Count(self.segment_records),
            Setting::Assignor => Value::Choice(self.assignor.name()),
            Setting::OffsetReset => Value::Choice(self.offset_reset.name()),
            Setting::RebalanceTime => Value::Span(self.rebalance_time),
            Setting::BlocksConsumer => Value::Choice(self.blocks_consumer.name()),
            Setting::CommitInterval => self.commit_interval.map_or(Value::Choice(AS_BROKER), Value::Span),
            Setting::CommitFailure => Value::Share(self.commit_failure_share),
            Setting::Idempotence => Value::Choice(self.idempotence.name()),
            Setting::SchemaChange => Value::Choice(self.schema_change.name()),
            Setting::SchemaCheck => Value::Choice(self.schema_check.name()),
            Setting::ProcessingOrder => Value::Choice(self.processing_order.name()),
            _ => Value::Choice(NONE),
        }
    }

    pub(super) fn set_logging_number(&mut self, setting: Setting, value: Value) -> bool {
        match (setting, value) {
            (Setting::MessageKeys, Value::Count(count)) => self.message_keys = within(setting, count),
            (Setting::Partitions, Value::Count(count)) => self.partitions = within(setting, count),
            (Setting::SegmentRecords, Value::Count(count)) => self.segment_records = within(setting, count),
            (Setting::CommitInterval, Value::Span(span)) => {
                self.commit_interval = Some(span_within(setting, span));
            }
            (Setting::HotKey, Value::Share(share)) => self.hot_key_share = share.min(1_000_000),
            (Setting::CommitFailure, Value::Share(share)) => self.commit_failure_share = share.min(1_000_000),
            (Setting::RebalanceTime, Value::Span(span)) => self.rebalance_time = span_within(setting, span),
            _ => return false,
        }
        true
    }

    pub(super) fn set_logging_word(&mut self, setting: Setting, word: &str) -> bool {
        match setting {
            Setting::Assignor => choose(&mut self.assignor, PartitionAssignor::from_name(word)),
            Setting::OffsetReset => choose(&mut self.offset_reset, OffsetReset::from_name(word)),
            Setting::CommitInterval if word == AS_BROKER => {
                self.commit_interval = None;
                true
            }
            Setting::Idempotence => choose(&mut self.idempotence, Idempotence::from_name(word)),
            Setting::BlocksConsumer => choose(&mut self.blocks_consumer, Switch::from_name(word)),
            Setting::SchemaChange => choose(&mut self.schema_change, SchemaChange::from_name(word)),
            Setting::SchemaCheck => choose(&mut self.schema_check, SchemaCheck::from_name(word)),
            Setting::ProcessingOrder => choose(&mut self.processing_order, ProcessingOrder::from_name(word)),
            _ => false,
        }
    }
}
