//! What is written on the picture of a log, from the snapshot and the locale.

use super::labels;
use crate::draw::log::labels::{LaneGroupWords, LaneWords, LogLabels};
use crate::draw::log::{Form, Shown, Standing, lag_of, shown, standing, waiting_to_retry};
use crate::model::snapshot::network::{GroupSnapshot, LaneSnapshot, PartitionSnapshot};
use crate::model::snapshot::{ConsumerHealth, Snapshot};
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};

/// The words of the picture of a log on a canvas `width_css` wide.
#[must_use]
pub fn log_labels(snapshot: &Snapshot, locale: &Locale, width_css: f64) -> LogLabels {
    let Some(shown) = shown(snapshot, width_css) else { return LogLabels::default() };
    let Some(topic) = shown.topic(snapshot) else { return LogLabels::default() };
    let groups: Vec<&GroupSnapshot> =
        shown.groups.iter().filter_map(|group| snapshot.network.groups.get(*group)).collect();
    let kept = match topic.kept_for {
        Some(kept) => {
            let time = format::time(locale, kept, Numerals::Screen);
            locale.format("log.kept", &[("time", Field::Text(&time))])
        }
        None => locale.text("log.kept_for_ever").to_owned(),
    };
    let last = (topic.partitions.len() as u64).saturating_sub(1);
    LogLabels {
        topic: locale.format("log.topic", &[("topic", Field::Text(&topic.name))]),
        topic_detail: [" · ", &kept].concat(),
        groups_detail: groups_detail(&shown, &groups, locale),
        groups_short: groups_short(&groups, locale),
        broker_trouble: labels::broker_trouble(snapshot, locale),
        scale: shown.top.map_or_else(String::new, |top| counted("log.scale", top, locale)),
        lanes: shown.lanes.iter().filter_map(|lane| lane_words(snapshot, &shown, *lane, locale)).collect(),
        dead_letters: ["scene.dead_letters", "log.dead.short"]
            .map(|key| counted(key, snapshot.dead_records(), locale)),
        retries: ["log.retries", "log.retries.short"]
            .map(|key| counted(key, waiting_to_retry(snapshot), locale)),
        after_attempts: after_attempts(snapshot, &shown, locale),
        strip: strip(snapshot, &shown, last + 1, locale),
        strip_ends: [0, last].map(|lane| counted("log.partition.short", lane, locale)),
        shown: Some(shown),
    }
}

/// After how many attempts a record goes to the dead letters, where these are the only way.
fn after_attempts(snapshot: &Snapshot, shown: &Shown, locale: &Locale) -> String {
    let most = snapshot.failures.attempts_max.filter(|_| shown.aside.dead_letters && !shown.aside.retries);
    most.map_or_else(String::new, |most| counted("scene.after_attempts", most, locale))
}

fn counted(key: &str, count: u64, locale: &Locale) -> String {
    locale.format(key, &[("count", Field::Count(count))])
}

/// Each group with its lag, and how many consumers of all have nothing to read.
fn groups_detail(shown: &Shown, groups: &[&GroupSnapshot], locale: &Locale) -> String {
    let mut words = String::new();
    for group in groups {
        let fields = [("group", Field::Text(&group.name)), ("lag", Field::Count(group.lag))];
        words += " · ";
        words += &locale.format("log.group", &fields);
    }
    let idle = groups.iter().map(|group| group.idle_members).sum();
    for (key, count) in [("log.more_groups", shown.more_groups as u64), ("log.picture.idle", idle)] {
        if count > 0 {
            words += " · ";
            words += &counted(key, count, locale);
        }
    }
    words
}

fn groups_short(groups: &[&GroupSnapshot], locale: &Locale) -> String {
    let key = if groups.len() > 1 { "log.group.shorter" } else { "log.group.short" };
    let short = |group: &&GroupSnapshot| {
        let fields = [("group", Field::Text(&group.name)), ("lag", Field::Count(group.lag))];
        locale.format(key, &fields)
    };
    let all = groups.iter().map(short).collect::<Vec<_>>().join(" · ");
    if groups.len() > 1 { locale.format("log.groups.short", &[("groups", Field::Text(&all))]) } else { all }
}

