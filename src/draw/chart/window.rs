//! Which stretch of time a chart shows.

use crate::model::series::Resolution;
use crate::model::time::{Instant, Span};

/// A stretch of model time with now inside it: what was before, what may come after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChartWindow {
    /// Its first instant.
    pub from: Instant,
    /// Its last instant; later than `from`.
    pub to: Instant,
    /// Where the past ends: within `from..=to`.
    pub now: Instant,
}

impl ChartWindow {
    /// How long it is; at least one microsecond.
    #[must_use]
    pub fn length(&self) -> Span {
        self.to.since(self.from).max(Span::from_micros(1))
    }
}

/// The longest past that a window shows at `resolution`.
const fn past_max(resolution: Resolution) -> Span {
    Span::from_seconds(match resolution {
        Resolution::Second => 120,
        Resolution::TenSeconds => 1_200,
        Resolution::Minute => 2 * 3_600,
        Resolution::TenMinutes => 20 * 3_600,
    })
}

/// The window at `now` for buckets of `resolution`: two thirds past and one third future. Near
/// the run's start it begins there and is at least 60 buckets long.
#[must_use]
pub fn chart_window(now: Instant, resolution: Resolution) -> ChartWindow {
    let past_max = past_max(resolution);
    let length_min = Span::from_micros(past_max.micros() / 2);
    let past = now.since(Instant::START).min(past_max);
    let future = Span::from_micros(past.micros() / 2);
    let length = (past + future).max(length_min);
    let from = now - past;
    ChartWindow { from, to: from + length, now }
}

/// The finest resolution whose window can show a past of `past`; the coarsest where none can.
#[must_use]
pub fn resolution_for(past: Span) -> Resolution {
    let enough = |resolution: &Resolution| past <= past_max(*resolution);
    Resolution::ALL.into_iter().find(enough).unwrap_or(Resolution::TenMinutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(now: u64, resolution: Resolution, from: u64, to: u64) {
        let window = chart_window(Instant::from_seconds(now), resolution);
        assert_eq!(window.from, Instant::from_seconds(from), "from at {now}");
        assert_eq!(window.to, Instant::from_seconds(to), "to at {now}");
        assert_eq!(window.now, Instant::from_seconds(now));
    }

    #[test]
    fn two_thirds_of_a_window_are_past() {
        check(0, Resolution::Second, 0, 60);
        check(21, Resolution::Second, 0, 60);
        check(60, Resolution::Second, 0, 90);
        check(120, Resolution::Second, 0, 180);
        check(1_000, Resolution::Second, 880, 1_060);
        check(86_400, Resolution::TenMinutes, 4 * 3_600, 34 * 3_600);
    }

    #[test]
    fn the_finest_resolution_that_shows_everything_is_found() {
        for (past, resolution) in [
            (0, Resolution::Second),
            (120, Resolution::Second),
            (121, Resolution::TenSeconds),
            (7_200, Resolution::Minute),
            (10_000_000, Resolution::TenMinutes),
        ] {
            assert_eq!(resolution_for(Span::from_seconds(past)), resolution);
        }
    }
}
