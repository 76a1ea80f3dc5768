//! Breaking things on purpose, and mending them: what each button does as things stand.

use super::access::Control;
use super::log_view::Side;
use super::resetting::reset_refused_key;
use super::state::App;
use super::view::{BreakView, BreakingView};
use crate::draw::log;
use crate::model::command::{Command, CommandRefused, ConsumerDoes};
use crate::model::rate::Rate;
use crate::model::routes::QueueIndex;
use crate::model::settings::{CONSUMERS_MAX, Setting, Value};
use crate::model::snapshot::{BrokerState, ConsumerHealth, ConsumersSnapshot};
use crate::narrate::locale::Field;

/// How many messages the burst button sends.
const BURST: u64 = 50;

/// Something to break. Where its button mends it again, what is broken decides what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Injection {
    /// A message that fails every time is sent.
    Poison,
    /// A consumer leaves cleanly; the last one takes messages again.
    Consumer,
    /// Many messages are sent at once.
    Burst,
    /// What the consumers share becomes slow, or as fast as before.
    Database,
    /// A consumer dies.
    Crash,
    /// A consumer dies between its next side effect and the acknowledgement.
    CrashFinishing,
    /// A consumer stays alive and finishes nothing.
    Hang,
    /// A consumer dies, and again at every start.
    CrashLoop,
    /// Consumers that are not up are started again.
    Restart,
    /// One more consumer.
    AddConsumer,
    /// The broker goes down, or comes up.
    Broker,
    /// The producer sends nothing, or what it sent before.
    Producer,
    /// Most new records have one and the same key, or what they had before.
    HotKey,
    /// The producer changes the schema of its messages, or its readers are deployed anew.
    Schema,
    /// All members of a group leave, or come back.
    Group,
    /// The committed offsets of a group are moved.
    Reset,
    /// Queues are split off, as the topology declares.
    Split,
}

impl Injection {
    /// What stands on the page at once.
    pub const FIRST: [Self; 4] = [Self::Poison, Self::Consumer, Self::Burst, Self::Database];

    /// What is there on request.
    pub const MORE: [Self; 10] = [
        Self::Crash,
        Self::CrashFinishing,
        Self::Hang,
        Self::CrashLoop,
        Self::Restart,
        Self::AddConsumer,
        Self::Broker,
        Self::Producer,
        Self::Schema,
        Self::Split,
    ];

    /// The same where a log is shown: one more consumer is among what can be added to the log.
    pub const MORE_OF_LOG: [Self; 12] = [
        Self::Crash,
        Self::CrashFinishing,
        Self::Hang,
        Self::CrashLoop,
        Self::Restart,
        Self::Broker,
        Self::Producer,
        Self::HotKey,
        Self::Schema,
        Self::Split,
        Self::Group,
        Self::Reset,
    ];

    /// Whether it is done to consumers of one team, each of which has so many: of several one leaves
    /// every team, as the dial says for all.
    const fn is_of_one_team(self, consumer_count: u64) -> bool {
        match self {
            Self::Consumer => consumer_count == 1,
            Self::Crash | Self::CrashFinishing | Self::Hang | Self::CrashLoop | Self::Restart => true,
            Self::Group => true,
            _ => false,
        }
    }

    /// Likewise, where it means something else in a log.
    const fn keys_on(self, side: Side, is_broken: bool) -> (&'static str, &'static str) {
        match (side, self, is_broken) {
            (Side::Log, Self::Poison, _) => ("break.poison", "break.poison.hint.log"),
            (Side::Log, Self::CrashFinishing, _) => ("break.crash_committing", "break.crash_committing.hint"),
            (Side::Log, Self::Broker, false) => ("break.broker_down", "break.broker_down.hint.log"),
            _ => self.keys(is_broken),
        }
    }

