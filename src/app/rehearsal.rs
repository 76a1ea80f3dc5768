//! What the first frames do, done once where nobody sees it: a browser compiles code when that first runs,
//! which would hold up the first frame after Start.

use std::rc::Rc;

use super::run::Run;
use super::state::App;
use crate::model::time::Instant;
use crate::narrate::narrator::Visible;

/// Few, since they are done at one go: enough for a message to be sent, taken and done.
const EVENTS: u64 = 50;
/// By then messages have come in every run that has any.
const END: Instant = Instant::from_seconds(10);

/// A run like that of the page, of which nothing is shown or kept.
#[derive(Debug)]
pub struct Rehearsal {
    run: Run,
    has_advanced: bool,
}

impl App {
    /// The rehearsal of this run, at its start; none if frames come anyway.
    #[must_use]
    pub fn rehearsal(&self) -> Option<Rehearsal> {
        let scenario = Rc::clone(self.run.simulation().scenario());
        let run = || Run::new(scenario, Visible::FIRST_SCREEN);
        (!self.needs_frames()).then(run).map(|run| Rehearsal { run, has_advanced: false })
    }
}

impl Rehearsal {
    /// Does one of its parts, each short enough to be done between two inputs. Returns whether more are left.
    pub fn go_on(&mut self) -> bool {
        if self.has_advanced {
            self.run.refresh();
            return false;
        }
        self.run.advance(END, EVENTS);
        self.has_advanced = true;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::link;
    use crate::narrate::locale::Locale;

    fn app(query: &str) -> App {
        App::new(Rc::new(Locale::english()), &link::read(query))
    }

    #[test]
    fn a_rehearsal_gets_to_messages_that_are_done_and_leaves_the_run_of_the_page_alone() {
        for query in ["p=2&c=3", "view=log&p=2&c=3", "view=both&p=2&c=3"] {
            let app = app(query);
            let (hash, mut rehearsal) = (app.run().simulation().state_hash(), app.rehearsal().unwrap());
            assert!(rehearsal.go_on(), "{query}");
            assert!(!rehearsal.go_on(), "{query}");
            let shown = rehearsal.run.snapshot();
            assert!(shown.at > Instant::START && shown.ledger.offered > 5, "{query}: {shown:?}");
            assert_eq!(app.run().simulation().state_hash(), hash, "{query}");
        }
    }

    #[test]
    fn nothing_is_rehearsed_where_frames_come_anyway() {
        assert!(app("play=1").rehearsal().is_none());
    }
}
