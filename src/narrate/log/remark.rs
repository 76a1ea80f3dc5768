//! What can be said of a log, as typed facts with their numbers.
//!
//! *Behind* is lag: log end less committed offset, summed over partitions where none is named.

use super::super::remark::{Estimate, Tone};
use super::team_name::TeamName;
use crate::model::rate::Rate;
use crate::model::time::Span;

/// What is happening in a topic and to the groups that read it. Where no team is named it is the
/// first group of the topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogRemark {
    /// Nothing has happened yet: what the dials will do.
    AtRest {
        /// In and out.
        pace: LogPace,
        /// Where that leads.
        then: LogThen,
        /// Whether a Start button is on the page, so that it can be named.
        names_start: bool,
    },
    /// The broker is not there, or is failing over.
    BrokerDown {
        /// When it is back by itself.
        back_in: Option<Span>,
    },
    /// The next record of a partition fails every time, and all behind it wait.
    Stuck {
        /// How many partitions are.
        stuck: u64,
        /// The one of them with the greatest lag, counted from 0.
        partition: u32,
        /// Records that wait behind those that fail.
        behind: u64,
        /// Whether its reader cannot read the schema of that record.
        is_unreadable: bool,
    },
    /// Records were deleted before the group had read them.
    DeletedUnread {
        /// How many, since the start.
        count: u64,
    },
    /// No consumer of the group is there, and the broker takes every record.
    NobodyReads {
        /// The group's lag.
        behind: u64,
        /// For how long nothing was finished.
        still_for: Span,
    },
    /// Members are alive and finish nothing.
    Hung(Standing),
    /// Members have died, and the group still waits for them.
    Died(Standing),
    /// Of several teams one stands still, or part of it does: the one that is worst off.
    TeamStands {
        /// Which.
        team: TeamName,
        /// What is wrong with it.
        trouble: TeamTrouble,
    },
    /// Partitions are given out anew.
    Rebalancing {
        /// Partitions that nobody reads meanwhile.
        paused: u64,
        /// All partitions.
        partitions: u64,
    },
    /// One partition is far behind and the others are not.
    OneBehind {
        /// Which, counted from 0.
        partition: u32,
        /// Whether more came to it lately than one consumer can do.
        is_growing: bool,
        /// Whether its reader reads no other partition, so that nobody could take anything off it.
        is_alone: bool,
    },
    /// The group's offsets were moved back, and it reads what it had done before.
    ReadsAgain {
        /// How many such records are left.
        left: u64,
    },
    /// Another group of the topic is behind.
    TeamBehind {
        /// Which.
        team: TeamName,
        /// Its lag.
        behind: u64,
        /// Where that leads, where it can be told.
        then: TeamThen,
    },
    /// There are more members than partitions.
    Idle {
        /// Members that read.
        readers: u64,
        /// Members that have nothing to read.
        idle: u64,
        /// All partitions.
        partitions: u64,
    },
    /// Nothing arrives, and everything is done.
    Quiet,
    /// Every reader keeps up.
    UpToDate {
        /// In and out.
        pace: LogPace,
    },
    /// As many arrive as are done, so the lag stays what it is.
    Level {
        /// In and out.
        pace: LogPace,
        /// The lag that stays.
        behind: u64,
    },
    /// The lag shrinks.
    Draining {
        /// In and out.
        pace: LogPace,
        /// When the group has caught up, where that can be told.
        caught_up_in: Option<Estimate>,
    },
    /// The lag grows.
    Growing {
        /// In and out.
        pace: LogPace,
        /// What is done now.
        done: Rate,
    },
    /// Where the group is, in a run of which the dials alone tell too little.
    Counts {
        /// The group's lag.
        behind: u64,
        /// Of that, records that its members have in hand.
        in_flight: u64,
    },
}

/// What comes next in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogNext {
    /// When the first unread record is deleted by its age.
    GoneIn(Span),
    /// How often the record that fails was tried.
    Tried {
        /// So often.
        attempts: u64,
        /// How many tries it gets; none: any number.
        of: Option<u64>,
    },
    /// Age of the oldest record that is not done.
    OldestNotDone(Span),
    /// By how many records the lag grows.
    FallsBehind {
        /// So many ...
        count: u64,
        /// ... in such a time.
        every: Span,
    },
    /// What came to the partition that is far behind, against what its reader can do.
    HotPartition {
        /// Records that came.
        came: u64,
        /// Records that one consumer can do.
        could: u64,
        /// Within so long.
        window: Span,
    },
    /// When partitions that move are read again.
    GoesOnIn(Span),
    /// Records that failed and lie in a topic for dead letters that nobody reads.
    SetAside {
        /// How many.
        count: u64,
    },
    /// Groups that read the topic, each for itself.
    Teams {
        /// How many.
        teams: u64,
    },
    /// Members that will have nothing to read.
    IdleAhead {
        /// How many.
        idle: u64,
        /// All partitions.
        partitions: u64,
    },
    /// What moved lately.
    Moved {
        /// Records that came and are still stored.
        came: u64,
        /// Records that the group finished.
        done: u64,
        /// Within so long.
        window: Span,
    },
}

