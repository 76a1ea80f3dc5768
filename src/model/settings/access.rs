//! Reading and writing settings by name.

use super::choices::{
    Acknowledge, ArrivalPattern, BrokerKind, DeadLetters, Dedupe, DispatchOrder, OverflowPolicy, RetryAt,
    RetryDelay, Returns, ServiceTime,
};
use super::table::{Definition, Kind, Setting};
use super::value::{Limit, NONE, Value};
use super::{BROKER_MEMORY_MAX, Settings};
use crate::model::rate::Rate;
use crate::model::time::Span;

impl Settings {
    /// The value of `setting`.
    #[must_use]
    pub fn get(&self, setting: Setting) -> Value {
        match setting {
            Setting::ProducerRate => Value::Rate(self.producer_rate),
            Setting::ConsumerRate => Value::Rate(self.consumer_rate),
            Setting::ConsumerCount => Value::Count(self.consumer_count),
            Setting::QueueBound => Value::Bound(self.queue_bound),
            Setting::Overflow => Value::Choice(self.overflow.name()),
            Setting::Arrivals => Value::Choice(self.arrivals.name()),
            Setting::BurstSize => Value::Count(self.burst_size),
            Setting::ServiceTime => Value::Choice(self.service_time.name()),
            Setting::MessageWork => Value::Count(self.message_work),
            Setting::MessageBytes => Value::Count(self.message_bytes),
            Setting::MessagePriority => Value::Count(self.message_priority),
            Setting::MessageGroups => Value::Count(self.message_groups),
            Setting::Broker => Value::Choice(self.broker.name()),
            Setting::QueueBoundBytes => optional(self.queue_bound_bytes, Value::Count),
            Setting::Ttl => optional(self.ttl, Value::Span),
            Setting::Retention => self.retention.value(Value::Span),
            Setting::VisibilityTimeout => self.visibility_timeout.value(Value::Span),
            Setting::DeliveryLimit => self.delivery_limit.value(Value::Count),
            Setting::ReturnsTo => Value::Choice(self.returns.name()),
            Setting::Order => Value::Choice(self.order.name()),
            Setting::PriorityLevels => Value::Count(self.priority_levels),
            Setting::DeadLetters => Value::Choice(self.dead_letters.name()),
            Setting::Prefetch => Value::Count(self.prefetch),
            Setting::FailureShare => Value::Share(self.failure_share),
            Setting::PoisonShare => Value::Share(self.poison_share),
            Setting::AttemptsMax => optional(self.attempts_max, Value::Count),
            Setting::AttemptTimeout => optional(self.attempt_timeout, Value::Span),
            Setting::RetryAt => Value::Choice(self.retry_at.name()),
            Setting::RetryDelay => Value::Choice(self.retry_delay.name()),
            Setting::RetryDelayBase => Value::Span(self.retry_delay_base),
            Setting::RetryDelayCap => Value::Span(self.retry_delay_cap),
            Setting::Acknowledge => Value::Choice(self.acknowledge.name()),
            Setting::Dedupe => Value::Choice(self.dedupe.name()),
            Setting::DrainLimit => optional(self.drain_limit, Value::Rate),
            Setting::DownstreamRate => optional(self.downstream_rate, Value::Rate),
            Setting::DownstreamFailureShare => Value::Share(self.downstream_failure_share),
            Setting::CallLayers => Value::Count(self.call_layers),
            Setting::CallAttempts => Value::Count(self.call_attempts),
            Setting::BrokerMemory => Value::Count(self.broker_memory),
            Setting::Seed => Value::Count(self.seed),
        }
    }

