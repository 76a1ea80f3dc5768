//! The dead letters: what lies there, and what can be done about it.

use super::both;
use super::log_dead_letters;
use super::log_view::Side;
use super::state::App;
use super::trace;
use super::view::{ChosenButton, DeadLetterRow, DeadLettersPanel, DeadLettersView};
use crate::model::command::Command;
use crate::model::message::QueueIndex;
use crate::model::rate::Rate;
use crate::model::settings::{Bound, OverflowPolicy};
use crate::model::snapshot::failures::RedriveSnapshot;
use crate::model::snapshot::network::{DeadLetterSnapshot, DeathSnapshot};
use crate::model::snapshot::{QueueSnapshot, Snapshot};
use crate::model::time::Span;
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};
use crate::narrate::trace::death_key;

/// How fast dead letters go back that do not go all at once.
pub(super) const REDRIVE: Rate = Rate::from_per_second(1);

/// What can be done about dead letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadLetterAct {
    /// The fix is deployed: poison can be handled from now on.
    DeployFix,
    /// They go back one after the other.
    Redrive,
    /// Those that are ticked go back one after the other.
    RedriveChosen,
    /// They go back all at once.
    RedriveAll,
    /// They are thrown away.
    Discard,
}

impl App {
    /// Does something about the dead letters, or says why not.
    pub(super) fn treat_dead_letters(&mut self, act: DeadLetterAct) {
        match self.side() {
            Side::Queue => self.treat_dead_messages(act),
            Side::Log => self.treat_dead_records(act),
            Side::Both => self.treat_all_dead_letters(act),
        }
    }

    /// Does something about the dead letters of the queue, or says why not.
    pub(super) fn treat_dead_messages(&mut self, act: DeadLetterAct) {
        let failures = &self.run.snapshot().failures;
        let chosen = self.chosen_letters();
        let count =
            if act == DeadLetterAct::RedriveChosen { chosen.len() as u64 } else { failures.dead_letters };
        let fields = [("count", Field::Count(count)), ("rate", Field::Rate(REDRIVE))];
        let said = |key: &str| self.locale.format(key, &fields);
        let (commands, said) = match act {
            DeadLetterAct::DeployFix => return self.deploy_fix(),
            _ if failures.dead_letters == 0 => (Vec::new(), said("dead.refused.none")),
            _ if failures.redrive.is_some() => (Vec::new(), said("dead.refused.under_way")),
            DeadLetterAct::RedriveChosen if chosen.is_empty() => {
                (Vec::new(), said("dead.redrive_chosen.none"))
            }
            DeadLetterAct::RedriveChosen => (self.redrive_chosen(&chosen), said("dead.redrive.done")),
            DeadLetterAct::Redrive => (vec![self.redrive(Some(REDRIVE))], said("dead.redrive.done")),
            DeadLetterAct::RedriveAll => (vec![self.redrive(None)], said("dead.redrive_all.done")),
            DeadLetterAct::Discard => {
                (vec![Command::Discard { queue: self.dead_letter_queue() }], said("dead.discard.done"))
            }
        };
        let refused = self.carry_out(&commands);
        if act == DeadLetterAct::RedriveChosen && !commands.is_empty() && refused.is_none() {
            self.ticked_letters.clear();
        }
        self.say_at_buttons(refused.unwrap_or(said));
    }

    /// A dead letter was ticked, or its tick cleared.
    pub(super) fn tick_letter(&mut self, producer: usize, number: u64, is_ticked: bool) {
        self.ticked_letters.retain(|letter| *letter != (producer, number));
        self.ticked_letters.extend(is_ticked.then_some((producer, number)));
    }

    /// Those that are ticked and lie there still, in the order of the list.
    fn chosen_letters(&self) -> Vec<(usize, u64)> {
        let listed = letters(self.run.snapshot()).map(|letter| (producer_of(self, letter), letter.number));
        listed.filter(|letter| self.ticked_letters.contains(letter)).collect()
    }

    fn redrive_chosen(&self, chosen: &[(usize, u64)]) -> Vec<Command> {
        let (from, to) = (self.dead_letter_queue(), QueueIndex(0));
        let commands = chosen.iter().map(|(producer, number)| Command::RedriveMessage {
            from,
            to,
            producer: u16::try_from(*producer).unwrap_or_default(),
            number: *number,
            rate: Some(REDRIVE),
        });
        commands.collect()
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
        Side::Both => has_been.then(|| both::dead_letters_view(app, snapshot)),
    }
}

