//! Reading and writing settings of what goes on around the work: starts, crashes, deadlines.

use super::Settings;
use super::access::{optional, span_within, within};
use super::table::Setting;
use super::value::{NONE, Value};

impl Settings {
    pub(super) fn get_consuming(&self, setting: Setting) -> Value {
        match setting {
            Setting::RestartAfter => optional(self.restart_after, Value::Span),
            Setting::ColdStart => Value::Span(self.cold_start),
            Setting::ColdStartCalls => Value::Count(self.cold_start_calls),
            _ => Value::Choice(NONE),
        }
    }

    pub(super) fn set_consuming_number(&mut self, setting: Setting, value: Value) -> bool {
        match (setting, value) {
            (Setting::RestartAfter, Value::Span(span)) => {
                self.restart_after = Some(span_within(setting, span));
            }
            (Setting::ColdStart, Value::Span(span)) => self.cold_start = span_within(setting, span),
            (Setting::ColdStartCalls, Value::Count(count)) => self.cold_start_calls = within(setting, count),
            _ => return false,
        }
        true
    }

    pub(super) fn set_consuming_word(&mut self, setting: Setting, word: &str) -> bool {
        match setting {
            Setting::RestartAfter if word == NONE => self.restart_after = None,
            _ => return false,
        }
        true
    }
}
