//! Snapshots made by hand, and English words for them. The including module has `draw` and
//! `model` in scope; so the same samples serve unit tests and golden pictures.

use super::draw::labels::SceneLabels;
use super::draw::scene::scale_top;
use super::model::ledger::Ledger;
use super::model::outlook::{NextEvent, Outlook, OutlookInput};
use super::model::rate::Rate;
use super::model::series::{Bucket, Extent};
use super::model::settings::{ArrivalPattern, Bound, OverflowPolicy, ServiceTime};
use super::model::snapshot::failures::{FailuresSnapshot, PoisonInLine};
use super::model::snapshot::network::NetworkSnapshot;
use super::model::snapshot::{
    BlockedBy, BrokerSnapshot, BrokerState, ConsumerHealth, ConsumerSnapshot, ConsumersSnapshot, Finish,
    Flow, Loss, LossRule, ProducerSnapshot, QueueSnapshot, Snapshot, WaitingTimes, WorkSnapshot,
};
use super::model::time::{Instant, Span};

/// What a sample is made from; the rest follows.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    pub at_millis: u64,
    pub producer_rate: u64,
    pub consumer_rate: u64,
    pub consumers: usize,
    pub busy: usize,
    pub stopping: usize,
    pub bound: Bound,
    pub overflow: OverflowPolicy,
    pub waiting: u64,
    pub done: u64,
    pub lost: u64,
    pub held_back: u64,
    pub blocked_by: Option<BlockedBy>,
    pub gap_done_millionths: u32,
    pub memory_alarm: bool,
    pub arrivals: ArrivalPattern,
    /// How the first consumers are; the others are up.
    pub health: &'static [ConsumerHealth],
    /// Poison that waits: its place and its attempts so far.
    pub poison: &'static [(u64, u32)],
    /// Which attempt at poison the first consumer is at; 0: none.
    pub poison_in_hand: u32,
    /// How many dead letters there are, where they are kept after three attempts.
    pub dead_letters: Option<u64>,
    /// How fast the database is, where it is slow.
    pub database: Option<u64>,
}

pub const AT_REST: Recipe = Recipe {
    at_millis: 0,
    producer_rate: 6,
    consumer_rate: 6,
    consumers: 1,
    busy: 0,
    stopping: 0,
    bound: Bound::Messages(60),
    overflow: OverflowPolicy::DropNew,
    waiting: 0,
    done: 0,
    lost: 0,
    held_back: 0,
    blocked_by: None,
    gap_done_millionths: 0,
    memory_alarm: false,
    arrivals: ArrivalPattern::Steady,
    health: &[],
    poison: &[],
    poison_in_hand: 0,
    dead_letters: None,
    database: None,
};

/// Producer 8, one consumer of 6, 21 seconds after the start.
pub const GROWING_BY_DEFAULT: Recipe = Recipe {
    at_millis: 21_080,
    producer_rate: 8,
    busy: 1,
    waiting: 42,
    done: 125,
    gap_done_millionths: 640_000,
    ..AT_REST
};

/// The mockup: 8 against 3 consumers of 2, with 42 of 60 waiting.
pub const GROWING: Recipe =
    Recipe { at_millis: 42_080, consumer_rate: 2, consumers: 3, busy: 3, done: 251, ..GROWING_BY_DEFAULT };

pub const FULL_AND_DROPPING: Recipe =
    Recipe { waiting: 60, lost: 12, done: 288, at_millis: 48_100, ..GROWING };

pub const DROPPING_OLDEST: Recipe = Recipe { overflow: OverflowPolicy::DropOldest, ..FULL_AND_DROPPING };

pub const BLOCKED: Recipe = Recipe {
    overflow: OverflowPolicy::Block,
    lost: 0,
    held_back: 1,
    blocked_by: Some(BlockedBy::Bound),
    gap_done_millionths: 0,
    ..FULL_AND_DROPPING
};

pub const BIG_BAR: Recipe = Recipe {
    producer_rate: 1_000,
    consumer_rate: 100,
    consumers: 4,
    busy: 4,
    bound: Bound::None,
    waiting: 1_245_000,
    done: 754_996,
    at_millis: 2_075_000,
    ..GROWING
};

pub const MANY_CONSUMERS: Recipe =
    Recipe { producer_rate: 100, consumer_rate: 2, consumers: 64, busy: 50, waiting: 3, ..GROWING };

