//! A dial of the first screen: a slider, a number field and two step buttons for one rate.

use super::controls::{self, Number, Thumb};
use super::element::{Element, classed, element};
use super::page::{Page, help, joined};
use crate::app::view::DialView;
use crate::model::settings::Setting;

/// One dial.
pub(super) fn dial(page: &Page, view: &DialView) -> Element {
    let control = page.control_id(view.setting);
    let label = classed("label", "label")
        .with("id", &joined(&control, "label"))
        .with("for", &joined(&control, "slider"))
        .text(&view.label);
    let thumb = Thumb { position: view.slider_value, max: view.slider_max, spoken: &view.spoken };
    let row = classed("div", "dial-row")
        .child(page.step_button(&control, view.setting, -1))
        .child(controls::slider(page, view.setting, thumb, &control))
        .child(page.step_button(&control, view.setting, 1));
    classed("div", class(view.setting))
        .child(classed("div", "dial-head").child(label).child(amount(page, view, &control)))
        .child(row)
        .child(help(&control, &view.limits, view.problem.as_deref()))
}

fn amount(page: &Page, view: &DialView, control: &str) -> Element {
    let unit_id = joined(control, "unit");
    let number = Number {
        setting: view.setting,
        control,
        id: joined(control, "number"),
        labels: [&joined(control, "label"), " ", &unit_id].concat(),
        value: &view.value,
        is_invalid: view.problem.is_some(),
    };
    classed("span", "amount")
        .child(controls::number(page, &number))
        .child(element("span").with("id", &unit_id).text(&view.unit))
        .maybe(view.total.as_ref().map(|total| classed("span", "total").text(total)))
}

/// The classes, of which one colours the dial like its part of the picture.
const fn class(setting: Setting) -> &'static str {
    match setting {
        Setting::ProducerRate => "dial producer",
        _ => "dial consumer",
    }
}
