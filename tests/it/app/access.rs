//! Dials and buttons that a page does not have or has locked, and the keys.

use queue_lab::app::access::{Control, NAMES};
use queue_lab::app::breaking::Injection;
use queue_lab::app::groups::Group;
use queue_lab::app::keys::{self, KEYS};
use queue_lab::app::link;
use queue_lab::app::message::{Msg, Request};
use queue_lab::app::view::ThemeName;
use queue_lab::model::settings::{Setting, TABLE};
use queue_lab::narrate::locale::Locale;

use super::Bench;

fn story(bench: &Bench) -> String {
    let story = bench.view().story;
    [Some(story.happening), story.next, story.advice].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_page_has_only_the_controls_it_lists() {
    let bench = Bench::open("controls=p,step,capacity");
    let access = bench.view().access;
    for there in [
        Control::Setting(Setting::ProducerRate),
        Control::Setting(Setting::QueueBound),
        Control::Step,
        Control::More,
        Control::Charts,
    ] {
        assert!(!access.is_hidden(there), "{there:?}");
    }
    for gone in [Control::Start, Control::Setting(Setting::ConsumerRate), Control::Break, Control::Share] {
        assert!(access.is_hidden(gone), "{gone:?}");
    }
    let dials: Vec<_> = bench.view().dials.iter().map(|dial| dial.setting).collect();
    assert_eq!(dials, [Setting::ProducerRate]);
    assert_eq!(bench.view().breaking.first, []);
}

#[test]
fn further_dials_that_are_not_listed_are_not_there() {
    let mut bench = Bench::open("controls=p,c,capacity,attempts");
    bench.send(Msg::MoreOpened(true));
    let view = bench.view();
    let shown: Vec<_> = view.more.iter().map(|dial| dial.setting).collect();
    assert_eq!(shown, [Setting::QueueBound]);
    let groups: Vec<_> = view.groups.groups.iter().map(|group| group.label.as_str()).collect();
    assert_eq!(groups, ["Most used", "Queue", "Failures and retries", "Dead letters"]);
}

#[test]
fn every_name_is_known_and_every_control_has_words() {
    let locale = Locale::english();
    let aliases = TABLE.iter().map(|row| row.alias);
    for name in NAMES.iter().map(|(name, ..)| *name).chain(aliases.clone()) {
        let control = Control::by_name(name).unwrap_or_else(|| panic!("{name} is a name"));
        let label = control.label(&locale);
        assert!(!label.is_empty() && !label.contains("dial.") && label != name, "{name}: {label}");
    }
    for (name, ..) in NAMES {
        assert!(aliases.clone().all(|alias| alias != name), "{name} is a dial too");
    }
}

#[test]
fn unknown_names_are_said_and_the_rest_is_taken() {
    for parameter in ["controls", "lock", "hide"] {
        let bench = Bench::open(&format!("{parameter}=p,colour,reset"));
        let notices = bench.view().notices;
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains(parameter) && notices[0].contains("“colour”"), "{notices:?}");
    }
    let bench = Bench::open("lock=p,colour,reset");
    assert!(bench.view().access.is_locked(Control::Reset));
}

#[test]
fn a_list_without_any_known_name_leaves_the_page_whole() {
    let bench = Bench::open("controls=nonsense");
    assert_eq!(bench.view().notices.len(), 1);
    assert!(bench.view().access.is_full());
}

#[test]
fn sentences_never_name_what_is_hidden_or_locked() {
    for (query, word) in [("hide=start", "Start"), ("lock=start", "Start"), ("controls=p,c", "press")] {
        let plain = Bench::open("p=8&c=6");
        assert!(story(&plain).contains("press Start"), "{}", story(&plain));
        let bench = Bench::open(&format!("p=8&c=6&{query}"));
        assert!(!story(&bench).contains(word), "{query}: {}", story(&bench));
    }
    let advice = |query: &str| Bench::open(query).view().story.advice.unwrap_or_default();
    assert!(advice("p=8&c=6&t=10").contains("producer"), "{}", advice("p=8&c=6&t=10"));
    for query in ["hide=p", "lock=p", "controls=c,start", "hide=dials"] {
        let said = advice(&format!("p=8&c=6&t=10&{query}"));
        assert!(!said.to_lowercase().contains("slow the producer"), "{query}: {said}");
    }
    assert_eq!(advice("p=8&c=6&t=10&hide=p,c"), "", "nothing is left to try");
}