pub const OUT_OF_MEMORY: Recipe = Recipe {
    waiting: 3_999_996,
    held_back: 5,
    blocked_by: Some(BlockedBy::MemoryAlarm),
    memory_alarm: true,
    ..BIG_BAR
};

pub const STOPPING: Recipe = Recipe { consumers: 6, busy: 5, stopping: 2, ..GROWING };

/// One in each state that a consumer can be in, and one at work.
pub const IN_TROUBLE: Recipe = Recipe {
    consumers: 6,
    busy: 0,
    health: &[
        ConsumerHealth::Crashed,
        ConsumerHealth::CrashLoop,
        ConsumerHealth::Hung,
        ConsumerHealth::Starting,
        ConsumerHealth::Stopped,
    ],
    ..GROWING
};

/// One message that always fails in a consumer's hands for the 14th time, and one in line.
pub const POISON: Recipe = Recipe { poison: &[(4, 0)], poison_in_hand: 14, ..GROWING };

/// The mockup with its dead letters, and a slow database.
pub const DEAD_LETTERS: Recipe =
    Recipe { poison: &[(4, 2)], poison_in_hand: 1, dead_letters: Some(2), database: Some(3), ..GROWING };

/// There is a place for dead letters and none in it; the line is a bar.
pub const NO_DEAD_LETTERS: Recipe =
    Recipe { poison: &[(0, 1), (200, 120)], dead_letters: Some(0), lost: 3, ..BIG_BAR };

pub const SMALL_BOUND: Recipe =
    Recipe { bound: Bound::Messages(5), waiting: 2, arrivals: ArrivalPattern::Bursts, ..GROWING };

pub const BOUND_ZERO: Recipe = Recipe { bound: Bound::Messages(0), waiting: 0, lost: 40, ..GROWING };

pub const MANY_PLACES: Recipe = Recipe { bound: Bound::Messages(200), waiting: 163, ..GROWING };

pub const NO_BOUND: Recipe = Recipe { bound: Bound::None, waiting: 31, ..GROWING };

/// All of them by name.
pub const ALL: [(&str, Recipe); 20] = [
    ("at_rest", AT_REST),
    ("growing_by_default", GROWING_BY_DEFAULT),
    ("growing", GROWING),
    ("full_and_dropping", FULL_AND_DROPPING),
    ("dropping_oldest", DROPPING_OLDEST),
    ("blocked", BLOCKED),
    ("big_bar", BIG_BAR),
    ("many_consumers", MANY_CONSUMERS),
    ("out_of_memory", OUT_OF_MEMORY),
    ("stopping", STOPPING),
    ("in_trouble", IN_TROUBLE),
    ("small_bound", SMALL_BOUND),
    ("bound_zero", BOUND_ZERO),
    ("many_places", MANY_PLACES),
    ("no_bound", NO_BOUND),
    ("poison", POISON),
    ("dead_letters", DEAD_LETTERS),
    ("no_dead_letters", NO_DEAD_LETTERS),
    (
        "dead_letters_and_losses",
        Recipe { dead_letters: Some(1_240), poison: &[(0, 3), (1, 3)], ..FULL_AND_DROPPING },
    ),
    ("rate_zero", Recipe { producer_rate: 0, ..GROWING }),
];

impl Recipe {
    pub fn snapshot(&self) -> Snapshot {
        let at = Instant::from_micros(self.at_millis * 1_000);
        let in_flight = self.busy as u64;
        let ledger = self.ledger(in_flight);
        let oldest = Rate::from_per_second(self.producer_rate).time_for_messages(self.waiting);
        Snapshot {
            at,
            seed: 1,
            ledger,
            producer: self.producer(),
            queue: self.queue(at, oldest),
            consumers: self.consumers(at),
            broker: BrokerSnapshot {
                held: self.waiting + in_flight,
                memory: 4_000_000,
                memory_alarm: self.memory_alarm,
                held_bytes: 0,
                disk: None,
                disk_alarm: false,
                state: BrokerState::Up,
            },
            flow: self.flow(),
            waiting_time_recent: WaitingTimes::default(),
            waiting_time_overall: WaitingTimes::default(),
            outlook: self.outlook(in_flight),
            network: NetworkSnapshot::default(),
            failures: self.failures(),
        }
    }

