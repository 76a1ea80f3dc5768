//! The natural logarithm of a draw: as exact as a draw needs it, and made of additions and
//! multiplications alone, which every processor and wasm do the same, bit for bit.
//!
//! A number is 2ᵉ·m with 1 ≤ m < 2. Of 32 equal parts of that range, the one that m lies in has a
//! reciprocal and a logarithm in a table; what is left of m is so near to 1 that five terms of the
//! series do. Every draw of exponential work takes one, so it matters how long it takes.

use std::f64::consts::LN_2;

/// The parts of the range, and their count as a power of two.
const PARTS: usize = 1 << PARTS_LOG2;
const PARTS_LOG2: u32 = 5;
const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
const ONE: u64 = 1_f64.to_bits();

/// For each part: one by its middle, and the logarithm of its middle.
const TABLE: [(f64, f64); PARTS] = table();

const fn table() -> [(f64, f64); PARTS] {
    let mut table = [(1.0, 0.0); PARTS];
    let mut part = 0;
    while part < PARTS {
        let middle = 1.0 + (part as f64 + 0.5) / PARTS as f64;
        table[part] = (1.0 / middle, series(middle));
        part += 1;
    }
    table
}

/// The logarithm of a number from 1 to 2, by 2·artanh((x − 1) ÷ (x + 1)).
const fn series(x: f64) -> f64 {
    let ratio = (x - 1.0) / (x + 1.0);
    let (mut power, mut sum, mut odd) = (ratio, 0.0, 1.0);
    while odd < 40.0 {
        sum += power / odd;
        power *= ratio * ratio;
        odd += 2.0;
    }
    2.0 * sum
}

/// The logarithm of a number from 10⁻³⁰⁷ to 1, off by less than 10⁻¹¹.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_precision_loss)]
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> MANTISSA_BITS) as i64 - (ONE >> MANTISSA_BITS) as i64;
    let part = (bits >> (MANTISSA_BITS - PARTS_LOG2)) as usize % PARTS;
    let mantissa = f64::from_bits(bits & ((1 << MANTISSA_BITS) - 1) | ONE);
    let (reciprocal, ln_middle) = TABLE[part];
    let rest = mantissa * reciprocal - 1.0;
    let square = rest * rest;
    let terms = rest - square * (0.5 - rest * (1.0 / 3.0)) - square * square * (0.25 - rest * 0.2);
    exponent as f64 * LN_2 + (ln_middle + terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_near_as_it_says() {
        for step in 1..=200_000 {
            let x = f64::from(step) / 200_000.0;
            for x in [x, x * 1e-3, x * x * x * x * 1e-12, 1.0 - x * 1e-9] {
                assert!((ln(x) - libm::log(x)).abs() < 1e-11, "{x}: {} {}", ln(x), libm::log(x));
            }
        }
        assert!(ln(1.0).abs() < 1e-11);
    }
}
