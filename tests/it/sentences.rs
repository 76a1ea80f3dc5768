//! The words: every key is there and used, every sentence is clean, numbers are rounded in one
//! way, and sentences and announcements keep their pace.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use queue_lab::model::rate::Rate;
use queue_lab::model::settings::TABLE;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::announce::{Announcer, Setting};
use queue_lab::narrate::format::{self, Numerals};
use queue_lab::narrate::locale::{Field, Locale, Pseudo};
use queue_lab::narrate::narrator::Visible;
use queue_lab::narrate::pace::Pacer;
use queue_lab::narrate::remark::{Account, Remark};
use queue_lab::narrate::words::text;

use crate::truth::any_run;
use crate::truth::story::{Story, dials};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const FIRST_SCREEN: &str = include_str!("../../static/locales/en/messages.json");
const FURTHER: &str = include_str!("../../static/locales/en/further.json");

#[test]
fn the_english_files_are_read_whole_and_say_nothing_twice() {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let mut whole = read(FIRST_SCREEN);
    let further = read(FURTHER);
    let texts = further["texts"].as_object().expect("texts").clone();
    whole["texts"].as_object_mut().expect("texts").extend(texts);
    let locale = Locale::parse(&whole.to_string()).expect("the files can be read");
    let english = Locale::english();
    assert_eq!((english.language(), english.direction()), ("en", "ltr"));
    let written = [FIRST_SCREEN, FURTHER].iter().flat_map(|text| text.lines());
    let written = written.filter(|line| line.starts_with("    \"")).count();
    assert_eq!((locale.keys().count(), english.keys().count()), (written, written), "a key is there twice");
    for key in english.keys() {
        assert_eq!(locale.text(key), english.text(key));
    }
}

/// Every text in quotes in the sources under `folder`.
fn quoted_under(folder: &Path, quoted: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path: PathBuf = entry.path();
        if path.is_dir() {
            quoted_under(&path, quoted);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).unwrap_or_default();
            quoted.extend(source.split('"').map(str::to_owned));
        }
    }
}

#[test]
fn what_stands_on_every_page_is_said_in_the_first_file() {
    let mut quoted = BTreeSet::new();
    quoted_under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ui"), &mut quoted);
    let further: serde_json::Value = serde_json::from_str(FURTHER).expect("JSON");
    let texts = further["texts"].as_object().expect("texts");
    // Notices are there only once there is one.
    let late = texts.keys().filter(|key| quoted.contains(*key) && !key.starts_with("notices."));
    assert_eq!(late.collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(texts.keys().any(|key| quoted.contains(key)), "it sees keys");
}

/// Whether a key is made from the names of settings and of their choices.
fn is_made(key: &str) -> bool {
    let of_dial = key.strip_prefix("dial.").map(|name| name.trim_end_matches(".note"));
    key.starts_with("choice.") || of_dial.is_some_and(|name| TABLE.iter().any(|row| row.alias == name))
}

#[test]
fn every_key_that_is_said_is_there_and_every_key_that_is_there_is_said() {
    let locale = Locale::english();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut quoted = BTreeSet::new();
    quoted_under(&sources, &mut quoted);
    for key in locale.keys().filter(|key| !is_made(key)) {
        assert!(quoted.contains(key), "nothing says {key}");
    }
    let mut of_sentences = BTreeSet::new();
    quoted_under(&sources.join("narrate"), &mut of_sentences);
    let is_key = |text: &&String| {
        let letters = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'.' || byte == b'_');
        letters && text.contains('.') && !text.starts_with('.') && !text.ends_with(".json")
    };
    for key in of_sentences.iter().filter(is_key).filter(|key| !key.ends_with('.')) {
        assert!(locale.keys().any(|known| known == key), "{key} is not in the file");
    }
}

#[test]
fn a_gap_shows_and_breaks_nothing() {
    let locale = Locale::english();
    assert_eq!(locale.text("no.such.key"), "no.such.key");
    assert_eq!(locale.format("no.such.key", &[]), "no.such.key");
    assert_eq!(locale.format("next.newcomer", &[]), "A message that joins now waits time.");
    assert_eq!(locale.format("time.seconds", &[("count", Field::Count(1))]), "1 second");
    assert!(Locale::parse("{}").is_err() && Locale::parse("no JSON").is_err());
}

#[test]
fn made_up_languages_reach_every_text() {
    let english = Locale::english();
    for pseudo in [Pseudo::Double, Pseudo::Long, Pseudo::Rtl, Pseudo::Xss] {
        let locale = Locale::pseudo(pseudo);
        assert_eq!(locale.keys().count(), english.keys().count());
        for key in english.keys() {
            assert!(locale.text(key).len() > english.text(key).len(), "{key} in {pseudo:?}");
        }
        let said = locale.format("next.newcomer", &[("time", Field::Time(Span::from_seconds(7)))]);
        assert!(said.contains('7'), "{said}");
    }
    assert_eq!(Locale::pseudo(Pseudo::Rtl).direction(), "rtl");
}

