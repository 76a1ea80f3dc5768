//! Committed offsets are moved from the page: a dry run first, and only while the group has no members.

use queue_lab::app::breaking::Injection;
use queue_lab::app::message::Msg;
use queue_lab::model::command::Command;
use queue_lab::model::group::reset::ResetTo;
use queue_lab::model::routes::{GroupIndex, QueueIndex};

use super::Bench;

/// A log of so many partitions that has been read for twenty seconds, with the other ways open.
fn read_log(partitions: u64) -> Bench {
    let mut bench = Bench::open("view=log&p=6&c=8");
    (1..partitions).for_each(|_| bench.send(Msg::PartitionAdded));
    bench.send(Msg::BreakingOpened(true));
    bench.step(20);
    bench
}

fn stopped_log(partitions: u64) -> Bench {
    let mut bench = read_log(partitions);
    bench.press(Injection::Group);
    bench.step(2);
    bench
}

impl Bench {
    fn dry_run(&self) -> String {
        self.button(Injection::Reset).hint
    }

    fn committed(&self) -> Vec<u64> {
        let group = &self.snapshot().network.groups[0];
        group.partitions.iter().map(|lane| lane.committed.unwrap_or_default()).collect()
    }

    fn reset_to(&mut self, name: &str) -> String {
        self.send(Msg::ResetToChosen(name.into()));
        self.press(Injection::Reset)
    }
}

#[test]
fn while_the_group_has_members_the_dry_run_is_refused_and_nothing_is_moved() {
    let mut bench = read_log(1);
    let told = bench.dry_run();
    assert!(told.starts_with("Dry run of kafka-consumer-groups --reset-offsets --group "), "{told}");
    assert!(
        told.ends_with(" --to-earliest: refused, because the group has 1 member and is not stopped."),
        "{told}"
    );
    let (before, commands) = (bench.committed(), bench.app.run().commands().len());
    let said = bench.press(Injection::Reset);
    assert!(said.starts_with("Offsets can be moved only while the group is stopped."), "{said}");
    assert_eq!((bench.committed(), bench.app.run().commands().len()), (before, commands));
}

#[test]
fn a_group_that_was_stopped_reads_everything_again_from_the_log_start() {
    let mut bench = stopped_log(1);
    assert_eq!(bench.button(Injection::Group).label, "Start the group again");
    let before = bench.committed()[0];
    assert!(before > 100, "{before}");
    let effect = format!("The group goes back over {before} records.");
    let told = bench.dry_run();
    assert!(told.ends_with(&format!("Partition 0 goes from {before} to 0. {effect}")), "{told}");
    assert_eq!(bench.committed(), [before], "a dry run moves nothing");
    let said = bench.press(Injection::Reset);
    assert!(said.ends_with(&effect), "{said}");
    assert_eq!(bench.committed(), [0]);
    let effects = bench.snapshot().network.totals.side_effects;
    bench.press(Injection::Group);
    bench.step(60);
    let snapshot = bench.snapshot();
    assert!(snapshot.network.totals.side_effects > effects + before, "what was done is done once more");
    assert_eq!(snapshot.network.totals.duplicate_side_effects, before);
}

#[test]
fn each_choice_moves_the_offsets_to_where_it_says() {
    let go = |name: &str| {
        let mut bench = stopped_log(1);
        let before = bench.committed()[0];
        let said = bench.reset_to(name);
        let end = bench.snapshot().network.topics[0].partitions[0].log_end;
        (
            before,
            bench.committed()[0],
            end,
            said,
            bench.app.run().commands().last().map(|timed| timed.command),
        )
    };
    let (before, after, _, said, command) = go("back");
    assert_eq!((after, said.ends_with("goes back over 10 records.")), (before - 10, true), "{said}");
    let asked = Command::ResetOffsets { group: GroupIndex(0), partition: None, to: ResetTo::Shift(-10) };
    assert_eq!(command, Some(asked));
    let (before, after, end, said, _) = go("on");
    assert_eq!(after, (before + 10).min(end));
    assert!(said.contains(" passed over."), "{said}");
    let (before, after, end, ..) = go("latest");
    assert!(after == end && end > before);
    assert_eq!(go("minute").1, 0, "the run is younger than a minute");
}

