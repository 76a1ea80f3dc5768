//! Producers that await confirms, shed, or keep to a limit.

use queue_lab::model::broker::QueueIndex;
use queue_lab::model::command::Command;
use queue_lab::model::rate::Rate;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::BlockedBy;
use queue_lab::model::time::Span;

use super::{FIRST, does, file, run, set, to};

/// A producer of one message a second that awaits confirms, and a fast consumer.
fn awaiting(of: &[(&str, &str)]) -> Simulation {
    run(&[&[("p", "1"), ("c", "10"), ("confirms", "awaited"), ("confirm_timeout", "2")], of].concat())
}

fn copies_and_done(simulation: &Simulation) -> (u64, u64) {
    assert!(simulation.ledger().balances(), "{:?}", simulation.ledger());
    (simulation.ledger().copies, simulation.ledger().done)
}

#[test]
fn a_lost_confirm_puts_the_same_message_into_the_queue_twice() {
    let mut copied = awaiting(&[("confirm_loss", "100"), ("send_attempts", "2")]);
    to(&mut copied, 1_500);
    assert_eq!((copied.ledger().offered, copies_and_done(&copied)), (1, (0, 1)), "accepted and done");
    does(&mut copied, &[set("p", "0")]);
    to(&mut copied, 2_900);
    assert_eq!((copied.totals().confirms_lost, copied.totals().sent_again), (1, 0));
    // Sent again at 3 s, and given up at 5 s, though it was done twice.
    to(&mut copied, 4_900);
    assert_eq!(copies_and_done(&copied), (1, 2));
    assert_eq!((copied.totals().sent_again, copied.totals().sends_given_up), (1, 0));
    to(&mut copied, 10_000);
    let totals = *copied.totals();
    assert_eq!((totals.confirms_lost, totals.sends_given_up, totals.lost_sending), (2, 1, 0));
    assert_eq!((totals.side_effects, totals.duplicate_side_effects), (2, 1), "the same message twice");
    assert_eq!(copied.remembered(), 0);
}

#[test]
fn a_queue_that_deduplicates_takes_the_copy_away() {
    let mut fifo = awaiting(&[("confirm_loss", "100"), ("send_attempts", "2"), ("broker", "sqs-fifo")]);
    to(&mut fifo, 1_500);
    does(&mut fifo, &[set("p", "0")]);
    to(&mut fifo, 10_000);
    assert_eq!((copies_and_done(&fifo), fifo.ledger().deduplicated), ((1, 1), 1));
    assert_eq!((fifo.totals().side_effects, fifo.remembered()), (1, 0));
}

#[test]
fn what_is_moved_is_no_copy_of_itself() {
    let mut moved = run(&[("broker", "sqs-fifo"), ("confirms", "awaited"), ("p", "0"), ("c", "1")]);
    does(&mut moved, &[Command::StopConsumers { pool: 0 }, Command::Burst { count: 3 }]);
    to(&mut moved, 1_000);
    does(&mut moved, &[Command::Redrive { from: FIRST, to: FIRST, rate: None }]);
    to(&mut moved, 2_000);
    assert_eq!((moved.totals().redriven, moved.ledger().waiting), (3, 3), "{:?}", moved.ledger());
    assert!(moved.ledger().balances());
}

#[test]
fn a_dead_letter_that_goes_back_is_no_copy_to_a_queue_that_deduplicates() {
    let of = [("broker", "sqs-fifo"), ("poison", "100"), ("attempts", "1"), ("dlq", "kept")];
    let mut fifo = awaiting(&of);
    to(&mut fifo, 1_500);
    does(&mut fifo, &[set("p", "0")]);
    to(&mut fifo, 10_000);
    assert_eq!(fifo.ledger().dead_letters, 1);
    let (from, queue) = (QueueIndex(1), QueueIndex(0));
    does(&mut fifo, &[Command::DeployFix, Command::Redrive { from, to: queue, rate: None }]);
    to(&mut fifo, 20_000);
    assert_eq!((fifo.ledger().done, fifo.ledger().deduplicated), (1, 0));
}

#[test]
fn without_confirms_what_is_sent_while_the_broker_is_down_is_lost() {
    let mut careless = run(&[("p", "1"), ("c", "10"), ("confirms", "none")]);
    to(&mut careless, 2_500);
    does(&mut careless, &[Command::FailOver { duration: Span::from_seconds(2) }]);
    to(&mut careless, 6_200);
    let ledger = careless.ledger();
    assert_eq!((ledger.offered, ledger.done, ledger.lost_sending), (6, 4, 2), "the third and fourth");
    assert!(ledger.balances() && careless.blocked_by().is_none());
}

