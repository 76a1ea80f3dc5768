//! What of a log is in the picture: which topic, which groups, and how each partition is drawn.

use crate::model::consumer_status::PartitionStatus;
use crate::model::snapshot::network::{GroupSnapshot, LaneSnapshot, PartitionSnapshot, TopicSnapshot};
use crate::model::snapshot::{ConsumerHealth, Snapshot};

use super::super::grid::rounded_up;
use super::super::scene::{WIDE_FROM, sane_width};
use super::{narrow, wide};

/// So many groups have their own flags; the table has all.
pub const GROUPS_MAX: usize = 2;

/// So many partitions are drawn in full.
const ROWS_MAX: usize = 4;

/// So many are drawn as thin bars in a wide picture.
const BARS_MAX: usize = 16;

/// A bar stands for so many records at least.
const TOP_LEAST: u64 = 20;

/// How partitions are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each in its own row, with all that is to be said of it.
    Rows,
    /// Each as a thin bar with its numbers.
    Bars,
    /// The worst as thin bars, all together as a strip.
    Strip,
}

/// What is in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The topic's place in the snapshot.
    pub topic: usize,
    /// The places of the groups that have flags.
    pub groups: Vec<usize>,
    /// How many more groups read the topic.
    pub more_groups: usize,
    /// The partitions that are named: all, or the worst, the worst first.
    pub lanes: Vec<usize>,
    /// How they are drawn.
    pub form: Form,
    /// How many records the whole length of a bar stands for; `None` while each record has a cell.
    pub top: Option<u64>,
    /// What of failures is below the partitions.
    pub aside: Aside,
}

/// What of failures is in the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aside {
    /// Whether there is a place for dead letters, or a dead letter.
    pub dead_letters: bool,
    /// Whether there is a place for what is tried again elsewhere, or something there.
    pub retries: bool,
}

/// How a group is getting on in a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It moves on, or there is nothing to read.
    Moves,
    /// Its first record fails again and again.
    Stuck,
    /// Its offset was not seen to move for some time, and nothing in sight holds it up.
    Lingers,
    /// Nobody reads the partition.
    NotRead,
    /// Its reader has stopped for want of an offset to go on from.
    Stopped,
    /// Its reader is not up.
    ReaderIs(ConsumerHealth),
}

/// What is in the picture of `snapshot` on a canvas that is `width_css` wide; `None` where there is
/// no topic.
#[must_use]
pub fn shown(snapshot: &Snapshot, width_css: f64) -> Option<Shown> {
    let network = &snapshot.network;
    let width = sane_width(width_css);
    let is_fed = |topic: &TopicSnapshot| network.producers.iter().any(|producer| producer.to == topic.name);
    let topic =
        network.topics.iter().position(is_fed).or(if network.topics.is_empty() { None } else { Some(0) })?;
    let stored = network.topics.get(topic)?;
    let all: Vec<usize> = readers(snapshot, stored);
    let groups: Vec<usize> = all.iter().copied().take(GROUPS_MAX).collect();
    let count = stored.partitions.len();
    let form = match count {
        0..=ROWS_MAX => Form::Rows,
        5..=BARS_MAX if width >= wide::BARS_FROM || count <= BARS_MAX / 2 && width >= WIDE_FROM => Form::Bars,
        _ => Form::Strip,
    };
    let named = if form == Form::Strip {
        if width >= WIDE_FROM { wide::WORST } else { narrow::WORST }
    } else {
        count
    };
    let lanes = if named < count { worst(snapshot, &groups, count, named) } else { (0..count).collect() };
    let mut shown = Shown {
        topic,
        more_groups: all.len() - groups.len(),
        groups,
        lanes,
        form,
        top: None,
        aside: aside(snapshot),
    };
    shown.top = shown.bar_top(snapshot, width);
    Some(shown)
}

#[inline(never)]
fn aside(snapshot: &Snapshot) -> Aside {
    let topics = || snapshot.network.topics.iter();
    Aside {
        dead_letters: topics().any(|topic| topic.takes_dead_letters || topic.not_sent_back > 0),
        retries: topics().any(|topic| topic.takes_retries) || waiting_to_retry(snapshot) > 0,
    }
}

/// How many records wait in topics to which groups send what is to be tried again.
#[must_use]
pub fn waiting_to_retry(snapshot: &Snapshot) -> u64 {
    let network = &snapshot.network;
    let is_of_retries = |name: &String| {
        let named = network.topics.iter().find(|topic| topic.name == *name);
        named.is_some_and(|topic| topic.is_for_retries)
    };
    network.groups.iter().filter(|group| is_of_retries(&group.from)).map(|group| group.lag).sum()
}

