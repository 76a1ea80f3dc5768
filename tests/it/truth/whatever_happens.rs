//! Every sentence is true at every point of the grid, whatever the dials and commands.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use queue_lab::model::command::TimedCommand;
use queue_lab::model::settings::Settings;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::remark::{Next, Remark, Then};

use super::any_run;
use super::check::check;
use super::story::Story;

/// Every remark is checked when it is first said and then at every so many points of the grid:
/// a check runs the future, which costs more than the present.
const CHECKED_EVERY: u32 = 12;

fn all_true(settings: &Settings, commands: Vec<TimedCommand>) -> Result<(), TestCaseError> {
    let mut story = Story::new(settings.clone(), commands);
    let mut said: [Option<Remark>; 3] = [None; 3];
    let (mut point, mut wrong) = (0, None);
    story.hear_until(Instant::from_seconds(90), |account, snapshot, simulation| {
        let now = [Some(account.happening), account.next, account.advice];
        for (remark, before) in
            now.iter().zip(&said).filter_map(|(now, before)| Some((now.as_ref()?, before)))
        {
            let is_new = before.as_ref().is_none_or(|before| before.kind() != remark.kind());
            if wrong.is_none() && (is_new || point % CHECKED_EVERY == 0) {
                wrong = check(remark, snapshot, simulation).err();
            }
        }
        said = now;
        point += 1;
    });
    prop_assert!(wrong.is_none(), "{}", wrong.unwrap_or_default());
    Ok(())
}

/// Kinds whose words say how it goes on.
const AHEAD: &[&str] = &["at-rest", "level-and-short", "level-with-backlog", "will-fill"];

/// Two runs in step: one whose scenario has the commands, of which the narrator speaks, and one
/// that gets them from outside, so that its future has none. What is said must be true of the
/// second, and within the time until the next command.
fn true_up_to_the_next_command(settings: &Settings, commands: &[TimedCommand]) -> Result<(), TestCaseError> {
    let mut told = Story::of_scenario(settings.clone(), commands.to_vec());
    let mut free = Story::new(settings.clone(), commands.to_vec());
    let mut kind = "";
    for point in 0..360_u64 {
        let (account, snapshot) = if point == 0 { told.hear_now() } else { told.hear_next() };
        free.catch_up(snapshot.at);
        prop_assert_eq!(free.simulation.ledger(), snapshot.ledger);
        let next = commands.iter().map(|timed| timed.at).find(|at| *at > snapshot.at);
        let happening = account.happening;
        prop_assert!(account.until.is_none() || account.until == next);
        let is_bare = next.is_some() && account.until.is_none();
        prop_assert!(!(is_bare && AHEAD.contains(&happening.kind())), "{:?}", account);
        for time in [Some(happening), account.next].iter().flatten().filter_map(time_of) {
            let is_within = next.is_none_or(|next| snapshot.at + time <= next);
            prop_assert!(is_within, "at {}: {:?}, but {:?}", snapshot.at, account, next);
        }
        if happening.kind() != kind || point % u64::from(CHECKED_EVERY) == 0 {
            for remark in [Some(happening), account.next, account.advice].iter().flatten() {
                prop_assert_eq!(check(remark, &snapshot, &free.simulation), Ok(()));
            }
        }
        kind = happening.kind();
    }
    Ok(())
}

/// The time ahead that a remark names.
fn time_of(remark: &Remark) -> Option<Span> {
    let time = match *remark {
        Remark::AtRest { then: Then::Fills(_, time), .. }
        | Remark::WillFillIn { full_in: time, .. }
        | Remark::GrowingWithoutBound { out_of_memory_in: time, .. }
        | Remark::WillRunOutOfMemory { out_of_memory_in: time, .. }
        | Remark::OverLimit { clears_in: time, .. }
        | Remark::HoldingBack { clears_in: time, .. }
        | Remark::DrainingIn { empty_in: time, .. } => time?,
        Remark::Next(Next::NewcomerWaits(time) | Next::EveryNewcomerWaits(time)) => time,
        Remark::Next(Next::OldestStillLate { newcomer, .. }) => newcomer,
        _ => return None,
    };
    Some(time.span)
}

proptest! {
    // The seed is fixed: sentences about chance are true in all but a few runs in a million, and
    // a suite must not fail by bad luck.
    #![proptest_config(ProptestConfig { cases: 50, rng_seed: RngSeed::Fixed(20), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sentence_is_true(settings in any_run::settings(), commands in any_run::script()) {
        all_true(&settings, commands)?;
    }
}

proptest! {
    // The same runs, and twice as many more.
    #![proptest_config(ProptestConfig { cases: 150, rng_seed: RngSeed::Fixed(20), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "takes minutes: `make test-all`"]
    fn every_sentence_of_many_runs_is_true(settings in any_run::settings(), commands in any_run::script()) {
        all_true(&settings, commands)?;
    }
}

proptest! {
    // Counts are true or false at once, and each of these runs takes a while.
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(21), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sentence_is_true_of_runs_that_no_dial_tells(
        settings in any_run::odd_settings(),
        commands in any_run::odd_script(),
    ) {
        all_true(&settings, commands)?;
    }

    #[test]
    fn every_sentence_is_true_once_there_is_trouble(
        settings in any_run::settings(),
        commands in any_run::odd_script(),
    ) {
        all_true(&settings, commands)?;
    }

    #[test]
    fn no_sentence_looks_beyond_the_scenarios_next_command(
        settings in any_run::settings(),
        commands in any_run::script(),
    ) {
        true_up_to_the_next_command(&settings, &commands)?;
    }
}
