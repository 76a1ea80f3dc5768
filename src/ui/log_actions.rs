//! What one can do to a log: more partitions, more consumers, a second team.

use super::acts::Act;
use super::element::{Element, classed};
use super::page::Page;

/// The row of buttons, where a log is shown.
pub(super) fn log_actions(page: &Page) -> Option<Element> {
    let actions = page.view.log_actions.as_ref()?;
    let button = |act: Act, text: &String| page.button("button", act).text(text);
    let partition = actions.partition.as_ref().map(|text| button(Act::AddPartition, text));
    let team = actions.team.as_ref().map(|text| button(Act::AddTeam, text));
    Some(
        classed("div", "actions")
            .with("role", "group")
            .with("aria-label", &actions.label)
            .maybe(partition)
            .child(button(Act::AddConsumer, &actions.consumer))
            .maybe(team),
    )
}
