//! Any run: topologies, settings of the whole table, and every command, from one seed.

use std::rc::Rc;

use queue_lab::model::alerts::metrics::METRICS;
use queue_lab::model::alerts::{AlertRule, AlertRules, RuleChange, parse};
use queue_lab::model::broker::QueueIndex;
use queue_lab::model::command::{Command, ConsumerDoes, TimedCommand};
use queue_lab::model::group::reset::ResetTo;
use queue_lab::model::rate::Rate;
use queue_lab::model::routes::{GroupIndex, TopicIndex};
use queue_lab::model::scenario::Scenario;
use queue_lab::model::settings::{Definition, Kind, Setting, Settings, TABLE, Value};
use queue_lab::model::simulation::Simulation;
use queue_lab::model::state_hash::mix;
use queue_lab::model::time::{Instant, Span};
use queue_lab::model::topology::{ConsumersNode, GroupNode, ProducerNode, QueueNode, TopicNode, Topology};

/// Chance from a seed.
pub struct Dice(pub u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }

    fn happens(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let place = self.below(all.len() as u64);
        &all[usize::try_from(place).expect("it is short")]
    }

    fn small(&mut self) -> u16 {
        u16::try_from(self.below(4)).expect("it is below 4")
    }
}

/// A run and what is done to it from outside.
#[derive(Clone, Debug)]
pub struct AnyRun {
    pub scenario: Scenario,
    pub commands: Vec<TimedCommand>,
    pub until: Instant,
}

/// Rates that make a lot happen without drowning the rest.
const RATES: &[&str] =
    &["0", "0.001", "0.5", "1", "2", "3", "5", "6", "7.777", "10", "20", "33.333", "50", "100"];
const SECONDS: &[&str] =
    &["0", "0.000001", "0.02", "0.1", "0.333333", "0.5", "1", "1", "2", "3", "5", "10", "30", "600", "43200"];
const COUNTS: &[&str] = &["0", "1", "1", "2", "2", "3", "4", "5", "8", "13", "30", "60", "100", "1000"];
const PERCENTS: &[&str] = &["0", "0", "1", "5", "20", "50", "100"];

fn text_for(dice: &mut Dice, row: &Definition) -> String {
    let word_or = |dice: &mut Dice, words: &[&'static str], texts: &[&'static str]| {
        let all = if dice.happens(30) { words } else { texts };
        (*dice.pick(all)).to_owned()
    };
    match row.kind {
        Kind::Rate => (*dice.pick(RATES)).to_owned(),
        Kind::RateOrNone => word_or(dice, &["none"], RATES),
        Kind::Count { .. } => (*dice.pick(COUNTS)).to_owned(),
        Kind::CountOr { words, .. } => word_or(dice, words, COUNTS),
        Kind::Bound { .. } => word_or(dice, &["none"], COUNTS),
        Kind::Seconds { .. } => (*dice.pick(SECONDS)).to_owned(),
        Kind::SecondsOr { words, .. } => word_or(dice, words, SECONDS),
        Kind::Percent => (*dice.pick(PERCENTS)).to_owned(),
        Kind::Choice(names) => (*dice.pick(names)).to_owned(),
    }
}

fn value_for(dice: &mut Dice, row: &Definition) -> Value {
    // An attempt of a microsecond makes a million of them in a second: it has a test of its own.
    let text = match (row.setting, text_for(dice, row)) {
        (Setting::AttemptTimeout, text) if ["0", "0.000001"].contains(&text.as_str()) => "0.05".to_owned(),
        // So many calls at every start drown the rest.
        (Setting::ColdStartCalls, _) => dice.below(20).to_string(),
        // Half of the producers go through their queues.
        (Setting::SendPath, _) if dice.happens(50) => "queue".to_owned(),
        (Setting::ConfirmTimeout, text) if ["0", "0.000001"].contains(&text.as_str()) => "0.05".to_owned(),
        (Setting::MessageBytes, text) => format!("{text}0"),
        (Setting::BrokerDisk, text) if text != "none" => format!("{text}000"),
        (Setting::BrokerMemory, _) if dice.happens(60) => "4000000".to_owned(),
        (_, text) => text,
    };
    row.read(&text).0.unwrap_or_else(|| Settings::default().get(row.setting))
}

/// The same settings with some of them changed.
fn changed(dice: &mut Dice, settings: &Settings, percent: u64) -> Settings {
    let mut settings = settings.clone();
    for row in TABLE {
        if dice.happens(percent) {
            let value = value_for(dice, row);
            assert!(settings.set(row.setting, value), "{}: {value:?}", row.name);
        }
    }
    settings
}

