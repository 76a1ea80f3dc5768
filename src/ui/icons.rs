//! Icons, drawn by lines so that no font has to have them. Words always stand beside them.

use yew::prelude::*;

fn icon(kind: &'static str, path: &'static str) -> Html {
    html! {
        <svg class={classes!("icon", kind)} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d={path} />
        </svg>
    }
}

/// Start.
pub(super) fn start() -> Html {
    icon("solid", "m4 2 v12 l9 -6 z")
}

/// Pause.
pub(super) fn pause() -> Html {
    icon("solid", "m3 2 h4 v12 h-4 z m6 0 h4 v12 h-4 z")
}

/// Back to the start.
pub(super) fn reset() -> Html {
    icon("line", "m3 2 v4 h4 m-3.6 0 a5.5 5.5 0 1 1 -0.6 4")
}

/// One less.
pub(super) fn minus() -> Html {
    icon("line", "m3 8 h10")
}

/// One more.
pub(super) fn plus() -> Html {
    icon("line", "m3 8 h10 m-5 -5 v10")
}

/// Opens downwards.
pub(super) fn chevron() -> Html {
    icon("line", "m4 6 l4 4 l4 -4")
}

/// Close.
pub(super) fn close() -> Html {
    icon("line", "m4 4 l8 8 m0 -8 l-8 8")
}

/// Level or getting better: a tick in a circle.
pub(super) fn calm() -> Html {
    icon("line", "m8 1 a7 7 0 1 0 0.01 0 z m-3.2 7.2 l2.2 2.2 l4.2 -4.6")
}

/// Growing: an arrow upwards in a circle.
pub(super) fn warning() -> Html {
    icon("line", "m8 1 a7 7 0 1 0 0.01 0 z m-2.6 9.6 l5 -5 m-3.8 0 h3.8 v3.8")
}

/// Lost or stuck: an exclamation mark in an octagon. A triangle always means a poison message.
pub(super) fn alarm() -> Html {
    icon("line", "m5 1 h6 l4 4 v6 l-4 4 h-6 l-4 -4 v-6 z m3 3.2 v4.6 m0 2.4 v0.6")
}
