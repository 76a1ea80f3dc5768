//! Golden transcripts of logs: what a listener hears, at every change of kind and now and then.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::format::{self, Numerals};
use queue_lab::narrate::locale::Locale;
use queue_lab::narrate::words;

use super::past::group;
use super::whatever_happens::{story, wrong_in};
use crate::truth::transcripts::keep;

/// The text of one of the prepared scenarios.
pub fn prepared(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("static/scenarios");
    fs::read_to_string(folder.join(name).with_extension("json")).expect("it is there")
}

/// What is heard up to `seconds`, at least every `pause`.
pub fn transcript(file: &str, seconds: u64, pause: Span) -> String {
    let (mut story, locale) = (story(file, vec![]), Locale::english());
    let (mut said, mut kind, mut heard_at) = (String::new(), "", Instant::START);
    let mut hear = |account: &queue_lab::narrate::remark::Account,
                    snapshot: &queue_lab::model::snapshot::Snapshot| {
        let now = account.happening.kind();
        if now == kind && snapshot.at.since(heard_at) < pause {
            return;
        }
        (kind, heard_at) = (now, snapshot.at);
        let clock = format::clock(snapshot.at);
        writeln!(said, "{clock} [{now}, {} behind]", group(snapshot).lag).expect("a String takes text");
        writeln!(said, "  {}", words::happening(account, &locale, Numerals::Screen)).expect("as above");
        for remark in [account.next, account.advice].iter().flatten() {
            writeln!(said, "  {}", words::text(remark, &locale, Numerals::Screen)).expect("as above");
        }
    };
    let (account, snapshot) = story.hear_now();
    hear(&account, &snapshot);
    story.hear_until(Instant::from_seconds(seconds), |account, snapshot, _| hear(account, snapshot));
    said
}

fn keep_true(name: &str, file: &str, seconds: u64, pause: u64) {
    assert_eq!(wrong_in(&mut story(file, vec![]), seconds, 4), None, "{name}");
    keep(name, &transcript(file, seconds, Span::from_seconds(pause)));
}

#[test]
fn one_lane_grows_and_drains() {
    keep_true("log_one_lane", &prepared("n16-one-partition"), 75, 10);
}

#[test]
fn one_lane_stays_level() {
    let file = prepared("n16-one-partition")
        .replace("rate_per_second\": 8", "rate_per_second\": 6")
        .replace("\"at\": 30", "\"at\": 60");
    keep_true("log_level", &file, 30, 10);
}

#[test]
fn a_poison_record_holds_up_its_partition() {
    keep_true("log_poison", &prepared("n14-poison-in-a-log"), 120, 20);
}

#[test]
fn nobody_reads_for_six_hours() {
    let file = prepared("n06-dead-group");
    keep("log_dead_group", &transcript(&file, 1_200, Span::from_seconds(120)));
    assert_eq!(wrong_in(&mut story(&file, vec![]), 1_200, 160), None);
}

#[test]
fn twelve_partitions_and_twenty_consumers() {
    keep_true("log_idle_members", &prepared("n09-twelve-partitions"), 60, 20);
}
