//! Everything that is written on the picture of a log, as finished texts.

use super::Shown;

/// The words of one picture of a log. Empty texts are left out, and texts that do not fit are
/// shortened: the page's table says everything in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogLabels {
    /// What the words speak of, and so what is drawn; `None` where there is no topic.
    pub shown: Option<Shown>,
    /// The topic's name.
    pub topic: String,
    /// What follows it in smaller voice: how long it keeps records. Any separator at its start is
    /// part of it.
    pub topic_detail: String,
    /// What follows that: each group with its lag, and who of it has nothing to read. Likewise.
    pub groups_detail: String,
    /// The same for narrow pictures: the lag alone.
    pub groups_short: String,
    /// What is wrong with the broker; empty while it works.
    pub broker_trouble: String,
    /// How many records the whole length of a bar stands for; empty while there are cells.
    pub scale: String,
    /// The partitions in [`Shown::lanes`], in that order.
    pub lanes: Vec<LaneWords>,
    /// What the strip of all partitions shows.
    pub strip: String,
    /// How many dead letters there are, in full and short.
    pub dead_letters: [String; 2],
    /// How many records are to be tried again elsewhere, likewise.
    pub retries: [String; 2],
    /// After how many attempts a record becomes a dead letter.
    pub after_attempts: String,
    /// The strip's first and last partition.
    pub strip_ends: [String; 2],
}

/// The words of one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneWords {
    /// Its name.
    pub name: String,
    /// Its first offset that can still be read; empty while nothing was deleted.
    pub start: String,
    /// The offset that its next record will get.
    pub end: String,
    /// The groups in [`Shown::groups`], in that order.
    pub groups: Vec<LaneGroupWords>,
}

/// The words of one group in one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneGroupWords {
    /// The committed offset, and the position where it differs by more than what is in hand.
    pub committed: String,
    /// Who reads it, or that nobody does.
    pub reader: String,
    /// Its lag, with the age of the oldest unfinished record where the group does not move on.
    pub lag: String,
    /// The lag alone.
    pub lag_alone: String,
    /// That age alone; empty where the group moves on.
    pub trouble: String,
    /// The lag and who reads, in one line.
    pub line: String,
    /// The lag alone, with whose it is where there are several groups.
    pub line_short: String,
    /// How often its first record was tried.
    pub attempts: String,
}
