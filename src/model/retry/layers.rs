//! Layers of attempts, one inside the other: how few attempts each become many calls.
//!
//! A caller tries its callee a few times, the callee tries the next one a few times for each of
//! these, and so on; only the innermost layer calls the vendor. Attempts multiply: three layers
//! of three attempts make 27 calls for one request that never succeeds.

use super::super::state_hash::StateHasher;
use super::AttemptsCap;

/// A layer by its place: 0 is the outermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayerIndex(pub u32);

/// Where one request stands in its layers: an odometer whose last wheel is the innermost layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayeredAttempts {
    layers: Vec<Layer>,
    calls: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layer {
    /// From 1.
    attempt: u64,
    cap: AttemptsCap,
}

impl LayeredAttempts {
    /// The first call of a request through layers with these caps, the outermost first. Without
    /// any layer there is just that one call.
    #[must_use]
    pub fn new(caps: &[AttemptsCap]) -> Self {
        Self { layers: caps.iter().map(|cap| Layer { attempt: 1, cap: *cap }).collect(), calls: 1 }
    }

    /// The call at the bottom has failed. The innermost layer that has attempts left makes its
    /// next one, and those inside it begin again. Returns that layer, or `None` where all
    /// attempts are used: the request has failed, and nothing changes.
    pub fn next_after_failure(&mut self) -> Option<LayerIndex> {
        self.advance(self.layers.len())
    }

    /// The attempt of `layer` has failed as a whole, as when its own timeout ends it: what the
    /// layers inside it had left is not tried. Otherwise as [`Self::next_after_failure`]; a layer
    /// that does not exist counts as the innermost.
    pub fn next_after_failure_of(&mut self, layer: LayerIndex) -> Option<LayerIndex> {
        let layers = usize::try_from(layer.0).map_or(self.layers.len(), |index| index.saturating_add(1));
        self.advance(layers.min(self.layers.len()))
    }

    /// Lets the innermost of the outer `len` layers try again.
    fn advance(&mut self, len: usize) -> Option<LayerIndex> {
        let outer = self.layers.get(..len)?;
        let index = outer.iter().rposition(|layer| layer.cap.allows_after(layer.attempt))?;
        for (at, layer) in self.layers.iter_mut().enumerate().skip(index) {
            layer.attempt = if at == index { layer.attempt.saturating_add(1) } else { 1 };
        }
        self.calls = self.calls.saturating_add(1);
        u32::try_from(index).ok().map(LayerIndex)
    }

    /// At which attempt `layer` is, from 1; `None` for a layer that does not exist.
    #[must_use]
    pub fn attempt(&self, layer: LayerIndex) -> Option<u64> {
        self.layers.get(usize::try_from(layer.0).ok()?).map(|layer| layer.attempt)
    }

    /// At which attempt each layer is, from 1, the outermost first.
    pub fn attempts(&self) -> impl Iterator<Item = u64> {
        self.layers.iter().map(|layer| layer.attempt)
    }

    /// How many calls were made at the bottom, the present one included. Unlike the attempts of a
    /// layer it never comes back, so it is the number to key draws with.
    #[must_use]
    pub const fn calls(&self) -> u64 {
        self.calls
    }

    /// Feeds the whole state to `hasher`.
    pub fn hash_into(&self, hasher: &mut StateHasher) {
        hasher.write(self.calls);
        hasher.write(self.layers.len() as u64);
        for layer in &self.layers {
            hasher.write(layer.attempt);
            layer.cap.hash_into(hasher);
        }
    }
}

