//! What one can do to a log: more partitions, more consumers, a second team.

use super::acts::Act;
use super::element::{Element, classed, element};
use super::page::Page;

/// The row of buttons, where a log is shown.
pub(super) fn log_actions(page: &Page) -> Option<Element> {
    let actions = page.view.log_actions?;
    let label = page.id("log-actions");
    let button = |act: Act, key: &str| page.button("button", act).text(page.say(key));
    let partition = actions.has_partition_to_come.then(|| button(Act::AddPartition, "log.add.partition"));
    let team = actions.has_team_to_come.then(|| button(Act::AddTeam, "log.add.team"));
    Some(
        classed("div", "actions")
            .with("role", "group")
            .with("aria-labelledby", &label)
            .child(element("span").with("id", &label).text(page.say("log.add")))
            .maybe(partition)
            .child(button(Act::AddConsumer, "log.add.consumer"))
            .maybe(team),
    )
}
