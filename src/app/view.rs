//! What the page shows, as plain data with finished texts. `ui` renders it and decides nothing.

mod trouble;

use std::rc::Rc;

pub use self::trouble::{
    BreakView, BreakingView, ButtonList, ChosenButton, DeadLetterRow, DeadLettersPanel, DeadLettersView,
    PolicyView, TraceLine, TracePick, TracePicks, TraceView,
};
use super::access::Access;
use super::glossary::TermView;
use super::groups::Group;
use super::log_view::Side;
use crate::model::settings::Setting;
use crate::narrate::locale::Locale;
pub use crate::narrate::remark::Tone;

/// Everything that the page shows outside the canvases. Two equal view models look the same.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewModel {
    /// Texts that do not change while it runs, by key.
    pub texts: Rc<Locale>,
    /// Model time, such as `00:42`.
    pub clock: String,
    /// Whether model time passes.
    pub is_playing: bool,
    /// Whether nothing has happened yet, so that Start is the thing to press.
    pub is_at_start: bool,
    /// Which side of the page is shown.
    pub side: Side,
    /// What is to be known of that side before its run has begun.
    pub side_note: Option<String>,
    /// What can be done to the log, where one is shown.
    pub log_actions: Option<LogActionsView>,
    /// The speeds on offer and which is chosen.
    pub speeds: ChoiceView,
    /// The sentences.
    pub story: StoryView,
    /// The two dials of the first screen: producer rate, consumer rate.
    pub dials: Vec<DialView>,
    /// The buttons that break things, and what is to become of poison.
    pub breaking: BreakingView,
    /// The dead letters, once there has been one.
    pub dead_letters: Option<DeadLettersView>,
    /// Whether there is anything under "More dials".
    pub has_more_dials: bool,
    /// The dials of the group that is open under "More dials"; none while they are closed.
    pub more: Vec<MoreDialView>,
    /// The groups of dials, likewise.
    pub groups: GroupsView,
    /// The dials that were moved, likewise; none while there are none.
    pub changed: Option<ChangedView>,
    /// Which dials and buttons the page has.
    pub access: Rc<Access>,
    /// What is locked.
    pub locked: Option<String>,
    /// The keys and what they do; nothing while their list is closed.
    pub help: Option<HelpView>,
    /// Whether the widget has the whole screen.
    pub is_full_screen: bool,
    /// Captions of the charts, in the order in which they stand.
    pub charts: Vec<ChartView>,
    /// Captions of the further charts; none while they are closed.
    pub further_charts: Vec<ChartView>,
    /// Every number of the picture and charts, as rows of one table; none while it is closed.
    pub table: Vec<TableRow>,
    /// What the terms of the page mean; none while that is closed.
    pub glossary: Vec<TermView>,
    /// The ledger as a line, and one for each group of a log; none while the table is closed.
    pub balance: Vec<String>,
    /// What the picture shows, in words: the canvas's name.
    pub picture_name: String,
    /// What was wrong with links, files and numbers, each with its place.
    pub notices: Vec<String>,
    /// The journey of a message, while that is open.
    pub trace: Option<TraceView>,
    /// The link of the run and a word on it; none while that is closed.
    pub share: Option<ShareView>,
    /// What is to be announced; a new serial announces even the same text again.
    pub announcement: Announcement,
    /// The jump forward on offer, such as "skip to full (30 s)".
    pub skip: Option<String>,
    /// The run so far, to look back at.
    pub rewind: RewindView,
    /// What takes the machine time, such as "On the way to 1:00:00".
    pub progress: Option<String>,
    /// The prepared run on offer, such as "Show me: 8 against 6".
    pub show_me: String,
    /// The colours in use.
    pub theme: ThemeName,
    /// Whether dots stand still.
    pub is_motion_reduced: bool,
}

/// The sentences above the dials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryView {
    /// What is happening.
    pub happening: String,
    /// What comes next.
    pub next: Option<String>,
    /// What to try.
    pub advice: Option<String>,
    /// How it feels.
    pub tone: Tone,
}

/// What can be done to the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogActionsView {
    /// What the buttons do.
    pub label: String,
    /// The button for one more partition.
    pub partition: LogActionView,
    /// The button for one more consumer.
    pub consumer: LogActionView,
    /// The button for a second team, where one can ever join.
    pub team: Option<LogActionView>,
}

/// One of the buttons that add to the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogActionView {
    /// Its name.
    pub label: String,
    /// Why it does nothing, where it does nothing.
    pub refused: Option<String>,
}

