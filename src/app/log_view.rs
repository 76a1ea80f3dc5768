//! The side of the page that shows a log: which run it starts, and what can be done to it.

use super::both;
use super::start::Start;
use super::state::App;
use super::view::{ChartView, LogActionView, LogActionsView};
use super::{labels, log_table, view::TableRow};
use crate::draw::log;
use crate::model::command::Command;
use crate::model::rate::Rate;
use crate::model::routes::TopicIndex;
use crate::model::scenario::Scenario;
use crate::model::settings::{CONSUMERS_MAX, PARTITIONS_MAX, Setting, Settings, Value};
use crate::model::snapshot::Snapshot;
use crate::model::snapshot::network::GroupSnapshot;
use crate::model::time::Instant;
use crate::model::topology::{GroupNode, ProducerNode, TopicNode, Topology};
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};

/// Which side of the page is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// A work queue.
    #[default]
    Queue,
    /// A partitioned log.
    Log,
    /// A queue and a log to which the same messages go.
    Both,
}

impl Side {
    /// All of them, in the order in which they stand.
    pub const ALL: [Self; 3] = [Self::Queue, Self::Log, Self::Both];

    /// Its name in links.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Log => "log",
            Self::Both => "both",
        }
    }

    /// Whether it is both.
    #[must_use]
    pub const fn is_both(self) -> bool {
        matches!(self, Self::Both)
    }

    /// Whether there is a queue to be seen.
    #[must_use]
    pub const fn has_queue(self) -> bool {
        !matches!(self, Self::Log)
    }

    /// Whether there is a log to be seen.
    #[must_use]
    pub const fn has_log(self) -> bool {
        !matches!(self, Self::Queue)
    }
}

/// Their names in links, in the order of [`Side::ALL`].
pub const SIDES: &[&str] = &["queue", "log", "both"];

/// The topic that is read.
const ORDERS: &str = "orders";

/// Where what was given up goes, once a policy says so.
const DEAD_LETTERS: &str = "orders-dead-letters";

/// What a log starts with beside the dials of both sides: one partition, and a failed record is tried
/// again in its place, for ever.
const OF_LOGS: [(Setting, Value); 3] = [
    (Setting::Partitions, Value::Count(1)),
    (Setting::RetryAt, Value::Choice("in-place")),
    (Setting::AttemptsMax, Value::Choice("none")),
];

/// The side on which a run is to be seen: a log, where a producer feeds groups and nobody takes from a
/// queue; both, where the producer of such a log sends the messages of one that feeds a queue.
#[must_use]
pub fn side_of(scenario: &Scenario) -> Side {
    let topology = scenario.topology();
    let is_fed = |group: &GroupNode| topology.producers.iter().any(|producer| producer.to == group.from);
    match topology.groups.iter().any(is_fed) {
        true if topology.consumers.is_empty() => Side::Log,
        true if both::has_two_sides(topology) => Side::Both,
        _ => Side::Queue,
    }
}

/// The run that a side starts with these dials.
#[must_use]
pub fn scenario_of(side: Side, dials: &Settings) -> Scenario {
    let (mut settings, defaults) = (dials.clone(), Settings::default());
    for (setting, value) in OF_LOGS {
        settings.set(setting, if side.has_log() { value } else { defaults.get(setting) });
    }
    let queue = Scenario::with_settings(settings);
    match side {
        Side::Queue => queue,
        // The names below are known to fit; a test makes sure of it.
        Side::Log => queue.clone().with_topology(topology()).unwrap_or(queue),
        Side::Both => queue.clone().with_topology(both::beside_a_queue(topology())).unwrap_or(queue),
    }
}

/// A producer, a topic, a group, and a second one that joins by command. Each has a topic for its retries
/// with a group that reads it, and there is one for dead letters: nothing comes there, and nothing of it is
/// shown, before a policy for failures sends something.
fn topology() -> Topology {
    let group = |name: &str, from: &str, retry_to: &str, joins_later| GroupNode {
        name: name.to_owned(),
        from: from.to_owned(),
        retry_to: Some(retry_to.to_owned()),
        dead_letters_to: Some(DEAD_LETTERS.to_owned()),
        joins_later,
    };
    let topics = [ORDERS, "billing-retry", "audit-retry", DEAD_LETTERS];
    Topology {
        producers: vec![ProducerNode {
            name: "producer".to_owned(),
            to: ORDERS.to_owned(),
            ..ProducerNode::default()
        }],
        queues: Vec::new(),
        consumers: Vec::new(),
        topics: topics.map(|name| TopicNode { name: name.to_owned() }).to_vec(),
        groups: vec![
            group("billing", ORDERS, "billing-retry", false),
            group("audit", ORDERS, "audit-retry", true),
            group("billing-retries", "billing-retry", "billing-retry", false),
            group("audit-retries", "audit-retry", "audit-retry", true),
        ],
    }
}

impl App {
    /// The side on which the run is shown.
    #[must_use]
    pub fn side(&self) -> Side {
        side_of(self.run.simulation().scenario())
    }

