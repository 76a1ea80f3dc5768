//! The parts of a record that are lists: nodes by name, and the dead letters.

use super::{count, decimal, span, text};
use crate::json::{Fields, Json};
use crate::model::snapshot::network::{
    DeadLetterSnapshot, DeathSnapshot, LineSnapshot, NetworkSnapshot, PoolSnapshot, SenderSnapshot,
};

/// The lists of a record, which the CSV does not have, in their order.
pub const LISTS: [&str; 4] = ["producers", "queues", "consumers", "dead_letter_list"];

/// The lists of [`LISTS`], with what is in them.
pub(super) fn lists(network: &NetworkSnapshot) -> Fields {
    let lists = [
        Json::List(network.producers.iter().map(producer).collect()),
        Json::List(network.queues.iter().map(queue).collect()),
        Json::List(network.pools.iter().map(consumers).collect()),
        Json::List(network.dead_letters.iter().map(dead_letter).collect()),
    ];
    LISTS.iter().map(|name| (*name).to_owned()).zip(lists).collect()
}

fn producer(sender: &SenderSnapshot) -> Json {
    object(vec![
        ("name", text(&sender.name)),
        ("to", text(&sender.to)),
        ("producer_rate_per_second", decimal(&sender.rate)),
        ("offered", count(sender.offered)),
        ("held_back", count(sender.held_back)),
        ("producer_blocked", Json::Bool(sender.is_blocked)),
        ("sent", count(sender.sent)),
        ("shape_limit_per_second", sender.shape_limit.map_or(Json::Null, |limit| decimal(&limit))),
        ("shaped", count(sender.shaped)),
        ("unconfirmed", count(sender.unconfirmed)),
        ("send_path", text(sender.path.name())),
        ("callers", count(sender.calls.waiting)),
        ("caller_wait_mean_seconds", span(sender.calls.mean())),
        ("caller_wait_max_seconds", span((sender.calls.ended > 0).then_some(sender.calls.max))),
    ])
}

fn queue(line: &LineSnapshot) -> Json {
    object(vec![
        ("name", text(&line.name)),
        ("waiting", count(line.waiting)),
        ("in_flight", count(line.in_flight)),
        ("delayed", count(line.delayed)),
        ("oldest_age_seconds", span(line.oldest_age)),
        ("deliveries", count(line.deliveries)),
        ("redeliveries", count(line.redeliveries)),
    ])
}

fn consumers(pool: &PoolSnapshot) -> Json {
    object(vec![
        ("name", text(&pool.name)),
        ("from", text(&pool.from)),
        ("consumer_count", count(pool.count)),
        ("alive", count(pool.members)),
        ("busy", count(pool.busy)),
        ("retries_left", pool.retries_left.map_or(Json::Null, count)),
        ("wanted", pool.scaling.map_or(Json::Null, |scaling| count(scaling.wanted))),
        ("wanted_because", pool.scaling.map_or(Json::Null, |scaling| text(scaling.reason.name()))),
        (
            "of_target_thousandths",
            pool.scaling.map_or(Json::Null, |scaling| count(scaling.ratio_thousandths)),
        ),
    ])
}

fn dead_letter(letter: &DeadLetterSnapshot) -> Json {
    object(vec![
        ("queue", text(&letter.queue)),
        ("producer", text(&letter.producer)),
        ("number", count(letter.number)),
        ("reason", text(letter.reason.name())),
        ("attempts", count(u64::from(letter.attempts))),
        ("age_seconds", decimal(&letter.age)),
        ("history", Json::List(letter.history.iter().map(death).collect())),
    ])
}

fn death(death: &DeathSnapshot) -> Json {
    object(vec![
        ("queue", text(&death.queue)),
        ("reason", text(death.reason.name())),
        ("count", count(u64::from(death.count))),
        ("at_seconds", decimal(&death.at)),
    ])
}

fn object(fields: Vec<(&str, Json)>) -> Json {
    Json::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
