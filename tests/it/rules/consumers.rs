//! Consumers that crash, start, and are asked for.

use std::rc::Rc;

use queue_lab::model::autoscaler::ScaleReason;
use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::event::EventKind;
use queue_lab::model::scenario::Scenario;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::ConsumerHealth;
use queue_lab::model::topology::{ConsumersNode, ProducerNode, QueueNode, Topology};

use super::{consumer, does, run, set, settings, to};

fn members(simulation: &Simulation) -> u64 {
    simulation.snapshot().consumers.members
}

/// How the consumers are, in a word each.
fn health(simulation: &Simulation) -> Vec<ConsumerHealth> {
    simulation.snapshot().consumers.each.iter().map(|consumer| consumer.health).collect()
}

#[test]
fn a_snapshot_says_of_each_consumer_how_it_is() {
    let mut all = run(&[("workers", "5"), ("p", "5"), ("c", "1"), ("cold_start", "5")]);
    to(&mut all, 1_500);
    let trouble = [
        consumer(0, ConsumerDoes::Crash),
        consumer(1, ConsumerDoes::Hang),
        consumer(2, ConsumerDoes::CrashLoop),
        consumer(3, ConsumerDoes::Crash),
        consumer(3, ConsumerDoes::Restart),
    ];
    does(&mut all, &trouble);
    to(&mut all, 1_600);
    let expected = [
        ConsumerHealth::Crashed,
        ConsumerHealth::Hung,
        ConsumerHealth::CrashLoop,
        ConsumerHealth::Starting,
        ConsumerHealth::Up,
    ];
    assert_eq!((health(&all).as_slice(), members(&all)), (&expected[..], 2), "one hangs, one works");
    does(&mut all, &[Command::StopConsumers { pool: 0 }]);
    to(&mut all, 20_000);
    assert_eq!((health(&all)[4], members(&all)), (ConsumerHealth::Stopped, 1));
}

#[test]
fn a_consumer_that_crashed_is_started_again_after_its_time() {
    let mut again = run(&[("restart", "3"), ("cold_start", "2"), ("p", "1"), ("c", "2")]);
    to(&mut again, 1_500);
    does(&mut again, &[consumer(0, ConsumerDoes::Crash)]);
    for (millis, alive) in [(4_499, 0), (4_500, 0), (6_499, 0), (6_500, 1)] {
        to(&mut again, millis);
        assert_eq!(members(&again), alive, "at {millis} ms");
    }
    assert_eq!(health(&again), [ConsumerHealth::Up]);
    // The messages of 2 to 6 s wait behind the one of 1 s, which was done at 1.5 s.
    assert_eq!((again.ledger().done, again.ledger().waiting), (1, 4));
    let mut never = run(&[("p", "1"), ("c", "2")]);
    does(&mut never, &[consumer(0, ConsumerDoes::Crash)]);
    to(&mut never, 1_000_000);
    assert_eq!((members(&never), never.ledger().done), (0, 0), "by hand only");
}

#[test]
fn a_crash_loop_takes_nothing_while_the_broker_is_green() {
    let mut looping = run(&[("restart", "5"), ("cold_start", "1"), ("p", "18"), ("capacity", "none")]);
    does(&mut looping, &[consumer(0, ConsumerDoes::CrashLoop)]);
    for second in 1..=600 {
        to(&mut looping, second * 1_000);
        let snapshot = looping.snapshot();
        assert_eq!((snapshot.consumers.members, snapshot.broker.trouble()), (0, None));
    }
    assert_eq!((looping.ledger().waiting, looping.ledger().done), (10_800, 0));
    assert_eq!(looping.broker().queue(super::FIRST).counts().deliveries, 0, "it fails before it takes");
    let mut fixed = looping.clone();
    does(&mut fixed, &[Command::DeployFix]);
    does(&mut looping, &[consumer(0, ConsumerDoes::Restart)]);
    for ended in [&mut looping, &mut fixed] {
        to(ended, 602_000);
        assert_eq!(members(ended), 1, "started by hand, or with the fix");
    }
}

