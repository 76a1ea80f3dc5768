//! Values of settings as they come from outside: read, clamped or refused, and written back.

use super::super::decimal::{self, Adjusted};
use super::super::rate::Rate;
use super::super::time::{MICROS_PER_SECOND, Span};
use super::table::{Definition, Kind};

/// How many messages may wait in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// At most so many: 0 to 4,000,000. 0 hands over only to a free consumer.
    Messages(u64),
    /// No bound: until the broker's memory is full.
    None,
}

/// A limit that need not be there, or is left to the imitated broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit<T> {
    /// As the imitated broker has it.
    AsBroker,
    /// There is none.
    None,
    /// This one.
    At(T),
}

/// The words of limits that need not be there, and of those that a broker may set.
pub const NONE: &str = "none";
/// See [`NONE`].
pub const AS_BROKER: &str = "as-broker";

/// A value of any setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A rate.
    Rate(Rate),
    /// A whole number.
    Count(u64),
    /// A bound.
    Bound(Bound),
    /// A length of time.
    Span(Span),
    /// A share in millionths.
    Share(u32),
    /// A choice or a word in place of a number, by its name.
    Choice(&'static str),
}

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
    /// Reads a value from outside: clamps it into range and says so, or refuses it. The first
    /// part is `None` where it was refused; the second is `None` where nothing was wrong.
    #[must_use]
    pub fn read(&self, text: &str) -> (Option<Value>, Option<Problem>) {
        let text = text.trim();
        if let Some(word) = self.words().iter().find(|word| **word == text) {
            return (Some(Value::Choice(word)), None);
        }
        match self.kind {
            Kind::Rate | Kind::RateOrNone => read_rate(text),
            Kind::Count { min, max } | Kind::CountOr { min, max, .. } => {
                read_count(text, min, max, Value::Count)
            }
            Kind::Bound { .. } if text == NONE => (Some(Value::Bound(Bound::None)), None),
            Kind::Bound { max } => read_count(text, 0, max, |count| Value::Bound(Bound::Messages(count))),
            Kind::Seconds { max } | Kind::SecondsOr { max, .. } => read_span(text, max),
            Kind::Percent => read_percent(text),
            Kind::Choice(names) => (None, Some(Problem::NotAChoice(names))),
        }
    }

    /// The words that may stand in place of a number, or all choices.
    #[must_use]
    pub const fn words(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::CountOr { words, .. } | Kind::SecondsOr { words, .. } | Kind::Choice(words) => words,
            Kind::RateOrNone => &[NONE],
            _ => &[],
        }
    }
}

fn read_rate(text: &str) -> (Option<Value>, Option<Problem>) {
    let Some(reading) = decimal::read(text, 3) else { return (None, Some(Problem::NotANumber)) };
    let (thousandths, adjusted) = reading.clamped(0, Rate::MAX.thousandths());
    finished(Value::Rate(Rate::from_thousandths(thousandths)), adjusted)
}

fn read_span(text: &str, max: u64) -> (Option<Value>, Option<Problem>) {
    let Some(reading) = decimal::read(text, 6) else { return (None, Some(Problem::NotANumber)) };
    let (micros, adjusted) = reading.clamped(0, max * MICROS_PER_SECOND);
    finished(Value::Span(Span::from_micros(micros)), adjusted)
}

fn read_percent(text: &str) -> (Option<Value>, Option<Problem>) {
    let Some(reading) = decimal::read(text, 4) else { return (None, Some(Problem::NotANumber)) };
    let (millionths, adjusted) = reading.clamped(0, 1_000_000);
    finished(Value::Share(u32::try_from(millionths).unwrap_or(1_000_000)), adjusted)
}

fn read_count(
    text: &str,
    min: u64,
    max: u64,
    wrap: impl Fn(u64) -> Value,
) -> (Option<Value>, Option<Problem>) {
    let Some(reading) = decimal::read(text, 0) else { return (None, Some(Problem::NotANumber)) };
    let (count, adjusted) = reading.clamped(min, max);
    finished(wrap(count), adjusted)
}

fn finished(value: Value, adjusted: Option<Adjusted>) -> (Option<Value>, Option<Problem>) {
    (Some(value), adjusted.map(|adjusted| Problem::from_adjusted(adjusted, value.to_text())))
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

impl Value {
    /// The value as it is written in links and scenario files; reading it back gives the same.
    #[must_use]
    pub fn to_text(self) -> String {
        match self {
            Self::Rate(rate) => rate.to_string(),
            Self::Count(count) | Self::Bound(Bound::Messages(count)) => count.to_string(),
            Self::Bound(Bound::None) => NONE.to_owned(),
            Self::Span(span) => span.to_string(),
            Self::Share(millionths) => decimal::shown(u64::from(millionths), 4),
            Self::Choice(name) => name.to_owned(),
        }
    }
}

impl Bound {
    /// The same bound, or `most` where it is greater.
    #[must_use]
    pub fn at_most(self, most: u64) -> Self {
        match self {
            Self::Messages(bound) => Self::Messages(bound.min(most)),
            Self::None => Self::None,
        }
    }
}

impl<T: Copy> Limit<T> {
    /// The limit that holds where the imitated broker has `broker`.
    #[must_use]
    pub fn or(self, broker: Option<T>) -> Option<T> {
        match self {
            Self::AsBroker => broker,
            Self::None => None,
            Self::At(limit) => Some(limit),
        }
    }

    /// The limit that a word stands for.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        match word {
            NONE => Some(Self::None),
            AS_BROKER => Some(Self::AsBroker),
            _ => None,
        }
    }

    pub(super) fn value(self, wrap: impl Fn(T) -> Value) -> Value {
        match self {
            Self::AsBroker => Value::Choice(AS_BROKER),
            Self::None => Value::Choice(NONE),
            Self::At(limit) => wrap(limit),
        }
    }
}