    /// The keys of its button and of what it will do; of the way back where `is_broken`.
    const fn keys(self, is_broken: bool) -> (&'static str, &'static str) {
        match (self, is_broken) {
            (Self::Poison, _) => ("break.poison", "break.poison.hint"),
            (Self::Consumer, false) => ("break.stop", "break.stop.hint"),
            (Self::Consumer, true) => ("break.start", "break.start.hint"),
            (Self::Burst, _) => ("break.burst", "break.burst.hint"),
            (Self::Database, false) => ("break.slow", "break.slow.hint"),
            (Self::Database, true) => ("break.fast", "break.fast.hint"),
            (Self::Crash, _) => ("break.crash", "break.crash.hint"),
            (Self::CrashFinishing, _) => ("break.crash_finishing", "break.crash_finishing.hint"),
            (Self::Hang, _) => ("break.hang", "break.hang.hint"),
            (Self::CrashLoop, _) => ("break.crash_loop", "break.crash_loop.hint"),
            (Self::Restart, _) => ("break.restart", "break.restart.hint"),
            (Self::AddConsumer, _) => ("break.add", "break.add.hint"),
            (Self::Broker, false) => ("break.broker_down", "break.broker_down.hint"),
            (Self::Broker, true) => ("break.broker_up", "break.broker_up.hint"),
            (Self::Producer, false) => ("break.pause", "break.pause.hint"),
            (Self::Producer, true) => ("break.go_on", "break.go_on.hint"),
            (Self::HotKey, false) => ("break.hot_key", "break.hot_key.hint"),
            (Self::HotKey, true) => ("break.no_hot_key", "break.no_hot_key.hint"),
            (Self::Schema, false) => ("break.schema", "break.schema.hint"),
            (Self::Schema, true) => ("break.upgrade", "break.upgrade.hint"),
            (Self::Group, false) => ("group.stop", "group.stop.hint"),
            (Self::Group, true) => ("group.start", "group.start.hint"),
            // What it will do is said by its dry run.
            (Self::Reset, _) => ("reset.button", "reset.button"),
            (Self::Split, _) => ("break.split", "break.split.hint"),
        }
    }
}

/// What a button does, and what is said of it; or the key of why it does nothing.
pub(super) type Plan = Result<(Vec<Command>, String), &'static str>;

impl App {
    /// Does what the button of `injection` does now, or says why not.
    pub(super) fn inject(&mut self, injection: Injection) {
        self.run.arrive();
        let said = match self.plan(injection) {
            Ok((commands, said)) => self.carry_out(&commands).unwrap_or(said),
            Err(key) => self.locale.text(key).to_owned(),
        };
        self.renew_visible();
        self.say_at_buttons(said);
    }

    /// Applies `commands` in order, or none of them. Returns why the model refused one, if it did.
    pub(super) fn carry_out(&mut self, commands: &[Command]) -> Option<String> {
        let done = self.run.check(commands).and_then(|()| {
            commands.iter().try_for_each(|command| match *command {
                Command::Set { setting, value } => self.put(setting, value),
                other => self.run.apply(other),
            })
        });
        done.err().map(|refused| self.locale.text(refused_key(refused)).to_owned())
    }

    /// What was done is said aloud, and stands below the buttons until something else is.
    pub(super) fn say_at_buttons(&mut self, said: String) {
        self.announcer.answer(said.clone());
        self.said_at_buttons = said;
        self.said_of = None;
    }

    /// Where several teams read, the name of the one whose consumers the buttons act on.
    #[inline(never)]
    fn team_that_breaks(&self) -> Option<&str> {
        let network = &self.run.snapshot().network;
        let groups = log::shown(self.run.snapshot(), 0.0)?.groups;
        let first = network.groups.get(*groups.first()?)?;
        (groups.len() > 1).then_some(first.name.as_str())
    }

    #[inline(never)]
    fn of_team(&self, hint: &str, team: Option<&str>) -> String {
        let fields = [("text", Field::Text(hint)), ("team", Field::Text(team.unwrap_or_default()))];
        self.locale.format("break.of_team", &fields)
    }

    /// Whether a paused producer can go on: it had a rate.
    pub(super) fn can_go_on(&self) -> bool {
        self.producer_plan(true).is_ok()
    }

    fn plan(&self, injection: Injection) -> Plan {
        let is_broken = self.is_broken(injection);
        match injection {
            Injection::Poison => self.poison_plan(),
            Injection::Consumer if is_broken => {
                let start = |pool| Command::StartConsumers { pool };
                Ok((self.pools_to_break().into_iter().map(start).collect(), self.said("break.start.done")))
            }
            Injection::Consumer => self.stop_plan(),
            Injection::Burst => {
                let fields = [("count", Field::Count(BURST))];
                Ok((self.burst(BURST), self.locale.format("break.burst.done", &fields)))
            }
            Injection::Database => self.database_plan(is_broken),
            Injection::Crash => self.consumer_plan(ConsumerDoes::Crash, "break.crash.done"),
            Injection::CrashFinishing => {
                let done = match self.side() {
                    Side::Queue | Side::Both => "break.crash_finishing.done",
                    Side::Log => "break.crash_committing.done",
                };
                self.consumer_plan(ConsumerDoes::CrashFinishing, done)
            }
            Injection::Hang => self.consumer_plan(ConsumerDoes::Hang, "break.hang.done"),
            Injection::CrashLoop => self.consumer_plan(ConsumerDoes::CrashLoop, "break.crash_loop.done"),
            Injection::Restart => self.restart_plan(),
            Injection::AddConsumer => self.add_plan(),
            Injection::Broker if is_broken => {
                Ok((vec![Command::BrokerUp], self.said("break.broker_up.done")))
            }
            Injection::Broker => Ok((vec![Command::BrokerDown], self.said("break.broker_down.done"))),
            Injection::Producer => self.producer_plan(is_broken),
            Injection::HotKey => self.hot_key_plan(is_broken),
            Injection::Schema => self.schema_plan(),
            Injection::Group => self.group_plan(is_broken),
            Injection::Reset => self.reset_plan(),
            Injection::Split => {
                let queue = self.queue_to_split().ok_or("refused.by_model")?;
                Ok((vec![Command::SplitQueues { queue }], self.said("break.split.done")))
            }
        }
    }

