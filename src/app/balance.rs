//! The ledger as one line: what was offered, and where all of it is.

use crate::model::ledger::Ledger;
use crate::narrate::locale::{Field, Locale};

/// "251 offered = 42 waiting + 3 in flight + 206 done + 0 others", which always adds up: whatever is
/// not there is among the others.
#[must_use]
pub fn line(ledger: &Ledger, locale: &Locale) -> String {
    let places = [
        ("balance.held_back", ledger.held_back),
        ("balance.rejected", ledger.rejected),
        ("balance.waiting", ledger.waiting),
        ("balance.in_flight", ledger.in_flight),
        ("balance.delayed", ledger.delayed),
        ("balance.done", ledger.finished()),
        ("balance.dead_letters", ledger.dead_letters),
        ("balance.discarded", ledger.discarded),
        ("balance.dropped", ledger.dropped()),
        ("balance.expired", ledger.expired + ledger.retention_over),
        ("balance.lost", ledger.lost_sending + ledger.failed_calls),
        ("balance.shed", ledger.shed),
        ("balance.deduplicated", ledger.deduplicated),
        ("balance.logged", ledger.logged),
    ];
    let there = places.iter().filter(|(_, count)| *count > 0);
    let mut terms: Vec<String> = there.map(|(key, count)| term(key, *count, locale)).collect();
    if terms.len() < places.len() {
        terms.push(term("balance.others", 0, locale));
    }
    let mut offered = vec![term("balance.offered", ledger.offered, locale)];
    if ledger.copies > 0 {
        offered.push(term("balance.copies", ledger.copies, locale));
    }
    [offered.join(" + "), terms.join(" + ")].join(" = ")
}

fn term(key: &str, count: u64, locale: &Locale) -> String {
    locale.format(key, &[("count", Field::Count(count))])
}
