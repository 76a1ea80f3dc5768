//! Whether what is said to be wrong is so, told from the simulation's parts and from its future.

use queue_lab::model::ledger::Ledger;
use queue_lab::model::rate::Rate;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::{BrokerState, ConsumerHealth, Snapshot};
use queue_lab::model::time::Span;
use queue_lab::narrate::trouble::{Idleness, Trouble};

use super::forward::{Future, ensure};

/// How far ahead is looked.
const AHEAD: Span = Span::from_seconds(20);

/// Whether `trouble` is true of `snapshot`, which is of `simulation`.
pub fn check(trouble: &Trouble, snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let case = Case { snapshot, simulation };
    match *trouble {
        Trouble::NoBroker { up_in, held_back } => case.no_broker(up_in, held_back),
        Trouble::NobodyTakes { why, consumers, waiting } => {
            case.waiting(waiting)?;
            case.nobody_takes(why, consumers)
        }
        Trouble::PoisonKeeps { busy, consumers, attempt, arrivals, left, waiting } => {
            case.waiting(waiting)?;
            case.rates(arrivals, left, consumers.saturating_sub(busy))?;
            case.poison_keeps(busy, consumers, attempt)
        }
        Trouble::SomeMissing { missing, consumers, waiting } => {
            case.waiting(waiting)?;
            case.some_missing(missing, consumers)
        }
        Trouble::SlowDatabase { capacity, rate, waiting } => {
            case.waiting(waiting)?;
            case.slow_database(capacity, rate)
        }
        Trouble::DeadLetters { count, oldest, waiting } => {
            case.waiting(waiting)?;
            case.dead_letters(count, oldest)
        }
    }
}

struct Case<'a> {
    snapshot: &'a Snapshot,
    simulation: &'a Simulation,
}

