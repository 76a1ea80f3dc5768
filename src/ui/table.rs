//! Everything that picture and charts show, as a table.

use yew::prelude::*;

use super::disclosure::Disclosure;
use super::parts::{id, text};
use crate::app::view::ViewModel;

/// The table, in a disclosure.
pub(super) fn table(view: &ViewModel, prefix: &str) -> Html {
    html! {
        <Disclosure id={id(prefix, "table")} title={text(&view.texts, "table.open")}>
            <table class="numbers">
                <caption>{ text(&view.texts, "table.caption") }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ text(&view.texts, "table.what") }</th>
                        <th scope="col">{ text(&view.texts, "table.value") }</th>
                    </tr>
                </thead>
                <tbody>
                    { for view.table.iter().map(|row| html! {
                        <tr><th scope="row">{ &row.name }</th><td>{ &row.value }</td></tr>
                    }) }
                </tbody>
            </table>
        </Disclosure>
    }
}
