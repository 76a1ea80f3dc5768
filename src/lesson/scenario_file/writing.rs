//! Writing scenario files: what a run starts from and what was done in it.
//!
//! What is written is read back as the same scenario; a test lets every file that is built in, and
//! random runs, go both ways.

use super::FORMAT;
use crate::json::{Fields, Json};
use crate::model::broker::QueueIndex;
use crate::model::command::{Command, ConsumerDoes, TimedCommand};
use crate::model::group::reset::ResetTo;
use crate::model::rate::Rate;
use crate::model::routes::TopicIndex;
use crate::model::scenario::Scenario;
use crate::model::settings::{Setting, Settings, TABLE, Value};
use crate::model::time::Span;
use crate::model::topology::{DEAD_LETTERS, Topology};

/// A scenario file on one line: the scenario, with these commands in place of its own.
#[must_use]
#[inline(never)]
pub fn write(
    title: Option<&str>,
    dial_max: Option<Rate>,
    scenario: &Scenario,
    commands: &[TimedCommand],
) -> String {
    let mut fields = vec![named("format", number(FORMAT))];
    fields.extend(title.map(|title| named("title", text(title))));
    fields.extend(scenario.clock_start_seconds.map(|seconds| named("clock_start", text(&clock(seconds)))));
    if *scenario.topology() != Topology::default() {
        fields.push(named("topology", topology(scenario.topology())));
    }
    fields.push(named("settings", Json::Object(settings(scenario))));
    fields.extend(dial_max.map(|max| named("dial_max_per_second", number(max))));
    fields.extend(alerts(scenario));
    let commands: Vec<Json> = commands.iter().map(|timed| timed_command(scenario, timed)).collect();
    if !commands.is_empty() {
        fields.push(named("commands", Json::List(commands)));
    }
    fields.extend(scenario.until.map(|until| named("until", number(until))));
    Json::Object(fields).to_line()
}

/// A command as scenario files have it: its instant, what it does, and the rest in the order of the
/// document. Names are those of the scenario's topology.
#[must_use]
pub fn timed_command(scenario: &Scenario, timed: &TimedCommand) -> Json {
    let mut fields = vec![named("at", number(timed.at)), named("do", text(name_of(&timed.command)))];
    fields.extend(arguments(scenario, &timed.command));
    Json::Object(fields)
}

