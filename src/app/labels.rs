//! What is written on the canvases, from the snapshot and the locale.

use crate::draw::chart::ChartMark;
use crate::draw::labels::SceneLabels;
use crate::draw::scene;
use crate::model::command::{Command, ConsumerDoes, TimedCommand};
use crate::model::outlook::NextEvent;
use crate::model::rate::Rate;
use crate::model::settings::{Bound, OverflowPolicy, Setting, Value};
use crate::model::snapshot::{BrokerTrouble, ConsumerHealth, Snapshot};
use crate::model::time::Span;
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};

/// The words of the picture on a canvas `width_css` wide.
#[must_use]
pub fn scene_labels(snapshot: &Snapshot, locale: &Locale, width_css: f64) -> SceneLabels {
    let queue = &snapshot.queue;
    let age = queue.oldest_age.map(|age| format::short(locale, age)).unwrap_or_default();
    let further = snapshot.consumers.of_further_pools.len() as u64;
    let bound_messages = if let Bound::Messages(bound) = queue.bound { bound } else { 0 };
    let fields = [
        ("rate", Field::RoundedRate(snapshot.producer.rate)),
        ("bound", Field::Count(bound_messages)),
        ("age", Field::Text(&age)),
        ("waiting", Field::Count(queue.waiting)),
        ("consumers", Field::Count(snapshot.consumers.count + further)),
    ];
    let producer_name = locale.text("scene.producer").to_owned();
    let producer_rate = locale.format("scene.producer.rate", &fields);
    let bound =
        locale.format(if queue.bound == Bound::None { "scene.no_bound" } else { "scene.of" }, &fields);
    let oldest = match age.as_str() {
        "" => String::new(),
        _ => [" · ", &locale.format("scene.oldest", &fields)].concat(),
    };
    let counted = |key: &str, count: u64| locale.format(key, &[("count", Field::Count(count))]);
    let lost = |key: &str, count: u64| if count == 0 { String::new() } else { counted(key, count) };
    let refused_key =
        if queue.overflow == OverflowPolicy::Reject { "scene.rejected" } else { "scene.dropped" };
    SceneLabels {
        producer_line: [&producer_name, " · ", &producer_rate].concat(),
        producer_name,
        producer_rate,
        blocked: blocked(snapshot, locale),
        waiting: locale.format("scene.waiting", &fields),
        waiting_detail: [" ", &bound, &oldest].concat(),
        waiting_detail_short: [" ", &bound].concat(),
        growth: growth(snapshot, locale),
        consumers: [locale.format("scene.consumers", &fields), troubles(snapshot, locale)].concat(),
        done: done(snapshot, locale),
        next: locale.text("scene.next").to_owned(),
        lost_at_entrance: lost(refused_key, snapshot.ledger.rejected + snapshot.ledger.dropped_new),
        lost_at_head: lost("scene.dropped", snapshot.ledger.dropped_oldest),
        broker_trouble: broker_trouble(snapshot, locale),
        dead_letters: dead_letters(snapshot, locale),
        after_attempts: match snapshot.failures.attempts_max {
            Some(attempts) if snapshot.failures.keeps_dead_letters => {
                counted("scene.after_attempts", attempts)
            }
            _ => String::new(),
        },
        database: database(snapshot, locale),
        scale_top: scene::scale_top(snapshot, width_css)
            .map_or_else(String::new, |top| format::compact(locale, top)),
    }
}

/// What is wrong with the broker; empty while it works.
pub(super) fn broker_trouble(snapshot: &Snapshot, locale: &Locale) -> String {
    let trouble = snapshot.broker.trouble();
    trouble.map_or_else(String::new, |trouble| locale.text(trouble_key(trouble)).to_owned())
}

fn dead_letters(snapshot: &Snapshot, locale: &Locale) -> String {
    let failures = &snapshot.failures;
    if failures.has_dead_letter_box() {
        locale.format("scene.dead_letters", &[("count", Field::Count(failures.dead_letters))])
    } else {
        String::new()
    }
}

