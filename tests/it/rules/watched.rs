//! How groups are doing by how their offsets move, as the snapshot of a run says it: looked at every ten
//! seconds, over the last ten looks.

use super::{consumer, does, file, set, to};
use queue_lab::model::command::{Command, ConsumerDoes};
use queue_lab::model::consumer_status::{GroupStatus, PartitionStatus};
use queue_lab::model::group::reset::ResetTo;
use queue_lab::model::routes::{GroupIndex, TopicIndex};
use queue_lab::model::simulation::Simulation;

use PartitionStatus::{Ok as Fine, Rewind, Stall, Stop, Warn};

const STOP: Command = Command::StopConsumers { pool: 0 };
const START: Command = Command::StartConsumers { pool: 0 };

/// Three partitions and three members, with these dials.
fn log(dials: &str) -> Simulation {
    file(&format!(
        r#""topology": {{
            "producers": [ {{ "name": "shop", "to": "orders" }} ],
            "topics": [ {{ "name": "orders" }} ],
            "groups": [ {{ "name": "billing", "from": "orders" }} ]
        }},
        "settings": {{ "workers": 3, "rebalance_seconds": 0, {dials} }}"#
    ))
}

fn statuses(simulation: &Simulation) -> (Vec<PartitionStatus>, GroupStatus) {
    let group = simulation.snapshot().network.groups.into_iter().next().expect("there is a group");
    (group.partitions.iter().map(|lane| lane.status).collect(), group.status)
}

fn lag(simulation: &Simulation) -> u64 {
    simulation.snapshot().network.groups.first().map_or(0, |group| group.lag)
}

fn all(status: PartitionStatus, group: GroupStatus) -> (Vec<PartitionStatus>, GroupStatus) {
    (vec![status; 3], group)
}

#[test]
fn a_group_that_keeps_up_is_well_though_it_has_always_something_in_hand() {
    let mut run = log(r#""p": 6, "c": 2.1"#);
    let mut lags = 0;
    for second in 1..=300 {
        to(&mut run, second * 1_000);
        assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok), "at {second} s");
        lags += u64::from(lag(&run) > 0);
    }
    assert!(lags > 250, "it had a lag at {lags} of 300 seconds");
}

#[test]
fn a_group_that_is_too_slow_is_told_once_its_window_has_nothing_else() {
    let mut run = log(r#""p": 9, "c": 1"#);
    to(&mut run, 95_000);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok), "there was no lag at the start");
    to(&mut run, 125_000);
    assert_eq!(statuses(&run), all(Warn, GroupStatus::Warn));
    does(&mut run, &[set("c", "30")]);
    to(&mut run, 135_500);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok), "it catches up");
}

#[test]
fn a_backlog_that_shrinks_is_well_however_long_it_is() {
    let mut run = log(r#""p": 3, "c": 4"#);
    to(&mut run, 100_000);
    does(&mut run, &[Command::Burst { count: 3_000 }]);
    to(&mut run, 250_000);
    assert!(lag(&run) > 1_000, "{}", lag(&run));
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok));
}

#[test]
fn a_partition_that_waits_for_its_poison_stalls_and_the_others_do_not() {
    let mut run = log(r#""p": 6, "c": 30, "retry": "in-place", "delay": 1"#);
    to(&mut run, 100_500);
    let poison = Command::PoisonPartition { topic: TopicIndex(0), partition: 1, count: 1 };
    does(&mut run, &[poison]);
    to(&mut run, 185_000);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok), "there was no lag within the window");
    to(&mut run, 225_000);
    assert_eq!(statuses(&run), (vec![Fine, Stall, Fine], GroupStatus::Error));
    does(&mut run, &[Command::DeployFix]);
    to(&mut run, 245_000);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok));
}

#[test]
fn a_group_that_was_stopped_has_stopped_when_no_log_end_that_it_had_reached_is_left() {
    let mut run = log(r#""p": 6, "c": 30"#);
    to(&mut run, 100_500);
    does(&mut run, &[STOP]);
    to(&mut run, 195_000);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok), "lately it had none");
    to(&mut run, 205_000);
    assert_eq!(statuses(&run), all(Stop, GroupStatus::Error));
    does(&mut run, &[START]);
    to(&mut run, 225_500);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok));
}

