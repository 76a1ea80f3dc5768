//! The numbers that are known beforehand: scenario files, read by the product's own reader and run
//! as the headless runner runs them.

mod alerts;
mod logs;

use std::convert::Infallible;

use queue_lab::app::{export, replay};
use queue_lab::json::{self, Fields, Json};
use queue_lab::lesson::scenario_file;
use queue_lab::model::broker::QueueIndex;
use queue_lab::model::event::EventKind;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};

use super::tidy::read;

/// Runs a file to its end and shows it every so many thousandths of a second.
fn run(name: &str, every_millis: u64, show: impl FnMut(&Simulation)) -> Simulation {
    run_text(name, &text_of(name), every_millis, show)
}

fn text_of(name: &str) -> String {
    read(&format!("static/scenarios/{name}.json"))
}

/// The same for the text of a file.
fn run_text(name: &str, text: &str, every_millis: u64, mut show: impl FnMut(&Simulation)) -> Simulation {
    let (file, notices) = scenario_file::read(text);
    assert_eq!(notices, [], "{name} is read as it stands");
    let file = file.unwrap_or_else(|| panic!("{name} is a scenario"));
    assert!(file.title.is_some(), "{name} has a title");
    let shown = |simulation: &Simulation| {
        show(simulation);
        Ok::<(), Infallible>(())
    };
    let end = replay::replay(file.scenario, None, Span::from_millis(every_millis), shown);
    end.unwrap_or_else(|never| match never {})
}

/// What the runner prints at these instants, in thousandths of a second, each a multiple of
/// `every_millis`.
fn rows<const N: usize>(name: &str, every_millis: u64, at_millis: [u64; N]) -> [Row; N] {
    let mut found = Vec::new();
    run(name, every_millis, |simulation| {
        if at_millis.iter().any(|millis| simulation.now() == millis_in(*millis)) {
            found.push(Row(export::record(simulation)));
        }
    });
    found.try_into().unwrap_or_else(|found: Vec<_>| panic!("{name}: {} rows of {N}", found.len()))
}

/// The last row of a file.
fn last(name: &str) -> Row {
    Row(export::record(&run(name, 1_000_000_000, |_| {})))
}

const fn millis_in(millis: u64) -> Instant {
    Instant::from_micros(millis * 1_000)
}

/// A row of the runner.
struct Row(Fields);

impl Row {
    fn value(&self, key: &str) -> String {
        json::field(&self.0, key).map(Json::to_line).unwrap_or_else(|| panic!("there is {key}"))
    }

    fn count(&self, key: &str) -> u64 {
        self.value(key).parse().unwrap_or_else(|_| panic!("{key} is a count, not {}", self.value(key)))
    }

    fn seconds(&self, key: &str) -> f64 {
        self.value(key).parse().unwrap_or_else(|_| panic!("{key} is a number, not {}", self.value(key)))
    }

    fn counts<const N: usize>(&self, keys: [&str; N]) -> [u64; N] {
        keys.map(|key| self.count(key))
    }

    /// A value of the queue of that name.
    fn queue(&self, name: &str, key: &str) -> String {
        self.part("queues", name, key)
    }

    /// A value of the producer, where there is one alone.
    fn producer(&self, key: &str) -> String {
        self.part("producers", "producer", key)
    }

    /// A value of the group, where there is one alone.
    fn group(&self, key: &str) -> String {
        self.part("groups", "billing", key)
    }

    fn group_count(&self, key: &str) -> u64 {
        self.group(key).parse().unwrap_or_else(|_| panic!("{key} is a count"))
    }

    /// A value of the alert rule of that name.
    fn alert(&self, name: &str, key: &str) -> String {
        self.part("alerts", name, key)
    }

    /// A value of the group in each partition.
    fn lanes(&self, key: &str) -> Vec<u64> {
        let groups = json::field(&self.0, "groups").and_then(Json::as_list);
        let group = groups.and_then(|groups| groups.first()).and_then(Json::as_object);
        let lanes = group.and_then(|group| json::field(group, "partitions")).and_then(Json::as_list);
        let value = |lane: &Json| {
            let value = lane.as_object().and_then(|lane| json::field(lane, key));
            value.and_then(|value| value.to_line().parse().ok()).unwrap_or_else(|| panic!("{key} is a count"))
        };
        lanes.into_iter().flatten().map(value).collect()
    }

