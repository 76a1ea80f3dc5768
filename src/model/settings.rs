//! The settings of a run, and the one table that links, attributes, scenario files and dials are
//! made from.

mod choices;

pub use choices::{ArrivalPattern, OverflowPolicy, ServiceTime};

use super::decimal::{self, Adjusted};
use super::rate::Rate;

/// How many messages may wait in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// At most so many: 0 to 4,000,000. 0 hands over only to a free consumer.
    Messages(u64),
    /// No bound: until the broker's memory is full.
    None,
}

/// The most messages the model holds in all, and the default of `broker_memory_messages`.
pub const BROKER_MEMORY_MAX: u64 = 4_000_000;

/// The most messages one burst may bring.
pub const BURST_MAX: u64 = 4_000_000;

/// The most consumers of one queue.
pub const CONSUMERS_MAX: u64 = 64;

/// The largest seed: every whole number up to here is exact in JSON and JavaScript (2⁵³ − 1).
pub const SEED_MAX: u64 = (1 << 53) - 1;

/// All settings of a run with one producer, one queue and one pool of consumers. Every value is
/// within its range; [`Definition::read`] is the only way in for values from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Messages a second that the producer wants to send.
    pub producer_rate: Rate,
    /// How arrivals are spaced.
    pub arrivals: ArrivalPattern,
    /// Messages that arrive together where arrivals come in bursts: 1 to 10,000.
    pub burst_size: u64,
    /// Messages a second that each consumer finishes.
    pub consumer_rate: Rate,
    /// Consumers: 1 to 64.
    pub consumer_count: u64,
    /// How long one message takes.
    pub service_time: ServiceTime,
    /// How many messages may wait.
    pub queue_bound: Bound,
    /// What happens at the bound.
    pub overflow: OverflowPolicy,
    /// Messages the broker holds, waiting and in flight, before its memory alarm blocks
    /// publishers: 1 to 4,000,000.
    pub broker_memory: u64,
    /// The seed of all draws: 0 to 2⁵³ − 1.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            producer_rate: Rate::from_per_second(6),
            arrivals: ArrivalPattern::Steady,
            burst_size: 10,
            consumer_rate: Rate::from_per_second(6),
            consumer_count: 1,
            service_time: ServiceTime::Fixed,
            queue_bound: Bound::Messages(60),
            overflow: OverflowPolicy::DropNew,
            broker_memory: BROKER_MEMORY_MAX,
            seed: 1,
        }
    }
}

/// The settings by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// [`Settings::producer_rate`]
    ProducerRate,
    /// [`Settings::arrivals`]
    Arrivals,
    /// [`Settings::burst_size`]
    BurstSize,
    /// [`Settings::consumer_rate`]
    ConsumerRate,
    /// [`Settings::consumer_count`]
    ConsumerCount,
    /// [`Settings::service_time`]
    ServiceTime,
    /// [`Settings::queue_bound`]
    QueueBound,
    /// [`Settings::overflow`]
    Overflow,
    /// [`Settings::broker_memory`]
    BrokerMemory,
    /// [`Settings::seed`]
    Seed,
}

/// A value of any setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A rate.
    Rate(Rate),
    /// A whole number.
    Count(u64),
    /// A bound.
    Bound(Bound),
    /// A choice, by its name.
    Choice(&'static str),
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Messages a second in thousandths, from 0 to [`Rate::MAX`].
    Rate,
    /// A whole number within `min..=max`.
    Count {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// A whole number up to `max`, or `none`.
    Bound {
        /// The greatest.
        max: u64,
    },
    /// One of these names.
    Choice(&'static [&'static str]),
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Which setting.
    pub setting: Setting,
    /// Its long name, unit last, as in scenario files.
    pub name: &'static str,
    /// Its short name, as in links and attributes.
    pub alias: &'static str,
    /// What values it takes.
    pub kind: Kind,
}