#[test]
fn numbers_are_rounded_in_one_way() {
    let locale = Locale::english();
    let thousandths = |thousandths, expected: &str| {
        assert_eq!(format::rate(&locale, Rate::from_thousandths(thousandths), Numerals::Screen), expected);
    };
    thousandths(8_000, "8");
    thousandths(500, "0.5");
    thousandths(12_345, "12.345");
    thousandths(100_000_000, "100,000");
    let rounded = |thousandths, expected: &str| {
        let rate = Rate::from_thousandths(thousandths);
        assert_eq!(format::rounded_rate(&locale, rate, Numerals::Screen), expected);
    };
    rounded(12_345, "12.3");
    rounded(5_999, "6");
    rounded(345, "0.35");
    rounded(123_456, "123");
    assert_eq!(format::count(&locale, 1_240, Numerals::Screen), "1,240");
    assert_eq!(format::count(&locale, 1_240, Numerals::Spoken), "1240");
    assert_eq!(format::count(&locale, 999, Numerals::Screen), "999");
    assert_eq!(format::compact(&locale, 1_240), "1,240");
    assert_eq!(format::compact(&locale, 12_340), "12.3 thousand");
    assert_eq!(format::compact(&locale, 2_000_000), "2 million");
    assert_eq!(format::clock(Instant::from_micros(42_900_000)), "00:42");
    assert_eq!(format::clock(Instant::from_seconds(3_723)), "1:02:03");
    assert_eq!(format::percent(754_999), 75);
}

#[test]
fn times_are_said_within_five_percent_or_a_second() {
    let locale = Locale::english();
    let said = |millis: u64| format::time(&locale, Span::from_millis(millis), Numerals::Screen);
    let about = |seconds: u64| format::about(&locale, Span::from_seconds(seconds), Numerals::Screen);
    let short = |millis: u64| format::short(&locale, Span::from_millis(millis));
    for (millis, expected) in [
        (0, "less than a second"),
        (499, "less than a second"),
        (1_000, "1 second"),
        (6_900, "7 seconds"),
        (90_000, "90 seconds"),
        (120_000, "2 minutes"),
        (154_000, "2 min 30 s"),
        (1_800_000, "30 minutes"),
        (3_595_000, "60 minutes"),
        (4_500_000, "1 h 15 min"),
        (7_200_000, "2 hours"),
        (86_400_000, "24 hours"),
        (273_600_000, "3 days 4 h"),
        (40 * 86_400_000, "40 days"),
        (400 * 86_400_000, "more than a year"),
    ] {
        assert_eq!(said(millis), expected);
    }
    assert_eq!((about(7).as_str(), about(33).as_str()), ("about 7 seconds", "about 35 seconds"));
    assert_eq!((about(400).as_str(), about(5_000).as_str()), ("about 7 minutes", "about 1 h 30 min"));
    for (millis, expected) in [
        (5_300, "5.3 s"),
        (0, "0 s"),
        (9_960, "10 s"),
        (42_000, "42 s"),
        (125_000, "2 min 5 s"),
        (4_500_000, "1 h 15 min"),
    ] {
        assert_eq!(short(millis), expected);
    }
}

#[test]
fn no_text_of_the_page_is_untidy() {
    let locale = Locale::english();
    for key in locale.keys() {
        let text = locale.text(key);
        let is_tidy = !text.is_empty() && text.trim() == text && !text.contains("  ") && !text.contains("..");
        assert!(is_tidy && !text.contains('\''), "{key}: {text}");
        assert_eq!(text.matches('{').count(), text.matches('}').count(), "{key}: {text}");
    }
}

