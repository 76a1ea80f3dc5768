//! A queue that two share is split while it runs: where messages and consumers go, and when.

use std::rc::Rc;

use queue_lab::lesson::scenario_file::{self, FileProblem};
use queue_lab::model::broker::QueueIndex;
use queue_lab::model::command::{Command, CommandRefused, ConsumerDoes, TimedCommand};
use queue_lab::model::event::EventKind;
use queue_lab::model::settings::{Setting, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;
use queue_lab::model::timeline::Timeline;

use super::{FIRST, does, run, set, to};

const SPLIT: Command = Command::SplitQueues { queue: FIRST };
const URGENT: QueueIndex = QueueIndex(1);
const BULK: QueueIndex = QueueIndex(2);

/// Where resets and digests share the queue `mail` until it is split.
const SHARED: &str = r#"
    "producers": [
        { "name": "resets", "to": "mail", "split_to": "urgent" },
        { "name": "digests", "to": "mail", "split_to": "bulk" }
    ],
    "queues": [
        { "name": "mail" },
        { "name": "urgent", "split_from": "mail" },
        { "name": "bulk", "split_from": "mail" }
    ]"#;

/// Their consumers all come from the pool that is there, and take a second for each message.
const FROM_SENDERS: &str = r#"
    { "name": "senders", "from": "mail" },
    { "name": "urgent-senders", "from": "urgent", "split_from": "senders" },
    { "name": "bulk-senders", "from": "bulk", "split_from": "senders" }"#;

const DIALS: &str = r#"
    "capacity": "none", "resets.p": 1, "digests.p": 0,
    "senders.c": 1, "senders.workers": 4, "urgent-senders.workers": 1, "bulk-senders.workers": 2"#;

fn text(consumers: &str, dials: &str, commands: &str) -> String {
    format!(
        r#"{{ "format": 1, "topology": {{ {SHARED}, "consumers": [ {consumers} ] }},
              "settings": {{ {dials} }}, "commands": [ {commands} ] }}"#
    )
}

fn started(consumers: &str, dials: &str, commands: &str) -> Simulation {
    let (file, notices) = scenario_file::read(&text(consumers, dials, commands));
    assert_eq!(notices, []);
    Simulation::new(Rc::new(file.unwrap_or_default().scenario))
}

