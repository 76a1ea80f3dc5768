//! Each kind of remark is said in some run: a table from dials to kinds, in order.

use queue_lab::model::command::{Command, TimedCommand};
use queue_lab::model::settings::{
    ArrivalPattern, Bound, OverflowPolicy, ServiceTime, Setting, Settings, Value,
};
use queue_lab::model::time::Instant;

use super::story::{Story, at, dials, rate};

/// The kinds that are said one after another up to `seconds`.
fn kinds(settings: Settings, commands: Vec<TimedCommand>, seconds: u64) -> Vec<&'static str> {
    let mut story = Story::new(settings, commands);
    let mut kinds = vec![story.narrator.account().happening.kind()];
    story.hear_until(Instant::from_seconds(seconds), |account, _, _| {
        if kinds.last() != Some(&account.happening.kind()) {
            kinds.push(account.happening.kind());
        }
    });
    kinds
}

fn random(settings: Settings) -> Settings {
    Settings { arrivals: ArrivalPattern::Poisson, service_time: ServiceTime::Exponential, ..settings }
}

fn bounded(bound: u64, settings: Settings) -> Settings {
    Settings { queue_bound: Bound::Messages(bound), ..settings }
}

fn policy(overflow: OverflowPolicy, settings: Settings) -> Settings {
    Settings { overflow, ..settings }
}

fn set_bound(bound: u64) -> Command {
    Command::Set { setting: Setting::QueueBound, value: Value::Bound(Bound::Messages(bound)) }
}

#[test]
fn steady_flows() {
    let check = |settings, commands, seconds, expected: &[&str]| {
        assert_eq!(kinds(settings, commands, seconds), expected);
    };
    check(dials(6, 6), vec![], 60, &["at-rest", "matched"]);
    check(dials(4, 6), vec![], 60, &["at-rest", "keeping-up"]);
    check(dials(0, 6), vec![], 10, &["at-rest", "idle"]);
    check(dials(8, 6), vec![], 60, &["at-rest", "will-fill", "full-dropping-new"]);
    let burst = vec![at(5, Command::Burst { count: 50 })];
    check(dials(6, 6), burst.clone(), 60, &["at-rest", "matched", "level-with-backlog"]);
    check(dials(2, 6), burst.clone(), 60, &["at-rest", "keeping-up", "draining", "keeping-up"]);
    check(dials(0, 0), burst, 10, &["at-rest", "idle", "stopped"]);
    let one = vec![at(5, Command::Burst { count: 1 })];
    check(dials(6, 6), one, 60, &["at-rest", "matched", "level-and-short"]);
}

#[test]
fn limits() {
    for (overflow, kind) in [
        (OverflowPolicy::Block, "full-blocking"),
        (OverflowPolicy::Reject, "full-rejecting"),
        (OverflowPolicy::DropNew, "full-dropping-new"),
        (OverflowPolicy::DropOldest, "full-dropping-oldest"),
    ] {
        assert_eq!(kinds(policy(overflow, dials(8, 6)), vec![], 60), ["at-rest", "will-fill", kind]);
        assert_eq!(kinds(policy(overflow, bounded(0, dials(8, 6))), vec![], 20), ["at-rest", "no-room"]);
    }
    let unbounded = Settings { queue_bound: Bound::None, broker_memory: 100, ..dials(8, 6) };
    assert_eq!(kinds(unbounded, vec![], 90), ["at-rest", "growing-without-bound", "memory-alarm"]);
    let memory_first = Settings { broker_memory: 50, ..dials(8, 6) };
    assert_eq!(kinds(memory_first, vec![], 60), ["at-rest", "will-run-out-of-memory", "memory-alarm"]);
    let lowered = vec![at(40, set_bound(20)), at(40, rate(Setting::ProducerRate, 2))];
    assert_eq!(
        kinds(dials(8, 6), lowered, 60),
        ["at-rest", "will-fill", "full-dropping-new", "over-limit", "draining", "keeping-up"]
    );
    let too_many = vec![at(5, Command::Burst { count: 200 })];
    assert_eq!(
        kinds(policy(OverflowPolicy::Block, dials(0, 6)), too_many, 60),
        ["at-rest", "idle", "holding-back", "draining", "idle"]
    );
}

#[test]
fn chance() {
    for seed in 1..=4 {
        let with_seed = |settings: Settings| Settings { seed, ..settings };
        let said = kinds(with_seed(random(bounded(4_000_000, dials(6, 6)))), vec![], 120);
        assert_eq!(said, ["at-rest", "balanced"], "seed {seed}");
        let said = kinds(with_seed(random(bounded(4_000_000, dials(5, 6)))), vec![], 120);
        assert!(said.contains(&"keeping-up-but-waiting"), "seed {seed}: {said:?}");
        let said = kinds(with_seed(random(bounded(5, dials(5, 6)))), vec![], 120);
        assert!(said.contains(&"hovering-at-bound"), "seed {seed}: {said:?}");
        let said = kinds(with_seed(random(bounded(20, dials(9, 6)))), vec![], 120);
        assert!(said.contains(&"full-dropping-new"), "seed {seed}: {said:?}");
    }
    let bursts = Settings { arrivals: ArrivalPattern::Bursts, burst_size: 20, ..dials(4, 6) };
    assert!(kinds(bursts, vec![], 60).contains(&"keeping-up-but-waiting"));
}
