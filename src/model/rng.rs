//! Draws, keyed by what they are for.
//!
//! A draw is a pure function of the seed and of a key: what it decides (purpose), for which
//! message or producer (origin), in which place (role) and at which attempt. There is no stream
//! whose position depends on the order of events, so a message meets the same fate whatever the
//! dials do to the others. Arrival gaps use the gap's own index as the attempt, which makes them
//! a sequential stream for each producer.

mod logarithm;

use super::message::MessageId;
use super::rate::{UNITS_PER_MESSAGE, Work};
use super::routes::Role;
use super::state_hash::mix;

/// What a draw decides. The numbers are permanent: they are part of every seeded run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The gap before a producer's next message.
    ArrivalGap = 1,
    /// The work that a message is to a consumer.
    ServiceTime = 2,
    /// How long a retry waits within the range that its backoff allows.
    RetryJitter = 3,
    /// Whether an attempt at a message fails and may succeed the next time.
    Failure = 4,
    /// Whether a message fails every time.
    Poison = 5,
    /// Whether a call to what the consumers share fails.
    CallFailure = 6,
    /// Which group a message belongs to.
    Group = 7,
    /// Whether a message is done with a wrong result.
    WrongResult = 8,
    /// Whether a message is of low value.
    Shedding = 12,
    /// Whether the confirm of an attempt at sending is lost.
    ConfirmLoss = 13,
    /// Whether a commit gets through.
    CommitFailure = 14,
    /// Whether a record has the key that many have.
    HotKey = 15,
}

/// All draws of one purpose in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    base: u64,
}

/// Which draw of a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawKey {
    /// The message, or the producer for arrival gaps.
    pub origin: u64,
    /// The place: 0 is the first handler.
    pub role: u32,
    /// Which start of handling in that role, from 1; for arrival gaps the gap's index.
    pub attempt: u64,
}

impl DrawKey {
    /// For a start of handling a message by those of `role`.
    #[must_use]
    #[inline(always)]
    pub const fn of_start(id: MessageId, role: Role, start: u32) -> Self {
        Self { origin: id.origin(), role: role.0 as u32, attempt: start as u64 }
    }

    /// For what a message is like, whoever handles it.
    #[must_use]
    pub const fn of_message(id: MessageId) -> Self {
        Self { origin: id.origin(), role: 0, attempt: 1 }
    }
}

/// Draws that are asked for in sequence, several made at once: one alone takes long, because each of its
/// steps waits for the one before, and several take hardly longer. They are what they would be if each
/// were made when it is asked for, so this is no state.
#[derive(Clone, Copy, Debug)]
pub struct DrawnAhead {
    first: u64,
    drawn: u64,
    works: [Work; DRAWN_AT_ONCE],
}

const DRAWN_AT_ONCE: usize = 8;

impl DrawnAhead {
    /// Nothing was drawn yet.
    pub const NONE: Self = Self { first: 0, drawn: 0, works: [Work::NONE; DRAWN_AT_ONCE] };

    /// The draw of that number, which `draw` makes of it and of those behind it.
    #[inline(always)]
    pub fn take(&mut self, number: u64, draw: impl Fn(u64) -> Work) -> Work {
        let place = number.wrapping_sub(self.first);
        match self.works.get(usize::try_from(place).unwrap_or(usize::MAX)) {
            Some(work) if place < self.drawn => *work,
            _ => self.draw(number, draw),
        }
    }

    /// Only who has asked for two in sequence asks for more of them.
    #[inline(never)]
    fn draw(&mut self, number: u64, draw: impl Fn(u64) -> Work) -> Work {
        if number != self.first + self.drawn {
            (self.first, self.drawn) = (number + 1, 0);
            return draw(number);
        }
        (self.first, self.drawn) = (number, DRAWN_AT_ONCE as u64);
        (number..).zip(&mut self.works).for_each(|(number, work)| *work = draw(number));
        self.works[0]
    }
}

