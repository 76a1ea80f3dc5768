//! Why a message was lost, as its journey says, against what the journal of the run wrote down of it.

use std::rc::Rc;

use queue_lab::model::command::Command;
use queue_lab::model::event::{Event, EventKind};
use queue_lab::model::message::MessageId;
use queue_lab::model::routes::TopicIndex;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::time::Instant;
use queue_lab::model::timeline::{Progress, Timeline};
use queue_lab::model::trace::{Loss, StoredAt, TraceStep, What};
use queue_lab::narrate::locale::Locale;
use queue_lab::narrate::trace::{Whereabouts, loss_line, whereabouts};

use crate::properties::any::{AnyRun, any_run};

const SECONDS: u64 = 6;
const MESSAGES_MAX: u64 = 30;

/// Every event of a run, taken down one step at a time.
fn written(run: &AnyRun) -> Option<(Simulation, Vec<Event>)> {
    let (mut simulation, mut events) = (run.start(), Vec::new());
    for timed in &run.commands {
        reach(&mut simulation, timed.at, &mut events)?;
        let before = simulation.journal().count();
        _ = simulation.apply(timed.command);
        events.extend(simulation.journal().since(before).map(|(_, event)| *event));
    }
    reach(&mut simulation, run.until, &mut events)?;
    Some((simulation, events))
}

fn reach(simulation: &mut Simulation, target: Instant, events: &mut Vec<Event>) -> Option<()> {
    for _ in 0..4_000 {
        let before = simulation.journal().count();
        let reached = simulation.advance_to(target, 1) >= target && simulation.is_complete();
        events.extend(simulation.journal().since(before).map(|(_, event)| *event));
        if reached {
            return Some(());
        }
    }
    None
}

/// Which of these events have to be there at the instant of a loss by that rule.
const fn evidence(loss: Loss) -> &'static [EventKind] {
    match loss {
        Loss::Rejected => &[EventKind::Rejected],
        Loss::DroppedNew => &[EventKind::DroppedNew],
        Loss::DroppedOldest => &[EventKind::DroppedOldest],
        Loss::Expired => &[EventKind::Expired],
        Loss::RetentionOver => &[EventKind::RetentionOver],
        Loss::Shed => &[EventKind::Shed],
        Loss::Sending => &[EventKind::LostSending],
        Loss::Skipped => &[EventKind::GivenUp],
        Loss::DeliveryLimit | Loss::Circle | Loss::NoRoomAsDeadLetter => &[EventKind::Discarded],
        Loss::CrashAfterAnswer => &[EventKind::ConsumerCrashed, EventKind::Discarded],
        Loss::FailureAfterAnswer => &[EventKind::Failed, EventKind::Discarded],
        Loss::TooLate => &[EventKind::SkippedLate],
        Loss::Call => &[EventKind::CallFailed],
        Loss::ThrownAway | Loss::Unread | Loss::DeadLetterDeleted => &[],
    }
}

fn check(seed: u64, run: &AnyRun, id: MessageId, at: Instant, loss: Loss, events: &[Event]) {
    let own = |kind| events.iter().any(|one| (one.at, one.kind, one.message) == (at, kind, id));
    for kind in evidence(loss) {
        assert!(own(*kind), "seed {seed}: message {} at {at}: {loss:?} without {kind:?}", id.number());
    }
    let is_discard = |command: &Command| matches!(command, Command::Discard { .. });
    let scripted = run.scenario.commands().iter().chain(&run.commands);
    let is_thrown = scripted.into_iter().any(|timed| timed.at == at && is_discard(&timed.command));
    assert!(loss != Loss::ThrownAway || is_thrown, "seed {seed}: nobody discarded anything at {at}");
}

#[test]
fn each_reason_for_a_loss_is_the_one_that_the_journal_wrote_down() {
    let (locale, mut reasons) = (Locale::english(), std::collections::BTreeSet::new());
    for seed in 0..250 {
        let run = any_run(seed, SECONDS);
        let Some((simulation, events)) = written(&run) else { continue };
        let mut timeline = Timeline::new(Rc::new(run.scenario.clone()), ());
        timeline.expect(run.commands.clone());
        timeline.seek(run.until);
        for producer in 0..simulation.snapshot().network.producers.len() {
            for number in 1..=simulation.presented(producer).min(MESSAGES_MAX) {
                let Some((mut tracer, _)) = timeline.trace(producer, number) else { continue };
                while tracer.advance(timeline.log(), run.until, 1_000) != Progress::There {}
                for step in tracer.steps() {
                    if let What::Lost(loss) = step.what {
                        check(seed, &run, tracer.id(), step.at, loss, &events);
                        let line = loss_line(loss, "billing", &locale);
                        assert!(!line.starts_with("trace.") && line.ends_with('.'), "{line}");
                        reasons.insert(loss);
                    }
                }
            }
        }
    }
    assert!(reasons.len() >= 10, "only these were met: {reasons:?}");
}

#[test]
fn a_dead_letter_of_a_topic_is_lost_when_it_is_deleted_there_and_not_where_it_came_from() {
    let step = |what| TraceStep { at: Instant::START, what, by: None };
    let place = |topic| StoredAt { topic: TopicIndex(topic), partition: 0, offset: 3 };
    let whole = [
        What::Stored(place(0)),
        What::DeadLettered(None),
        What::Stored(place(1)),
        What::Deleted(place(0)),
        What::Deleted(place(1)),
    ]
    .map(step);
    assert_eq!(whereabouts(&whole[..4]), Some(Whereabouts::DeadLetter));
    assert_eq!(whereabouts(&whole), Some(Whereabouts::Lost(Loss::DeadLetterDeleted)));
    let [stored, died, set_aside, _, deleted] = whole;
    let sent_back = [stored, died, set_aside, step(What::SentBack), deleted];
    assert_eq!(whereabouts(&sent_back), Some(Whereabouts::Waiting));
}

#[test]
fn what_is_done_is_not_called_lost_for_a_copy_of_it() {
    let step = |what| TraceStep { at: Instant::START, what, by: None };
    let lost = What::Lost(Loss::DroppedNew);
    assert_eq!(whereabouts(&[step(What::Done), step(lost)]), Some(Whereabouts::Done));
    assert_eq!(whereabouts(&[step(What::Offered), step(lost)]), Some(Whereabouts::Lost(Loss::DroppedNew)));
    assert_eq!(whereabouts(&[step(What::Offered)]), Some(Whereabouts::WithProducer));
    assert_eq!(whereabouts(&[]), None);
}
