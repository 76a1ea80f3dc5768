//! Settings that are one of a few, with their names in links and files.

/// What happens to a message that finds the queue at its bound, named by its victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OverflowPolicy {
    /// The producer holds its message and waits for a place.
    Block,
    /// The new message is refused and the sender is told (RabbitMQ `reject-publish`).
    Reject,
    /// The new message is dropped silently (Akka `dropNew`).
    DropNew,
    /// The oldest waiting message is dropped silently (RabbitMQ `drop-head`).
    DropOldest,
}

/// How arrivals are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArrivalPattern {
    /// Equal gaps.
    Steady,
    /// Exponential gaps: a Poisson process.
    Poisson,
    /// `burst_size` messages at one instant, then a gap that keeps the rate.
    Bursts,
}

/// How long one message takes a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceTime {
    /// Always the mean.
    Fixed,
    /// Exponential about the mean, drawn for each message.
    Exponential,
}

macro_rules! named_choices {
    ($type:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// All of them, in the order in which they are offered.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Their names in links, attributes and scenario files, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Its name in links, attributes and scenario files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The one of that name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|choice| choice.name() == name)
            }
        }
    };
}

named_choices!(OverflowPolicy { Block = "block", Reject = "reject", DropNew = "drop-new", DropOldest = "drop-oldest" });
named_choices!(ArrivalPattern { Steady = "steady", Poisson = "poisson", Bursts = "bursts" });
named_choices!(ServiceTime { Fixed = "fixed", Exponential = "exponential" });
