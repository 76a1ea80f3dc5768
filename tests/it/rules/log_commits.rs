//! When members commit, what is done once more when they die before, and what a topic does about copies.

use super::{consumer, does, file, to};
use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::network::GroupSnapshot;

/// The run of one producer, one topic and one group, with these settings.
fn log(settings: &str) -> Simulation {
    file(&format!(
        r#""topology": {{
            "producers": [ {{ "name": "shop", "to": "orders" }} ],
            "topics": [ {{ "name": "orders" }} ],
            "groups": [ {{ "name": "billing", "from": "orders" }} ]
        }},
        "settings": {{ {settings} }}"#
    ))
}

fn group(simulation: &Simulation) -> GroupSnapshot {
    simulation.snapshot().network.groups.into_iter().next().expect("there is one group")
}

const EVERY_FIVE_SECONDS: &str =
    r#""p": 10, "c": 100, "workers": 1, "partitions": 1, "rebalance_seconds": 0, "commit_every": 5"#;

#[test]
fn what_is_done_counts_as_lag_until_it_is_committed() {
    let mut run = log(EVERY_FIVE_SECONDS);
    let mut lags = Vec::new();
    for tenths in (101..200).step_by(10) {
        to(&mut run, tenths * 100);
        let own = group(&run);
        assert_eq!(own.lag, own.uncommitted + own.in_flight, "{own:?}");
        lags.push(own.lag);
    }
    let (least, most) = (lags.iter().min().copied(), lags.iter().max().copied());
    assert!(least.is_some_and(|least| least <= 12) && most.is_some_and(|most| most > 40), "{lags:?}");
    assert!(most.is_some_and(|most| most <= 52), "never more than five seconds of it: {lags:?}");
}

#[test]
fn what_was_done_and_not_committed_is_done_once_more_after_a_crash() {
    let mut run = log(EVERY_FIVE_SECONDS);
    to(&mut run, 13_970);
    let before = group(&run);
    assert!(before.uncommitted > 20, "{before:?}");
    does(&mut run, &[consumer(0, ConsumerDoes::Crash), consumer(0, ConsumerDoes::Restart)]);
    to(&mut run, 40_000);
    let after = group(&run);
    assert_eq!(run.totals().duplicate_side_effects, before.uncommitted);
    assert_eq!(after.counts.sent_back, before.uncommitted);
    assert_eq!(after.counts.done - after.counts.sent_back + after.lag - after.uncommitted, 400);
}

#[test]
fn a_member_that_leaves_commits_before_and_nothing_is_done_twice() {
    for assignor in ["range", "cooperative-sticky"] {
        let dials = format!(
            r#""p": 40, "c": 100, "workers": 3, "partitions": 6, "commit_every": 30, "assignor": "{assignor}""#
        );
        let mut run = log(&dials);
        for (seconds, count) in [(10, 5), (20, 2), (30, 6), (40, 1)] {
            to(&mut run, seconds * 1_000);
            does(&mut run, &[super::set("workers", &count.to_string())]);
        }
        does(&mut run, &[Command::StopConsumers { pool: 0 }]);
        to(&mut run, 60_000);
        let own = group(&run);
        assert_eq!((own.members, own.uncommitted), (0, 0), "{assignor}");
        assert_eq!(run.totals().duplicate_side_effects, 0, "{assignor}");
        assert!(own.counts.done > 1_500, "{assignor}: {:?}", own.counts);
    }
}

