//! The side of the page that shows a queue and a log at once. The same messages go to both, so what
//! differs is what a queue and a log do with them: a queue gives each to one taker and lets go of it, a
//! log keeps it for everybody who reads.

use std::collections::BTreeSet;

use super::dead_letters::DeadLetterAct;
use super::labels;
use super::log_labels;
use super::state::App;
use super::view::{ChartView, DeadLettersView, TableRow};
use super::{dead_letters, log_dead_letters, poison};
use crate::draw::both::BothLabels;
use crate::draw::log;
use crate::model::command::{Command, ConsumerDoes};
use crate::model::snapshot::network::{GroupSnapshot, PoolSnapshot};
use crate::model::snapshot::{ConsumerHealth, Snapshot};
use crate::model::topology::{ConsumersNode, ProducerNode, QueueNode, Topology};
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};

/// The names on the queue's side. Each team has its own there, because names are not used twice.
const PRODUCER: &str = "producer";
const QUEUE: &str = "queue";
const TEAMS: [&str; 2] = ["billing-of-queue", "audit-of-queue"];
const PRODUCER_OF_LOG: &str = "producer-of-log";

/// Whether the messages that go to a queue go to a topic too.
pub(super) fn has_two_sides(topology: &Topology) -> bool {
    let feeds_a_queue =
        topology.producers.first().is_some_and(|first| topology.queue_named(&first.to).is_some());
    let is_other_side =
        |producer: &ProducerNode| producer.like.is_some() && topology.topic_named(&producer.to).is_some();
    feeds_a_queue && topology.producers.iter().any(is_other_side)
}

/// A log, and a queue beside it that gets the same messages.
#[inline(never)]
pub(super) fn beside_a_queue(log: Topology) -> Topology {
    let to_queue =
        ProducerNode { name: PRODUCER.to_owned(), to: QUEUE.to_owned(), ..ProducerNode::default() };
    let to_log = log.producers.into_iter().map(|producer| ProducerNode {
        name: PRODUCER_OF_LOG.to_owned(),
        like: Some(PRODUCER.to_owned()),
        ..producer
    });
    let team = |name: &str, joins_later| ConsumersNode {
        name: name.to_owned(),
        from: QUEUE.to_owned(),
        joins_later,
        ..ConsumersNode::default()
    };
    Topology {
        producers: [to_queue].into_iter().chain(to_log).collect(),
        queues: vec![QueueNode { name: QUEUE.to_owned(), ..QueueNode::default() }],
        consumers: vec![team(TEAMS[0], false), team(TEAMS[1], true)],
        topics: log.topics,
        groups: log.groups,
    }
}

impl App {
    /// The pools that the buttons break: the first that takes from the queue, and the first group that is
    /// shown.
    pub(super) fn pools_to_break(&self) -> Vec<u16> {
        let second = if self.side().is_both() { self.group_to_break() } else { None };
        [0].into_iter().chain(second.map(|(pool, _)| pool)).collect()
    }

    /// The place of the first group in the picture among the pools, and the group.
    pub(super) fn group_to_break(&self) -> Option<(u16, &GroupSnapshot)> {
        let snapshot = self.run.snapshot();
        let group = snapshot.network.groups.get(*log::shown(snapshot, 0.0)?.groups.first()?)?;
        let pool = snapshot.network.pools.iter().position(|pool| pool.name == group.name)?;
        Some((u16::try_from(pool).ok()?, group))
    }

    /// What is done to a consumer of the queue and to one of the log: to each that is up.
    #[inline(never)]
    pub(super) fn break_both(&self, number: Option<u16>, does: ConsumerDoes) -> Vec<Command> {
        let of_queue = number.map(|number| Command::Consumer { pool: 0, number, does });
        let of_log = self.group_to_break().and_then(|(pool, group)| {
            let is_up = |health| health == ConsumerHealth::Up;
            Some(Command::Consumer { pool, number: readers(group, is_up).next()?, does })
        });
        self.taken(of_queue.into_iter().chain(of_log).collect())
    }

    /// The consumers of the log that are not up are started again.
    #[inline(never)]
    pub(super) fn restart_in_log(&self) -> Vec<Command> {
        let Some((pool, group)) = self.group_to_break() else { return Vec::new() };
        let is_down = |health| {
            matches!(health, ConsumerHealth::Crashed | ConsumerHealth::CrashLoop | ConsumerHealth::Hung)
        };
        let restart = |number| Command::Consumer { pool, number, does: ConsumerDoes::Restart };
        readers(group, is_down).map(restart).collect()
    }

