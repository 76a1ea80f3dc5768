//! A distribution of spans in fixed buckets: bounded memory, any number of values.

use super::held::HeldBytes;
use super::snapshot::WaitingTimes;
use super::state_hash::StateHasher;
use super::time::Span;

/// Buckets per doubling: a percentile is at most 1/32 (3.2 %) above the true one.
const SUB_BUCKETS_LOG2: u32 = 5;
const SUB_BUCKETS: u64 = 1 << SUB_BUCKETS_LOG2;

/// Count, sum, greatest and a histogram of spans.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    count: u64,
    sum_micros: u128,
    max: Span,
    /// Grows to the bucket of the greatest value, at most 1,888 of them.
    buckets: Vec<u32>,
}

impl Distribution {
    /// Takes in one value.
    #[inline]
    pub fn record(&mut self, span: Span) {
        let bucket = bucket_of(span.micros());
        self.count += 1;
        self.sum_micros += u128::from(span.micros());
        self.max = self.max.max(span);
        match self.buckets.get_mut(bucket) {
            Some(values) => *values += 1,
            None => self.grow_to(bucket),
        }
    }

    /// The first value of a bucket that is not there yet.
    #[cold]
    fn grow_to(&mut self, bucket: usize) {
        self.buckets.resize(bucket, 0);
        self.buckets.push(1);
    }

    /// Takes in all values of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum_micros += other.sum_micros;
        self.max = self.max.max(other.max);
        if other.buckets.len() > self.buckets.len() {
            self.buckets.resize(other.buckets.len(), 0);
        }
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(own, more)| *own += more);
    }

    /// How many values it has.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Forgets everything, keeping its memory.
    pub fn clear(&mut self) {
        self.buckets.clear();
        (self.count, self.sum_micros, self.max) = (0, 0, Span::ZERO);
    }

    /// Its figures for people.
    #[must_use]
    pub fn summary(&self) -> WaitingTimes {
        let mean = self.sum_micros.checked_div(u128::from(self.count)).unwrap_or_default();
        WaitingTimes {
            count: self.count,
            mean: Span::from_micros(u64::try_from(mean).unwrap_or(u64::MAX)),
            p50: self.percentile(50),
            p95: self.percentile(95),
            p99: self.percentile(99),
            max: self.max,
        }
    }

    /// The least bucket end below which at least `percent` of the values lie, 1 to 100; never above the
    /// greatest value.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> Span {
        // So many may lie above it. The high ones are asked for most: they are found soonest from the top.
        let may_lie_above = u128::from(self.count) * u128::from(100_u64.saturating_sub(percent)) / 100;
        let mut above = 0_u128;
        for (bucket, count) in self.buckets.iter().enumerate().rev() {
            above += u128::from(*count);
            if above > may_lie_above {
                return Span::from_micros(bucket_end(bucket)).min(self.max);
            }
        }
        self.max
    }

    /// Counts the bytes it holds beside itself.
    pub const fn count_held(&self, held: &mut HeldBytes) {
        held.own::<u32>(self.buckets.len());
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.count);
        hasher.write_wide(self.sum_micros);
        hasher.write(self.max.micros());
        self.buckets.iter().for_each(|count| hasher.write(u64::from(*count)));
    }
}

/// Values below 32 have a bucket each; above, each doubling has 32 of equal width.
#[allow(clippy::cast_possible_truncation)]
const fn bucket_of(micros: u64) -> usize {
    if micros < SUB_BUCKETS {
        return micros as usize;
    }
    let shift = u64::BITS - 1 - micros.leading_zeros() - SUB_BUCKETS_LOG2;
    // At most 59 × 32 + 31: it fits any integer.
    (shift as u64 * SUB_BUCKETS + (micros >> shift)) as usize
}

/// The greatest value of a bucket.
const fn bucket_end(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < SUB_BUCKETS {
        return bucket;
    }
    let shift = bucket / SUB_BUCKETS - 1;
    let mantissa = bucket % SUB_BUCKETS + SUB_BUCKETS;
    ((mantissa + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_lies_in_its_bucket_and_buckets_are_narrow() {
        for micros in (0..2_000).chain((0..40).map(|shift| 12_345_u64 << shift)) {
            let bucket = bucket_of(micros);
            let below = if bucket == 0 { None } else { Some(bucket_end(bucket - 1)) };
            assert!(micros <= bucket_end(bucket), "{micros}");
            assert!(below.is_none_or(|end| micros > end), "{micros}");
            assert!(bucket_end(bucket) - micros <= micros / 32 + 1, "{micros}");
        }
    }

    #[test]
    fn a_percentile_is_where_a_count_from_below_finds_it() {
        let mut distribution = Distribution::default();
        for (place, micros) in [3, 3, 9, 1, 30, 9, 9, 700, 2, 0, 3, 11].into_iter().enumerate() {
            distribution.record(Span::from_micros(micros));
            for percent in 1..=100 {
                let wanted = ((place as u64 + 1) * percent).div_ceil(100);
                let mut seen = 0;
                let bucket = distribution.buckets.iter().position(|count| {
                    seen += u64::from(*count);
                    seen >= wanted
                });
                let end = Span::from_micros(bucket_end(bucket.expect("it holds that many")));
                assert_eq!(distribution.percentile(percent), end.min(distribution.max), "{place}, {percent}");
            }
        }
    }

    #[test]
    fn percentiles_are_at_most_a_bucket_above_the_true_ones() {
        let mut distribution = Distribution::default();
        (1..=1_000).for_each(|millis| distribution.record(Span::from_millis(millis)));
        let summary = distribution.summary();
        assert_eq!(
            (summary.count, summary.mean, summary.max),
            (1_000, Span::from_micros(500_500), Span::from_seconds(1))
        );
        for (found, exact) in [(summary.p50, 500_000), (summary.p95, 950_000), (summary.p99, 990_000)] {
            assert!((exact..=exact + exact / 32).contains(&found.micros()), "{found}");
        }
        assert_eq!(Distribution::default().summary(), WaitingTimes::default());
    }
}
