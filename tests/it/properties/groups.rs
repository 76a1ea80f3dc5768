//! Groups and their assignors, whoever joins, leaves or falls silent.

use proptest::prelude::*;
use queue_lab::model::group::assignors::{Assignment, Assignor, Candidate, Topic, TopicPartition};
use queue_lab::model::group::{Group, GroupState, GroupTimers};
use queue_lab::model::time::Instant;

/// What happens next to a group.
#[derive(Clone, Copy, Debug)]
enum Step {
    Joins(u8),
    Leaves(u8),
    AddsPartitions,
    Rebalances,
    /// All but this one fall silent.
    FallsSilentBut(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let who = 0_u8..9;
    let step = prop_oneof![
        4 => who.clone().prop_map(Step::Joins),
        2 => who.clone().prop_map(Step::Leaves),
        1 => Just(Step::AddsPartitions),
        5 => Just(Step::Rebalances),
        1 => who.prop_map(Step::FallsSilentBut),
    ];
    prop::collection::vec(step, 1..60)
}

fn name(who: u8) -> String {
    format!("consumer-{who}")
}

fn topic(partitions: u32) -> Vec<Topic> {
    vec![Topic { name: "orders".to_owned(), partitions }]
}

fn all(topics: &[Topic]) -> Vec<TopicPartition> {
    let partitions = |(topic, of): (usize, &Topic)| {
        (0..of.partitions).map(move |partition| TopicPartition { topic, partition })
    };
    topics.iter().enumerate().flat_map(partitions).collect()
}

fn assignor() -> impl Strategy<Value = Assignor> {
    prop::sample::select(&Assignor::ALL[..])
}

/// Two topics and members that subscribe to both, with what an earlier assignment gave them.
fn equal() -> impl Strategy<Value = (Vec<Topic>, Vec<Candidate>)> {
    (1_u32..12, 0_u32..12, 1_usize..8, 1_usize..8).prop_map(|(first, second, before, after)| {
        let topics: Vec<Topic> = [("a", first), ("b", second)]
            .map(|(name, partitions)| Topic { name: name.to_owned(), partitions })
            .into();
        let new =
            |who: usize| Candidate { id: format!("m{who}"), topics: vec![0, 1], ..Candidate::default() };
        let members: Vec<Candidate> = (0..before).map(new).collect();
        let owned = Assignor::RoundRobin.assign(&topics, &members);
        let came: Vec<Candidate> = (0..after)
            .map(|who| Candidate {
                owned: owned.get(who).cloned().unwrap_or_default(),
                generation: (who < before).then_some(1),
                ..new(who)
            })
            .collect();
        (topics, came)
    })
}

/// A few topics and members that subscribe to some of them each.
fn unequal() -> impl Strategy<Value = (Vec<Topic>, Vec<Candidate>)> {
    let subscriptions = prop::collection::vec(prop::collection::vec(any::<bool>(), 4), 1..7);
    (prop::collection::vec(0_u32..7, 4), subscriptions).prop_map(|(partitions, subscriptions)| {
        let topics = partitions
            .iter()
            .zip('a'..)
            .map(|(partitions, name)| Topic { name: name.to_string(), partitions: *partitions });
        let member = |(who, subscribes): (usize, Vec<bool>)| Candidate {
            id: format!("m{who}"),
            topics: (0..4).filter(|topic| subscribes[*topic]).collect(),
            ..Candidate::default()
        };
        (topics.collect(), subscriptions.into_iter().enumerate().map(member).collect())
    })
}

fn sorted(assignment: &Assignment) -> Vec<TopicPartition> {
    let mut given: Vec<TopicPartition> = assignment.iter().flatten().copied().collect();
    given.sort_unstable();
    given
}

fn loads(assignment: &Assignment) -> (usize, usize) {
    let loads = || assignment.iter().map(Vec::len);
    (loads().min().unwrap_or_default(), loads().max().unwrap_or_default())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_partition_has_two_readers_and_a_stable_group_reads_all(assignor in assignor(), steps in steps()) {
        let mut group = Group::new(assignor, GroupTimers::default());
        let mut partitions = 3;
        for (place, step) in (1..).zip(steps) {
            let now = Instant::from_seconds(100 * place);
            match step {
                Step::Joins(who) => group.join(now, &name(who), None, &[0]),
                Step::Leaves(who) => _ = group.leave(&name(who)),
                Step::AddsPartitions => {
                    partitions += 1;
                    group.topics_changed();
                }
                Step::Rebalances => _ = group.rebalance(&topic(partitions)),
                Step::FallsSilentBut(who) => {
                    group.heartbeat(now, &name(who));
                    while group.expire(now).is_some() {}
                }
            }
            let owned: Assignment = group.members().iter().map(|member| member.candidate.owned.clone()).collect();
            let mut once = sorted(&owned);
            once.dedup();
            prop_assert_eq!(once.len(), sorted(&owned).len(), "two members have one partition");
            if group.state() == GroupState::Stable {
                let read = all(&topic(partitions)).iter().filter(|partition| group.reader_of(**partition).is_some()).count();
                prop_assert_eq!(read, all(&topic(partitions)).len(), "a stable group reads everything");
            }
        }
    }

    #[test]
    fn every_partition_is_given_once_and_evenly((topics, members) in equal(), assignor in assignor()) {
        let fresh: Vec<Candidate> = members.iter().map(|member| Candidate { owned: Vec::new(), generation: None, ..member.clone() }).collect();
        let assignment = assignor.assign(&topics, &fresh);
        prop_assert_eq!(sorted(&assignment), all(&topics));
        let (least, most) = loads(&assignment);
        let allowed = if assignor == Assignor::Range { topics.len() } else { 1 };
        prop_assert!(most - least <= allowed, "{assignment:?}");
    }

    #[test]
    fn a_sticky_assignment_keeps_as_much_as_an_even_one_can((topics, members) in equal()) {
        let assignment = Assignor::Sticky.assign(&topics, &members);
        prop_assert_eq!(sorted(&assignment), all(&topics));
        let (least, most) = loads(&assignment);
        prop_assert!(most - least <= 1);
        let pairs = || members.iter().zip(&assignment);
        let kept: usize = pairs().map(|(member, own)| own.iter().filter(|has| member.owned.contains(has)).count()).sum();
        let (count, parts) = (members.len(), all(&topics).len());
        let at_least: usize = members.iter().map(|member| member.owned.len().min(parts / count)).sum();
        let one_more = members.iter().filter(|member| member.owned.len() > parts / count).count();
        prop_assert_eq!(kept, at_least + one_more.min(parts % count));
    }

    #[test]
    fn a_cooperative_rebalance_ends_even_and_stops_only_what_moves((topics, members) in equal()) {
        let mut group = Group::new(Assignor::CooperativeSticky, GroupTimers::default());
        for member in &members {
            group.join(Instant::START, &member.id, None, &[0, 1]);
            while group.rebalance(&topics).another_follows {}
        }
        let before: Assignment = group.members().iter().map(|member| member.candidate.owned.clone()).collect();
        group.join(Instant::START, "new", None, &[0, 1]);
        let first = group.rebalance(&topics);
        let reads = |group: &Group| all(&topics).into_iter().filter(|partition| group.reader_of(*partition).is_some()).count();
        prop_assert_eq!(reads(&group) + first.revoked.len(), all(&topics).len());
        prop_assert!(first.added.is_empty(), "nobody gets anything before it was given up");
        let second = group.rebalance(&topics);
        prop_assert!(!second.another_follows);
        let mut given_up = first.revoked;
        given_up.sort_unstable();
        let mut added = second.added;
        added.sort_unstable();
        prop_assert_eq!(given_up, added);
        let (least, most) = loads(&second.assignment);
        prop_assert!(most - least <= 1);
        prop_assert!(before.iter().zip(&second.assignment).all(|(had, has)| has.iter().all(|it| had.contains(it))), "who was there gets nothing new");
    }

    #[test]
    fn of_different_subscriptions_everybody_gets_only_what_he_wants((topics, members) in unequal(), assignor in assignor()) {
        let assignment = assignor.assign(&topics, &members);
        let wanted = |partition: &TopicPartition| members.iter().any(|member| member.topics.contains(&partition.topic));
        let all: Vec<TopicPartition> = all(&topics).into_iter().filter(wanted).collect();
        prop_assert_eq!(sorted(&assignment), all);
        for (member, own) in members.iter().zip(&assignment) {
            prop_assert!(own.iter().all(|partition| member.topics.contains(&partition.topic)), "{member:?}: {own:?}");
        }
        if assignor == Assignor::Sticky {
            is_as_even_as_can_be(&members, &assignment)?;
        }
    }

    #[test]
    fn who_keeps_his_subscription_keeps_his_partitions_when_nobody_comes_or_goes((topics, members) in unequal()) {
        let first = Assignor::Sticky.assign(&topics, &members);
        let again: Vec<Candidate> = members.iter().zip(&first)
            .map(|(member, own)| Candidate { owned: own.clone(), generation: Some(1), ..member.clone() })
            .collect();
        let second = Assignor::Sticky.assign(&topics, &again);
        for (mut before, mut after) in first.into_iter().zip(second) {
            before.sort_unstable();
            after.sort_unstable();
            prop_assert_eq!(before, after);
        }
    }
}

/// No single partition could go to somebody with at least two fewer.
fn is_as_even_as_can_be(members: &[Candidate], assignment: &Assignment) -> Result<(), TestCaseError> {
    for own in assignment {
        for partition in own {
            let others =
                members.iter().zip(assignment).filter(|(member, _)| member.topics.contains(&partition.topic));
            for (_, other) in others {
                prop_assert!(own.len() <= other.len() + 1, "{partition:?} of {assignment:?}");
            }
        }
    }
    Ok(())
}
