//! The dead letters of a log: what stands in the topics for them, and what can be done about it.

use super::dead_letters::{DeadLetterAct, Lying, REDRIVE, have_keys, notes, row};
use super::state::App;
use super::view::{DeadLettersPanel, DeadLettersView};
use crate::model::command::Command;
use crate::model::routes::TopicIndex;
use crate::model::snapshot::Snapshot;
use crate::model::snapshot::failures::RedriveSnapshot;
use crate::model::snapshot::network::TopicSnapshot;
use crate::model::time::Span;
use crate::narrate::locale::Field;

impl App {
    /// Does something about the dead letters of the log, or says why not.
    #[inline(never)]
    pub(super) fn treat_dead_records(&mut self, act: DeadLetterAct) {
        let snapshot = self.run.snapshot();
        let count = dead(snapshot);
        let (has_none, is_under_way) = (count == 0, under_way(snapshot).is_some());
        let fields = [("count", Field::Count(count)), ("rate", Field::Rate(REDRIVE))];
        let said = |key: &str| self.locale.format(key, &fields);
        let (rate, done) = match act {
            // A topic is read from the front, so there is nothing to choose from.
            DeadLetterAct::RedriveChosen => return,
            DeadLetterAct::DeployFix => return self.deploy_fix(),
            _ if has_none => return self.say_at_buttons(said("dead.refused.none")),
            _ if is_under_way => return self.say_at_buttons(said("dead.refused.under_way")),
            DeadLetterAct::Redrive => (Some(REDRIVE), said("dead.back.done")),
            DeadLetterAct::RedriveAll => (None, said("dead.back_all.done")),
            DeadLetterAct::Discard => (None, said("dead.delete.done")),
        };
        let to = TopicIndex(self.shown_topic().map_or(0, |(topic, _)| topic));
        let command = |from| match act {
            DeadLetterAct::Discard => Command::DeleteRecords { topic: from },
            _ => Command::SendBack { from, to, rate },
        };
        let commands: Vec<Command> = topics(snapshot).map(|(topic, _)| command(topic)).collect();
        let refused = self.carry_out(&commands);
        self.say_at_buttons(refused.unwrap_or(done));
    }
}

/// The topics in which dead letters stand that were not sent back.
fn topics(snapshot: &Snapshot) -> impl Iterator<Item = (TopicIndex, &TopicSnapshot)> {
    let topics = snapshot.network.topics.iter().enumerate();
    topics.filter(|(_, topic)| topic.not_sent_back > 0).map(|(place, topic)| (TopicIndex(place), topic))
}

fn dead(snapshot: &Snapshot) -> u64 {
    topics(snapshot).map(|(_, topic)| topic.not_sent_back).sum()
}

/// How long until the first of them is deleted.
fn next_deleted_in(snapshot: &Snapshot) -> Option<Span> {
    topics(snapshot).filter_map(|(_, topic)| topic.next_deleted_in).min()
}

/// What goes back now.
fn under_way(snapshot: &Snapshot) -> Option<RedriveSnapshot> {
    snapshot.network.topics.iter().find_map(|topic| topic.sends_back)
}

/// The button, and what it opens.
#[inline(never)]
pub(super) fn made_view(app: &App, snapshot: &Snapshot) -> DeadLettersView {
    let count = [("count", Field::Count(dead(snapshot)))];
    let key = if app.is_dead_letters_open { "dead.close" } else { "dead.open" };
    DeadLettersView {
        button: app.locale.format(key, &count),
        is_empty: dead(snapshot) == 0,
        panel: app.is_dead_letters_open.then(|| panel(app, snapshot)),
    }
}

fn panel(app: &App, snapshot: &Snapshot) -> DeadLettersPanel {
    let locale = &app.locale;
    let letters = || snapshot.network.dead_letters.iter().filter(|one| one.place.is_some());
    let has_keys = have_keys(snapshot);
    let heads = [
        "dead.message",
        "dead.key",
        "dead.place",
        "dead.reason",
        "dead.attempts",
        "dead.age",
        "dead.history",
    ];
    let heads = heads.into_iter().filter(|head| has_keys || *head != "dead.key");
    let fields = [("count", Field::Count(dead(snapshot))), ("rate", Field::Rate(REDRIVE))];
    let said = |key: &str| locale.format(key, &fields);
    let is_fixed = app.is_all_fixed();
    DeadLettersPanel {
        title: said("dead.title"),
        fix: said(if is_fixed { "dead.fixed" } else { "dead.fix" }),
        redrive: said("dead.back"),
        redrive_chosen: None,
        redrive_all: said("dead.back_all"),
        discard: said("dead.discard"),
        heads: heads.map(|head| locale.text(head).to_owned()).collect(),
        rows: letters().map(|letter| row(app, letter, has_keys, None)).collect(),
        notes: notes(
            &Lying {
                all: dead(snapshot),
                listed: &letters().collect::<Vec<_>>(),
                deleted_in: (next_deleted_in(snapshot), "dead.deleted_in.topic"),
                redrive: under_way(snapshot),
                has_no_room: false,
                is_fixed,
            },
            locale,
        ),
    }
}
