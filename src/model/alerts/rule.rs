//! Alert rules: what a scenario says of them, and what may be changed while it runs.

use super::super::state_hash::StateHasher;
use super::super::time::{LAST_INSTANT, Span};
use super::expression::{Condition, Selector};
use super::metrics::Metric;
use super::parse::NotRead;

/// How often rules are evaluated unless a scenario says otherwise.
pub const EVALUATION_INTERVAL: Span = Span::from_seconds(30);

/// The longest time between two evaluations, in seconds.
pub const INTERVAL_SECONDS_MAX: u64 = 3_600;

/// The most rules of a run.
pub const RULES_MAX: usize = 32;

/// How many evaluations a rule may look back: so many values of each series are kept at most.
pub const WINDOW_EVALUATIONS_MAX: u64 = 2_880;

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertRule {
    /// Its name.
    pub name: String,
    /// Who is called when it fires.
    pub owner: String,
    /// When it holds.
    pub condition: Condition,
    /// For how long that has to be so before it fires (Prometheus `for`).
    pub hold: Span,
    /// How long it goes on firing when the condition is gone (Prometheus `keep_firing_for`).
    pub keep_firing: Span,
}

/// What of a rule is changed; what is none stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleChange {
    /// With what the value is compared, in millionths.
    pub threshold_millionths: Option<i64>,
    /// For how long the condition has to hold.
    pub hold: Option<Span>,
    /// How long it goes on firing.
    pub keep_firing: Option<Span>,
}

/// Why a rule cannot be one of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlertProblem {
    /// Its condition cannot be read.
    NotRead(NotRead),
    /// No metric has this name.
    NoSuchMetric(String),
    /// The metric has no label of this name.
    NoSuchLabel(String),
    /// It looks back over more evaluations than [`WINDOW_EVALUATIONS_MAX`].
    WindowTooLong,
    /// Its name is empty, or another rule has it.
    BadName(String),
    /// There are as many as there may be: [`RULES_MAX`].
    TooMany,
}

/// The rules of a run, and how often they are evaluated: every so many seconds from its start on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertRules {
    interval: Span,
    rules: Vec<AlertRule>,
}

impl Default for AlertRules {
    fn default() -> Self {
        Self { interval: EVALUATION_INTERVAL, rules: Vec::new() }
    }
}

impl AlertRules {
    /// No rules, to be evaluated every so many seconds: 1 to [`INTERVAL_SECONDS_MAX`], or the nearest
    /// of these.
    #[must_use]
    pub fn every_seconds(seconds: u64) -> Self {
        Self { interval: Span::from_seconds(seconds.clamp(1, INTERVAL_SECONDS_MAX)), rules: Vec::new() }
    }

    /// How often they are evaluated.
    #[must_use]
    pub const fn interval(&self) -> Span {
        self.interval
    }

    /// All of them.
    #[must_use]
    pub fn rules(&self) -> &[AlertRule] {
        &self.rules
    }

    /// The place of the rule of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<usize> {
        self.rules.iter().position(|rule| rule.name == name)
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// Says why it cannot be one of them; nothing has changed then.
    pub fn add(&mut self, rule: AlertRule) -> Result<(), AlertProblem> {
        if self.rules.len() >= RULES_MAX {
            return Err(AlertProblem::TooMany);
        }
        if rule.name.is_empty() || self.named(&rule.name).is_some() {
            return Err(AlertProblem::BadName(rule.name));
        }
        check_selector(rule.condition.expression.selector())?;
        if rule.condition.expression.range().micros() > self.interval.micros() * WINDOW_EVALUATIONS_MAX {
            return Err(AlertProblem::WindowTooLong);
        }
        self.rules.push(rule);
        Ok(())
    }
}

fn check_selector(selector: &Selector) -> Result<(), AlertProblem> {
    let Some(metric) = Metric::named(&selector.metric) else {
        return Err(AlertProblem::NoSuchMetric(selector.metric.clone()));
    };
    let mut names = selector.labels.iter().map(|label| &label.name);
    match names.find(|name| !metric.labels().contains(&name.as_str())) {
        Some(unknown) => Err(AlertProblem::NoSuchLabel(unknown.clone())),
        None => Ok(()),
    }
}

