//! Everything that is written on the picture, as finished texts.

/// The words of one picture. Empty texts are left out, and texts that do not fit are shortened:
/// the page's table says everything in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneLabels {
    /// The producer's name.
    pub producer_name: String,
    /// The rate its dial asks for.
    pub producer_rate: String,
    /// Name and rate in one line, for narrow pictures.
    pub producer_line: String,
    /// That the producer must wait, and why; empty while it need not.
    pub blocked: String,
    /// How many wait.
    pub waiting: String,
    /// What follows it in smaller voice: the bound and the oldest age. Any separator at its
    /// start is part of it.
    pub waiting_detail: String,
    /// The same for narrow pictures: the bound alone.
    pub waiting_detail_short: String,
    /// Where the number waiting is heading: growing, full, draining. The picture adds an arrow
    /// where it rises or falls.
    pub growth: String,
    /// How many consumers.
    pub consumers: String,
    /// How many are done.
    pub done: String,
    /// The mark of the head of the line.
    pub next: String,
    /// How many were refused or dropped on arrival; empty while none were.
    pub lost_at_entrance: String,
    /// How many were pushed out of the front of the line; empty while none were.
    pub lost_at_head: String,
    /// What is wrong with the broker: that it is down, is failing over, or is full. Empty while it
    /// works.
    pub broker_trouble: String,
    /// How many dead letters there are; empty while none is and none can be.
    pub dead_letters: String,
    /// After what a message becomes one.
    pub after_attempts: String,
    /// What the consumers share, and how fast it is; empty while it is as fast as they ask.
    pub database: String,
    /// The number at the end of the bar, which is [`scale_top`](super::scene::scale_top).
    pub scale_top: String,
}
