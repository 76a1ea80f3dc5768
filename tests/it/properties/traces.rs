//! The journeys of all messages of a run, added up, are what the run counted: no loss, side effect or
//! attempt is missing from them, and none is told twice.

use std::collections::BTreeMap;
use std::rc::Rc;

use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;
use queue_lab::model::timeline::{Progress, Timeline};
use queue_lab::model::trace::{Loss, TraceStep, Tracer, What};

use super::any::{AnyRun, Dice, any_run};

const RUNS: u64 = 160;
const SECONDS: u64 = 6;
const EVENTS: u64 = 1_500;
const MESSAGES_MAX: u64 = 40;

fn played(run: &AnyRun) -> Option<Timeline> {
    run.play(EVENTS, || EVENTS)?;
    let mut timeline = Timeline::new(Rc::new(run.scenario.clone()), ());
    for timed in &run.commands {
        timeline.seek(timed.at);
        _ = timeline.apply(timed.command);
    }
    timeline.seek(run.until);
    Some(timeline)
}

fn traced(timeline: &Timeline, producer: usize, number: u64, budget: u64) -> Vec<TraceStep> {
    let (mut tracer, _) = timeline.trace(producer, number).expect("it was offered");
    reach(&mut tracer, timeline, budget);
    tracer.steps().to_vec()
}

fn reach(tracer: &mut Tracer, timeline: &Timeline, budget: u64) {
    let now = timeline.simulation().now();
    while tracer.advance(timeline.log(), now, budget) != Progress::There {}
}

/// The messages that each producer has offered.
fn offered(simulation: &Simulation) -> Vec<u64> {
    let senders = simulation.snapshot().network.producers;
    let left = (0..senders.len()).map(|producer| simulation.presented(producer));
    left.collect()
}

fn all_steps(timeline: &Timeline) -> Option<Vec<TraceStep>> {
    let offered = offered(timeline.simulation());
    if offered.iter().sum::<u64>() > MESSAGES_MAX {
        return None;
    }
    let numbers = offered.iter().enumerate();
    let each = numbers.flat_map(|(producer, count)| (1..=*count).map(move |number| (producer, number)));
    Some(each.flat_map(|(producer, number)| traced(timeline, producer, number, u64::MAX)).collect())
}

/// How often a loss by each rule is told; those of groups apart.
fn losses(steps: &[TraceStep], of_groups_from: usize) -> (BTreeMap<Loss, u64>, BTreeMap<Loss, u64>) {
    let (mut own, mut of_groups) = (BTreeMap::new(), BTreeMap::new());
    for step in steps {
        if let What::Lost(loss) = step.what {
            let is_of_group = step.by.is_some_and(|by| by.pool >= of_groups_from);
            *(if is_of_group { &mut of_groups } else { &mut own }).entry(loss).or_default() += 1;
        }
    }
    (own, of_groups)
}

fn sum(losses: &BTreeMap<Loss, u64>, of: &[Loss]) -> u64 {
    of.iter().filter_map(|loss| losses.get(loss)).sum()
}

fn count(steps: &[TraceStep], is: impl Fn(What) -> bool) -> u64 {
    steps.iter().filter(|step| is(step.what)).count() as u64
}

#[test]
fn the_journeys_of_all_messages_add_up_to_what_the_run_counted() {
    let mut compared = 0;
    for seed in 0..RUNS {
        let Some(timeline) = played(&any_run(seed, SECONDS)) else { continue };
        let Some(steps) = all_steps(&timeline) else { continue };
        compared += u64::from(!steps.is_empty());
        let simulation = timeline.simulation();
        check_totals(seed, simulation, &steps);
        check_losses(seed, simulation, &steps);
    }
    assert!(compared > 30, "only {compared} runs were compared");
}