#[test]
fn members_that_die_or_hang_commit_nothing_and_their_partitions_stop() {
    for how in [ConsumerDoes::CrashLoop, ConsumerDoes::Hang] {
        let mut run = log(r#""p": 6, "c": 30"#);
        to(&mut run, 100_500);
        (0..3).for_each(|number| does(&mut run, &[consumer(number, how)]));
        to(&mut run, 215_000);
        assert_eq!(statuses(&run), all(Stop, GroupStatus::Error), "{how:?}");
    }
}

#[test]
fn one_dead_member_stops_its_partition_until_another_takes_it_over() {
    let mut run = log(r#""p": 6, "c": 30, "workers": 3"#);
    to(&mut run, 300_500);
    does(&mut run, &[consumer(0, ConsumerDoes::CrashLoop)]);
    to(&mut run, 340_000);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok), "its session is not over yet");
    to(&mut run, 500_000);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok), "the others read it");
}

#[test]
fn a_group_that_never_began_to_read_has_stopped_though_it_was_there_from_the_start() {
    let mut run = log(r#""p": 18, "c": 30"#);
    does(&mut run, &[STOP]);
    to(&mut run, 95_000);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok));
    to(&mut run, 105_000);
    assert_eq!(statuses(&run), all(Stop, GroupStatus::Error));
}

#[test]
fn a_group_that_was_sent_back_is_rewound_until_it_is_where_it_was() {
    let mut run = log(r#""p": 3, "c": 30"#);
    to(&mut run, 200_500);
    does(&mut run, &[STOP]);
    to(&mut run, 205_000);
    let earliest = Command::ResetOffsets { group: GroupIndex(0), partition: Some(2), to: ResetTo::Earliest };
    does(&mut run, &[earliest, set("c", "4"), START]);
    to(&mut run, 225_000);
    assert_eq!(statuses(&run), (vec![Fine, Fine, Rewind], GroupStatus::Error));
    to(&mut run, 250_000);
    assert_eq!(statuses(&run).0[2], Rewind, "200 records at 4 a second take 50 s");
    to(&mut run, 265_000);
    assert!(lag(&run) > 20, "{}: it has more to read", lag(&run));
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok), "it is behind its old place");
}

#[test]
fn a_topic_without_traffic_makes_nobody_ill() {
    let mut run = log(r#""p": 6, "c": 30"#);
    to(&mut run, 100_500);
    does(&mut run, &[set("p", "0")]);
    to(&mut run, 400_000);
    assert_eq!(statuses(&run), all(Fine, GroupStatus::Ok));
    does(&mut run, &[STOP]);
    to(&mut run, 800_000);
    assert_eq!((statuses(&run), lag(&run)), (all(Fine, GroupStatus::Ok), 0), "stopped, with nothing to read");
}

#[test]
fn a_broker_that_is_down_tells_nothing() {
    let mut run = log(r#""p": 9, "c": 1"#);
    to(&mut run, 125_000);
    assert_eq!(statuses(&run).1, GroupStatus::Warn);
    does(&mut run, &[Command::BrokerDown]);
    to(&mut run, 175_000);
    assert_eq!(statuses(&run).1, GroupStatus::Warn, "it is as it was");
}

#[test]
fn commits_that_are_seldom_are_seen_as_they_come_and_those_that_fail_are_not_seen() {
    let mut seldom = log(r#""p": 6, "c": 30, "commit_every": 30"#);
    for second in 200..=300 {
        to(&mut seldom, second * 1_000);
        assert_eq!(statuses(&seldom), all(Fine, GroupStatus::Ok), "at {second} s");
    }
    let mut failing = log(r#""p": 6, "c": 30"#);
    to(&mut failing, 100_500);
    does(&mut failing, &[set("commit_fail", "100")]);
    to(&mut failing, 215_000);
    assert_eq!(statuses(&failing), all(Stop, GroupStatus::Error), "it works, and nobody can tell");
    assert!(failing.snapshot().network.groups.iter().all(|group| group.uncommitted > 600));
}

#[test]
fn partitions_that_are_added_are_watched_from_then_on() {
    let mut run = log(r#""p": 9, "c": 1"#);
    to(&mut run, 300_500);
    does(&mut run, &[Command::AddPartitions { topic: TopicIndex(0), to: 4 }]);
    to(&mut run, 335_000);
    assert_eq!(statuses(&run), (vec![Warn, Warn, Warn, Fine], GroupStatus::Warn));
    to(&mut run, 500_000);
    assert_eq!(statuses(&run).0[3], Warn, "its window is full by now");
}
