//! The model: pure, seeded, in integer time.
//!
//! It knows nothing of the web, of pictures or of sentences, and no state of it is a float.

pub mod time;
pub mod rate;
pub mod decimal;
pub mod state_hash;
pub mod rng;
pub mod settings;
pub mod topology;
pub mod command;
pub mod scenario;
pub mod message;
pub mod line;
pub mod work_queue;
pub mod broker;
mod producer;
mod consumer;
mod agenda;
pub mod event;
pub mod ledger;
pub mod distribution;
pub mod series;
mod stats;
pub mod outlook;
pub mod snapshot;
pub mod simulation;
mod observe;
pub mod invariants;