    /// The producers of both sides.
    pub(super) fn producers_of_sides(&self) -> Vec<u16> {
        let topology = self.run.simulation().scenario().topology();
        let is_other = |node: &ProducerNode| node.like.is_some() && topology.topic_named(&node.to).is_some();
        let other = if self.side().is_both() { topology.producers.iter().position(is_other) } else { None };
        [0].into_iter().chain(other.and_then(|place| u16::try_from(place).ok())).collect()
    }

    /// So many messages at once, on each side that there is.
    pub(super) fn burst(&self, count: u64) -> Vec<Command> {
        let others = self.producers_of_sides().into_iter().skip(1);
        let others = others.map(|producer| Command::BurstOf { producer, count });
        [Command::Burst { count }].into_iter().chain(others).collect()
    }

    /// What of these commands the model takes now.
    pub(super) fn taken(&self, commands: Vec<Command>) -> Vec<Command> {
        let simulation = self.run.simulation();
        commands.into_iter().filter(|command| simulation.check(command).is_ok()).collect()
    }

    /// Whether the producer at that place sends to a topic.
    pub(super) fn feeds_a_topic(&self, producer: usize) -> bool {
        let topology = self.run.simulation().scenario().topology();
        topology.producers.get(producer).is_some_and(|node| topology.topic_named(&node.to).is_some())
    }

    /// Where the poison is on each side.
    #[inline(never)]
    pub(super) fn whereabouts_on_both_sides(&self) -> String {
        let queue = poison::whereabouts(self.run.snapshot(), &self.locale);
        let log = self.whereabouts_in_log();
        self.locale.format("both.said", &[("queue", Field::Text(&queue)), ("log", Field::Text(&log))])
    }

    /// A team joins on both sides.
    #[inline(never)]
    pub(super) fn joining_both(&self) -> Vec<Command> {
        let topology = self.run.simulation().scenario().topology();
        let pools = 0..u16::try_from(topology.pool_names().count()).unwrap_or(u16::MAX);
        let later = pools.filter(|pool| topology.joins_later(usize::from(*pool)));
        self.taken(later.map(|pool| Command::Join { pool }).collect())
    }

    /// Does something about the dead letters of both sides, or says why not.
    #[inline(never)]
    pub(super) fn treat_all_dead_letters(&mut self, act: DeadLetterAct) {
        let snapshot = self.run.snapshot();
        let has_of_queue = snapshot.failures.dead_letters > 0;
        let has_of_log = snapshot.network.topics.iter().any(|topic| topic.not_sent_back > 0);
        let is_of_queue_alone = matches!(act, DeadLetterAct::DeployFix | DeadLetterAct::RedriveChosen);
        if is_of_queue_alone || !has_of_log {
            return self.treat_dead_messages(act);
        }
        if !has_of_queue {
            return self.treat_dead_records(act);
        }
        self.treat_dead_messages(act);
        let of_queue = std::mem::take(&mut self.said_at_buttons);
        self.treat_dead_records(act);
        let fields = [("queue", Field::Text(&of_queue)), ("log", Field::Text(&self.said_at_buttons))];
        let said = self.locale.format("both.said", &fields);
        self.say_at_buttons(said);
    }
}

/// The numbers of those members, each once, whose health is so and who read something.
fn readers(group: &GroupSnapshot, is_so: impl Fn(ConsumerHealth) -> bool) -> impl Iterator<Item = u16> {
    let theirs = group.partitions.iter().filter(move |lane| lane.reader_health.is_some_and(&is_so));
    let numbers: BTreeSet<u64> = theirs.filter_map(|lane| lane.reader?.checked_sub(1)).collect();
    numbers.into_iter().filter_map(|number| u16::try_from(number).ok())
}

