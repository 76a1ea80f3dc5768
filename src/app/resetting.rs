//! Reading again, or passing over: the group in the picture stops, its committed offsets are moved, and it
//! reads on from there.
//!
//! What would be moved is said before anything is, as the broker's own tool does in its dry run, and it is
//! refused in the same cases: nothing is moved while the group has members.

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

/// Each with its name, the key of its words, and how the broker's tool is asked for it.
const CHOICES: [(ResetChoice, &str, &str, &str); 5] = [
    (ResetChoice::Earliest, "earliest", "reset.earliest", "--to-earliest"),
    (ResetChoice::Latest, "latest", "reset.latest", "--to-latest"),
    (ResetChoice::MinuteAgo, "minute", "reset.minute", "--by-duration PT1M"),
    (ResetChoice::Back, "back", "reset.back", "--shift-by -10"),
    (ResetChoice::On, "on", "reset.on", "--shift-by 10"),
];

impl ResetChoice {
    pub(super) fn by_name(name: &str) -> Option<Self> {
        CHOICES.iter().find(|(_, own, ..)| *own == name).map(|(choice, ..)| *choice)
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
}

impl App {
    /// Where the offsets go, to choose from.
    #[inline(never)]
    pub(super) fn reset_list(&self) -> ButtonList {
        let option = |(_, name, key, _): &(ResetChoice, &str, &str, &str)| {
            ((*name).to_owned(), self.locale.text(key).to_owned())
        };
        let chosen = CHOICES.iter().find(|(choice, ..)| *choice == self.reset_to);
        ButtonList {
            label: self.said("reset.label"),
            choice: ChoiceView {
                options: CHOICES.iter().map(option).collect(),
                chosen: chosen.map(|(_, name, ..)| (*name).to_owned()).unwrap_or_default(),
            },
        }
    }

    /// The command of the broker's tool, and what it would do now.
    #[inline(never)]
    pub(super) fn reset_dry_run(&self) -> String {
        let Some((place, group)) = self.group_in_picture() else { return self.said("refused.by_model") };
        let tool = CHOICES.iter().find(|(choice, ..)| *choice == self.reset_to);
        let fields = [
            ("group", Field::Text(&group.name)),
            ("topic", Field::Text(&group.from)),
            ("to", Field::Text(tool.map_or("", |(.., tool)| tool))),
        ];
        let command = self.locale.format("reset.command", &fields);
        let simulation = self.run.simulation();
        let to = self.reset_to.target(simulation.now());
        let told = match simulation.plan_reset(GroupIndex(place), &ResetScope::All, to) {
            Ok(plan) => self.sentences(&self.moves(&plan), &self.effect_of(&plan)),
            Err(refused) => self.why_not_reset(refused),
        };
        self.sentences(&command, &told)
    }

    /// What its button does, and what is said of it.
    #[inline(never)]
    pub(super) fn reset_plan(&self) -> Result<(Vec<Command>, String), &'static str> {
        let (place, group) = self.group_in_picture().ok_or("refused.by_model")?;
        let to = self.reset_to.target(self.run.simulation().now());
        let group_index = GroupIndex(place);
        let plan = self.run.simulation().plan_reset(group_index, &ResetScope::All, to);
        let effect = plan.as_ref().map(|plan| self.effect_of(plan)).unwrap_or_default();
        let done = self.locale.format("reset.done", &[("group", Field::Text(&group.name))]);
        let command = Command::ResetOffsets { group: group_index, partition: None, to };
        Ok((vec![command], self.sentences(&done, &effect)))
    }

    /// Its button for the group as a whole: all members leave, or come back.
    #[inline(never)]
    pub(super) fn group_plan(&self, is_stopped: bool) -> Result<(Vec<Command>, String), &'static str> {
        let (pool, _) = self.group_to_break().ok_or("refused.by_model")?;
        Ok(if is_stopped {
            (vec![Command::StartConsumers { pool }], self.said("group.start.done"))
        } else {
            (vec![Command::StopConsumers { pool }], self.said("group.stop.done"))
        })
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

    fn moves(&self, plan: &[PlannedOffset]) -> String {
        let told = plan.iter().take(TOLD).map(|planned| {
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
        match plan.len().saturating_sub(TOLD) {
            0 => told,
            others => {
                let others = self.locale.format("reset.others", &[("count", Field::Count(others as u64))]);
                self.sentences(&told, &others)
            }
        }
    }

    fn effect_of(&self, plan: &[PlannedOffset]) -> String {
        let known = || plan.iter().filter_map(|planned| Some((planned.from?, planned.to)));
        let again: u64 = known().map(|(from, to)| from.saturating_sub(to)).sum();
        let passed: u64 = known().map(|(from, to)| to.saturating_sub(from)).sum();
        let told = |key, count| self.locale.format(key, &[("count", Field::Count(count))]);
        match (again, passed) {
            (0, 0) => self.said("reset.nothing"),
            (again, 0) => told("reset.again", again),
            (0, passed) => told("reset.passed", passed),
            (again, passed) => self.sentences(&told("reset.again", again), &told("reset.passed", passed)),
        }
    }

    fn why_not_reset(&self, refused: ResetRefused) -> String {
        match refused {
            ResetRefused::GroupIsActive { members } => {
                self.locale.format("reset.is_active", &[("count", Field::Count(members as u64))])
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
