//! Alerts against their definition, looked up in all that has happened.

use proptest::prelude::*;
use queue_lab::model::alerts::{AlertRule, AlertState, Alerts, EVALUATION_INTERVAL, parse};
use queue_lab::model::time::{Instant, Span};

/// Evaluations of 30 s each.
fn rule(hold: u64, keep_firing: u64) -> AlertRule {
    let steps = |count: u64| Span::from_micros(EVALUATION_INTERVAL.micros() * count);
    AlertRule {
        name: "lag".to_owned(),
        owner: "orders".to_owned(),
        condition: parse::condition("lag > 5").expect("it is sound"),
        hold: steps(hold),
        keep_firing: steps(keep_firing),
    }
}

/// The state at `place`, from the values alone: an alert fires once its condition has held at the
/// last `hold` + 1 evaluations, and then until it has not for `keep_firing` of them.
fn by_definition(held: &[bool], hold: usize, keep_firing: usize) -> AlertState {
    let place = held.len() - 1;
    let begins_firing = |end: usize| end >= hold && held[end - hold..=end].iter().all(|held| *held);
    let fires = (0..=place).rev().filter(|end| begins_firing(*end)).any(|end| {
        // From there on, no gap is as long as it may be.
        held[end..].split(|held| *held).all(|gap| gap.len() <= keep_firing)
    });
    match (fires, held[place]) {
        (true, _) => AlertState::Firing,
        (false, true) => AlertState::Pending,
        (false, false) => AlertState::Inactive,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn an_alert_is_what_its_history_makes_it(
        held in prop::collection::vec(prop::bool::weighted(0.7), 1..60), hold in 0_u64..5, keep_firing in 0_u64..4
    ) {
        let mut alerts = Alerts::new(EVALUATION_INTERVAL, vec![rule(hold, keep_firing)]);
        let series = alerts.series("lag", &[]);
        let (hold, keep_firing) = (usize::try_from(hold).expect("small"), usize::try_from(keep_firing).expect("small"));
        let mut last = AlertState::Inactive;
        for (place, holds) in held.iter().enumerate() {
            let now = Instant::from_seconds(30 * place as u64);
            alerts.record(now, series, if *holds { 6_000_000 } else { 5_000_000 });
            let changed = alerts.evaluate(now);
            let state = alerts.state(0, series);
            prop_assert_eq!(state, by_definition(&held[..=place], hold, keep_firing), "{} of {:?}", place, &held);
            prop_assert_eq!(changed.iter().map(|it| (it.from, it.to)).collect::<Vec<_>>(),
                if last == state { vec![] } else { vec![(last, state)] });
            last = state;
        }
    }
}