#[inline(never)]
pub(super) fn made_view(app: &App, snapshot: &Snapshot) -> DeadLettersView {
    let count = [("count", Field::Count(snapshot.failures.dead_letters))];
    let key = if app.is_dead_letters_open { "dead.close" } else { "dead.open" };
    DeadLettersView {
        button: app.locale.format(key, &count),
        is_empty: snapshot.failures.dead_letters == 0,
        panel: app.is_dead_letters_open.then(|| panel(app, snapshot)),
    }
}

fn panel(app: &App, snapshot: &Snapshot) -> DeadLettersPanel {
    let (failures, locale) = (&snapshot.failures, &*app.locale);
    let (letters, is_fixed) = (|| letters(snapshot), app.is_all_fixed());
    let chosen = app.chosen_letters();
    let has_keys = have_keys(snapshot);
    let heads = ["dead.message", "dead.key", "dead.reason", "dead.attempts", "dead.age", "dead.history"];
    let heads = heads.into_iter().filter(|head| has_keys || *head != "dead.key");
    let fields = [("count", Field::Count(failures.dead_letters)), ("rate", Field::Rate(REDRIVE))];
    let said = |key: &str| locale.format(key, &fields);
    DeadLettersPanel {
        title: said("dead.title"),
        fix: said(if is_fixed { "dead.fixed" } else { "dead.fix" }),
        redrive: said("dead.redrive"),
        redrive_chosen: Some(redrive_chosen(&chosen, locale)),
        redrive_all: said("dead.redrive_all"),
        discard: said("dead.discard"),
        heads: heads.map(|head| locale.text(head).to_owned()).collect(),
        rows: letters().map(|letter| row(app, letter, has_keys, Some(&chosen))).collect(),
        notes: notes(
            &Lying {
                all: failures.dead_letters,
                listed: &letters().collect::<Vec<_>>(),
                deleted_in: (failures.next_deleted_in, "dead.deleted_in"),
                redrive: failures.redrive,
                has_no_room: is_full(&snapshot.queue),
                is_fixed,
            },
            locale,
        ),
    }
}

/// The button for those that are ticked. It is there before one is, so that the list below stays in place.
fn redrive_chosen(chosen: &[(usize, u64)], locale: &Locale) -> ChosenButton {
    let fields = [("count", Field::Count(chosen.len() as u64)), ("rate", Field::Rate(REDRIVE))];
    ChosenButton {
        text: locale.format("dead.redrive_chosen", &fields),
        idle: chosen.is_empty().then(|| locale.text("dead.redrive_chosen.none").to_owned()),
    }
}

/// The dead letters that are listed.
fn letters(snapshot: &Snapshot) -> impl Iterator<Item = &DeadLetterSnapshot> {
    let queue = &snapshot.failures.dead_letter_queue;
    snapshot.network.dead_letters.iter().filter(move |one| one.queue == *queue)
}

/// Whether any of the dead letters has a key.
pub(super) fn have_keys(snapshot: &Snapshot) -> bool {
    snapshot.network.dead_letters.iter().any(|letter| letter.key.is_some())
}

fn producer_of(app: &App, letter: &DeadLetterSnapshot) -> usize {
    let topology = app.run.simulation().scenario().topology();
    topology.producers.iter().position(|node| node.name == letter.producer).unwrap_or_default()
}

/// Whether it died more than once: it was sent back and came again.
fn came_back(letter: &DeadLetterSnapshot) -> bool {
    letter.history.iter().map(|death| u64::from(death.count)).sum::<u64>() > 1
}

/// What lies there, and what goes back now.
pub(super) struct Lying<'a> {
    /// How many lie there.
    pub all: u64,
    /// Those of them that are listed.
    pub listed: &'a [&'a DeadLetterSnapshot],
    /// How long until the oldest is deleted, and how that is said.
    pub deleted_in: (Option<Span>, &'static str),
    /// What goes back.
    pub redrive: Option<RedriveSnapshot>,
    /// Whether there is no room for it.
    pub has_no_room: bool,
    /// Whether they would be done if they came back.
    pub is_fixed: bool,
}

