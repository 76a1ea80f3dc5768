//! The model: pure, seeded, in integer time.
//!
//! It knows nothing of the web, of pictures or of sentences, and no state of it is a float.
//! [`theory`] stands beside it: closed forms in floats, which nothing that simulates may use.

/// The version of the rules by which runs go: links name it, and a run of another one may differ.
pub const MODEL_VERSION: u32 = 1;

mod agenda;
pub mod alerts;
pub mod autoscaler;
pub mod broker;
pub mod calls;
pub mod command;
pub mod consumer;
pub mod consumer_status;
pub mod decimal;
pub mod distribution;
pub mod downstream;
pub mod event;
pub mod fate;
pub mod gate;
pub mod group;
pub mod handling;
pub mod held;
pub mod invariants;
pub mod ledger;
pub mod line;
pub mod message;
mod observe;
pub mod ordered;
pub mod outlook;
pub mod partitioned_log;
mod producer;
pub mod rate;
pub mod records;
pub mod retry;
pub mod ring;
pub mod rng;
pub mod routes;
pub mod scenario;
pub mod schema;
pub mod series;
pub mod settings;
pub mod simulation;
pub mod snapshot;
pub mod state_hash;
mod stats;
pub mod theory;
pub mod time;
pub mod timeline;
pub mod topology;
pub mod trace;
pub mod work_queue;
