//! Every sentence about a log is true at every point of the grid, whatever the dials and commands.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use queue_lab::lesson::scenario_file;
use queue_lab::model::command::TimedCommand;
use queue_lab::model::time::Instant;
use queue_lab::narrate::format::Numerals;
use queue_lab::narrate::locale::Locale;
use queue_lab::narrate::remark::Remark;
use queue_lab::narrate::words::text;

use super::any_log;
use super::check::check;
use super::past::Past;
use crate::sentences::tidy;
use crate::truth::story::Story;

/// Every remark is checked when it is first said and then at every so many points of the grid: a
/// check runs the future, which costs more than the present.
const CHECKED_EVERY: u32 = 12;

/// The story of a scenario file, with commands from outside.
pub fn story(file: &str, commands: Vec<TimedCommand>) -> Story {
    let (read, notices) = scenario_file::read(file);
    assert_eq!(notices, [], "{file}");
    Story::of(read.expect("it is a scenario").scenario).then(commands)
}

/// What is wrong with what is said up to `seconds`, if anything is.
pub fn wrong_in(story: &mut Story, seconds: u64, every: u32) -> Option<String> {
    let locale = Locale::english();
    let mut said: [Option<Remark>; 2] = [None; 2];
    let (mut past, mut point, mut wrong) = (Past::default(), 0, None);
    let (account, snapshot) = story.hear_now();
    past.note(&snapshot);
    for remark in [Some(account.happening), account.next].iter().flatten() {
        wrong = wrong.or(check(remark, &snapshot, &story.simulation, &past).err());
    }
    story.hear_until(Instant::from_seconds(seconds), |account, snapshot, simulation| {
        past.note(snapshot);
        let now = [Some(account.happening), account.next];
        for (remark, before) in now.iter().zip(&said) {
            let Some(remark) = remark else { continue };
            let is_new = before.is_none_or(|before| before.kind() != remark.kind());
            if wrong.is_none() && (is_new || point % every == 0) {
                let shown = text(remark, &locale, Numerals::Screen);
                wrong = check(remark, snapshot, simulation, &past).err().or(tidy(&shown).err());
            }
        }
        said = now;
        point += 1;
    });
    wrong
}

fn all_true(file: &str, commands: Vec<TimedCommand>) -> Result<(), TestCaseError> {
    let wrong = wrong_in(&mut story(file, commands), 90, CHECKED_EVERY);
    prop_assert!(wrong.is_none(), "{}", wrong.unwrap_or_default());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(31), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sentence_about_an_even_log_is_true(
        file in any_log::even(),
        commands in any_log::even_script(),
    ) {
        all_true(&file, commands)?;
    }

    #[test]
    fn every_sentence_about_a_log_that_no_dial_tells_is_true(
        file in any_log::odd(),
        commands in any_log::odd_script(),
    ) {
        all_true(&file, commands)?;
    }
}
