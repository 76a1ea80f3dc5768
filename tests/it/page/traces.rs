//! The journey of a message, as HTML.

use queue_lab::app::view::ViewModel;

use super::sample::{full, resting};
use super::{by_name, render};

#[test]
fn its_button_opens_a_field_a_list_and_the_journey() {
    let (_, page) = render(full);
    let button = by_name(&page, "Trace a message");
    let panel = button.get("aria-controls").and_then(|id| page.by_id(id)).expect("it opens a panel");
    assert!(panel.get("hidden").is_some(), "it is closed at first");
    let field = by_name(&page, "Message number");
    assert_eq!((field.get("inputmode"), field.get("aria-invalid")), (Some("numeric"), Some("true")));
    let problem = field.get("aria-describedby").expect("it says what was wrong");
    assert_eq!(page.texts_of(problem), "There is no message 900 yet.");
    for number in [12, 13, 4] {
        assert_eq!(by_name(&page, &format!("Pick message {number}")).name, "button");
    }
    by_name(&page, "Renew the list");
    let list = page.elements.iter().find(|one| one.name == "ol").expect("there is a list");
    assert_eq!(page.texts_of(list.get("aria-labelledby").expect("it has a name")), "Journey of message 4");
    let lost = page.by_class("lost").next().expect("there is a loss");
    assert!(lost.name == "li" && lost.text.contains("It was dropped."), "{}", lost.text);
}

#[test]
fn nothing_of_it_is_there_while_it_is_closed() {
    let (_, page) = render(|| ViewModel { trace: None, ..full() });
    assert!(page.by_class("journey").next().is_none());
    let (_, page) = render(resting);
    by_name(&page, "Trace a message");
}
