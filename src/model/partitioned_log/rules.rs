//! How a log keeps its records: segments and retention, as Kafka's topic settings name them.

use super::super::state_hash::StateHasher;
use super::super::time::Span;

/// What a log does with what it stores. The defaults are Kafka's (4.0.0-SNAPSHOT of 2024-10-25).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRules {
    /// A record that would take its segment above so many bytes begins the next one
    /// (`segment.bytes`).
    pub segment_bytes: u64,
    /// So does one that comes later than this after its segment's first (`segment.ms`).
    pub segment_time: Span,
    /// So does one that finds so many records in its segment; `None`: any number. Kafka has no such
    /// limit; without it, records that weigh nothing would never leave their first segment.
    pub segment_records: Option<u64>,
    /// How long records are kept (`retention.ms`); `None`: for ever.
    pub retention_time: Option<Span>,
    /// How many bytes a partition keeps at least (`retention.bytes`); `None`: all.
    pub retention_bytes: Option<u64>,
    /// Whether old segments are deleted at all: not where the log is only compacted
    /// (`cleanup.policy=compact`).
    pub deletes: bool,
    /// How often it looks for segments to delete (`log.retention.check.interval.ms`).
    pub check_interval: Span,
}

impl Default for LogRules {
    fn default() -> Self {
        Self {
            segment_bytes: 1 << 30,
            segment_time: Span::from_seconds(7 * 86_400),
            segment_records: None,
            retention_time: Some(Span::from_seconds(7 * 86_400)),
            retention_bytes: None,
            deletes: true,
            check_interval: Span::from_seconds(300),
        }
    }
}

impl LogRules {
    /// Feeds them to `hasher`.
    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        for value in [
            self.segment_bytes,
            self.segment_time.micros(),
            self.segment_records.unwrap_or(u64::MAX),
            self.retention_time.map_or(u64::MAX, Span::micros),
            self.retention_bytes.unwrap_or(u64::MAX),
            u64::from(self.deletes),
            self.check_interval.micros(),
        ] {
            hasher.write(value);
        }
    }
}
