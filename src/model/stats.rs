//! Statistics: time-weighted levels, counts by second, waiting times.
//!
//! Levels (how many wait, how old the oldest is) are taken once an instant is complete, never in
//! the middle of it, and are constant between instants, so every sum and every extreme is exact
//! and does not depend on how often anybody looked.

use std::collections::VecDeque;
use std::rc::Rc;

use super::distribution::Distribution;
use super::held::HeldBytes;
use super::ledger::Ledger;
use super::message::MessageId;
use super::series::handler_times::HandlerTimes;
use super::series::{Bucket, Extent, Resolution, Series};
use super::snapshot::{Finish, Flow, Loss, LossRule, RECENT_MAX, WaitingTimes};
use super::state_hash::StateHasher;
use super::time::{Instant, Span};

/// Seconds that "lately" looks back on for what moved.
const FLOW_SECONDS: usize = 10;
/// Seconds that "lately" looks back on for how busy consumers were.
const UTILISATION_SECONDS: usize = 60;
/// Seconds in one part of the recent waiting times, and how many finished parts are kept: together
/// a minute, to which the part that is forming comes.
const RECENT_PART_SECONDS: u64 = 10;
const RECENT_PARTS: usize = 6;

/// Levels that are constant between instants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Messages waiting.
    pub waiting: u64,
    /// When the oldest waiting message was accepted.
    pub oldest_accepted_at: Option<Instant>,
    /// Messages in flight.
    pub in_flight: u64,
    /// Consumers at work.
    pub busy: u64,
    /// Consumers that are here.
    pub staffed: u64,
}

/// What went wrong so far, as it stands at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trouble {
    /// Dead letters that wait in queues, or in topics and were not sent back.
    pub dead_letters: u64,
    /// Side effects that a message had once more, since the run's start.
    pub duplicate_side_effects: u64,
}

impl Trouble {
    const fn fill(self, bucket: &mut Bucket) {
        bucket.dead_letters = self.dead_letters;
        bucket.duplicate_side_effects_total = self.duplicate_side_effects;
    }
}

/// All statistics of a run.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    levels: Levels,
    settled_at: Instant,
    second: Bucket,
    counts_at_second_start: Ledger,
    series: Series,
    /// Until the last whole second.
    waiting_area: u128,
    in_flight_area: u128,
    /// Since then: a second's worth fits.
    waiting_area_of_second: u64,
    in_flight_area_of_second: u64,
    /// All but those of the part that is forming.
    waits_before: Distribution,
    waits_forming: Distribution,
    /// Finished parts, which checkpoints share.
    waits_parts: VecDeque<Rc<Distribution>>,
    handler_times: HandlerTimes,
    finishes: Recent<Finish>,
    losses: Recent<Loss>,
}

impl Stats {
    /// Time has come to `now`: the levels held until here.
    #[inline(always)]
    pub fn pass_time(&mut self, now: Instant) {
        let span = now.since(self.settled_at);
        if span == Span::ZERO {
            return;
        }
        let micros = span.micros();
        self.waiting_area_of_second += self.levels.waiting * micros;
        self.in_flight_area_of_second += self.levels.in_flight * micros;
        self.second.busy_micros += self.levels.busy * micros;
        self.second.staffed_micros += self.levels.staffed * micros;
        let oldest = self.oldest_age_micros(now);
        let extent = &mut self.second.oldest_age_micros;
        (extent.max, extent.last) = (extent.max.max(oldest), oldest);
        self.settled_at = now;
    }

    /// The levels as they stand.
    #[must_use]
    pub const fn levels(&self) -> Levels {
        self.levels
    }

    /// The levels, to be settled once everything that happens at an instant has happened.
    #[inline]
    pub const fn levels_mut(&mut self) -> &mut Levels {
        &mut self.levels
    }

    /// Everything that happens at `now` has happened: the levels are these from here on.
    #[inline(always)]
    pub fn settle(&mut self, now: Instant) {
        self.second.waiting.take_in(self.levels.waiting);
        // It grows from here on: its greatest and last values are those before the next instant.
        let oldest = &mut self.second.oldest_age_micros.min;
        *oldest = (*oldest).min(self.levels.oldest_accepted_at.map_or(0, |at| now.since(at).micros()));
    }

