//! Reads conditions as Prometheus writes them: the part of PromQL that [`Condition`] can say.

use std::fmt;

use super::super::decimal::{self, Decimal};
use super::super::time::Span;
use super::expression::{Comparison, Condition, Expression, Label, Selector, UNITS};
use super::functions::RangeFunction;

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRead {
    /// The whole text.
    text: String,
    /// Where it cannot go on, in bytes.
    at: usize,
    /// What could stand there.
    wanted: &'static str,
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.text.get(self.at..).unwrap_or_default().trim_start();
        if rest.is_empty() {
            return write!(f, "\"{}\" ends where {} is expected.", self.text, self.wanted);
        }
        write!(f, "In \"{}\", {} is expected where \"{rest}\" stands.", self.text, self.wanted)
    }
}

/// Reads a condition, such as `deriv(lag[5m]) > 0.5`.
///
/// # Errors
/// Where the text cannot go on, and what could stand there.
pub fn condition(text: &str) -> Result<Condition, NotRead> {
    let mut reader = Reader { text, at: 0 };
    let expression = reader.expression()?;
    let comparison = reader.comparison()?;
    let threshold_millionths = reader.number()?;
    reader.end()?;
    Ok(Condition { expression, comparison, threshold_millionths })
}

/// Reads an expression without a threshold, such as `rate(errors[5m])`.
///
/// # Errors
/// Where the text cannot go on, and what could stand there.
pub fn expression(text: &str) -> Result<Expression, NotRead> {
    let mut reader = Reader { text, at: 0 };
    let expression = reader.expression()?;
    reader.end()?;
    Ok(expression)
}