/// What arrives at a topic and what its readers can finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPace {
    /// What the producer's dial asks for.
    pub arrivals: Rate,
    /// What all members that have a partition can finish together.
    pub capacity: Rate,
    /// How many these are.
    pub readers: u64,
}

/// Members of a group that finish nothing, and what waits for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How many members.
    pub members: u64,
    /// Partitions that are theirs.
    pub partitions: u64,
    /// The lag of these.
    pub behind: u64,
}

/// What is wrong with one of several teams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamTrouble {
    /// The next record of a partition fails every time.
    Stuck {
        /// The one of its partitions with the greatest lag, counted from 0.
        partition: u32,
        /// Records that wait behind those that fail.
        behind: u64,
        /// Whether its reader cannot read the schema of that record.
        is_unreadable: bool,
    },
    /// None of its consumers is there.
    Nobody {
        /// Its lag.
        behind: u64,
    },
    /// Members are alive and finish nothing.
    Hung(Standing),
    /// Members have died, and the group still waits for them.
    Died(Standing),
}

/// Where the dials lead from an empty start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogThen {
    /// Nothing will arrive.
    NothingArrives,
    /// Every reader keeps up.
    KeepsUp,
    /// The group falls behind.
    FallsBehind {
        /// About so many records ...
        count: u64,
        /// ... after such a time.
        after: Span,
    },
    /// The group falls behind, and what comes later is not looked at.
    FallsBehindSoon,
}

/// Where the lag of another team leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamThen {
    /// It catches up in this time.
    CatchesUpIn(Estimate),
    /// It falls further behind.
    FallsBehind,
    /// Nobody can tell.
    Open,
}

impl LogRemark {
    /// The name of its kind: two remarks of one kind differ only in numbers.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::AtRest { .. } => "log-at-rest",
            Self::BrokerDown { .. } => "broker-down",
            Self::Stuck { .. } => "partition-stuck",
            Self::DeletedUnread { .. } => "deleted-unread",
            Self::NobodyReads { .. } => "nobody-reads",
            Self::Hung(_) => "member-hung",
            Self::Died(_) => "member-died",
            Self::TeamStands { trouble: TeamTrouble::Stuck { .. }, .. } => "team-stuck",
            Self::TeamStands { trouble: TeamTrouble::Nobody { .. }, .. } => "team-without-members",
            Self::TeamStands { trouble: TeamTrouble::Hung(_), .. } => "team-member-hung",
            Self::TeamStands { trouble: TeamTrouble::Died(_), .. } => "team-member-died",
            Self::Rebalancing { .. } => "rebalancing",
            Self::OneBehind { .. } => "one-partition-behind",
            Self::ReadsAgain { .. } => "reads-again",
            Self::TeamBehind { .. } => "team-behind",
            Self::Idle { .. } => "members-idle",
            Self::Quiet => "log-quiet",
            Self::UpToDate { .. } => "up-to-date",
            Self::Level { .. } => "lag-level",
            Self::Draining { .. } => "lag-shrinking",
            Self::Growing { .. } => "lag-growing",
            Self::Counts { .. } => "log-counts",
        }
    }

    /// Whether it says how the run goes on, so that a later command of the scenario's own could make
    /// it wrong.
    #[must_use]
    pub const fn looks_ahead(&self) -> bool {
        matches!(
            self,
            Self::AtRest { .. }
                | Self::BrokerDown { back_in: Some(_) }
                | Self::UpToDate { .. }
                | Self::Level { .. }
                | Self::Draining { .. }
                | Self::Growing { .. }
                | Self::Idle { .. }
                | Self::TeamBehind { then: TeamThen::CatchesUpIn(_) | TeamThen::FallsBehind, .. }
        )
    }

    /// Whether it leaves open if the group keeps up.
    #[must_use]
    pub const fn is_silent_on_pace(&self) -> bool {
        matches!(self, Self::Counts { .. } | Self::Idle { .. })
    }

    /// How it feels.
    #[must_use]
    pub const fn tone(&self) -> Tone {
        match self {
            Self::BrokerDown { .. }
            | Self::Stuck { .. }
            | Self::DeletedUnread { .. }
            | Self::TeamStands { trouble: TeamTrouble::Stuck { .. } | TeamTrouble::Nobody { .. }, .. }
            | Self::NobodyReads { .. } => Tone::Alarm,
            Self::Hung(_)
            | Self::Died(_)
            | Self::TeamStands { .. }
            | Self::Rebalancing { .. }
            | Self::OneBehind { .. }
            | Self::Growing { .. }
            | Self::TeamBehind { then: TeamThen::FallsBehind, .. }
            | Self::AtRest { then: LogThen::FallsBehind { .. } | LogThen::FallsBehindSoon, .. } => {
                Tone::Warning
            }
            _ => Tone::Calm,
        }
    }
}