#[test]
fn a_locked_control_says_so_and_the_page_says_all_of_them() {
    let mut bench = Bench::open("lock=capacity,reset");
    let locked = bench.view().locked.expect("something is locked");
    assert!(locked.contains("Queue bound") && locked.contains("Reset"), "{locked}");
    bench.send(Msg::LockedUsed(Control::Reset));
    assert_eq!(bench.view().announcement.text, "“Reset” is locked. Whoever made this page has set it.");
    assert_eq!(Bench::open("").view().locked, None);
}

#[test]
fn an_attribute_changes_what_the_page_has_while_it_runs() {
    let mut bench = Bench::open("hide=reset&lock=p");
    bench.app.follow_change(&link::read("hide="), bench.now, &mut || 0.0);
    let access = bench.view().access;
    assert!(!access.is_hidden(Control::Reset) && access.is_locked(Control::Setting(Setting::ProducerRate)));
    bench.app.follow_change(&link::read("lock="), bench.now, &mut || 0.0);
    assert!(bench.view().access.is_full());
}

#[test]
fn keys_are_told_apart_and_do_what_their_list_says() {
    let bench = Bench::open("");
    let access = bench.view().access;
    for key in &KEYS {
        assert_eq!(KEYS.iter().filter(|other| other.key == key.key).count(), 1, "{}", key.key);
        assert!(keys::pressed(key.key, &access).is_some(), "{}", key.key);
    }
    assert_eq!(keys::list(&access, &Locale::english()).keys.len(), KEYS.len());
    for other in ["q", "K", "Enter", " ", "Tab", "ArrowRight", "Home", "PageDown", "/", "j", "Shift"] {
        assert_eq!(keys::pressed(other, &access), None, "{other} is the page's");
    }
    assert_eq!(keys::pressed("x", &access), Some(Msg::Injected(Injection::Poison)));
}

#[test]
fn a_key_follows_the_access_of_its_control() {
    let pressed = |query: &str, key: &str| keys::pressed(key, &Bench::open(query).view().access);
    assert_eq!(pressed("hide=reset", "r"), None);
    assert_eq!(pressed("lock=reset", "r"), Some(Msg::LockedUsed(Control::Reset)));
    assert_eq!(pressed("controls=p", "x"), None);
    for key in &KEYS {
        let gone = pressed("hide=shortcuts,start,step,reset,break,full-screen,projector,help", key.key);
        assert_eq!(gone, None, "{}", key.key);
    }
}

#[test]
fn a_key_puts_a_part_away_and_brings_it_back() {
    let mut bench = Bench::open("p=8&c=6&t=10");
    for part in [Control::Dials, Control::Charts, Control::Advice, Control::Sentence] {
        bench.send(Msg::PartToggled(part));
        assert!(bench.view().access.is_hidden(part));
        assert!(bench.view().announcement.text.starts_with("Hidden: "), "{part:?}");
        bench.send(Msg::PartToggled(part));
        assert!(!bench.view().access.is_hidden(part));
    }
    bench.send(Msg::PartToggled(Control::Dials));
    assert_eq!(bench.view().story.advice, None, "advice would name a dial that is away");
}

#[test]
fn the_projector_is_one_press_away_and_back() {
    let mut bench = Bench::open("theme=dark");
    bench.send(Msg::ProjectorPressed);
    assert_eq!(bench.view().theme, ThemeName::Projector);
    bench.send(Msg::ProjectorPressed);
    assert_eq!(bench.view().theme, ThemeName::Light);
    assert_eq!(Bench::open("theme=projector").view().theme, ThemeName::Projector);
}

#[test]
fn full_screen_is_asked_of_the_browser_and_a_refusal_is_said() {
    let mut bench = Bench::open("");
    bench.send(Msg::FullScreenPressed);
    assert_eq!(bench.app.take_request(), Some(Request::FullScreen));
    bench.send(Msg::FullScreenRefused);
    bench.send(Msg::FullScreenRefused);
    let notices = bench.view().notices;
    assert!(notices.len() == 1 && notices[0].contains("allow=\"fullscreen\""), "{notices:?}");
}

