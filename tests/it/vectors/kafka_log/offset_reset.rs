//! What `kafka-consumer-groups --reset-offsets` does.

use queue_lab::model::group::offsets::{GroupOffsets, OffsetPolicy};
use queue_lab::model::group::reset::{PlannedOffset, ResetRefused, ResetScope, ResetTo};
use queue_lab::model::group::{Group, GroupTimers, assignors::Assignor};
use queue_lab::model::partitioned_log::rules::LogRules;
use queue_lab::model::time::{Instant, Span};
use serde_json::Value;

use super::super::fields::Fields;
use super::{PartitionedLog, record};

/// When the case begins: long enough after the run's start that a day before it is a time.
const BEGIN: Instant = Instant::from_seconds(10 * 86_400);

/// What a setup leaves behind.
struct Stage {
    log: PartitionedLog,
    group: Group,
    offsets: GroupOffsets,
    scope: ResetScope,
    now: Instant,
    /// The time `T` of a setup.
    taken_time: Option<Instant>,
}

/// One case.
pub fn run_case(case: &Fields) {
    case.prose(&["test", "note"]);
    let mut stage = Stage::new();
    match case.optional_text("setup") {
        Some(setup) => setup.split([';', ',']).for_each(|clause| stage.set_up(clause.trim(), case)),
        None => stage.produce(case.count("log_end")),
    }
    stage.have_log_of(case);
    let words: Vec<&str> = case.text("op").split_whitespace().collect();
    let (to, is_dry) = stage.operation(&words.join(" "));
    let plan = stage.plan(to);
    if case.has("error") {
        assert!(plan.is_err(), "{}: {plan:?}, not {}", case.place(), case.text("error"));
        return;
    }
    let plan = plan.unwrap_or_else(|refused| panic!("{}: {refused}", case.place()));
    let before = stage.offsets.clone();
    if !is_dry {
        stage.offsets.execute_reset(&plan);
    }
    check(case, &plan, &before, &stage.offsets);
}

fn check(case: &Fields, plan: &[PlannedOffset], before: &GroupOffsets, after: &GroupOffsets) {
    if case.has("planned") {
        assert_eq!(plan.first().map(|planned| planned.to), Some(case.count("planned")), "{}", case.place());
        assert_eq!(after.of(0).committed, case.count_or_null("committed_after"), "{}", case.place());
    }
    match case.value("result") {
        None => assert!(case.has("planned"), "{}: no result", case.place()),
        Some(Value::Object(results)) => {
            assert_eq!(plan.is_empty(), results.is_empty(), "{}: {plan:?}", case.place());
            for (partition, result) in results {
                let partition = partition.parse().unwrap_or_else(|_| panic!("{}: {partition}", case.place()));
                let unchanged = before.of(partition).committed;
                let wanted = if result == "unchanged" { unchanged } else { result.as_u64() };
                assert_eq!(after.of(partition).committed, wanted, "{}: {partition}", case.place());
            }
        }
        Some(_) => assert_eq!(after.of(0).committed, Some(case.count("result")), "{}", case.place()),
    }
}

impl Stage {
    fn new() -> Self {
        Self {
            log: PartitionedLog::new(LogRules::default(), 1),
            group: Group::new(Assignor::Range, GroupTimers::default()),
            offsets: GroupOffsets::new(OffsetPolicy::Latest),
            scope: ResetScope::All,
            now: BEGIN,
            taken_time: None,
        }
    }