/// The calls at the bottom that one request makes through layers with these caps: up to the call
/// that succeeds, counted from 1, or all of them. All of them are the product of the caps, n^L
/// for L layers of n attempts. `None`: it never ends. From 2⁶⁴ on it is 2⁶⁴ − 1.
#[must_use]
pub fn calls_at_bottom(caps: &[AttemptsCap], succeeds_at: Option<u64>) -> Option<u64> {
    let all = caps.iter().try_fold(1_u64, |calls, cap| Some(calls.saturating_mul(cap.count()?)));
    match (all, succeeds_at) {
        (Some(all), Some(call)) => Some(all.min(call.max(1))),
        (all, call) => all.or_else(|| call.map(|call| call.max(1))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn caps(counts: &[u64]) -> Vec<AttemptsCap> {
        counts.iter().map(|count| AttemptsCap::AtMost(*count)).collect()
    }

    /// Every state of a request that always fails.
    fn walk(counts: &[u64]) -> Vec<Vec<u64>> {
        let mut request = LayeredAttempts::new(&caps(counts));
        let mut states = vec![request.attempts().collect()];
        while request.next_after_failure().is_some() {
            states.push(request.attempts().collect());
        }
        assert_eq!(request.calls(), states.len() as u64);
        states
    }

    #[test]
    fn the_innermost_layer_turns_first() {
        let states = walk(&[2, 3]);
        assert_eq!(states, [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]]);
        assert_eq!(walk(&[3, 3, 3]).len(), 27);
        assert_eq!(walk(&[]).len(), 1);
        assert_eq!(walk(&[0, 2]).len(), 2, "an attempt includes the first, so 0 acts as 1");
    }

    #[test]
    fn it_says_which_layer_tries_again() {
        let mut request = LayeredAttempts::new(&caps(&[2, 2]));
        let layers: Vec<_> =
            std::iter::from_fn(|| request.next_after_failure()).map(|layer| layer.0).collect();
        assert_eq!(layers, [1, 0, 1]);
        assert_eq!(request.next_after_failure(), None, "nothing is left");
        assert_eq!((request.calls(), request.attempt(LayerIndex(0))), (4, Some(2)));
        assert_eq!(request.attempt(LayerIndex(2)), None);
    }

    #[test]
    fn a_layer_that_fails_as_a_whole_leaves_out_what_is_inside_it() {
        let mut request = LayeredAttempts::new(&caps(&[3, 3]));
        assert_eq!(request.next_after_failure_of(LayerIndex(0)), Some(LayerIndex(0)));
        assert_eq!(request.attempts().collect::<Vec<_>>(), [2, 1]);
        assert_eq!(request.next_after_failure_of(LayerIndex(9)), Some(LayerIndex(1)));
        assert_eq!(request.next_after_failure_of(LayerIndex(0)), Some(LayerIndex(0)));
        assert_eq!(request.next_after_failure_of(LayerIndex(0)), None);
        assert_eq!((request.calls(), request.attempts().collect::<Vec<_>>()), (4, vec![3, 1]));
    }

    #[test]
    fn without_a_cap_it_never_ends() {
        let endless = [AttemptsCap::AtMost(3), AttemptsCap::Endless];
        assert_eq!(calls_at_bottom(&endless, None), None);
        assert_eq!(calls_at_bottom(&endless, Some(1_000)), Some(1_000));
        let mut request = LayeredAttempts::new(&endless);
        assert!((0..100).all(|_| request.next_after_failure() == Some(LayerIndex(1))));
        assert_eq!(request.attempts().collect::<Vec<_>>(), [1, 101]);
    }

    #[test]
    fn many_layers_do_not_overflow() {
        assert_eq!(calls_at_bottom(&caps(&[u64::MAX; 3]), None), Some(u64::MAX));
        assert_eq!(calls_at_bottom(&caps(&[4; 3]), Some(u64::MAX)), Some(64));
        assert_eq!(calls_at_bottom(&[], Some(0)), Some(1));
    }

    #[test]
    fn expected_calls_follow_the_geometric_sum() {
        for (failure, counts) in [(0.5_f64, &[3][..]), (0.9, &[3, 3]), (0.25, &[5]), (0.0, &[2, 2])] {
            let mut request = LayeredAttempts::new(&caps(counts));
            let (mut reached, mut expected) = (1.0, 1.0);
            while request.next_after_failure().is_some() {
                reached *= failure;
                expected += reached;
            }
            let calls = calls_at_bottom(&caps(counts), None).and_then(|calls| u32::try_from(calls).ok());
            let power: f64 = (0..calls.unwrap_or_default()).map(|_| failure).product();
            assert!((expected - (1.0 - power) / (1.0 - failure)).abs() < 1e-12, "{failure} {counts:?}");
        }
    }

    proptest! {
        #[test]
        fn an_always_failing_request_makes_the_product_of_the_caps(
            counts in prop::collection::vec(1_u64..6, 0..6), succeeds_at in 1_u64..10_000,
        ) {
            let states = walk(&counts);
            prop_assert_eq!(states.len() as u64, counts.iter().product::<u64>());
            prop_assert_eq!(calls_at_bottom(&caps(&counts), None), Some(states.len() as u64));
            let some = calls_at_bottom(&caps(&counts), Some(succeeds_at));
            prop_assert_eq!(some, Some(succeeds_at.min(states.len() as u64)));
            // Each state comes once, in the order of an odometer.
            prop_assert!(states.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
