//! Controls that are locked or left out, the buttons for a room and the list of keys, as HTML.

use std::rc::Rc;

use queue_lab::app::view::{ChangedDialView, ChangedView, MoreControl, SliderView, ThemeName, ViewModel};
use queue_lab::app::{App, link, view_of};
use queue_lab::model::settings::Setting;
use queue_lab::narrate::locale::Locale;

use super::html::{Element, Page};
use super::sample::{full, resting};
use super::{is_control, render};

fn shown(query: &str) -> ViewModel {
    view_of(&App::new(Rc::new(Locale::english()), &link::read(query)))
}

fn is_hidden(page: &Page, element: &Element) -> bool {
    element.get("hidden").is_some()
        || element.around.iter().any(|at| page.elements[*at].get("hidden").is_some())
}

fn names(page: &Page) -> Vec<String> {
    let there = page.elements.iter().filter(|one| is_control(one) && !is_hidden(page, one));
    there.map(|one| page.name_of(one)).collect()
}

fn by_name<'a>(page: &'a Page, name: &str) -> &'a Element {
    let found = page.elements.iter().find(|one| is_control(one) && page.name_of(one).contains(name));
    found.unwrap_or_else(|| panic!("there is no control {name:?}: {:?}", names(page)))
}

#[test]
fn a_locked_control_can_be_reached_and_says_that_it_is_locked_and_by_whom() {
    let (_, page) = render(|| shown("lock=p,reset,speed,poison-message"));
    for name in ["Producer rate", "Reset", "Speed", "Poison message"] {
        let own = page.elements.iter().filter(|one| is_control(one) && page.name_of(one).contains(name));
        let own: Vec<_> = own.collect();
        assert!(!own.is_empty(), "{name} is there");
        for control in own {
            assert_eq!(control.get("aria-disabled"), Some("true"), "{name}");
            assert!(control.get("disabled").is_none() && !is_hidden(&page, control), "{name} can be reached");
            let why = page.texts_of(control.get("aria-describedby").unwrap_or_default());
            assert!(why.contains("Locked by whoever made this page"), "{name}: {why}");
        }
    }
    let fields = page.by_class("number").filter(|field| field.get("readonly").is_some());
    assert_eq!(fields.count(), 1, "the field of the locked dial, and no other");
    let locked = page.elements.iter().filter(|one| one.get("aria-disabled").is_some()).count();
    // The slider, the field and both steps of the dial, and three more.
    assert_eq!(locked, 7);
}

#[test]
fn what_is_left_out_is_not_there_and_the_rest_is() {
    let (_, page) = render(|| shown("hide=step,reset,c,break,more,view"));
    let names = names(&page);
    for gone in ["Step", "Reset", "Consumer rate", "Poison", "More dials", "Log"] {
        assert!(names.iter().all(|name| !name.contains(gone)), "{gone}: {names:?}");
    }
    for there in ["Start", "Share", "Producer rate"] {
        assert!(names.iter().any(|name| name.contains(there)), "{there}: {names:?}");
    }
}

#[test]
fn without_such_parameters_nothing_is_locked_or_left_out() {
    let (_, page) = render(resting);
    assert!(page.elements.iter().all(|one| one.get("aria-disabled").is_none()));
    assert!(page.by_id("one-locked").is_none());
}

#[test]
fn parts_that_were_put_away_are_hidden_with_all_that_is_in_them() {
    let (_, page) = render(|| shown("hide=dials,charts,advice,sentence"));
    for class in ["dials", "charts", "advice", "story"] {
        let part = page.by_class(class).next().expect("it keeps its place");
        assert!(part.get("hidden").is_some(), "{class}");
    }
}

#[test]
fn full_screen_and_projector_are_switches_in_the_header_and_the_keys_a_disclosure() {
    let (_, page) = render(|| ViewModel { theme: ThemeName::Projector, ..resting() });
    let pressed = |name: &str| by_name(&page, name).get("aria-pressed").map(str::to_owned);
    assert_eq!(pressed("Full screen").as_deref(), Some("false"));
    assert_eq!(pressed("Projector").as_deref(), Some("true"));
    let keys = by_name(&page, "Keys");
    assert_eq!((keys.get("aria-expanded"), keys.get("aria-controls")), (Some("false"), Some("one-help")));
    let group = page.by_class("present").next().expect("they are a group");
    assert_eq!((group.get("role"), page.name_of(group).as_str()), (Some("group"), "Present"));
    assert!(page.by_id("one-help").is_some_and(|help| help.get("hidden").is_some()));
    let root = page.elements.first().expect("there is a root");
    assert_eq!(root.get("data-theme"), Some("projector"));
}

#[test]
fn groups_are_buttons_of_which_one_is_pressed() {
    let (_, page) = render(full);
    let groups: Vec<_> = page.by_class("group").collect();
    let pressed: Vec<_> = groups.iter().filter(|one| one.get("aria-pressed") == Some("true")).collect();
    assert_eq!((groups.len(), pressed.len()), (2, 1));
    assert_eq!(pressed[0].text, "Most used");
}

#[test]
fn moved_dials_are_listed_each_with_a_way_back() {
    let (_, page) = render(|| {
        let mut view = full();
        view.changed = Some(ChangedView {
            count: "1 changed".into(),
            dials: vec![ChangedDialView {
                setting: Setting::QueueBound,
                text: "Queue bound: 120, at first 60".into(),
                button: "Put back: Queue bound".into(),
            }],
            back: "Put back".into(),
            all: Some("Put it back".into()),
        });
        view
    });
    assert_eq!(by_name(&page, "Put back: Queue bound").name, "button");
    assert_eq!(by_name(&page, "Put it back").name, "button");
    assert!(page.by_class("changed").any(|one| one.text.contains("Queue bound: 120, at first 60")));
}

#[test]
fn a_dial_without_effect_stands_apart_and_a_rate_has_a_slider() {
    let (_, page) = render(|| {
        let mut view = full();
        for dial in &mut view.more {
            dial.is_idle = dial.setting == Setting::Overflow;
            if let MoreControl::Number { slider, .. } = &mut dial.control {
                *slider = Some(SliderView { position: 3, max: 40, spoken: "3 a second".into() });
            }
        }
        view
    });
    assert_eq!(page.by_class("idle").count(), 1);
    let further = page.all("input").filter(|input| input.get("type") == Some("range"));
    assert_eq!(further.count(), 5, "two dials, two rates and the run so far");
}
