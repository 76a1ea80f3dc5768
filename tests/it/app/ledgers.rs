//! The ledger on screen adds up, whatever happens: the numbers in its words are read back.

use queue_lab::app::balance;
use queue_lab::model::time::Instant;
use queue_lab::narrate::locale::Locale;

use super::Bench;
use crate::properties::any::{Dice, any_run};

/// What the terms of one side say together.
fn sum(side: &str) -> u64 {
    let number = |term: &str| {
        let digits: String = term.split(' ').next().unwrap_or_default().replace(',', "");
        digits.parse::<u64>().unwrap_or_else(|_| panic!("{term:?} starts with no number"))
    };
    side.split(" + ").map(number).sum()
}

fn check(line: &str) {
    let sums = line.split_once(": ").map_or(line, |(_, sums)| sums);
    let (left, right) = sums.split_once(" = ").expect("it is an equation");
    assert_eq!(sum(left), sum(right), "{line}");
}

#[test]
fn every_line_adds_up_at_any_instant_of_any_run() {
    let locale = Locale::english();
    let (mut lines, mut of_groups) = (0, 0);
    for seed in 0..200 {
        let mut run = any_run(seed, 20);
        let mut dice = Dice(seed);
        run.until = Instant::from_micros(dice.below(20_000_000));
        run.commands.retain(|timed| timed.at <= run.until);
        let Some(simulation) = run.play(60_000, || 60_000) else { continue };
        for line in balance::lines(&simulation.snapshot(), &locale) {
            check(&line);
            lines += 1;
            of_groups += u64::from(line.contains(": "));
        }
    }
    assert!(lines > 150 && of_groups > 50, "{lines} lines, {of_groups} of groups");
}

#[test]
fn a_term_that_may_be_zero_for_a_while_stays() {
    let mut bench = Bench::open("p=1&c=2");
    bench.send(queue_lab::app::message::Msg::TableOpened(true));
    assert_eq!(bench.view().balance, ["0 offered = 0 others"]);
    bench.send(queue_lab::app::message::Msg::Stepped);
    assert_eq!(bench.view().balance, ["1 offered = 0 waiting + 1 in flight + 0 done + 0 others"]);
    (0..8).for_each(|_| bench.send(queue_lab::app::message::Msg::Stepped));
    assert_eq!(bench.view().balance, ["9 offered = 0 waiting + 1 in flight + 8 done + 0 others"]);
}

#[test]
fn in_a_log_each_team_has_a_line() {
    let mut bench = Bench::open("view=log&p=2&c=1");
    bench.send(queue_lab::app::message::Msg::TableOpened(true));
    (0..10).for_each(|_| bench.send(queue_lab::app::message::Msg::Stepped));
    let lines = bench.view().balance;
    assert!(lines.iter().any(|line| line.starts_with("billing: 20 records = ")), "{lines:?}");
    lines.iter().for_each(|line| check(line));
}
