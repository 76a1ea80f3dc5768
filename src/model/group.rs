//! A consumer group: its members, and which of them reads which partition.
//!
//! A state machine of explicit operations that take `now`, without agenda and without simulation.
//! Members join, leave, or fall silent; each of these, and a changed number of partitions, makes the
//! group rebalance. What a rebalance stops depends on the protocol: with the eager one everything,
//! from its beginning until it is over; with the cooperative one what moves, from the first round to
//! the second ([`rebalance`]). How long that takes is for whoever drives the group to say.
//!
//! At no instant do two members read one partition: there is deliberately no operation that gives a
//! partition to a member but a round, and a round gives each to at most one.

pub mod assignors;
mod constrained;
mod java_order;
pub mod offsets;
pub mod reading;
pub mod rebalance;
pub mod reset;
#[cfg(test)]
mod tests;
pub mod time_lag;
mod unequal;

use assignors::{Assignment, Assignor, Candidate, Protocol, Topic, TopicPartition};
use rebalance::{Pauses, Round, changes};

use super::held::HeldBytes;
use super::state_hash::StateHasher;
use super::time::{Instant, Span};

/// After how long a silent member counts as gone. The defaults are Kafka's (`ConsumerConfig`,
/// 4.0.0-SNAPSHOT of 2024-10-25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupTimers {
    /// How often a member says that it is alive (`heartbeat.interval.ms`).
    pub heartbeat_interval: Span,
    /// How long the group waits for that (`session.timeout.ms`).
    pub session_timeout: Span,
    /// How long it waits for a member to ask for more work (`max.poll.interval.ms`).
    pub poll_interval_max: Span,
}

impl Default for GroupTimers {
    fn default() -> Self {
        Self {
            heartbeat_interval: Span::from_seconds(3),
            session_timeout: Span::from_seconds(45),
            poll_interval_max: Span::from_seconds(300),
        }
    }
}

/// What a group is doing, in Kafka's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupState {
    /// No members. Only now can offsets be reset.
    Empty,
    /// Members are being gathered, or a second round is to come.
    Rebalancing,
    /// Every member knows what it reads.
    Stable,
}

impl GroupState {
    /// Its name in exports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Rebalancing => "rebalancing",
            Self::Stable => "stable",
        }
    }
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its id, its name over restarts, its topics, and what it has in which generation.
    pub candidate: Candidate,
    heartbeat_at: Instant,
    polled_at: Instant,
}

/// Why a member is no longer in the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// It said so.
    Left,
    /// It was silent for longer than the session timeout.
    Silent,
    /// It was alive, and did not ask for more work within the longest poll interval.
    Stuck,
}

/// A consumer group.
#[derive(Clone, Debug)]
pub struct Group {
    assignor: Assignor,
    timers: GroupTimers,
    /// In the order in which they joined.
    members: Vec<Member>,
    generation: u64,
    /// A rebalance has begun and is not over.
    is_rebalancing: bool,
}

impl Group {
    /// A group without members.
    #[must_use]
    pub const fn new(assignor: Assignor, timers: GroupTimers) -> Self {
        Self { assignor, timers, members: Vec::new(), generation: 0, is_rebalancing: false }
    }

    /// Its members, in the order in which they joined.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The rule by which it gives out partitions.
    #[must_use]
    pub const fn assignor(&self) -> Assignor {
        self.assignor
    }

    /// How often it has given out partitions.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// What it is doing.
    #[must_use]
    pub const fn state(&self) -> GroupState {
        match (self.members.is_empty(), self.is_rebalancing) {
            (true, _) => GroupState::Empty,
            (false, true) => GroupState::Rebalancing,
            (false, false) => GroupState::Stable,
        }
    }

    /// Members that were given nothing to read.
    #[must_use]
    pub fn idle_members(&self) -> usize {
        self.members.iter().filter(|member| member.candidate.owned.is_empty()).count()
    }

    /// Who may read the partition now: nobody while it moves, and with the eager protocol nobody
    /// during a rebalance.
    #[must_use]
    pub fn reader_of(&self, partition: TopicPartition) -> Option<&Member> {
        if self.is_rebalancing && self.assignor.protocol() == Protocol::Eager {
            return None;
        }
        self.members.iter().find(|member| member.candidate.owned.contains(&partition))
    }

    /// A member joins, and the group has to rebalance. One whose instance name is known takes over
    /// what that had, and nothing moves; one whose id is known says its topics anew.
    pub fn join(&mut self, now: Instant, id: &str, instance: Option<&str>, topics: &[usize]) {
        let same_instance =
            |member: &&mut Member| instance.is_some() && member.candidate.instance.as_deref() == instance;
        let known = match self.members.iter_mut().find(same_instance) {
            Some(known) => Some(known),
            None => self.members.iter_mut().find(|member| member.candidate.id == id),
        };
        match known {
            Some(known) => {
                let is_same =
                    known.candidate.instance.as_deref() == instance && known.candidate.topics == topics;
                id.clone_into(&mut known.candidate.id);
                known.candidate.topics = topics.to_vec();
                (known.heartbeat_at, known.polled_at) = (now, now);
                self.is_rebalancing |= !is_same || instance.is_none();
            }
            None => {
                self.members.push(Member::new(now, id, instance, topics));
                self.is_rebalancing = true;
            }
        }
    }

