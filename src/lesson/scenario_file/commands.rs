//! The commands of a scenario file.

use super::{COMMANDS_MAX, FileProblem, Reader, Target, Wanted, item, within};
use crate::json::{self, Fields, Json};
use crate::model::broker::QueueIndex;
use crate::model::command::{Command, ConsumerDoes, FAIL_OVER, TimedCommand};
use crate::model::group::reset::ResetTo;
use crate::model::rate::Rate;
use crate::model::routes::{GroupIndex, TopicIndex};
use crate::model::settings::{BURST_MAX, CONSUMERS_MAX, PARTITIONS_MAX, SchemaChange, Setting};
use crate::model::time::{Instant, Span};
use crate::model::topology::DEAD_LETTERS;

/// The greatest offset that a command can name: more records than any run has.
pub const OFFSET_MAX: u64 = 1 << 40;

/// How long a fail-over takes that does not say.
const FAIL_OVER_USUAL: Span = Span::from_seconds(10);

impl Reader {
    pub(super) fn commands(&mut self, list: Option<&Json>) {
        let Some(list) = self.list("commands", list) else { return };
        if list.len() > COMMANDS_MAX {
            self.note("commands", &Json::Null, FileProblem::TooManyCommands);
        }
        for (index, entry) in list.iter().take(COMMANDS_MAX).enumerate() {
            let place = item("commands", index);
            if let Some(fields) = self.object(&place, Some(entry)) {
                self.command(&place, fields);
            }
        }
        self.check_partitions();
    }

    fn command(&mut self, place: &str, fields: &Fields) {
        let at = match json::field(fields, "at") {
            Some(value) => self.instant(&within(place, "at"), value),
            None => Some(Instant::START),
        };
        let Some(at) = at else { return };
        let action = json::field(fields, "do").unwrap_or(&Json::Null);
        let Some(name) = action.as_text() else {
            return self.note(&within(place, "do"), action, FileProblem::UnknownCommand);
        };
        if name == "set" {
            return self.set_command(place, fields, at);
        }
        let Some(own) = fields_of(name) else {
            return self.note(&within(place, "do"), action, FileProblem::UnknownCommand);
        };
        self.report_other_fields(place, fields, own);
        if let Some(command) = self.named_command(place, fields, name) {
            self.push(place, at, command);
        }
    }

    fn named_command(&mut self, place: &str, fields: &Fields, name: &str) -> Option<Command> {
        Some(match name {
            "burst" => {
                let count = self.messages(place, fields)?;
                match self.producer(place, fields)? {
                    0 => Command::Burst { count },
                    producer => Command::BurstOf { producer, count },
                }
            }
            "poison" => {
                let count = self.messages(place, fields)?;
                Command::Poison { producer: self.producer(place, fields)?, count }
            }
            "route" => Command::Route {
                producer: self.producer(place, fields)?,
                to: self.queue(place, fields, "to", 0)?,
            },
            "stop" => Command::StopConsumers { pool: self.pool(place, fields)? },
            "start" => Command::StartConsumers { pool: self.pool(place, fields)? },
            "crash" => self.consumer_command(place, fields, ConsumerDoes::Crash)?,
            "crash-finishing" => self.consumer_command(place, fields, ConsumerDoes::CrashFinishing)?,
            "hang" => self.consumer_command(place, fields, ConsumerDoes::Hang)?,
            "crash-loop" => self.consumer_command(place, fields, ConsumerDoes::CrashLoop)?,
            "restart" => self.consumer_command(place, fields, ConsumerDoes::Restart)?,
            "broker-down" => Command::BrokerDown,
            "broker-up" => Command::BrokerUp,
            "fail-over" => self.fail_over(place, fields)?,
            "deploy-fix" => Command::DeployFix,
            "redrive" => self.redrive(place, fields)?,
            "redrive-message" => self.redrive_message(place, fields)?,
            "split-queues" => self.split_queues(place, fields)?,
            "join" => self.join(place, fields)?,
            "reset-offsets" => self.reset_offsets(place, fields)?,
            "add-partitions" => self.add_partitions(place, fields)?,
            "poison-partition" => self.poison_partition(place, fields)?,
            "route-to-topic" => Command::RouteToTopic {
                producer: self.producer(place, fields)?,
                to: self.topic(place, fields, "to")?,
            },
            "send-back" => Command::SendBack {
                from: self.topic(place, fields, "from")?,
                to: self.topic(place, fields, "to")?,
                rate: self.rate(place, fields)?,
            },
            "delete-records" => Command::DeleteRecords { topic: self.topic(place, fields, "topic")? },
            "set-alert-rule" => self.set_alert_rule(place, fields)?,
            "change-schema" => self.change_schema(place, fields)?,
            "upgrade-readers" => self.upgrade_readers(place, fields)?,
            _ => Command::Discard { queue: self.dead_letters(place, fields, "queue")? },
        })
    }

