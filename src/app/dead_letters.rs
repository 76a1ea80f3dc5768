//! The dead letters: what lies there, and what can be done about it.

use super::log_dead_letters;
use super::log_view::Side;
use super::state::App;
use super::view::{DeadLetterRow, DeadLettersPanel, DeadLettersView};
use crate::model::command::Command;
use crate::model::message::{DeathReason, QueueIndex};
use crate::model::rate::Rate;
use crate::model::snapshot::Snapshot;
use crate::model::snapshot::network::{DeadLetterSnapshot, DeathSnapshot};
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};

/// How fast dead letters go back that do not go all at once.
pub(super) const REDRIVE: Rate = Rate::from_per_second(1);

/// What can be done about dead letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadLetterAct {
    /// The fix is deployed: poison can be handled from now on.
    DeployFix,
    /// They go back one after the other.
    Redrive,
    /// They go back all at once.
    RedriveAll,
    /// They are thrown away.
    Discard,
}

impl App {
    /// Does something about the dead letters, or says why not.
    pub(super) fn treat_dead_letters(&mut self, act: DeadLetterAct) {
        if self.side() == Side::Log {
            return self.treat_dead_records(act);
        }
        let failures = &self.run.snapshot().failures;
        let fields = [("count", Field::Count(failures.dead_letters)), ("rate", Field::Rate(REDRIVE))];
        let said = |key: &str| self.locale.format(key, &fields);
        let (command, said) = match act {
            DeadLetterAct::DeployFix => return self.deploy_fix(),
            _ if failures.dead_letters == 0 => (None, said("dead.refused.none")),
            _ if failures.redrive.is_some() => (None, said("dead.refused.under_way")),
            DeadLetterAct::Redrive => (Some(self.redrive(Some(REDRIVE))), said("dead.redrive.done")),
            DeadLetterAct::RedriveAll => (Some(self.redrive(None)), said("dead.redrive_all.done")),
            DeadLetterAct::Discard => {
                (Some(Command::Discard { queue: self.dead_letter_queue() }), said("dead.discard.done"))
            }
        };
        let refused = command.and_then(|command| self.carry_out(&[command]));
        self.say_at_buttons(refused.unwrap_or(said));
    }

    /// Everybody who cannot do a message for what it is can from now on.
    pub(super) fn deploy_fix(&mut self) {
        let is_fixed = self.run.snapshot().failures.is_fixed;
        let fix = (!is_fixed).then_some(Command::DeployFix);
        let commands: Vec<Command> = fix.into_iter().chain(self.upgrades()).collect();
        let said = if commands.is_empty() { "dead.refused.fixed" } else { "dead.fix.done" };
        let refused = self.carry_out(&commands);
        self.say_at_buttons(refused.unwrap_or_else(|| self.said(said)));
    }

    fn redrive(&self, rate: Option<Rate>) -> Command {
        Command::Redrive { from: self.dead_letter_queue(), to: QueueIndex(0), rate }
    }

    /// The queue that dead letters lie in: one of the topology, or the common one behind these.
    fn dead_letter_queue(&self) -> QueueIndex {
        let topology = self.run.simulation().scenario().topology();
        let named = topology.queue_named(&self.run.snapshot().failures.dead_letter_queue);
        QueueIndex(named.unwrap_or(topology.queues.len()))
    }
}

/// The dead letters, once there has been one.
pub(super) fn view(app: &App) -> Option<DeadLettersView> {
    let snapshot = app.run.snapshot();
    let has_been = snapshot.network.totals.dead_lettered > 0 || snapshot.failures.dead_letters > 0;
    match app.side() {
        Side::Queue => has_been.then(|| made_view(app, snapshot)),
        Side::Log => has_been.then(|| log_dead_letters::made_view(app, snapshot)),
    }
}

#[inline(never)]
fn made_view(app: &App, snapshot: &Snapshot) -> DeadLettersView {
    let count = [("count", Field::Count(snapshot.failures.dead_letters))];
    let key = if app.is_dead_letters_open { "dead.close" } else { "dead.open" };
    DeadLettersView {
        button: app.locale.format(key, &count),
        panel: app.is_dead_letters_open.then(|| panel(snapshot, &app.locale)),
    }
}