/// The golden ratio in 64 bits, the increment of SplitMix64: keys that differ by one end far
/// apart after mixing.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Draws {
    /// The draws for `purpose` in the run of `seed`.
    #[must_use]
    pub const fn new(seed: u64, purpose: Purpose) -> Self {
        Self { base: mix(mix(seed.wrapping_add(GOLDEN)) ^ (purpose as u64).wrapping_mul(GOLDEN)) }
    }

    /// 64 uniform bits.
    #[must_use]
    #[inline(always)]
    pub const fn bits(self, key: DrawKey) -> u64 {
        let place = (key.role as u64).rotate_left(48) ^ key.attempt;
        let origin = mix(self.base ^ key.origin.wrapping_mul(GOLDEN));
        mix(origin.wrapping_add(place.wrapping_mul(GOLDEN)))
    }

    /// A whole number from 0 to `greatest`, each with exactly the same chance. Integers only, so
    /// it is the same natively and in wasm.
    ///
    /// The rule is Lemire's ("Fast Random Integer Generation in an Interval", 2019): the high half
    /// of a 64-bit word times the count of numbers. 2⁶⁴ words do not divide evenly; the surplus
    /// ones are drawn again from the SplitMix64 sequence that begins with the key's own bits. That
    /// sequence visits every word once, so the search ends.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub const fn up_to(self, key: DrawKey, greatest: u64) -> u64 {
        let first = self.bits(key);
        let Some(count) = greatest.checked_add(1) else { return first };
        let surplus = count.wrapping_neg() % count;
        let (mut word, mut state) = (first, first);
        loop {
            let (high, low) = wide_product(word, count);
            // The low half decides whether the word is one of the surplus, the high half is the draw.
            if low >= surplus {
                return high;
            }
            state = state.wrapping_add(GOLDEN);
            word = mix(state);
        }
    }

    /// An exponential amount of work with a mean of `messages` messages, rounded to the nearest
    /// unit: −ln(u) with u in (0, 1] of 53 bits. At most 36.8 times the mean.
    #[must_use]
    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )]
    pub fn exponential(self, key: DrawKey, messages: u64) -> Work {
        // Signed integers, which fit, are what processors convert at once.
        let uniform = ((self.bits(key) >> 11) + 1) as i64 as f64 * (1.0 / (1_u64 << 53) as f64);
        let mean = (UNITS_PER_MESSAGE * messages) as i64 as f64;
        Work((0.5 - logarithm::ln(uniform) * mean) as i64 as u64)
    }

    /// A log-normal amount of work with a mean of `messages` messages and a standard deviation as
    /// large: e to the power of a normal variate with variance ln 2 about ln(mean) − ln 2 ÷ 2. The
    /// normal variate is drawn by Marsaglia's polar method (1964) from the SplitMix64 sequence that
    /// starts at the key, so that beside the logarithm only `libm`'s exponential function and the
    /// exact square root are needed.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    pub fn log_normal(self, key: DrawKey, messages: u64) -> Work {
        const LN_2: f64 = std::f64::consts::LN_2;
        let mut state = self.bits(key);
        let mut signed_unit = || {
            state = state.wrapping_add(GOLDEN);
            (mix(state) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let normal = loop {
            let (x, y) = (signed_unit(), signed_unit());
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                break x * (-2.0 * logarithm::ln(square).min(0.0) / square).sqrt();
            }
        };
        let mean = (UNITS_PER_MESSAGE * messages) as f64;
        Work((libm::exp(normal * LN_2.sqrt() - LN_2 / 2.0) * mean + 0.5) as u64)
    }
}

