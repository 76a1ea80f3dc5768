//! Autoscalers at work: what they see, and what follows.

use super::Simulation;
use super::slots::Source;
use crate::model::autoscaler::{Autoscaler, Reading, ScaleTarget, Usage};
use crate::model::consumer::{ConsumerPool, Health, Stage};
use crate::model::event::EventKind;
use crate::model::message::MessageId;
use crate::model::routes::Supply;
use crate::model::state_hash::StateHasher;
use crate::model::time::Instant;

/// How the time of a pool's consumers went.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    since: Instant,
    usage: Usage,
}

impl Meter {
    /// Time has come to `now`: the consumers were until here as they are in `pool`.
    fn pass_time(&mut self, now: Instant, pool: &ConsumerPool) {
        let micros = now.since(self.since).micros();
        self.since = now;
        if micros == 0 {
            return;
        }
        for consumer in pool.slots().filter(|consumer| pool.is_wanted(*consumer)) {
            let health = pool.health(consumer);
            let works = pool.job(consumer).is_some_and(|job| matches!(job.stage, Stage::Working { .. }));
            self.usage.working += if works && health == Health::Up { micros } else { 0 };
            self.usage.ready += if health.is_connected() { micros } else { 0 };
            self.usage.starting += if health == Health::Starting { micros } else { 0 };
        }
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        let Usage { working, ready, starting } = self.usage;
        for value in [self.since.micros(), working, ready, starting] {
            hasher.write(value);
        }
    }
}

impl Simulation {
    /// Time has come to now, for all pools whose time is measured.
    pub(super) fn run_meters(&mut self) {
        for staff in &mut self.staffs {
            if let Some(meter) = staff.meter.as_mut() {
                meter.pass_time(self.now, &staff.pool);
            }
        }
    }

    /// A pool has an autoscaler exactly while its rules ask for one and there may be anybody.
    pub(super) fn set_scaler(&mut self, pool: usize) {
        let staff = &self.staffs[pool];
        if !staff.is_awaited && (staff.handling.scale.is_some() || staff.scaler.is_some()) {
            self.renew_scaler(pool);
        }
    }

    #[inline(never)]
    fn renew_scaler(&mut self, pool: usize) {
        let (now, staff) = (self.now, &mut self.staffs[pool]);
        match (staff.handling.scale, staff.scaler.as_mut()) {
            (Some(rules), Some(scaler)) => scaler.set_rules(now, rules),
            (Some(rules), None) => staff.scaler = Some(Autoscaler::new(now, rules, staff.pool.count())),
            (None, _) => staff.scaler = None,
        }
        let is_measured =
            staff.handling.scale.is_some_and(|rules| matches!(rules.target, ScaleTarget::Cpu(_)));
        if is_measured != staff.meter.is_some() {
            staff.meter = is_measured.then_some(Meter { since: now, usage: Usage::default() });
        }
        self.has_meters = self.staffs.iter().any(|staff| staff.meter.is_some());
        self.schedule_scaler(pool);
    }

    fn schedule_scaler(&mut self, pool: usize) {
        let next = self.staffs[pool].scaler.as_ref().map(Autoscaler::next_look);
        self.schedule(Source::Scaler(pool), next);
    }

    /// The autoscaler of a pool looks at it.
    pub(super) fn scale(&mut self, pool: usize) {
        let reading = self.reading(pool);
        let staff = &mut self.staffs[pool];
        if let Some(meter) = staff.meter.as_mut() {
            meter.usage = Usage::default();
        }
        let Some(scaler) = staff.scaler.as_mut() else { return };
        let wanted = scaler.look(self.now, &reading).wanted;
        self.schedule_scaler(pool);
        if wanted == reading.count {
            return;
        }
        let kind = if wanted > reading.count { EventKind::ScaledUp } else { EventKind::ScaledDown };
        let name = MessageId::new(u16::try_from(pool).unwrap_or_default(), wanted);
        self.journal.record(self.now, kind, name);
        self.set_consumer_count(pool, wanted);
        self.release_producers();
    }

    fn reading(&self, pool: usize) -> Reading {
        let staff = &self.staffs[pool];
        let wanted = staff.pool.slots().filter(|consumer| staff.pool.is_wanted(*consumer));
        Reading {
            count: staff.pool.count(),
            there: wanted.filter(|consumer| staff.pool.health(*consumer) != Health::Down).count() as u64,
            backlog: match staff.from {
                Supply::Queue(queue) => self.broker.queue(queue).ready().len(),
                Supply::Group(group) => {
                    let logs = &self.broker.logs;
                    logs.group(group).offsets().lag_sum(logs.log_of(group))
                }
            },
            time: staff.meter.map(|meter| meter.usage).unwrap_or_default(),
        }
    }
}
