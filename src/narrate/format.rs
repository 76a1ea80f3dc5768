//! The one place where numbers are rounded for people.

use super::locale::{Field, Locale};
use crate::model::rate::Rate;
use crate::model::time::{Instant, MICROS_PER_SECOND, Span};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const YEAR: u64 = 366 * DAY;

/// Where a number is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numerals {
    /// On screen: 1,240.
    Screen,
    /// In a screen reader: 1240, because some read the comma aloud.
    Spoken,
}

/// A whole number.
#[must_use]
pub fn count(locale: &Locale, count: u64, numerals: Numerals) -> String {
    let digits = count.to_string();
    if numerals == Numerals::Spoken {
        return digits;
    }
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push_str(locale.group_mark());
        }
        grouped.push(digit);
    }
    grouped
}

/// A rate as a dial has it, with all its decimals: 8, 0.5, 12.34.
#[must_use]
pub fn rate(locale: &Locale, rate: Rate, numerals: Numerals) -> String {
    decimal(locale, rate.thousandths(), numerals)
}

/// A rate that was measured: from 100 whole, from 1 with one decimal, else with two.
#[must_use]
pub fn rounded_rate(locale: &Locale, rate: Rate, numerals: Numerals) -> String {
    decimal(locale, rounded(rate).thousandths(), numerals)
}

/// The rate that [`rounded_rate`] shows.
#[must_use]
pub fn rounded(rate: Rate) -> Rate {
    let thousandths = rate.thousandths();
    let step = match thousandths {
        100_000.. => 1_000,
        1_000.. => 100,
        10.. => 10,
        _ => 1,
    };
    Rate::from_thousandths(nearest(thousandths, step).saturating_mul(step))
}

fn decimal(locale: &Locale, thousandths: u64, numerals: Numerals) -> String {
    let whole = count(locale, thousandths / 1_000, numerals);
    let rest = thousandths % 1_000;
    if rest == 0 {
        return whole;
    }
    let decimals = format!("{rest:03}");
    [&whole, locale.decimal_mark(), decimals.trim_end_matches('0')].concat()
}

/// A share such as 25 of 100 %, from millionths.
#[must_use]
pub fn percent(millionths: u32) -> u64 {
    nearest(u64::from(millionths), 10_000)
}

/// A large number for a small place: 1,240, 12.3 thousand, 2 million.
#[must_use]
pub fn compact(locale: &Locale, amount: u64) -> String {
    let (key, unit) = match amount {
        0..10_000 => return count(locale, amount, Numerals::Screen),
        10_000..999_950 => ("unit.thousand", 1_000),
        _ => ("unit.million", 1_000_000),
    };
    let tenths = nearest(amount, unit / 10);
    let text = decimal(locale, tenths.saturating_mul(100), Numerals::Screen);
    locale.format(key, &[("number", Field::Text(&text))])
}

/// An age for a small place: 5.3 s, 42 s, 2 min 5 s, 1 h 15 min, 3 d 4 h.
#[must_use]
pub fn short(locale: &Locale, span: Span) -> String {
    let tenths = nearest(span.micros(), MICROS_PER_SECOND / 10);
    let seconds = nearest(span.micros(), MICROS_PER_SECOND);
    let pair = |key: &str, large: u64, small: u64| {
        locale.format(key, &[("large", Field::Count(large)), ("small", Field::Count(small))])
    };
    match seconds {
        _ if tenths < 100 => {
            let text = decimal(locale, tenths * 100, Numerals::Screen);
            locale.format("short.seconds", &[("seconds", Field::Text(&text))])
        }
        0..120 => locale.format("short.seconds", &[("seconds", Field::Count(seconds))]),
        120..HOUR => pair("short.minutes", seconds / MINUTE, seconds % MINUTE),
        HOUR..DAY => pair("short.hours", seconds / HOUR, seconds % HOUR / MINUTE),
        _ => pair("short.days", seconds / DAY, seconds % DAY / HOUR),
    }
}

/// The time since the run's start: 00:42, 1:02:03.
#[must_use]
pub fn clock(at: Instant) -> String {
    let seconds = at.whole_seconds();
    let (hours, minutes, seconds) = (seconds / HOUR, seconds % HOUR / MINUTE, seconds % MINUTE);
    if hours == 0 {
        format!("{minutes:02}:{seconds:02}")
    } else {
        format!("{hours}:{minutes:02}:{seconds:02}")
    }
}

/// A length of time in words: within 5 % or one second of `span`.
#[must_use]
pub fn time(locale: &Locale, span: Span, numerals: Numerals) -> String {
    let seconds = nearest(span.micros(), MICROS_PER_SECOND);
    match seconds {
        0 => locale.text("time.moment").to_owned(),
        1..120 => one_unit(locale, "time.seconds", seconds, numerals),
        // From here on steps of ten seconds are within 5 %.
        120..1_200 => {
            let seconds = nearest(seconds, 10) * 10;
            two_units(locale, ("time.minutes", "time.minutes_seconds"), seconds, (MINUTE, 1), numerals)
        }
        1_200..HOUR => one_unit(locale, "time.minutes", nearest(seconds, MINUTE), numerals),
        _ => hours_or_more(locale, seconds, numerals),
    }
}

/// A length of time that is only roughly known: two digits at most, and "about" before it.
#[must_use]
#[inline(never)]
pub fn about(locale: &Locale, span: Span, numerals: Numerals) -> String {
    let seconds = nearest(span.micros(), MICROS_PER_SECOND);
    if seconds == 0 {
        return locale.text("time.moment").to_owned();
    }
    let step = match seconds {
        0..20 => 1,
        20..60 => 5,
        60..120 => 10,
        120..1_200 => MINUTE,
        1_200..HOUR => 5 * MINUTE,
        HOUR..DAY => HOUR / 2,
        _ => DAY / 2,
    };
    let rounded = Span::from_seconds(nearest(seconds, step) * step);
    let words = time(locale, rounded, numerals);
    locale.fill("time.about", &[("time", Field::Text(&words))], numerals)
}

fn hours_or_more(locale: &Locale, seconds: u64, numerals: Numerals) -> String {
    let minutes = nearest(seconds, MINUTE) * MINUTE;
    let hours = nearest(seconds, HOUR) * HOUR;
    match seconds {
        YEAR.. => locale.text("time.over_a_year").to_owned(),
        _ if seconds >= 30 * DAY => one_unit(locale, "time.days", nearest(seconds, DAY), numerals),
        _ if seconds >= 2 * DAY => {
            two_units(locale, ("time.days", "time.days_hours"), hours, (DAY, HOUR), numerals)
        }
        _ => two_units(locale, ("time.hours", "time.hours_minutes"), minutes, (HOUR, MINUTE), numerals),
    }
}

fn one_unit(locale: &Locale, key: &str, amount: u64, numerals: Numerals) -> String {
    locale.fill(key, &[("count", Field::Count(amount))], numerals)
}

/// `seconds` in a large unit and, unless that is nothing, what is left in a small one.
fn two_units(
    locale: &Locale,
    (one_key, two_key): (&str, &str),
    seconds: u64,
    (large, small): (u64, u64),
    numerals: Numerals,
) -> String {
    let rest = seconds % large / small;
    if rest == 0 {
        return one_unit(locale, one_key, seconds / large, numerals);
    }
    let fields = [("large", Field::Count(seconds / large)), ("small", Field::Count(rest))];
    locale.fill(two_key, &fields, numerals)
}

/// `amount / step` to the nearest whole number, halves up.
const fn nearest(amount: u64, step: u64) -> u64 {
    amount.saturating_add(step / 2) / step
}
