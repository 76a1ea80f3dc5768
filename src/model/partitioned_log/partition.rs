//! One partition: records at consecutive offsets, from the log start to the log end.

use std::rc::Rc;

use super::super::held::HeldBytes;
use super::super::message::{Luggage, Message, MessageId};
use super::super::ordered::Ordered;
use super::super::state_hash::StateHasher;
use super::super::time::Instant;
use super::chunks::{Chunks, Record};
use super::idempotence::{Batch, Checked, Sequences};
use super::rules::LogRules;
use super::segments::{Segment, Segments};

/// What an append needs beside the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// Which message.
    pub id: MessageId,
    /// The bytes it takes in the log.
    pub bytes: u64,
    /// What it carries beside its number, if anything. Records of one kind share one.
    pub luggage: Option<Rc<Luggage>>,
}

/// Records that are no longer stored, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// The first offset that went.
    pub from: u64,
    /// The first that is still there: the log start from now on.
    pub to: u64,
    /// Why.
    pub cause: DeleteCause,
}

/// Why records are no longer stored. The numbers are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteCause {
    /// They were kept for as long as the log keeps records.
    Time = 1,
    /// The partition had more bytes than it keeps.
    Bytes = 2,
    /// The broker was at its capacity and rolled off an oldest segment.
    Capacity = 3,
    /// Somebody deleted them (`kafka-delete-records`).
    Request = 4,
}

/// One partition of a log.
#[derive(Clone, Debug)]
pub struct Partition {
    chunks: Chunks,
    segments: Segments,
    log_start: u64,
    /// Where replicas that do not keep up hold the high watermark; `None`: at the log end.
    held_high_watermark: Option<u64>,
    /// What records carry, from an offset on: the key counts down, so that the entry for an offset is
    /// the first from its key on. Records that carry the same as the one before them have no entry.
    luggage: Ordered<Option<Rc<Luggage>>>,
    sequences: Sequences,
    /// What was deleted since somebody asked, with its offsets, where somebody does.
    deleted: Option<Vec<(u64, Message)>>,
}

impl Default for Partition {
    fn default() -> Self {
        Self {
            chunks: Chunks::default(),
            segments: Segments::new(0),
            log_start: 0,
            held_high_watermark: None,
            luggage: Ordered::default(),
            sequences: Sequences::default(),
            deleted: None,
        }
    }
}

impl Partition {
    /// The first offset that can still be read.
    #[must_use]
    pub const fn log_start_offset(&self) -> u64 {
        self.log_start
    }

    /// The offset that the next record will get.
    #[must_use]
    pub const fn log_end_offset(&self) -> u64 {
        self.chunks.end()
    }

    /// The offset up to which records can be read, and beyond which none is deleted.
    #[must_use]
    pub fn high_watermark(&self) -> u64 {
        self.held_high_watermark.map_or(self.log_end_offset(), |held| held.min(self.log_end_offset()))
    }

    /// Replicas keep up only to this offset; `None`: they keep up.
    pub const fn hold_high_watermark(&mut self, at: Option<u64>) {
        self.held_high_watermark = at;
    }