/// Four senders, one second each; 40 digests at the start, and a reset each second.
fn shared(more: &str) -> Simulation {
    let dials = format!("{DIALS}{more}");
    started(FROM_SENDERS, &dials, r#"{ "do": "burst", "producer": "digests", "messages": 40 }"#)
}

/// When each event of a kind happened, in milliseconds, and to what.
fn events(simulation: &Simulation, kind: EventKind) -> Vec<(u64, u16, u64)> {
    let found = simulation.journal().last().filter(|event| event.kind == kind);
    found
        .map(|event| (event.at.micros() / 1_000, event.message.producer_index(), event.message.number()))
        .collect()
}

/// When the resets of these numbers were finished, in milliseconds.
fn resets_finished<const N: usize>(simulation: &Simulation, numbers: [u64; N]) -> [u64; N] {
    let finished = events(simulation, EventKind::Finished);
    numbers.map(|number| {
        let own = finished.iter().find(|(_, producer, own)| (*producer, *own) == (0, number));
        own.unwrap_or_else(|| panic!("reset {number} is finished")).0
    })
}

/// How many consumers each pool has, those that are busy among all that are its own.
fn staff(simulation: &Simulation) -> Vec<(u64, u64)> {
    simulation.snapshot().network.pools.iter().map(|pool| (pool.count, pool.busy)).collect()
}

fn done(simulation: &Simulation) -> [u64; 3] {
    [FIRST, URGENT, BULK].map(|queue| simulation.broker().queue(queue).counts().done)
}

fn of_senders(number: u16, does: ConsumerDoes) -> Command {
    Command::Consumer { pool: 0, number, does }
}

/// Sets how many bulk senders there shall be. Dials of their own have the digests, the urgent senders
/// and they, in the order of the file.
const fn bulk_senders(count: u64) -> Command {
    Command::SetNode { node: 2, setting: Setting::ConsumerCount, value: Value::Count(count) }
}

#[test]
fn new_resets_are_handled_at_once_and_those_in_line_still_wait() {
    let mut mail = shared("");
    to(&mut mail, 5_000);
    assert_eq!(mail.broker().queue(FIRST).ready().len(), 16 + 5, "digests, and behind them resets");
    does(&mut mail, &[SPLIT]);
    assert_eq!(events(&mail, EventKind::QueueSplit), [(5_000, 0, 0)]);
    to(&mut mail, 5_999);
    assert_eq!(mail.broker().queue(FIRST).ready().len(), 21, "nobody in line was moved");
    to(&mut mail, 30_500);
    // The one sender that stays takes the last 16 digests from 6 s on, and then the five resets.
    assert_eq!(resets_finished(&mail, [1, 2, 3, 4, 5]), [23_000, 24_000, 25_000, 26_000, 27_000]);
    // The sixth comes at 6 s, as an urgent sender has its hands free.
    assert_eq!(resets_finished(&mail, [6, 7, 8, 29]), [7_000, 8_000, 9_000, 30_000]);
    assert_eq!(mail.broker().queue(FIRST).held(), 0, "the old line is worked off");
    assert_eq!(staff(&mail), [(1, 0), (1, 1), (2, 0)], "and its sender waits there");
}

#[test]
fn bulk_is_capped_and_urgent_messages_do_not_notice_it() {
    let mut mail = shared("");
    to(&mut mail, 5_000);
    does(&mut mail, &[SPLIT]);
    to(&mut mail, 10_500);
    does(&mut mail, &[Command::BurstOf { producer: 1, count: 30 }]);
    for second in 11..=20 {
        to(&mut mail, second * 1_000 + 250);
        assert_eq!(mail.broker().queue(BULK).in_flight(), 2);
        assert_eq!(mail.broker().queue(URGENT).ready().len(), 0);
    }
    assert_eq!(done(&mail)[2], 2 * 9, "two a second since 10.5 s");
    assert_eq!(mail.broker().queue(FIRST).counts().deliveries, 24 + 15, "one goes on with the old line");
}

#[test]
fn who_has_a_message_in_hand_finishes_it_where_it_was_taken_and_goes_over_then() {
    let mut mail = shared("");
    to(&mut mail, 5_500);
    does(&mut mail, &[SPLIT]);
    assert_eq!(staff(&mail), [(1, 4), (0, 0), (0, 0)], "all four still work for the old line");
    assert_eq!(events(&mail, EventKind::WentOver), []);
    to(&mut mail, 5_999);
    assert_eq!((done(&mail), mail.broker().queue(FIRST).in_flight()), ([20, 0, 0], 4));
    to(&mut mail, 6_000);
    assert_eq!(done(&mail), [24, 0, 0], "acknowledged where they came from");
    assert_eq!(events(&mail, EventKind::WentOver), [(6_000, 1, 1), (6_000, 2, 1), (6_000, 2, 2)]);
    assert_eq!(staff(&mail), [(1, 1), (1, 1), (2, 0)]);
}

#[test]
fn who_holds_several_finishes_them_all_before_it_goes_over() {
    let mut mail = shared(r#", "senders.prefetch": 3, "urgent-senders.prefetch": 1"#);
    to(&mut mail, 5_500);
    does(&mut mail, &[SPLIT]);
    assert_eq!(mail.broker().queue(FIRST).in_flight(), 12);
    to(&mut mail, 7_999);
    assert_eq!(events(&mail, EventKind::WentOver), []);
    to(&mut mail, 8_000);
    assert_eq!(events(&mail, EventKind::WentOver), [(8_000, 1, 1), (8_000, 2, 1), (8_000, 2, 2)]);
    assert_eq!(done(&mail), [32, 0, 0]);
}

#[test]
fn who_is_free_goes_over_at_once_as_it_is() {
    let mut mail = started(FROM_SENDERS, DIALS, "");
    does(&mut mail, &[set("p", "0"), of_senders(1, ConsumerDoes::Crash), of_senders(3, ConsumerDoes::Hang)]);
    does(&mut mail, &[SPLIT]);
    assert_eq!(staff(&mail), [(1, 0), (1, 0), (2, 0)]);
    let alive: Vec<u64> = mail.snapshot().network.pools.iter().map(|pool| pool.members).collect();
    assert_eq!(alive, [1, 0, 2], "the urgent one is down, and one of bulk hangs");
    does(&mut mail, &[Command::BurstOf { producer: 1, count: 4 }, Command::Burst { count: 1 }]);
    to(&mut mail, 10_000);
    assert_eq!(done(&mail), [0, 0, 3], "one of four is with the one that hangs");
    does(&mut mail, &[Command::Consumer { pool: 1, number: 0, does: ConsumerDoes::Restart }]);
    to(&mut mail, 11_000);
    assert_eq!(done(&mail), [0, 1, 3]);
}

#[test]
fn who_dies_on_its_way_arrives_dead_and_its_message_goes_back_where_it_came_from() {
    let mut mail = shared("");
    to(&mut mail, 5_500);
    does(&mut mail, &[SPLIT, of_senders(1, ConsumerDoes::Crash)]);
    assert_eq!(events(&mail, EventKind::WentOver), [(5_500, 1, 1)]);
    to(&mut mail, 5_501);
    assert_eq!(mail.broker().queue(FIRST).ready().len(), 22, "the message is the first in line again");
    to(&mut mail, 7_500);
    assert_eq!((done(&mail)[1], mail.broker().queue(URGENT).ready().len()), (0, 2), "nobody is there");
    let urgent = Command::Consumer { pool: 1, number: 0, does: ConsumerDoes::Restart };
    does(&mut mail, &[urgent]);
    to(&mut mail, 9_500);
    assert_eq!(done(&mail)[1], 2);
}

#[test]
fn who_hangs_with_a_message_goes_over_when_it_is_started_again() {
    let mut mail = shared("");
    to(&mut mail, 5_500);
    does(&mut mail, &[of_senders(1, ConsumerDoes::Hang), SPLIT]);
    to(&mut mail, 9_500);
    assert_eq!((staff(&mail)[1], done(&mail)[1]), ((0, 0), 0));
    does(&mut mail, &[of_senders(1, ConsumerDoes::Restart)]);
    to(&mut mail, 9_501);
    assert_eq!(staff(&mail)[1], (1, 1), "it begins on the first of the resets that wait for it");
}

#[test]
fn who_starts_is_through_with_that_before_it_goes_over() {
    let mut mail = shared(r#", "senders.cold_start": 3"#);
    to(&mut mail, 5_500);
    does(&mut mail, &[of_senders(1, ConsumerDoes::Crash), of_senders(1, ConsumerDoes::Restart), SPLIT]);
    to(&mut mail, 8_499);
    assert_eq!((staff(&mail)[1], mail.broker().queue(URGENT).ready().len()), ((0, 0), 3));
    to(&mut mail, 8_500);
    assert_eq!(staff(&mail)[1], (1, 1));
    let mut looping = shared(r#", "senders.cold_start": 3"#);
    to(&mut looping, 5_500);
    does(&mut looping, &[of_senders(1, ConsumerDoes::CrashLoop)]);
    to(&mut looping, 16_500);
    does(&mut looping, &[SPLIT]);
    to(&mut looping, 18_500);
    let starts = events(&looping, EventKind::StartFailed);
    assert_eq!(starts, [(18_500, 0, 2)], "started again after 10 s, and through 3 s later");
    assert_eq!(events(&looping, EventKind::WentOver).last(), Some(&(18_500, 1, 1)), "down, and over there");
    to(&mut looping, 28_500);
    assert_eq!(events(&looping, EventKind::ConsumerStarting).last(), Some(&(28_500, 1, 1)));
}

#[test]
fn no_microsecond_is_lost_on_the_way() {
    let dials = DIALS.replace(r#""senders.c": 1"#, r#""senders.c": 3"#).replace("p\": 1", "p\": 0");
    let mut mail =
        started(FROM_SENDERS, &dials, r#"{ "do": "burst", "producer": "digests", "messages": 4 }"#);
    to(&mut mail, 100);
    does(&mut mail, &[SPLIT, Command::Burst { count: 2_999 }]);
    to(&mut mail, 999_999);
    assert_eq!(done(&mail)[1], 2_998);
    to(&mut mail, 1_000_000);
    assert_eq!(done(&mail)[1], 2_999, "with its digest they are 3,000 thirds of a second");
}

#[test]
fn a_rescue_queue_gets_consumers_of_its_own_and_the_old_ones_stay() {
    let consumers = r#"
        { "name": "senders", "from": "mail" },
        { "name": "rescuers", "from": "urgent" }"#;
    let dials = r#""capacity": "none", "resets.p": 1, "digests.p": 0, "senders.c": 1, "senders.workers": 4,
        "rescuers.workers": 2, "rescuers.cold_start": 3"#;
    let burst = r#"{ "do": "burst", "producer": "digests", "messages": 40 }"#;
    let mut mail = started(consumers, dials, burst);
    to(&mut mail, 5_500);
    assert_eq!(staff(&mail), [(4, 4), (0, 0)], "they are not there before");
    does(&mut mail, &[SPLIT]);
    assert_eq!(staff(&mail), [(4, 4), (2, 0)], "additional ones, who start cold");
    to(&mut mail, 30_500);
    assert_eq!(resets_finished(&mail, [1, 5]), [11_000, 12_000], "in line behind 40 digests for four");
    assert_eq!(resets_finished(&mail, [6, 7, 8, 9]), [9_500, 9_500, 10_500, 10_500], "from 8.5 s on");
    assert_eq!(events(&mail, EventKind::WentOver), []);
}

#[test]
fn one_at_least_stays_with_the_old_line() {
    let dials = DIALS.replace("senders.workers\": 2", "senders.workers\": 50");
    let mut mail = started(FROM_SENDERS, &dials, "");
    does(&mut mail, &[SPLIT]);
    assert_eq!(staff(&mail), [(1, 0), (1, 0), (2, 0)]);
    assert_eq!(mail.settings().consumer_count, 1, "the dial of the old pool says so");
    let mut alone = started(FROM_SENDERS, &DIALS.replace("senders.workers\": 4", "senders.workers\": 1"), "");
    does(&mut alone, &[SPLIT]);
    assert_eq!(staff(&alone), [(1, 0), (0, 0), (0, 0)]);
}

#[test]
fn a_part_without_a_dial_of_its_own_asks_for_as_many_as_there_were_before() {
    let consumers = r#"
        { "name": "senders", "from": "mail" },
        { "name": "urgent-senders", "from": "urgent", "split_from": "senders" },
        { "name": "rescuers", "from": "urgent" }"#;
    let dials = r#""resets.p": 1, "senders.c": 1, "senders.workers": 4"#;
    let mut mail = started(consumers, dials, "");
    does(&mut mail, &[SPLIT]);
    assert_eq!(staff(&mail), [(1, 0), (3, 0), (4, 0)]);
}

#[test]
fn before_the_split_a_part_has_nobody_whatever_is_asked_for() {
    let scaled = r#", "urgent-senders.autoscale": "backlog", "urgent-senders.workers_min": 3"#;
    let mut mail = shared(scaled);
    let urgent = Command::Consumer { pool: 1, number: 0, does: ConsumerDoes::Restart };
    does(&mut mail, &[bulk_senders(3), Command::StartConsumers { pool: 1 }, urgent]);
    to(&mut mail, 60_500);
    assert_eq!(staff(&mail)[1..], [(0, 0), (0, 0)]);
    does(&mut mail, &[SPLIT]);
    to(&mut mail, 75_499);
    assert_eq!(staff(&mail), [(1, 0), (1, 1), (2, 0)], "urgent before bulk, which asks for three");
    to(&mut mail, 75_500);
    assert_eq!(staff(&mail)[1].0, 3, "its autoscaler has looked for the first time");
}

#[test]
fn a_dial_overrules_who_is_still_on_the_way() {
    let mut called_back = shared("");
    to(&mut called_back, 5_500);
    does(&mut called_back, &[SPLIT, set("workers", "3")]);
    to(&mut called_back, 6_500);
    assert_eq!(staff(&called_back), [(3, 3), (0, 0), (1, 0)], "two that were about to leave stay");
    let mut hired = shared("");
    to(&mut hired, 5_500);
    does(&mut hired, &[SPLIT, bulk_senders(5)]);
    assert_eq!(staff(&hired)[2], (5, 0), "new ones, at once");
    to(&mut hired, 6_500);
    assert_eq!(staff(&hired), [(1, 1), (1, 1), (5, 0)], "who was on the way to them is gone");
}

#[test]
fn what_a_producer_holds_was_not_in_line_and_goes_with_it() {
    let blocked =
        r#", "overflow": "block", "mail.capacity": 10, "urgent.capacity": "none", "bulk.capacity": "none""#;
    let mut mail = shared(blocked);
    to(&mut mail, 5_500);
    let held = mail.ledger().held_back;
    assert_eq!(held, 11, "of the burst, and resets");
    does(&mut mail, &[SPLIT]);
    to(&mut mail, 5_501);
    assert_eq!((mail.ledger().held_back, mail.broker().queue(FIRST).ready().len()), (0, 10));
    let parts = [URGENT, BULK].map(|queue| mail.broker().queue(queue).ready().len());
    assert_eq!(parts.iter().sum::<u64>(), held, "{parts:?}");
}

#[test]
fn who_was_sent_elsewhere_before_is_left_alone() {
    let mut mail = shared("");
    to(&mut mail, 500);
    does(&mut mail, &[Command::Route { producer: 0, to: BULK }, SPLIT]);
    let to: Vec<String> = mail.snapshot().network.producers.iter().map(|sender| sender.to.clone()).collect();
    assert_eq!(to, ["bulk", "bulk"]);
}

#[test]
fn what_cannot_be_split_is_refused_and_changes_nothing() {
    let mut plain = run(&[]);
    let nobody = plain.state_hash();
    for queue in [0, 1, 9, 31, 32, usize::MAX].map(QueueIndex) {
        assert_eq!(plain.apply(Command::SplitQueues { queue }), Err(CommandRefused::NothingToSplit));
    }
    assert_eq!((plain.state_hash(), plain.command_log().len()), (nobody, 0));
    let mut mail = shared("");
    to(&mut mail, 2_000);
    let part = Command::SplitQueues { queue: URGENT };
    assert_eq!(mail.apply(part), Err(CommandRefused::NothingToSplit), "nothing is split off from a part");
    does(&mut mail, &[SPLIT]);
    let split = mail.state_hash();
    assert_eq!(mail.apply(SPLIT), Err(CommandRefused::SplitAlready));
    assert_eq!((mail.state_hash(), mail.command_log().len()), (split, 1));
    let mut timeline = Timeline::new(mail.scenario().clone(), ());
    timeline.seek(Instant::from_seconds(2));
    assert_eq!(timeline.apply(part), Err(CommandRefused::NothingToSplit));
    assert_eq!((timeline.apply(SPLIT), timeline.apply(SPLIT)), (Ok(()), Err(CommandRefused::SplitAlready)));
    assert_eq!(timeline.log().len(), 1);
}

#[test]
fn a_scenario_that_splits_what_somebody_has_split_before_does_nothing() {
    let at_twenty = r#"{ "do": "burst", "producer": "digests", "messages": 40 },
        { "at": 20, "do": "split-queues", "queue": "mail" }"#;
    let mut mail = started(FROM_SENDERS, DIALS, at_twenty);
    to(&mut mail, 5_000);
    does(&mut mail, &[SPLIT]);
    to(&mut mail, 30_500);
    assert_eq!(events(&mail, EventKind::QueueSplit), [(5_000, 0, 0)]);
    assert_eq!(resets_finished(&mail, [5, 29]), [27_000, 30_000]);
}

#[test]
fn a_file_that_splits_nothing_or_splits_twice_is_told_so() {
    let problems = |consumers: &str, commands: &str| -> Vec<(String, FileProblem)> {
        let notices = scenario_file::read(&text(consumers, DIALS, commands)).1;
        notices.into_iter().map(|notice| (notice.place, notice.problem)).collect()
    };
    let twice = r#"{ "do": "split-queues", "queue": "mail" }, { "at": 9, "do": "split-queues" }"#;
    assert_eq!(problems(FROM_SENDERS, twice), [("commands[1].queue".into(), FileProblem::SplitAlready)]);
    let part = r#"{ "do": "split-queues", "queue": "bulk" }"#;
    assert_eq!(problems(FROM_SENDERS, part), [("commands[0].queue".into(), FileProblem::NothingToSplit)]);
}

#[test]
fn a_seek_across_a_split_is_a_run_from_the_start_and_a_fork_splits_at_another_time() {
    let start =
        shared(r#", "senders.prefetch": 2, "resets.arrivals": "poisson", "senders.work": "exponential""#);
    let scenario = start.scenario().clone();
    let fresh = |log: &[TimedCommand], at: Instant| {
        let mut simulation = Simulation::new(scenario.clone());
        for timed in log.iter().filter(|timed| timed.at <= at) {
            simulation.advance_to(timed.at, u64::MAX);
            simulation.apply(timed.command).expect("it was applied before");
        }
        simulation.advance_to(at, u64::MAX);
        simulation.state_hash()
    };
    let seconds = [30, 4, 6, 5, 200, 7, 5, 1];
    let mut timeline = Timeline::new(scenario.clone(), ());
    for split_at in [5, 3] {
        timeline.seek(Instant::from_seconds(split_at));
        timeline.apply(SPLIT).expect("it has not been split at that instant");
        for at in seconds.map(Instant::from_seconds) {
            timeline.seek(at);
            assert_eq!(
                timeline.simulation().state_hash(),
                fresh(timeline.log(), at),
                "split at {split_at}, {at}"
            );
        }
        assert_eq!(timeline.log(), [TimedCommand { at: Instant::from_seconds(split_at), command: SPLIT }]);
    }
    timeline.seek(Instant::from_seconds(200));
    assert_eq!(events(timeline.simulation(), EventKind::QueueSplit), [(3_000, 0, 0)]);
}
