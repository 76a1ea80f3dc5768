//! A dial that is dragged: how often the model hears of it. The first position counts at once, the last
//! one when it is let go, and between them at most one in [`GAP_MILLIS`] of real time, so that the log of
//! commands holds every one that was applied and is not longer than it need be.

use crate::model::settings::{Setting, Value};

/// Real time between two commands of one drag, in milliseconds.
pub const GAP_MILLIS: f64 = 50.0;

/// The drag that is going on, if there is one.
#[derive(Clone, Debug, Default)]
pub struct Drag {
    /// The dial and when the model heard of it last.
    last: Option<(Setting, f64)>,
    /// Where it stands meanwhile.
    pending: Option<(Setting, Value)>,
}

impl Drag {
    /// The dial was moved to `value` at real time `now`. Returns the value if the model is to hear of it
    /// now.
    pub fn moved(&mut self, setting: Setting, value: Value, now: f64) -> Option<Value> {
        let is_soon = self.last.is_some_and(|(last, at)| last == setting && now - at < GAP_MILLIS);
        if is_soon {
            self.pending = Some((setting, value));
            return None;
        }
        self.pending = None;
        self.last = Some((setting, now));
        Some(value)
    }

    /// What is due at real time `now`.
    pub fn due(&mut self, now: f64) -> Option<(Setting, Value)> {
        let (setting, at) = self.last?;
        let due = self.pending.take_if(|_| now - at >= GAP_MILLIS)?;
        self.last = Some((setting, now));
        Some(due)
    }

    /// It was let go, or something else is done: the last position counts.
    pub fn released(&mut self) -> Option<(Setting, Value)> {
        self.last = None;
        self.pending.take()
    }

    /// When something is due.
    #[must_use]
    pub fn due_at(&self) -> Option<f64> {
        self.pending.as_ref().and(self.last).map(|(_, at)| at + GAP_MILLIS)
    }

    /// Where a dial stands that the model has not heard of yet.
    #[must_use]
    pub const fn pending(&self) -> Option<(Setting, Value)> {
        self.pending
    }

    /// It is forgotten: a run begins.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::rate::Rate;

    const P: Setting = Setting::ProducerRate;

    const fn value(rate: u64) -> Value {
        Value::Rate(Rate::from_per_second(rate))
    }

    #[test]
    fn the_first_counts_at_once_and_the_last_on_release() {
        let mut drag = Drag::default();
        assert_eq!(drag.moved(P, value(7), 1_000.0), Some(value(7)));
        assert_eq!(drag.moved(P, value(8), 1_010.0), None);
        assert_eq!(drag.moved(P, value(9), 1_049.9), None);
        assert_eq!((drag.pending(), drag.due_at()), (Some((P, value(9))), Some(1_050.0)));
        assert_eq!(drag.released(), Some((P, value(9))));
        assert_eq!((drag.released(), drag.pending(), drag.due_at()), (None, None, None));
    }

    #[test]
    fn within_a_gap_one_counts_and_it_is_the_newest() {
        let mut drag = Drag::default();
        let mut heard = Vec::new();
        for step in 0_u32..200 {
            let now = f64::from(step) * 5.0;
            heard.extend(drag.due(now).map(|_| now));
            heard.extend(drag.moved(P, value(u64::from(step)), now).map(|_| now));
        }
        heard.windows(2).for_each(|two| assert!(two[1] - two[0] >= GAP_MILLIS, "{two:?}"));
        assert_eq!(heard.len(), 20, "twenty in a second");
        assert_eq!(drag.released(), Some((P, value(199))));
    }

    #[test]
    fn another_dial_does_not_wait() {
        let mut drag = Drag::default();
        assert!(drag.moved(P, value(7), 0.0).is_some());
        assert!(drag.moved(Setting::ConsumerRate, value(7), 1.0).is_some());
    }

    #[test]
    fn a_drag_after_a_release_counts_at_once() {
        let mut drag = Drag::default();
        assert!(drag.moved(P, value(7), 0.0).is_some());
        assert_eq!(drag.released(), None);
        assert!(drag.moved(P, value(8), 1.0).is_some());
    }
}
