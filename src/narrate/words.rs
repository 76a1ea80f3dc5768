//! From facts to whole sentences.

use super::format::Numerals;
use super::locale::{Field, Locale};
use super::remark::{Advice, Estimate, Evenness, Limit, Next, Pace, Remark, Then};
use crate::model::settings::OverflowPolicy;

/// One whole sentence, or two that belong together: a key and its fields.
struct Line {
    key: &'static str,
    fields: Vec<(&'static str, Field<'static>)>,
}

/// `remark` in words.
#[must_use]
pub fn text(remark: &Remark, locale: &Locale, numerals: Numerals) -> String {
    let sentences = lines(remark).into_iter().map(|line| locale.fill(line.key, &line.fields, numerals));
    let joined = sentences.reduce(|first, second| {
        let fields = [("first", Field::Text(&first)), ("second", Field::Text(&second))];
        locale.fill("sentence.join", &fields, numerals)
    });
    joined.unwrap_or_default()
}

fn line(key: &'static str, fields: Vec<(&'static str, Field<'static>)>) -> Line {
    Line { key, fields }
}

fn paced(key: &'static str, pace: &Pace) -> Line {
    let fields = vec![
        ("arrivals", Field::Rate(pace.arrivals)),
        ("capacity", Field::Rate(pace.capacity)),
        ("consumers", Field::Count(pace.consumers)),
        ("burst", Field::Count(burst(pace))),
    ];
    line(key, fields)
}

const fn burst(pace: &Pace) -> u64 {
    match pace.evenness {
        Evenness::Bursts(size) => size,
        _ => 1,
    }
}

fn timed(key: &'static str, time: Estimate) -> Line {
    line(key, vec![("time", words_of(time))])
}

const fn words_of(time: Estimate) -> Field<'static> {
    if time.is_about { Field::About(time.span) } else { Field::Time(time.span) }
}

fn lines(remark: &Remark) -> Vec<Line> {
    match *remark {
        Remark::AtRest { pace, then, names_start } => at_rest(&pace, then, names_start),
        Remark::Idle { is_working: false } => vec![line("idle", vec![])],
        Remark::Idle { is_working: true } => vec![line("idle.working", vec![])],
        Remark::Stopped { waiting, in_flight } => {
            let fields = vec![("waiting", Field::Count(waiting)), ("in_flight", Field::Count(in_flight))];
            vec![line("stopped", fields)]
        }
        Remark::Matched { pace } => vec![paced("matched", &pace)],
        Remark::LevelAndShort { pace } => vec![paced("level.short", &pace)],
        Remark::LevelWithBacklog { pace, waiting, is_about } => vec![level(&pace, waiting, is_about)],
        Remark::Balanced { pace } => vec![paced("balanced", &pace)],
        Remark::WillFillIn { pace, full_in, overflow } => will_fill(&pace, full_in, overflow),
        Remark::GrowingWithoutBound { pace, out_of_memory_in } => {
            vec![grows(&pace), no_bound(out_of_memory_in)]
        }
        Remark::WillRunOutOfMemory { pace, out_of_memory_in } => {
            vec![grows(&pace), out_of_memory(out_of_memory_in)]
        }
        _ => lines_at_limit(remark),
    }
}

fn lines_at_limit(remark: &Remark) -> Vec<Line> {
    match *remark {
        Remark::Full { pace, overflow } => vec![full(&pace, overflow)],
        Remark::NoRoom { overflow } => vec![line(no_room(overflow), vec![])],
        Remark::OverLimit { limit, overflow, clears_in } => over_limit(limit, overflow, clears_in),
        Remark::HoveringAtBound { limit: Limit::Bound, overflow } => {
            vec![line("hovering.bound", vec![]), line(when_full(overflow), vec![])]
        }
        Remark::HoveringAtBound { limit: Limit::Memory, .. } => vec![line("hovering.memory", vec![])],
        Remark::HoldingBack { limit, clears_in, is_standing } => holding_back(limit, clears_in, is_standing),
        Remark::MemoryAlarm { pace, is_at_most } => vec![memory_alarm(&pace, is_at_most)],
        Remark::DrainingIn { pace, empty_in } => draining(&pace, empty_in),
        Remark::KeepingUp { pace, busy_percent } => keeping_up(&pace, busy_percent),
        Remark::KeepingUpButWaiting { pace } => vec![paced(keeping_up_but_waiting(pace.evenness), &pace)],
        Remark::Next(next) => vec![next_line(next)],
        Remark::Advice(advice) => vec![advice_line(advice)],
        _ => vec![],
    }
}

