//! A mean of replications and how far it may be from the exact one.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};
use std::fmt;

use super::REPLICATIONS;

/// Degrees of freedom.
const FREEDOM: u64 = REPLICATIONS - 1;

/// The mean of some runs, and the half-width of its t interval.
pub struct Interval {
    mean: f64,
    /// In units of the mean.
    pub half_width: f64,
}

impl Interval {
    /// The interval of `found`, one value for each replication.
    pub fn new(found: &[f64], quantile: f64) -> Self {
        let count = super::as_float(REPLICATIONS.into());
        let mean = found.iter().sum::<f64>() / count;
        let squares: f64 = found.iter().map(|value| (value - mean) * (value - mean)).sum();
        let variance = squares / super::as_float(FREEDOM.into());
        Self { mean, half_width: quantile * (variance / count).sqrt() }
    }

    /// Whether `exact` lies in it. A value that never varies has an interval of no width: it has
    /// to be exact, but for the rounding of floats.
    pub fn contains(&self, exact: f64) -> bool {
        (self.mean - exact).abs() <= self.half_width + 1e-12 * exact.abs()
    }

    /// How far `exact` is from the mean, in half-widths.
    pub fn deviation(&self, exact: f64) -> f64 {
        if self.half_width > 0.0 { (self.mean - exact).abs() / self.half_width } else { 0.0 }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} ± {:.6}", self.mean, self.half_width)
    }
}

/// What Student's t with 19 degrees of freedom exceeds, on either side, with a probability of
/// `level`: within 0 and 1, above 1e-12.
pub fn t_quantile(level: f64) -> f64 {
    let (mut below, mut above) = (0.0, 1_000.0);
    while above - below > 1e-9 {
        let middle = f64::midpoint(below, above);
        if beyond(middle) > level { below = middle } else { above = middle }
    }
    above
}

/// P(|t| > `t`), for an odd number of degrees of freedom: Abramowitz and Stegun 1964, 26.7.3.
fn beyond(t: f64) -> f64 {
    let freedom = super::as_float(FREEDOM.into());
    let angle = (t / freedom.sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let mut term = cosine;
    let mut sum = term;
    for odd in (3..=FREEDOM - 2).step_by(2) {
        let odd = super::as_float(odd.into());
        term *= cosine * cosine * (odd - 1.0) / odd;
        sum += term;
    }
    FRAC_2_PI * (FRAC_PI_2 - angle - sine * sum)
}

#[test]
fn quantiles_are_those_of_the_printed_tables() {
    // NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2, 19 degrees of freedom.
    for (level, printed) in [(0.2, 1.328), (0.1, 1.729), (0.05, 2.093), (0.02, 2.539), (0.002, 3.579)] {
        assert!((t_quantile(level) - printed).abs() < 0.000_6, "{level}: {}", t_quantile(level));
    }
}

#[test]
fn an_interval_of_few_runs_is_what_it_is_by_hand() {
    let found: Vec<f64> = (0..20).map(|run| if run % 2 == 0 { 1.0 } else { 3.0 }).collect();
    let interval = Interval::new(&found, 2.0);
    // The variance is 20/19, of the mean 1/19.
    assert!((interval.half_width - 2.0 / 19.0_f64.sqrt()).abs() < 1e-12);
    assert!(interval.contains(2.45) && !interval.contains(2.46) && !interval.contains(f64::NAN));
}
