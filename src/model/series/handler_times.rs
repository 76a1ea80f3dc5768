//! How long attempts took over time: of each bucket the 99th percentile.
//!
//! Percentiles of parts cannot be added up to one of the whole, so each bucket's own is read off a
//! histogram of all attempts that ended in it. It is at most 1/32 above the true one
//! ([`Distribution`]), at every resolution.

use std::collections::VecDeque;
use std::rc::Rc;

use super::super::distribution::Distribution;
use super::super::held::HeldBytes;
use super::super::ring::Ring;
use super::super::state_hash::StateHasher;
use super::super::time::{Instant, Span};
use super::{CHUNK, Resolution};

/// Finished parts of ten seconds that make "lately", to which what is forming comes.
const RECENT_PARTS: usize = 6;

/// The attempts that ended within a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimesBucket {
    /// When the stretch starts.
    pub start: Instant,
    /// How many attempts ended, whether they succeeded, failed or were cut off.
    pub attempts: u64,
    /// What 99 of 100 of them took at most; zero where none ended.
    pub p99: Span,
}

/// How long attempts took, at every resolution and lately.
#[derive(Clone, Debug)]
pub struct HandlerTimes {
    /// What ended within the bucket of each resolution that is forming, but for what a finer one
    /// still has.
    forming: [Distribution; 4],
    finished: [Ring<TimesBucket, CHUNK>; 4],
    /// The last parts of ten seconds, which checkpoints share.
    parts: VecDeque<Rc<Distribution>>,
}

impl Default for HandlerTimes {
    fn default() -> Self {
        Self {
            forming: Default::default(),
            finished: Resolution::ALL.map(|resolution| Ring::keeping(resolution.kept())),
            parts: VecDeque::new(),
        }
    }
}

impl HandlerTimes {
    /// An attempt ended that took so long.
    #[inline(always)]
    pub fn record(&mut self, took: Span) {
        self.forming[0].record(took);
    }

    /// A whole second ends at `now`, before anything of that instant happens.
    #[inline(never)]
    pub fn second_is_over(&mut self, now: Instant) {
        for (place, resolution) in Resolution::ALL.into_iter().enumerate() {
            if !now.micros().is_multiple_of(resolution.width().micros()) {
                break;
            }
            let (finer, coarser) = self.forming.split_at_mut(place + 1);
            let over = &mut finer[place];
            let (attempts, p99) = (over.count(), over.percentile(99));
            self.finished[place].push(TimesBucket { start: now - resolution.width(), attempts, p99 });
            if let Some(coarser) = coarser.first_mut() {
                coarser.merge(over);
            }
            if resolution == Resolution::TenSeconds {
                keep_part(&mut self.parts, over);
            }
            over.clear();
        }
    }

    /// The finished buckets of `resolution`, oldest first.
    pub fn finished(
        &self,
        resolution: Resolution,
    ) -> impl DoubleEndedIterator<Item = &TimesBucket> + ExactSizeIterator {
        let place = Resolution::ALL.iter().position(|one| *one == resolution).unwrap_or_default();
        self.finished[place].iter()
    }

    /// What attempts took that ended within the last minute or so.
    #[must_use]
    #[inline(never)]
    pub fn recent(&self) -> Distribution {
        let [second, ten_seconds, ..] = &self.forming;
        let mut recent = second.clone();
        recent.merge(ten_seconds);
        self.parts.iter().for_each(|part| recent.merge(part));
        recent
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.forming.iter().for_each(|forming| forming.count_held(held));
        self.finished.iter().for_each(|finished| finished.count_held(held));
        for part in &self.parts {
            if held.shared::<_, Distribution>(part, 1) {
                part.count_held(held);
            }
        }
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        self.forming.iter().for_each(|forming| forming.hash_into(hasher));
        for bucket in self.finished.iter().flat_map(|finished| finished.iter()) {
            hasher.write(bucket.attempts);
            hasher.write(bucket.p99.micros());
        }
        self.parts.iter().for_each(|part| part.hash_into(hasher));
    }
}

/// Puts a copy of what has just ended behind the last parts.
fn keep_part(parts: &mut VecDeque<Rc<Distribution>>, over: &Distribution) {
    let oldest = if parts.len() == RECENT_PARTS { parts.pop_front() } else { None };
    let mut next = oldest.and_then(|part| Rc::try_unwrap(part).ok()).unwrap_or_default();
    next.clear();
    next.merge(over);
    parts.push_back(Rc::new(next));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred attempts end each second; in the last of every minute three of them are slow.
    fn played(seconds: u64) -> HandlerTimes {
        let mut times = HandlerTimes::default();
        for second in 0..seconds {
            let slow = if second % 60 == 59 { 3 } else { 0 };
            (0..100 - slow).for_each(|_| times.record(Span::from_millis(100)));
            (0..slow).for_each(|_| times.record(Span::from_seconds(8)));
            times.second_is_over(Instant::from_seconds(second + 1));
        }
        times
    }

    #[test]
    fn a_coarse_bucket_has_the_percentile_of_all_its_attempts_and_not_the_greatest_of_its_parts() {
        let times = played(600);
        let last = |resolution| times.finished(resolution).last().copied().unwrap_or_default();
        let near = |found: Span, exact: Span| {
            assert!(found >= exact && found.micros() <= exact.micros() + exact.micros() / 32, "{found}");
        };
        near(last(Resolution::Second).p99, Span::from_seconds(8));
        for resolution in [Resolution::TenSeconds, Resolution::Minute, Resolution::TenMinutes] {
            let bucket = last(resolution);
            near(bucket.p99, Span::from_millis(100));
            assert_eq!(bucket.attempts, 100 * resolution.width().micros() / 1_000_000);
            assert_eq!(bucket.start + resolution.width(), Instant::from_seconds(600));
        }
    }

    #[test]
    fn lately_is_the_last_minute_and_what_has_begun_since() {
        let mut times = played(75);
        assert_eq!(times.recent().count(), 6_500, "the last six parts and five seconds more");
        (75..400).for_each(|second| times.second_is_over(Instant::from_seconds(second + 1)));
        assert_eq!((times.recent().count(), times.recent().percentile(99)), (0, Span::ZERO));
    }

    #[test]
    fn what_it_holds_is_bounded() {
        let held = |seconds| {
            let mut held = HeldBytes::default();
            played(seconds).count_held(&mut held);
            held.bytes()
        };
        let times = played(5_000);
        assert_eq!(times.finished(Resolution::Second).len(), Resolution::Second.kept());
        assert!(held(20_000) < held(10_000) + 6_000, "only rings that are not full grow");
    }
}