    fn set_up(&mut self, clause: &str, case: &Fields) {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let number =
            |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("{}: {clause}", case.place()));
        match words[..] {
            ["empty", "topic"] => {}
            // All that such a group has committed is nothing.
            ["group", "does", "not", "exist"] => self.scope = ResetScope::Committed,
            ["group", "is", "active"] => self.group.join(self.now, "c1", None, &[0]),
            ["produce", count] | ["produce", count, "more"] => self.produce(number(count)),
            ["take", "time", "T"] => {
                self.now += Span::from_seconds(1);
                self.taken_time = Some(self.now);
            }
            ["consume", "all"] => self.consume_all(),
            ["group", "consumes", "all", ref committed @ ..] => {
                self.consume_all();
                let said = committed.iter().find_map(|word| word.strip_suffix(')'));
                assert_eq!(said.map(number), self.offsets.of(0).committed, "{}", case.place());
            }
            ["all", "records", "older", "than", seconds, "s"] => {
                self.now += seconds_of(seconds) + Span::from_millis(1);
            }
            [count, "partitions"] => {
                self.log
                    .add_partitions(u32::try_from(number(count)).expect("they are few"))
                    .expect("it is more");
                self.produce(10);
                self.consume_all();
            }
            ["scope", scope] => {
                let partition = scope.rsplit_once(':').map(|(_, partition)| number(partition));
                let partition = partition.and_then(|partition| u32::try_from(partition).ok());
                self.scope = ResetScope::Partitions(partition.into_iter().collect());
            }
            _ => panic!("{}: nothing knows the setup {clause:?}", case.place()),
        }
    }

    /// So many records in each partition, a millisecond apart.
    fn produce(&mut self, count: u64) {
        for number in 0..count {
            self.now += Span::from_millis(1);
            for partition in 0..self.log.partition_count() {
                self.log.append_to(partition, self.now, record(number));
            }
        }
    }

    fn consume_all(&mut self) {
        for (number, partition) in (0_u32..).zip(self.log.partitions()) {
            self.offsets.commit(number, partition.log_end_offset());
        }
    }

    /// The log and what is committed are as the case says.
    fn have_log_of(&mut self, case: &Fields) {
        if let Some(log_start) = case.optional_count("log_start") {
            self.log.partition_mut(0).expect("it has one").delete_records(log_start);
            assert_eq!(self.log.partitions()[0].log_start_offset(), log_start, "{}", case.place());
        }
        if let Some(log_end) = case.optional_count("log_end") {
            assert_eq!(self.log.partitions()[0].log_end_offset(), log_end, "{}", case.place());
        }
        let Some(committed) = case.count_or_null("committed") else { return };
        if case.has("setup") {
            assert_eq!(self.offsets.of(0).committed, Some(committed), "{}", case.place());
        }
        self.offsets.commit(0, committed);
    }

    /// To where, and whether it is a dry run. The cases are executed unless they say otherwise.
    fn operation(&self, text: &str) -> (ResetTo, bool) {
        let (text, is_dry) = match text.strip_suffix(" --dry-run") {
            Some(rest) => (rest, true),
            None => (text.strip_suffix(" --execute").unwrap_or(text), false),
        };
        let (option, value) = text.split_once(' ').unwrap_or((text, ""));
        let to = match option {
            "--to-earliest" => ResetTo::Earliest,
            "--to-latest" => ResetTo::Latest,
            "--to-current" => ResetTo::Current,
            "--to-offset" => ResetTo::Offset(value.parse().expect("an offset")),
            "--shift-by" => ResetTo::Shift(value.parse().expect("a number of records")),
            "--by-duration" => ResetTo::Time(self.now - duration(value)),
            "--to-datetime" => ResetTo::Time(self.datetime(value)),
            _ => panic!("nothing knows the operation {text}"),
        };
        (to, is_dry)
    }

    fn datetime(&self, text: &str) -> Instant {
        let day = Span::from_seconds(86_400);
        match text {
            "T" => self.taken_time.expect("the setup takes a time"),
            "(1 day ago)" => self.now - day,
            "(1 day ahead)" | "(in 1 day)" => self.now + day,
            _ => panic!("nothing knows the time {text}"),
        }
    }

    fn plan(&self, to: ResetTo) -> Result<Vec<PlannedOffset>, ResetRefused> {
        self.offsets.plan_reset(&self.log, self.group.members().len(), &self.scope, to)
    }
}

/// An ISO 8601 duration of one part, such as `PT0.1S`, `PT1M` or `P7D`.
fn duration(text: &str) -> Span {
    let (number, unit) =
        text.trim_start_matches(['P', 'T']).split_at(text.trim_start_matches(['P', 'T']).len() - 1);
    let seconds = match (unit, text.contains('T')) {
        ("S", true) => 1,
        ("M", true) => 60,
        ("H", true) => 3_600,
        ("D", false) => 86_400,
        _ => panic!("nothing knows the duration {text}"),
    };
    Span::from_micros(seconds_of(number).micros() * seconds)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn seconds_of(text: &str) -> Span {
    let seconds: f64 = text.parse().unwrap_or_else(|_| panic!("{text} is no number of seconds"));
    Span::from_micros((seconds * 1e6).round() as u64)
}
