//! Direct calls: a sender calls a consumer and waits for it, with no queue between them.
//!
//! Each message is a call of its own, so the producer's clock goes on. The broker has no part in it,
//! and nothing is delivered again: what fails, fails for the sender.

use super::Simulation;
use super::slots::Source;
use crate::model::broker::QueueIndex;
use crate::model::calls::{CALLERS_MAX, Call, CallStage};
use crate::model::event::EventKind;
use crate::model::message::MessageId;
use crate::model::producer::outbox::CallTimes;
use crate::model::rate::Work;
use crate::model::routes::Supply;
use crate::model::time::{Instant, Span};
use crate::model::work_queue::{ConsumerIndex, Delivery};

impl Simulation {
    /// A producer calls a consumer of the queue that it would send to.
    pub(super) fn call_directly(&mut self, producer: usize, id: MessageId, excess: Work) {
        let Some(queue) = self.producers[producer].target().queue() else { return };
        if !self.has_server(queue) || self.calls.waiting() >= CALLERS_MAX {
            self.count_call(id, Span::ZERO);
            return self.count_failed_call(id);
        }
        let deadline = self.deadline_of_call(producer, id);
        let Some(outbox) = self.producers[producer].outbox_mut() else { return };
        outbox.calls.waiting += 1;
        let until = outbox.rules().call_timeout.map(|timeout| self.now + timeout);
        self.calls.open(Call { until, deadline, ..Call::new(id, queue, self.now) });
        let carried = self.free_server(queue).map(|consumer| {
            let delivery = Delivery::of_call(id, self.now, consumer);
            (consumer, self.excess_for_consumer(producer, &delivery, excess))
        });
        self.serve_callers(queue, carried);
    }

    /// The deadline that the message would have in a queue.
    fn deadline_of_call(&self, producer: usize, id: MessageId) -> Option<Instant> {
        if self.has_deadlines { self.producers[producer].message(id, self.now).deadline() } else { None }
    }

    /// Callers that wait are served while consumers of the queue are free, the one that has waited
    /// longest first. A consumer that starts within the same microsecond has its `carried` work.
    pub(super) fn serve_callers(&mut self, queue: QueueIndex, carried: Option<(ConsumerIndex, Work)>) {
        if self.calls.waiting() == 0 {
            return;
        }
        while let Some(call) = self.calls.next_waiting(queue).copied()
            && let Some(consumer) = self.free_server(queue)
        {
            self.calls.start(call.id);
            if let Some(times) = self.call_times(call.id) {
                times.waiting -= 1;
            }
            self.totals.in_hand += 1;
            let excess = carried.filter(|(other, _)| *other == consumer).map_or(Work::NONE, |(_, work)| work);
            self.begin_call(&call, consumer, excess);
        }
        self.schedule_calls();
    }

    /// The first consumer of the queue that is free for a call.
    pub(in crate::model) fn free_server(&self, queue: QueueIndex) -> Option<ConsumerIndex> {
        let staffs =
            self.staffs.iter().filter(|staff| staff.from == Supply::Queue(queue) && !staff.is_stopped);
        staffs.filter(|staff| staff.gate.is_open()).find_map(|staff| {
            let pool = &staff.pool;
            let is_free = |consumer: &ConsumerIndex| {
                pool.is_wanted(*consumer)
                    && pool.health(*consumer).is_connected()
                    && !pool.has_work(*consumer)
            };
            pool.slots().find(is_free)
        })
    }

    /// Whether a call to the queue's consumers gets through: one is there, busy or not.
    fn has_server(&self, queue: QueueIndex) -> bool {
        let staffs =
            self.staffs.iter().filter(|staff| staff.from == Supply::Queue(queue) && !staff.is_stopped);
        staffs.into_iter().any(|staff| {
            let pool = &staff.pool;
            pool.slots().any(|consumer| pool.is_wanted(consumer) && pool.health(consumer).is_connected())
        })
    }

    /// One sender waits no longer, or finds that nobody is there any more.
    pub(super) fn mind_calls(&mut self) {
        if let Some(call) = self.calls.time_out(self.now) {
            self.totals.calls_timed_out += 1;
            self.journal.record(self.now, EventKind::CallTimedOut, call.id);
            self.count_call(call.id, self.now.since(call.since));
            if call.stage == CallStage::Waiting {
                self.stop_waiting(&call);
            }
        } else if let Some(call) = self.caller_without_server().and_then(|id| self.calls.end(id)) {
            self.count_call(call.id, self.now.since(call.since));
            self.stop_waiting(&call);
        }
        self.schedule_calls();
    }

    fn stop_waiting(&mut self, call: &Call) {
        if let Some(times) = self.call_times(call.id) {
            times.waiting -= 1;
        }
        self.count_failed_call(call.id);
    }

    fn caller_without_server(&self) -> Option<MessageId> {
        let queues = (0..self.broker.queues().len()).map(QueueIndex);
        let calls = queues.filter_map(|queue| self.calls.next_waiting(queue));
        calls.into_iter().find(|call| !self.has_server(call.queue)).map(|call| call.id)
    }

    /// When a sender waits no longer, or finds that nobody is there any more.
    pub(in crate::model) fn calls_due(&self) -> Option<Instant> {
        if self.calls.is_empty() {
            return None;
        }
        let is_refused = self.calls.waiting() > 0 && self.caller_without_server().is_some();
        let refused = is_refused.then_some(self.now);
        refused.into_iter().chain(self.calls.next_timeout()).min()
    }

    pub(super) fn schedule_calls(&mut self) {
        if !self.calls.is_empty() || self.is_scheduled(Source::Calls) {
            let due = self.calls_due();
            self.schedule(Source::Calls, due);
        }
    }

    /// The work on a call failed, or its consumer died. Returns whether the message was called.
    pub(super) fn fail_call(&mut self, id: MessageId) -> bool {
        let was_called = self.end_call(id);
        if was_called {
            self.totals.failed_calls_begun += 1;
            self.count_failed_call(id);
        }
        was_called
    }

    /// The work on a call is over. Returns whether the message was one.
    pub(super) fn end_call(&mut self, id: MessageId) -> bool {
        let Some(call) = self.calls.end(id) else { return false };
        if call.stage != CallStage::Abandoned {
            self.count_call(id, self.now.since(call.since));
        }
        self.schedule_calls();
        true
    }

    fn count_failed_call(&mut self, id: MessageId) {
        self.totals.failed_calls += 1;
        self.journal.record(self.now, EventKind::CallFailed, id);
    }

    fn count_call(&mut self, id: MessageId, waited: Span) {
        if let Some(times) = self.call_times(id) {
            times.ended += 1;
            times.total = times.total + waited;
            times.max = times.max.max(waited);
        }
    }

    fn call_times(&mut self, id: MessageId) -> Option<&mut CallTimes> {
        let sender = self.producers.get_mut(usize::from(id.producer_index()))?;
        Some(&mut sender.outbox_mut()?.calls)
    }
}
