//! `fluid-backlog.json`: backlogs at constant rates, against [`queue_lab::model::theory::fluid`].

use queue_lab::model::theory::fluid::{Flow, Group, HotPartition, Retried, Skew, consumers_needed};

use super::VectorFile;
use super::closeness::{EXACT, check_all};
use super::fields::Fields;

/// What the closed form of a kind says under a name; `None` where it never happens.
type Answer = Box<dyn Fn(&str) -> Option<f64>>;

#[test]
fn fluid_backlogs_agree_with_the_reference() {
    let Some(mut file) = VectorFile::open("fluid-backlog") else { return };
    file.root.prose(&["note"]);
    let cases = file.root.objects("vectors");
    file.run("vectors", cases, |case| {
        case.prose(&["note"]);
        let params = case.object("params");
        let answer = kind(case.text("kind"), &params);
        params.all_were_read();
        check_all(&case.object("expected"), EXACT, &answer);
        if case.value("independent_check").is_some_and(|check| !check.is_null()) {
            check_all(&case.object("independent_check"), EXACT, &answer);
        }
    });
    file.finish();
}

fn kind(name: &str, params: &Fields) -> Answer {
    match name {
        "backlog(t)=max(0,Q0+(lambda-mu)t)" => backlog(params),
        "time to full" => time_to_full(params),
        "drain time Q0/(mu-lambda)" => drain(params),
        "outage of length T, then catch up" => outage(params),
        "consumers needed to drain Q0 within D" => consumers(params),
        "FIFO wait of a message arriving when the backlog is Q = Q/mu" => wait(params),
        "age of oldest during overload (FIFO) = t(1-mu/lambda)" => oldest_age(params),
        "partitioned log: useful consumers and slowest partition" => group(params),
        "hot key: one key carries a share of the traffic, the rest is uniform over all partitions" => {
            hot_key(params)
        }
        "sum hides skew" => skew(params),
        "consumer-side retries raise the offered load" => retries(params),
        _ => panic!("{}: nothing knows the kind {name}", params.place()),
    }
}

fn unknown(name: &str) -> ! {
    panic!("nothing knows the field {name} of this kind")
}

fn flow(params: &Fields) -> Flow {
    Flow::new(params.number("lam"), params.number("mu")).expect("the rates are sound")
}

fn backlog(params: &Fields) -> Answer {
    let end = flow(params).backlog_messages(params.number("Q0"), params.number("t"));
    Box::new(move |name| match name {
        "Q" => end.ok(),
        _ => unknown(name),
    })
}

fn time_to_full(params: &Fields) -> Answer {
    let flow = flow(params);
    let full = flow.full_after_seconds(params.number("Q0"), params.number("capacity"));
    let full = full.expect("the counts are sound");
    Box::new(move |name| match name {
        "t" => full,
        "after_full_rejected_per_s" => Some(flow.excess_per_second()),
        "loss_fraction_after_full" => Some(flow.loss_share()),
        _ => unknown(name),
    })
}

fn drain(params: &Fields) -> Answer {
    let flow = flow(params);
    let drained = flow.drained_after_seconds(params.number("Q0")).expect("the backlog is sound");
    Box::new(move |name| match name {
        "t" => drained,
        "served_while_draining" => flow.finished_messages(drained?).ok(),
        _ => unknown(name),
    })
}

fn outage(params: &Fields) -> Answer {
    let outage = flow(params).outage(params.number("outage_s")).expect("the time is sound");
    Box::new(move |name| match name {
        "peak_backlog" => Some(outage.peak_messages),
        "catch_up_s" => outage.catch_up_seconds,
        "total_incident_s" => outage.incident_seconds,
        "oldest_age_at_end_of_outage_s" => Some(outage.oldest_age_seconds),
        _ => unknown(name),
    })
}

