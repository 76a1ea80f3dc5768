//! The queue by itself; recorded scripts of real brokers are among the vectors.

use super::super::message::{Luggage, Properties};
use super::super::time::Span;
use super::rules::QueueRules;
use super::*;

fn queue(bound: u64, overflow: OverflowPolicy) -> WorkQueue {
    WorkQueue::new(QueueRules { bound: Bound::Messages(bound), overflow, ..QueueRules::default() })
}

fn at(seconds: u64) -> Instant {
    Instant::from_seconds(seconds)
}

fn message(number: u64) -> Message {
    Message::plain(MessageId::new(0, number), Instant::START)
}

fn publish(queue: &mut WorkQueue, number: u64) -> Published {
    queue.publish(at(number), message(number))
}

fn waiting(queue: &WorkQueue) -> Vec<u64> {
    queue.ready().iter().map(|message| message.id.number()).collect()
}

fn departed(queue: &mut WorkQueue) -> Vec<u64> {
    std::iter::from_fn(|| queue.take_departed()).map(|departed| departed.message.id.number()).collect()
}

fn handed_over(published: Published) -> Delivery {
    match published {
        Published::HandedOver(delivery) => delivery,
        other => panic!("a consumer has room, and yet {other:?}"),
    }
}

#[test]
fn each_policy_does_what_it_says_to_the_right_message() {
    for (policy, third, left, gone) in [
        (OverflowPolicy::Block, Published::NoRoom, vec![1, 2], vec![]),
        (OverflowPolicy::Reject, Published::Rejected, vec![1, 2], vec![]),
        (OverflowPolicy::DropNew, Published::DroppedNew, vec![1, 2], vec![]),
        (OverflowPolicy::DropOldest, Published::Accepted, vec![2, 3], vec![1]),
    ] {
        let mut queue = queue(2, policy);
        assert_eq!(publish(&mut queue, 1), Published::Accepted);
        assert_eq!(publish(&mut queue, 2), Published::Accepted);
        assert_eq!(publish(&mut queue, 3), third);
        assert_eq!((waiting(&queue), departed(&mut queue)), (left, gone), "{policy:?}");
    }
}

#[test]
fn bound_zero_hands_over_only_to_a_free_consumer() {
    for policy in OverflowPolicy::ALL {
        let mut queue = queue(0, *policy);
        queue.subscribe(ConsumerIndex(0), Some(1));
        assert!(matches!(publish(&mut queue, 1), Published::HandedOver(_)), "{policy:?}");
        let second = publish(&mut queue, 2);
        assert!(!matches!(second, Published::HandedOver(_)), "{policy:?}");
        assert_eq!(waiting(&queue), Vec::<u64>::new(), "{policy:?}");
    }
    let mut dropping = queue(0, OverflowPolicy::DropOldest);
    assert_eq!(publish(&mut dropping, 1), Published::Accepted);
    assert_eq!(departed(&mut dropping), [1], "the newest is also the oldest");
}

#[test]
fn consumers_take_turns_and_a_tag_is_used_once() {
    let mut queue = queue(10, OverflowPolicy::Reject);
    queue.subscribe(ConsumerIndex(0), Some(1));
    queue.subscribe(ConsumerIndex(1), Some(1));
    let first = handed_over(publish(&mut queue, 1));
    let second = handed_over(publish(&mut queue, 2));
    assert_eq!((first.consumer, second.consumer), (ConsumerIndex(0), ConsumerIndex(1)));
    assert_eq!(publish(&mut queue, 3), Published::Accepted);
    assert_eq!(queue.dispatch(at(3)), None, "both are busy");
    assert!(queue.acknowledge(second.tag));
    assert!(!queue.acknowledge(second.tag), "a tag is used once");
    let third = queue.dispatch(at(4)).map(|delivery| (delivery.id.number(), delivery.consumer));
    assert_eq!(third, Some((3, ConsumerIndex(1))));
    assert!(!queue.acknowledge(second.tag), "its slot belongs to another delivery now");
    assert_eq!((queue.in_flight(), queue.recount_in_flight()), (2, 2));
}