/// What the consumers share, where that is slower than they ask.
fn database(snapshot: &Snapshot, locale: &Locale) -> String {
    match snapshot.network.downstream.and_then(|downstream| downstream.rate) {
        Some(rate) => locale.format("scene.database", &[("rate", Field::RoundedRate(rate))]),
        None => String::new(),
    }
}

const fn trouble_key(trouble: BrokerTrouble) -> &'static str {
    match trouble {
        BrokerTrouble::Down => "scene.broker_down",
        BrokerTrouble::FailingOver => "scene.failing_over",
        BrokerTrouble::MemoryFull => "scene.memory_alarm",
        BrokerTrouble::DiskFull => "scene.disk_alarm",
    }
}

/// How many are done, and how many of the others were too late or wrong.
fn done(snapshot: &Snapshot, locale: &Locale) -> String {
    let ledger = &snapshot.ledger;
    let mut words = locale.format("scene.done", &[("count", Field::Count(ledger.done))]);
    if ledger.done_late + ledger.done_wrong > 0 {
        add_counts(
            &mut words,
            &[("scene.done_late", ledger.done_late), ("scene.done_wrong", ledger.done_wrong)],
            locale,
        );
    }
    words
}

/// Adds those of the counts that are not 0.
#[inline(never)]
fn add_counts(words: &mut String, counts: &[(&str, u64)], locale: &Locale) {
    for (key, count) in counts.iter().filter(|(_, count)| *count > 0) {
        *words += " · ";
        *words += &locale.format(key, &[("count", Field::Count(*count))]);
    }
}

/// How many consumers are not up, and why; empty while all are.
fn troubles(snapshot: &Snapshot, locale: &Locale) -> String {
    let mut words = String::new();
    let consumers = &snapshot.consumers;
    if !consumers.of_further_pools.is_empty()
        || consumers.each.iter().any(|one| one.health != ConsumerHealth::Up)
    {
        add_troubles(&mut words, snapshot, locale);
    }
    words
}

#[inline(never)]
fn add_troubles(words: &mut String, snapshot: &Snapshot, locale: &Locale) {
    let counted = |among: &[ConsumerHealth]| {
        snapshot.consumers.of_queue().into_iter().filter(|consumer| among.contains(&consumer.health)).count()
            as u64
    };
    let counts = [
        ("scene.crashed", counted(&[ConsumerHealth::Crashed, ConsumerHealth::CrashLoop])),
        ("scene.hung", counted(&[ConsumerHealth::Hung])),
        ("scene.starting", counted(&[ConsumerHealth::Starting])),
        ("scene.stopped", counted(&[ConsumerHealth::Stopped])),
    ];
    add_counts(words, &counts, locale);
}

/// A blocked producer is let in at every finish and blocked again at its next message, so the
/// word stays for as long as that goes on.
fn blocked(snapshot: &Snapshot, locale: &Locale) -> String {
    let is_pushed_back = match snapshot.outlook.next {
        NextEvent::StaysFull => snapshot.queue.overflow == OverflowPolicy::Block,
        NextEvent::StaysOutOfMemory => true,
        _ => false,
    };
    match (snapshot.producer.held_back, is_pushed_back) {
        (held @ 2.., _) => locale.format("scene.held_back", &[("count", Field::Count(held))]),
        (1, _) | (_, true) => locale.text("scene.producer.blocked").to_owned(),
        (0, false) => String::new(),
    }
}

fn growth(snapshot: &Snapshot, locale: &Locale) -> String {
    let growth = snapshot.outlook.growth_thousandths_per_second;
    let rate = [("rate", Field::RoundedRate(Rate::from_thousandths(growth.unsigned_abs())))];
    match snapshot.outlook.next {
        // At each finish a place is free for a moment; the line is full all the same.
        _ if scene::stays_full(snapshot) => locale.text("scene.full").to_owned(),
        NextEvent::StaysFull | NextEvent::StaysOutOfMemory | NextEvent::Level => String::new(),
        NextEvent::FullIn(_) | NextEvent::OutOfMemoryIn(_) => locale.format("scene.growing", &rate),
        NextEvent::EmptyIn(_) => locale.format("scene.shrinking", &rate),
    }
}