    /// A whole second ends at `now`, before anything of that instant happens.
    pub fn close_second(&mut self, now: Instant, counts: &Ledger, trouble: Trouble) {
        let before = &self.counts_at_second_start;
        self.second.offered = counts.offered - before.offered;
        self.second.accepted = counts.accepted() - before.accepted();
        self.second.done = counts.finished() - before.finished();
        self.second.flawed = self.second.done - (counts.done - before.done);
        self.second.rejected = counts.rejected - before.rejected;
        self.second.dropped = counts.dropped() - before.dropped();
        self.second.lost_total = counts.refused_or_dropped();
        trouble.fill(&mut self.second);
        self.series.push_second(&self.second);
        self.handler_times.second_is_over(now);
        self.waiting_area += u128::from(std::mem::take(&mut self.waiting_area_of_second));
        self.in_flight_area += u128::from(std::mem::take(&mut self.in_flight_area_of_second));
        self.counts_at_second_start = *counts;
        self.second = Bucket {
            start: now,
            waiting: Extent::of(self.levels.waiting),
            oldest_age_micros: Extent::of(self.oldest_age_micros(now)),
            lost_total: counts.refused_or_dropped(),
            ..Bucket::default()
        };
        trouble.fill(&mut self.second);
        if now.whole_seconds().is_multiple_of(RECENT_PART_SECONDS) {
            self.close_recent_part();
        }
    }

    fn close_recent_part(&mut self) {
        self.waits_before.merge(&self.waits_forming);
        let is_full = self.waits_parts.len() == RECENT_PARTS;
        let oldest = if is_full { self.waits_parts.pop_front() } else { None };
        let mut next = oldest.and_then(|part| Rc::try_unwrap(part).ok()).unwrap_or_default();
        next.clear();
        self.waits_parts.push_back(Rc::new(std::mem::replace(&mut self.waits_forming, next)));
    }

    /// A consumer starts on a message that has waited so long.
    #[inline(always)]
    pub fn record_wait(&mut self, waited: Span) {
        self.waits_forming.record(waited);
    }

    /// An attempt ended that a consumer began then.
    #[inline(always)]
    pub fn record_handled(&mut self, now: Instant, began: Instant) {
        self.handler_times.record(now.since(began));
    }

    /// A message was finished.
    #[inline(always)]
    pub fn record_finish(&mut self, at: Instant, id: MessageId) {
        self.finishes.push(Finish { at, number: id.number() });
    }

    /// A message was refused or dropped.
    pub fn record_loss(&mut self, at: Instant, id: MessageId, rule: LossRule) {
        self.losses.push(Loss { at, number: id.number(), rule });
    }

    /// Minimum, maximum and last values over time.
    #[must_use]
    pub const fn series(&self) -> &Series {
        &self.series
    }

    /// How long attempts took over time.
    #[must_use]
    pub const fn handler_times(&self) -> &HandlerTimes {
        &self.handler_times
    }

    /// The second that is not over, with its levels up to the last instant at which anything
    /// happened and its counts up to now.
    #[must_use]
    pub fn forming_second(&self, now: Instant, counts: &Ledger, trouble: Trouble) -> Bucket {
        let mut copy = self.second;
        trouble.fill(&mut copy);
        let before = &self.counts_at_second_start;
        copy.offered = counts.offered - before.offered;
        copy.accepted = counts.accepted() - before.accepted();
        copy.done = counts.finished() - before.finished();
        copy.flawed = copy.done - (counts.done - before.done);
        copy.rejected = counts.rejected - before.rejected;
        copy.dropped = counts.dropped() - before.dropped();
        copy.lost_total = counts.refused_or_dropped();
        copy.oldest_age_micros.take_in(self.oldest_age_micros(now));
        copy
    }

    /// The last messages that finished, newest last.
    #[must_use]
    pub fn recent_finishes(&self) -> Vec<Finish> {
        self.finishes.iter().collect()
    }

    /// The last messages that were refused or dropped, newest last.
    #[must_use]
    pub fn recent_losses(&self) -> Vec<Loss> {
        self.losses.iter().collect()
    }

    /// Waiting times since the run's start.
    #[must_use]
    pub fn waiting_time_overall(&self) -> WaitingTimes {
        let mut overall = self.waits_before.clone();
        overall.merge(&self.waits_forming);
        overall.summary()
    }

    /// Waiting times of the last minute or so.
    #[must_use]
    pub fn waiting_time_recent(&self) -> WaitingTimes {
        let mut recent = self.waits_forming.clone();
        self.waits_parts.iter().for_each(|part| recent.merge(part));
        recent.summary()
    }

    /// What moved within the last finished seconds.
    #[must_use]
    pub fn flow(&self) -> Flow {
        let finished = self.series.finished(Resolution::Second);
        let mut flow = Flow::default();
        let mut newest_waiting = None;
        let mut waiting_before = 0;
        for (index, second) in finished.rev().take(FLOW_SECONDS + 1).enumerate() {
            if index == FLOW_SECONDS {
                waiting_before = second.waiting.last;
                break;
            }
            newest_waiting = newest_waiting.or(Some(second.waiting.last));
            flow.window = flow.window + Span::from_seconds(1);
            flow.offered += second.offered;
            flow.accepted += second.accepted;
            flow.done += second.done;
            flow.flawed += second.flawed;
            flow.rejected += second.rejected;
            flow.dropped += second.dropped;
        }
        let difference = i128::from(newest_waiting.unwrap_or(0)) - i128::from(waiting_before);
        flow.waiting_change = i64::try_from(difference).unwrap_or(i64::MAX);
        flow
    }

