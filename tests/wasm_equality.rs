//! The model gives the same state hash in wasm as natively: bit for bit, after 10⁵ events.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::wasm_bindgen_test;

mod equality;

#[wasm_bindgen_test]
fn runs_end_in_the_same_state_as_natively() {
    for (line, (name, scenario, seconds)) in equality::HASHES.lines().zip(equality::runs()) {
        let (events, hash) = equality::outcome(scenario, seconds);
        assert_eq!(format!("{name} {events} {hash}"), line);
    }
    assert_eq!(equality::HASHES.lines().count(), equality::runs().len());
}
