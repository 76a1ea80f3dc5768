//! Queue Lab: an interactive explanation of message queues that is right underneath.
//!
//! # How it hangs together
//!
//! A scenario file, a link or attributes give [`model::settings::Settings`]; these and a seed
//! make a [`model::simulation::Simulation`]. Commands go in and integer time passes; out come
//! events and an immutable [`model::snapshot::Snapshot`]. The picture, the table, the sentences
//! and the exports are all functions of that snapshot, so they can never disagree.
//!
//! | module | does | depends on |
//! | --- | --- | --- |
//! | [`model`] | simulates | nothing here |
//! | [`json`] | reads and writes JSON | nothing here |
//! | `narrate` | facts, then sentences | `model` |
//! | `draw` | shapes, on any plotters backend | `model` |
//! | `lesson` | scenario files | `model` |
//! | `app` | what a click does, what the page shows | the four above |
//! | `ui` | the page, in Yew | `app` |
//! | `web` | the browser: mounting, frames, canvases | all |
//!
//! # What is deliberately absent
//!
//! - `model` knows nothing of the web, of pictures or of people's language; no state of it is a
//!   float, no order in it comes from a hash table, and it reads no clock.
//! - `narrate` and `draw` do not know each other, and neither changes anything.
//! - Speed, frames and tabs that sleep are unknown below `app`: they cannot change a run.
//! - `web` decides nothing.
//!
//! # Units
//!
//! | what | unit | type |
//! | --- | --- | --- |
//! | points and lengths of model time | whole microseconds | [`model::time::Instant`], [`model::time::Span`] |
//! | rates | thousandths of a message a second | [`model::rate::Rate`] |
//! | work | 10⁻⁹ message | [`model::rate::Work`] |
//! | shares | millionths | `…_millionths` |

pub mod app;
pub mod draw;
pub mod json;
pub mod lesson;
pub mod model;
pub mod narrate;
pub mod ui;
#[cfg(target_arch = "wasm32")]
mod web;
