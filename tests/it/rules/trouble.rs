//! Failures, records, dead letters and late answers.

use queue_lab::model::broker::QueueIndex;
use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::message::{Message, MessageId};
use queue_lab::model::rate::Rate;
use queue_lab::model::simulation::Totals;
use queue_lab::model::time::Instant;
use queue_lab::model::work_queue::rules::QueueRules;
use queue_lab::model::work_queue::{ConsumerIndex, GivenBack, WorkQueue};

use super::{FIRST, consumer, does, run, set, to};

const DEAD: QueueIndex = QueueIndex(1);

/// One message whose consumer dies in the middle of finishing it, and is started again.
fn dies_in_the_middle(dedupe: &str) -> Totals {
    let mut dying = run(&[("dedupe", dedupe), ("p", "1"), ("c", "1")]);
    does(&mut dying, &[consumer(0, ConsumerDoes::CrashFinishing)]);
    to(&mut dying, 1_500);
    does(&mut dying, &[set("p", "0")]);
    to(&mut dying, 3_000);
    does(&mut dying, &[consumer(0, ConsumerDoes::Restart)]);
    to(&mut dying, 10_000);
    assert_eq!(dying.ledger().done, 1, "{dedupe}");
    *dying.totals()
}

#[test]
fn where_the_record_is_written_decides_what_a_crash_does() {
    let before = dies_in_the_middle("before");
    assert_eq!((before.side_effects, before.skipped_without_effect), (0, 1), "lost");
    let after = dies_in_the_middle("after");
    assert_eq!((after.side_effects, after.duplicate_side_effects), (2, 1), "twice");
    let together = dies_in_the_middle("together");
    assert_eq!((together.side_effects, together.skipped), (1, 1), "once");
}

#[test]
fn dead_letters_go_back_at_their_rate_and_a_fix_cures_them() {
    let mut poisoned = run(&[("poison", "100"), ("dlq", "kept"), ("attempts", "1"), ("p", "1"), ("c", "10")]);
    to(&mut poisoned, 3_500);
    assert_eq!((poisoned.ledger().dead_letters, poisoned.ledger().done), (3, 0));
    let redrive = Command::Redrive { from: DEAD, to: FIRST, rate: Some(Rate::from_per_second(1)) };
    does(&mut poisoned, &[set("p", "0"), redrive]);
    to(&mut poisoned, 4_400);
    assert_eq!((poisoned.totals().redriven, poisoned.ledger().dead_letters), (1, 3), "it comes back");
    does(&mut poisoned, &[Command::DeployFix]);
    to(&mut poisoned, 5_400);
    assert_eq!((poisoned.totals().redriven, poisoned.ledger().done), (2, 1));
    to(&mut poisoned, 5_600);
    assert_eq!((poisoned.totals().redriven, poisoned.ledger().done), (3, 2));
}

#[test]
fn a_redrive_to_a_queue_that_is_full_loses_nothing() {
    let mut full = run(&[("poison", "100"), ("dlq", "kept"), ("attempts", "1"), ("p", "10"), ("c", "100")]);
    to(&mut full, 3_050);
    let still = [set("c", "0"), set("capacity", "2"), set("overflow", "reject")];
    does(&mut full, &still);
    let redrive = Command::Redrive { from: DEAD, to: FIRST, rate: Some(Rate::from_per_second(20)) };
    does(&mut full, &[set("p", "0"), redrive]);
    to(&mut full, 10_000);
    let ledger = full.ledger();
    assert_eq!((ledger.dead_letters, ledger.waiting, ledger.in_flight, ledger.rejected), (27, 2, 1, 0));
    does(&mut full, &[Command::Discard { queue: DEAD }]);
    to(&mut full, 11_000);
    assert_eq!((full.ledger().discarded, full.broker().redrives().len()), (27, 0));
}