/// The table: every setting once. Its order is the order of parameters in links.
pub const TABLE: &[Definition] = &[
    Definition {
        setting: Setting::ProducerRate,
        name: "producer_rate_per_second",
        alias: "p",
        kind: Kind::Rate,
    },
    Definition {
        setting: Setting::ConsumerRate,
        name: "consumer_rate_per_second",
        alias: "c",
        kind: Kind::Rate,
    },
    Definition {
        setting: Setting::ConsumerCount,
        name: "consumer_count",
        alias: "workers",
        kind: Kind::Count { min: 1, max: CONSUMERS_MAX },
    },
    Definition {
        setting: Setting::QueueBound,
        name: "queue_bound_messages",
        alias: "capacity",
        kind: Kind::Bound { max: BROKER_MEMORY_MAX },
    },
    Definition {
        setting: Setting::Overflow,
        name: "overflow_policy",
        alias: "overflow",
        kind: Kind::Choice(OverflowPolicy::NAMES),
    },
    Definition {
        setting: Setting::Arrivals,
        name: "arrival_pattern",
        alias: "arrivals",
        kind: Kind::Choice(ArrivalPattern::NAMES),
    },
    Definition {
        setting: Setting::BurstSize,
        name: "burst_size_messages",
        alias: "burst",
        kind: Kind::Count { min: 1, max: 10_000 },
    },
    Definition {
        setting: Setting::ServiceTime,
        name: "service_time_distribution",
        alias: "work",
        kind: Kind::Choice(ServiceTime::NAMES),
    },
    Definition {
        setting: Setting::BrokerMemory,
        name: "broker_memory_messages",
        alias: "memory",
        kind: Kind::Count { min: 1, max: BROKER_MEMORY_MAX },
    },
    Definition {
        setting: Setting::Seed,
        name: "seed",
        alias: "seed",
        kind: Kind::Count { min: 0, max: SEED_MAX },
    },
];

/// What was wrong with a value from outside, and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It was below the least value, which is used instead.
    RaisedTo(String),
    /// It was above the greatest value, which is used instead.
    LoweredTo(String),
    /// It had more decimals than are kept; this is used instead.
    RoundedTo(String),
    /// It is no number; it was left out.
    NotANumber,
    /// It is none of these names; it was left out.
    NotAChoice(&'static [&'static str]),
}

impl Definition {
    /// The row of `setting`.
    #[must_use]
    pub fn of(setting: Setting) -> &'static Self {
        // Every setting has its row: a test walks them all. The first row is never used in place
        // of a missing one.
        TABLE.iter().find(|row| row.setting == setting).unwrap_or(&TABLE[0])
    }

    /// The row with that long or short name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|row| row.name == name || row.alias == name)
    }

    /// Reads a value from outside: clamps it into range and says so, or refuses it. The first
    /// part is `None` where it was refused; the second is `None` where nothing was wrong.
    #[must_use]
    pub fn read(&self, text: &str) -> (Option<Value>, Option<Problem>) {
        let text = text.trim();
        match self.kind {
            Kind::Rate => read_rate(text),
            Kind::Count { min, max } => read_count(text, min, max, Value::Count),
            Kind::Bound { .. } if text == "none" => (Some(Value::Bound(Bound::None)), None),
            Kind::Bound { max } => read_count(text, 0, max, |count| Value::Bound(Bound::Messages(count))),
            Kind::Choice(names) => match names.iter().find(|name| **name == text) {
                Some(name) => (Some(Value::Choice(name)), None),
                None => (None, Some(Problem::NotAChoice(names))),
            },
        }
    }
}

fn read_rate(text: &str) -> (Option<Value>, Option<Problem>) {
    let Some(reading) = decimal::read(text, 3) else { return (None, Some(Problem::NotANumber)) };
    let (thousandths, adjusted) = reading.clamped(0, Rate::MAX.thousandths());
    let rate = Rate::from_thousandths(thousandths);
    (Some(Value::Rate(rate)), adjusted.map(|adjusted| Problem::from_adjusted(adjusted, rate.to_string())))
}

fn read_count(
    text: &str,
    min: u64,
    max: u64,
    wrap: impl Fn(u64) -> Value,
) -> (Option<Value>, Option<Problem>) {
    let Some(reading) = decimal::read(text, 0) else { return (None, Some(Problem::NotANumber)) };
    let (count, adjusted) = reading.clamped(min, max);
    (Some(wrap(count)), adjusted.map(|adjusted| Problem::from_adjusted(adjusted, count.to_string())))
}

impl Problem {
    /// The problem of a number that was `adjusted` to what reads `used`.
    #[must_use]
    pub fn from_adjusted(adjusted: Adjusted, used: String) -> Self {
        match adjusted {
            Adjusted::Raised => Self::RaisedTo(used),
            Adjusted::Lowered => Self::LoweredTo(used),
            Adjusted::Rounded => Self::RoundedTo(used),
        }
    }
}

