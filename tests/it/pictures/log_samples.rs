//! Snapshots of logs made by hand, and English words for them. The including module has `draw`,
//! `model` and `samples` in scope.

use super::draw::log::labels::{LaneGroupWords, LaneWords, LogLabels};
use super::draw::log::{Form, Standing, shown, standing};
use super::model::consumer_status::{GroupStatus, PartitionStatus};
use super::model::group::GroupState;
use super::model::group::reading::GroupCounts;
use super::model::rate::Rate;
use super::model::schema::SchemaVersion;
use super::model::settings::SendPath;
use super::model::snapshot::network::{
    CallTimes, GroupSnapshot, LaneSnapshot, NetworkSnapshot, PartitionSnapshot, SenderSnapshot, TopicSnapshot,
};
use super::model::snapshot::{ConsumerHealth, Snapshot};
use super::model::time::{Instant, Span};
use super::samples::{self, Recipe, grouped};

/// What a sample is made from; the rest follows.
#[derive(Clone, Copy, Debug)]
pub struct LogRecipe {
    pub partitions: &'static [PartitionRecipe],
    /// So many more like the last one, with a lag that grows and wraps.
    pub more: usize,
    pub groups: &'static [&'static str],
    pub idle: u64,
    /// How long ago the newest records came.
    pub newest_millis: u64,
    /// Dead letters, where there is a place for them.
    pub dead: Option<u64>,
    /// Whether what failed is tried again in a topic of its own.
    pub retries: bool,
}

/// One partition; each list has an entry for each group.
#[derive(Clone, Copy, Debug)]
pub struct PartitionRecipe {
    pub start: u64,
    pub end: u64,
    pub committed: [u64; 2],
    /// Done and not committed.
    pub done: u64,
    pub reader: Option<u64>,
    pub attempts: u32,
    pub poison: u32,
    pub health: ConsumerHealth,
}

const LEVEL: PartitionRecipe = PartitionRecipe {
    start: 0,
    end: 22,
    committed: [21, 18],
    done: 0,
    reader: Some(1),
    attempts: 1,
    poison: 0,
    health: ConsumerHealth::Up,
};

pub const ONE_LANE: LogRecipe = LogRecipe {
    partitions: &[LEVEL],
    more: 0,
    groups: &["billing"],
    idle: 0,
    newest_millis: 900,
    dead: None,
    retries: false,
};

/// The mockup: partition 1 is stuck at its tenth record.
pub const STUCK: LogRecipe = LogRecipe {
    partitions: &[
        PartitionRecipe { committed: [18, 0], ..LEVEL },
        PartitionRecipe {
            end: 30,
            committed: [9, 0],
            reader: Some(2),
            attempts: 14,
            poison: 0b1_0000_0001,
            ..LEVEL
        },
        PartitionRecipe { end: 20, committed: [19, 0], ..LEVEL },
    ],
    ..ONE_LANE
};

/// The log has moved on beyond what fits, and its oldest records are gone.
pub const MOVED_ON: LogRecipe = LogRecipe {
    partitions: &[
        PartitionRecipe { start: 1_204, end: 1_224, committed: [1_221, 0], ..LEVEL },
        PartitionRecipe {
            start: 1_190,
            end: 1_225,
            committed: [1_214, 0],
            done: 5,
            reader: Some(2),
            ..LEVEL
        },
    ],
    idle: 1,
    newest_millis: 50,
    ..ONE_LANE
};

pub const TWO_GROUPS: LogRecipe = LogRecipe {
    partitions: &[
        LEVEL,
        PartitionRecipe { end: 24, committed: [23, 9], reader: Some(2), ..LEVEL },
        PartitionRecipe { end: 21, committed: [20, 2], reader: Some(1), ..LEVEL },
    ],
    groups: &["billing", "audit"],
    ..ONE_LANE
};

/// Far behind, each in its own way.
pub const FAR_BEHIND: LogRecipe = LogRecipe {
    partitions: &[
        PartitionRecipe { end: 48_000, committed: [1_500, 0], reader: None, start: 1_000, ..LEVEL },
        PartitionRecipe { end: 48_100, committed: [48_099, 0], ..LEVEL },
        PartitionRecipe {
            end: 47_900,
            committed: [30_000, 0],
            reader: Some(3),
            health: ConsumerHealth::Crashed,
            ..LEVEL
        },
        PartitionRecipe { end: 47_950, committed: [12_000, 0], attempts: 1_250, poison: 1, ..LEVEL },
    ],
    ..ONE_LANE
};

pub const TWELVE: LogRecipe = LogRecipe {
    partitions: &[
        PartitionRecipe { committed: [10, 0], reader: Some(2), attempts: 7, poison: 1, ..LEVEL },
        PartitionRecipe { committed: [20, 0], reader: None, ..LEVEL },
        PartitionRecipe { end: 4_000, committed: [3_900, 0], reader: Some(3), ..LEVEL },
    ],
    more: 9,
    idle: 8,
    ..ONE_LANE
};

pub const MANY: LogRecipe = LogRecipe { more: 125, idle: 0, ..TWELVE };

