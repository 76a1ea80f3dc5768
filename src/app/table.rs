//! Every number of the picture and the charts, as rows of one table.

use super::labels;
use super::view::TableRow;
use crate::model::rate::Rate;
use crate::model::settings::Bound;
use crate::model::snapshot::{ConsumerSnapshot, Snapshot};
use crate::model::time::Span;
use crate::narrate::format::{self, Numerals};
use crate::narrate::locale::{Field, Locale};

/// All rows, in reading order: the line, the ledger, the rates, the waits, the consumers.
#[must_use]
pub fn rows(snapshot: &Snapshot, locale: &Locale) -> Vec<TableRow> {
    let table = Table { snapshot, locale };
    let mut rows = table.line();
    rows.extend(table.ledger());
    rows.extend(table.rates());
    rows.extend(table.waits());
    rows.extend(table.consumers());
    rows
}

struct Table<'a> {
    snapshot: &'a Snapshot,
    locale: &'a Locale,
}

impl Table<'_> {
    fn line(&self) -> Vec<TableRow> {
        let queue = &self.snapshot.queue;
        let bound = match queue.bound {
            Bound::None => self.locale.text("scene.no_bound").to_owned(),
            Bound::Messages(bound) => self.count(bound),
        };
        let newcomer = match queue.newcomer_wait {
            None => self.locale.text("table.newcomer.never").to_owned(),
            Some(wait) => format::short(self.locale, wait),
        };
        vec![
            self.row("table.time", format::clock(self.snapshot.at)),
            self.row("table.waiting", self.count(queue.waiting)),
            self.row("table.bound", bound),
            self.row("table.oldest", labels::age(queue.oldest_age, self.locale)),
            self.row("table.newcomer", newcomer),
            self.row("table.growth", self.growth()),
        ]
    }

    fn ledger(&self) -> Vec<TableRow> {
        let ledger = &self.snapshot.ledger;
        [
            ("table.offered", ledger.offered),
            ("table.held_back", ledger.held_back),
            ("table.rejected", ledger.rejected),
            ("table.in_flight", ledger.in_flight),
            ("table.done", ledger.done),
            ("table.dropped_new", ledger.dropped_new),
            ("table.dropped_oldest", ledger.dropped_oldest),
        ]
        .into_iter()
        .map(|(key, count)| self.row(key, self.count(count)))
        .collect()
    }

    fn rates(&self) -> Vec<TableRow> {
        let flow = &self.snapshot.flow;
        let broker = &self.snapshot.broker;
        let held = [("held", Field::Count(broker.held)), ("memory", Field::Count(broker.memory))];
        let utilisation = format::percent(self.snapshot.consumers.utilisation_recent_millionths);
        let mut rows = vec![
            self.row("table.producer_rate", self.rate(self.snapshot.producer.rate)),
            self.row("table.capacity", self.rate(self.snapshot.consumers.capacity())),
        ];
        if flow.window > Span::ZERO {
            let window = format::time(self.locale, flow.window, Numerals::Screen);
            let named = |key: &str| self.locale.format(key, &[("window", Field::Text(&window))]);
            let measured = |count| self.rate(flow.rate_of(count));
            rows.push(TableRow { name: named("table.throughput_in"), value: measured(flow.accepted) });
            rows.push(TableRow { name: named("table.throughput_out"), value: measured(flow.done) });
        }
        rows.push(self.row(
            "table.utilisation",
            self.locale.format("unit.percent", &[("number", Field::Count(utilisation))]),
        ));
        rows.push(self.row("table.memory", self.locale.format("table.memory.value", &held)));
        rows
    }

    fn waits(&self) -> Vec<TableRow> {
        let waits = &self.snapshot.waiting_time_recent;
        let shown = |span| match waits.count {
            0 => self.locale.text("table.none").to_owned(),
            _ => format::short(self.locale, span),
        };
        vec![
            self.row("table.waiting_time.p50", shown(waits.p50)),
            self.row("table.waiting_time.p95", shown(waits.p95)),
            self.row("table.waiting_time.p99", shown(waits.p99)),
        ]
    }

    fn consumers(&self) -> Vec<TableRow> {
        let each = self.snapshot.consumers.each.iter().zip(1_u64..);
        each.map(|(consumer, number)| TableRow {
            name: self.locale.format("table.consumer", &[("number", Field::Count(number))]),
            value: self.consumer(consumer),
        })
        .collect()
    }

    fn consumer(&self, consumer: &ConsumerSnapshot) -> String {
        let Some(work) = consumer.work else { return self.locale.text("table.consumer.idle").to_owned() };
        let key = match (consumer.is_stopping, work.finishes_in) {
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

    fn row(&self, key: &str, value: String) -> TableRow {
        TableRow { name: self.locale.text(key).to_owned(), value }
    }
}
