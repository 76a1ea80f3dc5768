//! The truth of every sentence about a queue and a log that get the same messages, told from the raw
//! snapshot and from the future of the run.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use queue_lab::app::log_view::{Side, scenario_of};
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::rate::Rate;
use queue_lab::model::routes::TopicIndex;
use queue_lab::model::settings::{Bound, Limit, OverflowPolicy, Setting, Settings, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::network::{GroupSnapshot, LaneSnapshot};
use queue_lab::model::snapshot::{BrokerState, ConsumerHealth, ConsumerSnapshot, Snapshot};
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::both::{BothNext, BothRemark, happening_holds};
use queue_lab::narrate::format::Numerals;
use queue_lab::narrate::locale::Locale;
use queue_lab::narrate::remark::Remark;
use queue_lab::narrate::words::text;

use super::forward::{Future, ensure};
use super::story::Story;
use crate::sentences::tidy;

/// Whether `remark` is true of `snapshot`, which is of `simulation`.
fn check(remark: &Remark, snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
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
            let tried = |lane: &LaneSnapshot| {
                let again = lane.head_attempts > 1 || lane.head_attempts == 1 && lane.paused_for.is_some();
                let is_up = lane.reader_health == Some(ConsumerHealth::Up);
                lane.head_fails && !lane.head_is_unreadable && again && is_up && lane.lag == behind + 1
            };
            let lanes = teams(snapshot).filter_map(|team| team.partitions.get(partition as usize));
            ensure(lanes.clone().any(tried), || format!("{:?}", lanes.collect::<Vec<_>>()))?;
            let in_hand = |one: &&ConsumerSnapshot| one.work.is_some_and(|work| work.is_poison);
            let queue = &snapshot.consumers;
            let all = queue.each.iter().chain(&queue.of_further_pools);
            let (held, of) = (all.clone().filter(in_hand).count() as u64, all.count() as u64);
            ensure((busy, consumers) == (held, of), || format!("{held} of {of}"))
        }
        Remark::Both(BothRemark::HeldBack { behind }) => {
            let producers = &snapshot.network.producers;
            at_bound(snapshot, simulation)?;
            ensure(snapshot.queue.overflow == OverflowPolicy::Block, || "it drops".to_owned())?;
            ensure(producers[0].sent < producers[1].sent, || format!("{producers:?}"))?;
            ensure(!producers[1].is_blocked, || "that of the log waits too".to_owned())?;
            ensure(behind == lag(snapshot), || format!("lag {}", lag(snapshot)))
        }
        Remark::Both(BothRemark::Lost { lost, behind }) => {
            let ledger = &snapshot.ledger;
            let all = ledger.rejected + ledger.dropped_new + ledger.dropped_oldest;
            at_bound(snapshot, simulation)?;
            ensure(lost == all && lost > 0, || format!("{all} lost"))?;
            ensure(behind == lag(snapshot), || format!("lag {}", lag(snapshot)))
        }
        Remark::Both(BothRemark::Behind { waiting, behind }) => {
            let counted = (simulation.ledger().waiting, lag(snapshot));
            ensure((waiting, behind) == counted, || format!("{counted:?}"))
        }
        Remark::Both(BothRemark::Teams) => {
            each_team_gets_its_part(snapshot, simulation)?;
            nothing_piles_up(snapshot, simulation)
        }
        Remark::Both(BothRemark::KeepUp { kept_for }) => {
            let kept = simulation.settings().retention;
            let usual = Span::from_seconds(7 * 24 * 3_600);
            let set = match kept {
                Limit::At(span) => Some(span),
                Limit::AsBroker => Some(usual),
                Limit::None => None,
            };
            ensure(kept_for == set, || format!("kept for {set:?}"))?;
            nothing_piles_up(snapshot, simulation)
        }
        Remark::BothNext(BothNext::FullIn(span)) => full_in(span, simulation),
        Remark::BothNext(BothNext::DeletedUnread(count)) => {
            let deleted: u64 = teams(snapshot).map(|team| team.counts.deleted_unread).sum();
            ensure(count == deleted && count > 0, || format!("{deleted}"))
        }
        ref other => Err(format!("{other:?} is not about both")),
    };
    is_so.map_err(|why| format!("at {}: {remark:?} is false: {why}", snapshot.at))
}

/// The groups that read what the queue gets too.
fn teams(snapshot: &Snapshot) -> impl Iterator<Item = &GroupSnapshot> + Clone {
    let topic = &snapshot.network.producers[1].to;
    let has_begun = |group: &GroupSnapshot| {
        group.members > 0 || group.partitions.iter().any(|lane| lane.committed.is_some())
    };
    snapshot.network.groups.iter().filter(move |group| group.from == *topic && has_begun(group))
}

fn lag(snapshot: &Snapshot) -> u64 {
    teams(snapshot).map(|team| team.lag).max().expect("a group reads it")
}

/// The queue is at its bound now, or will be within two of its producer's gaps.
fn at_bound(snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let Bound::Messages(bound) = snapshot.queue.bound else { return Err("no bound".to_owned()) };
    let waiting = simulation.ledger().waiting;
    let few = snapshot.consumers.count.min(bound / 8).max(1);
    ensure(waiting + few >= bound, || format!("{waiting} of {bound} wait"))
}

