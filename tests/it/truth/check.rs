//! A checker for each kind of remark.

use queue_lab::model::ledger::Ledger;
use queue_lab::model::series::{Bucket, Resolution};
use queue_lab::model::settings::OverflowPolicy;
use queue_lab::model::simulation::Simulation;
use queue_lab::model::snapshot::{BlockedBy, Snapshot};
use queue_lab::model::time::{Instant, Span};
use queue_lab::narrate::remark::{Counts, Estimate, Evenness, Limit, Pace, Remark, Then};

use super::advice;
use super::forward::{Dials, Future, Missed, ensure};
use super::second_line;
use super::trouble;

/// How long a steady state is watched: so many messages at the faster rate.
const WATCHED: u64 = 120;

/// Whether `remark` is true of `snapshot`, which is of `simulation`.
pub fn check(remark: &Remark, snapshot: &Snapshot, simulation: &Simulation) -> Result<(), String> {
    let case = Case { snapshot, simulation, dials: Dials::of(snapshot) };
    let checked = match *remark {
        Remark::AtRest { pace, then, .. } => case.pace(&pace).and_then(|()| case.at_rest(then)),
        Remark::NotStarted { .. } => case.nothing_happened(),
        Remark::Counts(counts) => case.counts(&counts),
        Remark::Trouble(trouble) => trouble::check(&trouble, snapshot, simulation),
        Remark::Idle { is_working } => case.idle(is_working),
        Remark::Stopped { waiting, in_flight } => case.stopped(waiting, in_flight),
        Remark::Matched { pace } => case.pace(&pace).and_then(|()| case.level(0, case.dials.consumers, 0)),
        Remark::LevelAndShort { pace } => {
            case.pace(&pace).and_then(|()| case.level(0, 2 * case.dials.consumers, case.dials.consumers))
        }
        Remark::LevelWithBacklog { pace, waiting, is_about } => {
            case.pace(&pace).and_then(|()| case.backlog(waiting, is_about))
        }
        Remark::Balanced { pace } => case.pace(&pace).and_then(|()| case.balanced()),
        Remark::WillFillIn { pace, full_in, overflow } => {
            case.pace(&pace).and_then(|()| case.will_fill(full_in, overflow))
        }
        Remark::GrowingWithoutBound { pace, out_of_memory_in } => {
            case.pace(&pace).and_then(|()| case.will_run_out_of_memory(out_of_memory_in, false))
        }
        Remark::WillRunOutOfMemory { pace, out_of_memory_in } => {
            case.pace(&pace).and_then(|()| case.will_run_out_of_memory(out_of_memory_in, true))
        }
        Remark::Full { pace, overflow } => case.pace(&pace).and_then(|()| case.full(overflow)),
        Remark::NoRoom { overflow } => case.no_room(overflow),
        Remark::OverLimit { limit: Limit::Bound, overflow, clears_in } => {
            case.over_bound(overflow, clears_in)
        }
        Remark::OverLimit { limit: Limit::Memory, clears_in, .. } => case.over_memory(clears_in),
        Remark::HoveringAtBound { limit, overflow } => case.hovering(limit, overflow),
        Remark::HoldingBack { limit, clears_in, is_standing } => {
            case.holding_back(limit, clears_in, is_standing)
        }
        Remark::MemoryAlarm { pace, is_at_most } => case.memory_alarm(&pace, is_at_most),
        Remark::DrainingIn { pace, empty_in } => case.pace(&pace).and_then(|()| case.draining(empty_in)),
        Remark::KeepingUp { pace, busy_percent } => {
            case.pace(&pace).and_then(|()| case.keeping_up(busy_percent))
        }
        Remark::KeepingUpButWaiting { pace } => case.pace(&pace).and_then(|()| case.waiting()),
        Remark::Log(_) | Remark::LogNext(_) | Remark::Both(_) | Remark::BothNext(_) => {
            Err("it is not about a queue alone".to_owned())
        }
        Remark::Next(next) => second_line::check(next, snapshot, simulation),
        Remark::Advice(advice) => advice::check(advice, snapshot, simulation),
    };
    checked.map_err(|why| format!("at {}: {remark:?} is not true: {why}", snapshot.at))
}

struct Case<'a> {
    snapshot: &'a Snapshot,
    simulation: &'a Simulation,
    dials: Dials,
}

