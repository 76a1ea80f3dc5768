//! What charts are drawn from: minimum, maximum and last value for each second, ten seconds,
//! minute and ten minutes, in bounded rings.
//!
//! A bucket is exact at its own resolution: a peak of one microsecond is in the `max` of its
//! bucket at every resolution. Nothing is averaged, and nothing is sampled but the lag of groups
//! ([`lags`]).

pub mod flows;
pub mod handler_times;
pub mod lags;

use super::held::HeldBytes;
use super::ring;
use super::state_hash::StateHasher;
use super::time::{Instant, Span};

/// The width of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resolution {
    /// One second, kept for the last 20 minutes.
    Second,
    /// Ten seconds, kept for the last 2 hours.
    TenSeconds,
    /// One minute, kept for the last 24 hours.
    Minute,
    /// Ten minutes, kept for the last 10 days.
    TenMinutes,
}

impl Resolution {
    /// All of them, finest first.
    pub const ALL: [Self; 4] = [Self::Second, Self::TenSeconds, Self::Minute, Self::TenMinutes];

    /// The width of one bucket.
    #[must_use]
    pub const fn width(self) -> Span {
        Span::from_seconds(self.seconds())
    }

    /// How many buckets are kept.
    #[must_use]
    pub const fn kept(self) -> usize {
        match self {
            Self::Second => 1_200,
            Self::TenSeconds => 720,
            Self::Minute | Self::TenMinutes => 1_440,
        }
    }

    const fn seconds(self) -> u64 {
        match self {
            Self::Second => 1,
            Self::TenSeconds => 10,
            Self::Minute => 60,
            Self::TenMinutes => 600,
        }
    }
}

/// The least, greatest and last value of a gauge within a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The least value.
    pub min: u64,
    /// The greatest value.
    pub max: u64,
    /// The value at the bucket's end.
    pub last: u64,
}

impl Extent {
    /// An extent of one value.
    #[must_use]
    pub const fn of(value: u64) -> Self {
        Self { min: value, max: value, last: value }
    }

    /// Takes in a later value.
    pub fn take_in(&mut self, value: u64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.last = value;
    }

    fn take_in_later(&mut self, later: &Self) {
        self.min = self.min.min(later.min);
        self.max = self.max.max(later.max);
        self.last = later.last;
    }
}

/// What happened within one bucket of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// When the bucket starts. It ends one width later; an event at that very instant is the
    /// next bucket's, the gauges' `last` is the value when it ends.
    pub start: Instant,
    /// Messages waiting.
    pub waiting: Extent,
    /// Age of the oldest waiting message in microseconds, 0 while none waits.
    pub oldest_age_micros: Extent,
    /// Messages offered within the bucket.
    pub offered: u64,
    /// Messages accepted within the bucket.
    pub accepted: u64,
    /// Messages finished within the bucket.
    pub done: u64,
    /// Of these, messages that were too late or have a wrong result.
    pub flawed: u64,
    /// Messages rejected within the bucket.
    pub rejected: u64,
    /// Messages dropped within the bucket, new and oldest.
    pub dropped: u64,
    /// All messages rejected or dropped since the run's start, at the bucket's end.
    pub lost_total: u64,
    /// Consumer-microseconds of work within the bucket.
    pub busy_micros: u64,
    /// Consumer-microseconds of consumers that were here within the bucket.
    pub staffed_micros: u64,
    /// Dead letters that wait in queues, or in topics and were not sent back, at the bucket's end.
    pub dead_letters: u64,
    /// Side effects that a message had once more, since the run's start, at the bucket's end.
    pub duplicate_side_effects_total: u64,
}

/// What is known of a stretch of time, to which the next stretch can be added.
pub trait OfTime: Copy {
    /// When the stretch starts.
    fn start(&self) -> Instant;
    /// Adds the stretch that follows.
    fn take_in_later(&mut self, later: &Self);
    /// Feeds it to `hasher`.
    fn hash_into(&self, hasher: &mut StateHasher);
}

impl OfTime for Bucket {
    fn start(&self) -> Instant {
        self.start
    }

    fn take_in_later(&mut self, later: &Self) {
        self.waiting.take_in_later(&later.waiting);
        self.oldest_age_micros.take_in_later(&later.oldest_age_micros);
        self.offered += later.offered;
        self.accepted += later.accepted;
        self.done += later.done;
        self.flawed += later.flawed;
        self.rejected += later.rejected;
        self.dropped += later.dropped;
        self.lost_total = later.lost_total;
        self.busy_micros += later.busy_micros;
        self.staffed_micros += later.staffed_micros;
        self.dead_letters = later.dead_letters;
        self.duplicate_side_effects_total = later.duplicate_side_effects_total;
    }