fn named(name: &str, value: Json) -> (String, Json) {
    (name.to_owned(), value)
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

fn number(number: impl ToString) -> Json {
    Json::Number(number.to_string())
}

fn clock(seconds: u32) -> String {
    let [hours, minutes, seconds] = [seconds / 3_600, seconds / 60 % 60, seconds % 60];
    if seconds == 0 {
        format!("{hours:02}:{minutes:02}")
    } else {
        format!("{hours:02}:{minutes:02}:{seconds:02}")
    }
}

fn topology(topology: &Topology) -> Json {
    let optional =
        |name: &str, value: &Option<String>| value.as_deref().map(|value| named(name, text(value)));
    let flag = |is_on: bool| is_on.then(|| named("joins_later", Json::Bool(true)));
    let node = |name: &str, links: [Option<(String, Json)>; 4]| {
        Json::Object([Some(named("name", text(name)))].into_iter().chain(links).flatten().collect())
    };
    let to = |name: &str, value: &str| Some(named(name, text(value)));
    let producers = topology.producers.iter().map(|own| {
        let links = [optional("split_to", &own.split_to), optional("like", &own.like), None];
        let [split_to, like, none] = links;
        node(&own.name, [to("to", &own.to), split_to, like, none])
    });
    let queues = topology.queues.iter().map(|own| {
        let dead_letters_to = optional("dead_letters_to", &own.dead_letters_to);
        node(&own.name, [dead_letters_to, optional("split_from", &own.split_from), None, None])
    });
    let consumers = topology.consumers.iter().map(|own| {
        let split_from = optional("split_from", &own.split_from);
        node(&own.name, [to("from", &own.from), split_from, flag(own.joins_later), None])
    });
    let topics = topology.topics.iter().map(|own| node(&own.name, [None, None, None, None]));
    let groups = topology.groups.iter().map(|own| {
        let links = [optional("retry_to", &own.retry_to), optional("dead_letters_to", &own.dead_letters_to)];
        let [retry_to, dead_letters_to] = links;
        node(&own.name, [to("from", &own.from), retry_to, dead_letters_to, flag(own.joins_later)])
    });
    let lists: [(&str, Vec<Json>); 5] = [
        ("producers", producers.collect()),
        ("queues", queues.collect()),
        ("consumers", consumers.collect()),
        ("topics", topics.collect()),
        ("groups", groups.collect()),
    ];
    Json::Object(lists.into_iter().map(|(name, list)| named(name, Json::List(list))).collect())
}

/// The settings that differ from the defaults, and then those of nodes that have their own.
fn settings(scenario: &Scenario) -> Fields {
    let mut fields = differing("", &scenario.settings, &Settings::default());
    for (name, own) in scenario.node_settings() {
        fields.extend(differing(&[name, "."].concat(), own, &scenario.settings));
    }
    fields
}

fn differing(prefix: &str, settings: &Settings, from: &Settings) -> Fields {
    let rows = TABLE.iter().filter(|row| settings.get(row.setting) != from.get(row.setting));
    rows.map(|row| ([prefix, row.name].concat(), value(settings.get(row.setting)))).collect()
}

fn value(value: Value) -> Json {
    let text = value.to_text();
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    if is_number { Json::Number(text) } else { Json::Text(text) }
}

fn alerts(scenario: &Scenario) -> Fields {
    let rules = scenario.alerts();
    if rules.rules().is_empty() {
        return Vec::new();
    }
    let seconds = |name: &str, span: Span| (span > Span::ZERO).then(|| named(name, number(span)));
    let list = rules.rules().iter().map(|rule| {
        let said = ["name", "owner", "when"].into_iter().zip([
            rule.name.clone(),
            rule.owner.clone(),
            rule.condition.to_string(),
        ]);
        let fields = said.map(|(name, value)| named(name, Json::Text(value)));
        let times = [seconds("for_seconds", rule.hold), seconds("keep_firing_seconds", rule.keep_firing)];
        Json::Object(fields.chain(times.into_iter().flatten()).collect())
    });
    let list = Json::List(list.collect());
    vec![named("alert_interval_seconds", number(rules.interval())), named("alerts", list)]
}

/// What a command is called.
const fn name_of(command: &Command) -> &'static str {
    match command {
        Command::Set { .. } | Command::SetNode { .. } => "set",
        Command::Burst { .. } | Command::BurstOf { .. } => "burst",
        Command::Poison { .. } => "poison",
        Command::Route { .. } => "route",
        Command::StopConsumers { .. } => "stop",
        Command::StartConsumers { .. } => "start",
        Command::Consumer { does, .. } => match does {
            ConsumerDoes::Crash => "crash",
            ConsumerDoes::CrashFinishing => "crash-finishing",
            ConsumerDoes::Hang => "hang",
            ConsumerDoes::Restart => "restart",
            ConsumerDoes::CrashLoop => "crash-loop",
        },
        Command::BrokerDown => "broker-down",
        Command::BrokerUp => "broker-up",
        Command::FailOver { .. } => "fail-over",
        Command::DeployFix => "deploy-fix",
        Command::Redrive { .. } => "redrive",
        Command::RedriveMessage { .. } => "redrive-message",
        Command::Discard { .. } => "discard",
        Command::SplitQueues { .. } => "split-queues",
        Command::Join { .. } => "join",
        Command::ResetOffsets { .. } => "reset-offsets",
        Command::AddPartitions { .. } => "add-partitions",
        Command::PoisonPartition { .. } => "poison-partition",
        Command::RouteToTopic { .. } => "route-to-topic",
        Command::SendBack { .. } => "send-back",
        Command::DeleteRecords { .. } => "delete-records",
        Command::SetAlertRule { .. } => "set-alert-rule",
        Command::ChangeSchema { .. } => "change-schema",
        Command::UpgradeReaders { .. } => "upgrade-readers",
    }
}