#[test]
fn a_late_answer_counts_only_while_nobody_else_had_the_message() {
    let mut queue = WorkQueue::new(QueueRules::sqs_standard());
    let at = Instant::from_seconds;
    queue.publish(at(0), Message::plain(MessageId::new(0, 1), at(0)));
    let first = queue.receive(at(0), ConsumerIndex(0), 1, None);
    assert!(queue.expire(at(30)));
    let second = queue.receive(at(30), ConsumerIndex(1), 1, None);
    queue.give_back(at(31), second[0].tag, GivenBack::Requeued);
    assert!(!queue.acknowledge(first[0].tag), "somebody else had it since");
    assert_eq!((queue.held(), queue.counts().done), (1, 0));
}

#[test]
fn nothing_is_remembered_of_messages_that_are_gone() {
    let dials = [
        ("broker", "sqs-standard"),
        ("visibility", "1"),
        ("deliveries", "3"),
        ("fail", "30"),
        ("work", "exponential"),
        ("workers", "6"),
        ("p", "8"),
        ("c", "2"),
    ];
    let mut late = run(&dials);
    to(&mut late, 200_000);
    does(&mut late, &[set("p", "0"), Command::Discard { queue: FIRST }]);
    to(&mut late, 300_000);
    assert_eq!((late.ledger().in_flight, late.ledger().waiting), (0, 0));
    assert_eq!(late.remembered(), 0);
}

#[test]
fn what_was_only_kept_for_later_was_not_attempted_when_its_consumer_dies() {
    let mut dying = run(&[("prefetch", "3"), ("attempts", "2"), ("fail", "100"), ("p", "3"), ("c", "0.5")]);
    to(&mut dying, 1_100);
    does(&mut dying, &[set("p", "0"), consumer(0, ConsumerDoes::Crash), set("c", "10")]);
    does(&mut dying, &[consumer(0, ConsumerDoes::Restart)]);
    to(&mut dying, 5_000);
    // The one that was worked on has one attempt left, the two others have both.
    assert_eq!((dying.totals().failed_attempts, dying.ledger().discarded), (5, 3));
}

#[test]
fn a_message_that_waits_for_its_retry_is_kept_no_longer_than_the_queue_keeps_it() {
    let dials =
        [("retention", "60"), ("fail", "100"), ("retry", "retry-queue"), ("delay", "3600"), ("p", "1")];
    let mut kept = run(&dials);
    to(&mut kept, 1_500);
    does(&mut kept, &[set("p", "0")]);
    to(&mut kept, 100_000);
    assert_eq!((kept.ledger().delayed, kept.ledger().retention_over), (0, 1));
}

#[test]
fn what_is_done_after_its_deadline_counts_apart_and_capacity_stays() {
    let dials = [("deadline", "3"), ("p", "8"), ("c", "5"), ("capacity", "none")];
    let mut late = run(&dials);
    to(&mut late, 60_000);
    let ledger = late.ledger();
    assert_eq!((ledger.done + ledger.done_late, ledger.done_wrong), (299, 0), "5 a second all the same");
    assert_eq!(ledger.done, 38, "message n comes at n/8 and is done at 1/8 + n/5: up to n = 38");
    let flow = late.snapshot().flow;
    assert_eq!((flow.done, flow.flawed), (50, 50), "nothing that is finished helps anybody");
}

#[test]
fn skipping_what_is_too_late_ends_the_growth_and_newest_first_saves_the_rest() {
    let dials = [("deadline", "3"), ("p", "8"), ("c", "5"), ("capacity", "none"), ("late", "skipped")];
    let mut skipping = run(&dials);
    to(&mut skipping, 60_000);
    // From message 42 on each one is 3 s old as it is started: done at 3.2 s, or skipped.
    let totals = *skipping.totals();
    assert_eq!((totals.done, skipping.ledger().expired), (38, totals.skipped_late));
    assert!(skipping.ledger().waiting <= 24, "3 seconds of 8: {:?}", skipping.ledger());
    assert!(totals.skipped_late.abs_diff(3 * 52) <= 8, "3 of 8 a second since 8 s: {totals:?}");
    let mut newest = run(&[&dials[..], &[("order", "newest-first")]].concat());
    to(&mut newest, 60_000);
    assert!(newest.ledger().done > 290, "{:?}", newest.ledger());
}

