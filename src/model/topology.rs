//! What is connected to what: named producers, queues and consumer pools, and topics with the groups
//! that read them.
//!
//! The default has one producer, one queue and one pool; the dials speak of the first of each. The
//! members of a group are a pool like any other: pools are those of queues and then the groups.
//!
//! A queue may be declared that is only split off from another one while the run goes on. It is
//! there from the start, with nothing routed to it and nobody taking from it: no command makes
//! structure.

mod passing_on;

/// The name of the queue for the dead letters of queues that name no other.
pub const DEAD_LETTERS: &str = "dead-letters";

/// Names and connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// The producers, each with the name of the queue it sends to.
    pub producers: Vec<ProducerNode>,
    /// The queues.
    pub queues: Vec<QueueNode>,
    /// The pools of consumers, each with the name of the queue it takes from.
    pub consumers: Vec<ConsumersNode>,
    /// The topics.
    pub topics: Vec<TopicNode>,
    /// The groups, each with the name of the topic it reads.
    pub groups: Vec<GroupNode>,
}

/// A producer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProducerNode {
    /// Its name.
    pub name: String,
    /// The queue or the topic it sends to.
    pub to: String,
    /// The queue it sends to once that has been split off from the one it shares before.
    pub split_to: Option<String>,
    /// The producer before it whose messages it sends too: message n of both is one and the same, with
    /// the same size, key and fate, and where their settings are equal it comes at the same instant.
    pub like: Option<String>,
}

/// A queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueNode {
    /// Its name.
    pub name: String,
    /// The queue for its dead letters, if it names one.
    pub dead_letters_to: Option<String>,
    /// The queue that it is split off from by command; it is not in use before.
    pub split_from: Option<String>,
}

/// A pool of consumers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsumersNode {
    /// Its name.
    pub name: String,
    /// The queue it takes from. Where that is split off from another one, the pool has nobody
    /// before.
    pub from: String,
    /// The pool of the queue before the split from which its consumers come; without one they are
    /// additional ones.
    pub split_from: Option<String>,
    /// It has nobody until a command lets it join.
    pub joins_later: bool,
}

/// A topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicNode {
    /// Its name.
    pub name: String,
}

/// A group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupNode {
    /// Its name, which is that of its members' pool.
    pub name: String,
    /// The topic it reads.
    pub from: String,
    /// The topic to which its members send what is to be tried again after a while, so that their
    /// partition goes on; a group that reads that topic tries it.
    pub retry_to: Option<String>,
    /// The topic to which its members send what they try no longer; without one they skip it.
    pub dead_letters_to: Option<String>,
    /// It has nobody until a command lets it join.
    pub joins_later: bool,
}

impl Default for Topology {
    /// One of each: `producer` sends to `queue`, from which `consumers` take.
    fn default() -> Self {
        Self {
            producers: vec![ProducerNode {
                name: "producer".into(),
                to: "queue".into(),
                ..ProducerNode::default()
            }],
            queues: vec![QueueNode { name: "queue".into(), ..QueueNode::default() }],
            consumers: vec![ConsumersNode {
                name: "consumers".into(),
                from: "queue".into(),
                ..ConsumersNode::default()
            }],
            topics: Vec::new(),
            groups: Vec::new(),
        }
    }
}

/// The most producers, queues, pools of consumers, topics or groups.
pub const NODES_MAX: usize = 16;

/// What is wrong with a topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopologyProblem {
    /// There must be 1 to 16 `producers`, and of `queues` and `consumers` where there are no groups; and
    /// no more of any kind.
    WrongCount(&'static str),
    /// No queue has this name, and where a producer may send there no topic.
    NoSuchQueue(String),
    /// No topic has this name.
    NoSuchTopic(String),
    /// The group of that name sends its retries to a topic to which another team sends its own.
    SharedRetries(String),
    /// The producer of that name is like one that does not stand before it, or is like another itself.
    WrongLike(String),
    /// A name is empty, used twice, or has other characters than letters, digits, `-` and `_`.
    BadName(String),
    /// What the node of that name says of a split does not fit: a queue is split off from one that
    /// is there from the start, and its producers and consumers come from that one.
    WrongSplit(String),
    /// The queue of that name is in use before it is split off: it, or a pool of its, comes first,
    /// or a producer or dead letters go to it from the start.
    UsedBeforeSplit(String),
}

