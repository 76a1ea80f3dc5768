//! Many more of the same runs, until so many events have happened. `make soak` runs it in release
//! with debug assertions, so that everything is recounted at every complete instant.

use super::any::{Dice, any_run};

/// Events of a soak; `QUEUE_LAB_EVENTS` asks for another number.
const EVENTS: u64 = 100_000_000;

#[test]
#[ignore = "takes long: make soak"]
fn any_run_keeps_its_promises_for_a_hundred_million_events() {
    if !cfg!(debug_assertions) {
        panic!("without debug assertions nothing is recounted: make soak");
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let events = number("QUEUE_LAB_EVENTS").unwrap_or(EVENTS);
    let (mut done, mut runs, mut given_up) = (0, 0_u64, 0_u64);
    let mut seed = number("QUEUE_LAB_SEED").unwrap_or(1_000_000);
    while done < events {
        seed += 1;
        let run = any_run(seed, 60 + seed % 400);
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut dice = Dice(seed);
            run.play(3_000_000, || 1 + dice.below(5_000))
        }));
        let Ok(played) = played else { panic!("seed {seed}") };
        runs += 1;
        match played {
            Some(simulation) => done += simulation.journal().count(),
            None => {
                given_up += 1;
                done += 1_000_000;
            }
        }
        if runs.is_multiple_of(50) {
            println!("{done} events in {runs} runs");
        }
    }
    println!("{done} events in {runs} runs, {given_up} of which were too long to play to their end");
}
