//! Alert rules, as a run's snapshot names them.

use super::super::alerts::{Active, AlertRule};
use super::super::simulation::Simulation;
use super::super::snapshot::network::{ActiveAlertSnapshot, AlertSnapshot};

impl Simulation {
    pub(super) fn alert_snapshots(&self) -> Vec<AlertSnapshot> {
        self.alerts().rules().enumerate().map(|(place, rule)| self.alert_snapshot(place, rule)).collect()
    }

    #[inline(never)]
    fn alert_snapshot(&self, place: usize, rule: &AlertRule) -> AlertSnapshot {
        let alerts = self.alerts();
        let active = |active: &Active| ActiveAlertSnapshot {
            labels: alerts.labels(active.series).to_vec(),
            state: active.state,
            since: active.since,
        };
        AlertSnapshot {
            name: rule.name.clone(),
            owner: rule.owner.clone(),
            condition: rule.condition.to_string(),
            hold: rule.hold,
            keep_firing: rule.keep_firing,
            state: alerts.worst_state(place),
            active: alerts.active(place).map(active).collect(),
        }
    }
}
