//! Poison and dead letters, as a snapshot names them.

use super::super::broker::QueueIndex;
use super::super::consumer::{Health, Job};
use super::super::message::MessageId;
use super::super::settings::ServiceTime;
use super::super::simulation::{QUEUE, Simulation};
use super::super::snapshot::failures::{FailuresSnapshot, LOOKED_AT_MAX, PoisonInLine, RedriveSnapshot};
use super::super::time::Span;

impl Simulation {
    pub(super) fn failures_snapshot(&self) -> FailuresSnapshot {
        let kept_in = self.broker.dead_letters_to(QUEUE);
        let place = kept_in.unwrap_or(self.dead_letter_queue);
        FailuresSnapshot {
            poisoned: self.fates.poisoned(),
            is_fixed: self.fates.is_fixed(),
            attempts_max: self.staffs[0].handling.retry.attempts.count(),
            keeps_dead_letters: kept_in.is_some(),
            dead_letter_queue: self.queue_name(place),
            dead_letters: self.broker.queue(place).ready().len(),
            next_deleted_in: self.next_deleted_in(place),
            redrive: self.redrive_snapshot(place),
            in_line: if self.has_poison() { self.poison_in_line() } else { Vec::new() },
        }
    }

    fn next_deleted_in(&self, queue: QueueIndex) -> Option<Span> {
        let queue = Some(self.broker.queue(queue)).filter(|queue| !queue.ready().is_empty())?;
        Some(queue.next_kept_until()?.since(self.now()))
    }

    fn redrive_snapshot(&self, from: QueueIndex) -> Option<RedriveSnapshot> {
        let redrive = self.broker.redrive_of(from).filter(|redrive| !redrive.has_moved_all())?;
        Some(RedriveSnapshot { moved: redrive.moved, to_move: redrive.to_move, rate: redrive.rate })
    }

    /// Whether any message may fail for being poison.
    fn has_poison(&self) -> bool {
        !self.fates.is_fixed() && (self.fates.poisoned() > 0 || self.poison_share() > 0)
    }

    fn poison_share(&self) -> u32 {
        self.staffs[0].handling.failures.poison
    }

    /// Whether every attempt at the message fails, as things stand.
    fn fails_every_time(&self, id: MessageId) -> bool {
        self.has_poison() && self.fates.is_poison(id, self.poison_share())
    }

    /// Whether the attempt that a consumer is at fails because its message is poison.
    pub(super) fn is_at_poison(&self, job: &Job) -> bool {
        !job.is_skipped && self.fails_every_time(job.id)
    }

    #[inline(never)]
    fn poison_in_line(&self) -> Vec<PoisonInLine> {
        let can_tell = self.can_tell_when_started();
        let line = self.broker.queue(QUEUE).ready();
        let places = (0_u64..).zip(line.iter().take(LOOKED_AT_MAX));
        let poison = places.filter(|(_, message)| self.fails_every_time(message.id));
        let role = self.pool().role();
        let entry = poison.enumerate().map(|(before, (place, message))| PoisonInLine {
            place,
            number: message.id.number(),
            attempts: self.records.get(message.id, role).map_or(0, |record| record.starts),
            starts_in: if can_tell && before == 0 { self.newcomer_wait_fixed(place) } else { None },
        });
        entry.collect()
    }

    /// Whether the consumers take turns as their rates alone say: each is up and at something that will
    /// be finished.
    fn can_tell_when_started(&self) -> bool {
        let is_steady = |job: &Job| !self.is_at_poison(job);
        let handling = &self.staffs[0].handling;
        let wanted = self.pool().slots().filter(|consumer| self.pool().is_wanted(*consumer));
        let mut states = wanted.map(|consumer| (self.pool().health(consumer), self.pool().job(consumer)));
        self.is_broker_up
            && !self.staffs[0].is_stopped
            && handling.is_plain()
            && handling.failures.transient == 0
            && self.downstream.is_none()
            && self.pool().service_time() == ServiceTime::Fixed
            && states.all(|(health, job)| health == Health::Up && job.is_some_and(is_steady))
    }
}
