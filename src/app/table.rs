//! Every number of the picture and the charts, as rows of one table.

use super::labels;
use super::view::TableRow;
use crate::model::rate::Rate;
use crate::model::settings::Bound;
use crate::model::snapshot::{ConsumerHealth, ConsumerSnapshot, Snapshot};
use crate::model::time::Span;
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};

/// All rows, in reading order: the line, the ledger, the rates, the waits, the consumers. What
/// follows from rates is left out where the run is not plain, as in [`crate::narrate::course`].
#[must_use]
pub fn rows(snapshot: &Snapshot, is_plain: bool, locale: &Locale) -> Vec<TableRow> {
    let mut table = Table { snapshot, is_plain, locale, rows: Vec::new() };
    table.line();
    table.ledger();
    table.rates();
    table.waits();
    table.consumers();
    table.rows
}

struct Table<'a> {
    snapshot: &'a Snapshot,
    is_plain: bool,
    locale: &'a Locale,
    rows: Vec<TableRow>,
}

impl Table<'_> {
    fn line(&mut self) {
        let queue = &self.snapshot.queue;
        let bound = match queue.bound {
            Bound::None => self.locale.text("scene.no_bound").to_owned(),
            Bound::Messages(bound) => self.count(bound),
        };
        let newcomer = match queue.newcomer_wait {
            None => self.locale.text("table.newcomer.never").to_owned(),
            Some(wait) => format::short(self.locale, wait),
        };
        self.row("table.time", format::clock(self.snapshot.at));
        self.row("table.waiting", self.count(queue.waiting));
        self.row("table.bound", bound);
        self.row("table.oldest", labels::age(queue.oldest_age, self.locale));
        if self.is_plain {
            self.row("table.newcomer", newcomer);
            self.row("table.growth", self.growth());
        }
    }

    fn ledger(&mut self) {
        let ledger = &self.snapshot.ledger;
        for (key, count) in [
            ("table.offered", ledger.offered),
            ("table.held_back", ledger.held_back),
            ("table.rejected", ledger.rejected),
            ("table.in_flight", ledger.in_flight),
            ("table.done", ledger.done),
            ("table.dropped_new", ledger.dropped_new),
            ("table.dropped_oldest", ledger.dropped_oldest),
        ] {
            self.row(key, self.count(count));
        }
        // What cannot happen in most runs has a row once it has happened.
        for (key, count) in [
            ("table.done_late", ledger.done_late),
            ("table.done_wrong", ledger.done_wrong),
            ("table.skipped_late", self.snapshot.network.totals.skipped_late),
            ("table.retries_refused", self.snapshot.network.totals.retries_refused),
        ] {
            if count > 0 {
                self.row(key, self.count(count));
            }
        }
    }

    fn rates(&mut self) {
        let flow = &self.snapshot.flow;
        let broker = &self.snapshot.broker;
        let window = format::time(self.locale, flow.window, Numerals::Screen);
        let utilisation = format::percent(self.snapshot.consumers.utilisation_recent_millionths);
        let fields = [
            ("window", Field::Text(&window)),
            ("number", Field::Count(utilisation)),
            ("held", Field::Count(broker.held)),
            ("memory", Field::Count(broker.memory)),
        ];
        self.row("table.producer_rate", self.rate(self.snapshot.producer.rate));
        if self.is_plain {
            self.row("table.capacity", self.rate(self.snapshot.consumers.capacity()));
        }
        if flow.window > Span::ZERO {
            for (key, count) in [("table.throughput_in", flow.accepted), ("table.throughput_out", flow.done)]
            {
                let name = self.locale.format(key, &fields);
                self.rows.push(TableRow { name, value: self.rate(flow.rate_of(count)) });
            }
        }
        self.row("table.utilisation", self.locale.format("unit.percent", &fields));
        self.row("table.memory", self.locale.format("table.memory.value", &fields));
    }

    fn waits(&mut self) {
        let waits = &self.snapshot.waiting_time_recent;
        for (key, span) in [
            ("table.waiting_time.p50", waits.p50),
            ("table.waiting_time.p95", waits.p95),
            ("table.waiting_time.p99", waits.p99),
        ] {
            let shown = match waits.count {
                0 => self.locale.text("table.none").to_owned(),
                _ => format::short(self.locale, span),
            };
            self.row(key, shown);
        }
    }

    fn consumers(&mut self) {
        if !self.is_plain {
            self.row("table.members", self.count(self.snapshot.consumers.members));
        }
        for (consumer, number) in self.snapshot.consumers.of_queue().into_iter().zip(1_u64..) {
            let name = self.locale.format("table.consumer", &[("number", Field::Count(number))]);
            self.rows.push(TableRow { name, value: self.consumer(consumer) });
        }
    }

    fn consumer(&self, consumer: &ConsumerSnapshot) -> String {
        let without_work = match consumer.health {
            ConsumerHealth::Up => "table.consumer.idle",
            ConsumerHealth::Stopped => "table.consumer.stopped",
            ConsumerHealth::Crashed => "table.consumer.crashed",
            ConsumerHealth::CrashLoop => "table.consumer.crash_loop",
            ConsumerHealth::Hung => "table.consumer.hung",
            ConsumerHealth::Starting => "table.consumer.starting",
        };
        let Some(work) = consumer.work else { return self.locale.text(without_work).to_owned() };
        let key = match (consumer.is_stopping, work.finishes_in) {
            _ if consumer.health == ConsumerHealth::Hung => "table.consumer.hung_with",
            _ if !self.is_plain => "table.consumer.holds",
            (true, _) => "table.consumer.stopping",
            (false, None) => "table.consumer.standing",
            (false, Some(_)) => "table.consumer.working",
        };
        let percent = format::percent(work.done_millionths);
        let fields = [("message", Field::Count(work.number)), ("percent", Field::Count(percent))];
        self.locale.format(key, &fields)
    }

    fn growth(&self) -> String {
        let growth = self.snapshot.outlook.growth_thousandths_per_second;
        let key = match growth {
            0 => return self.locale.text("table.growth.level").to_owned(),
            1.. => "table.growth.value",
            _ => "table.growth.shrinking",
        };
        let rate = Rate::from_thousandths(growth.unsigned_abs());
        self.locale.format(key, &[("rate", Field::RoundedRate(rate))])
    }

    fn rate(&self, rate: Rate) -> String {
        self.locale.format("unit.per_second", &[("rate", Field::RoundedRate(rate))])
    }

    fn count(&self, count: u64) -> String {
        format::count(self.locale, count, Numerals::Screen)
    }

    fn row(&mut self, key: &str, value: String) {
        self.rows.push(TableRow { name: self.locale.text(key).to_owned(), value });
    }
}
