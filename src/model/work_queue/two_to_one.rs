//! The two priorities of a quorum queue: of the high one two go for one of the normal one.
//!
//! Priorities 0 to 4 are normal, 5 and above are high. Both lines move, so nothing starves. A
//! message that came back goes before either, whatever its priority (RabbitMQ 4.0 to 4.2:
//! documentation of quorum queues, and the rule in its source `rabbit_fifo_q`).

use super::super::message::Message;
use super::super::state_hash::StateHasher;
use super::lines::Lines;

/// The lines: normal, high, and those that came back.
pub const LINES: usize = 3;
const NORMAL: usize = 0;
const HIGH: usize = 1;
const RETURNED: usize = 2;

/// From this priority on a message is of the high one.
const HIGH_FROM: u8 = 5;
/// At this turn of three it is the normal line's.
const TURN_OF_NORMAL: u8 = 2;

/// Whose turn it is: 0 and 1 the high line's, 2 the normal line's.
#[derive(Clone, Copy, Debug, Default)]
pub struct TwoToOne(u8);

/// The line of a message that never was with a consumer.
pub fn line_of(message: &Message) -> usize {
    if message.properties().priority >= HIGH_FROM { HIGH } else { NORMAL }
}

impl TwoToOne {
    /// The line whose message goes next. Where only one of both has messages it goes on, and a
    /// high one that came before all normal ones goes first even at their turn.
    pub fn next_line(self, lines: &[Lines]) -> Option<usize> {
        let [normal, high, returned] = lines else { return None };
        if !returned.is_empty() {
            return Some(RETURNED);
        }
        self.high_or_normal(high.oldest(), normal.oldest())
    }

    fn high_or_normal(self, high: Option<&Message>, normal: Option<&Message>) -> Option<usize> {
        match (high, normal) {
            (None, None) => None,
            (None, Some(_)) => Some(NORMAL),
            (Some(high), Some(normal))
                if self.0 == TURN_OF_NORMAL && high.accepted_at >= normal.accepted_at =>
            {
                Some(NORMAL)
            }
            (Some(_), _) => Some(HIGH),
        }
    }

    /// A message of that line goes. One that came back takes nobody's turn; any other takes the
    /// turn, whose ever it was.
    pub const fn count(&mut self, line: usize) {
        if line != RETURNED {
            self.0 = if self.0 == TURN_OF_NORMAL { 0 } else { self.0 + 1 };
        }
    }

    /// All messages in the order in which they would go.
    pub fn in_order(mut self, lines: &[Lines]) -> impl Iterator<Item = &Message> {
        let mut waiting = lines.iter().map(|line| Box::new(line.iter()).peekable());
        let (mut normal, mut high) = (waiting.next(), waiting.next());
        let returned = lines.get(RETURNED).into_iter().flat_map(Lines::iter);
        returned.chain(std::iter::from_fn(move || {
            let (high, normal) = (high.as_mut()?, normal.as_mut()?);
            let next = self.high_or_normal(high.peek().copied(), normal.peek().copied())?;
            self.count(next);
            if next == HIGH { high.next() } else { normal.next() }
        }))
    }

    pub(super) fn hash_into(self, hasher: &mut StateHasher) {
        hasher.write(u64::from(self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::message::{Luggage, MessageId, Properties};
    use super::super::super::time::Instant;
    use super::super::rules::QueueRules;
    use super::super::{ConsumerIndex, GivenBack, WorkQueue};
    use super::*;

    /// Message `number` of that priority arrives in its second.
    fn publish(queue: &mut WorkQueue, number: u64, priority: u8) {
        let properties = Properties { priority, ..Properties::default() };
        let luggage = Some(std::rc::Rc::new(Luggage::with(properties)));
        let at = Instant::from_seconds(number);
        queue.publish(at, Message { id: MessageId::new(0, number), accepted_at: at, luggage });
    }

    fn quorum(priorities: &[u8]) -> WorkQueue {
        let mut queue = WorkQueue::new(QueueRules::rabbitmq_quorum_4_0());
        (1..).zip(priorities).for_each(|(number, priority)| publish(&mut queue, number, *priority));
        queue
    }

    /// The numbers of the next so many messages, each acknowledged at once.
    fn taken(queue: &mut WorkQueue, count: u32) -> Vec<u64> {
        let now = Instant::from_seconds(1_000);
        let received = queue.receive(now, ConsumerIndex(0), count, None);
        received.iter().for_each(|delivery| assert!(queue.acknowledge(delivery.tag)));
        received.iter().map(|delivery| delivery.id.number()).collect()
    }

    fn listed(queue: &WorkQueue) -> Vec<u64> {
        queue.ready().iter().map(|message| message.id.number()).collect()
    }

    #[test]
    fn two_high_ones_go_for_one_normal_one() {
        let mut queue = quorum(&[0, 0, 0, 4, 5, 9, 255, 5, 5]);
        assert_eq!(listed(&queue), [5, 6, 1, 7, 8, 2, 9, 3, 4]);
        assert_eq!(taken(&mut queue, 9), [5, 6, 1, 7, 8, 2, 9, 3, 4]);
    }

    #[test]
    fn a_high_one_that_came_first_goes_first_even_at_the_turn_of_the_others() {
        let mut queue = quorum(&[5, 5, 5, 0, 0, 5, 5]);
        assert_eq!(listed(&queue), [1, 2, 3, 6, 7, 4, 5]);
        assert_eq!(taken(&mut queue, 7), [1, 2, 3, 6, 7, 4, 5]);
    }

    #[test]
    fn turns_are_counted_while_only_one_line_has_messages() {
        let mut queue = quorum(&[0, 0, 0, 0]);
        assert_eq!(taken(&mut queue, 2), [1, 2]);
        publish(&mut queue, 5, 7);
        publish(&mut queue, 6, 7);
        assert_eq!(taken(&mut queue, 4), [3, 5, 6, 4]);
    }

    #[test]
    fn what_came_back_goes_before_both_and_takes_no_turn() {
        let mut queue = quorum(&[0, 0, 9, 9, 9]);
        let now = Instant::from_seconds(1_000);
        let received = queue.receive(now, ConsumerIndex(0), 3, None);
        let numbers: Vec<u64> = received.iter().map(|delivery| delivery.id.number()).collect();
        assert_eq!(numbers, [3, 4, 1]);
        // The normal one first: those that come back go in the order of their return.
        queue.give_back(now, received[2].tag, GivenBack::Requeued);
        queue.give_back(now, received[0].tag, GivenBack::Requeued);
        assert_eq!(listed(&queue), [1, 3, 5, 2]);
        assert_eq!(taken(&mut queue, 4), [1, 3, 5, 2]);
    }

    #[test]
    fn at_the_bound_the_one_that_would_go_next_is_dropped() {
        let mut queue = quorum(&[0, 0, 9]);
        queue.set_bound(super::super::super::settings::Bound::Messages(3));
        publish(&mut queue, 4, 0);
        assert_eq!(listed(&queue), [1, 2, 4]);
    }
}