fn at_rest(pace: &Pace, then: Then, names_start: bool) -> Vec<Line> {
    if then == Then::NothingArrives {
        return vec![line("rest.nothing_arrives", vec![])];
    }
    let first = paced(if pace.is_even() { "rest.pace" } else { "rest.pace_average" }, pace);
    let second = match then {
        Then::NothingArrives => return vec![first],
        Then::Fills(Limit::Bound, Some(time)) if names_start => timed("rest.full.start", time),
        Then::Fills(Limit::Bound, Some(time)) => timed("rest.full", time),
        Then::Fills(Limit::Bound, None) => line("rest.full.some_time", vec![]),
        Then::Fills(Limit::Memory, Some(time)) if names_start => timed("rest.memory.start", time),
        Then::Fills(Limit::Memory, Some(time)) => timed("rest.memory", time),
        Then::Fills(Limit::Memory, None) | Then::GrowsOn => line("rest.grows", vec![]),
        Then::StaysEmpty => line("rest.level", vec![]),
        Then::KeepsUp => line("rest.keeps_up", vec![]),
        Then::SomeWait => line("rest.some_wait", vec![]),
        Then::Wanders => line("rest.wanders", vec![]),
        Then::NoRoom => line("rest.no_room", vec![]),
    };
    vec![first, second]
}

fn level(pace: &Pace, waiting: u64, is_about: bool) -> Line {
    let mut said = paced(if is_about { "level.about" } else { "level" }, pace);
    said.fields.push(("waiting", Field::Count(waiting)));
    said
}

fn grows(pace: &Pace) -> Line {
    paced(if pace.is_even() { "grows" } else { "grows.average" }, pace)
}

fn will_fill(pace: &Pace, full_in: Option<Estimate>, overflow: OverflowPolicy) -> Vec<Line> {
    let second = match full_in {
        Some(time) => timed(full_then(overflow), time),
        None => line(when_full(overflow), vec![]),
    };
    vec![grows(pace), second]
}

fn no_bound(out_of_memory_in: Option<Estimate>) -> Line {
    match out_of_memory_in {
        Some(time) => timed("no_bound.time", time),
        None => line("no_bound", vec![]),
    }
}

fn out_of_memory(out_of_memory_in: Option<Estimate>) -> Line {
    match out_of_memory_in {
        Some(time) => timed("memory_ahead.time", time),
        None => line("memory_ahead", vec![]),
    }
}

fn full(pace: &Pace, overflow: OverflowPolicy) -> Line {
    let surplus = pace.arrivals.thousandths().saturating_sub(pace.capacity.thousandths());
    let mut said = paced(full_now(overflow, pace.is_even()), pace);
    said.fields.push(("surplus", Field::Rate(crate::model::rate::Rate::from_thousandths(surplus))));
    said
}

fn over_limit(limit: Limit, overflow: OverflowPolicy, clears_in: Option<Estimate>) -> Vec<Line> {
    let until = match overflow {
        _ if limit == Limit::Memory => "over_memory",
        OverflowPolicy::Block => "over_bound.block",
        OverflowPolicy::Reject => "over_bound.reject",
        OverflowPolicy::DropNew => "over_bound.drop_new",
        OverflowPolicy::DropOldest => "over_bound.drop_oldest",
    };
    let mut said = vec![line(until, vec![])];
    said.extend(clears_in.map(|time| timed("over_limit.time", time)));
    said
}

fn holding_back(limit: Limit, clears_in: Option<Estimate>, is_standing: bool) -> Vec<Line> {
    let first = match limit {
        Limit::Bound => "holding_back.bound",
        Limit::Memory => "holding_back.memory",
    };
    let mut said = vec![line(first, vec![])];
    said.extend(clears_in.map(|time| timed("holding_back.time", time)));
    said.extend(is_standing.then(|| line("holding_back.stopped", vec![])));
    said
}

fn memory_alarm(pace: &Pace, is_at_most: bool) -> Line {
    paced(if is_at_most { "memory_alarm.at_most" } else { "memory_alarm" }, pace)
}

fn draining(pace: &Pace, empty_in: Option<Estimate>) -> Vec<Line> {
    let first = paced(if pace.is_even() { "shrinks" } else { "shrinks.average" }, pace);
    let mut said = vec![first];
    said.extend(empty_in.map(|time| timed("shrinks.time", time)));
    said
}

fn keeping_up(pace: &Pace, busy_percent: u64) -> Vec<Line> {
    let first = paced(if pace.is_even() { "keeping_up" } else { "keeping_up.average" }, pace);
    let mut second = paced("keeping_up.busy", pace);
    second.fields.push(("percent", Field::Count(busy_percent)));
    vec![first, second]
}