fn check_totals(seed: u64, simulation: &Simulation, steps: &[TraceStep]) {
    let totals = simulation.totals();
    let counts = |is: fn(What) -> bool| count(steps, is);
    for (name, told, counted) in [
        ("side effects", counts(|what| matches!(what, What::Effect { .. })), totals.side_effects),
        (
            "repeated side effects",
            counts(|what| what == What::Effect { is_repeat: true }),
            totals.duplicate_side_effects,
        ),
        ("skipped", counts(|what| what == What::KnownAsDone), totals.skipped),
        ("failed", counts(|what| matches!(what, What::Failed(_))), totals.failed_attempts),
        ("dead-lettered", counts(|what| matches!(what, What::DeadLettered(_))), totals.dead_lettered),
        ("redriven", counts(|what| what == What::SentBack), totals.redriven),
        ("sent again", counts(|what| what == What::SentAgain), totals.sent_again),
        ("confirms lost", counts(|what| what == What::ConfirmLost), totals.confirms_lost),
        ("calls timed out", counts(|what| what == What::CallTimedOut), totals.calls_timed_out),
        ("offered", counts(|what| what == What::Offered), offered(simulation).iter().sum()),
    ] {
        assert_eq!(told, counted, "seed {seed}: {name}");
    }
    let groups: u64 = simulation.snapshot().network.groups.iter().map(|group| group.counts.done).sum();
    let counted = totals.done + groups;
    let told = counts(|what| what == What::Done);
    // A group counts what it has committed; what it goes over again counts once more.
    let gone_over: u64 =
        simulation.snapshot().network.groups.iter().map(|group| group.counts.sent_back).sum();
    assert!(told >= counted.saturating_sub(gone_over), "seed {seed}: done {told} of {counted}");
    if groups == 0 && gone_over == 0 && simulation.snapshot().network.groups.is_empty() {
        assert_eq!(told, counted, "seed {seed}: done");
    }
}

fn check_losses(seed: u64, simulation: &Simulation, steps: &[TraceStep]) {
    let groups = simulation.snapshot().network.groups;
    let pools = simulation.snapshot().network.pools.len();
    let (own, of_groups) = losses(steps, pools - groups.len());
    let ledger = simulation.ledger();
    let discarded = [
        Loss::Skipped,
        Loss::DeliveryLimit,
        Loss::CrashAfterAnswer,
        Loss::FailureAfterAnswer,
        Loss::ThrownAway,
        Loss::Circle,
        Loss::NoRoomAsDeadLetter,
    ];
    for (name, told, counted) in [
        ("rejected", sum(&own, &[Loss::Rejected]), ledger.rejected),
        ("dropped new", sum(&own, &[Loss::DroppedNew]), ledger.dropped_new),
        ("dropped oldest", sum(&own, &[Loss::DroppedOldest]), ledger.dropped_oldest),
        ("expired", sum(&own, &[Loss::Expired, Loss::TooLate]), ledger.expired),
        ("retention", sum(&own, &[Loss::RetentionOver]), ledger.retention_over),
        ("shed", sum(&own, &[Loss::Shed]), ledger.shed),
        ("lost sending", sum(&own, &[Loss::Sending]), ledger.lost_sending),
        ("calls", sum(&own, &[Loss::Call]), ledger.failed_calls),
        ("discarded", sum(&own, &discarded), ledger.discarded),
        (
            "lost by groups",
            sum(&of_groups, &[Loss::CrashAfterAnswer, Loss::FailureAfterAnswer]),
            groups.iter().map(|group| group.counts.lost).sum(),
        ),
        (
            "skipped by groups",
            sum(&of_groups, &[Loss::Skipped]),
            groups.iter().map(|group| group.counts.skipped).sum(),
        ),
    ] {
        assert_eq!(told, counted, "seed {seed}: {name}");
    }
}

#[test]
fn a_journey_does_not_depend_on_slices_checkpoints_or_looking_back() {
    let mut compared = 0;
    for seed in 0..40 {
        let Some(mut timeline) = played(&any_run(seed, SECONDS)) else { continue };
        let offered = offered(timeline.simulation());
        let Some((producer, last)) = offered.iter().copied().enumerate().find(|(_, count)| *count > 0) else {
            continue;
        };
        let mut dice = Dice(seed);
        let number = 1 + dice.below(last);
        let whole = traced(&timeline, producer, number, u64::MAX);
        assert_eq!(traced(&timeline, producer, number, 3), whole, "seed {seed}");
        let earlier = Instant::from_micros(dice.below(SECONDS * 1_000_000));
        timeline.seek(earlier);
        let before: Vec<TraceStep> = whole.iter().filter(|step| step.at <= earlier).copied().collect();
        if let Some((mut tracer, _)) = timeline.trace(producer, number) {
            reach(&mut tracer, &timeline, 100);
            assert_eq!(tracer.steps(), before, "seed {seed}: at {earlier}");
            timeline.seek(Instant::from_seconds(SECONDS));
            assert!(tracer.belongs_to(timeline.log(), timeline.simulation().now()));
            reach(&mut tracer, &timeline, 50);
            assert_eq!(tracer.steps(), whole, "seed {seed}: on from {earlier}");
        } else {
            assert!(before.is_empty(), "seed {seed}: {before:?}");
        }
        compared += 1;
    }
    assert!(compared > 10, "only {compared} runs were compared");
}
