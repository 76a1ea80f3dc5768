//! Dials that were moved: which, from where to where, and back.

use super::access::Control;
use super::dials;
use super::groups::Group;
use super::present::{choice_key, dial_key};
use super::state::App;
use super::view::{ChangedDialView, ChangedView};
use crate::model::command::FIXED;
use crate::model::rate::Rate;
use crate::model::settings::{Bound, Definition, Kind, Setting, Settings, Switch, TABLE, Value};
use crate::model::time::Instant;
use crate::model::topology::{TopicNode, Topology};
use crate::narrate::locale::{Field, Locale};

impl App {
    /// Whether the run has one producer and one queue or topic that it feeds, as the page's own runs have:
    /// what else they have is for retries and dead letters.
    pub(super) fn is_simple(&self) -> bool {
        let topology = self.run.simulation().scenario().topology();
        let Topology { producers, queues, consumers, topics, .. } = topology;
        let is_fed = |topic: &&TopicNode| producers.iter().any(|producer| producer.to == topic.name);
        let fed = topics.iter().filter(is_fed).count();
        producers.len() == 1 && queues.len() + fed == 1 && consumers.len() <= 1
    }

    /// Sets what holds from the start: where nothing has happened yet, the run begins with it; later it
    /// counts from the next start on.
    pub(super) fn set_for_the_start(&mut self, setting: Setting, value: Value) {
        let before = self.start.scenario.settings.get(setting);
        if !self.start.fixed.iter().any(|(fixed, _)| *fixed == setting) {
            self.start.fixed.push((setting, before));
        }
        self.start.scenario.settings.set(setting, value);
        let now = self.start.scenario.settings.get(setting);
        self.start.fixed.retain(|(fixed, first)| *fixed != setting || *first != now);
        let simulation = self.run.simulation();
        let is_untouched = simulation.now() == Instant::START && simulation.command_log().len() == 0;
        if is_untouched && setting != Setting::Seed {
            self.begin();
        }
    }

    /// Puts a dial back to where it stood at the start.
    pub(super) fn put_back(&mut self, setting: Setting) {
        if let Some(value) = first_value(self, setting) {
            self.set(setting, value);
        }
    }

    /// Puts all dials back that the page lets people move.
    pub(super) fn put_all_back(&mut self) {
        for setting in changed(self, &self.settings()) {
            if self.access.allows(Control::Setting(setting)) {
                self.put_back(setting);
            }
        }
    }

    /// Opens a group of dials.
    pub(super) fn open_group(&mut self, group: Group) {
        self.group = group;
    }

    /// A slider was moved at real time `now`.
    pub(super) fn drag_to(&mut self, setting: Setting, position: u32, now: f64) {
        if self.drag.pending().is_some_and(|(pending, _)| pending != setting) {
            self.let_go();
        }
        let rate = Value::Rate(dials::rate_at(position, self.slider_end(setting)));
        if let Some(value) = self.drag.moved(setting, rate, now) {
            self.set(setting, value);
        }
    }

    /// What a slider in somebody's hand stands at counts if it is due. Returns whether it did.
    pub(super) fn drag_on(&mut self, now: f64) -> bool {
        self.drag.pending().is_some() && self.drag_further(now)
    }

    #[inline(never)]
    fn drag_further(&mut self, now: f64) -> bool {
        let due = self.drag.due(now);
        if let Some((setting, value)) = due {
            self.set(setting, value);
        }
        due.is_some()
    }

    /// A slider was let go, or something else is done: where it stands counts.
    #[inline(never)]
    pub(super) fn let_go(&mut self) {
        if let Some((setting, value)) = self.drag.released() {
            self.set(setting, value);
        }
    }

    /// How far the slider of a further rate reaches: as far as that of the producer, or as the rate needs.
    #[inline(never)]
    pub(super) fn further_end(&self, setting: Setting) -> Rate {
        let least = self.start.dial_max.unwrap_or(dials::DEFAULT_MAX);
        let now = match self.settings().get(setting) {
            Value::Rate(rate) if rate > least => dials::widened(rate),
            _ => least,
        };
        let kept = self.further_max.iter().find(|(kept, _)| *kept == setting);
        kept.map_or(now, |(_, end)| now.max(*end))
    }

    /// The slider of a further rate keeps its length while it is moved.
    #[inline(never)]
    pub(super) fn keep_further_end(&mut self, setting: Setting, end: Rate) {
        self.further_max.retain(|(kept, _)| *kept != setting);
        self.further_max.push((setting, end));
    }

