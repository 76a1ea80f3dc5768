//! The rules by which one broker's queue differs from another's, and named bundles of them.

use super::super::settings::{Bound, OverflowPolicy};
use super::super::state_hash::StateHasher;
use super::super::time::Span;

/// What a queue does where brokers differ. Every field can be set alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRules {
    /// How many messages may wait.
    pub bound: Bound,
    /// How many bytes may wait; the limit that is hit first holds.
    pub bound_bytes: Option<u64>,
    /// What happens at the bound.
    pub overflow: OverflowPolicy,
    /// A message that is refused at the bound also becomes a dead letter
    /// (RabbitMQ `reject-publish-dlx`).
    pub dead_letters_refused: bool,
    /// What the bound counts.
    pub bound_counts: BoundCounts,
    /// Refuse only once more wait than the bound allows: "at least one more"
    /// (RabbitMQ quorum queues with `reject-publish`).
    pub refuses_above_bound: bool,
    /// Which waiting message goes first.
    pub order: Order,
    /// Where a message goes that comes back from a consumer.
    pub return_place: ReturnPlace,
    /// How often a message may be delivered; `None`: for ever.
    pub delivery_limit: Option<DeliveryLimit>,
    /// Whether a negative acknowledgement with requeue counts as a delivery used up. It does not
    /// on RabbitMQ 4.3 quorum queues; a reject, a crash and a lease that ran out always do.
    pub nack_counts: bool,
    /// How long a message may wait. It is acted on only when the message is at the head.
    pub ttl: Option<Span>,
    /// The highest priority level; 0: no priorities. A higher one is taken down to this.
    pub priority_max: u8,
    /// Two levels of priority, of which both move: two messages of 5 and above for one below
    /// (RabbitMQ quorum queues 4.0 to 4.2, whatever `priority_max` says).
    pub two_priorities: bool,
    /// Only one consumer gets messages, until it goes away.
    pub single_active_consumer: bool,
    /// How long a delivery stays hidden before it can be received again; `None`: until its
    /// consumer goes away.
    pub visibility_timeout: Option<Span>,
    /// How long a message is kept in all, delivered or not.
    pub retention: Option<Span>,
    /// What a message keeps when it is dead-lettered out of this queue.
    pub dead_letters_keep: DeadLettersKeep,
    /// Whether a delivery whose lease ran out can still be acknowledged, as long as nobody else
    /// has received the message.
    pub late_acknowledgement: bool,
    /// How long an accepted deduplication id makes further messages with it vanish.
    pub deduplication_window: Option<Span>,
    /// The most unacknowledged messages one consumer may hold, whatever it asks for.
    pub prefetch_max: Option<u32>,
    /// The most messages in flight at once; a receive beyond returns nothing.
    pub in_flight_max: Option<u64>,
}

/// What a bound counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundCounts {
    /// Waiting messages only (RabbitMQ).
    Ready,
    /// Waiting messages and those with consumers.
    ReadyAndInFlight,
}

/// Which waiting message goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The oldest.
    FirstInFirstOut,
    /// The newest.
    LastInFirstOut,
    /// The oldest of each message group, and none of a group whose earlier message is in flight
    /// (SQS FIFO).
    Groups,
}

/// Where a message goes that comes back: the five places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnPlace {
    /// Where it stood before (RabbitMQ classic).
    OriginalPosition,
    /// Before everything else, in the order of return (RabbitMQ quorum with a delivery limit).
    FrontInOrderOfReturn,
    /// Behind everything else, in the order of return (RabbitMQ quorum without a limit).
    Back,
    /// Anywhere among those that wait (SQS standard: best-effort order). Which place depends on
    /// the message and its number of deliveries alone.
    Anywhere,
    /// Where it stood in its group, which it blocks while it is in flight (SQS FIFO).
    InItsGroup,
}

/// How deliveries are counted, and when the limit acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryLimit {
    /// RabbitMQ: the message dies at the return that would be its return number N + 1, so it is
    /// delivered N + 1 times.
    Returns(u32),
    /// SQS: it is delivered N times, and dies at the next attempt to receive it.
    Receives(u32),
}

/// What a message keeps when it becomes a dead letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadLettersKeep {
    /// Its count of deliveries goes on (SQS).
    pub deliveries: bool,
    /// Its age for retention goes on (SQS standard); FIFO starts anew.
    pub age: bool,
}

