//! Members of a group at work: they join, leave, die, and are heard of.

use super::super::super::settings::CONSUMERS_MAX;
use super::super::super::time::Instant;
use super::super::super::work_queue::ConsumerIndex;
use super::Reading;

impl Reading {
    /// A consumer joins, or one that had died joins again.
    pub fn join(&mut self, now: Instant, consumer: ConsumerIndex) {
        let is_alive = self.joined.iter().any(|other| *other != consumer && !self.is_silent(*other));
        self.silent.retain(|other| *other != consumer);
        if !self.is_member(consumer) {
            self.joined.push(consumer);
        }
        // One more thread of a client that lives changes nothing for the group.
        if !(self.is_spread() && is_alive) {
            self.group.join(now, &self.id_of(consumer), None, &[0]);
            self.call_round(now);
        }
    }

    /// A member with empty hands leaves.
    pub fn leave(&mut self, now: Instant, consumer: ConsumerIndex) {
        let lives_on = self.joined.iter().any(|other| *other != consumer && !self.is_silent(*other));
        if self.is_spread() && lives_on {
            return self.forget(consumer);
        }
        self.group.leave(&self.id_of(consumer));
        self.commit_all_of(self.client_of(consumer));
        if self.is_spread() {
            // Its dead threads go with it.
            self.joined.clone().into_iter().for_each(|thread| self.forget(thread));
        } else {
            self.forget(consumer);
        }
        self.call_round(now);
    }

    /// A member has died. What it had in hand is not committed; its partitions wait until its session
    /// is over, or until it joins again.
    pub fn lose(&mut self, now: Instant, consumer: ConsumerIndex) {
        if !self.is_member(consumer) || self.is_silent(consumer) {
            return;
        }
        self.silent.push(consumer);
        self.take_back(|other| other == consumer);
        if !self.is_spread() || self.is_client_silent() {
            self.lose_client(now, consumer);
        }
    }

    fn lose_client(&mut self, now: Instant, consumer: ConsumerIndex) {
        let id = self.id_of(consumer);
        self.group.heartbeat(now, &id);
        self.group.poll(now, &id);
        self.abandon_all_of(self.client_of(consumer));
    }

    /// The connections are lost: no answer to what is in hand now will be heard.
    pub fn lose_connections(&mut self) {
        self.take_back(|_| true);
    }

    /// The broker is there again: all sessions begin anew.
    pub fn begin_sessions(&mut self, now: Instant) {
        for consumer in &self.joined {
            let id = self.id_of(*consumer);
            self.group.heartbeat(now, &id);
            self.group.poll(now, &id);
        }
    }

    /// When a member's session may be over.
    #[must_use]
    pub fn session_due(&self) -> Option<Instant> {
        self.group.next_expiry()
    }

    /// Members that are alive were heard of until now, those that still ask for work did that too;
    /// who was not heard of in time is gone.
    pub fn mind_sessions(&mut self, now: Instant, polls: impl Fn(ConsumerIndex) -> bool) {
        let ids = self.group.members().iter().map(|member| member.candidate.id.clone());
        for id in ids.collect::<Vec<_>>() {
            let is_spread = self.is_spread();
            let is_silent =
                |consumer| if is_spread { self.is_client_silent() } else { self.is_silent(consumer) };
            let Some(consumer) = consumer_of(&id).filter(|consumer| !is_silent(*consumer)) else {
                continue;
            };
            self.group.heartbeat(now, &id);
            if is_spread || polls(consumer) {
                self.group.poll(now, &id);
            }
        }
        while let Some((gone, _)) = self.group.expire(now) {
            if self.is_spread() {
                self.joined.clone().into_iter().for_each(|thread| self.forget(thread));
            } else if let Some(consumer) = consumer_of(&gone.id) {
                self.forget(consumer);
            }
            self.call_round(now);
        }
    }
}

impl Reading {
    /// The member that a consumer is, or is a thread of: the first of its pool stands for all.
    pub(super) fn client_of(&self, consumer: ConsumerIndex) -> ConsumerIndex {
        let first = consumer.0 - consumer.0 % u32::try_from(CONSUMERS_MAX).unwrap_or(1);
        if self.is_spread() { ConsumerIndex(first) } else { consumer }
    }

    fn id_of(&self, consumer: ConsumerIndex) -> String {
        member_id(self.client_of(consumer))
    }
}

/// A member's id: its number in five digits, so that ids stand in the order of numbers.
pub(super) fn member_id(consumer: ConsumerIndex) -> String {
    format!("{:05}", consumer.0)
}

pub(super) fn consumer_of(id: &str) -> Option<ConsumerIndex> {
    id.parse().ok().map(ConsumerIndex)
}
