//! The truth of every sentence about a queue and a log that get the same messages, told from the raw
//! snapshot and from the future of the run.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use queue_lab::app::log_view::{Side, scenario_of};
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::rate::Rate;
use queue_lab::model::routes::TopicIndex;
use queue_lab::model::settings::{Bound, OverflowPolicy, Setting, Settings, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::network::GroupSnapshot;
use queue_lab::model::snapshot::{BrokerState, Snapshot};
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::both::{BothNext, BothRemark};
use queue_lab::narrate::format::Numerals;
use queue_lab::narrate::locale::Locale;
use queue_lab::narrate::remark::Remark;
use queue_lab::narrate::words::text;

use super::forward::{Future, ensure};
use super::story::Story;
use crate::sentences::tidy;

/// A rate each side keeps up with is not behind by more than a few for each that takes.
const FEW_EACH: u64 = 2;

/// Whether `remark` is true of `snapshot`, which is of `simulation`.
fn check(remark: &Remark, snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let team = team(snapshot);
    let is_so = match *remark {
        Remark::Both(BothRemark::AtRest { arrivals, .. }) => {
            ensure(snapshot.at == Instant::START, || "it has begun".to_owned())?;
            let rates: BTreeSet<u64> =
                snapshot.network.producers.iter().map(|producer| producer.rate.thousandths()).collect();
            ensure(rates == BTreeSet::from([arrivals.thousandths()]), || format!("rates {rates:?}"))
        }
        Remark::Both(BothRemark::BrokerDown) => {
            ensure(snapshot.broker.state != BrokerState::Up, || "it is up".to_owned())
        }
        Remark::Both(BothRemark::Stuck { partition, behind, busy, consumers }) => {
            let lane = &team.partitions[partition as usize];
            ensure(lane.head_fails && lane.head_attempts > 0, || format!("{lane:?}"))?;
            ensure(behind == lane.lag - 1, || format!("{} behind", lane.lag - 1))?;
            let in_hand = |one: &&queue_lab::model::snapshot::ConsumerSnapshot| {
                one.work.is_some_and(|work| work.is_poison)
            };
            let queue = &snapshot.consumers;
            let all = queue.each.iter().chain(&queue.of_further_pools);
            let (held, of) = (all.clone().filter(in_hand).count() as u64, all.count() as u64);
            ensure((busy, consumers) == (held, of), || format!("{held} of {of}"))
        }
        Remark::Both(BothRemark::Teams) => teams(snapshot, simulation),
        Remark::Both(BothRemark::Lost { lost, behind }) => {
            let ledger = &snapshot.ledger;
            let all = ledger.rejected + ledger.dropped_new + ledger.dropped_oldest;
            ensure(lost == all && lost > 0, || format!("{all} lost"))?;
            ensure(behind == team.lag, || format!("lag {}", team.lag))
        }
        Remark::Both(BothRemark::Behind { waiting, behind }) => {
            let counted = simulation.ledger().waiting;
            ensure((waiting, behind) == (counted, team.lag), || format!("{counted} and {}", team.lag))
        }
        Remark::Both(BothRemark::KeepUp) => {
            let few = FEW_EACH * snapshot.consumers.count.max(team.partitions.len() as u64);
            let (waiting, lag) = (simulation.ledger().waiting, team.lag);
            ensure(waiting <= few && lag <= few, || format!("{waiting} wait, lag {lag}"))
        }
        Remark::BothNext(BothNext::FullIn(span)) => full_in(span, simulation),
        ref other => Err(format!("{other:?} is not about both")),
    };
    is_so.map_err(|why| format!("at {}: {remark:?} is false: {why}", snapshot.at))
}

fn team(snapshot: &Snapshot) -> &GroupSnapshot {
    let topic = &snapshot.network.producers[1].to;
    snapshot.network.groups.iter().find(|group| group.from == *topic).expect("a group reads it")
}

/// Each message of the queue is done by one team, and each group moves on over all that comes.
fn teams(snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let of_queue = |snapshot: &Snapshot| -> Vec<u64> {
        let pools = snapshot.network.pools.iter().filter(|pool| pool.from == snapshot.queue.name);
        pools.map(|pool| pool.finished).collect()
    };
    let finished = of_queue(snapshot);
    let ledger = simulation.ledger();
    ensure(finished.len() == 2, || format!("{finished:?}"))?;
    ensure(finished.iter().sum::<u64>() == ledger.finished(), || format!("{finished:?} of {ledger:?}"))?;
    let topic = &snapshot.network.producers[1].to;
    let end: u64 = snapshot
        .network
        .topics
        .iter()
        .find(|one| one.name == *topic)
        .map_or(0, |topic| topic.partitions.iter().map(|partition| partition.log_end).sum());
    let readers = snapshot.network.groups.iter().filter(|group| group.from == *topic);
    // What came before a group began is no record of its own; all later ones are done or its lag.
    let is_for_each = readers.map(|group| {
        let committed: u64 = group.partitions.iter().filter_map(|lane| lane.committed).sum();
        let has_all = group.partitions.iter().any(|lane| lane.committed.is_none());
        has_all || committed + group.lag == end
    });
    ensure(is_for_each.into_iter().all(|holds| holds), || "a group lacks records".to_owned())
}

/// The queue is at its bound then, and not before: within a second or 5 %.
fn full_in(span: Span, simulation: &Simulation) -> Result<(), String> {
    let Bound::Messages(bound) = simulation.settings().queue_bound else { return Err("no bound".to_owned()) };
    let within = Span::from_micros((span.micros() / 20).max(1_000_000));
    let mut future = Future::of(simulation);
    let found = future.first(span + within, |run| run.ledger().waiting >= bound);
    match found {
        Ok(after) => ensure(after + within >= span, || format!("full after {after:?}")),
        Err(super::forward::Missed::TooCostly) => Ok(()),
        Err(super::forward::Missed::Never) => Err("it is not full then".to_owned()),
    }
}

/// What is wrong with what is said up to `seconds`, and what was said.
fn listen(story: &mut Story, seconds: u64) -> Result<BTreeSet<&'static str>, String> {
    let (locale, mut kinds, mut wrong) = (Locale::english(), BTreeSet::new(), None);
    let (account, snapshot) = story.hear_now();
    for remark in [Some(account.happening), account.next].iter().flatten() {
        check(remark, &snapshot, &story.simulation)?;
        kinds.insert(remark.kind());
    }
    story.hear_until(Instant::from_seconds(seconds), |account, snapshot, simulation| {
        for remark in [Some(account.happening), account.next].iter().flatten() {
            kinds.insert(remark.kind());
            let said = text(remark, &locale, Numerals::Screen);
            wrong = wrong.take().or(check(remark, snapshot, simulation).err()).or(tidy(&said).err());
        }
    });
    wrong.map_or(Ok(kinds), Err)
}

