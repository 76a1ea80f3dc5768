//! Which alerts fire in runs whose numbers are known, and when: N3, N4 and N6.

use queue_lab::app::export;
use queue_lab::model::alerts::AlertState;
use queue_lab::model::broker::QueueIndex;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::{Instant, Span};

use super::{Row, run};

/// When each rule was first seen in each state at the looks at a run.
#[derive(Default)]
struct Pages(Vec<(String, AlertState, Instant)>);

impl Pages {
    fn look_at(&mut self, simulation: &Simulation) {
        for (rule, place) in simulation.alerts().rules().zip(0..) {
            let state = simulation.alerts().worst_state(place);
            if self.first(&rule.name, state).is_none() {
                self.0.push((rule.name.clone(), state, simulation.now()));
            }
        }
    }

    fn first(&self, rule: &str, state: AlertState) -> Option<Instant> {
        self.0.iter().find(|(name, seen, _)| name == rule && *seen == state).map(|(.., at)| *at)
    }
}

#[test]
fn n03_neither_depth_nor_growth_sees_what_came_in_an_instant() {
    let mut depths = Vec::new();
    let mut pages = Pages::default();
    let end = run("n03-digests-earlier", 10_000, |simulation| {
        pages.look_at(simulation);
        if simulation.now().whole_seconds() % 30 == 0 {
            depths.push(simulation.ledger().waiting);
        }
    });
    let start = |rule: &str| (rule.to_owned(), AlertState::Inactive, Instant::START);
    assert_eq!(pages.0, [start("MailDeep"), start("MailGrowing")], "neither is ever pending");
    let evaluations = end
        .alerts()
        .samples()
        .all()
        .map(|series| end.alerts().samples().recorded_at(series, Instant::from_seconds(5_130)).flatten());
    assert_eq!(evaluations.collect::<Vec<_>>(), [Some(0)], "they look at the one queue to the end");
    assert_eq!(Row(export::record(&end)).alert("MailGrowing", "state"), "\"inactive\"");
    assert!(depths.iter().all(|depth| *depth < 3_000_000));
    let filled: Vec<_> = depths.iter().take_while(|depth| **depth > 0).collect();
    assert_eq!(filled.len(), 171, "85 minutes and a half, every 30 seconds");
    assert!(filled.windows(2).all(|pair| pair[1] < pair[0]), "it only ever shrinks");
}

#[test]
fn n04_the_age_of_the_oldest_reset_sees_it_within_half_a_minute() {
    let (mut ages, mut states) = (Vec::new(), Vec::new());
    run("n04-oldest-reset", 30_000, |simulation| {
        let mut waiting = simulation.broker().queue(QueueIndex(0)).ready().iter();
        let oldest = waiting.find(|message| message.id.producer_index() == 0);
        let seen = simulation.alerts().samples().all().next().map(|series| {
            simulation.alerts().samples().recorded_at(series, simulation.now()).expect("it is an evaluation")
        });
        let age = oldest.map(|oldest| simulation.now().since(oldest.accepted_at));
        assert_eq!(seen.flatten(), age.map(|age| age.micros().cast_signed()), "at {}", simulation.now());
        ages.push(age);
        states.push(Row(export::record(simulation)).alert("ResetsLate", "state"));
    });
    assert_eq!(ages[10..12], [Span::from_millis(299_900), Span::from_millis(329_900)].map(Some));
    let firing: Vec<usize> = (0..states.len()).filter(|look| states[*look] == "\"firing\"").collect();
    assert_eq!((firing.first(), firing.len()), (Some(&11), 10), "from 09:00:30 on");
}

#[test]
fn n06_lag_age_and_members_tell_of_a_dead_group_and_the_broker_does_not() {
    // Every 10 s, so that between two evaluations nothing can change unseen.
    let mut pages = Pages::default();
    let end = run("n06-dead-group", 10_000, |simulation| pages.look_at(simulation));
    let pages_at = |rule: &str| pages.first(rule, AlertState::Firing);
    assert_eq!(pages_at("LagHigh"), Some(Instant::from_seconds(600)), "02:24:00");
    assert_eq!(pages.first("LagHigh", AlertState::Pending), Some(Instant::from_seconds(300)));
    assert_eq!(pages_at("OrdersOld"), Some(Instant::from_seconds(750)), "02:26:30");
    assert_eq!(pages_at("NobodyReads"), Some(Instant::from_seconds(60)), "02:15:00");
    assert_eq!(pages.0.iter().filter(|(rule, ..)| rule == "BrokerDown").count(), 1, "inactive for ever");
    let end = Row(export::record(&end));
    assert_eq!(end.group_count("lag"), 395_280);
    assert_eq!(end.group_count("done"), 0);
}