#[test]
fn the_help_is_made_from_the_keys_while_it_is_open() {
    let mut bench = Bench::open("");
    assert_eq!(bench.view().help, None);
    bench.send(Msg::HelpOpened(true));
    let help = bench.view().help.expect("it is open");
    let keys: Vec<_> = help.keys.into_iter().map(|key| key.key).collect();
    assert_eq!(keys.len(), KEYS.len());
    assert!(keys.contains(&"?".to_owned()) && keys.contains(&"Esc".to_owned()), "{keys:?}");
}

#[test]
fn motion_and_announcements_are_the_persons_own_whatever_the_system_says() {
    let mut bench = Bench::open("motion=still");
    assert!(bench.view().is_motion_reduced);
    bench.send(Msg::MotionToggled);
    bench.app.set_motion_reduced(true);
    assert!(!bench.view().is_motion_reduced, "the person has the last word");
    assert_eq!(bench.view().announcement.text, "Dots move.");
    bench.send(Msg::AnnouncementsChanged);
    bench.send(Msg::AnnouncementsChanged);
    let last = bench.view().announcement;
    assert_eq!(last.text, "Nothing is announced any more.");
    bench.send(Msg::Stepped);
    assert_eq!(bench.view().announcement, last, "nothing is said of a step");
    bench.send(Msg::AnnouncementsChanged);
    assert_eq!(bench.view().announcement.text, "All changes are announced.");
    let mut quiet = Bench::open("announce=off");
    quiet.send(Msg::Stepped);
    assert_eq!(quiet.view().announcement.text, "");
}

#[test]
fn a_key_brings_no_part_that_the_page_never_has() {
    for (name, key, part) in [
        ("dials", "d", Control::Dials),
        ("charts", "c", Control::Charts),
        ("advice", "a", Control::Advice),
        ("sentence", "t", Control::Sentence),
    ] {
        let mut bench = Bench::open(&format!("hide={name}"));
        let access = bench.view().access;
        assert_eq!(keys::pressed(key, &access), None, "{name}");
        let listed = keys::list(&access, &Locale::english()).keys;
        assert!(listed.len() == KEYS.len() - 1 && listed.iter().all(|one| one.key != key.to_uppercase()));
        for _ in 0..2 {
            bench.send(Msg::PartToggled(part));
            let said = bench.view().announcement.text;
            assert!(said.starts_with("Hidden: ") && bench.view().access.is_hidden(part), "{name}: {said}");
        }
    }
}

#[test]
fn advice_names_no_dial_of_a_group_that_is_not_open() {
    let mut bench = Bench::open("p=8&c=6&t=10&hide=p,c");
    let advice = |bench: &Bench| bench.view().story.advice;
    bench.send(Msg::MoreOpened(true));
    assert!(advice(&bench).is_some_and(|said| said.contains("onsumer")), "{:?}", advice(&bench));
    bench.send(Msg::GroupOpened(Group::Downstream));
    assert_eq!(advice(&bench), None, "neither consumers nor the bound are on screen");
    bench.send(Msg::GroupOpened(Group::Consumers));
    assert!(advice(&bench).is_some_and(|said| said.contains("onsumer")), "{:?}", advice(&bench));
}

#[test]
fn more_dials_are_offered_only_where_there_are_any() {
    let more = |query: &str| Bench::open(query).view().has_more_dials;
    for (query, there) in [
        ("", true),
        ("controls=p,capacity", true),
        ("hide=dials", false),
        ("controls=more", false),
        ("controls=more,partitions", false),
        ("controls=more,partitions&view=log", true),
    ] {
        assert_eq!(more(query), there, "{query}");
    }
    let mut bench = Bench::open("");
    bench.send(Msg::PartToggled(Control::Dials));
    assert!(!bench.view().has_more_dials);
    bench.send(Msg::PartToggled(Control::Dials));
    assert!(bench.view().has_more_dials);
}
