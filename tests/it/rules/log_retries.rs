//! Records that go on from one topic to another: to be tried again, as dead letters, and back.

use super::log_teams::{ORDERS, STOP, TWO, group, log, reset, send_back, with_retries, with_topics};
use super::{does, file, to};
use queue_lab::model::command::{Command, CommandRefused};
use queue_lab::model::group::reset::{ResetRefused, ResetTo};
use queue_lab::model::routes::{GroupIndex, TopicIndex};

#[test]
fn a_retry_topic_lets_the_partition_go_on_and_tries_again_after_the_delay() {
    let dials = r#""p": 6, "c": 30, "rebalance_seconds": 0, "retry_delay_seconds": 20, "attempts_max": 5"#;
    let mut run = with_retries(
        dials,
        r#"{ "at": 10, "do": "poison", "messages": 2 },
        { "at": 15, "do": "deploy-fix" }"#,
    );
    to(&mut run, 25_000);
    let (billing, again) = (group(&run, 0), group(&run, 1));
    assert_eq!((billing.counts.sent_to_retry, billing.lag <= 1), (2, true), "it goes on behind them");
    assert_eq!((again.lag, again.counts.done), (2, 0), "they wait");
    to(&mut run, 31_000);
    let again = group(&run, 1);
    assert_eq!((again.lag, again.counts.done), (0, 2), "20 seconds after their failures");
    let ledger = run.ledger();
    assert!(ledger.balances());
    assert_eq!(
        (ledger.copies, ledger.logged),
        (2, ledger.offered + 2),
        "each of the two stands in two topics"
    );
    assert_eq!(run.totals().duplicate_side_effects, 0);
}

