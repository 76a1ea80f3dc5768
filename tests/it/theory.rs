//! The simulation against queueing theory: what runs measure on average is what the closed forms
//! say.
//!
//! Each case runs 20 times with the seeds 1 to 20, and the first tenth of each run is left out.
//! For each mean the exact value has to lie in the t interval of the 20 runs, at a level of 0.001
//! for all comparisons of the set together, and the interval has to be narrow. The seeds are part
//! of the test: a failure is a defect, and not to be cured by others.

mod cases;
mod interval;
mod measures;
mod observer;
mod priority;

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use cases::Case;
use interval::{Interval, t_quantile};
use measures::MEASURES;
use queue_lab::model::theory::SteadyState;

/// Runs of each case, with the seeds from 1.
const REPLICATIONS: u64 = 20;
/// How probable it is that any comparison of a set fails though nothing is wrong.
const LEVEL: f64 = 0.001;
/// Messages of each run in the light set.
const LIGHT_MESSAGES: u64 = 150_000;

#[test]
fn runs_agree_with_theory() {
    compare(&cases::light(), |_| LIGHT_MESSAGES);
}

#[test]
#[ignore = "takes minutes: `make test-all`"]
fn long_runs_agree_with_theory() {
    compare(&cases::all(), |case| case.messages);
}

/// Runs the cases, each of its runs with so many `messages`, and fails with all that disagrees.
fn compare(cases: &[Case], messages: impl Fn(&Case) -> u64) {
    let comparisons: u64 = cases.iter().map(|case| compared(case).count() as u64).sum();
    let quantile = t_quantile(LEVEL / as_float(comparisons.into()));
    println!("{comparisons} comparisons, t = {quantile:.3}");
    let (mut wrong, mut widest) = (Vec::new(), 0.0_f64);
    for case in cases {
        let runs = replicate(case, messages(case));
        // Fewer messages give a wider interval: by the root of how many fewer.
        let widening = as_float(case.messages.into()) / as_float(messages(case).into());
        for measure in compared(case) {
            let found: Vec<f64> = runs.iter().map(measure.of).collect();
            let interval = Interval::new(&found, quantile);
            let (exact, limit) = ((measure.of)(&case.exact), case.width_limit(measure) * widening.sqrt());
            let line = format!("{}, {}: {exact:.6}, found {interval}", case.name, measure.name);
            println!("{line}");
            widest = widest.max(interval.deviation(exact));
            if !interval.contains(exact) || interval.half_width > limit * exact {
                wrong.push(line);
            }
        }
    }
    println!("the farthest is {widest:.3} of its half-width away");
    assert!(wrong.is_empty(), "these are not what theory says, or not precise:\n{}", wrong.join("\n"));
}

/// The measures that are compared: of probabilities those that are large enough to be measured.
fn compared(case: &Case) -> impl Iterator<Item = &'static measures::Measure> + use<'_> {
    MEASURES.iter().filter(|measure| measure.is_measurable(&case.exact))
}

/// What the runs of `case` measured, as many at a time as there are processors.
fn replicate(case: &Case, messages: u64) -> Vec<SteadyState> {
    let at_once = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicU64::new(1);
    let run = || {
        let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let own = seeds.take_while(|seed| *seed <= REPLICATIONS);
        own.map(|seed| observer::observe(&case.settings, seed, messages)).collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("the runs end")).collect()
    })
}

/// Exact: no count here exceeds 2⁵³.
#[allow(clippy::cast_precision_loss)]
pub const fn as_float(count: u128) -> f64 {
    count as f64
}