    /// Sets `setting` to `value`, clamped into its range. Returns whether the value was of the
    /// setting's kind; nothing changes where it was not.
    pub fn set(&mut self, setting: Setting, value: Value) -> bool {
        match (setting, value) {
            (Setting::ProducerRate, Value::Rate(rate)) => self.producer_rate = rate.min(Rate::MAX),
            (Setting::ConsumerRate, Value::Rate(rate)) => self.consumer_rate = rate.min(Rate::MAX),
            (Setting::ConsumerCount, Value::Count(count)) => self.consumer_count = within(setting, count),
            (Setting::QueueBound, Value::Bound(bound)) => self.queue_bound = bound.at_most(BROKER_MEMORY_MAX),
            (Setting::Overflow, Value::Choice(name)) => {
                return choose(&mut self.overflow, OverflowPolicy::from_name(name));
            }
            (Setting::Arrivals, Value::Choice(name)) => {
                return choose(&mut self.arrivals, ArrivalPattern::from_name(name));
            }
            (Setting::BurstSize, Value::Count(count)) => self.burst_size = within(setting, count),
            (Setting::ServiceTime, Value::Choice(name)) => {
                return choose(&mut self.service_time, ServiceTime::from_name(name));
            }
            (Setting::MessageWork, Value::Count(count)) => self.message_work = within(setting, count),
            (Setting::MessageBytes, Value::Count(count)) => self.message_bytes = within(setting, count),
            (Setting::MessagePriority, Value::Count(count)) => self.message_priority = within(setting, count),
            (Setting::MessageGroups, Value::Count(count)) => self.message_groups = within(setting, count),
            (Setting::Broker, Value::Choice(name)) => {
                return choose(&mut self.broker, BrokerKind::from_name(name));
            }
            (Setting::QueueBoundBytes, Value::Count(count)) => {
                self.queue_bound_bytes = Some(within(setting, count))
            }
            (Setting::QueueBoundBytes, Value::Choice(NONE)) => self.queue_bound_bytes = None,
            (Setting::Ttl, Value::Span(span)) => self.ttl = Some(span_within(setting, span)),
            (Setting::Ttl, Value::Choice(NONE)) => self.ttl = None,
            (Setting::Retention, Value::Span(span)) => self.retention = Limit::At(span_within(setting, span)),
            (Setting::Retention, Value::Choice(word)) => {
                return choose(&mut self.retention, Limit::from_word(word));
            }
            (Setting::VisibilityTimeout, Value::Span(span)) => {
                self.visibility_timeout = Limit::At(span_within(setting, span))
            }
            (Setting::VisibilityTimeout, Value::Choice(word)) => {
                return choose(&mut self.visibility_timeout, Limit::from_word(word));
            }
            (Setting::DeliveryLimit, Value::Count(count)) => {
                self.delivery_limit = Limit::At(within(setting, count))
            }
            (Setting::DeliveryLimit, Value::Choice(word)) => {
                return choose(&mut self.delivery_limit, Limit::from_word(word));
            }
            (Setting::ReturnsTo, Value::Choice(name)) => {
                return choose(&mut self.returns, Returns::from_name(name));
            }
            (Setting::Order, Value::Choice(name)) => {
                return choose(&mut self.order, DispatchOrder::from_name(name));
            }
            (Setting::PriorityLevels, Value::Count(count)) => self.priority_levels = within(setting, count),
            (Setting::DeadLetters, Value::Choice(name)) => {
                return choose(&mut self.dead_letters, DeadLetters::from_name(name));
            }
            (Setting::Prefetch, Value::Count(count)) => self.prefetch = within(setting, count),
            (Setting::FailureShare, Value::Share(share)) => self.failure_share = share.min(1_000_000),
            (Setting::PoisonShare, Value::Share(share)) => self.poison_share = share.min(1_000_000),
            (Setting::AttemptsMax, Value::Count(count)) => self.attempts_max = Some(within(setting, count)),
            (Setting::AttemptsMax, Value::Choice(NONE)) => self.attempts_max = None,
            (Setting::AttemptTimeout, Value::Span(span)) => {
                self.attempt_timeout = Some(span_within(setting, span))
            }
            (Setting::AttemptTimeout, Value::Choice(NONE)) => self.attempt_timeout = None,
            (Setting::RetryAt, Value::Choice(name)) => {
                return choose(&mut self.retry_at, RetryAt::from_name(name));
            }
            (Setting::RetryDelay, Value::Choice(name)) => {
                return choose(&mut self.retry_delay, RetryDelay::from_name(name));
            }
            (Setting::RetryDelayBase, Value::Span(span)) => {
                self.retry_delay_base = span_within(setting, span)
            }
            (Setting::RetryDelayCap, Value::Span(span)) => self.retry_delay_cap = span_within(setting, span),
            (Setting::Acknowledge, Value::Choice(name)) => {
                return choose(&mut self.acknowledge, Acknowledge::from_name(name));
            }
            (Setting::Dedupe, Value::Choice(name)) => {
                return choose(&mut self.dedupe, Dedupe::from_name(name));
            }
            (Setting::DrainLimit, Value::Rate(rate)) => self.drain_limit = Some(rate.min(Rate::MAX)),
            (Setting::DrainLimit, Value::Choice(NONE)) => self.drain_limit = None,
            (Setting::DownstreamRate, Value::Rate(rate)) => self.downstream_rate = Some(rate.min(Rate::MAX)),
            (Setting::DownstreamRate, Value::Choice(NONE)) => self.downstream_rate = None,
            (Setting::DownstreamFailureShare, Value::Share(share)) => {
                self.downstream_failure_share = share.min(1_000_000)
            }
            (Setting::CallLayers, Value::Count(count)) => self.call_layers = within(setting, count),
            (Setting::CallAttempts, Value::Count(count)) => self.call_attempts = within(setting, count),
            (Setting::BrokerMemory, Value::Count(count)) => self.broker_memory = within(setting, count),
            (Setting::Seed, Value::Count(count)) => self.seed = within(setting, count),
            _ => return false,
        }
        true
    }
}

fn optional<T>(value: Option<T>, wrap: impl Fn(T) -> Value) -> Value {
    value.map_or(Value::Choice(NONE), wrap)
}

fn within(setting: Setting, count: u64) -> u64 {
    match Definition::of(setting).kind {
        Kind::Count { min, max } | Kind::CountOr { min, max, .. } => count.clamp(min, max),
        _ => count,
    }
}

fn span_within(setting: Setting, span: Span) -> Span {
    match Definition::of(setting).kind {
        Kind::Seconds { max } | Kind::SecondsOr { max, .. } => span.min(Span::from_seconds(max)),
        _ => span,
    }
}

fn choose<T>(place: &mut T, choice: Option<T>) -> bool {
    let is_known = choice.is_some();
    if let Some(choice) = choice {
        *place = choice;
    }
    is_known
}