#[test]
fn a_crash_loop_goes_on_where_nothing_else_restarts_consumers() {
    let dials = [("cold_calls", "3"), ("downstream", "100"), ("p", "0")];
    let mut looping = run(&dials);
    does(&mut looping, &[consumer(0, ConsumerDoes::CrashLoop)]);
    to(&mut looping, 35_000);
    // At 10 s, and 10 s after the three calls of each start were answered: 20.03 and 30.06 s.
    assert_eq!(looping.snapshot().network.downstream.map(|shared| shared.asked), Some(9));
}

#[test]
fn a_herd_of_cold_consumers_loads_what_they_share() {
    let dials = [("workers", "10"), ("cold_calls", "5"), ("downstream", "10"), ("p", "0")];
    let mut herd = run(&dials);
    does(&mut herd, &[Command::StopConsumers { pool: 0 }]);
    to(&mut herd, 1_000);
    assert_eq!(members(&herd), 0);
    does(&mut herd, &[Command::StartConsumers { pool: 0 }]);
    let pending = |herd: &Simulation| herd.downstream().map(|shared| (shared.asked(), shared.pending()));
    assert_eq!(pending(&herd), Some((50, 50)), "all at once");
    // 50 calls at 10 a second, 5 of each consumer in turn: one more is ready every half second.
    for (millis, ready) in [(1_499, 0), (1_500, 1), (3_500, 5), (5_999, 9), (6_000, 10)] {
        to(&mut herd, millis);
        assert_eq!(members(&herd), ready, "at {millis} ms");
    }
    does(&mut herd, &[set("workers", "12")]);
    assert_eq!(pending(&herd), Some((60, 10)), "new ones start cold too");
    does(&mut herd, &[set("workers", "10"), set("workers", "11")]);
    assert_eq!((pending(&herd), members(&herd)), (Some((65, 15)), 10), "who comes back is new");
}

#[test]
fn a_consumer_that_starts_cold_takes_nothing_for_so_long() {
    let mut cold = run(&[("cold_start", "4"), ("p", "1"), ("c", "10")]);
    does(&mut cold, &[set("workers", "2")]);
    to(&mut cold, 3_950);
    assert_eq!((members(&cold), cold.ledger().done), (1, 3), "the first was there from the start");
    does(&mut cold, &[consumer(0, ConsumerDoes::Crash)]);
    to(&mut cold, 4_050);
    assert_eq!((members(&cold), cold.ledger().in_flight), (1, 1), "the second is through");
}

/// How many consumers the autoscaler of the first pool wants, and why.
fn wanted(simulation: &Simulation) -> Option<(u64, ScaleReason)> {
    simulation.snapshot().network.pools[0].scaling.map(|scaling| (scaling.wanted, scaling.reason))
}

#[test]
fn a_cold_start_takes_its_time_and_waits_for_its_calls() {
    for (cold_start, downstream, ready) in [("1", "1", 5_000), ("5", "10", 5_000)] {
        let dials = [("cold_start", cold_start), ("cold_calls", "5"), ("downstream", downstream), ("p", "0")];
        let mut cold = run(&dials);
        does(&mut cold, &[set("workers", "2")]);
        to(&mut cold, ready - 1);
        assert_eq!(members(&cold), 1, "{cold_start} s, and 5 calls at {downstream} a second");
        to(&mut cold, ready);
        assert_eq!(members(&cold), 2);
    }
}

