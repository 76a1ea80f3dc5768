//! What commands do to a run.

use super::{QUEUE, Simulation};
use crate::model::command::{Command, TimedCommand};
use crate::model::settings::{Setting, Value};

impl Simulation {
    pub(super) fn apply_due_command(&mut self) -> bool {
        let scripted =
            self.next_scripted_command().filter(|timed| timed.at <= self.now).map(|timed| timed.command);
        let Some(command) = scripted else { return self.apply_waiting_command() };
        self.scripted_commands_done += 1;
        self.carry_out(command);
        true
    }

    pub(super) fn apply_waiting_command(&mut self) -> bool {
        let Some(command) = self.waiting_commands.pop_front() else { return false };
        self.command_log.push(TimedCommand { at: self.now, command });
        self.stats.pass_time(self.now);
        self.carry_out(command);
        if self.is_complete() {
            self.complete_instant();
        }
        true
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Burst { count } => {
                self.producer.add_burst(count);
                self.schedule_producer();
            }
            Command::Set { setting, value } => self.set(setting, value),
        }
    }

    fn set(&mut self, setting: Setting, value: Value) {
        if !self.settings.set(setting, value) {
            return;
        }
        match setting {
            Setting::ProducerRate => self.producer.set_rate(self.now, self.settings.producer_rate),
            Setting::Arrivals | Setting::BurstSize => {
                self.producer.set_arrivals(self.now, self.settings.arrivals, self.settings.burst_size);
            }
            Setting::ConsumerRate => self.set_consumer_rate(),
            Setting::ConsumerCount => self.set_consumer_count(),
            Setting::ServiceTime => self.pool.set_service_time(self.settings.service_time),
            Setting::QueueBound => self.broker.queue_mut(QUEUE).set_bound(self.settings.queue_bound),
            Setting::Overflow => self.broker.queue_mut(QUEUE).set_overflow(self.settings.overflow),
            Setting::BrokerMemory => self.broker.set_memory(self.settings.broker_memory),
            Setting::Seed => {}
        }
        self.schedule_trim();
        self.schedule_producer();
        self.release_producer();
    }

    fn set_consumer_rate(&mut self) {
        self.pool.set_rate(self.now, self.settings.consumer_rate);
        for consumer in self.pool.slots() {
            self.agenda.set(consumer.0, self.pool.finish_at(consumer));
        }
    }

    fn set_consumer_count(&mut self) {
        let before = self.pool.clone();
        self.pool.set_count(self.settings.consumer_count);
        for consumer in before.slots().filter(|consumer| before.job(*consumer).is_none()) {
            let queue = self.broker.queue_mut(QUEUE);
            match (before.is_wanted(consumer), self.pool.is_wanted(consumer)) {
                (false, true) => queue.subscribe(consumer, Some(1)),
                (true, false) => queue.unsubscribe(consumer),
                _ => {}
            }
        }
        self.dispatch(None);
    }
}
