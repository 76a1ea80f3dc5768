//! What each message does.

use super::dials;
use super::log_view::scenario_of;
use super::message::{Msg, Request};
use super::notice::Notice;
use super::resetting::ResetChoice;
use super::share::Origin;
use super::speed::Speed;
use super::start::Start;
use super::state::App;
use crate::lesson::{built_in, scenario_file};
use crate::model::command::{Command, CommandRefused, FIXED};
use crate::model::rate::Rate;
use crate::model::settings::{AS_BROKER, Bound, Definition, NONE, Setting, Value};
use crate::model::time::{Instant, LAST_INSTANT, Span};
use crate::narrate::locale::Field;

/// One percent as a share.
const PERCENT: i32 = 10_000;

impl App {
    pub(super) fn take(&mut self, msg: Msg) {
        match msg {
            Msg::PlayToggled => self.set_playing(!self.is_playing),
            Msg::Stepped => self.step_to(self.run.simulation().now() + Span::from_seconds(1)),
            Msg::SteppedToNextInstant => {
                if let Some(next) = self.run.simulation().next_instant() {
                    self.step_to(next);
                }
            }
            Msg::ResetPressed => {
                self.begin();
                self.set_playing(false);
                self.announcer.answer(self.locale.text("transport.was_reset").to_owned());
            }
            Msg::SpeedChosen(name) => self.speed = Speed::read(&name).map_or(self.speed, |(speed, _)| speed),
            Msg::SkipPressed => {
                self.goal = self.skip_to().map(|(_, at)| at.min(self.end())).or(self.goal);
                self.looks_back = false;
            }
            Msg::Rewound(seconds) => self.rewind(seconds),
            Msg::ReturnedToTheEnd => self.return_to_the_end(),
            // A drag goes by real time, and letting go is seen to before anything else is done.
            Msg::SliderMoved(..) | Msg::SliderReleased(_) => {}
            Msg::DialStepped(setting, steps) => self.step_dial(setting, steps),
            Msg::ValueEntered(setting, text) => self.enter(setting, &text),
            Msg::NoneTicked(setting, is_none) => self.tick(setting, NONE, is_none),
            Msg::ShowMePressed => self.show_me(),
            Msg::SideChosen(side) => self.show_side(side),
            Msg::PartitionAdded => self.add_partition(),
            Msg::ConsumerAdded => self.add_consumer(),
            Msg::TeamAdded => self.add_team(),
            Msg::Injected(injection) => self.inject(injection),
            Msg::PolicyChosen(name) => self.choose_policy(&name),
            Msg::DeadLettersTreated(act) => self.treat_dead_letters(act),
            Msg::FileOpened(name, text) => self.open(&name, &text),
            Msg::FileTooLarge(name) => self.notices.push(Notice::FileTooLarge(name)),
            Msg::FileFailed(name) => self.notices.push(Notice::FileFailed(name)),
            Msg::AddressElsewhere(address) => self.not_fetched(&address, Notice::NotSameOrigin),
            Msg::ScenarioNotFound(address) => self.not_fetched(&address, Notice::NotFound),
            Msg::MoreOpened(is_open) => {
                self.is_more_open = is_open;
                self.renew_visible();
            }
            Msg::BreakingOpened(is_open) => {
                self.is_breaking_open = is_open;
                self.renew_visible();
            }
            Msg::DeadLettersOpened(is_open) => self.is_dead_letters_open = is_open,
            Msg::NoticesClosed => self.notices.clear(),
            _ => self.take_further(msg),
        }
    }