/// Within ten seconds no line grows by more than what may be in the hands of those who take, unless a
/// message is on its way that fails every time.
fn nothing_piles_up(snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let producers = &snapshot.network.producers;
    ensure(producers.iter().all(|one| !one.is_blocked), || "a producer waits".to_owned())?;
    let mut future = Future::of(simulation);
    future.pass(Span::from_seconds(10));
    let later = future.0.snapshot();
    if later.failures.poisoned > 0 && !later.failures.is_fixed {
        return Ok(());
    }
    let grew = |before: u64, after: u64, takers: u64| after <= before + 2 * takers;
    let (queue, takers) = ((snapshot.queue.waiting, later.queue.waiting), snapshot.consumers.count);
    ensure(grew(queue.0, queue.1, takers), || format!("waiting: {queue:?}"))?;
    let partitions = snapshot.network.topics[0].partitions.len() as u64;
    let lags: Vec<_> = teams(snapshot).zip(teams(&later)).map(|(one, other)| (one.lag, other.lag)).collect();
    ensure(lags.iter().all(|lag| grew(lag.0, lag.1, partitions)), || format!("lags {lags:?}"))
}

/// Each message of the queue is done by one team. All of the log are up, and go on over what comes.
fn each_team_gets_its_part(snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let pools = || snapshot.network.pools.iter().filter(|pool| pool.from == snapshot.queue.name);
    let finished: Vec<u64> = pools().map(|pool| pool.finished).collect();
    let ledger = simulation.ledger();
    ensure(pools().filter(|pool| pool.count > 0).count() > 1, || format!("{finished:?}"))?;
    ensure(finished.iter().sum::<u64>() == ledger.finished(), || format!("{finished:?} of {ledger:?}"))?;
    ensure(teams(snapshot).count() > 1, || "one team reads".to_owned())?;
    ensure(teams(snapshot).all(|team| team.members > 0), || "a team has nobody".to_owned())?;
    let mut future = Future::of(simulation);
    future.pass(Span::from_seconds(10));
    let later = future.0.snapshot();
    let came = later.network.producers[1].sent - snapshot.network.producers[1].sent;
    let partitions = snapshot.network.topics[0].partitions.len() as u64;
    let done = |team: &GroupSnapshot| team.counts.done + team.counts.passed_over;
    let moved: Vec<u64> =
        teams(snapshot).zip(teams(&later)).map(|(one, other)| done(other) - done(one)).collect();
    let is_poisoned = later.failures.poisoned > 0;
    ensure(is_poisoned || moved.iter().all(|moved| moved + 2 * partitions >= came), || {
        format!("{moved:?} of {came}")
    })
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
    for kind in ["both-at-rest", "both-behind", "both-lost", "next"] {
        assert!(said.contains(kind), "{kind} is not among {said:?}");
    }
    let blocked = Settings { overflow: OverflowPolicy::Block, ..faster };
    let said = listen(&mut story(&blocked, Vec::new()), 60).expect("all of it is true");
    assert!(said.contains("both-held-back"), "{said:?}");
    let poison = |producer| Command::Poison { producer, count: 1 };
    let broken =
        vec![at(5, poison(0)), at(5, poison(1)), at(30, Command::DeployFix), at(40, Command::BrokerDown)];
    let said = listen(&mut story(&Settings::default(), broken), 60).expect("all of it is true");
    for kind in ["both-keep-up", "both-stuck", "both-broker-down"] {
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

#[test]
fn a_sentence_with_a_number_that_grows_is_kept_while_the_number_is_near() {
    let held = |behind| BothRemark::HeldBack { behind };
    let lost = |lost| BothRemark::Lost { lost, behind: 100 };
    assert!(happening_holds(held(100), held(104)) && !happening_holds(held(100), held(110)));
    assert!(happening_holds(lost(100), lost(104)) && !happening_holds(lost(100), lost(110)));
    assert!(!happening_holds(held(100), lost(100)));
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
    let kept = prop::option::of(2_u64..20);
    let all = (rate.clone(), rate, 1_u64..5, bound, overflow, kept);
    all.prop_map(|(p, c, workers, queue_bound, overflow, kept)| Settings {
        retention: kept.map_or(Limit::AsBroker, |kept| Limit::At(Span::from_seconds(kept))),
        producer_rate: Rate::from_thousandths(p),
        consumer_rate: Rate::from_thousandths(c),
        consumer_count: workers,
        queue_bound,
        overflow,
        ..Settings::default()
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
        (0_u16..4, prop::sample::select(&[ConsumerDoes::Crash, ConsumerDoes::Hang, ConsumerDoes::Restart]))
            .prop_map(|(pool, does)| Command::Consumer { pool, number: 0, does }),
        (0_u16..4).prop_map(|pool| Command::StopConsumers { pool }),
        (0_u16..4).prop_map(|pool| Command::StartConsumers { pool }),
        (1_u64..5)
            .prop_map(|count| Command::Set { setting: Setting::ConsumerCount, value: Value::Count(count) }),
        (0_u64..80).prop_map(|bound| Command::Set {
            setting: Setting::QueueBound,
            value: Value::Bound(Bound::Messages(bound)),
        }),
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