    fn failures(&self) -> FailuresSnapshot {
        let in_line = self.poison.iter().map(|(place, attempts)| PoisonInLine {
            place: *place,
            number: 300 + place,
            attempts: *attempts,
            starts_in: None,
        });
        FailuresSnapshot {
            next_deleted_in: None,
            keeps_dead_letters: self.dead_letters.is_some(),
            dead_letters: self.dead_letters.unwrap_or(0),
            in_line: in_line.filter(|poison| poison.place < self.waiting).collect(),
            ..FailuresSnapshot::default()
        }
    }

    fn ledger(&self, in_flight: u64) -> Ledger {
        let mut ledger = Ledger {
            held_back: self.held_back,
            waiting: self.waiting,
            in_flight,
            done: self.done,
            ..Ledger::default()
        };
        match self.overflow {
            OverflowPolicy::Reject | OverflowPolicy::Block => ledger.rejected = self.lost,
            OverflowPolicy::DropNew => ledger.dropped_new = self.lost,
            OverflowPolicy::DropOldest => ledger.dropped_oldest = self.lost,
        }
        ledger.offered = ledger.accounted();
        ledger
    }

    fn producer(&self) -> ProducerSnapshot {
        ProducerSnapshot {
            name: "producer".to_owned(),
            rate: Rate::from_per_second(self.producer_rate),
            arrivals: self.arrivals,
            burst_size: 10,
            blocked_by: self.blocked_by,
            held_back: self.held_back,
            next_arrival_in: None,
            gap_done_millionths: self.gap_done_millionths,
        }
    }

    fn queue(&self, at: Instant, oldest: Option<Span>) -> QueueSnapshot {
        let rule = match self.overflow {
            OverflowPolicy::Reject | OverflowPolicy::Block => LossRule::Rejected,
            OverflowPolicy::DropNew => LossRule::DroppedNew,
            OverflowPolicy::DropOldest => LossRule::DroppedOldest,
        };
        let recent = 0..self.lost.min(3);
        let loss = |back: u64| Loss { at: at - Span::from_millis(80 + back * 400), number: 300 - back, rule };
        QueueSnapshot {
            name: "queue".to_owned(),
            waiting: self.waiting,
            bound: self.bound,
            overflow: self.overflow,
            oldest_age: if self.waiting == 0 { None } else { oldest },
            newcomer_wait: None,
            first_in_line: Vec::new(),
            recent_losses: recent.rev().map(loss).collect(),
        }
    }

    fn consumers(&self, at: Instant) -> ConsumersSnapshot {
        let one = |index: usize| ConsumerSnapshot {
            work: (index < self.busy).then(|| WorkSnapshot {
                number: 250 + index as u64,
                done_millionths: u32::try_from((index * 290_000 + 140_000) % 1_000_000).unwrap_or(0),
                finishes_in: None,
                attempt: if index == 0 { self.poison_in_hand.max(1) } else { 1 },
                is_poison: index == 0 && self.poison_in_hand > 0,
            }),
            is_stopping: index + self.stopping >= self.consumers,
            health: self.health.get(index).copied().unwrap_or_default(),
        };
        let gap = 1_000 / (self.consumer_rate * self.consumers as u64).max(1);
        let finish =
            |back: u64| Finish { at: at - Span::from_millis(30 + back * gap), number: self.done - back };
        ConsumersSnapshot {
            name: "consumers".to_owned(),
            rate_each: Rate::from_per_second(self.consumer_rate),
            count: self.consumers as u64,
            service_time: ServiceTime::Fixed,
            each: (0..self.consumers).map(one).collect(),
            of_further_pools: Vec::new(),
            members: self.consumers as u64,
            utilisation_recent_millionths: 1_000_000,
            recent_finishes: (0..self.done.min(8)).rev().map(finish).collect(),
        }
    }

    fn flow(&self) -> Flow {
        let seconds = (self.at_millis / 1_000).min(10);
        let capacity = self.consumer_rate * self.busy as u64;
        let lost = if self.lost > 0 { 2 * seconds } else { 0 };
        let is_silent = self.overflow != OverflowPolicy::Reject;
        Flow {
            window: Span::from_seconds(seconds),
            offered: self.producer_rate * seconds,
            accepted: self.producer_rate * seconds - lost.min(self.producer_rate * seconds),
            done: capacity * seconds,
            flawed: 0,
            rejected: if is_silent { 0 } else { lost },
            dropped: if is_silent { lost } else { 0 },
            waiting_change: 0,
        }
    }

