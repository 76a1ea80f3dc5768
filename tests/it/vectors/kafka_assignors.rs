//! `kafka-assignors.json`: who reads what, from Kafka's own tests and recorded from its classes; and
//! what stops while members come and go, on the product's group.

use std::collections::BTreeSet;

use queue_lab::model::group::assignors::{Assignment, Assignor, Candidate, Topic, TopicPartition};
use queue_lab::model::group::{Group, GroupTimers};
use queue_lab::model::time::Instant;

use super::VectorFile;
use super::fields::Fields;

#[test]
fn members_read_what_kafka_gives_them() {
    let Some(mut file) = VectorFile::open("kafka-assignors") else { return };
    file.root.prose(&["schema", "tie_break", "source"]);
    let cases = file.root.objects("unit_test_cases");
    file.run("unit_test_cases", cases, |case| single(case, case.flag("order_significant")));
    let recorded = file.root.object("recorded_runs");
    recorded.prose(&["how"]);
    let in_order = recorded.flag("order_significant");
    file.run("recorded_runs.cases", recorded.objects("cases"), |case| single(case, in_order));
    recorded.all_were_read();
    let sequences = file.root.object("recorded_sequences");
    sequences.prose(&["how", "pause_fields"]);
    file.run("recorded_sequences.sequences", sequences.objects("sequences"), sequence);
    sequences.all_were_read();
    file.finish();
}

fn assignor(case: &Fields) -> Assignor {
    let name = case.text("assignor");
    let named = Assignor::ALL.into_iter().find(|assignor| assignor.name() == name);
    named.unwrap_or_else(|| panic!("{}: no assignor {name}", case.place()))
}

/// All topics that are named, in the order of their names. Those that are only named have no
/// partitions.
fn topics(case: &Fields, members: &[Fields]) -> Vec<Topic> {
    let there = case.object("topics");
    let owned = |member: &Fields| if member.has("owned") { member.texts("owned") } else { Vec::new() };
    let had = members.iter().flat_map(owned).map(|partition| split(&partition).0.to_owned());
    let subscribed = members.iter().flat_map(|member| member.texts("topics"));
    let names: BTreeSet<String> = there.keys().into_iter().chain(subscribed).chain(had).collect();
    let topic = |name: String| Topic {
        partitions: if there.has(&name) { there.small_count(&name) } else { 0 },
        name,
    };
    names.into_iter().map(topic).collect()
}

fn place_of(topics: &[Topic], name: &str) -> usize {
    topics.iter().position(|topic| topic.name == name).unwrap_or_else(|| panic!("no topic {name}"))
}

fn split(partition: &str) -> (&str, u32) {
    let parts = partition.rsplit_once(':').and_then(|(topic, number)| Some((topic, number.parse().ok()?)));
    parts.unwrap_or_else(|| panic!("{partition} is no partition"))
}

fn partitions(topics: &[Topic], named: &[String]) -> Vec<TopicPartition> {
    let partition = |text: &String| {
        let (topic, partition) = split(text);
        TopicPartition { topic: place_of(topics, topic), partition }
    };
    named.iter().map(partition).collect()
}

/// A generation of -1 is none.
fn generation(member: &Fields) -> Option<u64> {
    member.value("generation").and_then(serde_json::Value::as_u64)
}

fn candidate(member: &Fields, topics: &[Topic]) -> Candidate {
    Candidate {
        id: member.text("id").to_owned(),
        instance: member.optional_text("instance").map(str::to_owned),
        topics: member.texts("topics").iter().map(|name| place_of(topics, name)).collect(),
        owned: if member.has("owned") { partitions(topics, &member.texts("owned")) } else { Vec::new() },
        generation: generation(member),
    }
}

fn single(case: &Fields, in_order: bool) {
    case.prose(&["source", "test", "note", "reproduced_by_running_kafka"]);
    let members = case.objects("members");
    let topics = topics(case, &members);
    let candidates: Vec<Candidate> = members.iter().map(|member| candidate(member, &topics)).collect();
    members.iter().for_each(Fields::all_were_read);
    let assignment = assignor(case).assign(&topics, &candidates);
    let ids = candidates.iter().map(|candidate| candidate.id.as_str());
    is_assigned(&case.object("expected"), &topics, ids, &assignment, in_order);
}

/// Whether every member has what it should have.
fn is_assigned<'a>(
    expected: &Fields,
    topics: &[Topic],
    ids: impl Iterator<Item = &'a str>,
    assignment: &Assignment,
    in_order: bool,
) {
    for (id, own) in ids.zip(assignment) {
        let (mut own, mut wanted) = (own.clone(), partitions(topics, &expected.texts(id)));
        if !in_order {
            own.sort_unstable();
            wanted.sort_unstable();
        }
        assert_eq!(own, wanted, "{}: {id}", expected.place());
    }
    expected.all_were_read();
}

fn sequence(case: &Fields) {
    case.prose(&["name"]);
    let mut group = Group::new(assignor(case), GroupTimers::default());
    for step in case.objects("steps") {
        perform(&mut group, &step);
        step.all_were_read();
    }
}

/// Members leave and come until those are there that should be; then the group rebalances.
fn perform(group: &mut Group, step: &Fields) {
    let rounds = step.objects("rounds");
    let members: Vec<Fields> = rounds.iter().flat_map(|round| round.objects("members")).collect();
    let topics = topics(step, &members);
    let live = step.texts("live_members");
    let ids: Vec<String> = group.members().iter().map(|member| member.candidate.id.clone()).collect();
    ids.iter().filter(|id| !live.contains(id)).for_each(|id| _ = group.leave(id));
    for new in live.iter().filter(|id| !ids.contains(id)) {
        let said = members.iter().find(|member| member.text("id") == *new);
        let said = said.unwrap_or_else(|| panic!("{}: {new} says nothing", step.place()));
        let subscribed: Vec<usize> =
            said.texts("topics").iter().map(|name| place_of(&topics, name)).collect();
        group.join(Instant::START, new, said.optional_text("instance"), &subscribed);
    }
    group.topics_changed();
    let pauses = group.pauses(&topics);
    assert_eq!(pauses.eager as u64, step.count("partitions_paused_if_eager"), "{}", step.place());
    assert_eq!(
        pauses.cooperative as u64,
        step.count("partitions_that_left_a_live_member"),
        "{}",
        step.place()
    );
    let last = rounds.len() - 1;
    for (place, round) in rounds.iter().enumerate() {
        let another_follows = rebalance(group, round, &topics);
        assert_eq!(another_follows, place < last, "{}: another round", round.place());
        round.all_were_read();
    }
}

/// One round. Returns whether another follows.
fn rebalance(group: &mut Group, round: &Fields, topics: &[Topic]) -> bool {
    for said in round.objects("members") {
        let wanted = candidate(&said, topics);
        let found = group.members().iter().find(|member| member.candidate.id == wanted.id);
        assert_eq!(found.map(|member| &member.candidate), Some(&wanted), "{}", said.place());
        said.all_were_read();
    }
    let decided = group.rebalance(topics);
    let ids = group.members().iter().map(|member| member.candidate.id.as_str());
    is_assigned(&round.object("assignment"), topics, ids, &decided.assignment, true);
    for (name, mut found) in [("revoked", decided.revoked), ("added", decided.added)] {
        let mut wanted = partitions(topics, &round.texts(name));
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, wanted, "{}: {name}", round.place());
    }
    decided.another_follows
}
