//! A queue that gives messages to one consumer alone, whatever its consumers do.

use proptest::prelude::*;
use queue_lab::model::message::{Message, MessageId};
use queue_lab::model::time::Instant;
use queue_lab::model::work_queue::rules::QueueRules;
use queue_lab::model::work_queue::{ConsumerIndex, DeliveryTag, GivenBack, NOBODY, WorkQueue};

/// What happens next, and to which consumer or delivery.
#[derive(Clone, Copy, Debug)]
enum Step {
    Arrives,
    Comes(u32, u32),
    /// It is given nothing more and answers what it has.
    Stops(u32),
    /// It is gone; its connection is seen to close.
    Crashes(u32),
    /// It is gone, and only its leases tell.
    Vanishes(u32),
    Done(usize),
    GivenBack(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let who = 0_u32..4;
    let step = prop_oneof![
        4 => Just(Step::Arrives),
        2 => (who.clone(), 1_u32..4).prop_map(|(who, prefetch)| Step::Comes(who, prefetch)),
        1 => who.clone().prop_map(Step::Stops),
        1 => who.clone().prop_map(Step::Crashes),
        1 => who.prop_map(Step::Vanishes),
        3 => (0_usize..8).prop_map(Step::Done),
        1 => (0_usize..8).prop_map(Step::GivenBack),
    ];
    prop::collection::vec(step, 1..80)
}

struct Played {
    queue: WorkQueue,
    /// Who is subscribed.
    there: Vec<u32>,
    arrived: u64,
}

impl Played {
    fn held(&self) -> Vec<(DeliveryTag, ConsumerIndex)> {
        self.queue.in_flight_with().filter(|(_, who)| *who != NOBODY).collect()
    }

    fn does(&mut self, now: Instant, step: Step) {
        let held = self.held();
        let tag = |place: usize| held.get(place % held.len().max(1)).map(|(tag, _)| *tag);
        match step {
            Step::Arrives => {
                self.arrived += 1;
                self.queue.publish(now, Message::plain(MessageId::new(0, self.arrived), now));
            }
            Step::Comes(who, prefetch) => {
                self.queue.subscribe(ConsumerIndex(who), Some(prefetch));
                self.there.push(who);
            }
            Step::Stops(who) | Step::Crashes(who) | Step::Vanishes(who) => {
                let act = match step {
                    Step::Stops(_) => WorkQueue::unsubscribe,
                    Step::Crashes(_) => WorkQueue::disconnect,
                    _ => WorkQueue::abandon,
                };
                act(&mut self.queue, ConsumerIndex(who));
                self.there.retain(|other| *other != who);
            }
            Step::Done(place) => _ = tag(place).map(|tag| self.queue.acknowledge(tag)),
            Step::GivenBack(place) => {
                _ = tag(place).map(|tag| self.queue.give_back(now, tag, GivenBack::Requeued));
            }
        }
        while self.queue.take_back_orphan(now).is_some() {}
        while self.queue.dispatch(now).is_some() {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn one_consumer_has_messages_and_another_takes_over_once_it_is_gone(steps in steps()) {
        let rules = QueueRules { single_active_consumer: true, ..QueueRules::default() };
        let mut played = Played { queue: WorkQueue::new(rules), there: Vec::new(), arrived: 0 };
        for (second, step) in (1..).zip(steps) {
            played.does(Instant::from_seconds(second), step);
            let mut holders: Vec<u32> = played.held().iter().map(|(_, who)| who.0).collect();
            holders.dedup();
            holders.sort_unstable();
            holders.dedup();
            prop_assert!(holders.len() <= 1, "{holders:?} have messages");
            let is_idle = holders.is_empty() && !played.queue.ready().is_empty();
            prop_assert!(!is_idle || played.there.is_empty(), "nobody took over");
        }
    }
}