impl Settings {
    /// The value of `setting`.
    #[must_use]
    pub const fn get(&self, setting: Setting) -> Value {
        match setting {
            Setting::ProducerRate => Value::Rate(self.producer_rate),
            Setting::Arrivals => Value::Choice(self.arrivals.name()),
            Setting::BurstSize => Value::Count(self.burst_size),
            Setting::ConsumerRate => Value::Rate(self.consumer_rate),
            Setting::ConsumerCount => Value::Count(self.consumer_count),
            Setting::ServiceTime => Value::Choice(self.service_time.name()),
            Setting::QueueBound => Value::Bound(self.queue_bound),
            Setting::Overflow => Value::Choice(self.overflow.name()),
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
            (Setting::QueueBound, Value::Bound(Bound::None)) => self.queue_bound = Bound::None,
            (Setting::QueueBound, Value::Bound(Bound::Messages(count))) => {
                self.queue_bound = Bound::Messages(count.min(BROKER_MEMORY_MAX));
            }
            (_, Value::Count(count)) => return self.set_count(setting, count),
            (_, Value::Choice(name)) => return self.set_choice(setting, name),
            _ => return false,
        }
        true
    }

    fn set_count(&mut self, setting: Setting, count: u64) -> bool {
        let Kind::Count { min, max } = Definition::of(setting).kind else {
            return false;
        };
        let count = count.clamp(min, max);
        match setting {
            Setting::BurstSize => self.burst_size = count,
            Setting::ConsumerCount => self.consumer_count = count,
            Setting::BrokerMemory => self.broker_memory = count,
            Setting::Seed => self.seed = count,
            _ => return false,
        }
        true
    }

    fn set_choice(&mut self, setting: Setting, name: &str) -> bool {
        match setting {
            Setting::Arrivals => choose(&mut self.arrivals, ArrivalPattern::from_name(name)),
            Setting::ServiceTime => choose(&mut self.service_time, ServiceTime::from_name(name)),
            Setting::Overflow => choose(&mut self.overflow, OverflowPolicy::from_name(name)),
            _ => false,
        }
    }

    /// What all consumers together can finish.
    #[must_use]
    pub const fn capacity(&self) -> Rate {
        self.consumer_rate.times(self.consumer_count)
    }
}

fn choose<T>(place: &mut T, choice: Option<T>) -> bool {
    let is_known = choice.is_some();
    if let Some(choice) = choice {
        *place = choice;
    }
    is_known
}

impl Value {
    /// The value as it is written in links and scenario files; reading it back gives the same.
    #[must_use]
    pub fn to_text(self) -> String {
        match self {
            Self::Rate(rate) => rate.to_string(),
            Self::Count(count) | Self::Bound(Bound::Messages(count)) => count.to_string(),
            Self::Bound(Bound::None) => "none".to_owned(),
            Self::Choice(name) => name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, value: Option<&str>, problem: Option<Problem>) {
        let row = Definition::by_name(name).expect("the name is in the table");
        let (read, said) = row.read(text);
        assert_eq!(read.map(Value::to_text).as_deref(), value, "{name}={text}");
        assert_eq!(said, problem, "{name}={text}");
    }

    #[test]
    fn values_from_outside_are_clamped_or_refused_and_it_is_said() {
        check("p", "8", Some("8"), None);
        check("producer_rate_per_second", " 0.5 ", Some("0.5"), None);
        check("p", "-1", Some("0"), Some(Problem::RaisedTo("0".into())));
        check("p", "1e99", None, Some(Problem::NotANumber));
        check("p", "99999999999999999999999", Some("100000"), Some(Problem::LoweredTo("100000".into())));
        check("p", "0.0004", Some("0"), Some(Problem::RoundedTo("0".into())));
        check("c", "NaN", None, Some(Problem::NotANumber));
        check("workers", "0", Some("1"), Some(Problem::RaisedTo("1".into())));
        check("workers", "2.5", Some("3"), Some(Problem::RoundedTo("3".into())));
        check("capacity", "none", Some("none"), None);
        check("capacity", "0", Some("0"), None);
        check("capacity", "", None, Some(Problem::NotANumber));
        check("overflow", "explode", None, Some(Problem::NotAChoice(OverflowPolicy::NAMES)));
    }

    #[test]
    fn every_setting_has_one_row_and_takes_its_own_value_back() {
        let defaults = Settings::default();
        for row in TABLE {
            assert_eq!(TABLE.iter().filter(|other| other.setting == row.setting).count(), 1);
            let mut settings = defaults.clone();
            assert!(settings.set(row.setting, defaults.get(row.setting)), "{}", row.name);
            assert_eq!(settings, defaults);
            assert_eq!(
                row.read(&defaults.get(row.setting).to_text()),
                (Some(defaults.get(row.setting)), None)
            );
        }
    }

    #[test]
    fn a_value_of_another_kind_changes_nothing() {
        let mut settings = Settings::default();
        assert!(!settings.set(Setting::ProducerRate, Value::Count(3)));
        assert!(!settings.set(Setting::Overflow, Value::Choice("steady")));
        assert_eq!(settings, Settings::default());
    }
}
