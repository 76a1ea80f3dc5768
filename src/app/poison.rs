//! The poison lab: a message that fails every time, and what is to become of such messages.

use super::log_view::Side;
use super::state::App;
use super::view::{ChoiceView, PolicyView};
use crate::model::command::Command;
use crate::model::settings::{Bound, DeadLetters, Definition, RetryAt, Setting, Settings};
use crate::model::snapshot::Snapshot;
use crate::narrate::locale::{Field, Locale};

/// Attempts before a message is set aside, where nothing else is set.
const ATTEMPTS: u64 = 3;

/// What becomes of messages that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// They are tried again for ever.
    ForEver,
    /// They are thrown away.
    Skip,
    /// They are set aside after some attempts.
    DeadLetters,
    /// The same, and they wait elsewhere between attempts: in a queue, or in a topic.
    RetryQueue,
}

impl Policy {
    const ALL: [Self; 4] = [Self::ForEver, Self::Skip, Self::DeadLetters, Self::RetryQueue];

    /// Its name in lists, with the keys of its label and of what it does.
    const fn names_on(self, side: Side) -> (&'static str, &'static str, &'static str) {
        match (self, side) {
            (Self::ForEver, Side::Log) => ("for-ever", "policy.for_ever", "policy.for_ever.log"),
            (Self::Skip, Side::Log) => ("skip", "policy.skip", "policy.skip.log"),
            (Self::DeadLetters, Side::Log) => {
                ("dead-letters", "policy.dead_letters", "policy.dead_letters.log")
            }
            (Self::RetryQueue, Side::Log) => ("retry-queue", "policy.retry_topic", "policy.retry_topic.does"),
            (Self::ForEver, Side::Both) => ("for-ever", "policy.for_ever", "policy.for_ever.both"),
            (policy, Side::Queue | Side::Both) => policy.names(),
        }
    }

    const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::ForEver => ("for-ever", "policy.for_ever", "policy.for_ever.does"),
            Self::Skip => ("skip", "policy.skip", "policy.skip.does"),
            Self::DeadLetters => ("dead-letters", "policy.dead_letters", "policy.dead_letters.does"),
            Self::RetryQueue => ("retry-queue", "policy.retry_queue", "policy.retry_queue.does"),
        }
    }

    /// What the settings come to.
    const fn of(settings: &Settings) -> Self {
        match (settings.attempts_max, settings.dead_letters, settings.retry_at) {
            (None, ..) => Self::ForEver,
            (Some(_), DeadLetters::Discarded | DeadLetters::Skipped, _) => Self::Skip,
            (Some(_), DeadLetters::Kept, RetryAt::RetryQueue) => Self::RetryQueue,
            (Some(_), DeadLetters::Kept, _) => Self::DeadLetters,
        }
    }

    /// The settings that make it so, as they are written in files.
    fn settings(self, side: Side, attempts: u64) -> [(Setting, String); 3] {
        let (attempts, dead_letters) = match self {
            Self::ForEver => ("none".to_owned(), DeadLetters::Discarded),
            Self::Skip => ("1".to_owned(), side.throws_away()),
            Self::DeadLetters | Self::RetryQueue => (attempts.to_string(), DeadLetters::Kept),
        };
        let retry_at = if self == Self::RetryQueue { RetryAt::RetryQueue } else { side.tries_again() };
        [
            (Setting::RetryAt, retry_at.name().to_owned()),
            (Setting::DeadLetters, dead_letters.name().to_owned()),
            (Setting::AttemptsMax, attempts),
        ]
    }
}

impl App {
    /// The next message is poison and is sent at once, and it is said when it will be reached.
    pub(super) fn poison_plan(&self) -> Result<(Vec<Command>, String), &'static str> {
        let snapshot = self.run.snapshot();
        if snapshot.failures.is_fixed {
            return Err("refused.fixed");
        }
        if self.side() == Side::Log {
            return self.poison_for_partition();
        }
        let poison = |producer| Command::Poison { producer, count: 1 };
        let commands = self.producers_of_sides().into_iter().map(poison).chain(self.burst(1)).collect();
        Ok((commands, when_reached(snapshot, self.run.course().is_plain(), &self.locale)))
    }

    /// Another policy was chosen, by its name.
    pub(super) fn choose_policy(&mut self, name: &str) {
        let side = self.side();
        let Some(policy) = Policy::ALL.into_iter().find(|policy| policy.names().0 == name) else { return };
        let attempts = attempts_of(&self.settings());
        let value = |(setting, text): (Setting, String)| {
            let value = Definition::of(setting).read(&text).0?;
            Some(Command::Set { setting, value })
        };
        let commands: Vec<_> = policy.settings(side, attempts).into_iter().filter_map(value).collect();
        let said = self.carry_out(&commands);
        let done = self.locale.format(policy.names_on(side).2, &fields(&self.settings()));
        self.say_at_buttons(said.unwrap_or(done));
    }
}