#[test]
fn with_confirms_what_is_sent_while_the_broker_is_down_is_sent_again() {
    let mut careful = awaiting(&[("confirm_timeout", "1.5"), ("send_attempts", "none")]);
    to(&mut careful, 2_500);
    does(&mut careful, &[Command::FailOver { duration: Span::from_millis(2_100) }]);
    to(&mut careful, 4_200);
    assert_eq!((careful.ledger().held_back, careful.blocked_by()), (2, None), "its clock goes on");
    // The third again at 4.5 and 6 s, the fourth at 5.5 s.
    to(&mut careful, 6_300);
    assert_eq!((careful.ledger().offered, copies_and_done(&careful)), (6, (0, 6)));
    assert_eq!((careful.totals().sent_again, careful.ledger().lost_sending), (3, 0));
}

#[test]
fn a_producer_gives_up_after_its_attempts_and_the_message_is_lost() {
    let mut hopeless = awaiting(&[("send_attempts", "2")]);
    does(&mut hopeless, &[Command::BrokerDown]);
    to(&mut hopeless, 1_500);
    does(&mut hopeless, &[set("p", "0")]);
    // Sent at 1 s and 3 s, given up at 5 s.
    to(&mut hopeless, 4_900);
    assert_eq!((hopeless.ledger().held_back, hopeless.ledger().lost_sending), (1, 0));
    to(&mut hopeless, 5_100);
    assert_eq!((hopeless.ledger().held_back, hopeless.ledger().lost_sending), (0, 1));
    assert_eq!(hopeless.totals().sends_given_up, 1);
}

#[test]
fn what_a_full_queue_did_not_take_was_no_attempt() {
    let dials = [("p", "0"), ("capacity", "1"), ("overflow", "block"), ("send_attempts", "2")];
    let mut full = awaiting(&dials);
    let one = Command::Burst { count: 1 };
    does(&mut full, &[Command::StopConsumers { pool: 0 }, Command::BrokerDown, one]);
    to(&mut full, 1_000);
    does(&mut full, &[Command::BrokerUp, one]);
    // The second message fills the queue. The first is sent at 0 s, and finds no room at 2 and 4 s.
    to(&mut full, 5_000);
    assert_eq!((full.ledger().waiting, full.ledger().held_back, full.ledger().lost_sending), (1, 1, 0));
    does(&mut full, &[Command::StartConsumers { pool: 0 }]);
    to(&mut full, 6_200);
    assert_eq!((copies_and_done(&full), full.totals().sends_given_up), ((0, 2), 0));
}

#[test]
fn a_producer_with_too_many_messages_unconfirmed_waits() {
    let dials =
        [("confirm_loss", "100"), ("confirm_timeout", "10"), ("send_attempts", "1"), ("unconfirmed", "2")];
    let mut waiting = awaiting(&dials);
    to(&mut waiting, 5_000);
    assert_eq!((waiting.ledger().offered, waiting.ledger().held_back), (3, 1));
    assert_eq!(waiting.blocked_by(), Some(BlockedBy::Confirms));
    // The first is given up at 11 s: the third goes, and the fourth comes a second later.
    to(&mut waiting, 11_500);
    assert_eq!((waiting.ledger().offered, copies_and_done(&waiting)), (3, (0, 3)));
    assert_eq!(waiting.snapshot().network.producers[0].unconfirmed, 2);
}

#[test]
fn a_refused_message_is_sent_again_until_there_is_room() {
    let refusing =
        [("p", "0"), ("c", "0.5"), ("capacity", "0"), ("overflow", "reject"), ("confirm_timeout", "1")];
    let mut refused = awaiting(&refusing);
    does(&mut refused, &[Command::Burst { count: 2 }]);
    to(&mut refused, 500);
    assert_eq!((refused.ledger().held_back, refused.ledger().rejected), (1, 0));
    // The second is sent at 0, 1 and 2 s, as the first is finished.
    to(&mut refused, 4_100);
    assert_eq!((copies_and_done(&refused), refused.ledger().rejected), ((0, 2), 0));
    assert_eq!(refused.totals().sent_again, 2);
    let mut final_no = awaiting(&[&refusing[..], &[("send_attempts", "2")]].concat());
    does(&mut final_no, &[Command::Burst { count: 2 }]);
    to(&mut final_no, 1_100);
    assert_eq!((final_no.ledger().held_back, final_no.ledger().rejected), (0, 1));
}

#[test]
fn confirms_on_their_way_are_lost_as_the_broker_fails_over() {
    let mut failing = awaiting(&[]);
    to(&mut failing, 2_000);
    // The second message came at this very instant; the reply to the first is long there.
    does(&mut failing, &[Command::FailOver { duration: Span::from_seconds(1) }, set("p", "0")]);
    to(&mut failing, 3_900);
    assert_eq!((failing.totals().confirms_lost, copies_and_done(&failing)), (1, (0, 2)));
    to(&mut failing, 4_200);
    assert_eq!((failing.totals().sent_again, copies_and_done(&failing)), (1, (1, 3)));
    // The second was done before the fail-over was seen, after it, and as a copy.
    assert_eq!((failing.totals().side_effects, failing.totals().duplicate_side_effects), (4, 2));
    assert_eq!(failing.remembered(), 0);
}