/// The words of the picture of both on a canvas `width_css` wide.
#[inline(never)]
pub(super) fn words(snapshot: &Snapshot, locale: &Locale, width_css: f64) -> BothLabels {
    let width_css = crate::draw::both::width_of_side(width_css);
    let mut queue = labels::scene_labels(snapshot, locale, width_css);
    let teams = teams_of_queue(snapshot);
    if teams.len() > 1 {
        let done = |pool: &&PoolSnapshot| format::count(locale, pool.finished, Numerals::Screen);
        let done = teams.iter().map(done).collect::<Vec<_>>().join(" + ");
        queue.done = locale.format("both.done", &[("counts", Field::Text(&done))]);
    }
    BothLabels {
        queue,
        log: log_labels::log_labels(snapshot, locale, width_css),
        queue_title: locale.text("both.queue").to_owned(),
        log_title: locale.text("both.log").to_owned(),
    }
}

/// The pools that take from the first queue and have begun.
fn teams_of_queue(snapshot: &Snapshot) -> Vec<&PoolSnapshot> {
    let pools = snapshot.network.pools.iter();
    pools.filter(|pool| pool.from == snapshot.queue.name && pool.count > 0).collect()
}

/// What the picture shows, in words.
#[inline(never)]
pub(super) fn picture_name(snapshot: &Snapshot, locale: &Locale) -> String {
    let queue = [("waiting", Field::Count(snapshot.queue.waiting))];
    let queue = locale.format_spoken("picture.name", &queue);
    let log = super::log_view::picture_name(snapshot, locale);
    locale.format_spoken("both.picture.name", &[("queue", Field::Text(&queue)), ("log", Field::Text(&log))])
}

/// The captions of the three charts: depth, lag, and what was lost or given up.
#[inline(never)]
pub(super) fn charts(queue: Vec<ChartView>, log: Vec<ChartView>) -> Vec<ChartView> {
    let (mut queue, mut log) = (queue.into_iter(), log.into_iter());
    [queue.next(), log.next(), queue.nth(1)].into_iter().flatten().collect()
}

/// The rows of the table: those of the queue, then those of the log, each under its name.
#[inline(never)]
pub(super) fn rows(queue: Vec<TableRow>, log: Vec<TableRow>, locale: &Locale) -> Vec<TableRow> {
    let named = |rows: Vec<TableRow>, key: &'static str| {
        rows.into_iter().map(move |row| {
            let name = locale.format(key, &[("name", Field::Text(&row.name))]);
            TableRow { name, ..row }
        })
    };
    named(queue, "both.row.queue").chain(named(log, "both.row.log")).collect()
}

/// What is to be known of each side, and once what is to be known of both, which comes last.
fn notes_of_both(mut queue: Vec<String>, log: Vec<String>, locale: &Locale) -> Vec<String> {
    let common = queue.pop();
    let named = |notes: Vec<String>, key: &'static str| {
        notes.into_iter().map(move |note| locale.format(key, &[("name", Field::Text(&note))]))
    };
    let log = log.into_iter().filter(|note| Some(note) != common.as_ref()).collect();
    let notes = named(queue, "both.row.queue").chain(named(log, "both.row.log")).collect::<Vec<_>>();
    notes.into_iter().chain(common).collect()
}

/// The list of the dead letters of both sides.
#[inline(never)]
pub(super) fn dead_letters_view(app: &App, snapshot: &Snapshot) -> DeadLettersView {
    let queue = dead_letters::made_view(app, snapshot);
    let log = log_dead_letters::made_view(app, snapshot);
    let count = [("count", Field::Count(snapshot.dead_letters()))];
    let key = if app.is_dead_letters_open { "dead.close" } else { "dead.open" };
    let (has_none_of_queue, has_none_of_log) = (queue.is_empty, log.is_empty);
    let said = |key: &str| app.locale.format(key, &[count[0], ("rate", Field::Rate(dead_letters::REDRIVE))]);
    let panel = queue.panel.zip(log.panel).map(|(mut queue, log)| {
        queue.heads = log.heads;
        queue.title = said("dead.title");
        queue.redrive = said("dead.redrive");
        queue.redrive_all = said("dead.redrive_all");
        queue.discard = said("dead.discard");
        queue.rows.extend(log.rows);
        queue.notes = match (has_none_of_queue, has_none_of_log) {
            (_, true) => queue.notes,
            (true, false) => log.notes,
            (false, false) => notes_of_both(queue.notes, log.notes, &app.locale),
        };
        queue
    });
    DeadLettersView {
        button: app.locale.format(key, &count),
        is_empty: queue.is_empty && log.is_empty,
        panel,
    }
}
