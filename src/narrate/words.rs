//! From facts to whole sentences.

mod trouble;

use super::both;
use super::format::{self, Numerals};
use super::locale::{Field, Locale};
use super::log;
use super::remark::{Account, Advice, Counts, Estimate, Evenness, Limit, Next, Pace, Remark, Then};
use crate::model::rate::Rate;
use crate::model::settings::OverflowPolicy;

/// `remark` in words.
#[must_use]
pub fn text(remark: &Remark, locale: &Locale, numerals: Numerals) -> String {
    let mut words = Words { locale, numerals, said: String::new() };
    words.say_remark(remark);
    words.said
}

/// What is happening in words, with the instant up to which that holds.
#[must_use]
pub fn happening(account: &Account, locale: &Locale, numerals: Numerals) -> String {
    let mut words = Words { locale, numerals, said: text(&account.happening, locale, numerals) };
    if let Some(until) = account.until {
        words.say("holds_until", &[("time", Field::Text(&format::clock(until)))]);
    }
    words.said
}

/// The sentences so far.
pub(super) struct Words<'a> {
    locale: &'a Locale,
    numerals: Numerals,
    said: String,
}

impl Words<'_> {
    /// One more sentence, or two that belong together.
    pub(super) fn say(&mut self, key: &str, fields: &[(&str, Field<'_>)]) {
        let mut sentence = self.locale.fill(key, fields, self.numerals);
        if !self.said.is_empty() {
            let both = [("first", Field::Text(&self.said)), ("second", Field::Text(&sentence))];
            sentence = self.locale.fill("sentence.join", &both, self.numerals);
        }
        self.said = sentence;
    }

    pub(super) fn say_plain(&mut self, key: &str) {
        self.say(key, &[]);
    }

    fn say_paced(&mut self, key: &str, pace: &Pace) {
        self.say_paced_with(key, pace, "consumers", Field::Count(pace.consumers));
    }

    fn say_paced_with(&mut self, key: &str, pace: &Pace, name: &str, field: Field<'_>) {
        let burst = match pace.evenness {
            Evenness::Bursts(size) => size,
            _ => 1,
        };
        let fields = [
            (name, field),
            ("arrivals", Field::Rate(pace.arrivals)),
            ("capacity", Field::Rate(pace.capacity)),
            ("consumers", Field::Count(pace.consumers)),
            ("burst", Field::Count(burst)),
        ];
        self.say(key, &fields);
    }

    pub(super) fn say_timed(&mut self, key: &str, time: Estimate) {
        self.say(key, &[("time", words_of(time))]);
    }

    /// With its time where there is one.
    fn say_timed_or(&mut self, timed: &str, plain: &str, time: Option<Estimate>) {
        match time {
            Some(time) => self.say_timed(timed, time),
            None => self.say_plain(plain),
        }
    }

    fn say_remark(&mut self, remark: &Remark) {
        match *remark {
            Remark::AtRest { pace, then, names_start } => self.at_rest(&pace, then, names_start),
            Remark::NotStarted { names_start } => {
                self.say_plain(if names_start { "not_started.start" } else { "not_started" });
            }
            Remark::Counts(counts) => self.counts(&counts),
            Remark::Trouble(trouble) => self.trouble(&trouble),
            Remark::Idle { is_working: false } => self.say_plain("idle"),
            Remark::Idle { is_working: true } => self.say_plain("idle.working"),
            Remark::Stopped { waiting, in_flight } => {
                let fields = [("waiting", Field::Count(waiting)), ("in_flight", Field::Count(in_flight))];
                self.say("stopped", &fields);
            }
            Remark::Matched { pace } => self.say_paced("matched", &pace),
            Remark::LevelAndShort { pace } => self.say_paced("level.short", &pace),
            Remark::LevelWithBacklog { pace, waiting, is_about } => {
                let key = if is_about { "level.about" } else { "level" };
                self.say_paced_with(key, &pace, "waiting", Field::Count(waiting));
            }
            Remark::Balanced { pace } => self.say_paced("balanced", &pace),
            Remark::WillFillIn { pace, full_in, overflow } => {
                self.grows(&pace);
                self.say_timed_or(full_then(overflow), when_full(overflow), full_in);
            }
            Remark::GrowingWithoutBound { pace, out_of_memory_in } => {
                self.grows(&pace);
                self.say_timed_or("no_bound.time", "no_bound", out_of_memory_in);
            }
            Remark::WillRunOutOfMemory { pace, out_of_memory_in } => {
                self.grows(&pace);
                self.say_timed_or("memory_ahead.time", "memory_ahead", out_of_memory_in);
            }
            Remark::Log(ref remark) => log::words::say(self, remark),
            Remark::Both(remark) => both::say(self, remark),
            Remark::Next(next) => self.next(next),
            Remark::LogNext(next) => log::words::say_next(self, next),
            Remark::BothNext(next) => both::say_next(self, next),
            Remark::Advice(advice) => self.advice(advice),
            _ => self.at_limit_or_shrinking(remark),
        }
    }

    #[inline(never)]
    fn at_limit_or_shrinking(&mut self, remark: &Remark) {
        match *remark {
            Remark::Full { pace, overflow } => self.full(&pace, overflow),
            Remark::NoRoom { overflow } => self.say_plain(no_room(overflow)),
            Remark::OverLimit { limit, overflow, clears_in } => {
                self.say_plain(over_limit(limit, overflow));
                self.say_time("over_limit.time", clears_in);
            }
            Remark::HoveringAtBound { limit: Limit::Bound, overflow } => {
                self.say_plain("hovering.bound");
                self.say_plain(when_full(overflow));
            }
            Remark::HoveringAtBound { limit: Limit::Memory, .. } => self.say_plain("hovering.memory"),
            Remark::HoldingBack { limit, clears_in, is_standing } => {
                self.holding_back(limit, clears_in, is_standing);
            }
            Remark::MemoryAlarm { pace, is_at_most } => {
                self.say_paced(if is_at_most { "memory_alarm.at_most" } else { "memory_alarm" }, &pace);
            }
            Remark::DrainingIn { pace, empty_in } => {
                self.say_paced(if pace.is_even() { "shrinks" } else { "shrinks.average" }, &pace);
                self.say_time("shrinks.time", empty_in);
            }
            Remark::KeepingUp { pace, busy_percent } => {
                self.say_paced(if pace.is_even() { "keeping_up" } else { "keeping_up.average" }, &pace);
                self.say_paced_with("keeping_up.busy", &pace, "percent", Field::Count(busy_percent));
            }
            Remark::KeepingUpButWaiting { pace } => {
                self.say_paced(keeping_up_but_waiting(pace.evenness), &pace);
            }
            _ => {}
        }
    }

    /// A sentence that is left out where there is no time to say.
    pub(super) fn say_time(&mut self, key: &str, time: Option<Estimate>) {
        if let Some(time) = time {
            self.say_timed(key, time);
        }
    }

    fn at_rest(&mut self, pace: &Pace, then: Then, names_start: bool) {
        if then != Then::NothingArrives {
            self.say_paced(if pace.is_even() { "rest.pace" } else { "rest.pace_average" }, pace);
        }
        match then {
            Then::NothingArrives => self.say_plain("rest.nothing_arrives"),
            Then::Fills(Limit::Bound, time) => {
                let timed = if names_start { "rest.full.start" } else { "rest.full" };
                self.say_timed_or(timed, "rest.full.some_time", time);
            }
            Then::Fills(Limit::Memory, time) => {
                let timed = if names_start { "rest.memory.start" } else { "rest.memory" };
                self.say_timed_or(timed, "rest.grows", time);
            }
            Then::GrowsOn => self.say_plain("rest.grows"),
            Then::StaysEmpty => self.say_plain("rest.level"),
            Then::KeepsUp => self.say_plain("rest.keeps_up"),
            Then::SomeWait => self.say_plain("rest.some_wait"),
            Then::Wanders => self.say_plain("rest.wanders"),
            Then::NoRoom => self.say_plain("rest.no_room"),
        }
    }

    #[inline(never)]
    fn counts(&mut self, counts: &Counts) {
        self.say("counts.waiting", &[("count", Field::Count(counts.waiting))]);
        for (key, count) in [
            ("counts.in_flight", counts.in_flight),
            ("counts.delayed", counts.delayed),
            ("counts.dead_letters", counts.dead_letters),
            ("counts.held_back", counts.held_back),
        ] {
            if count > 0 {
                self.say(key, &[("count", Field::Count(count))]);
            }
        }
    }

    fn grows(&mut self, pace: &Pace) {
        self.say_paced(if pace.is_even() { "grows" } else { "grows.average" }, pace);
    }

    #[inline(never)]
    fn full(&mut self, pace: &Pace, overflow: OverflowPolicy) {
        let surplus = pace.arrivals.thousandths().saturating_sub(pace.capacity.thousandths());
        let surplus = Field::Rate(Rate::from_thousandths(surplus));
        self.say_paced_with(full_now(overflow, pace.is_even()), pace, "surplus", surplus);
    }

    fn holding_back(&mut self, limit: Limit, clears_in: Option<Estimate>, is_standing: bool) {
        self.say_plain(match limit {
            Limit::Bound => "holding_back.bound",
            Limit::Memory => "holding_back.memory",
        });
        self.say_time("holding_back.time", clears_in);
        if is_standing {
            self.say_plain("holding_back.stopped");
        }
    }

    fn next(&mut self, next: Next) {
        match next {
            Next::WhatAMessageIs => self.say_plain("next.what_a_message_is"),
            Next::NewcomerWaits(time) => self.say_timed("next.newcomer", time),
            Next::EveryNewcomerWaits(time) => self.say_timed("next.every_newcomer", time),
            Next::OldestStillLate { oldest, newcomer } => {
                let fields = [("oldest", Field::Time(oldest)), ("newcomer", words_of(newcomer))];
                self.say("next.oldest_late", &fields);
            }
            Next::OldestWaits(age) => self.say("next.oldest", &[("time", Field::Time(age))]),
            Next::ShrinkingWhileFull { percent } => {
                self.say("next.well_filled", &[("percent", Field::Count(percent))]);
            }
            Next::LostLately { count, window, were_told } => {
                let key = if were_told { "next.refused" } else { "next.dropped" };
                self.say(key, &[("count", Field::Count(count)), ("window", Field::Time(window))]);
            }
            Next::Moved { accepted, done, window } => {
                let fields = [
                    ("accepted", Field::Count(accepted)),
                    ("done", Field::Count(done)),
                    ("window", Field::Time(window)),
                ];
                self.say("next.moved", &fields);
            }
            Next::SlowestWaited(span) => self.say("next.slowest", &[("time", Field::About(span))]),
        }
    }

    #[inline(never)]
    fn advice(&mut self, advice: Advice) {
        match advice {
            Advice::SlowProducerTo { capacity, is_full } => {
                let key = if is_full { "advice.slow_producer.full" } else { "advice.slow_producer" };
                self.advise_rate(key, capacity);
            }
            Advice::SlowProducerBelow(rate) => self.advise_rate("advice.slow_producer_below", rate),
            Advice::SpeedUpProducerAbove(rate) => self.advise_rate("advice.speed_up_producer", rate),
            Advice::SpeedUpConsumersTo { each, consumers } => {
                self.advise_consumers("advice.speed_up", each, consumers);
            }
            Advice::SpeedUpConsumersAbove { each, consumers } => {
                self.advise_consumers("advice.speed_up_above", each, consumers);
            }
            Advice::AddConsumers(count) => {
                self.say("advice.add_consumers", &[("consumers", Field::Count(count))]);
            }
            Advice::ShortenWaits => self.say_plain("advice.shorten_waits"),
            Advice::StartProducer => self.say_plain("advice.start_producer"),
            Advice::EndPause => self.say_plain("advice.end_pause"),
            Advice::AllowWaiting => self.say_plain("advice.allow_waiting"),
            Advice::RaiseBound => self.say_plain("advice.raise_bound"),
        }
    }

    fn advise_rate(&mut self, key: &str, capacity: Rate) {
        self.say(key, &[("capacity", Field::Rate(capacity))]);
    }

    fn advise_consumers(&mut self, key: &str, each: Rate, consumers: u64) {
        self.say(key, &[("each", Field::Rate(each)), ("consumers", Field::Count(consumers))]);
    }
}

pub(super) const fn words_of(time: Estimate) -> Field<'static> {
    if time.is_about { Field::About(time.span) } else { Field::Time(time.span) }
}

const fn over_limit(limit: Limit, overflow: OverflowPolicy) -> &'static str {
    match (limit, overflow) {
        (Limit::Memory, _) => "over_memory",
        (_, OverflowPolicy::Block) => "over_bound.block",
        (_, OverflowPolicy::Reject) => "over_bound.reject",
        (_, OverflowPolicy::DropNew) => "over_bound.drop_new",
        (_, OverflowPolicy::DropOldest) => "over_bound.drop_oldest",
    }
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