#[test]
fn of_many_partitions_the_first_few_are_told_and_how_many_more_there_are() {
    let bench = stopped_log(6);
    let told = bench.dry_run();
    assert_eq!(told.matches("Partition ").count(), 4, "{told}");
    assert!(told.contains("2 more partitions move too."), "{told}");
    let all: u64 = bench.committed().iter().sum();
    assert!(told.ends_with(&format!("The group goes back over {all} records.")), "{told}");
}

#[test]
fn what_stands_there_already_is_not_moved_again() {
    let mut bench = stopped_log(6);
    bench.press(Injection::Reset);
    let commands = bench.app.run().commands().len();
    assert!(
        bench.dry_run().ends_with(" --to-earliest: all offsets stand there already."),
        "{}",
        bench.dry_run()
    );
    assert_eq!(bench.press(Injection::Reset), "All offsets stand there already. Nothing was changed.");
    assert_eq!(bench.app.run().commands().len(), commands);
}

#[test]
fn a_member_that_has_yet_to_leave_is_waited_for() {
    let mut bench = Bench::open("view=log&p=6&c=0.2&t=20");
    bench.send(Msg::BreakingOpened(true));
    bench.press(Injection::Group);
    assert!(bench.dry_run().ends_with("refused, because 1 member has yet to leave."), "{}", bench.dry_run());
    let said = bench.press(Injection::Reset);
    assert_eq!(said, "Offsets can be moved only when every member has left. Nothing was changed.");
}

#[test]
fn records_that_were_deleted_meanwhile_are_not_told_as_passed_over() {
    let mut bench = Bench::open("view=log&p=20&c=20&retention=20&segment=5");
    bench.send(Msg::BreakingOpened(true));
    bench.step(10);
    bench.press(Injection::Group);
    bench.step(60);
    let lane = &bench.snapshot().network.topics[0].partitions[0];
    let (from, start) = (bench.committed()[0], lane.log_start);
    assert!(start > from, "{start} {from}");
    let told = bench.dry_run();
    let deleted = format!("from {from} to {start}. {} records in between were deleted.", start - from);
    assert!(told.ends_with(&deleted), "{told}");
}

#[test]
fn a_link_has_what_was_done_to_the_group() {
    let mut bench = stopped_log(2);
    bench.reset_to("minute");
    bench.step(3);
    let link = bench.app.query().expect("it is short");
    let again = Bench::open(&link);
    assert_eq!((again.at(), again.committed(), again.hash()), (bench.at(), bench.committed(), bench.hash()));
}

#[test]
fn there_is_nothing_to_split_where_the_scenario_declares_nothing() {
    let mut bench = Bench::open("p=8&c=6");
    bench.send(Msg::BreakingOpened(true));
    let more = bench.view().breaking.more;
    assert!(more.iter().all(|view| view.injection != Injection::Split));
    assert!(bench.view().breaking.reset.is_none(), "a queue has no offsets");
}

#[test]
fn a_queue_that_its_scenario_lets_be_split_is_split_once() {
    let mut bench = Bench::open("");
    let file = r#"{"format":1,"topology":{
        "producers":[{"name":"resets","to":"mail"},{"name":"digests","to":"mail","split_to":"bulk"}],
        "queues":[{"name":"mail"},{"name":"bulk","split_from":"mail"}],
        "consumers":[{"name":"senders","from":"mail"},{"name":"bulk-senders","from":"bulk","split_from":"senders"}]},
        "settings":{"digests.producer_rate_per_second":4,"senders.consumer_count":3,"bulk-senders.consumer_count":1}}"#;
    bench.send(Msg::FileOpened("mail.json".into(), file.into()));
    bench.send(Msg::BreakingOpened(true));
    bench.step(5);
    assert_eq!(bench.button(Injection::Split).label, "Split the queue");
    assert_eq!(
        bench.press(Injection::Split),
        "The queue is split. What was in line before still waits there."
    );
    assert_eq!(
        bench.app.run().commands().last().map(|timed| timed.command),
        Some(Command::SplitQueues { queue: QueueIndex(0) })
    );
    bench.step(5);
    assert!(bench.snapshot().network.queues[1].deliveries > 0, "digests have a queue of their own");
    assert_eq!(bench.press(Injection::Split), "The queue is split already.");
}
