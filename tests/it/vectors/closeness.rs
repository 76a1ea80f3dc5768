//! When a closed form agrees with a number of a vector.

use super::fields::Fields;

/// How far a closed form may be from the exact number, relative to it.
pub const EXACT: f64 = 1e-9;

/// What may differ by rounding alone where the exact number is zero.
const ROUNDING: f64 = 1e-14;

/// Whether `found` is `wanted` to within `tolerance` of it.
pub fn is_close(found: f64, wanted: f64, tolerance: f64) -> bool {
    (found - wanted).abs() <= tolerance * wanted.abs() + ROUNDING
}

/// Every field of `wanted` is what `answer` says under its name, to within `tolerance`. An answer
/// of `None` stands for `null`: what is asked for never happens.
pub fn check_all(wanted: &Fields, tolerance: f64, answer: impl Fn(&str) -> Option<f64>) {
    for name in wanted.keys() {
        let place = format!("{} / {name}", wanted.place());
        let found = answer(&name);
        let is_null = wanted.value(&name).is_some_and(serde_json::Value::is_null);
        let wanted = (!is_null).then(|| wanted.number(&name));
        let agrees = match (found, wanted) {
            (Some(found), Some(wanted)) => is_close(found, wanted, tolerance),
            (found, wanted) => found == wanted,
        };
        assert!(agrees, "{place}: {wanted:?} is wanted, the closed form says {found:?}");
    }
}
