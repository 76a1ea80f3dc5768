//! Alert rules in a run: what they look at, when, and what follows.

use queue_lab::model::alerts::samples::SeriesIndex;
use queue_lab::model::alerts::{AlertState, RuleChange};
use queue_lab::model::command::{CommandRefused, TimedCommand};
use queue_lab::model::event::EventKind;
use queue_lab::model::time::Span;
use queue_lab::model::timeline::Timeline;

use super::*;

const DEEP: &str = r#"{"name":"Deep","owner":"orders","when":"queue_messages_ready{queue=\"queue\"} > 5"}"#;
const DEEP_FOR_A_MINUTE: &str =
    r#"{"name":"Deep","owner":"orders","when":"queue_messages_ready{queue=\"queue\"} > 5","for_seconds":60}"#;
/// Nothing comes but bursts.
const BURSTS_ONLY: &str = r#""settings":{"p":0,"c":1,"capacity":"none"}"#;

/// A run with these fields and rules.
pub fn with_rules(fields: &str, rules: &str) -> Simulation {
    file(&format!(r#"{fields},"alerts":[{rules}]"#))
}

/// What happened to alerts: second, what, rule and series.
fn changes(simulation: &Simulation) -> Vec<(u64, EventKind, u16, u64)> {
    let kinds =
        [EventKind::AlertPending, EventKind::AlertFiring, EventKind::AlertResolved, EventKind::AlertPassed];
    let events = simulation.journal().last().filter(|event| kinds.contains(&event.kind));
    let shown = events.map(|event| {
        (event.at.whole_seconds(), event.kind, event.message.producer_index(), event.message.number())
    });
    shown.collect()
}

/// What was recorded of the first series at that second.
fn at_second(simulation: &Simulation, second: u64) -> Option<Option<i64>> {
    simulation.alerts().samples().recorded_at(SeriesIndex(0), Instant::from_seconds(second))
}

fn burst(count: u64) -> Command {
    Command::Burst { count }
}

#[test]
fn an_evaluation_sees_all_that_the_scenario_does_at_its_instant() {
    let commands = r#","commands":[{"do":"burst","messages":100},{"at":30,"do":"discard","queue":"queue"}]"#;
    let mut run = with_rules(&format!("{BURSTS_ONLY}{commands}"), DEEP);
    assert!(!run.is_complete(), "the start is yet to be judged");
    to(&mut run, 0);
    assert_eq!(changes(&run), [(0, EventKind::AlertFiring, 0, 1)]);
    to(&mut run, 30_000);
    assert_eq!(changes(&run)[1..], [(30, EventKind::AlertResolved, 0, 1)]);
}

#[test]
fn what_somebody_does_at_the_instant_of_an_evaluation_comes_after_it() {
    let fields = format!(r#"{BURSTS_ONLY},"commands":[{{"at":30,"do":"burst","messages":4}}]"#);
    let mut run = with_rules(&fields, DEEP);
    to(&mut run, 30_000);
    does(&mut run, &[burst(100)]);
    to(&mut run, 59_999);
    assert_eq!(changes(&run), []);
    to(&mut run, 60_000);
    assert_eq!(changes(&run), [(60, EventKind::AlertFiring, 0, 1)]);
    // Given in the middle of the instant, it comes after the evaluation too.
    let mut slow = with_rules(&fields, DEEP);
    while slow.now() < Instant::from_seconds(30) {
        slow.advance_to(Instant::from_seconds(30), 1);
    }
    assert!(!slow.is_complete(), "the four are yet to come");
    slow.apply(burst(100)).expect("it can be applied");
    assert_eq!(slow.command_log().count(), 0, "it waits until the instant is complete");
    to(&mut slow, 60_000);
    assert_eq!(slow.state_hash(), run.state_hash());
}

#[test]
fn a_spike_between_two_evaluations_is_missed() {
    let commands = r#","commands":[{"at":31,"do":"burst","messages":25}]"#;
    let mut run = with_rules(&format!("{BURSTS_ONLY}{commands}"), DEEP);
    to(&mut run, 40_000);
    assert!(run.ledger().waiting > 10);
    to(&mut run, 300_000);
    assert_eq!(changes(&run), []);
    let often = format!(r#"{BURSTS_ONLY}{commands},"alert_interval_seconds":7"#);
    let mut run = with_rules(&often, DEEP);
    to(&mut run, 300_000);
    assert_eq!(changes(&run), [(35, EventKind::AlertFiring, 0, 1), (56, EventKind::AlertResolved, 0, 1)]);
}

#[test]
fn what_is_pending_fires_or_passes_and_what_fires_is_resolved() {
    let commands = r#","commands":[{"do":"burst","messages":40},{"at":100,"do":"burst","messages":100}]"#;
    let mut run = with_rules(&format!("{BURSTS_ONLY}{commands}"), DEEP_FOR_A_MINUTE);
    to(&mut run, 120_000);
    let alert = |run: &Simulation| run.snapshot().network.alerts[0].clone();
    assert_eq!(alert(&run).state, AlertState::Pending);
    assert_eq!(alert(&run).active[0].since, Instant::from_seconds(120));
    assert_eq!(alert(&run).active[0].labels[0].value, "queue");
    to(&mut run, 180_000);
    assert_eq!((alert(&run).state, alert(&run).active[0].since.whole_seconds()), (AlertState::Firing, 120));
    to(&mut run, 300_000);
    assert_eq!((alert(&run).state, alert(&run).active.len()), (AlertState::Inactive, 0));
    let told = [
        (0, EventKind::AlertPending, 0, 1),
        (60, EventKind::AlertPassed, 0, 1),
        (120, EventKind::AlertPending, 0, 1),
        (180, EventKind::AlertFiring, 0, 1),
        (210, EventKind::AlertResolved, 0, 1),
    ];
    assert_eq!(changes(&run), told);
    let rule = alert(&run);
    assert_eq!((rule.name.as_str(), rule.owner.as_str()), ("Deep", "orders"));
    assert_eq!(rule.condition, "queue_messages_ready{queue=\"queue\"} > 5");
    assert_eq!((rule.hold, rule.keep_firing), (Span::from_seconds(60), Span::ZERO));
}

#[test]
fn without_a_rule_nothing_is_recorded_and_the_run_is_the_one_it_was() {
    let mut plain = file(BURSTS_ONLY);
    let mut other = file(&format!(r#"{BURSTS_ONLY},"alert_interval_seconds":5,"alerts":[]"#));
    for run in [&mut plain, &mut other] {
        does(run, &[burst(50)]);
        to(run, 100_000);
        assert_eq!(run.alerts().samples().all().count(), 0);
    }
    assert_eq!(plain.state_hash(), other.state_hash());
    let mut watched = with_rules(BURSTS_ONLY, DEEP);
    to(&mut watched, 100_000);
    assert_eq!(watched.alerts().samples().all().count(), 1, "one queue of the two, and nothing else");
    assert_eq!(watched.alerts().samples().metric(SeriesIndex(0)), "queue_messages_ready");
    assert_eq!(watched.alerts().labels(SeriesIndex(0))[0].value, "queue");
}

#[test]
fn values_are_kept_as_long_as_the_longest_window_and_no_longer() {
    let held = |when: &str| {
        let rule = format!(r#"{{"name":"a","owner":"b","when":"{when}"}}"#);
        let mut run = with_rules(BURSTS_ONLY, &rule);
        to(&mut run, 40_000_000);
        let of_the_last = |seconds: u64| {
            let at = Instant::from_seconds(40_000 / 30 * 30 - seconds);
            run.alerts().samples().recorded_at(SeriesIndex(0), at).is_some()
        };
        (of_the_last(300), of_the_last(330), of_the_last(3_600), of_the_last(3_630))
    };
    assert_eq!(held("broker_up == 0"), (true, false, false, false));
    assert_eq!(held("changes(broker_up[1h]) > 9"), (true, true, true, false));
}

/// Two producers at one queue, which begins with a thousand of the second's.
fn shared(rules: &str) -> Simulation {
    let fields = r#""topology":{"producers":[{"name":"resets","to":"mail"},{"name":"digests","to":"mail"}],
            "queues":[{"name":"mail"},{"name":"spare"}],"consumers":[{"name":"senders","from":"mail"}]},
        "settings":{"resets.p":1,"digests.p":0,"mail.capacity":"none","senders.c":5},
        "commands":[{"do":"burst","producer":"digests","messages":1000}]"#;
    with_rules(fields, rules)
}

#[test]
fn the_oldest_message_of_a_producer_is_looked_for_behind_those_of_others() {
    let rule = r#"{"name":"Late","owner":"accounts","when":"queue_oldest_message_of_producer_age_seconds{producer=\"resets\"} > 59.5"}"#;
    let mut run = shared(rule);
    to(&mut run, 59_999);
    assert_eq!(changes(&run), []);
    to(&mut run, 90_000);
    // The first reset came after a second: it is 59 s old at 60 s.
    assert_eq!(changes(&run), [(90, EventKind::AlertFiring, 0, 1)]);
    let first = [0, 30, 60].map(|second| at_second(&run, second));
    assert_eq!(first, [None, Some(Some(29_000_000)), Some(Some(59_000_000))]);
    // Until 200 s all that is done are digests, and then five resets a second: at 210 s the 51st is
    // being worked on, at 240 s the 201st.
    to(&mut run, 240_000);
    assert_eq!(at_second(&run, 210), Some(Some(158_000_000)));
    assert_eq!(changes(&run)[1..], [(240, EventKind::AlertResolved, 0, 1)]);
}

#[test]
fn a_series_ends_where_there_is_nothing_that_it_could_say() {
    let rule = r#"{"name":"Old","owner":"a","when":"queue_oldest_message_age_seconds{queue=\"queue\"} > 20","keep_firing_seconds":600}"#;
    let commands = r#","commands":[{"do":"burst","messages":60}]"#;
    let mut run = with_rules(&format!("{BURSTS_ONLY}{commands}"), rule);
    to(&mut run, 90_000);
    let recorded = [0, 30, 60, 90].map(|second| at_second(&run, second));
    assert_eq!(recorded, [Some(Some(0)), Some(Some(30_000_000)), Some(None), None]);
    assert_eq!(run.alerts().state(0, SeriesIndex(0)), AlertState::Firing, "it goes on firing");
    to(&mut run, 660_000);
    let told = [(30, EventKind::AlertFiring, 0, 1), (660, EventKind::AlertResolved, 0, 1)];
    assert_eq!(changes(&run), told);
}

const TOPIC: &str = r#""topology":{"producers":[{"name":"shop","to":"orders"}],"topics":[{"name":"orders"}],
    "groups":[{"name":"billing","from":"orders"}]},
    "settings":{"shop.p":6,"billing.c":4,"billing.workers":3,"billing.attempts_max":"none",
        "billing.retry_place":"in-place","billing.retry_delay_seconds":1,"orders.partition_count":3},
    "commands":[{"at":10,"do":"poison","producer":"shop","messages":1}]"#;

#[test]
fn one_partition_fires_while_the_others_are_quiet() {
    let rule =
        r#"{"name":"Stuck","owner":"billing","when":"kafka_consumergroup_lag > 100","for_seconds":60}"#;
    let mut run = with_rules(TOPIC, rule);
    to(&mut run, 300_000);
    let network = run.snapshot().network;
    let [active] = &network.alerts[0].active[..] else { panic!("one label set of three: {network:?}") };
    let labels: Vec<_> =
        active.labels.iter().map(|label| (label.name.as_str(), label.value.as_str())).collect();
    let stuck = network.groups[0].partitions.iter().position(|lane| lane.lag > 100);
    let stuck = stuck.expect("the poison holds up its partition").to_string();
    assert_eq!(labels, [("consumergroup", "billing"), ("topic", "orders"), ("partition", stuck.as_str())]);
    assert_eq!((active.state, network.alerts[0].state), (AlertState::Firing, AlertState::Firing));
}

#[test]
fn a_rule_that_is_changed_is_judged_by_what_it_says_now() {
    let commands = r#","commands":[{"do":"burst","messages":500},
        {"at":45,"do":"set-alert-rule","alert":"Deep","for_seconds":30},
        {"at":90,"do":"set-alert-rule","threshold":1000.5,"keep_firing_seconds":60}]"#;
    let mut run = with_rules(&format!("{BURSTS_ONLY}{commands}"), DEEP_FOR_A_MINUTE);
    to(&mut run, 300_000);
    let told = [
        (0, EventKind::AlertPending, 0, 1),
        (60, EventKind::AlertFiring, 0, 1),
        // At 90 s the condition is gone with the command of that instant, and it fires on for 60 s.
        (150, EventKind::AlertResolved, 0, 1),
    ];
    assert_eq!(changes(&run), told);
    let rule = run.snapshot().network.alerts[0].clone();
    assert_eq!(rule.condition, "queue_messages_ready{queue=\"queue\"} > 1000.5");
    assert_eq!((rule.hold, rule.keep_firing), (Span::from_seconds(30), Span::from_seconds(60)));
}

#[test]
fn a_change_from_outside_is_in_the_log_and_one_of_no_rule_is_refused() {
    let hold = Some(Span::from_seconds(30));
    let change = RuleChange { hold, ..RuleChange::default() };
    let command = Command::SetAlertRule { rule: 0, change };
    assert_eq!(command.code(), 17);
    let mut run = with_rules(BURSTS_ONLY, DEEP);
    let mut same = with_rules(BURSTS_ONLY, DEEP);
    let no_such = Command::SetAlertRule { rule: 1, change };
    assert_eq!(run.apply(no_such), Err(CommandRefused::NoSuchAlertRule));
    let too_long = RuleChange { keep_firing: Some(Span::from_seconds(400 * 86_400)), ..change };
    let too_long = Command::SetAlertRule { rule: 0, change: too_long };
    assert_eq!(run.apply(too_long), Err(CommandRefused::DurationOutOfRange));
    to(&mut run, 10_000);
    to(&mut same, 10_000);
    assert_eq!(run.state_hash(), same.state_hash());
    does(&mut run, &[command]);
    assert_ne!(run.state_hash(), same.state_hash(), "the rules are part of the state");
    assert_eq!(
        run.command_log().collect::<Vec<_>>(),
        [&TimedCommand { at: Instant::from_seconds(10), command }]
    );
    assert_eq!(run.snapshot().network.alerts[0].hold, Span::from_seconds(30));
}

#[test]
fn commands_that_change_rules_differ_in_the_hash_by_all_that_they_say() {
    let hold = |seconds| Some(Span::from_seconds(seconds));
    let base = RuleChange::default();
    let changes = [
        base,
        RuleChange { threshold_millionths: Some(5_000_000), ..base },
        RuleChange { threshold_millionths: Some(-1), ..base },
        RuleChange { hold: hold(0), ..base },
        RuleChange { keep_firing: hold(0), ..base },
    ];
    let hash = |change| {
        let mut run = with_rules(BURSTS_ONLY, DEEP);
        does(&mut run, &[Command::SetAlertRule { rule: 0, change }]);
        to(&mut run, 1_000);
        run.state_hash()
    };
    let mut hashes = changes.map(hash).to_vec();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), changes.len());
}

#[test]
fn a_seek_across_evaluations_is_a_run_from_the_start() {
    let rules = r#"{"name":"Late","owner":"a","when":"queue_oldest_message_of_producer_age_seconds > 100","for_seconds":30},
        {"name":"Grows","owner":"b","when":"deriv(queue_messages_ready[2m]) < 0","for_seconds":60,"keep_firing_seconds":60},
        {"name":"Busy","owner":"c","when":"rate(queue_messages_acked_total{queue=\"mail\"}[1m]) > 4.9"}"#;
    let scenario = shared(rules).scenario().clone();
    let change = RuleChange { threshold_millionths: Some(-5_000_000), ..RuleChange::default() };
    let command = Command::SetAlertRule { rule: 1, change };
    let mut timeline = Timeline::new(scenario.clone(), ());
    timeline.seek(Instant::from_seconds(120));
    timeline.apply(command).expect("there is such a rule");
    for second in [300, 60, 89, 90, 120, 121, 119, 240, 30, 0, 600] {
        let at = Instant::from_seconds(second);
        timeline.seek(at);
        let mut fresh = Simulation::new(scenario.clone());
        if second >= 120 {
            to(&mut fresh, 120_000);
            does(&mut fresh, &[command]);
        }
        to(&mut fresh, second * 1_000);
        assert_eq!(timeline.simulation().state_hash(), fresh.state_hash(), "{second}");
        assert_eq!(timeline.simulation().snapshot(), fresh.snapshot(), "{second}");
    }
    let told = changes(timeline.simulation());
    assert!([0, 1, 2].iter().all(|rule| told.iter().any(|(_, _, of, _)| of == rule)), "{told:?}");
}

#[test]
fn the_short_way_stops_at_every_evaluation() {
    let rules = r#"{"name":"Deep","owner":"a","when":"queue_messages_ready > 2"},
        {"name":"Busy","owner":"c","when":"rate(queue_messages_acked_total[1m]) > 0.5"}"#;
    let fields =
        r#""settings":{"p":0.6,"c":0.55,"arrivals":"poisson","work":"exponential","capacity":"none"}"#;
    let mut short = with_rules(fields, rules);
    let mut long = with_rules(fields, rules);
    long.go_the_long_way();
    for run in [&mut short, &mut long] {
        to(run, 600_000);
    }
    assert_eq!(changes(&short), changes(&long));
    assert!(!changes(&short).is_empty());
    assert_eq!(short.state_hash(), long.state_hash());
}

#[test]
fn the_oldest_of_a_producer_is_right_whatever_comes_back_where() {
    for rules in [
        r#""mail.returns":"back""#,
        r#""mail.returns":"front""#,
        r#""mail.returns":"anywhere""#,
        r#""mail.returns":"original","mail.order":"newest-first""#,
        r#""mail.broker":"sqs-fifo","b.groups":7,"a.groups":3"#,
        r#""mail.broker":"rabbitmq-quorum-4.0","a.priority":7"#,
        r#""mail.priority_level_max":9,"b.priority":3"#,
    ] {
        let fields = format!(
            r#""topology":{{"producers":[{{"name":"a","to":"mail"}},{{"name":"b","to":"mail"}},{{"name":"c","to":"mail"}}],
                "queues":[{{"name":"spare"}},{{"name":"mail"}}],
                "consumers":[{{"name":"nobody","from":"spare"}},{{"name":"senders","from":"mail"}}]}},
            "settings":{{"a.p":0.1,"b.p":20,"c.p":0,"capacity":"none","senders.c":18,"senders.fail":60,
                "senders.prefetch":20,{rules}}}"#
        );
        let mut run = file(&fields);
        for second in 1..=400 {
            to(&mut run, second * 1_000);
            let ready = run.broker().queue(QueueIndex(1)).ready();
            for producer in 0..3 {
                let own = ready.iter().filter(|message| message.id.producer_index() == producer);
                let wanted = own.map(|message| message.accepted_at).min();
                assert_eq!(ready.oldest_of(producer), wanted, "{rules} {second} {producer}");
            }
        }
    }
}
