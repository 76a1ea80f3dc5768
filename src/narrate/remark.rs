//! What can be said, as typed facts with their numbers. Words come later, in [`super::words`].

use super::both::{BothNext, BothRemark};
use super::log::remark::{LogNext, LogRemark};
use super::trouble::Trouble;
use crate::model::rate::Rate;
use crate::model::settings::OverflowPolicy;
use crate::model::time::{Instant, Span};

/// One thing to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Nothing has happened yet: what the dials will do.
    AtRest {
        /// In and out.
        pace: Pace,
        /// Where that leads.
        then: Then,
        /// Whether a Start button is on the page, so that it can be named.
        names_start: bool,
    },
    /// Nothing has happened yet in a run of which the dials alone tell too little.
    NotStarted {
        /// Whether a Start button is on the page, so that it can be named.
        names_start: bool,
    },
    /// Where the messages are, in a run of which the dials alone tell too little.
    Counts(Counts),
    /// What is wrong, in a run in which something was broken.
    Trouble(Trouble),
    /// Nothing arrives and nothing waits.
    Idle {
        /// Whether consumers still work on something.
        is_working: bool,
    },
    /// The consumers finish nothing, and nothing arrives either.
    Stopped {
        /// Messages waiting.
        waiting: u64,
        /// Messages in the hands of consumers that do not move.
        in_flight: u64,
    },
    /// As many arrive as finish, and nothing waits.
    Matched {
        /// In and out.
        pace: Pace,
    },
    /// As many arrive as finish; now and then one waits for a moment.
    LevelAndShort {
        /// In and out.
        pace: Pace,
    },
    /// As many arrive as finish, so those that wait stay that many.
    LevelWithBacklog {
        /// In and out.
        pace: Pace,
        /// Messages waiting.
        waiting: u64,
        /// Whether the number moves up and down a little.
        is_about: bool,
    },
    /// On average as many arrive as can be finished, and chance moves the line.
    Balanced {
        /// In and out.
        pace: Pace,
    },
    /// The line grows and reaches its bound.
    WillFillIn {
        /// In and out.
        pace: Pace,
        /// When it is full, where that can be told.
        full_in: Option<Estimate>,
        /// What happens then.
        overflow: OverflowPolicy,
    },
    /// The line has no bound and grows until the broker's memory is full.
    GrowingWithoutBound {
        /// In and out.
        pace: Pace,
        /// When the memory is full, where that can be told and is less than a day away.
        out_of_memory_in: Option<Estimate>,
    },
    /// The line grows, and the broker's memory is full before the line is at its bound.
    WillRunOutOfMemory {
        /// In and out.
        pace: Pace,
        /// When, where that can be told.
        out_of_memory_in: Option<Estimate>,
    },
    /// The line is at its bound and more arrives than can be finished.
    Full {
        /// In and out.
        pace: Pace,
        /// What happens to what finds no room.
        overflow: OverflowPolicy,
    },
    /// Nothing may wait at all, and messages find no free consumer.
    NoRoom {
        /// What happens to them.
        overflow: OverflowPolicy,
    },
    /// More is there than the limit allows, because it was lowered.
    OverLimit {
        /// Which limit.
        limit: Limit,
        /// What happens to new ones until then.
        overflow: OverflowPolicy,
        /// When no more is there than may, where that can be told.
        clears_in: Option<Estimate>,
    },
    /// The consumers keep up on average, yet the line is at its limit again and again.
    HoveringAtBound {
        /// Which limit.
        limit: Limit,
        /// What happens to what finds no room.
        overflow: OverflowPolicy,
    },
    /// The producer holds messages that found no room; no more arrive than can be finished.
    HoldingBack {
        /// What is full.
        limit: Limit,
        /// When it has handed over the last of them, where that can be told.
        clears_in: Option<Estimate>,
        /// Whether the consumers stand still, so that no place becomes free.
        is_standing: bool,
    },
    /// The broker's memory is full, so every producer must wait.
    MemoryAlarm {
        /// In, and what can be finished of what fits into the memory.
        pace: Pace,
        /// Whether no more than the capacity gets in, but perhaps less.
        is_at_most: bool,
    },
    /// The line shrinks.
    DrainingIn {
        /// In and out.
        pace: Pace,
        /// When nothing waits, where that can be told.
        empty_in: Option<Estimate>,
    },
    /// The consumers are faster than the producer, and no line builds up.
    KeepingUp {
        /// In and out.
        pace: Pace,
        /// Share of their time that they work, 1 to 99.
        busy_percent: u64,
    },
    /// The consumers are faster on average, yet messages wait.
    KeepingUpButWaiting {
        /// In and out.
        pace: Pace,
    },
    /// What is happening in a run that is a log.
    Log(LogRemark),
    /// What is happening in a queue and a log that get the same messages.
    Both(BothRemark),
    /// What comes next, in a second line.
    Next(Next),
    /// What comes next in a log.
    LogNext(LogNext),
    /// What comes next there.
    BothNext(BothNext),
    /// What to try.
    Advice(Advice),
}

