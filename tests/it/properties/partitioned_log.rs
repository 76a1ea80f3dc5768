//! A partitioned log and a group's offsets in it, whatever is done to them.

use proptest::prelude::*;
use queue_lab::model::group::offsets::{GroupOffsets, OffsetPolicy};
use queue_lab::model::group::reset::{ResetScope, ResetTo};
use queue_lab::model::group::time_lag::{EndTimes, EndedThere, Point};
use queue_lab::model::message::MessageId;
use queue_lab::model::partitioned_log::idempotence::{BATCHES_RETAINED, Batch, Checked};
use queue_lab::model::partitioned_log::partitioner::{moves, partition_of_key};
use queue_lab::model::partitioned_log::rules::LogRules;
use queue_lab::model::partitioned_log::{Append, DeleteCause, Partition, PartitionedLog, Record, Segment};
use queue_lab::model::state_hash::StateHasher;
use queue_lab::model::time::{Instant, Span};

/// What is done next; partitions and offsets are taken to within what there is.
#[derive(Clone, Debug)]
enum Step {
    Appends { key: Option<u8>, bytes: u64 },
    Waits(u64),
    Expires,
    RollsOff,
    DeletesBefore(u32, u64),
    AddsPartition,
    HoldsBack(u32, Option<u64>),
    Reads(u32),
    Commits(u32),
    TakesOver(u32),
    Resets(ResetTo),
}

fn step() -> impl Strategy<Value = Step> {
    let partition = 0_u32..4;
    let append = (prop::option::of(any::<u8>()), 0_u64..40);
    let to = prop_oneof![
        Just(ResetTo::Earliest),
        Just(ResetTo::Latest),
        Just(ResetTo::Current),
        (0_u64..300).prop_map(ResetTo::Offset),
        (-50_i64..50).prop_map(ResetTo::Shift),
        (0_u64..400).prop_map(|second| ResetTo::Time(Instant::from_seconds(second))),
    ];
    prop_oneof![
        12 => append.prop_map(|(key, bytes)| Step::Appends { key, bytes }),
        4 => (0_u64..20).prop_map(Step::Waits),
        2 => Just(Step::Expires),
        1 => Just(Step::RollsOff),
        1 => (partition.clone(), 0_u64..60).prop_map(|(partition, offset)| Step::DeletesBefore(partition, offset)),
        1 => Just(Step::AddsPartition),
        1 => (partition.clone(), prop::option::of(0_u64..60)).prop_map(|(partition, at)| Step::HoldsBack(partition, at)),
        4 => partition.clone().prop_map(Step::Reads),
        2 => partition.clone().prop_map(Step::Commits),
        1 => partition.prop_map(Step::TakesOver),
        1 => to.prop_map(Step::Resets),
    ]
}

fn rules() -> impl Strategy<Value = LogRules> {
    let segments = (10_u64..120, 5_u64..60, prop::option::of(1_u64..12));
    let kept = (prop::option::of(0_u64..80), prop::option::of(0_u64..400));
    (segments, kept).prop_map(|((bytes, time, records), (kept_time, kept_bytes))| LogRules {
        segment_bytes: bytes,
        segment_time: Span::from_seconds(time),
        segment_records: records,
        retention_time: kept_time.map(Span::from_seconds),
        retention_bytes: kept_bytes,
        ..LogRules::default()
    })
}

/// A log under test, and all that was ever appended to each of its partitions.
struct Played {
    log: PartitionedLog,
    offsets: GroupOffsets,
    now: Instant,
    appended: Vec<Vec<Record>>,
    number: u64,
}

impl Played {
    fn new(rules: LogRules) -> Self {
        let log = PartitionedLog::new(rules, 2);
        let offsets = GroupOffsets::new(OffsetPolicy::Earliest);
        Self { log, offsets, now: Instant::START, appended: vec![Vec::new(); 2], number: 0 }
    }

    fn partition(&self, number: u32) -> (u32, &Partition) {
        let number = number % self.log.partition_count();
        (number, self.log.partition(number).expect("it is there"))
    }

    fn does(&mut self, step: &Step) {
        match step {
            Step::Appends { key, bytes } => self.appends(*key, *bytes),
            Step::Waits(seconds) => self.now += Span::from_seconds(*seconds),
            Step::Expires => self.expires(),
            Step::RollsOff => _ = self.log.roll_off_oldest(),
            Step::DeletesBefore(partition, offset) => {
                let number = self.partition(*partition).0;
                self.log.partition_mut(number).expect("it is there").delete_records(*offset);
            }
            Step::AddsPartition => {
                let count = self.log.partition_count();
                self.log.add_partitions(count + 1).expect("it is one more");
                self.appended.push(Vec::new());
            }
            Step::HoldsBack(partition, at) => {
                let number = self.partition(*partition).0;
                self.log.partition_mut(number).expect("it is there").hold_high_watermark(*at);
            }
            Step::Reads(partition) => self.reads(*partition),
            Step::Commits(partition) => {
                let number = self.partition(*partition).0;
                self.offsets.of(number).position.into_iter().for_each(|at| self.offsets.commit(number, at));
            }
            Step::TakesOver(partition) => {
                let (number, partition) = self.partition(*partition);
                let partition = partition.clone();
                self.offsets.take_over(number, &partition).expect("its policy is not to fail");
            }
            Step::Resets(to) => self.resets(*to),
        }
    }

