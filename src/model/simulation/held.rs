//! How many bytes a run holds.

use super::{Simulation, Staff};
use crate::model::alerts::Alerts;
use crate::model::consumer_status::watch::GroupWatch;
use crate::model::held::HeldBytes;
use crate::model::producer::Producer;
use crate::model::series::lags::GroupLags;

impl Simulation {
    /// Counts the bytes that this state of the run holds; what several states share is counted
    /// once. The scenario is not among them.
    pub fn count_held(&self, held: &mut HeldBytes) {
        held.own::<Self>(1);
        held.own::<Producer>(self.producers.len());
        self.producers.iter().filter_map(Producer::outbox).for_each(|outbox| outbox.count_held(held));
        held.own::<Staff>(self.staffs.len());
        // The agenda: an entry for each, and once more in order.
        held.own::<[u64; 2]>(self.slots.len());
        self.broker.count_held(held);
        self.staffs.iter().for_each(|staff| staff.pool.count_held(held));
        self.calls.count_held(held);
        self.fates.count_held(held);
        self.schemas.count_held(held);
        held.own::<GroupWatch>(self.watches.len());
        self.watches.iter().for_each(|watch| watch.count_held(held));
        held.own::<GroupLags>(self.lags.len());
        self.lags.iter().for_each(|lags| lags.count_held(held));
        self.records.count_held(held);
        self.stats.count_held(held);
        if let Some(alerts) = &self.alerts {
            held.own::<Alerts>(1);
            alerts.count_held(held);
        }
        self.journal.count_held(held);
        self.command_log.count_held(held);
    }
}