#[test]
fn a_deadline_counts_from_the_offer_through_all_that_follows() {
    // The second message is held back from 0.2 s on, and taken in when the first one is done.
    let dials = [("deadline", "3"), ("p", "10"), ("c", "0.5"), ("capacity", "0"), ("overflow", "block")];
    let mut held = run(&dials);
    to(&mut held, 4_200);
    assert_eq!((held.ledger().done, held.ledger().done_late), (1, 1), "due by 3.2 s, done at 4.1 s");
    // Dead after its one attempt, sent back at 3 s, and done then.
    let dials =
        [("deadline", "2"), ("fail", "100"), ("attempts", "1"), ("dlq", "kept"), ("p", "1"), ("c", "10")];
    let mut back = run(&dials);
    to(&mut back, 1_500);
    does(&mut back, &[set("p", "0"), set("fail", "0")]);
    to(&mut back, 3_000);
    does(&mut back, &[Command::Redrive { from: DEAD, to: FIRST, rate: None }]);
    to(&mut back, 4_000);
    assert_eq!((back.ledger().done, back.ledger().done_late), (0, 1), "it came at 1 s and was due by 3 s");
}

#[test]
fn a_deadline_holds_where_the_acknowledgement_comes_before_the_work() {
    let dials = [("deadline", "0.05"), ("ack", "before-work"), ("p", "1"), ("c", "10")];
    let mut early = run(&dials);
    to(&mut early, 3_500);
    assert_eq!((early.ledger().done, early.ledger().done_late), (0, 3), "each takes a tenth of a second");
}

#[test]
fn wrong_results_count_apart_until_a_fix_is_deployed() {
    let mut wrong = run(&[("wrong", "100"), ("p", "1"), ("c", "10")]);
    to(&mut wrong, 5_500);
    does(&mut wrong, &[Command::DeployFix]);
    to(&mut wrong, 9_500);
    assert_eq!((wrong.ledger().done_wrong, wrong.ledger().done), (5, 4));
    assert_eq!(wrong.totals().side_effects, 9, "a wrong result has its side effect");
    let mut share = run(&[("wrong", "25"), ("p", "100"), ("c", "200")]);
    to(&mut share, 100_000);
    // 10,000 messages: the standard error is 43.
    assert!(share.ledger().done_wrong.abs_diff(2_500) < 5 * 43, "{:?}", share.ledger());
}

#[test]
fn a_record_keeps_the_wrong_result_that_it_stands_for() {
    // Done wrong and recorded; its lease ran out meanwhile, so it comes again and is skipped.
    let dials = [
        ("dedupe", "after"),
        ("wrong", "100"),
        ("visibility", "0.5"),
        ("p", "1"),
        ("c", "1"),
        ("workers", "1"),
    ];
    let mut skipped = run(&dials);
    to(&mut skipped, 1_500);
    does(&mut skipped, &[set("p", "0")]);
    to(&mut skipped, 10_000);
    let totals = *skipped.totals();
    assert_eq!((totals.side_effects, totals.skipped, totals.done_wrong), (1, 1, 1), "{totals:?}");
}

/// One message whose lease is shorter than its work, and two workers.
fn both_check_before_either_writes(dedupe: &str) -> Totals {
    let dials = [("broker", "sqs-standard"), ("visibility", "1"), ("workers", "2"), ("p", "1"), ("c", "0.5")];
    let mut race = run(&[&dials[..], &[("dedupe", dedupe)]].concat());
    to(&mut race, 1_500);
    does(&mut race, &[set("p", "0")]);
    to(&mut race, 20_000);
    assert_eq!(race.ledger().done, 1, "{dedupe}");
    *race.totals()
}

#[test]
fn two_workers_that_both_check_before_either_writes_do_it_twice() {
    // The first looks at 1 s and writes at 3 s, the second looks at 2 s and is through at 4 s.
    let after = both_check_before_either_writes("after");
    assert_eq!((after.side_effects, after.duplicate_side_effects), (2, 1));
    let together = both_check_before_either_writes("together");
    assert_eq!((together.side_effects, together.duplicate_side_effects), (1, 0), "the database refuses");
    let before = both_check_before_either_writes("before");
    assert_eq!((before.side_effects, before.duplicate_side_effects), (1, 0), "looking is writing");
}

