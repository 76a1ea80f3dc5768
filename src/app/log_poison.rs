//! Poison in a log: into which partition it goes, when it is reached there, and where it is.

use super::state::App;
use super::view::{ButtonList, ChoiceView};
use crate::model::command::Command;
use crate::model::routes::{GroupIndex, TopicIndex};
use crate::model::schema::SchemaVersion;
use crate::model::snapshot::network::{GroupSnapshot, LaneSnapshot};
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::Field;
use crate::narrate::log::reached::{self, Reached};

/// How many records are looked at for poison at most, each time the page is renewed.
const LOOKED_AT_MAX: u64 = 20_000;

impl App {
    /// The partition for the next poison message: the one that was chosen, else that of the last one,
    /// else the first.
    fn partition_for_poison(&self, partitions: u32) -> u32 {
        let last = || {
            self.run.commands().iter().rev().find_map(|timed| match timed.command {
                Command::PoisonPartition { partition, .. } => Some(partition),
                _ => None,
            })
        };
        let chosen = self.poison_partition.or_else(last);
        chosen.filter(|partition| *partition < partitions).unwrap_or_default()
    }

    /// The choice of it, where there is one.
    pub(super) fn partition_view(&self) -> Option<ButtonList> {
        let (_, partitions) = self.shown_topic().filter(|(_, partitions)| *partitions > 1)?;
        let name = |partition: u32| {
            let count = [("count", Field::Count(u64::from(partition)))];
            (partition.to_string(), self.locale.format("log.partition", &count))
        };
        Some(ButtonList {
            label: self.said("break.poison.partition"),
            choice: ChoiceView {
                options: (0..partitions).map(name).collect(),
                chosen: self.partition_for_poison(partitions).to_string(),
            },
        })
    }

    /// The next record of that partition is poison. Of a topic with one partition it is sent at once.
    pub(super) fn poison_for_partition(&self) -> Result<(Vec<Command>, String), &'static str> {
        let (topic, partitions) = self.shown_topic().ok_or("refused.by_model")?;
        let partition = self.partition_for_poison(partitions);
        if partitions > 1 && self.settings().producer_rate.is_zero() {
            return Err("refused.nothing_comes");
        }
        let poison = Command::PoisonPartition { topic: TopicIndex(topic), partition, count: 1 };
        let send = (partitions == 1).then_some(Command::Burst { count: 1 });
        let key = if partitions == 1 { "break.poison.sent_to" } else { "break.poison.next_of" };
        let field = [("partition", Field::Count(u64::from(partition)))];
        let (sent, when) = (self.locale.format(key, &field), self.when_reached(partition, partitions == 1));
        let join = [("first", Field::Text(&sent)), ("second", Field::Text(&when))];
        let commands = [poison].into_iter().chain(send).collect();
        Ok((commands, self.locale.format("sentence.join", &join)))
    }

    fn when_reached(&self, partition: u32, is_sent_now: bool) -> String {
        let reached = reached::next_record(self.run.snapshot(), &self.settings(), partition, is_sent_now);
        self.said_of(reached, partition)
    }

    fn said_of(&self, reached: Reached, partition: u32) -> String {
        let at = ("partition", Field::Count(u64::from(partition)));
        let (key, field) = match reached {
            Reached::AtOnce => return self.said("break.poison.at_once"),
            Reached::About(span) => ("break.poison.about", ("time", Field::Time(span))),
            Reached::Stuck => ("break.poison.stuck", at),
            Reached::Behind(count) => ("break.poison.behind", ("count", Field::Count(count))),
        };
        self.locale.format(key, &[field])
    }

    /// Where the poison is: at the head of a partition, further on, or nowhere.
    pub(super) fn whereabouts_in_log(&self) -> String {
        let snapshot = self.run.snapshot();
        let is_fixed = snapshot.failures.is_fixed;
        let groups = || snapshot.network.groups.iter().filter(|group| group.lag > 0);
        let lanes = || groups().flat_map(|group| (0_u32..).zip(&group.partitions).map(move |it| (group, it)));
        let stuck = lanes().filter(|(_, (_, lane))| lane.head_fails && lane.head_attempts > 0);
        if let Some((group, (partition, lane))) = stuck.max_by_key(|(_, (_, lane))| lane.head_attempts) {
            return self.at_head(group, partition, lane);
        }
        let first = |lane: &LaneSnapshot| lane.poison_offsets().next().map(|offset| offset - lane.head);
        let ahead = lanes().filter_map(|(group, (partition, lane))| Some((first(lane)?, group, partition)));
        match ahead.min_by_key(|(ahead, ..)| *ahead) {
            Some((ahead, group, partition)) => self.ahead(group, partition, ahead),
            None if is_fixed => self.said("poison.is_fixed"),
            None => self.further_on(),
        }
    }

    /// Where the poison is that stands further behind a head than a snapshot tells. It looks at so many
    /// records of each partition as a frame allows, and says where it gave up.
    #[inline(never)]
    fn further_on(&self) -> String {
        let (snapshot, simulation) = (self.run.snapshot(), self.run.simulation());
        let groups = || snapshot.network.groups.iter().enumerate().filter(|(_, group)| group.lag > 0);
        let lanes = || {
            groups().flat_map(|(place, group)| {
                (0_u32..).zip(&group.partitions).map(move |(partition, lane)| (place, group, partition, lane))
            })
        };
        let most = LOOKED_AT_MAX / (lanes().count() as u64).max(1);
        let found = lanes().filter_map(|(place, group, partition, _)| {
            let ahead = simulation.records_before_poison(GroupIndex(place), partition, most)?;
            Some((ahead, group, partition))
        });
        if let Some((ahead, group, partition)) = found.min_by_key(|(ahead, ..)| *ahead) {
            return self.ahead(group, partition, ahead);
        }
        if lanes().all(|(.., lane)| lane.lag <= most) {
            return self.said("poison.nowhere.log");
        }
        self.locale.format("poison.not_near.log", &[("count", Field::Count(most))])
    }

    fn at_head(&self, group: &GroupSnapshot, partition: u32, lane: &LaneSnapshot) -> String {
        let fields = [
            ("group", Field::Text(&group.name)),
            ("partition", Field::Count(u64::from(partition))),
            ("count", Field::Count(u64::from(lane.head_attempts))),
        ];
        self.locale.format("poison.at_head", &fields)
    }

    fn ahead(&self, group: &GroupSnapshot, partition: u32, ahead: u64) -> String {
        let time = match reached::record_ahead(self.run.snapshot(), &self.settings(), group, partition, ahead)
        {
            Reached::About(span) => Some(format::time(&self.locale, span, Numerals::Screen)),
            _ => None,
        };
        let key = if time.is_some() { "poison.ahead.time" } else { "poison.ahead" };
        let fields = [
            ("partition", Field::Count(u64::from(partition))),
            ("count", Field::Count(ahead)),
            ("time", Field::Text(time.as_deref().unwrap_or_default())),
        ];
        self.locale.format(key, &fields)
    }

    /// Whether a record was made to fail, has come or not; or messages came that nobody can read.
    pub(super) fn has_bad_records(&self) -> bool {
        let schemas = &self.run.snapshot().network.producers;
        let is_new = schemas.iter().any(|producer| producer.schema == SchemaVersion::New);
        let poisons = |command: &Command| matches!(command, Command::PoisonPartition { .. });
        is_new || self.run.commands().iter().any(|timed| poisons(&timed.command))
    }
}