/// The second line: a number that looks ahead, or one that the first line leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// What a message is, where one is first met.
    WhatAMessageIs,
    /// How long a message waits that joins now.
    NewcomerWaits(Estimate),
    /// How long every new message waits, as long as nothing changes.
    EveryNewcomerWaits(Estimate),
    /// The line gets shorter, but its oldest is later than any newcomer will be.
    OldestStillLate {
        /// The age of the oldest waiting message.
        oldest: Span,
        /// A newcomer's wait.
        newcomer: Estimate,
    },
    /// How long the oldest has been waiting, where nothing moves.
    OldestWaits(Span),
    /// The line is well filled but shrinks.
    ShrinkingWhileFull {
        /// At least so much of the bound is taken: 50 to 90.
        percent: u64,
    },
    /// Messages were lost lately.
    LostLately {
        /// How many.
        count: u64,
        /// Within how many seconds.
        window: Span,
        /// Whether senders were told.
        were_told: bool,
    },
    /// What moved lately.
    Moved {
        /// How many got in.
        accepted: u64,
        /// How many were finished.
        done: u64,
        /// Within how many seconds.
        window: Span,
    },
    /// One in twenty of the last minute waited longer than this.
    SlowestWaited(Span),
}

/// Something to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Slow the producer to this rate: the line stops growing; below it empties.
    SlowProducerTo {
        /// What can be finished.
        capacity: Rate,
        /// Whether the line is at its limit already.
        is_full: bool,
    },
    /// Slow the producer below this rate: the line empties.
    SlowProducerBelow(Rate),
    /// Let each consumer finish this much: the line stops growing; with more it empties.
    SpeedUpConsumersTo {
        /// The rate of each.
        each: Rate,
        /// How many there are.
        consumers: u64,
    },
    /// Let each consumer finish more than this: the line empties or stays short.
    SpeedUpConsumersAbove {
        /// The rate of each.
        each: Rate,
        /// How many there are.
        consumers: u64,
    },
    /// With this many consumers the line stops growing.
    AddConsumers(u64),
    /// Faster consumers make the waits shorter.
    ShortenWaits,
    /// Give the producer a rate.
    StartProducer,
    /// Let the producer go on at the rate that it had before it was paused.
    EndPause,
    /// Above this rate the line grows.
    SpeedUpProducerAbove(Rate),
    /// Let a few messages wait.
    AllowWaiting,
    /// More room would catch the peaks.
    RaiseBound,
}

/// Where messages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// In a queue, and may be handed out.
    pub waiting: u64,
    /// Handed out and not acknowledged.
    pub in_flight: u64,
    /// In a queue, and may only be handed out later.
    pub delayed: u64,
    /// Set aside as dead letters.
    pub dead_letters: u64,
    /// In the hands of producers that must wait.
    pub held_back: u64,
}

/// What arrives and what can be finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// What the producer's dial asks for.
    pub arrivals: Rate,
    /// What all consumers together can finish.
    pub capacity: Rate,
    /// How many consumers there are.
    pub consumers: u64,
    /// How evenly it goes.
    pub evenness: Evenness,
}

/// How evenly messages come and are worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evenness {
    /// Equal gaps, equal work.
    Even,
    /// Random gaps, equal work.
    RandomArrivals,
    /// Equal gaps, random work.
    RandomWork,
    /// Both random.
    RandomBoth,
    /// So many at a time.
    Bursts(u64),
}

impl Pace {
    /// Whether rates hold at every moment and not only on average.
    #[must_use]
    pub fn is_even(&self) -> bool {
        self.evenness == Evenness::Even
    }
}

/// A length of time that lies ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// How long.
    pub span: Span,
    /// Whether chance or lumps in the flow may change it by more than 5 % or a second.
    pub is_about: bool,
}

/// What runs full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The queue's bound.
    Bound,
    /// The broker's memory.
    Memory,
}

