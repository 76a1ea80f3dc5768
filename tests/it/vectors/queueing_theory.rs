//! `queueing-theory.json`: means in balance, from closed forms, Markov chains and simulations of
//! others, against [`queue_lab::model::theory`].

use queue_lab::model::theory::SteadyState;
use queue_lab::model::theory::general::{
    PriorityClass, ServiceMoments, m_d_1, m_g_1, m_g_1_lifo, priority_waiting_time_mean,
    priority_waiting_times,
};
use queue_lab::model::theory::markovian::{
    erlang_b, erlang_c, m_m_1_sojourn_time_percentile, m_m_c, m_m_c_k,
};

use super::VectorFile;
use super::closeness::{EXACT, check_all, is_close};
use super::fields::Fields;

/// Where the file claims more agreement than this between its methods, ours may have this.
const CHAIN_TOLERANCE_MIN: f64 = 1e-9;
/// The most that a file may claim: above it the two methods do not agree.
const CHAIN_TOLERANCE_MAX: f64 = 1e-6;

type Answer = Box<dyn Fn(&str) -> f64>;

#[test]
fn closed_forms_agree_with_the_reference() {
    let Some(mut file) = VectorFile::open("queueing-theory") else { return };
    file.root.prose(&["units", "methods", "formulas"]);
    assert!(file.root.list("disagreements").is_empty(), "the reference agrees with itself");
    let cases = file.root.objects("vectors");
    file.run("vectors", cases, |case| {
        case.prose(&["note"]);
        let params = case.object("params");
        let answer = model(case.text("model"), &params);
        params.all_were_read();
        check_all(&case.object("expected"), EXACT, |name| Some(answer(name)));
        check_chain(case, &answer);
        check_simulation(case, &answer);
    });
    file.finish();
}

/// The chain was solved numerically: it agrees as far as the file says.
fn check_chain(case: &Fields, answer: &Answer) {
    if !case.has("numeric_chain") {
        return;
    }
    let claimed = case.number("max_relative_difference");
    assert!(claimed <= CHAIN_TOLERANCE_MAX, "{}: the reference's methods differ by {claimed}", case.place());
    check_all(&case.object("numeric_chain"), claimed.max(CHAIN_TOLERANCE_MIN), |name| Some(answer(name)));
}

/// The simulation's interval has the exact mean in it where the file says so, and only there.
fn check_simulation(case: &Fields, answer: &Answer) {
    if !case.has("simulation") && !case.has("simulation_contains_expected") {
        return;
    }
    let simulation = case.object("simulation");
    simulation.prose(&["library"]);
    assert!(simulation.count("replications") > 1 && simulation.count("customers_per_replication") > 0);
    let contains = case.object("simulation_contains_expected");
    for name in contains.keys() {
        let measured = simulation.object(&name);
        let (mean, half_width) = (measured.number("mean"), measured.number("ci99_half_width"));
        measured.all_were_read();
        let is_within = (answer(&name) - mean).abs() <= half_width || is_close(answer(&name), mean, 0.0);
        assert_eq!(is_within, contains.flag(&name), "{} / {name}", simulation.place());
    }
    simulation.all_were_read();
    contains.all_were_read();
}

/// What the closed forms of a model say, by the file's names.
fn model(name: &str, params: &Fields) -> Answer {
    match name {
        "M/M/1" | "M/M/c" | "M/M/1/K" | "M/M/c/K" => pool(name, params),
        "M/D/1" => fixed_work(params),
        "M/M/1 non-preemptive priority (Cobham)" => priority(params),
        "M/M/1 discipline comparison" => orders(params),
        _ => panic!("{}: nothing knows the model {name}", params.place()),
    }
}