    fn hash_into(&self, hasher: &mut StateHasher) {
        for value in [
            self.start.micros(),
            self.waiting.min,
            self.waiting.max,
            self.waiting.last,
            self.oldest_age_micros.min,
            self.oldest_age_micros.max,
            self.oldest_age_micros.last,
            self.offered,
            self.accepted,
            self.done,
            self.rejected,
            self.dropped,
            self.lost_total,
            self.busy_micros,
            self.staffed_micros,
        ] {
            hasher.write(value);
        }
        // Most runs have none of these.
        for (purpose, value) in [self.flawed, self.dead_letters, self.duplicate_side_effects_total]
            .into_iter()
            .enumerate()
            .filter(|(_, value)| *value > 0)
        {
            hasher.write(value ^ (purpose as u64) << 62);
        }
    }
}

/// Buckets in a part that checkpoints share: every ring keeps a multiple of it.
const CHUNK: usize = 40;

/// What happened in the run, and how much waited in the queue that the dials speak of.
pub type Series = Rings<Bucket>;

/// Rings of finished buckets at every resolution.
#[derive(Clone, Debug)]
pub struct Rings<B> {
    rings: [Ring<B>; 4],
}

#[derive(Clone, Debug)]
struct Ring<B> {
    finished: ring::Ring<B, CHUNK>,
    forming: Option<B>,
}

impl<B> Default for Rings<B> {
    fn default() -> Self {
        let ring =
            |resolution: Resolution| Ring { finished: ring::Ring::keeping(resolution.kept()), forming: None };
        Self { rings: Resolution::ALL.map(ring) }
    }
}

impl<B: OfTime> Rings<B> {
    /// The finished buckets of `resolution`, oldest first.
    pub fn finished(
        &self,
        resolution: Resolution,
    ) -> impl DoubleEndedIterator<Item = &B> + ExactSizeIterator {
        self.ring(resolution).finished.iter()
    }

    /// The bucket of `resolution` that is still forming, made of whole seconds so far.
    #[must_use]
    pub fn forming(&self, resolution: Resolution) -> Option<&B> {
        self.ring(resolution).forming.as_ref()
    }

    /// Takes in the second that just ended.
    pub fn push_second(&mut self, second: &B) {
        for (ring, resolution) in self.rings.iter_mut().zip(Resolution::ALL) {
            ring.take_in(second, resolution);
        }
    }

    /// Feeds every bucket, in order, to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        for ring in &self.rings {
            hasher.write(ring.finished.len() as u64);
            ring.finished.iter().chain(&ring.forming).for_each(|bucket| bucket.hash_into(hasher));
        }
    }

    /// Counts the bytes it holds.
    pub fn count_held(&self, held: &mut HeldBytes) {
        self.rings.iter().for_each(|ring| ring.finished.count_held(held));
    }

    fn ring(&self, resolution: Resolution) -> &Ring<B> {
        match resolution {
            Resolution::Second => &self.rings[0],
            Resolution::TenSeconds => &self.rings[1],
            Resolution::Minute => &self.rings[2],
            Resolution::TenMinutes => &self.rings[3],
        }
    }
}

impl<B: OfTime> Ring<B> {
    fn take_in(&mut self, second: &B, resolution: Resolution) {
        match &mut self.forming {
            Some(forming) => forming.take_in_later(second),
            None => self.forming = Some(*second),
        }
        let seconds_so_far = second.start().whole_seconds() + 1;
        if seconds_so_far.is_multiple_of(resolution.seconds())
            && let Some(finished) = self.forming.take()
        {
            self.finished.push(finished);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(index: u64, waiting_max: u64) -> Bucket {
        Bucket {
            start: Instant::from_seconds(index),
            waiting: Extent { min: 0, max: waiting_max, last: 1 },
            done: 2,
            ..Bucket::default()
        }
    }

    #[test]
    fn a_peak_of_one_second_stays_one_bucket_at_every_resolution() {
        let mut series = Series::default();
        for index in 0..1_200 {
            series.push_second(&second(index, if index == 615 { 900 } else { 3 }));
        }
        for resolution in Resolution::ALL {
            let peaks = series.finished(resolution).filter(|bucket| bucket.waiting.max == 900).count();
            assert_eq!(peaks, 1, "{resolution:?}");
            let done: u64 = series.finished(resolution).map(|bucket| bucket.done).sum();
            assert_eq!(done, 2_400, "{resolution:?}");
        }
    }

    #[test]
    fn rings_stay_bounded() {
        let mut series = Series::default();
        for index in 0..5_000 {
            series.push_second(&second(index, 1));
        }
        assert_eq!(series.finished(Resolution::Second).len(), 1_200);
        assert_eq!(
            series.finished(Resolution::Second).next().map(|bucket| bucket.start),
            Some(Instant::from_seconds(3_800))
        );
        assert_eq!(series.finished(Resolution::TenMinutes).len(), 8);
        assert_eq!(
            series.forming(Resolution::TenMinutes).map(|bucket| bucket.start),
            Some(Instant::from_seconds(4_800))
        );
    }
}
