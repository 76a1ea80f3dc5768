//! What every part of the page is made from, and the small pieces that several parts share.

use std::rc::Rc;

use super::acts::{Act, Ears, On};
use super::element::{Element, classed};
use super::guard;
use super::icons;
use super::kept::Kept;
use crate::app::access::Control;
use crate::app::view::ViewModel;
use crate::model::settings::{Definition, Setting};

/// The page as it is rendered now.
pub(super) struct Page<'a> {
    /// What it shows.
    pub view: &'a ViewModel,
    /// What a person left in it, beside the view.
    pub kept: &'a Kept,
    /// What every id starts with.
    pub prefix: &'a str,
    /// Who is told what a person does.
    pub ears: Rc<Ears>,
}

impl Page<'_> {
    /// The text of `key`.
    pub(super) fn say<'b>(&'b self, key: &'b str) -> &'b str {
        self.view.texts.text(key)
    }

    /// An id that is unique on the page.
    pub(super) fn id(&self, name: &str) -> String {
        joined(self.prefix, name)
    }

    /// The start of the ids of everything that belongs to a setting's control.
    pub(super) fn control_id(&self, setting: Setting) -> String {
        self.id(Definition::of(setting).alias)
    }

    /// An element in which an event is an act.
    pub(super) fn hearing(&self, element: Element, on: On, act: Act) -> Element {
        let element = if self.view.access.is_full() { element } else { guard::guarded(self, element, act) };
        element.hearing(self.ears.listener(on, act))
    }

    /// Whether the page does not have it.
    pub(super) fn is_hidden(&self, control: Control) -> bool {
        self.view.access.is_hidden(control)
    }

    /// A button of that class.
    pub(super) fn button(&self, class: &'static str, act: Act) -> Element {
        let button = classed("button", class).with("type", "button");
        self.hearing(button, On::Click, act)
    }

    /// One of the two buttons that step a number. Its name is the control's label and its own word.
    pub(super) fn step_button(&self, control: &str, setting: Setting, step: i32) -> Element {
        let (name, key, icon) =
            if step < 0 { ("less", "dial.less", icons::MINUS) } else { ("more", "dial.more", icons::PLUS) };
        let word_id = joined(control, name);
        self.button("step", Act::StepDial(setting, step))
            .with("aria-labelledby", &[&joined(control, "label"), " ", &word_id].concat())
            .child(icon.element())
            .child(classed("span", "heard").with("id", &word_id).text(self.say(key)))
    }
}

/// An id within another's.
pub(super) fn joined(prefix: &str, name: &str) -> String {
    [prefix, "-", name].concat()
}

/// What stands below a number: its limits, and what was wrong with the last entry. Both are always
/// there, so that the references to them hold.
pub(super) fn help(control: &str, limits: &str, problem: Option<&str>) -> Element {
    let limits_line = classed("p", "limits").with("id", &joined(control, "limits")).text(limits);
    let problem_line = classed("p", "problem")
        .with("id", &joined(control, "problem"))
        .maybe(problem.map(|_| icons::ALARM.element()))
        .maybe_text(problem);
    classed("div", "help").child(limits_line).child(problem_line)
}

/// The ids of what [`help`] shows.
pub(super) fn help_ids(control: &str) -> String {
    [control, "-limits ", control, "-problem"].concat()
}
