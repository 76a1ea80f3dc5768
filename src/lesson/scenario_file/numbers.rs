//! Numbers and times as people write them in a file.

use crate::json::Json;

/// A number or a text as it would be typed: numbers without exponent.
pub fn plain_text(value: &Json) -> Option<String> {
    match value {
        Json::Text(text) => Some(text.clone()),
        Json::Number(number) => Some(without_exponent(number)),
        _ => None,
    }
}

/// The digits of a JSON number with its point moved to where its exponent says. Exponents beyond
/// ±30 are taken as ±30: every range ends far before that.
fn without_exponent(number: &str) -> String {
    let Some((mantissa, exponent)) = number.split_once('e').or_else(|| number.split_once('E')) else {
        return number.to_owned();
    };
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_small = exponent.starts_with('-');
    let shift = exponent.trim_start_matches(['+', '-']).parse().map_or(30, |shift: u32| shift.min(30));
    let zeros = "0".repeat(shift as usize);
    let (digits, point) = if is_small {
        ([&zeros, whole, fraction].concat(), whole.len())
    } else {
        ([whole, fraction, &zeros].concat(), whole.len() + zeros.len())
    };
    let (before, after) = digits.split_at_checked(point).unwrap_or((&digits, ""));
    [sign, before, ".", after].concat()
}

/// A time of day such as `08:55` or `08:55:30`, in seconds after midnight.
pub fn seconds_after_midnight(text: &str) -> Option<u32> {
    let mut parts = text.split(':');
    let mut part = |limit: u32| -> Option<u32> {
        let digits = parts.next()?;
        let is_two_digits = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|number| is_two_digits && *number < limit)
    };
    let (hours, minutes) = (part(24)?, part(60)?);
    let seconds = if text.len() > 5 { part(60)? } else { 0 };
    parts.next().is_none().then_some((hours * 60 + minutes) * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::decimal;

    #[test]
    fn exponents_move_the_point() {
        for (number, plain) in
            [("12", "12"), ("1.5e3", "1500.0"), ("2E+1", "20."), ("25e-1", "02.5"), ("-1e-2", "-0.01")]
        {
            let value = |text: &str| decimal::read(text, 6);
            assert_eq!(value(&without_exponent(number)), value(plain), "{number}");
        }
    }
}
