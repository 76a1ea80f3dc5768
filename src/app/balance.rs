//! The ledger in words: what was offered, and where all of it is; in a log also what each group has of
//! the records of its topic.

use crate::model::ledger::Ledger;
use crate::model::settings::OverflowPolicy;
use crate::model::snapshot::Snapshot;
use crate::model::snapshot::network::GroupSnapshot;
use crate::narrate::locale::{Field, Locale};

/// Whose ledger it is, and how many are in each place.
type Terms = Vec<(&'static str, u64)>;

/// All lines: that of the run, and one for each group.
#[must_use]
pub fn lines(snapshot: &Snapshot, locale: &Locale) -> Vec<String> {
    let groups = snapshot.network.groups.iter().filter_map(|group| group_line(group, snapshot, locale));
    [line(snapshot, locale)].into_iter().chain(groups).collect()
}

/// "251 offered = 42 waiting + 3 in flight + 206 done + 0 others", which always adds up: whatever is
/// not there is among the others.
fn line(snapshot: &Snapshot, locale: &Locale) -> String {
    let ledger = &snapshot.ledger;
    let offered = vec![("balance.offered", ledger.offered), ("balance.copies", ledger.copies)];
    sum(offered, places(ledger), |key| is_kept(key, snapshot), locale)
}

fn places(ledger: &Ledger) -> Terms {
    vec![
        ("balance.held_back", ledger.held_back),
        ("balance.rejected", ledger.rejected),
        ("balance.waiting", ledger.waiting),
        ("balance.in_flight", ledger.in_flight),
        ("balance.delayed", ledger.delayed),
        ("balance.done", ledger.finished()),
        ("balance.dead_letters", ledger.dead_letters),
        ("balance.discarded", ledger.discarded),
        ("balance.dropped", ledger.dropped()),
        ("balance.expired", ledger.expired + ledger.retention_over),
        ("balance.lost", ledger.lost_sending + ledger.failed_calls),
        ("balance.shed", ledger.shed),
        ("balance.deduplicated", ledger.deduplicated),
        ("balance.logged", ledger.logged),
    ]
}

/// Whether a place that is empty now is named all the same, as it may not have been empty before: terms
/// do not come and go.
fn is_kept(key: &str, snapshot: &Snapshot) -> bool {
    let (ledger, totals) = (&snapshot.ledger, &snapshot.network.totals);
    let has_queue = ledger.accepted() > ledger.logged;
    match key {
        "balance.waiting" | "balance.in_flight" | "balance.done" => has_queue,
        "balance.held_back" => has_queue && snapshot.queue.overflow == OverflowPolicy::Block,
        "balance.delayed" => has_queue && totals.failed_attempts > 0,
        "balance.dead_letters" => has_queue && totals.dead_lettered > 0,
        _ => false,
    }
}

/// What a group has of the records of its topic: what it went over again counts twice.
fn group_line(group: &GroupSnapshot, snapshot: &Snapshot, locale: &Locale) -> Option<String> {
    let network = &snapshot.network;
    let topic = network.topics.iter().find(|topic| topic.name == group.from)?;
    let records: u64 = topic.partitions.iter().map(|partition| partition.log_end).sum();
    let is_fed = records > 0 || network.producers.iter().any(|producer| producer.to == topic.name);
    let is_there = network.pools.iter().any(|pool| pool.name == group.name && pool.count > 0);
    // Who has not joined yet, and what no message has gone to, is nobody's account.
    if !is_fed || !is_there && group.counts == Default::default() {
        return None;
    }
    let counts = &group.counts;
    let left = vec![("balance.records", records), ("balance.gone_over", counts.sent_back)];
    let right = vec![
        ("balance.done", counts.done + counts.done_late + counts.done_wrong),
        ("balance.unfinished", records.saturating_sub(group.began + group.moved_on)),
        ("balance.in_hand", counts.in_hand),
        ("balance.skipped", counts.skipped + counts.skipped_late),
        ("balance.sent_to_retry", counts.sent_to_retry),
        ("balance.dead_letters", counts.dead_lettered),
        ("balance.lost", counts.lost),
        ("balance.deleted_unread", counts.deleted_unread),
        ("balance.passed_over", group.began + counts.passed_over),
    ];
    let is_kept = |key: &str| ["balance.done", "balance.unfinished"].contains(&key);
    let text = sum(left, right, is_kept, locale);
    let fields = [("group", Field::Text(&group.name)), ("text", Field::Text(&text))];
    Some(locale.format("balance.group", &fields))
}

fn sum(left: Terms, right: Terms, is_kept: impl Fn(&str) -> bool, locale: &Locale) -> String {
    let first = left.first().map(|(key, _)| *key);
    let whole = terms(&left, |key| Some(key) == first, locale);
    let mut parts = terms(&right, is_kept, locale);
    if parts.len() < right.len() {
        parts.push(term("balance.others", 0, locale));
    }
    [whole.join(" + "), parts.join(" + ")].join(" = ")
}

fn terms(all: &Terms, is_kept: impl Fn(&str) -> bool, locale: &Locale) -> Vec<String> {
    let there = all.iter().filter(|(key, count)| *count > 0 || is_kept(key));
    there.map(|(key, count)| term(key, *count, locale)).collect()
}

fn term(key: &str, count: u64, locale: &Locale) -> String {
    locale.format(key, &[("count", Field::Count(count))])
}