impl Topology {
    /// Whether this version can run it.
    ///
    /// # Errors
    /// Names the first thing that is wrong.
    pub fn check(&self) -> Result<(), TopologyProblem> {
        let counts = [
            ("producers", self.producers.len()),
            ("queues", self.queues.len().max(usize::from(!self.groups.is_empty()))),
            ("consumers", self.consumers.len().max(usize::from(!self.groups.is_empty()))),
            ("topics", self.topics.len().max(1)),
            ("groups", self.groups.len().max(1)),
        ];
        if let Some((kind, _)) = counts.into_iter().find(|(_, count)| !(1..=NODES_MAX).contains(count)) {
            return Err(TopologyProblem::WrongCount(kind));
        }
        self.check_names()?;
        self.check_groups()?;
        self.check_alike()?;
        let targets = self.producers.iter().map(|node| &node.to);
        let targets = targets.filter(|to| self.topic_named(to).is_none());
        let sources = self.consumers.iter().map(|node| &node.from);
        let dead_letters = self.queues.iter().filter_map(|node| node.dead_letters_to.as_ref());
        match targets.chain(sources).chain(dead_letters).find(|name| self.queue_named(name).is_none()) {
            Some(unknown) => Err(TopologyProblem::NoSuchQueue(unknown.clone())),
            None => self.check_splits(),
        }
    }

    fn check_groups(&self) -> Result<(), TopologyProblem> {
        let topics = self.groups.iter().flat_map(|node| {
            [Some(&node.from), node.retry_to.as_ref(), node.dead_letters_to.as_ref()].into_iter().flatten()
        });
        match topics.into_iter().find(|name| self.topic_named(name).is_none()) {
            Some(unknown) => Err(TopologyProblem::NoSuchTopic(unknown.clone())),
            None => self.check_retries(),
        }
    }

    /// What stands in a topic for retries is tried again by those of one role: all who send there from
    /// elsewhere are of that one.
    fn check_retries(&self) -> Result<(), TopologyProblem> {
        let senders = || self.groups.iter().enumerate().filter(|(_, node)| node.retry_to.is_some());
        let are_apart = |(one, node): &(usize, &GroupNode)| {
            let to = node.retry_to.as_ref();
            let others =
                senders().filter(|(_, other)| other.retry_to.as_ref() == to && Some(&other.from) != to);
            Some(&node.from) != to
                && others.into_iter().any(|(other, _)| self.role_of_group(other) != self.role_of_group(*one))
        };
        match senders().find(are_apart) {
            Some((_, node)) => Err(TopologyProblem::SharedRetries(node.name.clone())),
            None => Ok(()),
        }
    }

    fn check_alike(&self) -> Result<(), TopologyProblem> {
        let is_wrong = |(place, node): (usize, &ProducerNode)| {
            let before = self.producers.iter().take(place).filter(|other| other.like.is_none());
            node.like.as_ref().is_some_and(|like| !before.map(|other| &other.name).any(|name| name == like))
        };
        match self.producers.iter().enumerate().find(|(place, node)| is_wrong((*place, node))) {
            Some((_, node)) => Err(TopologyProblem::WrongLike(node.name.clone())),
            None => Ok(()),
        }
    }

    /// The place of the producer whose messages the one at `index` sends: its own, unless it is like
    /// another.
    #[must_use]
    pub fn origin_of(&self, index: usize) -> usize {
        let like = self.producers.get(index).and_then(|node| node.like.as_ref());
        like.and_then(|like| self.producer_named(like)).unwrap_or(index)
    }

    #[inline(never)]
    fn producer_named(&self, name: &String) -> Option<usize> {
        self.producers.iter().position(|node| &node.name == name)
    }