fn story(settings: &Settings, commands: Vec<TimedCommand>) -> Story {
    Story::of(scenario_of(Side::Both, settings)).then(commands)
}

const fn at(seconds: u64, command: Command) -> TimedCommand {
    TimedCommand { at: Instant::from_seconds(seconds), command }
}

#[test]
fn each_kind_of_sentence_about_both_is_said_and_true() {
    let faster = Settings { producer_rate: Rate::from_per_second(8), ..Settings::default() };
    let said = listen(&mut story(&faster, Vec::new()), 60).expect("all of it is true");
    for kind in ["both-at-rest", "both-keep-up", "both-behind", "both-lost", "next"] {
        assert!(said.contains(kind), "{kind} is not among {said:?}");
    }
    let poison = |producer| Command::Poison { producer, count: 1 };
    let broken =
        vec![at(5, poison(0)), at(5, poison(1)), at(30, Command::DeployFix), at(40, Command::BrokerDown)];
    let said = listen(&mut story(&Settings::default(), broken), 60).expect("all of it is true");
    for kind in ["both-stuck", "both-broker-down"] {
        assert!(said.contains(kind), "{kind} is not among {said:?}");
    }
    let joined = vec![at(5, Command::Join { pool: 1 }), at(5, Command::Join { pool: 3 })];
    let mut teams = story(&Settings::default(), joined);
    assert!(listen(&mut teams, 65).expect("all of it is true").contains("both-teams"));
    // Half of what came in the last minute went to each team of the queue, and all of it to both groups.
    let snapshot = teams.simulation.snapshot();
    let finished = |pool: usize| snapshot.network.pools[pool].finished;
    assert!(
        finished(1).abs_diff(180) <= 2 && finished(0).abs_diff(30 + 180) <= 2,
        "{:?}",
        snapshot.network.pools
    );
    let committed = |group: usize| snapshot.network.groups[group].counts.done;
    assert!(
        committed(0).abs_diff(390) <= 2 && committed(1).abs_diff(360) <= 2,
        "{:?}",
        snapshot.network.groups
    );
}

fn dials() -> impl Strategy<Value = Settings> {
    let rate = prop_oneof![Just(0_u64), 1_000_u64..20_000];
    let overflow = prop::sample::select(&[
        OverflowPolicy::Block,
        OverflowPolicy::Reject,
        OverflowPolicy::DropNew,
        OverflowPolicy::DropOldest,
    ]);
    let bound = prop_oneof![Just(Bound::None), (0_u64..100).prop_map(Bound::Messages)];
    (rate.clone(), rate, 1_u64..5, bound, overflow).prop_map(|(p, c, workers, queue_bound, overflow)| {
        Settings {
            producer_rate: Rate::from_thousandths(p),
            consumer_rate: Rate::from_thousandths(c),
            consumer_count: workers,
            queue_bound,
            overflow,
            ..Settings::default()
        }
    })
}

fn commands() -> impl Strategy<Value = Vec<TimedCommand>> {
    let command = prop_oneof![
        Just(Command::Join { pool: 1 }),
        Just(Command::Join { pool: 3 }),
        (0_u16..2).prop_map(|producer| Command::Poison { producer, count: 1 }),
        (0_u16..2, 1_u64..40).prop_map(|(producer, count)| Command::BurstOf { producer, count }),
        Just(Command::BrokerDown),
        Just(Command::BrokerUp),
        Just(Command::DeployFix),
        (2_u32..6).prop_map(|to| Command::AddPartitions { topic: TopicIndex(0), to }),
        (0_u16..3).prop_map(|pool| Command::Consumer { pool, number: 0, does: ConsumerDoes::Crash }),
        (0_u64..20_000).prop_map(|rate| Command::Set {
            setting: Setting::ConsumerRate,
            value: Value::Rate(Rate::from_thousandths(rate)),
        }),
    ];
    prop::collection::vec((1_u64..60, command), 0..6).prop_map(|mut timed| {
        timed.sort_by_key(|(second, _)| *second);
        timed.into_iter().map(|(second, command)| at(second, command)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn what_is_said_of_both_is_true_whatever_happens(settings in dials(), commands in commands()) {
        let heard = listen(&mut story(&settings, commands), 70);
        prop_assert!(heard.is_ok(), "{}", heard.err().unwrap_or_default());
    }
}
