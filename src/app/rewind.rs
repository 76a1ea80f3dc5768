//! Along the run: any instant so far can be looked at and gone on from, and the next event jumped to.

use super::state::App;
use super::view::RewindView;
use crate::model::outlook::NextEvent;
use crate::model::settings::Bound;
use crate::model::time::{Instant, LAST_INSTANT, Span};
use crate::narrate::format;
use crate::narrate::locale::Field;

/// A jump forward is on offer from this length on.
const SKIP_FROM: Span = Span::from_seconds(3);

impl App {
    /// The instant of the jump forward that is on offer.
    #[must_use]
    pub fn skip_to(&self) -> Option<(NextEvent, Instant)> {
        let snapshot = self.run.snapshot();
        let next = snapshot.outlook.next;
        let (NextEvent::FullIn(span) | NextEvent::EmptyIn(span) | NextEvent::OutOfMemoryIn(span)) = next
        else {
            return None;
        };
        let at = snapshot.at + span;
        let is_left_alone = self.run.course().acts_at().is_none_or(|acts_at| at <= acts_at);
        // Nothing gets in until the line is within its bound, so it does not go by the rates.
        let is_over =
            matches!(snapshot.queue.bound, Bound::Messages(bound) if snapshot.queue.waiting > bound);
        (is_left_alone && !is_over && span >= SKIP_FROM && at < LAST_INSTANT).then_some((next, at))
    }

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