    /// Shows the other side: a new run with the same dials and seed.
    pub(super) fn show_side(&mut self, side: Side) {
        if side == self.side() {
            return;
        }
        self.start = Start {
            title: None,
            scenario: scenario_of(side, &self.settings()),
            dial_max: self.start.dial_max,
            ..Start::default()
        };
        self.begin();
        self.set_playing(false);
        self.announcer.answer(self.locale.text(began_key(side)).to_owned());
    }

    pub(super) fn add_partition(&mut self) {
        let Some((topic, count)) = self.shown_topic() else { return };
        if u64::from(count) >= PARTITIONS_MAX {
            return self.say_at_buttons(self.said("refused.most_partitions"));
        }
        let to = count + 1;
        let refused = self.carry_out(&[Command::AddPartitions { topic: TopicIndex(topic), to }]);
        let count = [("count", Field::Count(u64::from(to)))];
        let added = self.locale.format("log.partition.added", &count);
        self.say_at_buttons(refused.unwrap_or(added));
    }

    pub(super) fn add_consumer(&mut self) {
        if self.most_consumers() {
            return self.say_at_buttons(self.said("refused.most_consumers"));
        }
        let count = self.settings().consumer_count + 1;
        self.set(Setting::ConsumerCount, Value::Count(count));
        let count = [("count", Field::Count(self.settings().consumer_count))];
        self.say_at_buttons(self.locale.format("log.consumer.added", &count));
    }

    /// Whether there are as many consumers as there can be.
    fn most_consumers(&self) -> bool {
        self.settings().consumer_count >= CONSUMERS_MAX
    }

    pub(super) fn add_team(&mut self) {
        let Some(pool) = self.team_to_come() else {
            return self.say_at_buttons(self.said("refused.team_is_there"));
        };
        let joining = if self.side().is_both() { self.joining_both() } else { self.joining(pool) };
        let refused = self.carry_out(&joining);
        let key = if self.side().is_both() { "both.team.added" } else { "log.team.added" };
        let added = self.locale.text(key).to_owned();
        self.say_at_buttons(refused.unwrap_or(added));
    }

    /// A team joins with those who read its retries.
    fn joining(&self, pool: u16) -> Vec<Command> {
        let topology = self.run.simulation().scenario().topology();
        let groups = || (0_u16..).zip(&topology.groups);
        let first = u16::try_from(topology.consumers.len()).unwrap_or_default();
        let team = groups().find(|(place, _)| first + place == pool).map(|(_, node)| node);
        let retry_to = team.and_then(|node| node.retry_to.as_ref());
        let reads_retries =
            |node: &GroupNode| node.joins_later && retry_to.is_some_and(|topic| *topic == node.from);
        let others = groups().filter(|(_, node)| reads_retries(node)).map(|(place, _)| first + place);
        [pool].into_iter().chain(others).map(|pool| Command::Join { pool }).collect()
    }

    /// The place of the topic in the picture, and its partitions.
    pub(super) fn shown_topic(&self) -> Option<(usize, u32)> {
        let snapshot = self.run.snapshot();
        let shown = log::shown(snapshot, 0.0)?;
        Some((shown.topic, u32::try_from(shown.topic(snapshot)?.partitions.len()).ok()?))
    }

    /// The first pool that the topology lets join later and that has not joined.
    fn team_to_come(&self) -> Option<u16> {
        let topology = self.run.simulation().scenario().topology();
        let pools = 0..u16::try_from(topology.pool_names().count()).unwrap_or(u16::MAX);
        let mut later = pools.filter(|pool| topology.joins_later(usize::from(*pool)));
        later.find(|pool| self.run.simulation().check(&Command::Join { pool: *pool }).is_ok())
    }

    /// Whether the topology lets a team join later.
    fn has_teams_to_come(&self) -> bool {
        let topology = self.run.simulation().scenario().topology();
        (0..topology.pool_names().count()).any(|pool| topology.joins_later(pool))
    }

    /// What can be done to the log, where one is shown.
    pub(super) fn log_actions(&self) -> Option<LogActionsView> {
        let (_, partitions) = self.side().has_log().then(|| self.shown_topic()).flatten()?;
        let text = |key: &str| self.locale.text(key).to_owned();
        let action = |label: &str, refused: Option<&str>| LogActionView {
            label: text(label),
            refused: refused.map(text),
        };
        Some(LogActionsView {
            label: text("log.add"),
            partition: action(
                "log.add.partition",
                (u64::from(partitions) >= PARTITIONS_MAX).then_some("refused.most_partitions"),
            ),
            consumer: action("log.add.consumer", self.most_consumers().then_some("refused.most_consumers")),
            team: self.has_teams_to_come().then(|| {
                let is_there = self.team_to_come().is_none();
                action("log.add.team", is_there.then_some("refused.team_is_there"))
            }),
        })
    }

    /// That a side begins anew, while nothing has happened on it yet.
    pub(super) fn side_note(&self) -> Option<String> {
        let is_at_start = self.run.snapshot().at == Instant::START;
        let is_a_side = self.start.title.is_none() && self.side().has_log();
        let key = if self.side().is_both() { "both.first_visit" } else { "log.first_visit" };
        (is_at_start && is_a_side).then(|| self.locale.text(key).to_owned())
    }
}