    fn check_splits(&self) -> Result<(), TopologyProblem> {
        let is_wrong_queue = |node: &&QueueNode| {
            let source = node.split_from.as_ref();
            source.is_some_and(|source| !self.is_there_from_the_start(source))
        };
        let is_wrong_producer = |node: &&ProducerNode| {
            node.split_to.as_ref().is_some_and(|to| self.source_of(to) != Some(&node.to))
        };
        let wrong = self.queues.iter().find(is_wrong_queue).map(|node| &node.name);
        let wrong = wrong.or_else(|| self.producers.iter().find(is_wrong_producer).map(|node| &node.name));
        let is_wrong_pool = |node: &&ConsumersNode| {
            let is_split_off = self.source_of(&node.from).is_some();
            is_split_off && node.joins_later
                || node.split_from.as_ref().is_some_and(|pool| !self.may_come_from(node, pool))
        };
        let wrong = wrong.or_else(|| self.consumers.iter().find(is_wrong_pool).map(|node| &node.name));
        if let Some(name) = wrong {
            return Err(TopologyProblem::WrongSplit(name.clone()));
        }
        let first = self.queues.first().map(|node| &node.name);
        let first = first.into_iter().chain(self.consumers.first().map(|node| &node.from));
        let targets = self.producers.iter().map(|node| &node.to);
        let dead_letters = self.queues.iter().filter_map(|node| node.dead_letters_to.as_ref());
        match first.chain(targets).chain(dead_letters).find(|name| self.source_of(name).is_some()) {
            Some(used) => Err(TopologyProblem::UsedBeforeSplit(used.clone())),
            None => Ok(()),
        }
    }

    fn is_there_from_the_start(&self, queue: &str) -> bool {
        self.queues.iter().any(|node| node.name == queue && node.split_from.is_none())
    }

    /// The queue that the one of this name is split off from, if it is.
    fn source_of(&self, queue: &str) -> Option<&String> {
        self.queues.iter().find(|node| node.name == queue)?.split_from.as_ref()
    }

    /// Whether the consumers of a pool can come from the pool of that name.
    fn may_come_from(&self, node: &ConsumersNode, pool: &str) -> bool {
        let source = self.source_of(&node.from);
        source.is_some()
            && self.consumers.iter().any(|other| other.name == pool && Some(&other.from) == source)
    }

    /// Whether the queue at `index` is split off from the one at `source`.
    #[must_use]
    pub fn is_split_off(&self, index: usize, source: usize) -> bool {
        let from = self.queues.get(index).and_then(|node| node.split_from.as_ref());
        from.is_some_and(|from| self.queue_named(from) == Some(source))
    }

    fn check_names(&self) -> Result<(), TopologyProblem> {
        let names: Vec<&String> = self.names().collect();
        let bad = names.iter().enumerate().find(|(index, name)| {
            let is_plain = name.chars().all(|letter| letter.is_alphanumeric() || "-_".contains(letter));
            name.is_empty()
                || name.chars().count() > 40
                || !is_plain
                || names.iter().skip(index + 1).any(|other| other == *name)
        });
        bad.map_or(Ok(()), |(_, name)| Err(TopologyProblem::BadName((*name).clone())))
    }

    /// The place of the queue of that name.
    #[must_use]
    pub fn queue_named(&self, name: &str) -> Option<usize> {
        self.queues.iter().position(|node| node.name == name)
    }

    /// The place of the topic of that name.
    #[must_use]
    pub fn topic_named(&self, name: &str) -> Option<usize> {
        self.topics.iter().position(|node| node.name == name)
    }

    /// The names of all pools: those of queues, and then the groups.
    pub fn pool_names(&self) -> impl Iterator<Item = &String> {
        self.consumers.iter().map(|node| &node.name).chain(self.groups.iter().map(|node| &node.name))
    }

    /// Whether the pool at that place among all has nobody until a command lets it join.
    #[must_use]
    pub fn joins_later(&self, pool: usize) -> bool {
        let of_queues = self.consumers.iter().map(|node| node.joins_later);
        of_queues.chain(self.groups.iter().map(|node| node.joins_later)).nth(pool).unwrap_or_default()
    }

