//! Functions over a window of values, as Prometheus 2.42 computes them (`prometheus-alerts.json`,
//! recorded from promtool 2.42.0).
//!
//! Values are computed in floats and forgotten: nothing of them is kept but the outcome of a
//! comparison. Only additions, multiplications and divisions are used, which give the same bits on
//! every platform. A window is a list of seconds relative to the evaluation (so at most 0) and value.

/// A value at a number of seconds relative to the evaluation.
type Point = (f64, f64);

/// A function over a window. The numbers are permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeFunction {
    /// By how much a counter grows a second; resets are added.
    Rate = 1,
    /// By how much it grows in the window.
    Increase = 2,
    /// By how much a gauge changes in the window.
    Delta = 3,
    /// The slope of the line that fits a gauge best, a second.
    Deriv = 4,
    /// By how much a counter grew a second between its last two values.
    Irate = 5,
    /// The difference of the last two values.
    Idelta = 6,
    /// How often a counter was reset.
    Resets = 7,
    /// How often the value changed.
    Changes = 8,
    /// The mean.
    Average = 9,
    /// The least.
    Minimum = 10,
    /// The greatest.
    Maximum = 11,
    /// The sum.
    Sum = 12,
    /// How many values there are.
    Count = 13,
    /// The last.
    Last = 14,
}

/// Every function with its name.
const NAMES: [(RangeFunction, &str); 14] = [
    (RangeFunction::Rate, "rate"),
    (RangeFunction::Increase, "increase"),
    (RangeFunction::Delta, "delta"),
    (RangeFunction::Deriv, "deriv"),
    (RangeFunction::Irate, "irate"),
    (RangeFunction::Idelta, "idelta"),
    (RangeFunction::Resets, "resets"),
    (RangeFunction::Changes, "changes"),
    (RangeFunction::Average, "avg_over_time"),
    (RangeFunction::Minimum, "min_over_time"),
    (RangeFunction::Maximum, "max_over_time"),
    (RangeFunction::Sum, "sum_over_time"),
    (RangeFunction::Count, "count_over_time"),
    (RangeFunction::Last, "last_over_time"),
];

impl RangeFunction {
    /// Prometheus' name of it.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(function, _)| *function == self).map_or("", |(_, name)| *name)
    }

    /// The function of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, own)| *own == name).map(|(function, _)| *function)
    }

    /// Its value over a window of `range` seconds; `None` where there are too few values.
    #[must_use]
    pub fn over(self, points: &[Point], range: f64) -> Option<f64> {
        let last = points.last()?;
        let values = || points.iter().map(|(_, value)| *value);
        let pairs = || values().zip(values().skip(1));
        match self {
            Self::Rate => Some(extrapolated(points, range, true)? / range),
            Self::Increase => extrapolated(points, range, true),
            Self::Delta => extrapolated(points, range, false),
            Self::Deriv => Some(line(points, points.first()?.0)?.0),
            Self::Irate => instant(points, true),
            Self::Idelta => instant(points, false),
            Self::Resets => Some(count(pairs().filter(|(before, after)| after < before))),
            Self::Changes => Some(count(pairs().filter(|(before, after)| before != after))),
            Self::Average => Some(mean(values())),
            Self::Minimum => values().reduce(f64::min),
            Self::Maximum => values().reduce(f64::max),
            Self::Sum => Some(sum(values())),
            Self::Count => Some(count(values())),
            Self::Last => Some(last.1),
        }
    }
}

/// The value that the line through the window has `ahead` seconds after the evaluation
/// (`predict_linear`).
#[must_use]
pub fn predicted(points: &[Point], ahead: f64) -> Option<f64> {
    let (slope, now) = line(points, 0.0)?;
    Some(slope * ahead + now)
}

#[allow(clippy::cast_precision_loss)]
fn count(of: impl Iterator) -> f64 {
    of.count() as f64
}

/// The change over the window, extended to its edges: by what is missing, if that is less than 1.1
/// times the mean distance of values, or else by half of that distance. A counter is not extended to
/// before it was zero.
fn extrapolated(points: &[Point], range: f64, is_counter: bool) -> Option<f64> {
    let ([first, .., last], [_, later @ ..]) = (points, points) else { return None };
    let change = last.1 - first.1 + if is_counter { lost_at_resets(points) } else { 0.0 };
    let sampled = last.0 - first.0;
    let distance = sampled / count(later.iter());
    let mut to_start = first.0 + range;
    if is_counter && change > 0.0 && first.1 >= 0.0 {
        to_start = to_start.min(sampled * (first.1 / change));
    }
    let extended = |missing: f64| if missing < distance * 1.1 { missing } else { distance / 2.0 };
    let interval = sampled + extended(to_start) + extended(-last.0);
    Some(change * (interval / sampled))
}

