//! What the terms of the page mean.

use super::acts::Panel;
use super::disclosure::disclose;
use super::element::{Element, classed, element};
use super::page::Page;
use crate::app::glossary::TermView;

/// Adds the disclosure with all terms to `foot`.
pub(super) fn glossary(page: &Page, foot: Element) -> Element {
    let terms = page.view.glossary.iter().flat_map(entry);
    let list = terms.fold(classed("dl", "terms"), Element::child);
    disclose(page, foot, Panel::Glossary, ("glossary", "glossary.open"), list)
}

#[inline(never)]
fn entry(term: &TermView) -> [Element; 2] {
    let said = term.said.as_ref().map(|word| classed("span", "in-use").text(word));
    let name = element("dt").text(&term.name).maybe(said);
    [name, element("dd").text(&term.meaning)]
}
