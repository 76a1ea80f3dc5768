//! Reading decimal numbers that people wrote into scaled integers, without floats.

/// What a text says, scaled by a power of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decimal {
    /// Below zero.
    Negative,
    /// Exactly this.
    Exact(u64),
    /// More decimals than the scale has; this is the nearest, halves up.
    Rounded(u64),
    /// Beyond 64 bits.
    TooLarge,
}

/// How a number was changed to fit its range and scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjusted {
    /// It was below the least value.
    Raised,
    /// It was above the greatest value.
    Lowered,
    /// It had more decimals than are kept.
    Rounded,
}

impl Decimal {
    /// The nearest value within `min..=max`, and how it was changed.
    #[must_use]
    pub const fn clamped(self, min: u64, max: u64) -> (u64, Option<Adjusted>) {
        match self {
            Self::Negative => (min, Some(Adjusted::Raised)),
            Self::TooLarge => (max, Some(Adjusted::Lowered)),
            Self::Exact(value) | Self::Rounded(value) if value < min => (min, Some(Adjusted::Raised)),
            Self::Exact(value) | Self::Rounded(value) if value > max => (max, Some(Adjusted::Lowered)),
            Self::Exact(value) => (value, None),
            Self::Rounded(value) => (value, Some(Adjusted::Rounded)),
        }
    }
}

/// Writes `scaled ÷ 10^decimals` with as many decimals as are needed.
#[must_use]
pub fn shown(scaled: u64, decimals: u32) -> String {
    let unit = 10_u64.pow(decimals);
    let (whole, rest) = (scaled / unit, scaled % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let digits = format!("{rest:0width$}", width = decimals as usize);
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

/// Reads digits with at most one point and an optional sign, as `text × 10^decimals`. `None` for
/// anything else: no exponents, no infinities, no separators.
#[must_use]
pub fn read(text: &str, decimals: usize) -> Option<Decimal> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = (!whole.is_empty() || !fraction.is_empty())
        && whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    if !is_number {
        return None;
    }
    let reading = scaled(whole, fraction, decimals);
    let is_zero = matches!(reading, Decimal::Exact(0));
    Some(if is_negative && !is_zero { Decimal::Negative } else { reading })
}

fn scaled(whole: &str, fraction: &str, decimals: usize) -> Decimal {
    let kept = fraction.bytes().chain(std::iter::repeat(b'0')).take(decimals);
    let exact = whole
        .bytes()
        .chain(kept)
        .try_fold(0_u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
    let cut = fraction.as_bytes().get(decimals..).unwrap_or_default();
    match exact {
        None => Decimal::TooLarge,
        Some(value) if cut.iter().all(|digit| *digit == b'0') => Decimal::Exact(value),
        Some(value) => Decimal::Rounded(value.saturating_add(u64::from(cut.first() >= Some(&b'5')))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly_or_rounded_or_refused() {
        for (text, decimals, expected) in [
            ("8", 3, Some(Decimal::Exact(8_000))),
            ("0.001", 3, Some(Decimal::Exact(1))),
            (".5", 3, Some(Decimal::Exact(500))),
            ("7.", 3, Some(Decimal::Exact(7_000))),
            ("1.0005", 3, Some(Decimal::Rounded(1_001))),
            ("1.0004", 3, Some(Decimal::Rounded(1_000))),
            ("1.50", 1, Some(Decimal::Exact(15))),
            ("-0", 0, Some(Decimal::Exact(0))),
            ("-0.1", 3, Some(Decimal::Negative)),
            ("18446744073709551616", 0, Some(Decimal::TooLarge)),
            ("", 0, None),
            (".", 0, None),
            ("--1", 0, None),
            ("1,000", 0, None),
            ("١", 0, None),
            ("inf", 0, None),
        ] {
            assert_eq!(read(text, decimals), expected, "{text}");
        }
    }
}