    fn part(&self, list: &str, name: &str, key: &str) -> String {
        let parts = json::field(&self.0, list).and_then(Json::as_list);
        let mut all = parts.into_iter().flatten().filter_map(Json::as_object);
        let own = all.find(|own| json::field(own, "name").and_then(Json::as_text) == Some(name));
        let value = own.and_then(|own| json::field(own, key));
        value.unwrap_or_else(|| panic!("{name} has {key}")).to_line()
    }
}

fn is_close(found: f64, wanted: f64, by: f64) {
    assert!((found - wanted).abs() <= by, "{found} is not within {by} of {wanted}");
}

/// When the message finished, if the journal still knows.
fn finished_at(simulation: &Simulation, producer: u16, number: u64) -> Option<Instant> {
    let mut events = simulation.journal().last().filter(|event| event.kind == EventKind::Finished);
    let own =
        events.find(|event| event.message.producer_index() == producer && event.message.number() == number);
    own.map(|event| event.at)
}

/// The first instant of those shown from which on nothing waits.
#[derive(Default)]
struct Drained(Option<Instant>);

impl Drained {
    fn look_at(&mut self, simulation: &Simulation) {
        match simulation.ledger().waiting {
            0 => _ = self.0.get_or_insert(simulation.now()),
            _ => self.0 = None,
        }
    }

    fn seconds(&self) -> f64 {
        self.0.expect("it drains").micros() as f64 / 1e6
    }
}

#[test]
fn n01_four_of_five() {
    let end = last("n01-four-of-five");
    is_close(end.seconds("newcomer_wait_seconds"), 900.0, 0.125);
    is_close(end.seconds("oldest_age_seconds"), 720.0, 0.125);
}

#[test]
fn n02_two_million_digests() {
    let mut reset_of_nine = None;
    let mut at_ten_past_ten = None;
    let mut drained = Drained::default();
    run("n02-digests", 500, |simulation| {
        drained.look_at(simulation);
        reset_of_nine = reset_of_nine.or_else(|| finished_at(simulation, 0, 3_000));
        if simulation.now() == Instant::from_seconds(4_500) {
            at_ten_past_ten = Some(Row(export::record(simulation)));
        }
    });
    let row = at_ten_past_ten.expect("it runs until then");
    assert_eq!(row.count("waiting") + row.count("in_flight"), 245_000);
    assert_eq!(row.value("oldest_age_seconds"), "4500");
    assert_eq!(row.counts(["rejected", "dropped_new", "dropped_oldest", "held_back"]), [0; 4]);
    assert_eq!(reset_of_nine, Some(millis_in(5_007_500)), "10:18:27.5");
    is_close(drained.seconds(), 5_128.2, 0.5);
}

#[test]
fn n05_a_rescue_queue_helps_new_resets_only() {
    let (mut before, mut after) = (None, None);
    run("n05-rescue-queue", 1_000, |simulation| {
        before = before.or_else(|| finished_at(simulation, 0, 45_000));
        after = after.or_else(|| finished_at(simulation, 0, 45_001));
    });
    assert_eq!(before, Some(millis_in(5_112_500)), "in line at 10:10:00, and waits for all before it");
    assert_eq!(after, Some(millis_in(4_500_150)), "0.1 s later: straight to a rescuer, who takes 50 ms");
    let [row] = rows("n05-rescue-queue", 10_000, [4_510_000]);
    assert_eq!(row.queue("rescue", "waiting"), "0");
    assert_eq!(row.queue("rescue", "deliveries"), "100");
    assert_eq!(row.queue("mail", "oldest_age_seconds"), "4510");
}

#[test]
fn n05_with_split_queues_nothing_gets_in_the_way_of_a_reset() {
    let mut most_waiting = [0; 3];
    let mut last_digest_left = None;
    let end = run("n05-split-queues", 10, |simulation| {
        for (queue, most) in simulation.broker().queues().zip(&mut most_waiting) {
            *most = queue.ready().len().max(*most);
        }
        let bulk = simulation.broker().queue(QueueIndex(2));
        if bulk.counts().done == 2_000_000 {
            last_digest_left.get_or_insert(simulation.now());
        }
    });
    assert_eq!(most_waiting[..2], [0, 0], "resets and receipts are taken at once");
    assert!(most_waiting[2] <= 4, "{} digests waited", most_waiting[2]);
    let wait = end.snapshot().waiting_time_overall;
    assert!(wait.max <= Span::from_millis(20), "{wait:?}");
    // 2,000,000 at 280 a second, and one service of 10 ms: 1 h 59 min 3 s.
    let left = last_digest_left.expect("all digests leave").micros() as f64 / 1e6;
    is_close(left, 2_000_000.0 / 280.0, 0.02);
    assert_eq!(Row(export::record(&end)).queue("bulk", "deliveries"), "2000000");
}

