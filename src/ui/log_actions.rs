//! What one can do to a log: more partitions, more consumers, a second team.

use super::acts::Act;
use super::element::{Element, classed};
use super::page::{Page, joined};
use crate::app::view::LogActionView;

/// The row of buttons, where a log is shown.
pub(super) fn log_actions(page: &Page) -> Option<Element> {
    let actions = page.view.log_actions.as_ref()?;
    let team = actions.team.as_ref().map(|view| button(page, Act::AddTeam, "team", view));
    Some(
        classed("div", "actions")
            .with("role", "group")
            .with("aria-label", &actions.label)
            .child(button(page, Act::AddPartition, "partition", &actions.partition))
            .child(button(page, Act::AddConsumer, "consumer", &actions.consumer))
            .maybe(team),
    )
}

/// One that does nothing any more stays where it is, so that whoever pressed it last is still there: it
/// says why.
fn button(page: &Page, act: Act, name: &str, view: &LogActionView) -> Element {
    let button = page.button("button", act).text(&view.label);
    let id = joined(&page.id("add"), name);
    let reason = classed("p", "heard").with("id", &id).maybe_text(view.refused.as_deref());
    let button = match &view.refused {
        Some(reason) => button.with("aria-disabled", "true").with("title", reason),
        None => button,
    };
    classed("div", "adding").child(button.with("aria-describedby", &id)).child(reason)
}
