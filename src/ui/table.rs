//! Everything that picture and charts show, as a table.

use super::acts::Panel;
use super::disclosure::disclose;
use super::element::{Element, classed, element};
use super::page::Page;
use crate::app::view::TableRow;

/// Adds the disclosure with the table to `foot`.
pub(super) fn table(page: &Page, foot: Element) -> Element {
    let head = ["table.what", "table.value"]
        .into_iter()
        .map(|key| element("th").with("scope", "col").text(page.say(key)))
        .fold(element("tr"), Element::child);
    let table = classed("table", "numbers")
        .child(element("caption").text(page.say("table.caption")))
        .child(element("thead").child(head))
        .child(element("tbody").all(page.view.table.iter().map(|line| row(line).into()).collect()));
    let lines = page.view.balance.iter().map(|line| classed("p", "balance").text(line).into());
    let content = element("div").child(element("div").all(lines.collect())).child(table);
    disclose(page, foot, Panel::Table, ("table", "table.open"), content)
}

#[inline(never)]
fn row(row: &TableRow) -> Element {
    element("tr")
        .child(element("th").with("scope", "row").text(&row.name))
        .child(element("td").text(&row.value))
}