/// The same three partitions, of which none is stuck any more.
pub const DEAD_LETTERS: LogRecipe = LogRecipe {
    partitions: &[
        PartitionRecipe { committed: [18, 0], ..LEVEL },
        PartitionRecipe { end: 30, committed: [24, 0], reader: Some(2), ..LEVEL },
        PartitionRecipe { end: 20, committed: [19, 0], ..LEVEL },
    ],
    dead: Some(2),
    ..ONE_LANE
};

pub const RETRY_TOPIC: LogRecipe = LogRecipe { retries: true, ..DEAD_LETTERS };

/// As much as a narrow picture can hold in rows.
pub const FOUR_AND_DEAD_LETTERS: LogRecipe = LogRecipe { dead: Some(12), retries: true, ..FAR_BEHIND };

pub const EMPTY: LogRecipe = LogRecipe {
    partitions: &[PartitionRecipe { end: 0, committed: [0, 0], attempts: 0, ..LEVEL }],
    ..ONE_LANE
};

/// All of them by name.
pub const ALL: [(&str, LogRecipe); 14] = [
    ("one_lane", ONE_LANE),
    ("stuck", STUCK),
    ("moved_on", MOVED_ON),
    ("two_groups", TWO_GROUPS),
    ("far_behind", FAR_BEHIND),
    ("twelve", TWELVE),
    ("many", MANY),
    ("many_of_two_groups", LogRecipe { groups: &["billing", "audit"], ..MANY }),
    ("empty", EMPTY),
    ("dead_letters", DEAD_LETTERS),
    ("retry_topic", RETRY_TOPIC),
    ("four_and_dead_letters", FOUR_AND_DEAD_LETTERS),
    ("two_groups_and_no_dead_letter", LogRecipe { dead: Some(0), ..TWO_GROUPS }),
    ("many_and_dead_letters", LogRecipe { dead: Some(1), ..MANY }),
];

impl LogRecipe {
    fn partitions(&self) -> Vec<PartitionRecipe> {
        let last = self.partitions.last().copied().unwrap_or(LEVEL);
        let more = (0..self.more as u64).map(|place| PartitionRecipe {
            committed: [last.end - place * 37 % 61, last.end - place * 23 % 90],
            reader: Some(place % 8 + 1),
            ..last
        });
        self.partitions.iter().copied().chain(more).collect()
    }

    pub fn snapshot(&self) -> Snapshot {
        let recipe = Recipe { producer_rate: 6, consumer_rate: 4, ..samples::AT_REST };
        let mut snapshot = recipe.snapshot();
        snapshot.at = Instant::from_seconds(190);
        snapshot.network = NetworkSnapshot {
            producers: vec![sender()],
            topics: vec![self.topic(snapshot.at)],
            groups: (0..self.groups.len()).map(|place| self.group(place)).collect(),
            ..NetworkSnapshot::default()
        };
        snapshot
    }

    fn topic(&self, now: Instant) -> TopicSnapshot {
        let newest = now - Span::from_millis(self.newest_millis);
        let partition = |recipe: PartitionRecipe| PartitionSnapshot {
            log_start: recipe.start,
            log_end: recipe.end,
            newest_at: (recipe.end > 0).then_some(newest),
            came_recently: 0,
        };
        TopicSnapshot {
            next_deleted_in: None,
            name: "orders".to_owned(),
            kept_for: Some(Span::from_seconds(60)),
            not_sent_back: self.dead.unwrap_or_default(),
            takes_dead_letters: self.dead.is_some(),
            is_for_retries: false,
            takes_retries: self.retries,
            sends_back: None,
            partitions: self.partitions().into_iter().map(partition).collect(),
        }
    }

    fn group(&self, place: usize) -> GroupSnapshot {
        let partitions: Vec<_> = self.partitions().iter().map(|recipe| recipe.lane(place)).collect();
        GroupSnapshot {
            name: self.groups[place].to_owned(),
            from: "orders".to_owned(),
            state: GroupState::Stable,
            generation: 1,
            round_in: None,
            members: 2 + self.idle,
            shares_work: false,
            idle_members: self.idle,
            lag: partitions.iter().map(|lane| lane.lag).sum(),
            lag_max: partitions.iter().map(|lane| lane.lag).max().unwrap_or_default(),
            in_flight: 0,
            oldest_unfinished: None,
            counts: GroupCounts::default(),
            uncommitted: 0,
            began: 0,
            moved_on: 0,
            status: GroupStatus::Ok,
            partitions,
        }
    }

    /// The words for it in a picture that is `width_css` wide.
    pub fn labels(&self, width_css: f64) -> LogLabels {
        words(&self.snapshot(), width_css)
    }
}