    /// Whether the button of `injection` mends what is broken.
    fn is_broken(&self, injection: Injection) -> bool {
        let snapshot = self.run.snapshot();
        match injection {
            Injection::Consumer => snapshot.network.pools.first().is_some_and(|pool| pool.is_stopped),
            Injection::Database => {
                let speed = |rate: Option<Rate>| rate.unwrap_or(Rate::MAX);
                let usual = self.run.simulation().scenario().settings.downstream_rate;
                speed(self.settings().downstream_rate) < speed(usual)
            }
            Injection::Broker => snapshot.broker.state != BrokerState::Up,
            Injection::Producer => self.settings().producer_rate.is_zero(),
            Injection::HotKey => self.is_key_hot(),
            Injection::Schema => !self.upgrades().is_empty(),
            Injection::Group => self.is_group_stopped(),
            _ => false,
        }
    }

    /// The first queue from which others can still be split off; of none, the first that was.
    fn queue_to_split(&self) -> Option<QueueIndex> {
        let simulation = self.run.simulation();
        let asked = |queue| simulation.check(&Command::SplitQueues { queue });
        let mut queues = (0..simulation.scenario().topology().queues.len()).map(QueueIndex);
        let was_split = |queue: &QueueIndex| asked(*queue) == Err(CommandRefused::SplitAlready);
        let open = queues.clone().find(|queue| asked(*queue).is_ok());
        open.or_else(|| queues.find(was_split))
    }

    /// Of several consumers one leaves; the last one is told to stop, so that it can come back.
    fn stop_plan(&self) -> Plan {
        let stay = self.settings().consumer_count - 1;
        if stay == 0 {
            let stop = |pool| Command::StopConsumers { pool };
            return Ok((self.pools_to_break().into_iter().map(stop).collect(), self.said("break.stop.done")));
        }
        let said = self.locale.format("break.leave.done", &[("count", Field::Count(stay))]);
        Ok((vec![set(Setting::ConsumerCount, Value::Count(stay))], said))
    }

    /// Half as fast as the consumers are, or as it was before that.
    fn database_plan(&self, is_broken: bool) -> Plan {
        if is_broken {
            let usual = self.run.simulation().scenario().settings.get(Setting::DownstreamRate);
            return Ok((vec![set(Setting::DownstreamRate, usual)], self.said("break.fast.done")));
        }
        let settings = self.settings();
        let asked =
            settings.downstream_rate.map_or(settings.capacity(), |rate| rate.min(settings.capacity()));
        let slow = Rate::from_thousandths((asked.thousandths() / 2).max(1_000));
        let said = self.locale.format("break.slow.done", &[("rate", Field::Rate(slow))]);
        Ok((vec![set(Setting::DownstreamRate, Value::Rate(slow))], said))
    }

    fn consumer_plan(&self, does: ConsumerDoes, done: &str) -> Plan {
        let number = consumer_to_break(&self.run.snapshot().consumers);
        let commands = match number {
            _ if self.side().is_both() => self.break_both(number, does),
            Some(number) => vec![Command::Consumer { pool: 0, number, does }],
            None => Vec::new(),
        };
        let first = commands.iter().find_map(|command| match command {
            Command::Consumer { number, .. } => Some(*number),
            _ => None,
        });
        let number = first.ok_or("refused.nobody_up")?;
        let said = self.locale.format(done, &[("number", Field::Count(u64::from(number) + 1))]);
        Ok((commands, said))
    }

    fn restart_plan(&self) -> Plan {
        let consumers = (0_u16..).zip(&self.run.snapshot().consumers.each);
        let is_down = |health: ConsumerHealth| {
            matches!(health, ConsumerHealth::Crashed | ConsumerHealth::CrashLoop | ConsumerHealth::Hung)
        };
        let down = consumers.filter(|(_, consumer)| is_down(consumer.health));
        let restart = |(number, _)| Command::Consumer { pool: 0, number, does: ConsumerDoes::Restart };
        let mut commands: Vec<_> = down.map(restart).collect();
        if self.side().is_both() {
            commands.extend(self.restart_in_log());
        }
        if commands.is_empty() {
            return Err("refused.nobody_down");
        }
        let said =
            self.locale.format("break.restart.done", &[("count", Field::Count(commands.len() as u64))]);
        Ok((commands, said))
    }

