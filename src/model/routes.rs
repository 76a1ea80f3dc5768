//! Where messages go and come from: queues, and topics with the groups that read them.

pub use super::message::QueueIndex;

/// Which topic of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TopicIndex(pub usize);

/// Which group of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupIndex(pub usize);

/// Where a producer sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a queue.
    Queue(QueueIndex),
    /// To a partitioned log.
    Topic(TopicIndex),
}

/// Where the consumers of a pool get their messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// From a queue.
    Queue(QueueIndex),
    /// From a topic, as the members of a group.
    Group(GroupIndex),
}

/// In which place a message is handled, as draws and records count it: the consumers of queues are the
/// first, and of the groups that read a topic each is one, in the order of the topology.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Role(pub u8);

impl Role {
    /// The consumers of queues, and the first group of a topic.
    pub const FIRST: Self = Self(0);
    /// The first group of a topic for dead letters: nobody reads a topic as such a far one.
    pub const FIRST_OF_DEAD_LETTERS: Self = Self(128);
}

impl Target {
    /// The queue, if it is one.
    #[must_use]
    #[inline(always)]
    pub const fn queue(self) -> Option<QueueIndex> {
        match self {
            Self::Queue(queue) => Some(queue),
            Self::Topic(_) => None,
        }
    }
}

impl Supply {
    /// The queue, if it is one.
    #[must_use]
    #[inline(always)]
    pub const fn queue(self) -> Option<QueueIndex> {
        match self {
            Self::Queue(queue) => Some(queue),
            Self::Group(_) => None,
        }
    }

    /// The group, if it is one.
    #[must_use]
    pub const fn group(self) -> Option<GroupIndex> {
        match self {
            Self::Queue(_) => None,
            Self::Group(group) => Some(group),
        }
    }
}