/// What a counter had each time before it began anew.
fn lost_at_resets(points: &[Point]) -> f64 {
    let pairs = points.iter().zip(points.iter().skip(1));
    let resets = pairs.filter(|((_, before), (_, after))| after < before);
    resets.fold(0.0, |lost, ((_, before), _)| lost + before)
}

fn instant(points: &[Point], is_rate: bool) -> Option<f64> {
    let [.., before, last] = points else { return None };
    let is_reset = is_rate && last.1 < before.1;
    let change = if is_reset { last.1 } else { last.1 - before.1 };
    let seconds = last.0 - before.0;
    if seconds <= 0.0 {
        return None;
    }
    Some(if is_rate { change / seconds } else { change })
}

/// Slope and value at `at` of the line that fits the points best by least squares.
fn line(points: &[Point], at: f64) -> Option<(f64, f64)> {
    let [(_, first), _, ..] = points else { return None };
    if points.iter().all(|(_, value)| value == first) {
        return Some((0.0, *first));
    }
    let over =
        |of: &dyn Fn(f64, f64) -> f64| sum(points.iter().map(|(seconds, value)| of(seconds - at, *value)));
    let n = count(points.iter());
    let (x, y) = (over(&|x, _| x), over(&|_, y| y));
    let (xy, x2) = (over(&|x, y| x * y), over(&|x, _| x * x));
    let slope = (xy - x * y / n) / (x2 - x * x / n);
    Some((slope, y / n - slope * x / n))
}

/// A sum and what was rounded off it (Kahan's, with Neumaier's improvement).
fn added((sum, rest): (f64, f64), value: f64) -> (f64, f64) {
    let total = sum + value;
    let lost = if sum.abs() >= value.abs() { (sum - total) + value } else { (value - total) + sum };
    (total, rest + lost)
}

fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, rest) = values.fold((0.0, 0.0), added);
    sum + rest
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let step = |(mean, n): ((f64, f64), f64), value: f64| {
        let n = n + 1.0;
        (added(mean, value / n - mean.0 / n), n)
    };
    let ((mean, rest), _) = values.fold(((0.0, 0.0), 0.0), step);
    mean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One value a minute, the last 30 s ago.
    fn points(values: &[f64]) -> Vec<Point> {
        let count = values.len();
        let minutes = |place: usize| u32::try_from(count - place - 1).expect("they are few");
        values
            .iter()
            .enumerate()
            .map(|(place, value)| (-30.0 - 60.0 * f64::from(minutes(place)), *value))
            .collect()
    }

    #[test]
    fn one_value_is_too_few_for_a_change() {
        let one = points(&[5.0]);
        for function in
            [RangeFunction::Rate, RangeFunction::Increase, RangeFunction::Deriv, RangeFunction::Irate]
        {
            assert_eq!(function.over(&one, 300.0), None, "{function:?}");
        }
        assert_eq!((RangeFunction::Average.over(&one, 300.0), predicted(&one, 60.0)), (Some(5.0), None));
        assert_eq!(RangeFunction::Count.over(&[], 300.0), None);
    }

    #[test]
    fn a_counter_that_begins_in_the_window_is_not_extended_below_zero() {
        let from_zero = points(&[0.0, 60.0, 120.0]);
        assert_eq!(RangeFunction::Increase.over(&from_zero, 300.0), Some(150.0));
        let from_high = points(&[600.0, 660.0, 720.0]);
        assert_eq!(RangeFunction::Increase.over(&from_high, 300.0), Some(180.0));
        assert_eq!(RangeFunction::Delta.over(&from_zero, 300.0), Some(180.0), "a gauge may be below zero");
    }

    #[test]
    fn last_two_values_and_counts() {
        let values = points(&[5.0, 9.0, 9.0, 2.0]);
        let over = |function: RangeFunction| function.over(&values, 300.0);
        assert_eq!((over(RangeFunction::Idelta), over(RangeFunction::Irate)), (Some(-7.0), Some(2.0 / 60.0)));
        assert_eq!((over(RangeFunction::Resets), over(RangeFunction::Changes)), (Some(1.0), Some(2.0)));
        assert_eq!(
            (over(RangeFunction::Sum), over(RangeFunction::Count), over(RangeFunction::Last)),
            (Some(25.0), Some(4.0), Some(2.0))
        );
    }

    #[test]
    fn a_sum_does_not_lose_small_values_beside_large_ones() {
        assert_eq!(sum([1e16, 1.0, 1.0, -1e16].into_iter()), 2.0);
    }

    #[test]
    fn every_function_has_a_name_of_its_own() {
        for (function, name) in NAMES {
            assert_eq!((RangeFunction::named(name), function.name()), (Some(function), name));
        }
    }
}
