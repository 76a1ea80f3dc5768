//! Reading again, or passing over: the group in the picture stops, its committed offsets are moved, and it
//! reads on from there.
//!
//! What would be moved is said before anything is, as the broker's own tool does in its dry run, and it is
//! refused in the same cases: nothing is moved while the group has members.

use super::breaking::Plan;
use super::state::App;
use super::view::{ButtonList, ChoiceView};
use crate::model::command::Command;
use crate::model::group::reset::{PlannedOffset, ResetRefused, ResetScope, ResetTo};
use crate::model::routes::GroupIndex;
use crate::model::snapshot::network::GroupSnapshot;
use crate::model::time::{Instant, Span};
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::Field;

/// How many partitions of a dry run are told one by one.
const TOLD: usize = 4;

/// Records that a shift passes over.
const SHIFT: i64 = 10;

/// To where the offsets are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ResetChoice {
    /// To the log start.
    #[default]
    Earliest,
    /// To the log end.
    Latest,
    /// To the first record of the last minute.
    MinuteAgo,
    /// So many records back.
    Back,
    /// So many records on.
    On,
}

/// Each with its name and the key of its words.
const CHOICES: [(ResetChoice, &str, &str); 5] = [
    (ResetChoice::Earliest, "earliest", "reset.earliest"),
    (ResetChoice::Latest, "latest", "reset.latest"),
    (ResetChoice::MinuteAgo, "minute", "reset.minute"),
    (ResetChoice::Back, "back", "reset.back"),
    (ResetChoice::On, "on", "reset.on"),
];

impl ResetChoice {
    pub(super) fn by_name(name: &str) -> Option<Self> {
        CHOICES.iter().find(|(_, own, _)| *own == name).map(|(choice, ..)| *choice)
    }

    fn target(self, now: Instant) -> ResetTo {
        match self {
            Self::Earliest => ResetTo::Earliest,
            Self::Latest => ResetTo::Latest,
            Self::MinuteAgo => ResetTo::Time(now - Span::from_seconds(60)),
            Self::Back => ResetTo::Shift(-SHIFT),
            Self::On => ResetTo::Shift(SHIFT),
        }
    }

    /// How the broker's tool is asked for it.
    fn option(self) -> String {
        match self {
            Self::Earliest => "--to-earliest".to_owned(),
            Self::Latest => "--to-latest".to_owned(),
            Self::MinuteAgo => "--by-duration PT1M".to_owned(),
            Self::Back => format!("--shift-by -{SHIFT}"),
            Self::On => format!("--shift-by {SHIFT}"),
        }
    }
}

impl App {
    /// Where the offsets go, to choose from.
    #[inline(never)]
    pub(super) fn reset_list(&self) -> ButtonList {
        let count = [("count", Field::Count(SHIFT.unsigned_abs()))];
        let option = |(_, name, key): &(ResetChoice, &str, &str)| {
            ((*name).to_owned(), self.locale.format(key, &count))
        };
        let chosen = CHOICES.iter().find(|(choice, ..)| *choice == self.reset_to);
        ButtonList {
            label: self.said("reset.label"),
            choice: ChoiceView {
                options: CHOICES.iter().map(option).collect(),
                chosen: chosen.map(|(_, name, _)| (*name).to_owned()).unwrap_or_default(),
            },
        }
    }

    /// The command of the broker's tool, and what it would do now.
    #[inline(never)]
    pub(super) fn reset_dry_run(&self) -> String {
        let Some((place, group)) = self.group_in_picture() else { return self.said("refused.by_model") };
        let option = self.reset_to.option();
        let fields = [
            ("group", Field::Text(&group.name)),
            ("topic", Field::Text(&group.from)),
            ("to", Field::Text(&option)),
        ];
        let command = self.locale.format("reset.command", &fields);
        let told = match self.planned(place) {
            Ok(moved) if moved.is_empty() => self.said("reset.nothing"),
            Ok(moved) => self.sentences(&self.moves(&moved), &self.effect_of(group, &moved)),
            Err(refused) => self.why_not_reset(refused),
        };
        self.sentences(&command, &told)
    }

    /// What its button does, and what is said of it.
    #[inline(never)]
    pub(super) fn reset_plan(&self) -> Plan {
        let (place, group) = self.group_in_picture().ok_or("refused.by_model")?;
        let moved = self.planned(place).map_err(|refused| match refused {
            ResetRefused::GroupIsActive { .. } if self.is_group_stopped() => "refused.group_is_leaving",
            other => reset_refused_key(other),
        })?;
        if moved.is_empty() {
            return Err("refused.offsets_stand_there");
        }
        let done = self.locale.format("reset.done", &[("group", Field::Text(&group.name))]);
        let to = self.reset_to.target(self.run.simulation().now());
        let command = Command::ResetOffsets { group: GroupIndex(place), partition: None, to };
        Ok((vec![command], self.sentences(&done, &self.effect_of(group, &moved))))
    }

