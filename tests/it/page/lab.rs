//! The buttons that break things, the policy for poison and the dead letters, as HTML.

use queue_lab::app::breaking::Injection;
use queue_lab::app::view::{BreakingView, ButtonList, ChoiceView, ChosenButton, ViewModel};

use super::html::Element;
use super::sample::{full, log_at_rest, resting};
use super::{by_name, is_control, render};

#[test]
fn every_button_that_breaks_something_says_what_it_will_do() {
    let (_, page) = render(full);
    let breaking = full().breaking;
    let mut described = 0;
    for view in breaking.first.iter().chain(&breaking.more) {
        let hint = page.elements.iter().find(|one| is_control(one) && one.text.starts_with(&view.label));
        let hint = hint.and_then(|button| button.get("aria-describedby")).expect("it is described");
        assert_eq!(page.texts_of(hint), view.hint);
        described += 1;
    }
    assert_eq!(described, Injection::FIRST.len() + Injection::MORE.len());
}

#[test]
fn what_they_will_do_is_there_to_read_once_the_other_ways_are_open() {
    let (_, page) = render(resting);
    let panel = page.by_id("one-ways").expect("there is a panel");
    assert!(panel.get("hidden").is_some(), "it is closed at first");
    let view = resting();
    for one in &view.breaking.first {
        assert!(panel.text.contains(&one.label) && panel.text.contains(&one.hint), "{}", panel.text);
    }
    let button = by_name(&page, "More waysBreak it");
    assert_eq!((button.get("aria-expanded"), button.get("aria-controls")), (Some("false"), Some("one-ways")));
}

#[test]
fn the_row_is_a_group_with_a_name_and_poison_comes_first() {
    let (_, page) = render(resting);
    let row = page.by_class("actions").next().expect("there is a row");
    assert_eq!((row.get("role"), page.name_of(row).as_str()), (Some("group"), "Break it"));
    let inside = |one: &&Element| {
        one.name == "button" && one.around.iter().any(|at| page.elements[*at].has_class("actions"))
    };
    let names: Vec<_> = page.elements.iter().filter(inside).map(|one| page.name_of(one)).collect();
    assert_eq!(names, ["PoisonPoison", "Consumer", "Burst", "Database"]);
}

#[test]
fn the_policy_is_a_native_list_with_a_name_and_what_it_does() {
    let (_, page) = render(full);
    let list = by_name(&page, "When a message fails");
    assert_eq!(list.name, "select");
    assert_eq!(page.texts_of(list.get("aria-describedby").expect("it is described")), "It is tried again.");
    let (_, page) = render(|| ViewModel { breaking: BreakingView::default(), ..full() });
    assert!(page.by_class("policy").next().is_none(), "there is none before there is poison");
}

#[test]
fn dead_letters_are_a_table_whose_every_row_opens_its_history() {
    let (_, page) = render(full);
    let table = page.by_class("letters").next().expect("there is a table");
    assert_eq!(page.texts_of(table.get("aria-labelledby").expect("it has a name")), "2 dead letters");
    for number in ["118", "164"] {
        let button = by_name(&page, &format!("Trace message {number}Trace"));
        assert_eq!(button.get("aria-expanded"), Some("false"));
        let history = page.by_id(button.get("aria-controls").expect("it opens something"));
        let history = history.expect("it is there");
        assert!(history.get("hidden").is_some() && history.text.contains("its last attempt failed"));
    }
    let fix = page.position(|one| one.text == "Deploy the fix" && one.name == "button");
    let redrive = page.position(|one| one.text == "Redrive 2 at 1 a second" && one.name == "button");
    assert!(fix.is_some() && redrive.is_some() && fix != redrive, "they are two buttons");
    let opener = by_name(&page, "2 dead letters · Open");
    let panel = opener.get("aria-controls").and_then(|id| page.by_id(id)).expect("it opens a panel");
    assert!(panel.text.contains("1 of these came back."));
}

#[test]
fn nothing_is_urgent_about_dead_letters_that_are_gone() {
    let emptied = || {
        let mut view = full();
        let letters = view.dead_letters.as_mut().expect("there is a list");
        letters.is_empty = true;
        let panel = letters.panel.as_mut().expect("it is open");
        let text = "Redrive 0 selected at 1 a second".into();
        panel.redrive_chosen = Some(ChosenButton { text, idle: Some("Select some first.".into()) });
        view
    };
    let (_, page) = render(emptied);
    for name in ["Redrive 2 at 1 a second", "Redrive all at once", "Discard all"] {
        let button = by_name(&page, name);
        assert_eq!(button.get("aria-disabled"), Some("true"), "{name}");
        assert!(!button.has_class("primary"), "{name}");
    }
    let chosen = by_name(&page, "Redrive 0 selected at 1 a second");
    assert_eq!(
        (chosen.get("aria-disabled"), chosen.get("title")),
        (Some("true"), Some("Select some first."))
    );
    assert!(by_name(&page, "2 dead letters · Open").has_class("none"));
    let (_, page) = render(full);
    assert_eq!(by_name(&page, "Discard all").get("aria-disabled"), None);
    assert!(by_name(&page, "Redrive 1 selected at 1 a second").has_class("primary"));
}

#[test]
fn the_ledger_stands_beside_the_table() {
    let (_, page) = render(full);
    let lines: Vec<_> = page.by_class("balance").map(|line| line.text.clone()).collect();
    assert_eq!(lines, full().balance);
}

#[test]
fn the_partition_for_poison_is_a_native_list_beside_its_button() {
    let with_partitions = || {
        let mut view = full();
        view.breaking.partition = Some(ButtonList {
            label: "Partition for the poison message".into(),
            choice: ChoiceView {
                options: vec![("0".into(), "Partition 0".into()), ("1".into(), "Partition 1".into())],
                chosen: "1".into(),
            },
        });
        view
    };
    let (_, page) = render(with_partitions);
    let list = by_name(&page, "Partition for the poison message");
    assert_eq!(list.name, "select");
    let row = |one: &&Element| one.around.iter().any(|at| page.elements[*at].has_class("actions"));
    let controls: Vec<_> = page.elements.iter().filter(|one| is_control(one)).filter(row).collect();
    let place = controls.iter().position(|one| one.name == "select");
    assert_eq!(place, Some(1), "right behind the button for poison");
    let (_, page) = render(full);
    assert!(page.elements.iter().all(|one| one.get("id") != Some("one-poison-partition")));
}

#[test]
fn what_cannot_be_added_any_more_stays_and_says_why() {
    let (_, page) = render(log_at_rest);
    let button = by_name(&page, "Add a consumer");
    assert_eq!((button.get("aria-disabled"), button.get("disabled")), (Some("true"), None));
    assert_eq!(page.texts_of(button.get("aria-describedby").expect("it is described")), "There are 64.");
    let other = by_name(&page, "Add a partition");
    assert_eq!(other.get("aria-disabled"), None);
}