#[test]
fn acknowledged_before_the_work_is_at_most_once_and_after_it_at_least_once() {
    let crashes_at_work = |acknowledge: &str| {
        let mut crashed = run(&[("ack", acknowledge), ("p", "1"), ("c", "1"), ("restart", "1")]);
        to(&mut crashed, 1_500);
        does(&mut crashed, &[set("p", "0"), consumer(0, ConsumerDoes::Crash)]);
        to(&mut crashed, 10_000);
        let deliveries = crashed.broker().queue(FIRST).counts().deliveries;
        (deliveries, crashed.ledger().done, crashed.totals().lost, crashed.totals().side_effects)
    };
    assert_eq!(crashes_at_work("before-work"), (1, 0, 1, 0), "lost");
    assert_eq!(crashes_at_work("after-work"), (2, 1, 0, 1), "delivered again");
}

#[test]
fn only_the_chosen_dead_letters_go_back_in_their_order_and_at_their_rate() {
    let mut poisoned = run(&[("poison", "100"), ("dlq", "kept"), ("attempts", "1"), ("p", "1"), ("c", "10")]);
    to(&mut poisoned, 5_500);
    let chosen = |number| Command::RedriveMessage {
        from: DEAD,
        to: FIRST,
        producer: 0,
        number,
        rate: Some(Rate::from_per_second(1)),
    };
    does(&mut poisoned, &[set("p", "0"), Command::DeployFix, chosen(4), chosen(2), chosen(2), chosen(9)]);
    let lie = |poisoned: &queue_lab::model::simulation::Simulation| {
        let waiting = poisoned.broker().queue(DEAD).ready().iter().map(|message| message.id.number());
        waiting.collect::<Vec<_>>()
    };
    to(&mut poisoned, 5_900);
    assert_eq!(lie(&poisoned), [1, 2, 3, 5], "the first goes at once, and the others keep their places");
    assert_eq!(poisoned.totals().redriven, 1);
    to(&mut poisoned, 9_000);
    assert_eq!((lie(&poisoned), poisoned.ledger().done), (vec![1, 3, 5], 2), "a second later, and no third");
    does(&mut poisoned, &[Command::Redrive { from: DEAD, to: FIRST, rate: None }]);
    to(&mut poisoned, 12_000);
    assert_eq!((lie(&poisoned), poisoned.ledger().done), (Vec::new(), 5));
}

#[test]
fn a_chosen_dead_letter_that_is_gone_holds_up_no_other() {
    let mut poisoned = run(&[("poison", "100"), ("dlq", "kept"), ("attempts", "1"), ("p", "1"), ("c", "10")]);
    to(&mut poisoned, 3_500);
    let chosen = |number, rate| Command::RedriveMessage { from: DEAD, to: FIRST, producer: 0, number, rate };
    let slow = Some(Rate::from_per_second(1));
    does(&mut poisoned, &[set("p", "0"), Command::DeployFix, chosen(1, slow), chosen(2, slow)]);
    to(&mut poisoned, 3_800);
    does(&mut poisoned, &[Command::Discard { queue: DEAD }]);
    to(&mut poisoned, 6_000);
    assert_eq!(poisoned.broker().redrives(), [], "there is nothing left to do");
    assert_eq!((poisoned.totals().redriven, poisoned.ledger().discarded), (1, 2));
}

#[test]
fn a_redrive_may_start_once_the_last_chosen_message_has_gone() {
    let mut poisoned = run(&[("poison", "100"), ("dlq", "kept"), ("attempts", "1"), ("p", "1"), ("c", "10")]);
    to(&mut poisoned, 3_500);
    let rate = Some(Rate::from_per_second(1));
    let chosen = Command::RedriveMessage { from: DEAD, to: FIRST, producer: 0, number: 2, rate };
    let all = Command::Redrive { from: DEAD, to: FIRST, rate: None };
    does(&mut poisoned, &[set("p", "0"), Command::DeployFix, chosen]);
    to(&mut poisoned, 3_700);
    does(&mut poisoned, &[all]);
    to(&mut poisoned, 3_800);
    assert_eq!((poisoned.totals().redriven, poisoned.broker().redrives()), (3, &[][..]));
}
