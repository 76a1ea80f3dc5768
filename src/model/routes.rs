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
