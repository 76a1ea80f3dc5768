//! What was seen of a log before, and looking ahead in it.

use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::Snapshot;
use queue_lab::model::snapshot::network::{GroupSnapshot, TopicSnapshot};
use queue_lab::model::time::{Instant, Span};

use crate::truth::forward::Future;

/// How far a look ahead goes at a time.
const HOP: Span = Span::from_millis(250);

/// What is remembered of a moment.
pub struct Moment {
    pub at: Instant,
    pub finished: u64,
    pub deleted: u64,
    pub log_ends: Vec<u64>,
}

/// All moments that were heard, and how far each partition was ever committed.
#[derive(Default)]
pub struct Past {
    pub moments: Vec<Moment>,
    pub farthest: Vec<u64>,
}

impl Past {
    pub fn note(&mut self, snapshot: &Snapshot) {
        let (topic, group) = (topic(snapshot), group(snapshot));
        self.farthest.resize(group.partitions.len(), 0);
        for (farthest, lane) in self.farthest.iter_mut().zip(&group.partitions) {
            *farthest = (*farthest).max(lane.committed.unwrap_or_default());
        }
        self.moments.push(Moment {
            at: snapshot.at,
            finished: finished(group),
            deleted: deleted(topic, group),
            log_ends: topic.partitions.iter().map(|partition| partition.log_end).collect(),
        });
    }

    /// The last moment at `at` or before.
    pub fn by(&self, at: Instant) -> Option<&Moment> {
        self.moments.iter().rev().find(|moment| moment.at <= at)
    }

    pub fn exactly(&self, at: Instant) -> Option<&Moment> {
        self.by(at).filter(|moment| moment.at == at)
    }

    /// The moments within `span` before `now`, the newest first.
    pub fn within(&self, now: Instant, span: Span) -> impl Iterator<Item = &Moment> {
        self.moments.iter().rev().take_while(move |moment| now.since(moment.at) <= span)
    }
}

/// The topic that is spoken of: the one to which the first producer sends.
pub fn topic(snapshot: &Snapshot) -> &TopicSnapshot {
    let to = &snapshot.network.producers[0].to;
    snapshot.network.topics.iter().find(|topic| topic.name == *to).expect("it sends to a topic")
}

/// The first group that reads it.
pub fn group(snapshot: &Snapshot) -> &GroupSnapshot {
    readers(snapshot).next().expect("a group reads it")
}

/// All groups that read it.
pub fn readers(snapshot: &Snapshot) -> impl Iterator<Item = &GroupSnapshot> {
    let topic = &topic(snapshot).name;
    snapshot.network.groups.iter().filter(move |group| group.from == *topic)
}

/// Records that members were done with, one way or another, committed or not.
pub fn finished(group: &GroupSnapshot) -> u64 {
    let counts = &group.counts;
    counts.done
        + counts.done_late
        + counts.done_wrong
        + counts.skipped_late
        + counts.skipped
        + counts.lost
        + counts.sent_to_retry
        + counts.dead_lettered
}

/// Records that are gone and that the group never read: what a member has in hand it has read.
pub fn deleted(topic: &TopicSnapshot, group: &GroupSnapshot) -> u64 {
    let lanes = group.partitions.iter().zip(&topic.partitions);
    let missed = lanes.filter_map(|(lane, stored)| {
        Some(stored.log_start.saturating_sub(lane.committed?.max(lane.position.unwrap_or_default())))
    });
    group.counts.deleted_unread + missed.sum::<u64>()
}

/// Whether a reader of the group gets more than it finishes, fewer, or as many: in thousandths a
/// second, times all partitions.
pub fn growths(snapshot: &Snapshot, group: &GroupSnapshot) -> Vec<i64> {
    let pool = snapshot.network.pools.iter().find(|pool| pool.name == group.name).expect("its pool");
    let partitions = group.partitions.len() as i64;
    let mut readers: Vec<u64> = group.partitions.iter().filter_map(|lane| lane.reader).collect();
    readers.sort_unstable();
    let own =
        |reader: &u64| group.partitions.iter().filter(|lane| lane.reader == Some(*reader)).count() as i64;
    let arrivals: i64 =
        snapshot.network.producers.iter().map(|producer| producer.rate.thousandths() as i64).sum();
    let rate = pool.rate_each.thousandths() as i64;
    let mut distinct = readers.clone();
    distinct.dedup();
    distinct.iter().map(|reader| arrivals * own(reader) - rate * partitions).collect()
}

/// By how much lumps move the lag: in each partition a record that comes, one that waits and one that
/// its reader has in hand.
pub fn lump(group: &GroupSnapshot) -> u64 {
    3 * group.partitions.len() as u64 + 2
}

/// What `look` says of the run after each quarter of a second of `span`.
pub fn ahead<T>(simulation: &Simulation, span: Span, look: impl Fn(&Snapshot) -> T) -> Vec<(Span, T)> {
    let mut future = Future::of(simulation);
    let start = future.0.now();
    let mut seen = Vec::new();
    while future.0.now().since(start) < span {
        future.pass(HOP.min(span - future.0.now().since(start)));
        let snapshot = future.0.snapshot();
        seen.push((future.0.now().since(start), look(&snapshot)));
    }
    seen
}

/// When `is_there` first holds within `most`, to a quarter of a second.
pub fn first(simulation: &Simulation, most: Span, is_there: impl Fn(&Snapshot) -> bool) -> Option<Span> {
    let mut future = Future::of(simulation);
    let start = future.0.now();
    loop {
        let passed = future.0.now().since(start);
        if is_there(&future.0.snapshot()) {
            return Some(passed);
        }
        if passed >= most {
            return None;
        }
        future.pass(HOP.min(most - passed));
    }
}