/// The words for a log in a picture that is `width_css` wide.
pub fn words(snapshot: &Snapshot, width_css: f64) -> LogLabels {
    let Some(shown) = shown(snapshot, width_css) else { return LogLabels::default() };
    let groups: Vec<_> = shown.groups.iter().map(|group| &snapshot.network.groups[*group]).collect();
    let idle: u64 = groups.iter().map(|group| group.idle_members).sum();
    let idle = if idle > 0 { format!(" · {idle} idle") } else { String::new() };
    let detail = |group: &&&GroupSnapshot| format!(" · group “{}” lag {}", group.name, grouped(group.lag));
    let short = |group: &&&GroupSnapshot| format!("{} lag {}", group.name, grouped(group.lag));
    let count = snapshot.network.topics[0].partitions.len();
    LogLabels {
        shown: Some(shown.clone()),
        topic: "Topic “orders”".to_owned(),
        topic_detail: " · kept 60 s".to_owned(),
        groups_detail: groups.iter().map(|group| detail(&group)).collect::<String>() + &idle,
        groups_short: groups.iter().map(|group| short(&group)).collect::<Vec<_>>().join(" · "),
        broker_trouble: String::new(),
        scale: shown.top.map(|top| format!("a whole bar is {} records", grouped(top))).unwrap_or_default(),
        lanes: shown.lanes.iter().map(|lane| lane_words(snapshot, &groups, *lane)).collect(),
        strip: if shown.form == Form::Strip {
            format!("Lag of all {count} partitions")
        } else {
            String::new()
        },
        dead_letters: ["dead letters", "dead"].map(|word| format!("{} {word}", snapshot.dead_letters())),
        retries: ["retry topic: none waits", "retry topic: 0"].map(str::to_owned),
        after_attempts: if shown.aside.retries { String::new() } else { "after 3 attempts".to_owned() },
        strip_ends: ["0".to_owned(), (count - 1).to_string()],
    }
}

impl PartitionRecipe {
    fn lane(&self, group: usize) -> LaneSnapshot {
        let committed = self.committed[group];
        let lag = self.end - committed;
        let in_hand = u64::from(lag > self.done && self.reader.is_some());
        LaneSnapshot {
            committed: Some(committed),
            position: self.reader.map(|_| committed + self.done + in_hand),
            lag,
            oldest_unfinished: (lag > 0).then(|| Span::from_millis(lag * 500)),
            reader: self.reader,
            reader_health: self.reader.map(|_| self.health),
            head: committed + self.done,
            in_hand,
            head_attempts: self.attempts,
            head_fails: group == 0 && self.poison & 1 == 1,
            head_is_unreadable: false,
            unread_kept_for: None,
            poison: if group == 0 { self.poison } else { 0 },
            paused_for: None,
            is_stopped: false,
            status: PartitionStatus::Ok,
        }
    }
}

fn sender() -> SenderSnapshot {
    SenderSnapshot {
        like: None,
        name: "shop".to_owned(),
        to: "orders".to_owned(),
        rate: Rate::from_per_second(6),
        offered: 72,
        held_back: 0,
        is_blocked: false,
        sent: 72,
        shape_limit: None,
        shaped: 0,
        unconfirmed: 0,
        path: SendPath::Queue,
        calls: CallTimes::default(),
        schema: SchemaVersion::Old,
    }
}

fn lane_words(snapshot: &Snapshot, groups: &[&GroupSnapshot], lane: usize) -> LaneWords {
    let partition = &snapshot.network.topics[0].partitions[lane];
    let has_several = groups.len() > 1;
    LaneWords {
        name: format!("Partition {lane}"),
        start: if partition.log_start > 0 {
            format!("start {}", grouped(partition.log_start))
        } else {
            String::new()
        },
        end: format!("end {}", grouped(partition.log_end)),
        groups: groups.iter().map(|group| group_words(group, lane, has_several)).collect(),
    }
}

fn group_words(group: &GroupSnapshot, lane: usize, has_several: bool) -> LaneGroupWords {
    let own = &group.partitions[lane];
    let committed = own.committed.map(grouped).unwrap_or_default();
    let whose = if has_several { format!("{} ", group.name) } else { String::new() };
    let position = own.position.filter(|_| own.head > own.committed.unwrap_or_default());
    let read_to = position.map(|position| format!(" · position {}", grouped(position))).unwrap_or_default();
    let reader = own.reader.map_or_else(|| "Nobody reads".to_owned(), |reader| format!("Consumer {reader}"));
    let age = own.oldest_unfinished.map(|age| age.micros() / 1_000_000).unwrap_or_default();
    let trouble = match standing(own) {
        Standing::Moves => String::new(),
        Standing::Stuck => format!("stuck, {} old", spoken_age(age)),
        _ => format!("oldest {}", spoken_age(age)),
    };
    let lag_alone = format!("lag {}", grouped(own.lag));
    let lag = if trouble.is_empty() { lag_alone.clone() } else { format!("{lag_alone} · {trouble}") };
    LaneGroupWords {
        committed: format!("{whose}committed {committed}{read_to}"),
        line_short: format!("{whose}{lag_alone}"),
        line: if has_several { format!("{whose}{lag}") } else { format!("{lag} · {reader}") },
        reader,
        lag,
        lag_alone,
        trouble,
        attempts: if own.head_fails { grouped(u64::from(own.head_attempts)) } else { String::new() },
    }
}

fn spoken_age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}
