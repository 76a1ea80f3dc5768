//! The captions of the charts and the canvases they are drawn on.

use yew::prelude::*;

use crate::app::view::{ChartView, ViewModel};

/// The charts, side by side where there is room. There are as many canvases as references, with or
/// without a caption, so that none is ever replaced.
pub(super) fn charts(view: &ViewModel, refs: &[NodeRef; 3]) -> Html {
    let [first, second, third] = refs;
    let mut captions = view.charts.iter();
    html! {
        <div class="charts">
            { chart(captions.next(), first) }
            { chart(captions.next(), second) }
            { chart(captions.next(), third) }
        </div>
    }
}

fn chart(view: Option<&ChartView>, canvas: &NodeRef) -> Html {
    html! {
        <figure class="chart">
            <figcaption>
                <span>{ view.map(|chart| chart.title.as_str()) }</span>
                <b>{ view.map(|chart| chart.value.as_str()) }</b>
            </figcaption>
            <canvas ref={canvas} role="img" aria-label={view.map(|chart| chart.description.clone())} />
        </figure>
    }
}