#[test]
fn a_commit_that_fails_is_covered_by_the_next() {
    let dials = r#""p": 10, "c": 100, "workers": 1, "partitions": 1, "rebalance_seconds": 0"#;
    let mut run = log(&format!(r#"{dials}, "commit_fail": 50"#));
    to(&mut run, 60_050);
    let own = group(&run);
    let failed = own.counts.commits_failed;
    assert!(failed.abs_diff(300) < 60, "about half of 600: {failed}");
    assert!(own.uncommitted < 12, "{own:?}");
    let mut never = log(&format!(r#"{dials}, "commit_fail": 100"#));
    to(&mut never, 60_050);
    let own = group(&never);
    assert_eq!((own.uncommitted, own.partitions[0].committed), (600, Some(0)), "all done, none committed");
    does(&mut never, &[consumer(0, ConsumerDoes::Crash), consumer(0, ConsumerDoes::Restart)]);
    to(&mut never, 70_050);
    assert_eq!(never.totals().duplicate_side_effects, 600, "and all of it is done once more");
}

#[test]
fn a_member_that_is_taken_for_dead_has_not_committed() {
    let mut run = log(
        r#""p": 10, "c": 100, "workers": 2, "partitions": 2, "rebalance_seconds": 0, "commit_every": 600"#,
    );
    to(&mut run, 30_030);
    let before = group(&run).uncommitted;
    does(&mut run, &[consumer(0, ConsumerDoes::Hang)]);
    to(&mut run, 30_000 + 301_000);
    let own = group(&run);
    assert_eq!(own.members, 1, "it did not ask for work in time");
    assert!(own.counts.sent_back.abs_diff(before / 2) <= 2, "{} of {before}", own.counts.sent_back);
    to(&mut run, 400_000);
    assert_eq!(run.totals().duplicate_side_effects, group(&run).counts.sent_back);
}

#[test]
fn a_commit_before_the_work_is_made_at_once_whatever_the_interval() {
    let mut run = log(&format!(r#"{EVERY_FIVE_SECONDS}, "ack": "before-work""#));
    to(&mut run, 13_000);
    does(&mut run, &[consumer(0, ConsumerDoes::Crash), consumer(0, ConsumerDoes::Restart)]);
    to(&mut run, 20_050);
    let own = group(&run);
    assert_eq!((own.uncommitted, run.totals().duplicate_side_effects), (0, 0));
}

#[test]
fn kafka_is_a_bundle_of_what_its_clients_and_topics_do() {
    let mut run = log(r#""p": 10, "c": 100, "workers": 1, "partitions": 1, "broker": "kafka""#);
    to(&mut run, 14_900);
    assert!(group(&run).uncommitted > 40, "members commit every five seconds");
    let rules = run.broker().logs.topics()[0].rules();
    assert_eq!(rules.check_interval.micros(), 300_000_000, "segments are looked at every five minutes");
    assert_eq!(rules.retention_time.map(|kept| kept.micros()), Some(604_800_000_000), "kept for a week");
}

#[test]
fn a_topic_knows_what_an_idempotent_producer_sends_again() {
    for (dials, is_idempotent) in
        [(r#""idempotence": "on""#, true), (r#""broker": "kafka""#, true), (r#""idempotence": "off""#, false)]
    {
        let mut run = log(&format!(
            r#""p": 10, "c": 100, {dials}, "confirms": "awaited", "confirm_loss": 20,
            "confirm_timeout": 1, "send_attempts": 10"#
        ));
        to(&mut run, 100_000);
        let (ledger, totals) = (run.ledger(), run.totals());
        assert!(totals.sent_again > 150 && ledger.balances(), "{dials}");
        let copies = ledger.logged - (ledger.offered - ledger.held_back);
        assert_eq!((copies == 0, ledger.deduplicated > 150), (is_idempotent, is_idempotent), "{dials}");
        assert_eq!(totals.duplicate_side_effects == 0, is_idempotent, "{dials}");
    }
}

#[test]
fn a_member_that_hangs_commits_nothing_more() {
    let mut run = log(EVERY_FIVE_SECONDS);
    to(&mut run, 13_970);
    let committed = group(&run).partitions[0].committed;
    does(&mut run, &[consumer(0, ConsumerDoes::Hang)]);
    to(&mut run, 60_000);
    assert_eq!(group(&run).partitions[0].committed, committed);
}

#[test]
fn a_member_that_is_back_before_the_next_round_reads_on_from_what_is_committed() {
    for assignor in ["range", "cooperative-sticky"] {
        let mut run = log(&format!(
            r#""p": 10, "c": 100, "workers": 1, "partitions": 1, "rebalance_seconds": 1, "commit_every": 5,
               "assignor": "{assignor}""#
        ));
        to(&mut run, 13_970);
        let before = group(&run);
        does(&mut run, &[consumer(0, ConsumerDoes::Crash), consumer(0, ConsumerDoes::Restart)]);
        to(&mut run, 40_000);
        let after = group(&run);
        assert_eq!(run.totals().duplicate_side_effects, before.uncommitted, "{assignor}");
        assert_eq!(after.lag, after.uncommitted + after.in_flight, "{assignor}: {after:?}");
    }
}
