//! The parts of a record that are lists: nodes by name, and the dead letters.

use super::{count, decimal, span, text};
use crate::json::{Fields, Json};
use crate::model::snapshot::network::{
    ActiveAlertSnapshot, AlertSnapshot, DeadLetterSnapshot, DeathSnapshot, GroupSnapshot, LaneSnapshot,
    LineSnapshot, NetworkSnapshot, PartitionSnapshot, PoolSnapshot, SenderSnapshot, TopicSnapshot,
};

/// The lists of a record, which the CSV does not have, in their order.
pub const LISTS: [&str; 7] =
    ["producers", "queues", "consumers", "dead_letter_list", "topics", "groups", "alerts"];

/// The lists of [`LISTS`], with what is in them.
pub(super) fn lists(network: &NetworkSnapshot) -> Fields {
    let lists = [
        Json::List(network.producers.iter().map(producer).collect()),
        Json::List(network.queues.iter().map(queue).collect()),
        Json::List(network.pools.iter().map(consumers).collect()),
        Json::List(network.dead_letters.iter().map(dead_letter).collect()),
        Json::List(network.topics.iter().map(topic).collect()),
        Json::List(network.groups.iter().map(group).collect()),
        Json::List(network.alerts.iter().map(alert).collect()),
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
        ("schema", text(sender.schema.name())),
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
        ("consumer_rate_per_second", decimal(&pool.rate_each)),
        ("is_stopped", Json::Bool(pool.is_stopped)),
        ("restart_seconds", span(pool.restart_after)),
        ("attempts_max", pool.attempts_max.map_or(Json::Null, count)),
        ("retries_left", pool.retries_left.map_or(Json::Null, count)),
        ("wanted", pool.scaling.map_or(Json::Null, |scaling| count(scaling.wanted))),
        ("wanted_because", pool.scaling.map_or(Json::Null, |scaling| text(scaling.reason.name()))),
        (
            "of_target_thousandths",
            pool.scaling.map_or(Json::Null, |scaling| count(scaling.ratio_thousandths)),
        ),
        ("schema", text(pool.schema.name())),
        ("unreadable", count(pool.unreadable)),
    ])
}

fn dead_letter(letter: &DeadLetterSnapshot) -> Json {
    let place = letter.place.as_ref();
    object(vec![
        ("queue", text(&letter.queue)),
        ("producer", text(&letter.producer)),
        ("number", count(letter.number)),
        ("reason", text(letter.reason.name())),
        ("attempts", count(u64::from(letter.attempts))),
        ("age_seconds", decimal(&letter.age)),
        ("history", Json::List(letter.history.iter().map(death).collect())),
        ("group", place.map_or(Json::Null, |place| text(&place.group))),
        ("partition", place.map_or(Json::Null, |place| count(u64::from(place.partition)))),
        ("offset", place.map_or(Json::Null, |place| count(place.offset))),
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

fn topic(topic: &TopicSnapshot) -> Json {
    let partition = |partition: &PartitionSnapshot| {
        object(vec![
            ("log_start", count(partition.log_start)),
            ("log_end", count(partition.log_end)),
            ("came_recently", count(partition.came_recently)),
        ])
    };
    object(vec![
        ("name", text(&topic.name)),
        ("kept_seconds", span(topic.kept_for)),
        ("not_sent_back", count(topic.not_sent_back)),
        ("partitions", Json::List(topic.partitions.iter().map(partition).collect())),
    ])
}

fn group(group: &GroupSnapshot) -> Json {
    let counts = &group.counts;
    object(vec![
        ("name", text(&group.name)),
        ("from", text(&group.from)),
        ("state", text(group.state.name())),
        ("generation", count(group.generation)),
        ("round_seconds", span(group.round_in)),
        ("status", text(group.status.name())),
        ("members", count(group.members)),
        ("idle_members", count(group.idle_members)),
        ("lag", count(group.lag)),
        ("lag_max", count(group.lag_max)),
        ("in_flight", count(group.in_flight)),
        ("oldest_unfinished_seconds", span(group.oldest_unfinished)),
        ("done", count(counts.done)),
        ("done_late", count(counts.done_late)),
        ("done_wrong", count(counts.done_wrong)),
        ("skipped_late", count(counts.skipped_late)),
        ("skipped", count(counts.skipped)),
        ("lost_in_hand", count(counts.lost)),
        ("deleted_unread", count(counts.deleted_unread)),
        ("passed_over", count(counts.passed_over)),
        ("sent_to_retry", count(counts.sent_to_retry)),
        ("dead_lettered", count(counts.dead_lettered)),
        ("sent_back", count(counts.sent_back)),
        ("commits_failed", count(counts.commits_failed)),
        ("uncommitted", count(group.uncommitted)),
        ("partitions", Json::List(group.partitions.iter().map(lane).collect())),
    ])
}

fn lane(lane: &LaneSnapshot) -> Json {
    let or_null = |value: Option<u64>| value.map_or(Json::Null, count);
    object(vec![
        ("committed", or_null(lane.committed)),
        ("position", or_null(lane.position)),
        ("lag", count(lane.lag)),
        ("oldest_unfinished_seconds", span(lane.oldest_unfinished)),
        ("reader", or_null(lane.reader)),
        ("head", count(lane.head)),
        ("in_hand", count(lane.in_hand)),
        ("head_attempts", count(u64::from(lane.head_attempts))),
        ("head_fails", Json::Bool(lane.head_fails)),
        ("head_is_unreadable", Json::Bool(lane.head_is_unreadable)),
        ("poison", Json::List(lane.poison_offsets().map(count).collect())),
        ("unread_kept_seconds", span(lane.unread_kept_for)),
        ("paused_seconds", span(lane.paused_for)),
        ("is_stopped", Json::Bool(lane.is_stopped)),
        ("status", text(lane.status.name())),
    ])
}

fn alert(alert: &AlertSnapshot) -> Json {
    object(vec![
        ("name", text(&alert.name)),
        ("owner", text(&alert.owner)),
        ("when", text(&alert.condition)),
        ("for_seconds", decimal(&alert.hold)),
        ("keep_firing_seconds", decimal(&alert.keep_firing)),
        ("state", text(alert.state.name())),
        ("active", Json::List(alert.active.iter().map(active_alert).collect())),
    ])
}

fn active_alert(active: &ActiveAlertSnapshot) -> Json {
    let labels = active.labels.iter().map(|label| (label.name.as_str(), text(&label.value)));
    object(vec![
        ("labels", object(labels.collect())),
        ("state", text(active.state.name())),
        ("since_seconds", decimal(&active.since)),
    ])
}

fn object(fields: Vec<(&str, Json)>) -> Json {
    Json::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