/// An age in short, or the word for none.
#[must_use]
pub fn age(age: Option<Span>, locale: &Locale) -> String {
    age.map_or_else(|| locale.text("unit.none").to_owned(), |age| format::short(locale, age))
}

/// A count in short, for the axis of a chart.
#[must_use]
pub fn axis_count(count: u64, locale: &Locale) -> String {
    if count < 10_000 {
        format::count(locale, count, Numerals::Screen)
    } else {
        format::compact(locale, count)
    }
}

/// The most marks of one chart: the newest ones.
const MARKS_MAX: usize = 40;

/// A mark for every moved dial and burst, one for a dial that was dragged. The newest is named in
/// the fewest letters, if it `is_named`.
#[must_use]
pub fn marks(commands: &[TimedCommand], is_named: bool, locale: &Locale) -> Vec<ChartMark> {
    let mut marks: Vec<TimedCommand> = Vec::new();
    for timed in commands {
        match marks.last() {
            Some(last) if is_sent_poison(last, timed) => continue,
            Some(last) if is_same_drag(last, timed) || is_same_press(last, timed) => {
                marks.pop();
            }
            _ => {}
        }
        marks.push(*timed);
    }
    let newest = marks.len().saturating_sub(1);
    let label = |index| is_named && index == newest;
    let shown = marks.iter().enumerate().skip(marks.len().saturating_sub(MARKS_MAX));
    shown
        .map(|(index, timed)| ChartMark {
            at: timed.at,
            label: if label(index) { mark_label(&timed.command, locale) } else { String::new() },
        })
        .collect()
}

/// Whether two commands move one dial within a second, or within a hundredth of the run so far:
/// closer than a chart could show.
fn is_same_drag(earlier: &TimedCommand, later: &TimedCommand) -> bool {
    let is_same_dial = match (earlier.command, later.command) {
        (Command::Set { setting: one, .. }, Command::Set { setting: other, .. }) => one == other,
        _ => false,
    };
    let gap = later.at.since(earlier.at).micros();
    is_same_dial && gap <= (later.at.micros() / 100).max(1_000_000)
}

/// Whether the later command sends the message that the earlier one made poison.
fn is_sent_poison(earlier: &TimedCommand, later: &TimedCommand) -> bool {
    let is_one_by_one = matches!(
        (earlier.command, later.command),
        (
            Command::Poison { count: 1, .. } | Command::PoisonPartition { count: 1, .. },
            Command::Burst { count: 1 } | Command::BurstOf { count: 1, .. }
        )
    );
    is_one_by_one && earlier.at == later.at
}

/// Whether two commands set dials at one instant: a policy is several of them.
fn is_same_press(earlier: &TimedCommand, later: &TimedCommand) -> bool {
    let are_dials = matches!((earlier.command, later.command), (Command::Set { .. }, Command::Set { .. }));
    if earlier.at == later.at && is_one_act(&earlier.command, &later.command) {
        return true;
    }
    let are_of_policy = is_of_policy(&earlier.command) && is_of_policy(&later.command);
    earlier.at == later.at && are_dials && are_of_policy
}

/// Whether two commands are one act: what is done to both sides, a schema that is named and changed, readers deployed pool by pool, a
/// team that joins with those who read its retries.
const fn is_one_act(earlier: &Command, later: &Command) -> bool {
    matches!(
        (earlier, later),
        (Command::Set { setting: Setting::SchemaChange, .. }, Command::ChangeSchema { .. })
            | (Command::DeployFix | Command::UpgradeReaders { .. }, Command::UpgradeReaders { .. })
            | (Command::Join { .. }, Command::Join { .. })
            | (Command::SendBack { .. }, Command::SendBack { .. })
            // What is done to a queue and to the log beside it.
            | (Command::Burst { .. }, Command::BurstOf { .. })
            | (Command::Poison { .. }, Command::Poison { .. })
            | (Command::StopConsumers { .. }, Command::StopConsumers { .. })
            | (Command::StartConsumers { .. }, Command::StartConsumers { .. })
            | (Command::Consumer { .. }, Command::Consumer { .. })
            | (Command::Redrive { .. } | Command::Discard { .. }, Command::SendBack { .. } | Command::DeleteRecords { .. })
            | (Command::RedriveMessage { .. }, Command::RedriveMessage { .. })
    )
}