fn topology(dice: &mut Dice) -> Topology {
    let (producers, queues, pools) = (1 + dice.below(3), 1 + dice.below(3), 1 + dice.below(3));
    let queue = |dice: &mut Dice| format!("queue{}", dice.below(queues));
    let mut topology = Topology {
        producers: (0..producers)
            .map(|n| ProducerNode {
                name: format!("producer{n}"),
                to: queue(dice),
                like: (n > 0 && dice.happens(30)).then(|| "producer0".to_owned()),
                ..ProducerNode::default()
            })
            .collect(),
        queues: (0..queues)
            .map(|n| {
                let dead_letters_to = dice.happens(40).then(|| queue(dice));
                QueueNode { name: format!("queue{n}"), dead_letters_to, split_from: None }
            })
            .collect(),
        consumers: (0..pools)
            .map(|n| ConsumersNode {
                name: format!("pool{n}"),
                from: queue(dice),
                joins_later: n > 0 && dice.happens(25),
                ..ConsumersNode::default()
            })
            .collect(),
        ..Topology::default()
    };
    if dice.happens(40) {
        (0..1 + dice.below(2)).for_each(|number| declare_topic(dice, &mut topology, number));
    }
    if dice.happens(60) {
        (0..1 + dice.below(2)).for_each(|part| declare_part(dice, &mut topology, part));
    }
    topology
}

/// One more topic, perhaps with a group, to which some producers send in place of their queues.
fn declare_topic(dice: &mut Dice, topology: &mut Topology, number: u64) {
    let name = format!("topic{number}");
    for producer in &mut topology.producers {
        if dice.happens(50) {
            producer.to.clone_from(&name);
        }
    }
    let [retries, dead_letters] = ["retries", "dead"].map(|kind| {
        let own = format!("{kind}{number}");
        dice.happens(35).then(|| if dice.happens(85) { own } else { name.clone() })
    });
    let groups = if dice.happens(85) { 1 + dice.below(3) } else { 0 };
    for group in 0..groups {
        topology.groups.push(GroupNode {
            name: format!("group{number}{group}"),
            from: name.clone(),
            retry_to: retries.clone().filter(|to| dice.happens(80) && (group == 0 || *to == name)),
            dead_letters_to: dead_letters.clone().filter(|_| dice.happens(80)),
            joins_later: dice.happens(25),
        });
    }
    let others = [&retries, &dead_letters].into_iter().flatten().filter(|other| **other != name);
    for other in others {
        if dice.happens(80) {
            topology.groups.push(GroupNode {
                name: format!("of-{other}"),
                from: other.clone(),
                retry_to: retries.clone().filter(|to| dice.happens(50) && to == other),
                dead_letters_to: dead_letters.clone().filter(|_| dice.happens(50)),
                ..GroupNode::default()
            });
        }
        topology.topics.push(TopicNode { name: other.clone() });
    }
    topology.topics.push(TopicNode { name });
}

/// One more queue, to be split off from one that is there, with producers and consumers.
fn declare_part(dice: &mut Dice, topology: &mut Topology, part: u64) {
    let of_part = format!("part{part}");
    let shared: Vec<_> = topology.queues.iter().filter(|node| node.split_from.is_none()).cloned().collect();
    let source = dice.pick(&shared).name.clone();
    for producer in topology.producers.iter_mut().filter(|node| node.to == source) {
        if dice.happens(70) {
            producer.split_to = Some(of_part.clone());
        }
    }
    let pools = topology.consumers.iter().filter(|node| node.from == source);
    let pool = pools.map(|node| node.name.clone()).next_back();
    let split_from = pool.filter(|_| dice.happens(75));
    topology.consumers.push(ConsumersNode {
        name: format!("crew{part}"),
        from: of_part.clone(),
        split_from,
        ..ConsumersNode::default()
    });
    topology.queues.push(QueueNode { name: of_part, dead_letters_to: None, split_from: Some(source) });
}