/// A rate dial: a range input, a number field and step buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialView {
    /// What it sets.
    pub setting: Setting,
    /// Its name, such as "Producer rate".
    pub label: String,
    /// Its value for the number field, such as `8`.
    pub value: String,
    /// Its unit as it stands beside the value, such as "messages a second" or "a second each".
    pub unit: String,
    /// What follows the unit, such as "× 3 = 6".
    pub total: Option<String>,
    /// Its value as it is spoken: unit included, no commas.
    pub spoken: String,
    /// Position of the thumb in slider steps, 0 to `slider_max`.
    pub slider_value: u32,
    /// The greatest slider position.
    pub slider_max: u32,
    /// Limits in words, such as "0 to 100000 a second".
    pub limits: String,
    /// What was wrong with the last number typed.
    pub problem: Option<String>,
}

/// How a run is handed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareView {
    /// The address that restores it, if there is one.
    pub link: Option<String>,
    /// What it restores, or why there is none.
    pub note: String,
}

/// The run so far, as a slider of seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewindView {
    /// The second that is shown.
    pub position: u64,
    /// The last one; 0 while there is nothing to look back at.
    pub last: u64,
    /// The end so far on the clock.
    pub end: String,
    /// The position as it is spoken.
    pub spoken: String,
    /// What is to be known while the past is shown.
    pub warning: Option<String>,
    /// The way back to the end, likewise.
    pub back: Option<String>,
}

/// The groups of dials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupsView {
    /// What they are.
    pub label: String,
    /// Each of them.
    pub groups: Vec<GroupView>,
}

/// A group of dials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupView {
    /// Which.
    pub group: Group,
    /// Its name.
    pub label: String,
    /// Whether its dials are those that are shown.
    pub is_open: bool,
}

/// The dials that were moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedView {
    /// How many, such as "3 changed".
    pub count: String,
    /// Each of them.
    pub dials: Vec<ChangedDialView>,
    /// What stands on the button of each.
    pub back: String,
    /// The button that puts all of them back that can be moved; none where all are locked.
    pub all: Option<String>,
}

/// A dial that was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedDialView {
    /// What it sets.
    pub setting: Setting,
    /// From where to where.
    pub text: String,
    /// The button that puts it back.
    pub button: String,
}

/// The list of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpView {
    /// Each of them.
    pub keys: Vec<KeyView>,
    /// When they act.
    pub note: String,
    /// The button that closes it.
    pub close: String,
}

/// A key and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyView {
    /// What stands on it.
    pub key: String,
    /// What it does.
    pub does: String,
}

/// A dial under "More dials".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoreDialView {
    /// What it sets.
    pub setting: Setting,
    /// Its name.
    pub label: String,
    /// The control.
    pub control: MoreControl,
    /// Why it has no effect at present, or what it does.
    pub note: Option<String>,
    /// Whether it has no effect at present.
    pub is_idle: bool,
    /// That it was moved.
    pub changed: Option<String>,
    /// What was wrong with the last entry.
    pub problem: Option<String>,
}

/// The kinds of control under "More dials".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoreControl {
    /// A number field with step buttons, and "none" where `none_label` is there.
    Number {
        /// The number, empty for none.
        value: String,
        /// Limits in words.
        limits: String,
        /// What the number counts, such as "seconds".
        unit: String,
        /// The label of the tick box "no bound", where there may be none, and whether it is on.
        none: Option<(String, bool)>,
        /// The label of the tick box "as the broker has it", likewise.
        as_broker: Option<(String, bool)>,
        /// A slider, where the number is a rate.
        slider: Option<SliderView>,
    },
    /// On or off.
    Switch(bool),
    /// One of a few.
    Choice(ChoiceView),
}

/// A slider beside a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliderView {
    /// Position of the thumb in slider steps, 0 to `max`.
    pub position: u32,
    /// The greatest position.
    pub max: u32,
    /// The value as it is spoken.
    pub spoken: String,
}

/// A choice of one among a few.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChoiceView {
    /// Names as in links, with their labels.
    pub options: Vec<(String, String)>,
    /// The chosen name.
    pub chosen: String,
}

/// The caption of one chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartView {
    /// Its title.
    pub title: String,
    /// Its current value.
    pub value: String,
    /// What it shows, in a sentence: the canvas's name.
    pub description: String,
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// What.
    pub name: String,
    /// How much, with its unit.
    pub value: String,
}

/// What the live region says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announcement {
    /// Grows by one with every announcement.
    pub serial: u32,
    /// The text.
    pub text: String,
}

/// The palettes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
    /// Strong contrast and large, for a room.
    Projector,
    /// The system's own few colours.
    Forced,
}