/// Where the dials lead from an empty start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing will arrive.
    NothingArrives,
    /// The line reaches a limit, after this time where it can be told.
    Fills(Limit, Option<Estimate>),
    /// The line grows for more than a day, until the broker's memory is full.
    GrowsOn,
    /// As many finish as arrive: nothing will wait.
    StaysEmpty,
    /// More can be finished than arrives: nothing will wait.
    KeepsUp,
    /// The consumers are fast enough, yet some messages will wait.
    SomeWait,
    /// On average in and out are equal, and chance moves the line.
    Wanders,
    /// No message may wait, so some will find no place.
    NoRoom,
}

/// How a remark feels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// All is level or getting better.
    #[default]
    Calm,
    /// Something grows.
    Warning,
    /// Something is lost or held up now.
    Alarm,
}

/// What is said at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// What is happening.
    pub happening: Remark,
    /// Where it looks ahead and the scenario does something: the instant up to which it holds.
    pub until: Option<Instant>,
    /// What comes next.
    pub next: Option<Remark>,
    /// What to try.
    pub advice: Option<Remark>,
}

impl Remark {
    /// The name of its kind: two remarks of one kind differ only in numbers.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::AtRest { .. } => "at-rest",
            Self::NotStarted { .. } => "not-started",
            Self::Counts(_) => "counts",
            Self::Trouble(trouble) => trouble.kind(),
            Self::Idle { .. } => "idle",
            Self::Stopped { .. } => "stopped",
            Self::Matched { .. } => "matched",
            Self::LevelAndShort { .. } => "level-and-short",
            Self::LevelWithBacklog { .. } => "level-with-backlog",
            Self::Balanced { .. } => "balanced",
            Self::WillFillIn { .. } => "will-fill",
            Self::GrowingWithoutBound { .. } => "growing-without-bound",
            Self::WillRunOutOfMemory { .. } => "will-run-out-of-memory",
            Self::Full { overflow, .. } => match overflow {
                OverflowPolicy::Block => "full-blocking",
                OverflowPolicy::Reject => "full-rejecting",
                OverflowPolicy::DropNew => "full-dropping-new",
                OverflowPolicy::DropOldest => "full-dropping-oldest",
            },
            Self::NoRoom { .. } => "no-room",
            Self::OverLimit { .. } => "over-limit",
            Self::HoveringAtBound { .. } => "hovering-at-bound",
            Self::HoldingBack { .. } => "holding-back",
            Self::MemoryAlarm { .. } => "memory-alarm",
            Self::DrainingIn { .. } => "draining",
            Self::KeepingUp { .. } => "keeping-up",
            Self::KeepingUpButWaiting { .. } => "keeping-up-but-waiting",
            Self::Log(remark) => remark.kind(),
            Self::Both(remark) => remark.kind(),
            Self::Next(_) | Self::LogNext(_) | Self::BothNext(_) => "next",
            Self::Advice(_) => "advice",
        }
    }

    /// Whether it says how the run goes on: a later command of the scenario could make it wrong.
    #[must_use]
    pub const fn looks_ahead(&self) -> bool {
        match self {
            Self::Log(remark) => remark.looks_ahead(),
            Self::AtRest { .. }
            | Self::LevelAndShort { .. }
            | Self::LevelWithBacklog { .. }
            | Self::Balanced { .. }
            | Self::WillFillIn { .. }
            | Self::GrowingWithoutBound { .. }
            | Self::WillRunOutOfMemory { .. }
            | Self::DrainingIn { empty_in: Some(_), .. }
            | Self::OverLimit { clears_in: Some(_), .. }
            | Self::HoldingBack { clears_in: Some(_), .. } => true,
            _ => false,
        }
    }

    /// How it feels.
    #[must_use]
    pub const fn tone(&self) -> Tone {
        match self {
            Self::AtRest { then: Then::Fills(..) | Then::GrowsOn | Then::NoRoom, .. }
            | Self::WillFillIn { .. }
            | Self::GrowingWithoutBound { .. }
            | Self::WillRunOutOfMemory { .. }
            | Self::HoveringAtBound { .. }
            | Self::Stopped { .. }
            | Self::Counts(Counts { dead_letters: 1.., .. } | Counts { held_back: 1.., .. }) => Tone::Warning,
            Self::Trouble(trouble) => trouble.tone(),
            Self::Full { .. }
            | Self::NoRoom { .. }
            | Self::OverLimit { .. }
            | Self::HoldingBack { .. }
            | Self::MemoryAlarm { .. } => Tone::Alarm,
            Self::Log(remark) => remark.tone(),
            Self::Both(remark) => remark.tone(),
            _ => Tone::Calm,
        }
    }
}