    /// How many records can still be read.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.log_end_offset() - self.log_start
    }

    /// Whether none can be read.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of its segments, which are deleted whole: also of records before the log start whose
    /// segment is still there.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.segments.bytes()
    }

    /// Its segments, oldest first; the last is the active one.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter()
    }

    /// Puts a record at the end and returns its offset. Time never goes back: one that comes before
    /// the last record counts as coming with it.
    #[inline]
    pub fn append(&mut self, rules: &LogRules, now: Instant, append: Append) -> u64 {
        let now = self.chunks.last_at().map_or(now, |last| last.max(now));
        self.segments.append(rules, now, append.bytes);
        if append.luggage.is_some() || !self.luggage.is_empty() {
            self.note_luggage(append.luggage);
        }
        self.chunks.push(now, append.id)
    }

    /// Puts a producer's batch at the end, unless it was appended before or is out of order. What it
    /// says of the batch comes back, with the offset of the first record where it is new.
    pub fn append_batch(
        &mut self,
        rules: &LogRules,
        now: Instant,
        batch: &Batch,
        records: Vec<Append>,
    ) -> (Checked, Option<u64>) {
        let checked = self.sequences.check(batch);
        if checked != Checked::New {
            return (checked, None);
        }
        let first = self.log_end_offset();
        self.sequences.record(batch, first);
        records.into_iter().for_each(|append| _ = self.append(rules, now, append));
        (checked, Some(first))
    }

    #[inline(never)]
    fn note_luggage(&mut self, luggage: Option<Rc<Luggage>>) {
        let before = self.luggage.first().and_then(|(_, last)| last.as_ref());
        if before != luggage.as_ref() {
            self.luggage.insert(luggage_key(self.log_end_offset()), luggage);
        }
    }

    /// The record at `offset`, if it can still be read.
    #[must_use]
    #[inline]
    pub fn record(&self, offset: u64) -> Option<Record> {
        if offset < self.log_start { None } else { self.chunks.get(offset) }
    }

    /// The message at `offset` with what it carries, if it can still be read.
    #[must_use]
    pub fn message(&self, offset: u64) -> Option<Message> {
        let record = self.record(offset)?;
        let luggage = self.luggage.next_from(luggage_key(offset)).and_then(|(_, luggage)| luggage.clone());
        Some(Message { id: record.id, accepted_at: record.appended_at, luggage })
    }

    /// When the record at `offset` was appended, if it can still be read.
    #[must_use]
    pub fn time_of(&self, offset: u64) -> Option<Instant> {
        self.record(offset).map(|record| record.appended_at)
    }

    /// The first readable offset whose record came at `at` or later; `None` where none did
    /// (Kafka `ListOffsets` by timestamp).
    #[must_use]
    pub fn offset_from(&self, at: Instant) -> Option<u64> {
        self.chunks.first_from(at).map(|offset| offset.max(self.log_start))
    }

    /// Deletes what is kept no longer, by time and then by bytes.
    pub fn expire(&mut self, rules: &LogRules, now: Instant) -> [Option<Deleted>; 2] {
        if !rules.deletes {
            return [None, None];
        }
        let high_watermark = self.high_watermark();
        let by_time = rules.retention_time.and_then(|kept| {
            let start = self.segments.delete_older(now, kept, high_watermark)?;
            self.move_log_start(start, DeleteCause::Time)
        });
        let by_bytes = rules.retention_bytes.and_then(|kept| {
            let start = self.segments.delete_above(kept, high_watermark)?;
            self.move_log_start(start, DeleteCause::Bytes)
        });
        [by_time, by_bytes]
    }

    /// From when on the oldest segment can be deleted by its age; `None` where nothing of it is kept
    /// for a limited time.
    #[must_use]
    pub fn oldest_is_kept_until(&self, rules: &LogRules) -> Option<Instant> {
        let kept = rules.retention_time.filter(|_| rules.deletes)?;
        let oldest = Some(self.segments.oldest()).filter(|oldest| oldest.records > 0)?;
        Some(oldest.newest_at + kept)
    }

    /// Until when the segment of the record at `offset` is kept by its age, where it takes in no more
    /// records; `None` where it does, and where nothing goes by its age. A later segment is kept for
    /// at least as long.
    #[must_use]
    pub fn closed_is_kept_until(&self, offset: u64, rules: &LogRules) -> Option<Instant> {
        let kept = rules.retention_time.filter(|_| rules.deletes)?;
        let segment = self.segments.closed().find(|segment| offset < segment.end())?;
        Some(segment.newest_at + kept)
    }

    /// Until when the record at `offset` is kept by the age of its segment, as it stands; `None` where
    /// there is no such record, and where nothing goes by its age.
    #[must_use]
    pub fn is_kept_until(&self, offset: u64, rules: &LogRules) -> Option<Instant> {
        let kept = rules.retention_time.filter(|_| rules.deletes)?;
        let segment = self.segments.iter().find(|segment| offset < segment.end())?;
        Some(segment.newest_at + kept)
    }

    /// Whether it has a segment more than it has to keep by its bytes.
    #[must_use]
    pub fn has_excess_bytes(&self, rules: &LogRules) -> bool {
        let oldest = self.segments.oldest();
        let kept = rules.retention_bytes.filter(|_| rules.deletes && oldest.records > 0);
        kept.and_then(|kept| self.bytes().checked_sub(kept)).is_some_and(|excess| excess >= oldest.bytes)
    }

    /// Deletes the oldest segment, whoever has not read it. `None` where there is no record.
    pub fn roll_off_oldest(&mut self) -> Option<Deleted> {
        let start = self.segments.delete_oldest(self.high_watermark())?;
        self.move_log_start(start, DeleteCause::Capacity)
    }

    /// Deletes what is before `offset`, which is taken down to the high watermark: the log starts
    /// there, and segments that lie before it go.
    pub fn delete_records(&mut self, offset: u64) -> Option<Deleted> {
        let start = offset.min(self.high_watermark());
        if start <= self.log_start {
            return None;
        }
        self.segments.delete_before(start);
        self.move_log_start(start, DeleteCause::Request)
    }

    /// Offsets before `start` cannot be read any more; one that lies before the log start was not
    /// readable anyway.
    fn move_log_start(&mut self, start: u64, cause: DeleteCause) -> Option<Deleted> {
        let from = self.log_start;
        if start <= from {
            return None;
        }
        self.keep_deleted(from, start);
        self.log_start = start;
        self.chunks.drop_before(start);
        self.drop_luggage_before(start);
        Some(Deleted { from, to: start, cause })
    }

    /// What it deletes from now on is to be asked for.
    pub fn tell_deleted(&mut self) {
        self.deleted.get_or_insert_default();
    }

    /// What was deleted since this was asked the last time, with its offsets.
    pub fn take_deleted(&mut self) -> Vec<(u64, Message)> {
        self.deleted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn keep_deleted(&mut self, from: u64, to: u64) {
        if self.deleted.is_some() {
            let gone = (from..to).filter_map(|offset| Some((offset, self.message(offset)?)));
            let gone: Vec<(u64, Message)> = gone.collect();
            self.deleted.get_or_insert_default().extend(gone);
        }
    }

    /// The entry that holds for the first readable record stays.
    fn drop_luggage_before(&mut self, start: u64) {
        let Some((kept, _)) = self.luggage.next_from(luggage_key(start)) else { return };
        while let Some((last, _)) = self.luggage.last().filter(|(last, _)| *last != kept) {
            self.luggage.remove(&last);
        }
    }

    /// Counts the readable records in the chunks themselves; always equal to [`Self::len`].
    #[must_use]
    pub fn recount(&self) -> u64 {
        self.chunks.recount_from(self.log_start)
    }

    /// What is wrong with it: nothing, as long as the model is right.
    #[must_use]
    pub fn problems(&self) -> Vec<&'static str> {
        let oldest = self.segments.oldest();
        let checks = [
            (self.recount() == self.len(), "its chunks hold other records than it counts"),
            (self.segments.recount_bytes() == self.bytes(), "its segments have other bytes than it counts"),
            (self.segments.are_contiguous_to(self.log_end_offset()), "its segments leave a gap"),
            (oldest.base_offset <= self.log_start, "it starts before its oldest segment"),
            (self.log_start <= self.log_end_offset(), "it starts behind its end"),
        ];
        checks.into_iter().filter(|(holds, _)| !holds).map(|(_, problem)| problem).collect()
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.chunks.count_held(held);
        self.segments.count_held(held);
        held.tree::<(u64, Rc<Luggage>)>(self.luggage.len());
        held.own::<(u64, Message)>(self.deleted.as_ref().map_or(0, Vec::len));
        self.sequences.count_held(held);
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.log_start);
        hasher.write(self.held_high_watermark.unwrap_or(u64::MAX));
        self.chunks.hash_into(hasher);
        self.segments.hash_into(hasher);
        for ([from, ..], luggage) in self.luggage.iter() {
            hasher.write(from);
            let message =
                Message { id: MessageId::new(0, 0), accepted_at: Instant::START, luggage: luggage.clone() };
            message.hash_into(hasher);
        }
        self.sequences.hash_into(hasher);
    }
}

const fn luggage_key(offset: u64) -> [u64; 3] {
    [u64::MAX - offset, 0, 0]
}
