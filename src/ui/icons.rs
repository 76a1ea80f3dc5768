//! Icons, drawn by lines so that no font has to have them. Words always stand beside them.

use super::element::{Element, classed, element};

/// An icon: its class and its path.
#[derive(Clone, Copy)]
pub(super) struct Icon(&'static str, &'static str);

/// Start.
pub(super) const START: Icon = Icon("icon solid", "m4 2 v12 l9 -6 z");

/// Pause.
pub(super) const PAUSE: Icon = Icon("icon solid", "m3 2 h4 v12 h-4 z m6 0 h4 v12 h-4 z");

/// Back to the start.
pub(super) const RESET: Icon = Icon("icon line", "m3 2 v4 h4 m-3.6 0 a5.5 5.5 0 1 1 -0.6 4");

/// Handed on: an arrow out of a box.
pub(super) const SHARE: Icon = Icon("icon line", "m8 10 v-8 m-3 3 l3 -3 l3 3 m-6.5 3 h-1.5 v6 h10 v-6 h-1.5");

/// The whole screen: the four corners.
pub(super) const FULL_SCREEN: Icon = Icon("icon line", "m2 6 v-4 h4 m4 0 h4 v4 m0 4 v4 h-4 m-4 0 h-4 v-4");

/// A projector: a screen on its stand.
pub(super) const PROJECTOR: Icon =
    Icon("icon line", "m1.5 2.5 h13 v8 h-13 z m6.5 8 v2 m-3.5 2 l3.5 -2 l3.5 2");

/// Keys: a question mark.
pub(super) const KEYS: Icon = Icon("icon line", "m5 5.5 a3 3 0 1 1 4.2 2.8 q-1.2 0.6 -1.2 2 m0 2.6 v0.6");

/// One less.
pub(super) const MINUS: Icon = Icon("icon line", "m3 8 h10");

/// One more.
pub(super) const PLUS: Icon = Icon("icon line", "m3 8 h10 m-5 -5 v10");

/// Opens downwards.
pub(super) const CHEVRON: Icon = Icon("icon line", "m4 6 l4 4 l4 -4");

/// Close.
pub(super) const CLOSE: Icon = Icon("icon line", "m4 4 l8 8 m0 -8 l-8 8");

/// Level or getting better: a tick in a circle.
pub(super) const CALM: Icon = Icon("icon line", "m8 1 a7 7 0 1 0 0.01 0 z m-3.2 7.2 l2.2 2.2 l4.2 -4.6");

/// Growing, or worth a look: an exclamation mark in a circle.
pub(super) const WARNING: Icon = Icon("icon line", "m8 1 a7 7 0 1 0 0.01 0 z m0 3.2 v4.6 m0 2.4 v0.6");

/// Lost or stuck: an exclamation mark in an octagon. A triangle always means a poison message.
pub(super) const ALARM: Icon =
    Icon("icon line", "m5 1 h6 l4 4 v6 l-4 4 h-6 l-4 -4 v-6 z m3 3.2 v4.6 m0 2.4 v0.6");

/// Poison.
pub(super) const POISON: Icon = Icon("icon solid poison", "m8 1.5 l7 12.5 h-14 z");

impl Icon {
    /// The icon on the page.
    pub(super) fn element(self) -> Element {
        let Self(class, path) = self;
        classed("svg", class)
            .with("viewBox", "0 0 16 16")
            .with("aria-hidden", "true")
            .with("focusable", "false")
            .child(element("path").with("d", path))
    }
}