/// Reads a duration, such as `1h30m`.
///
/// # Errors
/// Where the text cannot go on, and what could stand there.
pub fn duration(text: &str) -> Result<Span, NotRead> {
    let mut reader = Reader { text, at: 0 };
    let span = reader.duration()?;
    reader.end()?;
    Ok(span)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn wrong<T>(&self, wanted: &'static str) -> Result<T, NotRead> {
        Err(NotRead { text: self.text.to_owned(), at: self.at, wanted })
    }

    /// Whether `sign` comes next; it is passed then.
    fn passes(&mut self, sign: &str) -> bool {
        self.skip_space();
        let comes = self.rest().starts_with(sign);
        self.at += if comes { sign.len() } else { 0 };
        comes
    }

    fn expect(&mut self, sign: &str, wanted: &'static str) -> Result<(), NotRead> {
        if self.passes(sign) { Ok(()) } else { self.wrong(wanted) }
    }

    fn end(&mut self) -> Result<(), NotRead> {
        self.skip_space();
        if self.rest().is_empty() { Ok(()) } else { self.wrong("the end") }
    }

    /// As many of these letters as come.
    fn take(&mut self, of: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|letter| !of(letter)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn name(&mut self, wanted: &'static str) -> Result<&'a str, NotRead> {
        self.skip_space();
        let starts =
            self.rest().starts_with(|first: char| first.is_ascii_alphabetic() || "_:".contains(first));
        if !starts {
            return self.wrong(wanted);
        }
        Ok(self.take(|letter| letter.is_ascii_alphanumeric() || "_:".contains(letter)))
    }

    fn expression(&mut self) -> Result<Expression, NotRead> {
        let before = self.at;
        let name = self.name("a metric or a function")?;
        if !self.passes("(") {
            return Ok(Expression::Gauge(self.selector(name)?));
        }
        let metric = self.name("a metric")?;
        let selector = self.selector(metric)?;
        self.expect("[", "a window such as [5m]")?;
        let range = self.duration()?;
        if range == Span::ZERO {
            return self.wrong("a window longer than nothing");
        }
        self.expect("]", "]")?;
        let expression = match RangeFunction::named(name) {
            Some(function) => Expression::Over { function, selector, range },
            None if name == "predict_linear" => {
                self.expect(",", "a comma and a number of seconds")?;
                Expression::Predicted { selector, range, ahead_micros: self.number()? }
            }
            None => {
                self.at = before;
                return self.wrong("a function such as rate or deriv");
            }
        };
        self.expect(")", ")")?;
        Ok(expression)
    }

    fn selector(&mut self, metric: &str) -> Result<Selector, NotRead> {
        let mut labels = Vec::new();
        if self.passes("{") {
            while !self.passes("}") {
                labels.push(self.label()?);
                if !self.passes(",") && !self.rest().trim_start().starts_with('}') {
                    return self.wrong("a comma or }");
                }
            }
        }
        Ok(Selector { metric: metric.to_owned(), labels })
    }

    fn label(&mut self) -> Result<Label, NotRead> {
        let name = self.name("a label")?.to_owned();
        self.expect("=", "= and a value in quotes")?;
        self.expect("\"", "a value in quotes")?;
        let value = self.take(|letter| !"\"\\".contains(letter)).to_owned();
        self.expect("\"", "a closing quote")?;
        Ok(Label { name, value })
    }

    fn comparison(&mut self) -> Result<Comparison, NotRead> {
        let found = Comparison::SIGNS.iter().find(|(_, sign)| self.passes(sign));
        found.map_or_else(|| self.wrong("a comparison such as >"), |(comparison, _)| Ok(*comparison))
    }

    /// A decimal, in millionths.
    fn number(&mut self) -> Result<i64, NotRead> {
        self.skip_space();
        let before = self.at;
        let is_negative = self.passes("-");
        let digits = self.take(|letter| letter.is_ascii_digit() || letter == '.');
        let value = match decimal::read(digits, 6) {
            Some(Decimal::Exact(value)) => i64::try_from(value).ok(),
            _ => None,
        };
        let Some(value) = value else {
            self.at = before;
            return self.wrong("a number with at most six decimals");
        };
        Ok(if is_negative { -value } else { value })
    }

    /// Whole numbers with their units, larger units first.
    fn duration(&mut self) -> Result<Span, NotRead> {
        self.skip_space();
        let before = self.at;
        let mut span = Span::ZERO;
        let mut units = UNITS.iter();
        while self.rest().starts_with(|first: char| first.is_ascii_digit()) {
            let count = self.take(|letter| letter.is_ascii_digit()).parse::<u64>();
            let unit = self.take(|letter| letter.is_ascii_alphabetic());
            let known = units.find(|(name, _)| *name == unit).map(|(_, micros)| *micros);
            let part = count.ok().zip(known).and_then(|(count, micros)| count.checked_mul(micros));
            let Some(part) = part else {
                self.at = before;
                return self.wrong("a duration such as 5m or 1h30m");
            };
            span = span + Span::from_micros(part);
        }
        if self.at == before { self.wrong("a duration such as 5m or 1h30m") } else { Ok(span) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_printed_the_same() {
        for text in [
            "lag > 50",
            "deriv(lag[5m]) > 0.5",
            "predict_linear(lag[5m], 600) >= 600",
            "predict_linear(lag[1h30m], -60) < -0.25",
            "max_over_time(lag{group=\"billing\",partition=\"3\"}[500ms]) != 0",
            "consumer_group:members{group=\"a\"} == 0",
            "rate(errors_total[1d]) <= 1.000001",
        ] {
            assert_eq!(condition(text).map(|read| read.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn space_and_order_of_units_do_not_matter_where_they_do_not_in_prometheus() {
        let read = condition("  rate( m { a = \"b\" , } [ 5m ] )>.5 ").expect("it is sound");
        assert_eq!(read.to_string(), "rate(m{a=\"b\"}[5m]) > 0.5");
        assert_eq!(duration("1h30m"), Ok(Span::from_seconds(5_400)));
        assert_eq!(duration("2w"), Ok(Span::from_seconds(14 * 86_400)));
        assert!(duration("30m1h").is_err(), "Prometheus wants larger units first");
    }

    #[test]
    fn what_is_wrong_is_said_in_a_sentence() {
        for (text, sentence) in [
            ("", "\"\" ends where a metric or a function is expected."),
            ("lag", "\"lag\" ends where a comparison such as > is expected."),
            ("lag > x", "In \"lag > x\", a number with at most six decimals is expected where \"x\" stands."),
            (
                "rate(lag) > 1",
                "In \"rate(lag) > 1\", a window such as [5m] is expected where \") > 1\" stands.",
            ),
            (
                "rate(lag[5]) > 1",
                "In \"rate(lag[5]) > 1\", a duration such as 5m or 1h30m is expected where \"5]) > 1\" stands.",
            ),
            (
                "sum(lag[5m]) > 1",
                "In \"sum(lag[5m]) > 1\", a function such as rate or deriv is expected where \"sum(lag[5m]) > 1\" stands.",
            ),
            ("lag > 1 and x", "In \"lag > 1 and x\", the end is expected where \"and x\" stands."),
            ("lag{a=b} > 1", "In \"lag{a=b} > 1\", a value in quotes is expected where \"b} > 1\" stands."),
            (
                "predict_linear(lag[5m]) > 1",
                "In \"predict_linear(lag[5m]) > 1\", a comma and a number of seconds is expected where \") > 1\" stands.",
            ),
            (
                "lag > 99999999999999999999",
                "In \"lag > 99999999999999999999\", a number with at most six decimals is expected where \"99999999999999999999\" stands.",
            ),
        ] {
            assert_eq!(condition(text).map_err(|problem| problem.to_string()), Err(sentence.to_owned()));
        }
        assert!(condition("é > 1").is_err() && condition("lag{a=\"é\"} > 1").is_ok());
    }
}
