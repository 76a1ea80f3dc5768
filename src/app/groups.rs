//! The dials under "More dials", in groups of which one is open at a time.

use super::dials;
use super::effect;
use super::log_view::Side;
use super::moved;
use super::present::{choice_key, dial_key, problem};
use super::state::App;
use super::view::{ChoiceView, GroupView, GroupsView, MoreControl, MoreDialView, SliderView};
use crate::model::command::FIXED;
use crate::model::rate::Rate;
use crate::model::settings::{
    AS_BROKER, Bound, Definition, Kind, NONE, Owner, Setting, Settings, Switch, Value,
};
use crate::narrate::locale::{Field, Locale};

/// A group of dials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Group {
    /// Those that are used most.
    #[default]
    Basics,
    /// How messages come, and what they are.
    Arrivals,
    /// The queue, or the log.
    Store,
    /// Which message goes first, and how fast.
    Priorities,
    /// Consumers and who decides how many there are.
    Consumers,
    /// Acknowledgements, confirms and doing a message once.
    Delivery,
    /// Failures and what is tried again.
    Retry,
    /// What is set aside.
    DeadLetters,
    /// The broker that is imitated.
    Broker,
    /// What the consumers share.
    Downstream,
}

impl Group {
    /// All of them, in the order in which they stand.
    pub const ALL: [Self; 10] = [
        Self::Basics,
        Self::Arrivals,
        Self::Store,
        Self::Priorities,
        Self::Consumers,
        Self::Delivery,
        Self::Retry,
        Self::DeadLetters,
        Self::Broker,
        Self::Downstream,
    ];

    const fn key(self, side: Side) -> &'static str {
        match (self, side) {
            (Self::Basics, _) => "group.basics",
            (Self::Arrivals, _) => "group.arrivals",
            (Self::Store, Side::Queue) => "group.queue",
            (Self::Store, Side::Log) => "group.log",
            (Self::Store, Side::Both) => "group.both",
            (Self::Priorities, _) => "group.priorities",
            (Self::Consumers, _) => "group.consumers",
            (Self::Delivery, _) => "group.delivery",
            (Self::Retry, _) => "group.retry",
            (Self::DeadLetters, _) => "group.dead_letters",
            (Self::Broker, _) => "group.broker",
            (Self::Downstream, _) => "group.downstream",
        }
    }

    /// Its dials, in the order in which they stand.
    #[must_use]
    pub fn settings(self) -> &'static [Setting] {
        MEMBERS.iter().find(|(group, _)| *group == self).map_or(&[], |(_, members)| members)
    }
}

/// The dials of each group.
const MEMBERS: [(Group, &[Setting]); 10] = [
    (
        Group::Basics,
        &[
            Setting::ConsumerCount,
            Setting::ServiceTime,
            Setting::QueueBound,
            Setting::Overflow,
            Setting::Arrivals,
            Setting::BurstSize,
            Setting::BrokerMemory,
            Setting::Seed,
        ],
    ),
    (
        Group::Arrivals,
        &[
            Setting::Arrivals,
            Setting::BurstSize,
            Setting::MessageWork,
            Setting::MessageBytes,
            Setting::MessageKeys,
            Setting::HotKey,
            Setting::SendPath,
            Setting::CallTimeout,
            Setting::ShapeLimit,
            Setting::ShedAbove,
            Setting::ShedShare,
            Setting::Deadline,
            Setting::LateMessages,
            Setting::SchemaChange,
            Setting::SchemaCheck,
            Setting::Seed,
        ],
    ),
    (
        Group::Store,
        &[
            Setting::QueueBound,
            Setting::Overflow,
            Setting::QueueBoundBytes,
            Setting::Ttl,
            Setting::Partitions,
            Setting::ProcessingOrder,
            Setting::Retention,
            Setting::SegmentRecords,
            Setting::OffsetReset,
            Setting::Assignor,
            Setting::RebalanceTime,
            Setting::CommitInterval,
            Setting::CommitFailure,
        ],
    ),
    (
        Group::Priorities,
        &[
            Setting::PriorityLevels,
            Setting::MessagePriority,
            Setting::Order,
            Setting::SingleActive,
            Setting::MessageGroups,
            Setting::ShapeLimit,
            Setting::DrainLimit,
        ],
    ),
    (
        Group::Consumers,
        &[
            Setting::ConsumerCount,
            Setting::ServiceTime,
            Setting::Prefetch,
            Setting::ReceiveBatch,
            Setting::BatchCost,
            Setting::WrongShare,
            Setting::RestartAfter,
            Setting::ColdStart,
            Setting::ColdStartCalls,
            Setting::DrainLimit,
            Setting::Autoscale,
            Setting::ConsumerCountMin,
            Setting::ConsumerCountMax,
            Setting::AutoscaleBacklog,
            Setting::AutoscaleUtilisation,
            Setting::AutoscaleInterval,
            Setting::ScaleDownWindow,
        ],
    ),
    (
        Group::Delivery,
        &[
            Setting::Acknowledge,
            Setting::Dedupe,
            Setting::VisibilityTimeout,
            Setting::ReturnsTo,
            Setting::Confirms,
            Setting::ConfirmLoss,
            Setting::ConfirmTimeout,
            Setting::SendAttempts,
            Setting::UnconfirmedMax,
            Setting::Idempotence,
        ],
    ),
    (
        Group::Retry,
        &[
            Setting::FailureShare,
            Setting::PoisonShare,
            Setting::AttemptsMax,
            Setting::AttemptTimeout,
            Setting::RetryAt,
            Setting::RetryDelay,
            Setting::RetryDelayBase,
            Setting::RetryDelayCap,
            Setting::RetryBudget,
            Setting::BlocksConsumer,
        ],
    ),
    (
        Group::DeadLetters,
        &[
            Setting::DeadLetters,
            Setting::DeadLetterRetention,
            Setting::AttemptsMax,
            Setting::DeliveryLimit,
            Setting::Ttl,
        ],
    ),
    (Group::Broker, &[Setting::Broker, Setting::BrokerMemory, Setting::BrokerDisk]),
    (
        Group::Downstream,
        &[
            Setting::DownstreamRate,
            Setting::DownstreamFailureShare,
            Setting::CallLayers,
            Setting::CallAttempts,
        ],
    ),
];

