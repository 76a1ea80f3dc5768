//! The numbers of topics and their groups: N7, N9, N14 and N16.

use super::*;

#[test]
fn n07_a_drain_limit_below_what_all_share_catches_up_at_14_26() {
    let mut drained = None;
    let end = run("n07-drain-limit", 10_000, |simulation| {
        let groups = simulation.snapshot().network.groups;
        if simulation.now() > Instant::from_seconds(22_000) && groups.iter().all(|group| group.lag <= 10) {
            drained.get_or_insert(simulation.now());
        }
    });
    is_close(drained.expect("it drains").micros() as f64 / 1e6, 43_920.0, 15.0);
    assert_eq!(Row(export::record(&end)).value("duplicate_side_effects"), "0");
}

/// Calls that what all share was asked, and answered, a second between two looks at a run.
fn calls_a_second(looks: &[(u64, u64, u64)], from: u64, to: u64) -> (f64, f64) {
    let look = |at: u64| looks.iter().find(|(second, ..)| *second == at).expect("it was looked at then");
    let (before, after, seconds) = (look(from), look(to), (to - from) as f64);
    ((after.1 - before.1) as f64 / seconds, (after.2 - before.2) as f64 / seconds)
}

#[test]
fn n07_without_a_limit_what_all_share_answers_a_fifth_and_the_group_is_behind_until_13_19() {
    let (mut drained, mut lag_at_restart, mut looks) = (None, 0, Vec::new());
    let look = |simulation: &Simulation| {
        let calls = simulation.downstream().map_or((0, 0), |shared| (shared.asked(), shared.answered()));
        (simulation.now().whole_seconds(), calls.0, calls.1)
    };
    let end = run("n07-no-limit", 10_000, |simulation| {
        let lag: u64 = simulation.snapshot().network.groups.iter().map(|group| group.lag).sum();
        match simulation.now().whole_seconds() {
            ..21_960 => lag_at_restart = lag,
            _ if lag <= 10 => _ = drained.get_or_insert(simulation.now()),
            _ => looks.push(look(simulation)),
        }
    });
    // 18 a second came until ten seconds before.
    assert_eq!(lag_at_restart, 18 * 21_950);
    // From 08:30 to 13:00: 2.2 times the 18 a second that come.
    let (asked, answered) = calls_a_second(&looks, 22_560, 38_760);
    is_close(answered, 40.0, 0.01);
    assert!((answered / 18.0 - 2.2).abs() < 0.05, "{answered}");
    // Who waits for an answer asks nothing else, so that never more than ten wait.
    is_close(asked, answered, 0.01);
    assert!(looks.iter().all(|(_, asked, answered)| asked - answered <= 10));
    // 13:19:27.
    is_close(drained.expect("it drains").micros() as f64 / 1e6, 39_927.0, 15.0);
    // The record that was done and not committed as the consumer died at 02:14.
    let end = Row(export::record(&end));
    assert_eq!(end.value("duplicate_side_effects"), "1");
    assert_eq!(end.group_count("done") + 1, end.count("side_effects"));
}

#[test]
fn n07_ten_consumers_ask_for_two_hundred_a_second_where_they_are_answered_at_once() {
    let answered = r#""downstream_rate_per_second": 40"#;
    let text = text_of("n07-no-limit");
    assert!(text.contains(answered));
    let at_once = text.replace(answered, r#""downstream_rate_per_second": 100000"#);
    let mut asked = Vec::new();
    run_text("n07-no-limit", &at_once.replace("44000", "22200"), 60_000, |simulation| {
        asked.extend(simulation.downstream().map(|shared| shared.asked()));
    });
    let last: Vec<u64> = asked.windows(2).rev().take(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(last.iter().all(|asked| asked.abs_diff(200 * 60) <= 10), "{last:?} in a minute");
}

#[test]
fn n09_twelve_partitions_keep_twelve_of_twenty_busy() {
    let end = last("n09-twelve-partitions");
    assert_eq!(end.group("members"), "20");
    assert_eq!(end.group("idle_members"), "8");
    assert_eq!(end.part("consumers", "billing", "busy"), "12");
    // Two a second come to each partition, and one a second is done there, whoever is idle.
    assert_eq!(end.group("lag"), (24 * 60 - end.group_count("done")).to_string());
    is_close(end.group_count("done") as f64, 12.0 * 60.0, 12.0);
}

#[test]
fn n14_one_poison_record_holds_up_its_partition_and_no_other() {
    let [from, to] = rows("n14-poison-in-a-log", 100_000, [100_000, 600_000]);
    let lags = |row: &Row| row.lanes("lag");
    let (before, after) = (lags(&from), lags(&to));
    let grown: Vec<u64> = before.iter().zip(&after).map(|(from, to)| to.saturating_sub(*from)).collect();
    let stuck: Vec<&u64> = grown.iter().filter(|grown| **grown > 0).collect();
    assert_eq!(stuck, [&1_000], "2 a second come to the partition of the poison");
    let level = after.iter().filter(|lag| **lag <= 1).count();
    assert_eq!(level, 2, "{after:?}");
    // An attempt takes a quarter of a second, and the next comes a second later.
    let failed = (to.count("failed_attempts") - from.count("failed_attempts")) as f64;
    is_close(failed, 500.0 / 1.25, 1.0);
}

#[test]
fn n16_a_queue_and_a_log_say_the_same_of_one_lane_in_their_own_words() {
    let [at_30, drained] = rows("n16-one-queue", 10_000, [30_000, 60_000]);
    assert_eq!(at_30.counts(["waiting", "in_flight"]), [60, 1]);
    assert_eq!(at_30.value("oldest_age_seconds"), "7.375");
    assert!(drained.count("waiting") <= 1, "{}", drained.count("waiting"));
    let [at_30, drained] = rows("n16-one-partition", 10_000, [30_000, 60_000]);
    assert_eq!(at_30.group("lag"), "61");
    assert_eq!(at_30.group("oldest_unfinished_seconds"), "7.5");
    assert_eq!(at_30.group("in_flight"), "1");
    assert!(drained.group_count("lag") <= 2, "{}", drained.group("lag"));
}
