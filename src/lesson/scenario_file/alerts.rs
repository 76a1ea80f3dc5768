//! The alert rules of a scenario file.

use super::{FileProblem, Reader, Wanted, item, plain_text, within};
use crate::json::{self, Fields, Json};
use crate::model::alerts::rule::{AlertProblem, INTERVAL_SECONDS_MAX, RULES_MAX};
use crate::model::alerts::{AlertRule, AlertRules, RuleChange, parse};
use crate::model::command::Command;
use crate::model::time::{LAST_INSTANT, Span};

/// The fields of a rule, in the order of the document; the first three must be there.
pub const FIELDS: [&str; 5] = ["name", "owner", "when", "for_seconds", "keep_firing_seconds"];

impl Reader {
    pub(super) fn alerts(&mut self, fields: &Fields) {
        if let Some(value) = json::field(fields, "alert_interval_seconds")
            && let Some(seconds) = self.count("alert_interval_seconds", value, 1, INTERVAL_SECONDS_MAX)
        {
            self.alerts = AlertRules::every_seconds(seconds);
        }
        let Some(list) = self.list("alerts", json::field(fields, "alerts")) else { return };
        for (index, entry) in list.iter().take(RULES_MAX + 1).enumerate() {
            let place = item("alerts", index);
            if let Some(fields) = self.object(&place, Some(entry)) {
                self.alert(&place, fields);
            }
        }
    }

    fn alert(&mut self, place: &str, fields: &Fields) {
        for (name, value) in fields.iter().filter(|(name, _)| !FIELDS.contains(&name.as_str())) {
            self.note(&within(place, name), value, FileProblem::UnknownField);
        }
        let [name, owner, when] =
            ["name", "owner", "when"].map(|field| self.wanted_text(place, fields, field));
        let hold = self.seconds(place, fields, "for_seconds").unwrap_or_default();
        let keep_firing = self.seconds(place, fields, "keep_firing_seconds").unwrap_or_default();
        let (Some(name), Some(owner), Some(when)) = (name, owner, when) else { return };
        let added = match parse::condition(&when) {
            Ok(condition) => self.alerts.add(AlertRule { name, owner, condition, hold, keep_firing }),
            Err(problem) => Err(AlertProblem::NotRead(problem)),
        };
        if let Err(problem) = added {
            let (field, found) = match problem {
                AlertProblem::TooMany => ("", Json::Null),
                AlertProblem::BadName(_) => (".name", Json::Null),
                _ => (".when", Json::Text(when)),
            };
            self.note(&[place, field].concat(), &found, FileProblem::Alert(problem));
        }
    }

    pub(super) fn set_alert_rule(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let named = json::field(fields, "alert");
        let rule = match named {
            None if !self.alerts.rules().is_empty() => Some(0),
            None => None,
            Some(value) => value.as_text().and_then(|name| self.alerts.named(name)),
        };
        let Some(rule) = rule else {
            self.note(&within(place, "alert"), named.unwrap_or(&Json::Null), FileProblem::NoSuchAlert);
            return None;
        };
        let change = RuleChange {
            threshold_millionths: self.threshold(place, fields),
            hold: self.seconds(place, fields, "for_seconds"),
            keep_firing: self.seconds(place, fields, "keep_firing_seconds"),
        };
        Some(Command::SetAlertRule { rule: u16::try_from(rule).unwrap_or(u16::MAX), change })
    }

    /// A number with at most six decimals, in millionths.
    fn threshold(&mut self, place: &str, fields: &Fields) -> Option<i64> {
        let place = within(place, "threshold");
        let value = json::field(fields, "threshold")?;
        let text = plain_text(value).unwrap_or_default();
        let (sign, digits) = text.strip_prefix('-').map_or((1, text.as_str()), |digits| (-1, digits));
        let most = i64::MAX.unsigned_abs();
        let millionths = self.number(&place, &Json::Text(digits.to_owned()), 6, 0, most)?;
        i64::try_from(millionths).ok().map(|millionths| sign * millionths)
    }

    fn seconds(&mut self, place: &str, fields: &Fields, field: &str) -> Option<Span> {
        let value = json::field(fields, field)?;
        self.count(&within(place, field), value, 0, LAST_INSTANT.whole_seconds()).map(Span::from_seconds)
    }

    fn wanted_text(&mut self, place: &str, fields: &Fields, field: &str) -> Option<String> {
        let place = within(place, field);
        if json::field(fields, field).is_none() {
            self.note(&place, &Json::Null, FileProblem::WrongType(Wanted::Text));
        }
        self.text(&place, json::field(fields, field))
    }
}