    /// Leaves a number to a word, such as none, or takes a number instead.
    #[inline(never)]
    pub(super) fn tick(&mut self, setting: Setting, word: &'static str, is_on: bool) {
        if is_on {
            return self.enter(setting, word);
        }
        let definition = Definition::of(setting);
        let is_word = |value: &Value| matches!(value, Value::Choice(_) | Value::Bound(Bound::None));
        let kept = [self.start.scenario.settings.get(setting), Settings::default().get(setting)];
        match kept.into_iter().find(|value| !is_word(value)) {
            Some(value) => self.set(setting, value),
            None => self.enter(setting, number_at_first(definition)),
        }
    }

    /// The dials that hold from the start stand where the next start has them.
    #[inline(never)]
    pub(super) fn with_fixed(&self, settings: &mut Settings) {
        for setting in FIXED {
            settings.set(setting, self.start.scenario.settings.get(setting));
        }
    }
}

/// What stands in a dial that had no number yet.
const fn number_at_first(definition: &Definition) -> &'static str {
    match definition.setting {
        Setting::AttemptsMax | Setting::SendAttempts | Setting::DeliveryLimit => "3",
        Setting::QueueBoundBytes | Setting::BrokerDisk => "100000",
        Setting::DownstreamRate | Setting::DrainLimit | Setting::ShapeLimit => "6",
        Setting::CommitInterval => "5",
        Setting::Retention | Setting::DeadLetterRetention | Setting::Ttl => "60",
        _ => "30",
    }
}

/// Where a dial stood at the start, where it can be told.
fn first_value(app: &App, setting: Setting) -> Option<Value> {
    if FIXED.contains(&setting) {
        let fixed = app.start.fixed.iter().find(|(fixed, _)| *fixed == setting);
        return fixed.map(|(_, value)| *value);
    }
    Some(app.run.simulation().scenario().settings.get(setting))
}

/// Whether a dial does not stand where it stood at the start.
pub(super) fn is_changed(app: &App, setting: Setting, settings: &Settings) -> bool {
    first_value(app, setting).is_some_and(|first| first != settings.get(setting))
}

fn changed(app: &App, settings: &Settings) -> Vec<Setting> {
    let all = TABLE.iter().map(|row| row.setting);
    all.filter(|setting| is_changed(app, *setting, settings)).collect()
}

/// The dials that were moved; nothing where none was.
#[inline(never)]
pub(super) fn view(app: &App, settings: &Settings) -> Option<ChangedView> {
    let (locale, mut moved) = (&app.locale, changed(app, settings));
    moved.retain(|setting| !app.access.is_hidden(Control::Setting(*setting)));
    let dials: Vec<_> = moved.into_iter().map(|setting| dial(app, setting, settings)).collect();
    let count = [("count", Field::Count(dials.len() as u64))];
    let movable = dials.iter().filter(|dial| app.access.allows(Control::Setting(dial.setting))).count();
    let all = [("count", Field::Count(movable as u64))];
    (!dials.is_empty()).then(|| ChangedView {
        count: locale.format("changed.count", &count),
        back: locale.text("changed.back").to_owned(),
        // One alone has its own way back.
        all: (movable > 1).then(|| locale.format("changed.all", &all)),
        dials,
    })
}

fn dial(app: &App, setting: Setting, settings: &Settings) -> ChangedDialView {
    let locale = &app.locale;
    let first = first_value(app, setting).unwrap_or_else(|| settings.get(setting));
    let (first, now) =
        (value_text(setting, first, locale), value_text(setting, settings.get(setting), locale));
    let key = dial_key(setting);
    let fields = [
        ("name", Field::Text(locale.text(&key))),
        ("first", Field::Text(&first)),
        ("now", Field::Text(&now)),
    ];
    let text = locale.format("changed.dial", &fields);
    ChangedDialView { setting, text, button: locale.format("changed.put_back", &fields) }
}

/// A value as people read it.
fn value_text(setting: Setting, value: Value, locale: &Locale) -> String {
    let text = value.to_text();
    let key = match (Definition::of(setting).kind, text.as_str()) {
        (Kind::Choice(names), "on") if names == Switch::NAMES => "dial.on".to_owned(),
        (Kind::Choice(names), "off") if names == Switch::NAMES => "dial.off".to_owned(),
        (Kind::Choice(_), name) => choice_key(setting, name),
        (_, "none") => "unit.none".to_owned(),
        (_, "as-broker") => "dial.as_broker".to_owned(),
        _ => return text,
    };
    locale.text(&key).to_owned()
}