impl Case<'_> {
    /// Counted queue by queue; the last one holds the dead letters.
    fn waiting(&self, said: u64) -> Result<(), String> {
        let queues = self.simulation.broker().queues();
        let last = queues.len() - 1;
        let counted: u64 = queues.take(last).map(|queue| queue.ready().len()).sum();
        ensure(counted == said, || format!("{counted} wait"))
    }

    /// It is down as long as is said, nothing is handed out meanwhile, and nothing gets in.
    fn no_broker(&self, up_in: Option<Span>, held_back: u64) -> Result<(), String> {
        let state = self.simulation.broker_state();
        let expected = up_in.map_or(BrokerState::Down, BrokerState::FailingOver);
        ensure(state == expected && state != BrokerState::Up, || format!("{state:?}"))?;
        let counted: u64 = self.snapshot.network.producers.iter().map(|producer| producer.held_back).sum();
        ensure(counted == held_back, || format!("{counted} are held back"))?;
        let before = self.handed_over(self.simulation);
        let span = up_in.map_or(AHEAD, |up_in| Span::from_micros(up_in.micros().saturating_sub(1)));
        let mut future = Future::of(self.simulation);
        future.pass(span);
        ensure(self.handed_over(&future.0) == before, || "something moves".to_owned())
    }

    fn handed_over(&self, simulation: &Simulation) -> u64 {
        simulation.broker().queues().map(|queue| queue.counts().deliveries).sum()
    }

    /// It finishes nothing more than what those have in hand who finish it.
    fn nobody_takes(&self, why: Idleness, consumers: u64) -> Result<(), String> {
        let each = &self.snapshot.consumers.each;
        ensure(self.snapshot.broker.state == BrokerState::Up, || "the broker is not up".to_owned())?;
        ensure(each.len() as u64 == consumers, || format!("{} consumers", each.len()))?;
        let are_all = |is_so: fn(ConsumerHealth) -> bool| each.iter().all(|one| is_so(one.health));
        let is_so = match why {
            Idleness::Stopped => self.snapshot.network.pools.first().is_some_and(|pool| pool.is_stopped),
            Idleness::Crashed => {
                are_all(|one| matches!(one, ConsumerHealth::Crashed | ConsumerHealth::CrashLoop))
            }
            Idleness::Hung => are_all(|one| one == ConsumerHealth::Hung),
            Idleness::Mixed => are_all(|one| one != ConsumerHealth::Up),
        };
        ensure(is_so, || format!("{each:?}"))?;
        if why == Idleness::Stopped {
            let before = self.handed_over(self.simulation);
            let mut future = Future::of(self.simulation);
            future.pass(AHEAD);
            return ensure(self.handed_over(&future.0) == before, || "they take more".to_owned());
        }
        Ok(())
    }

    fn rates(&self, arrivals: Rate, left: Option<Rate>, others: u64) -> Result<(), String> {
        let each = self.snapshot.consumers.rate_each.thousandths();
        let is_so = arrivals == self.snapshot.producer.rate
            && left.is_none_or(|left| left.thousandths() == each * others);
        ensure(is_so, || "the rates are others".to_owned())
    }

    /// Those messages are not finished, however long they are tried as things stand.
    fn poison_keeps(&self, busy: u64, consumers: u64, attempt: u64) -> Result<(), String> {
        let each = &self.snapshot.consumers.each;
        ensure(each.len() as u64 == consumers, || format!("{} consumers", each.len()))?;
        let at_poison = each.iter().filter(|one| one.health == ConsumerHealth::Up);
        let at_poison: Vec<_> = at_poison.filter_map(|one| one.work.filter(|work| work.is_poison)).collect();
        let most = at_poison.iter().map(|work| u64::from(work.attempt)).max();
        ensure(at_poison.len() as u64 == busy && most == Some(attempt), || format!("{at_poison:?}"))?;
        let before = self.simulation.totals().failed_attempts;
        let mut future = Future::of(self.simulation);
        let mut finished = Vec::new();
        for _ in 0..40 {
            future.pass(Span::from_millis(250));
            finished.extend(future.0.snapshot().consumers.recent_finishes);
        }
        let now = self.snapshot.at;
        let is_done = |number: u64| finished.iter().any(|finish| finish.number == number && finish.at > now);
        ensure(!at_poison.iter().any(|work| is_done(work.number)), || "one is finished".to_owned())?;
        let can_end =
            at_poison.iter().any(|work| work.finishes_in.is_some_and(|span| span < Span::from_seconds(9)));
        let is_free = self.simulation.downstream().is_none() && self.snapshot.network.queues.len() == 2;
        let fails = future.0.totals().failed_attempts > before;
        ensure(fails || !can_end || !is_free, || "no attempt fails".to_owned())
    }

    fn some_missing(&self, missing: u64, consumers: u64) -> Result<(), String> {
        let each = &self.snapshot.consumers.each;
        let up = each.iter().filter(|one| one.health == ConsumerHealth::Up).count() as u64;
        let is_so = each.len() as u64 == consumers && up + missing == consumers && missing > 0 && up > 0;
        ensure(is_so, || format!("{up} of {} are up", each.len()))
    }

    /// It answers no more than that.
    fn slow_database(&self, capacity: Rate, rate: Rate) -> Result<(), String> {
        let settings = self.simulation.settings();
        ensure(settings.downstream_rate == Some(rate), || format!("{:?}", settings.downstream_rate))?;
        let consumers = &self.snapshot.consumers;
        let could = consumers.rate_each.thousandths() * consumers.count;
        ensure(capacity.thousandths() == could && rate < capacity, || format!("{could} thousandths"))?;
        let answered = |simulation: &Simulation| simulation.downstream().map_or(0, |one| one.answered());
        let before = answered(self.simulation);
        let mut future = Future::of(self.simulation);
        future.pass(AHEAD);
        let more = answered(&future.0) - before;
        let most = rate.thousandths() * AHEAD.micros() / 1_000_000_000 + 1;
        ensure(more <= most, || format!("it answers {more}"))
    }

    fn dead_letters(&self, count: u64, oldest: Span) -> Result<(), String> {
        let Some(queue) = self.simulation.broker().queues().last() else {
            return Err("there is no queue for them".to_owned());
        };
        let accepted = queue.ready().iter().map(|message| message.accepted_at).min();
        let age = accepted.map(|at| self.snapshot.at.since(at));
        ensure(queue.ready().len() == count && count > 0, || format!("{} lie there", queue.ready().len()))?;
        ensure(age == Some(oldest), || format!("the oldest has lain there for {age:?}"))?;
        ensure(self.simulation.ledger() == Ledger { dead_letters: count, ..self.simulation.ledger() }, || {
            "the ledger has another number".to_owned()
        })
    }
}
