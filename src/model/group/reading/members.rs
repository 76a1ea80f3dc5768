//! Members of a group at work: they join, leave, die, and are heard of.

use super::super::super::time::Instant;
use super::super::super::work_queue::ConsumerIndex;
use super::Reading;

impl Reading {
    /// A consumer joins, or one that had died joins again.
    pub fn join(&mut self, now: Instant, consumer: ConsumerIndex) {
        self.silent.retain(|other| *other != consumer);
        if !self.is_member(consumer) {
            self.joined.push(consumer);
        }
        self.group.join(now, &member_id(consumer), None, &[0]);
        self.call_round(now);
    }

    /// A member with empty hands leaves.
    pub fn leave(&mut self, now: Instant, consumer: ConsumerIndex) {
        self.group.leave(&member_id(consumer));
        self.commit_all_of(consumer);
        self.forget(consumer);
        self.call_round(now);
    }

    /// A member has died. What it had in hand is not committed; its partitions wait until its session
    /// is over, or until it joins again.
    pub fn lose(&mut self, now: Instant, consumer: ConsumerIndex) {
        if !self.is_member(consumer) || self.is_silent(consumer) {
            return;
        }
        self.silent.push(consumer);
        let id = member_id(consumer);
        self.group.heartbeat(now, &id);
        self.group.poll(now, &id);
        self.take_back(|out| out.consumer == consumer);
        self.abandon_all_of(consumer);
    }

    /// The connections are lost: no answer to what is in hand now will be heard.
    pub fn lose_connections(&mut self) {
        self.take_back(|_| true);
    }

    /// The broker is there again: all sessions begin anew.
    pub fn begin_sessions(&mut self, now: Instant) {
        for consumer in &self.joined {
            let id = member_id(*consumer);
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
            let Some(consumer) = consumer_of(&id).filter(|consumer| !self.is_silent(*consumer)) else {
                continue;
            };
            self.group.heartbeat(now, &id);
            if polls(consumer) {
                self.group.poll(now, &id);
            }
        }
        while let Some((gone, _)) = self.group.expire(now) {
            if let Some(consumer) = consumer_of(&gone.id) {
                self.forget(consumer);
            }
            self.call_round(now);
        }
    }
}

/// A member's id: its number in five digits, so that ids stand in the order of numbers.
pub(super) fn member_id(consumer: ConsumerIndex) -> String {
    format!("{:05}", consumer.0)
}

pub(super) fn consumer_of(id: &str) -> Option<ConsumerIndex> {
    id.parse().ok().map(ConsumerIndex)
}