    fn set_command(&mut self, place: &str, fields: &Fields, at: Instant) {
        self.report_other_fields(place, fields, &["settings"]);
        let place = within(place, "settings");
        let Some(given) = self.object(&place, json::field(fields, "settings")) else { return };
        for (name, value) in given {
            let place = within(&place, name);
            match self.value(&place, name, value) {
                Some((Target::First, setting, value)) => {
                    self.push(&place, at, Command::Set { setting, value })
                }
                Some((Target::Node(node), setting, value)) => {
                    self.push(&place, at, Command::SetNode { node, setting, value });
                }
                None => {}
            }
        }
    }

    fn consumer_command(&mut self, place: &str, fields: &Fields, does: ConsumerDoes) -> Option<Command> {
        let pool = self.pool(place, fields)?;
        let number = match json::field(fields, "number") {
            Some(value) => self.count(&within(place, "number"), value, 1, CONSUMERS_MAX)? - 1,
            None => 0,
        };
        Some(Command::Consumer { pool, number: u16::try_from(number).unwrap_or(u16::MAX), does })
    }

    fn redrive(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let rate = self.rate(place, fields)?;
        let (from, to) = (self.dead_letters(place, fields, "from")?, self.queue(place, fields, "to", 0)?);
        Some(Command::Redrive { from, to, rate })
    }

    fn redrive_message(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let rate = self.rate(place, fields)?;
        let (from, to) = (self.dead_letters(place, fields, "from")?, self.queue(place, fields, "to", 0)?);
        let producer = self.producer(place, fields)?;
        let value = json::field(fields, "message").unwrap_or(&Json::Null);
        let number = self.count(&within(place, "message"), value, 1, NUMBER_MAX)?;
        Some(Command::RedriveMessage { from, to, producer, number, rate })
    }

    /// The rate that the command names; none: as fast as it can be done.
    fn rate(&mut self, place: &str, fields: &Fields) -> Option<Option<Rate>> {
        let Some(value) = json::field(fields, "rate_per_second") else { return Some(None) };
        let most = Rate::MAX.thousandths();
        let thousandths = self.number(&within(place, "rate_per_second"), value, 3, 1, most)?;
        Some(Some(Rate::from_thousandths(thousandths)))
    }

    fn join(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let pool = self.pool(place, fields)?;
        if self.topology.joins_later(usize::from(pool)) {
            return Some(Command::Join { pool });
        }
        let named = json::field(fields, "consumers").unwrap_or(&Json::Null);
        self.note(&within(place, "consumers"), named, FileProblem::NothingToJoin);
        None
    }

    /// A producer registers a change only where its settings name one: at the start, or by a command
    /// before this one.
    fn change_schema(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let producer = self.producer(place, fields)?;
        let names_change = |setting: Setting| setting == Setting::SchemaChange;
        let is_set = self.commands.iter().any(|timed| match timed.command {
            Command::Set { setting, .. } | Command::SetNode { setting, .. } => names_change(setting),
            _ => false,
        });
        if is_set || self.schema_change_of(usize::from(producer)) != SchemaChange::None {
            return Some(Command::ChangeSchema { producer });
        }
        let named = json::field(fields, "producer").unwrap_or(&Json::Null);
        self.note(&within(place, "producer"), named, FileProblem::NoSchemaChange);
        None
    }

    /// The change of its schema that a producer's settings name at the start.
    fn schema_change_of(&self, producer: usize) -> SchemaChange {
        let name = self.topology.producers.get(producer).map(|node| &node.name);
        let own = self.node_settings.iter().find(|(node, _)| Some(node) == name);
        let mut settings = self.settings.clone();
        own.into_iter().flat_map(|(_, given)| given).for_each(|(setting, value)| {
            settings.set(*setting, *value);
        });
        settings.schema_change
    }

    fn upgrade_readers(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let command = Command::UpgradeReaders { pool: self.pool(place, fields)? };
        if !self.commands.iter().any(|timed| timed.command == command) {
            return Some(command);
        }
        let named = json::field(fields, "consumers").unwrap_or(&Json::Null);
        self.note(&within(place, "consumers"), named, FileProblem::UpgradedAlready);
        None
    }

