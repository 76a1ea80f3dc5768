//! Golden transcripts: what a listener hears, at every change of kind and every ten seconds.

use std::fmt::Write;

use queue_lab::model::command::{Command, TimedCommand};
use queue_lab::model::settings::{ArrivalPattern, Bound, OverflowPolicy, ServiceTime, Setting, Settings};
use queue_lab::model::snapshot::Snapshot;
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::format::{self, Numerals};
use queue_lab::narrate::locale::Locale;
use queue_lab::narrate::remark::Account;
use queue_lab::narrate::words::text;

use super::story::{Story, at, dials, rate};

const HEARD_EVERY: Span = Span::from_seconds(10);

struct Transcript {
    locale: Locale,
    text: String,
    kind: &'static str,
    heard_at: Instant,
}

impl Transcript {
    fn hear(&mut self, account: &Account, snapshot: &Snapshot) {
        let kind = account.happening.kind();
        if kind == self.kind && snapshot.at.since(self.heard_at) < HEARD_EVERY {
            return;
        }
        (self.kind, self.heard_at) = (kind, snapshot.at);
        let clock = format::clock(snapshot.at);
        let waiting = snapshot.queue.waiting;
        writeln!(self.text, "{clock} [{kind}, {waiting} waiting]").expect("a String takes text");
        for remark in [Some(account.happening), account.next, account.advice].iter().flatten() {
            writeln!(self.text, "  {}", text(remark, &self.locale, Numerals::Screen))
                .expect("a String takes text");
        }
    }
}

fn transcript(settings: Settings, commands: Vec<TimedCommand>, seconds: u64) -> String {
    let mut story = Story::new(settings, commands);
    let mut transcript =
        Transcript { locale: Locale::english(), text: String::new(), kind: "", heard_at: Instant::START };
    transcript.hear(&story.narrator.account(), &story.simulation.snapshot());
    story.hear_until(Instant::from_seconds(seconds), |account, snapshot, _| {
        transcript.hear(account, snapshot)
    });
    transcript.text
}

pub fn keep(name: &str, transcript: &str) {
    insta::with_settings!({ snapshot_path => "../snapshots/transcripts", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, transcript);
    });
}

#[test]
fn eight_against_six() {
    keep("eight_against_six", &transcript(dials(8, 6), vec![], 45));
}

#[test]
fn six_and_six() {
    keep("six_and_six", &transcript(dials(6, 6), vec![at(10, Command::Burst { count: 42 })], 30));
}

#[test]
fn draining() {
    let commands = vec![at(30, rate(Setting::ConsumerRate, 10))];
    keep("draining", &transcript(dials(8, 6), commands, 75));
}

#[test]
fn each_policy() {
    for overflow in OverflowPolicy::ALL {
        let settings = Settings { overflow: *overflow, ..dials(8, 6) };
        let commands = vec![at(40, rate(Setting::ProducerRate, 4))];
        keep(&format!("full_{}", overflow.name()), &transcript(settings, commands, 60));
    }
}

#[test]
fn no_bound() {
    let settings = Settings { queue_bound: Bound::None, broker_memory: 100, ..dials(8, 6) };
    keep("no_bound", &transcript(settings, vec![at(60, rate(Setting::ProducerRate, 5))], 120));
}

#[test]
fn by_chance() {
    for seed in 1..=4 {
        let settings = Settings {
            arrivals: ArrivalPattern::Poisson,
            service_time: ServiceTime::Exponential,
            queue_bound: Bound::Messages(10),
            seed,
            ..dials(5, 6)
        };
        let commands = vec![at(40, rate(Setting::ProducerRate, 8)), at(80, rate(Setting::ProducerRate, 2))];
        keep(&format!("by_chance_{seed}"), &transcript(settings, commands, 120));
    }
}

#[test]
fn three_consumers() {
    let settings = Settings { consumer_count: 3, ..dials(8, 2) };
    keep("three_consumers", &transcript(settings, vec![at(21, rate(Setting::ProducerRate, 6))], 45));
}