impl Case<'_> {
    fn future(&self) -> Future {
        Future::of(self.simulation)
    }

    fn pace(&self, pace: &Pace) -> Result<(), String> {
        let dials = &self.dials;
        let evenness = match (dials.together > 1, dials.has_chance) {
            (true, _) => matches!(pace.evenness, Evenness::Bursts(size) if size == dials.together),
            (false, chance) => chance != (pace.evenness == Evenness::Even),
        };
        let numbers = (pace.arrivals.thousandths(), pace.capacity.thousandths(), pace.consumers);
        let is_so = evenness && numbers == (dials.arrivals, dials.capacity, dials.consumers);
        ensure(is_so, || "the dials are others".to_owned())
    }

    fn nothing_happened(&self) -> Result<(), String> {
        let ledger = self.simulation.ledger();
        let is_so = self.snapshot.at == Instant::START && ledger == Ledger::default();
        ensure(is_so, || format!("{ledger:?}"))
    }

    /// Counted queue by queue; the last one holds the dead letters.
    fn counts(&self, said: &Counts) -> Result<(), String> {
        let broker = self.simulation.broker();
        let last = broker.queues().len() - 1;
        let in_hand = self.simulation.totals().in_hand;
        let held_back = self.simulation.ledger().held_back;
        let mut counted = Counts { waiting: 0, in_flight: in_hand, delayed: 0, dead_letters: 0, held_back };
        for (index, queue) in broker.queues().enumerate() {
            let ready = queue.ready().len();
            *(if index == last { &mut counted.dead_letters } else { &mut counted.waiting }) += ready;
            counted.delayed += queue.delayed();
            counted.in_flight += queue.recount_in_flight();
        }
        ensure(counted == *said, || format!("counted: {counted:?}"))
    }

    fn at_rest(&self, then: Then) -> Result<(), String> {
        let dials = &self.dials;
        let has_begun = self.snapshot.at != Instant::START || self.snapshot.ledger.offered > 0;
        ensure(!has_begun, || "it has begun".to_owned())?;
        let grows = dials.arrivals > dials.capacity;
        match then {
            Then::NothingArrives => ensure(dials.arrivals == 0, || "something arrives".to_owned()),
            Then::Fills(Limit::Bound, time) => self.reaches_bound(time),
            Then::Fills(Limit::Memory, time) => self.reaches_memory(time),
            Then::GrowsOn => {
                ensure(grows && dials.bound.is_none_or(|bound| bound >= self.snapshot.broker.memory), || {
                    "it does not grow".to_owned()
                })
            }
            Then::StaysEmpty => {
                ensure(!grows && dials.arrivals == dials.capacity, || "not equal".to_owned())?;
                self.waits_at_most(0)
            }
            Then::KeepsUp => self.waits_at_most(0),
            Then::SomeWait => ensure(!grows && self.some_are_kept_waiting(), || "none need wait".to_owned()),
            Then::Wanders => {
                ensure(dials.arrivals == dials.capacity && dials.has_chance, || "no chance".to_owned())
            }
            Then::NoRoom => {
                let is_so = dials.bound == Some(0) && (grows || self.some_are_kept_waiting());
                ensure(is_so, || "there is room".to_owned())
            }
        }
    }

    /// By chance, or as it turns out.
    fn some_are_kept_waiting(&self) -> bool {
        let span = self.dials.span_of(WATCHED.max(4 * self.dials.together));
        let later = self.future().pass(span);
        let turned_away = later.held_back + later.refused_or_dropped();
        self.dials.has_chance || turned_away > 0 || self.future().waiting_within(span).1 > 0
    }

    fn waits_at_most(&self, most: u64) -> Result<(), String> {
        let (_, seen) = self.future().waiting_within(self.dials.span_of(WATCHED));
        ensure(seen <= most, || format!("{seen} wait later"))
    }

    fn idle(&self, is_working: bool) -> Result<(), String> {
        let ledger = self.snapshot.ledger;
        ensure(self.dials.arrivals == 0 && ledger.waiting + ledger.held_back == 0, || format!("{ledger:?}"))?;
        ensure(is_working == (ledger.in_flight > 0), || format!("{} in flight", ledger.in_flight))?;
        let later = self.future().pass(Span::from_seconds(60));
        ensure(later.offered == ledger.offered, || "something arrives".to_owned())
    }

    fn stopped(&self, waiting: u64, in_flight: u64) -> Result<(), String> {
        let ledger = self.snapshot.ledger;
        ensure((waiting, in_flight) == (ledger.waiting, ledger.in_flight), || format!("{ledger:?}"))?;
        let later = self.future().pass(Span::from_seconds(60));
        ensure(later == ledger, || format!("{later:?} a minute later"))
    }

    fn level(&self, least: u64, most: u64, now_most: u64) -> Result<(), String> {
        ensure(self.dials.arrivals == self.dials.capacity && self.dials.is_even(), || {
            "not level".to_owned()
        })?;
        let waiting = self.snapshot.queue.waiting;
        ensure(waiting <= now_most, || format!("{waiting} wait"))?;
        let (low, high) = self.future().waiting_within(self.dials.span_of(WATCHED));
        ensure(low >= least && high <= most, || format!("{low} to {high} wait later"))
    }

    fn backlog(&self, said: u64, is_about: bool) -> Result<(), String> {
        let dials = &self.dials;
        ensure(dials.arrivals == dials.capacity && !dials.has_chance, || "not level".to_owned())?;
        let waiting = self.snapshot.queue.waiting;
        ensure(is_about || waiting == said, || format!("{waiting} wait"))?;
        let (low, high) = self.future().waiting_within(dials.span_of(WATCHED));
        let stray = 2 * dials.lump();
        ensure(low + stray >= said && high <= said + stray, || format!("{low} to {high} wait later"))
    }

    fn balanced(&self) -> Result<(), String> {
        ensure(self.dials.arrivals == self.dials.capacity && self.dials.has_chance, || "no chance".to_owned())
    }

    fn will_fill(&self, full_in: Option<Estimate>, overflow: OverflowPolicy) -> Result<(), String> {
        ensure(self.snapshot.queue.overflow == overflow, || "another policy".to_owned())?;
        self.reaches_bound(full_in)
    }

    fn reaches_bound(&self, full_in: Option<Estimate>) -> Result<(), String> {
        ensure(self.dials.arrivals > self.dials.capacity, || "it does not grow".to_owned())?;
        let Some(bound) = self.dials.bound else { return Err("there is no bound".to_owned()) };
        ensure(self.snapshot.queue.waiting <= bound, || "it is past the bound".to_owned())?;
        self.comes(full_in, |simulation| simulation.ledger().waiting >= bound)
    }

    fn will_run_out_of_memory(&self, time: Option<Estimate>, has_bound: bool) -> Result<(), String> {
        ensure(self.dials.arrivals > self.dials.capacity, || "it does not grow".to_owned())?;
        ensure(self.dials.bound.is_some() == has_bound, || "the bound is another".to_owned())?;
        self.reaches_memory(time)
    }

    fn reaches_memory(&self, time: Option<Estimate>) -> Result<(), String> {
        let memory = self.snapshot.broker.memory;
        self.comes(time, |simulation| {
            let ledger = simulation.ledger();
            ledger.waiting + ledger.in_flight >= memory
        })
    }

    /// Whether `is_there` first comes when it is said to: within 5 % or a second, or, where the
    /// sentence says "about", within what lumps and chance make of it.
    fn comes(&self, said: Option<Estimate>, is_there: impl Fn(&Simulation) -> bool) -> Result<(), String> {
        let Some(said) = said else { return Ok(()) };
        let (least, most) = allowed(said, &self.dials);
        match self.future().first(most, is_there) {
            Ok(span) => ensure(span >= least, || format!("it came after {span} s")),
            Err(Missed::Never) => Err(format!("it did not come within {most} s")),
            Err(Missed::TooCostly) => Ok(()),
        }
    }

    fn full(&self, overflow: OverflowPolicy) -> Result<(), String> {
        let dials = &self.dials;
        ensure(self.snapshot.queue.overflow == overflow, || "another policy".to_owned())?;
        ensure(dials.arrivals > dials.capacity, || "it need not stay full".to_owned())?;
        let (waiting, bound) = (self.snapshot.queue.waiting, dials.bound.unwrap_or(u64::MAX));
        ensure(!dials.is_even() || waiting + dials.consumers >= bound, || format!("{waiting} wait"))?;
        // Several bursts, or long enough for the surplus to show.
        let span = dials.span_of(WATCHED.max(4 * dials.together));
        self.loses_the_surplus(overflow, span, bound)
    }

    fn loses_the_surplus(&self, overflow: OverflowPolicy, span: Span, bound: u64) -> Result<(), String> {
        let dials = &self.dials;
        let before = self.simulation.ledger();
        let after = self.future().pass(span);
        let surplus = Dials::count_in(dials.arrivals - dials.capacity, span);
        let stray = 2 * dials.lump() + dials.chance_in(span) + 2;
        if overflow == OverflowPolicy::Block {
            let taken = after.accepted() - before.accepted();
            let could = Dials::count_in(dials.capacity, span);
            let is_so = taken <= could + stray + if dials.is_even() { 0 } else { bound };
            return ensure(is_so && (!dials.is_even() || taken + stray >= could), || {
                format!("{taken} got in")
            });
        }
        let lost = after.refused_or_dropped() - before.refused_or_dropped();
        let by_rule = match overflow {
            OverflowPolicy::Block => 0,
            OverflowPolicy::Reject => after.rejected - before.rejected,
            OverflowPolicy::DropNew => after.dropped_new - before.dropped_new,
            OverflowPolicy::DropOldest => after.dropped_oldest - before.dropped_oldest,
        };
        ensure(lost == by_rule, || format!("{lost} lost, {by_rule} by this rule"))?;
        let room = if dials.is_even() { 0 } else { bound };
        let is_so = lost + stray + room >= surplus && (!dials.is_even() || lost <= surplus + stray);
        ensure(is_so, || format!("{lost} lost in {span} s"))
    }

    fn no_room(&self, overflow: OverflowPolicy) -> Result<(), String> {
        let queue = &self.snapshot.queue;
        let is_so = self.dials.bound == Some(0) && queue.overflow == overflow && queue.waiting == 0;
        ensure(is_so, || format!("{} wait", queue.waiting))
    }

    fn over_bound(&self, overflow: OverflowPolicy, clears_in: Option<Estimate>) -> Result<(), String> {
        ensure(self.snapshot.queue.overflow == overflow, || "another policy".to_owned())?;
        let bound = self.dials.bound.unwrap_or(u64::MAX);
        ensure(self.snapshot.queue.waiting > bound, || "it is within its bound".to_owned())?;
        self.comes(clears_in, |simulation| simulation.ledger().waiting <= bound)
    }

    fn over_memory(&self, clears_in: Option<Estimate>) -> Result<(), String> {
        let broker = &self.snapshot.broker;
        ensure(broker.held > broker.memory, || format!("it holds {}", broker.held))?;
        let accepted = self.simulation.ledger().accepted();
        let is_over = |simulation: &Simulation| {
            let ledger = simulation.ledger();
            ledger.waiting + ledger.in_flight <= broker.memory || ledger.accepted() > accepted
        };
        self.comes(clears_in, is_over)
    }

    fn hovering(&self, limit: Limit, overflow: OverflowPolicy) -> Result<(), String> {
        let dials = &self.dials;
        ensure(dials.arrivals <= dials.capacity, || "they do not keep up".to_owned())?;
        ensure(self.snapshot.queue.overflow == overflow, || "another policy".to_owned())?;
        let Some(bound) = dials.bound.filter(|_| limit == Limit::Bound) else {
            return Ok(());
        };
        // The series remember each second's peak and losses.
        let was_full = |second: &Bucket| second.waiting.max >= bound || second.rejected + second.dropped > 0;
        let mut seconds = self.simulation.series().finished(Resolution::Second);
        let is_so = seconds.any(was_full) || was_full(&self.simulation.forming_second());
        ensure(is_so, || "the line was never full".to_owned())
    }

    fn holding_back(
        &self,
        limit: Limit,
        clears_in: Option<Estimate>,
        is_standing: bool,
    ) -> Result<(), String> {
        let blocked_by = match limit {
            Limit::Bound => BlockedBy::Bound,
            Limit::Memory => BlockedBy::MemoryAlarm,
        };
        let producer = &self.snapshot.producer;
        ensure(producer.blocked_by == Some(blocked_by), || format!("{:?}", producer.blocked_by))?;
        ensure(producer.held_back > 0, || "it holds nothing".to_owned())?;
        ensure(is_standing == (self.dials.capacity == 0), || "they move".to_owned())?;
        self.comes(clears_in, |simulation| simulation.ledger().held_back == 0)
    }

    fn memory_alarm(&self, pace: &Pace, is_at_most: bool) -> Result<(), String> {
        let (dials, broker) = (&self.dials, &self.snapshot.broker);
        let capacity = dials.each * dials.consumers.min(broker.memory);
        ensure(pace.capacity.thousandths() == capacity, || "it can finish another number".to_owned())?;
        ensure(dials.arrivals > capacity, || "the memory need not stay full".to_owned())?;
        let is_near = broker.held + 2 * dials.lump() >= broker.memory || !dials.is_even();
        ensure(is_near, || format!("it holds {}", broker.held))?;
        let span = dials.span_of(WATCHED);
        let before = self.simulation.ledger();
        let taken = self.future().pass(span).accepted() - before.accepted();
        let could = Dials::count_in(capacity, span);
        let stray = 2 * dials.lump() + 2;
        let room = dials.chance_in(span) + if is_at_most { broker.memory } else { 0 };
        ensure(taken <= could + stray + room && (is_at_most || taken + stray >= could), || {
            format!("{taken} got in")
        })
    }

    fn draining(&self, empty_in: Option<Estimate>) -> Result<(), String> {
        let dials = &self.dials;
        ensure(dials.arrivals < dials.capacity && self.snapshot.queue.waiting > 0, || "no line".to_owned())?;
        if dials.is_even() {
            let later = self.future().pass(dials.span_of(WATCHED)).waiting;
            let most = self.snapshot.queue.waiting + dials.consumers;
            ensure(later <= most, || format!("{later} wait later"))?;
        }
        self.comes(empty_in, |simulation| simulation.ledger().waiting == 0)
    }

    fn keeping_up(&self, busy_percent: u64) -> Result<(), String> {
        let dials = &self.dials;
        if !dials.is_even() {
            let is_so = dials.arrivals <= dials.capacity && self.snapshot.queue.waiting == 0;
            return ensure(is_so, || "something waits".to_owned());
        }
        ensure(dials.arrivals < dials.capacity, || "they do not".to_owned())?;
        self.waits_at_most(3 * dials.consumers)?;
        let mut future = self.future();
        // What went on before must be over.
        future.pass(dials.span_of(20 * dials.consumers));
        let before = future.0.areas().1;
        let span = Dials { capacity: dials.arrivals, ..Dials::of(self.snapshot) }.span_of(400);
        future.pass(span);
        let busy = (future.0.areas().1 - before) * 100;
        let all = u128::from(dials.consumers) * u128::from(span.micros());
        let percent = u64::try_from((busy + all / 2) / all).unwrap_or(u64::MAX);
        ensure(percent.abs_diff(busy_percent) <= 2, || format!("they are busy {percent} %"))
    }

    fn waiting(&self) -> Result<(), String> {
        let dials = &self.dials;
        ensure(dials.arrivals <= dials.capacity && !dials.is_even(), || "they need not wait".to_owned())?;
        let waited = self.snapshot.queue.waiting > 0 || self.snapshot.waiting_time_recent.max > Span::ZERO;
        ensure(waited || dials.together > dials.consumers, || "none waited".to_owned())
    }
}

/// What a sentence with this time allows. Exact: 5 % or a second. "About", with even pace: half.
/// "About", with chance: a quarter to four times, which is four standard deviations where the
/// spread is a third, the largest with which a time is said for the first time.
fn allowed(said: Estimate, dials: &Dials) -> (Span, Span) {
    let micros = said.span.micros();
    if !said.is_about {
        let stray = (micros / 20).max(1_000_000);
        return (Span::from_micros(micros.saturating_sub(stray)), Span::from_micros(micros + stray));
    }
    let one_round = dials.span_of(2 * dials.lump()).micros().max(1_000_000);
    let (least, most) =
        if dials.has_chance { (micros / 4, micros * 4) } else { (micros / 2, micros * 3 / 2) };
    (Span::from_micros(least.saturating_sub(one_round)), Span::from_micros(most + one_round))
}