    fn appends(&mut self, key: Option<u8>, bytes: u64) {
        self.number += 1;
        let id = MessageId::new(0, self.number);
        let key = key.map(|key| [key]);
        let at =
            self.log.append(self.now, key.as_ref().map(|key| &key[..]), Append { id, bytes, luggage: None });
        let known = &mut self.appended[at.partition as usize];
        assert_eq!(at.offset, known.len() as u64, "offsets leave no gap");
        known.push(Record { offset: at.offset, id, appended_at: self.now });
    }

    /// Retention deletes whole segments from the oldest on, all of them old enough or too many, and
    /// leaves one that is active.
    fn expires(&mut self) {
        let before: Vec<Vec<Segment>> =
            self.log.partitions().iter().map(|partition| partition.segments().copied().collect()).collect();
        let rules = self.log.rules().clone();
        for (number, deleted) in self.log.expire(self.now) {
            let segments = &before[number as usize];
            let partition = &self.log.partitions()[number as usize];
            let gone: Vec<&Segment> = segments.iter().filter(|segment| segment.end() <= deleted.to).collect();
            let too_old = |segment: &&&Segment| {
                rules.retention_time.is_some_and(|kept| self.now.since(segment.newest_at) > kept)
            };
            if deleted.cause == DeleteCause::Time {
                assert!(gone.iter().all(|segment| too_old(&segment)), "{gone:?} is not old");
            } else {
                assert!(partition.bytes() >= rules.retention_bytes.unwrap_or_default(), "it kept too little");
            }
            assert!(deleted.to <= partition.high_watermark(), "it went past the high watermark");
            assert!(
                segments
                    .iter()
                    .any(|segment| segment.base_offset == deleted.to || segment.end() == deleted.to)
            );
        }
    }

    fn reads(&mut self, partition: u32) {
        let (number, partition) = self.partition(partition);
        let Some(next) = self.offsets.next_offset(number, partition) else { return };
        let record = partition.record(next);
        let is_gone = next < partition.log_start_offset();
        assert_eq!(record.is_none(), is_gone, "a reader misses only what was deleted");
        assert!(record.is_none_or(
            |record| record == self.appended[number as usize][usize::try_from(next).expect("it fits")]
        ));
        let goes_on = if is_gone { partition.log_start_offset() } else { next + 1 };
        self.offsets.seek(number, goes_on);
    }

    fn resets(&mut self, to: ResetTo) {
        let Ok(plan) = self.offsets.plan_reset(&self.log, 0, &ResetScope::Committed, to) else { return };
        self.offsets.execute_reset(&plan);
        for planned in plan {
            let partition = &self.log.partitions()[planned.partition as usize];
            let range = partition.log_start_offset()..=partition.log_end_offset();
            assert!(to == ResetTo::Current || range.contains(&planned.to), "{planned:?} is not in {range:?}");
            assert_eq!(self.offsets.of(planned.partition).committed, Some(planned.to));
        }
    }

    fn is_sound(&self) {
        assert_eq!(self.log.problems(), [], "recounted");
        for (number, partition) in (0_u32..).zip(self.log.partitions()) {
            let appended = &self.appended[number as usize];
            let (start, end) = (partition.log_start_offset(), partition.log_end_offset());
            assert_eq!(end, appended.len() as u64, "nothing is lost at the end");
            let active = partition.segments().last().expect("there is an active one");
            assert_eq!(active.end(), end, "the last segment is the active one");
            for offset in [start.saturating_sub(1), start, u64::midpoint(start, end), end.saturating_sub(1)] {
                let stored = appended.iter().find(|record| record.offset == offset && offset >= start);
                assert_eq!(partition.record(offset), stored.copied(), "{offset}");
            }
            let offsets = self.offsets.of(number);
            let lag = offsets.lag(partition);
            assert_eq!(lag, offsets.committed.map(|at| (at..end).count() as u64), "what is not done yet");
        }
    }
}

