//! Dials that have no effect as the others stand, and why. A test moves each of them in such runs and
//! sees that nothing else changes.

use super::log_view::Side;
use crate::model::settings::{
    ArrivalPattern, Autoscale, Bound, BrokerKind, Confirms, DeadLetters, RetryAt, RetryDelay, Returns,
    SchemaChange, SendPath, ServiceTime, Setting, Settings,
};

/// The key of why a dial has no effect; nothing where it may have one. This holds for runs with one
/// producer and one queue or topic.
#[must_use]
#[inline(never)]
pub fn idle_because(setting: Setting, settings: &Settings, side: Side) -> Option<&'static str> {
    let side = if side.is_both() { Side::Log } else { side };
    let (is_idle, key) = rule(setting, settings, side)?;
    is_idle.then_some(key)
}

fn rule(setting: Setting, dials: &Settings, side: Side) -> Option<(bool, &'static str)> {
    let is_direct = dials.send_path == SendPath::Direct;
    let is_log = side == Side::Log;
    Some(match setting {
        Setting::Overflow => {
            (dials.queue_bound == Bound::None && dials.queue_bound_bytes.is_none(), "effect.overflow")
        }
        Setting::BurstSize => (dials.arrivals != ArrivalPattern::Bursts, "effect.burst"),
        Setting::Seed => (!has_chance(dials), "effect.seed"),
        Setting::MessagePriority => {
            (dials.priority_levels == 0 && dials.broker != BrokerKind::RabbitMqQuorum40, "effect.priority")
        }
        Setting::MessageGroups => (dials.broker != BrokerKind::SqsFifo, "effect.message_groups"),
        Setting::ShedShare => (dials.shed_above.is_none(), "effect.shed_share"),
        Setting::CallTimeout => (!is_direct, "effect.call_timeout"),
        Setting::ConfirmLoss | Setting::ConfirmTimeout | Setting::UnconfirmedMax | Setting::SendAttempts => {
            (dials.confirms != Confirms::Awaited, "effect.confirms")
        }
        Setting::Idempotence => (dials.confirms != Confirms::Awaited, "effect.idempotence"),
        Setting::RetryDelay | Setting::RetryDelayBase => {
            (dials.retry_at == RetryAt::Queue && !is_log, "effect.retry_delay")
        }
        Setting::RetryDelayCap if dials.retry_at == RetryAt::Queue && !is_log => (true, "effect.retry_delay"),
        Setting::RetryDelayCap => (dials.retry_delay == RetryDelay::Fixed, "effect.delay_max"),
        Setting::LateMessages => (dials.deadline.is_none(), "effect.late"),
        Setting::ConsumerCountMin
        | Setting::ConsumerCountMax
        | Setting::AutoscaleInterval
        | Setting::ScaleDownWindow => (dials.autoscale == Autoscale::Off, "effect.autoscale"),
        Setting::AutoscaleBacklog => (dials.autoscale != Autoscale::Backlog, "effect.scale_backlog"),
        Setting::AutoscaleUtilisation => (dials.autoscale != Autoscale::Cpu, "effect.scale_cpu"),
        Setting::ColdStartCalls
        | Setting::DownstreamFailureShare
        | Setting::CallLayers
        | Setting::CallAttempts => (dials.downstream_rate.is_none(), "effect.downstream"),
        Setting::DeadLetterRetention => (is_none_kept(dials, is_log), "effect.dlq_retention"),
        Setting::SchemaCheck => (dials.schema_change == SchemaChange::None, "effect.schema_check"),
        _ => return None,
    })
}

/// Whether no dead letter is kept: a group that names a topic for them sends them there unless it skips
/// them.
fn is_none_kept(dials: &Settings, is_log: bool) -> bool {
    dials.dead_letters == DeadLetters::Skipped || dials.dead_letters == DeadLetters::Discarded && !is_log
}

/// Whether anything is drawn by chance. Where that is not plain to see it counts as drawn.
fn has_chance(dials: &Settings) -> bool {
    let shares = [
        dials.failure_share,
        dials.poison_share,
        dials.wrong_share,
        dials.confirm_loss_share,
        dials.commit_failure_share,
        dials.downstream_failure_share,
    ];
    let is_jittered = !matches!(dials.retry_delay, RetryDelay::Fixed | RetryDelay::Exponential);
    dials.arrivals == ArrivalPattern::Poisson
        || dials.service_time != ServiceTime::Fixed
        || shares.iter().any(|share| *share > 0)
        || is_jittered
        || dials.shed_above.is_some()
        || dials.message_groups > 1
        || dials.message_keys > 0
        || !matches!(dials.broker, BrokerKind::Plain)
        || dials.returns == Returns::Anywhere
}