#[test]
fn what_is_of_low_value_is_shed_while_too_many_wait() {
    let mut shedding = file(
        r#"
        "topology": {
            "producers": [ { "name": "shop", "to": "queue" }, { "name": "press", "to": "queue" } ]
        },
        "settings": { "p": 0, "capacity": "none", "press.shed_above": 5 },
        "commands": [
            { "do": "stop" },
            { "do": "burst", "messages": 10, "producer": "press" },
            { "do": "burst", "messages": 3, "producer": "shop" }
        ]"#,
    );
    to(&mut shedding, 1_000);
    let ledger = shedding.ledger();
    assert_eq!((ledger.offered, ledger.waiting, ledger.shed), (13, 9, 4), "six of press, three of shop");
    assert!(ledger.balances());
}

#[test]
fn what_is_held_for_want_of_a_confirm_is_shed_as_soon_as_too_many_wait() {
    let mut shedding = file(
        r#"
        "topology": {
            "producers": [ { "name": "shop", "to": "queue" }, { "name": "press", "to": "queue" } ]
        },
        "settings": {
            "p": 0, "capacity": "none", "press.confirms": "awaited", "press.confirm_loss": 100,
            "press.confirm_timeout": 100, "press.unconfirmed": 1, "press.shed_above": 3
        },
        "commands": [
            { "do": "stop" },
            { "do": "burst", "messages": 2, "producer": "press" },
            { "at": 1, "do": "burst", "messages": 2, "producer": "shop" },
            { "at": 2, "do": "burst", "messages": 1, "producer": "shop" }
        ]"#,
    );
    to(&mut shedding, 1_000);
    assert_eq!((shedding.ledger().waiting, shedding.ledger().held_back), (3, 1), "three may wait");
    to(&mut shedding, 2_000);
    let ledger = shedding.ledger();
    assert_eq!((ledger.waiting, ledger.held_back, ledger.shed), (4, 0, 1));
}

#[test]
fn a_share_of_a_producers_messages_is_of_low_value_and_always_the_same_ones() {
    let shed = |dials: &[(&str, &str)]| {
        let all = [&[("p", "100"), ("shed_above", "0"), ("shed_share", "50")], dials].concat();
        let mut shedding = run(&all);
        to(&mut shedding, 10_050);
        (shedding.ledger().shed, shedding.ledger().offered)
    };
    // The first goes to the consumer and the second waits; from the third on it is chance.
    let (count, offered) = shed(&[("c", "0"), ("capacity", "none")]);
    assert_eq!(offered, 1_005);
    assert!((430..570).contains(&count), "{count} of 1,003, standard error 15.8");
    assert_eq!(shed(&[("c", "0"), ("capacity", "1"), ("overflow", "drop-oldest")]).0, count);
}

#[test]
fn a_shaped_producer_sends_later_what_it_wants_to_send_now() {
    let mut shaped = run(&[("p", "10"), ("shape", "4"), ("c", "100")]);
    to(&mut shaped, 10_050);
    let sender = shaped.snapshot().network.producers[0].clone();
    assert_eq!(
        (sender.rate, sender.shape_limit),
        (Rate::from_per_second(10), Some(Rate::from_per_second(4)))
    );
    // One at 0.1 s and every quarter of a second after it.
    assert_eq!((sender.offered, sender.sent, sender.shaped), (100, 40, 60));
    assert!(!sender.is_blocked && shaped.ledger().balances());
    does(&mut shaped, &[set("p", "0")]);
    to(&mut shaped, 24_840);
    assert_eq!(shaped.snapshot().network.producers[0].sent, 99);
    to(&mut shaped, 24_900);
    assert_eq!((shaped.snapshot().network.producers[0].sent, shaped.ledger().done), (100, 100));
}

#[test]
fn what_was_held_back_goes_at_once_when_the_limit_is_lifted() {
    let mut lifted = run(&[("p", "0"), ("shape", "1"), ("capacity", "none"), ("c", "1")]);
    does(&mut lifted, &[Command::Burst { count: 50 }]);
    to(&mut lifted, 2_500);
    assert_eq!(lifted.ledger().held_back, 47);
    does(&mut lifted, &[set("shape", "none")]);
    to(&mut lifted, 2_501);
    assert_eq!((lifted.ledger().held_back, lifted.ledger().waiting), (0, 47));
}
