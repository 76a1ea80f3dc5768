//! A 64-bit digest of the model's state, the same natively and in wasm.
//!
//! Only fixed-width integers go in; nothing depends on the width of a pointer, on addresses or
//! on the order of a hash table.

/// Takes in a sequence of integers and gives a digest of it. Two different sequences give
/// different digests for all practical purposes; it is no defence against an adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHasher(u64);

impl Default for StateHasher {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl StateHasher {
    /// Takes in one integer.
    #[inline(never)]
    pub const fn write(&mut self, value: u64) {
        self.0 = mix(self.0.rotate_left(5) ^ mix(value.wrapping_add(0x2545_f491_4f6c_dd1d)));
    }

    /// Takes in a wide integer.
    pub fn write_wide(&mut self, value: u128) {
        let (high, low) = (value >> 64, value & u128::from(u64::MAX));
        // Each half fits 64 bits by what was just done to it.
        self.write(u64::try_from(high).unwrap_or_default());
        self.write(u64::try_from(low).unwrap_or_default());
    }

    /// Takes in a text, its length included.
    pub fn write_text(&mut self, text: &str) {
        self.write(text.len() as u64);
        text.bytes().for_each(|byte| self.write(u64::from(byte)));
    }

    /// The digest of all that was taken in.
    #[must_use]
    pub const fn finish(self) -> u64 {
        self.0
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection of 64 bits in which
/// every input bit affects every output bit.
#[must_use]
#[inline(always)]
pub const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(values: &[u64]) -> u64 {
        let mut hasher = StateHasher::default();
        values.iter().for_each(|value| hasher.write(*value));
        hasher.finish()
    }

    #[test]
    fn order_and_length_matter() {
        let digests = [digest(&[]), digest(&[0]), digest(&[0, 0]), digest(&[1, 2]), digest(&[2, 1])];
        for (index, left) in digests.iter().enumerate() {
            assert!(digests.iter().skip(index + 1).all(|right| left != right));
        }
    }
}
