//! A pool of consumers, one rule at a time.

use super::super::message::Message;
use super::super::rng::Purpose;
use super::super::time::Span;
use super::super::work_queue::rules::QueueRules;
use super::super::work_queue::{Published, WorkQueue};
use super::*;

fn delivery() -> Delivery {
    let mut queue = WorkQueue::new(QueueRules::default());
    queue.subscribe(ConsumerIndex(0), Some(1));
    match queue.publish(Instant::START, Message::plain(MessageId::new(0, 1), Instant::START)) {
        Published::HandedOver(delivery) => delivery,
        other => panic!("a free consumer takes it, not {other:?}"),
    }
}

fn pool(per_second: u64, service_time: ServiceTime) -> ConsumerPool {
    let draws = Draws::new(1, Purpose::ServiceTime);
    ConsumerPool::new(0, Rate::from_per_second(per_second), 1, service_time, draws)
}

const FIRST_START: Begun = Begun {
    start: 1,
    excess: Work::NONE,
    is_acknowledged: false,
    is_skipped: false,
    deadline: None,
    is_stale: false,
    cut_off: None,
};

#[test]
fn a_dial_rescales_the_work_in_hand_and_zero_freezes_it() {
    let first = ConsumerIndex(0);
    let mut pool = pool(1, ServiceTime::Fixed);
    pool.start(Instant::START, &delivery(), FIRST_START);
    assert_eq!(pool.finish_at(first), Some(Instant::from_seconds(1)));
    let half = Instant::START + Span::from_millis(500);
    pool.set_rate(half, Rate::ZERO);
    assert_eq!(pool.finish_at(first), None);
    pool.set_rate(Instant::from_seconds(9), Rate::from_per_second(2));
    assert_eq!(pool.finish_at(first), Some(Instant::from_seconds(9) + Span::from_millis(250)));
    assert_eq!(
        pool.job(first).map(|job| job.done_millionths(Instant::from_seconds(9), pool.rate())),
        Some(500_000)
    );
}

#[test]
fn the_work_of_a_message_is_its_own_whoever_does_it() {
    let delivered = delivery();
    let elsewhere =
        Delivery { consumer: ConsumerIndex(3), accepted_at: Instant::from_seconds(9), ..delivered };
    let mut pool = pool(1, ServiceTime::Exponential);
    pool.start(Instant::START, &delivered, FIRST_START);
    pool.start(Instant::START, &elsewhere, FIRST_START);
    assert_eq!(pool.finish_at(delivered.consumer), pool.finish_at(elsewhere.consumer));
    assert_eq!((pool.busy(), pool.recount_busy(), pool.staffed()), (2, 2, 2));
}

#[test]
fn what_was_drawn_ahead_is_forgotten_where_the_work_or_the_role_changes() {
    let nth = |number: u64| Delivery { id: MessageId::new(0, number), ..delivery() };
    let takes = |pool: &mut ConsumerPool, number| {
        pool.start(Instant::START, &nth(number), FIRST_START);
        let at = pool.finish_at(ConsumerIndex(0));
        pool.finish(Instant::START, ConsumerIndex(0));
        at
    };
    let changes: [fn(&mut ConsumerPool); 2] =
        [|pool| pool.set_service(ServiceTime::Exponential, 15), |pool| pool.set_role(Role(3))];
    for change in changes {
        let (mut used, mut fresh) = (pool(1, ServiceTime::Exponential), pool(1, ServiceTime::Exponential));
        (1..=3).for_each(|number| _ = takes(&mut used, number));
        change(&mut used);
        change(&mut fresh);
        assert_eq!(takes(&mut used, 4), takes(&mut fresh, 4));
    }
}

#[test]
fn an_attempt_is_cut_off_where_its_work_takes_too_long() {
    let mut pool = pool(1, ServiceTime::Fixed);
    pool.set_service(ServiceTime::Fixed, 15);
    let cut_off = Some(Instant::from_seconds(10));
    pool.start(Instant::START, &delivery(), Begun { cut_off, ..FIRST_START });
    assert_eq!(pool.next_at(ConsumerIndex(0)), cut_off);
    assert_eq!(pool.finish_at(ConsumerIndex(0)), Some(Instant::from_seconds(15)));
    pool.hang(ConsumerIndex(0));
    assert_eq!(pool.next_at(ConsumerIndex(0)), None);
}