    /// The place of the pool of that name among all.
    #[must_use]
    pub fn pool_named(&self, name: &str) -> Option<usize> {
        self.pool_names().position(|pool| pool == name)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        let producers = self.producers.iter().map(|node| &node.name);
        let queues = self.queues.iter().map(|node| &node.name);
        let topics = self.topics.iter().map(|node| &node.name);
        producers.chain(queues).chain(topics).chain(self.pool_names())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_at_least_one_of_each_with_plain_names() {
        assert_eq!(Topology::default().check(), Ok(()));
        let mut two = Topology::default();
        let second =
            QueueNode { name: "second".into(), dead_letters_to: Some("queue".into()), split_from: None };
        two.queues.push(second);
        assert_eq!(two.check(), Ok(()));
        two.queues[1].dead_letters_to = Some("nowhere".into());
        assert_eq!(two.check(), Err(TopologyProblem::NoSuchQueue("nowhere".into())));
        let none = Topology { queues: Vec::new(), ..Topology::default() };
        assert_eq!(none.check(), Err(TopologyProblem::WrongCount("queues")));
        assert_eq!(without_queues().check(), Ok(()));
        let to_a_queue = Topology { topics: Vec::new(), groups: Vec::new(), ..without_queues() };
        assert_eq!(to_a_queue.check(), Err(TopologyProblem::WrongCount("queues")));
        let mut served = without_queues();
        served.consumers = Topology::default().consumers;
        assert_eq!(served.check(), Err(TopologyProblem::NoSuchQueue("queue".into())));
        let mut elsewhere = Topology::default();
        elsewhere.producers[0].to = "orders".into();
        assert_eq!(elsewhere.check(), Err(TopologyProblem::NoSuchQueue("orders".into())));
        let mut same = Topology::default();
        same.consumers[0].name = "producer".into();
        assert_eq!(same.check(), Err(TopologyProblem::BadName("producer".into())));
    }

    fn without_queues() -> Topology {
        let group = GroupNode { name: "billing".into(), from: "orders".into(), ..GroupNode::default() };
        let mut topology = Topology::default();
        topology.producers[0].to = "orders".into();
        (topology.queues, topology.consumers) = (Vec::new(), Vec::new());
        topology.topics.push(TopicNode { name: "orders".into() });
        topology.groups.push(group);
        topology
    }

    /// The default, and a queue that is split off from its queue with everything that goes there.
    fn with_a_split() -> Topology {
        let mut topology = Topology::default();
        topology.producers[0].split_to = Some("urgent".into());
        topology.queues.push(QueueNode {
            name: "urgent".into(),
            split_from: Some("queue".into()),
            ..QueueNode::default()
        });
        topology.consumers.push(ConsumersNode {
            name: "urgent-consumers".into(),
            from: "urgent".into(),
            split_from: Some("consumers".into()),
            ..ConsumersNode::default()
        });
        topology
    }

    #[test]
    fn a_split_leads_from_what_is_there_to_what_is_not_in_use() {
        let wrong = |name: &str| Err(TopologyProblem::WrongSplit(name.into()));
        let used = |name: &str| Err(TopologyProblem::UsedBeforeSplit(name.into()));
        assert_eq!(with_a_split().check(), Ok(()));
        let changed = |change: fn(&mut Topology)| {
            let mut topology = with_a_split();
            change(&mut topology);
            topology.check()
        };
        assert_eq!(changed(|all| all.consumers[1].split_from = None), Ok(()), "additional consumers");
        assert_eq!(changed(|all| all.queues[1].split_from = Some("nowhere".into())), wrong("urgent"));
        assert_eq!(changed(|all| all.queues[1].split_from = Some("urgent".into())), wrong("urgent"));
        assert_eq!(changed(|all| all.producers[0].split_to = Some("queue".into())), wrong("producer"));
        assert_eq!(changed(|all| all.consumers[0].split_from = Some("consumers".into())), wrong("consumers"));
        let of_itself = changed(|all| all.consumers[1].split_from = Some("urgent-consumers".into()));
        assert_eq!(of_itself, wrong("urgent-consumers"));
        assert_eq!(changed(|all| all.queues[0].dead_letters_to = Some("urgent".into())), used("urgent"));
        let sends_there = changed(|all| {
            all.producers.push(ProducerNode {
                name: "early".into(),
                to: "urgent".into(),
                ..ProducerNode::default()
            });
        });
        assert_eq!(sends_there, used("urgent"));
        assert_eq!(changed(|all| all.queues.reverse()), used("urgent"), "the dials speak of the first");
        assert_eq!(changed(|all| all.consumers.reverse()), used("urgent"));
    }
}