fn command(dice: &mut Dice) -> Command {
    let does = [
        ConsumerDoes::Crash,
        ConsumerDoes::CrashFinishing,
        ConsumerDoes::CrashLoop,
        ConsumerDoes::Hang,
        ConsumerDoes::Restart,
        ConsumerDoes::Restart,
    ];
    let queue = |dice: &mut Dice| QueueIndex(usize::from(dice.small()));
    let row = dice.pick(TABLE);
    match dice.below(35) {
        0..6 => Command::Set { setting: row.setting, value: value_for(dice, row) },
        6..10 => Command::SetNode { node: dice.small(), setting: row.setting, value: value_for(dice, row) },
        10 => Command::Burst { count: 1 + dice.below(100) },
        11 => Command::BurstOf { producer: dice.small(), count: 1 + dice.below(100) },
        12 => Command::Poison { producer: dice.small(), count: 1 + dice.below(10) },
        13 => Command::Route { producer: dice.small(), to: queue(dice) },
        14 => Command::StopConsumers { pool: dice.small() },
        15 => Command::StartConsumers { pool: dice.small() },
        16..18 => Command::Consumer { pool: dice.small(), number: dice.small(), does: *dice.pick(&does) },
        18 => {
            let fails_over = Command::FailOver { duration: Span::from_micros(1 + dice.below(4_000_000)) };
            *dice.pick(&[
                Command::BrokerDown,
                Command::BrokerUp,
                Command::BrokerUp,
                Command::DeployFix,
                fails_over,
                fails_over,
            ])
        }
        19 | 20 => {
            let rate = dice.happens(60).then(|| Rate::from_thousandths(1 + dice.below(20_000)));
            let (from, to) = (queue(dice), queue(dice));
            if dice.happens(40) {
                let number = 1 + dice.below(40);
                return Command::RedriveMessage {
                    from,
                    to,
                    producer: u16::from(dice.happens(20)),
                    number,
                    rate,
                };
            }
            Command::Redrive { from, to, rate }
        }
        21 => Command::Discard { queue: queue(dice) },
        22..24 => Command::SplitQueues { queue: queue(dice) },
        24 => Command::SetAlertRule { rule: dice.small(), change: rule_change(dice) },
        25 => Command::ChangeSchema { producer: dice.small() },
        26 => Command::UpgradeReaders { pool: dice.small() },
        _ => log_command(dice),
    }
}

/// A command about topics, groups, or who joins.
fn log_command(dice: &mut Dice) -> Command {
    let topic = |dice: &mut Dice| TopicIndex(usize::from(dice.small()));
    let group = |dice: &mut Dice| GroupIndex(usize::from(dice.small()));
    match dice.below(8) {
        0 => Command::Join { pool: dice.small() },
        1 | 2 => {
            let targets = [
                ResetTo::Earliest,
                ResetTo::Earliest,
                ResetTo::Latest,
                ResetTo::Current,
                ResetTo::Offset(dice.below(60)),
                ResetTo::Shift(-10),
                ResetTo::Shift(10),
                ResetTo::Time(Instant::from_micros(dice.below(60_000_000))),
            ];
            let partition = dice.happens(30).then(|| u32::from(dice.small()));
            Command::ResetOffsets { group: group(dice), partition, to: *dice.pick(&targets) }
        }
        3 => Command::AddPartitions { topic: topic(dice), to: 1 + u32::from(dice.small()) * 2 },
        4 => {
            let (topic, partition) = (topic(dice), u32::from(dice.small()));
            Command::PoisonPartition { topic, partition, count: 1 + dice.below(5) }
        }
        5 => Command::RouteToTopic { producer: dice.small(), to: topic(dice) },
        _ => {
            let rate = dice.happens(60).then(|| Rate::from_thousandths(1 + dice.below(20_000)));
            Command::SendBack { from: topic(dice), to: topic(dice), rate }
        }
    }
}

fn rule_change(dice: &mut Dice) -> RuleChange {
    let seconds = |dice: &mut Dice| dice.happens(50).then(|| Span::from_seconds(dice.below(10)));
    let threshold = i64::try_from(dice.below(30)).unwrap_or_default() * 1_000_000;
    RuleChange {
        threshold_millionths: dice.happens(70).then_some(threshold),
        hold: seconds(dice),
        keep_firing: seconds(dice),
    }
}

/// Rules about any metrics, evaluated often, in some of the runs. They have dice of their own, so that
/// nothing else of a run depends on them.
fn alert_rules(seed: u64) -> AlertRules {
    let mut dice = Dice(!seed);
    let mut rules = AlertRules::every_seconds(1 + dice.below(4));
    for number in 0..if dice.happens(50) { 1 + dice.below(4) } else { 0 } {
        let (metric, _) = *dice.pick(&METRICS);
        let value = match dice.below(4) {
            0 => format!("deriv({metric}[{}s])", 1 + dice.below(12)),
            1 => format!("rate({metric}[{}s])", 1 + dice.below(12)),
            2 => format!("max_over_time({metric}[{}s])", 1 + dice.below(12)),
            _ => metric.to_owned(),
        };
        let sign = *dice.pick(&[">", "<=", "==", "!="]);
        let condition = format!("{value} {sign} {}", dice.below(10));
        let change = rule_change(&mut dice);
        let rule = AlertRule {
            name: format!("rule{number}"),
            owner: "somebody".to_owned(),
            condition: parse::condition(&condition).unwrap_or_else(|problem| panic!("{problem}")),
            hold: change.hold.unwrap_or_default(),
            keep_firing: change.keep_firing.unwrap_or_default(),
        };
        rules.add(rule).unwrap_or_else(|problem| panic!("{condition}: {problem:?}"));
    }
    rules
}