/// What is to be known of all of them.
pub(super) fn notes(lying: &Lying<'_>, locale: &Locale) -> Vec<String> {
    let (deleted_in, of_deletion) = lying.deleted_in;
    let time = format::time(locale, deleted_in.unwrap_or_default(), Numerals::Screen);
    let mut notes = Vec::new();
    let listed = lying.listed.len() as u64;
    let came_back = lying.listed.iter().filter(|letter| came_back(letter)).count() as u64;
    let mut say = |key: &str, count: u64, all: u64| {
        let fields =
            [("count", Field::Count(count)), ("all", Field::Count(all)), ("time", Field::Text(&time))];
        notes.push(locale.format(key, &fields));
    };
    if lying.all == 0 {
        say("dead.none", 0, 0);
    }
    if listed < lying.all {
        say("dead.first_of", listed, lying.all);
    }
    if deleted_in.is_some() {
        say(of_deletion, 0, 0);
    }
    if let Some(redrive) = lying.redrive {
        say("dead.under_way", redrive.moved, redrive.to_move);
        if lying.has_no_room {
            say("dead.no_room", 0, 0);
        }
    }
    if came_back > 0 {
        say("dead.came_back", came_back, listed);
    }
    say(if lying.is_fixed { "dead.after_fix" } else { "dead.before_fix" }, 0, 0);
    notes
}

/// Whether the queue takes nothing back: what comes does not push others out, and it is at its bound.
fn is_full(queue: &QueueSnapshot) -> bool {
    let is_at_bound = matches!(queue.bound, Bound::Messages(most) if queue.waiting >= most);
    is_at_bound && queue.overflow != OverflowPolicy::DropOldest
}

pub(super) fn row(
    app: &App,
    letter: &DeadLetterSnapshot,
    has_keys: bool,
    chosen: Option<&[(usize, u64)]>,
) -> DeadLetterRow {
    let locale = &*app.locale;
    let producer = producer_of(app, letter);
    let key_of_line = if letter.place.is_some() { "dead.history.line.topic" } else { "dead.history.line" };
    let mut history = trace::journey(app, producer, letter.number);
    if history.is_empty() {
        history = letter.history.iter().map(|death| death_line(death, key_of_line, locale)).collect();
    }
    let count = |count: u64| format::count(locale, count, Numerals::Screen);
    let name = count(letter.number);
    let key = || letter.key.map_or_else(|| locale.text("unit.none").to_owned(), count);
    let mut cells = Vec::new();
    if has_keys {
        cells.push(key());
    }
    if app.side().is_both() && letter.place.is_none() {
        cells.push(locale.text("both.queue").to_owned());
    }
    if let Some(place) = &letter.place {
        let fields = [
            ("group", Field::Text(&place.group)),
            ("partition", Field::Count(u64::from(place.partition))),
            ("offset", Field::Count(place.offset)),
        ];
        cells.push(locale.format("dead.place.value", &fields));
    }
    cells.push(locale.text(death_key(letter.reason)).to_owned());
    cells.push(count(u64::from(letter.attempts)));
    cells.push(format::short(locale, letter.age));
    DeadLetterRow {
        producer,
        number: letter.number,
        copy: copies_before(app.run.snapshot(), letter),
        cells,
        is_ticked: chosen.is_some_and(|chosen| chosen.contains(&(producer, letter.number))),
        tick_label: chosen.map(|_| locale.format("dead.tick", &[("number", Field::Text(&name))])),
        history_label: locale.format("dead.history.open", &[("number", Field::Text(&name))]),
        history,
        name,
    }
}

/// How many dead letters of the same message are listed before it.
fn copies_before(snapshot: &Snapshot, letter: &DeadLetterSnapshot) -> usize {
    let before = snapshot.network.dead_letters.iter().take_while(|one| !std::ptr::eq(*one, letter));
    before.filter(|one| (&one.producer, one.number) == (&letter.producer, letter.number)).count()
}

fn death_line(death: &DeathSnapshot, key: &str, locale: &Locale) -> String {
    let at = format::clock(death.at);
    let fields = [
        ("queue", Field::Text(&death.queue)),
        ("reason", Field::Text(locale.text(death_key(death.reason)))),
        ("count", Field::Count(u64::from(death.count))),
        ("time", Field::Text(&at)),
    ];
    locale.format(key, &fields)
}