#[test]
fn an_autoscaler_follows_the_backlog_up_at_once_and_down_after_its_window() {
    let mut scaled = run(&[
        ("autoscale", "backlog"),
        ("scale_interval", "10"),
        ("scale_down", "30"),
        ("workers_max", "8"),
        ("capacity", "none"),
        ("p", "20"),
        ("c", "4"),
    ]);
    to(&mut scaled, 9_999);
    assert_eq!((wanted(&scaled), scaled.snapshot().consumers.count), (None, 1));
    // 200 came, 39 are done, 1 is in flight: 160 wait, which is 16 times the target.
    to(&mut scaled, 10_000);
    assert_eq!(wanted(&scaled), Some((8, ScaleReason::AtMax)));
    assert_eq!(scaled.ledger().waiting, 153, "seven new ones take one each");
    // 20 in and 32 out: 33 wait at 20 s, for which 4 would do, and none from 23 s on.
    to(&mut scaled, 20_000);
    assert_eq!((scaled.ledger().waiting, scaled.snapshot().consumers.count), (33, 8));
    to(&mut scaled, 49_999);
    assert_eq!(scaled.snapshot().consumers.count, 8, "16 were desired at 10 s");
    to(&mut scaled, 50_000);
    assert_eq!(wanted(&scaled), Some((4, ScaleReason::Stabilising)), "4 were desired at 20 s");
    let kinds = scaled.journal().last().map(|event| event.kind);
    let decisions: Vec<_> =
        kinds.filter(|kind| matches!(kind, EventKind::ScaledUp | EventKind::ScaledDown)).collect();
    assert_eq!(decisions, [EventKind::ScaledUp, EventKind::ScaledDown]);
    does(&mut scaled, &[set("autoscale", "off"), set("workers", "2")]);
    to(&mut scaled, 100_000);
    assert_eq!((wanted(&scaled), scaled.snapshot().consumers.count), (None, 2), "the dial decides again");
}

#[test]
fn an_autoscaler_on_cpu_sees_no_work_in_waiting_for_a_database() {
    let dials = [("c", "10"), ("workers", "3"), ("p", "10"), ("scale_down", "0"), ("capacity", "none")];
    let busy = |more: &[(&str, &str)]| run(&[&dials[..], more].concat());
    // 2 calls a second take 0.2 s of work: 7 % of three consumers' time, so one would do.
    let mut on_cpu = busy(&[("autoscale", "cpu"), ("downstream", "2")]);
    to(&mut on_cpu, 15_000);
    assert_eq!(wanted(&on_cpu), Some((1, ScaleReason::Target)));
    let mut on_backlog = busy(&[("autoscale", "backlog"), ("downstream", "2")]);
    to(&mut on_backlog, 15_000);
    assert_eq!(wanted(&on_backlog), Some((10, ScaleReason::AtMax)), "118 wait, more than 10 for each");
    to(&mut on_backlog, 120_000);
    let flow = on_backlog.snapshot().flow;
    assert_eq!(flow.done, 20, "ten consumers finish what the database answers: 2 a second");
    // Without the database: 10 a second are 100 % of one consumer's time, 125 % of 80 %.
    let mut alone = busy(&[("autoscale", "cpu"), ("workers", "1")]);
    to(&mut alone, 15_000);
    assert_eq!(wanted(&alone), Some((2, ScaleReason::Target)));
}

#[test]
fn consumers_that_an_autoscaler_adds_start_cold() {
    let mut scaled = run(&[
        ("autoscale", "backlog"),
        ("workers_max", "5"),
        ("cold_start", "20"),
        ("cold_calls", "3"),
        ("downstream", "100"),
        ("p", "50"),
        ("c", "0"),
    ]);
    to(&mut scaled, 15_000);
    let snapshot = scaled.snapshot();
    assert_eq!((snapshot.consumers.count, snapshot.consumers.members), (5, 1));
    assert_eq!(snapshot.network.downstream.map(|shared| shared.asked), Some(12), "3 of each new one");
    to(&mut scaled, 35_000);
    assert_eq!(members(&scaled), 5);
}

#[test]
fn a_batch_of_n_makes_n_in_the_fixed_cost_and_n_times_the_work() {
    // n ÷ (0.5 s + n × 0.05 s) a second, here for 1,100 seconds.
    for (batch, done) in [("1", 2_000), ("10", 11_000), ("45", 18_000), ("100", 20_000)] {
        let dials = [("batch", batch), ("batch_cost", "0.5"), ("c", "20"), ("p", "30"), ("capacity", "none")];
        let mut pulled = run(&dials);
        to(&mut pulled, 100_000);
        let before = pulled.ledger().done;
        to(&mut pulled, 1_200_000);
        let found = pulled.ledger().done - before;
        assert!(found.abs_diff(done) <= 100, "batches of {batch}: {found}, not {done}");
    }
}