    /// The offsets that would be moved: those that stay where they are do not count.
    fn planned(&self, group: usize) -> Result<Vec<PlannedOffset>, ResetRefused> {
        let simulation = self.run.simulation();
        let to = self.reset_to.target(simulation.now());
        let mut plan = simulation.plan_reset(GroupIndex(group), &ResetScope::All, to)?;
        plan.retain(|planned| planned.from != Some(planned.to));
        Ok(plan)
    }

    /// Its button for the group as a whole: all members leave, or come back.
    #[inline(never)]
    pub(super) fn group_plan(&self, is_stopped: bool) -> Plan {
        let (pool, group) = self.group_to_break().ok_or("refused.by_model")?;
        let (command, done) = match is_stopped {
            true => (Command::StartConsumers { pool }, "group.start.done"),
            false => (Command::StopConsumers { pool }, "group.stop.done"),
        };
        Ok((vec![command], self.locale.format(done, &[("group", Field::Text(&group.name))])))
    }

    /// Whether the group in the picture was told to stop.
    pub(super) fn is_group_stopped(&self) -> bool {
        let pools = &self.run.snapshot().network.pools;
        let pool = self.group_to_break().and_then(|(pool, _)| pools.get(usize::from(pool)));
        pool.is_some_and(|pool| pool.is_stopped)
    }

    fn group_in_picture(&self) -> Option<(usize, &GroupSnapshot)> {
        let (_, shown) = self.group_to_break()?;
        let groups = self.run.snapshot().network.groups.iter().enumerate();
        groups.into_iter().find(|(_, group)| group.name == shown.name)
    }

    fn moves(&self, moved: &[PlannedOffset]) -> String {
        let told = moved.iter().take(TOLD).map(|planned| {
            let from = match planned.from {
                Some(from) => format::count(&self.locale, from, Numerals::Screen),
                None => self.said("reset.nothing_committed"),
            };
            let fields = [
                ("partition", Field::Count(planned.partition.into())),
                ("from", Field::Text(&from)),
                ("to", Field::Count(planned.to)),
            ];
            self.locale.format("reset.move", &fields)
        });
        let told = told.reduce(|first, second| self.sentences(&first, &second)).unwrap_or_default();
        match moved.len().saturating_sub(TOLD) {
            0 => told,
            others => {
                let others = self.locale.format("reset.others", &[("count", Field::Count(others as u64))]);
                self.sentences(&told, &others)
            }
        }
    }

    /// What becomes of the records between where the offsets stood and where they go.
    fn effect_of(&self, group: &GroupSnapshot, moved: &[PlannedOffset]) -> String {
        let topics = &self.run.snapshot().network.topics;
        let topic = topics.iter().find(|topic| topic.name == group.from);
        let log_start = |partition: u32| {
            let partition = topic.and_then(|topic| topic.partitions.get(partition as usize));
            partition.map_or(0, |partition| partition.log_start)
        };
        let [mut back, mut deleted, mut passed] = [0; 3];
        for PlannedOffset { partition, from, to } in moved.iter().copied() {
            let Some(from) = from else { continue };
            let kept_from = log_start(partition).clamp(from, from.max(to));
            back += from.saturating_sub(to);
            deleted += kept_from - from;
            passed += to.saturating_sub(kept_from);
        }
        let told = [("reset.goes_back", back), ("reset.deleted", deleted), ("reset.passed", passed)];
        let told = told.into_iter().filter(|(_, count)| *count > 0);
        let told = told.map(|(key, count)| self.locale.format(key, &[("count", Field::Count(count))]));
        told.reduce(|first, second| self.sentences(&first, &second)).unwrap_or_default()
    }

    fn why_not_reset(&self, refused: ResetRefused) -> String {
        match refused {
            ResetRefused::GroupIsActive { members } => {
                let key = if self.is_group_stopped() { "reset.is_leaving" } else { "reset.is_active" };
                self.locale.format(key, &[("count", Field::Count(members as u64))])
            }
            other => self.said(reset_refused_key(other)),
        }
    }

    fn sentences(&self, first: &str, second: &str) -> String {
        self.locale.format("sentence.join", &[("first", Field::Text(first)), ("second", Field::Text(second))])
    }
}

/// Why offsets are not moved.
pub(super) const fn reset_refused_key(refused: ResetRefused) -> &'static str {
    match refused {
        ResetRefused::GroupIsActive { .. } => "refused.group_is_active",
        ResetRefused::BrokerIsDown => "refused.broker_is_down",
        ResetRefused::NothingCommitted { .. } => "refused.nothing_committed",
        ResetRefused::NoSuchGroup | ResetRefused::NoSuchPartition { .. } => "refused.by_model",
    }
}