    /// A member leaves by itself. Returns what it had: nobody reads that until the next round.
    pub fn leave(&mut self, id: &str) -> Vec<TopicPartition> {
        let place = self.members.iter().position(|member| member.candidate.id == id);
        place.map_or_else(Vec::new, |place| self.remove(place).owned)
    }

    fn remove(&mut self, place: usize) -> Candidate {
        let member = self.members.remove(place);
        self.is_rebalancing = !self.members.is_empty();
        member.candidate
    }

    /// A member says that it is alive.
    pub fn heartbeat(&mut self, now: Instant, id: &str) {
        if let Some(member) = self.member_mut(id) {
            member.heartbeat_at = now;
        }
    }

    /// A member asks for more work.
    pub fn poll(&mut self, now: Instant, id: &str) {
        if let Some(member) = self.member_mut(id) {
            member.polled_at = now;
        }
    }

    fn member_mut(&mut self, id: &str) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.candidate.id == id)
    }

    /// The next instant at which a member counts as gone unless it is heard of.
    #[must_use]
    pub fn next_expiry(&self) -> Option<Instant> {
        self.members.iter().map(|member| member.gone_at(&self.timers).0).min()
    }

    /// Takes out a member that was not heard of in time, with what it had; `None` where all were.
    pub fn expire(&mut self, now: Instant) -> Option<(Candidate, Gone)> {
        let gone = |member: &Member| Some(member.gone_at(&self.timers)).filter(|(at, _)| *at <= now);
        let (place, (_, why)) =
            self.members.iter().enumerate().find_map(|(place, member)| Some((place, gone(member)?)))?;
        Some((self.remove(place), why))
    }

    /// The number of partitions has changed, or which topics there are: the group has to rebalance.
    pub const fn topics_changed(&mut self) {
        self.is_rebalancing = !self.members.is_empty();
    }

    /// What would stop if the group rebalanced now, by either protocol. It asks the assignor and
    /// changes nothing.
    #[must_use]
    pub fn pauses(&self, topics: &[Topic]) -> Pauses {
        let mut after = self.clone();
        let mut cooperative = 0;
        loop {
            let round = after.rebalance(topics);
            cooperative += round.revoked.len();
            if !round.another_follows {
                break;
            }
        }
        let eager = self.members.iter().map(|member| member.candidate.owned.len()).sum();
        Pauses { eager, cooperative }
    }

    /// Gives the partitions of `topics` to the members: one round. With the eager protocol it is the
    /// only one. With the cooperative one, partitions that members have to give up get no reader in
    /// this round, and another follows.
    pub fn rebalance(&mut self, topics: &[Topic]) -> Round {
        let candidates: Vec<Candidate> = self.members.iter().map(|member| member.candidate.clone()).collect();
        let before: Assignment = candidates.iter().map(|candidate| candidate.owned.clone()).collect();
        let assignment = self.assignor.assign(topics, &candidates);
        let (revoked, added) = changes(&before, &assignment);
        let another_follows = self.assignor.protocol() == Protocol::Cooperative && !revoked.is_empty();
        self.generation += 1;
        self.is_rebalancing = another_follows;
        for (member, own) in self.members.iter_mut().zip(&assignment) {
            member.candidate.owned.clone_from(own);
            member.candidate.generation = Some(self.generation);
        }
        Round { generation: self.generation, assignment, revoked, added, another_follows }
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Member>(self.members.len());
        let owned = self.members.iter().map(|member| member.candidate.owned.len());
        held.own::<TopicPartition>(owned.sum());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.assignor as u64);
        hasher.write(self.timers.session_timeout.micros());
        hasher.write(self.timers.poll_interval_max.micros());
        hasher.write(self.generation);
        hasher.write(u64::from(self.is_rebalancing));
        self.members.iter().for_each(|member| member.hash_into(hasher));
    }
}

impl Member {
    fn new(now: Instant, id: &str, instance: Option<&str>, topics: &[usize]) -> Self {
        let candidate = Candidate {
            id: id.to_owned(),
            instance: instance.map(str::to_owned),
            topics: topics.to_vec(),
            ..Candidate::default()
        };
        Self { candidate, heartbeat_at: now, polled_at: now }
    }

    /// When it counts as gone unless it is heard of, and why it will.
    fn gone_at(&self, timers: &GroupTimers) -> (Instant, Gone) {
        let silent = self.heartbeat_at + timers.session_timeout;
        let stuck = self.polled_at + timers.poll_interval_max;
        if stuck < silent { (stuck, Gone::Stuck) } else { (silent, Gone::Silent) }
    }

    fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write_text(&self.candidate.id);
        hasher.write_text(self.candidate.instance.as_deref().unwrap_or_default());
        hasher.write(self.heartbeat_at.micros());
        hasher.write(self.polled_at.micros());
        hasher.write(self.candidate.generation.unwrap_or_default());
        for topic in &self.candidate.topics {
            hasher.write(*topic as u64);
        }
        for partition in &self.candidate.owned {
            hasher.write(partition.topic as u64);
            hasher.write(u64::from(partition.partition));
        }
    }
}
