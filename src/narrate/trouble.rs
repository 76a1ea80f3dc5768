//! What is said of a queue in which something was broken: what is wrong, the worst first.

use super::facts::Facts;
use super::remark::{Remark, Tone};
use crate::model::rate::Rate;
use crate::model::settings::SendPath;
use crate::model::snapshot::{BrokerState, ConsumerHealth, ConsumerSnapshot};
use crate::model::time::Span;

/// What is wrong, and how many wait meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The broker is down, or is failing over and up again after so long.
    NoBroker {
        /// When it is up again, if that is settled.
        up_in: Option<Span>,
        /// Messages in the hands of producers that must wait.
        held_back: u64,
    },
    /// No consumer of the first queue takes anything.
    NobodyTakes {
        /// Why.
        why: Idleness,
        /// How many consumers there are.
        consumers: u64,
        /// Messages waiting in queues.
        waiting: u64,
    },
    /// Consumers are at messages that fail every time.
    PoisonKeeps {
        /// How many.
        busy: u64,
        /// How many consumers there are.
        consumers: u64,
        /// The number of the attempt, of the message that was tried most often.
        attempt: u64,
        /// What arrives.
        arrivals: Rate,
        /// What the other consumers can finish; `None` where their rates do not tell.
        left: Option<Rate>,
        /// Messages waiting in queues.
        waiting: u64,
    },
    /// Some consumers do not work, others do.
    SomeMissing {
        /// How many do not.
        missing: u64,
        /// How many consumers there are.
        consumers: u64,
        /// Messages waiting in queues.
        waiting: u64,
    },
    /// What the consumers share is slower than they are.
    SlowDatabase {
        /// What the consumers could finish.
        capacity: Rate,
        /// What it answers.
        rate: Rate,
        /// Messages waiting in queues.
        waiting: u64,
    },
    /// Messages were set aside.
    DeadLetters {
        /// How many.
        count: u64,
        /// How long the oldest has been there.
        oldest: Span,
        /// Messages waiting in queues.
        waiting: u64,
    },
}

/// Why nobody takes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idleness {
    /// They were told to stop.
    Stopped,
    /// All have crashed.
    Crashed,
    /// All hang.
    Hung,
    /// Some this and some that, or they are starting.
    Mixed,
}

impl Trouble {
    /// The worst of what is wrong, if anything is; nothing of runs with topics or direct calls.
    pub(super) fn of(facts: &Facts<'_>) -> Option<Remark> {
        let network = &facts.snapshot.network;
        let is_queue =
            network.topics.is_empty() && network.producers.iter().all(|one| one.path == SendPath::Queue);
        if !is_queue {
            return None;
        }
        let trouble = no_broker(facts)
            .or_else(|| nobody_takes(facts))
            .or_else(|| poison_keeps(facts))
            .or_else(|| some_missing(facts))
            .or_else(|| slow_database(facts))
            .or_else(|| dead_letters(facts))?;
        Some(Remark::Trouble(trouble))
    }

    /// The name of its kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NoBroker { .. } => "no-broker",
            Self::NobodyTakes { .. } => "nobody-takes",
            Self::PoisonKeeps { .. } => "poison-keeps",
            Self::SomeMissing { .. } => "some-missing",
            Self::SlowDatabase { .. } => "slow-database",
            Self::DeadLetters { .. } => "dead-letters",
        }
    }

    /// How it feels.
    #[must_use]
    pub const fn tone(&self) -> Tone {
        match self {
            Self::NoBroker { .. } | Self::NobodyTakes { .. } => Tone::Alarm,
            _ => Tone::Warning,
        }
    }
}

fn no_broker(facts: &Facts<'_>) -> Option<Trouble> {
    let up_in = match facts.snapshot.broker.state {
        BrokerState::Up => return None,
        BrokerState::Down => None,
        BrokerState::FailingOver(up_in) => Some(up_in),
    };
    Some(Trouble::NoBroker { up_in, held_back: facts.snapshot.ledger.held_back })
}

fn nobody_takes(facts: &Facts<'_>) -> Option<Trouble> {
    // Where several pools take messages, another may.
    if facts.snapshot.network.pools.len() > 1 {
        return None;
    }
    let each = &facts.snapshot.consumers.each;
    let is_stopped = facts.snapshot.network.pools.first().is_some_and(|pool| pool.is_stopped);
    if each.is_empty() || !is_stopped && each.iter().any(is_up) {
        return None;
    }
    let all = |among: &[ConsumerHealth]| each.iter().all(|one| among.contains(&one.health));
    let why = match () {
        () if is_stopped => Idleness::Stopped,
        () if all(&[ConsumerHealth::Crashed, ConsumerHealth::CrashLoop]) => Idleness::Crashed,
        () if all(&[ConsumerHealth::Hung]) => Idleness::Hung,
        () => Idleness::Mixed,
    };
    Some(Trouble::NobodyTakes { why, consumers: each.len() as u64, waiting: facts.snapshot.ledger.waiting })
}

fn is_up(consumer: &ConsumerSnapshot) -> bool {
    consumer.health == ConsumerHealth::Up
}

fn poison_keeps(facts: &Facts<'_>) -> Option<Trouble> {
    let consumers = &facts.snapshot.consumers;
    let working = consumers.each.iter().filter(|one| is_up(one)).filter_map(|one| one.work);
    let at_poison = working.filter(|work| work.is_poison);
    let attempts: Vec<u64> = at_poison.map(|work| u64::from(work.attempt)).collect();
    let attempt = attempts.iter().copied().max()?;
    let (busy, all) = (attempts.len() as u64, consumers.each.len() as u64);
    let are_all_up = consumers.each.iter().all(|one| is_up(one) && !one.is_stopping);
    let tells = are_all_up && facts.snapshot.network.downstream.is_none();
    let left = tells.then(|| consumers.rate_each.times(all.saturating_sub(busy)));
    let arrivals = facts.pace.arrivals;
    let waiting = facts.snapshot.ledger.waiting;
    Some(Trouble::PoisonKeeps { busy, consumers: all, attempt, arrivals, left, waiting })
}

fn some_missing(facts: &Facts<'_>) -> Option<Trouble> {
    let each = &facts.snapshot.consumers.each;
    let missing = each.iter().filter(|one| !is_up(one)).count() as u64;
    let waiting = facts.snapshot.ledger.waiting;
    (missing > 0).then_some(Trouble::SomeMissing { missing, consumers: each.len() as u64, waiting })
}

fn slow_database(facts: &Facts<'_>) -> Option<Trouble> {
    let rate = facts.snapshot.network.downstream?.rate?;
    let capacity = facts.pace.capacity;
    let waiting = facts.snapshot.ledger.waiting;
    (rate < capacity).then_some(Trouble::SlowDatabase { capacity, rate, waiting })
}

fn dead_letters(facts: &Facts<'_>) -> Option<Trouble> {
    let count = facts.snapshot.ledger.dead_letters;
    let oldest = facts.snapshot.network.queues.last()?.oldest_age.filter(|_| count > 0)?;
    Some(Trouble::DeadLetters { count, oldest, waiting: facts.snapshot.ledger.waiting })
}