impl Default for QueueRules {
    /// A plain queue without bound: first in, first out, everything comes back where it stood.
    fn default() -> Self {
        Self {
            bound: Bound::None,
            bound_bytes: None,
            overflow: OverflowPolicy::DropOldest,
            dead_letters_refused: false,
            bound_counts: BoundCounts::Ready,
            refuses_above_bound: false,
            order: Order::FirstInFirstOut,
            return_place: ReturnPlace::OriginalPosition,
            delivery_limit: None,
            nack_counts: true,
            ttl: None,
            priority_max: 0,
            two_priorities: false,
            single_active_consumer: false,
            visibility_timeout: None,
            retention: None,
            dead_letters_keep: DeadLettersKeep { deliveries: false, age: false },
            late_acknowledgement: false,
            deduplication_window: None,
            prefetch_max: None,
            in_flight_max: None,
        }
    }
}

/// The delivery limit that quorum queues have by default from RabbitMQ 4.0 on.
pub const QUORUM_4_DELIVERY_LIMIT: u32 = 20;

const DAY_SECONDS: u64 = 86_400;

impl QueueRules {
    /// `RabbitMQ classic`: no delivery limit, a message comes back where it stood
    /// (recorded on 3.10.8).
    #[must_use]
    pub fn rabbitmq_classic() -> Self {
        Self::default()
    }

    /// `RabbitMQ quorum 4.0`: at most 20 returns, returns first in the order of return, and two
    /// priorities.
    #[must_use]
    pub fn rabbitmq_quorum_4_0() -> Self {
        Self { two_priorities: true, ..Self::rabbitmq_quorum(Some(QUORUM_4_DELIVERY_LIMIT)) }
    }

    /// A RabbitMQ quorum queue with this delivery limit. Without one, returns go to the back
    /// (recorded on 3.10.8). Refuses only above its bound; prefetch at most 2,000 (documented).
    #[must_use]
    #[inline(never)]
    pub fn rabbitmq_quorum(delivery_limit: Option<u32>) -> Self {
        Self {
            refuses_above_bound: true,
            return_place: match delivery_limit {
                Some(_) => ReturnPlace::FrontInOrderOfReturn,
                None => ReturnPlace::Back,
            },
            delivery_limit: delivery_limit.map(DeliveryLimit::Returns),
            prefetch_max: Some(2_000),
            ..Self::default()
        }
    }

    /// `SQS standard`: visibility timeout 30 s, retention 4 days, best-effort order, at most
    /// 120,000 in flight.
    #[must_use]
    #[inline(never)]
    pub fn sqs_standard() -> Self {
        Self {
            return_place: ReturnPlace::Anywhere,
            visibility_timeout: Some(Span::from_seconds(30)),
            retention: Some(Span::from_seconds(4 * DAY_SECONDS)),
            dead_letters_keep: DeadLettersKeep { deliveries: true, age: true },
            late_acknowledgement: true,
            in_flight_max: Some(120_000),
            ..Self::default()
        }
    }

    /// `SQS FIFO`: as standard, with order kept within message groups, copies refused for 5
    /// minutes, and no acknowledgement after the lease.
    #[must_use]
    #[inline(never)]
    pub fn sqs_fifo() -> Self {
        Self {
            order: Order::Groups,
            return_place: ReturnPlace::InItsGroup,
            dead_letters_keep: DeadLettersKeep { deliveries: true, age: false },
            late_acknowledgement: false,
            deduplication_window: Some(Span::from_seconds(300)),
            ..Self::sqs_standard()
        }
    }

    /// Feeds them to `hasher`.
    pub(super) fn hash_into(&self, hasher: &mut StateHasher) {
        let span = |span: Option<Span>| span.map_or(u64::MAX, Span::micros);
        let (limit, limit_kind) = match self.delivery_limit {
            None => (u64::MAX, 0),
            Some(DeliveryLimit::Returns(limit)) => (u64::from(limit), 1),
            Some(DeliveryLimit::Receives(limit)) => (u64::from(limit), 2),
        };
        let bound = match self.bound {
            Bound::Messages(bound) => bound,
            Bound::None => u64::MAX,
        };
        for value in [
            bound,
            self.bound_bytes.unwrap_or(u64::MAX),
            self.overflow as u64,
            u64::from(self.dead_letters_refused),
            self.bound_counts as u64,
            u64::from(self.refuses_above_bound),
            self.order as u64,
            self.return_place as u64,
            limit,
            limit_kind,
            u64::from(self.nack_counts),
            span(self.ttl),
            u64::from(self.priority_max),
            u64::from(self.single_active_consumer),
            span(self.visibility_timeout),
            span(self.retention),
            u64::from(self.dead_letters_keep.deliveries),
            u64::from(self.dead_letters_keep.age),
            u64::from(self.late_acknowledgement),
            span(self.deduplication_window),
            self.prefetch_max.map_or(u64::MAX, u64::from),
            self.in_flight_max.unwrap_or(u64::MAX),
        ] {
            hasher.write(value);
        }
        if self.two_priorities {
            hasher.write(1);
        }
    }
}
