//! Round numbers for axes.

use crate::draw::scale::to_u32;
use crate::model::time::{Instant, MICROS_PER_SECOND, Span};

use super::window::ChartWindow;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Steps of time axes and tops of age axes in seconds. Beyond them the last one is doubled.
const TIME_STEPS: [u64; 25] = [
    1,
    2,
    5,
    10,
    15,
    20,
    30,
    MINUTE,
    2 * MINUTE,
    3 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    20 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    4 * HOUR,
    6 * HOUR,
    8 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    5 * DAY,
];

/// Tops of axes in microseconds, for what takes less than a second.
const SHORT_TOPS: [f64; 3] = [100_000.0, 200_000.0, 500_000.0];

/// The mantissas of the tops of count axes.
const MANTISSAS: [f64; 11] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];

/// No axis ends beyond this, which is far above any count.
const GREATEST: f64 = 1e24;

/// No axis has more steps.
const STEPS_MAX: u64 = 12;

/// One tick more than steps, whatever window is asked for.
const TICKS_MAX: usize = 13;

/// The round number of messages at which an axis that must show `greatest` ends: at least 5.
pub(super) fn count_top(greatest: f64) -> f64 {
    if !greatest.is_finite() || greatest <= 5.0 {
        return 5.0;
    }
    let greatest = greatest.min(GREATEST);
    let power = power_of_ten_below(greatest);
    let fits = |mantissa: &&f64| **mantissa * power >= greatest && (**mantissa * power).fract() < 1e-9;
    MANTISSAS.iter().find(fits).copied().unwrap_or(10.0) * power
}

/// The greatest power of ten that is not above `value`, from 10⁻³⁰ to 10³⁰.
fn power_of_ten_below(value: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 <= value && power < 1e30 {
        power *= 10.0;
    }
    while power > value && power > 1e-30 {
        power /= 10.0;
    }
    power
}

/// The round span in microseconds at which an axis that must show `greatest` microseconds ends:
/// at least a second.
pub(super) fn span_top(greatest: f64) -> f64 {
    let micros = MICROS_PER_SECOND as f64;
    if !greatest.is_finite() {
        return micros;
    }
    let known = TIME_STEPS.iter().find(|step| **step as f64 * micros >= greatest);
    let seconds =
        known.map_or_else(|| count_top(greatest / (DAY as f64 * micros)) * DAY as f64, |step| *step as f64);
    seconds * micros
}

/// The same for attempts, which may be short: at least a tenth of a second.
#[inline(never)]
pub(super) fn attempt_top(greatest: f64) -> f64 {
    let short = SHORT_TOPS.into_iter().find(|top| *top >= greatest);
    short.unwrap_or_else(|| span_top(greatest))
}

fn time_step(index: usize) -> u64 {
    let last = TIME_STEPS.len() - 1;
    TIME_STEPS.get(index).copied().unwrap_or_else(|| (5 * DAY) << (index - last))
}

/// Steps between ticks, smallest first, that give at most [`STEPS_MAX`] steps in `length`.
pub(super) fn time_steps(length: Span) -> impl Iterator<Item = u64> {
    let seconds = length.micros() / MICROS_PER_SECOND;
    (0..TIME_STEPS.len() + 20).map(time_step).filter(move |step| seconds / step <= STEPS_MAX)
}

/// The instants within `window` that are whole multiples of `step` seconds.
pub(super) fn instants(window: ChartWindow, step: u64) -> impl Iterator<Item = Instant> {
    let step = step.max(1);
    let first = window.from.micros().div_ceil(MICROS_PER_SECOND).div_ceil(step);
    let last = window.to.whole_seconds() / step;
    (first..=last).take(TICKS_MAX).map(move |multiple| Instant::from_seconds(multiple.saturating_mul(step)))
}

/// How many columns of pixels a width in CSS pixels may have, for decimation.
pub(super) fn columns(width_css: f64) -> f64 {
    f64::from(to_u32((width_css * 2.0).ceil()).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (greatest, top) in [
            (0.0, 5.0),
            (5.0, 5.0),
            (7.0, 8.0),
            (11.0, 12.0),
            (42.0, 50.0),
            (60.0, 60.0),
            (61.0, 80.0),
            (4e6, 4e6),
        ] {
            assert!((count_top(greatest) - top).abs() < 1e-6, "{greatest}: {}", count_top(greatest));
        }
        for (greatest, top) in [(0.0, 1.0), (5.3, 10.0), (75.0, 120.0), (5_000.0, 7_200.0)] {
            assert!((span_top(greatest * 1e6) - top * 1e6).abs() < 1e-6, "{greatest}");
        }
        for huge in [u64::MAX as f64, f64::MAX, f64::INFINITY, f64::NAN, -1.0] {
            assert!(count_top(huge).is_finite() && span_top(huge).is_finite());
            assert!(count_top(huge) > 0.0 && span_top(huge) > 0.0);
        }
    }

    #[test]
    fn ticks_are_few_and_lie_within_the_window() {
        for (from, to) in [(0, 60), (880, 1_060), (0, 366 * DAY), (7, 8), (0, 0)] {
            let window = ChartWindow {
                from: Instant::from_seconds(from),
                to: Instant::from_seconds(to),
                now: Instant::from_seconds(from),
            };
            let step = time_steps(window.length()).next().expect("some step is long enough");
            let ticks: Vec<_> = instants(window, step).collect();
            assert!(ticks.len() <= 13 && ticks.iter().all(|at| *at >= window.from && *at <= window.to));
        }
    }
}
