//! What a person or the page did, in the past tense.

use super::breaking::Injection;
use super::dead_letters::DeadLetterAct;
use super::log_view::Side;
use crate::model::settings::Setting;

/// Everything that can change the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Msg {
    /// Start or pause was pressed.
    PlayToggled,
    /// Step was pressed: one model second.
    Stepped,
    /// Step was pressed with Shift: to the next instant at which anything happens.
    SteppedToNextInstant,
    /// Reset was pressed: back to the link's or scenario's start.
    ResetPressed,
    /// A speed was chosen, by its name in links, such as `10`.
    SpeedChosen(String),
    /// The jump forward on offer was taken.
    SkipPressed,
    /// The slider of the run so far was moved, to this second.
    Rewound(u64),
    /// The way back from the past to the end was taken.
    ReturnedToTheEnd,
    /// A dial's slider was moved, to this position.
    SliderMoved(Setting, u32),
    /// A dial was stepped up (+1) or down (−1) by its button.
    DialStepped(Setting, i32),
    /// A value was typed or chosen, as text; `none` for no bound.
    ValueEntered(Setting, String),
    /// The tick box "none" beside a number was ticked (true) or cleared (false).
    NoneTicked(Setting, bool),
    /// "Show me: 8 against 6" was pressed.
    ShowMePressed,
    /// The queue or the log was chosen.
    SideChosen(Side),
    /// One more partition was asked for.
    PartitionAdded,
    /// One more consumer was asked for.
    ConsumerAdded,
    /// A second team was asked for.
    TeamAdded,
    /// Something to break, or to mend, was pressed.
    Injected(Injection),
    /// The partition for the next poison message was chosen, by its number.
    PoisonPartitionChosen(String),
    /// What is to become of poison was chosen, by its name.
    PolicyChosen(String),
    /// Something was done about the dead letters.
    DeadLettersTreated(DeadLetterAct),
    /// A scenario file was opened: its name and text.
    FileOpened(String, String),
    /// A scenario file is too large to be read: its name.
    FileTooLarge(String),
    /// A file or address could not be read: its name.
    FileFailed(String),
    /// A scenario's address is on another site, so it was not fetched.
    AddressElsewhere(String),
    /// There is no scenario of that name or at that address.
    ScenarioNotFound(String),
    /// "More dials" was opened (true) or closed (false).
    MoreOpened(bool),
    /// "More ways to break it" was opened (true) or closed (false).
    BreakingOpened(bool),
    /// The dead letters were opened (true) or closed (false).
    DeadLettersOpened(bool),
    /// The table was opened (true) or closed (false).
    TableOpened(bool),
    /// "Share" was opened (true) or closed (false).
    ShareOpened(bool),
    /// The link shall be copied.
    CopyPressed,
    /// It was copied (true), or the browser did not allow it.
    Copied(bool),
    /// The run shall be saved as a file.
    SavePressed,
    /// The notices were closed.
    NoticesClosed,
}

/// What the browser is asked to do for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Put a text on the clipboard.
    Copy(String),
    /// Offer a file to save.
    Save {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
}
