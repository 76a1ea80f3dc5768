//! Reading and writing settings of what goes on around the work: starts, crashes, deadlines.

use super::Settings;
use super::access::{choose, optional, span_within, within};
use super::choices::{Autoscale, LateMessages, RetryBudgetKind};
use super::setting::Setting;
use super::value::{NONE, Value};

impl Settings {
    pub(super) fn get_consuming(&self, setting: Setting) -> Value {
        match setting {
            Setting::RestartAfter => optional(self.restart_after, Value::Span),
            Setting::ColdStart => Value::Span(self.cold_start),
            Setting::ColdStartCalls => Value::Count(self.cold_start_calls),
            Setting::Autoscale => Value::Choice(self.autoscale.name()),
            Setting::ConsumerCountMin => Value::Count(self.consumer_count_min),
            Setting::ConsumerCountMax => Value::Count(self.consumer_count_max),
            Setting::AutoscaleBacklog => Value::Count(self.autoscale_backlog),
            Setting::AutoscaleUtilisation => Value::Share(self.autoscale_utilisation),
            Setting::AutoscaleInterval => Value::Span(self.autoscale_interval),
            Setting::ScaleDownWindow => Value::Span(self.scale_down_window),
            Setting::Deadline => optional(self.deadline, Value::Span),
            Setting::LateMessages => Value::Choice(self.late_messages.name()),
            Setting::WrongShare => Value::Share(self.wrong_share),
            Setting::ReceiveBatch => Value::Count(self.receive_batch),
            Setting::BatchCost => Value::Span(self.batch_cost),
            Setting::RetryBudget => Value::Choice(self.retry_budget.name()),
            _ => self.get_logging(setting),
        }
    }

    pub(super) fn set_consuming_number(&mut self, setting: Setting, value: Value) -> bool {
        match (setting, value) {
            (Setting::RestartAfter, Value::Span(span)) => {
                self.restart_after = Some(span_within(setting, span));
            }
            (Setting::ColdStart, Value::Span(span)) => self.cold_start = span_within(setting, span),
            (Setting::ColdStartCalls, Value::Count(count)) => self.cold_start_calls = within(setting, count),
            (Setting::ConsumerCountMin, Value::Count(count)) => {
                self.consumer_count_min = within(setting, count);
            }
            (Setting::ConsumerCountMax, Value::Count(count)) => {
                self.consumer_count_max = within(setting, count);
            }
            (Setting::AutoscaleBacklog, Value::Count(count)) => {
                self.autoscale_backlog = within(setting, count);
            }
            (Setting::AutoscaleUtilisation, Value::Share(share)) => {
                self.autoscale_utilisation = share.min(1_000_000);
            }
            (Setting::AutoscaleInterval, Value::Span(span)) => {
                self.autoscale_interval = span_within(setting, span);
            }
            (Setting::ScaleDownWindow, Value::Span(span)) => {
                self.scale_down_window = span_within(setting, span);
            }
            (Setting::Deadline, Value::Span(span)) => self.deadline = Some(span_within(setting, span)),
            (Setting::WrongShare, Value::Share(share)) => self.wrong_share = share.min(1_000_000),
            (Setting::ReceiveBatch, Value::Count(count)) => self.receive_batch = within(setting, count),
            (Setting::BatchCost, Value::Span(span)) => self.batch_cost = span_within(setting, span),
            _ => return self.set_logging_number(setting, value),
        }
        true
    }

    pub(super) fn set_consuming_word(&mut self, setting: Setting, word: &str) -> bool {
        match setting {
            Setting::RestartAfter if word == NONE => self.restart_after = None,
            Setting::Deadline if word == NONE => self.deadline = None,
            Setting::RetryBudget => {
                return choose(&mut self.retry_budget, RetryBudgetKind::from_name(word));
            }
            Setting::LateMessages => {
                return choose(&mut self.late_messages, LateMessages::from_name(word));
            }
            Setting::Autoscale => return choose(&mut self.autoscale, Autoscale::from_name(word)),
            _ => return self.set_logging_word(setting, word),
        }
        true
    }
}