    /// Takes what nobody does before the page is there whole; all else is taken above.
    #[inline(never)]
    fn take_further(&mut self, msg: Msg) {
        match msg {
            Msg::AsBrokerTicked(setting, is_so) => self.tick(setting, AS_BROKER, is_so),
            Msg::GroupOpened(group) => {
                self.open_group(group);
                self.renew_visible();
            }
            Msg::PutBack(setting) => self.put_back(setting),
            Msg::AllPutBack => self.put_all_back(),
            Msg::LockedUsed(control) => self.say_locked(control),
            Msg::PartToggled(part) => self.toggle_part(part),
            Msg::HelpOpened(is_open) => self.is_help_open = is_open,
            Msg::FullScreenPressed => self.request = Some(Request::FullScreen),
            Msg::FullScreenRefused => self.refuse_full_screen(),
            Msg::ProjectorPressed => self.toggle_projector(),
            Msg::MotionToggled => self.toggle_motion(),
            Msg::AnnouncementsChanged => self.change_announcements(),
            Msg::PoisonPartitionChosen(number) => self.poison_partition = number.parse().ok(),
            Msg::ResetToChosen(name) => {
                self.reset_to = ResetChoice::by_name(&name).unwrap_or(self.reset_to);
            }
            Msg::DeadLetterTicked(producer, number, is_ticked) => {
                self.tick_letter(producer, number, is_ticked);
            }
            Msg::ChartsOpened(is_open) => self.are_charts_open = is_open,
            Msg::TableOpened(is_open) => self.is_table_open = is_open,
            Msg::GlossaryOpened(is_open) => self.is_glossary_open = is_open,
            Msg::MessagePicked(producer, number) => self.pick(producer, number),
            Msg::PicturePointedAt(at) => self.pick_at(at),
            Msg::MessageEntered(text) => self.pick_by_entry(&text),
            Msg::TraceOpened(is_open) => self.open_trace(is_open),
            Msg::PicksRenewed => self.renew_picks(),
            Msg::ShareOpened(is_open) => self.is_share_open = is_open,
            Msg::CopyPressed => self.copy(),
            Msg::Copied(is_copied) => {
                let key = if is_copied { "share.copied" } else { "share.not_copied" };
                self.announcer.answer(self.locale.text(key).to_owned());
            }
            Msg::SavePressed => self.save(),
            Msg::SavedAs(what) => self.save_as(what),
            _ => {}
        }
    }

    pub(super) fn set_playing(&mut self, is_playing: bool) {
        if is_playing != self.is_playing {
            let key = if is_playing { "transport.started" } else { "transport.paused" };
            self.announcer.answer(self.at_clock(key));
        }
        self.is_playing = is_playing;
        self.looks_back &= !is_playing;
        self.announcer.set_playing(is_playing);
        if is_playing {
            self.last_frame = None;
        } else {
            self.goal = None;
        }
    }

    fn step_to(&mut self, at: Instant) {
        self.set_playing(false);
        (self.goal, self.looks_back) = (Some(at.min(LAST_INSTANT)), false);
    }

    fn show_me(&mut self) {
        let Some(scenario) = built_in::by_name(built_in::SHOW_ME) else { return };
        let (file, _) = scenario_file::read(scenario.text);
        let side = self.side();
        let kept = std::mem::replace(&mut self.start, file.map(Start::of_file).unwrap_or_default());
        if side.has_log() {
            self.start.scenario = scenario_of(side, &self.start.scenario.settings);
        } else {
            self.start.origin = Origin::of(built_in::SHOW_ME, &self.start.scenario);
        }
        self.begin();
        self.start = kept;
        self.set_playing(true);
    }

    fn open(&mut self, name: &str, text: &str) {
        // What was wrong before, or still on its way, is settled by what is opened now.
        self.notices.clear();
        self.waiting_link = None;
        let Some(start) = self.read_file(name, text) else { return };
        let start = Start { origin: Origin::File, ..start };
        let title = start.title.clone().unwrap_or_else(|| name.to_owned());
        self.start = start;
        self.begin();
        self.set_playing(false);
        self.announcer.answer(self.locale.format("file.opened", &[("title", Field::Text(&title))]));
    }

    pub(super) fn not_fetched(&mut self, address: &str, notice: fn(String) -> Notice) {
        if self.no_longer_wanted(address).is_some() {
            self.notices.push(notice(address.to_owned()));
        }
    }