fn strip(snapshot: &Snapshot, shown: &Shown, count: u64, locale: &Locale) -> String {
    if shown.form != Form::Strip {
        return String::new();
    }
    let lanes = shown.topic(snapshot).map_or(0, |topic| topic.partitions.len());
    let worst = (0..lanes).map(|lane| lag_of(snapshot, &shown.groups, lane)).max().unwrap_or_default();
    locale.format("log.strip", &[("count", Field::Count(count)), ("worst", Field::Count(worst))])
}

fn lane_words(snapshot: &Snapshot, shown: &Shown, lane: usize, locale: &Locale) -> Option<LaneWords> {
    let partition = shown.partition(snapshot, lane)?;
    let groups = shown.groups.iter().filter_map(|group| snapshot.network.groups.get(*group));
    let has_several = shown.groups.len() > 1;
    let words =
        |group: &GroupSnapshot| Some(group_words(group, group.partitions.get(lane)?, has_several, locale));
    Some(LaneWords {
        name: counted("log.partition", lane as u64, locale),
        start: start(partition, locale),
        end: counted("log.end", partition.log_end, locale),
        groups: groups.filter_map(words).collect(),
    })
}

fn start(partition: &PartitionSnapshot, locale: &Locale) -> String {
    match partition.log_start {
        0 => String::new(),
        start => counted("log.start", start, locale),
    }
}

/// How a group is getting on in a partition; with the group's name where there are several.
fn group_words(
    group: &GroupSnapshot,
    lane: &LaneSnapshot,
    has_several: bool,
    locale: &Locale,
) -> LaneGroupWords {
    let whose = if has_several { [&group.name, " "].concat() } else { String::new() };
    let (reader, trouble) = (reader(lane, locale), trouble(lane, locale));
    let lag_alone = counted("log.lag", lane.lag, locale);
    let lag = with_trouble(&lag_alone, &trouble);
    LaneGroupWords {
        committed: format!("{whose}{}", committed(lane, locale)),
        line_short: [&whose, lag_alone.as_str()].concat(),
        line: if has_several { format!("{whose}{lag}") } else { [&lag, " · ", &reader].concat() },
        reader,
        lag,
        lag_alone,
        trouble,
        attempts: match lane.head_attempts {
            attempts if lane.head_fails && attempts > 0 => labels::axis_count(u64::from(attempts), locale),
            _ => String::new(),
        },
    }
}

/// The committed offset, and the position where more is done than that.
fn committed(lane: &LaneSnapshot, locale: &Locale) -> String {
    let Some(committed) = lane.committed else { return String::new() };
    let mut words = counted("log.committed", committed, locale);
    if let Some(position) = lane.position.filter(|_| lane.head > committed) {
        words += " · ";
        words += &counted("log.position", position, locale);
    }
    words
}

/// Who reads a partition, and how that consumer is unless it is well.
pub(super) fn reader(lane: &LaneSnapshot, locale: &Locale) -> String {
    let Some(reader) = lane.reader else { return locale.text("log.picture.nobody").to_owned() };
    let mut words = locale.format("table.consumer", &[("number", Field::Count(reader))]);
    if let Some(key) = lane.reader_health.and_then(health_key) {
        words += " · ";
        words += locale.text(key);
    }
    words
}

const fn health_key(health: ConsumerHealth) -> Option<&'static str> {
    match health {
        ConsumerHealth::Up => None,
        ConsumerHealth::Stopped => Some("table.consumer.stopped"),
        ConsumerHealth::Crashed => Some("table.consumer.crashed"),
        ConsumerHealth::CrashLoop => Some("table.consumer.crash_loop"),
        ConsumerHealth::Hung => Some("table.consumer.hung"),
        ConsumerHealth::Starting => Some("table.consumer.starting"),
    }
}

/// Where the group does not move on, the age of what it has to do first; else empty.
fn trouble(lane: &LaneSnapshot, locale: &Locale) -> String {
    let key = match standing(lane) {
        Standing::Moves => return String::new(),
        Standing::Stuck => "log.picture.stuck",
        Standing::Lingers | Standing::NotRead | Standing::Stopped | Standing::ReaderIs(_) => "log.oldest",
    };
    let age = labels::age(lane.oldest_unfinished, locale);
    locale.format(key, &[("age", Field::Text(&age))])
}

/// The lag, and after it what is wrong, if anything is.
fn with_trouble(lag: &str, trouble: &str) -> String {
    match trouble {
        "" => lag.to_owned(),
        trouble => [lag, " · ", trouble].concat(),
    }
}
