//! What fails every time, and what is done about it.

use super::super::rate::Rate;
use super::super::time::Span;

/// How many messages at the head of the line are looked at for poison.
pub const LOOKED_AT_MAX: usize = 256;

/// Poison and dead letters of the first producer, queue and pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailuresSnapshot {
    /// Messages that a command made poison.
    pub poisoned: u64,
    /// Whether a fix is deployed, so that none fails for being poison any more.
    pub is_fixed: bool,
    /// Attempts that the first pool gives a message, the first included; `None`: any number.
    pub attempts_max: Option<u64>,
    /// Whether what dies in the first queue is kept as a dead letter.
    pub keeps_dead_letters: bool,
    /// The queue that dead letters of the first queue are kept in, or would be.
    pub dead_letter_queue: String,
    /// How many wait there.
    pub dead_letters: u64,
    /// How long until one of them is deleted for having been kept long enough; `None` where they are kept
    /// for ever.
    pub next_deleted_in: Option<Span>,
    /// The redrive that empties it, while one runs.
    pub redrive: Option<RedriveSnapshot>,
    /// Poison among the first [`LOOKED_AT_MAX`] in the first queue's line, the next one first. None
    /// once a fix is deployed.
    pub in_line: Vec<PoisonInLine>,
}

impl FailuresSnapshot {
    /// Whether there is a place for dead letters, or a dead letter.
    #[must_use]
    pub const fn has_dead_letter_box(&self) -> bool {
        self.keeps_dead_letters || self.dead_letters > 0
    }
}

/// A poison message that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoisonInLine {
    /// How many stand before it.
    pub place: u64,
    /// Its number, counted from 1 per producer.
    pub number: u64,
    /// How often its handling was started.
    pub attempts: u32,
    /// How long until a consumer starts on it. `None` where that cannot be told: where work is random
    /// or may fail, a consumer is not up, or other poison comes first.
    pub starts_in: Option<Span>,
}

/// Dead letters on their way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedriveSnapshot {
    /// How many were moved so far.
    pub moved: u64,
    /// How many are to be moved.
    pub to_move: u64,
    /// Messages a second; `None`: as fast as it can be done.
    pub rate: Option<Rate>,
}
