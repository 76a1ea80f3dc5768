//! Looking back: any instant of the run so far can be looked at, and gone on from.

use super::state::App;
use super::view::RewindView;
use crate::model::time::Instant;
use crate::narrate::format;
use crate::narrate::locale::Field;

impl App {
    /// Stands still at that second of the run so far, or where it ends.
    pub(super) fn rewind(&mut self, seconds: u64) {
        let furthest = self.run.furthest();
        let is_last = seconds > furthest.whole_seconds();
        self.rewind_to(if is_last { furthest } else { Instant::from_seconds(seconds).min(furthest) });
    }

    /// Goes back to the latest instant that was reached.
    pub(super) fn return_to_the_end(&mut self) {
        self.rewind_to(self.run.furthest());
    }

    fn rewind_to(&mut self, at: Instant) {
        self.set_playing(false);
        self.looks_back = true;
        self.goal = Some(at);
    }

    /// Whether it stands before instants that were reached already.
    pub(super) fn is_in_the_past(&self) -> bool {
        self.run.simulation().now() < self.run.furthest()
    }
}

/// The slider of the run so far.
#[inline(never)]
pub(super) fn view(app: &App) -> RewindView {
    let furthest = app.run.furthest();
    let at = app.goal.filter(|_| app.looks_back).unwrap_or(app.run.snapshot().at);
    let (time, end) = (format::clock(at), format::clock(furthest));
    let fields = [("time", Field::Text(&time)), ("end", Field::Text(&end))];
    let last = furthest.whole_seconds() + u64::from(!furthest.micros().is_multiple_of(1_000_000));
    RewindView {
        position: if at == furthest { last } else { at.whole_seconds() },
        last,
        end: end.clone(),
        spoken: app.locale.format("rewind.spoken", &fields),
        warning: app.is_in_the_past().then(|| app.locale.format("rewind.warning", &fields)),
        back: app.is_in_the_past().then(|| app.locale.format("rewind.back", &fields)),
    }
}