fn pool(name: &str, params: &Fields) -> Answer {
    let (arrivals, service) = (params.number("lambda"), params.number("mu"));
    let consumers = if name.starts_with("M/M/c") { params.count("c") } else { 1 };
    let state = if name.ends_with("/K") {
        m_m_c_k(arrivals, service, consumers, params.count("K"))
    } else {
        m_m_c(arrivals, service, consumers)
    };
    let state = state.expect("the reference is in balance");
    let is_m_m_1 = name == "M/M/1";
    Box::new(move |name| {
        let load = arrivals / service;
        match (name, percent_of_sojourn(name)) {
            ("erlang_B", _) => erlang_b(load, consumers).expect("the load is sound"),
            ("erlang_C", _) => erlang_c(load, consumers).expect("the load is stable"),
            (_, Some(percent)) if is_m_m_1 => {
                m_m_1_sojourn_time_percentile(arrivals, service, percent / 100.0).expect("it is stable")
            }
            _ => mean(&state, name),
        }
    })
}

/// 95 from `W_p95`.
fn percent_of_sojourn(name: &str) -> Option<f64> {
    name.strip_prefix("W_p")?.parse().ok()
}

fn fixed_work(params: &Fields) -> Answer {
    let (arrivals, seconds) = (params.number("lambda"), params.number("service_time"));
    let state = m_d_1(arrivals, seconds).expect("the reference is in balance");
    let exponential = m_m_c(arrivals, 1.0 / seconds, 1).expect("the reference is in balance");
    Box::new(move |name| match name {
        "ratio_to_MM1_Wq" => state.waiting_time_mean_seconds / exponential.waiting_time_mean_seconds,
        _ => mean(&state, name),
    })
}

/// A mean in balance by the file's name for it.
fn mean(state: &SteadyState, name: &str) -> f64 {
    match name {
        "offered_load_erlangs" => state.offered_load_erlangs,
        "rho" => state.offered_utilisation,
        "L" => state.in_system_mean_messages,
        "Lq" => state.waiting_mean_messages,
        "W" => state.sojourn_time_mean_seconds,
        "Wq" => state.waiting_time_mean_seconds,
        "P0" => state.empty_probability,
        "P_wait" => state.waiting_probability,
        "P_block" => state.blocking_probability,
        "lambda_effective" | "throughput" => state.throughput_per_second,
        _ => panic!("nothing knows the field {name} of this model"),
    }
}

fn priority(params: &Fields) -> Answer {
    let work = ServiceMoments::exponential(1.0 / params.number("mu"));
    let class = |name: &str| PriorityClass { arrivals_per_second: params.number(name), work };
    let classes = [class("lambda_high"), class("lambda_low")];
    let waits = priority_waiting_times(&classes).expect("the reference is in balance");
    let all = priority_waiting_time_mean(&classes).expect("the reference is in balance");
    let arrivals = classes.iter().map(|class| class.arrivals_per_second).sum();
    let one_line = m_g_1(arrivals, &work).expect("the reference is in balance");
    Box::new(move |name| match name {
        "Wq_high" => waits[0],
        "Wq_low" => waits[1],
        "Wq_mean_all" => all,
        "Wq_FIFO_same_load" => one_line.waiting_time_mean_seconds,
        _ => panic!("nothing knows the field {name} of priorities"),
    })
}

fn orders(params: &Fields) -> Answer {
    let arrivals = params.number("lambda");
    let work = ServiceMoments::exponential(1.0 / params.number("mu"));
    let first_in = m_g_1(arrivals, &work).expect("the reference is in balance");
    let last_in = m_g_1_lifo(arrivals, &work).expect("the reference is in balance");
    Box::new(move |name| match name {
        "Wq_mean_FIFO" => first_in.waiting_time_mean_seconds,
        "Wq_mean_LIFO" => last_in.waiting_time_mean_seconds,
        "Wq_second_moment_FIFO" => first_in.waiting_time_second_moment,
        "Wq_second_moment_LIFO_nonpreemptive" => last_in.waiting_time_second_moment,
        _ => panic!("nothing knows the field {name} of orders"),
    })
}