fn hash(played: &Played) -> u64 {
    let mut hasher = StateHasher::default();
    played.log.hash_into(&mut hasher);
    played.offsets.hash_into(&mut hasher);
    hasher.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn offsets_are_contiguous_and_nothing_is_lost_but_by_whole_segments(
        rules in rules(), steps in prop::collection::vec(step(), 1..250)
    ) {
        let mut played = Played::new(rules);
        for step in &steps {
            played.does(step);
            played.is_sound();
        }
    }

    #[test]
    fn a_clone_goes_its_own_way_and_the_same_steps_lead_to_the_same_state(
        rules in rules(), steps in prop::collection::vec(step(), 2..200)
    ) {
        let (first, second) = steps.split_at(steps.len() / 2);
        let mut played = Played::new(rules.clone());
        first.iter().for_each(|step| played.does(step));
        let kept = (played.log.clone(), hash(&played));
        second.iter().for_each(|step| played.does(step));
        let mut again = Played::new(rules);
        first.iter().for_each(|step| again.does(step));
        prop_assert_eq!(hash(&again), kept.1);
        again.log = kept.0;
        second.iter().for_each(|step| again.does(step));
        prop_assert_eq!(hash(&again), hash(&played));
    }

    #[test]
    fn what_is_due_is_deleted_at_the_instant_that_was_named(
        rules in rules(), gaps in prop::collection::vec(0_u64..30, 1..60)
    ) {
        let mut played = Played::new(LogRules { check_interval: Span::from_seconds(7), ..rules });
        for gap in gaps {
            played.appends(None, 20);
            played.does(&Step::Waits(gap));
        }
        while let Some(next) = played.log.next_expiry(played.now) {
            prop_assert!(next > played.now);
            let last_grid_before = Instant::from_micros(next.micros() - 7_000_000).max(played.now);
            let mut early = played.log.clone();
            let from_grid = last_grid_before.micros().is_multiple_of(7_000_000) && last_grid_before > played.now;
            prop_assert!(!from_grid || early.expire(last_grid_before).is_empty(), "something went earlier");
            played.now = next;
            prop_assert!(!played.log.expire(next).is_empty(), "nothing went at {next}");
        }
    }

    #[test]
    fn with_a_multiple_of_partitions_a_key_stays_or_goes_to_one_of_its_new_ones(
        key in prop::collection::vec(any::<u8>(), 0..40), partitions in 1_u32..40, factor in 1_u32..6
    ) {
        let (before, after) = (partition_of_key(&key, partitions), partition_of_key(&key, partitions * factor));
        prop_assert_eq!(after % partitions, before);
        prop_assert_eq!(moves(&key, partitions, partitions * factor), before != after);
    }

    #[test]
    fn a_producer_that_retries_appends_each_batch_once(
        retries in prop::collection::vec((1_u64..4, 0_usize..5), 1..40)
    ) {
        let mut log = PartitionedLog::new(LogRules::default(), 1);
        let rules = log.rules().clone();
        let partition = log.partition_mut(0).expect("it is there");
        let mut sent: Vec<(Batch, u64)> = Vec::new();
        let records = |count| (0..count).map(|number| Append { id: MessageId::new(0, number), bytes: 1, luggage: None }).collect();
        for (count, retried) in retries {
            let first_sequence = partition.log_end_offset();
            let batch = Batch { producer_index: 0, first_sequence, records: count };
            let appended = partition.append_batch(&rules, Instant::START, &batch, records(count));
            prop_assert_eq!(appended, (Checked::New, Some(first_sequence)));
            sent.push((batch, first_sequence));
            if let Some((before, offset)) = sent.iter().rev().take(BATCHES_RETAINED).nth(retried) {
                let again = partition.append_batch(&rules, Instant::START, before, records(before.records));
                prop_assert_eq!(again, (Checked::Duplicate(*offset), None));
            }
        }
        let sent_in_all: u64 = sent.iter().map(|(batch, _)| batch.records).sum();
        prop_assert_eq!(partition.log_end_offset(), sent_in_all);
    }

    #[test]
    fn a_later_offset_was_never_the_end_earlier(
        steps in prop::collection::vec((0_u64..50, 1_u64..20), 2..80), shares in prop::collection::vec(0_u64..100, 2..20)
    ) {
        let mut ends = EndTimes::keeping(100);
        let (mut log_end, mut second) = (0, 0);
        let mut first = None;
        for (more, later) in steps {
            (log_end, second) = (log_end + more, second + later);
            first.get_or_insert((log_end, second));
            ends.record(Point { log_end, at: Instant::from_seconds(second) });
        }
        let (first_end, first_second) = first.expect("there are steps");
        let mut offsets: Vec<u64> = shares.iter().map(|share| first_end + (log_end - first_end) * share / 100).collect();
        offsets.sort_unstable();
        let mut before = Instant::from_seconds(first_second);
        for offset in offsets.into_iter().filter(|offset| *offset < log_end) {
            let found = ends.lookup(offset.cast_signed());
            let EndedThere::Micros(at) = found else { panic!("{offset} is within: {found:?}") };
            let at = Instant::from_micros(at.cast_unsigned());
            prop_assert!(before <= at && at <= Instant::from_seconds(second), "{offset}: {at}");
            before = at;
        }
    }
}