/// The groups that read the topic and have begun.
fn readers(snapshot: &Snapshot, topic: &TopicSnapshot) -> Vec<usize> {
    let has_begun = |group: &GroupSnapshot| {
        group.members > 0 || group.partitions.iter().any(|lane| lane.committed.is_some())
    };
    let groups = snapshot.network.groups.iter().enumerate();
    groups.filter(|(_, group)| group.from == topic.name && has_begun(group)).map(|(place, _)| place).collect()
}

/// The partitions that are worst off, the worst first: where a group does not move on, then by lag,
/// and of equal ones the first.
fn worst(snapshot: &Snapshot, groups: &[usize], count: usize, named: usize) -> Vec<usize> {
    let mut worst: Vec<usize> = Vec::new();
    for _ in 0..named {
        let others = (0..count).filter(|lane| !worst.contains(lane));
        let key = |lane: &usize| {
            let is_well = stands_well(snapshot, groups, *lane);
            (!is_well, lag_of(snapshot, groups, *lane), usize::MAX - lane)
        };
        worst.extend(others.max_by_key(key));
    }
    worst
}

fn stands_well(snapshot: &Snapshot, groups: &[usize], lane: usize) -> bool {
    let mut own = groups.iter().filter_map(|group| snapshot.network.groups.get(*group)?.partitions.get(lane));
    own.all(|lane| standing(lane).is_well())
}

/// The greatest lag that one of the groups has in a partition.
#[must_use]
pub fn lag_of(snapshot: &Snapshot, groups: &[usize], lane: usize) -> u64 {
    let lags = groups
        .iter()
        .filter_map(|group| Some(snapshot.network.groups.get(*group)?.partitions.get(lane)?.lag));
    lags.max().unwrap_or_default()
}

/// How the group is getting on there.
#[must_use]
pub fn standing(lane: &LaneSnapshot) -> Standing {
    match (lane.reader, lane.reader_health) {
        _ if lane.lag == 0 => Standing::Moves,
        _ if lane.is_stopped => Standing::Stopped,
        (None, _) => Standing::NotRead,
        (Some(_), Some(health)) if health != ConsumerHealth::Up => Standing::ReaderIs(health),
        _ if lane.is_stuck() => Standing::Stuck,
        _ if matches!(lane.status, PartitionStatus::Stall | PartitionStatus::Stop) => Standing::Lingers,
        _ => Standing::Moves,
    }
}

impl Standing {
    /// Whether nothing is wrong there.
    #[must_use]
    pub const fn is_well(self) -> bool {
        matches!(self, Self::Moves | Self::Lingers)
    }
}

impl Shown {
    /// The whole length of the bars: the same for all, so that they can be compared.
    fn bar_top(&self, snapshot: &Snapshot, width: f64) -> Option<u64> {
        let longest = self.lanes.iter().map(|lane| self.span(snapshot, *lane)).max().unwrap_or_default();
        let cells = if width >= WIDE_FROM { wide::cells(width) } else { narrow::cells(width) };
        let has_cells = self.form == Form::Rows && longest <= cells.saturating_sub(cells / 6);
        (!has_cells).then(|| rounded_up(longest.max(TOP_LEAST)))
    }

    /// How many records have to be in sight: from the first that a group has not committed on.
    fn span(&self, snapshot: &Snapshot, lane: usize) -> u64 {
        let Some(partition) = self.partition(snapshot, lane) else { return 0 };
        let committed = self.of_lane(snapshot, lane).filter_map(|lane| lane.committed).min();
        partition.log_end
            - committed.unwrap_or(partition.log_end).clamp(partition.log_start, partition.log_end)
    }

    /// The topic.
    #[must_use]
    pub fn topic<'a>(&self, snapshot: &'a Snapshot) -> Option<&'a TopicSnapshot> {
        snapshot.network.topics.get(self.topic)
    }

    /// A partition of it.
    #[must_use]
    pub fn partition<'a>(&self, snapshot: &'a Snapshot, lane: usize) -> Option<&'a PartitionSnapshot> {
        self.topic(snapshot)?.partitions.get(lane)
    }

    /// The groups that have flags, in one partition.
    pub fn of_lane<'a>(
        &self,
        snapshot: &'a Snapshot,
        lane: usize,
    ) -> impl Iterator<Item = &'a LaneSnapshot> + use<'a, '_> {
        self.groups.iter().filter_map(move |group| snapshot.network.groups.get(*group)?.partitions.get(lane))
    }
}