fn panel(snapshot: &Snapshot, locale: &Locale) -> DeadLettersPanel {
    let failures = &snapshot.failures;
    let letters =
        || snapshot.network.dead_letters.iter().filter(|one| one.queue == failures.dead_letter_queue);
    let has_keys = letters().any(|letter| letter.key.is_some());
    let heads = ["dead.message", "dead.key", "dead.reason", "dead.attempts", "dead.age", "dead.history"];
    let heads = heads.into_iter().filter(|head| has_keys || *head != "dead.key");
    let fields = [("count", Field::Count(failures.dead_letters)), ("rate", Field::Rate(REDRIVE))];
    let said = |key: &str| locale.format(key, &fields);
    DeadLettersPanel {
        title: said("dead.title"),
        fix: said(if failures.is_fixed { "dead.fixed" } else { "dead.fix" }),
        redrive: said("dead.redrive"),
        redrive_all: said("dead.redrive_all"),
        discard: said("dead.discard"),
        heads: heads.map(|head| locale.text(head).to_owned()).collect(),
        rows: letters().map(|letter| row(letter, has_keys, locale)).collect(),
        notes: notes(
            snapshot,
            letters().count() as u64,
            letters().filter(|one| came_back(one)).count(),
            locale,
        ),
    }
}

/// Whether it died more than once: it was sent back and came again.
pub(super) fn came_back(letter: &DeadLetterSnapshot) -> bool {
    letter.history.iter().map(|death| u64::from(death.count)).sum::<u64>() > 1
}

/// What is to be known of all of them.
fn notes(snapshot: &Snapshot, listed: u64, came_back: usize, locale: &Locale) -> Vec<String> {
    let failures = &snapshot.failures;
    let mut notes = Vec::new();
    let mut say = |key: &str, count: u64, all: u64| {
        notes.push(locale.format(key, &[("count", Field::Count(count)), ("all", Field::Count(all))]));
    };
    if failures.dead_letters == 0 {
        say("dead.none", 0, 0);
    }
    if listed < failures.dead_letters {
        say("dead.first_of", listed, failures.dead_letters);
    }
    if let Some(redrive) = failures.redrive {
        say("dead.under_way", redrive.moved, redrive.to_move);
    }
    if came_back > 0 {
        say("dead.came_back", came_back as u64, listed);
    }
    say(if failures.is_fixed { "dead.after_fix" } else { "dead.before_fix" }, 0, 0);
    notes
}

pub(super) fn row(letter: &DeadLetterSnapshot, has_keys: bool, locale: &Locale) -> DeadLetterRow {
    let count = |count: u64| format::count(locale, count, Numerals::Screen);
    let name = count(letter.number);
    let key = || letter.key.map_or_else(|| locale.text("unit.none").to_owned(), count);
    let key_of_line = if letter.place.is_some() { "dead.history.line.topic" } else { "dead.history.line" };
    let mut cells = Vec::new();
    if has_keys {
        cells.push(key());
    }
    if let Some(place) = &letter.place {
        let fields = [
            ("group", Field::Text(&place.group)),
            ("partition", Field::Count(u64::from(place.partition))),
            ("offset", Field::Count(place.offset)),
        ];
        cells.push(locale.format("dead.place.value", &fields));
    }
    cells.push(locale.text(reason_key(letter.reason)).to_owned());
    cells.push(count(u64::from(letter.attempts)));
    cells.push(format::short(locale, letter.age));
    DeadLetterRow {
        number: letter.number,
        cells,
        history_label: locale.format("dead.history.open", &[("number", Field::Text(&name))]),
        history: letter.history.iter().map(|death| death_line(death, key_of_line, locale)).collect(),
        name,
    }
}

fn death_line(death: &DeathSnapshot, key: &str, locale: &Locale) -> String {
    let at = format::clock(death.at);
    let fields = [
        ("queue", Field::Text(&death.queue)),
        ("reason", Field::Text(locale.text(reason_key(death.reason)))),
        ("count", Field::Count(u64::from(death.count))),
        ("time", Field::Text(&at)),
    ];
    locale.format(key, &fields)
}

const fn reason_key(reason: DeathReason) -> &'static str {
    match reason {
        DeathReason::Rejected => "dead.reason.rejected",
        DeathReason::Expired => "dead.reason.expired",
        DeathReason::MaxLength => "dead.reason.max_length",
        DeathReason::DeliveryLimit => "dead.reason.delivery_limit",
    }
}