#[test]
fn n05_split_while_it_runs_new_resets_are_handled_at_once_and_those_in_line_still_wait() {
    let (mut last_in_line, mut first_new, mut mail_is_empty) = (None, None, None);
    let mut most_waiting = [0; 2];
    let end = run("n05-split-while-running", 500, |simulation| {
        last_in_line = last_in_line.or_else(|| finished_at(simulation, 0, 45_000));
        first_new = first_new.or_else(|| finished_at(simulation, 0, 45_001));
        if simulation.now() > Instant::from_seconds(4_500) {
            let parts = simulation.broker().queues().skip(1);
            parts.zip(&mut most_waiting).for_each(|(part, most)| *most = part.ready().len().max(*most));
            let is_empty = simulation.broker().queue(QueueIndex(0)).held() == 0;
            mail_is_empty = mail_is_empty.or_else(|| is_empty.then(|| simulation.now()));
        }
    });
    // 245,000 are in line and in hand at 10:10. Eight finish what they have 20 ms later; the five
    // that stay need 48,999 turns of 20 ms for the other 244,992.
    assert_eq!(last_in_line, Some(Instant::from_seconds(5_480)), "10:26:20");
    assert_eq!(mail_is_empty, Some(Instant::from_seconds(5_480)));
    assert_eq!(first_new, Some(millis_in(4_500_120)), "0.1 s after the split, and 20 ms of work");
    assert_eq!(most_waiting, [0, 0], "two of eight keep up with 80 digests a second");
    let end = Row(export::record(&end));
    assert_eq!(end.queue("mail", "deliveries"), "2045000");
    assert_eq!(end.queue("urgent", "deliveries"), "11000");
}

#[test]
fn n08_three_layers_of_three_attempts_ask_27_times() {
    for name in ["n08-vendor-fails", "n08-vendor-slow"] {
        let [from, to] = rows(name, 1_000, [50_000, 90_000]);
        let asked = to.count("downstream_asked") - from.count("downstream_asked");
        let offered = to.count("offered") - from.count("offered");
        is_close(asked as f64, 27.0 * offered as f64, 27.0);
        let end = last(name);
        assert_eq!(end.counts(["offered", "dead_letters", "downstream_asked"]), [100, 100, 2_700], "{name}");
    }
    let slow = last("n08-vendor-slow");
    assert!(slow.count("downstream_pending") > 2_500, "nothing that was given up is cancelled");
}

#[test]
fn n10_done_and_dead_before_the_acknowledgement() {
    let keys = ["done", "deliveries", "redeliveries", "side_effects", "duplicate_side_effects"];
    assert_eq!(last("n10-no-key").counts(keys), [1, 2, 1, 2, 1]);
    assert_eq!(last("n10-with-key").counts(keys), [1, 2, 1, 1, 0]);
}

#[test]
fn n11_when_the_mark_is_written_decides_whether_it_is_lost_doubled_or_once() {
    let keys = ["done", "side_effects", "duplicate_side_effects", "skipped_without_effect"];
    assert_eq!(last("n11-mark-before").counts(keys), [1, 0, 0, 1], "lost");
    assert_eq!(last("n11-mark-after").counts(keys), [1, 2, 1, 0], "duplicated");
    assert_eq!(last("n11-mark-together").counts(keys), [1, 1, 0, 0], "exactly one");
}

