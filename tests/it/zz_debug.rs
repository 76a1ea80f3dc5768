#[test]
fn zz_debug() {
    use crate::properties::any;
    let run = any::any_run(1895, 40);
    eprintln!("{:#?}", run.scenario.topology());
    eprintln!("{:?}", run.commands.iter().filter(|t| t.at.micros() <= 18_100_000).collect::<Vec<_>>());
    eprintln!("{:?}", run.scenario.commands());
    let mut simulation = run.start();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        for timed in &run.commands {
            while simulation.now() < timed.at {
                let n = simulation.next_instant().unwrap_or(timed.at).min(timed.at);
                simulation.advance_to(n, 1_000_000);
            }
            let _ = simulation.apply(timed.command);
        }
    }));
    eprintln!("{:?}", result.is_err());
    eprintln!(
        "{:?}",
        simulation
            .journal()
            .last()
            .skip(simulation.journal().last().len().saturating_sub(30))
            .collect::<Vec<_>>()
    );
}