impl RuleChange {
    /// Whether a rule can be changed like this: no span is longer than a run may be.
    #[must_use]
    pub fn is_sound(self) -> bool {
        let longest = LAST_INSTANT.since(super::super::time::Instant::START);
        [self.hold, self.keep_firing].into_iter().flatten().all(|span| span <= longest)
    }

    /// Changes a rule.
    pub const fn apply_to(self, rule: &mut AlertRule) {
        if let Some(threshold) = self.threshold_millionths {
            rule.condition.threshold_millionths = threshold;
        }
        if let Some(hold) = self.hold {
            rule.hold = hold;
        }
        if let Some(keep_firing) = self.keep_firing {
            rule.keep_firing = keep_firing;
        }
    }

    /// Feeds it to `hasher`.
    pub fn hash_into(self, hasher: &mut StateHasher) {
        let threshold = self.threshold_millionths.map(i64::cast_unsigned);
        for value in [threshold, self.hold.map(Span::micros), self.keep_firing.map(Span::micros)] {
            hasher.write(u64::from(value.is_some()));
            hasher.write(value.unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn rule(name: &str, condition: &str) -> AlertRule {
        AlertRule {
            name: name.to_owned(),
            owner: "orders".to_owned(),
            condition: parse::condition(condition).expect("it is sound"),
            hold: Span::ZERO,
            keep_firing: Span::ZERO,
        }
    }

    #[test]
    fn a_rule_speaks_of_what_there_is_and_looks_back_no_further_than_values_are_kept() {
        let mut rules = AlertRules::every_seconds(60);
        let mut added = |name: &str, condition: &str| rules.add(rule(name, condition));
        assert_eq!(added("depth", "queue_messages_ready{queue=\"mail\"} > 5"), Ok(()));
        assert_eq!(added("depth", "broker_up == 0"), Err(AlertProblem::BadName("depth".into())));
        assert_eq!(added("", "broker_up == 0"), Err(AlertProblem::BadName(String::new())));
        assert_eq!(added("a", "lag > 5"), Err(AlertProblem::NoSuchMetric("lag".into())));
        let label = "queue_messages_ready{topic=\"mail\"} > 5";
        assert_eq!(added("b", label), Err(AlertProblem::NoSuchLabel("topic".into())));
        assert_eq!(added("c", "deriv(queue_messages_ready[2d]) > 5"), Ok(()));
        assert_eq!(added("d", "deriv(queue_messages_ready[2d1s]) > 5"), Err(AlertProblem::WindowTooLong));
        for number in 2..RULES_MAX {
            assert_eq!(added(&number.to_string(), "broker_up == 0"), Ok(()));
        }
        assert_eq!(added("last", "broker_up == 0"), Err(AlertProblem::TooMany));
    }

    #[test]
    fn the_time_between_evaluations_is_bounded() {
        let seconds = |seconds| AlertRules::every_seconds(seconds).interval();
        assert_eq!([0, 15, 9_999].map(seconds), [1, 15, 3_600].map(Span::from_seconds));
        assert_eq!(AlertRules::default().interval(), EVALUATION_INTERVAL);
    }

    #[test]
    fn what_a_change_does_not_name_stays() {
        let mut changed = rule("depth", "queue_messages_ready > 5");
        RuleChange { hold: Some(Span::from_seconds(60)), ..RuleChange::default() }.apply_to(&mut changed);
        assert_eq!(
            (changed.condition.threshold_millionths, changed.hold),
            (5_000_000, Span::from_seconds(60))
        );
        let negative = RuleChange { threshold_millionths: Some(-1), ..RuleChange::default() };
        negative.apply_to(&mut changed);
        assert_eq!((changed.condition.threshold_millionths, changed.hold), (-1, Span::from_seconds(60)));
        let too_long =
            Some(LAST_INSTANT.since(super::super::super::time::Instant::START) + Span::from_micros(1));
        assert!(negative.is_sound() && !RuleChange { keep_firing: too_long, ..negative }.is_sound());
    }
}
