//! What breaks things, what failed, and the journey of a message.

use super::ChoiceView;
use crate::app::breaking::Injection;

/// The buttons that break things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BreakingView {
    /// Those that stand there at once.
    pub first: Vec<BreakView>,
    /// Those on request; none while they are closed.
    pub more: Vec<BreakView>,
    /// Where the next poison message goes, where there is more than one partition.
    pub partition: Option<ButtonList>,
    /// Where offsets are moved to, while the other ways are open and a log is shown.
    pub reset: Option<ButtonList>,
    /// What is to become of poison, once there is some.
    pub policy: Option<PolicyView>,
    /// What was done last, or why it was not.
    pub said: String,
}

/// One of the buttons that break things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakView {
    /// What it breaks, or mends.
    pub injection: Injection,
    /// Its name, such as "Stop a consumer".
    pub label: String,
    /// What it will do, in a few words.
    pub hint: String,
}

/// A list that belongs to a button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ButtonList {
    /// The name of the list.
    pub label: String,
    /// What there is to choose.
    pub choice: ChoiceView,
}

/// What is to become of messages that fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyView {
    /// The name of the list.
    pub label: String,
    /// The policies.
    pub choice: ChoiceView,
    /// What the chosen one does.
    pub does: String,
    /// Where the poison is now.
    pub whereabouts: String,
}

/// The dead letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLettersView {
    /// The button that opens and closes them, with how many there are.
    pub button: String,
    /// Whether none lies there now.
    pub is_empty: bool,
    /// What it opens, while it is open.
    pub panel: Option<DeadLettersPanel>,
}

/// The button for the dead letters that are ticked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenButton {
    /// Its text.
    pub text: String,
    /// Why it does nothing, while none is ticked.
    pub idle: Option<String>,
}

/// The list of dead letters, and what can be done about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLettersPanel {
    /// Its title.
    pub title: String,
    /// The button that deploys the fix.
    pub fix: String,
    /// The button that sends them back one after the other.
    pub redrive: String,
    /// The button that sends back those that are ticked, where some can be chosen.
    pub redrive_chosen: Option<ChosenButton>,
    /// The button that sends them back all at once.
    pub redrive_all: String,
    /// The button that throws them away.
    pub discard: String,
    /// The heads of the columns: the message first, its history last.
    pub heads: Vec<String>,
    /// One for each dead letter that is listed.
    pub rows: Vec<DeadLetterRow>,
    /// What is to be known of all of them.
    pub notes: Vec<String>,
}

/// One dead letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetterRow {
    /// The place of its producer.
    pub producer: usize,
    /// The message's number.
    pub number: u64,
    /// How many rows of the same message stand before it: each group has its own dead letter of it.
    pub copy: usize,
    /// The same in words.
    pub name: String,
    /// What stands in the columns between the message and its history.
    pub cells: Vec<String>,
    /// Whether it is ticked.
    pub is_ticked: bool,
    /// The name of its tick box, where some can be chosen.
    pub tick_label: Option<String>,
    /// The button that opens its history.
    pub history_label: String,
    /// Its history, the newest first.
    pub history: Vec<String>,
}

/// The journey of a message, and the messages to pick from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceView {
    /// The messages at hand, by where they are.
    pub picks: Vec<TracePicks>,
    /// The button that brings them up to date, while the run goes on.
    pub renew: Option<String>,
    /// What was wrong with the number typed last.
    pub problem: Option<String>,
    /// The name of the journey; empty while there is none.
    pub title: String,
    /// Where it is, and why it was lost if it was.
    pub verdict: Vec<String>,
    /// What happened, the first first.
    pub lines: Vec<TraceLine>,
}

/// Messages in the same place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePicks {
    /// Where they are.
    pub label: String,
    /// The messages.
    pub picks: Vec<TracePick>,
}

/// A message to pick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePick {
    /// The place of its producer.
    pub producer: usize,
    /// Its number there.
    pub number: u64,
    /// The same on the button.
    pub label: String,
    /// The button's name.
    pub spoken: String,
}

/// One thing that happened to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLine {
    /// When.
    pub time: String,
    /// What.
    pub text: String,
    /// Whether that lost it.
    pub is_loss: bool,
}
