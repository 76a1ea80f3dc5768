//! Bounds and means of the waits, of the ranges as they are and of what is drawn from them.

use queue_lab::model::retry::backoff::{Backoff, BackoffKind, DelayRange};
use queue_lab::model::rng::DrawKey;
use queue_lab::model::time::Span;

use super::super::VectorFile;
use super::super::fields::Fields;
use super::{fraction, jitter_draws, mean_and_deviation, span_of_millis};

const DRAWS: u64 = 4_000;
const SEQUENCES: u64 = 20_000;
/// Standard errors that a drawn mean may lie off.
const STANDARD_ERRORS: f64 = 5.0;

/// All of `jitter`.
pub fn jitter(file: &mut VectorFile) {
    let jitter = file.root.object("jitter");
    jitter.prose(&["source", "formulas", "indexing_note"]);
    let columns = jitter.texts("full_columns");
    file.run("jitter.bounds", jitter.objects("bounds"), |case| bounds(case, &columns));
    for name in jitter.keys() {
        let Some(base_ms) = name.strip_prefix("decorrelated_mean_below_cap_base_") else { continue };
        let base = span_of_millis(fraction(base_ms));
        file.run(&format!("jitter.{name}"), jitter.objects(&name), |case| decorrelated_mean(case, base));
    }
    jitter.all_were_read();
}

fn bounds(case: &Fields, columns: &[String]) {
    let (base, cap) = (span_of_millis(case.number("base_ms")), span_of_millis(case.number("cap_ms")));
    for row in case.objects("per_retry") {
        let retry = row.count("retry");
        let range = |kind| Backoff { kind, base, cap }.range(retry, None);
        let exponential = range(BackoffKind::Exponential);
        let wanted = span_of_millis(row.number("exponential"));
        assert_eq!((exponential.least(), exponential.greatest()), (wanted, wanted), "{}", row.place());
        for (name, kind) in [("full", BackoffKind::FullJitter), ("equal", BackoffKind::EqualJitter)] {
            has_columns(&row, name, columns, range(kind));
            draws_fill(&row, range(kind));
        }
        row.all_were_read();
    }
    decorrelated_bounds(case, Backoff { kind: BackoffKind::DecorrelatedJitter, base, cap });
}

/// Whether the range has the values of the list `name`, whose columns are called `columns`.
fn has_columns(row: &Fields, name: &str, columns: &[String], range: DelayRange) {
    let values = row.list(name);
    assert_eq!(values.len(), columns.len(), "{}: {name}", row.place());
    for (column, value) in columns.iter().zip(values) {
        let found = match column.as_str() {
            "min" => range.least(),
            "max" => range.greatest(),
            "mean" => range.mean(),
            _ => panic!("{}: column {column} is not known", row.place()),
        };
        let wanted = value.as_f64().map(span_of_millis);
        assert_eq!(Some(found), wanted, "{}: {name} {column}", row.place());
    }
}

/// Whether the draws keep to the range, come near its ends and have its mean.
#[allow(clippy::cast_precision_loss)]
fn draws_fill(row: &Fields, range: DelayRange) {
    let draw = |origin| range.draw(jitter_draws(1), DrawKey { origin, role: 0, attempt: 1 });
    let drawn: Vec<Span> = (0..DRAWS).map(draw).collect();
    let (least, greatest) = (range.least(), range.greatest());
    assert!(drawn.iter().all(|delay| (least..=greatest).contains(delay)), "{}", row.place());
    let near = Span::from_micros((greatest - least).micros() / 100);
    assert!(drawn.iter().any(|delay| *delay <= least + near), "{}: {least} is not reached", row.place());
    assert!(
        drawn.iter().any(|delay| *delay >= greatest - near),
        "{}: {greatest} is not reached",
        row.place()
    );
    let millis: Vec<f64> = drawn.iter().map(|delay| delay.micros() as f64 / 1_000.0).collect();
    is_near_mean(row, &millis, range.mean().micros() as f64 / 1_000.0);
}

fn is_near_mean(row: &Fields, values: &[f64], wanted: f64) {
    let (mean, deviation) = mean_and_deviation(values);
    #[allow(clippy::cast_precision_loss)]
    let allowed = STANDARD_ERRORS * deviation / (values.len() as f64).sqrt();
    assert!((mean - wanted).abs() <= allowed, "{}: mean {mean}, not {wanted} ± {allowed}", row.place());
}

/// The bounds that are reached where every wait of a sequence is the longest.
fn decorrelated_bounds(case: &Fields, backoff: Backoff) {
    let mut previous = None;
    for (retry, row) in (0..).zip(case.objects("decorrelated_bounds")) {
        assert_eq!(row.count("retry"), retry, "{}: retries come in their order", row.place());
        let range = backoff.range(retry, previous);
        let wanted = (span_of_millis(row.number("min")), span_of_millis(row.number("max")));
        assert_eq!((range.least(), range.greatest()), wanted, "{}", row.place());
        previous = Some(range.greatest());
        row.all_were_read();
    }
}

/// The mean wait before one retry of a sequence: of the ranges, each with the mean before it, and
/// of sequences that are drawn.
#[allow(clippy::cast_precision_loss)]
fn decorrelated_mean(case: &Fields, base: Span) {
    let retry = case.count("retry");
    let wanted = case.number("mean_ms");
    assert!((fraction(case.text("exact")) - wanted).abs() < 1e-9, "{}", case.place());
    let cap = Span::from_micros(u64::MAX);
    let backoff = Backoff { kind: BackoffKind::DecorrelatedJitter, base, cap };
    let mean = (0..=retry).fold(None, |previous, n| Some(backoff.range(n, previous).mean()));
    assert_eq!(mean, Some(span_of_millis(wanted)), "{}", case.place());
    let sequence = |origin| {
        let draw = |previous, n| {
            let key = DrawKey { origin, role: 0, attempt: n + 1 };
            Some(backoff.delay(n, previous, jitter_draws(2), key))
        };
        (0..=retry).fold(None, draw).unwrap_or_default().micros() as f64 / 1_000.0
    };
    is_near_mean(case, &(0..SEQUENCES).map(sequence).collect::<Vec<_>>(), wanted);
}