    fn add_plan(&self) -> Plan {
        let count = self.settings().consumer_count + 1;
        if count > CONSUMERS_MAX {
            return Err("refused.most_consumers");
        }
        let said = self.locale.format("break.add.done", &[("count", Field::Count(count))]);
        Ok((vec![set(Setting::ConsumerCount, Value::Count(count))], said))
    }

    /// A paused producer goes on at the last rate that it had.
    fn producer_plan(&self, is_paused: bool) -> Plan {
        if !is_paused {
            let pause = set(Setting::ProducerRate, Value::Rate(Rate::ZERO));
            return Ok((vec![pause], self.said("break.pause.done")));
        }
        let commands = self.run.commands();
        let rates = commands.iter().rev().filter_map(|timed| match timed.command {
            Command::Set { setting: Setting::ProducerRate, value: Value::Rate(rate) } => Some(rate),
            _ => None,
        });
        let first = self.run.simulation().scenario().settings.producer_rate;
        let rate = rates.chain([first]).find(|rate| !rate.is_zero()).ok_or("refused.no_rate")?;
        let said = self.locale.format("break.go_on.done", &[("rate", Field::Rate(rate))]);
        Ok((vec![set(Setting::ProducerRate, Value::Rate(rate))], said))
    }

    pub(super) fn said(&self, key: &str) -> String {
        self.locale.text(key).to_owned()
    }
}

/// The buttons as they stand; those on request only where they are open.
pub(super) fn view(app: &App) -> BreakingView {
    let team = if app.side().has_log() { app.team_that_breaks() } else { None };
    let count = app.settings().consumer_count;
    let button = |injection: &Injection| {
        let (label, hint) = injection.keys_on(app.side(), app.is_broken(*injection));
        let hint = match injection {
            Injection::Reset => app.reset_dry_run(),
            _ => app.said(hint),
        };
        let hint =
            if team.is_some() && injection.is_of_one_team(count) { app.of_team(&hint, team) } else { hint };
        BreakView { injection: *injection, label: app.said(label), hint }
    };
    let more = if app.is_breaking_open { more(app.side()) } else { &[] };
    let is_there = |injection: &&Injection| match injection {
        Injection::Split => app.queue_to_split().is_some(),
        Injection::Group | Injection::Reset => app.group_to_break().is_some(),
        _ => true,
    };
    let view = BreakingView {
        first: Injection::FIRST.iter().map(button).collect(),
        more: more.iter().filter(is_there).map(button).collect(),
        reset: more.iter().filter(is_there).any(|one| *one == Injection::Reset).then(|| app.reset_list()),
        partition: if app.side() == Side::Log { app.partition_view() } else { None },
        policy: super::poison::policy_view(app),
        said: app.said_at_buttons.clone(),
    };
    if app.access.is_full() { view } else { limited(app, view) }
}

/// Only what the page has of it.
#[inline(never)]
fn limited(app: &App, mut view: BreakingView) -> BreakingView {
    let is_there = |view: &BreakView| !app.access.is_hidden(Control::Injection(view.injection));
    view.first.retain(is_there);
    view.more.retain(is_there);
    view.reset.take_if(|_| app.access.is_hidden(Control::Injection(Injection::Reset)));
    view.policy.take_if(|_| app.access.is_hidden(Control::Policy));
    view.partition.take_if(|_| app.access.is_hidden(Control::Injection(Injection::Poison)));
    view
}

const fn more(side: Side) -> &'static [Injection] {
    match side {
        Side::Queue => &Injection::MORE,
        Side::Log | Side::Both => &Injection::MORE_OF_LOG,
    }
}

pub(super) const fn set(setting: Setting, value: Value) -> Command {
    Command::Set { setting, value }
}

/// The first consumer that is up, of those at work if there are any.
fn consumer_to_break(consumers: &ConsumersSnapshot) -> Option<u16> {
    let up = |is_at_work: bool| {
        (0_u16..).zip(&consumers.each).find(|(_, consumer)| {
            consumer.health == ConsumerHealth::Up
                && !consumer.is_stopping
                && (consumer.work.is_some() || !is_at_work)
        })
    };
    up(true).or_else(|| up(false)).map(|(number, _)| number)
}

/// Why the model refused what a button asked for.
const fn refused_key(refused: CommandRefused) -> &'static str {
    match refused {
        CommandRefused::NoSuchConsumer => "refused.nobody_up",
        CommandRefused::FixedAtStart => "refused.fixed_at_start",
        CommandRefused::BrokerIsDown => "refused.broker_is_down",
        CommandRefused::NotReset(refused) => reset_refused_key(refused),
        CommandRefused::SplitAlready => "refused.split_already",
        _ => "refused.by_model",
    }
}