    fn reset_offsets(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let group = GroupIndex(usize::from(self.group(place, fields)?));
        let partition = match json::field(fields, "partition") {
            Some(_) => Some(self.partition(place, fields)?),
            None => None,
        };
        let to = json::field(fields, "to").unwrap_or(&Json::Null);
        let field = |name: &str| json::field(fields, name).unwrap_or(&Json::Null);
        let to = match to.as_text() {
            Some("earliest") => ResetTo::Earliest,
            Some("latest") => ResetTo::Latest,
            Some("current") => ResetTo::Current,
            Some("offset") => {
                ResetTo::Offset(self.count(&within(place, "offset"), field("offset"), 0, OFFSET_MAX)?)
            }
            Some("back") => ResetTo::Shift(-self.shift(place, field("records"))?),
            Some("on") => ResetTo::Shift(self.shift(place, field("records"))?),
            Some("time") => {
                ResetTo::Time(self.instant(&within(place, "time_seconds"), field("time_seconds"))?)
            }
            _ => {
                self.note(&within(place, "to"), to, FileProblem::WrongType(Wanted::ResetTarget));
                return None;
            }
        };
        Some(Command::ResetOffsets { group, partition, to })
    }

    fn shift(&mut self, place: &str, records: &Json) -> Option<i64> {
        let count = self.count(&within(place, "records"), records, 0, OFFSET_MAX)?;
        i64::try_from(count).ok()
    }

    fn add_partitions(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let topic = self.topic(place, fields, "topic")?;
        let value = json::field(fields, "partition_count").unwrap_or(&Json::Null);
        let to = self.count(&within(place, "partition_count"), value, 1, PARTITIONS_MAX)?;
        Some(Command::AddPartitions { topic, to: u32::try_from(to).ok()? })
    }

    fn poison_partition(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let (topic, count) = (self.topic(place, fields, "topic")?, self.messages(place, fields)?);
        Some(Command::PoisonPartition { topic, partition: self.partition(place, fields)?, count })
    }

    /// The partition that the command names, from 0.
    fn partition(&mut self, place: &str, fields: &Fields) -> Option<u32> {
        let value = json::field(fields, "partition").unwrap_or(&Json::Null);
        let partition = self.count(&within(place, "partition"), value, 0, PARTITIONS_MAX - 1)?;
        u32::try_from(partition).ok()
    }

    /// The place of the topic that the field names, or of the first.
    fn topic(&mut self, place: &str, fields: &Fields, field: &str) -> Option<TopicIndex> {
        let names = self.topology.topics.iter().map(|node| node.name.clone()).collect();
        self.named(place, fields, field, names).map(|topic| TopicIndex(usize::from(topic)))
    }

    /// The place of the group that the command names, or of the first.
    fn group(&mut self, place: &str, fields: &Fields) -> Option<u16> {
        let names = self.topology.groups.iter().map(|node| node.name.clone()).collect();
        self.named(place, fields, "group", names)
    }

    fn split_queues(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let queue = self.queue(place, fields, "queue", 0)?;
        let command = Command::SplitQueues { queue };
        let parts = 0..self.topology.queues.len();
        let problem = if self.commands.iter().any(|timed| timed.command == command) {
            FileProblem::SplitAlready
        } else if !parts.into_iter().any(|part| self.topology.is_split_off(part, queue.0)) {
            FileProblem::NothingToSplit
        } else {
            return Some(command);
        };
        let named = json::field(fields, "queue").unwrap_or(&Json::Null);
        self.note(&within(place, "queue"), named, problem);
        None
    }

    fn fail_over(&mut self, place: &str, fields: &Fields) -> Option<Command> {
        let Some(value) = json::field(fields, "duration_seconds") else {
            return Some(Command::FailOver { duration: FAIL_OVER_USUAL });
        };
        let (least, most) = (FAIL_OVER.start().micros(), FAIL_OVER.end().micros());
        let micros = self.number(&within(place, "duration_seconds"), value, 6, least, most)?;
        Some(Command::FailOver { duration: Span::from_micros(micros) })
    }

    fn messages(&mut self, place: &str, fields: &Fields) -> Option<u64> {
        let value = json::field(fields, "messages").unwrap_or(&Json::Null);
        self.count(&within(place, "messages"), value, 1, BURST_MAX)
    }