/// The choice among policies, once there is poison.
pub(super) fn policy_view(app: &App) -> Option<PolicyView> {
    let settings = app.settings();
    let snapshot = app.run.snapshot();
    if snapshot.failures.poisoned == 0 && settings.poison_share == 0 && !app.has_bad_records() {
        return None;
    }
    Some(made_view(app, &settings, snapshot))
}

#[inline(never)]
fn made_view(app: &App, settings: &Settings, snapshot: &Snapshot) -> PolicyView {
    let chosen = Policy::of(settings);
    let fields = fields(settings);
    let option = |policy: Policy| {
        let (name, label, _) = policy.names_on(app.side());
        (name.to_owned(), app.locale.format(label, &fields))
    };
    PolicyView {
        label: app.said("policy.label"),
        choice: ChoiceView {
            options: Policy::ALL.into_iter().map(option).collect(),
            chosen: chosen.names().0.to_owned(),
        },
        does: app.locale.format(chosen.names_on(app.side()).2, &fields),
        whereabouts: match app.side() {
            Side::Queue => whereabouts(snapshot, &app.locale),
            Side::Log => app.whereabouts_in_log(),
            Side::Both => app.whereabouts_on_both_sides(),
        },
    }
}

impl Side {
    /// What stands for dead letters that are thrown away: a group of a log names a topic for them.
    const fn throws_away(self) -> DeadLetters {
        match self {
            Self::Queue => DeadLetters::Discarded,
            Self::Log | Self::Both => DeadLetters::Skipped,
        }
    }

    /// Where a message is tried again that stays where it is.
    const fn tries_again(self) -> RetryAt {
        match self {
            Self::Queue => RetryAt::Queue,
            Self::Log | Self::Both => RetryAt::InPlace,
        }
    }
}

fn fields(settings: &Settings) -> [(&'static str, Field<'static>); 2] {
    [("count", Field::Count(attempts_of(settings))), ("time", Field::Time(settings.retry_delay_base))]
}

/// Attempts before a message is set aside: those that are set, where these are more than one.
fn attempts_of(settings: &Settings) -> u64 {
    settings.attempts_max.filter(|attempts| *attempts > 1).unwrap_or(ATTEMPTS)
}

/// When a message that is sent now will be reached; where that cannot be told, how many are before it.
fn when_reached(snapshot: &Snapshot, is_plain: bool, locale: &Locale) -> String {
    let queue = &snapshot.queue;
    let is_full = matches!(queue.bound, Bound::Messages(bound) if queue.waiting >= bound);
    let sent = locale.text("break.poison.done");
    let when = match queue.newcomer_wait {
        Some(wait) if is_plain && wait.micros() == 0 => locale.text("break.poison.at_once").to_owned(),
        _ if is_full => locale.text("break.poison.full").to_owned(),
        Some(wait) if is_plain => locale.format("break.poison.reached", &[("time", Field::Time(wait))]),
        _ => locale.format("break.poison.behind", &[("count", Field::Count(queue.waiting))]),
    };
    locale.format("sentence.join", &[("first", Field::Text(sent)), ("second", Field::Text(&when))])
}

/// Where the poison is now: in a consumer's hands, in line, or neither.
pub(super) fn whereabouts(snapshot: &Snapshot, locale: &Locale) -> String {
    let in_hand = snapshot.consumers.of_queue().into_iter().filter_map(|consumer| consumer.work);
    let attempts = in_hand.filter(|work| work.is_poison).map(|work| u64::from(work.attempt));
    let next = snapshot.failures.in_line.first();
    if snapshot.failures.is_fixed {
        return locale.text("poison.is_fixed").to_owned();
    }
    match (attempts.max(), next.map(|poison| (poison.place, poison.starts_in))) {
        (Some(attempt), _) => locale.format("poison.in_hand", &[("count", Field::Count(attempt))]),
        (None, Some((_, Some(time)))) => locale.format("poison.reached", &[("time", Field::Time(time))]),
        (None, Some((place, None))) => locale.format("poison.behind", &[("count", Field::Count(place))]),
        (None, None) => locale.text("poison.nowhere").to_owned(),
    }
}
