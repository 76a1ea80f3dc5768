//! Rate dials: how far a slider reaches, and what one step of it is.

use crate::model::rate::Rate;

/// A slider has so many steps over its whole length.
pub const SLIDER_STEPS: u32 = 40;

/// Where sliders end at first.
pub const DEFAULT_MAX: Rate = Rate::from_per_second(20);

/// The least end in steps of 1, 2, 5 from 20 to 100,000 that has room for `rate`.
#[must_use]
pub fn widened(rate: Rate) -> Rate {
    let ends = [20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000];
    ends.into_iter().map(Rate::from_per_second).find(|end| rate <= *end).unwrap_or(Rate::MAX)
}

/// The slider position nearest to `rate` on a slider that ends at `max`.
#[must_use]
pub fn position(rate: Rate, max: Rate) -> u32 {
    let step = step(max).max(1);
    let position = (rate.thousandths() + step / 2) / step;
    u32::try_from(position).unwrap_or(SLIDER_STEPS).min(SLIDER_STEPS)
}

/// The rate at a slider position.
#[must_use]
pub fn rate_at(position: u32, max: Rate) -> Rate {
    Rate::from_thousandths(u64::from(position.min(SLIDER_STEPS)) * step(max)).min(Rate::MAX)
}

/// What the step buttons add or take: two slider steps, 1 a second on a slider to 20. A rate
/// between two steps goes to the nearest one in that direction.
#[must_use]
pub fn stepped(rate: Rate, steps: i32, max: Rate) -> Rate {
    let step = (2 * step(max)).max(1);
    let now = rate.thousandths();
    let next = if steps > 0 { (now / step + 1) * step } else { now.saturating_sub(1) / step * step };
    Rate::from_thousandths(next).min(Rate::MAX)
}

fn step(max: Rate) -> u64 {
    max.thousandths() / u64::from(SLIDER_STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sliders_widen_in_steps_of_one_two_five() {
        for (rate, end) in [(0, 20), (20, 20), (21, 50), (400, 500), (99_999, 100_000), (100_000, 100_000)] {
            assert_eq!(widened(Rate::from_per_second(rate)), Rate::from_per_second(end));
        }
    }

    #[test]
    fn every_position_reads_back() {
        for max in [1, 20, 50, 100_000].map(Rate::from_per_second) {
            for place in 0..=SLIDER_STEPS {
                assert_eq!(position(rate_at(place, max), max), place, "{max}");
            }
        }
    }

    #[test]
    fn step_buttons_go_to_the_next_whole_step() {
        let step_from = |thousandths, steps| {
            stepped(Rate::from_thousandths(thousandths), steps, DEFAULT_MAX).thousandths()
        };
        assert_eq!((step_from(6_000, 1), step_from(6_000, -1)), (7_000, 5_000));
        assert_eq!((step_from(6_300, 1), step_from(6_300, -1)), (7_000, 6_000));
        assert_eq!((step_from(0, -1), step_from(100_000_000, 1)), (0, 100_000_000));
    }
}