/// Whether a dial has a place on that side of the page.
#[must_use]
pub fn applies(setting: Setting, side: Side) -> bool {
    let owner = Definition::of(setting).owner();
    match side {
        Side::Both => applies(setting, Side::Queue) || applies(setting, Side::Log),
        Side::Queue => {
            !matches!(owner, Owner::Topic | Owner::Group)
                && !matches!(setting, Setting::MessageKeys | Setting::Idempotence)
        }
        Side::Log => {
            let is_of_topics_too = matches!(setting, Setting::Retention | Setting::Broker);
            let is_of_queues = matches!(
                setting,
                Setting::MessagePriority
                    | Setting::MessageGroups
                    | Setting::SendPath
                    | Setting::CallTimeout
                    | Setting::ShedAbove
                    | Setting::ShedShare
                    | Setting::Prefetch
            );
            (owner != Owner::Queue || is_of_topics_too) && !is_of_queues
        }
    }
}

fn shown(app: &App, group: Group) -> Vec<Setting> {
    let side = app.side();
    let is_there = |setting: &&Setting| {
        applies(**setting, side) && !app.access.is_hidden(super::access::Control::Setting(**setting))
    };
    group.settings().iter().filter(is_there).copied().collect()
}

/// The groups that have dials on this page.
#[inline(never)]
pub(super) fn groups(app: &App) -> GroupsView {
    let filled = Group::ALL.into_iter().filter(|group| !shown(app, *group).is_empty());
    let open = open_group(app);
    let label = |group: Group| app.locale.text(group.key(app.side())).to_owned();
    let groups = filled.map(|group| GroupView { group, label: label(group), is_open: group == open });
    GroupsView { label: app.locale.text("group.label").to_owned(), groups: groups.collect() }
}

/// The group that is open: the one that was chosen, or else the first that has dials here.
fn open_group(app: &App) -> Group {
    let has_dials = |group: &Group| !shown(app, *group).is_empty();
    let first = || Group::ALL.into_iter().find(has_dials);
    Some(app.group).filter(has_dials).or_else(first).unwrap_or_default()
}

/// Whether any group has dials on this page.
#[inline(never)]
pub(super) fn has_dials(app: &App) -> bool {
    Group::ALL.into_iter().any(|group| !shown(app, group).is_empty())
}

/// Which dials the group that is open has on this page.
#[inline(never)]
pub(super) fn dials_on_screen(app: &App) -> Vec<Setting> {
    shown(app, open_group(app))
}

/// The dials of the group that is open.
#[inline(never)]
pub(super) fn dials(app: &App, settings: &Settings) -> Vec<MoreDialView> {
    let dials = dials_on_screen(app);
    dials.into_iter().map(|setting| dial(app, setting, settings)).collect()
}

