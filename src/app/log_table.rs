//! Every number of the picture of a log, as rows of the table.

use super::labels;
use super::log_labels::reader;
use super::view::TableRow;
use crate::draw::log;
use crate::model::snapshot::Snapshot;
use crate::model::snapshot::network::{GroupSnapshot, LaneSnapshot, PartitionSnapshot, TopicSnapshot};
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};

/// The rows of a topic: its partitions, and each group with where it stands in each of them.
#[must_use]
pub fn rows(snapshot: &Snapshot, topic: &TopicSnapshot, locale: &Locale) -> Vec<TableRow> {
    let mut rows =
        vec![TableRow { name: locale.text("table.time").to_owned(), value: format::clock(snapshot.at) }];
    rows.extend(
        (0_u64..).zip(&topic.partitions).map(|(number, partition)| stored(number, partition, locale)),
    );
    for group in snapshot.network.groups.iter().filter(|group| group.from == topic.name) {
        rows.push(whole(group, locale));
        rows.extend((0_u64..).zip(&group.partitions).map(|(number, lane)| read(group, number, lane, locale)));
    }
    rows.extend(aside(snapshot, locale));
    let ledger = &snapshot.ledger;
    let counts = [
        ("table.offered", ledger.offered),
        ("table.held_back", ledger.held_back),
        ("table.logged", ledger.logged),
    ];
    rows.extend(counts.map(|(key, count)| TableRow {
        name: locale.text(key).to_owned(),
        value: format::count(locale, count, Numerals::Screen),
    }));
    rows
}

/// What failed and went to other topics, once a policy sends it there.
fn aside(snapshot: &Snapshot, locale: &Locale) -> impl Iterator<Item = TableRow> {
    let shown = log::shown(snapshot, 0.0).map(|shown| shown.aside).unwrap_or_default();
    let row = |key: &str, count: u64| TableRow {
        name: locale.text(key).to_owned(),
        value: format::count(locale, count, Numerals::Screen),
    };
    let retries = shown.retries.then(|| row("table.retries", log::waiting_to_retry(snapshot)));
    let dead = shown.dead_letters.then(|| row("table.dead_records", snapshot.dead_letters()));
    [retries, dead].into_iter().flatten()
}

fn stored(number: u64, partition: &PartitionSnapshot, locale: &Locale) -> TableRow {
    let fields = [("start", Field::Count(partition.log_start)), ("end", Field::Count(partition.log_end))];
    TableRow {
        name: locale.format("log.partition", &[("count", Field::Count(number))]),
        value: locale.format("table.partition.value", &fields),
    }
}

fn whole(group: &GroupSnapshot, locale: &Locale) -> TableRow {
    let age = labels::age(group.oldest_unfinished, locale);
    let fields = [
        ("lag", Field::Count(group.lag)),
        ("age", Field::Text(&age)),
        ("members", Field::Count(group.members)),
        ("idle", Field::Count(group.idle_members)),
        ("done", Field::Count(group.counts.done)),
        ("dead", Field::Count(group.counts.dead_lettered)),
    ];
    let key = if group.counts.dead_lettered > 0 { "table.group.value.dead" } else { "table.group.value" };
    TableRow {
        name: locale.format("table.group", &[("group", Field::Text(&group.name))]),
        value: locale.format(key, &fields),
    }
}

fn read(group: &GroupSnapshot, number: u64, lane: &LaneSnapshot, locale: &Locale) -> TableRow {
    let offset = |offset: Option<u64>| {
        offset.map_or_else(
            || locale.text("table.none").to_owned(),
            |offset| format::count(locale, offset, Numerals::Screen),
        )
    };
    let (committed, position) = (offset(lane.committed), offset(lane.position));
    let (age, reader) = (labels::age(lane.oldest_unfinished, locale), reader(lane, locale));
    let fields = [
        ("committed", Field::Text(&committed)),
        ("position", Field::Text(&position)),
        ("lag", Field::Count(lane.lag)),
        ("age", Field::Text(&age)),
        ("reader", Field::Text(&reader)),
        ("attempts", Field::Count(u64::from(lane.head_attempts))),
    ];
    let name = [("group", Field::Text(&group.name)), ("count", Field::Count(number))];
    let key = if lane.head_fails { "table.lane.value.failing" } else { "table.lane.value" };
    TableRow { name: locale.format("table.lane", &name), value: locale.format(key, &fields) }
}