const fn is_of_policy(command: &Command) -> bool {
    matches!(
        command,
        Command::Set { setting: Setting::AttemptsMax | Setting::DeadLetters | Setting::RetryAt, .. }
    )
}

#[inline(never)]
fn mark_label(command: &Command, locale: &Locale) -> String {
    match command {
        set if is_of_policy(set) => locale.text("mark.policy").to_owned(),
        Command::Set { setting: Setting::HotKey, .. } => locale.text("mark.hot_key").to_owned(),
        Command::Set { setting: Setting::DownstreamRate, .. } => locale.text("mark.database").to_owned(),
        Command::Set { setting, value } | Command::SetNode { setting, value, .. } => {
            let name = locale.text(&super::present::dial_key(*setting)).to_owned();
            match value {
                Value::Choice(_) => name,
                _ => format!("{name} {}", value.to_text()),
            }
        }
        Command::Burst { count } | Command::BurstOf { count, .. } => {
            format!("+{}", axis_count(*count, locale))
        }
        other => locale.text(mark_key(other)).to_owned(),
    }
}

const fn mark_key(command: &Command) -> &'static str {
    match command {
        Command::Poison { .. } | Command::PoisonPartition { .. } => "mark.poison",
        Command::Route { .. } | Command::RouteToTopic { .. } => "mark.route",
        Command::StopConsumers { .. } => "mark.stop",
        Command::StartConsumers { .. } => "mark.start",
        Command::Consumer { does: ConsumerDoes::Hang, .. } => "mark.hang",
        Command::Consumer { does: ConsumerDoes::Restart, .. } => "mark.restart",
        Command::Consumer { does: ConsumerDoes::CrashLoop, .. } => "mark.crash_loop",
        Command::Consumer { .. } => "mark.crash",
        Command::BrokerDown => "mark.broker_down",
        Command::BrokerUp => "mark.broker_up",
        Command::FailOver { .. } => "mark.fail_over",
        Command::DeployFix => "mark.fix",
        Command::Redrive { .. } | Command::RedriveMessage { .. } => "mark.redrive",
        Command::SplitQueues { .. } => "mark.split_queues",
        Command::SetAlertRule { .. } => "mark.alert_rule",
        Command::Join { .. } => "mark.join",
        Command::ResetOffsets { .. } => "mark.reset_offsets",
        Command::AddPartitions { .. } => "mark.add_partitions",
        Command::SendBack { .. } => "mark.send_back",
        Command::ChangeSchema { .. } => "mark.change_schema",
        Command::UpgradeReaders { .. } => "mark.upgrade_readers",
        Command::Discard { .. }
        | Command::DeleteRecords { .. }
        | Command::Set { .. }
        | Command::SetNode { .. }
        | Command::Burst { .. }
        | Command::BurstOf { .. } => "mark.discard",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Instant;

    fn set(millis: u64, setting: Setting, per_second: u64) -> TimedCommand {
        let value = Value::Rate(Rate::from_per_second(per_second));
        TimedCommand { at: Instant::from_micros(millis * 1_000), command: Command::Set { setting, value } }
    }

    #[test]
    fn a_drag_leaves_one_mark_and_the_newest_has_the_name() {
        let commands = [
            set(5_000, Setting::ConsumerRate, 6),
            set(9_000, Setting::ProducerRate, 7),
            set(9_100, Setting::ProducerRate, 8),
            set(9_200, Setting::ProducerRate, 9),
        ];
        let marks = marks(&commands, true, &Locale::english());
        let shown: Vec<_> = marks.iter().map(|mark| (mark.at.micros(), mark.label.as_str())).collect();
        assert_eq!(shown, [(5_000_000, ""), (9_200_000, "Producer rate 9")]);
    }
}