fn dial(app: &App, setting: Setting, settings: &Settings) -> MoreDialView {
    let locale = &app.locale;
    let idle = if app.is_simple() { effect::idle_because(setting, settings, app.side()) } else { None };
    let fixed = || {
        let key = if setting == Setting::Seed { "dial.seed.note" } else { "dial.fixed.note" };
        FIXED.contains(&setting).then(|| locale.text(key).to_owned())
    };
    let note = idle.map(|key| locale.text(key).to_owned());
    let note = note.or_else(|| what_it_does(setting, settings, locale));
    // What the seed does and how it counts is one text.
    let fixed = fixed().filter(|fixed| note.as_ref() != Some(fixed));
    let notes = [note, fixed];
    let note = notes.into_iter().flatten().collect::<Vec<_>>().join(" ");
    MoreDialView {
        setting,
        label: locale.text(&dial_key(setting)).to_owned(),
        control: control(app, setting, settings),
        note: (!note.is_empty()).then_some(note),
        is_idle: idle.is_some(),
        changed: moved::is_changed(app, setting, settings).then(|| locale.text("changed.mark").to_owned()),
        problem: problem(app, setting),
    }
}

/// What the dial does, or what its choice does; not all say it.
fn what_it_does(setting: Setting, settings: &Settings, locale: &Locale) -> Option<String> {
    if setting == Setting::QueueBound && settings.queue_bound == Bound::Messages(0) {
        return Some(locale.text("dial.capacity.zero").to_owned());
    }
    let of_choice = match settings.get(setting) {
        Value::Choice(name) => written(locale, &[&choice_key(setting, name), ".note"].concat()),
        _ => None,
    };
    of_choice.or_else(|| written(locale, &[&dial_key(setting), ".note"].concat()))
}

/// A text that need not be there.
fn written(locale: &Locale, key: &str) -> Option<String> {
    let text = locale.text(key);
    (text != key).then(|| text.to_owned())
}

fn control(app: &App, setting: Setting, settings: &Settings) -> MoreControl {
    let (locale, value) = (&app.locale, settings.get(setting));
    match Definition::of(setting).kind {
        Kind::Choice(names) if names == Switch::NAMES => {
            MoreControl::Switch(value == Value::Choice(Switch::On.name()))
        }
        Kind::Choice(names) => {
            let label = |name: &str| locale.text(&choice_key(setting, name)).to_owned();
            let options = names.iter().map(|name| ((*name).to_owned(), label(name))).collect();
            MoreControl::Choice(ChoiceView { options, chosen: value.to_text() })
        }
        kind => number(app, setting, kind, value),
    }
}

fn number(app: &App, setting: Setting, kind: Kind, value: Value) -> MoreControl {
    let locale = &app.locale;
    let has = |word: &str| Definition::of(setting).words().contains(&word) || word == NONE && is_bound(kind);
    let chosen = value.to_text();
    let is_word = |word: &str| chosen == word;
    let tick = |word: &str, key: &str| has(word).then(|| (locale.text(key).to_owned(), is_word(word)));
    let none_key = if setting == Setting::QueueBound { "dial.capacity.none" } else { "dial.none" };
    let is_number = !is_word(NONE) && !is_word(AS_BROKER);
    MoreControl::Number {
        value: if is_number { chosen.clone() } else { String::new() },
        limits: limits(kind, locale),
        unit: unit(setting, locale),
        none: tick(NONE, none_key),
        as_broker: tick(AS_BROKER, "dial.as_broker"),
        slider: slider(app, setting, value),
    }
}

const fn is_bound(kind: Kind) -> bool {
    matches!(kind, Kind::Bound { .. })
}

/// Rates have a slider while there is one.
fn slider(app: &App, setting: Setting, value: Value) -> Option<SliderView> {
    let Value::Rate(rate) = value else { return None };
    let end = app.slider_end(setting);
    let rate_field = [("rate", Field::Rate(rate))];
    Some(SliderView {
        position: dials::position(rate, end),
        max: dials::SLIDER_STEPS,
        spoken: app.locale.format_spoken("unit.per_second", &rate_field),
    })
}

fn limits(kind: Kind, locale: &Locale) -> String {
    let (min, max) = match kind {
        Kind::Rate | Kind::RateOrNone => {
            return locale.format("dial.rate.limits", &[("max", Field::Rate(Rate::MAX))]);
        }
        Kind::Count { min, max } | Kind::CountOr { min, max, .. } => (min, max),
        Kind::Bound { max } | Kind::Seconds { max } | Kind::SecondsOr { max, .. } => (0, max),
        Kind::Percent => (0, 100),
        Kind::Choice(_) => return String::new(),
    };
    locale.format("dial.count.limits", &[("min", Field::Count(min)), ("max", Field::Count(max))])
}

/// The unit, which stands last in the long name.
fn unit(setting: Setting, locale: &Locale) -> String {
    let name = Definition::of(setting).name;
    let units = [
        ("_per_second", "dial.unit.per_second"),
        ("_seconds", "dial.unit.seconds"),
        ("_percent", "dial.unit.percent"),
        ("_bytes", "dial.unit.bytes"),
        ("_messages", "dial.unit.messages"),
    ];
    let found = units.into_iter().find(|(end, _)| name.ends_with(end));
    found.map_or_else(String::new, |(_, key)| locale.text(key).to_owned())
}