    /// The place of the producer that the command names, or of the first.
    fn producer(&mut self, place: &str, fields: &Fields) -> Option<u16> {
        let names = self.topology.producers.iter().map(|node| node.name.clone()).collect();
        self.named(place, fields, "producer", names)
    }

    /// The place of the pool that the command names, or of the first.
    fn pool(&mut self, place: &str, fields: &Fields) -> Option<u16> {
        let names = self.topology.pool_names().cloned().collect();
        self.named(place, fields, "consumers", names)
    }

    /// The queue that the field names, or the one for dead letters.
    fn dead_letters(&mut self, place: &str, fields: &Fields, field: &str) -> Option<QueueIndex> {
        let dead_letters = self.topology.queues.len();
        self.queue(place, fields, field, dead_letters)
    }

    /// The queue that the field names, or the one at `otherwise`.
    fn queue(&mut self, place: &str, fields: &Fields, field: &str, otherwise: usize) -> Option<QueueIndex> {
        if json::field(fields, field).is_none() {
            return Some(QueueIndex(otherwise));
        }
        let queues = self.topology.queues.iter().map(|node| node.name.clone());
        let names = queues.chain([DEAD_LETTERS.to_owned()]).collect();
        self.named(place, fields, field, names).map(|place| QueueIndex(usize::from(place)))
    }

    fn named(&mut self, place: &str, fields: &Fields, field: &str, names: Vec<String>) -> Option<u16> {
        let Some(value) = json::field(fields, field) else { return Some(0) };
        let found = value.as_text().and_then(|name| names.iter().position(|known| known == name));
        if found.is_none() {
            self.note(&within(place, field), value, FileProblem::WrongType(Wanted::NodeName));
        }
        found.and_then(|place| u16::try_from(place).ok())
    }

    fn push(&mut self, place: &str, at: Instant, command: Command) {
        match command.check() {
            Ok(()) => {
                self.remember_partition(place, TimedCommand { at, command });
                self.commands.push(TimedCommand { at, command });
            }
            // What holds from the start is said once, at the top of the file.
            Err(_) => self.note(place, &Json::Null, FileProblem::UnknownField),
        }
    }

    fn report_other_fields(&mut self, place: &str, fields: &Fields, own: &[&str]) {
        for (name, value) in fields {
            if !["at", "do"].contains(&name.as_str()) && !own.contains(&name.as_str()) {
                self.note(&within(place, name), value, FileProblem::UnknownField);
            }
        }
    }
}

/// The greatest number that a message may have.
pub const NUMBER_MAX: u64 = 1_000_000_000_000;

/// The fields that a command has beside `at` and `do`; `None` for what is no command.
#[must_use]
pub fn fields_of(command: &str) -> Option<&'static [&'static str]> {
    Some(match command {
        "set" => &["settings"],
        "burst" | "poison" => &["messages", "producer"],
        "route" => &["producer", "to"],
        "stop" | "start" => &["consumers"],
        "crash" | "crash-finishing" | "crash-loop" | "hang" | "restart" => &["consumers", "number"],
        "broker-down" | "broker-up" | "deploy-fix" => &[],
        "fail-over" => &["duration_seconds"],
        "redrive" => &["from", "to", "rate_per_second"],
        "redrive-message" => &["from", "to", "producer", "message", "rate_per_second"],
        "discard" | "split-queues" => &["queue"],
        "join" | "upgrade-readers" => &["consumers"],
        "reset-offsets" => &["group", "partition", "to", "offset", "records", "time_seconds"],
        "add-partitions" => &["topic", "partition_count"],
        "poison-partition" => &["topic", "partition", "messages"],
        "route-to-topic" => &["producer", "to"],
        "send-back" => &["from", "to", "rate_per_second"],
        "delete-records" => &["topic"],
        "set-alert-rule" => &["alert", "threshold", "for_seconds", "keep_firing_seconds"],
        "change-schema" => &["producer"],
        _ => return None,
    })
}

/// All commands that a file may have.
pub const COMMANDS: [&str; 29] = [
    "set",
    "burst",
    "poison",
    "route",
    "stop",
    "start",
    "crash",
    "crash-finishing",
    "crash-loop",
    "hang",
    "restart",
    "broker-down",
    "broker-up",
    "fail-over",
    "deploy-fix",
    "redrive",
    "redrive-message",
    "discard",
    "split-queues",
    "join",
    "reset-offsets",
    "add-partitions",
    "poison-partition",
    "route-to-topic",
    "send-back",
    "delete-records",
    "set-alert-rule",
    "change-schema",
    "upgrade-readers",
];
