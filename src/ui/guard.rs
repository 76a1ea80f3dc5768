//! Controls that a page does not have, and those that it has locked.

use super::acts::{Act, Panel};
use super::element::Element;
use super::list::List;
use super::page::Page;
use crate::app::access::Control;
use crate::app::breaking::Injection;

/// The control that an act belongs to; nothing for what changes nothing, and for parts of the page that
/// are always there.
pub(super) const fn control_of(act: Act) -> Option<Control> {
    Some(match act {
        Act::Play => Control::Start,
        Act::Step => Control::Step,
        Act::Reset => Control::Reset,
        Act::Rewind | Act::ReturnToTheEnd => Control::LookBack,
        Act::Skip => Control::Skip,
        Act::ShowMe => Control::ShowMe,
        Act::Show(_) => Control::View,
        Act::AddPartition => Control::AddPartition,
        Act::AddConsumer => Control::Injection(Injection::AddConsumer),
        Act::AddTeam => Control::AddTeam,
        Act::Inject(injection) => Control::Injection(injection),
        Act::Treat(_) => Control::DeadLetters,
        Act::StepDial(setting, _)
        | Act::Slide(setting)
        | Act::Enter(setting)
        | Act::TickNone(setting)
        | Act::TickAsBroker(setting)
        | Act::Switch(setting)
        | Act::PutBack(setting)
        | Act::Choose(List::Values(setting)) => Control::Setting(setting),
        Act::Choose(List::Speed) => Control::Speed,
        Act::Choose(List::Policy) => Control::Policy,
        Act::Choose(List::PoisonPartition) => Control::Injection(Injection::Poison),
        Act::Choose(List::ResetTo) => Control::Injection(Injection::Reset),
        Act::PutAllBack => Control::Dials,
        Act::Copy | Act::Save | Act::SaveAs(_) => Control::Share,
        Act::Pick(..) | Act::RenewPicks | Act::EnterMessage => Control::Trace,
        Act::TickLetter(..) => Control::DeadLetters,
        Act::OpenFile => Control::File,
        Act::FullScreen => Control::FullScreen,
        Act::Projector => Control::Projector,
        Act::Open(panel, _) => return panel_control(panel),
        _ => return None,
    })
}

const fn panel_control(panel: Panel) -> Option<Control> {
    Some(match panel {
        Panel::More => Control::More,
        Panel::Breaking => Control::Break,
        Panel::DeadLetters => Control::DeadLetters,
        Panel::Table => Control::Table,
        Panel::Glossary => Control::Words,
        Panel::Share => Control::Share,
        Panel::Help => Control::Help,
        Panel::Trace => Control::Trace,
        Panel::Charts => Control::Charts,
        Panel::Notices | Panel::History(..) => return None,
    })
}

/// The control that a use of an act is held against. A click on the picture traces a message, while the
/// picture itself is no control: it is there whatever the page has.
pub(super) const fn control_used(act: Act) -> Option<Control> {
    match act {
        Act::Point => Some(Control::Trace),
        _ => control_of(act),
    }
}

/// The element as the page's access has it: gone, or there and locked. One that is locked keeps its
/// place among what the Tab key reaches, so that everybody learns that it is there and why it stays as
/// it is.
#[inline(never)]
pub(super) fn guarded(page: &Page, element: Element, act: Act) -> Element {
    let Some(control) = control_of(act) else { return element };
    if page.is_hidden(control) {
        return element.with_flag("hidden", true);
    }
    if !page.view.access.is_locked(control) {
        return element;
    }
    let element = if matches!(act, Act::Enter(_)) { element.with_flag("readonly", true) } else { element };
    element.with("aria-disabled", "true").also("aria-describedby", &page.id("locked"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_on_the_picture_is_a_use_of_the_journey_and_the_picture_no_control() {
        assert_eq!((control_used(Act::Point), control_of(Act::Point)), (Some(Control::Trace), None));
        assert_eq!(control_used(Act::Reset), control_of(Act::Reset));
    }
}