#[test]
fn a_batch_is_what_waits_and_each_message_is_acknowledged_by_itself() {
    let mut pulled = run(&[("batch", "10"), ("batch_cost", "2"), ("p", "1"), ("c", "2")]);
    // The first comes alone at 1 s and is done at 3.5 s; the second and third make a batch then.
    to(&mut pulled, 3_499);
    assert_eq!((pulled.ledger().in_flight, pulled.ledger().waiting), (1, 2), "it does not wait for more");
    to(&mut pulled, 3_500);
    assert_eq!((pulled.ledger().in_flight, pulled.ledger().waiting), (2, 0));
    to(&mut pulled, 6_000);
    assert_eq!((pulled.ledger().done, pulled.ledger().in_flight), (2, 1), "one of the two is done");
    does(&mut pulled, &[consumer(0, ConsumerDoes::Crash)]);
    to(&mut pulled, 6_100);
    assert_eq!((pulled.ledger().done, pulled.ledger().waiting), (2, 4), "the other comes back");
    does(&mut pulled, &[set("p", "0"), consumer(0, ConsumerDoes::Restart)]);
    // Four of them: 2 s, and half a second for each.
    to(&mut pulled, 10_099);
    assert_eq!((pulled.ledger().done, pulled.ledger().in_flight), (5, 1));
    to(&mut pulled, 10_100);
    assert_eq!(pulled.ledger().done, 6);
}

#[test]
fn one_that_stops_finishes_what_it_has_and_takes_no_batch_with_it() {
    // It works on one message, has another in hand, and eight wait.
    let dials = [("ack", "before-work"), ("batch", "3"), ("p", "0"), ("c", "1")];
    let mut stopping = run(&dials);
    does(&mut stopping, &[Command::Burst { count: 10 }]);
    to(&mut stopping, 500);
    does(&mut stopping, &[Command::StopConsumers { pool: 0 }]);
    assert_eq!((stopping.ledger().in_flight, stopping.ledger().waiting), (2, 8));
    to(&mut stopping, 9_000);
    assert_eq!((stopping.ledger().done, stopping.ledger().waiting), (2, 8));
}

#[test]
fn the_cost_of_a_batch_is_time_and_the_dial_of_the_rate_moves_only_the_work() {
    let mut pulled = run(&[("batch", "2"), ("batch_cost", "2"), ("p", "1"), ("c", "1")]);
    to(&mut pulled, 2_000);
    does(&mut pulled, &[set("p", "0"), set("c", "0")]);
    to(&mut pulled, 2_500);
    does(&mut pulled, &[set("c", "4")]);
    to(&mut pulled, 3_249);
    assert_eq!(pulled.ledger().done, 0);
    to(&mut pulled, 3_250);
    assert_eq!(pulled.ledger().done, 1, "taken at 1 s, work from 3 s on at 4 a second");
}

#[test]
fn a_dead_letter_that_comes_round_to_the_same_consumer_waits_for_its_hands() {
    // Each message fails and comes back to the same queue; the last of a batch finds the one
    // consumer free, which asks for the next batch at that.
    let topology = Topology {
        queues: vec![QueueNode {
            name: "round".into(),
            dead_letters_to: Some("round".into()),
            split_from: None,
        }],
        producers: vec![ProducerNode { name: "one".into(), to: "round".into(), ..ProducerNode::default() }],
        consumers: vec![ConsumersNode {
            name: "workers".into(),
            from: "round".into(),
            ..ConsumersNode::default()
        }],
        ..Topology::default()
    };
    let dials = [("fail", "100"), ("attempts", "1"), ("batch", "3"), ("p", "10"), ("c", "5")];
    let scenario = Scenario::with_settings(settings(&dials)).with_topology(topology).expect("it is right");
    let mut round = Simulation::new(Rc::new(scenario));
    to(&mut round, 20_050);
    assert_eq!(round.totals().failed_attempts, 99, "one every 0.2 s since 0.1 s");
    assert!((1..=3).contains(&round.ledger().in_flight));
}
