//! What a producer's messages carry.

use std::rc::Rc;

use super::super::message::{Luggage, Message, MessageId, Properties};
use super::super::rng::DrawKey;
use super::super::settings::HOT_KEY;
use super::super::time::Instant;
use super::Producer;

/// What a producer's messages are like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageKind {
    /// What each carries; the group is drawn.
    pub properties: Properties,
    /// Groups they belong to: at least 1.
    pub group_count: u64,
    /// Keys that they have where they go to a topic; 0: none.
    pub key_count: u64,
    /// Of these, those that have the first key whatever is drawn, in millionths.
    pub hot_share: u32,
}

impl Producer {
    /// The message `id` as it goes to the queue.
    #[must_use]
    pub fn message(&self, id: MessageId, now: Instant) -> Message {
        let mut message = Message { id, accepted_at: now, luggage: self.luggage.clone() };
        if self.kind.group_count > 1 {
            let key = DrawKey::of_message(id);
            let group = self.groups.up_to(key, self.kind.group_count - 1);
            let luggage = Luggage::with(Properties { group, ..self.kind.properties });
            message.luggage = Some(Rc::new(luggage));
        }
        if self.kind.properties.deadline.is_some() && self.last_held == Some(id) {
            let luggage = message.luggage.get_or_insert_default();
            Rc::make_mut(luggage).past.offered_at = Some(self.held_since);
        }
        message
    }

    /// The key of the message `id` in a topic, if it has one: the same whoever sends it, and equal to
    /// its group where there are as many of these.
    #[must_use]
    pub fn key(&self, id: MessageId) -> Option<u64> {
        if self.is_hot(id) {
            return Some(HOT_KEY);
        }
        let last = self.kind.key_count.checked_sub(1)?;
        Some(self.groups.up_to(DrawKey::of_message(id), last))
    }

    fn is_hot(&self, id: MessageId) -> bool {
        let share = self.kind.hot_share;
        share > 0 && self.hot.up_to(DrawKey::of_message(id), 999_999) < u64::from(share)
    }
}