fn consumers(params: &Fields) -> Answer {
    let (arrivals, each) = (params.number("lam"), params.number("per_consumer_rate"));
    let (backlog, seconds) = (params.number("Q0"), params.number("deadline_s"));
    let needed = consumers_needed(arrivals, each, backlog, seconds).expect("the values are sound");
    let level = consumers_needed(arrivals, each, 0.0, seconds).expect("the values are sound");
    let with_them = Flow::new(arrivals, each * needed).expect("the rates are sound");
    let drained = with_them.drained_after_seconds(backlog).expect("the backlog is sound");
    Box::new(move |name| match name {
        "consumers" => Some(needed),
        "consumers_to_just_keep_up" => Some(level),
        "actual_drain_s" => drained,
        _ => unknown(name),
    })
}

fn wait(params: &Fields) -> Answer {
    let wait = flow(params).waiting_time_seconds(params.number("Q")).expect("the backlog is sound");
    Box::new(move |name| match name {
        "wait_s" => wait,
        _ => unknown(name),
    })
}

fn oldest_age(params: &Fields) -> Answer {
    let (flow, seconds) = (flow(params), params.number("t"));
    let age = flow.oldest_age_seconds(seconds).expect("the time is sound");
    let backlog = flow.backlog_messages(0.0, seconds).expect("the time is sound");
    let arriving = Flow::new(0.0, flow.arrivals_per_second()).expect("the rate is sound");
    let lag = arriving.waiting_time_seconds(backlog).expect("the backlog is sound");
    Box::new(move |name| match name {
        "age_s" => Some(age),
        "backlog" => Some(backlog),
        "time_lag_equals_backlog_over_arrival_rate" => lag,
        _ => unknown(name),
    })
}

fn group(params: &Fields) -> Answer {
    let (partitions, consumers) = (params.count("partitions"), params.count("consumers"));
    let group = Group::new(partitions, consumers, params.number("per_consumer_rate"));
    let group = group.expect("there are consumers and partitions");
    Box::new(move |name| match name {
        "idle_consumers" => Some(as_float(group.idle_consumers)),
        "group_capacity" => Some(group.capacity_per_second),
        "slowest_partition_rate" => Some(group.slowest_partition_per_second),
        "note_max_partitions_per_consumer" => Some(as_float(group.partitions_per_consumer_max)),
        _ => unknown(name),
    })
}

fn hot_key(params: &Fields) -> Answer {
    let each = params.number("per_partition_service_rate");
    let (arrivals, partitions) = (params.number("lam"), params.count("partitions"));
    let split = HotPartition::new(arrivals, params.number("share"), partitions, each);
    let split = split.expect("the values are sound");
    Box::new(move |name| match name {
        "hot_partition_arrival" => Some(split.hot.arrivals_per_second()),
        "other_partition_arrival" => Some(split.other.arrivals_per_second()),
        "hot_partition_growth" => Some(split.hot.growth_per_second()),
        "hot_partition_utilisation" => split.hot.utilisation(),
        "group_capacity" => Some(split.all.capacity_per_second()),
        "total_utilisation" => split.all.utilisation(),
        _ => unknown(name),
    })
}

fn skew(params: &Fields) -> Answer {
    let lags: Vec<f64> = params.list("lag_per_partition").iter().filter_map(|lag| lag.as_f64()).collect();
    assert_eq!(lags.len(), params.list("lag_per_partition").len(), "every lag is a number");
    let skew = Skew::of(&lags).expect("the lags are sound");
    Box::new(move |name| match name {
        "sum" => Some(skew.sum_messages),
        "max" => Some(skew.max_messages),
        "mean" => Some(skew.mean_messages),
        _ => unknown(name),
    })
}

fn retries(params: &Fields) -> Answer {
    let failing = params.number("failure_probability");
    let retried = Retried::new(params.number("lam"), failing, params.count("max_attempts"));
    let retried = retried.expect("the values are sound");
    Box::new(move |name| match name {
        "effective_load" => Some(retried.attempts_per_second),
        "dead_lettered_per_s" => Some(retried.given_up_per_second),
        _ => unknown(name),
    })
}

#[allow(clippy::cast_precision_loss)]
const fn as_float(count: u64) -> f64 {
    count as f64
}