const fn began_key(side: Side) -> &'static str {
    match side {
        Side::Queue => "side.queue.began",
        Side::Log => "side.log.began",
        Side::Both => "side.both.began",
    }
}

/// The groups that read the topic in the picture and have begun.
fn groups_of(snapshot: &Snapshot) -> Vec<&GroupSnapshot> {
    let shown = log::shown(snapshot, 0.0);
    let places = shown.map(|shown| shown.groups).unwrap_or_default();
    places.into_iter().filter_map(|place| snapshot.network.groups.get(place)).collect()
}

/// What the picture shows, in words: the canvas's name.
pub(super) fn picture_name(snapshot: &Snapshot, locale: &Locale) -> String {
    let topic = log::shown(snapshot, 0.0).and_then(|shown| shown.topic(snapshot));
    let lag = groups_of(snapshot).iter().map(|group| group.lag).max().unwrap_or_default();
    let fields = [
        ("topic", Field::Text(topic.map_or("", |topic| &topic.name))),
        ("partitions", Field::Count(topic.map_or(0, |topic| topic.partitions.len() as u64))),
        ("lag", Field::Count(lag)),
    ];
    locale.format_spoken("log.picture.name", &fields)
}

/// The captions of the three charts.
pub(super) fn charts(snapshot: &Snapshot, locale: &Locale) -> Vec<ChartView> {
    let groups = groups_of(snapshot);
    let worst = groups.iter().map(|group| group.lag_max).max().unwrap_or_default();
    let age = groups.iter().filter_map(|group| group.oldest_unfinished).max();
    let dead = snapshot.dead_letters();
    let age_text = age.map(|age| format::time(locale, age, Numerals::Spoken)).unwrap_or_default();
    let fields =
        [("lag", Field::Count(worst)), ("age", Field::Text(&age_text)), ("count", Field::Count(dead))];
    let chart = |title: &str, value: String, description: &str| ChartView {
        title: locale.text(title).to_owned(),
        value,
        description: locale.format_spoken(description, &fields),
    };
    let age_key = if age.is_some() { "chart.unfinished.description" } else { "chart.unfinished.none" };
    vec![
        chart("chart.lag", locale.format("chart.lag.worst", &fields), "chart.lag.description"),
        chart("chart.unfinished", labels::age(age, locale), age_key),
        chart("chart.dead", format::count(locale, dead, Numerals::Screen), "chart.dead.description"),
    ]
}

/// What consumers of whom some have no partition can finish together.
pub(super) struct AtWork {
    /// As it is written.
    pub(super) total: String,
    /// As it is spoken, with the rate of each.
    pub(super) spoken: String,
}

/// That, where the team in the picture has consumers without a partition: they finish nothing.
#[inline(never)]
pub(super) fn readers_at_work(app: &App, settings: &Settings) -> Option<AtWork> {
    let idle = groups_of(app.run.snapshot()).first().map(|group| group.idle_members)?;
    let readers = settings.consumer_count.checked_sub(idle).filter(|_| idle > 0)?;
    let total = Rate::from_thousandths(settings.consumer_rate.thousandths().saturating_mul(readers));
    let fields = [
        ("rate", Field::Rate(settings.consumer_rate)),
        ("readers", Field::Count(readers)),
        ("consumers", Field::Count(settings.consumer_count)),
        ("total", Field::Rate(total)),
    ];
    Some(AtWork {
        total: app.locale.format("dial.c.total.log", &fields),
        spoken: app.locale.format_spoken("dial.c.spoken.log", &fields),
    })
}

/// The table's rows.
pub(super) fn rows(snapshot: &Snapshot, locale: &Locale) -> Vec<TableRow> {
    let topic = log::shown(snapshot, 0.0).and_then(|shown| shown.topic(snapshot));
    topic.map_or_else(Vec::new, |topic| log_table::rows(snapshot, topic, locale))
}

/// Whether a group is further behind than all that came to its topic within the last ten seconds.
#[inline(never)]
pub(super) fn is_far_behind(snapshot: &Snapshot) -> bool {
    let network = &snapshot.network;
    network.groups.iter().any(|group| {
        let topic = network.topics.iter().find(|topic| topic.name == group.from);
        let came = topic.iter().flat_map(|topic| &topic.partitions).map(|partition| partition.came_recently);
        let is_there = network.pools.iter().any(|pool| pool.name == group.name && pool.count > 0);
        is_there && group.lag > came.sum::<u64>().max(10)
    })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::model::simulation::Simulation;

    /// The topics for failures cost nothing where nothing fails.
    #[test]
    fn the_log_takes_the_short_way_until_something_fails() {
        let mut run = Simulation::new(Rc::new(scenario_of(Side::Log, &Settings::default())));
        run.advance_to(Instant::from_seconds(10), u64::MAX);
        assert!(run.runs_logs_plainly());
        assert_eq!(run.scenario().topology().topics.len(), 4);
        assert!(run.apply(Command::BrokerDown).is_ok());
        run.advance_to(Instant::from_seconds(11), u64::MAX);
        assert!(!run.runs_logs_plainly(), "it can be told");
    }
}