#[test]
fn a_consumer_that_leaves_gets_nothing_more() {
    let mut queue = queue(10, OverflowPolicy::Reject);
    queue.subscribe(ConsumerIndex(0), Some(1));
    queue.unsubscribe(ConsumerIndex(0));
    assert_eq!(publish(&mut queue, 1), Published::Accepted);
    assert_eq!(queue.dispatch(at(2)), None);
}

#[test]
fn a_lowered_bound_trims_only_where_the_oldest_is_dropped() {
    let mut queue = queue(5, OverflowPolicy::DropOldest);
    (1..=5).for_each(|number| assert_eq!(publish(&mut queue, number), Published::Accepted));
    queue.set_bound(Bound::Messages(3));
    assert!(queue.trim_one());
    assert_eq!(departed(&mut queue), [1]);
    queue.set_overflow(OverflowPolicy::Reject);
    assert!(!queue.trim_one());
    assert_eq!(waiting(&queue), [2, 3, 4, 5]);
}

#[test]
fn messages_that_never_stood_in_line_come_back_in_their_order() {
    let mut queue = queue(10, OverflowPolicy::Reject);
    queue.subscribe(ConsumerIndex(0), Some(2));
    let first = handed_over(publish(&mut queue, 1));
    let second = handed_over(publish(&mut queue, 2));
    assert_eq!(publish(&mut queue, 3), Published::Accepted);
    queue.unsubscribe(ConsumerIndex(0));
    for tag in [second.tag, first.tag] {
        assert!(queue.give_back(at(4), tag, GivenBack::Requeued).is_some());
    }
    assert_eq!(waiting(&queue), [1, 2, 3]);
    assert_eq!(queue.ready().oldest_accepted_at(), Some(at(1)));
}

#[test]
fn the_newest_goes_first_where_the_order_says_so() {
    let mut queue =
        WorkQueue::new(QueueRules { order: rules::Order::LastInFirstOut, ..QueueRules::default() });
    (1..=3).for_each(|number| assert_eq!(publish(&mut queue, number), Published::Accepted));
    let take = |queue: &mut WorkQueue| queue.receive(at(9), ConsumerIndex(0), 1, None).pop();
    let third = take(&mut queue).expect("three wait");
    assert_eq!(third.id.number(), 3);
    assert_eq!(publish(&mut queue, 4), Published::Accepted);
    let fourth = take(&mut queue).expect("three wait");
    assert_eq!(fourth.id.number(), 4);
    assert!(queue.give_back(at(9), fourth.tag, GivenBack::Requeued).is_some());
    assert!(queue.give_back(at(9), third.tag, GivenBack::Requeued).is_some());
    let order: Vec<_> =
        std::iter::from_fn(|| take(&mut queue)).map(|delivery| delivery.id.number()).collect();
    assert_eq!(order.len(), 4);
    assert_eq!(order[2..], [2, 1]);
}

#[test]
fn a_limit_on_bytes_drops_as_many_as_one_large_message_needs() {
    let sized = |number: u64, bytes: u64| {
        let luggage = Luggage::with(Properties { bytes, ..Properties::default() });
        Message { luggage: Some(std::rc::Rc::new(luggage)), ..message(number) }
    };
    let mut queue = WorkQueue::new(QueueRules { bound_bytes: Some(10), ..QueueRules::default() });
    (1..=5).for_each(|number| assert_eq!(queue.publish(at(1), sized(number, 2)), Published::Accepted));
    assert_eq!(queue.publish(at(2), sized(6, 7)), Published::Accepted);
    assert_eq!((departed(&mut queue), waiting(&queue)), (vec![1, 2, 3, 4], vec![5, 6]));
}

#[test]
fn what_is_due_is_named_and_done_one_thing_at_a_time() {
    let mut queue = WorkQueue::new(QueueRules { ttl: Some(Span::from_seconds(5)), ..QueueRules::default() });
    (1..=3).for_each(|number| assert_eq!(publish(&mut queue, number), Published::Accepted));
    assert_eq!(queue.next_expiry(), Some(at(6)));
    assert!(!queue.expire(at(5)));
    assert!(queue.expire(at(7)) && queue.expire(at(7)) && !queue.expire(at(7)));
    assert_eq!((departed(&mut queue), queue.next_expiry()), (vec![1, 2], Some(at(8))));
}