    fn step_dial(&mut self, setting: Setting, steps: i32) {
        match self.settings().get(setting) {
            Value::Rate(rate) => {
                self.set_rate(setting, dials::stepped(rate, steps, self.slider_end(setting)))
            }
            Value::Count(count) => {
                self.set_whole(setting, count.saturating_add_signed(i64::from(steps)), Value::Count)
            }
            Value::Bound(Bound::Messages(count)) => {
                let next = count.saturating_add_signed(i64::from(steps) * 10);
                self.set_whole(setting, next, |count| Value::Bound(Bound::Messages(count)));
            }
            Value::Span(span) => {
                let second = Span::from_seconds(1).micros();
                let next = span.micros().saturating_add_signed(i64::from(steps) * second.cast_signed());
                self.set_whole(setting, next, |micros| Value::Span(Span::from_micros(micros)));
            }
            Value::Share(share) => {
                let next = share.saturating_add_signed(steps * PERCENT).min(100 * PERCENT.unsigned_abs());
                self.set(setting, Value::Share(next));
            }
            Value::Bound(Bound::None) | Value::Choice(_) => {}
        }
    }

    fn set_whole(&mut self, setting: Setting, count: u64, wrap: fn(u64) -> Value) {
        self.set(setting, wrap(count));
    }

    pub(super) fn enter(&mut self, setting: Setting, text: &str) {
        let (value, problem) = Definition::of(setting).read(&without_group_marks(text));
        match value {
            Some(Value::Rate(rate)) => {
                self.fit_slider(setting, rate);
                self.set(setting, Value::Rate(rate));
            }
            Some(value) => self.set(setting, value),
            None => {}
        }
        self.dial_problem = problem.map(|problem| (setting, problem));
        self.dial_entry = text.chars().take(40).collect();
    }

    /// A typed number makes the slider as long as it needs, and no longer.
    fn fit_slider(&mut self, setting: Setting, rate: Rate) {
        let least = self.start.dial_max.unwrap_or(dials::DEFAULT_MAX);
        self.keep_slider_end(setting, if rate > least { dials::widened(rate) } else { least });
    }

    fn keep_slider_end(&mut self, setting: Setting, end: Rate) {
        match setting {
            Setting::ProducerRate => self.slider_max[0] = end,
            Setting::ConsumerRate => self.slider_max[1] = end,
            further => self.keep_further_end(further, end),
        }
    }

    fn set_rate(&mut self, setting: Setting, rate: Rate) {
        let end = self.slider_end(setting);
        if rate > end {
            self.keep_slider_end(setting, dials::widened(rate));
        }
        self.set(setting, Value::Rate(rate));
    }

    pub(super) fn set(&mut self, setting: Setting, value: Value) {
        // Dials offer only values that the model takes.
        let _is_taken = self.put(setting, value).is_ok();
    }

    /// Sets a dial. Returns why the model refused it, if it did.
    pub(super) fn put(&mut self, setting: Setting, value: Value) -> Result<(), CommandRefused> {
        self.dial_problem = None;
        if FIXED.contains(&setting) {
            self.set_for_the_start(setting, value);
            return Ok(());
        }
        let mut settings = self.settings();
        settings.set(setting, value);
        let value = settings.get(setting);
        let is_known = self.settings().get(setting) == value;
        if !is_known {
            self.run.apply(Command::Set { setting, value })?;
            self.waiting_dials.push((setting, value));
        }
        Ok(())
    }
}

/// A number as it stands on the page, `4,000,000`, without its commas; any other text as it is.
fn without_group_marks(text: &str) -> String {
    let mut groups = text.trim().split(',');
    let first_is_short = groups.next().is_some_and(|first| (1..=3).contains(&first.len()));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let rest_are_whole = groups.all(|group| {
        let whole = group.split('.').next().unwrap_or_default();
        whole.len() == 3 && is_digits(whole)
    });
    if first_is_short && rest_are_whole { text.replace(',', "") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_between_groups_of_three_are_no_mistake() {
        for (text, plain) in [
            ("4,000,000", "4000000"),
            ("1,234.5", "1234.5"),
            ("12", "12"),
            ("1,5", "1,5"),
            (",5", ",5"),
            ("1,2345", "1,2345"),
            ("none", "none"),
        ] {
            assert_eq!(without_group_marks(text), plain);
        }
    }
}
