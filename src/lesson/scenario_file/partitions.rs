//! Partitions that commands name: whether there are any such when the command comes.

use std::collections::BTreeSet;
use std::mem;

use super::{FileProblem, Reader, within};
use crate::json::Json;
use crate::model::command::{Command, TimedCommand};
use crate::model::routes::TopicIndex;
use crate::model::settings::{Setting, Value};
use crate::model::time::Instant;

/// A command that names a partition, and where it stands: in the file, and among all commands. Another may
/// be equal to it, so only its place tells which one it is.
pub(super) struct Naming {
    place: String,
    index: usize,
    timed: TimedCommand,
}

impl Reader {
    /// Remembers a command that names a partition, to be looked at once all commands are known. It is the
    /// next that is added to them.
    pub(super) fn remember_partition(&mut self, place: &str, timed: TimedCommand) {
        if named(&timed.command).is_some() || matches!(timed.command, Command::AddPartitions { .. }) {
            self.naming.push(Naming { place: place.to_owned(), index: self.commands.len(), timed });
        }
    }

    /// Leaves out commands about partitions that there are not, or that there are already, and says so.
    pub(super) fn check_partitions(&mut self) {
        let mut naming = mem::take(&mut self.naming);
        naming.sort_by_key(|one| one.timed.at);
        let mut left_out = BTreeSet::new();
        for Naming { place, index, timed } in naming {
            let Some(topic) = self.topic_of(&timed.command) else { continue };
            let count = self.partitions_at(topic, timed.at, index);
            let (field, asked, is_fine) = match timed.command {
                Command::AddPartitions { to, .. } => ("partition_count", to, u64::from(to) > count),
                other => {
                    let partition = named(&other).unwrap_or_default();
                    ("partition", partition, u64::from(partition) < count)
                }
            };
            if !is_fine {
                left_out.insert(index);
                let problem = match timed.command {
                    Command::AddPartitions { .. } => FileProblem::NoMorePartitions(count),
                    _ => FileProblem::NoSuchPartition(count),
                };
                self.note(&within(&place, field), &Json::Number(asked.to_string()), problem);
            }
        }
        self.leave_out(&left_out);
    }

    /// Takes away the commands at these places, once all were looked at: until then none has another place.
    fn leave_out(&mut self, left_out: &BTreeSet<usize>) {
        let all = mem::take(&mut self.commands).into_iter().enumerate();
        self.commands = all.filter(|(index, _)| !left_out.contains(index)).map(|(_, timed)| timed).collect();
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

    /// How many partitions a topic has when the command at `index` comes: those it starts with, or as many
    /// as commands before that one gave it. One that is left out gave it no more than it had.
    fn partitions_at(&self, topic: TopicIndex, at: Instant, index: usize) -> u64 {
        let added = self.commands.iter().enumerate().filter_map(|(place, timed)| match timed.command {
            Command::AddPartitions { topic: of, to } if of == topic && (timed.at, place) < (at, index) => {
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
