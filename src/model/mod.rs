//! The model: pure, seeded, in integer time.
//!
//! It knows nothing of the web, of pictures or of sentences, and no state of it is a float.

pub mod decimal;
pub mod ledger;
pub mod outlook;
pub mod rate;
pub mod series;
pub mod settings;
pub mod snapshot;
pub mod state_hash;
pub mod time;