    fn outlook(&self, in_flight: u64) -> Outlook {
        let consumer_rate = Rate::from_per_second(self.consumer_rate);
        Outlook::of(&OutlookInput {
            arrivals: Rate::from_per_second(self.producer_rate),
            capacity: consumer_rate.times(self.consumers as u64),
            waiting: self.waiting,
            held_back: self.held_back,
            in_flight,
            bound: self.bound,
            memory: 4_000_000,
        })
    }

    /// One bucket for each second so far: the line grows evenly from the eighth second on.
    pub fn buckets(&self) -> Vec<Bucket> {
        let seconds = self.at_millis / 1_000;
        let value_at = |second: u64| {
            let grown = second.saturating_sub(8);
            self.waiting * grown / seconds.saturating_sub(8).max(1)
        };
        let bucket = |second: u64| {
            let (before, after) = (value_at(second), value_at(second + 1));
            let age = |waiting: u64| waiting * 1_000_000 / self.producer_rate.max(1);
            Bucket {
                start: Instant::from_seconds(second),
                waiting: Extent { min: before, max: after, last: after },
                oldest_age_micros: Extent { min: age(before), max: age(after), last: age(after) },
                lost_total: self.lost * (second + 1).saturating_sub(30) / seconds.saturating_sub(30).max(1),
                ..Bucket::default()
            }
        };
        (0..seconds).map(bucket).collect()
    }

    /// The words for it in a picture that is `width_css` wide.
    pub fn labels(&self, width_css: f64) -> SceneLabels {
        let snapshot = self.snapshot();
        let bound = match self.bound {
            Bound::Messages(bound) => format!(" of {}", grouped(bound)),
            Bound::None => String::new(),
        };
        let oldest = snapshot.queue.oldest_age.map(|age| format!(" · oldest {}", seconds(age)));
        let lost = |count: u64| if count == 0 { String::new() } else { format!("dropped {count}") };
        let ledger = snapshot.ledger;
        SceneLabels {
            producer_name: "Producer".to_owned(),
            producer_rate: format!("{} a second", grouped(self.producer_rate)),
            producer_line: format!("Producer · {} a second", grouped(self.producer_rate)),
            blocked: self.blocked_by.map(|_| "must wait".to_owned()).unwrap_or_default(),
            waiting: format!("{} waiting", grouped(self.waiting)),
            waiting_detail: format!("{bound}{}", oldest.unwrap_or_default()),
            waiting_detail_short: bound,
            growth: growth(&snapshot),
            consumers: format!("{} consumer{}", self.consumers, if self.consumers == 1 { "" } else { "s" }),
            done: format!("done {}", grouped(self.done)),
            next: "next".to_owned(),
            lost_at_entrance: lost(ledger.rejected + ledger.dropped_new),
            lost_at_head: lost(ledger.dropped_oldest),
            broker_trouble: "memory alarm".to_owned(),
            dead_letters: self.dead_letters.map_or_else(String::new, |count| format!("{count} dead letters")),
            after_attempts: self.dead_letters.map_or_else(String::new, |_| "after 3 attempts".to_owned()),
            database: self.database.map_or_else(String::new, |rate| format!("database {rate}/s")),
            scale_top: scale_top(&snapshot, width_css).map(grouped).unwrap_or_default(),
        }
    }
}

fn growth(snapshot: &Snapshot) -> String {
    let thousandths = snapshot.outlook.growth_thousandths_per_second.unsigned_abs();
    let rate = grouped(thousandths / 1_000);
    match snapshot.outlook.next {
        NextEvent::Level => String::new(),
        NextEvent::StaysFull | NextEvent::StaysOutOfMemory => "full".to_owned(),
        NextEvent::FullIn(_) | NextEvent::OutOfMemoryIn(_) => format!("growing {rate} a second"),
        NextEvent::EmptyIn(_) => format!("draining {rate} a second"),
    }
}

fn seconds(span: Span) -> String {
    format!("{}.{} s", span.micros() / 1_000_000, span.micros() % 1_000_000 / 100_000)
}

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