/// A sentence is clean, and short enough to be read at a glance.
pub fn tidy(said: &str) -> Result<(), String> {
    let is_tidy =
        !said.contains("  ") && !said.contains(['{', '}']) && said.ends_with('.') && !said.ends_with("..");
    let longest = said.split_inclusive(['.', ':', ';']).map(|part| part.split_whitespace().count()).max();
    let is_short = longest.is_some_and(|words| words <= 24) && said.split_whitespace().count() <= 48;
    let begins_well = said.starts_with(|first: char| first.is_uppercase() || first.is_ascii_digit());
    if is_tidy && is_short && begins_well { Ok(()) } else { Err(said.to_owned()) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sentence_is_clean(settings in any_run::settings(), commands in any_run::script()) {
        let locale = Locale::english();
        let mut story = Story::new(settings, commands);
        let mut wrong = None;
        story.hear_until(Instant::from_seconds(90), |account, _, _| {
            for remark in [Some(account.happening), account.next, account.advice].iter().flatten() {
                let (shown, spoken) = (text(remark, &locale, Numerals::Screen), text(remark, &locale, Numerals::Spoken));
                let no_commas = spoken.split(|c: char| !c.is_ascii_digit() && c != ',').all(|part| {
                    part.trim_matches(',').chars().all(|c| c.is_ascii_digit())
                });
                wrong = wrong.take().or(tidy(&shown).err()).or((!no_commas).then_some(spoken));
            }
        });
        prop_assert_eq!(wrong, None);
    }
}

fn kinds_said(visible: Visible) -> (Story, Account) {
    let mut story = Story::with_visible(dials(8, 6), vec![], visible);
    story.hear_until(Instant::from_seconds(5), |_, _, _| {});
    let (account, _) = story.hear_next();
    (story, account)
}

#[test]
fn a_true_sentence_stays_for_five_seconds_and_a_false_one_not_at_all() {
    let (mut story, first) = kinds_said(Visible::ALL);
    let mut pacer = Pacer::default();
    let snapshot = story.simulation.snapshot();
    assert_eq!(pacer.show(&first, &snapshot, 1_000, false), first);
    // A quarter of a second later the time is still right, so the words stay.
    let (second, snapshot) = story.hear_next();
    assert_ne!(first, second);
    assert_eq!(pacer.show(&second, &snapshot, 1_250, false).happening, first.happening);
    assert_eq!(pacer.due_at(&second), Some(6_000));
    // A person's action is answered at once.
    assert_eq!(pacer.show(&second, &snapshot, 1_300, true), second);
    // So is a time that has become wrong: after 3 s it is off by more than a second.
    for _ in 0..12 {
        story.hear_next();
    }
    let (later, snapshot) = story.hear_next();
    assert_eq!(pacer.show(&later, &snapshot, 1_400, false).happening, later.happening);
    // After five seconds the newest words are shown.
    let (last, snapshot) = story.hear_next();
    assert_eq!(pacer.show(&last, &snapshot, 6_400, false), last);
    assert_eq!(pacer.due_at(&last), None);
}

#[test]
fn a_sentence_of_another_kind_is_kept_only_while_true() {
    let mut story = Story::new(dials(8, 6), vec![]);
    story.hear_until(Instant::from_micros(29_500_000), |_, _, _| {});
    let mut pacer = Pacer::default();
    let filling = story.narrator.account();
    assert!(matches!(filling.happening, Remark::WillFillIn { .. }));
    pacer.show(&filling, &story.simulation.snapshot(), 0, false);
    story.hear_until(Instant::from_seconds(31), |_, _, _| {});
    let (full, snapshot) = story.hear_next();
    assert_eq!(pacer.show(&full, &snapshot, 100, false).happening.kind(), "full-dropping-new");
}

#[test]
fn only_changes_of_state_are_announced_and_not_too_often() {
    let mut live = Announcer::new(Setting::All);
    live.set_playing(true);
    live.state_is("will-fill", "It fills.");
    assert_eq!(live.take(0), None, "what is there at the start is no news");
    live.state_is("full", "It is full.");
    assert_eq!(live.take(10).map(|said| said.text).as_deref(), Some("It is full."));
    live.state_is("full", "It is still full.");
    assert_eq!(live.take(20_000), None, "values are not announced");
    live.state_is("draining", "It shrinks.");
    assert!(live.take(20_000).is_some());
    live.state_is("level", "It is level.");
    live.state_is("idle", "It is idle.");
    assert_eq!((live.take(24_999), live.due_at()), (None, Some(25_000)));
    assert_eq!(live.take(25_000).map(|said| said.text).as_deref(), Some("It is idle."), "the newest wins");
}

#[test]
fn a_dial_speaks_first_and_replies_come_while_paused() {
    let mut live = Announcer::new(Setting::All);
    live.state_is("matched", "As many in as out.");
    live.dial_moved(5_000, "will-fill", "It grows.");
    assert_eq!((live.take(5_999), live.due_at()), (None, Some(6_000)));
    live.dial_moved(5_500, "full", "It is full.");
    assert_eq!(live.take(6_000), None);
    assert_eq!(live.take(6_500).map(|said| said.text).as_deref(), Some("It is full."));
    live.state_is("draining", "It shrinks.");
    assert_eq!(live.take(60_000), None, "while paused nothing comes unasked");
    live.answer("Paused.");
    let first = live.take(60_000);
    live.answer("Paused.");
    let second = live.take(60_001);
    assert_eq!(first.as_ref().map(|said| &said.text), second.as_ref().map(|said| &said.text));
    assert_ne!(first, second, "the same text is said again");
    live.dial_moved(70_000, "level", "It is level.");
    live.reset();
    assert_eq!(live.take(80_000), None, "a reset drops what waits");
    live.set(Setting::Off);
    live.answer("Reset.");
    assert_eq!(live.take(80_000), None);
}
