//! What is connected to what: named producers, queues and consumer pools.
//!
//! The default has one of each; the dials speak of the first of each.

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
}

/// A producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerNode {
    /// Its name.
    pub name: String,
    /// The queue it sends to.
    pub to: String,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueNode {
    /// Its name.
    pub name: String,
    /// The queue for its dead letters, if it names one.
    pub dead_letters_to: Option<String>,
}

/// A pool of consumers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumersNode {
    /// Its name.
    pub name: String,
    /// The queue it takes from.
    pub from: String,
}

impl Default for Topology {
    /// One of each: `producer` sends to `queue`, from which `consumers` take.
    fn default() -> Self {
        Self {
            producers: vec![ProducerNode { name: "producer".into(), to: "queue".into() }],
            queues: vec![QueueNode { name: "queue".into(), dead_letters_to: None }],
            consumers: vec![ConsumersNode { name: "consumers".into(), from: "queue".into() }],
        }
    }
}

/// The most producers, queues or pools of consumers.
pub const NODES_MAX: usize = 16;

/// What is wrong with a topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopologyProblem {
    /// There must be 1 to 16 of these: `producers`, `queues` or `consumers`.
    WrongCount(&'static str),
    /// No queue has this name.
    NoSuchQueue(String),
    /// A name is empty, used twice, or has other characters than letters, digits, `-` and `_`.
    BadName(String),
}

impl Topology {
    /// Whether this version can run it.
    ///
    /// # Errors
    /// Names the first thing that is wrong.
    pub fn check(&self) -> Result<(), TopologyProblem> {
        let counts = [
            ("producers", self.producers.len()),
            ("queues", self.queues.len()),
            ("consumers", self.consumers.len()),
        ];
        if let Some((kind, _)) = counts.into_iter().find(|(_, count)| !(1..=NODES_MAX).contains(count)) {
            return Err(TopologyProblem::WrongCount(kind));
        }
        self.check_names()?;
        let targets = self.producers.iter().map(|node| &node.to);
        let sources = self.consumers.iter().map(|node| &node.from);
        let dead_letters = self.queues.iter().filter_map(|node| node.dead_letters_to.as_ref());
        match targets.chain(sources).chain(dead_letters).find(|name| self.queue_named(name).is_none()) {
            Some(unknown) => Err(TopologyProblem::NoSuchQueue(unknown.clone())),
            None => Ok(()),
        }
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

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        let producers = self.producers.iter().map(|node| &node.name);
        let queues = self.queues.iter().map(|node| &node.name);
        producers.chain(queues).chain(self.consumers.iter().map(|node| &node.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_at_least_one_of_each_with_plain_names() {
        assert_eq!(Topology::default().check(), Ok(()));
        let mut two = Topology::default();
        two.queues.push(QueueNode { name: "second".into(), dead_letters_to: Some("queue".into()) });
        assert_eq!(two.check(), Ok(()));
        two.queues[1].dead_letters_to = Some("nowhere".into());
        assert_eq!(two.check(), Err(TopologyProblem::NoSuchQueue("nowhere".into())));
        let none = Topology { queues: Vec::new(), ..Topology::default() };
        assert_eq!(none.check(), Err(TopologyProblem::WrongCount("queues")));
        let mut elsewhere = Topology::default();
        elsewhere.producers[0].to = "orders".into();
        assert_eq!(elsewhere.check(), Err(TopologyProblem::NoSuchQueue("orders".into())));
        let mut same = Topology::default();
        same.consumers[0].name = "producer".into();
        assert_eq!(same.check(), Err(TopologyProblem::BadName("producer".into())));
    }
}