    /// Share of the consumers' time spent working within the last minute, in millionths.
    #[must_use]
    pub fn utilisation_recent_millionths(&self, now: Instant) -> u32 {
        let unsettled = now.since(self.settled_at).micros();
        let mut busy = u128::from(self.second.busy_micros + self.levels.busy * unsettled);
        let mut staffed = u128::from(self.second.staffed_micros + self.levels.staffed * unsettled);
        for second in self.series.finished(Resolution::Second).rev().take(UTILISATION_SECONDS) {
            busy += u128::from(second.busy_micros);
            staffed += u128::from(second.staffed_micros);
        }
        u32::try_from((busy * 1_000_000).checked_div(staffed).unwrap_or_default()).unwrap_or(1_000_000)
    }

    /// Message-microseconds spent waiting since the start: the mean number waiting is this
    /// divided by the time.
    #[must_use]
    pub fn waiting_area(&self, now: Instant) -> u128 {
        let unsettled = self.levels.waiting * now.since(self.settled_at).micros();
        self.waiting_area + u128::from(self.waiting_area_of_second + unsettled)
    }

    /// Message-microseconds spent in flight since the start.
    #[must_use]
    pub fn in_flight_area(&self, now: Instant) -> u128 {
        let unsettled = self.levels.in_flight * now.since(self.settled_at).micros();
        self.in_flight_area + u128::from(self.in_flight_area_of_second + unsettled)
    }

    fn oldest_age_micros(&self, now: Instant) -> u64 {
        self.levels.oldest_accepted_at.map_or(0, |accepted_at| now.since(accepted_at).micros())
    }

    /// Feeds the whole state, as it is at `now`, to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher, now: Instant) {
        let mut settled = self.clone_without_series();
        settled.pass_time(now);
        hasher.write_wide(settled.waiting_area(now));
        hasher.write_wide(settled.in_flight_area(now));
        for value in [
            settled.second.busy_micros,
            settled.second.staffed_micros,
            settled.second.waiting.min,
            settled.second.waiting.max,
            settled.second.oldest_age_micros.min,
            settled.second.oldest_age_micros.max,
        ] {
            hasher.write(value);
        }
        self.series.hash_into(hasher);
        self.handler_times.hash_into(hasher);
        self.waits_before.hash_into(hasher);
        self.waits_forming.hash_into(hasher);
        self.waits_parts.iter().for_each(|part| part.hash_into(hasher));
        self.finishes
            .iter()
            .for_each(|finish| hasher.write(finish.at.micros() ^ finish.number.rotate_left(40)));
        self.losses.iter().for_each(|loss| hasher.write(loss.at.micros() ^ loss.number.rotate_left(40)));
    }

    /// Counts the bytes it holds beside itself.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.series.count_held(held);
        self.handler_times.count_held(held);
        self.waits_before.count_held(held);
        self.waits_forming.count_held(held);
        for part in &self.waits_parts {
            if held.shared::<_, Distribution>(part, 1) {
                part.count_held(held);
            }
        }
    }

    /// The sums alone, to bring them up to now without changing the run.
    fn clone_without_series(&self) -> Self {
        Self {
            levels: self.levels,
            settled_at: self.settled_at,
            second: self.second,
            waiting_area: self.waiting_area,
            in_flight_area: self.in_flight_area,
            waiting_area_of_second: self.waiting_area_of_second,
            in_flight_area_of_second: self.in_flight_area_of_second,
            ..Self::default()
        }
    }
}

/// The last few values, in place.
#[derive(Clone, Copy, Debug)]
struct Recent<T> {
    last: [Option<T>; RECENT_MAX],
    /// How many there were in all.
    pushed: usize,
}

impl<T: Copy> Default for Recent<T> {
    fn default() -> Self {
        Self { last: [None; RECENT_MAX], pushed: 0 }
    }
}

impl<T: Copy> Recent<T> {
    const fn push(&mut self, newest: T) {
        self.last[self.pushed % RECENT_MAX] = Some(newest);
        self.pushed = self.pushed.wrapping_add(1);
    }

    /// The values, oldest first. As long as there are fewer, the first places are empty.
    fn iter(&self) -> impl Iterator<Item = T> {
        (0..RECENT_MAX).filter_map(|place| self.last[self.pushed.wrapping_add(place) % RECENT_MAX])
    }
}
