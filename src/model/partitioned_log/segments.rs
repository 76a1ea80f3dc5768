//! The segments of a partition: what retention deletes, always whole.
//!
//! Rules of Kafka's `UnifiedLog` and `LogSegment` (4.0.0-SNAPSHOT of 2024-10-25;
//! `kafka-log.json`, retention): oldest first, stopping at the first segment that does not qualify,
//! never past the high watermark, never the active segment. Consumers are not asked.

use std::collections::VecDeque;

use super::super::held::HeldBytes;
use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};
use super::rules::LogRules;

/// A run of records that are deleted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The offset of its first record.
    pub base_offset: u64,
    /// How many records were appended to it.
    pub records: u64,
    /// How many bytes these are.
    pub bytes: u64,
    /// When the first of them came.
    pub first_at: Instant,
    /// When the last of them came.
    pub newest_at: Instant,
}

impl Segment {
    const fn empty(base_offset: u64) -> Self {
        Self { base_offset, records: 0, bytes: 0, first_at: Instant::START, newest_at: Instant::START }
    }

    /// The offset behind its last record.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.base_offset + self.records
    }

    /// Whether a record of so many bytes goes into the next segment. An empty one takes any.
    fn is_full_for(&self, rules: &LogRules, at: Instant, bytes: u64) -> bool {
        let by_bytes = self.bytes.saturating_add(bytes) > rules.segment_bytes;
        let by_time = at.since(self.first_at) > rules.segment_time;
        let by_records = rules.segment_records.is_some_and(|most| self.records >= most);
        self.records > 0 && (by_bytes || by_time || by_records)
    }
}

/// All segments of a partition, the active one last. There is always an active one.
#[derive(Clone, Debug)]
pub struct Segments {
    /// Those before the active one.
    closed: VecDeque<Segment>,
    active: Segment,
    bytes: u64,
}

impl Segments {
    /// One empty segment that begins at `base_offset`.
    pub const fn new(base_offset: u64) -> Self {
        Self { closed: VecDeque::new(), active: Segment::empty(base_offset), bytes: 0 }
    }

    /// How many there are: at least one.
    pub fn count(&self) -> usize {
        self.closed.len() + 1
    }

    /// All, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Segment> {
        self.closed.iter().chain([&self.active])
    }

    /// Those that take in no more records, oldest first.
    pub fn closed(&self) -> impl Iterator<Item = &Segment> {
        self.closed.iter()
    }

    /// The oldest: the active one where it is alone.
    pub fn oldest(&self) -> &Segment {
        self.closed.front().unwrap_or(&self.active)
    }

    /// Bytes of all.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes in a record, after beginning the next segment where it does not fit.
    #[inline]
    pub fn append(&mut self, rules: &LogRules, at: Instant, bytes: u64) {
        if self.active.is_full_for(rules, at, bytes) {
            self.roll();
        }
        if self.active.records == 0 {
            self.active.first_at = at;
        }
        self.active.newest_at = at;
        self.active.records += 1;
        self.active.bytes += bytes;
        self.bytes += bytes;
    }

    fn roll(&mut self) {
        let next = Segment::empty(self.active.end());
        self.closed.push_back(std::mem::replace(&mut self.active, next));
    }

    /// Deletes segments that are older than they are kept: longer ago than `kept` came the last of
    /// their records.
    pub fn delete_older(&mut self, now: Instant, kept: Span, high_watermark: u64) -> Option<u64> {
        self.delete_while(high_watermark, |segment| now.since(segment.newest_at) > kept)
    }

    /// Deletes segments without which the partition would still have at least `kept` bytes.
    pub fn delete_above(&mut self, kept: u64, high_watermark: u64) -> Option<u64> {
        let mut excess = self.bytes.checked_sub(kept)?;
        self.delete_while(high_watermark, |segment| match excess.checked_sub(segment.bytes) {
            Some(rest) => {
                excess = rest;
                true
            }
            None => false,
        })
    }

    /// Deletes segments that lie before `log_start`: an active one is not before it.
    pub fn delete_before(&mut self, log_start: u64) {
        while let Some(oldest) = self.closed.front().filter(|oldest| oldest.end() <= log_start) {
            self.bytes -= oldest.bytes;
            self.closed.pop_front();
        }
    }

    /// Deletes the oldest segment, whoever has not read it. Where only the active one is left, the
    /// next is begun first; `None` where that is empty.
    pub fn delete_oldest(&mut self, high_watermark: u64) -> Option<u64> {
        let mut is_first = true;
        self.delete_while(high_watermark, |_| std::mem::take(&mut is_first))
    }

    /// Deletes from the oldest on while `qualifies`, and returns where the log starts then, if any
    /// went. Where all would go, an empty segment is begun first: the active one never goes.
    fn delete_while(
        &mut self,
        high_watermark: u64,
        mut qualifies: impl FnMut(&Segment) -> bool,
    ) -> Option<u64> {
        let mut deleted = 0;
        for segment in self.iter() {
            let may_go = segment.records > 0 && segment.end() <= high_watermark;
            if !may_go || !qualifies(segment) {
                break;
            }
            deleted += 1;
        }
        if deleted == self.count() {
            self.roll();
        }
        for segment in self.closed.drain(..deleted) {
            self.bytes -= segment.bytes;
        }
        (deleted > 0).then(|| self.oldest().base_offset)
    }

    /// Bytes of all, added up one by one.
    pub fn recount_bytes(&self) -> u64 {
        self.iter().map(|segment| segment.bytes).sum()
    }

    /// Whether each begins where the one before it ends, and the last ends at `end`.
    pub fn are_contiguous_to(&self, end: u64) -> bool {
        let ends = self.iter().map(Segment::end);
        let begins = self.iter().skip(1).map(|segment| segment.base_offset).chain([end]);
        ends.eq(begins)
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Segment>(self.closed.len());
    }

    /// Feeds them to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for segment in self.iter() {
            for value in [
                segment.base_offset,
                segment.records,
                segment.bytes,
                segment.first_at.micros(),
                segment.newest_at.micros(),
            ] {
                hasher.write(value);
            }
        }
    }
}