fn arguments(scenario: &Scenario, command: &Command) -> Fields {
    let names = Names(scenario);
    let messages = |count: u64| named("messages", number(count));
    let rate = |rate: Option<Rate>| rate.map(|rate| named("rate_per_second", number(rate)));
    match *command {
        Command::Set { setting, value } => set("", setting, value),
        Command::SetNode { node, setting, value } => set(&names.own(node), setting, value),
        Command::Burst { count } => vec![messages(count)],
        Command::BurstOf { producer, count } | Command::Poison { producer, count } => {
            vec![messages(count), names.producer(producer)]
        }
        Command::Route { producer, to } => vec![names.producer(producer), names.queue("to", to)],
        Command::StopConsumers { pool }
        | Command::StartConsumers { pool }
        | Command::Join { pool }
        | Command::UpgradeReaders { pool } => vec![names.pool(pool)],
        Command::Consumer { pool, number: of, .. } => {
            vec![names.pool(pool), named("number", number(u32::from(of) + 1))]
        }
        Command::BrokerDown | Command::BrokerUp | Command::DeployFix => Vec::new(),
        Command::FailOver { duration } => vec![named("duration_seconds", number(duration))],
        Command::Redrive { from, to, rate: at } => {
            [names.queue("from", from), names.queue("to", to)].into_iter().chain(rate(at)).collect()
        }
        Command::RedriveMessage { from, to, producer, number: of, rate: at } => {
            let who = [names.queue("from", from), names.queue("to", to), names.producer(producer)];
            who.into_iter().chain([named("message", number(of))]).chain(rate(at)).collect()
        }
        Command::Discard { queue } | Command::SplitQueues { queue } => vec![names.queue("queue", queue)],
        Command::ResetOffsets { group, partition, to } => {
            let group = names.group(group.0);
            let partition = partition.map(|partition| named("partition", number(partition)));
            [group].into_iter().chain(partition).chain(reset_target(to)).collect()
        }
        Command::AddPartitions { topic, to } => {
            vec![names.topic("topic", topic), named("partition_count", number(to))]
        }
        Command::PoisonPartition { topic, partition, count } => {
            vec![names.topic("topic", topic), named("partition", number(partition)), messages(count)]
        }
        Command::RouteToTopic { producer, to } => vec![names.producer(producer), names.topic("to", to)],
        Command::SendBack { from, to, rate: at } => {
            [names.topic("from", from), names.topic("to", to)].into_iter().chain(rate(at)).collect()
        }
        Command::DeleteRecords { topic } => vec![names.topic("topic", topic)],
        Command::SetAlertRule { rule, change } => {
            let threshold =
                change.threshold_millionths.map(|threshold| named("threshold", millionths(threshold)));
            let hold = change.hold.map(|span| named("for_seconds", number(span)));
            let keep_firing = change.keep_firing.map(|span| named("keep_firing_seconds", number(span)));
            [names.alert(rule)].into_iter().chain(threshold).chain(hold).chain(keep_firing).collect()
        }
        Command::ChangeSchema { producer } => vec![names.producer(producer)],
    }
}

fn set(node: &str, setting: Setting, to: Value) -> Fields {
    let row = TABLE.iter().find(|row| row.setting == setting);
    let name = [node, row.map_or("", |row| row.name)].concat();
    vec![named("settings", Json::Object(vec![(name, value(to))]))]
}

fn millionths(of: i64) -> Json {
    let sign = if of < 0 { "-" } else { "" };
    let (whole, part) = (of.unsigned_abs() / 1_000_000, of.unsigned_abs() % 1_000_000);
    Json::Text(format!("{sign}{whole}.{part:06}"))
}

fn reset_target(to: ResetTo) -> Fields {
    let (target, more) = match to {
        ResetTo::Earliest => ("earliest", None),
        ResetTo::Latest => ("latest", None),
        ResetTo::Current => ("current", None),
        ResetTo::Offset(offset) => ("offset", Some(named("offset", number(offset)))),
        ResetTo::Shift(by) if by < 0 => ("back", Some(named("records", number(by.unsigned_abs())))),
        ResetTo::Shift(by) => ("on", Some(named("records", number(by)))),
        ResetTo::Time(at) => ("time", Some(named("time_seconds", number(at)))),
    };
    [named("to", text(target))].into_iter().chain(more).collect()
}

/// Names of the topology by their places. A place that there is not has an empty name, which is
/// refused when it is read.
struct Names<'a>(&'a Scenario);

impl Names<'_> {
    fn own(&self, node: u16) -> String {
        let own = self.0.node_settings().get(usize::from(node));
        own.map_or_else(String::new, |(name, _)| [name, "."].concat())
    }

    fn producer(&self, place: u16) -> (String, Json) {
        let node = self.0.topology().producers.get(usize::from(place));
        named("producer", text(node.map_or("", |node| &node.name)))
    }

    fn pool(&self, place: u16) -> (String, Json) {
        let name = self.0.topology().pool_names().nth(usize::from(place));
        named("consumers", text(name.map_or("", |name| name)))
    }

    fn queue(&self, field: &str, place: QueueIndex) -> (String, Json) {
        let queues = &self.0.topology().queues;
        let otherwise = if place.0 == queues.len() { DEAD_LETTERS } else { "" };
        named(field, text(queues.get(place.0).map_or(otherwise, |node| &node.name)))
    }

    fn topic(&self, field: &str, place: TopicIndex) -> (String, Json) {
        named(field, text(self.0.topology().topics.get(place.0).map_or("", |node| &node.name)))
    }

    fn group(&self, place: usize) -> (String, Json) {
        named("group", text(self.0.topology().groups.get(place).map_or("", |node| &node.name)))
    }

    fn alert(&self, place: u16) -> (String, Json) {
        let rule = self.0.alerts().rules().get(usize::from(place));
        named("alert", text(rule.map_or("", |rule| &rule.name)))
    }
}