/// Commands of one kind of instant: between events, at whole seconds, or several at once.
fn script(dice: &mut Dice, seconds: u64) -> Vec<TimedCommand> {
    let mut all = Vec::new();
    let mut at = 0;
    for _ in 0..dice.below(25) {
        at = match dice.below(4) {
            0 => at,
            1 => dice.below(seconds) * 1_000_000,
            _ => dice.below(seconds * 1_000_000),
        };
        let command = command(dice);
        if command.check().is_ok() {
            all.push(TimedCommand { at: Instant::from_micros(at), command });
        }
    }
    all.sort_by_key(|timed| timed.at);
    all
}

/// The run of a seed.
pub fn any_run(seed: u64, seconds: u64) -> AnyRun {
    let mut dice = Dice(seed);
    let percent = *dice.pick(&[5, 15, 30, 60]);
    let settings = changed(&mut dice, &Settings::default(), percent);
    let topology = topology(&mut dice);
    let shared = topology.queues.iter().find_map(|node| topology.queue_named(node.split_from.as_ref()?));
    let shared = shared.map(QueueIndex);
    let names: Vec<String> = topology.names().cloned().collect();
    let own: Vec<_> = names
        .into_iter()
        .filter_map(|name| dice.happens(40).then(|| (name, changed(&mut dice, &settings, percent / 2))))
        .collect();
    let mut commands = script(&mut dice, seconds);
    if let Some(queue) = shared.filter(|_| dice.happens(80)) {
        let at = Instant::from_micros(dice.below(seconds * 1_000_000));
        let place = commands.partition_point(|timed| timed.at <= at);
        commands.insert(place, TimedCommand { at, command: Command::SplitQueues { queue } });
    }
    let mut scenario = Scenario::with_settings(settings)
        .with_topology(topology)
        .expect("the topology is right")
        .with_node_settings(own)
        .with_alerts(alert_rules(seed));
    if dice.happens(30) {
        scenario = scenario.with_commands(std::mem::take(&mut commands));
    }
    AnyRun { scenario, commands, until: Instant::from_seconds(seconds) }
}

/// How many events may happen at one instant before it is certain that it never ends. Bursts are
/// shorter, and a chain of dead letters or of handing over is bounded by what waits.
const ENDLESS: u64 = 2_000_000;

/// The first code of a command that a run may have reasons of its own against.
const FIRST_THAT_DEPENDS_ON_THE_RUN: u16 = Command::SplitQueues { queue: QueueIndex(0) }.code();

impl AnyRun {
    pub fn start(&self) -> Simulation {
        Simulation::new(Rc::new(self.scenario.clone()))
    }

    /// Plays to the end in calls of `slice` events. `None` where it takes more than `most` events.
    pub fn play(&self, most: u64, slice: impl FnMut() -> u64) -> Option<Simulation> {
        self.play_from(self.start(), most, slice)
    }

    /// Does the same from a start of one's own.
    pub fn play_from(
        &self,
        mut simulation: Simulation,
        most: u64,
        mut slice: impl FnMut() -> u64,
    ) -> Option<Simulation> {
        let mut left = most;
        for timed in &self.commands {
            left = reach(&mut simulation, timed.at, left, &mut slice)?;
            // Whether a queue can be split, or what can be done with a topic, is for the run to say;
            // nothing happens where it cannot.
            let may_be_refused = timed.command.code() >= FIRST_THAT_DEPENDS_ON_THE_RUN;
            assert!(simulation.apply(timed.command).is_ok() || may_be_refused, "it was checked");
        }
        reach(&mut simulation, self.until, left, &mut slice)?;
        Some(simulation)
    }
}

/// Returns how much is left of `left` events.
fn reach(
    simulation: &mut Simulation,
    target: Instant,
    mut left: u64,
    slice: &mut impl FnMut() -> u64,
) -> Option<u64> {
    let (mut at, mut at_this_instant) = (simulation.now(), 0);
    loop {
        let budget = slice();
        if simulation.advance_to(target, budget) >= target && simulation.is_complete() {
            return Some(left.saturating_sub(budget.min(left)));
        }
        at_this_instant = if simulation.now() == at { at_this_instant + budget } else { 0 };
        at = simulation.now();
        assert!(at_this_instant < ENDLESS, "the instant {at} never ends");
        left = left.checked_sub(budget)?;
    }
}