#[test]
fn attempts_are_counted_from_one_topic_to_the_next_until_the_cap() {
    let dials = r#""p": 6, "c": 30, "rebalance_seconds": 0, "retry_delay_seconds": 2, "attempts_max": 3"#;
    let mut run = with_retries(dials, r#"{ "at": 10, "do": "poison", "messages": 1 }"#);
    to(&mut run, 60_000);
    let (billing, again) = (group(&run, 0), group(&run, 1));
    assert_eq!(run.totals().failed_attempts, 3);
    assert_eq!((billing.counts.sent_to_retry, again.counts.sent_to_retry), (1, 1));
    assert_eq!((billing.counts.dead_lettered, again.counts.dead_lettered), (0, 1));
    let topics = run.snapshot().network.topics;
    assert_eq!(topics.iter().map(|topic| topic.not_sent_back).collect::<Vec<_>>(), [0, 0, 1]);
}

#[test]
fn dead_letters_sent_back_before_the_fix_come_back_and_after_it_are_done() {
    let dials = r#""p": 6, "c": 30, "rebalance_seconds": 0, "retry_delay_seconds": 1, "attempts_max": 2"#;
    let mut run = with_retries(dials, r#"{ "at": 10, "do": "poison", "messages": 4 }"#);
    let back = Command::SendBack { from: TopicIndex(2), to: ORDERS, rate: None };
    assert_eq!(run.apply(back), Err(CommandRefused::NothingToSendBack));
    to(&mut run, 30_000);
    assert_eq!(run.snapshot().network.topics[2].not_sent_back, 4);
    does(&mut run, &[back]);
    to(&mut run, 50_000);
    assert_eq!(
        (run.snapshot().network.topics[2].not_sent_back, run.totals().redriven),
        (4, 4),
        "they came back"
    );
    does(&mut run, &[Command::DeployFix, back]);
    to(&mut run, 80_000);
    assert_eq!((run.snapshot().network.topics[2].not_sent_back, run.totals().redriven), (0, 8));
    let done = group(&run, 0).counts.done + group(&run, 1).counts.done;
    assert_eq!(done + group(&run, 0).lag, 480, "each message is done once");
    assert_eq!(run.totals().duplicate_side_effects, 0);
    assert!(run.ledger().balances());
}

#[test]
fn dead_letters_are_sent_back_at_the_rate_that_was_asked_for() {
    let dials = r#""p": 6, "c": 30, "rebalance_seconds": 0, "attempts_max": 1"#;
    let mut run = with_retries(
        dials,
        r#"{ "at": 10, "do": "poison", "messages": 20 }, { "at": 20, "do": "deploy-fix" },
        { "at": 30, "do": "send-back", "from": "dead", "to": "orders", "rate_per_second": 2 }"#,
    );
    let mut sent = Vec::new();
    for seconds in [30, 31, 33, 39, 60] {
        to(&mut run, seconds * 1_000 + 100);
        sent.push(run.totals().redriven);
    }
    assert_eq!(sent, [1, 3, 7, 19, 20], "the first at once, then one every half second");
}

#[test]
fn another_group_of_the_topic_gets_what_was_sent_back_a_second_time() {
    let mut run = with_topics(
        r#"{ "name": "orders" }, { "name": "dead" }"#,
        r#"{ "name": "search", "from": "orders" }, { "name": "slow", "from": "orders" },
           { "name": "billing", "from": "orders", "dead_letters_to": "dead" }"#,
        r#""p": 6, "c": 60, "rebalance_seconds": 0, "attempts_max": 1, "billing.fail": 5, "slow.c": 0"#,
        r#"{ "at": 60, "do": "set", "settings": { "p": 0, "billing.fail": 0 } },
           { "at": 61, "do": "send-back", "from": "dead", "to": "orders" },
           { "at": 90, "do": "set", "settings": { "slow.c": 60 } }"#,
    );
    to(&mut run, 80_000);
    let dead = group(&run, 2).counts.dead_lettered;
    assert!(dead > 5, "{dead}");
    assert_eq!(run.totals().duplicate_side_effects, dead, "search has had each of them before");
    to(&mut run, 200_000);
    assert_eq!(group(&run, 1).lag, 0);
    assert_eq!(run.totals().duplicate_side_effects, 2 * dead, "the slow one has had them by now, twice");
    let done = |place: usize| group(&run, place).counts.done;
    assert_eq!([done(0), done(1), done(2)], [360 + dead, 360 + dead, 360], "billing has each once");
}

#[test]
fn a_topic_that_a_producer_is_routed_to_gets_its_messages() {
    let mut run = file(
        r#""topology": {
            "producers": [ { "name": "shop", "to": "jobs" } ],
            "queues": [ { "name": "jobs" } ],
            "consumers": [ { "name": "workers", "from": "jobs" } ],
            "topics": [ { "name": "orders" } ],
            "groups": [ { "name": "billing", "from": "orders" } ]
        },
        "settings": { "p": 6, "c": 30, "rebalance_seconds": 0 },
        "commands": [ { "at": 10, "do": "route-to-topic", "to": "orders" } ]"#,
    );
    to(&mut run, 20_000);
    let (ledger, billing) = (run.ledger(), group(&run, 0));
    assert_eq!((ledger.done, ledger.logged), (60, 60));
    assert!(billing.counts.done >= 59 && ledger.balances());
}

#[test]
fn what_was_done_after_a_retry_is_remembered_when_the_record_is_read_again() {
    let dials = |dedupe: &str| {
        format!(
            r#""p": 6, "c": 60, "rebalance_seconds": 0, "fail": 40, "retry_delay_seconds": 1,
            "attempts_max": 9, "dedupe": "{dedupe}""#
        )
    };
    for dedupe in ["off", "together", "after"] {
        let mut run = with_retries(&dials(dedupe), r#"{ "at": 60, "do": "set", "settings": { "p": 0 } }"#);
        to(&mut run, 90_000);
        let sent = group(&run, 0).counts.sent_to_retry;
        assert!(sent > 100 && run.totals().side_effects == 360, "{dedupe}: {sent}");
        send_back(&mut run, ResetTo::Earliest);
        to(&mut run, 200_000);
        let totals = run.totals();
        assert_eq!(
            totals.side_effects - totals.duplicate_side_effects,
            360,
            "{dedupe}: one for each message"
        );
        assert_eq!(totals.duplicate_side_effects == 0, dedupe != "off", "{dedupe}");
        assert_eq!(run.remembered(), 0, "{dedupe}: nothing can come again");
    }
}

#[test]
fn a_group_of_the_topic_for_retries_that_is_sent_back_has_done_what_it_has_done() {
    let dials = r#""p": 6, "c": 60, "rebalance_seconds": 0, "fail": 40, "retry_delay_seconds": 3,
        "attempts_max": 9"#;
    let mut run = with_retries(dials, r#"{ "at": 60, "do": "set", "settings": { "p": 0 } }"#);
    to(&mut run, 120_000);
    let again = group(&run, 1).counts.done;
    does(&mut run, &[Command::StopConsumers { pool: 1 }]);
    to(&mut run, 130_000);
    let reset = Command::ResetOffsets { group: GroupIndex(1), partition: None, to: ResetTo::Earliest };
    does(&mut run, &[reset, Command::StartConsumers { pool: 1 }]);
    to(&mut run, 300_000);
    let totals = run.totals();
    assert_eq!(totals.side_effects - totals.duplicate_side_effects, 360, "one for each message");
    assert!(totals.duplicate_side_effects >= again, "{} of {again}", totals.duplicate_side_effects);
}

#[test]
fn who_never_had_a_dead_letter_gets_it_for_the_first_time() {
    let mut run = file(
        r#""topology": {
            "producers": [ { "name": "shop", "to": "orders" }, { "name": "press", "to": "letters" } ],
            "topics": [ { "name": "orders" }, { "name": "dead" }, { "name": "letters" } ],
            "groups": [ { "name": "billing", "from": "orders", "dead_letters_to": "dead" },
                        { "name": "post", "from": "letters" }, { "name": "audit", "from": "letters" } ]
        },
        "settings": { "p": 6, "c": 60, "rebalance_seconds": 0, "attempts_max": 1, "billing.poison": 0,
                      "audit.dedupe": "after" },
        "commands": [ { "at": 5, "do": "poison", "producer": "shop", "messages": 40 },
                      { "at": 30, "do": "deploy-fix" },
                      { "at": 31, "do": "send-back", "from": "dead", "to": "letters" } ]"#,
    );
    to(&mut run, 60_000);
    let totals = run.totals();
    assert_eq!((totals.redriven, totals.duplicate_side_effects, totals.skipped), (40, 0, 0));
    assert_eq!(totals.dead_lettered, 40, "the run counts the dead letters of groups too");
}

#[test]
fn a_team_that_tries_again_in_its_own_topic_leaves_the_others_their_own_records() {
    let mut run = log(
        r#"{ "name": "billing", "from": "orders", "retry_to": "orders" }, { "name": "search", "from": "orders" }"#,
        r#""p": 6, "c": 60, "rebalance_seconds": 0, "dedupe": "before""#,
        "",
    );
    to(&mut run, 30_050);
    assert_eq!((run.totals().skipped, run.totals().side_effects), (0, 360));
}

#[test]
fn copies_that_do_not_come_leave_nothing_behind() {
    let mut run = log(
        TWO,
        r#""p": 10, "c": 60, "rebalance_seconds": 0, "confirms": "awaited", "confirm_loss": 30,
            "confirm_timeout": 1, "send_attempts": 2"#,
        r#"{ "at": 50, "do": "set", "settings": { "p": 0 } }"#,
    );
    to(&mut run, 100_000);
    assert!(run.totals().sends_given_up > 10);
    assert_eq!(run.remembered(), 0);
}

#[test]
fn what_is_not_there_is_refused() {
    let mut run = with_retries(r#""p": 6, "c": 30"#, "");
    to(&mut run, 10_000);
    let poison = |partition| Command::PoisonPartition { topic: ORDERS, partition, count: 1 };
    assert_eq!(run.apply(poison(3)), Err(CommandRefused::NoSuchTopic));
    assert_eq!(run.apply(poison(2)), Ok(()));
    for (from, to) in [(ORDERS, TopicIndex(1)), (TopicIndex(2), TopicIndex(2))] {
        let back = Command::SendBack { from, to, rate: None };
        assert_eq!(run.apply(back), Err(CommandRefused::NotForDeadLetters));
    }
    does(&mut run, &[STOP]);
    to(&mut run, 20_000);
    does(&mut run, &[Command::BrokerDown]);
    let refused = Err(CommandRefused::NotReset(ResetRefused::BrokerIsDown));
    assert_eq!(run.apply(reset(None, ResetTo::Earliest)), refused);
    assert_eq!(run.apply(Command::AddPartitions { topic: ORDERS, to: 9 }), Err(CommandRefused::BrokerIsDown));
}

#[test]
fn what_a_topic_of_trouble_deletes_is_remembered_no_longer() {
    let kept = r#""retention": 20, "segment": 5"#;
    for (dials, commands, expected) in [
        // Dead letters that nobody sends back.
        (r#""attempts_max": 1, "fail": 10"#, "", "dead letters"),
        // Half of them are sent back, and done then.
        (
            r#""attempts_max": 1"#,
            r#"{ "at": 5, "do": "poison", "messages": 40 }, { "at": 15, "do": "deploy-fix" },
               { "at": 16, "do": "send-back", "from": "dead", "to": "orders", "rate_per_second": 2 }"#,
            "sent back",
        ),
        // Retries whose reader stands still.
        (
            r#""attempts_max": 4, "fail": 10, "offset_reset": "earliest", "billing-again.c": 0"#,
            r#"{ "at": 150, "do": "set", "settings": { "billing-again.c": 60 } }"#,
            "retries",
        ),
    ] {
        let stop = r#"{ "at": 100, "do": "set", "settings": { "p": 0, "fail": 0 } }"#;
        let commands = if commands.is_empty() { stop.to_owned() } else { format!("{stop}, {commands}") };
        let dials = format!(r#""p": 20, "c": 60, "rebalance_seconds": 0, {kept}, {dials}"#);
        let mut run = with_retries(&dials, &commands);
        to(&mut run, 90_000);
        let then = run.remembered();
        to(&mut run, 200_000);
        assert!(run.totals().copies > 20, "{expected}");
        assert!(run.ledger().balances(), "{expected}");
        assert_eq!(run.remembered(), 0, "{expected}: {then} before");
    }
}