#[test]
fn n12_slower_than_the_visibility_timeout() {
    let keys = ["done", "deliveries", "side_effects", "failed_attempts", "dead_letters"];
    assert_eq!(last("n12-one-worker").counts(keys), [1, 1, 1, 0, 0]);
    let end = run("n12-two-workers", 1_000_000, |_| {});
    let starts = end.journal().last().filter(|event| event.kind == EventKind::Started);
    let starts: Vec<_> = starts.map(|event| event.at.whole_seconds()).collect();
    assert_eq!(starts, [0, 10, 20, 30, 40]);
    assert_eq!(Row(export::record(&end)).counts(keys), [0, 5, 5, 0, 1]);
    let [before, then] = rows("n12-two-workers", 1, [49_999, 50_000]);
    assert_eq!([before.count("dead_letters"), then.count("dead_letters")], [0, 1]);
    let letters = &end.snapshot().network.dead_letters;
    let letter = letters.first().expect("it is a dead letter");
    assert_eq!((letter.reason.name(), letter.attempts, letters.len()), ("delivery_limit", 5, 1));
}

#[test]
fn n13_matched_rates_add_nothing_but_a_hop() {
    let end = run("n13-matched", 1_000, |simulation| assert_eq!(simulation.ledger().waiting, 0));
    assert_eq!(Row(export::record(&end)).value("waiting_time_max_seconds"), "0");
}

#[test]
fn n15_catching_up_takes_four_times_the_outage_at_four_fifths() {
    let (mut held, mut drained) = (0, Drained::default());
    run("n15-outage", 1_000, |simulation| {
        drained.look_at(simulation);
        if simulation.now() == Instant::from_seconds(21_960) {
            held = simulation.broker().held();
        }
    });
    assert_eq!(held, 8 * 21_960);
    // 24 h 24 min; a second is one look, and two messages less in line.
    is_close(drained.seconds() - 21_960.0, 4.0 * 21_960.0, 1.5);
}

#[test]
fn n17_a_larger_bound_refuses_as_many_and_makes_them_wait_longer() {
    for (name, bound, full_after) in [("n17-bound-60", 60, 30), ("n17-bound-120", 120, 60)] {
        let [full, later] = rows(name, 10_000, [full_after * 1_000, full_after * 1_000 + 100_000]);
        assert_eq!(full.counts(["waiting", "rejected"]), [bound, 0], "{name}");
        assert_eq!(later.count("rejected"), 200, "{name}: 2 a second");
        is_close(later.seconds("newcomer_wait_seconds"), bound as f64 / 6.0, 0.167);
    }
}

#[test]
fn n18_one_poison_message_holds_a_third_of_the_capacity() {
    let [from, to] = rows("n18-poison-at-the-front", 100_000, [100_000, 600_000]);
    let grew = |key: &str| (to.count(key) - from.count(key)) as f64;
    is_close(grew("waiting"), 500.0, 3.0);
    is_close(grew("done"), 2_000.0, 3.0);
    is_close(grew("failed_attempts"), 1_000.0, 3.0);
}

#[test]
fn n19_a_queue_absorbs_the_burst_that_callers_feel() {
    let keys = ["offered", "done", "failed_calls", "calls_timed_out"];
    let mut drained = Drained::default();
    let queued = run("n19-burst-queued", 1, |simulation| drained.look_at(simulation));
    let queued = Row(export::record(&queued));
    assert_eq!(queued.counts(keys), [20, 20, 0, 0]);
    assert_eq!(queued.producer("caller_wait_max_seconds"), "null", "the sender never waits");
    is_close(drained.seconds(), 1.0 + 19.0 / 6.0, 0.001);
    // At 2.1 s twelve have their answers, after 1/6 s to 2 s; the thirteenth is worked on in vain.
    let called = last("n19-burst-called");
    assert_eq!(called.counts(keys), [20, 13, 7, 8]);
    assert_eq!(called.producer("caller_wait_max_seconds"), "2.1");
    assert_eq!(called.producer("caller_wait_mean_seconds"), "1.49", "13 s and 8 times 2.1 s, among 20");
}

#[test]
fn n19_a_short_restart_goes_unnoticed_behind_a_queue() {
    let keys = ["offered", "done", "in_flight", "failed_calls"];
    let [down, end] = rows("n19-restart-queued", 10, [13_090, 30_000]);
    assert_eq!(down.counts(["waiting", "redeliveries"]), [13, 0], "12 came, and one came back");
    assert_eq!(end.counts(keys), [120, 119, 1, 0]);
    assert_eq!(end.count("redeliveries"), 1);
    let [down, end] = rows("n19-restart-called", 10, [13_090, 30_000]);
    assert_eq!(down.counts(["waiting", "failed_calls"]), [0, 13], "the same 13");
    assert_eq!(end.counts(keys), [120, 106, 1, 13]);
}