const fn keeping_up_but_waiting(evenness: Evenness) -> &'static str {
    match evenness {
        Evenness::Even | Evenness::RandomBoth => "waiting.both",
        Evenness::RandomArrivals => "waiting.arrivals",
        Evenness::RandomWork => "waiting.work",
        Evenness::Bursts(_) => "waiting.bursts",
    }
}

const fn full_then(overflow: OverflowPolicy) -> &'static str {
    match overflow {
        OverflowPolicy::Block => "full_then.block",
        OverflowPolicy::Reject => "full_then.reject",
        OverflowPolicy::DropNew => "full_then.drop_new",
        OverflowPolicy::DropOldest => "full_then.drop_oldest",
    }
}

const fn when_full(overflow: OverflowPolicy) -> &'static str {
    match overflow {
        OverflowPolicy::Block => "when_full.block",
        OverflowPolicy::Reject => "when_full.reject",
        OverflowPolicy::DropNew => "when_full.drop_new",
        OverflowPolicy::DropOldest => "when_full.drop_oldest",
    }
}

const fn no_room(overflow: OverflowPolicy) -> &'static str {
    match overflow {
        OverflowPolicy::Block => "no_room.block",
        OverflowPolicy::Reject => "no_room.reject",
        OverflowPolicy::DropNew | OverflowPolicy::DropOldest => "no_room.drop",
    }
}

const fn full_now(overflow: OverflowPolicy, is_even: bool) -> &'static str {
    match (overflow, is_even) {
        (OverflowPolicy::Block, true) => "full.block",
        (OverflowPolicy::Reject, true) => "full.reject",
        (OverflowPolicy::DropNew, true) => "full.drop_new",
        (OverflowPolicy::DropOldest, true) => "full.drop_oldest",
        (OverflowPolicy::Block, false) => "full_again.block",
        (OverflowPolicy::Reject, false) => "full_again.reject",
        (OverflowPolicy::DropNew, false) => "full_again.drop_new",
        (OverflowPolicy::DropOldest, false) => "full_again.drop_oldest",
    }
}

fn next_line(next: Next) -> Line {
    match next {
        Next::WhatAMessageIs => line("next.what_a_message_is", vec![]),
        Next::NewcomerWaits(time) => timed("next.newcomer", time),
        Next::EveryNewcomerWaits(time) => timed("next.every_newcomer", time),
        Next::OldestStillLate { oldest, newcomer } => {
            let fields = vec![("oldest", Field::Time(oldest)), ("newcomer", words_of(newcomer))];
            line("next.oldest_late", fields)
        }
        Next::OldestWaits(age) => line("next.oldest", vec![("time", Field::Time(age))]),
        Next::ShrinkingWhileFull { percent } => {
            line("next.well_filled", vec![("percent", Field::Count(percent))])
        }
        Next::LostLately { count, window, were_told } => {
            let key = if were_told { "next.refused" } else { "next.dropped" };
            line(key, vec![("count", Field::Count(count)), ("window", Field::Time(window))])
        }
        Next::SlowestWaited(span) => line("next.slowest", vec![("time", Field::About(span))]),
    }
}

fn advice_line(advice: Advice) -> Line {
    match advice {
        Advice::SlowProducerTo { capacity, is_full } => {
            let key = if is_full { "advice.slow_producer.full" } else { "advice.slow_producer" };
            line(key, vec![("capacity", Field::Rate(capacity))])
        }
        Advice::SlowProducerBelow(rate) => {
            line("advice.slow_producer_below", vec![("capacity", Field::Rate(rate))])
        }
        Advice::SpeedUpConsumersTo { each, consumers } => {
            line("advice.speed_up", vec![("each", Field::Rate(each)), ("consumers", Field::Count(consumers))])
        }
        Advice::SpeedUpConsumersAbove { each, consumers } => line(
            "advice.speed_up_above",
            vec![("each", Field::Rate(each)), ("consumers", Field::Count(consumers))],
        ),
        Advice::AddConsumers(count) => line("advice.add_consumers", vec![("consumers", Field::Count(count))]),
        Advice::ShortenWaits => line("advice.shorten_waits", vec![]),
        Advice::StartProducer => line("advice.start_producer", vec![]),
        Advice::SpeedUpProducerAbove(rate) => {
            line("advice.speed_up_producer", vec![("capacity", Field::Rate(rate))])
        }
        Advice::AllowWaiting => line("advice.allow_waiting", vec![]),
        Advice::RaiseBound => line("advice.raise_bound", vec![]),
    }
}
