//! Partitions that commands name: whether there are any such when the command comes.

use super::{FileProblem, Reader, within};
use crate::json::Json;
use crate::model::command::{Command, TimedCommand};
use crate::model::routes::TopicIndex;
use crate::model::settings::{Setting, Value};
use crate::model::time::Instant;

/// A command that names a partition, and where it stands in the file.
pub(super) struct Naming {
    place: String,
    timed: TimedCommand,
}

impl Reader {
    /// Remembers a command that names a partition, to be looked at once all commands are known.
    pub(super) fn remember_partition(&mut self, place: &str, timed: TimedCommand) {
        if named(&timed.command).is_some() || matches!(timed.command, Command::AddPartitions { .. }) {
            self.naming.push(Naming { place: place.to_owned(), timed });
        }
    }

    /// Leaves out commands about partitions that there are not, or that there are already, and says so.
    pub(super) fn check_partitions(&mut self) {
        let mut naming = std::mem::take(&mut self.naming);
        naming.sort_by_key(|one| one.timed.at);
        for Naming { place, timed } in naming {
            let Some(topic) = self.topic_of(&timed.command) else { continue };
            let count = self.partitions_at(topic, &timed);
            let (field, asked, is_fine) = match timed.command {
                Command::AddPartitions { to, .. } => ("partition_count", to, u64::from(to) > count),
                other => {
                    let partition = named(&other).unwrap_or_default();
                    ("partition", partition, u64::from(partition) < count)
                }
            };
            if !is_fine {
                self.commands.retain(|other| *other != timed);
                let problem = match timed.command {
                    Command::AddPartitions { .. } => FileProblem::NoMorePartitions(count),
                    _ => FileProblem::NoSuchPartition(count),
                };
                self.note(&within(&place, field), &Json::Number(asked.to_string()), problem);
            }
        }
    }

    fn topic_of(&self, command: &Command) -> Option<TopicIndex> {
        match command {
            Command::PoisonPartition { topic, .. } | Command::AddPartitions { topic, .. } => Some(*topic),
            Command::ResetOffsets { group, .. } => {
                let from = &self.topology.groups.get(group.0)?.from;
                self.topology.topics.iter().position(|node| node.name == *from).map(TopicIndex)
            }
            _ => None,
        }
    }

    /// How many partitions a topic has when a command comes: those it starts with, or as many as commands
    /// before that one gave it.
    fn partitions_at(&self, topic: TopicIndex, command: &TimedCommand) -> u64 {
        let comes_before =
            |at: Instant, is_listed_before: bool| at < command.at || at == command.at && is_listed_before;
        let own_place = self.commands.iter().position(|timed| timed == command).unwrap_or_default();
        let added = self.commands.iter().enumerate().filter_map(|(place, timed)| match timed.command {
            Command::AddPartitions { topic: of, to }
                if of == topic && comes_before(timed.at, place < own_place) =>
            {
                Some(u64::from(to))
            }
            _ => None,
        });
        added.fold(self.partitions_at_first(topic), u64::max)
    }

    fn partitions_at_first(&self, topic: TopicIndex) -> u64 {
        let name = self.topology.topics.get(topic.0).map(|node| &node.name);
        let own = self.node_settings.iter().filter(|(node, _)| Some(node) == name);
        let mut of_own = own.flat_map(|(_, given)| given).filter_map(|given| match given {
            (Setting::Partitions, Value::Count(count)) => Some(*count),
            _ => None,
        });
        of_own.next_back().unwrap_or(self.settings.partitions)
    }
}

/// The partition that a command names.
fn named(command: &Command) -> Option<u32> {
    match command {
        Command::PoisonPartition { partition, .. } => Some(*partition),
        Command::ResetOffsets { partition, .. } => *partition,
        _ => None,
    }
}
