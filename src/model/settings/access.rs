//! Reading and writing settings by name.

use super::choices::{
    Acknowledge, ArrivalPattern, BrokerKind, Confirms, DeadLetters, Dedupe, DispatchOrder, OverflowPolicy,
    RetryAt, RetryDelay, Returns, SendPath, ServiceTime, Switch,
};
use super::setting::Setting;
use super::table::{Definition, Kind};
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
            Setting::DeadLetterRetention => self.dead_letter_retention.value(Value::Span),
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
            Setting::SingleActive => Value::Choice(self.single_active.name()),
            Setting::BrokerDisk => optional(self.broker_disk, Value::Count),
            Setting::Confirms => Value::Choice(self.confirms.name()),
            Setting::ConfirmLoss => Value::Share(self.confirm_loss_share),
            Setting::ConfirmTimeout => Value::Span(self.confirm_timeout),
            Setting::SendAttempts => optional(self.send_attempts_max, Value::Count),
            Setting::UnconfirmedMax => Value::Count(self.unconfirmed_max),
            Setting::ShedAbove => optional(self.shed_above, Value::Count),
            Setting::ShedShare => Value::Share(self.shed_share),
            Setting::ShapeLimit => optional(self.shape_limit, Value::Rate),
            Setting::SendPath => Value::Choice(self.send_path.name()),
            Setting::CallTimeout => optional(self.call_timeout, Value::Span),
            _ => self.get_consuming(setting),
        }
    }

    /// Sets `setting` to `value`, clamped into its range. Returns whether the value was of the
    /// setting's kind; nothing changes where it was not.
    pub fn set(&mut self, setting: Setting, value: Value) -> bool {
        // Those of the first screen, which loads nothing for the others.
        match (setting, value) {
            (Setting::ProducerRate, Value::Rate(rate)) => self.producer_rate = rate.min(Rate::MAX),
            (Setting::ConsumerRate, Value::Rate(rate)) => self.consumer_rate = rate.min(Rate::MAX),
            (Setting::ConsumerCount, Value::Count(count)) => self.consumer_count = within(setting, count),
            (Setting::QueueBound, Value::Bound(bound)) => self.queue_bound = bound.at_most(BROKER_MEMORY_MAX),
            (Setting::Seed, Value::Count(count)) => self.seed = within(setting, count),
            _ => return self.set_further(setting, value),
        }
        true
    }

    #[inline(never)]
    fn set_further(&mut self, setting: Setting, value: Value) -> bool {
        match value {
            Value::Choice(name) => self.set_word(setting, name),
            _ => self.set_number(setting, value),
        }
    }

    fn set_number(&mut self, setting: Setting, value: Value) -> bool {
        match (setting, value) {
            (Setting::BurstSize, Value::Count(count)) => self.burst_size = within(setting, count),
            (Setting::MessageWork, Value::Count(count)) => self.message_work = within(setting, count),
            (Setting::MessageBytes, Value::Count(count)) => self.message_bytes = within(setting, count),
            (Setting::MessagePriority, Value::Count(count)) => self.message_priority = within(setting, count),
            (Setting::MessageGroups, Value::Count(count)) => self.message_groups = within(setting, count),
            (Setting::QueueBoundBytes, Value::Count(count)) => {
                self.queue_bound_bytes = Some(within(setting, count))
            }
            (Setting::Ttl, Value::Span(span)) => self.ttl = Some(span_within(setting, span)),
            (Setting::Retention, Value::Span(span)) => self.retention = Limit::At(span_within(setting, span)),
            (Setting::DeadLetterRetention, Value::Span(span)) => {
                self.dead_letter_retention = Limit::At(span_within(setting, span))
            }
            (Setting::VisibilityTimeout, Value::Span(span)) => {
                self.visibility_timeout = Limit::At(span_within(setting, span))
            }
            (Setting::DeliveryLimit, Value::Count(count)) => {
                self.delivery_limit = Limit::At(within(setting, count))
            }
            (Setting::PriorityLevels, Value::Count(count)) => self.priority_levels = within(setting, count),
            (Setting::Prefetch, Value::Count(count)) => self.prefetch = within(setting, count),
            (Setting::FailureShare, Value::Share(share)) => self.failure_share = share.min(1_000_000),
            (Setting::PoisonShare, Value::Share(share)) => self.poison_share = share.min(1_000_000),
            (Setting::AttemptsMax, Value::Count(count)) => self.attempts_max = Some(within(setting, count)),
            (Setting::AttemptTimeout, Value::Span(span)) => {
                self.attempt_timeout = Some(span_within(setting, span))
            }
            (Setting::RetryDelayBase, Value::Span(span)) => {
                self.retry_delay_base = span_within(setting, span)
            }
            (Setting::RetryDelayCap, Value::Span(span)) => self.retry_delay_cap = span_within(setting, span),
            (Setting::DrainLimit, Value::Rate(rate)) => self.drain_limit = Some(rate.min(Rate::MAX)),
            (Setting::DownstreamRate, Value::Rate(rate)) => self.downstream_rate = Some(rate.min(Rate::MAX)),
            (Setting::DownstreamFailureShare, Value::Share(share)) => {
                self.downstream_failure_share = share.min(1_000_000)
            }
            (Setting::CallLayers, Value::Count(count)) => self.call_layers = within(setting, count),
            (Setting::CallAttempts, Value::Count(count)) => self.call_attempts = within(setting, count),
            (Setting::BrokerMemory, Value::Count(count)) => self.broker_memory = within(setting, count),
            (Setting::BrokerDisk, Value::Count(count)) => self.broker_disk = Some(within(setting, count)),
            (Setting::ConfirmLoss, Value::Share(share)) => self.confirm_loss_share = share.min(1_000_000),
            (Setting::ConfirmTimeout, Value::Span(span)) => self.confirm_timeout = span_within(setting, span),
            (Setting::SendAttempts, Value::Count(count)) => {
                self.send_attempts_max = Some(within(setting, count))
            }
            (Setting::UnconfirmedMax, Value::Count(count)) => self.unconfirmed_max = within(setting, count),
            (Setting::ShedAbove, Value::Count(count)) => self.shed_above = Some(within(setting, count)),
            (Setting::ShedShare, Value::Share(share)) => self.shed_share = share.min(1_000_000),
            (Setting::ShapeLimit, Value::Rate(rate)) => self.shape_limit = Some(rate.min(Rate::MAX)),
            (Setting::CallTimeout, Value::Span(span)) => self.call_timeout = Some(span_within(setting, span)),
            _ => return self.set_consuming_number(setting, value),
        }
        true
    }

    #[inline(never)]
    fn set_word(&mut self, setting: Setting, word: &str) -> bool {
        match setting {
            Setting::Overflow => {
                return choose(&mut self.overflow, OverflowPolicy::from_name(word));
            }
            Setting::Arrivals => {
                return choose(&mut self.arrivals, ArrivalPattern::from_name(word));
            }
            Setting::ServiceTime => {
                return choose(&mut self.service_time, ServiceTime::from_name(word));
            }
            Setting::Broker => {
                return choose(&mut self.broker, BrokerKind::from_name(word));
            }
            Setting::QueueBoundBytes if word == NONE => self.queue_bound_bytes = None,
            Setting::Ttl if word == NONE => self.ttl = None,
            Setting::Retention | Setting::DeadLetterRetention => {
                let is_of_all = setting == Setting::Retention;
                let kept = if is_of_all { &mut self.retention } else { &mut self.dead_letter_retention };
                return choose(kept, Limit::from_word(word));
            }
            Setting::VisibilityTimeout => {
                return choose(&mut self.visibility_timeout, Limit::from_word(word));
            }
            Setting::DeliveryLimit => {
                return choose(&mut self.delivery_limit, Limit::from_word(word));
            }
            Setting::ReturnsTo => {
                return choose(&mut self.returns, Returns::from_name(word));
            }
            Setting::Order => {
                return choose(&mut self.order, DispatchOrder::from_name(word));
            }
            Setting::DeadLetters => {
                return choose(&mut self.dead_letters, DeadLetters::from_name(word));
            }
            Setting::AttemptsMax if word == NONE => self.attempts_max = None,
            Setting::AttemptTimeout if word == NONE => self.attempt_timeout = None,
            Setting::RetryAt => {
                return choose(&mut self.retry_at, RetryAt::from_name(word));
            }
            Setting::RetryDelay => {
                return choose(&mut self.retry_delay, RetryDelay::from_name(word));
            }
            Setting::Acknowledge => {
                return choose(&mut self.acknowledge, Acknowledge::from_name(word));
            }
            Setting::Dedupe => {
                return choose(&mut self.dedupe, Dedupe::from_name(word));
            }
            Setting::DrainLimit if word == NONE => self.drain_limit = None,
            Setting::DownstreamRate if word == NONE => self.downstream_rate = None,
            Setting::SingleActive => {
                return choose(&mut self.single_active, Switch::from_name(word));
            }
            Setting::BrokerDisk if word == NONE => self.broker_disk = None,
            Setting::Confirms => {
                return choose(&mut self.confirms, Confirms::from_name(word));
            }
            Setting::SendAttempts if word == NONE => self.send_attempts_max = None,
            Setting::ShedAbove if word == NONE => self.shed_above = None,
            Setting::ShapeLimit if word == NONE => self.shape_limit = None,
            Setting::SendPath => {
                return choose(&mut self.send_path, SendPath::from_name(word));
            }
            Setting::CallTimeout if word == NONE => self.call_timeout = None,
            _ => return self.set_consuming_word(setting, word),
        }
        true
    }
}

pub(super) fn optional<T>(value: Option<T>, wrap: impl Fn(T) -> Value) -> Value {
    value.map_or(Value::Choice(NONE), wrap)
}

pub(super) fn within(setting: Setting, count: u64) -> u64 {
    match Definition::of(setting).kind {
        Kind::Count { min, max } | Kind::CountOr { min, max, .. } => count.clamp(min, max),
        _ => count,
    }
}

pub(super) fn span_within(setting: Setting, span: Span) -> Span {
    match Definition::of(setting).kind {
        Kind::Seconds { max } | Kind::SecondsOr { max, .. } => span.min(Span::from_seconds(max)),
        _ => span,
    }
}

pub(super) fn choose<T>(place: &mut T, choice: Option<T>) -> bool {
    let is_known = choice.is_some();
    if let Some(choice) = choice {
        *place = choice;
    }
    is_known
}