/// Both halves of a product. Wide integers are slow in wasm, and a count is seldom so large.
#[allow(clippy::cast_possible_truncation)]
const fn wide_product(word: u64, count: u64) -> (u64, u64) {
    if count <= u32::MAX as u64 {
        let low = (word & u32::MAX as u64) * count;
        let middle = (word >> 32) * count + (low >> 32);
        return (middle >> 32, middle << 32 | low & u32::MAX as u64);
    }
    let product = word as u128 * count as u128;
    ((product >> 64) as u64, product as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(origin: u64, role: u32, attempt: u64) -> DrawKey {
        DrawKey { origin, role, attempt }
    }

    #[test]
    fn every_part_of_the_key_matters() {
        let draws = Draws::new(1, Purpose::ServiceTime);
        let all = [
            draws.bits(key(1, 0, 1)),
            draws.bits(key(2, 0, 1)),
            draws.bits(key(1, 1, 1)),
            draws.bits(key(1, 0, 2)),
            Draws::new(2, Purpose::ServiceTime).bits(key(1, 0, 1)),
            Draws::new(1, Purpose::ArrivalGap).bits(key(1, 0, 1)),
        ];
        for (index, left) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|right| left != right), "{all:?}");
        }
    }

    #[test]
    fn draws_made_ahead_are_those_made_one_by_one() {
        let draws = Draws::new(5, Purpose::ServiceTime);
        let alone = |number| draws.exponential(key(number, 0, 1), 3);
        let mut ahead = DrawnAhead::NONE;
        let jumps = [7, 8, 9, 100, 101, 99, 102, 103, 110, 111, 104, 1 << 50, (1 << 50) + 1, 3];
        for number in (0..40).chain(jumps) {
            assert_eq!(ahead.take(number, alone), alone(number), "{number}");
        }
    }

    #[test]
    fn who_asks_in_no_sequence_has_nothing_drawn_ahead() {
        let made = std::cell::Cell::new(0);
        let count = |_| {
            made.set(made.get() + 1);
            Work::NONE
        };
        let mut ahead = DrawnAhead::NONE;
        [5, 3, 9, 7].into_iter().for_each(|number| _ = ahead.take(number, count));
        assert_eq!(made.get(), 4);
        (20..60).for_each(|number| _ = ahead.take(number, count));
        assert_eq!(made.get(), 4 + 1 + 40, "one alone, and then eight at once");
    }

    #[test]
    fn whole_numbers_have_equal_chances_and_keep_their_range() {
        let draws = Draws::new(3, Purpose::RetryJitter);
        let drawn: Vec<u64> = (0..70_000).map(|n| draws.up_to(key(n, 0, 1), 6)).collect();
        let counts: Vec<usize> =
            (0..=6).map(|number| drawn.iter().filter(|drawn| **drawn == number).count()).collect();
        assert_eq!(counts.iter().sum::<usize>(), drawn.len());
        // Standard error of each count: 92.6; five of them.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 463), "{counts:?}");
        assert_eq!(draws.up_to(key(1, 0, 1), 0), 0);
        assert_eq!(draws.up_to(key(1, 0, 1), u64::MAX), draws.bits(key(1, 0, 1)));
    }

    #[test]
    fn a_count_that_does_not_divide_the_words_leaves_no_bias() {
        // 2⁶⁴ words for 3 × 2⁶² numbers: every fourth word is surplus. Were it used, a third of the
        // numbers would be twice as likely: those that leave the same rest, or the lowest third.
        let (draws, count) = (Draws::new(4, Purpose::RetryJitter), 3_u64 << 62);
        let (mut thirds, mut rests) = ([0_u64; 3], [0_u64; 3]);
        for number in (0..30_000).map(|n| draws.up_to(key(n, 0, 1), count - 1)) {
            thirds[(number >> 62) as usize] += 1;
            rests[(number % 3) as usize] += 1;
        }
        // Standard error of each count: 81.6; five of them.
        assert!(
            thirds.iter().chain(&rests).all(|count| count.abs_diff(10_000) < 408),
            "{thirds:?} {rests:?}"
        );
        let above_half = (1_u64 << 63) + 1;
        assert!((0..1_000).all(|n| draws.up_to(key(n, 0, 1), above_half) <= above_half));
    }

    #[test]
    fn log_normal_draws_have_the_mean_and_variance_of_the_law() {
        let draws = Draws::new(7, Purpose::ServiceTime);
        let count = 400_000_u64;
        let values: Vec<u64> = (0..count).map(|n| draws.log_normal(key(n, 0, 1), 1).0).collect();
        let mean = values.iter().sum::<u64>() / count;
        let squares: u128 = values.iter().map(|value| u128::from(*value).pow(2)).sum();
        let unit = u128::from(UNITS_PER_MESSAGE).pow(2);
        // The fourth moment is 2⁶ = 64, so the standard errors are 0.16 % of the mean and 0.6 %
        // of the second moment, which is 2.
        assert!(mean.abs_diff(UNITS_PER_MESSAGE) < UNITS_PER_MESSAGE / 100, "{mean}");
        assert!((squares / u128::from(count)).abs_diff(2 * unit) < unit / 10, "{squares}");
    }

    #[test]
    fn exponential_draws_have_the_mean_and_variance_of_the_law() {
        let draws = Draws::new(7, Purpose::ServiceTime);
        let count = 200_000_u64;
        let values: Vec<u64> = (0..count).map(|n| draws.exponential(key(n, 0, 1), 1).0).collect();
        let mean = values.iter().sum::<u64>() / count;
        let squares: u128 = values.iter().map(|value| u128::from(*value).pow(2)).sum();
        let second_moment = squares / u128::from(count);
        let unit = u128::from(UNITS_PER_MESSAGE).pow(2);
        // Standard errors of the mean and of the second moment: 0.22 % and 1.0 %; four of them.
        assert!(mean.abs_diff(UNITS_PER_MESSAGE) < UNITS_PER_MESSAGE / 100, "{mean}");
        assert!(second_moment.abs_diff(2 * unit) < unit * 2 / 25, "{second_moment}");
    }
}
