//! What the widget keeps beside the view: what a person is about to set, and what is open.

use web_sys::HtmlSelectElement;

use super::acts::{Back, Change, Panel, Place};
use super::list::List;
use crate::app::view::{ChoiceView, DeadLetterRow, MoreControl, ViewModel};

/// What a person left in the page.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Controls in a person's hand, with what they show. From the first movement or character until
    /// release, Enter, Escape or leaving, that is rendered instead of the value in force, so that no
    /// update of the page pulls at it.
    held: Vec<(Place, String)>,
    /// Lists that somebody has used.
    used: Vec<(List, HtmlSelectElement)>,
    open: Vec<Panel>,
    /// The part whose button gets the focus next.
    pub to_focus: Option<Panel>,
    /// What was put back, so that the focus goes on from there.
    pub put_back: Option<Back>,
    /// Whether the key that closes parts has just given a field its number back.
    pub has_given_back: bool,
    /// The notices that were given last. Those that a person closed are empty in the view from then
    /// on, and kept here.
    pub notices: Vec<String>,
}

impl Kept {
    /// At the start: what is wrong with a link is shown at once.
    pub(super) fn new(view: &ViewModel) -> Self {
        Self { notices: view.notices.clone(), open: vec![Panel::Notices], ..Self::default() }
    }

    /// What a control shows instead of the value in force.
    pub(super) fn held(&self, place: Place) -> Option<&str> {
        self.held.iter().find(|(held, _)| *held == place).map(|(_, text)| text.as_str())
    }

    /// Whether a part of the page is open.
    pub(super) fn is_open(&self, panel: Panel) -> bool {
        self.open.contains(&panel)
    }

    /// The part that a key closes: of those that are to be seen the one that was opened last.
    pub(super) fn last_open(&self, view: &ViewModel) -> Option<Panel> {
        let has_opened = self.open.iter().any(|panel| *panel != Panel::Notices);
        if has_opened { self.last_seen(view) } else { None }
    }

    #[inline(never)]
    fn last_seen(&self, view: &ViewModel) -> Option<Panel> {
        let letters = view.dead_letters.as_ref().and_then(|letters| letters.panel.as_ref());
        let is_seen = |panel: &Panel| match *panel {
            Panel::Notices => false,
            Panel::More => view.has_more_dials,
            Panel::DeadLetters => view.dead_letters.is_some(),
            Panel::History(producer, number, copy) => letters.is_some_and(|letters| {
                let is_it =
                    |row: &DeadLetterRow| (row.producer, row.number, row.copy) == (producer, number, copy);
                letters.rows.iter().any(is_it)
            }),
            _ => true,
        };
        self.open.iter().rev().copied().find(is_seen)
    }

    /// Takes a change; returns whether it shows.
    pub(super) fn change(&mut self, change: Change) -> bool {
        match change {
            Change::Held(place, text) => {
                self.let_go(place);
                self.held.push((place, text));
                // It shows already: a person has done it.
                false
            }
            Change::LetGo(place) => self.let_go(place),
            Change::GivenBack(place) => {
                self.has_given_back = self.let_go(place);
                self.has_given_back
            }
            Change::PutBack(back) => {
                self.put_back = Some(back);
                false
            }
            Change::Used(list, select) => {
                self.used.retain(|(used, _)| *used != list);
                self.used.push((list, select));
                true
            }
            Change::Escaped(panel) => {
                self.to_focus = Some(panel);
                self.change(Change::Opened(panel, false))
            }
            Change::Opened(panel, is_open) => {
                self.has_given_back = false;
                let is_journey = |one: &Panel| matches!(one, Panel::History(..));
                // One journey is open at a time, and none without the list in which it stands.
                let ends_journeys = is_journey(&panel) || panel == Panel::DeadLetters && !is_open;
                self.open.retain(|open| *open != panel && !(ends_journeys && is_journey(open)));
                self.open.extend(is_open.then_some(panel));
                true
            }
        }
    }

    fn let_go(&mut self, place: Place) -> bool {
        let before = self.held.len();
        self.held.retain(|(held, _)| *held != place);
        self.held.len() < before
    }

    /// Takes what was given anew in `view`, after `old`.
    pub(super) fn follow(&mut self, view: &ViewModel, old: &ViewModel) {
        let given = &view.notices;
        if *given != old.notices && (self.is_open(Panel::Notices) || !given.is_empty()) {
            self.notices.clone_from(given);
            self.change(Change::Opened(Panel::Notices, true));
        }
    }

    /// A list that somebody has used no longer follows its options' `selected` attributes.
    pub(super) fn set_lists(&self, view: &ViewModel) {
        for (list, select) in &self.used {
            if let Some(choice) = choice_of(view, *list)
                && select.value() != choice.chosen
            {
                select.set_value(&choice.chosen);
            }
        }
    }
}

fn choice_of(view: &ViewModel, list: List) -> Option<&ChoiceView> {
    let setting = match list {
        List::Speed => return Some(&view.speeds),
        List::Policy => return view.breaking.policy.as_ref().map(|policy| &policy.choice),
        List::PoisonPartition => return view.breaking.partition.as_ref().map(|partition| &partition.choice),
        List::ResetTo => return view.breaking.reset.as_ref().map(|reset| &reset.choice),
        List::Values(setting) => setting,
    };
    match &view.more.iter().find(|dial| dial.setting == setting)?.control {
        MoreControl::Choice(choice) => Some(choice),
        MoreControl::Number { .. } | MoreControl::Switch(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::app::{App, link, view_of};
    use crate::narrate::locale::Locale;

    #[test]
    fn a_key_closes_only_what_is_to_be_seen() {
        let view = view_of(&App::new(Rc::new(Locale::english()), &link::read("")));
        let bare = ViewModel { has_more_dials: false, ..view.clone() };
        let mut kept = Kept::default();
        for panel in [Panel::Table, Panel::More, Panel::DeadLetters, Panel::History(0, 1, 0)] {
            kept.change(Change::Opened(panel, true));
        }
        assert_eq!(kept.last_open(&view), Some(Panel::More), "there are no dead letters");
        assert_eq!(kept.last_open(&bare), Some(Panel::Table));
        kept.change(Change::Opened(Panel::DeadLetters, false));
        assert!(!kept.is_open(Panel::History(0, 1, 0)), "a journey ends with its list");
    }
}
