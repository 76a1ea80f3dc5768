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

impl App {
    /// Lets a run like this one pass from its start, of which nothing is kept. Nothing is done if frames
    /// come anyway.
    pub fn rehearse(&self) {
        if !self.needs_frames() {
            self.rehearsed();
        }
    }

    fn rehearsed(&self) -> Run {
        let scenario = Rc::clone(self.run.simulation().scenario());
        let mut run = Run::new(scenario, Visible::FIRST_SCREEN);
        run.advance(END, EVENTS);
        run.refresh();
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::link;
    use crate::narrate::locale::Locale;

    #[test]
    fn a_rehearsal_sends_messages_and_leaves_the_run_of_the_page_alone() {
        for query in ["p=2&c=3", "view=log&p=2&c=3", "view=both&p=2&c=3"] {
            let app = App::new(Rc::new(Locale::english()), &link::read(query));
            let hash = app.run().simulation().state_hash();
            let rehearsed = app.rehearsed();
            let shown = rehearsed.snapshot();
            assert!(shown.at > Instant::START && shown.ledger.offered > 5, "{query}: {shown:?}");
            app.rehearse();
            assert_eq!(app.run().simulation().state_hash(), hash, "{query}");
        }
    }
}
