//! The topology of a scenario file.

use super::{FileProblem, Reader, Wanted, item, within};
use crate::json::{self, Fields, Json};
use crate::model::topology::{ConsumersNode, GroupNode, ProducerNode, QueueNode, TopicNode};

/// The field of a node that joins by command.
const JOINS_LATER: &str = "joins_later";

impl Reader {
    pub(super) fn topology(&mut self, value: Option<&Json>) {
        let Some(fields) = self.object("topology", value) else { return };
        if json::field(fields, "groups").is_some() {
            self.topology.consumers.clear();
        }
        for (name, list) in fields {
            let place = within("topology", name);
            match name.as_str() {
                "producers" => self.topology.producers.clear(),
                "queues" => self.topology.queues.clear(),
                "consumers" => self.topology.consumers.clear(),
                "topics" => self.topology.topics.clear(),
                "groups" => self.topology.groups.clear(),
                _ => {
                    self.note(&place, list, FileProblem::UnknownField);
                    continue;
                }
            }
            for (index, entry) in self.list(&place, Some(list)).into_iter().flatten().enumerate() {
                self.node(&item(&place, index), name, entry);
            }
        }
    }

    /// Adds a node of the list `kind`: its name, and what it names beside it.
    fn node(&mut self, place: &str, kind: &str, entry: &Json) {
        let Some(fields) = self.object(place, Some(entry)) else { return };
        let links: &[&str] = match kind {
            "producers" => &["to", "split_to", "like"],
            "consumers" => &["from", "split_from", JOINS_LATER],
            "topics" => &[],
            "groups" => &["from", "retry_to", "dead_letters_to", JOINS_LATER],
            _ => &["dead_letters_to", "split_from"],
        };
        for (name, value) in fields {
            if name != "name" && !links.contains(&name.as_str()) {
                self.note(&within(place, name), value, FileProblem::UnknownField);
            }
        }
        let name = self.text(&within(place, "name"), json::field(fields, "name")).unwrap_or_default();
        let joins_later = links.contains(&JOINS_LATER) && self.says_joins_later(place, fields);
        let mut named = links.iter().filter(|link| **link != JOINS_LATER).map(|link| {
            let text = self.text(&within(place, link), json::field(fields, link));
            text.filter(|text| !text.is_empty())
        });
        let (first, second, third) = (named.next().flatten(), named.next().flatten(), named.next().flatten());
        drop(named);
        let topology = &mut self.topology;
        match kind {
            "producers" => {
                let to = first.unwrap_or_default();
                topology.producers.push(ProducerNode { name, to, split_to: second, like: third });
            }
            "consumers" => {
                let from = first.unwrap_or_default();
                topology.consumers.push(ConsumersNode { name, from, split_from: second, joins_later });
            }
            "topics" => topology.topics.push(TopicNode { name }),
            "groups" => topology.groups.push(GroupNode {
                name,
                from: first.unwrap_or_default(),
                retry_to: second,
                dead_letters_to: third,
                joins_later,
            }),
            _ => topology.queues.push(QueueNode { name, dead_letters_to: first, split_from: second }),
        }
    }

    fn says_joins_later(&mut self, place: &str, fields: &Fields) -> bool {
        match json::field(fields, JOINS_LATER) {
            None => false,
            Some(Json::Bool(joins_later)) => *joins_later,
            Some(other) => {
                self.note(&within(place, JOINS_LATER), other, FileProblem::WrongType(Wanted::TrueOrFalse));
                false
            }
        }
    }
}
