//! A run without a page: from its start to its end, with a look at it every so often.

use std::rc::Rc;

use crate::model::scenario::Scenario;
use crate::model::simulation::Simulation;
use crate::model::time::{Instant, Span};

/// Where a run ends of which nobody says it.
pub const UNTIL: Instant = Instant::from_seconds(60);

/// Runs `scenario` and shows it at the start, every so many model seconds, and at the end: at
/// `until`, or where the scenario says, or at [`UNTIL`].
///
/// # Errors
/// Those of `show`. The run ends there.
pub fn replay<E>(
    scenario: Scenario,
    until: Option<Instant>,
    every: Span,
    mut show: impl FnMut(&Simulation) -> Result<(), E>,
) -> Result<Simulation, E> {
    let until = until.or(scenario.until).unwrap_or(UNTIL);
    let mut simulation = Simulation::new(Rc::new(scenario));
    let mut at = Instant::START;
    loop {
        simulation.advance_to(at, u64::MAX);
        show(&simulation)?;
        if at >= until {
            return Ok(simulation);
        }
        at = (at + every).min(until);
    }
}
