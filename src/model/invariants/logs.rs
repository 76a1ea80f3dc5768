//! What must hold of topics and groups.

use super::super::agenda::Agenda;
use super::super::routes::{GroupIndex, TopicIndex};
use super::super::simulation::{Simulation, Source};
use super::Violation;

/// How many records a topic may store that is looked through at every instant.
const LOOKED_THROUGH: u64 = 20_000;

pub(super) fn check(simulation: &Simulation, violations: &mut Vec<Violation>) {
    for (topic, log) in simulation.broker.logs.topics().iter().enumerate() {
        let topic = TopicIndex(topic);
        let is_short = log.held() <= LOOKED_THROUGH;
        let problems = is_short.then(|| log.problems()).into_iter().flatten();
        violations.extend(problems.map(|(partition, problem)| Violation::LogIsWrong {
            topic,
            partition,
            problem,
        }));
        // It may look in vain: what it was to delete may have been rolled off before.
        let is_due = log.next_expiry(simulation.now()).is_some();
        if is_due && !simulation.is_scheduled(Source::Retention(topic)) {
            violations.push(Violation::ClockDiffers(Source::Retention(topic)));
        }
    }
    for group in (0..simulation.broker.logs.groups().len()).map(GroupIndex) {
        check_group(simulation, group, violations);
    }
}

/// Every record that the group's committed offsets have passed is counted once, what is out is in the
/// hands of its partition's reader, and no reader is idle while it has something to read.
fn check_group(simulation: &Simulation, group: GroupIndex, violations: &mut Vec<Violation>) {
    let reading = simulation.broker.logs.group(group);
    let staff = &simulation.staffs[simulation.pool_of_group(group)];
    let (moved_on, counted) = (reading.moved_on(), reading.counts().all() - reading.counts().sent_back);
    if moved_on != counted {
        violations.push(Violation::GroupDoesNotBalance { group, moved_on, counted });
    }
    let in_hand = staff.pool.jobs().filter(|job| job.is_acknowledged).count() as u64;
    if in_hand != reading.counts().in_hand {
        let counted = reading.counts().in_hand;
        violations.push(Violation::CountDiffers { what: "in_hand", counted, held: in_hand });
    }
    let lost = reading.holders().filter(|(tag, consumer)| !staff.pool.has_in_hand(*consumer, *tag));
    violations.extend(lost.map(|(_, consumer)| Violation::RecordInNoHand(consumer.0)));
    let takes = |consumer| staff.takes_records(consumer);
    let log = simulation.broker.logs.log_of(group);
    if simulation.is_broker_up && reading.could_give(simulation.now(), log, takes) {
        violations.push(Violation::MemberIdleWhileRecordsWait(group));
    }
    if let Some(partition) = reading.wrongly_listed(simulation.now(), log) {
        violations.push(Violation::WronglyListed { group, partition });
    }
    if let Some(partition) = reading.overtaken() {
        violations.push(Violation::KeyOvertaken { group, partition });
    }
    if simulation.due(Source::Group(group)) != simulation.group_due(group).map(Agenda::standing) {
        violations.push(Violation::ClockDiffers(Source::Group(group)));
    }
}
